// SPDX-License-Identifier: MIT
// A bead on a spring, as a solver. With u = (x - x*)/h, a the spring's end and v how that moves, a
// step finds the least of
//   m/(2 h^2) |x - x^|^2 - m g.x + k/2 |x - a|^2 + h c/2 |u - v|^2 + loads + h drag(u)
// Its axes are held, so that torques do no work.

#include "test_conform_toy.h"

#include "base/diag.h"
#include "load/drag.h"

#include <stddef.h>

typedef struct bead_model {
    td_body_model head;
    const td_segment *segment;
} bead_model;

typedef struct bead {
    td_body head; // its coordinates are those of its one point, the tip
    const td_segment *segment;
    tdi_ldl3 factors;     // of the Hessian
    tdi_point_term touch; // what contact adds to gradient and Hessian
} bead;

// ---- models, states, segments ---------------------------------------------------------------

static td_status model_new(const td_skeleton *skeleton, const td_body_opts *opts,
                           const td_alloc *alloc, td_body_model **out, td_diag *diag) {
    const td_segment *s = td_skeleton_segments(skeleton);
    const char *wrong = td_skeleton_count(skeleton) != 1                ? "more than one segment"
                        : s->joint == TD_JOINT_HINGE                    ? "a hinge"
                        : s->joint == TD_JOINT_SLIDE                    ? "a slide"
                        : td_skeleton_attached_mass_count(skeleton) > 0 ? "bodies"
                        : opts->law == TD_LAW_TANGENT                   ? "the law 'tangent'"
                                                                        : NULL;
    *out = NULL;
    if (wrong) {
        return tdi_fail(diag, TD_ERR_STRUCTURE, "a bead cannot have %s", wrong);
    }
    bead_model *m = tdi_model_new(&test_toy, alloc, sizeof *m, diag);
    if (m) {
        m->segment = s;
        m->head.segment_count = 1;
        m->head.dof_count = 3;
        m->head.parameters = &s->mass;
        m->head.parameter_bytes = sizeof *s - offsetof(td_segment, mass);
    }
    *out = (td_body_model *)m;
    return m ? TD_OK : TD_ERR_MEMORY;
}

// Where the spring ends.
static td_vec3 anchor(const bead *b) {
    const td_segment *s = b->segment;
    const td_vec3 drawn = tdi_add(s->attach, tdi_quat_rotate(s->initial, s->tip));
    return tdi_base_point(&b->head.base, drawn);
}

static void set_base(void *state, const td_base_motion *motion) {
    bead *b = state;
    td_real *x = b->head.coords.x, *v = b->head.coords.v;
    const td_vec3 with = tdi_base_velocity(&b->head.base, tdi_coords_point(x, 0));
    const bool along = b->head.known == 0 && tdi_same_velocity(tdi_coords_point(v, 0), with);
    b->head.base = *motion;
    if (tdi_state_as_drawn(&b->head)) {
        tdi_coords_set_point(x, 0, anchor(b));
    }
    if (along) {
        tdi_coords_set_point(v, 0, tdi_base_velocity(motion, tdi_coords_point(x, 0)));
    }
}

static td_status state_new(const void *model, const td_alloc *alloc, td_body **out, td_diag *diag) {
    bead *b = tdi_body_new(&test_toy, model, alloc, sizeof *b, 3, diag);
    if (b) {
        b->segment = ((const bead_model *)model)->segment;
        b->head.segment_count = b->head.point_count = b->head.capsule_count = 1;
        tdi_coords_set_point(b->head.coords.x, 0, anchor(b));
    }
    *out = (td_body *)b;
    return b ? TD_OK : TD_ERR_MEMORY;
}

// There is one segment.
static void poses(void *state, int32_t first, int32_t count, td_vec3 *origins, td_vec3 *tips,
                  td_quat *rotations) {
    const td_segment *s = ((const bead *)state)->segment;
    const td_vec3 x = tdi_coords_point(((const bead *)state)->head.coords.x, 0);
    (void)first, (void)count;
    if (origins) {
        *origins = tdi_sub(x, tdi_quat_rotate(s->initial, s->tip));
    }
    if (tips) {
        *tips = x;
    }
    if (rotations) {
        *rotations = s->initial;
    }
}

static void velocities(void *state, int32_t first, int32_t count, const td_vec3 *at, td_vec3 *v) {
    (void)first, (void)count, (void)at;
    *v = tdi_coords_point(((const bead *)state)->head.coords.v, 0);
}

// Of the spring at the joint, as one at the tip.
static td_real at_tip(const td_segment *s, td_real stiffness) {
    return s->joint == TD_JOINT_FREE ? 0 : stiffness / (s->length * s->length);
}

static td_sums sums(void *state, td_vec3 gravity) {
    const bead *b = state;
    const td_segment *s = b->segment;
    const td_vec3 x = tdi_coords_point(b->head.coords.x, 0),
                  v = tdi_coords_point(b->head.coords.v, 0), d = tdi_sub(x, anchor(b)),
                  p = tdi_scale(v, s->mass);
    return (td_sums){{.kinetic = 0.5 * tdi_dot(p, v),
                      .elastic = 0.5 * at_tip(s, s->stiffness.x) * tdi_dot(d, d),
                      .weight = -s->mass * tdi_dot(gravity, x)},
                     .linear = p,
                     .angular = tdi_cross(x, p)};
}

// ---- the potential --------------------------------------------------------------------------

static void add_loads(const bead *b, td_vec3 u, tdi_point_term *sum) {
    const td_step_opts *o = b->head.opts;
    const td_segment *s = b->segment;
    const tdi_rate_factors by = tdi_rates_of(b->head.rule.h);
    const td_quat axes = tdi_quat_mul(b->head.base.rotation, s->initial);
    for (int32_t k = 0; k < o->load_count; k++) {
        const td_vec3 arm = tdi_quat_rotate(axes, tdi_sub(o->loads[k].point, s->tip)),
                      x = tdi_add(tdi_coords_point(b->head.coords.x, 0), arm);
        if (o->loads[k].kind != TD_LOAD_TORQUE) {
            const tdi_point_term p = tdi_point_load(&o->loads[k], x, u, 1, &by);
            tdi_point_add(sum, p.value, p.gradient, p.hessian);
        }
    }
    if (by.value > 0 && (o->air.linear > 0 || o->air.quadratic > 0)) {
        const tdi_mat3 r = tdi_mat3_from_quat(axes);
        const tdi_drag_area area = tdi_drag_area_of(tdi_segment_areas(s), tdi_segment_fold(s), &r);
        const td_vec3 wind = o->winds ? o->winds[0] : o->air.wind;
        const tdi_drag d = tdi_drag_of(&o->air, &area, tdi_sub(u, wind), &by);
        tdi_point_add(sum, d.value, d.gradient, d.hessian);
    }
}

static tdi_point_term potential(const bead *b) {
    const td_segment *s = b->segment;
    const td_step_opts *o = b->head.opts;
    const tdi_coords *c = &b->head.coords;
    const td_real h = b->head.rule.h;
    const td_vec3 x = tdi_coords_point(c->x, 0), a = anchor(b);
    td_vec3 u = {0, 0, 0};
    tdi_point_term sum = {.value = -s->mass * tdi_dot(o->gravity, x),
                          .gradient = tdi_scale(o->gravity, -s->mass)};
    tdi_point_add_spring(&sum, o->stiffness * at_tip(s, s->stiffness.x), tdi_sub(x, a));
    if (h > 0) {
        const td_vec3 v = tdi_base_velocity(&b->head.base, a);
        u = tdi_scale(tdi_sub(x, tdi_coords_point(c->history, 0)), 1 / h);
        tdi_point_add_spring(&sum, s->mass / (h * h),
                             tdi_sub(x, tdi_coords_point(c->predictor, 0)));
        tdi_point_add_spring(&sum, o->damping * at_tip(s, s->damping.x) / h,
                             tdi_scale(tdi_sub(u, v), h));
    }
    add_loads(b, u, &sum);
    return sum;
}

// ---- Newton's method ------------------------------------------------------------------------

static tdi_factored factor(void *body, const tdi_model *model) {
    bead *b = body;
    const td_real more = model->shift * b->segment->mass;
    const td_sym3 h = tdi_sym3_add(tdi_sym3_add(potential(b).hessian, b->touch.hessian),
                                   tdi_sym3_diagonal(more, more, more));
    return tdi_ldl3_factor(&b->factors, &h, 0) ? TDI_NOT_POSITIVE : TDI_POSITIVE;
}

static td_real solve(void *body, tdi_solving how, td_real *predicted_decrease) {
    bead *b = body;
    const td_vec3 r = tdi_add(potential(b).gradient, b->touch.gradient),
                  dx = tdi_scale(tdi_ldl3_solve(&b->factors, r), -1);
    (void)how; // no increment is too long
    tdi_coords_set_point(b->head.coords.increment, 0, dx);
    *predicted_decrease -= tdi_dot(r, dx);
    return tdi_norm(dx);
}

static td_real value(void *body, bool kept) {
    (void)kept;
    return potential(body).value;
}

// ---- contact --------------------------------------------------------------------------------

static void capsules(const void *body, tdi_capsule *out) {
    *out = (tdi_capsule){0, 0, ((const bead *)body)->segment->radius_base, 0, false, 0};
}

static td_real force(const void *body, const td_step_opts *o, td_real gap, td_real h) {
    const td_segment *s = ((const bead *)body)->segment;
    return s->mass * (tdi_norm(o->gravity) + (h > 0 ? gap * s->radius_base / (h * h) : 0));
}

static void clear(void *body) {
    ((bead *)body)->touch = (tdi_point_term){.value = 0};
}

static void respond(void *body) {
    const bead *b = body;
    td_real *y = b->head.coords.response;
    tdi_coords_set_point(y, 0, tdi_ldl3_solve(&b->factors, tdi_coords_point(y, 0)));
}

// ---- points ---------------------------------------------------------------------------------

// It never turns: all its points move alike.
static void read(void *body, tdi_points points, tdi_reading what, td_vec3 *x) {
    const bead *b = body;
    const td_segment *s = b->segment;
    const tdi_coords *c = &b->head.coords;
    const td_real *const from[] = {c->x, c->history, c->v, c->increment, c->response};
    const td_vec3 at = tdi_coords_point(from[what], 0);
    for (int32_t k = 0; k < points.count; k++) {
        const td_vec3 own = tdi_sub(tdi_add(points.list[k].local, points.list[k].arm), s->tip);
        x[k] = what > TDI_HISTORY ? at : tdi_add(at, tdi_quat_rotate(s->initial, own));
    }
}

static void apply_forces(void *body, tdi_points points, const td_vec3 *forces) {
    td_real *y = ((bead *)body)->head.coords.response;
    for (int32_t k = 0; k < points.count; k++) {
        tdi_coords_set_point(y, 0, tdi_add(tdi_coords_point(y, 0), forces[k]));
    }
}

// Both ends of the capsule are one point: the weights add up to 1 and the normals cancel.
static td_sym3 tilted(td_sym3 h, const tdi_tilt *t) {
    const td_vec3 *s = t->slide;
    h = tdi_sym3_add(h, tdi_sym3_square(s[0], t->weight[0] - t->weight[1]));
    h = tdi_sym3_add(h, tdi_sym3_square(s[1], t->weight[2] - t->weight[1]));
    return tdi_sym3_add(h, tdi_sym3_square(tdi_add(s[0], s[1]), t->weight[1]));
}

static void add_stiffness(void *body, const tdi_side_terms *side) {
    const td_sym3 h = side->tilt ? tilted(side->hessian, side->tilt) : side->hessian;
    tdi_point_add(&((bead *)body)->touch, 0, side->gradient, h);
}

// ---- entry ----------------------------------------------------------------------------------

static const tdi_contact_ops contact = {capsules, NULL, force};
static const tdi_implicit bead_implicit = {
    .traits = {.point_kinds = 1u << TDI_POINT_NODE | 1u << TDI_POINT_POSITION},
    .clear = clear,
    .factor = factor,
    .solve = solve,
    .value = value,
    .read = read,
    .apply_forces = apply_forces,
    .add_stiffness = add_stiffness,
    .respond = respond,
    .contact = &contact};

const tdi_solver test_toy = {.info = {.name = "bead",
                                      .text = "a ball on a spring",
                                      .stretchy = true,
                                      .integrators = 1u << TD_IMPLICIT | 1u << TD_IMPLICIT_EULER,
                                      .laws = 1u << TD_LAW_LINEAR},
                             .model_new = model_new,
                             .state_new = state_new,
                             .set_base = set_base,
                             .poses = poses,
                             .velocities = velocities,
                             .sums = sums,
                             .implicit = &bead_implicit};
