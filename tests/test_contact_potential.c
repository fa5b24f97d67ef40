// SPDX-License-Identifier: MIT
// Derivatives of contacts and friction against differences. Pairs with src/contact/potential.c.

#include "test_contact_support.h"

enum { POINTS = 10, CAPSULES = 5, COLLIDERS = 4, SIZE = 3 * (POINTS + CAPSULES) };

// Capsules of unlike radii in a heap, with all kinds of colliders, everything nearly touching.
typedef struct heap {
    tdi_capsule capsule[CAPSULES];
    td_vec3 x[POINTS], history[POINTS];
    td_vec3 turned[CAPSULES];
    td_collider collider[COLLIDERS];
    tdi_contacts *c;
    tdi_contact_rule rule;
    td_real time;
} heap;

static void draw_heap(tdi_random *random, heap *w) {
    const td_real low = 0.03, high = 0.1; // of the least gap
    td_contact_opts opts = td_contact_opts_default();
    opts.gap = 1;
    opts.creep = 0.3;
    opts.rolling = 0.02;
    w->time = tdi_random_uniform(random);
    for (;;) {
        for (int32_t i = 0; i < CAPSULES; i++) {
            w->capsule[i] = (tdi_capsule){2 * i, 2 * i + 1, test_between(random, 0.1, 0.3),
                                          0,     i != 3,    i % 3 == 1 ? 0.3 : 0};
            w->turned[i] = test_in_cube(random, 0.02);
            w->x[2 * i] = test_in_cube(random, 1);
            w->x[2 * i + 1] = tdi_madd(w->x[2 * i], test_direction(random), 0.5);
        }
        for (int32_t k = 0; k < COLLIDERS; k++) {
            td_collider *o = &w->collider[k];
            *o = td_collider_default((td_collider_kind)k);
            test_size(o, tdi_vec3(0.3, 0.4, 0.35));
            o->position0 = k == 0 ? tdi_vec3(0, -1.1, 0) : test_in_cube(random, 1.2);
            o->position = tdi_madd(o->position0, test_direction(random), 0.02);
            o->rotation0 = test_rotation(random);
            td_quat turn = tdi_quat_turn(test_direction(random), 0.1);
            o->rotation = tdi_quat_mul(turn, o->rotation0);
        }
        td_real gap =
            test_least_gap(w->capsule, CAPSULES, w->x, w->collider, COLLIDERS, w->time, low, high);
        if (gap > low && gap < high) {
            break;
        }
    }
    for (int32_t k = 0; k < POINTS; k++) {
        w->history[k] = tdi_add(w->x[k], test_in_cube(random, 0.005));
    }
    w->rule = (tdi_contact_rule){0.7, w->history, 0.01, 0, false, w->turned};
    w->c = test_contacts(&opts, w->capsule, CAPSULES, COLLIDERS);
    CHECK_INT(tdi_contacts_colliders(w->c, w->collider, COLLIDERS, 0.02, 0, 1, NULL), TD_OK);
    CHECK_INT(tdi_contacts_find(w->c, w->x, NULL, NULL), TD_OK);
    CHECK_INT(tdi_contacts_lag(w->c, w->x, w->time, w->rule.force, w->rule.h, NULL, NULL), TD_OK);
}

static td_real *coordinate(heap *w, int k) {
    td_vec3 *x = k < 3 * POINTS ? &w->x[k / 3] : &w->turned[k / 3 - POINTS];
    return k % 3 == 0 ? &x->x : k % 3 == 1 ? &x->y : &x->z;
}

// How e moves by the three coordinates of a point, 0..3, or of a turn, 4 and 5, of a contact with
// arms; and which coordinates these are, or TD_NONE.
static tdi_mat3 motion_by(const tdi_contact *t, int k, int *row) {
    const int side = k - 4;
    *row = k < 4                   ? (t->row.point[k] == TD_NONE ? TD_NONE : 3 * t->row.point[k])
           : t->row.arm[side] == 0 ? TD_NONE
                                   : 3 * (POINTS + (side ? t->row.other : t->row.capsule));
    const td_real w = k < 4 ? t->row.weight[k] : 0;
    return k < 4 ? (tdi_mat3){{w, 0, 0, 0, w, 0, 0, 0, w}}
                 : tdi_mat3_cross(tdi_scale(t->row.normal, t->row.arm[side]));
}

static void add_rolling(const tdi_contact *t, td_real *gradient, td_real *hessian) {
    for (int k = 0; k < 6; k++) {
        int row, column;
        const tdi_mat3 a = motion_by(t, k, &row);
        for (int i = 0; i < 3 && row != TD_NONE; i++) {
            const td_vec3 own = tdi_mat3_column(&a, i);
            gradient[row + i] += tdi_dot(own, t->force);
            for (int l = 0; hessian && l < 18; l++) {
                const tdi_mat3 b = motion_by(t, l / 3, &column);
                const td_vec3 other = tdi_mat3_column(&b, l % 3);
                if (column != TD_NONE) {
                    hessian[SIZE * (row + i) + column + l % 3] +=
                        tdi_dot(own, tdi_sym3_apply(&t->hessian, other));
                }
            }
        }
    }
}

// gradient and, if asked for, Hessian of the list that evaluation leaves
static td_real gathered(heap *w, td_real *gradient, td_real *hessian) {
    td_real energy;
    CHECK_INT(tdi_contacts_evaluate(w->c, w->x, w->time, &w->rule, &energy, NULL), TD_OK);
    int32_t count;
    const tdi_contact *list = tdi_contacts_list(w->c, &count);
    memset(gradient, 0, SIZE * sizeof *gradient);
    if (hessian) {
        memset(hessian, 0, SIZE * SIZE * sizeof *hessian);
    }
    for (int32_t n = 0; n < count; n++) {
        const tdi_contact *t = &list[n];
        if (t->friction) {
            add_rolling(t, gradient, hessian);
        }
        for (int k = 0; k < 4; k++) {
            if (t->friction || t->row.point[k] == TD_NONE) {
                continue;
            }
            const int row = 3 * t->row.point[k];
            gradient[row] += t->row.weight[k] * t->force.x;
            gradient[row + 1] += t->row.weight[k] * t->force.y;
            gradient[row + 2] += t->row.weight[k] * t->force.z;
            for (int l = 0; hessian && l < 4; l++) {
                if (t->row.point[l] == TD_NONE) {
                    continue;
                }
                const tdi_mat3 b = tdi_contact_block(t, k, l);
                for (int e = 0; e < 9; e++) {
                    hessian[SIZE * (row + e / 3) + 3 * t->row.point[l] + e % 3] += b.m[e];
                }
            }
        }
    }
    return energy;
}

TD_TEST(contact_gradient_equals_differences_of_the_energy) {
    tdi_random random = random_of(31);
    int32_t barriers = 0, frictions = 0, rolling = 0;
    for (int n = 0; n < 25; n++) {
        heap w;
        draw_heap(&random, &w);
        td_real gradient[SIZE], scale = 0;
        td_real energy = gathered(&w, gradient, NULL);
        int32_t count;
        const tdi_contact *list = tdi_contacts_list(w.c, &count);
        for (int32_t k = 0; k < count; k++) {
            frictions += list[k].friction;
            rolling += list[k].rolling;
            barriers += !list[k].friction;
        }
        CHECK_REL(tdi_contacts_energy(w.c, w.x, w.time, &w.rule), energy, 1e-14);
        for (int k = 0; k < SIZE; k++) {
            scale = fmax(scale, fabs(gradient[k]));
        }
        for (int k = 0; k < SIZE; k++) {
            td_real *at = coordinate(&w, k), here = *at, side[2];
            for (int m = 0; m < 2; m++) {
                *at = here + (m == 0 ? -1e-6 : 1e-6);
                side[m] = tdi_contacts_energy(w.c, w.x, w.time, &w.rule);
            }
            *at = here;
            CHECK(fabs((side[1] - side[0]) / 2e-6 - gradient[k]) < 1e-6 * scale);
        }
        tdi_contacts_free(w.c);
    }
    CHECK(barriers > 60 && frictions > 60 && rolling > 30);
}

// Friction between two capsules that turn is equal and opposite, and so is its moment about any
// point, where it was found: it keeps momentum and angular momentum.
TD_TEST(contact_friction_between_capsules_has_neither_force_nor_moment_in_all) {
    tdi_random random = random_of(34);
    int32_t pairs = 0;
    for (int n = 0; n < 25; n++) {
        heap w;
        td_real gradient[SIZE];
        draw_heap(&random, &w);
        gathered(&w, gradient, NULL);
        int32_t count;
        const tdi_contact *list = tdi_contacts_list(w.c, &count);
        for (int32_t i = 0; i < count; i++) {
            const tdi_contact *t = &list[i];
            if (!t->friction || t->row.arm[0] == 0 || t->row.arm[1] == 0) {
                continue;
            }
            td_vec3 force = {0, 0, 0}, moment = {0, 0, 0};
            for (int k = 0; k < 4; k++) {
                const td_vec3 f = tdi_scale(t->force, t->row.weight[k]);
                force = tdi_add(force, f);
                moment = tdi_add(moment, tdi_cross(w.x[t->row.point[k]], f));
            }
            const td_vec3 turns = tdi_cross(t->force, t->row.normal);
            moment = tdi_madd(moment, turns, t->row.arm[0] + t->row.arm[1]);
            const td_real size = tdi_norm(t->force);
            CHECK(tdi_norm(force) <= 1e-15 * size && tdi_norm(moment) <= 1e-14 * size);
            pairs++;
        }
        tdi_contacts_free(w.c);
    }
    CHECK(pairs > 10);
}

// x^T H x >= 0 for the pivots of a Cholesky factorisation with a whiff on the diagonal
static bool positive(td_real *h) {
    td_real most = 0;
    for (int i = 0; i < SIZE; i++) {
        most = fmax(most, h[SIZE * i + i]);
    }
    for (int i = 0; i < SIZE; i++) {
        for (int j = 0; j <= i; j++) {
            td_real sum = h[SIZE * i + j] + (i == j ? 1e-11 * most : 0);
            for (int k = 0; k < j; k++) {
                sum -= h[SIZE * i + k] * h[SIZE * j + k];
            }
            if (i == j && !(sum > 0)) {
                return false;
            }
            h[SIZE * i + j] = i == j ? sqrt(sum) : sum / h[SIZE * j + j];
        }
    }
    return true;
}

TD_TEST(contact_hessian_is_symmetric_and_positive) {
    tdi_random random = random_of(32);
    for (int n = 0; n < 25; n++) {
        heap w;
        draw_heap(&random, &w);
        static td_real gradient[SIZE], hessian[SIZE * SIZE];
        gathered(&w, gradient, hessian);
        for (int k = 0; k < SIZE * SIZE; k++) {
            td_real twin = hessian[SIZE * (k % SIZE) + k / SIZE];
            CHECK(fabs(hessian[k] - twin) <= 1e-12 * fabs(twin));
        }
        CHECK(positive(hessian));
        tdi_contacts_free(w.c);
    }
}

// everything nearly touching everything, with friction, slow and fast
TD_TEST(contact_exact_hessian_equals_differences_of_the_gradient) {
    tdi_random random = random_of(33);
    for (int n = 0; n < 25; n++) {
        heap w;
        draw_heap(&random, &w);
        w.rule.exact_hessian = true;
        static td_real gradient[2][SIZE], hessian[SIZE * SIZE], unused[SIZE];
        gathered(&w, unused, hessian);
        td_real most = 0;
        for (int k = 0; k < SIZE * SIZE; k++) {
            most = fmax(most, fabs(hessian[k]));
        }
        for (int k = 0; k < SIZE; k++) {
            td_real *at = coordinate(&w, k), here = *at;
            for (int m = 0; m < 2; m++) {
                *at = here + (m == 0 ? -1e-7 : 1e-7);
                gathered(&w, gradient[m], NULL);
            }
            *at = here;
            for (int l = 0; l < SIZE; l++) {
                td_real want = (gradient[1][l] - gradient[0][l]) / 2e-7;
                CHECK(fabs(hessian[SIZE * k + l] - want) <= 1e-5 * most);
            }
        }
        tdi_contacts_free(w.c);
    }
}

// Two parallel rods, pressed together: the stiffness against turning one over the other, which the
// closest points bring about by moving, is in the Hessian.
TD_TEST(contact_hessian_knows_how_stiff_parallel_segments_are_against_tilting) {
    heap w = {.x = {{-1, 0, 0}, {1, 0, 0}, {-1, 0.21, 0}, {1, 0.21, 0}}};
    td_contact_opts opts = td_contact_opts_default();
    w.capsule[0] = (tdi_capsule){0, 1, 0.1, 0, false, 0};
    w.capsule[1] = (tdi_capsule){2, 3, 0.1, 0, false, 0};
    w.rule = (tdi_contact_rule){1, w.history, 0, 0, false, NULL};
    w.c = test_contacts(&opts, w.capsule, 2, 0);
    CHECK_INT(tdi_contacts_find(w.c, w.x, NULL, NULL), TD_OK);
    static td_real gradient[2][SIZE], hessian[SIZE * SIZE], unused[SIZE];
    gathered(&w, unused, hessian);
    td_real got = 0, want = 0;
    const int up[2] = {3 * 2 + 1, 3 * 3 + 1};
    for (int m = 0; m < 2; m++) {
        td_real tilt = m == 0 ? -1e-7 : 1e-7;
        w.x[2].y = 0.21 - tilt;
        w.x[3].y = 0.21 + tilt;
        gathered(&w, gradient[m], NULL);
    }
    for (int k = 0; k < 2; k++) {
        td_real sign = k == 0 ? -1 : 1;
        want += sign * (gradient[1][up[k]] - gradient[0][up[k]]) / 2e-7;
        for (int l = 0; l < 2; l++) {
            got += sign * (l == 0 ? -1 : 1) * hessian[SIZE * up[k] + up[l]];
        }
    }
    CHECK_REL(got, want, 1e-3);
    CHECK(want > 100); // N/m, for a force of about 1.4 N
    tdi_contacts_free(w.c);
}

// value and two derivatives vanish together at the edge of the range, and the force is as promised
TD_TEST(contact_barrier_starts_smoothly_and_pushes_as_its_figure_says) {
    heap w = {.x = {{0, 0, 0}}};
    td_contact_opts opts = td_contact_opts_default();
    td_collider plane = td_collider_default(TD_COLLIDER_PLANE);
    w.capsule[0] = (tdi_capsule){0, 0, 0.1, 0, false, 0};
    w.rule = (tdi_contact_rule){3, w.history, 0, 0, false, NULL};
    w.c = test_contacts(&opts, w.capsule, 1, 1);
    CHECK_INT(tdi_contacts_colliders(w.c, &plane, 1, 0.02, 0, 1, NULL), TD_OK);
    const td_real range = 0.02;
    int32_t count;
    td_real energy;
    for (int n = 0; n < 3; n++) {
        const td_real part = n == 0 ? 0.5 : n == 1 ? 0.999 : 1.0001;
        w.x[0].y = 0.1 + range * part;
        CHECK_INT(tdi_contacts_find(w.c, w.x, NULL, NULL), TD_OK);
        CHECK_INT(tdi_contacts_evaluate(w.c, w.x, 0, &w.rule, &energy, NULL), TD_OK);
        const tdi_contact *t = tdi_contacts_list(w.c, &count);
        CHECK_INT(count, n == 2 ? 0 : 1);
        CHECK(n == 2 ? energy == 0 : energy > 0);
        if (n == 0) {
            CHECK_REL(t->force.y, -2 * 3, 1e-9);
        } else if (n == 1) {
            CHECK(fabs(t->force.y) < 3 * 1e-5 && t->hessian.yy < 3 / range * 0.01);
        }
    }
    tdi_contacts_free(w.c);
}

TD_TEST(contact_with_what_rests_acts_as_ever_on_what_moves_and_is_left_out_between_two_that_rest) {
    const bool resting[CAPSULES] = {true, true, true, false, false};
    const int moving = 2 * 3; // the first point of the capsules that move
    int32_t left_out = 0;
    tdi_random random = random_of(37);
    for (int n = 0; n < 25; n++) {
        heap w;
        draw_heap(&random, &w);
        td_real all[SIZE], some[SIZE];
        const td_real energy = gathered(&w, all, NULL);
        int32_t before, after;
        tdi_contacts_list(w.c, &before);
        tdi_contacts_set_inactive(w.c, resting);
        const td_real less = gathered(&w, some, NULL);
        const tdi_contact *list = tdi_contacts_list(w.c, &after);
        CHECK(tdi_contacts_energy(w.c, w.x, w.time, &w.rule) == less);
        CHECK(less <= energy);
        left_out += before - after;
        for (int32_t k = 0; k < after; k++) {
            const bool other = list[k].row.other >= CAPSULES || resting[list[k].row.other];
            CHECK(!(resting[list[k].row.capsule] && other));
        }
        for (int k = 3 * moving; k < 3 * POINTS; k++) {
            CHECK(all[k] == some[k]);
        }
        tdi_contacts_set_inactive(w.c, NULL);
        CHECK(gathered(&w, some, NULL) == energy);
        tdi_contacts_free(w.c);
    }
    CHECK(left_out > 0);
}

// A capsule across a plane that turns, at half the range: its normal force is 2 N an end.
TD_TEST(contact_turning_plane_rubs_along_its_turn) {
    const tdi_capsule capsule = {0, 1, 0.05, 0, false, 0};
    const td_vec3 x[2] = {{0.3, 0.055, 0.4}, {0.25, 0.055, 0}};
    const tdi_contact_rule rule = {1, x, 1.0 / 60, 0, true, NULL};
    const td_contact_opts opts = td_contact_opts_default();
    tdi_contacts *c = test_contacts(&opts, &capsule, 1, 2);
    td_collider plane = td_collider_default(TD_COLLIDER_PLANE);
    td_real energy;
    int32_t count;
    plane.friction = 0.5;
    plane.rotation = tdi_quat_turn(tdi_vec3(0, 1, 0), 0.2);
    CHECK_INT(tdi_contacts_colliders(c, &plane, 1, rule.h, 0, 1, NULL), TD_OK);
    CHECK_INT(tdi_contacts_find(c, x, NULL, NULL), TD_OK);
    CHECK_INT(tdi_contacts_lag(c, x, 0, 1, rule.h, NULL, NULL), TD_OK);
    CHECK_INT(tdi_contacts_evaluate(c, x, 0, &rule, &energy, NULL), TD_OK);
    const tdi_contact *list = tdi_contacts_list(c, &count);
    CHECK_INT(count, 4);
    CHECK(list[2].friction && list[2].row.capsule == 0 && list[2].row.other == 1);
    // y x (0.3, ., 0.4) = (0.4, ., -0.3), turned by half of 0.2, along the chord; the gradient is
    // against the motion
    CHECK_REL(list[2].force.x, -(0.8 * cos(0.1) - 0.6 * sin(0.1)) * 0.5 * 2, 1e-9);
    CHECK_REL(list[2].force.z, (0.6 * cos(0.1) + 0.8 * sin(0.1)) * 0.5 * 2, 1e-9);
    tdi_contacts_free(c);
}
