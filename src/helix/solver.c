// SPDX-License-Identifier: MIT
// Helices as a solver: the functions of helix.h behind the table that a world asks.

#include "helix/solver.h"

#include "helix/implicit.h"
#include "helix/piece.h"
#include "helix/rest.h"

// ---- models ---------------------------------------------------------------------------------

static td_status model_new(const td_skeleton *skeleton, const td_body_opts *opts,
                           const td_alloc *alloc, td_body_model **out, td_diag *diag) {
    tdi_helix_model *m = NULL;
    *out = NULL;
    if (opts->law != TD_LAW_DEFAULT && opts->law != TD_LAW_LINEAR) {
        return tdi_fail(diag, TD_ERR_ARGUMENT, "helices have the law 'linear' alone");
    }
    td_status status = tdi_helix_model_from_skeleton(skeleton, opts->elements, alloc, &m, diag);
    *out = (td_body_model *)m;
    return status;
}

// ---- states ---------------------------------------------------------------------------------

static td_status state_new(const void *model, const td_alloc *alloc, td_body **out, td_diag *diag) {
    tdi_helix_state *state = NULL;
    td_status status = tdi_helix_state_new(model, alloc, &state, diag);
    *out = (td_body *)state;
    return status;
}

static void set_base(void *state, const td_base_motion *motion) {
    tdi_helix_set_base(state, motion);
}

static td_real residual(void *state, td_vec3 gravity) {
    return tdi_helix_residual(state, gravity);
}

static void stiffen(void *model, const void *parameters, td_real bend, td_real twist) {
    tdi_helix_model *m = model;
    const tdi_helix_element *from = parameters;
    const td_vec3 by = {bend, twist, bend};
    for (int32_t i = 0; i < m->element_count; i++) {
        m->element[i].stiffness = tdi_times(from[i].stiffness, by);
        m->element[i].friction = tdi_times(from[i].friction, by);
    }
}

// ---- segments -------------------------------------------------------------------------------

static tdi_helix_point tip_of(const tdi_helix_rider *r) {
    return (tdi_helix_point){.element = r->element, .s = r->to, .offset = r->end};
}

static void poses(void *state, int32_t first, int32_t count, td_vec3 *origins, td_vec3 *tips,
                  td_quat *rotations) {
    for (int32_t k = 0; k < count; k++) {
        tdi_helix_segment(state, first + k, origins ? &origins[k] : NULL, tips ? &tips[k] : NULL,
                          rotations ? &rotations[k] : NULL);
    }
}

static void velocities(void *state, int32_t first, int32_t count, const td_vec3 *points,
                       td_vec3 *out) {
    tdi_helix_state *s = state;
    for (int32_t k = 0; k < count; k++) {
        const tdi_helix_point at = points ? tdi_helix_point_of(s->model, first + k, points[k])
                                          : tip_of(&s->model->rider[first + k]);
        out[k] = tdi_helix_velocity(s, &at);
    }
}

// What the helix bends along a segment, and the moment that it bends with. What rides rigidly does
// not.
static void bending(void *state, int32_t segment, td_real stiffness, td_vec3 *turn,
                    td_vec3 *moment) {
    const tdi_helix_state *s = state;
    const tdi_helix_rider *r = &s->model->rider[segment];
    const bool bends = r->element != TD_NONE && r->from != r->to;
    const tdi_helix_element *e = &s->model->element[bends ? r->element : 0];
    const td_vec3 none = {0, 0, 0}, off = tdi_sub(s->pose.u[bends ? r->element : 0], e->rest);
    const td_quat back = tdi_quat_conj(r->turn);
    if (turn) {
        *turn = bends ? tdi_quat_rotate(back, tdi_scale(off, r->to - r->from)) : none;
    }
    if (moment) {
        const td_vec3 k = tdi_scale(e->stiffness, stiffness / e->length);
        *moment = bends ? tdi_quat_rotate(back, tdi_times(k, off)) : none;
    }
}

// ---- the whole ------------------------------------------------------------------------------

static td_sums sums(void *state, td_vec3 gravity) {
    td_sums out = {.energy = tdi_helix_energy(state, gravity)};
    tdi_helix_momentum(state, &out.linear, &out.angular);
    return out;
}

// ---- entry ----------------------------------------------------------------------------------

const tdi_statics_ops tdi_helix_statics = {
    .to_rest_shape = tdi_helix_ease,
    .residual = residual,
    .bending = bending,
    .perturb_pose = tdi_helix_perturb_pose,
    .rest_new = tdi_helix_rest_new,
    .damped_new = tdi_helix_damped_new,
    .stiffen = stiffen,
    .modal = &tdi_helix_modal,
};

static td_status next_new(const void *model, const td_skeleton *from, const td_skeleton *to,
                          const tdi_segment_source *segment_map, const td_body_opts *with,
                          tdi_factors by, const td_alloc *alloc, td_body_model **out,
                          td_diag *diag) {
    return with ? tdi_helix_grown_new(model, from, to, segment_map, with, by, alloc, out, diag)
                : tdi_helix_piece_of(model, segment_map, td_skeleton_count(to), alloc, out, diag);
}

static const tdi_transfer_ops transfer = {
    .inherit = tdi_helix_inherit,
    .take_springs = tdi_helix_take_springs,
    .next_new = next_new,
    .pack = tdi_helix_pack,
    .unpack = tdi_helix_unpack,
};

const tdi_solver tdi_solver_helix = {
    .info = {.name = "helix",
             .text = "elastic rods as pieces of helices",
             .integrators = 1u << TD_IMPLICIT | 1u << TD_IMPLICIT_EULER,
             .laws = 1u << TD_LAW_LINEAR,
             .curved = true},
    .model_new = model_new,
    .state_new = state_new,
    .set_base = set_base,
    .implicit = &tdi_helix_implicit,
    .transfer = &transfer,
    .poses = poses,
    .velocities = velocities,
    .sums = sums,
};
