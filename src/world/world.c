// SPDX-License-Identifier: MIT
// Worlds: making, parameters, actors.

#include "world/world.h"

#include "base/guard.h"
#include "base/opts.h"

#include "math/quat.h"

#include <math.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#define LONGEST     (1.0 / 60) // s: of steps that the scene leaves to us
#define NEARLY      0.005      // of a number of steps or frames: as 0.0167 is 1/60
#define NEARLY_MOST 0.02       // steps or frames: the same of large numbers
#define LARGE_ACTOR 8192       // segments: from here on threads share one actor when there are few

// ---- making and freeing ---------------------------------------------------------------------

td_world_opts td_world_opts_default(void) {
    td_world_opts o = {
        .struct_size = sizeof o, .threads = 1, .max_segments = 4000000, .max_modules = 50000000};
    return o;
}

static bool is_whole(td_real ratio, td_real whole) {
    return whole >= 1 && whole <= INT32_MAX &&
           fabs(ratio - whole) <= fmin(NEARLY * whole, NEARLY_MOST);
}

// The scene's step, but for rounding in its file: a step that is nearly a whole part of a frame is
// that part, and one of nearly whole frames is as long as they are. A scene without a step takes
// the longest of which a frame has a whole number.
static td_status choose_step(td_world *w, td_diag *diag) {
    td_scene_def *def = &w->scene->def;
    const td_real fps = def->record.fps, frames = fps * def->step;
    if (def->step != 0 && def->step < TD_ADVANCE_LEAST) {
        return tdi_fail(diag, TD_ERR_ARGUMENT, "step is %g s; it must be 0 or at least %g s",
                        def->step, TD_ADVANCE_LEAST);
    }
    const td_real most = def->step > 0 ? round(1 / frames) : ceil(1 / (fps * LONGEST) - 1e-9);
    const bool divides = def->step <= 0 || is_whole(1 / frames, most);
    w->clock.steps_a_frame = !divides ? 0 : most < 1 ? 1 : (int32_t)most;
    w->clock.default_dt = divides                           ? 1 / (fps * w->clock.steps_a_frame)
                          : is_whole(frames, round(frames)) ? round(frames) / fps
                                                            : def->step;
    def->step = def->step > 0 ? def->step : w->clock.default_dt;
    return TD_OK;
}

void tdi_world_set_keyed(td_world *w, td_real t0, td_real time) {
    for (int32_t k = 0; k < w->scene->keyed_count; k++) {
        const tdi_keyed *keyed = &w->scene->keyed[k];
        if (keyed->ended) {
            continue;
        }
        if (t0 < time && tdi_keyed_mean(keyed, t0, time, keyed->place)) {
            continue;
        }
        if (keyed->curve) {
            td_curve_at(keyed->curve, time, keyed->place, NULL, NULL);
        } else {
            td_quat q;
            td_turn_curve_at(keyed->turn, time, &q, NULL, NULL);
            memcpy(keyed->place, &q, sizeof q);
        }
    }
}

// Threads share one actor at a time when there are few and one is large.
static bool inside_actors(const td_world *w) {
    int32_t largest = 0;
    for (int32_t k = 0; k < w->actor_count; k++) {
        int32_t n = w->actors[k].segment_count;
        largest = n > largest ? n : largest;
    }
    return w->actor_count < 2 * td_pool_threads(w->pool) && largest >= LARGE_ACTOR;
}

static td_status make(td_world *w, const td_world_opts *opts, td_diag_list *diags) {
    td_status status = w->pool ? TD_OK : td_pool_new(opts->threads, w->alloc, &w->pool, NULL);
    td_diag diag = {.index = TD_NONE};
    if (status == TD_OK && choose_step(w, &diag) != TD_OK) {
        return tdi_scene_fault(w->scene, diags, TD_ERR_SYNTAX, "step", "%s", diag.message);
    }
    w->clock.dt = w->clock.default_dt;
    tdi_world_set_keyed(w, 0, 0);
    status = status == TD_OK ? tdi_world_make_objects(w, opts, diags) : status;
    status = status == TD_OK ? tdi_world_check_spots(w, diags) : status;
    status = status == TD_OK ? tdi_world_make_constraints(w, diags) : status;
    status = status == TD_OK ? tdi_world_make_islands(w, diags) : status;
    status = status == TD_OK ? tdi_world_check_crowds(w, diags) : status;
    if (status == TD_OK && tdi_world_find_overlaps(w, &diag) != TD_OK) {
        return tdi_scene_fault(w->scene, diags, diag.status, "contact.overlap", "%s", diag.message);
    }
    status = status == TD_OK ? tdi_world_settle(w, diags) : status;
    if (status == TD_OK) {
        w->options.inside = inside_actors(w);
        status = tdi_world_make_loads(w, diags);
    }
    status = status == TD_OK ? tdi_world_make_probes(w, diags) : status;
    status = status == TD_OK ? tdi_world_reserve(w) : status;
    if (status == TD_OK) {
        tdi_world_begin_waiting(w);
    }
    w->sleep.allowed = w->scene->def.sleep.given;
    status = status == TD_OK ? tdi_world_sleep_room(w, 1) : status;
    return status == TD_OK ? tdi_world_make_saving(w) : status;
}

static td_status take_opts(const td_world_opts *given, td_world_opts *opts, td_diag_list *diags) {
    td_diag diag;
    *opts = td_world_opts_default();
    td_status status = tdi_opts_take("td_world_opts", opts, given, &diag);
    if (status != TD_OK) {
        tdi_diag_add(diags, &diag);
        return status;
    }
    if (opts->threads < 1 || opts->threads > 256) {
        tdi_fail(&diag, TD_ERR_ARGUMENT, "threads is %d; it must be from 1 to 256",
                 (int)opts->threads);
        tdi_diag_add(diags, &diag);
        return TD_ERR_ARGUMENT;
    }
    if (opts->near_pairs < 0 || opts->near_pairs > TDI_PAIRS_MOST) {
        tdi_fail(&diag, TD_ERR_ARGUMENT, "near_pairs is %d; it must be from 0 to %d",
                 (int)opts->near_pairs, TDI_PAIRS_MOST);
        tdi_diag_add(diags, &diag);
        return TD_ERR_ARGUMENT;
    }
    return TD_OK;
}

// Not 0, which is in ids that name nothing.
static uint32_t next_number(void) {
    static atomic_uint last;
    uint32_t number = 0;
    while (number == 0) {
        number = (uint32_t)atomic_fetch_add(&last, 1) + 1;
    }
    return number;
}

// Takes the scene over, also on failure; `made` is how making it went.
static td_status new_world(td_scene *scene, td_status made, const td_world_opts *opts,
                           const td_alloc *alloc, td_world **out, td_diag_list *diags) {
    td_status status = made;
    td_world *w = NULL;
    if (status == TD_OK) {
        w = tdi_alloc_zeroed(alloc, 1, sizeof *w);
        status = w ? TD_OK : TD_ERR_MEMORY;
    }
    if (w) {
        w->alloc = alloc;
        w->arena.alloc = alloc;
        w->scene = scene;
        w->ids.number = next_number();
        w->options.hold_blocked = opts->hold_blocked;
        w->log = opts->log;
        w->options.adaptable = opts->adaptable;
        w->room.no_growth = opts->no_growth;
        w->room.near_pairs = opts->near_pairs;
        w->near.pairs = td_contact_opts_default().pairs;
        w->options.timed = opts->timed && TDI_HAS_CLOCK;
        w->options.lent_pool = opts->pool;
        w->pool = opts->pool;
        td_diag diag = {.index = TD_NONE};
        status = td_world_set_budget(w, opts->iteration_budget, opts->time_budget, &diag);
        if (status != TD_OK) {
            tdi_diag_add(diags, &diag);
        }
    }
    if (w && status == TD_OK) {
        status = make(w, opts, diags);
    } else if (!w) {
        td_scene_free(scene);
    }
    if (status == TD_ERR_MEMORY) {
        td_diag diag;
        tdi_fail(&diag, status, "out of memory for the world");
        tdi_diag_add(diags, &diag);
    }
    if (status != TD_OK) {
        td_world_free(w);
        w = NULL;
    } else {
        tdi_world_log_made(w);
    }
    *out = w;
    return status;
}

td_status td_world_from_scene(const td_scene *scene, const td_world_opts *opts,
                              const td_alloc *alloc, td_world **out, td_diag_list *diags) {
    TDI_CLEAR(out);
    if (!scene || !out) {
        return tdi_refuse_in(diags, __func__);
    }
    td_scene *copy = NULL;
    td_world_opts own;
    TDI_TRY(take_opts(opts, &own, diags));
    td_status status = tdi_scene_editable_copy(scene, alloc, &copy);
    return new_world(copy, status, &own, alloc, out, diags);
}

td_status td_world_new(const td_scene_def *def, const td_world_opts *opts, const td_alloc *alloc,
                       td_world **out, td_diag_list *diags) {
    TDI_CLEAR(out);
    if (!out) {
        return tdi_refuse_in(diags, __func__);
    }
    td_scene *scene = NULL;
    td_world_opts own;
    TDI_TRY(take_opts(opts, &own, diags));
    td_status status = tdi_scene_copy(def, NULL, alloc, &scene, diags);
    return new_world(scene, status, &own, alloc, out, diags);
}

void td_world_free(td_world *w) {
    if (!w) {
        return;
    }
    tdi_world_free_groups(w);
    tdi_world_free_islands(w);
    tdi_watch_free(w, &w->watch);
    tdi_segment_tree_free(w);
    tdi_world_free_colliders(w);
    for (int32_t k = 0; k < w->room.made_count; k++) {
        tdi_actor_free(&w->actors[k]);
    }
    for (int32_t k = 0; k < w->variants.count; k++) {
        tdi_model_free(w->variants.list[k].model);
        td_skeleton_free(w->variants.list[k].skeleton);
        tdi_arena_free(&w->variants.list[k].arena);
    }
    tdi_alloc_free(w->alloc, w->severed.pair,
                   (size_t)w->severed.capacity * sizeof *w->severed.pair);
    tdi_world_free_pushes(w);
    for (int32_t k = 0; k < w->loads.wind_count; k++) {
        td_wind_free(w->loads.winds[k].wind);
    }
    if (!w->options.lent_pool) {
        td_pool_free(w->pool);
    }
    for (int32_t k = 0; k < w->kinds.count; k++) {
        td_scene_free(w->kinds.list[k]);
    }
    tdi_arena_free(&w->arena);
    td_scene_free(w->scene);
    tdi_alloc_free(w->alloc, w, sizeof *w);
}

// ---- time and statistics --------------------------------------------------------------------

td_real tdi_world_time_after(const td_world *w, int64_t steps) {
    return w->clock.time_from + (td_real)(steps - w->clock.step_from) * w->clock.dt;
}

td_real td_world_time(const td_world *w) {
    if (!w) {
        return 0;
    }
    return tdi_world_time_after(w, w->clock.step);
}

td_real td_world_dt(const td_world *w) {
    if (!w) {
        return 0;
    }
    return w->clock.default_dt;
}

int32_t td_world_steps_a_frame(const td_world *w) {
    if (!w) {
        return 0;
    }
    return w->clock.steps_a_frame;
}

td_step_stats td_world_stats(const td_world *w) {
    if (!w) {
        return (td_step_stats){0};
    }
    td_step_stats sum = {0};
    for (int32_t k = 0; k < w->actor_count; k++) {
        const td_step_stats *s = &w->actors[k].step.stats;
        sum.steps += s->steps;
        sum.iterations += s->iterations;
        sum.halvings += s->halvings;
        sum.raised += s->raised;
        sum.unconverged += s->unconverged;
        sum.halved += s->halved;
        sum.gradient_steps += s->gradient_steps;
        sum.unstable += s->unstable;
        sum.truncated += s->truncated;
        sum.blocked += s->blocked;
        sum.last_move = fmax(sum.last_move, s->last_move);
    }
    return sum;
}

// ---- parameters -----------------------------------------------------------------------------

td_status td_world_get(const td_world *w, const char *path, td_real *value, td_diag *diag) {
    TDI_REFUSE_IF(!w || !path || !value);
    return tdi_fields_get(&tdi_scene_all, &w->scene->def, path, value, diag);
}

// What was made of a field is made anew.
static td_status follow(td_world *w, const char *at, td_diag *diag) {
    const td_scene_def *def = &w->scene->def;
    if (at == (const char *)&def->step) {
        td_status status = choose_step(w, diag);
        if (status == TD_OK) {
            tdi_world_log_dt(w);
            tdi_world_wake_all(w);
        }
        return status;
    }
    for (int32_t k = 0; k < w->loads.wind_count; k++) {
        const td_wind_load *l = &def->loads[w->loads.winds[k].load].as.wind;
        if (at >= (const char *)l && at < (const char *)(l + 1)) {
            return tdi_world_remake_wind(w, k, diag);
        }
    }
    return tdi_world_stiffen(w, diag);
}

// Sets a number, and what was made of it. What fails changes nothing.
static td_status set_number(td_world *w, const tdi_field_place *place, const char *path,
                            td_real value, td_diag *diag) {
    td_real before = 0;
    td_status status = tdi_fields_get(&tdi_scene_all, &w->scene->def, path, &before, diag);
    status = status == TD_OK ? tdi_fields_set(&tdi_scene_all, &w->scene->def, path, value, diag)
                             : status;
    if (status == TD_OK) {
        status = follow(w, place->at, diag);
        if (status != TD_OK) {
            tdi_fields_set(&tdi_scene_all, &w->scene->def, path, before, NULL);
        } else {
            tdi_world_note_jump(w, place->at, before, value);
        }
    }
    return status;
}

static void end_keys(td_world *w, const char *at) {
    for (int32_t k = 0; k < w->scene->keyed_count; k++) {
        tdi_keyed *keyed = &w->scene->keyed[k];
        const char *from = (const char *)keyed->place;
        if (at >= from && at < from + (size_t)keyed->components * sizeof(td_real)) {
            keyed->ended = true;
        }
    }
}

td_status td_world_set(td_world *w, const char *path, td_real value, td_diag *diag) {
    TDI_REFUSE_IF(!w || !path);
    tdi_field_place place;
    TDI_TRY(tdi_fields_find(&tdi_scene_all, &w->scene->def, path, &place, diag));
    if (!place.field->live && !place.field->keyed) {
        return tdi_fail(diag, TD_ERR_ARGUMENT, "%s cannot change after the world is made", path);
    }
    td_status status = set_number(w, &place, path, value, diag);
    if (status == TD_OK) {
        end_keys(w, place.at);
    }
    return status;
}

// Constraints hold in one way or the other.
static bool changes_kind(td_integrator from, td_integrator to) {
    return to == TD_ADAPTIVE || tdi_is_implicit(from) != tdi_is_implicit(to);
}

static bool is_held(const td_world *w, int32_t object) {
    bool held = false;
    for (int32_t k = 0; k < w->actor_count && !held; k++) {
        held = w->actors[k].object == object && w->constraints.group_of[k] != TD_NONE;
    }
    return held;
}

static bool scene_holds(const td_world *w, int32_t object) {
    bool held = false;
    for (int32_t k = 0; k < w->scene->def.constraint_count && !held; k++) {
        for (int side = 0; side < 2; side++) {
            const int32_t actor = w->constraints.slots[k].actor[side];
            held = held || (actor != TD_NONE && w->actors[actor].object == object);
        }
    }
    return held;
}

// What touches others is solved as one system, by implicit rules; by explicit ones objects touch
// colliders alone.
bool tdi_object_can_have(const td_world *w, int32_t object, td_integrator integrator) {
    const td_object_def *o = &w->scene->def.objects[object];
    const bool has_contact = tdi_world_has_contact(w) && o->touches;
    return !(has_contact && changes_kind(o->integrator, integrator)) && integrator >= TD_IMPLICIT &&
           integrator <= TD_ADAPTIVE &&
           tdi_solver_integrators(tdi_solver_find(o->solver)) >> integrator & 1 &&
           !(changes_kind(o->integrator, integrator) && scene_holds(w, object));
}

td_status td_world_set_integrator(td_world *w, int32_t object, td_integrator integrator,
                                  td_diag *diag) {
    TDI_REFUSE_IF(!w || !tdi_has(object, w->scene->def.object_count));
    td_scene_def *def = &w->scene->def;
    if (!tdi_object_can_have(w, object, integrator) ||
        (changes_kind(def->objects[object].integrator, integrator) && is_held(w, object))) {
        return tdi_fail(diag, TD_ERR_ARGUMENT,
                        "object %d cannot have the integrator %d: its solver does not offer it, or "
                        "contact or a constraint of the object needs an implicit one",
                        (int)object, (int)integrator);
    }
    // the world's own copy
    td_integrator *now = &((td_object_def *)def->objects)[object].integrator, before = *now;
    *now = integrator;
    for (int32_t k = 0; k < w->actor_count; k++) {
        if (w->actors[k].object == object) {
            tdi_actor_wake(w, k, TDI_WAKE_PROGRAM);
            tdi_actor_set_integrator(&w->actors[k], integrator);
        }
    }
    td_status status = tdi_world_reserve(w);
    *now = status == TD_OK ? integrator : before;
    tdi_world_end_adaptive(w);
    return status == TD_OK
               ? TD_OK
               : tdi_fail(diag, status, "there is no room for steps by this integrator");
}

td_status tdi_actor_make_field(td_world *w, tdi_actor *a) {
    size_t n = (size_t)a->segment_count, capacity = (size_t)a->load.capacity + n;
    td_status status = tdi_actor_make_points(w, a);
    if (status != TD_OK || a->load.forces) {
        return status;
    }
    td_load *loads = tdi_arena_zeroed(tdi_actor_arena(w, a), capacity, sizeof *loads);
    td_vec3 *forces = tdi_arena_zeroed(tdi_actor_arena(w, a), n, sizeof *forces);
    if (!loads || !forces) {
        return TD_ERR_MEMORY;
    }
    a->load.loads = loads;
    a->load.capacity = (int32_t)capacity;
    a->load.forces = forces;
    return TD_OK;
}

td_status td_world_set_field(td_world *w, td_force_field field, void *context, td_diag *diag) {
    TDI_REFUSE_IF(!w);
    td_status status = TD_OK;
    for (int32_t k = 0; k < w->room.made_count && field && status == TD_OK; k++) {
        status = tdi_actor_make_field(w, &w->actors[k]);
    }
    if (status == TD_OK) {
        w->loads.field = field;
        w->loads.field_context = context;
    }
    return status == TD_OK ? TD_OK : tdi_fail(diag, status, "out of memory for a force field");
}

void td_world_set_callback(td_world *w, td_step_callback callback, void *context) {
    if (!w) {
        return;
    }
    w->callback.call = callback;
    w->callback.context = context;
}

// ---- actors ---------------------------------------------------------------------------------

int32_t td_world_actor_count(const td_world *w) {
    if (!w) {
        return 0;
    }
    return w->actor_count;
}

td_actor td_world_actor(const td_world *w, td_actor_id id) {
    const int32_t actor = td_world_actor_index(w, id);
    if (actor == TD_NONE) {
        return (td_actor){0};
    }
    const tdi_actor *a = &w->actors[actor];
    const tdi_variant *v = &w->variants.list[a->variant];
    td_actor out = {.name = a->name,
                    .object = a->object,
                    .instance = a->instance,
                    .variant = a->variant - w->objects[a->object].first_variant,
                    .skeleton = v->skeleton,
                    .segment_count = a->segment_count,
                    .dof_count = v->model->dof_count,
                    .stretchy = v->solver->info.stretchy || v->solver->info.curved,
                    .unstable = a->state->unstable != 0,
                    .filter = a->filter,
                    .user_data = a->user_data};
    return out;
}

void td_world_pose(const td_world *w, td_actor_id id, td_vec3 *base, td_quat *rotation,
                   td_vec3 *origins, td_quat *rotations) {
    const int32_t actor = td_world_actor_index(w, id);
    if (actor == TD_NONE) {
        return;
    }
    const tdi_actor *a = &w->actors[actor];
    if (base) {
        *base = a->base.position;
    }
    if (rotation) {
        *rotation = a->base.rotation;
    }
    a->solver->poses(a->state, 0, a->segment_count, origins, NULL, rotations);
    for (int32_t i = 0; origins && i < a->segment_count; i++) {
        origins[i] = tdi_from_simulated(a, origins[i]);
    }
    for (int32_t i = 0; rotations && i < a->segment_count; i++) {
        rotations[i] = tdi_rotation_from_simulated(a, rotations[i]);
    }
}

void td_world_segment(const td_world *w, td_actor_id id, int32_t segment, td_vec3 *origin,
                      td_vec3 *tip, td_quat *rotation) {
    const int32_t actor = td_world_actor_index(w, id);
    if (actor == TD_NONE || !tdi_has(segment, w->actors[actor].segment_count)) {
        return;
    }
    const tdi_actor *a = &w->actors[actor];
    if (origin) {
        *origin = tdi_from_simulated(a, tdi_solver_origin(a->solver, a->state, segment));
    }
    if (tip) {
        *tip = tdi_from_simulated(a, tdi_solver_tip(a->solver, a->state, segment));
    }
    if (rotation) {
        *rotation =
            tdi_rotation_from_simulated(a, tdi_solver_rotation(a->solver, a->state, segment));
    }
}

td_body *td_world_body(td_world *w, td_actor_id id) {
    const int32_t actor = td_world_actor_index(w, id);
    if (actor == TD_NONE) {
        return NULL;
    }
    w->near.shared = true;
    tdi_world_poses_changed(w);
    return w->actors[actor].state;
}
