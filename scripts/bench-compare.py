#!/usr/bin/env python3
"""Compares the speed of two builds: bench-compare.py OLD NEW CASE... [--runs 9] [--seconds 0.2] [--rows].

Runs 'tendril bench CASE' of both by turns, so that both see the same machine, and takes medians. Prints the mean ratio
of the times of each case, new to old, and the rows that are slower by more than a tenth; --rows prints all.
"""
import argparse
import json
import math
import statistics
import subprocess
import sys

TIMES = ("ns", "us", "ms", "s")  # units of a time, alone or of something: ms/step
RATES = ("frames/s", "steps/s", "x real time", "rays/s")


def time_of(row):
    """What grows when the program becomes slower; None: the row is no measure of speed."""
    unit, value = row["unit"], row["value"]
    if value is None or value <= 0:
        return None
    if unit in RATES:
        return 1 / value
    return value if unit.split("/")[0] in TIMES else None


def measure(command, case, seconds):
    run = subprocess.run([command, "bench", case, "--json", "--seconds", str(seconds)], capture_output=True, text=True)
    if run.returncode != 0:
        sys.exit("bench-compare: %s bench %s: %s" % (command, case, run.stderr.strip()))
    rows = {}
    for line in run.stdout.splitlines():
        row = json.loads(line)
        spent = time_of(row)
        if spent is not None:
            rows[(row["variant"], row["n"], row["unit"])] = spent
    return rows


def compare(old, new, case, args):
    runs = {old: [], new: []}
    for k in range(args.runs):
        for command in (old, new) if k % 2 == 0 else (new, old):
            runs[command].append(measure(command, case, args.seconds))
    every = runs[old] + runs[new]
    shared = [key for key in every[0] if all(key in rows for rows in every)]  # a time may be below the clock's step
    ratios = {key: statistics.median(r[key] for r in runs[new]) / statistics.median(r[key] for r in runs[old])
              for key in shared}
    if not ratios:
        sys.exit("bench-compare: %s has no rows in common" % case)
    mean = math.exp(statistics.fmean(math.log(r) for r in ratios.values()))
    print("%-12s %3d rows, mean %.3f, from %.3f to %.3f" %
          (case, len(ratios), mean, min(ratios.values()), max(ratios.values())), flush=True)
    for (variant, n, unit), ratio in ratios.items():
        if args.rows or ratio > 1.1:
            print("    %.3f  %s, n = %s (%s)" % (ratio, variant, n, unit), flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("old")
    parser.add_argument("new")
    parser.add_argument("case", nargs="+")
    parser.add_argument("--runs", type=int, default=9)
    parser.add_argument("--seconds", type=float, default=0.2)
    parser.add_argument("--rows", action="store_true")
    args = parser.parse_args()
    for case in args.case:
        compare(args.old, args.new, case, args)


main()
