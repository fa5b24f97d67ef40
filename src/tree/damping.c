// SPDX-License-Identifier: MIT
// Damping that a person can set: joint damping = time * joint stiffness.
//
// Method   with x the lowest mode that bends a spring, x^T M x = 1 and angular frequency w, the
//          damping ratio is time x^T K x/(2 w), K the stiffness of the joints alone; without
//          weight x^T K x = w^2. So time = 2 w ratio/(x^T K x).

#include "tree/tangent.h"

#include "base/guard.h"
#include "base/opts.h"

#define LOWEST     12   // modes to look at: the first may be those of a free or limp tree
#define LEAST_PART 1e-6 // of w^2 that must be elastic

// Damping over stiffness for which the lowest elastic mode has this ratio.
static td_status time_of_ratio(tdi_tree_state *s, td_vec3 gravity, td_real ratio, td_real *time,
                               td_diag *diag) {
    const tdi_tree_model *m = s->model;
    int32_t count = m->head.dof_count < LOWEST ? m->head.dof_count : LOWEST;
    size_t length = (size_t)m->head.dof_count, numbers = (size_t)count * length;
    td_mode modes[LOWEST];
    td_real *shapes = tdi_alloc_zeroed(s->head.alloc, (size_t)count * sizeof *shapes, length);
    if (!shapes && numbers > 0) {
        return tdi_fail(diag, TD_ERR_MEMORY, "out of memory for the modes");
    }
    td_status status = tdi_modes_alone(&s->head, gravity, count, modes, shapes, diag);
    *time = -1;
    for (int32_t j = 0; status == TD_OK && *time < 0 && j < count; j++) {
        td_real w = 2 * TDI_PI * modes[j].frequency;
        td_real elastic = tdi_joints_form(m, s, shapes + (size_t)j * length).stiffness;
        if (w > 0 && elastic > LEAST_PART * w * w) {
            *time = 2 * w * ratio / elastic;
        }
    }
    tdi_alloc_free(s->head.alloc, shapes, numbers * sizeof *shapes);
    if (status == TD_OK && *time < 0) {
        status = tdi_fail(
            diag, TD_ERR_ARGUMENT,
            "the damping ratio cannot be set: none of the lowest %d modes deforms a joint", count);
    }
    return status;
}

td_status td_tree_model_damped_new(td_body *body, const td_damping_opts *opts,
                                   const td_alloc *alloc, td_body_model **out, td_diag *diag) {
    tdi_tree_model *next = NULL;
    tdi_tree_state *state = tdi_as_tree(body);
    TDI_CLEAR(out);
    TDI_REFUSE_IF(!state || !out);
    td_damping_opts own = td_damping_opts_default();
    td_status status = tdi_opts_take("td_damping_opts", &own, opts, diag);
    status = status == TD_OK ? tdi_damping_opts_check(&own, diag) : status;
    td_real time = own.value;
    if (status == TD_OK && own.kind == TD_DAMPING_RATIO) {
        status = time_of_ratio(state, own.gravity, own.value, &time, diag);
    }
    status = status == TD_OK ? tdi_tree_model_copy(state->model, alloc, &next, diag) : status;
    for (int32_t i = 0; status == TD_OK && i < next->body_count; i++) {
        tdi_body *b = &next->body[i];
        b->damping = tdi_scale(b->stiffness, time);
    }
    if (status == TD_OK) {
        *out = &next->head;
    }
    return status;
}
