# kit/perf-sched.sh - perf sched's reports, whole in files and shortened for people. Sourced by run and perf-sched.

# perf_sched_reports PERF.DATA DIR
perf_sched_reports() {
	perf sched latency -i "$1" --sort max >"$2/latency.txt" 2>"$2/perf.log" &&
		perf sched timehist -i "$1" --summary >"$2/timehist.txt" 2>>"$2/perf.log" &&
		grep -q '^  TOTAL:' "$2/latency.txt" && grep -q 'Runtime summary' "$2/timehist.txt"
}

# perf_sched_show DIR
perf_sched_show() {
	printf '\nperf sched latency, the tasks that waited longest (all: %s/latency.txt)\n' "$(rel "$1")"
	grep -E '^ *Task  |[0-9] ms \|' "$1/latency.txt" | sed -n 1,9p | cut -c1-100
	grep -E '^ *TOTAL:' "$1/latency.txt"
	printf '\nperf sched timehist --summary, the tasks that ran most (all: %s/timehist.txt)\n' "$(rel "$1")"
	sed -n '/Runtime summary/,/^ *--/p' "$1/timehist.txt" | tail -n +2 | cut -c1-100
	sed -n '/Runtime summary/,/Idle stats/p' "$1/timehist.txt" |
		perl -ne 'push @l, [$_, $1] if /\]\s+-?\d+\s+\d+\s+([\d.]+)\s/; END { print map { substr($_->[0], 0, 100) =~ s/\n?$/\n/r } (sort { $b->[1] <=> $a->[1] } @l)[0 .. (@l < 8 ? $#l : 7)] }'
	grep -E 'Total (number|run time|scheduling)' "$1/timehist.txt"
	echo
}
