# idle-balance: who runs the idle load balancing in the guest, and how long an idle CPU waits for it, base against series.
# TIME= (60) seconds a run, SCENARIO=, CONFIG=. The table goes to results/idle-balance.txt. Each CPU's figures: build/guest/.
. "$KIT_TOP/kit/source.sh"
. "$KIT_TOP/kit/kernel.sh"
. "$KIT_TOP/kit/guest.sh"
: "${TIME:=60}"
[[ $TIME =~ ^[1-9][0-9]*$ ]] || die "TIME=$TIME" "a number of seconds"
export TIME KIT_MORE_TIME=$TIME
guest_settings
"$KIT_TOP/kit/kit" deps run
for k in base series; do KERNEL=$k "$KIT_TOP/kit/kit" build; done
rows=()
for KERNEL in base series; do
	name=idle-balance-$KERNEL
	guest_session "$name" "$(kernel_o "$CONFIG" "$KERNEL")" "$SCENARIO" idle-balance
	trace=$KIT_BUILD/guest/$name/out/trace
	# "task-pid [CPU] flags time: pass: ..." and "... serve: (...) cpu=N"; a CPU that brings itself up to date is no service
	rows+=("$(awk -v kernel="$KERNEL" -v cpus="$CPUS" -v perCpu="$KIT_BUILD/guest/$name/cpus.txt" '
		!match($0, /\[[0-9]+\] [^ ]+ +[0-9.]+: /) { next }
		{ n = split(substr($0, RSTART + 1, RLENGTH - 3), f, /[] ]+/); by = f[1] + 0; t = f[n] + 0 }
		/: pass: / { pass[by]++; passes++ }
		match($0, /cpu=[0-9]+/) {
			c = substr($0, RSTART + 4, RLENGTH - 4) + 0
			if (c == by) next
			served[c]++
			if (c in last && t - last[c] > gap[c]) gap[c] = t - last[c]
			last[c] = t
		}
		END {
			min = 1e9
			for (c = 0; c < cpus; c++) {
				if (pass[c] > most) { most = pass[c]; who = c }
				if (pass[c]) runners++
				if (c in served) { n_served++; if (served[c] < min) min = served[c]; if (gap[c] > worst) worst = gap[c] }
				printf "%d passes %d served %d longest-wait-ms %.0f\n", c, pass[c], served[c], gap[c] * 1000 > perCpu
			}
			if (!passes || !n_served) exit 1
			printf "%-7s %7d %8d %6.0f%% (CPU %d) %12d %8d %12.0f\n", kernel, passes, runners, 100 * most / passes, who, n_served, min, worst * 1000
		}' "$trace")") || die "no idle balancing was recorded, $KERNEL" "read $(rel "$trace")"
done
{
	echo "# make idle-balance TIME=$TIME: passes of _nohz_idle_balance(), by whom, and the idle CPUs that were brought up to"
	echo "# date by another one: how many, how often the one least served, and the longest wait between two times."
	echo "# Two hogs, sleepers on all CPUs; $SCENARIO, $CONFIG, emulated: what happens, not how fast"
	echo "# $(base_name), $(gcc --version | sed -n 1p), $(qemu-system-x86_64 --version | sed -n 1p), $(date +%F)"
	printf '%-7s %7s %8s %15s %12s %8s %12s\n' kernel passes "by CPUs" "most by one" "CPUs served" fewest "longest, ms"
	printf '%s\n' "${rows[@]}"
} | tee "$KIT_TOP/results/idle-balance.txt"
