"""Memory: nothing is used after it is freed. Run under a sanitizer by scripts/check-python-memory.sh."""

import gc
import pathlib
import re

import numpy as np
import pytest

import tendril
from tendril import _library
from tendril.show import Clip

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent


def strands(count, segments):
    return {"gravity": [0, -9.81, 0], "air_density": 0, "objects": [
        {"name": f"rope{k}", "start": "drawn", "strand": {
            "points": [[k, 1 + k, 0], [k + 0.5 + 0.3 * k, 1 + k, 0]], "segments": segments, "radius": 0.004 + 0.001 * k}}
        for k in range(count)], "record": {"fps": 30, "duration": 0.1, "probes": [{"name": "end", "object": "rope0"}]}}


def test_no_module_but_one_uses_cffi():
    """Pointers of cffi keep nothing alive; _library.py has what keeps it alive."""
    for path in (ROOT / "python/tendril").glob("*.py"):
        if path.name != "_library.py":
            found = re.findall(r"\bffi\b|_binding|from_buffer|\.cast\(", path.read_text())
            assert not found, f"{path.name} uses {found}"


def test_energy_of_a_world_is_that_of_all_its_actors():
    world = tendril.World(strands(3, 40))
    world.step(3)
    parts = [actor.energy() for actor in world.actors]
    assert len({part["weight"] for part in parts}) == 3
    joints, tips, _ = world.poses()
    mass = np.concatenate([actor.skeleton.segments["mass"] for actor in world.actors])
    weight = 9.81 * np.sum(mass * (joints[:, 1] + tips[:, 1]) / 2)
    assert world.energy()["weight"] == pytest.approx(weight, rel=1e-12)
    for name in ("kinetic", "elastic", "weight"):
        assert world.energy()[name] == pytest.approx(sum(part[name] for part in parts), rel=1e-15)
    velocities = np.concatenate([actor.velocities()[0] for actor in world.actors])
    assert 0 < world.energy()["kinetic"] < 0.5 * np.sum(mass * np.max(velocities**2, axis=1)) * 3


def frames_of(clip, world):
    """Joints of the frames as they come back from what the clip holds."""
    for frame in clip._frames:
        at, joints = 0, []
        for actor, look in zip(world.actors, clip._actors):
            n = actor.segment_count
            origins, rotations = _library.room("td_vec3", n), _library.room("td_quat", n)
            _library.lib.td_clip_unpack(look, frame[at:], None, None, origins, rotations)
            at += _library.lib.td_clip_actor_size(look)
            joints.append(origins)
        yield np.concatenate(joints)


def test_frames_of_a_clip_are_the_poses_of_a_thousand_segments_and_several_actors():
    world = tendril.World(strands(3, 1000))
    clip, seen = Clip(world, 1000), []
    world.run(0.05, each=lambda w: (clip.add(), seen.append(w.poses()[0])))
    for joints, wanted in zip(frames_of(clip, world), seen):
        assert np.abs(joints - wanted).max() < 1e-5
    assert len(clip._frames) == len(seen) == 3


def test_a_thousand_segments_and_several_actors_are_shown_and_exported(tmp_path, player):
    scene = strands(3, 1000)
    scene["colliders"] = [{"plane": {"position": [0, -9, 0]}}]
    world = tendril.World(scene)
    saved = world.save()
    recording = world.export(tmp_path / "a.glb", 0.1, max_triangles=3000)
    assert len(recording) == 4
    world.restore(saved)
    page = world.show(0.1)
    assert b"rope2" in (tmp_path / "a.glb").read_bytes() and len(page.content) > (tmp_path / "a.glb").stat().st_size
    world.restore(saved)
    world.export(tmp_path / "b.glb", 0.1, max_triangles=3000)
    assert (tmp_path / "a.glb").read_bytes() == (tmp_path / "b.glb").read_bytes()


def test_arrays_that_a_field_keeps_stay_as_they_were():
    world, kept = tendril.World(strands(2, 50)), []

    def field(time, actor, tips, velocities):
        kept.append((tips, tips.copy(), velocities, velocities.copy()))
        return np.zeros_like(tips)

    world.field = field
    world.step(3)
    world.close()
    gc.collect()
    for tips, as_they_were, velocities, then in kept:
        assert np.array_equal(tips, as_they_were) and np.array_equal(velocities, then)


def test_a_plant_outlives_the_names_of_its_model():
    for _ in range(20):
        plant = tendril.Model("scenes/plants/young-oak.lsys").grow(3)
        skeleton = plant.skeleton
        del plant
        assert len(skeleton) > 0


def test_a_struct_keeps_what_its_fields_point_to():
    texts = [_library.Struct("td_define", name="N" * 100, value=str(k) * 1000) for k in range(20)]
    gc.collect()
    for k, item in enumerate(texts):
        assert _library.text(item.name) == "N" * 100
        assert _library.text(item.value) == str(k) * 1000
    array = _library.Structs("td_define", texts)
    del texts, item
    gc.collect()
    assert _library.text(array._c[19].value) == "19" * 1000


def test_out_is_filled_only_where_it_fits():
    world = tendril.World(strands(1, 10))
    whole = np.zeros((20, 3))
    for wrong in (whole, whole[::2], np.zeros((10, 3), "f4"), np.zeros((10, 3), order="F")):
        with pytest.raises(tendril.ArgumentError, match="out has shape"):
            world.tips(wrong)
    fixed = np.zeros((10, 3))
    fixed.flags.writeable = False
    with pytest.raises(tendril.ArgumentError, match="writable"):
        world.tips(fixed)
    assert np.array_equal(world.tips(whole[:10]), world.tips()) and np.all(whole[10:] == 0)


def test_texts_with_a_zero_character_are_refused():
    with pytest.raises(tendril.ArgumentError, match="zero character"):
        tendril.grow("scenes/plants/rose.lsys\0.txt")
    with pytest.raises(tendril.ArgumentError, match="zero character"):
        tendril.grow(text="axiom: F\n", defines={"A\0B": 1})
    with pytest.raises(tendril.ArgumentError, match="31 are allowed"):
        tendril.Builder().material("m" * 200)


# ---- closing ----------------------------------------------------------------------------------


def test_a_closed_world_refuses_every_use_in_plain_words():
    with tendril.World(strands(2, 10)) as world:
        actor = world.actors[1]
        with actor.grab(to=[0, 0, 0]) as grab:
            world.step()
    assert world.closed and repr(world) == "<World 'scene': closed>"
    world.close()
    uses = [world.step, world.tips, world.poses, world.save, world.energy, world.settle, world.contacts, world.probes,
            lambda: world.run(0.1), lambda: world.time, lambda: world.dt, lambda: world.actors, lambda: world["gravity.y"],
            lambda: world.restore(b""), lambda: world.wind([[0, 0, 0]]), lambda: world.export("x.glb"), world.__enter__,
            lambda: setattr(world, "field", None), lambda: world.__setitem__("gravity.y", 1), actor.pose, actor.tips,
            actor.energy, actor.modes, actor.moments, actor.velocities, actor.base_reaction, actor.watch_base,
            lambda: actor.name, lambda: actor.skeleton, lambda: actor.move([0, 0, 0]), actor.grab, grab.release,
            lambda: grab.force, lambda: grab.to([0, 0, 0]), lambda: world.stats, lambda: world.probe_names]
    for k, use in enumerate(uses):
        with pytest.raises(tendril.ArgumentError, match="is closed"):
            use()
            pytest.fail(f"use {k} passed")


def test_arrays_of_a_closed_world_stay():
    world = tendril.World(strands(1, 1000))
    skeleton = world.actors[0].skeleton
    segments = skeleton.segments
    mass = segments["mass"].sum()
    world.close()
    gc.collect()
    assert segments["mass"].sum() == mass and skeleton.mass == mass and len(skeleton.json()) > 1000


def test_a_world_is_not_closed_while_it_steps():
    world = tendril.World(strands(1, 10))
    world.field = lambda *_: world.close()
    with pytest.raises(RuntimeError, match="in use"):
        world.step()
    world.close()


@pytest.mark.parametrize("call", [lambda w: w.step(-1), lambda w: w.run(-0.1), lambda w: w.run(float("nan")),
                                  lambda w: w.run(float("inf")), lambda w: w.actors[0].modes(-1), lambda w: w.actors[0].modes(0),
                                  lambda w: tendril.grow(text="axiom: F\n", steps=-1)])
def test_counts_below_zero_are_refused(call):
    world = tendril.World(strands(1, 10))
    with pytest.raises(tendril.ArgumentError):
        call(world)
    assert world.time == 0


def test_a_step_of_none_and_a_run_of_no_time_change_nothing():
    world = tendril.World(strands(1, 10))
    world.step(0)
    assert len(world.run(0)) == 1 and world.time == 0


def test_a_cycle_that_is_collected_frees_a_plant_before_its_model():
    for _ in range(20):
        model = tendril.Model(text="axiom: F(1)F(1)\n")
        plant = model.grow()
        model.other, plant.other = plant, model
        del model, plant
        gc.collect()
    assert not [life for life in _library._Life.lives.values() if life.users < 1]
