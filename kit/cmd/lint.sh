# lint: what a maintainer's robots would say of the series. checkpatch --strict (only MISSING_SIGN_OFF is
# waived: the person who posts signs; a commit that a changelog names must be in kit/known-commits), tip's changelog rules, codespell, kernel-doc, sparse, and W=1 with
# gcc and clang on every object that the series touches; besides, that the fallback of sbm compiles to the
# code of cpumasks. sparse and kernel-doc are held against the lines
# that the series adds, since the base has warnings of its own; a compiler's warning counts anywhere.
. "$KIT_TOP/kit/source.sh"
. "$KIT_TOP/kit/worktree.sh"
. "$KIT_TOP/kit/kernel.sh"
"$KIT_TOP/kit/kit" deps test
"$KIT_TOP/kit/kit" tree
tree=$KIT_TREE
list=$(patch_files)
[ -n "$list" ] || { say "no patches to lint"; exit 0; }
failed=0
out=$KIT_LOGS/lint
rm -rf "$out" && mkdir -p "$out"

# verdict NAME LOG: passed if the log is empty
verdict() {
	if [ -s "$2" ]; then
		result fail lint "$1" "$(head -n 1 "$2" | cut -c1-120), read $(rel "$2")"
		failed=1
	else
		result pass lint "$1"
	fi
}

say "checkpatch, changelogs and spelling"
checked=$out/commit-messages.txt
for p in $list; do
	name=$(basename "$p" .patch)
	log=$out/checkpatch-${name%%-*}.log
	rc=0
	(cd "$tree" && perl scripts/checkpatch.pl --strict --ignore MISSING_SIGN_OFF --no-summary --terse --show-types "$p") >"$log.all" 2>"$log.err" || rc=$?
	[ $rc -eq 0 ] || [ -s "$log.all" ] || { echo "checkpatch ended with status $rc:"; cat "$log.err"; } >"$log.all"
	# The tree has no history to look them up in.
	grep -v '^#' "$KIT_TOP/kit/known-commits" | sed "s/\([0-9a-f]*\).*/UNKNOWN_COMMIT_ID: Unknown commit id '\1',/" >"$out/known-commits"
	grep -vFf "$out/known-commits" "$log.all" >"$log" || :
	verdict "checkpatch ${name%%-*}" "$log"
	log=$out/changelog-${name%%-*}.log
	git mailinfo -k --encoding=UTF-8 "$checked.msg" /dev/null <"$p" >"$checked.info"
	{
		subject=$(sed -n 's/^Subject: \(\[PATCH[^]]*\] \)\{0,1\}//p' "$checked.info")
		[[ $subject =~ ^[a-z][a-z0-9_/,-]*:\ [A-Z] ]] || echo "subject is not 'component: Capital ...': $subject"
		[ ${#subject} -le 75 ] || echo "subject over 75 characters: $subject"
		[ "$(wc -w <"$checked.msg")" -ge 20 ] || echo "the changelog says next to nothing"
		# Links and tables (indented) may be as wide as they must.
		grep -nE '^[^ ].{75,}' "$checked.msg" | grep -vE '^[0-9]+:(Link|Fixes|Closes):|https?://' | sed 's/^/over 75 characters, line /' || :
		grep -nE "\b([Tt]his (patch|commit)|[Ww]e|[Oo]ur)\b|(^|[ (])I( |'|$)" "$checked.msg" | sed 's/^/not imperative, line /' || :
		grep -nE '^(Signed-off-by|Acked-by|Reviewed-by|Co-developed-by|Tested-by):' "$checked.msg" | sed 's/^/not ours to add, line /' || :
	} >"$log"
	verdict "changelog ${name%%-*}" "$log"
	cat "$checked.msg" >>"$checked"
	rm -f "$checked.msg" "$checked.info"
done
mapfile -t added < <(kgit "$tree" diff --no-renames --diff-filter=A --name-only base HEAD)
mapfile -t changed < <(kgit "$tree" diff --no-renames --diff-filter=AM --name-only base HEAD)
(cd "$tree" && codespell --quiet-level 3 "$checked" "${added[@]}") >"$out/codespell.log" 2>&1 || :
verdict codespell "$out/codespell.log"

# The lines that the series adds, "file:line", to hold a warning against.
kgit "$tree" diff -U0 --no-renames base HEAD | awk '
	/^\+\+\+ b\// { file = substr($0, 7) }
	/^@@ / { split($3, a, ","); n = (a[2] == "" ? 1 : a[2]); for (i = 0; i < n; i++) print file ":" substr(a[1], 2) + i }' >"$out/lines"
# ours LOG: the warnings in it that stand on our lines
ours() {
	sed -E "s,^(Warning: |Error: )?(\\./|$tree/|(\\.\\./)+),\\1," "$1" | grep -E '(warning|error|Warning|Error)' |
		perl -ne 'BEGIN { open F, "<", shift; $ours{$_} = 1 for map { chomp; $_ } <F> } print if m{([\w./-]+\.[chS]):(\d+)} && $ours{"$1:$2"}' "$out/lines" || :
}

say "barriers and their litmus tests"
# "FILE FUNCTION BARRIER HOW-OFTEN" of those that the series adds, other than in comments and tests
kgit "$tree" diff -U0 --no-renames base HEAD -- include kernel lib ':!lib/test_*' ':!*/tests/*' | perl -ne '
	if (m{^\+\+\+ b/(.*)}) { $file = $1 }
	elsif (/^@@.*@@ ?(.*)/) { $by = $1 }
	elsif (/^\+[^\s#\/*].*\(/ && !/;$/) { $by = substr $_, 1 }
	next unless /^\+/ && !/^\+\s*\*|^\+\s*\/\*|#define/;
	while (/\b(smp_(?:mb|rmb|wmb|store_release|load_acquire|store_mb|mb__\w+)|atomic_\w+_(?:release|acquire))\(/g) {
		my $what = $1;
		my ($fn) = $by =~ /(\w+)\(/;
		$n{"$file " . ($fn // "?") . " $what"}++;
	}
	END { print "$_ $n{$_}\n" for sort keys %n }' >"$out/barriers"
{
	while IFS=: read -r barrier tests; do
		never=0 seen=0
		for t in $tests; do
			case $(sed -n 's/^ \* Result: //p' "$KIT_TOP/kit/litmus/$t.litmus" 2>/dev/null) in
			Never) never=1 ;;
			Sometimes | Always) seen=1 ;;
			*) echo "$barrier: no litmus test $t" ;;
			esac
		done
		[ $never$seen = 11 ] || echo "$barrier: wants a litmus test that is Never, and one that is not"
	done < <(grep -v '^#' "$KIT_TOP/kit/litmus/barriers")
	diff <(grep -v '^#' "$KIT_TOP/kit/litmus/barriers" | cut -d: -f1 | sort) "$out/barriers" |
		sed -n 's/^> /a barrier with no row in kit\/litmus\/barriers: /p; s/^< /a row for a barrier that the series does not add: /p'
} >"$out/barriers.log"
verdict barriers "$out/barriers.log"

sources=() objects=()
for f in "${changed[@]}"; do
	case $f in
	tools/* | Documentation/*) ;;
	*.c | *.h) sources+=("$f") ;;
	esac
done
say "kernel-doc"
: >"$out/kernel-doc.raw"
for f in ${sources[@]+"${sources[@]}"}; do
	(cd "$tree" && PYTHONDONTWRITEBYTECODE=1 scripts/kernel-doc -none -Wall "$f") >>"$out/kernel-doc.raw" 2>&1 || :
done
ours "$out/kernel-doc.raw" >"$out/kernel-doc.log"
verdict kernel-doc "$out/kernel-doc.log"

# object_of FILE: the object that it is compiled into: its own, or that of the file which includes it
object_of() {
	local f=$1 dir by
	dir=$(dirname "$f")
	if grep -qsE "(^|[ \t=+])$(basename "${f%.c}")\.o" "$tree/$dir/Makefile"; then echo "${f%.c}.o"; return; fi
	by=$(cd "$tree" && grep -lsE "^# *include \"($(basename "$dir")/)?$(basename "$f")\"" "$dir"/*.c "$(dirname "$dir")"/*.c | sed -n 1p)
	[ -z "$by" ] || object_of "$by"
}
for f in ${sources[@]+"${sources[@]}"}; do
	case $f in *.c) ob=$(object_of "$f"); [ -n "$ob" ] && objects+=("$ob") || { result fail lint "object of $f" "no Makefile names it"; failed=1; } ;; esac
done
mapfile -t objects < <(printf '%s\n' ${objects[@]+"${objects[@]}"} | sort -u | sed '/^$/d')

for cc in gcc clang; do
	[ ${#objects[@]} -gt 0 ] || break
	prepare_lint $cc "$out/prepare-$cc.log" ||
		{ result fail lint "prepare $cc" "read $(rel "$out/prepare-$cc.log")"; failed=1; continue; }
	(cd "$o" && rm -f "${objects[@]}")
	check=()
	# Debian's sparse 0.6.4 does not know __typeof_unqual__, for which the kernel would leave it out.
	[ $cc = clang ] || check=(C=1 CF=-D__CHECK_ENDIAN__ CHECK="sparse -D__typeof_unqual__=__typeof__")
	KIT_NO_CCACHE=1 quiet "compiling ${objects[*]} with W=1, $cc${check:+ and sparse}" "$out/w1-$cc.raw" \
		kmake "$tree" "$o" "${args[@]}" W=1 "${check[@]}" "${objects[@]}" ||
		{ result fail lint "W=1 $cc" "does not compile, read $(rel "$out/w1-$cc.raw")"; failed=1; continue; }
	# A compiler's warnings end in their option in brackets; sparse's do not.
	grep -E 'warning: .*\[-W' "$out/w1-$cc.raw" >"$out/w1-$cc.log" || :
	verdict "W=1 $cc" "$out/w1-$cc.log"
	if [ $cc = gcc ]; then
		ours <(grep -vE '\[-W' "$out/w1-$cc.raw") >"$out/sparse.raw"
		# Nor does it take __builtin_strlen() for a constant, which every MODULE_*() of 7.3 asserts on.
		while IFS= read -r line; do
			at=${line#*:}
			[[ $line = *'bad constant expression'* ]] &&
				sed -n "${at%%:*}p" "$tree/${line%%:*}" | grep -qE '^(MODULE_|module_)' || printf '%s\n' "$line"
		done <"$out/sparse.raw" >"$out/sparse.log"
		grep 'sparse is not available' "$out/w1-$cc.raw" >>"$out/sparse.log" || :
		# It has warnings of the base at least: none at all means that it did not run.
		grep -q 'warning: ' "$out/w1-$cc.raw" || echo "sparse printed nothing, not even the base's warnings" >>"$out/sparse.log"
		verdict sparse "$out/sparse.log"
	fi
	[ -f "$tree/include/linux/sbm.h" ] || continue
	rc=0
	log=$out/codegen-$cc.log
	quiet "code of the sbm fallback against that of cpumasks, $cc" "$log" "$KIT_TOP/kit/tests/codegen/run.sh" "$tree" "$o" "${args[@]}" || rc=$?
	results_of lint "codegen $cc" "$log" $rc || failed=1
done

if command -v shellcheck >/dev/null; then
	say "shellcheck of the kit"
	(cd "$KIT_TOP" && shellcheck -S warning -e SC1090,SC1091,SC2034,SC2054,SC2154,SC2206 -s bash kit/kit kit/*.sh kit/cmd/*.sh kit/guest/check kit/guest/kselftest kit/guest/perf-sched \
		kit/guest/counts kit/guest/cpuset kit/guest/idle-balance kit/guest/stress kit/mutants/kit.sh kit/tests/masks/run.sh kit/litmus/*.sh) >"$out/shellcheck.log" 2>&1 || :
	verdict shellcheck "$out/shellcheck.log"
else
	result skip lint shellcheck "shellcheck is not installed"
fi
exit $failed
