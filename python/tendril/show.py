"""Runs as files: pages that play, and animated glTF."""

import html
import os
import pathlib
import tempfile

import numpy as np

from tendril._library import ArgumentError, Error, Struct, Structs, check, lib, new_diag
from tendril.recording import Recording

PLAYER = "player.html"
COLLIDER = 7  # floats of a collider in a frame
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
    clip, recording = Clip(world, triangles), Recording(world.probe_names)

    def add(parts):
        recording.add(world.time, world.probes(), None)
        clip.add(parts)

    world._film(world.duration if seconds is None else seconds, add, progress, clip.begin)
    return clip, recording, world.fps


def export(world, path, seconds, progress, triangles):
    path = pathlib.Path(path)
    if path.suffix.lower() != ".glb":
        raise ArgumentError(f"path is {str(path)!r}; a file .glb is needed")
    if not path.parent.is_dir():  # before the world moves
        raise ArgumentError(f"path is {str(path)!r}, but there is no folder {str(path.parent)!r}")
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
        self._world, self._frames, self._began = world, [], None
        meshes, actors = {}, world.actors
        budget = max(100, triangles // max(1, len(actors))) if triangles else 0
        self._actors = []
        for actor in actors:
            about = actor._about()
            if about.skeleton not in meshes:
                meshes[about.skeleton] = actor.skeleton.mesh(skinned=True, max_triangles=budget)._c
            self._actors.append(Struct("td_clip_actor", name=actor.name, skeleton=about.skeleton,
                                       mesh=meshes[about.skeleton], stretchy=about.stretchy))
        scale = lib.td_clip_scale_of(world._c)
        self._colliders = Structs("td_clip_collider", [lib.td_clip_collider_of(c, scale) for c in self._world_colliders()])

    def _world_colliders(self):
        world = self._world._c
        return [lib.td_world_collider(world, lib.td_world_collider_id(world, k)) for k in range(lib.td_world_collider_count(world))]

    def _definition(self, **fields):
        return Struct("td_clip_def", actors=Structs("td_clip_actor", self._actors), actor_count=len(self._actors),
                      colliders=self._colliders, collider_count=len(self._colliders), **fields)

    def begin(self):
        """Takes the poses of now as those at the beginning of a step."""
        self._began = self._pack()

    def add(self, parts=(1.0,)):
        """Takes the poses of now as those at the end of a step, and adds the frames that lie at these parts of it."""
        end = self._pack()
        for part in parts:
            frame = end
            if part < 1:
                frame = np.empty_like(end)
                lib.td_clip_blend(self._definition(), self._began, end, part, frame)
            self._frames.append(frame)

    def _pack(self):
        at = 0
        frame = np.zeros(lib.td_clip_frame_size(self._definition(frame_count=1)), "f4")
        for actor, look in zip(self._world.actors, self._actors):
            base, turn, origins, rotations = actor._pose()
            lib.td_clip_pack(look, base, turn, origins, rotations, frame[at:])
            at += lib.td_clip_actor_size(look)
        for collider in self._world_colliders():
            lib.td_clip_pack_collider(collider, frame[at:])
            at += COLLIDER
        return frame

    def _whole(self, fps):
        """The definition with all frames."""
        return self._definition(frame_count=len(self._frames), fps=fps, frames=np.stack(self._frames))

    def glb(self, path, fps):
        diag = new_diag()
        check(lib.td_clip_glb(self._whole(fps), path, None, diag), diag)

    def page(self, player, probes, path, fps):
        page = Struct("td_page_def", title=self._world.name, player=player, player_size=len(player))
        if probes:
            page.probes, page.probes_size = probes, len(probes)
        diag = new_diag()
        check(lib.td_clip_page(self._whole(fps), page, path, None, diag), diag)
