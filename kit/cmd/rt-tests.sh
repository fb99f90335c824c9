# rt-tests: rt-migrate-test, pi_stress, cyclictest and cyclicdeadline in the guest, base and series, and the series' kselftest of
# overload with its storm of FIFO tasks, on both. SCENARIO=, CONFIG=x86_64 (x86_64+rt: PREEMPT_RT), SCALE= how long.
# The table goes to results/rt-tests-CONFIG.txt. Latencies are those of an emulator.
. "$KIT_TOP/kit/source.sh"
. "$KIT_TOP/kit/kernel.sh"
. "$KIT_TOP/kit/guest.sh"
guest_settings
export KIT_MORE_TIME=$((${SCALE:-1} * 600))
rc=0
for KERNEL in series base; do
	STORM=$KIT_BUILD/kselftest/series/sched/rt_overload_test PARTS="check rt-tests" "$KIT_TOP/kit/kit" selftest || rc=1
	mkdir -p "$KIT_BUILD/rt-tests"
	cp "$KIT_BUILD/guest/$(guest_name selftest)/out/rt-tests.log" "$KIT_BUILD/rt-tests/$CONFIG-$KERNEL.log"
done
out=$KIT_TOP/results/rt-tests-$CONFIG.txt
{
	echo "# make rt-tests CONFIG=$CONFIG: base against series; $SCENARIO, emulated: what happens, not how fast"
	echo "# $(base_name), $(gcc --version | sed -n 1p), $(qemu-system-x86_64 --version | sed -n 1p), $(date +%F)"
	for k in base series; do sed "s/^/$k	/" "$KIT_BUILD/rt-tests/$CONFIG-$k.log"; done | sort -s -k2,2 | sed 's/\t/ /' |
		awk '{ k = $1; w = $2; sub(/^[^ ]+ [^ ]+ /, ""); printf "%-16s %-7s %s\n", w, k, $0 }'
} | tee "$out"
exit $rc
