# clean: removes build/ but for the work tree, if that holds work of its own. ALL=1: the cache, too.
. "$KIT_TOP/kit/worktree.sh"
keep=
if [ -d "$KIT_TREE/.git" ]; then
	if is_dirty "$KIT_TREE" || [ -n "$(stray_edits "$KIT_TREE" | sed -n 1p)" ] ||
		[ "$(kgit "$KIT_TREE" rev-parse HEAD)" != "$(cat "$KIT_TREE/.git/kit-head" 2>/dev/null)" ]; then
		keep=linux
		say "kept $(rel "$KIT_TREE"): it holds work that is not exported"
	fi
fi
for f in "$KIT_BUILD"/* ; do
	[ "$(basename "$f")" = "$keep" ] || [ "$f" = "${KIT_RESULTS:-}" ] || rm -rf "$f"
done
[ -z "${ALL:-}" ] || rm -rf "$KIT_CACHE"
