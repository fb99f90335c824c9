# series: every commit of the series: build, boot, KUnit. One configuration for all commits before the
# next, so that builds are incremental. Resumable: a commit that passed is not run again until it, what is
# below it or the kit's configuration changes. The table goes to results/series.txt. FRESH=1: from the start.
# INPLACE=1: in build/linux itself, which must be clean and goes through the commits meanwhile: saves a second
# tree and its first build. An interrupted run leaves it at a commit: git checkout series. CLANG=1: compile each with clang, too.
. "$KIT_TOP/kit/source.sh"
. "$KIT_TOP/kit/worktree.sh"
. "$KIT_TOP/kit/kernel.sh"
. "$KIT_TOP/kit/guest.sh"
guest_settings
"$KIT_TOP/kit/kit" deps run test
"$KIT_TOP/kit/kit" tree
is_dirty "$KIT_TREE" && die "$(rel "$KIT_TREE") has uncommitted changes" "commit them, the series is what git log says"
state=$KIT_BUILD/series
if [ -n "${INPLACE:-}" ]; then
	KIT_STEP=$KIT_BUILD
	no_stray_edits "$KIT_TREE"
	trap 'kgit "$KIT_TREE" checkout -q series' EXIT
fi
[ -z "${FRESH:-}" ] || rm -rf "$state"
mkdir -p "$state"
mapfile -t commits < <(kgit "$KIT_TREE" rev-list --reverse base..HEAD)
[ ${#commits[@]} -gt 0 ] || die "the series is empty" "make tree"

# What a cell depends on: the commit's whole tree and the kit's side of the job.
key() { { kgit "$KIT_TREE" rev-parse "$1^{tree}"; cat "$KIT_TOP"/kit/configs/*.config "$KIT_TOP/kit/guest/check" "$KIT_TOP/kit/scenarios/$SCENARIO"; } | sha256sum | cut -c1-16; }
failed=0
# cell KIND COMMIT COMMAND...: run, unless it has passed before
cell() {
	local kind=$1 commit=$2 subject stamp rc=0
	shift 2
	subject=$(kgit "$KIT_TREE" log -1 --format=%s "$commit")
	stamp=$state/$kind-$(key "$commit")
	if [ -f "$stamp" ]; then
		say "$kind: passed before: $subject"
	else
		say "$kind: $subject"
		: >"$KIT_RESULTS.cell"
		"$@" || rc=$?
		[ $rc -ne 0 ] || touch "$stamp"
	fi
	if [ $rc -eq 0 ]; then result pass "$kind" "$subject"; else result fail "$kind" "$subject" "$(cat "$KIT_RESULTS.why" 2>/dev/null)"; failed=1; fi
}
build_and_boot() {
	local o=$KIT_STEP/o/$CONFIG log=$KIT_LOGS/series-build.log
	step_checkout "$1"
	configure "$KIT_STEP/linux" "$o" "$CONFIG" ARCH=x86_64
	quiet "building" "$log" kmake "$KIT_STEP/linux" "$o" ARCH=x86_64 bzImage modules || die "does not build" "read $(rel "$log")"
	KIT_RESULTS=$KIT_RESULTS.cell guest_session "series-$SCENARIO" "$o" "$SCENARIO" check
}
run_kunit() {
	step_checkout "$1"
	KIT_RESULTS=$KIT_RESULTS.cell KUNIT_TREE=$KIT_STEP/linux "$KIT_TOP/kit/kit" kunit
}
for c in "${commits[@]}"; do cell boot "$c" in_subshell build_and_boot "$c"; done
for c in "${commits[@]}"; do cell kunit "$c" in_subshell run_kunit "$c"; done
run_clang() {
	step_checkout "$1"
	KIT_RESULTS=$KIT_RESULTS.cell COMPILE_TREE=$KIT_STEP/linux COMPILER=clang CONFIG=x86_64 "$KIT_TOP/kit/kit" compile
}
[ -z "${CLANG:-}" ] || for c in "${commits[@]}"; do cell clang "$c" in_subshell run_clang "$c"; done

{
	echo "# make series: every commit builds and boots ($SCENARIO), passes KUnit under UML with 1 and 4 CPUs, and compiles with clang"
	echo "# $(base_name), $(gcc --version | sed -n 1p), $(qemu-system-x86_64 --version | sed -n 1p), $(date +%F)"
	awk -F'\t' '$2 == "boot" || $2 == "kunit" || $2 == "clang" { if (!($3 in seen)) { seen[$3] = 1; order[++n] = $3 } s[$3, $2] = $1 }
		END {
			printf "%-6s %-6s %-6s %s\n", "boot", "kunit", "clang", "commit"
			for (i = 1; i <= n; i++) printf "%-6s %-6s %-6s %s\n", s[order[i], "boot"], s[order[i], "kunit"], s[order[i], "clang"], order[i]
		}' "$KIT_RESULTS"
} >"$KIT_TOP/results/series.txt"
exit $failed
