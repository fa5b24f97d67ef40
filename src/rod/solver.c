// SPDX-License-Identifier: MIT
// Rods as a solver: the functions of rod.h behind the table that a world asks.

#include "rod/solver.h"

#include "base/alloc.h"
#include "base/diag.h"
#include "rod/build.h"
#include "rod/inherit.h"
#include "rod/implicit.h"
#include "rod/rest.h"
#include "rod/state.h"

#include <math.h>

// ---- ends -----------------------------------------------------------------------------------

// Where the ends of the first strand are held, as the model starts.
static void note_ends(const tdi_rod_model *m, const td_strand *s, tdi_rod_end ends[2]) {
    for (int end = 0; end < 2; end++) {
        const td_end_kind how = end ? s->end : s->start;
        const int32_t i = m->end_node[end], vertex = end ? m->rod_first[1] - 1 : 0;
        ends[end] = (tdi_rod_end){.held = how != TD_END_FREE,
                                  .place = m->node[m->vertex_node[vertex]].start,
                                  .turn = {1, 0, 0, 0}};
        if (i != TD_NONE) {
            const tdi_rod_node *n = &m->node[i];
            td_vec3 y = tdi_sub(n->start, m->node[n->parent].start);
            y = tdi_scale(y, 1 / tdi_norm(y));
            td_vec3 z = tdi_director(n->start_m1, y);
            ends[end].turn = tdi_quat_from_axes(tdi_cross(y, z), y, z);
        }
    }
}

// ---- models ---------------------------------------------------------------------------------

static td_status model_new(const td_skeleton *skeleton, const td_body_opts *opts,
                           const td_alloc *alloc, td_body_model **out, td_diag *diag) {
    tdi_rod_model *m = NULL;
    *out = NULL;
    if (opts->law != TD_LAW_DEFAULT && opts->law != TD_LAW_TANGENT) {
        return tdi_fail(diag, TD_ERR_ARGUMENT, "rods have the law 'tangent' alone");
    }
    TDI_TRY(tdi_rod_model_from_skeleton(skeleton, alloc, &m, diag));
    m->segments = td_skeleton_segments(skeleton);
    m->head.segment_count = td_skeleton_count(skeleton);
    if (td_skeleton_strand_count(skeleton) > 0) {
        note_ends(m, td_skeleton_strands(skeleton), m->ends);
    }
    *out = &m->head;
    return TD_OK;
}

static td_status rest_new(const void *model, td_vec3 gravity, const td_alloc *alloc,
                          td_body_model **out, td_diag *diag) {
    tdi_rod_model *next = NULL;
    td_status status = tdi_rod_model_rest_new(model, gravity, alloc, &next, diag);
    *out = (td_body_model *)next;
    return status;
}

static td_status damped_new(const void *model, const td_damping_opts *opts, const td_alloc *alloc,
                            td_body_model **out, td_diag *diag) {
    tdi_rod_model *next = NULL, *second = NULL;
    td_real time = opts->value;
    td_status status = TD_OK;
    if (opts->kind == TD_DAMPING_RATIO) {
        status = tdi_rod_model_damped_new(model, 1, alloc, &second, diag);
        status =
            status == TD_OK ? tdi_damping_time(&second->head, opts, alloc, &time, diag) : status;
        tdi_model_free(second);
    }
    status = status == TD_OK ? tdi_rod_model_damped_new(model, time, alloc, &next, diag) : status;
    *out = (td_body_model *)next;
    return status;
}

// Damping is a time, so that it follows the springs.
static void stiffen(void *model, const void *parameters, td_real bend, td_real twist) {
    tdi_rod_model *m = model;
    const tdi_rod_node *from = parameters;
    for (int32_t i = 0; i < m->node_count; i++) {
        for (int k = 0; k < 3; k++) {
            m->node[i].law.bend[k] = bend * from[i].law.bend[k];
        }
        m->node[i].law.twist = twist * from[i].law.twist;
    }
}

static td_real sum_of(td_vec3 v) {
    return v.x + v.y + v.z;
}

// What is welded or free has no spring of its own.
static td_status take_springs(void *model, const td_skeleton *from, const td_skeleton *to,
                              int32_t first, int32_t count, tdi_factors by, td_diag *diag) {
    tdi_rod_model *m = model;
    (void)from, (void)diag;
    for (int32_t i = first; i < first + count && i < m->edge_count; i++) {
        const td_segment *s = &td_skeleton_segments(to)[i];
        tdi_rod_node *n = &m->node[m->edge_node[i]];
        if (s->joint == TD_JOINT_BALL && tdi_has_joint(n)) {
            n->law.bend[0] = by.bend * s->stiffness.x;
            n->law.bend[1] = 0;
            n->law.bend[2] = by.bend * s->stiffness.z;
            n->law.twist = by.twist * s->stiffness.y;
            n->damping_time =
                sum_of(s->stiffness) > 0 ? sum_of(s->damping) / sum_of(s->stiffness) : 0;
        }
    }
    return TD_OK;
}

// ---- states ---------------------------------------------------------------------------------

static td_status state_new(const void *model, const td_alloc *alloc, td_body **out, td_diag *diag) {
    tdi_rod_state *state = NULL;
    td_status status = tdi_rod_state_new(model, alloc, &state, diag);
    *out = (td_body *)state;
    return status;
}

static void set_base(void *state, const td_base_motion *motion) {
    tdi_rod_set_base(state, motion);
}

static bool end_pose(const void *model, bool end, td_vec3 *place, td_quat *turn) {
    const tdi_rod_end *e = &((const tdi_rod_model *)model)->ends[end];
    *place = e->place;
    *turn = e->turn;
    return e->held;
}

static void set_end(void *state, bool end, td_vec3 place, td_quat turn) {
    tdi_rod_set_end(state, 0, end, place, turn);
}

static td_real residual(void *state, td_vec3 gravity) {
    return tdi_rod_residual(state, gravity);
}

// ---- segments -------------------------------------------------------------------------------

static td_quat rotation(const tdi_rod_state *s, int32_t segment) {
    td_vec3 from;
    const int32_t edge = tdi_rod_edge_of(s->model, segment, &from);
    const td_quat turn = tdi_rod_rotation(s, edge);
    return edge == segment ? turn : tdi_quat_mul(turn, s->model->segments[segment].initial);
}

static td_vec3 origin(const tdi_rod_state *s, int32_t segment) {
    td_vec3 from;
    const int32_t edge = tdi_rod_edge_of(s->model, segment, &from);
    td_vec3 start = tdi_rod_origin(s, edge);
    return edge == segment ? start
                           : tdi_add(start, tdi_quat_rotate(tdi_rod_rotation(s, edge), from));
}

// The tip of an organ may lie beside its edge.
static td_vec3 tip(const tdi_rod_state *s, int32_t segment) {
    const td_segment *of = s->model->segments; // NULL: rods of curves, whose segments are edges
    const td_vec3 at = of ? of[segment].tip : tdi_vec3(0, 0, 0);
    if (at.x == 0 && at.z == 0 && segment < s->model->edge_count) {
        return tdi_rod_tip(s, segment);
    }
    return tdi_add(origin(s, segment), tdi_quat_rotate(rotation(s, segment), at));
}

static void poses(void *state, int32_t first, int32_t count, td_vec3 *origins, td_vec3 *tips,
                  td_quat *rotations) {
    for (int32_t k = 0; k < count; k++) {
        if (origins) {
            origins[k] = origin(state, first + k);
        }
        if (tips) {
            tips[k] = tip(state, first + k);
        }
        if (rotations) {
            rotations[k] = rotation(state, first + k);
        }
    }
}

static void velocities(void *state, int32_t first, int32_t count, const td_vec3 *points,
                       td_vec3 *out) {
    const tdi_rod_model *m = ((const tdi_rod_state *)state)->model;
    for (int32_t k = 0; k < count; k++) {
        const td_vec3 end = m->segments ? m->segments[first + k].tip
                                        : tdi_vec3(0, m->node[m->edge_node[first + k]].length, 0);
        const td_vec3 point = points ? points[k] : end;
        td_vec3 from;
        const int32_t edge = tdi_rod_edge_of(m, first + k, &from);
        out[k] = tdi_rod_velocity_of(state, edge, tdi_rod_on_edge(m, first + k, point));
    }
}

// Curvatures are 2 tan(angle/2) of the joint: what its moment is in proportion to.
static td_vec3 turn_of(const tdi_rod_state *s, int32_t segment) {
    const int32_t i = s->model->edge_node[segment];
    const tdi_rod_pose *pose = &s->pose[i];
    const td_real *rest = s->model->node[i].law.rest;
    return tdi_vec3(pose->k1 - rest[0], pose->twist - rest[2], rest[1] - pose->k2);
}

static void bending(void *state, int32_t segment, td_real stiffness, td_vec3 *turn,
                    td_vec3 *moment) {
    const tdi_rod_state *s = state;
    const bool bends = segment < s->model->edge_count;
    const td_vec3 none = {0, 0, 0};
    if (turn) {
        *turn = bends ? turn_of(s, segment) : none;
    }
    if (moment) {
        *moment = bends ? tdi_scale(tdi_rod_moment(s, segment), stiffness) : none;
    }
}

// ---- the whole ------------------------------------------------------------------------------

static td_sums sums(void *state, td_vec3 gravity) {
    td_sums out = {.energy = tdi_rod_energy(state, gravity)};
    tdi_rod_momentum(state, &out.linear, &out.angular);
    return out;
}

// ---- entry ----------------------------------------------------------------------------------

const tdi_statics_ops tdi_rod_statics = {
    .residual = residual,
    .bending = bending,
    .perturb_pose = tdi_rod_perturb_pose,
    .rest_new = rest_new,
    .damped_new = damped_new,
    .stiffen = stiffen,
    .modal = &tdi_rod_modal,
};

static const tdi_transfer_ops transfer = {
    .inherit = tdi_rod_inherit,
    .springs = tdi_rod_springs,
    .take_springs = take_springs,
};

static const tdi_end_ops ends = {end_pose, set_end};

const tdi_solver tdi_solver_rod = {
    .info = {.name = "rod",
             .text = "elastic rods",
             .integrators = 1u << TD_IMPLICIT | 1u << TD_IMPLICIT_EULER,
             .laws = 1u << TD_LAW_TANGENT,
             .stretchy = true,
             .rings = true},
    .model_new = model_new,
    .state_new = state_new,
    .set_base = set_base,
    .implicit = &tdi_rod_implicit,
    .transfer = &transfer,
    .ends = &ends,
    .poses = poses,
    .velocities = velocities,
    .sums = sums,
};
