// SPDX-License-Identifier: MIT
// Random small plants for storms.

#include "cases/storm.h"

#include "cases/validate/random.h"

#include <stdio.h>

enum { WOOD, TISSUE, SHAPES = 3 }; // materials beside material 0

typedef struct grower {
    td_builder *builder;
    val_random random;
    td_diag *diag;
    td_status status;       // of the first that failed
    int32_t material[2];    // index of WOOD and TISSUE
    int32_t shape[SHAPES];  // a leaf, a flower, a fruit
    td_organ organ[SHAPES]; // of the shapes
    double length, radius;  // m: of the stem's first segment
    double leaf;            // m: size of the largest leaves
    double lush;            // 0..1: how many organs a stem bears
} grower;

// ---- materials and shapes -------------------------------------------------------------------

static int32_t add_material(grower *g, const char *name, double soft, double stiff,
                            double damping_time) {
    td_material m = td_material_get(td_material_find(name));
    int32_t index = 0;
    double scale = val_log_uniform(&g->random, soft, stiff);
    m.young *= scale;
    m.shear *= scale;
    m.damping_time = damping_time;
    snprintf(m.name, sizeof m.name, "%.20s-here", name);
    if (g->status == TD_OK) {
        g->status = td_builder_add_material(g->builder, &m, &index, g->diag);
    }
    return index;
}

// Every third plant has no damping. Tissue, of which stalks are, is from stiff to limp.
static void add_materials(grower *g) {
    static const char *const stems[] = {"oak",         "branch",    "willow-twig",
                                        "wheat-straw", "herb-stem", "tendril"};
    const char *stem = stems[val_below(&g->random, 6)];
    const bool damped = val_below(&g->random, 3) > 0;
    const double time = damped ? val_log_uniform(&g->random, 1e-3, 0.05) : 0;
    g->material[WOOD] = add_material(g, stem, 0.3, 3, time);
    g->material[TISSUE] = add_material(g, "leaf", 0.01, 2, time);
}

static void add_shapes(grower *g) {
    static const td_shape_kind kinds[SHAPES] = {TD_SHAPE_BLADE, TD_SHAPE_FLOWER, TD_SHAPE_BALL};
    static const td_organ organs[SHAPES] = {TD_ORGAN_LEAF, TD_ORGAN_FLOWER, TD_ORGAN_FRUIT};
    for (int k = 0; k < SHAPES && g->status == TD_OK; k++) {
        td_shape shape = td_shape_default();
        shape.kind = kinds[k];
        shape.width = val_uniform(&g->random, 0.2, 0.8);
        shape.stalk = val_log_uniform(&g->random, 0.05, 0.8);
        shape.stalk_radius = val_log_uniform(&g->random, 0.006, 0.02);
        g->organ[k] = organs[k];
        g->status = td_builder_add_shape(g->builder, &shape, &g->shape[k], g->diag);
    }
}

// ---- growing --------------------------------------------------------------------------------

static int32_t add_segment(grower *g, td_segment_def *def) {
    int32_t index = TD_NONE;
    if (g->status == TD_OK) {
        g->status = td_builder_add(g->builder, def, &index, g->diag);
    }
    return index;
}

// Mostly leaves; some flowers and fruit.
static void add_organ(grower *g, int32_t parent) {
    td_segment_def def = td_segment_def_default();
    const double which = val_uniform(&g->random, 0, 1);
    const int k = which < 0.8 ? 0 : which < 0.9 ? 1 : 2;
    def.parent = parent;
    def.rest = val_turn(val_in_ball(&g->random, 1.5));
    def.length = g->leaf * val_log_uniform(&g->random, 0.3, 1) * (k == 2 ? 0.3 : 1);
    def.material = g->material[TISSUE];
    def.organ = g->organ[k];
    def.shape = g->shape[k];
    add_segment(g, &def);
}

// A row of segments from the tip of `parent`, of `scale` times the size of the plant's first.
static int32_t add_row(grower *g, int32_t parent, int32_t count, double scale, int32_t *row) {
    double radius = scale * g->radius;
    for (int32_t i = 0; i < count; i++) {
        td_segment_def def = td_segment_def_default();
        def.parent = parent;
        def.rest = val_turn(val_in_ball(&g->random, i == 0 && parent != TD_NONE ? 1.2 : 0.3));
        def.length = g->length * scale * val_uniform(&g->random, 0.6, 1);
        def.radius_base = radius;
        def.radius_tip = radius *= val_uniform(&g->random, 0.7, 1);
        def.material = g->material[WOOD];
        parent = row[i] = add_segment(g, &def);
        for (int k = 0; k < 2; k++) {
            if (val_uniform(&g->random, 0, 1) < g->lush) {
                add_organ(g, parent);
            }
        }
    }
    return parent;
}

static void grow(grower *g) {
    int32_t stem[6], branch[4];
    const int32_t count = 2 + val_below(&g->random, 5), branches = val_below(&g->random, 4);
    g->length = val_log_uniform(&g->random, 0.04, 0.3);
    g->radius = g->length * val_log_uniform(&g->random, 0.01, 0.06);
    g->leaf = val_log_uniform(&g->random, 0.02, 0.2);
    g->lush = val_uniform(&g->random, 0.2, 0.8);
    add_organ(g, add_row(g, TD_NONE, count, 1, stem));
    for (int32_t k = 0; k < branches; k++) {
        const int32_t on = stem[val_below(&g->random, count)];
        add_organ(g, add_row(g, on, 1 + val_below(&g->random, 4), 0.6, branch));
    }
}

// ---- entry ----------------------------------------------------------------------------------

td_status storm_plant_new(uint64_t seed, td_skeleton **out, td_diag *diag) {
    grower g = {.random = {seed * 0xd1342543de82ef95u}, .diag = diag};
    const td_skeleton_opts opts = td_skeleton_opts_default();
    *out = NULL;
    g.status = td_builder_new(&opts, NULL, &g.builder, NULL);
    if (g.status != TD_OK) {
        return g.status;
    }
    add_materials(&g);
    add_shapes(&g);
    grow(&g);
    if (g.status == TD_OK) {
        g.status = td_builder_finish(g.builder, out, diag);
    }
    td_builder_free(g.builder);
    return g.status;
}
