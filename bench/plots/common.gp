# What the plots share. kit/cmd/plots.sh runs gnuplot in the folder with the data, and sets name, height and foot.
set terminal svg size 700, height noenhanced font "sans-serif,12" background "white"
set grid lt 1 lw 0.5 lc rgb "#dddddd"
set border 3 lc rgb "#555555"
set tics nomirror out scale 0.5 textcolor rgb "#222222"
set style fill solid noborder
set key textcolor rgb "#222222"

# A line of text PIXELS from the top, or from the bottom
top(pixels) = 1 - real(pixels) / height
bottom(pixels) = real(pixels) / height
set label 1 foot at screen 0.014, bottom(11) left font ",9.5" textcolor rgb "#666666"

black = "#000000"; blue = "#0072b2"; sky = "#56b4e9"; green = "#009e73"
orange = "#e69f00"; red = "#d55e00"; purple = "#cc79a7"; grey = "#888888"
