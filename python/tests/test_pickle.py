"""What can be pickled is the same afterwards, also in another process; what cannot says what to do."""

import concurrent.futures
import copy
import multiprocessing
import pickle

import numpy as np
import pytest

import tendril

STRANDS = {"name": "pair", "objects": [{"name": "rope", "start": "drawn", "strand": {
    "points": [[0, 1, 0], [0.5, 1, 0]], "segments": 12, "radius": 0.005}}],
    "record": {"duration": 0.2, "fps": 30, "probes": [{"name": "end", "object": "rope"}]}}


def again(thing):
    return pickle.loads(pickle.dumps(thing))


def same(a, b):
    return len(a) == len(b) and a.json() == b.json() and all(
        np.array_equal(a.segments[name], b.segments[name]) for name in a.segments.dtype.names) and \
        all(np.array_equal(a.materials[name], b.materials[name]) for name in a.materials.dtype.names)


@pytest.mark.parametrize("model", ["rose", "young-oak", "palm"])
def test_a_skeleton_is_the_same_to_the_bit(model):
    skeleton = tendril.grow(f"scenes/plants/{model}.lsys").skeleton
    other = again(skeleton)
    assert same(skeleton, other)
    assert skeleton.mesh(max_triangles=5000).glb() == other.mesh(max_triangles=5000).glb()
    assert same(skeleton, copy.deepcopy(skeleton))


def test_worlds_of_a_pickled_skeleton_move_alike_to_the_bit():
    skeleton = tendril.grow("scenes/plants/young-oak.lsys", steps=4).skeleton
    worlds = [tendril.World({"objects": [{"name": "oak", "skeleton": s}]}) for s in (skeleton, again(skeleton))]
    for world in worlds:
        world.step(5)
    assert np.array_equal(worlds[0].tips(), worlds[1].tips())


def test_the_skeleton_of_a_strand_is_the_same_to_the_bit():
    skeleton = tendril.World(STRANDS).actors[0].skeleton
    assert same(skeleton, again(skeleton))


def test_a_model_takes_the_files_along_that_it_includes(tmp_path):
    (tmp_path / "rules.h").write_text("#define GROWN BBB\n")
    (tmp_path / "a.lsys").write_text('#include "rules.h"\n#define N 1\naxiom: A\nderivation length: N\nA --> GROWN\n')
    model = tendril.Model(tmp_path / "a.lsys", defines={"N": 1})
    data = pickle.dumps(model)
    (tmp_path / "rules.h").unlink()
    other = pickle.loads(data)
    assert other.grow().string == "BBB" and (other.text, other.name, other.defines) == (model.text, model.name, model.defines)
    assert again(other).grow().string == "BBB"


def test_a_plant_grows_again_to_the_same_string_and_goes_on_alike():
    text = "derivation length: 6\naxiom: A\nA --> F[+A]A : 0.5\nA --> F[-A] : 0.5\nEnd: {x = 1;}\n"
    plant = tendril.Model(text=text).grow(4, seed=5)
    other = again(plant)
    assert other.string == plant.string and other.steps == plant.steps
    plant.step()
    other.step()
    assert other.string == plant.string and same(plant.skeleton, other.skeleton)


def test_a_recording_keeps_its_columns_and_what_was_added():
    recording = tendril.World(STRANDS).run(0.2, each=lambda w: w.time)
    other = again(recording)
    assert other.names == recording.names and other.extra == recording.extra
    assert np.array_equal(other.time, recording.time) and np.array_equal(other.values, recording.values)
    assert other.csv() == recording.csv() and other.plot().svg == recording.plot().svg
    assert again(recording.plot()).svg == recording.plot().svg


def study(things):
    model, plant, skeleton, recording = things
    world = tendril.World({"objects": [{"name": "it", "skeleton": skeleton}]})
    world.step(2)
    return model, plant, skeleton, recording, world.tips()


def test_things_go_to_another_process_and_back():
    plant = tendril.grow("scenes/plants/young-oak.lsys", steps=3)
    things = plant.model, plant, plant.skeleton, tendril.World(STRANDS).run(0.1)
    with concurrent.futures.ProcessPoolExecutor(1, multiprocessing.get_context("spawn")) as pool:
        model, grown, skeleton, recording, tips = pool.submit(study, things).result(timeout=60)
    assert model.text == plant.model.text and grown.string == plant.string and same(skeleton, plant.skeleton)
    assert np.array_equal(recording.values, things[3].values)
    assert np.array_equal(tips, study(things)[4])


def test_what_cannot_be_pickled_says_what_to_do():
    world = tendril.World(STRANDS)
    actor = world.actors[0]
    for thing, words in ((world, "restore"), (actor, "skeleton"), (actor.grab(), "belongs to a world"),
                         (actor.skeleton.mesh(), "skeleton"), (tendril.Builder(), "finish")):
        for way in (pickle.dumps, copy.copy, copy.deepcopy):
            with pytest.raises(TypeError, match=f"cannot be pickled: .*{words}"):
                way(thing)


def test_an_error_is_the_same():
    with pytest.raises(tendril.TextError) as fault:
        tendril.grow(text="axiom: F\nF --> F(\n")
    other = again(fault.value)
    assert str(other) == str(fault.value) and other.line == fault.value.line and type(other) is type(fault.value)
