// SPDX-License-Identifier: MIT
// Regions that are set from outside, and parts for tests: accelerations and metrics.

#include "published/adapt.h"

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
    s->active.count = s->stats.active = 0;
    for (int32_t k = n - 1; k >= 0; k--) {
        if (s->node[s->order[k]].active) {
            s->active.node[s->active.count++] = s->order[k];
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
    tdi_update_front(s, s->active.node, s->active.count);
}

void td_adapt_changed(td_adapt *s) {
    if (!s) {
        return;
    }
    if (s->state->head.known > 0) { // without a past, frames are what the coordinates make
        tdi_tree_fresh(s->state);
        s->state->head.known = 0;
        tdi_tree_place(s->state->model, s->state);
    }
    for (int32_t i = 0; i < s->model->body_count; i++) {
        s->node[i].active = true;
        s->node[i].stiff = s->node[i].fresh = s->node[i].stops = false;
        s->active.node[s->model->body_count - 1 - s->tree[i].rank] = i;
    }
    s->active.count = s->model->body_count;
    s->stats.active = s->stats.joints;
    s->until_update = 0;
    s->time = s->state->head.time;
}

// From the region in `active` to that of the flags, with impulses.
static void change_region(td_adapt *s, const uint8_t *active) {
    int32_t count = s->model->body_count;
    td_adapt_changed(s); // all are free for a moment: their velocities are what they were
    tdi_pass_kinematics(s, s->active.node, s->active.count);
    for (int32_t k = count - 1; k >= 0; k--) {
        s->spare[k] = s->active.node[k];
        tdi_node_join(s, s->active.node[k], true);
        tdi_metric_quadratic(s, s->active.node[k]);
    }
    list_active(s, active);
    tdi_rigidify(s, count);
    tdi_rigid_keep(s, count);
}

// ---- a region that does not change ----------------------------------------------------------

void tdi_region_fix(td_adapt *s) {
    uint8_t *flags = (uint8_t *)s->queue.node; // empty between choices
    tdi_update_fixed(s);
    const int32_t count = s->active.count;
    memset(flags, 0, (size_t)s->model->body_count);
    for (int32_t k = 0; k < count; k++) {
        flags[s->active.node[k]] = 1;
    }
    change_region(s, flags);
    s->until_update = INT64_MAX;
}

// ---- parts ----------------------------------------------------------------------------------

void td_adapt_place(td_adapt *s) {
    if (!s) {
        return;
    }
    tdi_tree_place(s->model, s->state);
}

void td_adapt_activate(td_adapt *s, const bool *active) {
    if (!s || !active) {
        return;
    }
    uint8_t *flags = (uint8_t *)s->queue.node;
    for (int32_t i = 0; i < s->model->body_count; i++) {
        flags[i] = active[i];
    }
    change_region(s, flags);
    s->until_update = s->opts.every > 0 ? s->opts.every : INT64_MAX;
}

void td_adapt_forward(td_adapt *s, const td_step_opts *given, const td_real *torque,
                      td_real *accel) {
    td_step_opts own, *o = &own;
    if (!s || !accel || tdi_step_opts_take(given, o, NULL) != TD_OK) {
        return;
    }
    s->step++;
    tdi_pass_kinematics(s, s->active.node, s->active.count);
    tdi_pass_loads(s, o);
    memset(accel, 0, (size_t)s->model->head.dof_count * sizeof *accel);
    tdi_pass_forward(s, o, torque, s->active.node, s->active.count, accel);
}

void td_adapt_metrics(td_adapt *s, const td_step_opts *given, td_real *metrics) {
    td_step_opts own, *o = &own;
    if (!s || !metrics || tdi_step_opts_take(given, o, NULL) != TD_OK) {
        return;
    }
    s->step++;
    tdi_pass_kinematics(s, s->active.node, s->active.count);
    tdi_pass_loads(s, o);
    tdi_update_convert(s, o, NULL);
    for (int32_t k = s->model->body_count - 1; k >= 0; k--) {
        const int32_t i = s->order[k];
        td_real accel[6];
        metrics[i] = s->node[i].metric;
        tdi_update_descend(s, i, o, accel);
    }
}
