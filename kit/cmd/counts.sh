# counts: what chosen kernel functions do in the guest, base against series, counted by a QEMU plugin (bench/plugin):
# calls, instructions, loads, stores, locked operations, by address and by shared line. LISTS= (nohz nohz-busy rt rt-storm psi), SCENARIO=.
# Tables go to results/counts-LIST.txt, all else to build/counts/. Counts are not time: TCG has no caches.
. "$KIT_TOP/kit/source.sh"
. "$KIT_TOP/kit/kernel.sh"
. "$KIT_TOP/kit/guest.sh"
guest_settings
count=$KIT_TOP/bench/plugin/count.sh
case $KIT_BUILD in *[[:blank:],]*) die "$KIT_BUILD has a blank or a comma in it" "QEMU's -plugin takes neither: set KIT_BUILD=" ;; esac
"$KIT_TOP/kit/kit" deps run
for k in base series; do KERNEL=$k "$KIT_TOP/kit/kit" build; done
for list in ${LISTS:-nohz nohz-busy rt rt-storm psi}; do
	[ -f "$KIT_TOP/bench/plugin/$list.list" ] || die "no list '$list'" "see bench/plugin/"
	for KERNEL in base series; do
		o=$(kernel_o "$CONFIG" "$KERNEL")
		dir=$KIT_BUILD/counts/$list-$KERNEL
		rm -rf "$dir" && mkdir -p "$dir"
		arg=$("$count" arg -s "$o/vmlinux" -f "$KIT_TOP/bench/plugin/$list.list" -o "$dir")
		KIT_NO_KVM=1 QEMU="qemu-system-x86_64 -plugin $arg" LOAD=$list guest_session "counts-$list-$KERNEL" "$o" "$SCENARIO" counts
		"$count" table -s "$o/vmlinux" -f "$KIT_TOP/bench/plugin/$list.list" -o "$dir" -l $((CPUS / LLCS)) >"$dir/log" 2>&1 ||
			die "the counts of $list, $KERNEL, make no table" "read $(rel "$dir")/log"
	done
	out=$KIT_TOP/results/counts-$list.txt
	{
		echo "# make counts LISTS=$list: per call, base against series; $SCENARIO, $CONFIG"
		echo "# $(base_name), $(gcc --version | sed -n 1p), $(qemu-system-x86_64 --version | sed -n 1p), $(date +%F)"
		"$count" compare "$KIT_BUILD/counts/$list-base/counts.tsv" "$KIT_BUILD/counts/$list-series/counts.tsv" | sed "s,$KIT_BUILD/,,"
		if [ "$list" = nohz ]; then
			echo
			for obj in kernel/sched/core.o kernel/sched/fair.o kernel/sched/build_utility.o lib/sbm.o vmlinux; do
				for k in base series; do
					f=$(kernel_o "$CONFIG" $k)/$obj
					[ ! -f "$f" ] || size "$f" | awk -v o="$obj" -v k=$k 'NR == 2 { printf "%-30s %-6s text %9d data %8d bss %8d\n", o, k, $1, $2, $3 }'
				done
			done
		fi
	} >"$out"
	say "$(rel "$out"); by address: $(rel "$KIT_BUILD")/counts/$list-*/table.txt"
done
