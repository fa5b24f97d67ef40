// SPDX-License-Identifier: MIT
// Cases of moving bases: a shaken and a whirled pendulum, a pot that starts at once, and strands
// that do not feel the motion of what carries them.

#include "cases/validate/world.h"

#include <math.h>

#define GRAVITY 9.81
#define LENGTH  0.5 // m, of rods
#define MASS    0.3 // kg

// ---- worlds ---------------------------------------------------------------------------------

td_world *val_world_new(val_report *report, const td_scene_def *scene, const char *quantity) {
    td_diag_list list = {&report->diag, 1, 0};
    td_world_opts opts = td_world_opts_default();
    td_world *world = NULL;
    val_must(report, quantity, 0, td_world_new(scene, &opts, NULL, &world, &list));
    return world;
}

void val_world_step(val_report *report, td_world *world, const char *quantity) {
    val_must(report, quantity, 0, td_world_step(world, &report->diag));
}

void val_world_set(val_report *report, td_world *world, const char *path, double value) {
    val_must(report, path, 0, td_world_set(world, path, value, &report->diag));
}

td_scene_def val_still_scene(const td_object_def *object, double dt) {
    td_scene_def scene = td_scene_def_default();
    scene.objects = object;
    scene.object_count = 1;
    scene.air_density = 0;
    scene.step = dt;
    scene.record.fps = 1 / dt;
    return scene;
}

// ---- a thin rod on a hinge ------------------------------------------------------------------

// `turn` takes +Y to where it points; the hinge's axis is Z
static void build_rod(val_report *report, td_quat turn, double stiffness, val_body *tree) {
    td_segment_def def = val_thin_rod(TD_JOINT_HINGE, LENGTH, MASS);
    def.rest = turn;
    def.axis = (td_vec3){0, 0, 1};
    def.stiffness.x = stiffness;
    val_single(report, &def, tree);
}

// ---- shaken ---------------------------------------------------------------------------------

// The centre of oscillation, 2/3 l from the pivot, follows x = A sin wt with A/(1 - (w/w0)^2),
// w0^2 = 3 g/(2 l). It starts on that path; what is measured is the part in step with the pivot.
static void shake(val_report *report, const val_body *tree, double ratio) {
    const double reach = 2 * LENGTH / 3, w0 = sqrt(GRAVITY / reach), w = ratio * w0, dt = 1e-3;
    const double size = 2e-3, want = 1 / (1 - ratio * ratio);
    char text[64];
    snprintf(text, sizeof text, "swing over the pivot's, at %g of its own frequency", ratio);
    td_object_def object = td_object_def_default();
    object.skeleton = tree->skeleton;
    td_scene_def scene = val_still_scene(&object, dt);
    td_world *world = val_world_new(report, &scene, text);
    if (!world) {
        return;
    }
    // the hinge turns about Z: x of the centre is reach sin(q) from the pivot
    td_body *state = td_world_body(world, td_world_actor_id(world, 0));
    td_tree_velocities(state)[0] = size * (want - 1) * w / reach;
    td_tree_state_changed(state);
    int32_t steps = (int32_t)(20 * 2 * VAL_PI / (w * dt));
    double sum = 0, squares = 0;
    for (int32_t k = 1; k <= steps; k++) {
        double phase = w * k * dt;
        val_world_set(report, world, "objects[0].position.x", size * sin(phase));
        val_world_step(report, world, text);
        double x = size * sin(phase) + reach * sin(td_tree_coords(state)[0]);
        sum += x * sin(phase);
        squares += sin(phase) * sin(phase);
    }
    val_relative(report, text, 1, sum / squares / size, want, 0.01);
    td_world_free(world);
}

// ---- whirled --------------------------------------------------------------------------------

// Moments about a hinge that is carried round at the distance r with the rate s:
//   s^2 cos a (r/2 + l sin a/3) = g sin a/2
static double cone_angle(double spin, double radius) {
    double low = 0, high = VAL_PI / 2;
    for (int i = 0; i < 60; i++) {
        double a = (low + high) / 2;
        double out = spin * spin * cos(a) * (radius / 2 + LENGTH * sin(a) / 3);
        *(out > GRAVITY * sin(a) / 2 ? &low : &high) = a;
    }
    return low;
}

// The base turns about the upright axis and lets the rod settle, held back by damping at the hinge.
static void whirl(val_report *report, double spin) {
    const double radius = 0.2;
    td_segment_def def = val_thin_rod(TD_JOINT_HINGE, LENGTH, MASS);
    td_step_opts opts = td_step_opts_default();
    char text[64];
    snprintf(text, sizeof text, "angle of a rod whirled at %g rad/s, rad", spin);
    def.attach = (td_vec3){radius, 0, 0};
    def.rest = val_hanging;
    def.axis = (td_vec3){0, 0, 1};
    def.damping.x = 0.1;
    val_body tree;
    val_single(report, &def, &tree);
    td_base_motion base = {.rotation = {1, 0, 0, 0}, .spin = {0, spin, 0}};
    case_must(td_body_set_base(tree.state, &base, NULL));
    opts.dt = 1e-3;
    for (int32_t k = 0; k < 10000; k++) {
        val_step(report, &tree, &opts, text);
    }
    // the hinge turns about Z: outwards is above 0
    val_relative(report, text, 1, td_tree_coords(tree.state)[0], cone_angle(spin, radius), 0.01);
    val_body_free(&tree);
}

// ---- started at once ------------------------------------------------------------------------

// A rod that stands on a spring, without weight, in a pot that is pulled away with acceleration a:
//   lean = -a m d/k (1 - cos wt), w^2 = k/I, backwards
static void start(val_report *report) {
    const double k = 2, a = 0.5, inertia = MASS * LENGTH * LENGTH / 3, w = sqrt(k / inertia);
    const double dt = 2 * VAL_PI / w / 2000, lean = a * MASS * LENGTH / 2 / k;
    static const char text[] = "tip behind a pot that starts, a quarter later, m";
    val_body tree;
    build_rod(report, (td_quat){1, 0, 0, 0}, k, &tree);
    td_object_def object = td_object_def_default();
    object.skeleton = tree.skeleton;
    td_scene_def scene = val_still_scene(&object, dt);
    scene.gravity = (td_vec3){0, 0, 0};
    td_world *world = val_world_new(report, &scene, text);
    for (int32_t i = 1; i <= 500; i++) {
        double t = i * dt;
        val_world_set(report, world, "objects[0].position.x", a * t * t / 2);
        val_world_step(report, world, text);
    }
    td_vec3 base, tip;
    td_world_pose(world, td_world_actor_id(world, 0), &base, NULL, NULL, NULL);
    td_world_segment(world, td_world_actor_id(world, 0), 0, NULL, &tip, NULL);
    val_relative(report, text, 1, tip.x - base.x, -LENGTH * sin(lean), 0.01);
    td_world_free(world);
    val_body_free(&tree);
}

// ---- not felt -------------------------------------------------------------------------------

// Farthest a tip gets from where it is, relative to the base, in a world whose base stands.
static void unfelt(val_report *report, const val_body *tree, bool local) {
    const char *text = local ? "off a strand that stands, local dynamics 1, m"
                             : "off a strand that stands, time scale 0, m";
    td_object_def objects[2] = {td_object_def_default(), td_object_def_default()};
    objects[0].skeleton = objects[1].skeleton = tree->skeleton;
    objects[0].name = "still";
    objects[1].name = "carried";
    objects[0].start = objects[1].start = TD_START_DRAWN;
    objects[1].time_scale = local ? 1 : 0;
    objects[1].local.amount = local;
    td_scene_def scene = val_still_scene(objects, 1.0 / 60);
    scene.object_count = 2;
    td_world *world = val_world_new(report, &scene, text);
    double worst = 0;
    for (int32_t i = 1; i <= 240; i++) {
        double x = 2 * sin(3.0 * i / 60);
        val_world_set(report, world, "objects[1].position.x", x);
        val_world_set(report, world, "objects[1].local.position.x", x);
        val_world_step(report, world, text);
        td_vec3 base, a[2][16];
        td_world_pose(world, td_world_actor_id(world, 0), NULL, NULL, a[0], NULL);
        td_world_pose(world, td_world_actor_id(world, 1), &base, NULL, a[1], NULL);
        for (int32_t k = 0; k < tree->n; k++) {
            worst = val_worse(fabs(a[1][k].x - base.x - a[0][k].x), worst);
            worst = val_worse(fabs(a[1][k].y - a[0][k].y), worst);
        }
    }
    val_at_most(report, text, 240, worst, 1e-12);
    td_world_free(world);
}

void val_base(val_report *report) {
    static const double ratios[] = {0.3, 0.7, 1.5, 3};
    val_body tree;
    build_rod(report, val_hanging, 0, &tree);
    for (int i = 0; i < 4; i++) {
        shake(report, &tree, ratios[i]);
    }
    val_body_free(&tree);
    whirl(report, 3);
    whirl(report, 6);
    start(report);
    val_rod rod = val_thesis_beam(16);
    rod.young = 1e7;
    val_rod_build(report, &rod, &tree);
    unfelt(report, &tree, false);
    unfelt(report, &tree, true);
    val_body_free(&tree);
}
