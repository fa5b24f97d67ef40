// SPDX-License-Identifier: MIT
// What a model's header says of materials, surfaces and colours, resolved against the library.
//
// Method   every item is resolved on its own and takes no memory, so that a check can list all
//          faults; reading then puts the results into tables for the turtle's sink.

#include "plant/plant_header.h"

#include "base/diag.h"
#include "base/guard.h"
#include "math/vec3.h"
#include "plant/fields.h"
#include "plant/store.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

// ---- reporting ------------------------------------------------------------------------------

typedef struct reporter {
    const td_grammar *grammar; // NULL: faults are counted, not told
    td_diag_list *list;        // may be NULL
    td_diag *first;            // may be NULL
    int32_t count;
} reporter;

TDI_PRINTF(3, 4)
static void report(reporter *r, uint32_t at, const char *format, ...) {
    if (!r->grammar) { // only counts
        r->count++;
        return;
    }
    td_diag diag = tdi_grammar_place(r->grammar, at);
    va_list args;
    va_start(args, format);
    tdi_text_format(diag.message, sizeof diag.message, format, args);
    va_end(args);
    diag.status = TD_ERR_SYNTAX;
    tdi_diag_add(r->list, &diag);
    if (r->first && r->count == 0) {
        *r->first = diag;
    }
    r->count++;
}

// ---- suggestions ----------------------------------------------------------------------------

#define WORD_MAX 32 // bytes of a name, its end included

typedef struct suggestion {
    const char *word;
    char name[WORD_MAX]; // nearest so far
    int32_t distance;
} suggestion;

static suggestion suggest(const char *word) {
    suggestion s = {word, "", WORD_MAX + 1};
    return s;
}

static void consider(suggestion *s, const char *name) {
    int32_t distance = td_word_distance(s->word, name);
    if (distance < s->distance) {
        tdi_text_copy(s->name, sizeof s->name, name);
        s->distance = distance;
    }
}

// ---- fields ---------------------------------------------------------------------------------

static const tdi_field *find_key(const tdi_field *fields, int32_t count, const char *key) {
    for (int32_t i = 0; i < count; i++) {
        if (strcmp(fields[i].key, key) == 0) {
            return &fields[i];
        }
    }
    return NULL;
}

static void report_unknown_key(reporter *r, const tdi_header_field *given, const tdi_field *fields,
                               int32_t count, const char *extra_key) {
    suggestion s = suggest(given->key);
    for (int32_t i = 0; i < count; i++) {
        consider(&s, fields[i].key);
    }
    if (extra_key) {
        consider(&s, extra_key);
    }
    report(r, given->at, "unknown key \"%s\"; the nearest is \"%s\"", given->key, s.name);
}

// sets a field of a material or shape to what the text gives
static void read_field(reporter *r, const tdi_header_field *given, const tdi_field *field,
                       void *object) {
    td_real value = field->kind == TDI_FIELD_DEGREES ? tdi_radians(given->number) : given->number;
    char range[80];
    tdi_field_range(field, true, range, sizeof range);
    if (given->word[0]) {
        report(r, given->at, "%s is \"%s\"; expected %s", given->key, given->word, range);
    } else if (!tdi_field_allows(field, value)) {
        report(r, given->at, "%s is %g; expected %s", given->key, given->number, range);
    } else {
        tdi_field_set(field, object, value);
    }
}

static void report_repeats(reporter *r, const tdi_header_item *item) {
    for (int32_t i = 1; i < item->field_count; i++) {
        for (int32_t k = 0; k < i; k++) {
            if (strcmp(item->fields[i].key, item->fields[k].key) == 0) {
                report(r, item->fields[i].at, "%s is given twice; remove one of them",
                       item->fields[i].key);
                break;
            }
        }
    }
}

// ---- materials ------------------------------------------------------------------------------

// place in the library, or TD_NONE with a fault
static int32_t find_library(reporter *r, const char *name, uint32_t at) {
    int32_t found = td_material_find(name);
    if (found == TD_NONE) {
        const char *near = tdi_material_nearest(name);
        if (near) {
            report(r, at, "unknown material \"%s\"; the nearest is \"%s\"", name, near);
        } else {
            report(r, at, "unknown material \"%s\"; 'tendril info' lists those there are", name);
        }
    }
    return found;
}

// `material: 1 oak, young=5e9`
static td_material read_material(reporter *r, const tdi_header_item *item) {
    int32_t base = find_library(r, item->base, item->at);
    td_material material = td_material_get(base == TD_NONE ? 0 : base);
    report_repeats(r, item);
    for (int32_t i = 0; i < item->field_count; i++) {
        const tdi_header_field *given = &item->fields[i];
        const tdi_field *field =
            find_key(tdi_material_fields, tdi_material_field_count, given->key);
        if (field) {
            read_field(r, given, field, &material);
        } else {
            report_unknown_key(r, given, tdi_material_fields, tdi_material_field_count, NULL);
        }
    }
    return material;
}

// ---- surfaces -------------------------------------------------------------------------------

typedef struct surface_kind {
    const char *name;
    const char *material;
    td_organ organ;
    td_shape_kind shape;
    td_real width, widest, stalk;
} surface_kind;

static const surface_kind surface_kinds[] = {
    {"leaf", "leaf", TD_ORGAN_LEAF, TD_SHAPE_BLADE, 0.5, 0.4, 0.15},
    {"petal", "petal", TD_ORGAN_PETAL, TD_SHAPE_BLADE, 0.6, 0.6, 0.02},
    {"flower", "petal", TD_ORGAN_FLOWER, TD_SHAPE_FLOWER, 0.6, 0.6, 0.15},
    {"fruit", "fruit", TD_ORGAN_FRUIT, TD_SHAPE_BALL, 0.9, 0.5, 0.15},
};
#define SURFACE_KIND_COUNT ((int32_t)(sizeof surface_kinds / sizeof surface_kinds[0]))

static const surface_kind *find_kind(reporter *r, const tdi_header_item *item) {
    suggestion s = suggest(item->base);
    for (int32_t i = 0; i < SURFACE_KIND_COUNT; i++) {
        if (strcmp(surface_kinds[i].name, item->base) == 0) {
            return &surface_kinds[i];
        }
        consider(&s, surface_kinds[i].name);
    }
    report(
        r, item->at,
        "unknown kind of surface \"%s\"; the nearest is \"%s\", and there are leaf, petal, flower "
        "and fruit",
        item->base, s.name);
    return &surface_kinds[0];
}

// Where a surface's material comes from: an item of the text, or the library.
typedef struct material_choice {
    int32_t item;    // or TD_NONE
    int32_t library; // or TD_NONE
} material_choice;

// `material=name` of the library, or `material=n` of the text
static material_choice choose_material(reporter *r, const tdi_body_header *body,
                                       const tdi_header_field *given) {
    material_choice choice = {TD_NONE, TD_NONE};
    if (given->word[0]) {
        choice.library = find_library(r, given->word, given->at);
        return choice;
    }
    for (int32_t i = 0; i < body->material_count && choice.item == TD_NONE; i++) {
        if (body->materials[i].number == given->number) {
            choice.item = i;
        }
    }
    if (choice.item == TD_NONE) {
        report(r, given->at, "material is %g, but the text does not declare material %g",
               given->number, given->number);
    }
    return choice;
}

static td_material chosen_material(const tdi_body_header *body, material_choice choice) {
    reporter silent = {NULL, NULL, NULL, 0};
    return choice.item == TD_NONE ? td_material_get(choice.library == TD_NONE ? 0 : choice.library)
                                  : read_material(&silent, &body->materials[choice.item]);
}

static void read_surface_fields(reporter *r, const tdi_body_header *body,
                                const tdi_header_item *item, tdi_surface *out,
                                material_choice *choice) {
    for (int32_t i = 0; i < item->field_count; i++) {
        const tdi_header_field *given = &item->fields[i];
        const tdi_field *field = find_key(tdi_shape_fields, tdi_shape_field_count, given->key);
        if (field) {
            read_field(r, given, field, &out->shape);
            out->has_color = out->has_color || strcmp(given->key, "color") == 0;
        } else if (strcmp(given->key, "material") == 0) {
            material_choice own = choose_material(r, body, given);
            *choice = own.item == TD_NONE && own.library == TD_NONE ? *choice : own;
        } else {
            report_unknown_key(r, given, tdi_shape_fields, tdi_shape_field_count, "material");
        }
    }
}

// A surface of patches: a leaf, held by its first twentieth.
static material_choice read_patches(const tdi_header_item *item, tdi_surface *out) {
    material_choice choice = {TD_NONE, td_material_find("leaf")};
    memset(out, 0, sizeof *out);
    out->organ = TD_ORGAN_LEAF;
    out->patches = item->patches;
    out->shape = td_shape_default();
    out->shape.kind = TD_SHAPE_PATCHES;
    out->shape.stalk = 0;
    out->shape.color = td_material_get(choice.library).color;
    out->shape.polygon_count = item->patches->count;
    return choice;
}

// `surface: L leaf, fold=20`. The material is left to the caller.
static material_choice read_surface(reporter *r, const tdi_body_header *body,
                                    const tdi_header_item *item, tdi_surface *out) {
    if (item->patches) {
        return read_patches(item, out);
    }
    const surface_kind *kind = find_kind(r, item);
    material_choice choice = {TD_NONE, td_material_find(kind->material)};
    memset(out, 0, sizeof *out);
    out->organ = kind->organ;
    out->shape = td_shape_default();
    out->shape.kind = kind->shape;
    out->shape.width = kind->width;
    out->shape.widest = kind->widest;
    out->shape.stalk = kind->stalk;
    report_repeats(r, item);
    read_surface_fields(r, body, item, out, &choice);

    td_material material = chosen_material(body, choice);
    if (!out->has_color) {
        out->shape.color = material.color;
    }
    if (kind->shape != TD_SHAPE_BALL && !(material.thickness > 0)) {
        report(r, item->at, "material \"%s\" of surface %s has no thickness, and a %s needs one",
               material.name, item->id, kind->name);
    }
    td_diag fault;
    if (tdi_shape_check(&out->shape, &fault) != TD_OK) {
        report(r, item->at, "surface %s: %s", item->id, fault.message);
    }
    return choice;
}

// ---- check ----------------------------------------------------------------------------------

// a header has a few dozen items at most
static void report_duplicates(reporter *r, const tdi_body_header *body) {
    for (int32_t i = 1; i < body->material_count; i++) {
        const tdi_header_item *item = &body->materials[i];
        for (int32_t k = 0; k < i; k++) {
            if (body->materials[k].number == item->number) {
                report(r, item->at, "material %d is already declared in line %d", item->number,
                       tdi_grammar_place(r->grammar, body->materials[k].at).line);
                break;
            }
        }
    }
    for (int32_t i = 1; i < body->surface_count; i++) {
        const tdi_header_item *item = &body->surfaces[i];
        for (int32_t k = 0; k < i; k++) {
            if (strcmp(body->surfaces[k].id, item->id) == 0) {
                report(r, item->at, "surface %s is already declared in line %d", item->id,
                       tdi_grammar_place(r->grammar, body->surfaces[k].at).line);
                break;
            }
        }
    }
}

static void check_items(reporter *r, const tdi_body_header *body) {
    report_duplicates(r, body);
    for (int32_t i = 0; i < body->material_count; i++) {
        read_material(r, &body->materials[i]);
    }
    for (int32_t i = 0; i < body->surface_count; i++) {
        tdi_surface unused;
        read_surface(r, body, &body->surfaces[i], &unused);
    }
}

td_status td_plant_check(const td_grammar *grammar, td_diag_list *diags) {
    if (!grammar) {
        return tdi_refuse_in(diags, __func__);
    }
    const tdi_body_header *body = tdi_grammar_body(grammar);
    reporter r = {grammar, diags, NULL, 0};
    check_items(&r, body);
    return r.count == 0 ? TD_OK : TD_ERR_SYNTAX;
}

// ---- reading --------------------------------------------------------------------------------

// place among the header's materials of a material of the library, added on first use
static int32_t library_material(tdi_plant_header *h, int32_t *places, int32_t library) {
    if (places[library] == TD_NONE) {
        places[library] = h->material_count;
        h->materials[h->material_count++] = td_material_get(library);
    }
    return places[library];
}

static void read_tables(tdi_plant_header *h, reporter *r, int32_t *places) {
    const tdi_body_header *body = h->body;
    int32_t library_count = td_material_count();
    for (int32_t i = 0; i < library_count; i++) {
        places[i] = TD_NONE;
    }
    library_material(h, places, 0);
    for (int32_t i = 0; i < body->material_count; i++) {
        h->materials[h->material_count++] = read_material(r, &body->materials[i]);
    }
    h->leaf = library_material(h, places, td_material_find("leaf"));
    h->fruit = library_material(h, places, td_material_find("fruit"));
    for (int32_t i = 0; i < body->surface_count; i++) {
        tdi_surface *s = &h->surfaces[i];
        material_choice choice = read_surface(r, body, &body->surfaces[i], s);
        s->material = choice.item == TD_NONE ? library_material(h, places, choice.library)
                                             : tdi_turtle_material(choice.item);
    }
}

static tdi_surface plain_surface(td_shape_kind kind) {
    tdi_surface s;
    memset(&s, 0, sizeof s);
    s.shape = td_shape_default();
    s.shape.kind = kind;
    s.shape.width = 1;
    s.shape.stalk = 0;
    return s;
}

static bool integrate_surface(tdi_plant_header *h, tdi_surface *s) {
    td_shape shape = s->shape;
    if (s->patches) { // depend on the proportions of each that is drawn
        return true;
    }
    s->moments = tdi_arena_zeroed(&h->arena, (size_t)shape.segments, sizeof *s->moments);
    for (; s->moments && shape.segment < shape.segments; shape.segment++) {
        s->moments[shape.segment] = tdi_shape_integrate(&shape, NULL, NULL);
    }
    return s->moments != NULL;
}

td_status tdi_plant_header_read(const td_grammar *grammar, const td_alloc *alloc,
                                tdi_plant_header *out, td_diag *diag) {
    memset(out, 0, sizeof *out);
    out->arena.alloc = alloc;
    out->body = tdi_grammar_body(grammar);
    const tdi_body_header *body = out->body;
    size_t library_count = (size_t)td_material_count();
    size_t material_room = library_count + (size_t)body->material_count;
    out->materials = tdi_arena_zeroed(&out->arena, material_room, sizeof *out->materials);
    out->ball = body->surface_count;
    out->disc = body->surface_count + 1;
    out->surfaces =
        tdi_arena_zeroed(&out->arena, (size_t)body->surface_count + 2, sizeof *out->surfaces);
    int32_t *places = tdi_arena_zeroed(&out->arena, library_count, sizeof *places);
    if (!out->materials || !out->surfaces || !places) {
        return tdi_fail(diag, TD_ERR_MEMORY, "out of memory for the header");
    }
    reporter r = {grammar, NULL, diag, 0};
    report_duplicates(&r, body);
    read_tables(out, &r, places);
    out->surfaces[out->ball] = plain_surface(TD_SHAPE_BALL);
    out->surfaces[out->disc] = plain_surface(TD_SHAPE_DISC);
    for (int32_t i = 0; i <= out->disc && r.count == 0; i++) {
        if (!integrate_surface(out, &out->surfaces[i])) {
            return tdi_fail(diag, TD_ERR_MEMORY, "out of memory for the header");
        }
    }
    return r.count == 0 ? TD_OK : TD_ERR_SYNTAX;
}

void tdi_plant_header_free(tdi_plant_header *header) {
    tdi_arena_free(&header->arena);
}

// ---- access ---------------------------------------------------------------------------------

int32_t tdi_turtle_material(int32_t material) {
    return material == TD_NONE ? 0 : material + 1;
}

// the last entry of an index wins, as a later line of the text does
int64_t tdi_palette_color(const tdi_plant_header *header, int32_t index) {
    const tdi_body_header *body = header->body;
    for (int32_t i = body->palette_count - 1; i >= 0; i--) {
        if (body->palette_index[i] == index) {
            return body->palette_color[i] & 0xffffff;
        }
    }
    bool known = body->colors && index >= 0 && index < TDI_COLOR_COUNT;
    return known ? body->colors->rgb[index] : TD_NONE;
}
