#!/bin/bash
# go.sh NAME FAULT [command to break the files, run in the directory]
cd "$(dirname "$0")"
./fake.sh $1; cd run/$1
[ -z "$3" ] || eval "$3"
start=$(date +%s.%N)
FAKE=$PWD FAULT=$2 LD_PRELOAD=../../shim.so ${EMPTY_CPU:-} timeout -k 5 110 nice ../../${BIN:-sbm_test.gcc} $PWD/sbm > log 2>&1
echo "rc $? $(echo "$(date +%s.%N) - $start" | bc)" >> log
# what was left behind
echo "left: offline $(grep -L 1 sys/devices/system/cpu/cpu*/online | wc -l) groups $(ls -d cg/sbm* 2>/dev/null | wc -l) subtree '$(cat cg/cgroup.subtree_control)'" >> log
