# SPDX-License-Identifier: MIT
"""Motion as Blender has it: armatures with keys, meshes with shape keys, curves."""

import contextlib
import sys

import bmesh
import bpy
import numpy

from . import motion

RUN = "Tendril run"  # the collection of what was simulated
_follows = True      # imports set rate and range of the scene
_nodes = {}          # of our own import: (object, name of its bone or None) by the number of the file's node


def old_names():
    """Blender 3.4's importer calls numpy's bool by a name that numpy 1.24 has dropped."""
    if "bool" not in vars(numpy):
        numpy.bool = bool


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


def set_camera(scene, objects):
    """The file's camera, in a scene that has none."""
    if scene.camera is None:
        scene.camera = next((o for o in objects if o.type == "CAMERA"), None)


# Later importers would add a mesh that stands for bones (4.0), and a collection (5.0).
IMPORT = {"bone_heuristic": "BLENDER", "disable_bone_shape": True, "import_scene_as_collection": False}


def objects_of(nodes):
    return [o for o in (getattr(node, "blender_object", None) for node in nodes.values()) if o]


def remember(nodes):
    """Called by the importer: keeps the objects and bones that it has made of the file's nodes."""
    _nodes.clear()
    for number, node in nodes.items():
        if not isinstance(number, int):
            continue
        bone = getattr(node, "blender_bone_name", None)
        _nodes[number] = getattr(nodes[node.bone_arma] if bone else node, "blender_object", None), bone


def load(path):
    """Imports a .glb file. Gives the new objects."""
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


def load_run(path, start, shape_keys=False, curves=False):
    """Imports a run into its collection, in place of the run before; its first frame is `start`. Gives the new
    objects, and sentences on what could not be done."""
    old = bpy.data.collections.get(RUN)
    if old:
        remove(list(old.objects))
        bpy.data.collections.remove(old)
    run = motion.Motion(path)
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
    # colliders and the camera are Blender's own
    props = [o for o in things if o.type == "CAMERA" or o.name.startswith("collider-")]
    remove(props)
    left = {o for o in things if o not in props}
    told = []
    for skin in run.skins:
        rig = _nodes[skin.base][0]
        mesh = next(o for o in left if o.type == "MESH" and any(m.type == "ARMATURE" and m.object == rig for m in o.modifiers))
        why = to_curve(run, skin, rig, mesh, start) if curves else ""
        if why:
            told.append(why)
        if curves and not why and not mesh.data.vertices:
            left -= {rig, mesh}
            remove([mesh, rig])
        elif shape_keys:
            to_shape_keys(run, skin, mesh, start)
            left.discard(rig)
            remove([rig])
        else:
            move_bones(run, skin, rig, start)
    for number, (thing, bone) in _nodes.items():
        if bone is None and thing in left:
            move_object(run, number, thing, start)
    _nodes.clear()
    return list(folder.objects), told


def curves_of(action):
    """All of them. Since Blender 4.4 each slot has its own; `fcurves` has those of the first, and is gone in 5.0."""
    if hasattr(action, "layers"):
        strips = [strip for layer in action.layers for strip in layer.strips]
        return [curve for strip in strips for bag in strip.channelbags for curve in bag.fcurves]
    return list(action.fcurves)


def new_curve(action, owner, path, index=0, group=""):
    """A curve of `owner`, which has this action already: since Blender 4.4 it needs a slot there."""
    if hasattr(action, "fcurve_ensure_for_datablock"):
        return action.fcurve_ensure_for_datablock(owner, path, index=index, group_name=group)
    return action.fcurves.new(path, index=index, action_group=group)


def action_of(owner, name):
    if owner.animation_data is None or owner.animation_data.action is None:
        owner.animation_data_create().action = bpy.data.actions.new(name)
    return owner.animation_data.action


LINEAR, CONSTANT = (bpy.types.Keyframe.bl_rna.properties["interpolation"].enum_items[kind].value
                    for kind in ("LINEAR", "CONSTANT"))


def put_keys(owner, path, values, start, steps=False, group=""):
    """A key in every frame for each column of `values`; one key where a column never changes."""
    action = action_of(owner, f"{owner.name} run")
    keys = numpy.empty((len(values), 2), numpy.float32)
    keys[:, 0] = numpy.arange(start, start + len(values))
    kind = numpy.full(len(values), CONSTANT if steps else LINEAR, numpy.int32)
    changes = (values != values[0]).any(0)
    for index in range(values.shape[1]):
        count = len(values) if changes[index] else 1
        keys[:, 1] = values[:, index]
        points = new_curve(action, owner, path, index, group).keyframe_points
        points.add(count)
        points.foreach_set("co", keys[:count].ravel())
        points.foreach_set("interpolation", kind[:count])


# ---- armatures ------------------------------------------------------------------------------

PATHS = {"translation": "location", "rotation": "rotation_quaternion", "scale": "scale"}


def move_object(run, node, thing, start):
    for path, own in PATHS.items():
        channel = run.channel(node, path)
        if channel:
            put_keys(thing, own, channel[0], start, channel[1])


def matrices_of(bones, path, names):
    """A property of bones that is a matrix, in the order of `names`."""
    flat = numpy.empty(16 * len(bones), numpy.float32)
    bones.foreach_get(path, flat)
    place = {bone.name: i for i, bone in enumerate(bones)}
    return flat.reshape(-1, 4, 4).transpose(0, 2, 1)[[place[name] for name in names]].astype(float)


def bone_turns(run, skin, rig):
    """What joint_keys() asks for: how each bone is turned against its joint, and lies at ease on its parent."""
    bpy.context.view_layer.update()
    names = [_nodes[node][1] for node in skin.joints]
    posed, ease = matrices_of(rig.pose.bones, "matrix", names), matrices_of(rig.data.bones, "matrix_local", names)
    turns = run.first(skin.joints, "rotation")
    for i, parent in enumerate(skin.parents):
        if parent >= 0:
            turns[i] = motion.multiply(turns[parent], turns[i])
    kept = motion.multiply(motion.inverse(turns), motion.quaternions(posed[:, :3, :3]))
    below = numpy.where(skin.parents[:, None, None] < 0, numpy.eye(4), ease[skin.parents])
    relative = numpy.linalg.inv(below) @ ease
    return kept, (motion.quaternions(relative[:, :3, :3]), relative[:, :3, 3])


def move_bones(run, skin, rig, start):
    kept, relative = bone_turns(run, skin, rig)
    for path in ("translation", "rotation"):
        moving, values = run.joint_keys(skin, kept, relative, path)
        for k, joint in enumerate(moving):
            name = _nodes[skin.joints[joint]][1]
            put_keys(rig, f'pose.bones["{bpy.utils.escape_identifier(name)}"].{PATHS[path]}', values[:, k], start,
                     group=name)


# ---- shape keys -----------------------------------------------------------------------------

def weights_of(mesh, joints):
    """(joints, weights) of every vertex, four each at most, the largest first."""
    numbers = {group.index: joints[group.name] for group in mesh.vertex_groups if group.name in joints}
    which, weights = numpy.zeros((len(mesh.data.vertices), 4), int), numpy.zeros((len(mesh.data.vertices), 4))
    for i, vertex in enumerate(mesh.data.vertices):
        best = sorted(((g.weight, numbers[g.group]) for g in vertex.groups if g.group in numbers), reverse=True)[:4]
        for k, (weight, joint) in enumerate(best):
            which[i, k], weights[i, k] = joint, weight
    return which, weights / numpy.maximum(weights.sum(1, keepdims=True), 1e-12)


def joints_of(skin):
    return {_nodes[node][1]: i for i, node in enumerate(skin.joints)}


def to_shape_keys(run, skin, mesh, start):
    """A mesh with a shape key a frame in place of one on an armature, in the axes of the world."""
    which, weights = weights_of(mesh, joints_of(skin))
    rest = numpy.empty((len(mesh.data.vertices), 3), numpy.float32)
    mesh.data.vertices.foreach_get("co", rest.ravel())
    weights, (turns, places), (drawn_turns, drawn_places) = weights.astype(numpy.float32), run.poses(skin), skin.bind
    frames = []
    for turn, place in zip(turns, places):
        # from the bind pose to that of the frame: x -> R (x - o) + p, with R = Q Q_bind^T
        matrix = motion.matrices(turn) @ drawn_turns.transpose(0, 2, 1)
        offset = place - numpy.einsum("nij,nj->ni", matrix, drawn_places)
        mixed = numpy.einsum("vk,vkij->vij", weights, matrix.astype(numpy.float32)[which])
        shift = numpy.einsum("vk,vki->vi", weights, offset.astype(numpy.float32)[which])
        frames.append(numpy.einsum("vij,vj->vi", mixed, rest) + shift)
    mesh.parent = None
    mesh.matrix_world.identity()
    mesh.modifiers.clear()
    mesh.vertex_groups.clear()
    mesh.data = mesh.data.copy() if mesh.data.users > 1 else mesh.data
    add_keys(mesh, frames, start)


def add_keys(thing, places, first):
    """One key a frame: 1 in its own frame, 0 in those beside it, linear between them."""
    thing.shape_key_add(name="Basis", from_mix=False)
    keys = thing.data.shape_keys
    action = action_of(keys, f"{thing.name} run")
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

def to_curve(run, skin, rig, mesh, start):
    """The stems of an object that does not branch as one curve, a spline a strand, with a shape key a frame; its
    mesh keeps the organs only. Gives why it stays a mesh; "" when it does not."""
    strands = skin.strands()
    if strands is None:
        return f"{skin.name} branches"
    if not strands:
        return f"{skin.name} has no stem"
    if skin.has_beads():
        return f"{skin.name} has beads"
    turns, places = run.poses(skin)
    frames, widths = [], []
    for row in strands:
        end = places[:, row[-1]] + motion.rotate(turns[:, row[-1]], (0, 0, skin.stems[row[-1], 0]))
        frames.append(numpy.concatenate((places[:, row], end[:, None]), 1))
        widths.append([*skin.stems[row, 1], skin.stems[row[-1], 2]])
    mesh.name = f"{skin.name} organs"
    make_curve(skin.name, frames, widths, mesh.data.materials, start)
    keep_organs(skin, mesh)
    return ""


def make_curve(name, frames, widths, materials, start):
    """Places are [frame, point] of each spline, widths those of its points."""
    data = bpy.data.curves.new(name, "CURVE")
    data.dimensions, data.bevel_depth, data.use_fill_caps = "3D", 1.0, True
    for places, width in zip(frames, widths):
        spline = data.splines.new("POLY")
        spline.points.add(len(width) - 1)
        spline.points.foreach_set("co", numpy.concatenate((places[0], numpy.ones((len(width), 1))), 1).ravel())
        spline.points.foreach_set("radius", width)
    if materials:
        data.materials.append(materials[0])  # that of stems
    thing = bpy.data.objects.new(name, data)
    bpy.data.collections[RUN].objects.link(thing)
    add_keys(thing, numpy.concatenate(frames, 1).astype(numpy.float32), start)
    radii = numpy.concatenate(widths)
    for block in data.shape_keys.key_blocks:
        block.data.foreach_set("radius", radii)
    return thing


def keep_organs(skin, mesh):
    which, _ = weights_of(mesh, joints_of(skin))
    stem = skin.stems[which[:, 0], 0] > 0
    mesh.data = mesh.data.copy() if mesh.data.users > 1 else mesh.data
    made = bmesh.new()
    made.from_mesh(mesh.data)
    bmesh.ops.delete(made, geom=[v for v, gone in zip(made.verts, stem) if gone], context="VERTS")
    made.to_mesh(mesh.data)
    made.free()
