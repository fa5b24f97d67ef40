"""Scenes in motion."""

import contextlib
import json
import math
import os
import threading
from typing import Any, Callable, Dict, List, Optional, Sequence, Tuple, Union

import numpy as np

from tendril._library import (NULL, ArgumentError, Diags, Struct, Unpickled, check, copied, def_extern, from_handle, lib,
                              new, new_diag, new_handle, owned, room, text, view)
from tendril.arguments import real, whole
from tendril.collider import Collider, filter_of, solid
from tendril.files import Files, read_text
from tendril.recording import Recording
from tendril.skeleton import Skeleton


ROUNDING = 1e-6  # of a frame and of a step
PICK = np.dtype([("actor", "i4"), ("segment", "i4"), ("collider", "i4"), ("along", "f8"), ("distance", "f8"),
                 ("point", "f8", 3), ("surface", "f8", 3), ("normal", "f8", 3)])


def _points(points):
    """Points (n, 3), or one alone, that a caller gave."""
    try:
        out = np.ascontiguousarray(points, float).reshape(-1, 3)
    except (TypeError, ValueError):
        raise ArgumentError(f"points are {points!r}; numbers of the shape (n, 3) are needed") from None
    wrong = np.flatnonzero(~np.isfinite(out).all(axis=1))
    if len(wrong):
        raise ArgumentError(f"point {wrong[0]} is {out[wrong[0]]}; it must be finite")
    return out


def _part(part):
    return 1.0 if part >= 1 - ROUNDING else max(part, 0.0)


class World(Unpickled):
    """A scene that runs. Deterministic: same scene, same bits, for any number of threads.

    scene: path of a scene file, its content as a dict, or its text by World.from_text().
    files: texts of files that the scene names, which are not on the disk: {"oak.lsys": "..."}.
    threads: 1 to 256.
    hold_blocked: actors whose step cannot be solved are held while all others go on.
    no_growth: steps take no memory; one whose contact runs out of room is refused.
    near_pairs: 0 to 4096, for each segment: room for so many near pairs from the start.
    timed: steps are timed; see step_times.
    iteration_budget, time_budget: see set_budget().

    >>> with tendril.World("scenes/palm-in-wind.yaml") as world:
    ...     world.run(2.0)
    ...     world.actors[0].tips()[:, 1].max()

    name, duration (s) and fps are those of the scene; warnings lists what it should be told about.
    """

    _instead = "keep the scene and the bytes of save(), make the world again and restore() them"

    def __init__(self, scene: Union[str, os.PathLike, Dict[str, Any]], *, files: Optional[Dict[str, str]] = None,
                 threads: int = 1, hold_blocked: bool = False, no_growth: bool = False,
                 near_pairs: int = 0, timed: bool = False, iteration_budget: int = 0, time_budget: float = 0):
        skeletons = {}
        if isinstance(scene, dict):
            scene, skeletons = _take_skeletons(scene)
            try:
                content = json.dumps(scene, default=_plain)
            except (TypeError, ValueError) as error:
                raise ArgumentError(f"the scene holds what YAML cannot: {error}") from None
            name = "scene"
        else:
            name = os.fspath(scene)
            content = read_text(name)
        self._make(content, name, skeletons, files, threads=threads, hold_blocked=hold_blocked, no_growth=no_growth,
                   near_pairs=near_pairs, timed=timed, iteration_budget=iteration_budget, time_budget=time_budget)

    @classmethod
    def from_text(cls, content: str, *, name: str = "scene", files: Optional[Dict[str, str]] = None,
                  **options: Any) -> "World":
        """From the text of a scene; `name` is for messages and for files that it names. `options` are those of a
        World: threads, hold_blocked, ..."""
        world = cls.__new__(cls)
        world._make(content, name, {}, files, **options)
        return world

    def _make(self, content, name, skeletons, files, *, threads=1, hold_blocked=False, no_growth=False, near_pairs=0,
              timed=False, iteration_budget=0, time_budget=0.0):
        files, self._lock, self._field = Files(files), threading.Lock(), None
        scene = _read_scene(content, name)
        for index, skeleton in skeletons.items():
            diag = new_diag()
            check(lib.td_scene_set_skeleton(scene, index, skeleton._c, diag), diag)
        opts = Struct("td_world_opts", loader=files.loader, threads=threads, hold_blocked=hold_blocked,
                      no_growth=no_growth, near_pairs=near_pairs, timed=timed,
                      iteration_budget=whole("iteration_budget", iteration_budget, 0),
                      time_budget=real("time_budget", time_budget))
        out, diags = new("td_world *"), Diags()
        diags.check(files.guard(lib.td_world_from_scene, scene, opts, None, out, diags.list))
        self._pointer = owned(out[0], lib.td_world_free, scene, files)
        self.warnings = diags.warnings()
        definition = lib.td_scene_def_get(scene)
        self.name = text(definition.name) or name
        record = copied(definition.record)
        self.duration, self.fps = record.duration, record.fps

    # ---- end ----------------------------------------------------------------------------------

    @property
    def _c(self):
        if self._pointer is None:
            raise ArgumentError(f"the world '{self.name}' is closed; make a new one")
        return self._pointer

    @property
    def closed(self) -> bool:
        return self._pointer is None

    def close(self) -> None:
        """Ends the world, whose memory is freed at once, or with the last array of it. Using the world
        afterwards is refused; closing it again does nothing."""
        if not self.closed:
            with self._use():
                self._pointer = self._field = None

    def __enter__(self) -> "World":
        self._c
        return self

    def __exit__(self, *_):
        self.close()

    def __repr__(self) -> str:
        if self.closed:
            return f"<World '{self.name}': closed>"
        n = sum(a.segment_count for a in self.actors)
        return f"<World '{self.name}' at {self.time:.4g} s: {len(self.actors)} actors, {n} segments, steps of {self.dt:.4g} s>"

    @contextlib.contextmanager
    def _use(self):
        # a world serves one thread at a time, and steps without Python's lock
        if not self._lock.acquire(blocking=False):
            raise RuntimeError("the world is in use: by another thread, or by the step that calls this function")
        try:
            yield self._c
        finally:
            self._lock.release()

    # ---- time ---------------------------------------------------------------------------------

    @property
    def time(self) -> float:
        """s."""
        return lib.td_world_time(self._c)

    @property
    def dt(self) -> float:
        """s, of a step."""
        return lib.td_world_dt(self._c)

    @property
    def stats(self) -> Dict[str, float]:
        """Of all steps so far: steps, iterations, halved, unconverged, ..."""
        s = lib.td_world_stats(self._c)
        return {n: getattr(s, n) for n in s.fields()}

    @property
    def pushed(self) -> Dict[str, float]:
        """Pairs of segments that a scene with `contact: {overlap: push}` pushes apart: `pairs`, of these
        `overlapping`, and `depth`, m, of the deepest overlap.
        """
        p = lib.td_world_pushed(self._c)
        return {n: getattr(p, n) for n in p.fields()}

    @property
    def step_times(self) -> Dict[str, float]:
        """s, of the last step by stage: total, loads, islands, ... All 0 unless the world is `timed`."""
        t = lib.td_world_step_times(self._c)
        return {n: getattr(t, n) for n in t.fields()}

    def clear_forces(self) -> None:
        """Drops all forces and impulses of add_force() and add_impulse() that wait for the next step."""
        with self._use() as world:
            lib.td_world_clear_forces(world)

    def set_budget(self, iterations: int = 0, seconds: float = 0) -> None:
        """Bounds the cost of a step: Newton iterations of an island, and time in all; 0: any. Results with a
        budget of time alone depend on the machine.

        stats["truncated"] and stats["blocked"] count the steps concerned.
        """
        diag = new_diag()
        with self._use() as world:
            check(lib.td_world_set_budget(world, whole("iterations", iterations, 0), seconds, diag), diag)

    def step(self, count: int = 1) -> None:
        """Advances by `count` steps. Python's lock is released meanwhile.

        Raises Diverged with the world as it was before the step that failed. With hold_blocked,
        Blocked is raised after the step in which an actor begins to be held: going on is allowed.
        """
        count, diag = whole("count", count, 0), new_diag()
        with self._use() as world:
            for _ in range(count):
                status = lib.td_world_step(world, diag)
                if self._field is not None:
                    self._field.raise_fault()
                check(status, diag)

    def advance(self, dt: float) -> None:
        """Advances by one step of `dt` seconds, which may be another each time: the frame time of a
        program. Raises as step() does, and ArgumentError for a `dt` that is not from 1e-9 to 1 s."""
        dt, diag = real("dt", dt), new_diag()
        with self._use() as world:
            status = lib.td_world_advance(world, dt, diag)
            if self._field is not None:
                self._field.raise_fault()
            check(status, diag)

    def run(self, seconds: float, *, each: Optional[Callable[["World"], Any]] = None,
            progress: Optional[Callable[[float], None]] = None) -> Recording:
        """Steps until `seconds` more have passed, and records the probes of every frame: at its time, or
        where frames lie within steps (steps_a_frame is 0) at the end of the step.

        each: called as each(world) after every frame; what it returns is kept in .extra.
        progress: called as progress(done), 0 to 1, after every frame.
        """
        recording = Recording(self.probe_names)

        def add(_):
            recording.add(self.time, self.probes(), each(self) if each else None)

        self._film(seconds, add, progress)
        return recording

    def _film(self, seconds, add, progress, begin=lambda: None):
        """Steps through the frames of `seconds`. Calls begin() before a step within which frames lie, and after each
        step with frames add(parts): where they lie in it, 0 to 1."""
        seconds = real("seconds", seconds)
        if not 0 <= seconds < math.inf:
            raise ArgumentError(f"seconds is {seconds}; it must be 0 or more, and finite")
        frames = max(1, round(seconds * self.fps)) if seconds > 0 else 0
        start, done = self.time, 0
        add([1.0])
        while done < frames:
            if self.steps_a_frame:
                self.step(self.steps_a_frame)
                parts = [1.0]
            else:
                now, dt = self.time - start, self.dt
                last = min(math.floor((now + dt) * self.fps + ROUNDING), frames)
                parts = [_part((k / self.fps - now) / dt) for k in range(done + 1, last + 1)]
                if parts and parts[0] < 1:
                    begin()
                self.step()
            if parts:
                add(parts)
                done += len(parts)
                if progress:
                    progress(done / frames)

    @property
    def steps_a_frame(self) -> int:
        """Steps in a frame; 0: frames lie within steps."""
        return lib.td_world_steps_a_frame(self._c)

    def settle(self) -> np.ndarray:
        """Brings all actors to rest under gravity, without winds and loads. Gives one entry an actor:
        energy (J), residual (N m or N), iterations, and unstable: it falls at the slightest push."""
        diag = new_diag()
        with self._use() as world:
            rests = room("td_rest", lib.td_world_actor_count(world))
            check(lib.td_world_settle(world, rests, diag), diag)
        return rests

    # ---- parameters ---------------------------------------------------------------------------

    def __getitem__(self, path: str) -> float:
        """A number of the scene: world["gravity.y"], world["objects[0].stiffness"]."""
        value, diag = new("double"), new_diag()
        check(lib.td_world_get(self._c, path, value, diag), diag)
        return value[0]

    def __setitem__(self, path: str, value: float) -> None:
        """Takes effect with the next step, in the unit of the scene file."""
        diag = new_diag()
        with self._use() as world:
            check(lib.td_world_set(world, path, real(path, value), diag), diag)

    @property
    def field(self) -> Optional[Callable[[float, int, np.ndarray, np.ndarray], Any]]:
        """A force field of your own: field(time, actor, tips, velocities) gives forces (n, 3), N, at
        the tips of the actor's segments, which act through the step. None: no field."""
        return self._field.function if self._field else None

    @field.setter
    def field(self, field):
        if field is not None and not callable(field):
            raise TypeError(f"the field is {field!r}; a function or None is needed")
        diag = new_diag()
        with self._use() as world:
            new_one = _Field(field) if field else None
            if new_one:
                check(lib.td_world_set_field(world, lib.tendril_field, new_one.handle, diag), diag)
            else:
                check(lib.td_world_set_field(world, NULL, NULL, diag), diag)
            self._field = new_one  # kept as long as C knows it

    def wind(self, points: Any) -> np.ndarray:
        """Velocity of the air at points (n, 3), m/s."""
        points = _points(points)
        out = room("td_vec3", len(points))
        with self._use() as world:
            lib.td_world_wind(world, len(points), points, out)
        return out

    # ---- actors -------------------------------------------------------------------------------

    @property
    def actors(self) -> List["Actor"]:
        """One for each instance of an object, in the order of their indices."""
        count = lib.td_world_actor_count(self._c)
        return [Actor(self, k) for k in range(count) if lib.td_world_actor_id(self._c, k).place]

    def actor(self, name: str) -> "Actor":
        """The actor of that name."""
        for actor in self.actors:
            if actor.name == name:
                return actor
        raise KeyError(f"there is no actor '{name}'; there are {', '.join(a.name for a in self.actors[:20])}")

    def tips(self, out: Optional[np.ndarray] = None) -> np.ndarray:
        """Tips of all segments of all actors (n, 3), m. `out` is filled and given back."""
        with self._use() as world:
            out = room("td_vec3", lib.td_world_segment_count(world), out)
            lib.td_world_all_poses(world, None, out, None)
        return out

    def poses(self) -> Tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Joints (n, 3), tips (n, 3) and rotations (n, 4) of all segments of all actors."""
        with self._use() as world:
            n = lib.td_world_segment_count(world)
            joints, tips, rotations = room("td_vec3", n), room("td_vec3", n), room("td_quat", n)
            lib.td_world_all_poses(world, joints, tips, rotations)
        return joints, tips, rotations

    def contacts(self) -> np.ndarray:
        """What touches: a structured array with point (m), normal, force (N), ..."""
        with self._use() as world:
            out = room("td_contact", lib.td_world_contacts(world, None, 0))
            lib.td_world_contacts(world, out, len(out))
        return out

    # ---- queries ------------------------------------------------------------------------------

    def _picked(self, world, picks):
        out = np.zeros(len(picks), PICK)
        for name in ("segment", "along", "distance", "point", "surface", "normal"):
            out[name] = picks[name]
        for name in ("actor", "collider"):
            out[name] = picks[name]["place"].astype(int) - 1
        return out

    def cast_rays(self, origins: Any, directions: Any, *, length: float = 0.0, radius: float = 0.0,
                  colliders: bool = False, filter: Optional[Tuple[int, int]] = None) -> np.ndarray:
        """What each ray meets first: a structured array with actor, segment and collider (indices; -1: none),
        distance (m; infinite: nothing), surface (m), normal, and the point of the segment's axis, with `along`
        from its joint, 0, to its tip, 1.

        length: how far rays go, m; 0: without end. radius: of a ball that is cast, m.
        filter: categories and mask: they meet what would collide with it; None: everything.
        """
        origins, directions = _points(origins), _points(directions)
        origins, directions = np.broadcast_arrays(origins, directions)
        rays = room("td_ray", len(origins))
        rays["origin"], rays["direction"] = origins, directions
        rays["length"], rays["radius"] = real("length", length), real("radius", radius)
        rays["colliders"] = bool(colliders)
        if filter is not None:
            asked = filter_of(filter)
            rays["filter"]["category"], rays["filter"]["mask"] = asked.category, asked.mask
        with self._use() as world:
            picks, diag = room("td_pick", len(rays)), new_diag()
            check(lib.td_world_cast_rays(world, len(rays), rays, picks, diag), diag)
            return self._picked(world, picks)

    def nearest(self, points: Any, radius: float = math.inf, *,
                filter: Optional[Tuple[int, int]] = None) -> np.ndarray:
        """The segment whose surface is nearest to each point, within `radius`, m; see cast_rays(). The distance
        is below 0 within a segment."""
        points, asked = _points(points), filter_of(filter) if filter is not None else None
        with self._use() as world:
            picks, diag = room("td_pick", len(points)), new_diag()
            check(lib.td_world_pick_nearest(world, len(points), points, real("radius", radius), asked, picks, diag), diag)
            return self._picked(world, picks)

    def overlap(self, *, position: Sequence[float], radius: Optional[float] = None, length: float = 0.0,
                size: Optional[Sequence[float]] = None, rotation: Sequence[float] = (1, 0, 0, 0),
                filter: Optional[Tuple[int, int]] = None) -> np.ndarray:
        """Segments within a sphere (`radius`), a capsule (`radius` and `length` along its own Y) or a box (`size`),
        in m: rows of the indices of actor and segment (n, 2). filter: as in cast_rays()."""
        if (radius is None) == (size is None):
            raise ArgumentError("either a radius or a size is needed")
        sides = None if size is None else tuple(_points(size)[0])
        shape = solid("box" if radius is None else "capsule", tuple(_points(position)[0]),
                      tuple(real("rotation", q) for q in rotation), filter, radius=radius, length=length, sides=sides)
        with self._use() as world:
            diag, count, found = new_diag(), new("int32_t"), room("td_overlap", 0)
            for _ in range(2):
                check(lib.td_world_overlap(world, shape, found, len(found), count, diag), diag)
                found = room("td_overlap", count[0]) if len(found) < count[0] else found
        return np.stack([found["actor"]["place"].astype(int) - 1, found["segment"]], axis=1)

    # ---- adding and removing ------------------------------------------------------------------

    def add_kind(self, definition: Dict[str, Any]) -> int:
        """Adds an object to the scene, without actors: a dict as in "objects", with a "strand" or a "skeleton" of
        your own. Gives the number of the object, for add_actor()."""
        scene, skeletons = _take_skeletons({"objects": [definition]})
        scene = _read_scene(json.dumps(scene, default=_plain), "kind")
        for index, skeleton in skeletons.items():
            diag = new_diag()
            check(lib.td_scene_set_skeleton(scene, index, skeleton._c, diag), diag)
        out, diag = new("int32_t"), new_diag()
        with self._use() as world:
            check(lib.td_world_add_kind(world, lib.td_scene_def_get(scene).objects, out, diag), diag)
        return out[0]

    def add_actor(self, object: int = 0, position: Sequence[float] = (0, 0, 0),
                  rotation: Sequence[float] = (1, 0, 0, 0), *, skeleton: Optional[Skeleton] = None,
                  filter: Optional[Tuple[int, int]] = None, user_data: int = 0) -> "Actor":
        """Adds one more actor of an object: a number from 0, in the order of the scene; with a skeleton of its own
        in place of the object's, whose memory is used again after remove(). Raises Blocked when something is in
        its place."""
        out, diag = Struct("td_actor_id"), new_diag()
        definition = Struct("td_actor_def", object=whole("object", object), position=position, rotation=rotation,
                            skeleton=NULL if skeleton is None else skeleton._c,
                            filter=None if filter is None else filter_of(filter),
                            user_data=whole("user_data", user_data, 0, 2**64 - 1))
        with self._use() as world:
            check(lib.td_world_add_actor(world, definition, out, diag), diag)
        return Actor(self, lib.td_world_actor_index(self._c, out))

    @property
    def colliders(self) -> List[Collider]:
        """The colliders of the scene, in its order, then the added ones."""
        count = lib.td_world_collider_count(self._c)
        return [Collider(self, k) for k in range(count) if lib.td_world_collider_id(self._c, k).place]

    def add_collider(self, kind: str, position: Sequence[float] = (0, 0, 0), rotation: Sequence[float] = (1, 0, 0, 0),
                     *, radius: Optional[float] = None, length: Optional[float] = None,
                     size: Optional[Sequence[float]] = None, friction: Optional[float] = None,
                     restitution: Optional[float] = None, filter: Optional[Tuple[int, int]] = None) -> Collider:
        """Adds a "plane", "sphere", "capsule" or "box" to a scene with contact. Raises Blocked when an actor is in
        its place."""
        definition = solid(kind, position, rotation, filter, radius=radius, length=length, sides=size,
                           friction=friction, restitution=restitution)
        out, diag = Struct("td_collider_id"), new_diag()
        with self._use() as world:
            check(lib.td_world_add_collider(world, definition, out, diag), diag)
        return Collider(self, lib.td_world_collider_index(self._c, out))

    # ---- recording ----------------------------------------------------------------------------

    @property
    def probe_names(self) -> List[str]:
        """Names of the scene's probes with their units, such as 'tip.x [m]'."""
        return [text(lib.td_world_probe_name(self._c, k)) for k in range(lib.td_world_probe_columns(self._c))]

    def probes(self) -> np.ndarray:
        """Their values now."""
        with self._use() as world:
            out = room("double", lib.td_world_probe_columns(world))
            lib.td_world_probes(world, out)
        return out

    def energy(self) -> Dict[str, float]:
        """J, of all actors: kinetic, elastic and weight. Elastic has that of spring constraints too."""
        with self._use() as world:
            energy = lib.td_world_sums(world).energy
        return {name: getattr(energy, name) for name in ENERGIES}

    def show(self, seconds: Optional[float] = None, *, path: Union[str, os.PathLike, None] = None,
             height: int = 480) -> Any:
        """Runs for `seconds` (as long as the scene says) and gives a page that plays it, inline in
        a notebook. `path` writes the page there as well."""
        from tendril.show import show
        return show(self, seconds, path, height)

    def export(self, path: Union[str, os.PathLike], seconds: Optional[float] = None, *,
               progress: Optional[Callable[[float], None]] = None, max_triangles: int = 0) -> Recording:
        """Runs for `seconds` (as long as the scene says) and writes the motion as animated glTF, .glb, as
        `tendril run` does. Gives what the probes recorded.

        progress: called as progress(done), 0 to 1, after every frame; what it raises ends the run.
        max_triangles: of all meshes together; 0: as many as it takes.
        """
        from tendril.show import export
        return export(self, path, seconds, progress, max_triangles)

    # ---- saving -------------------------------------------------------------------------------

    def save(self) -> bytes:
        """The whole state as bytes."""
        with self._use() as world:
            out = bytearray(lib.td_world_save_size(world))
            lib.td_world_save(world, out)
        return bytes(out)

    def restore(self, data: bytes) -> None:
        """Goes back to a state that save() gave; it goes on from there to the bit."""
        if not isinstance(data, (bytes, bytearray, memoryview)):
            raise ArgumentError(f"data is {data!r}; bytes that save() gave are needed")
        data, diag = bytes(data), new_diag()
        with self._use() as world:
            check(lib.td_world_restore(world, data, len(data), diag), diag)


ENERGIES = ("kinetic", "elastic", "weight")


class Actor(Unpickled):
    """One instance of an object: a plant, a rope, a hair."""

    _instead = "it belongs to a world; pickle its skeleton, or the arrays that it gives"

    def __init__(self, world: World, index: int):
        count, index = lib.td_world_actor_count(world._c), whole("index", index)
        if not 0 <= index < count:
            raise IndexError(f"there is no actor {index}; the world has {count}")
        self.world, self.index = world, index
        self._id = lib.td_world_actor_id(world._c, index)

    def _about(self):
        self._status()
        return lib.td_world_actor(self.world._c, self._id)

    def _status(self):
        """Why it is blocked, or None. Raises Stale when it was removed."""
        diag = new_diag()
        status = lib.td_world_actor_status(self.world._c, self._id, diag)
        if status == lib.TD_ERR_BLOCKED:
            return diag.message
        check(status, diag)
        return None

    @property
    def name(self) -> str:
        return text(self._about().name)

    @property
    def segment_count(self) -> int:
        return self._about().segment_count

    @property
    def skeleton(self) -> Skeleton:
        """It belongs to the world, which stays as long as the skeleton is used."""
        return Skeleton(self._about().skeleton, owner=self.world._c)

    def __repr__(self) -> str:
        if self.world.closed:
            return f"<Actor {self.index} of the world '{self.world.name}', which is closed>"
        return f"<Actor '{self.name}': {self.segment_count} segments, {self._about().dof_count} degrees of freedom>"

    def pose(self) -> Tuple[np.ndarray, np.ndarray]:
        """Joints (n, 3), m, and rotations (n, 4), w x y z, in the world."""
        return self._pose()[2:]

    def _pose(self):
        """Position and rotation of the base, then those of the segments."""
        n = self.segment_count
        base, turn, joints, rotations = room("td_vec3", 1), room("td_quat", 1), room("td_vec3", n), room("td_quat", n)
        with self.world._use() as world:
            lib.td_world_pose(world, self._id, base, turn, joints, rotations)
        return base[0], turn[0], joints, rotations

    def tips(self) -> np.ndarray:
        """Far ends of the segments (n, 3), m, in the world."""
        first = lib.td_world_first_segment(self.world._c, self.index)
        return self.world.tips()[first:first + self.segment_count]

    def velocities(self) -> Tuple[np.ndarray, np.ndarray]:
        """Velocities of the tips (n, 3), m/s, and how the segments turn (n, 3), rad/s."""
        tips, turning = room("td_vec3", self.segment_count), room("td_vec3", self.segment_count)
        with self.world._use() as world:
            lib.td_world_velocities(world, self._id, tips, turning)
        return tips, turning

    def moments(self) -> np.ndarray:
        """Moments of the springs at the joints (n, 3), N m, in the axes of the segments."""
        out = room("td_vec3", self.segment_count)
        with self.world._use() as world:
            lib.td_world_moments(world, self._id, out)
        return out

    def modes(self, count: int = 6) -> np.ndarray:
        """The lowest modes about the pose, which must be at rest: a structured array with frequency
        (Hz), damping_ratio and twist (0 to 1). Constraints take part: actors that they join have their
        modes in common."""
        count = whole("count", count, 1)
        out, diag = room("td_mode", count), new_diag()
        with self.world._use() as world:
            check(lib.td_world_modes(world, self._id, count, out, diag), diag)
        return out

    @property
    def filter(self) -> Tuple[int, int]:
        """Categories and mask, 32 bits each: it collides with what has a category in its mask, and the
        reverse. Setting it wakes the actor; Blocked is raised when it is within what it would collide with."""
        now = self._about().filter
        return now.category, now.mask

    @filter.setter
    def filter(self, filter: Tuple[int, int]) -> None:
        self._change(lib.td_world_set_actor_filter, filter_of(filter))

    @property
    def user_data(self) -> int:
        """A number of yours, 64 bits; steps do not use it, saves hold it."""
        return self._about().user_data

    @user_data.setter
    def user_data(self, number: int) -> None:
        self._change(lib.td_world_set_actor_user_data, whole("user_data", number, 0, 2**64 - 1))

    @property
    def blocked(self) -> Optional[str]:
        """The reason why the last step blocked the actor, with hold_blocked or a budget; None: it moved."""
        return self._status()

    @property
    def enabled(self) -> bool:
        """A disabled actor stands still and touches nothing. Setting it raises Blocked when something is in its
        place."""
        return lib.td_world_actor_enabled(self.world._c, self._id)

    @enabled.setter
    def enabled(self, enabled: bool) -> None:
        self._change(lib.td_world_enable_actor, bool(enabled))

    @property
    def asleep(self) -> bool:
        """The actor does not move and costs nearly nothing, until something acts on it."""
        return lib.td_world_actor_asleep(self.world._c, self._id)

    def sleep(self) -> None:
        """Puts it to sleep with the end of the next step, together with all that it touches."""
        self._change(lib.td_world_sleep_actor)

    def wake(self) -> None:
        self._change(lib.td_world_wake_actor)

    def remove(self) -> None:
        """Using the actor afterwards raises Stale."""
        self._change(lib.td_world_remove_actor)

    def _change(self, call, *args):
        diag = new_diag()
        with self.world._use() as world:
            check(call(world, self._id, *args, diag), diag)

    def watch_base(self, watch: bool = True) -> None:
        """Computes the reaction of the base from the next step on; costs about an iteration a step."""
        self._change(lib.td_world_watch_base, watch)

    def base_reaction(self) -> Tuple[np.ndarray, np.ndarray]:
        """Force, N, and moment, N m, that the base did to it in the last step; see watch_base()."""
        out, diag = Struct("td_reaction"), new_diag()
        with self.world._use() as world:
            check(lib.td_world_base_reaction(world, self._id, out, diag), diag)
        return out.force, out.moment

    def energy(self) -> Dict[str, float]:
        """J: kinetic, elastic and weight."""
        with self.world._use() as world:
            energy = lib.td_world_actor_sums(world, self._id).energy
        return {name: getattr(energy, name) for name in ENERGIES}

    def move(self, position: Sequence[float], rotation: Sequence[float] = (1, 0, 0, 0)) -> None:
        """Moves the base there in the next step, which feels the motion."""
        self._change(lib.td_world_move_actor, position, rotation)

    def place(self, position: Sequence[float], rotation: Sequence[float] = (1, 0, 0, 0)) -> None:
        """Puts it there at once, with its pose; nothing is felt."""
        self._change(lib.td_world_place_actor, position, rotation)

    def grab(self, segment: int = -1, to: Optional[Sequence[float]] = None, *, point: Optional[Sequence[float]] = None,
             stiffness: float = 100.0, damping: float = 0.0) -> "Grab":
        """Pulls at a segment by a spring until the grab is released. `point` is in the segment's axes,
        its tip if not given; `to` in the world, where the point is if not given."""
        return Grab(self, segment, to, point, stiffness, damping)

    def add_force(self, force: Sequence[float], segment: int = -1, *, point: Optional[Sequence[float]] = None) -> None:
        """A force, N, in world axes, at a segment through the next step. `point` is in the segment's
        axes, its tip if not given."""
        self._press(lib.td_world_add_force, force, segment, point)

    def add_impulse(self, impulse: Sequence[float], segment: int = -1, *,
                    point: Optional[Sequence[float]] = None) -> None:
        """The same with an impulse, N s, by which the momentum changes within the next step."""
        self._press(lib.td_world_add_impulse, impulse, segment, point)

    def _press(self, call, vector, segment, point):
        segment, diag = self._segment(segment), new_diag()
        definition = Struct("td_force_def", actor=self._id, segment=segment, vector=vector,
                            point=self.skeleton.segments["tip"][segment] if point is None else point)
        with self.world._use() as world:
            check(call(world, definition, diag), diag)

    def _segment(self, segment):
        segment, n = whole("segment", segment), self.segment_count
        if not -n <= segment < n:
            raise IndexError(f"there is no segment {segment}; '{self.name}' has {n}")
        return segment % n


class Grab(Unpickled):
    """A spring from a point of a segment to a place. Releases itself at the end of a with block."""

    _instead = "it belongs to a world"

    def __init__(self, actor, segment, to, point, stiffness, damping):
        self._world, self._id, segment = actor.world, Struct("td_grab_id"), actor._segment(segment)
        definition = Struct("td_grab_def", actor=actor._id, segment=segment, stiffness=stiffness, damping=damping,
                            point=actor.skeleton.segments["tip"][segment] if point is None else point,
                            to=actor.tips()[segment] if to is None else to)
        diag = new_diag()
        with self._world._use() as world:
            check(lib.td_world_add_grab(world, definition, self._id, diag), diag)

    def to(self, position: Sequence[float]) -> None:
        """Moves the far end of the spring."""
        diag = new_diag()
        with self._world._use() as world:
            check(lib.td_world_move_grab(world, self._id, position, diag), diag)

    @property
    def force(self) -> np.ndarray:
        """N, with which it pulls at the actor now."""
        out, diag = room("td_vec3", 1), new_diag()
        with self._world._use() as world:
            check(lib.td_world_grab_force(world, self._id, out, diag), diag)
        return out[0]

    def release(self) -> None:
        diag = new_diag()
        with self._world._use() as world:
            check(lib.td_world_remove_grab(world, self._id, diag), diag)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if not self._world.closed:
            self.release()


# ---- scenes -----------------------------------------------------------------------------------


def _plain(value):
    if isinstance(value, np.ndarray):
        return value.tolist()
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, os.PathLike):
        return os.fspath(value)
    raise TypeError(f"{value!r} in a scene")


def _take_skeletons(scene):
    """Objects of a dict may have a 'skeleton': it is handed over besides the text."""
    found, objects = {}, []
    for k, item in enumerate(scene.get("objects", [])):
        if isinstance(item, dict) and isinstance(item.get("skeleton"), Skeleton):
            found[k] = item["skeleton"]
            item = {key: value for key, value in item.items() if key != "skeleton"}
            item["strand"] = {"points": [[0, 0, 0], [0, 1, 0]]}  # until the skeleton takes its place
        objects.append(item)
    return ({**scene, "objects": objects} if found else scene), found


def _read_scene(content, name):
    data, value, diag = content.encode(), new("td_value *"), new_diag()
    check(lib.td_value_from_yaml(data, len(data), name, None, value, diag), diag)
    out, diags = new("td_scene *"), Diags()
    diags.check(lib.td_scene_from_value(value[0], name, None, out, diags.list))
    return owned(out[0], lib.td_scene_free)


class _Field:
    """A force field: its function, and the first fault that it raised."""

    def __init__(self, function):
        self.function, self.fault, self.handle = function, None, new_handle(self)

    def add(self, time, actor, tips, velocities, out):
        given = np.asarray(self.function(time, actor, tips, velocities), float)
        if given.shape != out.shape:
            raise ArgumentError(f"the field gave forces of shape {given.shape}; {out.shape} is needed")
        out += given

    def raise_fault(self):
        fault, self.fault = self.fault, None
        if fault is not None:
            raise fault


@def_extern()
def tendril_field(context, time, actor, count, tips, velocities, forces):
    field = from_handle(context)
    try:
        # copies: the function may keep them, but the library's arrays live only as long as this call
        field.add(time, actor.place - 1, view(tips, count, None).copy(), view(velocities, count, None).copy(),
                  view(forces, count, None, writable=True))
    except BaseException as error:  # raised again when the step is over
        field.fault = field.fault or error
