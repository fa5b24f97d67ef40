// SPDX-License-Identifier: MIT
// Tests whether an actor or a collider that is placed would overlap others. Contact keeps gaps
// open: it cannot start from an overlap.

#include "world/world.h"

#include "base/diag.h"
#include "math/quat.h"

#include <math.h>
#include <stdio.h>

// ---- actors and colliders -------------------------------------------------------------------

// An actor with colliders; its own segments do not count.
static td_status overlaps_colliders(td_world *w, tdi_actor *a, const td_collider *colliders,
                                    const tdi_collider_label *labels, int32_t count, bool *overlaps,
                                    bool *grown, td_diag *diag) {
    td_contact_opts opts = tdi_world_contact_opts(w);
    td_step_opts still = td_step_opts_default();
    const tdi_member alone = {
        .body = a->state, .opts = &still, .name = a->name, .room = &a->contact.room};
    opts.self = false;
    tdi_body_contact *contact =
        tdi_body_contact_place(&alone, 1, &opts, w->colliders.capacity, w->near.trial);
    const tdi_system system = {.member = &alone,
                               .count = 1,
                               .contact = contact,
                               .colliders = colliders,
                               .collider_count = count,
                               .labels = labels};
    *overlaps = *grown = false;
    if (!contact->set) {
        return TD_OK;
    }
    td_diag found = {.index = TD_NONE, .message = ""};
    td_status status = tdi_body_contact_begin(contact, &system, w->clock.dt, 0, 1, 1, &found);
    *overlaps = status == TD_ERR_DIVERGED;
    status = *overlaps ? TD_ERR_BLOCKED : status;
    if (tdi_body_contact_lacks_room(contact) && !w->room.no_growth) {
        tdi_body_contact_grow(contact, 0, &a->contact.room);
        *grown = true;
    }
    return status == TD_OK ? TD_OK : tdi_fail_at(diag, status, found.index, "%s", found.message);
}

// After a search that found more pairs than there is room for: makes room, if that is allowed.
// `grown`: the actor has more already. Whether to search again.
static bool make_room(td_world *w, bool grown, td_status *status, td_diag *diag) {
    if (*status != TD_ERR_LIMIT || w->room.no_growth) {
        return false;
    }
    *status =
        grown ? tdi_world_step_room(w, diag) : tdi_world_limit_pairs(w, 2 * w->near.pairs, diag);
    return *status == TD_OK;
}

// Around the points of an actor, m, with the largest radius around it.
static td_box bounds_of(td_world *w, const tdi_actor *a) {
    const int32_t first = w->near.first_point[a - w->actors], count = a->state->point_count;
    td_vec3 *x = w->near.next + first; // what was there is made anew by the next step
    td_real radius = 0;
    td_box b = {{HUGE_VAL, HUGE_VAL, HUGE_VAL}, {-HUGE_VAL, -HUGE_VAL, -HUGE_VAL}};
    tdi_state_positions(a->state, tdi_all_nodes(a->state), false, x);
    for (int32_t k = 0; k < count; k++) {
        b.low = tdi_vec3(fmin(b.low.x, x[k].x), fmin(b.low.y, x[k].y), fmin(b.low.z, x[k].z));
        b.high = tdi_vec3(fmax(b.high.x, x[k].x), fmax(b.high.y, x[k].y), fmax(b.high.z, x[k].z));
    }
    for (int32_t i = 0; i < a->segment_count; i++) {
        radius = fmax(radius, fmax(a->segments[i].radius_base, a->segments[i].radius_tip));
    }
    const td_vec3 more = tdi_vec3(radius, radius, radius);
    return (td_box){tdi_sub(b.low, more), tdi_add(b.high, more)};
}

// Whether some corner of a box is below a plane through p.
static bool below(td_vec3 p, td_quat rotation, const td_box *b) {
    const td_vec3 n = tdi_quat_rotate(rotation, tdi_vec3(0, 1, 0));
    const td_vec3 lowest = {n.x > 0 ? b->low.x : b->high.x, n.y > 0 ? b->low.y : b->high.y,
                            n.z > 0 ? b->low.z : b->high.z};
    return tdi_dot(n, tdi_sub(lowest, p)) < 0;
}

// Of others a ball around each counts, all along its way.
bool tdi_collider_reaches(const td_collider *c, const td_box *b) {
    const td_real reach = c->kind == TD_COLLIDER_SPHERE    ? c->radius
                          : c->kind == TD_COLLIDER_CAPSULE ? c->radius + c->length / 2
                                                           : tdi_norm(c->sides) / 2;
    const td_vec3 p = c->position0, q = c->position;
    if (c->kind == TD_COLLIDER_HEIGHT_FIELD) {
        return true; // it has no border
    }
    return c->kind == TD_COLLIDER_PLANE
               ? below(p, c->rotation0, b) || below(q, c->rotation, b)
               : fmax(p.x, q.x) + reach > b->low.x && fmin(p.x, q.x) - reach < b->high.x &&
                     fmax(p.y, q.y) + reach > b->low.y && fmin(p.y, q.y) - reach < b->high.y &&
                     fmax(p.z, q.z) + reach > b->low.z && fmin(p.z, q.z) - reach < b->high.z;
}

td_status tdi_collider_overlaps(td_world *w, int32_t collider, td_diag *diag) {
    const td_collider *c = &w->colliders.slots[collider].now;
    const tdi_collider_label label = tdi_world_collider_label(w, collider);
    for (int32_t k = 0; k < w->actor_count; k++) {
        tdi_actor *a = &w->actors[k];
        if (!a->has_contact || !tdi_actor_acts(a) || a->state->capsule_count == 0) {
            continue;
        }
        const td_box b = bounds_of(w, a);
        const bool near = tdi_collider_reaches(c, &b);
        td_diag found = {.message = ""};
        bool overlaps = false, grown = false;
        td_status status;
        do {
            status =
                near ? overlaps_colliders(w, a, c, &label, 1, &overlaps, &grown, &found) : TD_OK;
        } while (make_room(w, grown, &status, &found));
        if (overlaps) {
            char text[TDI_COLLIDER_TEXT];
            tdi_collider_text(c, label, text);
            return tdi_fail_at(diag, TD_ERR_BLOCKED, k, "%s would be within '%s'", text, a->name);
        }
        if (status != TD_OK) {
            return tdi_fail_at(diag, status, found.index, "%s", found.message);
        }
    }
    return TD_OK;
}

// ---- actors ---------------------------------------------------------------------------------

// Of all that act, which are apart but for this one. TD_NONE: a world that pushes has just been
// made.
static td_status overlaps_actors(td_world *w, int32_t actor, bool *grown, td_diag *diag) {
    tdi_nearness *n = &w->near;
    int32_t which[2];
    if (tdi_world_pushes(w)) {
        tdi_world_begin_pushes(w, actor);
    }
    w->islands.regroup = true;
    tdi_world_follow_actors(w);
    tdi_world_forget_places(w);
    for (int32_t k = 0; k < w->actor_count; k++) {
        const tdi_actor *a = &w->actors[k];
        if (a->has_contact) {
            tdi_state_positions(a->state, tdi_all_nodes(a->state), false, n->x + n->first_point[k]);
        }
    }
    td_status status = n->set ? tdi_world_find_pairs(w, NULL, diag) : TD_OK;
    if (status != TD_OK || !n->set) {
        return status;
    }
    if (tdi_world_pushes(w)) {
        return tdi_world_find_pushes(w, actor, grown, diag);
    }
    if (!tdi_contacts_overlap(n->set, n->x, 0, which)) {
        return TD_OK;
    }
    const int32_t one = n->owner[which[0]], other = n->owner[which[1]];
    return tdi_fail_at(diag, TD_ERR_BLOCKED, one == actor ? other : one,
                       "'%s' would be within '%s'", w->actors[actor].name,
                       w->actors[one == actor ? other : one].name);
}

const char *tdi_world_apart_text(const td_world *w, const tdi_body_contact *contact) {
    return contact->search.with_segment && !tdi_world_pushes(w)
               ? "; move them apart by more than that, make a radius smaller, or write "
                 "`contact: {overlap: push}`"
               : "; move them apart by more than that, or make a radius smaller";
}

td_status tdi_actor_overlaps(td_world *w, int32_t actor, td_diag *diag) {
    tdi_actor *a = &w->actors[actor];
    td_diag found = {.message = ""};
    td_status status;
    TDI_TRY(tdi_world_keep_pushes(w, diag));
    if (!a->has_contact || a->state->capsule_count == 0) {
        return TD_OK;
    }
    tdi_world_gather_colliders(w);
    bool grown = false;
    do {
        bool overlaps;
        status = overlaps_colliders(w, a, w->colliders.enabled, w->colliders.labels,
                                    w->colliders.enabled_count, &overlaps, &grown, &found);
        status = status == TD_OK && w->scene->def.contact.self
                     ? overlaps_actors(w, actor, &grown, &found)
                     : status;
    } while (make_room(w, grown, &status, &found));
    return status == TD_OK ? TD_OK : tdi_fail_at(diag, status, found.index, "%s", found.message);
}

td_status tdi_world_find_overlaps(td_world *w, td_diag *diag) {
    bool grown = false;
    td_status status;
    if (!tdi_world_pushes(w) || !w->scene->def.contact.self || !w->near.x) {
        return TD_OK;
    }
    do {
        status = overlaps_actors(w, TD_NONE, &grown, diag);
    } while (make_room(w, grown, &status, diag));
    return status;
}

void tdi_actor_find_overlaps(td_world *w, int32_t actor) {
    if (tdi_world_pushes(w) && tdi_actor_acts(&w->actors[actor])) {
        tdi_actor_overlaps(w, actor, NULL);
    }
}
