#!/usr/bin/env bash
# kit/mutants/kit.sh DIR [TEST...] - seed the faults of the file "kit" beside this one, one at a time, in a
# copy of the kit in DIR, and see whether the test that should notice does.
#
# A line for each: "killed TEST", or "SURVIVED TEST" and why. Exit status 1 if a fault was not noticed, could
# not be seeded, or a test of kit/tests/run.sh has none.
set -u
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
top=$(cd "$here/../.." && pwd)
dir=$1
shift
failed=0
e() { sed -i "$2" "kit/$1"; }
survived() { printf 'SURVIVED %s: %s\n' "$1" "$2"; failed=1; }

mkdir -p "$dir"
while read -r test; do
	grep -q "^$test"$'\t' "$here/kit" || survived "$test" "has no fault in kit/mutants/kit"
done < <(sed -n 's/^t_\([a-z_]*\)().*/\1/p' "$top/kit/tests/run.sh")
while IFS=$'\t' read -r test fault; do
	case " ${*:-$test} " in *" $test "*) ;; *) continue ;; esac
	rm -rf "${dir:?}/copy"
	mkdir "$dir/copy"
	cp -r "$top/kit" "$top/Makefile" "$dir/copy/"
	(cd "$dir/copy" && eval "$fault") >"$dir/log" 2>&1
	if diff -rq "$top/kit" "$dir/copy/kit" >/dev/null && [ ! -e "$dir/copy/.git" ]; then
		survived "$test" "the fault is not in the kit any more"
		continue
	fi
	bash "$dir/copy/kit/tests/run.sh" "$test" >"$dir/log" 2>&1
	if grep -qx "not ok $test" "$dir/log"; then
		printf 'killed %s\n' "$test"
	elif grep -qx "ok $test" "$dir/log"; then
		survived "$test" "passes with: $fault"
	else
		survived "$test" "did not run: $(tail -n 1 "$dir/log")"
	fi
done < <(grep -v '^#' "$here/kit")
rm -rf "${dir:?}/copy" "$dir/log"
exit $failed
