// SPDX-License-Identifier: MIT
// The reduced tree as a solver: models are those of trees, states have fewer bodies.

#include "reduce/solver.h"

#include "reduce/reduce.h"
#include "tree/solver.h"
#include "tree/tangent.h"

// ---- models ---------------------------------------------------------------------------------

static td_status model_new(const td_skeleton *skeleton, const td_body_opts *with,
                           const td_alloc *alloc, td_body_model **out, td_diag *diag) {
    return tdi_solver_tree.model_new(skeleton, with, alloc, out, diag);
}

// ---- states ---------------------------------------------------------------------------------

static td_status state_new(const void *model, const td_alloc *alloc, td_body **out, td_diag *diag) {
    const td_reduce_opts opts = td_reduce_opts_default();
    return td_reduced_new(model, &opts, alloc, out, diag);
}

static void set_base(void *state, const td_base_motion *motion) {
    tdi_reduced_state *s = state;
    tdi_tree_set_base(&s->tree, motion);
    s->drawn = TDI_DRAWN_NOT;
}

const int32_t *tdi_reduced_wind_segments(const void *state, int32_t *count, td_vec3 *places) {
    const tdi_reduced_state *s = state;
    *count = s->wind.begin[s->clusters.body_count];
    for (int32_t k = 0; k < *count; k++) {
        const tdi_seat *seat = &s->seat[s->wind.from[k]];
        const tdi_frame *f = &s->tree.frame[seat->body];
        places[k] = tdi_add(f->o, tdi_mat3_apply(&f->r, seat->at));
    }
    return s->wind.from;
}

// ---- segments -------------------------------------------------------------------------------

static tdi_tree_state *at_pose(tdi_reduced_state *s) {
    if (s->reduced == 0) {
        return &s->tree;
    }
    tdi_reduce_draw(s, false);
    return &s->whole;
}

static td_real residual(void *state, td_vec3 gravity) {
    return tdi_tree_statics.residual(tdi_reduced_whole(state), gravity);
}

static void poses(void *state, int32_t first, int32_t count, td_vec3 *origins, td_vec3 *tips,
                  td_quat *rotations) {
    tdi_solver_tree.poses(at_pose(state), first, count, origins, tips, rotations);
}

static void velocities(void *state, int32_t first, int32_t count, const td_vec3 *points,
                       td_vec3 *out) {
    tdi_solver_tree.velocities(tdi_reduced_whole(state), first, count, points, out);
}

static void bending(void *state, int32_t segment, td_real stiffness, td_vec3 *turn,
                    td_vec3 *moment) {
    tdi_tree_bending(at_pose(state), segment, stiffness, turn, moment);
}

// ---- the whole ------------------------------------------------------------------------------

static td_sums sums(void *state, td_vec3 gravity) {
    return tdi_solver_tree.sums(tdi_reduced_whole(state), gravity);
}

// ---- entry ----------------------------------------------------------------------------------

static int32_t open_tangent(void *tangent, void *body, tdi_layout *layout) {
    return tdi_tree_modal_open(tangent, tdi_reduced_whole(body), layout);
}

static const tdi_modal modal = {TDI_TREE_MODAL, .open = open_tangent};

const tdi_statics_ops tdi_reduced_statics = {
    .residual = residual,
    .bending = bending,
    .perturb_pose = tdi_step_perturb_pose,
    .rest_new = tdi_tree_rest_new,
    .damped_new = tdi_tree_damped_new,
    .stiffen = tdi_tree_stiffen,
    .modal = &modal,
};

const tdi_solver tdi_solver_reduced = {
    .info = {.name = "reduced tree",
             .text = "rigid segments on joints, as many as matter",
             .integrators = 1u << TD_IMPLICIT | 1u << TD_IMPLICIT_EULER,
             .laws = 1u << TD_LAW_LINEAR | 1u << TD_LAW_TANGENT,
             .hinges = true},
    .model_new = model_new,
    .state_new = state_new,
    .set_base = set_base,
    .implicit = &tdi_reduced_implicit,
    .poses = poses,
    .velocities = velocities,
    .sums = sums,
    .reduced_of = &tdi_solver_tree,
};
