// SPDX-License-Identifier: MIT
// Pairs of capsules that are pushed apart: which they are, and when they are apart.
//
// Found     when an actor is placed in a world that pushes: added, enabled, put elsewhere, cut or
//           regrown; and all of them when the world is made. Actors of a pair are in one island.
// Released  at the end of the step in which the gap has opened. Contact skips pairs of the list, so
//           its searches begin anew.

#include "world/world.h"

#include "base/alloc.h"
#include "base/diag.h"
#include "base/guard.h"
#include "implicit/push.h"

#include <math.h>
#include <string.h>

#define NARROW   0.02 // of the range: a pair that is nearer counts as overlapping
#define OPEN     0.25 // of the range: a gap that is left to contact
#define BESIDE   4.0  // radii: pairs of two actors that are as near are beside each other
#define SIDES    0.5  // of the radii: pairs that overlap by more may go to either side
#define TOUCHING 4.0  // weight of a pair that touches, against one that overlaps

bool tdi_world_pushes(const td_world *w) {
    return w->scene->def.contact.overlap == TD_OVERLAP_PUSH;
}

// ---- list -----------------------------------------------------------------------------------

static td_status no_memory(td_diag *diag) {
    return tdi_fail(diag, TD_ERR_MEMORY, "out of memory for pairs that are pushed apart");
}

static td_status reserve(const td_world *w, struct tdi_pushes *p, int64_t count) {
    if (count <= p->capacity) {
        return TD_OK;
    }
    tdi_push_item *item = tdi_array_reserve(w->alloc, p->item, &p->capacity, count, sizeof *item);
    p->item = item ? item : p->item;
    return item ? TD_OK : TD_ERR_MEMORY;
}

td_status tdi_world_reserve_pushes(td_world *w, int64_t count) {
    return reserve(w, &w->pushes, count);
}

static void free_list(const td_world *w, struct tdi_pushes *p) {
    tdi_alloc_free(w->alloc, p->item, (size_t)p->capacity * sizeof *p->item);
}

void tdi_world_free_pushes(td_world *w) {
    free_list(w, &w->pushes);
    free_list(w, &w->pushes_before);
}

static void copy(const struct tdi_pushes *from, struct tdi_pushes *to) {
    to->count = from->count;
    if (from->count > 0) {
        memcpy(to->item, from->item, (size_t)from->count * sizeof *from->item);
    }
}

void tdi_world_forget_pushes(td_world *w) {
    w->pushes_before.count = TD_NONE;
}

td_status tdi_world_keep_pushes(td_world *w, td_diag *diag) {
    tdi_world_forget_pushes(w);
    if (reserve(w, &w->pushes_before, w->pushes.count) != TD_OK) {
        return no_memory(diag);
    }
    copy(&w->pushes, &w->pushes_before);
    return TD_OK;
}

void tdi_world_return_pushes(td_world *w) {
    if (w->pushes_before.count != TD_NONE) {
        copy(&w->pushes_before, &w->pushes);
        w->islands.regroup = true;
    }
}

void tdi_world_drop_pushes(td_world *w, int32_t actor) {
    int32_t kept = 0;
    for (int32_t k = 0; k < w->pushes.count; k++) {
        const int32_t *number = w->pushes.item[k].pair.number;
        if (number[0] != actor && number[1] != actor) {
            w->pushes.item[kept++] = w->pushes.item[k];
        }
    }
    w->pushes.count = kept;
}

// ---- finding --------------------------------------------------------------------------------

// Adds a pair of capsules if they overlap.
static td_status take_pair(td_world *w, const int32_t number[2], const int32_t capsule[2],
                           const tdi_push_axes *axes) {
    const tdi_push_place at = tdi_push_place_of(axes, tdi_vec3(0, 0, 0));
    if (at.gap >= NARROW * axes->range) {
        return TD_OK;
    }
    struct tdi_pushes *p = &w->pushes;
    const tdi_push_pair pair = {
        {number[0], number[1]}, {capsule[0], capsule[1]}, at.normal, at.gap};
    const td_status status = tdi_world_reserve_pushes(w, (int64_t)p->count + 1);
    if (status == TD_OK) {
        const int32_t k = tdi_pushes_find(p, &pair);
        memmove(p->item + k + 1, p->item + k, (size_t)(p->count - k) * sizeof *p->item);
        p->item[k] = (tdi_push_item){.pair = pair};
        p->count++;
    }
    return status;
}

// Of the pairs of actors that were found.
static td_status take_others(td_world *w, int32_t actor) {
    const tdi_nearness *n = &w->near;
    int32_t count = 0;
    td_status status = TD_OK;
    const tdi_near_pair *pairs = n->set ? tdi_contacts_pairs(n->set, &count) : NULL;
    for (int32_t k = 0; k < count && status == TD_OK; k++) {
        const int32_t i = pairs[k].i, j = pairs[k].j, number[2] = {n->owner[i], n->owner[j]};
        if (actor == TD_NONE || number[0] == actor || number[1] == actor) {
            const int32_t capsule[2] = {i - tdi_near_first(n, number[0]),
                                        j - tdi_near_first(n, number[1])};
            const tdi_push_axes axes = tdi_push_axes_of(&n->capsule[i], &n->capsule[j], n->x, n->x,
                                                        w->scene->def.contact.gap);
            status = take_pair(w, number, capsule, &axes);
        }
    }
    return status;
}

// The place of a near pair of two actors, where it touches or overlaps; a pair of the list has the
// normal that it has there.
static bool touches(const td_world *w, tdi_near_pair pair, tdi_push_place *at) {
    const tdi_nearness *n = &w->near;
    const int32_t i = pair.i, j = pair.j, number[2] = {n->owner[i], n->owner[j]};
    const tdi_push_pair own = {
        .number = {number[0], number[1]},
        .capsule = {i - tdi_near_first(n, number[0]), j - tdi_near_first(n, number[1])}};
    const tdi_push_axes axes =
        tdi_push_axes_of(&n->capsule[i], &n->capsule[j], n->x, n->x, w->scene->def.contact.gap);
    const int32_t k = tdi_pushes_find(&w->pushes, &own);
    const bool listed = k < w->pushes.count && tdi_push_compare(&w->pushes.item[k].pair, &own) == 0;
    *at = tdi_push_place_of(&axes, listed ? w->pushes.item[k].pair.normal : tdi_vec3(0, 0, 0));
    return at->gap < axes.range;
}

// The first pair of a capsule, or of those after it.
static int32_t first_of(const tdi_near_pair *pairs, int32_t count, int32_t capsule) {
    int32_t low = 0, high = count;
    while (low < high) {
        const int32_t middle = low + (high - low) / 2;
        const bool before = pairs[middle].i < capsule;
        low = before ? middle + 1 : low;
        high = before ? high : middle;
    }
    return low;
}

// Pairs of two actors beside each other agree on the side: a chain that lies through another one
// goes one way with all its links.
static void agree(td_world *w, tdi_push_pair *p) {
    const tdi_nearness *n = &w->near;
    const tdi_near_pair own = {tdi_near_first(n, p->number[0]) + p->capsule[0],
                               tdi_near_first(n, p->number[1]) + p->capsule[1]};
    const td_real radii = n->capsule[own.i].radius + n->capsule[own.j].radius;
    const int32_t end = tdi_near_first(n, p->number[0] + 1);
    int32_t count;
    const tdi_near_pair *pairs = tdi_contacts_pairs(n->set, &count);
    tdi_push_place mine, other;
    td_vec3 sum = {0, 0, 0};
    touches(w, own, &mine);
    if (mine.gap > -SIDES * radii) {
        return;
    }
    for (int32_t k = first_of(pairs, count, own.i - p->capsule[0]); k < count && pairs[k].i < end;
         k++) {
        const bool beside =
            n->owner[pairs[k].j] == p->number[1] && (pairs[k].i != own.i || pairs[k].j != own.j);
        if (beside && touches(w, pairs[k], &other) &&
            tdi_norm(tdi_sub(other.x, mine.x)) < BESIDE * radii) {
            sum = tdi_madd(sum, other.normal, other.gap > 0 ? TOUCHING : 1);
        }
    }
    p->normal = tdi_dot(p->normal, sum) < 0 ? tdi_scale(p->normal, -1) : p->normal;
}

// Of the pairs of one actor, in its contact.
static td_status take_own(td_world *w, int32_t actor, const tdi_body_contact *t) {
    int32_t count = 0;
    td_status status = TD_OK;
    const tdi_near_pair *pairs = tdi_contacts_pairs(t->set, &count);
    for (int32_t k = 0; k < count && status == TD_OK; k++) {
        const int32_t number[2] = {actor, actor}, capsule[2] = {pairs[k].i, pairs[k].j};
        const tdi_push_axes axes =
            tdi_push_axes_of(&t->capsule[capsule[0]], &t->capsule[capsule[1]], t->x, t->x,
                             w->scene->def.contact.gap);
        status = take_pair(w, number, capsule, &axes);
    }
    return status;
}

// Finds those of one actor. *grown: it has more room already.
static td_status find_own(td_world *w, int32_t k, bool *grown, td_diag *diag) {
    tdi_actor *a = &w->actors[k];
    const td_contact_opts opts = tdi_world_contact_opts(w);
    td_step_opts still = td_step_opts_default();
    const tdi_member alone = {
        .body = a->state, .opts = &still, .name = a->name, .room = &a->contact.room};
    tdi_body_contact *t =
        tdi_body_contact_place(&alone, 1, &opts, w->colliders.capacity, w->near.trial);
    const tdi_system system = {.member = &alone, .count = 1, .contact = t};
    if (!t->set) {
        return TD_OK;
    }
    tdi_body_contact_gather(&system, t->x);
    td_status status = tdi_contacts_find(t->set, t->x, NULL, diag);
    if (tdi_body_contact_lacks_room(t) && !w->room.no_growth) {
        tdi_body_contact_grow(t, 0, &a->contact.room);
        *grown = true;
    }
    return status == TD_OK ? take_own(w, k, t) : status;
}

// Every body knows its number and the list.
static void share(td_world *w) {
    w->pushes.speed = w->scene->def.contact.push_speed;
    for (int32_t k = 0; k < w->actor_count; k++) {
        w->actors[k].state->collision.pushes = &w->pushes;
        w->actors[k].state->collision.number = k;
    }
}

void tdi_world_begin_pushes(td_world *w, int32_t actor) {
    share(w);
    if (actor == TD_NONE) {
        w->pushes.count = 0;
    } else {
        tdi_world_drop_pushes(w, actor);
    }
}

td_status tdi_world_find_pushes(td_world *w, int32_t actor, bool *grown, td_diag *diag) {
    td_status status = take_others(w, actor);
    for (int32_t k = 0; k < w->pushes.count && status == TD_OK; k++) {
        tdi_push_pair *p = &w->pushes.item[k].pair;
        if (p->number[0] != p->number[1] &&
            (actor == TD_NONE || p->number[0] == actor || p->number[1] == actor)) {
            agree(w, p);
        }
    }
    for (int32_t k = 0; k < w->actor_count && status == TD_OK; k++) {
        const tdi_actor *a = &w->actors[k];
        if ((actor == TD_NONE || k == actor) && a->has_contact && tdi_actor_acts(a) &&
            a->state->capsule_count > 0) {
            status = find_own(w, k, grown, diag);
        }
    }
    return status == TD_ERR_MEMORY ? no_memory(diag) : status;
}

// ---- steps ----------------------------------------------------------------------------------

static void read_axis(const td_world *w, int32_t actor, const tdi_capsule *c, td_vec3 x[2]) {
    const int32_t first = w->near.first_point[actor];
    td_body *state = w->actors[actor].state;
    tdi_state_positions(state, tdi_nodes(c->a - first, 1), false, &x[0]);
    tdi_state_positions(state, tdi_nodes(c->b - first, 1), false, &x[1]);
}

// Where a pair is now. Whether it still has to be pushed.
static bool follow(const td_world *w, tdi_push_pair *p) {
    const tdi_nearness *n = &w->near;
    td_vec3 x[2][2];
    const tdi_capsule *c[2];
    for (int side = 0; side < 2; side++) {
        c[side] = &n->capsule[tdi_near_first(n, p->number[side]) + p->capsule[side]];
        read_axis(w, p->number[side], c[side], x[side]);
    }
    const tdi_push_axes axes = {x[0][0],
                                x[0][1],
                                x[1][0],
                                x[1][1],
                                c[0]->radius + c[1]->radius,
                                w->scene->def.contact.gap * fmin(c[0]->radius, c[1]->radius)};
    const tdi_push_place at = tdi_push_place_of(&axes, p->normal);
    p->normal = at.normal;
    p->gap = at.gap;
    return at.height < axes.radii + OPEN * axes.range;
}

// Contact of an actor knows the pair from now on, and must not throw it.
static void release(td_world *w, int32_t actor) {
    tdi_actor *a = &w->actors[actor];
    w->near.before[actor] = TD_NONE;
    w->islands.regroup = true;
    a->contact.barrier.range = -fabs(a->contact.barrier.range);
}

void tdi_world_end_pushes(td_world *w) {
    int32_t kept = 0;
    for (int32_t k = 0; k < w->pushes.count; k++) {
        tdi_push_item p = w->pushes.item[k];
        const tdi_activity activity = w->actors[p.pair.number[0]].activity;
        if (activity == TDI_ASLEEP || follow(w, &p.pair)) {
            w->pushes.item[kept++] = p;
        } else {
            release(w, p.pair.number[0]);
            release(w, p.pair.number[1]);
        }
    }
    w->pushes.count = kept;
}

// ---- saves ----------------------------------------------------------------------------------

void tdi_world_check_pushes(td_world *w) {
    int32_t kept = 0;
    share(w);
    for (int32_t k = 0; k < w->pushes.count; k++) {
        const tdi_push_pair *p = &w->pushes.item[k].pair;
        bool fine = tdi_finite3(p->normal) && isfinite(p->gap) && p->number[0] <= p->number[1];
        for (int side = 0; side < 2 && fine; side++) {
            fine = tdi_has(p->number[side], w->actor_count) &&
                   w->actors[p->number[side]].has_contact &&
                   tdi_actor_acts(&w->actors[p->number[side]]) &&
                   tdi_has(p->capsule[side], w->actors[p->number[side]].state->capsule_count);
        }
        fine = fine && (kept == 0 || tdi_push_compare(&w->pushes.item[kept - 1].pair, p) < 0);
        if (fine) {
            w->pushes.item[kept++] = w->pushes.item[k];
        }
    }
    w->pushes.count = kept;
}

// ---- entry ----------------------------------------------------------------------------------

td_push_report td_world_pushed(const td_world *w) {
    td_push_report report = {0};
    for (int32_t k = 0; w && k < w->pushes.count; k++) {
        const td_real gap = w->pushes.item[k].pair.gap;
        report.pairs++;
        report.overlapping += gap < 0;
        report.depth = fmax(report.depth, -gap);
    }
    return report;
}
