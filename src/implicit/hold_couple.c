// SPDX-License-Identifier: MIT
// Constraints between two segments: the Schur complement of the bodies' factors.
//
// With E factored by the bodies, J the motion of the rows, and x0 = -E^-1 r, where r has the
// gradient of the multipliers l already,
//   (W + 1/K) d = c + J x0,   W = J E^-1 J^T,   x = x0 - E^-1 J^T d,   f = l + d.
// W is dense within a body and couples no others. Rows of three and a unit make blocks of 4x4, so
// that chains of bodies are factored in time proportional to their number.
//
// A distance has a geometric stiffness across its line, f/|d|, which couples both sides too: where
// it is positive it makes two rows more, with c = 0 and K = f/|d|.

#include "implicit/hold.h"

#include <math.h>
#include <string.h>

#define STIFF 1e6  // times the inertia that a bond feels: K
#define MERIT 10.0 // likewise, of the value

bool tdi_holds_couple(const tdi_holds *all) {
    bool any = false;
    for (const tdi_holds *h = all; h && !any; h = h->next) {
        any = h->coupled;
    }
    return any;
}

static bool takes_part(const tdi_held *b) {
    return b->acts && b->node != TD_NONE;
}

// ---- rows -----------------------------------------------------------------------------------

// Two rows across the line of a distance that is under tension.
static void add_tension_rows(tdi_held *b, const tdi_hold_state *s, td_real length) {
    const td_real sign = b->law.one_sided ? -1 : 1, force = sign * s->l[b->bond][0];
    if (!(b->used[0] && force > 0 && length > 0)) {
        return;
    }
    const td_vec3 n = tdi_scale(b->at.gradient[0][0], sign), t = tdi_across(n),
                  across[2] = {t, tdi_cross(n, t)};
    for (int r = 0; r < 2; r++) {
        b->at.gradient[1 + r][0] = across[r];
        b->at.gradient[1 + r][1] = tdi_scale(across[r], -1);
        b->at.c[1 + r] = 0;
        b->compliance[1 + r] = length / force;
    }
}

static void open_rows(tdi_holds *h) {
    for (int32_t i = 0; i < h->held_count; i++) {
        tdi_held *b = &h->held[i];
        for (int r = 0; takes_part(b) && r < TDI_BOND_ROWS; r++) {
            b->compliance[r] = r < b->law.row_count && b->used[r] ? 0 : -1;
        }
        if (takes_part(b) && b->law.kind == TDI_BOND_DISTANCE) {
            const td_vec3 d = tdi_sub(h->place[b->pin[0]], h->place[b->pin[1]]);
            add_tension_rows(b, &h->state[b->hold], tdi_norm(d));
        }
    }
}

static void gather_moves(tdi_holds *h, const tdi_system *y, bool response) {
    for (int32_t k = 0; k < h->member_count; k++) {
        const int32_t first = h->first_pin[k], count = h->first_pin[k + 1] - first;
        const tdi_member *m = tdi_holds_member(h, y, k);
        if (h->first_node[k + 1] > h->first_node[k]) {
            tdi_state_pin_moves(m->ops, m->body, h->pin + first, count, response, h->move + first);
        }
    }
}

// Pushes the pins of a bond that a member has, by `force` times a row's gradient.
static void push_row(const tdi_holds *h, const tdi_held *b, const tdi_member *m, int32_t k,
                     int32_t row, td_real force) {
    const td_constraint *c = &h->def[b->hold];
    for (int32_t p = 0; p < b->law.pin_count; p++) {
        if (c->actor[b->law.pin[p].second] == k) {
            tdi_state_pin_push(m->ops, m->body, &h->pin[b->pin[p]],
                               tdi_scale(b->at.gradient[row][p], force));
        }
    }
}

// ---- the complement -------------------------------------------------------------------------

// The change of a row by the moves of the pins that a member has.
static td_real change_of(const tdi_holds *h, const tdi_held *b, int32_t k, int32_t row) {
    const td_constraint *c = &h->def[b->hold];
    td_real sum = 0;
    for (int32_t p = 0; p < b->law.pin_count; p++) {
        if (c->actor[b->law.pin[p].second] == k) {
            sum += tdi_dot(b->at.gradient[row][p], h->move[b->pin[p]]);
        }
    }
    return sum;
}

// Column `row` of the block of a bond and each that comes before it, from one member.
static void add_column(tdi_holds *h, const tdi_member *m, int32_t k, int32_t at, int32_t row) {
    const int32_t first = h->first_pin[k], count = h->first_pin[k + 1] - first;
    const tdi_held *b = &h->held[h->node[at]];
    push_row(h, b, m, k, row, 1);
    tdi_state_respond(m->ops, m->body);
    tdi_state_pin_moves(m->ops, m->body, h->pin + first, count, true, h->move + first);
    for (int32_t j = h->first_node[k]; j <= at; j++) {
        const tdi_held *other = &h->held[h->node[j]];
        td_real block[4][4] = {{0}};
        for (int32_t r = 0; takes_part(other) && r < TDI_BOND_ROWS; r++) {
            block[r][row] = other->compliance[r] >= 0 ? change_of(h, other, k, r) : 0;
        }
        if (takes_part(other)) {
            tdi_sparse_add(h->sparse, other->node, b->node, block);
        }
    }
}

static void add_responses(tdi_holds *h, const tdi_system *y) {
    for (int32_t k = 0; k < h->member_count; k++) {
        const tdi_member *m = tdi_holds_member(h, y, k);
        const int32_t first = h->first_pin[k], count = h->first_pin[k + 1] - first;
        if (h->first_node[k] < h->first_node[k + 1]) {
            tdi_state_pin_confine(m->ops, m->body, h->pin + first, count);
        }
        for (int32_t at = h->first_node[k]; at < h->first_node[k + 1]; at++) {
            const tdi_held *b = &h->held[h->node[at]];
            for (int32_t r = 0; takes_part(b) && r < TDI_BOND_ROWS; r++) {
                if (b->compliance[r] >= 0) {
                    add_column(h, m, k, at, r);
                }
            }
        }
        if (h->first_node[k] < h->first_node[k + 1]) {
            tdi_state_pin_confine(m->ops, m->body, NULL, 0);
        }
    }
}

// K by what the bond feels, and units where there is no row.
static void add_compliances(tdi_holds *h) {
    for (int32_t i = 0; i < h->held_count; i++) {
        tdi_held *b = &h->held[i];
        if (b->node == TD_NONE) {
            continue;
        }
        const tdi_hold_state *s = &h->state[b->hold];
        const int32_t place = h->sparse->place[b->node];
        td_real most = 0, block[4][4] = {{0}};
        for (int32_t r = 0; b->acts && r < b->law.row_count; r++) {
            most = fmax(most, h->sparse->diagonal[place][r][r]);
        }
        if (b->acts && most > 0) {
            b->merit = MERIT / most;
            b->k = s->unmet ? b->k : STIFF * tdi_hold_weight(s, b->bond) / most;
        }
        for (int32_t r = 0; r < 4; r++) {
            const bool row = b->acts && r < TDI_BOND_ROWS && b->compliance[r] >= 0;
            block[r][r] = !row ? 1 : r < b->law.row_count ? 1 / b->k : b->compliance[r];
        }
        tdi_sparse_add(h->sparse, b->node, b->node, block);
    }
}

// ---- solving --------------------------------------------------------------------------------

// c, or 0, and what the moves make of it
static void fill_right_side(tdi_holds *h, bool errors) {
    for (int32_t i = 0; i < h->held_count; i++) {
        const tdi_held *b = &h->held[i];
        if (b->node == TD_NONE) {
            continue;
        }
        td_real *x = h->x[h->sparse->place[b->node]];
        for (int32_t r = 0; r < 4; r++) {
            const bool row = b->acts && r < TDI_BOND_ROWS && b->compliance[r] >= 0;
            x[r] = row ? (errors ? b->at.c[r] : 0) + tdi_held_change(h, b, r) : 0;
        }
    }
}

static void push_all(const tdi_holds *h, const tdi_system *y) {
    for (int32_t k = 0; k < h->member_count; k++) {
        const tdi_member *m = tdi_holds_member(h, y, k);
        for (int32_t at = h->first_node[k]; at < h->first_node[k + 1]; at++) {
            const tdi_held *b = &h->held[h->node[at]];
            for (int32_t r = 0; takes_part(b) && r < TDI_BOND_ROWS; r++) {
                if (b->compliance[r] >= 0) {
                    push_row(h, b, m, k, r, -h->x[h->sparse->place[b->node]][r]);
                }
            }
        }
    }
}

//   -r.x = r.E^-1 r - (J x0).d;  less K c.J x = c (d - K c) of rows that are not of tension
static td_real promise_change(const tdi_holds *h) {
    td_real sum = 0;
    for (int32_t i = 0; i < h->held_count; i++) {
        const tdi_held *b = &h->held[i];
        for (int32_t r = 0; takes_part(b) && r < TDI_BOND_ROWS; r++) {
            const td_real d = h->x[h->sparse->place[b->node]][r], c = b->at.c[r];
            if (b->compliance[r] >= 0) {
                sum -= tdi_held_change(h, b, r) * d;
                sum -= r < b->law.row_count ? c * (d - b->k * c) : 0;
            }
        }
    }
    return sum;
}

static bool solve(tdi_holds *h, const tdi_system *y, td_real *promise) {
    open_rows(h);
    tdi_sparse_clear(h->sparse);
    add_responses(h, y);
    add_compliances(h);
    if (!tdi_sparse_factor(h->sparse)) {
        return false;
    }
    gather_moves(h, y, false);
    fill_right_side(h, true);
    tdi_sparse_solve(h->sparse, h->x);
    *promise += promise_change(h);
    push_all(h, y);
    for (int32_t k = 0; k < h->member_count; k++) {
        const tdi_member *m = tdi_holds_member(h, y, k);
        tdi_state_respond(m->ops, m->body);
        tdi_state_absorb(m->ops, m->body);
    }
    return true;
}

bool tdi_holds_solve(tdi_holds *all, const tdi_system *y, td_real *promise) {
    bool fine = true;
    for (tdi_holds *h = all; h && fine; h = h->next) {
        fine = !h->coupled || solve(h, y, promise);
    }
    return fine;
}

void tdi_holds_counter(tdi_holds *all, const tdi_system *y) {
    for (tdi_holds *h = all; h; h = h->next) {
        if (h->coupled) {
            gather_moves(h, y, true);
            fill_right_side(h, false);
            tdi_sparse_solve(h->sparse, h->x);
            push_all(h, y);
        }
    }
}
