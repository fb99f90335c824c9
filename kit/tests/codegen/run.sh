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
# ARCH=arm64 or LLVM=1, must be those of the configuration.  A line for each
# comparison, "ok" or "not ok"; then bytes of code by function.

here=$(cd "$(dirname "$0")" && pwd)
linux=$1
objects=$2
shift 2 || exit 2
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT

# An object for each configuration and form, all in one run of make.
configs="stack-1 stack-64 stack-256 stack-8192 offstack-256 offstack-8192"
targets=()
for config in $configs; do
	for form in direct off on; do
		name=$form-$config
		{
			echo "#define ${form^^}"
			[ "${config%-*}" = stack ] && echo "#define ONSTACK" || echo "#define OFFSTACK"
			echo "#define NR ${config#*-}"
			echo "#include \"$here/user.c\""
		} > "$work/$name.c"
		targets+=("$name.o")
	done
done
echo "obj-m := ${targets[*]}" > "$work/Kbuild"
make -s -C "$linux" O="$objects" M="$work" "$@" "${targets[@]}" || exit 1

# The code with its relocations.
code()
{
	${CROSS_OBJDUMP:-objdump} -dr --no-show-raw-insn -j .text "$work/$1.o" |
		sed '/file format/d'
}

failed=0
for config in $configs; do
	if [ "$(code "direct-$config" | grep -c '>:$')" -ge 10 ] &&
	   diff <(code "direct-$config") <(code "off-$config") > "$work/diff"; then
		echo "ok same code with cpumasks $config"
	else
		failed=1
		echo "not ok the code is not the same with cpumasks $config"
		head -n 40 "$work/diff"
	fi
done

echo "bytes of code, cpumasks offstack-8192: function, cpumask, sbm"
join <(nm -S "$work/direct-offstack-8192.o" | awk '$3 == "T" { print $4, $2 }' | sort) \
     <(nm -S "$work/on-offstack-8192.o" | awk '$3 == "T" { print $4, $2 }' | sort) |
while read -r name direct on; do
	echo "$name $((16#$direct)) $((16#$on))"
done

exit $failed
