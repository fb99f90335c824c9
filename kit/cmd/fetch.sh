# fetch: the base's source package in the cache, with its sum checked; prints nothing but progress.
# The mirror is the one that the machine's apt uses for Debian; it is asked through apt, so that the
# archive's signatures are checked, with lists and cache of the kit's own: the system's stay as they are.
# With BASE=: nothing to fetch. KIT_BASE_FILE names what `source.sh` unpacks.

. "$KIT_TOP/kit/base.conf"
. "$KIT_TOP/kit/apt.sh"
if [ -n "${BASE:-}" ]; then
	[ -e "$BASE" ] || die "BASE=$BASE does not exist" "give a git tree, an unpacked kernel, a tar archive or a Debian source package"
	exit 0
fi

mkdir -p "$KIT_CACHE"
deb=$KIT_CACHE/$BASE_PACKAGE.deb
sum_is() { [ "$(sha256sum <"$1" | cut -d' ' -f1)" = "$2" ]; }

if [ -f "$deb" ]; then
	sum_is "$deb" "$BASE_SHA256" && exit 0
	if [ -f "$deb.newer" ] && sum_is "$deb" "$(cut -d' ' -f2 "$deb.newer")"; then
		say "base: $BASE_PACKAGE $(cut -d' ' -f1 "$deb.newer"), newer than the pinned $BASE_PACKAGE_VERSION"
		exit 0
	fi
	say "the cached $BASE_PACKAGE has the wrong SHA-256: fetching it again"
	rm -f "$deb"
fi

command -v apt-get >/dev/null ||
	die "no apt-get to fetch $BASE_PACKAGE with" "give a Linux $BASE_VERSION tree with BASE=/path/to/linux"
need_space 400 "$KIT_CACHE"

private_apt "$KIT_CACHE/apt" "$BASE_SUITE"
log=$KIT_LOGS/fetch.log
APT_CONFIG=$apt/apt.conf quiet "reading the list of $BASE_SUITE" "$log" apt-get update -q ||
	die "$BASE_SUITE could not be read" "is the network there? Log: $(rel "$log"). Or give a tree with BASE="

have=$(APT_CONFIG=$apt/apt.conf apt-cache madison "$BASE_PACKAGE" | awk '{ print $3 }')
version=$BASE_PACKAGE_VERSION
if ! grep -qxF "$version" <<<"$have"; then
	version=$(sort -V <<<"$have" | tail -n 1)
	[ -n "$version" ] || die "$BASE_SUITE has no $BASE_PACKAGE any more" "give a Linux $BASE_VERSION tree with BASE=/path/to/linux"
fi
download() { cd "$apt/get" && APT_CONFIG=$apt/apt.conf apt-get download -q "$BASE_PACKAGE=$version"; }
quiet "fetching $BASE_PACKAGE $version" "$log" download ||
	die "$BASE_PACKAGE could not be fetched" "read $(rel "$log")"
got=$(ls "$apt/get"/*.deb)
if [ "$version" = "$BASE_PACKAGE_VERSION" ]; then
	sum_is "$got" "$BASE_SHA256" || die "$BASE_PACKAGE $version has another SHA-256 than kit/base.conf" "do not use it; report it"
	rm -f "$deb.newer"
else
	# apt has checked it against the signed index; `verify` compares the files that matter here.
	say "base: $BASE_PACKAGE $version has replaced the pinned $BASE_PACKAGE_VERSION; taken if the files that the series touches are the same"
	printf '%s %s\n' "$version" "$(sha256sum <"$got" | cut -d' ' -f1)" >"$deb.newer"
fi
mv "$got" "$deb"
rm -rf "$apt"
