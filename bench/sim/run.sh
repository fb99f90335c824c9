#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Build and check the simulator, and make all tables.
#
# usage: run.sh RESULTS_DIR
#
# Writes RESULTS_DIR/sim-*.txt.  A table begins with its command and the date.
# Takes two minutes and the build.  CC is the compiler (default: gcc), ROOT the
# tree with lib/sbm.c and kit/ (default: the one that this is in), BUILD the folder
# to build in (default: build).
#
# Exit status 2: bad usage or it does not build; 1: the self-check has failed, and
# no table is made, or an experiment has not come to its end.

if [ $# != 1 ]; then
	sed -n '/^# usage/,/^# no table/s/^# \?//p' "$0"
	exit 2
fi
mkdir -p "$1" || exit 2
results=$(cd "$1" && pwd)
cd "$(dirname "$0")" || exit 2

cc=${CC:-gcc}
root=${ROOT:-../..}
build=${BUILD:-build}
status=0

make -s CC="$cc" ROOT="$root" BUILD="$build" || exit 2

head()
{
	echo "# $*"
	echo "# $(date -I), $("$cc" --version | sed -n 1p)"
}

check()
{
	head "make check"
	nice -n 19 make -s CC="$cc" ROOT="$root" BUILD="$build" check
}

if ! check > "$results/sim-check.txt" 2>&1; then
	cat "$results/sim-check.txt"
	exit 1
fi

# table NAME MACHINE EXPERIMENT...: results/sim-NAME.txt, or more of it
table()
{
	local out=$results/sim-$1.txt
	local machine=$2 experiment

	shift 2
	for experiment; do
		[ ! -s "$out" ] || echo >> "$out"
		head "./sim -m machines/$machine.machine $experiment" >> "$out"
		if ! nice -n 19 timeout 120 "$build/$cc/sim" \
		     -m "machines/$machine.machine" "$experiment" >> "$out"; then
			echo "$experiment on $machine: failed"
			status=1
		fi
	done
}

for name in published sensitivity scale llcs split readers ticks flags walk summary \
	    cpupri; do
	: > "$results/sim-$name.txt"
done

table published zen3 published two-cores
table sensitivity zen3 sensitivity
for machine in zen3 xeon power; do
	table scale $machine scale
	table llcs $machine llcs
	table walk $machine walk
done
table split xeon split
table split zen3 split
table readers zen3 readers
table readers xeon readers
table ticks zen3 ticks
table flags zen3 flags
table summary zen3 summary
table cpupri zen3 cpupri
table cpupri xeon cpupri

exit $status
