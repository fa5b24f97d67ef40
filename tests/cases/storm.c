// SPDX-License-Identifier: MIT
// Random plants in storms.

#include "cases/storm.h"

#include <stdlib.h>
#include <string.h>

#define AIR_DRAG 0.6 // N s^2/m^4: half the density of air, with a drag coefficient of 1

static td_status open_wind(storm *s, uint64_t seed, double speed) {
    td_wind_def def = td_wind_def_default();
    def.seed = seed;
    def.intensity = 0.2;
    def.length = 2;
    def.gust = 0.3;
    def.gust_length = 10;
    s->mean = (td_vec3){speed, 0, 0};
    s->air = td_wind_start(s->mean);
    return td_wind_new(&def, NULL, &s->wind, &s->diag);
}

static td_status open_body(storm *s, const td_skeleton *skeleton, uint64_t seed,
                           const char *solver) {
    td_body_opts opts = td_body_opts_default();
    if (seed % 4 == 0 && strcmp(solver, "tree") == 0) {
        opts.law = TD_LAW_TANGENT;
    }
    td_status status = td_body_model_new(skeleton, solver, &opts, NULL, &s->model, &s->diag);
    return status == TD_OK ? td_body_new(s->model, NULL, &s->body, &s->diag) : status;
}

td_status storm_open(storm *s, uint64_t seed, const char *solver, double speed, double dt) {
    td_skeleton *skeleton = NULL;
    *s = (storm){.opts = td_step_opts_default()};
    s->opts.dt = dt;
    td_status status = storm_plant_new(seed, &skeleton, &s->diag);
    if (status == TD_OK) {
        s->count = td_skeleton_count(skeleton);
        s->points = malloc((size_t)s->count * sizeof *s->points);
        s->winds = malloc((size_t)s->count * sizeof *s->winds);
        status = s->points && s->winds ? open_body(s, skeleton, seed, solver) : TD_ERR_MEMORY;
    }
    status = status == TD_OK ? open_wind(s, seed, speed) : status;
    status = status == TD_OK ? td_body_settle(s->body, &s->opts, NULL, &s->diag) : status;
    s->opts.air.quadratic = AIR_DRAG;
    s->opts.winds = s->winds;
    td_skeleton_free(skeleton);
    if (status != TD_OK) {
        storm_close(s);
    }
    return status;
}

void storm_close(storm *s) {
    td_body_free(s->body);
    td_body_model_free(s->model);
    td_wind_free(s->wind);
    free(s->points);
    free(s->winds);
}

td_status storm_step(storm *s) {
    if (s->opts.winds) {
        for (int32_t i = 0; i < s->count; i++) {
            s->points[i] = td_body_origin(s->body, i);
        }
        td_wind_at(s->wind, &s->air, s->count, s->points, s->winds);
        td_wind_advance(s->wind, &s->air, s->opts.dt, s->mean);
        s->opts.air.wind = s->mean;
    }
    return td_body_step(s->body, &s->opts, &s->stats, &s->diag);
}

void storm_calm(storm *s) {
    s->opts.winds = NULL;
    s->opts.air.wind = (td_vec3){0, 0, 0};
}

double storm_energy(storm *s) {
    td_energy e = td_body_energy(s->body, s->opts.gravity);
    return e.kinetic + e.elastic + e.weight;
}
