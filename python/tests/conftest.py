import os
import pathlib

import pytest

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent


@pytest.fixture(autouse=True)
def in_the_checkout():
    """Paths of scenes are those of the checkout."""
    before = os.getcwd()
    os.chdir(ROOT)
    yield ROOT
    os.chdir(before)
