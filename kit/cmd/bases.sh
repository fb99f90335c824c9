# bases: does the series apply to other kernels? Each linux-source package from 7.2 on in Debian's suites (SUITES=) is fetched,
# a few at 150 MB each, and each patch tried on it. The table goes to results/bases.txt: clean, offset, or where it conflicts.
. "$KIT_TOP/kit/base.conf"
. "$KIT_TOP/kit/apt.sh"
: "${SUITES:=trixie-backports forky sid experimental}"
command -v apt-get >/dev/null || skip "no apt-get to look for other kernels with"
need_space 1000 "$KIT_CACHE"
# shellcheck disable=SC2086
private_apt "$KIT_CACHE/apt-bases" $SUITES
log=$KIT_LOGS/bases.log
APT_CONFIG=$apt/apt.conf quiet "reading the lists of $SUITES" "$log" apt-get update -q ||
	die "the lists of $SUITES could not be read" "is the network there? Log: $(rel "$log")"
mapfile -t found < <(APT_CONFIG=$apt/apt.conf apt-cache pkgnames linux-source-7. | sort -V |
	while read -r package; do
		[ "$(printf '%s\n' "${package#linux-source-}" 7.2 | sort -V | sed -n 1p)" = 7.2 ] || continue
		APT_CONFIG=$apt/apt.conf apt-cache madison "$package" | awk '{ print $1 "=" $3 }'
	done | sort -uV)
[ ${#found[@]} -gt 0 ] || die "$SUITES have no linux-source-7.2 or newer" "other suites: SUITES="
rows=() failed=0
for p in "${found[@]}"; do
	download() { cd "$apt/get" && rm -f ./*.deb && APT_CONFIG=$apt/apt.conf apt-get download -q "$p"; }
	quiet "fetching $p" "$log" download || die "$p could not be fetched" "read $(rel "$log")"
	cell=$KIT_RESULTS.cell rc=0
	: >"$cell"
	KIT_RESULTS=$cell BASE=$(ls "$apt/get"/*.deb) CHECK=1 "$KIT_TOP/kit/kit" apply >"$KIT_LOGS/bases-apply.log" 2>&1 || rc=$?
	row=$(awk '$1 == "clean" || $1 == "offset" { n[$1]++ } END { printf "%d clean, %d with an offset", n["clean"], n["offset"] }' "$KIT_LOGS/bases-apply.log")
	if [ $rc -ne 0 ]; then
		row="$row, then a $(sed -n 's/^ *conflict *\(.*\)/conflict of \1/p' "$KIT_LOGS/bases-apply.log" | sed -n 1p)"
		failed=1
		result fail bases "$p" "$row"
	else
		result pass bases "$p"
	fi
	say "$p: $row"
	rows+=("$(printf '%-46s %s' "$p" "$row")")
done
rm -rf "$apt"
{
	echo "# make bases: the $(patch_files | wc -l) patches on the kernels of $SUITES, $(date +%F)"
	printf '%s\n' "${rows[@]}"
} >"$KIT_TOP/results/bases.txt"
exit $failed
