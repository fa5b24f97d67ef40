// SPDX-License-Identifier: MIT
// Closest points of capsules and colliders against another way to find them. Pairs with
// src/contact/closest.c and collider.c.

#include "test_contact_support.h"

// Two segments of every sort: far, crossing, parallel, nearly so, touching ends, points.
static tdi_pair_shape draw_segments(tdi_random *random, int sort) {
    tdi_pair_shape two = {.side = TDI_SIDE_SEGMENT, .a = test_in_cube(random, 1)};
    two.b = test_in_cube(random, 1);
    two.c = test_in_cube(random, 1);
    two.d = test_in_cube(random, 1);
    td_vec3 u = tdi_sub(two.b, two.a);
    td_real off = sort == 1 ? 0 : sort == 2 ? 1e-9 : 1e-5;
    if (sort >= 1 && sort <= 3) { // parallel
        two.d = tdi_madd(two.c, u, test_between(random, -2, 2));
        two.d = tdi_madd(two.d, test_direction(random), off);
    } else if (sort == 4) { // crossing in the middle, nearly
        td_vec3 mid = tdi_madd(two.a, u, 0.5), v = test_direction(random);
        two.c = tdi_madd(tdi_madd(mid, v, 0.7), test_direction(random), 1e-3);
        two.d = tdi_madd(mid, v, -0.4);
    } else if (sort == 5) {
        two.b = two.a;
    } else if (sort == 6) {
        two.d = two.c;
    } else if (sort == 7) {
        two.b = two.a;
        two.d = two.c;
    } else if (sort == 8) { // on one line
        two.c = tdi_madd(two.a, u, test_between(random, 1.01, 3));
        two.d = tdi_madd(two.a, u, test_between(random, 1.01, 3));
    }
    return two;
}

TD_TEST(contact_distance_of_segments_is_the_least_over_both) {
    tdi_random random = random_of(1);
    for (int n = 0; n < 9000; n++) {
        tdi_pair_shape two = draw_segments(&random, n % 9);
        tdi_closest k = tdi_closest_of(&two);
        td_real want = test_distance(two.a, two.b, two.c, two.d, NULL);
        CHECK(fabs(k.distance - want) < 1e-8);
        CHECK(k.s >= 0 && k.s <= 1 && k.t >= 0 && k.t <= 1);
        CHECK(fabs(tdi_norm(k.e) - k.distance) < 1e-12);
    }
}

// nothing nearby in s, t is less, and it is as near to the true one as promised
TD_TEST(contact_blunted_distance_is_least_and_below_the_true_one) {
    tdi_random random = random_of(2);
    for (int n = 0; n < 9000; n++) {
        tdi_pair_shape two = draw_segments(&random, n % 5);
        td_real sharp = test_distance(two.a, two.b, two.c, two.d, NULL);
        two.blunt_s = two.blunt_t = 0.02 * sharp * sharp;
        tdi_closest k = tdi_closest_of(&two);
        CHECK(k.distance <= sharp * (1 + 1e-9));
        CHECK(k.distance >= sharp * (1 - 0.02 / 4 / sqrt(1 - 0.01)) - 1e-9);
        for (int m = 0; m < 8; m++) {
            td_real s = fmin(1, fmax(0, k.s + test_between(&random, -0.1, 0.1)));
            td_real t = fmin(1, fmax(0, k.t + test_between(&random, -0.1, 0.1)));
            td_vec3 e = tdi_sub(tdi_madd(two.a, tdi_sub(two.b, two.a), s),
                                tdi_madd(two.c, tdi_sub(two.d, two.c), t));
            td_real f = tdi_dot(e, e) - two.blunt_s * (s * (1 - s) + t * (1 - t));
            CHECK(f >= k.distance * k.distance * (1 - 1e-12));
        }
    }
}

// Through the parallel the sharp distance changes its slope at once; the blunted one must not.
TD_TEST(contact_blunted_distance_has_no_kink_where_segments_are_parallel) {
    tdi_pair_shape two = {.side = TDI_SIDE_SEGMENT,
                          .a = {-1, 0, 0},
                          .b = {1, 0, 0},
                          .c = {-1, 0.2, 0},
                          .d = {1, 0.2, 0},
                          .blunt_s = 1e-3,
                          .blunt_t = 1e-3};
    td_real slope[2];
    for (int n = 0; n < 2; n++) { // by the tilt of the second
        td_real at[2];
        for (int m = 0; m < 2; m++) {
            td_real tilt = (n == 0 ? -1e-6 : 1e-6) + (m == 0 ? -5e-7 : 5e-7);
            two.c.y = 0.2 + tilt;
            two.d.y = 0.2 - tilt;
            at[m] = tdi_closest_of(&two).distance;
        }
        slope[n] = (at[1] - at[0]) / 1e-6;
    }
    CHECK(fabs(slope[1] - slope[0]) < 2e-3);
    two.blunt_s = two.blunt_t = 0;
    two.c.y = 0.2 + 1e-6;
    two.d.y = 0.2 - 1e-6;
    CHECK_REL(tdi_closest_of(&two).distance, 0.2 - 1e-6, 1e-9); // the kink is really there
}

TD_TEST(contact_distance_of_a_segment_and_a_box_is_the_least_along_it) {
    tdi_random random = random_of(3);
    for (int n = 0; n < 9000; n++) {
        td_collider box = td_collider_default(TD_COLLIDER_BOX);
        const td_vec3 half = tdi_vec3(test_between(&random, 0.1, 1), test_between(&random, 0.1, 1),
                                      test_between(&random, 0.1, 1));
        test_size(&box, half);
        tdi_pair_shape two = {.side = TDI_SIDE_BOX, .a = test_in_cube(&random, 2), .c = half};
        two.b = test_in_cube(&random, 2);
        if (n % 3 == 0) { // along a face
            two.b.y = two.a.y;
        }
        if (n % 7 == 0) {
            two.b = two.a;
        }
        tdi_closest k = tdi_closest_of(&two);
        td_real want = test_distance(two.a, two.b, two.a, two.b, &box);
        CHECK(fabs(k.distance - want) < 1e-7);
    }
}

TD_TEST(contact_bad_colliders_are_named) {
    td_collider k[2] = {td_collider_default(TD_COLLIDER_SPHERE),
                        td_collider_default(TD_COLLIDER_BOX)};
    td_diag diag;
    CHECK_INT(td_colliders_check(k, 2, &diag), TD_OK);
    k[1].sides.z = 0;
    CHECK_INT(td_colliders_check(k, 2, &diag), TD_ERR_ARGUMENT);
    CHECK_INT(diag.index, 1);
    CHECK_HAS(diag.message, "collider 1 (box): sides");
    k[1] = td_collider_default(TD_COLLIDER_CAPSULE);
    k[1].length = 0; // without length it is a sphere
    CHECK_INT(td_colliders_check(k, 2, &diag), TD_OK);
    k[0].rotation = (td_quat){0, 0, 0, 0};
    CHECK_INT(td_colliders_check(k, 2, &diag), TD_ERR_ARGUMENT);
    CHECK_HAS(diag.message, "collider 0 (sphere): rotation");
    k[0] = td_collider_default((td_collider_kind)9);
    CHECK_INT(td_colliders_check(k, 2, &diag), TD_ERR_ARGUMENT);
    CHECK_HAS(diag.message, "kind");
    k[0] = td_collider_default(TD_COLLIDER_PLANE);
    k[0].position0.x = NAN;
    CHECK_INT(td_colliders_check(k, 2, &diag), TD_ERR_ARGUMENT);
    CHECK_HAS(diag.message, "position0");
    k[0] = td_collider_default(TD_COLLIDER_PLANE);
    k[0].friction = -1;
    CHECK_INT(td_colliders_check(k, 2, &diag), TD_ERR_ARGUMENT);
    CHECK_HAS(diag.message, "friction");
    CHECK_INT(td_colliders_check(NULL, 2, &diag), TD_ERR_ARGUMENT);
}

TD_TEST(contact_options_that_did_not_come_from_the_default_are_refused) {
    td_contact_opts opts = td_contact_opts_default(), none = {0};
    td_diag diag;
    CHECK_INT(td_contact_opts_check(&opts, &diag), TD_OK);
    CHECK_INT(td_contact_opts_check(&none, &diag), TD_ERR_DEF);
    CHECK_INT(td_contact_opts_check(NULL, &diag), TD_OK); // the defaults
    opts.creep = 0;
    CHECK_INT(td_contact_opts_check(&opts, &diag), TD_ERR_ARGUMENT);
    CHECK_HAS(diag.message, "creep");
}
