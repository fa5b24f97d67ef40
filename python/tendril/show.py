"""Runs as files: pages that play, and animated glTF."""

import html
import os
import pathlib
import tempfile

import numpy as np

from tendril._library import Error, check, ffi, filled, lib, new_diag

PLAYER = "player.html"
TRIANGLES = 200000  # of all meshes together: what a page in a notebook can bear


def find_player():
    """The page that plays: beside this module, or where TENDRIL_SHARE says."""
    folders = [pathlib.Path(__file__).parent, pathlib.Path(os.environ.get("TENDRIL_SHARE", ""))]
    for folder in folders:
        if (folder / PLAYER).is_file():
            return (folder / PLAYER).read_bytes()
    raise Error("the player is missing: run 'make player' and install again, or set TENDRIL_SHARE to the folder "
                f"that holds {PLAYER}")


class Page:
    """A page that plays by itself, from a disk and without a network. A notebook shows it inline."""

    def __init__(self, content, height):
        self.content, self.height = content, height

    def __repr__(self):
        return f"<Page of {len(self.content) / 1e6:.2g} MB; save(path) writes it>"

    def save(self, path):
        pathlib.Path(path).write_bytes(self.content)
        return path

    def _repr_html_(self):
        inner = html.escape(self.content.decode("utf-8"), quote=True)
        return f'<iframe srcdoc="{inner}" width="100%" height="{self.height}" style="border:0"></iframe>'


def film(world, seconds, progress, triangles):
    """Runs a world. Gives its clip, what was recorded, and frames a second."""
    clip = Clip(world, triangles)
    record = lib.td_scene_def_get(world._scene).record
    recording = world.run(record.duration if seconds is None else seconds, each=lambda _: clip.add(), progress=progress)
    return clip, recording, record.fps


def export(world, path, seconds, progress, triangles):
    clip, recording, fps = film(world, seconds, progress, triangles)
    clip.glb(os.fspath(path), fps)
    return recording


def show(world, seconds, path, height):
    player = find_player()
    clip, recording, fps = film(world, seconds, None, TRIANGLES)
    with tempfile.TemporaryDirectory() as folder:
        probes = os.path.join(folder, "probes.csv")
        recording.csv(probes)
        out = os.path.join(folder, "page.html")
        clip.page(player, pathlib.Path(probes).read_bytes() if recording.names else b"", out, fps)
        page = Page(pathlib.Path(out).read_bytes(), height)
    if path is not None:
        page.save(path)
    return page


class Clip:
    """Frames of a world, with the meshes of its actors."""

    def __init__(self, world, triangles):
        self._world, self._frames = world, []
        self._names, self._meshes = [], {}
        actors = world.actors
        budget = max(100, triangles // max(1, len(actors))) if triangles else 0
        self._actors = ffi.new("td_clip_actor[]", len(actors))
        for k, actor in enumerate(actors):
            about, skeleton = actor._about(), actor.skeleton
            mesh = self._meshes.get(about.skeleton)
            if mesh is None:
                mesh = self._meshes[about.skeleton] = skeleton.mesh(skinned=True, max_triangles=budget)
            self._names.append(ffi.new("char[]", actor.name.encode()))
            self._actors[k] = {"name": self._names[-1], "skeleton": about.skeleton, "mesh": mesh._c,
                               "stretchy": about.stretchy}
        self._count = len(actors)
        self._scale = ffi.new("td_clip_scale *", lib.td_clip_scale_of(world._c))
        self._colliders = self._look_at_colliders()

    def _look_at_colliders(self):
        count = lib.td_world_collider_count(self._world._c)
        looks = ffi.new("td_clip_collider[]", count)
        for k in range(count):
            collider = ffi.new("td_collider *", lib.td_world_collider(self._world._c, k))
            looks[k] = lib.td_clip_collider_of(collider, self._scale)
        return looks

    def _definition(self):
        definition = ffi.new("td_clip_def *", lib.td_clip_def_default())
        definition.actors, definition.actor_count = self._actors, self._count
        definition.colliders, definition.collider_count = self._colliders, len(self._colliders)
        definition.frame_count = max(1, len(self._frames))
        return definition

    def add(self):
        """Takes the poses of now as the next frame."""
        world, at = self._world._c, 0
        frame = np.zeros(lib.td_clip_frame_size(self._definition()), "f4")
        base, turn = ffi.new("td_vec3 *"), ffi.new("td_quat *")
        floats = ffi.cast("float *", ffi.from_buffer(frame))
        for k, actor in enumerate(self._world.actors):
            n = actor.segment_count
            (_, origins), (_, rotations) = filled("td_vec3", n), filled("td_quat", n)
            lib.td_world_pose(world, k, base, turn, origins, rotations)
            lib.td_clip_pack(self._actors + k, base[0], turn[0], origins, rotations, floats + at)
            at += lib.td_clip_actor_size(self._actors + k)
        for k in range(len(self._colliders)):
            collider = ffi.new("td_collider *", lib.td_world_collider(world, k))
            lib.td_clip_pack_collider(collider, floats + at)
            at += 7
        self._frames.append(frame)

    def _whole(self, fps):
        """The definition with all frames, and what must stay alive meanwhile."""
        frames = np.ascontiguousarray(np.stack(self._frames))
        definition = self._definition()
        definition.fps = fps
        definition.frames = ffi.cast("float *", ffi.from_buffer(frames))
        return definition, frames

    def glb(self, path, fps):
        definition, _frames = self._whole(fps)
        diag = new_diag()
        check(lib.td_clip_glb(definition, path.encode(), ffi.NULL, diag), diag)

    def page(self, player, probes, path, fps):
        definition, _frames = self._whole(fps)
        page = ffi.new("td_page_def *", lib.td_page_def_default())
        title = ffi.new("char[]", self._world.name.encode())
        page.title, page.player, page.player_size = title, ffi.from_buffer(player), len(player)
        if probes:
            page.probes, page.probes_size = ffi.from_buffer(probes), len(probes)
        diag = new_diag()
        check(lib.td_clip_page(definition, page, path.encode(), ffi.NULL, diag), diag)
