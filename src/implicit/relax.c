// SPDX-License-Identifier: MIT
// Nonlinear Gauss-Seidel over members, before Newton's method moves all of them at once.
//
// Method   An increment of all members ends where the first two of them meet, so that contacts
//          would be found one after the other. Therefore each member first takes a few increments
//          by itself, with the others fixed, as far as its own contacts allow. The value of the
//          system falls with its own. Newton's method then finds the forces between members.
//          Members that cannot meet are moved at the same time, on all threads.
// Pairs    are searched for once. They are valid while every point stays in a box around its path
//          to the guess.

#include "implicit/constants.h"
#include "implicit/newton.h"
#include "implicit/body_contact.h"

#include "math/vec3.h"

#include <math.h>
#include <string.h>

#define MOST  4    // increments of a member: more cost as much as they save
#define SMALL 1e-4 // rad or m: an increment below this is the last
#define CLOSE 0.05 // of the radius: members nearer to their aim are not moved

typedef struct relaxing {
    const tdi_system *system;
    tdi_body_contact *t;
    tdi_contacts *own; // of the member
    int32_t member;    // that moves
    td_real energy;    // of its contacts, where they were evaluated
} relaxing;

// ---- one member -----------------------------------------------------------------------------

static void place(const relaxing *r, td_real fraction) {
    const tdi_member *m = &r->system->member[r->member];
    tdi_state_try(m->body, fraction);
    tdi_body_contact_gather_of(r->system, r->member);
}

// Increments of the member alone, with a positive model of its contacts. False: there are none.
static bool solve(relaxing *r, td_real *predicted_decrease, td_real *largest) {
    const tdi_body_contact *t = r->t;
    const tdi_member *m = &r->system->member[r->member];
    const tdi_model model = {.raise = true, .keep_factors = true};
    tdi_contact_rule rule = t->terms.rule;
    rule.exact_hessian = false;
    if (tdi_contacts_evaluate(r->own, t->now, t->time, &rule, &r->energy, NULL) != TD_OK) {
        return false;
    }
    if (m->body->ops->clear) {
        m->body->ops->clear(m->body);
    }
    tdi_body_contact_add_stiffness_of(r->system, r->own, r->member);
    *predicted_decrease = 0;
    if (m->body->ops->factor(m->body, &model) == TDI_NOT_POSITIVE) {
        return false;
    }
    *largest = m->body->ops->solve(m->body, (tdi_solving){0}, predicted_decrease);
    return isfinite(*largest);
}

// The free fraction of the increments, at whose end the member is.
static td_real free_part(const relaxing *r) {
    tdi_body_contact *t = r->t;
    td_real part = 1;
    for (int32_t p = t->first_point[r->member]; p < t->first_point[r->member + 1]; p++) {
        t->dx[p] = tdi_sub(t->now[p], t->x[p]);
        part = fmin(part, tdi_contacts_part_in_box(t->set, p, t->x[p], t->dx[p]));
    }
    for (int32_t p = t->first_point[r->member]; p < t->first_point[r->member + 1]; p++) {
        t->dx[p] = tdi_scale(t->dx[p], part);
    }
    return part * tdi_contacts_free_trial(r->own, t->x, t->dx, t->time);
}

// One increment: how far the member moved.
static td_real move(relaxing *r) {
    tdi_body_contact *t = r->t;
    const tdi_member *m = &r->system->member[r->member];
    const int32_t first = t->first_point[r->member], count = t->first_point[r->member + 1] - first;
    td_real predicted_decrease, largest;
    if (!solve(r, &predicted_decrease, &largest)) {
        return 0;
    }
    tdi_state_keep(m->body);
    const td_real value = r->energy + m->body->ops->value(m->body, true);
    place(r, 1);
    td_real fraction = free_part(r);
    memset(t->dx + first, 0, (size_t)count * sizeof *t->dx);
    for (int32_t k = 0; k < TDI_MOST_HALVINGS && fraction > 0; k++) {
        place(r, fraction);
        if (m->body->ops->value(m->body, false) +
                tdi_contacts_energy(r->own, t->now, t->time, &t->terms.rule) <=
            value - TDI_SUFFICIENT_DECREASE * fraction * predicted_decrease) {
            memcpy(t->x + first, t->now + first, (size_t)count * sizeof *t->x);
            return fraction * largest;
        }
        fraction *= 0.5;
    }
    place(r, 0);
    return 0;
}

// ---- all ------------------------------------------------------------------------------------

static bool can_relax(const tdi_system *y) {
    const tdi_body_contact *t = y->contact;
    bool all = t->set && y->count > 1 && !t->exact_step.used && !y->constraints && t->time >= 1;
    for (int32_t k = 0; k < y->count && all; k++) {
        const tdi_traits *has = &y->member[k].body->ops->traits;
        const td_body *head = y->member[k].body;
        all = has->straight && head->dependent_count == 0 && has->keeps_value &&
              !y->member[k].without_contact;
    }
    return all;
}

// Whether a member is away from its aim.
static bool goes(const tdi_body_contact *t, const td_vec3 *aim, int32_t member) {
    const int32_t first = t->first_capsule[member];
    const td_real near =
        first < t->first_capsule[member + 1] ? CLOSE * t->capsule[first].radius : 0;
    bool any = false;
    for (int32_t p = t->first_point[member]; p < t->first_point[member + 1] && !any; p++) {
        const td_vec3 displacement = tdi_sub(aim[p], t->now[p]);
        any = tdi_dot(displacement, displacement) > near * near;
    }
    return any;
}

static void member_turn(void *context, tdi_contacts *own, int32_t member) {
    const tdi_system *y = context;
    relaxing r = {.system = y, .t = y->contact, .own = own, .member = member};
    for (int32_t n = 0; n < MOST && move(&r) > SMALL; n++) {}
}

void tdi_relax(const tdi_system *y, const td_vec3 *aim) {
    tdi_body_contact *t = y->contact;
    if (!can_relax(y)) {
        return;
    }
    tdi_body_contact_gather_pose(y);
    for (int32_t p = 0; p < t->point_count; p++) {
        t->dx[p] = tdi_sub(aim[p], t->now[p]);
    }
    t->search.covers_path = false;
    if (tdi_contacts_find_independent(t->set, t->now, t->dx, NULL) != TD_OK) {
        return;
    }
    memcpy(t->x, t->now, (size_t)t->point_count * sizeof *t->x);
    memset(t->dx, 0, (size_t)t->point_count * sizeof *t->dx);
    for (int32_t k = 0; k < y->count; k++) {
        t->search.moves_alone[k] = !tdi_is_idle(y, k) && goes(t, aim, k);
    }
    tdi_contacts_each_group(t->set, t->owner, t->search.moves_alone, y->count, member_turn,
                            (void *)y);
}
