// SPDX-License-Identifier: MIT
// Strains of a joint between two edges of a rod, and the derivatives of its energy. Pairs with
// src/rod/joint.c.

#include "test_rod_shapes.h"

#define PI 3.14159265358979323846

typedef struct joint {
    tdi_edge e, f;
    tdi_joint_law law;
    td_real twist;
} joint;

static tdi_edge any_edge(tdi_random *r) {
    tdi_edge e = {.t = any_direction(r), .length = between(r, 0.5, 2)};
    e.m1 = tdi_director(any_direction(r), e.t);
    e.m2 = tdi_cross(e.t, e.m1);
    return e;
}

static td_real twist_of(const joint *j, td_real near) {
    tdi_joint_strain s = tdi_joint_measure(&j->e, &j->f);
    return tdi_joint_twist(&s, near);
}

// Bent by up to 2.2 rad, twisted by some turns, with a bending stiffness that couples both ways.
static joint any_joint(tdi_random *r) {
    joint j = {.e = any_edge(r)};
    do {
        j.f = any_edge(r);
    } while (tdi_dot(j.e.t, j.f.t) < -0.6);
    td_real a = between(r, 0.5, 2), b = between(r, 0.5, 2);
    j.law = (tdi_joint_law){{a, between(r, -0.9, 0.9) * sqrt(a * b), b},
                            between(r, 0.5, 2),
                            {between(r, -1, 1), between(r, -1, 1), between(r, -3, 3)}};
    j.twist = twist_of(&j, between(r, -12, 12));
    return j;
}

// An edge moved by d and turned: its frame is carried along, then turned.
static tdi_edge moved(const tdi_edge *e, const td_real *d, td_real turn) {
    td_vec3 v = tdi_add(tdi_scale(e->t, e->length), tdi_vec3(d[0], d[1], d[2]));
    tdi_edge out = {.length = tdi_norm(v)};
    out.t = tdi_scale(v, 1 / out.length);
    td_vec3 m1 = tdi_transport(e->m1, e->t, out.t);
    out.m1 = tdi_add(tdi_scale(m1, cos(turn)), tdi_scale(tdi_cross(out.t, m1), sin(turn)));
    out.m2 = tdi_cross(out.t, out.m1);
    return out;
}

static td_real energy_at(const joint *j, const td_real x[TDI_JOINT_VARIABLES]) {
    joint k = {.e = moved(&j->e, x, x[TDI_TURN_E]),
               .f = moved(&j->f, x + TDI_EDGE_F, x[TDI_TURN_F])};
    tdi_joint_strain s = tdi_joint_measure(&k.e, &k.f);
    td_real twist = tdi_joint_twist(&s, j->twist);
    tdi_joint_wind(&s, twist);
    return tdi_joint_energy(&j->law, &s, twist);
}

// fourth order: (8 (E(h) - E(-h)) - (E(2h) - E(-2h)))/12h
static td_real slope(const joint *j, int d, td_real h) {
    td_real x[TDI_JOINT_VARIABLES] = {0}, sum = 0;
    static const td_real at[4] = {1, -1, 2, -2}, weight[4] = {8, -8, -1, 1};
    for (int k = 0; k < 4; k++) {
        x[d] = at[k] * h;
        sum += weight[k] * energy_at(j, x);
    }
    return sum / (12 * h);
}

static td_real bow_by(const joint *j, int a, int b, td_real h) {
    td_real sum = 0;
    for (int k = 0; k < 4; k++) {
        td_real x[TDI_JOINT_VARIABLES] = {0};
        x[a] += k & 1 ? -h : h;
        x[b] += k & 2 ? -h : h;
        sum += (k == 1 || k == 2 ? -1 : 1) * energy_at(j, x);
    }
    return sum / (4 * h * h);
}

// fourth order, from two steps
static td_real second_difference(const joint *j, int a, int b, td_real h) {
    return (4 * bow_by(j, a, b, h) - bow_by(j, a, b, 2 * h)) / 3;
}

// ---- strains --------------------------------------------------------------------------------

// 2 tan(phi/2) about the axis of the bend, whatever the frames
TD_TEST(curvature_of_a_joint_is_twice_the_tangent_of_half_its_angle) {
    tdi_random r = random_of(21);
    for (int k = 0; k < 100; k++) {
        joint j = any_joint(&r);
        tdi_joint_strain s = tdi_joint_measure(&j.e, &j.f);
        td_real phi = acos(tdi_dot(j.e.t, j.f.t));
        CHECK_REL(tdi_norm(s.kb), 2 * tan(phi / 2), 1e-12);
    }
}

// in frames that are carried over, without twist, k1 and k2 are all of the curvature
TD_TEST(curvature_in_a_carried_frame_keeps_its_size_and_has_no_twist) {
    tdi_random r = random_of(22);
    for (int k = 0; k < 100; k++) {
        joint j = any_joint(&r);
        j.f.m1 = tdi_transport(j.e.m1, j.e.t, j.f.t);
        j.f.m2 = tdi_cross(j.f.t, j.f.m1);
        tdi_joint_strain s = tdi_joint_measure(&j.e, &j.f);
        CHECK_REL(sqrt(s.k1 * s.k1 + s.k2 * s.k2), tdi_norm(s.kb), 1e-12);
        CHECK_IN(tdi_joint_twist(&s, 0), -1e-12, 1e-12);
    }
}

// whatever the twist between the frames: a round rod bends alike however much it is twisted
TD_TEST(curvature_of_a_joint_keeps_its_size_in_twisted_frames) {
    tdi_random r = random_of(29);
    for (int k = 0; k < 100; k++) {
        joint j = any_joint(&r);
        tdi_joint_strain s = tdi_joint_measure(&j.e, &j.f);
        CHECK_REL(sqrt(s.k1 * s.k1 + s.k2 * s.k2), tdi_norm(s.kb), 1e-12);
    }
}

TD_TEST(twist_of_a_joint_goes_on_past_any_number_of_turns) {
    tdi_random r = random_of(23);
    joint j = any_joint(&r);
    td_real start = j.twist, zero[3] = {0, 0, 0};
    for (int k = 1; k <= 1000; k++) {
        j.f = moved(&j.f, zero, 0.1);
        j.twist = twist_of(&j, j.twist);
        CHECK_IN(j.twist - start - 0.1 * k, -1e-10, 1e-10);
    }
}

// small steps change the energy by little, also past half a turn of a bent joint with a bent rest
TD_TEST(energy_of_a_joint_is_smooth_through_every_turn) {
    tdi_random r = random_of(28);
    for (int k = 0; k < 20; k++) {
        joint j = any_joint(&r);
        td_real zero[3] = {0, 0, 0}, last = NAN, most = 0;
        j.law.twist = 0;
        for (int n = 0; n < 2000; n++) {
            td_real at[TDI_JOINT_VARIABLES] = {0}, now = energy_at(&j, at);
            most = n > 0 ? fmax(most, fabs(now - last)) : 0;
            last = now;
            j.f = moved(&j.f, zero, 0.01);
            j.twist = twist_of(&j, j.twist);
        }
        // |dE/dm| = |p x k|/2 is at most bend |k| (|k| + |rest|)/2
        td_real kb = tdi_norm(tdi_joint_measure(&j.e, &j.f).kb), rest = sqrt(2);
        CHECK_IN(most, 0, 0.01 * 4 * kb * (kb + rest));
        CHECK(most > 0);
    }
}

// ---- derivatives ----------------------------------------------------------------------------

// gradient and Hessian against differences of the energy, as parts of their largest entry
TD_TEST(derivatives_of_a_joint_match_differences_of_its_energy) {
    tdi_random r = random_of(24);
    for (int k = 0; k < 200; k++) {
        joint j = any_joint(&r);
        tdi_joint_strain s = tdi_joint_measure(&j.e, &j.f);
        tdi_joint_term term;
        td_real steep = 0, stiff = 0;
        tdi_joint_wind(&s, j.twist);
        tdi_joint_derive(&j.e, &j.f, &j.law, &s, j.twist, true, &term);
        for (int a = 0; a < TDI_JOINT_VARIABLES; a++) {
            steep = fmax(steep, fabs(term.gradient[a]));
            for (int b = a; b < TDI_JOINT_VARIABLES; b++) {
                stiff = fmax(stiff, fabs(term.hessian[a][b]));
            }
        }
        for (int a = 0; a < TDI_JOINT_VARIABLES; a++) {
            CHECK_IN((slope(&j, a, 5e-4) - term.gradient[a]) / steep, -1e-8, 1e-8);
            for (int b = a; b < TDI_JOINT_VARIABLES; b++) {
                CHECK_IN((second_difference(&j, a, b, 1e-3) - term.hessian[a][b]) / stiff, -1e-6,
                         1e-6);
            }
        }
    }
}

// without second derivatives of the strains: the quadratic form is a sum of squares
TD_TEST(reduced_hessian_of_a_joint_is_never_negative) {
    tdi_random r = random_of(25);
    for (int k = 0; k < 200; k++) {
        joint j = any_joint(&r);
        tdi_joint_strain s = tdi_joint_measure(&j.e, &j.f);
        tdi_joint_term term;
        tdi_joint_derive(&j.e, &j.f, &j.law, &s, j.twist, false, &term);
        for (int n = 0; n < 20; n++) {
            td_real x[TDI_JOINT_VARIABLES], sum = 0, size = 0;
            for (int a = 0; a < TDI_JOINT_VARIABLES; a++) {
                x[a] = tdi_random_normal(&r);
            }
            for (int a = 0; a < TDI_JOINT_VARIABLES; a++) {
                for (int b = a; b < TDI_JOINT_VARIABLES; b++) {
                    td_real part = (a == b ? 1 : 2) * x[a] * x[b] * term.hessian[a][b];
                    sum += part;
                    size += fabs(part);
                }
            }
            CHECK(sum >= -1e-13 * size);
        }
    }
}

// a joint at ease has no gradient, and there both Hessians are the same
TD_TEST(joint_at_ease_has_no_gradient_and_one_hessian) {
    tdi_random r = random_of(26);
    for (int k = 0; k < 50; k++) {
        joint j = any_joint(&r);
        tdi_joint_strain s = tdi_joint_measure(&j.e, &j.f);
        tdi_joint_term whole, reduced;
        tdi_joint_wind(&s, j.twist);
        j.law.rest[0] = s.k1;
        j.law.rest[1] = s.k2;
        j.law.rest[2] = j.twist;
        tdi_joint_derive(&j.e, &j.f, &j.law, &s, j.twist, true, &whole);
        tdi_joint_derive(&j.e, &j.f, &j.law, &s, j.twist, false, &reduced);
        for (int a = 0; a < TDI_JOINT_VARIABLES; a++) {
            CHECK(whole.gradient[a] == 0);
            for (int b = a; b < TDI_JOINT_VARIABLES; b++) {
                CHECK(whole.hessian[a][b] == reduced.hessian[a][b]);
            }
        }
    }
}

// ---- invariance -----------------------------------------------------------------------------

TD_TEST(energy_of_a_joint_knows_nothing_of_where_it_points) {
    tdi_random r = random_of(27);
    for (int k = 0; k < 100; k++) {
        joint j = any_joint(&r), turned = j;
        td_quat q = any_rotation(&r);
        tdi_edge *edges[2] = {&turned.e, &turned.f};
        for (int i = 0; i < 2; i++) {
            edges[i]->t = tdi_quat_rotate(q, edges[i]->t);
            edges[i]->m1 = tdi_quat_rotate(q, edges[i]->m1);
            edges[i]->m2 = tdi_quat_rotate(q, edges[i]->m2);
        }
        tdi_joint_strain a = tdi_joint_measure(&j.e, &j.f);
        tdi_joint_strain b = tdi_joint_measure(&turned.e, &turned.f);
        CHECK_REL(tdi_joint_energy(&j.law, &b, tdi_joint_twist(&b, j.twist)),
                  tdi_joint_energy(&j.law, &a, j.twist), 1e-12);
    }
}
