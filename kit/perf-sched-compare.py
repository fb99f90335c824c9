"""Compare the perf sched reports of base and series: DIR RUNS, with DIR/{base,series}-N/*.txt.

Prints a row a figure: median and spread (lowest .. highest) of each side, and the difference of
the medians in per cent, marked where the spreads do not overlap.
"""
import re
import statistics
import sys


def figures(directory):
    """The figures of one run: {name: value}."""
    out = {}
    latency = open(f"{directory}/latency.txt").read()
    total = re.search(r"TOTAL:\s*\|\s*([\d.]+) ms\s*\|\s*(\d+)", latency)
    out["run time, ms"] = float(total.group(1))
    out["context switches"] = float(total.group(2))
    rows = re.findall(r"\|\s*([\d.]+) ms \|\s*(\d+) \| avg:\s*([\d.]+) ms \| max:\s*([\d.]+) ms", latency)
    switches = sum(int(r[1]) for r in rows)
    out["mean wakeup delay, ms"] = sum(float(r[2]) * int(r[1]) for r in rows) / max(switches, 1)
    out["longest wakeup delay, ms"] = max(float(r[3]) for r in rows)
    for task in ("stress-ng", "cyclictest", "sched-messaging", "sched-pipe"):
        mine = re.findall(rf"^\s*{task}[^|]*\|\s*[\d.]+ ms \|\s*(\d+) \| avg:\s*([\d.]+) ms", latency, re.M)
        n = sum(int(m[0]) for m in mine)
        if n:
            out[f"mean delay of {task}, ms"] = sum(float(m[1]) * int(m[0]) for m in mine) / n
    return out


def main():
    top, runs = sys.argv[1], int(sys.argv[2])
    sides = {s: [figures(f"{top}/{s}-{n}") for n in range(1, runs + 1)] for s in ("base", "series")}
    print(f"{'':32} {'base':>34} {'series':>34} {'change':>9}")
    for name in sides["base"][0]:
        both = [[run[name] for run in sides[s] if name in run] for s in ("base", "series")]
        if not both[0] or not both[1]:
            continue
        mid = [statistics.median(b) for b in both]
        cell = [f"{m:.3f} ({min(b):.3f}..{max(b):.3f})" for m, b in zip(mid, both)]
        apart = max(both[0]) < min(both[1]) or max(both[1]) < min(both[0])
        change = (mid[1] - mid[0]) / mid[0] * 100 if mid[0] else 0.0
        print(f"{name:32} {cell[0]:>34} {cell[1]:>34} {change:+8.1f}%{' *' if apart and runs > 1 else ''}")
    print(f"{runs} runs a side; * where the two spreads do not overlap")


main()
