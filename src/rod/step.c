// SPDX-License-Identifier: MIT
// The implicit step of rods, and statics.
//
//   BDF2:            x^ = (4 x_n - x_n-1)/3 + h' (4 v_n - v_n-1)/3 + h'^2 g,  h' = 2h/3
//   backward Euler:  x^ = x_n + h v_n + h^2 g,  h' = h
// for places, turns and the frames of bodies alike. The first step after a start is backward Euler.

#include "load/check.h"
#include "rod/newton.h"
#include "rod/pose.h"
#include "rod/published.h"
#include "rod/state.h"

#include <math.h>
#include <string.h>

#define STATIC_ITERATIONS 2000
#define FAR               0.5   // of the error of the simple guess: what a better one must reach
#define STATIC_TOLERANCE  1e-10 // of the tolerance of a step: statics are to be exact

// ---- the rule -------------------------------------------------------------------------------

static inline td_real two_step(td_real now, td_real before) {
    return (4 * now - before) / 3;
}
static inline td_vec3 two_step3(td_vec3 now, td_vec3 before) {
    return tdi_vec3(two_step(now.x, before.x), two_step(now.y, before.y),
                    two_step(now.z, before.z));
}

static void strains(const tdi_rod_pose *pose, td_real out[4]) {
    out[0] = pose->k1;
    out[1] = pose->k2;
    out[2] = pose->twist;
    out[3] = pose->edge.length;
}

// The past of a state that was set by hand.
static void begin_history(td_rod_state *s) {
    const td_rod_model *m = s->model;
    for (int32_t i = 0; i < m->node_count; i++) {
        s->past[i].x = s->pose[i].x;
        s->past[i].turn = 0;
        strains(&s->pose[i], s->past[i].strain);
    }
    for (int32_t k = 0; k < m->weld_count; k++) {
        const int32_t i = m->weld[k].node;
        const tdi_rod_node *n = &m->node[i];
        const tdi_edge *e = &s->pose[i].edge;
        tdi_weld_past *past = &s->weld_past[k];
        td_vec3 along = tdi_sub(s->past[i].v, s->past[n->parent].v);
        td_vec3 w =
            tdi_madd(tdi_scale(tdi_cross(e->t, along), 1 / e->length), e->t, s->past[i].spin);
        past->r = tdi_edge_axes(e);
        for (int j = 0; j < 3; j++) {
            td_vec3 c = tdi_cross(w, tdi_mat3_column(&past->r, j));
            past->rate.m[j] = c.x;
            past->rate.m[3 + j] = c.y;
            past->rate.m[6 + j] = c.z;
        }
        past->x = tdi_rod_start(m, s->pose, i);
        past->v = s->past[n->parent].v;
    }
    s->history = 1;
}

// The rule of one step takes the past as it is; that of two was prepared when the past was written.
static void take_past(td_rod_state *s, td_real h) {
    const td_rod_model *m = s->model;
    for (int32_t i = 0; i < m->node_count; i++) {
        const tdi_rod_past *past = &s->past[i];
        tdi_rod_rule *rule = &s->rule[i];
        rule->star = past->x;
        rule->hat = tdi_madd(past->x, past->v, h);
        rule->turn_star = 0;
        rule->turn_hat = h * past->spin;
        memcpy(rule->strain_star, past->strain, sizeof past->strain);
    }
    for (int32_t k = 0; k < m->weld_count; k++) {
        const tdi_weld_past *past = &s->weld_past[k];
        tdi_weld_rule *rule = &s->weld_rule[k];
        rule->star = past->x;
        rule->hat = tdi_madd(past->x, past->v, h);
        rule->star_r = past->r;
        for (int j = 0; j < 9; j++) {
            rule->hat_r.m[j] = past->r.m[j] + h * past->rate.m[j];
        }
    }
}

// The new past, and what the two-step rule will take from it and the last.
// Not inline: gcc 12 at -O3 splits the loop of end_step() in two and overwrites what the second
// half still reads, although nothing in it is undefined.
__attribute__((noinline)) static void push_node(td_rod_state *s, int32_t i, td_real over,
                                                td_real next) {
    tdi_rod_past *past = &s->past[i];
    tdi_rod_rule *rule = &s->rule[i];
    const tdi_rod_pose *pose = &s->pose[i];
    td_vec3 v = tdi_scale(tdi_sub(pose->x, rule->star), over);
    td_real spin = (s->turn[i] - rule->turn_star) * over, now[4];
    strains(pose, now);
    for (int k = 0; k < 4; k++) {
        rule->strain_star[k] = two_step(now[k], past->strain[k]);
        past->strain[k] = now[k];
    }
    s->before_last[i] = s->before[i];
    s->before[i] = past->x;
    s->turn_before[i] = past->turn;
    rule->star = two_step3(pose->x, past->x);
    rule->hat = tdi_madd(rule->star, two_step3(v, past->v), next);
    // turns count from here on: the last place is -turn
    rule->turn_star = s->turn[i] / 3;
    rule->turn_hat = rule->turn_star + next * two_step(spin, past->spin);
    past->x = pose->x;
    past->v = v;
    past->turn = s->turn[i];
    past->spin = spin;
    s->turn[i] = 0;
}

static void push_weld(td_rod_state *s, int32_t k, td_real over, td_real next) {
    const int32_t i = s->model->weld[k].node;
    tdi_weld_past *past = &s->weld_past[k];
    tdi_weld_rule *rule = &s->weld_rule[k];
    const tdi_mat3 r = tdi_edge_axes(&s->pose[i].edge);
    td_vec3 x = tdi_rod_start(s->model, s->pose, i), v = tdi_scale(tdi_sub(x, rule->star), over);
    for (int j = 0; j < 9; j++) {
        td_real rate = (r.m[j] - rule->star_r.m[j]) * over;
        rule->star_r.m[j] = two_step(r.m[j], past->r.m[j]);
        rule->hat_r.m[j] = rule->star_r.m[j] + next * two_step(rate, past->rate.m[j]);
        past->rate.m[j] = rate;
    }
    past->r = r;
    rule->star = two_step3(x, past->x);
    rule->hat = tdi_madd(rule->star, two_step3(v, past->v), next);
    past->x = x;
    past->v = v;
}

// Rounding must not let frames lean.
static void tidy_frames(td_rod_state *s) {
    for (int32_t i = 0; i < s->model->node_count; i++) {
        if (tdi_has_edge(&s->model->node[i])) {
            tdi_edge *e = &s->pose[i].edge;
            e->m1 = tdi_director(e->m1, e->t);
            e->m2 = tdi_cross(e->t, e->m1);
        }
    }
}

// ---- checks ---------------------------------------------------------------------------------

static const char *wrong_option(const td_step_opts *o) {
    return !(o->dt > 0) || !isfinite(o->dt)                 ? "dt"
           : !tdi_finite3(o->gravity)                       ? "gravity"
           : o->iterations < 1                              ? "iterations"
           : !(o->tolerance > 0) || o->tolerance > 1e-1     ? "tolerance"
           : !(o->stiffness >= 0 && isfinite(o->stiffness)) ? "stiffness"
           : !(o->damping >= 0 && isfinite(o->damping))     ? "damping"
                                                            : NULL;
}

static td_status check(const td_rod_state *s, const td_step_opts *o, td_diag *diag) {
    if (!o || o->struct_size != sizeof *o) {
        return tdi_fail(diag, TD_ERR_DEF, "td_step_opts did not come from its default function");
    }
    const char *wrong = wrong_option(o);
    if (wrong) {
        return tdi_fail(diag, TD_ERR_ARGUMENT, "%s is out of its range", wrong);
    }
    if (o->integrator < TD_IMPLICIT || o->integrator > TD_EULER) {
        return tdi_fail(diag, TD_ERR_ARGUMENT,
                        "the integrator of rods must be implicit, implicit-euler or euler");
    }
    for (int32_t i = 0; i < s->model->node_count; i++) {
        if (s->model->node[i].flags & TDI_HELD_PLACE && !tdi_finite3(s->target[i])) {
            return tdi_fail(diag, TD_ERR_ARGUMENT, "where an end shall be is not finite");
        }
    }
    return tdi_loads_check(s->model->edge_count, o->loads, o->load_count, &o->air, diag);
}

// ---- the step -------------------------------------------------------------------------------

static void carry_base(td_rod_state *s, td_real h) {
    td_base_motion *b = &s->base;
    td_vec3 spin = tdi_madd(b->spin, b->spin_rate, 0.5 * h);
    td_real angle = tdi_norm(spin) * h;
    b->position = tdi_madd(tdi_madd(b->position, b->velocity, h), b->acceleration, 0.5 * h * h);
    b->velocity = tdi_madd(b->velocity, b->acceleration, h);
    if (angle > 0) {
        td_quat turn = tdi_quat_turn(tdi_scale(spin, h / angle), angle);
        b->rotation = tdi_quat_unit(tdi_quat_mul(turn, b->rotation));
    }
    b->spin = tdi_madd(b->spin, b->spin_rate, h);
    tdi_rod_place_base(s);
}

static bool has_two(const td_rod_state *s, const td_step_opts *o) {
    return o->integrator == TD_IMPLICIT && s->history >= 2 && s->history_dt == o->dt;
}

// Everything up to the first guess. h is that of the rule.
static tdi_rod_potential begin_step(td_rod_state *s, const td_step_opts *o, bool two, td_real h) {
    const td_rod_model *m = s->model;
    const size_t n = (size_t)m->node_count;
    if (!two) {
        take_past(s, h);
    }
    s->base_start = s->base;
    carry_base(s, o->dt);
    const bool drags = o->air.linear > 0 || o->air.quadratic > 0;
    for (int32_t k = 0; (drags || o->load_count > 0) && k < m->edge_count; k++) {
        s->area_axes[k] = tdi_edge_axes(&s->pose[m->edge_node[k]].edge);
    }
    memcpy(s->pose_start, s->pose, n * sizeof *s->pose);
    memcpy(s->pose_back, s->pose, n * sizeof *s->pose);
    memset(s->turn_back, 0, n * sizeof *s->turn);
    tdi_rod_guess(s);
    return (tdi_rod_potential){.inertia = 1 / (h * h),
                               .over_h = 1 / h,
                               .stiffness = o->stiffness,
                               .damping = o->damping,
                               .gravity = o->gravity,
                               .fall = tdi_scale(o->gravity, h * h),
                               .loads = o->loads,
                               .load_count = o->load_count,
                               .air = o->air,
                               .winds = o->winds};
}

// How far a guess was from where the step has come, at a node.
typedef struct missed {
    td_vec3 line, parabola;
} missed;

static inline missed missed_by(const td_rod_state *s, int32_t i) {
    td_vec3 move = tdi_sub(s->past[i].x, s->before[i]);
    td_vec3 bend = tdi_sub(move, tdi_sub(s->before[i], s->before_last[i]));
    td_vec3 off = tdi_sub(tdi_sub(s->pose[i].x, s->past[i].x), move);
    return (missed){off, tdi_sub(off, bend)};
}

// The next guess is the one that would have turned edges less wrongly now, by far.
static void judge_guesses(td_rod_state *s) {
    const td_rod_model *m = s->model;
    td_real line = 0, parabola = 0;
    for (int32_t i = 0; s->history >= 3 && i < m->node_count; i++) {
        if (tdi_has_edge(&m->node[i])) {
            const missed own = missed_by(s, i), up = missed_by(s, m->node[i].parent);
            td_vec3 a = tdi_sub(own.line, up.line), b = tdi_sub(own.parabola, up.parabola);
            td_real over = 1 / m->node[i].length;
            line = fmax(line, tdi_dot(a, a) * over * over);
            parabola = fmax(parabola, tdi_dot(b, b) * over * over);
        }
    }
    s->curved = parabola < FAR * FAR * line;
}

static void end_step(td_rod_state *s, td_real dt, td_real h) {
    tidy_frames(s);
    judge_guesses(s);
    for (int32_t i = 0; i < s->model->node_count; i++) {
        push_node(s, i, 1 / h, 2 * dt / 3);
    }
    for (int32_t k = 0; k < s->model->weld_count; k++) {
        push_weld(s, k, 1 / h, 2 * dt / 3);
    }
    s->history = s->history < 3 ? s->history + 1 : 3;
    s->history_dt = dt;
    s->time += dt;
}

static void undo_step(td_rod_state *s, bool two) {
    const size_t n = (size_t)s->model->node_count;
    s->history = two ? s->history : 1; // what the rule of two steps had prepared is gone
    s->base = s->base_start;
    tdi_rod_place_base(s);
    memcpy(s->pose, s->pose_start, n * sizeof *s->pose);
    memset(s->turn, 0, n * sizeof *s->turn);
}

static td_status step_together(const tdi_rod_system *y, const td_step_opts *o,
                               const td_collider *colliders, int32_t collider_count,
                               td_step_stats *stats, td_diag *diag) {
    bool two = true;
    for (int32_t k = 0; k < y->count; k++) {
        td_rod_state *s = y->state[k];
        tdi_rod_follow(s);
        if (s->history == 0) {
            begin_history(s);
        }
        two = two && has_two(s, &o[k]);
    }
    td_real h = two ? 2 * o->dt / 3 : o->dt, part;
    for (int32_t k = 0; k < y->count; k++) {
        y->potential[k] = begin_step(y->state[k], &o[k], two, h);
    }
    td_status status = TD_OK;
    if (y->contacts) {
        status = tdi_rod_contacts_begin(y, colliders, collider_count, o->dt, h, diag);
    }
    if (status == TD_OK) {
        status = tdi_rod_carry(y, TDI_KEEPING, &part, diag);
    }
    if (status == TD_OK) {
        tdi_rod_newton newton = {o->iterations, o->tolerance};
        status = tdi_rod_minimise(y, &newton, stats, diag);
        // at time 0 things were in each other from the start, which was told
        bool begun = y->contacts && y->contacts->time > 0 && status != TD_ERR_LIMIT;
        if (begun && !tdi_rod_contacts_arrived(y)) {
            status = tdi_fail(diag, TD_ERR_DIVERGED,
                              "what is driven at %g s leaves no room; try a smaller dt",
                              y->state[0]->time);
        }
    }
    for (int32_t k = 0; k < y->count; k++) {
        if (status == TD_OK) {
            end_step(y->state[k], o->dt, h);
        } else {
            undo_step(y->state[k], two);
        }
    }
    if (status == TD_OK && y->contacts) {
        tdi_rod_contacts_end(y);
    }
    stats->steps += status == TD_OK;
    return status;
}

// What moves with the base goes with it; it comes back when the step fails.
static td_status step_published(td_rod_state *s, const td_step_opts *o, td_step_stats *stats,
                                td_diag *diag) {
    s->base_start = s->base;
    carry_base(s, o->dt);
    td_status status = tdi_rod_published_step(s, o, stats, diag);
    if (status != TD_OK) {
        s->base = s->base_start;
        tdi_rod_place_base(s);
    }
    return status;
}

static td_status diverged(td_status status, td_real time, td_diag *diag) {
    return status == TD_ERR_DIVERGED && (!diag || diag->status == TD_OK)
               ? tdi_fail(diag, status, "the step at %g s diverged; try a smaller dt", time)
               : status;
}

td_status td_rod_step(td_rod_state *s, const td_step_opts *opts, td_step_stats *stats,
                      td_diag *diag) {
    td_step_stats none = {0};
    tdi_rod_potential potential;
    const tdi_rod_system alone = {&s, &potential, 1, NULL};
    td_status status = check(s, opts, diag);
    if (status != TD_OK) {
        return status;
    }
    if (opts->integrator == TD_EULER) {
        return step_published(s, opts, stats ? stats : &none, diag);
    }
    if (diag) {
        diag->status = TD_OK;
    }
    status = step_together(&alone, opts, NULL, 0, stats ? stats : &none, diag);
    return diverged(status, s->time, diag);
}

td_status td_rod_step_many(td_rod_state *const *states, const td_step_opts *opts, int32_t count,
                           td_rod_contacts *contacts, const td_collider *colliders,
                           int32_t collider_count, td_step_stats *stats, td_diag *diag) {
    td_step_stats none = {0};
    for (int32_t k = 0; k < count; k++) {
        td_status status = check(states[k], &opts[k], diag);
        bool alike = opts[k].dt == opts[0].dt && opts[k].integrator == opts[0].integrator;
        if (status == TD_OK && opts[k].integrator == TD_EULER) {
            status = tdi_fail(diag, TD_ERR_STRUCTURE,
                              "euler steps know no contact; use the integrator implicit");
        }
        if (status == TD_OK && !alike) {
            status = tdi_fail(diag, TD_ERR_ARGUMENT, "dt and integrator must be the same for all");
        }
        if (status == TD_OK && states[k]->model != contacts->model[k]) {
            status = tdi_fail(diag, TD_ERR_ARGUMENT, "the contacts are those of other rods");
        }
        if (status != TD_OK) {
            return status;
        }
    }
    if (count != contacts->state_count) {
        return tdi_fail(diag, TD_ERR_ARGUMENT, "the contacts are those of other rods");
    }
    if (diag) {
        diag->status = TD_OK;
    }
    const tdi_rod_system all = {states, contacts->potential, count, contacts};
    td_status status =
        step_together(&all, opts, colliders, collider_count, stats ? stats : &none, diag);
    return diverged(status, states[0]->time, diag);
}

// ---- rest -----------------------------------------------------------------------------------

td_status td_rod_settle(td_rod_state *s, const td_step_opts *o, td_step_stats *stats,
                        td_diag *diag) {
    const size_t n = (size_t)s->model->node_count;
    td_step_stats none = {0};
    td_real part;
    td_status status = check(s, o, diag);
    if (status != TD_OK) {
        return status;
    }
    tdi_rod_follow(s);
    s->history = 0;
    s->moved = true;
    memcpy(s->pose_back, s->pose, n * sizeof *s->pose);
    memset(s->turn_back, 0, n * sizeof *s->turn);
    tdi_rod_guess(s);
    tdi_rod_potential potential = {.stiffness = o->stiffness,
                                   .gravity = o->gravity,
                                   .loads = o->loads,
                                   .load_count = o->load_count};
    const tdi_rod_system alone = {&s, &potential, 1, NULL};
    tdi_rod_newton newton = {STATIC_ITERATIONS, STATIC_TOLERANCE};
    tdi_rod_carry(&alone, TDI_KEEPING, &part, diag);
    status = tdi_rod_minimise(&alone, &newton, stats ? stats : &none, diag);
    tidy_frames(s);
    for (int32_t i = 0; i < s->model->node_count; i++) {
        s->past[i].v = tdi_vec3(0, 0, 0);
        s->past[i].spin = 0;
        s->turn[i] = 0;
    }
    return status == TD_OK ? TD_OK
                           : tdi_fail(diag, status,
                                      "no pose at rest was found; see whether the "
                                      "ends can be reached");
}
