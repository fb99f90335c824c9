#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Seed one fault at a time in the library and see whether the tests notice.

usage: run.py [-o DIR] [-j N] [-v] [NAME...]
       run.py -t TABLE list
       run.py -t TABLE seed NAME TREE

The faults are in the file "mutants" beside this one:

    @ NAME FILE [VARIANT...]
    ? why no test can see it
     a line of FILE as it is
    -a line to take away
    +a line to put in its place

Each is applied to a copy of the sources, at the only place where its lines
are.  Then variants of kit/tests/user/run.sh run until one fails: those that are
named, or fast and asan, and after them all others that it has.  A mutant that
none of them fails on has survived.  With a "?" it is expected to, and is named
with the reason; any other survivor makes the exit status 1.

Other tables are for other runners (kit/cmd/sched-mutants.sh): "list" prints a
line for each fault, "seed" applies one to TREE, in place.
"""

import argparse
import concurrent.futures
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
SOURCES = ["include/linux/sbm.h", "lib/sbm.c", "lib/tests/sbm_kunit.c"]
HARNESS = ROOT / "kit/tests/user/run.sh"
FIRST = ["fast", "asan"]


class Mutant:
    def __init__(self, name, path, *variants):
        self.name = name
        self.path = path
        self.variants = variants
        self.reason = ""
        self.old = []
        self.new = []

    def line(self, line):
        kind, text = line[:1], line[1:]
        if kind == "?":
            self.reason = (self.reason + " " + text.strip()).strip()
        if kind in (" ", "-"):
            self.old.append(text)
        if kind in (" ", "+"):
            self.new.append(text)

    def apply(self, text):
        old = "\n" + "\n".join(self.old) + "\n"
        new = "\n" + "".join(line + "\n" for line in self.new)
        if text.count(old) != 1:
            sys.exit(f"{self.name}: {text.count(old)} places in {self.path}")
        return text.replace(old, new)


def read_mutants(path):
    mutants = []
    for line in path.read_text().splitlines():
        if line.startswith("@ "):
            mutants.append(Mutant(*line.split()[1:]))
        elif line and not line.startswith("#"):
            mutants[-1].line(line)
    return mutants


def all_variants():
    """What the harness has, the quick ones first and the fuzzer last."""
    names = subprocess.run([HARNESS, "list"], stdout=subprocess.PIPE, text=True,
                           check=True).stdout.split()
    return FIRST + [n for n in names if n not in FIRST + ["fuzz"]] + ["fuzz"]


def run(mutant, every, tree, out):
    """How the mutant was killed, or None, and what there is to say of it."""
    variants = list(mutant.variants) or FIRST
    variants += [v for v in every if v not in variants]
    env = dict(os.environ, SBM_STOP="1", SBM_CPU_SECONDS="60")
    said = ""
    skipped = 0
    for variant in variants:
        got = subprocess.run(
            [HARNESS, "-s", tree, "-o", out,
             "-f", "20" if variant == "fuzz" else "0", variant],
            env=env, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
            text=True, check=False)
        said += got.stdout
        if got.stdout.startswith("skip "):
            skipped += 1
        elif got.returncode:
            how = "compiler" if "does not compile" in got.stdout else variant
            return how, said
    if skipped:
        said += f"{skipped} variants could not run\n"
    return None, said


def other_table(table, what, *args):
    mutants = {m.name: m for m in read_mutants(HERE / table)}
    if what == "list":
        for mutant in mutants.values():
            print(mutant.name, mutant.path, *mutant.variants)
    elif what == "seed" and len(args) == 2 and args[0] in mutants:
        mutant = mutants[args[0]]
        target = pathlib.Path(args[1]) / mutant.path
        target.write_text(mutant.apply(target.read_text()))
    else:
        sys.exit("usage: run.py -t TABLE list | seed NAME TREE")


def main():
    if sys.argv[1:2] == ["-t"] and len(sys.argv) > 3:
        other_table(*sys.argv[2:])
        return 0

    parser = argparse.ArgumentParser(
        description=__doc__.split("\n", 1)[0])
    parser.add_argument("-o", metavar="DIR", help="where to work; what survives is kept")
    parser.add_argument("-j", metavar="N", type=int, default=os.cpu_count(),
                        help="so many at a time (one for each CPU)")
    parser.add_argument("-v", action="store_true", help="show what runs print")
    parser.add_argument("names", nargs="*")
    args = parser.parse_args()

    mutants = read_mutants(HERE / "mutants")
    names = [m.name for m in mutants]
    if len(set(names)) != len(names):
        sys.exit("two mutants have one name")
    if set(args.names) - set(names):
        sys.exit(f"no such mutant: {set(args.names) - set(names)}")

    # All of them must apply before the first one runs.
    for mutant in mutants:
        mutant.apply((ROOT / mutant.path).read_text())

    every = all_variants()
    base = pathlib.Path(args.o or tempfile.mkdtemp())

    def one(mutant):
        work = base / mutant.name
        tree = work / "tree"
        for source in SOURCES:
            (tree / source).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(ROOT / source, tree / source)
        target = tree / mutant.path
        target.write_text(mutant.apply(target.read_text()))
        how, said = run(mutant, every, tree, work / "out")
        if how:
            shutil.rmtree(work)
        return mutant, how, said

    # Those that are expected to survive take longest.
    todo = [m for m in sorted(mutants, key=lambda m: bool(m.reason))
            if not args.names or m.name in args.names]
    killed, expected, survived = 0, 0, 0
    with concurrent.futures.ThreadPoolExecutor(args.j) as pool:
        for mutant, how, said in pool.map(one, todo):
            if how:
                killed += 1
                print(f"killed   {mutant.name} ({how})", flush=True)
            elif mutant.reason:
                expected += 1
                print(f"survived {mutant.name}, as expected: {mutant.reason}",
                      flush=True)
            else:
                survived += 1
                print(f"SURVIVED {mutant.name}", flush=True)
            if args.v:
                print(said)
            elif not how and "could not run" in said:
                print("         " + said.splitlines()[-1])
    if not args.o:
        shutil.rmtree(base)

    print(f"{killed} killed, {expected} equivalent, {survived} survived")
    return 1 if survived or not killed else 0


if __name__ == "__main__":
    sys.exit(main())
