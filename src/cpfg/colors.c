// SPDX-License-Identifier: MIT
// Colours by number, from .map and .mat files.

#include "cpfg/colors.h"

#include <string.h>

#define MAP_BYTES    ((size_t)3 * TDI_COLOR_COUNT)
#define RECORD_BYTES 15 // of a material
#define DIFFUSE      5  // place of the diffuse light in a record

static int32_t rgb_at(const char *bytes) {
    const unsigned char *b = (const unsigned char *)bytes;
    return (int32_t)b[0] << 16 | (int32_t)b[1] << 8 | (int32_t)b[2];
}

static bool read_map(tdi_scan *scan, tdi_colors *out) {
    if (scan->size != MAP_BYTES) {
        return tdi_scan_fail(scan, 0,
                             "the colour map has %zu bytes; expected %zu, 3 for each of %d "
                             "colours",
                             scan->size, MAP_BYTES, TDI_COLOR_COUNT);
    }
    for (int32_t i = 0; i < TDI_COLOR_COUNT; i++) {
        out->rgb[i] = rgb_at(scan->text + 3 * i);
    }
    return true;
}

// the colour in daylight is that of diffuse light
static bool read_materials(tdi_scan *scan, tdi_colors *out) {
    if (scan->size == 0 || scan->size % RECORD_BYTES != 0) {
        return tdi_scan_fail(scan, 0, "the materials have %zu bytes; expected a multiple of %d",
                             scan->size, RECORD_BYTES);
    }
    for (size_t at = 0; at < scan->size; at += RECORD_BYTES) {
        out->rgb[(unsigned char)scan->text[at]] = rgb_at(scan->text + at + DIFFUSE);
    }
    return true;
}

bool tdi_colors_read(tdi_scan *scan, const char *name, tdi_colors *out) {
    size_t length = strlen(name);
    for (int32_t i = 0; i < TDI_COLOR_COUNT; i++) {
        out->rgb[i] = TD_NONE;
    }
    bool map = length > 4 && strcmp(name + length - 4, ".map") == 0;
    return map ? read_map(scan, out) : read_materials(scan, out);
}
