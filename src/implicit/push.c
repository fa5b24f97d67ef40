// SPDX-License-Identifier: MIT
// Pairs of capsules that overlap are pushed apart.
//
// Force    With the normal n and the weights w_k of the nearest places fixed when the step begins,
//          u = n . sum of w_k x_k is the distance of the axes, and T = u_0 + speed dt the distance
//          that the step is to reach, at most where the gap is open. The potential
//            K d^2/2 for d = T - u below F/K,   F (d - F/2K) beyond,   0 for d <= 0
//          is convex, and its force is F at most. Nothing is pushed beyond T, and nothing is
//          pulled.
// Newton   The second derivative is taken as f/d, with the force f. The parabola of this curvature
//          that has the potential's slope lies above the potential and is least at T: no increment
//          goes beyond T. The true second derivative is 0 beyond F/K, and increments would go
//          centimetres too far.
// Size     K is a thousand times the mass of a capsule of the lighter body over h^2: u reaches T
//          where F allows it. F gives that capsule 3000 m/s^2: enough to bend a twig beside a fork
//          by its radius. What cannot part, as stems that are rooted at one place, bends until its
//          springs bear F.

#include "implicit/push.h"

#include "implicit/body_contact.h"

#include "contact/closest.h"
#include "math/vec3.h"

#include <math.h>

#define HARD   1e3  // times mass over h^2 of a capsule
#define MOST   3e3  // m/s^2
#define MEETS  0.01 // of the radii: axes that are nearer have no direction between them
#define PASSES 0.5  // likewise: while they are nearer, an axis that changes sides has passed
#define BLUNT  0.2  // as contact's, so that parallel axes are pushed in their middle
#define ACROSS 0.1  // sine: axes with less of an angle count as parallel

// ---- lists ----------------------------------------------------------------------------------

static int sign_of(int32_t a, int32_t b) {
    return a < b ? -1 : a > b;
}

int tdi_push_compare(const tdi_push_pair *a, const tdi_push_pair *b) {
    int sign = sign_of(a->number[0], b->number[0]);
    sign = sign ? sign : sign_of(a->number[1], b->number[1]);
    sign = sign ? sign : sign_of(a->capsule[0], b->capsule[0]);
    return sign ? sign : sign_of(a->capsule[1], b->capsule[1]);
}

int32_t tdi_pushes_find(const struct tdi_pushes *p, const tdi_push_pair *pair) {
    int32_t low = 0, high = p->count;
    while (low < high) {
        const int32_t middle = low + (high - low) / 2;
        const bool before = tdi_push_compare(&p->item[middle].pair, pair) < 0;
        low = before ? middle + 1 : low;
        high = before ? high : middle;
    }
    return low;
}

bool tdi_pushes_has(const struct tdi_pushes *p, const int32_t number[2], const int32_t capsule[2]) {
    const bool swap = number[0] != number[1] ? number[0] > number[1] : capsule[0] > capsule[1];
    const tdi_push_pair pair = {.number = {number[swap], number[!swap]},
                                .capsule = {capsule[swap], capsule[!swap]}};
    const int32_t at = tdi_pushes_find(p, &pair);
    return at < p->count && tdi_push_compare(&p->item[at].pair, &pair) == 0;
}

// ---- geometry -------------------------------------------------------------------------------

tdi_push_axes tdi_push_axes_of(const tdi_capsule *i, const tdi_capsule *j, const td_vec3 *x,
                               const td_vec3 *y, td_real gap) {
    return (tdi_push_axes){x[i->a],
                           x[i->b],
                           y[j->a],
                           y[j->b],
                           i->radius + j->radius,
                           gap * fmin(i->radius, j->radius)};
}

// A unit vector across both axes; of parallel ones, or balls, some vector across.
static td_vec3 across(const tdi_push_axes *p) {
    const td_vec3 u = tdi_sub(p->b, p->a), v = tdi_sub(p->d, p->c), w = tdi_cross(u, v);
    const td_real size = tdi_norm(w), uu = tdi_norm(u), vv = tdi_norm(v);
    if (size > ACROSS * uu * vv) {
        return tdi_scale(w, 1 / size);
    }
    const td_vec3 along = uu > vv ? u : v;
    const td_vec3 side =
        fabs(along.x) <= 0.5 * fmax(uu, vv) ? tdi_vec3(1, 0, 0) : tdi_vec3(0, 0, 1);
    const td_vec3 n = tdi_cross(along, side);
    return tdi_norm(n) > 0 ? tdi_scale(n, 1 / tdi_norm(n)) : side;
}

tdi_push_place tdi_push_place_of(const tdi_push_axes *p, td_vec3 before) {
    tdi_pair_shape two = {.side = TDI_SIDE_SEGMENT, .a = p->a, .b = p->b, .c = p->c, .d = p->d};
    const bool known = tdi_dot(before, before) > 0;
    const td_vec3 u = tdi_sub(p->b, p->a), v = tdi_sub(p->d, p->c);
    if (tdi_dot(u, u) > 0 && tdi_dot(v, v) > 0) {
        two.blunt_s = two.blunt_t = BLUNT * p->range * p->radii;
    }
    const tdi_closest k = tdi_closest_of(&two);
    const td_vec3 e = tdi_sub(tdi_madd(tdi_scale(p->a, 1 - k.s), p->b, k.s),
                              tdi_madd(tdi_scale(p->c, 1 - k.t), p->d, k.t));
    const td_real length = tdi_norm(e);
    td_vec3 normal = before;
    if (length > MEETS * p->radii) {
        const bool passed = known && length < PASSES * p->radii && tdi_dot(before, e) < 0;
        normal = tdi_scale(e, (passed ? -1 : 1) / length);
    } else if (!known) {
        normal = across(p);
    }
    return (tdi_push_place){.s = k.s,
                            .t = k.t,
                            .x = tdi_madd(tdi_scale(p->a, 1 - k.s), p->b, k.s),
                            .normal = normal,
                            .gap = length - p->radii,
                            .height = tdi_dot(normal, e)};
}

// ---- steps ----------------------------------------------------------------------------------

// Those whose first body is a member.
static tdi_push_item *of_member(const tdi_body_contact *t, int32_t k, int32_t *count) {
    const tdi_collision_identity *own = &t->body[k]->collision;
    *count = 0;
    if (!own->pushes || own->pushes->count == 0) {
        return NULL;
    }
    const tdi_push_pair from = {.number = {own->number, 0}}, to = {.number = {own->number + 1, 0}};
    const int32_t first = tdi_pushes_find(own->pushes, &from);
    *count = tdi_pushes_find(own->pushes, &to) - first;
    return own->pushes->item + first;
}

// Members are in the order of their numbers.
static int32_t member_of(const tdi_body_contact *t, int32_t number) {
    int32_t low = 0, high = t->member_count - 1;
    while (low < high) {
        const int32_t middle = low + (high - low) / 2;
        if (t->body[middle]->collision.number < number) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return t->body[low]->collision.number == number ? low : TD_NONE;
}

static bool has_capsule(const tdi_body_contact *t, int32_t member, int32_t capsule) {
    return member != TD_NONE && capsule < t->first_capsule[member + 1] - t->first_capsule[member];
}

static void begin_one(const tdi_body_contact *t, const tdi_system *y, int32_t k, tdi_push_item *p,
                      td_real dt) {
    const int32_t l = member_of(t, p->pair.number[1]);
    const td_real h = t->terms.rule.h;
    p->acts =
        h > 0 && has_capsule(t, k, p->pair.capsule[0]) && has_capsule(t, l, p->pair.capsule[1]);
    if (!p->acts) {
        return;
    }
    const int32_t i = t->first_capsule[k] + p->pair.capsule[0],
                  j = t->first_capsule[l] + p->pair.capsule[1];
    const tdi_capsule *c = &t->capsule[i], *d = &t->capsule[j];
    const tdi_push_axes axes = tdi_push_axes_of(c, d, t->x, t->x, t->opts.gap);
    const tdi_push_place at = tdi_push_place_of(&axes, p->pair.normal);
    const td_real mass = h * h *
                         fmin(tdi_capsule_stiffness(t, &y->member[k], k, h),
                              tdi_capsule_stiffness(t, &y->member[l], l, h));
    p->row = (tdi_contact_rows){.capsule = i,
                                .other = j,
                                .point = {c->a, c->b, d->a, d->b},
                                .weight = {1 - at.s, at.s, at.t - 1, -at.t},
                                .normal = at.normal,
                                .s = at.s,
                                .t = at.t};
    p->target = fmin(at.height + t->body[k]->collision.pushes->speed * dt, axes.radii + axes.range);
    p->stiffness = HARD * mass / (h * h);
    p->most = MOST * mass;
}

void tdi_pushes_begin(const tdi_body_contact *t, const tdi_system *y, td_real dt) {
    for (int32_t k = 0; k < t->member_count; k++) {
        int32_t count;
        tdi_push_item *own = of_member(t, k, &count);
        for (int32_t n = 0; n < count; n++) {
            begin_one(t, y, k, &own[n], dt);
        }
    }
}

// How much is missing of the target, m.
static td_real missing_of(const tdi_push_item *p, const td_vec3 *x) {
    return p->target - tdi_dot(p->row.normal, tdi_rows_between(&p->row, x));
}

td_real tdi_pushes_value(const tdi_body_contact *t, const td_vec3 *x) {
    td_real sum = 0;
    for (int32_t k = 0; k < t->member_count; k++) {
        int32_t count;
        const tdi_push_item *own = of_member(t, k, &count);
        for (int32_t n = 0; n < count; n++) {
            const td_real d = own[n].acts ? missing_of(&own[n], x) : 0;
            const bool soft = own[n].stiffness * d < own[n].most;
            sum += !(d > 0) ? 0
                   : soft   ? 0.5 * own[n].stiffness * d * d
                            : own[n].most * (d - 0.5 * own[n].most / own[n].stiffness);
        }
    }
    return sum;
}

bool tdi_pushes_add(tdi_body_contact *t) {
    bool room = true;
    t->terms.push_count = 0;
    for (int32_t k = 0; k < t->member_count && room; k++) {
        int32_t count;
        const tdi_push_item *own = of_member(t, k, &count);
        for (int32_t n = 0; n < count && room; n++) {
            const td_real d = own[n].acts ? missing_of(&own[n], t->now) : 0;
            if (d > 0) {
                const td_real stiffness = fmin(own[n].stiffness, own[n].most / d);
                const tdi_contact c = {.row = own[n].row,
                                       .force = tdi_scale(own[n].row.normal, -stiffness * d),
                                       .hessian = tdi_sym3_square(own[n].row.normal, stiffness),
                                       .gap = own[n].pair.gap};
                room = tdi_contacts_append(t->set, &c);
                t->terms.push_count += room;
            }
        }
    }
    return room;
}
