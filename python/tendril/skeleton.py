"""Skeletons: what a plant, a strand or a rope is, and the triangles over it."""

import os
from typing import Any, List, Optional, Tuple, Union

import numpy as np

from tendril._library import check, ffi, filled, lib, new_diag, text, view

ORGANS = ("stem", "leaf", "petal", "flower", "fruit")
JOINTS = ("ball", "hinge", "slide", "fixed", "free")


class Skeleton:
    """A tree of segments, parent first. It does not change once it is made.

    Axes of a segment: origin at its joint, Y along it. Metres, kilograms, radians.
    """

    def __init__(self, pointer, owner=None):
        # one that belongs to a world is borrowed, and keeps that world alive
        self._owner = owner
        self._c = pointer if owner is not None else ffi.gc(pointer, lib.td_skeleton_free)

    def __len__(self) -> int:
        return lib.td_skeleton_count(self._c)

    def __repr__(self) -> str:
        stems = int(np.sum(self.organ == 0))
        return f"<Skeleton: {len(self)} segments, {stems} of them stems, {self.mass:.4g} kg, {self.height:.4g} m high>"

    @property
    def segments(self) -> np.ndarray:
        """All segments as a structured array: a read-only view of the library's memory.

        Fields are those of td_segment: id, parent (-1: the ground), joint, length (m), radius_base,
        radius_tip (m), mass (kg), stiffness (N m/rad), damping (N m s/rad), area (m2), ...
        """
        return view(lib.td_skeleton_segments(self._c), len(self), self)

    @property
    def parent(self) -> np.ndarray:
        """Index of each segment's parent; -1: the ground."""
        return self.segments["parent"]

    @property
    def organ(self) -> np.ndarray:
        """Kind of each segment: an index into tendril.ORGANS."""
        return self.segments["organ"]

    @property
    def materials(self) -> np.ndarray:
        """Materials as a structured array: density (kg/m3), young, shear (Pa), damping_time (s), ..."""
        return view(lib.td_skeleton_materials(self._c), lib.td_skeleton_material_count(self._c), self)

    @property
    def mass(self) -> float:
        """kg."""
        return float(self.segments["mass"].sum())

    @property
    def height(self) -> float:
        """m, from the lowest to the highest joint or tip, as drawn."""
        origins, _ = self.pose()
        tips = self.tips()
        both = np.concatenate([origins[:, 1], tips[:, 1]]) if len(self) else np.zeros(1)
        return float(both.max() - both.min())

    def pose(self, rest: bool = False) -> Tuple[np.ndarray, np.ndarray]:
        """Joints (n, 3) in m and rotations (n, 4), w x y z, in the world: as drawn, or without load."""
        origins, o = filled("td_vec3", len(self))
        rotations, r = filled("td_quat", len(self))
        lib.td_skeleton_pose(self._c, lib.TD_POSE_REST if rest else lib.TD_POSE_INITIAL, o, r)
        return origins, rotations

    def tips(self, rest: bool = False) -> np.ndarray:
        """Far ends (n, 3) in m, in the world."""
        origins, rotations = self.pose(rest)
        return origins + rotate(rotations, self.segments["tip"])

    def mesh(self, *, skinned: bool = False, max_triangles: int = 0, textures: bool = False) -> "Mesh":
        """Triangles over it; max_triangles 0: as many as it takes."""
        opts = ffi.new("td_mesh_opts *", lib.td_mesh_opts_default())
        opts.skinned, opts.max_triangles, opts.textures = skinned, max_triangles, textures
        out, diag = ffi.new("td_mesh **"), new_diag()
        check(lib.td_mesh_new(self._c, opts, ffi.NULL, out, diag), diag)
        return Mesh(out[0])

    def json(self) -> str:
        """The skeleton as JSON text; the guide to formats describes it."""
        return take_bytes(lambda out: lib.td_skeleton_json(self._c, ffi.NULL, out)).decode()

    def save(self, path: Union[str, os.PathLike], **look: Any) -> None:
        """Writes a picture in space, .glb, or the skeleton, .json. `look` goes to mesh()."""
        path = os.fspath(path)
        data = self.json().encode() if path.endswith(".json") else self.mesh(**look).glb()
        write_file(path, data)

    def __getstate__(self):
        raise TypeError("a skeleton cannot be pickled: save it as JSON, or grow it again")


def rotate(rotations: np.ndarray, vectors: np.ndarray) -> np.ndarray:
    """Vectors (n, 3) turned by unit quaternions (n, 4)."""
    u = rotations[..., 1:]
    t = 2 * np.cross(u, vectors)
    return vectors + rotations[..., :1] * t + np.cross(u, t)


class Mesh:
    """Triangles over a skeleton, in parts that are drawn alike."""

    def __init__(self, pointer):
        self._c = ffi.gc(pointer, lib.td_mesh_free)

    def __repr__(self) -> str:
        return f"<Mesh: {', '.join(f'{p.name} {len(p.index)}' for p in self.parts)} triangles>"

    @property
    def parts(self) -> List["MeshPart"]:
        return [MeshPart(self, lib.td_mesh_part_get(self._c, k)) for k in range(lib.td_mesh_part_count(self._c))]

    def glb(self, name: str = "plant") -> bytes:
        """Binary glTF 2.0, as bytes."""
        return take_bytes(lambda out: lib.td_mesh_glb(self._c, name.encode(), ffi.NULL, out))


class MeshPart:
    """name; position, normal (n, 3), color (n, 4; linear RGBA, 0 to 255), index (m, 3): views."""

    def __init__(self, mesh, part):
        n, self.name, self.double_sided = part.vertex_count, text(part.name), part.double_sided
        self.position = view(part.position, 3 * n, mesh).reshape(n, 3)
        self.normal = view(part.normal, 3 * n, mesh).reshape(n, 3)
        self.color = view(part.color, 4 * n, mesh).reshape(n, 4)
        self.index = view(part.index, part.index_count, mesh).reshape(-1, 3)
        skinned = part.joint != ffi.NULL
        self.joint = view(part.joint, 4 * n, mesh).reshape(n, 4) if skinned else None
        self.weight = view(part.weight, 4 * n, mesh).reshape(n, 4) if skinned else None


class Builder:
    """Makes a skeleton segment by segment.

    >>> rope = tendril.Builder()
    >>> last = -1
    >>> for _ in range(10):
    ...     last = rope.add(parent=last, length=0.1, radius=0.005)
    >>> skeleton = rope.finish()
    """

    def __init__(self):
        out = ffi.new("td_builder **")
        check(lib.td_builder_new(ffi.NULL, ffi.NULL, out))
        self._c = ffi.gc(out[0], lib.td_builder_free)

    def material(self, name: str, **fields: Any) -> int:
        """Adds a material like the known one of that name, or a new one; gives its index.

        Fields are density (kg/m3), young, shear (Pa), poisson, damping_time (s), thickness (m).
        """
        found = lib.td_material_find(name.encode())
        known = ffi.new("td_material *", lib.td_material_default() if found < 0 else lib.td_material_get(found))
        known.name = name.encode()
        index, diag = ffi.new("int32_t *"), new_diag()
        for key, value in fields.items():
            set_field(known, key, value)
        check(lib.td_builder_add_material(self._c, known, index, diag), diag)
        return index[0]

    def add(self, parent: int = -1, *, radius: Optional[float] = None, **fields: Any) -> int:
        """Adds a segment and gives its index. Fields are those of td_segment_def: length,
        radius_base, radius_tip (m), joint ("ball", "hinge", ...), attach, rest (w x y z), material,
        mass (kg), stiffness (N m/rad), damping (N m s/rad), ... `radius` sets both radii."""
        seg = ffi.new("td_segment_def *", lib.td_segment_def_default())
        seg.parent = parent
        if radius is not None:
            seg.radius_base = seg.radius_tip = radius
        if "joint" in fields:
            fields["joint"] = JOINTS.index(fields["joint"])
        if "attach" in fields:
            seg.attach_at_tip = False
        for key, value in fields.items():
            set_field(seg, key, value)
            if hasattr(seg, "has_" + key):
                setattr(seg, "has_" + key, True)
        index, diag = ffi.new("int32_t *"), new_diag()
        check(lib.td_builder_add(self._c, seg, index, diag), diag)
        return index[0]

    def finish(self) -> Skeleton:
        """The skeleton. The builder is empty afterwards."""
        out, diag = ffi.new("td_skeleton **"), new_diag()
        check(lib.td_builder_finish(self._c, out, diag), diag)
        return Skeleton(out[0])


def set_field(struct, key, value):
    """A field of a C struct, vectors from sequences. A name that is not there is refused."""
    fields = dict(ffi.typeof(struct).item.fields)
    if key not in fields or key == "struct_size":
        names = ", ".join(sorted(k for k in fields if k != "struct_size"))
        raise TypeError(f"there is no field '{key}'; there are {names}")
    kind = fields[key].type
    if kind.kind == "struct":
        names = [n for n, _ in kind.fields]
        value = dict(zip(names, (float(v) for v in value), strict=True))
    setattr(struct, key, value)


def take_bytes(make):
    """The bytes that a function of the library writes; it frees them afterwards."""
    out = ffi.new("td_bytes *")
    check(make(out))
    data = bytes(ffi.buffer(out.data, out.size))
    lib.td_bytes_free(out)
    return data


def write_file(path, data):
    diag = new_diag()
    check(lib.td_file_write(os.fspath(path).encode(), data, len(data), diag), diag)

