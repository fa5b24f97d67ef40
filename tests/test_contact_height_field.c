// SPDX-License-Identifier: MIT
// Height fields: their surface, and contact with it.

#include "contact/cast.h"
#include "contact/height_field.h"
#include "tendril/clip.h"
#include "test_world_support.h"

#define TEXT 8192

enum { COLUMNS = 9, ROWS = 7 };

static td_height_field *field_of(td_real cell, td_real (*height)(td_real x, td_real z)) {
    td_real heights[COLUMNS * ROWS];
    td_height_field *field;
    for (int32_t j = 0; j < ROWS; j++) {
        for (int32_t i = 0; i < COLUMNS; i++) {
            heights[j * COLUMNS + i] =
                height(cell * (i - 0.5 * (COLUMNS - 1)), cell * (j - 0.5 * (ROWS - 1)));
        }
    }
    CHECK_INT(td_height_field_new(COLUMNS, ROWS, cell, heights, NULL, &field, NULL), TD_OK);
    return field;
}

static td_real waves(td_real x, td_real z) {
    return 0.3 * sin(3 * x) + 0.2 * cos(4 * z + x);
}

static td_real slope(td_real x, td_real z) {
    return 0.5 + 0.25 * x - 0.4 * z;
}

// ---- surface --------------------------------------------------------------------------------

TD_TEST(height_field_passes_through_its_heights_and_is_smooth_between_them) {
    OWNED(td_height_field) *f = field_of(0.25, waves);
    for (int32_t j = 0; j < ROWS; j++) {
        for (int32_t i = 0; i < COLUMNS; i++) {
            const td_real x = 0.25 * (i - 4), z = 0.25 * (j - 3);
            CHECK(fabs(td_height_field_height(f, x, z, NULL) - waves(x, z)) < 1e-12);
            // both derivatives go on across the borders of cells
            const td_real d = 1e-9;
            const tdi_ground a = tdi_height_field_at(f, x - d, z - d),
                             b = tdi_height_field_at(f, x + d, z + d);
            CHECK(fabs(a.x - b.x) < 1e-6 && fabs(a.z - b.z) < 1e-6);
            CHECK(fabs(a.xx - b.xx) < 1e-5 && fabs(a.xz - b.xz) < 1e-5 && fabs(a.zz - b.zz) < 1e-5);
        }
    }
}

TD_TEST(height_field_of_a_plane_is_that_plane_also_beyond_its_border) {
    OWNED(td_height_field) *f = field_of(0.5, slope);
    const td_real size = sqrt(1 + 0.25 * 0.25 + 0.4 * 0.4);
    random_state = 1;
    for (int32_t k = 0; k < 200; k++) {
        const td_vec3 x = {random_in(-9, 9), random_in(-3, 3), random_in(-9, 9)};
        td_vec3 gradient, normal;
        const td_real distance = tdi_height_field_distance(f, x, &gradient);
        CHECK(fabs(distance - (x.y - slope(x.x, x.z)) / size) < 1e-12);
        CHECK(fabs(td_height_field_height(f, x.x, x.z, &normal) - slope(x.x, x.z)) < 1e-12);
        const td_vec3 true_normal = {-0.25 / size, 1 / size, 0.4 / size};
        CHECK(apart(gradient, true_normal) < 1e-11 && apart(normal, true_normal) < 1e-11);
    }
}

static td_real rise(td_real x, td_real z) {
    return -slope(x, z);
}

static td_real saddle(td_real x, td_real z) {
    return 0.1 * x * z;
}

TD_TEST(height_field_is_nowhere_above_its_bound_also_beyond_its_border) {
    td_real (*const heights[])(td_real x, td_real z) = {waves, slope, rise, saddle};
    random_state = 2;
    for (int32_t k = 0; k < 4; k++) {
        OWNED(td_height_field) *f = field_of(0.5, heights[k]);
        for (int32_t n = 0; n < 300; n++) {
            const td_real far = n % 2 ? 60 : 6;
            const td_vec3 x = {random_in(-far, far), 0, random_in(-far, far)};
            const td_real within = random_in(0, 2), most = tdi_height_field_most(f, x, within);
            for (int32_t corner = 0; corner < 4; corner++) {
                const td_real height =
                    td_height_field_height(f, x.x + (corner & 1 ? within : -within),
                                           x.z + (corner & 2 ? within : -within), NULL);
                CHECK(height <= most + 1e-12);
            }
        }
    }
}

TD_TEST(gradient_of_the_distance_to_a_height_field_is_its_derivative_also_beyond_its_border) {
    OWNED(td_height_field) *f = field_of(0.25, waves);
    const td_real d = 1e-6;
    random_state = 2;
    for (int32_t k = 0; k < 200; k++) {
        const td_real far = k % 2 ? 2 : 1;
        const td_vec3 x = {random_in(-far, far), random_in(-1, 1), random_in(-far, far)};
        const td_vec3 axes[3] = {{d, 0, 0}, {0, d, 0}, {0, 0, d}};
        td_vec3 g;
        td_real slopes[3];
        tdi_height_field_distance(f, x, &g);
        for (int n = 0; n < 3; n++) {
            slopes[n] = (tdi_height_field_distance(f, tdi_add(x, axes[n]), NULL) -
                         tdi_height_field_distance(f, tdi_sub(x, axes[n]), NULL)) /
                        (2 * d);
        }
        CHECK(apart(g, tdi_vec3(slopes[0], slopes[1], slopes[2])) < 1e-8);
    }
}

TD_TEST(sweep_over_a_height_field_and_beyond_stops_before_the_ground_and_not_long_before) {
    OWNED(td_height_field) *f = field_of(0.25, waves);
    int32_t stopped = 0, passed = 0;
    random_state = 3;
    for (int32_t k = 0; k < 2000; k++) {
        const td_real need = random_in(0, 0.05), far = k % 2 ? 3 : 1;
        td_vec3 x = {random_in(-1.2, 1.2) * far, 0, random_in(-1, 1) * far};
        x.y = td_height_field_height(f, x.x, x.z, NULL) + random_in(0.01, 1);
        const td_vec3 way = {random_in(-1, 1), random_in(-1, 0.5), random_in(-1, 1)};
        if (tdi_height_field_distance(f, x, NULL) <= need) {
            continue;
        }
        const td_real part = tdi_height_field_free(f, x, way, need);
        CHECK(part >= 0 && part <= 1);
        td_real first = 2; // where it comes nearer than that
        for (int n = 0; n <= 1000 && first > 1; n++) {
            const td_real left =
                tdi_height_field_distance(f, tdi_madd(x, way, 1e-3 * n), NULL) - need;
            first = left < 0 ? 1e-3 * n : first;
        }
        CHECK_SAY(part <= first, "way %d: %g of %g", (int)k, part, first);
        CHECK_SAY(part >= fmin(first, 1) - 0.02, "way %d: %g of %g", (int)k, part, first);
        stopped += part < 1;
        passed += part >= 1;
    }
    CHECK(stopped > 300 && passed > 300);
}

TD_TEST(rays_meet_a_height_field_and_what_is_beyond_where_small_steps_along_them_do) {
    td_collider c = td_collider_default(TD_COLLIDER_HEIGHT_FIELD);
    OWNED(td_height_field) *f = field_of(0.25, waves);
    int32_t met = 0, missed = 0;
    random_state = 4;
    c.field = f;
    c.position = tdi_vec3(0.3, -0.2, 0.1);
    c.rotation = tdi_quat_unit((td_quat){1, 0.1, 0.3, -0.2});
    for (int32_t k = 0; k < 1000; k++) {
        const bool beyond = k % 2;
        const td_real far = beyond ? 3 : 1;
        td_vec3 own = {random_in(-far, far), random_in(0.6, 1.5), random_in(-far, far)};
        const td_vec3 way = {random_in(-1, 1), random_in(-1, beyond ? 0 : 0.3), random_in(-1, 1)};
        if (beyond) {
            own.y = td_height_field_height(f, own.x, own.z, NULL) + random_in(0.05, 0.3);
        }
        const td_vec3 u = tdi_scale(way, 1 / tdi_norm(way));
        const td_real radius = k % 4 < 2 ? 0.03 : 0;
        td_real first = HUGE_VAL, t = 0;
        for (; t < 4 && first == HUGE_VAL; t += 1e-3) {
            first = tdi_height_field_distance(f, tdi_madd(own, u, t), NULL) <= radius ? t : first;
        }
        const tdi_ray ray = {tdi_add(c.position, tdi_quat_rotate(c.rotation, own)),
                             tdi_quat_rotate(c.rotation, u), radius};
        const tdi_hit hit = tdi_ray_collider(&ray, &c);
        if (first < HUGE_VAL) {
            met++;
            CHECK_SAY(fabs(hit.distance - first) < 2e-3, "ray %d: %g m of %g", (int)k, hit.distance,
                      first);
            CHECK_REL(tdi_norm(hit.normal), 1, 1e-9);
        } else if (hit.distance == HUGE_VAL) {
            missed++;
        } else {
            CHECK_SAY(hit.distance > 3.9, "ray %d: %g m", (int)k, hit.distance);
        }
    }
    CHECK(met > 100 && missed > 20);
}

// ---- contact --------------------------------------------------------------------------------

// A stick that is thrown along the ground, on a plane or on a height field of that plane. The
// ground falls along +X by `fall`.
static stage stick_on(char text[TEXT], const char *method, bool field, td_real fall,
                      const char *solver) {
    const td_real angle = atan(fall) * 180 / 3.14159265358979323846;
    int length = snprintf(text, TEXT, "{contact: {method: %s}, colliders: [", method);
    if (field) {
        length += snprintf(text + length, TEXT - (size_t)length,
                           "{heightfield: {friction: 0.3, cell: 0.5, columns: 9, heights: [");
        for (int32_t k = 0; k < 9 * 5; k++) {
            length += snprintf(text + length, TEXT - (size_t)length, "%.17g, ",
                               -fall * 0.5 * (k % 9 - 4));
        }
        length += snprintf(text + length, TEXT - (size_t)length, "]}}");
    } else {
        length += snprintf(text + length, TEXT - (size_t)length,
                           "{plane: {friction: 0.3, rotation: {axis: [0, 0, 1], degrees: %.17g}}}",
                           -angle);
    }
    snprintf(text + length, TEXT - (size_t)length,
             "], objects: [{solver: %s, start: drawn, position: [0, %.17g, 0],\n"
             " rotation: {axis: [0, 0, 1], degrees: %.17g}, strand: {start: {held: free},\n"
             " points: [[-0.2, 0, -0.1], [0.2, 0, 0.1]], segments: 3, radius: 0.01}}]}",
             solver, 0.0118 * sqrt(1 + fall * fall), -angle);
    return stage_of(text);
}

TD_TEST(stick_on_a_height_field_of_a_plane_moves_as_on_the_plane) {
    static const td_real falls[] = {0, 0.2, 0.5}; // it sticks below 0.3
    for (int32_t s = 0; s < td_solver_count(); s++) {
        for (int32_t k = 0; k < 6; k++) {
            char text[TEXT];
            const char *solver = td_solver_get(s).name;
            OWNED(stage) a = stick_on(text, methods[k % 2], false, falls[k / 2], solver);
            OWNED(stage) b = stick_on(text, methods[k % 2], true, falls[k / 2], solver);
            for (int32_t n = 0; n < 60; n++) {
                td_vec3 p, q;
                steps(a.world, 1);
                steps(b.world, 1);
                segment_at(a.world, 0, 1, NULL, &p, NULL);
                segment_at(b.world, 0, 1, NULL, &q, NULL);
                if (n % 20 == 19) {
                    CHECK_SAY(apart(p, q) < 1e-6, "%s %s fall %g step %d: %g m apart", solver,
                              methods[k % 2], falls[k / 2], (int)n, apart(p, q));
                }
            }
            td_contact on[2][16];
            const int32_t count = td_world_contacts(a.world, on[0], 16);
            td_vec3 force[2] = {{0, 0, 0}, {0, 0, 0}};
            CHECK(count > 0);
            CHECK_INT(td_world_contacts(b.world, on[1], 16), count);
            for (int32_t n = 0; n < count && n < 16; n++) {
                force[0] = tdi_add(force[0], on[0][n].force);
                force[1] = tdi_add(force[1], on[1][n].force);
            }
            CHECK(apart(force[0], force[1]) < 1e-6 * tdi_norm(force[0]));
        }
    }
}

#define HILLS                                                                              \
    "{heightfield: {cell: 0.2, columns: 6, friction: 0.6, name: hills, heights: ["         \
    "0.1, 0.1, 0.05, 0.1, 0.15, 0.1, 0, 0.1, 0.15, 0, 0.1, 0.1, 0.1, 0, 0.1, 0.12, 0.05, " \
    "0, 0.05, 0.1, 0, 0.05, 0.15, 0.1, 0.1, 0.15, 0.05, 0.1, 0, 0.05, 0.1, 0, 0.1, 0.15, " \
    "0.1, 0.1]}}"

static stage rope_over_hills(char text[TEXT], const char *solver, const char *method) {
    snprintf(text, TEXT,
             "{contact: {method: %s}, colliders: [" HILLS
             "], objects: [{solver: %s, start: drawn,\n"
             " position: [0, 0.22, 0], relaxation_time: 0.1, strand: {start: {held: free},\n"
             " points: [[-0.35, 0, -0.2], [0.35, 0, 0.25]], segments: 14, radius: 0.01,\n"
             " damping_time: 0.02}}]}",
             method, solver);
    return stage_of(text);
}

// The least distance between an end of a segment and the ground, over its radius.
static td_real least_distance(const stage *w, td_real radius) {
    const td_height_field *f = td_world_collider(w->world, td_world_collider_id(w->world, 0)).field;
    td_real least = HUGE_VAL;
    for (int32_t k = 0; k < td_world_segment_count(w->world); k++) {
        td_vec3 a, b;
        segment_at(w->world, 0, k, &a, &b, NULL);
        least = fmin(least, fmin(tdi_height_field_distance(f, a, NULL),
                                 tdi_height_field_distance(f, b, NULL)));
    }
    return least / radius;
}

TD_TEST(rope_that_falls_on_hills_rests_on_them_with_all_its_weight) {
    for (int32_t s = 0; s < td_solver_count(); s++) {
        for (int32_t m = 0; m < 2; m++) {
            char text[TEXT];
            const char *solver = td_solver_get(s).name;
            OWNED(stage) w = rope_over_hills(text, solver, methods[m]);
            td_contact list[64];
            td_real carried = 0, mass = 0, least = HUGE_VAL;
            for (int32_t k = 0; k < 120; k++) {
                steps(w.world, 1);
                least = fmin(least, least_distance(&w, 0.01));
            }
            CHECK_SAY(least > 1, "%s %s: %g radii", solver, methods[m], least);
            run_to(w.world, 5);
            const int32_t count = td_world_contacts(w.world, list, 64);
            CHECK(count <= 64);
            for (int32_t k = 0; k < count; k++) {
                carried += list[k].force.y;
                CHECK(list[k].normal.y > 0.5);
            }
            const td_skeleton *skeleton = actor_at(w.world, 0).skeleton;
            for (int32_t k = 0; k < td_skeleton_count(skeleton); k++) {
                mass += td_skeleton_segments(skeleton)[k].mass;
            }
            CHECK_SAY(fabs(carried - 9.81 * mass) < 0.02 * 9.81 * mass, "%s %s: %g N of %g", solver,
                      methods[m], carried, 9.81 * mass);
        }
    }
}

TD_TEST(rope_that_is_shot_at_hills_does_not_pass_through_them) {
    for (int32_t s = 0; s < td_solver_count(); s++) {
        char text[TEXT];
        OWNED(stage) w = rope_over_hills(text, td_solver_get(s).name, "barrier");
        td_real least = HUGE_VAL;
        CHECK_INT(td_world_set(w.world, "gravity.y", -3000, NULL), TD_OK);
        for (int32_t k = 0; k < 20; k++) {
            steps(w.world, 1);
            least = fmin(least, least_distance(&w, 0.01));
        }
        CHECK_SAY(least > 1, "%s: %g radii", td_solver_get(s).name, least);
    }
}

TD_TEST(world_with_a_height_field_goes_on_from_a_save_with_the_same_bits) {
    char text[TEXT];
    OWNED(stage) w = rope_over_hills(text, "rod", "barrier"),
                 v = rope_over_hills(text, "rod", "barrier");
    steps(w.world, 30);
    restore_from(v.world, w.world);
    check_same_way(w.world, v.world, 10);
}

TD_TEST(actor_below_the_ground_of_a_height_field_is_refused) {
    char text[TEXT];
    OWNED(stage) w = rope_over_hills(text, "rod", "barrier");
    td_diag diag = {.message = ""};
    const td_quat none = {1, 0, 0, 0};
    const td_actor_id rope = id_at(w.world, 0);
    CHECK_INT(td_world_place_actor(w.world, rope, tdi_vec3(0, -0.5, 0), none, &diag),
              TD_ERR_BLOCKED);
    CHECK(strstr(diag.message, "hills") != NULL);
    CHECK_INT(td_world_place_actor(w.world, rope, tdi_vec3(0, 0.5, 0), none, &diag), TD_OK);
}

// ---- places, starts and sizes ---------------------------------------------------------------

// A flat ground that is tilted by its rotation, as a field or as a plane. The field's heights are
// `lift`, and it is as much lower.
typedef struct tilted {
    td_real cell, lift, degrees;
    td_vec3 at;
} tilted;

#define THROWN                                                                              \
    "start: drawn, strand: {start: {held: free}, points: [[-0.2, 0, -0.1], [0.2, 0, 0.1]]," \
    " segments: 3, radius: 0.01}"
#define HELD                                                                                \
    "start: settled, strand: {points: [[-0.3, 0.02, -0.1], [0.3, 0.02, 0.1]], segments: 6," \
    " radius: 0.01}, materials: [{young: 1e6, shear: 4e5}]"

static stage stick_on_tilted(const tilted *g, bool field, const char *method, const char *strand,
                             const char *solver) {
    char text[TEXT], ground[1024];
    const td_real angle = g->degrees * 3.14159265358979323846 / 180;
    const td_vec3 n = {sin(angle), cos(angle), 0};
    const td_vec3 p = field ? tdi_madd(g->at, n, -g->lift) : g->at, s = tdi_madd(g->at, n, 0.0118);
    if (field) {
        snprintf(ground, sizeof ground,
                 "heightfield: {cell: %.17g, columns: 2,\n"
                 " heights: [%.17g, %.17g, %.17g, %.17g], ",
                 g->cell, g->lift, g->lift, g->lift, g->lift);
    } else {
        snprintf(ground, sizeof ground, "plane: {");
    }
    snprintf(text, TEXT,
             "{contact: {method: %s}, colliders: [{%s friction: 0.6,\n"
             " position: [%.17g, %.17g, %.17g], rotation: {axis: [0, 0, 1], degrees: %.17g}}}],\n"
             " objects: [{solver: %s, %s, position: [%.17g, %.17g, %.17g],\n"
             " rotation: {axis: [0, 0, 1], degrees: %.17g}}]}",
             method, ground, p.x, p.y, p.z, -g->degrees, solver, strand, s.x, s.y, s.z,
             -g->degrees);
    return stage_of(text);
}

static td_real most_apart(const stage *a, const stage *b) {
    td_real most = 0;
    for (int32_t k = 0; k < td_world_segment_count(a->world); k++) {
        td_vec3 p, q;
        segment_at(a->world, 0, k, NULL, &p, NULL);
        segment_at(b->world, 0, k, NULL, &q, NULL);
        most = fmax(most, apart(p, q));
    }
    return most;
}

static const tilted grounds[] = {
    {0.3, 0, 0, {0, 0, 0}},  {0.3, 0, 20, {0, 0, 0}},  {0.3, 100, 10, {3, 1, 2}},
    {2, -10, 40, {0, 0, 0}}, {500, 7, 20, {0, -2, 0}}, {1, 0, 40, {1000, 500, -300}},
};

TD_TEST(stick_on_a_tilted_height_field_moves_as_on_a_tilted_plane) {
    for (int32_t s = 0; s < td_solver_count(); s++) {
        for (int32_t k = 0; k < 12; k++) {
            const tilted *g = &grounds[k / 2];
            const char *solver = td_solver_get(s).name, *method = methods[k % 2];
            OWNED(stage) a = stick_on_tilted(g, false, method, THROWN, solver);
            OWNED(stage) b = stick_on_tilted(g, true, method, THROWN, solver);
            steps(a.world, 40);
            steps(b.world, 40);
            CHECK_SAY(most_apart(&a, &b) < 1e-6, "%s %s, ground %d: %g m apart", solver, method,
                      (int)(k / 2), most_apart(&a, &b));
        }
    }
}

TD_TEST(stick_that_starts_settled_on_a_height_field_rests_as_on_a_plane) {
    for (int32_t s = 0; s < td_solver_count(); s++) {
        for (int32_t k = 0; k < 6; k++) {
            const tilted *g = &grounds[k / 2];
            const char *solver = td_solver_get(s).name, *method = methods[k % 2];
            OWNED(stage) a = stick_on_tilted(g, false, method, HELD, solver);
            OWNED(stage) b = stick_on_tilted(g, true, method, HELD, solver);
            CHECK_SAY(most_apart(&a, &b) < 1e-6, "%s %s, ground %d: %g m apart at the start",
                      solver, method, (int)(k / 2), most_apart(&a, &b));
            steps(a.world, 10);
            steps(b.world, 10);
            CHECK(td_world_contacts(b.world, NULL, 0) > 0);
            CHECK_SAY(most_apart(&a, &b) < 1e-6, "%s %s, ground %d: %g m apart", solver, method,
                      (int)(k / 2), most_apart(&a, &b));
        }
    }
}

TD_TEST(height_field_that_rises_and_turns_carries_a_stick_as_a_plane_does) {
    for (int32_t s = 0; s < td_solver_count(); s++) {
        stage w[2];
        for (int field = 0; field < 2; field++) {
            w[field] =
                stick_on_tilted(&grounds[0], field, "barrier", THROWN, td_solver_get(s).name);
            td_world *world = w[field].world;
            for (int32_t k = 0; k < 40; k++) {
                const td_quat turn = tdi_quat_turn(tdi_vec3(0, 0.6, 0.8), 0.005 * k);
                CHECK_INT(td_world_move_collider(world, td_world_collider_id(world, 0),
                                                 tdi_vec3(0.001 * k, 0.005 * k, 0), turn, NULL),
                          TD_OK);
                steps(world, 1);
            }
        }
        td_vec3 p;
        segment_at(w[1].world, 0, 1, NULL, &p, NULL);
        CHECK(p.y > 0.15);
        CHECK_SAY(most_apart(&w[0], &w[1]) < 1e-6, "%s: %g m apart", td_solver_get(s).name,
                  most_apart(&w[0], &w[1]));
        stage_free(&w[0]);
        stage_free(&w[1]);
    }
}

// Flat ground with a ridge of 0.1 m along Z, one height wide; a stick lies across it.
static void stick_across_ridge(char text[TEXT], const char *solver, const char *method,
                               int32_t segments) {
    int length = snprintf(text, TEXT,
                          "{contact: {method: %s}, colliders: [{heightfield: {cell: 0.2,\n"
                          " columns: 9, friction: 0.8, name: ridge, heights: [",
                          method);
    for (int32_t k = 0; k < 9 * 5; k++) {
        length += snprintf(text + length, TEXT - (size_t)length, k % 9 == 4 ? "0.1, " : "0, ");
    }
    snprintf(text + length, TEXT - (size_t)length,
             "]}}], objects: [{name: stick, solver: %s, start: drawn, position: [0, 0.13, 0],\n"
             " strand: {start: {held: free}, points: [[-0.35, 0, 0], [0.35, 0, 0.02]],\n"
             " segments: %d, radius: 0.01}}]}",
             solver, (int)segments);
}

TD_TEST(stick_across_a_ridge_sinks_into_it_by_no_more_than_a_seventh) {
    for (int32_t s = 0; s < td_solver_count(); s++) {
        for (int32_t m = 0; m < 2; m++) {
            char text[TEXT];
            const char *solver = td_solver_get(s).name;
            stick_across_ridge(text, solver, methods[m], 8);
            OWNED(stage) w = stage_of(text);
            const td_height_field *f =
                td_world_collider(w.world, td_world_collider_id(w.world, 0)).field;
            td_real least = HUGE_VAL;
            for (int32_t n = 0; n < 60; n++) {
                steps(w.world, 1);
                for (int32_t k = 0; k < 8 * 20; k++) {
                    td_vec3 a, b;
                    segment_at(w.world, 0, k / 20, &a, &b, NULL);
                    const td_vec3 x = tdi_madd(a, tdi_sub(b, a), (k % 20) / 20.0);
                    least = fmin(least, tdi_height_field_distance(f, x, NULL));
                }
            }
            CHECK(td_world_contacts(w.world, NULL, 0) > 0);
            CHECK_SAY(least > 0.01 - 0.1 / 7, "%s %s: %g m", solver, methods[m], least);
        }
    }
}

TD_TEST(surface_next_to_a_cliff_leaves_its_heights_by_no_more_than_a_seventh) {
    td_real heights[12 * 2], least = 0, most = 1;
    OWNED(td_height_field) *f = NULL;
    for (int32_t k = 0; k < 12 * 2; k++) {
        heights[k] = k % 12 < 6 ? 0 : 1;
    }
    CHECK_INT(td_height_field_new(12, 2, 0.5, heights, NULL, &f, NULL), TD_OK);
    for (td_real x = -2.75; x < 2.75; x += 0.01) {
        least = fmin(least, td_height_field_height(f, x, 0, NULL));
        most = fmax(most, td_height_field_height(f, x, 0, NULL));
    }
    CHECK_SAY(least > -1.0 / 7 && most < 8.0 / 7 && most > 1.05, "%g to %g", least, most);
}

// The steepest saddle there can be, so that xz is largest too.
TD_TEST(height_and_normal_are_finite_at_any_distance_with_the_smallest_cells) {
    const td_real heights[] = {-1e6, 1e6, 1e6, -1e6};
    for (int k = 0; k < 2; k++) {
        OWNED(td_height_field) *f = NULL;
        CHECK_INT(td_height_field_new(2, 2, k ? 1 : 1e-6, heights, NULL, &f, NULL), TD_OK);
        for (td_real far = 1; far < 1e301; far *= 1e10) {
            td_vec3 n;
            CHECK(isfinite(td_height_field_height(f, far, -far, &n)));
            CHECK_SAY(fabs(tdi_norm(n) - 1) < 1e-12, "the normal's length is %g", tdi_norm(n));
        }
    }
}

// ---- refusals -------------------------------------------------------------------------------

TD_TEST(height_field_refuses_grids_and_heights_that_are_none) {
    const td_real heights[6] = {0, 0, 0, 0, 0, (td_real)NAN};
    td_height_field *f = NULL;
    td_diag diag = {.message = ""};
    CHECK_INT(td_height_field_new(1, 6, 1, heights, NULL, &f, &diag), TD_ERR_ARGUMENT);
    CHECK(strstr(diag.message, "1 columns") != NULL);
    CHECK_INT(td_height_field_new(2, 2, 0, heights, NULL, &f, &diag), TD_ERR_ARGUMENT);
    CHECK(strstr(diag.message, "cell is 0") != NULL);
    CHECK_INT(td_height_field_new(2, 2, 1e-300, heights, NULL, &f, &diag), TD_ERR_ARGUMENT);
    CHECK_TEXT(diag.message, "cell is 1e-300 m; it must be from 1e-06 to 1e+06");
    CHECK_INT(td_height_field_new(3, 2, 1, heights, NULL, &f, &diag), TD_ERR_ARGUMENT);
    CHECK(strstr(diag.message, "height 5") != NULL && f == NULL);
    td_collider c = td_collider_default(TD_COLLIDER_HEIGHT_FIELD);
    CHECK_INT(td_colliders_check(&c, 1, &diag), TD_ERR_ARGUMENT);
    CHECK(strstr(diag.message, "field must be given") != NULL);
    const td_clip_collider look = {.kind = TD_COLLIDER_HEIGHT_FIELD};
    td_bytes room = {0};
    td_mesh_part part;
    CHECK_INT(td_clip_collider_part(&look, NULL, &room, &part), TD_ERR_ARGUMENT);
}

TD_TEST(segments_longer_than_half_a_cell_are_refused_with_their_length) {
    char text[TEXT];
    for (int32_t s = 0; s < td_solver_count(); s++) {
        stick_across_ridge(text, td_solver_get(s).name, "barrier", 2);
        const fault faults[] = {{text, 2, 213, "segment 0 (stem, material 'rope') is 0.35 m long"}};
        if (strcmp(td_solver_get(s).name, "helix") != 0) { // its elements have short capsules
            check_faults(faults, 1);
        }
    }
}

TD_TEST(actor_with_long_segments_is_refused_by_a_world_with_a_height_field) {
    char text[TEXT];
    stick_across_ridge(text, "rod", "barrier", 8);
    OWNED(stage) w = stage_of(text);
    OWNED(stage) v = stage_of("{objects: [{start: drawn, strand: {points: [[0, 0, 0], [1, 0, 0]],\n"
                              " segments: 2, radius: 0.01}}]}");
    td_actor_def def = td_actor_def_default();
    td_actor_id id;
    td_diag diag = {.message = ""};
    def.skeleton = actor_at(v.world, 0).skeleton;
    def.position = tdi_vec3(0, 3, 0);
    CHECK_INT(td_world_add_actor(w.world, &def, &id, &diag), TD_ERR_ARGUMENT);
    CHECK_SAY(strstr(diag.message, "half the cell") != NULL, "%s", diag.message);
    CHECK_HAS(diag.message, "segment 1 (stem, material 'rope')");
    CHECK_INT(diag.index, 1);
    steps(w.world, 2);
}

TD_TEST(explicit_integrators_refuse_height_fields) {
    static const fault faults[] = {
        {"{contact: {self: false},\n"
         " colliders: [{heightfield: {columns: 2, heights: [0, 0, 0, 0]}}], step: 0.001,\n"
         " objects: [{integrator: rk4, start: drawn,\n"
         " strand: {points: [[0, 1, 0], [1, 1, 0]]}}]}",
         3, 25, "height fields need the integrator 'implicit'"},
    };
    check_faults(faults, 1);
}

#define STRAND "objects: [{strand: {points: [[0, 1, 0], [1, 1, 0]]}}]}"

TD_TEST(scene_names_the_heights_that_are_wrong) {
    static const fault faults[] = {
        {"{colliders: [{heightfield: {columns: 2,\n heights: [0, 0, 0, 0, 0]}}], " STRAND, 2, 11,
         "there are 5 heights"},
        {"{colliders: [{heightfield: {columns: 2,\n heights: [0, 0]}}], " STRAND, 2, 11, "1 rows"},
        {"{colliders: [{heightfield: {columns: 2,\n heights: [0, high, 0, 0]}}], " STRAND, 2, 15,
         "number"},
        {"{colliders: [{heightfield: {\n columns: 1, heights: [0, 0]}}], " STRAND, 2, 11,
         "columns"},
        {"{colliders: [{\n heightfield: {columns: 2}}], " STRAND, 2, 15, "heights"},
    };
    check_faults(faults, sizeof faults / sizeof *faults);
}
