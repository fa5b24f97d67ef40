#!/usr/bin/env python3
"""The command as a user meets it: exit codes, messages, figures, files. test_cli.py COMMAND"""
import json
import math
import os
import pathlib
import re
import random
import resource
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import time
import unittest
import xml.etree.ElementTree
import zlib

COMMAND = os.path.abspath(sys.argv.pop(1))
ROOT = pathlib.Path(__file__).resolve().parents[2]
SCENES = ROOT / "scenes"
SANITIZED = "asan" in COMMAND


def limits():
    """Bounded time and memory: what goes past them is killed. Sanitizers reserve address space."""
    resource.setrlimit(resource.RLIMIT_CPU, (60, 60))
    if not SANITIZED:
        resource.setrlimit(resource.RLIMIT_AS, (3 << 30, 3 << 30))


def tendril(*args, text=None, limited=False):
    data = text.encode() if isinstance(text, str) else text
    done = subprocess.run([COMMAND, *map(str, args)], input=data, capture_output=True, timeout=120,
                          preexec_fn=limits if limited else None)
    return done.returncode, done.stdout.decode(), done.stderr.decode(errors="replace")


def need_package(test, name):
    """Leaves a test out where a package of web/, which `make test` installs, is missing."""
    if not shutil.which("node") or not (ROOT / "web" / "node_modules" / name).is_dir():
        test.skipTest(f"the package {name} is not installed")


def glb_json(path):
    data = path.read_bytes()
    return json.loads(data[20:20 + int.from_bytes(data[12:16], "little")])


def stats(*args, text=None):
    code, out, err = tendril("grow", *args, "--stats", "--json", text=text)
    assert code == 0, err
    return json.loads(out)


class Help(unittest.TestCase):
    def test_help_goes_to_stdout_with_0(self):
        for args in (["--help"], ["help"], *([c, "--help"] for c in self.commands())):
            code, out, err = tendril(*args)
            self.assertEqual((code, err), (0, ""))
            self.assertIn("Usage: tendril", out)

    def commands(self):
        found = re.findall(r"^  ([a-z]+)", tendril("--help")[1], re.M)
        self.assertGreater(len(found), 10)
        return [name for name in found if name != "help"]

    def test_help_of_a_command_is_that_of_its_option(self):
        for name in self.commands():
            self.assertEqual(tendril("help", name), tendril(name, "--help"))
        code, _, err = tendril("help", "gorw")
        self.assertEqual(code, 2)
        self.assertIn("did you mean 'grow'?", err)

    def test_manual_pages_have_every_option_of_the_help(self):
        for name in self.commands():
            code, page, err = tendril("man", name)
            self.assertEqual((code, err), (0, ""))
            self.assertTrue(page.startswith(f".TH TENDRIL-{name.upper()} 1"))
            for option in re.findall(r"^  (-[-a-z]+)", tendril(name, "--help")[1], re.M):
                self.assertIn("\\fB" + option.replace("-", "\\-") + "\\fR", page)
        with tempfile.TemporaryDirectory() as folder:
            self.assertEqual(tendril("man", "--into", f"{folder}/deep/man")[0], 0)
            pages = sorted(os.listdir(f"{folder}/deep/man"))
            self.assertEqual(pages, sorted(["tendril.1", *(f"tendril-{n}.1" for n in self.commands())]))

    def test_bash_completes_commands_options_and_files(self):
        def complete(*words):
            script = (f"source <({COMMAND} complete bash); COMP_WORDS=(tendril {' '.join(words)}); "
                      f"COMP_CWORD={len(words)}; _tendril; echo ${{COMPREPLY[@]}}")
            return subprocess.run(["bash", "-c", script], capture_output=True, text=True, cwd=ROOT,
                                  check=True).stdout.split()
        self.assertEqual(complete("gr"), ["grow"])
        self.assertEqual(complete("grow", "--st"), ["--string", "--stats", "--steps"])
        self.assertEqual(complete("check", "--"), ["--define", "--view", "--help"])
        self.assertEqual(complete("info", "--"), ["--json", "--scene-keys", "--help"])
        self.assertEqual(complete("grow", "READ"), ["README.md"])
        for shell in ("zsh", "fish"):
            code, out, err = tendril("complete", shell)
            self.assertEqual((code, err), (0, ""))
            self.assertIn("prune-length", out)

    def test_init_writes_files_that_work_and_keeps_what_is_there(self):
        with tempfile.TemporaryDirectory() as folder:
            code, out, err = tendril("init", f"{folder}/my/first")
            self.assertEqual((code, err), (0, ""))
            names = [os.path.basename(p) for p in out.split()]
            self.assertEqual(names, ["sprig.lsys", "sprig.yaml", "NOTES.md"])
            self.assertEqual(tendril("check", *out.split()[:2])[0], 0)
            pathlib.Path(folder, "my/first/sprig.lsys").write_text("mine")
            code, _, err = tendril("init", f"{folder}/my/first")
            self.assertEqual(code, 5)
            self.assertIn("sprig.lsys is there already", err)
            self.assertEqual(pathlib.Path(folder, "my/first/sprig.lsys").read_text(), "mine")
            self.assertEqual(tendril("init", f"{folder}/my/first", "--force")[0], 0)
            self.assertIn("axiom", pathlib.Path(folder, "my/first/sprig.lsys").read_text())

    def test_grow_makes_folders_and_says_what_it_wrote(self):
        with tempfile.TemporaryDirectory() as folder:
            code, out, err = tendril("grow", SCENES / "plants/rose.lsys", "-o", f"{folder}/a/b/rose.glb")
            self.assertEqual((code, out), (0, ""))
            self.assertIn(f"wrote {folder}/a/b/rose.glb", err)
            self.assertTrue(os.path.getsize(f"{folder}/a/b/rose.glb") > 1000)

    def test_a_file_that_may_not_grow_is_a_full_disk(self):
        with tempfile.TemporaryDirectory() as folder:
            done = subprocess.run([COMMAND, "grow", SCENES / "plants/rose.lsys", "-o", f"{folder}/rose.glb"],
                                  capture_output=True, text=True,
                                  preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096)))
            self.assertEqual(done.returncode, 5)
            self.assertIn("rose.glb", done.stderr)
            self.assertEqual(os.listdir(folder), [])

    def test_misuse_is_2_with_a_message(self):
        for args in ([], ["sprout"], ["grow"], ["grow", "a", "b"], ["grow", "a", "--steps"],
                     ["grow", "a", "--steps", "-1"], ["grow", "a", "--steps", "x"],
                     ["grow", "a", "--no-such"], ["grow", "a", "-o", "b.obj"],
                     ["grow", "a", "--define", "=3"], ["check"], ["bench", "nothing"],
                     ["settle"], ["settle", "a", "b"], ["settle", "a", "--gravity", "1,2"],
                     ["settle", "a", "--gravity", "1,2,3,4"], ["settle", "a", "--gravity", "1,2,x"],
                     ["settle", "a", "--springs", "stiff"], ["modes"], ["modes", "a", "--count", "0"],
                     ["validate", "nothing"], ["run"], ["run", "a", "b"],
                     ["run", "a", "--dt", "0"], ["run", "a", "--threads", "257"],
                     ["run", "a", "-o", ""], ["init"], ["man", "nothing"], ["complete", "csh"], ["plot"], ["plot", "a", "b"], ["plot", "a", "--x"]):
            code, out, err = tendril(*args)
            self.assertEqual(code, 2, args)
            self.assertEqual(out, "")
            self.assertTrue(err, args)

    def test_misspelt_names_get_a_suggestion(self):
        scenes = ROOT / "scenes"
        for args, hint in ((["rnu"], "did you mean 'run'?"),
                           (["helpp", "run"], "did you mean 'help'?"),
                           (["grow", "a", "--sting"], "did you mean '--string'?"),
                           (["grow", "a", "--setps=3"], "did you mean '--steps'?"),
                           (["grow", f"{scenes}/plants/ros.lsys"], "plants/rose.lsys'?"),
                           (["run", f"{scenes}/palm-in-wnd.yaml"], "palm-in-wind.yaml'?")):
            code, _, err = tendril(*args)
            self.assertIn(code, (2, 3))
            self.assertIn(hint, err)
        for args in (["xxxxxxxx"], ["grow", f"{scenes}/nothing-like-this-at-all.lsys"]):
            self.assertNotIn("did you mean", tendril(*args)[2])

    def test_the_right_command_is_named(self):
        for args, command in ((["run", f"{ROOT}/scenes/plants/rose.lsys"], "tendril grow"),
                              (["grow", f"{ROOT}/scenes/palm-in-wind.yaml"], "tendril run")):
            code, out, err = tendril(*args)
            self.assertEqual((code, out), (3, ""))
            self.assertIn(command, err)

    def test_a_plant_taller_than_any_tree_gets_a_warning(self):
        code, _, err = tendril("grow", "-", text="axiom: F(443)\n")
        self.assertEqual(code, 0)
        self.assertIn("443 m tall", err)
        self.assertIn("length unit", err)
        self.assertEqual(tendril("grow", "-", text="length unit: 0.1\naxiom: F(443)\n")[2], "")

    def test_version_and_info(self):
        version = ".".join(re.findall(r"#define TD_VERSION_(?:MAJOR|MINOR|PATCH) +(\d+)",
                                      (ROOT / "include/tendril/base.h").read_text()))
        self.assertEqual(tendril("--version")[1], f"tendril {version}\n")
        lines = [json.loads(line) for line in tendril("info", "--json")[1].splitlines()]
        self.assertEqual(lines[0]["version"], version)
        self.assertIn("green-wood", [row.get("material") for row in lines])
        self.assertTrue(all(row["source"] for row in lines[1:]))

    def test_the_guide_lists_the_materials_as_they_are(self):
        guide = (ROOT / "docs/guide/plants.md").read_text()
        table = guide[guide.index("| name | for | kg/m³"):]
        rows = dict(re.findall(r"^\| `([\w-]+)` \|(.*\d+ ms.*)$", table, re.M))
        for line in tendril("info", "--json")[1].splitlines()[1:]:
            material = json.loads(line)
            row = rows[material["material"]]
            cells = [cell.strip() for cell in row.split("|")]
            self.assertEqual(cells[0], material["organ"], row)
            self.assertEqual(float(cells[1]), material["density"], row)
            value, unit = cells[2].split()
            self.assertAlmostEqual(float(value) * {"MPa": 1e6, "GPa": 1e9}[unit] /
                                   material["young"], 1, 9, row)


class Grow(unittest.TestCase):
    def test_a_skeleton_in_json_serves_as_its_model_does(self):
        model = SCENES / "plants/young-oak.lsys"
        with tempfile.TemporaryDirectory() as folder:
            once, again = f"{folder}/a.json", f"{folder}/b.json"
            self.assertEqual(tendril("grow", model, "--steps", "3", "-o", once)[0], 0)
            self.assertEqual(tendril("grow", once, "-o", again)[0], 0)
            text = pathlib.Path(once).read_text()
            self.assertEqual(text, pathlib.Path(again).read_text())
            figures = json.loads(tendril("grow", once, "--json")[1])
            self.assertEqual(figures["segments"], stats(model, "--steps", "3")["segments"])
            self.assertEqual(tendril("settle", once), tendril("settle", model, "--steps", "3"))
            self.assertEqual(tendril("check", once), (0, "", ""))
            scene = pathlib.Path(folder, "scene.yaml")
            scene.write_text("objects:\n  - plant: a.json\n")
            self.assertEqual(tendril("check", scene), (0, "", ""))
            scene.write_text("objects:\n  - {plant: a.json, steps: 3}\n")
            code, _, err = tendril("check", scene)
            self.assertEqual(code, 3)
            self.assertIn("does not grow", err)
            for args, words in ((("--steps", "2"), "does not grow"), (("--string",), "no string")):
                code, _, err = tendril("grow", once, *args)
                self.assertEqual(code, 2)
                self.assertIn(words, err)
            pathlib.Path(once).write_text(text.replace('"mass"', '"mas"', 1))
            code, _, err = tendril("check", once)
            self.assertEqual(code, 3)
            self.assertRegex(err, r"a\.json:\d+:\d+: error: unknown key 'mas'")
            pathlib.Path(once).write_text("{")
            code, _, err = tendril("grow", once)
            self.assertEqual(code, 3)
            self.assertIn('is not a skeleton: it has no "segments"', err)

    def test_segments_over_the_limit_are_refused_with_their_number(self):
        text = "axiom: " + "F" * 20000 + "\n"
        for command in (["grow"], ["grow", "--string", "--stats"], ["settle"], ["modes"]):
            code, out, err = tendril(*command, "-", "--max-segments", "19999", text=text)
            self.assertEqual((code, out), (3, ""))
            self.assertIn("there are 20000 segments, more than the 19999 of --max-segments", err)
        self.assertEqual(tendril("grow", "-", "--max-segments", "20000", text=text)[0], 0)

    def test_a_definition_needs_a_value_and_a_name_that_the_model_has(self):
        text = "#define NODES 3\naxiom: A(NODES)\n"
        code, _, err = tendril("grow", "-", "--define", "X", text=text)
        self.assertEqual(code, 2)
        self.assertIn("'X'", err)
        code, _, err = tendril("grow", "-", "--define", "NODE=7", text=text)
        self.assertEqual(code, 3)
        self.assertIn("did you mean 'NODES'?", err)

    def test_honda_tree_has_the_known_figures(self):
        got = stats(SCENES / "abop/fig-2.6a.lsys", "--steps", "10")
        self.assertEqual(got["modules"], 7162)
        self.assertEqual(got["counts"]["F"], 1023)
        self.assertAlmostEqual(got["length"], 113.330078125, delta=1e-9)
        self.assertEqual(sorted(got), ["counts", "height", "length", "mass", "modules", "segments"])

    def test_large_strings_are_measured_in_little_memory(self):
        def small():
            if not SANITIZED:
                resource.setrlimit(resource.RLIMIT_AS, (128 << 20, 128 << 20))
        # with sanitizers there is no such limit, and the same code takes long
        steps, modules = (5, 243419) if SANITIZED else (7, 15578843)
        done = subprocess.run([COMMAND, "grow", SCENES / "abop/fig-1.6.lsys", "--steps", str(steps),
                               "--stats", "--json"], capture_output=True, preexec_fn=small)
        self.assertEqual(done.returncode, 0, done.stderr)
        got = json.loads(done.stdout)
        self.assertEqual((got["modules"], got["segments"]), (modules, 4 * 8**steps))

    def test_mass_and_height_are_those_of_the_cylinders(self):
        got = stats("-", text="material: 0 green-wood, density=800\n"
                              "axiom: !(0.02)F(1)!(0.01)F(0.5)\n")
        self.assertAlmostEqual(got["mass"], 800 * 3.14159265358979 * (1e-4 + 0.25e-4 * 0.5), 12)
        self.assertAlmostEqual(got["height"], 1.5, 12)
        self.assertEqual(got["segments"], 2)

    def test_seed_steps_and_defines_are_obeyed(self):
        text = "#define N 1\nseed: 1\nderivation length: 2\naxiom: A(N)\n" \
               "A(x) --> F(x)A(x+1) : 1\nA(x) --> f(x)A(x+1) : 1\n"
        strings = {tendril("grow", "-", "--string", "--seed", seed, text=text)[1]
                   for seed in range(40)}
        self.assertEqual(len(strings), 4)
        self.assertEqual(tendril("grow", "-", "--string", "--seed", 5, text=text),
                         tendril("grow", "-", "--string", "--seed", 5, text=text))
        self.assertEqual(tendril("grow", "-", "--string", "--steps", 0, "--define", "N=7",
                                 text=text)[1], "A(7)\n")

    def test_what_a_model_prints_stays_out_of_standard_output(self):
        text = 'Start: { f = fopen("log.txt", "w"); fprintf(f, "%d\\n", 3); printf("hello\\n"); }\n' \
               'axiom: F\n'
        code, out, err = tendril("grow", "-", "--string", text=text)
        self.assertEqual((code, out), (0, "F\n"))
        self.assertIn("hello\n", err)
        self.assertIn("'log.txt' is not written", err)
        with tempfile.TemporaryDirectory() as folder:
            log = pathlib.Path(folder, "log.txt")
            for _ in range(2):
                self.assertEqual(tendril("grow", "-", "-o", f"{folder}/a.txt", text=text)[0], 0)
                self.assertEqual(log.read_text(), "3\n")
            more = text.replace('"w"', '"a"')
            self.assertEqual(tendril("grow", "-", "-o", f"{folder}/a.txt", text=more)[0], 0)
            self.assertEqual(log.read_text(), "3\n3\n")
            # a model that fails leaves no file
            log.unlink()
            bad = text.replace("axiom: F", "axiom: F(1/0)")
            self.assertEqual(tendril("grow", "-", "-o", f"{folder}/a.txt", text=bad)[0], 3)
            self.assertFalse(log.exists())
            code, _, err = tendril("grow", "-", "-o", f"{folder}/a.txt",
                                   text=text.replace("log.txt", "../log.txt"))
            self.assertEqual(code, 3)
            self.assertRegex(err, r"1:20: error: the file \"../log.txt\" lies outside")

    def test_float_takes_single_precision(self):
        text = "axiom: A(0.1)\nA(x) --> B(x == 0.1)\nderivation length: 1\n"
        self.assertEqual(tendril("grow", "-", "--string", text=text)[1], "B(1)\n")
        self.assertEqual(tendril("grow", "-", "--string", "--float", text=text)[1], "B(0)\n")

    def test_output_suffix_picks_the_format(self):
        with tempfile.TemporaryDirectory() as folder:
            for suffix, start in ((".glb", b"glTF"), (".json", b"{"), (".txt", b"!(0.02)F(1)")):
                path = pathlib.Path(folder, "plant" + suffix)
                code, out, err = tendril("grow", "-", "-o", path, text="axiom: !(0.02)F(1)\n")
                self.assertEqual((code, out), (0, ""))
                self.assertTrue(err.startswith(f"wrote {path}"))
                self.assertTrue(path.read_bytes().startswith(start))
            self.assertEqual(len(json.loads(pathlib.Path(folder, "plant.json").read_text())
                                 ["segments"]), 1)
            self.assertEqual(len(os.listdir(folder)), 3, "nothing is left beside")

    def test_cannot_write_is_5_and_leaves_nothing(self):
        with tempfile.TemporaryDirectory() as folder:
            pathlib.Path(folder, "file").write_text("no folder")
            code, _, err = tendril("grow", "-", "-o", f"{folder}/file/a.glb", text="axiom: F\n")
            self.assertEqual(code, 5)
            self.assertIn("file", err)
            self.assertEqual(os.listdir(folder), ["file"])

    def test_a_full_disk_under_standard_output_is_5(self):
        if os.path.exists("/dev/full"):
            with open("/dev/full", "w") as full:
                done = subprocess.run([COMMAND, "grow", "-", "--string"], input=b"axiom: F\n",
                                      stdout=full, stderr=subprocess.PIPE)
            self.assertEqual(done.returncode, 5)

    def test_triangles_and_textures(self):
        with tempfile.TemporaryDirectory() as folder:
            rose = ROOT / "scenes/plants/rose.lsys"
            found = {}
            for name, options in (("few", ["--triangles", "2000"]), ("rich", ["--triangles", "2000", "--textures"])):
                code, _, err = tendril("grow", rose, *options, "-o", f"{folder}/{name}.glb")
                self.assertEqual(code, 0, err)
                found[name] = glb_json(pathlib.Path(folder, f"{name}.glb"))
            triangles = [sum(found[name]["accessors"][p["indices"]]["count"] // 3
                             for p in found[name]["meshes"][0]["primitives"]) for name in found]
            self.assertEqual(triangles[0], triangles[1])
            self.assertTrue(1000 < triangles[0] <= 2000, triangles)
            self.assertNotIn("images", found["few"])
            self.assertEqual(len(found["rich"]["images"]), 4)  # stalk, leaf with its normals, petal
            code, _, err = tendril("grow", rose, "--triangles", "99", "-o", f"{folder}/x.glb")
            self.assertEqual(code, 2)
            self.assertIn("--triangles", err)

    def test_springs_and_pruning(self):
        with tempfile.TemporaryDirectory() as folder:
            text = "axiom: !(0.02)F(1)F(1)F(0.001)\n"
            stiff = {}
            for rule in ("thesis", "clamped"):
                tendril("grow", "-", "-o", f"{folder}/{rule}.json", "--springs", rule, text=text)
                skeleton = json.loads(pathlib.Path(folder, f"{rule}.json").read_text())
                stiff[rule] = skeleton["segments"][0]["stiffness"][0]
            self.assertAlmostEqual(stiff["clamped"] / stiff["thesis"], 2, 12)
            self.assertEqual(stats("-", "--prune-length", "0.01", text=text)["segments"], 2)


class Cpfg(unittest.TestCase):
    """Models with the files of cpfg beside them."""
    SAPLING = SCENES / "cpfg" / "sapling"

    def test_a_folder_and_its_model_are_the_same(self):
        folder, model = stats(self.SAPLING), stats(self.SAPLING / "sapling.l")
        self.assertEqual(folder, model)
        self.assertEqual((folder["modules"], folder["segments"]), (62, 25))
        self.assertEqual(tendril("check", self.SAPLING), (0, "", ""))
        with tempfile.TemporaryDirectory() as place:
            scene = pathlib.Path(place, "scene.yaml")
            scene.write_text(f"objects:\n  - {{name: a, plant: {self.SAPLING}}}\nrecord: {{duration: 0.1}}\n")
            self.assertEqual(tendril("check", scene), (0, "", ""))
        for command in (["settle", "--json"], ["modes", "--count", "2"]):
            code, out, err = tendril(*command, self.SAPLING)
            self.assertEqual((code, err), (0, ""))

    def test_a_view_file_can_be_given(self):
        with tempfile.TemporaryDirectory() as folder:
            model, view = pathlib.Path(folder, "a.l"), pathlib.Path(folder, "b.v")
            model.write_text("axiom: F(1)+F(1)\n")
            view.write_text("angle increment: 180\n")
            self.assertAlmostEqual(stats(model, "--view", view)["height"], 1, places=6)
            code, out, err = tendril("grow", model)
            self.assertEqual(code, 0)
            self.assertIn("a.l:1:12: warning: this turn has no angle, so it is 90 degrees", err)
            pathlib.Path(folder, "a.v").write_text("angle increment: 0\n")
            self.assertAlmostEqual(stats(model)["height"], 2, places=6)

    def test_what_is_wrong_is_told_with_its_place(self):
        with tempfile.TemporaryDirectory() as folder:
            code, out, err = tendril("grow", folder)
            self.assertEqual((code, out), (3, ""))
            self.assertIn("is a folder without a file 'specifications'", err)
            pathlib.Path(folder, "specifications").write_text("plant.l\n")
            code, out, err = tendril("check", folder)
            self.assertEqual(code, 3)
            self.assertIn("has no line 'cpfg ... model.l'", err)
            pathlib.Path(folder, "specifications").write_text("cpfg -m plant.map plant.l plant.v\n")
            pathlib.Path(folder, "plant.l").write_text("axiom: F\n")
            pathlib.Path(folder, "plant.v").write_text("function: growth.func 10\n")
            code, out, err = tendril("check", folder)
            self.assertEqual(code, 3)
            self.assertIn("plant.v:1:11: error: function: cannot read the file 'growth.func'", err)
            pathlib.Path(folder, "plant.v").write_text("")
            pathlib.Path(folder, "plant.map").write_bytes(bytes(700))
            code, out, err = tendril("check", folder)
            self.assertEqual(code, 3)
            self.assertIn("plant.map: error: the colour map has 700 bytes; expected 768", err)


class Plot(unittest.TestCase):
    def plot(self, tables):
        """Exit code, output, messages, and the pictures that are there afterwards."""
        with tempfile.TemporaryDirectory() as folder:
            for name, text in tables.items():
                pathlib.Path(folder, name).write_text(text)
            done = tendril("plot", folder)
            pictures = {path.name: path.read_text() for path in pathlib.Path(folder).glob("*.svg")}
            return *done, pictures

    def test_letters_that_a_pdf_cannot_show_are_told(self):
        with tempfile.TemporaryDirectory() as folder:
            table = pathlib.Path(folder, "t.csv")
            for name, told in (("angle", False), ("größe", False), ("θ", True), ("длина", True)):
                table.write_text(f"time [s],{name}.x [m]\n0,1\n1,2\n")
                code, out, err = tendril("plot", table, "-o", table.with_suffix(".pdf"))
                self.assertEqual((code, "beyond Latin-1" in err), (0, told), err)
                self.assertEqual(tendril("plot", table, "-o", table.with_suffix(".svg"))[2], "")

    def test_tables_become_pictures(self):
        table = "time,tip.x [m],tip.y [m],load [N]\n0,0,1,5\n1,0.5,2,4\n2,0.2,1,3\n"
        code, out, err, pictures = self.plot({"probes.csv": table, "energy.csv": table})
        self.assertEqual((code, err), (0, ""))
        self.assertEqual([pathlib.Path(line).name for line in out.splitlines()],
                         ["probes.svg", "energy.svg"])
        self.assertEqual(sorted(pictures), ["energy.svg", "probes.svg"])
        for picture in pictures.values():
            root = xml.etree.ElementTree.fromstring(picture)
            texts = ["".join(node.itertext()) for node in root.iter() if node.tag.endswith("text")]
            for wanted in ("tip.x", "tip.y", "load", "m", "N", "0.5"):
                self.assertIn(wanted, texts)

    def test_a_folder_that_is_not_there_is_told(self):
        code, out, err = tendril("plot", "no/such/folder")
        self.assertEqual((code, out), (3, ""))
        self.assertIn("there is no folder or table 'no/such/folder'", err)

    def test_out_chooses_table_and_format(self):
        table = "time,tip.x [m]\n0,0\n1,0.5\n2,0.2\n"
        with tempfile.TemporaryDirectory() as folder:
            where = pathlib.Path(folder)
            (where / "energy.csv").write_text(table)
            self.assertEqual(tendril("plot", folder, "-o", f"{folder}/new/a.pdf")[0], 0)
            self.assertEqual((where / "new/a.pdf").read_bytes()[:5], b"%PDF-")
            self.assertEqual(tendril("plot", f"{folder}/energy.csv")[0], 0)
            self.assertEqual(tendril("plot", folder, "-o", f"{folder}/b.svg")[0], 0)
            root = xml.etree.ElementTree.fromstring((where / "b.svg").read_text())
            self.assertTrue(all(node.get("stroke") for node in root.iter() if node.tag.endswith("path")))
            code, _, err = tendril("plot", folder, "-o", f"{folder}/a.jpg")
            self.assertEqual(code, 2)
            self.assertIn(".svg, .pdf or .png", err)

    def test_a_png_is_twice_the_size_of_the_svg(self):
        with tempfile.TemporaryDirectory() as folder:
            pathlib.Path(folder, "energy.csv").write_text("time,tip.x [m]\n0,0\n1,0.5\n2,0.2\n")
            code, _, err = tendril("plot", folder, "-o", f"{folder}/a.png")
            self.assertEqual((code, err), (0, ""))
            width, height, rows = png_rows(pathlib.Path(folder, "a.png").read_bytes())
            self.assertEqual((width, height), (1520, 620))
            self.assertEqual(rows[0][:3], bytes([0xfb, 0xfb, 0xf8]))

    def test_a_table_that_is_not_there_is_left_out(self):
        code, _, _, pictures = self.plot({"energy.csv": "time,total [J]\n0,1\n1,1\n"})
        self.assertEqual((code, list(pictures)), (0, ["energy.svg"]))

    def test_bad_tables_are_refused_with_their_place(self):
        code, out, err, pictures = self.plot({"probes.csv": "time,a\n0,1\n1,one\n"})
        self.assertEqual((code, out, pictures), (3, "", {}))
        self.assertRegex(err, r"probes\.csv:3:3: error: expected a number\n  1,one\n    \^")
        code, _, err, _ = self.plot({})
        self.assertEqual(code, 3)
        self.assertIn("probes.csv", err)


def rows(*args, text=None):
    code, out, err = tendril(*args, "--json", text=text)
    assert code == 0, err
    return [json.loads(line) for line in out.splitlines()]


class Bodies(unittest.TestCase):
    """settle, modes and validate. The beam is the plants thesis's: 1 m, level, ten segments."""

    BEAM = "material: 0 green-wood, density=923, young=8.1e9, shear=3.1e9, damping=0.001\n" \
           "axiom: !(0.02)&(90)" + "F(0.1)" * 10 + "\n"

    def test_a_beam_settles_to_the_droop_of_beam_theory(self):
        *segments, whole = rows("settle", "-", text=self.BEAM)
        self.assertEqual([s["segment"] for s in segments], list(range(10)))
        self.assertEqual([s["parent"] for s in segments], list(range(-1, 9)))
        self.assertEqual(sorted(segments[0]), ["parent", "segment", "x", "y", "z"])
        self.assertEqual(sorted(whole), ["energy", "iterations", "residual", "unstable"])
        # w l^4/(8EI) (1 + 1/n^2)
        theory = 923 * 9.81 * 4 / 0.01**2 / (8 * 8.1e9) * 1.01
        self.assertAlmostEqual(-segments[-1]["y"] / theory, 1, delta=1e-4)
        self.assertLess(whole["residual"], 1e-9)
        self.assertLess(whole["energy"], 0)
        self.assertGreater(whole["iterations"], 0)

    def test_gravity_can_point_anywhere_and_be_off(self):
        def tip(gravity):
            return rows("settle", "-", "--gravity", gravity, text=self.BEAM)[9]
        down, up, off = tip("0,-9.81,0"), tip("0,9.81,0"), tip("0,0,0")
        self.assertAlmostEqual(down["y"], -up["y"], delta=1e-12)
        self.assertLess(abs(off["y"]), 1e-12)
        self.assertAlmostEqual(abs(off["x"]) + abs(off["z"]), 1, delta=1e-12)

    def test_a_beam_has_the_frequencies_of_beam_theory(self):
        modes = rows("modes", "-", "--count", "12", "--no-gravity", text=self.BEAM)
        self.assertEqual([m["mode"] for m in modes], list(range(1, 13)))
        self.assertEqual(sorted(modes[0]), ["damping_ratio", "hz", "kind", "mode"])
        bend = [m for m in modes if m["kind"] == "bend"]
        twist = [m for m in modes if m["kind"] == "twist"]
        first = 1.87510**2 / (2 * 3.14159265) * (8.1e9 * 0.01**2 / (4 * 923))**0.5
        self.assertAlmostEqual(bend[0]["hz"] / first, 1, delta=0.01)
        self.assertAlmostEqual(bend[1]["hz"] / bend[0]["hz"], 1, delta=1e-6)
        # ten segments are coarse for the second: (beta l/n)^2 of it is the error to expect
        second = first * (4.69409 / 1.87510)**2
        self.assertAlmostEqual(bend[2]["hz"] / second, 1, delta=0.469**2 / 10)
        self.assertAlmostEqual(twist[0]["hz"] / ((3.1e9 / 923)**0.5 / 4), 1, delta=0.01)
        for mode in modes:  # damping in proportion to stiffness
            self.assertAlmostEqual(mode["damping_ratio"] / (3.14159265 * mode["hz"] * 0.001), 1,
                                   delta=1e-3)

    def test_a_rose_stands_and_sways(self):
        rose = SCENES / "plants/rose.lsys"
        *segments, whole = rows("settle", rose)
        self.assertEqual(len(segments), stats(rose)["segments"])
        self.assertTrue(all(s["parent"] < s["segment"] for s in segments))
        self.assertLess(whole["residual"], 1e-9)
        self.assertGreater(max(s["y"] for s in segments), 0.3)
        modes = rows("modes", rose, "--count", "5")
        self.assertEqual(len(modes), 5)
        self.assertEqual(sorted(modes, key=lambda m: m["hz"]), modes)
        self.assertTrue(all(0.1 < m["hz"] < 20 and 0 < m["damping_ratio"] < 1 for m in modes))

    def test_steps_and_defines_are_obeyed(self):
        text = "#define L 0.1\naxiom: A\nA --> !(0.02)F(L)A\n"
        *segments, _ = rows("settle", "-", "--steps", "3", "--define", "L=0.2", text=text)
        self.assertEqual(len(segments), 3)
        self.assertAlmostEqual(segments[2]["y"], 0.6, delta=1e-3)

    def test_more_modes_than_freedoms_are_all_there_are(self):
        self.assertEqual(len(rows("modes", "-", "--count", "99", text="axiom: !(0.02)F(1)\n")), 3)

    ROPES = "air_density: 0\nobjects:\n" \
            "  - {name: stiff, strand: &rope {points: [[0, 0, 0], [1, 0, 0]], radius: 0.01, segments: 10,\n" \
            "           bend: 2, line_mass: 0.3}}\n" \
            "  - {strand: *rope, name: elastic, solver: rod}\n" \
            "  - {strand: *rope, name: row, instances: {count: 2, area: [9, 0, 0], turned: false}}\n"

    def test_scenes_settle_and_sway_by_every_solver(self):
        with tempfile.TemporaryDirectory() as folder:
            scene = pathlib.Path(folder) / "ropes.yaml"
            scene.write_text(self.ROPES)
            found = rows("settle", scene)
            names = ["stiff", "elastic", "row-0", "row-1"]
            self.assertEqual([r["object"] for r in found if "energy" in r], names)
            self.assertEqual([r["object"] for r in found if "segment" in r],
                             [n for n in names for _ in range(10)])
            tips = [r["y"] for r in found if r.get("segment") == 9]
            # w l^4/(8EI) (1 + 1/n^2), less what a droop of a tenth takes off
            self.assertAlmostEqual(-tips[0] / (0.3 * 9.81 / 16 * 1.01), 1, delta=0.05)
            for y in tips:
                self.assertAlmostEqual(y / tips[0], 1, delta=1e-3)
            for whole in (r for r in found if "energy" in r):
                self.assertLess(whole["residual"], 1e-5)
            one = rows("settle", scene, "--object", "row")
            self.assertEqual(one, [r for r in found if r["object"].startswith("row")])
            modes = rows("modes", scene, "--count", "3", "--no-gravity")
            self.assertEqual([(m["object"], m["mode"]) for m in modes],
                             [(n, k) for n in names for k in (1, 2, 3)])
            first = 1.87510**2 / (2 * 3.14159265) * (2 / 0.3)**0.5
            for k in range(0, 12, 3):
                self.assertAlmostEqual(modes[k]["hz"] / first, 1, delta=0.01)
            self.assertEqual(len(rows("modes", scene, "--count", "2", "--object", "elastic")), 2)

    def test_modes_of_joined_objects_are_printed_once_and_of_what_lies_on_a_floor_not_at_all(self):
        with tempfile.TemporaryDirectory() as folder:
            scene = pathlib.Path(folder) / "scene.yaml"
            cord = "strand: {points: [[0, 0, 0], [0, -0.5, 0]], segments: 4}"
            scene.write_text("objects: [{name: left, %s}, {name: right, position: [0.2, 0, 0], %s}]\n"
                             "constraints: [{distance: {a: {object: left, segment: 3}, b: {object: right, segment: 3}}}]\n"
                             % (cord, cord))
            modes = rows("modes", scene, "--count", "2")
            self.assertEqual([(m["objects"], m["mode"]) for m in modes], [(["left", "right"], 1), (["left", "right"], 2)])
            self.assertEqual(rows("modes", scene, "--count", "2", "--object", "right"), modes)
            self.assertIn("left+right ", tendril("modes", scene, "--count", "2")[1])
            scene.write_text("objects: [{name: reed, strand: {points: [[1, 1, 0], [1, 2, 0]], segments: 4}},\n"
                             " {name: stick, loose: true, position: [0, 0.1, 0], strand: {points: [[0, 0, 0], [0.3, 0, 0]], segments: 4}}]\n"
                             "colliders: [{plane: {}}]\n")
            code, out, err = tendril("modes", scene)
            self.assertEqual((code, out), (3, ""))
            self.assertIn("'stick' has no modes", err)
            scene.write_text("objects: [{name: a, solver: helix, strand: {points: [[0, 0, 0], [0.5, 0, 0]], elements: 2,"
                             " segments: 8, material: green-wood}}]\n"
                             "constraints: [{weld: {a: {object: a, segment: 7}}}]\n")
            code, out, err = tendril("modes", scene, "--count", "3")
            self.assertEqual(code, 0, err)
            self.assertIn("constraints leave 'a' 1 of its 6 degrees of freedom", err)
            scene.write_text(scene.read_text().replace("elements: 2", "elements: 8"))
            code, out, err = tendril("settle", scene)
            self.assertEqual((code, out), (4, ""))
            self.assertIn("leave some slack, or take a solver that stretches", err)

    def test_unstable_rest_is_a_warning_of_the_summary(self):
        with tempfile.TemporaryDirectory() as folder:
            scene = pathlib.Path(folder) / "pole.yaml"
            scene.write_text("objects: [{name: pole, strand: {points: [[0, 0, 0], [0, 1, 0]], segments: 20, bend: 0.1,"
                             " torsion: 0.1, line_mass: 0.2, radius: 0.005}}]\nrecord: {duration: 0.1}\n")
            code, out, err = tendril("run", scene, "-o", pathlib.Path(folder) / "out")
            self.assertEqual(code, 0, err)
            summary = json.loads((pathlib.Path(folder) / "out" / "summary.json").read_text())
            self.assertEqual(summary["warnings"], ["'pole' starts at rest where it is not stable"])
            code, out, err = tendril("settle", scene)
            self.assertEqual((code, err.count("not stable")), (0, 1), err)

    def test_scenes_at_rest_refuse_what_is_not_for_them(self):
        with tempfile.TemporaryDirectory() as folder:
            scene = pathlib.Path(folder) / "ropes.yaml"
            scene.write_text(self.ROPES)
            for command in ("settle", "modes"):
                code, out, err = tendril(command, scene, "--object", "none")
                self.assertEqual((code, out), (2, ""))
                self.assertIn("has no object 'none'", err)
                code, out, err = tendril(command, scene, "--steps", "3")
                self.assertEqual((code, out), (2, ""))
                self.assertIn("are for models", err)
                code, out, err = tendril(command, "-", "--object", "a", text=self.BEAM)
                self.assertEqual((code, out), (2, ""))
                self.assertIn("--object is for scenes", err)

    def test_without_json_there_are_tables(self):
        code, out, _ = tendril("settle", "-", text=self.BEAM)
        self.assertEqual((code, len(out.splitlines())), (0, 1 + 10 + 3))
        code, out, _ = tendril("modes", "-", "--count", "4", text=self.BEAM)
        self.assertEqual((code, len(out.splitlines())), (0, 1 + 4))

    def test_a_plant_without_segments_is_bad_input(self):
        for command in ("settle", "modes"):
            code, out, err = tendril(command, "-", text="axiom: A\n")
            self.assertEqual((code, out), (3, ""))
            self.assertIn("no segments", err)

    def test_validate_lists_its_cases(self):
        code, out, _ = tendril("validate", "--list")
        self.assertEqual(code, 0)
        self.assertEqual([line.split()[0] for line in out.splitlines()],
                         ["pendulum", "double-pendulum", "cantilever", "elastica",
                          "vibration", "chain", "energy", "agreement", "momentum", "drag",
                          "stability", "interpolation", "wind", "base", "rest-under-gravity",
                          "pose", "twist", "resume", "rod-derivatives", "rod-invariance",
                          "rod-cantilever", "rod-elastica", "rod-vibration", "twist-uniform",
                          "buckling", "michell", "helical-buckling", "spring", "transducer",
                          "helix-kinematics", "helix-derivatives", "helix-statics",
                          "helix-cantilever", "helix-elastica", "helix-vibration",
                          "helix-energy", "helix-composite", "helix-stability",
                          "helix-agreement", "storms", "contact", "contact-mixed", "stick-slip",
                          "friction", "rolling",
                          "limits", "impact", "linkage", "loop-chain", "assembly", "metric",
                          "hybrid", "rigidification", "adaptive-error", "adaptive-energy", "lcp"])

    def test_a_case_passes_with_a_row_for_each_figure(self):
        got = rows("validate", "elastica")
        self.assertEqual(len(got), 9)
        for row in got:
            self.assertEqual(sorted(row), ["case", "error", "got", "limit", "n", "pass", "quantity",
                                           "want"])
            self.assertEqual((row["case"], row["pass"]), ("elastica", True))
            self.assertLessEqual(row["error"], row["limit"])
        want = [row["want"] for row in got if "shift" in row["quantity"]]
        for value, known in zip(want, (0.05643, 0.30172, 0.16064, 0.49346, 0.55500, 0.81061)):
            self.assertAlmostEqual(value, known, delta=1e-5)


class Bench(unittest.TestCase):
    def test_list_names_the_cases(self):
        code, out, err = tendril("bench", "--list")
        self.assertEqual((code, err), (0, ""))
        self.assertEqual([line.split()[0] for line in out.splitlines()],
                         ["grow", "mesh", "forward", "step", "realtime", "scaling", "threads",
                          "islands", "heap", "crowd", "constraints", "adaptive", "world", "query", "cut", "rod", "helix", "wasm",
                          "accuracy",
                          "solvers"])

    def test_a_short_run_gives_rows_of_figures(self):
        code, out, err = tendril("bench", "step", "--json", "--seconds", "0.01")
        self.assertEqual((code, err), (0, ""))
        rows = [json.loads(line) for line in out.splitlines()]
        for row in rows:
            self.assertEqual(list(row), ["case", "variant", "n", "value", "unit"])
            self.assertEqual(row["case"], "step")
            self.assertGreater(row["value"], 0, row)
        units = {(row["variant"], row["n"]): row["unit"] for row in rows}
        self.assertEqual(units["chain", 1000], "ns/body/step")
        self.assertEqual(units["plant iterations", 1000], "iterations/step")


SWING = """\
name: Swing
step: 1/240
objects:
  - name: rope
    strand: {points: [[0, 0, 0], [0.3, 0.1, 0], [0.6, 0, 0]], segments: 12}
    position: {keys: [[0, [0, 1, 0]], [0.5, [0.3, 1, 0]], [1, [0, 1, 0]]]}
  - name: reed
    strand: {points: [[0, 0, 0], [0, 0.5, 0]], segments: 6, material: herb-stem}
    instances: {count: 3, variants: 2, smallest: 0.5}
loads:
  - wind: {velocity: [3, 0, 0], intensity: 0.3}
record:
  duration: 1
  probes:
    - {name: end, object: rope, near: [9, 9, 9]}
    - {object: reed, instance: 2, quantity: velocity}
"""
OUTPUTS = ["scene.glb", "scene.html", "probes.csv", "energy.csv"]
FULL = 27000  # bytes of a file: more than a checkpoint, less than scene.glb
STRAND = "strand: {points: [[0, 0, 0], [0, 1, 0]]}"


class Folder(unittest.TestCase):
    """A folder to run in. The player is a stand-in: what counts here is what is put into it."""

    def setUp(self):
        kept = tempfile.TemporaryDirectory()
        self.addCleanup(kept.cleanup)
        self.folder = pathlib.Path(kept.name)
        share = self.folder / "share"
        share.mkdir()
        (share / "player.html").write_text("<html><!-- tendril: clip --></html>")
        os.environ["TENDRIL_SHARE"] = str(share)
        self.addCleanup(os.environ.pop, "TENDRIL_SHARE")
        self.scene = self.write(SWING)

    def write(self, text, name="swing.yaml"):
        path = self.folder / name
        path.write_text(text)
        return path

    def start(self, *args):
        return subprocess.Popen([COMMAND, "run", *map(str, args)], cwd=self.folder,
                                stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)

    def run_to(self, folder, *args, code=0, scene=None):
        got, _, err = tendril("run", scene or self.scene, "-o", self.folder / folder, *args)
        self.assertEqual(got, code, err)
        return self.folder / folder, err

    def same(self, a, b, names=OUTPUTS):
        for name in names:
            self.assertEqual((a / name).read_bytes(), (b / name).read_bytes(), name)


class Run(Folder):
    def test_triangles_are_those_of_all_plants_together(self):
        def triangles(out):
            clip = glb_json(out / "scene.glb")
            drawn = [node["mesh"] for node in clip["nodes"] if "mesh" in node]
            return sum(clip["accessors"][p["indices"]]["count"] // 3
                       for mesh in drawn for p in clip["meshes"][mesh]["primitives"])

        whole, few = self.run_to("whole")[0], self.run_to("few", "--triangles", "1000")[0]
        self.assertTrue(500 < triangles(few) <= 1000 < triangles(whole), (triangles(few), triangles(whole)))

    def test_a_run_writes_motion_page_tables_and_summary(self):
        out, err = self.run_to("a/b")
        self.assertEqual(err, "")
        self.assertEqual(sorted(os.listdir(out)), sorted([*OUTPUTS, "summary.json"]))
        probes = (out / "probes.csv").read_text().splitlines()
        self.assertEqual(probes[0], "time [s],end.x [m],end.y [m],end.z [m],"
                         "reed-2.velocity.x [m/s],reed-2.velocity.y [m/s],reed-2.velocity.z [m/s]")
        self.assertEqual([round(30 * float(row.split(",")[0])) for row in probes[1:]],
                         list(range(31)))
        heading = (out / "energy.csv").read_text().splitlines()[0].split(",")
        self.assertEqual(heading[1:5], ["rope.kinetic [J]", "rope.elastic [J]", "rope.weight [J]",
                                        "rope.total [J]"])
        summary = json.loads((out / "summary.json").read_text())
        self.assertEqual({key: summary[key] for key in
                          ("scene", "frames", "steps", "steps_truncated", "steps_blocked", "actors", "segments",
                           "degrees_of_freedom", "warnings")},
                         {"scene": "Swing", "frames": 31, "steps": 240, "steps_truncated": 0, "steps_blocked": 0,
                          "actors": 4, "segments": 30, "degrees_of_freedom": 90, "warnings": []})
        self.assertEqual(tendril("plot", out)[0], 0)

    def test_the_energy_of_springs_is_a_column_each(self):
        scene = self.write("objects: [{name: cord, strand: {points: [[0, 1, 0], [0, 0.5, 0]], segments: 4}}]\n"
                           "constraints:\n  - distance: {a: {segment: 1}, to: [0.3, 1, 0], end: 0.1}\n"
                           "  - spring: {name: bungee, a: {segment: 3}, to: [0, 0.4, 0], length: 0.05, stiffness: 8}\n"
                           "record: {duration: 0.1, glb: false, page: false}\n", "springs.yaml")
        out, _ = self.run_to("springs", scene=scene)
        heading, *rows = (out / "energy.csv").read_text().splitlines()
        self.assertEqual(heading.split(",")[11:], ["bungee.elastic [J]"])
        self.assertTrue(all(0 < float(row.split(",")[-1]) < 0.1 for row in rows))

    def test_a_scene_names_its_folder(self):
        done = subprocess.run([COMMAND, "run", "swing.yaml"], cwd=self.folder, capture_output=True)
        self.assertEqual(done.returncode, 0)
        self.assertTrue((self.folder / "out/swing/scene.glb").is_file())

    def test_threads_and_repetition_change_nothing_but_the_wall_time(self):
        one, _ = self.run_to("one", "--threads", 1)
        two, _ = self.run_to("two", "--threads", 2)
        self.same(one, two)
        a, b = (json.loads((f / "summary.json").read_text()) for f in (one, two))
        self.assertEqual([key for key in a if key not in ("wall_time", "real_time_factor")
                          and a[key] != b[key]], [])

    def test_joints_that_are_left_out_in_either_way_are_in_the_summary_once(self):
        links = "strand: {points: [[0, 0, 0], [1, 0, 0]], segments: 12, radius: 0.02}, start: drawn, " \
                "joints: [{hinge: {axis: [0, 0, 1]}}]"
        scene = self.write("step: 0.0005\nobjects:\n"
                           f"  - {{{links}, integrator: adaptive, adapt: {{joints: 5, every: 5}}}}\n"
                           f"  - {{{links}, position: [0, 0, 1], adapt: {{joints: 4, every: 5}}}}\n"
                           "record: {duration: 0.1, page: false}\n")
        out, _ = self.run_to("two", scene=scene)
        pairs = json.loads((out / "summary.json").read_text(), object_pairs_hook=lambda p: p)
        summary = dict(pairs)
        self.assertEqual(len(pairs), len(summary))
        self.assertEqual((summary["adaptive_joints"], summary["active_joints"]), (24, 9))
        self.assertEqual(sum(summary[f"{key}_joints"] for key in ("frozen", "joined", "quasistatic")), 8)
        self.assertGreater(summary["largest_error_estimate"], 0)

    def test_the_motion_is_valid_gltf(self):
        need_package(self, "gltf-validator")
        out, _ = self.run_to("out")
        done = subprocess.run(["node", ROOT / "scripts/check-gltf.mjs", out / "scene.glb"],
                              capture_output=True)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    def test_the_camera_sees_the_whole_motion_and_not_much_more(self):
        scene = self.write('''
objects:
  - {name: rope, strand: {points: [[0, 0, 0], [3, 1, 0]], radius: 0.01, segments: 12}, start: drawn}
record:
  duration: 1
  probes: [{name: end, object: rope}, {name: middle, object: rope, near: [1.5, 0.5, 0]}]
''', "rope.yaml")
        out = self.run_to("rope", scene=scene)[0]
        clip = glb_json(out / "scene.glb")
        self.assertEqual(clip["scenes"][0]["extras"], {"fps": 30, "frames": 31})
        node = next(n for n in clip["nodes"] if "camera" in n)
        lens = clip["cameras"][node["camera"]]["perspective"]
        x, y, z, w = node["rotation"]
        axes = ((1 - 2 * (y * y + z * z), 2 * (x * y + w * z), 2 * (x * z - w * y)),
                (2 * (x * y - w * z), 1 - 2 * (x * x + z * z), 2 * (y * z + w * x)),
                (2 * (x * z + w * y), 2 * (y * z - w * x), 1 - 2 * (x * x + y * y)))
        seen = []
        for row in (out / "probes.csv").read_text().splitlines()[1:]:
            values = list(map(float, row.split(",")))[1:]
            for point in ((0, 0, 0), values[:3], values[3:]):
                away = [p - c for p, c in zip(point, node["translation"])]
                u, v, depth = (sum(a * d for a, d in zip(axis, away)) for axis in axes)
                self.assertTrue(lens["znear"] < -depth < lens["zfar"])
                tall = math.tan(lens["yfov"] / 2) * -depth
                seen.append((u / tall / lens["aspectRatio"], v / tall))
        widest = max(abs(c) for point in seen for c in point)
        self.assertTrue(0.6 < widest < 1, widest)

    def test_dt_and_frames_win_over_the_scene(self):
        out, _ = self.run_to("out", "--dt", 0.01, "--frames", "5:9")
        times = [row.split(",")[0] for row in (out / "probes.csv").read_text().splitlines()[1:]]
        self.assertEqual([round(30 * float(time)) for time in times], [5, 6, 7, 8, 9])
        summary = json.loads((out / "summary.json").read_text())
        self.assertAlmostEqual(summary["step"], 0.01)
        self.assertEqual((summary["frames"], summary["steps"]), (5, 30))
        for frames in ("9:5", "x", "5", "31:", "-1:4", "1:2:3"):
            self.run_to("not", "--frames", frames, code=2)
        self.run_to("not", "--dt", 2, code=2)
        out, _ = self.run_to("fraction", "--dt", "1/90", "--frames", "0:1")
        self.assertAlmostEqual(json.loads((out / "summary.json").read_text())["step"], 1 / 90)
        for dt in ("1/", "1/0", "/60", "1/60/2", "1/x"):
            self.run_to("not", "--dt", dt, code=2)

    def test_constraints_that_cannot_be_met_are_named_in_a_warning_and_in_the_summary(self):
        cord = "strand: {points: [[0, 1, 0], [0, 0.6, 0]], segments: 8}"
        scene = self.write(f"objects: [{{name: cord, {cord}}}]\nconstraints:\n"
                           "  - point: {name: near, a: {segment: 7}, to: [0.1, 0.7, 0], end: 0.2}\n"
                           "  - point: {name: far, a: {segment: 7}, to: [0, -1, 0], start: 0.3}\n"
                           "  - rope: {name: string, a: {segment: 3}, to: [0, 1, 0], length: 0.3}\n"
                           "record: {duration: 0.5, page: false}\n")
        out, err = self.run_to("out", scene=scene)
        self.assertRegex(err, r"warning: the constraint 'far' could not be met from 0\.3\d* s on; "
                              r"it was off by up to 1\.[56]")
        self.assertNotIn("'near'", err)
        summary = json.loads((out / "summary.json").read_text())
        near, far, string = summary["constraints"]
        self.assertEqual([c["name"] for c in summary["constraints"]], ["near", "far", "string"])
        self.assertLess(near["largest_error"], 1e-8)
        self.assertGreater(near["largest_force"], 0)
        self.assertTrue(1.4 < far["largest_error"] < 1.7, far)
        self.assertLess(string["largest_error"], 1e-8)
        self.assertEqual(len(summary["warnings"]), 1)
        self.assertIn("'far'", summary["warnings"][0])

    def test_segments_that_still_overlap_at_the_end_are_counted_in_a_warning_and_in_the_summary(self):
        for count, expected in ((2, "1 pair of segments still overlaps at the end, by 0.00"),
                                (3, "2 pairs of segments still overlap at the end, by up to 0.00")):
            stem = "strand: {points: [[-0.2, 0, 0], [0.2, 0, 0]], segments: 4, radius: 0.01}"
            objects = ", ".join(f"{{solver: rod, start: drawn, position: [0, {0.015 * k}, 0], {stem}}}"
                                for k in range(count))
            scene = self.write(f"objects: [{objects}]\ncontact: {{overlap: push}}\n"
                               "record: {duration: 0.5, page: false}\n")
            out, err = self.run_to(f"out{count}", scene=scene)
            self.assertIn(expected, err)
            self.assertIn(expected, json.loads((out / "summary.json").read_text())["warnings"][0])

    def test_a_record_can_do_without_files(self):
        scene = self.write(f"objects: [{STRAND.join('{}')}]\n"
                           "record: {duration: 0.1, glb: false, page: false, energy: false}\n")
        out, _ = self.run_to("out", scene=scene)
        self.assertEqual(os.listdir(out), ["summary.json"])

    def test_a_missing_player_is_told_and_the_rest_written(self):
        os.environ["TENDRIL_SHARE"] = str(self.folder)
        out, err = self.run_to("out")
        self.assertIn("make player", err)
        self.assertFalse((out / "scene.html").exists())
        self.assertTrue((out / "scene.glb").exists())

    def test_json_and_standard_input_are_scenes_too(self):
        text = ('{"objects": [{"strand": {"points": [[0,0,0],[0,1,0]]}}],'
                ' "record": {"duration": 0.1}}')
        self.run_to("a", scene=self.write(text, "scene.json"))
        code, _, err = tendril("run", "-", "-o", self.folder / "b", text=text)
        self.assertEqual(code, 0, err)
        self.same(self.folder / "a", self.folder / "b", ["scene.glb", "energy.csv"])


class Render(Folder):
    """Pictures and clips. The browser is the real one where pictures are looked at."""
    LEAF = "axiom: !(0.02)F(0.1)[+(60)F(0.1)]"

    def render(self, *args, code=0, **environment):
        done = subprocess.run([COMMAND, "render", *map(str, args)], cwd=self.folder, timeout=300,
                              capture_output=True, text=True, env={**os.environ, **environment})
        self.assertEqual(done.returncode, code, done.stderr)
        self.assertEqual([p.name for p in self.folder.glob("tmp/*")], [])
        return done.stderr

    def setUp(self):
        super().setUp()
        (self.folder / "tmp").mkdir()
        os.environ["TMPDIR"] = str(self.folder / "tmp")
        self.addCleanup(os.environ.pop, "TMPDIR")
        self.leaf = self.write(self.LEAF, "leaf.lsys")

    def test_a_number_of_another_format_is_refused_before_anything_is_drawn(self):
        for name, part in (("a%s.png", "'%s'"), ("a%5x.gif", "'%5x'"), ("a%04d-%s.png", "'%s'"), ("a%100d.png", "'%100d'")):
            code, out, err = tendril("render", self.leaf, "-o", self.folder / "new" / name)
            self.assertEqual((code, out), (2, ""), err)
            self.assertIn(f"expected %d or %04d for the number of a picture, not {part}", err)
            self.assertFalse((self.folder / "new").exists())

    def use_the_player(self):
        need_package(self, "esbuild")
        player = self.folder / "share" / "player.html"
        player.unlink()
        subprocess.run(["node", ROOT / "scripts" / "player-page.mjs", "-o", player], check=True,
                       stdout=subprocess.DEVNULL)

    def test_a_picture_a_gif_and_a_video_have_their_size_and_move(self):
        self.use_the_player()
        self.render(self.leaf, "-o", "new/a.png", "--size", "48x32", "--background", "#ff0000")
        width, height, rows = png_rows((self.folder / "new/a.png").read_bytes())
        self.assertEqual((width, height), (48, 32))
        self.assertEqual(rows[0][:3], bytes([255, 0, 0]))
        self.assertTrue(any(row[i] != 255 for row in rows for i in range(0, len(row), 4)))
        self.render(self.scene, "-o", "b.gif", "--size", "40x30", "--time", "0.5", "--duration",
                    "0.4", "--fps", "10")
        frames, delays = gif_frames((self.folder / "b.gif").read_bytes(), 40, 30)
        self.assertEqual((len(frames), delays), (4, [10] * 4))
        self.assertNotEqual(frames[0], frames[3])
        self.render(self.scene, "-o", "d/p%03d.png", "--size", "40x30", "--time", "0.5", "--duration",
                    "0.3", "--fps", "10")
        pictures = sorted(p.name for p in (self.folder / "d").iterdir())
        self.assertEqual(pictures, ["p000.png", "p001.png", "p002.png"])
        first, last = ((self.folder / "d" / name).read_bytes() for name in (pictures[0], pictures[-1]))
        self.assertEqual(png_rows(first)[:2], (40, 30))
        self.assertNotEqual(png_rows(first)[2], png_rows(last)[2])
        self.render(self.leaf, "-o", "c.webm", "--size", "64x48", "--duration", "0.3", "--fps", "10")
        video = (self.folder / "c.webm").read_bytes()
        self.assertEqual(video[:4], bytes([0x1a, 0x45, 0xdf, 0xa3]))
        self.assertEqual(video[4:].count(b"\xa3\x01\0\0\0"), 3)  # blocks of one picture each

    def test_a_missing_browser_is_named_with_its_package(self):
        err = self.render(self.leaf, "-o", "a.png", code=3, PATH="/nowhere", CHROMIUM="")
        self.assertIn("install the package 'chromium'", err)
        err = self.render(self.leaf, "-o", "a.png", code=3, CHROMIUM="/nowhere/browser")
        self.assertIn("CHROMIUM names '/nowhere/browser'", err)
        err = self.render(self.leaf, "-o", "a.png", code=3, CHROMIUM="/bin/false")
        self.assertIn("the browser ended", err)
        self.assertFalse((self.folder / "a.png").exists())

    def test_a_player_page_of_another_version_is_named_with_what_rebuilds_it(self):
        (self.folder / "share" / "player.html").write_text(
            "<html><script>tendrilPlayer = {ready: true}</script><!-- tendril: clip --></html>")
        err = self.render(self.leaf, "-o", "a.png", code=3)
        self.assertIn("another version", err)
        self.assertIn("'make player'", err)
        self.assertFalse((self.folder / "a.png").exists())

    def test_what_cannot_be_drawn_is_told_before_the_work(self):
        for args, code, told in (
                ([self.leaf], 2, "-o OUT is missing"),
                ([self.leaf, "-o", "a.jpg"], 2, "must end in .png, .webm or .gif"),
                ([self.leaf, "-o", "a.png", "--size", "9x9"], 2, "each from 16 to 4096, not '9x9'"),
                ([self.leaf, "-o", "a.webm", "--size", "99x99"], 2, "even sides"),
                ([self.leaf, "-o", "a.png", "--background", "red"], 2, "#rrggbb"),
                ([self.leaf, "-o", "a.gif", "--duration", "9000"], 2, "too many for a .gif"),
                ([self.scene, "-o", "a.gif", "--wind", "3"], 2, "are for models"),
                ([self.scene, "-o", "a.png", "--time", "2"], 2, "lasts 1 s"),
                (["leaf.lsy", "-o", "a.png"], 3, "did you mean 'leaf.lsys'"),
                ([self.write("axiom: F(", "bad.lsys"), "-o", "a.png"], 3, "bad.lsys:1:")):
            self.assertIn(told, self.render(*args, code=code, CHROMIUM="/bin/false"))

    def test_a_render_that_is_stopped_leaves_nothing(self):
        hangs = self.write("#!/bin/sh\nsleep 60 & wait\n", "hangs")
        hangs.chmod(0o755)
        job = subprocess.Popen([COMMAND, "render", self.leaf, "-o", self.folder / "a.png"],
                               env={**os.environ, "CHROMIUM": str(hangs)}, stderr=subprocess.PIPE)
        while not list(self.folder.glob("tmp/*/log")):
            time.sleep(0.02)
        job.send_signal(signal.SIGINT)
        err = job.communicate(timeout=30)[1].decode()
        self.assertEqual(job.returncode, 130, err)
        self.assertIn("nothing is written", err)
        self.assertEqual(list(self.folder.glob("tmp/*")) + list(self.folder.glob("a.png*")), [])


def png_rows(data):
    """Width, height and rows of RGBA bytes of a PNG with 8 bits a channel."""
    at, body, width, height = 8, b"", 0, 0
    while at < len(data):
        size, kind = int.from_bytes(data[at:at + 4], "big"), data[at + 4:at + 8]
        part = data[at + 8:at + 8 + size]
        if kind == b"IHDR":
            width, height = int.from_bytes(part[:4], "big"), int.from_bytes(part[4:8], "big")
            assert part[8:10] == b"\x08\x06", part
        body += part if kind == b"IDAT" else b""
        at += 12 + size
    raw, rows, stride = zlib.decompress(body), [], 4 * width
    above = bytes(stride)
    for y in range(height):
        line = bytearray(raw[y * (stride + 1) + 1:(y + 1) * (stride + 1)])
        for i in range(stride):
            a, b, c = (line[i - 4], above[i], above[i - 4]) if i >= 4 else (0, above[i], 0)
            near = min((abs(b - c), 0, a), (abs(a - c), 1, b), (abs(a + b - 2 * c), 2, c))[2]
            line[i] = line[i] + (0, a, b, (a + b) // 2, near)[raw[y * (stride + 1)]] & 255
        above = bytes(line)
        rows.append(above)
    return width, height, rows


def gif_frames(data, width, height):
    """Whole pictures of a GIF as indices of its palette, and how long each is shown, in 1/100 s."""
    assert data[:6] == b"GIF89a" and data[-1] == 0x3b
    assert struct.unpack("<HH", data[6:10]) == (width, height)
    at, frames, delays, shown = 13 + 3 * 256, [], [], [None] * (width * height)
    while data[at] != 0x3b:
        if data[at] == 0x21:
            if data[at + 1] == 0xf9:
                delays.append(struct.unpack("<H", data[at + 4:at + 6])[0])
            at += 2
        else:
            left, top, w, h = struct.unpack("<HHHH", data[at + 1:at + 9])
            at += 11
        body = b""
        while data[at]:
            body += data[at + 1:at + 1 + data[at]]
            at += 1 + data[at]
        at += 1
        if len(delays) > len(frames):
            if body[0] == 0x05 and len(body) == 4:
                continue  # the control block of the picture that follows
            pixels = lzw(body)
            assert len(pixels) == w * h
            for k, index in enumerate(pixels):
                if index != 255:
                    shown[(top + k // w) * width + left + k % w] = index
            frames.append(list(shown))
    return frames, delays


def lzw(body):
    bits, at = int.from_bytes(body, "little"), 0
    out, table, before, width = [], [], None, 9
    while True:
        code = bits >> at & (1 << width) - 1
        at += width
        if code == 257:
            return out
        if code == 256:
            table, before, width = [(k,) for k in range(258)], None, 9
            continue
        entry = table[code] if code < len(table) else (*before, before[0])
        if before and len(table) < 4096:
            table.append((*before, entry[0]))
        width = max(width, min(12, len(table).bit_length()))
        out += entry
        before = entry


class Resume(Folder):
    """Runs that are stopped give the same bytes as runs that are not."""

    def test_a_run_that_is_killed_again_and_again_gives_the_same_bytes(self):
        whole, _ = self.run_to("whole")
        moments = random.Random(5)
        out, kills = self.folder / "killed", 0
        mark = out / ".run/checkpoint"
        for _ in range(25):
            seen = mark.read_bytes() if mark.exists() else None
            process = self.start(self.scene, "-o", out, "--resume", "--checkpoint-every", 0)
            # killed at a random moment after it has come further, if only by a step
            while process.poll() is None and (not mark.exists() or mark.read_bytes() == seen):
                time.sleep(0.0005)
            time.sleep(0.02 * moments.random())
            kills += process.poll() is None
            process.kill()
            process.communicate()
            if process.returncode == 0:
                break
        self.assertGreater(kills, 2)
        self.run_to("killed", "--resume")
        self.same(whole, out)
        self.assertFalse((out / ".run").exists())

    def test_colliders_and_contact_forces_are_the_same_after_a_stop(self):
        scene = self.write("objects: [{solver: rod, position: [0, 0.1, 0], strand: {points: [[-0.2, 0, 0], [0.2, 0, 0]],"
                           " segments: 20, radius: 0.01, start: {held: free}, tip_mass: 0.02}}]\n"
                           "colliders: [{plane: {}}, {sphere: {radius: 0.05, position: {keys: "
                           "[[0, [0.3, 0.05, 0]], [1, [-0.1, 0.05, 0]]]}}}]\n"
                           "record: {duration: 1, contacts: true}\n", "touch.yaml")
        whole, _ = self.run_to("whole", scene=scene)
        out = self.folder / "out"
        process = self.start(scene, "-o", out, "--checkpoint-every", 0)
        while process.poll() is None and not (out / ".run/checkpoint").exists():
            time.sleep(0.0005)
        process.send_signal(signal.SIGINT)
        process.communicate()
        self.run_to("out", "--resume", scene=scene)
        self.same(whole, out, ["scene.glb", "energy.csv"])
        self.assertIn(b"collider-1-sphere", (out / "scene.glb").read_bytes())

    def test_steps_that_do_not_divide_a_frame_are_taken_and_frames_lie_within_them(self):
        for dt, steps, rows, note in ((0.016, 63, 61, False), (0.007, 143, 61, False), (0.05, 20, 21, True), (1 / 120, 120, 61, False)):
            scene = self.write(SWING.replace("duration: 1", "duration: 1\n  fps: 60").replace("1/240", str(dt)), "odd.yaml")
            whole, err = self.run_to(f"whole{dt}", scene=scene)
            self.assertEqual("longer than frames" in err, note, err)
            summary = json.loads((whole / "summary.json").read_text())
            self.assertEqual((summary["step"], summary["frames"]), (dt, 61))
            self.assertEqual(summary["steps"], steps)
            times = [float(line.split(",")[0]) for line in (whole / "probes.csv").read_text().splitlines()[1:]]
            self.assertEqual(len(times), rows)
            for k, at in enumerate(times):
                self.assertAlmostEqual(at / dt, round(at / dt), delta=1e-9)
                if not note:
                    self.assertLess(-1e-9, at - k / 60)
                    self.assertLess(at - k / 60, dt)
            # a stop at any step, and the same bytes
            out = self.folder / f"out{dt}"
            for _ in range(3):
                process = self.start(scene, "-o", out, "--checkpoint-every", 0, "--resume")
                time.sleep(0.03)
                process.send_signal(signal.SIGINT)
                process.communicate()
            self.run_to(out.name, "--resume", scene=scene)
            self.same(whole, out)

    def test_a_scene_without_a_step_has_whole_steps_a_frame_and_says_nothing_of_it(self):
        for fps, step in ((25, 1 / 75), (24, 1 / 72), (200, 1 / 200)):
            scene = self.write(SWING.replace("step: 1/240\n", "").replace("duration: 1", f"duration: 0.2\n  fps: {fps}"))
            out, err = self.run_to(f"fps{fps}", scene=scene)
            self.assertEqual(err, "")
            self.assertAlmostEqual(json.loads((out / "summary.json").read_text())["step"], step, delta=1e-15)

    def test_a_run_that_is_asked_to_stop_says_how_to_go_on(self):
        whole, _ = self.run_to("whole")
        for number in (signal.SIGINT, signal.SIGTERM):
            out = self.folder / f"out{int(number)}"
            process = self.start(self.scene, "-o", out, "--checkpoint-every", 0)
            while process.poll() is None and not (out / ".run/checkpoint").exists():
                time.sleep(0.0005)
            process.send_signal(number)
            err = process.communicate()[1].decode()
            self.assertEqual(process.returncode, 130, err)
            self.assertIn("--resume", err)
            self.assertEqual(os.listdir(out), [".run"])
            self.run_to(out.name, "--resume", "--threads", 2)
            self.same(whole, out)

    def stopped(self):
        """A folder with a checkpoint."""
        out = self.folder / "stopped"
        process = self.start(self.scene, "-o", out, "--checkpoint-every", 0)
        while process.poll() is None and not (out / ".run/checkpoint").exists():
            time.sleep(0.0005)
        process.kill()
        process.communicate()
        self.assertTrue((out / ".run/checkpoint").exists())
        return out

    def test_a_changed_scene_or_option_is_refused(self):
        out = self.stopped()
        for args in (["--dt", "0.002"], ["--frames", "0:20"]):
            _, err = self.run_to(out.name, "--resume", *args, code=3)
            self.assertIn("another scene", err)
        self.write(SWING.replace("[3, 0, 0]", "[4, 0, 0]"))
        _, err = self.run_to(out.name, "--resume", code=3)
        self.assertIn("without --resume", err)
        self.assertTrue((out / ".run/checkpoint").exists())
        self.run_to(out.name)

    def test_a_damaged_checkpoint_or_stream_is_refused(self):
        out = self.stopped()
        mark = out / ".run/checkpoint"
        whole = mark.read_bytes()
        for bytes_ in (b"", whole[:40], whole[:-1], whole[:-9] + b"?" + whole[-8:]):
            mark.write_bytes(bytes_)
            _, err = self.run_to(out.name, "--resume", code=3)
            self.assertIn("checkpoint", err)
        mark.write_bytes(whole)
        os.truncate(out / ".run/frames.bin", 10)
        _, err = self.run_to(out.name, "--resume", code=3)
        self.assertIn("frames.bin", err)
        self.run_to(out.name)

    def test_without_a_checkpoint_it_starts_from_the_beginning(self):
        out, err = self.run_to("new", "--resume")
        self.assertIn("from the beginning", err)
        self.assertTrue((out / "scene.glb").exists())

    def test_a_full_disk_keeps_the_checkpoint(self):
        whole, _ = self.run_to("whole")

        def limit():
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
            resource.setrlimit(resource.RLIMIT_FSIZE, (FULL, FULL))
        out = self.folder / "full"
        done = subprocess.run([COMMAND, "run", self.scene, "-o", out, "--checkpoint-every", "0"],
                              capture_output=True, preexec_fn=limit, restore_signals=False)
        self.assertEqual(done.returncode, 5, done.stderr)
        self.assertIn(b"File too large", done.stderr)
        self.assertIn(b"--resume", done.stderr)
        self.run_to("full", "--resume")
        self.same(whole, out)

    def test_a_world_that_is_saved_goes_on_alike(self):
        self.assertEqual([(row["n"], row["got"], row["pass"]) for row in rows("validate", "resume")],
                         [(20, 0, True)])

    def test_a_folder_that_cannot_be_written_is_5(self):
        (self.folder / "file").write_text("")
        _, err = self.run_to("file", code=5)
        self.assertIn("file/.run", err)
        self.assertEqual((self.folder / "file").read_text(), "")

    def test_a_folder_has_one_run_at_a_time(self):
        long = self.write(SWING.replace("duration: 1", "duration: 1000"), "long.yaml")
        process = self.start(long, "-o", self.folder / "out", "--checkpoint-every", 0)
        while process.poll() is None and not (self.folder / "out/.run/checkpoint").exists():
            time.sleep(0.0005)
        _, err = self.run_to("out", code=5)
        process.kill()
        process.communicate()
        self.assertIn("another run", err)

    def test_a_motion_that_diverges_is_4_with_the_frames_before(self):
        scene = self.write("step: 1/1000\nobjects:\n  - name: wire\n    integrator: euler\n"
                           "    start: drawn\n    strand: {points: [[0,0,0],[1,0,0]],"
                           " segments: 10, material: green-wood}\n"
                           "record: {duration: 2, fps: 1000}\n", "wire.yaml")
        out, err = self.run_to("out", "--checkpoint-every", 0, scene=scene, code=4)
        self.assertIn("'wire' at 0.0", err)
        self.assertIn("segment", err)
        rows = (out / "energy.csv").read_text().splitlines()
        summary = json.loads((out / "summary.json").read_text())
        self.assertEqual(len(rows), summary["frames"] + 1)
        self.assertGreater(summary["frames"], 1)
        self.assertIn("'wire' at", summary["warnings"][-1])
        self.assertTrue((out / "scene.glb").exists() and (out / ".run/checkpoint").exists())


class Scenes(unittest.TestCase):
    """What is wrong with a scene: exit code 3, line and column, nothing written."""

    def setUp(self):
        kept = tempfile.TemporaryDirectory()
        self.addCleanup(kept.cleanup)
        self.folder = pathlib.Path(kept.name)
        self.scene = self.folder / "scene.yaml"

    def refused(self, text, *faults):
        """Each fault is a line, a column and part of a message."""
        self.scene.write_text(text)
        for command in (["run", self.scene, "-o", self.folder / "out"], ["check", self.scene]):
            code, out, err = tendril(*command, limited=True)
            self.assertEqual((code, out), (3, ""), err)
            got = re.findall(r"^(\S+):(\d+):(\d+): error: (.*)$", err, re.M)
            self.assertEqual([(int(line), int(column)) for _, line, column, _ in got],
                             [fault[:2] for fault in faults], err)
            for (_, _, _, message), fault in zip(got, faults):
                self.assertIn(fault[2], message)
        self.assertFalse((self.folder / "out").exists())

    def test_all_segments_that_are_missing_are_told_at_once(self):
        self.refused(f"objects:\n  - {{name: a, {STRAND}}}\n"
                     "loads:\n  - push: {segment: 77, force: [1, 0, 0]}\n  - pull: {segment: 78, to: [0, 0, 0]}\n"
                     "constraints:\n  - weld: {a: {segment: 79}, b: {segment: 80}}\n"
                     "record: {probes: [{segment: 1},\n  {segment: 81}, {near: [0, 0, 0], organ: leaf}]}\n",
                     (4, 21, "id 77"), (5, 21, "id 78"), (7, 25, "id 79"), (7, 43, "id 80"), (9, 13, "id 81"),
                     (9, 43, "is a leaf"))

    def test_faults_have_their_place(self):
        s = f"objects:\n  - {STRAND}\n"
        self.refused("objects:\n  - plant: none.lsys\n", (2, 12, "'none.lsys'"))
        self.refused("objects: &all\n  - {define: *all}\n", (2, 14, "contains this reference"))
        self.refused(s + "    position: {keys: [[0, [0, 0, 0]], [2, [1, 0, 0]], [1, [0, 0, 0]]]}\n",
                     (3, 56, "out of order"))
        self.refused(s + "record: {duration: -3}\n", (3, 20, "'duration' is -3"))
        self.refused(s + "    instances: {count: 1000000000}\n", (3, 24, "100000"))
        self.refused(s + "    stifness: 2\n", (3, 5, "did you mean 'stiffness'?"))
        self.refused(s + "loads:\n  - push: {object: nobody}\n", (4, 20, "'nobody'"))
        self.refused("objects: [\n", (2, 1, "expected"))
        self.refused("", (1, 1, "'objects'"))

    def test_constraints_that_contradict_have_their_place(self):
        s = f"objects:\n  - {STRAND}\nconstraints:\n"
        self.refused(s + "  - limit: {a: {segment: 1}, low: 20, high: 10}\n",
                     (4, 45, "must be above 'low'"))
        self.refused(s + "  - point: {a: {segment: 3}, to: [0, 1, 0]}\n"
                     "  - point: {a: {segment: 3}, to: [0, 1, 0.5]}\n",
                     (5, 34, "the same point at a place 0.5 m from here"))
        self.refused(s + "  - rope: {a: {segment: 3}, to: [0, 9, 0], length: 0.1}\n",
                     (4, 52, "make it longer"))
        self.refused(s + "  - gear: {a: {segment: 1}, b: {segment: 2}}\n",
                     (4, 15, "a gear needs hinges or slides"))

    def test_faults_of_expressions_have_their_column(self):
        s = f"objects:\n  - {STRAND}\nloads:\n"
        self.refused(s + "  - field: {force: [\"max(x, 0) + foo\", 'y + sim(t)', 1 + (2]}\n",
                     (4, 34, "unknown name 'foo'"), (4, 45, "did you mean 'sin'?"),
                     (4, 60, "expected ')'"))
        self.refused(s + '  - field: {force: [0, "\\u0078 + foo", 0]}\n', (4, 24, "'foo'"))
        self.refused(s + "  - field:\n      force:\n        - 0\n        - 2 *\n        - 0\n",
                     (7, 14, "expected a number"))

    def test_an_expression_without_a_value_ends_the_run(self):
        self.scene.write_text(f"objects:\n  - {STRAND}\nloads:\n"
                              "  - field: {force: [0, 1/(0.1 - t), 0]}\n")
        code, out, err = tendril("run", self.scene, "-o", self.folder / "out")
        self.assertEqual(code, 3)
        self.assertIn("loads[0].field.force[1] at segment 0", err)
        self.assertIn("division by zero", err)

    def test_all_faults_are_told_at_once(self):
        (self.folder / "bad.lsys").write_text("axiom: F(\n")
        self.refused("objects:\n  - {plant: a.lsys, sise: 2}\n  - {plant: bad.lsys, size: -1}\n"
                     "record: {fps: x}\n",
                     (2, 21, "'size'"), (3, 29, "-1"), (4, 15, "'x'"), (2, 13, "'a.lsys'"),
                     (1, 10, "expected"))
        self.refused("objects:\n  - {plant: a.lsys}\n  - {plant: bad.lsys}\n"
                     "  - {plant: bad.lsys}\n  - {plant: b.lsys}\n",
                     (2, 13, "'a.lsys'"), (1, 10, "expected"), (5, 13, "'b.lsys'"))

    def test_more_than_gltf_holds_is_told_before_the_run(self):
        strand = "strand: {points: [[0, 0, 0], [0, 100, 0]], segments: 65536}"
        text = f"objects:\n  - {{{strand}, start: drawn}}\nrecord: {{duration: 0.1"
        self.scene.write_text(text + "}\n")
        code, _, err = tendril("run", self.scene, "-o", self.folder / "out")
        self.assertEqual(code, 3)
        self.assertIn("65535 joints", err)
        self.scene.write_text(f"objects:\n  - {STRAND}\nrecord: {{duration: 1e5, fps: 10000}}\n")
        code, _, err = tendril("run", self.scene, "-o", self.folder / "out")
        self.assertEqual(code, 3)
        self.assertIn("4 GB", err)
        self.assertFalse((self.folder / "out").exists())

    def test_good_scenes_have_nothing_to_tell_but_the_segments_that_were_chosen(self):
        self.scene.write_text(SWING)
        for scene in [self.scene, *sorted(SCENES.glob("*.yaml"))]:
            code, out, err = tendril("check", scene)
            self.assertEqual((code, err), (0, ""), scene)
            for line in out.splitlines():
                self.assertRegex(line, r": .* is segment \d+ of '.*', a \w+: its tip is |more are chosen")

    def test_check_takes_the_first_step(self):
        rod = "start: drawn, strand: {points: [[-0.2, 0, 0], [0.2, 0, 0]], radius: 0.01}"
        self.scene.write_text(f"contact: {{}}\nobjects:\n  - {{name: a, {rod}}}\n"
                              f"  - {{name: b, position: [0, 0.015, 0], {rod}}}\n")
        code, _, err = tendril("check", self.scene)
        self.assertEqual(code, 3)
        self.assertRegex(err, r"scene\.yaml:[34]:5: error: the first step fails: .* of 'b' overlap at the start of "
                              r"the step, by 0\.005")
        out = self.folder / "out"
        code, _, err = tendril("run", self.scene, "-o", out)
        self.assertEqual(code, 3)
        self.assertRegex(err, r"scene\.yaml:[34]:5: error: .* overlap at the start of the step, by 0\.005")
        self.assertEqual(os.listdir(out), [])

    def test_warnings_of_plants_are_told_once_with_their_place(self):
        plant = self.folder / "turn.lsys"
        plant.write_text("length unit: 0.1\naxiom: F(1)+F(1)\nB --> F\n")
        self.scene.write_text("name: a\nobjects:\n  - {name: a, plant: turn.lsys}\n"
                              "  - {name: b, plant: turn.lsys, position: [1, 0, 0]}\n"
                              "record: {duration: 0.1}\n")
        for command in (["check"], ["run", "-o", self.folder / "out"]):
            code, _, err = tendril(*command, self.scene)
            self.assertEqual(code, 0, err)
            for place, part in (("2:12", "this turn has no angle"), ("3:1", "makes B, so this")):
                self.assertEqual(err.count(f"turn.lsys:{place}: warning: "), 1, err)
                self.assertEqual(err.count(part), 1, err)

    def test_an_object_can_name_the_view_file_of_its_plant(self):
        (self.folder / "turn.lsys").write_text("length unit: 0.1\naxiom: F(1)+F(1)\n")
        (self.folder / "thirty.v").write_text("angle increment: 30\n")
        self.scene.write_text("name: a\nobjects:\n"
                              "  - {name: a, plant: turn.lsys, view: thirty.v}\n")
        self.assertEqual(tendril("check", self.scene), (0, "", ""))
        self.refused("name: a\nobjects:\n  - name: a\n    plant: turn.lsys\n    view: other.v\n",
                     (5, 11, "cannot read 'other.v'"))
        self.refused("name: a\nobjects:\n  - name: a\n    strand: {points: [[0,0,0],[1,0,0]]}\n"
                     "    view: thirty.v\n", (5, 11, "this object has no 'plant'"))

    def test_the_guide_has_the_reference_of_the_keys(self):
        guide = (ROOT / "docs/guide/scene.md").read_text()
        self.assertEqual(guide[guide.index("## scene\n"):], tendril("info", "--scene-keys")[1])


class Skeletons(Folder):
    """Skeletons in JSON, wherever they come from."""

    def setUp(self):
        super().setUp()
        self.model = self.write("axiom: !(0.01)F(0.2)F(0.2)[+(30)F(0.3)]\n", "a.lsys")
        self.json = self.folder / "w.json"
        self.assertEqual(tendril("grow", self.model, "-o", self.json)[0], 0)

    def test_a_mark_large_letters_and_standard_input_make_no_difference(self):
        plain = self.json.read_bytes()
        marked = b"\xef\xbb\xbf" + plain
        for name, content in (("W.JSON", plain), ("bom.json", marked), ("BOM.Json", marked)):
            (self.folder / name).write_bytes(content)
        for command in (["grow", "--stats", "--json"], ["settle", "--json"], ["modes", "--count", "2"], ["check"]):
            wanted = tendril(command[0], self.json, *command[1:])
            self.assertEqual((wanted[0], wanted[2]), (0, ""))
            for name in ("W.JSON", "bom.json", "BOM.Json"):
                self.assertEqual(tendril(command[0], self.folder / name, *command[1:]), wanted)
            for content in (plain, marked):
                self.assertEqual(tendril(command[0], "-", *command[1:], text=content), wanted)

    def test_standard_input_is_still_read_as_a_model_or_a_scene(self):
        self.assertEqual(stats("-", text=self.model.read_text())["segments"], 3)
        code, _, err = tendril("run", "-", "-o", self.folder / "out", text=SWING)
        self.assertEqual(code, 0, err)
        code, _, err = tendril("run", "-", "-o", self.folder / "out", text=self.json.read_text())
        self.assertEqual((code, err), (3, "tendril: <stdin> is a skeleton; a scene with 'plant: FILE' simulates it\n"))
        code, _, err = tendril("check", "-", text='\ufeff{"segments": [3]}')
        self.assertEqual(code, 3)
        self.assertIn("<stdin>:1:1: error: the key 'materials' is missing", err)
        code, _, err = tendril("grow", "-", text="F" * (17 << 20))
        self.assertEqual(code, 3, err)
        self.assertIn("16777216", err)

    def test_messages_have_numbers_in_place_of_names_of_the_library(self):
        text = self.json.read_text()
        for old, new, part in (('"parent":0', '"parent":7', "or -1 for none"), ('"parent":0,"joint":"ball"', '"parent":0,"joint":"free"', "the parent -1")):
            self.assertIn(old, text)
            code, _, err = tendril("check", "-", text=text.replace(old, new, 1))
            self.assertEqual(code, 3)
            self.assertIn(part, err)
            self.assertNotIn("TD_NONE", err)


class BadInput(unittest.TestCase):
    """Each: exit code 3, a message with line and column, in bounded time and memory."""

    def check_refused(self, text, line, part, *args, column=None):
        code, out, err = tendril("grow", "-", *args, text=text, limited=True)
        self.assertEqual(code, 3, (part, out, err))
        place = re.search(r"^<stdin>:(\d+):(\d+): error: ", err)
        self.assertTrue(place, err)
        self.assertEqual(int(place.group(1)), line, err)
        if column:
            self.assertEqual(int(place.group(2)), column, err)
        self.assertIn(part, err)

    def test_unknown_function(self):
        self.check_refused("axiom: A\nA --> F(sine(3))\n", 2, "unknown function 'sine'", column=9)

    def test_scene_without_objects(self):
        with tempfile.TemporaryDirectory() as folder:
            scene = pathlib.Path(folder) / "empty.yaml"
            scene.write_text("step: 0.1\nobjects: []\n")
            for command in ("check", "run"):
                code, out, err = tendril(command, scene)
                self.assertEqual(code, 3, (out, err))
                self.assertIn("empty.yaml:2:10: error: the scene has no objects; it needs at least one", err)

    def check_warned(self, text, line, column, part):
        code, _, err = tendril("check", "-", text=text)
        self.assertEqual(code, 0, err)
        self.assertRegex(err, rf"(?m)^<stdin>:{line}:{column}: warning: .*{part}")

    def test_unbalanced_brackets_get_a_warning(self):
        self.check_warned("axiom: A\nA --> F[+A\n", 2, 8, "unbalanced")
        self.check_warned("axiom: F]F\n", 1, 9, "unbalanced")

    def test_wrong_parameter_count(self):
        self.check_warned("axiom: A(1)\nA(x,y) --> F(x)\n", 2, 1, "parameter")
        self.check_refused("axiom: F(sin(1,2))\n", 1, "takes 1 parameter", column=10)
        self.check_warned("axiom: @M(1)\n", 1, 8, "parameters")

    def test_division_by_zero(self):
        self.check_refused("axiom: A(0)\nA(x) --> F(1/x)\n", 2, "division by zero", "--steps", "1",
                           column=13)

    @unittest.skipIf(SANITIZED, "many turns of one loop; errors_of_endless_loops_name_the_loop runs it there")
    def test_endless_while(self):
        self.check_refused("axiom: A\nA : { x = 1; while (x > 0) { x = x + 1; } } * --> F\n", 2,
                           "loop", "--steps", "1")

    def test_recursive_include(self):
        with tempfile.TemporaryDirectory() as folder:
            for name, other in (("a", "b"), ("b", "a")):
                pathlib.Path(folder, f"{name}.lsys").write_text(f'#include "{other}.lsys"\n')
            code, _, err = tendril("check", f"{folder}/a.lsys", limited=True)
            self.assertEqual(code, 3)
            self.assertRegex(err, r"b\.lsys:1:10: error: .*includes itself")

    def test_missing_include(self):
        self.check_refused('#include "nowhere.lsys"\naxiom: F\n', 1, "cannot read", column=10)

    def test_growth_past_the_cap(self):
        self.check_refused("axiom: A\nA --> AAAAAAAAAA\n", 2, "50000000 modules", "--steps", "99")
        self.check_refused("axiom: A\nA --> AA\n", 2, "1000 modules", "--steps", "99",
                           "--max-modules", "1000")

    def test_a_line_of_a_gigabyte(self):
        code = ("import sys\nblock = b'F' * (1 << 20)\n"
                "try:\n    sys.stdout.buffer.write(b'axiom: ')\n"
                "    for _ in range(1024): sys.stdout.buffer.write(block)\n"
                "except BrokenPipeError: sys.stderr.close()\n")
        source = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE)
        done = subprocess.run([COMMAND, "grow", "-"], stdin=source.stdout, capture_output=True,
                              timeout=60, preexec_fn=limits)
        source.stdout.close()
        source.wait()
        self.assertEqual(done.returncode, 3)
        self.assertRegex(done.stderr.decode(), r":1:1: error: ")

    def test_binary_garbage(self):
        self.check_refused(bytes(range(256)) * 64, 1, "not text", column=1)
        self.check_refused(os.urandom(100000).replace(b"\n", b"\0"), 1, "")

    def test_empty_file(self):
        self.check_refused("", 1, "axiom", column=1)

    def test_all_errors_are_reported(self):
        text = "axiom: A\nA --> F(foo(1))\nB --> F)\nC --> F(1\nangel increment: 3\n"
        code, _, err = tendril("check", "-", text=text)
        self.assertEqual(code, 3)
        self.assertEqual(re.findall(r"^<stdin>:(\d+):", err, re.M), ["2", "3", "4", "5"])
        self.assertIn("did you mean 'angle increment'?", err)

    def test_the_caret_stands_under_the_fault(self):
        err = tendril("check", "-", text="axiom: A\nA --> F(foo(1))\n")[2].splitlines()
        self.assertEqual(err[1].index("foo"), err[2].index("^"))

    def test_a_missing_file_is_named(self):
        code, _, err = tendril("grow", "/no/such/file.lsys")
        self.assertEqual(code, 3)
        self.assertIn("/no/such/file.lsys", err)

    def test_bodies_that_do_not_follow_the_rule_are_refused(self):
        b, j = "B(0.1,0.01,900)", "J(1e9,0,0,0,0,0,0,0.1)"
        for string, name in ((b + b, "module 1, B("), (b + j + j + b, "module 2, J("),
                             (b + j + f"[{b}]{b}", "module 2, ["), (j + b, "module 0, J(")):
            code, _, err = tendril("grow", "-", text=f"axiom: {string}\n")
            self.assertEqual(code, 3, string)
            self.assertIn(name, err)
        self.assertEqual(stats("-", text=f"axiom: {b}[{j}{b}]{j}{b}\n")["segments"], 3)

    def test_materials_and_surfaces_are_checked(self):
        self.check_refused("material: 0 gren-wood\naxiom: F\n", 1, "green-wood")
        self.check_refused("surface: L leaf, widht=2\naxiom: ~L\n", 1, "width")
        self.check_refused("axiom: ~L(1)\n", 1, "surface")


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[1:]])
