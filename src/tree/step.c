// SPDX-License-Identifier: MIT
// The implicit step and statics.
//
//   BDF2:            x^ = (4 x_n - x_n-1)/3 + h' (4 v_n - v_n-1)/3 + h'^2 g,  h' = 2h/3
//   backward Euler:  x^ = x_n + h v_n + h^2 g,  h' = h
// for x = o and for the nine entries of R alike, since material points move as o + R X. The first
// step after a start is backward Euler.

#include "load/check.h"
#include "tree/dynamics.h"
#include "tree/implicit.h"
#include "tree/trial.h"

#include <stdatomic.h>
#include <string.h>

#define WIND_JUMP 2.0 // m/s: a change of the wind in one step below this is a gust, not a jump

#define STATIC_ITERATIONS 5000 // far more than most need: limp things between pins creep

// ---- prediction -----------------------------------------------------------------------------

// Whether the two-step rule can be used.
static bool has_two(const td_tree_state *s, const td_step_opts *o) {
    return o->integrator == TD_IMPLICIT && s->history >= 2 && s->history_dt == o->dt;
}

// Whether the air changed so much at once that forces of the last step say nothing of the next.
static bool jumps(const td_air *last, const td_air *now) {
    td_real change = tdi_norm(tdi_sub(now->wind, last->wind));
    return change > 0.5 * tdi_norm(last->wind) && change > WIND_JUMP;
}

// The rule of one step takes the past as it is; that of two was prepared when the past was written.
static void take_past(const td_tree_model *m, td_tree_state *s, td_real h) {
    for (int32_t i = 0; i < m->body_count; i++) {
        const tdi_past *past = &s->past[i];
        s->star[i] = (tdi_place){past->o, past->r};
        s->hat[i].o = tdi_madd(past->o, past->v, h);
        for (int k = 0; k < 9; k++) {
            s->hat[i].r.m[k] = past->r.m[k] + h * past->w.m[k];
        }
    }
    memcpy(s->angle_star, s->angle, (size_t)m->dof_count * sizeof *s->angle);
}

// ---- history --------------------------------------------------------------------------------

static tdi_mat3 rate_of(const tdi_mat3 *r, td_vec3 w) { // [w]x R
    tdi_mat3 d;
    for (int j = 0; j < 3; j++) {
        td_vec3 c = tdi_cross(w, tdi_mat3_column(r, j));
        d.m[j] = c.x;
        d.m[3 + j] = c.y;
        d.m[6 + j] = c.z;
    }
    return d;
}

// The past of a state that was set by hand: from q and v.
static void begin_history(const td_tree_model *m, td_tree_state *s) {
    tdi_tree_place(m, s);
    tdi_tree_move(m, s);
    for (int32_t i = 0; i < m->body_count; i++) {
        const tdi_frame *f = &s->frame[i];
        s->past[i] = (tdi_past){f->o, s->twist[i].v, f->r, rate_of(&f->r, s->twist[i].w)};
    }
    memset(s->angle, 0, (size_t)m->dof_count * sizeof *s->angle);
    tdi_tree_angles(m, s, s->angle, s->angle);
    s->history = 1;
}

// x* of the two-step rule
static inline td_real two_step(td_real now, td_real before) {
    return (4 * now - before) / 3;
}
static inline td_vec3 two_step3(td_vec3 now, td_vec3 before) {
    return tdi_vec3(two_step(now.x, before.x), two_step(now.y, before.y),
                    two_step(now.z, before.z));
}

// The new past, and what the two-step rule will take from it and the last.
static inline void push_body(const td_tree_model *m, td_tree_state *s, int32_t i, td_real over,
                             td_real next) {
    const tdi_frame *f = &s->frame[i];
    tdi_past *past = &s->past[i];
    tdi_place *star = &s->star[i], *hat = &s->hat[i];
    td_vec3 v = tdi_scale(tdi_sub(f->o, star->o), over);
    for (int k = 0; k < 9; k++) {
        td_real w = (f->r.m[k] - star->r.m[k]) * over;
        star->r.m[k] = two_step(f->r.m[k], past->r.m[k]);
        hat->r.m[k] = star->r.m[k] + next * two_step(w, past->w.m[k]);
        past->w.m[k] = w;
    }
    star->o = two_step3(f->o, past->o);
    hat->o = tdi_madd(star->o, two_step3(v, past->v), next);
    past->o = f->o;
    past->v = v;
    past->r = f->r;
    tdi_body_angle(m, s, i, s->angle, s->angle_star);
    for (int32_t d = m->dof[i]; d < m->dof[i + 1]; d++) {
        td_real now = s->angle_star[d];
        s->angle_star[d] = two_step(now, s->angle[d]);
        s->angle[d] = now;
    }
}

// v from the bodies' rates: w = half the axial vector of dR R^T
void tdi_tree_fresh(td_tree_state *s) {
    const td_tree_model *m = s->model;
    if (!s->stale) {
        return;
    }
    s->stale = false;
    for (int32_t i = 0; i < m->body_count; i++) {
        tdi_mat3 spin = tdi_mat3_mul_t(&s->past[i].w, &s->frame[i].r);
        s->twist[i] = (tdi_twist){tdi_scale(tdi_mat3_axial(&spin), 0.5), s->past[i].v};
    }
    for (int32_t i = 0; i < m->body_count; i++) {
        int32_t p = m->parent[i];
        const tdi_twist *up = p == TD_NONE ? &s->base_twist : &s->twist[p];
        td_vec3 r = tdi_sub(s->frame[i].o, tdi_parent_frame(m, s, i)->o);
        td_vec3 w = tdi_sub(s->twist[i].w, up->w);
        td_vec3 v = tdi_sub(tdi_sub(s->twist[i].v, up->v), tdi_cross(up->w, r));
        tdi_twist column[6];
        for (int32_t d = 0, count = tdi_columns_of(m, s, i, column); d < count; d++) {
            s->v[m->dof[i] + d] = tdi_dot(column[d].w, w) + tdi_dot(column[d].v, v);
        }
    }
}

// ---- checks and starts ----------------------------------------------------------------------

static bool explicit_rule(td_integrator integrator) {
    return integrator == TD_EULER || integrator == TD_RK4;
}

static bool known(td_integrator integrator) {
    return integrator == TD_IMPLICIT || integrator == TD_IMPLICIT_EULER ||
           explicit_rule(integrator);
}

// What of the base is no number, or NULL.
static const char *wrong_base(const td_tree_state *s) {
    td_real n = tdi_quat_norm(s->base.turn);
    return !(n > 0) || !isfinite(n)        ? "rotation is zero or"
           : !tdi_finite3(s->base.o)       ? "position is"
           : !tdi_finite3(s->base_twist.v) ? "velocity is"
           : !tdi_finite3(s->base_twist.w) ? "spin is"
           : !tdi_finite3(s->base_accel.v) ? "acceleration is"
           : !tdi_finite3(s->base_accel.w) ? "spin_rate is"
                                           : NULL;
}

static td_status check_winds(const td_tree_model *m, const td_vec3 *winds, td_diag *diag) {
    for (int32_t i = 0; winds && i < m->body_count; i++) {
        if (!tdi_finite3(winds[i])) {
            return tdi_fail_at(diag, TD_ERR_ARGUMENT, i, "winds: that of body %d is not finite", i);
        }
    }
    return TD_OK;
}

static td_status check(const td_tree_state *s, const td_step_opts *o, td_diag *diag) {
    if (!o || o->struct_size != sizeof *o) {
        return tdi_fail(diag, TD_ERR_DEF, "td_step_opts did not come from its default function");
    }
    const char *wrong = !(o->dt > 0) || !isfinite(o->dt)                 ? "dt"
                        : !known(o->integrator)                          ? "integrator"
                        : !tdi_finite3(o->gravity)                       ? "gravity"
                        : o->iterations < 1                              ? "iterations"
                        : !(o->tolerance > 0) || o->tolerance > 1e-1     ? "tolerance"
                        : !(o->stiffness >= 0 && isfinite(o->stiffness)) ? "stiffness"
                        : !(o->damping >= 0 && isfinite(o->damping))     ? "damping"
                                                                         : NULL;
    if (wrong) {
        return tdi_fail(diag, TD_ERR_ARGUMENT, "%s is out of its range", wrong);
    }
    wrong = wrong_base(s);
    if (wrong) {
        return tdi_fail(diag, TD_ERR_ARGUMENT, "the base's %s not finite", wrong);
    }
    td_status status = check_winds(s->model, o->winds, diag);
    status = status == TD_OK ? tdi_tree_contacts_check(s->model, o, diag) : status;
    return status == TD_OK
               ? tdi_loads_check(s->model->body_count, o->loads, o->load_count, &o->air, diag)
               : status;
}

// q_next = q (q_old^-1 q)
static inline void repeat_turn(const td_real *old, td_real *q) {
    td_quat from = {old[0], old[1], old[2], old[3]}, to = {q[0], q[1], q[2], q[3]};
    td_quat next = tdi_quat_mul(to, tdi_quat_mul(tdi_quat_conj(from), to));
    td_real scale = 1 / tdi_quat_norm(next);
    q[0] = next.w * scale;
    q[1] = next.x * scale;
    q[2] = next.y * scale;
    q[3] = next.z * scale;
}

// Where Newton's method starts: every joint repeats its last move, from q_back to q. Leaves in
// q_back where it is now.
static void repeat_moves(const td_tree_model *m, td_tree_state *s, tdi_part bodies) {
    for (int32_t i = bodies.first; i < bodies.last; i++) {
        int32_t first = m->coord[i], count = m->coord[i + 1] - first;
        int32_t plain = count >= 4 ? count - 4 : count; // coordinates that are no quaternion
        td_real *q = s->q + first, *old = s->q_back + first, now[7];
        memcpy(now, q, (size_t)count * sizeof *q);
        for (int32_t k = 0; k < plain; k++) {
            q[k] = 2 * q[k] - old[k];
        }
        if (count >= 4) {
            repeat_turn(old + plain, q + plain);
        }
        memcpy(old, now, (size_t)count * sizeof *q);
    }
}

// ---- passes ---------------------------------------------------------------------------------

typedef struct step_pass {
    const td_tree_model *model;
    td_tree_state *state;
    td_real over;  // 1/h'
    td_real next;  // h' of the two-step rule
    bool repeated; // joints repeat their last move
} step_pass;

static void part_begin(void *context, int32_t part) {
    const step_pass *c = context;
    const tdi_part bodies = c->model->part[part];
    if (c->repeated) {
        repeat_moves(c->model, c->state, bodies);
    }
    tdi_place_range(c->model, c->state, bodies.first, bodies.last);
}

static void part_push(void *context, int32_t part) {
    const step_pass *c = context;
    const tdi_part bodies = c->model->part[part];
    for (int32_t i = bodies.first; i < bodies.last; i++) {
        push_body(c->model, c->state, i, c->over, c->next);
    }
}

// ---- entry ----------------------------------------------------------------------------------

// To where the step began; the base too, if it is given.
static void put_back(const td_tree_model *m, td_tree_state *s, const tdi_base_motion *base) {
    memcpy(s->q, s->q_back, (size_t)m->coord_count * sizeof *s->q);
    if (base) {
        s->base = base->frame;
        s->base_twist = base->twist;
    }
    tdi_tree_place(m, s);
}

static td_status step_implicit(td_tree_state *s, const td_step_opts *opts, td_step_stats *stats) {
    const td_tree_model *m = s->model;
    if (s->history == 0) {
        begin_history(m, s);
    }
    if (jumps(&s->air, &opts->air)) {
        s->history = 1;
    }
    s->air = opts->air;
    bool two = has_two(s, opts);
    td_real h = two ? 2 * opts->dt / 3 : opts->dt;
    if (!two) {
        take_past(m, s, h);
    }
    const tdi_base_motion base = {s->base, s->base_twist};
    td_tree_contacts *contacts = tdi_tree_contacts_of(opts);
    td_status status = contacts ? tdi_tree_contacts_begin(contacts, s, opts, h) : TD_OK;
    if (status != TD_OK) {
        return status;
    }
    tdi_tree_carry_base(s, &base, opts->dt);
    if (s->history < 2) {
        memcpy(s->q_back, s->q, (size_t)m->coord_count * sizeof *s->q);
    }
    step_pass pass = {m, s, 1 / h, 2 * opts->dt / 3, s->history >= 2};
    tdi_pass_out(m, opts->pool, part_begin, &pass);
    if (contacts && !tdi_tree_contacts_guess(contacts, s)) {
        put_back(m, s, contacts->time < 1 ? &base : NULL);
    }
    tdi_loads loads = {opts->loads, opts->load_count, opts->air, opts->winds, h, h * h, s->star};
    tdi_potential p = {.inertia = true,
                       .h = h,
                       .spring = h * h,
                       .damp = h * opts->damping,
                       .stiffness = opts->stiffness,
                       .gravity = opts->gravity,
                       .loads = loads,
                       .angle_rest = s->angle_star};
    tdi_newton_opts newton = {opts->iterations, opts->tolerance, opts->pool, contacts};
    status = tdi_newton(m, s, &p, &newton, stats);
    if (status != TD_OK) {
        put_back(m, s, &base);
        return status;
    }
    tdi_pass_all(m, opts->pool, part_push, &pass);
    if (contacts) {
        tdi_tree_contacts_end(contacts, s, opts->gravity);
    }
    s->history = 2;
    s->stale = true;
    s->history_dt = opts->dt;
    s->time += opts->dt;
    return TD_OK;
}

// What contacts know of a step that failed, or that it diverged.
static td_status fail_step(const td_tree_state *s, const td_step_opts *opts, td_diag *diag) {
    const td_tree_contacts *c = tdi_tree_contacts_of(opts);
    if (c && c->fault.status != TD_OK) {
        return tdi_fail_at(diag, c->fault.status, c->fault.index, "%s", c->fault.message);
    }
    return tdi_fail(diag, TD_ERR_DIVERGED, "the step at %g s diverged; try a smaller dt", s->time);
}

td_status td_tree_step(td_tree_state *s, const td_step_opts *opts, td_step_stats *stats,
                       td_diag *diag) {
    td_step_stats none = {0};
    td_status status = check(s, opts, diag);
    if (status != TD_OK) {
        return status;
    }
    stats = stats ? stats : &none;
    status = explicit_rule(opts->integrator) ? tdi_explicit_step(s->model, s, opts)
                                             : step_implicit(s, opts, stats);
    stats->steps += status == TD_OK;
    return status == TD_OK ? TD_OK : fail_step(s, opts, diag);
}

// ---- many trees -----------------------------------------------------------------------------

typedef struct many {
    td_tree_state *const *states;
    const td_step_opts *opts;
    td_step_stats *stats;
    _Atomic int32_t failed; // the first that failed, or how many there are
} many;

static void step_one(void *context, int64_t i) {
    many *all = context;
    td_step_opts opts = all->opts[i];
    opts.pool = NULL; // it is busy with the trees
    if (td_tree_step(all->states[i], &opts, all->stats ? &all->stats[i] : NULL, NULL) != TD_OK) {
        int32_t failed = atomic_load(&all->failed);
        while (i < failed && !atomic_compare_exchange_weak(&all->failed, &failed, (int32_t)i)) {}
    }
}

td_status td_tree_step_many(td_tree_state *const *states, const td_step_opts *opts, int32_t count,
                            td_pool *pool, td_step_stats *stats, td_diag *diag) {
    if (count < 0 || (count > 0 && (!states || !opts))) {
        return tdi_fail(diag, TD_ERR_ARGUMENT, "count is %d", count);
    }
    many all = {states, opts, stats, count};
    if (pool) {
        td_pool_run(pool, count, step_one, &all);
    } else {
        for (int32_t i = 0; i < count; i++) {
            step_one(&all, i);
        }
    }
    int32_t failed = all.failed;
    if (failed == count) {
        return TD_OK;
    }
    // options are still as wrong as they were; what fails with good ones has diverged
    td_diag fault = {.message = ""};
    td_status status = check(states[failed], &opts[failed], &fault);
    status = status == TD_OK ? fail_step(states[failed], &opts[failed], &fault) : status;
    return tdi_fail_at(diag, status, failed, "tree %d: %s", failed, fault.message);
}

// ---- rest -----------------------------------------------------------------------------------

td_status td_tree_settle(td_tree_state *s, const td_step_opts *opts, td_step_stats *stats,
                         td_diag *diag) {
    const td_tree_model *m = s->model;
    td_step_stats none = {0};
    td_status status = check(s, opts, diag);
    if (status != TD_OK) {
        return status;
    }
    stats = stats ? stats : &none;
    tdi_tree_place(m, s);
    memset(s->angle, 0, (size_t)m->dof_count * sizeof *s->angle);
    tdi_tree_angles(m, s, s->angle, s->angle);
    tdi_loads loads = {opts->loads, opts->load_count, opts->air, NULL, 0, 1, NULL};
    tdi_potential p = {
        .spring = 1, .stiffness = opts->stiffness, .gravity = opts->gravity, .loads = loads};
    tdi_newton_opts newton = {STATIC_ITERATIONS, 1e-11, opts->pool, NULL};
    status = tdi_newton(m, s, &p, &newton, stats);
    memset(s->v, 0, (size_t)m->dof_count * sizeof *s->v);
    s->stale = false;
    s->history = 0;
    return status == TD_OK ? TD_OK : tdi_fail(diag, status, "the search for rest diverged");
}

td_vec3 td_tree_origin(const td_tree_state *state, int32_t body) {
    return state->frame[body].o;
}

td_vec3 td_tree_tip(const td_tree_state *state, int32_t body) {
    const tdi_frame *f = &state->frame[body];
    return tdi_add(f->o, tdi_mat3_apply(&f->r, state->model->body[body].tip));
}
