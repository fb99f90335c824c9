# verify: is the base the one that the patches are made for? Only the files that matter are unpacked.
. "$KIT_TOP/kit/source.sh"
scratch=$(mktemp -d "$KIT_BUILD/verify.XXXXXX")
trap 'rm -rf "$scratch"' EXIT
if [ -f "$KIT_TREE/.git/kit-base" ] && [ "$(cat "$KIT_TREE/.git/kit-base")" = "$(base_name)" ] && [ -z "${BASE:-}" ]; then
	kgit "$KIT_TREE" archive base | tar -xf - -C "$scratch"
else
	unpack_base "$scratch"
fi
verify_base "$scratch"
say "base verified: $(base_name), Linux $(kernel_version "$scratch"), $(touched | wc -l) files as the patches expect"
