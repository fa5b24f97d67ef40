// SPDX-License-Identifier: MIT
// The closed form of a helix against its equations and against differences. Pairs with
// src/helix/curve.c.

#define TDI_LANES 1
#include "helix/curve.h"
#include "helix/jet_kernel.h"
#include "test_helix_support.h"

#define PI 3.14159265358979323846

// ---- against the equations ------------------------------------------------------------------

// |u| s from 1e-9 to 600: rounding of the angle alone turns by |u| s times 1e-16.
TD_TEST(helix_equals_the_integrated_frame_equations_at_any_curvature) {
    tdi_random r = random_of(1);
    for (int k = 0; k < 240; k++) {
        const td_real s = between(&r, 0.1, 2), angle = 1e-9 * pow(6e11, k / 239.0);
        const td_vec3 u = tdi_scale(any_direction(&r), angle / s);
        const tdi_helix_frame got = tdi_helix_at(u, s);
        const plain_frame want = plain_curve(plain_start, u, s);
        const td_real limit = 1e-15 * (4 + 2 * angle);
        CHECK_SAY(frames_apart(&got.r, &want.r) < limit, "frame off by %g at %g rad",
                  frames_apart(&got.r, &want.r), angle);
        CHECK_SAY(tdi_norm(tdi_sub(got.x, want.x)) < s * limit, "place off by %g at %g rad",
                  tdi_norm(tdi_sub(got.x, want.x)), angle);
    }
}

// sum of (-x)^j/(2j + k)!
static td_real stumpff_sum(td_real x, int k) {
    td_real term = 1, sum = 0;
    for (int j = 1; j <= k; j++) {
        term /= j;
    }
    for (int j = 0; j < 40; j++) {
        sum += term;
        term *= -x / ((2 * j + k + 1) * (2 * j + k + 2));
    }
    return sum;
}

// On both sides of the switch, |v| = 3, and all around it. c_0 and c_1 pass zero.
TD_TEST(helix_functions_agree_on_both_sides_of_the_switch_from_the_series) {
    const tdi_stumpff below = tdi_stumpff_of(9.0), above = tdi_stumpff_of(nextafter(9.0, 10.0));
    for (int k = 0; k < 8; k++) {
        CHECK_REL(above.c[k], below.c[k], 1e-14);
        for (int i = 0; i <= 1200; i++) {
            const td_real x = i / 100.0, got = tdi_stumpff_of(x).c[k], want = stumpff_sum(x, k);
            CHECK_IN((got - want) / (k < 2 ? 1 : want), -1e-14, 1e-14);
        }
    }
}

// ---- derivatives ----------------------------------------------------------------------------

static td_vec3 pose_perturbed(td_vec3 u, int k, td_real h) {
    (k == 0 ? &u.x : k == 1 ? &u.y : &u.z)[0] += h;
    return u;
}

// The rotation vector from one frame to another, from the left, for small ones:
// log(B A^T) = a asin|a|/|a|, a half of the axial vector.
static td_vec3 turn_between(const tdi_mat3 *a, const tdi_mat3 *b) {
    const tdi_mat3 m = tdi_mat3_mul_t(b, a);
    const td_vec3 half = tdi_scale(tdi_mat3_axial(&m), 0.5);
    const td_real sine = tdi_norm(half);
    return sine > 1e-4 ? tdi_scale(half, asin(sine) / sine) : tdi_scale(half, 1 + sine * sine / 6);
}

typedef struct shift {
    td_vec3 place, turn;
} shift;

// What an increment of h along a and along b does.
static shift shift_by(td_vec3 u, td_real s, const tdi_helix_jet *jet, int a, td_real ha, int b,
                      td_real hb) {
    const tdi_helix_frame f = tdi_helix_at(pose_perturbed(pose_perturbed(u, a, ha), b, hb), s);
    return (shift){tdi_sub(f.x, jet->x), turn_between(&jet->r, &f.r)};
}

// How far the jet is from central differences of size h, over s (place) and over 1 (turn): the
// first derivatives, or the second ones.
static td_real jet_off(td_vec3 u, td_real s, td_real h, bool second) {
    static const int pairs[6][2] = {{0, 0}, {1, 1}, {2, 2}, {0, 1}, {0, 2}, {1, 2}};
    tdi_helix_jet jet;
    td_real worst = 0;
    h /= s;
    tdi_helix_jet_at(u, s, true, &jet);
    for (int p = 0; p < (second ? 6 : 3); p++) {
        const int a = pairs[p][0], b = second ? pairs[p][1] : a;
        td_vec3 place = {0, 0, 0}, turn = {0, 0, 0};
        for (int corner = 0; corner < (second ? 4 : 2); corner++) {
            const td_real sa = corner & 1 ? -1 : 1, sb = corner & 2 ? -1 : 1;
            const shift d = shift_by(u, s, &jet, a, sa * h, b, second ? sb * h : 0);
            const td_real weight = second ? sa * sb / (4 * h * h) : sa / (2 * h);
            place = tdi_madd(place, d.place, weight);
            turn = tdi_madd(turn, d.turn, weight);
        }
        place = tdi_sub(place, second ? jet.ddx[p] : jet.dx[p]);
        turn = tdi_sub(turn, second ? jet.dturn[p] : jet.turn[p]);
        const td_real unit = second ? s * s : s;
        worst = fmax(worst, fmax(tdi_norm(place) / s, tdi_norm(turn)) / unit);
    }
    return worst;
}

static const td_real angles[] = {0, 1e-6, 0.3, 2.999999, 3.000001, 5, 40, 300};

TD_TEST(helix_first_derivatives_are_the_limit_of_differences_at_second_order) {
    tdi_random r = random_of(2);
    for (int k = 0; k < 8; k++) {
        const td_real s = between(&r, 0.1, 2);
        const td_vec3 u = tdi_scale(any_direction(&r), angles[k] / s);
        const td_real coarse = jet_off(u, s, 0.02, false), fine = jet_off(u, s, 0.01, false);
        CHECK_IN(log2(coarse / fine), 1.99, 2.01);
        CHECK_IN(jet_off(u, s, 1e-5, false), 0, 2e-9); // rounding: (2 + |v|) 1e-16 / 1e-5
    }
}

TD_TEST(helix_second_derivatives_are_the_limit_of_differences_at_second_order) {
    tdi_random r = random_of(3);
    for (int k = 0; k < 8; k++) {
        const td_real s = between(&r, 0.1, 2);
        const td_vec3 u = tdi_scale(any_direction(&r), angles[k] / s);
        const td_real coarse = jet_off(u, s, 0.04, true), fine = jet_off(u, s, 0.02, true);
        CHECK_IN(log2(coarse / fine), 1.98, 2.02);
        CHECK_IN(jet_off(u, s, 1e-3, true), 0, 1e-6);
    }
}

// |a - b| over all entries
static td_real apart6(td_sym3 a, td_sym3 b) {
    const td_sym3 d = tdi_sym3_add(a, tdi_sym3_scale(b, -1));
    return fabs(d.xx) + fabs(d.yy) + fabs(d.zz) + fabs(d.xy) + fabs(d.xz) + fabs(d.yz);
}

// f.ddx + n.dturn, and as the steps take it, one at a time and in lanes.
TD_TEST(helix_forces_and_moments_add_their_part_of_the_second_derivatives_to_a_hessian) {
    tdi_random r = random_of(6);
    for (int k = 0; k < 8; k++) {
        const td_real s = between(&r, 0.1, 2), size = angles[k];
        const td_vec3 u = tdi_scale(any_direction(&r), size / s), f = any_direction(&r),
                      n = any_direction(&r);
        tdi_helix_jet jet;
        td_real sum[6], numbers[3] = {u.x, u.y, u.z};
        tdi_helix_jet_at(u, s, true, &jet);
        for (int p = 0; p < 6; p++) {
            sum[p] = tdi_dot(f, jet.ddx[p]) + tdi_dot(n, jet.dturn[p]);
        }
        const td_sym3 want = {sum[0], sum[1], sum[2], sum[3], sum[4], sum[5]};
        const td_real most = apart6(want, (td_sym3){0, 0, 0, 0, 0, 0});
        const wrecord record = {{numbers}};
        const int terms = tdi_stumpff_terms(size * size);
        wcurve curve;
        wjet lane;
        find_curve(&record, s, (tdi_stumpff_range){terms, terms == 0}, &curve);
        find_jet(&curve, &lane);
        CHECK_IN(apart6(tdi_helix_bent(&jet, f, n), want), 0, 1e-12 * most);
        CHECK_IN(apart6(bent_of(&lane, f, n), want), 0, 1e-12 * most);
    }
}

TD_TEST(helix_jet_has_the_place_and_frame_of_the_curve) {
    tdi_random r = random_of(4);
    for (int k = 0; k < 8; k++) {
        const td_vec3 u = tdi_scale(any_direction(&r), angles[k]);
        const tdi_helix_frame f = tdi_helix_at(u, 1);
        tdi_helix_jet jet;
        tdi_helix_jet_at(u, 1, false, &jet);
        CHECK(memcmp(&jet.x, &f.x, sizeof f.x) == 0 && memcmp(&jet.r, &f.r, sizeof f.r) == 0);
    }
}

// ---- laws -----------------------------------------------------------------------------------

// The axis is u itself: R u = u, x.u = s u_y. Radius kappa/|u|^2, pitch 2 pi tau/|u|^2.
TD_TEST(helix_keeps_its_axis_its_radius_and_its_pitch) {
    tdi_random r = random_of(5);
    for (int k = 0; k < 100; k++) {
        const td_vec3 u = tdi_scale(any_direction(&r), between(&r, 2, 40));
        const td_real size = tdi_norm(u), s = between(&r, 0.1, 3), turn = 2 * PI / size;
        const tdi_helix_frame f = tdi_helix_at(u, s), g = tdi_helix_at(u, s + turn);
        const td_vec3 tangent = {0, 1, 0}, axis = tdi_scale(u, 1 / size);
        CHECK_IN(tdi_norm(tdi_sub(tdi_mat3_apply(&f.r, u), u)) / size, 0, 2e-14);
        CHECK_REL(tdi_dot(f.x, u) / size, s * u.y / size, 1e-14 * s);
        // from the start the centre is u x e_y/|u|^2 away
        const td_vec3 out = tdi_sub(f.x, tdi_scale(tdi_cross(u, tangent), 1 / (size * size)));
        const td_vec3 across = tdi_sub(out, tdi_scale(axis, tdi_dot(out, axis)));
        CHECK_REL(tdi_norm(across), hypot(u.x, u.z) / (size * size), 1e-12);
        const td_vec3 pitch = tdi_scale(u, 2 * PI * u.y / (size * size * size));
        CHECK_IN(tdi_norm(tdi_sub(tdi_sub(g.x, f.x), pitch)), 0, 2e-14);
        CHECK_IN(frames_apart(&f.r, &g.r), 0, 1e-13);
    }
}

// Two pieces of one helix are that helix.
TD_TEST(helix_pieces_join_to_the_whole) {
    tdi_random r = random_of(6);
    for (int k = 0; k < 100; k++) {
        const td_real a = between(&r, 0, 1), b = between(&r, 0, 1);
        const td_vec3 u = tdi_scale(any_direction(&r), 1e-3 * pow(1e5, k / 99.0));
        const tdi_helix_frame f = tdi_helix_at(u, a), g = tdi_helix_at(u, b);
        const tdi_helix_frame whole = tdi_helix_at(u, a + b);
        const td_vec3 end = tdi_add(f.x, tdi_mat3_apply(&f.r, g.x));
        CHECK_IN(tdi_norm(tdi_sub(end, whole.x)), 0, 1e-13);
        for (int j = 0; j < 3; j++) {
            const td_vec3 column = tdi_mat3_apply(&f.r, tdi_mat3_column(&g.r, j));
            CHECK_IN(tdi_norm(tdi_sub(column, tdi_mat3_column(&whole.r, j))), 0, 1e-13);
        }
    }
}

// Mirrored at x = 0: curvatures are axial vectors, of which only the part across the mirror stays.
TD_TEST(helix_mirrored_has_the_mirrored_curvatures) {
    tdi_random r = random_of(7);
    for (int k = 0; k < 50; k++) {
        const td_vec3 u = tdi_scale(any_direction(&r), between(&r, 0, 30));
        const tdi_helix_frame f = tdi_helix_at(u, 1);
        const tdi_helix_frame g = tdi_helix_at(tdi_vec3(u.x, -u.y, -u.z), 1);
        CHECK_REL(g.x.x, -f.x.x, 1e-15);
        CHECK_REL(g.x.y, f.x.y, 1e-15);
        CHECK_REL(g.x.z, f.x.z, 1e-15);
        CHECK_REL(g.r.m[5], f.r.m[5], 1e-15);
        CHECK_REL(g.r.m[1], -f.r.m[1], 1e-15);
    }
}
