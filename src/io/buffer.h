// SPDX-License-Identifier: MIT
#pragma once

// A growing block of bytes. The first failure sticks, so that a writer checks once, at the end.

#include "tendril/io.h"

// Zero-initialise and set `alloc`. Ends in tdi_buffer_finish(), on every path.
typedef struct tdi_buffer {
    const td_alloc *alloc;
    uint8_t *data;
    int64_t size, capacity;
    td_status status; // TD_OK, or why nothing more is appended
} tdi_buffer;

// Room for `size` more bytes, to be counted into buffer->size by the caller; NULL after a failure.
uint8_t *tdi_buffer_room(tdi_buffer *buffer, size_t size);
void tdi_buffer_add(tdi_buffer *buffer, const void *data, size_t size);

// Hands the bytes over, exactly as many as there are, or frees them when something has failed.
td_status tdi_buffer_finish(tdi_buffer *buffer, td_bytes *out);
