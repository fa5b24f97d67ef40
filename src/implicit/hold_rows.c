// SPDX-License-Identifier: MIT
// Rows of constraints in Newton's method.
//
// Model    With c and its gradient J where they were evaluated, increments x see the force
//          f = l + K (c + J x). A row that is one-sided takes part while l + K c < 0.
// Forces   After the increments are known, l becomes that f, before the line search: along the
//          increments the value with these l falls by x^T E x, E being the Hessian without K.
//          So the value needs no large K, and large K make it a narrow valley: it takes a small
//          one (merit), and the model a large one.
// Stalls   A row whose error does not shrink gets a K ten times as large. One that does not even
//          so contradicts others, or cannot be reached: it becomes a spring, without l.

#include "implicit/hold.h"

#include <math.h>
#include <string.h>

#define PINNED    1e6  // times the inertia: K of rows in the elimination of a body
#define SPRING    1e2  // times the inertia: K of rows that cannot be met
#define MET       1e-9 // m or rad
#define SHRINKS   0.25 // of the error is left, at most, by an iteration that helps
#define STALLS    6    // in a row: it cannot be met
#define MOST_TENS 4    // times that K becomes ten times as large
#define CALM      0.1  // of the error: increments below this do not come nearer

// ---- pins -----------------------------------------------------------------------------------

void tdi_holds_gather(tdi_holds *h, const tdi_system *y) {
    for (int32_t k = 0; k < h->member_count; k++) {
        const int32_t first = h->first_pin[k], count = h->first_pin[k + 1] - first;
        const tdi_member *m = tdi_holds_member(h, y, k);
        if (count > 0) {
            m->ops->pin_places(m->body, h->pin + first, count, false, h->place + first);
        }
    }
}

void tdi_held_places(const tdi_holds *h, const tdi_held *b, td_vec3 x[TDI_BOND_PINS]) {
    for (int32_t p = 0; p < b->law.pin_count; p++) {
        x[p] = b->pin[p] == TD_NONE ? b->fixed[p] : h->place[b->pin[p]];
    }
}

static void gather_moves(tdi_holds *h, const tdi_system *y) {
    for (int32_t k = 0; k < h->member_count; k++) {
        const int32_t first = h->first_pin[k], count = h->first_pin[k + 1] - first;
        const tdi_member *m = tdi_holds_member(h, y, k);
        if (count > 0) {
            tdi_state_pin_moves(m->ops, m->body, h->pin + first, count, false, h->move + first);
        }
    }
}

td_real tdi_held_change(const tdi_holds *h, const tdi_held *b, int32_t row) {
    td_real sum = 0;
    for (int32_t p = 0; p < b->law.pin_count; p++) {
        if (b->pin[p] != TD_NONE) {
            sum += tdi_dot(b->at.gradient[row][p], h->move[b->pin[p]]);
        }
    }
    return sum;
}

// ---- evaluation -----------------------------------------------------------------------------

static void evaluate(tdi_holds *h, tdi_held *b) {
    tdi_hold_state *s = &h->state[b->hold];
    td_real *l = s->l[b->bond];
    td_vec3 x[TDI_BOND_PINS];
    tdi_held_places(h, b, x);
    tdi_bond_evaluate(&b->law, x, &s->along, &b->at);
    b->k = b->inertia * (s->unmet ? SPRING : PINNED * tdi_hold_weight(s, b->bond));
    for (int32_t r = 0; r < b->law.row_count; r++) {
        b->used[r] = !b->law.one_sided || l[r] + b->k * b->at.c[r] < 0;
        if (s->unmet || !b->used[r]) {
            l[r] = 0;
        }
    }
}

void tdi_holds_evaluate(tdi_holds *all, const tdi_system *y) {
    for (tdi_holds *h = all; h; h = h->next) {
        tdi_holds_gather(h, y);
        for (int32_t i = 0; i < h->held_count; i++) {
            if (h->held[i].acts) {
                evaluate(h, &h->held[i]);
            }
        }
    }
}

// ---- terms ----------------------------------------------------------------------------------

// Gradient and Hessian of a pinned bond. The force of the error passes with the increments, and has
// no second derivatives: at a first guess it may be many times that of the multipliers.
static void expand_pinned(const tdi_holds *h, const tdi_held *b, const tdi_member *m, bool exact,
                          tdi_levers levers) {
    const tdi_hold_state *s = &h->state[b->hold];
    const tdi_pin *pin = &h->pin[b->pin[0]];
    td_real force[TDI_BOND_ROWS] = {0};
    td_vec3 x[TDI_BOND_PINS], lasting = {0, 0, 0}, passing = {0, 0, 0};
    td_sym3 hessian = {0}, curvature = {0};
    for (int32_t r = 0; r < b->law.row_count; r++) {
        if (b->used[r]) {
            const td_vec3 gradient = b->at.gradient[r][0];
            const td_real error = b->k * b->at.c[r];
            force[r] = s->unmet ? error : s->l[b->bond][r];
            lasting = tdi_madd(lasting, gradient, force[r]);
            passing = tdi_madd(passing, gradient, s->unmet ? 0 : error);
            hessian = tdi_sym3_add(hessian, tdi_sym3_square(gradient, b->k));
        }
    }
    if (exact) {
        tdi_held_places(h, b, x);
        curvature = tdi_bond_hessian(&b->law, x, s->along, force);
    }
    m->ops->pin_add(m->body, pin, passing, &hessian, TDI_LEVERS_NONE);
    m->ops->pin_add(m->body, pin, lasting, &curvature, levers);
}

// The gradient of the multipliers of a coupled bond; K is the Schur complement's.
static void expand_coupled(const tdi_holds *h, const tdi_system *y, const tdi_held *b,
                           tdi_levers levers) {
    const td_constraint *c = &h->def[b->hold];
    const td_real *l = h->state[b->hold].l[b->bond];
    const td_sym3 none = {0};
    for (int32_t p = 0; p < b->law.pin_count; p++) {
        const tdi_member *m = tdi_holds_member(h, y, c->actor[b->law.pin[p].second]);
        td_vec3 gradient = {0, 0, 0};
        for (int32_t r = 0; r < b->law.row_count; r++) {
            gradient = tdi_madd(gradient, b->at.gradient[r][p], b->used[r] ? l[r] : 0);
        }
        m->ops->pin_add(m->body, &h->pin[b->pin[p]], gradient, &none, levers);
    }
}

void tdi_holds_expand(const tdi_holds *all, const tdi_system *y, bool exact, bool positive) {
    const tdi_levers levers = positive ? TDI_LEVERS_POSITIVE : TDI_LEVERS_ALL;
    for (const tdi_holds *h = all; h; h = h->next) {
        for (int32_t i = 0; i < h->held_count; i++) {
            const tdi_held *b = &h->held[i];
            if (b->acts && b->node == TD_NONE) {
                const tdi_member *m = tdi_holds_member(h, y, h->def[b->hold].actor[0]);
                expand_pinned(h, b, m, exact, levers);
            } else if (b->acts) {
                expand_coupled(h, y, b, levers);
            }
        }
    }
}

// ---- value ----------------------------------------------------------------------------------

// The force that the value has, and what it adds to it.
static td_real merit_force(const tdi_held *b, const tdi_hold_state *s, td_real l, td_real c) {
    const td_real k = s->unmet ? b->k : b->merit, f = l + k * c;
    return b->law.one_sided && f > 0 ? 0 : f;
}

static td_real merit_value(const tdi_held *b, const tdi_hold_state *s, const td_real *c) {
    const td_real *l = s->l[b->bond], k = s->unmet ? b->k : b->merit;
    td_real sum = 0;
    for (int32_t r = 0; r < b->law.row_count; r++) {
        const td_real f = merit_force(b, s, l[r], c[r]);
        sum += (f * f - l[r] * l[r]) / (2 * k);
    }
    return sum;
}

td_real tdi_holds_value(tdi_holds *all, const tdi_system *y) {
    td_real sum = 0;
    for (tdi_holds *h = all; h; h = h->next) {
        tdi_holds_gather(h, y);
        for (int32_t i = 0; i < h->held_count; i++) {
            const tdi_held *b = &h->held[i];
            const tdi_hold_state *s = &h->state[b->hold];
            td_real c[TDI_BOND_ROWS], along = s->along;
            td_vec3 x[TDI_BOND_PINS];
            if (b->acts) {
                tdi_held_places(h, b, x);
                tdi_bond_rows(&b->law, x, &along, c);
                sum += merit_value(b, s, c);
            }
        }
    }
    return sum;
}

td_real tdi_holds_value_kept(const tdi_holds *all) {
    td_real sum = 0;
    for (const tdi_holds *h = all; h; h = h->next) {
        for (int32_t i = 0; i < h->held_count; i++) {
            const tdi_held *b = &h->held[i];
            sum += b->acts ? merit_value(b, &h->state[b->hold], b->at.c) : 0;
        }
    }
    return sum;
}

// ---- forces ---------------------------------------------------------------------------------

// On a curve only a force across it does anything; what is left along it would push at its end.
static void across_curve(const tdi_held *b, td_real along, td_real *l) {
    td_vec3 p, d1, d2;
    tdi_spline_at(&b->law.curve, along, &p, &d1, &d2);
    const td_real part = (l[0] * d1.x + l[1] * d1.y + l[2] * d1.z) / tdi_dot(d1, d1);
    if (!tdi_spline_ends(&b->law.curve, along)) {
        l[0] -= part * d1.x;
        l[1] -= part * d1.y;
        l[2] -= part * d1.z;
    }
}

//   f' = l + K c where it takes part,  f = l + K (c + J x)
// Gives what the slope changes by where the value has f_m of f instead of f'.
static td_real forces_of(const tdi_holds *h, const tdi_held *b, td_real f[TDI_BOND_ROWS]) {
    const tdi_hold_state *s = &h->state[b->hold];
    const td_real *l = s->l[b->bond];
    td_real slope = 0;
    for (int32_t r = 0; r < b->law.row_count; r++) {
        const td_real c = b->at.c[r], jx = tdi_held_change(h, b, r),
                      before = b->used[r] ? l[r] + b->k * c : 0,
                      after = b->used[r] ? l[r] + b->k * (c + jx) : 0;
        f[r] = s->unmet ? 0 : b->law.one_sided ? fmin(after, 0) : after;
        slope += (before - merit_force(b, s, f[r], c)) * jx;
    }
    return slope;
}

static td_real finish(tdi_holds *h, tdi_held *b) {
    tdi_hold_state *s = &h->state[b->hold];
    td_real *l = s->l[b->bond], f[TDI_BOND_ROWS] = {0};
    const td_real slope = forces_of(h, b, f);
    memcpy(b->l_before, l, sizeof b->l_before);
    memcpy(l, f, sizeof f);
    if (b->law.kind == TDI_BOND_CURVE) {
        across_curve(b, s->along, l);
    }
    return slope;
}

td_real tdi_holds_slope(tdi_holds *all, const tdi_system *y) {
    td_real sum = 0;
    for (tdi_holds *h = all; h; h = h->next) {
        gather_moves(h, y);
        for (int32_t i = 0; i < h->held_count; i++) {
            td_real f[TDI_BOND_ROWS];
            sum += h->held[i].acts ? forces_of(h, &h->held[i], f) : 0;
        }
    }
    return sum;
}

void tdi_holds_finish(tdi_holds *all, const tdi_system *y, td_real *promise) {
    for (tdi_holds *h = all; h; h = h->next) {
        gather_moves(h, y);
        for (int32_t i = 0; i < h->held_count; i++) {
            *promise += h->held[i].acts ? finish(h, &h->held[i]) : 0;
        }
    }
}

void tdi_holds_revert(tdi_holds *all) {
    for (tdi_holds *h = all; h; h = h->next) {
        for (int32_t i = 0; i < h->held_count; i++) {
            const tdi_held *b = &h->held[i];
            if (b->acts) {
                memcpy(h->state[b->hold].l[b->bond], b->l_before, sizeof b->l_before);
            }
        }
    }
}

// ---- errors ---------------------------------------------------------------------------------

// How far a bond is from being met. One-sided: from c = 0 where it pushes, and below it.
static td_real error_of(const tdi_held *b, const tdi_hold_state *s, const td_real *c) {
    td_real most = 0;
    for (int32_t r = 0; r < b->law.row_count; r++) {
        const bool idle = b->law.one_sided && c[r] > 0 && !(s->l[b->bond][r] < 0);
        const td_real e = idle ? 0 : fabs(c[r]);
        most = e <= most ? most : e; // keeps what is not a number
    }
    return most;
}

// Whether a bond is met, or cannot be.
static bool judge(tdi_holds *h, tdi_held *b, td_real largest) {
    tdi_hold_state *s = &h->state[b->hold];
    td_real c[TDI_BOND_ROWS], along = s->along;
    td_vec3 x[TDI_BOND_PINS];
    tdi_held_places(h, b, x);
    tdi_bond_rows(&b->law, x, &along, c);
    const td_real before = b->error;
    b->error = error_of(b, s, c);
    if (s->unmet || b->error <= MET) {
        b->stalls = 0;
        return true;
    }
    const bool stalls = b->error > SHRINKS * before && largest < CALM * b->error;
    b->stalls = stalls ? b->stalls + 1 : 0;
    if (stalls && s->weight[b->bond] < MOST_TENS) {
        s->weight[b->bond]++;
    }
    if (b->stalls >= STALLS) {
        s->unmet = 1;
    }
    return false;
}

bool tdi_holds_judge(tdi_holds *all, const tdi_system *y, td_real largest) {
    bool met = true;
    for (tdi_holds *h = all; h; h = h->next) {
        tdi_holds_gather(h, y);
        for (int32_t i = 0; i < h->held_count; i++) {
            met = (!h->held[i].acts || judge(h, &h->held[i], largest)) && met;
        }
    }
    return met;
}
