# SPDX-License-Identifier: MIT
"""Imports an animated .glb into Blender and compares where its joints are with a table
`frame,node,x,y,z`. Runs inside Blender:

    blender --background --factory-startup --python scripts/check-blender.py -- \\
        CLIP.glb EXPECTED.csv FPS [TOLERANCE]
"""
import csv
import sys

import numpy

numpy.bool = bool  # Blender 3.4's importer still uses the old name
import bpy  # noqa: E402

arguments = sys.argv[sys.argv.index("--") + 1:]
clip, table, fps = arguments[0], arguments[1], float(arguments[2])
tolerance = float(arguments[3]) if len(arguments) > 3 else 1e-5

sys.setrecursionlimit(100000)  # the importer recurses along chains of joints
bpy.ops.wm.read_factory_settings(use_empty=True)
bpy.context.scene.render.fps = round(fps)
bpy.ops.import_scene.gltf(filepath=clip, bone_heuristic="BLENDER")

# glTF is +Y up, Blender +Z: (x, y, z) there is (x, -z, y) here
bones = {}
for rig in bpy.data.objects:
    if rig.type == "ARMATURE":
        for bone in rig.pose.bones:
            bones[bone.name] = (rig, bone, len(bone.parent_recursive))


def place_of(name):
    """Where a joint is, and how many joints are below it."""
    if name in bones:
        rig, bone, depth = bones[name]
        head = rig.matrix_world @ bone.head
    else:
        head, depth = bpy.data.objects[name].matrix_world.translation, 0
    return (head.x, head.z, -head.y), depth


# Blender poses bones in single precision, one upon the other: each may turn what is above it by
# a rounding error more. Scenes here are a few metres large.
ROUNDING = 2.0 ** -24

worst, worst_row, count, bad, frame = 0.0, None, 0, 0, None
with open(table, newline="") as rows:
    for row in csv.DictReader(rows):
        if row["frame"] != frame:
            frame = row["frame"]
            bpy.context.scene.frame_set(int(frame))
            bpy.context.view_layer.update()
        place, depth = place_of(row["node"])
        error = sum((a - float(row[k])) ** 2 for a, k in zip(place, "xyz")) ** 0.5
        count += 1
        bad += error > max(tolerance, ROUNDING * depth)
        if error >= worst:
            worst, worst_row = error, row
print(f"{clip}: {count} places in Blender {bpy.app.version_string}, {bad} beyond the tolerance, "
      f"the worst off by {worst:.1e} m ({worst_row and worst_row['node']}, "
      f"frame {worst_row and worst_row['frame']})")
sys.exit(0 if count > 0 and bad == 0 else 1)
