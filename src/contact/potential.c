// SPDX-License-Identifier: MIT
// The potential of contacts and of friction.
//
// Barrier    V of the gap, the blunted distance less the radii (law/law.h). With D the distance, e
//            from one side to the other, n along it and weights w_k on the points,
//              gradient   w_k V' e/D
//              Hessian    w_k w_l (V'' e e^T/D^2 + V'/D (P - e e^T/D^2))
//                         - V' |e|^2/D sum_ab S_ab r_ak r_bl^T,   r_ak = c_ak n + w_k u_a/|e|.
//            P projects out the tangential directions of the faces of a box, along which its
//            closest point follows. S is the inverse Hessian in s, t; u_s = P (b - a), u_t = c - d,
//            c as in contact.h. -V' is above 0. The positive semi-definite model omits P - e
//            e^T/D^2 and u, which nearly cancel: where two segments cross, sliding along both has
//            no stiffness. The rest of the sum is the stiffness of parallel sides against tilting.
// Flat       Planes and faces of boxes have a contact with each end of a capsule, so that a capsule
//            on them is at rest.
// Friction   With the normal force N and the direction n as they were fixed, and the velocity u
//            across n of one side against the other,
//              V = m N h f(|u|) (law/law.h),
//            convex, so the Hessian is exact. Where increments reversed a slip, it omits f'' - p:
//            that model is above V on the whole path, so that increments do not oscillate.

#include "contact/contact_set.h"

#include "base/diag.h"
#include "law/law.h"

#include <math.h>
#include <string.h>

// ---- points ---------------------------------------------------------------------------------

// one end of the axis with a plane, a box or a height field
static inline tdi_closest end_at(const tdi_pair_geometry *m, int end) {
    if (m->two.side == TDI_SIDE_FIELD) {
        return tdi_over_field(&m->two, end);
    }
    td_vec3 x = end ? m->two.b : m->two.a;
    tdi_closest k = {.s = end, .e = {0, x.y, 0}, .loose = {0, 1, 0}, .distance = x.y};
    if (m->two.side == TDI_SIDE_BOX) {
        k.e = tdi_from_box(m->two.c, x);
        k.loose = tdi_outside(k.e);
        k.distance = tdi_norm(k.e);
    }
    return k;
}

int tdi_contact_points_of(const tdi_contacts *c, tdi_near_pair pair, const tdi_pair_geometry *m,
                          tdi_closest points[TDI_CONTACT_POINTS]) {
    int count = 0;
    if (m->two.side != TDI_SIDE_PLANE && m->two.side != TDI_SIDE_FIELD) {
        points[0] = tdi_closest_of(&m->two);
        if (!(points[0].distance - m->radii < m->range)) {
            return 0; // ends are no nearer
        }
        count++;
    }
    if (m->two.side != TDI_SIDE_SEGMENT) {
        for (int end = 0; end < (tdi_is_ball(&c->capsule[pair.i]) ? 1 : 2); end++) {
            points[count] = end_at(m, end);
            count += points[count].distance - m->radii < m->range;
        }
    }
    return count;
}

// A contact point of a pair. World axes.
typedef struct contact_point {
    td_real s, t;
    td_vec3 normal;
    td_real length;   // of e
    td_real distance; // blunted
    td_real spin[3];
    td_vec3 loose; // as in tdi_closest, in the pair's own axes
} contact_point;

// The gap must be above 0. `s` is that on the whole axis.
static contact_point contact_point_at(const tdi_pair_geometry *m, const tdi_closest *k) {
    const td_real bare = 1 - m->from;
    contact_point t = {.s = m->from + bare * k->s,
                       .t = k->t,
                       .length = tdi_norm(k->e),
                       .distance = k->distance,
                       .loose = k->loose};
    tdi_closest_derivatives(&m->two, k, t.spin);
    t.spin[0] *= bare * bare;
    t.spin[1] *= bare;
    t.normal = tdi_scale(k->e, 1 / t.length);
    if (m->pose) {
        t.normal = tdi_mat3_apply(&m->pose->r, t.normal);
    }
    return t;
}

static inline const tdi_pose *pose_of(const tdi_contacts *c, tdi_near_pair pair) {
    return pair.j < c->capsule_count ? NULL : &c->colliders.pose[pair.j - c->capsule_count];
}

static tdi_contact_rows rows_of(const tdi_contacts *c, tdi_near_pair pair, const contact_point *t) {
    const tdi_capsule *i = &c->capsule[pair.i];
    const tdi_capsule *j = pair.j < c->capsule_count ? &c->capsule[pair.j] : NULL;
    return (tdi_contact_rows){.capsule = pair.i,
                              .other = pair.j,
                              .point = {i->a, i->b, j ? j->a : TD_NONE, j ? j->b : TD_NONE},
                              .weight = {1 - t->s, t->s, t->t - 1, -t->t},
                              .normal = t->normal,
                              .s = t->s,
                              .t = t->t};
}

// from the centre of a collider to its contact point
static td_vec3 lever_of(const tdi_contacts *c, tdi_near_pair pair, const contact_point *t,
                        const td_vec3 *x) {
    const tdi_capsule *i = &c->capsule[pair.i];
    const td_vec3 axis = tdi_madd(tdi_scale(x[i->a], 1 - t->s), x[i->b], t->s);
    return tdi_sub(tdi_madd(axis, t->normal, -i->radius),
                   c->colliders.pose[pair.j - c->capsule_count].o);
}

// to first order, the displacement of a collider in the step at the contact point
static td_vec3 collider_displacement(const tdi_contacts *c, tdi_near_pair pair,
                                     const contact_point *t, const td_vec3 *x) {
    if (pair.j < c->capsule_count) {
        return tdi_vec3(0, 0, 0);
    }
    const tdi_collider_motion *course = &c->colliders.course[pair.j - c->capsule_count];
    return tdi_add(course->shift, tdi_cross(course->turn, lever_of(c, pair, t, x)));
}

// The displacement of a point of a collider in a part of the step, or before it.
static td_vec3 carried(const tdi_collider_motion *course, td_vec3 lever, td_real part) {
    td_vec3 turned = lever;
    if (course->angle > 0) {
        const td_vec3 axis = tdi_scale(course->turn, 1 / course->angle);
        turned = tdi_quat_rotate(tdi_quat_turn(axis, part * course->angle), lever);
    }
    return tdi_madd(tdi_sub(turned, lever), course->shift, part);
}

// Velocity of a collider at the contact point, by the rule of the capsules: a body that rotates
// with a collider does not slip, at any step. With w = h_n/h_{n-1} of the rule of two steps, 0 of
// backward Euler:
//   v = (x_1 - x_0 - w^2/(1 + 2 w) (x_0 - x_{-1}))/h',   h' = (1 + w)/(1 + 2 w) h
static td_vec3 collider_velocity(const tdi_contacts *c, tdi_near_pair pair, const contact_point *t,
                                 const td_vec3 *x, td_real h) {
    if (pair.j < c->capsule_count) {
        return tdi_vec3(0, 0, 0);
    }
    const tdi_collider_motion *course = &c->colliders.course[pair.j - c->capsule_count];
    const td_vec3 lever = lever_of(c, pair, t, x);
    const td_real part = h / c->colliders.dt, w = part > 0.5 ? (1 - part) / (2 * part - 1) : 0;
    td_vec3 displacement = carried(course, lever, 1);
    if (w > 0) {
        displacement = tdi_madd(displacement, carried(course, lever, -1 / w), w * w / (1 + 2 * w));
    }
    return tdi_scale(displacement, 1 / h);
}

// ---- barrier --------------------------------------------------------------------------------

static void fill_barrier(const tdi_contacts *c, tdi_near_pair pair, const tdi_pair_geometry *m,
                         const contact_point *t, td_real force, tdi_contact *out) {
    const td_real gap = t->distance - m->radii, stretch = t->length / t->distance;
    const td_real slope = tdi_barrier_slope(force, m->range, gap);
    const td_real tilt = -slope * t->length * stretch;
    *out = (tdi_contact){.row = rows_of(c, pair, t),
                         .force = tdi_scale(t->normal, slope * stretch),
                         .tilt = {tilt * t->spin[0], tilt * t->spin[1], tilt * t->spin[2]},
                         .gap = gap};
    td_real curve = tdi_barrier_curve(force, m->range, gap) * stretch * stretch;
    out->hessian = tdi_sym3_square(t->normal, curve);
}

// Adds the terms that the positive model omits.
static void make_exact(const tdi_pair_geometry *m, const contact_point *t, td_real force,
                       tdi_contact *out) {
    if (m->two.side == TDI_SIDE_FIELD) {
        return; // the ground's curvature is left out
    }
    const td_real stretch = t->length / t->distance;
    const td_real slope = tdi_barrier_slope(force, m->range, out->gap) / t->distance;
    const td_vec3 p = t->loose, u = tdi_scale(tdi_sub(m->two.b, m->two.a), 1 / (1 - m->from)),
                  v = tdi_sub(m->two.c, m->two.d);
    td_sym3 across = tdi_sym3_diagonal(p.x, p.y, p.z);
    out->slide[0] = tdi_scale(tdi_vec3(p.x * u.x, p.y * u.y, p.z * u.z), 1 / t->length);
    out->slide[1] = m->two.side == TDI_SIDE_SEGMENT ? tdi_scale(v, 1 / t->length) : out->slide[1];
    if (m->pose) {
        across = tdi_sym3_turn_diagonal(&m->pose->r, p);
        out->slide[0] = tdi_mat3_apply(&m->pose->r, out->slide[0]);
        out->slide[1] = tdi_mat3_apply(&m->pose->r, out->slide[1]);
    }
    across = tdi_sym3_add(across, tdi_sym3_square(t->normal, -stretch * stretch));
    out->hessian = tdi_sym3_add(out->hessian, tdi_sym3_scale(across, slope));
}

static inline void add_outer(tdi_mat3 *to, td_vec3 a, td_vec3 b, td_real k) {
    const td_real row[3] = {k * a.x, k * a.y, k * a.z};
    for (int i = 0; i < 3; i++) {
        to->m[3 * i] += row[i] * b.x;
        to->m[3 * i + 1] += row[i] * b.y;
        to->m[3 * i + 2] += row[i] * b.z;
    }
}

tdi_mat3 tdi_contact_block(const tdi_contact *c, int k, int l) {
    static const td_real ends[2][4] = {{-1, 1, 0, 0}, {0, 0, 1, -1}};
    const td_sym3 h = tdi_sym3_scale(c->hessian, c->row.weight[k] * c->row.weight[l]);
    tdi_mat3 block = {{h.xx, h.xy, h.xz, h.xy, h.yy, h.yz, h.xz, h.yz, h.zz}};
    for (int a = 0; a < 2; a++) {
        for (int b = 0; b < 2; b++) {
            if (c->tilt[a + b] != 0) {
                td_vec3 left = tdi_scale(c->slide[a], c->row.weight[k]);
                td_vec3 right = tdi_scale(c->slide[b], c->row.weight[l]);
                add_outer(&block, tdi_madd(left, c->row.normal, ends[a][k]),
                          tdi_madd(right, c->row.normal, ends[b][l]), c->tilt[a + b]);
            }
        }
    }
    return block;
}

// ---- friction -------------------------------------------------------------------------------

// velocity of the first side's surface against the other, across the normal
static td_vec3 slip_of(const tdi_friction *f, const td_vec3 *x, const tdi_contact_rule *rule) {
    td_vec3 displacement = {0, 0, 0};
    for (int k = 0; k < 4; k++) {
        if (f->row.point[k] != TD_NONE) {
            td_vec3 moved = tdi_sub(x[f->row.point[k]], rule->history[f->row.point[k]]);
            displacement = tdi_madd(displacement, moved, f->row.weight[k]);
        }
    }
    displacement = tdi_add(displacement, tdi_rows_turns(&f->row, f->row.arm, rule->turned));
    td_vec3 u = tdi_sub(tdi_scale(displacement, 1 / rule->h), f->velocity);
    return tdi_madd(u, f->row.normal, -tdi_dot(u, f->row.normal));
}

// With f'(|u|)/|u| = p:  gradient m N p u,  Hessian m N/h (p (I - n n^T) + (f'' - p) u u^T/|u|^2)
static void fill_friction(const tdi_friction *f, td_vec3 u, const tdi_contact_rule *rule,
                          td_real creep, tdi_contact *out) {
    const td_real speed = tdi_norm(u), over = tdi_friction_over(speed, creep),
                  curvature = tdi_friction_curve(speed, creep), stiff = f->load / rule->h;
    *out = (tdi_contact){.row = f->row,
                         .force = tdi_scale(u, f->load * over),
                         .rolling = f->rolling,
                         .gap = f->gap,
                         .friction = true};
    td_sym3 all = tdi_sym3_diagonal(stiff * over, stiff * over, stiff * over);
    td_sym3 across = tdi_sym3_add(all, tdi_sym3_square(f->row.normal, -stiff * over));
    out->hessian = f->turns ? across : tdi_sym3_add(across, tdi_sym3_square(u, stiff * curvature));
}

typedef struct steadying {
    tdi_contacts *c;
    const td_vec3 *x, *dx;
    const tdi_contact_rule *rule;
} steadying;

static void steady_turn(void *context, int64_t turn) {
    const steadying *w = context;
    const tdi_contacts *c = w->c;
    const tdi_turn_part share = tdi_turn_part_of(c->friction_count, turn);
    for (int32_t k = share.first; k < share.last; k++) {
        tdi_friction *f = &c->friction[k];
        if (tdi_are_inactive(c, f->row.capsule, f->row.other)) {
            continue;
        }
        const td_vec3 u = slip_of(f, w->x, w->rule);
        const td_vec3 displacement = tdi_rows_between(&f->row, w->dx);
        const td_real speed2 = tdi_dot(u, u);
        f->turns = speed2 > c->opts.creep * c->opts.creep &&
                   speed2 + tdi_dot(u, displacement) / w->rule->h < 0;
    }
}

void tdi_contacts_mark_reversed(tdi_contacts *c, const td_vec3 *x, const td_vec3 *dx,
                                const tdi_contact_rule *rule) {
    steadying w = {c, x, dx, rule};
    tdi_pool_turns(c->pool, tdi_turns_of(c->friction_count), steady_turn, &w);
}

// Whether there can be so many contacts. False: their number is above the limit, or the room.
static bool can_have(tdi_contacts *c, int64_t count, td_diag *diag) {
    c->limits.exceeded = c->limits.exceeded || count > c->limits.contacts;
    const bool lacks = tdi_lacks_contacts(c, count);
    if (lacks) {
        tdi_fail(diag, TD_ERR_LIMIT, "more than %d contacts at once", c->limits.capacity.contacts);
    }
    return !lacks;
}

// Whether a friction that was just found does not slip.
static bool sticks(const tdi_contacts *c, const tdi_friction *f, const tdi_contact_speeds *speeds) {
    const td_vec3 u = tdi_sub(tdi_rows_displacement(&f->row, speeds->v, speeds->spin), f->velocity);
    return tdi_norm(tdi_madd(u, f->row.normal, -tdi_dot(u, f->row.normal))) < c->opts.creep;
}

// One friction for each contact point of a pair, and one rolling resistance by all their normal
// forces.
static td_status lag_pair(tdi_contacts *c, tdi_near_pair pair, const td_vec3 *x, td_real force,
                          td_real h, const tdi_contact_speeds *speeds, td_diag *diag) {
    const td_real slides = tdi_friction_of(c, pair.j), holds = tdi_static_of(c, pair.j);
    tdi_friction roll = {.row.capsule = pair.i, .row.other = pair.j, .rolling = true};
    td_real pressed = 0;
    tdi_pair_geometry m;
    tdi_closest points[TDI_CONTACT_POINTS];
    tdi_pair_open(c, pair, x, pose_of(c, pair), &m);
    const int count = tdi_contact_points_of(c, pair, &m, points);
    if (!can_have(c, ((int64_t)c->friction_count + count + 2) / 2, diag)) {
        return TD_ERR_LIMIT;
    }
    for (int n = 0; n < count; n++) {
        const td_real gap = points[n].distance - m.radii;
        if (!(gap > 0)) {
            continue; // evaluation reports the overlap
        }
        const contact_point t = contact_point_at(&m, &points[n]);
        const td_real normal_force = -tdi_barrier_slope(force, m.range, gap);
        tdi_friction *f = &c->friction[c->friction_count++];
        *f = (tdi_friction){.row = rows_of(c, pair, &t),
                            .velocity = collider_velocity(c, pair, &t, x, h),
                            .load = slides * normal_force,
                            .gap = gap};
        tdi_arms_of(c, pair, t.length, f->row.arm);
        tdi_turning_add(c, f->row.arm, f->row.capsule, f->row.other);
        if (speeds && holds > slides && sticks(c, f, speeds)) {
            f->load = holds * normal_force;
        }
        memcpy(roll.row.point, f->row.point, sizeof roll.row.point);
        roll.row.normal = t.normal;
        pressed += normal_force;
    }
    tdi_roll_arms_of(c, pair, roll.row.arm);
    if (pressed > 0 && roll.row.arm[0] > 0) {
        roll.load = tdi_rolling_of(c, pair.j) * pressed;
        roll.velocity =
            tdi_scale(tdi_roll_slip(c, roll.row.arm, roll.row.normal, pair.j), 1 / c->colliders.dt);
        c->friction[c->friction_count++] = roll;
    }
    return TD_OK;
}

td_status tdi_contacts_lag(tdi_contacts *c, const td_vec3 *x, td_real time, td_real force,
                           td_real h, const tdi_contact_speeds *speeds, td_diag *diag) {
    td_status status = TD_OK;
    TDI_ASSERT(c->opts.method != TD_CONTACT_EXACT); // there is no room for frictions
    c->friction_count = 0;
    tdi_turning_clear(c);
    tdi_poses_at(c, time);
    for (int32_t k = 0; k < c->pairs.count && status == TD_OK; k++) {
        const tdi_near_pair pair = c->pairs.item[k];
        const bool rough = tdi_static_of(c, pair.j) > 0;
        status = rough ? lag_pair(c, pair, x, force, h, speeds, diag) : TD_OK;
    }
    return status;
}

// ---- terms ----------------------------------------------------------------------------------

// Pairs and frictions in turns, those of pairs first. Sums of turns are added in their order.
typedef struct terms {
    tdi_contacts *c;
    const td_vec3 *x;
    const tdi_contact_rule *rule;
    tdi_scope pairs, frictions;
    int32_t pair_turns, turns;
    td_real energy[2 * TDI_TURNS];
    int32_t count[2 * TDI_TURNS]; // of contacts; then where the first goes
    int32_t bad[2 * TDI_TURNS];   // a pair whose sides are in each other, or TD_NONE
} terms;

static terms terms_of(tdi_contacts *c, const td_vec3 *x, const tdi_contact_rule *rule) {
    terms w = {.c = c,
               .x = x,
               .rule = rule,
               .pairs = tdi_scope_of(c, &c->groups.pairs, c->pairs.count),
               .frictions = tdi_scope_of(c, &c->groups.frictions, c->friction_count)};
    w.frictions.count = rule->h > 0 ? w.frictions.count : 0;
    w.pair_turns = tdi_turns_of(w.pairs.count);
    w.turns = w.pair_turns + (w.frictions.count > 0 ? tdi_turns_of(w.frictions.count) : 0);
    return w;
}

static td_real energy_of(const terms *w) {
    td_real sum = 0;
    for (int32_t k = 0; k < w->turns; k++) {
        sum += w->energy[k];
    }
    return sum;
}

// Where a pair that moves points.
static int open_pair(const tdi_contacts *c, tdi_near_pair pair, const td_vec3 *x,
                     tdi_pair_geometry *m, tdi_closest points[TDI_CONTACT_POINTS]) {
    if (tdi_are_inactive(c, pair.i, pair.j)) {
        return 0;
    }
    tdi_pair_open(c, pair, x, pose_of(c, pair), m);
    return tdi_contact_points_of(c, pair, m, points);
}

// ---- the value ------------------------------------------------------------------------------

static td_real pairs_energy(const terms *w, tdi_turn_part share) {
    td_real energy = 0;
    for (int32_t k = share.first; k < share.last; k++) {
        tdi_pair_geometry m;
        tdi_closest points[TDI_CONTACT_POINTS];
        const int count =
            open_pair(w->c, w->c->pairs.item[tdi_scope_at(&w->pairs, k)], w->x, &m, points);
        for (int n = 0; n < count; n++) {
            const td_real gap = points[n].distance - m.radii;
            if (!(gap > 0)) {
                return INFINITY;
            }
            energy += tdi_barrier_value(w->rule->force, m.range, gap);
        }
    }
    return energy;
}

static td_real frictions_energy(const terms *w, tdi_turn_part share) {
    const tdi_contacts *c = w->c;
    td_real energy = 0;
    for (int32_t k = share.first; k < share.last; k++) {
        const tdi_friction *f = &c->friction[tdi_scope_at(&w->frictions, k)];
        if (!tdi_are_inactive(c, f->row.capsule, f->row.other)) {
            const td_real speed = tdi_norm(slip_of(f, w->x, w->rule));
            energy += f->load * w->rule->h * tdi_friction_value(speed, c->opts.creep);
        }
    }
    return energy;
}

static void energy_turn(void *context, int64_t turn) {
    terms *w = context;
    w->energy[turn] =
        turn < w->pair_turns
            ? pairs_energy(w, tdi_turn_part_of(w->pairs.count, turn))
            : frictions_energy(w, tdi_turn_part_of(w->frictions.count, turn - w->pair_turns));
}

td_real tdi_contacts_energy(tdi_contacts *c, const td_vec3 *x, td_real time,
                            const tdi_contact_rule *rule) {
    terms w = terms_of(c, x, rule);
    tdi_poses_at(c, time);
    tdi_pool_turns(c->pool, w.turns, energy_turn, &w);
    return energy_of(&w);
}

// ---- derivatives ----------------------------------------------------------------------------

// How many contacts a turn will have, so that all turns know where theirs go.
static void count_turn(void *context, int64_t turn) {
    terms *w = context;
    const tdi_contacts *c = w->c;
    w->count[turn] = 0;
    w->bad[turn] = TD_NONE;
    if (turn >= w->pair_turns) {
        const tdi_turn_part share = tdi_turn_part_of(w->frictions.count, turn - w->pair_turns);
        for (int32_t k = share.first; k < share.last; k++) {
            const tdi_friction *f = &c->friction[tdi_scope_at(&w->frictions, k)];
            w->count[turn] += !tdi_are_inactive(c, f->row.capsule, f->row.other);
        }
        return;
    }
    const tdi_turn_part share = tdi_turn_part_of(w->pairs.count, turn);
    for (int32_t k = share.first; k < share.last; k++) {
        const int32_t which = tdi_scope_at(&w->pairs, k);
        tdi_pair_geometry m;
        tdi_closest points[TDI_CONTACT_POINTS];
        const int count = open_pair(c, c->pairs.item[which], w->x, &m, points);
        for (int n = 0; n < count && w->bad[turn] == TD_NONE; n++) {
            w->bad[turn] = points[n].distance - m.radii > 0 ? TD_NONE : which;
        }
        c->pairs.point_count[which] = (unsigned char)count;
        w->count[turn] += count;
    }
}

static void fill_pair(const terms *w, tdi_near_pair pair, tdi_contact *out, td_real *energy) {
    const tdi_contacts *c = w->c;
    const tdi_contact_rule *rule = w->rule;
    tdi_pair_geometry m;
    tdi_closest points[TDI_CONTACT_POINTS];
    const int count = open_pair(c, pair, w->x, &m, points);
    for (int n = 0; n < count; n++, out++) {
        const contact_point t = contact_point_at(&m, &points[n]);
        *energy += tdi_barrier_value(rule->force, m.range, points[n].distance - m.radii);
        fill_barrier(c, pair, &m, &t, rule->force, out);
        if (rule->exact_hessian) {
            make_exact(&m, &t, rule->force, out);
        }
        if (rule->ahead > 0) {
            td_vec3 displacement =
                tdi_scale(collider_displacement(c, pair, &t, w->x), -rule->ahead);
            out->force = tdi_add(out->force, tdi_sym3_apply(&out->hessian, displacement));
        }
    }
}

static void fill_turn(void *context, int64_t turn) {
    terms *w = context;
    const tdi_contacts *c = w->c;
    tdi_contact *out = c->contact + w->count[turn];
    td_real energy = 0;
    if (turn < w->pair_turns) {
        const tdi_turn_part share = tdi_turn_part_of(w->pairs.count, turn);
        for (int32_t k = share.first; k < share.last; k++) {
            const int32_t which = tdi_scope_at(&w->pairs, k);
            if (c->pairs.point_count[which] > 0) {
                fill_pair(w, c->pairs.item[which], out, &energy);
                out += c->pairs.point_count[which];
            }
        }
    } else {
        const tdi_turn_part share = tdi_turn_part_of(w->frictions.count, turn - w->pair_turns);
        for (int32_t k = share.first; k < share.last; k++) {
            const tdi_friction *f = &c->friction[tdi_scope_at(&w->frictions, k)];
            if (!tdi_are_inactive(c, f->row.capsule, f->row.other)) {
                const td_vec3 u = slip_of(f, w->x, w->rule);
                energy += f->load * w->rule->h * tdi_friction_value(tdi_norm(u), c->opts.creep);
                fill_friction(f, u, w->rule, c->opts.creep, out++);
            }
        }
    }
    w->energy[turn] = energy;
}

static td_status in_each_other(const tdi_contacts *c, tdi_near_pair pair, td_diag *diag) {
    bool capsule = pair.j < c->capsule_count;
    return tdi_fail_at(diag, TD_ERR_DIVERGED, pair.i, "capsule %d and %s %d overlap", pair.i,
                       capsule ? "capsule" : "collider",
                       capsule ? pair.j : pair.j - c->capsule_count);
}

// Where each turn's contacts go.
static td_status place_turns(terms *w, td_diag *diag) {
    tdi_contacts *c = w->c;
    int32_t at = 0, all = 0;
    for (int32_t k = 0; k < w->turns; k++) {
        const int32_t own = w->count[k];
        if (w->bad[k] != TD_NONE) {
            return in_each_other(c, c->pairs.item[w->bad[k]], diag);
        }
        w->count[k] = at;
        at += own;
        all += k < w->pair_turns ? own : 0;
    }
    if (!can_have(c, all, diag)) {
        return TD_ERR_LIMIT;
    }
    c->contact_count = at;
    return TD_OK;
}

td_status tdi_contacts_evaluate(tdi_contacts *c, const td_vec3 *x, td_real time,
                                const tdi_contact_rule *rule, td_real *energy, td_diag *diag) {
    terms w = terms_of(c, x, rule);
    *energy = INFINITY;
    c->contact_count = 0;
    tdi_poses_at(c, time);
    tdi_pool_turns(c->pool, w.turns, count_turn, &w);
    const td_status status = place_turns(&w, diag);
    if (status == TD_OK) {
        tdi_pool_turns(c->pool, w.turns, fill_turn, &w);
        *energy = energy_of(&w);
    }
    return status;
}

// ---- rooms ----------------------------------------------------------------------------------

void tdi_contacts_scale_ranges(tdi_contacts *c, const int32_t *group, const td_real *reach) {
    for (int32_t i = 0; i < c->capsule_count; i++) {
        c->range_part[i] = reach ? fabs(reach[group[i]]) : 1;
    }
}

bool tdi_contacts_overlap(tdi_contacts *c, const td_vec3 *x, td_real time, int32_t which[2]) {
    memset(c->range_part, 0, (size_t)c->capsule_count * sizeof *c->range_part);
    tdi_contacts_least(c, x, time, which);
    tdi_contacts_scale_ranges(c, NULL, NULL);
    return which[0] != TD_NONE;
}

// The true gap of a pair over its range by the options; not of those who have all of that and are
// farther apart.
static td_real room_of(const tdi_contacts *c, tdi_near_pair pair, tdi_pair_geometry m,
                       bool points) {
    const td_real own = c->capsule[pair.i].radius,
                  radius = pair.j < c->capsule_count ? fmin(own, c->capsule[pair.j].radius) : own,
                  range = c->opts.gap * radius;
    if (!points && m.range >= range) {
        return INFINITY;
    }
    m.two.blunt_s = m.two.blunt_t = 0;
    const td_real distance =
        m.two.side == TDI_SIDE_PLANE ? fmin(m.two.a.y, m.two.b.y) : tdi_closest_of(&m.two).distance;
    return (distance - m.radii) / range;
}

void tdi_contacts_least_gaps(const tdi_contacts *c, const td_vec3 *x, td_real time,
                             const int32_t *group, int32_t group_count, td_real *room,
                             td_real *press) {
    for (int32_t k = 0; k < group_count; k++) {
        room[k] = INFINITY;
        press[k] = 0;
    }
    tdi_poses_at(c, time);
    for (int32_t k = 0; k < c->pairs.count; k++) {
        const tdi_near_pair pair = c->pairs.item[k];
        tdi_pair_geometry m;
        tdi_closest points[TDI_CONTACT_POINTS];
        tdi_pair_open(c, pair, x, pose_of(c, pair), &m);
        const int count = tdi_contact_points_of(c, pair, &m, points);
        const td_real apart = room_of(c, pair, m, count > 0);
        const int32_t sides[2] = {pair.i, pair.j};
        for (int side = 0; side < (pair.j < c->capsule_count ? 2 : 1); side++) {
            const int32_t g = group[sides[side]];
            room[g] = fmin(room[g], apart);
            for (int n = 0; n < count; n++) {
                const td_real gap = points[n].distance - m.radii;
                press[g] += gap > 0 ? tdi_barrier_value(1, m.range, gap) : INFINITY;
            }
        }
    }
}

// ---- the least gap --------------------------------------------------------------------------

typedef struct nearest {
    const tdi_contacts *c;
    const td_vec3 *x;
    td_real gap[TDI_TURNS];
    int32_t pair[TDI_TURNS];
} nearest;

static void least_turn(void *context, int64_t turn) {
    nearest *w = context;
    const tdi_contacts *c = w->c;
    const tdi_turn_part share = tdi_turn_part_of(c->pairs.count, turn);
    w->gap[turn] = INFINITY;
    w->pair[turn] = TD_NONE;
    for (int32_t k = share.first; k < share.last; k++) {
        tdi_pair_geometry m;
        tdi_closest points[TDI_CONTACT_POINTS];
        tdi_pair_open(c, c->pairs.item[k], w->x, pose_of(c, c->pairs.item[k]), &m);
        const int count = tdi_contact_points_of(c, c->pairs.item[k], &m, points);
        for (int n = 0; n < count; n++) {
            if (points[n].distance - m.radii < w->gap[turn]) {
                w->gap[turn] = points[n].distance - m.radii;
                w->pair[turn] = k;
            }
        }
    }
}

td_real tdi_contacts_least(const tdi_contacts *c, const td_vec3 *x, td_real time,
                           int32_t which[2]) {
    nearest w = {.c = c, .x = x};
    const int32_t turns = tdi_turns_of(c->pairs.count);
    int32_t best = 0;
    tdi_poses_at(c, time);
    tdi_pool_turns(c->pool, turns, least_turn, &w);
    for (int32_t k = 1; k < turns; k++) {
        best = w.gap[k] < w.gap[best] ? k : best;
    }
    const bool any = w.pair[best] != TD_NONE;
    which[0] = any ? c->pairs.item[w.pair[best]].i : TD_NONE;
    which[1] = any ? c->pairs.item[w.pair[best]].j : TD_NONE;
    return w.gap[best];
}
