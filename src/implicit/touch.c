// SPDX-License-Identifier: MIT
// Contact of the bodies of a system.
//
// Blocks    what a contact adds on one capsule goes into the factors of its body. What it adds
//           between two capsules, C, couples the bodies: the increments solve
//             (E + J^T C J) x = -r,
//           E being what the bodies factored and J x the motion of their points. Where one factor
//           of the whole is cheaper it is taken (direct.c). Else conjugate gradients,
//           preconditioned by E, start at x = -E^-1 r. All their residuals are J^T g and all their
//           directions E^-1 J^T s with forces g, s at the points that touch, so that the iteration
//           lives on those points; a product with J E^-1 J^T is one response of each body.
// Barrier   its force has the magnitude of the bodies' own forces and grows from step to step while
//           gaps are small: gaps stay open and the condition number stays bounded.
// Way       Continuous collision detection. Points of a rotating body move along arcs. An increment
//           is taken as far as the straight paths of all points to their positions in the new pose
//           are free: then there is a motion to that pose in which nothing intersects.

#include "implicit/touch.h"

#include "base/alloc.h"
#include "base/diag.h"
#include "implicit/hold.h"
#include "math/vec3.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define CG_STEPS     400
#define CG_TOLERANCE 1e-3 // of the increments, in the norm of the factored part
#define SHORTER      0.25 // of a way on which there are too many pairs: all is near on long ways
#define NARROW       0.1  // of the range: gaps below it make the barrier stronger
#define WIDE         0.4  // above it weaker
#define STRONGER     1.1  // a step: more at once would push what lies still
#define WEAKER       0.9
#define STRONGEST    1e6
#define CALM         0.1  // of a force, or of a speed: changes by less than this are small
#define FAINT        0.01 // of the barrier's force: what is less does not count

// ---- making ---------------------------------------------------------------------------------

static void lay_out_scratch(tdi_touch *t, tdi_layout *l) {
    td_vec3 **arrays[] = {&t->x,      &t->dx,  &t->star, &t->began, &t->ahead, &t->moved,
                          &t->answer, &t->way, &t->rest, &t->press, &t->sum};
    for (size_t k = 0; k < sizeof arrays / sizeof *arrays; k++) {
        *arrays[k] = tdi_layout_place(l, (size_t)t->point_count, sizeof(td_vec3));
    }
}

static void lay_out(tdi_touch *t, tdi_layout *l) {
    const size_t members = (size_t)t->member_count, points = (size_t)t->point_count,
                 capsules = (size_t)t->capsule_count;
    tdi_layout_place(l, 1, sizeof *t);
    t->ops = tdi_layout_place(l, members, sizeof *t->ops);
    t->body = tdi_layout_place(l, members, sizeof *t->body);
    t->first_point = tdi_layout_place(l, members + 1, sizeof *t->first_point);
    t->first_capsule = tdi_layout_place(l, members + 1, sizeof *t->first_capsule);
    t->owner = tdi_layout_place(l, capsules, sizeof *t->owner);
    t->point_owner = tdi_layout_place(l, points, sizeof *t->point_owner);
    t->segment = tdi_layout_place(l, capsules, sizeof *t->segment);
    t->radius = tdi_layout_place(l, capsules, sizeof *t->radius);
    t->part = tdi_layout_place(l, members, sizeof *t->part);
    t->free = tdi_layout_place(l, members, sizeof *t->free);
    t->stiffness = tdi_layout_place(l, members, sizeof *t->stiffness);
    t->capsule = tdi_layout_place(l, capsules, sizeof *t->capsule);
    t->now = tdi_layout_place(l, points, sizeof *t->now);
    t->scratch = tdi_layout_place(l, 0, 1);
    lay_out_scratch(t, l);
    t->active = tdi_layout_place(l, points, sizeof *t->active);
    t->is_active = tdi_layout_place(l, points, sizeof *t->is_active);
}

// Capsules of one body may never touch, as its solver says.
static bool skip_pair(void *context, int32_t i, int32_t j) {
    const tdi_touch *t = context;
    const int32_t k = t->owner[i];
    return t->owner[j] == k && t->ops[k]->apart &&
           t->ops[k]->apart(t->body[k], i - t->first_capsule[k], j - t->first_capsule[k]);
}

static void fill_capsules(tdi_touch *t) {
    for (int32_t k = 0; k < t->member_count; k++) {
        tdi_capsule *own = t->capsule + t->first_capsule[k];
        t->ops[k]->capsules(t->body[k], own);
        for (int32_t i = 0; i < t->first_capsule[k + 1] - t->first_capsule[k]; i++) {
            own[i].a += t->first_point[k];
            own[i].b += t->first_point[k];
            t->owner[t->first_capsule[k] + i] = k;
            t->segment[t->first_capsule[k] + i] = own[i].body;
            t->radius[t->first_capsule[k] + i] = own[i].radius;
        }
    }
}

static void fill_members(tdi_touch *t, const tdi_member *members) {
    for (int32_t k = 0; k < t->member_count; k++) {
        const tdi_solver_state *head = members[k].body;
        t->ops[k] = members[k].ops;
        t->body[k] = members[k].body;
        t->first_point[k + 1] = t->first_point[k] + head->point_count;
        t->first_capsule[k + 1] = t->first_capsule[k] + head->capsule_count;
        for (int32_t p = t->first_point[k]; p < t->first_point[k + 1]; p++) {
            t->point_owner[p] = k;
        }
    }
}

static tdi_touch sized(const tdi_member *members, int32_t count, const td_contact_opts *opts,
                       int32_t collider_limit) {
    tdi_touch t = {
        .member_count = count, .opts = *opts, .collider_limit = collider_limit, .strength = 1};
    for (int32_t k = 0; k < count; k++) {
        const tdi_solver_state *head = members[k].body;
        t.point_count += head->point_count;
        t.capsule_count += head->capsule_count;
    }
    return t;
}

static tdi_contacts_def set_of(tdi_touch *t) {
    return (tdi_contacts_def){.opts = &t->opts,
                              .capsule = t->capsule,
                              .capsule_count = t->capsule_count,
                              .point_count = t->point_count,
                              .collider_limit = t->collider_limit,
                              .skip = skip_pair,
                              .context = t};
}

// A hash table of a power of two may be twice as large for the union as for its parts.
size_t tdi_touch_bytes(const tdi_member *members, int32_t count, const td_contact_opts *opts,
                       int32_t collider_limit) {
    tdi_touch t = sized(members, count, opts, collider_limit);
    tdi_layout l = {NULL, 0};
    lay_out(&t, &l);
    tdi_direct_lay_out(&t.direct, members, count, &l);
    const tdi_contacts_def def = set_of(&t);
    return l.used + (t.capsule_count > 0 ? tdi_contacts_bytes(&def) : 0) +
           8 * sizeof(int32_t) * (size_t)(t.capsule_count + 4);
}

void tdi_touch_lend(tdi_touch *t, tdi_layout *l) {
    tdi_layout own = {t->scratch, 0};
    lay_out_scratch(t, l ? l : &own);
    tdi_direct_lend(&t->direct, l);
}

tdi_touch *tdi_touch_place(const tdi_member *members, int32_t count, const td_contact_opts *opts,
                           int32_t collider_limit, void *memory) {
    tdi_touch made = sized(members, count, opts, collider_limit);
    tdi_layout l = {memory, 0};
    lay_out(&made, &l);
    memset(memory, 0, l.used);
    tdi_direct_lay_out(&made.direct, members, count, &l);
    tdi_touch *t = memory;
    *t = made;
    fill_members(t, members);
    fill_capsules(t);
    const tdi_contacts_def def = set_of(t);
    tdi_layout scratch = {NULL, 0};
    tdi_touch_lend(t, &scratch);
    t->scratch_bytes = scratch.used;
    tdi_touch_lend(t, NULL);
    t->set = t->capsule_count > 0 ? tdi_contacts_place(&def, (char *)memory + l.used) : NULL;
    return t;
}

td_status tdi_touch_new(const tdi_member *members, int32_t count, const td_contact_opts *opts,
                        int32_t collider_limit, const td_alloc *alloc, tdi_touch **out,
                        td_diag *diag) {
    *out = NULL;
    td_status status = td_contact_opts_check(opts, diag);
    if (status != TD_OK) {
        return status;
    }
    if (count < 1 || collider_limit < 0) {
        return tdi_fail(diag, TD_ERR_ARGUMENT,
                        "contact needs at least one body and at least 0 colliders, not %d and %d",
                        (int)count, (int)collider_limit);
    }
    size_t bytes = tdi_touch_bytes(members, count, opts, collider_limit);
    void *memory = tdi_alloc_resize(alloc, NULL, 0, bytes);
    if (!memory) {
        return tdi_fail(diag, TD_ERR_MEMORY, "out of memory for contacts");
    }
    tdi_touch *t = tdi_touch_place(members, count, opts, collider_limit, memory);
    t->alloc = alloc;
    t->bytes = bytes;
    *out = t;
    return TD_OK;
}

void tdi_touch_free(tdi_touch *t) {
    if (t) {
        tdi_alloc_free(t->alloc, t, t->bytes);
    }
}

// ---- points ---------------------------------------------------------------------------------

static void gather(const tdi_touch *t, const tdi_system *y, td_vec3 *x) {
    for (int32_t k = 0; k < y->count; k++) {
        tdi_state_points(y->member[k].ops, y->member[k].body, false, x + t->first_point[k]);
    }
}

static void gather_moves(const tdi_touch *t, const tdi_system *y, td_vec3 *dx) {
    for (int32_t k = 0; k < y->count; k++) {
        tdi_state_moves(y->member[k].ops, y->member[k].body, false, dx + t->first_point[k]);
    }
}

// ---- messages -------------------------------------------------------------------------------

// "segment 3", or "segment 3 of 'vine'", or "collider 2"
static void name_side(const tdi_touch *t, const tdi_system *y, int32_t which, char text[96]) {
    if (which >= t->capsule_count) {
        snprintf(text, 96, "collider %d", (int)(which - t->capsule_count));
        return;
    }
    const char *name = y->member[t->owner[which]].name;
    if (name) {
        snprintf(text, 96, "segment %d of '%.60s'", (int)t->segment[which], name);
    } else if (y->count > 1) {
        snprintf(text, 96, "segment %d of body %d", (int)t->segment[which], (int)t->owner[which]);
    } else {
        snprintf(text, 96, "segment %d", (int)t->segment[which]);
    }
}

static td_status in_each_other(const tdi_touch *t, const tdi_system *y, const int32_t which[2],
                               td_diag *diag) {
    char one[96], other[96];
    name_side(t, y, which[0], one);
    name_side(t, y, which[1], other);
    return tdi_fail_at(diag, TD_ERR_DIVERGED, t->segment[which[0]],
                       "%s and %s overlap at the start of the step", one, other);
}

// ---- steps ----------------------------------------------------------------------------------

static td_real own_force(const tdi_touch *t, const tdi_system *y, td_real h) {
    td_real sum = 0;
    for (int32_t k = 0; k < y->count; k++) {
        const tdi_member *m = &y->member[k];
        int32_t capsules = t->first_capsule[k + 1] - t->first_capsule[k];
        sum += capsules > 0 ? capsules * m->ops->force(m->body, m->opts, t->opts.gap, h) : 0;
    }
    return sum > 0 ? sum / t->capsule_count : 1;
}

static bool same(td_vec3 a, td_vec3 b) {
    return a.x == b.x && a.y == b.y && a.z == b.z;
}

// Whether anything is driven through the step.
static bool driven(const tdi_system *y) {
    bool moves = false;
    for (int32_t k = 0; k < y->count && !moves; k++) {
        const tdi_member *m = &y->member[k];
        moves = m->ops->driven && m->ops->driven(m->body);
    }
    for (int32_t k = 0; k < y->collider_count && !moves; k++) {
        const td_collider *d = &y->colliders[k];
        td_quat p = d->rotation0, q = d->rotation;
        moves = !same(d->position0, d->position) || p.w != q.w || p.x != q.x || p.y != q.y ||
                p.z != q.z;
    }
    return moves;
}

td_status tdi_touch_begin(tdi_touch *t, const tdi_system *y, td_real dt, td_real h, td_real from,
                          td_real to, td_diag *diag) {
    int32_t which[2];
    t->own = own_force(t, y, h);
    t->rule = (tdi_contact_rule){.force = t->strength * t->own, .star = t->star, .h = h};
    t->exact = t->opts.method == TD_CONTACT_EXACT && h > 0;
    t->time = h > 0 && !t->exact && driven(y) ? 0 : 1;
    t->coupled = false;
    gather(t, y, t->x);
    for (int32_t k = 0; h > 0 && k < y->count; k++) {
        tdi_state_points(y->member[k].ops, y->member[k].body, true, t->star + t->first_point[k]);
    }
    td_status status =
        tdi_contacts_colliders(t->set, y->colliders, y->collider_count, dt, from, to, diag);
    status = status == TD_OK ? tdi_contacts_find(t->set, t->x, NULL, diag) : status;
    if (status != TD_OK) {
        return status;
    }
    td_real least = tdi_contacts_least(t->set, t->x, 0, which);
    if (which[0] != TD_NONE && !(least > 0)) {
        return in_each_other(t, y, which, diag);
    }
    return h > 0 && !t->exact ? tdi_contacts_lag(t->set, t->x, 0, t->rule.force, diag) : TD_OK;
}

void tdi_touch_end(tdi_touch *t, const tdi_system *y) {
    tdi_touch_evaluate(t, y, false, false, NULL); // for those who ask for contacts
    if (t->exact) {
        tdi_planes_measure(t->set, t->now);
        return;
    }
    td_real room = tdi_touch_room(t, 1);
    t->strength *= room < NARROW ? STRONGER : room > WIDE ? WEAKER : 1;
    t->strength = room < 1 ? fmin(fmax(t->strength, 1), STRONGEST) : 1;
}

void tdi_touch_keep(tdi_touch *t, const tdi_system *y) {
    gather(t, y, t->x);
    memcpy(t->now, t->x, (size_t)t->point_count * sizeof *t->x);
}

// Finds what is near on the way to the poses. False: there is too much.
static bool look(tdi_touch *t, const tdi_system *y) {
    gather(t, y, t->now);
    for (int32_t k = 0; k < t->point_count; k++) {
        t->dx[k] = tdi_sub(t->now[k], t->x[k]);
    }
    return tdi_contacts_find(t->set, t->x, t->dx, NULL) == TD_OK;
}

td_real tdi_touch_way(tdi_touch *t, const tdi_system *y, td_real time) {
    return look(t, y) ? tdi_contacts_filter(t->set, t->x, t->dx, t->time, time) : SHORTER;
}

bool tdi_touch_ways(tdi_touch *t, const tdi_system *y) {
    const bool few = look(t, y);
    bool all = few;
    for (int32_t k = 0; k < y->count; k++) {
        t->free[k] = few ? 1 : SHORTER;
    }
    if (few && !tdi_contacts_filter_groups(t->set, t->x, t->dx, t->time, t->owner, t->free)) {
        const td_real part = tdi_contacts_filter(t->set, t->x, t->dx, t->time, t->time);
        for (int32_t k = 0; k < y->count; k++) {
            t->free[k] = part;
        }
    }
    for (int32_t k = 0; k < y->count; k++) {
        all = all && t->free[k] >= 1;
    }
    return all;
}

td_real tdi_touch_room(const tdi_touch *t, td_real time) {
    int32_t which[2];
    td_real least = tdi_contacts_least(t->set, t->now, time, which);
    if (which[0] == TD_NONE) {
        return 1;
    }
    td_real radius = t->radius[which[0]];
    if (which[1] < t->capsule_count) {
        radius = fmin(radius, t->radius[which[1]]);
    }
    return least / (t->opts.gap * radius);
}

// ---- terms ----------------------------------------------------------------------------------

td_status tdi_touch_evaluate(tdi_touch *t, const tdi_system *y, bool exact, bool carry,
                             td_diag *diag) {
    int32_t count;
    gather(t, y, t->now);
    t->rule.ahead = carry ? 1 - t->time : 0;
    t->rule.exact = exact;
    td_status status = t->exact ? TD_OK : tdi_contacts_find(t->set, t->now, NULL, diag);
    if (t->exact) {
        t->energy = tdi_planes_evaluate(t->set, t->now);
    } else if (status == TD_OK) {
        status = tdi_contacts_evaluate(t->set, t->now, t->time, &t->rule, &t->energy, diag);
    }
    t->coupled = false;
    const tdi_contact *list = tdi_contacts_list(t->set, &count);
    for (int32_t k = 0; status == TD_OK && k < count && !t->coupled; k++) {
        t->coupled = list[k].other < t->capsule_count;
    }
    return status;
}

bool tdi_touch_any(const tdi_touch *t) {
    int32_t count;
    tdi_contacts_list(t->set, &count);
    return count > 0;
}

// The first or the second side of a contact, in the numbers of its body.
static tdi_contact_side side_of(const tdi_touch *t, const tdi_contact *c, int second) {
    const int32_t capsule = second ? c->other : c->capsule, k = t->owner[capsule];
    const td_real sign = second ? -1 : 1;
    tdi_contact_side side = {
        .capsule = capsule - t->first_capsule[k],
        .normal = tdi_scale(c->normal, sign),
        .force = tdi_scale(c->force, sign),
        .hessian = c->hessian,
        .tilt = {c->tilt[second ? 2 : 0], c->tilt[1], c->tilt[second ? 0 : 2]},
        .slide = {tdi_scale(c->slide[second], sign), tdi_scale(c->slide[1 - second], sign)},
        .foreseen = t->rule.ahead > 0};
    for (int e = 0; e < 2; e++) {
        side.point[e] = c->point[2 * second + e] - t->first_point[k];
        side.weight[e] = sign * c->weight[2 * second + e];
    }
    return side;
}

void tdi_touch_expand(const tdi_touch *t, const tdi_system *y) {
    int32_t count;
    const tdi_contact *list = tdi_contacts_list(t->set, &count);
    for (int32_t k = 0; k < count; k++) {
        const tdi_contact *c = &list[k];
        const tdi_member *one = &y->member[t->owner[c->capsule]];
        tdi_contact_side side = side_of(t, c, 0);
        one->ops->add(one->body, &side);
        if (c->other < t->capsule_count) {
            const tdi_member *other = &y->member[t->owner[c->other]];
            side = side_of(t, c, 1);
            other->ops->add(other->body, &side);
        }
    }
}

td_real tdi_touch_value(tdi_touch *t, const tdi_system *y) {
    gather(t, y, t->now);
    return t->exact ? tdi_planes_energy(t->set, t->now)
                    : tdi_contacts_energy(t->set, t->now, t->time, &t->rule);
}

td_real tdi_touch_largest(tdi_touch *t, const tdi_system *y, int32_t member) {
    const int32_t first = t->first_point[member], last = t->first_point[member + 1];
    td_real most = 0;
    tdi_state_moves(y->member[member].ops, y->member[member].body, false, t->moved + first);
    for (int32_t p = first; p < last; p++) {
        const td_real x = tdi_norm(t->moved[p]);
        most = x <= most ? most : x; // keeps what is not a number
    }
    return most;
}

// ---- calm -----------------------------------------------------------------------------------

// Across the force the Hessian of friction is force over speed and h: that gives the speed.
static bool slides_on(const tdi_contact *c, td_vec3 slip, td_real h, td_real creep, td_real least) {
    td_real size = tdi_norm(c->force), across = c->hessian.xx + c->hessian.yy + c->hessian.zz;
    if (size > 0) {
        td_vec3 u = tdi_scale(c->force, 1 / size);
        across -= tdi_dot(u, tdi_sym3_apply(&c->hessian, u));
    }
    td_real speed = fmax(across > 0 ? size / (h * across) : 0, creep);
    return h * across * speed <= least || tdi_norm(slip) <= CALM * h * speed;
}

bool tdi_touch_calm(tdi_touch *t, const tdi_system *y) {
    if (t->exact) {
        return tdi_exact_calm(t, y);
    }
    const td_real least = FAINT * t->rule.force;
    int32_t count;
    const tdi_contact *list = tdi_contacts_list(t->set, &count);
    if (count > 0) {
        gather_moves(t, y, t->moved);
    }
    for (int32_t k = 0; k < count; k++) {
        const tdi_contact *c = &list[k];
        td_vec3 slip = {0, 0, 0};
        for (int e = 0; e < (c->other < t->capsule_count ? 4 : 2); e++) {
            slip = tdi_madd(slip, t->moved[c->point[e]], c->weight[e]);
        }
        td_vec3 change = tdi_sym3_apply(&c->hessian, slip);
        if (c->friction ? !slides_on(c, slip, t->rule.h, t->opts.creep, least)
                        : tdi_norm(change) > CALM * tdi_norm(c->force) + least) {
            return false;
        }
    }
    return true;
}

// ---- conjugate gradients --------------------------------------------------------------------

// Points of all contacts between capsules.
static void find_active(tdi_touch *t) {
    int32_t count;
    const tdi_contact *list = tdi_contacts_list(t->set, &count);
    t->active_count = 0;
    for (int32_t k = 0; k < count; k++) {
        for (int e = 0; list[k].other < t->capsule_count && e < 4; e++) {
            const int32_t p = list[k].point[e];
            if (!t->is_active[p]) {
                t->is_active[p] = true;
                t->active[t->active_count++] = p;
            }
        }
    }
    for (int32_t k = 0; k < t->active_count; k++) {
        t->is_active[t->active[k]] = false;
    }
}

// What the blocks between the two sides of a contact make of a motion x of its points: forces on
// all four, with r_ak of tdi_contact and the sums R_a = sum of r_ak.x_k over the points of the
// other side.
static void couple(const tdi_contact *c, const td_vec3 *x, td_vec3 force[4]) {
    const int32_t *p = c->point;
    const td_real *w = c->weight, *tilt = c->tilt;
    for (int side = 0; side < 2; side++) {
        const int far = 2 - 2 * side, own = 2 * side; // first points of the other side and of this
        td_vec3 other = tdi_madd(tdi_scale(x[p[far]], w[far]), x[p[far + 1]], w[far + 1]);
        td_real turn = tdi_dot(c->normal, tdi_sub(x[p[3 - side * 2]], x[p[2 - side * 2]])),
                sums[2] = {tdi_dot(c->slide[0], other), tdi_dot(c->slide[1], other)};
        sums[1 - side] += side == 0 ? -turn : turn;
        td_real k0 = tilt[0] * sums[0] + tilt[1] * sums[1],
                k1 = tilt[1] * sums[0] + tilt[2] * sums[1];
        td_vec3 straight = tdi_add(tdi_sym3_apply(&c->hessian, other),
                                   tdi_madd(tdi_scale(c->slide[0], k0), c->slide[1], k1));
        td_real across = side == 0 ? -k0 : k1; // on the first point of this side, less on the other
        force[own] = tdi_madd(tdi_scale(straight, w[own]), c->normal, across);
        force[own + 1] = tdi_madd(tdi_scale(straight, w[own + 1]), c->normal, -across);
    }
}

// to += sign C x, with C of all contacts between capsules
static void add_coupling(const tdi_touch *t, const td_vec3 *x, td_real sign, td_vec3 *to) {
    int32_t count;
    const tdi_contact *list = tdi_contacts_list(t->set, &count);
    for (int32_t k = 0; k < count; k++) {
        const tdi_contact *c = &list[k];
        td_vec3 force[4];
        if (c->other < t->capsule_count) {
            couple(c, x, force);
            for (int e = 0; e < 4; e++) {
                to[c->point[e]] = tdi_madd(to[c->point[e]], force[e], sign);
            }
        }
    }
}

static void push_active(const tdi_touch *t, const tdi_system *y, const td_vec3 *f) {
    for (int32_t a = 0; a < t->active_count; a++) {
        const int32_t p = t->active[a], k = t->point_owner[p];
        tdi_state_push(y->member[k].ops, y->member[k].body, p - t->first_point[k], f[p]);
    }
}

// to = J E^-1 J^T f at the active points
static void respond(const tdi_touch *t, const tdi_system *y, const td_vec3 *f, td_vec3 *to) {
    push_active(t, y, f);
    if (tdi_holds_couple(y->holds)) { // E with what constraints couple
        for (int32_t k = 0; k < y->count; k++) {
            tdi_state_respond(y->member[k].ops, y->member[k].body);
        }
        tdi_holds_counter(y->holds, y);
        push_active(t, y, f);
    }
    for (int32_t k = 0; k < y->count; k++) {
        tdi_state_respond(y->member[k].ops, y->member[k].body);
        tdi_state_moves(y->member[k].ops, y->member[k].body, true, to + t->first_point[k]);
    }
}

static td_real dot(const tdi_touch *t, const td_vec3 *a, const td_vec3 *b) {
    td_real sum = 0;
    for (int32_t k = 0; k < t->active_count; k++) {
        sum += tdi_dot(a[t->active[k]], b[t->active[k]]);
    }
    return sum;
}

// With y = J x of the increments so far (moved):
//   g = -C y (rest),  v = W g (answer),  W = J E^-1 J^T
//   s = g + keep s (press),  q = v + keep q (way):  J^T s = E p and q = J p of the direction p
//   part = g.v / q.(s + C q),  F += part s (sum),  g -= part (s + C q)
// and at last x += E^-1 J^T F. The slope changes by -y.F.
bool tdi_touch_solve(tdi_touch *t, const tdi_system *y, td_real *promise, int64_t *steps) {
    find_active(t);
    gather_moves(t, y, t->moved);
    for (int32_t k = 0; k < t->active_count; k++) {
        const int32_t p = t->active[k];
        t->rest[p] = t->press[p] = t->way[p] = t->sum[p] = tdi_vec3(0, 0, 0);
    }
    add_coupling(t, t->moved, -1, t->rest);
    td_real keep = 0, size = 0;
    for (int32_t step = 0; step < CG_STEPS; step++) {
        respond(t, y, t->rest, t->answer);
        td_real next = dot(t, t->rest, t->answer);
        if (!(next > CG_TOLERANCE * CG_TOLERANCE * *promise)) {
            break;
        }
        ++*steps;
        keep = step > 0 ? next / size : 0;
        size = next;
        for (int32_t k = 0; k < t->active_count; k++) {
            const int32_t p = t->active[k];
            t->press[p] = tdi_madd(t->rest[p], t->press[p], keep);
            t->way[p] = tdi_madd(t->answer[p], t->way[p], keep);
            t->answer[p] = t->press[p];
        }
        add_coupling(t, t->way, 1, t->answer); // s + C q
        td_real along = dot(t, t->way, t->answer);
        if (!(along > 0)) {
            return false;
        }
        td_real part = size / along;
        for (int32_t k = 0; k < t->active_count; k++) {
            const int32_t p = t->active[k];
            t->sum[p] = tdi_madd(t->sum[p], t->press[p], part);
            t->rest[p] = tdi_madd(t->rest[p], t->answer[p], -part);
        }
    }
    *promise += dot(t, t->moved, t->sum);
    respond(t, y, t->sum, t->answer);
    for (int32_t k = 0; k < y->count; k++) {
        tdi_state_absorb(y->member[k].ops, y->member[k].body);
    }
    return *promise > 0;
}

// ---- reading --------------------------------------------------------------------------------

static td_contact contact_of(const tdi_touch *t, const tdi_contact *c) {
    const bool collider = c->other >= t->capsule_count;
    td_vec3 axis =
        tdi_madd(tdi_scale(t->now[c->point[0]], c->weight[0]), t->now[c->point[1]], c->weight[1]);
    return (td_contact){.actor = t->owner[c->capsule],
                        .segment = t->segment[c->capsule],
                        .other_actor = collider ? TD_NONE : t->owner[c->other],
                        .other = collider ? c->other - t->capsule_count : t->segment[c->other],
                        .point = tdi_madd(axis, c->normal, -t->radius[c->capsule]),
                        .normal = c->normal,
                        .force = tdi_scale(c->force, -1), // the gradient is against it
                        .gap = c->gap};
}

// Friction comes after all barriers; it is added to that of the same pair and place.
static void add_friction(const tdi_touch *t, const tdi_contact *c, td_contact *contacts,
                         int32_t count) {
    const td_contact own = contact_of(t, c);
    td_contact *best = NULL;
    td_real least = INFINITY;
    for (int32_t k = 0; k < count; k++) {
        td_contact *d = &contacts[k];
        td_real far = tdi_norm(tdi_sub(d->point, own.point));
        if (d->actor == own.actor && d->segment == own.segment && d->other == own.other &&
            d->other_actor == own.other_actor && far < least) {
            best = d;
            least = far;
        }
    }
    if (best) {
        best->force = tdi_add(best->force, own.force);
    }
}

int32_t tdi_touch_contacts(const tdi_touch *t, td_contact *contacts, int32_t capacity) {
    int32_t count = 0, all = 0;
    const tdi_contact *list = t->set ? tdi_contacts_list(t->set, &count) : NULL;
    for (int32_t k = 0; k < count; k++) {
        if (!list[k].friction) {
            if (all < capacity) {
                contacts[all] = contact_of(t, &list[k]);
            }
            all++;
        } else {
            add_friction(t, &list[k], contacts, all < capacity ? all : capacity);
        }
    }
    return all;
}
