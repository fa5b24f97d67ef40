import os
import pathlib

import pytest

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent


@pytest.fixture(autouse=True)
def in_the_checkout():
    """Paths of scenes are those of the checkout."""
    (ROOT / "out").mkdir(exist_ok=True)
    before = os.getcwd()
    os.chdir(ROOT)
    yield ROOT
    os.chdir(before)


@pytest.fixture
def player(tmp_path, monkeypatch):
    """A page that plays, where the package was installed without one."""
    (tmp_path / "share").mkdir()
    (tmp_path / "share" / "player.html").write_text("<html><!-- tendril: clip --></html>")
    monkeypatch.setenv("TENDRIL_SHARE", str(tmp_path / "share"))
