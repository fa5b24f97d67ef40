// SPDX-License-Identifier: MIT
// The case that compares trees, rods and helices with each other: a soft cantilever at rest
// under its weight, its first frequency, and its fall; and a curl at rest. Each is taken to its
// limit for many pieces: all three converge with the square of a piece, so that from n and 2n
// pieces it is (4 fine - coarse)/3.

#include "cases/validate/helix.h"
#include "cases/validate/rod.h"

#include <math.h>

enum { TREE, ROD, HELIX, SOLVERS, TIMES = 20, EVERY = 24 };

// Where a solver's tip is at rest and as it falls, every tenth of a second, over the length; and
// its first frequency, Hz.
typedef struct path {
    td_vec3 rest, fall[TIMES];
    double frequency;
} path;

// rho A g l^3/(E I) = 10: it hangs down by two thirds of its length.
static val_rod soft_beam(int32_t count) {
    val_rod beam = val_thesis_beam(count);
    beam.young = beam.density * 9.81 * 4 / (beam.radius * beam.radius) / 10;
    return beam;
}

// The frequency is measured straight, without weight. Then the beam is released, and settled.
static void follow(val_report *report, const char *solver, int32_t count, path *p) {
    const val_rod beam = soft_beam(count);
    td_step_opts opts = td_step_opts_default();
    td_mode mode = {0};
    val_body body;
    val_beam_open(report, solver, &beam, &body);
    val_modes(report, &body, (td_vec3){0, 0, 0}, 1, &mode, "first frequency");
    p->frequency = mode.frequency;
    opts.dt = 0.1 / EVERY;
    opts.tolerance = 1e-6;
    for (int32_t i = 0; i < TIMES * EVERY; i++) {
        val_step(report, &body, &opts, "a strand that falls");
        p->fall[i / EVERY] = val_tip(&body);
    }
    val_settle(report, &body, &opts, "a strand at rest");
    p->rest = val_tip(&body);
    val_body_free(&body);
}

static td_vec3 limit_of(td_vec3 coarse, td_vec3 fine) {
    return td_vec3_lerp(coarse, fine, 4.0 / 3);
}

static void follow_limit(val_report *report, int solver, path *p) {
    static const int32_t pieces[SOLVERS] = {40, 40, 20};
    static const char *const names[SOLVERS] = {"tree", "inextensible rod", "helix"};
    path coarse, fine;
    follow(report, names[solver], pieces[solver], &coarse);
    follow(report, names[solver], 2 * pieces[solver], &fine);
    for (int k = 0; k < TIMES; k++) {
        p->fall[k] = limit_of(coarse.fall[k], fine.fall[k]);
    }
    p->rest = limit_of(coarse.rest, fine.rest);
    p->frequency = (4 * fine.frequency - coarse.frequency) / 3;
}

// ---- a curl ---------------------------------------------------------------------------------

enum { CURL_EDGES = 200 };

// The tip of the curl of helix-statics as a rod, whose vertices lie on it.
static void rod_curl(val_report *report, int32_t edges, td_vec3 *tip) {
    const td_helix_element e = val_helix_curl(1);
    td_vec3 points[CURL_EDGES + 1];
    td_rod_def def = td_rod_def_default();
    td_step_opts opts = td_step_opts_default();
    val_body helix;
    val_body rod;
    val_helix_new(report, &e, 1, &helix);
    for (int32_t k = 0; k <= edges; k++) {
        points[k] = td_helix_place(helix.state, 0, (double)k / edges);
    }
    val_body_free(&helix);
    def.vertex_count = edges + 1;
    def.points = points;
    def.start = TD_END_CLAMPED;
    def.bend_x = e.bend_x;
    def.bend_z = e.bend_z;
    def.twist_y = e.twist_y;
    def.mass = e.mass;
    def.stretch = 1e5; // its weight stretches it by 5e-5
    val_strand_new(report, &def, NULL, &rod);
    opts.gravity = (td_vec3){0, 0, -5};
    val_settle(report, &rod, &opts, "curl at rest as a rod");
    *tip = td_body_tip(rod.state, edges - 1);
    val_body_free(&rod);
}

static void curl_of_rods(val_report *report) {
    const td_vec3 known = {0.2951146, 0.0825297, -0.2310948};
    td_vec3 coarse, fine;
    rod_curl(report, CURL_EDGES / 2, &coarse);
    rod_curl(report, CURL_EDGES, &fine);
    const td_vec3 limit = limit_of(coarse, fine);
    val_at_most(report, "curl at rest over l, rods less the limit of helices", CURL_EDGES,
                td_vec3_distance(limit, known), 1e-3);
}

void val_helix_agreement(val_report *report) {
    static const char *const others[] = {"trees", "rods"};
    path p[SOLVERS];
    for (int k = 0; k < SOLVERS; k++) {
        follow_limit(report, k, &p[k]);
    }
    for (int k = 0; k < HELIX; k++) {
        val_at_most(report, val_text(report, "tip at rest over l, helices less %s", others[k]), 40,
                    td_vec3_distance(p[HELIX].rest, p[k].rest), 1e-3);
        val_relative(report, val_text(report, "first frequency, Hz, helices against %s", others[k]),
                     40, p[HELIX].frequency, p[k].frequency, 1e-3);
        val_at_most(report,
                    val_text(report, "tip over l in 2 s of falling, helices less %s", others[k]),
                    TIMES, val_tips_apart(p[HELIX].fall, p[k].fall, TIMES), 1e-3);
    }
    curl_of_rods(report);
}
