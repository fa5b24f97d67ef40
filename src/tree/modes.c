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

static void stiffness(void *tangent, const td_real *x, td_real *y) {
    tdi_tangent_stiffness(tangent, x, y);
}

static void inertia(void *tangent, const td_real *x, td_real *y) {
    tdi_tangent_inertia(tangent, x, y);
}

static void diagonal(void *tangent, td_real *y) {
    tdi_tangent_inertia_diagonal(tangent, y);
}

static bool factor(void *tangent, td_real shift) {
    return tdi_tangent_factor(tangent, shift);
}

static void solve(void *tangent, td_real *x) {
    tdi_tangent_solve(tangent, x);
}

// ---- with constraints -----------------------------------------------------------------------

static int32_t open_tangent(void *tangent, void *body) {
    tdi_tree_state *s = body;
    *(tdi_tangent *)tangent = (tdi_tangent){.model = s->model, .state = s};
    return s->model->head.dof_count;
}

static void place(void *context, tdi_layout *l) {
    tdi_tangent_place(context, l);
}

static void expand(void *tangent, td_vec3 gravity, const tdi_lasting_load *loads, int32_t count) {
    tdi_tangent_expand(tangent, gravity, loads, count);
}

static void gradient(void *tangent, td_real *y) {
    tdi_tangent_slope(tangent, y);
}

static void respond(void *tangent, td_real *x) {
    tdi_tangent_respond(tangent, x);
}

static void forces(void *tangent, tdi_points points, const td_vec3 *at, td_real *y) {
    tdi_tangent_forces(tangent, points, at, y);
}

static tdi_modal_form form_of(void *tangent, const td_real *x) {
    const tdi_tangent *t = tangent;
    return tdi_joints_form(t->model, t->state, x);
}

static void shape_of(void *tangent, const td_real *x, int32_t mode, td_real *shapes) {
    const tdi_tangent *t = tangent;
    const int32_t length = t->model->head.dof_count;
    memcpy(shapes + (ptrdiff_t)mode * length, x, (size_t)length * sizeof *shapes);
}

const tdi_modal tdi_tree_modal = {.bytes = sizeof(tdi_tangent),
                                  .open = open_tangent,
                                  .place = place,
                                  .expand = expand,
                                  .gradient = gradient,
                                  .stiffness = stiffness,
                                  .inertia = inertia,
                                  .diagonal = diagonal,
                                  .factor = factor,
                                  .respond = respond,
                                  .solve = solve,
                                  .forces = forces,
                                  .form = form_of,
                                  .shape = shape_of};

// ---- entry ----------------------------------------------------------------------------------

td_status td_tree_modes(td_body *body, td_vec3 gravity, int32_t count, td_mode *modes,
                        td_real *shapes, td_diag *diag) {
    if (!tdi_as_tree(body) || !modes) {
        return tdi_refuse(diag, __func__);
    }
    return tdi_solver_modes_of(body, gravity, count, modes, shapes, diag);
}
