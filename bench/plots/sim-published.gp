# The published table beside ours: simulated on the same machine, and measured on two cores. A line of the data is POSITION VALUE
# [LOWEST HIGHEST]; the positions of the names are those below
set label 2 "Published, simulated, measured: what a set or clear costs" at screen 0.014, top(20) font ",15"
set label 3 "Published: K Prateek Nayak, April 2026, cycles of his code. Measured: bench/sbm, " . measured at screen 0.014, top(39) font ",11"
set label 4 "Simulated: his machine (Zen 3, 256 CPUs), " . simulated at screen 0.014, top(54) font ",11"
set label 5 "Two cores: what was given to the simulator is not shown as simulated" at screen 0.014, top(69) font ",11"
set label 6 "256 CPUs; global mask = 100 %" at screen 0.014, first 0.3 font ",11"
set label 7 "2 cores; locked word = 100 %" at screen 0.014, first 5.2 font ",11"
set logscale x
set xrange [*:250]
set xtics ("0.01 %%" 0.01, "0.1 %%" 0.1, "1 %%" 1, "10 %%" 10, "100 %%" 100)
set xlabel "time of a set or clear, logarithmic" offset 0, 0.3
set yrange [11.6:0.1]
set ytics scale 0 ("one global mask" 1, "a mask for each NUMA node" 2, "a mask for each LLC" 3, "a byte for each CPU" 4, \
	"locked bits in one word" 6, "locked bits, a line each" 7, "sbm, one line" 8, "sbm, a line each" 9, \
	"sbm, one line, barrier" 10, "sbm, a line each, barrier" 11)
set border 3
set lmargin at screen 0.27
set rmargin at screen 0.975
set tmargin at screen top(88)
set bmargin at screen bottom(120)
set key at screen 0.5, bottom(46) center center vertical maxrows 2 Left reverse samplen 2.5 spacing 1.2 width -6 font ",11"
store(row) = row == 8 || row == 9
plot "published.dat" using 2:($1 - 0.25) with points pt 13 ps 1 lc rgb black title "published", \
	"measured.dat" using 2:($1 - 0.25) with points pt 5 ps 0.8 lc rgb red title "measured on two cores", \
	"seen.dat" using 2:1:3:4 with xerrorbars lw 1.5 pt 7 ps 0.8 lc rgb blue title "simulated, until others can see it", \
	"goes-on.dat" using ($1 == 4 ? $2 : NaN):($1 + 0.25):3:4 with xerrorbars lw 1.5 pt 8 ps 0.9 lc rgb sky title "simulated, until the CPU can go on", \
	"cores.dat" using (store($1) ? NaN : $2):1 with points pt 7 ps 0.8 lc rgb blue notitle, \
	"cores.dat" using (store($1) ? $2 : NaN):($1 + 0.1) with points pt 8 ps 0.9 lw 1.5 lc rgb sky notitle, \
	"published.dat" using 2:($1 - 0.25):(sprintf("%.2f", $2)) with labels left offset 0.8, 0.1 font ",10" notitle, \
	"measured.dat" using 2:($1 - 0.25):(sprintf("%.1f", $2)) with labels left offset 0.8, 0.1 font ",10" notitle
