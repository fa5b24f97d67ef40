// SPDX-License-Identifier: MIT
// Rods that rest as they are drawn.
//
// The forces at a node and the moment about its edge depend on the joint and the edge that end
// there, on those further out, and on nothing else. From the tips to the roots each joint and edge
// in turn gets what it has to be at ease so that its node is at rest: four numbers (two curvatures,
// twist, length) from four equations, which are linear.

#include "rod/rest.h"

#include "rod/solve.h"
#include "rod/state.h"
#include "rod/terms.h"

#include <math.h>
#include <string.h>

#define LEAST_PIVOT 1e-10 // of the largest number of its row

static td_status copy_model(const tdi_rod_model *m, const td_alloc *alloc, tdi_rod_model **out,
                            td_diag *diag) {
    char *block = tdi_alloc_zeroed(alloc, 1, m->head.bytes);
    *out = NULL;
    if (!block) {
        return tdi_fail(diag, TD_ERR_MEMORY, "out of memory for the rods");
    }
    const char *from = (const char *)m;
    tdi_rod_model *c = (tdi_rod_model *)block;
    memcpy(block, m, m->head.bytes);
    c->head.alloc = alloc;
    c->node = (tdi_rod_node *)(block + ((const char *)m->node - from));
    c->head.parameters = c->node;
    c->part = (tdi_rod_part *)(block + ((const char *)m->part - from));
    c->weld = (tdi_weld *)(block + ((const char *)m->weld - from));
    c->solid = (tdi_rod_solid *)(block + ((const char *)m->solid - from));
    c->rest_frame = (tdi_mat3 *)(block + ((const char *)m->rest_frame - from));
    c->edge_node = (int32_t *)(block + ((const char *)m->edge_node - from));
    c->rod_first = (int32_t *)(block + ((const char *)m->rod_first - from));
    c->vertex_node = (int32_t *)(block + ((const char *)m->vertex_node - from));
    c->end_node = (int32_t *)(block + ((const char *)m->end_node - from));
    *out = c;
    return TD_OK;
}

// ---- one node -------------------------------------------------------------------------------

enum { UNKNOWNS = 4 };

static td_real *unknown(tdi_rod_node *n, int k) {
    return k < 3 ? &n->law.rest[k] : &n->length;
}

// Gradient at a node when its own terms are added to `outer`, what comes from further out.
static void gradient(tdi_rod_state *s, const tdi_rod_potential *p, int32_t i,
                     const tdi_rod_work *outer, td_real out[UNKNOWNS]) {
    const tdi_rod_node *n = &s->model->node[i];
    tdi_rod_work up = s->work[n->parent], far = up;
    if (tdi_has_joint(n)) {
        far = s->work[n->grand];
    }
    s->work[i] = *outer;
    tdi_rod_node_terms(s, p, i);
    memcpy(out, s->work[i].r, UNKNOWNS * sizeof *out);
    s->work[n->parent] = up;
    if (tdi_has_joint(n)) {
        s->work[n->grand] = far;
    }
}

// a x = b by elimination with the largest pivots; false when there is none.
static bool solve(td_real a[UNKNOWNS][UNKNOWNS], td_real b[UNKNOWNS]) {
    for (int j = 0; j < UNKNOWNS; j++) {
        int best = j;
        td_real most = 0;
        for (int i = j; i < UNKNOWNS; i++) {
            best = fabs(a[i][j]) > fabs(a[best][j]) ? i : best;
        }
        for (int k = 0; k < UNKNOWNS; k++) {
            td_real swap = a[j][k];
            a[j][k] = a[best][k];
            a[best][k] = swap;
            most = fmax(most, fabs(a[j][k]));
        }
        td_real swap = b[j];
        b[j] = b[best];
        b[best] = swap;
        if (!(fabs(a[j][j]) > LEAST_PIVOT * most)) {
            return false;
        }
        for (int i = 0; i < UNKNOWNS; i++) {
            td_real share = i == j ? 0 : a[i][j] / a[j][j];
            for (int k = j; k < UNKNOWNS; k++) {
                a[i][k] -= share * a[j][k];
            }
            b[i] -= share * b[j];
        }
    }
    for (int j = 0; j < UNKNOWNS; j++) {
        b[j] /= a[j][j];
    }
    return true;
}

// g(rest) = g0 - A (rest - rest0): A by one difference each, which is exact.
static td_status set_at_ease(tdi_rod_state *s, tdi_rod_model *m, const tdi_rod_potential *p,
                             int32_t i, td_diag *diag) {
    tdi_rod_node *n = &m->node[i];
    const tdi_rod_work outer = s->work[i];
    td_real g0[UNKNOWNS], g[UNKNOWNS], a[UNKNOWNS][UNKNOWNS];
    gradient(s, p, i, &outer, g0);
    for (int k = 0; k < UNKNOWNS; k++) {
        const td_real was = *unknown(n, k), by = k < 3 ? 1 : n->length;
        *unknown(n, k) = was + by;
        gradient(s, p, i, &outer, g);
        *unknown(n, k) = was;
        for (int j = 0; j < UNKNOWNS; j++) {
            a[j][k] = (g0[j] - g[j]) / by;
        }
    }
    if (!solve(a, g0)) {
        return tdi_fail_at(diag, TD_ERR_ARGUMENT, n->edge,
                           "segment %d cannot carry its load: its joint has no stiffness", n->edge);
    }
    for (int k = 0; k < UNKNOWNS; k++) {
        *unknown(n, k) += g0[k];
    }
    if (!(n->length > 0)) {
        return tdi_fail_at(diag, TD_ERR_ARGUMENT, n->edge,
                           "segment %d cannot carry its load: its stiffness is too small", n->edge);
    }
    return TD_OK;
}

// ---- entry ----------------------------------------------------------------------------------

static td_status rest_of(tdi_rod_state *s, tdi_rod_model *m, td_vec3 gravity, td_diag *diag) {
    const tdi_rod_potential p = {.stiffness = 1, .gravity = gravity};
    td_status status = TD_OK;
    tdi_rod_clear(s);
    for (int32_t i = m->node_count - 1; i >= 0 && status == TD_OK; i--) {
        const tdi_rod_node *n = &m->node[i];
        if (n->flags & TDI_HELD_PLACE) {
            tdi_rod_node_terms(s, &p, i);
            continue;
        }
        if (n->ring != TD_NONE || !tdi_has_joint(n)) {
            return tdi_fail(diag, TD_ERR_ARGUMENT,
                            "a rest shape under gravity needs a rod that is clamped at one end; "
                            "this rod is not clamped");
        }
        status = set_at_ease(s, m, &p, i, diag);
        tdi_rod_node_terms(s, &p, i);
    }
    return status;
}

td_status tdi_rod_model_rest_new(const tdi_rod_model *model, td_vec3 gravity, const td_alloc *alloc,
                                 tdi_rod_model **out, td_diag *diag) {
    tdi_rod_state *state = NULL;
    td_status status = copy_model(model, alloc, out, diag);
    status = status == TD_OK ? tdi_rod_state_new(*out, alloc, &state, diag) : status;
    status = status == TD_OK ? rest_of(state, *out, gravity, diag) : status;
    tdi_state_free(state);
    if (status != TD_OK) {
        tdi_model_free(*out);
        *out = NULL;
    } else if (TDI_ASSERTS) {
        tdi_rod_model_validate(*out);
    }
    return status;
}

td_status tdi_rod_model_damped_new(const tdi_rod_model *model, td_real time, const td_alloc *alloc,
                                   tdi_rod_model **out, td_diag *diag) {
    td_status status = copy_model(model, alloc, out, diag);
    for (int32_t i = 0; status == TD_OK && i < model->node_count; i++) {
        (*out)->node[i].damping_time = time;
    }
    return status;
}
