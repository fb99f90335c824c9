# Counted: stores to shared lines and locked operations of a call, base against series, a row for each function and class
set label 2 "Counted: stores to shared lines and locked operations of a call" at screen 0.014, top(20) font ",15"
set label 3 "In a guest under QEMU, " . guest . "; a line is shared if CPUs of more than one LLC read or write it;" at screen 0.014, top(39) font ",11"
set label 4 "functions that do neither are left out" at screen 0.014, top(54) font ",11"
file = name
set datafile separator "\t"
stats file using 0 nooutput
rows = int(STATS_records)
array most[5]
do for [c = 2:5] {
	stats file using (column(c)) nooutput
	most[c] = STATS_max
}
# A step of 1, 2 or 5 times a power of ten, five of them or fewer
power(x) = 10 ** floor(log10(x))
round(x, p) = p * (x <= p ? 1 : x <= 2 * p ? 2 : x <= 5 * p ? 5 : 10)
step(x) = round(x / 4, power(x / 4))

set multiplot
set yrange [rows + 0.6:0.4]
set tmargin at screen top(90)
set bmargin at screen bottom(95)
unset grid
set grid x lt 1 lw 0.5 lc rgb "#dddddd"
set border 2
set ytics scale 0
set xlabel "per call" offset 0, 0.4
unset key
bar(n, side) = n + 1 + 0.19 * (2 * side - 1)
do for [c = 1:2] {
	b = 2 * c
	end = 1.25 * (most[b] > most[b + 1] ? most[b] : most[b + 1])
	if (end <= 0) { end = 1.0 }
	set xrange [0:end]
	set xtics step(end)
	if (c == 1) {
		set lmargin at screen 0.325
		set rmargin at screen 0.66
		set title "stores to shared lines, locked ones too" offset 0, -0.6
	} else {
		unset label
		set label 1 "" at screen 0, 0
		set lmargin at screen 0.70
		set rmargin at screen 0.965
		set title "locked operations, on any line"
		unset ytics
		set key at screen 0.5, bottom(38) center center vertical maxrows 1 reverse Left samplen 1.5
	}
	plot file using (0):(bar($0, 0)):(0):(column(b)):(bar($0, 0) - 0.17):(bar($0, 0) + 0.17):ytic(1) \
			with boxxyerror lc rgb grey title "base", \
		file using (0):(bar($0, 1)):(0):(column(b + 1)):(bar($0, 1) - 0.17):(bar($0, 1) + 0.17) \
			with boxxyerror lc rgb blue title "series", \
		file using b:(bar($0, 0)):b with labels left offset 0.4, 0 font ",10" notitle, \
		file using (column(b + 1)):(bar($0, 1)):b + 1 with labels left offset 0.4, 0 font ",10" notitle
}
unset multiplot
