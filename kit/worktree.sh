# kit/worktree.sh - work trees: a kernel tree in which git knows the files that matter, the base as one
# commit ("base") and a commit for each patch. Sourced by tree, build, export, lint and series.

tracked_paths() { grep -v '^#' "$KIT_TOP/kit/tracked"; touched | cut -d' ' -f1; }

series_id() { { tracked_paths; patch_files | xargs -r cat; } | sha256sum | cut -d' ' -f1; }

# stray_edits TREE: new or changed files (since the tree was unpacked) that git does not know of
stray_edits() {
	local tree=$1
	[ -f "$tree/.git/kit-unpacked" ] || return 0
	comm -23 <(cd "$tree" && find . -path ./.git -prune -o -type f -newer .git/kit-unpacked ! -name '*.pyc' ! -name '.checkpatch-camelcase.*' -print | sed 's,^\./,,' | sort) \
		<(kgit "$tree" ls-files | sort)
}

# no_stray_edits TREE
no_stray_edits() {
	local stray
	stray=$(stray_edits "$1")
	[ -z "$stray" ] || die "git does not know $(head -n 1 <<<"$stray") in $(rel "$1")" \
		"a new file: git add -f, commit. One of the base's: copy it aside, name its folder in kit/tracked, rm -r $(rel "$1"), make tree, put it back"
}

is_dirty() { [ -n "$(kgit "$1" status --porcelain --untracked-files=no | sed -n 1p)" ]; }

# new_tree DIR: unpack, verify and commit the base; the series comes by am_series
new_tree() {
	local dir=$1 tmp=$1.new
	need_space 2500 "$KIT_BUILD"
	rm -rf "$tmp"
	mkdir -p "$tmp"
	say "unpacking $(base_name)"
	unpack_base "$tmp"
	verify_base "$tmp"
	kgit "$tmp" init -q -b series
	# Nothing is offered for adding by itself; stray_edits tells of what was forgotten.
	echo '*' >"$tmp/.git/info/exclude"
	kgit "$tmp" config status.showUntrackedFiles no
	kgit "$tmp" config user.name kit
	kgit "$tmp" config user.email kit@localhost
	(cd "$tmp" && tracked_paths | sort -u | while read -r p; do [ ! -e "$p" ] || printf '%s\0' "$p"; done) |
		kgit "$tmp" add -f --pathspec-from-file=- --pathspec-file-nul
	GIT_AUTHOR_DATE='2026-01-01T00:00:00Z' GIT_COMMITTER_DATE='2026-01-01T00:00:00Z' \
		kgit "$tmp" commit -q -m "Linux $(kernel_version "$tmp"), the files that matter"
	kgit "$tmp" branch base
	base_name >"$tmp/.git/kit-base"
	touch "$tmp/.git/kit-unpacked"
	rm -rf "$dir"
	mv "$tmp" "$dir"
}

# am_series DIR: the patches on top of the base, by git am; nothing is lost if one does not apply
am_series() {
	local dir=$1 p was
	was=$(kgit "$dir" rev-parse HEAD)
	kgit "$dir" checkout -q -B series base
	while read -r p; do
		if ! kgit "$dir" am -q --committer-date-is-author-date "$p" >"$KIT_LOGS/am.log" 2>&1; then
			kgit "$dir" am --abort || :
			kgit "$dir" reset -q --hard "$was"
			die "$(basename "$p") does not apply" "read $(rel "$KIT_LOGS/am.log"); a patch edited by hand? make export writes them from $(rel "$dir")"
		fi
	done < <(patch_files)
	series_id >"$dir/.git/kit-series"
	kgit "$dir" rev-parse HEAD >"$dir/.git/kit-head"
}

# step_checkout COMMIT: the second tree, $KIT_STEP/linux, for the base and for single commits of the series.
# It stands to its objects in $KIT_STEP/o as build/linux stands to build/o, so that ccache knows one's in the other.
step_checkout() {
	local tree=$KIT_STEP/linux
	if [ ! -d "$tree/.git" ] || [ "$(cat "$tree/.git/kit-base")" != "$(base_name)" ]; then
		"$KIT_TOP/kit/kit" fetch
		mkdir -p "$KIT_STEP"
		new_tree "$tree"
	fi
	export CCACHE_BASEDIR=$KIT_STEP
	[ "$1" = base ] || kgit "$tree" fetch -q "$KIT_TREE" "$1"
	kgit "$tree" checkout -q "$1"
}

# A person's own identity for the commits made by hand in the work tree, if there is one.
adopt_identity() {
	local n e
	n=$(git config user.name || :) e=$(git config user.email || :)
	[ -z "$n" ] || kgit "$1" config user.name "$n"
	[ -z "$e" ] || kgit "$1" config user.email "$e"
}
