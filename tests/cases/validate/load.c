// SPDX-License-Identifier: MIT
// Cases of what acts on objects of a world: wind on a stem, poses, twist; and rest under gravity.

#include "cases/validate/world.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// ---- a stem in the wind ---------------------------------------------------------------------

// A load w a metre bends a stem by w l^4/(8 E I) at its tip; w = 1/2 rho c U^2 2 r.
void val_wind_stem(val_report *report) {
    const double speed = 5, density = 1.2;
    static const char text[] = "bend of a stem by an even wind, m";
    val_rod rod = val_thesis_beam(100);
    val_body tree;
    rod.turn = (td_quat){1, 0, 0, 0};
    val_rod_build(report, &rod, &tree);
    const double load = 0.5 * density * speed * speed * 2 * rod.radius, r = rod.radius;
    const double want = load * pow(rod.length, 4) / (8 * rod.young * VAL_PI * pow(r, 4) / 4);
    td_object_def object = td_object_def_default();
    td_scene_load wind = td_scene_load_default(TD_SCENE_WIND);
    object.skeleton = tree.skeleton;
    object.integrator = TD_IMPLICIT_EULER;
    object.damping_ratio = 1;
    wind.as.wind.velocity.x = speed;
    td_scene_def scene = val_still_scene(&object, 1.0 / 60);
    scene.gravity = (td_vec3){0, 0, 0};
    scene.air_density = density;
    scene.loads = &wind;
    scene.load_count = 1;
    td_world *world = val_world_new(report, &scene, text);
    for (int32_t i = 0; i < 300; i++) {
        val_world_step(report, world, text);
    }
    td_vec3 tip;
    td_world_segment(world, td_world_actor_id(world, 0), rod.count - 1, NULL, &tip, NULL);
    val_relative(report, text, rod.count, tip.x, want, 0.005);
    td_world_free(world);
    val_body_free(&tree);
}

// ---- rest under gravity ---------------------------------------------------------------------

// Farthest that a joint or tip is from where it was drawn, m.
static double off_drawn(td_world *world, const val_body *tree, td_vec3 *origins,
                        td_quat *rotations) {
    const td_segment *s = td_skeleton_segments(tree->skeleton);
    double worst = 0;
    td_skeleton_pose(tree->skeleton, TD_POSE_INITIAL, origins, rotations);
    for (int32_t i = 0; i < tree->n; i++) {
        td_vec3 now, tip;
        td_world_segment(world, td_world_actor_id(world, 0), i, &now, &tip, NULL);
        const td_vec3 at = td_vec3_add(origins[i], td_quat_rotate(rotations[i], s[i].tip));
        worst = val_worse(td_vec3_distance(now, origins[i]), worst);
        worst = val_worse(td_vec3_distance(tip, at), worst);
    }
    return worst;
}

// A plant that is drawn as it hangs: found by statics, and after two seconds.
static void hang(val_report *report, val_random *random, double worst[2]) {
    static const val_wild wild = {
        .least = 3, .most = 30, .thin = 0.01, .thick = 0.03, .young = {5e9, 1e10}, .damping = 0.02};
    static const char text[] = "a plant at rest as drawn";
    val_body tree;
    val_wild_build(report, random, &wild, &tree);
    td_object_def object = td_object_def_default();
    object.skeleton = tree.skeleton;
    object.rest_under_gravity = true;
    td_scene_def scene = val_still_scene(&object, 1.0 / 60);
    scene.air_density = 1.2;
    td_world *world = val_world_new(report, &scene, text);
    td_vec3 *origins = val_memory(report, text, (size_t)tree.n, sizeof *origins);
    td_quat *rotations = val_memory(report, text, (size_t)tree.n, sizeof *rotations);
    for (int32_t i = 0; i < 120; i++) {
        val_world_step(report, world, text);
    }
    td_step_opts opts = td_step_opts_default();
    val_body hung = {.state = td_world_body(world, td_world_actor_id(world, 0)), .n = tree.n};
    worst[1] = val_worse(off_drawn(world, &tree, origins, rotations), worst[1]);
    val_settle(report, &hung, &opts, text);
    worst[0] = val_worse(off_drawn(world, &tree, origins, rotations), worst[0]);
    free(origins);
    free(rotations);
    td_world_free(world);
    val_body_free(&tree);
}

void val_rest_under_gravity(val_report *report) {
    enum { PLANTS = 50 };
    val_random random = {11};
    double worst[2] = {0, 0};
    for (int32_t i = 0; i < PLANTS; i++) {
        hang(report, &random, worst);
        val_progress(report, (i + 1.0) / PLANTS);
    }
    val_at_most(report, "off the drawn place at rest, m", PLANTS, worst[0], 1e-6);
    val_at_most(report, "off the drawn place after 2 s, m", PLANTS, worst[1], 1e-6);
}

// ---- poses ----------------------------------------------------------------------------------

#define POSE_SEGMENTS 12
#define POSE_BEND     1.5 // rad

// Tips after two seconds under a pose of some strength, or without any (below 0).
static void pose_tips(val_report *report, const val_body *tree, double strength, td_vec3 *tips) {
    static const char text[] = "a pose to hit";
    td_object_def object = td_object_def_default();
    td_scene_load pose = td_scene_load_default(TD_SCENE_POSE);
    object.skeleton = tree->skeleton;
    object.start = TD_START_DRAWN;
    object.relaxation_time = 0.05;
    pose.as.pose.bend.x = POSE_BEND;
    pose.as.pose.strength = strength;
    td_scene_def scene = val_still_scene(&object, 1.0 / 60);
    scene.loads = &pose;
    scene.load_count = strength >= 0;
    td_world *world = val_world_new(report, &scene, text);
    for (int32_t i = 0; i < 120; i++) {
        val_world_step(report, world, text);
    }
    for (int32_t i = 0; i < tree->n; i++) {
        td_world_segment(world, td_world_actor_id(world, 0), i, NULL, &tips[i], NULL);
    }
    td_world_free(world);
}

// every joint turned by the same part of the bend about X: y to z
static double pose_error(const val_rod *rod, const td_vec3 *tips) {
    const double piece = rod->length / rod->count;
    double sum = 0;
    td_vec3 at = {0, 0, 0};
    for (int32_t i = 0; i < rod->count; i++) {
        double a = POSE_BEND * (i + 1) / rod->count;
        at.y += piece * cos(a);
        at.z += piece * sin(a);
        const td_vec3 off = td_vec3_sub(at, tips[i]);
        sum += td_vec3_dot(off, off);
    }
    return sqrt(sum / rod->count);
}

void val_pose_case(val_report *report) {
    static const double strengths[] = {0.1, 1, 10, 100, 1000, 10000};
    val_rod rod = val_thesis_beam(POSE_SEGMENTS);
    val_body tree;
    td_vec3 tips[POSE_SEGMENTS], free_tips[POSE_SEGMENTS];
    rod.turn = (td_quat){1, 0, 0, 0};
    rod.young = 1e8;
    val_rod_build(report, &rod, &tree);
    pose_tips(report, &tree, -1, free_tips);
    pose_tips(report, &tree, 0, tips);
    val_at_most(report, "bytes that a pose of strength 0 changes", POSE_SEGMENTS,
                memcmp(tips, free_tips, sizeof tips) != 0, 0);
    double before = pose_error(&rod, free_tips);
    for (int k = 0; k < 6; k++) {
        pose_tips(report, &tree, strengths[k], tips);
        double error = pose_error(&rod, tips);
        val_at_most(report,
                    val_text(report, "error at %g N/m over that of the weaker", strengths[k]),
                    POSE_SEGMENTS, error / before, 0.999);
        before = error;
    }
    val_at_most(report, "error of the strongest over the length", POSE_SEGMENTS,
                before / rod.length, 1e-3);
    val_body_free(&tree);
}

// ---- twist ----------------------------------------------------------------------------------

static double twist_of(td_world *world, int32_t body) {
    td_quat q;
    td_world_segment(world, td_world_actor_id(world, 0), body, NULL, NULL, &q);
    return 2 * atan2(q.y, q.w);
}

// Let go, the end goes through 0 after each half of the period 4 l sqrt(rho/G).
static void let_go(val_report *report, td_world *world, const val_rod *rod, double frequency) {
    static const char text[] = "frequency of a stem let go from its twist, Hz";
    double passed[5] = {0}, before = twist_of(world, rod->count - 1);
    const double start = td_world_time(world);
    int32_t passes = 0;
    for (int32_t i = 0; passes < 5 && i < 100000; i++) {
        val_world_step(report, world, text);
        double now = twist_of(world, rod->count - 1), dt = td_world_dt(world);
        if (before * now <= 0 && now != before) {
            passed[passes++] = td_world_time(world) - start - dt * now / (now - before);
        }
        before = now;
    }
    val_relative(report, text, rod->count, passes == 5 ? 2 / (passed[4] - passed[0]) : (double)NAN,
                 frequency, 0.01);
}

// T l/(G J), J = pi r^4/2
void val_twist(val_report *report) {
    static const char text[] = "turn of a stem's end by a torque, rad";
    const double torque = 2;
    val_rod rod = val_thesis_beam(200);
    val_body tree;
    rod.turn = (td_quat){1, 0, 0, 0};
    val_rod_build(report, &rod, &tree);
    const double shear = rod.young / (2 * (1 + rod.poisson)), r = rod.radius;
    const double want = torque * rod.length / (shear * VAL_PI * pow(r, 4) / 2);
    const double frequency = sqrt(shear / rod.density) / (4 * rod.length);
    td_object_def object = td_object_def_default();
    object.skeleton = tree.skeleton;
    object.integrator = TD_IMPLICIT_EULER; // finds rest by itself: it damps such tremor at once
    td_scene_def scene = val_still_scene(&object, 1.0 / 60);
    scene.gravity = (td_vec3){0, 0, 0};
    td_world *world = val_world_new(report, &scene, text);
    case_must(td_world_set_torque(world, td_world_actor_id(world, 0), rod.count - 1, torque, NULL));
    for (int32_t i = 0; i < 60; i++) {
        val_world_step(report, world, text);
    }
    val_relative(report, text, rod.count, twist_of(world, rod.count - 1), want, 0.005);
    case_must(td_world_set_torque(world, td_world_actor_id(world, 0), rod.count - 1, 0, NULL));
    case_must(td_world_set_integrator(world, 0, TD_IMPLICIT, NULL));
    val_world_set(report, world, "step", 0.01 / frequency);
    let_go(report, world, &rod, frequency);
    td_world_free(world);
    val_body_free(&tree);
}
