# stress: CPU hotplug, cpuset partitions, wakeups, hogs, FIFO and deadline tasks all at once in the guest, TIME= (600)
# seconds of it; then the masks are looked at. SCENARIO=, KERNEL=series|base, CONFIG=x86_64+lockdep and the like
# (kit/configs/). With +kcsan: the base's data races are added to results/kcsan-base.txt, which must be there for the
# series; one that is not in it is a fault. What was done, and what the log had, goes to results/stress-CONFIG-SCENARIO.txt.
. "$KIT_TOP/kit/source.sh"
. "$KIT_TOP/kit/guest.sh"
guest_settings
: "${TIME:=600}"
[[ $TIME =~ ^[1-9][0-9]*$ ]] || die "TIME=$TIME" "a number of seconds"
export TIME KIT_MORE_TIME=$((TIME * 2))
PARTS="check stress"
known=$KIT_TOP/results/kcsan-base.txt
case +$CONFIG+:$KERNEL in
*+kcsan+*:base) export DATA_RACES=all ;;
*+kcsan+*)
	[ -f "$known" ] || die "no $(rel "$known")" "make stress CONFIG=$CONFIG TIME=$TIME KERNEL=base"
	export DATA_RACES=$known
	;;
esac
rc=0
PARTS="$PARTS" "$KIT_TOP/kit/kit" selftest || rc=$?
if [ "${DATA_RACES:-}" = all ]; then
	races=$(data_races "$KIT_BUILD/guest/$(guest_name selftest)/console.log")
	{
		echo "# make stress CONFIG=$CONFIG KERNEL=base TIME=$TIME: data races that KCSAN finds in the base"
		echo "# $(base_name), $SCENARIO, $(gcc --version | sed -n 1p), $(date +%F)"
		{ printf '%s\n' "$races"; grep -sv '^#' "$known" || :; } | sed '/^$/d' | sort -u
	} >"$known.new"
	mv "$known.new" "$known"
	say "$(wc -l <<<"$races") data races of the base, in all $(grep -vc '^#' "$known"), in $(rel "$known")"
fi
stress_report() {
	local dir bad
	dir=$KIT_BUILD/guest/$(guest_name selftest)
	echo "# make stress CONFIG=$CONFIG SCENARIO=$SCENARIO KERNEL=$KERNEL TIME=$TIME: what was done, and what the guest's log had"
	echo "# $(base_name), $(gcc --version | sed -n 1p), $(qemu-system-x86_64 --version | sed -n 1p), $(date +%F)"
	grep -E '^[0-9]+ |^no |^rto |^dlo |^CPUs are|^# Totals' "$dir/out/stress.log" || :
	bad=$(splats "$dir/console.log")
	echo "faults in the log: ${bad:-none}"
}
[ ! -f "$KIT_BUILD/guest/$(guest_name selftest)/out/stress.log" ] || {
	name=stress-$CONFIG-$SCENARIO
	[ "$KERNEL" = series ] || name+=-$KERNEL
	stress_report >"$KIT_TOP/results/$name.txt"
	say "$(rel "$KIT_TOP/results/$name.txt")"
}
exit $rc
