"""Where texts come from: a dictionary first, then the disk."""

import os

from tendril._library import Error, ffi, lib, new_diag, check, text

MAX_TEXT = 64 << 20  # bytes


class Files:
    """Reads what models and scenes name. `files` maps names to texts that are not on the disk."""

    def __init__(self, files=None):
        self.given = {os.fspath(k): v for k, v in (files or {}).items()}
        self._disk = ffi.new("td_loader *", lib.td_file_loader())
        self._handle = ffi.new_handle(self)
        self._failed = None
        self.loader = ffi.new("td_loader *", {"read": lib.tendril_read, "context": self._handle})

    def model(self, path):
        """The name and text of a model, which may be a folder of the Virtual Laboratory."""
        if path in self.given:
            return path, self.given[path]
        name, diag = ffi.new("char[160]"), new_diag()
        check(lib.td_file_model(path.encode(), name, diag), diag)
        return text(name), read_text(text(name))

    def guard(self, call, *args):
        """Calls the library; what a callback raised is raised here."""
        self._failed = None
        status = call(*args)
        if self._failed is not None:
            raise self._failed
        return status

    def _read(self, name, source, max_size, alloc, out, size, resolved):
        for key in (name, os.path.normpath(os.path.join(os.path.dirname(source), name))):
            if key in self.given:
                data = self.given[key].encode()
                if len(data) > max_size:
                    return lib.TD_ERR_LIMIT
                block = _allocate(alloc, max(len(data), 1))
                ffi.memmove(block, data, len(data))
                out[0], size[0] = ffi.cast("char *", block), len(data)
                shown = key.encode()[:159]
                ffi.memmove(resolved, shown + b"\0", len(shown) + 1)
                return lib.TD_OK
        return self._disk.read(self._disk.context, name.encode(), source.encode(), max_size, alloc, out, size, resolved)


def _allocate(alloc, size):
    block = lib.tendril_allocate(alloc, size)
    if block == ffi.NULL:
        raise MemoryError
    return block


@ffi.def_extern(error=2)  # TD_ERR_ARGUMENT
def tendril_read(context, name, source, max_size, alloc, out, size, resolved):
    files = ffi.from_handle(context)
    try:
        return files._read(text(name), text(source) or "", max_size, alloc, out, size, resolved)
    except Exception as error:  # raised again by guard()
        files._failed = error
        return lib.TD_ERR_READ


def read_text(path):
    """A whole text file, in UTF-8."""
    out, diag = ffi.new("td_bytes *"), new_diag()
    check(lib.td_file_read(os.fspath(path).encode(), MAX_TEXT, ffi.NULL, out, diag), diag)
    data = bytes(ffi.buffer(out.data, out.size))
    lib.td_bytes_free(out)
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise Error(f"{path}: not in UTF-8 (byte {error.start})") from None
