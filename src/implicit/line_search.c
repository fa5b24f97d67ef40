// SPDX-License-Identifier: MIT
// Moves of Newton's method: how much of the increments is taken.
//
// Search    Backtracking line search: the whole increment is tried; when the value falls by less
//           than a fraction of what the slope predicts, half of it, and so on. Small increments of
//           a system without contact are accepted without evaluating the value: there the quadratic
//           model is exact to rounding.
// Rises     Along a chain with constraints, errors of second order add up, and the value of a
//           good increment rises with them although the next one takes them away (Maratos'
//           effect). Such increments are taken whole; if the next are not half as large, they are
//           taken back, and the value decides for the rest of the step.
// Contact   All go as far as the paths of all are free. Where points go straight, every part of
//           that is free too, and pairs are searched for once.

#include "implicit/constants.h"
#include "implicit/constraint.h"
#include "implicit/newton.h"
#include "implicit/body_contact.h"

#include <math.h>

#define SMALL_POSITIVE 1e-3 // rad or m: as TDI_SMALL_STEP of a positive model, which is off by more
#define SMALL_EXACT    1e-10 // rad or m: likewise with exact contact, which is stiff
#define FARTHEST       1.0   // rad or m: the longest increment along negative curvature
#define LIMITED        0.99  // of the longest increment: but for rounding, a part was limited
#define LONGEST_RISE   0.3 // rad or m: the longest increment that is taken although the value rises

// While bases, ends or colliders move
#define SHORTEST 0.25 // of a path: shorter parts of a turn meet less than the whole
#define CLOSED   0.75 // of a gap is left: Newton's method opens far too small gaps by half
#define ENTERED  0.5  // of the range is left of larger gaps

// ---- all bodies -----------------------------------------------------------------------------

void tdi_system_each(const tdi_system *y, void (*turn)(void *context, int64_t member),
                     void *context) {
    if (y->pool && y->count > 1) {
        td_pool_run(y->pool, y->count, turn, context);
        return;
    }
    for (int32_t k = 0; k < y->count; k++) {
        turn(context, k);
    }
}

typedef struct valuing {
    const tdi_system *system;
    bool kept; // at the poses that were kept
} valuing;

static td_real value_of(const valuing *v, int32_t k) {
    const tdi_member *m = &v->system->member[k];
    return tdi_is_idle(v->system, k) ? 0 : m->body->ops->value(m->body, v->kept);
}

// Values go into `part`.
static void value_turn(void *context, int64_t k) {
    const valuing *v = context;
    v->system->contact->solve.part[k] = value_of(v, (int32_t)k);
}

// Adds the values of all members to that of contact and constraints, in the same order with any
// number of threads.
static td_real add_values(const valuing *v, td_real sum) {
    const tdi_system *y = v->system;
    if (y->contact) {
        tdi_system_each(y, value_turn, (void *)v);
    }
    for (int32_t k = 0; k < y->count; k++) {
        sum += y->contact ? y->contact->solve.part[k] : value_of(v, k);
    }
    return sum;
}

td_real tdi_system_value(const tdi_system *y) {
    const valuing v = {y, false};
    const td_real contact = y->contact ? tdi_body_contact_value(y->contact, y) : 0;
    return add_values(&v, contact + tdi_constraints_value(y->constraints, y));
}

// The value at the poses that were kept, where contact was evaluated, if all bodies can tell it
// without going there.
static bool value_of_kept(const tdi_system *y, td_real *value) {
    const valuing v = {y, true};
    for (int32_t k = 0; k < y->count; k++) {
        if (!y->member[k].body->ops->traits.keeps_value) {
            return false;
        }
    }
    *value = add_values(&v, (y->contact ? y->contact->terms.energy : 0) +
                                tdi_constraints_value_kept(y->constraints));
    return true;
}

static void attempt_turn(void *context, int64_t k) {
    const tdi_system *y = context;
    if (!tdi_is_idle(y, (int32_t)k)) {
        tdi_state_keep(y->member[k].body);
        tdi_state_try(y->member[k].body, 1);
    }
}

static void follow_turn(void *context, int64_t k) {
    const tdi_system *y = context;
    if (!tdi_is_idle(y, (int32_t)k)) {
        tdi_state_follow(y->member[k].body);
    }
}

void tdi_system_attempt(const tdi_system *y, bool follow) {
    tdi_system_each(y, follow ? follow_turn : attempt_turn, (void *)y);
}

typedef struct placing {
    const tdi_system *system;
    td_real fraction;
} placing;

static void place_turn(void *context, int64_t k) {
    const placing *p = context;
    const tdi_member *m = &p->system->member[k];
    if (!tdi_is_idle(p->system, (int32_t)k)) {
        tdi_state_try(m->body, p->fraction);
    }
}

void tdi_system_place(const tdi_system *y, td_real fraction) {
    placing p = {y, fraction};
    tdi_system_each(y, place_turn, &p);
}

static void drive_all(const tdi_system *y, td_real time) {
    for (int32_t k = 0; k < y->count; k++) {
        if (y->member[k].body->ops->drive) {
            y->member[k].body->ops->drive(y->member[k].body, time, false);
        }
    }
}

static td_real longest_of(const tdi_system *y, bool rest) {
    td_real least = INFINITY;
    for (int32_t k = 0; k < y->count; k++) {
        const tdi_traits *traits = &y->member[k].body->ops->traits;
        const td_real own = rest ? traits->longest_rest : traits->longest;
        least = own > 0 ? fmin(least, own) : least;
    }
    return least;
}

// ---- moves ----------------------------------------------------------------------------------

// Whether whole increments are taken although the value does not fall.
static bool may_rise(tdi_newton_run *n) {
    const tdi_system *y = n->system;
    const bool may = y->constraints && !y->contact && !n->opts->rest &&
                     n->rise != TDI_RISE_REFUSED && n->largest < LONGEST_RISE &&
                     tdi_constraints_within_reach(y->constraints);
    if (may) {
        n->rise = TDI_RISE_TAKEN;
        n->risen = n->largest;
    }
    return may;
}

// The fraction of the increments, at most `fraction`, that lowers the value. `placed`: poses are at
// that fraction already.
static td_real search(tdi_newton_run *n, td_real value, td_real fraction, bool placed) {
    for (int32_t k = 0; k < TDI_MOST_HALVINGS; k++) {
        if (k > 0 || !placed) {
            tdi_system_place(n->system, fraction);
        }
        if (tdi_system_value(n->system) <=
            value - TDI_SUFFICIENT_DECREASE * fraction * n->predicted_decrease +
                TDI_VALUE_ROUNDING * fabs(value)) {
            return fraction;
        }
        if (k == 0 && fraction == 1 && may_rise(n)) {
            return 1;
        }
        fraction *= 0.5;
        n->stats->halvings++;
    }
    tdi_system_place(n->system, 0);
    return 0;
}

// Lengthens an increment of negative curvature while the value falls: the model, with the
// curvature's sign changed, does not predict a length.
static void lengthen(tdi_newton_run *n, td_real longest) {
    td_real value = tdi_system_value(n->system), fraction = 1;
    while (2 * fraction * n->largest < longest) {
        tdi_system_place(n->system, 2 * fraction);
        td_real next = tdi_system_value(n->system);
        if (!(next < value)) {
            tdi_system_place(n->system, fraction);
            return;
        }
        value = next;
        fraction *= 2;
    }
}

// Large increments of joints were limited one by one, and their subtrees follow. Such increments
// need not decrease the value. If they do not, all increments are scaled by one factor instead,
// which does.
static td_real search_limited(tdi_newton_run *n, td_real longest) {
    td_real value;
    const bool there = value_of_kept(n->system, &value); // and the whole increment is tried
    if (!there) {
        tdi_system_place(n->system, 0);
        value = tdi_system_value(n->system);
    }
    if (!isfinite(value)) {
        return value;
    }
    if (n->system->constraints && there &&
        fabs(n->predicted_decrease) <= TDI_VALUE_ROUNDING * fabs(value)) {
        return 1; // the value cannot judge it
    }
    if (!n->opts->rest && !n->system->constraints && n->largest > LIMITED * longest) {
        if (!there) {
            tdi_system_place(n->system, 1);
        }
        if (tdi_system_value(n->system) <= value) {
            return 1;
        }
        tdi_system_place(n->system, 0);
        n->stats->halvings++;
        tdi_newton_increments(n, false);
    }
    return n->largest > longest ? search(n, value, longest / n->largest, false)
                                : search(n, value, 1, there);
}

// Without contact; solve has moved the poses by all of the increments. Not finite when the value is
// not.
td_real tdi_newton_move_freely(tdi_newton_run *n) {
    const td_real longest = longest_of(n->system, n->opts->rest);
    const bool modified = tdi_newton_is_modified(n);
    const td_real small = n->opts->rest || (modified && n->system->constraints) ? TDI_SMALL_MOVE
                          : modified                                            ? SMALL_POSITIVE
                                                                                : TDI_SMALL_STEP;
    if (n->largest < small) {
        return 1;
    }
    td_real taken = search_limited(n, longest);
    if (modified && !n->opts->rest && taken == 1) {
        lengthen(n, fmin(longest, FARTHEST));
    }
    return taken;
}

static td_real time_after(const tdi_body_contact *t, td_real fraction) {
    return fraction >= 1 ? 1 : t->time + fraction * (1 - t->time);
}

// The free part of the increments, at most *fraction. Increments with driven bodies may close no
// gap by more than an iteration opens it again; `room` is the least gap at the start. False: none.
static bool go(const tdi_system *y, bool with_driven, td_real room, td_real *fraction) {
    tdi_body_contact *t = y->contact;
    for (int32_t k = 0; k < TDI_MOST_HALVINGS; k++) {
        td_real time = with_driven ? time_after(t, *fraction) : t->time;
        if (with_driven) {
            drive_all(y, time);
        }
        tdi_system_place(y, *fraction);
        if (t->exact_step.used) {
            return true;
        }
        td_real part = tdi_body_contact_free_fraction(t, y, time);
        if (part < 1) {
            *fraction *= fmax(k > 0 ? TDI_SAFE_PART * part : part, SHORTEST);
        } else if (with_driven &&
                   tdi_body_contact_least_gap(t, time) < CLOSED * fmin(room, ENTERED)) {
            *fraction *= 0.5;
        } else {
            return true;
        }
    }
    return false;
}

// Whether all points near a contact move on straight lines. Dependent points rotate with others.
static bool moves_straight(const tdi_system *y) {
    bool all = true, dependents = false;
    for (int32_t k = 0; k < y->count; k++) {
        const td_body *head = y->member[k].body;
        all = all && y->member[k].body->ops->traits.straight;
        dependents = dependents || head->dependent_count > 0;
    }
    if (all && dependents && y->contact->set) {
        const tdi_body_contact *t = y->contact;
        int32_t count;
        const tdi_near_pair *pair = tdi_contacts_pairs(t->set, &count);
        for (int32_t k = 0; k < count && all; k++) {
            const bool capsule = pair[k].j < t->capsule_count;
            all = !tdi_capsule_is_dependent(t, pair[k].i) &&
                  !(capsule && tdi_capsule_is_dependent(t, pair[k].j));
        }
    }
    return all;
}

// The free fraction where all points move on straight lines: any part of a free path is free.
static bool find_free_fraction(tdi_newton_run *n, td_real *fraction) {
    const tdi_system *y = n->system;
    tdi_body_contact *t = y->contact;
    td_real part = 1;
    tdi_system_place(y, *fraction);
    for (int32_t k = 0; !t->exact_step.used && k < 2 * TDI_MOST_HALVINGS; k++) {
        part = tdi_body_contact_free_trial(t, y);
        *fraction *= part;
        if (part < 1) {
            tdi_system_place(y, *fraction);
        }
        if (t->search.covers_path) {
            break;
        }
    }
    return part > 0 && (t->exact_step.used || t->search.covers_path);
}

// Poses of exact contact may overlap before convergence. A truncated step does not converge, so
// its poses must stay free of overlap.
static bool stays_clear(const tdi_system *y) {
    tdi_budget *b = y->budget;
    const bool guarded = b && b->truncated && y->contact->exact_step.used,
               clear = guarded && tdi_body_contact_is_clear(y->contact, y);
    const bool stays = !guarded || clear || !b->clear;
    if (guarded) {
        b->clear = b->clear || clear;
    }
    return stays;
}

// With contact: the fraction of the increments that is free and, unless they include prescribed
// motions, lowers the value. Not finite when the value is not.
td_real tdi_newton_move_with_contact(tdi_newton_run *n, bool with_driven) {
    const tdi_system *y = n->system;
    tdi_body_contact *t = y->contact;
    const td_real longest = longest_of(y, n->opts->rest);
    const bool jumps = t->exact_step.used && n->at_start &&
                       tdi_planes_have_new_contacts(t->set); // all planes act at once
    const bool stiff = t->exact_step.used && tdi_planes_count(t->set) > 0;
    bool searched = !with_driven && !jumps && n->largest >= (stiff ? SMALL_EXACT : TDI_SMALL_MOVE);
    td_real value = 0, fraction = n->largest > longest ? longest / n->largest : 1;
    const td_real room = with_driven ? tdi_body_contact_least_gap(t, t->time) : 1;
    tdi_body_contact_keep_poses(y);
    if (searched) {
        if (!value_of_kept(y, &value)) {
            tdi_system_place(y, 0);
            value = tdi_system_value(y);
        }
        if (!isfinite(value)) {
            return value;
        }
        const td_real rough = t->exact_step.used ? tdi_planes_rounding(t->set, t->x) : 0;
        searched = n->predicted_decrease > TDI_VALUE_ROUNDING * fmax(fabs(value), rough);
    }
    const bool straight = !with_driven && moves_straight(y);
    bool free = straight && find_free_fraction(n, &fraction);
    for (int32_t k = 0;
         k < TDI_MOST_HALVINGS && (straight ? free : go(y, with_driven, room, &fraction)); k++) {
        if (straight && k > 0) {
            tdi_system_place(y, fraction); // a part of a free path
        }
        if ((!searched || tdi_system_value(y) <=
                              value - TDI_SUFFICIENT_DECREASE * fraction * n->predicted_decrease) &&
            stays_clear(y)) {
            t->time = with_driven ? time_after(t, fraction) : t->time;
            return fraction;
        }
        fraction *= 0.5;
        n->stats->halvings++;
    }
    if (with_driven) {
        drive_all(y, t->time);
    }
    tdi_system_place(y, 0);
    return 0;
}

// Moves prescribed motions to their end with the rest fixed, if gaps allow it.
void tdi_newton_jump(const tdi_system *y) {
    tdi_body_contact *t = y->contact;
    tdi_body_contact_keep_poses(y);
    td_real room = tdi_body_contact_least_gap(t, t->time);
    for (int32_t k = 0; k < y->count; k++) {
        if (y->member[k].body->ops->drive) {
            y->member[k].body->ops->drive(y->member[k].body, 1, true);
        }
    }
    if (tdi_body_contact_free_fraction(t, y, 1) >= 1 &&
        tdi_body_contact_least_gap(t, 1) >= CLOSED * fmin(room, ENTERED)) {
        t->time = 1;
        return;
    }
    drive_all(y, t->time);
    tdi_system_place(y, 0);
}
