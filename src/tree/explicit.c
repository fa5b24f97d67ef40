// SPDX-License-Identifier: MIT
// Explicit steps on forward dynamics: symplectic Euler and Runge-Kutta of fourth order.
//
//   Euler     v <- v + h qdd(q, v), then q moved by h v
//   RK4       in coordinates of the step: a ball joint is at q_first exp(a), so that
//             a' = J^-1(a) v, J^-1 as in joint.h. With them the equations are a system in a vector
//             space, and the classical rule keeps its order.
// The base is carried along with constant acceleration through the step.
// Reads    q, v, angle, base. Writes these, frame, and the scratch of tdi_tree_forward().

#include "tree/dynamics.h"
#include "tree/joint.h"
#include "tree/load.h"

#include <string.h>

// ---- accelerations --------------------------------------------------------------------------

// Torques that make springs and dampers stronger or weaker by the step's factors.
static void change_joints(const td_tree_model *m, td_tree_state *s, const td_step_opts *o,
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

void tdi_explicit_accelerate(const td_tree_model *m, td_tree_state *s, const td_step_opts *o) {
    const tdi_wrench *outside = NULL;
    if (o->load_count > 0 || o->air.linear > 0 || o->air.quadratic > 0) {
        tdi_loads loads = {o->loads, o->load_count, o->air, o->winds, 0, 1, NULL};
        tdi_tree_place(m, s);
        tdi_tree_move(m, s);
        memset(s->outside, 0, (size_t)m->body_count * sizeof *s->outside);
        tdi_loads_wrench(m, s, &loads, s->outside);
        outside = s->outside;
    }
    bool changed = o->stiffness != 1 || o->damping != 1;
    if (changed) {
        change_joints(m, s, o, s->accel_now);
    }
    tdi_tree_forward(m, s, o->gravity, changed ? s->accel_now : NULL, outside, s->accel_now);
}

// ---- stages of RK4 --------------------------------------------------------------------------

static const td_real stage_at[4] = {0, 0.5, 0.5, 1};
static const td_real stage_weight[4] = {1.0 / 6, 1.0 / 3, 1.0 / 3, 1.0 / 6};

// rate <- J^-1(t rate) v of a turn; t times the old rate is where the joint stands
static void turn_rate(td_real *rate, const td_real *v, td_real t) {
    td_vec3 a = tdi_scale(tdi_vec3(rate[0], rate[1], rate[2]), t), now = tdi_vec3(v[0], v[1], v[2]);
    tdi_ball_turn turn = {a, tdi_turn_coefficient(tdi_dot(a, a))};
    now = tdi_ball_rate(&turn, now, 1);
    rate[0] = now.x;
    rate[1] = now.y;
    rate[2] = now.z;
}

static void all_rates(const td_tree_model *m, td_tree_state *s, td_real t) {
    for (int32_t i = 0; i < m->body_count; i++) {
        int32_t d = m->dof[i], count = m->dof[i + 1] - d;
        int32_t turn = count >= 3 ? count - 3 : count; // a free joint turns with its last three
        for (int32_t k = 0; k < turn; k++) {
            s->rate[d + k] = s->v[d + k];
        }
        if (turn < count) {
            turn_rate(s->rate + d + turn, s->v + d + turn, t);
        }
    }
}

td_real tdi_explicit_stage(const td_tree_model *m, td_tree_state *s, const td_step_opts *o, int k) {
    const size_t nv = (size_t)m->head.dof_count, nq = (size_t)m->coord_count;
    const td_real t = stage_at[k] * o->dt;
    if (o->integrator == TD_EULER) {
        return 0;
    }
    memcpy(s->q, s->q_first, nq * sizeof *s->q);
    tdi_tree_advance(m, s, s->rate, t);
    for (size_t d = 0; d < nv; d++) {
        s->v[d] = s->v_first[d] + t * s->accel_now[d];
    }
    tdi_tree_carry_base(s, &s->first.base, t);
    all_rates(m, s, t);
    return t;
}

void tdi_explicit_gather(const td_tree_model *m, td_tree_state *s, int k) {
    for (int32_t d = 0; d < m->head.dof_count; d++) {
        s->rate_sum[d] += stage_weight[k] * s->rate[d];
        s->accel_sum[d] += stage_weight[k] * s->accel_now[d];
    }
}

// ---- entry ----------------------------------------------------------------------------------

static bool base_finite(const td_tree_state *s) {
    return tdi_finite3(s->base.o) && tdi_finite3(s->base_twist.v) && tdi_finite3(s->base_twist.w) &&
           isfinite(tdi_quat_norm(s->base.turn));
}

static bool all_finite(const td_real *x, int32_t count) {
    bool fine = true;
    for (int32_t k = 0; k < count; k++) {
        fine &= isfinite(x[k]) != 0;
    }
    return fine;
}

int tdi_explicit_stages(td_integrator integrator) {
    return integrator == TD_EULER ? 1 : 4;
}

void tdi_explicit_open(const td_tree_model *m, td_tree_state *s) {
    const size_t nv = (size_t)m->head.dof_count, nq = (size_t)m->coord_count;
    s->first = (tdi_explicit_start){s->head.base, s->head.known, s->stale};
    tdi_tree_fresh(s);
    s->head.known = 0;
    memcpy(s->q_first, s->q, nq * sizeof *s->q);
    memcpy(s->v_first, s->v, nv * sizeof *s->v);
    memset(s->rate, 0, nv * sizeof *s->rate);
    memset(s->rate_sum, 0, nv * sizeof *s->rate_sum);
    memset(s->accel_sum, 0, nv * sizeof *s->accel_sum);
    memset(s->accel_now, 0, nv * sizeof *s->accel_now);
}

// The end of the step: Euler has one stage, whose velocities are the new ones.
static void arrive(const td_tree_model *m, td_tree_state *s, const td_step_opts *o) {
    if (o->integrator == TD_EULER) {
        for (int32_t d = 0; d < m->head.dof_count; d++) {
            s->v[d] += o->dt * s->accel_now[d];
        }
        tdi_tree_advance(m, s, s->v, o->dt);
    } else {
        memcpy(s->q, s->q_first, (size_t)m->coord_count * sizeof *s->q);
        tdi_tree_advance(m, s, s->rate_sum, o->dt);
        for (int32_t d = 0; d < m->head.dof_count; d++) {
            s->v[d] = s->v_first[d] + o->dt * s->accel_sum[d];
        }
    }
    tdi_tree_carry_base(s, &s->first.base, o->dt);
}

bool tdi_explicit_arrive(const td_tree_model *m, td_tree_state *s, const td_step_opts *o) {
    arrive(m, s, o);
    return all_finite(s->q, m->coord_count) && all_finite(s->v, m->head.dof_count) &&
           base_finite(s);
}

void tdi_explicit_close(const td_tree_model *m, td_tree_state *s, const td_step_opts *o,
                        bool fine) {
    if (fine) {
        s->head.time += o->dt;
        tdi_tree_angles(m, s, s->angle, s->angle);
    } else {
        memcpy(s->q, s->q_first, (size_t)m->coord_count * sizeof *s->q);
        memcpy(s->v, s->v_first, (size_t)m->head.dof_count * sizeof *s->v);
        tdi_tree_put_base(s, &s->first.base);
        s->head.known = s->first.known;
        s->stale = s->first.stale;
    }
    if (s->head.known > 0) {
        tdi_tree_place_past(m, s);
    } else {
        tdi_tree_place(m, s);
    }
}

td_status tdi_explicit_step(const td_tree_model *m, td_tree_state *s, const td_step_opts *opts) {
    tdi_explicit_open(m, s);
    for (int k = 0; k < tdi_explicit_stages(opts->integrator); k++) {
        tdi_explicit_stage(m, s, opts, k);
        tdi_explicit_accelerate(m, s, opts);
        tdi_explicit_gather(m, s, k);
    }
    const bool fine = tdi_explicit_arrive(m, s, opts);
    tdi_explicit_close(m, s, opts, fine);
    return fine ? TD_OK : TD_ERR_DIVERGED;
}
