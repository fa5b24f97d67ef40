// SPDX-License-Identifier: MIT
// Cases of energy: what the integrators do to it, alone and in drag, and their orders.

#include "cases/validate/validate.h"

#include <math.h>

const double val_frame_steps[3] = {1.0 / 30, 1.0 / 60, 1.0 / 240};

#define MANY_STEPS 1000000

// ---- random trees without outside work ------------------------------------------------------

// Energy above that of the nearest rest; without gravity that is 0.
static bool energy_put_in(val_body *tree, const val_pose *start, const td_step_opts *opts,
                          double *energy, double *put_in) {
    double rest = 0;
    val_pose_restore(tree, start);
    *energy = val_energy(tree, opts->gravity);
    bool found = opts->gravity.y == 0 || val_rest_energy(tree, opts, &rest);
    *put_in = *energy - rest;
    return found && *put_in > 0;
}

void val_follow_energy(val_report *report, val_body *body, const td_step_opts *opts, double energy,
                       double put_in, const char *quantity, val_losses *worst) {
    val_ledger l = val_ledger_open(energy, put_in, opts->dt);
    const int32_t steps = (int32_t)round(3 / opts->dt);
    for (int32_t i = 0; i < steps; i++) {
        val_step(report, body, opts, quantity);
        val_ledger_add(&l, val_energy(body, opts->gravity), worst);
    }
}

// Every third tree floats without gravity; the others hang from a root with it. Every other tree
// has no damping at all.
static void one_tree(val_report *report, val_random *random, int32_t index, val_losses worst[2][3],
                     int32_t *restless) {
    val_wild wild = val_slender;
    td_step_opts opts = td_step_opts_default();
    val_body tree;
    val_pose start;
    double energy, put_in;
    wild.least = 3;
    wild.most = 20;
    wild.floating = index % 3 == 0;
    wild.stiff = 100;
    wild.damping = index % 2 ? 0.05 : 0;
    opts.gravity.y = wild.floating ? 0 : opts.gravity.y;
    val_wild_open(report, random, &wild, 1.5, 5, &tree, &start);
    *restless += !energy_put_in(&tree, &start, &opts, &energy, &put_in);
    for (int k = 0; k < 6; k++) {
        opts.integrator = k % 2 ? TD_IMPLICIT : TD_IMPLICIT_EULER;
        opts.dt = val_frame_steps[k / 2];
        val_pose_restore(&tree, &start);
        val_follow_energy(report, &tree, &opts, energy, put_in, "energy of a random tree",
                          &worst[k % 2][k / 2]);
    }
    val_pose_free(&start);
    val_body_free(&tree);
}

static void energy_of_trees(val_report *report) {
    const int32_t count = val_tries(report, 200);
    int32_t restless = 0;
    val_losses worst[2][3] = {{{0}}};
    val_random random = {2};
    for (int32_t i = 0; i < count; i++) {
        val_progress(report, 0.8 * i / count);
        one_tree(report, &random, i, worst, &restless);
    }
    val_at_most(report, "trees whose rest was not found", count, restless, 0);
    for (int k = 0; k < 3; k++) {
        val_losses_rows(report, count, (int)round(1 / val_frame_steps[k]), &worst[0][k],
                        &worst[1][k]);
    }
}

// ---- damping by the rule itself -------------------------------------------------------------

// Over a second.
static double mean_energy(val_report *report, val_body *body, const td_step_opts *opts) {
    double sum = 0;
    for (int32_t i = 0; i < 60; i++) {
        val_step(report, body, opts, "damping of a 1 Hz sway");
        sum += val_energy(body, opts->gravity);
    }
    return sum / 60;
}

// E falls as exp(-2 zeta omega t). The first two seconds are left to the faster modes.
void val_sway_damping(val_report *report, const char *solver, int32_t count) {
    val_rod beam = val_thesis_beam(count);
    val_body body;
    double mean[23];
    // f = (beta l)^2/(2 pi l^2) sqrt(E r^2/(4 rho)) = 1 Hz, beta l = 1.8751
    const double speed = 2 * VAL_PI / (1.8751040687 * 1.8751040687);
    beam.young = 4 * beam.density * speed * speed / (beam.radius * beam.radius);
    val_beam_open(report, solver, &beam, &body);
    td_step_opts opts = td_step_opts_default();
    opts.gravity.y *= 0.01;
    val_settle(report, &body, &opts, "damping of a 1 Hz sway");
    opts.gravity.y = 0;
    for (int32_t i = 0; i < 23; i++) {
        mean[i] = mean_energy(report, &body, &opts);
    }
    val_at_most(report, "damping ratio of a 1 Hz sway, implicit at 1/60 s", beam.count,
                log(mean[2] / mean[22]) / (2 * 2 * VAL_PI * 20), 5e-4);
    val_body_free(&body);
}

// ---- a million steps ------------------------------------------------------------------------

// From rest with the first hinge turned by `angle`: how far the energy is from its start, over what
// was put in, in each half of a million steps of euler.
static void long_run(val_report *report, const val_rod *rod, double angle, double worst[2],
                     const char *quantity) {
    val_body tree;
    val_rod_build(report, rod, &tree);
    td_step_opts opts = td_step_opts_default();
    opts.integrator = TD_EULER;
    opts.dt = 1e-3;
    // a rod that starts turned hangs at rest, the beam sags to it
    if (angle == 0) {
        val_settle(report, &tree, &opts, quantity);
    }
    double rest = val_energy(&tree, opts.gravity);
    case_must(td_body_reset(tree.state, NULL));
    td_tree_coords(tree.state)[0] = angle;
    td_tree_state_changed(tree.state);
    double start = val_energy(&tree, opts.gravity), put_in = fabs(start - rest);
    worst[0] = worst[1] = 0;
    for (int32_t i = 0; i < MANY_STEPS; i++) {
        double *half = &worst[i >= MANY_STEPS / 2];
        val_step(report, &tree, &opts, quantity);
        *half = val_worse(fabs(val_energy(&tree, opts.gravity) - start) / put_in, *half);
        if (i % 1000 == 0) {
            val_progress(report, 0.8 + 0.1 * i / MANY_STEPS);
        }
    }
    val_body_free(&tree);
}

// For one rod, whose inertia does not change, the rule is symplectic: the error of the energy does
// not grow. For several it is so only nearly, the more the smaller they swing.
static void long_runs(val_report *report) {
    const char *swing = "energy off over a million steps of euler, swing";
    const char *beam = "energy off over a million steps of euler, beam";
    double worst[2];
    val_rod rod = val_thesis_beam(1);
    rod.joint = TD_JOINT_HINGE;
    rod.turn = val_hanging;
    rod.limp = true;
    long_run(report, &rod, 2, worst, swing);
    val_at_most(report, swing, 1, val_worse(worst[0], worst[1]), 0.01);
    val_not_above(report, "the same, growth from first to second half", 1, worst[1] / worst[0] - 1,
                  0.01);
    rod = val_thesis_beam(4);
    rod.joint = TD_JOINT_HINGE;
    long_run(report, &rod, 0, worst, beam);
    val_at_most(report, beam, 4, val_worse(worst[0], worst[1]), 0.05);
}

// ---- orders ---------------------------------------------------------------------------------

static const struct {
    const char *name;
    td_integrator integrator;
    int32_t steps; // in a quarter of a second; and twice as many
    double order;
} orders[] = {{"euler", TD_EULER, 4096, 1},
              {"rk4", TD_RK4, 64, 4},
              {"implicit", TD_IMPLICIT, 1024, 2},
              {"implicit-euler", TD_IMPLICIT_EULER, 4096, 1}};

// Error at the end against a run of rk4 in far smaller steps; halving the step divides it by
// 2^order.
static void measure_order(val_report *report, val_body *tree, const val_pose *start,
                          const td_vec3 *truth, td_vec3 *tips, int k) {
    char text[64];
    double error[2];
    td_step_opts opts = td_step_opts_default();
    snprintf(text, sizeof text, "order of %s", orders[k].name);
    opts.integrator = orders[k].integrator;
    opts.tolerance = 1e-13;
    for (int i = 0; i < 2; i++) {
        int32_t steps = orders[k].steps << i;
        opts.dt = 0.25 / steps;
        val_run(report, tree, start, &opts, steps, tips, text);
        error[i] = val_tips_apart(tips, truth, tree->n);
    }
    val_absolute(report, text, orders[k].steps, log2(error[0] / error[1]), orders[k].order, 0.1);
}

static void measure_orders(val_report *report) {
    val_random random = {3};
    val_body tree;
    val_pose start;
    td_vec3 truth[8], tips[8];
    td_step_opts opts = td_step_opts_default();
    opts.integrator = TD_RK4;
    opts.dt = 0.25 / 4096;
    val_wild_open(report, &random, &val_stout, 0.5, 3, &tree, &start);
    val_run(report, &tree, &start, &opts, 4096, truth, "order of rk4");
    for (int k = 0; k < 4; k++) {
        measure_order(report, &tree, &start, truth, tips, k);
    }
    val_pose_free(&start);
    val_body_free(&tree);
}

void val_energy_case(val_report *report) {
    energy_of_trees(report);
    val_sway_damping(report, "tree", 20);
    long_runs(report);
    measure_orders(report);
}

// ---- drag -----------------------------------------------------------------------------------

// From rest a second in the wind, then 60 steps in still air.
static void blow(val_report *report, val_body *tree, td_step_opts *opts, double rest,
                 val_losses *worst) {
    opts->air.wind = (td_vec3){30, 0, 0};
    for (int32_t i = 0; i * opts->dt < 1; i++) {
        val_step(report, tree, opts, "a plant in the wind");
    }
    opts->air.wind = (td_vec3){0, 0, 0};
    double energy = val_energy(tree, opts->gravity);
    val_ledger l = val_ledger_open(energy, energy - rest, opts->dt);
    for (int32_t i = 0; i < 60; i++) {
        val_step(report, tree, opts, "a plant after the wind");
        val_ledger_add(&l, val_energy(tree, opts->gravity), worst);
    }
}

static void one_plant(val_report *report, val_random *random, val_losses worst[2],
                      int32_t *restless) {
    val_wild wild = {.least = 3,
                     .most = 30,
                     .thin = 1.5e-3,
                     .thick = 0.015,
                     .young = {1e7, 1e10},
                     .damping = 0.02};
    td_step_opts opts = td_step_opts_default();
    val_body tree;
    val_pose rest;
    val_wild_build(report, random, &wild, &tree);
    opts.dt = val_log_uniform(random, 1e-3, 1.0 / 24);
    opts.air.linear = val_uniform(random, 0, 0.1);
    opts.air.quadratic = val_uniform(random, 0.3, 0.9); // half of 1.2 kg/m^3 by 0.5 to 1.5
    double energy;
    *restless += !val_rest_energy(&tree, &opts, &energy);
    val_pose_keep(report, &tree, &rest);
    for (int k = 0; k < 2; k++) {
        opts.integrator = k ? TD_IMPLICIT : TD_IMPLICIT_EULER;
        val_pose_restore(&tree, &rest);
        blow(report, &tree, &opts, energy, &worst[k]);
    }
    val_pose_free(&rest);
    val_body_free(&tree);
}

void val_drag(val_report *report) {
    const int32_t count = val_tries(report, 500);
    int32_t restless = 0;
    val_losses worst[2] = {{0}};
    val_random random = {4};
    for (int32_t i = 0; i < count; i++) {
        val_progress(report, (double)i / count);
        one_plant(report, &random, worst, &restless);
    }
    val_at_most(report, "plants whose rest was not found", count, restless, 0);
    val_at_most(report, "energy gained after the wind, implicit-euler", count, worst[0].rise, 1e-3);
    val_at_most(report, "energy above that when the wind stops, implicit", count, worst[1].above,
                0.01);
}
