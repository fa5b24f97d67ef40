// SPDX-License-Identifier: MIT
// Steps of a hybrid body.
//
// Euler     as published: places and twists of the active region, loads, accelerations, at a choice
//           by way of the transient region; velocities, then rigid joints, then positions of the
//           active joints: v <- v + h a, q moved by h v.
// RK4       a choice first, which only makes joints rigid or free; then the classical rule for the
//           active joints, in coordinates of the step as in tree/explicit.c.

#include "published/adapt.h"

#include "base/guard.h"
#include "tree/joint.h"
#include "tree/trial.h"

#include <string.h>

// ---- where a step began ---------------------------------------------------------------------

static void copy_joints(const td_adapt *s, const int32_t *list, int32_t count, const td_real *q,
                        const td_real *v, td_real *to_q, td_real *to_v) {
    const tdi_tree_model *m = s->model;
    for (int32_t k = 0; k < count; k++) {
        const int32_t i = list[k];
        memcpy(to_q + m->coord[i], q + m->coord[i],
               (size_t)(m->coord[i + 1] - m->coord[i]) * sizeof *q);
        memcpy(to_v + m->dof[i], v + m->dof[i], (size_t)(m->dof[i + 1] - m->dof[i]) * sizeof *v);
    }
}

static void keep_first(td_adapt *s, const int32_t *list, int32_t count) {
    copy_joints(s, list, count, s->state->q, s->state->v, s->stage.q_first, s->stage.v_first);
}

static void take_back(td_adapt *s, const int32_t *list, int32_t count) {
    copy_joints(s, list, count, s->stage.q_first, s->stage.v_first, s->state->q, s->state->v);
}

// ---- choices --------------------------------------------------------------------------------

static void count_active(td_adapt *s) {
    s->stats.active = 0;
    for (int32_t k = 0; k < s->active.count; k++) {
        s->stats.active += tdi_may_choose(s, s->active.node[k]);
    }
}

static void hasten(td_adapt *s, const int32_t *list, int32_t count, td_real dt) {
    for (int32_t k = 0; k < count; k++) {
        const int32_t d = s->model->dof[list[k]];
        for (int32_t j = 0; j < tdi_joint_dofs(s, list[k]); j++) {
            s->state->v[d + j] += dt * s->accel[d + j];
        }
    }
}

// Accelerations of the transient region, its velocities `ahead` of now, and the new active region.
// Returns how many nodes were active on the way.
static int32_t choose(td_adapt *s, const td_step_opts *o, td_real ahead) {
    tdi_update_convert(s, o, NULL);
    const int32_t count = tdi_update_transient(s, o);
    keep_first(s, s->spare, count);
    if (count > s->active.count) {
        s->step++; // loads are summed again, on the new front
        tdi_pass_loads(s, o);
        tdi_update_front(s, s->spare, count);
    }
    tdi_pass_forward(s, o, NULL, s->spare, count, s->accel);
    hasten(s, s->spare, count, ahead);
    tdi_update_choose(s, s->opts.every * o->dt - ahead, count);
    tdi_rigidify(s, count);
    tdi_rigid_keep(s, count);
    s->until_update = s->opts.every;
    s->stats.updates++;
    count_active(s);
    return count;
}

// ---- Runge-Kutta ----------------------------------------------------------------------------

static const td_real stage_at[4] = {0, 0.5, 0.5, 1};
static const td_real stage_weight[4] = {1.0 / 6, 1.0 / 3, 1.0 / 3, 1.0 / 6};

static void start_sums(td_adapt *s) {
    for (int32_t k = 0; k < s->active.count; k++) {
        const int32_t i = s->active.node[k];
        for (int32_t d = s->model->dof[i]; d < s->model->dof[i + 1]; d++) {
            s->stage.rate[d] = s->stage.rate_sum[d] = s->accel[d] = s->stage.accel_sum[d] = 0;
        }
    }
}

// The rate of a joint's own coordinates of the step, which are t times the old rate: of turns
// J^-1(t rate) v.
static void set_rate(td_adapt *s, int32_t i, td_real t) {
    const int32_t d = s->model->dof[i], count = tdi_joint_dofs(s, i);
    const int32_t turn = count >= 3 ? count - 3 : count; // a free joint turns with its last three
    const td_real *v = s->state->v + d;
    td_real *rate = s->stage.rate + d;
    for (int32_t k = 0; k < turn; k++) {
        rate[k] = v[k];
    }
    if (turn < count) {
        rate += turn;
        v += turn;
        const td_vec3 a = tdi_scale(tdi_vec3(rate[0], rate[1], rate[2]), t);
        const tdi_ball_turn at = {a, tdi_turn_coefficient(tdi_dot(a, a))};
        const td_vec3 now = tdi_ball_rate(&at, tdi_vec3(v[0], v[1], v[2]), 1);
        rate[0] = now.x;
        rate[1] = now.y;
        rate[2] = now.z;
    }
}

// Joints from where the step began, moved by t times `rate` and with t times `accel`.
static void put_joints(td_adapt *s, const td_real *rate, const td_real *accel, td_real t) {
    const tdi_tree_model *m = s->model;
    for (int32_t k = 0; k < s->active.count; k++) {
        const int32_t i = s->active.node[k];
        memcpy(s->state->q + m->coord[i], s->stage.q_first + m->coord[i],
               (size_t)(m->coord[i + 1] - m->coord[i]) * sizeof *s->stage.q_first);
        tdi_joint_advance((td_joint_kind)m->kind[i], s->state->q + m->coord[i], rate + m->dof[i],
                          t);
        for (int32_t d = m->dof[i]; d < m->dof[i + 1]; d++) {
            s->state->v[d] = s->stage.v_first[d] + t * accel[d];
        }
    }
}

static void runge_kutta(td_adapt *s, const td_step_opts *o, const td_base_motion *base) {
    keep_first(s, s->active.node, s->active.count);
    start_sums(s);
    for (int stage = 0; stage < 4; stage++) {
        const td_real t = stage_at[stage] * o->dt;
        put_joints(s, s->stage.rate, s->accel, t);
        tdi_tree_carry_base(s->state, base, t);
        s->step++;
        tdi_pass_kinematics(s, s->active.node, s->active.count);
        tdi_pass_loads(s, o);
        tdi_pass_forward(s, o, NULL, s->active.node, s->active.count, s->accel);
        for (int32_t k = 0; k < s->active.count; k++) {
            const int32_t i = s->active.node[k];
            set_rate(s, i, t);
            for (int32_t d = s->model->dof[i]; d < s->model->dof[i + 1]; d++) {
                s->stage.rate_sum[d] += stage_weight[stage] * s->stage.rate[d];
                s->stage.accel_sum[d] += stage_weight[stage] * s->accel[d];
            }
        }
    }
    put_joints(s, s->stage.rate_sum, s->stage.accel_sum, o->dt);
}

// ---- entry ----------------------------------------------------------------------------------

// Places and loads of a step that begins; all is as the state has it.
static void begin(td_adapt *s, const td_step_opts *o) {
    if (s->state->head.known > 0 || s->state->head.time != s->time) {
        td_adapt_changed(s); // other integrators stepped it, or it was restored without this
    }
    if (s->opts.every == 0 && s->until_update == 0) {
        tdi_region_fix(s);
    }
    s->step++;
    tdi_pass_kinematics(s, s->active.node, s->active.count);
    tdi_pass_loads(s, o);
}

static void euler(td_adapt *s, const td_step_opts *o) {
    if (s->until_update > 0) {
        keep_first(s, s->active.node, s->active.count);
        tdi_pass_forward(s, o, NULL, s->active.node, s->active.count, s->accel);
        hasten(s, s->active.node, s->active.count, o->dt);
    } else {
        choose(s, o, o->dt);
    }
    for (int32_t k = 0; k < s->active.count; k++) {
        const int32_t i = s->active.node[k];
        tdi_joint_advance((td_joint_kind)s->model->kind[i], s->state->q + s->model->coord[i],
                          s->state->v + s->model->dof[i], o->dt);
    }
}

// Whether all is finite, and no joint makes a turn a step; then angles too.
static bool arrive(td_adapt *s, td_real dt) {
    const tdi_tree_model *m = s->model;
    bool fine = true;
    for (int32_t k = 0; k < s->active.count; k++) {
        const int32_t i = s->active.node[k];
        for (int32_t j = m->coord[i]; j < m->coord[i + 1]; j++) {
            fine &= isfinite(s->state->q[j]) != 0;
        }
        fine &= tdi_joint_is_sane((td_joint_kind)m->kind[i], s->state->v + m->dof[i], dt);
        tdi_body_angle(m, s->state, i, s->state->angle, s->state->angle);
    }
    return fine;
}

td_status td_adapt_step(td_adapt *s, const td_step_opts *given, td_diag *diag) {
    td_step_opts own, *o = &own;
    TDI_REFUSE_IF(!s);
    td_status status = tdi_step_opts_take(given, o, diag);
    status = status == TD_OK ? tdi_step_opts_check(o, s->model->body_count, diag) : status;
    if (status == TD_OK && o->drives) {
        status = tdi_fail(diag, TD_ERR_ARGUMENT, "adaptive dynamics do not take drives of joints");
    }
    if (status != TD_OK) {
        return status;
    }
    const td_base_motion base = s->state->head.base;
    begin(s, o);
    const bool choice = s->until_update == 0;
    if (o->integrator == TD_RK4) {
        if (choice) {
            choose(s, o, 0);
        }
        runge_kutta(s, o, &base);
    } else {
        euler(s, o);
    }
    s->until_update--;
    if (!arrive(s, o->dt)) {
        take_back(s, choice ? s->spare : s->active.node,
                  choice ? s->stats.transient : s->active.count);
        tdi_tree_put_base(s->state, &base);
        td_adapt_changed(s);
        return tdi_fail(diag, TD_ERR_DIVERGED, "the step at %g s diverged; try a shorter step",
                        s->state->head.time);
    }
    tdi_tree_carry_base(s->state, &base, o->dt);
    s->state->head.time += o->dt;
    s->time = s->state->head.time;
    s->stats.steps++;
    return TD_OK;
}
