// SPDX-License-Identifier: MIT
// Helices in the common implicit step and statics: history, first guess, and the functions by which
// Newton's method asks them.
//
// The rules are taken for the places of stations and for the nine entries of their frames, so that
// momentum is kept as that of rigid bodies is, and for curvatures, whose rates friction sees.

#include "helix/implicit.h"

#include "base/guard.h"
#include "helix/capsules.h"
#include "helix/points.h"
#include "helix/saving.h"
#include "helix/solver.h"

#include <string.h>

#define LARGEST_TURN 3.0 // rad: no element bends further in one iteration
#define TRUSTED      0.7 // rad: nor further by its own gradient, where the exact model is not sure
#define REPEATED     0.7 // rad: an element that bent further does not repeat it

enum { TOGETHER = 32 }; // stations whose frames are found, and elements that are eliminated

// ---- poses ----------------------------------------------------------------------------------

static void copy_unknowns(const tdi_helix_state *s, tdi_helix_pose *to,
                          const tdi_helix_pose *from) {
    memcpy(to->u, from->u, (size_t)s->model->element_count * sizeof *to->u);
    memcpy(to->root, from->root, (size_t)s->root_count * sizeof *to->root);
}

static void copy_pose(const tdi_helix_state *s, tdi_helix_pose *to, const tdi_helix_pose *from) {
    copy_unknowns(s, to, from);
    memcpy(to->start, from->start, (size_t)s->model->element_count * sizeof *to->start);
    to->base = from->base;
}

// ---- history --------------------------------------------------------------------------------

// The rule of one step takes the past as it is; that of two was prepared when the past was written.
static void take_past(tdi_helix_state *s, td_real h) {
    for (int32_t k = 0; k < s->model->station_count; k++) {
        const tdi_helix_past *past = &s->past[k];
        s->history_one[k] = (tdi_helix_place){past->o, past->r};
        s->predictor_one[k].o = tdi_madd(past->o, past->v, h);
        for (int j = 0; j < 9; j++) {
            s->predictor_one[k].r.m[j] = past->r.m[j] + h * past->w.m[j];
        }
    }
}

// x* and x^ of a step that is not as long as the last.
static void take_uneven(tdi_helix_state *s, const tdi_rule *rule) {
    const td_real over = 1.5 / s->head.start.dt, h = rule->h;
    for (int32_t k = 0; k < s->model->station_count; k++) {
        const tdi_helix_past *past = &s->past[k];
        const tdi_helix_place *history = &s->history[k], *predictor = &s->predictor[k];
        const td_vec3 v = tdi_scale(tdi_sub(predictor->o, history->o), over);
        s->history_one[k].o = tdi_uneven3(rule, past->o, history->o);
        s->predictor_one[k].o = tdi_madd(s->history_one[k].o, tdi_uneven3(rule, past->v, v), h);
        for (int j = 0; j < 9; j++) {
            const td_real w = (predictor->r.m[j] - history->r.m[j]) * over;
            s->history_one[k].r.m[j] = tdi_uneven(rule, past->r.m[j], history->r.m[j]);
            s->predictor_one[k].r.m[j] =
                s->history_one[k].r.m[j] + h * tdi_uneven(rule, past->w.m[j], w);
        }
    }
}

// The new past, and what the rule of two steps will take from it and the last.
static void push_station(tdi_helix_state *s, int32_t k, const tdi_helix_place *at, td_real over,
                         td_real next) {
    const tdi_helix_place *from = &s->now->history[k];
    tdi_helix_past *past = &s->past[k];
    tdi_helix_place *history = &s->history[k], *predictor = &s->predictor[k];
    const td_vec3 v = tdi_scale(tdi_sub(at->o, from->o), over);
    for (int j = 0; j < 9; j++) {
        const td_real w = (at->r.m[j] - from->r.m[j]) * over;
        history->r.m[j] = tdi_two_step(at->r.m[j], past->r.m[j]);
        predictor->r.m[j] = history->r.m[j] + next * tdi_two_step(w, past->w.m[j]);
        past->w.m[j] = w;
    }
    history->o = tdi_two_step3(at->o, past->o);
    predictor->o = tdi_madd(history->o, tdi_two_step3(v, past->v), next);
    past->o = at->o;
    past->v = v;
    past->r = at->r;
}

// Of an element without parent: half the axial vector of dR R^T, and the rate of its start.
static tdi_rate root_rate(const tdi_helix_state *s, int32_t i, td_real over) {
    const tdi_helix_place *now = &s->pose.start[i], *last = &s->began.start[i],
                          *before = &s->back.start[i];
    const tdi_rule *rule = &s->head.rule;
    const td_vec3 o = tdi_history3(rule, last->o, before->o);
    tdi_mat3 rate;
    for (int k = 0; k < 9; k++) {
        const td_real from = tdi_history(rule, last->r.m[k], before->r.m[k]);
        rate.m[k] = (now->r.m[k] - from) * over;
    }
    const tdi_mat3 spin = tdi_mat3_mul_t(&rate, &now->r);
    return (tdi_rate){tdi_scale(tdi_mat3_axial(&spin), 0.5), tdi_scale(tdi_sub(now->o, o), over)};
}

static void note_rates(tdi_helix_state *s, td_real over) {
    for (int32_t i = 0; i < s->model->element_count; i++) {
        s->rate[i] = tdi_scale(tdi_sub(s->pose.u[i], s->u_history[i]), over);
        if (s->root_place[i] != TD_NONE) {
            s->root_rate[s->root_place[i]] = root_rate(s, i, over);
        }
    }
}

// ---- first guess ----------------------------------------------------------------------------

// Every element goes on as in the last two steps, with rates that change as they did:
//   3 u - 3 u_1 + u_2 = u_1 + 2 dt u'  with the rate u' of the rule of two steps
// or, without such a rate, repeats the last step.
static void repeat_moves(tdi_helix_state *s) {
    const td_real twice = 2 * s->head.rule.dt;
    for (int32_t i = 0; i < s->model->element_count; i++) {
        const td_vec3 u = s->pose.u[i], last = s->back.u[i],
                      next = tdi_is_prepared(&s->head.rule) ? tdi_madd(last, s->rate[i], twice)
                                                            : tdi_sub(tdi_add(u, u), last);
        if (tdi_norm(tdi_sub(next, u)) * s->model->element[i].length < REPEATED) {
            s->pose.u[i] = next;
        }
    }
    for (int32_t k = 0; k < s->root_count; k++) {
        tdi_helix_root *root = &s->pose.root[k];
        const tdi_helix_root *old = &s->back.root[k];
        const td_quat turn = tdi_quat_mul(root->turn, tdi_quat_conj(old->turn));
        root->o = tdi_add(root->o, tdi_sub(root->o, old->o));
        if (fabs(turn.w) > cos(0.5 * REPEATED)) {
            root->turn = tdi_quat_unit(tdi_quat_mul(turn, root->turn));
        }
    }
}

// ---- statics --------------------------------------------------------------------------------

static void begin_rest(tdi_helix_state *s) {
    copy_pose(s, &s->began, &s->pose);
    memcpy(s->u_history, s->pose.u, (size_t)s->model->element_count * sizeof *s->u_history);
    *s->now = (tdi_helix_step){.h = 0};
}

static void stop(tdi_helix_state *s) {
    memset(s->rate, 0, (size_t)s->model->element_count * sizeof *s->rate);
    tdi_helix_move_along(s);
}

void tdi_helix_ease(void *body) {
    tdi_helix_state *s = body;
    for (int32_t i = 0; i < s->model->element_count; i++) {
        s->pose.u[i] = s->model->element[i].rest;
    }
    tdi_helix_update(s);
}

// ---- a step ---------------------------------------------------------------------------------

static void note_air(tdi_helix_state *s) {
    const tdi_helix_model *m = s->model;
    const tdi_helix_curves now = {s->began.u, s->began.start, tdi_helix_range(m, s->began.u)},
                           back = {s->back.u, s->back.start, tdi_helix_range(m, s->back.u)};
    tdi_helix_widest()->air(m->vane, 0, m->vane_count, &now, s->head.rule.two ? &back : NULL,
                            tdi_again(&s->head.rule), s->vane);
}

static void begin(void *body) {
    tdi_helix_state *s = body;
    if (!(s->head.rule.h > 0)) {
        begin_rest(s);
        return;
    }
    const td_step_opts *o = s->head.opts;
    const td_real h = s->head.rule.h;
    const bool prepared = tdi_is_prepared(&s->head.rule);
    tdi_helix_fill_past(s);
    copy_pose(s, &s->began, &s->pose);
    for (int32_t i = 0; i < s->model->element_count; i++) {
        s->u_history[i] = tdi_history3(&s->head.rule, s->pose.u[i], s->back.u[i]);
    }
    if (!s->head.rule.two) {
        take_past(s, h);
    } else if (!prepared) {
        take_uneven(s, &s->head.rule);
    }
    *s->now = (tdi_helix_step){.h = h,
                               .history = prepared ? s->history : s->history_one,
                               .predictor = prepared ? s->predictor : s->predictor_one,
                               .inertia = 1 / (h * h),
                               .damp = o->damping / h,
                               .drag = o->air.linear > 0 || o->air.quadratic > 0};
    if (s->now->drag) {
        note_air(s);
    }
}

static void drive(void *body, td_real time, bool stationary) {
    tdi_helix_state *s = body;
    const td_base_motion base = tdi_base_after(&s->head.start.base, time * s->head.rule.dt);
    tdi_helix_put_base(s, time > 0 ? &base : &s->head.start.base);
    if (stationary) {
        tdi_helix_update(s);
    }
}

static void undo(void *body) {
    tdi_helix_state *s = body;
    tdi_helix_put_base(s, &s->head.start.base);
    copy_unknowns(s, &s->pose, &s->began);
    tdi_helix_update(s);
}

static void guess(void *body, tdi_start start, const td_vec3 *x, td_real part) {
    tdi_helix_state *s = body;
    (void)x, (void)part; // it stays where the step began
    if (start == TDI_START_BEGAN) {
        undo(s);
    }
    if (start != TDI_START_GUESS) {
        return;
    }
    drive(s, 1, false);
    copy_unknowns(s, &s->pose, &s->began);
    if (s->head.start.known >= 2) {
        repeat_moves(s);
    }
    tdi_helix_update(s);
}

static void accept(void *body) {
    tdi_helix_state *s = body;
    if (!(s->head.rule.h > 0)) {
        stop(s);
        return;
    }
    const td_real over = 1 / s->head.rule.h, next = 2 * s->head.rule.dt / 3;
    const tdi_helix_element *last = &s->model->element[s->model->element_count - 1];
    const int32_t moving = last->station_first + last->station_count;
    const tdi_helix_curves on = {s->pose.u, s->pose.start, s->range};
    tdi_helix_place at[TOGETHER];
    for (int32_t k = 0, end; k < moving; k = end) {
        end = k + TOGETHER < moving ? k + TOGETHER : moving;
        tdi_helix_widest()->frames(&on, s->model->station, k, end, at);
        for (int32_t j = k; j < end; j++) {
            push_station(s, j, &at[j - k], over, next);
        }
    }
    for (int32_t k = moving; k < s->model->station_count; k++) {
        push_station(s, k, &s->pose.base, over, next);
    }
    note_rates(s, over);
    const tdi_helix_pose back = s->back;
    s->back = s->began;
    s->began = back;
    s->moved = false;
}

// ---- Newton's method ------------------------------------------------------------------------

static void clear(void *body) {
    tdi_helix_state *s = body;
    for (int32_t i = 0; i < s->model->element_count; i++) {
        memset(&s->node[i].form, 0, sizeof s->node[i].form);
        s->levers[i].any = false;
    }
}

// N m/rad: of an element, to bending and twisting as a whole.
static td_real turning_stiffness(const tdi_helix_element *e) {
    return (e->stiffness.x + e->stiffness.y + e->stiffness.z) / (3 * e->length * e->length);
}

// Adds springs about the pose, which are there with opts.stiffness 0 too; to a root such as would
// hold its element.
static void stiffen(tdi_helix_state *s, int32_t i, td_real by) {
    const tdi_helix_element *e = &s->model->element[i];
    tdi_helix_form *form = &s->node[i].form;
    const td_vec3 k = tdi_scale(e->stiffness, by);
    form->d = tdi_sym3_add(form->d, tdi_sym3_diagonal(k.x, k.y, k.z));
    if (e->parent == TD_NONE) {
        const td_real turn = by * turning_stiffness(e), shift = turn / (e->length * e->length);
        form->start.a = tdi_sym3_add(form->start.a, tdi_sym3_diagonal(turn, turn, turn));
        form->start.c = tdi_sym3_add(form->start.c, tdi_sym3_diagonal(shift, shift, shift));
    }
}

// Springs and weight do not depend on how a pinned root is turned about the vertical nor, without
// weight, on where a root is at all. There the gradient is 0 and at rest the Hessian too: with any
// stiffness that is added, increments are those that leave the root where it is.
static void hold_neutral(tdi_helix_state *s, int32_t i) {
    const tdi_helix_element *e = &s->model->element[i];
    tdi_helix_block *start = &s->node[i].form.start;
    if (e->parent != TD_NONE || e->root == TD_END_CLAMPED) {
        return;
    }
    const td_vec3 down = tdi_mat3_apply_t(&s->pose.start[i].r, s->head.opts->gravity);
    const td_real g2 = tdi_dot(down, down), k = fabs(start->a.xx) + fabs(start->a.yy) +
                                                fabs(start->a.zz) + turning_stiffness(e);
    if (g2 > 0) {
        const td_vec3 z = down;
        const td_sym3 about = {z.x * z.x, z.y * z.y, z.z * z.z, z.x * z.y, z.x * z.z, z.y * z.z};
        start->a = tdi_sym3_add(start->a, tdi_sym3_scale(about, k / g2));
        return;
    }
    const td_real shift = k / (e->length * e->length);
    start->a = tdi_sym3_add(start->a, tdi_sym3_diagonal(k, k, k));
    start->c = tdi_sym3_add(start->c, tdi_sym3_diagonal(shift, shift, shift));
}

// Tip to root: the elements [first, last), whose own terms are there.
static tdi_factored eliminate(tdi_helix_state *s, int32_t first, int32_t last,
                              const tdi_model *model, bool alone) {
    const bool exact = !model->positive, raise = model->raise && exact && !model->keep_factors;
    tdi_factored worst = TDI_POSITIVE;
    for (int32_t i = last - 1; i >= first && worst != TDI_NOT_POSITIVE; i--) {
        if (model->stiffer > 0) {
            stiffen(s, i, model->stiffer);
        }
        if (exact && s->levers[i].any) {
            tdi_helix_form_add_levers(&s->node[i].form, &s->levers[i]);
        }
        if (alone) {
            hold_neutral(s, i);
        }
        const tdi_factored own = tdi_helix_eliminate(s, i, exact, raise ? TRUSTED : HUGE_VAL);
        worst = own < worst ? own : worst;
    }
    return worst;
}

static tdi_factored factor(void *body, const tdi_model *model) {
    tdi_helix_state *s = body;
    const bool exact = !model->positive;
    const bool alone = !(s->now->h > 0) && !model->keep_factors && s->head.opts->load_count == 0;
    tdi_factored worst = TDI_POSITIVE;
    s->now->with_driven = model->with_driven;
    s->now->shift = model->shift;
    tdi_helix_add_loads(s, exact);
    for (int32_t first, last = s->model->element_count; last > 0; last = first) {
        first = last > TOGETHER ? last - TOGETHER : 0;
        tdi_helix_add_elements(s, first, last, exact);
        const tdi_factored own = eliminate(s, first, last, model, alone);
        if (own == TDI_NOT_POSITIVE) {
            clear(s);
            return own;
        }
        worst = own < worst ? own : worst;
    }
    return worst;
}

// How the base moves from now to the end of the step.
static tdi_rate base_left(const tdi_helix_state *s) {
    const td_base_motion now = s->head.base,
                         end = tdi_base_after(&s->head.start.base, s->head.rule.dt);
    const td_quat q = tdi_quat_mul(end.rotation, tdi_quat_conj(now.rotation));
    const td_vec3 v = tdi_scale(tdi_vec3(q.x, q.y, q.z), q.w < 0 ? -1 : 1);
    const td_real sine = tdi_norm(v);
    return (tdi_rate){sine > 0 ? tdi_scale(v, 2 * atan2(sine, fabs(q.w)) / sine) : v,
                      tdi_sub(end.position, now.position)};
}

// The answer of the old factors to the gradient, at the seats as they are now.
static void solve_again(tdi_helix_state *s) {
    tdi_helix_pull(s);
    tdi_helix_sweep_respond(s);
    for (int32_t i = 0; i < s->model->element_count; i++) {
        s->node[i].move = s->node[i].respond;
    }
}

static td_real solve(void *body, tdi_solving how, td_real *predicted_decrease) {
    tdi_helix_state *s = body;
    const tdi_rate still = {{0, 0, 0}, {0, 0, 0}};
    if (how.again) {
        solve_again(s);
        return tdi_helix_largest(s);
    }
    s->now->base_move = s->now->with_driven ? base_left(s) : still;
    tdi_helix_sweep_out(s, &s->now->base_move, how.limited ? LARGEST_TURN : HUGE_VAL,
                        predicted_decrease);
    return tdi_helix_largest(s);
}

static td_real largest(const void *body) {
    return tdi_helix_largest(body);
}

static td_real value(void *body, bool kept) {
    (void)kept; // it has to go there
    return tdi_helix_value(body);
}

void tdi_helix_perturb_pose(void *body, const tdi_rigid *g) {
    tdi_helix_state *s = body;
    if (!g && !s->pose_perturbed) {
        copy_unknowns(s, &s->kept, &s->pose);
    } else {
        copy_unknowns(s, &s->pose, &s->kept);
        tdi_helix_put_base(s, &s->head.base);
    }
    if (g) {
        s->pose.base = (tdi_helix_place){tdi_rigid_point(g, s->pose.base.o),
                                         tdi_rigid_axes(g, &s->pose.base.r)};
        for (int32_t k = 0; k < s->root_count; k++) {
            s->pose.root[k] = (tdi_helix_root){tdi_rigid_point(g, s->kept.root[k].o),
                                               tdi_rigid_turn(g, s->kept.root[k].turn)};
        }
    }
    tdi_helix_update(s);
    s->pose_perturbed = g || !s->pose_perturbed;
}

static void keep(void *body) {
    tdi_helix_state *s = body;
    copy_unknowns(s, &s->kept, &s->pose);
}

static void try_root(tdi_helix_state *s, int32_t i, td_real fraction) {
    const int32_t k = s->root_place[i];
    const tdi_helix_root *kept = &s->kept.root[k];
    const tdi_helix_motion *move = &s->node[i].move;
    const td_vec3 w = tdi_quat_rotate(kept->turn, move->w),
                  v = tdi_quat_rotate(kept->turn, move->v);
    const td_quat turn = tdi_quat_mul(tdi_turn_by(tdi_scale(w, fraction)), kept->turn);
    s->pose.root[k] = fraction == 0
                          ? *kept
                          : (tdi_helix_root){tdi_madd(kept->o, v, fraction), tdi_quat_unit(turn)};
}

static void try(void *body, td_real fraction, bool follow) {
    tdi_helix_state *s = body;
    (void)follow; // it does not
    for (int32_t i = 0; i < s->model->element_count; i++) {
        s->pose.u[i] = tdi_madd(s->kept.u[i], s->node[i].move.d, fraction);
        if (s->root_place[i] != TD_NONE) {
            try_root(s, i, fraction);
        }
    }
    tdi_helix_update(s);
}

// ---- entry ----------------------------------------------------------------------------------

static const tdi_contact_ops contact = {tdi_helix_capsules, tdi_helix_apart, tdi_helix_force};

const tdi_implicit tdi_helix_implicit = {
    // statics may go any way at once: springs are linear in curvatures, which add up
    .traits = {.point_kinds =
                   1u << TDI_POINT_POSITION | 1u << TDI_POINT_NODE | 1u << TDI_POINT_ROTATION,
               .drives = true,
               .reuses = true,
               .heeds_wind = true,
               .longest = LARGEST_TURN},
    .begin = begin,
    .guess = guess,
    .accept = accept,
    .undo = undo,
    .drive = drive,
    .clear = clear,
    .factor = factor,
    .solve = solve,
    .largest = largest,
    .value = value,
    .keep = keep,
    .try = try,
    .read = tdi_helix_read,
    .apply_forces = tdi_helix_apply_forces,
    .add_stiffness = tdi_helix_add_stiffness,
    .respond = tdi_helix_respond,
    .add_response = tdi_helix_add_response,
    .saved = tdi_helix_saved,
    .transform = tdi_helix_transform,
    .contact = &contact,
    .statics = &tdi_helix_statics,
};
