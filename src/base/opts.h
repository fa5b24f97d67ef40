// SPDX-License-Identifier: MIT
#pragma once

// Structs that begin with a struct_size, as callers of this and of earlier versions fill them. A
// struct grows at its end only, beyond its old size: what an older caller's lacks has its default.

#include "tendril/base.h"

// `own` holds the defaults of a `type`. Gets what was given on top of them; NULL gives nothing.
// TD_ERR_DEF when the default function did not fill it, or that of a newer version did.
td_status tdi_opts_take(const char *type, void *own, const void *given, td_diag *diag);

// The same where something must be given: NULL is TD_ERR_ARGUMENT.
td_status tdi_def_take(const char *type, void *own, const void *given, td_diag *diag);

// Entry k of an array in the caller's width.
const void *tdi_opts_at(const void *given, int32_t k);

// An array in our width: the caller's own, or one that was made of it.
typedef struct tdi_widened {
    const void *items;
    void *made; // NULL: nothing had to be
    size_t bytes;
    const td_alloc *alloc;
} tdi_widened;

// `defaults` is one struct with its defaults. `count` may be below 1 and `given` NULL: both are
// left to whoever checks them.
td_status tdi_opts_widen(const char *type, const void *defaults, const void *given, int32_t count,
                         const td_alloc *alloc, tdi_widened *out, td_diag *diag);
void tdi_opts_widen_free(tdi_widened *widened);
