// SPDX-License-Identifier: MIT
// Constraints of trees as published: forces from unit responses and a complementarity problem.
//
// In every stage of an explicit step
//   c''_0     accelerations along the rows without their forces, by the articulated-body sweeps
//   K         columns: the answers to a unit of each force, O(bodies) each
//   forces    K f + c''_0 - c''_wanted = w: complementary to f where a row is one-sided
//   c''_wanted = -c/s^2 - 2 c'/s, s the time in which errors settle
// and before the step impulses where rows that are reached have c' < 0.
//
// Out of reach   A point beyond the reach of a straight chain can hardly move towards its target:
// K_ii is small, and c''_wanted would take forces under which no explicit step is stable. A force f
// makes a segment of length l, whose point has the mobility d, swing with w^2 = f d/l. Where
// (w h)^2 > OVERLOAD, and where a large error meets a small K_ii, the rows of the constraint get
// the compliance d for the step, (K + d) f = c''_wanted - c''_0: a damped spring 1/(d s^2).

#include "published/analytic.h"

#include "base/diag.h"
#include "base/guard.h"
#include "base/opts.h"
#include "base/range.h"
#include "constrain/constrain.h"

#include <string.h>

#define LEAST_RATE 1e-10 // m/s: approach that is rounding
#define OVERLOAD   2     // (w h)^2 of a segment under a row's force: above 4 euler is unstable
#define FAR        0.01  // of a segment's length: a larger error may be out of reach
#define HARDLY     0.1   // of a point's mobility: it is, along rows with less of it
#define FASTEST    3     // m/s or rad/s: errors are corrected no faster
#define FREE_END   4     // mobility of a free stick's end across it, times its mass

// ---- rows -----------------------------------------------------------------------------------

tdi_lcp_row *tdi_analytic_row(td_analytic *a, td_diag *diag) {
    if (a->row_count >= a->opts.row_limit) {
        tdi_fail(diag, TD_ERR_LIMIT, "more than %d forces at once: raise row_limit",
                 a->opts.row_limit);
        return NULL;
    }
    tdi_lcp_row *row = &a->row[a->row_count++];
    *row = (tdi_lcp_row){.side = {{.tree = TD_NONE}, {.tree = TD_NONE}},
                         .bounds = {.low = -INFINITY, .high = INFINITY},
                         .restitution = a->opts.restitution};
    return row;
}

// J v
static td_real row_rate(const td_analytic *a, const tdi_lcp_row *row) {
    td_real rate = 0;
    for (int k = 0; k < 2; k++) {
        const tdi_push *p = &row->side[k];
        if (p->tree == TD_NONE) {
            continue;
        }
        const tdi_tree_state *s = a->tree[p->tree];
        const int32_t d = s->model->dof[p->body], count = s->model->dof[p->body + 1] - d;
        rate += tdi_power(&p->wrench, &s->twist[p->body]);
        for (int32_t c = 0; c < count && c < 3; c++) {
            rate += p->torque[c] * s->v[d + c];
        }
    }
    return rate;
}

// J qdd of one side, by the accelerations of bodies in link[] and of joints. Forward dynamics count
// gravity as an acceleration of the base.
static td_real side_accel(const td_analytic *a, const tdi_push *p, const td_real *accel,
                          td_vec3 gravity) {
    const tdi_tree_state *s = a->tree[p->tree];
    const int32_t d = s->model->dof[p->body], count = s->model->dof[p->body + 1] - d;
    const tdi_mat3 *r = &s->frame[p->body].r;
    const tdi_twist own = s->link[p->body].accel;
    const tdi_twist world = {tdi_mat3_apply(r, own.w), tdi_add(tdi_mat3_apply(r, own.v), gravity)};
    td_real sum = tdi_power(&p->wrench, &world);
    for (int32_t c = 0; c < count && c < 3; c++) {
        sum += p->torque[c] * accel[d + c];
    }
    return sum;
}

// Chosen at the start of a step, once: later stages would slow down what is about to bounce.
// Other forces may press it on: what is as near as `pull` reaches counts, and the solver decides.
static bool is_near(td_analytic *a, const tdi_lcp_row *row, td_real h, td_real pull) {
    const td_real way = h * (h * fmax(pull, fabs(row->free)) - fmin(row->rate, 0));
    bool near = row->value <= (1 + a->margin) * way;
    if (a->choosing && near) {
        a->near[a->near_count++] = row->key;
    } else if (!a->choosing) {
        near = false;
        for (int32_t k = 0; k < a->near_count && !near; k++) {
            near = a->near[k] == row->key;
        }
    }
    return near;
}

// Forces at points: 1/mass of the bodies, and the least of their lengths. Joints have 0 and 1 rad.
static void measure_bodies(const td_analytic *a, tdi_lcp_row *row) {
    row->lightness = 0;
    row->length = 1;
    for (int k = 0; k < 2; k++) {
        const tdi_push *p = &row->side[k];
        const td_real f2 = tdi_dot(p->wrench.f, p->wrench.f);
        if (p->tree != TD_NONE && f2 > 0) {
            const tdi_body *b = &a->tree[p->tree]->model->body[p->body];
            const td_real length = tdi_body_length(b);
            row->length = row->lightness > 0 ? fmin(row->length, length) : length;
            row->lightness += b->mass > 0 ? f2 / b->mass : 0;
        }
    }
}

bool tdi_analytic_finish(td_analytic *a, const td_step_opts *o, tdi_lcp_row *row) {
    const td_real h = o->dt, s = a->opts.settle > 0 ? a->opts.settle : 5 * h;
    measure_bodies(a, row);
    row->rate = row_rate(a, row) + row->given;
    row->free = row->extra;
    td_real pull = 0;
    for (int k = 0; k < 2; k++) {
        const tdi_push *p = &row->side[k];
        if (p->tree != TD_NONE) {
            const td_vec3 g = o[p->tree].gravity;
            row->free += side_accel(a, p, a->tree[p->tree]->stages.accel_now, g);
            pull = fmax(pull, tdi_norm(g));
        }
    }
    row->wanted = -row->value / (s * s) - 2 * row->rate / s;
    row->slow = a->opts.slow > 0 ? a->opts.slow : 2 * h * fmax(pull, fabs(row->free));
    const bool one_sided = row->bounds.kind == TD_LCP_BOX && row->bounds.low >= 0;
    return !one_sided || is_near(a, row, h, pull);
}

// ---- matrix ---------------------------------------------------------------------------------

static void push(td_analytic *a, const tdi_push *p, td_real force) {
    tdi_tree_state *s = a->tree[p->tree];
    const tdi_wrench w = {tdi_scale(p->wrench.n, force), tdi_scale(p->wrench.f, force)};
    const int32_t d = s->model->dof[p->body], count = s->model->dof[p->body + 1] - d;
    tdi_tree_answer_push(s, p->body, &w);
    for (int32_t c = 0; c < count && c < 3; c++) {
        a->answer[p->tree][d + c] += force * p->torque[c];
    }
}

// What a unit of a row's force does in one of its trees to all rows there.
static void add_column(td_analytic *a, int32_t column, int32_t tree) {
    tdi_tree_state *s = a->tree[tree];
    const td_vec3 none = {0, 0, 0};
    tdi_tree_answer_clear(s->model, s, a->answer[tree]);
    for (int k = 0; k < 2; k++) {
        if (a->row[column].side[k].tree == tree) {
            push(a, &a->row[column].side[k], 1);
        }
    }
    tdi_tree_answer(s->model, s, a->answer[tree]);
    for (int32_t i = 0; i < a->row_count; i++) {
        for (int k = 0; k < 2; k++) {
            const tdi_push *p = &a->row[i].side[k];
            if (p->tree == tree) {
                a->lcp.matrix[(ptrdiff_t)i * a->row_count + column] +=
                    side_accel(a, p, a->answer[tree], none);
            }
        }
    }
}

void tdi_analytic_matrix(td_analytic *a) {
    const size_t n = (size_t)a->row_count;
    memset(a->lcp.matrix, 0, n * n * sizeof *a->lcp.matrix);
    for (int32_t j = 0; j < a->row_count; j++) {
        const int32_t first = a->row[j].side[0].tree, second = a->row[j].side[1].tree;
        if (first != TD_NONE) {
            add_column(a, j, first);
        }
        if (second != TD_NONE && second != first) {
            add_column(a, j, second);
        }
    }
    for (size_t i = 0; i < n; i++) { // symmetric but for rounding
        for (size_t j = 0; j < i; j++) {
            a->lcp.matrix[i * n + j] = a->lcp.matrix[j * n + i] =
                0.5 * (a->lcp.matrix[i * n + j] + a->lcp.matrix[j * n + i]);
        }
    }
}

// What forces, one a row, do to velocities or accelerations, into `answer`.
static void respond(td_analytic *a, const td_real *force) {
    for (int32_t tree = 0; tree < a->tree_count; tree++) {
        tdi_tree_state *s = a->tree[tree];
        tdi_tree_answer_clear(s->model, s, a->answer[tree]);
        for (int32_t i = 0; i < a->row_count; i++) {
            for (int k = 0; k < 2; k++) {
                if (a->row[i].side[k].tree == tree) {
                    push(a, &a->row[i].side[k], force[i]);
                }
            }
        }
        tdi_tree_answer(s->model, s, a->answer[tree]);
    }
}

// ---- forces ---------------------------------------------------------------------------------

// Of a row that must be 0, or of a one-sided one that is violated.
static td_real error_of(const tdi_lcp_row *row) {
    return row->bounds.low < 0 ? fabs(row->value) : fmax(-row->value, 0);
}

// An error e wants the speed e/(2 s). All errors are scaled alike: contradictory constraints keep
// their balance.
static void bound_corrections(td_analytic *a, td_real h) {
    const td_real s = a->opts.settle > 0 ? a->opts.settle : 5 * h;
    td_real most = 0;
    for (int32_t i = 0; i < a->row_count; i++) {
        most = fmax(most, a->row[i].constraint == TD_NONE ? 0 : error_of(&a->row[i]));
    }
    const td_real part = fmin(1, 2 * s * FASTEST / most);
    for (int32_t i = 0; i < a->row_count; i++) {
        tdi_lcp_row *row = &a->row[i];
        if (row->constraint != TD_NONE && error_of(row) > 0) {
            row->wanted += (1 - part) * row->value / (s * s);
        }
    }
}

// Rows of constraints and of contact.
static td_status list_rows(td_analytic *a, const td_step_opts *o, td_real t,
                           const td_collider *colliders, int32_t count, td_real margin,
                           td_diag *diag) {
    a->row_count = 0;
    a->near_count = a->choosing ? 0 : a->near_count;
    a->margin = margin;
    const td_status status = tdi_analytic_hold_rows(a, o, t, diag);
    return status == TD_OK ? tdi_analytic_contact_rows(a, o, t, colliders, count, diag) : status;
}

// All rows of the poses and velocities that the states have; accel_now is that without forces.
// If one one-sided row is near, rows within a small margin count as near too: rounding must not
// separate the two ends of a stick that falls flat.
static td_status find_rows(td_analytic *a, const td_step_opts *o, td_real t,
                           const td_collider *colliders, int32_t count, td_diag *diag) {
    a->choosing = t == 0;
    for (int32_t k = 0; k < a->hold_count; k++) {
        a->hold[k].soft = a->hold[k].soft && !a->choosing;
        a->hold[k].contradicts = false;
    }
    for (int32_t k = 0; k < a->tree_count; k++) {
        tdi_tree_state *s = a->tree[k];
        tdi_explicit_accelerate(s->model, s, &o[k]);
        tdi_tree_place(s->model, s);
        tdi_tree_move(s->model, s);
    }
    td_status status = list_rows(a, o, t, colliders, count, 0, diag);
    if (status == TD_OK && a->choosing && a->near_count > 0) {
        status = list_rows(a, o, t, colliders, count, TDI_TOGETHER, diag);
    }
    bound_corrections(a, o->dt);
    // Corrections are those of the start: in the stages of RK4 c is of the order of h^2, and s of
    // h, so that c/s^2 would not vanish with h.
    for (int32_t i = 0; i < a->row_count; i++) {
        *(a->choosing ? &a->lcp.wanted[i] : &a->row[i].wanted) =
            a->choosing ? a->row[i].wanted : a->lcp.wanted[i];
    }
    return status;
}

// The acceleration that a unit force at the row's point makes there, summed over three directions
// and both sides; at most that of the bodies as free sticks. Of a joint: K_ii.
static td_real mobility(td_analytic *a, int32_t i) {
    const td_vec3 none = {0, 0, 0};
    const tdi_lcp_row *row = &a->row[i];
    td_real sum = 0;
    for (int side = 0; side < 2 && row->lightness > 0; side++) {
        const tdi_push *p = &row->side[side];
        for (int k = 0; k < 3 && p->tree != TD_NONE; k++) {
            tdi_tree_state *s = a->tree[p->tree];
            const td_vec3 x = tdi_add(s->frame[p->body].o, p->arm);
            const tdi_push unit =
                tdi_push_at(a, p->tree, p->body, x, tdi_vec3(k == 0, k == 1, k == 2), 1);
            tdi_tree_answer_clear(s->model, s, a->answer[p->tree]);
            push(a, &unit, 1);
            tdi_tree_answer(s->model, s, a->answer[p->tree]);
            sum += side_accel(a, &unit, a->answer[p->tree], none);
        }
    }
    return row->lightness > 0 ? fmin(sum, FREE_END * row->lightness)
                              : a->lcp.matrix[(ptrdiff_t)i * a->row_count + i];
}

static void soften(td_analytic *a, int32_t hold) {
    for (int32_t i = 0; i < a->row_count; i++) {
        if (a->row[i].constraint == hold) {
            a->lcp.matrix[(ptrdiff_t)i * a->row_count + i] += mobility(a, i);
        }
    }
}

// Whether its errors e are large, and points hardly move along them: e K e is small.
static bool is_out_of_reach(td_analytic *a, int32_t hold) {
    const int32_t n = a->row_count;
    td_real along = 0, free = 0;
    bool far = false;
    for (int32_t i = 0; i < n; i++) {
        far =
            far || (a->row[i].constraint == hold && error_of(&a->row[i]) > FAR * a->row[i].length);
    }
    for (int32_t i = 0; i < n && far; i++) {
        const td_real e = a->row[i].constraint == hold ? error_of(&a->row[i]) : 0;
        free += e > 0 ? e * e * mobility(a, i) : 0;
        for (int32_t j = 0; j < n && e > 0; j++) {
            const tdi_lcp_row *other = &a->row[j];
            const bool counts = other->constraint == hold && error_of(other) > 0;
            along +=
                counts ? a->row[i].value * a->lcp.matrix[(ptrdiff_t)i * n + j] * other->value : 0;
        }
    }
    return far && along < HARDLY * free;
}

static bool is_overloaded(td_analytic *a, int32_t i, td_real h) {
    const tdi_lcp_row *row = &a->row[i];
    const td_real limit = OVERLOAD * row->length / (h * h), f = fabs(a->lcp.force[i]);
    const bool clear = row->lightness > 0 && f * FREE_END * row->lightness <= limit;
    return !clear && !(f * mobility(a, i) <= limit);
}

static bool soften_overloaded(td_analytic *a, td_real h) {
    bool any = false;
    for (int32_t i = 0; i < a->row_count; i++) {
        const int32_t hold = a->row[i].constraint;
        if (hold != TD_NONE && !a->hold[hold].soft && is_overloaded(a, i, h)) {
            any = a->hold[hold].soft = true;
            soften(a, hold);
        }
    }
    return any;
}

static void solve_forces(td_analytic *a, td_real h) {
    for (int32_t k = 0; k < a->hold_count; k++) {
        a->hold[k].soft = a->hold[k].soft || is_out_of_reach(a, k);
        if (a->hold[k].soft) {
            soften(a, k);
        }
    }
    do {
        for (int32_t i = 0; i < a->row_count; i++) {
            a->lcp.rhs[i] = a->row[i].wanted - a->row[i].free;
            a->lcp.bounds[i] = a->row[i].bounds;
        }
        tdi_analytic_solve(a, &a->solver, true, a->lcp.force);
    } while (soften_overloaded(a, h));
    for (int32_t i = 0; i < a->row_count; i++) {
        a->row[i].force = a->lcp.force[i];
    }
}

// Forces of a stage; then accel_now is with them.
static td_status constrain(td_analytic *a, const td_step_opts *o, td_real t,
                           const td_collider *colliders, int32_t count, td_diag *diag) {
    td_status status = find_rows(a, o, t, colliders, count, diag);
    if (status != TD_OK || a->row_count == 0) {
        return status;
    }
    tdi_analytic_matrix(a);
    solve_forces(a, o->dt);
    respond(a, a->lcp.force);
    for (int32_t k = 0; k < a->tree_count; k++) {
        for (int32_t d = 0; d < a->tree[k]->model->head.dof_count; d++) {
            a->tree[k]->stages.accel_now[d] += a->answer[k][d];
        }
    }
    return TD_OK;
}

// ---- impacts --------------------------------------------------------------------------------

// Whether a row asks for an impulse.
static bool asks_for_impulses(const td_analytic *a) {
    bool any = false;
    for (int32_t i = 0; i < a->row_count; i++) {
        const td_lcp_row *b = &a->row[i].bounds;
        const bool normal = b->kind == TD_LCP_CONE || (b->kind == TD_LCP_BOX && b->low >= 0);
        any |= normal ? a->row[i].rate < -LEAST_RATE
                      : a->row[i].begins && fabs(a->row[i].rate) > LEAST_RATE;
    }
    return any;
}

void tdi_analytic_kick(td_analytic *a) {
    respond(a, a->lcp.force);
    for (int32_t k = 0; k < a->tree_count; k++) {
        tdi_tree_state *s = a->tree[k];
        for (int32_t d = 0; d < s->model->head.dof_count; d++) {
            s->v[d] += a->answer[k][d];
        }
    }
}

static td_vec3 contact_force(const td_analytic *a, const tdi_analytic_touch *c) {
    const tdi_lcp_row *normal = &a->row[c->row];
    const td_lcp_kind kind = normal->bounds.kind;
    const bool published = c->row + 1 < a->row_count && normal[1].bounds.kind == TD_LCP_FRICTION &&
                           normal[1].bounds.normal == c->row;
    const int tangents = kind == TD_LCP_CONE ? 2 : published ? 1 : 0;
    td_vec3 force = tdi_scale(normal->direction, normal->force);
    for (int t = 1; t <= tangents; t++) {
        force = tdi_madd(force, normal[t].direction, normal[t].force);
    }
    return force;
}

static void add_force(const tdi_lcp_row *row, td_vec3 *force, td_vec3 *moment) {
    const tdi_push *p = &row->side[0];
    *force = tdi_madd(*force, row->direction, row->force);
    *moment = tdi_madd(*moment, tdi_vec3(p->torque[0], p->torque[1], p->torque[2]), row->force);
}

// Impulses are reported as forces that act through the step.
static void note_impulses(td_analytic *a, td_real h) {
    for (int32_t i = 0; i < a->row_count; i++) {
        tdi_lcp_row *row = &a->row[i];
        row->force = a->lcp.force[i] / h;
        if (row->constraint != TD_NONE) {
            add_force(row, &a->hold[row->constraint].struck, &a->hold[row->constraint].wrung);
        }
    }
    for (int32_t k = 0; k < a->contact_count; k++) {
        tdi_analytic_touch c = a->contact[k];
        c.told.force = contact_force(a, &c);
        if (tdi_dot(c.told.force, c.told.force) > 0) {
            a->struck[a->struck_count++] = c;
        }
    }
}

static void forget_impulses(td_analytic *a) {
    a->struck_count = 0;
    for (int32_t k = 0; k < a->hold_count; k++) {
        a->hold[k].struck = a->hold[k].wrung = tdi_vec3(0, 0, 0);
    }
}

static td_status collide(td_analytic *a, const td_step_opts *o, const td_collider *colliders,
                         int32_t count, td_diag *diag) {
    forget_impulses(a);
    td_status status = find_rows(a, o, 0, colliders, count, diag);
    if (status == TD_OK && asks_for_impulses(a)) {
        tdi_analytic_matrix(a);
        tdi_analytic_impulses(a);
        tdi_analytic_kick(a);
        note_impulses(a, o->dt);
    }
    return status;
}

// ---- what is told ---------------------------------------------------------------------------

static void report(td_analytic *a) {
    bool nameless =
        a->lcp.result.verdict == TD_LCP_INFEASIBLE; // one-sided rows contradict each other
    for (int32_t k = 0; k < a->hold_count; k++) {
        nameless = nameless && !a->hold[k].contradicts;
    }
    for (int32_t k = 0; k < a->hold_count; k++) {
        td_constraint_report *r = &a->hold[k].report;
        r->error = 0;
        r->unmet = r->active && (a->hold[k].soft || a->hold[k].contradicts || nameless);
        r->force = a->hold[k].struck;
        r->moment = a->hold[k].wrung;
    }
    for (int32_t i = 0; i < a->row_count; i++) {
        const tdi_lcp_row *row = &a->row[i];
        if (row->constraint == TD_NONE) {
            continue;
        }
        td_constraint_report *r = &a->hold[row->constraint].report;
        const bool one_sided = row->bounds.low >= 0;
        r->error = fmax(r->error, one_sided ? -row->value : fabs(row->value));
        add_force(row, &r->force, &r->moment);
    }
    for (int32_t k = 0; k < a->hold_count; k++) {
        td_constraint_report *r = &a->hold[k].report;
        const td_vec3 f = tdi_constraint_of_joint(a->hold[k].def.kind) ? r->moment : r->force;
        r->broken |= r->active && tdi_norm(f) > a->hold[k].def.break_force;
    }
    for (int32_t k = 0; k < a->contact_count; k++) {
        a->contact[k].told.force = contact_force(a, &a->contact[k]);
    }
    for (int32_t k = 0; k < a->struck_count; k++) {
        const tdi_analytic_touch *hit = &a->struck[k];
        int32_t at = 0;
        while (at < a->contact_count && a->contact[at].key != hit->key) {
            at++;
        }
        if (at < a->contact_count) {
            a->contact[at].told.force = tdi_add(a->contact[at].told.force, hit->told.force);
        } else if (at < a->opts.row_limit) {
            a->contact[a->contact_count++] = *hit;
        }
    }
}

td_constraint_report td_analytic_constraint(const td_analytic *a, int32_t constraint) {
    if (!a || !tdi_has(constraint, a->hold_count)) {
        return (td_constraint_report){0};
    }
    return a->hold[constraint].report;
}

td_lcp_result td_analytic_solution(const td_analytic *a) {
    return a ? a->lcp.result : (td_lcp_result){0};
}

int32_t td_analytic_contacts(const td_analytic *a, td_analytic_contact *contacts,
                             int32_t capacity) {
    if (!a) {
        return 0;
    }
    for (int32_t k = 0; k < a->contact_count && k < capacity; k++) {
        contacts[k] = a->contact[k].told;
    }
    return a->contact_count;
}

// ---- targets --------------------------------------------------------------------------------

// The rotation vector of one rotation after another.
static td_vec3 turn_between(td_quat from, td_quat to) {
    const td_quat by = tdi_quat_unit(tdi_quat_mul(to, tdi_quat_conj(from)));
    const td_vec3 u = {by.x, by.y, by.z};
    const td_real s = tdi_norm(u);
    return tdi_scale(u, s > 0 ? 2 * atan2(s, by.w) / s : 2);
}

// Targets go on at constant speed; what the speed changes by is an acceleration through the step.
static void aim(td_analytic *a, td_real h) {
    const td_vec3 none = {0, 0, 0};
    for (int32_t k = 0; k < a->hold_count; k++) {
        tdi_analytic_hold *c = &a->hold[k];
        const td_constraint_target *from = &c->target_start, *to = &c->target;
        const td_vec3 v = tdi_scale(tdi_sub(to->position, from->position), 1 / h);
        const td_vec3 turn = turn_between(tdi_turn_by(from->joint), tdi_turn_by(to->joint));
        const td_joint_kind kind =
            tdi_constraint_of_joint(c->def.kind)
                ? (td_joint_kind)a->tree[c->def.actor[0]]->model->kind[c->def.segment[0]]
                : TD_JOINT_FIXED;
        const td_vec3 rate =
            tdi_scale(kind == TD_JOINT_BALL ? turn : tdi_sub(to->joint, from->joint), 1 / h);
        c->acceleration = c->moved ? tdi_scale(tdi_sub(v, c->velocity), 1 / h) : none;
        c->joint_acceleration = c->moved ? tdi_scale(tdi_sub(rate, c->joint_rate), 1 / h) : none;
        c->velocity = v;
        c->joint_rate = rate;
        c->spin = tdi_scale(turn_between(from->rotation, to->rotation), 1 / h);
        c->length_rate = (to->length - from->length) / h;
    }
}

// Constraints that were not active in the last step: what moves against them stops at once.
static void note_beginnings(td_analytic *a) {
    for (int32_t k = 0; k < a->hold_count; k++) {
        a->hold[k].begins = !a->hold[k].report.active;
    }
}

static void arrive_targets(td_analytic *a) {
    for (int32_t k = 0; k < a->hold_count; k++) {
        a->hold[k].target_start = a->hold[k].target;
        a->hold[k].moved = true;
    }
}

td_status td_analytic_set_target(td_analytic *a, int32_t constraint,
                                 const td_constraint_target *target, td_diag *diag) {
    TDI_REFUSE_IF(!a || !target || !tdi_has(constraint, a->hold_count));
    a->hold[constraint].target = *target;
    return TD_OK;
}

// ---- steps ----------------------------------------------------------------------------------

static td_status check_step(td_analytic *a, const td_step_opts *given, bool explicit_step,
                            const td_collider *colliders, int32_t count, td_diag *diag) {
    td_step_opts *o = a->step_opts;
    for (int32_t k = 0; k < a->tree_count; k++) {
        TDI_TRY(tdi_step_opts_take(tdi_opts_at(given, k), &o[k], diag));
        td_step_opts each = o[k];
        if (!explicit_step) {
            each.integrator = TD_EULER;
        } else if (each.integrator != TD_EULER && each.integrator != TD_RK4) {
            return tdi_fail_at(diag, TD_ERR_ARGUMENT, k,
                               "integrator must be TD_EULER or TD_RK4; implicit steps hold "
                               "constraints by td_island_constrain()");
        }
        if (each.dt != o[0].dt || o[k].integrator != o[0].integrator) {
            return tdi_fail_at(diag, TD_ERR_ARGUMENT, k,
                               "dt and integrator must be the same for all states");
        }
        TDI_TRY(tdi_state_check(&a->tree[k]->head, &each, diag));
    }
    for (int32_t k = 0; k < count; k++) {
        if (colliders[k].kind == TD_COLLIDER_HEIGHT_FIELD) {
            return tdi_fail_at(diag, TD_ERR_ARGUMENT, k,
                               "collider %d is a height field, which only implicit integrators "
                               "take",
                               (int)k);
        }
    }
    return count > 0 ? td_colliders_check(colliders, count, diag) : TD_OK;
}

static void keep(td_analytic *a, bool back) {
    for (int32_t k = 0; k < a->tree_count; k++) {
        tdi_tree_state *s = a->tree[k];
        const size_t bytes = (size_t)s->model->head.dof_count * sizeof *s->v;
        memcpy(back ? s->v : a->kept[k], back ? a->kept[k] : s->v, bytes);
    }
}

static td_status run_stages(td_analytic *a, const td_step_opts *o, const td_collider *colliders,
                            int32_t count, td_diag *diag) {
    td_status status = TD_OK;
    for (int n = 0; status == TD_OK && n < tdi_explicit_stages(o->integrator); n++) {
        td_real t = 0;
        for (int32_t k = 0; k < a->tree_count; k++) {
            t = tdi_explicit_stage(a->tree[k]->model, a->tree[k], &o[k], n);
        }
        status = constrain(a, o, t, colliders, count, diag);
        for (int32_t k = 0; k < a->tree_count; k++) {
            tdi_explicit_gather(a->tree[k]->model, a->tree[k], n);
        }
    }
    return status;
}

td_status td_analytic_step(td_analytic *a, const td_step_opts *given, const td_collider *colliders,
                           int32_t count, td_step_stats *stats, td_diag *diag) {
    TDI_REFUSE_IF(!a);
    TDI_TRY(check_step(a, given, true, colliders, count, diag));
    const td_step_opts *o = a->step_opts;
    for (int32_t k = 0; k < a->tree_count; k++) {
        tdi_explicit_open(a->tree[k]->model, a->tree[k]);
    }
    keep(a, false);
    aim(a, o->dt);
    note_beginnings(a);
    td_status status = collide(a, o, colliders, count, diag);
    for (int32_t k = 0; k < a->tree_count; k++) { // stages start from the velocities after impacts
        tdi_tree_state *s = a->tree[k];
        const size_t bytes = (size_t)s->model->head.dof_count * sizeof *s->v;
        memcpy(s->stages.v, s->v, bytes);
        memset(s->stages.accel_now, 0, bytes);
    }
    status = status == TD_OK ? run_stages(a, o, colliders, count, diag) : status;
    bool fine = status == TD_OK;
    for (int32_t k = 0; k < a->tree_count && status == TD_OK; k++) {
        fine &= tdi_explicit_arrive(a->tree[k]->model, a->tree[k], &o[k]);
    }
    for (int32_t k = 0; k < a->tree_count; k++) {
        tdi_explicit_close(a->tree[k]->model, a->tree[k], &o[k], fine);
    }
    if (fine) {
        arrive_targets(a);
        report(a);
        if (stats) {
            stats->steps++;
        }
        return TD_OK;
    }
    keep(a, true);
    return status != TD_OK
               ? status
               : tdi_fail(diag, TD_ERR_DIVERGED, "the step at %g s diverged; try a shorter step",
                          a->tree[0]->head.time);
}

// ---- forces for other integrators -----------------------------------------------------------

static void add_load(td_load *loads, int32_t body, td_vec3 force, td_vec3 moment) {
    loads[2 * body].vector = tdi_add(loads[2 * body].vector, force);
    loads[2 * body + 1].vector = tdi_add(loads[2 * body + 1].vector, moment);
}

// A torque of a joint acts on its body and back on the parent; that of a slide is a force there.
static void add_torque(const tdi_tree_state *s, td_load *loads, const tdi_push *p, td_real by) {
    const tdi_tree_model *m = s->model;
    const int32_t i = p->body, up = m->parent[i];
    const td_vec3 t = {p->torque[0], p->torque[1], p->torque[2]}, none = {0, 0, 0};
    const bool ball = m->kind[i] == TD_JOINT_BALL, slide = m->kind[i] == TD_JOINT_SLIDE;
    const td_vec3 own = ball ? t : tdi_scale(m->body[i].axis, t.x);
    const td_vec3 world = tdi_scale(tdi_mat3_apply(&s->frame[i].r, own), by);
    const td_vec3 back = tdi_scale(world, -1);
    add_load(loads, i, slide ? world : none, slide ? none : world);
    if (up != TD_NONE) {
        const td_vec3 arm = tdi_sub(s->frame[i].o, s->frame[up].o);
        add_load(loads, up, slide ? back : none, slide ? tdi_cross(arm, back) : back);
    }
}

void td_analytic_loads(const td_analytic *a, int32_t state, td_load *loads) {
    if (!a || !loads || !tdi_has(state, a->tree_count)) {
        return;
    }
    const tdi_tree_state *s = a->tree[state];
    for (int32_t i = 0; i < s->model->body_count; i++) {
        loads[2 * i] = (td_load){.kind = TD_LOAD_FORCE, .segment = i};
        loads[2 * i + 1] = (td_load){.kind = TD_LOAD_TORQUE, .segment = i};
    }
    for (int32_t k = 0; k < 2 * a->row_count; k++) {
        const tdi_lcp_row *row = &a->row[k / 2];
        const tdi_push *p = &row->side[k % 2];
        if (p->tree == state) {
            add_load(loads, p->body, tdi_scale(p->wrench.f, row->force),
                     tdi_scale(p->wrench.n, row->force));
            add_torque(s, loads, p, row->force);
        }
    }
}

td_status td_analytic_prepare(td_analytic *a, const td_step_opts *given,
                              const td_collider *colliders, int32_t count, td_diag *diag) {
    TDI_REFUSE_IF(!a);
    TDI_TRY(check_step(a, given, false, colliders, count, diag));
    const td_step_opts *o = a->step_opts;
    for (int32_t k = 0; k < a->tree_count; k++) {
        tdi_tree_fresh(a->tree[k]);
    }
    keep(a, false);
    aim(a, o->dt);
    note_beginnings(a);
    td_status status = collide(a, o, colliders, count, diag);
    status = status == TD_OK ? constrain(a, o, 0, colliders, count, diag) : status;
    if (status != TD_OK) {
        keep(a, true);
        return status;
    }
    for (int32_t k = 0; k < a->tree_count; k++) {
        tdi_tree_changed(a->tree[k]);
    }
    arrive_targets(a);
    report(a);
    return TD_OK;
}
