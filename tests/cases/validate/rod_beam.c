// SPDX-License-Identifier: MIT
// Rods for the cases, and how columns buckle.

#include "cases/validate/rod.h"

#include <math.h>
#include <stdlib.h>

static const td_vec3 weightless = {0, 0, 0};

// ---- making ---------------------------------------------------------------------------------

void val_strand_new(val_report *report, const td_rod_def *def, const td_rod_body *body,
                    val_body *strand) {
    *strand = (val_body){.n = def->closed ? def->vertex_count : def->vertex_count - 1};
    val_must(report, "building a rod", strand->n,
             td_rod_model_new(def, 1, body, body != NULL, NULL, &strand->model, &report->diag));
    val_must(report, "building a rod", strand->n,
             td_body_new(strand->model, NULL, &strand->state, &report->diag));
}

void val_strand_beam(val_report *report, const val_rod *beam, bool inextensible, val_body *strand) {
    td_vec3 *points = val_memory(report, "building a rod", (size_t)beam->count, sizeof *points);
    td_rod_def def = td_rod_def_default();
    for (int32_t k = 0; k <= beam->count; k++) {
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
    val_strand_new(report, &def, NULL, strand);
    free(points);
}

// ---- buckling -------------------------------------------------------------------------------

enum { COLUMN_EDGES = 100 };

typedef struct column {
    val_body strand;
    bool clamped;   // at its far end too, which is pushed in; otherwise a load pushes
    double bending; // N m^2
    double length;
} column;

static void column_open(val_report *report, bool clamped, column *c) {
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
    val_strand_new(report, &def, NULL, &c->strand);
}

// Squeezes the straight column, by a load or by a part of its length; whether it stays straight,
// and the force it bears.
static void squeeze(val_report *report, column *c, double by, bool *straight, double *force) {
    static const char quantity[] = "critical load, N";
    td_mode lowest;
    td_load load = {.kind = TD_LOAD_FORCE,
                    .segment = COLUMN_EDGES - 1,
                    .point = {0, c->length / COLUMN_EDGES, 0},
                    .vector = {-by, 0, 0}};
    td_step_opts opts = td_step_opts_default();
    opts.gravity = weightless;
    case_must(td_body_reset(c->strand.state, NULL));
    if (c->clamped) {
        td_quat rotation = td_body_rotation(c->strand.state, COLUMN_EDGES - 1);
        case_must(td_rod_set_end(c->strand.state, 0, true, (td_vec3){c->length * (1 - by), 0, 0},
                                 rotation, NULL));
    } else {
        opts.loads = &load;
        opts.load_count = 1;
    }
    val_settle(report, &c->strand, &opts, quantity);
    val_modes(report, &c->strand, weightless, 1, &lowest, quantity);
    *straight = lowest.frequency > 0;
    *force = -td_rod_tension(c->strand.state, COLUMN_EDGES / 2);
}

static void buckle(val_report *report, bool clamped, const char *quantity) {
    column c;
    column_open(report, clamped, &c);
    // pi^2 EI/(4 l^2) and 4 pi^2 EI/l^2
    double theory = VAL_PI * VAL_PI * c.bending / (c.length * c.length) * (clamped ? 4 : 0.25);
    double area = VAL_PI * 0.002 * 0.002, low = 0, high = 2 * theory, force = 0;
    high /= clamped ? 1e7 * area : 1; // as a part of the length
    bool straight = true;
    for (int k = 0; k < 20; k++) {
        double by = 0.5 * (low + high);
        squeeze(report, &c, by, &straight, &force);
        *(straight ? &low : &high) = by;
        val_progress(report, 0.5 * clamped + k / 40.0);
    }
    val_relative(report, quantity, c.strand.n, force, theory, 0.01);
    val_body_free(&c.strand);
}

void val_buckling(val_report *report) {
    buckle(report, false, "critical load, N, clamped and free");
    buckle(report, true, "critical load, N, clamped at both ends");
}
