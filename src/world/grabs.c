// SPDX-License-Identifier: MIT
// Hands of a program: springs and dampers from points of segments to positions.

#include "world/world.h"

#include "base/guard.h"
#include "base/opts.h"

#include <math.h>

// ---- ids ------------------------------------------------------------------------------------

static td_status find(td_world *w, td_grab_id id, tdi_hand **out, td_diag *diag) {
    tdi_hand *h = id.place > 0 && id.place <= (uint32_t)w->loads.hand_count
                      ? &w->loads.hands[id.place - 1]
                      : NULL;
    *out =
        h && h->alive && h->generation == id.generation && tdi_world_gave(w, id.world) ? h : NULL;
    return *out ? TD_OK : TDI_ID_FAIL(w, "grab", "released", id, diag);
}

// ---- room -----------------------------------------------------------------------------------

td_status tdi_world_hand_room(td_world *w, int32_t count) {
    while (count > w->loads.hand_capacity) {
        int64_t capacity = w->loads.hand_capacity;
        tdi_hand *hands = tdi_arena_grow(&w->arena, w->loads.hands, w->loads.hand_count, &capacity,
                                         sizeof *hands);
        if (!hands || capacity > INT32_MAX / 2) {
            return TD_ERR_MEMORY;
        }
        w->loads.hands = hands;
        w->loads.hand_capacity = (int32_t)capacity;
    }
    return TD_OK;
}

td_status tdi_actor_hand_room(td_world *w, tdi_actor *a, int32_t hands) {
    if (hands <= a->load.hand_room) {
        return TD_OK;
    }
    const int32_t more =
        (hands > 2 * a->load.hand_room ? hands : 2 * a->load.hand_room) - a->load.hand_room;
    td_load *loads = tdi_arena_zeroed(tdi_actor_arena(w, a),
                                      (size_t)a->load.capacity + (size_t)more, sizeof *loads);
    if (!loads) {
        return TD_ERR_MEMORY;
    }
    a->load.loads = loads;
    a->load.capacity += more;
    a->load.hand_room += more;
    return TD_OK;
}

// All hands may be at one actor.
static td_status reserve(td_world *w, int64_t hands) {
    td_status status =
        hands > INT32_MAX / 4 ? TD_ERR_LIMIT : tdi_world_hand_room(w, (int32_t)hands);
    for (int32_t k = 0; k < w->room.made_count && status == TD_OK; k++) {
        status = tdi_actor_hand_room(w, &w->actors[k], (int32_t)hands);
    }
    return status;
}

td_status td_world_reserve_grabs(td_world *w, int32_t count, td_diag *diag) {
    if (!w) {
        return tdi_refuse(diag, __func__);
    }
    if (count < 0) {
        return tdi_fail(diag, TD_ERR_ARGUMENT, "count is %d; it must not be below 0", (int)count);
    }
    td_status status = reserve(w, (int64_t)w->loads.hand_count + count);
    return status == TD_OK
               ? TD_OK
               : tdi_fail(diag, status, "there is no room for %d more grabs", (int)count);
}

// ---- adding and releasing -------------------------------------------------------------------

td_grab_def td_grab_def_default(void) {
    td_grab_def def = {.struct_size = sizeof def, .stiffness = 100};
    return def;
}

static td_status check_def(const td_world *w, const td_grab_def *def, td_diag *diag) {
    const int32_t k = td_world_actor_index(w, def->actor);
    if (k == TD_NONE) {
        return TDI_ID_FAIL(w, "actor", "removed", def->actor, diag);
    }
    if (def->segment < 0 || def->segment >= w->actors[k].segment_count) {
        return tdi_fail(diag, TD_ERR_ARGUMENT, "segment is %d; '%s' has %d", (int)def->segment,
                        w->actors[k].name, (int)w->actors[k].segment_count);
    }
    if (!tdi_finite3(def->point) || !tdi_finite3(def->to)) {
        return tdi_fail(diag, TD_ERR_ARGUMENT, "%s is not finite",
                        tdi_finite3(def->point) ? "to" : "point");
    }
    if (!(def->stiffness >= 0) || !(def->damping >= 0) || !isfinite(def->stiffness) ||
        !isfinite(def->damping)) {
        return tdi_fail(diag, TD_ERR_ARGUMENT,
                        "stiffness is %g and damping %g; they must not be below 0", def->stiffness,
                        def->damping);
    }
    return TD_OK;
}

td_status td_world_add_grab(td_world *w, const td_grab_def *given, td_grab_id *out, td_diag *diag) {
    if (!w || !out) {
        return tdi_refuse(diag, __func__);
    }
    td_grab_def own = td_grab_def_default(), *def = &own;
    int32_t k = 0;
    *out = (td_grab_id){0};
    td_status status = tdi_def_take("td_grab_def", def, given, diag);
    status = status == TD_OK ? check_def(w, def, diag) : status;
    while (k < w->loads.hand_count && w->loads.hands[k].alive) {
        k++;
    }
    const int32_t actor = status == TD_OK ? td_world_actor_index(w, def->actor) : TD_NONE;
    const int32_t count = k < w->loads.hand_count ? w->loads.hand_count : k + 1;
    status = status == TD_OK ? tdi_world_hand_room(w, count) : status;
    status = status == TD_OK ? tdi_actor_hand_room(w, &w->actors[actor], count) : status;
    if (status != TD_OK) {
        return status == TD_ERR_MEMORY ? tdi_fail(diag, status, "out of memory for a grab")
                                       : status;
    }
    const uint32_t taken = k < w->loads.hand_count ? w->loads.hands[k].generation : 0;
    w->loads.hand_count = count;
    w->loads.hands[k] = (tdi_hand){.generation = taken + 1,
                                   .alive = true,
                                   .actor = actor,
                                   .segment = def->segment,
                                   .point = def->point,
                                   .to = def->to,
                                   .stiffness = def->stiffness,
                                   .damping = def->damping};
    tdi_actor_jolt(w, actor, 0, 1);
    *out = (td_grab_id){(uint32_t)k + 1, taken + 1, w->number};
    return TD_OK;
}

td_status td_world_move_grab(td_world *w, td_grab_id id, td_vec3 to, td_diag *diag) {
    if (!w) {
        return tdi_refuse(diag, __func__);
    }
    tdi_hand *h;
    td_status status = find(w, id, &h, diag);
    if (status == TD_OK && !tdi_finite3(to)) {
        return tdi_fail(diag, TD_ERR_ARGUMENT, "to is not finite");
    }
    if (status == TD_OK) {
        h->to = to;
    }
    return status;
}

td_status td_world_remove_grab(td_world *w, td_grab_id id, td_diag *diag) {
    if (!w) {
        return tdi_refuse(diag, __func__);
    }
    tdi_hand *h;
    td_status status = find(w, id, &h, diag);
    if (status == TD_OK) {
        tdi_actor_jolt(w, h->actor, 1, 0);
        h->alive = false;
    }
    return status;
}

void tdi_world_release_actor(td_world *w, int32_t actor) {
    for (int32_t k = 0; k < w->loads.hand_count; k++) {
        w->loads.hands[k].alive = w->loads.hands[k].alive && w->loads.hands[k].actor != actor;
    }
}

// ---- force ----------------------------------------------------------------------------------

// k (to - x) - c v
td_status td_world_grab_force(td_world *w, td_grab_id id, td_vec3 *force, td_diag *diag) {
    if (!w || !force) {
        return tdi_refuse(diag, __func__);
    }
    tdi_hand *h;
    *force = tdi_vec3(0, 0, 0);
    td_status status = find(w, id, &h, diag);
    if (status == TD_OK) {
        const tdi_actor *a = &w->actors[h->actor];
        td_vec3 origin;
        td_quat turn;
        a->solver->poses(a->state, h->segment, 1, &origin, NULL, &turn);
        const td_vec3 x = tdi_add(origin, tdi_quat_rotate(turn, h->point));
        const td_vec3 v = tdi_velocity_from_simulated(
            a, x, tdi_solver_velocity(a->solver, a->state, h->segment, h->point));
        *force = tdi_madd(tdi_scale(tdi_sub(h->to, tdi_from_simulated(a, x)), h->stiffness), v,
                          -h->damping);
    }
    return status;
}
