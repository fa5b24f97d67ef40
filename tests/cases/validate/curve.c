// SPDX-License-Identifier: MIT
// The case of interpolation: motions through keys against differences in time.

#include "cases/validate/validate.h"

#include <math.h>

#define KEYS    40
#define SAMPLES 2000

// One motion to try: random keys at uneven times.
typedef struct val_motion {
    const char *name;
    td_curve *position;
    td_turn_curve *rotation;
    double times[KEYS];
    td_vec3 places[KEYS], turns[KEYS];
    td_quat rotations[KEYS];
    bool repeat, one_axis;
} val_motion;

// ---- motions --------------------------------------------------------------------------------

static void draw_keys(val_random *random, val_motion *m) {
    double time = val_uniform(random, -1, 1);
    for (int i = 0; i < KEYS; i++) {
        m->times[i] = time;
        time += val_log_uniform(random, 0.1, 2);
        m->places[i] = val_in_ball(random, 3);
        m->rotations[i] = val_turn(val_in_ball(random, VAL_PI));
        double angle = val_uniform(random, -20, 20);
        m->turns[i] = (td_vec3){0.6 * angle, 0, 0.8 * angle};
    }
    if (m->repeat) {
        double whole = 6 * VAL_PI;
        m->places[KEYS - 1] = m->places[0];
        m->rotations[KEYS - 1] = m->rotations[0];
        m->turns[KEYS - 1] = (td_vec3){m->turns[0].x + 0.6 * whole, 0, m->turns[0].z + 0.8 * whole};
    }
}

static void open_motion(val_report *report, val_random *random, val_motion *m) {
    td_curve_def place = td_curve_def_default();
    td_turn_curve_def turn = td_turn_curve_def_default();
    draw_keys(random, m);
    place.key_count = turn.key_count = KEYS;
    place.times = turn.times = m->times;
    place.part_count = 3;
    place.values = &m->places[0].x;
    place.repeat = turn.repeat = m->repeat;
    turn.turns = m->one_axis ? m->turns : NULL;
    turn.rotations = m->one_axis ? NULL : m->rotations;
    val_must(report, m->name, KEYS, td_curve_new(&place, NULL, &m->position, &report->diag));
    val_must(report, m->name, KEYS, td_turn_curve_new(&turn, NULL, &m->rotation, &report->diag));
}

static void close_motion(val_motion *m) {
    td_curve_free(m->position);
    td_turn_curve_free(m->rotation);
}

// ---- differences ----------------------------------------------------------------------------

// (8 (f(h) - f(-h)) - (f(2h) - f(-2h)))/(12 h), of f at -2h, -h, h, 2h
static double slope(double a, double b, double c, double d, double h) {
    return (8 * (c - b) - (d - a)) / (12 * h);
}

static td_vec3 slope3(const td_vec3 f[4], double h) {
    return (td_vec3){slope(f[0].x, f[1].x, f[2].x, f[3].x, h),
                     slope(f[0].y, f[1].y, f[2].y, f[3].y, h),
                     slope(f[0].z, f[1].z, f[2].z, f[3].z, h)};
}

// the same rotation, of the two quaternions that mean it the one near b
static td_quat near_quat(td_quat a, td_quat b) {
    const double s = td_quat_dot(a, b) < 0 ? -1 : 1;
    return (td_quat){s * a.w, s * a.x, s * a.y, s * a.z};
}

// w = 2 (dq/dt) q^-1
static td_vec3 slope_turn(const td_quat f[4], td_quat q, double h) {
    td_quat g[4];
    for (int i = 0; i < 4; i++) {
        g[i] = near_quat(f[i], q);
    }
    const td_quat rate = {
        slope(g[0].w, g[1].w, g[2].w, g[3].w, h), slope(g[0].x, g[1].x, g[2].x, g[3].x, h),
        slope(g[0].y, g[1].y, g[2].y, g[3].y, h), slope(g[0].z, g[1].z, g[2].z, g[3].z, h)};
    const td_quat w = td_quat_mul(rate, td_quat_conj(q));
    return (td_vec3){2 * w.x, 2 * w.y, 2 * w.z};
}

// ---- rows -----------------------------------------------------------------------------------

enum { VELOCITY, ACCELERATION, SPIN, SPIN_RATE, FIGURES };

static const char *const figure_names[FIGURES] = {"velocity", "acceleration", "spin",
                                                  "spin's rate"};

static td_vec3 figure(const td_base_motion *m, int k) {
    const td_vec3 all[FIGURES] = {m->velocity, m->acceleration, m->spin, m->spin_rate};
    return all[k];
}

static void add_row(val_report *report, const val_motion *m, const char *what, const char *how,
                    double error, double limit) {
    val_at_most(report, val_text(report, "%s: %s %s", m->name, what, how), KEYS, error, limit);
}

// over the largest value of each figure; no stencil crosses a key, where the third derivative jumps
static void compare_differences(val_report *report, val_random *random, const val_motion *m) {
    double error[FIGURES] = {0}, most[FIGURES] = {0};
    for (int i = 0; i < SAMPLES; i++) {
        int key = val_below(random, KEYS - 1);
        double gap = m->times[key + 1] - m->times[key], h = 1e-3 * gap;
        double t = m->times[key] + gap * val_uniform(random, 0.01, 0.99);
        td_base_motion at = td_base_motion_at(m->position, m->rotation, t), f[4];
        td_vec3 place[4], velocity[4], spin[4];
        td_quat turn[4];
        for (int j = 0; j < 4; j++) {
            f[j] = td_base_motion_at(m->position, m->rotation, t + (j < 2 ? j - 2 : j - 1) * h);
            place[j] = f[j].position;
            velocity[j] = f[j].velocity;
            spin[j] = f[j].spin;
            turn[j] = f[j].rotation;
        }
        td_vec3 want[FIGURES] = {slope3(place, h), slope3(velocity, h),
                                 slope_turn(turn, at.rotation, h), slope3(spin, h)};
        for (int k = 0; k < FIGURES; k++) {
            error[k] = val_worse(td_vec3_distance(figure(&at, k), want[k]), error[k]);
            most[k] = fmax(most[k], td_vec3_norm(want[k]));
        }
    }
    for (int k = 0; k < FIGURES; k++) {
        add_row(report, m, figure_names[k], "against differences", error[k] / most[k], 1e-6);
    }
}

// from just before a key to just after it, first and last key too, where it is at rest or repeats
static void compare_sides(val_report *report, const val_motion *m) {
    double jump[FIGURES] = {0}, most[FIGURES] = {0}, off = 0;
    for (int i = 0; i < KEYS; i++) {
        double t = m->times[i], step = 1e-10;
        td_base_motion before = td_base_motion_at(m->position, m->rotation, t - step);
        td_base_motion after = td_base_motion_at(m->position, m->rotation, t + step);
        td_base_motion at = td_base_motion_at(m->position, m->rotation, t);
        for (int k = 0; k < FIGURES; k++) {
            jump[k] = val_worse(td_vec3_distance(figure(&before, k), figure(&after, k)), jump[k]);
            most[k] = fmax(most[k], td_vec3_norm(figure(&at, k)));
        }
        td_quat want = m->one_axis ? val_turn(m->turns[i]) : m->rotations[i];
        td_quat got = near_quat(at.rotation, want);
        double turned =
            hypot(hypot(got.w - want.w, got.x - want.x), hypot(got.y - want.y, got.z - want.z));
        off = val_worse(fmax(td_vec3_distance(at.position, m->places[i]), turned), off);
    }
    for (int k = 0; k < FIGURES; k++) {
        add_row(report, m, figure_names[k], "across keys", jump[k] / most[k], 1e-6);
    }
    add_row(report, m, "pose", "at the keys", off, 1e-6);
}

// what a coordinate goes from key i to the next, 0 beyond the ends
static double step_of(const val_motion *m, int i, int axis) {
    if (i < 0 || i >= KEYS - 1) {
        if (!m->repeat) {
            return 0;
        }
        i = i < 0 ? KEYS - 2 : 0;
    }
    return (&m->places[i + 1].x)[axis] - (&m->places[i].x)[axis];
}

// how far a coordinate leaves the range of the two keys around it, over the steps before and after
static void compare_range(val_report *report, const val_motion *m) {
    double past = 0;
    for (int i = 0; i < KEYS - 1; i++) {
        for (int j = 1; j < 50; j++) {
            double t = m->times[i] + (m->times[i + 1] - m->times[i]) * j / 50;
            td_vec3 at = td_base_motion_at(m->position, NULL, t).position;
            for (int axis = 0; axis < 3; axis++) {
                double a = (&m->places[i].x)[axis], b = (&m->places[i + 1].x)[axis];
                double value = (&at.x)[axis];
                double beyond = fmax(value - fmax(a, b), fmin(a, b) - value);
                double beside = fabs(step_of(m, i - 1, axis)) + fabs(step_of(m, i + 1, axis));
                past = val_worse(beyond / beside, past);
            }
        }
    }
    add_row(report, m, "place", "past the keys, relative", past, 0.1);
}

void val_interpolation(val_report *report) {
    val_random random = {11};
    val_motion motions[] = {{.name = "held at the ends"},
                            {.name = "repeating", .repeat = true},
                            {.name = "about one axis", .one_axis = true},
                            {.name = "both", .repeat = true, .one_axis = true}};
    for (int i = 0; i < 4; i++) {
        open_motion(report, &random, &motions[i]);
        compare_differences(report, &random, &motions[i]);
        compare_sides(report, &motions[i]);
        compare_range(report, &motions[i]);
        close_motion(&motions[i]);
    }
}
