"""Worlds: stepping, arrays, forces, faults."""

import gc
import json
import threading
import time

import numpy as np
import pytest

import tendril

PENDULUM = {
    "name": "pendulum",
    "objects": [{"name": "rope", "start": "drawn",
                 "strand": {"points": [[0, 2, 0], [0.5, 2, 0]], "segments": 10, "radius": 0.005}}],
    "record": {"duration": 1, "fps": 30, "probes": [{"name": "end", "object": "rope"}]},
}
IN_SPACE = {**PENDULUM, "gravity": [0, 0, 0], "air_density": 0}


def test_a_scene_file_and_its_content_give_the_same_bits():
    a = tendril.World.from_text('{"objects": [{"strand": {"points": [[0,2,0],[0.5,2,0]], "segments": 10}}]}')
    b = tendril.World({"objects": [{"strand": {"points": np.array([[0, 2, 0], [0.5, 2, 0]]), "segments": np.int64(10)}}]})
    a.step(20)
    b.step(20)
    assert np.array_equal(a.tips(), b.tips())


def test_saved_and_restored_goes_on_to_the_bit():
    world = tendril.World(PENDULUM)
    world.step(5)
    saved = world.save()
    world.step(10)
    first = world.tips()
    world.restore(saved)
    world.step(10)
    assert np.array_equal(world.tips(), first)
    with pytest.raises(tendril.TextError):
        world.restore(saved[:-1] + bytes([saved[-1] ^ 1]))


def test_advance_takes_one_step_of_the_time_it_is_given():
    world, other = tendril.World(PENDULUM), tendril.World(PENDULUM)
    for dt in (0.016, 0.02, 0.013):
        world.advance(dt)
    assert world.time == pytest.approx(0.049)
    assert world.stats["steps"] == 3
    other.advance(other.dt)
    world = tendril.World(PENDULUM)
    world.step()
    assert np.array_equal(world.tips(), other.tips())
    for wrong in (0, -0.01, 2.0, float("nan")):
        with pytest.raises(tendril.ArgumentError):
            world.advance(wrong)


def test_threads_do_not_change_a_bit():
    one = tendril.World("scenes/pull-and-release.yaml", threads=1)
    two = tendril.World("scenes/pull-and-release.yaml", threads=2)
    one.step(10)
    two.step(10)
    assert np.array_equal(one.tips(), two.tips())


def test_energy_falls_and_is_that_of_the_actor():
    world = tendril.World(PENDULUM)
    start = sum(world.energy().values())
    world.step(30)
    assert sum(world.energy().values()) < start
    assert world.energy() == world.actors[0].energy()


def test_velocities_are_the_rate_of_the_tips():
    world = tendril.World(PENDULUM)
    world["step"] = 1e-3
    world.step(50)
    before = world.tips()
    world.step()
    rate = (world.tips() - before) / world.dt
    velocities, _ = world.actors[0].velocities()
    assert np.abs(rate - velocities).max() < 0.05 * np.abs(velocities).max()


def test_a_field_moves_the_rope_as_its_force_says():
    world = tendril.World(IN_SPACE)
    world.settle()
    seen = []

    def field(time, actor, tips, velocities):
        seen.append((time, actor, tips.shape, velocities.shape))
        return np.tile([0.0, 0.0, 1e-3], (len(tips), 1))

    world.field = field
    world.step(3)
    assert [s[1:] for s in seen] == [(0, (10, 3), (10, 3))] * 3
    assert world.tips()[-1, 2] > 0
    world.field = None
    world.step()
    assert len(seen) == 3


def test_what_a_field_raises_reaches_the_caller_and_the_world_lives_on():
    world = tendril.World(PENDULUM)

    def broken(*_):
        raise KeyError("mine")

    world.field = broken
    with pytest.raises(KeyError, match="mine"):
        world.step()
    world.field = lambda *_: np.zeros(3)
    with pytest.raises(tendril.ArgumentError, match=r"\(10, 3\)"):
        world.step()
    world.field = None
    world.step()


def test_a_world_is_refused_where_it_is_in_use():
    world = tendril.World(PENDULUM)
    world.field = lambda *_: world.step() or 0
    with pytest.raises(RuntimeError, match="in use"):
        world.step()


def longest_silence(call):
    """Longest time, s, for which another thread could not run during a call, and that of the call."""
    ticks, done = [time.monotonic()], threading.Event()

    def tick():
        while not done.is_set():
            ticks.append(time.monotonic())

    other = threading.Thread(target=tick)
    other.start()
    start = time.monotonic()
    call()
    end = time.monotonic()
    done.set()
    other.join()
    return np.diff([t for t in ticks if start <= t <= end] + [end]).max(initial=0), end - start


def test_python_runs_while_the_library_works():
    oak = tendril.World({"objects": [{"plant": "scenes/plants/young-oak.lsys"}]}).actors[0]
    tries = [longest_silence(lambda: oak.modes(6)) for _ in range(3)]  # a busy machine may stop a thread
    assert min(silence / whole for silence, whole in tries) < 0.5  # with the lock held it is the whole call


def test_an_array_keeps_its_world_alive():
    skeleton = tendril.World(PENDULUM).actors[0].skeleton
    segments = skeleton.segments
    del skeleton
    gc.collect()
    assert segments["length"] == pytest.approx(0.05)


def test_parameters_are_read_and_set_by_path():
    world = tendril.World(PENDULUM)
    assert world["gravity.y"] == -9.81
    world["gravity.y"] = -1.62
    assert world["gravity.y"] == -1.62
    with pytest.raises(tendril.ArgumentError, match="gravitation"):
        world["gravitation.y"] = 0


def test_a_fault_of_a_scene_names_its_place_and_all_others_come_with_it():
    text = "objects:\n  - strand: {points: [[0, 0, 0], [0, 1, 0]], radius: -1}\n    colour: red\n"
    with pytest.raises(tendril.TextError) as fault:
        tendril.World.from_text(text, name="wrong.yaml")
    assert fault.value.file == "wrong.yaml"
    assert {fault.value.line, *(other.line for other in fault.value.others)} == {2, 3}


def test_a_hanging_rope_carries_its_weight():
    world = tendril.World({"objects": [{"name": "rope", "solver": "tree",
                                        "strand": {"points": [[0, 2, 0], [0, 1, 0]], "segments": 8, "radius": 0.01}}],
                           "air_density": 0})
    rope = world.actors[0]
    rope.watch_base()
    world.settle()
    world.step(5)
    force, _ = rope.base_reaction()
    assert force[1] == pytest.approx(9.81 * rope.skeleton.mass, rel=1e-6)
    assert abs(force[0]) < 1e-9


def test_a_grab_pulls_with_the_force_of_its_spring_and_lets_go():
    world = tendril.World(PENDULUM)
    rope = world.actors[0]
    with rope.grab(to=[0.5, 2.2, 0], stiffness=50, damping=1) as grab:
        world.step(60)
        tip = rope.tips()[-1]
        assert np.allclose(grab.force, 50 * (np.array([0.5, 2.2, 0]) - tip), atol=0.3)
    with pytest.raises(tendril.Stale):
        grab.release()


def test_lowest_mode_of_a_beam_is_that_of_theory():
    rod = {"points": [[0, 0, 0], [0, 1, 0]], "segments": 40, "radius": 0.01}
    world = tendril.World({"gravity": [0, 0, 0], "air_density": 0, "objects": [{"name": "beam", "strand": rod}]})
    skeleton = world.actors[0].skeleton
    material = skeleton.materials[skeleton.segments["material"][0]]
    young, density = material["young"], material["density"]
    inertia, area = np.pi * 0.01**4 / 4, np.pi * 0.01**2
    theory = 1.8751040687**2 / (2 * np.pi) * np.sqrt(young * inertia / (density * area))
    assert world.actors[0].modes(1)["frequency"][0] == pytest.approx(theory, rel=2e-3)


def test_recording_has_every_frame_and_names_its_columns(tmp_path):
    world = tendril.World(PENDULUM)
    shown = []
    recording = world.run(0.5, each=lambda w: w.time, progress=shown.append)
    assert len(recording) == 16
    assert recording.time[-1] == pytest.approx(0.5)
    assert recording["end.y"][0] == 2
    assert recording.extra == recording.time.tolist()
    assert shown[-1] == 1
    with pytest.raises(KeyError, match="end.y"):
        recording["tip"]
    recording.csv(tmp_path / "probes.csv")
    table = np.loadtxt(tmp_path / "probes.csv", delimiter=",", skiprows=1)
    assert np.array_equal(table[:, 0], recording.time)
    assert np.array_equal(table[:, 1:], recording.values)


def test_plot_draws_what_is_named(tmp_path):
    recording = tendril.World(PENDULUM).run(0.2)
    plot = recording.plot("end.y")
    assert "end.y" in plot.svg and "end.x" not in plot.svg
    plot.save(tmp_path / "plot.svg")
    assert (tmp_path / "plot.svg").read_text() == plot._repr_svg_()
    plot.save(tmp_path / "plot.pdf")
    assert (tmp_path / "plot.pdf").read_bytes()[:5] == b"%PDF-"
    with pytest.raises(tendril.ArgumentError, match=r"\.svg or \.pdf"):
        plot.save(tmp_path / "plot.png")


def test_contacts_of_a_stick_on_the_ground_carry_it():
    world = tendril.World({"objects": [{"name": "stick", "solver": "tree", "strand": {
        "points": [[0, 0.011, 0], [0.3, 0.011, 0]], "segments": 3, "radius": 0.01, "start": {"held": "free"}},
        "start": "drawn"}],
        "colliders": [{"plane": {}}], "contact": {}})
    world.step(120)
    contacts = world.contacts()
    weight = 9.81 * world.actors[0].skeleton.mass
    assert contacts["force"][:, 1].sum() == pytest.approx(weight, rel=1e-2)


def test_rays_nearest_and_overlaps_of_a_post_and_a_sphere():
    world = tendril.World({"objects": [{"name": "post", "strand": {
        "points": [[0, 0, 0], [0, 1, 0]], "segments": 4, "radius": 0.02}, "start": "drawn"}],
        "colliders": [{"sphere": {"radius": 0.5, "position": [0, 0, 3]}}], "contact": {}})
    hits = world.cast_rays([[0, 0.6, -1], [0, 0, 6]], [[0, 0, 2], [0, 0, -1]], colliders=True)
    assert hits["distance"] == pytest.approx([0.98, 2.5])
    assert hits["actor"].tolist() == [0, -1] and hits["collider"].tolist() == [-1, 0]
    assert hits["segment"].tolist() == [2, -1]
    assert hits["normal"] == pytest.approx(np.array([[0, 0, -1], [0, 0, 1]]))
    near = world.nearest([0.1, 0.3, 0])
    assert near["distance"] == pytest.approx([0.08]) and near["segment"].tolist() == [1]
    assert world.overlap(position=[0, 1, 0], radius=0.1).tolist() == [[0, 3]]
    assert world.overlap(position=[0, 0.5, 0], size=[0.1, 0.6, 0.1]).tolist() == [[0, 0], [0, 1], [0, 2], [0, 3]]
    assert len(world.overlap(position=[5, 0, 0], radius=1, length=2)) == 0
    world.actors[0].filter = 2, 2
    assert len(world.overlap(position=[0, 1, 0], radius=0.1, filter=(1, 1))) == 0
    assert len(world.overlap(position=[0, 1, 0], radius=0.1, filter=(2, 2))) == 1
    with pytest.raises(tendril.Error, match="direction"):
        world.cast_rays([0, 0, 0], [0, 0, 0])
    with pytest.raises(tendril.Error, match="radius or a size"):
        world.overlap(position=[0, 0, 0])


def test_reprs_tell():
    world = tendril.World(PENDULUM)
    assert "pendulum" in repr(world) and "10 segments" in repr(world)
    assert "rope" in repr(world.actors[0])
    assert "kg" in repr(world.actors[0].skeleton)


def test_a_page_plays_the_run(tmp_path, player):
    world = tendril.World(PENDULUM)
    page = world.show(0.3, path=tmp_path / "page.html")
    assert (tmp_path / "page.html").read_bytes() == page.content
    assert b"<html" in page.content.lower()
    assert "<iframe" in page._repr_html_()


def test_export_writes_the_motion_and_can_be_stopped(tmp_path):
    world = tendril.World(PENDULUM)
    recording = world.export(tmp_path / "a.glb", 0.2)
    data = (tmp_path / "a.glb").read_bytes()
    clip = json.loads(data[20:20 + int.from_bytes(data[12:16], "little")])
    assert clip["scenes"][0]["extras"]["frames"] == len(recording) == 7
    with pytest.raises(KeyboardInterrupt):
        world.export(tmp_path / "b.glb", 0.2, progress=lambda done: (_ for _ in ()).throw(KeyboardInterrupt))
    assert not (tmp_path / "b.glb").exists()


def test_frames_within_steps_are_interpolated_and_rows_are_those_of_steps(tmp_path):
    rope = {"objects": [{"start": "drawn", "strand": {"points": [[0, 0, 0], [0.4, 0, 0]], "segments": 8}}],
            "record": {"duration": 0.5, "fps": 60, "probes": [{"name": "tip"}]}}
    for step, rows in ((0.016, 31), (0.05, 11)):
        world = tendril.World({**rope, "step": step})
        assert (world.dt, world.steps_a_frame) == (step, 0)
        recording = world.export(tmp_path / "a.glb")
        assert len(recording) == rows
        np.testing.assert_allclose(recording.time / step, np.round(recording.time / step), atol=1e-9)
        content = (tmp_path / "a.glb").read_bytes()
        clip = json.loads(content[20:20 + int.from_bytes(content[12:16], "little")])
        assert clip["scenes"][0]["extras"]["frames"] == 31
        again = tendril.World({**rope, "step": step}).run(0.5)
        np.testing.assert_array_equal(again.time, recording.time)


def test_wrong_arguments_are_refused_in_plain_words():
    world = tendril.World(PENDULUM)
    actor, other = world.actors[0], tendril.World(PENDULUM).actors[0]
    for call, message in ((lambda: world.step("3"), "count is '3'; a whole number is needed"),
                          (lambda: world.step(1.5), "count is 1.5; a whole number is needed"),
                          (lambda: world.step(-1), "count is -1; it must be 0 or more"),
                          (lambda: actor.modes("a"), "count is 'a'; a whole number is needed"),
                          (lambda: world.advance("a"), "dt is 'a'; a number is needed"),
                          (lambda: world.advance(b"1"), "dt is b'1'; a number is needed"),
                          (lambda: world.export("x.obj", 1), "path is 'x.obj'; a file .glb is needed"),
                          (lambda: world.export("no/folder/x.glb", 1), "there is no folder 'no/folder'"),
                          (lambda: tendril.grow(text=5), "text is 5; the text of a model is needed"),
                          (lambda: tendril.grow(text="axiom: F", steps=1e30), "steps is 1e.30; a whole number is needed"),
                          (lambda: tendril.grow(text="axiom: F", seed=0.01), "seed is 0.01; a whole number is needed"),
                          (lambda: world.run(None), "seconds is None; a number is needed"),
                          (lambda: world.restore(None), "data is None; bytes that save"),
                          (lambda: world.restore("text"), "data is 'text'; bytes that save"),
                          (lambda: actor.grab(other), "segment is <Actor 'rope'"),
                          (lambda: world.wind([[np.nan] * 3]), "point 0 is .*; it must be finite"),
                          (lambda: world.wind([[0, 0, 0], [0, np.inf, 0]]), "point 1 is .*; it must be finite"),
                          (lambda: world.wind([1, 2]), "numbers of the shape"),
                          (lambda: world.wind("here"), "numbers of the shape"),
                          (lambda: world.__setitem__("gravity.y", "down"), "gravity.y is 'down'; a number is needed")):
        with pytest.raises(tendril.ArgumentError, match=message):
            call()
    assert world.time == 0
    world.step(np.int64(2))
    world.restore(memoryview(world.save()))


def test_actors_of_a_closed_world_can_be_printed():
    with tendril.World(PENDULUM) as world:
        actor = world.actors[0]
    assert repr(actor) == "<Actor 0 of the world 'pendulum', which is closed>"


def test_a_world_with_no_growth_refuses_a_step_that_finds_too_many_pairs():
    sticks = {"contact": {}, "gravity": [0, 0, 0], "air_density": 0, "record": {"fps": 60}, "objects": [
        {"name": f"s{k}", "solver": "rod", "start": "drawn", "position": [0, 0.021 * (k % 7), 0.021 * (k // 7)],
         "strand": {"points": [[-0.2, 0, 0], [0.2, 0, 0]], "segments": 100, "radius": 0.01, "start": {"held": "free"}}}
        for k in range(49)]}
    tendril.World(sticks).step()
    world = tendril.World(sticks, no_growth=True)
    with pytest.raises(tendril.Error, match="pairs"):
        world.step()
    assert world.time == 0


def test_filters_and_user_data_stay_with_an_actor():
    stick = {"loose": True, "start": "drawn", "strand": {"points": [[-0.1, 0.05, 0], [0.1, 0.05, 0]], "segments": 2}}
    world = tendril.World({"contact": {}, "colliders": [{"plane": {}}], "objects": [{**stick, "category": [3]}]})
    actor = world.actors[0]
    assert actor.filter == (8, 2**32 - 1) and actor.user_data == 0
    actor.user_data, actor.filter = 2**64 - 1, (8, 0)
    world.restore(world.save())
    assert world.actors[0].user_data == 2**64 - 1 and world.actors[0].filter == (8, 0)
    world.run(0.3)
    assert actor.tips()[0, 1] < 0
    with pytest.raises(tendril.Blocked):
        actor.filter = 1, 1
    for wrong in (-1, 2**32, 0.5):
        with pytest.raises(tendril.ArgumentError):
            actor.filter = wrong, 1
    with pytest.raises(tendril.ArgumentError):
        actor.user_data = -1


def test_an_impulse_changes_the_momentum_and_a_force_acts_for_one_step():
    world = tendril.World({"gravity": [0, 0, 0], "air_density": 0, "objects": [
        {"loose": True, "start": "drawn", "strand": {"points": [[0, 0, 0], [0.2, 0, 0]], "segments": 1}}]})
    stick = world.actors[0]
    stick.add_impulse([0, 0, 0.001], 0, point=[0, 0.1, 0])
    stick.add_force([0, 0, 0.001 / world.dt], 0, point=[0, 0.1, 0])
    world.step(2)
    speed = 0.002 / stick.skeleton.mass
    assert stick.velocities()[0][0] == pytest.approx([0, 0, speed], abs=1e-6 * speed)
    with pytest.raises(IndexError):
        stick.add_force([0, 0, 1], 1)
    with pytest.raises(tendril.ArgumentError):
        stick.add_force([0, 0, float("nan")])
    stick.add_impulse([0, 0, 0.001], 0, point=[0, 0.1, 0])
    world.clear_forces()
    world.step()
    assert stick.velocities()[0][0] == pytest.approx([0, 0, speed], abs=1e-6 * speed)


def test_actors_that_overlap_are_pushed_apart_where_the_scene_says_so():
    rod = {"start": "drawn", "loose": True,
           "strand": {"points": [[-0.2, 0, 0], [0.2, 0, 0]], "segments": 4, "radius": 0.01},
           "instances": {"layout": "list", "turned": False, "places": [[0, 0, 0], [0, 0.01, 0]]}}
    world = tendril.World({"gravity": [0, 0, 0], "contact": {"overlap": "push"}, "objects": [rod]})
    assert world.pushed["overlapping"] > 0
    assert world.pushed["depth"] == pytest.approx(0.01, rel=0.1)
    world.step(10)
    assert world.pushed == {"pairs": 0, "overlapping": 0, "depth": 0}


STEM = {"start": "drawn", "strand": {"points": [[0, 0, 0], [0, 0.5, 0]], "segments": 8, "radius": 0.01, "material": "herb-stem"}}


def test_a_budget_bounds_the_iterations_of_a_step_and_says_who_is_blocked():
    scene = {"contact": {"method": "exact"}, "objects": [STEM]}
    iterations = []
    for options in ({}, {"iteration_budget": 1}):
        world = tendril.World(scene, hold_blocked=True, **options)
        ball = world.add_collider("sphere", [-1, 0.3, 0.02], radius=0.2)
        ball.move([1, 0.3, 0.02])
        world.step()
        iterations.append(world.stats["iterations"])
    assert world.stats["blocked"] + world.stats["truncated"] == 1
    assert iterations[1] <= 2 < iterations[0]
    why = world.actors[0].blocked
    assert why is None if world.stats["truncated"] else "budget" in why
    for wrong in ({"iteration_budget": -1}, {"iteration_budget": 0.5}, {"time_budget": -1}, {"time_budget": "a"}):
        with pytest.raises(tendril.ArgumentError):
            tendril.World(scene, **wrong)
    text = json.dumps(scene)
    assert tendril.World.from_text(text, iteration_budget=3).closed is False
    with pytest.raises(TypeError):
        tendril.World.from_text(text, budget=3)


def test_a_collider_pushes_a_stem_and_is_seen_where_it_went():
    world = tendril.World({"contact": {}, "gravity": [0, 0, 0], "colliders": [{"plane": {"position": [0, -1, 0]}}],
                           "objects": [STEM]})
    ball = world.add_collider("sphere", [-0.5, 0.4, 0], radius=0.1, friction=0.1, filter=(4, 1))
    assert len(world.colliders) == 2 and ball.filter == (4, 1) and world.colliders[0].name == ""
    for k in range(30):
        ball.move([-0.5 + 0.02 * (k + 1), 0.4, 0])
        world.step()
    assert ball.position == pytest.approx([0.1, 0.4, 0]) and ball.rotation == pytest.approx([1, 0, 0, 0])
    assert world.actors[0].tips()[-1, 0] > 0.1
    ball.enabled = False
    world.run(0.5)
    assert not ball.enabled and world.actors[0].tips()[-1, 0] < 0.1
    with pytest.raises(tendril.Blocked):
        world.colliders[0].place([0, 0.25, 0])
    ball.place([3, 0, 0])
    ball.user_data, ball.filter = 7, (1, 2)
    assert ball.user_data == 7 and ball.filter == (1, 2) and ball.position == pytest.approx([3, 0, 0])
    ball.remove()
    assert len(world.colliders) == 1
    with pytest.raises(tendril.Stale):
        ball.move([0, 0, 0])
    with pytest.raises(tendril.ArgumentError, match="kind is 'cube'; it must be one of plane, sphere"):
        world.add_collider("cube")
    with pytest.raises(IndexError):
        tendril.Collider(world, 5)


def test_a_world_starts_without_objects_and_gets_them_later():
    world = tendril.World({"contact": {}, "objects": []})
    world.step(2)
    assert len(world.actors) == 0
    world.add_actor(world.add_kind({"name": "rod", "solver": "rod", **STEM}))
    world.step(2)
    other = tendril.World.from_text("{contact: {}, objects: []}")
    other.add_kind({"name": "rod", "solver": "rod", **STEM})
    other.restore(world.save())
    assert len(other.actors) == 1 and (other.actors[0].tips() == world.actors[0].tips()).all()


def test_actors_come_and_go_sleep_and_wake():
    world = tendril.World({"contact": {}, "objects": [STEM]})
    rod = world.add_kind({"name": "rod", "solver": "rod", **STEM})
    other = world.add_actor(rod, [1, 0, 0], user_data=5, filter=(2, 3))
    assert rod == 1 and other.name == "rod-0" and other.user_data == 5 and other.filter == (2, 3)
    assert other.pose()[0][0] == pytest.approx([1, 0, 0])
    with pytest.raises(tendril.Blocked):
        world.add_actor(rod, [1, 0, 0], filter=(2, 3))
    other.sleep()
    world.step(2)
    assert other.asleep and not world.actors[0].asleep
    other.wake()
    assert not other.asleep
    other.enabled = False
    before = other.tips()
    world.step(5)
    assert not other.enabled and (other.tips() == before).all()
    other.remove()
    assert [a.name for a in world.actors] == [world.actors[0].name]
    for use in (lambda: other.name, other.tips, other.wake, lambda: other.skeleton, lambda: other.blocked):
        with pytest.raises(tendril.Stale):
            use()
    with pytest.raises(tendril.Error, match="object"):
        world.add_actor(9)
    grown = world.add_kind({"name": "twig", "skeleton": world.actors[0].skeleton})
    assert world.add_actor(grown, [2, 0, 0]).segment_count == 8
    own = world.add_actor(rod, [3, 0, 0], skeleton=tendril.grow(text="axiom: !(0.01)F(0.1)F(0.1)").skeleton)
    assert own.segment_count == 2 and own.name.startswith("rod")
