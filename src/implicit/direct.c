// SPDX-License-Identifier: MIT
// The coupled solve by a factor of the whole matrix.
//
//   (E + J^T C J) x = -r
//
// where J selects the three displacements among the four unknowns of a point, or has besides what
// turns of capsules add to the slip of friction, E are the blocks of the bodies and C those of
// contacts between capsules. A held unknown has no equation, only a 1 on
// the diagonal; if its increment x_h is prescribed, the others get the gradient r + H x_h.

#include "implicit/newton.h"
#include "implicit/touch.h"

#include <math.h>
#include <string.h>

#define LINKS_EACH  20        // of a node: room for the pattern
#define PAIRS_EACH  4         // of a node: room for those that the order is made for
#define BLOCKS_EACH 20        // of a node: room for the factor, twice as much in long bodies,
#define LONG        200       // which wind about themselves
#define MOST_NODES  (1 << 24) // so that no count overflows

// Costs, in products of two blocks, which took 15 to 20 ns when they were measured, and take 7 with
// AVX2. The measurements are in docs/theory/contact.md.
#define NODE_COST    8.0  // order, assembly and solve by factors, over the elimination of bodies
#define LEAST_WORK   5.0  // of the factor: that of a chain
#define CG_NODE_COST 2.0  // in an iteration: a response
#define CG_PAIR_COST 3.0  // in an iteration: the coupling by barrier and friction
#define CG_STEPS     2.8  // iterations over the root of the number of pairs,
#define CG_MANY      2000 // pairs, from which on they are twice as many: heaps that are hit

// ---- making ---------------------------------------------------------------------------------

static int32_t blocks_each(int32_t nodes) {
    return nodes < BLOCKS_EACH ? nodes : nodes < LONG ? BLOCKS_EACH : 2 * BLOCKS_EACH;
}

static void lay_out_numbers(tdi_direct *d, tdi_layout *l) {
    d->unknowns = tdi_layout_place(l, (size_t)d->node_limit, sizeof *d->unknowns);
    d->x = tdi_layout_place(l, (size_t)d->node_limit, sizeof *d->x);
}

static int32_t unknowns_of(const td_body *head) {
    return head->point_count - head->riding_count;
}

void tdi_direct_lay_out(tdi_direct *d, const tdi_member *members, int32_t count, tdi_layout *l) {
    int32_t nodes = 0, blocks = 0;
    for (int32_t k = 0; k < count; k++) {
        const td_body *head = members[k].body;
        const int32_t own =
            members[k].body->ops->blocks && head->capsule_count > 0 ? unknowns_of(head) : 0;
        if (own <= MOST_NODES - nodes) {
            nodes += own;
            blocks += own * blocks_each(own);
        }
    }
    d->node_limit = nodes;
    d->pair_limit = PAIRS_EACH * nodes;
    d->pair_count = TD_NONE;
    d->first = tdi_layout_place(l, (size_t)count, sizeof *d->first);
    d->pair = tdi_layout_place(l, (size_t)d->pair_limit, sizeof *d->pair);
    d->numbers = tdi_layout_place(l, 0, 1);
    lay_out_numbers(d, l);
    void *memory = tdi_layout_place(l, tdi_sparse_bytes(nodes, LINKS_EACH * nodes, blocks), 1);
    d->sparse = l->base ? tdi_sparse_place(nodes, LINKS_EACH * nodes, blocks, memory) : NULL;
}

void tdi_direct_lend(tdi_direct *d, tdi_layout *l) {
    tdi_layout own = {d->numbers, 0};
    lay_out_numbers(d, l ? l : &own);
    tdi_sparse_lend(d->sparse, l);
}

// ---- order ----------------------------------------------------------------------------------

static bool comes_before(const int32_t pair[2], int32_t a, int32_t b) {
    return pair[0] < a || (pair[0] == a && pair[1] < b);
}

// Notes the pairs of capsules, as many as there is room for: how many there are. Whether they are
// not those that were noted last. Barriers and frictions come one after the other in the order of
// pairs; most have both.
static int32_t note_pairs(tdi_touch *t, bool *changed) {
    tdi_direct *d = &t->direct;
    int32_t count, pairs = 0, barriers = 0, passed = 0;
    const tdi_contact *list = tdi_contacts_list(t->set, &count);
    *changed = false;
    for (int32_t k = 0; k < count; k++) {
        const int32_t a = list[k].capsule, b = list[k].other;
        bool known = !tdi_touch_couples(t, &list[k]);
        if (list[k].friction && !known) {
            while (passed < barriers && comes_before(d->pair[passed], a, b)) {
                passed++;
            }
            known = passed < barriers && d->pair[passed][0] == a && d->pair[passed][1] == b;
        }
        if (!known && pairs++ < d->pair_limit) {
            int32_t *pair = d->pair[pairs - 1];
            *changed = *changed || pairs > d->pair_count || pair[0] != a || pair[1] != b;
            pair[0] = a;
            pair[1] = b;
            barriers = list[k].friction ? barriers : pairs;
        }
    }
    *changed = *changed || pairs != d->pair_count;
    return pairs;
}

// Nodes of the members that contacts couple: how many, or TD_NONE: one of those offers no blocks,
// or touches with points that are no unknowns.
static int32_t join(tdi_touch *t, const tdi_system *y) {
    tdi_direct *d = &t->direct;
    for (int32_t k = 0; k < y->count; k++) {
        d->first[k] = TD_NONE;
    }
    for (int32_t k = 0; k < d->pair_count; k++) {
        d->first[t->owner[d->pair[k][0]]] = d->first[t->owner[d->pair[k][1]]] = 0;
        if (tdi_touch_rides(t, d->pair[k][0]) || tdi_touch_rides(t, d->pair[k][1])) {
            return TD_NONE;
        }
    }
    int32_t nodes = 0;
    for (int32_t k = 0; k < y->count; k++) {
        if (d->first[k] != TD_NONE) {
            if (!t->ops[k]->blocks) {
                return TD_NONE;
            }
            d->first[k] = nodes;
            nodes += unknowns_of(y->member[k].body);
        }
    }
    return nodes <= d->node_limit ? nodes : TD_NONE;
}

static int32_t node_of(const tdi_touch *t, int32_t point) {
    const int32_t k = t->point_owner[point];
    return t->direct.first[k] + point - t->first_point[k];
}

static void take_link(const tdi_block_taker *taker, int32_t a, int32_t b, td_real block[4][4]) {
    (void)block;
    if (a != b) {
        tdi_sparse_link(taker->context, taker->first + a, taker->first + b);
    }
}

static bool make_order(tdi_touch *t, const tdi_system *y, int32_t nodes) {
    tdi_direct *d = &t->direct;
    tdi_sparse_begin(d->sparse, nodes);
    for (int32_t k = 0; k < y->count; k++) {
        if (d->first[k] != TD_NONE) {
            const tdi_block_taker taker = {take_link, d->sparse, d->first[k]};
            t->ops[k]->blocks->blocks(y->member[k].body, &taker);
        }
    }
    for (int32_t k = 0; k < d->pair_count; k++) {
        const tdi_capsule *p = &t->capsule[d->pair[k][0]], *q = &t->capsule[d->pair[k][1]];
        const int32_t own[2] = {node_of(t, p->a), node_of(t, p->b)},
                      other[2] = {node_of(t, q->a), node_of(t, q->b)};
        for (int e = 0; e < 4; e++) {
            tdi_sparse_link(d->sparse, own[e / 2], other[e % 2]);
        }
    }
    return tdi_sparse_order(d->sparse);
}

// Whether the factor costs less than conjugate gradients, for all that its order asks for.
static bool is_cheaper(const tdi_direct *d, td_real nodes, td_real work) {
    const td_real pairs = d->pair_count, steps = CG_STEPS * sqrt(pairs) * (1 + pairs / CG_MANY);
    return work + NODE_COST * nodes < steps * (CG_NODE_COST * nodes + CG_PAIR_COST * pairs);
}

static bool is_better(tdi_touch *t, const tdi_system *y) {
    const tdi_direct *d = &t->direct;
    const int32_t nodes = d->pair_count <= d->pair_limit ? join(t, y) : TD_NONE;
    const bool forced = t->idle_count > 0; // conjugate gradients do not know of idle members
    return nodes != TD_NONE && (forced || is_cheaper(d, nodes, LEAST_WORK * nodes)) &&
           make_order(t, y, nodes) && (forced || is_cheaper(d, nodes, (td_real)d->sparse->work));
}

bool tdi_direct_plan(tdi_touch *t, const tdi_system *y) {
    tdi_direct *d = &t->direct;
    bool changed;
    if (!t->coupled || d->node_limit == 0) {
        return false;
    }
    d->pair_count = note_pairs(t, &changed);
    if (changed || d->forced != (t->idle_count > 0)) {
        d->better = is_better(t, y);
        d->forced = t->idle_count > 0;
    }
    return d->better;
}

bool tdi_direct_joins(const tdi_touch *t, int32_t member) {
    return t->direct.first[member] != TD_NONE;
}

// ---- numbers --------------------------------------------------------------------------------

void tdi_unknowns_hold(tdi_unknowns *a, tdi_unknowns *b, td_real block[4][4]) {
    for (int k = 0; k < 4; k++) {
        for (int l = 0; l < 4; l++) { // nothing is written by what is held and stays
            if (b->held[l] && b->x[l] != 0) {
                a->gradient[k] += block[k][l] * b->x[l];
            }
            if (a != b && a->held[k] && a->x[k] != 0) {
                b->gradient[l] += block[k][l] * a->x[k];
            }
        }
    }
    for (int k = 0; k < 4; k++) {
        for (int l = 0; l < 4; l++) {
            block[k][l] = a->held[k] || b->held[l] ? (td_real)(a == b && k == l) : block[k][l];
        }
    }
}

static void take_block(const tdi_block_taker *taker, int32_t a, int32_t b, td_real block[4][4]) {
    tdi_direct *d = taker->context;
    tdi_unknowns *own = &d->unknowns[taker->first + a], *other = &d->unknowns[taker->first + b];
    td_real left[4][4];
    if (tdi_unknowns_held(own) || tdi_unknowns_held(other)) {
        memcpy(left, block, sizeof left);
        tdi_unknowns_hold(own, other, left);
        block = left;
    }
    tdi_sparse_add(d->sparse, taker->first + a, taker->first + b, block);
}

// How one side of a contact with arms slips: the sum of rows[k] x_k of the unknowns of its points,
//   w_k dx_k + arm n x (the turn's rows[k] x_k).
static void slip_rows(const tdi_touch *t, const tdi_contact *c, int side,
                      td_real rows[TDI_POINT_NODES][3][4]) {
    const int32_t i = side ? c->other : c->capsule, k = t->owner[i];
    const td_vec3 n = tdi_scale(c->normal, c->arm[side]);
    memset(rows, 0, 2 * sizeof *rows);
    if (c->arm[side] != 0) {
        const tdi_point point = {.kind = TDI_POINT_ROTATION, .segment = i - t->first_capsule[k]};
        int32_t node[TDI_POINT_NODES];
        t->ops[k]->blocks->rows(t->body[k], &point, node, rows);
    }
    for (int e = 0; e < 2; e++) {
        for (int d = 0; d < 4; d++) {
            const td_vec3 w = {rows[e][0][d], rows[e][1][d], rows[e][2][d]}, u = tdi_cross(n, w);
            rows[e][0][d] = u.x;
            rows[e][1][d] = u.y;
            rows[e][2][d] = u.z;
        }
        for (int d = 0; d < 3; d++) {
            rows[e][d][d] += c->weight[2 * side + e];
        }
    }
}

// The blocks of a contact with arms between its two sides: A^T H B.
static void take_rolling(const tdi_touch *t, const tdi_contact *c, const tdi_block_taker *taker) {
    td_real own[TDI_POINT_NODES][3][4], other[TDI_POINT_NODES][3][4];
    slip_rows(t, c, 0, own);
    slip_rows(t, c, 1, other);
    for (int l = 0; l < 2; l++) {
        td_vec3 force[4];
        for (int d = 0; d < 4; d++) {
            const td_vec3 slip = {other[l][0][d], other[l][1][d], other[l][2][d]};
            force[d] = tdi_sym3_apply(&c->hessian, slip);
        }
        for (int k = 0; k < 2; k++) {
            td_real block[4][4];
            for (int d = 0; d < 16; d++) {
                const td_vec3 f = force[d % 4];
                block[d / 4][d % 4] =
                    own[k][0][d / 4] * f.x + own[k][1][d / 4] * f.y + own[k][2][d / 4] * f.z;
            }
            take_block(taker, node_of(t, c->point[k]), node_of(t, c->point[2 + l]), block);
        }
    }
}

// The blocks of a contact between its two sides.
static void take_contact(const tdi_touch *t, const tdi_contact *c, const tdi_block_taker *taker) {
    for (int k = 0; k < 2; k++) {
        for (int l = 2; l < 4; l++) {
            const tdi_mat3 m = tdi_contact_block(c, k, l);
            td_real block[4][4] = {{m.m[0], m.m[1], m.m[2], 0},
                                   {m.m[3], m.m[4], m.m[5], 0},
                                   {m.m[6], m.m[7], m.m[8], 0},
                                   {0}};
            take_block(taker, node_of(t, c->point[k]), node_of(t, c->point[l]), block);
        }
    }
}

// Blocks within a member, which no other has.
static void take_member(void *context, int64_t k) {
    const tdi_system *y = context;
    tdi_touch *t = y->touch;
    tdi_direct *d = &t->direct;
    if (tdi_direct_joins(t, (int32_t)k)) {
        const tdi_block_taker taker = {take_block, d, d->first[k]};
        t->ops[k]->blocks->unknowns(y->member[k].body, d->unknowns + d->first[k]);
        t->ops[k]->blocks->blocks(y->member[k].body, &taker);
    }
}

// Blocks between a member and those after it, whose capsules have higher numbers: no other member
// has them. Contacts are sorted by members since they were expanded.
static void take_contacts(void *context, int64_t k) {
    const tdi_system *y = context;
    tdi_touch *t = y->touch;
    const tdi_block_taker taker = {take_block, &t->direct, 0};
    int32_t count, all;
    const tdi_contact *list = tdi_contacts_list(t->set, &all);
    const int32_t *own = tdi_contacts_of(t->set, (int32_t)k, &count);
    for (int32_t n = 0; n < count; n++) {
        const tdi_contact *c = &list[own[n]];
        if (t->owner[c->capsule] == k && tdi_touch_couples(t, c)) {
            const bool rolls = c->arm[0] != 0 || c->arm[1] != 0;
            (rolls ? take_rolling : take_contact)(t, c, &taker);
        }
    }
}

// Blocks of contacts change gradients of both sides where something is held and moves.
static bool any_driven(const tdi_direct *d) {
    bool any = false;
    for (int32_t i = 0; i < d->sparse->node_count && !any; i++) {
        const tdi_unknowns *u = &d->unknowns[i];
        for (int k = 0; k < 4; k++) {
            any = any || (u->held[k] && u->x[k] != 0);
        }
    }
    return any;
}

bool tdi_direct_factor(tdi_touch *t, const tdi_system *y) {
    tdi_direct *d = &t->direct;
    tdi_system alone = *y;
    tdi_sparse_clear(d->sparse);
    tdi_system_each(y, take_member, (void *)y);
    alone.pool = any_driven(d) ? NULL : y->pool;
    tdi_system_each(&alone, take_contacts, &alone);
    return tdi_sparse_factor(d->sparse, y->pool);
}

// Of a member, and how large they are.
static void take_increments(void *context, int64_t k) {
    const tdi_system *y = context;
    tdi_touch *t = y->touch;
    void *body = y->member[k].body;
    if (tdi_direct_joins(t, (int32_t)k)) {
        t->ops[k]->blocks->increments(body, t->direct.unknowns + t->direct.first[k]);
        t->part[k] =
            t->ops[k]->largest ? t->ops[k]->largest(body) : tdi_touch_largest(t, y, (int32_t)k);
    }
}

td_real tdi_unknowns_solve(tdi_unknowns *unknowns, const tdi_sparse *s, td_real (*x)[4]) {
    for (int32_t i = 0; i < s->node_count; i++) {
        const tdi_unknowns *u = &unknowns[i];
        for (int k = 0; k < 4; k++) {
            x[s->place[i]][k] = u->held[k] ? 0 : -u->gradient[k];
        }
    }
    const td_real predicted_decrease = tdi_sparse_solve(s, x);
    for (int32_t i = 0; i < s->node_count; i++) {
        tdi_unknowns *u = &unknowns[i];
        for (int k = 0; k < 4; k++) {
            u->x[k] = u->held[k] ? u->x[k] : x[s->place[i]][k];
        }
    }
    return predicted_decrease;
}

void tdi_direct_solve(tdi_touch *t, const tdi_system *y, td_real *predicted_decrease) {
    tdi_direct *d = &t->direct;
    *predicted_decrease += tdi_unknowns_solve(d->unknowns, d->sparse, d->x);
    tdi_system_each(y, take_increments, (void *)y);
}
