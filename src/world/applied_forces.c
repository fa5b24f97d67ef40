// SPDX-License-Identifier: MIT
// What a program does at points of segments: springs and dampers to positions, forces, impulses.

#include "world/world.h"

#include "base/guard.h"
#include "base/opts.h"
#include "math/quat.h"
#include "tendril/control.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define LARGEST 1e9 // N or N s, of a force or an impulse

// ---- ids ------------------------------------------------------------------------------------

static td_status find(td_world *w, td_grab_id id, tdi_applied_force **out, td_diag *diag) {
    tdi_applied_force *h = id.place > 0 && id.place <= (uint32_t)w->loads.applied_count
                               ? &w->loads.applied[id.place - 1]
                               : NULL;
    const bool there = h && h->alive && h->kind == TDI_APPLIED_SPRING &&
                       h->generation == id.generation && tdi_world_gave(w, id.world);
    *out = there ? h : NULL;
    return *out ? TD_OK : TDI_ID_FAIL(w, "grab", "released", id, diag);
}

// ---- room -----------------------------------------------------------------------------------

static td_status make_room(td_world *w, int32_t count) {
    while (count > w->loads.applied_capacity) {
        int64_t capacity = w->loads.applied_capacity;
        tdi_applied_force *forces = tdi_arena_grow(
            &w->arena, w->loads.applied, w->loads.applied_count, &capacity, sizeof *forces);
        if (!forces || capacity > INT32_MAX / 2) {
            return TD_ERR_MEMORY;
        }
        w->loads.applied = forces;
        w->loads.applied_capacity = (int32_t)capacity;
    }
    return TD_OK;
}

td_status tdi_actor_applied_room(td_world *w, tdi_actor *a, int32_t count) {
    if (count <= a->load.applied_room) {
        return TD_OK;
    }
    const int32_t more = (count > 2 * a->load.applied_room ? count : 2 * a->load.applied_room) -
                         a->load.applied_room;
    td_load *loads = tdi_arena_zeroed(tdi_actor_arena(w, a),
                                      (size_t)a->load.capacity + (size_t)more, sizeof *loads);
    TDI_TRY(loads ? TD_OK : TD_ERR_MEMORY);
    a->load.loads = loads;
    a->load.capacity += more;
    a->load.applied_room += more;
    return TD_OK;
}

// All applied forces may be at one actor.
static td_status reserve(td_world *w, int64_t count) {
    td_status status = count > INT32_MAX / 4 ? TD_ERR_LIMIT : make_room(w, (int32_t)count);
    for (int32_t k = 0; k < w->room.made_count && status == TD_OK; k++) {
        status = tdi_actor_applied_room(w, &w->actors[k], (int32_t)count);
    }
    return status;
}

td_status td_world_reserve_grabs(td_world *w, int32_t count, td_diag *diag) {
    TDI_REFUSE_IF(!w);
    if (count < 0) {
        return tdi_fail(diag, TD_ERR_ARGUMENT, "count is %d; it must not be below 0", (int)count);
    }
    td_status status = reserve(w, (int64_t)w->loads.applied_count + count);
    return status == TD_OK
               ? TD_OK
               : tdi_fail(diag, status, "there is no room for %d more grabs", (int)count);
}

// ---- adding and releasing -------------------------------------------------------------------

td_grab_def td_grab_def_default(void) {
    td_grab_def def = {.struct_size = sizeof def, .stiffness = 100};
    return def;
}

// Where it acts, which must be there.
static td_status find_segment(td_world *w, td_actor_id id, int32_t segment, tdi_actor **out,
                              td_diag *diag) {
    const td_status status = tdi_actor_find(w, id, out, diag);
    return status != TD_OK || tdi_has(segment, (*out)->segment_count)
               ? status
               : tdi_fail(diag, TD_ERR_ARGUMENT, "segment is %d; '%s' has %d", (int)segment,
                          (*out)->name, (int)(*out)->segment_count);
}

static td_status check_def(td_world *w, const td_grab_def *def, tdi_actor **actor, td_diag *diag) {
    TDI_TRY(find_segment(w, def->actor, def->segment, actor, diag));
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

// At the first free place, or one more.
static td_status add_applied(td_world *w, tdi_applied_force force, int32_t *place, td_diag *diag) {
    int32_t k = 0;
    while (k < w->loads.applied_count && w->loads.applied[k].alive) {
        k++;
    }
    const int32_t count = k < w->loads.applied_count ? w->loads.applied_count : k + 1;
    td_status status = make_room(w, count);
    status = status == TD_OK ? tdi_actor_applied_room(w, &w->actors[force.actor], count) : status;
    if (status != TD_OK) {
        return tdi_fail(diag, status, "out of memory for a grab, force or impulse");
    }
    force.generation = 1 + (k < w->loads.applied_count ? w->loads.applied[k].generation : 0);
    force.alive = true;
    w->loads.applied_count = count;
    w->loads.applied[k] = force;
    *place = k;
    return TD_OK;
}

td_status td_world_add_grab(td_world *w, const td_grab_def *given, td_grab_id *out, td_diag *diag) {
    TDI_REFUSE_IF(!w || !out);
    td_grab_def own = td_grab_def_default(), *def = &own;
    tdi_actor *a;
    int32_t k;
    *out = (td_grab_id){0};
    TDI_TRY(tdi_def_take("td_grab_def", def, given, diag));
    TDI_TRY(check_def(w, def, &a, diag));
    const tdi_applied_force spring = {.kind = TDI_APPLIED_SPRING,
                                      .actor = (int32_t)(a - w->actors),
                                      .segment = def->segment,
                                      .point = def->point,
                                      .vector = def->to,
                                      .stiffness = def->stiffness,
                                      .damping = def->damping};
    td_status status = add_applied(w, spring, &k, diag);
    if (status == TD_OK) {
        tdi_actor_note_jump(w, spring.actor, 0, 1);
        *out = (td_grab_id){(uint32_t)k + 1, w->loads.applied[k].generation, w->ids.number};
    }
    return status;
}

td_status td_world_move_grab(td_world *w, td_grab_id id, td_vec3 to, td_diag *diag) {
    TDI_REFUSE_IF(!w);
    tdi_applied_force *h;
    td_status status = find(w, id, &h, diag);
    if (status == TD_OK && !tdi_finite3(to)) {
        return tdi_fail(diag, TD_ERR_ARGUMENT, "to is not finite");
    }
    if (status == TD_OK) {
        h->vector = to;
    }
    return status;
}

td_status td_world_remove_grab(td_world *w, td_grab_id id, td_diag *diag) {
    TDI_REFUSE_IF(!w);
    tdi_applied_force *h;
    td_status status = find(w, id, &h, diag);
    if (status == TD_OK) {
        tdi_actor_note_jump(w, h->actor, 1, 0);
        h->alive = false;
    }
    return status;
}

void tdi_world_release_actor(td_world *w, int32_t actor) {
    for (int32_t k = 0; k < w->loads.applied_count; k++) {
        w->loads.applied[k].alive = w->loads.applied[k].alive && w->loads.applied[k].actor != actor;
    }
}

// ---- forces and impulses --------------------------------------------------------------------

td_force_def td_force_def_default(void) {
    return (td_force_def){.struct_size = sizeof(td_force_def), .vector_in = TD_AXES_WORLD};
}

static bool known_axes(td_axes axes) {
    return axes == TD_AXES_SEGMENT || axes == TD_AXES_WORLD;
}

static td_status check_force(const tdi_actor *a, const td_force_def *def, td_diag *diag) {
    const td_real size = tdi_norm(def->vector);
    if (a->activity == TDI_DISABLED) {
        return tdi_fail(diag, TD_ERR_ARGUMENT, "'%s' is disabled and would not feel it; enable it",
                        a->name);
    }
    if (!tdi_finite3(def->point) || !tdi_finite3(def->vector)) {
        return tdi_fail(diag, TD_ERR_ARGUMENT, "%s is not finite",
                        tdi_finite3(def->point) ? "vector" : "point");
    }
    if (!(size <= LARGEST)) {
        return tdi_fail(diag, TD_ERR_ARGUMENT, "vector has the size %g; it must be at most %g",
                        size, LARGEST);
    }
    if (!known_axes(def->point_in) || !known_axes(def->vector_in)) {
        return tdi_fail(diag, TD_ERR_ARGUMENT,
                        "point_in is %d and vector_in %d; expected TD_AXES_SEGMENT or "
                        "TD_AXES_WORLD",
                        (int)def->point_in, (int)def->vector_in);
    }
    return TD_OK;
}

// Where a point of a segment is, given in the axes of the segment at its joint, in m from there.
static td_vec3 position_of(const tdi_actor *a, int32_t segment, td_vec3 local) {
    const tdi_point point = {.kind = TDI_POINT_POSITION, .segment = segment, .local = local};
    td_vec3 x;
    tdi_state_positions(a->state, tdi_points_of(&point, 1), false, &x);
    return tdi_from_simulated(a, x);
}

// The point of a segment at a position. Segments of some solvers bend, so that the axes of the
// joint alone do not tell: a fixed-point iteration, by a factor of the bend each time.
static td_vec3 point_at(const tdi_actor *a, int32_t segment, td_quat turn, td_vec3 position,
                        td_vec3 origin) {
    td_vec3 local = {0, 0, 0}, off = tdi_sub(position, origin);
    const td_real small = 1e-12 * tdi_norm(off);
    for (int k = 0; k < 20 && tdi_norm(off) > small; k++) {
        local = tdi_add(local, tdi_quat_rotate(tdi_quat_conj(turn), off));
        off = tdi_sub(position, position_of(a, segment, local));
    }
    return local;
}

// The point in the axes of the segment and the vector in those of the world, by the current pose.
static void place_force(const tdi_actor *a, const td_force_def *def, tdi_applied_force *force) {
    td_vec3 origin;
    td_quat turn;
    a->solver->poses(a->state, def->segment, 1, &origin, NULL, &turn);
    origin = tdi_from_simulated(a, origin);
    turn = tdi_rotation_from_simulated(a, turn);
    force->point = def->point_in == TD_AXES_SEGMENT
                       ? def->point
                       : point_at(a, def->segment, turn, def->point, origin);
    force->vector =
        def->vector_in == TD_AXES_WORLD ? def->vector : tdi_quat_rotate(turn, def->vector);
}

static td_status add_force(td_world *w, const td_force_def *given, tdi_applied_kind kind,
                           td_diag *diag) {
    td_force_def own = td_force_def_default(), *def = &own;
    tdi_actor *a;
    int32_t k;
    TDI_TRY(tdi_def_take("td_force_def", def, given, diag));
    TDI_TRY(find_segment(w, def->actor, def->segment, &a, diag));
    TDI_TRY(check_force(a, def, diag));
    tdi_applied_force force = {
        .kind = kind, .actor = (int32_t)(a - w->actors), .segment = def->segment};
    place_force(a, def, &force);
    return add_applied(w, force, &k, diag);
}

td_status td_world_add_force(td_world *w, const td_force_def *def, td_diag *diag) {
    return w ? add_force(w, def, TDI_APPLIED_FORCE, diag) : tdi_refuse(diag, __func__);
}

td_status td_world_add_impulse(td_world *w, const td_force_def *def, td_diag *diag) {
    TDI_REFUSE_IF(!w);
    const td_status status = add_force(w, def, TDI_APPLIED_IMPULSE, diag);
    if (status == TD_OK) {
        tdi_actor_note_jump(w, td_world_actor_index(w, def->actor), 0, 1);
    }
    return status;
}

void tdi_world_end_forces(td_world *w) {
    for (int32_t k = 0; k < w->loads.applied_count; k++) {
        tdi_applied_force *h = &w->loads.applied[k];
        if (h->alive && h->kind != TDI_APPLIED_SPRING) {
            h->alive = false;
            tdi_actor_note_jump(w, h->actor, h->kind == TDI_APPLIED_IMPULSE, 0);
        }
    }
}

void td_world_clear_forces(td_world *w) {
    if (w) {
        tdi_world_end_forces(w);
    }
}

void tdi_world_blame_forces(const td_world *w, td_diag *diag) {
    const tdi_applied_force *most = NULL;
    for (int32_t k = 0; k < w->loads.applied_count; k++) {
        const tdi_applied_force *h = &w->loads.applied[k];
        if (h->alive && h->kind != TDI_APPLIED_SPRING &&
            !(most && tdi_norm(most->vector) >= tdi_norm(h->vector))) {
            most = h;
        }
    }
    if (most && diag) {
        const bool impulse = most->kind == TDI_APPLIED_IMPULSE;
        const size_t used = strlen(diag->message);
        snprintf(
            diag->message + used, sizeof diag->message - used,
            "; %s of %.3g %s on '%s' waits for the next step, td_world_clear_forces() drops it",
            impulse ? "an impulse" : "a force", tdi_norm(most->vector), impulse ? "N s" : "N",
            w->actors[most->actor].name);
    }
}

// ---- force of a grab ------------------------------------------------------------------------

// k (to - x) - c v
td_status td_world_grab_force(td_world *w, td_grab_id id, td_vec3 *force, td_diag *diag) {
    TDI_REFUSE_IF(!w || !force);
    tdi_applied_force *h;
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
        *force = tdi_madd(tdi_scale(tdi_sub(h->vector, tdi_from_simulated(a, x)), h->stiffness), v,
                          -h->damping);
    }
    return status;
}
