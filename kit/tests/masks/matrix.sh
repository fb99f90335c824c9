#!/bin/bash
cd "$(dirname "$0")"
L=sbm/layout
r() { ./go.sh "$@" & sleep 0.3; }
# dynamic faults
for f in busy-stays busy-returns busy-lost offline-stays offline-lost slot-moves isolated-stays isolated-returns isolated-lost idle-lost idle-awake nohz-off no-offline \
	busy-stays@churn offline-stays@churn isolated-stays@churn idle-lost@churn slot-moves@churn; do r $f $f; done
BOOT_ISOLATED=1 r boot-isolated-in boot-isolated-in 'echo 15 > sys/devices/system/cpu/isolated'
BOOT_ISOLATED=1 r boot-isolated-ok '' 'echo 15 > sys/devices/system/cpu/isolated; echo 8-15 > sys/devices/system/cpu/nohz_full'
wait
# layouts
r l-missing '' "sed -i 's/,15//' $L"
r l-twice '' "sed -i 's/14,15/14,15,15/' $L"
r l-twoleaves '' "sed -i 's/14,15/14,15,0/' $L"
r l-impossible '' "sed -i 's/14,15/14,15,99/' $L"
r l-over64 '' "echo '4 node 0 cpus 16-80' >> $L; echo 0-80 > sys/devices/system/cpu/possible"
r l-just64 '' "echo '4 node 0 cpus 16-79' >> $L; echo 0-80 > sys/devices/system/cpu/possible"
r l-l3split '' "printf '0 node 0 cpus 0,1\n1 node 0 cpus 2,3\n2 node 0 cpus 4-7\n3 node 0 cpus 8-11\n4 node 0 cpus 12-15\n' > $L"
r l-l3shared '' "printf '0 node 0 cpus 0-7\n1 node 0 cpus 8-11\n2 node 0 cpus 12-15\n' > $L"
r l-small '' "printf '0 node 0 cpus 0-3,8-15\n1 node 0 cpus 4-7\n' > $L; for c in 0 1 2 3; do echo 0-2 > sys/devices/system/cpu/cpu\$c/cache/index3/shared_cpu_list; done; for c in {8..15}; do echo \$c > sys/devices/system/cpu/cpu\$c/cache/index3/shared_cpu_list; done"
r l-split-param '' "printf '0 node 0 cpus 0,2\n1 node 0 cpus 1,3\n2 node 0 cpus 4-7\n3 node 0 cpus 8-11\n4 node 0 cpus 12-15\n' > $L; echo quiet sched_sbm=2 > proc/cmdline"
r l-maxcpus '' "printf '0 node 0 cpus 0-7\n1 node 0 cpus 8-11\n2 node 0 cpus 12-15\n' > $L; echo quiet maxcpus=8 > proc/cmdline"
r l-nol3 '' "rm -r sys/devices/system/cpu/cpu*/cache; printf '0 node 0 cpus 0-15\n' > $L"
r l-siblings '' "sed -i 's/4,5,6,7/4,6,5,7/' $L"
r l-sib-leaves '' "rm -r sys/devices/system/cpu/cpu*/cache; printf '0 node 0 cpus 0-4\n1 node 0 cpus 5-15\n' > $L"
r l-nosib '' "rm -r sys/devices/system/cpu/cpu*/topology"
r l-numa '' "mkdir sys/devices/system/node/node1; echo 0-1 > sys/devices/system/node/online; echo 0-1,4-15 > sys/devices/system/node/node0/cpulist; echo 2-3 > sys/devices/system/node/node1/cpulist; printf '0 node 0 cpus 0-1\n1 node 0 cpus 4-7\n2 node 0 cpus 8-11\n3 node 0 cpus 12-15\n4 node 1 cpus 2-3\n' > $L"
r l-reserve '' "echo '4 node 0 cpus' >> $L"
wait
# files that cannot be parsed, and things that are missing
r p-garbage '' "echo 'hello' > $L"
r p-empty '' ": > $L"
r p-order '' "sed -i '2d' $L"
r p-comma '' "sed -i 's/,3/,,3/' $L"
r p-trail '' "sed -i 's/,3/,3,/' $L"
r p-neg '' "sed -i 's/,3/,-3/' $L"
r p-range '' "sed -i 's/,3/,3-1/' $L"
r p-huge '' "sed -i 's/,3/,99999999999999999999/' $L"
r p-mask static "echo 0-x > sbm/nohz_idle"
r p-nomask '' "rm sbm/nohz_idle"
r s-ext '' "echo enabled > sys/kernel/sched_ext/state"
r s-nocg '' ": > proc/self/mounts"
r s-nocpuset '' "echo cpu > cg/cgroup.controllers"
r s-1cpu '' "echo 1-15 > sys/devices/system/cpu/isolated"
wait
