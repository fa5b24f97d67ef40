// SPDX-License-Identifier: MIT
// Blocks of bytes, growing and finished.

#include "io/buffer.h"

#include "base/alloc.h"

#include <string.h>

void td_bytes_free(td_bytes *bytes) {
    if (bytes) {
        tdi_alloc_free(bytes->alloc, bytes->data, bytes->size);
        bytes->data = NULL;
        bytes->size = 0;
    }
}

uint8_t *tdi_buffer_room(tdi_buffer *buffer, size_t size) {
    if (buffer->status != TD_OK) {
        return NULL;
    }
    if (size > (size_t)(INT64_MAX / 4) || buffer->size > INT64_MAX / 4) {
        buffer->status = TD_ERR_LIMIT;
        return NULL;
    }
    uint8_t *data = tdi_array_reserve(buffer->alloc, buffer->data, &buffer->capacity,
                                      buffer->size + (int64_t)size, 1);
    if (!data) {
        buffer->status = TD_ERR_MEMORY;
        return NULL;
    }
    buffer->data = data;
    return data + buffer->size;
}

void tdi_buffer_add(tdi_buffer *buffer, const void *data, size_t size) {
    uint8_t *room = tdi_buffer_room(buffer, size);
    if (room && size > 0) {
        memcpy(room, data, size);
        buffer->size += (int64_t)size;
    }
}

td_status tdi_buffer_finish(tdi_buffer *buffer, td_bytes *out) {
    *out = (td_bytes){NULL, 0, buffer->alloc};
    if (buffer->status == TD_OK && buffer->size > 0) {
        // the holder of a td_bytes knows its size only, so the block must have that size
        size_t size = (size_t)buffer->size;
        void *data = tdi_alloc_resize(buffer->alloc, buffer->data, (size_t)buffer->capacity, size);
        if (data) {
            *out = (td_bytes){data, size, buffer->alloc};
            buffer->data = NULL;
        } else {
            buffer->status = TD_ERR_MEMORY;
        }
    }
    tdi_alloc_free(buffer->alloc, buffer->data, (size_t)buffer->capacity);
    buffer->data = NULL;
    buffer->size = buffer->capacity = 0;
    return buffer->status;
}
