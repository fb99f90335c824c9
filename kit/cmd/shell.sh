# shell: an interactive shell in the guest. SCENARIO=, KERNEL=, CONFIG= as for boot. What is written
# there is gone at the end, but for /run/kit, which is build/guest/shell/out. Leave by `exit`, or Ctrl-A X.
. "$KIT_TOP/kit/kernel.sh"
. "$KIT_TOP/kit/guest.sh"
guest_settings
"$KIT_TOP/kit/kit" deps run
"$KIT_TOP/kit/kit" build
dir=$KIT_BUILD/guest/shell
mkdir -p "$dir/out"
KIT_SHELL=1 guest_run "$dir" "$(kernel_o "$CONFIG" "$KERNEL")" "$SCENARIO" KIT_SHELL=1
