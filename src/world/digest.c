// SPDX-License-Identifier: MIT
// Digests of the loads of actors. A sleeping actor wakes when its digest changes.
//
// Method   A digest of the numbers of options, bases, loads and constraints in a step. It does not
//          depend on the pose, as the loads themselves do.
// Fields   A force that a function gives may change at any time: actors that feel one stay awake,
//          as do actors in a wind that varies.

#include "world/world.h"

#include "base/digest.h"

#include <math.h>

#define TAKE(sum, value) tdi_digest((sum), &(value), sizeof(value))

// ---- options and bases ----------------------------------------------------------------------

static uint64_t take_options(uint64_t sum, const td_world *w, const tdi_actor *a) {
    const td_scene_def *def = &w->scene->def;
    const td_object_def *o = &def->objects[a->object];
    const tdi_factors *factors = &w->objects[a->object].factors;
    const td_real numbers[] = {o->stiffness,   o->damping,    factors->bend,
                               factors->twist, o->time_scale, o->local.amount};
    sum = TAKE(sum, def->gravity);
    sum = TAKE(sum, o->integrator);
    return TAKE(sum, numbers);
}

// The pose of the base, the frame of its local dynamics, and driven ends.
static uint64_t take_base(uint64_t sum, const td_world *w, const tdi_actor *a) {
    const td_object_def *o = &w->scene->def.objects[a->object];
    const tdi_transform place = tdi_actor_place(w, a);
    sum = TAKE(sum, place);
    if (o->local.amount != 0) {
        const tdi_transform frame = tdi_object_frame(w, a->object);
        sum = TAKE(sum, frame);
    }
    for (int end = 0; end < 2 && a->solver->ends; end++) {
        const td_strand_end *e = end ? &o->strand.end : &o->strand.start;
        sum = TAKE(sum, e->shift);
        sum = TAKE(sum, e->rotation);
        sum = TAKE(sum, e->turns);
    }
    return sum;
}

// ---- air ------------------------------------------------------------------------------------

static bool feels_air(const td_world *w, const tdi_actor *a) {
    const td_scene_def *def = &w->scene->def;
    const td_real drag = def->objects[a->object].drag;
    return w->loads.wind_count > 0 &&
           (def->air_density * def->drag * drag > 0 || def->air_linear * drag > 0);
}

static uint64_t take_air(uint64_t sum, const td_world *w, const tdi_actor *a) {
    const td_scene_def *def = &w->scene->def;
    if (!feels_air(w, a)) {
        return sum;
    }
    const td_real numbers[] = {def->air_density, def->drag, def->air_linear,
                               def->objects[a->object].drag};
    sum = TAKE(sum, numbers);
    for (int32_t k = 0; k < w->loads.wind_count; k++) {
        const td_wind_load *l = &def->loads[w->loads.winds[k].load].as.wind;
        sum = TAKE(sum, w->loads.winds[k].state.mean);
        sum = TAKE(sum, l->roughness);
        sum = TAKE(sum, l->height);
    }
    return sum;
}

static bool feels_gusts(const td_world *w, const tdi_actor *a) {
    bool gusts = false;
    for (int32_t k = 0; k < w->loads.wind_count; k++) {
        const td_wind_load *l = &w->scene->def.loads[w->loads.winds[k].load].as.wind;
        const td_vec3 mean = w->loads.winds[k].state.mean;
        gusts = gusts || (tdi_dot(mean, mean) > 0 && (l->intensity > 0 || l->gust > 0));
    }
    return gusts && feels_air(w, a);
}

static bool any_force(const td_vec3 *forces, int32_t count) {
    int32_t k = 0;
    while (k < count && tdi_dot(forces[k], forces[k]) == 0) {
        k++;
    }
    return k < count;
}

bool tdi_actor_is_driven(const td_world *w, const tdi_actor *a) {
    return feels_gusts(w, a) || (a->load.fields && any_force(a->load.fields, a->segment_count)) ||
           (w->loads.field && any_force(a->load.forces, a->segment_count));
}

// ---- loads ----------------------------------------------------------------------------------

static uint64_t take_pull(uint64_t sum, const td_pull_load *l) {
    const td_vec3 to = l->to_given ? l->to : l->by;
    sum = TAKE(sum, to);
    sum = TAKE(sum, l->stiffness);
    return TAKE(sum, l->damping);
}

static uint64_t take_push(uint64_t sum, const td_push_load *l) {
    sum = TAKE(sum, l->force);
    return TAKE(sum, l->twist);
}

static uint64_t take_pose(uint64_t sum, const td_pose_load *l, const tdi_keyed *keyed,
                          td_real time) {
    const td_vec3 bend = tdi_pose_bend(l, keyed, time);
    sum = TAKE(sum, bend);
    sum = TAKE(sum, l->strength);
    return TAKE(sum, l->damping);
}

static uint64_t take_loads(uint64_t sum, const td_world *w, const tdi_actor *a, td_real time) {
    for (int32_t k = 0; k < a->load.acting_count; k++) {
        const td_scene_load *l = &w->scene->def.loads[a->load.acting[k].load];
        const td_pull_load *pull = &l->as.pull;
        const td_push_load *push = &l->as.push;
        sum = TAKE(sum, k); // so that the end of one is seen
        const td_real t0 = time - w->clock.dt,
                      pulls = l->kind == TD_SCENE_PULL
                                  ? tdi_acting_part(pull->start, pull->end, t0, time)
                                  : 0,
                      pushes = l->kind == TD_SCENE_PUSH
                                   ? tdi_acting_part(push->start, push->end, t0, time)
                                   : 0;
        if (pulls > 0) {
            sum = take_pull(sum, pull);
            sum = TAKE(sum, pulls);
        } else if (pushes > 0) {
            sum = take_push(sum, push);
            sum = TAKE(sum, pushes);
        } else if (l->kind == TD_SCENE_POSE) {
            sum = take_pose(sum, &l->as.pose, tdi_live(a->load.acting[k].keyed), time);
        }
    }
    return sum;
}

static uint64_t take_applied_forces(uint64_t sum, const td_world *w, const tdi_actor *a) {
    const tdi_grab *g = &w->loads.grab;
    const int64_t self = a - w->actors;
    if (g->held && g->actor == self) {
        sum = TAKE(sum, g->segment);
        sum = TAKE(sum, g->point);
        sum = TAKE(sum, g->to);
        sum = TAKE(sum, g->stiffness);
    }
    if (g->twist != 0 && g->twist_actor == self) {
        sum = TAKE(sum, g->twist_segment);
        sum = TAKE(sum, g->twist);
    }
    for (int32_t k = 0; k < w->loads.applied_count; k++) {
        const tdi_applied_force *h = &w->loads.applied[k];
        if (h->alive && h->actor == self) {
            sum = TAKE(sum, h->segment);
            sum = TAKE(sum, h->point);
            sum = TAKE(sum, h->kind);
            sum = TAKE(sum, h->vector);
            sum = TAKE(sum, h->stiffness);
            sum = TAKE(sum, h->damping);
        }
    }
    return sum;
}

uint64_t tdi_actor_digest(const td_world *w, const tdi_actor *a, td_real time) {
    uint64_t sum = take_options(1, w, a);
    sum = take_base(sum, w, a);
    sum = take_air(sum, w, a);
    sum = take_loads(sum, w, a, time);
    return take_applied_forces(sum, w, a);
}

// ---- constraints ----------------------------------------------------------------------------

uint64_t tdi_constraint_digest(const td_world *w, int32_t k, td_real time) {
    const td_constraint_target t = tdi_constraint_target_now(w, k);
    uint64_t sum = tdi_constraint_acts(w, k, time) ? 1 : 2;
    sum = TAKE(sum, t.position);
    sum = TAKE(sum, t.rotation);
    sum = TAKE(sum, t.joint);
    return TAKE(sum, t.length);
}
