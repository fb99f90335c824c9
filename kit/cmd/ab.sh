# ab: base and series under User Mode Linux with 2 CPUs, at native speed: perf bench sched messaging and pipe, hackbench and cyclictest,
# RUNS= (12) boots a side, in turns. The table goes to results/ab-uml.txt: means, difference with its 95 % confidence interval, and what
# that says. Two cores of one cache: it shows regressions of what runs everywhere, and nothing of contention.
. "$KIT_TOP/kit/source.sh"
. "$KIT_TOP/kit/worktree.sh"
. "$KIT_TOP/kit/kernel.sh"
: "${RUNS:=12}"
[[ $RUNS =~ ^[1-9][0-9]*$ ]] && [ "$RUNS" -ge 3 ] || die "RUNS=$RUNS" "a number, 3 at least"
"$KIT_TOP/kit/kit" deps run test
"$KIT_TOP/kit/kit" tree
step_checkout base
declare -A linux
for k in base series; do
	tree=$KIT_TREE o=$KIT_BUILD/o/ab-um
	[ $k = series ] || tree=$KIT_STEP/linux o=$KIT_STEP/o/ab-um
	mkdir -p "$o"
	config_fragments "$tree" um+ab | grep -vE 'KUNIT|FAILSLAB|FAULT_INJ' >"$o/wanted"
	kmake "$tree" "$o" ARCH=um KCONFIG_ALLCONFIG="$o/wanted" allnoconfig >"$KIT_LOGS/config.log" 2>&1 || die "the UML kernel could not be configured" "read $(rel "$KIT_LOGS/config.log")"
	check_config "$o/wanted" "$o/.config"
	quiet "building the UML kernel, $k" "$KIT_LOGS/ab-build-$k.log" kmake "$tree" "$o" ARCH=um linux || die "the UML kernel does not build, $k" "read $(rel "$KIT_LOGS/ab-build-$k.log")"
	linux[$k]=$o/linux
done
data=$KIT_BUILD/ab.tsv
: >"$data"
for ((i = 1; i <= RUNS; i++)); do
	say "run $i of $RUNS"
	order="base series"
	[ $((i % 2)) -eq 0 ] || order="series base"
	for k in $order; do
		log=$KIT_LOGS/ab-$k.log
		timeout 300 "${linux[$k]}" seccomp=on ncpus=2 mem=1G rootfstype=hostfs root=/dev/root hostfs=/ ro init="$KIT_TOP/kit/guest/ab" con=null con0=fd:0,fd:1 >"$log" 2>&1 </dev/null || :
		[ "$(grep -c '^AB .* [0-9]' "$log")" -eq 5 ] || die "not all of the loads ran, $k" "read $(rel "$log")"
		tr -d '\r' <"$log" | awk -v k=$k -v i="$i" '$1 == "AB" { print k "\t" $2 "\t" $3 }' >>"$data"
	done
done
# Welch's interval, with the t of the smaller side's degrees of freedom
awk -F'\t' -v runs="$RUNS" '
	{ n[$2, $1]++; s[$2, $1] += $3; q[$2, $1] += $3 * $3; if (!($2 in seen)) { seen[$2] = 1; name[++m] = $2 } }
	function mean(w, k) { return s[w, k] / n[w, k] }
	function var(w, k) { return (q[w, k] - s[w, k] * s[w, k] / n[w, k]) / (n[w, k] - 1) }
	END {
		split("12.71 4.30 3.18 2.78 2.57 2.45 2.36 2.31 2.26 2.23 2.20 2.18 2.16 2.14 2.13 2.12 2.11 2.10 2.09 2.09", t, " ")
		df = runs - 1; tt = df > 20 ? 2.09 : t[df]
		printf "%-20s %18s %18s %28s  %s\n", "load", "base, mean (sd)", "series, mean (sd)", "difference, % (95 %)", "verdict"
		for (i = 1; i <= m; i++) {
			w = name[i]; b = mean(w, "base"); a = mean(w, "series"); e = tt * sqrt(var(w, "base") / n[w, "base"] + var(w, "series") / n[w, "series"])
			d = 100 * (a - b) / b; lo = 100 * (a - b - e) / b; hi = 100 * (a - b + e) / b
			verdict = lo > 0 ? "regression" : hi < 0 ? "better" : (hi > 5 ? "cannot tell: could be worse by more than 5 %" : "no regression seen")
			printf "%-20s %10.4g (%.2g) %10.4g (%.2g) %+10.2f [%+.2f, %+.2f]  %s\n", w, b, sqrt(var(w, "base")), a, sqrt(var(w, "series")), d, lo, hi, verdict
		}
	}' "$data" >"$KIT_BUILD/ab.txt"
{
	echo "# make ab RUNS=$RUNS: seconds (cyclictest: us), lower is better; UML, 2 CPUs, $(grep -m 1 'model name' /proc/cpuinfo | sed 's/.*: //')"
	echo "# $(base_name), $(gcc --version | sed -n 1p), $(date +%F), load of the host at the end: $(cut -d' ' -f1-3 /proc/loadavg)"
	cat "$KIT_BUILD/ab.txt"
} | tee "$KIT_TOP/results/ab-uml.txt"
result pass ab "$RUNS runs a side"
