"""Calls of the whole package in random order with random arguments: random_calls.py [SEED] [SECONDS].

Method   A round makes models, skeletons and worlds, then calls that are drawn from the tables below.
         Arguments are mostly sound, now and then strange. Things and arrays are dropped at random, so
         that what was freed too early is used. scripts/check-python-memory.sh runs it under a sanitizer.
Claims   Nothing crashes. A refusal is in the package's own words, not in cffi's. Arrays that were kept
         stay as they were. The energy of a world is that of its actors. In a minute every call is drawn.
Asking   TRACE=1 tells every call before it is made.
"""

import copy
import gc
import os
import pathlib
import pickle
import random
import sys
import tempfile
import time

import numpy as np

import tendril

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
REFUSALS = (tendril.Error, TypeError, ValueError, IndexError, KeyError, RuntimeError, OSError, ArithmeticError, MemoryError)
RAW = ("cdata", "ctype", "cffi", "initializer for", "PyObject", "bad argument to internal", "object has no attribute")
STRANGE = [None, -1, 0, 1 << 40, -(1 << 70), float("nan"), float("inf"), "", "x" * 300, "a\0b", b"x", [], [1, 2], {}, "rope0",
           object(), np.zeros((3, 3)), True, 1e300, -0.0]
TEXTS = ["axiom: F\nderivation length: 3\nF --> F[+F]F\n",
         "derivation length: 5\naxiom: A\nA --> F[+A]A : 0.5\nA --> F[-A] : 0.5\n",
         "#define N 4\nderivation length: N\nmaterial: 0 herb-stem\nlength unit: 0.05\nsurface: L leaf\naxiom: !(0.1)A\n"
         "A --> F[&(50)~L(1)]/(137)A\n",
         '#include "r.h"\naxiom: A\nderivation length: 2\nA --> GROWN\n', "axiom: F(\n", "", "axiom: \xe9\0\n"]
FILES = {"r.h": "#define GROWN F[+A]F\n"}


class Play:
    """What lives: things by their kind, and arrays with the bytes that they had."""

    def __init__(self, seed, folder):
        self.dice, self.folder = random.Random(seed), folder
        self.things = {kind: [] for kind in ("model", "plant", "skeleton", "mesh", "world", "actor", "collider", "grab",
                                             "recording", "builder")}
        self.kept, self.saves = [], []

    def maybe(self, share):
        return self.dice.random() < share

    def number(self, low, high):
        return self.dice.choice(STRANGE) if self.maybe(0.03) else self.dice.uniform(low, high)

    def seconds(self, high):
        if self.maybe(0.05):
            return self.dice.choice([None, -1, float("nan"), float("inf"), "x", -0.0, 0])
        return self.dice.uniform(0, high)

    def count(self, high):
        if self.maybe(0.05):
            return self.dice.choice([s for s in STRANGE if not (isinstance(s, int) and s > 10)])  # which would take for ever
        return self.dice.randint(0, high)

    def point(self, size=1.0):
        return self.dice.choice(STRANGE) if self.maybe(0.03) else [self.dice.uniform(-size, size) for _ in range(3)]

    def thing(self, kind):
        return self.dice.choice(self.things[kind])

    def add(self, kind, thing):
        room = self.things[kind]
        room.append(thing)
        if len(room) > 4:
            room.pop(self.dice.randrange(len(room)))

    def keep(self, array):
        if self.maybe(0.3) and array.size:
            self.kept.append((array, array.tobytes()))
            if len(self.kept) > 12:
                self.kept.pop(self.dice.randrange(12))

    def check_kept(self):
        for array, then in self.kept:
            assert array.tobytes() == then, "an array that was kept has changed"


# ---- making -----------------------------------------------------------------------------------


def make_model(p):
    text = p.dice.choice(TEXTS)
    p.add("model", tendril.Model(text=text, files=FILES, defines={"N": p.count(5)} if "#define N" in text else None))


def grow(p):
    p.add("plant", p.thing("model").grow(p.count(5) if p.maybe(0.6) else None, p.count(99) if p.maybe(0.5) else None))


def make_strand(p, k):
    return {"name": f"rope{k}", "start": "drawn", "solver": p.dice.choice(["tree", "tree", "rod", "helix"]), "strand": {
        "points": [[k, 1, 0], [k + 0.5, 1, 0.1]], "segments": p.dice.choice([1, 4, 20, 20, 60, 200]), "radius": p.number(0.004, 0.01)}}


def make_scene(p):
    objects = [make_strand(p, k) for k in range(p.dice.randint(0 if p.maybe(0.05) else 1, 3))]
    if p.things["skeleton"] and p.maybe(0.3):
        objects.append({"name": "grown", "start": "drawn", "position": [-2, 0, 0], "skeleton": p.thing("skeleton")})
    scene = {"name": "random", "objects": objects, "record": {"fps": 30, "duration": 0.1, "probes": [{"name": "end", "object": "rope0"}]}}
    if p.maybe(0.3):
        scene["loads"] = [{"wind": {"velocity": p.point(3)}}]
    if p.maybe(0.3):
        scene["colliders"] = [{"plane": {"position": [0, p.number(0.3, 0.9), 0]}}]
        scene["contact"] = {}
    return scene


def make_world(p):
    p.add("world", tendril.World(make_scene(p), files=FILES, threads=p.dice.choice([1, 1, 2]), hold_blocked=p.maybe(0.2),
                                no_growth=p.maybe(0.2), near_pairs=4 * p.maybe(0.2)))


def make_builder(p):
    p.add("builder", tendril.Builder())


def build(p):
    builder = p.thing("builder")
    last = -1
    for _ in range(p.dice.randint(1, 6)):
        fields = {"length": p.number(0.05, 0.2)}
        if p.maybe(0.2):
            fields[p.dice.choice(["joint", "organ", "rest", "tip", "stiffness", "section", "mass", "attach", "nothing"])] = \
                p.dice.choice(["hinge", "leaf", [1, 0, 0, 0], [0, 0.1, 0], 3] + STRANGE)
        last = builder.add(last, radius=p.number(0.004, 0.01), **fields)


def add_material(p):
    p.thing("builder").material(p.dice.choice(["hemp", "own", "m" * 40]), **{p.dice.choice(["density", "young", "no"]): p.number(100, 1e9)})


def finish(p):
    p.add("skeleton", p.thing("builder").finish())


# ---- plants and skeletons ---------------------------------------------------------------------


def step_plant(p):
    plant = p.thing("plant")
    if len(plant) < 3000:
        plant.step()


def end_plant(p):
    p.thing("plant").end()


def read_plant(p):
    plant = p.thing("plant")
    len(plant), repr(plant), plant.string, plant.type_names
    p.keep(plant.types)


def take_skeleton(p):
    p.add("skeleton", p.thing("plant").skeleton)


def read_skeleton(p):
    skeleton = p.thing("skeleton")
    repr(skeleton), len(skeleton), skeleton.height
    for array in (skeleton.segments, skeleton.materials, skeleton.parent, skeleton.organ, *skeleton.pose(p.maybe(0.5)), skeleton.tips()):
        p.keep(array)


def through_json(p):
    skeleton = p.thing("skeleton")
    text = skeleton.json()
    assert tendril.Skeleton.from_json(text).json() == text
    if p.maybe(0.3):
        at = p.dice.randrange(len(text))
        tendril.Skeleton.from_json(text[:at] + p.dice.choice(["", "9", "-", "]", "}", "null", "1e999", '"']) + text[at + p.dice.randint(0, 3):])


def make_mesh(p):
    p.add("mesh", p.thing("skeleton").mesh(skinned=p.maybe(0.5), max_triangles=p.count(2000), textures=p.maybe(0.05)))


def read_mesh(p):
    mesh = p.thing("mesh")
    repr(mesh), mesh.glb("name" if p.maybe(0.8) else p.dice.choice(STRANGE))
    for part in mesh.parts:
        for array in (part.position, part.normal, part.color, part.index):
            p.keep(array)


def save_skeleton(p):
    p.thing("skeleton").save(os.path.join(p.folder, p.dice.choice(["a.glb", "a.json", "no/a.json"])))


# ---- worlds -----------------------------------------------------------------------------------


def step(p):
    p.thing("world").step(p.count(2))


def run(p):
    made = []
    recording = p.thing("world").run(p.seconds(0.1), each=lambda w: made.append(w.tips()), progress=lambda done: None)
    p.add("recording", recording)


def run_scene(p):
    world = p.thing("world")
    if p.maybe(0.5):
        world.export(os.path.join(p.folder, "w.glb"), p.seconds(0.07), max_triangles=p.count(1000))
    else:
        page = world.show(p.seconds(0.07))
        repr(page), page._repr_html_()


def settle(p):
    if p.maybe(0.2):
        p.thing("world").settle()


def read_world(p):
    world = p.thing("world")
    repr(world), world.time, world.dt, world.stats, world.pushed, world.step_times, world.steps_a_frame, world.probe_names
    for array in (world.tips(), *world.poses(), world.contacts(), world.probes(), world.wind(p.point())):
        p.keep(array)


def ask_world(p):
    world = p.thing("world")
    p.keep(world.cast_rays(p.point(), p.point(), radius=0.1, colliders=p.maybe(0.5)))
    p.keep(world.nearest([p.point(), p.point()], 1))
    p.keep(world.overlap(position=p.point(), **p.dice.choice([{"radius": 1}, {"size": [1, 2, 3]}, {"radius": -1},
                                                             {"radius": 1, "filter": (p.count(9), p.count(9))}])))


def fill_tips(p):
    world = p.thing("world")
    world.tips(p.dice.choice([world.tips(), np.zeros((5, 3)), np.zeros((4, 3))[::2], [1], None]))


def sum_energy(p):
    world = p.thing("world")
    parts = [actor.energy() for actor in world.actors]
    assert world.energy() == {name: sum(part[name] for part in parts) for name in ("kinetic", "elastic", "weight")}


def parameter(p):
    world = p.thing("world")
    path = p.dice.choice(["gravity.y", "gravity.x", "objects[0].stiffness", "nothing", "objects[99].stiffness", "a\0b"])
    world[path]
    if p.maybe(0.3):
        world[path] = p.number(-10, 10)


def set_field(p):
    world = p.thing("world")

    def field(time, actor, tips, velocities):
        p.keep(tips)
        p.keep(velocities)
        if p.maybe(0.05):
            return p.dice.choice(STRANGE)
        return np.full(tips.shape, 1e-4)

    world.field = field if p.maybe(0.7) else None
    world.step()


def save(p):
    world = p.thing("world")
    p.saves = (p.saves + [world.save()])[-3:]


def restore(p):
    data = p.dice.choice(p.saves or [b""])
    p.thing("world").restore(data if p.maybe(0.8) else data[: p.dice.randrange(len(data) + 1)])


def close(p):
    if p.maybe(0.2):
        p.thing("world").close()


def take_actor(p):
    world = p.thing("world")
    p.add("actor", world.actor("rope0") if p.maybe(0.3) else tendril.Actor(world, p.count(3)))


def read_actor(p):
    actor = p.thing("actor")
    repr(actor), actor.energy()
    for array in (*actor.pose(), actor.tips(), *actor.velocities(), actor.moments(), actor.skeleton.segments):
        p.keep(array)
    if p.maybe(0.1):
        p.add("skeleton", actor.skeleton)


def modes(p):
    if p.thing("actor").segment_count < 30:
        p.keep(p.thing("actor").modes(p.count(4)))


def base(p):
    actor = p.thing("actor")
    actor.watch_base(p.maybe(0.8))
    actor.world.step()
    actor.base_reaction()


def keep(p):
    actor = p.thing("actor")
    actor.user_data = p.count(9)
    actor.filter = p.count(9), p.count(9)
    assert (actor.user_data, actor.filter) != ()


def press(p):
    actor = p.thing("actor")
    actor.add_force(p.point(0.1), p.count(4))
    actor.add_impulse(p.point(0.01), point=p.point(0.1))
    if p.maybe(0.1):
        actor.world.clear_forces()


def come_and_go(p):
    world = p.thing("world")
    kind = world.add_kind({"strand": {"points": [[0, 0, 0], [0, 0.2, 0]], "segments": 2}}) if p.maybe(0.3) else p.count(4)
    actor = world.add_actor(kind, p.point(5), filter=(1, p.count(9)) if p.maybe(0.5) else None, user_data=p.count(9),
                            skeleton=p.thing("actor").skeleton if p.maybe(0.3) else None)
    p.add("actor", actor)
    p.dice.choice([actor.sleep, actor.wake, actor.remove, lambda: setattr(actor, "enabled", p.maybe(0.5))])()
    assert (actor.enabled, actor.asleep, actor.blocked) != ()


def add_solid(p):
    world = p.thing("world")
    p.add("collider", world.add_collider(p.dice.choice(["plane", "sphere", "capsule", "box", "egg"]), p.point(5),
                                         radius=p.number(0, 1), size=p.point(), filter=(1, p.count(9))))


def move_solid(p):
    solid = p.thing("collider")
    repr(solid), solid.name, solid.position, solid.rotation, solid.world.colliders
    p.dice.choice([solid.move, solid.place])(p.point(5))
    solid.filter, solid.user_data = (p.count(9), p.count(9)), p.count(9)
    solid.enabled = p.maybe(0.7)
    if p.maybe(0.2):
        solid.remove()


def move(p):
    actor = p.thing("actor")
    (actor.move if p.maybe(0.7) else actor.place)(p.point(0.05), p.dice.choice([[1, 0, 0, 0], [1, 0, 0], [0, 0, 0, 0]]))


def grab(p):
    actor = p.thing("actor")
    p.add("grab", actor.grab(p.dice.randint(-6, 6), p.dice.choice([None, p.point()]), point=p.dice.choice([None, [0, 0, 0]]),
                             stiffness=p.number(0, 50), damping=p.number(0, 1)))


def use_grab(p):
    held = p.thing("grab")
    held.to(p.point())
    assert held.force.shape == (3,)
    if p.maybe(0.3):
        held.release()


def read_recording(p):
    recording = p.thing("recording")
    repr(recording), recording.time, recording.csv(), recording["end.y"]
    if len(recording) > 1:
        repr(recording.plot("end.x", title=p.dice.choice(["t", "<&>", p.dice.choice(STRANGE)])))


def through_pickle(p):
    kind = p.dice.choice(["model", "plant", "skeleton", "recording", "world", "actor", "collider", "grab", "mesh", "builder"])
    thing = p.thing(kind)
    p.add(kind, pickle.loads(pickle.dumps(thing)) if p.maybe(0.7) else copy.deepcopy(thing))


def drop(p):
    kind = p.dice.choice(list(p.things))
    if p.things[kind]:
        p.things[kind].pop(p.dice.randrange(len(p.things[kind])))
    if p.maybe(0.05):
        gc.collect()


CALLS = [make_model, grow, make_world, make_builder, build, build, add_material, finish, step_plant, end_plant, read_plant,
         take_skeleton, read_skeleton, through_json, make_mesh, read_mesh, save_skeleton, step, step, run, run_scene, settle,
         read_world, ask_world, fill_tips, sum_energy, parameter, set_field, save, restore, close, take_actor, read_actor, modes,
         base, keep, press, come_and_go, add_solid, move_solid, move, grab, use_grab, read_recording, through_pickle, drop]


def refused(call, error):
    """A refusal in the package's own words, or in Python's; anything else is a fault of ours."""
    assert str(error), f"{call.__name__}: {type(error).__name__} without a word"
    assert not any(word in str(error) for word in RAW), f"{call.__name__}: {type(error).__name__}: {error}"


def play_round(seed, folder, drawn, took, until):
    p = Play(seed, folder)
    for k in range(400):
        call = p.dice.choice(CALLS)
        before = time.monotonic()
        if os.environ.get("TRACE"):
            print(seed, k, call.__name__, flush=True)
        try:
            call(p)
            drawn[call.__name__] = drawn.get(call.__name__, 0) + 1
        except REFUSALS as error:
            if not (isinstance(error, IndexError) and "empty sequence" in str(error)):  # nothing of that kind lives
                refused(call, error)
        p.check_kept()
        now = time.monotonic()
        took[call.__name__] = max(took.get(call.__name__, 0), now - before)
        if now > until:
            break


def main(seed, seconds):
    os.chdir(ROOT)
    until, drawn, took, rounds = time.monotonic() + seconds, {}, {}, 0
    with tempfile.TemporaryDirectory() as folder:
        pathlib.Path(folder, "player.html").write_text("<html><!-- tendril: clip --></html>")
        os.environ["TENDRIL_SHARE"] = folder
        while time.monotonic() < until:
            print(f"round of seed {seed + rounds}", flush=True)
            play_round(seed + rounds, folder, drawn, took, until)
            rounds += 1
    slowest = max(took, key=took.get)
    print(f"{rounds} rounds, {sum(drawn.values())} calls that were taken; the slowest was {slowest}, {took[slowest]:.1f} s")
    missing = {call.__name__ for call in CALLS} - set(drawn)
    assert not missing or seconds < 60, f"never taken: {sorted(missing)}"


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else random.SystemRandom().randrange(1 << 31),
         float(sys.argv[2]) if len(sys.argv) > 2 else 10)
