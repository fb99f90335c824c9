#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# All measurements of psi's task-count walk, to text files
#
#	run.sh RESULTS_DIR
#
# Always: the user-space program with gcc and clang, each with plain bodies
# (psi-user-CC.txt) and with bodies that all save the same registers
# (psi-user-CC-framed.txt). Besides, by environment:
#
#	KDIR=tree UML=dir	the module in UML (psi-uml.txt); dir is its O=
#	BASE=tree SERIES=tree	text sizes (psi-size.txt); SETUPS= which ones
#
# Also: WORK= where to build [a temporary directory], COMPILERS= [gcc
# clang-19], CPU= [the last one], TRIALS= [51], CALLS= [2000000], SEED= [1].
#
# Exit status 1 if something did not run; a target that is missed is printed,
# and is no error. Run it on a quiet machine: the load is in every header.
set -eu

if [ $# -ne 1 ]; then
	echo "usage: run.sh RESULTS_DIR" >&2
	exit 2
fi

here=$(cd "$(dirname "$0")" && pwd)
. "$here/../header.sh"
mkdir -p "$1"
results=$(cd "$1" && pwd)
if [ -n "${WORK:-}" ]; then
	mkdir -p "$WORK"
	work=$(cd "$WORK" && pwd)
else
	work=$(mktemp -d)
	trap 'rm -rf "$work"' EXIT
fi

cpu=${CPU:-$(($(nproc --all) - 1))}
trials=${TRIALS:-51}
calls=${CALLS:-2000000}
seed=${SEED:-1}
start=$(date +%s)

step()
{
	printf '[%4d s] %s\n' $(($(date +%s) - start)) "$*"
}

# What is in the streams, so that a reader need not open them
contents()
{
	for stream in "$here"/streams/*.stream; do
		printf '# %-16s' "$(basename "$stream" .stream)"
		grep -v '^#' "$stream" | tr -d '\n \t' | fold -w 3 | cut -c 1-2 |
		sort | uniq -c | sort -rn | awk '{ n += $1; c[NR] = $1; k[NR] = $2 }
			END {
				printf "%6d calls:", n
				for (i = 1; i <= NR && i <= 7; i++)
					printf " %s/%s %.0f%%", substr(k[i], 1, 1),
						substr(k[i], 2, 1), 100 * c[i] / n
				print ""
			}'
	done
}

for cc in ${COMPILERS:-gcc clang-19}; do
	for body in plain framed; do
		name=$cc
		extra=
		if [ $body = framed ]; then
			name=$cc-framed
			extra=-DPSI_FRAMED
		fi
		step "user space, $name"
		mkdir -p "$work/$name"
		make -s -B -C "$here" CC="$cc" OUT="$work/$name" EXTRA="$extra" all
		"$work/$name/psi_bench" --check >"$work/$name/check" ||
			{ cat "$work/$name/check" >&2; exit 1; }
		"$work/$name/psi_bench" --cpu="$cpu" --trials="$trials" \
			--calls="$calls" --seed="$seed" \
			"$here"/streams/*.stream >"$work/$name/rows"
		{
			header "psi task-count walk in user space, $body bodies"
			echo "# self-check: $(tail -n 1 "$work/$name/check")"
			contents
			awk -f "$here/table.awk" "$here/published.txt" \
				"$work/$name/rows"
			echo
			sed 's/^psi_bench: row/row/;/^psi_bench/d' \
				"$work/$name/rows"
		} >"$results/psi-user-$name.txt"
		sed '/^row /d' "$results/psi-user-$name.txt"
	done
done

if [ -n "${UML:-}" ] && [ -n "${KDIR:-}" ]; then
	step "module in UML"
	"$here/module/run-uml.sh" "$KDIR" "$UML" "$work/uml" \
		"calls=$calls,trials=$trials,seed=$seed" >"$work/uml.rows"
	{
		header "psi task-count walk, module in UML"
		contents
		awk -f "$here/table.awk" "$here/published.txt" "$work/uml.rows"
		echo
		sed 's/^psi_bench: row/row/;/^psi_bench/d' "$work/uml.rows"
	} >"$results/psi-uml.txt"
	sed '/^row /d' "$results/psi-uml.txt"
else
	step "module in UML: skipped, KDIR= and UML= are not set"
fi

if [ -n "${BASE:-}" ] && [ -n "${SERIES:-}" ]; then
	step "text size"
	{
		header "text size of psi_group_change(), bytes"
		# A missed target is a result; one without a table is an error
		"$here/size.sh" "$BASE" "$SERIES" "$work/size" ${SETUPS:-} || true
	} >"$results/psi-size.txt"
	cat "$results/psi-size.txt"
	grep -q ' text: ' "$results/psi-size.txt"
else
	step "text size: skipped, BASE= and SERIES= are not set"
fi

step "targets"
grep -H -E '^(ok|MISSED|info)  ' "$results"/psi-*.txt | sed "s|^$results/||"
