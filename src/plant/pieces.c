// SPDX-License-Identifier: MIT
// What the turtle draws, as pieces: stems, surfaces, balls, discs, polygons and patches in m and
// world axes.
//
// Method   a sink of the turtle's walk. Polygons wait in a run until something else is drawn, since
//          those that share an edge become one organ; all else goes on at once.

#include "plant/plant.h"

#include "base/diag.h"
#include "math/quat.h"
#include "plant/polygon_run.h"
#include "plant/shape.h"

// radius of a stem whose width was never set, over its length
#define SLENDER 0.02
// m: beyond it a place is taken for a fault of the model
#define SPACE_MAX 1e9
// a polygon with less area than this, over its size squared, is a line
#define FLAT_AREA 1e-12

typedef struct walker {
    const tdi_plant_header *header;
    const tdi_piece_sink *sink;
    const td_alloc *alloc;
    tdi_polygon_run run;
    td_vec3 *local; // corners of one organ, in its axes
    int64_t local_capacity;
    int32_t *counts;
    int64_t count_capacity;
} walker;

// ---- places ---------------------------------------------------------------------------------

static td_quat frame_of(const tdi_turtle *t) {
    return tdi_quat_from_axes(tdi_scale(t->left, -1), t->heading, t->up);
}

static td_vec3 place_of(const walker *w, const tdi_turtle *t) {
    return tdi_scale(t->position, w->header->body->length_unit);
}

static bool in_space(td_vec3 v) {
    return fabs(v.x) <= SPACE_MAX && fabs(v.y) <= SPACE_MAX && fabs(v.z) <= SPACE_MAX;
}

static td_status refuse_place(int64_t module, td_diag *diag) {
    return tdi_fail_at(diag, TD_ERR_STRUCTURE, module,
                       "module %lld is drawn more than 1e9 m away from the origin",
                       (long long)module);
}

// what all pieces take from the turtle
static tdi_piece piece_at(const walker *w, const tdi_turtle *t, int64_t module) {
    tdi_piece piece = {
        .module = module,
        .parent = t->mark,
        .origin = place_of(w, t),
        .rotation = frame_of(t),
        .material = tdi_turtle_material(t->material),
        .surface = TD_NONE,
        .contour = TD_NONE,
        .color = t->color == TD_NONE ? TD_NONE : tdi_palette_color(w->header, t->color),
    };
    return piece;
}

static td_status hand_on(const walker *w, const tdi_piece *piece, int32_t *mark, td_diag *diag) {
    td_vec3 end = tdi_add(piece->origin, tdi_quat_rotate(piece->rotation, piece->tip));
    if (!in_space(piece->origin) || !in_space(end)) {
        return refuse_place(piece->module, diag);
    }
    return w->sink->take(w->sink->context, piece, mark, diag);
}

// ---- polygons -------------------------------------------------------------------------------

td_shape tdi_outline_shape(td_shape_kind kind, const td_material *material) {
    td_shape shape = td_shape_default();
    shape.kind = kind;
    shape.stalk = 0;
    shape.color = material->color;
    return shape;
}

// a lamina needs a material with a thickness
static int32_t lamina_material(const walker *w, int32_t material) {
    return w->header->materials[material].thickness > 0 ? material : w->header->leaf;
}

static td_organ lamina_organ(const walker *w, int32_t material) {
    td_organ organ = w->header->materials[material].organ;
    return organ == TD_ORGAN_STEM ? TD_ORGAN_LEAF : organ;
}

// corners and counts of the organ whose first polygon is `head`, about `joint`, in the axes of that
// polygon
static td_status gather(walker *w, int32_t head, td_vec3 joint, int32_t *polygon_count,
                        td_vec3 *far) {
    const tdi_run_polygon *all = w->run.polygons;
    int64_t corners = 0, polygons = 0;
    for (int32_t i = head; i != TD_NONE; i = all[i].next) {
        corners += all[i].count;
        polygons++;
    }
    td_vec3 *local =
        tdi_array_reserve(w->alloc, w->local, &w->local_capacity, corners, sizeof *local);
    w->local = local ? local : w->local;
    int32_t *counts =
        tdi_array_reserve(w->alloc, w->counts, &w->count_capacity, polygons, sizeof *counts);
    w->counts = counts ? counts : w->counts;
    if (!local || !counts) {
        return TD_ERR_MEMORY;
    }
    td_quat back = tdi_quat_conj(all[head].rotation);
    int64_t next = 0;
    *polygon_count = 0;
    *far = tdi_vec3(0, 0, 0);
    for (int32_t i = head; i != TD_NONE; i = all[i].next) {
        w->counts[(*polygon_count)++] = all[i].count;
        for (int32_t k = 0; k < all[i].count; k++) {
            td_vec3 corner = w->run.points[all[i].first + k];
            td_vec3 own = tdi_quat_rotate(back, tdi_sub(corner, joint));
            *far = tdi_norm(own) > tdi_norm(*far) ? own : *far;
            w->local[next++] = own;
        }
    }
    return TD_OK;
}

static td_status hand_on_organ(walker *w, int32_t head, td_diag *diag) {
    const tdi_run_polygon *p = &w->run.polygons[head];
    td_vec3 joint = tdi_run_joint(&w->run, head);
    int32_t polygon_count;
    td_vec3 far;
    if (gather(w, head, joint, &polygon_count, &far) != TD_OK) {
        return tdi_fail(diag, TD_ERR_MEMORY, "out of memory for the polygons");
    }
    tdi_piece piece = {
        .module = p->module,
        .parent = w->run.parent,
        .origin = joint,
        .rotation = p->rotation,
        .length = tdi_norm(far),
        .organ = lamina_organ(w, p->material),
        .material = p->material,
        .surface = TD_NONE,
        .contour = TD_NONE,
        .color = p->color,
        .tip = far,
        .points = w->local,
        .counts = w->counts,
        .polygon_count = polygon_count,
    };
    return hand_on(w, &piece, NULL, diag);
}

static td_status flush(walker *w, td_diag *diag) {
    td_status status = TD_OK;
    if (w->run.polygon_count > 0 && tdi_run_group(&w->run) != TD_OK) {
        status = tdi_fail(diag, TD_ERR_MEMORY, "out of memory for the polygons");
    }
    for (int32_t i = 0; i < w->run.polygon_count && status == TD_OK; i++) {
        if (w->run.polygons[i].organ == i) {
            status = hand_on_organ(w, i, diag);
        }
    }
    tdi_run_clear(&w->run);
    return status;
}

// scales the newest corners of the run to m and drops the polygon again if it has no area
static td_status settle_polygon(walker *w, int64_t module, td_diag *diag) {
    tdi_run_polygon *p = &w->run.polygons[w->run.polygon_count - 1];
    td_vec3 *corners = w->run.points + p->first;
    td_real unit = w->header->body->length_unit;
    for (int32_t i = 0; i < p->count; i++) {
        corners[i] = tdi_scale(corners[i], unit);
        if (!in_space(corners[i])) {
            return refuse_place(module, diag);
        }
    }
    p->size *= unit;
    // about its first corner, where rounding is least
    td_vec3 at = corners[0];
    for (int32_t i = 0; i < p->count; i++) {
        corners[i] = tdi_sub(corners[i], at);
    }
    bool flat = !(tdi_moments_polygon(corners, p->count).zeroth > FLAT_AREA * p->size * p->size);
    for (int32_t i = 0; i < p->count; i++) {
        corners[i] = tdi_add(corners[i], at);
    }
    if (flat) {
        w->run.point_count = p->first;
        w->run.polygon_count--;
    }
    return TD_OK;
}

static td_status take_polygon(void *context, const tdi_turtle *open, const td_vec3 *points,
                              int32_t count, int64_t module, td_diag *diag) {
    walker *w = context;
    td_status status = TD_OK;
    if (w->run.parent != open->mark || !tdi_run_has_room(&w->run, count)) {
        status = flush(w, diag);
    }
    if (status != TD_OK) {
        return status;
    }
    w->run.parent = open->mark;
    tdi_piece at = piece_at(w, open, module);
    tdi_run_polygon polygon = {
        .origin = at.origin,
        .rotation = at.rotation,
        .module = module,
        .color = at.color,
        .material = lamina_material(w, at.material),
    };
    if (tdi_run_add(&w->run, &polygon, points, count) != TD_OK) {
        return tdi_fail(diag, TD_ERR_MEMORY, "out of memory for the polygons");
    }
    return settle_polygon(w, module, diag);
}

// ---- patches --------------------------------------------------------------------------------

// held where the turtle stood at its start; a patch without an area is not drawn
static td_status take_patch(void *context, const tdi_turtle *open,
                            const td_vec3 points[TDI_PATCH_POINTS], int64_t module, td_diag *diag) {
    walker *w = context;
    td_vec3 local[TDI_PATCH_POINTS];
    TDI_TRY(flush(w, diag));
    tdi_piece piece = piece_at(w, open, module);
    td_quat back = tdi_quat_conj(piece.rotation);
    for (int32_t i = 0; i < TDI_PATCH_POINTS; i++) {
        td_vec3 place = tdi_scale(points[i], w->header->body->length_unit);
        local[i] = tdi_quat_rotate(back, tdi_sub(place, piece.origin));
        piece.tip = tdi_norm(local[i]) > tdi_norm(piece.tip) ? local[i] : piece.tip;
    }
    piece.length = tdi_norm(piece.tip);
    for (int32_t i = 0; i < TDI_PATCH_POINTS && piece.length > 0; i++) {
        local[i] = tdi_scale(local[i], 1 / piece.length);
    }
    piece.stretch = tdi_vec3(1, 1, 1);
    if (!(tdi_moments_patches(local, 1, piece.stretch).zeroth > FLAT_AREA)) {
        return TD_OK;
    }
    piece.material = lamina_material(w, piece.material);
    piece.organ = lamina_organ(w, piece.material);
    piece.points = local;
    piece.polygon_count = 1;
    piece.patch = true;
    return hand_on(w, &piece, NULL, diag);
}

// ---- stems ----------------------------------------------------------------------------------

static td_status take_segment(void *context, tdi_turtle *at, td_real length, td_real width_end,
                              int64_t module, td_diag *diag) {
    walker *w = context;
    TDI_TRY(flush(w, diag));
    const tdi_body_header *body = w->header->body;
    tdi_piece piece = piece_at(w, at, module);
    piece.organ = TD_ORGAN_STEM;
    piece.contour = at->contour;
    piece.drawn = length;
    piece.length = length * body->length_unit;
    piece.tip = tdi_vec3(0, piece.length, 0);
    if (at->width > 0) {
        piece.radius_base = at->width * body->width_unit / 2;
        piece.radius_tip = width_end > 0 ? width_end * body->width_unit / 2 : 0;
    } else {
        piece.radius_base = SLENDER * piece.length;
        piece.radius_tip = piece.radius_base;
    }
    return hand_on(w, &piece, &at->mark, diag);
}

// ---- surfaces, balls and discs --------------------------------------------------------------

// a blade that bends: a row of parts along its midrib
static td_status hand_on_parts(const walker *w, const tdi_piece *whole, const td_shape *shape,
                               td_diag *diag) {
    td_status status = TD_OK;
    int32_t mark = whole->parent;
    for (int32_t k = 0; k < shape->segments && status == TD_OK; k++) {
        tdi_blade_part part = tdi_blade_part_at(shape, k);
        tdi_piece piece = *whole;
        td_vec3 from = tdi_scale(part.origin, whole->length);
        piece.part = k;
        piece.parent = mark;
        piece.origin = tdi_add(whole->origin, tdi_quat_rotate(whole->rotation, from));
        piece.rotation = tdi_quat_mul(whole->rotation, part.turn);
        piece.tip = tdi_vec3(0, part.length * whole->length, 0);
        status = hand_on(w, &piece, &mark, diag);
    }
    return status;
}

static td_status take_surface(void *context, const tdi_turtle *at, int32_t surface, td_vec3 size,
                              int64_t module, td_diag *diag) {
    walker *w = context;
    td_status status = flush(w, diag);
    if (status != TD_OK || !(size.y > 0)) {
        return status;
    }
    const tdi_surface *s = &w->header->surfaces[surface];
    tdi_piece piece = piece_at(w, at, module);
    piece.organ = s->organ;
    piece.material = s->material;
    piece.surface = surface;
    piece.length = size.y * w->header->body->length_unit;
    piece.tip = tdi_shape_tip(&s->shape, piece.length);
    piece.color = s->has_color ? TD_NONE : piece.color;
    if (s->patches) {
        td_vec3 far = s->patches->far;
        piece.stretch = tdi_vec3(size.x / size.y, 1, size.z / size.y);
        piece.length *= s->patches->reach;
        piece.tip = tdi_vec3(far.x * piece.stretch.x * piece.length, far.y * piece.length,
                             far.z * piece.stretch.z * piece.length);
    }
    return s->shape.segments > 1 ? hand_on_parts(w, &piece, &s->shape, diag)
                                 : hand_on(w, &piece, NULL, diag);
}

// A ball's joint is where its lowest point is, so that its centre is the turtle's place.
static td_status take_ball(void *context, const tdi_turtle *at, bool disc, td_real diameter,
                           int64_t module, td_diag *diag) {
    walker *w = context;
    td_status status = flush(w, diag);
    if (status != TD_OK || !(diameter > 0)) {
        return status;
    }
    tdi_piece piece = piece_at(w, at, module);
    piece.surface = disc ? w->header->disc : w->header->ball;
    piece.length = diameter * w->header->body->length_unit;
    piece.tip = tdi_shape_tip(&w->header->surfaces[piece.surface].shape, piece.length);
    if (disc) {
        piece.material = lamina_material(w, piece.material);
        piece.organ = lamina_organ(w, piece.material);
    } else {
        bool stem = w->header->materials[piece.material].organ == TD_ORGAN_STEM;
        piece.material = stem ? w->header->fruit : piece.material;
        piece.organ = w->header->materials[piece.material].organ;
        piece.origin = tdi_madd(piece.origin, at->heading, -piece.length / 2);
    }
    if (piece.color == TD_NONE) {
        piece.color = w->header->materials[piece.material].color;
    }
    return hand_on(w, &piece, NULL, diag);
}

// ---- entry ----------------------------------------------------------------------------------

td_status tdi_pieces_walk(const td_grammar *grammar, const td_string *string,
                          const tdi_plant_header *header, const tdi_piece_sink *sink,
                          const td_alloc *alloc, td_diag *diag) {
    walker w = {.header = header, .sink = sink, .alloc = alloc};
    w.run.alloc = alloc;
    tdi_turtle_sink turtle = {&w, take_segment, take_polygon, take_surface, take_ball, take_patch};
    td_status status = tdi_turtle_walk(grammar, string, &turtle, alloc, diag);
    status = status == TD_OK ? flush(&w, diag) : status;
    tdi_run_free(&w.run);
    tdi_alloc_free(alloc, w.local, (size_t)w.local_capacity * sizeof *w.local);
    tdi_alloc_free(alloc, w.counts, (size_t)w.count_capacity * sizeof *w.counts);
    return status;
}
