#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Record the streams in a QEMU guest that has the host's root
#
#	record.sh KERNEL STREAMS_DIR [CALLS]
#
# KERNEL is an x86-64 bzImage of the base with KPROBE_EVENTS, PSI, MEMCG, 9P
# and OVERLAY_FS (all built in). The host's root is mounted read-only over 9p
# under an overlay in memory; only STREAMS_DIR is written. The guest has CPUS
# [2] CPUs and a disk that answers every request after LATENCY [1000000] ns.
# Wants qemu-system-x86_64, a static busybox and cpio; in the guest, perf.
#
# Only this script knows how to boot. A kit with its own boot runs
# record-guest.sh instead.
set -eu

if [ $# -lt 2 ]; then
	echo "usage: record.sh KERNEL STREAMS_DIR [CALLS]" >&2
	exit 2
fi

here=$(cd "$(dirname "$0")" && pwd)
kernel=$1
mkdir -p "$2"
share=$(cd "$2" && pwd)
calls=${3:-12000}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

for tool in qemu-system-x86_64 busybox cpio; do
	command -v $tool >/dev/null || { echo "record: no $tool" >&2; exit 1; }
done

mkdir -p "$work"/root/{proc,dev,low,mem,new}
cp "$(command -v busybox)" "$work/root/busybox"
cp "$here"/record-guest.sh "$here"/stream.awk "$work/root/"
cat >"$work/root/init" <<END
#!/busybox sh
b=/busybox
\$b mount -t devtmpfs dev /dev
\$b mount -t 9p -o trans=virtio,version=9p2000.L,ro hostroot /low
\$b mount -t tmpfs mem /mem
\$b mkdir /mem/upper /mem/work
\$b mount -t overlay -o lowerdir=/low,upperdir=/mem/upper,workdir=/mem/work o /new
\$b mount -t devtmpfs dev /new/dev
\$b mount -t proc proc /new/proc
\$b mount -t sysfs sys /new/sys
\$b mount -t tmpfs tmp /new/tmp
\$b mkdir /new/tmp/out
\$b mount -t 9p -o trans=virtio,version=9p2000.L share /new/tmp/out
\$b cp /record-guest.sh /stream.awk /new/tmp/
\$b ip link set lo up
\$b chroot /new /bin/bash /tmp/record-guest.sh /tmp/out $calls
echo "record: exit status \$?"
\$b poweroff -f
END
chmod +x "$work/root/init"
( cd "$work/root" && find . | cpio -o -H newc --quiet ) | gzip -1 \
	>"$work/initramfs"

accel=tcg
[ -w /dev/kvm ] && accel=kvm
timeout "${TIMEOUT:-900}" qemu-system-x86_64 -accel $accel -m 1G \
	-cpu "$([ $accel = kvm ] && echo host || echo EPYC)" \
	-smp "${CPUS:-2}" -nographic -no-reboot \
	-kernel "$kernel" -initrd "$work/initramfs" \
	-append "console=ttyS0 quiet psi=1 panic=-1" \
	-virtfs local,path=/,mount_tag=hostroot,security_model=none,readonly=on,multidevs=remap \
	-virtfs "local,path=$share,mount_tag=share,security_model=none" \
	-blockdev "driver=null-co,node-name=slow,size=1073741824,latency-ns=${LATENCY:-1000000},read-zeroes=on" \
	-device virtio-blk-pci,drive=slow </dev/null |
	tr -d '\r' | tee "$work/console"

grep -q '^record: exit status 0$' "$work/console"
