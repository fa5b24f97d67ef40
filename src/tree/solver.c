// SPDX-License-Identifier: MIT
// The tree as a solver: the functions of tree.h behind the table that a world asks.

#include "tree/solver.h"

#include "base/alloc.h"
#include "base/diag.h"
#include "tree/analytic.h"
#include "tree/dynamics.h"
#include "tree/implicit.h"
#include "tree/inherit.h"
#include "tree/joint.h"
#include "tree/saving.h"

#define CONTACT_ROWS 192 // at most

// ---- models ---------------------------------------------------------------------------------

static td_status rest_new(const void *model, td_vec3 gravity, const td_alloc *alloc,
                          td_body_model **out, td_diag *diag) {
    tdi_tree_state *state = NULL;
    td_status status = tdi_tree_state_new(model, alloc, &state, diag);
    if (status == TD_OK) {
        status = td_tree_model_rest_new(&state->head, gravity, alloc, out, diag);
    }
    tdi_state_free(state);
    return status;
}

// A ratio is of a mode, and modes are about the pose at rest.
static td_status damped_new(const void *model, const td_damping_opts *opts, const td_alloc *alloc,
                            td_body_model **out, td_diag *diag) {
    tdi_tree_state *state = NULL;
    td_step_opts rest = td_step_opts_default();
    rest.gravity = opts->gravity;
    td_status status = tdi_tree_state_new(model, alloc, &state, diag);
    if (status == TD_OK && opts->kind == TD_DAMPING_RATIO) {
        status = tdi_solver_settle(&tdi_solver_tree, state, &rest, NULL, diag);
    }
    if (status == TD_OK) {
        status = td_tree_model_damped_new(&state->head, opts, alloc, out, diag);
    }
    tdi_state_free(state);
    return status;
}

// A hinge about the axis a has the share k_x a_x^2 + k_y a_y^2 + k_z a_z^2 of a ball's springs,
// where a_x^2 + a_z^2 = 1 - a_y^2.
static td_vec3 factors_of(const tdi_tree_model *m, int32_t i, td_real bend, td_real twist) {
    const td_real y = m->body[i].axis.y, hinge = bend + (twist - bend) * y * y;
    return m->kind[i] == TD_JOINT_HINGE   ? tdi_vec3(hinge, hinge, hinge)
           : m->kind[i] == TD_JOINT_SLIDE ? tdi_vec3(1, 1, 1)
                                          : tdi_vec3(bend, twist, bend);
}

static void stiffen(void *model, const void *parameters, td_real bend, td_real twist) {
    tdi_tree_model *m = model;
    const tdi_body *from = parameters;
    for (int32_t i = 0; i < m->body_count; i++) {
        const td_vec3 by = factors_of(m, i, bend, twist);
        m->body[i].stiffness = tdi_times(from[i].stiffness, by);
        m->body[i].damping = tdi_times(from[i].damping, by);
    }
}

static td_status take_springs(void *model, const td_skeleton *from, const td_skeleton *to,
                              int32_t first, int32_t count, tdi_factors by, td_diag *diag) {
    tdi_tree_model *m = model;
    const td_segment *s = td_skeleton_segments(to);
    (void)from, (void)diag;
    for (int32_t i = first; i < first + count; i++) {
        const td_vec3 factors = factors_of(m, i, by.bend, by.twist);
        m->body[i].stiffness = tdi_times(s[i].stiffness, factors);
        m->body[i].damping = tdi_times(s[i].damping, factors);
    }
    return TD_OK;
}

// ---- states ---------------------------------------------------------------------------------

static td_status state_new(const void *model, const td_alloc *alloc, td_body **out, td_diag *diag) {
    tdi_tree_state *state = NULL;
    td_status status = tdi_tree_state_new(model, alloc, &state, diag);
    *out = (td_body *)state;
    return status;
}

static void set_base(void *state, const td_base_motion *motion) {
    tdi_tree_set_base(state, motion);
}

static td_status explicit_step(void *state, const td_step_opts *opts, td_step_stats *stats,
                               td_diag *diag) {
    tdi_tree_state *s = state;
    td_status status = tdi_explicit_step(s->model, s, opts);
    stats->steps += status == TD_OK;
    return status == TD_OK
               ? TD_OK
               : tdi_fail(diag, TD_ERR_DIVERGED, "the step at %g s diverged; try a shorter step",
                          s->head.time);
}

static td_real residual(void *state, td_vec3 gravity) {
    return tdi_tree_residual(state, gravity);
}

// ---- segments -------------------------------------------------------------------------------

static void poses(const void *state, int32_t first, int32_t count, td_vec3 *origins, td_vec3 *tips,
                  td_quat *rotations) {
    for (int32_t k = 0; k < count; k++) {
        if (origins) {
            origins[k] = tdi_tree_origin(state, first + k);
        }
        if (tips) {
            tips[k] = tdi_tree_tip(state, first + k);
        }
        if (rotations) {
            rotations[k] = tdi_tree_rotation(state, first + k);
        }
    }
}

static void velocities(void *state, int32_t first, int32_t count, const td_vec3 *points,
                       td_vec3 *out) {
    const tdi_body *body = ((const tdi_tree_state *)state)->model->body + first;
    for (int32_t k = 0; k < count; k++) {
        out[k] = tdi_tree_velocity_of(state, first + k, points ? points[k] : body[k].tip);
    }
}

static td_vec3 turn(const void *state, int32_t segment) {
    const tdi_tree_state *s = state;
    const tdi_tree_model *m = s->model;
    const td_real *a = s->angle + m->dof[segment];
    switch ((td_joint_kind)m->kind[segment]) {
    case TD_JOINT_BALL: return tdi_vec3(a[0], a[1], a[2]);
    case TD_JOINT_HINGE: return tdi_scale(m->body[segment].axis, a[0]);
    default: return tdi_vec3(0, 0, 0);
    }
}

static td_vec3 moment(const void *state, int32_t segment, td_real stiffness) {
    const tdi_tree_state *s = state;
    const tdi_tree_model *m = s->model;
    const td_vec3 k = tdi_scale(m->body[segment].stiffness, stiffness), a = turn(state, segment);
    if (m->kind[segment] == TD_JOINT_HINGE) { // its stiffness about the axis is in x
        return tdi_scale(a, k.x);
    }
    if (m->kind[segment] == TD_JOINT_BALL && m->law == TD_LAW_TANGENT) {
        return tdi_tangent_gradient(k, s->q + m->coord[segment]);
    }
    return tdi_vec3(k.x * a.x, k.y * a.y, k.z * a.z);
}

// ---- the whole ------------------------------------------------------------------------------

static td_sums sums(void *state, td_vec3 gravity) {
    td_sums out = {.energy = tdi_tree_energy(state, gravity)};
    tdi_tree_momentum(state, &out.linear, &out.angular);
    return out;
}

// ---- constraints in explicit steps ----------------------------------------------------------

// Rows for contact: three a touch, and each of the two ends of a capsule touches two colliders, up
// to a bound, since the matrix is dense.
static int32_t contact_rows(void *const *states, int32_t count) {
    int64_t rows = 0;
    for (int32_t k = 0; k < count; k++) {
        const tdi_tree_state *s = states[k];
        rows += 3 * 2 * 2 * (int64_t)s->model->capsule_count;
    }
    return (int32_t)(rows < CONTACT_ROWS ? rows : CONTACT_ROWS);
}

static td_status holds_make(void *const *states, int32_t count, const td_constraint *constraints,
                            int32_t constraint_count, const td_contact_opts *contact,
                            const td_alloc *alloc, void **held, td_diag *diag) {
    td_analytic_opts opts = td_analytic_opts_default();
    td_analytic *analytic = NULL;
    opts.row_limit = TDI_ANALYTIC_ROWS * constraint_count;
    if (contact) {
        opts.law = contact->law;
        opts.row_limit += contact_rows(states, count);
    }
    opts.row_limit = opts.row_limit > 0 ? opts.row_limit : 1;
    td_status status = td_analytic_new((td_body *const *)states, count, constraints,
                                       constraint_count, &opts, alloc, &analytic, diag);
    *held = analytic;
    return status;
}

static void holds_free(void *held) {
    td_analytic_free(held);
}

static void holds_target(void *held, int32_t k, const td_constraint_target *target) {
    td_analytic_set_target(held, k, target);
}

static void holds_place(void *held, int32_t k, const td_constraint_target *target) {
    tdi_analytic_hold *h = &((td_analytic *)held)->hold[k];
    h->target = h->target_start = *target;
}

static void holds_hold(void *held, int32_t k, bool hold) {
    td_analytic_set_hold(held, k, hold);
}

static td_status holds_step(void *held, const td_step_opts *opts, const td_collider *colliders,
                            int32_t collider_count, td_step_stats *stats, td_diag *diag) {
    return td_analytic_step(held, opts, colliders, collider_count, stats, diag);
}

static int32_t holds_contacts(const void *held, td_contact *contacts, int32_t capacity) {
    const td_analytic *a = held;
    for (int32_t k = 0; k < a->contact_count && k < capacity; k++) {
        const td_analytic_contact c = a->contact[k].told;
        contacts[k] = (td_contact){.actor = c.state,
                                   .segment = c.segment,
                                   .other_actor = TD_NONE,
                                   .other = c.collider,
                                   .point = c.point,
                                   .normal = c.normal,
                                   .force = c.force,
                                   .gap = c.gap};
    }
    return a->contact_count;
}

static td_constraint_report holds_report(const void *held, int32_t k) {
    return td_analytic_constraint(held, k);
}

static size_t holds_save_size(const void *held) {
    return td_analytic_save_size(held);
}

static void holds_save(const void *held, void *bytes) {
    td_analytic_save(held, bytes);
}

static void holds_restore(void *held, const void *bytes) {
    td_analytic_restore(held, bytes, td_analytic_save_size(held), NULL);
}

static const tdi_explicit_holds explicit_holds = {
    .make = holds_make,
    .free = holds_free,
    .set_target = holds_target,
    .place_target = holds_place,
    .set_hold = holds_hold,
    .step = holds_step,
    .contacts = holds_contacts,
    .report = holds_report,
    .save_size = holds_save_size,
    .save = holds_save,
    .restore = holds_restore,
};

// ---- entry ----------------------------------------------------------------------------------

const tdi_solver tdi_solver_tree = {
    .info = {.name = "tree",
             .text = "rigid segments on joints",
             .integrators =
                 1u << TD_IMPLICIT | 1u << TD_IMPLICIT_EULER | 1u << TD_EULER | 1u << TD_RK4,
             .laws = 1u << TD_LAW_LINEAR | 1u << TD_LAW_TANGENT,
             .hinges = true},
    .model_new = tdi_tree_model_new,
    .rest_new = rest_new,
    .damped_new = damped_new,
    .stiffen = stiffen,
    .state_new = state_new,
    .set_base = set_base,
    .explicit_step = explicit_step,
    .explicit_holds = &explicit_holds,
    .residual = residual,
    .implicit = &tdi_tree_implicit,
    .springs = tdi_tree_springs,
    .take_springs = take_springs,
    .inherit = tdi_tree_inherit,
    .poses = poses,
    .velocities = velocities,
    .turn = turn,
    .moment = moment,
    .sums = sums,
};
