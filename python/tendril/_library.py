"""The C library: errors as exceptions, arrays as views."""

import numpy as np

from tendril._binding import ffi, lib

NONE = -1

# ---- errors ---------------------------------------------------------------------------------


class Error(Exception):
    """What the library refused, and why.

    status: name of the C status, such as "TD_ERR_SYNTAX".
    file, line, column: place in a text, counted from 1; None where there is none.
    source: the line of text, or "".
    index: the module or segment concerned, or None.
    """

    def __init__(self, message, status="TD_ERR_ARGUMENT", file=None, line=None, column=None, source="", index=None):
        super().__init__(message)
        self.message, self.status = message, status
        self.file, self.line, self.column, self.source, self.index = file, line, column, source, index

    def __str__(self):
        place = ":".join(str(p) for p in (self.file, self.line, self.column) if p)
        return f"{place}: {self.message}" if place else self.message


class TextError(Error, ValueError):
    """A model, scene or save that is not valid."""


class ArgumentError(Error, ValueError):
    """An argument that is not allowed."""


class Diverged(Error, ArithmeticError):
    """A step, or the way to rest, did not converge. The world is as it was before."""


class Blocked(Error):
    """Something is in the way."""


class Stale(Error, LookupError):
    """An actor, collider or grab that was removed."""


class FileError(Error, OSError):
    """A file that cannot be read or written."""

    __str__ = Error.__str__


_CLASSES = {
    "TD_ERR_MEMORY": MemoryError,
    "TD_ERR_ARGUMENT": ArgumentError,
    "TD_ERR_SYNTAX": TextError,
    "TD_ERR_EVAL": TextError,
    "TD_ERR_STRUCTURE": TextError,
    "TD_ERR_DIVERGED": Diverged,
    "TD_ERR_STALE": Stale,
    "TD_ERR_BLOCKED": Blocked,
    "TD_ERR_READ": FileError,
    "TD_ERR_WRITE": FileError,
}


def text(chars):
    """The text of a char array or pointer; None for NULL."""
    return ffi.string(chars).decode("utf-8", "replace") if chars != ffi.NULL else None


def _status_name(status):
    return ffi.typeof("td_status").elements.get(status, "TD_ERR_ARGUMENT")


def error_of(diag, status):
    """The exception that tells what `diag` says."""
    name = _status_name(status)
    message = text(diag.message) or text(lib.td_status_text(status))
    kind = _CLASSES.get(name, Error)
    if kind is MemoryError:
        return MemoryError(message)
    return kind(message, name, text(diag.file) or None, diag.line or None, diag.column or None,
                text(diag.source), None if diag.index == NONE else diag.index)


def check(status, diag=None):
    """Raises unless the status is TD_OK."""
    if status != lib.TD_OK:
        raise error_of(diag[0] if diag is not None else new_diag()[0], status)


def new_diag():
    diag = ffi.new("td_diag *")
    diag.index = NONE
    return diag


class Diags:
    """Room for several faults; the first is raised with all others as notes."""

    def __init__(self, capacity=20):
        self.items = ffi.new("td_diag[]", capacity)
        self.list = ffi.new("td_diag_list *", {"items": self.items, "capacity": capacity, "count": 0})

    def check(self, status):
        if status == lib.TD_OK:
            return
        count = min(self.list.count, self.list.capacity)
        faults = [error_of(self.items[k], self.items[k].status) for k in range(count)
                  if self.items[k].status != lib.TD_OK]
        first = faults[0] if faults else error_of(new_diag()[0], status)
        first.others = faults[1:]
        raise first

    def warnings(self):
        count = min(self.list.count, self.list.capacity)
        return [str(error_of(self.items[k], lib.TD_OK)) for k in range(count)
                if self.items[k].status == lib.TD_OK]


# ---- arrays ---------------------------------------------------------------------------------

_PLAIN = {"double": "f8", "float": "f4", "int32_t": "i4", "uint32_t": "u4", "int64_t": "i8",
          "uint64_t": "u8", "uint16_t": "u2", "uint8_t": "u1", "_Bool": "?", "bool": "?", "char": "S1",
          "int": "i4", "unsigned int": "u4", "long": "i8", "unsigned long": "u8"}
_VECTORS = {"struct td_vec3": 3, "struct td_quat": 4, "struct td_sym3": 6}


def dtype_of(ctype):
    """The NumPy type with the layout of a C type. Vectors are (3,), quaternions w x y z (4,)."""
    if isinstance(ctype, str):
        ctype = ffi.typeof(ctype)
    if ctype.cname in _VECTORS:
        return np.dtype(("f8", (_VECTORS[ctype.cname],)))
    if ctype.kind == "struct":
        fields = [(n, f) for n, f in ctype.fields if f.type.kind != "pointer"]
        return np.dtype({"names": [n for n, _ in fields],
                         "formats": [dtype_of(f.type) for _, f in fields],
                         "offsets": [f.offset for _, f in fields],
                         "itemsize": ffi.sizeof(ctype)})
    if ctype.kind == "array":
        item = dtype_of(ctype.item)
        return np.dtype(f"S{ctype.length}") if item.str.endswith("S1") else np.dtype((item, (ctype.length,)))
    if ctype.kind == "enum":
        return np.dtype("u4")
    return np.dtype(_PLAIN[ctype.cname])


def view(pointer, count, owner, writable=False):
    """The library's own memory as an array, without a copy. The array keeps `owner` alive."""
    item = ffi.typeof(pointer).item
    dtype = dtype_of(item)
    if pointer == ffi.NULL or count == 0:
        return np.empty(0, dtype)
    held = ffi.gc(ffi.cast("char *", pointer), lambda _, keep=owner: None)
    array = np.frombuffer(ffi.buffer(held, count * ffi.sizeof(item)), dtype=dtype.base).reshape((count, *dtype.shape))
    array.flags.writeable = writable
    return array


def filled(ctype, count, out=None):
    """An array that C fills, and the pointer to it. `out` is used again if it fits."""
    dtype = dtype_of(ctype)
    shape = (count, *dtype.shape)
    if out is None:
        out = np.empty(shape, dtype.base)
    elif out.shape != shape or out.dtype != dtype.base or not out.flags.c_contiguous:
        raise ArgumentError(f"out has shape {out.shape} and type {out.dtype}; {shape} and {dtype.base} are needed")
    return out, ffi.cast(f"{ctype} *", ffi.from_buffer(out, require_writable=True)) if count else ffi.NULL


def vec3(values):
    x, y, z = (float(v) for v in values)
    return {"x": x, "y": y, "z": z}


def quat(values):
    w, x, y, z = (float(v) for v in values)
    return {"w": w, "x": x, "y": y, "z": z}


def vector(v):
    return np.array([v.x, v.y, v.z])
