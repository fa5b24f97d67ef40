#!/usr/bin/env python3
"""Packs the Blender add-on: addon.py OUT.zip. The same files give the same bytes."""
import os
import pathlib
import sys
import zipfile

source = pathlib.Path(__file__).resolve().parent.parent / "blender" / "tendril_blender"
out = pathlib.Path(sys.argv[1])
out.parent.mkdir(parents=True, exist_ok=True)
part = out.with_suffix(".part")
with zipfile.ZipFile(part, "w", zipfile.ZIP_DEFLATED) as pack:
    for path in sorted(source.glob("*.py")):
        entry = zipfile.ZipInfo(f"tendril_blender/{path.name}", (2000, 1, 1, 0, 0, 0))
        entry.compress_type, entry.external_attr = zipfile.ZIP_DEFLATED, 0o644 << 16
        pack.writestr(entry, path.read_bytes())
os.replace(part, out)
print(out)
