"""Solids that actors collide with."""

from typing import Optional, Sequence, Tuple

import numpy as np

from tendril._library import ArgumentError, Struct, Unpickled, check, lib, new_diag, text
from tendril.arguments import real, whole

KINDS = {"plane": "TD_COLLIDER_PLANE", "sphere": "TD_COLLIDER_SPHERE", "capsule": "TD_COLLIDER_CAPSULE",
         "box": "TD_COLLIDER_BOX"}


def filter_of(filter):
    category, mask = filter
    return Struct("td_filter", category=whole("category", category, 0, 2**32 - 1), mask=whole("mask", mask, 0, 2**32 - 1))


def solid(kind, position, rotation, filter=None, **numbers):
    """A td_collider; numbers that are None have their defaults."""
    if kind not in KINDS:
        raise ArgumentError(f"kind is {kind!r}; it must be one of {', '.join(KINDS)}")
    out = lib.td_collider_default(getattr(lib, KINDS[kind]))
    out.position = out.position0 = position
    out.rotation = out.rotation0 = rotation
    if filter is not None:
        out.filter = filter_of(filter)
    for name, value in numbers.items():
        if value is not None:
            setattr(out, name, value if name == "sides" else real(name, value))
    return out


class Collider(Unpickled):
    """A solid of a world: one of the scene, or one that add_collider() added."""

    _instead = "it belongs to a world"

    def __init__(self, world, index: int):
        index, count = whole("index", index), lib.td_world_collider_count(world._c)
        if not 0 <= index < count:
            raise IndexError(f"there is no collider {index}; the world has {count}")
        self.world, self.index = world, index
        self._id = lib.td_world_collider_id(world._c, index)

    def _about(self):
        return lib.td_world_collider(self.world._c, self._id)

    @property
    def name(self) -> str:
        """'' for a collider without a name."""
        return text(lib.td_world_collider_name(self.world._c, self._id))

    def __repr__(self) -> str:
        return f"<Collider {self.index} of the world '{self.world.name}'>"

    @property
    def position(self) -> np.ndarray:
        """m, at the end of the last step."""
        return self._about().position

    @property
    def rotation(self) -> np.ndarray:
        """w x y z, likewise."""
        return self._about().rotation

    def _call(self, function, *args):
        diag = new_diag()
        with self.world._use() as world:
            check(function(world, self._id, *args, diag), diag)

    def move(self, position: Sequence[float], rotation: Sequence[float] = (1, 0, 0, 0)) -> None:
        """Moves it through the next step, in which it pushes objects in its path."""
        self._call(lib.td_world_move_collider, position, rotation)

    def place(self, position: Sequence[float], rotation: Sequence[float] = (1, 0, 0, 0)) -> None:
        """Puts it there at once. Raises Blocked when an actor is in its way."""
        self._call(lib.td_world_place_collider, position, rotation)

    def remove(self) -> None:
        """Using the collider afterwards raises Stale."""
        self._call(lib.td_world_remove_collider)

    @property
    def enabled(self) -> bool:
        """A disabled collider touches nothing. Setting it raises Blocked when an actor is in its place."""
        return lib.td_world_collider_enabled(self.world._c, self._id)

    @enabled.setter
    def enabled(self, enabled: bool) -> None:
        self._call(lib.td_world_enable_collider, bool(enabled))

    @property
    def filter(self) -> Tuple[int, int]:
        """Categories and mask; see Actor.filter."""
        now = self._about().filter
        return now.category, now.mask

    @filter.setter
    def filter(self, filter: Tuple[int, int]) -> None:
        self._call(lib.td_world_set_collider_filter, filter_of(filter))

    @property
    def user_data(self) -> int:
        """A number of yours, 64 bits; steps do not use it, saves hold it."""
        return self._about().user_data

    @user_data.setter
    def user_data(self, number: int) -> None:
        self._call(lib.td_world_set_collider_user_data, whole("user_data", number, 0, 2**64 - 1))
