#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Compile lib/sbm.c and its KUnit suite for user space, in several ways, and run
# them.
#
# usage: run.sh [-s SOURCE] [-o DIR] [-f SECONDS] [-v] [VARIANT...]
#
#   -s SOURCE   tree with include/linux/sbm.h and lib/sbm.c (default: the one
#               that this script is in)
#   -o DIR      where to build; kept (default: a temporary directory, removed)
#   -f SECONDS  how long to fuzz (default: 60; 0 leaves it out)
#   -v          show what the programs print
#   VARIANT     only these; "list" prints their names
#
# A line is printed for each variant, "ok", "not ok" or "skip", its name, and what
# there is to say.  A variant whose compiler or emulator is not installed is
# skipped and says what is missing; the Debian packages are in kit/packages.

here=$(cd "$(dirname "$0")" && pwd)
source=$(cd "$here/../../.." && pwd)
out=
fuzz=60
verbose=
fuzzer=

while getopts s:o:f:v opt; do
	case $opt in
	s) source=$(cd "$OPTARG" && pwd) || exit 2 ;;
	o) out=$OPTARG ;;
	f) fuzz=$OPTARG ;;
	v) verbose=1 ;;
	*) sed -n '/^# usage/,/^# skipped/s/^# \?//p' "$0"; exit 2 ;;
	esac
done
shift $((OPTIND - 1))

if [ -z "$out" ]; then
	out=$(mktemp -d) || exit 2
	trap 'rm -rf "$out"' EXIT
fi
mkdir -p "$out/include"
out=$(cd "$out" && pwd)

clang=$(command -v clang-19 || command -v clang)
ccache=$(command -v ccache)

# name; compiler; flags; runner; environment.  "-" is none.
san="-fsanitize=address,undefined -fno-sanitize-recover=undefined"
ubsan="-fsanitize=undefined -fsanitize-undefined-trap-on-error"
variants="
fuzz        $clang                 -O1;-g;-DCONFIG_NR_CPUS=256;-DSHIM_FUZZ;-fsanitize=fuzzer,address,undefined;-fno-sanitize-recover=undefined - -
asan        gcc                    -O1;-g;${san// /;}                    -      -
fast        gcc                    -O0                                   -      -
clang       $clang                 -O2                                   -      -
line-256    gcc                    -O2                                   -      SBM_LINE_SIZE=256
cpus-1      gcc                    -O2;-DCONFIG_NR_CPUS=1                -      -
cpus-64     gcc                    -O2;-DCONFIG_NR_CPUS=64               -      SBM_NR_CPUS=48
tsan        $clang                 -O1;-g;-fsanitize=thread              -      -
i386        i686-linux-gnu-gcc     -O1;${ubsan// /;};-static             qemu-i386-static -
s390x       s390x-linux-gnu-gcc    -O2;-static                           qemu-s390x-static -
powerpc     powerpc-linux-gnu-gcc  -O2;-static                           qemu-ppc-static -
off         gcc                    -O1;-g;${san// /;}                    -      SBM_NR_CPUS=200
off-stack   gcc                    -O1;-g;-DCONFIG_CPUMASK_OFFSTACK=1;${san// /;} - SBM_NR_CPUS=200
off-1       gcc                    -O1;-g;-DCONFIG_NR_CPUS=1;${san// /;} -      -
off-64      gcc                    -O1;-g;-DCONFIG_NR_CPUS=64;${san// /;} -     SBM_NR_CPUS=64
off-i386    i686-linux-gnu-gcc     -O1;${ubsan// /;};-static             qemu-i386-static SBM_NR_CPUS=200
off-s390x   s390x-linux-gnu-gcc    -O2;-static                           qemu-s390x-static SBM_NR_CPUS=200
"

if [ "$1" = list ]; then
	echo "$variants" | awk 'NF { print $1 }'
	exit
fi
wanted=" $* "

"$here/headers.sh" "$out/include" "$source"/include/linux/sbm.h \
	"$source"/lib/sbm.c "$source"/lib/tests/sbm_kunit.c

passed=0
failed=0

say()
{
	printf '%s %s, %s\n' "$1" "$name" "$2"
	case $1 in
	ok) passed=$((passed + 1)) ;;
	"not ok") failed=$((failed + 1)) ;;
	esac
}

build()
{
	local files="$source/lib/tests/sbm_kunit.c"
	local on=$source/lib/sbm.c
	local define=-DCONFIG_SBM=1
	local file

	case $name in
	off*) on=; define= ;;
	fuzz) files=$here/fuzz.c ;;
	esac

	# A file at a time, for ccache.
	rm -rf "$out/$name.o"
	mkdir "$out/$name.o"
	: > "$out/$name.log"
	# shellcheck disable=SC2086
	for file in $on $files "$here/shim.c"; do
		$ccache "$cc" -std=gnu11 -Wall -Werror ${flags//;/ } $define \
			-I"$out/include" -I"$source/include" -I"$here" -c "$file" \
			-o "$out/$name.o/$(basename "$file" .c).o" \
			>> "$out/$name.log" 2>&1 || return
	done
	# shellcheck disable=SC2086
	"$cc" ${flags//;/ } "$out/$name.o"/*.o -o "$out/$name" -lpthread \
		>> "$out/$name.log" 2>&1
}

run()
{
	case $name in
	fuzz)
		mkdir -p "$out/corpus"
		set -- -max_total_time="$fuzz" -max_len=600 -timeout=10 \
			-artifact_prefix="$out/" -print_final_stats=1 "$out/corpus"
		;;
	tsan)
		set -- sbm_threads_test
		;;
	esac

	# shellcheck disable=SC2086
	(ulimit -t "${SBM_CPU_SECONDS:-300}"
	 env ${environment/#-/} ${runner/#-/} "$out/$name" "$@") >> "$out/$name.log" 2>&1
}

# The verdict on what has run with exit status $1.
judge()
{
	if [ "$1" != 0 ]; then
		say "not ok" "exit status $1"
		tail -n 40 "$out/$name.log"
		return
	fi

	say ok "$(grep -E '^[0-9]+ passed|number_of_executed_units' "$out/$name.log" |
		      sed 's/stat::number_of_executed_units: */inputs: /'), $((SECONDS - start)) s"
	[ -z "$verbose" ] || cat "$out/$name.log"
}

while read -r name cc flags runner environment; do
	[ -n "$name" ] || continue
	[ "$wanted" = "  " ] || [ "${wanted#* "$name" }" != "$wanted" ] || continue
	[ "$name" != fuzz ] || [ "$fuzz" != 0 ] || continue

	if [ -z "$cc" ] || ! command -v "$cc" > /dev/null; then
		say skip "no ${cc:-clang}"
		continue
	fi
	if [ "$runner" != - ] && ! command -v "$runner" > /dev/null; then
		say skip "no $runner"
		continue
	fi
	if ! echo 'int main(void) { return 0; }' |
	     "$cc" -xc ${flags//;/ } - -o "$out/probe" > "$out/$name.log" 2>&1 &&
	   [ "$name" != fuzz ]; then
		say skip "$cc does not build with ${flags//;/ }"
		continue
	fi

	start=$SECONDS
	if ! build; then
		say "not ok" "does not compile"
		cat "$out/$name.log"
		continue
	fi
	if [ "$name" = fuzz ]; then
		run &
		fuzzer=$!
		fuzz_start=$start
		continue
	fi
	run
	judge $?
done <<< "$variants"

if [ -n "$fuzzer" ]; then
	name=fuzz
	start=$fuzz_start
	wait "$fuzzer"
	judge $?
fi

[ "$failed" = 0 ] && [ "$passed" != 0 ]
