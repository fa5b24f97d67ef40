#!/usr/bin/env python3
"""Every shipped scene is sound, and begins without a complaint. test_scenes.py COMMAND"""
import csv
import json
import math
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

COMMAND = os.path.abspath(sys.argv.pop(1))
ROOT = pathlib.Path(__file__).resolve().parents[2]
SCENES = sorted((ROOT / "scenes").glob("*.yaml"))


def tendril(*args):
    done = subprocess.run([COMMAND, *map(str, args)], capture_output=True, text=True, timeout=300)
    return done.returncode, done.stdout, done.stderr


def table(path):
    rows = list(csv.reader(path.read_text().splitlines()))
    return rows[0], [[float(x) for x in row] for row in rows[1:]]


class Scenes(unittest.TestCase):
    def each(self, check):
        self.assertGreaterEqual(len(SCENES), 20)
        for scene in SCENES:
            with self.subTest(scene.stem):
                check(scene)

    def test_every_scene_passes_the_check(self):
        def check(scene):
            code, _, err = tendril("check", scene)
            self.assertEqual((code, err), (0, ""))
        self.each(check)

    def test_every_scene_has_a_name_a_text_and_a_comment_first(self):
        def check(scene):
            text = scene.read_text()
            self.assertRegex(text, r"\A# ")
            self.assertRegex(text, re.compile(r"^name: \S", re.M))
            self.assertRegex(text, re.compile(r"^text: \S.*\.$", re.M))
        self.each(check)

    def test_every_scene_runs_two_frames_with_finite_values_and_no_warning(self):
        def check(scene):
            with tempfile.TemporaryDirectory() as folder:
                out = pathlib.Path(folder)
                code, _, err = tendril("run", scene, "-o", out, "--frames", "0:1")
                self.assertEqual(code, 0, err)
                summary = json.loads((out / "summary.json").read_text())
                self.assertEqual((summary["warnings"], summary["frames"]), ([], 2))
                names, rows = table(out / "probes.csv")
                self.assertEqual(len(rows), 2)
                self.assertGreater(len(names), 1)
                self.assertTrue(all(math.isfinite(x) for row in rows for x in row))
        self.each(check)

    def test_scenes_of_helices_have_the_elements_of_the_paper(self):
        elements = {"palm-of-eight-helices": 8, "algae-of-ten-helices": 10, "curly-rod-pulled": 30,
                    "tree-at-three-stiffnesses": 3 * 50, "jointed-man-dances": 81,
                    "weeping-willow-of-helices": 242}
        for name, count in elements.items():
            with self.subTest(name), tempfile.TemporaryDirectory() as out:
                code, _, err = tendril("run", ROOT / f"scenes/{name}.yaml", "-o", out, "--frames", "0:0")
                self.assertEqual(code, 0, err)
                summary = json.loads((pathlib.Path(out) / "summary.json").read_text())
                self.assertEqual(summary["elements"], count)

    def test_every_scene_has_a_picture_in_the_gallery(self):
        gallery = (ROOT / "docs/gallery.md").read_text()

        def check(scene):
            picture = ROOT / f"docs/gallery/{scene.stem}.jpg"
            self.assertIn(f"gallery/{picture.name}", gallery)
            self.assertLess(picture.stat().st_size, 120_000)
        self.each(check)


if __name__ == "__main__":
    unittest.main()
