# perf-sched: base and series side by side, the same load, RUNS= (5) runs each, interleaved. Shows the median
# of each figure, its spread (lowest to highest) and the difference. SCENARIO=, CONFIG=, SCALE=.
# Without KVM the times are those of an emulator: they show what happens, not how fast.
. "$KIT_TOP/kit/kernel.sh"
. "$KIT_TOP/kit/guest.sh"
. "$KIT_TOP/kit/perf-sched.sh"
: "${RUNS:=5}"
guest_settings
[[ $RUNS =~ ^[1-9][0-9]*$ ]] || die "RUNS=$RUNS" "a number of runs"
"$KIT_TOP/kit/kit" deps run
for k in base series; do KERNEL=$k "$KIT_TOP/kit/kit" build; done
top=$KIT_BUILD/guest/perf-sched
rm -rf "$top"
for run in $(seq "$RUNS"); do
	for KERNEL in base series; do
		say "run $run of $RUNS, $KERNEL"
		guest_session "perf-sched/$KERNEL-$run" "$(kernel_o "$CONFIG" "$KERNEL")" "$SCENARIO" perf-sched
		dir=$top/$KERNEL-$run
		perf_sched_reports "$dir/out/perf.data" "$dir" || die "perf sched could not read run $run of the $KERNEL kernel" "read $(rel "$dir")/perf.log"
		rm -f "$dir/out/perf.data"
	done
done
python3 "$KIT_TOP/kit/perf-sched-compare.py" "$top" "$RUNS" | tee "$top/compare.txt"
say "each run's reports are in $(rel "$top")/"
