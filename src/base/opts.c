// SPDX-License-Identifier: MIT
// Structs that grow: from the caller's version to ours.

#include "base/opts.h"

#include "base/alloc.h"
#include "base/diag.h"

#include <string.h>

#define LEAST 8 // bytes: struct_size, and a field after it
#define STEP  4 // bytes: sizes of structs are multiples of it

static uint32_t size_of(const void *opts) {
    uint32_t size;
    memcpy(&size, opts, sizeof size);
    return size;
}

static td_status take(const char *type, void *own, const void *given, int32_t index,
                      td_diag *diag) {
    const uint32_t size = size_of(given), known = size_of(own);
    if (size > known) {
        return tdi_fail_at(diag, TD_ERR_DEF, index,
                           "%s: struct_size is wrong: %u bytes, of which this version knows %u; "
                           "start from %s_default(), or link the library of your headers",
                           type, size, known, type);
    }
    if (size < LEAST || size % STEP != 0) {
        return tdi_fail_at(diag, TD_ERR_DEF, index,
                           "%s: struct_size is wrong: %u bytes; start from %s_default()", type,
                           size, type);
    }
    memcpy(own, given, size);
    memcpy(own, &known, sizeof known);
    return TD_OK;
}

td_status tdi_opts_take(const char *type, void *own, const void *given, td_diag *diag) {
    return given ? take(type, own, given, TD_NONE, diag) : TD_OK;
}

td_status tdi_def_take(const char *type, void *own, const void *given, td_diag *diag) {
    return given
               ? take(type, own, given, TD_NONE, diag)
               : tdi_fail(diag, TD_ERR_ARGUMENT, "%s is NULL; start from %s_default()", type, type);
}

const void *tdi_opts_at(const void *given, int32_t k) {
    return given ? (const char *)given + (size_t)k * size_of(given) : NULL;
}

td_status tdi_opts_widen(const char *type, const void *defaults, const void *given, int32_t count,
                         const td_alloc *alloc, tdi_widened *out, td_diag *diag) {
    const size_t width = size_of(defaults);
    *out = (tdi_widened){.items = given, .alloc = alloc};
    if (!given || count < 1 || size_of(given) == width) {
        return TD_OK;
    }
    out->bytes = (size_t)count * width;
    out->made = tdi_alloc_zeroed(alloc, (size_t)count, width);
    out->items = out->made;
    if (!out->made) {
        return tdi_fail(diag, TD_ERR_MEMORY, "out of memory for %d of %s", (int)count, type);
    }
    td_status status = TD_OK;
    for (int32_t k = 0; k < count && status == TD_OK; k++) {
        char *to = (char *)out->made + (size_t)k * width;
        memcpy(to, defaults, width);
        status = take(type, to, tdi_opts_at(given, k), k, diag);
    }
    if (status != TD_OK) {
        tdi_opts_widen_free(out);
    }
    return status;
}

void tdi_opts_widen_free(tdi_widened *w) {
    tdi_alloc_free(w->alloc, w->made, w->bytes);
    w->made = NULL;
}
