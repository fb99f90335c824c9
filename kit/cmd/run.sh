# run: from nothing to a booted and tested kernel: packages, base, git am, build, boot with 16 CPUs in
# 4 LLCs, the series' kselftests, and perf sched over a short mixed load. Goes on after a failed check,
# stops where nothing further could work.
. "$KIT_TOP/kit/guest.sh"
. "$KIT_TOP/kit/perf-sched.sh"
guest_settings
step packages deps run
step tree tree
step build build
# It need not look again whether there is something to build.
export KIT_BUILT=1
PARTS="check kselftest perf-sched" step guest selftest || status=$?
show=$KIT_BUILD/guest/$(guest_name selftest)
data=$show/out/perf.data
if [ -s "$data" ]; then
	perf_sched_reports "$data" "$show" || { result fail perf-sched report "read $(rel "$show")/perf.log"; exit 1; }
	perf_sched_show "$show"
fi
exit "${status:-0}"
