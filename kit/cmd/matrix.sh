# matrix: the cells of kit/matrix, one after the other: hours. ONLY= names or patterns of those to run. A cell that has passed is not run
# again until the series or what it depends on in the kit changes; FRESH=1: all. The state of every cell goes to results/matrix.txt.
. "$KIT_TOP/kit/source.sh"
. "$KIT_TOP/kit/worktree.sh"
: "${ONLY:=*}"
"$KIT_TOP/kit/kit" tree
is_dirty "$KIT_TREE" && die "$(rel "$KIT_TREE") has uncommitted changes" "commit them, the cells are kept by what git log says"
state=$KIT_BUILD/matrix
mkdir -p "$state"

# "NAME<TAB>COMMAND" of each cell; {1..N} in a name makes N of them, with the number in the place of %
cells() {
	local name command i
	while IFS=$'\t' read -r name command; do
		case $name in
		'' | '#'*) ;;
		*'{1..'*'}') for ((i = 1; i <= $(sed 's/.*{1\.\.\([0-9]*\)}/\1/' <<<"$name"); i++)); do
			printf '%s%s\t%s\n' "${name%%\{*}" "$i" "${command//%/$i}"
		done ;;
		*) printf '%s\t%s\n' "$name" "$command" ;;
		esac
	done <"$KIT_TOP/kit/matrix"
}
wanted() {
	local pattern
	set -f
	# shellcheck disable=SC2053
	for pattern in $ONLY; do [[ $1 != $pattern ]] || return 0; done
	return 1
}
# What a cell depends on: the series, the command, and the kit's side of the job
key() {
	{
		kgit "$KIT_TREE" rev-parse 'HEAD^{tree}'
		echo "$1"
		(cd "$KIT_TOP/kit" && find "cmd/${1%% *}.sh" configs guest scenarios mutants expected-kunit splats splats-allowed -type f | sort | xargs cat)
	} | sha256sum | cut -c1-16
}

any='' failed=0
while IFS=$'\t' read -r name command; do
	wanted "$name" || continue
	any=1
	f=$state/$name
	key=$(key "$command")
	if [ -z "${FRESH:-}" ] && [ "$(cut -f1,2 "$f" 2>/dev/null)" = "pass	$key" ]; then
		result pass matrix "$name"
		say "$name: passed before"
		continue
	fi
	say "$name: $command"
	rc=0 t=$(date +%s) log=$KIT_LOGS/matrix-$name.log
	rm -f "$f.tsv" "$f.tsv.why"
	: >"$f.tsv"
	eval "set -- $command"
	cmd=$1
	shift
	KIT_RESULTS=$f.tsv quiet "$name" "$log" env "$@" "$KIT_TOP/kit/kit" "$cmd" || rc=$?
	n=$(grep -c ^pass "$f.tsv" || :) wrong=$(grep -c ^fail "$f.tsv" || :) skipped=$(grep -c ^skip "$f.tsv" || :)
	why=$(cat "$f.tsv.why" 2>/dev/null || :)
	[ "$wrong" -eq 0 ] || why=$(awk -F'\t' '$1 == "fail" { print $3 ": " $4; exit }' "$f.tsv")
	case $rc:$wrong:$n in
	0:0:0) verdict=fail why=${why:-"nothing was checked"} ;;
	0:0:*) verdict=pass why="$n passed${skipped:+, $skipped skipped}" ;;
	4:0:*) verdict=skip ;;
	*) verdict=fail why=${why:-"exit status $rc, read $(rel "$log")"} ;;
	esac
	printf '%s\t%s\t%s\t%s\t%s\n' "$verdict" "$key" "$(date +%F)" $(($(date +%s) - t)) "$why" >"$f"
	result "$verdict" matrix "$name" "$([ $verdict = pass ] || echo "$why")"
	say "$name: $verdict, $why"
	[ $verdict = pass ] || failed=1
done < <(cells)
[ -n "$any" ] || die "no cell is named $ONLY" "one of: $(cells | cut -f1 | paste -sd ' ')"

{
	echo "# make matrix: cells of kit/matrix; 'old' is a pass of an earlier state of the series or of the kit"
	echo "# $(base_name), $(gcc --version | sed -n 1p), $(qemu-system-x86_64 --version | sed -n 1p)"
	while IFS=$'\t' read -r name command; do
		if IFS=$'\t' read -r verdict key date seconds why 2>/dev/null <"$state/$name"; then
			[ "$verdict" != pass ] || [ "$key" = "$(key "$command")" ] || verdict=old
			printf '%-26s %-5s %s %6d s  %s\n' "$name" "$verdict" "$date" "$seconds" "$why"
		else
			printf '%-26s -\n' "$name"
		fi
	done < <(cells) | sed "s,$KIT_TOP/,,g"
} >"$KIT_TOP/results/matrix.txt"
exit $failed
