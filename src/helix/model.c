// SPDX-License-Identifier: MIT
// Models of helices: memory, and from elements.

#include "helix/model.h"

#include "base/guard.h"
#include "base/opts.h"
#include "base/range.h"
#include "contact/contact.h"
#include "load/drag.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define PI     3.14159265358979323846
#define TURNS  100  // of an element: more are refused
#define COARSE 1e-6 // of a turn that is not a unit quaternion

// ---- memory ---------------------------------------------------------------------------------

static void lay_out(tdi_helix_model *m, const tdi_helix_counts *z, tdi_layout *l) {
    tdi_layout_place(l, 1, sizeof *m);
    m->element = tdi_layout_place(l, (size_t)z->elements, sizeof *m->element);
    m->station = tdi_layout_place(l, (size_t)z->stations, sizeof *m->station);
    m->vane = tdi_layout_place(l, (size_t)z->vanes, sizeof *m->vane);
    m->rider = tdi_layout_place(l, (size_t)z->riders, sizeof *m->rider);
    m->capsule = tdi_layout_place(l, (size_t)z->capsules, sizeof *m->capsule);
    m->head.parameters = m->element;
    m->head.parameter_bytes = l->base ? l->used - (size_t)((char *)m->element - l->base) : 0;
}

static tdi_helix_counts counts_of(const tdi_helix_model *m) {
    return (tdi_helix_counts){m->element_count, m->station_count, m->vane_count, m->rider_count,
                              m->capsule_count};
}

tdi_helix_model *tdi_helix_model_alloc(const tdi_helix_counts *counts, const td_alloc *alloc,
                                       td_diag *diag) {
    tdi_helix_model sizes;
    tdi_layout layout = {NULL, 0};
    lay_out(&sizes, counts, &layout);
    tdi_helix_model *m = tdi_model_new(&tdi_solver_helix, alloc, layout.used, diag);
    if (m) {
        layout = (tdi_layout){(char *)m, 0};
        lay_out(m, counts, &layout);
        m->element_count = m->head.element_count = counts->elements;
        m->station_count = counts->stations;
        m->vane_count = counts->vanes;
        m->rider_count = m->head.segment_count = counts->riders;
        m->capsule_count = counts->capsules;
    }
    return m;
}

td_status tdi_helix_model_copy(const tdi_helix_model *model, const td_alloc *alloc,
                               tdi_helix_model **out, td_diag *diag) {
    const tdi_helix_counts counts = counts_of(model);
    tdi_helix_model *m = *out = tdi_helix_model_alloc(&counts, alloc, diag);
    TDI_TRY(m ? TD_OK : TD_ERR_MEMORY);
    m->head.dof_count = model->head.dof_count;
    memcpy(m->element, model->element, model->head.parameter_bytes);
    return TD_OK;
}

void tdi_helix_model_finish(tdi_helix_model *m) {
    m->head.dof_count = 0;
    for (int32_t i = 0; i < m->element_count; i++) {
        tdi_helix_element *e = &m->element[i];
        const bool root = e->parent == TD_NONE;
        m->head.dof_count += 3 + (!root                      ? 0
                                  : e->root == TD_END_FREE   ? 6
                                  : e->root == TD_END_PINNED ? 3
                                                             : 0);
        e->mass = 0;
        for (int32_t k = e->station_first; k < e->station_first + e->station_count; k++) {
            e->mass += m->station[k].mass;
        }
    }
}

// ---- riders ---------------------------------------------------------------------------------

// What stretches along the element rides at its own arc length: at `y` along a stem that is s, and
// its offset goes over from that of the joint to that of the tip. What rides rigidly is turned.
tdi_helix_point tdi_helix_point_of(const tdi_helix_model *m, int32_t segment, td_vec3 point) {
    const tdi_helix_rider *r = &m->rider[segment];
    tdi_helix_point p = {.element = r->element, .segment = segment, .s = r->from};
    if (r->from == r->to) {
        p.offset = tdi_add(r->start, tdi_quat_rotate(r->turn, point));
        return p;
    }
    const td_real part = fmin(fmax(point.y / r->length, 0), 1);
    const td_vec3 beside = tdi_vec3(point.x, point.y - part * r->length, point.z);
    p.s = r->from + part * (r->to - r->from);
    p.offset = tdi_add(tdi_scale(r->start, 1 - part), tdi_scale(r->end, part));
    p.offset = tdi_add(p.offset, tdi_quat_rotate(r->turn, beside));
    return p;
}

// ---- checks ---------------------------------------------------------------------------------

td_helix_element td_helix_element_default(void) {
    td_helix_element e = {.struct_size = sizeof e,
                          .parent = TD_NONE,
                          .at = 1,
                          .turn = {1, 0, 0, 0},
                          .root = TD_END_CLAMPED,
                          .length = 0.1,
                          .radius_base = 0.0025,
                          .radius_tip = 0.0025,
                          .flat = 1,
                          .density = 1000,
                          .young = 1e7,
                          .poisson = 0.5};
    return e;
}

static td_status check_numbers(const td_helix_element *e, int32_t i, td_diag *diag) {
    const tdi_range ranges[] = {TDI_BETWEEN("parent", NULL, e->parent, TD_NONE, i - 1),
                                TDI_BETWEEN("at", NULL, e->at, 0, 1),
                                TDI_FINITE3("place", "m", e->place),
                                TDI_ABOVE_0("length", "m", e->length),
                                TDI_ABOVE_0("radius_base", "m", e->radius_base),
                                TDI_ABOVE_0("radius_tip", "m", e->radius_tip),
                                TDI_ABOVE_0("flat", NULL, e->flat),
                                TDI_FINITE3("rest", "1/m", e->rest),
                                TDI_FINITE3("start", "1/m", e->start),
                                TDI_ABOVE_0("density", "kg/m^3", e->density),
                                TDI_ABOVE_0("young", "Pa", e->young),
                                TDI_FROM_0("shear", "Pa", e->shear),
                                {"poisson", NULL, e->poisson, -1, 0.5, true},
                                TDI_FROM_0("damping_time", "s", e->damping_time),
                                TDI_FROM_0("bend_x", "N m^2", e->bend_x),
                                TDI_FROM_0("bend_z", "N m^2", e->bend_z),
                                TDI_FROM_0("twist_y", "N m^2", e->twist_y),
                                TDI_FROM_0("mass", "kg/m", e->mass)};
    char of[32];
    snprintf(of, sizeof of, "element %d", (int)i);
    return tdi_check_ranges(ranges, sizeof ranges / sizeof *ranges, of, i, diag);
}

static td_status check_turns(const td_helix_element *e, int32_t i, td_diag *diag) {
    const td_vec3 shapes[2] = {e->rest, e->start};
    for (int k = 0; k < 2; k++) {
        const td_real turns = tdi_norm(shapes[k]) * e->length / (2 * PI);
        if (!(turns <= TURNS)) {
            return tdi_fail_at(diag, TD_ERR_ARGUMENT, i,
                               "element %d: %s makes %.6g turns over its length; it must be at "
                               "most %d: cut it into more elements",
                               (int)i, k ? "start" : "rest", turns, TURNS);
        }
    }
    return TD_OK;
}

static td_status check_element(const td_helix_element *e, int32_t i, td_diag *diag) {
    if (e->struct_size != sizeof *e) { // another than the first
        return tdi_fail_at(diag, TD_ERR_DEF, i,
                           "element %d: struct_size is wrong; start from "
                           "td_helix_element_default()",
                           (int)i);
    }
    td_status status = check_numbers(e, i, diag);
    status = status == TD_OK ? check_turns(e, i, diag) : status;
    if (status == TD_OK && !(fabs(tdi_quat_norm(e->turn) - 1) <= COARSE)) {
        return tdi_fail_at(diag, TD_ERR_ARGUMENT, i,
                           "element %d: turn has the length %g; it must be a unit quaternion",
                           (int)i, tdi_quat_norm(e->turn));
    }
    if (status == TD_OK && (e->root < TD_END_FREE || e->root > TD_END_CLAMPED)) {
        return tdi_fail_at(diag, TD_ERR_ARGUMENT, i,
                           "element %d: root is %d; it must be one of td_end_kind", (int)i,
                           (int)e->root);
    }
    return status;
}

static td_status check_all(const td_helix_element *elements, int32_t count, td_diag *diag) {
    if (count < 1 || !elements) {
        return tdi_fail(diag, TD_ERR_ARGUMENT,
                        "there are no elements: count is %d; it must be at least 1", (int)count);
    }
    td_status status = TD_OK;
    for (int32_t i = 0; i < count && status == TD_OK; i++) {
        status = check_element(&elements[i], i, diag);
    }
    return status;
}

// ---- elements -------------------------------------------------------------------------------

static int32_t points_of(const td_helix_element *e) {
    return tdi_helix_gauss_count(e->length * fmax(tdi_norm(e->rest), tdi_norm(e->start)));
}

static td_real radius_at(const td_helix_element *e, td_real t) {
    return e->radius_base + t * (e->radius_tip - e->radius_base);
}

static td_real given(td_real value, td_real otherwise) {
    return value > 0 ? value : otherwise;
}

// Of an ellipse with half axes a along X and b = flat a along Z: A = pi a b, I about X is
// pi/4 a b^3, about Z pi/4 a^3 b, and the torsion constant pi a^3 b^3/(a^2 + b^2). All of these
// go with a^4, whose mean along a cone is (a0^4 + a0^3 a1 + a0^2 a1^2 + a0 a1^3 + a1^4)/5.
static td_vec3 stiffness_of(const td_helix_element *e) {
    const td_real a = e->radius_base, b = e->radius_tip, f = e->flat;
    const td_real fourth =
        (a * a * a * a + a * a * a * b + a * a * b * b + a * b * b * b + b * b * b * b) / 5;
    const td_real shear = e->shear > 0 ? e->shear : e->young / (2 * (1 + e->poisson));
    const td_vec3 mean = {given(e->bend_x, e->young * PI / 4 * fourth * f * f * f),
                          given(e->twist_y, shear * PI * fourth * f * f * f / (1 + f * f)),
                          given(e->bend_z, e->young * PI / 4 * fourth * f)};
    return tdi_scale(mean, e->length);
}

// A slice of thickness w: mass m = w rho A, and about its middle m a^2/4 along X, m b^2/4 along Z.
// A mass that was given is spread as the section is.
static tdi_helix_station slice_of(const td_helix_element *e, int32_t i, td_real t, td_real weight) {
    const td_real r = radius_at(e, t), z = e->flat * r;
    const td_real mean =
        (e->radius_base * (e->radius_base + e->radius_tip) + e->radius_tip * e->radius_tip) / 3;
    const td_real line = e->mass > 0 ? e->mass * r * r / mean : e->density * PI * r * z;
    const td_real m = weight * e->length * line;
    return (tdi_helix_station){.element = i,
                               .s = t * e->length,
                               .mass = m,
                               .second = tdi_sym3_diagonal(m * r * r / 4, 0, m * z * z / 4)};
}

static tdi_helix_vane vane_of(const td_helix_element *e, int32_t i, td_real t, td_real weight) {
    const td_real r = radius_at(e, t), length = weight * e->length;
    return (tdi_helix_vane){.point = {.element = i, .segment = i, .s = t * e->length},
                            .turn = tdi_quat_identity(),
                            .area = tdi_vec3(2 * r * e->flat * length,
                                             TDI_RUBBED * 2 * r * fmax(1, e->flat) * length,
                                             2 * r * length)};
}

static void make_slices(tdi_helix_model *m, const td_helix_element *e, int32_t i, td_real *room) {
    tdi_helix_element *to = &m->element[i];
    const int32_t n = to->station_count;
    td_real *points = room, *weights = room + n;
    tdi_helix_gauss(n, points, weights);
    for (int32_t k = 0; k < n; k++) {
        m->station[to->station_first + k] = slice_of(e, i, points[k], weights[k]);
        m->vane[to->vane_first + k] = vane_of(e, i, points[k], weights[k]);
    }
}

static void make_element(tdi_helix_model *m, const td_helix_element *e, int32_t i, int32_t first) {
    const bool root = e->parent == TD_NONE;
    const td_vec3 k = stiffness_of(e);
    const int32_t n = points_of(e);
    m->element[i] = (tdi_helix_element){
        .parent = e->parent,
        .root = root ? e->root : TD_END_CLAMPED,
        .at = root ? 0 : e->at * m->element[e->parent].length,
        .place = e->place,
        .turn = tdi_mat3_from_quat(tdi_quat_unit(e->turn)),
        .length = e->length,
        .rest = e->rest,
        .start = e->start,
        .stiffness = k,
        .friction = tdi_scale(k, e->damping_time),
        .station_first = first,
        .station_count = n,
        .vane_first = first,
        .vane_count = n,
    };
}

// The capsule of an element goes from its start to its end: one that turns by much does not touch
// as it is drawn. What is held touches nothing near where it is held.
static void make_rider(tdi_helix_model *m, const td_helix_element *e, int32_t i) {
    const td_real radius = 0.5 * (e->radius_base + e->radius_tip) * fmax(1, e->flat);
    const bool held = e->parent == TD_NONE && e->root != TD_END_FREE;
    const td_real from = held ? fmin(TDI_BASE_CLEARANCE * radius, 0.5 * e->length) : 0;
    m->rider[i] = (tdi_helix_rider){.element = i,
                                    .capsule = i,
                                    .to = e->length,
                                    .turn = tdi_quat_identity(),
                                    .length = e->length};
    m->capsule[i] = (tdi_helix_capsule){.end = {{.element = i, .segment = i, .s = from},
                                                {.element = i, .segment = i, .s = e->length}},
                                        .radius = radius};
}

// Of elements in our width.
static td_status make_model(const td_helix_element *elements, int32_t count, const td_alloc *alloc,
                            tdi_helix_model **out, td_diag *diag) {
    TDI_TRY(check_all(elements, count, diag));
    int64_t slices = 0;
    int32_t most = 0;
    for (int32_t i = 0; i < count; i++) {
        const int32_t n = points_of(&elements[i]);
        slices += n;
        most = n > most ? n : most;
    }
    if (slices > INT32_MAX) {
        return tdi_fail(diag, TD_ERR_LIMIT, "there are too many elements: %d", (int)count);
    }
    const tdi_helix_counts counts = {count, (int32_t)slices, (int32_t)slices, count, count};
    td_real *room = tdi_alloc_zeroed(alloc, 2 * (size_t)most, sizeof *room);
    tdi_helix_model *m = room ? tdi_helix_model_alloc(&counts, alloc, diag)
                              : (tdi_fail(diag, TD_ERR_MEMORY, "out of memory"), NULL);
    for (int32_t i = 0, first = 0; m && i < count; i++) {
        make_element(m, &elements[i], i, first);
        make_slices(m, &elements[i], i, room);
        make_rider(m, &elements[i], i);
        first += m->element[i].station_count;
    }
    tdi_alloc_free(alloc, room, 2 * (size_t)most * sizeof *room);
    TDI_TRY(m ? TD_OK : TD_ERR_MEMORY);
    tdi_helix_model_finish(m);
    if (TDI_ASSERTS) {
        tdi_helix_model_validate(m);
    }
    *out = m;
    return TD_OK;
}

td_status td_helix_model_new(const td_helix_element *elements, int32_t count, const td_alloc *alloc,
                             td_body_model **out, td_diag *diag) {
    tdi_helix_model *made = NULL;
    TDI_CLEAR(out);
    TDI_REFUSE_IF(!out);
    const td_helix_element defaults = td_helix_element_default();
    tdi_widened widened;
    td_status status =
        tdi_opts_widen("td_helix_element", &defaults, elements, count, alloc, &widened, diag);
    if (status == TD_OK) {
        status = make_model(widened.items, count, alloc, &made, diag);
        tdi_opts_widen_free(&widened);
        *out = (td_body_model *)made;
    }
    return status;
}
