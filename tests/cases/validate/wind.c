// SPDX-License-Identifier: MIT
// The case of wind: statistics of turbulence at points over 200 s, its divergence, and that it is
// carried along.

#include "cases/validate/validate.h"

#include <math.h>
#include <stdlib.h>

#define SECONDS 200
#define RATE    60 // steps a second
#define STEPS   (SECONDS * RATE)
#define SEEDS   10

typedef struct wind_case {
    double speed, intensity, length; // m/s, -, m
} wind_case;

// Velocities at some points over the time, less their mean.
enum { HERE, ASIDE, AHEAD, POINTS };

typedef struct series {
    td_vec3 u[POINTS][STEPS];
    td_vec3 mean[POINTS];
} series;

static const td_vec3 points[POINTS] = {{1, 2, 3}, {1, 2, 23}, {21, 2, 3}}; // 20 m apart

// ---- measuring ------------------------------------------------------------------------------

static void open_wind(val_report *report, const td_wind_def *def, td_wind **wind) {
    val_must(report, "wind", 0, td_wind_new(def, NULL, wind, &report->diag));
}

static void record(const td_wind *wind, double speed, series *s) {
    const td_vec3 mean = {speed, 0, 0};
    td_wind_state state = td_wind_start(mean);
    for (int p = 0; p < POINTS; p++) {
        s->mean[p] = (td_vec3){0, 0, 0};
    }
    for (int i = 0; i < STEPS; i++) {
        td_vec3 u[POINTS];
        td_wind_at(wind, &state, POINTS, points, u);
        td_wind_advance(wind, &state, 1.0 / RATE, mean);
        for (int p = 0; p < POINTS; p++) {
            s->u[p][i] = u[p];
            s->mean[p].x += u[p].x / STEPS;
            s->mean[p].y += u[p].y / STEPS;
            s->mean[p].z += u[p].z / STEPS;
        }
    }
    for (int p = 0; p < POINTS; p++) {
        for (int i = 0; i < STEPS; i++) {
            s->u[p][i].x -= s->mean[p].x;
            s->u[p][i].y -= s->mean[p].y;
            s->u[p][i].z -= s->mean[p].z;
        }
    }
}

// mean of the product of the components along the wind at two points, the second `lag` steps later
static double product(const series *s, int p, int q, int lag) {
    double sum = 0;
    for (int i = 0; i < STEPS - lag; i++) {
        sum += s->u[p][i].x * s->u[q][i + lag].x;
    }
    return sum / (STEPS - lag);
}

static double correlation(const series *s, int p, int q, int lag) {
    return product(s, p, q, lag) / sqrt(product(s, p, p, 0) * product(s, q, q, 0));
}

// speed times the integral of the correlation in time up to its first zero
static double integral_length(const series *s, double speed) {
    double sum = 0.5, variance = product(s, HERE, HERE, 0);
    for (int lag = 1; lag < STEPS / 2; lag++) {
        double c = product(s, HERE, HERE, lag) / variance;
        if (c < 0) {
            break;
        }
        sum += c;
    }
    return sum * speed / RATE;
}

// ---- statistics -----------------------------------------------------------------------------

// Of several seeds the value farthest from what is wanted; what is not a number stays.
static void keep_worst(double *worst, double got, double want) {
    bool nearer = fabs(got - want) <= fabs(*worst - want);
    *worst = nearer || isnan(*worst) ? *worst : got;
}

static void statistics(val_report *report, const wind_case *c, series *s) {
    double speed = c->speed, length = c->length, along = 0, beside = 0;
    double rms[3] = {c->intensity, c->intensity, c->intensity};
    for (int seed = 1; seed <= SEEDS; seed++) {
        td_wind_def def = td_wind_def_default();
        td_wind *wind = NULL;
        def.seed = (uint64_t)seed;
        def.intensity = c->intensity;
        def.length = c->length;
        open_wind(report, &def, &wind);
        record(wind, c->speed, s);
        td_wind_free(wind);
        double sum[3] = {0, 0, 0};
        for (int i = 0; i < STEPS; i++) {
            td_vec3 u = s->u[HERE][i];
            sum[0] += u.x * u.x / STEPS;
            sum[1] += u.y * u.y / STEPS;
            sum[2] += u.z * u.z / STEPS;
        }
        for (int k = 0; k < 3; k++) {
            keep_worst(&rms[k], sqrt(sum[k]) / c->speed, c->intensity);
        }
        keep_worst(&speed, s->mean[HERE].x, c->speed);
        keep_worst(&length, integral_length(s, c->speed), c->length);
        along = val_worse(fabs(correlation(s, HERE, AHEAD, 0)), along);
        beside = val_worse(fabs(correlation(s, HERE, ASIDE, 0)), beside);
        val_progress(report, (double)seed / SEEDS);
    }
    val_relative(report, "mean speed, m/s", SEEDS, speed, c->speed, 0.05);
    val_relative(report, "intensity along the wind", SEEDS, rms[0], c->intensity, 0.05);
    val_relative(report, "intensity upwards", SEEDS, rms[1], c->intensity, 0.05);
    val_relative(report, "intensity to the side", SEEDS, rms[2], c->intensity, 0.05);
    val_relative(report, "integral length, m", SEEDS, length, c->length, 0.2);
    val_at_most(report, "correlation of places 20 m apart along the wind", SEEDS, along, 0.5);
    val_at_most(report, "correlation of places 20 m apart across it", SEEDS, beside, 0.5);
}

// ---- divergence -----------------------------------------------------------------------------

// gradient of all components along one axis, by differences of fourth order
static td_vec3 gradient(const td_wind *wind, const td_wind_state *state, td_vec3 p, td_vec3 step) {
    td_vec3 at[4], u[4];
    for (int i = 0; i < 4; i++) {
        double k = i < 2 ? i - 2 : i - 1;
        at[i] = (td_vec3){p.x + k * step.x, p.y + k * step.y, p.z + k * step.z};
    }
    td_wind_at(wind, state, 4, at, u);
    double h = 12 * (step.x + step.y + step.z);
    return (td_vec3){(8 * (u[2].x - u[1].x) - (u[3].x - u[0].x)) / h,
                     (8 * (u[2].y - u[1].y) - (u[3].y - u[0].y)) / h,
                     (8 * (u[2].z - u[1].z) - (u[3].z - u[0].z)) / h};
}

// largest over the rms of the gradient's nine entries together
static void divergence(val_report *report) {
    enum { PLACES = 2000 };
    val_random random = {5};
    td_wind_def def = td_wind_def_default();
    td_wind *wind = NULL;
    open_wind(report, &def, &wind);
    const double h = 1e-4 * def.length;
    double most = 0, sum = 0;
    td_wind_state state = td_wind_start((td_vec3){5, 0, 0});
    td_wind_advance(wind, &state, 100, state.mean);
    for (int i = 0; i < PLACES; i++) {
        td_vec3 p = val_in_ball(&random, 50);
        td_vec3 x = gradient(wind, &state, p, (td_vec3){h, 0, 0});
        td_vec3 y = gradient(wind, &state, p, (td_vec3){0, h, 0});
        td_vec3 z = gradient(wind, &state, p, (td_vec3){0, 0, h});
        most = val_worse(fabs(x.x + y.y + z.z), most);
        sum += x.x * x.x + x.y * x.y + x.z * x.z + y.x * y.x + y.y * y.y + y.z * y.z + z.x * z.x +
               z.y * z.y + z.z * z.z;
    }
    td_wind_free(wind);
    val_at_most(report, "divergence of turbulence over its gradient", PLACES,
                most / sqrt(sum / PLACES), 1e-6);
}

// ---- carried along --------------------------------------------------------------------------

// gusts at a place 20 m down the wind are those of here, 20 m over the speed later
static void carried(val_report *report, series *s) {
    const double speed = 5;
    td_wind_def def = td_wind_def_default();
    td_wind *wind = NULL;
    def.intensity = 0.02;
    def.gust = 0.5;
    open_wind(report, &def, &wind);
    record(wind, speed, s);
    td_wind_free(wind);
    val_absolute(report, "correlation of gusts with those upwind, earlier", STEPS,
                 correlation(s, HERE, AHEAD, (int)(20 / speed * RATE)), 1, 0.05);
}

void val_wind(val_report *report) {
    static const wind_case cases[] = {{5, 0.2, 4}, {10, 0.1, 2}, {10, 0.3, 6}};
    series *s = val_memory(report, "wind", 1, sizeof *s);
    for (int i = 0; i < 3; i++) {
        statistics(report, &cases[i], s);
    }
    divergence(report);
    carried(report, s);
    free(s);
    val_wind_stem(report);
}
