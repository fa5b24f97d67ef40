// SPDX-License-Identifier: MIT
// Trees for the cases of `tendril validate`: rods, and random trees from a fixed seed.

#include "cases/validate/validate.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

double val_worse(double a, double b) {
    return a >= b || isnan(a) ? a : b;
}

// ---- bodies ---------------------------------------------------------------------------------

void val_step(val_report *report, val_body *body, const td_step_opts *opts, const char *quantity) {
    const td_status status = td_body_step(body->state, opts, NULL, &report->diag);
    val_must(report, quantity, body->n, status);
}

void val_must_rest(val_report *report, const char *quantity, int64_t n,
                   const td_step_stats *stats) {
    if (stats->unconverged > 0) {
        snprintf(report->diag.message, sizeof report->diag.message,
                 "no pose at rest was found in %lld iterations", (long long)stats->iterations);
        val_must(report, quantity, n, TD_ERR_DIVERGED);
    }
}

void val_settle(val_report *report, val_body *body, const td_step_opts *opts,
                const char *quantity) {
    td_step_stats stats = {0};
    val_must(report, quantity, body->n, td_body_settle(body->state, opts, &stats, &report->diag));
    val_must_rest(report, quantity, body->n, &stats);
}

void val_modes(val_report *report, val_body *body, td_vec3 gravity, int32_t count, td_mode *modes,
               const char *quantity) {
    const td_status status = td_body_modes(body->state, gravity, count, modes, &report->diag);
    val_must(report, quantity, body->n, status);
}

td_vec3 val_tip(const val_body *body) {
    return td_body_tip(body->state, body->n - 1);
}

double val_energy(val_body *body, td_vec3 gravity) {
    const td_energy e = td_body_energy(body->state, gravity);
    return e.kinetic + e.elastic + e.weight;
}

// ---- building -------------------------------------------------------------------------------

static void built(val_report *report, td_status status) {
    val_must(report, "building a tree", 0, status);
}

void val_tree_finish(val_report *report, td_builder *builder, val_body *tree) {
    const td_body_opts opts = td_body_opts_default();
    td_diag *diag = &report->diag;
    *tree = (val_body){.skeleton = NULL};
    built(report, td_builder_finish(builder, &tree->skeleton, diag));
    td_builder_free(builder);
    built(report, td_body_model_new(tree->skeleton, "tree", &opts, NULL, &tree->model, diag));
    built(report, td_body_new(tree->model, NULL, &tree->state, diag));
    tree->n = td_body_segment_count(tree->model);
    tree->dofs = td_body_dof_count(tree->model);
    tree->coords = td_tree_coord_count(tree->model);
}

void val_body_free(val_body *body) {
    td_body_free(body->state);
    td_body_model_free(body->model);
    td_skeleton_free(body->skeleton);
    *body = (val_body){.skeleton = NULL};
}

td_builder *val_begin(val_report *report, td_spring_rule springs, const td_material *material) {
    td_builder *builder = NULL;
    td_skeleton_opts opts = td_skeleton_opts_default();
    opts.springs = springs;
    built(report, td_builder_new(&opts, NULL, &builder, NULL));
    built(report, td_builder_add_material(builder, material, NULL, &report->diag));
    return builder;
}

void val_add(val_report *report, td_builder *builder, const td_segment_def *def) {
    built(report, td_builder_add(builder, def, NULL, &report->diag));
}

td_segment_def val_thin_rod(td_joint_kind joint, double length, double mass) {
    td_segment_def def = td_segment_def_default();
    def.joint = joint;
    def.length = length;
    def.mass = mass;
    def.centre_of_mass = (td_vec3){0, length / 2, 0};
    def.second_moment.yy = mass * length * length / 3;
    def.has_stiffness = def.has_damping = true;
    return def;
}

void val_single(val_report *report, const td_segment_def *def, val_body *tree) {
    const td_material material = td_material_get(0);
    td_builder *builder = val_begin(report, TD_SPRING_CLAMPED, &material);
    td_segment_def only = *def;
    only.attach_at_tip = false;
    val_add(report, builder, &only);
    val_tree_finish(report, builder, tree);
}

// ---- rods -----------------------------------------------------------------------------------

const td_quat val_level = {0.70710678118654752, 0, 0, -0.70710678118654752};
const td_quat val_hanging = {0, 0, 0, 1};

val_rod val_thesis_beam(int32_t count) {
    val_rod rod = {.count = count,
                   .length = 1,
                   .radius = 0.01,
                   .young = 8.1e9,
                   .poisson = 0.3,
                   .density = 923,
                   .springs = TD_SPRING_CLAMPED,
                   .joint = TD_JOINT_BALL,
                   .turn = val_level};
    return rod;
}

void val_rod_build(val_report *report, const val_rod *rod, val_body *tree) {
    td_material material = td_material_get(0);
    *tree = (val_body){.skeleton = NULL};
    material.young = rod->young;
    material.poisson = rod->poisson;
    material.shear = 0;
    material.density = rod->density;
    material.damping_time = 0;
    td_builder *builder = val_begin(report, rod->springs, &material);
    for (int32_t i = 0; i < rod->count; i++) {
        td_segment_def def = td_segment_def_default();
        def.parent = i - 1;
        def.joint = rod->joint;
        def.axis = (td_vec3){0, 0, 1};
        def.length = rod->length / rod->count;
        def.radius_base = def.radius_tip = rod->radius;
        def.material = 1;
        if (i == 0) {
            def.rest = rod->turn;
            def.attach_at_tip = false;
        }
        if (rod->limp) {
            def.has_stiffness = true;
            // the twist of a limp chain would be free to go anywhere
            def.stiffness = (td_vec3){0, rod->joint == TD_JOINT_BALL ? 1 : 0, 0};
        }
        val_add(report, builder, &def);
    }
    val_tree_finish(report, builder, tree);
}

// ---- random trees ---------------------------------------------------------------------------

const val_wild val_slender = {.least = 1,
                              .most = 25,
                              .all_joints = true,
                              .thin = 0.01,
                              .thick = 0.03,
                              .soft = 1e-3,
                              .stiff = 10,
                              .damping = 0.02};
const val_wild val_stout = {.least = 8,
                            .most = 8,
                            .all_joints = true,
                            .thin = 0.02,
                            .thick = 0.04,
                            .soft = 0.1,
                            .stiff = 0.1,
                            .damping = 0.01};

static td_joint_kind random_joint(val_random *random, const val_wild *wild, int32_t parent) {
    if (parent == TD_NONE && wild->floating) {
        return TD_JOINT_FREE;
    }
    double x = wild->all_joints ? val_uniform(random, 0, 1) : 0;
    return x < 0.5    ? TD_JOINT_BALL
           : x < 0.75 ? TD_JOINT_HINGE
           : x < 0.9  ? TD_JOINT_SLIDE
                      : TD_JOINT_FIXED;
}

static td_segment_def random_segment(val_random *random, const val_wild *wild, int32_t i) {
    td_segment_def def = td_segment_def_default();
    // mostly onwards from the last segment, sometimes from an earlier one
    bool onwards = val_uniform(random, 0, 1) < 0.6;
    def.parent = i == 0 ? TD_NONE : onwards ? i - 1 : val_below(random, i);
    def.joint = random_joint(random, wild, def.parent);
    def.axis = val_in_ball(random, 1);
    def.rest = val_turn(val_in_ball(random, 1));
    def.length = val_log_uniform(random, 0.05, 0.3);
    def.radius_base = val_log_uniform(random, wild->thin, wild->thick);
    def.radius_tip = def.radius_base * val_uniform(random, 0.5, 1);
    def.material = 1;
    def.attach_at_tip = onwards;
    def.attach = (td_vec3){0, val_uniform(random, 0.03, 0.05), 0};
    return def;
}

static void random_springs(val_random *random, const val_wild *wild, double stiffness,
                           td_segment_def *def) {
    double bend = stiffness * val_log_uniform(random, 0.3, 3);
    double other = stiffness * val_log_uniform(random, 0.3, 3);
    double time = val_uniform(random, 0, wild->damping);
    // a slide's spring is in N/m; it must hold what hangs on it, which may be a few kilograms
    double scale = def->joint == TD_JOINT_SLIDE ? 100 + 1000 / stiffness : 1;
    def->has_stiffness = def->has_damping = true;
    def->stiffness = (td_vec3){scale * bend, 0.7 * bend, other};
    def->damping = (td_vec3){time * scale * bend, time * 0.7 * bend, time * other};
}

void val_wild_build(val_report *report, val_random *random, const val_wild *wild, val_body *tree) {
    td_material material = td_material_get(0);
    bool given = wild->soft > 0;
    *tree = (val_body){.skeleton = NULL};
    int32_t count = wild->least + val_below(random, wild->most - wild->least + 1);
    double stiffness = given ? val_log_uniform(random, wild->soft, wild->stiff) : 0;
    if (!given) {
        material.young = val_log_uniform(random, wild->young[0], wild->young[1]);
        material.shear = 0;
        material.damping_time = val_uniform(random, 0, wild->damping);
    }
    td_builder *builder = val_begin(report, TD_SPRING_CLAMPED, &material);
    for (int32_t i = 0; i < count; i++) {
        td_segment_def def = random_segment(random, wild, i);
        if (given) {
            random_springs(random, wild, stiffness, &def);
        }
        val_add(report, builder, &def);
    }
    val_tree_finish(report, builder, tree);
}

void val_wild_start(val_random *random, val_body *tree, double angle, double speed) {
    const td_segment *segments = td_skeleton_segments(tree->skeleton);
    double *q = td_tree_coords(tree->state), *v = td_tree_velocities(tree->state);
    td_vec3 turn = {0, 0, 0};
    td_quat own;
    for (int32_t i = 0; i < tree->n; i++) {
        turn = val_in_ball(random, angle);
        td_vec3 rate = val_in_ball(random, speed);
        switch (segments[i].joint) {
        case TD_JOINT_FREE:
            q[0] = q[1] = q[2] = 0;
            v[0] = v[1] = v[2] = 0.1 * speed;
            q += 3;
            v += 3;
            // fall through
        case TD_JOINT_BALL:
            own = val_turn(turn);
            memcpy(q, &own, sizeof own);
            memcpy(v, &rate, sizeof rate);
            q += 4;
            v += 3;
            break;
        case TD_JOINT_HINGE:
            *q++ = turn.x;
            *v++ = rate.x;
            break;
        case TD_JOINT_SLIDE:
            *q++ = 0.1 * turn.x;
            *v++ = 0.1 * rate.x;
            break;
        case TD_JOINT_FIXED: break;
        }
    }
    td_tree_state_changed(tree->state);
}

// ---- states ---------------------------------------------------------------------------------

void val_pose_keep(val_report *report, val_body *body, val_pose *pose) {
    pose->size = td_body_save_size(body->state);
    pose->bytes = val_memory(report, "keeping a state", pose->size, 1);
    td_body_save(body->state, pose->bytes);
}

void val_pose_restore(val_body *body, const val_pose *pose) {
    case_must(td_body_restore(body->state, pose->bytes, pose->size, NULL));
}

void val_pose_free(val_pose *pose) {
    free(pose->bytes);
    *pose = (val_pose){NULL, 0};
}

void val_wild_open(val_report *report, val_random *random, const val_wild *wild, double angle,
                   double speed, val_body *tree, val_pose *start) {
    val_wild_build(report, random, wild, tree);
    val_wild_start(random, tree, angle, speed);
    val_pose_keep(report, tree, start);
}

void val_run(val_report *report, val_body *body, const val_pose *start, const td_step_opts *opts,
             int32_t steps, td_vec3 *tips, const char *quantity) {
    val_pose_restore(body, start);
    for (int32_t i = 0; i < steps; i++) {
        val_step(report, body, opts, quantity);
    }
    for (int32_t i = 0; i < body->n; i++) {
        tips[i] = td_body_tip(body->state, i);
    }
}

double val_tips_apart(const td_vec3 *a, const td_vec3 *b, int32_t count) {
    double apart = 0;
    for (int32_t i = 0; i < count; i++) {
        apart = val_worse(td_vec3_distance(a[i], b[i]), apart);
    }
    return apart;
}

bool val_rest_energy(val_body *body, const td_step_opts *opts, double *energy) {
    td_step_stats stats = {0};
    td_status status = td_body_settle(body->state, opts, &stats, NULL);
    *energy = val_energy(body, opts->gravity);
    return status == TD_OK && stats.unconverged == 0;
}
