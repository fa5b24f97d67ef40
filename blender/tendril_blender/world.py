# SPDX-License-Identifier: MIT
"""The scene that is simulated, from the objects of the Blender scene.

Blender has Z up and Tendril Y: (x, y, z) here is (x, z, -y) there, for vectors and for the axes of rotations."""

import math
import re

import bpy
from mathutils import Vector

MODEL = "tendril_model"  # custom properties of an object that was grown
SEED = "tendril_seed"
DEFINE = "tendril:"
KINDS = (("plane", r"plane|ground|floor"), ("sphere", r"sphere|ball"), ("capsule", r"capsule|cylinder|pole"),
         ("box", r"box|cube"))
LEAST = 1e-4  # m, of a collider's sides


def vector(v):
    return [v[0], v[2], -v[1]]


def rotation(q):
    return [q[0], q[1], q[3], -q[2]]


def grown(scene):
    return [o for o in scene.objects if MODEL in o and not o.name.startswith("tendril run")]


def defines_of(thing):
    """Values of the model's #defines that the object's sliders have."""
    return {key[len(DEFINE):]: thing[key] for key in thing.keys() if key.startswith(DEFINE)}


def collider_kind(thing):
    """By the object's name, then by what an empty is drawn as, then by the shape of a mesh; None: no collider."""
    solid = any(m.type == "COLLISION" for m in thing.modifiers)
    named = thing.name.lower().startswith("collider")
    if not solid and not named:
        return None
    for kind, words in KINDS:
        if re.search(words, thing.name.lower()):
            return kind
    if thing.type == "EMPTY":
        return {"SPHERE": "sphere", "CUBE": "box"}.get(thing.empty_display_type, "plane")
    flat = min(thing.dimensions) <= 1e-3 * max(thing.dimensions)
    return "plane" if flat else "box"


def collider(thing, poses):
    kind = collider_kind(thing)
    scale = poses[0][2]
    if thing.type == "EMPTY":
        x, y, z = (max(2 * thing.empty_display_size * abs(s), LEAST) for s in scale)
    else:
        x, y, z = (max(d, LEAST) for d in thing.dimensions)
    about = {"name": thing.name_full, "friction": min(friction_of(thing), 10)}
    if kind == "sphere":
        about["radius"] = max(x, y, z) / 2
    elif kind == "capsule":
        about["radius"] = max(x, y) / 2
        about["length"] = max(z - max(x, y), 0)
    elif kind == "box":
        about["size"] = [x, z, y]
    return {kind: {**about, **moving(poses)}}


def friction_of(thing):
    settings = next((m.settings for m in thing.modifiers if m.type == "COLLISION"), None)
    return settings.cloth_friction / 10 if settings else 0.3  # Blender's 0 to 80, 5 by default


def sample(things, scene):
    """(position, rotation, scale) of each object in every frame of the range, (strength, noise) of its force field
    behind them."""
    now, out = scene.frame_current, {thing: [] for thing in things}
    for frame in range(scene.frame_start, scene.frame_end + 1):
        scene.frame_set(frame)
        graph = bpy.context.evaluated_depsgraph_get()
        for thing in things:
            field = thing.evaluated_get(graph).field
            out[thing].append((*thing.matrix_world.decompose(), (field.strength, field.noise) if field else (0, 0)))
    scene.frame_set(now)
    return out


def keyed(values, interpolate="smooth"):
    """A value of a scene, with a key for every frame where it changes."""
    fps = bpy.context.scene.render.fps / bpy.context.scene.render.fps_base
    if all(max(abs(a - b) for a, b in zip(value, values[0])) < 1e-6 for value in values):
        return values[0]
    return {"keys": [[i / fps, value] for i, value in enumerate(values)], "interpolate": interpolate}


def moving(poses):
    """`position` and `rotation` of a scene's object."""
    return {"position": keyed([vector(pose[0]) for pose in poses]),
            "rotation": keyed([rotation(pose[1]) for pose in poses])}


def winds_of(scene):
    return [o for o in scene.objects if o.type == "EMPTY" and o.field and o.field.type == "WIND"]


def winds(thing, poses):
    """A force field of the kind Wind: the air moves along the field's Z axis, at its strength in m/s; its
    noise, 0 to 10, is ten times the intensity of the turbulence. Turbulence is in proportion to the velocity of its
    wind, so where the noise has keys, a part of the wind that goes with the noise has it, and the rest has none."""
    velocities = [pose[1] @ Vector((0, 0, math.copysign(pose[3][0], pose[2].z * pose[3][0]))) for pose in poses]
    noises = [max(pose[3][1], 0) for pose in poses]
    most, out = max(noises), []
    shares = [noise / most if most > 0 else 0 for noise in noises]
    about = {"gust": 0.4, "intensity": min(most / 10, 2), "seed": thing.field.seed, "onset": 0.5}
    for wind, parts in ((about, shares), ({}, [1 - share for share in shares])):
        if any(part * velocity.length > 0 for part, velocity in zip(parts, velocities)):
            # linear: a smooth curve would blow backwards before a wind that starts at once
            parted = [vector(velocity * part) for velocity, part in zip(velocities, parts)]
            out.append({"wind": {**wind, "velocity": keyed(parted, "linear")}})
    return out


def solids_of(scene):
    return [o for o in scene.objects if MODEL not in o and collider_kind(o)]


def from_blender(scene):
    """The scene as `tendril run` takes it: plants that were grown, winds and colliders, over the frame range."""
    plants, solids, fields = grown(scene), solids_of(scene), winds_of(scene)
    poses = sample([*plants, *solids, *fields], scene)
    fps = scene.render.fps / scene.render.fps_base
    objects = []
    for thing in plants:
        size = sum(poses[thing][0][2]) / 3
        objects.append({"name": re.sub(r"[^\w-]", "-", thing.name), "plant": bpy.path.abspath(thing[MODEL]),
                        "seed": int(thing.get(SEED, -1)), "define": defines_of(thing), "size": size,
                        "rest_under_gravity": True, **moving(poses[thing])})
    gravity = vector(scene.gravity) if scene.use_gravity else [0, 0, 0]
    out = {"name": scene.name, "gravity": gravity, "objects": objects,
           "loads": [wind for thing in fields for wind in winds(thing, poses[thing])],
           "record": {"duration": max(scene.frame_end - scene.frame_start, 1) / fps, "fps": fps, "energy": False,
                      "page": False}}
    if solids:
        out["colliders"] = [collider(thing, poses[thing]) for thing in solids]
        out["contact"] = {"self": False}
    return out
