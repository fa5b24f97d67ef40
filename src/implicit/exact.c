// SPDX-License-Identifier: MIT
// Exact contact in a step: planes, multipliers, and what has to be found again.
//
// Method   Planes hold what would meet if all went on as it goes, and what is near. Newton's method
//          finds the least value with them; then forces become multipliers, and the whole way of
//          the step is looked at: what something is in the way of gets a plane, and one that did
//          not hold is made anew where it failed. That goes on until nothing changes.

#include "implicit/touch.h"

#include "math/vec3.h"

#include <math.h>
#include <string.h>

#define SWINGS   0.03 // rad: a turn in a step
#define ROUNDING 1e-6 // of values: what multipliers leave open

// Mass over h^2 of a capsule, from what would stop it within a radius and a step.
static td_real stiffness_of(const tdi_touch *t, const tdi_member *m, int32_t k, td_real h) {
    const int32_t first = t->first_capsule[k], count = t->first_capsule[k + 1] - first;
    td_real radius = 0;
    for (int32_t i = first; i < first + count; i++) {
        radius += t->radius[i] / count;
    }
    return count > 0 ? (m->body->ops->force(m->body, m->opts, 1, h) -
                        m->body->ops->force(m->body, m->opts, 0, h)) /
                           radius
                     : 0;
}

// The ways of points and the turns of capsules without forces of contact, as velocities say.
static void ways_of_velocities(tdi_touch *t, const tdi_system *y, td_real h) {
    for (int32_t k = 0; k < y->count; k++) {
        const tdi_member *m = &y->member[k];
        tdi_state_velocities(m->body, tdi_all_nodes(m->body), t->ahead + t->first_point[k]);
        tdi_touch_spins(t, y, k, h);
    }
    for (int32_t p = 0; p < t->point_count; p++) {
        t->ahead[p] = tdi_scale(t->ahead[p], h);
    }
}

// Whether a body that is alone turns by much in the step, and carries parts on arcs, as bodies do
// whose unknowns are not those of points. In an impact it did. In crowds there is always one that
// does, and impacts would be without end.
static bool swings(const tdi_touch *t, const tdi_system *y) {
    const td_body *body = y->member[0].body;
    const bool alone = y->count == 1 && !body->ops->blocks;
    bool any = t->planes.impact;
    for (int32_t i = 0; alone && tdi_state_offers(body, TDI_POINT_ROTATION) && i < t->capsule_count;
         i++) {
        any = any || tdi_norm(t->turning[i]) > SWINGS;
    }
    return any;
}

void tdi_exact_free(tdi_touch *t, const tdi_system *y, bool began) {
    const td_real h = y->member[0].body->rule.h;
    if (began) {
        tdi_touch_gather(y, t->began);
        return;
    }
    tdi_touch_gather(y, t->ahead);
    for (int32_t p = 0; p < t->point_count; p++) { // weight is added where it is asked for
        t->ahead[p] =
            tdi_madd(tdi_sub(t->ahead[p], t->began[p]), y->member[0].opts->gravity, -h * h);
    }
    for (int32_t i = 0; i < t->capsule_count; i++) {
        const tdi_member *m = &y->member[t->owner[i]];
        if (tdi_state_offers(m->body, TDI_POINT_ROTATION)) {
            const tdi_points own = tdi_rotation_of(i - t->first_capsule[t->owner[i]]);
            tdi_state_positions(m->body, own, false, &t->turning[i]);
        }
    }
}

// Forces of the last step on the capsules of each member.
static void recall(tdi_touch *t, const tdi_system *y) {
    for (int32_t k = 0; k < y->count; k++) {
        const int32_t first = t->first_capsule[k], count = t->first_capsule[k + 1] - first;
        const size_t bytes = TDI_PLACES * (size_t)count * sizeof *t->borne;
        if (y->member[k].borne) {
            memcpy(t->borne + TDI_PLACES * first, y->member[k].borne, bytes);
        } else {
            memset(t->borne + TDI_PLACES * first, 0, bytes);
        }
    }
}

void tdi_exact_leave(tdi_touch *t, const tdi_system *y) {
    tdi_planes_leave(t->set, &t->planes, t->borne);
    for (int32_t k = 0; k < y->count; k++) {
        const int32_t first = t->first_capsule[k], count = t->first_capsule[k + 1] - first;
        if (y->member[k].bears) {
            memcpy(y->member[k].bears, t->borne + TDI_PLACES * first,
                   TDI_PLACES * (size_t)count * sizeof *t->borne);
        }
    }
}

static td_real own_value(const tdi_system *y) {
    td_real sum = 0;
    for (int32_t k = 0; k < y->count; k++) {
        sum += y->member[k].body->ops->value(y->member[k].body);
    }
    return sum;
}

td_status tdi_exact_begin(tdi_touch *t, const tdi_system *y, td_real left, td_diag *diag) {
    const td_real h = t->rule.h, look = t->planes.impact ? left : h;
    const td_vec3 gravity = y->member[0].opts->gravity;
    td_real mass = 0;
    bool changed;
    tdi_touch_gather(y, t->began);
    for (int32_t k = 0; k < y->count; k++) {
        t->stiffness[k] = stiffness_of(t, &y->member[k], k, h);
        mass += (t->first_capsule[k + 1] - t->first_capsule[k]) * t->stiffness[k] * h * h;
    }
    if (!t->planes.impact) {
        ways_of_velocities(t, y, h);
    }
    for (int32_t p = 0; p < t->point_count; p++) {
        t->dx[p] = tdi_madd(tdi_scale(t->ahead[p], look / h), gravity, look * look);
    }
    t->unsure = true;
    recall(t, y);
    t->value = own_value(y);
    t->planes = (tdi_plane_rule){.began = t->began,
                                 .history = t->history,
                                 .ahead = t->ahead,
                                 .turning = t->turning,
                                 .h = h,
                                 .whole = t->planes.whole,
                                 .impact = t->planes.impact,
                                 .limp = t->planes.limp,
                                 .swings = swings(t, y),
                                 .driven = tdi_touch_driven(y),
                                 .gravity = gravity,
                                 .group = t->owner,
                                 .stiffness = t->stiffness,
                                 .borne = t->borne,
                                 .weight = mass * tdi_norm(gravity),
                                 .first = true};
    td_status status = tdi_contacts_find(t->set, t->began, t->dx, NULL);
    if (status == TD_ERR_LIMIT) { // all is near on long ways
        memset(t->dx, 0, (size_t)t->point_count * sizeof *t->dx);
        status = tdi_contacts_find(t->set, t->began, NULL, diag);
    }
    status =
        status == TD_OK ? tdi_planes_find(t->set, &t->planes, t->began, t->dx, &changed) : status;
    t->planes.first = false;
    return status;
}

bool tdi_exact_missed(const tdi_touch *t, const tdi_system *y) {
    const td_body *head = y->member[0].body;
    return t->exact && !head->rule.has_impact && tdi_planes_count(t->set) > 0;
}

bool tdi_exact_bounces(const tdi_touch *t) {
    return t->exact && tdi_planes_bounce(t->set);
}

// With forces g of contact the pose x is a least value of V - g.u, u linear in x. So is no other
// pose less, in the same valley, and V(x) - V(x_0) <= g.(u - u_0).
bool tdi_exact_fell(tdi_touch *t, const tdi_system *y) {
    if (t->planes.driven) { // not all can stay where it began
        return true;
    }
    tdi_touch_gather_pose(y);
    const td_real work = tdi_planes_work(t->set, &t->planes, (tdi_plane_pose){t->now, t->turned}),
                  value = own_value(y);
    return value - t->value <= work + ROUNDING * (fabs(value) + fabs(t->value) + fabs(work));
}

bool tdi_exact_calm(tdi_touch *t, const tdi_system *y) {
    tdi_touch_gather_moves(y, t->moved);
    tdi_touch_gather_pose(y);
    return tdi_planes_calm(t->set, &t->planes, (tdi_plane_pose){t->now, t->turned},
                           (tdi_plane_pose){t->moved, t->moved + t->point_count});
}

td_status tdi_exact_refine(tdi_touch *t, const tdi_system *y, bool *done) {
    td_status status = TD_OK;
    bool changed = false;
    tdi_touch_gather_pose(y);
    *done = tdi_planes_update(t->set, &t->planes, (tdi_plane_pose){t->now, t->turned});
    if (t->unsure || *done) {
        for (int32_t p = 0; p < t->point_count; p++) {
            t->dx[p] = tdi_sub(t->now[p], t->began[p]);
        }
        status = tdi_contacts_find(t->set, t->began, t->dx, NULL);
        status = status == TD_OK ? tdi_planes_find(t->set, &t->planes, t->began, t->dx, &changed)
                                 : status;
        t->unsure = changed;
        *done = *done && !changed;
    }
    if (*done) {
        *done = !tdi_planes_part(t->set, &t->planes, (tdi_plane_pose){t->now, t->turned});
    }
    return status;
}
