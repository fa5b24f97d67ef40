#!/usr/bin/env python3
"""Mutation check: mutants.py [--count 200] [--seed 1] [--files PART] [--jobs N] [--resume | --again].

Changes one operator or constant of the hot files at a time, in a copy of the checkout, builds it and runs the unit
tests that take less than a tenth of a second each, up to the first failure: first the test files that killed most
mutants of the same folder, then those named after the folder, then the others. A mutant is killed when a test fails,
crashes or exceeds its limit of processor time, or when the compiler refuses it. Mutants that compile to the same
program, and those of headers on which many files depend, are drawn again. Prints a line per mutant and the share of survivors per folder; build/mutants/report.txt keeps
them as they come. The same seed draws the same mutants of the same code. --resume takes over what that report has;
--again tries its survivors alone, with the tests as they are now.
"""
import argparse
import collections
import hashlib
import os
import pathlib
import random
import re
import resource
import shutil
import signal
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
HOME = ROOT / "build/mutants"
TREE, BUILD, REPORT = HOME / "tree", HOME / "build", HOME / "report.txt"
FOLDERS = ("implicit", "law", "contact", "constrain", "tree", "rod", "helix")
QUICK = 0.1  # s: slower tests do not run
MEMORY = 4 << 30  # bytes a run of tests may have
KILLED, SURVIVED = "killed    ", "SURVIVED  "
MOST_USERS = 50  # files to compile for a mutant

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


def candidates(text):
    """Positions in a text, each with the original and its replacement."""
    seen = hide(text)
    for m in OPERATOR.finditer(seen):
        yield m.start(), m.group(), OPERATORS[m.group()]
    for m in NUMBER.finditer(seen):
        before = seen[seen.rfind("\n", 0, m.start()) + 1:m.start()]
        # the size of an array, of which there would be more; only not 0
        if before.rstrip().endswith("[") or "tdi_layout_place(" in before or 0 < float(m.group()) < 1e-100:
            continue
        yield m.start(), m.group(), "(%s)" % changed_number(m.group())


class Mutant:
    def __init__(self, path, text, at, old, new):
        self.path, self.text, self.at, self.old, self.new = path, text, at, old, new

    def folder(self):
        return self.path.parts[1]

    def changed(self):
        return self.text[:self.at] + self.new + self.text[self.at + len(self.old):]

    def __str__(self):
        begin = self.text.rfind("\n", 0, self.at) + 1
        place = "%s:%d:%d" % (self.path, self.text.count("\n", 0, self.at) + 1, self.at - begin + 1)
        return "%-36s %-14s %s" % (place, "%s -> %s" % (self.old, self.new), self.text[begin:].split("\n")[0].strip())


def draw(seed, part):
    """All mutants of the copy in the order in which they are tried."""
    files = [p.relative_to(TREE) for f in FOLDERS for p in sorted((TREE / "src" / f).glob("*.[ch]"))]
    every = []
    for path in files:
        if part in str(path) and path.stem != "validate":
            text = (TREE / path).read_text()
            every += [Mutant(path, text, *c) for c in candidates(text)]
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
               "-DCMAKE_C_COMPILER=gcc", "-DTENDRIL_BUILD_TESTS=ON", "-DTENDRIL_TEST_FLAGS=-O0", "-DTENDRIL_WERROR=ON"]
    if shutil.which("ccache"):
        command.append("-DCMAKE_C_COMPILER_LAUNCHER=ccache")
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)


def build(jobs):
    command = ["cmake", "--build", str(BUILD), "--target", "tendril_tests", "-j", str(jobs)]
    return subprocess.run(command, capture_output=True).returncode == 0


def users():
    """By path in src, how many files are compiled when it changes."""
    deps = subprocess.run(["ninja", "-t", "deps"], cwd=BUILD, check=True, capture_output=True, text=True).stdout
    return collections.Counter(re.findall(r"^ +\S*?/?(src/\S+)$", deps, re.M))


def program_hash():
    return hashlib.sha256((BUILD / "tests/tendril_tests").read_bytes()).hexdigest()


def run_file(name, skip, limit):
    """Why the tests of a file did not pass, or None; with what they printed. `limit`: s of the processor."""
    def limits():
        resource.setrlimit(resource.RLIMIT_CPU, (limit, limit + 1))
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    env = dict(os.environ, TEST_TIMES="1", TEST_EXCEPT=",".join(skip))
    run = subprocess.Popen(["stdbuf", "-oL", str(BUILD / "tests/tendril_tests"), "@" + name], cwd=TREE, env=env, text=True,
                           errors="replace", stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, preexec_fn=limits)
    printed, why = [], None
    for line in run.stdout:
        printed.append(line)
        if line.startswith("FAILED"):
            why = line.split()[1]
            run.kill()
            break
    code = run.wait()
    if not why and code < 0:
        why = "%s: %s" % (name, "time limit" if -code in (signal.SIGXCPU, signal.SIGKILL) else "crash")
    return why, printed


class Tests:
    """The test files with the time of their quick tests, by a run without a change; the long ones are known."""

    def __init__(self):
        self.times, self.kills = {}, collections.Counter()
        long_tests = "".join(re.findall(r"^long_tests\+?=(.*)", (TREE / "scripts/test.sh").read_text(), re.M))
        self.skip, slow, count = long_tests.split(","), set(), 0
        for path in sorted((TREE / "tests").glob("test_*.c")):
            if not re.search(r"^[A-Z_]*TEST\(", path.read_text(), re.M):
                continue
            why, printed = run_file(path.stem, self.skip, 1000)
            if why:
                sys.exit("mutants: the tests fail without a change: %s" % why)
            times = [(float(m[1]), m[2]) for m in (re.match(r"\s*([\d.]+) s (\w+)", line) for line in printed) if m]
            slow.update(test for spent, test in times if spent >= QUICK)
            quick = [spent for spent, _ in times if spent < QUICK]
            if quick:
                self.times[path.stem] = sum(quick)
            count += len(quick)
        self.skip += sorted(slow)
        print("%d quick tests take %.1f s" % (count, sum(self.times.values())), flush=True)

    def order(self, folder):
        return sorted(self.times, key=lambda f: (-self.kills[folder, f], folder not in f, self.times[f]))

    def killer(self, folder):
        """Why the tests do not pass, or None."""
        for name in self.order(folder):
            why, _ = run_file(name, self.skip, int(3 + 10 * self.times[name]))
            if why:
                self.kills[folder, name] += 1
                return why
        return None


# ---- entry

def try_mutant(mutant, same, tests, jobs):
    """None for the same program, or how it ended: "survived" or what killed it."""
    (TREE / mutant.path).write_text(mutant.changed())
    try:
        if not build(jobs):
            return "does not compile"
        if program_hash() == same:
            return None
        return tests.killer(mutant.folder()) or "survived"
    finally:
        (TREE / mutant.path).write_text(mutant.text)


def read_report():
    """How the mutants of the last report ended, by their texts."""
    ends = {}
    for line in REPORT.read_text().split("\n"):
        if line.startswith(SURVIVED):
            ends[line[len(SURVIVED):]] = "survived"
        elif line.startswith(KILLED):
            mutant, why = line[len(KILLED):].rsplit("  [", 1)
            ends[mutant] = why[:-1]
    return ends


def summary(ends, same_count, seed):
    """A row per folder and one of all: mutants, survivors, share."""
    rows = ["seed %d; %d more mutants compile to the same program" % (seed, same_count),
            "%-10s %8s %9s %6s" % ("folder", "mutants", "survivors", "share")]
    for folder in FOLDERS + ("all",):
        of = [end for f, end in ends if folder in (f, "all")]
        if of:
            rows.append("%-10s %8d %9d %5.0f%%" % (folder, len(of), of.count("survived"),
                                                  100 * of.count("survived") / len(of)))
    return "\n".join(rows)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=200, help="mutants to try (200)")
    parser.add_argument("--seed", type=int, default=1, help="another seed draws others (1)")
    parser.add_argument("--files", default="", help="only files whose path contains this")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), help="compilers at once (the number of cores)")
    parser.add_argument("--resume", action="store_true", help="go on where the last report ends")
    parser.add_argument("--again", action="store_true", help="only the survivors of the last report")
    args = parser.parse_args()
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    HOME.mkdir(parents=True, exist_ok=True)
    known = read_report() if args.resume or args.again else {}
    copy_tree()
    configure()
    if not build(args.jobs):
        sys.exit("mutants: the build fails without a change")
    same, tests, used = program_hash(), Tests(), users()
    ends, same_count = [], 0
    with REPORT.open("w") as report:
        def say(line):
            print(line, flush=True)
            print(line, file=report, flush=True)
        try:
            for mutant in draw(args.seed, args.files):
                if len(ends) == args.count:
                    break
                last = known.get(str(mutant))
                if used[str(mutant.path)] > MOST_USERS or args.again and last != "survived":
                    continue
                end = last if args.resume and last else try_mutant(mutant, same, tests, args.jobs)
                if end is None:
                    same_count += 1
                    continue
                ends.append((mutant.folder(), end))
                say((SURVIVED if end == "survived" else KILLED) + str(mutant)
                    + ("" if end == "survived" else "  [%s]" % end))
        except KeyboardInterrupt:
            say("stopped")
        say(summary(ends, same_count, args.seed))


if __name__ == "__main__":
    main()
