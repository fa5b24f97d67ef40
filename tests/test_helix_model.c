// SPDX-License-Identifier: MIT
// Models of helices from elements, and the points of Gauss along them. Pairs with
// src/helix/model.c, gauss.c and measure.c.

#include "helix/build.h"
#include "test_helix_support.h"

// ---- from elements --------------------------------------------------------------------------

static td_body_model *model_of(const td_helix_element *elements, int32_t count) {
    td_body_model *m = NULL;
    td_diag diag = {.message = ""};
    CHECK_SAY(td_helix_model_new(elements, count, NULL, &m, &diag) == TD_OK, "%s", diag.message);
    return m;
}

static td_real mass_of(const td_body_model *m) {
    td_real sum = 0;
    for (int32_t k = 0; k < tdi_as_helix_model(m)->station_count; k++) {
        sum += tdi_as_helix_model(m)->station[k].mass;
    }
    return sum;
}

TD_TEST(helix_element_has_the_mass_and_stiffness_of_its_cone) {
    td_helix_element e = td_helix_element_default();
    e.radius_base = 0.004;
    e.radius_tip = 0.001;
    e.flat = 2;
    OWNED(td_body_model) *m = model_of(&e, 1);
    if (m) {
        const td_real pi = 3.14159265358979323846, a = 0.004, b = 0.001, l = 0.1;
        const td_real fourth = (pow(a, 5) - pow(b, 5)) / (5 * (a - b)); // mean of r^4
        CHECK_REL(mass_of(m), 1000 * pi * 2 * l * (a * a + a * b + b * b) / 3, 1e-13);
        CHECK_REL(tdi_as_helix_model(m)->element[0].stiffness.x, 1e7 * pi / 4 * 8 * fourth * l,
                  1e-13);
        CHECK_REL(tdi_as_helix_model(m)->element[0].stiffness.z, 1e7 * pi / 4 * 2 * fourth * l,
                  1e-13);
        CHECK_REL(tdi_as_helix_model(m)->element[0].stiffness.y, 1e7 / 3 * pi * 8 / 5 * fourth * l,
                  1e-13);
        td_real turning = 0; // about +Y: pi/4 a b (a^2 + b^2), b = 2a, along the cone
        for (int32_t k = 0; k < tdi_as_helix_model(m)->station_count; k++) {
            turning += tdi_as_helix_model(m)->station[k].second.xx +
                       tdi_as_helix_model(m)->station[k].second.zz;
        }
        CHECK_REL(turning, 1000 * pi / 4 * 2 * 5 * fourth * l, 1e-13);
    }
}

TD_TEST(helix_model_counts_the_degrees_of_freedom_of_roots) {
    td_helix_element e[4];
    for (int k = 0; k < 4; k++) {
        e[k] = td_helix_element_default();
    }
    e[1].root = TD_END_PINNED;
    e[2].root = TD_END_FREE;
    e[3].parent = 1;
    e[3].at = 0.25;
    OWNED(td_body_model) *m = model_of(e, 4);
    if (m) {
        CHECK_INT(td_body_element_count(m), 4);
        CHECK_INT(td_body_dof_count(m), 4 * 3 + 3 + 6);
        CHECK_REL(tdi_as_helix_model(m)->element[3].at, 0.025, 1e-15);
        CHECK(td_body_model_bytes(m) > sizeof(tdi_helix_model));
    }
}

TD_TEST(helix_models_that_differ_in_one_number_have_different_parameters) {
    td_helix_element e = td_helix_element_default();
    OWNED(td_body_model) *first = model_of(&e, 1), *again = model_of(&e, 1);
    e.density *= 1.0000001;
    OWNED(td_body_model) *other = model_of(&e, 1);
    if (first && again && other) {
        const size_t bytes = first->parameter_bytes;
        CHECK_INT(again->parameter_bytes, bytes);
        CHECK(memcmp(first->parameters, again->parameters, bytes) == 0);
        CHECK(memcmp(first->parameters, other->parameters, bytes) != 0);
        tdi_helix_model *copy = NULL;
        CHECK_INT(tdi_helix_model_copy(tdi_as_helix_model(first), NULL, &copy, NULL), TD_OK);
        CHECK(memcmp(first->parameters, copy->head.parameters, bytes) == 0);
        CHECK_INT(copy->head.dof_count, first->dof_count);
        td_body_model_free(&copy->head);
    }
}

// ---- bad input ------------------------------------------------------------------------------

static void check_refused(const td_helix_element *e, int32_t count, td_status want,
                          const char *message) {
    OWNED(td_body_model) *m = NULL;
    td_diag diag = {.message = ""};
    CHECK_INT(td_helix_model_new(e, count, NULL, &m, &diag), want);
    CHECK_TEXT(diag.message, message);
    CHECK(m == NULL);
}

#define REFUSED(change, message)                         \
    do {                                                 \
        td_helix_element e[2];                           \
        e[0] = e[1] = td_helix_element_default();        \
        e[1].parent = 0;                                 \
        e[1].change;                                     \
        check_refused(e, 2, TD_ERR_ARGUMENT, (message)); \
    } while (0)

TD_TEST(helix_elements_that_cannot_be_are_refused_by_name_and_value) {
    check_refused(NULL, 0, TD_ERR_ARGUMENT,
                  "there are no elements: count is 0; it must be at least 1");
    REFUSED(parent = 1, "element 1: parent is 1; it must be at least -1 and at most 0");
    REFUSED(at = 1.5, "element 1: at is 1.5; it must be at least 0 and at most 1");
    REFUSED(length = 0, "element 1: length is 0 m; it must be above 0");
    REFUSED(radius_base = 0, "element 1: radius_base is 0 m; it must be above 0");
    REFUSED(radius_tip = -1, "element 1: radius_tip is -1 m; it must be above 0");
    REFUSED(rest.x = NAN, "element 1: rest.x is nan 1/m; it must be finite");
    REFUSED(start.y = INFINITY, "element 1: start.y is inf 1/m; it must be finite");
    REFUSED(density = 0, "element 1: density is 0 kg/m^3; it must be above 0");
    REFUSED(poisson = 0.6, "element 1: poisson is 0.6; it must be above -1 and at most 0.5");
    REFUSED(turn.w = 2, "element 1: turn has the length 2; it must be a unit quaternion");
    REFUSED(root = (td_end_kind)7, "element 1: root is 7; it must be one of td_end_kind");
    REFUSED(rest.x = 6345,
            "element 1: rest makes 100.984 turns over its length; it must be at most "
            "100: cut it into more elements");
    td_helix_element zero;
    memset(&zero, 0, sizeof zero);
    check_refused(&zero, 1, TD_ERR_DEF,
                  "td_helix_element: struct_size is wrong: 0 bytes; start from "
                  "td_helix_element_default()");
}

// A helix of 1 m along X, which hangs on its root under gravity along -Y.
TD_TEST(helix_that_cannot_carry_its_load_is_refused_with_the_reason) {
    static const struct {
        td_end_kind root;
        td_real stiffness;
        const char *words;
    } rows[] = {
        {TD_END_FREE, 1, "element 0 cannot carry its load: nothing holds it"},
        {TD_END_PINNED, 1, "element 0 cannot carry its load: nothing keeps it from turning"},
        {TD_END_CLAMPED, 1e-9,
         "element 0 cannot carry its load: it would have to be curled by more than a "
         "hundred turns"}};
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        td_helix_element e = td_helix_element_default();
        OWNED(td_body_model) *model = NULL;
        OWNED(td_body_model) *rest = NULL;
        td_diag diag = {.message = ""};
        e.root = rows[k].root;
        e.length = 1;
        e.radius_base = e.radius_tip = 0.01;
        e.young *= rows[k].stiffness;
        e.turn = tdi_quat_turn(tdi_vec3(0, 0, 1), -1.5);
        CHECK_INT(td_helix_model_new(&e, 1, NULL, &model, &diag), TD_OK);
        CHECK_INT(td_body_model_rest_new(model, tdi_vec3(0, -9.81, 0), NULL, &rest, &diag),
                  TD_ERR_ARGUMENT);
        CHECK_HAS(diag.message, rows[k].words);
        CHECK(!rest);
    }
}

// ---- points of Gauss ------------------------------------------------------------------------

TD_TEST(helix_gauss_points_are_exact_for_polynomials_of_twice_their_number) {
    td_real points[400], weights[400];
    for (int32_t n = 1; n <= 400; n = n < 10 ? n + 1 : 2 * n) {
        tdi_helix_gauss(n, points, weights);
        for (int32_t degree = 0; degree < 2 * n; degree += 1 + degree / 4) {
            td_real sum = 0;
            for (int32_t k = 0; k < n; k++) {
                sum += weights[k] * pow(points[k], degree);
            }
            CHECK_REL(sum, 1.0 / (degree + 1), 3e-13); // the recurrence rounds 400 times
        }
    }
}

// Largest relative error of the moments of an element that bends by `angle`.
static void moments(td_vec3 u, int32_t n, td_real *sums) {
    td_real points[600], weights[600];
    tdi_helix_gauss(n, points, weights);
    for (int32_t k = 0; k < n; k++) {
        tdi_helix_jet j;
        tdi_helix_jet_at(u, points[k], false, &j);
        const td_real radius = 1 - 0.8 * points[k], w = weights[k] * radius * radius;
        const td_real of[6] = {j.x.x,         j.x.y,         j.x.z,
                               j.x.y * j.x.y, j.x.x * j.x.y, tdi_dot(j.dx[0], j.dx[0])};
        for (int i = 0; i < 6; i++) {
            sums[i] += w * of[i];
        }
    }
}

// As src/helix/gauss.c says: of the largest of their kind.
TD_TEST(helix_gauss_points_follow_the_angle_that_an_element_turns_by) {
    for (td_real angle = 0.1; angle < 628; angle *= 1.5) {
        td_real got[6] = {0}, want[6] = {0};
        const td_vec3 u = {0.6 * angle, 0.64 * angle, 0.48 * angle};
        const int32_t n = tdi_helix_gauss_count(angle);
        moments(u, n, got);
        moments(u, n + 60, want);
        const td_real first = fmax(fabs(want[0]), fmax(fabs(want[1]), fabs(want[2])));
        for (int i = 0; i < 3; i++) {
            CHECK_SAY(fabs(got[i] - want[i]) <= 4e-8 * first, "%g rad: first moment %g", angle,
                      (got[i] - want[i]) / first);
        }
        CHECK_REL(got[3], want[3], 1e-5);
        CHECK_REL(got[5], want[5], 5e-5);
    }
    CHECK_INT(tdi_helix_gauss_count(0), 4);
}

TD_TEST(helix_masses_are_condensed_to_points_with_the_same_moments) {
    tdi_random r = random_of(13);
    for (int trial = 0; trial < 50; trial++) {
        enum { MANY = 40, FEW = 6 };
        td_real x[MANY], w[MANY], x0[MANY], w0[MANY], scratch[2 * MANY + 2 * FEW], p[FEW], m[FEW];
        for (int i = 0; i < MANY; i++) {
            x0[i] = x[i] = between(&r, 0, 3);
            w0[i] = w[i] = between(&r, 0, 1) * between(&r, 0, 1);
        }
        const int32_t n = tdi_helix_condense(MANY, x, w, FEW, scratch, p, m);
        CHECK_INT(n, FEW);
        for (int degree = 0; degree < 2 * FEW; degree++) {
            td_real got = 0, want = 0;
            for (int i = 0; i < MANY; i++) {
                want += w0[i] * pow(x0[i], degree);
            }
            for (int i = 0; i < n; i++) {
                got += m[i] * pow(p[i], degree);
                CHECK(m[i] > 0 && p[i] > 0 && p[i] < 3);
            }
            CHECK_REL(got, want, 1e-11);
        }
    }
}

// Two places cannot become three.
TD_TEST(helix_masses_at_few_places_stay_there) {
    td_real x[3] = {1, 2, 1}, w[3] = {1, 3, 2}, scratch[14], p[4], m[4];
    const int32_t n = tdi_helix_condense(3, x, w, 4, scratch, p, m);
    CHECK_INT(n, 2);
    CHECK_REL(p[0], 1, 1e-14);
    CHECK_REL(p[1], 2, 1e-14);
    CHECK_REL(m[0], 3, 1e-14);
    CHECK_REL(m[1], 3, 1e-14);
}
