// SPDX-License-Identifier: MIT
// A plant twice in the same motion: whole and reduced.

#include "cases/reduce_motion.h"

#include "cases/bench/bench.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DT      (1.0 / 60) // s
#define RISE    2.5        // s: of the wind
#define PULL    1.4        // s: until the hand is where it goes
#define RELEASE 1.8        // s
#define SHAKE   12.0       // rad/s
#define LINKS   30         // of the pendulum

const reduce_case reduce_willow = {.name = "willow in gusts",
                                   .path = "../scenes/plants/weeping-willow.lsys",
                                   .steps = -1,
                                   .wind = 5},
                  reduce_palm = {.name = "palm in wind",
                                 .path = "../scenes/plants/palm.lsys",
                                 .steps = -1,
                                 .wind = 6},
                  reduce_jungle = {.name = "jungle tree in wind",
                                   .path = "../scenes/plants/jungle-tree.lsys",
                                   .steps = -1,
                                   .wind = 3.2},
                  reduce_orchid = {.name = "orchid pulled",
                                   .path = "../scenes/plants/orchid.lsys",
                                   .steps = -1,
                                   .relaxation = 0.012,
                                   .pulled = true},
                  reduce_oak = {.name = "oak shaken at one branch",
                                .path = "../scenes/plants/young-oak.lsys",
                                .steps = 12,
                                .relaxation = 0.01,
                                .shaken = true},
                  reduce_pendulum = {.name = "pendulum of 30 links", .relaxation = 0.02};

// ---- making ---------------------------------------------------------------------------------

static bool told(reduce_motion *m, const char *what) {
    if (m->diag.message[0] == '\0') {
        snprintf(m->diag.message, sizeof m->diag.message, "%s", what);
    }
    return false;
}

// Springy links, which hang; it starts level.
static bool make_pendulum(reduce_motion *m) {
    td_builder *builder = NULL;
    const td_skeleton_opts opts = td_skeleton_opts_default();
    td_status status = td_builder_new(&opts, NULL, &builder, NULL);
    for (int32_t i = 0; i < LINKS && status == TD_OK; i++) {
        td_segment_def def = td_segment_def_default();
        def.parent = i - 1;
        def.length = 0.1;
        def.radius_base = def.radius_tip = 0.01;
        if (i == 0) {
            def.rest = (td_quat){sqrt(0.5), 0, 0, -sqrt(0.5)};
        }
        def.has_stiffness = def.has_damping = true;
        def.stiffness = (td_vec3){0.5, 0.5, 0.5};
        status = td_builder_add(builder, &def, NULL, &m->diag);
    }
    status = status == TD_OK ? td_builder_finish(builder, &m->grown.skeleton, &m->diag) : status;
    td_builder_free(builder);
    const td_body_opts tree = td_body_opts_default();
    status = status == TD_OK ? td_body_model_new(m->grown.skeleton, "tree", &tree, NULL,
                                                 &m->grown.model, &m->diag)
                             : status;
    return status == TD_OK && td_body_new(m->grown.model, NULL, &m->grown.state, &m->diag) == TD_OK;
}

static bool grow(reduce_motion *m) {
    bench_files files = bench_beside(m->of->path);
    const bool fine = files.count > 0 && case_plant_open(files.paths[0], m->of->steps, &m->grown);
    bench_files_free(&files);
    return fine || told(m, "the plant is not beside the command, in ../scenes/plants");
}

// Drawn as it hangs, and damped as the case says.
static bool make_model(reduce_motion *m) {
    const td_vec3 down = td_step_opts_default().gravity;
    td_body_model *rest = NULL;
    td_damping_opts damping = td_damping_opts_default();
    td_status status =
        m->of->path ? td_tree_model_rest_new(m->grown.state, down, NULL, &rest, &m->diag) : TD_OK;
    m->model = rest;
    if (status == TD_OK && m->of->relaxation > 0) {
        td_body *state = NULL;
        damping.kind = TD_DAMPING_TIME;
        damping.value = m->of->relaxation;
        status = td_body_new(rest ? rest : m->grown.model, NULL, &state, &m->diag);
        status = status == TD_OK
                     ? td_tree_model_damped_new(state, &damping, NULL, &m->model, &m->diag)
                     : status;
        td_body_free(state);
        if (status == TD_OK) {
            td_body_model_free(rest);
        }
    }
    return status == TD_OK || told(m, "no model");
}

static bool take_memory(reduce_motion *m) {
    const size_t n = (size_t)m->count;
    m->start = calloc(3 * n, sizeof *m->start);
    m->points = m->start ? m->start + n : NULL;
    m->winds = m->start ? m->start + 2 * n : NULL;
    for (int32_t i = 0; m->start && i < m->count; i++) {
        m->start[i] = td_body_tip(m->full, i);
    }
    return m->start || told(m, "out of memory");
}

static bool make_wind(reduce_motion *m) {
    td_wind_def def = td_wind_def_default();
    def.intensity = 0.25;
    def.length = 2.5;
    def.gust = 0.8;
    def.gust_length = 14;
    m->air = td_wind_start((td_vec3){0.2 * m->of->wind, 0, 0});
    m->opts.air.quadratic = m->of->wind > 0 ? 0.6 : 0;
    return m->of->wind == 0 || td_wind_new(&def, NULL, &m->wind, &m->diag) == TD_OK;
}

// At the tip that is farthest from the trunk.
static void make_hand(reduce_motion *m) {
    double most = -1;
    for (int32_t i = 0; i < m->count; i++) {
        const td_vec3 x = m->start[i];
        if (x.x * x.x + x.z * x.z > most) {
            most = x.x * x.x + x.z * x.z;
            m->hold = x;
            m->hand.segment = i;
        }
    }
    m->hand.kind = TD_LOAD_SPRING;
    m->hand.stiffness = 60;
    m->hand.damping = 0.2;
}

bool reduce_motion_open(reduce_motion *m, const reduce_case *of, const td_reduce_opts *opts) {
    *m = (reduce_motion){.of = of, .opts = td_step_opts_default(), .diag = {.message = ""}};
    m->opts.dt = DT;
    if (!(of->path ? grow(m) : make_pendulum(m)) || !make_model(m) ||
        td_body_new(m->model, NULL, &m->full, &m->diag) != TD_OK ||
        td_reduced_new(m->model, opts, NULL, &m->reduced, &m->diag) != TD_OK) {
        return told(m, "no tree");
    }
    m->count = td_body_segment_count(m->model);
    if (!take_memory(m) || !make_wind(m)) {
        return false;
    }
    make_hand(m);
    return true;
}

void reduce_motion_close(reduce_motion *m) {
    td_wind_free(m->wind);
    td_body_free(m->reduced);
    td_body_free(m->full);
    td_body_model_free(m->model);
    case_plant_free(&m->grown);
    free(m->start);
    *m = (reduce_motion){.of = NULL};
}

// ---- steps ----------------------------------------------------------------------------------

static void blow(reduce_motion *m) {
    const double rise = m->time < RISE ? m->time / RISE : 1;
    const td_vec3 mean = {m->of->wind * (0.2 + 0.8 * rise), 0, 0.2 * m->of->wind};
    for (int32_t i = 0; i < m->count; i++) {
        m->points[i] = td_body_origin(m->full, i);
    }
    td_wind_at(m->wind, &m->air, m->count, m->points, m->winds);
    td_wind_advance(m->wind, &m->air, DT, mean);
    m->opts.air.wind = mean;
    m->opts.winds = m->winds;
}

static void act(reduce_motion *m) {
    const double t = m->time, way = m->of->shaken ? sin(SHAKE * t) : t < PULL ? t / PULL : 1;
    const bool acts = m->of->shaken || (m->of->pulled && t < RELEASE);
    m->hand.vector = m->hold;
    m->hand.vector.x += (m->of->shaken ? 0.05 : 0.16) * way;
    m->hand.vector.y -= (m->of->shaken ? 0 : 0.12) * way;
    m->opts.loads = &m->hand;
    m->opts.load_count = acts ? 1 : 0;
}

static double square(td_vec3 a, td_vec3 b) {
    return (a.x - b.x) * (a.x - b.x) + (a.y - b.y) * (a.y - b.y) + (a.z - b.z) * (a.z - b.z);
}

static void compare(reduce_motion *m) {
    td_body *whole = m->reduced;
    const td_reduce_stats stats = td_reduced_get_stats(m->reduced);
    double error = 0, moved = 0;
    for (int32_t i = 0; i < m->count; i++) {
        const td_vec3 x = td_body_tip(m->full, i);
        error += square(x, td_body_tip(whole, i));
        moved += square(x, m->start[i]);
    }
    m->error += error / m->count;
    m->moved += moved / m->count;
    m->estimate += stats.estimate * stats.estimate;
    m->joints += stats.joints;
    m->looks++;
}

bool reduce_motion_step(reduce_motion *m) {
    m->time += DT;
    act(m);
    if (m->wind) {
        blow(m);
    }
    td_status status = td_body_step(m->full, &m->opts, NULL, &m->diag);
    status = status == TD_OK ? td_body_step(m->reduced, &m->opts, NULL, &m->diag) : status;
    compare(m);
    return status == TD_OK;
}
