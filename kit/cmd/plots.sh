# plots: SVG plots of the tables in results/*.txt, by gnuplot (bench/plots/*.gp), to results/*.svg. Seconds; nothing is measured,
# and the same tables give the same bytes. Columns are found by their headings: a table without them is an error, and no plot
# is changed then. results/counts-rt.txt and counts-rt-storm.txt are drawn if they are there.
"$KIT_TOP/kit/kit" deps plots
work=$KIT_BUILD/plots
rm -rf "$work"
mkdir -p "$work"

# get OUT FILE COMMAND PROGRAM [VAR=VALUE...]: what an awk program finds in results/FILE, which make COMMAND writes
get() {
	local out=$work/$1 file=results/$2 by=$3 program=$4 v why args=()
	shift 4
	[ -f "$KIT_TOP/$file" ] || die "no $file" "make $by writes it"
	for v; do args+=(-v "$v"); done
	why=$(awk "${args[@]}" "$fail $program" "$KIT_TOP/$file" 2>&1 >"$out") || die "$file: ${why:-awk failed}" "make $by writes it anew"
}
# foot FILE COMMAND...: from which files of results/ a plot is, the command and the day of each
foot() {
	local text=
	while [ $# -gt 0 ]; do
		text+=${text:+, }"results/$1 (make $2, $(grep -oEm 1 '20[0-9]{2}-[0-9]{2}-[0-9]{2}' "$KIT_TOP/results/$1" || echo 'no date'))"
		shift 2
	done
	printf '%s; drawn by make plots' "$text"
}
# draw NAME SCRIPT HEIGHT FOOT [VAR=TEXT...]: without gnuplot's version, and what it leaves empty or unused
draw() {
	local name=$1 script=$2 foot=$4 log=$KIT_LOGS/plots.log v set="name='$1'; height=$3; foot='$4'"
	shift 4
	for v; do set+="; ${v%%=*}='$(tr -d "'" <<<"${v#*=}")'"; done
	(cd "$work" && gnuplot -d -e "$set" "$KIT_TOP/bench/plots/common.gp" "$KIT_TOP/bench/plots/$script.gp") >"$work/$name.raw" 2>"$log" ||
		die "results/$name.svg cannot be drawn: $(grep . "$log" | tail -n 1)" "read $(rel "$log")"
	awk -v name="$name" -v foot="$foot" '
		{ sub(/^\t+/, ""); sub(/ stroke-linecap="butt" stroke-linejoin="miter"/, "") }
		/^<title>/ { $0 = "<title>" name "</title>" }
		/^<desc>/ { $0 = "<desc>" foot "</desc>" }
		/^<filter/ { skip = 1 }
		skip { if (/^<\/filter>/) skip = 0; next }
		group != "" { if ($0 == "</g>") { group = ""; next } print group; group = "" }
		/^<g fill/ { group = $0; next }
		{ print }' "$work/$name.raw" >"$work/$name.svg"
}

fail='function fail(what) { print what >"/dev/stderr"; failed = 1; exit 1 }
function number(word) { if (word !~ /^[0-9]+[.]?[0-9]*$/) { $1 = $1; fail("not a number: " word " in: " $0) } return word }
function above(word) { if (number(word) <= 0) { $1 = $1; fail("0, which no logarithmic axis has, in: " $0) } return word }
END { if (failed) exit 1 }'

# Of the table under the line TITLE, made with MACHINE: the first column and those of NAMES. The last line may be of figures
# that are not ours, "publ."
columns='
BEGIN { n = split(names, name) }
$1 == "machine" { of = $2 }
!at && !rows && index($0, title) == 1 && of == machine ":" { at = 1; next }
at == 1 && /[|]/ {
	for (i = split($0, part, "|"); i; i--)
		for (j = split(part[i], word, " "); j; j--)
			if (!(word[j] in group) || group[word[j]] == i) { group[word[j]] = i; place[word[j]] = j }
	for (i = 1; i <= n; i++)
		if (!(name[i] in group)) fail("no column " name[i] " under \"" title "\" of " machine)
	at = 2
	next
}
at == 2 && !NF { at = 0 }
at == 2 && $1 ~ /^([0-9]+|publ[.])$/ {
	split($0, part, "|")
	row = $1
	for (i = 1; i <= n; i++) {
		split(part[group[name[i]]], word, " ")
		row = row "\t" above(word[place[name[i]]])
	}
	print row
	rows++
}
END { if (!rows) fail("no table \"" title "\" of " machine) }'

# --- simulated: cost against CPUs, and against CPUs of an LLC --------------------------------------------
for ns in 0 1000; do
	get "scale-$ns" sim-scale.txt bench-sim "$columns" machine=zen3 title="$ns ns between two operations" \
		names="global numa llc bytes+mb none+mb sbm sbm+mb"
	get "llcs-$ns" sim-llcs.txt bench-sim "$columns" machine=zen3 title="$ns ns between two operations" \
		names="global llc byte nohz all"
done

# --- the published table beside ours: lines of POSITION VALUE LOWEST HIGHEST ------------------------------
# The published figures and the simulated range over all times between operations, with the value at the time that fits
# them best when an operation lasts until others can see it
get seen sim-published.txt bench-sim "$columns" machine=zen3 title="Time of an operation until others can see it" names="global numa llc byte"
get goes-on sim-published.txt bench-sim "$columns" machine=zen3 title="Time of an operation until the CPU can go on" names="global numa llc byte"
best=$(awk '
	$1 == "publ." { for (i = 2; i <= 5; i++) right[i] = $i; next }
	{ t[++n] = $1; for (i = 2; i <= 5; i++) v[n, i] = $i }
	END {
		for (k = 1; k <= n; k++) {
			worst = 0
			for (i = 2; i <= 5 && right[i]; i++) {
				f = v[k, i] > right[i] ? v[k, i] / right[i] : right[i] / v[k, i]
				if (f > worst) worst = f
			}
			if (worst && (!best || worst < best)) { best = worst; at = t[k] }
		}
		print at
	}' "$work/seen")
[ -n "$best" ] || die "results/sim-published.txt: no line \"publ.\" under the times until others can see it" "make bench-sim writes it anew"
for reading in seen goes-on; do
	awk -v best="$best" '
		$1 != "publ." {
			for (i = 2; i <= 5; i++) {
				if (low[i] == "" || $i < low[i]) low[i] = $i
				if ($i > high[i]) high[i] = $i
				if ($1 == best) at[i] = $i
			}
		}
		END { for (i = 2; i <= 5; i++) print i - 1, at[i], low[i], high[i] }' "$work/$reading" | sort -n >"$work/$reading.dat"
done
awk '$1 == "publ." { for (i = 2; i <= 5; i++) print i - 1, $i }' "$work/seen" >"$work/published.dat"
# Two cores: what was measured, and what was simulated but for what was given to the simulator
places='BEGIN { n = split("word,lines,leaf,leaves,leaf + mb,leaves + mb", name, ","); for (i = 1; i <= n; i++) place[name[i]] = i + 5 }'
get measured.dat sbm-user-gcc.txt bench-sbm "$places"'
	{ k = split($0, part, /  +/) }
	part[1] == "set + clear, two cores" { for (i = 2; i <= k; i++) if (part[i] == "median") column = i; next }
	!NF { column = 0 }
	column && part[1] in place {
		value[part[1]] = above(part[column])
		print place[part[1]], 100 * value[part[1]] / value["word"]
	}
	END { for (i = 1; i <= n; i++) if (!(value[name[i]] > 0)) fail("no median of " name[i] " on two cores") }'
get cores.dat sim-published.txt bench-sim "$places"'
	/^Two cores / { at = 1; next }
	at == 1 { if ($1 != "simulated") fail("no column simulated under \"Two cores\""); at = 2; next }
	!NF { at = 0 }
	at == 2 && match($0, /  +[0-9]/) && (word = substr($0, 1, RSTART - 1)) in place {
		split(substr($0, RSTART), part, " ")
		value[word] = above(part[1])
		if (!/ given/) print place[word], 100 * value[word] / value["word"]
	}
	END { if (!value["word"]) fail("no row word under \"Two cores\"") }'

# --- counted: stores to shared lines and locked operations ------------------------------------------------
lists=nohz
for list in rt rt-storm; do [ ! -f "$KIT_TOP/results/counts-$list.txt" ] || lists+=" $list"; done
for list in $lists; do
	# LABEL, then base and series of both; rows without any of them are left out
	get "counts-$list" "counts-$list.txt" "counts LISTS=$list" '
		$1 == "function" { for (i = 3; i <= NF; i++) column[$i] = i; at = NF; next }
		at && !NF { at = 0 }
		at {
			if (!("rw>1" in column && "locked" in column)) fail("no columns rw>1 and locked")
			if (NF != at) fail("not " at " words: " $1 " " $2)
			row = $1 ($2 == "all" ? "" : ", " $2)
			some = 0
			for (c = 1; c <= 2; c++) {
				word = $column[c == 1 ? "rw>1" : "locked"]
				if (split(word, side, ">") < 2) side[2] = side[1]
				for (k = 1; k <= 2; k++) {
					if (side[k] == "" || side[k] == "-") side[k] = "NaN"
					else if (number(side[k]) > 0) some = 1
					row = row "\t" side[k]
				}
			}
			if (some) { print row; rows++ }
		}
		END { if (!rows) fail("no row with stores to shared lines or locked operations") }'
done

# --- measured: psi's walk -------------------------------------------------------------------------------
# Fixed patterns, minimum net of the form's own empty one; streams, median, minimum, 90 %, and the median of no walk
rows='
	$1 == "row" {
		if (NF != 10) fail("not 10 words: " $0)
		if (!(($2, $3) in min)) { min[$2, $3] = 1; order[++n] = $3; kind[n] = $2 }
		min[$2, $3, $6] = number($7)
		median[$2, $3, $6] = number($8)
		p90[$2, $3, $6] = number($9)
	}
	function need(k, name, form) { if (!((k, name, form) in min)) fail("no row " k " " name " of " form) }
	function both(k, name) { need(k, name, "old"); need(k, name, "ffs_likely") }'
get fixed psi-user-gcc.txt bench-psi "$rows"'
	END {
		both("fixed", "empty")
		for (i = 1; i <= n; i++) {
			if (kind[i] != "fixed" || order[i] == "empty") continue
			both("fixed", order[i])
			print order[i] "\t" min["fixed", order[i], "old"] - min["fixed", "empty", "old"] \
				"\t" min["fixed", order[i], "ffs_likely"] - min["fixed", "empty", "ffs_likely"]
			out++
		}
		if (!out) fail("no fixed patterns")
	}'
get streams psi-user-gcc.txt bench-psi "$rows"'
	END {
		for (i = 1; i <= n; i++) {
			if (kind[i] != "stream") continue
			both("stream", order[i])
			need("stream", order[i], "none")
			print order[i] "\t" median["stream", order[i], "old"] "\t" min["stream", order[i], "old"] "\t" p90["stream", order[i], "old"] \
				"\t" median["stream", order[i], "ffs_likely"] "\t" min["stream", order[i], "ffs_likely"] "\t" p90["stream", order[i], "ffs_likely"] \
				"\t" median["stream", order[i], "none"]
			out++
		}
		if (!out) fail("no recorded streams")
	}'

# --- all of them, then to results/ -------------------------------------------------------------------------
r=$KIT_TOP/results
draw sim-published sim-published 540 "$(foot sim-published.txt bench-sim sbm-user-gcc.txt bench-sbm)" \
	measured="$(sed -n '1s/^# *//p' "$r/sbm-user-gcc.txt")" \
	simulated="$(awk -v best="$best" '$1 != "publ." { if (NR == 1) low = $1; high = $1 }
		END { print best " ns between two operations (fits best; lines: " low " to " high " ns)" }' "$work/seen")"
draw sim-scale lines 480 "$(foot sim-scale.txt bench-sim)"
draw sim-llcs lines 480 "$(foot sim-llcs.txt bench-sim)"
for list in $lists; do
	draw "counts-$list" counts $((190 + 44 * $(wc -l <"$work/counts-$list"))) "$(foot "counts-$list.txt" "counts LISTS=$list")" \
		guest="$(sed -n '1s/.*; *//p' "$r/counts-$list.txt")"
done
draw psi-user-gcc psi $((225 + 36 * $(cat "$work/fixed" "$work/streams" | wc -l))) "$(foot psi-user-gcc.txt bench-psi)" \
	machine="$(sed -n 's/^# machine: *//p' "$r/psi-user-gcc.txt")" compiler="$(sed -n 's/^compiler //p' "$r/psi-user-gcc.txt")"
for svg in "$work"/*.svg; do
	mv "$svg" "$r/"
	result pass plots "${svg##*/}"
done
say "results/*.svg"
