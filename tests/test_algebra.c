// SPDX-License-Identifier: MIT
// The algebra that callers get: against the library's own, and matrices and bones against each
// other. Pairs with include/tendril/algebra.h.

#include "td_test.h"

#include "math/quat.h"

#define TINY 1e-14 // a few roundings of numbers of about 1

static td_real any(tdi_random *r) {
    return 2 * tdi_random_uniform(r) - 1;
}

static td_vec3 any_vec(tdi_random *r) {
    const td_real x = any(r), y = any(r);
    return td_vec3_of(x, y, any(r));
}

static td_quat any_turn(tdi_random *r) {
    const td_vec3 axis = td_vec3_unit_or(any_vec(r), td_vec3_of(0, 1, 0));
    return td_quat_turn(axis, 3 * any(r));
}

static bool same(td_vec3 a, td_vec3 b) {
    return memcmp(&a, &b, sizeof a) == 0;
}

TD_TEST(algebra_of_vectors_and_quaternions_has_the_bits_of_the_library) {
    tdi_random r = random_of(11);
    for (int k = 0; k < 1000; k++) {
        const td_vec3 a = any_vec(&r), b = any_vec(&r);
        const td_quat p = any_turn(&r), q = any_turn(&r);
        const td_real s = any(&r);
        CHECK(same(td_vec3_add(a, b), tdi_add(a, b)) && same(td_vec3_sub(a, b), tdi_sub(a, b)));
        CHECK(same(td_vec3_scale(a, s), tdi_scale(a, s)));
        CHECK(same(td_vec3_madd(a, b, s), tdi_madd(a, b, s)));
        CHECK(same(td_vec3_cross(a, b), tdi_cross(a, b)));
        CHECK(td_vec3_dot(a, b) == tdi_dot(a, b) && td_vec3_norm(a) == tdi_norm(a));
        CHECK(td_vec3_distance(a, b) == tdi_norm(tdi_sub(a, b)));
        CHECK(same(td_quat_rotate(q, a), tdi_quat_rotate(q, a)));
        const td_quat one = td_quat_mul(p, q), two = tdi_quat_mul(p, q);
        CHECK(memcmp(&one, &two, sizeof one) == 0);
        const td_vec3 there = td_quat_rotate(one, a), by = td_quat_rotate(q, a);
        CHECK(td_vec3_distance(there, td_quat_rotate(p, by)) < TINY);
        CHECK(td_vec3_distance(a, td_quat_rotate(td_quat_conj(q), by)) < TINY);
    }
    CHECK(same(td_vec3_unit_or(td_vec3_of(0, 0, 0), td_vec3_of(0, 0, 1)), td_vec3_of(0, 0, 1)));
    CHECK(same(td_vec3_lerp(td_vec3_of(1, 2, 3), td_vec3_of(3, 2, 1), 0.5), td_vec3_of(2, 2, 2)));
    CHECK_REL(td_quat_dot(td_quat_unit(td_quat_of(1, 2, 3, 4)), td_quat_of(1, 2, 3, 4)), sqrt(30),
              TINY);
}

TD_TEST(algebra_turns_between_directions_and_from_one_rotation_to_another) {
    tdi_random r = random_of(12);
    for (int k = 0; k < 300; k++) {
        const td_vec3 a = td_vec3_unit_or(any_vec(&r), td_vec3_of(1, 0, 0));
        const td_vec3 b =
            k % 3 == 0 ? td_vec3_scale(a, -1) : td_vec3_unit_or(any_vec(&r), td_vec3_of(1, 0, 0));
        CHECK(td_vec3_distance(td_quat_rotate(td_quat_between(a, b), a), b) < 1e-9);
        const td_quat p = any_turn(&r), q = any_turn(&r), half = td_quat_slerp(p, q, 0.5);
        CHECK_REL(fabs(td_quat_dot(td_quat_slerp(p, q, 0), p)), 1, TINY);
        CHECK_REL(fabs(td_quat_dot(td_quat_slerp(p, q, 1), q)), 1, TINY);
        CHECK_REL(fabs(td_quat_dot(half, p)), fabs(td_quat_dot(half, q)), 1e-12); // midway
    }
    const td_quat end = td_quat_turn(td_vec3_of(0, 1, 0), 1.2);
    const td_quat third = td_quat_slerp(td_quat_identity(), end, 1.0 / 3);
    CHECK_REL(third.y, sin(0.2), 1e-14);
}

TD_TEST(algebra_of_matrices_turns_shifts_scales_and_projects) {
    tdi_random r = random_of(13);
    for (int k = 0; k < 100; k++) {
        const td_vec3 at = any_vec(&r), v = any_vec(&r), by = any_vec(&r);
        const td_quat q = any_turn(&r);
        const td_mat4 m = td_mat4_of(at, q), n = td_mat4_scaling(by);
        const td_vec3 want = td_vec3_add(at, td_quat_rotate(q, v));
        CHECK(td_vec3_distance(td_mat4_apply(m, v), want) < TINY);
        const td_vec3 both = td_mat4_apply(td_mat4_mul(m, n), v);
        CHECK(td_vec3_distance(both, td_mat4_apply(m, td_mat4_apply(n, v))) < TINY);
        CHECK(td_vec3_distance(td_mat4_apply(td_mat4_identity(), v), v) == 0);
        const td_mat4 view = td_mat4_look_at(at, td_vec3_add(at, by), td_vec3_of(0, 1, 0));
        const td_vec3 ahead = td_mat4_apply(view, td_vec3_add(at, by));
        CHECK(td_vec3_distance(ahead, td_vec3_of(0, 0, -td_vec3_norm(by))) < 1e-13);
    }
    // 90 degrees from bottom to top: what is as far aside as away is at the edge
    const td_mat4 p = td_mat4_perspective(2 * atan(1.0), 2, 0.1, 100);
    CHECK(td_vec3_distance(td_mat4_apply(p, td_vec3_of(6, 3, -3)), td_vec3_of(1, 1, 0.9352)) <
          1e-4);
    CHECK_REL(td_mat4_apply(p, td_vec3_of(0, 0, -0.1)).z, -1, 1e-12);
    CHECK_REL(td_mat4_apply(p, td_vec3_of(0, 0, -100)).z, 1, 1e-12);
}

// A vertex that is drawn on a segment stays on it wherever it goes.
TD_TEST(algebra_bones_take_what_is_drawn_on_a_segment_along_with_it) {
    enum { COUNT = 4 };
    tdi_random r = random_of(14);
    td_vec3 drawn[COUNT], now[COUNT];
    td_quat drawn_turn[COUNT], turn[COUNT];
    float palette[16 * COUNT];
    for (int i = 0; i < COUNT; i++) {
        drawn[i] = any_vec(&r);
        now[i] = any_vec(&r);
        drawn_turn[i] = any_turn(&r);
        turn[i] = any_turn(&r);
    }
    td_bones(COUNT, drawn, drawn_turn, now, turn, palette);
    for (int i = 0; i < COUNT; i++) {
        const td_vec3 own = any_vec(&r);
        const td_vec3 vertex = td_mat4_apply(td_mat4_of(drawn[i], drawn_turn[i]), own);
        const td_vec3 want = td_mat4_apply(td_mat4_of(now[i], turn[i]), own);
        const td_mat4 bone = td_bone(drawn[i], drawn_turn[i], now[i], turn[i]);
        CHECK(td_vec3_distance(td_mat4_apply(bone, vertex), want) < TINY);
        float floats[16];
        td_mat4_floats(bone, floats);
        CHECK_REL(floats[12], bone.m[12], 1e-7);
        CHECK(memcmp(floats, palette + 16 * i, sizeof floats) == 0);
    }
}
