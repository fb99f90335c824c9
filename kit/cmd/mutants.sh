# mutants: seed one fault at a time in lib/sbm.c and its header and see whether the tests in user space notice.
# NAMES="..." for some of them. A quarter of an hour on two cores; the table goes to results/mutants.txt.
"$KIT_TOP/kit/kit" deps test
say "seeding faults, a line for each"
log=$KIT_LOGS/mutants.log
rc=0
rm -rf "$KIT_BUILD/mutants"
# shellcheck disable=SC2086
python3 "$KIT_TOP/kit/mutants/run.py" -o "$KIT_BUILD/mutants" ${NAMES:-} 2>&1 | tee "$log" || rc=$?
sed -n 's/^killed   /ok /p; s/^SURVIVED /not ok /p; s/^survived \(.*\)/ok \1/p' "$log" >"$log.results"
results_of mutants sbm "$log.results" "$rc" || exit 1
[ -n "${NAMES:-}" ] || {
	echo "# make mutants: faults seeded in lib/sbm.c and include/linux/sbm.h, and the variant of kit/tests/user that failed"
	echo "# $(gcc --version | sed -n 1p), $(clang-19 --version | sed -n 1p), $(date +%F)"
	cat "$log"
} >"$KIT_TOP/results/mutants.txt"
