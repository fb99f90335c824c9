# kit/guest.sh - boot a kernel under QEMU and run a job in it. Sourced by boot, shell, selftest, perf-sched.

# guest_settings: the defaults of CONFIG, KERNEL and SCENARIO; a wrong one is told before anything is built
guest_settings() {
	: "${CONFIG:=x86_64}" "${KERNEL:=series}" "${SCENARIO:=16cpu-4llc}"
	export CONFIG KERNEL SCENARIO
	guest_scenario "$SCENARIO"
}

# guest_name JOB: what the session is called, a folder of build/guest
guest_name() {
	local name=$1-$SCENARIO
	[ "$CONFIG" = x86_64 ] || name+=-$CONFIG
	[ "$KERNEL" = series ] || name+=-$KERNEL
	printf '%s' "$name"
}

# guest_scenario NAME: the scenario's settings
guest_scenario() {
	[ -f "$KIT_TOP/kit/scenarios/$1" ] || die "no scenario '$1'" "one of: $(cd "$KIT_TOP/kit/scenarios" && echo *)"
	BOOT_CPUS='' NODES=1 MEM=2G APPEND='' TIMEOUT=300 MACHINE=q35 CPU=EPYC QEMU_ARGS=() PLUG=()
	# shellcheck source=/dev/null
	. "$KIT_TOP/kit/scenarios/$1"
	: "${BOOT_CPUS:=$CPUS}"
	TIMEOUT=$((TIMEOUT + ${KIT_MORE_TIME:-0}))
}

# guest_initramfs O FILE: init and a static busybox
guest_initramfs() {
	local dir busybox
	dir=$(mktemp -d "$KIT_BUILD/initramfs.XXXXXX")
	busybox=$(command -v busybox) || die "no busybox" "install busybox-static"
	cat >"$dir/list" <<LIST
dir /bin 0755 0 0
dir /dev 0755 0 0
nod /dev/console 0600 0 0 c 5 1
file /bin/busybox $busybox 0755 0 0
file /init $KIT_TOP/kit/guest/init 0755 0 0
LIST
	"$1/usr/gen_init_cpio" "$dir/list" | gzip -1 >"$2"
	rm -rf "$dir"
}

# splats LOG: the lines of a guest's log that are a fault. DATA_RACES= a file of KCSAN's reports that are none, or "all"
splats() {
	local bad allowed
	bad=$(grep -v '^#' "$KIT_TOP/kit/splats" | paste -sd '|')
	allowed=$(grep -v '^#' "$KIT_TOP/kit/splats-allowed" | cut -f1 | paste -sd '|')
	tr -d '\r' <"$1" | grep -E "$bad" | grep -vE "$allowed" | other_than_known_races || :
}

# data_races LOG...: KCSAN's reports, "A / B" in the order of the names, without what gcc appends to them
data_races() {
	tr -d '\r' <"$1" | sed -n 's/.*BUG: KCSAN: data-race in //p' | sed -E 's/\.(isra|constprop|part|cold)(\.[0-9]+)?//g' |
		awk -F ' / ' 'NF > 1 && $1 > $2 { print $2 " / " $1; next } { print }' | sort -u
}
other_than_known_races() {
	local line
	while IFS= read -r line; do
		case $line:${DATA_RACES:-} in
		*'BUG: KCSAN: data-race in '*:all) ;;
		*'BUG: KCSAN: data-race in '*:?*) data_races <(printf '%s\n' "$line") | grep -qxFf "$DATA_RACES" || printf '%s\n' "$line" ;;
		*) printf '%s\n' "$line" ;;
		esac
	done
}

# guest_run DIR O SCENARIO [VAR=VALUE...]: run DIR/job in the kernel of O, as the scenario says.
# Leaves DIR/console.log, DIR/out/{job.log,status,dmesg,...}. Returns 0 if the job ended with 0 and
# the log is clean; otherwise says in one line what is wrong, and where it hung shows the log's end.
guest_run() {
	local dir=$1 o=$2 scenario=$3 accel pid t0 now said plugged=0 i status
	shift 3
	guest_scenario "$scenario"
	[ -f "$o/arch/x86/boot/bzImage" ] || die "no kernel in $(rel "$o")" "make build"
	mkdir -p "$dir/out"
	rm -f "$dir/console.log" "$dir/out/status" "$dir/mon.in" "$dir/mon.out"
	cp "$KIT_TOP/kit/guest/rc" "$dir/out/rc"
	cp "$dir/job" "$dir/out/job" 2>/dev/null || :
	{
		printf '%s=%q\n' KIT_TOP "$KIT_TOP" SCENARIO "$scenario" CPUS "$CPUS" BOOT_CPUS "$BOOT_CPUS" \
			LLCS "$LLCS" NODES "$NODES" MODULES "$o/modules/lib/modules" PLUGGED ${#PLUG[@]} KIT_OUT /run/kit
		for i in "$@"; do printf '%s=%q\n' "${i%%=*}" "${i#*=}"; done
		echo 'export KIT_TOP SCENARIO CPUS BOOT_CPUS LLCS NODES MODULES PLUGGED KIT_OUT'
		for i in "$@"; do echo "export ${i%%=*}"; done
	} >"$dir/out/env"
	guest_initramfs "$o" "$dir/initramfs.gz"

	if [ -w /dev/kvm ] && [ -z "${KIT_NO_KVM:-}" ]; then accel=kvm; else accel=tcg,thread=multi; fi
	local qemu=(${QEMU:-qemu-system-x86_64} -accel "$accel" -machine "$MACHINE" -cpu "$CPU" -smp "$SMP" -m "$MEM" "${QEMU_ARGS[@]}"
		-no-reboot -display none -nodefaults -vga none
		-kernel "$o/arch/x86/boot/bzImage" -initrd "$dir/initramfs.gz"
		-append "console=ttyS0 panic=-1 nokaslr mitigations=off rcupdate.rcu_cpu_stall_timeout=60 watchdog_thresh=60 $APPEND ${KIT_APPEND:-}"
		-virtfs local,path=/,mount_tag=kitroot,security_model=none,readonly=on,multidevs=remap
		-virtfs "local,path=$dir/out,mount_tag=kitout,security_model=none,multidevs=remap"
		-blockdev driver=null-co,node-name=d0,size=1073741824,latency-ns=1000000,read-zeroes=on
		-device virtio-blk-pci,drive=d0 -device virtio-rng-pci)
	if [ -n "${KIT_SHELL:-}" ]; then
		"${qemu[@]}" -serial mon:stdio || :
		return 0
	fi
	mkfifo "$dir/mon.in" "$dir/mon.out"
	exec 7<>"$dir/mon.in" 8<>"$dir/mon.out"
	cat <&8 >"$dir/monitor.log" &
	local drain=$!
	: >"$dir/console.log"
	"${qemu[@]}" -serial "file:$dir/console.log" -chardev "pipe,id=mon,path=$dir/mon" -mon chardev=mon >"$dir/qemu.log" 2>&1 </dev/null &
	pid=$!
	# shellcheck disable=SC2064
	trap "kill $pid $drain 2>/dev/null || :" EXIT
	t0=$(date +%s) said=$t0
	while kill -0 "$pid" 2>/dev/null; do
		sleep 0.5
		now=$(date +%s)
		if [ "$plugged" -eq 0 ] && [ ${#PLUG[@]} -gt 0 ] && grep -q 'KIT: plug' "$dir/console.log"; then
			plugged=1
			for i in "${!PLUG[@]}"; do printf 'device_add EPYC-x86_64-cpu,id=late%d,%s\n' "$i" "${PLUG[$i]}" >&7; done
		fi
		if [ $((now - said)) -ge 30 ]; then
			said=$now
			say "guest $scenario: $((now - t0)) s of at most $TIMEOUT, $(tr -d '\r' <"$dir/console.log" | tail -n 1 | cut -c1-90)"
		fi
		if [ $((now - t0)) -ge "$TIMEOUT" ]; then
			kill "$pid" 2>/dev/null || :
			wait "$pid" 2>/dev/null || :
			kill "$drain" 2>/dev/null || :
			exec 7>&- 8>&-
			trap - EXIT
			tr -d '\r' <"$dir/console.log" | tail -n 40 | sed 's/^/    /' >&2
			GUEST_WHY="the guest ($scenario) hangs: no end after $TIMEOUT s"
			return 1
		fi
	done
	wait "$pid" || { GUEST_WHY="QEMU ended with an error: $(tail -n 1 "$dir/qemu.log")"; }
	kill "$drain" 2>/dev/null || :
	exec 7>&- 8>&-
	rm -f "$dir/mon.in" "$dir/mon.out"
	trap - EXIT
	GUEST_SECONDS=$(($(date +%s) - t0))
	GUEST_SPLATS=$(splats "$dir/console.log")
	[ ! -s "$dir/out/dmesg" ] || GUEST_SPLATS=$(printf '%s\n%s' "$GUEST_SPLATS" "$(splats "$dir/out/dmesg")" | sed '/^$/d' | awk '!seen[$0]++')
	if [ -n "$GUEST_SPLATS" ]; then
		GUEST_WHY="the guest's log has a splat: $(head -n 1 <<<"$GUEST_SPLATS" | cut -c1-120)"
		return 1
	fi
	status=$(cat "$dir/out/status" 2>/dev/null || :)
	if [ -z "$status" ]; then
		tr -d '\r' <"$dir/console.log" | tail -n 40 | sed 's/^/    /' >&2
		GUEST_WHY=${GUEST_WHY:-"the guest ($scenario) stopped before its job ended"}
		return 1
	fi
	[ "$status" -eq 0 ] || { GUEST_WHY="the job in the guest ended with status $status, read $(rel "$dir")/out/job.log"; return 1; }
}

# guest_session NAME O SCENARIO PART...: boot, run the parts (files of kit/guest) one after the other,
# and turn what they print into results. NAME is the folder in build/guest. Fails if anything did.
guest_session() {
	local name=$1 o=$2 scenario=$3 dir=$KIT_BUILD/guest/$1 part rc=0 line bad
	shift 3
	rm -rf "$dir" && mkdir -p "$dir/out"
	for part in "$@"; do
		# Appended to: the kselftest runner opens its standard output a second time.
		printf 'bash %q >>/run/kit/%s.log 2>&1 </dev/null; echo $? >/run/kit/%s.status\n' "$KIT_TOP/kit/guest/$part" "$part" "$part"
	done >"$dir/job"
	say "guest $scenario: $*"
	bad=$(grep -c ^fail "$KIT_RESULTS" || :)
	guest_run "$dir" "$o" "$scenario" KERNEL="$KERNEL" SCALE="${SCALE:-1}" TIME="${TIME:-60}" LOAD="${LOAD:-}" STORM="${STORM:-}" KSELFTEST="$KIT_BUILD/kselftest/$KERNEL" \
		SUITES="$(guest_suites "$o")" || rc=$?
	for part in "$@"; do
		case $part in
		check)
			while read -r line; do
				case $line in
				'ok '*) result pass boot "$scenario: ${line#ok }" ;;
				'not ok '*) result fail boot "$scenario: ${line#not ok }" ;;
				esac
			done < <(cat "$dir/out/check.log" 2>/dev/null)
			;;
		kselftest) kselftest_results "$dir/out/kselftest.log" "$scenario" ;;
		*)
			if [ "$(cat "$dir/out/$part.status" 2>/dev/null)" = 0 ]; then
				result pass "$part" "$scenario: $part"
			else
				result fail "$part" "$scenario: $part" "read $(rel "$dir")/out/$part.log"
			fi
			;;
		esac
	done
	if [ $rc -ne 0 ]; then
		result fail boot "$scenario: the log" "$GUEST_WHY"
		die "$GUEST_WHY" "the logs are in $(rel "$dir")/"
	fi
	result pass boot "$scenario: the log is clean"
	say "guest $scenario: done, $GUEST_SECONDS s, log clean; logs in $(rel "$dir")/"
	[ "$bad" = "$(grep -c ^fail "$KIT_RESULTS" || :)" ]
}

# guest_suites O: the KUnit suites that the kernel has built in
guest_suites() {
	local suite _ options
	while read -r suite _ options; do
		# shellcheck disable=SC2086
		! has_options "$1/.config" $options || printf '%s ' "$suite"
	done < <(grep -v '^#' "$KIT_TOP/kit/expected-kunit")
}

# kselftest_results LOG SCENARIO: a result for each test that the runner names; none is a failure
kselftest_results() {
	local line name n=0
	while read -r line; do
		name=$(sed -E 's/^(not )?ok [0-9]+ selftests: ([^#]*).*/\2/; s/ *$//' <<<"$line")
		n=$((n + 1))
		case $line in
		*'# SKIP'*) result skip kselftest "$2: $name" "$(kselftest_skip_reason "$1" "$n")" ;;
		'not ok'*) result fail kselftest "$2: $name" "$(grep -m 1 -E '^# not ok|^# # .*(fail|FAIL)' "$1" | cut -c1-100), read $(rel "$1")" ;;
		*) result pass kselftest "$2: $name" ;;
		esac
	done < <(grep -E '^(not )?ok [0-9]+ selftests: ' "$1" 2>/dev/null)
	[ "$n" -gt 0 ] || result fail kselftest "$2: the kselftests" "none ran, read $(rel "$1")"
}

# kselftest_skip_reason LOG N: the last line with SKIP that the Nth test printed
kselftest_skip_reason() {
	awk -v n="$2" '/^# selftests: / { i++ } i == n && /^# .*SKIP/ { r = $0 } END { sub(/^# (1\.\.0 )?(# )?/, "", r); print substr(r, 1, 100) }' "$1"
}
