// SPDX-License-Identifier: MIT
// The coupled solve by conjugate gradients, for bodies of any solver.
//
// Blocks    the terms of a contact on one capsule go into the factors of its body. The terms
//           between two capsules, C, couples the bodies: the increments solve
//             (E + J^T C J) x = -r,
//           E being what the bodies factored and J x the motion of their points. Where all
//           bodies that touch offer blocks, one factor serves (coupled.h). Else conjugate
//           gradients, preconditioned by E, start at x = -E^-1 r. All their residuals are J^T g and
//           all their directions E^-1 J^T s with forces g, s at the points that touch, so that the
//           iteration lives on those points; a product with J E^-1 J^T is one response of each
//           body. Turns of capsules by friction count as points, and moments on them as forces.

#include "implicit/constants.h"
#include "implicit/constraint.h"
#include "implicit/body_contact.h"
#include "math/vec3.h"

#define CG_STEPS     400  // at most; the next increment solves the rest
#define CG_TOLERANCE 1e-3 // of the increments, in the norm of the factored part
#define CG_CHARGE    15   // steps as costly as the rest of an iteration: 10 (trees) to 17 (helices)

static void activate(tdi_body_contact *t, int32_t p) {
    if (!t->gradients.is_active[p]) {
        t->gradients.is_active[p] = true;
        t->gradients.active[t->gradients.active_count++] = p;
    }
}

// The turns of the two sides, counted after all points.
static int32_t turn_of(const tdi_body_contact *t, const tdi_contact *c, int side) {
    return t->point_count + (side ? c->row.other : c->row.capsule);
}

// Points of all contacts between capsules, and turns of those capsules.
static void find_active(tdi_body_contact *t) {
    int32_t count;
    const tdi_contact *list = tdi_contacts_list(t->set, &count);
    t->gradients.active_count = 0;
    for (int32_t k = 0; k < count; k++) {
        const tdi_contact *c = &list[k];
        for (int e = 0; tdi_contact_couples(t, c) && e < 4; e++) {
            activate(t, c->row.point[e]);
        }
        for (int side = 0; tdi_contact_couples(t, c) && side < 2; side++) {
            if (c->row.arm[side] != 0) {
                activate(t, turn_of(t, c, side));
            }
        }
    }
    for (int32_t k = 0; k < t->gradients.active_count; k++) {
        t->gradients.is_active[t->gradients.active[k]] = false;
    }
}

// What the blocks between the two sides of a contact make of a motion x of its points: forces on
// all four, with r_ak of tdi_contact and the sums R_a = sum of r_ak.x_k over the points of the
// other side.
static void couple(const tdi_contact *c, const td_vec3 *x, td_vec3 force[4]) {
    const int32_t *p = c->row.point;
    const td_real *w = c->row.weight, *tilt = c->tilt;
    for (int side = 0; side < 2; side++) {
        const int own = 2 * side; // first point of this side
        td_vec3 other = tdi_rows_side(&c->row, 1 - side, x);
        td_real turn = tdi_dot(c->row.normal, tdi_sub(x[p[3 - side * 2]], x[p[2 - side * 2]])),
                sums[2] = {tdi_dot(c->slide[0], other), tdi_dot(c->slide[1], other)};
        sums[1 - side] += side == 0 ? -turn : turn;
        td_real k0 = tilt[0] * sums[0] + tilt[1] * sums[1],
                k1 = tilt[1] * sums[0] + tilt[2] * sums[1];
        td_vec3 straight = tdi_add(tdi_sym3_apply(&c->hessian, other),
                                   tdi_madd(tdi_scale(c->slide[0], k0), c->slide[1], k1));
        td_real across = side == 0 ? -k0 : k1; // on the first point of this side, less on the other
        force[own] = tdi_madd(tdi_scale(straight, w[own]), c->row.normal, across);
        force[own + 1] = tdi_madd(tdi_scale(straight, w[own + 1]), c->row.normal, -across);
    }
}

// The same of friction, with moments on the turns w_0, w_1: with the slip u of the other side,
//   force H u, moment arm (H u) x n
static void couple_turns(const tdi_body_contact *t, const tdi_contact *c, const td_vec3 *x,
                         td_real sign, td_vec3 *to) {
    const td_vec3 *turns = x + t->point_count;
    td_vec3 slip[2];
    for (int side = 0; side < 2; side++) {
        const int32_t i = side ? c->row.other : c->row.capsule;
        slip[side] = tdi_rows_side(&c->row, side, x);
        if (c->row.arm[side] != 0) {
            slip[side] = tdi_madd(slip[side], tdi_cross(c->row.normal, turns[i]), c->row.arm[side]);
        }
    }
    for (int side = 0; side < 2; side++) {
        const td_vec3 force = tdi_scale(tdi_sym3_apply(&c->hessian, slip[1 - side]), sign);
        tdi_rows_add_forces(&c->row, side, force, to, to + t->point_count);
    }
}

// to += sign C x, with C of all contacts between capsules
static void add_coupling(const tdi_body_contact *t, const td_vec3 *x, td_real sign, td_vec3 *to) {
    int32_t count;
    const tdi_contact *list = tdi_contacts_list(t->set, &count);
    for (int32_t k = 0; k < count; k++) {
        const tdi_contact *c = &list[k];
        td_vec3 force[4];
        if (tdi_contact_couples(t, c) && (c->row.arm[0] != 0 || c->row.arm[1] != 0)) {
            couple_turns(t, c, x, sign, to);
        } else if (tdi_contact_couples(t, c)) {
            couple(c, x, force);
            for (int e = 0; e < 4; e++) {
                to[c->row.point[e]] = tdi_madd(to[c->row.point[e]], force[e], sign);
            }
        }
    }
}

static bool is_constrained(const td_body *body) {
    return body->coupling.constraints && body->coupling.constraints->solve.system;
}

// Applies the forces f to members with coupled constraints, or to members that solve for their
// increments without the coupled system.
static void push_active(const tdi_body_contact *t, const tdi_system *y, bool constrained,
                        const td_vec3 *f) {
    for (int32_t a = 0; a < t->gradients.active_count; a++) {
        const int32_t p = t->gradients.active[a], i = p - t->point_count;
        const int32_t k = i < 0 ? t->point_owner[p] : t->owner[i];
        const tdi_member *m = &y->member[k];
        if (constrained ? is_constrained(m->body) : !tdi_is_coupled(m->body)) {
            tdi_state_apply_forces(m->body,
                                   i < 0 ? tdi_nodes(p - t->first_point[k], 1)
                                         : tdi_rotation_of(i - t->first_capsule[k]),
                                   &f[p]);
        }
    }
}

static void read_turns(const tdi_body_contact *t, const tdi_system *y, td_vec3 *to) {
    for (int32_t a = 0; a < t->gradients.active_count; a++) {
        const int32_t p = t->gradients.active[a], i = p - t->point_count;
        if (i >= 0) {
            const tdi_member *m = &y->member[t->owner[i]];
            const tdi_points own = tdi_rotation_of(i - t->first_capsule[t->owner[i]]);
            tdi_state_motions(m->body, own, true, &to[p]);
        }
    }
}

// to = J E^-1 J^T f at the active points
static void respond(const tdi_body_contact *t, const tdi_system *y, const td_vec3 *f, td_vec3 *to) {
    if (tdi_coupled_any(y)) { // E with what constraints couple
        push_active(t, y, true, f);
        tdi_coupled_respond(y);
    }
    push_active(t, y, false, f);
    for (int32_t k = 0; k < y->count; k++) {
        td_body *body = y->member[k].body;
        if (!tdi_is_coupled(body)) {
            tdi_state_respond(body);
        }
        tdi_state_motions(body, tdi_all_nodes(body), true, to + t->first_point[k]);
    }
    read_turns(t, y, to);
}

static td_real dot(const tdi_body_contact *t, const td_vec3 *a, const td_vec3 *b) {
    td_real sum = 0;
    for (int32_t k = 0; k < t->gradients.active_count; k++) {
        sum += tdi_dot(a[t->gradients.active[k]], b[t->gradients.active[k]]);
    }
    return sum;
}

// Whether the budget allows a step. Increments are descent directions after any number of steps.
static bool may_go_on(const tdi_system *y, int32_t step) {
    return step == 0 || step % CG_CHARGE > 0 || tdi_budget_take(y->budget);
}

// With y = J x of the increments so far (moved):
//   g = -C y (rest),  v = W g (answer),  W = J E^-1 J^T
//   s = g + keep s (press),  q = v + keep q (way):  J^T s = E p and q = J p of the direction p
//   part = g.v / q.(s + C q),  F += part s (sum),  g -= part (s + C q)
// and at last x += E^-1 J^T F. The slope changes by -y.F.
bool tdi_conjugate_gradients_solve(tdi_body_contact *t, const tdi_system *y,
                                   td_real *predicted_decrease, int64_t *steps) {
    find_active(t);
    tdi_body_contact_gather_moves(y, t->motion);
    for (int32_t k = 0; k < t->gradients.active_count; k++) {
        const int32_t p = t->gradients.active[k];
        t->gradients.residual[p] = t->gradients.force[p] = t->gradients.direction[p] =
            t->gradients.total[p] = tdi_vec3(0, 0, 0);
    }
    add_coupling(t, t->motion, -1, t->gradients.residual);
    td_real keep = 0, size = 0;
    for (int32_t step = 0; step < CG_STEPS; step++) {
        respond(t, y, t->gradients.residual, t->gradients.response);
        td_real next = dot(t, t->gradients.residual, t->gradients.response);
        if (!(next > CG_TOLERANCE * CG_TOLERANCE * *predicted_decrease) || !may_go_on(y, step)) {
            break;
        }
        ++*steps;
        keep = step > 0 ? next / size : 0;
        size = next;
        for (int32_t k = 0; k < t->gradients.active_count; k++) {
            const int32_t p = t->gradients.active[k];
            t->gradients.force[p] = tdi_madd(t->gradients.residual[p], t->gradients.force[p], keep);
            t->gradients.direction[p] =
                tdi_madd(t->gradients.response[p], t->gradients.direction[p], keep);
            t->gradients.response[p] = t->gradients.force[p];
        }
        add_coupling(t, t->gradients.direction, 1, t->gradients.response); // s + C q
        td_real along = dot(t, t->gradients.direction, t->gradients.response);
        if (!(along > 0)) {
            return false;
        }
        td_real part = size / along;
        for (int32_t k = 0; k < t->gradients.active_count; k++) {
            const int32_t p = t->gradients.active[k];
            t->gradients.total[p] = tdi_madd(t->gradients.total[p], t->gradients.force[p], part);
            t->gradients.residual[p] =
                tdi_madd(t->gradients.residual[p], t->gradients.response[p], -part);
        }
    }
    const td_real rounding = TDI_VALUE_ROUNDING * *predicted_decrease;
    *predicted_decrease += dot(t, t->motion, t->gradients.total);
    respond(t, y, t->gradients.total, t->gradients.response);
    for (int32_t k = 0; k < y->count; k++) {
        tdi_state_add_response(y->member[k].body);
    }
    const bool falls = *predicted_decrease >= -rounding; // nothing, where all is done
    *predicted_decrease = falls ? fmax(*predicted_decrease, 0) : *predicted_decrease;
    return falls || t->terms.rule.ahead > 0; // while bases or colliders move the value may rise
}
