"""Models, plants and skeletons."""

import gc
import json

import numpy as np
import pytest

import tendril

BUSH = "axiom: F\nderivation length: 3\nF --> F[+F]F\n"


def test_a_text_grows_as_its_productions_say():
    plant = tendril.grow(text=BUSH, steps=1)
    assert plant.string == "F[+F]F"
    assert len(plant) == 6
    assert tendril.grow(text=BUSH).steps == 3


def test_defines_replace_those_of_the_text():
    text = "#define N 2\naxiom: F\nderivation length: N\nF --> FF\n"
    assert len(tendril.grow(text=text)) == 4
    assert len(tendril.grow(text=text, defines={"N": 5})) == 32


def test_files_that_are_not_on_the_disk_are_included():
    plant = tendril.grow(text='#include "rules.h"\naxiom: A\nderivation length: 1\nA --> GROWN\n',
                         files={"rules.h": "#define GROWN BBB\n"})
    assert plant.string == "BBB"


def test_a_fault_names_line_and_column():
    with pytest.raises(tendril.TextError) as fault:
        tendril.grow(text="axiom: F\nF --> F(\n")
    assert fault.value.line == 2
    assert fault.value.column is not None
    assert "2" in str(fault.value)
    assert isinstance(fault.value, ValueError)


def test_a_missing_file_is_an_os_error():
    with pytest.raises(OSError, match="no-such.lsys"):
        tendril.grow("no-such.lsys")


def test_ids_stay_while_a_plant_grows():
    model = tendril.Model(text="axiom: A\nderivation length: 3\nA --> F[+(30)F]A\n")
    young, old = model.grow(2).skeleton, model.grow(3).skeleton
    before = {s["id"]: s["length"] for s in young.segments}
    after = {s["id"]: s["length"] for s in old.segments}
    assert set(before) < set(after)
    assert all(after[i] == before[i] for i in before)


def test_segments_are_a_view_that_keeps_its_skeleton():
    skeleton = tendril.grow("scenes/plants/young-oak.lsys").skeleton
    segments = skeleton.segments
    again = skeleton.segments
    assert segments.ctypes.data == again.ctypes.data
    assert not segments.flags.writeable
    mass = skeleton.mass
    del skeleton, again
    gc.collect()
    assert segments["mass"].sum() == pytest.approx(mass, rel=1e-15)


def test_skeleton_agrees_with_its_json():
    skeleton = tendril.grow("scenes/plants/rose.lsys").skeleton
    told = json.loads(skeleton.json())["segments"]
    assert len(told) == len(skeleton)
    assert [s["parent"] for s in told] == skeleton.parent.tolist()
    assert np.allclose([s["mass"] for s in told], skeleton.segments["mass"], rtol=1e-12)


def test_parents_come_first_and_children_start_within_them():
    skeleton = tendril.grow("scenes/plants/young-oak.lsys").skeleton
    assert np.all(skeleton.parent < np.arange(len(skeleton)))
    origins, rotations = skeleton.pose()
    assert np.allclose(np.linalg.norm(rotations, axis=1), 1)
    stems = np.flatnonzero((skeleton.organ == 0) & (skeleton.parent >= 0))
    gaps = np.linalg.norm(origins[stems] - skeleton.tips()[skeleton.parent[stems]], axis=1)
    assert np.median(gaps) < 1e-12


def test_mesh_is_a_view_of_valid_triangles():
    mesh = tendril.grow("scenes/plants/rose.lsys").skeleton.mesh(skinned=True)
    parts = mesh.parts
    del mesh
    gc.collect()
    for part in parts:
        assert part.index.max() < len(part.position)
        assert np.allclose(np.linalg.norm(part.normal, axis=1), 1, atol=1e-5)
        assert np.all(part.weight.astype(int).sum(axis=1) == 255)


def test_files_are_written_whole(tmp_path):
    plant = tendril.grow("scenes/plants/rose.lsys")
    plant.save(tmp_path / "rose.glb")
    plant.save(tmp_path / "rose.json")
    assert (tmp_path / "rose.glb").read_bytes()[:4] == b"glTF"
    with pytest.raises(OSError):
        plant.save(tmp_path / "none" / "rose.glb")


def test_builder_makes_what_it_was_given_and_refuses_what_it_does_not_know():
    rope = tendril.Builder()
    wood = rope.material("heavy", density=2000, young=1e9)
    last = -1
    for _ in range(4):
        last = rope.add(last, length=0.25, radius=0.01, material=wood)
    skeleton = rope.finish()
    assert skeleton.mass == pytest.approx(2000 * np.pi * 0.01**2 * 1.0, rel=1e-12)
    with pytest.raises(TypeError, match="radius_base"):
        rope.add(lenght=1)
    with pytest.raises(tendril.ArgumentError, match="length"):
        rope.add(length=-1)


def test_a_folder_of_the_virtual_laboratory_is_a_model():
    model = tendril.Model("scenes/cpfg/sapling")
    assert model.name.endswith(".l")
    assert len(model.grow().skeleton) == 25
