// SPDX-License-Identifier: MIT
// States: memory, the initial pose, reading and setting.

#include "tree/implicit.h"

#include "base/guard.h"
#include "tree/joint.h"
#include "tree/points.h"

#include <string.h>

// ---- memory ---------------------------------------------------------------------------------

static void lay_out_history(tdi_tree_state *s, tdi_layout *l, const tdi_tree_model *m) {
    size_t n = (size_t)m->body_count, nv = (size_t)m->head.dof_count, nq = (size_t)m->coord_count;
    s->past = tdi_layout_place(l, n, sizeof *s->past);
    s->bdf.history = tdi_layout_place(l, n, sizeof *s->bdf.history);
    s->bdf.predictor = tdi_layout_place(l, n, sizeof *s->bdf.predictor);
    s->bdf.angle = tdi_layout_place(l, nv, sizeof *s->bdf.angle);
    s->last.q = tdi_layout_place(l, nq, sizeof *s->last.q);
    s->last.forces = tdi_layout_place(l, n, sizeof *s->last.forces);
    s->q_start = tdi_layout_place(l, nq, sizeof *s->q_start);
}

static void lay_out_explicit(tdi_tree_state *s, tdi_layout *l, const tdi_tree_model *m) {
    size_t n = (size_t)m->body_count, nv = (size_t)m->head.dof_count, nq = (size_t)m->coord_count;
    s->stages.outside = tdi_layout_place(l, n, sizeof *s->stages.outside);
    s->stages.q = tdi_layout_place(l, nq, sizeof *s->stages.q);
    s->stages.v = tdi_layout_place(l, nv, sizeof *s->stages.v);
    s->stages.rate = tdi_layout_place(l, nv, sizeof *s->stages.rate);
    s->stages.rate_sum = tdi_layout_place(l, nv, sizeof *s->stages.rate_sum);
    s->stages.accel_now = tdi_layout_place(l, nv, sizeof *s->stages.accel_now);
    s->stages.accel_sum = tdi_layout_place(l, nv, sizeof *s->stages.accel_sum);
}

static size_t larger(size_t a, size_t b) {
    return a > b ? a : b;
}

void tdi_tree_state_lay_out_lasting(tdi_tree_state *s, tdi_layout *l, const tdi_tree_model *m) {
    size_t n = (size_t)m->body_count, nv = (size_t)m->head.dof_count, nq = (size_t)m->coord_count;
    s->now = tdi_layout_place(l, 1, sizeof *s->now);
    s->q = tdi_layout_place(l, nq, sizeof *s->q);
    s->v = tdi_layout_place(l, nv, sizeof *s->v);
    s->frame = tdi_layout_place(l, n, sizeof *s->frame);
    s->angle = tdi_layout_place(l, nv, sizeof *s->angle);
    s->angle_near = tdi_layout_place(l, nv, sizeof *s->angle_near);
    lay_out_history(s, l, m);
    s->twist = tdi_layout_place(l, n, sizeof *s->twist);
    s->other = tdi_layout_place(l, (size_t)m->other_count, sizeof *s->other);
    s->slot = tdi_layout_place(l, (size_t)m->part_count, sizeof *s->slot);
    s->summed = tdi_layout_place(l, n, sizeof *s->summed);
}

void tdi_tree_state_lay_out_scratch(tdi_tree_state *s, tdi_layout *l, const tdi_tree_model *m) {
    size_t n = (size_t)m->body_count, nv = (size_t)m->head.dof_count;
    // explicit steps and Newton's method never run at the same time
    tdi_layout other = *l;
    s->node = tdi_layout_place(l, n, sizeof *s->node);
    s->joint = tdi_layout_place(l, n, sizeof *s->joint);
    s->outcome.force = tdi_layout_place(l, n, sizeof *s->outcome.force);
    s->outcome.origin = tdi_layout_place(l, n, sizeof *s->outcome.origin);
    s->asked.body = tdi_layout_place(l, n, sizeof *s->asked.body);
    s->bdf_kept.history = tdi_layout_place(l, n, sizeof *s->bdf.history);
    s->bdf_kept.predictor = tdi_layout_place(l, n, sizeof *s->bdf.predictor);
    s->bdf_kept.angle = tdi_layout_place(l, nv, sizeof *s->bdf.angle);
    s->link = tdi_layout_place(&other, n + 1, sizeof *s->link);
    s->link = s->link ? s->link + 1 : NULL;
    lay_out_explicit(s, &other, m);
    l->used = larger(l->used, other.used);
}

static void lay_out(tdi_tree_state *s, tdi_layout *l, const tdi_tree_model *m) {
    l->used = 0;
    tdi_layout_place(l, 1, sizeof *s);
    tdi_tree_state_lay_out_lasting(s, l, m);
    tdi_tree_state_lay_out_scratch(s, l, m);
}

// ---- initial pose ---------------------------------------------------------------------------

// The joint's coordinates at the skeleton's initial pose.
static void initial_joint(const tdi_tree_model *m, int32_t i, td_real *q) {
    const tdi_body *body = &m->body[i];
    td_quat turn = tdi_quat_unit(tdi_quat_mul(tdi_quat_conj(body->rest), body->initial));
    switch ((td_joint_kind)m->kind[i]) {
    case TD_JOINT_FREE:
        q[0] = q[1] = q[2] = 0;
        q += 3;
        // fall through
    case TD_JOINT_BALL:
        q[0] = turn.w;
        q[1] = turn.x;
        q[2] = turn.y;
        q[3] = turn.z;
        break;
    case TD_JOINT_HINGE:
        q[0] = 2 *
               atan2(turn.x * body->axis.x + turn.y * body->axis.y + turn.z * body->axis.z, turn.w);
        break;
    case TD_JOINT_SLIDE: q[0] = body->initial_slide; break;
    case TD_JOINT_FIXED: break;
    }
}

void tdi_tree_reset(tdi_tree_state *state) {
    const tdi_tree_model *m = state->model;
    state->head.time = 0;
    state->head.known = 0;
    state->head.moved = 0;
    if (!state->head.led) {
        tdi_tree_put_base(state, &(td_base_motion){.rotation = {1, 0, 0, 0}});
    }
    memset(state->v, 0, (size_t)m->head.dof_count * sizeof *state->v);
    state->stale = false;
    for (int32_t i = 0; i < m->body_count; i++) {
        initial_joint(m, i, state->q + m->coord[i]);
    }
    tdi_tree_changed(state);
}

// ---- making and freeing ---------------------------------------------------------------------

td_status tdi_tree_state_new(const tdi_tree_model *model, const td_alloc *alloc,
                             tdi_tree_state **out, td_diag *diag) {
    *out = NULL;
    tdi_tree_state sizes;
    tdi_layout l = {NULL, 0};
    lay_out(&sizes, &l, model);
    tdi_tree_state *s = tdi_body_new(&tdi_solver_tree, model, alloc, l.used, 0, diag);
    TDI_TRY(s ? TD_OK : TD_ERR_MEMORY);
    l.base = (char *)s;
    lay_out(s, &l, model);
    s->model = model;
    s->head.segment_count = model->body_count;
    s->head.point_count = 2 * model->capsule_count;
    s->head.capsule_count = model->capsule_count;
    s->head.mass = tdi_tree_mass(model);
    tdi_tree_reset(s);
    *out = s;
    return TD_OK;
}

// ---- reading and setting --------------------------------------------------------------------

td_quat tdi_tree_rotation(const tdi_tree_state *state, int32_t body) {
    return state->frame[body].turn;
}

td_real *td_tree_coords(td_body *body) {
    tdi_tree_state *state = tdi_as_tree(body);
    if (!state) {
        return NULL;
    }
    return state->q;
}

td_real *td_tree_velocities(td_body *body) {
    tdi_tree_state *state = tdi_as_tree(body);
    if (!state) {
        return NULL;
    }
    tdi_tree_fresh(state);
    return state->v;
}

// Makes a quaternion that was set by hand a unit one; one that is so to rounding keeps its bits.
static void normalise(td_real *q) {
    td_real n2 = q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3];
    if (n2 > 0 && fabs(n2 - 1) > 1e-14) {
        td_real scale = 1 / sqrt(n2);
        for (int k = 0; k < 4; k++) {
            q[k] *= scale;
        }
    }
}

void tdi_tree_changed(tdi_tree_state *state) {
    const tdi_tree_model *m = state->model;
    tdi_tree_fresh(state); // while the frames are still those of the step
    for (int32_t i = 0; i < m->body_count; i++) {
        int32_t first = m->coord[i], count = m->coord[i + 1] - first;
        if (count >= 4) {
            normalise(state->q + first + count - 4);
        }
    }
    state->head.known = 0;
    memset(state->angle, 0, (size_t)m->head.dof_count * sizeof *state->angle);
    tdi_tree_angles(m, state, state->angle, state->angle);
    tdi_tree_place(m, state);
}

void td_tree_state_changed(td_body *body) {
    tdi_tree_state *state = tdi_as_tree(body);
    if (!state) {
        return;
    }
    tdi_tree_changed(state);
}

// ---- base -----------------------------------------------------------------------------------

// A rotation that is none is kept as it is, for the step to refuse.
bool tdi_tree_was_left(const tdi_tree_state *s, const td_base_motion *m) {
    const tdi_frame *f = &s->last.base;
    return memcmp(&f->turn, &m->rotation, sizeof f->turn) == 0 &&
           memcmp(&f->o, &m->position, sizeof f->o) == 0;
}

void tdi_tree_set_base(tdi_tree_state *state, const td_base_motion *motion) {
    td_base_motion base = *motion;
    const td_real n = tdi_quat_norm(motion->rotation);
    const bool left = state->head.known > 0 && tdi_tree_was_left(state, motion);
    if (!left && n > 0 && isfinite(n) && fabs(n - 1) > 1e-15) { // else it is a unit already
        base.rotation = tdi_quat_unit(motion->rotation);
    }
    tdi_tree_put_base(state, &base);
    tdi_tree_place_left(state, state->head.known);
}
