#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# Text size of psi_group_change(), base against series
#
#	size.sh BASE_TREE SERIES_TREE WORKDIR [SETUP...]
#
# SETUP is one of: x86_64-gcc x86_64-clang arm64-gcc arm64-clang [the first
# three]. Each builds kernel/sched/build_utility.o, nothing more, in
# WORKDIR/SETUP-base and WORKDIR/SETUP-series, with the architecture's
# defconfig plus PSI, or with CONFIG=<a .config> for all. The trees have to
# be clean (no .config in them), and are only read.
#
# Unit: bytes of text. psi_group_change() counts with all that the compiler
# split from it (.part, .isra, .constprop, .cold) and with the helper of the
# series, HELPER [psi_update_tasks], if that was not inlined. The functions'
# assembly is left in WORKDIR/SETUP-{base,series}.s.
#
# Environment: GCC [gcc], CLANG_SUFFIX [-19], ARM64_CROSS
# [aarch64-linux-gnu-], JOBS [nproc].
#
# Weak points: alignment padding after a function is not counted; one
# configuration of many; a byte is not a cycle.
set -eu

if [ $# -lt 3 ]; then
	echo "usage: size.sh BASE_TREE SERIES_TREE WORKDIR [SETUP...]" >&2
	exit 2
fi

base=$(cd "$1" && pwd)
series=$(cd "$2" && pwd)
mkdir -p "$3"
work=$(cd "$3" && pwd)
shift 3
[ $# -gt 0 ] || set -- x86_64-gcc x86_64-clang arm64-gcc

helper=${HELPER:-psi_update_tasks}
suffix=${CLANG_SUFFIX:--19}
cross=${ARM64_CROSS:-aarch64-linux-gnu-}
jobs=${JOBS:-$(nproc)}
functions="^(psi_group_change|$helper)([.].*)?\$"
object=kernel/sched/build_utility.o

# What make needs to hear for a setup; sets nm, objdump and compiler too
setup()
{
	case $1 in
	x86_64-gcc)
		compiler=${GCC:-gcc}
		options="ARCH=x86_64 CC=$compiler"
		nm=nm objdump=objdump ;;
	arm64-gcc)
		compiler=${cross}gcc
		options="ARCH=arm64 CROSS_COMPILE=$cross"
		nm=${cross}nm objdump=${cross}objdump ;;
	x86_64-clang | arm64-clang)
		compiler=clang$suffix
		options="ARCH=${1%-clang} LLVM=$suffix"
		nm=llvm-nm$suffix objdump=llvm-objdump$suffix ;;
	*)
		echo "size: unknown setup $1" >&2
		exit 2 ;;
	esac
	for tool in $compiler $nm $objdump; do
		command -v "${tool}" >/dev/null ||
			{ echo "size: $1: no $tool here" >&2; exit 1; }
	done
}

# build TREE OUT
build()
{
	mkdir -p "$2"
	if [ ! -f "$2/.config" ]; then
		if [ -n "${CONFIG:-}" ]; then
			cp "$CONFIG" "$2/.config"
		else
			make -s -C "$1" O="$2" $options defconfig
			"$1/scripts/config" --file "$2/.config" -e PSI \
				-d PSI_DEFAULT_DISABLED -d DEBUG_INFO_BTF \
				-d WERROR
		fi
		make -s -C "$1" O="$2" $options olddefconfig
	fi
	grep -qx CONFIG_PSI=y "$2/.config" ||
		{ echo "size: PSI is not set in $2/.config" >&2; exit 1; }
	make -s -C "$1" O="$2" $options -j"$jobs" $object >"$2/log" 2>&1 ||
		{ tail -n 20 "$2/log" >&2; exit 1; }
}

# Symbols that count, with their sizes in decimal
symbols()
{
	$nm -S "$1/$object" | awk 'NF == 4 && tolower($3) == "t" {
		print $2, $4 }' | grep -E " ${functions#^}" |
	while read -r size name; do
		echo "$name $((0x$size))"
	done
}

assembly()
{
	$objdump -dr --no-show-raw-insn "$1/$object" |
	awk -v want="$functions" '/^[0-9a-f]+ <.*>:$/ {
		name = $2
		gsub(/[<>:]/, "", name)
		on = name ~ want
	} on'
}

printf '%-14s %8s %8s %8s %7s  %s\n' setup base series change % compiler
status=0
for s in "$@"; do
	setup "$s"
	build "$base" "$work/$s-base"
	build "$series" "$work/$s-series"
	for side in base series; do
		symbols "$work/$s-$side" >"$work/$s-$side.symbols"
		assembly "$work/$s-$side" >"$work/$s-$side.s"
		[ -s "$work/$s-$side.symbols" ] ||
			{ echo "size: $s: no such function, inlined?" >&2; exit 1; }
	done
	old=$(awk '{ n += $2 } END { print n }' "$work/$s-base.symbols")
	new=$(awk '{ n += $2 } END { print n }' "$work/$s-series.symbols")
	[ "$new" -lt "$old" ] || status=1
	printf '%-14s %8d %8d %+8d %+6d%%  %s\n' "$s" "$old" "$new" \
		$((new - old)) $(((new - old) * 100 / old)) \
		"$($compiler --version | head -n 1)"
	for side in base series; do
		sed "s/^/    $side: /" "$work/$s-$side.symbols"
	done
done

[ $status -eq 0 ] && echo "ok      text: smaller on every setup" ||
	echo "MISSED  text: not smaller on every setup"
exit $status
