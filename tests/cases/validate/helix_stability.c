// SPDX-License-Identifier: MIT
// The case of largest stable steps of the published methods: figure 6 of the paper.
//
// Rods     1 m long, so soft that weight bends them much: Gamma = rho A g L^3/(E I), as the paper's
//          must be (stiffer ones need smaller steps by far in the recursive method).
// Motions  those of its figure 3: a level rod falls, and a hanging rod swings when its root goes to
//          and fro.
// Stable   means here that over two seconds every step succeeds and kinetic and elastic energy
//          together stay below three times what weight and root could give at most. The largest
//          stable step is the first in the row 1/24 s, and on by factors of 2^-1/2, with which also
//          the two next are stable.

#include "cases/validate/helix.h"

#include <math.h>

#define LENGTH  1.0   // m
#define RADIUS  0.005 // m
#define DENSITY 1000.0
#define GRAVITY 9.81
#define LARGEST (1.0 / 24) // s
#define SHORT   1e-4       // s: no smaller step is tried
#define TIME    2.0        // s

enum { MOST = 30 };

typedef struct rod_motion {
    const char *name;
    double gamma, damping; // s: friction over stiffness
    bool hangs;
    double way, frequency; // m, Hz: of the root
} rod_motion;

static double stiffness_of(double gamma) { // N m^2
    return DENSITY * VAL_PI * RADIUS * RADIUS * GRAVITY * LENGTH * LENGTH * LENGTH / gamma;
}

static void make_rod(val_report *report, const rod_motion *motion, int32_t count, val_body *helix) {
    td_helix_element e = td_helix_element_default();
    e.length = LENGTH / count;
    e.radius_base = e.radius_tip = RADIUS;
    e.density = DENSITY;
    e.bend_x = e.bend_z = stiffness_of(motion->gamma);
    e.damping_time = motion->damping;
    e.turn = motion->hangs ? val_hanging : val_level;
    val_helix_row(report, &e, count, helix);
}

// ---- linear theory --------------------------------------------------------------------------
// Small vibrations of a straight rod without weight. Curvatures q bend it to w = sum of phi_i q_i,
// and M q'' + K q = 0 with M = rho A int phi phi^T + rho I int phi' phi'^T. The recursive method
// eliminates from the tip with q'' = -K q/D, and then solves each own equation by (D + h^2 K).

typedef struct linear {
    int32_t n;
    double m[MOST][MOST]; // with the tip's unknowns eliminated: pivots D on the diagonal
    double k, h;
    double q[MOST], v[MOST];
} linear;

// Height and slope at x of a rod of which only element i is bent, by 1.
static void bent(const linear *l, int32_t i, double x, double *height, double *slope) {
    const double a = LENGTH / l->n, from = a * i, s = fmin(fmax(x - from, 0), a);
    *slope = s;
    *height = s * s / 2 + s * fmax(x - from - a, 0);
}

static void fill_masses(linear *l) {
    static const double points[3] = {0.1127016653792583, 0.5, 0.8872983346207417},
                        weights[3] = {5.0 / 18, 8.0 / 18, 5.0 / 18}; // Gauss: exact to degree 5
    const double a = LENGTH / l->n, mass = DENSITY * VAL_PI * RADIUS * RADIUS * a;
    for (int32_t i = 0; i < l->n; i++) {
        for (int32_t j = 0; j < l->n; j++) {
            l->m[i][j] = 0;
            for (int32_t p = 0; p < 3 * l->n; p++) {
                const double x = a * (p / 3 + points[p % 3]);
                double wi, wj, si, sj;
                bent(l, i, x, &wi, &si);
                bent(l, j, x, &wj, &sj);
                l->m[i][j] += mass * weights[p % 3] * (wi * wj + RADIUS * RADIUS / 4 * si * sj);
            }
        }
    }
    for (int32_t t = l->n - 1; t > 0; t--) {
        for (int32_t i = 0; i < t; i++) {
            for (int32_t j = 0; j < t; j++) {
                l->m[i][j] -= l->m[i][t] * l->m[t][j] / l->m[t][t];
            }
        }
    }
}

static void step_linear(linear *l) {
    double pull[MOST], accel[MOST];
    for (int32_t i = l->n - 1; i >= 0; i--) {
        pull[i] = 0;
        for (int32_t t = i + 1; t < l->n; t++) {
            pull[i] -= l->m[i][t] / l->m[t][t] * (pull[t] - l->k * l->q[t]);
        }
    }
    for (int32_t i = 0; i < l->n; i++) {
        double force = pull[i] - l->k * (l->q[i] + l->h * l->v[i]);
        for (int32_t j = 0; j < i; j++) {
            force -= l->m[i][j] * accel[j];
        }
        accel[i] = force / (l->m[i][i] + l->h * l->h * l->k);
    }
    for (int32_t i = 0; i < l->n; i++) {
        l->v[i] += l->h * accel[i];
        l->q[i] += l->h * l->v[i];
    }
}

// v^T M v + q^T K q: M is a sum of squares by its factors.
static double linear_energy(const linear *l) {
    double sum = 0;
    for (int32_t t = 0; t < l->n; t++) {
        double all = l->v[t];
        for (int32_t j = 0; j < t; j++) {
            all += l->m[t][j] / l->m[t][t] * l->v[j];
        }
        sum += l->m[t][t] * all * all + l->k * l->q[t] * l->q[t];
    }
    return sum;
}

enum { BEFORE = 1000, STEPS = 2000 };

static void disturb(int32_t count, double size, td_vec3 *u) {
    val_random random = {61};
    for (int32_t i = 0; i < count; i++) {
        u[i] = (td_vec3){val_uniform(&random, -size, size), 0, 0};
    }
}

// By what factor the fastest growing solution grows a step: its logarithm, the mean of many.
static double growth_theory(linear *l, double h) {
    td_vec3 u[MOST];
    double sum = 0;
    l->h = h;
    disturb(l->n, 1, u);
    for (int32_t i = 0; i < l->n; i++) {
        l->q[i] = u[i].x;
        l->v[i] = 0;
    }
    for (int k = 0; k < STEPS; k++) {
        step_linear(l);
        const double size = sqrt(linear_energy(l));
        for (int32_t i = 0; i < l->n; i++) {
            l->q[i] /= size;
            l->v[i] /= size;
        }
        sum += k < BEFORE ? 0 : log(size);
    }
    return sum / (STEPS - BEFORE);
}

// The same of a rod that is hardly bent; what is not a number when a step fails.
static double growth_found(val_body *helix, double h) {
    const td_helix_published recursive = {TD_HELIX_RECURSIVE, false};
    td_step_opts opts = td_step_opts_default();
    td_vec3 u[MOST];
    double begin = 0;
    opts.dt = h;
    opts.gravity.y = 0;
    disturb(helix->n, 1e-6, u);
    case_must(td_helix_set_curvatures(helix->state, u, NULL, NULL));
    for (int k = 0; k < STEPS; k++) {
        begin = k == BEFORE ? val_energy(helix, opts.gravity) : begin;
        if (td_helix_step_published(helix->state, &opts, recursive, NULL) != TD_OK) {
            return (double)NAN;
        }
    }
    return log(val_energy(helix, opts.gravity) / begin) / (2 * (STEPS - BEFORE));
}

// At the step at which vibrations grow by half a percent a step.
static void against_theory(val_report *report, int32_t count) {
    const rod_motion still = {"still", 1000, 0, false, 0, 0};
    linear l = {.n = count, .k = stiffness_of(still.gamma) * LENGTH / count};
    double h = SHORT;
    val_body helix;
    make_rod(report, &still, count, &helix);
    fill_masses(&l);
    while (growth_theory(&l, h) < 0.005) {
        h *= 1.1;
    }
    val_relative(report,
                 val_text(report, "growth at %.3g ms, recursive, small vibrations", 1e3 * h), count,
                 growth_found(&helix, h), growth_theory(&l, h), 1e-4);
    val_body_free(&helix);
}

// ---- motions --------------------------------------------------------------------------------

// The root goes to and fro; it is where it should be at the end of each step.
static td_base_motion root_at(const rod_motion *m, double t, double h) {
    const double w = 2 * VAL_PI * m->frequency;
    const double x = m->way * (1 - cos(w * t)), v = m->way * w * sin(w * t),
                 end = m->way * (1 - cos(w * (t + h)));
    return (td_base_motion){.position = {x, 0, 0},
                            .rotation = {1, 0, 0, 0},
                            .velocity = {v, 0, 0},
                            .acceleration = {2 * (end - x - h * v) / (h * h), 0, 0}};
}

static double energy_scale(const rod_motion *m) {
    const double mass = DENSITY * VAL_PI * RADIUS * RADIUS * LENGTH;
    const double speed = 2 * VAL_PI * m->frequency * m->way;
    return mass * (GRAVITY * LENGTH + speed * speed / 2);
}

typedef enum way { RECURSIVE, COMPOSITE, IMPLICIT } way;

static td_status step_once(val_body *helix, const td_step_opts *opts, way by) {
    const td_helix_published published = {by == COMPOSITE ? TD_HELIX_COMPOSITE : TD_HELIX_RECURSIVE,
                                          false};
    return by == IMPLICIT ? td_body_step(helix->state, opts, NULL, NULL)
                          : td_helix_step_published(helix->state, opts, published, NULL);
}

typedef struct run {
    double energy;       // the most, over the scale; HUGE_VAL when a step failed
    double acceleration; // 1/(m s^2), the most
} run;

static double change(const td_vec3 *a, const td_vec3 *b, int32_t count) {
    double most = 0;
    for (int32_t i = 0; i < count; i++) {
        most = fmax(most, hypot(a[i].x - b[i].x, a[i].z - b[i].z));
    }
    return most;
}

static run run_motion(val_report *report, val_body *helix, const rod_motion *m, double h, way by) {
    td_step_opts opts = td_step_opts_default();
    td_vec3 rate[2][MOST] = {{{0, 0, 0}}};
    run r = {0, 0};
    opts.dt = h;
    val_helix_restart(report, helix);
    const int64_t steps = (int64_t)ceil(TIME / h);
    for (int64_t k = 0; k < steps && r.energy < 3; k++) {
        if (m->way > 0) {
            const td_base_motion root = root_at(m, (double)k * h, h);
            case_must(td_body_set_base(helix->state, &root, NULL));
        }
        if (step_once(helix, &opts, by) != TD_OK) {
            return (run){HUGE_VAL, 0};
        }
        const td_energy e = td_body_energy(helix->state, opts.gravity);
        r.energy = val_worse((e.kinetic + e.elastic) / energy_scale(m), r.energy);
        td_helix_curvatures(helix->state, NULL, rate[k % 2]);
        r.acceleration = fmax(r.acceleration, change(rate[0], rate[1], helix->n) / h);
    }
    return r;
}

static bool is_stable(run r) {
    return r.energy < 3;
}

// The largest stable step and the accelerations that it came to.
static double largest_step(val_report *report, val_body *helix, const rod_motion *m, way by,
                           double *acceleration) {
    int stable = 0;
    double h = LARGEST, found = 0;
    for (; h > SHORT && stable < 3; h *= sqrt(0.5)) {
        const run r = run_motion(report, helix, m, h, by);
        stable = is_stable(r) ? stable + 1 : 0;
        if (stable == 1) {
            found = h;
            *acceleration = r.acceleration;
        }
    }
    return stable == 3 ? found : 0;
}

// One point of each curve of the figure, and the implicit step.
static void one_point(val_report *report, const rod_motion *m, int32_t count) {
    val_body helix;
    double acceleration = 0, other = 0;
    make_rod(report, m, count, &helix);
    const double a = largest_step(report, &helix, m, RECURSIVE, &acceleration),
                 b = largest_step(report, &helix, m, COMPOSITE, &other);
    val_not_above(report,
                  val_text(report, "%s, |u''| %.1e: steps %.3g, %.3g ms, ratio", m->name,
                           acceleration, 1e3 * a, 1e3 * b),
                  count, a > 0 && b > 0 ? a / b : (double)NAN, 2.5);
    val_at_most(report, val_text(report, "%s, implicit at 1/24 s, energy", m->name), count,
                run_motion(report, &helix, m, LARGEST, IMPLICIT).energy, 3);
    val_body_free(&helix);
}

void val_helix_stability(val_report *report) {
    static const int32_t counts[] = {1, 2, 5, 10, 20, 30};
    static const rod_motion left[] = {{"falls", 1000, 0.01, false, 0, 0},
                                      {"swings", 5e4, 0.01, true, 0.1, 0.5}},
                            right[] = {{"root at 0.5 Hz", 5e4, 0.01, true, 0.1, 0.5},
                                       {"root at 1 Hz", 5e4, 0.01, true, 0.1, 1},
                                       {"root at 2 Hz", 5e4, 0.01, true, 0.1, 2},
                                       {"root at 3 Hz", 5e4, 0.01, true, 0.1, 3}};
    for (int k = 3; k < 6; k++) {
        against_theory(report, counts[k]);
    }
    for (int k = 0; k < 12; k++) {
        val_progress(report, 0.2 + 0.05 * k);
        one_point(report, &left[k / 6], counts[k % 6]);
    }
    for (int k = 0; k < 4; k++) {
        val_progress(report, 0.8 + 0.05 * k);
        one_point(report, &right[k], 10);
    }
}
