#!/bin/sh
S=${LINUX:?a kernel tree with headers installed}/tools/testing/selftests
for cc in gcc clang-19; do
 for f in "-O2 -Wall -g" "-O2 -Wall -Wextra -g"; do
  $cc $f -D_GNU_SOURCE= -I$S -I$S/cgroup/lib/include -I${LINUX:?a kernel tree with headers installed}/usr/include -o sbm_test.$cc sbm_test.c cgroup_util.o -lpthread 2>&1 | grep -E "sbm_test.c|error" ; done
done
