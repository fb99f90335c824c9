# bench: all that is measured, simulated and counted, anew, and the plots of it: bench-psi, bench-sbm, bench-sim, counts, plots.
# Goes on after one that fails. For a quiet machine: it is meant to take 45 minutes at most on two cores. With empty caches 42, the sum
# of bench-psi 10 (6 for the KUnit kernel), bench-sbm 3, bench-sim 2, counts 27 (21 for two kernels) and plots 0; with the kernels
# built 13: 3, 1, 2, 7 and 0. SIZE=1 adds psi's text sizes, 5 minutes; TRIALS=, CALLS= and LISTS= make it shorter.
export SIZE=${SIZE:-0}
times=
for cmd in bench-psi bench-sbm bench-sim counts plots; do
	t=$(date +%s)
	step "$cmd" "$cmd" || status=$?
	t=$(($(date +%s) - t))
	times+=$(printf '%s %d:%02d, ' "$cmd" $((t / 60)) $((t % 60)))
done
say "${times}together $(elapsed | tr -d " ") of 45:00"
exit "${status:-0}"
