#!/usr/bin/env python3
"""Mutation check: mutants.py [--count 200] [--seed 1] [--files PART]. About an hour for 200 on two cores.

Changes one operator or constant of the hot files at a time, in a copy of the checkout, builds it and runs the unit
tests that take less than a tenth of a second each. A mutant is killed when a test fails, crashes or exceeds the time
limit, or when the compiler refuses it. Mutants that compile to the same program are drawn again. Prints the survivors
and their share; build/mutants/report.txt keeps them. The same seed draws the same mutants of the same code.
"""
import argparse
import hashlib
import os
import pathlib
import random
import re
import shutil
import subprocess
import sys
import threading
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
HOME = ROOT / "build/mutants"
TREE, BUILD, REPORT = HOME / "tree", HOME / "build", HOME / "report.txt"
FOLDERS = ("implicit", "contact", "constrain", "tree", "rod", "helix")
QUICK = 0.1  # s: slower tests do not run

# Binary operators have spaces on both sides: clang-format sees to that, and pointers have none.
OPERATORS = {"+": "-", "-": "+", "*": "/", "/": "*", "<": "<=", "<=": "<", ">": ">=", ">=": ">", "==": "!=", "!=": "==",
             "&&": "||", "||": "&&", "+=": "-=", "-=": "+="}
OPERATOR = re.compile(r"(?<= )(%s)(?= )" % "|".join(sorted(map(re.escape, OPERATORS), key=len, reverse=True)))
NUMBER = re.compile(r"(?<![\w.])(\d+\.\d*(?:e-?\d+)?|\d+e-?\d+|\d+)(?![\w.])")
HIDDEN = re.compile(r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\])\'|^#(?!define)[^\n]*', re.M | re.S)


# ---- mutants

def hide(text):
    """Comments, texts and directives as blanks, so that places stay."""
    return HIDDEN.sub(lambda m: re.sub(r"[^\n]", " ", m.group()), text)


def changed_number(number):
    if re.fullmatch(r"\d+", number):
        return str(int(number) + 1)
    return "%s * 2" % number


def candidates(path):
    """Places of a file with what stands there and what is to stand there."""
    text = path.read_text()
    seen = hide(text)
    for m in OPERATOR.finditer(seen):
        yield m.start(), m.group(), OPERATORS[m.group()]
    for m in NUMBER.finditer(seen):
        before = seen[seen.rfind("\n", 0, m.start()) + 1:m.start()]
        if before.rstrip().endswith("[") or 0 < float(m.group()) < 1e-100:  # the size of an array; only not 0
            continue
        yield m.start(), m.group(), "(%s)" % changed_number(m.group())


def draw(seed, part):
    """All mutants in the order in which they are tried: path, offset, old, new."""
    files = [p for f in FOLDERS for p in sorted((ROOT / "src" / f).glob("*.[ch]"))]
    every = [(p.relative_to(ROOT), *c) for p in files if part in str(p) and p.stem != "validate" for c in candidates(p)]
    random.Random(seed).shuffle(every)
    return every


# ---- building and testing

def copy_tree():
    """Tracked and new files as they are now; files that did not change keep their time, so that little is built."""
    names = subprocess.run(["git", "ls-files", "-co", "--exclude-standard"], cwd=ROOT, check=True, capture_output=True,
                           text=True).stdout.split("\n")
    wanted = {n for n in names if n and (ROOT / n).is_file()}
    for name in wanted:
        to = TREE / name
        if not to.exists() or to.read_bytes() != (ROOT / name).read_bytes():
            to.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / name, to)
    for old in [p for p in TREE.rglob("*") if p.is_file()]:
        if str(old.relative_to(TREE)) not in wanted:
            old.unlink()


def configure():
    command = ["cmake", "-S", str(TREE), "-B", str(BUILD), "-G", "Ninja", "-DCMAKE_BUILD_TYPE=Release",
               "-DCMAKE_C_COMPILER=gcc", "-DTENDRIL_BUILD_TESTS=ON", "-DTENDRIL_TEST_FLAGS=-O0"]
    if shutil.which("ccache"):
        command.append("-DCMAKE_C_COMPILER_LAUNCHER=ccache")
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)


def build():
    return subprocess.run(["cmake", "--build", str(BUILD), "--target", "tendril_tests"], capture_output=True).returncode == 0


def program_hash():
    return hashlib.sha256((BUILD / "tests/tendril_tests").read_bytes()).hexdigest()


def run_tests(skip, limit):
    """Why the tests did not pass, or None; with what they printed. Stops at the first failure."""
    env = dict(os.environ, TEST_TIMES="1", TEST_EXCEPT=",".join(skip))
    run = subprocess.Popen(["stdbuf", "-oL", str(BUILD / "tests/tendril_tests")], cwd=TREE, env=env, text=True,
                           errors="replace", stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    late = threading.Event()
    timer = threading.Timer(limit, lambda: (late.set(), run.kill()))
    timer.start()
    printed, why = [], None
    for line in run.stdout:
        printed.append(line)
        if line.startswith("FAILED"):
            why = line.split()[1]
            run.kill()
            break
    code = run.wait()
    timer.cancel()
    if not why and code != 0:
        why = "time limit" if late.is_set() else "crash"
    return why, printed


def measure():
    """Slow tests and a time limit, by a run without a change."""
    began = time.monotonic()
    why, printed = run_tests([], 1200)
    if why:
        sys.exit("mutants: the tests fail without a change: %s" % why)
    times = [(float(m[1]), m[2]) for m in (re.match(r"\s*([\d.]+) s (\w+)", line) for line in printed) if m]
    skip = [name for spent, name in times if spent >= QUICK]
    whole, quick = sum(t for t, _ in times), sum(t for t, _ in times if t < QUICK)
    limit = 20 + 5 * (time.monotonic() - began) * quick / whole
    print("%d of %d tests run, %.1f s; limit %.0f s" % (len(times) - len(skip), len(times), quick, limit), flush=True)
    return skip, limit


# ---- entry

def try_mutant(mutant, same, skip, limit):
    """None for the same program, or how it ended: 'survived' or what killed it."""
    path, at, old, new = mutant
    text = (ROOT / path).read_text()
    (TREE / path).write_text(text[:at] + new + text[at + len(old):])
    try:
        if not build():
            return "does not compile"
        if program_hash() == same:
            return None
        return run_tests(skip, limit)[0] or "survived"
    finally:
        (TREE / path).write_text(text)


def describe(mutant):
    path, at, old, new = mutant
    text = (ROOT / path).read_text()
    line = text.count("\n", 0, at) + 1
    return "%s:%d: '%s' -> '%s': %s" % (path, line, old, new, text.split("\n")[line - 1].strip())


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=200, help="mutants to try (200)")
    parser.add_argument("--seed", type=int, default=1, help="another seed draws others (1)")
    parser.add_argument("--files", default="", help="only files whose path contains this")
    args = parser.parse_args()
    HOME.mkdir(parents=True, exist_ok=True)
    copy_tree()
    configure()
    if not build():
        sys.exit("mutants: the build fails without a change")
    same = program_hash()
    skip, limit = measure()
    tried, same_count, survivors = 0, 0, []
    for mutant in draw(args.seed, args.files):
        if tried == args.count:
            break
        end = try_mutant(mutant, same, skip, limit)
        if end is None:
            same_count += 1
            continue
        tried += 1
        print("%4d %-9s %s%s" % (tried, "SURVIVED" if end == "survived" else "killed", describe(mutant),
                                 "" if end == "survived" else "  [%s]" % end), flush=True)
        if end == "survived":
            survivors.append(describe(mutant))
    summary = "%d of %d mutants survive, %.0f %%; seed %d; %d more compile to the same program" % (
        len(survivors), tried, 100 * len(survivors) / max(tried, 1), args.seed, same_count)
    REPORT.write_text("\n".join([summary] + survivors) + "\n")
    print(summary, *survivors, sep="\n")


if __name__ == "__main__":
    main()
