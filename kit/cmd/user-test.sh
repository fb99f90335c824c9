# user-test: the tests that run in user space, no kernel needed. Each is a program that prints lines
# "ok NAME" and "not ok NAME", and fails if one is not ok.
failed=0
for cc in gcc clang-19; do
	command -v "$cc" >/dev/null || { result skip user "psi forms, $cc" "$cc is not installed"; continue; }
	log=$KIT_LOGS/user-psi-$cc.log
	rc=0
	mkdir -p "$KIT_BUILD/bench-psi/$cc"
	{ make -s -C "$KIT_TOP/bench/psi" CC="$cc" OUT="$KIT_BUILD/bench-psi/$cc" && "$KIT_BUILD/bench-psi/$cc/psi_bench" --check; } >"$log" 2>&1 || rc=$?
	results_of user "psi forms, $cc" "$log" "$rc" || failed=1
done
exit $failed
