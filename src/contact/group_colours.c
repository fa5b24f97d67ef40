// SPDX-License-Identifier: MIT
// Groups of capsules that move one at a time.
//
// Method   Each group has lists of its pairs, frictions and contacts. Groups without a common pair
//          or friction move at the same time, on all threads. Graph colouring orders them: a group
//          gets the first colour that no earlier neighbour has, and colours follow one after the
//          other. Neither colours nor results depend on threads.
// Memory   A pair is in one list at most of the groups of a colour, so that these share the memory
//          for contacts. A colour that needs more is split.

#include "contact/contact_set.h"

#include <string.h>

#define COLOURS 64 // groups that would need more get the last, and move one by one

// ---- lists ----------------------------------------------------------------------------------

// Two counting sorts by the groups of both sides. `which` tells the sides of entry k.
static void list_groups(const tdi_contacts *c, const int32_t *group, int32_t groups, int32_t count,
                        tdi_near_pair (*which)(const tdi_contacts *c, int32_t k),
                        tdi_group_list *list) {
    memset(list->first, 0, ((size_t)groups + 1) * sizeof *list->first);
    for (int pass = 0; pass < 2; pass++) {
        for (int32_t k = count - 1; k >= 0; k--) { // from the end of a list to its start
            const tdi_near_pair pair = which(c, k);
            const int32_t a = group[pair.i], b = pair.j < c->capsule_count ? group[pair.j] : a;
            for (int side = 0; side < (a == b ? 1 : 2); side++) {
                int32_t *at = &list->first[side ? b : a];
                if (pass == 0) {
                    ++*at;
                } else {
                    list->entry[--*at] = k;
                }
            }
        }
        for (int32_t k = 0; pass == 0 && k < groups; k++) {
            list->first[k + 1] += list->first[k];
        }
    }
}

static tdi_near_pair pair_at(const tdi_contacts *c, int32_t k) {
    return c->pairs.item[k];
}

static tdi_near_pair friction_at(const tdi_contacts *c, int32_t k) {
    return (tdi_near_pair){c->friction[k].row.capsule, c->friction[k].row.other};
}

static tdi_near_pair contact_at(const tdi_contacts *c, int32_t k) {
    return (tdi_near_pair){c->contact[k].row.capsule, c->contact[k].row.other};
}

void tdi_contacts_sort(tdi_contacts *c, const int32_t *group, int32_t count) {
    list_groups(c, group, count, c->contact_count, contact_at, &c->groups.contacts);
}

const int32_t *tdi_contacts_of(const tdi_contacts *c, int32_t group, int32_t *count) {
    const int32_t first = c->groups.contacts.first[group];
    *count = c->groups.contacts.first[group + 1] - first;
    return c->groups.contacts.entry + first;
}

// ---- colours --------------------------------------------------------------------------------

typedef struct round_of_groups {
    tdi_contacts *c;
    const int32_t *group;   // of a capsule
    int32_t *colour;        // of a group; TD_NONE: it does not move
    int32_t *order, *place; // groups by colours, and where their contacts go
    int32_t first;          // of `order`, in this round
    tdi_group_turn turn;
    void *context;
} round_of_groups;

static uint64_t colour_of(const round_of_groups *r, tdi_near_pair pair, int32_t own) {
    const int32_t a = r->group[pair.i], b = pair.j < r->c->capsule_count ? r->group[pair.j] : own,
                  other = a == own ? b : a;
    return other == own || r->colour[other] == TD_NONE ? 0 : (uint64_t)1 << r->colour[other];
}

// The first colour that no neighbour has.
static int32_t free_colour(const round_of_groups *r, int32_t own) {
    const tdi_contacts *c = r->c;
    uint64_t taken = 0;
    for (int32_t k = c->groups.pairs.first[own]; k < c->groups.pairs.first[own + 1]; k++) {
        taken |= colour_of(r, pair_at(c, c->groups.pairs.entry[k]), own);
    }
    for (int32_t k = c->groups.frictions.first[own]; k < c->groups.frictions.first[own + 1]; k++) {
        taken |= colour_of(r, friction_at(c, c->groups.frictions.entry[k]), own);
    }
    int32_t colour = 0;
    while (colour < COLOURS - 1 && taken >> colour & 1) {
        colour++;
    }
    return colour;
}

// Groups that move, by colours: how many.
static int32_t put_in_order(round_of_groups *r, const bool *moves, int32_t count) {
    int32_t all = 0;
    for (int32_t k = 0; k < count; k++) {
        r->colour[k] = TD_NONE;
    }
    for (int32_t k = 0; k < count; k++) {
        r->colour[k] = moves[k] ? free_colour(r, k) : TD_NONE;
    }
    for (int32_t colour = 0; colour < COLOURS; colour++) {
        for (int32_t k = 0; k < count; k++) {
            if (r->colour[k] == colour) {
                r->order[all++] = k;
            }
        }
    }
    return all;
}

// Room for the contacts of a group's pairs, and for all of its contacts.
static int64_t pair_room(const tdi_contacts *c, int32_t group) {
    return TDI_CONTACT_POINTS *
           (int64_t)(c->groups.pairs.first[group + 1] - c->groups.pairs.first[group]);
}

static int64_t room_for(const tdi_contacts *c, int32_t group) {
    return pair_room(c, group) + c->groups.frictions.first[group + 1] -
           c->groups.frictions.first[group];
}

// From r->first on, how many groups of one colour have room together.
static int32_t count_round(round_of_groups *r, int32_t all) {
    const tdi_contacts *c = r->c;
    const int32_t colour = r->colour[r->order[r->first]];
    int64_t used = 0;
    int32_t last = r->first;
    while (last < all && r->colour[r->order[last]] == colour) {
        const int64_t need = room_for(c, r->order[last]);
        const bool alone = last == r->first;
        if (!alone && (used + need > c->limits.list || colour == COLOURS - 1)) {
            break;
        }
        r->place[last++] = (int32_t)used;
        used += need < c->limits.list ? need : c->limits.list;
    }
    return last - r->first;
}

static void group_turn(void *context, int64_t k) {
    const round_of_groups *r = context;
    const int32_t at = r->first + (int32_t)k, group = r->order[at];
    const int64_t room = pair_room(r->c, group);
    tdi_contacts own = *r->c;
    own.pool = NULL;
    own.groups.current = group;
    own.contact += r->place[at];
    own.limits.contacts = room < own.limits.contacts ? (int32_t)room : own.limits.contacts;
    own.limits.capacity.contacts =
        room < own.limits.capacity.contacts ? (int32_t)room : own.limits.capacity.contacts;
    r->turn(r->context, &own, group);
    r->place[at] = own.limits.need.contacts; // for take_needs()
}

// Memory that a group lacked, the set lacked.
static void take_needs(const round_of_groups *r, int32_t count) {
    for (int32_t k = r->first; k < r->first + count; k++) {
        tdi_lacks_contacts(r->c, r->place[k]);
    }
}

void tdi_contacts_each_group(tdi_contacts *c, const int32_t *group, const bool *moves,
                             int32_t count, tdi_group_turn turn, void *context) {
    // scratch memory of searches is free here
    round_of_groups r = {.c = c,
                         .group = group,
                         .colour = c->broad.tally,
                         .order = c->broad.entry,
                         .place = c->broad.bucket_of,
                         .turn = turn,
                         .context = context};
    list_groups(c, group, count, c->pairs.count, pair_at, &c->groups.pairs);
    list_groups(c, group, count, c->friction_count, friction_at, &c->groups.frictions);
    const int32_t all = put_in_order(&r, moves, count);
    while (r.first < all) {
        const int32_t now = count_round(&r, all);
        tdi_pool_turns(c->pool, now, group_turn, &r);
        take_needs(&r, now);
        r.first += now;
    }
    c->contact_count = 0;
}
