# SPDX-License-Identifier: MIT
"""The scene that is simulated, from the objects of the Blender scene.

Blender has Z up and Tendril Y: (x, y, z) here is (x, z, -y) there, for vectors and for the axes of rotations."""

import re

import bpy

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
    about = {"friction": min(friction_of(thing), 10)}
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
    """(position, rotation, scale) of each object in every frame of the range."""
    now, out = scene.frame_current, {thing: [] for thing in things}
    for frame in range(scene.frame_start, scene.frame_end + 1):
        scene.frame_set(frame)
        for thing in things:
            out[thing].append(thing.matrix_world.decompose())
    scene.frame_set(now)
    return out


def moving(poses):
    """`position` and `rotation` of a scene's object, with keys for what moves."""
    fps = bpy.context.scene.render.fps / bpy.context.scene.render.fps_base
    out = {}
    for key, convert, k in (("position", vector, 0), ("rotation", rotation, 1)):
        first = poses[0][k]
        if all(max(abs(a - b) for a, b in zip(pose[k], first)) < 1e-6 for pose in poses):
            out[key] = convert(first)
        else:
            out[key] = {"keys": [[i / fps, convert(pose[k])] for i, pose in enumerate(poses)]}
    return out


def winds(scene):
    """Force fields of the kind Wind: the air moves along the field's Z axis, at its strength in m/s; its
    noise, 0 to 10, is ten times the intensity of the turbulence."""
    out = []
    for thing in scene.objects:
        field = thing.field if thing.type == "EMPTY" else None
        if field and field.type == "WIND" and field.strength != 0:
            axis = thing.matrix_world.to_3x3().col[2].normalized()
            out.append({"wind": {"velocity": vector(axis * field.strength), "gust": 0.4 if field.noise > 0 else 0,
                                 "intensity": min(field.noise / 10, 2), "seed": field.seed, "onset": 0.5}})
    return out


def from_blender(scene):
    """The scene as `tendril run` takes it: plants that were grown, winds and colliders, over the frame range."""
    plants = grown(scene)
    solids = [o for o in scene.objects if o not in plants and collider_kind(o)]
    poses = sample([*plants, *solids], scene)
    fps = scene.render.fps / scene.render.fps_base
    objects = []
    for thing in plants:
        size = sum(poses[thing][0][2]) / 3
        objects.append({"name": re.sub(r"[^\w-]", "-", thing.name), "plant": bpy.path.abspath(thing[MODEL]),
                        "seed": int(thing.get(SEED, -1)), "define": defines_of(thing), "size": size,
                        "rest_under_gravity": True, **moving(poses[thing])})
    gravity = vector(scene.gravity) if scene.use_gravity else [0, 0, 0]
    out = {"name": scene.name, "gravity": gravity, "objects": objects, "loads": winds(scene),
           "record": {"duration": max(scene.frame_end - scene.frame_start, 1) / fps, "fps": fps, "energy": False,
                      "page": False}}
    if solids:
        out["colliders"] = [collider(thing, poses[thing]) for thing in solids]
        out["contact"] = {"self": False}
    return out
