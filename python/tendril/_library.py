"""The C library: errors as exceptions, arrays as views.

cffi's pointers do not keep alive what they point to. Therefore no other module of the package uses
cffi itself: they call the functions of `lib` with arrays, texts and Structs, which live through the
call, and read results as copies. A test checks this.
"""

import os

import numpy as np

from tendril import _binding

ffi = _binding.ffi
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


def _status_name(status):
    return ffi.typeof("td_status").elements.get(status, "TD_ERR_ARGUMENT")


def error_of(diag, status):
    """The exception that tells what `diag` says."""
    name = _status_name(status)
    message = diag.message or text(lib.td_status_text(status))
    kind = _CLASSES.get(name, Error)
    if kind is MemoryError:
        return MemoryError(message)
    return kind(message, name, diag.file or None, diag.line or None, diag.column or None,
                diag.source, None if diag.index == NONE else diag.index)


def check(status, diag=None):
    """Raises unless the status is TD_OK."""
    if status != lib.TD_OK:
        raise error_of(diag or new_diag(), status)


def new_diag():
    return Struct("td_diag", index=NONE)


class Diags:
    """Room for several faults; the first is raised with all others as notes."""

    def __init__(self, capacity=20):
        self._items = ffi.new("td_diag[]", capacity)
        self.list = Struct("td_diag_list", items=self._items, capacity=capacity)

    def _filled(self):
        count = min(self.list.count, self.list.capacity)
        return [Struct("td_diag", self._items[k]) for k in range(count)]

    def check(self, status):
        if status == lib.TD_OK:
            return
        faults = [error_of(item, item.status) for item in self._filled() if item.status != lib.TD_OK]
        first = faults[0] if faults else error_of(new_diag(), status)
        first.others = faults[1:]
        raise first

    def warnings(self):
        return [str(error_of(item, lib.TD_OK)) for item in self._filled() if item.status == lib.TD_OK]


# ---- calls ----------------------------------------------------------------------------------


def text(chars):
    """The text of a char array or pointer; None for NULL."""
    return ffi.string(chars).decode("utf-8", "replace") if chars != ffi.NULL else None


def encoded(value):
    """A text as C reads it. C ends it at a zero byte, so that one within it is refused."""
    value = os.fspath(value)
    data = value if isinstance(value, bytes) else value.encode()
    if 0 in data:
        raise ArgumentError(f"{value!r} holds a zero character, at which C would end it")
    return data


def is_kind(value, *kinds):
    return isinstance(value, ffi.CData) and ffi.typeof(value).kind in kinds


def copied(value):
    """What C gave, without a reference into memory that it does not own: numbers and pointers as they are,
    texts as str, vectors as arrays, other structs as a Struct."""
    if not is_kind(value, "struct", "array"):
        return value
    ctype = ffi.typeof(value)
    if ctype.kind == "array":
        return text(value) if ctype.item.cname == "char" else [copied(item) for item in value]
    if ctype.cname in _VECTORS:
        return np.array([getattr(value, name) for name, _ in ctype.fields])
    return Struct(ctype.cname, value)


def pointer_to(value, ctype):
    """The pointer of that type to what a value holds, which it keeps alive for itself."""
    if value is None:
        return ffi.NULL
    if isinstance(value, (Struct, Structs)):
        return value._c
    if isinstance(value, np.ndarray):
        if value.size == 0:
            return ffi.NULL
        if ctype.item.kind != "void" and value.dtype != dtype_of(ctype.item).base:
            raise ArgumentError(f"an array of type {value.dtype}; {dtype_of(ctype.item).base} is needed")
        return ffi.from_buffer("char[]" if ctype.item.kind == "void" else f"{ctype.item.cname}[]", value)
    if isinstance(value, (str, os.PathLike)):
        return ffi.new("char[]", encoded(value))
    if isinstance(value, (bytes, bytearray, memoryview)):
        return ffi.from_buffer(value)
    if not isinstance(value, ffi.CData):
        raise TypeError(f"{value!r} is given; {'a text' if ctype.item.cname == 'char' else 'an array'} is needed")
    return value


def plain_struct(value, ctype):
    """A struct that is given by value: its numbers as a sequence, those of quaternions with w first."""
    if isinstance(value, Struct):
        return value._c[0]
    names = [name for name, _ in ctype.fields]
    numbers = [float(v) for v in value]
    if len(numbers) != len(names):
        raise ArgumentError(f"{len(numbers)} numbers are given; {len(names)} are needed: {', '.join(names)}")
    return dict(zip(names, numbers))


class Struct:
    """A C struct that Python owns. A field that is read is a copy, and what is stored in a field stays alive
    with the struct. Without a `value` it has the library's defaults, or zeros."""

    __slots__ = ("_c", "_kept", "__weakref__")

    def __init__(self, ctype, value=None, /, **fields):
        name = ctype.replace("struct ", "")
        if isinstance(value, Struct):
            object.__setattr__(self, "_kept", dict(value._kept))
            value = value._c[0]
        else:
            object.__setattr__(self, "_kept", {})
            default = getattr(_binding.lib, f"{name}_default", None)
            value = default() if value is None and default else value
        object.__setattr__(self, "_c", ffi.new(f"{name} *", value))
        for key, item in fields.items():
            setattr(self, key, item)

    def __getattr__(self, key):
        return copied(getattr(self._c, key))

    def __setattr__(self, key, value):
        ctype = self.fields()[key].type
        if ctype.kind == "pointer":
            self._kept[key] = (value, pointer_to(value, ctype))
            value = self._kept[key][1]
        elif ctype.kind == "struct":
            value = plain_struct(value, ctype)
        elif ctype.kind == "array" and isinstance(value, str):
            value = encoded(value)
            if len(value) >= ctype.length:
                raise ArgumentError(f"{key} has {len(value)} bytes; {ctype.length - 1} are allowed")
        try:
            setattr(self._c, key, value)
        except OverflowError:
            raise ArgumentError(f"{key} is {value!r}, which is out of range") from None

    def fields(self):
        return dict(ffi.typeof(self._c).item.fields)


class Structs:
    """An array of C structs, made of Structs whose fields stay alive with it."""

    __slots__ = ("_c", "_kept", "__weakref__")

    def __init__(self, ctype, items):
        self._kept = list(items)
        self._c = ffi.new(f"{ctype}[]", [item._c[0] for item in self._kept])

    def __len__(self):
        return len(self._kept)


def new(ctype):
    """Room for one pointer or number that C writes; [0] reads it."""
    return ffi.new(f"{ctype} *")


class _Life:
    """Counts the users of a pointer and frees it with the last. All that live are in `lives`, so that the
    collector of cycles, which takes objects in any order, frees nothing before its users."""

    lives = {}

    def __init__(self, pointer, free, needs):
        self.pointer, self.free, self.users = pointer, free, 1
        self.lives[self.address(pointer)] = self
        self.needs = [self.lives.get(self.address(n), n) if isinstance(n, ffi.CData) else n for n in needs]
        for life in self.needs:
            if isinstance(life, _Life):
                life.users += 1

    @staticmethod
    def address(pointer):
        return int(ffi.cast("uintptr_t", pointer)) if ffi.typeof(pointer).kind == "pointer" else id(pointer)

    def let_go(self, _pointer=None):
        self.users -= 1
        if self.users == 0:
            del self.lives[self.address(self.pointer)]
            self.free(self.pointer)
            needs, self.needs = self.needs, []
            for life in needs:
                if isinstance(life, _Life):
                    life.let_go()


def owned(pointer, free, *needs):
    """A pointer that is freed with its last user, and before its dependencies."""
    return ffi.gc(pointer, _Life(pointer, free, needs).let_go)


class _Library:
    """The functions of C. Arrays, texts and Structs are given as they are and live through the call; a
    vector is any sequence; a struct that is returned is a Struct."""

    def __getattr__(self, name):
        function = getattr(_binding.lib, name)
        try:
            ctype = ffi.typeof(function)
        except TypeError:  # a constant
            ctype = None
        if not isinstance(function, ffi.CData) and ctype is not None and ctype.kind == "function":
            function = self._wrapped(name, function, ctype)
        setattr(self, name, function)
        return function

    @staticmethod
    def _wrapped(name, function, ctype):
        convert = [pointer_to if arg.kind == "pointer" else plain_struct if arg.kind == "struct" else None
                   for arg in ctype.args]
        types, returns_struct = ctype.args, ctype.result.kind == "struct"

        def call(*args):
            # `given` keeps what pointers point to until C returns
            given = [value if f is None else f(value, kind) for value, f, kind in zip(args, convert, types)]
            try:
                result = function(*given, *args[len(given):])
            except OverflowError:
                raise ArgumentError(f"a number is out of range: {[v for v in args if isinstance(v, int)]}") from None
            return copied(result) if returns_struct else result

        call.__name__ = name
        return call


lib = _Library()

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
    """The library's own memory as an array, without a copy. The array keeps `owner` alive, which must be what
    frees the memory."""
    item = ffi.typeof(pointer).item
    dtype = dtype_of(item)
    if pointer == ffi.NULL or count == 0:
        return np.empty((0, *dtype.shape), dtype.base)
    held = ffi.gc(ffi.cast("char *", pointer), lambda _, keep=owner: None)
    array = np.frombuffer(ffi.buffer(held, count * ffi.sizeof(item)), dtype=dtype.base).reshape((count, *dtype.shape))
    array.flags.writeable = writable
    return array


def room(ctype, count, out=None):
    """An array for C to fill. `out` is used again if it fits."""
    dtype = dtype_of(ctype)
    shape = (count, *dtype.shape)
    if out is None:
        return np.zeros(shape, dtype.base)
    if not isinstance(out, np.ndarray):
        raise TypeError(f"out is a {type(out).__name__}; an array is needed")
    if out.shape != shape or out.dtype != dtype.base or not out.flags.c_contiguous or not out.flags.writeable:
        raise ArgumentError(f"out has shape {out.shape} and type {out.dtype}; "
                            f"{shape} and {dtype.base} are needed, in one piece and writable")
    return out


def bytes_at(pointer, size):
    """A copy of so many bytes."""
    return bytes(ffi.buffer(pointer, size)) if size else b""


# ---- functions that C calls -----------------------------------------------------------------

NULL = ffi.NULL
new_handle, from_handle, def_extern, memmove = ffi.new_handle, ffi.from_handle, ffi.def_extern, ffi.memmove


class Unpickled:
    """What cannot be pickled says what to do instead."""

    _instead = ""

    def __reduce_ex__(self, _):
        raise TypeError(f"{type(self).__name__} cannot be pickled: {self._instead}")
