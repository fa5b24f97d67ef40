// SPDX-License-Identifier: MIT
// Rods as a solver: the functions of rod.h behind the table that a world asks.
//
// Plants and skeletons become networks of rods. A strand becomes one rod along its segments, with
// what its object says of ends, bodies and its shape at ease.

#include "rod/solver.h"

#include "base/alloc.h"
#include "base/diag.h"
#include "rod/implicit.h"
#include "rod/rest.h"
#include "rod/saving.h"
#include "rod/state.h"
#include "tendril/scene.h"
#include "world/strand.h"

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

// ---- strands --------------------------------------------------------------------------------

typedef struct strand_maker {
    const td_strand_def *strand;
    const td_skeleton *skeleton;
    const td_segment *segments;
    int32_t count;         // of the segments along it; those of bodies come after them
    td_real size;          // factor of all lengths
    td_vec3 *points, *own; // as drawn, and at ease
    td_real *radii;
    td_rod_body *bodies; // one a segment at most
    int32_t body_count;
} strand_maker;

static td_real length_of(const td_vec3 *places, int32_t count) {
    td_real sum = 0;
    for (int32_t k = 0; k < count; k++) {
        sum += tdi_norm(tdi_sub(places[k + 1], places[k]));
    }
    return sum;
}

static td_real size_of(const strand_maker *k) {
    const tdi_strand_curve drawn = tdi_strand_drawn(k->strand);
    tdi_strand_places(&drawn, k->count, k->own);
    return length_of(k->points, k->count) / length_of(k->own, k->count);
}

// The shape at ease, in the size of the skeleton; NULL: as drawn.
static const td_vec3 *shape_at_ease(const strand_maker *k) {
    const tdi_strand_curve rest = tdi_strand_rest(k->strand);
    if (!tdi_strand_has_curve(&rest)) {
        return NULL;
    }
    tdi_strand_places(&rest, k->count, k->own);
    for (int32_t i = 0; i <= k->count; i++) {
        k->own[i] = tdi_scale(k->own[i], k->size);
    }
    return k->own;
}

// Adds a body at `along` its segment; those of one segment become one.
static void add_body(strand_maker *k, int32_t segment, td_real mass, td_vec3 centre,
                     td_vec3 spread) {
    td_rod_body *b = NULL;
    for (int32_t i = 0; i < k->body_count; i++) {
        b = k->bodies[i].edge == segment ? &k->bodies[i] : b;
    }
    if (!b) {
        b = &k->bodies[k->body_count++];
        *b = (td_rod_body){.edge = segment};
    }
    td_sym3 own = tdi_sym3_square(centre, mass);
    own = tdi_sym3_add(own, tdi_sym3_diagonal(mass * spread.x, mass * spread.y, mass * spread.z));
    td_vec3 moment = tdi_madd(tdi_scale(b->centre_of_mass, b->mass), centre, mass);
    b->mass += mass;
    b->centre_of_mass = tdi_scale(moment, 1 / b->mass);
    b->second_moment = tdi_sym3_add(b->second_moment, own);
}

// Boxes, whose mean squares are those of their sides over 12, and a ball at the tip, three times as
// thick as the strand.
static void make_bodies(strand_maker *k) {
    const td_strand_def *s = k->strand;
    for (int32_t i = 0; i < s->body_count; i++) {
        const td_strand_body *b = &s->bodies[i];
        td_real at = b->at * k->count;
        int32_t segment = at < k->count ? (int32_t)at : k->count - 1;
        td_vec3 q = tdi_scale(b->size, k->size), centre = tdi_scale(b->position, k->size);
        centre.y += (at - segment) * k->segments[segment].length;
        add_body(k, segment, b->mass, centre,
                 tdi_vec3(q.x * q.x / 12, q.y * q.y / 12, q.z * q.z / 12));
    }
    if (s->tip_mass > 0) {
        const td_segment *last = &k->segments[k->count - 1];
        td_real ball = 9 * last->radius_base * last->radius_base / 5;
        add_body(k, k->count - 1, s->tip_mass, tdi_vec3(0, last->length, 0),
                 tdi_vec3(ball, ball, ball));
    }
}

static td_rod_def def_of(const strand_maker *k, td_quat first) {
    const td_strand_def *s = k->strand;
    const td_material *m = &td_skeleton_materials(k->skeleton)[k->segments[0].material];
    td_rod_def d = td_rod_def_default();
    d.vertex_count = s->closed ? k->count : k->count + 1;
    d.points = k->points;
    d.rest = shape_at_ease(k);
    d.straight = s->straight;
    d.radius = k->radii[0];
    d.radii = k->radii;
    d.radius_other = s->radius_other * k->radii[0] / s->radius;
    d.director = tdi_quat_rotate(first, tdi_vec3(0, 0, 1));
    d.twist = s->twist;
    d.closed = s->closed;
    d.start = s->closed ? TD_END_FREE : s->start.held;
    d.end = s->closed ? TD_END_FREE : s->end.held;
    d.density = m->density;
    d.young = m->young;
    d.shear = td_material_shear(m);
    d.damping_time = m->damping_time;
    d.bend_x = s->bend;
    d.bend_z = s->bend_other > 0 ? s->bend_other : s->bend;
    d.twist_y = s->torsion;
    d.stretch = s->stretch;
    d.mass = s->line_mass;
    d.inextensible = s->inextensible;
    return d;
}

// Where the ends are held, as the model starts.
static void note_ends(const td_rod_model *m, const td_rod_def *d, rod_end ends[2]) {
    for (int end = 0; end < 2; end++) {
        const td_rod_end how = end ? d->end : d->start;
        const int32_t i = m->end_node[end];
        ends[end] = (rod_end){.held = how != TD_END_FREE,
                              .place = d->points[end ? d->vertex_count - 1 : 0],
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

static td_status fill_strand(strand_maker *k, td_quat *turns, const td_alloc *alloc, rod_model *out,
                             td_diag *diag) {
    td_skeleton_pose(k->skeleton, TD_POSE_REST, k->points, turns); // those of bodies as well
    k->points[k->count] =
        tdi_add(k->points[k->count - 1],
                tdi_quat_rotate(turns[k->count - 1], k->segments[k->count - 1].tip));
    for (int32_t i = 0; i < k->count; i++) {
        k->radii[i] = 0.5 * (k->segments[i].radius_base + k->segments[i].radius_tip);
    }
    k->size = size_of(k);
    make_bodies(k);
    const td_rod_def def = def_of(k, turns[0]);
    td_status status = td_rod_model_new(&def, 1, k->bodies, k->body_count, alloc, &out->rods, diag);
    if (status == TD_OK) {
        note_ends(out->rods, &def, out->ends);
    }
    return status;
}

static int32_t stem_count(const td_skeleton *skeleton) {
    const td_segment *segments = td_skeleton_segments(skeleton);
    int32_t count = 0;
    while (count < td_skeleton_count(skeleton) && segments[count].organ == TD_ORGAN_STEM) {
        count++;
    }
    return count;
}

static td_status make_strand(const td_skeleton *skeleton, const td_strand_def *strand,
                             const td_alloc *alloc, rod_model *out, td_diag *diag) {
    strand_maker k = {.strand = strand,
                      .skeleton = skeleton,
                      .segments = td_skeleton_segments(skeleton),
                      .count = stem_count(skeleton)};
    const size_t n = (size_t)td_skeleton_count(skeleton) + 1,
                 bytes =
                     2 * sizeof(td_vec3) + sizeof(td_quat) + sizeof(td_real) + sizeof(td_rod_body);
    char *room = tdi_alloc_zeroed(alloc, n, bytes);
    if (!room) {
        return tdi_fail(diag, TD_ERR_MEMORY, "out of memory for the strand");
    }
    td_quat *turns = (td_quat *)room;
    k.points = (td_vec3 *)(turns + n);
    k.own = k.points + n;
    k.radii = (td_real *)(k.own + n);
    k.bodies = (td_rod_body *)(k.radii + n);
    td_status status = fill_strand(&k, turns, alloc, out, diag);
    tdi_alloc_free(alloc, room, n * bytes);
    return status;
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
    rod_model *m = room_for(NULL, alloc);
    *out = NULL;
    if (!m) {
        return tdi_fail(diag, TD_ERR_MEMORY, "out of memory for the rods");
    }
    m->segments = td_skeleton_segments(skeleton);
    m->segment_count = td_skeleton_count(skeleton);
    return made(m,
                opts->strand ? make_strand(skeleton, opts->strand, alloc, m, diag)
                             : td_rod_model_from_skeleton(skeleton, alloc, &m->rods, diag),
                out);
}

static int32_t dof_count(const tdi_solver_model *model) {
    return td_rod_dof_count(model_of(model)->rods);
}

static const void *figures(const tdi_solver_model *model, size_t *size) {
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
    return status == TD_OK ? tdi_fail(diag, TD_ERR_ARGUMENT,
                                      "none of the lowest %d modes bends a spring", (int)count)
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

static tdi_rate base_rate(const tdi_solver_state *state) {
    const td_base_motion *b = &rods_of(state)->base;
    return (tdi_rate){b->spin, b->velocity};
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

// ---- segments -------------------------------------------------------------------------------

// A segment beyond the edges is a body's, drawn where that is on an edge: which, and where on it.
static int32_t edge_of(const rod_model *m, int32_t segment, td_vec3 *from) {
    const td_segment *s = &m->segments[segment];
    const bool body = segment >= td_rod_edge_count(m->rods);
    *from = body ? s->attach : tdi_vec3(0, 0, 0);
    return body ? s->parent : segment;
}

static void place_load(const tdi_solver_model *model, td_load *load) {
    td_vec3 from;
    load->segment = edge_of(model_of(model), load->segment, &from);
    load->point = tdi_add(load->point, from);
}

static td_quat rotation(const tdi_solver_state *state, int32_t segment) {
    td_vec3 from;
    return td_rod_rotation(rods_of(state),
                           edge_of(((const rod_state *)state)->model, segment, &from));
}

static td_vec3 origin(const tdi_solver_state *state, int32_t segment) {
    td_vec3 from;
    const int32_t edge = edge_of(((const rod_state *)state)->model, segment, &from);
    td_vec3 start = td_rod_origin(rods_of(state), edge);
    return edge == segment ? start
                           : tdi_add(start, tdi_quat_rotate(rotation(state, segment), from));
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
    return tdi_rod_velocity_of(rods(state), edge, tdi_add(from, point));
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
             .mutual = true,
             .rings = true},
    .model_new = model_new,
    .model_free = model_free,
    .dof_count = dof_count,
    .figures = figures,
    .rest_new = rest_new,
    .damped_new = damped_new,
    .state_new = state_new,
    .state_free = state_free,
    .set_base = set_base,
    .base_rate = base_rate,
    .end_pose = end_pose,
    .set_end = set_end,
    .place_load = place_load,
    .step = step,
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
