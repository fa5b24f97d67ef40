// SPDX-License-Identifier: MIT
#pragma once

// Textures of bark, stalks, leaves and petals, made by rule: the same bytes everywhere, because all
// is computed in integers. Colours are to be multiplied with those of vertices.

#include "tendril/base.h"

// The module for pages makes no files with textures.
#ifdef TDI_SMALL
#define TDI_PICTURES 0
#else
#define TDI_PICTURES 1
#endif

typedef enum tdi_picture {
    TDI_PICTURE_BARK,
    TDI_PICTURE_BARK_NORMALS,
    TDI_PICTURE_STALK,
    TDI_PICTURE_LEAF,
    TDI_PICTURE_LEAF_NORMALS,
    TDI_PICTURE_PETAL,
    TDI_PICTURE_COUNT,
} tdi_picture;

// Bytes of its PNG file.
uint64_t tdi_picture_size(tdi_picture picture);
// Writes the file to `out`, which has that room.
td_status tdi_picture_write(tdi_picture picture, const td_alloc *alloc, uint8_t *out);
