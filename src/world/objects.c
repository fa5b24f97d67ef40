// SPDX-License-Identifier: MIT
// From the objects of a scene to what moves: skeletons and models that are shared, and actors at
// their places, at rest or as drawn.

#include "world/world.h"

#include "base/random.h"
#include "math/quat.h"
#include "world/object_skeleton.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define TWO_PI 6.28318530717958647692

// ---- models ---------------------------------------------------------------------------------

td_status tdi_object_fault(const td_world *w, int32_t object, td_status status, const char *key,
                           const td_diag *diag, td_diag_list *diags) {
    char path[64];
    if (status == TD_ERR_MEMORY) {
        return status;
    }
    snprintf(path, sizeof path, "objects[%d]%s%s", object, key[0] ? "." : "", key);
    return tdi_scene_fault(w->scene, diags, TD_ERR_SYNTAX, path, "%s", diag->message);
}

// Gravity in the axes of a base, over the stiffness of its object: what bends a plant that is
// stiffer by some factor bends one without the factor as much less.
td_vec3 tdi_object_gravity(const td_world *w, int32_t object, td_quat base) {
    td_vec3 g = tdi_quat_rotate(tdi_quat_conj(base), w->scene->def.gravity);
    return tdi_scale(g, 1 / w->scene->def.objects[object].stiffness);
}

// Puts `next` in the place of the model.
static void replace(tdi_variant *v, td_body_model *next) {
    tdi_model_free(v->model);
    v->model = next;
}

// The model for which the drawn shape is one of rest.
static td_status rest_model(td_world *w, tdi_variant *v, td_vec3 gravity, td_diag *diag) {
    td_body_model *next = NULL;
    td_status status = tdi_solver_rest_new(v->solver, v->model, gravity, w->alloc, &next, diag);
    if (status == TD_OK) {
        replace(v, next);
    }
    return status;
}

static td_status damped_model(td_world *w, const td_object_def *o, tdi_variant *v, td_vec3 gravity,
                              td_diag *diag) {
    td_body_model *next = NULL;
    td_damping_opts opts = td_damping_opts_default();
    opts.gravity = gravity;
    opts.kind = o->damping_ratio >= 0 ? TD_DAMPING_RATIO : TD_DAMPING_TIME;
    // of the plant with its factor of stiffness s: w ~ sqrt(s), so that the ratio is c w/(2 s k)
    opts.value = o->damping_ratio >= 0 ? o->damping_ratio * sqrt(o->stiffness)
                                       : o->relaxation_time * o->stiffness;
    td_status status = tdi_solver_damped_new(v->solver, v->model, &opts, w->alloc, &next, diag);
    if (status == TD_OK) {
        replace(v, next);
    }
    return status;
}

td_status tdi_variant_measure(td_world *w, tdi_variant *v) {
    const td_segment *s = td_skeleton_segments(v->skeleton);
    int32_t count = td_skeleton_count(v->skeleton);
    v->depth = tdi_arena_zeroed(tdi_variant_arena(w, v), (size_t)count, sizeof *v->depth);
    TDI_TRY(v->depth ? TD_OK : TD_ERR_MEMORY);
    for (int32_t i = 0; i < count; i++) {
        v->depth[i] = 1 + (s[i].parent == TD_NONE ? 0 : v->depth[s[i].parent]);
        v->depth_most = v->depth[i] > v->depth_most ? v->depth[i] : v->depth_most;
    }
    return TD_OK;
}

td_status tdi_variant_make(td_world *w, tdi_variant *v, tdi_factors factors, const char **key,
                           td_diag *diag) {
    const td_object_def *o = &w->scene->def.objects[v->object];
    const td_body_opts with = {.law = o->law, .elements = o->elements};
    *key = o->plant ? "plant" : o->skeleton ? "" : "strand";
    td_status status = v->solver->model_new(v->skeleton, &with, w->alloc, &v->model, diag);
    if (status == TD_OK) {
        *key = o->bending != 1 || tdi_scene_keyed(w->scene, &o->bending) ? "bending" : "twisting";
        status = tdi_variant_stiffen(w, v, factors, diag);
    }
    return status == TD_OK ? tdi_variant_finish(w, v, key, diag) : status;
}

td_status tdi_variant_finish(td_world *w, tdi_variant *v, const char **key, td_diag *diag) {
    const td_object_def *o = &w->scene->def.objects[v->object];
    const td_vec3 gravity =
        tdi_object_gravity(w, v->object, tdi_object_pose(w, v->object).rotation);
    td_status status = TD_OK;
    if (o->stiffness == 0 && (o->rest_under_gravity || o->damping_ratio >= 0)) {
        *key = "stiffness";
        status = tdi_fail(diag, TD_ERR_ARGUMENT, "'%s' needs a stiffness above 0",
                          o->rest_under_gravity ? "rest_under_gravity" : "damping_ratio");
    }
    if (status == TD_OK && o->rest_under_gravity) {
        *key = "rest_under_gravity";
        status = rest_model(w, v, gravity, diag);
    }
    if (status == TD_OK && (o->damping_ratio >= 0 || o->relaxation_time >= 0)) {
        *key = o->damping_ratio >= 0 ? "damping_ratio" : "relaxation_time";
        status = damped_model(w, o, v, gravity, diag);
    }
    return status == TD_OK ? tdi_variant_measure(w, v) : status;
}

// One of the scene's own.
static td_status make_variant(td_world *w, int32_t object, int32_t variant,
                              const td_world_opts *opts, tdi_variant *v, td_diag_list *diags) {
    const td_object_def *o = &w->scene->def.objects[object];
    td_diag diag = {.index = TD_NONE};
    const char *key = "";
    v->object = object;
    v->solver = tdi_solver_find(o->solver);
    v->solver = tdi_object_reduces(w, object) ? tdi_solver_reduced_of(v->solver) : v->solver;
    td_status status =
        tdi_object_grow(w->scene, object, variant, opts, w->alloc, &v->skeleton, diags);
    if (status != TD_OK) {
        return status;
    }
    tdi_object *of = &w->objects[object];
    of->made = of->factors = tdi_object_factors(w, object);
    status = tdi_variant_make(w, v, of->made, &key, &diag);
    return status == TD_OK ? TD_OK : tdi_object_fault(w, object, status, key, &diag, diags);
}

// ---- places ---------------------------------------------------------------------------------

static int32_t instance_count(const td_object_def *o) {
    return o->instances.layout == TD_INSTANCES_LIST ? o->instances.place_count : o->instances.count;
}

// Columns and rows of a grid that is about as wide and deep as the area says.
static int32_t grid_columns(const td_instances_def *i) {
    td_real ratio = i->area.z > 0 && i->area.x > 0 ? i->area.x / i->area.z : 1e9;
    td_real columns = ceil(sqrt(i->count * ratio));
    return columns < 1 ? 1 : columns > i->count ? i->count : (int32_t)columns;
}

static tdi_transform instance_place(const td_instances_def *i, int32_t k, tdi_random *r) {
    tdi_transform p = {{0, 0, 0}, tdi_quat_identity()};
    td_real a = tdi_random_uniform(r) - 0.5, b = tdi_random_uniform(r) - 0.5;
    td_real yaw = TWO_PI * tdi_random_uniform(r);
    bool alone = i->layout != TD_INSTANCES_LIST && i->count == 1;
    if (i->layout == TD_INSTANCES_LIST) {
        p.position = i->places[k];
    } else if (!alone && i->layout == TD_INSTANCES_AREA) {
        p.position = tdi_vec3(a * i->area.x, 0, b * i->area.z);
    } else if (!alone) {
        int32_t columns = grid_columns(i), rows = (i->count + columns - 1) / columns;
        td_real x = (k % columns + 0.5 + i->jitter * a) / columns - 0.5;
        td_real z = (k / columns + 0.5 + i->jitter * b) / rows - 0.5;
        p.position = tdi_vec3(x * i->area.x, 0, z * i->area.z);
    }
    if (!alone && i->turned) {
        p.rotation = tdi_quat_turn(tdi_vec3(0, 1, 0), yaw);
    }
    return p;
}

// ---- actors ---------------------------------------------------------------------------------

void tdi_actor_set_name(const td_world *w, tdi_actor *a, int32_t instance, bool numbered) {
    const td_object_def *o = &w->scene->def.objects[a->object];
    char number[16] = "";
    if (numbered) {
        snprintf(number, sizeof number, "-%d", (int)instance);
    }
    if (o->name) {
        snprintf(a->name, TDI_NAME, "%.64s%s", o->name, number);
    } else {
        snprintf(a->name, TDI_NAME, "object-%d%s", (int)a->object, number);
    }
    a->instance = instance;
}

void tdi_actor_stop_base(const td_world *w, tdi_actor *a) {
    a->base = a->simulated = tdi_actor_place(w, a);
    const td_base_motion stand = {.position = a->base.position, .rotation = a->base.rotation};
    a->solver->set_base(a->state, &stand);
    tdi_actor_move_ends(w, a);
}

bool tdi_variant_has_contact(const td_world *w, int32_t object, int32_t variant) {
    return tdi_world_has_contact(w) && w->variants.list[variant].solver->implicit->contact &&
           w->scene->def.objects[object].touches &&
           tdi_is_implicit(w->scene->def.objects[object].integrator);
}

bool tdi_world_keeps_contact_forces(const td_world *w, bool has_contact) {
    return has_contact && w->scene->def.contact.method == TD_CONTACT_EXACT;
}

size_t tdi_actor_contact_force_count(const tdi_actor *a) {
    return a->contact.warm_start ? TDI_CONTACT_POINTS * (size_t)a->state->capsule_count : 0;
}

td_vec3 *tdi_actor_contact_forces(const tdi_actor *a, int other) {
    return a->contact.warm_start && a->contact.swapped != other
               ? a->contact.warm_start + tdi_actor_contact_force_count(a)
               : a->contact.warm_start;
}

void tdi_actor_clear_contact_forces(const tdi_actor *a) {
    if (a->contact.warm_start) {
        memset(tdi_actor_contact_forces(a, 0), 0,
               tdi_actor_contact_force_count(a) * sizeof *a->contact.warm_start);
    }
}

static td_status make_borne(const td_world *w, tdi_actor *a) {
    const size_t count = 2 * TDI_CONTACT_POINTS * (size_t)a->state->capsule_count;
    if (tdi_world_keeps_contact_forces(w, a->has_contact) && count > 0) {
        a->contact.warm_start = tdi_alloc_zeroed(w->alloc, count, sizeof *a->contact.warm_start);
        return a->contact.warm_start ? TD_OK : TD_ERR_MEMORY;
    }
    return TD_OK;
}

// Height fields touch the ends of segments: longer ones than half a cell would sink into ridges.
static td_status check_ground(const td_world *w, const td_skeleton *skeleton, const tdi_actor *a,
                              td_diag *diag) {
    const td_scene_def *def = &w->scene->def;
    const size_t points = (size_t)a->state->point_count, capsules = (size_t)a->state->capsule_count,
                 bytes = points * sizeof(td_vec3) + capsules * sizeof(tdi_capsule);
    td_real cell = HUGE_VAL, longest = 0;
    int32_t segment = 0;
    for (int32_t k = 0; k < def->collider_count; k++) {
        const td_scene_collider *c = &def->colliders[k];
        cell = c->kind == TD_COLLIDER_HEIGHT_FIELD ? fmin(cell, c->as.cell) : cell;
    }
    if (!a->has_contact || capsules == 0 || cell == HUGE_VAL) {
        return TD_OK;
    }
    td_vec3 *x = tdi_alloc_zeroed(w->alloc, bytes, 1);
    TDI_TRY(x ? TD_OK : TD_ERR_MEMORY);
    tdi_capsule *own = (tdi_capsule *)(void *)(x + points);
    a->solver->implicit->contact->capsules(a->state, own);
    tdi_state_positions(a->state, tdi_all_nodes(a->state), false, x);
    for (size_t k = 0; k < capsules; k++) {
        const td_real length = (1 - own[k].from) * tdi_norm(tdi_sub(x[own[k].b], x[own[k].a]));
        segment = length > (1 + 1e-9) * longest ? own[k].body : segment;
        longest = fmax(longest, length);
    }
    tdi_alloc_free(w->alloc, x, bytes);
    if (longest <= (1 + 1e-9) * cell / 2) {
        return TD_OK;
    }
    const td_segment *s = &td_skeleton_segments(skeleton)[segment];
    return tdi_fail_at(
        diag, TD_ERR_ARGUMENT, segment,
        "segment %d (%s, material '%s') is %.3g m long, more than half the cell of a "
        "height field, %.3g m, so that it would sink into ridges: take shorter "
        "segments, a larger 'cell', or 'touches: false'",
        (int)segment, td_organ_name(s->organ), td_skeleton_materials(skeleton)[s->material].name,
        longest, cell);
}

td_status tdi_actor_form(td_world *w, int32_t variant, tdi_actor *a, td_diag *diag) {
    const tdi_variant *v = &w->variants.list[variant];
    a->object = v->object;
    a->variant = variant;
    a->solver = v->solver;
    a->segments = td_skeleton_segments(v->skeleton);
    a->segment_count = td_skeleton_count(v->skeleton);
    a->has_contact = tdi_variant_has_contact(w, v->object, variant);
    a->contact.warm_start = NULL;
    td_status status = a->solver->state_new(v->model, w->alloc, &a->state, diag);
    if (status == TD_OK) {
        a->state->led = true;
        a->state->collision.filter = a->filter;
        status = tdi_actor_make_explicit_contact(w, a, diag);
    }
    status = status == TD_OK ? make_borne(w, a) : status;
    return status == TD_OK ? check_ground(w, v->skeleton, a, diag) : status;
}

td_status tdi_actor_make(td_world *w, int32_t variant, tdi_actor *a, td_diag *diag) {
    *a = (tdi_actor){.contact.barrier = {.strength = 1, .range = -1},
                     .attachment = {.actor = TD_NONE, .constraint = TD_NONE}};
    a->place.rotation = tdi_quat_identity();
    a->filter = w->scene->def.objects[w->variants.list[variant].object].filter;
    a->name = tdi_arena_zeroed(&w->arena, TDI_NAME, 1);
    TDI_TRY(a->name ? TD_OK : TD_ERR_MEMORY);
    td_status status = tdi_actor_form(w, variant, a, diag);
    w->room.segment_count += status == TD_OK ? a->segment_count : 0;
    return status;
}

td_status tdi_variant_draw(td_world *w, int32_t variant, td_diag *diag) {
    tdi_variant *v = &w->variants.list[variant];
    td_body *state = NULL;
    if (v->drawn) {
        return TD_OK;
    }
    td_status status = v->solver->state_new(v->model, w->alloc, &state, diag);
    v->drawn_bytes = status == TD_OK ? tdi_state_save_size(state) : 0;
    v->drawn =
        status == TD_OK ? tdi_arena_zeroed(tdi_variant_arena(w, v), v->drawn_bytes, 1) : NULL;
    if (v->drawn) {
        v->drawn_points = state->point_count;
        v->drawn_capsules = state->capsule_count;
        tdi_state_save(state, v->drawn);
    }
    tdi_state_free(state);
    return status != TD_OK ? status : v->drawn ? TD_OK : TD_ERR_MEMORY;
}

void tdi_actor_free(tdi_actor *a) {
    if (a->adapt.adapt) {
        td_adapt_free(a->adapt.adapt);
    }
    tdi_actor_free_explicit_contact(a);
    if (a->contact.warm_start) {
        tdi_alloc_free(a->state->alloc, a->contact.warm_start,
                       2 * tdi_actor_contact_force_count(a) * sizeof *a->contact.warm_start);
        a->contact.warm_start = NULL;
    }
    tdi_state_free(a->state);
}

void tdi_actor_reset(const td_world *w, tdi_actor *a) {
    tdi_state_restore(a->state, w->variants.list[a->variant].drawn);
}

// One of the scene's own.
static td_status make_actor(td_world *w, int32_t object, int32_t instance, tdi_transform place,
                            tdi_actor *a, td_diag *diag) {
    const td_object_def *o = &w->scene->def.objects[object];
    const int32_t variant = w->objects[object].first_variant + instance % o->instances.variants;
    td_status status = tdi_actor_make(w, variant, a, diag);
    if (status == TD_OK) {
        a->place = place;
        a->alive = true;
        a->generation = 1;
        tdi_actor_set_name(w, a, instance, instance_count(o) > 1);
        tdi_actor_stop_base(w, a);
    }
    return status;
}

// ---- entry ----------------------------------------------------------------------------------

static void note_motion(td_world *w, int32_t object) {
    const td_object_def *def = &w->scene->def.objects[object];
    tdi_object *o = &w->objects[object];
    o->position = tdi_scene_keyed(w->scene, &def->position);
    o->rotation = tdi_scene_keyed(w->scene, &def->rotation);
    o->frame = tdi_object_frame(w, object);
}

static td_status count_all(td_world *w, const td_world_opts *opts, td_diag_list *diags) {
    const td_scene_def *def = &w->scene->def;
    int64_t actors = 0, variants = 0;
    for (int32_t k = 0; k < def->object_count; k++) {
        actors += instance_count(&def->objects[k]);
        variants += def->objects[k].instances.variants;
        if (actors > opts->max_segments) {
            char path[64];
            snprintf(path, sizeof path, "objects[%d].instances.count", k);
            return tdi_scene_fault(w->scene, diags, TD_ERR_LIMIT, path,
                                   "the scene has more than %lld instances",
                                   (long long)opts->max_segments);
        }
    }
    w->variants.list = tdi_arena_zeroed(&w->arena, (size_t)variants + 1, sizeof *w->variants.list);
    w->variants.of_scene = w->room.variant_capacity = (int32_t)variants;
    w->objects = tdi_arena_zeroed(&w->arena, (size_t)def->object_count + 1, sizeof *w->objects);
    w->room.segment_limit = opts->max_segments;
    return w->variants.list && w->objects ? tdi_world_actor_room(w, actors) : TD_ERR_MEMORY;
}

td_status tdi_world_make_object(td_world *w, int32_t k, const td_world_opts *opts,
                                td_diag_list *diags) {
    const td_object_def *def = &w->scene->def.objects[k];
    tdi_object *o = &w->objects[k];
    td_diag diag = {.index = TD_NONE};
    td_status status = TD_OK;
    int32_t count = instance_count(def);
    tdi_random random;
    tdi_random_seed(&random, (uint64_t)def->instances.seed);
    note_motion(w, k);
    o->first_variant = w->variants.count;
    o->first_actor = w->actor_count;
    for (int32_t i = 0; i < def->instances.variants && status == TD_OK; i++) {
        tdi_variant *v = &w->variants.list[w->variants.count++];
        status = make_variant(w, k, i, opts, v, diags);
    }
    if (status == TD_OK &&
        (tdi_scene_keyed(w->scene, &def->bending) || tdi_scene_keyed(w->scene, &def->twisting))) {
        status = tdi_object_stiffen_room(w, k, &diag);
    }
    for (int32_t i = 0; i < count && status == TD_OK; i++) {
        const tdi_variant *v = &w->variants.list[o->first_variant + i % def->instances.variants];
        if (w->room.segment_count + td_skeleton_count(v->skeleton) > opts->max_segments) {
            char path[64];
            snprintf(path, sizeof path, "objects[%d]", k);
            return tdi_scene_fault(w->scene, diags, TD_ERR_LIMIT, path,
                                   "the scene has more than %lld segments",
                                   (long long)opts->max_segments);
        }
        tdi_actor *a = &w->actors[w->actor_count++];
        w->room.made_count = w->actor_count;
        status = make_actor(w, k, i, instance_place(&def->instances, i, &random), a, &diag);
        status = status == TD_OK ? TD_OK : tdi_object_fault(w, k, status, "", &diag, diags);
        o->actor_count++;
    }
    return status;
}

td_status tdi_world_make_objects(td_world *w, const td_world_opts *opts, td_diag_list *diags) {
    const td_scene_def *def = &w->scene->def;
    td_status status = count_all(w, opts, diags);
    td_status first = status;
    // the faults of all plants are told together; what ran out would run out again
    for (int32_t k = 0; k < def->object_count; k++) {
        if (status == TD_ERR_MEMORY || status == TD_ERR_LIMIT) {
            break;
        }
        status = tdi_world_make_object(w, k, opts, diags);
        first = first == TD_OK ? status : first;
    }
    if (first != TD_OK) {
        return first;
    }
    return TD_OK;
}
