// SPDX-License-Identifier: MIT
// Initial poses of actors: at rest under gravity, on colliders, on each other, with constraints.

#include "world/world.h"

#include "base/alloc.h"
#include "base/guard.h"
#include "base/log.h"
#include "implicit/constraint.h"
#include "math/quat.h"

#include <math.h>
#include <stdio.h>

// Whether gravity has the same components in the axes of the actor and of its object. It has others
// for an actor that is turned about an inclined axis.
static bool upright(const td_world *w, const tdi_actor *a) {
    td_vec3 own = tdi_object_gravity(w, a->object, a->base.rotation);
    td_vec3 all = tdi_object_gravity(w, a->object, tdi_object_pose(w, a->object).rotation);
    return tdi_norm(tdi_sub(own, all)) <= 1e-9 * tdi_norm(all);
}

#define DRAWN "give the object 'start: drawn' to start without computing its rest pose"

// Who goes to rest, and how that ended.
typedef struct settling {
    td_world *world;
    bool all;           // also who starts as drawn, or is at rest as drawn
    td_rest *rests;     // one an actor, or NULL
    td_diag diag;       // of actors that are solved together
    int32_t together;   // so many,
    int32_t first;      // the first of which is this
    int32_t overlaps;   // an actor that does, so that nothing could be solved; TD_NONE: none
    const char *remedy; // against that
} settling;

static bool wants_rest(const settling *s, const tdi_actor *a) {
    const td_object_def *o = &s->world->scene->def.objects[a->object];
    return s->all ||
           (o->start == TD_START_SETTLED && !(o->rest_under_gravity && upright(s->world, a)));
}

// Actors joined by constraints settle together, or none of them does.
static bool is_to_settle(const settling *s, const tdi_actor *a) {
    const td_world *w = s->world;
    const int32_t group = w->constraints.group_of[a - w->actors];
    bool all = tdi_actor_acts(a) && wants_rest(s, a);
    for (int32_t j = 0; group != TD_NONE && all && j < w->constraints.groups[group].count; j++) {
        all = wants_rest(
            s, &w->actors[w->constraints.group_actor[w->constraints.groups[group].first + j]]);
    }
    return all;
}

static bool is_alone(const td_world *w, const tdi_actor *a) {
    return !a->has_contact && w->constraints.group_of[a - w->actors] == TD_NONE;
}

static tdi_member member_at_rest(const td_world *w, tdi_actor *a) {
    a->step.opts = td_step_opts_default();
    a->step.opts.gravity = tdi_turn_to_simulated(a, w->scene->def.gravity);
    a->step.opts.stiffness = w->scene->def.objects[a->object].stiffness;
    tdi_actor_make_room(w, a);
    return (tdi_member){.body = a->state,
                        .opts = &a->step.opts,
                        .name = a->name,
                        .without_contact = !a->has_contact,
                        .relations = a->contact.relations,
                        .room = &a->contact.room};
}

// Springs s k under gravity g rest as springs k under g/s do, with forces less by s.
static td_rest rest_of(const td_world *w, const tdi_actor *a, int64_t iterations) {
    const td_real s = w->scene->def.objects[a->object].stiffness;
    const td_vec3 gravity = tdi_turn_to_simulated(a, w->scene->def.gravity);
    const td_sums sums = a->solver->sums(a->state, gravity);
    td_rest rest = {.energy = s * sums.energy.elastic + sums.energy.weight,
                    .residual = (td_real)NAN,
                    .iterations = iterations,
                    .unstable = a->state->unstable != 0};
    if (tdi_statics_of(a->solver)->residual && s > 0 && is_alone(w, a)) {
        rest.residual =
            s * tdi_statics_of(a->solver)->residual(a->state, tdi_scale(gravity, 1 / s));
    }
    return rest;
}

static td_status settle_system(const settling *s, const tdi_system *system, td_step_stats *stats,
                               td_diag *diag) {
    const td_status status = tdi_system_settle(system, stats, diag);
    if (!(s->all && status == TD_OK && stats->unconverged > 0)) {
        return status;
    }
    tdi_constraints_undo(system->constraints);
    return tdi_fail(diag, TD_ERR_DIVERGED, "no pose at rest was found in %lld iterations%s",
                    (long long)stats->iterations,
                    system->constraints
                        ? "; segments that do not stretch find none when constraints hold them "
                          "straight, and slack helices of little stiffness may not: "
                          "leave some slack, or take a solver that stretches"
                        : "");
}

static void settle_alone(void *context, int64_t k) {
    const settling *s = context;
    tdi_actor *a = &s->world->actors[k];
    if (is_alone(s->world, a) && is_to_settle(s, a)) {
        const tdi_member alone = member_at_rest(s->world, a);
        const tdi_system system = {.member = &alone, .count = 1};
        td_step_stats stats = {0};
        a->step.status = settle_system(s, &system, &stats, &a->step.diag);
        if (s->rests) {
            s->rests[k] = rest_of(s->world, a, stats.iterations);
        }
    }
}

// Some actors at once, and the constraints of their groups.
typedef struct party {
    tdi_member *members;
    int32_t *place; // of an actor: its number among the members; TD_NONE: none
    int32_t *bound; // of a group's actor, group after group: its place
    int32_t count;
    tdi_constraint_set *constraints;
} party;

static void add_member(const settling *s, party *p, int32_t actor) {
    p->place[actor] = p->count;
    p->members[p->count++] = member_at_rest(s->world, &s->world->actors[actor]);
}

// Constraints of all groups that are there.
static void bind(const settling *s, party *p) {
    const td_world *w = s->world;
    p->constraints = NULL;
    for (int32_t g = w->constraints.group_count - 1; g >= 0; g--) {
        const tdi_group *group = &w->constraints.groups[g];
        const int32_t *actor = w->constraints.group_actor + group->first;
        if (p->place[actor[0]] != TD_NONE) {
            for (int32_t j = 0; j < group->count; j++) {
                p->bound[j] = p->place[actor[j]];
            }
            tdi_constraints_bind(group->constraints, p->bound);
            group->constraints->next = p->constraints;
            p->constraints = group->constraints;
        }
    }
}

// The actor that is a member; TD_NONE: none is.
static int32_t actor_of(const party *p, int32_t member) {
    int32_t k = 0;
    while (member != TD_NONE && p->place[k] != member) {
        k++;
    }
    return member == TD_NONE ? TD_NONE : k;
}

// More room for the members of contact that ran out of it. Whether it did.
static bool grow_rooms(const td_world *w, const party *p, const tdi_body_contact *contact) {
    const bool lacks = contact && contact->set && tdi_body_contact_lacks_room(contact);
    for (int32_t k = 0; lacks && k < w->actor_count; k++) {
        if (p->place[k] != TD_NONE) {
            tdi_body_contact_grow(contact, p->place[k], &w->actors[k].contact.room);
        }
    }
    return lacks;
}

// With a limit of so many pairs a segment. *again: there was no room, and is now; *full: there were
// more than the limit.
static td_status settle_within(settling *s, party *p, int32_t pairs, td_step_stats *stats,
                               bool *again, bool *full) {
    const td_world *w = s->world;
    td_contact_opts opts = tdi_world_contact_opts(w);
    const bool in_contact = tdi_world_has_contact(w);
    const int32_t colliders = w->colliders.enabled_count;
    tdi_body_contact *contact = NULL;
    opts.pairs = pairs;
    td_status status = in_contact ? tdi_body_contact_new(p->members, p->count, &opts, colliders,
                                                         w->alloc, &contact, &s->diag)
                                  : TD_OK;
    bind(s, p);
    if (status == TD_OK) {
        const tdi_system system = {.member = p->members,
                                   .count = p->count,
                                   .contact = contact && contact->set ? contact : NULL,
                                   .constraints = p->constraints,
                                   .colliders = w->colliders.enabled,
                                   .collider_count = in_contact ? colliders : 0,
                                   .labels = w->colliders.labels};
        status = settle_system(s, &system, stats, &s->diag);
        s->overlaps =
            status == TD_OK || !system.contact ? TD_NONE : actor_of(p, contact->search.overlapping);
        s->remedy = s->overlaps == TD_NONE ? "" : tdi_world_apart_text(w, contact);
    }
    *again = grow_rooms(w, p, contact);
    *full = status == TD_ERR_LIMIT && contact && contact->set && tdi_contacts_full(contact->set);
    tdi_body_contact_free(contact);
    return status;
}

// All actors with contact at once: the support of one may be far away in the drawn pose.
static td_status settle_party(settling *s, party *p) {
    const td_world *w = s->world;
    td_step_stats stats = {0};
    td_status status;
    bool again, full;
    int32_t pairs = w->near.pairs;
    do {
        status = settle_within(s, p, pairs, &stats, &again, &full);
        pairs *= again ? 1 : 2;
    } while (again || (full && pairs <= TDI_PAIRS_MOST));
    for (int32_t k = 0; s->rests && k < w->actor_count; k++) {
        if (p->place[k] != TD_NONE) {
            s->rests[k] = rest_of(w, &w->actors[k], stats.iterations);
        }
    }
    return status;
}

// All that touch, or that constraints hold, at once; where nothing touches, group by group.
static td_status settle_parties(settling *s, party *p) {
    const td_world *w = s->world;
    const bool in_contact = tdi_world_has_contact(w);
    td_status status = TD_OK;
    for (int32_t g = 0; g < (in_contact ? 1 : w->constraints.group_count) && status == TD_OK; g++) {
        p->count = 0;
        for (int32_t k = 0; k < w->actor_count; k++) {
            p->place[k] = TD_NONE;
            if (!is_alone(w, &w->actors[k]) && (in_contact || w->constraints.group_of[k] == g) &&
                is_to_settle(s, &w->actors[k])) {
                add_member(s, p, k);
            }
        }
        status = p->count > 0 ? settle_party(s, p) : TD_OK;
    }
    s->together = p->count;
    s->first = actor_of(p, p->count > 0 ? 0 : TD_NONE);
    return status;
}

static td_status settle_together(settling *s) {
    td_world *w = s->world;
    const size_t n = (size_t)w->actor_count + 1;
    party p = {.members = tdi_alloc_zeroed(w->alloc, n, sizeof *p.members),
               .place = tdi_alloc_zeroed(w->alloc, n, sizeof *p.place),
               .bound = tdi_alloc_zeroed(w->alloc, n, sizeof *p.bound)};
    td_status status = p.members && p.place && p.bound ? settle_parties(s, &p) : TD_ERR_MEMORY;
    tdi_alloc_free(w->alloc, p.bound, n * sizeof *p.bound);
    tdi_alloc_free(w->alloc, p.place, n * sizeof *p.place);
    tdi_alloc_free(w->alloc, p.members, n * sizeof *p.members);
    return status;
}

// The first actor for which no rest pose was found alone, or NULL.
static const tdi_actor *settle_loners(settling *s) {
    td_world *w = s->world;
    td_pool_run(w->pool, w->actor_count, settle_alone, s);
    for (int32_t k = 0; k < w->actor_count; k++) {
        if (is_alone(w, &w->actors[k]) && w->actors[k].step.status != TD_OK) {
            return &w->actors[k];
        }
    }
    return NULL;
}

// Once an object.
static void warn_of_unstable(const td_world *w, td_diag_list *diags) {
    int32_t last = TD_NONE;
    for (int32_t k = 0; k < w->actor_count; k++) {
        const tdi_actor *a = &w->actors[k];
        if (a->state->unstable && a->object != last) {
            char path[64];
            snprintf(path, sizeof path, "objects[%d]", (int)a->object);
            tdi_scene_fault(w->scene, diags, TD_OK, path,
                            "'%s' starts at rest where it is not stable: it falls at the slightest "
                            "push",
                            a->name);
            tdi_log(&w->log, TD_LOG_WARNING, "'%s' starts at rest where it is not stable", a->name);
            last = a->object;
        }
    }
}

td_status tdi_world_settle(td_world *w, td_diag_list *diags) {
    settling s = {.world = w, .diag = {.index = TD_NONE}, .overlaps = TD_NONE};
    char path[64] = "objects";
    tdi_world_set_constraints(w, 0);
    const tdi_actor *wrong = settle_loners(&s);
    const td_status status = wrong ? wrong->step.status : settle_together(&s);
    if (status == TD_OK || status == TD_ERR_MEMORY) {
        warn_of_unstable(w, diags);
        return status;
    }
    if (!wrong && s.overlaps != TD_NONE) {
        snprintf(path, sizeof path, "objects[%d]", w->actors[s.overlaps].object);
        return tdi_scene_fault(w->scene, diags, TD_ERR_SYNTAX, path, "%s%s", s.diag.message,
                               s.remedy);
    }
    if (wrong) {
        snprintf(path, sizeof path, "objects[%d]", wrong->object);
    }
    return tdi_scene_fault(w->scene, diags, TD_ERR_SYNTAX, path, "%s; " DRAWN,
                           wrong ? wrong->step.diag.message : s.diag.message);
}

td_status tdi_actor_settle(td_world *w, tdi_actor *a, td_diag *diag) {
    const settling s = {.world = w};
    if (!wants_rest(&s, a)) {
        return TD_OK;
    }
    const tdi_member alone = member_at_rest(w, a);
    const tdi_system system = {.member = &alone, .count = 1};
    td_step_stats stats = {0};
    td_diag fault = {.index = TD_NONE};
    const td_status status = settle_system(&s, &system, &stats, &fault);
    return status == TD_OK
               ? TD_OK
               : tdi_fail_at(diag, status, fault.index, "'%s': %s; " DRAWN, a->name, fault.message);
}

// The failure of actors that were solved together, by the name of the first.
static td_status name_party(const settling *s, td_status status, td_diag *diag) {
    char others[32] = "";
    if (status == TD_ERR_MEMORY || s->first == TD_NONE) {
        return tdi_fail_at(diag, status, s->diag.index, "%s", s->diag.message);
    }
    if (s->together > 1) {
        snprintf(others, sizeof others, " and %d more", (int)s->together - 1);
    }
    return tdi_fail_at(diag, status, s->diag.index, "'%s'%s: %s", s->world->actors[s->first].name,
                       others, s->diag.message);
}

static td_status settle_all(settling *s, td_diag *diag) {
    const tdi_actor *wrong = settle_loners(s);
    if (wrong) {
        return tdi_fail_at(diag, wrong->step.status, wrong->step.diag.index, "'%s': %s",
                           wrong->name, wrong->step.diag.message);
    }
    const td_status status = settle_together(s);
    return status == TD_OK ? TD_OK : name_party(s, status, diag);
}

// ---- states that a failure leaves as they were ----------------------------------------------

static size_t states_size(const td_world *w) {
    size_t sum = 1;
    for (int32_t k = 0; k < w->actor_count; k++) {
        sum += w->actors[k].state ? tdi_state_save_size(w->actors[k].state) : 0;
    }
    return sum;
}

static void save_states(const td_world *w, char *bytes) {
    for (int32_t k = 0; k < w->actor_count; k++) {
        if (w->actors[k].state) {
            tdi_state_save(w->actors[k].state, bytes);
            bytes += tdi_state_save_size(w->actors[k].state);
        }
    }
}

static void restore_states(const td_world *w, const char *bytes) {
    for (int32_t k = 0; k < w->actor_count; k++) {
        if (w->actors[k].state) {
            tdi_state_restore(w->actors[k].state, bytes);
            bytes += tdi_state_save_size(w->actors[k].state);
        }
    }
}

td_status td_world_settle(td_world *w, td_rest *rests, td_diag *diag) {
    TDI_REFUSE_IF(!w);
    settling s = {.world = w, .all = true, .rests = rests, .diag = {.index = TD_NONE}};
    const size_t size = states_size(w);
    char *states = tdi_alloc_zeroed(w->alloc, size, 1);
    if (!states) {
        return tdi_fail(diag, TD_ERR_MEMORY, "out of memory for the states of %d actors",
                        (int)w->actor_count);
    }
    save_states(w, states);
    tdi_world_wake_all(w);
    tdi_world_set_constraints(w, td_world_time(w));
    tdi_world_gather_colliders(w);
    const td_status status = settle_all(&s, diag);
    if (status != TD_OK) {
        restore_states(w, states);
    }
    tdi_world_forget_places(w);
    tdi_alloc_free(w->alloc, states, size);
    return status;
}
