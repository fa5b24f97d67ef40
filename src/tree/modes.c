// SPDX-License-Identifier: MIT
// The lowest vibration modes of a tree about a pose: K x = lambda M x by subspace iteration, with
// the products and the factored solve of tangent.h. O(bodies) an iteration for a given count.
// Memory is one block from the state's allocator, freed before the end.

#include "tree/tangent.h"

#include "base/guard.h"
#include "base/range.h"
#include "math/subspace.h"
#include "tree/implicit.h"

#include <string.h>

// ---- what the iteration asks for ------------------------------------------------------------

int32_t tdi_tree_modal_open(void *tangent, void *body, tdi_layout *l) {
    tdi_tree_state *s = body;
    tdi_tangent *t = tangent;
    *t = (tdi_tangent){.model = s->model, .state = s};
    tdi_tangent_place(t, l);
    return s->model->head.dof_count;
}

void tdi_tree_modal_expand(void *tangent, td_vec3 gravity, const tdi_dead_load *loads,
                           int32_t count, td_real *gradient) {
    tdi_tangent_expand(tangent, gravity, loads, count);
    if (gradient) {
        tdi_tangent_slope(tangent, gradient);
    }
}

tdi_modal_form tdi_tree_modal_measure(void *tangent, const td_real *x, int32_t mode,
                                      td_real *shapes) {
    const tdi_tangent *t = tangent;
    const int32_t length = t->model->head.dof_count;
    if (shapes) {
        memcpy(shapes + (ptrdiff_t)mode * length, x, (size_t)length * sizeof *shapes);
    }
    return tdi_joints_form(t->model, t->state, x);
}

const tdi_modal tdi_tree_modal = {TDI_TREE_MODAL, .open = tdi_tree_modal_open};

// ---- entry ----------------------------------------------------------------------------------

td_status td_tree_modes(td_body *body, td_vec3 gravity, int32_t count, td_mode *modes,
                        td_real *shapes, td_diag *diag) {
    TDI_REFUSE_IF(!tdi_as_tree(body) || !modes);
    return tdi_modes_alone(body, gravity, count, modes, shapes, diag);
}
