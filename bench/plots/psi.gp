# Measured: ticks of psi's walk, old loop against series; above the fixed patterns, below the recorded streams
set label 2 "Measured: ticks of psi's walk over the task counts, old loop and series" at screen 0.014, top(20) font ",15"
set label 3 machine . "; " . compiler at screen 0.014, top(39) font ",11"
set datafile separator "\t"
stats "fixed" using 0 nooutput
fixed = int(STATS_records)
stats "streams" using 0 nooutput
streams = int(STATS_records)
stats "streams" using ($4 > $7 ? $4 : $7) nooutput
most = STATS_max
stats "fixed" using ($2 < $3 ? $2 : $3) nooutput
least = STATS_min < 0 ? 1.3 * STATS_min : 0

set multiplot
unset grid
set grid x lt 1 lw 0.5 lc rgb "#dddddd"
set border 2
set ytics scale 0
set xrange [least:1.1 * most]
set lmargin at screen 0.19
set rmargin at screen 0.975
unset key
bar(n, side) = n + 1 + 0.19 * (2 * side - 1)

set title "fixed patterns, net of the form's own empty one; minimum; it moves between runs (psi-runs.txt)" offset 0, -0.6 font ",11"
set tmargin at screen top(75)
set bmargin at screen top(75 + 36 * fixed)
set yrange [fixed + 0.5:0.5]
set format x ""
plot "fixed" using (0):(bar($0, 0)):(0):2:(bar($0, 0) - 0.17):(bar($0, 0) + 0.17):ytic(1) with boxxyerror lc rgb grey notitle, \
	"" using (0):(bar($0, 1)):(0):3:(bar($0, 1) - 0.17):(bar($0, 1) + 0.17) with boxxyerror lc rgb blue notitle, \
	"" using 2:(bar($0, 0)):(sprintf("%.2f", $2)) with labels left offset 0.6, 0 font ",10" notitle, \
	"" using 3:(bar($0, 1)):(sprintf("%.2f", $3)) with labels left offset 0.6, 0 font ",10" notitle

unset label
set label 1 "" at screen 0, 0
set title "recorded in a guest and replayed, the whole call; median, and from minimum to 90th percentile"
set tmargin at screen top(75 + 36 * fixed + 35)
set bmargin at screen top(75 + 36 * (fixed + streams) + 35)
set yrange [streams + 0.5:0.5]
set format x "%g"
set xlabel "TSC ticks of a call" offset 0, 0.4
set key at screen 0.5, bottom(38) center center vertical maxrows 1 reverse Left samplen 1.5
plot "streams" using (0):(bar($0, 0)):(0):2:(bar($0, 0) - 0.17):(bar($0, 0) + 0.17):ytic(1) with boxxyerror lc rgb grey title "old loop", \
	"" using (0):(bar($0, 1)):(0):5:(bar($0, 1) - 0.17):(bar($0, 1) + 0.17) with boxxyerror lc rgb blue title "series", \
	"" using 2:(bar($0, 0)):3:4 with xerrorbars pt -1 lc rgb black notitle, \
	"" using 5:(bar($0, 1)):6:7 with xerrorbars pt -1 lc rgb black notitle, \
	"" using 4:(bar($0, 0)):(sprintf("%.2f", $2)) with labels left offset 0.6, 0 font ",10" notitle, \
	"" using 7:(bar($0, 1)):(sprintf("%.2f", $5)) with labels left offset 0.6, 0 font ",10" notitle, \
	"" using 8:($0 + 0.58):(0):(0.84) with vectors nohead lw 2 lc rgb orange title "a call without a walk"
unset multiplot
