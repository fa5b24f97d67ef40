"""Builds the Python package: the library by CMake, then the module that binds it.

TENDRIL_BUILD names a folder in which CMake has built the library already; otherwise one is made
under build/python.
"""

import os
import pathlib
import re
import shutil
import subprocess
import sys

from setuptools import setup
from setuptools.command.build_ext import build_ext

ROOT = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(ROOT / "python"))
import binding  # noqa: E402

GIVEN = os.environ.get("TENDRIL_BUILD")
BUILD = pathlib.Path(GIVEN).resolve() if GIVEN else ROOT / "build" / "python"
LIBRARIES = [BUILD / "libtendril_yaml.a", BUILD / "libtendril.a"]


def version():
    """The public header holds it."""
    text = (ROOT / "include/tendril/base.h").read_text()
    return ".".join(re.findall(r"#define TD_VERSION_(?:MAJOR|MINOR|PATCH) (\d+)", text))


class BuildWithLibrary(build_ext):
    def run(self):
        if not GIVEN:
            options = ["-DTENDRIL_BUILD_COMMAND=OFF", "-DTENDRIL_IDA=OFF", "-DCMAKE_BUILD_TYPE=Release"]
            subprocess.check_call(["cmake", "-S", str(ROOT), "-B", str(BUILD), *options])
            subprocess.check_call(["cmake", "--build", str(BUILD), "--target", "tendril_yaml", "-j2"])
        super().run()
        self.add_player()

    def add_player(self):
        """The page that plays a run, where `make player` has built it."""
        player = ROOT / "build/share/tendril/player.html"
        folder = pathlib.Path(self.get_ext_fullpath("tendril._binding")).parent
        if player.exists():
            folder.mkdir(parents=True, exist_ok=True)
            shutil.copy(player, folder / "player.html")


(ROOT / "build" / "python").mkdir(parents=True, exist_ok=True)
setup(version=version(),
      packages=["tendril"],
      package_dir={"": "python"},
      package_data={"tendril": ["py.typed"]},
      ext_modules=[binding.builder(LIBRARIES, ROOT / "include").distutils_extension("build/python")],
      cmdclass={"build_ext": BuildWithLibrary},
      zip_safe=False)
