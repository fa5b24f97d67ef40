// SPDX-License-Identifier: MIT
// How bases move: where the scene puts their objects, and as they are felt.
//
// Time scale b and local dynamics g (Oriented Strands, section 6.4): the simulated base moves by
//   b (D - g F)
// in a step, where D is the step of the true base and F that which the reference frame alone would
// carry it along. Both are screws in world axes at the base: a shift and a turn vector.

#include "world/world.h"

#include "math/quat.h"

#include <math.h>

// ---- poses ----------------------------------------------------------------------------------

tdi_transform tdi_transform_mul(tdi_transform a, tdi_transform b) {
    return (tdi_transform){tdi_add(a.position, tdi_quat_rotate(a.rotation, b.position)),
                           tdi_quat_unit(tdi_quat_mul(a.rotation, b.rotation))};
}

static bool same_pose(const tdi_transform *a, const tdi_transform *b) {
    return a->position.x == b->position.x && a->position.y == b->position.y &&
           a->position.z == b->position.z && a->rotation.w == b->rotation.w &&
           a->rotation.x == b->rotation.x && a->rotation.y == b->rotation.y &&
           a->rotation.z == b->rotation.z;
}

// Rotation vector of a unit quaternion, the shorter way.
static td_vec3 turn_of(td_quat q) {
    td_real sign = q.w < 0 ? -1 : 1, s = sqrt(q.x * q.x + q.y * q.y + q.z * q.z);
    td_real scale = s > 1e-12 ? 2 * atan2(s, sign * q.w) / s : 2;
    return tdi_scale(tdi_vec3(q.x, q.y, q.z), sign * scale);
}

static td_quat turn_by(td_vec3 v) {
    td_real angle = tdi_norm(v);
    return angle > 0 ? tdi_quat_turn(tdi_scale(v, 1 / angle), angle) : tdi_quat_identity();
}

// ---- where the scene puts things ------------------------------------------------------------

tdi_transform tdi_object_pose(const td_world *w, int32_t object) {
    const td_object_def *def = &w->scene->def.objects[object];
    return (tdi_transform){def->position, tdi_quat_unit(def->rotation)};
}

tdi_transform tdi_object_frame(const td_world *w, int32_t object) {
    const td_local_def *local = &w->scene->def.objects[object].local;
    return (tdi_transform){local->position, tdi_quat_unit(local->rotation)};
}

tdi_transform tdi_actor_place(const td_world *w, const tdi_actor *a) {
    return a->own_place ? a->place : tdi_transform_mul(tdi_object_pose(w, a->object), a->place);
}

// Velocities of an actor's base at a time, by the curves of its object; false without any.
static bool curve_rates(const td_world *w, const tdi_actor *a, td_real time, tdi_rate *rates) {
    const tdi_object *o = &w->objects[a->object];
    const tdi_keyed *position = tdi_live(o->position), *rotation = tdi_live(o->rotation);
    if (a->own_place || (!position && !rotation)) {
        return false;
    }
    td_base_motion m = td_base_motion_at(position ? position->curve : NULL,
                                         rotation ? rotation->turn : NULL, time);
    td_quat turned = rotation ? m.rotation : tdi_object_pose(w, a->object).rotation;
    td_vec3 arm = tdi_quat_rotate(turned, a->place.position);
    *rates = (tdi_rate){m.spin, tdi_add(m.velocity, tdi_cross(m.spin, arm))};
    return true;
}

// ---- as they are felt -----------------------------------------------------------------------

typedef struct screw {
    td_vec3 shift, turn;
} screw;

static screw step_between(tdi_transform from, tdi_transform to) {
    return (screw){tdi_sub(to.position, from.position),
                   turn_of(tdi_quat_mul(to.rotation, tdi_quat_conj(from.rotation)))};
}

// The pose after the step of the reference frame alone.
static tdi_transform follow_frame(tdi_transform frame0, tdi_transform frame1, tdi_transform pose) {
    td_quat turn = tdi_quat_mul(frame1.rotation, tdi_quat_conj(frame0.rotation));
    td_vec3 arm = tdi_sub(pose.position, frame0.position);
    return (tdi_transform){tdi_add(frame1.position, tdi_quat_rotate(turn, arm)),
                           tdi_quat_unit(tdi_quat_mul(turn, pose.rotation))};
}

// The simulated base after the step that takes the true one to `next`.
static tdi_transform felt_step(const td_world *w, const tdi_actor *a, tdi_transform next) {
    const td_object_def *def = &w->scene->def.objects[a->object];
    screw d = step_between(a->base, next);
    if (def->local.amount != 0) {
        tdi_transform carried =
            follow_frame(w->objects[a->object].frame, tdi_object_frame(w, a->object), a->base);
        screw f = step_between(a->base, carried);
        d.shift = tdi_madd(d.shift, f.shift, -def->local.amount);
        d.turn = tdi_madd(d.turn, f.turn, -def->local.amount);
    }
    // the simulated frame is turned against the true one
    td_quat turn = tdi_quat_mul(a->simulated.rotation, tdi_quat_conj(a->base.rotation));
    td_vec3 shift = tdi_quat_rotate(turn, tdi_scale(d.shift, def->time_scale));
    td_vec3 swing = tdi_quat_rotate(turn, tdi_scale(d.turn, def->time_scale));
    return (tdi_transform){tdi_add(a->simulated.position, shift),
                           tdi_quat_unit(tdi_quat_mul(turn_by(swing), a->simulated.rotation))};
}

// ---- steps ----------------------------------------------------------------------------------

tdi_rate tdi_actor_base_rate(const tdi_actor *a) {
    const td_base_motion base = a->state->base;
    return (tdi_rate){base.spin, base.velocity};
}

// The mean velocity of the base in the last step, which it took with constant acceleration.
static tdi_rate last_mean(const td_body *state) {
    const td_base_motion *b = &state->base;
    return (tdi_rate){tdi_madd(b->spin, b->spin_rate, -0.5 * state->dt),
                      tdi_madd(b->velocity, b->acceleration, -0.5 * state->dt)};
}

// In its first step an actor moves along with its base. Then an implicit step takes the base where
// it will be: how it moves now matters only to an actor that has stopped, which moves as its base
// moved in the last step. An explicit step takes how it moves now, and an acceleration that leads
// to how it moves then: a velocity that jumped between steps would be felt by nobody. Where no
// curve says how it moves, the mean velocities of this step and the last do.
static td_base_motion motion_of(const td_world *w, const tdi_actor *a, const screw *d,
                                bool true_base, td_real t0) {
    const td_integrator rule = w->scene->def.objects[a->object].integrator;
    const bool first = a->state->time == 0;
    const tdi_rate mean = {tdi_scale(d->turn, 1 / w->clock.dt),
                           tdi_scale(d->shift, 1 / w->clock.dt)};
    tdi_rate now = mean, then = mean;
    if (!tdi_is_implicit(rule)) {
        now = first ? mean : tdi_actor_base_rate(a);
        if (true_base && curve_rates(w, a, t0, &now)) {
            curve_rates(w, a, t0 + w->clock.dt, &then);
        }
    } else if (!first && a->state->known == 0) {
        now = last_mean(a->state);
        then = (tdi_rate){tdi_sub(tdi_scale(mean.spin, 2), now.spin),
                          tdi_sub(tdi_scale(mean.velocity, 2), now.velocity)};
    }
    return (td_base_motion){.position = a->simulated.position,
                            .rotation = a->simulated.rotation,
                            .velocity = now.velocity,
                            .spin = now.spin,
                            .acceleration =
                                tdi_scale(tdi_sub(then.velocity, now.velocity), 1 / w->clock.dt),
                            .spin_rate = tdi_scale(tdi_sub(then.spin, now.spin), 1 / w->clock.dt)};
}

void tdi_actor_move_base(td_world *w, tdi_actor *a, td_real t0) {
    const td_object_def *def = &w->scene->def.objects[a->object];
    const tdi_rate last = tdi_actor_base_rate(a);
    tdi_transform next = tdi_actor_place(w, a), to = next;
    bool true_base =
        def->time_scale == 1 && def->local.amount == 0 && same_pose(&a->base, &a->simulated);
    if (!true_base) {
        to = felt_step(w, a, next);
    }
    screw whole = step_between(a->base, next), felt = step_between(a->simulated, to);
    a->base_rate =
        (tdi_rate){tdi_scale(whole.turn, 1 / w->clock.dt), tdi_scale(whole.shift, 1 / w->clock.dt)};
    bool rested = tdi_dot(last.velocity, last.velocity) == 0 && tdi_dot(last.spin, last.spin) == 0;
    if (!rested || !same_pose(&a->simulated, &to)) {
        const td_base_motion motion = motion_of(w, a, &felt, true_base, t0);
        a->solver->set_base(a->state, &motion);
    }
    a->base = next;
    a->simulated = to;
}

// ---- ends -----------------------------------------------------------------------------------

// In the axes of the base: place + shift, rotation * turn as drawn, then about its own axis.
void tdi_actor_move_ends(const td_world *w, tdi_actor *a) {
    const td_strand_def *strand = &w->scene->def.objects[a->object].strand;
    const td_body_model *model = w->variants.list[a->variant].model;
    for (int end = 0; end < 2 && a->solver->ends; end++) {
        const td_strand_end *e = end ? &strand->end : &strand->start;
        tdi_transform pose;
        if (!a->solver->ends->pose(model, end, &pose.position, &pose.rotation)) {
            continue;
        }
        td_quat own = tdi_quat_turn(tdi_vec3(0, 1, 0), e->turns);
        pose.position = tdi_add(pose.position, e->shift);
        pose.rotation = tdi_quat_mul(tdi_quat_unit(e->rotation), tdi_quat_mul(pose.rotation, own));
        pose = tdi_transform_mul(a->simulated, pose);
        a->solver->ends->set(a->state, end, pose.position, pose.rotation);
    }
}

// ---- frames ---------------------------------------------------------------------------------

td_vec3 tdi_turn_to_simulated(const tdi_actor *a, td_vec3 v) {
    if (same_pose(&a->base, &a->simulated)) {
        return v;
    }
    return tdi_quat_rotate(a->simulated.rotation,
                           tdi_quat_rotate(tdi_quat_conj(a->base.rotation), v));
}

td_vec3 tdi_turn_from_simulated(const tdi_actor *a, td_vec3 v) {
    return tdi_quat_rotate(a->base.rotation,
                           tdi_quat_rotate(tdi_quat_conj(a->simulated.rotation), v));
}

td_vec3 tdi_to_simulated(const tdi_actor *a, td_vec3 x) {
    return same_pose(&a->base, &a->simulated)
               ? x
               : tdi_add(a->simulated.position,
                         tdi_turn_to_simulated(a, tdi_sub(x, a->base.position)));
}

td_vec3 tdi_from_simulated(const tdi_actor *a, td_vec3 x) {
    return same_pose(&a->base, &a->simulated)
               ? x
               : tdi_add(a->base.position,
                         tdi_turn_from_simulated(a, tdi_sub(x, a->simulated.position)));
}

td_quat tdi_rotation_from_simulated(const tdi_actor *a, td_quat q) {
    return same_pose(&a->base, &a->simulated)
               ? q
               : tdi_quat_unit(tdi_quat_mul(a->base.rotation,
                                            tdi_quat_mul(tdi_quat_conj(a->simulated.rotation), q)));
}

// What a point moves besides with the simulated base is turned to the true frame; there it rides
// on the true base.
td_vec3 tdi_velocity_from_simulated(const tdi_actor *a, td_vec3 x, td_vec3 v) {
    if (same_pose(&a->base, &a->simulated)) {
        return v;
    }
    const tdi_rate s = tdi_actor_base_rate(a), t = a->base_rate;
    td_vec3 arm = tdi_sub(x, a->simulated.position);
    td_vec3 own = tdi_sub(v, tdi_add(s.velocity, tdi_cross(s.spin, arm)));
    td_vec3 at = tdi_turn_from_simulated(a, arm);
    return tdi_add(tdi_turn_from_simulated(a, own), tdi_add(t.velocity, tdi_cross(t.spin, at)));
}
