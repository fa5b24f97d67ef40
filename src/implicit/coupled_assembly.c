// SPDX-License-Identifier: MIT
// The numbers of the coupled system, and its factor.
//
// Fixed     A fixed unknown has no equation, only a 1 on the diagonal. If its increment x_h is
//           prescribed, the others get the gradient r + H x_h.
// Contact   J^T H J between two sides. J selects three displacements among the four unknowns of a
//           point, or has besides what turns of capsules add to the slip of friction.
// Rows      With a number z a row between two segments is (a - z) + (b + z): each part K_a (a - z)
//           and K_a (b + z) is in E, and with v = a - b, q = K_a z,
//             E x = -r + v^T q,   (2/K_a) q = v x.
//           The whole is positive definite where the model is, also where the bodies alone,
//           without their K_a, are not: often the constraint holds a thin bar against turning
//           about itself.
// Schur     A body that responds is eliminated: (2/K_a - W) q = v x0, x = x0 + H^-1 v^T q. W is
//           dense within a body and couples no others.

#include "implicit/coupled.h"
#include "implicit/constraint.h"
#include "implicit/newton.h"
#include "implicit/body_contact.h"

#include "base/fetch.h"

#include <string.h>

#define FETCHED      ((size_t)3072)  // bytes of the next body, in the time of one response
#define MOST_FETCHED ((size_t)32768) // of one that is larger none
#define AHEAD        6 // relations and points: their memory is fetched before it is their turn

// ---- blocks ---------------------------------------------------------------------------------

static bool is_held(const tdi_unknowns *u) {
    return u->fixed[0] || u->fixed[1] || u->fixed[2] || u->fixed[3];
}

// Moves the fixed unknowns of a block of two nodes to the gradients.
static void fix_unknowns(tdi_unknowns *a, tdi_unknowns *b, td_real block[4][4]) {
    for (int k = 0; k < 4; k++) { // an unknown that is fixed and stays writes nothing
        for (int l = 0; b->fixed[k] && b->x[k] != 0 && l < 4; l++) {
            a->gradient[l] += block[l][k] * b->x[k];
        }
        for (int l = 0; a != b && a->fixed[k] && a->x[k] != 0 && l < 4; l++) {
            b->gradient[l] += block[k][l] * a->x[k];
        }
    }
    for (int k = 0; k < 4; k++) {
        for (int l = 0; b->fixed[k] && l < 4; l++) {
            block[l][k] = a == b && k == l;
        }
        for (int l = 0; a->fixed[k] && l < 4; l++) {
            block[k][l] = a == b && k == l;
        }
    }
}

static void take_block(const tdi_block_taker *taker, int32_t a, int32_t b, td_real block[4][4]) {
    tdi_coupled *c = taker->context;
    tdi_unknowns *own = &c->unknowns[taker->first + a], *other = &c->unknowns[taker->first + b];
    td_real left[4][4];
    if (a == b && taker->first + a + AHEAD < c->sparse->node_count) {
        tdi_sparse_fetch(c->sparse, taker->first + a + AHEAD);
    }
    if (is_held(own) || is_held(other)) {
        memcpy(left, block, sizeof left);
        fix_unknowns(own, other, left);
        block = left;
    }
    tdi_sparse_add(c->sparse, taker->first + a, taker->first + b, block);
}

// Blocks within a member, which no other has.
static void take_member(void *context, int64_t k) {
    const tdi_system *y = context;
    td_body *body = y->member[k].body;
    if (tdi_is_coupled(body)) {
        const tdi_block_taker taker = {take_block, body->coupling.system,
                                       body->coupling.first_node};
        body->ops->blocks->unknowns(body,
                                    body->coupling.system->unknowns + body->coupling.first_node);
        body->ops->blocks->blocks(body, &taker);
    }
}

// ---- contact --------------------------------------------------------------------------------

static int32_t node_of(const tdi_body_contact *t, int32_t point) {
    const int32_t k = t->point_owner[point];
    return t->solve.coupled->first[k] + point - t->first_point[k];
}

// How one side of a contact with arms slips: the sum of rows[k] x_k of the unknowns of its nodes.
static void slip_rows(const tdi_body_contact *t, const tdi_contact *c, int side,
                      td_real rows[TDI_POINT_NODES][3][4]) {
    const tdi_point point = tdi_contact_point(t, c, side);
    td_body *body = t->body[t->owner[side ? c->row.other : c->row.capsule]];
    int32_t node[TDI_POINT_NODES];
    body->ops->blocks->rows(body, &point, node, rows);
    for (int k = 0; c->rolling && k < 8; k++) {
        td_real(*r)[4] = rows[k / 4];
        const td_vec3 w = {r[0][k % 4], r[1][k % 4], r[2][k % 4]}, u = tdi_cross(w, point.arm);
        r[0][k % 4] = u.x;
        r[1][k % 4] = u.y;
        r[2][k % 4] = u.z;
    }
}

// The blocks of a contact with arms between its two sides: A^T H B, with the rows A, -B of both.
static void take_rolling(const tdi_body_contact *t, const tdi_contact *c,
                         const tdi_block_taker *taker) {
    td_real rows[2][TDI_POINT_NODES][3][4];
    slip_rows(t, c, 0, rows[0]);
    slip_rows(t, c, 1, rows[1]);
    for (int l = 0; l < 2; l++) {
        td_vec3 force[4];
        for (int d = 0; d < 4; d++) {
            const td_vec3 slip = {rows[1][l][0][d], rows[1][l][1][d], rows[1][l][2][d]};
            force[d] = tdi_scale(tdi_sym3_apply(&c->hessian, slip), -1);
        }
        for (int k = 0; k < 2; k++) {
            td_real block[4][4];
            for (int d = 0; d < 16; d++) {
                const td_vec3 f = force[d % 4];
                block[d / 4][d % 4] = rows[0][k][0][d / 4] * f.x + rows[0][k][1][d / 4] * f.y +
                                      rows[0][k][2][d / 4] * f.z;
            }
            take_block(taker, node_of(t, c->row.point[k]), node_of(t, c->row.point[2 + l]), block);
        }
    }
}

// The blocks of a contact between its two sides.
static void take_contact(const tdi_body_contact *t, const tdi_contact *c,
                         const tdi_block_taker *taker) {
    for (int k = 0; k < 2; k++) {
        for (int l = 2; l < 4; l++) {
            const tdi_mat3 m = tdi_contact_block(c, k, l);
            td_real block[4][4] = {{m.m[0], m.m[1], m.m[2], 0},
                                   {m.m[3], m.m[4], m.m[5], 0},
                                   {m.m[6], m.m[7], m.m[8], 0},
                                   {0}};
            take_block(taker, node_of(t, c->row.point[k]), node_of(t, c->row.point[l]), block);
        }
    }
}

// Blocks between a member and those after it, whose capsules have higher numbers: no other member
// has them. Contacts are sorted by members since they were expanded.
static void take_contacts(void *context, int64_t k) {
    const tdi_system *y = context;
    const tdi_body_contact *t = y->contact;
    const tdi_block_taker taker = {take_block, t->solve.coupled, 0};
    int32_t count, all;
    const tdi_contact *list = tdi_contacts_list(t->set, &all);
    const int32_t *own = tdi_contacts_of(t->set, (int32_t)k, &count);
    for (int32_t n = 0; n < count; n++) {
        const tdi_contact *c = &list[own[n]];
        if (t->owner[c->row.capsule] == k && tdi_contact_couples(t, c)) {
            const bool rolls = c->row.arm[0] != 0 || c->row.arm[1] != 0;
            (rolls ? take_rolling : take_contact)(t, c, &taker);
        }
    }
}

// Blocks of contacts change the gradients of both sides where fixed unknowns have prescribed
// increments.
static bool any_driven(const tdi_coupled *c) {
    bool any = false;
    for (int32_t i = 0; i < c->sparse->node_count && !any; i++) {
        const tdi_unknowns *u = &c->unknowns[i];
        for (int k = 0; k < 4; k++) {
            any = any || (u->fixed[k] && u->x[k] != 0);
        }
    }
    return any;
}

// ---- rows and bodies with blocks ------------------------------------------------------------

// -v of a relation's rows by the nodes of a point of one of its sides.
static void take_point(const tdi_constraint_set *h, const tdi_row_group *b, int side, td_body *body,
                       int32_t point) {
    const tdi_block_taker taker = {take_block, h->solve.system, 0};
    const td_real sign = side ? 1 : -1;
    int32_t node[TDI_POINT_NODES];
    td_real rows[TDI_POINT_NODES][3][4];
    const int32_t count = body->ops->blocks->rows(body, &h->point[point], node, rows);
    for (int32_t p = 0; p < count; p++) {
        td_real block[4][4] = {{0}};
        for (int32_t r = 0; r < TDI_GROUP_ROWS; r++) {
            const bool acts = tdi_has_row(b, r) && point == tdi_row_point(b, side, r);
            for (int d = 0; acts && d < 4; d++) {
                const td_vec3 by = {rows[p][0][d], rows[p][1][d], rows[p][2][d]};
                block[r][d] = sign * tdi_dot(b->side[side].sees[r], by);
            }
        }
        take_block(&taker, h->solve.first_node + b->node, body->coupling.first_node + node[p],
                   block);
    }
}

static void take_relation(const tdi_constraint_set *h, const tdi_system *y,
                          const tdi_row_group *b) {
    for (int side = 0; side < 2; side++) {
        td_body *body = tdi_constraints_member(h, y, h->def[b->constraint].actor[side])->body;
        if (tdi_is_coupled(body)) {
            take_point(h, b, side, body, b->side[side].point);
        }
        if (tdi_is_coupled(body) && b->side[side].offset != TD_NONE) {
            take_point(h, b, side, body, b->side[side].offset);
        }
    }
}

static void take_relations(const tdi_constraint_set *h, const tdi_system *y) {
    bool any = false;
    for (int32_t k = 0; k < h->member_count && !any; k++) {
        any = tdi_is_coupled(tdi_constraints_member(h, y, k)->body);
    }
    for (int32_t i = 0; any && i < h->group_count; i++) {
        const tdi_row_group *next = &h->group[i + AHEAD < h->group_count ? i + AHEAD : i];
        if (next->node != TD_NONE && next->acts) {
            tdi_sparse_fetch(h->solve.system->sparse, h->solve.first_node + next->node);
        }
        if (h->group[i].node != TD_NONE && h->group[i].acts) {
            take_relation(h, y, &h->group[i]);
        }
    }
}

// ---- rows and bodies that respond -----------------------------------------------------------

// Column `row` of the block of a relation and each that comes before it, from one member.
static void add_column(tdi_constraint_set *h, const tdi_member *m, int32_t k, int32_t at,
                       int32_t row) {
    const tdi_row_group *b = &h->group[h->node[at]];
    tdi_row_apply(h, b, m, k, row, 1);
    tdi_state_respond(m->body);
    tdi_constraints_gather_member(h, m, k, true);
    for (int32_t j = h->first_node[k]; j <= at; j++) {
        const tdi_row_group *other = &h->group[h->node[j]];
        td_real block[4][4] = {{0}};
        for (int32_t r = 0; r < TDI_GROUP_ROWS; r++) {
            block[r][row] = tdi_has_row(other, r) ? -tdi_row_displacement(h, other, k, r) : 0;
        }
        if (other->acts) {
            tdi_sparse_add(h->solve.system->sparse, h->solve.first_node + other->node,
                           h->solve.first_node + b->node, block);
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

static void add_responses(tdi_constraint_set *h, const tdi_member *m, int32_t k,
                          const td_body *next) {
    const int32_t first = h->first_point[k], count = h->first_point[k + 1] - first;
    size_t fetched = 0;
    tdi_state_confine(m->body, tdi_points_of(h->point + first, count));
    for (int32_t at = h->first_node[k]; at < h->first_node[k + 1]; at++) {
        for (int32_t r = 0; r < TDI_GROUP_ROWS; r++) {
            if (tdi_has_row(&h->group[h->node[at]], r)) {
                fetched = fetch_more(next, fetched);
                add_column(h, m, k, at, r);
            }
        }
    }
    tdi_state_confine(m->body, tdi_points_of(NULL, 0));
}

void tdi_coupled_add_schur(const tdi_system *y, int32_t member) {
    const tdi_member *m = &y->member[member];
    const int32_t k = m->body->coupling.member;
    tdi_constraint_set *h = m->body->coupling.constraints;
    if (!h || !h->solve.system || tdi_is_coupled(m->body) || tdi_constraints_coupling(h, k) == 0) {
        return;
    }
    add_responses(h, m, k, member + 1 < y->count ? y->member[member + 1].body : NULL);
    tdi_constraints_gather_member(h, m, k, false);
    tdi_constraints_add_displacements(h, k);
}

// ---- entry ----------------------------------------------------------------------------------

// 2/K_a, and units where there is no row.
static void add_compliances(const tdi_constraint_set *h) {
    for (int32_t i = 0; i < h->group_count; i++) {
        const tdi_row_group *b = &h->group[i];
        td_real block[4][4] = {{0}};
        for (int32_t r = 0; r < 4; r++) {
            block[r][r] = tdi_has_row(b, r) ? 2 / b->stiff[r] : 1;
        }
        if (b->node != TD_NONE) {
            const int32_t node = h->solve.first_node + b->node;
            tdi_sparse_add(h->solve.system->sparse, node, node, block);
        }
    }
}

void tdi_coupled_open(const tdi_system *y) {
    if (tdi_coupled_with_contact(y)) {
        tdi_sparse_clear(y->contact->solve.coupled->sparse);
    }
    for (tdi_constraint_set *h = y->constraints; h; h = h->next) {
        if (!h->solve.system) {
            continue;
        }
        if (!tdi_coupled_with_contact(y)) {
            tdi_sparse_clear(h->solve.system->sparse);
        }
        memset(h->solve.system->unknowns + h->solve.first_node, 0,
               (size_t)h->node_count * sizeof *h->solve.system->unknowns);
        add_compliances(h);
    }
}

bool tdi_coupled_factor(const tdi_system *y) {
    const bool contact = tdi_coupled_with_contact(y);
    bool fine = true;
    if (!tdi_coupled_any(y)) {
        return true;
    }
    tdi_system_each(y, take_member, (void *)y);
    if (contact) {
        tdi_system alone = *y;
        alone.pool = any_driven(y->contact->solve.coupled) ? NULL : y->pool;
        tdi_system_each(&alone, take_contacts, &alone);
    }
    for (tdi_constraint_set *h = y->constraints; h && fine; h = h->next) {
        if (h->solve.system) {
            take_relations(h, y);
            fine = contact || tdi_sparse_factor(h->solve.system->sparse, y->pool);
        }
    }
    return fine && (!contact || tdi_sparse_factor(y->contact->solve.coupled->sparse, y->pool));
}
