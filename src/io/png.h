// SPDX-License-Identifier: MIT
#pragma once

// PNG files without compression: what a texture that is made on the spot needs, and no more.

#include "io/buffer.h"

// A picture of 8 bits a number, row after row from the top.
typedef struct tdi_image {
    int32_t width, height;
    const uint8_t *pixels;  // one number a pixel with a palette, else three: red, green, blue
    const uint8_t *palette; // 256 colours of three numbers, or NULL
} tdi_image;

// Bytes of the file.
uint64_t tdi_png_size(const tdi_image *image);
// Fills tdi_png_size() bytes.
void tdi_png_write(const tdi_image *image, uint8_t *out);
