# export: build/linux to patches/7.3/ and to the mirror of the files that the series adds. Exporting
# twice changes nothing. CHECK=1: writes nothing, fails if the repository does not hold what it would.
. "$KIT_TOP/kit/source.sh"
. "$KIT_TOP/kit/worktree.sh"
[ -d "$KIT_TREE/.git" ] || die "no work tree to export" "make tree"
is_dirty "$KIT_TREE" && die "$(rel "$KIT_TREE") has uncommitted changes" "commit them there (git status), then make export"
[ ! -d "$KIT_TREE/.git/rebase-merge" ] && [ ! -d "$KIT_TREE/.git/rebase-apply" ] || die "a rebase is under way in $(rel "$KIT_TREE")" "git rebase --continue, or --abort"
no_stray_edits "$KIT_TREE"
left=$(kgit "$KIT_TREE" log --format=%s base..HEAD | grep -E '^(fixup|squash|amend)!' | sed -n 1p || :)
[ -z "$left" ] || die "'$left' is not folded in yet" "git rebase -i --autosquash base, in $(rel "$KIT_TREE")"
[ -z "$(kgit "$KIT_TREE" rev-list --merges base..HEAD)" ] || die "there is a merge in the series" "git rebase base, in $(rel "$KIT_TREE")"

anchors=()
while IFS= read -r line; do anchors+=("--anchored=$line"); done < <(grep -v '^#' "$KIT_TOP/kit/diff-anchors")
new=$(mktemp -d "$KIT_BUILD/export.XXXXXX")
trap 'rm -rf "$new"' EXIT
mkdir -p "$new/patches" "$new/mirror"
kgit "$KIT_TREE" -c diff.noprefix=false -c diff.mnemonicPrefix=false -c diff.renames=true -c diff.context=3 \
	-c core.quotePath=true -c core.abbrev=40 \
	format-patch -q -N --full-index --zero-commit --no-signature --no-ext-diff --no-color --no-base --no-cover-letter \
	--stat=75 --diff-algorithm=myers ${anchors[@]+"${anchors[@]}"} --subject-prefix=PATCH -o "$new/patches" base..HEAD

# The series file: order; the part and status behind the # are a person's and stay, by subject.
{
	echo '# The order of the patches; behind each the part it is posted with, and its status.'
	for p in "$new/patches"/*.patch; do
		[ -f "$p" ] || continue
		name=$(basename "$p")
		note=$(sed -n "s/^[0-9]*-${name#*-}[ \t]*#[ \t]*//p" "$KIT_PATCHES/series" 2>/dev/null | sed -n 1p)
		printf '%s # %s\n' "$name" "${note:-sbm: draft}"
	done
} >"$new/patches/series"
[ ! -f "$KIT_PATCHES/0000-cover-letter.patch" ] || cp "$KIT_PATCHES/0000-cover-letter.patch" "$new/patches/"

# The mirror: files that the series adds, whole; of MAINTAINERS the added lines.
added() { kgit "$KIT_TREE" diff --no-renames --diff-filter=A --name-only base HEAD; }
added | while read -r f; do
	mkdir -p "$new/mirror/$(dirname "$f")"
	kgit "$KIT_TREE" show "HEAD:$f" >"$new/mirror/$f"
	[ "$(kgit "$KIT_TREE" ls-tree HEAD "$f" | cut -c1-6)" != 100755 ] || chmod +x "$new/mirror/$f"
done
if ! kgit "$KIT_TREE" diff --quiet base HEAD -- MAINTAINERS; then
	{
		echo '# The lines that the series adds to MAINTAINERS, each group under its entry'
		# shellcheck disable=SC2016
		kgit "$KIT_TREE" diff -U1000000 base HEAD -- MAINTAINERS | awk '
			/^[-+ ][A-Z0-9][^:]*$/ && (prev ~ /^[-+ ]?$/ || prev ~ /^@@/) { entry = substr($0, 2) }
			/^\+/ && !/^\+\+\+/ { if (entry != shown && substr($0, 2) != entry) { print ""; print entry; shown = entry } print substr($0, 2) }
			{ prev = $0 }'
	} >"$new/mirror/MAINTAINERS"
fi

# What the mirror held before: the files that the patches in the repository add.
old_mirror() {
	local list
	list=$(find "$KIT_PATCHES" -name '[0-9]*.patch' ! -name '0000-*' 2>/dev/null | sort)
	# shellcheck disable=SC2086
	[ -z "$list" ] || awk '/^diff --git /{ p = $NF; sub(/^b\//, "", p) } /^new file mode/ { print p } p == "MAINTAINERS" { print p }' $list | sort -u
}
mapfile -t now < <(cd "$new/mirror" && find . -type f | sed 's,^\./,,' | sort)
differs=$(diff -rq "$KIT_PATCHES" "$new/patches" 2>&1 | sed -n 1p || :)
for f in "${now[@]}"; do
	cmp -s "$new/mirror/$f" "$KIT_TOP/$f" || differs=${differs:-"$f differs"}
done
for f in $(old_mirror); do
	[ -f "$new/mirror/$f" ] || [ ! -f "$KIT_TOP/$f" ] || differs=${differs:-"$f is not in the series any more"}
done
if [ -n "${CHECK:-}" ]; then
	[ -z "$differs" ] || die "patches/7.3 or the mirror is not what $(rel "$KIT_TREE") exports (${differs//$KIT_TOP\//})" "make export, and look at git diff"
	say "patches/7.3 and the mirror are what $(rel "$KIT_TREE") exports"
	exit 0
fi
if [ -n "$differs" ]; then
	for f in $(old_mirror); do
		rm -f "${KIT_TOP:?}/$f"
		(cd "$KIT_TOP" && rmdir -p --ignore-fail-on-non-empty "$(dirname "$f")" 2>/dev/null) || :
	done
	mkdir -p "$KIT_PATCHES"
	rm -f "$KIT_PATCHES"/[0-9]*.patch "$KIT_PATCHES/series"
	cp "$new/patches"/* "$KIT_PATCHES/"
	for f in "${now[@]}"; do
		mkdir -p "$KIT_TOP/$(dirname "$f")"
		cp -p "$new/mirror/$f" "$KIT_TOP/$f"
	done
fi
series_id >"$KIT_TREE/.git/kit-series"
kgit "$KIT_TREE" rev-parse HEAD >"$KIT_TREE/.git/kit-head"
say "exported $(patch_files | wc -l) patches and ${#now[@]} mirrored files${differs:+ (changed)}"
