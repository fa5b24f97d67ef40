// SPDX-License-Identifier: MIT
// The tree as a solver: the functions of tree.h behind the table that a world asks.

#include "tree/solver.h"

#include "base/alloc.h"
#include "base/diag.h"
#include "tree/implicit.h"
#include "tree/joint.h"
#include "tree/saving.h"

static tdi_solver_model *out_model(td_tree_model *model) {
    return (tdi_solver_model *)model;
}

static const td_tree_model *tree_model(const tdi_solver_model *model) {
    return (const td_tree_model *)model;
}

static td_tree_state *tree(tdi_solver_state *state) {
    return (td_tree_state *)state;
}

static const td_tree_state *tree_of(const tdi_solver_state *state) {
    return (const td_tree_state *)state;
}

// ---- models ---------------------------------------------------------------------------------

static td_status model_new(const td_skeleton *skeleton, const tdi_model_opts *with,
                           const td_alloc *alloc, tdi_solver_model **out, td_diag *diag) {
    td_tree_opts opts = td_tree_opts_default();
    td_tree_model *model = NULL;
    opts.law = with->law;
    td_status status = td_tree_model_new(skeleton, &opts, alloc, &model, diag);
    *out = out_model(model);
    return status;
}

static void model_free(tdi_solver_model *model) {
    td_tree_model_free((td_tree_model *)model);
}

static int32_t dof_count(const tdi_solver_model *model) {
    return td_tree_dof_count(tree_model(model));
}

static const void *parameters(const tdi_solver_model *model, size_t *size) {
    const td_tree_model *m = tree_model(model);
    *size = (size_t)m->body_count * sizeof *m->body;
    return m->body;
}

static td_status rest_new(const tdi_solver_model *model, td_vec3 gravity, const td_alloc *alloc,
                          tdi_solver_model **out, td_diag *diag) {
    td_tree_state *state = NULL;
    td_tree_model *next = NULL;
    td_status status = td_tree_state_new(tree_model(model), alloc, &state, diag);
    if (status == TD_OK) {
        status = td_tree_model_rest_new(state, gravity, alloc, &next, diag);
    }
    td_tree_state_free(state);
    *out = out_model(next);
    return status;
}

// A ratio is of a mode, and modes are about the pose at rest.
static td_status damped_new(const tdi_solver_model *model, const td_damping_opts *opts,
                            const td_alloc *alloc, tdi_solver_model **out, td_diag *diag) {
    td_tree_state *state = NULL;
    td_tree_model *next = NULL;
    td_step_opts rest = td_step_opts_default();
    rest.gravity = opts->gravity;
    td_status status = td_tree_state_new(tree_model(model), alloc, &state, diag);
    if (status == TD_OK && opts->kind == TD_DAMPING_RATIO) {
        status = td_tree_settle(state, &rest, NULL, diag);
    }
    if (status == TD_OK) {
        status = td_tree_model_damped_new(state, opts, alloc, &next, diag);
    }
    td_tree_state_free(state);
    *out = out_model(next);
    return status;
}

// ---- states ---------------------------------------------------------------------------------

static td_status state_new(const tdi_solver_model *model, const td_alloc *alloc,
                           tdi_solver_state **out, td_diag *diag) {
    td_tree_state *state = NULL;
    td_status status = td_tree_state_new(tree_model(model), alloc, &state, diag);
    *out = (tdi_solver_state *)state;
    return status;
}

static void state_free(tdi_solver_state *state) {
    td_tree_state_free(tree(state));
}

static void set_base(tdi_solver_state *state, const td_base_motion *motion) {
    td_tree_set_base(tree(state), motion);
}

static td_base_motion base(const tdi_solver_state *state) {
    const td_tree_state *s = tree_of(state);
    return (td_base_motion){.position = s->base.o,
                            .rotation = s->base.turn,
                            .velocity = s->base_twist.v,
                            .spin = s->base_twist.w,
                            .acceleration = s->base_accel.v,
                            .spin_rate = s->base_accel.w};
}

static td_status step(tdi_solver_state *state, const td_step_opts *opts, td_step_stats *stats,
                      td_diag *diag) {
    return td_tree_step(tree(state), opts, stats, diag);
}

static td_real residual(tdi_solver_state *state, td_vec3 gravity) {
    return td_tree_residual(tree(state), gravity);
}

// ---- segments -------------------------------------------------------------------------------

static void segment_pose(const tdi_solver_state *state, int32_t segment, td_vec3 *origin,
                         td_vec3 *tip, td_quat *rotation) {
    if (origin) {
        *origin = td_tree_origin(tree_of(state), segment);
    }
    if (tip) {
        *tip = td_tree_tip(tree_of(state), segment);
    }
    if (rotation) {
        *rotation = td_tree_rotation(tree_of(state), segment);
    }
}

static void poses(const tdi_solver_state *state, td_vec3 *origins, td_vec3 *tips,
                  td_quat *rotations) {
    for (int32_t i = 0; i < tree_of(state)->model->body_count; i++) {
        segment_pose(state, i, origins ? &origins[i] : NULL, tips ? &tips[i] : NULL,
                     rotations ? &rotations[i] : NULL);
    }
}

static td_vec3 velocity(tdi_solver_state *state, int32_t segment, td_vec3 point) {
    return tdi_tree_velocity_of(tree(state), segment, point);
}

static void velocities(tdi_solver_state *state, td_vec3 *tips) {
    const td_tree_model *m = tree(state)->model;
    for (int32_t i = 0; i < m->body_count; i++) {
        tips[i] = tdi_tree_velocity_of(tree(state), i, m->body[i].tip);
    }
}

static td_vec3 turn(const tdi_solver_state *state, int32_t segment) {
    const td_tree_state *s = tree_of(state);
    const td_tree_model *m = s->model;
    const td_real *a = s->angle + m->dof[segment];
    switch ((td_joint_kind)m->kind[segment]) {
    case TD_JOINT_BALL: return tdi_vec3(a[0], a[1], a[2]);
    case TD_JOINT_HINGE: return tdi_scale(m->body[segment].axis, a[0]);
    default: return tdi_vec3(0, 0, 0);
    }
}

static td_vec3 moment(const tdi_solver_state *state, int32_t segment, td_real stiffness) {
    const td_tree_state *s = tree_of(state);
    const td_tree_model *m = s->model;
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

static td_sums sums(tdi_solver_state *state, td_vec3 gravity) {
    td_sums out = {.energy = td_tree_energy(tree(state), gravity)};
    td_tree_momentum(tree(state), &out.linear, &out.angular);
    return out;
}

static td_status modes(tdi_solver_state *state, td_vec3 gravity, int32_t count, td_mode *found,
                       td_diag *diag) {
    return td_tree_modes(tree(state), gravity, count, found, NULL, diag);
}

// ---- saving ---------------------------------------------------------------------------------

static size_t save_size(const tdi_solver_state *state) {
    return tdi_tree_save_size(tree_of(state));
}

static void save(const tdi_solver_state *state, void *bytes) {
    tdi_tree_save(tree_of(state), bytes);
}

static void restore(tdi_solver_state *state, const void *bytes) {
    tdi_tree_restore(tree(state), bytes);
}

static void *own(tdi_solver_state *state) {
    return state;
}

// ---- entry ----------------------------------------------------------------------------------

const tdi_solver tdi_solver_tree = {
    .info = {.name = "tree",
             .text = "rigid segments on joints",
             .integrators =
                 1u << TD_IMPLICIT | 1u << TD_IMPLICIT_EULER | 1u << TD_EULER | 1u << TD_RK4,
             .laws = 1u << TD_LAW_LINEAR | 1u << TD_LAW_TANGENT,
             .hinges = true},
    .model_new = model_new,
    .model_free = model_free,
    .dof_count = dof_count,
    .parameters = parameters,
    .rest_new = rest_new,
    .damped_new = damped_new,
    .state_new = state_new,
    .state_free = state_free,
    .set_base = set_base,
    .base = base,
    .step = step,
    .residual = residual,
    .implicit = &tdi_tree_implicit,
    .poses = poses,
    .segment = segment_pose,
    .velocities = velocities,
    .velocity = velocity,
    .turn = turn,
    .moment = moment,
    .sums = sums,
    .modes = modes,
    .save_size = save_size,
    .save = save,
    .restore = restore,
    .own = own,
};
