# kunit: the series' KUnit suites under User Mode Linux, with 1 and with 4 CPUs, by the kernel's kunit.py.
# Every suite must report as many cases as kit/expected-kunit says: fewer is a failure, as is none.
# ARCH=x86_64, i386, arm64, s390 ...: the same under QEMU, for another architecture than [um]. WITH=: more of kit/configs
# on top, as sbm-off.
. "$KIT_TOP/kit/source.sh"
. "$KIT_TOP/kit/worktree.sh"
. "$KIT_TOP/kit/kernel.sh"
: "${ARCH:=um}" "${KUNIT_TIMEOUT:=840}"
config=kunit
case $ARCH in
um) config=um ;;
x86_64 | i386) args=() ;;
arm64) args=(--cross_compile=aarch64-linux-gnu-) ;;
arm) args=(--cross_compile=arm-linux-gnueabihf-) ;;
s390) args=(--cross_compile=s390x-linux-gnu-) ;;
powerpc) args=(--cross_compile=powerpc64-linux-gnu-) ;;
riscv) args=(--cross_compile=riscv64-linux-gnu-) ;;
*) die "ARCH=$ARCH" "um, x86_64, i386, arm64, arm, s390, powerpc or riscv" ;;
esac
config=$config${WITH:++$WITH}
what=$ARCH${WITH:++$WITH}
args=(--arch="$ARCH" ${args[@]+"${args[@]}"})
[ "$ARCH" = um ] || "$KIT_TOP/kit/kit" deps "kunit-$ARCH"
tree=${KUNIT_TREE:-$KIT_TREE}
[ -n "${KUNIT_TREE:-}" ] || "$KIT_TOP/kit/kit" tree
o=$(dirname "$tree")/o/$what
[ "$ARCH" = um ] || o=$(dirname "$tree")/o/kunit-$what
mkdir -p "$o"
config_fragments "$tree" "$config" >"$o/kit.config"
kunit=(python3 "$tree/tools/testing/kunit/kunit.py")
# kunit.py keeps .kunitconfig; it fails by itself if a wanted option does not survive.
log=$KIT_LOGS/kunit-$what-build.log
quiet "building the KUnit kernel, $what" "$log" env -C "$tree" PYTHONDONTWRITEBYTECODE=1 "${kunit[@]}" build "${args[@]}" --build_dir="$o" \
	--kunitconfig="$o/kit.config" --jobs="$KIT_JOBS" ||
	die "the KUnit kernel does not build: $(grep -m 1 -E 'error:|ERROR' "$log" | sed "s,$KIT_TOP/,,g")" "read $(rel "$log")"

# A word per case: "suite case status", from kunit.py's JSON
cases() {
	python3 - "$1" <<'PY'
import json, sys
def walk(group, path):
    for t in group.get("test_cases", []):
        print(path + [group["name"]] and ".".join(path[1:] + [group["name"]]), t["name"].replace(" ", "_"), t["status"])
    for g in group.get("sub_groups", []):
        walk(g, path + [group["name"]])
walk(json.load(open(sys.argv[1])), [])
PY
}
failed=0
for cpus in 1 4; do
	json=$KIT_BUILD/kunit-$what-$cpus.json
	log=$KIT_LOGS/kunit-$what-$cpus.log
	rm -f "$json"
	how=(--qemu_args="-smp $cpus")
	[ "$ARCH" != um ] || how=(--kernel_args=seccomp=on --kernel_args=ncpus=$cpus)
	env -C "$tree" PYTHONDONTWRITEBYTECODE=1 timeout $((KUNIT_TIMEOUT + 60)) "${kunit[@]}" exec "${args[@]}" --build_dir="$o" --json="$json" --timeout="$KUNIT_TIMEOUT" \
		"${how[@]}" >"$log" 2>&1 </dev/null || :
	cp "$o/test.log" "$KIT_LOGS/kunit-$what-$cpus-kernel.log" 2>/dev/null || :
	if ! grep -q "Brought up 1 node, $cpus CPU" "$KIT_LOGS/kunit-$what-$cpus-kernel.log"; then
		[ "$cpus" -eq 1 ] || { result fail kunit "$what-$cpus-cpus" "the kernel did not bring up $cpus CPUs"; failed=1; }
	fi
	if [ ! -s "$json" ]; then
		result fail kunit "$what-$cpus-cpus" "no result: read $(rel "$log")"
		failed=1
		continue
	fi
	cases "$json" >"$json.cases"
	while read -r suite name status; do
		case $status in
		PASS) result pass kunit "$what-$cpus-cpu:$suite.$name" ;;
		SKIP) result skip kunit "$what-$cpus-cpu:$suite.$name" "skipped by the test" ;;
		*) result fail kunit "$what-$cpus-cpu:$suite.$name" "$status, read $(rel "$log")"; failed=1 ;;
		esac
	done <"$json.cases"
	while read -r suite want options; do
		# shellcheck disable=SC2086
		has_options "$o/.config" $options || continue
		# A case with parameters counts once for each, as suite.case
		have=$(grep -c "^${suite}[. ].* PASS" "$json.cases" || :)
		if [ "$have" -lt "$want" ]; then
			result fail kunit "$what-$cpus-cpu:$suite" "$have cases passed, $want are expected (kit/expected-kunit)"
			failed=1
		fi
	done < <(grep -v '^#' "$KIT_TOP/kit/expected-kunit")
	say "KUnit, $what, $cpus CPU: $(grep -c PASS "$json.cases" || :) passed, $(grep -vc PASS "$json.cases" || :) not"
done
exit $failed
