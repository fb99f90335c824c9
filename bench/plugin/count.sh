#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Count what chosen kernel functions do in an x86-64 guest under QEMU's TCG
#
#	count.sh arg -s SYMBOLS -f LIST -o DIR		print QEMU's -plugin argument
#	count.sh table -s SYMBOLS -f LIST -o DIR [-l N]	a guest's counts, after it ran
#	count.sh run -s SYMBOLS -f LIST -o DIR [-l N] -- QEMU ARGUMENT...
#	count.sh compare BASE.tsv SERIES.tsv
#	count.sh build FILE.so				the plugin alone
#
#	-s  a vmlinux, a System.map, or what nm -n -S prints
#	-f  the functions, classes of calls and marks; nohz.list says the form
#	-o  for the plan, the raw counts (counts.N), the tables (table.txt, counts.tsv)
#	-l  vCPUs per LLC, consecutive ones [4]
#	-w  which window, for table [the last]
#	-n  rows of the tables by line and by address [30]
#
# The guest: booted with nokaslr, without KVM. Counting goes on where the guest
# runs the start symbol and off at the stop symbol: with those of nohz.list
#	cat /proc/execdomains; WORKLOAD; cat /proc/consoles
# With the kit's guest, which splits $QEMU into words (no blanks in DIR then):
#	KIT_NO_KVM=1 QEMU="qemu-system-x86_64 -plugin $(count.sh arg ...)" kit/kit boot
#
# Units: events, and events per call. Environment: CC [gcc].
# Exit status 2 for wrong usage, 1 if a needed symbol, file or tool is missing.
#
# Weak points: counts are not time, and TCG has no caches: nothing here says how
# often two CPUs met on a line, only that both touch it. Calls per second and the
# mix of paths come from an emulated guest: compare per call and per class. What
# QEMU 7.2 reports wrongly, and what is done about it, is told in count.c.
set -eu

here=$(cd "$(dirname "$0")" && pwd)

usage()
{
	sed -n '5,9s/^#\t/usage: /p' "$0" >&2
	exit 2
}

build()
{
	"${CC:-gcc}" -O2 -Wall -Wextra -Wno-unused-parameter -fPIC -fvisibility=hidden \
		-shared -o "$1" "$here/count.c" -lpthread
}

[ $# -gt 0 ] || usage
command=$1
shift
case $command in
build)
	[ $# -eq 1 ] || usage
	build "$1"
	exit ;;
compare)
	[ $# -eq 2 ] || usage
	exec python3 "$here/count.py" compare "$1" "$2" ;;
arg | table | run) ;;
*)	usage ;;
esac

symbols='' list='' out='' llc=4 window=0 rows=30
while getopts s:f:o:l:w:n: option; do
	case $option in
	s) symbols=$OPTARG ;;
	f) list=$OPTARG ;;
	o) out=$OPTARG ;;
	l) llc=$OPTARG ;;
	w) window=$OPTARG ;;
	n) rows=$OPTARG ;;
	*) usage ;;
	esac
done
shift $((OPTIND - 1))
if [ -z "$symbols" ] || [ -z "$list" ] || [ -z "$out" ]; then usage; fi

if [ "$command" != table ]; then
	mkdir -p "$out"
	out=$(cd "$out" && pwd)
	rm -f "$out"/counts.*
	build "$out/count.so"
	python3 "$here/count.py" plan "$symbols" "$list" >"$out/plan"
	plugin=$out/count.so,plan=$out/plan,out=$out/counts
fi
case $command in
arg)
	echo "$plugin" ;;
run)
	[ $# -gt 0 ] || usage
	qemu=$1
	shift
	"$qemu" -plugin "$plugin" "$@" ;;
esac
if [ "$command" != arg ]; then
	python3 "$here/count.py" table "$symbols" "$list" "$out" "$llc" "$window" "$rows" >"$out/table.txt"
	cat "$out/table.txt"
fi
