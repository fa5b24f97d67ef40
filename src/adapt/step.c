// SPDX-License-Identifier: MIT
// Steps of a hybrid body, and its parts for tests: accelerations, metrics, chosen regions.
//
// A step    places and twists of the active region, loads, accelerations; at a choice by way of the
//           transient region; velocities, rigid joints, then positions of the active joints:
//           symplectic Euler, v <- v + h a, q moved by h v.

#include "adapt/adapt.h"

#include "base/diag.h"
#include "tree/joint.h"
#include "tree/trial.h"

#include <string.h>

// ---- regions --------------------------------------------------------------------------------

// The active nodes as flagged, parents first; nodes above them and free joints are active too.
static void list_active(td_adapt *s, const uint8_t *active) {
    const int32_t n = s->model->body_count;
    for (int32_t k = 0; k < n; k++) {
        const int32_t i = s->order[k];
        const tdi_assembly_node *t = &s->tree[i];
        s->node[i].active =
            active[i] || tdi_is_free(s, i) || tdi_is_active(s, t->a) || tdi_is_active(s, t->b);
    }
    s->active_count = s->stats.active = 0;
    for (int32_t k = n - 1; k >= 0; k--) {
        if (s->node[s->order[k]].active) {
            s->active[s->active_count++] = s->order[k];
            s->stats.active += tdi_may_choose(s, s->order[k]);
        }
    }
}

// Velocities are as they should be: everything that is known of rigid nodes anew.
void tdi_region_set(td_adapt *s, const uint8_t *active) {
    list_active(s, active);
    for (int32_t k = 0; k < s->model->body_count; k++) {
        const int32_t i = s->order[k];
        tdi_adapt_node *n = &s->node[i];
        tdi_node_place(s, i);
        tdi_node_relative(s, i);
        tdi_node_join(s, i, true);
        tdi_metric_quadratic(s, i);
        n->stiff = n->fresh = n->stops = false;
        if (!n->active && s->tree[i].a != TDI_ASSEMBLY_BASE) {
            tdi_node_mass(s, i);
            tdi_metric_tensors(s, i);
        }
    }
    tdi_update_front(s, s->active, s->active_count);
}

void td_adapt_changed(td_adapt *s) {
    tdi_tree_fresh(s->state);
    s->state->head.known = 0;
    for (int32_t i = 0; i < s->model->body_count; i++) {
        s->node[i].active = true;
        s->node[i].stiff = s->node[i].fresh = s->node[i].stops = false;
        s->active[s->model->body_count - 1 - s->tree[i].rank] = i;
    }
    s->active_count = s->model->body_count;
    s->stats.active = s->stats.joints;
    s->until_update = 0;
}

static void count_active(td_adapt *s) {
    s->stats.active = 0;
    for (int32_t k = 0; k < s->active_count; k++) {
        s->stats.active += tdi_may_choose(s, s->active[k]);
    }
}

// From the region in `active` to that of the flags, with impulses.
static void change_region(td_adapt *s, const uint8_t *active) {
    int32_t count = s->model->body_count;
    td_adapt_changed(s); // all are free for a moment: their velocities are what they were
    tdi_pass_kinematics(s, s->active, s->active_count);
    for (int32_t k = count - 1; k >= 0; k--) {
        s->spare[k] = s->active[k];
        tdi_node_join(s, s->active[k], true);
        tdi_metric_quadratic(s, s->active[k]);
    }
    list_active(s, active);
    tdi_rigidify(s, count);
    tdi_rigid_keep(s, count);
}

// ---- a step ---------------------------------------------------------------------------------

static void keep_first(td_adapt *s, const int32_t *list, int32_t count) {
    const td_tree_model *m = s->model;
    for (int32_t k = 0; k < count; k++) {
        const int32_t i = list[k];
        memcpy(s->q_first + m->coord[i], s->state->q + m->coord[i],
               (size_t)(m->coord[i + 1] - m->coord[i]) * sizeof *s->q_first);
        memcpy(s->v_first + m->dof[i], s->state->v + m->dof[i],
               (size_t)(m->dof[i + 1] - m->dof[i]) * sizeof *s->v_first);
    }
}

static void take_back(td_adapt *s, const int32_t *list, int32_t count) {
    const td_tree_model *m = s->model;
    for (int32_t k = 0; k < count; k++) {
        const int32_t i = list[k];
        memcpy(s->state->q + m->coord[i], s->q_first + m->coord[i],
               (size_t)(m->coord[i + 1] - m->coord[i]) * sizeof *s->q_first);
        memcpy(s->state->v + m->dof[i], s->v_first + m->dof[i],
               (size_t)(m->dof[i + 1] - m->dof[i]) * sizeof *s->v_first);
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

// Moves the active joints; whether all is finite.
static bool advance(td_adapt *s, td_real dt) {
    const td_tree_model *m = s->model;
    bool fine = true;
    for (int32_t k = 0; k < s->active_count; k++) {
        const int32_t i = s->active[k];
        tdi_joint_advance((td_joint_kind)m->kind[i], s->state->q + m->coord[i],
                          s->state->v + m->dof[i], dt);
        for (int32_t j = m->coord[i]; j < m->coord[i + 1]; j++) {
            fine &= isfinite(s->state->q[j]) != 0;
        }
        for (int32_t j = m->dof[i]; j < m->dof[i + 1]; j++) {
            fine &= isfinite(s->state->v[j]) != 0;
        }
        tdi_body_angle(m, s->state, i, s->state->angle, s->state->angle);
    }
    return fine;
}

// Accelerations and velocities at a choice. Returns how many nodes were active on the way.
static int32_t choose(td_adapt *s, const td_step_opts *o) {
    tdi_update_convert(s, o, NULL);
    const int32_t count = tdi_update_transient(s, o);
    keep_first(s, s->spare, count);
    if (count > s->active_count) {
        s->step++; // loads are summed again, on the new front
        tdi_pass_loads(s, o);
        tdi_update_front(s, s->spare, count);
    }
    tdi_pass_forward(s, o, NULL, s->spare, count, s->accel);
    hasten(s, s->spare, count, o->dt);
    tdi_update_choose(s, o, count);
    tdi_rigidify(s, count);
    tdi_rigid_keep(s, count);
    s->until_update = s->opts.every;
    s->stats.updates++;
    count_active(s);
    return count;
}

static void fix_region(td_adapt *s) {
    uint8_t *flags = (uint8_t *)s->queue; // empty between choices
    tdi_update_fixed(s);
    const int32_t count = s->active_count;
    memset(flags, 0, (size_t)s->model->body_count);
    for (int32_t k = 0; k < count; k++) {
        flags[s->active[k]] = 1;
    }
    change_region(s, flags);
    s->until_update = INT64_MAX;
}

td_status td_adapt_step(td_adapt *s, const td_step_opts *o, td_diag *diag) {
    td_status status = tdi_step_opts_check(o, s->model->body_count, diag);
    if (status != TD_OK) {
        return status;
    }
    const td_base_motion base = s->state->head.base;
    const int32_t *list = s->active;
    if (s->opts.every == 0 && s->until_update == 0) {
        fix_region(s);
    }
    s->step++;
    tdi_pass_kinematics(s, s->active, s->active_count);
    tdi_pass_loads(s, o);
    int32_t count = s->active_count;
    if (s->until_update == 0) {
        count = choose(s, o);
        list = s->spare;
    } else {
        keep_first(s, s->active, count);
        tdi_pass_forward(s, o, NULL, s->active, count, s->accel);
        hasten(s, s->active, count, o->dt);
    }
    s->until_update--;
    if (!advance(s, o->dt)) {
        take_back(s, list, count);
        td_adapt_changed(s);
        return tdi_fail(diag, TD_ERR_DIVERGED, "the step at %g s diverged; try a smaller dt",
                        s->state->head.time);
    }
    tdi_tree_carry_base(s->state, &base, o->dt);
    s->state->head.time += o->dt;
    s->stats.steps++;
    return TD_OK;
}

void td_adapt_place(td_adapt *s) {
    tdi_tree_place(s->model, s->state);
}

// ---- parts ----------------------------------------------------------------------------------

void td_adapt_activate(td_adapt *s, const bool *active) {
    uint8_t *flags = (uint8_t *)s->queue;
    for (int32_t i = 0; i < s->model->body_count; i++) {
        flags[i] = active[i];
    }
    change_region(s, flags);
    s->until_update = s->opts.every > 0 ? s->opts.every : INT64_MAX;
}

void td_adapt_forward(td_adapt *s, const td_step_opts *o, const td_real *torque, td_real *accel) {
    s->step++;
    tdi_pass_kinematics(s, s->active, s->active_count);
    tdi_pass_loads(s, o);
    memset(accel, 0, (size_t)s->model->head.dof_count * sizeof *accel);
    tdi_pass_forward(s, o, torque, s->active, s->active_count, accel);
}

void td_adapt_metrics(td_adapt *s, const td_step_opts *o, td_real *metrics) {
    s->step++;
    tdi_pass_kinematics(s, s->active, s->active_count);
    tdi_pass_loads(s, o);
    tdi_update_convert(s, o, NULL);
    for (int32_t k = s->model->body_count - 1; k >= 0; k--) {
        const int32_t i = s->order[k];
        td_real accel[6];
        metrics[i] = s->node[i].metric;
        tdi_update_descend(s, i, o, accel);
    }
}
