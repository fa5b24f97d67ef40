// SPDX-License-Identifier: MIT
// Constraints between segments: one factor of rows and of the bodies that offer blocks.
//
// The Schur complement of hold_couple.c is dense within a body, so that m rows on it cost O(m^3).
// Bodies whose unknowns are those of points are not eliminated by themselves where many rows hold
// them. With their blocks E, C = 2/K_a - W of all others, and x0 of these,
//   | E   -v^T |   | x |   | -r   |
//   | -v   C   | . | q | = | v x0 |
// is sparse and positive definite where the whole is: rows that are local along a chain leave few
// blocks in the factor, and cost O(n + m).

#include "implicit/hold_whole.h"

#include <math.h>
#include <string.h>

#define WORTH       8  // rows' bonds on a body: from here on it is not eliminated by itself
#define LINKS_EACH  24 // of a node: room for the pattern
#define BLOCKS_EACH 32 // of a node: room for the factor
#define AHEAD       6  // bonds and points: their memory is fetched before it is their turn

static bool offers(const tdi_member *m) {
    return m->body->ops->blocks;
}

// ---- making ---------------------------------------------------------------------------------

static int32_t points_of(const tdi_member *m) {
    const td_body *head = m->body;
    return head->point_count - head->riding_count;
}

// Nodes: bonds first, then points; and links among bonds of members that respond. No nodes: it is
// not worth it.
static int32_t count_nodes(const tdi_holds *h, const tdi_member *members, int64_t *links) {
    int64_t nodes = h->node_count;
    bool worth = false;
    *links = 0;
    for (int32_t k = 0; k < h->member_count; k++) {
        const int64_t own = h->first_node[k + 1] - h->first_node[k];
        if (own > 0 && offers(&members[k])) {
            nodes += points_of(&members[k]);
            worth = worth || own > WORTH;
        } else {
            *links += own * (own - 1) / 2;
        }
    }
    *links += LINKS_EACH * nodes;
    return worth && *links < INT32_MAX / 64 ? (int32_t)nodes : 0;
}

static void take_link(const tdi_block_taker *taker, int32_t a, int32_t b, td_real block[4][4]) {
    (void)block;
    if (a != b) {
        tdi_sparse_link(taker->context, taker->first + a, taker->first + b);
    }
}

static void link_bond(const tdi_holds *h, const tdi_member *members, const tdi_held *b) {
    const td_constraint *c = &h->def[b->hold];
    for (int side = 0; side < 2; side++) {
        const int32_t k = c->actor[side], first = h->whole->first[k];
        const tdi_point pin = {.kind = TDI_POINT_POSITION, .segment = c->segment[side]};
        int32_t point[TDI_POINT_NODES];
        td_real rows[TDI_POINT_NODES][3][4];
        const int32_t count =
            first == TD_NONE
                ? 0
                : members[k].body->ops->blocks->rows(members[k].body, &pin, point, rows);
        for (int32_t p = 0; p < count; p++) {
            tdi_sparse_link(h->whole->sparse, b->node, first + point[p]);
        }
    }
}

static bool order(const tdi_holds *h, const tdi_member *members, int32_t nodes) {
    tdi_hold_whole *w = h->whole;
    int32_t next = h->node_count;
    tdi_sparse_begin(w->sparse, nodes);
    for (int32_t k = 0; k < h->member_count; k++) {
        const int32_t first = h->first_node[k], last = h->first_node[k + 1];
        w->first[k] = TD_NONE;
        if (first < last && offers(&members[k])) {
            const tdi_block_taker taker = {take_link, w->sparse, next};
            w->first[k] = next;
            members[k].body->ops->blocks->blocks(members[k].body, &taker);
            next += points_of(&members[k]);
            continue;
        }
        for (int32_t i = first; i < last; i++) {
            for (int32_t j = first; j < i; j++) {
                tdi_sparse_link(w->sparse, h->held[h->node[j]].node, h->held[h->node[i]].node);
            }
        }
    }
    for (int32_t i = 0; i < h->held_count; i++) {
        if (h->held[i].node != TD_NONE) {
            link_bond(h, members, &h->held[i]);
        }
    }
    return tdi_sparse_order(w->sparse);
}

static void lay_out(tdi_hold_whole *w, int32_t members, int32_t nodes, int32_t links,
                    int32_t blocks, tdi_layout *l) {
    tdi_layout_place(l, 1, sizeof *w);
    w->first = tdi_layout_place(l, (size_t)members, sizeof *w->first);
    w->unknowns = tdi_layout_place(l, (size_t)nodes, sizeof *w->unknowns);
    w->x = tdi_layout_place(l, (size_t)nodes, sizeof *w->x);
    void *memory = tdi_layout_place(l, tdi_sparse_bytes(nodes, links, blocks), 1);
    w->sparse = l->base ? tdi_sparse_place(nodes, links, blocks, memory) : NULL;
}

bool tdi_hold_whole_new(tdi_holds *h, const tdi_member *members) {
    int64_t links;
    const int32_t nodes = count_nodes(h, members, &links);
    if (nodes == 0) {
        return true;
    }
    const int32_t blocks = BLOCKS_EACH * nodes + 3 * (int32_t)(links - LINKS_EACH * nodes);
    tdi_hold_whole sized = {0};
    tdi_layout l = {NULL, 0};
    lay_out(&sized, h->member_count, nodes, (int32_t)links, blocks, &l);
    h->whole = tdi_alloc_zeroed(h->alloc, 1, l.used);
    if (!h->whole) {
        return false;
    }
    sized.bytes = l.used;
    l = (tdi_layout){(char *)h->whole, 0};
    lay_out(&sized, h->member_count, nodes, (int32_t)links, blocks, &l);
    *h->whole = sized;
    if (!order(h, members, nodes)) { // rows lead all over the place
        tdi_hold_whole_free(h);
    }
    return true;
}

void tdi_hold_whole_free(tdi_holds *h) {
    if (h->whole) {
        tdi_alloc_free(h->alloc, h->whole, h->whole->bytes);
        h->whole = NULL;
    }
}

// ---- numbers --------------------------------------------------------------------------------

static void take_block(const tdi_block_taker *taker, int32_t a, int32_t b, td_real block[4][4]) {
    tdi_hold_whole *w = taker->context;
    tdi_unknowns *own = &w->unknowns[taker->first + a], *other = &w->unknowns[taker->first + b];
    td_real left[4][4];
    if (a == b && taker->first + a + AHEAD < w->sparse->node_count) {
        tdi_sparse_fetch(w->sparse, taker->first + a + AHEAD);
    }
    if (tdi_unknowns_held(own) || tdi_unknowns_held(other)) {
        memcpy(left, block, sizeof left);
        tdi_unknowns_hold(own, other, left);
        block = left;
    }
    tdi_sparse_add(w->sparse, taker->first + a, taker->first + b, block);
}

// -v of a bond's rows by the points of one of its pins: `sees` is its way, or minus its back.
static void take_pin(tdi_holds *h, const tdi_held *b, const tdi_member *m, int32_t first,
                     int32_t pin, const td_vec3 *sees, td_real sign) {
    const tdi_block_taker taker = {take_block, h->whole, 0};
    int32_t point[TDI_POINT_NODES];
    td_real rows[TDI_POINT_NODES][3][4];
    const int32_t count = m->body->ops->blocks->rows(m->body, &h->pin[pin], point, rows);
    for (int32_t p = 0; p < count; p++) {
        td_real block[4][4] = {{0}};
        for (int32_t r = 0; r < TDI_HELD_ROWS; r++) {
            const bool sees_it = pin == b->pin[0] || pin == tdi_held_mate(b, r);
            for (int d = 0; sees_it && tdi_held_has_row(b, r) && d < 4; d++) {
                const td_vec3 by = {rows[p][0][d], rows[p][1][d], rows[p][2][d]};
                block[r][d] = -sign * tdi_dot(sees[r], by);
            }
        }
        take_block(&taker, b->node, first + point[p], block);
    }
}

static void fetch_bond(const tdi_holds *h, const tdi_held *b) {
    if (b->node == TD_NONE || !b->acts) {
        return;
    }
    tdi_sparse_fetch(h->whole->sparse, b->node);
}

static void take_bond(tdi_holds *h, const tdi_system *y, const tdi_held *b) {
    const td_constraint *c = &h->def[b->hold];
    const int32_t *first = h->whole->first;
    if (first[c->actor[0]] != TD_NONE) {
        take_pin(h, b, tdi_holds_member(h, y, c->actor[0]), first[c->actor[0]], b->pin[0], b->way,
                 1);
    }
    if (first[c->actor[1]] != TD_NONE) {
        const tdi_member *m = tdi_holds_member(h, y, c->actor[1]);
        take_pin(h, b, m, first[c->actor[1]], b->mate, b->back, -1);
        if (b->bent.far) {
            take_pin(h, b, m, first[c->actor[1]], b->far, b->back, -1);
        }
    }
}

// Gradients of bonds: -v x0 of members that respond.
static void fill_bonds(tdi_holds *h, const tdi_system *y) {
    memset(h->whole->unknowns, 0, (size_t)h->node_count * sizeof *h->whole->unknowns);
    for (int32_t k = 0; k < h->member_count; k++) {
        if (h->whole->first[k] != TD_NONE) {
            continue;
        }
        tdi_holds_gather_member(h, tdi_holds_member(h, y, k), k, false);
        for (int32_t at = h->first_node[k]; at < h->first_node[k + 1]; at++) {
            const tdi_held *b = &h->held[h->node[at]];
            for (int32_t r = 0; r < TDI_HELD_ROWS; r++) {
                h->whole->unknowns[b->node].gradient[r] -=
                    tdi_held_has_row(b, r) ? tdi_held_part(h, b, k, r) : 0;
            }
        }
    }
}

bool tdi_hold_whole_factor(tdi_holds *h, const tdi_system *y) {
    tdi_hold_whole *w = h->whole;
    tdi_sparse_clear(w->sparse);
    fill_bonds(h, y);
    tdi_holds_add_compliances(h, w->sparse);
    for (int32_t k = 0; k < h->member_count; k++) {
        const tdi_member *m = tdi_holds_member(h, y, k);
        if (w->first[k] != TD_NONE) {
            const tdi_block_taker taker = {take_block, w, w->first[k]};
            m->body->ops->blocks->unknowns(m->body, w->unknowns + w->first[k]);
            m->body->ops->blocks->blocks(m->body, &taker);
        } else if (h->first_node[k] < h->first_node[k + 1]) {
            tdi_holds_add_member(h, w->sparse, m, k, NULL);
        }
    }
    for (int32_t i = 0; i < h->held_count; i++) {
        if (i + AHEAD < h->held_count) {
            fetch_bond(h, &h->held[i + AHEAD]);
        }
        if (h->held[i].node != TD_NONE && h->held[i].acts) {
            take_bond(h, y, &h->held[i]);
        }
    }
    return tdi_sparse_factor(w->sparse, NULL);
}

// ---- solving --------------------------------------------------------------------------------

void tdi_hold_whole_solve(tdi_holds *h, const tdi_system *y, td_real *predicted_decrease) {
    tdi_hold_whole *w = h->whole;
    *predicted_decrease += tdi_unknowns_solve(w->unknowns, w->sparse, w->x);
    for (int32_t k = 0; k < h->member_count; k++) {
        if (w->first[k] != TD_NONE) {
            const tdi_member *m = tdi_holds_member(h, y, k);
            m->body->ops->blocks->increments(m->body, w->unknowns + w->first[k]);
        }
    }
}
