// SPDX-License-Identifier: MIT
// What acts on actors in a step: wind, hands, pushes, poses, and forces from outside.
//
// Everything is taken at the end of the step, as the implicit step takes it, in the simulated frame
// of the actor.

#include "world/world.h"

#include "math/quat.h"
#include "tree/saving.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

// ---- places ---------------------------------------------------------------------------------

int32_t tdi_world_object_named(const td_world *w, const char *name) {
    const td_scene_def *def = &w->scene->def;
    for (int32_t k = 0; k < def->object_count; k++) {
        if (!name || (def->objects[k].name && strcmp(def->objects[k].name, name) == 0)) {
            return k;
        }
    }
    return TD_NONE;
}

// The segment by id, or that whose tip is nearest, or highest.
static int32_t find_segment(const tdi_actor *a, const td_skeleton *skeleton,
                            const td_place_def *place) {
    const td_segment *s = td_skeleton_segments(skeleton);
    int32_t best = TD_NONE;
    td_real least = HUGE_VAL;
    for (int32_t i = 0; i < td_skeleton_count(skeleton); i++) {
        if (place->segment >= 0) {
            if (s[i].id == place->segment) {
                return i;
            }
            continue;
        }
        td_vec3 tip = td_tree_tip(a->state, i);
        td_real off = place->near_given ? tdi_norm(tdi_sub(tip, place->near)) : -tip.y;
        if (off < least) {
            least = off;
            best = i;
        }
    }
    return best;
}

td_status tdi_find_spot(const td_world *w, const td_place_def *place, const char *path,
                        tdi_spot *out, td_diag_list *diags) {
    int32_t object = tdi_world_object_named(w, place->object);
    const tdi_object *o = &w->objects[object];
    const tdi_actor *a = &w->actors[o->first_actor + place->instance];
    out->actor = o->first_actor + place->instance;
    out->segment = find_segment(a, w->variants[a->variant].skeleton, place);
    if (out->segment == TD_NONE) {
        char where[96];
        snprintf(where, sizeof where, "%s.segment", path);
        return tdi_scene_fault(w->scene, diags, TD_ERR_SYNTAX, where,
                               "the object has no segment with the id %d", place->segment);
    }
    out->tip = td_tree_tip(a->state, out->segment);
    return TD_OK;
}

static td_status make_wind(td_world *w, int32_t k, td_diag_list *diags) {
    const td_wind_load *l = &w->scene->def.loads[k].as.wind;
    tdi_world_wind *out = &w->winds[w->wind_count];
    td_wind_def def = td_wind_def_default();
    td_diag diag = {.index = TD_NONE};
    def.seed = (uint64_t)l->seed;
    def.intensity = l->intensity;
    def.length = l->length;
    def.gust = l->gust;
    def.gust_length = l->gust_length;
    def.roughness = l->roughness;
    def.height = l->height;
    def.onset = l->onset;
    // of a wind that begins later, the first direction there is
    const tdi_keyed *keyed = tdi_scene_keyed(w->scene, &l->velocity);
    td_vec3 direction = l->velocity;
    for (int32_t t = 0; keyed && t < w->scene->fields.track_count; t++) {
        const tdi_track *track = &w->scene->fields.tracks[t];
        for (int32_t i = 0; track->place == keyed->place && i < track->key_count; i++) {
            const td_real *v = track->values + 3 * (ptrdiff_t)i;
            if (tdi_dot(direction, direction) == 0) {
                direction = tdi_vec3(v[0], v[1], v[2]);
            }
        }
    }
    if (tdi_dot(direction, direction) > 0) {
        def.direction = direction;
    }
    td_status status = td_wind_new(&def, w->alloc, &out->wind, &diag);
    if (status != TD_OK && status != TD_ERR_MEMORY) {
        char path[64];
        snprintf(path, sizeof path, "loads[%d].wind", k);
        return tdi_scene_fault(w->scene, diags, TD_ERR_SYNTAX, path, "%s", diag.message);
    }
    out->state = td_wind_start(l->velocity);
    out->load = k;
    w->wind_count += status == TD_OK;
    return status;
}

static td_status make_load(td_world *w, int32_t k, td_diag_list *diags) {
    const td_scene_load *l = &w->scene->def.loads[k];
    char path[64];
    w->load_spots[k] = (tdi_spot){TD_NONE, TD_NONE, {0, 0, 0}};
    switch (l->kind) {
    case TD_SCENE_WIND: return make_wind(w, k, diags);
    case TD_SCENE_PULL:
        snprintf(path, sizeof path, "loads[%d].pull", k);
        return tdi_find_spot(w, &l->as.pull.place, path, &w->load_spots[k], diags);
    case TD_SCENE_PUSH:
        snprintf(path, sizeof path, "loads[%d].push", k);
        return tdi_find_spot(w, &l->as.push.place, path, &w->load_spots[k], diags);
    case TD_SCENE_POSE:
        w->objects[tdi_world_object_named(w, l->as.pose.object)].posed = true;
        return TD_OK;
    }
    return TD_OK;
}

// Room for all that can act on an actor at once: two entries a push, one a tip and pose or field.
static td_status make_room(td_world *w, tdi_actor *a) {
    const td_scene_def *def = &w->scene->def;
    size_t n = (size_t)td_skeleton_count(w->variants[a->variant].skeleton), poses = 0;
    for (int32_t k = 0; k < def->load_count; k++) {
        poses += def->loads[k].kind == TD_SCENE_POSE &&
                 tdi_world_object_named(w, def->loads[k].as.pose.object) == a->object;
    }
    a->load_capacity = (int32_t)(2 * (size_t)def->load_count + 1 + poses * n);
    a->loads = tdi_arena_zeroed(&w->arena, (size_t)a->load_capacity, sizeof *a->loads);
    a->points = tdi_arena_zeroed(&w->arena, n, sizeof *a->points);
    a->winds = tdi_arena_zeroed(&w->arena, n, sizeof *a->winds);
    a->extra = tdi_arena_zeroed(&w->arena, n, sizeof *a->extra);
    return a->loads && a->points && a->winds && a->extra ? TD_OK : TD_ERR_MEMORY;
}

td_status tdi_world_make_loads(td_world *w, td_diag_list *diags) {
    int32_t count = w->scene->def.load_count;
    td_status status = TD_OK;
    w->load_spots = tdi_arena_zeroed(&w->arena, (size_t)count + 1, sizeof *w->load_spots);
    w->winds = tdi_arena_zeroed(&w->arena, (size_t)count + 1, sizeof *w->winds);
    if (!w->load_spots || !w->winds) {
        return TD_ERR_MEMORY;
    }
    for (int32_t k = 0; k < count && status == TD_OK; k++) {
        status = make_load(w, k, diags);
    }
    for (int32_t k = 0; k < w->actor_count && status == TD_OK; k++) {
        status = make_room(w, &w->actors[k]);
    }
    return status;
}

// ---- wind -----------------------------------------------------------------------------------

bool tdi_actor_winds(td_world *w, tdi_actor *a) {
    const int32_t n = a->state->model->body_count;
    if (w->wind_count == 0) {
        return false;
    }
    for (int32_t i = 0; i < n; i++) {
        a->points[i] = tdi_from_simulated(a, td_tree_origin(a->state, i));
        a->winds[i] = tdi_vec3(0, 0, 0);
    }
    for (int32_t k = 0; k < w->wind_count; k++) {
        td_wind_at(w->winds[k].wind, &w->winds[k].state, n, a->points, a->extra);
        for (int32_t i = 0; i < n; i++) {
            a->winds[i] = tdi_add(a->winds[i], a->extra[i]);
        }
    }
    for (int32_t i = 0; i < n; i++) {
        a->winds[i] = tdi_turn_to_simulated(a, a->winds[i]);
    }
    return true;
}

// ---- points ---------------------------------------------------------------------------------

typedef struct collector {
    td_world *world;
    tdi_actor *actor;
    int32_t count;
    td_real t0, t1;
} collector;

static void add(collector *c, td_load load) {
    if (c->count < c->actor->load_capacity) {
        c->actor->loads[c->count++] = load;
    }
}

static void note_force(tdi_actor *a, td_real force) {
    a->largest_force = force > a->largest_force ? force : a->largest_force;
}

static void add_pull(collector *c, const td_pull_load *l, const tdi_spot *spot) {
    tdi_actor *a = c->actor;
    const td_scene *s = c->world->scene;
    if (c->t1 <= l->start || c->t1 > l->end) {
        return;
    }
    const tdi_keyed *keyed = tdi_scene_keyed(s, l->to_given ? &l->to : &l->by);
    td_real value[3], rate[3] = {0, 0, 0};
    if (keyed) {
        td_curve_at(keyed->curve, c->t1, value, rate, NULL);
    }
    td_vec3 to = l->to_given ? l->to : tdi_add(spot->tip, l->by);
    td_vec3 tip = a->state->model->body[spot->segment].tip;
    td_load load = {.kind = TD_LOAD_SPRING,
                    .segment = spot->segment,
                    .point = tip,
                    .vector = tdi_to_simulated(a, to),
                    .stiffness = l->stiffness,
                    .damping = l->damping,
                    .velocity = tdi_turn_to_simulated(a, tdi_vec3(rate[0], rate[1], rate[2]))};
    td_vec3 off = tdi_sub(load.vector, td_tree_tip(a->state, spot->segment));
    note_force(a, l->stiffness * tdi_norm(off));
    add(c, load);
}

static void add_push(collector *c, const td_push_load *l, const tdi_spot *spot) {
    tdi_actor *a = c->actor;
    if (c->t1 <= l->start || c->t1 > l->end) {
        return;
    }
    if (tdi_dot(l->force, l->force) > 0) {
        note_force(a, tdi_norm(l->force));
        add(c, (td_load){.kind = TD_LOAD_FORCE,
                         .segment = spot->segment,
                         .point = a->state->model->body[spot->segment].tip,
                         .vector = tdi_turn_to_simulated(a, l->force)});
    }
    if (l->twist != 0) {
        td_quat q = td_tree_rotation(a->state, spot->segment);
        add(c, (td_load){.kind = TD_LOAD_TORQUE,
                         .segment = spot->segment,
                         .vector = tdi_quat_rotate(q, tdi_vec3(0, l->twist, 0))});
    }
}

// ---- poses ----------------------------------------------------------------------------------

// Tips of the drawn shape with `bend` spread over the joints, in the axes of the base.
static void pose_tips(const td_world *w, const tdi_actor *a, td_vec3 bend, td_quat *turn,
                      td_vec3 *origin, td_vec3 *tips) {
    const tdi_variant *v = &w->variants[a->variant];
    const td_segment *s = td_skeleton_segments(v->skeleton);
    td_vec3 share = tdi_scale(bend, 1.0 / v->depth_most);
    td_real angle = tdi_norm(share);
    td_quat own = angle > 0 ? tdi_quat_turn(tdi_scale(share, 1 / angle), angle)
                            : tdi_quat_identity();
    for (int32_t i = 0; i < td_skeleton_count(v->skeleton); i++) {
        int32_t p = s[i].parent;
        td_quat up = p == TD_NONE ? tdi_quat_identity() : turn[p];
        td_vec3 at = p == TD_NONE ? tdi_vec3(0, 0, 0) : origin[p];
        turn[i] = tdi_quat_unit(tdi_quat_mul(tdi_quat_mul(up, s[i].rest), own));
        origin[i] = tdi_add(at, tdi_quat_rotate(up, s[i].attach));
        tips[i] = tdi_add(origin[i], tdi_quat_rotate(turn[i], s[i].tip));
    }
}

// The bend at a time, which keyframes may give.
static td_vec3 bend_at(const td_world *w, const td_pose_load *l, td_real time) {
    const tdi_keyed *keyed = tdi_scene_keyed(w->scene, &l->bend);
    td_real v[3] = {l->bend.x, l->bend.y, l->bend.z};
    if (keyed) {
        td_curve_at(keyed->curve, time, v, NULL, NULL);
    }
    return tdi_vec3(v[0], v[1], v[2]);
}

static void add_pose(collector *c, const td_pose_load *l) {
    td_world *w = c->world;
    tdi_actor *a = c->actor;
    const td_tree_model *m = a->state->model;
    // the nodes of the solver are free between steps: room for the pose
    td_quat *turn = (td_quat *)a->state->node;
    const td_real dt = c->t1 - c->t0;
    if (l->strength == 0 && l->damping == 0) {
        return;
    }
    pose_tips(w, a, bend_at(w, l, c->t0), turn, a->points, a->extra);
    int32_t first = c->count;
    for (int32_t i = 0; i < m->body_count; i++) {
        add(c, (td_load){.kind = TD_LOAD_SPRING,
                         .segment = i,
                         .point = m->body[i].tip,
                         .vector = a->extra[i],
                         .stiffness = l->strength,
                         .damping = l->damping});
    }
    pose_tips(w, a, bend_at(w, l, c->t1), turn, a->points, a->extra);
    // the base's own motion carries the pose along; what the springs damp is motion relative to it
    for (int32_t i = 0; i < m->body_count; i++) {
        td_load *load = &a->loads[first + i];
        td_vec3 change = tdi_scale(tdi_sub(a->extra[i], load->vector), 1 / dt);
        td_vec3 arm = tdi_quat_rotate(a->simulated.rotation, a->extra[i]);
        const tdi_twist *base = &a->state->base_twist;
        load->vector = tdi_add(a->simulated.position, arm);
        load->velocity = tdi_add(tdi_quat_rotate(a->simulated.rotation, change),
                                 tdi_add(base->v, tdi_cross(base->w, arm)));
    }
}

// ---- forces from outside --------------------------------------------------------------------

// Added to the wind's place in the step: constant forces at the tips.
static void add_field(collector *c) {
    td_world *w = c->world;
    tdi_actor *a = c->actor;
    const int32_t n = a->state->model->body_count;
    td_vec3 *forces = (td_vec3 *)a->state->node; // free between steps
    for (int32_t i = 0; i < n; i++) {
        td_vec3 tip = a->state->model->body[i].tip;
        a->points[i] = tdi_from_simulated(a, td_tree_tip(a->state, i));
        a->extra[i] = tdi_tree_velocity_of(a->state, i, tip);
        forces[i] = tdi_vec3(0, 0, 0);
    }
    w->field(w->field_context, c->t0, n, a->points, a->extra, forces);
    for (int32_t i = 0; i < n; i++) {
        if (tdi_dot(forces[i], forces[i]) != 0) {
            add(c, (td_load){.kind = TD_LOAD_FORCE,
                             .segment = i,
                             .point = a->state->model->body[i].tip,
                             .vector = tdi_turn_to_simulated(a, forces[i])});
        }
    }
}

static void add_grab(collector *c) {
    const tdi_grab *g = &c->world->grab;
    add(c, (td_load){.kind = TD_LOAD_SPRING,
                     .segment = g->segment,
                     .point = g->point,
                     .vector = tdi_to_simulated(c->actor, g->to),
                     .stiffness = g->stiffness});
}

// ---- entry ----------------------------------------------------------------------------------

int32_t tdi_actor_loads(td_world *w, tdi_actor *a, td_real t0, td_real t1) {
    collector c = {w, a, 0, t0, t1};
    const td_scene_def *def = &w->scene->def;
    int32_t self = (int32_t)(a - w->actors);
    for (int32_t k = 0; k < def->load_count; k++) {
        const td_scene_load *l = &def->loads[k];
        const tdi_spot *spot = &w->load_spots[k];
        if (l->kind == TD_SCENE_PULL && spot->actor == self) {
            add_pull(&c, &l->as.pull, spot);
        } else if (l->kind == TD_SCENE_PUSH && spot->actor == self) {
            add_push(&c, &l->as.push, spot);
        } else if (l->kind == TD_SCENE_POSE && w->objects[a->object].posed &&
                   tdi_world_object_named(w, l->as.pose.object) == a->object) {
            add_pose(&c, &l->as.pose);
        }
    }
    if (w->grab.held && w->grab.actor == self) {
        add_grab(&c);
    }
    if (w->field) {
        add_field(&c);
    }
    return c.count;
}
