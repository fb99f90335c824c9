# SPDX-License-Identifier: GPL-2.0
#
# header WHAT: the first lines of a table of measurements, for scripts of sh

header()
{
	cpuinfo=/proc/cpuinfo
	echo "# $*"
	echo "# date $(date -u +%FT%RZ), kernel $(uname -r), $(uname -m)"
	echo "# machine:$(sed -n 's/^model name[^:]*://p' $cpuinfo | head -n 1)," \
		"family$(sed -n 's/^cpu family[^:]*://p' $cpuinfo | head -n 1)," \
		"model$(sed -n 's/^model[[:blank:]]*://p' $cpuinfo | head -n 1)," \
		"$(nproc --all) CPUs$(grep -q '^flags.* hypervisor' $cpuinfo && echo ', virtual')"
	echo "# load at the start: $(cut -d ' ' -f 1-3 /proc/loadavg)"
}
