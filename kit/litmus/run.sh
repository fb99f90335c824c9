#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Run the litmus tests with the kernel's memory model.
#
# usage: run.sh LINUX [TEST...]
#
# LINUX is a kernel tree, of which tools/memory-model is used.  Each test says
# what to expect in its comment: "Never" for what the series claims, and
# "Sometimes" or "Always" for its twins with a barrier weakened, which show that the test
# would see the bad outcome.

here=$(cd "$(dirname "$0")" && pwd)
linux=$1
shift
if [ ! -f "$linux/tools/memory-model/linux-kernel.cfg" ]; then
	echo "usage: run.sh LINUX [TEST...]" >&2
	exit 2
fi
herd=$("$here/herd7.sh") || exit 2
[ $# != 0 ] || set -- "$here"/*.litmus

passed=0
failed=0

for file in "$@"; do
	file=$(realpath "$file")
	name=$(basename "$file" .litmus)
	want=$(sed -n 's/^ \* Result: //p' "$file")
	out=$(cd "$linux/tools/memory-model" &&
	      "$herd" -conf linux-kernel.cfg "$file" 2>&1)
	got=$(echo "$out" | sed -n "s/^Observation $name \([^ ]*\) .*/\1/p")

	if [ -n "$want" ] && [ "$got" = "$want" ] && ! grep -q ^Flag <<< "$out"; then
		passed=$((passed + 1))
		echo "ok $name: $got"
	else
		failed=$((failed + 1))
		echo "not ok $name: wanted $want, got $got"
		echo "$out"
	fi
done

[ "$failed" = 0 ] && [ "$passed" != 0 ]
