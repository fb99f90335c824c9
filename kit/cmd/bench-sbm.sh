# bench-sbm: what the operations of lib/sbm.c cost in user space, on one core and on two, with gcc and clang.
# Results go to results/sbm-user-COMPILER.txt, and the code size of each inline function in a kernel to
# results/sbm-size.txt. For a quiet machine with two cores that are not hyperthreads.
. "$KIT_TOP/kit/source.sh"
. "$KIT_TOP/kit/worktree.sh"
. "$KIT_TOP/kit/kernel.sh"
"$KIT_TOP/kit/kit" deps test
"$KIT_TOP/kit/kit" tree
say "measuring: keep the machine quiet"
for cc in gcc clang-19; do
	out=$KIT_TOP/results/sbm-user-$cc.txt
	CC=$cc bash "$KIT_TOP/bench/sbm/run.sh" -t "${TRIALS:-101}" >"$out.new" || die "bench/sbm does not run with $cc" "the output above says why"
	mv "$out.new" "$out"
	say "$(rel "$out")"
done
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
