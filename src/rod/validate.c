// SPDX-License-Identifier: MIT
// What every model of rods keeps to. Called where models are made, in debug builds alone.

#include "rod/model.h"

#include <math.h>

// Parents come first; in a ring the first node's is the last.
static void validate_node(const tdi_rod_model *m, const tdi_rod_part *p, int32_t i) {
    const tdi_rod_node *n = &m->node[i];
    TDI_ASSERT(n->parent >= TD_NONE && n->parent < p->last);
    TDI_ASSERT(n->grand >= TD_NONE && n->grand < p->last);
    if (p->ring) {
        const int32_t count = p->last - p->first, at = i - p->first;
        TDI_ASSERT(n->ring == p->first);
        TDI_ASSERT(n->parent == p->first + (at + count - 1) % count);
        TDI_ASSERT(n->grand == p->first + (at + count - 2) % count);
    } else {
        TDI_ASSERT(n->ring == TD_NONE && n->parent < i);
        TDI_ASSERT(n->parent == TD_NONE || n->parent >= p->first);
        TDI_ASSERT(n->grand == TD_NONE || n->grand == m->node[n->parent].parent);
    }
    TDI_ASSERT(n->edge >= TD_NONE && n->edge < m->edge_count);
    TDI_ASSERT(n->edge == TD_NONE || m->edge_node[n->edge] == i);
    TDI_ASSERT(n->body >= TD_NONE && n->body < m->weld_count);
    TDI_ASSERT((n->body != TD_NONE) == ((n->flags & TDI_BODY) != 0));
    TDI_ASSERT((n->rest_frame != TD_NONE) == ((n->flags & TDI_REST_FRAME) != 0));
}

static void validate_numbers(const tdi_rod_node *n) {
    TDI_ASSERT(tdi_finite3(n->start) && tdi_finite3(n->start_m1) && isfinite(n->start_twist));
    TDI_ASSERT(tdi_finite3(n->offset) && tdi_finite3(n->area));
    TDI_ASSERT(n->mass >= 0 && isfinite(n->mass) && isfinite(n->shared));
    TDI_ASSERT(n->weight >= 0 && isfinite(n->weight));
    TDI_ASSERT(n->inertia >= 0 && isfinite(n->inertia) && n->damping_time >= 0);
    if (tdi_has_edge(n)) {
        TDI_ASSERT(n->length > 0 && isfinite(n->length));
        TDI_ASSERT(n->stretch >= 0 && isfinite(n->stretch));
        TDI_ASSERT(n->radius >= 0 && isfinite(n->radius));
    }
}

void tdi_rod_model_validate(const tdi_rod_model *m) {
    int32_t next = 0;
    td_real mass = 0; // of a node alone it may be 0: bodies welded to its edge have it
    TDI_ASSERT(m->node_count > 0 && m->part_count > 0);
    for (int32_t k = 0; k < m->part_count; k++) {
        const tdi_rod_part *p = &m->part[k];
        TDI_ASSERT(p->first == next && p->last > next);
        for (; next < p->last; next++) {
            validate_node(m, p, next);
            validate_numbers(&m->node[next]);
            mass += m->node[next].mass;
        }
    }
    TDI_ASSERT(next == m->node_count);
    for (int32_t k = 0; k < m->weld_count; k++) {
        const tdi_weld *w = &m->weld[k];
        TDI_ASSERT(w->node >= 0 && w->node < m->node_count);
        TDI_ASSERT(w->mass > 0 && isfinite(w->mass) && tdi_finite3(w->moment));
        mass += w->mass;
    }
    TDI_ASSERT(mass > 0);
}
