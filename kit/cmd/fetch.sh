# fetch: the base's source package in the cache, with its sum checked; prints nothing but progress.
# The mirror is the one that the machine's apt uses for Debian; it is asked through apt, so that the
# archive's signatures are checked, with lists and cache of the kit's own: the system's stay as they are.
# With BASE=: nothing to fetch. KIT_BASE_FILE names what `source.sh` unpacks.

. "$KIT_TOP/kit/base.conf"
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

site=$(apt-get indextargets --format '$(ORIGIN)|$(LABEL)|$(SITE)' 'Created-By: Packages' | sed -n 's/^Debian|Debian|//p' | sed -n 1p)
if [ -z "$site" ]; then
	# No lists yet on a fresh machine: an update brings them, and with them the origin of each mirror.
	sudo=
	[ "$(id -u)" -eq 0 ] || sudo=sudo
	quiet "apt-get update" "$KIT_LOGS/apt-update.log" $sudo apt-get update -q || :
	site=$(apt-get indextargets --format '$(ORIGIN)|$(LABEL)|$(SITE)' 'Created-By: Packages' | sed -n 's/^Debian|Debian|//p' | sed -n 1p)
fi
[ -n "$site" ] || die "this machine's apt knows no Debian mirror" "give a Linux $BASE_VERSION tree with BASE=/path/to/linux"

keyring=
for k in /usr/share/keyrings/debian-archive-keyring.{pgp,gpg}; do
	[ -f "$k" ] && keyring=$k && break
done
[ -n "$keyring" ] || die "no Debian archive keyring" "install debian-archive-keyring"

apt=$KIT_CACHE/apt
rm -rf "$apt"
mkdir -p "$apt/lists/partial" "$apt/cache/archives/partial" "$apt/get"
printf 'deb [signed-by=%s] %s %s main\n' "$keyring" "$site" "$BASE_SUITE" >"$apt/sources.list"
cat >"$apt/apt.conf" <<CONF
Dir::State::Lists "$apt/lists";
Dir::Etc::SourceList "$apt/sources.list";
Dir::Etc::SourceParts "-";
Dir::Cache "$apt/cache";
Acquire::Languages "none";
Acquire::Retries "3";
APT::Sandbox::User "root";
CONF
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
