// SPDX-License-Identifier: MIT
// A skeleton from JSON.
//
// Method   A first pass finds the lists, so that they may have any order. Then each object is read
//          by the table of its keys and added to a builder, which checks every field. The builder
//          would compute masses and springs, and round rotations; therefore the numbers of the text
//          replace those of the builder, and the skeleton is finished without computing them.

#include "base/alloc.h"
#include "base/guard.h"
#include "base/json_in.h"
#include "math/quat.h"
#include "plant/json_fields.h"
#include "plant/store.h"

#include <math.h>
#include <string.h>

#define FARTHEST    1e9   // m: as for places of segments
#define UNIT_ERROR  1e-14 // rotations and directions nearer to length 1 are not normalised
#define SAME_LENGTH 1e-3  // how far a direction may be from length 1

typedef enum part { MATERIALS, SHAPES, CONTOURS, SEGMENTS, STRANDS, BODIES, PARTS } part;

static const char *const part_names[PARTS] = {"materials", "shapes",  "contours",
                                              "segments",  "strands", "bodies"};

typedef struct reader {
    tdi_json_in in;
    td_builder *builder;
    size_t lists[PARTS]; // where they start
    bool has[PARTS];
    // corners of the polygons of one shape, and how many each has
    td_vec3 *points;
    int32_t *counts;
    int64_t point_count, point_capacity, polygon_count, count_capacity;
} reader;

// ---- values ---------------------------------------------------------------------------------

static bool read_reals(tdi_json_in *in, td_real *values, int32_t count) {
    if (count == 1) {
        return tdi_json_in_number(in, values);
    }
    const size_t start = tdi_json_in_at(in);
    int32_t n = 0;
    if (!tdi_json_in_open(in, '[')) {
        return false;
    }
    for (bool first = true; tdi_json_in_more(in, ']', &first); n++) {
        if (n == count) {
            return tdi_json_in_fail(in, start, "the list has more than %d numbers", count);
        }
        if (!tdi_json_in_number(in, &values[n])) {
            return false;
        }
    }
    return in->status == TD_OK &&
           (n == count ||
            tdi_json_in_fail(in, start, "the list has %d numbers; expected %d", n, count));
}

static bool read_color(tdi_json_in *in, uint32_t *color) {
    const size_t start = tdi_json_in_at(in);
    char text[16] = "";
    if (!tdi_json_in_text(in, text, sizeof text)) {
        return false;
    }
    uint32_t value = 0;
    bool good = text[0] == '#' && strlen(text) == 7;
    for (int k = 1; k < 7 && good; k++) {
        static const char digits[] = "0123456789abcdef";
        const char c = text[k] >= 'A' && text[k] <= 'F' ? (char)(text[k] - 'A' + 'a') : text[k];
        const char *digit = strchr(digits, c);
        good = digit != NULL;
        value = good ? value * 16 + (uint32_t)(digit - digits) : 0;
    }
    *color = value;
    return good || tdi_json_in_fail(in, start, "'%s' is not a colour such as \"#4c8c32\"", text);
}

static bool read_name(tdi_json_in *in, const tdi_key *key, int32_t *value) {
    const size_t start = tdi_json_in_at(in);
    char text[TDI_JSON_KEY] = "";
    if (!tdi_json_in_text(in, text, sizeof text)) {
        return false;
    }
    for (int32_t k = 0; k < key->count; k++) {
        if (strcmp(text, key->names[k]) == 0) {
            *value = k;
            return true;
        }
    }
    char all[160] = "";
    for (int32_t k = 0; k < key->count; k++) {
        tdi_text_copy(all + strlen(all), sizeof all - strlen(all), k > 0 ? ", " : "");
        tdi_text_copy(all + strlen(all), sizeof all - strlen(all), key->names[k]);
    }
    return tdi_json_in_fail(in, start, "unknown %s '%s'; expected one of %s", key->name, text, all);
}

static bool read_value(tdi_json_in *in, const tdi_key *key, char *to) {
    int32_t number = 0;
    uint32_t color = 0;
    bool good = false;
    switch (key->kind) {
    case TDI_KEY_REALS: return read_reals(in, (td_real *)(void *)to, key->count);
    case TDI_KEY_TEXT: return tdi_json_in_text(in, to, (size_t)key->count);
    case TDI_KEY_BOOL: return tdi_json_in_bool(in, (bool *)(void *)to);
    case TDI_KEY_COLOR: good = read_color(in, &color); break;
    case TDI_KEY_NAME: good = read_name(in, key, &number); break;
    case TDI_KEY_INT: good = tdi_json_in_int(in, &number); break;
    }
    if (good) {
        memcpy(to, key->kind == TDI_KEY_COLOR ? (void *)&color : (void *)&number, sizeof number);
    }
    return good;
}

// ---- objects --------------------------------------------------------------------------------

// A key whose value is read later: of a shape its polygons.
typedef struct later {
    const char *name;
    size_t at; // 0: it is not there
} later;

static bool read_key(tdi_json_in *in, tdi_key_table table, void *object, later *rest,
                     uint64_t *seen) {
    const size_t start = tdi_json_in_at(in);
    char name[TDI_JSON_KEY];
    if (!tdi_json_in_key(in, name)) {
        return false;
    }
    for (int32_t k = 0; k < table.count; k++) {
        if (strcmp(table.keys[k].name, name) == 0) {
            if (*seen >> k & 1) {
                return tdi_json_in_fail(in, start, "the key '%s' is given twice", name);
            }
            *seen |= (uint64_t)1 << k;
            return read_value(in, &table.keys[k], (char *)object + table.keys[k].offset);
        }
    }
    if (rest && strcmp(rest->name, name) == 0 && rest->at == 0) {
        rest->at = tdi_json_in_at(in);
        return tdi_json_in_skip(in);
    }
    return tdi_json_in_fail(in, start, "unknown key '%s'", name);
}

// Fills the object, which has the values of keys that may be missing. `rest` may be NULL.
static bool read_object(tdi_json_in *in, tdi_key_table table, void *object, later *rest) {
    const size_t start = tdi_json_in_at(in);
    uint64_t seen = 0;
    if (!tdi_json_in_open(in, '{')) {
        return false;
    }
    for (bool first = true; tdi_json_in_more(in, '}', &first);) {
        if (!read_key(in, table, object, rest, &seen)) {
            return false;
        }
    }
    for (int32_t k = 0; k < table.count; k++) {
        if (table.keys[k].need == TDI_KEY_REQUIRED && !(seen >> k & 1)) {
            return tdi_json_in_fail(in, start, "the key '%s' is missing", table.keys[k].name);
        }
    }
    return in->status == TD_OK;
}

static bool added(reader *r, size_t at, td_status status) {
    return status == TD_OK || tdi_json_in_fail_as(&r->in, at, status);
}

// ---- materials and contours -----------------------------------------------------------------

static bool read_material(reader *r, size_t at) {
    tdi_json_material read = {.shear_from_poisson = false};
    if (!read_object(&r->in, tdi_material_keys(), &read, NULL)) {
        return false;
    }
    read.material.shear = read.shear_from_poisson ? 0 : read.material.shear;
    return added(r, at, td_builder_add_material(r->builder, &read.material, NULL, r->in.diag));
}

static bool read_contour(reader *r, size_t at) {
    td_contour contour = {.closed = false};
    return read_object(&r->in, tdi_contour_keys(), &contour, NULL) &&
           added(r, at, td_builder_add_contour(r->builder, &contour, NULL, r->in.diag));
}

// ---- shapes ---------------------------------------------------------------------------------

static bool add_point(reader *r, td_vec3 p) {
    td_vec3 *points = tdi_array_reserve(r->builder->store.alloc, r->points, &r->point_capacity,
                                        r->point_count + 1, sizeof *points);
    if (!points) {
        return tdi_json_in_fail_as(
            &r->in, r->in.at, tdi_fail(r->in.diag, TD_ERR_MEMORY, "out of memory for polygons"));
    }
    r->points = points;
    points[r->point_count++] = p;
    return true;
}

static bool read_corners(reader *r, int32_t *count) {
    const size_t start = tdi_json_in_at(&r->in);
    *count = 0;
    if (!tdi_json_in_open(&r->in, '[')) {
        return false;
    }
    for (bool first = true; tdi_json_in_more(&r->in, ']', &first);) {
        td_real p[3] = {0, 0, 0};
        const size_t at = tdi_json_in_at(&r->in);
        if (!read_reals(&r->in, p, 3)) {
            return false;
        }
        if (!(fabs(p[0]) <= FARTHEST && fabs(p[1]) <= FARTHEST && fabs(p[2]) <= FARTHEST)) {
            return tdi_json_in_fail(&r->in, at, "expected a place within 1e9 m");
        }
        if (!add_point(r, (td_vec3){p[0], p[1], p[2]})) {
            return false;
        }
        *count += 1; // a text is shorter than 2^31 points
    }
    return r->in.status == TD_OK &&
           (*count >= 3 || tdi_json_in_fail(&r->in, start, "a polygon has at least 3 corners"));
}

static bool read_polygons(reader *r) {
    r->point_count = r->polygon_count = 0;
    if (!tdi_json_in_open(&r->in, '[')) {
        return false;
    }
    for (bool first = true; tdi_json_in_more(&r->in, ']', &first);) {
        int32_t *counts = tdi_array_reserve(r->builder->store.alloc, r->counts, &r->count_capacity,
                                            r->polygon_count + 1, sizeof *counts);
        if (!counts) {
            return tdi_json_in_fail_as(
                &r->in, r->in.at,
                tdi_fail(r->in.diag, TD_ERR_MEMORY, "out of memory for polygons"));
        }
        r->counts = counts;
        if (!read_corners(r, &counts[r->polygon_count++])) {
            return false;
        }
    }
    return r->in.status == TD_OK;
}

static bool read_drawn_shape(reader *r, size_t at, const td_shape *shape, const later *lists) {
    const size_t end = r->in.at;
    if (lists->at == 0) {
        return tdi_json_in_fail(&r->in, at, "the key '%s' is missing", lists->name);
    }
    r->in.at = lists->at;
    if (!read_polygons(r)) {
        return false;
    }
    r->in.at = end;
    return added(r, at,
                 tdi_builder_add_polygons(r->builder, shape, r->points, r->counts,
                                          (int32_t)r->polygon_count, NULL, r->in.diag));
}

// Whether the object that comes next is of the kind polygon; the key may follow the others.
static bool is_polygon(tdi_json_in ahead) {
    char name[TDI_JSON_KEY] = "", kind[TDI_JSON_KEY] = "";
    bool first = true;
    ahead.diag = NULL;
    bool good = tdi_json_in_open(&ahead, '{');
    while (good && tdi_json_in_more(&ahead, '}', &first)) {
        good = tdi_json_in_key(&ahead, name) &&
               (strcmp(name, "kind") == 0 ? tdi_json_in_text(&ahead, kind, sizeof kind)
                                          : tdi_json_in_skip(&ahead));
    }
    return strcmp(kind, "polygon") == 0;
}

static bool read_shape(reader *r, size_t at) {
    td_shape shape = td_shape_default();
    later list = {is_polygon(r->in) ? "polygons" : "patches", 0};
    if (!read_object(&r->in, tdi_shape_keys(), &shape, &list)) {
        return false;
    }
    if (shape.kind == TD_SHAPE_POLYGON || shape.kind == TD_SHAPE_PATCHES) {
        return read_drawn_shape(r, at, &shape, &list);
    }
    if (list.at > 0) {
        return tdi_json_in_fail(&r->in, list.at, "only the kinds polygon and patches have '%s'",
                                list.name);
    }
    return added(r, at, td_builder_add_shape(r->builder, &shape, NULL, r->in.diag));
}

// ---- segments -------------------------------------------------------------------------------

static td_quat unit_quat(td_quat q) {
    return fabs(tdi_quat_norm(q) - 1) > UNIT_ERROR ? tdi_quat_unit(q) : q;
}

static td_segment_def def_of(const td_segment *s) {
    td_segment_def def = td_segment_def_default();
    def.id = s->id;
    def.parent = s->parent;
    def.joint = s->joint;
    def.attach_at_tip = false;
    def.attach = s->attach;
    def.axis = s->axis;
    def.rest = s->rest;
    def.initial = s->initial;
    def.initial_slide = s->initial_slide;
    def.length = s->length;
    def.rest_length = s->rest_length;
    def.radius_base = s->radius_base;
    def.radius_tip = s->radius_tip;
    def.flat = s->flat;
    def.bead = s->bead;
    def.contour = s->contour;
    def.material = s->material;
    def.organ = s->organ;
    def.shape = s->shape;
    def.color = s->color;
    def.drag = s->drag;
    def.mass = s->mass;
    def.centre_of_mass = s->centre_of_mass;
    def.second_moment = s->second_moment;
    def.tip = s->tip;
    def.section = s->section;
    def.stiffness = s->stiffness;
    def.damping = s->damping;
    def.has_tip = def.has_stiffness = def.has_damping = true;
    return def;
}

// What the builder would compute, or take another way.
static const char *wrong_segment(const reader *r, const td_segment *s) {
    return s->id < 0               ? "id must be at least 0"
           : !(s->mass > 0)        ? "mass must be above 0"
           : !(s->rest_length > 0) ? "rest_length must be above 0"
           : !(s->area >= 0)       ? "area must be at least 0"
           : s->contour < 0 || s->contour > r->builder->store.contour_count
               ? "contour must be the number of one of the contours, or 0"
           : tdi_quat_is_zero(s->initial)                  ? "initial must be a unit quaternion"
           : !(fabs(tdi_norm(s->axis) - 1) <= SAME_LENGTH) ? "axis must have length 1"
           : !(s->outline.x >= 0 && s->outline.y >= 0 && s->outline.z >= 0 && s->fold_pressure >= 0)
               ? "outline and fold_pressure must be at least 0"
               : NULL;
}

static bool read_segment(reader *r, size_t at) {
    td_segment s = {.drag = 1};
    if (!read_object(&r->in, tdi_segment_keys(), &s, NULL)) {
        return false;
    }
    const char *wrong = wrong_segment(r, &s);
    if (wrong) {
        return tdi_json_in_fail(&r->in, at, "%s", wrong);
    }
    const td_segment_def def = def_of(&s);
    int32_t index = 0;
    if (!added(r, at, td_builder_add(r->builder, &def, &index, r->in.diag))) {
        return false;
    }
    td_segment *kept = &r->builder->store.segments[index];
    s.axis = fabs(tdi_norm(s.axis) - 1) > UNIT_ERROR ? kept->axis : s.axis;
    s.rest = unit_quat(s.rest);
    s.initial = unit_quat(s.initial);
    *kept = s;
    return true;
}

// ---- strands and bodies ---------------------------------------------------------------------

static bool read_strand(reader *r, size_t at) {
    td_strand strand = {.first = 0};
    if (!read_object(&r->in, tdi_strand_keys(), &strand, NULL) ||
        !added(r, at, td_builder_add_strand(r->builder, &strand, r->in.diag))) {
        return false;
    }
    td_strand *kept = &r->builder->store.strands[r->builder->store.strand_count - 1];
    if (fabs(tdi_quat_norm(strand.closing) - 1) <= UNIT_ERROR) {
        *kept = strand;
    }
    return true;
}

static bool read_body(reader *r, size_t at) {
    td_attached_mass body = {.segment = 0};
    return read_object(&r->in, tdi_body_keys(), &body, NULL) &&
           added(r, at, td_builder_attach_mass(r->builder, &body, r->in.diag));
}

// ---- the whole ------------------------------------------------------------------------------

// Where the lists start.
static bool find_lists(reader *r) {
    tdi_json_in *in = &r->in;
    if (!tdi_json_in_open(in, '{')) {
        return false;
    }
    for (bool first = true; tdi_json_in_more(in, '}', &first);) {
        const size_t start = tdi_json_in_at(in);
        char name[TDI_JSON_KEY];
        if (!tdi_json_in_key(in, name)) {
            return false;
        }
        bool known = strcmp(name, "generator") == 0;
        for (int32_t k = 0; k < PARTS; k++) {
            if (strcmp(name, part_names[k]) != 0) {
                continue;
            }
            if (r->has[k]) {
                return tdi_json_in_fail(in, start, "the key '%s' is given twice", name);
            }
            known = r->has[k] = true;
            r->lists[k] = tdi_json_in_at(in);
        }
        if (!known) {
            return tdi_json_in_fail(in, start,
                                    "unknown key '%s'; a skeleton has materials, shapes, "
                                    "segments, contours, strands and bodies",
                                    name);
        }
        if (!tdi_json_in_skip(in)) {
            return false;
        }
    }
    for (int32_t k = 0; k < PARTS; k++) {
        if (!r->has[k] && (k == MATERIALS || k == SEGMENTS)) {
            return tdi_json_in_fail(in, 0, "the key '%s' is missing", part_names[k]);
        }
    }
    return tdi_json_in_end(in);
}

static bool read_list(reader *r, part which) {
    static bool (*const read[PARTS])(reader *, size_t) = {read_material, read_shape,  read_contour,
                                                          read_segment,  read_strand, read_body};
    if (!r->has[which]) {
        return true;
    }
    r->in.at = r->lists[which];
    if (!tdi_json_in_open(&r->in, '[')) {
        return false;
    }
    for (bool first = true; tdi_json_in_more(&r->in, ']', &first);) {
        if (!read[which](r, tdi_json_in_at(&r->in))) {
            return false;
        }
    }
    return r->in.status == TD_OK;
}

static td_status read_all(reader *r, td_skeleton **out) {
    bool good = find_lists(r);
    r->builder->store.material_count = 0; // those of the text alone
    for (int32_t k = 0; k < PARTS && good; k++) {
        good = read_list(r, (part)k);
    }
    if (good && r->builder->store.material_count == 0) {
        good =
            tdi_json_in_fail(&r->in, r->lists[MATERIALS], "a skeleton has at least one material");
    }
    if (good) {
        const td_status status = tdi_builder_finish_as_given(r->builder, out, r->in.diag);
        added(r, r->lists[SEGMENTS], status);
    }
    return r->in.status;
}

// Without the byte order mark that some editors write.
static void skip_mark(const char **text, size_t *size) {
    if (*text && *size >= 3 && memcmp(*text, "\xef\xbb\xbf", 3) == 0) {
        *text += 3;
        *size -= 3;
    }
}

td_status td_skeleton_from_json(const char *text, size_t size, const char *file,
                                const td_alloc *alloc, td_skeleton **out, td_diag *diag) {
    TDI_CLEAR(out);
    TDI_REFUSE_IF(!out || (!text && size > 0));
    skip_mark(&text, &size);
    reader r = {.in = {.text = text, .file = file, .size = size, .diag = diag}};
    td_status status = td_builder_new(NULL, alloc, &r.builder, NULL);
    if (status != TD_OK) {
        return tdi_fail(diag, status, "out of memory for the skeleton");
    }
    status = read_all(&r, out);
    tdi_alloc_free(alloc, r.points, (size_t)r.point_capacity * sizeof *r.points);
    tdi_alloc_free(alloc, r.counts, (size_t)r.count_capacity * sizeof *r.counts);
    td_builder_free(r.builder);
    return status;
}

bool td_skeleton_is_json(const char *text, size_t size) {
    skip_mark(&text, &size);
    tdi_json_in in = {.text = text, .size = text ? size : 0};
    char name[TDI_JSON_KEY];
    if (!text || !tdi_json_in_open(&in, '{')) {
        return false;
    }
    for (bool first = true; tdi_json_in_more(&in, '}', &first);) {
        if (!tdi_json_in_key(&in, name)) {
            return false;
        }
        if (strcmp(name, part_names[SEGMENTS]) == 0) {
            return true;
        }
        if (!tdi_json_in_skip(&in)) {
            return false;
        }
    }
    return false;
}
