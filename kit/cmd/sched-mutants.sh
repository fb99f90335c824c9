# sched-mutants: seed one fault at a time in kernel/sched, in build/linux, and see whether KUnit or sbm_test in the guest
# fails. NAMES="..." for some of them. One to three minutes each; the table goes to results/sched-mutants.txt.
. "$KIT_TOP/kit/source.sh"
. "$KIT_TOP/kit/worktree.sh"
"$KIT_TOP/kit/kit" deps run test
"$KIT_TOP/kit/kit" tree
is_dirty "$KIT_TREE" && die "$(rel "$KIT_TREE") has uncommitted changes" "commit them: the faults are seeded there, and taken back by git"
table() { python3 "$KIT_TOP/kit/mutants/run.py" -t sched "$@"; }
restore() { kgit "$KIT_TREE" checkout -q -- .; }
trap restore EXIT

# What the fault is seen by, or nothing. A kernel that does not build is none of it.
look() {
	local part cell=$KIT_RESULTS.cell rc=0 log=$KIT_LOGS/sched-mutant.log
	rm -f "$cell" "$cell.why"
	: >"$cell"
	if [ "$1" = kunit ]; then
		KIT_RESULTS=$cell KUNIT_TIMEOUT=90 "$KIT_TOP/kit/kit" kunit >"$log" 2>&1 || rc=$?
	else
		part=${1#*/}
		[ "$part" != "$1" ] || part=sbm
		SCENARIO=${1%%/*} PARTS="check $part" KIT_RESULTS=$cell "$KIT_TOP/kit/kit" selftest >"$log" 2>&1 || rc=$?
	fi
	[ "$rc" -ne 0 ] || return 0
	! grep -q 'does not build\|do not build' "$log" || { tail -n 1 "$log" >&2; return 1; }
	awk -F'\t' '$1 == "fail" { print $3; exit }' "$cell"
}

say "seeding faults in kernel/sched, a line for each"
log=$KIT_LOGS/sched-mutants.log
: >"$log"
while read -r name file check; do
	case " ${NAMES:-$name} " in *" $name "*) ;; *) continue ;; esac
	table seed "$name" "$KIT_TREE" || die "the fault $name cannot be seeded" "see kit/mutants/sched"
	if ! how=$(look "$check"); then
		line="SURVIVED $name: $file with it does not build"
	elif [ -n "$how" ]; then
		line="killed $name ($how)"
	else
		line="SURVIVED $name: $check passes"
	fi
	restore
	say "$line"
	echo "$line" >>"$log"
done < <(table list)
sed -n 's/^killed /ok /p; s/^SURVIVED /not ok /p' "$log" >"$log.results"
rc=0
! grep -q ^SURVIVED "$log" || rc=1
results_of mutants sched "$log.results" "$rc" || exit 1
[ -n "${NAMES:-}" ] || {
	echo "# make sched-mutants: faults seeded in kernel/sched (kit/mutants/sched), and what failed"
	echo "# $(base_name), $(gcc --version | sed -n 1p), $(date +%F)"
	cat "$log"
} >"$KIT_TOP/results/sched-mutants.txt"
