// SPDX-License-Identifier: MIT
// Rows of constraints in Newton's method.
//
// Model    With c and its gradient J where they were evaluated, increments x see the force
//          f = l + K (c + J x). A row that is one-sided takes part where the value below has a
//          force.
// Forces   After the increments are known, l becomes that f, before the line search: along the
//          increments the value with these l falls by x^T E x, E being the Hessian without K.
//          So the value needs no large K, and large K make it a narrow valley: it takes a small
//          one (merit), and the model a large one.
// Stalls   A row of which iteration after iteration leaves an error to the first order gets a K
//          that is ten times as large. One whose error stays contradicts others, or cannot be
//          reached: it becomes a spring, without l.

#include "implicit/constraint.h"
#include "law/law.h"

#include <math.h>
#include <string.h>

#define STIFF       1e6   // times the inertia of a segment: K
#define SPRING      1e2   // times that: K of rows that cannot be met
#define WEAK        0.03  // of an error is left to the first order, at most,
#define PLAIN       3e-9  // m or rad: if it is large enough to be one; smaller ones between two
#define SERIES      1e-10 // segments, where errors of rows in series add up
#define TURNING     1e-3  // times the inertia of a segment: K of rows of second derivatives
#define SHRINKS     0.25  // of the error is left, at most, by an iteration that helps
#define STALLS      6     // in a row: it cannot be met
#define MOST_TENS   6     // times that K becomes ten times as large
#define SLACK       1e-10 // m or rad: below 0 by more than this, a row that was freed takes part again
#define ROUNDED     5e-12 // of the distance from the origin: places are known to this
#define NO_PROGRESS 0.1   // of the error: increments below this do not reduce it

// ---- evaluation -----------------------------------------------------------------------------

// That of the error where it was evaluated, K e.
static td_real force_of_error(const tdi_constraint_set *h, const tdi_row_group *b, int32_t row) {
    return b->k * tdi_row_error(b, h->state[b->constraint].l[b->relation][row], b->c[row]);
}

// The force of a row that has second derivatives. That of an error passes with the increments, but
// of springs and of rows that cannot be met.
static td_real lasting_force(const tdi_constraint_set *h, const tdi_row_group *b, int32_t row) {
    const tdi_constraint_state *s = &h->state[b->constraint];
    const td_real error = tdi_row_lasts(b, s) * force_of_error(h, b, row);
    return b->used[row] ? s->l[b->relation][row] + error : 0;
}

// Two rows across the line of a coupled distance: its geometric stiffness K = f/|d|, which couples
// both sides. Of a bar that is pressed it is negative, and with K = -f/|d|
//   -K/2 (a - b)^2 = K/2 (a + b)^2 - K a^2 - K b^2,
// of which the first is a row, and the others are what its two sides have.
static void add_tension(const tdi_constraint_set *h, tdi_row_group *b) {
    const td_real sign = tdi_is_one_sided(b) ? -1 : 1, force = sign * lasting_force(h, b, 0),
                  length = tdi_norm(tdi_sub(h->place[b->point[0]], h->place[b->point[1]]));
    const td_vec3 n = b->side[0].sees[0], t = tdi_across(n), across[2] = {t, tdi_cross(n, t)};
    const td_real k = length > 0 ? force / length : 0;
    for (int r = 0; r < 2; r++) {
        b->side[0].sees[1 + r] = across[r];
        b->side[1].sees[1 + r] = tdi_scale(across[r], k < 0 ? 1 : -1);
        b->stiff[1 + r] = k > 0 ? 2 * k : 0;
    }
    b->bent = (tdi_bent){.first = 1, .count = k < 0 ? 2 : 0, .stiff = -2 * k};
}

static td_sym3 curvature_of(const tdi_constraint_set *h, const tdi_row_group *b) {
    const tdi_constraint_state *s = &h->state[b->constraint];
    td_real force[TDI_RELATION_ROWS] = {0};
    td_vec3 x[TDI_RELATION_POINTS];
    for (int32_t r = 0; r < b->law.row_count; r++) {
        force[r] = lasting_force(h, b, r);
    }
    tdi_row_group_positions(h, b, x);
    return tdi_relation_hessian(&b->law, x, s->along, force);
}

// Rows in the axes of the second side have second derivatives (w x F).d, with their force F, the
// turn w of that side and d = a - x, how the first point moves against the point of the second side
// that is where it is. Along a direction t in which d is free, and with y = x - F/K,
//   (w x F).t t.d = K/2 (t.(a - y))^2 - K/2 (t.(x - y))^2 - K/2 (t.d)^2
// for any K. The first is a row, the second is of one body alone, and the third, which no row of
// positive weight can have, is left out: K is small. A curve has another K, -F.p''/|p'|^2, of
// (t.d)^2: where it is larger, it takes the place of this, and nothing is left out. Where it is
// below 0, the row is that of a pressed bar, K/2 (t.(a + y))^2 - K (t.a)^2 - K (t.y)^2.
static void add_turning(tdi_constraint_set *h, tdi_row_group *b, const td_vec3 *x, td_quat turned) {
    const tdi_constraint_state *s = &h->state[b->constraint];
    const int32_t first = b->law.row_count;
    td_vec3 *direction = b->side[0].sees, force = {0, 0, 0};
    td_real k = TURNING * b->inertia;
    int32_t count = tdi_relation_curvature_rows(&b->law);
    tdi_relation_free_axes(&b->law, x, s->along, direction + first);
    for (int32_t r = first; r < first + count; r++) {
        b->side[1].sees[r] = tdi_scale(direction[r], -1);
        b->stiff[r] = 0;
    }
    if (b->law.kind == TDI_RELATION_CURVE) {
        const td_sym3 curved = curvature_of(h, b);
        const td_real own = tdi_dot(direction[first], tdi_sym3_apply(&curved, direction[first]));
        k = fabs(own) > k ? own : k;
        b->side[1].sees[first] = tdi_scale(direction[first], k < 0 ? 1 : -1);
    }
    for (int32_t r = 0; r < first; r++) {
        force = tdi_madd(force, direction[r], lasting_force(h, b, r));
    }
    count = tdi_dot(force, force) > 0 ? count : 0;
    b->bent = (tdi_bent){.first = first, .count = count, .stiff = 2 * fabs(k), .turns = k > 0};
    const td_vec3 arm = tdi_quat_rotate(tdi_quat_conj(turned), force);
    tdi_point *offset = &h->point[b->side[1].offset];
    *offset = h->point[b->side[1].point];
    offset->arm = tdi_madd(offset->arm, arm, -1 / k);
}

// What rows see, and where forces act on the second side: where the first side's point is, in its
// axes, if the relation is more than one of two points.
static void open_rows(tdi_constraint_set *h, const tdi_system *y, tdi_row_group *b,
                      const tdi_relation_at *at, const td_vec3 *x) {
    const tdi_relation_kind kind = b->law.kind;
    const bool of_points = kind == TDI_RELATION_POINT || kind == TDI_RELATION_DISTANCE;
    for (int32_t r = 0; r < b->law.row_count; r++) {
        const td_vec3 direction = at->gradient[r][0];
        b->side[0].sees[r] = direction;
        b->side[1].sees[r] =
            kind == TDI_RELATION_GEAR ? at->gradient[r][1] : tdi_scale(direction, -1);
        b->stiff[r] = b->used[r] ? 2 * b->k : 0;
    }
    if (tdi_is_pinned(b) || kind == TDI_RELATION_GEAR) {
        return;
    }
    if (kind == TDI_RELATION_DISTANCE) {
        add_tension(h, b);
    }
    if (!of_points) {
        tdi_point *point = &h->point[b->side[1].point];
        const tdi_frame_at f = tdi_constraints_frame(h, y, b->constraint, 1, point->local);
        point->arm = tdi_quat_rotate(tdi_quat_conj(f.rotation), tdi_sub(x[0], f.position));
        if (tdi_has_offset(b)) {
            add_turning(h, b, x, f.rotation);
        }
    }
}

static void evaluate(tdi_constraint_set *h, const tdi_system *y, tdi_row_group *b) {
    tdi_constraint_state *s = &h->state[b->constraint];
    td_real *l = s->l[b->relation];
    td_vec3 x[TDI_RELATION_POINTS];
    tdi_relation_at at;
    tdi_row_group_positions(h, b, x);
    tdi_relation_evaluate(&b->law, x, &s->along, &at);
    memcpy(b->c, at.c, sizeof at.c);
    b->k = tdi_row_stiffness(
        b, b->inertia * (s->unmet ? SPRING : STIFF * tdi_penalty_factor(s, b->relation)));
    for (int32_t r = 0; r < b->law.row_count; r++) {
        const td_real slack = b->freed[r] ? SLACK : 0;
        b->used[r] = !tdi_is_one_sided(b) || l[r] + b->merit * (b->c[r] + slack) < 0;
        if (s->unmet || !b->used[r]) {
            l[r] = 0;
        }
    }
    open_rows(h, y, b, &at, x);
}

void tdi_constraints_evaluate(tdi_constraint_set *all, const tdi_system *y) {
    tdi_constraints_gather_all(all, y);
    for (tdi_group_cursor at = tdi_groups_of(all); tdi_next_group(&at);) {
        evaluate(at.set, y, at.group);
    }
}

// ---- terms ----------------------------------------------------------------------------------

// Gradient and Hessian of a relation on one of its sides. The force of the error passes with the
// increments, and has no second derivatives: at a first guess it may be many times that of the
// multipliers. `curvature` is that of rows of one segment and the world.
static void expand(const tdi_constraint_set *h, const tdi_row_group *b, const tdi_member *m,
                   int side, const td_sym3 *curvature, tdi_geometric_part levers) {
    const tdi_constraint_state *s = &h->state[b->constraint];
    const tdi_row_side *at = &b->side[side];
    const tdi_point *point = &h->point[at->point];
    const td_real share = tdi_is_pinned(b) ? 0.5 : 1; // of K_a, which is 2 K
    td_vec3 lasting = {0, 0, 0}, passing = {0, 0, 0};
    td_sym3 hessian = {0};
    for (int32_t r = 0; r < TDI_GROUP_ROWS; r++) {
        const bool own = !tdi_row_is_curvature(b, r) || (side == 0 && b->bent.turns);
        if (b->stiff[r] > 0 && own) {
            hessian = tdi_sym3_add(hessian, tdi_sym3_square(at->sees[r], share * b->stiff[r]));
        }
    }
    for (int32_t r = 0; r < b->law.row_count && r < TDI_RELATION_ROWS; r++) {
        if (b->stiff[r] > 0) {
            const td_real passes = 1 - tdi_row_lasts(b, s);
            lasting = tdi_madd(lasting, at->sees[r], lasting_force(h, b, r));
            passing = tdi_madd(passing, at->sees[r], passes * force_of_error(h, b, r));
        }
    }
    const tdi_side_terms terms[2] = {{point, passing, hessian, TDI_GEOMETRIC_NONE, NULL},
                                     {point, lasting, *curvature, levers, NULL}};
    m->body->ops->add_stiffness(m->body, &terms[0]);
    m->body->ops->add_stiffness(m->body, &terms[1]);
}

// On the second side: rows that act at its offset, y, and what K/2 (t.(x - y))^2 takes from it.
// With z between both, (x - y)^2 = 2 x^2 + 2 y^2 - 4 z^2. Where K is above 0, K_a = 2 K of the row
// is what the square takes at y; below 0 the row has none of that.
static void expand_offset(const tdi_constraint_set *h, const tdi_row_group *b,
                          const tdi_member *m) {
    const tdi_row_side *far = &b->side[1];
    const tdi_point x = h->point[far->point], y = h->point[far->offset];
    tdi_point z = x;
    z.arm = tdi_scale(tdi_add(x.arm, y.arm), 0.5);
    for (int32_t r = b->bent.first; r < b->bent.first + b->bent.count; r++) {
        const td_real stiff = b->bent.turns ? b->stiff[r] : -b->stiff[r];
        const tdi_side_terms terms[3] = {
            {.point = &x, .hessian = tdi_sym3_square(far->sees[r], -stiff)},
            {.point = &z, .hessian = tdi_sym3_square(far->sees[r], 2 * stiff)},
            {.point = &y, .hessian = tdi_sym3_square(far->sees[r], -stiff)}};
        for (int n = 0; n < (b->bent.turns ? 2 : 3); n++) {
            m->body->ops->add_stiffness(m->body, &terms[n]);
        }
    }
}

bool tdi_constraints_are_curved(tdi_constraint_set *all) {
    for (tdi_group_cursor at = tdi_groups_of(all); tdi_next_group(&at);) {
        const tdi_row_group *b = at.group;
        if (tdi_is_pinned(b) ? tdi_relation_has_curvature(b->law.kind) : b->bent.count > 0) {
            return true;
        }
    }
    return false;
}

// Rows [from, to) of a relation, eliminated with its body: their Jacobians at its two points, the v
// of coupled_assembly.c.
static void set_rows(const tdi_constraint_set *h, const tdi_member *m, const tdi_row_group *b,
                     int32_t from, int32_t to) {
    td_vec3 direction[TDI_GROUP_ROWS] = {{0}}, back[TDI_GROUP_ROWS] = {{0}};
    td_real compliance[TDI_GROUP_ROWS] = {1, 1, 1, 1};
    const tdi_point *points[2] = {&h->point[tdi_row_point(b, 0, from)],
                                  &h->point[tdi_row_point(b, 1, from)]};
    const td_vec3 *const sees[2] = {direction, back};
    for (int32_t r = from; r < to; r++) {
        if (tdi_has_row(b, r)) {
            direction[r - from] = b->side[0].sees[r];
            back[r - from] = tdi_scale(b->side[1].sees[r], -1);
            compliance[r - from] = 2 / b->stiff[r];
        }
    }
    if (from < to) {
        m->body->ops->rows->set(m->body, b->first_row + from, to - from, points, sees, compliance);
    }
}

// Gradient and Hessian of a relation that acts.
static void expand_relation(const tdi_constraint_set *h, const tdi_system *y, tdi_row_group *b,
                            bool exact, tdi_geometric_part levers) {
    const int32_t *actor = h->def[b->constraint].actor;
    td_sym3 curvature = {0};
    if (tdi_is_pinned(b)) {
        curvature = curvature_of(h, b);
        curvature = exact ? curvature : tdi_relation_positive(&curvature);
    }
    for (int32_t r = 0; r < b->bent.count; r++) {
        b->stiff[b->bent.first + r] = exact ? b->bent.stiff : 0;
    }
    for (int side = 0; side < 2 && b->side[side].point != TD_NONE; side++) {
        expand(h, b, tdi_constraints_member(h, y, actor[side]), side, &curvature, levers);
    }
    if (tdi_has_offset(b)) {
        expand_offset(h, b, tdi_constraints_member(h, y, actor[1]));
    }
}

void tdi_constraints_expand(tdi_constraint_set *all, const tdi_system *y, bool exact,
                            bool positive) {
    const tdi_geometric_part levers = positive ? TDI_GEOMETRIC_POSITIVE : TDI_GEOMETRIC_ALL;
    for (tdi_constraint_set *h = all; h; h = h->next) {
        const tdi_member *inner =
            h->solve.eliminated ? tdi_constraints_member(h, y, h->solve.inner) : NULL;
        if (inner) {
            inner->body->ops->rows->use(inner->body, h->solve.rows);
        }
        for (int32_t i = 0; i < h->group_count; i++) {
            tdi_row_group *b = &h->group[i];
            if (b->acts) {
                expand_relation(h, y, b, exact, levers);
            }
            if (inner) {
                const int32_t own = tdi_has_offset(b) ? b->law.row_count : b->row_count;
                set_rows(h, inner, b, 0, own);
                set_rows(h, inner, b, own, b->row_count);
            }
        }
    }
}

// ---- value ----------------------------------------------------------------------------------

// The law of a row as the value has it, with the multiplier l.
static tdi_row_law law_of(const tdi_row_group *b, const tdi_constraint_state *s, td_real l) {
    return (tdi_row_law){l, s->unmet ? b->k : b->merit, b->law.law};
}

static td_real merit_value(const tdi_row_group *b, const tdi_constraint_state *s,
                           const td_real *c) {
    td_real sum = 0;
    for (int32_t r = 0; r < b->law.row_count; r++) {
        const td_real l = s->l[b->relation][r];
        sum += tdi_row_evaluate(law_of(b, s, l), tdi_row_error(b, l, c[r])).value;
    }
    return sum;
}

td_real tdi_constraints_value(tdi_constraint_set *all, const tdi_system *y) {
    td_real sum = 0;
    tdi_constraints_gather_all(all, y);
    for (tdi_group_cursor at = tdi_groups_of(all); tdi_next_group(&at);) {
        const tdi_row_group *b = at.group;
        td_real c[TDI_RELATION_ROWS], along = at.state->along;
        td_vec3 x[TDI_RELATION_POINTS];
        tdi_row_group_positions(at.set, b, x);
        tdi_relation_rows(&b->law, x, &along, c);
        sum += merit_value(b, at.state, c);
    }
    return sum;
}

td_real tdi_constraints_value_kept(tdi_constraint_set *all) {
    td_real sum = 0;
    for (tdi_group_cursor at = tdi_groups_of(all); tdi_next_group(&at);) {
        sum += merit_value(at.group, at.state, at.group->c);
    }
    return sum;
}

td_real tdi_constraints_spring_value(tdi_constraint_set *all, const tdi_system *y) {
    td_real sum = 0;
    tdi_constraints_gather_all(all, y);
    for (tdi_group_cursor at = tdi_groups_of(all); tdi_next_group(&at);) {
        if (tdi_is_spring(at.group)) {
            td_real c[TDI_RELATION_ROWS], along = at.state->along;
            td_vec3 x[TDI_RELATION_POINTS];
            tdi_row_group_positions(at.set, at.group, x);
            tdi_relation_rows(&at.group->law, x, &along, c);
            for (int32_t r = 0; r < at.group->law.row_count; r++) {
                sum += tdi_row_evaluate(at.group->spring, c[r]).value;
            }
        }
    }
    return sum;
}

// ---- forces ---------------------------------------------------------------------------------

// On a curve only a force across it does anything.
static void across_curve(const tdi_row_group *b, td_real along, td_real *l) {
    td_vec3 p, d1, d2;
    tdi_cubic_curve_at(&b->law.curve, along, &p, &d1, &d2);
    const td_real part = (l[0] * d1.x + l[1] * d1.y + l[2] * d1.z) / tdi_dot(d1, d1);
    l[0] -= part * d1.x;
    l[1] -= part * d1.y;
    l[2] -= part * d1.z;
}

//   f' = l + K e where it takes part,  f = l + K (e + J x),  e the error c
// Gives what the slope changes by where the value has f_m of f instead of f'.
static td_real forces_of(const tdi_constraint_set *h, const tdi_row_group *b,
                         td_real f[TDI_RELATION_ROWS]) {
    const tdi_constraint_state *s = &h->state[b->constraint];
    const td_real *l = s->l[b->relation];
    td_real slope = 0;
    for (int32_t r = 0; r < b->law.row_count; r++) {
        const td_real e = tdi_row_error(b, l[r], b->c[r]), jx = tdi_row_change(h, b, r),
                      before = b->used[r] ? l[r] + b->k * e : 0,
                      after = b->used[r] ? l[r] + b->k * (e + jx) : 0;
        f[r] = s->unmet ? 0 : tdi_is_one_sided(b) ? fmin(after, 0) : after;
        const td_real left = tdi_row_error(b, f[r], b->c[r]);
        slope += (before - tdi_row_evaluate(law_of(b, s, f[r]), left).force) * jx;
    }
    return slope;
}

// How much of an error counts: of a spring S/(K + S), as a soft one meets its law as it is.
static td_real counts_of(const tdi_row_group *b) {
    return tdi_is_spring(b) ? 1 - b->k / b->spring.stiffness : 1;
}

// Whether the increments leave too much of an error to the first order.
static bool is_weak(const tdi_constraint_set *h, const tdi_row_group *b) {
    const tdi_constraint_state *s = &h->state[b->constraint];
    const td_real plain = tdi_is_pinned(b) ? PLAIN : SERIES, counts = counts_of(b);
    td_real whole = 0; // of a curve, whose three rows are those of two directions
    bool weak = false;
    for (int32_t r = 0; r < b->law.row_count && b->law.kind == TDI_RELATION_CURVE; r++) {
        whole = fmax(whole, fabs(b->c[r]));
    }
    for (int32_t r = 0; r < b->law.row_count; r++) {
        const td_real e = tdi_row_error(b, s->l[b->relation][r], b->c[r]),
                      left = counts * (e + tdi_row_change(h, b, r));
        weak = weak ||
               (b->used[r] && counts * fabs(e) > plain && fabs(left) > WEAK * fmax(fabs(e), whole));
    }
    return weak;
}

bool tdi_constraints_within_reach(tdi_constraint_set *all) {
    for (tdi_group_cursor at = tdi_groups_of(all); tdi_next_group(&at);) {
        const tdi_row_group *b = at.group;
        if (tdi_is_one_sided(b) || at.state->unmet || b->weak || is_weak(at.set, b)) {
            return false;
        }
    }
    return true;
}

static void strengthen(const tdi_constraint_set *h, tdi_row_group *b, tdi_constraint_state *s) {
    b->weak = !s->unmet && s->weight[b->relation] < MOST_TENS && is_weak(h, b);
    if (b->weak) {
        s->weight[b->relation]++;
    }
}

// One-sided rows that would have to pull for these increments: they are those of a bar.
static void free_rows(const tdi_constraint_set *h, tdi_row_group *b, const td_real *l) {
    for (int32_t r = 0; r < b->law.row_count; r++) {
        const td_real after = l[r] + b->k * (b->c[r] + tdi_row_change(h, b, r));
        b->freed[r] = tdi_is_one_sided(b) && b->used[r] && after > tdi_least_force(b);
    }
}

static td_real finish(tdi_constraint_set *h, tdi_row_group *b) {
    tdi_constraint_state *s = &h->state[b->constraint];
    strengthen(h, b, s);
    td_real *l = s->l[b->relation], f[TDI_RELATION_ROWS] = {0};
    free_rows(h, b, l);
    const td_real slope = forces_of(h, b, f);
    memcpy(b->l_before, l, sizeof b->l_before);
    memcpy(l, f, sizeof f);
    if (b->law.kind == TDI_RELATION_CURVE) {
        across_curve(b, s->along, l);
    }
    return slope;
}

td_real tdi_constraints_slope(tdi_constraint_set *all, const tdi_system *y) {
    td_real sum = 0, f[TDI_RELATION_ROWS];
    for (tdi_constraint_set *h = all; h; h = h->next) {
        tdi_constraints_gather_motions(h, y);
    }
    for (tdi_group_cursor at = tdi_groups_of(all); tdi_next_group(&at);) {
        sum += forces_of(at.set, at.group, f);
    }
    return sum;
}

void tdi_constraints_update_multipliers(tdi_constraint_set *all, const tdi_system *y,
                                        td_real *predicted_decrease) {
    for (tdi_constraint_set *h = all; h; h = h->next) {
        if (y->contact || !h->solve.couples || h->solve.eliminated) { // others have answered
            tdi_constraints_gather_motions(h, y);
        }
    }
    for (tdi_group_cursor at = tdi_groups_of(all); tdi_next_group(&at);) {
        *predicted_decrease += finish(at.set, at.group);
    }
}

void tdi_constraints_restore_multipliers(tdi_constraint_set *all) {
    for (tdi_group_cursor at = tdi_groups_of(all); tdi_next_group(&at);) {
        tdi_row_group *b = at.group;
        memcpy(at.state->l[b->relation], b->l_before, sizeof b->l_before);
        memset(b->freed, 0, sizeof b->freed);
    }
}

// ---- errors ---------------------------------------------------------------------------------

// How far a relation is from being met. One-sided: from c = 0 where it pushes, and below it.
static td_real error_of(const tdi_row_group *b, const tdi_constraint_state *s, const td_real *c) {
    td_real most = 0;
    for (int32_t r = 0; r < b->law.row_count; r++) {
        const td_real l = s->l[b->relation][r];
        const bool idle = tdi_is_one_sided(b) && c[r] > 0 && !(l < 0);
        const td_real e = idle ? 0 : counts_of(b) * fabs(tdi_row_error(b, l, c[r]));
        most = e <= most ? most : e; // keeps NaN
    }
    return most;
}

// What a relation is met to. Places of a long chain are sums along it: they are rounded by more
// than an increment could mend, where they are far from the origin.
static td_real met_to(const tdi_row_group *b, const td_vec3 *x) {
    td_real most = 0;
    for (int32_t p = 0; p < b->law.point_count; p++) {
        most = fmax(most, tdi_norm(x[p]));
    }
    return fmax(TDI_RESIDUAL_TOLERANCE, ROUNDED * most);
}

// Whether a relation is met, or cannot be.
static bool judge(tdi_constraint_set *h, tdi_row_group *b, td_real largest, bool whole) {
    tdi_constraint_state *s = &h->state[b->constraint];
    td_real c[TDI_RELATION_ROWS], along = s->along;
    td_vec3 x[TDI_RELATION_POINTS];
    tdi_row_group_positions(h, b, x);
    tdi_relation_rows(&b->law, x, &along, c);
    const td_real before = b->error;
    b->error = error_of(b, s, c);
    const bool freed = b->freed[0] || b->freed[1] || b->freed[2];
    if (s->unmet || b->error <= met_to(b, x)) {
        b->stalls = 0;
        return !freed;
    }
    const bool stalls =
        whole && !b->weak && b->error > SHRINKS * before && largest < NO_PROGRESS * b->error;
    b->stalls = stalls ? b->stalls + 1 : 0;
    if (b->stalls >= STALLS) {
        s->unmet = 1;
    }
    return false;
}

bool tdi_constraints_converged(tdi_constraint_set *all, const tdi_system *y, td_real largest,
                               bool whole) {
    bool satisfied = true;
    tdi_constraints_gather_all(all, y);
    for (tdi_group_cursor at = tdi_groups_of(all); tdi_next_group(&at);) {
        satisfied = judge(at.set, at.group, largest, whole) && satisfied;
    }
    return satisfied;
}
