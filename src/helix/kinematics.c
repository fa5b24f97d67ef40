// SPDX-License-Identifier: MIT
// From a pose to frames, root to tip, and from rates to velocities.
//
// An element that starts at arc length s of its parent, at a place p and with a turn Q there:
//   o' = o + R (x(s) + r(s) p),  R' = R r(s) Q
// with x and r of the parent's helix. A frame at s of an element moves, relative to its start, with
//   velocity R sum of dx_k u_k',  spin R sum of turn_k u_k'.

#include "helix/lanes.h"

// ---- frames ---------------------------------------------------------------------------------

tdi_helix_place tdi_helix_frame_at(const tdi_helix_pose *pose, int32_t element, td_real s) {
    if (element == TD_NONE) {
        return pose->base;
    }
    const tdi_helix_place *start = &pose->start[element];
    const tdi_helix_frame at = tdi_helix_at(pose->u[element], s);
    return (tdi_helix_place){tdi_add(start->o, tdi_mat3_apply(&start->r, at.x)),
                             tdi_mat3_mul(&start->r, &at.r)};
}

td_vec3 tdi_helix_point_at(const tdi_helix_pose *pose, const tdi_helix_point *point) {
    const tdi_helix_place at = tdi_helix_frame_at(pose, point->element, point->s);
    return tdi_add(at.o, tdi_mat3_apply(&at.r, point->offset));
}

td_quat tdi_helix_rotation_at(const tdi_helix_model *m, const tdi_helix_pose *pose,
                              int32_t segment) {
    const tdi_helix_rider *rider = &m->rider[segment];
    const tdi_helix_place at =
        tdi_helix_frame_at(pose, rider->element, 0.5 * (rider->from + rider->to));
    const td_quat turn = tdi_quat_from_axes(tdi_mat3_column(&at.r, 0), tdi_mat3_column(&at.r, 1),
                                            tdi_mat3_column(&at.r, 2));
    return tdi_quat_unit(tdi_quat_mul(turn, rider->turn));
}

// Where an element without parent starts.
static tdi_helix_place root_place(const tdi_helix_element *e, const tdi_helix_pose *pose,
                                  const tdi_helix_root *root) {
    const tdi_helix_place *base = &pose->base;
    const bool clamped = e->root == TD_END_CLAMPED, held = e->root != TD_END_FREE;
    return (tdi_helix_place){held ? tdi_add(base->o, tdi_mat3_apply(&base->r, e->place)) : root->o,
                             clamped ? tdi_mat3_mul(&base->r, &e->turn)
                                     : tdi_mat3_from_quat(root->turn)};
}

tdi_stumpff_range tdi_helix_range(const tdi_helix_model *m, const td_vec3 *u) {
    td_real most = 0;
    for (int32_t i = 0; i < m->element_count; i++) {
        const td_real x = tdi_dot(u[i], u[i]) * m->element[i].length * m->element[i].length;
        most = x <= most ? most : x; // keeps what is not a number
    }
    const int terms = tdi_stumpff_terms(most);
    return (tdi_stumpff_range){terms > 0 ? terms : TDI_STUMPFF_TERMS, terms == 0};
}

void tdi_helix_update(tdi_helix_state *s) {
    const tdi_helix_model *m = s->model;
    tdi_helix_pose *pose = &s->pose;
    s->moved = s->ended = false;
    s->range = tdi_helix_range(m, pose->u);
    const tdi_helix_curves on = {pose->u, pose->start, s->range};
    tdi_helix_widest()->rides(&on, m->element, 0, m->element_count, s->node);
    for (int32_t i = 0; i < m->element_count; i++) {
        const tdi_helix_element *e = &m->element[i];
        if (e->parent == TD_NONE) {
            pose->start[i] = root_place(e, pose, &pose->root[s->root_place[i]]);
        } else {
            const tdi_helix_place *up = &pose->start[e->parent];
            const tdi_helix_seat *seat = &s->node[i].seat;
            pose->start[i].o = tdi_add(up->o, tdi_mat3_apply(&up->r, seat->ride.x));
            pose->start[i].r = tdi_mat3_mul(&up->r, &seat->q);
        }
    }
}

// ---- velocities -----------------------------------------------------------------------------

static td_vec3 combined(const td_vec3 columns[3], td_vec3 by) {
    return tdi_madd(tdi_madd(tdi_scale(columns[0], by.x), columns[1], by.y), columns[2], by.z);
}

static tdi_rate carried(tdi_rate rate, td_vec3 lever) {
    rate.velocity = tdi_add(rate.velocity, tdi_cross(rate.spin, lever));
    return rate;
}

static tdi_rate base_rate(const tdi_helix_state *s, td_vec3 at) {
    const td_base_motion *b = &s->head.base;
    return carried((tdi_rate){b->spin, b->velocity}, tdi_sub(at, b->position));
}

// How the frame at s of an element moves.
tdi_rate tdi_helix_rate_at(const tdi_helix_state *s, int32_t element, td_real at) {
    if (element == TD_NONE) {
        return base_rate(s, s->pose.base.o);
    }
    const tdi_helix_place *start = &s->pose.start[element];
    const tdi_rate *twist = &s->twist[element];
    tdi_helix_jet jet;
    tdi_helix_jet_at(s->pose.u[element], at, false, &jet);
    const td_vec3 own = tdi_mat3_apply(&start->r, combined(jet.dx, s->rate[element])),
                  turn = tdi_mat3_apply(&start->r, combined(jet.turn, s->rate[element])),
                  lever = tdi_mat3_apply(&start->r, jet.x);
    return (tdi_rate){
        tdi_add(twist->spin, turn),
        tdi_add(tdi_add(twist->velocity, tdi_cross(twist->spin, lever)), own),
    };
}

static tdi_rate root_rate(const tdi_helix_state *s, int32_t i) {
    const tdi_rate base = base_rate(s, s->pose.start[i].o), own = s->root_rate[s->root_place[i]];
    switch (s->model->element[i].root) {
    case TD_END_CLAMPED: return base;
    case TD_END_PINNED: return (tdi_rate){own.spin, base.velocity};
    default: return own;
    }
}

void tdi_helix_move(tdi_helix_state *s) {
    const tdi_helix_model *m = s->model;
    for (int32_t i = 0; i < m->element_count && !s->moved; i++) {
        const tdi_helix_element *e = &m->element[i];
        if (e->parent == TD_NONE) {
            s->twist[i] = root_rate(s, i);
        } else {
            const tdi_helix_place at = tdi_helix_frame_at(&s->pose, e->parent, e->at);
            s->twist[i] =
                carried(tdi_helix_rate_at(s, e->parent, e->at), tdi_mat3_apply(&at.r, e->place));
        }
    }
    s->moved = true;
}

td_vec3 tdi_helix_velocity(tdi_helix_state *s, const tdi_helix_point *point) {
    const tdi_helix_place at = tdi_helix_frame_at(&s->pose, point->element, point->s);
    const td_vec3 lever = tdi_mat3_apply(&at.r, point->offset);
    tdi_helix_move(s);
    return carried(tdi_helix_rate_at(s, point->element, point->s), lever).velocity;
}

static tdi_mat3 frame_rate(const tdi_mat3 *r, td_vec3 w) { // [w]x R
    tdi_mat3 d;
    for (int j = 0; j < 3; j++) {
        const td_vec3 c = tdi_cross(w, tdi_mat3_column(r, j));
        d.m[j] = c.x;
        d.m[3 + j] = c.y;
        d.m[6 + j] = c.z;
    }
    return d;
}

tdi_helix_past tdi_helix_station_past(const tdi_helix_state *s, int32_t station) {
    const tdi_helix_station *k = &s->model->station[station];
    const tdi_helix_place at = tdi_helix_frame_at(&s->pose, k->element, k->s);
    const tdi_rate rate = tdi_helix_rate_at(s, k->element, k->s);
    return (tdi_helix_past){at.o, rate.velocity, at.r, frame_rate(&at.r, rate.spin)};
}

void tdi_helix_fill_past(tdi_helix_state *s) {
    if (s->head.known > 0) {
        return;
    }
    tdi_helix_move(s);
    for (int32_t k = 0; k < s->model->station_count; k++) {
        s->past[k] = tdi_helix_station_past(s, k);
    }
}
