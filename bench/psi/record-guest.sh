#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Record the (clear, set) arguments of psi_group_change() while a workload
# runs, on the machine this runs on: a guest with the base kernel, as root.
#
#	record-guest.sh OUTDIR [CALLS]
#
# What: a kprobe event on psi_group_change() with its group and two masks
# (x86-64: %rdi, %edx, %ecx; arm64: x0, w2, w3). A workload runs with the
# event on; then the buffer of each CPU is read by itself, in its order: the
# branch predictor that the walk meets is the CPU's own. The CPU with most
# calls is kept, and if it has fewer than CALLS [12000], the next one follows.
#
# As the kernel does before the walk, TSK_ONCPU (bit 4) is taken off both
# masks; a call whose masks are then empty stays in as "00". Groups are
# numbered 0 to f in the order they come, modulo 16.
#
# Wants: kprobe events (CONFIG_KPROBE_EVENTS), psi on, cgroup2, and perf.
# io-wait reads $IODEV [/dev/vda] with O_DIRECT: give it a slow disk.
#
# Weak points: the probe slows the scheduler and so shifts what sleeps when,
# though not which masks come; the shell and the tracer are in the record as
# well; emulation is slower than a machine, so that less happens between two
# timer ticks.
set -u

out=${1:?usage: record-guest.sh OUTDIR [CALLS]}
calls=${2:-12000}
iodev=${IODEV:-/dev/vda}
self=$(cd "$(dirname "$0")" && pwd)
tracefs=/sys/kernel/tracing
cgroups=/sys/fs/cgroup
bad=0

die()
{
	echo "record: $*" >&2
	exit 1
}

mounted()
{
	mountpoint -q "$2" || mount -t "$1" none "$2" || die "no $1"
}

case $(uname -m) in
x86_64)		fetch='group=%di:x64 clear=%dx:x32 set=%cx:x32' ;;
aarch64)	fetch='group=%x0:x64 clear=%x2:x32 set=%x3:x32' ;;
*)		die "do not know where $(uname -m) passes arguments" ;;
esac

mkdir -p "$out" || exit 1
mounted tracefs $tracefs
mounted cgroup2 $cgroups
[ -r /proc/pressure/cpu ] || die "psi is off: boot with psi=1"
echo +memory >$cgroups/cgroup.subtree_control || die "no memory controller"

echo 0 >$tracefs/tracing_on
echo 0 >$tracefs/events/enable
echo >$tracefs/kprobe_events
echo "p:psiwalk psi_group_change $fetch" >$tracefs/kprobe_events ||
	die "no probe: is the function there, and in one piece?"
grep -q 'psi_group_change\.' /proc/kallsyms &&
	die "the compiler split psi_group_change(): calls would be missed"
echo 16384 >$tracefs/buffer_size_kb
echo 1 >$tracefs/events/kprobes/psiwalk/enable

# Run a command with its processes in a cgroup
within()
{
	local group=$1

	shift
	mkdir -p "$cgroups/$group"
	( echo $BASHPID >"$cgroups/$group/cgroup.procs" && exec "$@" )
}

sleepers()
{
	local i

	for i in 1 2 3 4 5 6; do
		( n=0; while [ $n -lt 150 ]; do
			read -r -t 0.00$i <>"$fifo"
			n=$((n + 1))
		done ) &
	done
	perf bench sched messaging -g 1 -l 60 >/dev/null
	wait
}

pipes()
{
	perf bench sched pipe -l 4000 >/dev/null
}

io_wait()
{
	local i

	for i in 1 2 3; do
		dd if=$iodev of=/dev/null iflag=direct bs=4k count=1500 \
			skip=$((i * 2000)) 2>/dev/null &
	done
	wait
}

# Over memory.high: reclaim of clean file pages, and being held back
mem_stall()
{
	local i

	mkdir -p $cgroups/stall
	echo 12M >$cgroups/stall/memory.high
	for i in 1 2 3; do
		within stall timeout 20 dd if=$iodev of=/dev/null bs=256k \
			count=400 skip=$((i * 1000)) 2>/dev/null &
	done
	within stall timeout 10 perl -e \
		'$_ = "x" x (1 << 20); for $i (1 .. 14) { push @a, $_ . $i; }' &
	wait
}

depth4()
{
	within a/b/c/d perf bench sched messaging -g 1 -l 20 >/dev/null &
	within a/b/e/f perf bench sched pipe -l 800 >/dev/null &
	wait
}

# record NAME WORDS FUNCTION
record()
{
	local name=$1 words=$2 cpu most sorted

	echo 0 >$tracefs/tracing_on
	echo >$tracefs/trace
	echo 1 >$tracefs/tracing_on
	"$3"
	echo 0 >$tracefs/tracing_on

	rm -f "$out"/raw.*
	for cpu in $tracefs/per_cpu/cpu*; do
		grep 'psiwalk:' "$cpu/trace" >"$out/raw.${cpu##*/cpu}"
	done
	sorted=$(wc -l "$out"/raw.* | grep -v total | sort -rn |
		 awk '{ print $2 }')
	{
		echo "# psi_group_change() masks, one CPU after the other: $name"
		echo "# workload: $words"
		echo "# kernel: $(uname -r) $(uname -m), $(nproc) CPUs," \
			"recorded $(date +%F) by record-guest.sh"
		echo "# format: three hexadecimal digits a call: clear, set" \
			"(TSK_ONCPU taken off), group"
		cat $sorted | awk -v max="$calls" -f "$self/stream.awk"
	} >"$out/$name.stream"
	rm -f "$out"/raw.*

	most=$(grep -v '^#' "$out/$name.stream" | tr -d '\n' | wc -c)
	echo "record: $name: $((most / 3)) calls"
	[ $((most / 3)) -ge 1000 ] || { echo "record: $name: too few"; bad=1; }
}

# Nobody writes to it: reading with a time-out is a sleep without a fork
fifo=$(mktemp -u)
mkfifo "$fifo" || die "no fifo"

record sleep-wake "perf bench sched messaging -g 1, six shells that sleep 1 to 6 ms" sleepers
record pipe "perf bench sched pipe" pipes
record io-wait "three dd with O_DIRECT on a disk of 1 ms latency" io_wait
record mem-stall "three readers and an allocator in a cgroup above memory.high" mem_stall
record cgroup-depth-4 "messaging and pipe in two cgroups, four deep, that share two" depth4

echo 0 >$tracefs/events/kprobes/psiwalk/enable
echo >$tracefs/kprobe_events
rm -f "$fifo"
exit $bad
