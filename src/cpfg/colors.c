// SPDX-License-Identifier: MIT
// Colours by number, from .map and .mat files.

#include "cpfg/colors.h"

#include <string.h>

#define MAP_BYTES    ((size_t)3 * TDI_COLOR_COUNT)
#define RECORD_BYTES 15 // of a material
#define DIFFUSE      5  // place of the diffuse light in a record
#define MAX_BYTES    ((size_t)RECORD_BYTES * TDI_COLOR_COUNT)

static int32_t rgb_at(const char *bytes) {
    const unsigned char *b = (const unsigned char *)bytes;
    return (int32_t)b[0] << 16 | (int32_t)b[1] << 8 | (int32_t)b[2];
}

static bool read_map(tdi_scan *scan, const char *bytes, size_t size, tdi_colors *out) {
    if (size != MAP_BYTES) {
        return tdi_scan_fail(scan, 0,
                             "the colour map has %zu bytes; expected %zu, 3 for each of %d "
                             "colours",
                             size, MAP_BYTES, TDI_COLOR_COUNT);
    }
    for (int32_t i = 0; i < TDI_COLOR_COUNT; i++) {
        out->rgb[i] = rgb_at(bytes + 3 * i);
    }
    return true;
}

// the colour in daylight is that of diffuse light
static bool read_materials(tdi_scan *scan, const char *bytes, size_t size, tdi_colors *out) {
    if (size == 0 || size % RECORD_BYTES != 0) {
        return tdi_scan_fail(scan, 0, "the materials have %zu bytes; expected a multiple of %d",
                             size, RECORD_BYTES);
    }
    for (size_t at = 0; at < size; at += RECORD_BYTES) {
        out->rgb[(unsigned char)bytes[at]] = rgb_at(bytes + at + DIFFUSE);
    }
    return true;
}

static int32_t digit(char c) {
    return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

// Pages hold bytes as text: `hex:` and two digits a byte. False when it is not such a text.
static bool decode(const tdi_scan *scan, char bytes[MAX_BYTES], size_t *size) {
    *size = 0;
    if (scan->size < 4 || memcmp(scan->text, "hex:", 4) != 0 || scan->size % 2 != 0) {
        return false;
    }
    for (size_t at = 4; at < scan->size && *size < MAX_BYTES; at += 2) {
        int32_t high = digit(scan->text[at]), low = digit(scan->text[at + 1]);
        if (high < 0 || low < 0) {
            return false;
        }
        bytes[(*size)++] = (char)(high * 16 + low);
    }
    return true;
}

bool tdi_colors_read(tdi_scan *scan, const char *name, tdi_colors *out) {
    size_t length = strlen(name), size;
    char decoded[MAX_BYTES];
    const char *bytes = scan->text;
    if (decode(scan, decoded, &size)) {
        bytes = decoded;
    } else {
        size = scan->size;
    }
    for (int32_t i = 0; i < TDI_COLOR_COUNT; i++) {
        out->rgb[i] = TD_NONE;
    }
    bool map = length > 4 && strcmp(name + length - 4, ".map") == 0;
    return map ? read_map(scan, bytes, size, out) : read_materials(scan, bytes, size, out);
}
