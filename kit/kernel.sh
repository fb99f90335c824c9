# kit/kernel.sh - configure a kernel from fragments and check that no wanted option was dropped.
# Sourced by build, kunit, lint and series.
#
# A configuration is named by its fragments, joined by +: x86_64+lockdep is kit/configs/x86_64.config
# with kit/configs/lockdep.config on top. series.config is always added, less what the tree does not know.

# kernel_o CONFIG base|series: the folder of its objects
kernel_o() { if [ "$2" = base ]; then printf '%s' "$KIT_STEP/o/$1"; else printf '%s' "$KIT_BUILD/o/$1"; fi; }

# config_fragments TREE NAME: the fragments' text
config_fragments() {
	local part line option files=()
	for part in ${2//+/ }; do
		[ -f "$KIT_TOP/kit/configs/$part.config" ] || die "no configuration '$part'" "see kit/configs/"
		files+=("$KIT_TOP/kit/configs/$part.config")
	done
	cat "${files[@]}"
	while read -r line _ only; do
		option=${line%%=*}
		[ -z "$only" ] || [[ " $only " = *" ${2%%+*} "* ]] || continue
		! grep -q "^$option=" "${files[@]}" || continue
		! grep -rqsx --include='Kconfig*' "config ${option#CONFIG_}" "$1/init" "$1/kernel" "$1/lib" || printf '%s\n' "$line"
	done < <(grep ^CONFIG_ "$KIT_TOP/kit/configs/series.config")
}

# check_config WANTED .CONFIG: every line wanted is there after olddefconfig, or die naming those that are not
check_config() {
	local line opt lost=()
	while read -r line; do
		case $line in
		CONFIG_*=n) opt=${line%=n}; ! grep -q "^$opt=" "$2" || lost+=("$line") ;;
		CONFIG_*) grep -qxF "$line" "$2" || lost+=("$line") ;;
		esac
	done < <(tac "$1" | awk -F= '/^CONFIG_/ && !seen[$1]++')
	[ ${#lost[@]} -eq 0 ] ||
		die "wanted options are gone after olddefconfig: ${lost[*]}" "mend kit/configs: a dependency is missing"
}

# prepare_lint gcc|clang LOG: the work tree configured for that compiler, in $o, with make's arguments in $args
prepare_lint() {
	o=$KIT_BUILD/o/lint-$1
	args=(ARCH=x86_64)
	[ "$1" = gcc ] || args+=(LLVM=-19)
	configure "$KIT_TREE" "$o" x86_64 "${args[@]}"
	quiet "preparing the lint build, $1" "$2" kmake "$KIT_TREE" "$o" "${args[@]}" prepare
}

# configure TREE O NAME [MAKE-ARG...]: .config in O from the fragments, kept if they are unchanged
configure() {
	local tree=$1 o=$2 name=$3 wanted
	shift 3
	mkdir -p "$o"
	wanted=$o/kit.config
	config_fragments "$tree" "$name" >"$wanted.new"
	if [ ! -f "$o/.config" ] || ! cmp -s "$wanted" "$wanted.new"; then
		mv "$wanted.new" "$wanted"
		kmake "$tree" "$o" "$@" KCONFIG_ALLCONFIG="$wanted" allnoconfig >"$KIT_LOGS/config.log" 2>&1 ||
			die "the kernel could not be configured" "read $(rel "$KIT_LOGS/config.log")"
	else
		rm -f "$wanted.new"
		kmake "$tree" "$o" "$@" olddefconfig >"$KIT_LOGS/config.log" 2>&1 ||
			die "the kernel could not be configured" "read $(rel "$KIT_LOGS/config.log")"
	fi
	if ! (check_config "$wanted" "$o/.config"); then
		rm -f "$o/.config"
		exit 1
	fi
}
