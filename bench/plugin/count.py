# SPDX-License-Identifier: GPL-2.0
#
# Symbols in, a plan for count.so out; its raw counts in, tables out. Called by
# count.sh, which says how; the list's form is in nohz.list.
#
# The tsv: lines of words, tab between them, by their first word
#	function NAME CLASS, then the columns of COLUMNS, in totals
#	line ADDRESS NAME loads stores locked, then the vCPUs that write, that
#	  read, the LLCs that write, that read, as numbers of them
#	address ADDRESS NAME SIZE FUNCTION CLASS loads stores locked
import bisect
import os
import re
import subprocess
import sys
from collections import defaultdict

LINE = 64
COLUMNS = ["calls", "insns", "loads", "stores", "locked", "fences", "stack",
           "w>1", "w>1lk", "rw>1", "rw>1lk", "ld-rem"]
LEGEND = """\
calls   entries at the first instruction of the function or of a body split off it, but not from one to the other
insns   instructions executed in the bodies; what they call is not in it, what is inlined into them is
loads, stores, locked   accesses to memory, without the stack; a LOCKed operation (or xchg) is in locked alone
fences  mfence, and LOCKed add of 0 to the stack, which is smp_mb()
stack   loads and stores by push, pop, call and ret, or with %rsp as base (%rbp too, if it is the frame pointer)
w>1     stores + locked to 64-byte lines that CPUs of more than one LLC write; w>1lk: the locked ones of them
rw>1    the same to lines that CPUs of more than one LLC read or write
ld-rem  loads of lines that a CPU of another LLC writes"""


def die(text):
    sys.exit("count: " + text)


class Symbols:
    def __init__(self, path):
        try:
            with open(path, "rb") as f:
                elf = f.read(4) == b"\x7fELF"
            if elf:
                text = subprocess.run(["nm", "-n", "-S", path], check=True, text=True,
                                      stdout=subprocess.PIPE).stdout
            else:
                text = open(path).read()
        except (OSError, subprocess.CalledProcessError) as e:
            die(f"symbols: {e}")
        rows = []
        for line in text.splitlines():
            w = line.split()
            try:
                if len(w) == 4:
                    rows.append((int(w[0], 16), int(w[1], 16), w[2], w[3]))
                elif len(w) == 3:
                    rows.append((int(w[0], 16), 0, w[1], w[2]))
            except ValueError:
                die(f"symbols: {path}: cannot read '{line}'")
        # Before the absolute ones that some maps begin with, nothing is mapped
        rows = [r for r in rows if r[2] not in "aAuU" and r[0] >= 0x1000]
        rows.sort(key=lambda r: r[0])
        self.rows = []
        starts = sorted({r[0] for r in rows})
        for lo, size, kind, name in rows:
            if not size:
                i = bisect.bisect_right(starts, lo)
                size = (starts[i] - lo) if i < len(starts) else LINE
            self.rows.append((lo, size, kind, name))
        self.by_name = defaultdict(list)
        for r in self.rows:
            self.by_name[r[3]].append(r)
        # To name an address: sized symbols, the widest first at one address
        self.sorted = sorted(self.rows, key=lambda r: (r[0], r[1]))
        self.los = [r[0] for r in self.sorted]

    def name(self, addr):
        i = bisect.bisect_right(self.los, addr) - 1
        for j in range(i, max(i - 8, -1), -1):
            lo, size, _, name = self.sorted[j]
            if lo <= addr < lo + size:
                return name if addr == lo else f"{name}+{addr - lo:#x}"
        return ""

    def line_name(self, line):
        """The symbols in a line"""
        lo, hi = bisect.bisect_left(self.los, line), bisect.bisect_left(self.los, line + LINE)
        inside = [self.name(line)] + [r[3] for r in self.sorted[lo:hi] if r[0] != line]
        inside = [n for n in inside if n]
        return ",".join(inside[:3]) + ("..." if len(inside) > 3 else "")

    def one(self, name, what):
        found = self.by_name.get(name)
        if not found:
            die(f"{what}: no symbol {name}")
        return found[0]

    def bodies(self, name):
        """[(lo, hi, name)]: the function and what gcc or clang split off it"""
        form = re.compile(re.escape(name) + r"(\.(part|isra|constprop|cold|llvm|localalias)(\.\d+)*)*")
        seen = {}
        for n in self.by_name:
            if n.startswith(name) and form.fullmatch(n):
                for lo, size, kind, _ in self.by_name[n]:
                    if kind in "tTwWiI":
                        seen.setdefault(lo, (lo, lo + size, n))
        return [seen[lo] for lo in sorted(seen)]


class Function:
    def __init__(self, name):
        self.name = name
        self.bodies = []
        self.inner = []
        self.classes = ["part of a call", "all"]
        self.rules = []         # (class number, rule, lo, hi)


class List:
    """The list file, with its symbols resolved"""

    def __init__(self, path, symbols):
        self.functions = []
        self.items = []
        self.notes = []
        self.scope = "listed functions"
        watched = []
        owner = {}
        try:
            lines = [line.split("#")[0].split() for line in open(path)]
        except OSError as e:
            die(f"list: {e}")
        self.named = {w[0] for w in lines if w}
        for w in lines:
            if not w:
                continue
            if w[0] in ("start", "stop") and len(w) == 2:
                self.items.append(f"{w[0]} {symbols.one(w[1], 'mark')[0]:x}")
            elif w[0] == "watch" and len(w) in (2, 3):
                lo, size = symbols.one(w[1], "watch")[:2]
                size = int(w[2], 0) if len(w) == 3 else size
                self.items.append(f"watch {lo:x} {lo + size:x}")
                watched.append(w[1])
            elif w == ["lines"]:
                self.items.append("lines")
                self.scope = "all code"
            else:
                self.function(w, symbols, owner)
        if watched and self.scope != "all code":
            self.scope += ", and of all code for " + ", ".join(watched)

    def function(self, words, symbols, owner):
        f = Function(words[0])
        options = [w.partition("=")[::2] for w in words[1:]]
        f.bodies = symbols.bodies(f.name)
        if not f.bodies:
            callers = [c for c in dict(options).get("in", "").split(",") if symbols.bodies(c)]
            if not callers:
                self.notes.append(f"{f.name}: NOT SEEN: no such symbol (inlined everywhere, or not built)")
                return
            caller = callers[0]
            if caller in self.named or caller in owner.values():
                self.notes.append(f"{f.name}: no such symbol; its instructions are in those of {caller}")
                return
            self.notes.append(f"{f.name}: no such symbol; counted is all of {caller}, which has it inlined")
            f.name = caller
            f.bodies = symbols.bodies(caller)
        for name in {b[2] for b in f.bodies}:
            n = sum(b[2] == name for b in f.bodies)
            if n > 1:
                self.notes.append(f"{name}: {n} functions have this name, all are counted as one")
        for lo, hi, name in f.bodies:
            if lo in owner:
                die(f"list: {name} is in {owner[lo]} already")
            owner[lo] = f.name
        for name, rule in options:
            if name == "in":
                continue
            if name == "with":
                for helper in rule.split(","):
                    for b in symbols.bodies(helper):
                        if b[0] in owner:
                            die(f"list: {b[2]} is in {owner[b[0]]} already")
                        owner[b[0]] = f.name
                        f.bodies.append(b)
                        f.inner.append(b)
                    if not symbols.bodies(helper):
                        self.notes.append(f"{f.name}: no symbol {helper}, taken as inlined in it")
                continue
            if name == "rest":
                f.classes[1] = rule
                continue
            if name not in f.classes:
                f.classes.append(name)
            for r in rule.split("|"):
                f.rules.append((f.classes.index(name),) + self.rule(r, f, symbols))
        if f.rules and f.classes[1] == "all":
            f.classes[1] = "rest"
        self.functions.append(f)

    @staticmethod
    def rule(text, f, symbols):
        kind, _, where = text.partition("@")
        if kind in ("locked", "store", "load", "fence") and not where:
            return kind, 0, (1 << 64) - 1
        if kind in ("locked", "store", "load"):
            symbol, _, offset = where.partition("+")
            lo, size = symbols.one(symbol, f"class of {f.name}")[:2]
            if offset:
                return kind, lo + int(offset, 0), lo + int(offset, 0) + 1
            return kind, lo, lo + size
        if kind == "reach" and where:
            symbol, _, offset = where.partition("+")
            lo = symbols.one(symbol, f"class of {f.name}")[0] + int(offset or "0", 0)
            if not any(b[0] <= lo < b[1] for b in f.bodies):
                die(f"class of {f.name}: {where} is not in its bodies")
            return kind, lo, lo + 1
        die(f"class of {f.name}: no rule '{text}'")

    def plan(self):
        for n, f in enumerate(self.functions):
            for lo, hi, name in f.bodies:
                print(f"# {f.name}: {name}")
                print(f"body {n} {lo:x} {hi:x}" + (" inner" if (lo, hi, name) in f.inner else ""))
            for number, kind, lo, hi in f.rules:
                print(f"class {n} {number} {kind} {lo:x} {hi:x}")
        for item in self.items:
            print(item)


class Line:
    def __init__(self):
        self.count = {"l": 0, "s": 0, "k": 0}
        self.write = set()
        self.read = set()
        self.by = defaultdict(int)


def table(rows, left=1):
    """Aligned text; the first columns are text, the others numbers"""
    width = [max(len(r[i]) for r in rows) for i in range(len(rows[0]))]
    for r in rows:
        print("  ".join(c.ljust(w) if i < left else c.rjust(w)
                        for i, (c, w) in enumerate(zip(r, width))).rstrip())


def figure(x):
    return f"{x:.2f}" if x else "0"


def report(symbols, lst, directory, per_llc, window, top):
    raw = {int(n.rpartition(".")[2]): n for n in os.listdir(directory)
           if re.fullmatch(r"counts\.\d+", n)}
    if not raw:
        die(f"no counts in {directory}: did the guest run the start mark, and QEMU end by itself?")
    window = window or max(raw)
    if window not in raw:
        die(f"no window {window}, there are {sorted(raw)}")

    ranges = sorted((lo, hi, name, f) for f in lst.functions for lo, hi, name in f.bodies)
    starts = [r[0] for r in ranges]
    totals = defaultdict(lambda: defaultdict(int))
    bodies = defaultdict(lambda: [0, 0])
    lines = defaultdict(Line)
    accesses = []
    vcpus = set()
    dropped = 0
    ran = defaultdict(int)
    accessed = defaultdict(int)

    def body(pc):
        i = bisect.bisect_right(starts, pc) - 1
        return ranges[i] if i >= 0 and pc < ranges[i][1] else None

    for row in open(os.path.join(directory, raw[window])):
        kind, vcpu, number, pc, addr, size, count = row.split()
        vcpu, pc, addr, count = int(vcpu), int(pc, 16), int(addr, 16), int(count)
        vcpus.add(vcpu)
        b = body(pc)
        if kind == "x":
            dropped += count
            continue
        # Class 0 is all there is of a function without rules
        key = (b[3].name, b[3].classes[int(number) or not b[3].rules]) if b else None
        if b:
            t = totals[key]
            t[{"c": "calls", "i": "insns", "f": "fences", "l": "loads", "s": "stores",
               "k": "locked", "L": "stack", "S": "stack"}[kind]] += count
            if kind == "i":
                ran[pc] += count
            elif kind not in "cf":
                accessed[pc, kind, size] += count
            if kind == "i":
                bodies[b[:3]][0] += count
                if pc == b[0]:
                    bodies[b[:3]][1] += count
        if kind in "lsk" and addr:
            line = lines[addr // LINE * LINE]
            line.count[kind] += count
            (line.read if kind == "l" else line.write).add(vcpu)
            who = key[0] if key else (symbols.name(pc).split("+")[0] + "*" if pc else "other code")
            line.by[who] += count
            accesses.append((key, who, kind, vcpu, addr, int(size), count))

    def llcs(cpus):
        return {c // per_llc for c in cpus}

    for key, _, kind, vcpu, addr, _, count in accesses:
        line = lines[addr // LINE * LINE]
        writers = llcs(line.write)
        if not key:
            continue
        if kind == "l":
            totals[key]["ld-rem"] += count if writers - {vcpu // per_llc} else 0
            continue
        lk = count if kind == "k" else 0
        if len(writers) > 1:
            totals[key]["w>1"] += count
            totals[key]["w>1lk"] += lk
        if len(writers | llcs(line.read)) > 1:
            totals[key]["rw>1"] += count
            totals[key]["rw>1lk"] += lk

    tsv = open(os.path.join(directory, "counts.tsv"), "w")
    print("\t".join(["# function", "NAME", "CLASS"] + COLUMNS), file=tsv)
    print(f"Window {window} of {len(raw)}; {len(vcpus)} vCPUs seen, LLCs of {per_llc}. "
          f"Line sharing is judged by the accesses of: {lst.scope}.")
    for note in lst.notes:
        print(note)
    # x86 instructions access once per execution, string operations apart
    odd = sorted({pc for (pc, _, _), n in accessed.items() if n != ran[pc]})
    print(f"Self-check: of {len({k[0] for k in accessed})} instructions with memory accesses, "
          f"{len(odd)} did not access once per execution" + (": " + ", ".join(
              f"{symbols.name(pc)} ({ran[pc]} times, "
              + ", ".join(f"{n} {k}{s}" for (p, k, s), n in sorted(accessed.items()) if p == pc) + ")"
              for pc in odd[:8]) if odd else ""))
    if dropped:
        print(f"{dropped} accesses dropped that QEMU reported for instructions which cannot have made them")
    print("A function that has a symbol may be inlined elsewhere besides: those copies count as their callers'.\n")
    print(LEGEND + "\n")
    for per_call in (False, True):
        rows = [["per call" if per_call else "totals", "class"] + COLUMNS]
        for f in lst.functions:
            keys = [(f.name, c) for c in f.classes if (f.name, c) in totals]
            if not keys:
                rows.append([f.name, "never ran"] + ["-"] * len(COLUMNS))
                if not per_call:
                    print("\t".join(["function", f.name, f.classes[1]] + ["0"] * len(COLUMNS)), file=tsv)
            for key in keys:
                t = totals[key]
                if per_call:
                    rows.append(list(key) + [str(t["calls"])] + [
                        figure(t[c] / t["calls"]) if t["calls"] else "-" for c in COLUMNS[1:]])
                else:
                    rows.append(list(key) + [str(t[c]) for c in COLUMNS])
                    print("\t".join(["function", *key] + [str(t[c]) for c in COLUMNS]), file=tsv)
        table(rows, 2)
        print()

    rows = [["bodies", "entries", "insns", "bytes"]]
    for f in lst.functions:
        for b in f.bodies:
            insns, entries = bodies.get(b, (0, 0))
            rows.append([b[2], str(entries), str(insns), str(b[1] - b[0])])
    table(rows)
    print()

    rows = [["lines of more than one LLC", "name", "loads", "stores", "locked", "CPUs-w", "CPUs-r",
             "LLCs-w", "LLCs-r", "by"]]
    order = sorted(lines, key=lambda a: (-lines[a].count["s"] - lines[a].count["k"], -lines[a].count["l"], a))
    named = {a: symbols.line_name(a) for a in order}
    shared = 0
    for a in order:
        line = lines[a]
        cells = [f"{a:x}", named[a] or "-"] + [str(line.count[k]) for k in "lsk"] + [
            str(len(x)) for x in (line.write, line.read, llcs(line.write), llcs(line.read))]
        print("\t".join(["line"] + cells), file=tsv)
        if line.write and len(llcs(line.write | line.read)) > 1:
            shared += 1
            if shared <= top:
                by = sorted(line.by, key=lambda n: -line.by[n])
                rows.append(cells + [", ".join(by[:3]) + (f" and {len(by) - 3} more" if len(by) > 3 else "")])
    table(rows, 2)
    if shared > top:
        print(f"and {shared - top} more such lines, in counts.tsv")
    print("(* not a listed function)\n" if any("*" in r[-1] for r in rows) else "")

    cells = defaultdict(lambda: {"l": 0, "s": 0, "k": 0})
    for key, who, kind, _, addr, size, count in accesses:
        cells[(addr, size) + (key or (who, "-"))][kind] += count
    rows = [["addresses of data with a name", "symbol", "bytes", "function", "class", "loads", "stores", "locked"]]
    found = 0
    for k in sorted(cells, key=lambda k: (k[0], k[2], k[3], k[1])):
        addr, size, function, cls = k
        name = symbols.name(addr)
        row = [f"{addr:x}", name or "-", str(size), function, cls] + [str(cells[k][x]) for x in "lsk"]
        print("\t".join(["address"] + row), file=tsv)
        line = lines[addr // LINE * LINE]
        if name and line.write and len(llcs(line.write | line.read)) > 1:
            found += 1
            if found <= top:
                rows.append(row)
    table(rows, 5)
    if found > top:
        print(f"and {found - top} more, in counts.tsv")
    tsv.close()


def compare(base, series):
    both = []
    for path in (base, series):
        rows = {}
        try:
            for line in open(path):
                w = line.rstrip("\n").split("\t")
                if w[0] == "function":
                    rows[w[1], w[2]] = dict(zip(COLUMNS, map(int, w[3:])))
        except OSError as e:
            die(str(e))
        if not rows:
            die(f"{path}: no functions in it")
        both.append(rows)
    print(f"base {base}\nseries {series}\nPer call, base>series; calls are totals.\n")
    used = [c for c in COLUMNS if any(r.get(c) for rows in both for r in rows.values())]
    rows = [["function", "class"] + used]
    for key in list(both[0]) + [k for k in both[1] if k not in both[0]]:
        cells = []
        for c in used:
            pair = []
            for side in both:
                t = side.get(key)
                if not t:
                    pair.append("-")
                elif c == "calls":
                    pair.append(str(t["calls"]))
                else:
                    pair.append(figure(t[c] / t["calls"]) if t["calls"] else "-")
            cells.append(">".join(pair) if pair[0] != pair[1] or c == "calls" else pair[0])
        rows.append(list(key) + cells)
    table(rows, 2)


def main(args):
    if args[0] == "compare":
        compare(args[1], args[2])
        return
    symbols = Symbols(args[1])
    lst = List(args[2], symbols)
    if not lst.functions and lst.scope == "listed functions":
        die("list: nothing to count" + "".join("\n  " + n for n in lst.notes))
    if args[0] == "plan":
        lst.plan()
        for n in lst.notes:
            print("count:", n, file=sys.stderr)
    else:
        report(symbols, lst, args[3], int(args[4]), int(args[5]), int(args[6]))


main(sys.argv[1:])
