"""Where texts come from: a dictionary first, then the disk."""

import os

from tendril._library import (Error, Struct, bytes_at, check, def_extern, encoded, from_handle, lib, memmove, new, new_diag,
                              new_handle, room, text)

MAX_TEXT = 64 << 20  # bytes


class Files:
    """Reads what models and scenes name. `files` maps names to texts that are not on the disk.

    seen: what was read from the disk, by the names under which it would be looked up in `files`.
    """

    def __init__(self, files=None):
        self.given = {os.fspath(k): v for k, v in (files or {}).items()}
        self.seen = {}
        self._disk = lib.td_file_loader()
        self._failed = None
        self.loader = Struct("td_loader", read=lib.tendril_read, context=new_handle(self))

    def model(self, path):
        """The name and text of a model, which may be a folder of the Virtual Laboratory."""
        if path in self.given:
            return path, self.given[path]
        name, diag = room("char", 160), new_diag()
        check(lib.td_file_model(path, name, diag), diag)
        name = name.tobytes().split(b"\0", 1)[0].decode("utf-8", "replace")
        return name, read_text(name)

    def guard(self, call, *args):
        """Calls the library; what a callback raised is raised here."""
        self._failed = None
        status = call(*args)
        if self._failed is not None:
            raise self._failed
        return status

    def _read(self, name, source, max_size, alloc, out, size, resolved):
        beside = os.path.normpath(os.path.join(os.path.dirname(source), name))
        for key in (name, beside):
            if key in self.given:
                return _hand_over(self.given[key], key, max_size, alloc, out, size, resolved)
        status = self._disk.read(self._disk.context, encoded(name), encoded(source), max_size, alloc, out, size, resolved)
        if status == lib.TD_OK:
            self.seen[beside] = bytes_at(out[0], size[0])
        return status


def _hand_over(content, name, max_size, alloc, out, size, resolved):
    """Gives a text to the library, which frees it."""
    data = content if isinstance(content, bytes) else content.encode()
    if len(data) > max_size:
        return lib.TD_ERR_LIMIT
    shown = encoded(name)[:159]
    block = lib.tendril_allocate(alloc, max(len(data), 1))
    if not block:
        return lib.TD_ERR_MEMORY
    memmove(block, data, len(data))
    memmove(resolved, shown + b"\0", len(shown) + 1)
    out[0], size[0] = block, len(data)
    return lib.TD_OK


@def_extern(error=2)  # TD_ERR_ARGUMENT
def tendril_read(context, name, source, max_size, alloc, out, size, resolved):
    files = from_handle(context)
    try:
        return files._read(text(name), text(source) or "", max_size, alloc, out, size, resolved)
    except Exception as error:  # raised again by guard()
        files._failed = error
        return lib.TD_ERR_READ


def read_text(path):
    """A whole text file, in UTF-8."""
    out, diag = Struct("td_bytes"), new_diag()
    check(lib.td_file_read(path, MAX_TEXT, None, out, diag), diag)
    try:
        return bytes_at(out.data, out.size).decode("utf-8")
    except UnicodeDecodeError as error:
        raise Error(f"{path}: not in UTF-8 (byte {error.start})") from None
    finally:
        lib.td_bytes_free(out)
