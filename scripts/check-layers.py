#!/usr/bin/env python3
"""The order of the code. Prints what breaks it; exit code 1 if anything does.

- A folder of src/ includes only from itself and from those before it. A public header belongs to the
  folder that implements it, and counts as that folder, whoever includes it.
- cli, the web's module and tests/cases use public headers only; cli runs the cases.
- A name td_ or tdi_ of a type is defined in one file of src/ and include/. Names without those are
  of one file and may recur.
- README.md and CONTRIBUTING.md list the folders in their order.
"""
import pathlib
import re
import sys

LAYERS = ["base", "math", "cpfg", "grammar", "plant", "skin", "load", "law", "contact", "constrain", "implicit", "solver",
          "tree", "reduce", "rod", "helix", "published", "body", "scene", "world", "scene_yaml", "io"]
PUBLIC_ONLY = ["cases", "cli", "web"]
PUBLIC = {  # header: the folder that implements it
    "base": "base", "value": "base", "pool": "base", "hooks": "base", "lcp": "math", "algebra": "math", "grammar": "grammar", "skeleton": "plant",
    "mesh": "skin", "load": "load", "curve": "load", "wind": "load", "contact": "contact", "constraint": "constrain",
    "step": "implicit", "island": "implicit", "solver": "solver", "body": "solver", "tree": "tree", "batch": "tree", "analytic": "published", "adapt": "published", "reduce": "reduce", "ida": "published", "rod": "rod", "helix": "helix", "scene": "scene",
    "world": "world", "actor": "world", "attach": "world", "query": "world", "grow": "world", "control": "world", "draw": "world", "yaml": "scene_yaml", "io": "io", "clip": "io",
}
EVERYTHING = "tendril"  # the header that includes all others

ROOT = pathlib.Path(__file__).resolve().parent.parent
INCLUDE = re.compile(r'\s*#\s*include\s+["<](?:(\w+)/)?([^">]+)[">]')
TYPE = re.compile(r"\b(?:struct|union|enum)\s+(\w+)\s*\{|"           # a tag with its members
                  r"^\}\s*(\w+)\s*;|"                                # typedef struct ... { } name;
                  r"^typedef\s+[^;{]*?\(\s*\*?\s*(\w+)\s*\)\s*\(|"  # of a function
                  r"^typedef\s+(?!struct|union|enum)[^;{(]*?\b(\w+)\s*(?:\[[^\]]*\])*;", re.M)


def layer_of(path):
    """The folder that a file belongs to; None for the header that includes all others."""
    folder, *rest = path.relative_to(ROOT).parts
    if folder in ("src", "tests"):
        return rest[0]
    return None if path.stem == EVERYTHING else PUBLIC.get(path.stem, f"include/tendril/{path.name}")


def may_include(layer, folder, header):
    if folder == "tendril":
        stem = header.removesuffix(".h")
        if layer is None or layer in PUBLIC_ONLY:
            return stem in PUBLIC or stem == EVERYTHING
        folder = PUBLIC.get(stem)
    if layer in PUBLIC_ONLY:
        return folder == layer or (layer, folder) == ("cli", "cases")
    return folder in LAYERS[: LAYERS.index(layer) + 1]


def wrong_includes(path, layer):
    known = LAYERS + PUBLIC_ONLY + ["tendril"]
    for number, line in enumerate(path.read_text().splitlines(), 1):
        match = INCLUDE.match(line)
        if match and ('"' in line or match[1] in known) and not may_include(layer, *match.groups()):
            yield f"{path.relative_to(ROOT)}:{number}: {layer} may not have {line.strip()}"


def defined_types(path):
    text = re.sub(r"//[^\n]*|/\*.*?\*/", lambda m: "\n" * m[0].count("\n"), path.read_text(),
                  flags=re.S)
    for match in TYPE.finditer(text):
        if match[match.lastindex].startswith(("td_", "tdi_")):
            yield match[match.lastindex], text.count("\n", 0, match.start()) + 1


def main():
    faults, types = [], {}
    for path in sorted([*(ROOT / "src").rglob("*.*"), *(ROOT / "include").rglob("*.h"), *(ROOT / "tests/cases").rglob("*.*")]):
        layer = layer_of(path)
        if layer is not None and layer not in LAYERS + PUBLIC_ONLY:
            faults.append(f"{path.relative_to(ROOT)}: {layer} has no place in the layers")
            continue
        faults += wrong_includes(path, layer)
        for name, line in defined_types(path):
            types.setdefault(name, {}).setdefault(path, line)
    for name, places in types.items():
        if len(places) > 1:
            where = ", ".join(f"{path.relative_to(ROOT)}:{line}" for path, line in places.items())
            faults.append(f"{name} is defined more than once: {where}")
    for page in ["README.md", "CONTRIBUTING.md"]:
        if ", ".join(f"`{layer}`" for layer in LAYERS) not in (ROOT / page).read_text():
            faults.append(f"{page} does not list the folders of src/ in their order")
    print("\n".join(faults) if faults else "layers are kept")
    return 1 if faults else 0


sys.exit(main())
