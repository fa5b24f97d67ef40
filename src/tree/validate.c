// SPDX-License-Identifier: MIT
// What every model of a tree keeps to. Called where models are made, in debug builds alone.

#include "tree/model.h"

#include <math.h>

static void validate_body(const tdi_body *b) {
    TDI_ASSERT(b->mass > 0 && isfinite(b->mass));
    TDI_ASSERT(tdi_finite3(b->moment));
    TDI_ASSERT(isfinite(b->second.xx + b->second.yy + b->second.zz));
    TDI_ASSERT(isfinite(b->second.xy + b->second.xz + b->second.yz));
    TDI_ASSERT(b->second.xx >= 0 && b->second.yy >= 0 && b->second.zz >= 0);
    TDI_ASSERT(b->stiffness.x >= 0 && b->stiffness.y >= 0 && b->stiffness.z >= 0);
    TDI_ASSERT(b->damping.x >= 0 && b->damping.y >= 0 && b->damping.z >= 0);
    TDI_ASSERT(tdi_finite3(b->stiffness) && tdi_finite3(b->damping));
    TDI_ASSERT(tdi_finite3(b->attach) && tdi_finite3(b->tip) && tdi_finite3(b->area));
    TDI_ASSERT(isfinite(b->rest.w + b->rest.x + b->rest.y + b->rest.z));
    TDI_ASSERT(isfinite(b->initial.w + b->initial.x + b->initial.y + b->initial.z));
    TDI_ASSERT(isfinite(b->initial_slide) && b->radius >= 0);
}

// Every body once, in order; a run has one sort of kernel.
static void validate_runs(const tdi_tree_model *m) {
    int32_t next = 0;
    for (int32_t k = 0; k < m->run_count; k++) {
        TDI_ASSERT(m->run[k].first == next && m->run[k].last > next);
        for (; next < m->run[k].last; next++) {
            TDI_ASSERT((m->kind[next] == TD_JOINT_BALL) == m->run[k].ball);
        }
    }
    TDI_ASSERT(next == m->body_count);
}

// Every body once, in order. What hangs on a subtree's bodies is in it, but for its first, which
// may hang on anything before.
static void validate_parts(const tdi_tree_model *m) {
    int32_t next = 0;
    for (int32_t k = 0; k < m->part_count; k++) {
        const tdi_part *p = &m->part[k];
        TDI_ASSERT(p->first == next && p->last > next);
        for (next = p->first + 1; p->subtree && next < p->last; next++) {
            TDI_ASSERT(m->parent[next] >= p->first);
        }
        next = p->last;
    }
    TDI_ASSERT(next == m->body_count);
}

void tdi_tree_model_validate(const tdi_tree_model *m) {
    int32_t others = 0;
    TDI_ASSERT(m->body_count > 0 && m->dof[0] == 0 && m->coord[0] == 0);
    for (int32_t i = 0; i < m->body_count; i++) {
        TDI_ASSERT(m->parent[i] >= TD_NONE && m->parent[i] < i);
        TDI_ASSERT(m->dof[i + 1] >= m->dof[i] && m->dof[i + 1] - m->dof[i] <= 6);
        TDI_ASSERT(m->coord[i + 1] - m->coord[i] >= m->dof[i + 1] - m->dof[i]);
        TDI_ASSERT(m->other_place[i] == (m->kind[i] == TD_JOINT_BALL ? TD_NONE : others));
        others += m->kind[i] != TD_JOINT_BALL;
        validate_body(&m->body[i]);
    }
    TDI_ASSERT(others == m->other_count);
    TDI_ASSERT(m->dof[m->body_count] == m->head.dof_count);
    TDI_ASSERT(m->coord[m->body_count] == m->coord_count);
    validate_runs(m);
    validate_parts(m);
}
