# tree: build/linux, the base with one commit for each patch. Edit there, commit with git, `make export`.
# An existing tree is kept: it is brought to patches/7.3 only if it holds no work of its own.
. "$KIT_TOP/kit/source.sh"
. "$KIT_TOP/kit/worktree.sh"
mkdir -p "$KIT_LOGS"

if [ -d "$KIT_TREE/.git" ] && [ "$(cat "$KIT_TREE/.git/kit-base")" != "$(base_name)" ]; then
	if is_dirty "$KIT_TREE" || [ "$(kgit "$KIT_TREE" rev-parse HEAD)" != "$(cat "$KIT_TREE/.git/kit-head" 2>/dev/null)" ]; then
		die "$(rel "$KIT_TREE") stands on another base ($(cat "$KIT_TREE/.git/kit-base")) and holds work of yours" \
			"make export and commit it, or give this run a folder of its own with KIT_BUILD="
	fi
	rm -rf "$KIT_TREE"
fi
if [ ! -d "$KIT_TREE/.git" ]; then
	"$KIT_TOP/kit/kit" fetch
	new_tree "$KIT_TREE"
	kgit "$KIT_TREE" rev-parse HEAD >"$KIT_TREE/.git/kit-head"
	am_series "$KIT_TREE"
	adopt_identity "$KIT_TREE"
	say "$(rel "$KIT_TREE"): $(base_name) and $(patch_files | wc -l) patches"
	exit 0
fi
if [ -d "$KIT_TREE/.git/rebase-apply" ] || [ -d "$KIT_TREE/.git/rebase-merge" ]; then
	die "a rebase or am is under way in $(rel "$KIT_TREE")" "finish it (git rebase --continue) or abort it there"
fi
if [ "$(cat "$KIT_TREE/.git/kit-series" 2>/dev/null)" = "$(series_id)" ]; then
	if is_dirty "$KIT_TREE"; then say "$(rel "$KIT_TREE"): with uncommitted changes"; else say "$(rel "$KIT_TREE"): up to date"; fi
	exit 0
fi
is_dirty "$KIT_TREE" &&
	die "$(rel "$KIT_TREE") has uncommitted changes, and patches/7.3 is not what it was made from" "commit them there and make export, or git stash"
[ "$(kgit "$KIT_TREE" rev-parse HEAD)" = "$(cat "$KIT_TREE/.git/kit-head" 2>/dev/null)" ] ||
	die "$(rel "$KIT_TREE") has commits that are not in patches/7.3, and patches/7.3 has changed too" \
		"make export writes the tree's; or git -C $(rel "$KIT_TREE") reset --hard $(cut -c1-12 "$KIT_TREE/.git/kit-head") takes the patches"
no_stray_edits "$KIT_TREE"
while read -r path blob; do
	[ "$blob" = 0000000000000000000000000000000000000000 ] || kgit "$KIT_TREE" cat-file -e "base:$path" 2>/dev/null || fresh=1
done < <(touched)
if [ -n "${fresh:-}" ]; then
	say "the patches touch more of the base than the tree tracks: laying it anew"
	rm -rf "$KIT_TREE"
	exec "$KIT_TOP/kit/kit" tree
fi
am_series "$KIT_TREE"
say "$(rel "$KIT_TREE"): brought to patches/7.3"
