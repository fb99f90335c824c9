# bench-sbm: what the operations of lib/sbm.c cost in user space, on one core and on two, with gcc and clang.
# Results go to results/sbm-user-COMPILER.txt. For a quiet machine with two cores that are not hyperthreads.
"$KIT_TOP/kit/kit" deps test
say "measuring: keep the machine quiet"
for cc in gcc clang-19; do
	out=$KIT_TOP/results/sbm-user-$cc.txt
	CC=$cc bash "$KIT_TOP/bench/sbm/run.sh" -t "${TRIALS:-101}" >"$out.new" || die "bench/sbm does not run with $cc" "the output above says why"
	mv "$out.new" "$out"
	say "$(rel "$out")"
done
