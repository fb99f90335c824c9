# bench-sbm: what the operations of lib/sbm.c cost in user space, on one core and on two, with gcc and clang; on two cores, with and
# without a reader, also as a module in UML. Results go to results/sbm-user-COMPILER.txt and results/sbm-uml.txt, and the code size
# of each inline function in a kernel to results/sbm-size.txt. UML=0 leaves the module out; TRIALS= [101].
# For a quiet machine with two cores that are not hyperthreads: 5 minutes, and 6 more for a UML kernel if there is none yet.
. "$KIT_TOP/kit/source.sh"
. "$KIT_TOP/kit/worktree.sh"
. "$KIT_TOP/kit/kernel.sh"
"$KIT_TOP/kit/kit" deps test
"$KIT_TOP/kit/kit" tree
um=$KIT_BUILD/o/um
if [ "${UML:-1}" = 0 ]; then
	say "no module in UML: UML=0"
elif [ -f "$um/.config" ]; then
	log=$KIT_LOGS/bench-sbm-um.log
	quiet "building the UML kernel" "$log" kmake "$KIT_TREE" "$um" ARCH=um olddefconfig all || die "the UML kernel does not build" "read $(rel "$log")"
else
	"$KIT_TOP/kit/kit" kunit
fi
say "measuring: keep the machine quiet"
for cc in gcc clang-19; do
	out=$KIT_TOP/results/sbm-user-$cc.txt
	CC=$cc bash "$KIT_TOP/bench/sbm/run.sh" -t "${TRIALS:-101}" >"$out.new" || die "bench/sbm does not run with $cc" "the output above says why"
	mv "$out.new" "$out"
	say "$(rel "$out")"
done
if [ "${UML:-1}" != 0 ]; then
	out=$KIT_TOP/results/sbm-uml.txt
	"$KIT_TOP/bench/sbm/run-uml.sh" "$KIT_TREE" "$um" "$KIT_BUILD/bench-sbm" "trials=${TRIALS:-101}" >"$out.new" ||
		die "the module of bench/sbm does not run in UML" "the output above says why"
	mv "$out.new" "$out"
	say "$(rel "$out")"
fi
{
	echo "# make bench-sbm: bytes of code of a function that calls one of sbm or cpumask; kit/tests/codegen/user.c"
	echo "# x86_64, NR_CPUS=8192, CPUMASK_OFFSTACK=y, $(base_name), $(date +%F)"
	for cc in gcc clang; do
		prepare_lint $cc "$KIT_LOGS/prepare-$cc.log" >&2 || die "the tree does not configure with $cc" "read $(rel "$KIT_LOGS")/prepare-$cc.log"
		echo
		[ $cc = gcc ] && gcc --version | sed -n 1p || clang-19 --version | sed -n 1p
		"$KIT_TOP/kit/tests/codegen/run.sh" "$KIT_TREE" "$o" "${args[@]}" | sed '/^ok /d; s/^bytes of code.*/function cpumask sbm/' |
			awk '{ printf "%-16s %8s %6s\n", $1, $2, $3 }'
	done
} >"$KIT_TOP/results/sbm-size.txt"
say "results/sbm-size.txt"
