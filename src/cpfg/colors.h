// SPDX-License-Identifier: MIT
#pragma once

// Colours by number: .map and .mat files.

#include "cpfg/scan.h"

#define TDI_COLOR_COUNT 256

// 0xRRGGBB, or TD_NONE where the file says nothing.
typedef struct tdi_colors {
    int32_t rgb[TDI_COLOR_COUNT];
} tdi_colors;

// A .map holds 768 bytes, red, green and blue of 256 colours; a .mat 15 bytes a material: number,
// transparency, then red, green and blue of ambient, diffuse, emitted and specular light,
// shininess. The suffix of the name decides. False after a fault.
bool tdi_colors_read(tdi_scan *scan, const char *name, tdi_colors *out);
