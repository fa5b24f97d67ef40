// SPDX-License-Identifier: MIT
#pragma once

// Skeletons as bytes, for saves: numbers alone, so that equal skeletons give equal bytes.

#include "tendril/skeleton.h"

size_t tdi_skeleton_bytes(const td_skeleton *skeleton);
void tdi_skeleton_write(const td_skeleton *skeleton, char *bytes);
// TD_ERR_SYNTAX when these are not the bytes of a skeleton; `used` is how many were.
td_status tdi_skeleton_read(const char *bytes, size_t size, const td_alloc *alloc,
                            td_skeleton **out, size_t *used, td_diag *diag);
