"""The examples and the guide do what they say."""

import importlib.util
import pathlib
import re

import numpy as np
import pytest

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent


def load(name):
    spec = importlib.util.spec_from_file_location(name, ROOT / "python/examples" / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_oak_in_wind_is_pushed_by_drag_at_the_height_of_its_crown():
    rows, power = load("oak_in_wind").main()
    speed, drag, moment, moved = np.array(rows).T
    assert np.all(np.diff(drag) > 0) and np.all(np.diff(moved) > 0)
    assert 1.2 < power < 2  # leaves that bend away feel less than the square
    height = moment / drag
    assert np.all((0.5 < height) & (height < 2.47))


def test_sapling_sways_at_the_frequency_of_its_lowest_mode():
    rows = np.array(load("sapling_sways").main())
    assert np.all(np.abs(rows[:, 4] / rows[:, 3] - 1) < 0.05)  # damped, and counted in whole swings
    assert np.all(np.diff(rows[:, 3]) < 0)


def blocks():
    text = (ROOT / "docs/guide/python.md").read_text()
    return re.findall(r"```python\n(.*?)```", text, re.S)


def test_guide_has_examples():
    assert len(blocks()) >= 5


@pytest.mark.parametrize("number", range(len(blocks())))
def test_example_of_the_guide_runs(number, tmp_path, monkeypatch):
    monkeypatch.setenv("OUT", str(tmp_path))
    exec(compile(blocks()[number], f"docs/guide/python.md block {number + 1}", "exec"), {})
