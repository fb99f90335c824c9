# kit/source.sh - unpack the base, from wherever it comes, and verify it. Sourced by tree, apply and series.

# base_name: what the base is, for people and for the stamp that tells one base from another
base_name() {
	local b
	. "$KIT_TOP/kit/base.conf"
	if [ -z "${BASE:-}" ]; then
		b=$KIT_CACHE/$BASE_PACKAGE.deb
		if [ -f "$b.newer" ]; then printf '%s %s' "$BASE_PACKAGE" "$(cut -d' ' -f1 "$b.newer")"; else printf '%s %s' "$BASE_PACKAGE" "$BASE_PACKAGE_VERSION"; fi
	else
		printf '%s' "$(realpath "$BASE")"
	fi
}

# unpack_base DIR [PATH...]: the base's files (all, or those named) in DIR, times kept
unpack_base() {
	local dir=$1 src
	shift
	. "$KIT_TOP/kit/base.conf"
	src=${BASE:-$KIT_CACHE/$BASE_PACKAGE.deb}
	mkdir -p "$dir"
	if [ -d "$src" ]; then
		if git -C "$src" rev-parse --show-toplevel >/dev/null 2>&1 && [ "$(realpath "$(git -C "$src" rev-parse --show-toplevel)")" = "$(realpath "$src")" ]; then
			[ -z "$(git -C "$src" status --porcelain --untracked-files=no | sed -n 1p)" ] ||
				die "BASE=$src has uncommitted changes" "commit or stash them, or give a clean tree"
			git -C "$src" archive HEAD "$@" | tar -xf - -C "$dir"
		else
			[ -f "$src/kernel/sched/core.c" ] || die "BASE=$src is not a kernel tree" "give the folder that holds kernel/ and Makefile"
			if [ $# -gt 0 ]; then
				(cd "$src" && for f in "$@"; do [ ! -e "$f" ] || printf '%s\0' "$f"; done) | tar -C "$src" --null -T - -cf - | tar -xf - -C "$dir"
			else
				tar -C "$src" --exclude=./.git -cf - . | tar -xf - -C "$dir"
			fi
		fi
		return
	fi
	case $src in
	*.deb)
		command -v dpkg-deb >/dev/null || die "no dpkg-deb to unpack $src with" "unpack it elsewhere and give the folder with BASE="
		dpkg-deb --fsys-tarfile "$src" | tar -xOf - --wildcards './usr/src/linux-source-*.tar.xz' | tar -xJf - -C "$dir" --strip-components=1
		;;
	*.tar | *.tar.*) tar -xf "$src" -C "$dir" --strip-components=1 ;;
	*) die "BASE=$src is neither a folder, a tar archive nor a Debian package" "give one of these" ;;
	esac
}

# verify_base DIR: right version, and every file that the series touches is what the patches expect
verify_base() {
	local dir=$1 version path blob have bad=()
	. "$KIT_TOP/kit/base.conf"
	patch_files >/dev/null
	version=$(kernel_version "$dir")
	[ -n "$version" ] || die "$(base_name) is not a kernel tree" "give a Linux $BASE_VERSION tree"
	[ "${version%.*}" = "${BASE_VERSION%.*}" ] ||
		die "the base is Linux $version, the series is for ${BASE_VERSION%.*}" "make apply BASE=... tells which patches would apply"
	while read -r path blob; do
		if [ -f "$dir/$path" ]; then have=$(git hash-object --no-filters "$dir/$path"); else have=0000000000000000000000000000000000000000; fi
		[ "$have" = "$blob" ] || bad+=("$path")
	done < <(touched)
	[ ${#bad[@]} -eq 0 ] ||
		die "in this Linux $version ${#bad[@]} of the files that the series touches differ from the base's (${bad[*]:0:3})" \
			"use the pinned base (no BASE=), or see make apply BASE=..."
	[ "$version" = "$BASE_VERSION" ] || say "base: Linux $version in the place of $BASE_VERSION; every file that the series touches is the same"
}
