// SPDX-License-Identifier: MIT
// Rods in the common implicit step and statics: history, first guess, and the functions by which
// Newton's method asks them. The rules are taken for places, turns and the frames of bodies alike.

#include "rod/implicit.h"

#include "base/guard.h"

#include "rod/capsules.h"
#include "rod/points.h"
#include "rod/pose.h"
#include "rod/saving.h"
#include "rod/solve.h"
#include "rod/solver.h"
#include "rod/state.h"

#include <math.h>
#include <string.h>

#define FAR         0.5  // of the error of the simple guess: what a better one must reach
#define SHIFT_STEP  0.05 // of the step's own inertia: the first shift tried
#define SHIFT_MORE  8.0  // of it, when that does not do
#define EXACT_TRIES 2    // of a positive model in a step: the exact Hessian with a shift
#define SHIFT_REST  1e-4 // of the stiffest joint over its inertia: likewise

// ---- the rule -------------------------------------------------------------------------------

// The past of a state that was set by hand.
void tdi_rod_begin_history(tdi_rod_state *s) {
    const tdi_rod_model *m = s->model;
    for (int32_t i = 0; i < m->node_count; i++) {
        s->history.past[i].x = s->pose[i].x;
        s->history.past[i].turn = 0;
        tdi_rod_strains(&s->pose[i], s->history.past[i].strain);
    }
    for (int32_t k = 0; k < m->weld_count; k++) {
        const int32_t i = m->weld[k].node;
        const tdi_rod_node *n = &m->node[i];
        const tdi_edge *e = &s->pose[i].edge;
        tdi_weld_past *past = &s->history.weld[k];
        td_vec3 along = tdi_sub(s->history.past[i].v, s->history.past[n->parent].v);
        td_vec3 w = tdi_madd(tdi_scale(tdi_cross(e->t, along), 1 / e->length), e->t,
                             s->history.past[i].spin);
        past->r = tdi_edge_axes(e);
        for (int j = 0; j < 3; j++) {
            td_vec3 c = tdi_cross(w, tdi_mat3_column(&past->r, j));
            past->rate.m[j] = c.x;
            past->rate.m[3 + j] = c.y;
            past->rate.m[6 + j] = c.z;
        }
        past->x = tdi_rod_start(m, s->pose, i);
        past->v = s->history.past[n->parent].v;
    }
}

// What the rule of two steps has prepared is put aside, or comes back.
static void swap_rules(tdi_rod_state *s) {
    tdi_rod_rule *rule = s->rule;
    tdi_weld_rule *weld_rule = s->weld_rule;
    s->rule = s->rule_kept;
    s->rule_kept = rule;
    s->weld_rule = s->weld_rule_kept;
    s->weld_rule_kept = weld_rule;
}

// The rule of one step takes the past as it is; that of two was prepared when the past was written.
static void take_past(tdi_rod_state *s, td_real h) {
    const tdi_rod_model *m = s->model;
    swap_rules(s);
    for (int32_t i = 0; i < m->node_count; i++) {
        const tdi_rod_past *past = &s->history.past[i];
        tdi_rod_rule *rule = &s->rule[i];
        rule->history = past->x;
        rule->predictor = tdi_madd(past->x, past->v, h);
        rule->turn_history = 0;
        rule->turn_predictor = h * past->spin;
        memcpy(rule->strain_history, past->strain, sizeof past->strain);
    }
    for (int32_t k = 0; k < m->weld_count; k++) {
        const tdi_weld_past *past = &s->history.weld[k];
        tdi_weld_rule *rule = &s->weld_rule[k];
        rule->history = past->x;
        rule->predictor = tdi_madd(past->x, past->v, h);
        rule->history_r = past->r;
        for (int j = 0; j < 9; j++) {
            rule->predictor_r.m[j] = past->r.m[j] + h * past->rate.m[j];
        }
    }
}

// x* and x^ of a step that is not as long as the last.
static void take_uneven(tdi_rod_state *s, const tdi_rule *to) {
    const tdi_rod_model *m = s->model;
    const td_real over = 1.5 / s->head.start.dt, h = to->h;
    swap_rules(s);
    for (int32_t i = 0; i < m->node_count; i++) {
        const tdi_rod_past *past = &s->history.past[i];
        const tdi_rod_rule *from = &s->rule_kept[i];
        tdi_rod_rule *rule = &s->rule[i];
        const td_vec3 v = tdi_scale(tdi_sub(from->predictor, from->history), over);
        const td_real spin = (from->turn_predictor - from->turn_history) * over;
        rule->history = tdi_uneven3(to, past->x, from->history);
        rule->predictor = tdi_madd(rule->history, tdi_uneven3(to, past->v, v), h);
        rule->turn_history = tdi_uneven(to, 0, from->turn_history);
        rule->turn_predictor = rule->turn_history + h * tdi_uneven(to, past->spin, spin);
        for (int k = 0; k < 4; k++) {
            rule->strain_history[k] = tdi_uneven(to, past->strain[k], from->strain_history[k]);
        }
    }
    for (int32_t k = 0; k < m->weld_count; k++) {
        const tdi_weld_past *past = &s->history.weld[k];
        const tdi_weld_rule *from = &s->weld_rule_kept[k];
        tdi_weld_rule *rule = &s->weld_rule[k];
        const td_vec3 v = tdi_scale(tdi_sub(from->predictor, from->history), over);
        rule->history = tdi_uneven3(to, past->x, from->history);
        rule->predictor = tdi_madd(rule->history, tdi_uneven3(to, past->v, v), h);
        for (int j = 0; j < 9; j++) {
            const td_real rate = (from->predictor_r.m[j] - from->history_r.m[j]) * over;
            rule->history_r.m[j] = tdi_uneven(to, past->r.m[j], from->history_r.m[j]);
            rule->predictor_r.m[j] =
                rule->history_r.m[j] + h * tdi_uneven(to, past->rate.m[j], rate);
        }
    }
}

// The past is put aside for a new one, or comes back. What was before the last but one is given up.
static void swap_past(tdi_rod_state *s, bool back) {
    tdi_rod_history *now = &s->history, *old = &s->replaced;
    const tdi_rod_history was = *now;
    td_vec3 *last = s->before_last;
    s->before_last = back ? old->before : was.before;
    *now = (tdi_rod_history){old->past, back ? last : old->before, old->turn_before, old->weld,
                             was.curved};
    *old = (tdi_rod_history){was.past, back ? was.before : last, was.turn_before, was.weld,
                             old->curved};
}

// The new past, and what the two-step rule will take from it and the last, which is kept. `from` is
// the rule of this step, which may be where the new one goes.
// Not inline: gcc 12 at -O3 splits the loop of accept() in two and overwrites what the second
// half still reads, although nothing in it is undefined.
__attribute__((noinline)) static void
push_node(tdi_rod_state *s, int32_t i, const tdi_rod_rule *from, td_real over, td_real next) {
    const tdi_rod_past *last = &s->replaced.past[i];
    tdi_rod_past *past = &s->history.past[i];
    tdi_rod_rule *rule = &s->rule[i];
    const tdi_rod_pose *pose = &s->pose[i];
    td_vec3 v = tdi_scale(tdi_sub(pose->x, from[i].history), over);
    td_real spin = (s->turn[i] - from[i].turn_history) * over;
    tdi_rod_strains(pose, past->strain);
    for (int k = 0; k < 4; k++) {
        rule->strain_history[k] = tdi_two_step(past->strain[k], last->strain[k]);
    }
    s->history.before[i] = last->x;
    s->history.turn_before[i] = last->turn;
    rule->history = tdi_two_step3(pose->x, last->x);
    rule->predictor = tdi_madd(rule->history, tdi_two_step3(v, last->v), next);
    // turns count from here on: the last place is -turn
    rule->turn_history = s->turn[i] / 3;
    rule->turn_predictor = rule->turn_history + next * tdi_two_step(spin, last->spin);
    past->x = pose->x;
    past->v = v;
    past->turn = s->turn[i];
    past->spin = spin;
    s->turn[i] = 0;
}

static void push_weld(tdi_rod_state *s, int32_t k, const tdi_weld_rule *from, td_real over,
                      td_real next) {
    const int32_t i = s->model->weld[k].node;
    const tdi_weld_past *last = &s->replaced.weld[k];
    tdi_weld_past *past = &s->history.weld[k];
    tdi_weld_rule *rule = &s->weld_rule[k];
    const tdi_mat3 r = tdi_edge_axes(&s->pose[i].edge);
    td_vec3 x = tdi_rod_start(s->model, s->pose, i),
            v = tdi_scale(tdi_sub(x, from[k].history), over);
    for (int j = 0; j < 9; j++) {
        past->rate.m[j] = (r.m[j] - from[k].history_r.m[j]) * over;
        rule->history_r.m[j] = tdi_two_step(r.m[j], last->r.m[j]);
        rule->predictor_r.m[j] =
            rule->history_r.m[j] + next * tdi_two_step(past->rate.m[j], last->rate.m[j]);
    }
    past->r = r;
    rule->history = tdi_two_step3(x, last->x);
    rule->predictor = tdi_madd(rule->history, tdi_two_step3(v, last->v), next);
    past->x = x;
    past->v = v;
}

// Rounding must not let frames lean.
static void tidy_frames(tdi_rod_state *s) {
    for (int32_t i = 0; i < s->model->node_count; i++) {
        if (tdi_has_edge(&s->model->node[i])) {
            tdi_edge *e = &s->pose[i].edge;
            e->m1 = tdi_director(e->m1, e->t);
            e->m2 = tdi_cross(e->t, e->m1);
        }
    }
}

// How far a guess was from where the step has come, at a node.
typedef struct missed {
    td_vec3 line, parabola;
} missed;

static inline missed missed_by(const tdi_rod_state *s, int32_t i) {
    td_vec3 move = tdi_sub(s->history.past[i].x, s->history.before[i]);
    td_vec3 bend = tdi_sub(move, tdi_sub(s->history.before[i], s->before_last[i]));
    td_vec3 off = tdi_sub(tdi_sub(s->pose[i].x, s->history.past[i].x), move);
    return (missed){off, tdi_sub(off, bend)};
}

// The next guess is the one that would have turned edges less wrongly now, by far.
static void judge_guesses(tdi_rod_state *s) {
    const tdi_rod_model *m = s->model;
    td_real line = 0, parabola = 0;
    for (int32_t i = 0; s->head.known >= 3 && i < m->node_count; i++) {
        if (tdi_has_edge(&m->node[i])) {
            const missed own = missed_by(s, i), up = missed_by(s, m->node[i].parent);
            td_vec3 a = tdi_sub(own.line, up.line), b = tdi_sub(own.parabola, up.parabola);
            td_real over = 1 / m->node[i].length;
            line = fmax(line, tdi_dot(a, a) * over * over);
            parabola = fmax(parabola, tdi_dot(b, b) * over * over);
        }
    }
    s->history.curved = parabola < FAR * FAR * line;
}

// ---- statics --------------------------------------------------------------------------------

// 1/s^2: the fastest of the springs.
static td_real shift_of_springs(const tdi_rod_state *s) {
    td_real most = 0;
    for (int32_t i = 0; i < s->model->node_count; i++) {
        const tdi_rod_node *n = &s->model->node[i];
        td_real stiff = n->law.bend[0] + n->law.bend[2] + n->law.twist;
        td_real inertia = n->shift_mass * n->length * n->length;
        most = inertia > 0 && stiff > most * inertia ? stiff / inertia : most;
    }
    return SHIFT_REST * (most > 0 ? most : 1);
}

static void begin_rest(tdi_rod_state *s) {
    const td_step_opts *o = s->head.opts;
    const size_t n = (size_t)s->model->node_count;
    *s->potential = (tdi_rod_potential){.stiffness = o->stiffness,
                                        .gravity = o->gravity,
                                        .loads = o->loads,
                                        .load_count = o->load_count};
    tdi_rod_follow(s);
    memcpy(s->pose_start, s->pose, n * sizeof *s->pose);
    memcpy(s->pose_back, s->pose, n * sizeof *s->pose);
    memset(s->turn_back, 0, n * sizeof *s->turn);
    s->head.newton.first_shift = shift_of_springs(s);
    tdi_rod_guess(s);
    tdi_rod_try(s, 1, TDI_KEEPING);
    s->head.driven = tdi_rod_carry_held(s);
}

static void stop(tdi_rod_state *s) {
    tidy_frames(s);
    memset(s->turn, 0, (size_t)s->model->node_count * sizeof *s->turn);
    tdi_rod_move_along(s);
}

// ---- a step ---------------------------------------------------------------------------------

// Nothing is overwritten of what undo() needs.
static void accept(void *body) {
    tdi_rod_state *s = body;
    if (!(s->head.rule.h > 0)) {
        stop(s);
        return;
    }
    const td_real dt = s->head.rule.dt, h = s->head.rule.h;
    const tdi_rod_rule *rule = s->rule;
    const tdi_weld_rule *weld_rule = s->weld_rule;
    s->replaced.curved = s->history.curved;
    s->returned = false;
    tidy_frames(s);
    judge_guesses(s);
    swap_past(s, false);
    if (tdi_is_prepared(&s->head.rule)) { // else it was put aside when the step began
        swap_rules(s);
    }
    for (int32_t i = 0; i < s->model->node_count; i++) {
        push_node(s, i, rule, 1 / h, 2 * dt / 3);
    }
    for (int32_t k = 0; k < s->model->weld_count; k++) {
        push_weld(s, k, weld_rule, 1 / h, 2 * dt / 3);
    }
}

// Ends that were set by themselves go a part of the way that they have left.
static void aim(tdi_rod_state *s, td_real part) {
    for (int32_t i = 0; i < s->model->node_count; i++) {
        if (s->target.own[i] && part < 1) {
            const tdi_rod_pose *pose = &s->pose[i];
            s->target.place[i] = tdi_madd(pose->x, tdi_sub(s->target.goal[i], pose->x), part);
            td_vec3 m1 =
                tdi_madd(pose->edge.m1, tdi_sub(s->target.goal_m1[i], pose->edge.m1), part);
            s->target.m1[i] = tdi_has_edge(&s->model->node[i]) ? m1 : s->target.goal_m1[i];
        } else if (s->target.own[i]) {
            s->target.place[i] = s->target.goal[i];
            s->target.m1[i] = s->target.goal_m1[i];
        }
    }
}

static void note_axes(tdi_rod_state *s) {
    const tdi_rod_model *m = s->model;
    for (int32_t k = 0; k < m->edge_count; k++) {
        s->area_axes[k] = tdi_edge_axes(&s->pose[m->edge_node[k]].edge);
    }
}

static void begin(void *body) {
    tdi_rod_state *s = body;
    if (!(s->head.rule.h > 0)) {
        begin_rest(s);
        return;
    }
    const td_step_opts *o = s->head.opts;
    const size_t n = (size_t)s->model->node_count;
    const td_real h = s->head.rule.h;
    tdi_rod_follow(s);
    if (s->head.known == 0) {
        tdi_rod_begin_history(s);
    }
    if (!s->head.rule.two) {
        take_past(s, h);
    } else if (s->head.rule.uneven) {
        take_uneven(s, &s->head.rule);
    }
    tdi_rod_place_base(s);
    aim(s, s->head.rule.part);
    if (o->air.linear > 0 || o->air.quadratic > 0 || o->load_count > 0) {
        note_axes(s);
    }
    memcpy(s->pose_start, s->pose, n * sizeof *s->pose);
    memcpy(s->pose_back, s->pose, n * sizeof *s->pose);
    memset(s->turn_back, 0, n * sizeof *s->turn);
    s->head.driven = s->head.rule.in_contact && tdi_rod_carry_held(s);
    *s->potential = (tdi_rod_potential){.inertia = 1 / (h * h),
                                        .over_h = 1 / h,
                                        .stiffness = o->stiffness,
                                        .damping = o->damping,
                                        .gravity = o->gravity,
                                        .fall = tdi_scale(o->gravity, h * h),
                                        .loads = o->loads,
                                        .load_count = o->load_count,
                                        .air = o->air,
                                        .winds = o->winds};
    s->head.newton.first_shift = SHIFT_STEP / (h * h);
}

static void put_back(tdi_rod_state *s) {
    const size_t n = (size_t)s->model->node_count;
    memcpy(s->pose, s->pose_start, n * sizeof *s->pose);
    memset(s->turn, 0, n * sizeof *s->turn);
}

static void guess(void *body, tdi_start start, const td_vec3 *x, td_real part) {
    tdi_rod_state *s = body;
    const bool straight = start == TDI_START_TOWARDS || s->head.rule.in_contact;
    if (start == TDI_START_BEGAN) {
        put_back(s);
        return;
    }
    if (start == TDI_START_TOWARDS && x) {
        tdi_rod_go_towards(s, x);
    } else {
        tdi_rod_guess(s);
    }
    tdi_rod_try(s, part, straight ? TDI_STRAIGHT : TDI_KEEPING);
}

static void undo(void *body) {
    tdi_rod_state *s = body;
    put_back(s);
    if (s->head.start.accepted) {
        swap_past(s, true);
        s->history.curved = s->replaced.curved;
        s->returned = true;
    }
    if (s->head.start.accepted || !tdi_is_prepared(&s->head.rule)) {
        swap_rules(s);
    }
    tdi_rod_place_base(s);
    aim(s, 1);
}

// ---- Newton's method ------------------------------------------------------------------------

static void clear(void *body) {
    tdi_rod_clear(body);
}

// Terms and elimination of a tree hand in hand, while a node is at hand; or terms alone.
static bool eliminate(const tdi_rod_state *s, const tdi_rod_potential *p, bool terms_alone) {
    const tdi_rod_model *m = s->model;
    for (int32_t k = m->part_count - 1; k >= 0; k--) {
        const tdi_rod_part *part = &m->part[k];
        for (int32_t i = part->last - 1; i >= part->first; i--) {
            tdi_rod_node_terms(s, p, i);
            if (!terms_alone && !part->ring && !tdi_rod_eliminate(s, i)) {
                return false;
            }
        }
        if (!terms_alone && part->ring && !tdi_rod_eliminate_ring(s, k)) {
            return false;
        }
    }
    return true;
}

// A positive model of a step is first the exact Hessian with a little inertia, then that without
// the second derivatives of strains, which is positive semi-definite: far from the least value the
// exact one leads there in fewer iterations.
static void choose_model(tdi_rod_potential *p, const tdi_model *model) {
    const bool raised = model->positive && p->inertia > 0 && model->tries < EXACT_TRIES;
    p->whole = !model->positive || raised;
    p->guessed = model->guessed && p->inertia > 0;
    p->shift = model->shift;
    if (raised) {
        p->shift = SHIFT_STEP * p->inertia * (model->tries > 0 ? SHIFT_MORE : 1);
    }
}

static tdi_factored factor(void *body, const tdi_model *model) {
    tdi_rod_state *s = body;
    tdi_rod_potential *p = s->potential;
    choose_model(p, model);
    s->with_driven = model->with_driven;
    if (s->with_driven) {
        tdi_rod_carry_held(s);
    }
    tdi_rod_load_terms(s, p);
    return eliminate(s, p, model->blocks) ? TDI_POSITIVE : TDI_NOT_POSITIVE;
}

static tdi_rod_way way_of(const tdi_rod_state *s) {
    return s->head.rule.in_contact ? TDI_STRAIGHT : TDI_TURNING;
}

static void keep(void *body) {
    tdi_rod_state *s = body;
    tdi_rod_pose *pose = s->pose;
    td_real *turn = s->turn;
    s->pose = s->pose_back;
    s->pose_back = pose;
    s->turn = s->turn_back;
    s->turn_back = turn;
}

static void try(void *body, td_real fraction, bool follow) {
    (void)follow; // it does not
    tdi_rod_try(body, fraction, way_of(body));
}

// Gradients alone, in place of those that elimination used up; factors stay.
static void renew_gradient(tdi_rod_state *s) {
    tdi_rod_potential *p = s->potential;
    p->only_gradient = true;
    tdi_rod_clear_gradient(s);
    tdi_rod_load_terms(s, p);
    for (int32_t i = s->model->node_count - 1; i >= 0; i--) {
        tdi_rod_node_terms(s, p, i);
    }
    p->only_gradient = false;
}

// Edges that turn far keep their lengths: nothing is limited.
static td_real solve(void *body, tdi_solving how, td_real *predicted_decrease) {
    tdi_rod_state *s = body;
    if (how.again) {
        renew_gradient(s);
    }
    *predicted_decrease += tdi_rod_solve(s);
    s->with_driven = s->with_driven && how.again;
    return tdi_rod_largest(s);
}

static td_real largest(const void *body) {
    return tdi_rod_largest(body);
}

static td_real value(void *body, bool kept) {
    tdi_rod_state *s = body;
    tdi_rod_pose *pose = s->pose;
    td_real *turn = s->turn;
    s->pose = kept ? s->pose_back : pose;
    s->turn = kept ? s->turn_back : turn;
    const td_real sum = tdi_rod_value(s, s->potential);
    s->pose = pose;
    s->turn = turn;
    return sum;
}

void tdi_rod_perturb_pose(void *body, const tdi_rigid *g) {
    tdi_rod_state *s = body;
    const size_t bytes = (size_t)s->model->node_count * sizeof *s->pose;
    if (!g && !s->pose_perturbed) {
        memcpy(s->pose_back, s->pose, bytes);
    } else {
        memcpy(s->pose, s->pose_back, bytes);
    }
    for (int32_t i = 0; g && i < s->model->node_count; i++) {
        tdi_rod_move_pose(&s->pose[i], g);
    }
    s->pose_perturbed = g || !s->pose_perturbed;
}

// ---- what is held ---------------------------------------------------------------------------

static void drive(void *body, td_real time, bool stationary) {
    tdi_rod_state *s = body;
    (void)time; // increments take it along
    if (stationary) {
        memset(s->step, 0, (size_t)s->model->node_count * sizeof *s->step);
        tdi_rod_carry_left(s, s->pose_back);
        try(s, 1, false);
    }
}

// ---- entry ----------------------------------------------------------------------------------

static const tdi_contact_ops contact = {tdi_rod_capsules, tdi_rod_apart, tdi_rod_force};
static const tdi_block_ops blocks = {tdi_rod_blocks, tdi_rod_rows, tdi_rod_unknowns,
                                     tdi_rod_increments};

const tdi_implicit tdi_rod_implicit = {
    .traits = {.point_kinds =
                   1u << TDI_POINT_POSITION | 1u << TDI_POINT_NODE | 1u << TDI_POINT_ROTATION,
               .reuses = true,
               .keeps_value = true,
               .straight = true,
               .revocable = true},
    .begin = begin,
    .guess = guess,
    .accept = accept,
    .undo = undo,
    .drive = drive,
    .use_scratch = tdi_rod_lend,
    .clear = clear,
    .factor = factor,
    .solve = solve,
    .largest = largest,
    .value = value,
    .keep = keep,
    .try = try,
    .read = tdi_rod_read,
    .apply_forces = tdi_rod_apply_forces,
    .add_stiffness = tdi_rod_add_stiffness,
    .respond = tdi_rod_respond,
    .add_response = tdi_rod_add_response,
    .saved = tdi_rod_saved,
    .transform = tdi_rod_transform,
    .contact = &contact,
    .statics = &tdi_rod_statics,
    .blocks = &blocks,
};
