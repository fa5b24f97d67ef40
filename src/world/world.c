// SPDX-License-Identifier: MIT
// Worlds: making, stepping, parameters, actors.
//
// A step       keyframes to the end of the step; winds on; then each actor by itself: base, loads,
//              one step of its solver. Actors share nothing that moves, so that threads can take
//              them in any order.

#include "world/world.h"

#include "math/quat.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define LARGE_ACTOR 8192 // segments: from here on threads share one actor when there are few

// ---- making and freeing ---------------------------------------------------------------------

td_world_opts td_world_opts_default(void) {
    td_world_opts o = {.struct_size = sizeof o, .threads = 1, .max_segments = 20000000};
    return o;
}

// A frame is a whole number of steps, none longer than the scene says.
static void choose_step(td_world *w) {
    const td_scene_def *def = &w->scene->def;
    td_real steps = ceil(1 / (def->record.fps * def->step) - 1e-9);
    w->steps_a_frame = steps < 1 ? 1 : steps > 1e6 ? 1000000 : (int32_t)steps;
    w->dt = 1 / (def->record.fps * w->steps_a_frame);
}

// Sets the numbers that keyframes move to a time.
static void set_keyed(td_world *w, td_real time) {
    for (int32_t k = 0; k < w->scene->keyed_count; k++) {
        const tdi_keyed *keyed = &w->scene->keyed[k];
        if (keyed->ended) {
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

static td_status make(td_world *w, const td_world_opts *opts, td_diag_list *diags) {
    td_status status = td_pool_new(opts->threads, w->alloc, &w->pool);
    choose_step(w);
    set_keyed(w, 0);
    if (status == TD_OK) {
        status = tdi_world_make_objects(w, opts, diags);
    }
    if (status == TD_OK) {
        status = tdi_world_make_loads(w, diags);
    }
    return status == TD_OK ? tdi_world_make_probes(w, diags) : status;
}

static td_status new_world(td_scene *scene, bool owns_scene, const td_world_opts *opts,
                           const td_alloc *alloc, td_world **out, td_diag_list *diags) {
    *out = NULL;
    td_diag diag;
    if (!opts || opts->struct_size != sizeof *opts) {
        tdi_fail(&diag, TD_ERR_DEF, "td_world_opts did not come from its default function");
        tdi_diag_add(diags, &diag);
        return TD_ERR_DEF;
    }
    if (opts->threads < 1 || opts->threads > 256) {
        tdi_fail(&diag, TD_ERR_ARGUMENT, "threads is out of its range, 1 to 256");
        tdi_diag_add(diags, &diag);
        return TD_ERR_ARGUMENT;
    }
    td_world *w = tdi_alloc_zeroed(alloc, 1, sizeof *w);
    if (!w) {
        return TD_ERR_MEMORY;
    }
    w->alloc = alloc;
    w->arena.alloc = alloc;
    w->scene = scene;
    w->owns_scene = owns_scene;
    td_status status = make(w, opts, diags);
    if (status != TD_OK) {
        w->owns_scene = false;
        td_world_free(w);
        return status;
    }
    *out = w;
    return TD_OK;
}

td_status td_world_from_scene(td_scene *scene, const td_world_opts *opts, const td_alloc *alloc,
                              td_world **out, td_diag_list *diags) {
    return new_world(scene, false, opts, alloc, out, diags);
}

td_status td_world_new(const td_scene_def *def, const td_world_opts *opts, const td_alloc *alloc,
                       td_world **out, td_diag_list *diags) {
    td_scene *scene;
    *out = NULL;
    td_status status = tdi_scene_copy(def, alloc, &scene);
    if (status == TD_OK) {
        status = tdi_scene_check(scene, diags);
        status = status == TD_OK ? new_world(scene, true, opts, alloc, out, diags) : status;
        if (status != TD_OK) {
            td_scene_free(scene);
        }
    }
    return status;
}

void td_world_free(td_world *w) {
    if (!w) {
        return;
    }
    for (int32_t k = 0; k < w->actor_count; k++) {
        td_tree_state_free(w->actors[k].state);
    }
    for (int32_t k = 0; k < w->variant_count; k++) {
        td_tree_model_free(w->variants[k].model);
        td_skeleton_free(w->variants[k].skeleton);
    }
    for (int32_t k = 0; k < w->wind_count; k++) {
        td_wind_free(w->winds[k].wind);
    }
    td_pool_free(w->pool);
    tdi_arena_free(&w->arena);
    if (w->owns_scene) {
        td_scene_free(w->scene);
    }
    tdi_alloc_free(w->alloc, w, sizeof *w);
}

// ---- stepping -------------------------------------------------------------------------------

typedef struct stepping {
    td_world *world;
    td_real t0, t1;
    td_pool *inside; // threads within an actor
} stepping;

static td_step_opts step_opts(const stepping *s, tdi_actor *a) {
    td_world *w = s->world;
    const td_scene_def *def = &w->scene->def;
    const td_object_def *o = &def->objects[a->object];
    td_step_opts opts = td_step_opts_default();
    opts.dt = w->dt;
    opts.integrator = o->integrator;
    opts.gravity = tdi_turn_to_simulated(a, def->gravity);
    opts.air.quadratic = 0.5 * def->air_density * def->drag * o->drag;
    opts.air.linear = def->air_linear * o->drag;
    opts.stiffness = o->stiffness;
    opts.damping = o->damping;
    opts.pool = s->inside;
    if (tdi_actor_winds(w, a)) {
        opts.winds = a->winds;
        for (int32_t k = 0; k < w->wind_count; k++) { // tells the solver when it jumps
            opts.air.wind = tdi_add(opts.air.wind, w->winds[k].state.mean);
        }
    }
    opts.loads = a->loads;
    opts.load_count = tdi_actor_loads(w, a, s->t0, s->t1);
    return opts;
}

static void step_actor(void *context, int64_t k) {
    stepping *s = context;
    tdi_actor *a = &s->world->actors[k];
    tdi_actor_move_base(s->world, a, s->t0, s->t1);
    td_step_opts opts = step_opts(s, a);
    a->status = td_tree_step(a->state, &opts, &a->stats, &a->diag);
}

static td_status report(td_world *w, const tdi_actor *a, td_diag *diag) {
    return tdi_fail_at(diag, a->status, a->diag.index,
                       "'%s' at %g s: %s; try a smaller step or more damping", a->name,
                       td_world_time(w), a->diag.message);
}

// Threads share one actor at a time when there are few and one is large.
static bool inside_actors(const td_world *w) {
    int32_t largest = 0;
    for (int32_t k = 0; k < w->actor_count; k++) {
        int32_t n = w->actors[k].state->model->body_count;
        largest = n > largest ? n : largest;
    }
    return w->actor_count < 2 * td_pool_threads(w->pool) && largest >= LARGE_ACTOR;
}

td_status td_world_step(td_world *w, td_diag *diag) {
    bool inside = inside_actors(w);
    stepping s = {w, td_world_time(w), (td_real)(w->step + 1) * w->dt, inside ? w->pool : NULL};
    set_keyed(w, s.t1);
    for (int32_t k = 0; k < w->wind_count; k++) {
        const td_wind_load *l = &w->scene->def.loads[w->winds[k].load].as.wind;
        td_wind_advance(w->winds[k].wind, &w->winds[k].state, w->dt, l->velocity);
    }
    if (inside) {
        for (int32_t k = 0; k < w->actor_count; k++) {
            step_actor(&s, k);
        }
    } else {
        td_pool_run(w->pool, w->actor_count, step_actor, &s);
    }
    for (int32_t k = 0; k < w->actor_count; k++) {
        if (w->actors[k].status != TD_OK) {
            return report(w, &w->actors[k], diag);
        }
    }
    w->step++;
    if (w->callback) {
        w->callback(w->callback_context, w);
    }
    return TD_OK;
}

td_real td_world_time(const td_world *w) {
    return (td_real)w->step * w->dt;
}

td_real td_world_dt(const td_world *w) {
    return w->dt;
}

int32_t td_world_steps_a_frame(const td_world *w) {
    return w->steps_a_frame;
}

td_step_stats td_world_stats(const td_world *w) {
    td_step_stats sum = {0};
    for (int32_t k = 0; k < w->actor_count; k++) {
        const td_step_stats *s = &w->actors[k].stats;
        sum.steps += s->steps;
        sum.iterations += s->iterations;
        sum.halvings += s->halvings;
        sum.raised += s->raised;
        sum.unconverged += s->unconverged;
        sum.last_move = fmax(sum.last_move, s->last_move);
    }
    return sum;
}

// ---- parameters -----------------------------------------------------------------------------

td_status td_world_get(const td_world *w, const char *path, td_real *value, td_diag *diag) {
    return tdi_fields_get(&tdi_scene_all, &w->scene->def, path, value, diag);
}

td_status td_world_set(td_world *w, const char *path, td_real value, td_diag *diag) {
    tdi_field_place place;
    td_status status = tdi_fields_find(&tdi_scene_all, &w->scene->def, path, &place, diag);
    if (status != TD_OK) {
        return status;
    }
    if (!place.field->keyed) {
        return tdi_fail(diag, TD_ERR_ARGUMENT, "%s cannot change while the world moves", path);
    }
    status = tdi_fields_set(&tdi_scene_all, &w->scene->def, path, value, diag);
    const char *at = place.at;
    for (int32_t k = 0; k < w->scene->keyed_count && status == TD_OK; k++) {
        tdi_keyed *keyed = &w->scene->keyed[k];
        const char *from = (const char *)keyed->place;
        if (at >= from && at < from + (size_t)keyed->components * sizeof(td_real)) {
            keyed->ended = true;
        }
    }
    return status;
}

td_status td_world_set_field(td_world *w, td_force_field field, void *context) {
    for (int32_t k = 0; k < w->actor_count && field && !w->field; k++) {
        tdi_actor *a = &w->actors[k];
        int32_t capacity = a->load_capacity + a->state->model->body_count;
        td_load *loads = tdi_arena_zeroed(&w->arena, (size_t)capacity, sizeof *loads);
        if (!loads) {
            return TD_ERR_MEMORY;
        }
        a->loads = loads;
        a->load_capacity = capacity;
    }
    w->field = field;
    w->field_context = context;
    return TD_OK;
}

void td_world_set_callback(td_world *w, td_step_callback callback, void *context) {
    w->callback = callback;
    w->callback_context = context;
}

// ---- actors ---------------------------------------------------------------------------------

int32_t td_world_actor_count(const td_world *w) {
    return w->actor_count;
}

td_actor td_world_actor(const td_world *w, int32_t actor) {
    const tdi_actor *a = &w->actors[actor];
    const tdi_variant *v = &w->variants[a->variant];
    td_actor out = {.name = a->name,
                    .object = a->object,
                    .instance = a->instance,
                    .variant = a->variant - w->objects[a->object].first_variant,
                    .skeleton = v->skeleton,
                    .segment_count = td_tree_body_count(v->model),
                    .dof_count = td_tree_dof_count(v->model)};
    return out;
}

void td_world_pose(const td_world *w, int32_t actor, td_vec3 *base, td_quat *rotation,
                   td_vec3 *origins, td_quat *rotations) {
    const tdi_actor *a = &w->actors[actor];
    if (base) {
        *base = a->base.position;
    }
    if (rotation) {
        *rotation = a->base.rotation;
    }
    for (int32_t i = 0; i < a->state->model->body_count; i++) {
        if (origins) {
            origins[i] = tdi_from_simulated(a, td_tree_origin(a->state, i));
        }
        if (rotations) {
            rotations[i] = tdi_rotation_from_simulated(a, td_tree_rotation(a->state, i));
        }
    }
}

td_tree_state *td_world_tree(td_world *w, int32_t actor) {
    return w->actors[actor].state;
}

void td_world_grab(td_world *w, int32_t actor, int32_t segment, td_vec3 point, td_vec3 to,
                   td_real stiffness) {
    w->grab = (tdi_grab){true, actor, segment, point, to, stiffness};
}

void td_world_grab_to(td_world *w, td_vec3 to) {
    w->grab.to = to;
}

void td_world_release(td_world *w) {
    w->grab.held = false;
}
