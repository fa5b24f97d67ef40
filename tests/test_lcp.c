// SPDX-License-Identifier: MIT
// Complementarity problems with answers by hand, and what is refused.

#include "td_test.h"

#include "cases/validate/random.h"

static const td_lcp_row positive = {.kind = TD_LCP_BOX, .low = 0, .high = INFINITY};
static const td_lcp_row either = {.kind = TD_LCP_BOX, .low = -INFINITY, .high = INFINITY};
static const td_lcp_row tangent = {.kind = TD_LCP_TANGENT};

static td_lcp_result solve(const td_lcp *p, td_lcp_method method, td_real *x) {
    td_lcp_opts opts = td_lcp_opts_default();
    td_lcp_result result = {.verdict = TD_LCP_UNSOLVED};
    td_diag diag = {0};
    opts.method = method;
    CHECK_SAY(td_lcp_solve(p, &opts, NULL, x, &result, &diag) == TD_OK, "%s", diag.message);
    return result;
}

TD_TEST(lcp_of_two_rows_has_the_answer_by_hand) {
    // 2 x + y = 3 alone; y would be negative and stays 0: w_2 = 1.5 + 1
    const td_real a[4] = {2, 1, 1, 2}, b[2] = {3, -1};
    const td_lcp_row rows[2] = {positive, positive};
    const td_lcp p = {2, a, b, rows};
    for (int method = TD_LCP_EXACT; method <= TD_LCP_SOR; method++) {
        td_real x[2];
        td_lcp_result result = solve(&p, (td_lcp_method)method, x);
        CHECK(method == TD_LCP_SOR || result.verdict == TD_LCP_SOLVED);
        CHECK_REL(x[0], 1.5, 1e-8);
        CHECK_REL(x[1], 0, 1e-15);
        CHECK(result.residual < 1e-8 && result.complementarity < 1e-8); // SOR adds 1e-9 to A
    }
}

// Two supports under one end: any share of the load is an answer; both are found, and add up.
TD_TEST(lcp_with_the_same_row_twice_shares_the_force) {
    const td_real a[4] = {1, 1, 1, 1}, b[2] = {1, 1};
    const td_lcp_row rows[2] = {positive, positive};
    const td_lcp p = {2, a, b, rows};
    td_real x[2];
    CHECK_INT(solve(&p, TD_LCP_EXACT, x).verdict, TD_LCP_SOLVED);
    CHECK_REL(x[0], 0.5, 1e-9);
    CHECK_REL(x[0] + x[1], 1, 1e-9);
}

TD_TEST(lcp_that_asks_two_things_of_one_row_is_infeasible_with_least_squares) {
    const td_real a[4] = {1, 1, 1, 1}, b[2] = {1, 2};
    const td_lcp_row rows[2] = {either, either};
    const td_lcp p = {2, a, b, rows};
    td_real x[2];
    td_lcp_result result = solve(&p, TD_LCP_EXACT, x);
    CHECK_INT(result.verdict, TD_LCP_INFEASIBLE);
    CHECK(result.ray < 1e-9);
    CHECK_REL(x[0] + x[1], 1.5, 1e-6);
    CHECK(fabs(x[0]) < 2 && fabs(x[1]) < 2);
}

// A block of unit mass thrown down and along: it sticks within the cone, and slides outside.
TD_TEST(lcp_cone_sticks_and_slides_as_coulomb_says) {
    const td_real a[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
    td_lcp_row rows[3] = {{.kind = TD_LCP_CONE, .friction = 0.5}, tangent, tangent};
    const td_real sticks[3] = {1, 0.3, 0.1}, slides[3] = {1, 0.6, 0.8}; // b = -u before
    td_lcp p = {3, a, sticks, rows};
    td_real x[3];
    CHECK_INT(solve(&p, TD_LCP_EXACT, x).verdict, TD_LCP_SOLVED);
    for (int k = 0; k < 3; k++) {
        CHECK_REL(x[k], sticks[k], 1e-9);
    }
    // normal 1 however much friction there is: sliding does not lift
    p.rhs = slides;
    CHECK_INT(solve(&p, TD_LCP_EXACT, x).verdict, TD_LCP_SOLVED);
    CHECK_REL(x[0], 1, 1e-9);
    CHECK_REL(x[1], 0.5 * 0.6, 1e-9);
    CHECK_REL(x[2], 0.5 * 0.8, 1e-9);
    // with at least 2 of normal force there is more friction
    rows[0].low = 2;
    CHECK_INT(solve(&p, TD_LCP_EXACT, x).verdict, TD_LCP_SOLVED);
    CHECK_REL(x[0], 2, 1e-9);
    CHECK_REL(x[1], 0.6, 1e-9);
}

TD_TEST(lcp_friction_in_one_direction_ends_at_its_bound) {
    const td_real a[4] = {1, 0, 0, 1}, b[2] = {1, 2};
    const td_lcp_row rows[2] = {positive, {.kind = TD_LCP_FRICTION, .friction = 0.25, .normal = 0}};
    const td_lcp p = {2, a, b, rows};
    td_real x[2];
    CHECK_INT(solve(&p, TD_LCP_EXACT, x).verdict, TD_LCP_SOLVED);
    CHECK_REL(x[1], 0.25, 1e-9);
}

// Units of forces and velocities do not matter: rows in other units have the same answer.
TD_TEST(lcp_does_not_depend_on_units) {
    val_random random = {4};
    enum { N = 12, RANK = 7 };
    td_real j[N * RANK], a[N * N], b[N], c[N * N], d[N], x[N], y[N], unit[N];
    td_lcp_row rows[N];
    for (int i = 0; i < N * RANK; i++) {
        j[i] = val_uniform(&random, -1, 1);
    }
    for (int i = 0; i < N; i++) {
        rows[i] = positive;
        unit[i] = val_log_uniform(&random, 1e-3, 1e3);
        b[i] = 0;
        for (int k = 0; k < RANK; k++) {
            b[i] += j[i * RANK + k] * (k % 2 ? 1 : -0.5);
        }
    }
    for (int i = 0; i < N * N; i++) {
        a[i] = 0;
        for (int k = 0; k < RANK; k++) {
            a[i] += j[i / N * RANK + k] * j[i % N * RANK + k];
        }
    }
    for (int i = 0; i < N * N; i++) {
        c[i] = a[i] * unit[i / N] * unit[i % N];
    }
    for (int i = 0; i < N; i++) {
        d[i] = 1e6 * b[i] * unit[i];
    }
    const td_lcp p = {N, a, b, rows}, q = {N, c, d, rows};
    CHECK_INT(solve(&p, TD_LCP_EXACT, x).verdict, TD_LCP_SOLVED);
    CHECK_INT(solve(&q, TD_LCP_EXACT, y).verdict, TD_LCP_SOLVED);
    for (int i = 0; i < N; i++) { // forces are not unique, what they do is
        td_real w = 0, v = 0;
        for (int k = 0; k < N; k++) {
            w += a[i * N + k] * x[k];
            v += c[i * N + k] * y[k] / (1e6 * unit[i]);
        }
        CHECK_REL(v, w, 1e-7);
    }
}

// Found by fuzzing: forces that no number can hold.
TD_TEST(lcp_forces_are_finite_whatever_the_numbers) {
    const td_real a[1] = {1e-310}, b[1] = {10}, large[1] = {1e200};
    const td_lcp_opts opts = td_lcp_opts_default();
    const td_lcp p = {1, a, b, &positive}, beyond = {1, a, large, &positive};
    td_lcp_result result;
    td_diag diag = {.message = ""};
    td_real x = 0;
    CHECK_INT(td_lcp_solve(&p, &opts, NULL, &x, &result, &diag), TD_OK);
    CHECK(isfinite(x));
    CHECK_INT(td_lcp_solve(&beyond, &opts, NULL, &x, &result, &diag), TD_ERR_ARGUMENT);
    CHECK_INT(diag.index, 0);
    // 1e100 over 1e-300 overflows
    const td_real unit[1] = {1}, small[1] = {1e-300};
    const td_lcp_row lifted = {.kind = TD_LCP_BOX, .low = 1e100, .high = INFINITY};
    const td_lcp hardly = {1, unit, small, &lifted};
    for (int method = TD_LCP_EXACT; method <= TD_LCP_SOR; method++) {
        const td_lcp_result lifts = solve(&hardly, (td_lcp_method)method, &x);
        CHECK_INT(lifts.verdict, TD_LCP_SOLVED);
        CHECK(isfinite(lifts.dual));
        CHECK_REL(x, 1e100, 1e-15);
    }
}

// By how much x breaks Coulomb's law, as the problem is given: one cone with low 0.
static td_real cone_error(const td_lcp *p, const td_real *x) {
    const td_real mu = p->rows[0].friction;
    td_real w[3];
    for (int i = 0; i < 3; i++) {
        w[i] = -p->rhs[i];
        for (int j = 0; j < 3; j++) {
            w[i] += p->matrix[3 * i + j] * x[j];
        }
    }
    const td_real slip = hypot(w[1], w[2]), most = mu * x[0];
    const td_real slides = most * slip + x[1] * w[1] + x[2] * w[2];
    return fabs(w[0] * x[0]) + fmax(-w[0], 0) + fmax(hypot(x[1], x[2]) - most, 0) + fabs(slides);
}

// The shift of a normal is friction times |w_t| of the iteration before: with much friction the
// iteration may diverge, up to what no number can hold. Then it is unsolved, with finite forces.
TD_TEST(lcp_that_diverges_is_not_called_solved) {
    const td_real a[9] = {6, -3, 0, -3, 2, 0, 0, 0, 3}, b[3] = {1, -1, -1};
    td_lcp_row rows[3] = {{.kind = TD_LCP_CONE}, tangent, tangent};
    const td_lcp p = {3, a, b, rows};
    for (int digits = 0; digits <= 12; digits += 2) {
        td_real x[3];
        rows[0].friction = pow(10, digits);
        const td_lcp_result result = solve(&p, TD_LCP_EXACT, x);
        CHECK(isfinite(x[0]) && isfinite(x[1]) && isfinite(x[2]));
        CHECK(digits > 2 || result.verdict == TD_LCP_SOLVED);
        // the tolerance is 1e-10, of numbers that are not scaled here, times w_t and friction
        CHECK(result.verdict != TD_LCP_SOLVED || cone_error(&p, x) < 1e-6);
    }
}

TD_TEST(lcp_refuses_what_is_wrong_by_row) {
    const td_real a[4] = {1, 0, 0, 1}, b[2] = {1, 1}, bad[2] = {1, NAN};
    const td_lcp_opts opts = td_lcp_opts_default();
    td_lcp_result result;
    td_diag diag = {0};
    td_real x[2];
    const struct {
        td_lcp_row rows[2];
        const char *words;
    } wrong[] = {
        {{positive, {.low = 2, .high = 1}}, "low must not be above high"},
        {{positive, {.low = 1e200, .high = INFINITY}}, "at most 1e100 in size"},
        {{positive, {.kind = TD_LCP_CONE, .friction = 0.1}}, "must be tangents"},
        {{positive, {.kind = TD_LCP_TANGENT}}, "no cone is before it"},
        {{either, {.kind = TD_LCP_FRICTION, .friction = 0.1, .normal = 0}}, "normal must be"},
        {{positive, {.kind = TD_LCP_FRICTION, .friction = -1, .normal = 0}}, "friction must be"},
    };
    for (size_t k = 0; k < sizeof wrong / sizeof *wrong; k++) {
        const td_lcp p = {2, a, b, wrong[k].rows};
        CHECK_INT(td_lcp_solve(&p, &opts, NULL, x, &result, &diag), TD_ERR_ARGUMENT);
        CHECK_INT(diag.index, 1);
        CHECK_HAS(diag.message, wrong[k].words);
    }
    const td_real below[4] = {1, 0, 0, -1}, one[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1},
                  three[3] = {1, 1, 1};
    const td_lcp_row rows[2] = {positive, positive};
    const td_lcp_row cone[3] = {{.kind = TD_LCP_CONE, .low = -1}, tangent, tangent};
    const td_lcp falls = {2, below, b, rows}, pulls = {3, one, three, cone};
    CHECK_INT(td_lcp_solve(&falls, &opts, NULL, x, &result, &diag), TD_ERR_ARGUMENT);
    CHECK_HAS(diag.message, "row 1: its diagonal entry must not be below 0");
    CHECK_INT(td_lcp_solve(&pulls, &opts, NULL, x, &result, &diag), TD_ERR_ARGUMENT);
    CHECK_HAS(diag.message, "row 0: low of a cone must be from 0 to 1e100");
    td_lcp_opts odd = opts;
    odd.method = (td_lcp_method)7;
    CHECK_INT(td_lcp_solve(&falls, &odd, NULL, x, &result, &diag), TD_ERR_ARGUMENT);
    CHECK_HAS(diag.message, "unknown method 7");
    const td_lcp good = {2, a, b, rows};
    WITH_SCARCE(memory, 1) {
        CHECK_INT(td_lcp_solve(&good, &opts, &memory.alloc, x, &result, &diag),
                  scarce_status(&memory));
    }
    const td_lcp p = {2, a, bad, rows};
    CHECK_INT(td_lcp_solve(&p, &opts, NULL, x, &result, &diag), TD_ERR_ARGUMENT);
    td_lcp_opts zero = {0};
    CHECK_INT(td_lcp_solve(&p, &zero, NULL, x, &result, &diag), TD_ERR_DEF);
    const td_lcp none = {0, NULL, NULL, NULL};
    CHECK_INT(td_lcp_solve(&none, &opts, NULL, NULL, &result, &diag), TD_OK);
    CHECK_INT(result.verdict, TD_LCP_SOLVED);
}

// Found by fuzzing: a tangent may be negative, and from 0 to less than 0 there is no force. Normals
// of cones, and of boxes that push only, are never negative.
TD_TEST(lcp_refuses_friction_of_a_tangent_and_takes_that_of_a_cone) {
    const td_real a[16] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1}, b[4] = {1, -0.3, 0, 2};
    td_lcp_row rows[4] = {
        {.kind = TD_LCP_CONE, .friction = 0.5}, tangent, tangent, {.kind = TD_LCP_FRICTION}};
    rows[3].friction = 0.25;
    const td_lcp_opts opts = td_lcp_opts_default();
    const td_lcp p = {4, a, b, rows};
    td_lcp_result result;
    td_diag diag = {0};
    td_real x[4];
    for (int normal = 1; normal <= 2; normal++) {
        rows[3].normal = normal;
        CHECK_INT(td_lcp_solve(&p, &opts, NULL, x, &result, &diag), TD_ERR_ARGUMENT);
        CHECK_INT(diag.index, 3);
    }
    rows[3].normal = 0;
    result = solve(&p, TD_LCP_EXACT, x);
    CHECK_INT(result.verdict, TD_LCP_SOLVED);
    CHECK(result.bounds < 1e-12); // x is projected last: but rounding is left
    CHECK_REL(x[1], -0.3, 1e-9);
    CHECK_REL(x[3], 0.25, 1e-9);
}
