# deps GROUP...: install what is missing of the groups in kit/packages, by name. On a system that is
# not Debian's it names the missing tools and installs nothing. Too old a tool is an error.

missing=() tools=()
while read -r group probe package; do
	case " base $* " in *" $group "*) ;; *) continue ;; esac
	case $probe in
	file:*) compgen -G "${probe#file:}" >/dev/null && continue ;;
	*) command -v "$probe" >/dev/null && continue ;;
	esac
	missing+=("$package") tools+=("${probe#file:}")
done < <(grep -v '^#' "$KIT_TOP/kit/packages")

if [ ${#missing[@]} -gt 0 ]; then
	{ command -v apt-get >/dev/null && grep -qsx 'ID=debian' "${KIT_OS_RELEASE:-/etc/os-release}"; } ||
		die "missing: ${tools[*]}" "install them (the Debian packages are: ${missing[*]}) and give the base with BASE="
	sudo=
	if [ "$(id -u)" -ne 0 ]; then
		command -v sudo >/dev/null || die "missing packages: ${missing[*]}" "install them as root, there is no sudo here"
		sudo=sudo
	fi
	log=$KIT_LOGS/deps.log
	install_missing() {
		$sudo env DEBIAN_FRONTEND=noninteractive apt-get update -q &&
			$sudo env DEBIAN_FRONTEND=noninteractive apt-get install -q -y --no-install-recommends "${missing[@]}"
	}
	quiet "installing ${missing[*]}" "$log" install_missing ||
		die "apt-get could not install ${missing[*]}" "read $(rel "$log"), or install them by hand"
fi

# at_least NAME HAVE WANT
at_least() {
	[ "$(printf '%s\n%s\n' "$3" "$2" | sort -V | sed -n 1p)" = "$3" ] ||
		die "$1 $2 is too old" "$3 or later is needed"
}
at_least gcc "$(gcc -dumpfullversion)" 8.1.0
at_least git "$(git version | awk '{ print $3 }')" 2.30
case " $* " in *" run "*)
	at_least QEMU "$(qemu-system-x86_64 --version | sed -n 's/.*version \([0-9.]*\).*/\1/p')" 7.0
	;;
esac
case " $* " in *" test "*)
	at_least clang "$(clang-19 -dumpversion)" 17.0.1
	;;
esac
