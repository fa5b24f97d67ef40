// SPDX-License-Identifier: MIT
// Skeletons as bytes.
//
// Method   One list of fields, which a tape measures, writes or reads. Counts come first. What was
//          read is checked where an index or a count could lead anywhere.

#include "plant/bytes.h"

#include "base/alloc.h"
#include "base/diag.h"
#include "plant/segment.h"
#include "plant/store.h"

#include <string.h>

#define MOST_PARTS 1000000 // of one shape: more is no drawing

typedef struct tape {
    char *to;         // NULL: nothing is written
    const char *from; // NULL: nothing is read
    size_t at;
} tape;

// ---- fields ---------------------------------------------------------------------------------

static void item(tape *t, void *data, size_t size) {
    if (t->to) {
        memcpy(t->to + t->at, data, size);
    } else if (t->from) {
        memcpy(data, t->from + t->at, size);
    }
    t->at += size;
}

static void flag(tape *t, bool *data) {
    unsigned char byte = *data;
    item(t, &byte, 1);
    *data = byte != 0;
}

#define ITEM(field) item(t, &s->field, sizeof s->field)

// An enumerator below `count`.
#define ENUM(field, type, count)                                                  \
    do {                                                                          \
        int32_t number = (int32_t)s->field;                                       \
        item(t, &number, sizeof number);                                          \
        s->field = (type)(number >= 0 && number < (int32_t)(count) ? number : 0); \
    } while (0)

static void tape_segment(tape *t, td_segment *s) {
    ITEM(id);
    ITEM(parent);
    ENUM(joint, td_joint_kind, TD_JOINT_FREE + 1);
    ITEM(attach);
    ITEM(axis);
    ITEM(rest);
    ITEM(initial);
    ITEM(initial_slide);
    ITEM(length);
    ITEM(rest_length);
    ITEM(tip);
    ITEM(radius_base);
    ITEM(radius_tip);
    ITEM(flat);
    ITEM(section);
    ITEM(bead);
    ITEM(contour);
    ITEM(material);
    ENUM(organ, td_organ, TD_ORGAN_FRUIT + 1);
    ITEM(shape);
    ITEM(color);
    ITEM(area);
    ITEM(mass);
    ITEM(drag);
    ITEM(centre_of_mass);
    ITEM(second_moment);
    ITEM(stiffness);
    ITEM(damping);
    ITEM(outline);
    ITEM(fold_pressure);
}

static void tape_material(tape *t, td_material *s) {
    ITEM(name);
    s->name[sizeof s->name - 1] = 0;
    ITEM(density);
    ITEM(young);
    ITEM(shear);
    ITEM(poisson);
    ITEM(damping_time);
    ITEM(thickness);
    ENUM(organ, td_organ, TD_ORGAN_FRUIT + 1);
    ITEM(color);
}

static void tape_shape(tape *t, td_shape *s) {
    ENUM(kind, td_shape_kind, TD_SHAPE_PATCHES + 1);
    ITEM(width);
    ITEM(depth);
    ITEM(widest);
    ITEM(taper);
    ITEM(fold);
    ITEM(curl);
    ITEM(crease);
    ITEM(wave);
    ITEM(lobes);
    ITEM(lobe_depth);
    ITEM(stalk);
    ITEM(stalk_radius);
    ITEM(petals);
    ITEM(whorls);
    ITEM(opening);
    ITEM(centre);
    ITEM(color);
    ITEM(centre_color);
    ITEM(polygon_first);
    ITEM(polygon_count);
    ITEM(stretch);
    ITEM(segments);
    ITEM(segment);
}

static void tape_polygon(tape *t, td_polygon *s) {
    ITEM(point_first);
    ITEM(point_count);
}

static void tape_point(tape *t, td_vec3 *s) {
    item(t, s, sizeof *s);
}

static void tape_strand(tape *t, td_strand *s) {
    ITEM(first);
    ITEM(count);
    ENUM(start, td_end_kind, TD_END_CLAMPED + 1);
    ENUM(end, td_end_kind, TD_END_CLAMPED + 1);
    flag(t, &s->closed);
    ITEM(closing);
    ITEM(twist);
    ITEM(elements);
}

static void tape_body(tape *t, td_attached_mass *s) {
    ITEM(segment);
    ITEM(mass);
    ITEM(centre_of_mass);
    ITEM(second_moment);
}

static void tape_contour(tape *t, td_contour *s) {
    flag(t, &s->closed);
    ITEM(x);
    ITEM(z);
}

// ---- arrays ---------------------------------------------------------------------------------

#define ARRAYS(X)                       \
    X(segments, segment, td_segment)    \
    X(materials, material, td_material) \
    X(shapes, shape, td_shape)          \
    X(polygons, polygon, td_polygon)    \
    X(points, point, td_vec3)           \
    X(strands, strand, td_strand)       \
    X(bodies, body, td_attached_mass)   \
    X(contours, contour, td_contour)

static void tape_counts(tape *t, tdi_store *s) {
#define COUNT(items, one, type) ITEM(one##_count);
    ARRAYS(COUNT)
#undef COUNT
}

static void tape_store(tape *t, tdi_store *s) {
    tape_counts(t, s);
#define TAPE(items, one, type)                     \
    for (int32_t k = 0; k < s->one##_count; k++) { \
        tape_##one(t, &s->items[k]);               \
    }
    ARRAYS(TAPE)
#undef TAPE
}

// Bytes of arrays with these counts, or 0 when they are more than there are.
static size_t bytes_of(const tdi_store *s, size_t most) {
    tape t = {NULL, NULL, 0};
    size_t sum = 0;
    tape_counts(&t, (tdi_store *)s);
    sum = t.at;
#define ADD(items, one, type)                                                     \
    {                                                                             \
        t = (tape){NULL, NULL, 0};                                                \
        type any = {0};                                                           \
        tape_##one(&t, &any);                                                     \
        if (s->one##_count < 0 || (size_t)s->one##_count > (most - sum) / t.at) { \
            return 0;                                                             \
        }                                                                         \
        sum += (size_t)s->one##_count * t.at;                                     \
    }
    ARRAYS(ADD)
#undef ADD
    return sum;
}

// ---- checks ---------------------------------------------------------------------------------

static bool within(int32_t first, int32_t count, int32_t all) {
    return first >= 0 && count >= 0 && first <= all && count <= all - first;
}

static bool good_segment(const tdi_store *s, int32_t i) {
    const td_segment *g = &s->segments[i];
    const bool organ = g->organ != TD_ORGAN_STEM;
    return tdi_segment_check(g, i, NULL) == TD_OK && g->id >= 0 && g->material >= 0 &&
           g->material < s->material_count && g->contour >= 0 && g->contour <= s->contour_count &&
           g->shape >= TD_NONE && g->shape < s->shape_count && organ == (g->shape != TD_NONE);
}

static bool good_shape(const tdi_store *s, const td_shape *h) {
    const bool drawn = h->kind == TD_SHAPE_POLYGON || h->kind == TD_SHAPE_PATCHES;
    const int32_t parts[] = {h->lobes, h->petals, h->whorls, h->segments, h->segment};
    bool good = !drawn || within(h->polygon_first, h->polygon_count, s->polygon_count);
    for (size_t k = 0; k < sizeof parts / sizeof *parts; k++) {
        good = good && parts[k] >= 0 && parts[k] <= MOST_PARTS;
    }
    for (int32_t k = 0; good && drawn && k < h->polygon_count; k++) {
        const int32_t count = s->polygons[h->polygon_first + k].point_count;
        good = h->kind == TD_SHAPE_PATCHES ? count == 16 : count >= 3;
    }
    return good;
}

static bool is_good(const tdi_store *s) {
    bool good = s->segment_count > 0 && s->material_count > 0;
    for (int32_t k = 0; k < s->segment_count && good; k++) {
        good = good_segment(s, k);
    }
    for (int32_t k = 0; k < s->polygon_count && good; k++) {
        good = within(s->polygons[k].point_first, s->polygons[k].point_count, s->point_count);
    }
    for (int32_t k = 0; k < s->shape_count && good; k++) {
        good = good_shape(s, &s->shapes[k]);
    }
    for (int32_t k = 0; k < s->strand_count && good; k++) {
        const td_strand *t = &s->strands[k];
        good = t->count >= (t->closed ? 3 : 1) && within(t->first, t->count, s->segment_count) &&
               t->elements >= 0 && t->elements <= t->count;
    }
    for (int32_t k = 0; k < s->body_count && good; k++) {
        good = s->bodies[k].segment >= 0 && s->bodies[k].segment < s->segment_count;
    }
    return good;
}

// ---- entry ----------------------------------------------------------------------------------

size_t tdi_skeleton_bytes(const td_skeleton *skeleton) {
    return bytes_of(&skeleton->store, SIZE_MAX / 2);
}

void tdi_skeleton_write(const td_skeleton *skeleton, char *bytes) {
    tape t = {bytes, NULL, 0};
    tdi_store store = skeleton->store; // which a tape that writes leaves as it is
    tape_store(&t, &store);
}

static bool make_arrays(tdi_store *s) {
    bool made = true;
#define MAKE(items, one, type)                                                            \
    s->items = s->one##_count > 0                                                         \
                   ? tdi_alloc_zeroed(s->alloc, (size_t)s->one##_count, sizeof *s->items) \
                   : NULL;                                                                \
    s->one##_capacity = s->items ? s->one##_count : 0;                                    \
    made = made && (s->items || s->one##_count == 0);
    ARRAYS(MAKE)
#undef MAKE
    return made;
}

td_status tdi_skeleton_read(const char *bytes, size_t size, const td_alloc *alloc,
                            td_skeleton **out, size_t *used, td_diag *diag) {
    tdi_store store = {.alloc = alloc};
    tape sizes = {NULL, NULL, 0}, t = {NULL, bytes, 0};
    *out = NULL;
    tape_counts(&sizes, &store);
    if (size >= sizes.at) {
        tape_counts(&t, &store);
    }
    *used = size >= sizes.at ? bytes_of(&store, size) : 0;
    if (*used == 0) {
        return tdi_fail(diag, TD_ERR_SYNTAX, "a skeleton of the save is not whole");
    }
    td_status status = make_arrays(&store) ? TD_OK : TD_ERR_MEMORY;
    if (status == TD_OK) {
        t.at = 0;
        tape_store(&t, &store);
        status = is_good(&store)
                     ? TD_OK
                     : tdi_fail(diag, TD_ERR_SYNTAX, "the save holds an invalid skeleton");
    }
    status = status == TD_OK ? tdi_skeleton_new(&store, out) : status;
    if (status != TD_OK) {
        tdi_store_free(&store);
    }
    return status;
}
