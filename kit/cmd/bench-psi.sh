# bench-psi: what psi's task-count walk costs: bench/psi in user space with gcc and clang, as a module in
# UML, and the text size of psi_group_change() before and after. Results go to results/psi-*.txt.
# For a quiet machine, 15 minutes and more (the text sizes need six configured trees). SIZE=0 leaves them out.
. "$KIT_TOP/kit/source.sh"
. "$KIT_TOP/kit/worktree.sh"
"$KIT_TOP/kit/kit" deps test bench
"$KIT_TOP/kit/kit" tree
"$KIT_TOP/kit/kit" kunit
base=
if [ "${SIZE:-1}" != 0 ]; then
	base=$KIT_STEP/linux
	step_checkout base
fi
say "measuring: keep the machine quiet"
TRIALS=${TRIALS:-51} CALLS=${CALLS:-500000} KDIR=$KIT_TREE UML=$KIT_BUILD/o/um BASE=$base SERIES=$KIT_TREE WORK=$KIT_BUILD/bench-psi \
	bash "$KIT_TOP/bench/psi/run.sh" "$KIT_TOP/results" || die "a part of the measurement did not run" "the output above says which"
