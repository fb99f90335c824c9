#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Print the command that runs herd7.
#
# usage: herd7.sh [DIR]
#
# An installed herd7 is taken as it is.  Otherwise Debian's herdtools7 is
# unpacked in DIR (default: build/herd7 above this directory), from unstable as
# it is in no release, with the libc6 and the loader that it was built for beside
# it.  Nothing is installed, and the system's own package lists are not touched.
# The mirror is the one that this system uses.

set -e

dir=${1:-${HERD7_DIR:-$(cd "$(dirname "$0")/../.." && pwd)/build/herd7}}

if command -v herd7; then
	exit
fi

if [ ! -x "$dir/herd7" ]; then
	mkdir -p "$dir"/{lists/partial,cache/archives/partial,debs,root}
	dir=$(cd "$dir" && pwd)

	site=$(apt-get indextargets --format '$(SITE) $(RELEASE)' |
	       awk '$2 !~ /-/ { print $1; exit }')
	if [ -z "$site" ]; then
		echo "herd7.sh: apt has no mirror" >&2
		exit 1
	fi

	keyring=/usr/share/keyrings/debian-archive-keyring.gpg
	echo "deb [signed-by=$keyring] $site sid main" > "$dir/sources.list"
	: > "$dir/status"
	cat > "$dir/apt.conf" <<-END
	Dir::Etc::SourceList "$dir/sources.list";
	Dir::Etc::SourceParts "-";
	Dir::State::Lists "$dir/lists";
	Dir::State::Status "$dir/status";
	Dir::Cache "$dir/cache";
	Acquire::Languages "none";
	# A mirror may be of one day that is past; signatures are checked all the same.
	Acquire::Check-Valid-Until "false";
	APT::Sandbox::User "root";
	END

	export APT_CONFIG=$dir/apt.conf
	apt-get -qq update >&2
	(cd "$dir/debs" && apt-get -qq download herdtools7 libc6 libgmp10 >&2)
	for deb in "$dir"/debs/*.deb; do
		dpkg-deb -x "$deb" "$dir/root"
	done

	loader=$(find "$dir/root" -name 'ld-linux*.so*' -o -name 'ld64.so*' | head -n 1)
	libs=$(dirname "$(find "$dir/root" -name libc.so.6 | head -n 1)")
	cat > "$dir/herd7" <<-END
	#!/bin/sh
	exec "$loader" --library-path "$libs" "$dir/root/usr/bin/herd7" \\
		-set-libdir "$dir/root/usr/share/herdtools7/herd" "\$@"
	END
	chmod +x "$dir/herd7"
	rm -rf "$dir/lists" "$dir/cache" "$dir/debs"
fi

"$dir/herd7" -version > /dev/null
echo "$dir/herd7"
