// SPDX-License-Identifier: MIT
// Constraints between two segments: the Schur complement of the bodies' factors.
//
// With E factored by the bodies, each row's parts K_a (a - z) and K_a (b + z) in it, v = a - b as a
// function of the increments, and x0 = -E^-1 r,
//   E x = -r + v^T q,   (2/K_a) q = v x,   q = K_a z
//   (2/K_a - W) q = v x0,   W = v E^-1 v^T,   x = x0 + E^-1 v^T q.
// The complement is positive definite where the whole is, also where the bodies alone, without
// their K_a, are not: what holds a thin bar against turning about itself is often the constraint.
// W is dense within a body and couples no others. Four rows a bond make blocks of 4x4, so
// that chains of bodies are factored in time proportional to their number.

#include "implicit/hold_whole.h"

#include "base/fetch.h"

#include <math.h>

#define FETCHED      ((size_t)3072)  // bytes of the next body, with every column
#define MOST_FETCHED ((size_t)32768) // of one that is larger none

bool tdi_holds_couple(const tdi_holds *all) {
    bool any = false;
    for (const tdi_holds *h = all; h && !any; h = h->next) {
        any = h->coupled;
    }
    return any;
}

bool tdi_holds_pin(const tdi_system *y) {
    bool within = y->holds && !y->touch;
    for (const tdi_holds *h = y->holds; h && within; h = h->next) {
        within = !h->coupled || h->eliminated;
    }
    return within;
}

bool tdi_held_has_row(const tdi_held *b, int32_t row) {
    return row < TDI_HELD_ROWS && b->acts && b->stiff[row] > 0;
}

// Pushes a row's pins that a member has, by `force` along v.
static void push_row(const tdi_holds *h, const tdi_held *b, const tdi_member *m, int32_t k,
                     int32_t row, td_real force) {
    const td_constraint *c = &h->def[b->hold];
    if (c->actor[0] == k) {
        const td_vec3 f = tdi_scale(b->way[row], force);
        tdi_state_apply_forces(m->body, tdi_points_of(&h->pin[b->pin[0]], 1), &f);
    }
    if (c->actor[1] == k) {
        const td_vec3 f = tdi_scale(b->back[row], -force);
        tdi_state_apply_forces(m->body, tdi_points_of(&h->pin[tdi_held_mate(b, row)], 1), &f);
    }
}

// v of a row, of the moves of the pins that a member has.
td_real tdi_held_part(const tdi_holds *h, const tdi_held *b, int32_t k, int32_t row) {
    const td_constraint *c = &h->def[b->hold];
    td_real sum = 0;
    if (c->actor[0] == k) {
        sum += tdi_dot(b->way[row], h->move[b->pin[0]]);
    }
    if (c->actor[1] == k) {
        sum -= tdi_dot(b->back[row], h->move[tdi_held_mate(b, row)]);
    }
    return sum;
}

// ---- the complement -------------------------------------------------------------------------

// Column `row` of the block of a bond and each that comes before it, from one member.
static void add_column(tdi_holds *h, tdi_sparse *into, const tdi_member *m, int32_t k, int32_t at,
                       int32_t row) {
    const tdi_held *b = &h->held[h->node[at]];
    push_row(h, b, m, k, row, 1);
    tdi_state_respond(m->body);
    tdi_holds_gather_member(h, m, k, true);
    for (int32_t j = h->first_node[k]; j <= at; j++) {
        const tdi_held *other = &h->held[h->node[j]];
        td_real block[4][4] = {{0}};
        for (int32_t r = 0; r < TDI_HELD_ROWS; r++) {
            block[r][row] = tdi_held_has_row(other, r) ? -tdi_held_part(h, other, k, r) : 0;
        }
        if (other->acts) {
            tdi_sparse_add(into, other->node, b->node, block);
        }
    }
}

// Fetches some more of the memory of a body whose turn is next, from a place on: where the rest
// begins. NULL: nothing.
TDI_FETCHES size_t fetch_more(const td_body *next, size_t from) {
    if (!next || next->bytes > MOST_FETCHED || from >= next->bytes) {
        return from;
    }
    const size_t left = next->bytes - from, more = left < FETCHED ? left : FETCHED;
    tdi_fetch((const char *)next + from, more);
    return from + more;
}

void tdi_holds_add_member(tdi_holds *h, tdi_sparse *into, const tdi_member *m, int32_t k,
                          const td_body *next) {
    const int32_t first = h->first_pin[k], count = h->first_pin[k + 1] - first;
    size_t fetched = 0;
    tdi_state_confine(m->body, tdi_points_of(h->pin + first, count));
    for (int32_t at = h->first_node[k]; at < h->first_node[k + 1]; at++) {
        for (int32_t r = 0; r < TDI_HELD_ROWS; r++) {
            if (tdi_held_has_row(&h->held[h->node[at]], r)) {
                fetched = fetch_more(next, fetched);
                add_column(h, into, m, k, at, r);
            }
        }
    }
    tdi_state_confine(m->body, tdi_points_of(NULL, 0));
}

void tdi_holds_add_compliances(const tdi_holds *h, tdi_sparse *into) {
    for (int32_t i = 0; i < h->held_count; i++) {
        const tdi_held *b = &h->held[i];
        td_real block[4][4] = {{0}};
        for (int32_t r = 0; r < 4; r++) {
            block[r][r] = tdi_held_has_row(b, r) ? 2 / b->stiff[r] : 1;
        }
        if (b->node != TD_NONE) {
            tdi_sparse_add(into, b->node, b->node, block);
        }
    }
}

// Whether bonds are solved for after the bodies, not eliminated with one of them.
static bool is_after(const tdi_holds *h) {
    return h->coupled && !h->eliminated;
}

void tdi_holds_open(tdi_holds *all) {
    for (tdi_holds *h = all; h; h = h->next) {
        if (is_after(h) && !h->joined) {
            tdi_sparse_clear(h->sparse);
            tdi_holds_add_compliances(h, h->sparse);
        }
    }
}

void tdi_holds_take(const tdi_system *y, int32_t member) {
    const tdi_member *m = &y->member[member];
    const td_body *body = m->body;
    const int32_t k = body->held_as;
    tdi_holds *h = body->holds;
    if (h && is_after(h) && !h->joined && h->first_node[k] < h->first_node[k + 1]) {
        tdi_holds_add_member(h, h->sparse, m, k,
                             member + 1 < y->count ? y->member[member + 1].body : NULL);
        tdi_holds_gather_member(h, m, k, false);
    }
}

// ---- solving --------------------------------------------------------------------------------

static void fill_right_side(tdi_holds *h) {
    for (int32_t i = 0; i < h->held_count; i++) {
        const tdi_held *b = &h->held[i];
        for (int32_t r = 0; b->node != TD_NONE && r < 4; r++) {
            td_real *x = h->x[h->sparse->place[b->node]];
            x[r] = tdi_held_has_row(b, r) ? tdi_dot(b->way[r], h->move[b->pin[0]]) -
                                                tdi_dot(b->back[r], h->move[tdi_held_mate(b, r)])
                                          : 0;
        }
    }
}

// Whether a member is solved with the rows, not by itself.
static bool joins(const tdi_holds *h, int32_t k) {
    return h->joined && h->whole->first[k] != TD_NONE;
}

// q of a bond, as it was solved for.
static const td_real *force_of(const tdi_holds *h, const tdi_held *b) {
    return h->joined ? h->whole->unknowns[b->node].x : h->x[h->sparse->place[b->node]];
}

static void push_member(const tdi_holds *h, const tdi_member *m, int32_t k) {
    for (int32_t at = h->first_node[k]; !joins(h, k) && at < h->first_node[k + 1]; at++) {
        const tdi_held *b = &h->held[h->node[at]];
        for (int32_t r = 0; r < TDI_HELD_ROWS; r++) {
            if (tdi_held_has_row(b, r)) {
                push_row(h, b, m, k, r, force_of(h, b)[r]);
            }
        }
    }
}

void tdi_holds_answer(const tdi_system *y, int32_t member) {
    const tdi_member *m = &y->member[member];
    const td_body *body = m->body;
    tdi_holds *h = body->holds;
    if (!h || !is_after(h)) {
        return;
    }
    push_member(h, m, body->held_as);
    if (!joins(h, body->held_as)) {
        tdi_state_respond(m->body);
        tdi_state_add_response(m->body);
    }
    tdi_holds_gather_member(h, m, body->held_as, false);
}

// -r.x = r.E^-1 r + (v x0).q, and (v x0).q is what the solve gives
static bool solve(tdi_holds *h, const tdi_system *y, td_real *predicted_decrease) {
    if (h->joined) {
        const bool fine = tdi_hold_whole_factor(h, y);
        if (fine) {
            tdi_hold_whole_solve(h, y, predicted_decrease);
        }
        return fine;
    }
    if (!tdi_sparse_factor(h->sparse, NULL)) {
        return false;
    }
    fill_right_side(h);
    *predicted_decrease += tdi_sparse_solve(h->sparse, h->x);
    return true;
}

bool tdi_holds_may_touch(const tdi_holds *all) {
    bool may = true;
    for (const tdi_holds *h = all; h && may; h = h->next) {
        may = h->node_count == 0 || h->sparse;
    }
    return may;
}

bool tdi_holds_solve(tdi_holds *all, const tdi_system *y, td_real *predicted_decrease) {
    bool fine = true;
    for (tdi_holds *h = all; h && fine; h = h->next) {
        fine = !is_after(h) || solve(h, y, predicted_decrease);
    }
    return fine;
}

void tdi_holds_counter(tdi_holds *all, const tdi_system *y) {
    for (tdi_holds *h = all; h; h = h->next) {
        if (h->coupled) {
            tdi_holds_gather_moves(h, y, true);
            fill_right_side(h);
            tdi_sparse_solve(h->sparse, h->x);
            for (int32_t k = 0; k < h->member_count; k++) {
                push_member(h, tdi_holds_member(h, y, k), k);
            }
        }
    }
}
