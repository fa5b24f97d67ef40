# SPDX-License-Identifier: MIT
"""What the panel's buttons do."""

import os
import tempfile

import bpy

from . import bake, defines, engine, settings, world

LIVE_SECONDS = 0.3  # between two looks at the sliders
current = None  # the job that runs


# ---- growing --------------------------------------------------------------------------------

def read_model(path):
    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            return file.read()
    except OSError as error:
        raise engine.Fault(f"{path}: {error.strerror}") from None


def make_mesh(model, seed, values):
    """A new object with the mesh of a model."""
    with tempfile.TemporaryDirectory() as folder, bake.keeping_range():
        path = os.path.join(folder, "plant.glb")
        triangles = bpy.context.scene.tendril.triangles
        engine.grow(engine.find(settings.command()), model, path, seed, values, triangles)
        things = bake.load(path)
    meshes = [o for o in things if o.type == "MESH"]
    if not meshes:
        raise engine.Fault(f"{model} has nothing to draw")
    bake.remove([o for o in things if o is not meshes[0]])
    return meshes[0]


def add_sliders(thing, text):
    for one in defines.read(text):
        key = world.DEFINE + one.name
        thing[key] = int(one.value) if one.whole else one.value
        number = int if one.whole else float
        thing.id_properties_ui(key).update(soft_min=number(one.low), soft_max=number(one.high),
                                           default=number(one.value), description=one.text)


def regrow(thing):
    """Grows an object again from its sliders; place, name and modifiers stay, and so does the selection."""
    layer = bpy.context.view_layer
    active, chosen = layer.objects.active, [o for o in layer.objects if o.select_get()]
    made = make_mesh(bpy.path.abspath(thing[world.MODEL]), int(thing.get(world.SEED, -1)), world.defines_of(thing))
    old, thing.data = thing.data, made.data
    bpy.data.objects.remove(made)
    layer.objects.active = active
    for other in chosen:
        other.select_set(True)
    if old.users == 0:
        bpy.data.meshes.remove(old)
    thing["tendril_grown"] = str(wanted(thing))


def wanted(thing):
    return sorted(world.defines_of(thing).items()), int(thing.get(world.SEED, -1))


class TENDRIL_OT_grow(bpy.types.Operator):
    """Grow the model as a new object, with a slider for each number that it names"""
    bl_idname, bl_label, bl_options = "tendril.grow", "Grow", {"REGISTER", "UNDO"}

    def execute(self, context):
        own = context.scene.tendril
        path = bpy.path.abspath(own.model)
        try:
            text = read_model(path)
            thing = make_mesh(path, own.seed, {})
        except engine.Fault as fault:
            self.report({"ERROR"}, str(fault))
            return {"CANCELLED"}
        thing.name = os.path.splitext(os.path.basename(path))[0]
        thing[world.MODEL], thing[world.SEED] = path, own.seed
        add_sliders(thing, text)
        thing["tendril_grown"] = str(wanted(thing))
        thing.location = context.scene.cursor.location
        context.view_layer.objects.active = thing
        return {"FINISHED"}


class TENDRIL_OT_regrow(bpy.types.Operator):
    """Grow the active object again, with the values of its sliders"""
    bl_idname, bl_label, bl_options = "tendril.regrow", "Grow again", {"REGISTER", "UNDO"}

    @classmethod
    def poll(cls, context):
        return context.object is not None and world.MODEL in context.object

    def execute(self, context):
        try:
            regrow(context.object)
        except engine.Fault as fault:
            self.report({"ERROR"}, str(fault))
            return {"CANCELLED"}
        return {"FINISHED"}


def look_at_sliders():
    """A timer: objects whose sliders have moved grow again."""
    scene = bpy.context.scene
    if scene and scene.tendril.live and current is None:
        for thing in world.grown(scene):
            if thing.get("tendril_grown") != str(wanted(thing)):
                try:
                    regrow(thing)
                except engine.Fault:
                    thing["tendril_grown"] = str(wanted(thing))  # once is enough; the button tells why
    return LIVE_SECONDS


# ---- simulating -----------------------------------------------------------------------------

class TENDRIL_OT_simulate(bpy.types.Operator):
    """Simulate over the frame range, and bake the motion"""
    bl_idname, bl_label, bl_options = "tendril.simulate", "Simulate", {"REGISTER"}

    @classmethod
    def poll(cls, context):
        return current is None

    def execute(self, context):
        if not self.start(context):
            return {"CANCELLED"}
        current.join()
        return self.end(context)

    def invoke(self, context, _event):
        if not self.start(context):
            return {"CANCELLED"}
        self.timer = context.window_manager.event_timer_add(0.1, window=context.window)
        context.window_manager.progress_begin(0, 100)
        context.window_manager.modal_handler_add(self)
        return {"RUNNING_MODAL"}

    def modal(self, context, event):
        if event.type == "ESC" and current.is_alive():
            current.cancel()
        if event.type != "TIMER":
            return {"PASS_THROUGH"}
        context.window_manager.progress_update(round(100 * current.share))
        for area in context.screen.areas:
            area.tag_redraw()
        if current.is_alive():
            return {"PASS_THROUGH"}
        context.window_manager.event_timer_remove(self.timer)
        context.window_manager.progress_end()
        return self.end(context)

    def start(self, context):
        global current
        own = context.scene.tendril
        self.from_file, triangles = own.source == "FILE", own.triangles
        try:
            what = engine.find(settings.command())
            if self.from_file:
                read_model(bpy.path.abspath(own.scene_file))
                scene = bpy.path.abspath(own.scene_file)
            else:
                scene = world.from_blender(context.scene)
                if not scene["objects"]:
                    raise engine.Fault("grow a plant first: there is nothing to simulate in this scene")
                triangles *= len(scene["objects"])
        except engine.Fault as fault:
            self.report({"ERROR"}, str(fault))
            return False
        self.folder = tempfile.TemporaryDirectory()
        current = engine.Job(what, scene, os.path.join(self.folder.name, "motion.glb"), triangles)
        current.start()
        return True

    def end(self, context):
        global current
        job, current = current, None
        if job.cancelled:
            self.report({"INFO"}, "Cancelled")
        elif job.fault:
            self.report({"ERROR"}, job.fault)
        else:
            self.bake(context, job.out)
        self.folder.cleanup()
        return {"CANCELLED"} if job.cancelled or job.fault else {"FINISHED"}

    def bake(self, context, path):
        scene, own = context.scene, context.scene.tendril
        if self.from_file:
            frames, fps = engine.frames_of(path)
            bake.set_rate(fps)
            bake.set_range(frames)
        plants = world.grown(scene)
        _, told = bake.load_run(path, scene.frame_start, own.bake == "SHAPE_KEYS", own.curves)
        if told:
            self.report({"WARNING"}, "no curves: " + ", ".join(told))
        for thing in plants if not self.from_file else ():
            thing.hide_render = True
            thing.hide_set(True)
        scene.frame_set(scene.frame_start)


class TENDRIL_OT_cancel(bpy.types.Operator):
    """Stop the simulation"""
    bl_idname, bl_label = "tendril.cancel", "Cancel"

    def execute(self, _context):
        if current is not None:
            current.cancel()
        return {"FINISHED"}


class TENDRIL_OT_clear(bpy.types.Operator):
    """Remove the simulated motion, and show the plants as they were grown"""
    bl_idname, bl_label, bl_options = "tendril.clear", "Remove the run", {"REGISTER", "UNDO"}

    @classmethod
    def poll(cls, context):
        return bake.RUN in bpy.data.collections and current is None

    def execute(self, context):
        old = bpy.data.collections[bake.RUN]
        bake.remove(list(old.objects))
        bpy.data.collections.remove(old)
        for thing in world.grown(context.scene):
            thing.hide_render = False
            thing.hide_set(False)
        return {"FINISHED"}


classes = (TENDRIL_OT_grow, TENDRIL_OT_regrow, TENDRIL_OT_simulate, TENDRIL_OT_cancel, TENDRIL_OT_clear)


def register():
    for one in classes:
        bpy.utils.register_class(one)
    bpy.app.timers.register(look_at_sliders, first_interval=LIVE_SECONDS, persistent=True)


def unregister():
    if current is not None:
        current.cancel()
    if bpy.app.timers.is_registered(look_at_sliders):
        bpy.app.timers.unregister(look_at_sliders)
    for one in reversed(classes):
        bpy.utils.unregister_class(one)
