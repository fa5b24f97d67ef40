#!/usr/bin/env python3
"""The command as a user meets it: exit codes, messages, figures, files. test_cli.py COMMAND"""
import json
import os
import pathlib
import re
import resource
import subprocess
import sys
import tempfile
import unittest
import xml.etree.ElementTree

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


def stats(*args, text=None):
    code, out, err = tendril("grow", *args, "--stats", "--json", text=text)
    assert code == 0, err
    return json.loads(out)


class Help(unittest.TestCase):
    def test_help_goes_to_stdout_with_0(self):
        for args in (["--help"], ["grow", "--help"], ["check", "--help"], ["info", "--help"],
                     ["bench", "--help"], ["settle", "--help"], ["modes", "--help"],
                     ["validate", "--help"], ["plot", "--help"]):
            code, out, err = tendril(*args)
            self.assertEqual((code, err), (0, ""))
            self.assertIn("Usage: tendril", out)

    def test_misuse_is_2_with_a_message(self):
        for args in ([], ["sprout"], ["grow"], ["grow", "a", "b"], ["grow", "a", "--steps"],
                     ["grow", "a", "--steps", "-1"], ["grow", "a", "--steps", "x"],
                     ["grow", "a", "--no-such"], ["grow", "a", "-o", "b.obj"],
                     ["grow", "a", "--define", "=3"], ["check"], ["bench", "nothing"],
                     ["settle"], ["settle", "a", "b"], ["settle", "a", "--gravity", "1,2"],
                     ["settle", "a", "--gravity", "1,2,3,4"], ["settle", "a", "--gravity", "1,2,x"],
                     ["settle", "a", "--springs", "stiff"], ["modes"], ["modes", "a", "--count", "0"],
                     ["validate", "nothing"], ["plot"], ["plot", "a", "b"], ["plot", "a", "--x"]):
            code, out, err = tendril(*args)
            self.assertEqual(code, 2, args)
            self.assertEqual(out, "")
            self.assertTrue(err, args)

    def test_version_and_info(self):
        version = re.search(r"project\(tendril VERSION ([0-9.]+)",
                            (ROOT / "CMakeLists.txt").read_text()).group(1)
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
        done = subprocess.run([COMMAND, "grow", SCENES / "abop/fig-1.6.lsys", "--steps", "7",
                               "--stats", "--json"], capture_output=True, preexec_fn=small)
        self.assertEqual(done.returncode, 0, done.stderr)
        got = json.loads(done.stdout)
        self.assertEqual((got["modules"], got["segments"]), (15578843, 4 * 8**7))

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

    def test_output_suffix_picks_the_format(self):
        with tempfile.TemporaryDirectory() as folder:
            for suffix, start in ((".glb", b"glTF"), (".json", b"{"), (".txt", b"!(0.02)F(1)")):
                path = pathlib.Path(folder, "plant" + suffix)
                code, out, err = tendril("grow", "-", "-o", path, text="axiom: !(0.02)F(1)\n")
                self.assertEqual((code, out, err), (0, "", ""))
                self.assertTrue(path.read_bytes().startswith(start))
            self.assertEqual(len(json.loads(pathlib.Path(folder, "plant.json").read_text())
                                 ["segments"]), 1)
            self.assertEqual(len(os.listdir(folder)), 3, "nothing is left beside")

    def test_cannot_write_is_5_and_leaves_nothing(self):
        with tempfile.TemporaryDirectory() as folder:
            code, _, err = tendril("grow", "-", "-o", f"{folder}/no/such/a.glb",
                                   text="axiom: F\n")
            self.assertEqual(code, 5)
            self.assertIn("a.glb", err)
            self.assertEqual(os.listdir(folder), [])

    def test_a_full_disk_under_standard_output_is_5(self):
        if os.path.exists("/dev/full"):
            with open("/dev/full", "w") as full:
                done = subprocess.run([COMMAND, "grow", "-", "--string"], input=b"axiom: F\n",
                                      stdout=full, stderr=subprocess.PIPE)
            self.assertEqual(done.returncode, 5)

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


class Plot(unittest.TestCase):
    def plot(self, tables):
        """Exit code, output, messages, and the pictures that are there afterwards."""
        with tempfile.TemporaryDirectory() as folder:
            for name, text in tables.items():
                pathlib.Path(folder, name).write_text(text)
            done = tendril("plot", folder)
            pictures = {path.name: path.read_text() for path in pathlib.Path(folder).glob("*.svg")}
            return *done, pictures

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
        self.assertEqual(sorted(whole), ["energy", "iterations", "residual"])
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
                         ["pendulum", "double-pendulum", "cantilever", "elastica", "vibration",
                          "chain", "energy", "agreement", "momentum", "drag", "stability",
                          "interpolation", "wind"])

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
                         ["grow", "forward", "step", "realtime", "scaling", "threads",
                          "accuracy"])

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

    def test_unbalanced_brackets(self):
        self.check_refused("axiom: A\nA --> F[+A\n", 2, "unbalanced", column=8)
        self.check_refused("axiom: F]F\n", 1, "unbalanced", column=9)

    def test_wrong_parameter_count(self):
        self.check_refused("axiom: A(1)\nA(x,y) --> F(x)\n", 2, "parameter", column=1)
        self.check_refused("axiom: F(sin(1,2))\n", 1, "takes 1 parameter", column=10)
        self.check_refused("axiom: @M(1)\n", 1, "parameters", column=8)

    def test_division_by_zero(self):
        self.check_refused("axiom: A(0)\nA(x) --> F(1/x)\n", 2, "division by zero", "--steps", "1",
                           column=13)

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
        text = "axiom: A\nA --> F(foo(1))\nB --> [F\nC --> F(1\nangel increment: 3\n"
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
