# build: the guest kernel. CONFIG= fragments joined by + (x86_64), KERNEL=series|base.
# The series is built from build/linux as it stands, uncommitted changes included; the base from a tree
# of its own, so that neither build makes the other one's objects old.
. "$KIT_TOP/kit/source.sh"
. "$KIT_TOP/kit/worktree.sh"
. "$KIT_TOP/kit/kernel.sh"
: "${CONFIG:=x86_64}" "${KERNEL:=series}"

case $KERNEL in
series)
	"$KIT_TOP/kit/kit" tree
	tree=$KIT_TREE
	;;
base)
	tree=$KIT_STEP/linux
	step_checkout base
	;;
*) die "KERNEL=$KERNEL" "series or base" ;;
esac
o=$(kernel_o "$CONFIG" "$KERNEL")
[ -d "$o" ] || need_space 1500 "$KIT_BUILD"
configure "$tree" "$o" "$CONFIG" ARCH=x86_64
log=$KIT_LOGS/build-$CONFIG-$KERNEL.log
args=(ARCH=x86_64)
# kernel/sched/Makefile has KCSAN_SANITIZE := n; what is said of one object goes before that.
if grep -qx CONFIG_KCSAN=y "$o/.config"; then
	for obj in core fair build_policy build_utility; do args+=("KCSAN_SANITIZE_$obj.o=y"); done
fi
quiet "building the $CONFIG kernel, $KERNEL" "$log" kmake "$tree" "$o" "${args[@]}" bzImage modules ||
	die "the kernel does not build: $(grep -m 1 -E 'error:|Error [0-9]' "$log" | sed "s,$KIT_TOP/,,g")" "read $(rel "$log")"
# Where modprobe in the guest finds them
if grep -q '=m$' "$o/.config"; then
	rm -rf "$o/modules"
	kmake "$tree" "$o" ARCH=x86_64 INSTALL_MOD_PATH="$o/modules" modules_install >>"$log" 2>&1 ||
		die "the modules could not be installed" "read $(rel "$log")"
fi
warnings=$(grep -c 'warning:' "$log" || :)
[ "$warnings" -eq 0 ] || say "$warnings compiler warnings, see $(rel "$log")"
