// SPDX-License-Identifier: MIT
// Explicit steps on forward dynamics: symplectic Euler and Runge-Kutta of fourth order. The rules
// are in tree/explicit_rule.h.
//
// The base is carried along with constant acceleration through the step.
// Reads    q, v, angle, base. Writes these, frame, and the scratch of tdi_tree_forward().

#include "published/tree.h"

#include "base/diag.h"
#include "reduce/reduce.h"
#include "tree/drive.h"
#include "tree/explicit_rule.h"
#include "tree/joint.h"
#include "tree/load.h"

#include <string.h>

// ---- accelerations --------------------------------------------------------------------------

// Torques that make springs and dampers stronger or weaker by the step's factors.
static void change_joints(const tdi_tree_model *m, tdi_tree_state *s, const td_step_opts *o,
                          td_real *torque) {
    const td_real still[3] = {0, 0, 0};
    memset(torque, 0, (size_t)m->head.dof_count * sizeof *torque);
    for (int32_t i = 0; i < m->body_count; i++) {
        const tdi_body *body = &m->body[i];
        int32_t d = m->dof[i], count = m->dof[i + 1] - d;
        const td_real *q = s->q + m->coord[i], *v = s->v + d, *near = s->angle + d;
        if (count == 3) {
            td_vec3 spring = tdi_ball_moment(m->law, body, q, still, near);
            td_vec3 damp = tdi_sub(tdi_ball_moment(m->law, body, q, v, near), spring);
            td_vec3 t = tdi_madd(tdi_scale(spring, o->stiffness - 1), damp, o->damping - 1);
            torque[d] = t.x;
            torque[d + 1] = t.y;
            torque[d + 2] = t.z;
        } else if (count == 1) {
            torque[d] = (1 - o->stiffness) * body->stiffness.x * q[0] +
                        (1 - o->damping) * body->damping.x * v[0];
        }
    }
}

void tdi_explicit_accelerate(const tdi_tree_model *m, tdi_tree_state *s, const td_step_opts *o) {
    const tdi_wrench *outside = NULL;
    if (o->load_count > 0 || o->air.linear > 0 || o->air.quadratic > 0) {
        tdi_loads loads = {o->loads, o->load_count, o->air, o->winds, 0, 1, NULL};
        tdi_tree_place(m, s);
        tdi_tree_move(m, s);
        memset(s->stages.outside, 0, (size_t)m->body_count * sizeof *s->stages.outside);
        tdi_loads_wrench(m, s, &loads, s->stages.outside);
        outside = s->stages.outside;
    }
    bool changed = o->stiffness != 1 || o->damping != 1 || o->drives;
    if (changed) {
        change_joints(m, s, o, s->stages.accel_now);
    }
    if (o->drives) {
        tdi_drives_torque(m, s, o->drives, o->stiffness, s->stages.accel_now);
    }
    tdi_tree_forward(m, s, o->gravity, changed ? s->stages.accel_now : NULL, outside,
                     s->stages.accel_now);
}

// ---- parts of a step ------------------------------------------------------------------------

static tdi_explicit_rows rows_of(tdi_tree_state *s) {
    return (tdi_explicit_rows){s->q,
                               s->v,
                               s->stages.q,
                               s->stages.v,
                               s->stages.rate,
                               s->stages.accel_now,
                               s->stages.rate_sum,
                               s->stages.accel_sum};
}

int tdi_explicit_stages(td_integrator integrator) {
    return tdi_rule_stages(integrator);
}

void tdi_explicit_open(const tdi_tree_model *m, tdi_tree_state *s) {
    s->stages.start = (tdi_explicit_start){s->head.base, s->head.known, s->stale};
    tdi_tree_fresh(s);
    s->head.known = 0;
    const tdi_explicit_rows rows = rows_of(s);
    tdi_rule_open(m, &rows);
}

td_real tdi_explicit_stage(const tdi_tree_model *m, tdi_tree_state *s, const td_step_opts *o,
                           int k) {
    const tdi_explicit_rows rows = rows_of(s);
    const td_real t = tdi_rule_stage(m, &rows, o->integrator, o->dt, k);
    if (o->integrator != TD_EULER) {
        tdi_tree_carry_base(s, &s->stages.start.base, t);
    }
    return t;
}

void tdi_explicit_gather(const tdi_tree_model *m, tdi_tree_state *s, int k) {
    const tdi_explicit_rows rows = rows_of(s);
    tdi_rule_gather(m, &rows, k);
}

static bool base_finite(const tdi_tree_state *s) {
    return tdi_finite3(s->base.o) && tdi_finite3(s->base_twist.v) && tdi_finite3(s->base_twist.w) &&
           isfinite(tdi_quat_norm(s->base.turn));
}

bool tdi_explicit_arrive(const tdi_tree_model *m, tdi_tree_state *s, const td_step_opts *o) {
    const tdi_explicit_rows rows = rows_of(s);
    const bool fine = tdi_rule_arrive(m, &rows, o->integrator, o->dt);
    tdi_tree_carry_base(s, &s->stages.start.base, o->dt);
    return fine && base_finite(s);
}

void tdi_explicit_close(const tdi_tree_model *m, tdi_tree_state *s, const td_step_opts *o,
                        bool fine) {
    if (fine) {
        s->head.time += o->dt;
        tdi_tree_angles(m, s, s->angle, s->angle);
    } else {
        memcpy(s->q, s->stages.q, (size_t)m->coord_count * sizeof *s->q);
        memcpy(s->v, s->stages.v, (size_t)m->head.dof_count * sizeof *s->v);
        tdi_tree_put_base(s, &s->stages.start.base);
        s->head.known = s->stages.start.known;
        s->stale = s->stages.start.stale;
    }
    tdi_tree_place_left(s, s->head.known);
}

// ---- steps ----------------------------------------------------------------------------------

td_status tdi_tree_explicit_step(void *state, const td_step_opts *opts, td_step_stats *stats,
                                 td_diag *diag) {
    tdi_tree_state *s = state;
    const tdi_tree_model *m = s->model;
    tdi_explicit_open(m, s);
    for (int k = 0; k < tdi_explicit_stages(opts->integrator); k++) {
        tdi_explicit_stage(m, s, opts, k);
        tdi_explicit_accelerate(m, s, opts);
        tdi_explicit_gather(m, s, k);
    }
    const bool fine = tdi_explicit_arrive(m, s, opts);
    tdi_explicit_close(m, s, opts, fine);
    stats->steps += fine;
    return fine ? TD_OK
                : tdi_fail(diag, TD_ERR_DIVERGED, "the step at %g s diverged; try a shorter step",
                           s->head.time);
}

// With all joints the clusters are the segments, in their order: a tree as any other. The tree that
// is drawn steps first, so that a step that fails leaves the clusters as they are.
td_status tdi_reduced_explicit_step(void *state, const td_step_opts *opts, td_step_stats *stats,
                                    td_diag *diag) {
    tdi_reduced_state *s = state;
    if (s->reduced == 0 || s->tree.head.known == 0) {
        tdi_reduced_free_joints(s);
        s->drawn = TDI_DRAWN_NOT;
        return tdi_tree_explicit_step(&s->tree, opts, stats, diag);
    }
    const td_status status = tdi_tree_explicit_step(tdi_reduced_whole(s), opts, stats, diag);
    if (status == TD_OK) {
        tdi_reduce_take_whole(s);
    }
    s->drawn = TDI_DRAWN_NOT;
    return status;
}
