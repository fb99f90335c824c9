#!/bin/sh
# The gain of the series' form against the old loop, in percent, in several runs of run.sh side by side: how far a figure
# moves from run to run.  A column for each folder, in the order given; rows as run.sh's targets name them.
#
#    ./runs.sh RESULTS_DIR...
#
# Prints to stdout.  Exits with 1 if a folder has no results of run.sh.
set -eu
[ $# -gt 0 ] || { echo "usage: runs.sh RESULTS_DIR..." >&2; exit 1; }
for d; do
	[ -f "$d/psi-user-gcc.txt" ] || { echo "runs.sh: no results of run.sh in $d" >&2; exit 1; }
done

echo "# bench/psi/runs.sh: change against the old loop in percent (fixed: net of empty), one column for each run"
for f in user-gcc user-gcc-framed user-clang-19 user-clang-19-framed uml; do
	echo
	echo "$f"
	for d; do
		grep -E '^(ok|MISSED) +(fixed|stream)' "$d/psi-$f.txt" || :
	done | awk '
		{
			row = $2 " " $3; sub(/:/, "", row)
			for (i = 4; i < NF && $(i + 1) != "%"; i++)
				;
			if (!(row in cells))
				order[++n] = row
			cells[row] = cells[row] sprintf("%8s", $i)
		}
		END { for (i = 1; i <= n; i++) printf "%-32s%s\n", order[i], cells[order[i]] }'
done
