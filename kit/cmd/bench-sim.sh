# bench-sim: what sets of CPUs cost on machines of 16 to 4,096 CPUs, by a simulator of cache coherence (bench/sim) that runs
# lib/sbm.c. Tables go to results/sim-*.txt. Two minutes; no kernel is needed, and the same seed gives the same tables.
"$KIT_TOP/kit/kit" deps test
log=$KIT_LOGS/bench-sim.log
quiet "simulating" "$log" env BUILD="$KIT_BUILD/sim" "$KIT_TOP/bench/sim/run.sh" "$KIT_TOP/results" ||
	die "the simulator failed: $(tail -n 1 "$log")" "read $(rel "$log")"
result pass bench-sim "$(sed -n 's/ passed.*/ tests of the model passed/p' "$KIT_TOP/results/sim-check.txt" | tail -n 1)"
say "results/sim-*.txt; what they say, and how far to believe them: bench/sim/README.md"
