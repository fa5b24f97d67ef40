// SPDX-License-Identifier: MIT
// Frames turned by hand, and what acts on vertices and frames.

#include "rod/pose.h"

#include "base/guard.h"
#include "math/angle.h"
#include "rod/solve.h"
#include "rod/terms.h"

#include <math.h>

// Before the frame is carried on with its edge or after it: the turn is the same.
td_status td_rod_turn(td_body *body, int32_t edge, td_real angle, td_diag *diag) {
    tdi_rod_state *s = tdi_as_rod(body);
    TDI_REFUSE_IF(!s || !tdi_has(edge, s->model->edge_count));
    if (!(fabs(angle) < TDI_PI)) {
        return tdi_fail_at(diag, TD_ERR_ARGUMENT, edge,
                           "angle is %g rad; it must be less than half a turn, pi", angle);
    }
    tdi_edge *e = &s->pose[s->model->edge_node[edge]].edge;
    e->m1 = tdi_add(tdi_scale(e->m1, cos(angle)), tdi_scale(e->m2, sin(angle)));
    e->m2 = tdi_cross(e->t, e->m1);
    s->head.known = 0;
    s->stale = TDI_ROD_STALE;
    return TD_OK;
}

// The slopes of elastic energy and weight, into the work of all nodes.
static void take_slopes(tdi_rod_state *s, td_vec3 gravity) {
    const tdi_rod_potential p = {.stiffness = 1, .gravity = gravity};
    tdi_rod_follow(s);
    tdi_rod_clear(s);
    for (int32_t i = 0; i < s->model->node_count; i++) {
        tdi_rod_node_terms(s, &p, i);
    }
}

td_real tdi_rod_residual(tdi_rod_state *s, td_vec3 gravity) {
    td_real most = 0;
    take_slopes(s, gravity);
    for (int32_t i = 0; i < s->model->node_count; i++) {
        const uint32_t flags = s->model->node[i].flags;
        const td_real *r = s->work[i].r;
        for (int k = 0; k < 4; k++) {
            const bool held = flags & (k < 3 ? TDI_HELD_PLACE : TDI_HELD_TURN);
            most = held ? most : fmax(most, fabs(r[k]));
        }
    }
    return most;
}

void td_rod_forces(td_body *body, td_vec3 gravity, td_vec3 *forces, td_real *moments) {
    tdi_rod_state *s = tdi_as_rod(body);
    if (!s) {
        return;
    }
    const tdi_rod_model *m = s->model;
    take_slopes(s, gravity);
    for (int32_t k = 0; forces && k < td_rod_vertex_count(&m->head); k++) {
        const td_real *r = s->work[m->vertex_node[k]].r;
        forces[k] = tdi_vec3(-r[0], -r[1], -r[2]);
    }
    for (int32_t k = 0; moments && k < m->edge_count; k++) {
        moments[k] = -s->work[m->edge_node[k]].r[3];
    }
}
