# SPDX-License-Identifier: MIT
"""Tendril itself: the command, or the Python package where there is no command."""

import json
import os
import re
import select
import shutil
import subprocess
import threading

PROGRESS = re.compile(r"([\d.]+) of ([\d.]+) s,")


class Fault(Exception):
    """What Tendril says is wrong."""


class Cancelled(Exception):
    pass


def find(given=""):
    """(kind, what): ("command", its path), ("package", the module), or a Fault."""
    command = given or shutil.which("tendril")
    if command and os.access(command, os.X_OK):
        return "command", command
    if given:
        raise Fault(f"'{given}', the command in the add-on's preferences, is not a program")
    try:
        import tendril
    except ImportError:
        raise Fault("Tendril is missing: install the command 'tendril', name it in the add-on's preferences, or "
                    "install the Python package for Blender's Python") from None
    return "package", tendril


def grow(engine, model, out, seed, defines, triangles=0):
    """Writes the mesh of a model to a .glb file, of at most so many triangles; 0: as many as it takes."""
    kind, what = engine
    if kind == "command":
        seeds = [] if seed < 0 else ["--seed", str(seed)]
        values = [f"--define={name}={value}" for name, value in defines.items()]
        done = subprocess.run([what, "grow", model, "-o", out, *seeds, *values, *limit(triangles)],
                              capture_output=True, text=True)
        if done.returncode != 0:
            raise Fault(done.stderr.strip())
        return
    try:
        what.grow(model, seed=None if seed < 0 else seed, defines=defines).save(out, max_triangles=triangles)
    except (what.Error, OSError) as error:
        raise Fault(str(error)) from None


def limit(triangles):
    return ["--triangles", str(max(triangles, 100))] if triangles else []


def simulate(engine, scene, out, progress, triangles=0):
    """Runs a scene, a path or a dict, and writes its motion to the .glb file `out`, all objects together with at
    most so many triangles. progress(share) may raise Cancelled."""
    kind, what = engine
    if kind == "command":
        run_command(what, scene, out, progress, triangles)
        return
    try:
        world = what.World(scene, threads=min(os.cpu_count() or 1, 256))
        world.export(out, progress=progress, max_triangles=triangles)
    except (what.Error, OSError) as error:
        raise Fault(str(error)) from None


def run_command(command, scene, out, progress, triangles):
    folder = os.path.join(os.path.dirname(out), "run")
    if isinstance(scene, dict):
        path = os.path.join(os.path.dirname(out), "scene.json")
        with open(path, "w", encoding="utf-8") as file:
            json.dump(scene, file)
        scene = path
    # a terminal is told how far it is ten times a second, a pipe every ten seconds
    lead, follow = os.openpty() if hasattr(os, "openpty") else os.pipe()
    process = subprocess.Popen([command, "run", scene, "-o", folder, *limit(triangles)], stdout=subprocess.DEVNULL, stderr=follow)
    os.close(follow)
    told = ""
    try:
        while process.poll() is None:
            told = read_some(lead, told)
            found = PROGRESS.findall(told)
            if found:
                progress(float(found[-1][0]) / max(float(found[-1][1]), 1e-9))
                told = told[-400:]
            else:
                progress(0)
        told = read_some(lead, told)
    except Cancelled:
        process.terminate()
        process.wait()
        raise
    finally:
        os.close(lead)
    if process.returncode != 0:
        lines = [line for line in re.split(r"[\r\n]+", told) if line.strip() and not PROGRESS.search(line)]
        raise Fault("\n".join(lines) or f"tendril run ended with {process.returncode}")
    if not os.path.exists(os.path.join(folder, "scene.glb")):
        raise Fault(f"{scene} says 'glb: false' in record, so there is no motion to bake")
    os.replace(os.path.join(folder, "scene.glb"), out)


def read_some(lead, told):
    """What the terminal was told within a tenth of a second, after what it was told before."""
    ready, _, _ = select.select([lead], [], [], 0.1)
    try:
        return told + (os.read(lead, 65536).decode(errors="replace") if ready else "")
    except OSError:  # the other end is closed
        return told


def frames_of(path):
    """(frames, frames a second) of a run's .glb file."""
    with open(path, "rb") as file:
        head = file.read(20)
        about = json.loads(file.read(int.from_bytes(head[12:16], "little")))
    extras = about["scenes"][0]["extras"]
    return int(extras["frames"]), float(extras["fps"])


class Job(threading.Thread):
    """A simulation beside Blender: Blender goes on, and asks how far it is."""

    def __init__(self, engine, scene, out, triangles=0):
        super().__init__(daemon=True)
        self.engine, self.scene, self.out, self.triangles = engine, scene, out, triangles
        self.share, self.fault, self.cancelled = 0.0, None, False

    def run(self):
        try:
            simulate(self.engine, self.scene, self.out, self.progress, self.triangles)
        except Cancelled:
            self.cancelled = True
        except Fault as fault:
            self.fault = str(fault)
        except Exception as error:  # of a thread nobody else would hear
            self.fault = f"{type(error).__name__}: {error}"

    def progress(self, share):
        if self.cancelled:
            raise Cancelled
        self.share = share

    def cancel(self):
        self.cancelled = True
        self.join()
