#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Draws the rows of `tendril bench accuracy --json` or of `bench solvers --json`.

Usage: plot-accuracy.py ROWS.json OUT.svg

Error against cost, both logarithmic: one panel a plant or case, one curve an integrator or solver.
An explicit rule too dear to run has a largest step and a cost but no error: it is told in the
panel's corner. Points of solvers are named by their number of pieces.
"""

import json
import math
import re
import sys

# name, colour on light ground, on dark ground, marker; the two explicit rules are dashed
CURVES = [
    ("implicit", "#0b63b0", "#6db3f2", "circle"),
    ("implicit-euler", "#b34700", "#ff9e57", "square"),
    ("ida", "#1b7a3d", "#6fd08c", "diamond"),
    ("euler", "#8a2be2", "#c79bff", "triangle"),
    ("rk4", "#a3123f", "#ff86a8", "cross"),
    ("tree", "#1b7a3d", "#6fd08c", "square"),
    ("rod", "#0b63b0", "#6db3f2", "circle"),
    ("helix", "#b34700", "#ff9e57", "diamond"),
]
LABELS = {"implicit": "implicit (BDF2)", "euler": "euler (explicit)", "rk4": "rk4 (explicit)",
          "tree": "tree, segments", "rod": "rod, segments", "helix": "helix, elements"}
# of a case: title, label of the axis
WORDS = {
    "accuracy": ("Error of the integrators against what a second of motion costs",
                 "error: rms of far ends over plant height"),
    "solvers": ("Error of the solvers against what a second of motion costs",
                "error: rms of tips over length"),
}
PANEL_W, PANEL_H, GAP = 300, 330, 40
LEFT, TOP, BOTTOM = 76, 84, 60
WIDTH = LEFT + 3 * PANEL_W + 2 * GAP + 20
HEIGHT = TOP + PANEL_H + BOTTOM
FRAME = 1 / 60  # s: the step whose points are named

# Attributes of each class: every program understands them. Rules of a style come before them, so that the
# style has only what differs on dark ground.
LOOKS = {
    "ground": {"fill": "#ffffff"},
    "text": {"fill": "#1a1a1a"},
    "faint": {"fill": "#555555", "font-size": "11"},
    "head": {"font-size": "14", "font-weight": "600"},
    "grid": {"stroke": "#e3e3e3"},
    "real": {"stroke": "#888888"},
    "frame": {"stroke": "#888888", "fill": "none"},
    "line": {"fill": "none", "stroke-width": "2"},
    "ring": {"fill": "none", "stroke-width": "1.5"},
    **{f"c-{name}": {"stroke": light, "fill": light} for name, light, _, _ in CURVES},
}
DARK = """
.ground { fill: #16181c; } .text { fill: #ececec; } .faint { fill: #b4b4b4; }
.grid { stroke: #2e3238; } .real { stroke: #8a8f98; } .frame { stroke: #6f757e; }
"""


# ---- rows ------------------------------------------------------------------------------------

def read_rows(path):
    """The case, and {plant: {"n": bodies, curve: {setting: {unit: value}}}} in the file's order."""
    plants, case, known = {}, "", {c[0] for c in CURVES}
    with open(path, encoding="utf-8") as file:
        for line in file:
            row = json.loads(line)
            plant, integrator, setting = row["variant"].split(" ", 2)
            case = row["case"]
            if integrator not in known or "against" in setting:
                continue
            of_plant = plants.setdefault(plant, {"n": row["n"]})
            figures = of_plant.setdefault(integrator, {})
            figures.setdefault(setting, {})[row["unit"]] = row["value"]
    return case, plants


def points(figures):
    """(cost, error, setting) of what was run."""
    return [(f["s/s"], error, setting) for setting, f in figures.items()
            for error in (f.get("height", f.get("length")),) if error is not None]


# ---- axes ------------------------------------------------------------------------------------

def decades(values):
    """Whole powers of ten around them, with some room to the frame."""
    return math.floor(math.log10(min(values) / 1.5)), math.ceil(math.log10(max(values) * 1.5))


class Panel:
    def __init__(self, left, x_range, y_range):
        self.left, self.x_range, self.y_range = left, x_range, y_range

    def x(self, cost):
        low, high = self.x_range
        return self.left + PANEL_W * (math.log10(cost) - low) / (high - low)

    def y(self, error):
        low, high = self.y_range
        return TOP + PANEL_H * (high - math.log10(error)) / (high - low)


def text(x, y, words, kind="text", anchor="middle", extra=""):
    return (f'<text class="{kind}" x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}"{extra}>'
            f"{words}</text>")


def raised(exponent):
    return str(exponent).translate(str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹"))


def power(exponent):
    """A power of ten; those near 1 as plain numbers."""
    return f"{10.0 ** exponent:g}" if -2 <= exponent <= 1 else f"10{raised(exponent)}"


def grid(panel, first):
    out = []
    low, high = panel.x_range
    for e in range(low, high + 1):
        x = panel.x(10.0 ** e)
        kind = "real" if e == 0 else "grid"
        dash = ' stroke-dasharray="4 3"' if e == 0 else ""
        out.append(f'<path class="{kind}" d="M{x:.1f} {TOP}v{PANEL_H}"{dash}/>')
        out.append(text(x, TOP + PANEL_H + 18, power(e)))
    low, high = panel.y_range
    for e in range(low, high + 1):
        y = panel.y(10.0 ** e)
        out.append(f'<path class="grid" d="M{panel.left} {y:.1f}h{PANEL_W}"/>')
        if first and (e - low) % 2 == 0:
            out.append(text(panel.left - 8, y + 4, power(e), anchor="end"))
    out.append(f'<rect class="frame" x="{panel.left}" y="{TOP}" width="{PANEL_W}" '
               f'height="{PANEL_H}"/>')
    return out


# ---- curves ----------------------------------------------------------------------------------

def marker(shape, x, y, size=3.5):
    s = size
    if shape == "circle":
        return f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{s}"/>'
    paths = {
        "square": f"M{x - s:.1f} {y - s:.1f}h{2 * s}v{2 * s}h{-2 * s}z",
        "diamond": f"M{x:.1f} {y - 1.4 * s:.1f}l{1.4 * s:.1f} {1.4 * s:.1f}l{-1.4 * s:.1f} "
                   f"{1.4 * s:.1f}l{-1.4 * s:.1f} {-1.4 * s:.1f}z",
        "triangle": f"M{x:.1f} {y - 1.3 * s:.1f}l{1.3 * s:.1f} {2.3 * s:.1f}h{-2.6 * s:.1f}z",
        "cross": f"M{x - s:.1f} {y - s:.1f}l{2 * s} {2 * s}m0 {-2 * s}l{-2 * s} {2 * s}",
    }
    extra = ' fill="none" stroke-width="2"' if shape == "cross" else ""
    return f'<path d="{paths[shape]}"{extra}/>'


def curve(panel, name, shape, figures):
    run = [(panel.x(cost), panel.y(error), setting) for cost, error, setting in points(figures)]
    dash = ' stroke-dasharray="6 3"' if name in ("euler", "rk4") else ""
    out = [f'<g class="c-{name}">']
    if len(run) > 1:
        path = "L".join(f"{x:.1f} {y:.1f}" for x, y, _ in run)
        out.append(f'<path class="line" d="M{path}"{dash}/>')
    for x, y, setting in run:
        out.append(marker(shape, x, y))
        if setting.isdigit():
            out.append(text(x + 6, y - 6, setting, "faint", "start", ' stroke="none"'))
        if step_of(setting) == FRAME:
            out.append(f'<circle class="ring" cx="{x:.1f}" cy="{y:.1f}" r="7"/>')
    out.append("</g>")
    return out


def step_of(setting):
    found = re.fullmatch(r"dt=1/(\d+)", setting)
    return 1 / int(found[1]) if found else None


def short(value):
    """Two digits, as people write them."""
    mantissa, exponent = f"{value:.1e}".split("e")
    if -3 <= int(exponent) <= 4:
        return f"{float(f'{value:.1e}'):g}"
    return f"{mantissa}·10{raised(int(exponent))}"


def left_out(panel, of_plant):
    """Explicit rules whose error could not be had."""
    out, y = [], TOP + PANEL_H - 12
    for name in ("rk4", "euler"):
        figures = of_plant.get(name, {})
        largest = figures.get("largest step")
        if largest and not points(figures):
            words = f'{name}: stable to {short(largest["s"])} s, {short(largest["s/s"])} s/s'
            out.append(text(panel.left + 10, y, words, "faint", "start"))
            y -= 16
    if out:
        out.append(text(panel.left + 10, y, "too dear to run:", "faint", "start"))
    return out


# ---- the picture -----------------------------------------------------------------------------

def legend(names, case):
    out, x = [], LEFT
    for name, _, _, shape in CURVES:
        if name not in names:
            continue
        dash = ' stroke-dasharray="6 3"' if name in ("euler", "rk4") else ""
        out.append(f'<g class="c-{name}"><path class="line" d="M{x} 26h28"{dash}/>'
                   + marker(shape, x + 14, 26) + "</g>")
        label = LABELS.get(name, name)
        out.append(text(x + 36, 30, label, anchor="start"))
        x += 66 + 6 * len(label)
    if case == "accuracy":
        out.append(f'<circle class="ring real" cx="{x + 7}" cy="26" r="7"/>')
        out.append(text(x + 22, 30, "step 1/60 s", anchor="start"))
    return out


def dark_colours():
    return "".join(f".c-{name} {{ stroke: {dark}; fill: {dark}; }}\n" for name, _, dark, _ in CURVES) + (
        ".line, .ring { fill: none; }\n")


def with_looks(svg):
    """The same with the attributes of every element's classes."""
    def more(found):
        looks = {}
        for name in found[1].split():
            looks.update(LOOKS.get(name, {}))
        return found[0] + "".join(f' {key}="{value}"' for key, value in looks.items())

    return re.sub(r'class="([^"]*)"', more, svg)


def draw(case, plants):
    title, label = WORDS[case]
    names = {name for of_plant in plants.values() for name in of_plant}
    every = [p for of_plant in plants.values() for name, *_ in CURVES
             for p in points(of_plant.get(name, {}))]
    x_range, y_range = decades([p[0] for p in every]), decades([p[1] for p in every])
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" '
           f'width="{WIDTH}" height="{HEIGHT}" role="img" font-family="system-ui, sans-serif" font-size="12">',
           f"<title>{title}</title>",
           f"<style>@media (prefers-color-scheme: dark) {{{DARK}{dark_colours()}}}</style>",
           f'<rect class="ground" width="{WIDTH}" height="{HEIGHT}"/>']
    out += legend(names, case)
    for k, (plant, of_plant) in enumerate(plants.items()):
        panel = Panel(LEFT + k * (PANEL_W + GAP), x_range, y_range)
        middle = panel.left + PANEL_W / 2
        head = f'{plant}, {of_plant["n"]} segments' if case == "accuracy" else plant
        out.append(text(middle, TOP - 14, head, "text head"))
        out += grid(panel, k == 0)
        for name, _, _, shape in CURVES:
            if name in of_plant:
                out += curve(panel, name, shape, of_plant[name])
        out += left_out(panel, of_plant)
    out.append(text(LEFT + (WIDTH - LEFT - 20) / 2, HEIGHT - 14,
                    "cost: seconds of one core a simulated second (dashed: real time)"))
    turn = f' transform="rotate(-90 18 {TOP + PANEL_H / 2})"'
    out.append(text(18, TOP + PANEL_H / 2, label, extra=turn))
    out.append("</svg>")
    return with_looks("\n".join(out)) + "\n"


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    case, plants = read_rows(sys.argv[1])
    with open(sys.argv[2], "w", encoding="utf-8") as file:
        file.write(draw(case, plants))


if __name__ == "__main__":
    main()
