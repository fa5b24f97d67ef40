// SPDX-License-Identifier: MIT
// The tree as a solver: the functions of tree.h behind the table that a world asks.

#include "tree/solver.h"

#include "base/alloc.h"
#include "base/diag.h"
#include "tree/dynamics.h"
#include "tree/implicit.h"
#include "tree/inherit.h"
#include "tree/joint.h"
#include "tree/saving.h"

// ---- models ---------------------------------------------------------------------------------

td_status tdi_tree_rest_new(const void *model, td_vec3 gravity, const td_alloc *alloc,
                            td_body_model **out, td_diag *diag) {
    tdi_tree_state *state = NULL;
    td_status status = tdi_tree_state_new(model, alloc, &state, diag);
    status =
        status == TD_OK ? td_tree_model_rest_new(&state->head, gravity, alloc, out, diag) : status;
    tdi_state_free(state);
    return status;
}

// A ratio is of a mode, and modes are about the pose at rest.
td_status tdi_tree_damped_new(const void *model, const td_damping_opts *opts, const td_alloc *alloc,
                              td_body_model **out, td_diag *diag) {
    tdi_tree_state *state = NULL;
    td_step_opts rest = td_step_opts_default();
    rest.gravity = opts->gravity;
    td_status status = tdi_tree_state_new(model, alloc, &state, diag);
    if (status == TD_OK && opts->kind == TD_DAMPING_RATIO) {
        status = tdi_body_settle(&state->head, &rest, NULL, diag);
    }
    status =
        status == TD_OK ? td_tree_model_damped_new(&state->head, opts, alloc, out, diag) : status;
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

void tdi_tree_stiffen(void *model, const void *parameters, td_real bend, td_real twist) {
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

static td_real residual(void *state, td_vec3 gravity) {
    return tdi_tree_residual(state, gravity);
}

// ---- segments -------------------------------------------------------------------------------

static void poses(void *state, int32_t first, int32_t count, td_vec3 *origins, td_vec3 *tips,
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

static td_vec3 turn_of(const tdi_tree_state *s, int32_t segment) {
    const tdi_tree_model *m = s->model;
    const td_real *a = s->angle + m->dof[segment];
    switch ((td_joint_kind)m->kind[segment]) {
    case TD_JOINT_BALL: return tdi_vec3(a[0], a[1], a[2]);
    case TD_JOINT_HINGE: return tdi_scale(m->body[segment].axis, a[0]);
    default: return tdi_vec3(0, 0, 0);
    }
}

static td_vec3 moment_of(const tdi_tree_state *s, int32_t segment, td_real stiffness) {
    const tdi_tree_model *m = s->model;
    const td_vec3 k = tdi_scale(m->body[segment].stiffness, stiffness), a = turn_of(s, segment);
    if (m->kind[segment] == TD_JOINT_HINGE) { // its stiffness about the axis is in x
        return tdi_scale(a, k.x);
    }
    if (m->kind[segment] == TD_JOINT_BALL && m->law == TD_LAW_TANGENT) {
        return tdi_tangent_gradient(k, s->q + m->coord[segment]);
    }
    return tdi_vec3(k.x * a.x, k.y * a.y, k.z * a.z);
}

void tdi_tree_bending(void *state, int32_t segment, td_real stiffness, td_vec3 *turn,
                      td_vec3 *moment) {
    if (turn) {
        *turn = turn_of(state, segment);
    }
    if (moment) {
        *moment = moment_of(state, segment, stiffness);
    }
}

// ---- the whole ------------------------------------------------------------------------------

static td_sums sums(void *state, td_vec3 gravity) {
    td_sums out = {.energy = tdi_tree_energy(state, gravity)};
    tdi_tree_momentum(state, &out.linear, &out.angular);
    return out;
}

// ---- entry ----------------------------------------------------------------------------------

const tdi_statics_ops tdi_tree_statics = {
    .residual = residual,
    .bending = tdi_tree_bending,
    .perturb_pose = tdi_step_perturb_pose,
    .rest_new = tdi_tree_rest_new,
    .damped_new = tdi_tree_damped_new,
    .stiffen = tdi_tree_stiffen,
    .modal = &tdi_tree_modal,
};

static const tdi_transfer_ops transfer = {
    .inherit = tdi_tree_inherit,
    .springs = tdi_tree_springs,
    .take_springs = take_springs,
};

const tdi_solver tdi_solver_tree = {
    .info = {.name = "tree",
             .text = "rigid segments on joints",
             .integrators = 1u << TD_IMPLICIT | 1u << TD_IMPLICIT_EULER,
             .laws = 1u << TD_LAW_LINEAR | 1u << TD_LAW_TANGENT,
             .hinges = true},
    .model_new = tdi_tree_model_new,
    .state_new = state_new,
    .set_base = set_base,
    .implicit = &tdi_tree_implicit,
    .transfer = &transfer,
    .poses = poses,
    .velocities = velocities,
    .sums = sums,
};
