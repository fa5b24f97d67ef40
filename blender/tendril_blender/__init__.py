# SPDX-License-Identifier: MIT
"""Tendril in Blender: grows plants, simulates them, bakes their motion. See docs/guide/blender.md."""

bl_info = {
    "name": "Tendril",
    "description": "Plants from L-systems that sway, bend and collide",
    "author": "The Tendril developers",
    "version": (0, 1, 0),
    "blender": (3, 4, 0),
    "location": "3D View > Sidebar > Tendril",
    "category": "Physics",
}

from . import bake, operators, panel, settings  # noqa: E402

modules = (settings, operators, panel)


class glTF2ImportUserExtension:
    """Blender's glTF import asks for a class of this name. Files of `tendril run` tell how many frames
    they have and how many a second, and the scene follows."""

    def gather_import_gltf_before_hook(self, gltf):
        if not bake.follows_file():
            gltf.data.animations = []  # bake.py makes them, in a fraction of the time
        elif bake.extras_of(gltf):
            bake.set_rate(bake.extras_of(gltf)["fps"])

    def gather_import_scene_after_nodes_hook(self, gltf_scene, blender_scene, gltf):
        if not bake.follows_file():
            bake.remember(gltf.vnodes)

    def gather_import_scene_after_animation_hook(self, gltf_scene, blender_scene, gltf):
        extras = bake.extras_of(gltf)
        if extras and bake.follows_file():
            bake.set_range(int(extras["frames"]))
            bake.set_camera(blender_scene, bake.objects_of(gltf.vnodes))


def register():
    bake.old_names()
    for module in modules:
        module.register()


def unregister():
    for module in reversed(modules):
        module.unregister()
