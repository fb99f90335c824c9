# masks-test: the kselftest sched/sbm_test on made-up machines, most of them with a fault: does it find what is wrong,
# and nothing else? No kernel is built; the tree has the headers. ROWS="..." for some of them, CC= for another compiler.
"$KIT_TOP/kit/kit" deps
"$KIT_TOP/kit/kit" tree
log=$KIT_LOGS/masks.log
rc=0
# shellcheck disable=SC2086
quiet "sbm_test on made-up machines" "$log" \
	"$KIT_TOP/kit/tests/masks/run.sh" -o "$KIT_BUILD/masks" "$KIT_TREE" ${ROWS:-} || rc=$?
results_of masks sbm_test "$log" "$rc"
