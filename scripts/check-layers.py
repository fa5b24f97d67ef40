#!/usr/bin/env python3
"""Each folder of src/ may include only from itself and from those before it; cli and the web's
module use the public headers only. Prints what breaks the rule; exit code 1 if anything does."""
import pathlib
import re
import sys

LAYERS = ["base", "system", "math", "grammar", "plant", "skin", "load", "contact", "solver", "tree",
          "tree_ida", "rod", "world", "scene_yaml", "io"]
PUBLIC_ONLY = ["cli", "web"]

root = pathlib.Path(__file__).resolve().parent.parent
faults = []
for path in sorted((root / "src").rglob("*.[ch]")):
    layer = path.relative_to(root / "src").parts[0]
    if layer not in LAYERS + PUBLIC_ONLY:
        faults.append(f"{path.relative_to(root)}: folder '{layer}' has no place in the layers")
        continue
    for number, line in enumerate(path.read_text().splitlines(), 1):
        match = re.match(r'\s*#\s*include\s+"([^"]+)"', line)
        if not match:
            continue
        target = match.group(1).split("/")[0]
        allowed = target == "tendril" or target == layer or (
            layer in LAYERS and target in LAYERS[: LAYERS.index(layer)])
        if not allowed:
            faults.append(f"{path.relative_to(root)}:{number}: {layer} may not include "
                          f"\"{match.group(1)}\"")
print("\n".join(faults) if faults else "layers are kept")
sys.exit(1 if faults else 0)
