#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Test the kselftest sched/sbm_test: run it on made-up machines, each with a fault
# or with something special about it, and see that it finds what is wrong, and
# nothing else, and that it leaves the machine as it was.
#
# usage: run.sh [-v] [-o DIR] [-s SOURCE] LINUX [ROW...]
#
#   -v          show what the programs print
#   -o DIR      where to build, and to keep the machines (default: a temporary
#               directory, removed)
#   -s SOURCE   tree with tools/testing/selftests/sched/sbm_test.c (default: the
#               one that this script is in)
#   LINUX       kernel tree, for kselftest.h and cgroup_util.c
#   ROW         only these; "list" prints their names
#
# All rows run at the same time, mostly asleep.  A line is printed for each: "ok
# NAME", or "not ok NAME" with what was wanted and what came.  CC is the compiler
# (default: gcc).  shim.c leads the program to its machine, so the real one is left
# alone and nobody has to be root.  The row "unit" is unit.c, which calls the
# program's functions that read files and pick CPUs.

here=$(cd "$(dirname "$0")" && pwd)
source=$(cd "$here/../../.." && pwd)
out=
verbose=
cc=${CC:-gcc}

usage()
{
	sed -n '/^# usage/,/^#   ROW/s/^# \?//p' "$0"
	exit 2
}

while getopts vo:s: opt; do
	case $opt in
	v) verbose=1 ;;
	o) out=$OPTARG ;;
	s) source=$(cd "$OPTARG" && pwd) || exit 2 ;;
	*) usage ;;
	esac
done
shift $((OPTIND - 1))
[ $# != 0 ] || usage
linux=$(cd "$1" && pwd) || exit 2
shift

# Where a machine has its things.
cpu=sys/devices/system/cpu
node=sys/devices/system/node
cgroup=sys/fs/cgroup
sbm=sys/kernel/debug/sched/sbm

layout=$sbm/layout
no_layout="/$layout is no layout"
no_mask="no /$sbm/nohz_idle: CONFIG_SBM is not set, or debugfs not mounted"

# Name; fault, see shim.c; exit status; results that are not ok; those that are
# skipped, or what is said if the program ends early; what is special.
rows()
{
	row good "" 0 "" ""
	row small "" 0 "" "19" "machine 4"
	row large "" 0 "" "" "machine 64"
	row slow slow 0 "" ""
	row ebusy ebusy 0 "" ""

	# A CPU that is busy, offline or isolated is in the mask, or another is not.
	row busy-stays busy-stays 1 "7 8 16" ""
	row busy-stays-churn busy-stays@churn 1 "16" ""
	row busy-returns busy-returns 1 "8 16" ""
	row busy-lost busy-lost 1 "9 12" ""
	row offline-stays offline-stays 1 "10 17" ""
	row offline-stays-churn offline-stays@churn 1 "17" ""
	row offline-stays-large offline-stays 1 "10 17" "" "machine 64"
	row offline-stays-before offline-stays 1 "6 10 17" "" "unplugged 9"
	row offline-before "" 0 "" "" "unplugged 9"
	row offline-lost offline-lost 1 "12 19" "13 14 15"
	row isolated-stays isolated-stays 1 "13 14 18" ""
	row isolated-stays-churn isolated-stays@churn 1 "18" ""
	row isolated-returns isolated-returns 1 "14" ""
	row isolated-lost isolated-lost 1 "15" ""
	row not-rejoining not-rejoining 1 "15" ""
	row idle-lost idle-lost 1 "5 12 19" ""
	row idle-lost-churn idle-lost@churn 1 "19" ""
	row idle-awake idle-awake 0 "" ""
	row boot-isolated "" 0 "" "" "echo 15 > $cpu/isolated; echo 8-15 > $cpu/nohz_full"
	row boot-isolated-in apart-in 1 "6" "" "echo 15 > $cpu/isolated"

	# The layout.
	row slot-moves slot-moves 1 "11 20" ""
	row slot-moves-churn slot-moves@churn 1 "20" ""
	row cpu-missing "" 1 "1 3 4" "" "sed -i 's/,15//' $layout"
	row cpu-twice "" 1 "1" "" "sed -i 's/14,15/14,15,15/' $layout"
	row cpu-in-two-leaves "" 1 "1 3" "" "sed -i 's/14,15/14,15,0/' $layout"
	row cpu-impossible "" 1 "1" "" "sed -i 's/14,15/14,15,99/' $layout"
	row leaf-of-64 "" 0 "" "" "echo '4 node 0 cpus 16-79' >> $layout; echo 0-80 > $cpu/possible"
	row leaf-of-65 "" 1 "2" "" "echo '4 node 0 cpus 16-80' >> $layout; echo 0-80 > $cpu/possible"
	row leaf-in-reserve "" 0 "" "" "echo '4 node 0 cpus' >> $layout"
	row llc-in-two-leaves "" 1 "3" "" "leaves 0,1 2,3 4-7 8-11 12-15"
	row llcs-in-one-leaf "" 1 "3" "" "leaves 0-7 8-11 12-15"
	row llcs-small "" 0 "" "" "leaves 0-3,8-15 4-7; llc 0-2 {0..2}; for i in 3 {8..15}; do llc \$i \$i; done"
	row llc-on-two-nodes "" 0 "" "" "leaves 0-1 4-7 8-11 12-15 2-3; two_nodes 0-1,4-15 2-3"
	row llc-unknown "" 0 "" "3" "rm -r $cpu/cpu*/cache; leaves 0-15"
	row siblings-apart "" 1 "4" "" "sed -i 's/4,5,6,7/4,6,5,7/' $layout"
	row siblings-in-two-leaves "" 1 "4" "3" "rm -r $cpu/cpu*/cache; leaves 0-4 5-15"
	row siblings-unknown "" 0 "" "4" "rm -r $cpu/cpu*/topology"
	row sched-sbm "" 0 "" "3 4" "leaves 0,2 1,3 4-7 8-11 12-15; echo quiet sched_sbm=2 > proc/cmdline"
	row maxcpus "" 0 "" "3 4" "leaves 0-7 8-11 12-15; echo quiet maxcpus=8 > proc/cmdline"

	# Text that is none.
	row text-garbage "" 1 "" "$no_layout" "echo hello > $layout"
	row text-empty "" 1 "" "$no_layout" ": > $layout"
	row text-order "" 1 "" "$no_layout" "sed -i 2d $layout"
	row text-comma "" 1 "" "$no_layout" "sed -i 's/,3/,,3/' $layout"
	row text-trailing "" 1 "" "$no_layout" "sed -i 's/,3/,3,/' $layout"
	row text-negative "" 1 "" "$no_layout" "sed -i 's/,3/,-3/' $layout"
	row text-range "" 1 "" "$no_layout" "sed -i 's/,3/,3-1/' $layout"
	row text-huge "" 1 "" "$no_layout" "sed -i 's/,3/,99999999999999999999/' $layout"
	row text-mask as-is 1 "" "/$sbm/nohz_idle is no list of CPUs" "echo 0-x > $sbm/nohz_idle"

	# What the machine lacks.
	row no-layout "" 1 "" "/$layout: No such file or directory (2)" "rm $layout"
	row no-mask "" 4 "" "$no_mask" "rm $sbm/nohz_idle"
	row no-nohz nohz-off 0 "" "5 7 8 9 10 12 13 14 15 19"
	row no-offline no-offline 0 "" "10 11 12 17"
	row no-fair "" 0 "" "7 8 9 16" "echo enabled > sys/kernel/sched_ext/state"
	row no-cgroup "" 0 "" "13 14 15 18" ": > proc/self/mounts"
	row no-cpuset "" 0 "" "13 14 15 18" "echo cpu > $cgroup/cgroup.controllers"
	row no-partitions no-partitions 0 "" "13 14 15 18"
	row no-isolation invalid 0 "" "13 14 15 18"
	row no-second-cpu "" 0 "" "5 7 8 9 10 11 12 13 14 15 16 17 18 19" "echo 1-15 > $cpu/isolated"

	# It puts back what it has changed, and no more.
	row cpuset-enabled "" 0 "" "" "echo cpuset cpu > $cgroup/cgroup.subtree_control"
	row die-busy die-busy 1 "" "interrupted"
	row die-offline die-offline 1 "" "interrupted"
	row die-isolated die-isolated 1 "" "interrupted"
	row die-churn die-churn 1 "" "interrupted"
	row timeout-churn timeout-churn 1 "" "timed out"
}

# In the directory of a machine: N CPUs, an LLC for 4 of them, 2 to a core.
machine()
{
	local i leaves=

	rm -rf proc sys
	eval "mkdir -p proc/self $cgroup $sbm sys/kernel/sched_ext $node/node{0,1} \
	      $cpu/cpu{0..$(($1 - 1))}/{cache/index3,topology}"
	for ((i = 0; i < $1; i++)); do
		[ $i = 0 ] || echo 1 > $cpu/cpu$i/online
		echo $((i & ~1)),$((i | 1)) > $cpu/cpu$i/topology/thread_siblings_list
		echo $((i & ~3))-$((i | 3)) > $cpu/cpu$i/cache/index3/shared_cpu_list
		[ $((i & 3)) != 0 ] || leaves+=" $i,$((i + 1)),$((i + 2)),$((i + 3))"
	done
	# shellcheck disable=SC2086
	leaves $leaves
	sed 's/ 0,1,2,3/ 0,2,1,3/' $layout > $layout.moved
	: > $sbm/nohz_idle
	echo "0-$(($1 - 1))" | tee $cpu/possible > $node/node0/cpulist
	echo 0 > $node/online
	echo > $cpu/isolated
	echo "(null)" > $cpu/nohz_full
	echo "root=/dev/root quiet" > proc/cmdline
	echo disabled > sys/kernel/sched_ext/state
	echo "cgroup2 /sys/fs/cgroup cgroup2 rw 0 0" > proc/self/mounts
	echo cpuset cpu > $cgroup/cgroup.controllers
	echo cpu > $cgroup/cgroup.subtree_control
}

# What can be special about it: the CPUs of leaf 0, 1, ...
leaves()
{
	local leaf=0 cpus

	for cpus; do
		echo "$leaf node 0 cpus $cpus"
		leaf=$((leaf + 1))
	done > $layout
}

# An LLC has the list of CPUs that is $1; the others are these CPUs.
llc()
{
	local list=$1 i

	shift
	for i; do
		echo "$list" > "$cpu/cpu$i/cache/index3/shared_cpu_list"
	done
}

two_nodes()
{
	echo 0-1 > $node/online
	echo "$1" > $node/node0/cpulist
	echo "$2" > $node/node1/cpulist
}

# An offline CPU is no sibling of others.
unplugged()
{
	echo 0 > "$cpu/cpu$1/online"
	echo $(($1 ^ 1)) > "$cpu/cpu$(($1 ^ 1))/topology/thread_siblings_list"
}

# The tasks that are on the machine of this directory.
tasks()
{
	grep -lszFx "MACHINE=$PWD" /proc/[0-9]*/environ | tr -dc '0-9\n'
}

# What the program has to put back.
state()
{
	grep -lx 0 $cpu/cpu*/online | sed "s,^$cpu/\(.*\)/online,\1 offline,"
	ls -d $cgroup/*/ 2> /dev/null
	grep -qxE 'cpu|-cpuset' $cgroup/cgroup.subtree_control || cat $cgroup/cgroup.subtree_control
	tasks | sed 's/^/task /'
}

# What came, in one line; the exit status was $1.
outcome()
{
	awk -v status="$1" '
		/^(not )?ok / { results++ }
		/^not ok / { bad = bad " " $3 }
		/^ok [0-9]+ # SKIP/ { skipped = skipped " " $2 }
		!early && sub(/^(Bail out!|1\.\.0 # SKIP) /, "") { early = $0 }
		END {
			printf "exit %d, not ok:%s, ", status, bad ? bad : " none"
			if (early)
				printf "ended: %s", early
			else
				printf "skipped:%s", skipped ? skipped : " none"
			if (!early && results != 20)
				printf ", %d results", results
		}' log
	state > after
	diff before after | grep '^[<>]' | paste -sd, | sed '/./s/^/, not as before: /'
	# They would go on for ever.
	tasks | xargs -r kill -KILL
}

names=$(row() { echo "$1"; }; rows; echo unit)
if [ "$1" = list ]; then
	echo "$names"
	exit
fi
for name; do
	grep -qx -- "$name" <<< "$names" || { echo "run.sh: no row $name" >&2; exit 2; }
done
wanted=" $* "

if [ -z "$out" ]; then
	out=$(mktemp -d) || exit 2
	temporary=$out
fi
mkdir -p "$out" || exit 2
out=$(cd "$out" && pwd)

# The programs put their machines back, and then the directory can go.
finish()
{
	local running

	trap '' HUP INT TERM
	running=$(jobs -rp)
	# shellcheck disable=SC2086
	[ -z "$running" ] || kill $running
	wait
	[ -z "$temporary" ] || rm -rf "$temporary"
}
trap finish EXIT
trap 'exit 130' HUP INT TERM

# The program $1 by the compiler, with these flags and files.
build()
{
	local program=$1 selftests=$linux/tools/testing/selftests

	shift
	"$cc" -g -Wall -Wextra -Werror -D_GNU_SOURCE= -U_FORTIFY_SOURCE -I"$selftests" \
		-I"$selftests/cgroup/lib/include" -I"$source/tools/testing/selftests/sched" \
		"$@" "$selftests/cgroup/lib/cgroup_util.c" -o "$out/$program"
}

unit()
{
	build unit -O1 -fsanitize=address,undefined -fno-sanitize-recover=all \
		-Wl,--wrap=access,--wrap=fopen "$here/unit.c" && "$out/unit"
}

declare -A pids wants

is_wanted()
{
	[ "$wanted" = "  " ] || [ "${wanted#* "$1" }" != "$wanted" ]
}

# Make the machine of a row, and start the program there.
row()
{
	local name=$1 end="skipped: ${5:-none}"

	is_wanted "$name" || return 0
	[[ $5 != *[a-z]* ]] || end="ended: $5"
	wants[$name]="exit $3, not ok: ${4:-none}, $end"

	rm -rf "${out:?}/$name"
	mkdir "$out/$name"
	if ! (cd "$out/$name" && machine 16 && eval "$6" && state > before); then
		echo "run.sh: no machine for $name" >&2
		exit 2
	fi
	MACHINE=$out/$name FAULT=$2 timeout --foreground -k 5 110 "$out/sbm_test" \
		> "$out/$name/log" 2>&1 < /dev/null &
	pids[$name]=$!
}

passed=0
failed=0

# The verdict on the row $1, which has ended with exit status $2.
judge()
{
	local log=$out/$1/log got

	if [ "$1" = unit ]; then
		log=$out/unit.log
		got="exit $2"
	else
		got=$(cd "$out/$1" && outcome "$2")
	fi
	if [ "$got" = "${wants[$1]}" ]; then
		echo "ok $1"
		passed=$((passed + 1))
	else
		echo "not ok $1: wanted ${wants[$1]}, got $got"
		failed=$((failed + 1))
	fi
	if [ "$got" != "${wants[$1]}" ] || [ -n "$verbose" ]; then
		sed 's/^/# /' "$log"
	fi
}

if is_wanted unit; then
	unit > "$out/unit.log" 2>&1 < /dev/null &
	pids[unit]=$!
	wants[unit]="exit 0"
fi
if [ "$wanted" != " unit " ]; then
	wraps=access,fopen,geteuid,mkdir,open,rmdir,sched_getaffinity,sched_setaffinity,usleep,write
	build sbm_test -O2 -Wl,--wrap="${wraps//,/,--wrap=}" "$here/shim.c" \
		"$source/tools/testing/selftests/sched/sbm_test.c" || exit 2
fi
rows

said=$SECONDS
while [ ${#pids[@]} != 0 ]; do
	for name in "${!pids[@]}"; do
		kill -0 "${pids[$name]}" 2> /dev/null && continue
		wait "${pids[$name]}"
		judge "$name" $?
		unset "pids[$name]"
	done
	if [ $((SECONDS - said)) -ge 30 ] && [ ${#pids[@]} != 0 ]; then
		said=$SECONDS
		echo "# ${#pids[@]} rows to go, $SECONDS s so far"
	fi
	sleep 0.2
done
echo "# $passed passed, $failed failed, $SECONDS s"
[ "$failed" = 0 ] && [ "$passed" != 0 ]
