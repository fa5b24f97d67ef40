// SPDX-License-Identifier: MIT
// Joints that a program drives; see drive.h.

#include "tree/drive.h"

#include "load/point.h"
#include "tree/load.h"

#include <math.h>

td_joint_drive td_joint_drive_default(void) {
    return (td_joint_drive){.low = -INFINITY, .high = INFINITY, .limit_stiffness = 100};
}

// ---- checks ---------------------------------------------------------------------------------

static td_status refuse(td_diag *diag, int32_t dof, const char *what) {
    return tdi_fail_at(diag, TD_ERR_ARGUMENT, dof, "drives[%d]: %s", (int)dof, what);
}

static bool is_free(const td_joint_drive *d) {
    return d->low == -INFINITY && d->high == INFINITY;
}

static td_status check_one(const td_joint_drive *d, int32_t dof, int32_t kind, td_diag *diag) {
    const bool single = kind == TD_JOINT_HINGE || kind == TD_JOINT_SLIDE;
    if (!isfinite(d->torque) || !isfinite(d->offset)) {
        return refuse(diag, dof, "torque and offset must be finite");
    }
    if (!(d->low <= d->high)) {
        return refuse(diag, dof, "low must not be above high");
    }
    if (!isfinite(d->limit_stiffness) || d->limit_stiffness < 0) {
        return refuse(diag, dof, "limit_stiffness must be 0 or above");
    }
    if (!single && !is_free(d)) {
        return refuse(diag, dof, "limits are for hinges and slides; ball joints have constraints");
    }
    return kind == TD_JOINT_FREE && d->offset != 0
               ? refuse(diag, dof, "a free joint has no spring and takes no offset")
               : TD_OK;
}

td_status tdi_drives_check(const void *state, const td_joint_drive *drives, td_diag *diag) {
    const tdi_tree_model *m = ((const tdi_tree_state *)state)->model;
    td_status status = TD_OK;
    for (int32_t i = 0; i < m->body_count; i++) {
        for (int32_t d = m->dof[i]; d < m->dof[i + 1] && status == TD_OK; d++) {
            status = check_one(&drives[d], d, m->kind[i], diag);
        }
    }
    return status;
}

// ---- balls and free joints ------------------------------------------------------------------

// The torque at three degrees of freedom, and that of the spring's offset.
static td_vec3 push_of(const td_joint_drive *d, td_vec3 k) {
    return tdi_vec3(d[0].torque + k.x * d[0].offset, d[1].torque + k.y * d[1].offset,
                    d[2].torque + k.z * d[2].offset);
}

// Force and torque on a body in world axes.
typedef struct effort {
    td_vec3 force, torque;
    bool any;
} effort;

static effort effort_of(const tdi_tree_model *m, const tdi_tree_state *s, int32_t i,
                        const tdi_potential *p) {
    const td_joint_drive *d = p->drives + m->dof[i];
    const td_vec3 k = tdi_scale(m->body[i].stiffness, p->stiffness), none = {0, 0, 0};
    effort e = {none, none, false};
    if (m->kind[i] == TD_JOINT_BALL) {
        e.torque = tdi_mat3_apply(&s->past[i].r, push_of(d, k));
    } else if (m->kind[i] == TD_JOINT_FREE) {
        e.force = tdi_mat3_apply(&s->base.r, push_of(d, none));
        e.torque = tdi_mat3_apply(&s->past[i].r, push_of(d + 3, none));
    }
    e.any = tdi_dot(e.torque, e.torque) > 0 || tdi_dot(e.force, e.force) > 0;
    return e;
}

td_real tdi_drives_value(const tdi_tree_model *m, const tdi_tree_state *s, const tdi_potential *p) {
    td_real value = 0;
    for (int32_t i = 0; i < m->body_count; i++) {
        const effort e = effort_of(m, s, i, p);
        if (!e.any) {
            continue;
        }
        const td_load torque = {.vector = e.torque};
        const int32_t up = m->parent[i];
        value += tdi_torque_value(&torque, &s->frame[i].r, &s->past[i].r) -
                 tdi_dot(e.force, s->frame[i].o);
        if (up != TD_NONE) {
            value -= tdi_torque_value(&torque, &s->frame[up].r, &s->past[up].r);
        }
    }
    return p->spring * value;
}

static void add_torque(tdi_tree_state *s, int32_t i, td_vec3 torque, td_real weight) {
    tdi_node *node = tdi_node_open(s, i);
    node->load.n = tdi_madd(node->load.n, torque, -weight);
    node->spin = tdi_madd(node->spin, torque, -weight);
}

void tdi_drives_expand(const tdi_tree_model *m, tdi_tree_state *s, const tdi_potential *p) {
    const td_sym3 flat = {0};
    for (int32_t i = 0; i < m->body_count; i++) {
        const effort e = effort_of(m, s, i, p);
        if (!e.any) {
            continue;
        }
        add_torque(s, i, e.torque, p->spring);
        if (m->parent[i] != TD_NONE) {
            add_torque(s, m->parent[i], e.torque, -p->spring);
        }
        if (m->kind[i] == TD_JOINT_FREE) {
            tdi_tree_add_point(s, i, tdi_vec3(0, 0, 0), tdi_scale(e.force, -p->spring), &flat,
                               true);
        }
    }
}

// ---- explicit steps -------------------------------------------------------------------------

void tdi_drives_torque(const tdi_tree_model *m, const tdi_tree_state *s,
                       const td_joint_drive *drives, td_real stiffness, td_real *torque) {
    for (int32_t i = 0; i < m->body_count; i++) {
        const int32_t d = m->dof[i], count = m->dof[i + 1] - d;
        const td_vec3 k = tdi_scale(m->body[i].stiffness, stiffness);
        const td_real each[3] = {k.x, k.y, k.z};
        if (count == 1) {
            torque[d] -= tdi_drive_at(&drives[d], k.x, s->q[m->coord[i]]).slope;
            continue;
        }
        for (int32_t c = 0; c < count; c++) {
            torque[d + c] +=
                drives[d + c].torque + (count == 3 ? each[c] * drives[d + c].offset : 0);
        }
    }
}
