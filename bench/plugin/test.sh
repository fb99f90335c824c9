#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Test the counting plugin on test.c, whose figures are known
#
#	test.sh			ok / not ok lines; exit status 1 if one is not ok
#	test.sh --broken	break count.c in several ways, one at a time:
#				each has to make the test fail
#
# Runs in QEMU's user mode: qemu-x86_64 of the package qemu-user (that of
# qemu-user-static loads no plugins), or QEMU_USER. Also: PASSES [100], even;
# COUNT_DIR, whose count.sh to test [here]. Takes seconds. Exit status 4 if there
# is no such QEMU.
set -eu

here=$(cd "$(dirname "$0")" && pwd)
dir=${COUNT_DIR:-$here}
qemu=${QEMU_USER:-qemu-x86_64}
n=${PASSES:-100}
command -v "$qemu" >/dev/null || { echo "1..0 # SKIP no $qemu: install qemu-user, or set QEMU_USER"; exit 4; }
# Debian 13 links it statically, and it then loads no plugins.
"$qemu" -h | grep -q -e '^ *-plugin' || { echo "1..0 # SKIP $qemu knows no -plugin"; exit 4; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# What, and what an edit of count.c (sed -E) makes of it
broken()
{
	cat <<'LIST'
locked operations taken for stores	s/in->locked = lock/in->locked = false/
xchg not taken for locked	s/(op == 0x86.*) \? memory : false/false/
mfence not seen	s/modrm == 0xae/modrm == 0xaf/
smp_mb() taken for locked	s/lock && op == 0x83/lock \&\& op == 0x82/
atomics of one vCPU counted twice	s/\|\| \(in->locked && !store\)//
jumps between bodies counted as calls	s/last->target != in->pc/true/
every entry from the own group taken for a jump	s/last->target != in->pc/false/
an element of a string operation is an instruction	s/last->pc != in->pc/true/
no frame pointer	s/groups\[in->group\]\.frame = true/;/
counts kept over windows	s/^\t\t\tmemset\(&vcpus.*/\t\t\t;/;s/^\t\t\tfree\(vcpus.*/\t\t\t;/
counting before the start	s/atomic_store\(&counting, !mark_start\)/atomic_store(\&counting, true)/
the last call unclassified	s/^\t\t\tlog_close\(vcpus\[i\], g\);/\t\t\tvcpus[i]->logs[g].open = false;log_close(vcpus[i], g);/
class of the call before	s/^\tlog->seen = 0;//
one table for all vCPUs	s/^(static struct vcpu \*enter.*)/\1/;s/^\tif \(index >= MAX_VCPUS\)/\tindex = 0;\n&/
memory callbacks on what ends a block, nothing dropped	s/if \(!in->ends_block\)$/if (1)/;s/v->last != in \|\| v->accesses\+\+ >= MAX_ACCESSES/0/;s/info >> RW_SHIFT/0/
addresses by line	s/\.addr = addr,/.addr = addr \& ~63ULL,/
a helper begins calls	s/ && !bodies\[body\]\.inner//
watched data by one byte less	s/addr \+ size > watches\[i\]\.lo \&\& addr < watches/addr > watches[i].lo \&\& addr < watches/
LIST
}

if [ "${1:-}" = --broken ]; then
	bad=0
	while IFS=$'\t' read -r what edit; do
		rm -rf "$work/broken"
		mkdir "$work/broken"
		cp "$here"/*.[ch] "$here"/*.py "$here"/*.sh "$work/broken"
		sed -E -i "$edit" "$work/broken/count.c"
		if cmp -s "$here/count.c" "$work/broken/count.c"; then
			echo "not ok - $what: the edit changes nothing"
			bad=1
		elif COUNT_DIR=$work/broken timeout 120 "$here/test.sh" >"$work/broken.log" 2>&1; then
			echo "not ok - $what: not noticed"
			bad=1
		elif ! grep -q '^not ok' "$work/broken.log"; then
			echo "not ok - $what: the test did not come so far: $(tail -n 1 "$work/broken.log")"
			bad=1
		else
			echo "ok - $what: noticed by $(grep -c '^not ok' "$work/broken.log")"
		fi
	done < <(broken)
	exit $bad
fi

number=0 failed=0

# is WHAT WANTED GOT
is()
{
	number=$((number + 1))
	if [ "$2" = "$3" ]; then
		echo "ok $number - $1"
	else
		echo "not ok $number - $1: wanted '$2', got '$3'"
		failed=1
	fi
}

# Totals of a function and class: calls insns loads stores locked fences stack w>1 w>1lk rw>1 rw>1lk ld-rem
totals()
{
	awk -F '\t' -v f="$1" -v c="$2" '$1 == "function" && $2 == f && $3 == c {
		for (i = 4; i <= NF; i++) printf "%s%s", (i > 4 ? " " : ""), $i }' "$work/out/counts.tsv"
}

# Loads, stores and LOCKed of a symbol, of all that touch it
touched()
{
	awk -F '\t' -v s="$1" '$1 == "address" && $3 == s { l += $7; w += $8; k += $9 } END { print l + 0, w + 0, k + 0 }' \
		"$work/out/counts.tsv"
}

# CPUs that write, that read, LLCs that write, that read the line that begins with a symbol
sharers()
{
	awk -F '\t' -v s="$1" '$1 == "line" && $3 ~ "^" s "(,|$)" { print $7, $8, $9, $10 }' "$work/out/counts.tsv"
}

table()
{
	"$dir/count.sh" table -s "$work/test" -f "$work/list" -o "$work/out" "$@" >"$work/table"
}

cat >"$work/list" <<'LIST'
start mark_start
stop mark_stop
watch watched
work	odd=store@flag rest=even
part
fill	with=inner,nowhere
leaf
gone	in=absent,use_part
vanished
LIST
"${CC:-gcc}" -O1 -static -no-pie -pthread -o "$work/test" "$here/test.c"
"$dir/count.sh" run -s "$work/test" -f "$work/list" -o "$work/out" -l 1 -- "$qemu" "$work/test" "$n" >"$work/log" 2>&1 ||
	{ echo "not ok - the run: $(tail -n 1 "$work/log")"; exit 1; }
h=$((n / 2))

is "two windows" 2 "$(find "$work/out" -name 'counts.[0-9]' | wc -l)"

# The one thread before there are others: QEMU does an atomic as a load and a store
table -w 1 -l 1
is "1 thread: even calls" "$h $((17 * h)) $((2 * h)) $((2 * h)) $((2 * h)) $((2 * h)) $((5 * h)) 0 0 0 0 0" "$(totals work even)"
is "1 thread: odd calls" "$h $((19 * h)) $((2 * h)) $((3 * h)) $((2 * h)) $((2 * h)) $((5 * h)) 0 0 0 0 0" "$(totals work odd)"
is "1 thread: no call in part" "" "$(totals work 'part of a call')"
is "1 thread: split body" "$((3 * n)) $((10 * n)) 0 $((2 * n)) 0 0 $((3 * n)) 0 0 0 0 0" "$(totals part all)"
is "1 thread: string store, and a helper with it" "$n $((10 * n)) 0 $((8 * n)) 0 0 $((4 * n)) 0 0 0 0 0" "$(totals fill all)"
is "1 thread: two calls in a row" "$((2 * n)) $((2 * n)) 0 0 0 0 $((2 * n)) 0 0 0 0 0" "$(totals leaf all)"
is "1 thread: sharers" "1 0 1 0" "$(sharers counter)"

table -w 2 -l 1
is "2 LLCs: even calls" "$n $((17 * n)) $((2 * n)) $((2 * n)) $((2 * n)) $((2 * n)) $((5 * n)) $((3 * n)) $((2 * n)) $((3 * n)) $((2 * n)) $n" "$(totals work even)"
is "2 LLCs: odd calls" "$n $((19 * n)) $((2 * n)) $((3 * n)) $((2 * n)) $((2 * n)) $((5 * n)) $((4 * n)) $((2 * n)) $((4 * n)) $((2 * n)) $n" "$(totals work odd)"
is "2 LLCs: split body" "$((6 * n)) $((20 * n)) 0 $((4 * n)) 0 0 $((6 * n)) $((4 * n)) 0 $((4 * n)) 0 0" "$(totals part all)"
is "2 LLCs: string store, and a helper with it" "$((2 * n)) $((20 * n)) 0 $((16 * n)) 0 0 $((8 * n)) 0 0 0 0 0" "$(totals fill all)"
is "2 LLCs: caller in the place of what is inlined" "$((2 * n)) $((14 * n)) 0 0 0 0 $((12 * n)) 0 0 0 0 0" "$(totals use_part all)"
is "locked by address" "0 0 $((2 * n))" "$(touched counter)"
is "xchg by address" "0 0 $((2 * n))" "$(touched swapped)"
is "stores by address" "0 $n 0" "$(touched apart+0x8)"
is "load by address" "$((2 * n)) 0 0" "$(touched config)"
is "watched data, from code not listed" "0 $((2 * n)) 0" "$(touched watched)"
is "nothing of other code for a listed function" 0 "$(awk -F '\t' '$1 == "address" && $3 == "foreign" { n++ } END { print n + 0 }' "$work/out/counts.tsv")"
is "nothing dropped" 0 "$(grep -c '^x' "$work/out/counts.2" || :)"
is "writers of a line" "2 0 2 0" "$(sharers counter)"
is "what is inlined is told" 1 "$(grep -c '^gone: no such symbol; counted is all of use_part' "$work/table")"
is "what is not seen is told" 1 "$(grep -c '^vanished: NOT SEEN' "$work/table")"

# vCPUs 1 and 2: of one LLC with -l 4, of two with -l 2
table -w 2 -l 4
is "1 LLC: even calls" "$n $((17 * n)) $((2 * n)) $((2 * n)) $((2 * n)) $((2 * n)) $((5 * n)) 0 0 0 0 0" "$(totals work even)"
cp "$work/out/counts.tsv" "$work/one.tsv"
table -w 2 -l 2
is "vCPUs 1 and 2 of different pairs" "2 0 2 0" "$(sharers counter)"
"$dir/count.sh" compare "$work/out/counts.tsv" "$work/one.tsv" >"$work/compare"
is "compare" "fill all n>n 10.00 0 8.00 0 0 4.00 0 0 0 0 0" \
	"$(awk -v n="$((2 * n))" '$1 == "fill" { sub(n ">" n, "n>n"); $1 = $1; print }' "$work/compare")"
is "compare tells a difference" "3.00>0" "$(awk '$1 == "work" && $2 == "even" { print $10 }' "$work/compare")"

# All code: the store of unlisted() to config makes its line shared for writing
echo lines >>"$work/list"
"$dir/count.sh" run -s "$work/test" -f "$work/list" -o "$work/out" -l 1 -- "$qemu" "$work/test" "$n" >"$work/log" 2>&1 ||
	{ echo "not ok - the run with lines: $(tail -n 1 "$work/log")"; exit 1; }
is "all code: loads of what others write" "$n" "$(totals work even | cut -d ' ' -f 12)"
is "all code: its stores count for the line, not the function" "$((2 * n)) $((2 * n))" \
	"$(awk -F '\t' '$1 == "address" && $5 == "other code" && $3 == "config" { print $7, $8 }' "$work/out/counts.tsv")"

# Errors
is "a mark that there is not" 1 "$(echo 'start absent' >"$work/bad"
	"$dir/count.sh" arg -s "$work/test" -f "$work/bad" -o "$work/bad.out" >/dev/null 2>&1 || echo $?)"
is "a plan that makes no sense" 1 "$(echo nonsense >"$work/bad"
	"$qemu" -plugin "$work/out/count.so,plan=$work/bad,out=$work/bad.out" "$work/test" 2 2>&1 | grep -c 'bad plan')"
is "no counts" 1 "$(mkdir "$work/empty"
	"$dir/count.sh" table -s "$work/test" -f "$work/list" -o "$work/empty" 2>/dev/null || echo $?)"

echo "1..$number"
exit $failed
