# fuzz: the fuzzer over operations on an sbm alone, for long. TIME=SECONDS [600]. The corpus is kept in build/user.
"$KIT_TOP/kit/kit" deps test
log=$KIT_LOGS/fuzz.log
rc=0
quiet "fuzzing lib/sbm.c for ${TIME:-600} s" "$log" "$KIT_TOP/kit/tests/user/run.sh" -o "$KIT_BUILD/user" -f "${TIME:-600}" fuzz || rc=$?
results_of user sbm "$log" "$rc"
