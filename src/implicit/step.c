// SPDX-License-Identifier: MIT
// Steps of a system, whole or in halves, and statics.
//
//   BDF2:            x^ = (4 x_n - x_n-1)/3 + h' (4 v_n - v_n-1)/3 + h'^2 g,  h' = 2h/3
//   backward Euler:  x^ = x_n + h v_n + h^2 g,  h' = h
// BDF2 is that of state.h where the last step had another length. The first step after a start, one
// in which loads jump, and one more than twice or less than half as long as the last is backward
// Euler, and so are pieces of a step after one of another length.

#include "base/alloc.h"
#include "base/diag.h"
#include "implicit/constants.h"
#include "implicit/constraint.h"
#include "implicit/modal.h"
#include "implicit/newton.h"
#include "implicit/body_contact.h"
#include "math/vec3.h"

#include <math.h>
#include <string.h>

#define STATIC_ITERATIONS 5000  // far more than usual: limp bodies between points converge slowly
#define STATIC_TOLERANCE  1e-10 // rad or m: statics are exact
#define CROWD             5     // times as many iterations where many bodies meet one after another
#define EACH              25    // members: each such number adds as many iterations again
#define PATIENCE          3     // times as many iterations for a piece of a step
#define LAST_PATIENCE     10    // times as many for the smallest piece
#define ROUNDS            8     // of shortening guesses
#define WITHDRAWN         100   // iterations for members out of colliders that they overlapped
#define HARDLY            0.5   // bodies below this step fraction count as blocked
#define STEADY            1.0   // m/s^2: exact contact asks for increments below this times h^2
#define LEAST_RISEN       1e-15 // J: the rise of the value that is rounding where values are 0
#define FINEST            4096 // pieces of a step in which two bodies would pass through each other

// ---- checks ---------------------------------------------------------------------------------

static td_status check_colliders(const tdi_system *y, td_diag *diag) {
    td_status status = tdi_colliders_check(y->colliders, y->collider_count, y->labels, diag);
    const bool barrier = y->contact->opts.method == TD_CONTACT_BARRIER;
    for (int32_t k = 0; k < y->collider_count && status == TD_OK; k++) {
        if (y->colliders[k].restitution > 0 && barrier) {
            char text[TDI_COLLIDER_TEXT];
            tdi_system_collider_text(y, k, text);
            status = tdi_fail_at(diag, TD_ERR_ARGUMENT, k,
                                 "%s: restitution is %g; above 0 it needs the contact method exact",
                                 text, y->colliders[k].restitution);
        }
    }
    return status;
}

td_status tdi_system_check(const tdi_system *y, td_diag *diag) {
    const td_step_opts *first = y->member[0].opts;
    for (int32_t k = 0; k < y->count; k++) {
        const tdi_member *m = &y->member[k];
        TDI_TRY(tdi_state_check(m->body, m->opts, diag));
        if (m->opts->dt != first->dt || m->opts->integrator != first->integrator) {
            return tdi_fail(diag, TD_ERR_ARGUMENT,
                            "objects that can touch must have the same dt and the same integrator");
        }
    }
    if (!tdi_is_implicit(first->integrator)) {
        return tdi_fail(diag, TD_ERR_ARGUMENT, "%s the integrator implicit or implicit-euler",
                        y->contact ? "contact needs" : "a step of an island needs");
    }
    if (y->contact && y->collider_count > y->contact->memory.collider_limit) {
        return tdi_fail(diag, TD_ERR_LIMIT, "there are %d colliders; at most %d were announced",
                        (int)y->collider_count, (int)y->contact->memory.collider_limit);
    }
    return y->contact ? check_colliders(y, diag) : TD_OK;
}

// ---- one solve ------------------------------------------------------------------------------

// A part of a step: where it begins and ends, as fractions of it.
typedef struct span {
    td_real from, to;
    bool impact;         // velocities jump in it, by contacts on the path of the rest of the step
    bool no_restitution; // impacts are inelastic
    bool vain;           // pieces of the least length did not converge
} span;

static tdi_rule rule_of(const tdi_system *y, span part) {
    const td_step_opts *o = y->member[0].opts;
    const td_real dt = o->dt * (part.to - part.from);
    const bool whole = part.from == 0 && part.to == 1;
    const td_body *first = y->member[0].body;
    const td_real last = first->dt;
    bool two = o->integrator == TD_IMPLICIT && tdi_constraints_ready(y->constraints);
    for (int32_t k = 0; k < y->count && two; k++) {
        const tdi_member *m = &y->member[k];
        two = tdi_state_ready(m->body, m->opts, dt, whole) && m->body->dt == last;
    }
    const bool uneven = two && last != dt;
    const td_real w = uneven ? dt / last : 1;
    return (tdi_rule){.dt = dt,
                      .h = uneven ? (1 + w) / (1 + 2 * w) * dt
                           : two  ? 2 * dt / 3
                                  : dt,
                      .two = two,
                      .uneven = uneven,
                      .again = w * w / (1 + 2 * w),
                      .piece = !whole,
                      .part = (part.to - part.from) / (1 - part.from),
                      .in_contact = y->contact,
                      .has_impact = first->known > 0 && tdi_constraints_change(y->constraints)};
}

// Backward Euler, after which BDF2 starts without history.
static tdi_rule one_step(const tdi_rule *rule) {
    tdi_rule one = *rule;
    one.h = one.dt;
    one.two = one.uneven = false;
    one.has_impact = true;
    return one;
}

static void guess_all(const tdi_system *y, bool take) {
    for (int32_t k = 0; k < y->count; k++) {
        tdi_state_guess(y->member[k].body, take);
    }
}

void tdi_system_undo(const tdi_system *y) {
    for (int32_t k = 0; k < y->count; k++) {
        tdi_state_undo(y->member[k].body);
    }
    tdi_constraints_undo(y->constraints);
}

static void begin_all(const tdi_system *y, const tdi_rule *rule) {
    for (int32_t k = 0; k < y->count; k++) {
        tdi_state_begin(y->member[k].body, y->member[k].opts, rule);
    }
    tdi_constraints_begin(y->constraints, y, rule->h, rule->part);
}

// Moves each member by its fraction t->solve.part of the path from the start of the step to the
// pose of an earlier solution, or to its guess.
static void go_towards_all(const tdi_system *y, bool tried) {
    tdi_body_contact *t = y->contact;
    for (int32_t k = 0; k < y->count; k++) {
        const tdi_member *m = &y->member[k];
        tdi_state_go_towards(m->body, tried ? m->tried : NULL, t->solve.part[k]);
    }
}

static bool was_tried(const tdi_system *y) {
    bool tried = true;
    for (int32_t k = 0; k < y->count; k++) {
        tried = tried && y->member[k].tried;
    }
    return tried;
}

// Moves members towards the pose of an earlier solution in smaller islands, or else to their
// guesses, each as far as its path is free; idle members move all of it. Guesses close no gap by
// much. False: no path is free; poses are at the start of the step.
static bool move_to_guess(const tdi_system *y, bool tried) {
    tdi_body_contact *t = y->contact;
    for (int32_t k = 0; k < y->count; k++) {
        t->solve.part[k] = 1;
    }
    guess_all(y, false);
    for (int32_t round = 0; t->time >= 1 && round < ROUNDS; round++) {
        go_towards_all(y, tried);
        if (tdi_body_contact_free_fractions(t, y, !tried)) {
            return true;
        }
        for (int32_t k = 0; k < y->count; k++) {
            t->solve.part[k] *= t->search.free[k] < 1 ? TDI_SAFE_PART * t->search.free[k] : 1;
        }
        tdi_idle_wake_near(t, HARDLY);
    }
    guess_all(y, false);
    return false;
}

// The same. The members of the largest earlier island keep the pose of its solution, if the others
// have free paths beside it.
static bool resume(const tdi_system *y, bool *kept) {
    const bool tried = was_tried(y);
    *kept = tried && tdi_idle_keep_solved(y->contact, y) && move_to_guess(y, true);
    tdi_idle_wake_all(y->contact);
    return *kept || move_to_guess(y, tried);
}

static td_status begin_again(const tdi_system *y, const tdi_rule *rule, span part, td_diag *diag);

// Begins contact at the start of the step, and drops a guess whose path is not free. At an impact
// velocities jump, and the velocity of BDF2 would add energy: this step and the next are backward
// Euler.
static td_status begin_contact(const tdi_system *y, const tdi_rule *rule, span part,
                               td_diag *diag) {
    td_status status =
        tdi_body_contact_begin(y->contact, y, rule->dt, rule->h, part.from, part.to, diag);
    if (status != TD_OK) {
        return status;
    }
    if (y->contact->exact_step.used) {
        const td_real whole = y->member[0].opts->dt;
        y->contact->exact_step.rule = (tdi_plane_rule){
            .whole = whole, .impact = part.impact, .no_restitution = part.no_restitution};
        status = tdi_exact_begin(y->contact, y, (1 - part.from) * whole, diag);
        if (status == TD_OK && tdi_planes_count(y->contact->set) > 0 && !rule->has_impact) {
            return begin_again(y, rule, part, diag);
        }
        guess_all(y, true);
        return status;
    }
    guess_all(y, true);
    if (tdi_body_contact_free_fraction(y->contact, y, 1) >= 1) {
        // with bases and colliders at their end the start of the step may overlap
        const bool driven = y->contact->time < 1,
                   keeps_gaps = driven || (!was_tried(y) &&
                                           tdi_body_contact_last_free_trial(y->contact) >= 1);
        bool kept;
        y->contact->time = 1;
        if (!keeps_gaps && !resume(y, &kept)) {
            guess_all(y, true);
        }
        return TD_OK;
    }
    if (!rule->has_impact) {
        guess_all(y, false);
        return begin_again(y, rule, part, diag);
    }
    // in an impact members are moved one by one
    bool kept;
    tdi_body_contact_gather(y, y->contact->motion);
    resume(y, &kept);
    for (int32_t k = 0; kept && k < y->count; k++) {
        const tdi_member *m = &y->member[k];
        if (m->solved_in_larger_island) {
            tdi_state_positions(m->body, tdi_all_nodes(m->body), false,
                                y->contact->motion + y->contact->first_point[k]);
        }
    }
    tdi_relax(y, y->contact->motion);
    return TD_OK;
}

static td_status begin_again(const tdi_system *y, const tdi_rule *rule, span part, td_diag *diag) {
    const tdi_rule one = one_step(rule);
    tdi_system_undo(y);
    begin_all(y, &one);
    if (y->contact) {
        return begin_contact(y, &one, part, diag);
    }
    guess_all(y, true);
    return TD_OK;
}

// The least tolerance of the members.
static td_real tolerance_of(const tdi_system *y) {
    td_real least = HUGE_VAL;
    for (int32_t k = 0; k < y->count; k++) {
        const tdi_member *m = &y->member[k];
        least = fmin(least, m->body->newton.tolerance);
    }
    const td_real given = y->member[0].opts->tolerance;
    return y->contact || y->constraints ? given : fmax(given, least);
}

// Forces of exact contact follow from accelerations, whose error is the increment over dt^2:
// shorter steps need smaller increments.
static td_real tolerance_in(const tdi_system *y, span part, const tdi_rule *rule) {
    const td_real size = part.to - part.from, given = tolerance_of(y);
    const bool exact = y->contact && y->contact->opts.method == TD_CONTACT_EXACT;
    return part.impact             ? size * given
           : exact && !rule->piece ? fmin(given, STEADY * rule->dt * rule->dt)
                                   : given;
}

// Whether a pair has restitution: that needs an impact, a piece so short that nothing moves.
static bool too_long(const tdi_system *y, span part) {
    return y->contact && !part.impact && tdi_exact_bounces(y->contact);
}

// The motion of the bodies in the time of an impact without contact. Rules store velocities of
// points; joints and rotations remove a part of these at once. Restitution acts on the rest. The
// bodies stay where this leads.
static td_status go_free(const tdi_system *y, const tdi_rule *rule, const tdi_newton_opts *newton,
                         td_step_stats *stats, td_diag *diag) {
    tdi_system alone = *y;
    bool converged;
    alone.contact = NULL;
    begin_all(y, rule);
    tdi_exact_free(y->contact, y, true);
    guess_all(y, true);
    const td_status status = tdi_newton(&alone, newton, &converged, stats, diag);
    tdi_exact_free(y->contact, y, false);
    return status;
}

// Whether Newton's method has left the valley in which the step began. It stays there in a short
// step without restitution.
static bool rose(const tdi_system *y, span part) {
    const bool shorter = part.impact || part.to - part.from > 1.0 / TD_STEP_PIECES;
    return shorter && y->contact && y->contact->exact_step.used && !y->constraints &&
           !tdi_exact_value_is_bounded(y->contact, y);
}

// Whether a pair tunnelled, which a shorter step avoids.
static bool has_tunnelled(const tdi_system *y, span part) {
    const bool shorter = part.to - part.from > 1.0 / FINEST;
    if (shorter && y->contact) {
        y->contact->search.tunnelled = tdi_body_contact_tunnelled(y->contact, y);
        return y->contact->search.tunnelled;
    }
    return false;
}

// Newton's method. Where colliders overlapped a member as the step began, perhaps none of its poses
// is free of them: then there are few iterations.
static td_status solve(const tdi_system *y, const tdi_newton_opts *newton, bool *converged,
                       td_step_stats *stats, td_diag *diag) {
    tdi_budget few = {.iterations = WITHDRAWN};
    tdi_system bounded = *y;
    if (!y->budget && y->contact && y->contact->search.withdrawn) {
        bounded.budget = &few;
    }
    return tdi_newton(&bounded, newton, converged, stats, diag);
}

// Not *converged after a failure. The step is left begun: the caller accepts it, or undoes it once.
static td_status try_part(const tdi_system *y, span part, bool *converged, td_step_stats *stats,
                          td_diag *diag) {
    const td_step_opts *o = y->member[0].opts;
    tdi_rule rule = rule_of(y, part);
    const td_real size = part.to - part.from;
    const bool crowd = y->contact && (y->count > 1 || y->contact->opts.method == TD_CONTACT_EXACT);
    const int32_t patience = part.vain                      ? 1
                             : size <= 1.0 / TD_STEP_PIECES ? LAST_PATIENCE
                             : crowd                        ? CROWD + y->count / EACH
                             : size < 1                     ? PATIENCE
                                                            : 1;
    tdi_newton_opts newton = {patience * o->iterations, tolerance_in(y, part, &rule), false, NULL};
    td_status status = TD_OK;
    *converged = false;
    const td_real start = tdi_stage_start(y);
    if (part.impact) {
        rule = one_step(&rule);
        TDI_TRY(go_free(y, &rule, &newton, stats, diag));
        tdi_system_undo(y);
    }
    begin_all(y, &rule);
    newton.tolerance = tolerance_in(y, part, &rule); // members have set their tolerances in begin()
    if (y->contact) {
        status = begin_contact(y, &rule, part, diag);
    } else {
        guess_all(y, true);
    }
    tdi_stage_end(y, TDI_STAGE_BEGIN, start);
    if (status != TD_OK || too_long(y, part)) {
        return status;
    }
    status = solve(y, &newton, converged, stats, diag);
    // where a rope becomes taut or a stop is reached, BDF2 would have a force of h/h' times as much
    const bool struck =
        status == TD_OK && rule.two && *converged && tdi_constraints_have_impact(y->constraints);
    if (status == TD_OK && (struck || (y->contact && tdi_exact_has_new_contacts(y->contact, y)))) {
        status = begin_again(y, &rule, part, diag);
        status = status == TD_OK ? tdi_newton(y, &newton, converged, stats, diag) : status;
    }
    *converged = *converged && status == TD_OK && !too_long(y, part) && !rose(y, part) &&
                 !has_tunnelled(y, part);
    return status;
}

static void begin_pieces(const tdi_system *y) {
    if (y->contact) {
        tdi_body_contact_begin_pieces(y->contact);
    }
}

static void end_contact(const tdi_system *y) {
    if (y->contact) {
        tdi_body_contact_end(y->contact, y);
    }
}

static void accept(const tdi_system *y, span part) {
    tdi_constraints_accept(y->constraints, y, part.from, part.to);
    for (int32_t k = 0; k < y->count; k++) {
        tdi_state_accept(y->member[k].body);
    }
}

// Gives a step that diverged a message, if it has none.
static td_status with_message(const tdi_system *y, td_status status, td_diag *diag) {
    char tightest[TDI_TIGHTEST] = "";
    if (status != TD_ERR_DIVERGED || !diag || diag->status != TD_OK) {
        return status;
    }
    if (y->contact) {
        tdi_body_contact_tightest_text(y->contact, y, tightest);
    }
    return tdi_fail(diag, status, "the step diverged%s; try a shorter step", tightest);
}

// Clears the message of an earlier attempt.
static void clear_message(td_diag *diag) {
    if (diag) {
        diag->status = TD_OK;
        diag->message[0] = '\0';
    }
}

td_status tdi_system_try(const tdi_system *y, bool *converged, td_step_stats *stats,
                         td_diag *diag) {
    const span whole = {.to = 1};
    clear_message(diag);
    begin_pieces(y);
    td_status status = try_part(y, whole, converged, stats, diag);
    if (status != TD_OK || !*converged) {
        tdi_system_undo(y);
    } else {
        end_contact(y);
    }
    return with_message(y, status, diag);
}

// Moves poses to the start of the step, with prescribed motions at their end; with the barrier,
// which moves these in Newton's method, at their start.
static void move_to_start(const tdi_system *y) {
    guess_all(y, true);
    guess_all(y, false);
    for (int32_t k = 0; k < y->count && !(y->contact && y->contact->time < 1); k++) {
        if (y->member[k].body->ops->drive) {
            y->member[k].body->ops->drive(y->member[k].body, 1, true);
        }
    }
}

// The value of bodies and springs.
static td_real elastic_value(const tdi_system *y) {
    return tdi_system_own_value(y) + tdi_constraints_spring_value(y->constraints, y);
}

// Whether the value has not risen since the start of the step: then the energy of springs does not
// rise by more than kinetic energy and the work of loads. Newton's method may take increments that
// raise the value, and multipliers of contact do work.
static bool has_fallen(const tdi_system *y, td_real value) {
    if (tdi_body_contact_driven(y) || (y->contact && !y->contact->exact_step.used)) {
        return true;
    }
    const td_real now = elastic_value(y);
    return now <= value + TDI_VALUE_LEFT * (fabs(value) + fabs(now)) + LEAST_RISEN ||
           (y->contact && (y->constraints || tdi_exact_value_is_bounded(y->contact, y)));
}

// Begins contact at the start of the step.
static td_status begin_truncated(const tdi_system *y, const tdi_rule *rule, td_diag *diag) {
    tdi_body_contact *t = y->contact;
    td_status status = t ? tdi_body_contact_begin(t, y, rule->dt, rule->h, 0, 1, diag) : TD_OK;
    if (status == TD_OK && t && t->exact_step.used) {
        t->exact_step.rule = (tdi_plane_rule){.whole = rule->dt, .no_restitution = true};
        status = tdi_exact_begin(t, y, rule->dt, diag);
    }
    move_to_start(y);
    if (status == TD_OK && t && t->time < 1) {
        tdi_newton_jump(y);
    }
    y->budget->clear =
        status == TD_OK && t && t->exact_step.used && tdi_body_contact_is_clear(t, y);
    return status;
}

td_status tdi_system_truncate(const tdi_system *y, td_step_stats *stats, td_diag *diag) {
    const span whole = {.to = 1, .no_restitution = true};
    const tdi_rule given = rule_of(y, whole), rule = one_step(&given);
    bool converged;
    clear_message(diag);
    begin_pieces(y);
    begin_all(y, &rule);
    const tdi_newton_opts newton = {INT32_MAX, tolerance_in(y, whole, &rule), false, NULL};
    td_status status = begin_truncated(y, &rule, diag);
    const td_real value = elastic_value(y);
    status = status == TD_OK ? tdi_newton(y, &newton, &converged, stats, diag) : status;
    if (status == TD_OK && (!y->contact || tdi_body_contact_is_clear(y->contact, y)) &&
        has_fallen(y, value)) {
        end_contact(y);
        return TD_OK;
    }
    tdi_system_undo(y);
    return status != TD_OK ? status
                           : tdi_fail(diag, TD_ERR_LIMIT,
                                      "the budget of the step is spent, and no pose without "
                                      "overlap was found");
}

void tdi_system_accept(const tdi_system *y, td_step_stats *stats) {
    accept(y, (span){.to = 1});
    stats->steps++;
}

void tdi_system_use_scratch(const tdi_system *y, void *memory, size_t bytes) {
    tdi_layout l = {memory, 0};
    if (y->contact && (!memory || y->contact->memory.scratch_bytes <= bytes)) {
        tdi_body_contact_lend(y->contact, memory ? &l : NULL);
    }
    for (int32_t k = 0; k < y->count; k++) {
        const tdi_member *m = &y->member[k];
        const size_t need = m->body->ops->use_scratch && memory ? m->body->scratch_bytes : 0;
        if (m->body->ops->use_scratch && l.used + need <= bytes) {
            m->body->ops->use_scratch(m->body, memory ? tdi_layout_place(&l, 1, need) : NULL);
        }
    }
}

bool tdi_system_revocable(const tdi_system *y) {
    bool all = true;
    for (int32_t k = 0; k < y->count; k++) {
        all = all && y->member[k].body->ops->traits.revocable;
    }
    return all;
}

// ---- halves ---------------------------------------------------------------------------------

size_t tdi_system_memory(const tdi_system *y) {
    size_t bytes = (size_t)y->count * sizeof(tdi_barrier);
    for (int32_t k = 0; k < y->count; k++) {
        bytes += tdi_state_save_size(y->member[k].body);
    }
    for (const tdi_constraint_set *h = y->constraints; h; h = h->next) {
        bytes += tdi_constraints_save_size(h);
    }
    return bytes;
}

static void save_all(const tdi_system *y, void *memory) {
    char *to = memory;
    const size_t own = (size_t)y->count * sizeof(tdi_barrier);
    if (y->contact) {
        memcpy(to, y->contact->barriers.state, own);
    }
    to += own;
    for (int32_t k = 0; k < y->count; k++) {
        tdi_state_save(y->member[k].body, to);
        to += tdi_state_save_size(y->member[k].body);
    }
    for (const tdi_constraint_set *h = y->constraints; h; h = h->next) {
        tdi_constraints_save(h, to);
        to += tdi_constraints_save_size(h);
    }
}

void tdi_system_restore(const tdi_system *y, const void *memory) {
    const size_t own = (size_t)y->count * sizeof(tdi_barrier);
    const char *from = memory;
    if (y->contact) {
        memcpy(y->contact->barriers.state, from, own);
    }
    from += own;
    for (int32_t k = 0; k < y->count; k++) {
        tdi_state_restore(y->member[k].body, from);
        from += tdi_state_save_size(y->member[k].body);
    }
    for (tdi_constraint_set *h = y->constraints; h; h = h->next) {
        tdi_constraints_restore(h, from);
        from += tdi_constraints_save_size(h);
    }
}

// The state of a step that is taken in pieces.
typedef struct progress {
    int32_t at, piece;   // in parts of 1/FINEST
    int32_t least;       // piece, in these parts
    bool impact;         // the next piece is an impact
    bool missed;         // the last one was, without restitution
    bool halved;         // a piece did not converge
    bool no_restitution; // a piece with restitution did not converge: the next has none
    bool vain;           // a piece of the least length did not converge
} progress;

// After a piece that converged: the next is twice as long where that fits, and after an impact the
// rest of the step.
static void next_piece(progress *p, bool bounced) {
    const int32_t all = FINEST;
    p->at += p->piece;
    p->missed = p->impact && !bounced;
    if (p->impact && bounced) {
        p->piece = all - p->at;
    } else if (p->at % (2 * p->piece) == 0 && p->at + 2 * p->piece <= all) {
        p->piece *= 2;
    }
    p->piece = p->piece < all - p->at ? p->piece : all - p->at;
    p->impact = p->no_restitution = false;
}

// After a piece that failed: an impact at once if a pair has restitution; else half of the piece,
// and at the least length an inelastic one.
static void shorter_piece(progress *p, bool bounced) {
    p->impact = bounced && !p->missed && !p->impact;
    p->no_restitution = p->piece == p->least && !p->impact;
    p->halved = p->halved || !p->impact;
    p->piece = p->impact || p->no_restitution ? p->least : p->piece / 2;
    p->missed = false;
}

static td_status unsolved(const tdi_system *y, td_diag *diag) {
    char tightest[TDI_TIGHTEST];
    tdi_body_contact_tightest_text(y->contact, y, tightest);
    return tdi_fail(diag, TD_ERR_DIVERGED,
                    "contact did not converge, even in parts of 1/%d of the step%s; try a shorter "
                    "step",
                    TD_STEP_PIECES, tightest);
}

static td_status spent(td_diag *diag) {
    return tdi_fail(diag, TD_ERR_LIMIT, "the budget of the step is spent");
}

static void note_piece(const tdi_system *y, span part, bool impact) {
    if (y->contact && impact) {
        tdi_body_contact_note_impact(y->contact, part.to - part.from);
    } else if (y->contact) {
        tdi_body_contact_note_piece(y->contact, part.to - part.from, part.to == 1);
    }
}

// The step in pieces of 1, 1/2, ... 1/64 of it, and smaller ones where a pair tunnels.
td_status tdi_system_halves(const tdi_system *y, void *memory, td_step_stats *stats,
                            td_diag *diag) {
    const td_real all = FINEST;
    // steps with restitution get here too, although they converged
    progress p = {.piece = FINEST / 2,
                  .least = FINEST / TD_STEP_PIECES,
                  .halved = !(y->contact && tdi_exact_bounces(y->contact))};
    td_status status = TD_OK;
    save_all(y, memory);
    begin_pieces(y);
    while (p.at < FINEST && status == TD_OK) {
        bool converged;
        const span part = {p.at / all, (p.at + p.piece) / all, p.impact, p.no_restitution, p.vain};
        clear_message(diag);
        if (!tdi_budget_take(y->budget)) { // a piece costs an iteration to begin
            status = spent(diag);
            break;
        }
        status = try_part(y, part, &converged, stats, diag);
        const bool bounced = y->contact && tdi_exact_bounces(y->contact);
        p.least = y->contact && y->contact->search.tunnelled ? 1 : p.least;
        const bool last = p.piece == p.least;
        if (status == TD_OK && (converged || (last && !y->contact))) {
            stats->unconverged += !converged;
            p.vain = p.vain || !converged;
            end_contact(y);
            note_piece(y, part, p.impact && bounced);
            accept(y, part);
            next_piece(&p, bounced);
        } else if (tdi_is_spent(y->budget) && status == TD_OK) {
            tdi_system_undo(y);
            status = spent(diag);
        } else if ((!last || (bounced && !p.no_restitution)) && status != TD_ERR_LIMIT) {
            tdi_system_undo(y);
            shorter_piece(&p, bounced && status == TD_OK);
            status = TD_OK;
        } else {
            status = status != TD_OK ? status : unsolved(y, diag);
            tdi_system_undo(y);
        }
    }
    if (status != TD_OK) {
        tdi_system_restore(y, memory);
    } else {
        stats->halved += p.halved;
        stats->steps++;
        clear_message(diag);
    }
    return with_message(y, status, diag);
}

// Whether a smaller step may help.
static bool worth_halving(td_status status, bool converged) {
    return status == TD_ERR_DIVERGED || (status == TD_OK && !converged);
}

td_status tdi_system_step(const tdi_system *y, void *memory, const td_alloc *alloc,
                          td_step_stats *stats, td_diag *diag) {
    bool converged;
    td_status status = tdi_system_try(y, &converged, stats, diag);
    if (!worth_halving(status, converged)) {
        if (status == TD_OK) {
            tdi_system_accept(y, stats);
        }
        return status;
    }
    if (memory) {
        return tdi_system_halves(y, memory, stats, diag);
    }
    size_t bytes = tdi_system_memory(y);
    memory = tdi_alloc_resize(alloc, NULL, 0, bytes);
    if (!memory) {
        return tdi_fail(diag, TD_ERR_MEMORY, "out of memory for a step in halves");
    }
    status = tdi_system_halves(y, memory, stats, diag);
    tdi_alloc_free(alloc, memory, bytes);
    return status;
}

// ---- rest -----------------------------------------------------------------------------------

static bool eases(const td_body *body) {
    return body->ops->statics && body->ops->statics->to_rest_shape;
}

// All together, or, without contact and constraints, each as it offers.
static td_status find_rest(const tdi_system *y, bool *converged, bool *positive,
                           td_step_stats *stats, td_diag *diag) {
    bool last = true;
    const tdi_newton_opts opts = {STATIC_ITERATIONS, STATIC_TOLERANCE, true, &last};
    td_status status = TD_OK;
    *positive = true;
    if (y->contact || y->constraints) {
        status = tdi_newton(y, &opts, converged, stats, diag);
        *positive = last;
        return status;
    }
    *converged = true;
    for (int32_t k = 0; k < y->count && status == TD_OK; k++) {
        const tdi_member *m = &y->member[k];
        const tdi_system alone = {.member = m, .count = 1};
        bool own;
        status = eases(m->body) ? tdi_rest(m->body, &opts, &own, stats)
                                : tdi_newton(&alone, &opts, &own, stats, diag);
        *converged = *converged && own;
        *positive = *positive && last;
    }
    return status;
}

td_status tdi_system_settle(const tdi_system *y, td_step_stats *stats, td_diag *diag) {
    td_status status = TD_OK;
    bool converged = false, positive = true;
    clear_message(diag);
    begin_pieces(y);
    for (int32_t k = 0; k < y->count; k++) {
        tdi_state_begin_rest(y->member[k].body, y->member[k].opts);
    }
    tdi_constraints_begin(y->constraints, y, 0, 1);
    if (y->contact) {
        status = tdi_body_contact_begin(y->contact, y, y->member[0].opts->dt, 0, 1, 1, diag);
    }
    status = status == TD_OK ? find_rest(y, &converged, &positive, stats, diag) : status;
    stats->unconverged += status == TD_OK && !converged;
    if (status == TD_OK) {
        tdi_constraints_accept(y->constraints, y, 0, 1);
    } else {
        tdi_constraints_undo(y->constraints);
    }
    for (int32_t k = 0; k < y->count; k++) {
        tdi_state_end_rest(y->member[k].body);
    }
    if (status == TD_OK && converged && !positive) {
        stats->unstable += tdi_system_check_stable(y);
    }
    return status == TD_ERR_DIVERGED && diag && diag->status == TD_OK
               ? tdi_fail(diag, status,
                          "no pose at rest was found; check that held ends can be reached "
                          "and that nothing can move away freely")
               : status;
}
