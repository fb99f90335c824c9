#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# Build the module for a UML kernel, load it there and print its rows
#
#	run-uml.sh KDIR KBUILD_OUT WORKDIR [PARAMETERS]
#
# KBUILD_OUT is an O= directory with a UML kernel that has MODULES, HOSTFS
# and PRINTK. If it does not exist, it is made from uml.config (about five
# minutes on two cores). PARAMETERS are the module's, with commas between
# them: calls=200000,trials=11. CC= is passed on to the UML build and the
# module. The UML kernel sees the host's root read-only.
set -eu

if [ $# -lt 3 ]; then
	echo "usage: run-uml.sh KDIR KBUILD_OUT WORKDIR [PARAMETERS]" >&2
	exit 2
fi

here=$(cd "$(dirname "$0")" && pwd)
kdir=$(cd "$1" && pwd)
mkdir -p "$2" "$3"
kout=$(cd "$2" && pwd)
work=$(cd "$3" && pwd)
args=${4:-}
cc=${CC:-gcc}

if [ ! -x "$kout/linux" ]; then
	make -s -C "$kdir" O="$kout" ARCH=um CC="$cc" \
		KCONFIG_ALLCONFIG="$here/uml.config" allnoconfig >&2
	for want in $(sed -n 's/^\(CONFIG_[A-Z0-9_]*=y\)$/\1/p' "$here/uml.config")
	do
		grep -qx "$want" "$kout/.config" ||
			{ echo "run-uml: $want did not survive" >&2; exit 1; }
	done
	make -s -C "$kdir" O="$kout" ARCH=um CC="$cc" -j"$(nproc)" linux modules >&2
fi

make -s -C "$here" KDIR="$kdir" KBUILD_OUT="$kout" CC="$cc" ARCH=um DEST="$work" >&2
${HOSTCC:-gcc} -O2 -Wall -static -o "$work/init" "$here/init.c"

timeout -k 5 "${TIMEOUT:-900}" "$kout/linux" mem=256M seccomp=on \
	root=/dev/root rootfstype=hostfs rootflags=/ ro loglevel=7 \
	"init=$work/init" \
	"psi_ko=$work/module/psi_bench.ko" "psi_args=$args" \
	</dev/null >"$work/console" 2>&1 || true

sed -n 's/^.*psi_bench: /psi_bench: /p' "$work/console" | tr -d '\r'
if ! grep -q 'psi_bench: done' "$work/console"; then
	echo "run-uml: the module did not finish; the console's end:" >&2
	tail -n 20 "$work/console" >&2
	exit 1
fi
