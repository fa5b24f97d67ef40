// SPDX-License-Identifier: MIT
// The pattern of the coupled system: its nodes, links and order, and room for them.

#include "implicit/coupled.h"
#include "implicit/constraint.h"
#include "implicit/body_contact.h"

// Limits of contact, whose pairs are not known beforehand. Beyond them conjugate gradients solve
// for contact. Members may have memory for less: see tdi_member_room. Sets of constraints get as
// much as they need.
#define LINKS_EACH  20        // of a node: first room, which grows where it does not suffice
#define PAIRS_EACH  4         // of a node: likewise
#define BLOCKS_EACH 20        // of a node, in the factor: twice as many in long bodies,
#define LONG        200       // which wind about themselves
#define MOST_NODES  (1 << 24) // so that no count overflows

static int32_t unknowns_of(const td_body *body) {
    return body->point_count - body->dependent_count;
}

static bool offers(const td_body *body) {
    return body->ops->blocks;
}

// ---- room -----------------------------------------------------------------------------------

typedef struct room {
    int32_t members, pairs;
    int64_t nodes, links, blocks;
    bool small; // less than the limits say
} room;

static void lay_out_numbers(tdi_coupled *c, tdi_layout *l) {
    c->unknowns = tdi_layout_place(l, (size_t)c->node_limit, sizeof *c->unknowns);
    c->x = tdi_layout_place(l, (size_t)c->node_limit, sizeof *c->x);
}

static void lay_out(tdi_coupled *c, const room *r, tdi_layout *l) {
    const int32_t nodes = (int32_t)r->nodes, links = (int32_t)r->links, blocks = (int32_t)r->blocks;
    *c = (tdi_coupled){
        .node_limit = nodes, .pair_limit = r->pairs, .pair_count = TD_NONE, .small = r->small};
    c->first = tdi_layout_place(l, (size_t)r->members, sizeof *c->first);
    c->pair = tdi_layout_place(l, (size_t)r->pairs, sizeof *c->pair);
    c->numbers = tdi_layout_place(l, 0, 1);
    lay_out_numbers(c, l);
    void *memory = tdi_layout_place(l, tdi_sparse_bytes(nodes, links, blocks), 1);
    c->sparse = l->base ? tdi_sparse_place(nodes, links, blocks, memory) : NULL;
}

void tdi_coupled_lend(tdi_coupled *c, tdi_layout *l) {
    tdi_layout own = {c->numbers, 0};
    lay_out_numbers(c, l ? l : &own);
    tdi_sparse_lend(c->sparse, l);
}

static int64_t blocks_each(int64_t nodes) {
    return nodes < BLOCKS_EACH ? nodes : nodes < LONG ? BLOCKS_EACH : 2 * BLOCKS_EACH;
}

// A body without blocks links all its relations with each other.
static int64_t links_among(int64_t relations) {
    return relations * (relations - 1) / 2;
}

static bool joins_contact(const tdi_member *m) {
    return offers(m->body) && (m->body->capsule_count > 0 || m->relations > 0);
}

// Adds what a member takes when each of its points has so many blocks, of `most`. Those without
// blocks have no more than their relations.
static void add_member(room *r, const tdi_member *m, int64_t each, int64_t most) {
    const bool joins = joins_contact(m);
    const int64_t points = joins ? unknowns_of(m->body) : 0, relations = m->relations,
                  among = joins ? 0 : links_among(relations);
    r->nodes += points + relations;
    r->links += points * ((LINKS_EACH * each + most - 1) / most) + LINKS_EACH * relations + among;
    r->blocks += points * each + relations * BLOCKS_EACH + 2 * among;
}

// Memory for the members: their tdi_member_room where that is less than the limits, which the
// pairs have.
static room room_for(const tdi_member *members, int32_t count) {
    room r = {.members = count}, limits = r;
    for (int32_t k = 0; k < count; k++) {
        const tdi_member *m = &members[k];
        const room before = limits;
        const int64_t points = joins_contact(m) ? unknowns_of(m->body) : 0,
                      most = points > 0 ? blocks_each(points) : 1,
                      each = m->room && m->room->blocks < most ? m->room->blocks : most;
        add_member(&limits, m, most, most);
        if (limits.links > LINKS_EACH * (int64_t)MOST_NODES) {
            limits = before;
            continue;
        }
        r.pairs += (int32_t)(PAIRS_EACH * points);
        if (each > 0) {
            add_member(&r, m, each, most);
        }
    }
    r.small = r.nodes < limits.nodes || r.blocks < limits.blocks;
    return r;
}

void tdi_coupled_lay_out(tdi_coupled *c, const tdi_member *members, int32_t count, tdi_layout *l) {
    const room r = room_for(members, count);
    lay_out(c, &r, l);
}

static tdi_coupled *make(const room *r, const td_alloc *alloc) {
    tdi_coupled sized;
    tdi_layout l = {NULL, 0};
    tdi_layout_place(&l, 1, sizeof sized);
    lay_out(&sized, r, &l);
    tdi_coupled *c = tdi_alloc_zeroed(alloc, 1, l.used);
    if (c) {
        const size_t bytes = l.used;
        l = (tdi_layout){(char *)c, 0};
        tdi_layout_place(&l, 1, sizeof sized);
        lay_out(c, r, &l);
        c->bytes = bytes;
    }
    return c;
}

tdi_coupled *tdi_coupled_make(const tdi_member *members, int32_t count, const td_alloc *alloc) {
    const room r = room_for(members, count);
    return make(&r, alloc);
}

void tdi_coupled_free(tdi_coupled *c, const td_alloc *alloc) {
    if (c) {
        tdi_alloc_free(alloc, c, c->bytes);
    }
}

// ---- nodes and links ------------------------------------------------------------------------

// Whether a member of a set has nodes: constraints couple it, and it offers blocks.
static bool joins(const tdi_constraint_set *h, int32_t k, const td_body *body) {
    return tdi_constraints_coupling(h, k) > 0 && offers(body);
}

static void join_none(tdi_coupled *c, const tdi_system *y) {
    for (int32_t k = 0; k < y->count; k++) {
        c->first[k] = TD_NONE;
    }
}

static void join_constrained(tdi_coupled *c, const tdi_system *y) {
    for (const tdi_constraint_set *h = y->constraints; h; h = h->next) {
        for (int32_t k = 0; k < h->member_count; k++) {
            if (joins(h, k, tdi_constraints_member(h, y, k)->body)) {
                c->first[h->member[k]] = 0;
            }
        }
    }
}

// Numbers the nodes: relations of all sets, then points of the members that have some. How many.
static int64_t number_nodes(tdi_coupled *c, const tdi_system *y) {
    int64_t nodes = 0;
    for (const tdi_constraint_set *h = y->constraints; h; h = h->next) {
        nodes += h->node_count;
    }
    for (int32_t k = 0; k < y->count; k++) {
        if (c->first[k] != TD_NONE) {
            c->first[k] = nodes < INT32_MAX ? (int32_t)nodes : 0;
            nodes += unknowns_of(y->member[k].body);
        }
    }
    return nodes;
}

static void take_link(const tdi_block_taker *taker, int32_t a, int32_t b, td_real block[4][4]) {
    (void)block;
    if (a != b) {
        tdi_sparse_link(taker->context, taker->first + a, taker->first + b);
    }
}

static void link_members(const tdi_coupled *c, const tdi_system *y) {
    for (int32_t k = 0; k < y->count; k++) {
        if (c->first[k] != TD_NONE) {
            const tdi_block_taker taker = {take_link, c->sparse, c->first[k]};
            y->member[k].body->ops->blocks->blocks(y->member[k].body, &taker);
        }
    }
}

// A relation with the points that its two sides move with.
static void link_relation(const tdi_coupled *c, const tdi_system *y, const tdi_constraint_set *h,
                          int32_t base, const tdi_row_group *b) {
    const td_constraint *def = &h->def[b->constraint];
    for (int side = 0; side < 2; side++) {
        const int32_t first = c->first[h->member[def->actor[side]]];
        td_body *body = tdi_constraints_member(h, y, def->actor[side])->body;
        const tdi_point point = {.kind = TDI_POINT_POSITION, .segment = def->segment[side]};
        int32_t node[TDI_POINT_NODES];
        td_real rows[TDI_POINT_NODES][3][4];
        const int32_t count =
            first == TD_NONE ? 0 : body->ops->blocks->rows(body, &point, node, rows);
        for (int32_t p = 0; p < count; p++) {
            tdi_sparse_link(c->sparse, base + b->node, first + node[p]);
        }
    }
}

// Relations of a member that responds, with each other.
static void link_responses(const tdi_coupled *c, const tdi_constraint_set *h, int32_t base,
                           int32_t k) {
    for (int32_t i = h->first_node[k]; i < h->first_node[k + 1]; i++) {
        for (int32_t j = h->first_node[k]; j < i; j++) {
            tdi_sparse_link(c->sparse, base + h->group[h->node[j]].node,
                            base + h->group[h->node[i]].node);
        }
    }
}

static void link_constraints(const tdi_coupled *c, const tdi_system *y) {
    int32_t base = 0;
    for (const tdi_constraint_set *h = y->constraints; h; h = h->next) {
        for (int32_t k = 0; k < h->member_count; k++) {
            if (c->first[h->member[k]] == TD_NONE) {
                link_responses(c, h, base, k);
            }
        }
        for (int32_t i = 0; i < h->group_count; i++) {
            if (h->group[i].node != TD_NONE) {
                link_relation(c, y, h, base, &h->group[i]);
            }
        }
        base += h->node_count;
    }
}

static int32_t node_of(const tdi_body_contact *t, int32_t point) {
    const int32_t k = t->point_owner[point];
    return t->solve.coupled->first[k] + point - t->first_point[k];
}

static void link_pairs(const tdi_body_contact *t) {
    const tdi_coupled *c = t->solve.coupled;
    for (int32_t k = 0; k < c->pair_count; k++) {
        const tdi_capsule *p = &t->capsule[c->pair[k][0]], *q = &t->capsule[c->pair[k][1]];
        const int32_t own[2] = {node_of(t, p->a), node_of(t, p->b)},
                      other[2] = {node_of(t, q->a), node_of(t, q->b)};
        for (int e = 0; e < 4; e++) {
            tdi_sparse_link(c->sparse, own[e / 2], other[e % 2]);
        }
    }
}

// ---- sets of constraints --------------------------------------------------------------------

static void count_link(const tdi_block_taker *taker, int32_t a, int32_t b, td_real block[4][4]) {
    (void)block;
    *(int64_t *)taker->context += a != b;
}

// Links of a set. Each relation has at most so many at its two sides.
static int64_t count_links(const tdi_constraint_set *h, const tdi_member *members) {
    int64_t links = 2 * TDI_POINT_NODES * (int64_t)h->node_count;
    for (int32_t k = 0; k < h->member_count; k++) {
        const tdi_block_taker taker = {count_link, &links, 0};
        if (joins(h, k, members[k].body)) {
            members[k].body->ops->blocks->blocks(members[k].body, &taker);
        } else {
            links += links_among(tdi_constraints_coupling(h, k));
        }
    }
    return links;
}

tdi_coupled *tdi_coupled_of_set(tdi_constraint_set *h, const tdi_member *members) {
    const tdi_system y = {.member = members, .count = h->member_count, .constraints = h};
    room r = {.members = h->member_count, .nodes = h->node_count};
    for (int32_t k = 0; k < h->member_count; k++) {
        r.nodes += joins(h, k, members[k].body) ? unknowns_of(members[k].body) : 0;
    }
    r.links = count_links(h, members) + 4 * r.nodes;
    for (; r.links < INT32_MAX / 32; r.links *= 2) { // until the factor has room
        r.blocks = 2 * r.links;
        tdi_coupled *c = make(&r, h->alloc);
        if (!c) {
            return NULL;
        }
        join_none(c, &y);
        join_constrained(c, &y);
        tdi_sparse_begin(c->sparse, (int32_t)number_nodes(c, &y));
        link_members(c, &y);
        link_constraints(c, &y);
        if (tdi_sparse_order(c->sparse)) {
            return c;
        }
        tdi_coupled_free(c, h->alloc);
    }
    return NULL;
}

// ---- contact --------------------------------------------------------------------------------

static bool comes_before(const int32_t pair[2], int32_t a, int32_t b) {
    return pair[0] < a || (pair[0] == a && pair[1] < b);
}

// Records the pairs of capsules up to the limit, and returns the number of all. `changed`: they
// differ from the pairs recorded before. The list has barriers, then frictions, each in the order
// of pairs; most pairs have both.
static int32_t note_pairs(const tdi_body_contact *t, bool *changed) {
    tdi_coupled *c = t->solve.coupled;
    int32_t count, pairs = 0, barriers = 0, passed = 0;
    const tdi_contact *list = tdi_contacts_list(t->set, &count);
    *changed = false;
    for (int32_t k = 0; k < count; k++) {
        const int32_t a = list[k].row.capsule, b = list[k].row.other;
        bool known = !tdi_contact_couples(t, &list[k]);
        if (list[k].friction && !known) {
            while (passed < barriers && comes_before(c->pair[passed], a, b)) {
                passed++;
            }
            known = passed < barriers && c->pair[passed][0] == a && c->pair[passed][1] == b;
        }
        if (!known && pairs++ < c->pair_limit) {
            int32_t *pair = c->pair[pairs - 1];
            *changed = *changed || pairs > c->pair_count || pair[0] != a || pair[1] != b;
            pair[0] = a;
            pair[1] = b;
            barriers = list[k].friction ? barriers : pairs;
        }
    }
    *changed = *changed || pairs != c->pair_count;
    return pairs;
}

// Members that contact couples have nodes. False: one of them offers no blocks, or touches with
// points that are no unknowns.
static bool join_contacts(const tdi_body_contact *t, const tdi_system *y) {
    tdi_coupled *c = t->solve.coupled;
    bool all = true;
    join_none(c, y);
    for (int32_t k = 0; k < c->pair_count && all; k++) {
        for (int side = 0; side < 2; side++) {
            const int32_t i = c->pair[k][side];
            c->first[t->owner[i]] = 0;
            all = all && offers(t->body[t->owner[i]]) && !tdi_capsule_is_dependent(t, i);
        }
    }
    return all;
}

static bool order_contacts(const tdi_body_contact *t, const tdi_system *y) {
    tdi_coupled *c = t->solve.coupled;
    if (c->pair_count > c->pair_limit || !join_contacts(t, y)) {
        return false;
    }
    join_constrained(c, y);
    const int64_t nodes = number_nodes(c, y);
    bool fits = nodes <= c->node_limit;
    if (fits) {
        tdi_sparse_begin(c->sparse, (int32_t)nodes);
        link_members(c, y);
        link_constraints(c, y);
        link_pairs(t);
        fits = tdi_sparse_order(c->sparse);
    }
    c->lacks = c->lacks || (!fits && c->small);
    return fits;
}

bool tdi_coupled_order_contacts(const tdi_system *y) {
    const tdi_body_contact *t = y->contact;
    tdi_coupled *c = t->solve.coupled;
    bool changed;
    if (!t->terms.couples_capsules || (c->node_limit == 0 && !c->small)) {
        return false;
    }
    c->pair_count = note_pairs(t, &changed);
    c->fits = changed ? order_contacts(t, y) : c->fits;
    return c->fits;
}
