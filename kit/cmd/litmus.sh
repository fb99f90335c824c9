# litmus: every ordering claim of the series, and its twin with a barrier weakened, by herd7 with the kernel's own
# memory model (the base's tools/memory-model). kit/litmus/herd7.sh gets herd7 on Debian; elsewhere install it.
. "$KIT_TOP/kit/source.sh"
. "$KIT_TOP/kit/worktree.sh"
"$KIT_TOP/kit/kit" tree
log=$KIT_LOGS/litmus.log
command -v herd7 >/dev/null || command -v apt-get >/dev/null || skip "herd7 is not installed"
quiet "getting herd7" "$log" env HERD7_DIR="$KIT_BUILD/herd7" "$KIT_TOP/kit/litmus/herd7.sh" || skip "no herd7: it is not installed and could not be fetched, read $(rel "$log")"
rc=0
HERD7_DIR=$KIT_BUILD/herd7 quiet "litmus tests" "$log" "$KIT_TOP/kit/litmus/run.sh" "$KIT_TREE" || rc=$?
results_of litmus herd7 "$log" "$rc"
