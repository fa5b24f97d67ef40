// SPDX-License-Identifier: MIT
// Replaces the variant of an actor that is cut or regrown. A piece that a cut severs becomes a new
// actor.
//
// Method   Everything is made first, in new memory: models, states that inherit the motion, lists
//          and arrays for loads. Only then the actor's place is overwritten, which can fail for
//          want of memory for contact alone. The old actor is freed last; after a failure it is
//          put back.

#include "world/regrow.h"

#include "base/alloc.h"
#include "base/diag.h"
#include "math/quat.h"
#include "world/saving_variants.h"

#include <math.h>
#include <string.h>

// ---- checks ---------------------------------------------------------------------------------

static bool can_inherit(const tdi_solver *solver) {
    const tdi_transfer_ops *t = tdi_transfer_of(solver);
    return t->inherit && (t->springs || t->next_new);
}

td_status tdi_actor_check_growth(const td_world *w, const tdi_actor *a, bool cut, td_diag *diag) {
    const tdi_solver *solver = a->solver;
    TDI_TRY(tdi_actor_check_scene(w, a, "be cut or grow", diag));
    if (a->adapt.adapt) {
        return tdi_fail(diag, TD_ERR_ARGUMENT,
                        "'%s' has the integrator 'adaptive', with which it cannot be cut or grow",
                        a->name);
    }
    if (!can_inherit(solver)) {
        return tdi_fail(diag, TD_ERR_ARGUMENT, "'%s' has the solver '%s', with which it cannot %s",
                        a->name, solver->info.name, cut ? "be cut" : "grow");
    }
    return TD_OK;
}

// ---- making ---------------------------------------------------------------------------------

td_status tdi_change_new(td_world *w, int32_t actor, int32_t parts, tdi_change *out) {
    const int32_t count = w->actors[actor].segment_count;
    *out = (tdi_change){.parts = parts, .variant = {TD_NONE, TD_NONE}};
    tdi_trace *t = &out->trace;
    *t = (tdi_trace){.from = actor, .actor = {actor, TD_NONE}, .count = count, .split = TD_NONE};
    t->next[0] = tdi_alloc_zeroed(w->alloc, TDI_PARTS * (size_t)count, sizeof *t->next[0]);
    if (!t->next[0]) {
        return TD_ERR_MEMORY;
    }
    t->next[1] = t->next[0] + count;
    return TD_OK;
}

static void note_segment_map(tdi_trace *t, int part, const tdi_segment_source *segment_map,
                             int32_t count) {
    for (int32_t i = 0; i < t->count; i++) {
        t->next[part][i] = TD_NONE;
    }
    for (int32_t i = 0; i < count; i++) {
        if (segment_map[i].segment != TD_NONE) {
            t->next[part][segment_map[i].segment] = i;
        }
    }
}

// A place that nobody has, of an actor of this object with a variant of its own; or one more.
static int32_t free_place(const td_world *w, int32_t object) {
    for (int32_t k = 0; k < w->actor_count; k++) {
        const tdi_actor *a = &w->actors[k];
        if (!a->alive && a->object == object && w->variants.list[a->variant].own) {
            return k;
        }
    }
    return w->actor_count;
}

static void clear_memory(tdi_actor *a) {
    a->state = NULL;
    a->load.acting = NULL;
    a->load.points = a->load.winds = a->load.extra = a->load.forces = a->load.fields = NULL;
    a->load.turns = NULL;
    a->load.loads = NULL;
    a->load.capacity = a->load.applied_room = a->load.acting_count = 0;
    a->step.memory = a->adapt.memory = NULL;
    a->contact.analytic = NULL;
    a->drive.drives = NULL;
    a->drive.count = 0;
}

// What fell off is on its own, where it is, on a base that stands.
static void set_free(tdi_actor *a) {
    const td_step_stats none = {0};
    a->own_place = true;
    a->place = a->base;
    a->base_rate = (tdi_rate){{0, 0, 0}, {0, 0, 0}};
    a->step.stats = none;
    a->step.largest_force = 0;
    a->reaction.watched = a->reaction.known = false;
    a->activity = a->activity == TDI_DISABLED ? TDI_DISABLED : TDI_ACTIVE;
    a->sleep = (tdi_sleep){.requested = false};
    a->attachment = (tdi_attachment){.actor = TD_NONE, .constraint = TD_NONE};
    a->step.status = TD_OK;
    a->name = NULL;
}

static td_status make_lists(td_world *w, const tdi_change *c, int part, tdi_actor *a) {
    const size_t most = (size_t)w->scene->def.load_count + 1;
    a->load.acting = tdi_arena_zeroed(tdi_actor_arena(w, a), most, sizeof *a->load.acting);
    TDI_TRY(a->load.acting ? TD_OK : TD_ERR_MEMORY);
    tdi_trace_acting(&c->trace, &w->actors[c->trace.from], part, a);
    td_status status = tdi_actor_load_room(w, a);
    status = status == TD_OK ? tdi_actor_applied_room(w, a, w->loads.applied_capacity) : status;
    return status == TD_OK && w->loads.field ? tdi_actor_make_field(w, a) : status;
}

static td_status make_part(td_world *w, tdi_change *c, int part, td_diag *diag) {
    const tdi_actor *from = &w->actors[c->trace.from];
    tdi_actor *a = &c->next[part];
    *a = *from;
    clear_memory(a);
    if (c->parts > 1) { // the parts are beside each other
        a->contact.barrier.range = -fabs(a->contact.barrier.range);
    }
    if (part == TDI_FALLS) {
        set_free(a);
    }
    c->made[part] = true;
    TDI_TRY(tdi_actor_form(w, c->variant[part], a, diag));
    td_base_motion base = from->state->base;
    if (part == TDI_FALLS) {
        base = (td_base_motion){.position = base.position, .rotation = base.rotation};
    }
    a->solver->set_base(a->state, &base);
    if (tdi_has_segment_map(c->segment_map[part], a->segment_count)) { // without any it is as drawn
        a->solver->transfer->inherit(a->state, from->state, c->segment_map[part]);
    }
    tdi_actor_move_ends(w, a);
    td_status status = tdi_variant_pack(w, c->variant[part]);
    return status == TD_OK ? make_lists(w, c, part, a) : status;
}

td_status tdi_change_make(td_world *w, tdi_change *c, td_diag *diag) {
    int64_t more = -w->actors[c->trace.from].segment_count;
    td_status status = TD_OK;
    c->trace.actor[TDI_FALLS] =
        c->parts > 1 ? free_place(w, w->actors[c->trace.from].object) : TD_NONE;
    note_segment_map(&c->trace, TDI_FALLS, NULL, 0);
    for (int part = 0; part < c->parts; part++) {
        const int32_t count = td_skeleton_count(w->variants.list[c->variant[part]].skeleton);
        note_segment_map(&c->trace, part, c->segment_map[part], count);
        more += count;
    }
    if (w->room.segment_count + more > w->room.segment_limit) {
        return tdi_fail(diag, TD_ERR_LIMIT, "the world would have more than %lld segments",
                        (long long)w->room.segment_limit);
    }
    for (int part = 0; part < c->parts && status == TD_OK; part++) {
        status = make_part(w, c, part, diag);
    }
    return status;
}

void tdi_change_free(td_world *w, tdi_change *c) {
    for (int part = 0; part < c->parts; part++) {
        if (c->made[part]) {
            tdi_actor_free(&c->next[part]);
        }
        tdi_world_drop_variant(w, c->variant[part]);
    }
    tdi_severed_free(&c->severed, w->alloc);
    tdi_alloc_free(w->alloc, c->trace.next[0],
                   TDI_PARTS * (size_t)c->trace.count * sizeof *c->trace.next[0]);
}

// ---- displacements of points
// -------------------------------------------------------------------------

// Displacements of the points of all actors in the last step, before the change.
typedef struct displacements {
    td_vec3 *last;
    int32_t *first;
    int32_t points, actors;
    int32_t *capsule; // of a segment of the actor that changes
    tdi_capsule *old;
    int32_t segments, capsules;
} displacements;

static td_status copy_displacements(const td_world *w, const tdi_actor *a, displacements *out) {
    const tdi_nearness *n = &w->near;
    *out = (displacements){.actors = w->actor_count, .segments = a->segment_count};
    if (!n->x) {
        return TD_OK;
    }
    out->points = n->first_point[w->actor_count];
    out->capsules = a->has_contact ? a->state->capsule_count : 0;
    const size_t points = (size_t)out->points + 1, actors = (size_t)out->actors + 1;
    out->last = tdi_alloc_zeroed(w->alloc, points, sizeof *out->last);
    out->first = tdi_alloc_zeroed(w->alloc, actors, sizeof *out->first);
    out->capsule = tdi_alloc_zeroed(w->alloc, (size_t)out->segments, sizeof *out->capsule);
    out->old = tdi_alloc_zeroed(w->alloc, (size_t)out->capsules + 1, sizeof *out->old);
    if (!out->last || !out->first || !out->capsule || !out->old) {
        return TD_ERR_MEMORY;
    }
    memcpy(out->last, n->last, (size_t)out->points * sizeof *out->last);
    memcpy(out->first, n->first_point, actors * sizeof *out->first);
    for (int32_t i = 0; i < out->segments; i++) {
        out->capsule[i] = TD_NONE;
    }
    if (out->capsules > 0) {
        a->solver->implicit->contact->capsules(a->state, out->old);
    }
    for (int32_t k = 0; k < out->capsules; k++) {
        out->capsule[out->old[k].body] = k;
    }
    return TD_OK;
}

static void free_displacements(const td_world *w, displacements *k) {
    tdi_alloc_free(w->alloc, k->last, ((size_t)k->points + 1) * sizeof *k->last);
    tdi_alloc_free(w->alloc, k->first, ((size_t)k->actors + 1) * sizeof *k->first);
    tdi_alloc_free(w->alloc, k->capsule, (size_t)k->segments * sizeof *k->capsule);
    tdi_alloc_free(w->alloc, k->old, ((size_t)k->capsules + 1) * sizeof *k->old);
}

// Points of a part go as those of the capsules did whose heirs its own are.
static td_status spread_part(const td_world *w, const displacements *k, const tdi_change *c,
                             int part) {
    const int32_t at = c->trace.actor[part];
    const tdi_actor *a = &w->actors[at];
    const int32_t count = a->has_contact ? a->state->capsule_count : 0;
    td_vec3 *last = w->near.last + w->near.first_point[at];
    const td_vec3 *old = k->last + k->first[c->trace.from];
    tdi_capsule *own = tdi_alloc_zeroed(w->alloc, (size_t)count + 1, sizeof *own);
    TDI_TRY(own ? TD_OK : TD_ERR_MEMORY);
    memset(last, 0, (size_t)(count > 0 ? a->state->point_count : 0) * sizeof *last);
    if (count > 0) {
        a->solver->implicit->contact->capsules(a->state, own);
    }
    for (int32_t i = 0; i < count; i++) {
        const int32_t was = c->segment_map[part][own[i].body].segment;
        const int32_t from = was == TD_NONE ? TD_NONE : k->capsule[was];
        if (from != TD_NONE) {
            last[own[i].a] = old[k->old[from].a];
            last[own[i].b] = old[k->old[from].b];
        }
    }
    tdi_alloc_free(w->alloc, own, ((size_t)count + 1) * sizeof *own);
    return TD_OK;
}

// `c` NULL: all are as they were.
static td_status distribute_displacements(td_world *w, const displacements *k,
                                          const tdi_change *c) {
    tdi_nearness *n = &w->near;
    td_status status = TD_OK;
    tdi_world_number_points(w, 0);
    for (int32_t i = 0; i < k->actors && k->last; i++) {
        const int32_t count = n->first_point[i + 1] - n->first_point[i];
        if (!c || (i != c->trace.actor[TDI_STAYS] && i != c->trace.actor[TDI_FALLS])) {
            memcpy(n->last + n->first_point[i], k->last + k->first[i],
                   (size_t)count * sizeof *n->last);
        }
    }
    for (int part = 0; c && k->last && part < c->parts && status == TD_OK; part++) {
        status = spread_part(w, k, c, part);
    }
    return status;
}

// ---- places ---------------------------------------------------------------------------------

// The place of what falls, with a name; it was there before, or is one more.
static td_status make_place(td_world *w, tdi_change *c) {
    const int32_t k = c->trace.actor[TDI_FALLS];
    TDI_TRY(tdi_world_actor_room(w, (int64_t)w->room.made_count + 1));
    const bool more = k == w->actor_count;
    tdi_actor *a = &c->next[TDI_FALLS];
    a->generation = more ? 1 : w->actors[k].generation + 1;
    a->name = more ? tdi_arena_zeroed(&w->arena, TDI_NAME, 1) : w->actors[k].name;
    return a->name ? TD_OK : TD_ERR_MEMORY;
}

static void take_place(td_world *w, tdi_change *c) {
    const int32_t k = c->trace.actor[TDI_FALLS];
    c->more = k == w->actor_count;
    if (c->more) { // what is in reserve there moves on
        w->constraints.root[w->room.made_count] = w->room.made_count;
        w->constraints.group_of[w->room.made_count] = TD_NONE;
        w->actors[w->room.made_count] = w->actors[k];
        w->room.made_count++;
        w->actor_count++;
    } else {
        w->room.segment_count -= w->actors[k].segment_count;
        tdi_actor_free(&w->actors[k]);
        tdi_world_drop_variant(w, w->actors[k].variant);
    }
    w->actors[k] = c->next[TDI_FALLS];
    w->room.segment_count += w->actors[k].segment_count;
    tdi_actor_set_name(w, &w->actors[k], tdi_object_places(w, w->actors[k].object, k), true);
}

// Islands and contacts of the last step name states that no longer exist. Contact memory is placed
// again for the changed actors alone.
static void regroup(td_world *w, const tdi_change *c) {
    w->islands.count = 0;
    w->islands.regroup = true;
    tdi_world_forget_places(w);
    for (int part = 0; part < c->parts; part++) {
        w->near.before[c->trace.actor[part]] = TD_NONE;
    }
}

// ---- entry ----------------------------------------------------------------------------------

// One more place is none again; one that was there before stays a place that nobody has.
static void leave_place(td_world *w, tdi_change *c) {
    tdi_actor *a = &w->actors[c->trace.actor[TDI_FALLS]];
    if (c->more) {
        w->room.segment_count -= a->segment_count;
        w->actor_count--;
        w->room.made_count--;
        *a = w->actors[w->room.made_count];
    } else {
        a->alive = false;
        c->made[TDI_FALLS] = false;
        c->variant[TDI_FALLS] = TD_NONE;
    }
}

// What was there before comes back.
static void go_back(td_world *w, tdi_change *c, const tdi_actor *before, const displacements *k) {
    w->actors[c->trace.from] = *before;
    w->room.segment_count += before->segment_count - c->next[TDI_STAYS].segment_count;
    if (c->parts > 1) {
        leave_place(w, c);
    }
    distribute_displacements(w, k, NULL);
    regroup(w, c);
    tdi_world_return_pushes(w);
}

static void finish(td_world *w, tdi_change *c, tdi_actor *before) {
    tdi_actor_wake(w, c->trace.from, TDI_WAKE_PROGRAM);
    tdi_world_follow_trace(w, &c->trace, before);
    tdi_world_add_severed(w, &c->severed);
    for (int part = 0; part < c->parts; part++) {
        c->made[part] = false;
        c->variant[part] = TD_NONE;
    }
    tdi_world_share_severed(w);
    tdi_actor_free(before);
    tdi_world_drop_variant(w, before->variant);
    for (int part = 0; part < c->parts; part++) {
        tdi_actor_find_overlaps(w, c->trace.actor[part]);
    }
    regroup(w, c);
}

td_status tdi_change_commit(td_world *w, tdi_change *c, bool check, td_diag *diag) {
    const int32_t k = c->trace.from;
    displacements kept;
    tdi_world_forget_pushes(w);
    td_status status = copy_displacements(w, &w->actors[k], &kept);
    status = status == TD_OK && c->parts > 1 ? make_place(w, c) : status;
    if (status == TD_OK) {
        tdi_actor before = w->actors[k];
        w->room.segment_count += c->next[TDI_STAYS].segment_count - before.segment_count;
        for (int part = 0; part < c->parts; part++) { // it will need as much
            c->next[part].contact.room = before.contact.room;
        }
        w->actors[k] = c->next[TDI_STAYS];
        if (c->parts > 1) {
            take_place(w, c);
        }
        status = tdi_world_make_step_room(w, diag);
        status = status == TD_OK ? distribute_displacements(w, &kept, c) : status;
        regroup(w, c);
        status = status == TD_OK && check && tdi_actor_acts(&w->actors[k])
                     ? tdi_actor_overlaps(w, k, diag)
                     : status;
        status = status == TD_OK ? tdi_world_remap_constraints(w, &c->trace, diag) : status;
        if (status == TD_OK) {
            finish(w, c, &before);
        } else {
            go_back(w, c, &before, &kept);
        }
    }
    free_displacements(w, &kept);
    return status;
}
