# SPDX-License-Identifier: MIT
"""Numbers that a model gives names to, as sliders need them. A comment says the range,
`#define ANGLE 25 // 10..40 degrees`; else it is half the value to half as much again, as in the viewer."""

import dataclasses
import math
import re

NUMBER = r"[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?"
DEFINE = re.compile(rf"^[ \t]*#define[ \t]+([A-Za-z_]\w*)[ \t]+({NUMBER})[ \t]*(?:(?://|/\*)[ \t]*(.*?)[ \t]*(?:\*/[ \t]*)?)?$",
                    re.M)
RANGE = re.compile(rf"(?:^|[\s,;(])({NUMBER})[ \t]*\.\.[ \t]*({NUMBER})(?=$|[\s,;).%°])[,;]?[ \t]*")
MEASURED = re.compile(r"(?:mm|cm|m|kg|g|s|Pa|GPa|MPa|N|rad|radians|degrees?|°)\b")
STEPS_MORE = 1.2  # of the derivation length: growth can double with every step


@dataclasses.dataclass
class Define:
    name: str
    value: float
    low: float
    high: float
    whole: bool
    text: str


def read(text):
    """All numbers that have a name; a name that is defined twice is left out."""
    found = [make(*match.groups(), text) for match in DEFINE.finditer(text)]
    return [one for one in found
            if len(re.findall(rf"^[ \t]*#define[ \t]+{one.name}\b", text, re.M)) == 1]


def make(name, written, comment, whole_text):
    value, comment = float(written), comment or ""
    said = RANGE.search(comment)
    text = (comment[:said.start()] + " " + comment[said.end():]).strip() if said else comment
    parts = [written, *(said.groups() if said else ())]
    whole = all(re.fullmatch(r"[-+]?\d+", part) for part in parts) and not MEASURED.match(text)
    if said:
        low, high = float(said[1]), float(said[2])
    else:
        length = re.search(rf"^[ \t]*derivation length[ \t]*:[^\n]*\b{name}\b", whole_text, re.M | re.I)
        low, high = infer(value, whole, STEPS_MORE if length else 1.5)
    return Define(name, value, min(low, high, value), max(low, high, value), whole, text)


def infer(value, whole, more):
    if value == 0:
        return 0.0, 1.0
    low, high = sorted((value / 2, value * more))
    return (math.floor(low), math.ceil(max(high, low + 1))) if whole else (low, high)
