#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# Build the module for a UML kernel of two CPUs, load it there and print its tables
#
#	run-uml.sh KDIR KBUILD_OUT WORKDIR [PARAMETERS]
#
# All of these are those of bench/uml/run.sh; the module's parameters are
# trials=25,ms=5.  NCPUS= [2].  Exit status 1 if it did not run, with the
# module's own lines on stderr.  Use a machine that does nothing else.
set -eu

here=$(cd "$(dirname "$0")" && pwd)
. "$here/../header.sh"

if [ $# -lt 3 ]; then
	echo "usage: run-uml.sh KDIR KBUILD_OUT WORKDIR [PARAMETERS]" >&2
	exit 2
fi
mkdir -p "$3"
lines=$3/lines
NCPUS=${NCPUS:-2} "$here/../uml/run.sh" "$here/module" "$@" >"$lines" ||
	{ cat "$lines" >&2; exit 1; }

header "sbm on two cores, module in UML"
cat <<'EOF'
# What it shows: the kernel's compilation of the same source, pair.h, in kernel threads bound to CPUs 0 and 1.
# What it does not: UML's CPUs are threads of the host, which places and interrupts them as it likes, and what it takes away is
# in the times (look at minimum and quartiles); it is two cores at one distance, in a virtual machine if the machine below is one.
# A LOCKed operation is the same instruction as in an x86 kernel. The full barrier is the LOCKed addition that x86 kernels have for
# smp_mb(), not UML's own, an mfence. UML compiles modules for the large code model, which changes calls but not these loops.
EOF
sed '/^sbm_bench: done/d; /loading out-of-tree module/d; s/^sbm_bench: \{0,1\}//' "$lines"
