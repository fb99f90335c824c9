# kit-mutants: seed one fault at a time in the kit and see whether its test notices. NAMES="..." for some of
# them. Four seconds each; the table goes to results/kit-mutants.txt.
"$KIT_TOP/kit/kit" deps test
say "seeding faults in the kit, a line for each"
log=$KIT_LOGS/kit-mutants.log
rc=0
# shellcheck disable=SC2086
"$KIT_TOP/kit/mutants/kit.sh" "$KIT_BUILD/kit-mutants" ${NAMES:-} 2>&1 | tee "$log" || rc=$?
sed -n 's/^killed /ok /p; s/^SURVIVED /not ok /p' "$log" >"$log.results"
results_of mutants kit "$log.results" "$rc" || exit 1
[ -n "${NAMES:-}" ] || {
	echo "# make kit-mutants: a fault seeded in the kit for each of its tests (kit/mutants/kit), and whether the test failed"
	cat "$log"
} >"$KIT_TOP/results/kit-mutants.txt"
