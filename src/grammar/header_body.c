// SPDX-License-Identifier: MIT
// Header items of bodies: materials, surfaces and colours.

#include "grammar/parser.h"
#include "math/vec3.h"

#include <string.h>

#define MAX_ITEMS 64 // materials, surfaces or colours

// ---- names and settings ---------------------------------------------------------------------

static bool read_hex_color(tdi_parser *p, double *value) {
    uint32_t color = 0;
    size_t at = p->at;
    for (size_t i = 1; i <= 6; i++) {
        char c = tdi_peek_raw(p, i);
        const char *digits = "0123456789abcdef", *upper = "0123456789ABCDEF";
        const char *d = c ? strchr(digits, c) : NULL, *u = c ? strchr(upper, c) : NULL;
        if (!d && !u) {
            return tdi_parse_fail(p, at, "expected a colour such as #4c8c32");
        }
        color = color * 16 + (uint32_t)(d ? d - digits : u - upper);
    }
    p->at += 7;
    *value = color;
    return true;
}

// a name with dashes, as materials have
static bool read_dashed(tdi_parser *p, char word[32]) {
    size_t length = 0;
    tdi_skip_space(p);
    for (;; p->at++) {
        char c = tdi_peek_raw(p, 0);
        bool part = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' ||
                    (length > 0 && (c == '-' || (c >= '0' && c <= '9')));
        if (!part) {
            break;
        }
        if (length < 31) {
            word[length++] = c;
        }
    }
    word[length] = 0;
    return length > 0;
}

static bool read_field(tdi_parser *p, tdi_header_field *field) {
    char key[32], here[24];
    tdi_skip_space(p);
    *field = (tdi_header_field){.at = (uint32_t)p->at};
    if (!tdi_read_name(p, key) || strlen(key) >= sizeof field->key) {
        return tdi_parse_fail(p, p->at, "expected key=value before %s", tdi_here(p, here));
    }
    tdi_text_copy(field->key, sizeof field->key, key);
    if (!tdi_expect(p, "=")) {
        return false;
    }
    if (tdi_peek(p) == '#') {
        return read_hex_color(p, &field->number);
    }
    if (read_dashed(p, field->word)) {
        return true;
    }
    return tdi_parse_constant(p, &field->number);
}

static bool read_fields(tdi_parser *p, tdi_header_item *item) {
    char here[24];
    if (!read_dashed(p, item->base)) {
        return tdi_parse_fail(p, p->at, "expected a name before %s", tdi_here(p, here));
    }
    while (tdi_accept(p, ",")) {
        if (item->field_count == (int32_t)(sizeof item->fields / sizeof item->fields[0])) {
            return tdi_parse_fail(p, p->at, "this item has too many settings");
        }
        if (!read_field(p, &item->fields[item->field_count++])) {
            return false;
        }
    }
    return true;
}

static bool new_item(tdi_parser *p, tdi_header_item **items, int32_t *count,
                     tdi_header_item **item) {
    if (!*items) {
        *items = tdi_arena_zeroed(&p->g->arena, MAX_ITEMS, sizeof **items);
        if (!*items) {
            return tdi_parse_memory(p);
        }
    }
    if (*count == MAX_ITEMS) {
        return tdi_parse_fail(p, p->at, "the header has more than %d items of this kind",
                              MAX_ITEMS);
    }
    tdi_skip_space(p);
    *item = &(*items)[*count];
    **item = (tdi_header_item){.at = (uint32_t)p->at};
    return true;
}

// ---- materials ------------------------------------------------------------------------------

bool tdi_read_material(tdi_parser *p) {
    td_grammar *g = p->g;
    tdi_header_item *item = NULL;
    double number;
    if (!new_item(p, &g->items.materials, &g->body.material_count, &item) ||
        !tdi_number_in(p, 0, 1e6, "the number of the material, from 0", &number) ||
        !read_fields(p, item)) {
        return false;
    }
    item->number = (int32_t)number;
    g->body.material_count++;
    g->body.materials = g->items.materials;
    return true;
}

// ---- surfaces -------------------------------------------------------------------------------

// a surface of the view file gives way to one of the header
static tdi_header_item *viewed_surface(td_grammar *g, char letter) {
    for (int32_t i = 0; i < g->items.viewed_surface_count; i++) {
        if (g->items.surfaces[i].id[0] == letter) {
            return &g->items.surfaces[i];
        }
    }
    return NULL;
}

bool tdi_new_surface(tdi_parser *p, char letter, tdi_header_item **item) {
    td_grammar *g = p->g;
    bool known = (letter >= 'a' && letter <= 'z') || (letter >= 'A' && letter <= 'Z') ||
                 (letter >= '0' && letter <= '9');
    if (!known) {
        return tdi_parse_fail(p, p->at, "expected a letter; ~ and this letter draw the surface");
    }
    *item = viewed_surface(g, letter);
    if (!*item) {
        if (!new_item(p, &g->items.surfaces, &g->body.surface_count, item)) {
            return false;
        }
        g->body.surface_count++;
        g->body.surfaces = g->items.surfaces;
    }
    **item = (tdi_header_item){.at = (uint32_t)p->at, .id = {letter}};
    return true;
}

// (x, y, z), with the axes of a .s file: x to the left, y along the heading, z along up
static bool read_patch_point(tdi_parser *p, td_vec3 *point) {
    double x, y, z;
    if (!tdi_expect(p, "(") || !tdi_parse_constant(p, &x) || !tdi_expect(p, ",") ||
        !tdi_parse_constant(p, &y) || !tdi_expect(p, ",") || !tdi_parse_constant(p, &z) ||
        !tdi_expect(p, ")")) {
        return false;
    }
    *point = tdi_vec3(-x, y, -z);
    return true;
}

// `surface: l patch (x,y,z) ...`: 16 control points a patch, in rows of four
static bool read_patches(tdi_parser *p, tdi_header_item *item) {
    tdi_patches *patches = tdi_arena_zeroed(&p->g->arena, 1, sizeof *patches);
    td_vec3 points[TDI_PATCH_POINTS];
    int64_t capacity = 0;
    int32_t count = 0;
    size_t at = p->at;
    if (!patches) {
        return tdi_parse_memory(p);
    }
    while (tdi_peek(p) != 0) {
        if (patches->count == TDI_MAX_PATCHES) {
            return tdi_parse_fail(p, p->at, "a surface has more than %d patches", TDI_MAX_PATCHES);
        }
        if (!read_patch_point(p, &points[count++ % TDI_PATCH_POINTS])) {
            return false;
        }
        if (count % TDI_PATCH_POINTS == 0 &&
            !tdi_patches_add(patches, points, &capacity, &p->g->arena)) {
            return tdi_parse_memory(p);
        }
    }
    if (count == 0 || count % TDI_PATCH_POINTS != 0) {
        return tdi_parse_fail(p, at, "the patches have %d control points; expected %d for each",
                              count, TDI_PATCH_POINTS);
    }
    item->patches = patches;
    return tdi_patches_finish(patches) ||
           tdi_parse_fail(p, at, "the surface has no patch with an extent");
}

bool tdi_read_surface(tdi_parser *p) {
    tdi_header_item *item = NULL;
    if (!tdi_new_surface(p, tdi_peek(p), &item)) {
        return false;
    }
    p->at++;
    return tdi_accept(p, "patch") ? read_patches(p, item) : read_fields(p, item);
}

// ---- colours --------------------------------------------------------------------------------

bool tdi_read_color(tdi_parser *p) {
    td_grammar *g = p->g;
    double color;
    if (!g->items.palette_index) {
        g->items.palette_index =
            tdi_arena_zeroed(&g->arena, MAX_ITEMS, sizeof *g->items.palette_index);
        g->items.palette_color =
            tdi_arena_zeroed(&g->arena, MAX_ITEMS, sizeof *g->items.palette_color);
        if (!g->items.palette_index || !g->items.palette_color) {
            return tdi_parse_memory(p);
        }
    }
    int32_t n = g->body.palette_count;
    if (n == MAX_ITEMS) {
        return tdi_parse_fail(p, p->at, "the header has more than %d items of this kind",
                              MAX_ITEMS);
    }
    if (!tdi_read_color_number(p, &g->items.palette_index[n])) {
        return false;
    }
    if (tdi_peek(p) != '#') {
        return tdi_parse_fail(p, p->at, "expected a colour such as #4c8c32");
    }
    if (!read_hex_color(p, &color)) {
        return false;
    }
    g->items.palette_color[n] = (uint32_t)color;
    g->body.palette_count++;
    g->body.palette_index = g->items.palette_index;
    g->body.palette_color = g->items.palette_color;
    return true;
}
