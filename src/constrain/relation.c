// SPDX-License-Identifier: MIT
// Rows of relations and their derivatives.
//
// Local coordinates of a point a in the axes e_k = b_k - b of the other side: y_k = e_k.(a - b),
//   by a: e_k,  by b_k: a - b,  by b: -e_k - (a - b).
// Ball joints: functions g of the quaternion q, unchanged when q is scaled, so that along
// exp(w) q = q + G w - |w|^2/8 q + ...  the gradient is G^T g' and the Hessian G^T g'' G.

#include "constrain/constrain.h"

#define TINY 1e-12 // of an angle: a cone has no direction there

// ---- local coordinates ----------------------------------------------------------------------

static td_real local(const td_vec3 *x, int32_t k) {
    return tdi_dot(tdi_sub(x[k], x[1]), tdi_sub(x[0], x[1]));
}

// Adds weight times the gradient of y_k, k being the point.
static void add_local(const td_vec3 *x, int32_t k, td_real weight, td_vec3 *gradient) {
    const td_vec3 e = tdi_sub(x[k], x[1]), r = tdi_sub(x[0], x[1]);
    gradient[0] = tdi_madd(gradient[0], e, weight);
    gradient[k] = tdi_madd(gradient[k], r, weight);
    gradient[1] = tdi_madd(gradient[1], tdi_add(e, r), -weight);
}

// ---- ranges ---------------------------------------------------------------------------------

static void range_rows(const tdi_relation *relation, td_real y, td_real *c) {
    int32_t row = 0;
    if (relation->has_low) {
        c[row++] = y - relation->low;
    }
    if (relation->has_high) {
        c[row] = relation->high - y;
    }
}

// +1 or -1: how a row of a range goes with its coordinate.
static td_real range_sign(const tdi_relation *relation, int32_t row) {
    return relation->has_low && row == 0 ? 1 : -1;
}

// ---- ball joints ----------------------------------------------------------------------------

// A function of a quaternion (w, x, y, z) with its derivatives.
typedef struct of_quat {
    td_real value, g[4], h[4][4];
} of_quat;

// 2 atan2(s, u), with s and u given as functions
static of_quat angle_of(const of_quat *s, const of_quat *u) {
    const td_real r2 = s->value * s->value + u->value * u->value;
    const td_real by_s = 2 * u->value / r2, by_u = -2 * s->value / r2,
                  ss = -4 * s->value * u->value / (r2 * r2),
                  su = 2 * (s->value * s->value - u->value * u->value) / (r2 * r2);
    of_quat a = {.value = 2 * atan2(s->value, u->value)};
    for (int i = 0; i < 4; i++) {
        a.g[i] = by_s * s->g[i] + by_u * u->g[i];
        for (int j = 0; j < 4; j++) {
            a.h[i][j] = by_s * s->h[i][j] + by_u * u->h[i][j] +
                        ss * (s->g[i] * s->g[j] - u->g[i] * u->g[j]) +
                        su * (s->g[i] * u->g[j] + u->g[i] * s->g[j]);
        }
    }
    return a;
}

// The length of two components of q.
static of_quat length_of(const td_real q[4], int a, int b) {
    of_quat l = {.value = fmax(sqrt(q[a] * q[a] + q[b] * q[b]), TINY)};
    const int at[2] = {a, b};
    for (int i = 0; i < 2; i++) {
        l.g[at[i]] = q[at[i]] / l.value;
    }
    for (int i = 0; i < 2; i++) {
        for (int j = 0; j < 2; j++) {
            l.h[at[i]][at[j]] = ((i == j) - l.g[at[i]] * l.g[at[j]]) / l.value;
        }
    }
    return l;
}

static of_quat component(const td_real q[4], int a) {
    of_quat c = {.value = q[a]};
    c.g[a] = 1;
    return c;
}

// The value alone: line searches ask for no more.
static td_real ball_value(const tdi_relation *relation, td_vec3 turn) {
    const td_quat q = tdi_quat_unit(tdi_turn_by(turn));
    return relation->kind == TDI_RELATION_CONE ? 2 * atan2(fmax(sqrt(q.x * q.x + q.z * q.z), TINY),
                                                           fmax(sqrt(q.w * q.w + q.y * q.y), TINY))
                                               : 2 * atan2(q.y, q.w);
}

static of_quat ball_angle(const tdi_relation *relation, td_vec3 turn) {
    const td_quat t = tdi_quat_unit(tdi_turn_by(turn)); // w >= 0: twists of -pi .. pi
    const td_real q[4] = {t.w, t.x, t.y, t.z};
    const bool cone = relation->kind == TDI_RELATION_CONE;
    const of_quat s = cone ? length_of(q, 1, 3) : component(q, 2),
                  u = cone ? length_of(q, 0, 2) : component(q, 0);
    return angle_of(&s, &u);
}

// G of the quaternion of a turn: rows w, x, y, z.
static void turn_rates(td_vec3 turn, td_vec3 rate[4]) {
    const td_quat q = tdi_quat_unit(tdi_turn_by(turn));
    rate[0] = tdi_vec3(-q.x / 2, -q.y / 2, -q.z / 2);
    rate[1] = tdi_vec3(q.w / 2, q.z / 2, -q.y / 2);
    rate[2] = tdi_vec3(-q.z / 2, q.w / 2, q.x / 2);
    rate[3] = tdi_vec3(q.y / 2, -q.x / 2, q.w / 2);
}

static td_vec3 ball_gradient(const of_quat *a, td_vec3 turn) {
    td_vec3 rate[4], sum = {0, 0, 0};
    turn_rates(turn, rate);
    for (int i = 0; i < 4; i++) {
        sum = tdi_madd(sum, rate[i], a->g[i]);
    }
    return sum;
}

static td_sym3 ball_hessian(const of_quat *a, td_vec3 turn) {
    td_vec3 rate[4];
    td_sym3 sum = {0};
    turn_rates(turn, rate);
    for (int i = 0; i < 4; i++) {
        td_vec3 v = {0, 0, 0};
        for (int j = 0; j < 4; j++) {
            v = tdi_madd(v, rate[j], a->h[i][j]);
        }
        sum.xx += rate[i].x * v.x;
        sum.yy += rate[i].y * v.y;
        sum.zz += rate[i].z * v.z;
        sum.xy += rate[i].x * v.y;
        sum.xz += rate[i].x * v.z;
        sum.yz += rate[i].y * v.z;
    }
    return sum;
}

// log(exp(a) exp(-target)), the shorter way
static td_vec3 turn_error(const tdi_relation *relation, td_vec3 turn) {
    const td_quat q = tdi_quat_unit(
        tdi_quat_mul(tdi_turn_by(turn), tdi_quat_conj(tdi_turn_by(relation->target))));
    const td_vec3 v = {q.x, q.y, q.z};
    const td_real s = tdi_norm(v);
    return tdi_scale(v, s > 1e-8 ? 2 * atan2(s, q.w) / s : 2);
}

// Rows of I - c^/2 + k c^2, k = (1 - (t/2) cot(t/2))/t^2: how the error moves with w.
static void turn_gradients(td_vec3 c, td_vec3 rows[3]) {
    const td_real t2 = tdi_dot(c, c), t = sqrt(t2),
                  k = t2 > 1e-6 ? (1 - t / 2 / tan(t / 2)) / t2 : 1.0 / 12 + t2 / 720;
    const td_vec3 unit[3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    for (int r = 0; r < 3; r++) {
        const td_vec3 once = tdi_cross(c, unit[r]); // transposed: the sign of the odd term turns
        rows[r] = tdi_add(tdi_madd(unit[r], once, 0.5), tdi_scale(tdi_cross(c, once), k));
    }
}

// ---- rows -----------------------------------------------------------------------------------

static td_vec3 curve_place(const td_vec3 *x) {
    return tdi_vec3(local(x, 2), local(x, 3), local(x, 4));
}

// Speeds at the ends: there the parameter times this is a length.
static void end_speeds(const tdi_cubic_curve *s, td_real speed[2]) {
    for (int k = 0; k < 2; k++) {
        td_vec3 p, d1, d2;
        tdi_cubic_curve_at(s, k == 0 ? 0 : s->count - 1, &p, &d1, &d2);
        speed[k] = tdi_norm(d1);
    }
}

static void set3(td_real *c, td_vec3 v) {
    c[0] = v.x;
    c[1] = v.y;
    c[2] = v.z;
}

static td_real away(const tdi_relation *relation, td_real distance) {
    return relation->law == TDI_LAW_ONE_SIDED ? relation->low - distance : distance - relation->low;
}

void tdi_relation_rows(const tdi_relation *relation, const td_vec3 x[TDI_RELATION_POINTS],
                       td_real *along, td_real c[TDI_RELATION_ROWS]) {
    td_vec3 p, d1, d2;
    td_real speed[2];
    switch (relation->kind) {
    case TDI_RELATION_POINT:
        for (int32_t r = 0; r < relation->row_count; r++) {
            c[r] = tdi_dot(relation->way[r], tdi_sub(x[0], x[1]));
        }
        break;
    case TDI_RELATION_LINE:
        for (int32_t r = 0; r < relation->row_count; r++) {
            c[r] = local(x, 2 + r);
        }
        break;
    case TDI_RELATION_ALONG: range_rows(relation, local(x, 2), c); break;
    case TDI_RELATION_CURVE:
        *along = tdi_cubic_curve_nearest(&relation->curve, curve_place(x), *along);
        tdi_cubic_curve_at(&relation->curve, *along, &p, &d1, &d2);
        set3(c, tdi_sub(curve_place(x), p));
        break;
    case TDI_RELATION_ENDS:
        *along = tdi_cubic_curve_nearest(&relation->curve, curve_place(x), *along);
        end_speeds(&relation->curve, speed);
        c[0] = *along * speed[0];
        c[1] = (relation->curve.count - 1 - *along) * speed[1];
        break;
    case TDI_RELATION_DISTANCE: c[0] = away(relation, tdi_norm(tdi_sub(x[0], x[1]))); break;
    case TDI_RELATION_ANGLE: c[0] = x[0].x - relation->target.x; break;
    case TDI_RELATION_TURN: set3(c, turn_error(relation, x[0])); break;
    case TDI_RELATION_GEAR: c[0] = x[0].x - relation->ratio * x[1].x - relation->low; break;
    case TDI_RELATION_RANGE: range_rows(relation, x[0].x, c); break;
    case TDI_RELATION_CONE: c[0] = relation->high - ball_value(relation, x[0]); break;
    case TDI_RELATION_TWIST: range_rows(relation, ball_value(relation, x[0]), c); break;
    }
}

// ---- gradients ------------------------------------------------------------------------------

// The parameter by y: p'/(|p'|^2 - e.p'')
static td_vec3 along_rate(const tdi_relation *relation, const td_vec3 *x, td_real along,
                          td_vec3 *d1) {
    td_vec3 p, d2;
    tdi_cubic_curve_at(&relation->curve, along, &p, d1, &d2);
    const td_real speed2 = tdi_dot(*d1, *d1), bend = tdi_dot(tdi_sub(curve_place(x), p), d2);
    return tdi_scale(*d1, 1 / fmax(speed2 - bend, 0.1 * speed2));
}

// I - p' (parameter by y)^T
static void curve_rates(const tdi_relation *relation, const td_vec3 *x, td_real along,
                        td_vec3 rate[3]) {
    td_vec3 d1;
    const td_vec3 by = along_rate(relation, x, along, &d1);
    rate[0] = tdi_madd(tdi_vec3(1, 0, 0), by, -d1.x);
    rate[1] = tdi_madd(tdi_vec3(0, 1, 0), by, -d1.y);
    rate[2] = tdi_madd(tdi_vec3(0, 0, 1), by, -d1.z);
}

static void end_rates(const tdi_relation *relation, const td_vec3 *x, td_real along,
                      td_vec3 rate[3]) {
    td_vec3 d1;
    td_real speed[2];
    const td_vec3 by = along_rate(relation, x, along, &d1);
    end_speeds(&relation->curve, speed);
    rate[0] = tdi_scale(by, speed[0]);
    rate[1] = tdi_scale(by, -speed[1]);
}

static void curve_gradients(const tdi_relation *relation, const td_vec3 *x, td_real along,
                            tdi_relation_at *at) {
    td_vec3 rate[3];
    if (relation->kind == TDI_RELATION_CURVE) {
        curve_rates(relation, x, along, rate);
    } else {
        end_rates(relation, x, along, rate);
    }
    for (int32_t r = 0; r < relation->row_count; r++) {
        add_local(x, 2, rate[r].x, at->gradient[r]);
        add_local(x, 3, rate[r].y, at->gradient[r]);
        add_local(x, 4, rate[r].z, at->gradient[r]);
    }
}

static void ball_gradients(const tdi_relation *relation, const td_vec3 *x, tdi_relation_at *at) {
    const of_quat a = ball_angle(relation, x[0]);
    const td_vec3 g = ball_gradient(&a, x[0]);
    for (int32_t r = 0; r < relation->row_count; r++) {
        const td_real sign = relation->kind == TDI_RELATION_CONE ? -1 : range_sign(relation, r);
        at->gradient[r][0] = tdi_scale(g, sign);
    }
}

static void point_gradients(const tdi_relation *relation, tdi_relation_at *at) {
    for (int32_t r = 0; r < relation->row_count; r++) {
        at->gradient[r][0] = relation->way[r];
        at->gradient[r][1] = tdi_scale(relation->way[r], -1);
    }
}

static void gradients(const tdi_relation *relation, const td_vec3 *x, td_real along,
                      tdi_relation_at *at) {
    const td_vec3 one = {1, 0, 0};
    switch (relation->kind) {
    case TDI_RELATION_POINT: point_gradients(relation, at); break;
    case TDI_RELATION_LINE:
        for (int32_t r = 0; r < relation->row_count; r++) {
            add_local(x, 2 + r, 1, at->gradient[r]);
        }
        break;
    case TDI_RELATION_ALONG:
        for (int32_t r = 0; r < relation->row_count; r++) {
            add_local(x, 2, range_sign(relation, r), at->gradient[r]);
        }
        break;
    case TDI_RELATION_CURVE:
    case TDI_RELATION_ENDS: curve_gradients(relation, x, along, at); break;
    case TDI_RELATION_DISTANCE:
        at->gradient[0][0] = tdi_scale(tdi_unit_or(tdi_sub(x[0], x[1]), one),
                                       relation->law == TDI_LAW_ONE_SIDED ? -1 : 1);
        at->gradient[0][1] = tdi_scale(at->gradient[0][0], -1);
        break;
    case TDI_RELATION_TURN: {
        td_vec3 rows[3];
        turn_gradients(tdi_vec3(at->c[0], at->c[1], at->c[2]), rows);
        for (int r = 0; r < 3; r++) {
            at->gradient[r][0] = rows[r];
        }
        break;
    }
    case TDI_RELATION_ANGLE: at->gradient[0][0] = one; break;
    case TDI_RELATION_GEAR:
        at->gradient[0][0] = one;
        at->gradient[0][1] = tdi_scale(one, -relation->ratio);
        break;
    case TDI_RELATION_RANGE:
        for (int32_t r = 0; r < relation->row_count; r++) {
            at->gradient[r][0] = tdi_scale(one, range_sign(relation, r));
        }
        break;
    case TDI_RELATION_CONE:
    case TDI_RELATION_TWIST: ball_gradients(relation, x, at); break;
    }
}

void tdi_relation_evaluate(const tdi_relation *relation, const td_vec3 x[TDI_RELATION_POINTS],
                           td_real *along, tdi_relation_at *at) {
    *at = (tdi_relation_at){0};
    tdi_relation_rows(relation, x, along, at->c);
    gradients(relation, x, *along, at);
}

// ---- second derivatives ---------------------------------------------------------------------

// p' in the world's axes
static td_vec3 curve_way(const tdi_relation *relation, const td_vec3 *x, td_real along) {
    td_vec3 p, d1, d2, way = {0, 0, 0};
    tdi_cubic_curve_at(&relation->curve, along, &p, &d1, &d2);
    const td_real own[3] = {d1.x, d1.y, d1.z};
    for (int k = 0; k < 3; k++) {
        way = tdi_madd(way, tdi_sub(x[2 + k], x[1]), own[k]);
    }
    return way;
}

// -(force.p'')/|p'|^4 of p' p'^T in the world's axes, for a force across the curve
static td_sym3 curve_hessian(const tdi_relation *relation, const td_vec3 *x, td_real along,
                             const td_real *force) {
    td_vec3 p, d1, d2;
    tdi_cubic_curve_at(&relation->curve, along, &p, &d1, &d2);
    const td_vec3 f = {force[0], force[1], force[2]};
    const td_real speed2 = tdi_dot(d1, d1);
    return tdi_sym3_square(curve_way(relation, x, along), -tdi_dot(f, d2) / (speed2 * speed2));
}

// Turns rows and columns p and q of a symmetric matrix so that a_pq becomes 0, and the columns of v
// with them.
static void rotate(td_real a[3][3], td_real v[3][3], int p, int q) {
    if (a[p][q] == 0) {
        return;
    }
    const td_real theta = (a[q][q] - a[p][p]) / (2 * a[p][q]),
                  t = (theta < 0 ? -1 : 1) / (fabs(theta) + sqrt(1 + theta * theta)),
                  c = 1 / sqrt(1 + t * t), s = t * c;
    for (int k = 0; k < 3; k++) {
        const td_real x = a[k][p], y = a[k][q];
        a[k][p] = c * x - s * y;
        a[k][q] = s * x + c * y;
    }
    for (int k = 0; k < 3; k++) {
        const td_real x = a[p][k], y = a[q][k], z = v[k][p], w = v[k][q];
        a[p][k] = c * x - s * y;
        a[q][k] = s * x + c * y;
        v[k][p] = c * z - s * w;
        v[k][q] = s * z + c * w;
    }
}

td_sym3 tdi_relation_positive(const td_sym3 *h) {
    enum { SWEEPS = 6 }; // the error is squared each time
    td_real a[3][3] = {{h->xx, h->xy, h->xz}, {h->xy, h->yy, h->yz}, {h->xz, h->yz, h->zz}},
            v[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    td_sym3 sum = {0};
    for (int k = 0; k < SWEEPS; k++) {
        rotate(a, v, 0, 1);
        rotate(a, v, 0, 2);
        rotate(a, v, 1, 2);
    }
    for (int k = 0; k < 3; k++) {
        const td_vec3 axis = {v[0][k], v[1][k], v[2][k]};
        sum = tdi_sym3_add(sum, tdi_sym3_square(axis, fmax(a[k][k], 0)));
    }
    return sum;
}

bool tdi_relation_has_curvature(tdi_relation_kind kind) {
    return kind == TDI_RELATION_CURVE || kind == TDI_RELATION_DISTANCE ||
           kind == TDI_RELATION_CONE || kind == TDI_RELATION_TWIST;
}

bool tdi_relation_is_rotating(tdi_relation_kind kind) {
    return kind == TDI_RELATION_LINE || kind == TDI_RELATION_ALONG || kind == TDI_RELATION_CURVE;
}

int32_t tdi_relation_curvature_rows(const tdi_relation *relation) {
    const bool one = relation->kind == TDI_RELATION_CURVE ||
                     (relation->kind == TDI_RELATION_LINE && relation->row_count == 2);
    // what slides within a range is on a line besides
    const bool two = relation->kind == TDI_RELATION_DISTANCE ||
                     relation->kind == TDI_RELATION_LINE ||
                     (relation->kind == TDI_RELATION_ALONG && relation->row_count == 1);
    return one ? 1 : two ? 2 : 0;
}

void tdi_relation_free_axes(const tdi_relation *relation, const td_vec3 x[TDI_RELATION_POINTS],
                            td_real along, td_vec3 *way) {
    const td_vec3 e = tdi_sub(x[2], x[1]);
    if (relation->kind == TDI_RELATION_CURVE) {
        way[0] = tdi_unit_or(curve_way(relation, x, along), tdi_vec3(1, 0, 0));
    } else if (tdi_relation_curvature_rows(relation) == 1) {
        way[0] = tdi_cross(e, tdi_sub(x[3], x[1]));
    } else if (tdi_relation_curvature_rows(relation) == 2) {
        way[0] = tdi_across(e);
        way[1] = tdi_cross(e, way[0]);
    }
}

td_sym3 tdi_relation_hessian(const tdi_relation *relation, const td_vec3 x[TDI_RELATION_POINTS],
                             td_real along, const td_real force[TDI_RELATION_ROWS]) {
    td_sym3 h = {0};
    if (relation->kind == TDI_RELATION_CURVE) {
        return curve_hessian(relation, x, along, force);
    }
    if (relation->kind == TDI_RELATION_DISTANCE) { // (I - n n^T)/|d|
        const td_vec3 d = tdi_sub(x[0], x[1]), n = tdi_unit_or(d, tdi_vec3(1, 0, 0));
        const td_real k =
            (relation->law == TDI_LAW_ONE_SIDED ? -1 : 1) * force[0] / fmax(tdi_norm(d), TINY);
        h = tdi_sym3_square(n, -k);
        h.xx += k;
        h.yy += k;
        h.zz += k;
    } else if (relation->kind == TDI_RELATION_CONE || relation->kind == TDI_RELATION_TWIST) {
        const of_quat a = ball_angle(relation, x[0]);
        td_real sum = 0;
        for (int32_t r = 0; r < relation->row_count; r++) {
            sum += force[r] * (relation->kind == TDI_RELATION_CONE ? -1 : range_sign(relation, r));
        }
        h = tdi_sym3_scale(ball_hessian(&a, x[0]), sum);
    }
    return h;
}
