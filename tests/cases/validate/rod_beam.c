// SPDX-License-Identifier: MIT
// Cases of rods that bend as beams do: droop, large bending, vibration, buckling. The figures are
// those of the tree's cases, and the two solvers are held against each other.

#include "cases/validate/rod.h"

#include <math.h>
#include <stdlib.h>

#define GRAVITY 9.81

static const td_vec3 weightless = {0, 0, 0};

// ---- making ---------------------------------------------------------------------------------

bool val_strand_new(val_report *report, const td_rod_def *def, const td_rod_body *body,
                    val_strand *strand) {
    td_diag diag = {.message = ""};
    *strand = (val_strand){.n = def->closed ? def->vertex_count : def->vertex_count - 1};
    td_status status = td_rod_model_new(def, 1, body, body != NULL, NULL, &strand->model, &diag);
    if (status == TD_OK) {
        status = td_body_new(strand->model, NULL, &strand->state, &diag);
    }
    if (status != TD_OK) {
        val_fault(report, "building a rod", strand->n, status, &diag);
        val_strand_free(strand);
    }
    return status == TD_OK;
}

void val_strand_free(val_strand *strand) {
    td_body_free(strand->state);
    td_body_model_free(strand->model);
    *strand = (val_strand){.model = NULL};
}

bool val_strand_beam(val_report *report, const val_rod *beam, bool inextensible,
                     val_strand *strand) {
    td_vec3 *points = calloc((size_t)beam->count + 1, sizeof *points);
    td_rod_def def = td_rod_def_default();
    for (int32_t k = 0; points && k <= beam->count; k++) {
        points[k].x = beam->length * k / beam->count;
    }
    def.vertex_count = beam->count + 1;
    def.points = points;
    def.radius = beam->radius;
    def.young = beam->young;
    def.poisson = beam->poisson;
    def.density = beam->density;
    def.start = TD_END_CLAMPED;
    def.inextensible = inextensible;
    bool fine = val_strand_new(report, &def, NULL, strand);
    free(points);
    return fine;
}

static bool finish(val_report *report, const val_strand *strand, const char *quantity,
                   td_status status, const td_diag *diag) {
    if (status != TD_OK) {
        val_fault(report, quantity, strand->n, status, diag);
    }
    return status == TD_OK;
}

bool val_strand_step(val_report *report, val_strand *strand, const td_step_opts *opts,
                     const char *quantity) {
    td_diag diag = {.message = ""};
    td_status status = td_body_step(strand->state, opts, NULL, &diag);
    return finish(report, strand, quantity, status, &diag);
}

bool val_strand_settle(val_report *report, val_strand *strand, const td_step_opts *opts,
                       const char *quantity) {
    td_diag diag = {.message = ""};
    td_step_stats stats = {0};
    td_status status = td_body_settle(strand->state, opts, &stats, &diag);
    if (status == TD_OK && stats.unconverged > 0) {
        status = TD_ERR_DIVERGED;
        snprintf(diag.message, sizeof diag.message, "no pose at rest was found in %lld iterations",
                 (long long)stats.iterations);
    }
    return finish(report, strand, quantity, status, &diag);
}

bool val_strand_modes(val_report *report, val_strand *strand, int32_t count, td_mode *modes,
                      double *shapes, const char *quantity) {
    td_diag diag = {.message = ""};
    td_status status = td_rod_modes(strand->state, weightless, count, modes, shapes, &diag);
    return finish(report, strand, quantity, status, &diag);
}

static td_vec3 tip_of(const val_strand *strand) {
    return td_body_tip(strand->state, (int32_t)strand->n - 1);
}

// ---- cantilever -----------------------------------------------------------------------------

// Droop of the tip by statics, and, when asked for, by stepping from the straight pose.
static bool droop(val_report *report, const val_rod *beam, double *still, double *stepped) {
    val_strand strand;
    td_step_opts opts = td_step_opts_default();
    if (!val_strand_beam(report, beam, false, &strand)) {
        return false;
    }
    bool fine = val_strand_settle(report, &strand, &opts, "droop");
    *still = fine ? -tip_of(&strand).y : 0;
    if (fine && stepped) {
        td_body_reset(strand.state, NULL);
        for (int32_t i = 0; fine && i < 1200; i++) {
            fine = val_strand_step(report, &strand, &opts, "droop by stepping");
        }
        *stepped = -tip_of(&strand).y;
    }
    val_strand_free(&strand);
    return fine;
}

static bool tree_droop(val_report *report, const val_rod *beam, double *still) {
    val_tree tree;
    td_step_opts opts = td_step_opts_default();
    if (!val_rod_build(report, beam, &tree)) {
        return false;
    }
    bool fine = val_settle(report, &tree, &opts, "droop");
    *still = fine ? -td_body_tip(tree.state, beam->count - 1).y : 0;
    val_tree_free(&tree);
    return fine;
}

void val_rod_cantilever(val_report *report) {
    static const struct {
        int32_t n;
        double limit;
    } table[] = {{10, 0.011}, {25, 0.011}, {100, 0.0002}, {250, 0.0002}, {500, 0.0002}};
    double still = (double)NAN, stepped, tree, y[3] = {0, 0, 0};
    bool fine = true;
    for (int k = 0; k < 5; k++) {
        val_rod beam = val_thesis_beam(table[k].n);
        // w l^4/(8 E I), w = rho A g and A/I = 4/r^2
        double theory = beam.density * GRAVITY * 4 / (beam.radius * beam.radius) / (8 * beam.young);
        val_progress(report, k / 6.0);
        if (droop(report, &beam, &still, &stepped)) {
            val_relative(report, "droop, m", beam.count, still, theory, table[k].limit);
            val_relative(report, "droop, m, stepping at 1/60 s", beam.count, stepped, still, 1e-6);
        }
        if (beam.count == 100 && tree_droop(report, &beam, &tree)) {
            val_relative(report, "droop, m, against that of the tree", 100, still, tree, 0.005);
        }
    }
    for (int k = 0; k < 3; k++) {
        val_rod beam = val_thesis_beam(10 << k);
        fine = fine && droop(report, &beam, &y[k], NULL);
    }
    if (fine) {
        val_absolute(report, "order of convergence", 40, log2((y[0] - y[1]) / (y[1] - y[2])), 2,
                     0.1);
    }
}

// ---- elastica -------------------------------------------------------------------------------

// (axial, transverse)/l of a beam of `count` edges under the load
static bool bend_beam(val_report *report, int32_t count, double alpha, double *axial,
                      double *transverse) {
    val_rod beam = val_thesis_beam(count);
    val_strand strand;
    if (!val_strand_beam(report, &beam, true, &strand)) {
        return false;
    }
    double bending = beam.young * VAL_PI / 4 * pow(beam.radius, 4);
    td_load load = {.kind = TD_LOAD_FORCE,
                    .segment = count - 1,
                    .point = {0, beam.length / count, 0},
                    .vector = {0, -alpha * bending / (beam.length * beam.length), 0}};
    td_step_opts opts = td_step_opts_default();
    opts.gravity = weightless;
    opts.loads = &load;
    opts.load_count = 1;
    bool fine = val_strand_settle(report, &strand, &opts, "bending by a load at the tip");
    *axial = fine ? 1 - tip_of(&strand).x / beam.length : 0;
    *transverse = fine ? -tip_of(&strand).y / beam.length : 0;
    val_strand_free(&strand);
    return fine;
}

void val_rod_elastica(val_report *report) {
    val_elastica_cases(report, 200, 50, bend_beam);
}

// ---- vibration ------------------------------------------------------------------------------

static bool beam_settle(val_report *report, void *strand, const td_step_opts *opts,
                        const char *quantity) {
    return val_strand_settle(report, strand, opts, quantity);
}

static bool beam_step(val_report *report, void *strand, const td_step_opts *opts,
                      const char *quantity) {
    return val_strand_step(report, strand, opts, quantity);
}

static td_vec3 beam_tip(const void *strand) {
    return tip_of(strand);
}

static void tree_agrees(val_report *report, const val_rod *beam, double frequency) {
    val_tree tree;
    td_mode mode;
    td_diag diag = {.message = ""};
    if (!val_rod_build(report, beam, &tree)) {
        return;
    }
    td_status status = td_body_modes(tree.state, weightless, 1, &mode, &diag);
    if (status == TD_OK) {
        val_relative(report, "bending frequency 1, Hz, against the tree's", beam->count, frequency,
                     mode.frequency, 0.005);
    } else {
        val_fault(report, "modes", beam->count, status, &diag);
    }
    val_tree_free(&tree);
}

void val_rod_vibration(val_report *report) {
    // a tenth of the thesis's stiffness: 2.6 Hz, slow enough to be followed in steps of 1/240 s
    val_rod beam = val_thesis_beam(100);
    val_strand strand;
    td_mode modes[VAL_BEAM_MODES];
    beam.young *= 0.1;
    if (!val_strand_beam(report, &beam, false, &strand)) {
        return;
    }
    if (val_strand_modes(report, &strand, VAL_BEAM_MODES, modes, NULL, "modes")) {
        val_beam_modes(report, &beam, modes);
        tree_agrees(report, &beam, modes[0].frequency);
    }
    val_beam_sway(report, &beam, &(val_beam){&strand, beam_settle, beam_step, beam_tip});
    val_strand_free(&strand);
}

// ---- buckling -------------------------------------------------------------------------------

enum { COLUMN_EDGES = 100 };

typedef struct column {
    val_strand strand;
    bool clamped;   // at its far end too, which is pushed in; otherwise a load pushes
    double bending; // N m^2
    double length;
} column;

static bool column_open(val_report *report, bool clamped, column *c) {
    td_vec3 points[COLUMN_EDGES + 1] = {{0, 0, 0}};
    td_rod_def def = td_rod_def_default();
    *c = (column){.clamped = clamped, .length = 1};
    for (int32_t k = 0; k <= COLUMN_EDGES; k++) {
        points[k].x = c->length * k / COLUMN_EDGES;
    }
    def.vertex_count = COLUMN_EDGES + 1;
    def.points = points;
    def.radius = 0.002;
    def.start = TD_END_CLAMPED;
    def.end = clamped ? TD_END_CLAMPED : TD_END_FREE;
    c->bending = def.young * VAL_PI / 4 * pow(def.radius, 4);
    return val_strand_new(report, &def, NULL, &c->strand);
}

// Squeezes the straight column, by a load or by a part of its length; whether it stays straight,
// and the force it bears.
static bool squeeze(val_report *report, column *c, double by, bool *straight, double *force) {
    static const char quantity[] = "critical load, N";
    td_mode lowest;
    td_load load = {.kind = TD_LOAD_FORCE,
                    .segment = COLUMN_EDGES - 1,
                    .point = {0, c->length / COLUMN_EDGES, 0},
                    .vector = {-by, 0, 0}};
    td_step_opts opts = td_step_opts_default();
    opts.gravity = weightless;
    td_body_reset(c->strand.state, NULL);
    if (c->clamped) {
        td_quat rotation = td_body_rotation(c->strand.state, COLUMN_EDGES - 1);
        td_rod_set_end(c->strand.state, 0, true, (td_vec3){c->length * (1 - by), 0, 0}, rotation);
    } else {
        opts.loads = &load;
        opts.load_count = 1;
    }
    if (!val_strand_settle(report, &c->strand, &opts, quantity) ||
        !val_strand_modes(report, &c->strand, 1, &lowest, NULL, quantity)) {
        return false;
    }
    *straight = lowest.frequency > 0;
    *force = -td_rod_tension(c->strand.state, COLUMN_EDGES / 2);
    return true;
}

static void buckle(val_report *report, bool clamped, const char *quantity) {
    column c;
    if (!column_open(report, clamped, &c)) {
        return;
    }
    // pi^2 EI/(4 l^2) and 4 pi^2 EI/l^2
    double theory = VAL_PI * VAL_PI * c.bending / (c.length * c.length) * (clamped ? 4 : 0.25);
    double area = VAL_PI * 0.002 * 0.002, low = 0, high = 2 * theory, force = 0;
    high /= clamped ? 1e7 * area : 1; // as a part of the length
    bool fine = true, straight = true;
    for (int k = 0; fine && k < 20; k++) {
        double by = 0.5 * (low + high);
        fine = squeeze(report, &c, by, &straight, &force);
        *(straight ? &low : &high) = by;
        val_progress(report, 0.5 * clamped + k / 40.0);
    }
    if (fine) {
        val_relative(report, quantity, c.strand.n, force, theory, 0.01);
    }
    val_strand_free(&c.strand);
}

void val_buckling(val_report *report) {
    buckle(report, false, "critical load, N, clamped and free");
    buckle(report, true, "critical load, N, clamped at both ends");
}
