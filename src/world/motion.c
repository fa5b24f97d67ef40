// SPDX-License-Identifier: MIT
// How bases move: along the curves of their objects, and as they are felt.
//
// Time scale b and local dynamics g (Oriented Strands, section 6.4): the simulated base moves by
//   b (D - g F)
// in a step, where D is the step of the true base and F that which the reference frame alone would
// carry it along. Both are screws in world axes at the base: a shift and a turn vector.

#include "math/quat.h"
#include "world/world.h"

#include <math.h>

// ---- poses ----------------------------------------------------------------------------------

tdi_pose tdi_pose_mul(tdi_pose a, tdi_pose b) {
    return (tdi_pose){tdi_add(a.position, tdi_quat_rotate(a.rotation, b.position)),
                      tdi_quat_unit(tdi_quat_mul(a.rotation, b.rotation))};
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

// ---- bases of objects -----------------------------------------------------------------------

static td_base_motion motion_at(const tdi_keyed *position, const tdi_keyed *rotation,
                                td_vec3 stand, td_quat turned, td_real time) {
    td_base_motion m = td_base_motion_at(position ? position->curve : NULL,
                                         rotation ? rotation->turn : NULL, time);
    if (!position) {
        m.position = stand;
    }
    if (!rotation) {
        m.rotation = tdi_quat_unit(turned);
    }
    return m;
}

td_base_motion tdi_object_base(const td_world *w, int32_t object, td_real time) {
    const tdi_object *o = &w->objects[object];
    const td_object_def *def = &w->scene->def.objects[object];
    return motion_at(o->position, o->rotation, def->position, def->rotation, time);
}

// Motion of a place that is fixed to a moving frame.
static td_base_motion carried(const td_base_motion *m, tdi_pose place) {
    td_vec3 r = tdi_quat_rotate(m->rotation, place.position);
    td_vec3 turning = tdi_cross(m->spin, r);
    td_base_motion out = *m;
    out.position = tdi_add(m->position, r);
    out.rotation = tdi_quat_unit(tdi_quat_mul(m->rotation, place.rotation));
    out.velocity = tdi_add(m->velocity, turning);
    out.acceleration = tdi_add(m->acceleration, tdi_add(tdi_cross(m->spin_rate, r),
                                                        tdi_cross(m->spin, turning)));
    return out;
}

// ---- as they are felt -----------------------------------------------------------------------

typedef struct screw {
    td_vec3 shift, turn;
} screw;

static screw step_between(tdi_pose from, tdi_pose to) {
    return (screw){tdi_sub(to.position, from.position),
                   turn_of(tdi_quat_mul(to.rotation, tdi_quat_conj(from.rotation)))};
}

// Where the reference frame's step alone carries a pose.
static tdi_pose ride(tdi_pose frame0, tdi_pose frame1, tdi_pose pose) {
    td_quat turn = tdi_quat_mul(frame1.rotation, tdi_quat_conj(frame0.rotation));
    td_vec3 arm = tdi_sub(pose.position, frame0.position);
    return (tdi_pose){tdi_add(frame1.position, tdi_quat_rotate(turn, arm)),
                      tdi_quat_unit(tdi_quat_mul(turn, pose.rotation))};
}

static tdi_pose pose_of(const td_base_motion *m) {
    return (tdi_pose){m->position, m->rotation};
}

static tdi_pose felt_step(const td_world *w, const tdi_actor *a, tdi_pose next, td_real t0,
                          td_real t1) {
    const tdi_object *o = &w->objects[a->object];
    const td_object_def *def = &w->scene->def.objects[a->object];
    screw d = step_between(a->base, next);
    if (def->local.amount != 0) {
        td_base_motion f0 = motion_at(o->local_position, o->local_rotation, def->local.position,
                                      def->local.rotation, t0);
        td_base_motion f1 = motion_at(o->local_position, o->local_rotation, def->local.position,
                                      def->local.rotation, t1);
        screw f = step_between(a->base, ride(pose_of(&f0), pose_of(&f1), a->base));
        d.shift = tdi_madd(d.shift, f.shift, -def->local.amount);
        d.turn = tdi_madd(d.turn, f.turn, -def->local.amount);
    }
    // the simulated frame is turned against the true one
    td_quat turn = tdi_quat_mul(a->simulated.rotation, tdi_quat_conj(a->base.rotation));
    td_vec3 shift = tdi_quat_rotate(turn, tdi_scale(d.shift, def->time_scale));
    td_vec3 swing = tdi_quat_rotate(turn, tdi_scale(d.turn, def->time_scale));
    return (tdi_pose){tdi_add(a->simulated.position, shift),
                      tdi_quat_unit(tdi_quat_mul(turn_by(swing), a->simulated.rotation))};
}

// ---- steps ----------------------------------------------------------------------------------

// An implicit step takes the base where it will be; an explicit one, how it moves now.
static void set_base(tdi_actor *a, tdi_pose from, tdi_pose to, const td_base_motion *now,
                     td_real dt, bool explicit_step) {
    screw d = step_between(from, to);
    td_base_motion m = {.position = from.position,
                        .rotation = from.rotation,
                        .velocity = tdi_scale(d.shift, 1 / dt),
                        .spin = tdi_scale(d.turn, 1 / dt)};
    if (explicit_step && now) {
        m.velocity = now->velocity;
        m.spin = now->spin;
        m.acceleration = tdi_scale(tdi_madd(d.shift, now->velocity, -dt), 2 / (dt * dt));
        m.spin_rate = tdi_scale(tdi_madd(d.turn, now->spin, -dt), 2 / (dt * dt));
    }
    td_tree_set_base(a->state, &m);
}

void tdi_actor_move_base(td_world *w, tdi_actor *a, td_real t0, td_real t1) {
    const tdi_object *o = &w->objects[a->object];
    const td_object_def *def = &w->scene->def.objects[a->object];
    if (!o->position && !o->rotation && !o->felt_otherwise) {
        // it may have been put elsewhere by hand
        td_base_motion m = tdi_object_base(w, a->object, t1);
        tdi_pose now = tdi_pose_mul(pose_of(&m), a->place);
        screw d = step_between(a->base, now);
        if (tdi_dot(d.shift, d.shift) == 0 && tdi_dot(d.turn, d.turn) == 0) {
            return;
        }
        set_base(a, a->base, now, NULL, t1 - t0, false);
        a->base = a->simulated = now;
        return;
    }
    td_base_motion m0 = tdi_object_base(w, a->object, t0), m1 = tdi_object_base(w, a->object, t1);
    td_base_motion now = carried(&m0, a->place), then = carried(&m1, a->place);
    tdi_pose next = pose_of(&then);
    bool explicit_step = def->integrator == TD_EULER || def->integrator == TD_RK4;
    if (o->felt_otherwise) {
        tdi_pose felt = felt_step(w, a, next, t0, t1);
        set_base(a, a->simulated, felt, NULL, t1 - t0, explicit_step);
        a->simulated = felt;
    } else {
        set_base(a, a->base, next, &now, t1 - t0, explicit_step);
        a->simulated = next;
    }
    a->base = next;
}

// ---- frames ---------------------------------------------------------------------------------

static bool same(const tdi_actor *a) {
    const tdi_pose *b = &a->base, *s = &a->simulated;
    return b->position.x == s->position.x && b->position.y == s->position.y &&
           b->position.z == s->position.z && b->rotation.w == s->rotation.w &&
           b->rotation.x == s->rotation.x && b->rotation.y == s->rotation.y &&
           b->rotation.z == s->rotation.z;
}

td_vec3 tdi_turn_to_simulated(const tdi_actor *a, td_vec3 v) {
    if (same(a)) {
        return v;
    }
    return tdi_quat_rotate(a->simulated.rotation,
                           tdi_quat_rotate(tdi_quat_conj(a->base.rotation), v));
}

td_vec3 tdi_to_simulated(const tdi_actor *a, td_vec3 x) {
    return same(a) ? x
                   : tdi_add(a->simulated.position,
                             tdi_turn_to_simulated(a, tdi_sub(x, a->base.position)));
}

td_vec3 tdi_from_simulated(const tdi_actor *a, td_vec3 x) {
    if (same(a)) {
        return x;
    }
    td_vec3 own = tdi_quat_rotate(tdi_quat_conj(a->simulated.rotation),
                                  tdi_sub(x, a->simulated.position));
    return tdi_add(a->base.position, tdi_quat_rotate(a->base.rotation, own));
}

td_quat tdi_rotation_from_simulated(const tdi_actor *a, td_quat q) {
    return same(a) ? q
                   : tdi_quat_unit(tdi_quat_mul(
                         a->base.rotation,
                         tdi_quat_mul(tdi_quat_conj(a->simulated.rotation), q)));
}
