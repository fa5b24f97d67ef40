// SPDX-License-Identifier: MIT
// Random plants in storms.

#include "cases/storm.h"

#include <stdlib.h>

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
                           storm_solver solver) {
    td_body_opts opts = td_body_opts_default();
    td_status status;
    if (solver == STORM_ROD) {
        status = td_body_model_new(skeleton, "rod", NULL, NULL, &s->rod_model, &s->diag);
        return status == TD_OK ? td_body_new(s->rod_model, NULL, &s->rod, &s->diag) : status;
    }
    if (solver == STORM_HELIX) {
        status = td_body_model_new(skeleton, "helix", NULL, NULL, &s->helix_model, &s->diag);
        return status == TD_OK ? td_body_new(s->helix_model, NULL, &s->helix, &s->diag) : status;
    }
    opts.law = seed % 4 == 0 ? TD_LAW_TANGENT : TD_LAW_LINEAR;
    status = td_body_model_new(skeleton, "tree", &opts, NULL, &s->tree_model, &s->diag);
    return status == TD_OK ? td_body_new(s->tree_model, NULL, &s->tree, &s->diag) : status;
}

static td_status settle(storm *s) {
    return s->tree  ? td_body_settle(s->tree, &s->opts, NULL, &s->diag)
           : s->rod ? td_body_settle(s->rod, &s->opts, NULL, &s->diag)
                    : td_body_settle(s->helix, &s->opts, NULL, &s->diag);
}

td_status storm_open(storm *s, uint64_t seed, storm_solver solver, double speed, double dt) {
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
    status = status == TD_OK ? settle(s) : status;
    s->opts.air.quadratic = AIR_DRAG;
    s->opts.winds = s->winds;
    td_skeleton_free(skeleton);
    if (status != TD_OK) {
        storm_close(s);
    }
    return status;
}

void storm_close(storm *s) {
    td_body_free(s->tree);
    td_body_model_free(s->tree_model);
    td_body_free(s->rod);
    td_body_model_free(s->rod_model);
    td_body_free(s->helix);
    td_body_model_free(s->helix_model);
    td_wind_free(s->wind);
    free(s->points);
    free(s->winds);
}

static td_vec3 origin_of(const storm *s, int32_t segment) {
    return td_body_origin(s->tree ? s->tree : s->rod ? s->rod : s->helix, segment);
}

td_status storm_step(storm *s) {
    if (s->opts.winds) {
        for (int32_t i = 0; i < s->count; i++) {
            s->points[i] = origin_of(s, i);
        }
        td_wind_at(s->wind, &s->air, s->count, s->points, s->winds);
        td_wind_advance(s->wind, &s->air, s->opts.dt, s->mean);
        s->opts.air.wind = s->mean;
    }
    return s->tree  ? td_body_step(s->tree, &s->opts, &s->stats, &s->diag)
           : s->rod ? td_body_step(s->rod, &s->opts, &s->stats, &s->diag)
                    : td_body_step(s->helix, &s->opts, &s->stats, &s->diag);
}

void storm_calm(storm *s) {
    s->opts.winds = NULL;
    s->opts.air.wind = (td_vec3){0, 0, 0};
}

double storm_energy(storm *s) {
    td_energy e = s->tree  ? td_body_energy(s->tree, s->opts.gravity)
                  : s->rod ? td_body_energy(s->rod, s->opts.gravity)
                           : td_body_energy(s->helix, s->opts.gravity);
    return e.kinetic + e.elastic + e.weight;
}
