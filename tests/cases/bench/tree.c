// SPDX-License-Identifier: MIT
// tendril bench forward, step, realtime, scaling: speed of trees of rigid segments.
//
// Method   Chains and trees of equal bars (bench_shape.h, the same for other engines) and plants
//          whose radii follow the number of segments they carry. What is stepped is let go from
//          the pose in which its springs are at ease, and runs for a second of its own time.

#include "cases/bench/bench.h"

#include <stdlib.h>
#include <string.h>

#define RATE            60      // steps a second
#define STEPS           RATE    // of a run
#define SCALING_STEPS   10      // of a run in `scaling`
#define LARGEST_FIRST   1000    // bodies: where the search for the largest plant begins
#define LARGEST_TRIED   1000000 // bodies
#define LARGEST_CLOSE   1.02    // the search stops at this ratio
#define TWIG            0.001   // m: radius of a plant's segment that carries nothing
#define PIPE            0.4     // radius ~ carried^PIPE: between da Vinci's rule and a stouter stem
#define DIVERGENCE      2.39996 // rad, the golden angle: from a side branch to the next
#define SIDE_ANGLE      0.8     // rad, of side branches to their stem
#define CHAIN_SLOPE     0.5     // rad, of a chain to the vertical when it is let go
#define PI              3.14159265358979323846
#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))

// ---- trees ----------------------------------------------------------------------------------

// By |v| about v.
static td_quat turn_by(double x, double y, double z) {
    const td_vec3 v = {x, y, z};
    return td_quat_turn(td_vec3_unit_or(v, (td_vec3){1, 0, 0}), td_vec3_norm(v));
}

// A segment of a plant: stems wander a little, side branches leave them in a spiral.
static void shape_plant(const bench_place *place, int32_t i, uint64_t *seed, td_segment_def *def) {
    double turn = place->side ? SIDE_ANGLE : bench_uniform(seed, 0, 0.15);
    double around = place->side ? DIVERGENCE * i : bench_uniform(seed, 0, 2 * PI);
    def->rest = turn_by(turn * cos(around), 0, turn * sin(around));
    def->length = bench_uniform(seed, 0.03, 0.08);
    def->radius_base = TWIG * pow(place->carried, PIPE);
    def->radius_tip = 0.9 * def->radius_base;
}

static td_segment_def segment(const bench_tree *t, const bench_place *place, int32_t i,
                              uint64_t *seed) {
    td_segment_def def = td_segment_def_default();
    def.parent = place->parent;
    if (t->shape == BENCH_PLANT) {
        shape_plant(place, i, seed, &def);
    } else {
        def.length = BENCH_LENGTH;
        def.radius_base = def.radius_tip = BENCH_RADIUS;
        def.material = 1;
    }
    if (t->hangs && i == 0) {
        def.rest = turn_by(0, 0, PI - CHAIN_SLOPE);
    }
    if (t->hinged) {
        def.joint = TD_JOINT_HINGE;
        def.axis = (td_vec3){0, 0, 1};
    }
    def.has_stiffness = def.has_damping = t->limp;
    return def;
}

static td_status add_segments(const bench_tree *t, td_builder *builder, td_diag *diag) {
    bench_place *places = malloc((size_t)t->count * sizeof *places);
    td_status status = TD_ERR_MEMORY;
    uint64_t seed = 3;
    if (places && bench_places(t->shape, t->count, places)) {
        status = TD_OK;
        for (int32_t i = 0; i < t->count && status == TD_OK; i++) {
            td_segment_def def = segment(t, &places[i], i, &seed);
            status = td_builder_add(builder, &def, NULL, diag);
        }
    }
    free(places);
    return status;
}

static td_status build_skeleton(const bench_tree *t, td_skeleton **out, td_diag *diag) {
    td_skeleton_opts opts = td_skeleton_opts_default();
    td_material material = td_material_get(0);
    td_builder *builder = NULL;
    material.density = BENCH_DENSITY;
    td_status status = td_builder_new(&opts, NULL, &builder, NULL);
    status = status == TD_OK ? td_builder_add_material(builder, &material, NULL, diag) : status;
    status = status == TD_OK ? add_segments(t, builder, diag) : status;
    status = status == TD_OK ? td_builder_finish(builder, out, diag) : status;
    td_builder_free(builder);
    return status;
}

bool bench_build(const bench *b, const bench_tree *t, case_plant *tree) {
    td_diag diag = {.message = ""};
    td_body_opts opts = td_body_opts_default();
    *tree = (case_plant){NULL, NULL, NULL};
    td_status status = build_skeleton(t, &tree->skeleton, &diag);
    status = status == TD_OK
                 ? td_body_model_new(tree->skeleton, "tree", &opts, NULL, &tree->model, &diag)
                 : status;
    td_skeleton_free(tree->skeleton); // of a million segments it is worth having back
    tree->skeleton = NULL;
    status = status == TD_OK ? td_body_new(tree->model, NULL, &tree->state, &diag) : status;
    if (status != TD_OK) {
        case_plant_free(tree);
        return bench_fault(b, bench_shape_name(t->shape), status, &diag);
    }
    return true;
}

// ---- forward dynamics -----------------------------------------------------------------------

static const int32_t forward_counts[] = {10, 100, 1000, 10000, 100000};

#define COMPARED_MOST 1000 // bodies: as far as other engines go
#define COMPARED_AT   100  // bodies: where accelerations are shown

typedef struct forward_run {
    td_body *state;
    int32_t count;
    bench_motion *motions[2];
    int now; // which of the two the state is in
    double *accel;
} forward_run;

static void set_motion(forward_run *r, int which) {
    double *q = td_tree_coords(r->state), *v = td_tree_velocities(r->state);
    for (int32_t i = 0; i < r->count; i++) {
        const bench_motion *m = &r->motions[which][i];
        memcpy(q + 4 * (size_t)i, m->quaternion, sizeof m->quaternion);
        memcpy(v + 3 * (size_t)i, m->rate, sizeof m->rate);
    }
    r->now = which;
    td_tree_state_changed(r->state);
}

static bool run_forward(void *context) {
    forward_run *r = context;
    td_tree_forward(r->state, (td_vec3){0, -BENCH_GRAVITY, 0}, NULL, r->accel);
    return true;
}

static bool run_anew(void *context) {
    forward_run *r = context;
    set_motion(r, 1 - r->now);
    return run_forward(context);
}

static bool begin_forward(const case_plant *tree, forward_run *r) {
    int32_t n = td_body_segment_count(tree->model);
    bench_motion *motions = malloc(2 * (size_t)n * sizeof *motions);
    *r = (forward_run){.state = tree->state, .count = n, .motions = {motions, NULL}};
    r->accel = malloc((size_t)td_body_dof_count(tree->model) * sizeof *r->accel);
    if (!motions || !r->accel) {
        return false;
    }
    r->motions[1] = motions + n;
    bench_motions(n, 1, r->motions[0]);
    bench_motions(n, -1, r->motions[1]);
    set_motion(r, 0);
    return true;
}

// What other engines are given has no springs, and is set anew for each evaluation.
static bool forward_tree(const bench *b, const bench_tree *t) {
    case_plant tree;
    forward_run r;
    char variant[32];
    snprintf(variant, sizeof variant, "%s%s", bench_shape_name(t->shape),
             t->limp ? ", as peers" : "");
    if (!bench_build(b, t, &tree)) {
        return false;
    }
    bool fine = begin_forward(&tree, &r);
    if (fine) {
        bench_work work = {NULL, t->limp ? run_anew : run_forward, &r};
        double seconds = bench_fastest(&work, b->seconds);
        bench_row(b, t->count, 1e9 * seconds / t->count, "ns/body", "%s", variant);
    } else {
        bench_fault(b, variant, TD_ERR_MEMORY, NULL);
    }
    if (fine && t->limp && t->count == COMPARED_AT) {
        set_motion(&r, 0);
        run_forward(&r);
        bench_row(b, t->count, bench_rms(r.accel, t->count), "rad/s^2", "%s", variant);
    }
    free(r.motions[0]);
    free(r.accel);
    case_plant_free(&tree);
    return fine;
}

// ---- forward dynamics of batches ------------------------------------------------------------

#define BATCH_TREES 64
#define BATCH_MOST  1000 // bodies

typedef struct batch_run {
    td_tree_batch *batch;
    double *coords, *velocities; // of two states of a tree, one after the other
    double *accel;               // of a tree
    int32_t coord_count, dof_count;
    int now; // which of the two the first tree is in; every other tree is in the other
} batch_run;

static void set_batch(batch_run *r, int which) {
    for (int32_t k = 0; k < BATCH_TREES; k++) {
        int from = (which + k) % 2;
        case_must(td_tree_batch_set(r->batch, k, r->coords + (size_t)from * (size_t)r->coord_count,
                                    r->velocities + (size_t)from * (size_t)r->dof_count, NULL));
    }
    r->now = which;
}

static bool run_batch(void *context) {
    batch_run *r = context;
    td_tree_batch_forward(r->batch, (td_vec3){0, -BENCH_GRAVITY, 0});
    return true;
}

static bool run_batch_anew(void *context) {
    batch_run *r = context;
    set_batch(r, 1 - r->now);
    return run_batch(context);
}

static bool begin_batch(const case_plant *tree, batch_run *r) {
    size_t nq = (size_t)td_tree_coord_count(tree->model);
    size_t nv = (size_t)td_body_dof_count(tree->model);
    forward_run states;
    *r = (batch_run){.coord_count = (int32_t)nq, .dof_count = (int32_t)nv};
    r->coords = malloc(2 * nq * sizeof *r->coords);
    r->velocities = malloc(2 * nv * sizeof *r->velocities);
    r->accel = malloc(nv * sizeof *r->accel);
    bool fine = begin_forward(tree, &states) && r->coords && r->velocities && r->accel &&
                td_tree_batch_new(tree->model, BATCH_TREES, NULL, &r->batch, NULL) == TD_OK;
    for (int which = 0; which < 2 && fine; which++) {
        set_motion(&states, which);
        memcpy(r->coords + (size_t)which * nq, td_tree_coords(tree->state), nq * sizeof(double));
        memcpy(r->velocities + (size_t)which * nv, td_tree_velocities(tree->state),
               nv * sizeof(double));
    }
    free(states.motions[0]);
    free(states.accel);
    if (fine) {
        set_batch(r, 0);
    }
    return fine;
}

// As forward_tree(), with many trees at once.
static bool forward_batch(const bench *b, const bench_tree *t) {
    case_plant tree;
    batch_run r;
    char variant[32];
    snprintf(variant, sizeof variant, "%s, batch%s", bench_shape_name(t->shape),
             t->limp ? ", as peers" : "");
    if (!bench_build(b, t, &tree)) {
        return false;
    }
    bool fine = begin_batch(&tree, &r);
    if (fine) {
        bench_work work = {NULL, t->limp ? run_batch_anew : run_batch, &r};
        double seconds = bench_fastest(&work, b->seconds);
        bench_row(b, t->count, 1e9 * seconds / t->count / BATCH_TREES, "ns/body", "%s", variant);
    } else {
        bench_fault(b, variant, TD_ERR_MEMORY, NULL);
    }
    if (fine && t->limp && t->count == COMPARED_AT) {
        set_batch(&r, 0);
        run_batch(&r);
        td_tree_batch_accel(r.batch, 0, r.accel);
        bench_row(b, t->count, bench_rms(r.accel, t->count), "rad/s^2", "%s", variant);
    }
    td_tree_batch_free(r.batch);
    free(r.coords);
    free(r.velocities);
    free(r.accel);
    case_plant_free(&tree);
    return fine;
}

// ---- forward dynamics: all ------------------------------------------------------------------

bool bench_forward(const bench *b) {
    bool fine = true;
    for (int shape = BENCH_CHAIN; shape <= BENCH_PLANT; shape++) {
        for (size_t i = 0; i < COUNT_OF(forward_counts); i++) {
            bench_tree springs = {.shape = (bench_shape)shape, .count = forward_counts[i]};
            fine = forward_tree(b, &springs) && fine;
        }
        for (int32_t n = 10; n <= BATCH_MOST; n *= 10) {
            bench_tree springs = {.shape = (bench_shape)shape, .count = n};
            fine = forward_batch(b, &springs) && fine;
        }
    }
    for (int shape = BENCH_CHAIN; shape <= BENCH_BINARY; shape++) {
        for (int32_t n = 10; n <= COMPARED_MOST; n *= 10) {
            bench_tree limp = {.shape = (bench_shape)shape, .count = n, .limp = true};
            fine = forward_tree(b, &limp) && fine;
            fine = forward_batch(b, &limp) && fine;
        }
    }
    return bench_peers(b, "peers/peer-*") && fine;
}

// ---- stepping -------------------------------------------------------------------------------

typedef struct step_run {
    td_body *state;
    td_step_opts opts;
    int32_t steps;
    td_step_stats stats;
    td_status status;
    td_diag diag;
} step_run;

static void prepare_steps(void *context) {
    step_run *r = context;
    r->stats = (td_step_stats){0};
    case_must(td_body_reset(r->state, NULL));
}

static bool run_steps(void *context) {
    step_run *r = context;
    for (int32_t i = 0; i < r->steps && r->status == TD_OK; i++) {
        r->status = td_body_step(r->state, &r->opts, &r->stats, &r->diag);
    }
    return r->status == TD_OK;
}

typedef struct step_cost {
    double seconds;    // a step
    double iterations; // a step
} step_cost;

static bool measure_steps(const bench *b, const char *variant, td_body *state, int32_t steps,
                          double budget, step_cost *cost) {
    step_run r = {.state = state,
                  .opts = td_step_opts_default(),
                  .steps = steps,
                  .status = TD_OK,
                  .diag = {.message = ""}};
    r.opts.dt = 1.0 / RATE;
    r.opts.integrator = TD_IMPLICIT;
    bench_work work = {prepare_steps, run_steps, &r};
    double seconds = bench_fastest(&work, budget);
    if (seconds < 0) {
        return bench_fault(b, variant, r.status, &r.diag);
    }
    cost->seconds = seconds / steps;
    cost->iterations = (double)r.stats.iterations / (double)r.stats.steps;
    return true;
}

static void print_cost(const bench *b, const char *variant, int32_t n, step_cost cost) {
    bench_row(b, n, 1e9 * cost.seconds / n, "ns/body/step", "%s", variant);
    bench_row(b, n, cost.iterations, "iterations/step", "%s iterations", variant);
}

static bool step_tree(const bench *b, const bench_tree *t, int32_t steps, step_cost *cost,
                      double *bytes) {
    case_plant tree;
    if (!bench_build(b, t, &tree)) {
        return false;
    }
    const char *variant = bench_shape_name(t->shape);
    bool fine = measure_steps(b, variant, tree.state, steps, b->seconds, cost);
    *bytes = (double)(td_body_model_bytes(tree.model) + td_body_bytes(tree.state));
    case_plant_free(&tree);
    if (fine) {
        print_cost(b, variant, t->count, *cost);
    }
    return fine;
}

// A plant from a file, named after it.
static bool step_file(const bench *b, const char *path) {
    case_plant tree;
    char variant[64];
    step_cost cost = {0, 0};
    const char *slash = strrchr(path, '/');
    const char *name = slash ? slash + 1 : path;
    snprintf(variant, sizeof variant, "%.*s", (int)strcspn(name, "."), name);
    if (!case_plant_open(path, -1, &tree)) {
        return false;
    }
    bool fine = measure_steps(b, variant, tree.state, STEPS, b->seconds, &cost);
    if (fine) {
        print_cost(b, variant, td_body_segment_count(tree.model), cost);
    }
    case_plant_free(&tree);
    return fine;
}

bool bench_step(const bench *b) {
    bool fine = true;
    step_cost cost = {0, 0};
    double bytes;
    for (int shape = BENCH_CHAIN; shape <= BENCH_PLANT; shape += BENCH_PLANT - BENCH_CHAIN) {
        for (int32_t n = 10; n <= 10000; n *= 10) {
            bench_tree r = {.shape = (bench_shape)shape, .count = n, .hangs = shape == BENCH_CHAIN};
            fine = step_tree(b, &r, STEPS, &cost, &bytes) && fine;
        }
    }
    bench_files plants = bench_beside("../scenes/plants/*.lsys");
    for (size_t i = 0; i < plants.count; i++) {
        fine = step_file(b, plants.paths[i]) && fine;
    }
    bench_files_free(&plants);
    return fine;
}

// ---- real time ------------------------------------------------------------------------------

typedef struct thesis_row {
    int32_t dofs;
    double factor;
} thesis_row;

// plants thesis, figure 9.18, physics only
static const thesis_row thesis[] = {
    {45, 6.478}, {51, 5.064}, {63, 3.151}, {99, 1.028}, {150, 0.691}};

// How many seconds a plant lives in one second.
static bool real_time(const bench *b, int32_t bodies, double budget, double *factor) {
    bench_tree plant = {.shape = BENCH_PLANT, .count = bodies};
    case_plant tree;
    step_cost cost = {0, 0};
    if (!bench_build(b, &plant, &tree)) {
        return false;
    }
    bool fine = measure_steps(b, "plant", tree.state, STEPS, budget, &cost);
    case_plant_free(&tree);
    *factor = fine ? 1 / (RATE * cost.seconds) : 0;
    return fine;
}

// Doubles the plant until it is too slow, then halves the gap.
static bool find_largest(const bench *b, int32_t *largest) {
    double low = 1, high = LARGEST_TRIED, next = LARGEST_FIRST, factor;
    bool bounded = false;
    while (high > LARGEST_CLOSE * low) {
        // near the border a run takes a second, and one run is no measurement
        if (!real_time(b, (int32_t)next, 3 * b->seconds, &factor)) {
            return false;
        }
        bounded = bounded || factor < 1;
        *(factor < 1 ? &high : &low) = next;
        next = bounded ? sqrt(low * high) : fmin(2 * low, high);
    }
    *largest = (int32_t)low;
    return true;
}

bool bench_realtime(const bench *b) {
    bool fine = true;
    double factor;
    int32_t largest;
    for (size_t i = 0; i < COUNT_OF(thesis); i++) {
        bool got = real_time(b, thesis[i].dofs / 3, b->seconds, &factor);
        if (got) {
            bench_row(b, thesis[i].dofs, factor, "x", "plant");
        }
        bench_row(b, thesis[i].dofs, thesis[i].factor, "x", "thesis" BENCH_ELSEWHERE);
        fine = got && fine;
    }
    if (!find_largest(b, &largest)) {
        return false;
    }
    bench_row(b, 3 * largest, 3 * largest, "degrees of freedom", "largest at 60 Hz");
    return fine;
}

// ---- scaling --------------------------------------------------------------------------------

#define DECADES 6 // from 10 to a million bodies

// Larger trees take other numbers of iterations, which is a matter of what they do and not of their
// size: so the exponent is that of the cost of an iteration.
static bool scale_shape(const bench *b, bench_shape shape) {
    double counts[DECADES], iteration[DECADES], bytes = 0;
    int32_t n = 1;
    for (int i = 0; i < DECADES; i++) {
        n *= 10;
        bench_tree r = {.shape = shape, .count = n, .hangs = shape == BENCH_CHAIN};
        step_cost cost = {0, 0};
        if (!step_tree(b, &r, SCALING_STEPS, &cost, &bytes)) {
            return false;
        }
        counts[i] = n;
        iteration[i] = cost.seconds / cost.iterations;
        bench_row(b, n, 1e9 * iteration[i] / n, "ns/body", "%s, an iteration",
                  bench_shape_name(shape));
    }
    bench_row(b, n, bench_exponent(counts, iteration, DECADES), "1", "%s exponent, of an iteration",
              bench_shape_name(shape));
    bench_row(b, n, bytes / n, "bytes/body", "%s memory", bench_shape_name(shape));
    return true;
}

bool bench_scaling(const bench *b) {
    bool chain = scale_shape(b, BENCH_CHAIN);
    return scale_shape(b, BENCH_PLANT) && chain;
}
