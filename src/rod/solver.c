// SPDX-License-Identifier: MIT
// Rods as a solver: the functions of rod.h behind the table that a world asks.

#include "rod/solver.h"

#include "base/alloc.h"
#include "base/diag.h"
#include "rod/implicit.h"
#include "rod/rest.h"
#include "rod/saving.h"
#include "rod/state.h"

#include <math.h>

#define LOWEST 12 // modes to look at for a ratio: the first may be those of a free rod

// An end as it is drawn, in the axes of the base.
typedef struct rod_end {
    bool held;
    td_vec3 place;
    td_quat turn;
} rod_end;

typedef struct rod_model {
    const td_alloc *alloc;
    const td_segment *segments; // of the skeleton, which outlives it
    int32_t segment_count;
    td_rod_model *rods;
    rod_end ends[2];
} rod_model;

typedef struct rod_state {
    const rod_model *model;
    td_rod_state *rods;
} rod_state;

static const rod_model *model_of(const tdi_solver_model *model) {
    return (const rod_model *)model;
}

static td_rod_state *rods(tdi_solver_state *state) {
    return ((rod_state *)state)->rods;
}

static const td_rod_state *rods_of(const tdi_solver_state *state) {
    return ((const rod_state *)state)->rods;
}

// ---- ends -----------------------------------------------------------------------------------

// Where the ends of the first strand are held, as the model starts.
static void note_ends(const td_rod_model *m, const td_strand *s, rod_end ends[2]) {
    for (int end = 0; end < 2; end++) {
        const td_end_kind how = end ? s->end : s->start;
        const int32_t i = m->end_node[end], vertex = end ? m->rod_first[1] - 1 : 0;
        ends[end] = (rod_end){.held = how != TD_END_FREE,
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

static void model_free(tdi_solver_model *model) {
    rod_model *m = (rod_model *)model;
    if (m) {
        td_rod_model_free(m->rods);
        tdi_alloc_free(m->alloc, m, sizeof *m);
    }
}

// Room for a model like `from` (NULL: a new one), without rods.
static rod_model *room_for(const rod_model *from, const td_alloc *alloc) {
    rod_model *m = tdi_alloc_zeroed(alloc, 1, sizeof *m);
    if (m && from) {
        *m = *from;
    }
    if (m) {
        m->alloc = alloc;
        m->rods = NULL;
    }
    return m;
}

// What making the rods came to.
static td_status made(rod_model *m, td_status status, tdi_solver_model **out) {
    if (status != TD_OK) {
        model_free((tdi_solver_model *)m);
        m = NULL;
    }
    *out = (tdi_solver_model *)m;
    return status;
}

static td_status model_new(const td_skeleton *skeleton, const tdi_model_opts *opts,
                           const td_alloc *alloc, tdi_solver_model **out, td_diag *diag) {
    rod_model *m = NULL;
    *out = NULL;
    if (opts->law != TD_LAW_DEFAULT && opts->law != TD_LAW_TANGENT) {
        return tdi_fail(diag, TD_ERR_ARGUMENT, "rods have the law 'tangent' alone");
    }
    m = room_for(NULL, alloc);
    if (!m) {
        return tdi_fail(diag, TD_ERR_MEMORY, "out of memory for the rods");
    }
    m->segments = td_skeleton_segments(skeleton);
    m->segment_count = td_skeleton_count(skeleton);
    td_status status = td_rod_model_from_skeleton(skeleton, alloc, &m->rods, diag);
    if (status == TD_OK && td_skeleton_strand_count(skeleton) > 0) {
        note_ends(m->rods, td_skeleton_strands(skeleton), m->ends);
    }
    return made(m, status, out);
}

static int32_t dof_count(const tdi_solver_model *model) {
    return td_rod_dof_count(model_of(model)->rods);
}

static const void *parameters(const tdi_solver_model *model, size_t *size) {
    const td_rod_model *m = model_of(model)->rods;
    *size = (size_t)m->node_count * sizeof *m->node;
    return m->node;
}

static td_status rest_new(const tdi_solver_model *model, td_vec3 gravity, const td_alloc *alloc,
                          tdi_solver_model **out, td_diag *diag) {
    rod_model *m = room_for(model_of(model), alloc);
    *out = NULL;
    return m ? made(m,
                    tdi_rod_model_rest_new(model_of(model)->rods, gravity, alloc, &m->rods, diag),
                    out)
             : tdi_fail(diag, TD_ERR_MEMORY, "out of memory for the rods");
}

// The damping time for which the lowest mode that damping reaches has a ratio: ratios grow with the
// time, so that one second tells how fast.
static td_status time_of_ratio(const td_rod_model *model, const td_damping_opts *opts,
                               const td_alloc *alloc, td_real *time, td_diag *diag) {
    td_rod_model *second = NULL;
    td_rod_state *state = NULL;
    td_mode modes[LOWEST];
    td_step_opts rest = td_step_opts_default();
    rest.gravity = opts->gravity;
    const int32_t dofs = td_rod_dof_count(model), count = dofs < LOWEST ? dofs : LOWEST;
    td_status status = tdi_rod_model_damped_new(model, 1, alloc, &second, diag);
    status = status == TD_OK ? td_rod_state_new(second, alloc, &state, diag) : status;
    status = status == TD_OK ? td_rod_settle(state, &rest, NULL, diag) : status;
    status =
        status == TD_OK ? td_rod_modes(state, opts->gravity, count, modes, NULL, diag) : status;
    td_rod_state_free(state);
    td_rod_model_free(second);
    for (int32_t k = 0; status == TD_OK && k < count; k++) {
        if (modes[k].frequency > 0 && modes[k].damping_ratio > 1e-6 * modes[k].frequency) {
            *time = opts->value / modes[k].damping_ratio;
            return TD_OK;
        }
    }
    return status == TD_OK
               ? tdi_fail(
                     diag, TD_ERR_ARGUMENT,
                     "the damping ratio cannot be set: none of the lowest %d modes deforms a joint",
                     (int)count)
               : status;
}

static td_status damped_new(const tdi_solver_model *model, const td_damping_opts *opts,
                            const td_alloc *alloc, tdi_solver_model **out, td_diag *diag) {
    const td_rod_model *from = model_of(model)->rods;
    td_real time = opts->value;
    *out = NULL;
    if (opts->kind == TD_DAMPING_RATIO) {
        td_status status = time_of_ratio(from, opts, alloc, &time, diag);
        if (status != TD_OK) {
            return status;
        }
    }
    rod_model *m = room_for(model_of(model), alloc);
    return m ? made(m, tdi_rod_model_damped_new(from, time, alloc, &m->rods, diag), out)
             : tdi_fail(diag, TD_ERR_MEMORY, "out of memory for the rods");
}

// ---- states ---------------------------------------------------------------------------------

static void state_free(tdi_solver_state *state) {
    rod_state *s = (rod_state *)state;
    if (s) {
        td_rod_state_free(s->rods);
        tdi_alloc_free(s->model->alloc, s, sizeof *s);
    }
}

static td_status state_new(const tdi_solver_model *model, const td_alloc *alloc,
                           tdi_solver_state **out, td_diag *diag) {
    rod_state *s = tdi_alloc_zeroed(alloc, 1, sizeof *s);
    *out = NULL;
    if (!s) {
        return tdi_fail(diag, TD_ERR_MEMORY, "out of memory for the rods");
    }
    s->model = model_of(model);
    td_status status = td_rod_state_new(s->model->rods, alloc, &s->rods, diag);
    if (status != TD_OK) {
        tdi_alloc_free(alloc, s, sizeof *s);
        return status;
    }
    *out = (tdi_solver_state *)s;
    return TD_OK;
}

static void set_base(tdi_solver_state *state, const td_base_motion *motion) {
    td_rod_set_base(rods(state), motion);
}

static td_base_motion base(const tdi_solver_state *state) {
    return rods_of(state)->base;
}

static bool end_pose(const tdi_solver_model *model, bool end, td_vec3 *place, td_quat *turn) {
    const rod_end *e = &model_of(model)->ends[end];
    *place = e->place;
    *turn = e->turn;
    return e->held;
}

static void set_end(tdi_solver_state *state, bool end, td_vec3 place, td_quat turn) {
    td_rod_set_end(rods(state), 0, end, place, turn);
}

static td_status step(tdi_solver_state *state, const td_step_opts *opts, td_step_stats *stats,
                      td_diag *diag) {
    return td_rod_step(rods(state), opts, stats, diag);
}

static td_real residual(tdi_solver_state *state, td_vec3 gravity) {
    return td_rod_residual(rods(state), gravity);
}

// ---- segments -------------------------------------------------------------------------------

// A segment beyond the edges is a body's, drawn where that is on an edge: which, and where on it.
static int32_t edge_of(const rod_model *m, int32_t segment, td_vec3 *from) {
    const td_segment *s = &m->segments[segment];
    const bool body = segment >= td_rod_edge_count(m->rods);
    *from = body ? s->attach : tdi_vec3(0, 0, 0);
    return body ? s->parent : segment;
}

// A point of a segment in the axes of its edge.
static td_vec3 on_edge(const rod_model *m, int32_t segment, td_vec3 point) {
    td_vec3 from;
    return edge_of(m, segment, &from) == segment
               ? point
               : tdi_add(from, tdi_quat_rotate(m->segments[segment].initial, point));
}

static void place_load(const tdi_solver_model *model, td_load *load) {
    td_vec3 from;
    load->point = on_edge(model_of(model), load->segment, load->point);
    load->segment = edge_of(model_of(model), load->segment, &from);
}

static td_quat rotation(const tdi_solver_state *state, int32_t segment) {
    const rod_model *m = ((const rod_state *)state)->model;
    td_vec3 from;
    const int32_t edge = edge_of(m, segment, &from);
    const td_quat turn = td_rod_rotation(rods_of(state), edge);
    return edge == segment ? turn : tdi_quat_mul(turn, m->segments[segment].initial);
}

static td_vec3 origin(const tdi_solver_state *state, int32_t segment) {
    td_vec3 from;
    const int32_t edge = edge_of(((const rod_state *)state)->model, segment, &from);
    td_vec3 start = td_rod_origin(rods_of(state), edge);
    return edge == segment
               ? start
               : tdi_add(start, tdi_quat_rotate(td_rod_rotation(rods_of(state), edge), from));
}

// The tip of an organ may lie beside its edge.
static td_vec3 tip(const tdi_solver_state *state, int32_t segment) {
    const rod_model *m = ((const rod_state *)state)->model;
    const td_vec3 at = m->segments[segment].tip;
    if (at.x == 0 && at.z == 0 && segment < td_rod_edge_count(m->rods)) {
        return td_rod_tip(rods_of(state), segment);
    }
    return tdi_add(origin(state, segment), tdi_quat_rotate(rotation(state, segment), at));
}

static void segment_pose(const tdi_solver_state *state, int32_t segment, td_vec3 *at, td_vec3 *end,
                         td_quat *turned) {
    if (at) {
        *at = origin(state, segment);
    }
    if (end) {
        *end = tip(state, segment);
    }
    if (turned) {
        *turned = rotation(state, segment);
    }
}

static void poses(const tdi_solver_state *state, td_vec3 *origins, td_vec3 *tips,
                  td_quat *rotations) {
    for (int32_t i = 0; i < ((const rod_state *)state)->model->segment_count; i++) {
        segment_pose(state, i, origins ? &origins[i] : NULL, tips ? &tips[i] : NULL,
                     rotations ? &rotations[i] : NULL);
    }
}

static td_vec3 velocity(tdi_solver_state *state, int32_t segment, td_vec3 point) {
    td_vec3 from;
    const int32_t edge = edge_of(((const rod_state *)state)->model, segment, &from);
    return tdi_rod_velocity_of(rods(state), edge,
                               on_edge(((const rod_state *)state)->model, segment, point));
}

static void velocities(tdi_solver_state *state, td_vec3 *tips) {
    const rod_model *m = ((const rod_state *)state)->model;
    for (int32_t i = 0; i < m->segment_count; i++) {
        tips[i] = velocity(state, i, m->segments[i].tip);
    }
}

// Curvatures are 2 tan(angle/2) of the joint: what its moment is in proportion to.
static td_vec3 turn(const tdi_solver_state *state, int32_t segment) {
    const td_rod_state *s = rods_of(state);
    if (segment >= s->model->edge_count) {
        return tdi_vec3(0, 0, 0);
    }
    const int32_t i = s->model->edge_node[segment];
    const tdi_rod_pose *pose = &s->pose[i];
    const td_real *rest = s->model->node[i].law.rest;
    return tdi_vec3(pose->k1 - rest[0], pose->twist - rest[2], rest[1] - pose->k2);
}

static td_vec3 moment(const tdi_solver_state *state, int32_t segment, td_real stiffness) {
    const td_rod_state *s = rods_of(state);
    return segment < s->model->edge_count ? tdi_scale(td_rod_moment(s, segment), stiffness)
                                          : tdi_vec3(0, 0, 0);
}

// ---- the whole ------------------------------------------------------------------------------

static td_sums sums(tdi_solver_state *state, td_vec3 gravity) {
    td_sums out = {.energy = td_rod_energy(rods(state), gravity)};
    td_rod_momentum(rods(state), &out.linear, &out.angular);
    return out;
}

static td_status modes(tdi_solver_state *state, td_vec3 gravity, int32_t count, td_mode *found,
                       td_diag *diag) {
    return td_rod_modes(rods(state), gravity, count, found, NULL, diag);
}

static size_t save_size(const tdi_solver_state *state) {
    return tdi_rod_save_size(rods_of(state));
}

static void save(const tdi_solver_state *state, void *bytes) {
    tdi_rod_save(rods_of(state), bytes);
}

static void restore(tdi_solver_state *state, const void *bytes) {
    tdi_rod_restore(rods(state), bytes);
}

static void *own(tdi_solver_state *state) {
    return rods(state);
}

// ---- entry ----------------------------------------------------------------------------------

const tdi_solver tdi_solver_rod = {
    .info = {.name = "rod",
             .text = "elastic rods",
             .integrators = 1u << TD_IMPLICIT | 1u << TD_IMPLICIT_EULER | 1u << TD_EULER,
             .laws = 1u << TD_LAW_TANGENT,
             .stretchy = true,
             .rings = true},
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
    .end_pose = end_pose,
    .set_end = set_end,
    .place_load = place_load,
    .step = step,
    .residual = residual,
    .implicit = &tdi_rod_implicit,
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
