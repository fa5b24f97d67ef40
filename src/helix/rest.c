// SPDX-License-Identifier: MIT
// Springs and weight at a pose: what they leave unbalanced, the rest curvatures for which a pose is
// in equilibrium, and models with other damping.
//
// An element is in equilibrium when k (u - rest) + g = 0, with g the gradient of the weight of all
// that it carries by its curvatures. So rest = u + g/k.

#include "helix/rest.h"

#include "helix/implicit.h"
#include "helix/points.h"

#include <string.h>

#define NO_LOAD 1e-9 // of the largest moment that the weight could have
#define TURNS   100  // of an element: more are refused

// ---- springs and weight ---------------------------------------------------------------------

void tdi_helix_expand(tdi_helix_state *s, td_vec3 gravity, const tdi_dead_load *loads,
                      int32_t count) {
    td_step_opts opts = td_step_opts_default();
    opts.gravity = gravity;
    s->head.opts = &opts;
    *s->now = (tdi_helix_step){.h = 0};
    for (int32_t i = 0; i < s->model->element_count; i++) {
        memset(&s->node[i].form, 0, sizeof s->node[i].form);
        s->levers[i].any = false;
    }
    for (int32_t k = 0; k < count; k++) {
        tdi_helix_add_stiffness(s, &(tdi_side_terms){.point = &loads[k].point,
                                                     .gradient = loads[k].gradient,
                                                     .geometric = TDI_GEOMETRIC_ALL});
    }
    for (int32_t i = s->model->element_count - 1; i >= 0; i--) {
        tdi_helix_add_element(s, i, true);
        tdi_helix_carry(s, i);
    }
    for (int32_t i = 0; i < s->model->element_count; i++) {
        if (s->levers[i].any) {
            tdi_helix_form_add_levers(&s->node[i].form, &s->levers[i]);
            s->levers[i].any = false;
        }
    }
    s->head.opts = NULL;
}

static td_real larger(td_real a, td_vec3 v) {
    return fmax(a, tdi_norm(v));
}

// Moments of elements, N m: gradients by curvatures over lengths; and of what roots leave free.
td_real tdi_helix_residual(tdi_helix_state *s, td_vec3 gravity) {
    td_real most = 0;
    tdi_helix_expand(s, gravity, NULL, 0);
    for (int32_t i = 0; i < s->model->element_count; i++) {
        const tdi_helix_element *e = &s->model->element[i];
        const tdi_helix_form *form = &s->node[i].form;
        most = larger(most, tdi_scale(form->g, 1 / e->length));
        if (e->parent == TD_NONE && e->root != TD_END_CLAMPED) {
            most = larger(most, form->start.n);
            most = e->root == TD_END_FREE ? larger(most, form->start.f) : most;
        }
    }
    return most;
}

// ---- rest under gravity ---------------------------------------------------------------------

// Mass times the way to it, however it hung: of an element and all it carries.
static td_real reach_of(const tdi_helix_model *m) {
    td_real mass = 0, length = 0;
    for (int32_t i = 0; i < m->element_count; i++) {
        mass += m->element[i].mass;
        length += m->element[i].length + tdi_norm(m->element[i].place);
    }
    return mass * length;
}

// A curvature of the spring that bears the load. False: it has no stiffness.
static bool bear(td_real u, td_real k, td_real load, td_real none, td_real *rest) {
    *rest = k > 0 ? u + load / k : u;
    return k > 0 || fabs(load) <= none;
}

// What is wrong, or NULL. `none` is a moment that counts as none.
static const char *rest_element(const tdi_helix_state *s, int32_t i, td_real none,
                                tdi_helix_element *e) {
    const tdi_helix_form *form = &s->node[i].form;
    const td_vec3 u = s->pose.u[i], k = e->stiffness,
                  load = tdi_sub(form->g, tdi_times(k, tdi_sub(u, e->rest)));
    const td_real most = none * e->length;
    td_vec3 rest;
    if (e->parent == TD_NONE && e->root == TD_END_FREE && tdi_norm(form->start.f) > 0) {
        return "nothing holds it";
    }
    if (e->parent == TD_NONE && e->root != TD_END_CLAMPED && tdi_norm(form->start.n) > none) {
        return "nothing keeps it from turning";
    }
    if (!bear(u.x, k.x, load.x, most, &rest.x) || !bear(u.y, k.y, load.y, most, &rest.y) ||
        !bear(u.z, k.z, load.z, most, &rest.z)) {
        return "it has no stiffness";
    }
    if (!(tdi_norm(rest) * e->length <= TURNS * 2 * TDI_PI)) {
        return "it would have to be curled by more than a hundred turns";
    }
    e->rest = rest;
    e->start = u;
    return NULL;
}

static td_status rest_all(tdi_helix_state *s, td_vec3 gravity, tdi_helix_model *to, td_diag *diag) {
    const td_real none = NO_LOAD * reach_of(to) * tdi_norm(gravity);
    tdi_helix_expand(s, gravity, NULL, 0);
    for (int32_t i = 0; i < to->element_count; i++) {
        const char *wrong = rest_element(s, i, none, &to->element[i]);
        if (wrong) {
            return tdi_fail_at(diag, TD_ERR_ARGUMENT, i, "element %d cannot carry its load: %s",
                               (int)i, wrong);
        }
    }
    return TD_OK;
}

td_status tdi_helix_rest_new(const void *model, td_vec3 gravity, const td_alloc *alloc,
                             td_body_model **out, td_diag *diag) {
    tdi_helix_state *s = NULL;
    tdi_helix_model *next = NULL;
    *out = NULL;
    td_status status = tdi_helix_state_new(model, alloc, &s, diag);
    status = status == TD_OK ? tdi_helix_model_copy(model, alloc, &next, diag) : status;
    status = status == TD_OK ? rest_all(s, gravity, next, diag) : status;
    tdi_state_free(s);
    if (status != TD_OK) {
        tdi_model_free(next);
        return status;
    }
    *out = &next->head;
    return TD_OK;
}

// ---- damping --------------------------------------------------------------------------------

static td_status with_time(const tdi_helix_model *model, td_real time, const td_alloc *alloc,
                           tdi_helix_model **out, td_diag *diag) {
    td_status status = tdi_helix_model_copy(model, alloc, out, diag);
    for (int32_t i = 0; status == TD_OK && i < model->element_count; i++) {
        (*out)->element[i].friction = tdi_scale((*out)->element[i].stiffness, time);
    }
    return status;
}

td_status tdi_helix_damped_new(const void *model, const td_damping_opts *opts,
                               const td_alloc *alloc, td_body_model **out, td_diag *diag) {
    tdi_helix_model *next = NULL, *second = NULL;
    td_real time = opts->value;
    td_status status = TD_OK;
    if (opts->kind == TD_DAMPING_RATIO) {
        status = with_time(model, 1, alloc, &second, diag);
        status =
            status == TD_OK ? tdi_damping_time(&second->head, opts, alloc, &time, diag) : status;
        tdi_model_free(second);
    }
    status = status == TD_OK ? with_time(model, time, alloc, &next, diag) : status;
    *out = (td_body_model *)next;
    return status;
}
