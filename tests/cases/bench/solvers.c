// SPDX-License-Identifier: MIT
// tendril bench solvers: what trees, rods and helices pay for their accuracy.
//
// Method   One motion is simulated with more and more segments, or elements of helices. Where its
//          tips are is compared, 20 times a second, with the same solver at its finest:
//            error = sqrt(mean over looks and tips of |x - x_finest|^2)/length
//          All take the same steps, BDF2, and end Newton's method at the same tolerance, so that
//          what is left is the error of cutting a curve into pieces. The cost is the time a core
//          needs for a second of the motion. How far apart the finest of two solvers are is a row
//          as well: it tells whether they are the same thing.

#include "cases/bench/bench.h"

#include <math.h>
#include <stdlib.h>
#include <time.h>

#define STEP      (1.0 / 120) // s
#define TOLERANCE 1e-6        // rad
#define TIME      2.0         // s: of the motion
#define LOOKS     40          // in that time
#define STEPS     6           // from one look to the next
#define MOST_SIZE 10          // sizes of a solver
#define SHARE     0.2         // of the time for a figure
#define SOLVERS   3

static const char *const solvers[SOLVERS] = {"tree", "rod", "helix"};
enum { TREE, ROD, HELIX };

typedef struct motion_case {
    const char *name;
    double length;              // m: by which errors are divided
    int32_t size[2][MOST_SIZE]; // of segments, and of elements of helices; the last is the finest
    int32_t drawn;              // segments that are drawn of helices
    td_object_def (*object)(void);
} motion_case;

// ---- the things -----------------------------------------------------------------------------

static const td_vec3 level[] = {{0, 0, 0}, {0.5, 0, 0}, {1, 0, 0}};
static const td_material_change rubber = {
    .density = 1000, .young = 1e8, .shear = 3.5e7, .damping_time = 0.002};

// Clamped level, 1 m long: weight over stiffness rho A g L^3/(E I) = 4.
static td_object_def cantilever(void) {
    td_object_def o = td_object_def_default();
    o.strand.points = level;
    o.strand.point_count = 3;
    o.strand.radius = 0.01;
    o.materials = &rubber;
    o.material_count = 1;
    o.start = TD_START_DRAWN;
    return o;
}

// Hangs at ease, then feels its weight: it stretches by half its length and bounces.
static td_object_def curl(void) {
    td_object_def o = cantilever();
    o.strand.points = NULL;
    o.strand.point_count = 0;
    o.strand.helix = (td_helix_def){.radius = 0.05, .pitch = 0.04, .turns = 3};
    o.strand.radius = 0.003;
    o.rotation = (td_quat){0, 0, 0, 1}; // the other way up
    return o;
}

static td_object_def willow(void) {
    td_object_def o = td_object_def_default();
    o.plant = "../scenes/plants/weeping-willow.lsys";
    o.steps = 12;
    o.rest_under_gravity = true;
    return o;
}

static const motion_case cases[] = {
    {"cantilever", 1, {{5, 10, 20, 40, 80, 160, 640}, {1, 2, 3, 5, 10, 20, 80}}, 80, cantilever},
    {"curl", 0.95, {{12, 25, 50, 99, 200, 400, 1600}, {1, 2, 3, 5, 10, 20, 40, 160}}, 160, curl},
    {"willow", 2.8, {{1, 2, 3, 4, 12}, {1, 2, 3, 4, 6, 24}}, 3, willow},
};

#define CASE_COUNT ((int)(sizeof cases / sizeof cases[0]))

// ---- one motion -----------------------------------------------------------------------------

typedef struct motion {
    td_world *world;
    void *start; // the world at time 0, saved
    int32_t tips;
    int32_t *segment; // of the tips that are looked at
    td_vec3 *seen;    // look after look
    td_status status;
    td_diag diag;
} motion;

static void close_motion(motion *m) {
    td_world_free(m->world);
    free(m->start);
    free(m->segment);
    free(m->seen);
}

static bool open_world(motion *m, const td_object_def *object) {
    td_loader loader = td_file_loader();
    td_world_opts opts = td_world_opts_default();
    td_scene_def scene = td_scene_def_default();
    td_scene_load wind = td_scene_load_default(TD_SCENE_WIND);
    td_diag_list diags = {&m->diag, 1, 0};
    wind.as.wind.velocity = (td_vec3){5, 0, 1};
    wind.as.wind.intensity = 0.2;
    wind.as.wind.gust = 0.5;
    wind.as.wind.gust_length = 10;
    opts.loader = &loader;
    scene.objects = object;
    scene.object_count = 1;
    scene.loads = &wind;
    scene.load_count = object->plant ? 1 : 0;
    scene.air_density = object->plant ? 1.2 : 0;
    scene.step = STEP;
    scene.record.fps = LOOKS / TIME;
    scene.tolerance = TOLERANCE;
    m->status = td_world_new(&scene, &opts, NULL, &m->world, &diags);
    return m->status == TD_OK;
}

// The segment whose tip is nearest to a point.
static int32_t nearest(const td_world *world, td_vec3 point) {
    int32_t best = 0;
    double least = HUGE_VAL;
    for (int32_t i = 0; i < td_world_actor(world, td_world_actor_id(world, 0)).segment_count; i++) {
        td_vec3 tip;
        td_world_segment(world, td_world_actor_id(world, 0), i, NULL, &tip, NULL);
        const double d = td_vec3_distance(tip, point);
        if (d < least) {
            least = d;
            best = i;
        }
    }
    return best;
}

// The ends of stems in the coarsest model; all others look at the same points. A strand has one.
static bool choose_tips(motion *m, const td_vec3 *points, int32_t count) {
    const size_t room = (size_t)count;
    m->tips = count;
    m->segment = malloc(room * sizeof *m->segment);
    m->seen = malloc(LOOKS * room * sizeof *m->seen);
    m->start = malloc(td_world_save_size(m->world));
    if (!m->segment || !m->seen || !m->start) {
        m->status = TD_ERR_MEMORY;
        return false;
    }
    for (int32_t k = 0; k < count; k++) {
        m->segment[k] = nearest(m->world, points[k]);
    }
    td_world_save(m->world, m->start);
    return true;
}

static void prepare(motion *m) {
    m->status = td_world_restore(m->world, m->start, td_world_save_size(m->world), &m->diag);
}

static bool run(motion *m) {
    td_vec3 *seen = m->seen;
    for (int32_t look = 0; look < LOOKS && m->status == TD_OK; look++) {
        for (int32_t k = 0; k < STEPS && m->status == TD_OK; k++) {
            m->status = td_world_step(m->world, &m->diag);
        }
        for (int32_t k = 0; k < m->tips; k++) {
            td_world_segment(m->world, td_world_actor_id(m->world, 0), m->segment[k], NULL, seen++,
                             NULL);
        }
    }
    return m->status == TD_OK;
}

// CPU seconds of the fastest run: the same on a busy machine. Negative when one failed.
static double fastest(motion *m, double budget) {
    const double end = bench_now() + budget;
    double best = HUGE_VAL;
    do {
        prepare(m);
        const clock_t start = clock();
        if (!run(m)) {
            return -1;
        }
        best = fmin(best, (double)(clock() - start) / CLOCKS_PER_SEC);
    } while (bench_now() < end);
    return best;
}

static double error_of(const motion *m, const td_vec3 *truth, double length) {
    double sum = 0;
    for (int32_t i = 0; i < LOOKS * m->tips; i++) {
        const double d = td_vec3_distance(m->seen[i], truth[i]);
        sum += d * d;
    }
    return sqrt(sum / (LOOKS * m->tips)) / length;
}

// ---- a case ---------------------------------------------------------------------------------

typedef struct study {
    const bench *b;
    const motion_case *c;
    const char *plant; // beside the command, or NULL
    td_vec3 *points;   // that are looked at, at time 0
    int32_t point_count;
    td_vec3 *finest[SOLVERS];
    double error[SOLVERS][MOST_SIZE], cost[SOLVERS][MOST_SIZE];
} study;

static bool open_motion(const study *s, int solver, int32_t size, motion *m) {
    td_object_def o = s->c->object();
    char pieces[16];
    const td_define cut = {"PIECES", pieces};
    o.solver = solvers[solver];
    o.plant = s->plant;
    if (o.plant) {
        snprintf(pieces, sizeof pieces, "%d", solver == HELIX ? s->c->drawn : size);
        o.defines = &cut;
        o.define_count = 1;
        o.elements = solver == HELIX ? size : 0;
    } else {
        o.strand.segments = solver == HELIX ? s->c->drawn : size;
        o.strand.elements = solver == HELIX ? size : 0;
    }
    *m = (motion){.diag = {.message = ""}};
    return open_world(m, &o);
}

// The tips of all stems of a plant as it is drawn at its coarsest, or the tip of a strand.
static bool choose_points(study *s) {
    motion m;
    bool fine = open_motion(s, TREE, s->c->size[0][0], &m);
    if (fine) {
        const td_actor a = td_world_actor(m.world, td_world_actor_id(m.world, 0));
        const td_segment *segments = td_skeleton_segments(a.skeleton);
        s->points = malloc((size_t)a.segment_count * sizeof *s->points);
        for (int32_t i = 0; s->points && i < a.segment_count; i++) {
            const bool looks =
                s->plant ? segments[i].organ == TD_ORGAN_STEM : i == a.segment_count - 1;
            td_world_segment(m.world, td_world_actor_id(m.world, 0), i, NULL,
                             &s->points[s->point_count], NULL);
            s->point_count += looks ? 1 : 0;
        }
        m.status = s->points ? TD_OK : TD_ERR_MEMORY;
    }
    fine = m.status == TD_OK || bench_fault(s->b, s->c->name, m.status, &m.diag);
    close_motion(&m);
    return fine;
}

static int size_count(const int32_t *sizes) {
    int count = 0;
    while (count < MOST_SIZE && sizes[count] > 0) {
        count++;
    }
    return count;
}

// One size of one solver: the finest gives the truth, the others are two rows each.
static bool measure(study *s, int solver, int k, bool finest) {
    const int32_t size = s->c->size[solver == HELIX][k];
    motion m;
    bool fine = open_motion(s, solver, size, &m) && choose_tips(&m, s->points, s->point_count);
    char variant[96];
    snprintf(variant, sizeof variant, "%s %s %d", s->c->name, solvers[solver], (int)size);
    if (fine && finest) {
        prepare(&m);
        fine = run(&m);
        s->finest[solver] = m.seen;
        m.seen = NULL;
    } else if (fine) {
        const double seconds = fastest(&m, SHARE * s->b->seconds);
        const int32_t n = td_world_actor(m.world, td_world_actor_id(m.world, 0)).dof_count;
        fine = seconds >= 0;
        s->error[solver][k] = error_of(&m, s->finest[solver], s->c->length);
        s->cost[solver][k] = seconds / TIME;
        if (fine) {
            bench_row(s->b, n, s->error[solver][k], "length", "%s", variant);
            bench_row(s->b, n, s->cost[solver][k], "s/s", "%s", variant);
        }
    }
    fine = fine || bench_fault(s->b, variant, m.status, &m.diag);
    close_motion(&m);
    return fine;
}

static bool measure_solver(study *s, int solver) {
    const int count = size_count(s->c->size[solver == HELIX]);
    bool fine = measure(s, solver, count - 1, true);
    for (int k = 0; k < count - 1 && fine; k++) {
        fine = measure(s, solver, k, false);
    }
    return fine;
}

// How far the finest of two solvers are apart.
static void compare(const study *s, int a, int b) {
    const motion other = {.tips = s->point_count, .seen = s->finest[a]};
    bench_row(s->b, s->point_count, error_of(&other, s->finest[b], s->c->length), "length",
              "%s %s against %s, finest", s->c->name, solvers[a], solvers[b]);
}

// Ten elements of a curl against a rod of a hundred vertices.
static void print_aim(const study *s) {
    enum { TEN = 4, HUNDRED = 3 };
    const double error = s->error[HELIX][TEN] / s->error[ROD][HUNDRED],
                 cost = s->cost[HELIX][TEN] / s->cost[ROD][HUNDRED];
    bench_row(s->b, 10, error, "errors", "curl: 10 elements of helix over 100 vertices of rod");
    bench_row(s->b, 10, cost, "costs", "curl: 10 elements of helix over 100 vertices of rod");
}

static bool measure_case(const bench *b, const motion_case *c, const char *plant) {
    study s = {.b = b, .c = c, .plant = plant};
    bool fine = choose_points(&s);
    for (int solver = 0; solver < SOLVERS && fine; solver++) {
        fine = measure_solver(&s, solver);
    }
    if (fine) {
        compare(&s, TREE, HELIX);
        compare(&s, ROD, HELIX);
        if (c->object == curl) {
            print_aim(&s);
        }
    }
    for (int solver = 0; solver < SOLVERS; solver++) {
        free(s.finest[solver]);
    }
    free(s.points);
    return fine;
}

bool bench_solvers(const bench *b) {
    bool fine = true;
    for (int i = 0; i < CASE_COUNT; i++) {
        const char *path = cases[i].object().plant;
        bench_files files = bench_beside(path ? path : "../scenes");
        if (path && files.count == 0) {
            td_diag diag = {.message = "the plant is not beside the command"};
            fine = bench_fault(b, path, TD_ERR_READ, &diag);
        } else {
            fine = measure_case(b, &cases[i], path ? files.paths[0] : NULL) && fine;
        }
        bench_files_free(&files);
    }
    return fine;
}
