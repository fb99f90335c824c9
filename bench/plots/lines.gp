# Simulated: the time of an operation against the CPUs (sim-scale), or the CPUs of an LLC (sim-llcs), a line for each form; left without
# a pause between two operations, right with 1,000 ns
scale = name eq "sim-scale"
file = scale ? "scale" : "llcs"
set label 2 (scale ? "Simulated: what a set or clear costs, by the number of CPUs" : \
	"Simulated: what a set or clear costs, by the CPUs of an LLC") at screen 0.014, top(20) font ",15"
set label 3 (scale ? "Zen 3, 16 CPUs in an LLC; each CPU sets and clears itself" : \
	"Zen 3's latencies, 2 sockets of up to 240 CPUs, up to 64 in a leaf; each CPU sets and clears itself") at screen 0.014, top(39) font ",11"

# Whole powers of ten, from below sbm to above the global mask
low = 1e9
high = 1
do for [ns in "0 1000"] {
	stats file . "-" . ns using 1:(column(scale ? 7 : 4)) nooutput
	low = STATS_min_y < low ? STATS_min_y : low
	stats file . "-" . ns using 1:2 nooutput
	high = STATS_max_y > high ? STATS_max_y : high
}
set multiplot
set logscale xy
set xrange [STATS_min_x / 1.15:STATS_max_x * 1.15]
set yrange [10.0 ** floor(log10(low / 2)):10.0 ** ceil(log10(high * 2))]
set ytics ("0.1 ns" 0.1, "1 ns" 1, "10 ns" 10, "100 ns" 100, "1 us" 1e3, "10 us" 1e4, "100 us" 1e5, "1 ms" 1e6, "10 ms" 1e7)
if (scale) {
	set xtics ("16" 16, "64" 64, "256" 256, "1,024" 1024, "4,096" 4096, "16,384" 16384)
	set xlabel "CPUs, logarithmic"
} else {
	set xtics ("4" 4, "8" 8, "16" 16, "64" 64, "112" 112, "240" 240)
	set xlabel "CPUs of an LLC, logarithmic"
}
set xlabel offset 0, 0.3
set tmargin at screen top(75)
set bmargin at screen bottom(150)
set pointsize 0.6
unset key

set lmargin at screen 0.125
set rmargin at screen 0.535
set ylabel "time of an operation, logarithmic" offset 0.5
set title "no pause between two operations" offset 0, -0.5
do for [ns in "0 1000"] {
	if (ns eq "1000") {
		unset label
		set label 1 "" at screen 0, 0
		set title "1,000 ns between two operations"
		set lmargin at screen 0.57
		set rmargin at screen 0.97
		unset ylabel
		set ytics (0.1, 1, 10, 100, 1e3, 1e4, 1e5, 1e6, 1e7) format ""
		set key at screen 0.5, bottom(66) center center vertical maxrows 3 Left reverse samplen 3 spacing 1.15 width -7 font ",11"
	}
	d = file . "-" . ns
	if (scale) {
		plot d using 1:2 with linespoints lw 4 pt 7 ps 0.8 lc rgb black title "one global mask", \
			d using 1:3 with linespoints lw 2 pt 9 lc rgb orange title "a mask for each NUMA node", \
			d using 1:4 with linespoints lw 2 pt 4 ps 1.1 lc rgb red title "a mask for each LLC", \
			d using 1:5 with linespoints lw 2 dt 2 pt 11 lc rgb grey title "one array of bytes, barrier", \
			d using 1:8 with linespoints lw 2 pt 13 lc rgb green title "sbm, barrier", \
			d using 1:7 with linespoints lw 2 pt 6 ps 1 lc rgb blue title "sbm, until the CPU can go on", \
			d using 1:6 with linespoints lw 2 dt 3 pt 2 lc rgb purple title "a line for each CPU, barrier"
	} else {
		plot d using 1:2 with linespoints lw 4 pt 7 ps 0.8 lc rgb black title "one global mask", \
			d using 1:3 with linespoints lw 2 pt 4 ps 1.1 lc rgb red title "a mask for each LLC", \
			d using 1:6 with linespoints lw 2 pt 13 lc rgb green title "sbm, barrier after each operation", \
			d using 1:5 with linespoints lw 2 dt 2 pt 9 lc rgb sky title "sbm, barrier after each set, as nohz", \
			d using 1:4 with linespoints lw 2 pt 6 ps 1 lc rgb blue title "sbm, until the CPU can go on"
	}
}
unset multiplot
