#!/usr/bin/env python3
"""Constants that the docs name with their value, `NAME` = 0.3, are those of the code; those that several files of a
folder define with the same name and the same comment have one value. Prints what differs."""
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
NUMBER = r"(-?[0-9]+(?:\.[0-9]+)?(?:e-?[0-9]+)?)"
NAMED = re.compile(rf"`([A-Z][A-Z_0-9]+)` = {NUMBER}")
DEFINED = re.compile(rf"^#define ([A-Z][A-Z_0-9]+) +\(?{NUMBER}\b[^/\n]*(?:// *([^\n]*))?", re.M)

values, copies, faults = {}, {}, []
for path in sorted((ROOT / "src").rglob("*.[ch]")):
    for name, value, comment in DEFINED.findall(path.read_text()):
        values.setdefault(name, set()).add(float(value))
        first, at = copies.setdefault((path.parent, name, comment), (value, path))
        if comment and float(first) != float(value):
            faults.append(f"{path.relative_to(ROOT)}: {name} is {value}; in {at.name} it is {first}, with the same comment")
count = 0
for page in sorted((ROOT / "docs").rglob("*.md")):
    for name, value in NAMED.findall(page.read_text()):
        count += 1
        if float(value) not in values.get(name, set()):
            known = ", ".join(f"{v:g}" for v in sorted(values.get(name, set()))) or "not defined"
            faults.append(f"{page.relative_to(ROOT)}: {name} is {value} there; in the code it is {known}")
print("\n".join(faults) if faults else f"{count} constants of the docs are those of the code")
sys.exit(1 if faults or count == 0 else 0)
