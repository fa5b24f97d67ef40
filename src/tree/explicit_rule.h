// SPDX-License-Identifier: MIT
#pragma once

// Explicit rules on the coordinates of one tree, wherever they stand: a state's, or one of a batch.
//
//   Euler     v <- v + h qdd(q, v), then q moved by h v
//   RK4       in coordinates of the step: a ball joint is at q_first exp(a), so that
//             a' = J^-1(a) v, J^-1 as in joint.h. With them the equations are a system in a vector
//             space, and the classical rule keeps its order.

#include "tree/trial.h"

typedef struct tdi_explicit_rows {
    td_real *q, *v;             // now
    td_real *q_first, *v_first; // where the step began
    td_real *rate, *accel;      // of the stage
    td_real *rate_sum, *accel_sum;
} tdi_explicit_rows;

static inline int tdi_rule_stages(td_integrator integrator) {
    return integrator == TD_EULER ? 1 : 4;
}

// q moved by so much of a step
static inline void tdi_rule_advance(const tdi_tree_model *m, td_real *q, const td_real *step,
                                    td_real fraction) {
    for (int32_t k = 0; k < m->run_count; k++) {
        const tdi_run run = m->run[k];
        for (int32_t i = run.first; run.ball && i < run.last; i++) {
            const td_real *d = step + m->dof[i];
            tdi_turn_ball(q + m->coord[i], tdi_scale(tdi_vec3(d[0], d[1], d[2]), fraction));
        }
        for (int32_t i = run.first; !run.ball && i < run.last; i++) {
            tdi_joint_advance((td_joint_kind)m->kind[i], q + m->coord[i], step + m->dof[i],
                              fraction);
        }
    }
}

// rate <- J^-1(t rate) v of a turn; t times the old rate is where the joint stands
static inline void tdi_rule_turn_rate(td_real *rate, const td_real *v, td_real t) {
    td_vec3 a = tdi_scale(tdi_vec3(rate[0], rate[1], rate[2]), t), now = tdi_vec3(v[0], v[1], v[2]);
    tdi_ball_turn turn = {a, tdi_turn_coefficient(tdi_dot(a, a))};
    now = tdi_ball_rate(&turn, now, 1);
    rate[0] = now.x;
    rate[1] = now.y;
    rate[2] = now.z;
}

static inline void tdi_rule_rates(const tdi_tree_model *m, const tdi_explicit_rows *r, td_real t) {
    for (int32_t i = 0; i < m->body_count; i++) {
        int32_t d = m->dof[i], count = m->dof[i + 1] - d;
        int32_t turn = count >= 3 ? count - 3 : count; // a free joint turns with its last three
        for (int32_t k = 0; k < turn; k++) {
            r->rate[d + k] = r->v[d + k];
        }
        if (turn < count) {
            tdi_rule_turn_rate(r->rate + d + turn, r->v + d + turn, t);
        }
    }
}

static inline void tdi_rule_open(const tdi_tree_model *m, const tdi_explicit_rows *r) {
    const size_t nv = (size_t)m->head.dof_count * sizeof(td_real);
    memcpy(r->q_first, r->q, (size_t)m->coord_count * sizeof(td_real));
    memcpy(r->v_first, r->v, nv);
    memset(r->rate, 0, nv);
    memset(r->rate_sum, 0, nv);
    memset(r->accel_sum, 0, nv);
    memset(r->accel, 0, nv);
}

// Where the accelerations of stage k are wanted, and how long after the start.
static inline td_real tdi_rule_stage(const tdi_tree_model *m, const tdi_explicit_rows *r,
                                     td_integrator integrator, td_real dt, int k) {
    static const td_real at[4] = {0, 0.5, 0.5, 1};
    const td_real t = at[k] * dt;
    if (integrator == TD_EULER) {
        return 0;
    }
    memcpy(r->q, r->q_first, (size_t)m->coord_count * sizeof *r->q);
    tdi_rule_advance(m, r->q, r->rate, t);
    for (int32_t d = 0; d < m->head.dof_count; d++) {
        r->v[d] = r->v_first[d] + t * r->accel[d];
    }
    tdi_rule_rates(m, r, t);
    return t;
}

static inline void tdi_rule_gather(const tdi_tree_model *m, const tdi_explicit_rows *r, int k) {
    static const td_real weight[4] = {1.0 / 6, 1.0 / 3, 1.0 / 3, 1.0 / 6};
    for (int32_t d = 0; d < m->head.dof_count; d++) {
        r->rate_sum[d] += weight[k] * r->rate[d];
        r->accel_sum[d] += weight[k] * r->accel[d];
    }
}

static inline bool tdi_rule_finite(const td_real *x, int32_t count) {
    bool fine = true;
    for (int32_t k = 0; k < count; k++) {
        fine &= isfinite(x[k]) != 0;
    }
    return fine;
}

static inline bool tdi_rule_is_sane(const tdi_tree_model *m, const td_real *v, td_real dt) {
    bool sane = true;
    for (int32_t i = 0; i < m->body_count; i++) {
        sane = sane && tdi_joint_is_sane((td_joint_kind)m->kind[i], v + m->dof[i], dt);
    }
    return sane;
}

// The end of the step: Euler has one stage, whose velocities are the new ones. False when a value
// is not finite, or a joint makes a turn a step.
static inline bool tdi_rule_arrive(const tdi_tree_model *m, const tdi_explicit_rows *r,
                                   td_integrator integrator, td_real dt) {
    if (integrator == TD_EULER) {
        for (int32_t d = 0; d < m->head.dof_count; d++) {
            r->v[d] += dt * r->accel[d];
        }
        tdi_rule_advance(m, r->q, r->v, dt);
    } else {
        memcpy(r->q, r->q_first, (size_t)m->coord_count * sizeof *r->q);
        tdi_rule_advance(m, r->q, r->rate_sum, dt);
        for (int32_t d = 0; d < m->head.dof_count; d++) {
            r->v[d] = r->v_first[d] + dt * r->accel_sum[d];
        }
    }
    return tdi_rule_finite(r->q, m->coord_count) && tdi_rule_is_sane(m, r->v, dt);
}
