// SPDX-License-Identifier: MIT
// Cases of one and two thin rods on hinges, as in sections 8.1 and 8.2 of the plants thesis.
//
// theta is the angle from the plumb line; the second hinge's coordinate is theta_2 - theta_1.

#include "cases/validate/validate.h"

#include <math.h>
#include <string.h>

#define GRAVITY 9.81
#define MASS    0.3 // kg, of each rod
#define LENGTH  0.5 // m

static void build_rods(val_report *report, int32_t count, val_body *tree) {
    td_material material = td_material_get(0);
    td_builder *builder = val_begin(report, TD_SPRING_CLAMPED, &material);
    *tree = (val_body){.skeleton = NULL};
    for (int32_t i = 0; i < count; i++) {
        td_segment_def def = val_thin_rod(TD_JOINT_HINGE, LENGTH, MASS);
        def.parent = i - 1;
        def.attach_at_tip = i > 0;
        def.rest = i > 0 ? def.rest : val_hanging;
        val_add(report, builder, &def);
    }
    val_tree_finish(report, builder, tree);
}

static td_step_opts step_opts(td_integrator integrator, double dt) {
    td_step_opts opts = td_step_opts_default();
    opts.integrator = integrator;
    opts.dt = dt;
    opts.tolerance = 1e-13;
    return opts;
}

// ---- one rod: period ------------------------------------------------------------------------

// T = 4 K(sin(A/2)) sqrt(I/(m g d)), K(k) = pi/(2 agm(1, sqrt(1 - k^2))); I/(m d) = 2 l/3
static double pendulum_period(double amplitude) {
    double a = 1, b = cos(amplitude / 2);
    for (int i = 0; i < 8; i++) { // the digits double each time
        double mean = (a + b) / 2;
        b = sqrt(a * b);
        a = mean;
    }
    return 2 * VAL_PI / a * sqrt(2 * LENGTH / (3 * GRAVITY));
}

// let go from rest: the time from the first pass of the plumb line to the third
static void measure_period(val_report *report, val_body *tree, const char *name,
                           const td_step_opts *opts, double amplitude) {
    char text[64];
    snprintf(text, sizeof text, "period, s, amplitude %g rad, %s", amplitude, name);
    double *q = td_tree_coords(tree->state), passed[3] = {0, 0, 0}, before = amplitude;
    int32_t passes = 0;
    case_must(td_body_reset(tree->state, NULL));
    *q = amplitude;
    td_tree_state_changed(tree->state);
    for (int32_t i = 1; passes < 3 && i * opts->dt < 20; i++) {
        val_step(report, tree, opts, text);
        if (before * *q <= 0 && *q != before) {
            passed[passes++] = (i - *q / (*q - before)) * opts->dt;
        }
        before = *q;
    }
    val_relative(report, text, 1, passes == 3 ? passed[2] - passed[0] : (double)NAN,
                 pendulum_period(amplitude), 1e-4);
}

// ---- one rod: the derived equation ----------------------------------------------------------

// theta'' = -(m g d/I) sin theta
static double pendulum_accel(double theta) {
    return -1.5 * GRAVITY / LENGTH * sin(theta);
}

// theta and its rate; for the implicit rules z = exp(i theta) and its rate, now and one step back
typedef struct derived {
    double theta, rate;
    double z[2], w[2], z_before[2], w_before[2];
    int32_t steps;
} derived;

static derived derived_start(double theta) {
    derived d = {.theta = theta, .z = {cos(theta), sin(theta)}};
    return d;
}

static void derived_euler(derived *d, double h) {
    d->rate += h * pendulum_accel(d->theta);
    d->theta += h * d->rate;
}

static void derived_rk4(derived *d, double h) {
    double k1 = d->rate, a1 = pendulum_accel(d->theta);
    double k2 = d->rate + h / 2 * a1, a2 = pendulum_accel(d->theta + h / 2 * k1);
    double k3 = d->rate + h / 2 * a2, a3 = pendulum_accel(d->theta + h / 2 * k2);
    double k4 = d->rate + h * a3, a4 = pendulum_accel(d->theta + h * k3);
    d->theta += h / 6 * (k1 + 2 * k2 + 2 * k3 + k4);
    d->rate += h / 6 * (a1 + 2 * a2 + 2 * a3 + a4);
}

// The points of the rod move as z; with the rule z' = (z - z*)/h' the potential
//   I/2 |z - z^|^2 - h'^2 m g d Re z,  z^ = z* + h' w*
// is least over |z| = 1 where z points along z^ + h'^2 m g d/I
static void derived_implicit(derived *d, double dt, bool two) {
    two = two && d->steps > 0;
    double a = two ? 4.0 / 3 : 1, b = two ? -1.0 / 3 : 0, h = two ? 2 * dt / 3 : dt;
    double history[2], next[2];
    for (int k = 0; k < 2; k++) {
        history[k] = a * d->z[k] + b * d->z_before[k];
        next[k] = history[k] + h * (a * d->w[k] + b * d->w_before[k]);
        d->z_before[k] = d->z[k];
        d->w_before[k] = d->w[k];
    }
    next[0] += h * h * 1.5 * GRAVITY / LENGTH;
    double norm = hypot(next[0], next[1]), was = d->theta;
    for (int k = 0; k < 2; k++) {
        d->z[k] = next[k] / norm;
        d->w[k] = (d->z[k] - history[k]) / h;
    }
    d->theta = atan2(d->z[1], d->z[0]);
    d->theta += 2 * VAL_PI * round((was - d->theta) / (2 * VAL_PI));
    d->steps++;
}

// 10 s, compared after every step
static void follow_derived(val_report *report, val_body *tree, const char *name,
                           td_integrator integrator) {
    const double amplitude = 2, dt = 1.0 / 240;
    char text[64];
    snprintf(text, sizeof text, "farthest from the derived equation, rad, %s", name);
    td_step_opts opts = step_opts(integrator, dt);
    derived d = derived_start(amplitude);
    double *q = td_tree_coords(tree->state), apart = 0;
    case_must(td_body_reset(tree->state, NULL));
    *q = amplitude;
    td_tree_state_changed(tree->state);
    for (int32_t i = 0; i < 2400; i++) {
        val_step(report, tree, &opts, text);
        switch (integrator) {
        case TD_EULER: derived_euler(&d, dt); break;
        case TD_RK4: derived_rk4(&d, dt); break;
        default: derived_implicit(&d, dt, integrator == TD_IMPLICIT); break;
        }
        apart = val_worse(fabs(*q - d.theta), apart);
    }
    val_at_most(report, text, 1, apart, 1e-10);
}

static const struct {
    const char *name;
    td_integrator integrator;
    double dt; // s, for the period
} integrators[] = {{"euler", TD_EULER, 2e-4},
                   {"rk4", TD_RK4, 1e-3},
                   {"implicit", TD_IMPLICIT, 5e-4},
                   {"implicit-euler", TD_IMPLICIT_EULER, 0}};

void val_pendulum(val_report *report) {
    static const double amplitudes[] = {0.1, 1, 2, 3};
    val_body tree;
    build_rods(report, 1, &tree);
    for (int k = 0; k < 3; k++) { // backward Euler damps: its period is no figure
        td_step_opts opts = step_opts(integrators[k].integrator, integrators[k].dt);
        for (int a = 0; a < 4; a++) {
            measure_period(report, &tree, integrators[k].name, &opts, amplitudes[a]);
        }
    }
    for (int k = 0; k < 4; k++) {
        follow_derived(report, &tree, integrators[k].name, integrators[k].integrator);
    }
    val_body_free(&tree);
}

// ---- two rods -------------------------------------------------------------------------------

// Appendix A of the thesis, with the sign that A.16 ought to have:
//   Ja t1'' + Jx cos(t1 - t2) t2'' = -Jx sin(t1 - t2) t2'^2 - mu1 sin t1
//   Jx cos(t1 - t2) t1'' + Jb t2'' = +Jx sin(t1 - t2) t1'^2 - mu2 sin t2
static void double_accel(const double *theta, const double *rate, double *accel) {
    const double ml2 = MASS * LENGTH * LENGTH, mgl = MASS * GRAVITY * LENGTH;
    double c = 0.5 * ml2 * cos(theta[0] - theta[1]), s = 0.5 * ml2 * sin(theta[0] - theta[1]);
    double ja = 4 * ml2 / 3, jb = ml2 / 3;
    double r0 = -s * rate[1] * rate[1] - 1.5 * mgl * sin(theta[0]);
    double r1 = s * rate[0] * rate[0] - 0.5 * mgl * sin(theta[1]);
    double det = ja * jb - c * c;
    accel[0] = (jb * r0 - c * r1) / det;
    accel[1] = (ja * r1 - c * r0) / det;
}

static void set_double(val_body *tree, const double *theta, const double *rate) {
    double *q = td_tree_coords(tree->state), *v = td_tree_velocities(tree->state);
    case_must(td_body_reset(tree->state, NULL));
    q[0] = theta[0];
    q[1] = theta[1] - theta[0];
    v[0] = rate[0];
    v[1] = rate[1] - rate[0];
    td_tree_state_changed(tree->state);
}

static void compare_accels(val_report *report, val_body *tree) {
    val_random random = {1};
    double worst = 0;
    for (int32_t i = 0; i < 1000; i++) {
        double theta[2], rate[2], got[2], want[2];
        for (int k = 0; k < 2; k++) {
            theta[k] = val_uniform(&random, -VAL_PI, VAL_PI);
            rate[k] = val_uniform(&random, -10, 10);
        }
        set_double(tree, theta, rate);
        td_tree_forward(tree->state, (td_vec3){0, -GRAVITY, 0}, NULL, got);
        double_accel(theta, rate, want);
        double off = hypot(got[0] - want[0], got[0] + got[1] - want[1]);
        worst = val_worse(off / hypot(want[0], want[1]), worst);
    }
    val_at_most(report, "accelerations off the derived ones, relative", 1000, worst, 1e-10);
}

// two runs of 10 s of chaos end in the same bits
static void compare_bits(val_report *report, val_body *tree) {
    static const double theta[2] = {2, 1}, still[2] = {0, 0};
    for (int k = 0; k < 4; k++) {
        double end[2][4];
        char text[64];
        snprintf(text, sizeof text, "bytes that differ between two runs, %s", integrators[k].name);
        td_step_opts opts = step_opts(integrators[k].integrator, 1e-3);
        for (int run = 0; run < 2; run++) {
            set_double(tree, theta, still);
            for (int32_t i = 0; i < 10000; i++) {
                val_step(report, tree, &opts, text);
            }
            memcpy(end[run], td_tree_coords(tree->state), 2 * sizeof(double));
            memcpy(end[run] + 2, td_tree_velocities(tree->state), 2 * sizeof(double));
        }
        int32_t differ = 0;
        for (size_t i = 0; i < sizeof end[0]; i++) {
            differ += ((unsigned char *)end[0])[i] != ((unsigned char *)end[1])[i];
        }
        val_at_most(report, text, 10000, differ, 0);
    }
}

// Two rods let go from level, and beside them the derived equations by the same rule, started off
// by `push` radians. Seconds until they are 0.1 rad apart; a minute at most.
static double seconds_together(val_report *report, val_body *tree, double push) {
    const double level[2] = {VAL_PI / 2, VAL_PI / 2}, still[2] = {0, 0}, dt = 1e-3;
    double theta[2] = {level[0] + push, level[1]}, rate[2] = {0, 0}, accel[2];
    double *q = td_tree_coords(tree->state);
    td_step_opts opts = step_opts(TD_EULER, dt);
    set_double(tree, level, still);
    for (int32_t i = 1; i <= 60000; i++) {
        val_step(report, tree, &opts, "parting from the derived equations");
        double_accel(theta, rate, accel);
        for (int k = 0; k < 2; k++) {
            rate[k] += dt * accel[k];
            theta[k] += dt * rate[k];
        }
        if (fabs(q[0] - theta[0]) > 0.1 || fabs(q[0] + q[1] - theta[1]) > 0.1) {
            return i * dt;
        }
    }
    return 60;
}

void val_double_pendulum(val_report *report) {
    val_body tree;
    build_rods(report, 2, &tree);
    compare_accels(report, &tree);
    compare_bits(report, &tree);
    double pushed = seconds_together(report, &tree, 1e-4);
    double alike = seconds_together(report, &tree, 0);
    val_at_most(report, "time until 1e-4 rad parts them over that until rounding does", 2,
                pushed / alike, 0.999);
    val_body_free(&tree);
}
