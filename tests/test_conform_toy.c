// SPDX-License-Identifier: MIT
// A bead on a spring, as a solver. With u = (x - x*)/h, a the spring's end and v how that moves, a
// step finds the least of
//   m/(2 h^2) |x - x^|^2 - m g.x + k/2 |x - a|^2 + h c/2 |u - v|^2 + loads + h drag(u)

#include "test_conform_toy.h"

#include "base/alloc.h"
#include "base/diag.h"
#include "load/drag.h"
#include "math/quat.h"

#include <math.h>
#include <string.h>

typedef struct parameters { // what tells models apart
    td_real mass, radius, stiffness, damping;
    td_vec3 areas, drawn; // where the tip is, in the axes of the base
    td_quat turn;
} parameters;

typedef struct bead_model {
    const td_alloc *alloc;
    const td_segment *segment;
    bool floats;
    parameters f;
} bead_model;

typedef struct saved { // what a step leaves for the next
    td_base_motion base;
    td_vec3 x, v, x_before, v_before;
    td_real history_dt, time;
    int64_t history, moved; // steps so far, up to 2; whether it ever left where it was drawn
} saved;

typedef struct bead {
    const bead_model *model;
    const td_alloc *alloc;
    saved now, began; // began: where the step did
    const td_step_opts *opts;
    tdi_rule rule;     // h 0: statics
    td_vec3 hat, star; // of the rule
    td_vec3 kept, step, force, response;
    tdi_point touch; // what contact adds
    td_sym3 inverse; // of the Hessian
} bead;

static bead *bead_of(tdi_solver_state *state) {
    return (bead *)state;
}

static const bead *as_bead(const tdi_solver_state *state) {
    return (const bead *)state;
}

// ---- models and states ----------------------------------------------------------------------

static td_status model_new(const td_skeleton *skeleton, const tdi_model_opts *opts,
                           const td_alloc *alloc, tdi_solver_model **out, td_diag *diag) {
    const td_segment *s = td_skeleton_segments(skeleton);
    const char *wrong = td_skeleton_count(skeleton) != 1       ? "more than one segment"
                        : s->joint == TD_JOINT_HINGE           ? "a hinge"
                        : s->joint == TD_JOINT_SLIDE           ? "a slide"
                        : td_skeleton_body_count(skeleton) > 0 ? "bodies"
                        : opts->law != TD_LAW_DEFAULT && opts->law != TD_LAW_LINEAR
                            ? "another law than 'linear'"
                            : NULL;
    *out = NULL;
    if (wrong) {
        return tdi_fail(diag, TD_ERR_STRUCTURE, "a bead cannot have %s", wrong);
    }
    bead_model *m = tdi_alloc_zeroed(alloc, 1, sizeof *m);
    if (!m) {
        return tdi_fail(diag, TD_ERR_MEMORY, "out of memory for a bead");
    }
    const td_real over = 1 / (s->length * s->length);
    *m = (bead_model){.alloc = alloc, .segment = s, .floats = s->joint == TD_JOINT_FREE};
    m->f = (parameters){.mass = s->mass,
                        .radius = s->radius_base,
                        .stiffness = m->floats ? 0 : s->stiffness.x * over,
                        .damping = m->floats ? 0 : s->damping.x * over,
                        .areas = tdi_segment_areas(s),
                        .drawn = tdi_add(s->attach, tdi_quat_rotate(s->initial, s->tip)),
                        .turn = s->initial};
    *out = (tdi_solver_model *)m;
    return TD_OK;
}

static void model_free(tdi_solver_model *model) {
    bead_model *m = (bead_model *)model;
    if (m) {
        tdi_alloc_free(m->alloc, m, sizeof *m);
    }
}

static int32_t dof_count(const tdi_solver_model *model) {
    (void)model;
    return 3;
}

static const void *figures_of(const tdi_solver_model *model, size_t *size) {
    *size = sizeof(parameters);
    return &((const bead_model *)model)->f;
}

// Where the spring ends when the base is there.
static td_vec3 anchor(const bead *b, const td_base_motion *base) {
    return tdi_add(base->position, tdi_quat_rotate(base->rotation, b->model->f.drawn));
}

static void set_base(tdi_solver_state *state, const td_base_motion *motion) {
    bead *b = bead_of(state);
    b->now.base = *motion;
    if (!b->now.moved) {
        b->now.x = anchor(b, motion);
        b->now.v = motion->velocity;
    }
}

static td_status state_new(const tdi_solver_model *model, const td_alloc *alloc,
                           tdi_solver_state **out, td_diag *diag) {
    bead *b = tdi_alloc_zeroed(alloc, 1, sizeof *b);
    *out = (tdi_solver_state *)b;
    if (!b) {
        return tdi_fail(diag, TD_ERR_MEMORY, "out of memory for a bead");
    }
    b->model = (const bead_model *)model;
    b->alloc = alloc;
    set_base(*out, &(td_base_motion){.rotation = {1, 0, 0, 0}});
    return TD_OK;
}

static void state_free(tdi_solver_state *state) {
    bead *b = bead_of(state);
    if (b) {
        tdi_alloc_free(b->alloc, b, sizeof *b);
    }
}

static td_base_motion base_of(const tdi_solver_state *state) {
    return as_bead(state)->now.base;
}

// ---- segments and sums ----------------------------------------------------------------------

static void segment_pose(const tdi_solver_state *state, int32_t segment, td_vec3 *origin,
                         td_vec3 *tip, td_quat *rotation) {
    const bead *b = as_bead(state);
    (void)segment;
    if (origin) {
        *origin = tdi_sub(b->now.x, tdi_quat_rotate(b->model->f.turn, b->model->segment->tip));
    }
    if (tip) {
        *tip = b->now.x;
    }
    if (rotation) {
        *rotation = b->model->f.turn;
    }
}

static void poses(const tdi_solver_state *state, td_vec3 *origins, td_vec3 *tips,
                  td_quat *rotations) {
    segment_pose(state, 0, origins, tips, rotations);
}

static td_vec3 velocity(tdi_solver_state *state, int32_t segment, td_vec3 point) {
    (void)segment;
    (void)point;
    return as_bead(state)->now.v;
}

static void velocities(tdi_solver_state *state, td_vec3 *tips) {
    tips[0] = as_bead(state)->now.v;
}

static td_vec3 turn(const tdi_solver_state *state, int32_t segment) {
    (void)state;
    (void)segment;
    return tdi_vec3(0, 0, 0);
}

static td_vec3 moment(const tdi_solver_state *state, int32_t segment, td_real stiffness) {
    (void)stiffness;
    return turn(state, segment);
}

static td_sums sums(tdi_solver_state *state, td_vec3 gravity) {
    const bead *b = as_bead(state);
    const parameters *f = &b->model->f;
    const td_vec3 d = tdi_sub(b->now.x, anchor(b, &b->now.base)), p = tdi_scale(b->now.v, f->mass);
    return (td_sums){.energy = {.kinetic = 0.5 * tdi_dot(p, b->now.v),
                                .elastic = 0.5 * f->stiffness * tdi_dot(d, d),
                                .weight = -f->mass * tdi_dot(gravity, b->now.x)},
                     .linear = p,
                     .angular = tdi_cross(b->now.x, p)};
}

// ---- the potential --------------------------------------------------------------------------

static void add_to(tdi_point *sum, td_real value, td_vec3 gradient, td_sym3 hessian) {
    sum->value += value;
    sum->gradient = tdi_add(sum->gradient, gradient);
    sum->hessian = tdi_sym3_add(sum->hessian, hessian);
}

// k/2 |d|^2
static void add_spring(tdi_point *sum, td_real k, td_vec3 d) {
    add_to(sum, 0.5 * k * tdi_dot(d, d), tdi_scale(d, k), tdi_sym3_diagonal(k, k, k));
}

static void add_loads(const bead *b, td_vec3 u, const tdi_rate_factors *by, tdi_point *sum) {
    const td_step_opts *o = b->opts;
    for (int32_t k = 0; k < o->load_count; k++) {
        const td_vec3 arm = tdi_sub(o->loads[k].point, b->model->segment->tip);
        const td_vec3 at = tdi_add(b->now.x, tdi_quat_rotate(b->model->f.turn, arm));
        const tdi_point p = tdi_point_load(&o->loads[k], at, u, 1, by);
        add_to(sum, p.value, p.gradient, p.hessian);
    }
    if (by->value > 0 && (o->air.linear > 0 || o->air.quadratic > 0)) {
        const tdi_mat3 r = tdi_mat3_from_quat(b->model->f.turn);
        const tdi_drag_area drag_area = tdi_drag_area_of(b->model->f.areas, &r);
        const tdi_drag d =
            tdi_drag_of(&o->air, &drag_area, tdi_sub(u, o->winds ? o->winds[0] : o->air.wind), by);
        add_to(sum, d.value, d.gradient, d.hessian);
    }
}

static tdi_point potential(const bead *b) {
    const parameters *f = &b->model->f;
    const td_step_opts *o = b->opts;
    const td_base_motion *base = &b->now.base;
    const td_real h = b->rule.h;
    const td_vec3 a = anchor(b, base), arm = tdi_sub(a, base->position);
    const tdi_rate_factors by = {h, h > 0, h > 0 ? 1 / h : 0};
    td_vec3 u = {0, 0, 0};
    tdi_point sum = {.value = -f->mass * tdi_dot(o->gravity, b->now.x),
                     .gradient = tdi_scale(o->gravity, -f->mass)};
    add_spring(&sum, o->stiffness * f->stiffness, tdi_sub(b->now.x, a));
    if (h > 0) {
        const td_vec3 with = tdi_add(base->velocity, tdi_cross(base->spin, arm));
        u = tdi_scale(tdi_sub(b->now.x, b->star), 1 / h);
        add_spring(&sum, f->mass / (h * h), tdi_sub(b->now.x, b->hat));
        // h c/2 |u - v|^2 = c/(2 h) |x - x* - h v|^2
        add_spring(&sum, o->damping * f->damping / h, tdi_scale(tdi_sub(u, with), h));
    }
    add_loads(b, u, &by, &sum);
    return sum;
}

// ---- steps ----------------------------------------------------------------------------------

static td_status check(const void *body, const td_step_opts *o, td_diag *diag) {
    (void)body;
    td_status status = tdi_step_opts_check(o, 1, diag);
    for (int32_t k = 0; status == TD_OK && k < o->load_count; k++) {
        if (o->loads[k].kind == TD_LOAD_TORQUE) {
            return tdi_fail_at(diag, TD_ERR_ARGUMENT, k, "load %d: a bead takes no torque", (int)k);
        }
    }
    if (status == TD_OK && !tdi_is_implicit(o->integrator)) {
        return tdi_fail(diag, TD_ERR_ARGUMENT, "a bead has no explicit integrator");
    }
    return status;
}

static bool ready(const void *body, const td_step_opts *o) {
    const bead *b = body;
    return b->now.history == 2 && b->now.history_dt == o->dt;
}

static td_vec3 two_step(td_vec3 now, td_vec3 before) { // (4 a - b)/3
    return tdi_scale(tdi_sub(tdi_scale(now, 4), before), 1.0 / 3);
}

static void carry_base(td_base_motion *m, td_real t) {
    const td_vec3 spin = tdi_madd(m->spin, m->spin_rate, 0.5 * t);
    const td_real rate = tdi_norm(spin);
    m->position = tdi_madd(m->position, tdi_madd(m->velocity, m->acceleration, 0.5 * t), t);
    m->velocity = tdi_madd(m->velocity, m->acceleration, t);
    if (rate > 0) {
        const td_quat way = tdi_quat_turn(tdi_scale(spin, 1 / rate), rate * t);
        m->rotation = tdi_quat_unit(tdi_quat_mul(way, m->rotation));
    }
    m->spin = tdi_madd(m->spin, m->spin_rate, t);
}

// The base is at its end all along: only the spring feels it, and that touches nothing.
static void begin(void *body, const td_step_opts *o, const tdi_rule *rule) {
    bead *b = body;
    const saved *s = &b->now;
    b->began = *s;
    b->opts = o;
    b->rule = *rule;
    b->star = rule->two ? two_step(s->x, s->x_before) : s->x;
    b->hat = tdi_madd(b->star, rule->two ? two_step(s->v, s->v_before) : s->v, rule->h);
    b->now.moved = 1;
    carry_base(&b->now.base, rule->dt);
}

static void guess(void *body, bool take) {
    bead *b = body;
    b->now.x = take ? b->hat : b->began.x;
}

static void accept(void *body) {
    bead *b = body;
    saved *s = &b->now;
    s->x_before = b->began.x;
    s->v_before = s->v;
    s->v = tdi_scale(tdi_sub(s->x, b->star), 1 / b->rule.h);
    s->history = 2;
    s->history_dt = b->rule.dt;
    s->time += b->rule.dt;
}

static void undo(void *body) {
    bead *b = body;
    b->now = b->began;
}

static void begin_rest(void *body, const td_step_opts *o) {
    bead *b = body;
    b->opts = o;
    b->rule = (tdi_rule){.h = 0};
    b->now.moved = 1;
}

static void end_rest(void *body) {
    bead *b = body;
    b->now.v = tdi_vec3(0, 0, 0);
    b->now.history = 0;
}

// ---- Newton's method ------------------------------------------------------------------------

static td_real first_shift(const void *body) {
    const td_real h = ((const bead *)body)->rule.h;
    return h > 0 ? 0.25 / (h * h) : 100;
}

static void clear(void *body) {
    memset(&((bead *)body)->touch, 0, sizeof(tdi_point));
}

// The inverse by cofactors, where the leading minors are positive.
static tdi_factored factor(void *body, const tdi_model *model) {
    bead *b = body;
    const td_real more = model->shift * b->model->f.mass;
    td_sym3 h = tdi_sym3_add(tdi_sym3_add(potential(b).hessian, b->touch.hessian),
                             tdi_sym3_diagonal(more, more, more));
    const td_sym3 c = {h.yy * h.zz - h.yz * h.yz, h.xx * h.zz - h.xz * h.xz,
                       h.xx * h.yy - h.xy * h.xy, h.xz * h.yz - h.xy * h.zz,
                       h.xy * h.yz - h.xz * h.yy, h.xy * h.xz - h.xx * h.yz};
    const td_real det = h.xx * c.xx + h.xy * c.xy + h.xz * c.xz;
    if (!(h.xx > 0 && c.zz > 0 && det > 0)) {
        return TDI_NOT_POSITIVE;
    }
    b->inverse = tdi_sym3_scale(c, 1 / det);
    return TDI_POSITIVE;
}

static void keep(void *body) {
    bead *b = body;
    b->kept = b->now.x;
}

static void try_part(void *body, td_real fraction) {
    bead *b = body;
    b->now.x = tdi_madd(b->kept, b->step, fraction);
}

static td_real solve(void *body, bool attempt, bool limited, td_real *promise) {
    bead *b = body;
    const td_vec3 r = tdi_add(potential(b).gradient, b->touch.gradient);
    (void)limited; // no increment is too long
    b->step = tdi_scale(tdi_sym3_apply(&b->inverse, r), -1);
    *promise -= tdi_dot(r, b->step);
    if (attempt) {
        keep(b);
        try_part(b, 1);
    }
    return tdi_norm(b->step);
}

static td_real largest(const void *body) {
    return tdi_norm(((const bead *)body)->step);
}

static td_real value(const void *body) {
    return potential(body).value;
}

static bool driven(const void *body) {
    (void)body;
    return false;
}

static void stand(void *body) {
    (void)body;
}

// ---- contact --------------------------------------------------------------------------------

static int32_t one(const void *body) {
    (void)body;
    return 1;
}

static void capsules(const void *body, tdi_capsule *out) {
    *out = (tdi_capsule){0, 0, ((const bead *)body)->model->f.radius, 0};
}

static bool apart(const void *body, int32_t i, int32_t j) {
    (void)body;
    return i != j;
}

static td_real force_of(const void *body, const td_step_opts *o, td_real gap, td_real h) {
    const parameters *f = &((const bead *)body)->model->f;
    const td_real range = gap * f->radius;
    return f->mass * (tdi_norm(o->gravity) + (h > 0 ? range / (h * h) : 0));
}

static void points(const void *body, td_vec3 *x) {
    *x = ((const bead *)body)->now.x;
}

static void points_star(const void *body, td_vec3 *x) {
    *x = ((const bead *)body)->star;
}

static void points_move(const void *body, td_vec3 *dx) {
    *dx = ((const bead *)body)->step;
}

// Both ends of the capsule are one point: the weights add up to 1 and the normals cancel.
static void add(void *body, const tdi_contact_side *t) {
    bead *b = body;
    const td_vec3 *s = t->slide;
    td_sym3 h = tdi_sym3_add(t->hessian, tdi_sym3_square(s[0], t->tilt[0] - t->tilt[1]));
    h = tdi_sym3_add(h, tdi_sym3_square(s[1], t->tilt[2] - t->tilt[1]));
    h = tdi_sym3_add(h, tdi_sym3_square(tdi_add(s[0], s[1]), t->tilt[1]));
    add_to(&b->touch, 0, t->force, h);
}

static void push(void *body, int32_t point, td_vec3 force) {
    bead *b = body;
    (void)point;
    b->force = tdi_add(b->force, force);
}

static void respond(void *body) {
    bead *b = body;
    b->response = tdi_sym3_apply(&b->inverse, b->force);
    b->force = tdi_vec3(0, 0, 0);
}

static void response(const void *body, td_vec3 *dx) {
    *dx = ((const bead *)body)->response;
}

static void absorb(void *body) {
    bead *b = body;
    b->step = tdi_add(b->step, b->response);
}

// ---- saving ---------------------------------------------------------------------------------

static size_t body_size(const void *body) {
    (void)body;
    return sizeof(saved);
}

static void body_save(const void *body, void *bytes) {
    memcpy(bytes, &((const bead *)body)->now, sizeof(saved));
}

static void body_restore(void *body, const void *bytes) {
    memcpy(&((bead *)body)->now, bytes, sizeof(saved));
}

static size_t save_size(const tdi_solver_state *state) {
    return body_size(state);
}

static void save(const tdi_solver_state *state, void *bytes) {
    body_save(state, bytes);
}

static void restore(tdi_solver_state *state, const void *bytes) {
    body_restore(state, bytes);
}

static void *own(tdi_solver_state *state) {
    return state;
}

// ---- entry ----------------------------------------------------------------------------------

static const tdi_implicit bead_implicit = {
    .check = check,
    .ready = ready,
    .begin = begin,
    .guess = guess,
    .accept = accept,
    .undo = undo,
    .begin_rest = begin_rest,
    .end_rest = end_rest,
    .first_shift = first_shift,
    .clear = clear,
    .factor = factor,
    .solve = solve,
    .largest = largest,
    .value = value,
    .keep = keep,
    .try = try_part,
    .longest = INFINITY,
    .driven = driven,
    .stand = stand,
    .point_count = one,
    .capsule_count = one,
    .capsules = capsules,
    .apart = apart,
    .force = force_of,
    .points = points,
    .points_star = points_star,
    .points_move = points_move,
    .add = add,
    .push = push,
    .respond = respond,
    .response = response,
    .absorb = absorb,
    .save_size = body_size,
    .save = body_save,
    .restore = body_restore,
};

const tdi_solver test_toy = {
    .info = {.name = "bead",
             .text = "a ball on a spring",
             .integrators = 1u << TD_IMPLICIT | 1u << TD_IMPLICIT_EULER,
             .laws = 1u << TD_LAW_LINEAR,
             .stretchy = true},
    .model_new = model_new,
    .model_free = model_free,
    .dof_count = dof_count,
    .parameters = figures_of,
    .state_new = state_new,
    .state_free = state_free,
    .set_base = set_base,
    .base = base_of,
    .implicit = &bead_implicit,
    .poses = poses,
    .segment = segment_pose,
    .velocities = velocities,
    .velocity = velocity,
    .turn = turn,
    .moment = moment,
    .sums = sums,
    .save_size = save_size,
    .save = save,
    .restore = restore,
    .own = own,
};
