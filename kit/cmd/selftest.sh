# selftest: boot, check the machine, and run the kernel's kselftests there by its own runner.
# SCENARIO= (16cpu-4llc), KERNEL=, CONFIG=, TARGETS= (sched); PARTS= what of kit/guest to run instead of
# "check kselftest".
. "$KIT_TOP/kit/kernel.sh"
. "$KIT_TOP/kit/guest.sh"
: "${TARGETS:=sched}"
guest_settings
"$KIT_TOP/kit/kit" deps run
[ -n "${KIT_BUILT:-}" ] || "$KIT_TOP/kit/kit" build
o=$(kernel_o "$CONFIG" "$KERNEL")
tree=$KIT_TREE
[ "$KERNEL" = series ] || tree=$KIT_STEP/linux
install=$KIT_BUILD/kselftest/$KERNEL
log=$KIT_LOGS/kselftest-build.log
build_selftests() {
	kmake "$tree" "$o" ARCH=x86_64 headers &&
		kmake "$tree/tools/testing/selftests" "$o" ARCH=x86_64 TARGETS="$TARGETS" FORCE_TARGETS=1 INSTALL_PATH="$install" install
}
# The base's own do not build in a folder of objects (patch 4), and its other jobs need none.
if [ "$KERNEL" = series ] || [ "$TARGETS" != sched ] || [[ ${PARTS:-kselftest} = *kselftest* ]]; then
	rm -rf "$install"
	quiet "building the kselftests ($TARGETS)" "$log" build_selftests || die "the kselftests do not build" "read $(rel "$log")"
fi
# shellcheck disable=SC2086
guest_session "$(guest_name selftest)" "$o" "$SCENARIO" ${PARTS:-check kselftest}
