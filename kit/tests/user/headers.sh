#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Make a folder of headers for kernel sources that are compiled for user space
#
# usage: headers.sh DIR SOURCE...
#
# Each of the kernel's headers that a source includes is made in DIR, as one
# that includes the shim. linux/sbm.h itself is left to the caller's -I.

here=$(cd "$(dirname "$0")" && pwd)
dir=$1
shift || exit 2

grep -hoE '^#include <(linux|asm|kunit)/[^>]*>' "$@" |
sed 's/.*<\(.*\)>/\1/' | sort -u | while read -r header; do
	case $header in
	linux/sbm.h) continue ;;
	kunit/* | linux/kthread.h) shim=kunit.h ;;
	*) shim=shim.h ;;
	esac
	mkdir -p "$dir/${header%/*}"
	echo "#include \"$here/$shim\"" > "$dir/$header"
done
