// SPDX-License-Identifier: MIT
// Exact contact in a step: planes and multipliers.
//
// Method   A step begins with planes for near pairs and for pairs that would meet with the present
//          velocities. Newton's method finds the least value with these planes. Then forces become
//          multipliers, and the path of the whole step is tested: pairs that meet get a plane, and
//          a plane that a pair passed is replaced. This repeats until nothing changes.

#include "implicit/constants.h"
#include "implicit/body_contact.h"
#include "implicit/newton.h"

#include "math/vec3.h"

#include <math.h>
#include <string.h>

// Mass over h^2 of a capsule, from the force that stops it within a radius and a step.
td_real tdi_capsule_stiffness(const tdi_body_contact *t, const tdi_member *m, int32_t k,
                              td_real h) {
    const int32_t first = t->first_capsule[k], count = t->first_capsule[k + 1] - first;
    td_real radius = 0;
    for (int32_t i = first; i < first + count; i++) {
        radius += t->capsule[i].radius / count;
    }
    return count > 0 ? (m->body->ops->contact->force(m->body, m->opts, 1, h) -
                        m->body->ops->contact->force(m->body, m->opts, 0, h)) /
                           radius
                     : 0;
}

// Displacements of points and rotations of capsules by the present velocities.
static void paths_of_velocities(tdi_body_contact *t, const tdi_system *y, td_real h) {
    for (int32_t k = 0; k < y->count; k++) {
        const tdi_member *m = &y->member[k];
        tdi_state_velocities(m->body, tdi_all_nodes(m->body),
                             t->exact_step.free_path + t->first_point[k]);
        tdi_body_contact_spins(t, y, k, h);
    }
    for (int32_t p = 0; p < t->point_count; p++) {
        t->exact_step.free_path[p] = tdi_scale(t->exact_step.free_path[p], h);
    }
}

// Whether a single body rotates by much in the step while its unknowns are not those of points, so
// that its parts move on arcs. In an impact it did. Not for several bodies: some always rotate, and
// impacts would never end.
static bool has_fast_joints(const tdi_body_contact *t, const tdi_system *y) {
    const td_body *body = y->member[0].body;
    const bool alone = y->count == 1 && !body->ops->blocks;
    bool any = t->exact_step.rule.impact;
    for (int32_t i = 0; alone && tdi_state_offers(body, TDI_POINT_ROTATION) && i < t->capsule_count;
         i++) {
        any = any || tdi_norm(t->free_turn[i]) > TDI_SMALL_STEP;
    }
    return any;
}

void tdi_exact_free(tdi_body_contact *t, const tdi_system *y, bool began) {
    const td_real h = y->member[0].body->rule.h;
    if (began) {
        tdi_body_contact_gather(y, t->began);
        return;
    }
    tdi_body_contact_gather(y, t->exact_step.free_path);
    for (int32_t p = 0; p < t->point_count; p++) { // tdi_exact_begin() adds the weight
        t->exact_step.free_path[p] = tdi_madd(tdi_sub(t->exact_step.free_path[p], t->began[p]),
                                              y->member[0].opts->gravity, -h * h);
    }
    for (int32_t i = 0; i < t->capsule_count; i++) {
        const tdi_member *m = &y->member[t->owner[i]];
        if (tdi_state_offers(m->body, TDI_POINT_ROTATION)) {
            const tdi_points own = tdi_rotation_of(i - t->first_capsule[t->owner[i]]);
            tdi_state_positions(m->body, own, false, &t->free_turn[i]);
        }
    }
}

// Forces of the last step on the capsules of each member: a warm start.
static void read_warm_start(tdi_body_contact *t, const tdi_system *y) {
    for (int32_t k = 0; k < y->count; k++) {
        const int32_t first = t->first_capsule[k], count = t->first_capsule[k + 1] - first;
        const size_t bytes = TDI_CONTACT_POINTS * (size_t)count * sizeof *t->exact_step.last_force;
        if (y->member[k].warm_start) {
            memcpy(t->exact_step.last_force + TDI_CONTACT_POINTS * first, y->member[k].warm_start,
                   bytes);
        } else {
            memset(t->exact_step.last_force + TDI_CONTACT_POINTS * first, 0, bytes);
        }
    }
}

void tdi_exact_save_forces(tdi_body_contact *t, const tdi_system *y) {
    tdi_planes_save_forces(t->set, &t->exact_step.rule, t->exact_step.last_force);
    for (int32_t k = 0; k < y->count; k++) {
        const int32_t first = t->first_capsule[k], count = t->first_capsule[k + 1] - first;
        if (y->member[k].contact_forces) {
            memcpy(y->member[k].contact_forces,
                   t->exact_step.last_force + TDI_CONTACT_POINTS * first,
                   TDI_CONTACT_POINTS * (size_t)count * sizeof *t->exact_step.last_force);
        }
    }
}

td_real tdi_system_own_value(const tdi_system *y) {
    td_real sum = 0;
    for (int32_t k = 0; k < y->count; k++) {
        sum += y->member[k].body->ops->value(y->member[k].body, false);
    }
    return sum;
}

td_status tdi_exact_begin(tdi_body_contact *t, const tdi_system *y, td_real left, td_diag *diag) {
    const td_real h = t->terms.rule.h, horizon = t->exact_step.rule.impact ? left : h;
    const td_vec3 gravity = y->member[0].opts->gravity;
    td_real mass = 0;
    bool changed;
    tdi_body_contact_gather(y, t->began);
    for (int32_t k = 0; k < y->count; k++) {
        t->exact_step.stiffness[k] = tdi_capsule_stiffness(t, &y->member[k], k, h);
        mass +=
            (t->first_capsule[k + 1] - t->first_capsule[k]) * t->exact_step.stiffness[k] * h * h;
    }
    if (!t->exact_step.rule.impact) {
        paths_of_velocities(t, y, h);
    }
    for (int32_t p = 0; p < t->point_count; p++) {
        t->dx[p] = tdi_madd(tdi_scale(t->exact_step.free_path[p], horizon / h), gravity,
                            horizon * horizon);
    }
    t->exact_step.planes_changed = true;
    read_warm_start(t, y);
    t->exact_step.value_began = tdi_system_own_value(y);
    t->exact_step.rule = (tdi_plane_rule){.began = t->began,
                                          .history = t->history,
                                          .ahead = t->exact_step.free_path,
                                          .turning = t->free_turn,
                                          .h = h,
                                          .whole = t->exact_step.rule.whole,
                                          .impact = t->exact_step.rule.impact,
                                          .no_restitution = t->exact_step.rule.no_restitution,
                                          .fast_joints = has_fast_joints(t, y),
                                          .driven = tdi_body_contact_driven(y),
                                          .gravity = gravity,
                                          .group = t->owner,
                                          .stiffness = t->exact_step.stiffness,
                                          .warm_start = t->exact_step.last_force,
                                          .weight = mass * tdi_norm(gravity),
                                          .first = true};
    td_status status = tdi_contacts_find(t->set, t->began, t->dx, NULL);
    if (status == TD_ERR_LIMIT) { // everything is near on long paths
        memset(t->dx, 0, (size_t)t->point_count * sizeof *t->dx);
        status = tdi_contacts_find(t->set, t->began, NULL, diag);
    }
    status = status == TD_OK
                 ? tdi_planes_find(t->set, &t->exact_step.rule, t->began, t->dx, &changed)
                 : status;
    t->exact_step.rule.first = false;
    return status;
}

bool tdi_exact_has_new_contacts(const tdi_body_contact *t, const tdi_system *y) {
    const td_body *head = y->member[0].body;
    return t->exact_step.used && !head->rule.has_impact && tdi_planes_count(t->set) > 0;
}

bool tdi_exact_bounces(const tdi_body_contact *t) {
    return t->exact_step.used && tdi_planes_bounce(t->set);
}

// With contact forces g the pose x minimises V - g.u, u linear in x, in its valley. If the start
// x_0 lies in the same valley, V(x) - V(x_0) <= g.(u - u_0).
bool tdi_exact_value_is_bounded(tdi_body_contact *t, const tdi_system *y) {
    if (t->exact_step.rule.driven) { // the start is not a possible pose
        return true;
    }
    tdi_body_contact_gather_pose(y);
    const td_real work = tdi_planes_work(t->set, &t->exact_step.rule,
                                         (tdi_plane_pose){t->now, t->turned}) +
                         tdi_pushes_value(t, t->began) - tdi_pushes_value(t, t->now),
                  value = tdi_system_own_value(y);
    return value - t->exact_step.value_began <=
           work + TDI_VALUE_LEFT * (fabs(value) + fabs(t->exact_step.value_began) + fabs(work));
}

bool tdi_exact_is_steady(tdi_body_contact *t, const tdi_system *y) {
    tdi_body_contact_gather_moves(y, t->motion);
    tdi_body_contact_gather_pose(y);
    return tdi_planes_are_steady(t->set, &t->exact_step.rule, (tdi_plane_pose){t->now, t->turned},
                                 (tdi_plane_pose){t->motion, t->motion + t->point_count});
}

td_status tdi_exact_refine(tdi_body_contact *t, const tdi_system *y, bool *done) {
    td_status status = TD_OK;
    bool changed = false;
    tdi_body_contact_gather_pose(y);
    *done = tdi_planes_update(t->set, &t->exact_step.rule, (tdi_plane_pose){t->now, t->turned});
    if (t->exact_step.planes_changed || *done) {
        for (int32_t p = 0; p < t->point_count; p++) {
            t->dx[p] = tdi_sub(t->now[p], t->began[p]);
        }
        status = tdi_contacts_find(t->set, t->began, t->dx, NULL);
        status = status == TD_OK
                     ? tdi_planes_find(t->set, &t->exact_step.rule, t->began, t->dx, &changed)
                     : status;
        t->exact_step.planes_changed = changed;
        *done = *done && !changed;
    }
    if (*done) {
        *done =
            !tdi_planes_separate(t->set, &t->exact_step.rule, (tdi_plane_pose){t->now, t->turned});
    }
    return status;
}
