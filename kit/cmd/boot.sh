# boot: boot the kernel in a scenario and check the machine. SCENARIO= (16cpu-4llc), KERNEL=, CONFIG=.
# A splat, a hang or a CPU that is missing is a failure.
. "$KIT_TOP/kit/kernel.sh"
. "$KIT_TOP/kit/guest.sh"
guest_settings
"$KIT_TOP/kit/kit" deps run
"$KIT_TOP/kit/kit" build
guest_session "boot-$SCENARIO" "$(kernel_o "$CONFIG" "$KERNEL")" "$SCENARIO" check
