# psi-record: record bench/psi/streams anew, in the guest, with the base kernel. SCENARIO= (4cpu).
. "$KIT_TOP/kit/kernel.sh"
. "$KIT_TOP/kit/guest.sh"
: "${SCENARIO:=4cpu}" "${KERNEL:=base}"
guest_settings
"$KIT_TOP/kit/kit" deps run
"$KIT_TOP/kit/kit" build
guest_session psi-record "$(kernel_o "$CONFIG" "$KERNEL")" "$SCENARIO" psi-record
cp "$KIT_BUILD"/guest/psi-record/out/streams/*.stream "$KIT_TOP/bench/psi/streams/"
say "new streams in bench/psi/streams/: git diff --stat says how much they differ"
