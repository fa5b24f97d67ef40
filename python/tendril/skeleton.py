"""Skeletons: what a plant, a strand or a rope is, and the triangles over it."""

import os
from typing import Any, List, Optional, Tuple, Union

import numpy as np

from tendril._library import (ArgumentError, Struct, Unpickled, bytes_at, check, lib, new, new_diag, owned, room, text,
                              view)

ORGANS = ("stem", "leaf", "petal", "flower", "fruit")
JOINTS = ("ball", "hinge", "slide", "fixed", "free")


class Skeleton:
    """A tree of segments, parent first. It does not change once it is made.

    Axes of a segment: origin at its joint, Y along it. Metres, kilograms, radians.
    """

    def __init__(self, pointer, owner=None):
        # one that belongs to a world is borrowed, and keeps that of C alive
        self._owner = owner
        self._c = pointer if owner is not None else owned(pointer, lib.td_skeleton_free)

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
        return view(lib.td_skeleton_segments(self._c), len(self), self._keeper())

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
        return view(lib.td_skeleton_materials(self._c), lib.td_skeleton_material_count(self._c), self._keeper())

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
        origins, rotations = room("td_vec3", len(self)), room("td_quat", len(self))
        lib.td_skeleton_pose(self._c, lib.TD_POSE_REST if rest else lib.TD_POSE_INITIAL, origins, rotations)
        return origins, rotations

    def tips(self, rest: bool = False) -> np.ndarray:
        """Far ends (n, 3) in m, in the world."""
        origins, rotations = self.pose(rest)
        return origins + rotate(rotations, self.segments["tip"])

    def mesh(self, *, skinned: bool = False, max_triangles: int = 0, textures: bool = False) -> "Mesh":
        """Triangles over it; max_triangles 0: as many as it takes."""
        opts = Struct("td_mesh_opts", skinned=skinned, max_triangles=max_triangles, textures=textures)
        out, diag = new("td_mesh *"), new_diag()
        check(lib.td_mesh_new(self._c, opts, None, out, diag), diag)
        return Mesh(out[0])

    def json(self) -> str:
        """The skeleton as JSON text; the guide to formats describes it."""
        return take_bytes(lib.td_skeleton_json, self._c, None).decode()

    def save(self, path: Union[str, os.PathLike], **look: Any) -> None:
        """Writes a picture in space, .glb, or the skeleton, .json. `look` goes to mesh()."""
        path = os.fspath(path)
        data = self.json().encode() if path.endswith(".json") else self.mesh(**look).glb()
        write_file(path, data)

    @classmethod
    def from_json(cls, content: str, *, name: str = "skeleton.json") -> "Skeleton":
        """From the text that json() gives, to the bit. `name` is for messages."""
        if not isinstance(content, (str, bytes, bytearray)):
            raise TypeError(f"expected the text of a skeleton in JSON, not {type(content).__name__}")
        data = content.encode() if isinstance(content, str) else bytes(content)
        out, diag = new("td_skeleton *"), new_diag()
        check(lib.td_skeleton_from_json(data, len(data), name, None, out, diag), diag)
        return cls(out[0])

    def __reduce__(self):
        return Skeleton.from_json, (self.json(),)

    def _keeper(self):
        return self._c if self._owner is None else self._owner


def rotate(rotations: np.ndarray, vectors: np.ndarray) -> np.ndarray:
    """Vectors (n, 3) turned by unit quaternions (n, 4)."""
    u = rotations[..., 1:]
    t = 2 * np.cross(u, vectors)
    return vectors + rotations[..., :1] * t + np.cross(u, t)


class Mesh(Unpickled):
    """Triangles over a skeleton, in parts that are drawn alike."""

    _instead = "pickle its skeleton and call mesh(), or its parts, which are arrays"

    def __init__(self, pointer):
        self._c = owned(pointer, lib.td_mesh_free)

    def __repr__(self) -> str:
        return f"<Mesh: {', '.join(f'{p.name} {len(p.index)}' for p in self.parts)} triangles>"

    @property
    def parts(self) -> List["MeshPart"]:
        return [MeshPart(self._c, lib.td_mesh_part_get(self._c, k)) for k in range(lib.td_mesh_part_count(self._c))]

    def glb(self, name: str = "plant") -> bytes:
        """Binary glTF 2.0, as bytes."""
        return take_bytes(lib.td_mesh_glb, self._c, name, None)


class MeshPart:
    """name; position, normal (n, 3), color (n, 4; linear RGBA, 0 to 255), index (m, 3): views."""

    def __init__(self, owner, part):
        n, self.name, self.double_sided = part.vertex_count, text(part.name), part.double_sided
        self.position = view(part.position, 3 * n, owner).reshape(n, 3)
        self.normal = view(part.normal, 3 * n, owner).reshape(n, 3)
        self.color = view(part.color, 4 * n, owner).reshape(n, 4)
        self.index = view(part.index, part.index_count, owner).reshape(-1, 3)
        skinned = bool(part.joint)
        self.joint = view(part.joint, 4 * n, owner).reshape(n, 4) if skinned else None
        self.weight = view(part.weight, 4 * n, owner).reshape(n, 4) if skinned else None


class Builder(Unpickled):
    """Makes a skeleton segment by segment.

    >>> rope = tendril.Builder()
    >>> last = -1
    >>> for _ in range(10):
    ...     last = rope.add(parent=last, length=0.1, radius=0.005)
    >>> skeleton = rope.finish()
    """

    _instead = "pickle the skeleton that finish() gives"

    def __init__(self):
        out = new("td_builder *")
        diag = new_diag()
        check(lib.td_builder_new(None, None, out, diag), diag)
        self._c = owned(out[0], lib.td_builder_free)

    def material(self, name: str, **fields: Any) -> int:
        """Adds a material like the known one of that name, or a new one; gives its index.

        Fields are density (kg/m3), young, shear (Pa), poisson, damping_time (s), thickness (m).
        """
        found = lib.td_material_find(name)
        known = lib.td_material_default() if found < 0 else lib.td_material_get(found)
        known.name = name
        index, diag = new("int32_t"), new_diag()
        for key, value in fields.items():
            set_field(known, key, value)
        check(lib.td_builder_add_material(self._c, known, index, diag), diag)
        return index[0]

    def add(self, parent: int = -1, *, radius: Optional[float] = None, **fields: Any) -> int:
        """Adds a segment and gives its index. Fields are those of td_segment_def: length,
        radius_base, radius_tip (m), joint ("ball", "hinge", ...), attach, rest (w x y z), material,
        mass (kg), stiffness (N m/rad), damping (N m s/rad), ... `radius` sets both radii."""
        seg = Struct("td_segment_def", parent=parent)
        if radius is not None:
            seg.radius_base = seg.radius_tip = radius
        if "joint" in fields:
            fields["joint"] = index_of(fields["joint"], JOINTS, "joint")
        if "organ" in fields:
            fields["organ"] = index_of(fields["organ"], ORGANS, "organ")
        if "attach" in fields:
            seg.attach_at_tip = False
        for key, value in fields.items():
            set_field(seg, key, value)
            if "has_" + key in seg.fields():
                setattr(seg, "has_" + key, True)
        index, diag = new("int32_t"), new_diag()
        check(lib.td_builder_add(self._c, seg, index, diag), diag)
        return index[0]

    def finish(self) -> Skeleton:
        """The skeleton. The builder is empty afterwards."""
        out, diag = new("td_skeleton *"), new_diag()
        check(lib.td_builder_finish(self._c, out, diag), diag)
        return Skeleton(out[0])


def index_of(name, names, what):
    """Number of a kind that is given by its name or by its number."""
    if isinstance(name, str) and name in names:
        return names.index(name)
    if isinstance(name, (int, np.integer)) and 0 <= name < len(names):
        return int(name)
    raise ArgumentError(f"there is no {what} {name!r}; there are {', '.join(names)}")


def set_field(struct, key, value):
    """A field of a C struct, vectors from sequences. A name that is not there is refused."""
    fields = {k: f for k, f in struct.fields().items() if k != "struct_size" and f.type.kind != "pointer"}
    if key not in fields:
        raise TypeError(f"there is no field '{key}'; there are {', '.join(sorted(fields))}")
    try:
        setattr(struct, key, value)
    except TypeError:
        raise TypeError(f"{key} is {value!r}; {expected(fields[key].type)} is needed") from None


def expected(ctype):
    if ctype.kind == "struct":
        return f"a sequence of {len(ctype.fields)} numbers"
    return "a text" if ctype.kind == "array" else "a number"


def take_bytes(write, *args, diag=None):
    """The bytes that a function of the library writes, and gives back in its last argument but the diag."""
    out = Struct("td_bytes")
    check(write(*args, out, *([] if diag is None else [diag])), diag)
    try:
        return bytes_at(out.data, out.size)
    finally:
        lib.td_bytes_free(out)


def write_file(path, data):
    diag = new_diag()
    check(lib.td_file_write(path, data, len(data), diag), diag)
