# SPDX-License-Identifier: MIT
"""What the panel remembers: in the scene, and in the add-on's preferences."""

import bpy


class TendrilPreferences(bpy.types.AddonPreferences):
    bl_idname = __package__

    command: bpy.props.StringProperty(
        name="Command", subtype="FILE_PATH",
        description="The command 'tendril'. Empty: the one on the path, or the Python package")

    def draw(self, _context):
        self.layout.prop(self, "command")


class TendrilSettings(bpy.types.PropertyGroup):
    model: bpy.props.StringProperty(name="Model", subtype="FILE_PATH", description="An L-system, such as rose.lsys")
    seed: bpy.props.IntProperty(name="Seed", default=-1, min=-1, description="Of random choices; -1: as the model says")
    triangles: bpy.props.IntProperty(
        name="Triangles", default=100000, min=0,
        description="At most so many for each plant, and for all of a scene file; 0: as many as it takes")
    live: bpy.props.BoolProperty(name="Grow while dragging", description="Grow again when a slider has moved")
    source: bpy.props.EnumProperty(name="Simulate", items=[
        ("BLENDER", "This scene", "Plants that were grown, with this scene's winds and colliders"),
        ("FILE", "A scene file", "A scene of Tendril, a .yaml file")])
    scene_file: bpy.props.StringProperty(name="Scene", subtype="FILE_PATH", description="A scene of Tendril, .yaml")
    bake: bpy.props.EnumProperty(name="Bake to", items=[
        ("ARMATURE", "Armature", "Bones with keys, and a mesh on them"),
        ("SHAPE_KEYS", "Shape keys", "A mesh with a shape key a frame, for programs that know no bones")])
    curves: bpy.props.BoolProperty(name="Strands as curves", description="What does not branch becomes a curve")


classes = (TendrilPreferences, TendrilSettings)


def command():
    own = bpy.context.preferences.addons.get(__package__)
    return bpy.path.abspath(own.preferences.command) if own and own.preferences.command else ""


def register():
    for one in classes:
        bpy.utils.register_class(one)
    bpy.types.Scene.tendril = bpy.props.PointerProperty(type=TendrilSettings)


def unregister():
    del bpy.types.Scene.tendril
    for one in reversed(classes):
        bpy.utils.unregister_class(one)
