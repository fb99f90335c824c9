# kit/apt.sh - Debian's archive through apt, with lists and cache of the kit's own. Sourced by fetch and bases.

# private_apt DIR SUITE...: a configuration in DIR that knows these suites at the mirror that the machine's apt uses;
# leaves the folder in $apt
private_apt() {
	local sudo site keyring='' k
	apt=$1
	shift
	site=$(apt-get indextargets --format '$(ORIGIN)|$(LABEL)|$(SITE)' 'Created-By: Packages' | sed -n 's/^Debian|Debian|//p' | sed -n 1p)
	if [ -z "$site" ]; then
		# No lists yet on a fresh machine: an update brings them, and with them the origin of each mirror.
		sudo=
		[ "$(id -u)" -eq 0 ] || sudo=sudo
		quiet "apt-get update" "$KIT_LOGS/apt-update.log" $sudo apt-get update -q || :
		site=$(apt-get indextargets --format '$(ORIGIN)|$(LABEL)|$(SITE)' 'Created-By: Packages' | sed -n 's/^Debian|Debian|//p' | sed -n 1p)
	fi
	[ -n "$site" ] || die "this machine's apt knows no Debian mirror" "give a Linux $BASE_VERSION tree with BASE=/path/to/linux"

	for k in /usr/share/keyrings/debian-archive-keyring.{pgp,gpg}; do
		[ -f "$k" ] && keyring=$k && break
	done
	[ -n "$keyring" ] || die "no Debian archive keyring" "install debian-archive-keyring"

	rm -rf "$apt"
	mkdir -p "$apt/lists/partial" "$apt/cache/archives/partial" "$apt/get"
	for k; do printf 'deb [signed-by=%s] %s %s main\n' "$keyring" "$site" "$k"; done >"$apt/sources.list"
	cat >"$apt/apt.conf" <<CONF
Dir::State::Lists "$apt/lists";
Dir::Etc::SourceList "$apt/sources.list";
Dir::Etc::SourceParts "-";
Dir::Cache "$apt/cache";
Acquire::Languages "none";
Acquire::Retries "3";
APT::Sandbox::User "root";
CONF
}
