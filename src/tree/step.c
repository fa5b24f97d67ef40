// SPDX-License-Identifier: MIT
// A tree in the common implicit step and statics: history, first guess, and the functions by which
// Newton's method asks it.
//
// Material points move as o + R X, so the rules are taken for o and for the nine entries of R
// alike.

#include "tree/dynamics.h"

#include "base/guard.h"
#include "base/opts.h"
#include "tree/drive.h"
#include "tree/implicit.h"
#include "tree/capsules.h"
#include "tree/rows.h"
#include "tree/points.h"
#include "tree/saving.h"
#include "tree/solver.h"
#include "tree/terms_wide.h"
#include "tree/trial.h"

#include <stdatomic.h>
#include <string.h>

#define REPEATED \
    0.94 // cosine of half a turn of 0.7 rad: a joint that turned further flaps, and does not
         // repeat it
#define WOUND (1.5 * TDI_PI) // rad: a joint wound further lets go at the end of a step

// ---- prediction -----------------------------------------------------------------------------

// What the rule of two steps has prepared is put aside, or comes back.
static void keep_rule(tdi_tree_state *s, bool back) {
    const size_t n = (size_t)s->model->body_count, nv = (size_t)s->model->head.dof_count;
    const tdi_tree_bdf *from = back ? &s->bdf_kept : &s->bdf, *to = back ? &s->bdf : &s->bdf_kept;
    memcpy(to->history, from->history, n * sizeof *to->history);
    memcpy(to->predictor, from->predictor, n * sizeof *to->predictor);
    memcpy(to->angle, from->angle, nv * sizeof *to->angle);
}

// The rule of one step takes the past as it is; that of two was prepared when the past was written.
static void take_past(const tdi_tree_model *m, tdi_tree_state *s, td_real h) {
    keep_rule(s, false);
    for (int32_t i = 0; i < m->body_count; i++) {
        const tdi_past *past = &s->past[i];
        s->bdf.history[i] = (tdi_affine){past->o, past->r};
        s->bdf.predictor[i].o = tdi_madd(past->o, past->v, h);
        for (int k = 0; k < 9; k++) {
            s->bdf.predictor[i].r.m[k] = past->r.m[k] + h * past->w.m[k];
        }
    }
    memcpy(s->bdf.angle, s->angle, (size_t)m->head.dof_count * sizeof *s->angle);
}

// x* and x^ of a step that is not as long as the last.
static void take_uneven(const tdi_tree_model *m, tdi_tree_state *s, const tdi_rule *rule) {
    const td_real over = 1.5 / s->head.start.dt, h = rule->h;
    keep_rule(s, false);
    for (int32_t i = 0; i < m->body_count; i++) {
        const tdi_past *past = &s->past[i];
        tdi_affine *history = &s->bdf.history[i], *predictor = &s->bdf.predictor[i];
        const td_vec3 v = tdi_scale(tdi_sub(predictor->o, history->o), over);
        history->o = tdi_uneven3(rule, past->o, history->o);
        predictor->o = tdi_madd(history->o, tdi_uneven3(rule, past->v, v), h);
        for (int k = 0; k < 9; k++) {
            const td_real w = (predictor->r.m[k] - history->r.m[k]) * over;
            history->r.m[k] = tdi_uneven(rule, past->r.m[k], history->r.m[k]);
            predictor->r.m[k] = history->r.m[k] + h * tdi_uneven(rule, past->w.m[k], w);
        }
    }
    for (int32_t d = 0; d < m->head.dof_count; d++) {
        s->bdf.angle[d] = tdi_uneven(rule, s->angle[d], s->bdf.angle[d]);
    }
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

void tdi_tree_begin_history(const tdi_tree_model *m, tdi_tree_state *s) {
    tdi_tree_place(m, s);
    tdi_tree_move(m, s);
    for (int32_t i = 0; i < m->body_count; i++) {
        const tdi_frame *f = &s->frame[i];
        s->past[i] = (tdi_past){f->o, s->twist[i].v, f->r, rate_of(&f->r, s->twist[i].w), f->turn};
    }
    tdi_tree_angles(m, s, s->angle, s->angle); // as far as they were wound
}

// A ball joint that is wound too far goes on from the short way round, and so does where it was
// before: its rate stays.
static void let_go(td_real *now, td_real *before) {
    const td_vec3 a = {now[0], now[1], now[2]};
    const td_real angle = tdi_norm(a), back = 2 * TDI_PI / angle;
    for (int k = 0; angle > WOUND && k < 3; k++) {
        before[k] -= back * now[k];
        now[k] -= back * now[k];
    }
}

static inline void push_angle(const tdi_tree_model *m, tdi_tree_state *s, int32_t i) {
    const int32_t first = m->dof[i], last = m->dof[i + 1];
    tdi_body_angle(m, s, i, s->angle_near, s->bdf.angle);
    if (m->kind[i] == TD_JOINT_BALL) {
        let_go(s->bdf.angle + first, s->angle + first);
    }
    for (int32_t d = first; d < last; d++) {
        td_real now = s->bdf.angle[d];
        s->bdf.angle[d] = tdi_two_step(now, s->angle[d]);
        s->angle[d] = now;
    }
}

// The new past, and what the two-step rule will take from it and the last.
static inline void push_body(const tdi_tree_model *m, tdi_tree_state *s, int32_t i, td_real over,
                             td_real next) {
    const tdi_frame *f = &s->frame[i];
    tdi_past *past = &s->past[i];
    tdi_affine *history = &s->bdf.history[i], *predictor = &s->bdf.predictor[i];
    td_vec3 v = tdi_scale(tdi_sub(f->o, history->o), over);
    for (int k = 0; k < 9; k++) {
        td_real w = (f->r.m[k] - history->r.m[k]) * over;
        history->r.m[k] = tdi_two_step(f->r.m[k], past->r.m[k]);
        predictor->r.m[k] = history->r.m[k] + next * tdi_two_step(w, past->w.m[k]);
        past->w.m[k] = w;
    }
    history->o = tdi_two_step3(f->o, past->o);
    predictor->o = tdi_madd(history->o, tdi_two_step3(v, past->v), next);
    past->o = f->o;
    past->v = v;
    past->r = f->r;
    past->turn = f->turn;
    push_angle(m, s, i);
}

// v from the bodies' rates: w = half the axial vector of dR R^T
void tdi_tree_fresh(tdi_tree_state *s) {
    const tdi_tree_model *m = s->model;
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

// ---- starts ---------------------------------------------------------------------------------

// q_next = q (q_old^-1 q)
static inline void repeat_turn(const td_real *old, td_real *q) {
    td_quat from = {old[0], old[1], old[2], old[3]}, to = {q[0], q[1], q[2], q[3]};
    td_quat turn = tdi_quat_mul(tdi_quat_conj(from), to);
    if (fabs(turn.w) < REPEATED) {
        return;
    }
    td_quat next = tdi_quat_mul(to, turn);
    td_real scale = 1 / tdi_quat_norm(next);
    q[0] = next.w * scale;
    q[1] = next.x * scale;
    q[2] = next.y * scale;
    q[3] = next.z * scale;
}

// Where Newton's method starts: every joint repeats its last move, from last.q to q_start.
static void repeat_moves(const tdi_tree_model *m, tdi_tree_state *s, tdi_part bodies) {
    for (int32_t i = bodies.first; i < bodies.last; i++) {
        int32_t first = m->coord[i], count = m->coord[i + 1] - first;
        int32_t plain = count >= 4 ? count - 4 : count; // coordinates that are no quaternion
        td_real *q = s->q + first;
        const td_real *old = s->last.q + first;
        memcpy(s->q_start + first, q, (size_t)count * sizeof *q);
        for (int32_t k = 0; k < plain; k++) {
            q[k] = 2 * q[k] - old[k];
        }
        if (count >= 4) {
            repeat_turn(old + plain, q + plain);
        }
    }
}

// ---- passes ---------------------------------------------------------------------------------

static void part_begin(void *context, int32_t part) {
    tdi_tree_state *s = context;
    const tdi_part bodies = s->model->part[part];
    const int32_t first = s->model->dof[bodies.first], last = s->model->dof[bodies.last];
    memcpy(s->angle_near + first, s->angle + first, (size_t)(last - first) * sizeof *s->angle);
    if (s->head.start.known >= 2) {
        repeat_moves(s->model, s, bodies);
    }
    tdi_place_range(s->model, s, bodies.first, bodies.last);
}

static void part_push(void *context, int32_t part) {
    tdi_tree_state *s = context;
    const tdi_part bodies = s->model->part[part];
    const td_real over = 1 / s->head.rule.h, next = 2 * s->head.rule.dt / 3;
    for (int32_t i = bodies.first; i < bodies.last; i++) {
        push_body(s->model, s, i, over, next);
    }
}

// ---- a step ---------------------------------------------------------------------------------

static void begin_rest(tdi_tree_state *s) {
    const td_step_opts *o = s->head.opts;
    const tdi_loads loads = {o->loads, o->load_count, o->air, NULL, 0, 1, NULL};
    if (o->drives) { // which act in the axes of the beginning
        tdi_tree_begin_history(s->model, s);
    }
    tdi_tree_place(s->model, s);
    memset(s->angle, 0, (size_t)s->model->head.dof_count * sizeof *s->angle);
    tdi_tree_angles(s->model, s, s->angle, s->angle);
    *s->now = (tdi_tree_step){.weight = 1,
                              .pool = o->pool,
                              .potential = {.spring = 1,
                                            .stiffness = o->stiffness,
                                            .gravity = o->gravity,
                                            .loads = loads,
                                            .drives = o->drives}};
}

void tdi_step_begin(void *body) {
    tdi_tree_state *s = body;
    const tdi_tree_model *m = s->model;
    if (!(s->head.rule.h > 0)) {
        begin_rest(s);
        return;
    }
    const td_step_opts *o = s->head.opts;
    const td_real h = s->head.rule.h;
    tdi_tree_step *now = s->now;
    *now = (tdi_tree_step){.weight = h * h, .pool = o->pool};
    s->head.newton.recalls = s->last.weight > 0 && s->head.start.known > 0;
    if (s->head.known == 0) {
        tdi_tree_begin_history(m, s);
    }
    if (!s->head.rule.two) {
        take_past(m, s, h);
    } else if (s->head.rule.uneven) {
        take_uneven(m, s, &s->head.rule);
    }
    const tdi_loads loads = {o->loads, o->load_count, o->air, o->winds, h, h * h, s->bdf.history};
    now->potential = (tdi_potential){.inertia = true,
                                     .h = h,
                                     .spring = h * h,
                                     .damp = h * o->damping,
                                     .stiffness = o->stiffness,
                                     .gravity = o->gravity,
                                     .loads = loads,
                                     .drives = o->drives,
                                     .angle_rest = s->bdf.angle,
                                     .angle_near = s->angle_near};
}

void tdi_step_drive(void *body, td_real time, bool stationary) {
    tdi_tree_state *s = body;
    tdi_tree_carry_base(s, &s->head.start.base, time * s->head.rule.dt);
    if (stationary) {
        tdi_tree_place(s->model, s);
    }
}

// To where the step began, with the same bits.
static void put_back(tdi_tree_state *s) {
    memcpy(s->q, s->q_start, (size_t)s->model->coord_count * sizeof *s->q);
    tdi_tree_put_base(s, &s->head.start.base);
    tdi_tree_place_left(s, s->head.start.known);
}

void tdi_step_guess(void *body, tdi_start start, const td_vec3 *x, td_real part) {
    tdi_tree_state *s = body;
    (void)x, (void)part; // it stays where the step began
    if (start == TDI_START_TOWARDS) {
        return;
    }
    if (start == TDI_START_BEGAN) {
        put_back(s);
        memcpy(s->angle_near, s->angle, (size_t)s->model->head.dof_count * sizeof *s->angle);
        return;
    }
    tdi_step_drive(s, 1, false);
    s->now->guessed = true;
    if (s->head.start.known < 2) {
        memcpy(s->q_start, s->q, (size_t)s->model->coord_count * sizeof *s->q);
    }
    tdi_pass_out(s->model, s->now->pool, part_begin, s);
}

// The forces of the last step, and where origins are if bodies go on as they did: a guess of turns
// is off by the sum of their errors along a chain.
static void recall(tdi_tree_state *s) {
    const td_real scale = s->now->weight / s->last.weight;
    for (int32_t i = 0; i < s->model->body_count; i++) {
        s->outcome.force[i] = tdi_scale(s->last.forces[i], scale);
        s->outcome.origin[i] = tdi_madd(s->past[i].o, s->past[i].v, s->head.rule.dt);
    }
}

void tdi_step_undo(void *body) {
    tdi_tree_state *s = body;
    if (s->now->guessed) { // else nothing has moved
        put_back(s);
    }
    if (!tdi_is_prepared(&s->head.rule)) {
        keep_rule(s, true);
    }
}

static void stop(tdi_tree_state *s) {
    memset(s->v, 0, (size_t)s->model->head.dof_count * sizeof *s->v);
    s->stale = false;
    tdi_tree_changed(s); // frames are made of the coordinates anew, as whoever reads them does
}

void tdi_step_accept(void *body) {
    tdi_tree_state *s = body;
    if (!(s->head.rule.h > 0)) {
        stop(s);
        return;
    }
    td_real *q = s->last.q;
    s->last.q = s->q_start;
    s->q_start = q;
    s->last.weight = s->now->note ? s->now->weight : 0;
    if (s->now->note) {
        memcpy(s->last.forces, s->outcome.force,
               (size_t)s->model->body_count * sizeof *s->last.forces);
    }
    tdi_pass_all(s->model, s->now->pool, part_push, s);
    s->stale = true;
    s->last.base = s->base;
}

// ---- Newton's method ------------------------------------------------------------------------

void tdi_step_clear(void *body) {
    tdi_tree_state *s = body;
    s->rows = NULL;
    memset(s->summed, 0, (size_t)s->model->body_count * sizeof *s->summed);
}

// In a step without contact the exact model is raised where it is not positive, joint by joint.
tdi_factored tdi_step_factor(void *body, const tdi_model *model) {
    tdi_tree_state *s = body;
    tdi_potential *p = &s->now->potential;
    const bool note = model->forces != TDI_FORCES_OF_POSE,
               noted = model->forces >= TDI_FORCES_PREVIOUS;
    const tdi_potential_at at = {.model = s->model,
                                 .state = s,
                                 .potential = p,
                                 .positive = model->positive,
                                 .wide = tdi_terms_widest(),
                                 .foreseen = noted && p->inertia};
    const tdi_terms terms = {.balls = tdi_potential_balls,
                             .other = tdi_potential_other,
                             .context = &at,
                             .positive = model->positive,
                             .raise = model->raise && p->inertia && !model->positive &&
                                      !model->keep_factors,
                             .keep_factors = model->keep_factors,
                             .note = note,
                             .noted = noted};
    if (model->forces == TDI_FORCES_PREVIOUS) {
        recall(s);
    }
    s->now->with_driven = model->with_driven;
    s->now->note = note;
    p->relax = model->shift;
    tdi_loads_expand(s, &p->loads);
    if (p->drives) {
        tdi_drives_expand(s->model, s, p);
    }
    bool fine = tdi_sweep_in(s->model, s, s->now->pool, &terms);
    return fine ? TDI_POSITIVE : terms.raise ? TDI_RAISED : TDI_NOT_POSITIVE;
}

// How the base moves from now to the end of the step.
static tdi_twist base_left(const tdi_tree_state *s) {
    const td_base_motion now = s->head.base,
                         end = tdi_base_after(&s->head.start.base, s->head.rule.dt);
    td_quat q = tdi_quat_mul(end.rotation, tdi_quat_conj(now.rotation));
    td_vec3 v = tdi_scale(tdi_vec3(q.x, q.y, q.z), q.w < 0 ? -1 : 1);
    td_real sine = tdi_norm(v);
    tdi_twist left = {v, tdi_sub(end.position, now.position)};
    left.w = sine > 0 ? tdi_scale(v, 2 * atan2(sine, fabs(q.w)) / sine) : v;
    return left;
}

static td_real sweep(tdi_tree_state *s, bool attempt, bool limited, td_real *predicted_decrease) {
    const tdi_twist still = {{0, 0, 0}, {0, 0, 0}};
    s->base_move = s->now->base_move = s->now->with_driven ? base_left(s) : still;
    const td_real limit = limited ? TDI_LONGEST_TURN : HUGE_VAL;
    td_real most = tdi_sweep_out(s->model, s, s->now->pool, limit, attempt, s->now->note);
    s->base_move = still;
    *predicted_decrease += tdi_sweep_predicted_decrease(s->model, s) / s->now->weight;
    return most;
}

td_real tdi_step_solve(void *body, tdi_solving how, td_real *predicted_decrease) {
    return sweep(body, how.move, how.limited, predicted_decrease);
}

static td_real larger_square(td_real largest, td_vec3 v) {
    const td_real v2 = tdi_dot(v, v);
    return v2 <= largest ? largest : v2; // keeps what is not a number
}

// As solve gives it: of bodies and of their joints.
td_real tdi_step_largest(const void *body) {
    const tdi_tree_state *s = body;
    const tdi_tree_model *m = s->model;
    td_real most = 0;
    for (int32_t i = 0; i < m->body_count; i++) {
        const bool ball = m->kind[i] == TD_JOINT_BALL;
        const td_vec3 w = s->node[i].move.w;
        const int32_t p = m->parent[i];
        most = larger_square(most, w);
        if (ball && p != TD_NONE) {
            most = larger_square(most, tdi_sub(w, s->node[p].move.w));
        }
        for (int32_t d = 0; !ball && d < m->dof[i + 1] - m->dof[i]; d++) {
            most = larger_square(most, tdi_vec3(s->other[m->other_place[i]].step[d], 0, 0));
        }
    }
    return sqrt(most);
}

td_real tdi_step_value(void *body, bool kept) {
    tdi_tree_state *s = body;
    (void)kept; // it has to go there
    return tdi_potential_value(s->model, s, s->now->pool, &s->now->potential) / s->now->weight;
}

// Frames are all that the value sees of the pose but for the joints, which stay as they are.
void tdi_step_perturb_pose(void *body, const tdi_rigid *g) {
    tdi_tree_state *s = body;
    for (int32_t i = 0; i < s->model->body_count; i++) {
        tdi_frame *f = &s->frame[i];
        if (!g && !s->pose_perturbed) {
            s->node[i].turn_old = f->turn;
            s->twist[i].v = f->o;
            continue;
        }
        f->turn = g ? tdi_rigid_turn(g, s->node[i].turn_old) : s->node[i].turn_old;
        f->r = tdi_mat3_from_quat(f->turn);
        f->o = g ? tdi_rigid_point(g, s->twist[i].v) : s->twist[i].v;
    }
    s->pose_perturbed = g || !s->pose_perturbed;
}

void tdi_step_keep(void *body) {
    tdi_tree_keep(((tdi_tree_state *)body)->model, body);
}

void tdi_step_try(void *body, td_real fraction, bool follow) {
    tdi_tree_state *s = body;
    if (follow) {
        tdi_tree_follow(s->model, s, s->now->pool);
    } else {
        tdi_tree_try(s->model, s, s->now->pool, fraction);
    }
}

// ---- entry ----------------------------------------------------------------------------------

static const tdi_contact_ops contact = {tdi_tree_capsules, tdi_tree_apart, tdi_tree_force};
static const tdi_joint_ops joints = {.joint = tdi_tree_joint, .check_drives = tdi_drives_check};

const tdi_implicit tdi_tree_implicit = {
    TDI_TREE_STEPS,
    .joints = &joints,
    .statics = &tdi_tree_statics,
    .contact = &contact,
    .begin = tdi_step_begin,
    .undo = tdi_step_undo,
    .accept = tdi_step_accept,
    .transform = tdi_tree_transform,
    .apply_forces = tdi_tree_apply_forces,
    .add_stiffness = tdi_tree_add_stiffness,
    .rows = &tdi_tree_row_ops,
    .saved = tdi_tree_saved,
};

// ---- places ----------------------------------------------------------------------------------

td_vec3 tdi_tree_origin(const tdi_tree_state *state, int32_t body) {
    return state->frame[body].o;
}

td_vec3 tdi_tree_tip(const tdi_tree_state *state, int32_t body) {
    const tdi_frame *f = &state->frame[body];
    return tdi_add(f->o, tdi_mat3_apply(&f->r, state->model->body[body].tip));
}
