# SPDX-License-Identifier: MIT
"""The add-on in Blender, from its zip: growing, simulating, baking, importing. Runs inside Blender:

    blender --background --factory-startup --python-exit-code 1 --python test_addon.py -- ADDON.zip COMMAND RENDER.png
"""
import math
import os
import pathlib
import subprocess
import sys
import tempfile
import time
import unittest
from types import SimpleNamespace

import bpy
import numpy

ADDON, COMMAND, PICTURE = sys.argv[sys.argv.index("--") + 1:]
ROOT = pathlib.Path(__file__).resolve().parents[2]
REED = """#define LENGTH 0.2 // 0.1..0.4 m
#define PIECES 6   // 2..10
axiom: A(PIECES)
A(n) : n > 0 --> !(0.01)F(LENGTH)A(n-1)
derivation length: 12
"""
ROPE = """
objects:
  - {name: rope, strand: {points: [[0, 2, 0], [1, 2, 0]], segments: 8, radius: 0.02}, start: drawn}
record: {duration: 0.5, fps: 20, probes: [{name: end, object: rope, near: [9, 2, 0]}], energy: false}
"""

bpy.ops.preferences.addon_install(filepath=ADDON)
bpy.ops.preferences.addon_enable(module="tendril_blender")


class Addon(unittest.TestCase):
    def setUp(self):
        for thing in list(bpy.data.objects):
            bpy.data.objects.remove(thing)
        for action in list(bpy.data.actions):
            bpy.data.actions.remove(action)
        self.scene = bpy.context.scene
        self.own = self.scene.tendril
        for key in list(self.own.keys()):
            self.own.property_unset(key)
        bpy.context.preferences.addons["tendril_blender"].preferences.command = COMMAND
        self.scene.frame_start, self.scene.frame_end, self.scene.render.fps = 1, 24, 24
        self.scene.render.fps_base = 1
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def write(self, name, text):
        (self.folder / name).write_text(text)
        return str(self.folder / name)

    def grow(self, text=REED):
        self.own.model = self.write("reed.lsys", text)
        self.assertEqual(bpy.ops.tendril.grow(), {"FINISHED"})
        return bpy.context.object

    def run_objects(self, kind):
        return [o for o in bpy.data.collections["Tendril run"].objects if o.type == kind]

    def top(self, thing, frame):
        """The highest vertex of a mesh as it is drawn in a frame, in the world."""
        self.scene.frame_set(frame)
        posed = thing.evaluated_get(bpy.context.evaluated_depsgraph_get())
        return max((posed.matrix_world @ v.co for v in posed.to_mesh().vertices), key=lambda p: p.z).copy()

    def test_a_model_grows_with_sliders_of_its_defines(self):
        reed = self.grow()
        self.assertAlmostEqual(reed.dimensions.z, 1.2, delta=0.03)
        ui = reed.id_properties_ui("tendril:LENGTH").as_dict()
        self.assertEqual((ui["soft_min"], ui["soft_max"], ui["description"]), (0.1, 0.4, "m"))
        self.assertIsInstance(reed["tendril:PIECES"], int)
        reed["tendril:LENGTH"], reed["tendril:PIECES"] = 0.3, 4
        reed.location.x = 2
        self.assertEqual(bpy.ops.tendril.regrow(), {"FINISHED"})
        self.assertIs(bpy.context.object, reed)  # else the panel would lose its sliders
        self.assertTrue(reed.select_get())
        bpy.context.view_layer.update()
        self.assertAlmostEqual(reed.dimensions.z, 1.2, delta=0.03)
        reed["tendril:PIECES"] = 8
        sys.modules["tendril_blender.operators"].regrow(reed)
        bpy.context.view_layer.update()
        self.assertAlmostEqual(reed.dimensions.z, 2.4, delta=0.03)
        self.assertEqual(reed.location.x, 2)

    def test_wind_of_the_scene_bends_a_plant_over_the_frame_range(self):
        reed = self.grow()
        reed.location = (1, 2, 0)
        bpy.ops.object.effector_add(type="WIND", rotation=(0, math.pi / 2, 0))  # along +X
        bpy.context.object.field.strength = 30
        self.assertEqual(bpy.ops.tendril.simulate(), {"FINISHED"})
        rig, mesh = self.run_objects("ARMATURE")[0], self.run_objects("MESH")[0]
        self.assertEqual(tuple(rig.animation_data.action.frame_range), (1, 24))
        first, last = self.top(mesh, 1), self.top(mesh, 24)
        self.assertAlmostEqual(first.x, 1, delta=0.05)
        self.assertAlmostEqual(first.y, 2, delta=0.05)
        self.assertGreater(last.x, first.x + 0.02)
        self.assertAlmostEqual(last.y, 2, delta=0.05)
        self.assertTrue(reed.hide_get() and reed.hide_render)
        self.assertEqual(self.run_objects("CAMERA"), [])
        self.assertEqual(bpy.ops.tendril.clear(), {"FINISHED"})
        self.assertFalse(reed.hide_get())

    def wind(self, **field):
        bpy.ops.object.effector_add(type="WIND", rotation=(0, math.pi / 2, 0))  # along +X
        for key, value in field.items():
            setattr(bpy.context.object.field, key, value)
        return bpy.context.object

    def test_wind_blows_when_its_keys_say(self):
        self.grow()
        wind = self.wind()
        for frame, strength in ((1, 0), (12, 0), (13, 30)):
            wind.field.strength = strength
            wind.keyframe_insert("field.strength", frame=frame)
        self.scene.frame_set(1)
        self.assertEqual(bpy.ops.tendril.simulate(), {"FINISHED"})
        mesh = self.run_objects("MESH")[0]
        first, calm, last = (self.top(mesh, frame) for frame in (1, 12, 24))
        self.assertLess((calm - first).length, 1e-4)
        self.assertGreater(last.x, first.x + 0.02)

    def loads(self):
        """(about, [velocity in every frame]) of the winds that are sent."""
        found = [load["wind"] for load in sys.modules["tendril_blender.world"].from_blender(self.scene)["loads"]]
        still = [not isinstance(wind["velocity"], dict) for wind in found]
        return [(wind, [wind["velocity"]] * 24 if alone else [value for _, value in wind["velocity"]["keys"]])
                for wind, alone in zip(found, still)]

    def test_wind_turns_with_its_object(self):
        self.grow()
        wind = self.wind(strength=5)
        wind.keyframe_insert("rotation_euler", frame=1)
        wind.rotation_euler = (math.pi / 2, 0, 0)  # along -Y, which is +Z of the simulation
        wind.keyframe_insert("rotation_euler", frame=24)
        ((_, velocities),) = self.loads()
        for found, wanted in ((velocities[0], (5, 0, 0)), (velocities[23], (0, 0, 5))):
            self.assertLess(max(abs(a - b) for a, b in zip(found, wanted)), 1e-4)

    def test_noise_with_keys_changes_turbulence_and_keeps_the_mean(self):
        self.grow()
        wind = self.wind(strength=5)
        for frame, noise in ((1, 0), (24, 4)):
            wind.field.noise = noise
            wind.keyframe_insert("field.noise", frame=frame)
        loads = self.loads()
        self.assertEqual(len(loads), 2)
        for frame in range(24):
            self.assertAlmostEqual(sum(velocities[frame][0] for _, velocities in loads), 5, places=4)
        rough = [velocities[frame][0] * about.get("intensity", 0) for about, velocities in loads for frame in (0, 23)]
        self.assertAlmostEqual(rough[0] + rough[2], 0, places=5)
        self.assertAlmostEqual(rough[1] + rough[3], 5 * 0.4, places=4)

    def test_a_plant_has_no_more_triangles_than_are_set(self):
        self.own.model = str(ROOT / "scenes/plants/rose.lsys")
        self.assertEqual(bpy.ops.tendril.grow(), {"FINISHED"})
        rose = bpy.context.object
        self.assertGreater(len(rose.data.polygons), 50000)
        self.assertLessEqual(len(rose.data.polygons), 100000)
        self.own.triangles = 5000
        self.assertEqual(bpy.ops.tendril.regrow(), {"FINISHED"})
        self.assertLessEqual(len(rose.data.polygons), 5000)
        self.scene.frame_end = 2
        self.assertEqual(bpy.ops.tendril.simulate(), {"FINISHED"})
        self.assertLessEqual(len(self.run_objects("MESH")[0].data.polygons), 5000)

    def test_faults_name_colliders_by_their_objects(self):
        self.grow()
        for name, x in (("Ball far away", 5), ("Ball in the reed", 0)):
            bpy.ops.mesh.primitive_uv_sphere_add(radius=0.3, location=(x, 0, 0.6))
            bpy.context.object.name = name
            bpy.ops.object.modifier_add(type="COLLISION")
        with self.assertRaisesRegex(RuntimeError, "collider 'Ball in the reed'"):
            bpy.ops.tendril.simulate()

    def test_shape_keys_show_what_the_armature_shows(self):
        self.grow().location.y = 1
        bpy.ops.object.effector_add(type="WIND", rotation=(0, math.pi / 2, 0))
        bpy.context.object.field.strength = 30
        self.assertEqual(bpy.ops.tendril.simulate(), {"FINISHED"})
        armature = [self.top(self.run_objects("MESH")[0], f) for f in (1, 12, 24)]
        self.own.bake = "SHAPE_KEYS"
        self.assertEqual(bpy.ops.tendril.simulate(), {"FINISHED"})
        self.assertEqual(self.run_objects("ARMATURE"), [])
        mesh = self.run_objects("MESH")[0]
        self.assertEqual(len(mesh.data.shape_keys.key_blocks), 25)
        for frame, place in zip((1, 12, 24), armature):
            self.assertLess((self.top(mesh, frame) - place).length, 1e-4)

    def test_actions_with_slots_are_known_as_later_blenders_have_them(self):
        # stands for an action of Blender 5.0, which has no `fcurves`: two slots of one strip
        from tendril_blender import bake
        bags = [SimpleNamespace(fcurves=["x of one", "y of one"]), SimpleNamespace(fcurves=["x of another"])]
        layers = [SimpleNamespace(strips=[SimpleNamespace(channelbags=bags)])]
        made = []
        action = SimpleNamespace(layers=layers, fcurve_ensure_for_datablock=lambda owner, path, **_: made.append((owner, path)))
        self.assertEqual(bake.curves_of(action), ["x of one", "y of one", "x of another"])
        bake.new_curve(action, "keys", "path")
        self.assertEqual(made, [("keys", "path")])

    def test_a_pot_that_moves_takes_its_plant_along(self):
        reed = self.grow()
        for frame, x in ((1, 0), (24, 3)):
            reed.location.x = x
            reed.keyframe_insert("location", frame=frame)
        self.assertEqual(bpy.ops.tendril.simulate(), {"FINISHED"})
        self.scene.frame_set(24)
        mesh = self.run_objects("MESH")[0]
        posed = mesh.evaluated_get(bpy.context.evaluated_depsgraph_get())
        foot = min((posed.matrix_world @ v.co for v in posed.to_mesh().vertices), key=lambda p: p.z)
        self.assertAlmostEqual(foot.x, 3, delta=0.05)

    def test_colliders_have_the_kind_that_the_guide_says(self):
        world = sys.modules["tendril_blender.world"]
        self.grow()
        bpy.ops.mesh.primitive_plane_add(size=10)
        ground = bpy.context.object
        ground.name = "Meadow"
        bpy.ops.object.modifier_add(type="COLLISION")
        bpy.ops.mesh.primitive_uv_sphere_add(radius=0.3, location=(1, 2, 3))
        bpy.context.object.name = "Ball"
        bpy.ops.object.modifier_add(type="COLLISION")
        bpy.ops.object.empty_add(type="CUBE", radius=0.5, location=(3, 0, 1))
        bpy.context.object.name = "collider.001"
        bpy.ops.mesh.primitive_cylinder_add(radius=0.1, depth=1, location=(-2, 0, 0), rotation=(math.pi / 2, 0, 0))
        bpy.context.object.name = "collider pole"
        bpy.ops.mesh.primitive_cube_add()  # no collider
        bpy.context.view_layer.update()
        found = {}
        for one in world.from_blender(self.scene)["colliders"]:
            found.update(one)
        self.assertEqual(sorted(found), ["box", "capsule", "plane", "sphere"])
        self.assertEqual([round(x, 5) for x in found["plane"]["position"]], [0, 0, 0])
        self.assertAlmostEqual(found["sphere"]["radius"], 0.3, delta=1e-3)
        self.assertEqual([round(x, 5) for x in found["sphere"]["position"]], [1, 3, -2])
        self.assertEqual([round(x, 5) for x in found["box"]["size"]], [1, 1, 1])
        self.assertAlmostEqual(found["capsule"]["length"], 0.8, delta=1e-3)
        self.assertEqual(bpy.ops.tendril.simulate(), {"FINISHED"})

    def test_a_scene_file_sets_range_and_rate_and_strands_are_curves(self):
        self.own.source, self.own.scene_file, self.own.curves = "FILE", self.write("rope.yaml", ROPE), True
        self.assertEqual(bpy.ops.tendril.simulate(), {"FINISHED"})
        self.assertEqual((self.scene.frame_start, self.scene.frame_end, self.scene.render.fps), (0, 10, 20))
        (rope,) = self.run_objects("CURVE")
        points = rope.data.splines[0].points
        self.assertEqual(len(points), 9)
        self.assertAlmostEqual(points[3].radius, 0.02, delta=0.004)
        end = self.run_rope()[-1]
        place = rope.data.shape_keys.key_blocks["frame 10"].data[8].co
        self.assertLess(max(abs(a - b) for a, b in zip(place, (end[0], -end[2], end[1]))), 1e-3)
        low = self.lowest(rope, 10)
        self.assertLess(low, end[1] + 0.01)
        self.assertGreater(self.lowest(rope, 0), low + 0.2)

    def bake_curves(self, *objects):
        lines = "\n".join(f"  - {text}" for text in objects).replace("PROPS", str(ROOT / "scenes/props"))
        scene = f"objects:\n{lines}\nrecord: {{duration: 0.1, fps: 20, energy: false, page: false}}\n"
        self.own.source, self.own.scene_file, self.own.curves = "FILE", self.write("some.yaml", scene), True
        told = []
        bake = sys.modules["tendril_blender.bake"]
        load_run, bake.load_run = bake.load_run, lambda *given: (told.append(load_run(*given)), told[-1])[1]
        try:
            self.assertEqual(bpy.ops.tendril.simulate(), {"FINISHED"})
        finally:
            bake.load_run = load_run
        return {curve.name: curve for curve in self.run_objects("CURVE")}, told[0][1]

    def test_locks_of_hair_are_splines_of_one_curve(self):
        curves, told = self.bake_curves("{name: hair, solver: helix, plant: PROPS/locks.lsys, define: {LOCKS: 4}}")
        self.assertEqual((list(curves), told), (["hair"], []))
        self.assertEqual(len(curves["hair"].data.splines), 4)
        self.assertEqual(self.run_objects("MESH") + self.run_objects("ARMATURE"), [])

    def test_what_is_not_a_stem_stays_a_mesh_beside_the_curve(self):
        cord = "{name: cord, start: drawn, strand: {points: [[0, 2, 0], [1, 2, 0]], segments: 8, radius: 0.02, " \
               "bodies: [{at: 0.5, mass: 0.1, size: [0.1, 0.2, 0.3]}]}}"
        curves, told = self.bake_curves(cord, "{name: braid, plant: PROPS/braid.lsys, position: [0, 0, 2]}")
        self.assertEqual((sorted(curves), told), (["braid", "cord"], []))
        self.assertEqual(len(curves["cord"].data.splines[0].points), 9)
        box = bpy.data.objects["cord organs"]
        self.assertEqual(len(box.data.polygons), 12)
        self.assertAlmostEqual(self.lowest(box, 0), 1.95, delta=1e-4)
        self.assertLess(self.lowest(box, 2), self.lowest(box, 0) - 0.01)
        self.assertGreater(len(bpy.data.objects["braid organs"].data.polygons), 1000)

    def test_what_has_no_curve_says_why(self):
        curves, told = self.bake_curves("{name: sprig, plant: PROPS/tree-of-fifty.lsys}",
                                        "{name: plumb, strand: {points: [[0, 2, 0], [0, 1, 0]], tip_mass: 0.1}}")
        self.assertEqual((curves, sorted(told)), ({}, ["plumb has beads", "sprig branches"]))

    def test_bones_move_as_in_an_import_by_blender_and_are_made_in_less_time(self):
        hair = "objects: [{name: hair, solver: helix, plant: PROPS/locks.lsys, define: {COIL: 0.011, PITCH: 0.12}, " \
               "position: {keys: [[0, [0, 0, 0]], [1, [0.3, 0.1, 0.2]]]}, " \
               "rotation: {keys: [[0, {axis: [0, 1, 0], degrees: 0}], [1, {axis: [1, 1, 0], degrees: 70}]]}}]\n" \
               "record: {duration: 1, fps: 100, energy: false, page: false}\n"
        path = self.write("hair.yaml", hair.replace("PROPS", str(ROOT / "scenes/props")))
        subprocess.run([COMMAND, "run", path, "-o", self.folder / "run", "--triangles", "2000"], check=True,
                       capture_output=True)
        clip = str(self.folder / "run" / "scene.glb")
        began = time.process_time()
        bpy.ops.import_scene.gltf(filepath=clip, bone_heuristic="BLENDER")
        theirs = time.process_time() - began
        (rig,) = [o for o in bpy.data.objects if o.type == "ARMATURE"]
        wanted = {frame: self.heads(rig, frame) for frame in (0, 31, 100)}
        for thing in list(bpy.data.objects):
            bpy.data.objects.remove(thing)
        bake = sys.modules["tendril_blender.bake"]
        began = time.process_time()
        with bake.keeping_range():
            bake.remove(bake.load(clip))
        bare = time.process_time() - began  # of bones and mesh without keys
        began = time.process_time()
        bake.load_run(clip, 0)
        ours = time.process_time() - began
        (rig,) = self.run_objects("ARMATURE")
        for frame, places in wanted.items():
            found = self.heads(rig, frame)
            self.assertEqual(len(found), 600)
            self.assertLess(max((a - b).length for a, b in zip(found, places)), 2e-5)
        print(f"600 bones, {bare:.2f} s; their keys in 101 frames {ours - bare:.2f} s, by Blender {theirs - bare:.2f} s")
        self.assertLess(ours - bare, 0.6 * (theirs - bare))

    def heads(self, rig, frame):
        self.scene.frame_set(frame)
        return [rig.matrix_world @ rig.pose.bones[f"hair-{i}"].head for i in range(600)]

    def run_rope(self):
        """Where the rope's end is in every frame, by the command."""
        path = self.write("rope.yaml", ROPE)
        subprocess.run([COMMAND, "run", path, "-o", self.folder / "run"], check=True, capture_output=True)
        rows = (self.folder / "run" / "probes.csv").read_text().splitlines()[1:]
        return [[float(v) for v in row.split(",")[1:]] for row in rows]

    def lowest(self, thing, frame):
        self.scene.frame_set(frame)
        posed = thing.evaluated_get(bpy.context.evaluated_depsgraph_get())
        return min((posed.matrix_world @ v.co).z for v in posed.to_mesh().vertices)

    def test_a_plain_import_has_the_range_the_rate_and_the_camera(self):
        self.run_rope()
        bpy.ops.preferences.addon_disable(module="tendril_blender")
        old = vars(numpy).pop("bool", None) if numpy.__version__ < "2" else None  # as in a Blender just started
        bpy.ops.preferences.addon_enable(module="tendril_blender")
        self.assertIs(numpy.bool, old or numpy.bool)
        bpy.ops.import_scene.gltf(filepath=str(self.folder / "run" / "scene.glb"))
        self.assertEqual((self.scene.frame_start, self.scene.frame_end, self.scene.render.fps), (0, 10, 20))
        self.assertEqual((self.scene.camera.type, self.scene.camera.name), ("CAMERA", "camera"))
        self.assertTrue(any(o.type == "ARMATURE" and o.animation_data.action for o in bpy.data.objects))

    def test_the_package_does_without_the_command(self):
        engine = sys.modules["tendril_blender.engine"]
        try:
            import tendril
        except ImportError:
            self.skipTest("the Python package is not installed")
        shares = []
        engine.simulate(("package", tendril), self.write("rope.yaml", ROPE), str(self.folder / "a.glb"), shares.append)
        engine.simulate(("command", COMMAND), self.write("rope.yaml", ROPE), str(self.folder / "b.glb"), lambda _: None)
        self.assertEqual(engine.frames_of(str(self.folder / "a.glb")), engine.frames_of(str(self.folder / "b.glb")))
        self.assertEqual(shares[-1], 1)
        engine.grow(("package", tendril), self.write("reed.lsys", REED), str(self.folder / "c.glb"), 3, {"PIECES": 3})
        self.assertTrue((self.folder / "c.glb").exists())

    def test_a_simulation_can_be_cancelled(self):
        engine = sys.modules["tendril_blender.engine"]
        long = ROPE.replace("duration: 0.5", "duration: 10000")
        job = engine.Job(("command", COMMAND), self.write("rope.yaml", long), str(self.folder / "a.glb"))
        job.start()
        while job.share == 0 and job.is_alive():
            job.join(0.05)
        self.assertTrue(0 < job.share < 1, job.fault)
        job.cancel()
        self.assertFalse(job.is_alive())
        self.assertTrue(job.cancelled and not job.fault)

    def test_what_is_wrong_is_told(self):
        for model, told in ((self.write("bad.lsys", "axiom: F("), "bad.lsys:1:"), ("/nowhere.lsys", "/nowhere.lsys")):
            self.own.model = model
            with self.assertRaisesRegex(RuntimeError, told):
                bpy.ops.tendril.grow()
        with self.assertRaisesRegex(RuntimeError, "grow a plant first"):
            bpy.ops.tendril.simulate()
        bpy.context.preferences.addons["tendril_blender"].preferences.command = "/nowhere/tendril"
        with self.assertRaisesRegex(RuntimeError, "is not a program"):
            bpy.ops.tendril.simulate()

    def test_a_rose_in_wind_is_rendered(self):
        self.own.model = str(ROOT / "scenes/plants/rose.lsys")
        self.assertEqual(bpy.ops.tendril.grow(), {"FINISHED"})
        bpy.ops.object.effector_add(type="WIND", rotation=(0, math.pi / 2, 0))
        bpy.context.object.field.strength = 6
        self.assertEqual(bpy.ops.tendril.simulate(), {"FINISHED"})
        bpy.ops.object.light_add(type="SUN", rotation=(0.6, 0.3, 0))
        bpy.context.object.data.energy = 4
        bpy.ops.object.camera_add(location=(0.1, -1.9, 0.45), rotation=(math.radians(89), 0, 0))
        self.scene.camera = bpy.context.object
        render = self.scene.render
        render.engine, render.resolution_x, render.resolution_y, render.resolution_percentage = "CYCLES", 480, 360, 100
        self.scene.cycles.samples, self.scene.cycles.use_denoising = 8, False
        self.scene.world.color = (0.5, 0.6, 0.7)
        render.filepath = os.path.abspath(PICTURE)
        self.scene.frame_set(20)
        bpy.ops.render.render(write_still=True)
        self.assertGreater(os.path.getsize(PICTURE), 20000)


result = unittest.main(argv=["test_addon"], exit=False, verbosity=1).result
sys.exit(0 if result.wasSuccessful() and result.testsRun > 0 else 1)
