# post: the patches as mail, for a person to send: a folder $KIT_BUILD/post/PART-VERSION for each part that the
# series names, with README (what it applies to, what was checked) and mail/, which git send-email takes as it is.
# Nothing is sent from here. FROM="Name <mail>" becomes the author and signs. PART="psi sbm": only these. VERSION=v2.
# TRAILERS="Tested-by: A <a@b>; ..." go to each patch. The cover letter is docs/cover-PART.txt: its subject, an empty
# line, the text; NOCOVER=1: a part that has none goes without. RANGE_DIFF=: a folder that an earlier run has made, or
# a commit of this repository; the difference goes into the cover letter. DRAFT=1: patches that are not ready, too.
. "$KIT_TOP/kit/source.sh"
. "$KIT_TOP/kit/worktree.sh"
. "$KIT_TOP/kit/base.conf"
version=${VERSION:-v1} series=$KIT_PATCHES/series before=${RANGE_DIFF:-}

# of_part FOLDER PART...: the patches of these parts, one path a line, in the order of the series
of_part() {
	local folder=$1
	shift
	awk -v folder="$folder" -v parts=" $* " '$2 == "#" && index(parts, " " substr($3, 1, length($3) - 1) " ") { print folder "/" $1 }' "$folder/series"
}
# parts_of FOLDER: the names of the parts, in the order in which they begin
parts_of() { awk '$2 == "#" && !seen[$3]++ { sub(/:$/, "", $3); print $3 }' "$1/series"; }
cover_of() { printf '%s/docs/cover-%s.txt' "$KIT_TOP" "$1"; }

# --- what was asked for: all of it is looked at before anything is written ---------------------------
mail_re='^[^<>[:cntrl:]]*[^<>[:cntrl:] ] <[^<>@[:cntrl:] ]+@[^<>@[:cntrl:] ]+>$'
[[ ${FROM:-} =~ $mail_re ]] || die "FROM='${FROM:-}' is not a name and a mail address" "make post FROM=\"Name <name@example.org>\""
[[ $version =~ ^v[1-9][0-9]*$ ]] || die "VERSION=$version is no version" "v2, v3 and so on; none is the first"
trailers=()
while IFS= read -r line; do
	[[ $line =~ ^[A-Z][A-Za-z-]*:\ [^\ ] ]] || die "'$line' in TRAILERS is no trailer" 'TRAILERS="Reviewed-by: Name <mail>; Tested-by: Name <mail>"'
	trailers+=(--trailer "$line")
done < <(tr ';' '\n' <<<"${TRAILERS:-}" | sed 's/^ *//; s/ *$//; /^$/d')
list=$(patch_files)
[ -n "$list" ] || die "the series has no patches" "make export"
line=$(grep -vE '^(#|$)|^[^ ]+ # [^ :]+: [^ ]' "$series" | sed -n 1p || :)
[ -z "$line" ] || die "'$line' in $(rel "$series") names no part and status" "NAME # PART: STATUS"
read -ra parts <<<"${PART:-$(parts_of "$KIT_PATCHES" | xargs)}"
for part in "${parts[@]}"; do
	mapfile -t patches < <(of_part "$KIT_PATCHES" "$part")
	[ ${#patches[@]} -gt 0 ] || die "the part '$part' has no patches" "the parts in $(rel "$series") are: $(parts_of "$KIT_PATCHES" | xargs)"
	mapfile -t unready < <(awk -v part="$part:" '$2 == "#" && $3 == part && $4 != "ready" { print $1 " is " $4 }' "$series")
	[ ${#unready[@]} -eq 0 ] || [ -n "${DRAFT:-}" ] ||
		die "${#unready[@]} of the ${#patches[@]} patches of $part are not ready (${unready[0]})" "choose other parts with PART=, or take them with DRAFT=1"
	if [ -f "$(cover_of "$part")" ]; then
		[ -n "$(sed -n '1s/[ \t]//gp' "$(cover_of "$part")")" ] || die "$(rel "$(cover_of "$part")") begins with an empty line" "its first line is the subject"
	elif [ ${#patches[@]} -gt 1 ]; then
		[ -n "${NOCOVER:-}" ] || die "$part has ${#patches[@]} patches and no cover letter" "write $(rel "$(cover_of "$part")"), or post without one: NOCOVER=1"
		[ -z "$before" ] || die "RANGE_DIFF goes into a cover letter, and $part has none" "write $(rel "$(cover_of "$part")")"
	fi
done
if [ -d "$before" ]; then
	[ ${#parts[@]} -eq 1 ] || die "the folder RANGE_DIFF=$before is of one part" "name it with PART="
	before=$(realpath "$before")
	[ ! -d "$before/mail" ] || before=$before/mail
elif [ -n "$before" ]; then
	git -C "$KIT_TOP" rev-parse -q --verify "$before:$(rel "$series")" >/dev/null 2>&1 ||
		die "RANGE_DIFF=$before is neither a folder nor a commit that has $(rel "$series")" "give the folder of the last version, or its tag"
fi
"$KIT_TOP/kit/kit" tree
is_dirty "$KIT_TREE" && die "$(rel "$KIT_TREE") has uncommitted changes" "commit them there (git status), then make export"
[ "$(kgit "$KIT_TREE" rev-parse HEAD)" = "$(cat "$KIT_TREE/.git/kit-head")" ] || die "$(rel "$KIT_TREE") has commits that are not in $(rel "$KIT_PATCHES")" "make export"
no_stray_edits "$KIT_TREE"

# changed_by_hand FOLDER: a folder that is not as the kit has left it
changed_by_hand() { [ -d "$1" ] && ! (cd "$1" && find . -type f ! -name SUMS | sort | xargs sha256sum | cmp -s - SUMS); }
for part in "${parts[@]}"; do
	out=$KIT_BUILD/post/$part-$version
	! changed_by_hand "$out" || die "$(rel "$out") was changed by hand" "move it elsewhere, or remove it"
done

# --- the commits, in a repository of their own --------------------------------------------------------
work=$(mktemp -d "$KIT_BUILD/post.XXXXXX")
trap 'rm -rf "$work"' EXIT
repo=$work/linux log=$KIT_LOGS/post-am.log
kgit "$KIT_TREE" clone -q --shared --no-checkout . "$repo"
base=$(kgit "$KIT_TREE" rev-parse base)
export GIT_COMMITTER_NAME=${FROM% <*} GIT_COMMITTER_EMAIL
GIT_COMMITTER_EMAIL=$(sed 's/.*<//; s/>$//' <<<"$FROM")
export GIT_AUTHOR_NAME=$GIT_COMMITTER_NAME GIT_AUTHOR_EMAIL=$GIT_COMMITTER_EMAIL
me=$(kgit "$repo" var GIT_COMMITTER_IDENT | sed 's/>.*/>/')
trailers=(--trailer "Signed-off-by: $me" "${trailers[@]}")

# land BRANCH ONTO PATCH...: the patches as commits on ONTO, by git am; if one does not apply, status 1
land() {
	local branch=$1 onto=$2
	shift 2
	kgit "$repo" checkout -q -B "$branch" "$onto" || die "git cannot check out $onto" "make clean, then again"
	[ $# -gt 0 ] || return 0
	kgit "$repo" am -q --committer-date-is-author-date "$@" >"$log" 2>&1 </dev/null || { kgit "$repo" am --abort; return 1; }
}
# stand BRANCH FOLDER PART: the patches of the part on the base, or where they do not apply there, on the other part
# that they need, or on all others. Sets $needs, $first (what does not apply by itself) and $onto.
stand() {
	local patches others
	mapfile -t patches < <(of_part "$2" "$3")
	mapfile -t others < <(parts_of "$2" | grep -vxF -- "$3")
	first=
	for needs in '' ${others[@]+"${others[@]}" "${others[*]}"}; do
		# shellcheck disable=SC2046,SC2086
		if land "$1-on" "$base" $(of_part "$2" $needs) && land "$1" "$1-on" "${patches[@]}"; then
			onto=$(kgit "$repo" rev-parse "$1-on")
			return 0
		fi
		[ -n "$needs" ] || first=$(sed -n 's/^Patch failed at [0-9]* //p' "$log")
	done
	return 1
}
# sign BRANCH ONTO: each commit above ONTO anew, by FROM and with the trailers; its date stays
sign() {
	local tip=$2 c date
	for c in $(kgit "$repo" rev-list --reverse "$2..$1"); do
		date=$(kgit "$repo" log -1 --format=%ad --date=raw "$c")
		tip=$(kgit "$repo" log -1 --format=%B "$c" | kgit "$repo" interpret-trailers --no-divider --if-exists addIfDifferent "${trailers[@]}" |
			kgit "$repo" stripspace | GIT_AUTHOR_DATE=$date GIT_COMMITTER_DATE=$date kgit "$repo" commit-tree "$c^{tree}" -p "$tip")
	done
	kgit "$repo" update-ref "refs/heads/$1" "$tip"
}
# earlier PART ONTO: "A..B", the commits that RANGE_DIFF names. Those of a folder are signed as they were.
earlier() {
	local old onto=$2 needs first
	if [ -d "$before" ]; then
		mapfile -t old < <(find "$before" -maxdepth 1 -name '*.patch' ! -name '*0000-cover-letter.patch' | sort)
		[ ${#old[@]} -gt 0 ] || die "no patches in RANGE_DIFF=$RANGE_DIFF" "give the folder of the last version"
		land old "$onto" "${old[@]}" || { onto=$base; land old "$onto" "${old[@]}"; } ||
			die "the patches in RANGE_DIFF=$RANGE_DIFF do not apply to the base" "give a commit of this repository, or none"
	else
		mkdir -p "$work/before"
		git -C "$KIT_TOP" archive "$before" "$(rel "$KIT_PATCHES")" | tar -xf - -C "$work/before"
		[ -n "$(of_part "$work/before/$(rel "$KIT_PATCHES")" "$1")" ] || die "$before has no patches of $1" "give another commit, or none"
		stand old "$work/before/$(rel "$KIT_PATCHES")" "$1" || die "the patches of $before do not apply to the base" "give a later commit, or none"
		sign old "$onto"
	fi
	printf '%s..old' "$onto"
}

# --- the mail -----------------------------------------------------------------------------------------
anchors=()
while IFS= read -r line; do anchors+=("--anchored=$line"); done < <(grep -v '^#' "$KIT_TOP/kit/diff-anchors")
# people FLAG...: whom get_maintainer.pl names for the patches; a home folder may hold settings for it
people() {
	(cd "$KIT_TREE" && HOME=$work perl scripts/get_maintainer.pl --nogit --no-git-fallback --norolestats "$@" "${patches[@]}") 2>"$log"
}
tag=v${BASE_VERSION%.0} failed=0
mkdir -p "$KIT_BUILD/post"
for part in "${parts[@]}"; do
	mapfile -t patches < <(of_part "$KIT_PATCHES" "$part")
	new=$work/$part-$version out=$KIT_BUILD/post/$part-$version
	mkdir -p "$new/mail"
	if ! stand "$part" "$KIT_PATCHES" "$part"; then
		result fail post "$part: git am" "applies neither by itself nor after the other parts, read $(rel "$log")"
		failed=1
		continue
	fi
	sign "$part" "$onto"
	applies="to $tag${needs:+ after the patches of: $needs}"
	[ -z "$needs" ] || say "$part does not apply by itself ($first): it needs $needs"

	people --nol --nor >"$work/to" || die "get_maintainer.pl failed for $part" "read $(rel "$log")"
	people --nom | grep -vxFf "$work/to" >"$work/cc" || :
	[ -s "$work/to" ] || die "get_maintainer.pl names no maintainer for $part" "look at MAINTAINERS in $(rel "$KIT_TREE")"
	args=()
	while IFS= read -r line; do args+=("--to=$line"); done <"$work/to"
	while IFS= read -r line; do args+=("--cc=$line"); done <"$work/cc"
	[ "$version" = v1 ] || args+=("--reroll-count=${version#v}")
	if [ -f "$(cover_of "$part")" ]; then
		kgit "$repo" config "branch.$part.description" "$(sed -n 1p "$(cover_of "$part")")

$(sed 1d "$(cover_of "$part")" | sed '/./,$!d')

Applies $applies."
		args+=(--cover-letter --cover-from-description=subject)
	else
		args+=(--no-cover-letter)
	fi
	if [ -n "$before" ]; then
		range=$(earlier "$part" "$onto")
		args+=("--range-diff=$range")
	fi
	# The date of a cover letter is the committer's; git send-email puts its own in all mail.
	GIT_COMMITTER_DATE=$(kgit "$repo" log -1 --format=%ad --date=raw "$part") \
		kgit "$repo" -c diff.noprefix=false -c diff.mnemonicPrefix=false -c diff.renames=true -c diff.context=3 -c core.abbrev=12 \
		format-patch -q --zero-commit --no-signature --no-ext-diff --no-color --no-base --diff-algorithm=myers \
		${anchors[@]+"${anchors[@]}"} --subject-prefix=PATCH "${args[@]}" -o "$new/mail" "$onto..$part" 2>"$log" ||
		die "git format-patch failed for $part" "read $(rel "$log")"

	# git declares the encoding of a changelog, but not that of a cover letter; git send-email would ask.
	find "$new/mail" -type f | while IFS= read -r p; do
		! grep -q '[^[:print:][:space:]]' "$p" || awk '/^$/ { exit } /^Content-Transfer-Encoding:/ { n = 1 } END { exit !n }' "$p" ||
			sed -i '0,/^$/s/^$/MIME-Version: 1.0\nContent-Type: text\/plain; charset=UTF-8\nContent-Transfer-Encoding: 8bit\n/' "$p"
	done

	# As they stand there: do they make what the series makes?
	mapfile -t mails < <(find "$new/mail" -name '*.patch' ! -name '*0000-cover-letter.patch' | sort)
	if land check "$onto" "${mails[@]}" && kgit "$repo" diff --quiet check "$part" &&
		cmp -s <(kgit "$repo" log --format='%an <%ae>%n%B' "$onto..check") <(kgit "$repo" log --format="$me%n%B" "$onto..$part"); then
		result pass post "$part: git am"
	else
		result fail post "$part: git am" "the mail does not make what the series makes, read $(rel "$log")"
		failed=1
	fi

	# checkpatch, with nothing waived. The tree has no history: it cannot know the commits in kit/known-commits.
	checked=$KIT_LOGS/post-checkpatch-$part.log
	: >"$checked"
	for p in "${mails[@]}"; do
		rc=0
		(cd "$KIT_TREE" && HOME=$work perl scripts/checkpatch.pl --strict --no-summary --terse --show-types "$p") >"$work/checkpatch" 2>"$log" || rc=$?
		[ $rc -eq 0 ] || [ -s "$work/checkpatch" ] || { echo "$p: checkpatch ended with status $rc:"; cat "$log"; } >"$work/checkpatch"
		sed "s,^$new/mail/,," "$work/checkpatch" >>"$checked"
	done
	unknown=$(grep -cFf <(sed -n "s/^\([0-9a-f]\{12,\}\) .*/UNKNOWN_COMMIT_ID: Unknown commit id '\1',/p" "$KIT_TOP/kit/known-commits" 2>/dev/null) "$checked" || :)
	if [ "$unknown" -gt 0 ] && [ "$unknown" -eq "$(wc -l <"$checked")" ]; then
		verdict="clean but for $unknown commit ids, to be tried in a tree with history"
		result skip post "$part: checkpatch --strict" "$unknown commit ids of kit/known-commits are not in a tree without history, nothing else is said"
	elif [ -s "$checked" ]; then
		verdict="$(wc -l <"$checked") remarks"
		result fail post "$part: checkpatch --strict" "$(sed -n 1p "$checked" | cut -c1-120), read $(rel "$checked")"
		failed=1
	else
		verdict=clean
		result pass post "$part: checkpatch --strict"
	fi

	# A dry run sends nothing; and if it did, there would be no program to send with.
	dry=$KIT_LOGS/post-send-email-$part.log
	if [ ! -x "$(git --exec-path)/git-send-email" ] && ! command -v git-send-email >/dev/null; then
		dry_verdict="not tried, git send-email is not installed"
		result skip post "$part: git send-email --dry-run" "git send-email is not installed (Debian package git-email)"
	elif HOME=$work GIT_SEND_EMAIL_NOTTY=1 kgit "$repo" send-email --dry-run --quiet --confirm=never --smtp-server=/nonexistent \
		--to-cmd=true --from="$FROM" "$new/mail" >"$dry" 2>&1 </dev/null &&
		[ "$(grep -c '^Dry-' "$dry")" -eq "$(find "$new/mail" -type f | wc -l)" ] && ! grep -qiE '^(W: |warning|error|fatal)|8bit' "$dry"; then
		dry_verdict=clean
		result pass post "$part: git send-email --dry-run"
	else
		dry_verdict="not clean"
		result fail post "$part: git send-email --dry-run" "read $(rel "$dry")"
		failed=1
	fi

	{
		echo "$part $version: ${#mails[@]} patches by $me"
		echo "Base: $(base_name)"
		echo "Applies $applies."
		echo "Needs: ${needs:-no other part}${needs:+ (without: $first does not apply)}"
		echo "checkpatch --strict: $verdict"
		echo "git send-email --dry-run: $dry_verdict"
		sed 's/^/To: /' "$work/to"
		sed 's/^/Cc: /' "$work/cc"
	} >"$new/README"
	(cd "$new" && find . -type f ! -name SUMS | sort | xargs sha256sum >SUMS)
	rm -rf "$out"
	mv "$new" "$out"
	say "$part: ${#mails[@]} patches, apply $applies, in $(rel "$out")"
done
exit $failed
