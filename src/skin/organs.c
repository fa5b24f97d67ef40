// SPDX-License-Identifier: MIT
// Organs on their segments.
//
// Method   organs are sorted by shape and detail. Each such model is made once (organ.c) and
// stamped
//          for every segment that has it.
// Rows     a blade that bends is a row of segments. Its model is that of the whole blade; a vertex
//          at s along the midrib moves with the part it stands on and both beside it, weighted by
//          quadratic B-splines. These keep quadratic functions but for a constant, so that a row
//          which bends evenly is an even curve, without a trace of its joints.
// Details  an organ has fewer triangles the smaller it is, over the plant and over the tolerance of
//          the skin. Of organs below a few tolerances a share is left out, and those that stay are
//          as much larger: the plant covers as much as before.

#include "skin/organs.h"

#include "base/diag.h"
#include "math/quat.h"
#include "plant/fields.h"
#include "plant/shape.h"
#include "skin/organ.h"

// over the plant's extent: smaller organs get fewer triangles
#define MEDIUM_SIZE 0.02
#define FINE_SIZE   0.2
// over the tolerance: organs below this are thinned out
#define THIN_SIZE 3.0

// over the tolerance: from here on an organ has this detail
static const td_real detail_sizes[TDI_DETAIL_COUNT] = {[TDI_DETAIL_LEAST] = 0,
                                                       [TDI_DETAIL_LOW] = 5,
                                                       [TDI_DETAIL_COARSE] = 12,
                                                       [TDI_DETAIL_MEDIUM] = 30,
                                                       [TDI_DETAIL_FINE] = 80};

// A segment that an organ moves with: its pose, and its pose at rest in the axes of the organ.
typedef struct bone {
    int32_t segment;
    td_vec3 at; // world
    td_quat turn;
    td_vec3 rest_at;
    td_quat rest_turn;
} bone;

typedef struct stamper {
    tdi_skin *skin;
    const td_skeleton *skeleton;
    const td_shape *shapes;
    const tdi_posed *posed;
    int32_t *order;  // organs, those of one model together
    int32_t *starts; // first place in `order` of each model; two more than there are models
    int32_t *next;   // of a part of a row: the one after it, or TD_NONE
    size_t start_count;
    tdi_organ_model model;
    bone bones[TDI_MAX_PARTS]; // of the organ at hand
    int32_t *where;            // its segment
} stamper;

// ---- details --------------------------------------------------------------------------------

td_real tdi_posed_extent(const tdi_posed *posed) {
    td_vec3 low = posed->origins[0], high = low;
    for (int32_t i = 0; i < posed->count; i++) {
        td_vec3 ends[2] = {posed->origins[i], tdi_posed_tip(posed, i)};
        for (int k = 0; k < 2; k++) {
            low = tdi_vec3(fmin(low.x, ends[k].x), fmin(low.y, ends[k].y), fmin(low.z, ends[k].z));
            high =
                tdi_vec3(fmax(high.x, ends[k].x), fmax(high.y, ends[k].y), fmax(high.z, ends[k].z));
        }
    }
    td_vec3 size = tdi_sub(high, low);
    return fmax(size.x, fmax(size.y, size.z));
}

// 0 to 1, by the number of an organ: the same for all tolerances
static td_real chance(int32_t number) {
    uint32_t hash = (uint32_t)number * 2654435761u;
    hash = (hash ^ hash >> 15) * 2246822519u;
    hash ^= hash >> 13;
    return (hash >> 8) * 0x1p-24;
}

// Organs of one size do not all change at one tolerance: then a mesh would have far fewer triangles
// than it may.
static tdi_detail detail_of(int32_t number, td_real size, td_real extent, td_real tolerance) {
    int detail = size >= FINE_SIZE * extent     ? TDI_DETAIL_FINE
                 : size >= MEDIUM_SIZE * extent ? TDI_DETAIL_MEDIUM
                                                : TDI_DETAIL_COARSE;
    td_real seen = size * (0.7 + 0.6 * chance(number));
    while (seen < detail_sizes[detail] * tolerance) {
        detail--;
    }
    return (tdi_detail)detail;
}

// By how much an organ is larger than it is, for those that are left out; 0: it is left out. The
// share size^2/least^2 stays.
static td_real growth(int32_t number, td_real size, td_real tolerance) {
    td_real least = THIN_SIZE * tolerance;
    if (size >= least) {
        return 1;
    }
    return chance(number) < size * size / (least * least) ? least / size : 0;
}

// ---- order ----------------------------------------------------------------------------------

// each shape has a model for each detail; TD_NONE: the segment is a stem, or no first part of a row
static int32_t model_of(const stamper *s, int32_t segment, td_real extent) {
    const td_segment *organ = &s->posed->segments[segment];
    if (organ->shape == TD_NONE || s->shapes[organ->shape].segment > 0) {
        return TD_NONE;
    }
    return TDI_DETAIL_COUNT * organ->shape +
           (int32_t)detail_of(segment, organ->length, extent, s->skin->tolerance);
}

// counting sort of the organs by model, in the order of the segments within a model
static void sort_organs(stamper *s) {
    td_real extent = tdi_posed_extent(s->posed);
    for (int32_t i = 0; i < s->posed->count; i++) {
        int32_t model = model_of(s, i, extent);
        if (model != TD_NONE) {
            s->starts[model + 2]++;
        }
    }
    for (size_t m = 1; m < s->start_count; m++) {
        s->starts[m] += s->starts[m - 1];
    }
    // starts[m + 1] runs from the start of model m to its end, which is the start of the next
    for (int32_t i = 0; i < s->posed->count; i++) {
        int32_t model = model_of(s, i, extent);
        if (model != TD_NONE) {
            s->order[s->starts[model + 1]++] = i;
        }
    }
}

static void link_rows(stamper *s) {
    const td_segment *segments = s->posed->segments;
    for (int32_t i = 0; i < s->posed->count; i++) {
        s->next[i] = TD_NONE;
        int32_t parent = segments[i].parent;
        if (segments[i].shape == TD_NONE || parent == TD_NONE ||
            segments[parent].shape == TD_NONE) {
            continue;
        }
        const td_shape *shape = &s->shapes[segments[i].shape];
        if (shape->segment > 0 && shape->segment == s->shapes[segments[parent].shape].segment + 1) {
            s->next[parent] = i;
        }
    }
}

// ---- colours --------------------------------------------------------------------------------

static tdi_part_kind solid_part(td_organ organ) {
    static const tdi_part_kind parts[] = {TDI_PART_STEM, TDI_PART_LEAF, TDI_PART_PETAL,
                                          TDI_PART_FLOWER, TDI_PART_FRUIT};
    return (size_t)organ < TDI_PART_COUNT ? parts[organ] : TDI_PART_STEM;
}

// only leaves and petals are drawn from both sides
static tdi_part_kind lamina_part(td_organ organ) {
    return organ == TD_ORGAN_PETAL || organ == TD_ORGAN_FLOWER ? TDI_PART_PETAL : TDI_PART_LEAF;
}

static tdi_rgb shaded(tdi_rgb base, const tdi_organ_vertex *vertex) {
    int32_t channels[3] = {base.r, base.g, base.b};
    for (int k = 0; k < 3; k++) {
        int32_t bright = (channels[k] * vertex->gain + 128) / 256;
        channels[k] = bright > 255 ? 255 : bright;
    }
    tdi_rgb color = {(uint8_t)channels[0], (uint8_t)channels[1], (uint8_t)channels[2]};
    tdi_rgb white = {255, 255, 255};
    return tdi_rgb_mix(color, white, vertex->white);
}

// the three colours of an organ, by tdi_tint
static void set_tints(const tdi_posed *posed, int32_t segment, const td_shape *shape,
                      tdi_rgb tints[3]) {
    const td_segment *organ = &posed->segments[segment];
    tints[TDI_TINT_ORGAN] = tdi_rgb_linear(organ->color);
    tints[TDI_TINT_CENTRE] = tdi_rgb_linear(shape->centre_color);
    tints[TDI_TINT_STALK] = tints[TDI_TINT_ORGAN];
    if (organ->parent != TD_NONE) {
        tdi_rgb bearer = tdi_rgb_linear(posed->segments[organ->parent].color);
        // the stalk of a leaf is half leaf; that of a flower or a fruit is all stem
        int32_t share = shape->kind == TD_SHAPE_BLADE ? 128 : 256;
        tints[TDI_TINT_STALK] = tdi_rgb_mix(tints[TDI_TINT_ORGAN], bearer, share);
    }
}

// ---- stamping -------------------------------------------------------------------------------

// Where and how large a sheet is put, and its colours by tdi_tint.
typedef struct imprint {
    td_real size;
    tdi_rgb tints[3];
    const bone *bones;
    int32_t bone_count;
    int32_t parts; // of the row, those that were pruned included
    bool tangents; // are wanted
} imprint;

static bone bone_on(const tdi_posed *posed, int32_t segment, td_vec3 at) {
    return (bone){segment, at, posed->rotations[segment], {0, 0, 0}, tdi_quat_identity()};
}

// the parts of a row, from the first on, as many as there are
static int32_t follow_row(stamper *s, const td_shape *shape) {
    int32_t segment = *s->where, count = 0;
    td_real size = s->posed->segments[segment].length;
    for (; segment != TD_NONE && count < shape->segments; segment = s->next[segment]) {
        tdi_blade_part part = tdi_blade_part_at(shape, count);
        s->bones[count++] =
            (bone){segment, s->posed->origins[segment], s->posed->rotations[segment],
                   tdi_scale(part.origin, size), part.turn};
    }
    return count;
}

// The parts that a place along the blade moves with, and their weights in 1/255. With t the
// distance from the middle of its own part, over the length of a part:
//   (1/2 - t)^2/2,  3/4 - t^2,  (1/2 + t)^2/2
// Beyond the ends of the row the part at the end counts.
static void weigh_along(const imprint *print, td_real along, int32_t at[3], int weights[3]) {
    td_real place = fmax(0, fmin(along, 1)) * print->parts;
    int32_t own = (int32_t)fmin(floor(place), print->parts - 1), last = print->bone_count - 1;
    td_real t = place - own - 0.5;
    weights[0] = (int)(255 * (0.5 - t) * (0.5 - t) / 2 + 0.5);
    weights[2] = (int)(255 * (0.5 + t) * (0.5 + t) / 2 + 0.5);
    weights[1] = 255 - weights[0] - weights[2];
    for (int32_t k = 0; k < 3; k++) {
        int32_t part = own + k - 1;
        at[k] = part < 0 ? 0 : part > last ? last : part;
    }
}

static tdi_bind bind_of(const imprint *print, const int32_t at[3], const int weights[3]) {
    tdi_bind bind = {{0, 0, 0, 0}, {0, 0, 0, 0}};
    int count = 0;
    for (int k = 0; k < 3; k++) {
        uint32_t segment = (uint32_t)print->bones[at[k]].segment;
        if (count > 0 && bind.joint[count - 1] == segment) {
            bind.weight[count - 1] = (uint8_t)(bind.weight[count - 1] + weights[k]);
        } else if (weights[k] > 0) {
            bind.joint[count] = segment;
            bind.weight[count++] = (uint8_t)weights[k];
        }
    }
    return bind;
}

static td_vec3 carried(const bone *b, td_vec3 v) {
    return tdi_quat_rotate(b->turn, tdi_quat_rotate(tdi_quat_conj(b->rest_turn), v));
}

// a vertex of a row: x = sum of w_k (o_k + R_k Q_k^T (v - p_k)), with Q_k, p_k the pose at rest
static void bend_vertex(const imprint *print, td_real along, tdi_vertex *vertex) {
    int32_t at[3];
    int weights[3];
    tdi_vertex old = *vertex;
    weigh_along(print, along, at, weights);
    vertex->bind = bind_of(print, at, weights);
    vertex->position = vertex->normal = vertex->tangent = tdi_vec3(0, 0, 0);
    for (int k = 0; k < 3; k++) {
        const bone *b = &print->bones[at[k]];
        td_real weight = weights[k] / 255.0;
        td_vec3 place = tdi_add(b->at, carried(b, tdi_sub(old.position, b->rest_at)));
        vertex->position = tdi_madd(vertex->position, place, weight);
        vertex->normal = tdi_madd(vertex->normal, carried(b, old.normal), weight);
        vertex->tangent = tdi_madd(vertex->tangent, carried(b, old.tangent), weight);
    }
    vertex->normal = tdi_unit_or(vertex->normal, carried(&print->bones[at[1]], old.normal));
}

// `out` is bound to the first bone; a vertex of a row is bound anew
static void put_print(const imprint *print, const tdi_organ_vertex *vertex, tdi_vertex *out) {
    const bone *b = &print->bones[0];
    out->position = tdi_scale(vertex->position, print->size);
    out->u = vertex->u;
    out->v = vertex->v;
    out->color = shaded(print->tints[vertex->tint], vertex);
    if (print->parts > 1) {
        out->normal = vertex->normal;
        out->tangent = vertex->tangent;
        bend_vertex(print, vertex->along, out);
        return;
    }
    out->position = tdi_add(b->at, tdi_quat_rotate(b->turn, out->position));
    out->normal = tdi_quat_rotate(b->turn, vertex->normal);
    if (print->tangents) {
        out->tangent = tdi_quat_rotate(b->turn, vertex->tangent);
    }
}

static td_status stamp(tdi_skin *skin, const tdi_sheet *sheet, tdi_part_kind kind,
                       const imprint *print) {
    if (sheet->index_count == 0) {
        return TD_OK;
    }
    TDI_TRY(tdi_skin_reserve(skin, kind, sheet->vertex_count, sheet->index_count));
    uint32_t first = (uint32_t)skin->parts[kind].vertex_count;
    tdi_vertex vertex = {.bind = tdi_bind_to(print->bones[0].segment)};
    for (int64_t i = 0; i < sheet->vertex_count; i++) {
        put_print(print, &sheet->vertices[i], &vertex);
        tdi_skin_vertex(skin, kind, &vertex);
    }
    for (int64_t i = 0; i < sheet->index_count; i += 3) {
        const uint32_t *at = &sheet->indices[i];
        tdi_skin_triangle(skin, kind, first + at[0], first + at[1], first + at[2]);
    }
    return TD_OK;
}

static td_status stamp_organ(stamper *s, const td_shape *shape) {
    const td_segment *organ = &s->posed->segments[*s->where];
    td_real grown = growth(*s->where, organ->length, s->skin->tolerance);
    if (grown == 0) {
        return TD_OK;
    }
    s->bones[0] = bone_on(s->posed, *s->where, s->posed->origins[*s->where]);
    imprint print = {.size = grown * (shape->kind == TD_SHAPE_POLYGON ? 1 : organ->length),
                     .bones = s->bones,
                     .bone_count = shape->segments > 1 ? follow_row(s, shape) : 1,
                     .parts = shape->segments,
                     .tangents = s->skin->tangents};
    set_tints(s->posed, *s->where, shape, print.tints);
    td_status status = stamp(s->skin, &s->model.solid, solid_part(organ->organ), &print);
    return status == TD_OK ? stamp(s->skin, &s->model.lamina, lamina_part(organ->organ), &print)
                           : status;
}

static td_status add_organs(stamper *s) {
    td_status status = TD_OK;
    for (size_t m = 0; m + 2 < s->start_count && status == TD_OK; m++) {
        const td_shape *shape = &s->shapes[m / TDI_DETAIL_COUNT];
        int32_t from = s->starts[m], to = s->starts[m + 1];
        if (from < to) {
            *s->where = s->order[from];
            status =
                tdi_organ_build(&s->model, s->skeleton, shape, (tdi_detail)(m % TDI_DETAIL_COUNT));
        }
        for (int32_t i = from; i < to && status == TD_OK; i++) {
            *s->where = s->order[i];
            status = stamp_organ(s, shape);
        }
    }
    return status;
}

// ---- beads ----------------------------------------------------------------------------------

static td_status add_beads(tdi_skin *skin, const tdi_posed *posed, int32_t *where) {
    tdi_organ_model model = {.alloc = skin->alloc, .max_vertices = skin->max_vertices};
    int made = -1; // detail of the model
    for (int32_t i = 0; i < posed->count && model.status == TD_OK; i++) {
        const td_segment *segment = &posed->segments[i];
        if (segment->shape != TD_NONE || !(segment->bead > 0)) {
            continue;
        }
        *where = i;
        td_real size = 2 * segment->bead;
        // beads are what one looks at: as fine as the tolerance lets them be
        tdi_detail detail = detail_of(i, size, 0, skin->tolerance);
        if (made != (int)detail) {
            model.solid.vertex_count = model.solid.index_count = 0;
            tdi_organ_add_ball(&model, tdi_vec3(0, 0, 0), 1, 1, TDI_TINT_ORGAN, detail);
            made = (int)detail;
        }
        bone on = bone_on(posed, i, tdi_posed_tip(posed, i));
        imprint print = {
            .size = size, .bones = &on, .bone_count = 1, .parts = 1, .tangents = skin->tangents};
        print.tints[TDI_TINT_ORGAN] = tdi_rgb_linear(segment->color);
        if (model.status == TD_OK) {
            model.status = stamp(skin, &model.solid, TDI_PART_FRUIT, &print);
        }
    }
    tdi_organ_free(&model);
    return model.status;
}

// ---- entry ----------------------------------------------------------------------------------

td_status tdi_organs_add(tdi_skin *skin, const td_skeleton *skeleton, const tdi_posed *posed,
                         int32_t *where) {
    const td_alloc *alloc = skin->alloc;
    size_t count = (size_t)posed->count;
    stamper s = {.skin = skin,
                 .skeleton = skeleton,
                 .shapes = td_skeleton_shapes(skeleton),
                 .posed = posed,
                 .start_count = TDI_DETAIL_COUNT * (size_t)td_skeleton_shape_count(skeleton) + 2,
                 .model = {.alloc = alloc, .max_vertices = skin->max_vertices},
                 .where = where};
    s.order = tdi_alloc_zeroed(alloc, count, sizeof *s.order);
    s.next = tdi_alloc_zeroed(alloc, count, sizeof *s.next);
    s.starts = tdi_alloc_zeroed(alloc, s.start_count, sizeof *s.starts);
    td_status status = TD_ERR_MEMORY;
    if (s.order && s.next && s.starts) {
        sort_organs(&s);
        link_rows(&s);
        status = add_organs(&s);
    }
    tdi_organ_free(&s.model);
    tdi_alloc_free(alloc, s.order, count * sizeof *s.order);
    tdi_alloc_free(alloc, s.next, count * sizeof *s.next);
    tdi_alloc_free(alloc, s.starts, s.start_count * sizeof *s.starts);
    return status == TD_OK ? add_beads(skin, posed, where) : status;
}
