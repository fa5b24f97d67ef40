// SPDX-License-Identifier: MIT
// Loads of actors in a step: wind, grabs, pushes, poses, and force fields of the program.
//
// Wind and force fields are sampled at the segments before the step. Other loads have their values
// at its end, as the implicit step needs them, but for loads that begin or end within the step
// (discontinuities.c). Loads are in the simulated frame of the actor. Names and segments are looked
// up once: an actor has a list of its loads.

#include "world/world.h"

#include "base/guard.h"
#include "base/log.h"

#include "math/quat.h"
#include "reduce/reduced.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

// ---- places ---------------------------------------------------------------------------------

// The segment by id, or that whose tip is nearest, or highest.
static int32_t find_segment(const tdi_actor *a, const td_place_def *place) {
    int32_t best = TD_NONE;
    td_real least = HUGE_VAL;
    for (int32_t i = 0; i < a->segment_count; i++) {
        if (place->segment_id >= 0) {
            if (a->segments[i].id == place->segment_id) {
                return i;
            }
            continue;
        }
        if (place->organ_given && a->segments[i].organ != place->organ) {
            continue;
        }
        td_vec3 tip = tdi_solver_tip(a->solver, a->state, i);
        td_real off = place->nearest_given ? tdi_norm(tdi_sub(tip, place->nearest_to)) : -tip.y;
        if (off < least) {
            least = off;
            best = i;
        }
    }
    return best;
}

// Whether the object has such a segment.
static td_status check_spot(const td_world *w, const td_place_def *place, const char *path,
                            td_diag_list *diags) {
    const tdi_object *o = &w->objects[tdi_scene_object(&w->scene->def, place->object)];
    char where[96];
    const bool by_id = place->segment_id >= 0;
    if (find_segment(&w->actors[o->first_actor + place->instance], place) != TD_NONE) {
        return TD_OK;
    }
    snprintf(where, sizeof where, "%s.%s", path, by_id ? "segment" : "organ");
    return by_id ? tdi_scene_fault(w->scene, diags, TD_ERR_SYNTAX, where,
                                   "the object has no segment with the id %d", place->segment_id)
                 : tdi_scene_fault(w->scene, diags, TD_ERR_SYNTAX, where,
                                   "the object has no segment that is a %s",
                                   td_organ_name(place->organ));
}

td_status tdi_world_check_spots(const td_world *w, td_diag_list *diags) {
    const td_scene_def *def = &w->scene->def;
    td_status status = TD_OK, own;
    char path[96];
    for (int32_t k = 0; k < def->load_count; k++) {
        const td_scene_load *l = &def->loads[k];
        const bool pull = l->kind == TD_SCENE_PULL;
        snprintf(path, sizeof path, "loads[%d].%s", (int)k, pull ? "pull" : "push");
        own = pull                       ? check_spot(w, &l->as.pull.place, path, diags)
              : l->kind == TD_SCENE_PUSH ? check_spot(w, &l->as.push.place, path, diags)
                                         : TD_OK;
        status = own == TD_OK ? status : own;
    }
    for (int32_t k = 0; k < 2 * def->constraint_count; k++) {
        const td_scene_constraint *c = &def->constraints[k / 2];
        snprintf(path, sizeof path, "constraints[%d].%s.%s", (int)(k / 2),
                 td_constraint_kind_name(c->kind), k % 2 == 0 ? "a" : "b");
        own = k % 2 == 0      ? check_spot(w, &c->as.a.place, path, diags)
              : c->as.b.given ? check_spot(w, &c->as.b.place, path, diags)
                              : TD_OK;
        status = own == TD_OK ? status : own;
    }
    for (int32_t k = 0; k < def->record.probe_count; k++) {
        const td_probe_def *p = &def->record.probes[k];
        snprintf(path, sizeof path, "record.probes[%d]", (int)k);
        own = p->constraint ? TD_OK : check_spot(w, &p->place, path, diags);
        status = own == TD_OK ? status : own;
    }
    return status;
}

td_status tdi_find_spot(const td_world *w, const td_place_def *place, const char *path,
                        tdi_spot *out, td_diag_list *diags) {
    int32_t object = tdi_scene_object(&w->scene->def, place->object);
    const tdi_object *o = &w->objects[object];
    const tdi_actor *a = &w->actors[o->first_actor + place->instance];
    out->actor = o->first_actor + place->instance;
    out->segment = find_segment(a, place);
    if (out->segment == TD_NONE) {
        return check_spot(w, place, path, diags);
    }
    out->tip = tdi_solver_tip(a->solver, a->state, out->segment);
    if (place->segment_id < 0) {
        char how[64] = "its tip is the highest";
        if (place->nearest_given) {
            snprintf(how, sizeof how, "its tip is %.3g m from `near`",
                     tdi_norm(tdi_sub(out->tip, place->nearest_to)));
        }
        tdi_log(&w->log, TD_LOG_INFO, "chosen: %s is segment %d of '%s', a %s: %s", path,
                (int)a->segments[out->segment].id, a->name,
                td_organ_name(a->segments[out->segment].organ), how);
    }
    return TD_OK;
}

static td_wind_def wind_def(const td_wind_load *l, td_vec3 direction) {
    td_wind_def def = td_wind_def_default();
    def.seed = (uint64_t)l->seed;
    def.intensity = l->intensity;
    def.length = l->length;
    def.gust = l->gust;
    def.gust_length = l->gust_length;
    def.roughness = l->roughness;
    def.height = l->height;
    def.onset = l->onset;
    if (tdi_dot(direction, direction) > 0) {
        def.direction = direction;
    }
    return def;
}

// Of a wind that begins later, the first direction there is.
static td_vec3 first_direction(const td_world *w, const td_wind_load *l) {
    const tdi_keyed *keyed = tdi_scene_keyed(w->scene, &l->velocity);
    td_vec3 direction = l->velocity;
    for (int32_t i = 0; keyed && i < keyed->track->key_count; i++) {
        const td_real *v = keyed->track->values + 3 * (ptrdiff_t)i;
        if (tdi_dot(direction, direction) == 0) {
            direction = tdi_vec3(v[0], v[1], v[2]);
        }
    }
    return direction;
}

static td_status make_wind(td_world *w, int32_t k, td_diag_list *diags) {
    const td_wind_load *l = &w->scene->def.loads[k].as.wind;
    tdi_world_wind *out = &w->loads.winds[w->loads.wind_count];
    out->direction = first_direction(w, l);
    td_wind_def def = wind_def(l, out->direction);
    td_diag diag = {.index = TD_NONE};
    td_status status = td_wind_new(&def, w->alloc, &out->wind, &diag);
    if (status != TD_OK && status != TD_ERR_MEMORY) {
        char path[64];
        snprintf(path, sizeof path, "loads[%d].wind", k);
        return tdi_scene_fault(w->scene, diags, TD_ERR_SYNTAX, path, "%s", diag.message);
    }
    out->state = td_wind_start(l->velocity);
    out->load = k;
    w->loads.wind_count += status == TD_OK;
    return status;
}

td_status tdi_world_remake_wind(td_world *w, int32_t wind, td_diag *diag) {
    tdi_world_wind *out = &w->loads.winds[wind];
    td_wind_def def = wind_def(&w->scene->def.loads[out->load].as.wind, out->direction);
    td_wind *made = NULL;
    td_status status = td_wind_new(&def, w->alloc, &made, diag);
    if (status == TD_OK) {
        td_wind_free(out->wind);
        out->wind = made;
    }
    return status;
}

// ---- what acts on whom ----------------------------------------------------------------------

// The first actor that a load acts on, and how many from there on.
typedef struct reach {
    int32_t first, count;
} reach;

const tdi_keyed *tdi_load_keyed(const td_world *w, int32_t load) {
    const td_scene_load *l = &w->scene->def.loads[load];
    const td_pull_load *p = &l->as.pull;
    return l->kind == TD_SCENE_POSE    ? tdi_scene_keyed(w->scene, &l->as.pose.bend)
           : l->kind == TD_SCENE_PULL  ? tdi_scene_keyed(w->scene, p->to_given ? &p->to : &p->by)
           : l->kind == TD_SCENE_FIELD ? tdi_scene_keyed(w->scene, &l->as.field.strength)
                                       : NULL;
}

static td_status find_reach(td_world *w, int32_t k, tdi_acting *acting, reach *out,
                            td_diag_list *diags) {
    const td_scene_load *l = &w->scene->def.loads[k];
    const bool pull = l->kind == TD_SCENE_PULL;
    char path[64];
    *acting = (tdi_acting){.load = k, .spot = {TD_NONE, TD_NONE, {0, 0, 0}}};
    *out = (reach){0, 0};
    if (l->kind == TD_SCENE_WIND) {
        return make_wind(w, k, diags);
    }
    acting->keyed = tdi_load_keyed(w, k);
    if (l->kind == TD_SCENE_FIELD) {
        const int32_t one = tdi_scene_object(&w->scene->def, l->as.field.object);
        *out = l->as.field.object
                   ? (reach){w->objects[one].first_actor, w->objects[one].actor_count}
                   : (reach){0, w->actor_count};
        return TD_OK;
    }
    if (l->kind == TD_SCENE_POSE) {
        const tdi_object *o = &w->objects[tdi_scene_object(&w->scene->def, l->as.pose.object)];
        *out = (reach){o->first_actor, o->actor_count};
        return TD_OK;
    }
    snprintf(path, sizeof path, "loads[%d].%s", k, pull ? "pull" : "push");
    td_status status =
        tdi_find_spot(w, pull ? &l->as.pull.place : &l->as.push.place, path, &acting->spot, diags);
    *out = (reach){acting->spot.actor, 1};
    return status;
}

static bool posed(const td_world *w, const tdi_actor *a) {
    for (int32_t k = 0; k < a->load.acting_count; k++) {
        if (w->scene->def.loads[a->load.acting[k].load].kind == TD_SCENE_POSE) {
            return true;
        }
    }
    return false;
}

// Room for all that can act on an actor at once: two entries a push, two for a grab, one a segment
// and pose, and one a segment for all fields. On what was cut any pushes of the scene may come to
// act.
td_status tdi_actor_load_room(td_world *w, tdi_actor *a) {
    td_status status = tdi_actor_make_fields(w, a);
    size_t n = (size_t)a->segment_count, count = 2 + (a->load.fields ? n : 0);
    if (status != TD_OK) {
        return status;
    }
    for (int32_t k = 0; k < a->load.acting_count; k++) {
        count += w->scene->def.loads[a->load.acting[k].load].kind == TD_SCENE_POSE ? n : 2;
    }
    count += w->variants.list[a->variant].own ? 2 * (size_t)w->scene->def.load_count : 0;
    if (count > INT32_MAX) {
        return TD_ERR_MEMORY;
    }
    a->load.capacity = (int32_t)count;
    a->load.loads = tdi_arena_zeroed(tdi_actor_arena(w, a), count, sizeof *a->load.loads);
    TDI_TRY(a->load.loads ? TD_OK : TD_ERR_MEMORY);
    if (posed(w, a)) {
        a->load.turns = tdi_arena_zeroed(tdi_actor_arena(w, a), n, sizeof *a->load.turns);
        TDI_TRY(a->load.turns ? TD_OK : TD_ERR_MEMORY);
    }
    return w->loads.wind_count > 0 || a->load.turns ? tdi_actor_make_points(w, a) : TD_OK;
}

td_status tdi_actor_make_points(td_world *w, tdi_actor *a) {
    size_t n = (size_t)a->segment_count;
    if (!a->load.points) {
        td_vec3 *points = tdi_arena_zeroed(tdi_actor_arena(w, a), 3 * n, sizeof *points);
        TDI_TRY(points ? TD_OK : TD_ERR_MEMORY);
        a->load.points = points;
        a->load.winds = points + n;
        a->load.extra = points + 2 * n;
    }
    return TD_OK;
}

// Whether a load of the scene acts on all actors of an object.
static bool acts_on_object(const td_world *w, const td_scene_load *l, int32_t object) {
    const char *name = l->kind == TD_SCENE_POSE ? l->as.pose.object : l->as.field.object;
    return l->kind == TD_SCENE_POSE    ? tdi_scene_object(&w->scene->def, name) == object
           : l->kind == TD_SCENE_FIELD ? !name || tdi_scene_object(&w->scene->def, name) == object
                                       : false;
}

td_status tdi_actor_make_loads(td_world *w, tdi_actor *a) {
    const td_scene_load *loads = w->scene->def.loads;
    const size_t most = (size_t)w->scene->def.load_count + 1;
    a->load.acting = tdi_arena_zeroed(tdi_actor_arena(w, a), most, sizeof *a->load.acting);
    TDI_TRY(a->load.acting ? TD_OK : TD_ERR_MEMORY);
    for (int32_t k = 0; k < w->scene->def.load_count; k++) {
        if (acts_on_object(w, &loads[k], a->object)) {
            tdi_acting *acting = &a->load.acting[a->load.acting_count++];
            *acting = (tdi_acting){.load = k, .spot = {TD_NONE, TD_NONE, {0, 0, 0}}};
            acting->keyed = tdi_load_keyed(w, k);
        }
    }
    return tdi_actor_load_room(w, a);
}

// Hands out the loads, in their order, to the actors they act on.
static td_status list_loads(td_world *w, const tdi_acting *all, const reach *reaches) {
    const int32_t count = w->scene->def.load_count;
    for (int32_t k = 0; k < count; k++) {
        for (int32_t i = 0; i < reaches[k].count; i++) {
            w->actors[reaches[k].first + i].load.acting_count++;
        }
    }
    for (int32_t k = 0; k < w->actor_count; k++) {
        tdi_actor *a = &w->actors[k];
        a->load.acting =
            tdi_arena_zeroed(&w->arena, (size_t)a->load.acting_count + 1, sizeof *a->load.acting);
        TDI_TRY(a->load.acting ? TD_OK : TD_ERR_MEMORY);
        a->load.acting_count = 0;
    }
    for (int32_t k = 0; k < count; k++) {
        for (int32_t i = 0; i < reaches[k].count; i++) {
            tdi_actor *a = &w->actors[reaches[k].first + i];
            a->load.acting[a->load.acting_count++] = all[k];
        }
    }
    return TD_OK;
}

td_status tdi_world_make_loads(td_world *w, td_diag_list *diags) {
    size_t count = (size_t)w->scene->def.load_count;
    td_status status = TD_OK;
    tdi_world_find_keyed_forces(w);
    tdi_acting *all = tdi_arena_zeroed(&w->arena, count + 1, sizeof *all);
    reach *reaches = tdi_arena_zeroed(&w->arena, count + 1, sizeof *reaches);
    w->loads.winds = tdi_arena_zeroed(&w->arena, count + 1, sizeof *w->loads.winds);
    if (!all || !reaches || !w->loads.winds) {
        return TD_ERR_MEMORY;
    }
    for (int32_t k = 0; k < (int32_t)count && status == TD_OK; k++) {
        status = find_reach(w, k, &all[k], &reaches[k], diags);
    }
    status = status == TD_OK ? list_loads(w, all, reaches) : status;
    for (int32_t k = 0; k < w->actor_count && status == TD_OK; k++) {
        status = tdi_actor_load_room(w, &w->actors[k]);
    }
    return status;
}

// ---- wind -----------------------------------------------------------------------------------

// Winds at the segments, in true axes.
static void sample_winds(const td_world *w, tdi_actor *a) {
    const int32_t n = a->segment_count;
    a->solver->poses(a->state, 0, a->segment_count, a->load.points, NULL, NULL);
    for (int32_t i = 0; i < n; i++) {
        a->load.points[i] = tdi_from_simulated(a, a->load.points[i]);
        a->load.winds[i] = tdi_vec3(0, 0, 0);
    }
    for (int32_t k = 0; k < w->loads.wind_count; k++) {
        td_wind_at(w->loads.winds[k].wind, &w->loads.winds[k].state, n, a->load.points,
                   a->load.extra);
        for (int32_t i = 0; i < n; i++) {
            a->load.winds[i] = tdi_add(a->load.winds[i], a->load.extra[i]);
        }
    }
}

// The same only where a reduced tree asks for it.
static void sample_asked_winds(const td_world *w, tdi_actor *a) {
    int32_t n;
    const int32_t *segments = tdi_reduced_wind_segments(a->state, &n, a->load.points);
    for (int32_t i = 0; i < n; i++) {
        a->load.points[i] = tdi_from_simulated(a, a->load.points[i]);
        a->load.winds[segments[i]] = tdi_vec3(0, 0, 0);
    }
    for (int32_t k = 0; k < w->loads.wind_count; k++) {
        td_wind_at(w->loads.winds[k].wind, &w->loads.winds[k].state, n, a->load.points,
                   a->load.extra);
        for (int32_t i = 0; i < n; i++) {
            a->load.winds[segments[i]] = tdi_add(a->load.winds[segments[i]], a->load.extra[i]);
        }
    }
}

// Forces from outside at the tips, in true axes.
void tdi_actor_sample_field(const td_world *w, tdi_actor *a) {
    const int32_t n = a->segment_count;
    a->solver->poses(a->state, 0, a->segment_count, NULL, a->load.points, NULL);
    a->solver->velocities(a->state, 0, a->segment_count, NULL, a->load.extra);
    for (int32_t i = 0; i < n; i++) {
        a->load.extra[i] = tdi_velocity_from_simulated(a, a->load.points[i], a->load.extra[i]);
        a->load.points[i] = tdi_from_simulated(a, a->load.points[i]);
        a->load.forces[i] = tdi_vec3(0, 0, 0);
    }
    w->loads.field(w->loads.field_context, td_world_time(w),
                   td_world_actor_id(w, (int32_t)(a - w->actors)), n, a->load.points, a->load.extra,
                   a->load.forces);
}

void tdi_actor_sample(const td_world *w, tdi_actor *a) {
    if (w->loads.wind_count > 0 && a->solver->reduced_of) {
        sample_asked_winds(w, a);
    } else if (w->loads.wind_count > 0) {
        sample_winds(w, a);
    }
    if (w->loads.field) {
        tdi_actor_sample_field(w, a);
    }
}

const td_vec3 *tdi_actor_winds(const td_world *w, tdi_actor *a) {
    for (int32_t i = 0; w->loads.wind_count > 0 && i < a->segment_count; i++) {
        a->load.winds[i] = tdi_turn_to_simulated(a, a->load.winds[i]);
    }
    return w->loads.wind_count > 0 ? a->load.winds : NULL;
}

#define WIND_BLOCK 64

void td_world_wind(const td_world *w, int32_t count, const td_vec3 *points, td_vec3 *velocities) {
    if (!w || (count > 0 && (!points || !velocities))) {
        return;
    }
    td_vec3 one[WIND_BLOCK];
    for (int32_t i = 0; i < count; i++) {
        velocities[i] = tdi_vec3(0, 0, 0);
    }
    for (int32_t k = 0; k < w->loads.wind_count; k++) {
        for (int32_t from = 0; from < count; from += WIND_BLOCK) {
            int32_t n = count - from < WIND_BLOCK ? count - from : WIND_BLOCK;
            td_wind_at(w->loads.winds[k].wind, &w->loads.winds[k].state, n, points + from, one);
            for (int32_t i = 0; i < n; i++) {
                velocities[from + i] = tdi_add(velocities[from + i], one[i]);
            }
        }
    }
}

// ---- points ---------------------------------------------------------------------------------

typedef struct collector {
    const td_world *world;
    tdi_actor *actor;
    int32_t count;
    td_real t0, t1;
} collector;

static void add(collector *c, td_load load) {
    if (c->count < c->actor->load.capacity) {
        c->actor->load.loads[c->count++] = load;
    }
}

static void add_pull(collector *c, const td_pull_load *l, const tdi_acting *acting) {
    const tdi_actor *a = c->actor;
    const tdi_keyed *keyed = tdi_live(acting->keyed);
    const td_real part = tdi_acting_part(l->start, l->end, c->t0, c->t1);
    td_real rate[3] = {0, 0, 0};
    if (part == 0) {
        return;
    }
    if (keyed) {
        td_curve_at(keyed->curve, c->t1, NULL, rate, NULL);
    }
    td_vec3 to = l->to_given ? l->to : tdi_add(acting->spot.tip, l->by);
    add(c, (td_load){.kind = TD_LOAD_SPRING,
                     .segment = acting->spot.segment,
                     .point = a->segments[acting->spot.segment].tip,
                     .vector = tdi_to_simulated(a, to),
                     .stiffness = part * l->stiffness,
                     .damping = part * l->damping,
                     .velocity = tdi_turn_to_simulated(a, tdi_vec3(rate[0], rate[1], rate[2]))});
}

// A torque about the segment's own axis.
static void add_twist(collector *c, int32_t segment, td_real torque) {
    td_quat q = tdi_solver_rotation(c->actor->solver, c->actor->state, segment);
    add(c, (td_load){.kind = TD_LOAD_TORQUE,
                     .segment = segment,
                     .vector = tdi_quat_rotate(q, tdi_vec3(0, torque, 0))});
}

static void add_push(collector *c, const td_push_load *l, const tdi_spot *spot) {
    const tdi_actor *a = c->actor;
    const td_real part = tdi_acting_part(l->start, l->end, c->t0, c->t1);
    if (part > 0 && tdi_dot(l->force, l->force) > 0) {
        add(c, (td_load){.kind = TD_LOAD_FORCE,
                         .segment = spot->segment,
                         .point = a->segments[spot->segment].tip,
                         .vector = tdi_turn_to_simulated(a, tdi_scale(l->force, part))});
    }
    if (part > 0 && l->twist != 0) {
        add_twist(c, spot->segment, part * l->twist);
    }
}

// ---- poses ----------------------------------------------------------------------------------

// Tips of the drawn shape with `bend` spread over the joints, in the axes of the base.
static void pose_tips(const td_world *w, const tdi_actor *a, td_vec3 bend, td_quat *turn,
                      td_vec3 *origin, td_vec3 *tips) {
    const td_segment *s = a->segments;
    td_vec3 share = tdi_scale(bend, 1.0 / w->variants.list[a->variant].depth_most);
    td_real angle = tdi_norm(share);
    td_quat own =
        angle > 0 ? tdi_quat_turn(tdi_scale(share, 1 / angle), angle) : tdi_quat_identity();
    for (int32_t i = 0; i < a->segment_count; i++) {
        int32_t p = s[i].parent;
        td_quat up = p == TD_NONE ? tdi_quat_identity() : turn[p];
        td_vec3 at = p == TD_NONE ? tdi_vec3(0, 0, 0) : origin[p];
        turn[i] = tdi_quat_unit(tdi_quat_mul(tdi_quat_mul(up, s[i].rest), own));
        origin[i] = tdi_add(at, tdi_quat_rotate(up, s[i].attach));
        tips[i] = tdi_add(origin[i], tdi_quat_rotate(turn[i], s[i].tip));
    }
}

td_vec3 tdi_pose_bend(const td_pose_load *l, const tdi_keyed *keyed, td_real time) {
    td_real v[3] = {l->bend.x, l->bend.y, l->bend.z};
    if (keyed) {
        td_curve_at(keyed->curve, time, v, NULL, NULL);
    }
    return tdi_vec3(v[0], v[1], v[2]);
}

static void add_pose(collector *c, const td_pose_load *l, const tdi_keyed *keyed) {
    const td_world *w = c->world;
    tdi_actor *a = c->actor;
    const tdi_rate base = tdi_actor_base_rate(a);
    if (l->strength == 0 && l->damping == 0) {
        return;
    }
    pose_tips(w, a, tdi_pose_bend(l, keyed, c->t0), a->load.turns, a->load.points, a->load.extra);
    int32_t first = c->count;
    for (int32_t i = 0; i < a->segment_count; i++) {
        add(c, (td_load){.kind = TD_LOAD_SPRING,
                         .segment = i,
                         .point = a->segments[i].tip,
                         .vector = a->load.extra[i],
                         .stiffness = l->strength,
                         .damping = l->damping});
    }
    pose_tips(w, a, tdi_pose_bend(l, keyed, c->t1), a->load.turns, a->load.points, a->load.extra);
    // the base's own motion carries the pose along; what the springs damp is motion relative to it
    for (int32_t i = 0; i < a->segment_count; i++) {
        td_load *load = &a->load.loads[first + i];
        td_vec3 change = tdi_scale(tdi_sub(a->load.extra[i], load->vector), 1 / (c->t1 - c->t0));
        td_vec3 arm = tdi_quat_rotate(a->simulated.rotation, a->load.extra[i]);
        load->vector = tdi_add(a->simulated.position, arm);
        load->velocity = tdi_add(tdi_quat_rotate(a->simulated.rotation, change),
                                 tdi_add(base.velocity, tdi_cross(base.spin, arm)));
    }
}

// ---- grabs and force fields -----------------------------------------------------------------

static void add_applied(collector *c, const tdi_applied_force *h) {
    const tdi_actor *a = c->actor;
    td_load load = {.kind = TD_LOAD_FORCE, .segment = h->segment, .point = h->point};
    if (h->kind == TDI_APPLIED_SPRING) {
        load.kind = TD_LOAD_SPRING;
        load.vector = tdi_to_simulated(a, h->vector);
        load.stiffness = h->stiffness;
        load.damping = h->damping;
    } else { // an impulse is a force through the whole step
        const td_real over = h->kind == TDI_APPLIED_IMPULSE ? 1 / (c->t1 - c->t0) : 1;
        load.vector = tdi_turn_to_simulated(a, tdi_scale(h->vector, over));
    }
    add(c, load);
}

static void add_grab(collector *c) {
    const tdi_grab *g = &c->world->loads.grab;
    const int64_t self = c->actor - c->world->actors;
    if (g->held && g->actor == self) {
        add(c, (td_load){.kind = TD_LOAD_SPRING,
                         .segment = g->segment,
                         .point = g->point,
                         .vector = tdi_to_simulated(c->actor, g->to),
                         .stiffness = g->stiffness});
    }
    for (int32_t k = 0; k < c->world->loads.applied_count; k++) {
        const tdi_applied_force *h = &c->world->loads.applied[k];
        if (h->alive && h->actor == self) {
            add_applied(c, h);
        }
    }
    if (g->twist != 0 && g->twist_actor == self) {
        add_twist(c, g->twist_segment, g->twist);
    }
}

// One force a segment, at its tip or its centre of mass.
static void add_forces(collector *c, const td_vec3 *forces, bool tips) {
    const tdi_actor *a = c->actor;
    for (int32_t i = 0; i < a->segment_count; i++) {
        const td_segment *s = &a->segments[i];
        if (forces[i].x != 0 || forces[i].y != 0 || forces[i].z != 0) {
            add(c, (td_load){.kind = TD_LOAD_FORCE,
                             .segment = i,
                             .point = tips ? s->tip : s->centre_of_mass,
                             .vector = tdi_turn_to_simulated(a, forces[i])});
        }
    }
}

// ---- entry ----------------------------------------------------------------------------------

// Pulls and pushes come first: tdi_actor_note_force() looks at them.
int32_t tdi_actor_loads(const td_world *w, tdi_actor *a, td_real t0, td_real t1) {
    collector c = {w, a, 0, t0, t1};
    const td_scene_load *loads = w->scene->def.loads;
    for (int32_t k = 0; k < a->load.acting_count; k++) {
        const td_scene_load *l = &loads[a->load.acting[k].load];
        if (a->generation != 1 && l->kind != TD_SCENE_POSE) {
            continue; // another has taken the place of the one that it acted on
        }
        if (l->kind == TD_SCENE_PULL) {
            add_pull(&c, &l->as.pull, &a->load.acting[k]);
        } else if (l->kind == TD_SCENE_PUSH) {
            add_push(&c, &l->as.push, &a->load.acting[k].spot);
        }
    }
    a->load.point_count = c.count;
    for (int32_t k = 0; k < a->load.acting_count; k++) {
        const td_scene_load *l = &loads[a->load.acting[k].load];
        if (l->kind == TD_SCENE_POSE) {
            add_pose(&c, &l->as.pose, tdi_live(a->load.acting[k].keyed));
        }
    }
    add_grab(&c);
    if (a->load.fields) {
        add_forces(&c, a->load.fields, false);
    }
    if (w->loads.field) {
        add_forces(&c, a->load.forces, true);
    }
    return c.count;
}

void tdi_actor_note_force(tdi_actor *a) {
    for (int32_t k = 0; k < a->load.point_count; k++) {
        const td_load *l = &a->load.loads[k];
        td_vec3 off = tdi_sub(l->vector, tdi_solver_tip(a->solver, a->state, l->segment));
        td_real force = l->kind == TD_LOAD_SPRING  ? l->stiffness * tdi_norm(off)
                        : l->kind == TD_LOAD_FORCE ? tdi_norm(l->vector)
                                                   : 0;
        a->step.largest_force = force > a->step.largest_force ? force : a->step.largest_force;
    }
}
