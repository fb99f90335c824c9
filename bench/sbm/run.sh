#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Build and run sbm_bench.c.
#
# usage: run.sh [ARGUMENT OF THE PROGRAM...]
#
# CC is the compiler (default: gcc).  Use a machine that does nothing else.

root=$(cd "$(dirname "$0")/../.." && pwd)
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT

"$root/kit/tests/user/headers.sh" "$work/include" "$root/include/linux/sbm.h" \
	"$root/lib/sbm.c"

${CC:-gcc} -O2 -fno-strict-aliasing -std=gnu11 -Wall -Wno-unused-function \
	-DSHIM_BENCH -DCONFIG_SBM=1 -I"$work/include" -I"$root/include" \
	-I"$root/kit/tests/user" "$root/bench/sbm/sbm_bench.c" \
	"$root/kit/tests/user/shim.c" -o "$work/sbm" -lpthread || exit 2

sed -n 's/^model name[^:]*: /# /p' /proc/cpuinfo | head -n 1
echo "# $(${CC:-gcc} --version | head -n 1), $(date -I)"
"$work/sbm" "$@"
