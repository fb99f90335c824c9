# stress: CPU hotplug, cpuset partitions, wakeups, hogs and FIFO tasks all at once in the guest, TIME= (600) seconds of
# it; then the masks are looked at. SCENARIO=, KERNEL=series|base, CONFIG=x86_64+lockdep and the like (kit/configs/).
: "${TIME:=600}"
[[ $TIME =~ ^[1-9][0-9]*$ ]] || die "TIME=$TIME" "a number of seconds"
TIME=$TIME KIT_MORE_TIME=$((TIME * 2)) PARTS="check stress" "$KIT_TOP/kit/kit" selftest
