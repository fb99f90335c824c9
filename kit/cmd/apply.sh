# apply: the series on any tree by plain git am: BASE=/path/to/linux; CHECK=1 only reports.
# Says for each patch: clean, offset (applies at other lines) or conflict. The tree is changed only if
# all patches apply: they are tried in a scratch repository of the touched files first.
. "$KIT_TOP/kit/source.sh"
[ -n "${BASE:-}" ] || die "which tree?" "make apply BASE=/path/to/linux [CHECK=1]"
[ -d "$BASE" ] || [ -n "${CHECK:-}" ] || die "BASE=$BASE is not a folder" "unpack it, or only report with CHECK=1"
is_git() { git -C "$BASE" rev-parse --git-dir >/dev/null 2>&1 && [ "$(realpath "$(git -C "$BASE" rev-parse --show-toplevel)")" = "$(realpath "$BASE")" ]; }

scratch=$(mktemp -d "$KIT_BUILD/apply.XXXXXX")
trap 'rm -rf "$scratch"' EXIT
mapfile -t paths < <(touched | cut -d' ' -f1)
if [ -d "$BASE" ]; then
	[ -f "$BASE/kernel/sched/core.c" ] || [ -f "$BASE/Makefile" ] || die "BASE=$BASE is not a kernel tree" "give the folder that holds kernel/ and Makefile"
	if is_git && [ -n "$(git -C "$BASE" status --porcelain --untracked-files=no | sed -n 1p)" ]; then
		die "BASE=$BASE has uncommitted changes" "commit or stash them first"
	fi
	(cd "$BASE" && for f in Makefile "${paths[@]}"; do [ ! -f "$f" ] || printf '%s\0' "$f"; done) |
		tar -C "$BASE" --null -T - -cf - | tar -xf - -C "$scratch"
else
	unpack_base "$scratch"
fi
kgit "$scratch" init -q
kgit "$scratch" config user.name kit
kgit "$scratch" config user.email kit@localhost
(cd "$scratch" && for f in Makefile "${paths[@]}"; do [ ! -f "$f" ] || printf '%s\0' "$f"; done) |
	kgit "$scratch" add -f --pathspec-from-file=- --pathspec-file-nul
kgit "$scratch" commit -q -m base

say "Linux $(kernel_version "$scratch"): $(patch_files | wc -l) patches"
conflicts=0
while read -r p; do
	name=$(basename "$p" .patch)
	if [ "$conflicts" -ne 0 ]; then
		result skip apply "$name" "an earlier patch conflicts"
		continue
	fi
	how=$(kgit "$scratch" apply --check --verbose "$p" 2>&1) && rc=0 || rc=1
	if [ $rc -ne 0 ]; then
		# am may still do it where the patch is in the tree already, say; what counts is the check.
		conflicts=1
		why=$(sed -n 's/^error: //p' <<<"$how" | grep -v '^while searching for' | sed -n 1p)
		printf '  conflict  %s: %s\n' "$name" "$why"
		result fail apply "$name" "conflict: $why"
		continue
	fi
	kgit "$scratch" am -q "$p" >"$KIT_LOGS/am.log" 2>&1 || die "$name passes git apply but not git am" "read $(rel "$KIT_LOGS/am.log")"
	if grep -q offset <<<"$how"; then
		printf '  offset    %s (%s lines at most)\n' "$name" "$(grep -o 'offset -\{0,1\}[0-9]*' <<<"$how" | tr -d -c '0-9\n' | sort -n | tail -n 1)"
	else
		printf '  clean     %s\n' "$name"
	fi
	result pass apply "$name"
done < <(patch_files)
[ "$conflicts" -eq 0 ] || die "the series does not apply to $BASE" "nothing in it was changed; the list above says where"
if [ -n "${CHECK:-}" ]; then
	say "applies; nothing was changed (CHECK=1)"
elif is_git; then
	patch_files | xargs git -C "$BASE" am -q || { git -C "$BASE" am --abort; die "git am failed in $BASE" "it stands as before; try git am there by hand"; }
	say "applied to $BASE by git am: git -C $BASE log --oneline -$(patch_files | wc -l)"
else
	# Not a git tree: as one change, or none.
	patch_files | while read -r p; do (cd "$BASE" && GIT_DIR=/nonexistent git apply "$p"); done ||
		die "git apply failed in $BASE" "unpack it anew"
	say "applied to $BASE (not a git tree: by git apply)"
fi
