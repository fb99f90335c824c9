# compile: what the series touches, by itself, in one configuration: a warning is a failure. CONFIG=x86_64 and OPTIONS="NR_CPUS=64
# SMP=n" on top of it, or allmodconfig, or randconfig with SEED= a number. COMPILER=gcc|clang. KERNEL=base: the base's.
# What olddefconfig makes of OPTIONS must be what was asked for. kernel/sched and lib, about a minute.
. "$KIT_TOP/kit/source.sh"
. "$KIT_TOP/kit/worktree.sh"
. "$KIT_TOP/kit/kernel.sh"
: "${CONFIG:=x86_64}" "${OPTIONS:=}" "${COMPILER:=gcc}" "${KERNEL:=series}"
args=(ARCH=x86_64)
case $COMPILER in
gcc) ;;
clang) args+=(LLVM=-19) ;;
*) die "COMPILER=$COMPILER" "gcc or clang" ;;
esac
[ -n "${COMPILE_TREE:-}" ] || "$KIT_TOP/kit/kit" tree
case $KERNEL in
series) tree=${COMPILE_TREE:-$KIT_TREE} o=$(dirname "$tree")/o/compile-$COMPILER ;;
base) step_checkout base; tree=$KIT_STEP/linux o=$KIT_STEP/o/compile-$COMPILER ;;
*) die "KERNEL=$KERNEL" "series or base" ;;
esac
what="$CONFIG${SEED:+ $SEED}${OPTIONS:+ $OPTIONS}, $COMPILER, $KERNEL"
mkdir -p "$o"
wanted=$o/kit.config log=$KIT_LOGS/compile.log
: >"$wanted"
for i in $OPTIONS; do echo "CONFIG_$i" >>"$wanted"; done
case $CONFIG in
allmodconfig) target=$CONFIG ;;
randconfig)
	[[ ${SEED:-} =~ ^[1-9][0-9]*$ ]] || die "SEED=${SEED:-}" "a number"
	target=$CONFIG
	export KCONFIG_SEED=$SEED
	echo CONFIG_64BIT=y >>"$wanted"
	;;
*)
	target=allnoconfig
	config_fragments "$tree" "$CONFIG" | cat - "$wanted" >"$wanted.all"
	mv "$wanted.all" "$wanted"
	;;
esac
kmake "$tree" "$o" "${args[@]}" KCONFIG_ALLCONFIG="$wanted" "$target" >"$log" 2>&1 || die "the kernel could not be configured" "read $(rel "$log")"
check_config "$wanted" "$o/.config"
objects=(kernel/sched/)
for i in SBM:sbm.o TEST_SBM:test_sbm.o SBM_KUNIT_TEST:tests/sbm_kunit.o; do
	! grep -qE "^CONFIG_${i%:*}=[ym]" "$o/.config" || objects+=("lib/${i#*:}")
done
rc=0
quiet "compiling ${objects[*]}: $what" "$log" kmake "$tree" "$o" "${args[@]}" prepare "${objects[@]}" || rc=$?
if [ $rc -ne 0 ]; then
	result fail compile "$what" "$(grep -m 1 -E 'error:|Error [0-9]' "$log" | sed "s,$KIT_TOP/,,g" | cut -c1-120), read $(rel "$log")"
elif grep -q 'warning:' "$log"; then
	rc=1
	result fail compile "$what" "$(grep -m 1 'warning:' "$log" | sed "s,$KIT_TOP/,,g" | cut -c1-120), read $(rel "$log")"
else
	result pass compile "$what"
fi
exit $rc
