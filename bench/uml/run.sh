#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# Build a module for a UML kernel, load it there and print what it says
#
#	run.sh MODULE_DIR KDIR KBUILD_OUT WORKDIR [PARAMETERS]
#
# MODULE_DIR has a Kbuild with the module's name and a Makefile that builds it
# in DEST=. KBUILD_OUT is an O= directory with a UML kernel that has MODULES,
# HOSTFS and PRINTK. If it does not exist, it is made from uml.config (about
# five minutes on two cores). PARAMETERS are the module's, with commas between
# them: calls=200000,trials=11. CC= is passed on to the UML build and the
# module. NCPUS= is how many CPUs the kernel has [1]; each is a thread of the
# host. The UML kernel sees the host's root read-only.
#
# The module's lines begin with its name, "NAME: "; without one that says
# "NAME: done" it has failed.
set -eu

if [ $# -lt 4 ]; then
	echo "usage: run.sh MODULE_DIR KDIR KBUILD_OUT WORKDIR [PARAMETERS]" >&2
	exit 2
fi

here=$(cd "$(dirname "$0")" && pwd)
module=$(cd "$1" && pwd)
kdir=$(cd "$2" && pwd)
mkdir -p "$3" "$4"
kout=$(cd "$3" && pwd)
work=$(cd "$4" && pwd)
args=${5:-}
cc=${CC:-gcc}
name=$(sed -n 's/^obj-m := \(.*\)\.o$/\1/p' "$module/Kbuild")

if [ ! -x "$kout/linux" ]; then
	make -s -C "$kdir" O="$kout" ARCH=um CC="$cc" \
		KCONFIG_ALLCONFIG="$here/uml.config" allnoconfig >&2
	for want in $(sed -n 's/^\(CONFIG_[A-Z0-9_]*=y\)$/\1/p' "$here/uml.config")
	do
		grep -qx "$want" "$kout/.config" ||
			{ echo "uml/run.sh: $want did not survive" >&2; exit 1; }
	done
	make -s -C "$kdir" O="$kout" ARCH=um CC="$cc" -j"$(nproc)" linux modules >&2
fi

make -s -C "$module" KDIR="$kdir" KBUILD_OUT="$kout" CC="$cc" ARCH=um DEST="$work" >&2
${HOSTCC:-gcc} -O2 -Wall -static -o "$work/init" "$here/init.c"

timeout -k 5 "${TIMEOUT:-900}" "$kout/linux" mem=256M seccomp=on kunit.enable=0 \
	ncpus="${NCPUS:-1}" root=/dev/root rootfstype=hostfs rootflags=/ ro \
	loglevel=7 "init=$work/init" "bench_name=$name" \
	"bench_ko=$work/module/$name.ko" "bench_args=$args" \
	</dev/null >"$work/console" 2>&1 || true

sed -n "s/^.*$name: /$name: /p" "$work/console" | tr -d '\r'
if ! grep -q "$name: done" "$work/console"; then
	echo "uml/run.sh: the module did not finish; the console's end:" >&2
	tail -n 20 "$work/console" >&2
	exit 1
fi
