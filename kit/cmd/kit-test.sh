# kit-test: the tests of the kit, on a toy tree: no kernel is built, nothing is fetched. ONLY= a pattern.
log=$KIT_LOGS/kit-test.log
rc=0
quiet "testing the kit on a toy tree" "$log" env -u KIT_RESULTS -u KIT_BUILD -u KIT_CACHE -u KIT_T0 -u BASE \
	bash "$KIT_TOP/kit/tests/run.sh" "${ONLY:-}" || rc=$?
results_of kit kit "$log" "$rc"
