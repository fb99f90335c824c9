#!/bin/bash
# fake.sh NAME: a made-up machine under run/NAME: 16 CPUs, 4 L3s, 2 threads per core
set -e
cd "$(dirname "$0")"; rm -rf run/$1; mkdir -p run/$1; cd run/$1
mkdir -p sbm pin cg proc/self sys/devices/system/{cpu,node/node0} sys/kernel/sched_ext
for c in $(seq 0 15); do
	d=sys/devices/system/cpu/cpu$c; mkdir -p $d/cache/index3 $d/topology
	[ $c = 0 ] || printf 1 > $d/online
	l=$((c / 4 * 4)); echo $l-$((l + 3)) > $d/cache/index3/shared_cpu_list
	s=$((c / 2 * 2)); echo $s,$((s + 1)) > $d/topology/thread_siblings_list
done
echo 0-15 > sys/devices/system/cpu/possible
echo > sys/devices/system/cpu/isolated
echo "(null)" > sys/devices/system/cpu/nohz_full
echo 0 > sys/devices/system/node/online; echo 0-15 > sys/devices/system/node/node0/cpulist
echo "root=/dev/root quiet" > proc/cmdline
echo disabled > sys/kernel/sched_ext/state
echo "cgroup2 $PWD/cg cgroup2 rw 0 0" > proc/self/mounts
echo "cpuset cpu" > cg/cgroup.controllers; echo cpu > cg/cgroup.subtree_control
for l in 0 1 2 3; do c=$((l * 4)); echo "$l node 0 cpus $c,$((c+1)),$((c+2)),$((c+3))"; done > sbm/layout
sed 's/^0 node 0 cpus 0,1,2,3/0 node 0 cpus 0,2,1,3/' sbm/layout > alt
echo > sbm/nohz_idle; : > proc/timer_list; : > sys/devices/system/cpu/online
