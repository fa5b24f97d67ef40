// SPDX-License-Identifier: MIT
// One capsule of two heavy points, stepped by a Newton method of its own: sliding, sticking, being
// carried and pushed. Shows how a solver uses contact. Pairs with src/contact.

#include "test_contact_support.h"

#define STEP (1 / 60.0)
#define MASS 0.25 // kg, of each point

typedef struct mover {
    td_vec3 x[2], v[2];
    td_vec3 gravity;
    tdi_contacts *c;
    td_collider collider[2];
    int32_t collider_count;
    int iterations; // the most that a step took
} mover;

static void open_mover(mover *w, td_real friction) {
    const tdi_capsule capsule = {0, 1, 0.05, 0, false, 0};
    td_contact_opts opts = td_contact_opts_default();
    for (int32_t k = 0; k < w->collider_count; k++) {
        w->collider[k].friction = friction;
    }
    w->c = test_contacts(&opts, &capsule, 1, 2);
}

// solves A y = b for the symmetric A, by Cholesky; false: A is not positive
static bool solve6(td_real a[6][6], td_real b[6]) {
    for (int i = 0; i < 6; i++) {
        for (int j = 0; j <= i; j++) {
            for (int k = 0; k < j; k++) {
                a[i][j] -= a[i][k] * a[j][k];
            }
            if (i == j && !(a[i][i] > 1e-6 * MASS)) {
                return false;
            }
            a[i][j] = i == j ? sqrt(a[i][i]) : a[i][j] / a[j][j];
        }
        for (int k = 0; k < i; k++) {
            b[i] -= a[i][k] * b[k];
        }
        b[i] /= a[i][i];
    }
    for (int i = 5; i >= 0; i--) {
        for (int k = i + 1; k < 6; k++) {
            b[i] -= a[k][i] * b[k];
        }
        b[i] /= a[i][i];
    }
    return true;
}

static td_real value(const mover *w, const td_vec3 *x, const td_vec3 *predictor, td_real time,
                     const tdi_contact_rule *rule) {
    td_real sum = tdi_contacts_energy(w->c, x, time, rule);
    for (int k = 0; k < 2; k++) {
        td_vec3 e = tdi_sub(x[k], predictor[k]);
        sum += 0.5 * MASS * tdi_dot(e, e);
    }
    // a stiff rod between them
    td_real off = tdi_norm(tdi_sub(x[1], x[0])) - 0.5;
    return sum + 0.5 * off * off;
}

// The way to the minimum of the quadratic model; false: it has none. `slope` is how the value
// changes along it.
static bool newton_way(mover *w, const td_vec3 *predictor, td_real time,
                       const tdi_contact_rule *rule, td_vec3 way[2], td_real *slope) {
    td_real a[6][6] = {{0}}, b[6], energy;
    td_diag diag;
    int32_t count;
    CHECK_INT(tdi_contacts_evaluate(w->c, w->x, time, rule, &energy, &diag), TD_OK);
    const tdi_contact *list = tdi_contacts_list(w->c, &count);
    td_vec3 d = tdi_sub(w->x[1], w->x[0]), n = tdi_scale(d, 1 / tdi_norm(d)), g[2];
    for (int k = 0; k < 2; k++) {
        g[k] = tdi_scale(tdi_sub(w->x[k], predictor[k]), MASS);
        g[k] = tdi_madd(g[k], n, (k == 0 ? -1 : 1) * (tdi_norm(d) - 0.5));
        for (int l = 0; l < 2; l++) {
            td_real own = k == l ? MASS : 0;
            td_sym3 rod =
                tdi_sym3_add(tdi_sym3_diagonal(own, own, own), tdi_sym3_square(n, k == l ? 1 : -1));
            const td_real e[9] = {rod.xx, rod.xy, rod.xz, rod.xy, rod.yy,
                                  rod.yz, rod.xz, rod.yz, rod.zz};
            for (int m = 0; m < 9; m++) {
                a[3 * k + m / 3][3 * l + m % 3] = e[m];
            }
            for (int32_t i = 0; i < count; i++) {
                tdi_mat3 block = tdi_contact_block(&list[i], k, l);
                for (int m = 0; m < 9; m++) {
                    a[3 * k + m / 3][3 * l + m % 3] += block.m[m];
                }
            }
        }
        for (int32_t m = 0; m < count; m++) {
            g[k] = tdi_madd(g[k], list[m].force, list[m].row.weight[k]);
        }
        b[3 * k] = -g[k].x;
        b[3 * k + 1] = -g[k].y;
        b[3 * k + 2] = -g[k].z;
    }
    if (!solve6(a, b)) {
        return false;
    }
    way[0] = tdi_vec3(b[0], b[1], b[2]);
    way[1] = tdi_vec3(b[3], b[4], b[5]);
    *slope = tdi_dot(g[0], way[0]) + tdi_dot(g[1], way[1]);
    return true;
}

// Backward Euler: the least of m/2 |x - hat|^2 + h^2 V. Colliders come along as far as they can.
static void step(mover *w) {
    const td_vec3 history[2] = {w->x[0], w->x[1]};
    tdi_contact_rule rule = {STEP * STEP * 0.5 * MASS * 9.81, history, STEP, 0, true, NULL};
    td_vec3 predictor[2], way[2];
    td_diag diag;
    td_real time = 0, slope = 0;
    for (int k = 0; k < 2; k++) {
        predictor[k] = tdi_madd(tdi_madd(w->x[k], w->v[k], STEP), w->gravity, STEP * STEP);
    }
    CHECK_INT(tdi_contacts_colliders(w->c, w->collider, w->collider_count, STEP, 0, 1, &diag),
              TD_OK);
    CHECK_INT(tdi_contacts_find(w->c, w->x, NULL, &diag), TD_OK);
    CHECK_INT(tdi_contacts_lag(w->c, w->x, 0, rule.force, rule.h, NULL, &diag), TD_OK);
    bool done = false;
    int n = 0;
    for (; n < 200 && !done; n++) {
        rule.ahead = 1 - time;
        rule.exact = time == 1;
        if (!newton_way(w, predictor, time, &rule, way, &slope)) {
            rule.exact = false;
            CHECK(newton_way(w, predictor, time, &rule, way, &slope));
        }
        CHECK_INT(tdi_contacts_find(w->c, w->x, way, &diag), TD_OK);
        td_real part = tdi_contacts_filter(w->c, w->x, way, time, 1);
        td_real next = part < 1 ? time + part * (1 - time) : 1;
        done = next == time && tdi_norm(way[0]) + tdi_norm(way[1]) < 1e-9;
        const td_vec3 from[2] = {w->x[0], w->x[1]};
        td_real least = value(w, from, predictor, time, &rule);
        for (int half = 0; half < 40; half++, part *= 0.5) {
            for (int k = 0; k < 2; k++) {
                w->x[k] = tdi_madd(from[k], way[k], part);
            }
            // while a collider pushes, the value may rise; else it must go down as foreseen, in
            // part, or friction would throw it back and forth
            td_real most = least + 0.1 * part * slope + 1e-14 * least;
            if (next > time || value(w, w->x, predictor, time, &rule) <= most) {
                break;
            }
        }
        time = next;
    }
    CHECK(done);
    w->iterations = n > w->iterations ? n : w->iterations;
    for (int k = 0; k < 2; k++) {
        w->v[k] = tdi_scale(tdi_sub(w->x[k], history[k]), 1 / STEP);
    }
}

// on a plane, at rest across it: at half the range each end bears its weight
static mover on_plane(td_real friction, td_vec3 gravity) {
    mover w = {.x = {{-0.25, 0.055, 0}, {0.25, 0.055, 0}}, .gravity = gravity};
    w.collider_count = 1;
    w.collider[0] = td_collider_default(TD_COLLIDER_PLANE);
    open_mover(&w, friction);
    return w;
}

TD_TEST(contact_sliding_on_a_plane_slows_down_by_friction_times_gravity_and_stops) {
    mover w = on_plane(0.3, tdi_vec3(0, -9.81, 0));
    w.v[0] = w.v[1] = tdi_vec3(0, 0, 3);
    for (int n = 0; n < 30; n++) {
        step(&w);
    }
    CHECK_REL((3 - w.v[0].z) / 0.5, 0.3 * 9.81, 0.005);
    for (int n = 0; n < 60; n++) {
        step(&w);
    }
    CHECK(fabs(w.v[0].z) < 1e-6 && fabs(w.v[1].z) < 1e-6);
    CHECK_REL(w.x[0].z, 3 * 3 / (2 * 0.3 * 9.81), 0.02); // v^2/(2 mu g)
    tdi_contacts_free(w.c);
}

TD_TEST(contact_sticks_on_slopes_below_friction_and_slides_above) {
    for (int steep = 0; steep < 2; steep++) {
        td_real slope = atan(0.3 * (steep ? 1.3 : 0.9));
        mover w = on_plane(0.3, tdi_vec3(0, -9.81 * cos(slope), 9.81 * sin(slope)));
        for (int n = 0; n < 60; n++) {
            step(&w);
        }
        if (steep) {
            td_real want = 9.81 * (sin(slope) - 0.3 * cos(slope));
            CHECK_REL(w.v[0].z, want, 0.01); // after 1 s
        } else {
            CHECK(w.x[0].z < 1e-3 * 1.0); // creep times 1 s
            CHECK(w.v[0].z < 1e-3);
        }
        tdi_contacts_free(w.c);
    }
}

TD_TEST(contact_moving_plane_carries_along_what_lies_on_it) {
    mover w = on_plane(0.5, tdi_vec3(0, -9.81, 0));
    for (int n = 0; n < 30; n++) { // 0.6 m/s are reached after 0.12 s
        w.collider[0].position0.x = 0.01 * n;
        w.collider[0].position.x = 0.01 * (n + 1);
        step(&w);
    }
    CHECK_REL(w.v[0].x, 0.6, 1e-4);
    tdi_contacts_free(w.c);
}

TD_TEST(contact_turning_plane_rubs_along_its_turn) {
    mover w = on_plane(0.5, tdi_vec3(0, -9.81, 0));
    w.x[0] = tdi_vec3(0.3, 0.055, 0.4);
    w.collider[0].rotation = tdi_quat_turn(tdi_vec3(0, 1, 0), 0.2);
    const td_vec3 history[2] = {w.x[0], w.x[1]};
    const tdi_contact_rule rule = {1, history, STEP, 0, true, NULL};
    td_real energy;
    td_diag diag;
    CHECK_INT(tdi_contacts_colliders(w.c, w.collider, 1, STEP, 0, 1, &diag), TD_OK);
    CHECK_INT(tdi_contacts_find(w.c, w.x, NULL, &diag), TD_OK);
    CHECK_INT(tdi_contacts_lag(w.c, w.x, 0, 1, STEP, NULL, &diag), TD_OK);
    CHECK_INT(tdi_contacts_evaluate(w.c, w.x, 0, &rule, &energy, &diag), TD_OK);
    int32_t count;
    const tdi_contact *list = tdi_contacts_list(w.c, &count);
    CHECK_INT(count, 4);
    CHECK(list[2].friction && list[2].row.capsule == 0 && list[2].row.other == 1);
    // y x (0.3, ., 0.4) = (0.4, ., -0.3), turned by half of 0.2, along the chord; the normal force
    // is 2 N, the gradient against the motion
    CHECK_REL(list[2].force.x, -(0.8 * cos(0.1) - 0.6 * sin(0.1)) * 0.5 * 2, 1e-9);
    CHECK_REL(list[2].force.z, (0.6 * cos(0.1) + 0.8 * sin(0.1)) * 0.5 * 2, 1e-9);
    tdi_contacts_free(w.c);
}

// A bar that goes ten times its own radius in a step, against a capsule that flies to meet it.
TD_TEST(contact_fast_collider_pushes_and_does_not_pass) {
    mover w = {.x = {{-0.25, 0, 0}, {0.25, 0, 0}}, .v = {{0, -20, 0}, {0, -20, 0}}};
    w.collider_count = 1;
    w.collider[0] = td_collider_default(TD_COLLIDER_CAPSULE);
    w.collider[0].radius = 0.05;
    w.collider[0].length = 2;
    w.collider[0].rotation0 = tdi_quat_turn(tdi_vec3(1, 0, 0), TDI_PI / 2);
    w.collider[0].rotation = w.collider[0].rotation0;
    open_mover(&w, 0.3);
    for (int n = 0; n < 4; n++) {
        w.collider[0].position0 = tdi_vec3(2e-3, -0.7 + 0.5 * n, 0.01);
        w.collider[0].position = tdi_vec3(2e-3, -0.2 + 0.5 * n, 0.01);
        step(&w);
        int32_t which[2];
        CHECK(tdi_contacts_least(w.c, w.x, 1, which) > 0);
    }
    CHECK(w.v[0].y + w.v[1].y > 0); // turned back
    tdi_contacts_free(w.c);
}

// Parallel contact, where closest points jump from end to end but for the blunting: a capsule drops
// into the groove of two others and lies there; Newton's method has no trouble.
TD_TEST(contact_comes_to_rest_along_parallel_capsules) {
    mover w = {.x = {{-0.25, 0.3, 0.01}, {0.25, 0.32, 0}}, .gravity = {0, -9.81, 0}};
    w.collider_count = 2;
    for (int k = 0; k < 2; k++) {
        w.collider[k] = td_collider_default(TD_COLLIDER_CAPSULE);
        w.collider[k].radius = 0.1;
        w.collider[k].length = 2;
        w.collider[k].rotation = tdi_quat_turn(tdi_vec3(0, 0, 1), TDI_PI / 2);
        w.collider[k].rotation0 = w.collider[k].rotation;
        w.collider[k].position0.z = w.collider[k].position.z = k == 0 ? -0.101 : 0.101;
    }
    open_mover(&w, 0.3);
    for (int n = 0; n < 120; n++) {
        step(&w);
    }
    for (int k = 0; k < 2; k++) {
        CHECK(tdi_norm(w.v[k]) < 1e-3);
        CHECK(fabs(w.x[k].z) < 0.01 && w.x[k].y > 0.1 && w.x[k].y < 0.13);
    }
    CHECK(w.iterations < 60);
    tdi_contacts_free(w.c);
}
