# SPDX-License-Identifier: GPL-2.0
#
# Rows of psi_bench (user space or module) to tables, beside the posted ones:
#
#	awk -f table.awk published.txt ROWS
#
# Last come the targets, one line each, that begin with "ok" or "MISSED", and
# what is worth knowing beside them ("info"). They go by the minima: a median
# that says otherwise tells of a machine that was not quiet.
# For every and words the empty pattern costs as much as any other, so that net
# of it they are nothing: compare those two by what is net of none.

function net(name, form)
{
	return min["fixed", name, form] - min["fixed", "empty", form]
}

function percent(new, old)
{
	return old > 0 ? 100 * (new - old) / old : 0
}

function target(good, text)
{
	verdicts[++verdicts_n] = sprintf("%-6s  %s", good ? "ok" : "MISSED", text)
}

function heading(tail,	i)
{
	printf "%-18s", ""
	for (i = 1; i <= nforms; i++)
		printf " %11s", forms[i]
	print tail
}

# The minimum and the median of every form on one input
function pairs(label, kind, name,	i)
{
	printf "%-18s", label
	for (i = 1; i <= nforms; i++)
		printf " %11s", min[kind, name, forms[i]] "/" med[kind, name, forms[i]]
}

# Streams and mixes in one of the three ways; median, raw and net of none
function way(suffix, title,	i, j, k, n, none, own, sum, wins, count, text)
{
	printf "\nStreams and mixes, %s\n", title
	heading("   own/old   own/ffs  every/own  words/own")
	for (i = 1; i <= inputs; i++) {
		k = kinds[i]
		n = names[i]
		if (k != "mix" suffix && k != "stream" suffix)
			continue
		pairs(n, k, n)
		own = med[k, n, ours]
		printf " %+8.1f%%  %+8.1f%%  %+8.1f%%  %+8.1f%%\n",
			percent(own, med[k, n, "old"]),
			percent(own, med[k, n, "ffs"]),
			percent(med[k, n, "every"], own),
			percent(med[k, n, "words"], own)
		none = med[k, n, "none"]
		printf "%-18s", "  net of none"
		for (j = 1; j <= nforms; j++)
			printf " %11.2f", med[k, n, forms[j]] - none
		printf " %+8.1f%%  %+8.1f%%  %+8.1f%%  %+8.1f%%\n",
			percent(own - none, med[k, n, "old"] - none),
			percent(own - none, med[k, n, "ffs"] - none),
			percent(med[k, n, "every"] - none, own - none),
			percent(med[k, n, "words"] - none, own - none)
		if (k !~ /^stream/)
			continue
		count++
		streams++
		text = sprintf("%s %s: %s %+.1f %% against old, median %+.1f %%",
			       k, n, ours, percent(min[k, n, ours], min[k, n, "old"]),
			       percent(own, med[k, n, "old"]))
		if (suffix == "-noisy")
			verdicts[++verdicts_n] = "info    " text
		else
			target(min[k, n, ours] <= min[k, n, "old"],
			       text ", wanted none slower")
		for (j = 1; j <= nforms; j++) {
			sum[j] += min[k, n, forms[j]]
			if (min[k, n, forms[j]] < 0.9 * min[k, n, ours])
				wins[j]++
		}
	}
	if (!count)
		return
	printf "%-18s", "streams, minima"
	for (j = 1; j <= nforms; j++)
		printf " %11.2f", sum[j] / count
	printf " %+8.1f%%  %+8.1f%%  %+8.1f%%  %+8.1f%%\n",
		percent(sum[5], sum[2]), percent(sum[5], sum[4]),
		percent(sum[7], sum[5]), percent(sum[8], sum[5])
	for (j = 6; j <= nforms; j++)
		if (wins[j])
			verdicts[++verdicts_n] = sprintf("info    stream%s: %s is over 10 %% less than %s on %d of %d; mean of all %+.1f %%",
				suffix, forms[j], ours, wins[j], count,
				percent(sum[j], sum[5]))
}

BEGIN {
	# The form that the series has
	ours = "ffs_likely"
	nforms = split("none old each_bit ffs ffs_likely tests every words", forms)
}

FILENAME ~ /published/ {
	if (!/^#/ && NF == 4) {
		pub[$1, "old"] = $2
		pub[$1, "each_bit"] = $3
		pub[$1, "ffs"] = $4
	}
	next
}

# In a kernel log a time stamp may come first
{ sub(/^.*psi_bench: /, "") }

$1 == "row" {
	if (!(($2, $3) in known)) {
		known[$2, $3] = 1
		kinds[++inputs] = $2
		names[inputs] = $3
		masks[inputs] = $4 "/" $5
	}
	min[$2, $3, $6] = $7
	med[$2, $3, $6] = $8
	next
}

$1 == "slower" {
	slower[$2] = $3
	next
}

$1 == "compiler" || $1 == "unit" || $1 == "cpu" || $1 == "calls" ||
$1 == "check" || $1 == "error:" {
	print
}

END {
	print "\nTicks a call everywhere below, minimum/median of the trials"
	print "\nFixed patterns; right, the posted minima (Usama Arif, 15 Jul 2026, Zen 4c)"
	heading(sprintf(" | %6s %8s %6s", "old", "each_bit", "ffs"))
	for (i = 1; i <= inputs; i++) {
		if (kinds[i] != "fixed")
			continue
		n = names[i]
		pairs(n " " masks[i], "fixed", n)
		printf " | %6s %8s %6s\n", pub[n, "old"], pub[n, "each_bit"],
			pub[n, "ffs"]
	}

	print "\nThe same, minimum net of the form's own empty pattern; changes: ours against old, posted ffs against old"
	heading(sprintf(" %7s | %6s %8s %6s %7s", "change", "old", "each_bit",
			"ffs", "change"))
	for (i = 1; i <= inputs; i++) {
		n = names[i]
		if (kinds[i] != "fixed" || n == "empty")
			continue
		printf "%-18s", n
		for (j = 1; j <= nforms; j++)
			printf " %11.2f", net(n, forms[j])
		change = percent(net(n, ours), net(n, "old"))
		po = pub[n, "old"] - pub["empty", "old"]
		pf = pub[n, "ffs"] - pub["empty", "ffs"]
		printf " %6.0f%% | %6.2f %8.2f %6.2f %6.0f%%\n", change, po,
			pub[n, "each_bit"] - pub["empty", "each_bit"], pf,
			percent(pf, po)
		target(change <= -40,
		       sprintf("fixed %s: %s net of empty %+.0f %% against old, wanted -40",
			       n, ours, change))
	}

	way("", "each pass after the predictor was trained on something else")
	way("-learned", "passes of the same stream again and again")
	way("-noisy", "eight random branches before every call")

	k = "all"
	n = "mean-of-256"
	print "\nAll 16 x 16 pairs of masks, mean of the minima/of the medians"
	heading("")
	pairs("mean", k, n)
	printf "\n%-18s", "slower than old on"
	for (j = 1; j <= nforms; j++)
		printf " %11s", forms[j] in slower ? slower[forms[j]] " of 256" : ""
	print "\n"

	if (!streams)
		target(0, "no recorded stream was measured")
	for (i = 1; i <= verdicts_n; i++)
		print verdicts[i]
}
