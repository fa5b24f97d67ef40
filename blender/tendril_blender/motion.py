# SPDX-License-Identifier: MIT
"""The motion of a run's .glb file, in Blender's axes: (x, y, z) of glTF is (x, -z, y) here. Needs no Blender.

Blender's importer makes meshes and bones of the file. Its keys are made here: it takes minutes for some thousand
joints, and asking Blender for the pose of every frame takes as long again."""

import json

import numpy

WIDTHS = {"SCALAR": 1, "VEC3": 3, "VEC4": 4, "MAT4": 16}
FLOAT = 5126  # of glTF: the only component type of a run's motion


# ---- rotations: arrays of w, x, y, z --------------------------------------------------------

def multiply(a, b):
    aw, ax, ay, az = numpy.moveaxis(numpy.asarray(a), -1, 0)
    bw, bx, by, bz = numpy.moveaxis(numpy.asarray(b), -1, 0)
    return numpy.stack((aw * bw - ax * bx - ay * by - az * bz, aw * bx + ax * bw + ay * bz - az * by,
                        aw * by - ax * bz + ay * bw + az * bx, aw * bz + ax * by - ay * bx + az * bw), -1)


def inverse(q):
    return numpy.asarray(q) * (1, -1, -1, -1)


def rotate(q, v):
    """v + 2 w (u x v) + 2 u x (u x v), with u the vector part of q."""
    q, v = numpy.asarray(q), numpy.asarray(v)
    across = 2 * numpy.cross(q[..., 1:], v)
    return v + q[..., :1] * across + numpy.cross(q[..., 1:], across)


def quaternions(matrix):
    """Of rotation matrices: the largest of the four numbers first, the others from it."""
    m = numpy.asarray(matrix)
    diagonal = numpy.diagonal(m, axis1=-2, axis2=-1)
    # row k of 4 q q^T, for each k
    skew = numpy.stack((m[..., 2, 1] - m[..., 1, 2], m[..., 0, 2] - m[..., 2, 0], m[..., 1, 0] - m[..., 0, 1]), -1)
    products = numpy.empty((*m.shape[:-2], 4, 4))
    products[..., 0, 0] = 1 + diagonal.sum(-1)
    products[..., 0, 1:] = products[..., 1:, 0] = skew
    products[..., 1:, 1:] = m + numpy.swapaxes(m, -1, -2)
    for k in range(3):
        products[..., k + 1, k + 1] = 1 + 2 * diagonal[..., k] - diagonal.sum(-1)
    best = numpy.einsum("...kk->...k", products).argmax(-1)
    row = numpy.take_along_axis(products, best[..., None, None], -2)[..., 0, :]
    return row / numpy.linalg.norm(row, axis=-1, keepdims=True)


def matrices(q):
    return numpy.stack([rotate(q, axis) for axis in numpy.eye(3)], -1)


def without_jumps(q):
    """The same rotations, each of the sign that is nearer to the one before, since q and -q are one."""
    signs = numpy.where((q[1:] * q[:-1]).sum(-1) < 0, -1.0, 1.0)
    return q * numpy.concatenate((numpy.ones((1, *signs.shape[1:])), numpy.cumprod(signs, 0)))[..., None]


# ---- files ----------------------------------------------------------------------------------

class Skin:
    """An object that was simulated: its base, and its joints, parents first."""

    def __init__(self, name, base, joints, parents, stems, bind):
        self.name, self.base, self.joints = name, base, joints  # nodes
        self.parents = parents  # places in `joints`; -1: the base
        self.stems = stems      # length, radius at base and tip, radius of a bead; zeros for organs
        self.bind = bind        # rotations and places at which the mesh is drawn, in the axes of the base

    def strands(self):
        """The stems as lists of joints, each from its base on; None where a stem branches."""
        kids = [[] for _ in self.joints]
        for joint, parent in enumerate(self.parents):
            if self.stems[joint, 0] > 0 and parent >= 0:
                kids[parent].append(joint)
        if any(len(some) > 1 for some in kids):
            return None
        out = []
        for joint, parent in enumerate(self.parents):
            if self.stems[joint, 0] > 0 and (parent < 0 or self.stems[parent, 0] <= 0):
                row = [joint]
                while kids[row[-1]]:
                    row.append(kids[row[-1]][0])
                out.append(row)
        return out

    def has_beads(self):
        return bool((self.stems[:, 3] > 0).any())


class Motion:
    def __init__(self, path):
        with open(path, "rb") as file:
            head = file.read(20)
            self.about = json.loads(file.read(int.from_bytes(head[12:16], "little")))
            self.binary = file.read()[8:]
        extras = self.about["scenes"][0]["extras"]
        self.frames, self.fps = int(extras["frames"]), float(extras["fps"])
        self.channels = {}
        for run in self.about.get("animations", []):
            for one in run["channels"]:
                sampler = run["samplers"][one["sampler"]]
                self.channels[one["target"]["node"], one["target"]["path"]] = sampler
        self.skins = [self._skin(about) for about in self.about.get("skins", [])]

    def _array(self, accessor):
        about = self.about["accessors"][accessor]
        if about["componentType"] != FLOAT:
            raise ValueError(f"accessor {accessor} has the component type {about['componentType']}; expected {FLOAT}")
        offset = self.about["bufferViews"][about["bufferView"]].get("byteOffset", 0) + about.get("byteOffset", 0)
        width = WIDTHS[about["type"]]
        return numpy.frombuffer(self.binary, "<f4", about["count"] * width, offset).reshape(-1, width)

    def _skin(self, about):
        place = {node: i for i, node in enumerate(about["joints"])}
        parents = numpy.full(len(place), -1)
        for node, i in place.items():
            for child in self.about["nodes"][node].get("children", []):
                parents[place[child]] = i
        stems = numpy.array(about.get("extras", {}).get("stems", numpy.zeros((len(place), 4)))).reshape(-1, 4)
        # a rigid motion (R, o), of which the file has the inverse (R^T, -R^T o), column by column
        inverses = self._array(about["inverseBindMatrices"]).reshape(-1, 4, 4).astype(float)
        turns = inverses[:, :3, :3]
        places = -numpy.einsum("nij,nj->ni", turns, inverses[:, 3, :3])
        axes = numpy.array([[1, 0, 0], [0, 0, -1], [0, 1, 0]])
        bind = numpy.einsum("ij,njk,lk->nil", axes, turns, axes), places @ axes.T
        return Skin(about.get("name", ""), about["skeleton"], about["joints"], parents, stems, bind)

    def channel(self, node, path):
        """(values in every frame, whether each holds until the next) of a node that moves; else None."""
        sampler = self.channels.get((node, path))
        if sampler is None:
            return None
        return self.moving([node], path)[:, 0], sampler["interpolation"] == "STEP"

    def moving(self, nodes, path):
        """Of nodes that move, in Blender's axes, [frame, node]."""
        raw = [self._array(self.channels[node, path]["output"]) for node in nodes]
        values = convert(path, numpy.stack(raw, 1).astype(float))
        return without_jumps(values) if path == "rotation" else values

    def first(self, nodes, path):
        """In the first frame, which is how the file has its nodes."""
        still = [0, 0, 0, 1] if path == "rotation" else [0, 0, 0]
        return convert(path, numpy.array([self.about["nodes"][node].get(path, still) for node in nodes], float))

    def local(self, nodes, path):
        """In every frame, whether the nodes move or not."""
        out = numpy.repeat(self.first(nodes, path)[None], self.frames, 0)
        moving = [i for i, node in enumerate(nodes) if (node, path) in self.channels]
        if moving:
            out[:, moving] = self.moving([nodes[i] for i in moving], path)
        return out

    def poses(self, skin):
        """(rotations, places) of the skin's joints in the world, [frame, joint]."""
        turns = numpy.empty((self.frames, len(skin.joints), 4))
        places = numpy.empty((self.frames, len(skin.joints), 3))
        base = [self.local([skin.base], path)[:, 0] for path in ("rotation", "translation")]
        turn, place = (self.local(skin.joints, path) for path in ("rotation", "translation"))
        for i, parent in enumerate(skin.parents):
            below, at = base if parent < 0 else (turns[:, parent], places[:, parent])
            turns[:, i] = multiply(below, turn[:, i])
            places[:, i] = at + rotate(below, place[:, i])
        return turns, places

    def joint_keys(self, skin, kept, relative, path):
        """Keys of pose bones, [frame, moving joint], and which joints those are. With L the joint's local motion,
        K the turn from the joint to its bone and (r, o) the bone at ease relative to its parent, a bone is moved by
        (r, o)^-1 K_parent^-1 L K. `kept` has K of all joints, `relative` r and o."""
        moving = [i for i, node in enumerate(skin.joints) if (node, path) in self.channels]
        if not moving:
            return moving, None
        values = self.moving([skin.joints[i] for i in moving], path)
        parents = skin.parents[moving]
        below = numpy.where(parents[:, None] < 0, (1.0, 0, 0, 0), kept[parents])
        turns, offsets = (part[moving] for part in relative)
        back = multiply(inverse(turns), inverse(below))
        if path == "rotation":
            return moving, without_jumps(multiply(multiply(back, values), kept[moving]))
        return moving, rotate(back, values) - rotate(inverse(turns), offsets)


def convert(path, values):
    """Numbers of glTF in Blender's axes; rotations become w, x, y, z."""
    if path == "rotation":
        x, y, z, w = numpy.moveaxis(values, -1, 0)
        return numpy.stack((w, x, -z, y), -1)
    x, y, z = numpy.moveaxis(values, -1, 0)
    return numpy.stack((x, z, y) if path == "scale" else (x, -z, y), -1)
