#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Seed one fault at a time in the library and see whether the tests notice.

usage: run.py [-o DIR] [-v] [NAME...]

The faults are in the file "mutants" beside this one:

    @ NAME FILE [VARIANT...]
    ? why no test can see it
     a line of FILE as it is
    -a line to take away
    +a line to put in its place

Each is applied to a copy of the sources, at the only place where its lines
are.  Then variants of kit/tests/user/run.sh run until one fails: those that are
named, or fast and asan, and after them the others.  A mutant that none of them
fails on has survived.  With a "?" it is expected to, and is named with the
reason; any other survivor makes the exit status 1.
"""

import argparse
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
SOURCES = ["include/linux/sbm.h", "lib/sbm.c", "lib/tests/sbm_kunit.c"]
FIRST = ["fast", "asan"]
THEN = ["clang", "tsan", "line-256", "s390x", "powerpc", "i386", "off", "off-stack",
        "fuzz"]


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


def run(mutant, tree, out, verbose):
    variants = list(mutant.variants) or FIRST
    variants += [v for v in FIRST + THEN if v not in variants]
    env = dict(os.environ, SBM_STOP="1", SBM_CPU_SECONDS="60")
    skipped = 0
    for variant in variants:
        got = subprocess.run(
            [ROOT / "kit/tests/user/run.sh", "-s", tree, "-o", out,
             "-f", "20" if variant == "fuzz" else "0", variant],
            env=env, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
            text=True, check=False)
        if verbose:
            print(got.stdout)
        if got.stdout.startswith("skip "):
            skipped += 1
        elif got.returncode:
            how = "compiler" if "does not compile" in got.stdout else variant
            return how
    if skipped:
        print(f"         {skipped} variants could not run")
    return None


def main():
    parser = argparse.ArgumentParser(
        description=__doc__.split("\n", 1)[0])
    parser.add_argument("-o", metavar="DIR", help="where to work; kept")
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

    work = pathlib.Path(args.o or tempfile.mkdtemp())
    killed, expected, survived = 0, [], []
    # Those that are expected to survive take longest.
    for mutant in sorted(mutants, key=lambda m: bool(m.reason)):
        if args.names and mutant.name not in args.names:
            continue
        tree = work / "tree"
        for source in SOURCES:
            (tree / source).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(ROOT / source, tree / source)
        target = tree / mutant.path
        target.write_text(mutant.apply(target.read_text()))

        how = run(mutant, tree, work / "out", args.v)
        if how:
            killed += 1
            print(f"killed   {mutant.name} ({how})", flush=True)
        elif mutant.reason:
            expected.append(mutant)
            print(f"survived {mutant.name}, as expected: {mutant.reason}",
                  flush=True)
        else:
            survived.append(mutant)
            print(f"SURVIVED {mutant.name}", flush=True)
    if not args.o:
        shutil.rmtree(work)

    print(f"{killed} killed, {len(expected)} equivalent, "
          f"{len(survived)} survived")
    return 1 if survived or not killed else 0


if __name__ == "__main__":
    sys.exit(main())
