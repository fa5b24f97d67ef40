# SPDX-License-Identifier: MIT
"""The panel in the sidebar of the 3D view."""

import bpy

from . import bake, operators, world


class TENDRIL_PT_panel(bpy.types.Panel):
    bl_label, bl_idname = "Tendril", "TENDRIL_PT_panel"
    bl_space_type, bl_region_type, bl_category = "VIEW_3D", "UI", "Tendril"

    def draw(self, context):
        own, layout = context.scene.tendril, self.layout
        box = layout.box()
        box.prop(own, "model")
        box.prop(own, "seed")
        box.prop(own, "triangles")
        box.operator("tendril.grow", icon="OUTLINER_OB_FORCE_FIELD")
        if context.object is not None and world.MODEL in context.object:
            self.draw_sliders(box, context.object, own)
        self.draw_simulation(layout.box(), context, own)

    def draw_sliders(self, box, thing, own):
        column = box.column(align=True)
        column.label(text=thing.name)
        column.prop(thing, f'["{world.SEED}"]', text="Seed")
        for key in [k for k in thing.keys() if k.startswith(world.DEFINE)]:
            column.prop(thing, f'["{key}"]', text=key[len(world.DEFINE):], slider=True)
        box.prop(own, "live")
        box.operator("tendril.regrow", icon="FILE_REFRESH")

    def draw_simulation(self, box, context, own):
        scene, job = context.scene, operators.current
        box.prop(own, "source")
        if own.source == "FILE":
            box.prop(own, "scene_file")
        else:
            row = box.row(align=True)
            row.prop(scene, "frame_start", text="Start")
            row.prop(scene, "frame_end", text="End")
            found = sum(1 for o in scene.objects if world.collider_kind(o) and world.MODEL not in o)
            box.label(text=f"Plants {len(world.grown(scene))}, winds {len(world.winds_of(scene))}, colliders {found}")
        box.prop(own, "bake")
        box.prop(own, "curves")
        if job is None:
            box.operator("tendril.simulate", icon="PLAY")
        else:
            box.label(text=f"Simulating: {100 * job.share:.0f} %")
            box.operator("tendril.cancel", icon="X")
        if bake.RUN in bpy.data.collections:
            box.operator("tendril.clear", icon="TRASH")


def register():
    bpy.utils.register_class(TENDRIL_PT_panel)


def unregister():
    bpy.utils.unregister_class(TENDRIL_PT_panel)
