// SPDX-License-Identifier: MIT
// States: memory, the pose as drawn, reading and setting.

#include "helix/state.h"

#include "base/guard.h"

#include "helix/implicit.h"
#include "helix/capsules.h"
#include "helix/points.h"

#include <string.h>

// ---- memory ---------------------------------------------------------------------------------

static void lay_out_pose(tdi_helix_pose *p, tdi_layout *l, const tdi_helix_model *m, size_t roots,
                         bool frames) {
    p->u = tdi_layout_place(l, (size_t)m->element_count, sizeof *p->u);
    p->root = tdi_layout_place(l, roots, sizeof *p->root);
    p->start = frames ? tdi_layout_place(l, (size_t)m->element_count, sizeof *p->start) : NULL;
}

static void lay_out(tdi_helix_state *s, tdi_layout *l, const tdi_helix_model *m, size_t roots) {
    const size_t n = (size_t)m->element_count, stations = (size_t)m->station_count;
    l->used = 0;
    tdi_layout_place(l, 1, sizeof *s);
    s->now = tdi_layout_place(l, 1, sizeof *s->now);
    lay_out_pose(&s->pose, l, m, roots, true);
    lay_out_pose(&s->back, l, m, roots, true);
    lay_out_pose(&s->began, l, m, roots, true);
    lay_out_pose(&s->kept, l, m, roots, false);
    s->root_place = tdi_layout_place(l, n, sizeof *s->root_place);
    s->rate = tdi_layout_place(l, n, sizeof *s->rate);
    s->root_rate = tdi_layout_place(l, roots, sizeof *s->root_rate);
    s->twist = tdi_layout_place(l, n, sizeof *s->twist);
    s->past = tdi_layout_place(l, stations, sizeof *s->past);
    s->history = tdi_layout_place(l, stations, sizeof *s->history);
    s->predictor = tdi_layout_place(l, stations, sizeof *s->predictor);
    s->u_history = tdi_layout_place(l, n, sizeof *s->u_history);
    s->history_one = tdi_layout_place(l, stations, sizeof *s->history);
    s->predictor_one = tdi_layout_place(l, stations, sizeof *s->predictor);
    s->vane = tdi_layout_place(l, (size_t)m->vane_count, sizeof *s->vane);
    s->node = tdi_layout_place(l, n, sizeof *s->node);
    s->levers = tdi_layout_place(l, n, sizeof *s->levers);
    s->pivot = tdi_layout_place(l, roots, sizeof *s->pivot);
    s->end = tdi_layout_place(l, 2 * (size_t)m->capsule_count, sizeof *s->end);
    s->drawn = tdi_layout_place(l, 2 * (size_t)m->capsule_count, sizeof *s->drawn);
}

static int32_t count_roots(const tdi_helix_model *m) {
    int32_t roots = 0;
    for (int32_t i = 0; i < m->element_count; i++) {
        roots += m->element[i].parent == TD_NONE;
    }
    return roots;
}

static bool is_slice(const tdi_helix_station *k) {
    return k->moment.x == 0 && k->moment.y == 0 && k->moment.z == 0 && k->second.yy == 0 &&
           k->second.xy == 0 && k->second.xz == 0 && k->second.yz == 0;
}

td_status tdi_helix_state_new(const tdi_helix_model *model, const td_alloc *alloc,
                              tdi_helix_state **out, td_diag *diag) {
    *out = NULL;
    tdi_helix_state sizes;
    tdi_layout l = {NULL, 0};
    const int32_t roots = count_roots(model);
    lay_out(&sizes, &l, model, (size_t)roots);
    tdi_helix_state *s = tdi_body_new(&tdi_solver_helix, model, alloc, l.used, 0, diag);
    TDI_TRY(s ? TD_OK : TD_ERR_MEMORY);
    l.base = (char *)s;
    lay_out(s, &l, model, (size_t)roots);
    s->model = model;
    s->slices = true;
    for (int32_t k = 0; k < model->station_count; k++) {
        s->slices = s->slices && is_slice(&model->station[k]);
    }
    for (int32_t i = 0; i < model->element_count; i++) {
        const bool root = model->element[i].parent == TD_NONE;
        s->root_place[i] = root ? s->root_count++ : TD_NONE;
    }
    s->head.segment_count = model->rider_count;
    s->head.point_count = 2 * model->capsule_count;
    s->head.capsule_count = model->capsule_count;
    s->head.mass = tdi_helix_mass(model);
    tdi_helix_put_base(s, &s->head.base);
    tdi_helix_reset(s);
    tdi_helix_note_drawn(s);
    *out = s;
    return TD_OK;
}

// ---- the pose as drawn ----------------------------------------------------------------------

void tdi_helix_reset(tdi_helix_state *s) {
    const tdi_helix_model *m = s->model;
    const tdi_helix_place *base = &s->pose.base;
    for (int32_t i = 0; i < m->element_count; i++) {
        const tdi_helix_element *e = &m->element[i];
        s->pose.u[i] = e->start;
        s->rate[i] = tdi_vec3(0, 0, 0);
        if (e->parent == TD_NONE) {
            const tdi_mat3 r = tdi_mat3_mul(&base->r, &e->turn);
            s->pose.root[s->root_place[i]] =
                (tdi_helix_root){tdi_add(base->o, tdi_mat3_apply(&base->r, e->place)),
                                 tdi_quat_from_axes(tdi_mat3_column(&r, 0), tdi_mat3_column(&r, 1),
                                                    tdi_mat3_column(&r, 2))};
            s->root_rate[s->root_place[i]] = (tdi_rate){{0, 0, 0}, {0, 0, 0}};
        }
    }
    tdi_helix_changed(s);
}

void tdi_helix_changed(tdi_helix_state *s) {
    s->head.known = 0;
    tdi_helix_update(s);
}

// ---- reading and setting --------------------------------------------------------------------

void td_helix_curvatures(const td_body *body, td_vec3 *curvatures, td_vec3 *rates) {
    const tdi_helix_state *s = tdi_as_helix(body);
    if (!s) {
        return;
    }
    const size_t bytes = (size_t)s->model->element_count * sizeof *curvatures;
    if (curvatures) {
        memcpy(curvatures, s->pose.u, bytes);
    }
    if (rates) {
        memcpy(rates, s->rate, bytes);
    }
}

td_status td_helix_set_curvatures(td_body *body, const td_vec3 *curvatures, const td_vec3 *rates,
                                  td_diag *diag) {
    tdi_helix_state *s = tdi_as_helix(body);
    TDI_REFUSE_IF(!s);
    const size_t bytes = (size_t)s->model->element_count * sizeof *curvatures;
    if (curvatures) {
        memcpy(s->pose.u, curvatures, bytes);
    }
    if (rates) {
        memcpy(s->rate, rates, bytes);
    }
    s->head.moved = 1;
    tdi_helix_changed(s);
    return TD_OK;
}

td_vec3 td_helix_place(const td_body *body, int32_t element, td_real at) {
    const tdi_helix_state *s = tdi_as_helix(body);
    if (!s || !tdi_has(element, s->model->element_count)) {
        return (td_vec3){0};
    }
    return tdi_helix_frame_at(&s->pose, element, at * s->model->element[element].length).o;
}

td_quat td_helix_frame(const td_body *body, int32_t element, td_real at) {
    const tdi_helix_state *s = tdi_as_helix(body);
    if (!s || !tdi_has(element, s->model->element_count)) {
        return (td_quat){0};
    }
    const tdi_mat3 r =
        tdi_helix_frame_at(&s->pose, element, at * s->model->element[element].length).r;
    return tdi_quat_from_axes(tdi_mat3_column(&r, 0), tdi_mat3_column(&r, 1),
                              tdi_mat3_column(&r, 2));
}

void tdi_helix_segment(const tdi_helix_state *s, int32_t segment, td_vec3 *origin, td_vec3 *tip,
                       td_quat *rotation) {
    const tdi_helix_rider *r = &s->model->rider[segment];
    const tdi_helix_point joint = {.element = r->element, .s = r->from, .offset = r->start},
                          end = {.element = r->element, .s = r->to, .offset = r->end};
    if (origin) {
        *origin = tdi_helix_point_at(&s->pose, &joint);
    }
    if (tip) {
        *tip = tdi_helix_point_at(&s->pose, &end);
    }
    if (rotation) {
        *rotation = tdi_helix_rotation_at(s->model, &s->pose, segment);
    }
}

// ---- the base -------------------------------------------------------------------------------

void tdi_helix_put_base(tdi_helix_state *s, const td_base_motion *base) {
    s->head.base = *base;
    s->pose.base = (tdi_helix_place){base->position, tdi_mat3_from_quat(base->rotation)};
}

// Whether the roots of a state without a past move as one piece with its base.
static bool moves_along(const tdi_helix_state *s) {
    const td_base_motion *base = &s->head.base;
    bool along = s->head.known == 0;
    for (int32_t i = 0; along && i < s->model->element_count; i++) {
        if (s->root_place[i] != TD_NONE && s->model->element[i].root != TD_END_CLAMPED) {
            const tdi_rate *own = &s->root_rate[s->root_place[i]];
            along = tdi_same_velocity(own->spin, base->spin) &&
                    tdi_same_velocity(own->velocity, tdi_base_velocity(base, s->pose.start[i].o));
        }
    }
    return along;
}

void tdi_helix_move_along(tdi_helix_state *s) {
    const td_base_motion *base = &s->head.base;
    for (int32_t i = 0; i < s->model->element_count; i++) {
        if (s->root_place[i] != TD_NONE) {
            s->root_rate[s->root_place[i]] =
                (tdi_rate){base->spin, tdi_base_velocity(base, s->pose.start[i].o)};
        }
    }
    s->moved = false;
}

void tdi_helix_set_base(tdi_helix_state *s, const td_base_motion *motion) {
    const bool along = moves_along(s);
    td_base_motion base = *motion;
    const td_real n = tdi_quat_norm(base.rotation);
    const bool there = memcmp(&base.rotation, &s->head.base.rotation, sizeof base.rotation) == 0;
    if (!there && n > 0 && isfinite(n) && fabs(n - 1) > 1e-15) {
        base.rotation = tdi_quat_unit(base.rotation);
    }
    tdi_helix_put_base(s, &base);
    if (tdi_state_as_drawn(&s->head)) {
        tdi_helix_reset(s);
    } else {
        tdi_helix_update(s);
    }
    if (along) {
        tdi_helix_move_along(s);
    }
}

// ---- sums -----------------------------------------------------------------------------------
// With the rates v of a place and W of the nine entries of a frame R:
//   kinetic   1/2 m|v|^2 + v.(W c) + 1/2 tr(W S W^T)
//   momentum  P = m v + W c, and about the place  (R c) x v - axial(R S W^T)
//   weight    -g.(m o + R c)

static td_real kinetic_of(const tdi_helix_station *k, const tdi_helix_past *past) {
    const tdi_mat3 ws = tdi_mat3_mul_sym(&past->w, &k->second);
    td_real trace = 0;
    for (int j = 0; j < 9; j++) {
        trace += ws.m[j] * past->w.m[j];
    }
    return 0.5 * k->mass * tdi_dot(past->v, past->v) +
           tdi_dot(past->v, tdi_mat3_apply(&past->w, k->moment)) + 0.5 * trace;
}

td_energy tdi_helix_energy(tdi_helix_state *s, td_vec3 gravity) {
    const tdi_helix_model *m = s->model;
    td_energy sum = {0, 0, 0};
    tdi_helix_fill_past(s);
    for (int32_t i = 0; i < m->station_count; i++) {
        const tdi_helix_station *k = &m->station[i];
        const tdi_helix_past *past = &s->past[i];
        sum.kinetic += kinetic_of(k, past);
        sum.weight -=
            tdi_dot(gravity, tdi_madd(tdi_mat3_apply(&past->r, k->moment), past->o, k->mass));
    }
    for (int32_t i = 0; i < m->element_count; i++) {
        const td_vec3 d = tdi_sub(s->pose.u[i], m->element[i].rest);
        sum.elastic += 0.5 * tdi_dot(d, tdi_times(m->element[i].stiffness, d));
    }
    return sum;
}

void tdi_helix_momentum(tdi_helix_state *s, td_vec3 *linear, td_vec3 *angular) {
    const tdi_helix_model *m = s->model;
    *linear = *angular = tdi_vec3(0, 0, 0);
    tdi_helix_fill_past(s);
    for (int32_t i = 0; i < m->station_count; i++) {
        const tdi_helix_station *k = &m->station[i];
        const tdi_helix_past *past = &s->past[i];
        const td_vec3 p = tdi_madd(tdi_mat3_apply(&past->w, k->moment), past->v, k->mass);
        const tdi_mat3 rs = tdi_mat3_mul_sym(&past->r, &k->second),
                       spin = tdi_mat3_mul_t(&rs, &past->w);
        td_vec3 own = tdi_cross(tdi_mat3_apply(&past->r, k->moment), past->v);
        own = tdi_sub(own, tdi_mat3_axial(&spin));
        *linear = tdi_add(*linear, p);
        *angular = tdi_add(*angular, tdi_add(own, tdi_cross(past->o, p)));
    }
}
