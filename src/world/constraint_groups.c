// SPDX-License-Identifier: MIT
// Groups: actors that constraints join. A group is always in one island, and the constraints of its
// actors are one tdi_constraint_set.
//
// Method   When constraints are added or removed, new groups are formed beside the old ones. A
//          group with the same constraints takes over its set. Other groups get a new set, with the
//          state of each constraint. The old groups are freed last: a failure changes nothing.

#include "world/world.h"

#include "base/alloc.h"
#include "implicit/constraint.h"

#include <string.h>

typedef struct grouping {
    td_world *world;
    const td_constraint *all;            // of every slot
    int32_t *root, *group_of, *in_group; // of an actor, and group after group
    tdi_group *groups;
    int32_t *constraint_group, *constraint_number; // of a slot
    int32_t *first_constraint, *constraints; // of a group, and one past all: group after group
    int32_t count;                           // groups
    bool *made;                              // of a group: its set is new
    bool *kept;                              // of a group that there was: its set was taken over
    td_constraint *own;                      // of one group
    tdi_member *member;
} grouping;

// ---- members of groups ----------------------------------------------------------------------

static int32_t first_of(int32_t *root, int32_t k) {
    while (root[k] != k) {
        root[k] = root[root[k]];
        k = root[k];
    }
    return k;
}

// Joins the actors of all constraints: the first of a group is its root.
static void join_actors(grouping *g) {
    const td_world *w = g->world;
    for (int32_t k = 0; k < w->room.made_count; k++) {
        g->root[k] = k;
    }
    for (int32_t k = 0; k < w->constraints.slot_count; k++) {
        const tdi_constraint_slot *t = &w->constraints.slots[k];
        if (t->alive) {
            const int32_t a = first_of(g->root, t->actor[0]);
            const int32_t b = t->actor[1] == TD_NONE ? a : first_of(g->root, t->actor[1]);
            g->root[a > b ? a : b] = a > b ? b : a;
        }
    }
    for (int32_t k = 0; k < w->room.made_count; k++) {
        g->root[k] = first_of(g->root, k);
        g->group_of[k] = TD_NONE;
    }
}

// Numbers the groups by their first actors; an actor without constraints is in none.
static void number_groups(grouping *g) {
    const td_world *w = g->world;
    for (int32_t k = 0; k < w->constraints.slot_count; k++) {
        if (w->constraints.slots[k].alive) {
            g->group_of[g->root[w->constraints.slots[k].actor[0]]] = 0;
        }
    }
    for (int32_t k = 0; k < w->room.made_count; k++) {
        const int32_t root = g->root[k];
        if (root == k && g->group_of[k] != TD_NONE) {
            g->group_of[k] = g->count++;
        } else {
            g->group_of[k] = g->group_of[root];
        }
        if (g->group_of[k] != TD_NONE) {
            g->groups[g->group_of[k]].count++;
        }
    }
    for (int32_t j = 0, at = 0; j < g->count; j++) {
        g->groups[j].first = at;
        at += g->groups[j].count;
        g->groups[j].count = 0;
    }
    for (int32_t k = 0; k < w->room.made_count; k++) {
        if (g->group_of[k] != TD_NONE) {
            tdi_group *group = &g->groups[g->group_of[k]];
            g->in_group[group->first + group->count++] = k;
        }
    }
}

static void number_constraints(grouping *g) {
    const td_world *w = g->world;
    for (int32_t k = 0; k < w->constraints.slot_count; k++) {
        const tdi_constraint_slot *t = &w->constraints.slots[k];
        g->constraint_group[k] = t->alive ? g->group_of[t->actor[0]] : TD_NONE;
        g->constraint_number[k] = t->alive ? g->first_constraint[g->constraint_group[k] + 1]++ : 0;
    }
    for (int32_t j = 0; j < g->count; j++) {
        g->first_constraint[j + 1] += g->first_constraint[j];
    }
    for (int32_t k = 0; k < w->constraints.slot_count; k++) {
        if (w->constraints.slots[k].alive) {
            g->constraints[g->first_constraint[g->constraint_group[k]] + g->constraint_number[k]] =
                k;
        }
    }
}

static int32_t constraints_of(const grouping *g, int32_t group) {
    return g->first_constraint[group + 1] - g->first_constraint[group];
}

static int32_t place_in_group(const int32_t *actors, const tdi_group *group, int32_t actor) {
    int32_t low = 0, high = group->count - 1;
    while (low < high) {
        const int32_t middle = (low + high) / 2;
        if (actors[group->first + middle] < actor) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

// ---- their constraints ----------------------------------------------------------------------

// The group that had exactly these constraints; TD_NONE: none.
static int32_t same_as_before(const grouping *g, int32_t group) {
    const td_world *w = g->world;
    const int32_t *list = g->constraints + g->first_constraint[group],
                  count = constraints_of(g, group);
    const int32_t before = w->constraints.slots[list[0]].group;
    bool same = before != TD_NONE && w->constraints.groups[before].constraints->count == count;
    for (int32_t i = 0; i < count && same; i++) {
        same =
            w->constraints.slots[list[i]].group == before && !w->constraints.slots[list[i]].renewed;
    }
    return same ? before : TD_NONE;
}

static void take_over(grouping *g, int32_t group, int32_t before) {
    const tdi_group to = g->groups[group];
    g->groups[group] = g->world->constraints.groups[before];
    g->groups[group].first = to.first;
    g->groups[group].count = to.count;
    g->kept[before] = true;
}

static td_status make_constraints(grouping *g, int32_t group, td_diag *diag) {
    const td_world *w = g->world;
    const int32_t *list = g->constraints + g->first_constraint[group],
                  count = constraints_of(g, group);
    tdi_group *to = &g->groups[group];
    for (int32_t j = 0; j < to->count; j++) {
        const tdi_actor *a = &w->actors[g->in_group[to->first + j]];
        g->member[j] = (tdi_member){.body = a->state, .name = a->name};
    }
    for (int32_t i = 0; i < count; i++) {
        g->own[i] = g->all[list[i]];
        for (int side = 0; side < 2; side++) {
            const int32_t actor = w->constraints.slots[list[i]].actor[side];
            g->own[i].actor[side] =
                actor == TD_NONE ? TD_NONE : place_in_group(g->in_group, to, actor);
        }
    }
    td_status status =
        tdi_constraint_set_new(g->member, to->count, g->own, count, tdi_world_has_contact(w),
                               w->alloc, &to->constraints, diag);
    g->made[group] = status == TD_OK;
    for (int32_t i = 0; i < count && status == TD_OK; i++) { // old constraints keep their states
        const tdi_constraint_slot *t = &w->constraints.slots[list[i]];
        if (t->group != TD_NONE) {
            to->constraints->state[i] =
                w->constraints.groups[t->group].constraints->state[t->number];
        }
    }
    return status;
}

// ---- the exchange ---------------------------------------------------------------------------

static void commit(const grouping *g) {
    td_world *w = g->world;
    const size_t actors = (size_t)w->room.made_count, groups = (size_t)g->count;
    for (int32_t j = 0; j < w->constraints.group_count; j++) {
        if (!g->kept[j]) {
            tdi_constraint_set_free(w->constraints.groups[j].constraints);
        }
    }
    memcpy(w->constraints.root, g->root, actors * sizeof *w->constraints.root);
    memcpy(w->constraints.group_of, g->group_of, actors * sizeof *w->constraints.group_of);
    memcpy(w->constraints.group_actor, g->in_group, actors * sizeof *w->constraints.group_actor);
    memcpy(w->constraints.groups, g->groups, groups * sizeof *w->constraints.groups);
    w->constraints.group_count = g->count;
    for (int32_t k = 0; k < w->constraints.slot_count; k++) {
        w->constraints.slots[k].group = g->constraint_group[k];
        w->constraints.slots[k].number = g->constraint_number[k];
    }
    w->islands.regroup = true;
}

static td_status form(grouping *g, td_diag *diag) {
    td_status status = TD_OK;
    join_actors(g);
    number_groups(g);
    number_constraints(g);
    for (int32_t j = 0; j < g->count && status == TD_OK; j++) {
        const int32_t before = same_as_before(g, j);
        if (before != TD_NONE) {
            take_over(g, j, before);
        } else {
            status = make_constraints(g, j, diag);
        }
    }
    status = status == TD_OK ? tdi_world_reserve_began(g->world, g->groups, g->count) : status;
    if (status == TD_OK) {
        commit(g);
        if (g->world->near.x) { // otherwise the next step allocates
            (void)tdi_world_step_room(g->world, NULL);
        }
        return TD_OK;
    }
    for (int32_t j = 0; j < g->count; j++) {
        if (g->made[j]) {
            tdi_constraint_set_free(g->groups[j].constraints);
        }
    }
    return status;
}

// Scratch, all in one block; measured when `to` is NULL.
static size_t lay_out(grouping *g, char *to) {
    const td_world *w = g->world;
    const size_t actors = (size_t)w->room.made_count + 1,
                 slots = (size_t)w->constraints.slot_count + 1;
    tdi_layout l = {to, 0};
    g->groups = tdi_layout_place(&l, actors, sizeof *g->groups);
    g->own = tdi_layout_place(&l, slots, sizeof *g->own);
    g->member = tdi_layout_place(&l, actors, sizeof *g->member);
    g->root = tdi_layout_place(&l, actors, sizeof *g->root);
    g->group_of = tdi_layout_place(&l, actors, sizeof *g->group_of);
    g->in_group = tdi_layout_place(&l, actors, sizeof *g->in_group);
    g->first_constraint = tdi_layout_place(&l, actors + 1, sizeof *g->first_constraint);
    g->constraints = tdi_layout_place(&l, slots, sizeof *g->constraints);
    g->made = tdi_layout_place(&l, actors, sizeof *g->made);
    g->kept = tdi_layout_place(&l, actors, sizeof *g->kept);
    g->constraint_group = tdi_layout_place(&l, slots, sizeof *g->constraint_group);
    g->constraint_number = tdi_layout_place(&l, slots, sizeof *g->constraint_number);
    return l.used;
}

td_status tdi_world_form_groups(td_world *w, const td_constraint *all, td_diag *diag) {
    grouping g = {.world = w, .all = all};
    const size_t bytes = lay_out(&g, NULL);
    char *room = tdi_alloc_zeroed(w->alloc, 1, bytes);
    if (!room) {
        return tdi_fail(diag, TD_ERR_MEMORY, "out of memory for constraints");
    }
    lay_out(&g, room);
    td_status status = form(&g, diag);
    tdi_alloc_free(w->alloc, room, bytes);
    return status;
}

int32_t tdi_world_relations(const td_world *w, int32_t actor) {
    const int32_t g = w->constraints.group_of[actor];
    const tdi_group *group = &w->constraints.groups[g == TD_NONE ? 0 : g];
    return g == TD_NONE
               ? 0
               : tdi_constraints_coupling(group->constraints,
                                          place_in_group(w->constraints.group_actor, group, actor));
}

void tdi_world_free_groups(td_world *w) {
    for (int32_t g = 0; g < w->constraints.group_count; g++) {
        tdi_constraint_set_free(w->constraints.groups[g].constraints);
        td_analytic_free(w->constraints.groups[g].analytic);
    }
}
