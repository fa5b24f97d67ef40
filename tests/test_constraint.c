// SPDX-License-Identifier: MIT
// Rows of constraints and their derivatives, curves, checks. Pairs with src/constrain.

#include "constrain/constrain.h"
#include "td_test.h"

#include <stdlib.h>

static double between(tdi_random *r, double low, double high) {
    return low + (high - low) * tdi_random_uniform(r);
}

static td_vec3 random_vec(tdi_random *r, double size) {
    double x = between(r, -size, size);
    double y = between(r, -size, size);
    double z = between(r, -size, size);
    return tdi_vec3(x, y, z);
}

// ---- bonds ----------------------------------------------------------------------------------

enum { CURVE = 6 };
typedef struct bent {
    td_vec3 point[CURVE], m[CURVE];
    tdi_cubic_curve spline;
} bent;

static void make_bent(bent *b, bool closed) {
    td_real work[2 * CURVE];
    for (int k = 0; k < CURVE; k++) {
        b->point[k] = tdi_vec3(cos(k), 0.3 * k * (closed ? 0 : 1), sin(1.1 * k));
    }
    tdi_cubic_curve_fill(b->point, CURVE, closed, work, b->m);
    b->spline = (tdi_cubic_curve){b->point, b->m, CURVE, closed};
}

static const char *const bond_names[] = {"point", "line", "along", "curve", "ends", "distance",
                                         "angle", "turn", "gear",  "range", "cone", "twist"};

static tdi_relation bond_of(tdi_relation_kind kind, const bent *curve) {
    static const int32_t points[] = {2, 4, 3, 5, 5, 2, 1, 1, 2, 1, 1, 1},
                         rows[] = {3, 2, 2, 3, 2, 1, 1, 3, 1, 2, 1, 2};
    tdi_relation b = {.kind = kind,
                      .row_count = rows[kind],
                      .point_count = points[kind],
                      .low = -0.4,
                      .high = 0.7,
                      .ratio = 1.7,
                      .has_low = true,
                      .has_high = true,
                      .target = {0.3, -0.2, 0.5},
                      .way = {{1, 0, 0}, {0, 0.8, 0.6}, {0, 0.6, -0.8}},
                      .curve = curve->spline};
    return b;
}

static bool is_ball(tdi_relation_kind kind) {
    return kind == TDI_RELATION_TURN || kind == TDI_RELATION_CONE || kind == TDI_RELATION_TWIST;
}

// points of the second side are those of a turned frame
static void random_places(tdi_random *r, const tdi_relation *b, td_vec3 x[TDI_RELATION_POINTS]) {
    const td_quat turn = tdi_turn_by(random_vec(r, 2));
    const td_vec3 unit[3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    x[0] = random_vec(r, is_ball(b->kind) ? 0.9 : 1);
    x[1] = random_vec(r, 1);
    for (int k = 0; k < 3; k++) {
        x[2 + k] = tdi_add(x[1], tdi_quat_rotate(turn, unit[k]));
    }
}

static td_vec3 log_of(td_quat q) {
    q = tdi_quat_unit(q);
    const td_vec3 v = {q.x, q.y, q.z};
    const td_real s = tdi_norm(v);
    return tdi_scale(v, s > 1e-9 ? 2 * atan2(s, q.w) / s : 2);
}

// moves a point: a ball joint by exp(w)
static td_vec3 moved(const tdi_relation *b, td_vec3 x, td_vec3 w) {
    return is_ball(b->kind) ? log_of(tdi_quat_mul(tdi_turn_by(w), tdi_turn_by(x))) : tdi_add(x, w);
}

static td_vec3 axis(int d, td_real size) {
    return tdi_vec3(d == 0 ? size : 0, d == 1 ? size : 0, d == 2 ? size : 0);
}

static td_real part(td_vec3 v, int d) {
    return d == 0 ? v.x : d == 1 ? v.y : v.z;
}

// central differences, off by h^2: 1e-12, and by rounding over h: 1e-10
TD_TEST(constraint_gradients_of_every_bond_equal_finite_differences) {
    enum { TRIALS = 30 };
    const td_real h = 1e-6;
    tdi_random r = random_of(1);
    bent curve;
    make_bent(&curve, false);
    for (int kind = 0; kind <= TDI_RELATION_TWIST; kind++) {
        const tdi_relation b = bond_of((tdi_relation_kind)kind, &curve);
        double worst = 0;
        for (int trial = 0; trial < TRIALS; trial++) {
            td_vec3 x[TDI_RELATION_POINTS];
            td_real along = NAN;
            tdi_relation_at at;
            random_places(&r, &b, x);
            tdi_relation_evaluate(&b, x, &along, &at);
            for (int p = 0; p < b.point_count; p++) {
                for (int d = 0; d < 3; d++) {
                    const td_vec3 kept = x[p];
                    td_real more[3], less[3], near1 = along, near2 = along;
                    x[p] = moved(&b, kept, axis(d, h));
                    tdi_relation_rows(&b, x, &near1, more);
                    x[p] = moved(&b, kept, axis(d, -h));
                    tdi_relation_rows(&b, x, &near2, less);
                    x[p] = kept;
                    for (int row = 0; row < b.row_count; row++) {
                        const double want = (more[row] - less[row]) / (2 * h);
                        worst = fmax(worst, fabs(part(at.gradient[row][p], d) - want));
                    }
                }
            }
        }
        CHECK_SAY(worst < 2e-8, "%s: %g", bond_names[kind], worst);
    }
}

// of the first point, with the others at rest; those of curves for a point on it and a force across
TD_TEST(constraint_hessians_equal_finite_differences) {
    enum { TRIALS = 30 };
    const td_real h = 1e-4;
    tdi_random r = random_of(2);
    bent curve;
    make_bent(&curve, false);
    static const tdi_relation_kind kinds[] = {TDI_RELATION_POINT,    TDI_RELATION_LINE,
                                              TDI_RELATION_DISTANCE, TDI_RELATION_CONE,
                                              TDI_RELATION_TWIST,    TDI_RELATION_CURVE};
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
        const tdi_relation b = bond_of(kinds[k], &curve);
        double worst = 0;
        for (int trial = 0; trial < TRIALS; trial++) {
            td_vec3 x[TDI_RELATION_POINTS], p, d1, d2;
            td_real along = 0.3 + 4 * tdi_random_uniform(&r), f[3], c[3];
            random_places(&r, &b, x);
            td_vec3 force = random_vec(&r, 1);
            if (b.kind == TDI_RELATION_CURVE) {
                tdi_cubic_curve_at(&curve.spline, along, &p, &d1, &d2);
                x[0] = x[1];
                x[0] = tdi_madd(x[0], tdi_sub(x[2], x[1]), p.x);
                x[0] = tdi_madd(x[0], tdi_sub(x[3], x[1]), p.y);
                x[0] = tdi_madd(x[0], tdi_sub(x[4], x[1]), p.z);
                force = tdi_madd(force, d1, -tdi_dot(force, d1) / tdi_dot(d1, d1));
            }
            f[0] = force.x;
            f[1] = force.y;
            f[2] = force.z;
            const td_sym3 got = tdi_relation_hessian(&b, x, along, f);
            const td_real own[6] = {got.xx, got.yy, got.zz, got.xy, got.xz, got.yz};
            const int pairs[6][2] = {{0, 0}, {1, 1}, {2, 2}, {0, 1}, {0, 2}, {1, 2}};
            for (int e = 0; e < 6; e++) { // along w = +-h u +- h v, for exp(w) of ball joints
                const td_vec3 kept = x[0];
                td_real sum = 0;
                for (int s = 0; s < 4; s++) {
                    const td_real a = s & 1 ? -h : h, o = s & 2 ? -h : h;
                    td_real near = along;
                    x[0] = moved(&b, kept, tdi_add(axis(pairs[e][0], a), axis(pairs[e][1], o)));
                    tdi_relation_rows(&b, x, &near, c);
                    for (int row = 0; row < b.row_count; row++) {
                        sum += (a * o > 0 ? 1 : -1) * f[row] * c[row];
                    }
                }
                x[0] = kept;
                worst = fmax(worst, fabs(sum / (4 * h * h) - own[e]));
            }
        }
        CHECK_SAY(worst < 1e-5, "%s: %g", bond_names[b.kind], worst);
    }
}

// ---- curves ---------------------------------------------------------------------------------

TD_TEST(constraint_curves_go_through_their_points_with_continuous_second_derivatives) {
    for (int closed = 0; closed < 2; closed++) {
        bent b;
        make_bent(&b, closed);
        for (int k = 0; k < CURVE; k++) {
            td_vec3 p, d1, d2, q, e1, e2;
            tdi_cubic_curve_at(&b.spline, k, &p, &d1, &d2);
            CHECK(tdi_norm(tdi_sub(p, b.point[k])) < 1e-14);
            const bool inner = closed || (k > 0 && k < CURVE - 1);
            tdi_cubic_curve_at(&b.spline, (k + (closed ? CURVE : 0)) - 1e-9, &q, &e1, &e2);
            if (inner && k > 0) {
                tdi_cubic_curve_at(&b.spline, k - 1e-9, &q, &e1, &e2);
            }
            CHECK(!inner || tdi_norm(tdi_sub(d1, e1)) < 1e-7);
            CHECK(!inner || tdi_norm(tdi_sub(d2, e2)) < 1e-7);
        }
    }
}

TD_TEST(constraint_the_nearest_point_of_a_curve_is_nearer_than_all_samples) {
    tdi_random r = random_of(3);
    for (int closed = 0; closed < 2; closed++) {
        bent b;
        make_bent(&b, closed);
        for (int trial = 0; trial < 100; trial++) {
            const td_vec3 y = random_vec(&r, 1.5);
            td_vec3 p, d1, d2;
            const td_real along = tdi_cubic_curve_nearest(&b.spline, y, NAN);
            tdi_cubic_curve_at(&b.spline, along, &p, &d1, &d2);
            const double least = tdi_norm(tdi_sub(y, p));
            for (int k = 0; k <= 100 * (CURVE - 1); k++) {
                tdi_cubic_curve_at(&b.spline, 0.01 * k, &p, &d1, &d2);
                CHECK(tdi_norm(tdi_sub(y, p)) > least - 1e-12);
            }
        }
    }
}

// ---- checks ---------------------------------------------------------------------------------

static void refused(td_constraint c, const char *part_of_message) {
    td_diag diag = {.message = ""};
    CHECK(td_constraints_check(&c, 1, &diag) != TD_OK);
    CHECK_HAS(diag.message, part_of_message);
    CHECK_INT(diag.index, 0);
}

TD_TEST(constraint_faults_are_named) {
    td_constraint c = td_constraint_default(TD_CONSTRAINT_POINT), none = {0};
    c.name = "point";
    CHECK_INT(td_constraints_check(&c, 1, NULL), TD_OK);
    refused(none, "td_constraint_default()");
    td_constraint d = c;
    d.actor[0] = TD_NONE;
    refused(d, "constraint 'point': actor[0] is the world");
    d = c;
    d.point[0].x = NAN;
    refused(d, "point[0] must lie within 1e9 m");
    d = c;
    d.axis[1] = tdi_vec3(0, 2, 0);
    refused(d, "axis[1] must have the length 1");
    d = c;
    d.kind = TD_CONSTRAINT_LIMIT;
    d.low = 1;
    d.high = -1;
    refused(d, "low is 1; it must be below high, -1");
    d = c;
    d.end = -1;
    refused(d, "end is -1 s; it must be above start, 0 s");
    d = c;
    d.break_force = 0;
    refused(d, "break_force is 0; it must be above 0");
    d = c;
    d.kind = TD_CONSTRAINT_GEAR;
    refused(d, "a gear needs a second joint");
    d = c;
    d.kind = TD_CONSTRAINT_DISTANCE;
    d.target.length = 0;
    refused(d, "target.length is 0 m");
    d = c;
    d.kind = TD_CONSTRAINT_CURVE;
    refused(d, "curve_count must be from 2");
    d = c;
    d.actor[1] = 0;
    refused(d, "both sides are the same segment");
    d = c;
    d.kind = (td_constraint_kind)99;
    refused(d, "kind is unknown");
    d = td_constraint_default(TD_CONSTRAINT_JOINT);
    d.actor[1] = 0;
    refused(d, "it concerns one joint");
    d = td_constraint_default(TD_CONSTRAINT_GEAR);
    d.actor[1] = 0;
    d.segment[1] = 1;
    d.ratio = 0;
    refused(d, "ratio is 0; it must not be");
    d = td_constraint_default(TD_CONSTRAINT_LIMIT);
    d.cone = 0;
    refused(d, "cone is 0 rad; it must be above 0");
    td_vec3 points[3] = {{0, 0, 0}, {0, 1, 0}, {0, 1, 0}};
    d = td_constraint_default(TD_CONSTRAINT_CURVE);
    d.curve = points;
    d.curve_count = 3;
    refused(d, "two points of the curve in a row are the same");
    points[2].x = 2e9;
    refused(d, "points of the curve must lie within 1e9 m");
}
