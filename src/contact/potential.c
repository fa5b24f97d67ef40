// SPDX-License-Identifier: MIT
// The potential of contacts and of friction.
//
// Barrier    With the gap g (blunted distance less the radii), the range r and y = g/r,
//              V = F r (1 - y)^3/y,   V' = F (3 - 2y - 1/y^2),   V'' = F/r (2/y^3 - 2)
//            below r, and nothing from there on, where all three are 0. With D the distance and e
//            from one side to the other, at weights w_k on the points,
//              dg/dx_k = w_k e/D,   gradient w_k V' e/D,   Hessian w_k w_l V'' e e^T/D^2 + V' d2g.
//            The last comes with -V' > 0 times how the closest points move. What of it turns the
//            sides against each other is kept, since near parallel it is large:
//              -V' |e|^2/D sum_ab c_ak c_bl S_ab n n^T,   c_s = (-1, 1, 0, 0), c_t = (0, 0, 1, -1),
//            S the inverse Hessian in s, t. The rest, of size V'/D, has both signs and is left out.
// Flat       Planes and faces of boxes meet both ends of a capsule, each by itself, so that what
//            lies on them lies still.
// Friction   With the normal force N and the direction n as they were fixed, and the velocity u
//            across n of one side against the other,
//              V = m N h f(|u|),   f' = 2 y - y^2 with y = |u|/creep up to 1, then 1,
//            convex, so the Hessian is exact.

#include "contact/store.h"

#include "base/diag.h"

#include <math.h>
#include <string.h>

// ---- touches --------------------------------------------------------------------------------

// Where the sides of a pair meet. World axes.
typedef struct touch {
    td_real s, t;
    td_vec3 normal;
    td_real length;   // of e
    td_real distance; // blunted
    td_real spin[3];
} touch;

#define TOUCHES 3 // of a pair at most

static inline touch touch_at(const tdi_meeting *m, const tdi_closest *k) {
    touch t = {.s = k->s, .t = k->t, .length = tdi_norm(k->e), .distance = k->distance};
    memcpy(t.spin, k->spin, sizeof t.spin);
    t.normal = tdi_scale(k->e, t.length > 0 ? 1 / t.length : 0);
    if (m->pose) {
        t.normal = tdi_mat3_apply(&m->pose->r, t.normal);
    }
    return t;
}

// one end of the axis with a plane or a box
static inline touch touch_end(const tdi_meeting *m, int end) {
    td_vec3 x = end ? m->two.b : m->two.a;
    tdi_closest k = {.s = end};
    if (m->two.side == TDI_SIDE_PLANE) {
        k.e = tdi_vec3(0, 1, 0); // the direction, also from below
        touch t = touch_at(m, &k);
        t.length = t.distance = x.y;
        return t;
    }
    k.e = tdi_from_box(m->two.c, x);
    k.distance = tdi_norm(k.e);
    return touch_at(m, &k);
}

// Those of a pair in range; gaps may be below 0.
static inline int touches_of(const tdi_contacts *c, tdi_pair pair, const tdi_meeting *m,
                             touch touches[TOUCHES]) {
    int count = 0;
    if (m->two.side != TDI_SIDE_PLANE) {
        tdi_closest k = tdi_closest_of(&m->two);
        if (!(k.distance - m->radii < m->range)) {
            return 0; // ends are no nearer
        }
        touches[count++] = touch_at(m, &k);
    }
    if (m->two.side != TDI_SIDE_SEGMENT) {
        for (int end = 0; end < (tdi_is_ball(&c->capsule[pair.i]) ? 1 : 2); end++) {
            touch t = touch_end(m, end);
            if (t.distance - m->radii < m->range) {
                touches[count++] = t;
            }
        }
    }
    return count;
}

static inline const tdi_pose *pose_of(const tdi_contacts *c, tdi_pair pair) {
    return pair.j < c->capsule_count ? NULL : &c->pose[pair.j - c->capsule_count];
}

// points and weights of a touch
static void place(const tdi_contacts *c, tdi_pair pair, const touch *t, int32_t point[4],
                  td_real weight[4]) {
    const tdi_capsule *i = &c->capsule[pair.i];
    const tdi_capsule *j = pair.j < c->capsule_count ? &c->capsule[pair.j] : NULL;
    point[0] = i->a;
    point[1] = i->b;
    point[2] = j ? j->a : TD_NONE;
    point[3] = j ? j->b : TD_NONE;
    weight[0] = 1 - t->s;
    weight[1] = t->s;
    weight[2] = t->t - 1;
    weight[3] = -t->t;
}

// how far a collider goes in the step where the touch is
static td_vec3 collider_way(const tdi_contacts *c, tdi_pair pair, const touch *t,
                            const td_vec3 *x) {
    if (pair.j < c->capsule_count) {
        return tdi_vec3(0, 0, 0);
    }
    const tdi_capsule *i = &c->capsule[pair.i];
    const int32_t k = pair.j - c->capsule_count;
    td_vec3 axis = tdi_madd(tdi_scale(x[i->a], 1 - t->s), x[i->b], t->s);
    td_vec3 at = tdi_madd(axis, t->normal, -i->radius);
    td_vec3 lever = tdi_sub(at, c->pose[k].o);
    return tdi_add(c->course[k].shift, tdi_cross(c->course[k].turn, lever));
}

// ---- barrier --------------------------------------------------------------------------------

static inline td_real barrier_value(td_real force, td_real range, td_real gap) {
    td_real y = gap / range, z = 1 - y;
    return force * range * z * z * z / y;
}

static inline td_real barrier_slope(td_real force, td_real range, td_real gap) {
    td_real y = gap / range;
    return force * (3 - 2 * y - 1 / (y * y));
}

static inline td_real barrier_curve(td_real force, td_real range, td_real gap) {
    td_real y = gap / range;
    return force / range * (2 / (y * y * y) - 2);
}

static void fill_barrier(const tdi_contacts *c, tdi_pair pair, const tdi_meeting *m, const touch *t,
                         td_real force, tdi_contact *out) {
    const td_real gap = t->distance - m->radii, stretch = t->length / t->distance;
    const td_real slope = barrier_slope(force, m->range, gap);
    const td_real tilt = -slope * t->length * stretch;
    *out = (tdi_contact){.normal = t->normal,
                         .force = tdi_scale(t->normal, slope * stretch),
                         .tilt = {tilt * t->spin[0], -tilt * t->spin[1], tilt * t->spin[2]},
                         .capsule = pair.i,
                         .other = pair.j,
                         .s = t->s,
                         .t = t->t,
                         .gap = gap};
    td_real curve = barrier_curve(force, m->range, gap) * stretch * stretch;
    out->hessian = tdi_sym3_square(t->normal, curve);
    place(c, pair, t, out->point, out->weight);
}

// ---- friction -------------------------------------------------------------------------------

// velocity of the first side against the other, across the normal
static td_vec3 slip_of(const tdi_friction *f, const td_vec3 *x, const tdi_contact_rule *rule) {
    td_vec3 way = {0, 0, 0};
    for (int k = 0; k < 4; k++) {
        if (f->point[k] != TD_NONE) {
            td_vec3 moved = tdi_sub(x[f->point[k]], rule->star[f->point[k]]);
            way = tdi_madd(way, moved, f->weight[k]);
        }
    }
    td_vec3 u = tdi_sub(tdi_scale(way, 1 / rule->h), f->velocity);
    return tdi_madd(u, f->normal, -tdi_dot(u, f->normal));
}

// f with f(0) = 0:  y^2 - y^3/3 over creep, then |u| - creep/3
static inline td_real friction_value(td_real speed, td_real creep) {
    td_real y = speed / creep;
    return y < 1 ? creep * y * y * (1 - y / 3) : speed - creep / 3;
}

// With f'(|u|)/|u| = p:  gradient m N p u,  Hessian m N/h (p (I - n n^T) + (f'' - p) u u^T/|u|^2)
static void fill_friction(const tdi_friction *f, td_vec3 u, const tdi_contact_rule *rule,
                          td_real creep, tdi_contact *out) {
    const td_real speed = tdi_norm(u), y = speed / creep;
    const td_real over = y < 1 ? (2 - y) / creep : 1 / speed;
    const td_real stiff = f->load / rule->h;
    // f'' - p: (2 - 2y)/creep - (2 - y)/creep = -y/creep = -speed/creep^2, or -1/speed
    const td_real bow =
        y < 1 ? -1 / (creep * creep * (speed > 0 ? speed : creep)) : -1 / (speed * speed * speed);
    *out = (tdi_contact){.normal = f->normal,
                         .force = tdi_scale(u, f->load * over),
                         .capsule = f->capsule,
                         .other = f->other,
                         .s = f->s,
                         .t = f->t,
                         .gap = f->gap,
                         .friction = true};
    td_sym3 all = tdi_sym3_diagonal(stiff * over, stiff * over, stiff * over);
    td_sym3 across = tdi_sym3_add(all, tdi_sym3_square(f->normal, -stiff * over));
    out->hessian = tdi_sym3_add(across, tdi_sym3_square(u, stiff * bow));
    memcpy(out->point, f->point, sizeof out->point);
    memcpy(out->weight, f->weight, sizeof out->weight);
}

static td_status none_left(const tdi_contacts *c, td_diag *diag) {
    return tdi_fail(diag, TD_ERR_LIMIT, "over %d contacts at once", c->contact_limit);
}

td_status tdi_contacts_lag(tdi_contacts *c, const td_vec3 *x, td_real time, td_real force,
                           td_diag *diag) {
    c->friction_count = 0;
    tdi_poses_at(c, time);
    for (int32_t k = 0; k < c->pair_count; k++) {
        const tdi_pair pair = c->pair[k];
        const td_real coefficient = pair.j < c->capsule_count
                                        ? c->opts.friction
                                        : c->collider[pair.j - c->capsule_count].friction;
        if (!(coefficient > 0)) {
            continue;
        }
        const tdi_meeting m = tdi_meeting_of(c, pair, x, pose_of(c, pair));
        touch touches[TOUCHES];
        int count = touches_of(c, pair, &m, touches);
        for (int n = 0; n < count; n++) {
            const touch *t = &touches[n];
            td_real gap = t->distance - m.radii;
            if (!(gap > 0)) {
                continue; // evaluation says what is wrong
            }
            if (c->friction_count == c->contact_limit) {
                return none_left(c, diag);
            }
            tdi_friction *f = &c->friction[c->friction_count++];
            *f = (tdi_friction){.capsule = pair.i,
                                .other = pair.j,
                                .normal = t->normal,
                                .velocity = tdi_scale(collider_way(c, pair, t, x), 1 / c->h),
                                .load = -coefficient * barrier_slope(force, m.range, gap),
                                .s = t->s,
                                .t = t->t,
                                .gap = gap};
            place(c, pair, t, f->point, f->weight);
        }
    }
    return TD_OK;
}

// ---- entry ----------------------------------------------------------------------------------

td_real tdi_contacts_energy(const tdi_contacts *c, const td_vec3 *x, td_real time,
                            const tdi_contact_rule *rule) {
    td_real energy = 0;
    tdi_poses_at(c, time);
    for (int32_t k = 0; k < c->pair_count; k++) {
        const tdi_meeting m = tdi_meeting_of(c, c->pair[k], x, pose_of(c, c->pair[k]));
        touch touches[TOUCHES];
        int count = touches_of(c, c->pair[k], &m, touches);
        for (int n = 0; n < count; n++) {
            td_real gap = touches[n].distance - m.radii;
            if (!(gap > 0)) {
                return INFINITY;
            }
            energy += barrier_value(rule->force, m.range, gap);
        }
    }
    for (int32_t k = 0; rule->h > 0 && k < c->friction_count; k++) {
        const tdi_friction *f = &c->friction[k];
        energy += f->load * rule->h * friction_value(tdi_norm(slip_of(f, x, rule)), c->opts.creep);
    }
    return energy;
}

static td_status in_each_other(const tdi_contacts *c, tdi_pair pair, td_diag *diag) {
    bool capsule = pair.j < c->capsule_count;
    return tdi_fail_at(diag, TD_ERR_DIVERGED, pair.i, "capsule %d and %s %d are in each other",
                       pair.i, capsule ? "capsule" : "collider",
                       capsule ? pair.j : pair.j - c->capsule_count);
}

td_status tdi_contacts_evaluate(tdi_contacts *c, const td_vec3 *x, td_real time,
                                const tdi_contact_rule *rule, td_real *energy, td_diag *diag) {
    *energy = 0;
    c->contact_count = 0;
    tdi_poses_at(c, time);
    for (int32_t k = 0; k < c->pair_count; k++) {
        const tdi_pair pair = c->pair[k];
        const tdi_meeting m = tdi_meeting_of(c, pair, x, pose_of(c, pair));
        touch touches[TOUCHES];
        int count = touches_of(c, pair, &m, touches);
        for (int n = 0; n < count; n++) {
            td_real gap = touches[n].distance - m.radii;
            if (!(gap > 0)) {
                *energy = INFINITY;
                return in_each_other(c, pair, diag);
            }
            if (c->contact_count == c->contact_limit) {
                return none_left(c, diag);
            }
            *energy += barrier_value(rule->force, m.range, gap);
            tdi_contact *out = &c->contact[c->contact_count++];
            fill_barrier(c, pair, &m, &touches[n], rule->force, out);
            if (rule->ahead > 0) {
                td_vec3 way = tdi_scale(collider_way(c, pair, &touches[n], x), -rule->ahead);
                out->force = tdi_add(out->force, tdi_sym3_apply(&out->hessian, way));
            }
        }
    }
    for (int32_t k = 0; rule->h > 0 && k < c->friction_count; k++) {
        const tdi_friction *f = &c->friction[k];
        td_vec3 u = slip_of(f, x, rule);
        *energy += f->load * rule->h * friction_value(tdi_norm(u), c->opts.creep);
        fill_friction(f, u, rule, c->opts.creep, &c->contact[c->contact_count++]);
    }
    return TD_OK;
}

td_real tdi_contacts_least(const tdi_contacts *c, const td_vec3 *x, td_real time,
                           int32_t which[2]) {
    td_real least = INFINITY;
    which[0] = which[1] = TD_NONE;
    tdi_poses_at(c, time);
    for (int32_t k = 0; k < c->pair_count; k++) {
        const tdi_meeting m = tdi_meeting_of(c, c->pair[k], x, pose_of(c, c->pair[k]));
        touch touches[TOUCHES];
        int count = touches_of(c, c->pair[k], &m, touches);
        for (int n = 0; n < count; n++) {
            if (touches[n].distance - m.radii < least) {
                least = touches[n].distance - m.radii;
                which[0] = c->pair[k].i;
                which[1] = c->pair[k].j;
            }
        }
    }
    return least;
}
