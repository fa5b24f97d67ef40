// SPDX-License-Identifier: MIT
// Actors that come and go, and that a program moves.
//
// Places   An actor is at a place of the array of actors, which it keeps for life. Places of
//          removed actors are free, and taken again by actors of the same variant, the first of
//          them first. So an id is a place and a generation, and what is saved says which place is
//          taken next.
// Reserve  Behind the places are actors that were made and never placed, or that a save did not
//          know. They are part of nothing.

#include "world/regrow.h"

#include "base/diag.h"
#include "base/guard.h"
#include "base/opts.h"
#include "math/quat.h"

#include <math.h>
#include <string.h>

// ---- ids ------------------------------------------------------------------------------------

td_actor_id td_world_actor_id(const td_world *w, int32_t k) {
    if (!w) {
        return (td_actor_id){0};
    }
    td_actor_id id = {0};
    if (k >= 0 && k < w->actor_count && w->actors[k].alive) {
        id = (td_actor_id){(uint32_t)k + 1, w->actors[k].generation, w->ids.number};
    }
    return id;
}

int32_t td_world_actor_index(const td_world *w, td_actor_id id) {
    if (!w) {
        return TD_NONE;
    }
    const bool there =
        id.place > 0 && id.place <= (uint32_t)w->actor_count && tdi_world_gave(w, id.world);
    const tdi_actor *a = there ? &w->actors[id.place - 1] : NULL;
    return a && a->alive && a->generation == id.generation ? (int32_t)id.place - 1 : TD_NONE;
}

td_status tdi_id_fail(const td_world *w, const char *what, const char *gone, td_actor_id id,
                      td_diag *diag) {
    if (id.place == 0) {
        return tdi_fail(diag, TD_ERR_STALE, "the id is zero: it names no %s", what);
    }
    return tdi_world_gave(w, id.world)
               ? tdi_fail(diag, TD_ERR_STALE, "%s %d (generation %u) was %s", what,
                          (int)id.place - 1, (unsigned)id.generation, gone)
               : tdi_fail(diag, TD_ERR_STALE,
                          "the id of %s %d (generation %u) is of another world; an id counts only "
                          "in the world that gave it",
                          what, (int)id.place - 1, (unsigned)id.generation);
}

td_status tdi_actor_find(td_world *w, td_actor_id id, tdi_actor **out, td_diag *diag) {
    const int32_t k = td_world_actor_index(w, id);
    *out = k == TD_NONE ? NULL : &w->actors[k];
    return *out ? TD_OK : TDI_ID_FAIL(w, "actor", "removed", id, diag);
}

bool td_world_actor_enabled(const td_world *w, td_actor_id id) {
    if (!w) {
        return false;
    }
    const int32_t k = td_world_actor_index(w, id);
    return k != TD_NONE && w->actors[k].activity != TDI_DISABLED;
}

// ---- reserve --------------------------------------------------------------------------------

// One more in reserve.
static td_status make_one(td_world *w, int32_t variant, td_diag *diag) {
    TDI_TRY(tdi_world_actor_room(w, (int64_t)w->room.made_count + 1));
    tdi_actor *a = &w->actors[w->room.made_count];
    if (w->room.segment_count + td_skeleton_count(w->variants.list[variant].skeleton) >
        w->room.segment_limit) {
        return tdi_fail(diag, TD_ERR_LIMIT, "the world would have more than %lld segments",
                        (long long)w->room.segment_limit);
    }
    td_status status = tdi_variant_draw(w, variant, diag);
    if (status == TD_OK) {
        status = tdi_actor_make(w, variant, a, diag);
        if (status != TD_OK) {
            tdi_actor_free(a);
        }
    }
    if (status == TD_OK) {
        w->constraints.root[w->room.made_count] = w->room.made_count;
        w->constraints.group_of[w->room.made_count] = TD_NONE;
        w->room.made_count++;
        status = tdi_actor_make_loads(w, a);
        status = status == TD_OK ? tdi_actor_applied_room(w, a, w->loads.applied_capacity) : status;
    }
    return status == TD_OK && w->loads.field ? tdi_actor_make_field(w, a) : status;
}

static void swap_made(td_world *w, int32_t i, int32_t j) {
    const tdi_actor kept = w->actors[i];
    w->actors[i] = w->actors[j];
    w->actors[j] = kept;
}

// The first in reserve of a variant comes to the place after the last. False: there is none.
static bool take_reserve(td_world *w, int32_t variant) {
    for (int32_t k = w->actor_count; k < w->room.made_count; k++) {
        if (w->actors[k].variant == variant) {
            swap_made(w, w->actor_count, k);
            return true;
        }
    }
    return false;
}

// All that steps need for those that were made.
td_status tdi_world_make_step_room(td_world *w, td_diag *diag) {
    td_status status = tdi_world_step_room(w, diag);
    status = status == TD_OK ? tdi_world_sleep_room(w, 1) : status;
    return status == TD_OK ? tdi_world_reserve(w) : status;
}

static int32_t variant_of(const td_world *w, int32_t object, int32_t number) {
    return w->objects[object].first_variant +
           number % w->scene->def.objects[object].instances.variants;
}

static td_status check_object(const td_world *w, int32_t object, td_diag *diag) {
    const int32_t count = w->scene->def.object_count;
    return object >= 0 && object < count
               ? TD_OK
               : tdi_fail(diag, TD_ERR_ARGUMENT, "object is %d; the scene has %d", (int)object,
                          (int)count);
}

// Places of an object, free ones too.
int32_t tdi_object_places(const td_world *w, int32_t object, int32_t below) {
    int32_t count = 0;
    for (int32_t k = 0; k < below; k++) {
        count += w->actors[k].object == object;
    }
    return count;
}

td_status td_world_reserve_actors(td_world *w, int32_t object, int32_t count, td_diag *diag) {
    TDI_REFUSE_IF(!w);
    td_status status = check_object(w, object, diag);
    if (status == TD_OK && count < 0) {
        return tdi_fail(diag, TD_ERR_ARGUMENT, "count is %d; it must not be below 0", (int)count);
    }
    const int32_t first = status == TD_OK ? tdi_object_places(w, object, w->room.made_count) : 0;
    for (int32_t k = 0; k < count && status == TD_OK; k++) {
        status = make_one(w, variant_of(w, object, first + k), diag);
    }
    const td_status room = tdi_world_make_step_room(w, diag);
    status = status == TD_OK ? room : status;
    return status == TD_ERR_MEMORY
               ? tdi_fail(diag, status, "out of memory for %d actors", (int)count)
               : status;
}

// ---- adding ---------------------------------------------------------------------------------

td_actor_def td_actor_def_default(void) {
    td_actor_def def = {
        .struct_size = sizeof def, .variant = TD_NONE, .rotation = tdi_quat_identity()};
    return def;
}

static td_status check_def(const td_world *w, const td_actor_def *def, td_diag *diag) {
    TDI_TRY(check_object(w, def->object, diag));
    const int32_t variants = w->scene->def.objects[def->object].instances.variants;
    if (def->skeleton && def->variant != TD_NONE) {
        return tdi_fail(diag, TD_ERR_ARGUMENT,
                        "variant is %d; it must be TD_NONE when `skeleton` is given",
                        (int)def->variant);
    }
    if (def->variant < TD_NONE || def->variant >= variants) {
        return tdi_fail(diag, TD_ERR_ARGUMENT, "variant is %d; the object has %d",
                        (int)def->variant, (int)variants);
    }
    return tdi_check_pose(def->position, def->rotation, diag);
}

// A free place for an actor of an object, the first; or one more; TD_NONE: there is no memory.
static int32_t free_place(td_world *w, const td_actor_def *def, td_status *status, td_diag *diag) {
    const int32_t wanted =
        def->variant == TD_NONE ? TD_NONE : w->objects[def->object].first_variant + def->variant;
    for (int32_t k = 0; k < w->actor_count; k++) {
        const tdi_actor *a = &w->actors[k];
        const bool fits = wanted != TD_NONE
                              ? a->variant == wanted
                              : w->variants.list[a->variant].own == (def->skeleton != NULL);
        if (!a->alive && a->object == def->object && fits) {
            *status = tdi_variant_draw(w, a->variant, diag);
            return *status == TD_OK ? k : TD_NONE;
        }
    }
    const int32_t number = tdi_object_places(w, def->object, w->actor_count);
    const int32_t variant = wanted == TD_NONE ? variant_of(w, def->object, number) : wanted;
    if (!take_reserve(w, variant)) {
        *status = make_one(w, variant, diag);
        *status = *status == TD_OK ? tdi_world_make_step_room(w, diag) : *status;
        if (*status != TD_OK || !take_reserve(w, variant)) {
            return TD_NONE;
        }
    }
    return w->actor_count;
}

// As it was made, at a place, which may be one more.
static void begin(td_world *w, int32_t k, const td_actor_def *def) {
    tdi_actor *a = &w->actors[k];
    const uint32_t generation = k < w->actor_count ? a->generation + 1 : 1;
    td_step_stats none = {0};
    if (k == w->actor_count) {
        w->actor_count++;
        tdi_world_number_points(w, k);
    }
    a->generation = generation;
    a->alive = a->own_place = true;
    a->activity = TDI_ACTIVE;
    a->place = (tdi_transform){def->position, tdi_quat_unit(def->rotation)};
    a->user_data = def->user_data;
    a->filter = def->filter ? *def->filter : w->scene->def.objects[def->object].filter;
    a->state->collision.filter = a->filter;
    a->step.stats = none;
    a->step.largest_force = 0;
    a->contact.barrier = (tdi_barrier){.strength = 1, .range = -1};
    a->base_rate = (tdi_rate){{0, 0, 0}, {0, 0, 0}};
    a->reaction.watched = a->reaction.known = false;
    a->sleep = (tdi_sleep){.requested = false};
    a->attachment = (tdi_attachment){.actor = TD_NONE, .constraint = TD_NONE};
    a->step.status = TD_OK;
    tdi_actor_set_name(w, a, tdi_object_places(w, a->object, k), true);
    tdi_actor_reset(w, a);
    tdi_actor_stop_base(w, a);
    tdi_world_poses_changed(w);
    tdi_world_regroup(w, k);
}

td_status td_world_add_actor(td_world *w, const td_actor_def *given, td_actor_id *out,
                             td_diag *diag) {
    TDI_REFUSE_IF(!w || !out);
    td_actor_def own = td_actor_def_default(), *def = &own;
    *out = (td_actor_id){0};
    td_status status = tdi_def_take("td_actor_def", def, given, diag);
    status = status == TD_OK ? check_def(w, def, diag) : status;
    const int32_t k = status == TD_OK ? free_place(w, def, &status, diag) : TD_NONE;
    if (k == TD_NONE) {
        return status == TD_ERR_MEMORY ? tdi_fail(diag, status, "out of memory for an actor")
                                       : status;
    }
    const bool more = k == w->actor_count;
    const uint32_t before = more ? 0 : w->actors[k].generation;
    begin(w, k, def);
    status = def->skeleton ? tdi_actor_renew(w, k, def->skeleton, diag) : TD_OK;
    const bool renewed = def->skeleton && status == TD_OK;
    status = status == TD_OK ? tdi_actor_settle(w, &w->actors[k], diag) : status;
    status = status == TD_OK ? tdi_actor_overlaps(w, k, diag) : status;
    if (status != TD_OK) {
        tdi_world_drop_pushes(w, k);
        w->actors[k].alive = false;
        w->actors[k].generation = before;
        w->actor_count -= more && !renewed; // what was made stays for the next
        tdi_world_regroup(w, k);
        return status;
    }
    *out = td_world_actor_id(w, k);
    return TD_OK;
}

// ---- removing -------------------------------------------------------------------------------

td_status tdi_actor_check_scene(const td_world *w, const tdi_actor *a, const char *cannot,
                                td_diag *diag) {
    const int32_t actor = (int32_t)(a - w->actors);
    bool held = false;
    for (int32_t k = 0; k < w->scene->def.constraint_count && !held; k++) {
        held =
            w->constraints.slots[k].actor[0] == actor || w->constraints.slots[k].actor[1] == actor;
    }
    return !held ? TD_OK
                 : tdi_fail(diag, TD_ERR_ARGUMENT,
                            "constraints of the scene hold '%s', so that it cannot %s", a->name,
                            cannot);
}

td_status td_world_remove_actor(td_world *w, td_actor_id id, td_diag *diag) {
    TDI_REFUSE_IF(!w);
    tdi_actor *a;
    td_status status = tdi_actor_find(w, id, &a, diag);
    status = status == TD_OK ? tdi_actor_check_scene(w, a, "leave", diag) : status;
    status = status == TD_OK ? tdi_world_detach_all(w, (int32_t)(a - w->actors), diag) : status;
    if (status == TD_OK) {
        const int32_t k = (int32_t)(a - w->actors);
        tdi_actor_wake(w, k, TDI_WAKE_PROGRAM);
        tdi_actor_set_activity(a, TDI_ACTIVE); // as saves have it
        a->alive = a->sleep.has_contacts = false;
        a->step.status = TD_OK;
        tdi_world_release_actor(w, k);
        tdi_actor_end_drives(&w->actors[k]);
        tdi_world_drop_severed(w, k);
        tdi_world_drop_pushes(w, k);
        w->loads.grab.held = w->loads.grab.held && w->loads.grab.actor != k;
        w->loads.grab.twist = w->loads.grab.twist_actor == k ? 0 : w->loads.grab.twist;
        tdi_world_regroup(w, k);
    }
    return status;
}

td_status td_world_enable_actor(td_world *w, td_actor_id id, bool enabled, td_diag *diag) {
    TDI_REFUSE_IF(!w);
    tdi_actor *a;
    td_status status = tdi_actor_find(w, id, &a, diag);
    if (status != TD_OK || (a->activity != TDI_DISABLED) == enabled) {
        return status;
    }
    const int32_t k = (int32_t)(a - w->actors);
    status = tdi_actor_check_scene(w, a, "be disabled", diag);
    status =
        status == TD_OK && !enabled ? tdi_world_replace_constraint(w, k, NULL, NULL, diag) : status;
    if (status != TD_OK) {
        return status;
    }
    tdi_actor_wake(w, k, TDI_WAKE_PROGRAM);
    tdi_actor_set_activity(a, enabled ? TDI_ACTIVE : TDI_DISABLED);
    status = enabled ? tdi_actor_overlaps(w, k, diag) : TD_OK;
    if (status != TD_OK || !enabled) {
        tdi_world_drop_pushes(w, k);
    }
    if (status != TD_OK) {
        tdi_actor_set_activity(a, TDI_DISABLED);
        return status;
    }
    a->step.status = TD_OK;
    tdi_world_regroup(w, k);
    a->sleep.has_contacts = false;
    return TD_OK;
}

// ---- moving ---------------------------------------------------------------------------------

td_status td_world_move_actor(td_world *w, td_actor_id id, td_vec3 position, td_quat rotation,
                              td_diag *diag) {
    TDI_REFUSE_IF(!w);
    tdi_actor *a;
    td_status status = tdi_actor_find(w, id, &a, diag);
    status = status == TD_OK ? tdi_check_pose(position, rotation, diag) : status;
    if (status == TD_OK) {
        a->own_place = true;
        a->place = (tdi_transform){position, tdi_quat_unit(rotation)};
        tdi_actor_stop_waiting(w, (int32_t)(a - w->actors));
        a->attachment.actor = a->attachment.constraint == TD_NONE ? TD_NONE : a->attachment.actor;
    }
    return status;
}

static tdi_rigid motion_between(tdi_transform from, tdi_transform to) {
    tdi_rigid g = {tdi_quat_mul(to.rotation, tdi_quat_conj(from.rotation)), {0, 0, 0}};
    g.shift = tdi_sub(to.position, tdi_quat_rotate(g.turn, from.position));
    return g;
}

// What is simulated apart from its true base stays where it is simulated: nobody sees it there.
static void put(td_world *w, tdi_actor *a, tdi_transform to) {
    const tdi_rigid g = motion_between(a->base, to);
    const bool same = memcmp(&a->base, &a->simulated, sizeof a->base) == 0;
    if (same) {
        td_base_motion base;
        tdi_state_transform(a->state, &g);
        base = a->state->base;
        base.position = to.position; // exactly
        base.rotation = to.rotation;
        a->solver->set_base(a->state, &base);
        a->simulated = to;
    }
    a->base = a->place = to;
    a->own_place = true;
    a->base_rate = (tdi_rate){tdi_rigid_vector(&g, a->base_rate.spin),
                              tdi_rigid_vector(&g, a->base_rate.velocity)};
    tdi_actor_move_ends(w, a);
}

td_status tdi_actor_put(td_world *w, tdi_actor *a, tdi_transform to, const td_constraint *weld,
                        int32_t *constraint, td_diag *diag) {
    const int32_t k = (int32_t)(a - w->actors);
    const tdi_actor before = *a;
    TDI_TRY(tdi_actor_check_scene(w, a, "be placed elsewhere", diag));
    tdi_world_forget_pushes(w);
    tdi_state_save(a->state, w->memory.began);
    put(w, a, to);
    td_status status = tdi_actor_acts(a) ? tdi_actor_overlaps(w, k, diag) : TD_OK;
    status = status == TD_OK ? tdi_world_replace_constraint(w, k, weld, constraint, diag) : status;
    if (status != TD_OK) {
        *a = before;
        tdi_state_restore(a->state, w->memory.began);
        tdi_world_return_pushes(w);
        return status;
    }
    tdi_world_regroup(w, k);
    tdi_actor_wake(w, k, TDI_WAKE_PROGRAM);
    a->attachment.actor = TD_NONE;
    return TD_OK;
}

td_status td_world_place_actor(td_world *w, td_actor_id id, td_vec3 position, td_quat rotation,
                               td_diag *diag) {
    TDI_REFUSE_IF(!w);
    tdi_actor *a;
    TDI_TRY(tdi_actor_find(w, id, &a, diag));
    TDI_TRY(tdi_check_pose(position, rotation, diag));
    const tdi_transform to = {position, tdi_quat_unit(rotation)};
    return tdi_actor_put(w, a, to, NULL, NULL, diag);
}

// ---- filters and user data ------------------------------------------------------------------

static void set_filter(tdi_actor *a, td_filter filter) {
    a->filter = a->state->collision.filter = filter;
}

td_status td_world_set_actor_filter(td_world *w, td_actor_id id, td_filter filter, td_diag *diag) {
    TDI_REFUSE_IF(!w);
    tdi_actor *a;
    TDI_TRY(tdi_actor_find(w, id, &a, diag));
    const td_filter before = a->filter;
    const int32_t k = (int32_t)(a - w->actors);
    set_filter(a, filter);
    td_status status = tdi_actor_acts(a) ? tdi_actor_overlaps(w, k, diag) : TD_OK;
    if (status != TD_OK) {
        set_filter(a, before);
        tdi_world_return_pushes(w);
        return status;
    }
    tdi_world_regroup(w, k);
    tdi_actor_wake(w, k, TDI_WAKE_PROGRAM);
    return TD_OK;
}

td_status td_world_set_actor_user_data(td_world *w, td_actor_id id, uint64_t user_data,
                                       td_diag *diag) {
    TDI_REFUSE_IF(!w);
    tdi_actor *a;
    const td_status status = tdi_actor_find(w, id, &a, diag);
    if (status == TD_OK) {
        a->user_data = user_data;
    }
    return status;
}

// ---- places of a save -----------------------------------------------------------------------

// Actors of a variant, from a place on.
static int32_t count_variant(const td_world *w, int32_t variant, int32_t from, int32_t to) {
    int32_t count = 0;
    for (int32_t k = from; k < to; k++) {
        count += w->actors[k].variant == variant;
    }
    return count;
}

td_status tdi_world_make_places(td_world *w, const int32_t *variants, int32_t count,
                                td_diag *diag) {
    td_status status = TD_OK;
    for (int32_t v = 0; v < w->variants.count && status == TD_OK; v++) {
        int32_t missing = -count_variant(w, v, 0, w->room.made_count);
        for (int32_t k = 0; k < count; k++) {
            missing += variants[k] == v;
        }
        for (; missing > 0 && status == TD_OK; missing--) {
            status = make_one(w, v, diag);
        }
    }
    const td_status room = tdi_world_make_step_room(w, diag);
    return status == TD_OK ? room : status;
}

void tdi_world_take_places(td_world *w, const int32_t *variants, int32_t count) {
    for (w->actor_count = 0; w->actor_count < count; w->actor_count++) {
        take_reserve(w, variants[w->actor_count]);
    }
    tdi_world_number_points(w, 0);
    tdi_world_forget_contact(w);
    for (int32_t k = 0; k < count; k++) {
        tdi_actor *a = &w->actors[k];
        const int32_t instance = tdi_object_places(w, a->object, k);
        tdi_actor_set_name(w, a, instance,
                           instance >= w->objects[a->object].actor_count ||
                               w->objects[a->object].actor_count > 1);
    }
}
