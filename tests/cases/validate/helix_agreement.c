// SPDX-License-Identifier: MIT
// The case in which trees, rods and helices are held against each other: a soft cantilever at rest
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

// One strand by one of the solvers.
typedef struct strand {
    int solver;
    val_tree tree;
    val_strand rod;
    val_helix helix;
    int32_t n;
} strand;

// rho A g l^3/(E I) = 10: it hangs down by two thirds of its length.
static val_rod soft_beam(int32_t count) {
    val_rod beam = val_thesis_beam(count);
    beam.young = beam.density * 9.81 * 4 / (beam.radius * beam.radius) / 10;
    return beam;
}

static bool strand_open(val_report *report, int solver, int32_t count, strand *s) {
    const val_rod beam = soft_beam(count);
    *s = (strand){.solver = solver, .n = count};
    switch (solver) {
    case TREE: return val_rod_build(report, &beam, &s->tree);
    case ROD: return val_strand_beam(report, &beam, true, &s->rod);
    default: return val_helix_beam(report, &beam, &s->helix);
    }
}

static void strand_free(strand *s) {
    val_tree_free(&s->tree);
    val_strand_free(&s->rod);
    val_helix_free(&s->helix);
}

static td_vec3 strand_tip(const strand *s) {
    return s->solver == TREE  ? td_body_tip(s->tree.state, s->n - 1)
           : s->solver == ROD ? td_body_tip(s->rod.state, s->n - 1)
                              : val_helix_tip(&s->helix);
}

static bool strand_step(val_report *report, strand *s, const td_step_opts *opts) {
    static const char quantity[] = "a strand that falls";
    return s->solver == TREE  ? val_step(report, &s->tree, opts, quantity)
           : s->solver == ROD ? val_strand_step(report, &s->rod, opts, quantity)
                              : val_helix_step(report, &s->helix, opts, quantity);
}

static bool strand_settle(val_report *report, strand *s, const td_step_opts *opts) {
    static const char quantity[] = "a strand at rest";
    return s->solver == TREE  ? val_settle(report, &s->tree, opts, quantity)
           : s->solver == ROD ? val_strand_settle(report, &s->rod, opts, quantity)
                              : val_helix_settle(report, &s->helix, opts, quantity);
}

static bool strand_frequency(val_report *report, strand *s, double *frequency) {
    static const char quantity[] = "first frequency";
    const td_vec3 weightless = {0, 0, 0};
    td_mode mode = {0};
    bool fine;
    if (s->solver == TREE) {
        td_diag diag = {.message = ""};
        td_status status = td_body_modes(s->tree.state, weightless, 1, &mode, &diag);
        fine = status == TD_OK;
        if (!fine) {
            val_fault(report, quantity, s->n, status, &diag);
        }
    } else if (s->solver == ROD) {
        fine = val_strand_modes(report, &s->rod, 1, &mode, NULL, quantity);
    } else {
        fine = val_helix_modes(report, &s->helix, weightless, 1, &mode, quantity);
    }
    *frequency = mode.frequency;
    return fine;
}

// Straight it has no weight for its frequency; then it is let go, and at last put to rest.
static bool follow(val_report *report, int solver, int32_t count, path *p) {
    td_step_opts opts = td_step_opts_default();
    strand s;
    if (!strand_open(report, solver, count, &s)) {
        return false;
    }
    bool fine = strand_frequency(report, &s, &p->frequency);
    opts.dt = 0.1 / EVERY;
    opts.tolerance = 1e-6;
    for (int32_t i = 0; fine && i < TIMES * EVERY; i++) {
        fine = strand_step(report, &s, &opts);
        p->fall[i / EVERY] = strand_tip(&s);
    }
    fine = fine && strand_settle(report, &s, &opts);
    p->rest = strand_tip(&s);
    strand_free(&s);
    return fine;
}

static td_vec3 limit_of(td_vec3 coarse, td_vec3 fine) {
    return (td_vec3){(4 * fine.x - coarse.x) / 3, (4 * fine.y - coarse.y) / 3,
                     (4 * fine.z - coarse.z) / 3};
}

static bool follow_limit(val_report *report, int solver, path *p) {
    static const int32_t pieces[SOLVERS] = {40, 40, 20};
    path coarse, fine;
    if (!follow(report, solver, pieces[solver], &coarse) ||
        !follow(report, solver, 2 * pieces[solver], &fine)) {
        return false;
    }
    for (int k = 0; k < TIMES; k++) {
        p->fall[k] = limit_of(coarse.fall[k], fine.fall[k]);
    }
    p->rest = limit_of(coarse.rest, fine.rest);
    p->frequency = (4 * fine.frequency - coarse.frequency) / 3;
    return true;
}

// ---- a curl ---------------------------------------------------------------------------------

enum { CURL_EDGES = 200 };

// The tip of the curl of helix-statics as a rod, whose vertices lie on it.
static bool rod_curl(val_report *report, int32_t edges, td_vec3 *tip) {
    const td_helix_element e = val_helix_curl(1);
    td_vec3 points[CURL_EDGES + 1];
    td_rod_def def = td_rod_def_default();
    td_step_opts opts = td_step_opts_default();
    val_helix helix;
    val_strand rod;
    if (!val_helix_new(report, &e, 1, &helix)) {
        return false;
    }
    for (int32_t k = 0; k <= edges; k++) {
        points[k] = td_helix_place(helix.state, 0, (double)k / edges);
    }
    val_helix_free(&helix);
    def.vertex_count = edges + 1;
    def.points = points;
    def.start = TD_END_CLAMPED;
    def.bend_x = e.bend_x;
    def.bend_z = e.bend_z;
    def.twist_y = e.twist_y;
    def.mass = e.mass;
    def.stretch = 1e5; // its weight stretches it by 5e-5
    if (!val_strand_new(report, &def, NULL, &rod)) {
        return false;
    }
    opts.gravity = (td_vec3){0, 0, -5};
    bool fine = val_strand_settle(report, &rod, &opts, "curl at rest as a rod");
    *tip = td_body_tip(rod.state, edges - 1);
    val_strand_free(&rod);
    return fine;
}

static void curl_of_rods(val_report *report) {
    const td_vec3 known = {0.2951146, 0.0825297, -0.2310948};
    td_vec3 coarse, fine;
    if (rod_curl(report, CURL_EDGES / 2, &coarse) && rod_curl(report, CURL_EDGES, &fine)) {
        const td_vec3 limit = limit_of(coarse, fine);
        val_at_most(report, "curl at rest over l, rods less the limit of helices", CURL_EDGES,
                    val_tips_apart(&limit, &known, 1), 1e-3);
    }
}

void val_helix_agreement(val_report *report) {
    static const char *const others[] = {"trees", "rods"};
    path p[SOLVERS];
    for (int k = 0; k < SOLVERS; k++) {
        if (!follow_limit(report, k, &p[k])) {
            return;
        }
    }
    for (int k = 0; k < HELIX; k++) {
        char text[64];
        snprintf(text, sizeof text, "tip at rest over l, helices less %s", others[k]);
        val_at_most(report, text, 40, val_tips_apart(&p[HELIX].rest, &p[k].rest, 1), 1e-3);
        snprintf(text, sizeof text, "first frequency, Hz, helices against %s", others[k]);
        val_relative(report, text, 40, p[HELIX].frequency, p[k].frequency, 1e-3);
        snprintf(text, sizeof text, "tip over l in 2 s of falling, helices less %s", others[k]);
        val_at_most(report, text, TIMES, val_tips_apart(p[HELIX].fall, p[k].fall, TIMES), 1e-3);
    }
    curl_of_rods(report);
}
