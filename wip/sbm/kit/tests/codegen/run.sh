#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Show that with CONFIG_SBM=n the sbm functions compile to what the cpumask
# functions compile to, and how large they are with CONFIG_SBM=y.
#
# usage: run.sh LINUX OBJECTS [MAKE-ARGUMENT...]
#
# LINUX is a kernel tree with the series, OBJECTS the directory that it was
# configured in ("make O=OBJECTS ... prepare").  Arguments for make, such as
# ARCH=arm64 or LLVM=1, must be those of the configuration.

here=$(cd "$(dirname "$0")" && pwd)
linux=$1
objects=$2
shift 2 || exit 2
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT
cp "$here/user.c" "$work/"
: > "$work/Kbuild"

passed=0
failed=0

# Compile user.c with the definitions $2... to $1.
compile()
{
	local to=$1
	shift
	rm -f "$work/user.o"
	make -s -C "$linux" O="$objects" M="$work" KCFLAGS="$*" "${args[@]}" \
		"$work/user.o" > "$work/log" 2>&1 ||
	make -s -C "$linux" O="$objects" M="$work" KCFLAGS="$*" "${args[@]}" \
		user.o > "$work/log" 2>&1 || { cat "$work/log"; return 1; }
	mv "$work/user.o" "$work/$to.o"
}

# The code with its relocations, without addresses of debug sections.
code()
{
	${CROSS_OBJDUMP:-objdump} -dr --no-show-raw-insn -j .text "$work/$1.o" |
		sed '/file format/d'
}

args=("$@")
for config in "-DONSTACK -DNR=1" "-DONSTACK -DNR=64" "-DONSTACK -DNR=256" \
	      "-DONSTACK -DNR=8192" "-DOFFSTACK -DNR=256" "-DOFFSTACK -DNR=8192"; do
	if compile direct -DDIRECT "$config" && compile off -DOFF "$config" &&
	   [ "$(code direct | grep -c '>:$')" -ge 10 ] &&
	   diff <(code direct) <(code off) > "$work/diff"; then
		passed=$((passed + 1))
		echo "passed   same code with ${config//-D/}"
	else
		failed=$((failed + 1))
		echo "FAILED   the code is not the same with ${config//-D/}"
		head -n 40 "$work/diff"
	fi
done

if compile on -DOFFSTACK -DNR=8192 && compile direct -DDIRECT -DOFFSTACK -DNR=8192; then
	echo "bytes of code, NR_CPUS=8192 and CPUMASK_OFFSTACK=y: function, cpumask, sbm"
	join <(nm -S "$work/direct.o" | awk '$3 == "T" { print $4, $2 }' | sort) \
	     <(nm -S "$work/on.o" | awk '$3 == "T" { print $4, $2 }' | sort) |
	while read -r name direct on; do
		echo "$name $((16#$direct)) $((16#$on))"
	done
fi

echo "$passed passed, $failed failed"
[ "$failed" = 0 ] && [ "$passed" != 0 ]
