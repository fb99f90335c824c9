# perf-sched: base and series side by side, the same load, RUNS= (5) runs each, interleaved. Shows the median
# of each figure, its spread (lowest to highest) and the difference. SCENARIO=, CONFIG=, SCALE=.
# The table goes to results/perf-sched.txt. Without KVM the times are those of an emulator: they show what happens, not how fast.
. "$KIT_TOP/kit/source.sh"
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
{
	echo "# make perf-sched RUNS=$RUNS: median (lowest..highest); $SCENARIO, $CONFIG, $([ -w /dev/kvm ] && [ -z "${KIT_NO_KVM:-}" ] && echo KVM || echo "emulated: no evidence on time")"
	echo "# $(base_name), $(gcc --version | sed -n 1p), $(qemu-system-x86_64 --version | sed -n 1p), $(date +%F)"
	cat "$top/compare.txt"
} >"$KIT_TOP/results/perf-sched.txt"
say "results/perf-sched.txt; each run's reports are in $(rel "$top")/"
