# kit/lib.sh - what the commands of the kit share. Sourced by kit/kit; bash.
#
# Words: a *step* is a piece of work with a progress line; a *result* is one thing that was checked
# and passed, failed or was skipped. Results go to $KIT_RESULTS, long output to $KIT_LOGS.

: "${KIT_TOP:=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)}"
: "${KIT_BUILD:=$KIT_TOP/build}"
: "${KIT_CACHE:=${XDG_CACHE_HOME:-$HOME/.cache}/sbm-kit}"
: "${KIT_JOBS:=$(nproc)}"
: "${KIT_T0:=$(date +%s)}"
KIT_LOGS=$KIT_BUILD/logs
KIT_TREE=$KIT_BUILD/linux
: "${KIT_STEP:=$KIT_BUILD/step}"
KIT_PATCHES=${KIT_PATCHES:-$KIT_TOP/patches/7.3}
export KIT_STEP KIT_BUILD KIT_CACHE KIT_JOBS KIT_T0

# Compilers through ccache where it is there; fixed build identity, so that its cache is of use in
# another checkout too.
if [ -d /usr/lib/ccache ] && [ -z "${KIT_NO_CCACHE:-}" ]; then
	case ":$PATH:" in *:/usr/lib/ccache:*) ;; *) PATH=/usr/lib/ccache:$PATH ;; esac
	export CCACHE_DIR=${CCACHE_DIR:-$KIT_CACHE/ccache} CCACHE_BASEDIR=$KIT_BUILD CCACHE_NOHASHDIR=1
	export CCACHE_MAXSIZE=${CCACHE_MAXSIZE:-10G} CCACHE_SLOPPINESS=time_macros
fi
export KBUILD_BUILD_TIMESTAMP='Thu Jan  1 00:00:00 UTC 2026' KBUILD_BUILD_USER=kit KBUILD_BUILD_HOST=kit

# Settings of the person's git or locale must not change what the kit writes.
export LC_ALL=C GIT_CONFIG_NOSYSTEM=1

# A path as the person sees it: relative to the checkout.
rel() { printf '%s' "${1#"$KIT_TOP"/}"; }

# elapsed: time since the run began, m:ss
elapsed() { local s=$(($(date +%s) - KIT_T0)); printf '%3d:%02d' $((s / 60)) $((s % 60)); }

say() { printf '[%s] %s\n' "$(elapsed)" "$*"; }

# die WHAT WHAT-TO-DO: one line, exit 1. The line is kept for the closing table.
die() {
	printf 'kit: %s: %s\n' "$1" "$2" >&2
	[ -z "${KIT_RESULTS:-}" ] || printf '%s: %s\n' "$1" "$2" >"$KIT_RESULTS.why"
	exit 1
}

# skip REASON: the command cannot run here; exit 4, as a kselftest does.
skip() {
	printf 'kit: skipped: %s\n' "$1" >&2
	[ -z "${KIT_RESULTS:-}" ] || printf '%s\n' "$1" >"$KIT_RESULTS.why"
	exit 4
}

# result pass|fail|skip GROUP NAME [DETAIL]
result() { printf '%s\t%s\t%s\t%s\n' "$1" "$2" "$3" "${4:-}" >>"$KIT_RESULTS"; }

# results_of GROUP NAME LOG STATUS: the results that a test program printed, "ok WHAT" and "not ok WHAT".
# A status that is not 0, or no line at all, is a failure.
results_of() {
	local line n=0 bad=0
	while read -r line; do
		case $line in
		'ok '*) result pass "$1" "$2: ${line#ok }"; n=$((n + 1)) ;;
		'skip '*) result skip "$1" "$2: ${line#skip }"; n=$((n + 1)) ;;
		'not ok '*) result fail "$1" "$2: ${line#not ok }" "read $(rel "$3")"; n=$((n + 1)) bad=1 ;;
		esac
	done <"$3"
	if [ "$4" -ne 0 ] && [ "$bad" -eq 0 ]; then
		result fail "$1" "$2" "ended with status $4, read $(rel "$3")"
		bad=1
	elif [ "$n" -eq 0 ]; then
		result fail "$1" "$2" "nothing was checked, read $(rel "$3")"
		bad=1
	fi
	return $bad
}

# quiet WHAT LOG COMMAND...: run with the output in LOG; a line on start and end, and every half
# minute one that says what it waits for. Returns the command's status.
quiet() {
	local what=$1 log=$2 rc=0 t=0 t0
	shift 2
	t0=$(date +%s)
	say "$what"
	"$@" >"$log" 2>&1 </dev/null &
	local pid=$!
	while kill -0 "$pid" 2>/dev/null; do
		sleep 0.5
		if [ $(($(date +%s) - t0 - t)) -ge 30 ]; then
			t=$(($(date +%s) - t0))
			say "$what: $t s so far, log in $(rel "$log")"
		fi
	done
	wait "$pid" || rc=$?
	[ $rc -ne 0 ] || say "$what: done, $(($(date +%s) - t0)) s"
	return $rc
}

# step NAME COMMAND...: run a command of the kit as one step of `run` or `test`; its status becomes
# a result unless it has written results of its own under that name. The run goes on after a failure
# (what needs the step then fails or skips by itself), and `table` gives the verdict.
step() {
	local name=$1 rc=0 before after why=
	shift
	before=$(wc -l <"$KIT_RESULTS")
	rm -f "$KIT_RESULTS.why"
	"$KIT_TOP/kit/kit" "$@" || rc=$?
	after=$(wc -l <"$KIT_RESULTS")
	[ ! -f "$KIT_RESULTS.why" ] || why=$(cat "$KIT_RESULTS.why")
	case $rc in
	0) [ "$before" != "$after" ] || result pass "$name" "$name" ;;
	4) result skip "$name" "$name" "$why" ;;
	*) if [ "$before" = "$after" ] || ! tail -n +$((before + 1)) "$KIT_RESULTS" | grep -q ^fail; then
		result fail "$name" "$name" "${why:-exit status $rc}"
	fi ;;
	esac
	return $rc
}

# table STATUS COMMAND: what ran, passed, failed, was skipped and why; then the exit status.
table() {
	local status=$1 cmd=$2 p f s
	p=$(grep -c ^pass "$KIT_RESULTS" || :)
	f=$(grep -c ^fail "$KIT_RESULTS" || :)
	s=$(grep -c ^skip "$KIT_RESULTS" || :)
	[ $((p + f + s)) -gt 0 ] || exit "$status"
	if [ "$status" -ne 0 ] && [ "$f" -eq 0 ] && [ "$status" -ne 4 ]; then
		f=1
		result fail "$cmd" "$cmd" "$(cat "$KIT_RESULTS.why" 2>/dev/null || echo "exit status $status")"
	fi
	printf '\n%-14s %6s %6s %7s\n' "" passed failed skipped
	awk -F'\t' '
		!($2 in seen) { seen[$2] = 1; order[++n] = $2 }
		{ c[$2, $1]++ }
		END { for (i = 1; i <= n; i++)
			printf "%-14s %6d %6d %7d\n", order[i], c[order[i], "pass"], c[order[i], "fail"], c[order[i], "skip"] }
	' "$KIT_RESULTS"
	awk -F'\t' '$1 != "pass" { printf "%s: %s: %s%s\n", ($1 == "fail" ? "FAILED" : "skipped"), $2, $3, ($4 == "" ? "" : ": " $4) }' "$KIT_RESULTS"
	printf 'time %s, logs in %s/\n' "$(elapsed | tr -d ' ')" "$(rel "$KIT_LOGS")"
	printf '%d passed, %d failed, %d skipped\n' "$p" "$f" "$s"
	[ "$f" -eq 0 ] || exit 1
	exit 0
}

# kgit DIR ARG...: git without the person's settings, in the work tree or a scratch repository.
kgit() {
	local dir=$1
	shift
	GIT_CONFIG_GLOBAL=/dev/null git -C "$dir" -c core.autocrlf=false -c core.fileMode=true -c gc.auto=0 \
		-c commit.gpgSign=false -c am.threeWay=false -c core.hooksPath=/dev/null -c advice.detachedHead=false "$@"
}

# need_space MB PATH
need_space() {
	local have
	have=$(($(df -Pk "$2" | awk 'NR == 2 { print $4 }') / 1024))
	[ "$have" -ge "$1" ] || die "only $have MB free for $(rel "$2"), $1 MB are needed" "free some space, or set KIT_BUILD= or KIT_CACHE="
}

# patch_files: the patches of the series, one path a line, in order
patch_files() {
	local name
	[ -f "$KIT_PATCHES/series" ] || die "no $(rel "$KIT_PATCHES")/series" "the checkout is not whole: git status"
	while read -r name _; do
		case $name in '' | '#'*) continue ;; esac
		[ -f "$KIT_PATCHES/$name" ] || die "$name is in the series but not in $(rel "$KIT_PATCHES")" "git status, or make export"
		printf '%s\n' "$KIT_PATCHES/$name"
	done <"$KIT_PATCHES/series"
}

# touched: "PATH BLOB" of each file that the series touches, as the base has it (zeros: not there)
touched() {
	local list
	list=$(patch_files)
	[ -n "$list" ] || return 0
	# shellcheck disable=SC2086
	awk '
		/^diff --git a\// { path = $NF; sub(/^b\//, "", path) }
		/^index [0-9a-f]+\.\.[0-9a-f]+/ && path != "" {
			if (!(path in seen)) { split($2, id, /\.\./); seen[path] = 1; print path, id[1] }
			path = ""
		}
	' $list
}

# has_options .CONFIG OPTION...: every CONFIG_OPTION is y, and that of !OPTION is not
has_options() {
	local config=$1 o
	shift
	for o; do
		case $o in
		'!'*) ! grep -qs "^CONFIG_${o#!}=y" "$config" || return 1 ;;
		*) grep -qs "^CONFIG_$o=y" "$config" || return 1 ;;
		esac
	done
}

# kernel_version DIR: 7.3.4, from the Makefile
kernel_version() {
	awk -F' *= *' '/^VERSION/ { v = $2 } /^PATCHLEVEL/ { p = $2 } /^SUBLEVEL/ { s = $2; print v "." p "." s; exit }' "$1/Makefile" 2>/dev/null
}

# kmake TREE O [ARG...]: make in a kernel tree
kmake() {
	local tree=$1 o=$2
	shift 2
	make -s -C "$tree" O="$o" -j"$KIT_JOBS" "$@"
}

# in_subshell COMMAND...: its exit, by die or otherwise, ends only itself
in_subshell() { (set -e; "$@"); }
