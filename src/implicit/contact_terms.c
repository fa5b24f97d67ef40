// SPDX-License-Identifier: MIT
// Contact of the bodies of a system: value, gradient and Hessian, and whether forces changed.

#include "implicit/body_contact.h"
#include "implicit/newton.h"

#include "math/vec3.h"

#include <math.h>
#include <string.h>

#define STEADY 0.1  // of a force, or of a speed: changes by less than this are small
#define FAINT  0.01 // of the largest force of contact: smaller ones are ignored

// ---- terms ----------------------------------------------------------------------------------

td_status tdi_body_contact_evaluate(tdi_body_contact *t, const tdi_system *y, bool exact_hessian,
                                    bool with_driven, td_diag *diag) {
    int32_t count;
    tdi_body_contact_gather_pose(y);
    t->terms.rule.ahead = with_driven ? 1 - t->time : 0;
    t->terms.rule.exact_hessian = exact_hessian;
    td_status status = t->exact_step.used || t->search.covers_path
                           ? TD_OK
                           : tdi_contacts_find(t->set, t->now, NULL, diag);
    if (t->exact_step.used) {
        t->terms.energy = tdi_planes_evaluate(t->set, (tdi_plane_pose){t->now, t->turned});
    } else if (status == TD_OK) {
        status =
            tdi_contacts_evaluate(t->set, t->now, t->time, &t->terms.rule, &t->terms.energy, diag);
        status = status == TD_ERR_DIVERGED ? tdi_body_contact_overlap_error(t, y, diag) : status;
    }
    if (status == TD_OK && !tdi_pushes_add(t)) {
        return tdi_body_contact_no_room(t, diag);
    }
    t->terms.energy += tdi_pushes_value(t, t->now);
    t->terms.couples_capsules = false;
    t->terms.largest_force = 0;
    const tdi_contact *list = tdi_contacts_list(t->set, &count);
    for (int32_t k = 0; status == TD_OK && k < count; k++) {
        t->terms.couples_capsules = t->terms.couples_capsules || tdi_contact_couples(t, &list[k]);
        t->terms.largest_force = fmax(t->terms.largest_force, tdi_norm(list[k].force));
    }
    t->memory.lacks = t->memory.lacks || (t->terms.couples_capsules && !t->memory.couples);
    return t->memory.lacks ? tdi_body_contact_no_room(t, diag) : status;
}

bool tdi_body_contact_any(const tdi_body_contact *t) {
    int32_t count;
    tdi_contacts_list(t->set, &count);
    return count > 0;
}

// Until prescribed motions reach their end, most of the force is due to the remaining motion, and
// has no lever arms yet.
static tdi_geometric_part geometric_of(const tdi_body_contact *t) {
    return t->terms.rule.ahead > 0 ? TDI_GEOMETRIC_NONE : TDI_GEOMETRIC_ALL;
}

tdi_point tdi_contact_point(const tdi_body_contact *t, const tdi_contact *c, int side) {
    const int32_t capsule = side ? c->row.other : c->row.capsule;
    const td_real down = side ? c->row.arm[1] : -c->row.arm[0];
    return (tdi_point){.kind = c->rolling ? TDI_POINT_ROTATION : TDI_POINT_SURFACE,
                       .segment = capsule - t->first_capsule[t->owner[capsule]],
                       .local.x = side ? -c->row.weight[3] : c->row.weight[1],
                       .arm = tdi_scale(c->row.normal, down)};
}

// One side of a contact, if it is that of a member. Rolling resistance acts on rotations alone: the
// surface slips by w x arm of the rotation w.
static void add_side(const tdi_system *y, const tdi_contact *c, int which, int32_t member) {
    const tdi_body_contact *t = y->contact;
    const int32_t capsule = which ? c->row.other : c->row.capsule;
    if (capsule >= t->capsule_count || t->owner[capsule] != member) {
        return;
    }
    const td_real sign = which ? -1 : 1, *k = c->tilt;
    const tdi_point point = tdi_contact_point(t, c, which);
    const tdi_tilt tilt = {
        .normal = tdi_scale(c->row.normal, sign),
        .slide = {tdi_scale(c->slide[which], sign), tdi_scale(c->slide[1 - which], sign)},
        .weight = {k[which ? 2 : 0], k[1], k[which ? 0 : 2]}};
    tdi_side_terms side = {.point = &point,
                           .gradient = tdi_scale(c->force, sign),
                           .hessian = c->hessian,
                           .geometric = geometric_of(t),
                           .tilt = k[0] != 0 || k[1] != 0 || k[2] != 0 ? &tilt : NULL};
    if (c->rolling) {
        const tdi_mat3 across = tdi_mat3_cross(point.arm);
        side.gradient = tdi_cross(point.arm, side.gradient);
        side.hessian = tdi_sym3_turn(&across, &c->hessian);
    }
    y->member[member].body->ops->add_stiffness(y->member[member].body, &side);
}

void tdi_body_contact_add_stiffness_of(const tdi_system *y, const tdi_contacts *set,
                                       int32_t member) {
    int32_t count;
    const tdi_contact *list = tdi_contacts_list(set, &count);
    for (int32_t k = 0; k < count; k++) {
        add_side(y, &list[k], 0, member);
        add_side(y, &list[k], 1, member);
    }
}

// Contacts are sorted by members.
static void expand_turn(void *context, int64_t member) {
    const tdi_system *y = context;
    int32_t count, all;
    const tdi_contact *list = tdi_contacts_list(y->contact->set, &all);
    const int32_t *own = tdi_contacts_of(y->contact->set, (int32_t)member, &count);
    for (int32_t k = 0; k < count && !tdi_is_idle(y, (int32_t)member); k++) {
        add_side(y, &list[own[k]], 0, (int32_t)member);
        add_side(y, &list[own[k]], 1, (int32_t)member);
    }
}

void tdi_body_contact_add_stiffness(const tdi_system *y) {
    tdi_contacts_sort(y->contact->set, y->contact->owner, y->count);
    tdi_system_each(y, expand_turn, (void *)y);
}

td_real tdi_body_contact_value(tdi_body_contact *t, const tdi_system *y) {
    tdi_body_contact_gather_pose(y);
    return tdi_pushes_value(t, t->now) +
           (t->exact_step.used ? tdi_planes_energy(t->set, (tdi_plane_pose){t->now, t->turned})
                               : tdi_contacts_energy(t->set, t->now, t->time, &t->terms.rule));
}

td_real tdi_body_contact_largest(tdi_body_contact *t, const tdi_system *y, int32_t member) {
    const int32_t first = t->first_point[member], last = t->first_point[member + 1];
    td_real most = 0;
    tdi_state_motions(y->member[member].body, tdi_nodes(0, last - first), false, t->motion + first);
    for (int32_t p = first; p < last; p++) {
        const td_real x = tdi_norm(t->motion[p]);
        most = x <= most ? most : x; // keeps NaN
    }
    return most;
}

// ---- steady ---------------------------------------------------------------------------------

// Across the force the Hessian of friction is force over speed and h: that gives the speed.
static bool slides_on(const tdi_contact *c, td_vec3 slip, td_real h, td_real creep, td_real least) {
    td_real size = tdi_norm(c->force), across = c->hessian.xx + c->hessian.yy + c->hessian.zz;
    if (size > 0) {
        td_vec3 u = tdi_scale(c->force, 1 / size);
        across -= tdi_dot(u, tdi_sym3_apply(&c->hessian, u));
    }
    td_real speed = fmax(across > 0 ? size / (h * across) : 0, creep);
    return h * across * speed <= least || tdi_norm(slip) <= STEADY * h * speed;
}

bool tdi_contact_is_steady(const tdi_body_contact *t, const tdi_contact *c) {
    const td_real least = FAINT * t->terms.largest_force;
    const td_vec3 slip = tdi_rows_displacement(&c->row, t->motion, t->motion + t->point_count);
    const td_vec3 change = tdi_sym3_apply(&c->hessian, slip);
    return c->friction ? slides_on(c, slip, t->terms.rule.h, t->opts.creep, least)
                       : tdi_norm(change) <= STEADY * tdi_norm(c->force) + least;
}

bool tdi_body_contact_is_steady(tdi_body_contact *t, const tdi_system *y) {
    if (t->exact_step.used) {
        return tdi_exact_is_steady(t, y);
    }
    int32_t count;
    const tdi_contact *list = tdi_contacts_list(t->set, &count);
    bool all_steady = true;
    if (count > 0) {
        tdi_body_contact_gather_moves(y, t->motion);
        tdi_contacts_mark_reversed(t->set, t->x, t->motion, &t->terms.rule);
    }
    for (int32_t k = 0; k < count && all_steady; k++) {
        all_steady = tdi_contact_is_steady(t, &list[k]);
    }
    return all_steady;
}
