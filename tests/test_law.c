// SPDX-License-Identifier: MIT
// Laws: forces and stiffnesses are the derivatives of their values. Pairs with src/law.

#include "law/law.h"
#include "td_test.h"

#include <math.h>

#define STEP 1e-5

static td_real between(tdi_random *r, td_real low, td_real high) {
    return low + (high - low) * tdi_random_uniform(r);
}

static td_vec3 in_cube(tdi_random *r) {
    const td_real x = between(r, -1, 1), y = between(r, -1, 1);
    return tdi_vec3(x, y, between(r, -1, 1));
}

// ---- rows with a multiplier -----------------------------------------------------------------

TD_TEST(law_rows_have_the_force_and_stiffness_of_their_value) {
    for (int one_sided = 0; one_sided < 2; one_sided++) {
        const tdi_row_law law = {-1.5, 20, one_sided ? TDI_LAW_ONE_SIDED : TDI_LAW_EQUALITY};
        for (td_real c = -1; c < 1; c += 0.13) { // it lets go at 0.075
            const tdi_row_terms t = tdi_row_evaluate(law, c), a = tdi_row_evaluate(law, c + STEP),
                                b = tdi_row_evaluate(law, c - STEP);
            CHECK_IN((a.value - b.value) / (2 * STEP) - t.force, -1e-8, 1e-8);
            CHECK_IN((a.force - b.force) / (2 * STEP) - t.stiffness, -1e-6, 1e-6);
            CHECK(!one_sided || t.force <= 0);
        }
    }
}

// ---- barrier and friction -------------------------------------------------------------------

TD_TEST(law_barrier_has_the_slope_and_curve_of_its_value) {
    const td_real f = 3, r = 0.4;
    for (td_real g = 0.05; g < r; g += 0.03) {
        const td_real slope =
            (tdi_barrier_value(f, r, g + STEP) - tdi_barrier_value(f, r, g - STEP)) / (2 * STEP);
        const td_real curve =
            (tdi_barrier_slope(f, r, g + STEP) - tdi_barrier_slope(f, r, g - STEP)) / (2 * STEP);
        CHECK_REL(tdi_barrier_slope(f, r, g), slope, 1e-5);
        CHECK_REL(tdi_barrier_curve(f, r, g), curve, 1e-5);
        CHECK(slope < 0 && curve > 0);
    }
    CHECK_IN(tdi_barrier_value(f, r, r), -1e-15, 1e-15);
    CHECK_IN(tdi_barrier_slope(f, r, r), -1e-12, 1e-12);
    CHECK_IN(tdi_barrier_curve(f, r, r), -1e-12, 1e-12);
}

TD_TEST(law_friction_has_the_slope_and_curve_of_its_value) {
    const td_real creep = 0.1;
    for (td_real v = 0.013; v < 0.3; v += 0.02) {
        const td_real h = 1e-6,
                      slope =
                          (tdi_friction_value(v + h, creep) - tdi_friction_value(v - h, creep)) /
                          (2 * h),
                      over = tdi_friction_over(v, creep), more = tdi_friction_over(v + h, creep),
                      less = tdi_friction_over(v - h, creep),
                      second = ((v + h) * more - (v - h) * less) / (2 * h);
        CHECK_REL(over * v, slope, 1e-6);
        CHECK_IN(tdi_friction_curve(v, creep) * v * v - (second - over), -1e-5, 1e-5);
        CHECK(slope <= 1 + 1e-9);
    }
}

// ---- cone and disc --------------------------------------------------------------------------

// Minus the force and the stiffness against differences of the value and of the force, along e.
static void compare(td_vec3 e, td_real before, td_real after, td_vec3 force, td_vec3 less,
                    td_vec3 more, const td_sym3 *h) {
    const td_real slope = (after - before) / (2 * STEP);
    const td_vec3 told = tdi_sym3_apply(h, e), by = tdi_scale(tdi_sub(less, more), 0.5 / STEP);
    CHECK_IN(slope + tdi_dot(force, e), -1e-7, 1e-7);
    CHECK_IN(tdi_norm(tdi_sub(told, by)), 0, 1e-5);
}

TD_TEST(law_cone_has_the_force_and_stiffness_of_its_value) {
    tdi_random random = random_of(5);
    int32_t met[4] = {0};
    for (int round = 0; round < 400; round++) {
        const td_vec3 n = tdi_unit_or(in_cube(&random), tdi_vec3(0, 1, 0)), e = in_cube(&random),
                      u = in_cube(&random);
        const tdi_cone c = {n, in_cube(&random), 2, 0.6, round % 4 == 0 ? 0.8 : 0};
        const tdi_cone_terms at = tdi_cone_evaluate(&c, u),
                             a = tdi_cone_evaluate(&c, tdi_madd(u, e, STEP)),
                             b = tdi_cone_evaluate(&c, tdi_madd(u, e, -STEP));
        if (a.state != at.state || b.state != at.state) {
            continue; // an edge is between them
        }
        const td_sym3 h = tdi_cone_stiffness(&c, &at);
        compare(e, tdi_cone_value(&c, &b), tdi_cone_value(&c, &a), at.force, b.force, a.force, &h);
        const td_real load = tdi_dot(n, at.force);
        const td_vec3 aside = tdi_madd(at.force, n, -load);
        CHECK(load >= c.least - 1e-12 && tdi_norm(aside) <= c.friction * load + 1e-12);
        met[at.state]++;
    }
    for (int k = 0; k < 4; k++) {
        CHECK(met[k] > 10);
    }
}

TD_TEST(law_cone_of_least_force_has_a_finite_stiffness_without_friction) {
    const td_vec3 n = {0, 1, 0};
    const tdi_cone c = {n, {0, 0, 0}, 2, 0, 0.8};
    const tdi_cone_terms at = tdi_cone_evaluate(&c, tdi_vec3(0, 0.3, 0));
    const td_sym3 h = tdi_cone_stiffness(&c, &at);
    CHECK_INT(at.state, TDI_CONE_LEAST);
    for (int k = 0; k < 3; k++) {
        const td_vec3 e = tdi_vec3(k == 0, k == 1, k == 2);
        CHECK_IN(tdi_dot(e, tdi_sym3_apply(&h, e)), 0, k == 1 ? 0 : c.stiffness);
    }
}

TD_TEST(law_disc_has_the_force_and_stiffness_of_its_value) {
    tdi_random random = random_of(6);
    int32_t met[2] = {0};
    for (int round = 0; round < 200; round++) {
        const td_vec3 n = tdi_unit_or(in_cube(&random), tdi_vec3(0, 1, 0));
        td_vec3 v[3]; // across n
        for (int k = 0; k < 3; k++) {
            v[k] = in_cube(&random);
            v[k] = tdi_madd(v[k], n, -tdi_dot(v[k], n));
        }
        const tdi_disc_terms at = tdi_disc_evaluate(v[0], 2, 0.9, v[1]),
                             a = tdi_disc_evaluate(v[0], 2, 0.9, tdi_madd(v[1], v[2], STEP)),
                             b = tdi_disc_evaluate(v[0], 2, 0.9, tdi_madd(v[1], v[2], -STEP));
        if ((a.part < 1) != (at.part < 1) || (b.part < 1) != (at.part < 1)) {
            continue;
        }
        const td_sym3 h = tdi_disc_stiffness(2, n, &at);
        compare(v[2], tdi_disc_value(2, &b), tdi_disc_value(2, &a), at.force, b.force, a.force, &h);
        CHECK(tdi_norm(at.force) <= 0.9 + 1e-12);
        met[at.part < 1]++;
    }
    CHECK(met[0] > 10 && met[1] > 10);
}
