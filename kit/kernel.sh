# kit/kernel.sh - configure a kernel from fragments and check that no wanted option was dropped.
# Sourced by build, kunit, lint and series.
#
# A configuration is named by its fragments, joined by +: x86_64+lockdep is kit/configs/x86_64.config
# with kit/configs/lockdep.config on top; `series` is added unless the base alone is built.

# config_fragments NAME base|series: the fragments' text
config_fragments() {
	local part
	for part in ${1//+/ } $([ "$2" = base ] || echo series); do
		[ -f "$KIT_TOP/kit/configs/$part.config" ] || die "no configuration '$part'" "see kit/configs/"
		cat "$KIT_TOP/kit/configs/$part.config"
	done
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

# configure TREE O NAME base|series [MAKE-ARG...]: .config in O from the fragments, kept if they are unchanged
configure() {
	local tree=$1 o=$2 name=$3 which=$4 wanted
	shift 4
	mkdir -p "$o"
	wanted=$o/kit.config
	config_fragments "$name" "$which" >"$wanted.new"
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
