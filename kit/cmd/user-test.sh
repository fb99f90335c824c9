# user-test: the tests that run in user space, no kernel needed: the forms of psi's walk, and lib/sbm.c with its
# KUnit suite compiled by several compilers, for several architectures and under sanitizers, and a fuzzer
# beside them; the plugin that counts in a guest. FUZZ=SECONDS [60]. Each is a program that prints "ok NAME", "not ok NAME" or "skip NAME".
"$KIT_TOP/kit/kit" deps test
failed=0
for cc in gcc clang-19; do
	command -v "$cc" >/dev/null || { result skip user "psi forms, $cc" "$cc is not installed"; continue; }
	log=$KIT_LOGS/user-psi-$cc.log
	rc=0
	mkdir -p "$KIT_BUILD/bench-psi/$cc"
	{ make -s -C "$KIT_TOP/bench/psi" CC="$cc" OUT="$KIT_BUILD/bench-psi/$cc" && "$KIT_BUILD/bench-psi/$cc/psi_bench" --check; } >"$log" 2>&1 || rc=$?
	results_of user "psi forms, $cc" "$log" "$rc" || failed=1
done
log=$KIT_LOGS/user-plugin.log
rc=0
"$KIT_TOP/bench/plugin/test.sh" >"$log" 2>&1 || rc=$?
[ "$rc" -eq 4 ] && result skip user "counting plugin" "no qemu-x86_64 that loads plugins (qemu-user)" || results_of user "counting plugin" "$log" "$rc" || failed=1
log=$KIT_LOGS/user-sbm.log
rc=0
quiet "lib/sbm.c in user space, ${FUZZ:-60} s of fuzzing" "$log" "$KIT_TOP/kit/tests/user/run.sh" -o "$KIT_BUILD/user" -f "${FUZZ:-60}" || rc=$?
results_of user sbm "$log" "$rc" || failed=1
exit $failed
