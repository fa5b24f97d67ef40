// SPDX-License-Identifier: MIT
// Islands: actors that come near each other in a step, or that constraints join, are solved
// together.
//
// Method   Before a step the displacement of every point is predicted to be that of the last step.
//          Actors whose capsules come near each other on this path form an island. When all islands
//          are solved, the prediction is verified with the displacements that were computed:
//          islands that came within the activation distance are joined, and the step is solved
//          again. So actors in different islands did not touch at any time in the step.
// Memory   The contacts of an island need no more memory than those of its actors one by one, so
//          all islands fit into memory for the actors. An island that is the same as in the last
//          step, at the same address, is kept.
// Passes   With many actors, memory traffic dominates the cost of a step. Positions are therefore
//          recorded right after an island is solved, while its states are in the cache; they serve
//          for the verification and as the start of the next step.

#include "world/world.h"

#include "base/alloc.h"
#include "implicit/constraint.h"
#include "math/vec3.h"

#include <math.h>
#include <string.h>

#define WIDEST 1.0 // of a radius: the range in which actors are near; none of a scene is wider
#define STOPS  4   // times that islands are predicted: in layers one stops another

// ---- making ---------------------------------------------------------------------------------

static tdi_member member_of(tdi_actor *a) {
    return (tdi_member){.body = a->state,
                        .opts = &a->step.opts,
                        .name = a->name,
                        .without_contact = !a->has_contact,
                        .relations = a->contact.relations,
                        .room = &a->contact.room,
                        .warm_start = tdi_actor_contact_forces(a, 0),
                        .contact_forces = tdi_actor_contact_forces(a, 1)};
}

static bool are_pushed(const td_world *w, int32_t i, int32_t j) {
    const tdi_nearness *n = &w->near;
    const int32_t number[2] = {n->owner[i], n->owner[j]};
    const int32_t capsule[2] = {i - tdi_near_first(n, number[0]), j - tdi_near_first(n, number[1])};
    return tdi_pushes_has(&w->pushes, number, capsule);
}

// Skips pairs of one actor, pairs whose filters do not collide, pairs severed by a cut, and pairs
// that are pushed apart.
static bool skip_pair(void *context, int32_t i, int32_t j) {
    const td_world *w = context;
    const tdi_nearness *n = &w->near;
    const int32_t a = n->owner[i], b = n->owner[j];
    const tdi_severed_pair pair = {{a, b}, {n->capsule[i].body, n->capsule[j].body}};
    return a == b || !tdi_filters_collide(w->actors[a].filter, w->actors[b].filter) ||
           (w->severed.count > 0 && tdi_severed_has(&w->severed, pair)) ||
           (w->pushes.count > 0 && are_pushed(w, i, j));
}

int32_t tdi_near_first(const tdi_nearness *n, int32_t actor) {
    int32_t low = 0, high = n->capsule_count;
    while (low < high) {
        const int32_t middle = low + (high - low) / 2;
        const bool before = n->owner[middle] < actor;
        low = before ? middle + 1 : low;
        high = before ? high : middle;
    }
    return low;
}

static int32_t capsules_of(const tdi_actor *a) {
    return a->has_contact && tdi_actor_acts(a) ? a->state->capsule_count : 0;
}

// Capsules of all actors that act, in the numbers of the whole: how many.
static int32_t fill_capsules(td_world *w) {
    tdi_nearness *n = &w->near;
    int32_t count = 0;
    for (int32_t k = 0; k < w->actor_count; k++) {
        const tdi_actor *a = &w->actors[k];
        const int32_t own = capsules_of(a);
        if (own > 0) {
            a->solver->implicit->contact->capsules(a->state, n->capsule + count);
        }
        for (int32_t i = count; i < count + own; i++) {
            n->capsule[i].a += n->first_point[k];
            n->capsule[i].b += n->first_point[k];
            n->owner[i] = k;
        }
        count += own;
    }
    return count;
}

// Pairs are looked for in a wide range, so that the prediction seldom misses one.
static void place_set(td_world *w) {
    tdi_nearness *n = &w->near;
    td_contact_opts opts = tdi_world_contact_opts(w);
    const tdi_contact_room room = {.pairs = n->set_pairs};
    opts.gap = WIDEST;
    const tdi_contacts_def def = {.opts = &opts,
                                  .room = &room,
                                  .capsule = n->capsule,
                                  .capsule_count = fill_capsules(w),
                                  .point_count = n->first_point[w->actor_count],
                                  .skip = skip_pair,
                                  .context = w};
    n->capsule_count = def.capsule_count;
    n->set = def.capsule_count > 0 ? tdi_contacts_place(&def, n->set_room) : NULL;
}

void tdi_world_follow_actors(td_world *w) {
    tdi_nearness *n = &w->near;
    if (w->islands.regroup && n->x) {
        place_set(w);
    }
}

td_status tdi_world_find_pairs(td_world *w, const td_vec3 *dx, td_diag *diag) {
    td_status status;
    while ((status = tdi_contacts_find(w->near.set, w->near.x, dx, diag)) == TD_ERR_LIMIT &&
           tdi_world_grow_pairs(w)) {
        place_set(w);
    }
    return status;
}

td_status tdi_world_make_islands(td_world *w, td_diag_list *diags) {
    td_diag diag = {.index = TD_NONE};
    td_status status = tdi_world_make_colliders(w, diags);
    tdi_world_number_points(w, 0);
    status = status == TD_OK ? tdi_world_step_room(w, &diag) : status;
    return status == TD_OK || status == TD_ERR_MEMORY || diag.status == TD_OK
               ? status
               : tdi_scene_fault(w->scene, diags, TD_ERR_SYNTAX, "contact", "%s", diag.message);
}

void tdi_world_free_islands(td_world *w) {
    tdi_alloc_free(w->alloc, w->near.set_room, w->near.set_bytes);
    tdi_blocks_free(&w->near.blocks);
    tdi_alloc_free(w->alloc, w->near.trial, w->near.trial_bytes);
}

// ---- who is near whom -----------------------------------------------------------------------

static int32_t root_of(int32_t *root, int32_t k) {
    while (root[k] != k) {
        root[k] = root[root[k]];
        k = root[k];
    }
    return k;
}

// The first of an island is its root.
static void join(int32_t *root, int32_t k, int32_t j) {
    const int32_t a = root_of(root, k), b = root_of(root, j);
    root[a > b ? a : b] = a > b ? b : a;
}

// Joins the actors of all pairs that come near each other on the path dx, for which the pairs were
// searched. Pairs left from an earlier search are not joined: islands must follow from saved data.
static void join_pairs(tdi_nearness *n, const td_vec3 *dx) {
    int32_t count;
    const tdi_near_pair *pairs = tdi_contacts_pairs(n->set, &count);
    for (int32_t k = 0; k < count; k++) {
        int32_t a = root_of(n->root, n->owner[pairs[k].i]),
                b = root_of(n->root, n->owner[pairs[k].j]);
        if (a != b && tdi_contacts_come_near(n->set, pairs[k], n->x, dx, WIDEST)) {
            join(n->root, a, b);
        }
    }
}

static void gather(const td_world *w, int32_t actor, td_vec3 *x) {
    const tdi_actor *a = &w->actors[actor];
    if (a->has_contact) {
        tdi_state_positions(a->state, tdi_all_nodes(a->state), false,
                            x + w->near.first_point[actor]);
    }
}

void tdi_actor_freeze_points(td_world *w, int32_t actor) {
    tdi_nearness *n = &w->near;
    if (w->actors[actor].has_contact) {
        const int32_t first = n->first_point[actor];
        const size_t bytes = (size_t)(n->first_point[actor + 1] - first) * sizeof *n->x;
        memcpy(n->next + first, n->x + first, bytes);
        memset(n->dx + first, 0, bytes);
        memset(n->last + first, 0, bytes);
    }
}

// Where all points are, unless the last step has noted it and nobody can have moved them since.
// Reduced bodies choose other joints between steps, which moves their points by rounding.
static void place_points(td_world *w) {
    tdi_nearness *n = &w->near;
    for (int32_t k = 0; k < w->actor_count; k++) {
        if (n->placed && !n->shared && !w->actors[k].solver->reduced_of) {
            continue;
        }
        gather(w, k, n->x);
        if (w->actors[k].activity == TDI_ASLEEP) {
            tdi_actor_freeze_points(w, k);
        }
    }
    n->placed = true;
}

// Islands from the roots, in the order of their first actors.
static void fill_islands(td_world *w) {
    int32_t *root = w->near.root, at = 0;
    w->islands.count = 0;
    for (int32_t k = 0; k < w->actor_count; k++) {
        if (tdi_actor_acts(&w->actors[k]) && root_of(root, k) == k) {
            w->islands.all[w->islands.count++] = (tdi_island){.first = k}; // its actor, for now
        }
    }
    // count, then place: members of an island in the order of actors
    for (int32_t k = 0; k < w->islands.count; k++) {
        w->islands.member_actor[w->islands.all[k].first] = k;
    }
    for (int32_t k = 0; k < w->actor_count; k++) {
        root[k] = root_of(root, k);
        if (tdi_actor_acts(&w->actors[k])) {
            w->islands.all[w->islands.member_actor[root[k]]].count++;
        }
    }
    for (int32_t k = 0; k < w->islands.count; k++) {
        w->islands.all[k].first = at;
        at += w->islands.all[k].count;
        w->islands.all[k].count = 0;
    }
    w->islands.member_count = at;
}

static void fill_members(td_world *w) {
    int32_t *island = w->islands.member_actor; // of a root, until it is overwritten from the end
    int32_t *root = w->near.root;
    for (int32_t k = 0; k < w->actor_count; k++) {
        root[k] = tdi_actor_acts(&w->actors[k]) ? island[root[k]] : TD_NONE;
    }
    for (int32_t k = 0; k < w->actor_count; k++) {
        if (root[k] == TD_NONE) {
            root[k] = k; // alone, in no island
            continue;
        }
        tdi_island *i = &w->islands.all[root[k]];
        const int32_t at = i->first + i->count++;
        w->islands.members[at] = member_of(&w->actors[k]);
        w->islands.member_actor[at] = k;
    }
    for (int32_t k = 0; k < w->islands.count; k++) { // roots again, of the first actors
        const tdi_island *i = &w->islands.all[k];
        for (int32_t j = 0; j < i->count; j++) {
            root[w->islands.member_actor[i->first + j]] = w->islands.member_actor[i->first];
        }
    }
}

// The island that a member is in.
static tdi_island *island_at(const td_world *w, int32_t member) {
    int32_t low = 0, high = w->islands.count - 1;
    while (low < high) {
        const int32_t middle = (low + high + 1) / 2;
        if (w->islands.all[middle].first <= member) {
            low = middle;
        } else {
            high = middle - 1;
        }
    }
    return &w->islands.all[low];
}

// Constraints of the groups in every island, whose members have numbers there.
static void bind_groups(td_world *w) {
    for (int32_t k = 0; k < w->islands.count; k++) {
        w->islands.all[k].constraints = NULL;
    }
    for (int32_t k = 0; k < w->islands.member_count; k++) { // islands and places in them, of actors
        w->near.place[w->islands.member_actor[k]] = k;
    }
    for (int32_t g = w->constraints.group_count - 1; g >= 0; g--) {
        const tdi_group *group = &w->constraints.groups[g];
        tdi_island *i = island_at(w, w->near.place[w->constraints.group_actor[group->first]]);
        for (int32_t j = group->first; j < group->first + group->count; j++) {
            w->constraints.group_member[j] =
                w->near.place[w->constraints.group_actor[j]] - i->first;
        }
        tdi_constraints_bind(group->constraints, w->constraints.group_member + group->first);
        group->constraints->next = i->constraints;
        i->constraints = group->constraints;
    }
}

// Whether an island has the same members as when its contact was placed, and nobody was changed.
static bool is_known(const td_world *w, const tdi_island *i) {
    const tdi_nearness *n = &w->near;
    const int32_t first = w->islands.member_actor[i->first];
    const tdi_body_contact *t = n->contact[first];
    bool same = t && t->member_count == i->count;
    for (int32_t j = 0; same && j < i->count; j++) {
        same = n->before[w->islands.member_actor[i->first + j]] == first &&
               t->body[j] == w->islands.members[i->first + j].body;
    }
    return same;
}

static bool has_contact(const td_world *w, const tdi_island *i) {
    bool any = false;
    for (int32_t j = 0; j < i->count && !any; j++) {
        any = w->actors[w->islands.member_actor[i->first + j]].has_contact;
    }
    return any;
}

// Gives back the memory of all contact that no island has kept.
static void give_unused(td_world *w) {
    tdi_nearness *n = &w->near;
    for (int32_t k = 0; k < w->islands.count; k++) {
        const tdi_island *i = &w->islands.all[k];
        n->place[w->islands.member_actor[i->first]] = i->contact != NULL;
    }
    for (int32_t k = 0; k < w->room.actor_capacity; k++) {
        const bool first = k < w->actor_count && tdi_actor_acts(&w->actors[k]) && n->root[k] == k;
        if (!first || !n->place[k]) {
            tdi_blocks_give(&n->blocks, n->contact[k]);
            n->contact[k] = NULL;
        }
    }
}

// Contact of an island that has none. False: there is no block for it.
static bool place_contact(td_world *w, tdi_island *i) {
    const td_contact_opts opts = tdi_world_contact_opts(w);
    tdi_nearness *n = &w->near;
    const int32_t first = w->islands.member_actor[i->first], colliders = w->colliders.capacity;
    const tdi_member *members = w->islands.members + i->first;
    const size_t bytes = tdi_body_contact_bytes(members, i->count, &opts, colliders);
    n->contact[first] = tdi_blocks_take(&n->blocks, bytes);
    if (!n->contact[first]) {
        n->lacks += tdi_block_bytes(bytes);
        return false;
    }
    i->contact = tdi_body_contact_place(members, i->count, &opts, colliders, n->contact[first]);
    n->placed_count++;
    return true;
}

// Contact of all islands that have none yet. False: there is no block for some of them.
static bool place_missing(td_world *w) {
    bool all = true;
    w->near.lacks = 0;
    for (int32_t k = 0; k < w->islands.count; k++) {
        tdi_island *i = &w->islands.all[k];
        const bool placed =
            i->contact || i->activity == TDI_ASLEEP || !has_contact(w, i) || place_contact(w, i);
        all = all && placed;
    }
    return all;
}

// Contact begins with the barriers of the last step.
static void recall_barriers(const td_world *w, const tdi_island *i) {
    for (int32_t j = 0; i->contact && j < i->count; j++) {
        i->contact->barriers.state[j] =
            w->actors[w->islands.member_actor[i->first + j]].contact.barrier;
    }
}

bool tdi_island_place_contact(td_world *w, tdi_island *i) {
    tdi_nearness *n = &w->near;
    const int32_t first = w->islands.member_actor[i->first];
    tdi_blocks_give(&n->blocks, n->contact[first]);
    i->contact = NULL;
    for (int32_t j = 0; j < i->count; j++) { // it is what the island has from now on
        n->before[w->islands.member_actor[i->first + j]] = first;
    }
    const bool placed = place_contact(w, i);
    recall_barriers(w, i);
    return placed;
}

static void note_islands(td_world *w) {
    tdi_nearness *n = &w->near;
    for (int32_t k = 0; k < w->islands.count; k++) {
        recall_barriers(w, &w->islands.all[k]);
    }
    memset(n->before_count, 0, (size_t)w->actor_count * sizeof *n->before_count);
    for (int32_t k = 0; k < w->actor_count; k++) {
        const tdi_actor *a = &w->actors[k];
        const bool solved = tdi_actor_acts(a) && a->activity != TDI_ASLEEP;
        n->before[k] = solved ? n->root[k] : TD_NONE;
        n->before_count[n->root[k]] += solved;
    }
}

// Contact memory of all islands that are solved. Known islands keep their block; where no free
// block is large enough, all are placed again, one after the other.
static td_status place_contacts(td_world *w, td_diag *diag) {
    tdi_nearness *n = &w->near;
    for (int32_t k = 0; k < w->islands.count; k++) {
        tdi_island *i = &w->islands.all[k];
        i->contact = i->activity != TDI_ASLEEP && is_known(w, i)
                         ? n->contact[w->islands.member_actor[i->first]]
                         : NULL;
    }
    give_unused(w);
    if (!place_missing(w)) {
        for (int32_t k = 0; k < w->islands.count; k++) {
            w->islands.all[k].contact = NULL;
        }
        give_unused(w);
        if (!place_missing(w) && !(tdi_world_grow_blocks(w) && place_missing(w))) {
            return w->room.no_growth
                       ? tdi_fail(diag, TD_ERR_LIMIT,
                                  "there is no room for contact of actors that came near each "
                                  "other")
                       : tdi_fail(diag, TD_ERR_MEMORY, "out of memory for contact");
        }
    }
    note_islands(w);
    return TD_OK;
}

static td_status group(td_world *w, td_diag *diag) {
    fill_islands(w);
    fill_members(w);
    tdi_world_derive_islands(w);
    bind_groups(w);
    const td_status status = w->near.x ? place_contacts(w, diag) : TD_OK;
    w->islands.regroup = status != TD_OK;
    return status;
}

// Where points go: as in the last step, and what moves faster than weight moves it in a step falls
// on as well.
static void predict(td_world *w) {
    tdi_nearness *n = &w->near;
    const td_vec3 fall = tdi_scale(w->scene->def.gravity, w->clock.dt * w->clock.dt);
    for (int32_t p = 0; p < n->first_point[w->actor_count]; p++) {
        const bool falls = tdi_dot(n->last[p], n->last[p]) > tdi_dot(fall, fall);
        n->dx[p] = falls ? tdi_add(n->last[p], fall) : n->last[p];
    }
}

// What meets something may be stopped by it: its points fall no farther. False: none of them were
// falling farther than weight moves them in a step.
static bool stop_joined(td_world *w) {
    tdi_nearness *n = &w->near;
    const td_vec3 fall = tdi_scale(w->scene->def.gravity, w->clock.dt * w->clock.dt);
    const td_real slow = tdi_dot(fall, fall);
    bool stopped = false;
    memset(n->place, 0, (size_t)w->actor_count * sizeof *n->place);
    for (int32_t k = 0; k < w->actor_count; k++) {
        n->place[root_of(n->root, k)]++;
    }
    for (int32_t k = 0; k < w->actor_count; k++) {
        const bool joined = n->place[root_of(n->root, k)] > 1;
        for (int32_t p = n->first_point[k]; joined && p < n->first_point[k + 1]; p++) {
            const td_real falls = tdi_dot(n->dx[p], fall);
            stopped = stopped || falls > slow;
            n->dx[p] = falls > 0 ? tdi_madd(n->dx[p], fall, -falls / slow) : n->dx[p];
        }
    }
    return stopped;
}

// Joins what comes near on the predicted ways, then what comes near where others are stopped.
static td_status join_predicted(td_world *w, td_diag *diag) {
    tdi_nearness *n = &w->near;
    td_status status = TD_OK;
    predict(w);
    for (int32_t k = 0; k < STOPS && status == TD_OK && (k == 0 || stop_joined(w)); k++) {
        status = tdi_world_find_pairs(w, n->dx, diag);
        if (status == TD_OK) {
            join_pairs(n, n->dx);
        }
    }
    return status;
}

// In one island are actors that constraints join, that fell asleep together, or that are pushed
// apart.
static void root_actors(td_world *w) {
    int32_t *root = w->near.root;
    for (int32_t k = 0; k < w->actor_count; k++) {
        root[k] = w->constraints.root[k];
    }
    for (int32_t k = 0; k < w->actor_count; k++) {
        if (w->actors[k].activity == TDI_ASLEEP) {
            join(root, k, w->actors[k].sleep.next);
        }
    }
    for (int32_t k = 0; k < w->pushes.count; k++) {
        join(root, w->pushes.item[k].pair.number[0], w->pushes.item[k].pair.number[1]);
    }
}

td_status tdi_world_find_islands(td_world *w, td_diag *diag) {
    tdi_nearness *n = &w->near;
    tdi_world_follow_actors(w);
    if (!w->islands.regroup && (!n->set || tdi_world_all_asleep(w))) {
        tdi_world_derive_islands(w);
        return TD_OK; // islands stay as they are
    }
    root_actors(w);
    if (n->set) {
        place_points(w);
    }
    if (n->set && w->scene->def.contact.self && w->actor_count > 1) {
        td_status status = join_predicted(w, diag);
        if (status != TD_OK) {
            w->islands.regroup = true;
            return status;
        }
    }
    return group(w, diag);
}

void tdi_island_record_positions(td_world *w, const tdi_island *i) {
    tdi_nearness *n = &w->near;
    for (int32_t j = 0; n->set && j < i->count; j++) {
        const int32_t actor = w->islands.member_actor[i->first + j];
        gather(w, actor, n->next);
        for (int32_t p = n->first_point[actor]; p < n->first_point[actor + 1]; p++) {
            n->dx[p] = tdi_sub(n->next[p], n->x[p]);
        }
    }
}

td_status tdi_world_check_islands(td_world *w, bool *apart, td_diag *diag) {
    tdi_nearness *n = &w->near;
    *apart = true;
    if (!n->set || !w->scene->def.contact.self || w->actor_count == 1 || tdi_world_all_asleep(w)) {
        return TD_OK;
    }
    td_status status = tdi_world_find_pairs(w, n->dx, diag);
    int32_t count = 0;
    const tdi_near_pair *pairs = status == TD_OK ? tdi_contacts_pairs(n->set, &count) : NULL;
    for (int32_t k = 0; k < count && *apart; k++) {
        const int32_t i = n->owner[pairs[k].i], j = n->owner[pairs[k].j];
        const bool solved =
            w->actors[i].activity != TDI_ASLEEP || w->actors[j].activity != TDI_ASLEEP;
        if (n->root[i] != n->root[j] && solved) {
            *apart =
                !tdi_contacts_come_near(n->set, pairs[k], n->x, n->dx, w->scene->def.contact.gap);
        }
    }
    return status;
}

void tdi_world_mark_near(td_world *w) {
    const tdi_nearness *n = &w->near;
    int32_t count;
    const tdi_near_pair *pairs = tdi_contacts_pairs(n->set, &count);
    for (int32_t k = 0; k < count; k++) {
        const int32_t i = n->owner[pairs[k].i], j = n->owner[pairs[k].j];
        if (n->root[i] != n->root[j] &&
            tdi_contacts_come_near(n->set, pairs[k], n->x, n->dx, w->scene->def.contact.gap)) {
            w->actors[i].step.over_budget = w->actors[j].step.over_budget = true;
        }
    }
}

// Of the islands that are joined to one, members of the largest are marked.
static void mark_largest_islands(td_world *w) {
    tdi_nearness *n = &w->near;
    for (int32_t k = 0; k < w->actor_count; k++) {
        n->place[k] = TD_NONE; // of the root of what is joined: the root of its largest island
    }
    for (int32_t k = 0; k < w->actor_count; k++) {
        int32_t *largest = &n->place[root_of(n->root, k)];
        const int32_t own = n->before[k];
        if (own != TD_NONE &&
            (*largest == TD_NONE || n->before_count[own] > n->before_count[*largest])) {
            *largest = own;
        }
    }
    for (int32_t k = 0; k < w->actor_count; k++) {
        const int32_t own = n->before[k];
        w->actors[k].solved_in_larger_island =
            own != TD_NONE && own == n->place[root_of(n->root, k)];
    }
}

// All pairs that come near count, so that few are left to be found later.
td_status tdi_world_join_islands(td_world *w, td_diag *diag) {
    join_pairs(&w->near, w->near.dx);
    mark_largest_islands(w);
    const td_status status = group(w, diag);
    for (int32_t k = 0; k < w->islands.member_count;
         k++) { // where they came to is where they go on
        const int32_t actor = w->islands.member_actor[k];
        w->islands.members[k].tried =
            w->actors[actor].has_contact ? w->near.next + w->near.first_point[actor] : NULL;
        w->islands.members[k].solved_in_larger_island = w->actors[actor].solved_in_larger_island;
    }
    return status;
}

static void swap(td_vec3 **a, td_vec3 **b) {
    td_vec3 *kept = *a;
    *a = *b;
    *b = kept;
}

// Points of sleeping actors are in both arrays. Without contact, or when all sleep, none was
// recorded.
void tdi_world_accept_positions(td_world *w) {
    if (!w->near.set || tdi_world_all_asleep(w)) {
        return;
    }
    swap(&w->near.x, &w->near.next);
    swap(&w->near.last, &w->near.dx);
}

void tdi_world_regroup(td_world *w, int32_t actor) {
    tdi_nearness *n = &w->near;
    tdi_actor *a = &w->actors[actor];
    w->islands.regroup = true;
    a->contact.barrier.range = -fabs(a->contact.barrier.range);
    tdi_world_forget_places(w);
    n->before[actor] = TD_NONE;
    tdi_actor_clear_contact_forces(a);
    if (n->x && a->has_contact) {
        memset(n->last + n->first_point[actor], 0, (size_t)a->state->point_count * sizeof *n->last);
    }
}

void tdi_world_note_placed(td_world *w) {
    for (int32_t k = 0; k < w->actor_count; k++) {
        w->actors[k].contact.barrier.range = -fabs(w->actors[k].contact.barrier.range);
    }
}

void tdi_world_forget_places(td_world *w) {
    w->near.placed = false;
}

tdi_system tdi_island_system(const td_world *w, const tdi_island *i) {
    return (tdi_system){.member = w->islands.members + i->first,
                        .count = i->count,
                        .contact = i->contact && i->contact->set ? i->contact : NULL,
                        .constraints = i->constraints,
                        .colliders = w->colliders.enabled,
                        .collider_count = i->contact ? w->colliders.enabled_count : 0,
                        .withdraws = tdi_world_pushes_out(w),
                        .labels = w->colliders.labels};
}
