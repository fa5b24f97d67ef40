"""Makes the module tendril._binding: the public headers as cffi reads them.

The compiler's own preprocessor turns the headers into plain declarations, so that nothing is
written twice: what the headers declare is what Python can call.
"""

import os
import pathlib
import subprocess
import tempfile

import cffi

ROOT = pathlib.Path(__file__).resolve().parent.parent
LEFT_OUT = {"tendril.h", "algebra.h", "ida.h"}  # all of them; inline functions; needs SUNDIALS

CALLBACKS = """
void *tendril_allocate(const td_alloc *alloc, size_t size);
extern "Python" void tendril_field(void *, td_real, td_actor_id, int32_t, const td_vec3 *,
                                   const td_vec3 *, td_vec3 *);
extern "Python" td_status tendril_read(void *, const char *, const char *, size_t,
                                       const td_alloc *, char **, size_t *, char *);
extern "Python" int tendril_print(void *, const char *, bool, const char *, size_t);
"""

# What the library frees comes from the allocator that it gives.
HELPERS = """
#include <stdlib.h>
static void *tendril_allocate(const td_alloc *alloc, size_t size) {
    return alloc ? alloc->resize(alloc->context, NULL, 0, size) : malloc(size);
}
"""


def headers():
    return sorted(p.name for p in (ROOT / "include/tendril").glob("*.h") if p.name not in LEFT_OUT)


def declarations():
    """The headers without comments, macros and what comes from the system."""
    with tempfile.TemporaryDirectory() as folder:
        empty = pathlib.Path(folder)
        for name in ("stdbool.h", "stddef.h", "stdint.h", "math.h"):
            (empty / name).write_text("")
        text = "".join(f'#include "tendril/{name}"\n' for name in headers())
        done = subprocess.run(
            ["cc", "-E", "-P", "-x", "c", "-nostdinc", "-U__GNUC__", "-I", str(empty), "-I", str(ROOT / "include"), "-"],
            input=text, capture_output=True, text=True, check=False)
        if done.returncode != 0:
            raise SystemExit(f"the preprocessor refused the headers:\n{done.stderr}")
        return done.stdout


def builder(libraries, include):
    """The module's builder; `libraries` are the static libraries to link, in order."""
    ffi = cffi.FFI()
    ffi.cdef(declarations() + CALLBACKS)
    includes = "".join(f'#include "tendril/{name}"\n' for name in headers())
    ffi.set_source("tendril._binding", includes + HELPERS, include_dirs=[str(include)],
                   extra_objects=[str(p) for p in libraries], libraries=["yaml", "pthread", "m"],
                   extra_compile_args=[os.environ.get("TENDRIL_BINDING_FLAGS", "-O2"), "-std=c11", "-g0"])
    return ffi
