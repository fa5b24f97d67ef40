#!/usr/bin/env python3
"""Runs the examples in the README and in docs/: `lsys` blocks are grown, `c` blocks with a main are
compiled against the build given as the argument and run, `yaml` blocks with objects are checked,
`tendril` lines of `sh` blocks are run. A block with a name, as in ```text twig/twig.l, is a file for them."""
import os
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile

root = pathlib.Path(__file__).resolve().parent.parent
build = pathlib.Path(sys.argv[1]).resolve()
faults = []
counts = {"lsys": 0, "c": 0, "yaml": 0, "sh": 0}


def run(command, where, stdin=None, cwd=None):
    done = subprocess.run(command, input=stdin, text=True, capture_output=True, cwd=cwd,
                          env={**os.environ, "PATH": f"{build}:{os.environ['PATH']}"})
    if done.returncode != 0:
        faults.append(f"{where}: {shlex.join(map(str, command))}: exit {done.returncode}\n"
                      f"{done.stderr}")


def blocks(path):
    text = path.read_text()
    for match in re.finditer(r"^```(\w+)(?: (\S+))?\n(.*?)^```", text, re.S | re.M):
        yield *match.groups(), text[: match.start()].count("\n") + 1


with tempfile.TemporaryDirectory() as folder:
    os.symlink(root / "scenes", f"{folder}/scenes")
    for path in [root / "README.md", *sorted((root / "docs").rglob("*.md"))]:
        # an earlier lsys or yaml block of the page is there for its sh blocks, by the name they use
        for kind, name, text, line in blocks(path):
            where = f"{path.relative_to(root)}:{line}"
            if name:
                file = pathlib.Path(folder, name)
                file.parent.mkdir(exist_ok=True)
                file.write_text(text)
            elif kind == "lsys":
                counts["lsys"] += 1
                pathlib.Path(folder, "sprig.lsys").write_text(text)
                run([build / "tendril", "grow", "-", "--stats"], where, stdin=text)
            elif kind == "c" and "int main(" in text:
                counts["c"] += 1
                source = pathlib.Path(folder, "example.c")
                source.write_text(text)
                run(["cc", "-std=c11", "-Wall", "-Wextra", "-Werror", f"-I{root}/include", source,
                     build / "libtendril.a", "-lm", "-lpthread", "-o", f"{folder}/example"], where)
                run([f"{folder}/example"], where, cwd=folder)
            elif kind == "yaml" and re.search(r"^objects:", text, re.M):
                counts["yaml"] += 1
                pathlib.Path(folder, "scene.yaml").write_text(text)
                run([build / "tendril", "check", "scene.yaml"], where, cwd=folder)
            elif kind == "sh":
                for command in text.splitlines():
                    words = command.split("#")[0].strip()
                    words = words.removeprefix("build/")
                    if words.startswith("tendril ") and "FILE" not in words:
                        counts["sh"] += 1
                        run(["sh", "-c", words], where, cwd=folder)

print("\n".join(faults))
print(f"examples run: {counts}")
sys.exit(1 if faults or min(counts.values()) == 0 else 0)
