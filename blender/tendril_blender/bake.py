# SPDX-License-Identifier: MIT
"""Motion as Blender has it: armatures with keys, meshes with shape keys, curves."""

import contextlib
import sys

import bpy
import numpy

RUN = "Tendril run"  # the collection of what was simulated
_follows = True


def extras_of(gltf):
    """{"fps", "frames"} of a file that Tendril wrote, else None."""
    scenes = gltf.data.scenes or []
    extras = scenes[gltf.data.scene or 0].extras if scenes else None
    generator = gltf.data.asset.generator or ""
    good = generator.lower().startswith("tendril") and isinstance(extras, dict) and {"fps", "frames"} <= extras.keys()
    return extras if good else None


def follows_file():
    return _follows


def set_rate(fps):
    render = bpy.context.scene.render
    render.fps = max(1, round(fps))
    render.fps_base = render.fps / fps


def set_range(frames):
    scene = bpy.context.scene
    scene.frame_start, scene.frame_end = 0, max(frames - 1, 1)
    scene.frame_set(0)


@contextlib.contextmanager
def keeping_range():
    global _follows
    _follows = False
    try:
        yield
    finally:
        _follows = True


# Later importers would add a mesh that stands for bones (4.0), and a collection (5.0).
IMPORT = {"bone_heuristic": "BLENDER", "disable_bone_shape": True, "import_scene_as_collection": False}


def load(path):
    """Imports a .glb file. Gives the new objects."""
    if "bool" not in vars(numpy):
        numpy.bool = bool  # Blender 3.4's importer still uses the old name
    sys.setrecursionlimit(max(sys.getrecursionlimit(), 100000))  # it recurses along chains of joints
    before = set(bpy.data.objects)
    known = bpy.ops.import_scene.gltf.get_rna_type().properties.keys()
    bpy.ops.import_scene.gltf(filepath=path, **{key: value for key, value in IMPORT.items() if key in known})
    return [o for o in bpy.data.objects if o not in before]


def remove(objects):
    for thing in objects:
        data = thing.data
        action = thing.animation_data and thing.animation_data.action
        bpy.data.objects.remove(thing)
        if data and data.users == 0:
            bpy.data.batch_remove([data])
        if action and action.users == 0:
            bpy.data.actions.remove(action)


def load_run(path, start):
    """Imports a run into its collection, in place of the run before; its first key is at frame `start`."""
    old = bpy.data.collections.get(RUN)
    if old:
        remove(list(old.objects))
        bpy.data.collections.remove(old)
    actions = set(bpy.data.actions)
    with keeping_range():
        things = load(path)
    folder = bpy.data.collections.new(RUN)
    bpy.context.scene.collection.children.link(folder)
    for thing in things:
        for other in list(thing.users_collection):
            other.objects.unlink(thing)
        folder.objects.link(thing)
        if thing.type == "ARMATURE":
            thing.data.display_type = "STICK"  # leaves would be hidden behind their bones
        for track in list(thing.animation_data.nla_tracks) if thing.animation_data else []:
            thing.animation_data.nla_tracks.remove(track)  # the same action once more
    for action in set(bpy.data.actions) - actions:
        shift(action, start)
    # colliders and the camera are Blender's own
    props = [o for o in things if o.type == "CAMERA" or o.name.startswith("collider-")]
    things = [o for o in things if o not in props]
    remove(props)
    return things


def curves_of(action):
    """All of them. Since Blender 4.4 each slot has its own; `fcurves` has those of the first, and is gone in 5.0."""
    if hasattr(action, "layers"):
        strips = [strip for layer in action.layers for strip in layer.strips]
        return [curve for strip in strips for bag in strip.channelbags for curve in bag.fcurves]
    return list(action.fcurves)


def new_curve(action, owner, path):
    """A curve of `owner`, which has this action already: since Blender 4.4 it needs a slot there."""
    if hasattr(action, "fcurve_ensure_for_datablock"):
        return action.fcurve_ensure_for_datablock(owner, path)
    return action.fcurves.new(path)


def shift(action, frames):
    for curve in curves_of(action):
        points = numpy.empty(2 * len(curve.keyframe_points))
        curve.keyframe_points.foreach_get("co", points)
        points[::2] += frames
        curve.keyframe_points.foreach_set("co", points)
        curve.update()


# ---- shape keys -----------------------------------------------------------------------------

def to_shape_keys(things, first, last):
    """Meshes with a shape key a frame, in place of meshes on armatures. Gives the objects that stay."""
    scene = bpy.context.scene
    meshes = [o for o in things if o.type == "MESH"]
    places = {o: [] for o in meshes}
    for frame in range(first, last + 1):
        scene.frame_set(frame)
        graph = bpy.context.evaluated_depsgraph_get()
        for thing in meshes:
            posed = thing.evaluated_get(graph)
            points = numpy.empty((len(posed.data.vertices), 3))
            posed.data.vertices.foreach_get("co", points.ravel())
            world = numpy.array(posed.matrix_world)
            places[thing].append(points @ world[:3, :3].T + world[:3, 3])
    for thing in meshes:
        thing.parent = None
        thing.matrix_world.identity()
        thing.modifiers.clear()
        thing.vertex_groups.clear()
        thing.data = thing.data.copy() if thing.data.users > 1 else thing.data
        add_keys(thing, places[thing], first)
    remove([o for o in things if o not in meshes])
    scene.frame_set(first)
    return meshes


def add_keys(thing, places, first):
    """One key a frame: 1 in its own frame, 0 in those beside it, linear between them."""
    thing.shape_key_add(name="Basis", from_mix=False)
    keys = thing.data.shape_keys
    action = bpy.data.actions.new(f"{thing.name} run")
    keys.animation_data_create().action = action
    for k, points in enumerate(places):
        block = thing.shape_key_add(name=f"frame {first + k}", from_mix=False)
        block.data.foreach_set("co", points.ravel())
        curve = new_curve(action, keys, f'key_blocks["{block.name}"].value')
        beside = [(first + k + d, 1.0 if d == 0 else 0.0) for d in (-1, 0, 1) if 0 <= k + d < len(places)]
        curve.keyframe_points.add(len(beside))
        for point, co in zip(curve.keyframe_points, beside):
            point.co, point.interpolation = co, "LINEAR"
        curve.update()


# ---- curves ---------------------------------------------------------------------------------

def chain(rig):
    """The bones of an armature that is one chain, from its base on; None when it branches."""
    roots = [b for b in rig.data.bones if b.parent is None]
    bones = []
    while len(roots) == 1:
        bones.append(roots[0].name)
        roots = list(roots[0].children)
    return bones if not roots and len(bones) > 1 else None


def to_curves(things, first, last):
    """Strands, which are armatures without branches, as curves with a shape key a frame. Gives all objects."""
    scene = bpy.context.scene
    rigs = {o: chain(o) for o in things if o.type == "ARMATURE" and chain(o)}
    places = {rig: [] for rig in rigs}
    for frame in range(first, last + 1):
        scene.frame_set(frame)
        for rig, names in rigs.items():
            bones = [rig.pose.bones[name] for name in names]
            ends = [bone.head for bone in bones] + [bones[-1].tail]
            places[rig].append(numpy.array([rig.matrix_world @ end for end in ends]))
    made, gone = [], []
    for rig, names in rigs.items():
        skins = [o for o in things if o.type == "MESH" and any(m.type == "ARMATURE" and m.object == rig for m in o.modifiers)]
        made.append(make_curve(rig, places[rig], radii(rig, names, skins), skins, first))
        gone += [rig, *skins]
    kept = [o for o in things if o not in gone]
    remove(gone)
    scene.frame_set(first)
    return kept + made


def radii(rig, names, skins):
    """Of each joint: how far the vertices that follow it are from its bone, in the middle of them."""
    groups = {name: [] for name in names}
    for skin in skins:
        near = {g.index: g.name for g in skin.vertex_groups}
        for vertex in skin.data.vertices:
            best = max(vertex.groups, key=lambda g: g.weight, default=None)
            if best and near.get(best.group) in groups:
                groups[near[best.group]].append(vertex.co)
    out = []
    for name in names:
        bone = rig.data.bones[name]
        axis = (bone.tail_local - bone.head_local).normalized()
        away = [(p - bone.head_local).cross(axis).length for p in groups[name]]
        out.append(float(numpy.median(away)) if away else 0.01)
    return out + out[-1:]


def make_curve(rig, places, widths, skins, first):
    data = bpy.data.curves.new(rig.name, "CURVE")
    data.dimensions, data.bevel_depth, data.use_fill_caps = "3D", 1.0, True
    spline = data.splines.new("POLY")
    spline.points.add(len(widths) - 1)
    for point, place, width in zip(spline.points, places[0], widths):
        point.co, point.radius = (*place, 1), width
    for material in skins[0].data.materials if skins else ():
        data.materials.append(material)
    thing = bpy.data.objects.new(rig.name, data)
    bpy.data.collections[RUN].objects.link(thing)
    add_keys(thing, places, first)
    for block in data.shape_keys.key_blocks:
        for point, width in zip(block.data, widths):
            point.radius = width
    return thing
