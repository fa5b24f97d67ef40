// SPDX-License-Identifier: MIT
// Nothing passes through anything. Pairs with src/contact/ccd.c.

#include "test_contact_support.h"

enum { MOMENTS = 24 };

typedef struct flight { // two capsules, or one and a collider
    tdi_capsule capsule[2];
    int32_t count;
    td_vec3 x[4], dx[4];
    td_collider collider;
    int32_t collider_count;
} flight;

// At most `high`; any gap that is closed will do.
static td_real gap_at(const flight *f, td_real part, td_real high) {
    td_vec3 x[4];
    for (int k = 0; k < 4; k++) {
        x[k] = tdi_madd(f->x[k], f->dx[k], part);
    }
    return test_least_gap(f->capsule, f->count, x, &f->collider, f->collider_count, part, 0, high);
}

static tdi_contacts *opened(const flight *f) {
    td_contact_opts opts = td_contact_opts_default();
    tdi_contacts *c = test_contacts(&opts, f->capsule, f->count, 1);
    CHECK_INT(tdi_contacts_colliders(c, &f->collider, f->collider_count, 0.01, 0, 1, NULL), TD_OK);
    CHECK_INT(tdi_contacts_find(c, f->x, f->dx, NULL), TD_OK);
    return c;
}

// What the filter allows, after a check that the gap is open all the way. Below 0: the gap is not
// open to begin with, by the library's own measure, which is too small by a little.
static td_real check_flight(const flight *f) {
    OWNED(tdi_contacts) *c = opened(f);
    int32_t which[2];
    if (!(tdi_contacts_least(c, f->x, 0, which) > 0)) {
        return -1;
    }
    td_real part = tdi_contacts_free_fraction(c, f->x, f->dx, 0, 1);
    CHECK(part > 0 && part <= 1);
    td_real least = INFINITY;
    for (int k = 0; k <= MOMENTS; k++) {
        least = gap_at(f, part * k / MOMENTS, least);
    }
    CHECK(least > 0);
    const bool free = tdi_contacts_path_is_free(c, f->x, f->dx);
    CHECK(free || part < 1);
    for (int k = 0; free && k <= MOMENTS; k++) {
        least = gap_at(f, (td_real)k / MOMENTS, least);
    }
    CHECK(least > 0);
    return part;
}

// speeds up to a hundred times the size, gaps down to a ten-thousandth of it
static bool draw_flight(tdi_random *random, flight *f, int sort) {
    memset(f, 0, sizeof *f);
    f->count = 2;
    f->capsule[0] = (tdi_capsule){0, 1, test_between(random, 0.01, 0.2), 0, false, 0};
    f->capsule[1] = (tdi_capsule){2, 3, test_between(random, 0.01, 0.2), 0, false, 0};
    const td_real radii = f->capsule[0].radius + f->capsule[1].radius;
    const td_vec3 n = test_direction(random), across = tdi_across(n);
    const td_real gap = pow(10, test_between(random, -4, 0));
    td_real speed = pow(10, test_between(random, -2, 2));
    f->x[0] = tdi_scale(across, -test_between(random, 0, 1));
    f->x[1] = tdi_scale(across, test_between(random, 0, 1));
    td_vec3 other = sort == 1 ? across : test_direction(random); // 1: parallel
    other = tdi_unit_or(tdi_madd(other, n, -tdi_dot(other, n)), across);
    td_vec3 middle = tdi_scale(n, radii + gap);
    f->x[2] = tdi_madd(middle, other, -test_between(random, 0, 1));
    f->x[3] = tdi_madd(middle, other, test_between(random, 0, 1));
    for (int k = 0; k < 4; k++) {
        if (sort == 2) { // head on
            f->dx[k] = tdi_scale(n, k < 2 ? speed : -speed);
        } else {
            f->dx[k] = test_in_cube(random, speed);
        }
    }
    return gap_at(f, 0, INFINITY) > 1e-5;
}

TD_TEST(contact_ccd_lets_no_capsules_pass_through_each_other) {
    tdi_random random = random_of(21);
    int tried = 0, whole = 0;
    for (int n = 0; n < 10000; n++) {
        flight f;
        if (draw_flight(&random, &f, n % 3)) {
            td_real part = check_flight(&f);
            tried += part >= 0;
            whole += part == 1;
        }
    }
    CHECK(tried > 6000);
    CHECK(whole > 1000 && whole < tried - 1000); // else this would show nothing
}

TD_TEST(contact_ccd_lets_nothing_pass_through_moving_and_turning_colliders) {
    tdi_random random = random_of(22);
    int tried = 0, whole = 0;
    for (int n = 0; n < 8000; n++) {
        flight f;
        draw_flight(&random, &f, 0);
        f.count = 1;
        f.collider_count = 1;
        td_collider *k = &f.collider;
        *k = td_collider_default((td_collider_kind)(n % 4));
        test_size(k, tdi_vec3(test_between(&random, 0.1, 0.5), test_between(&random, 0.1, 0.5),
                              test_between(&random, 0.1, 0.5)));
        k->rotation0 = test_rotation(&random);
        k->rotation = n % 8 < 4 ? k->rotation0 : test_rotation(&random);
        k->position0 = test_in_cube(&random, 1);
        k->position = tdi_add(k->position0, test_in_cube(&random, 1));
        if (gap_at(&f, 0, INFINITY) > 1e-4) {
            td_real part = check_flight(&f);
            tried += part >= 0;
            whole += part == 1;
        }
    }
    CHECK(tried > 3000);
    CHECK(whole > 300 && whole < tried - 300);
}

// Two capsules whose axes cross in their middles, so far apart; the upper one moves.
static flight crossing(td_real apart, td_vec3 motion) {
    return (flight){.capsule = {{0, 1, 0.1, 0, false, 0}, {2, 3, 0.1, 0, false, 0}},
                    .count = 2,
                    .x = {{-1, 0, 0}, {1, 0, 0}, {0, apart, -1}, {0, apart, 1}},
                    .dx = {{0, 0, 0}, {0, 0, 0}, motion, motion}};
}

// the part is not much smaller than need be: head on it goes to where a tenth of the gap is left
TD_TEST(contact_ccd_stops_head_on_where_a_tenth_of_the_gap_is_left) {
    flight f = crossing(0.21, tdi_vec3(0, -1, 0));
    td_real part = check_flight(&f);
    // crossing in the middle of both, the gap counts as smaller by (blunt + blunt)/(8 distance)
    td_real blunt = 0.2 * 0.02 * 0.2, least = 0.21 - sqrt(0.21 * 0.21 - blunt / 2);
    CHECK_REL(part, 0.9 * (0.01 - least), 0.02);
}

TD_TEST(contact_ccd_shortens_a_body_by_its_own_contact_as_the_whole_motion) {
    static const int32_t group[2] = {0, 0};
    flight f = crossing(0.21, tdi_vec3(0, -1, 0));
    OWNED(tdi_contacts) *c = opened(&f);
    td_real part = 1;
    CHECK(tdi_contacts_free_fractions(c, f.x, f.dx, 0, true, group, &part));
    CHECK_REL(part, tdi_contacts_free_trial(c, f.x, f.dx, 0), 1e-9);
}

// what slides along something at a tiny gap is not held back by it
TD_TEST(contact_ccd_lets_things_slide_along_each_other_all_the_way) {
    flight f = crossing(0.2031, tdi_vec3(50, 0, 30));
    CHECK(check_flight(&f) == 1);
    f.count = 1;
    f.collider_count = 1;
    f.collider = td_collider_default(TD_COLLIDER_BOX);
    test_size(&f.collider, tdi_vec3(5, 1, 5));
    f.collider.position0.y = f.collider.position.y = -1.1011;
    f.dx[0] = f.dx[1] = tdi_vec3(100, 0, 3);
    CHECK(check_flight(&f) == 1);
}

// A capsule falls towards another: 2.5 mm of the gap are left, none, or it is on the other
// side.
TD_TEST(contact_path_is_free_although_most_of_a_gap_closes) {
    flight f = {.capsule = {{0, 1, 0.1, 0, false, 0}, {2, 3, 0.1, 0, false, 0}}, .count = 2};
    f.x[1] = tdi_vec3(1, 0, 0);
    f.x[2] = tdi_vec3(0.5, 0.23, -1);
    f.x[3] = tdi_vec3(0.5, 0.23, 1);
    const td_real falls[] = {0.0275, 0.0305, 0.5};
    for (int k = 0; k < 3; k++) {
        f.dx[2].y = f.dx[3].y = -falls[k];
        OWNED(tdi_contacts) *c = opened(&f);
        CHECK(check_flight(&f) < 1);
        CHECK(tdi_contacts_path_is_free(c, f.x, f.dx) == (k == 0));
    }
}

TD_TEST(contact_ccd_says_zero_only_when_things_are_in_each_other) {
    flight f = {.capsule = {{0, 1, 0.1, 0, false, 0}, {2, 3, 0.1, 0, false, 0}}, .count = 2};
    f.x[1] = tdi_vec3(1, 0, 0);
    f.x[2] = tdi_vec3(0.5, 0.15, -1);
    f.x[3] = tdi_vec3(0.5, 0.15, 1);
    OWNED(tdi_contacts) *c = opened(&f);
    tdi_contact_rule rule = {1, f.x, 0, 0, false, NULL};
    td_real energy;
    td_diag diag;
    int32_t which[2];
    CHECK(tdi_contacts_free_fraction(c, f.x, f.dx, 0, 0) == 0);
    CHECK(tdi_contacts_energy(c, f.x, 0, &rule) == INFINITY);
    CHECK_INT(tdi_contacts_evaluate(c, f.x, 0, &rule, &energy, &diag), TD_ERR_DIVERGED);
    CHECK_HAS(diag.message, "capsule 0 and capsule 1 overlap");
    CHECK_IN(tdi_contacts_least(c, f.x, 0, which), -0.052, -0.05);
    CHECK_INT(which[1], 1);
}
