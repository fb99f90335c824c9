# kit-test: the tests of the kit, on a toy tree: no kernel is built, nothing is fetched. ONLY= a pattern.
log=$KIT_LOGS/kit-test.log
rc=0
say "testing the kit on a toy tree"
env -u KIT_RESULTS -u KIT_BUILD -u KIT_CACHE -u KIT_T0 -u BASE bash "$KIT_TOP/kit/tests/run.sh" "${ONLY:-}" >"$log" 2>&1 || rc=$?
results_of kit kit "$log" "$rc"
