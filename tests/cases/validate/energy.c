// SPDX-License-Identifier: MIT
// Cases of energy: what the integrators do to it, alone and in drag, and their orders.

#include "cases/validate/validate.h"

#include <math.h>

static const double frame_steps[3] = {1.0 / 30, 1.0 / 60, 1.0 / 240};

#define MANY_STEPS 1000000

// ---- bodies without outside work ------------------------------------------------------------

// Energy above that of the nearest rest; without gravity that is 0.
static bool energy_put_in(val_body *body, const td_step_opts *opts, double *energy,
                          double *put_in) {
    double rest = 0;
    *energy = val_energy(body, opts->gravity);
    bool found = opts->gravity.y == 0 || val_rest_energy(body, opts, &rest);
    *put_in = *energy - rest;
    return found && *put_in > 0;
}

static void follow_energy(val_report *report, val_body *body, const td_step_opts *opts,
                          double energy, double put_in, val_losses *worst) {
    val_ledger l = val_ledger_open(energy, put_in, opts->dt);
    const int32_t steps = (int32_t)round(3 / opts->dt);
    for (int32_t i = 0; i < steps; i++) {
        val_step(report, body, opts, "energy of a random body");
        val_ledger_add(&l, val_energy(body, opts->gravity), worst);
    }
}

void val_energy_of(val_report *report, const char *what, uint64_t seed, int32_t count,
                   val_opening open) {
    int32_t restless = 0;
    val_losses worst[2][3] = {{{0}}};
    val_random random = {seed};
    for (int32_t i = 0; i < count; i++) {
        td_step_opts opts = td_step_opts_default();
        val_body body;
        val_pose start;
        double energy, put_in;
        val_progress(report, 0.8 * i / count);
        open(report, &random, i, &opts, &body);
        val_pose_keep(report, &body, &start);
        restless += !energy_put_in(&body, &opts, &energy, &put_in);
        for (int k = 0; k < 6; k++) {
            opts.integrator = k % 2 ? TD_IMPLICIT : TD_IMPLICIT_EULER;
            opts.dt = frame_steps[k / 2];
            val_pose_restore(&body, &start);
            follow_energy(report, &body, &opts, energy, put_in, &worst[k % 2][k / 2]);
        }
        val_pose_free(&start);
        val_body_free(&body);
    }
    val_at_most(report, val_text(report, "%s whose rest was not found", what), count, restless, 0);
    for (int k = 0; k < 3; k++) {
        val_losses_rows(report, count, (int)round(1 / frame_steps[k]), &worst[0][k], &worst[1][k]);
    }
}

// Every third tree floats without gravity; the others hang from a root with it. Every other tree
// has no damping at all.
static void open_tree(val_report *report, val_random *random, int32_t index, td_step_opts *opts,
                      val_body *tree) {
    val_wild wild = val_slender;
    wild.least = 3;
    wild.most = 20;
    wild.floating = index % 3 == 0;
    wild.stiff = 100;
    wild.damping = index % 2 ? 0.05 : 0;
    opts->gravity.y = wild.floating ? 0 : opts->gravity.y;
    val_wild_build(report, random, &wild, tree);
    val_wild_start(random, tree, 1.5, 5);
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

enum { ORDER_TIPS = 8 };

// From three runs, each with half the step of the one before: the differences fall by 2^order.
void val_orders(val_report *report, const td_step_opts *opts, val_body *body, const val_rule *rules,
                int count) {
    val_pose start;
    val_pose_keep(report, body, &start);
    for (int k = 0; k < count; k++) {
        td_vec3 tips[3][ORDER_TIPS];
        td_step_opts own = *opts;
        const char *quantity = val_text(report, "order of %s", rules[k].name);
        own.integrator = rules[k].integrator;
        for (int i = 0; i < 3; i++) {
            const int32_t steps = rules[k].steps << i;
            own.dt = 0.25 / steps;
            val_run(report, body, &start, &own, steps, tips[i], quantity);
        }
        val_absolute(report, quantity, rules[k].steps,
                     log2(val_tips_apart(tips[0], tips[1], body->n) /
                          val_tips_apart(tips[1], tips[2], body->n)),
                     rules[k].order, 0.1);
    }
    val_pose_free(&start);
}

static void orders_of_tree(val_report *report) {
    static const val_rule rules[] = {{"euler", TD_EULER, 4096, 1},
                                     {"rk4", TD_RK4, 64, 4},
                                     {"implicit", TD_IMPLICIT, 1024, 2},
                                     {"implicit-euler", TD_IMPLICIT_EULER, 4096, 1}};
    val_random random = {3};
    val_body tree;
    td_step_opts opts = td_step_opts_default();
    opts.tolerance = 1e-13;
    val_wild_build(report, &random, &val_stout, &tree);
    val_wild_start(&random, &tree, 0.5, 3);
    val_orders(report, &opts, &tree, rules, 4);
    val_body_free(&tree);
}

void val_energy_case(val_report *report) {
    val_energy_of(report, "trees", 2, val_tries(report, 200), open_tree);
    val_sway_damping(report, "tree", 20);
    long_runs(report);
    orders_of_tree(report);
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
