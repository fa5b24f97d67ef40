// SPDX-License-Identifier: MIT
// tendril bench accuracy: what every integrator pays for its accuracy, on shipped plants.
//
// Method   A plant is bent by a gravity that pulls sideways, brought to rest there, and let go
//          under the true one. For a second of its motion the far ends of all segments are looked
//          at ten times and compared with those of ida at tolerances far below all others:
//            error = sqrt(mean over looks and segments of |x - x_ida|^2)/height
//          Steps are halved from a tenth of a second on, and ida's tolerance is lowered by tens,
//          until a second of motion costs too much. Explicit rules start at the largest step that
//          is stable. Where even that is too dear to run, its cost is reckoned from a few steps
//          and there is no error.

#include "cases/bench/bench.h"
#include "tendril/ida.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define LOOKS            10        // in the second
#define DEAREST          0.5       // s a simulated second: no smaller step is tried beyond
#define DEAREST_EXPLICIT 6.0       // s likewise: above this an explicit rule is not run
#define MOST_STEPS       (3 << 27) // a look: where an explicit rule is given up
#define TRIED            2000      // steps after which an explicit rule is taken as stable
#define SHARE            0.05      // of the time for a figure: there are a hundred of them
#define TRUE_RTOL        1e-11     // of the reference

static const struct {
    const char *name, *path;
    int64_t steps; // of growth; negative: as many as the file says
} plants[] = {{"fig-2.6b", "../scenes/abop/fig-2.6b.lsys", 8}, // wood alone
              {"weeping-willow", "../scenes/plants/weeping-willow.lsys", 9},
              {"t-plant", "../scenes/plants/t-plant.lsys", -1}};

typedef struct method {
    const char *name;
    td_integrator integrator;
    bool explicit, ida;
} method;

static const method methods[] = {{"euler", TD_EULER, true, false},
                                 {"rk4", TD_RK4, true, false},
                                 {"implicit", TD_IMPLICIT, false, false},
                                 {"implicit-euler", TD_IMPLICIT_EULER, false, false},
                                 {"ida", TD_IMPLICIT, false, true}};

#define METHOD_COUNT ((int)(sizeof methods / sizeof methods[0]))
#define PLANT_COUNT  ((int)(sizeof plants / sizeof plants[0]))

// ---- the motion -----------------------------------------------------------------------------

typedef struct motion {
    const char *plant;
    case_plant tree;
    int32_t bodies;
    double height;               // m
    double start_energy, put_in; // J: at the start, and above that of rest
    double *start;               // coordinates
    td_vec3 *truth, *seen;       // far ends of all segments, look after look
    const method *method;        // what is tried, with:
    int32_t steps;               // a look
    double rtol;                 // of ida
    td_status status;
    td_diag diag;
} motion;

static double energy_of(td_body *state, td_vec3 gravity) {
    td_energy e = td_body_energy(state, gravity);
    return e.kinetic + e.elastic + e.weight;
}

static void look(motion *m, int32_t number) {
    for (int32_t i = 0; i < m->bodies; i++) {
        m->seen[(ptrdiff_t)number * m->bodies + i] = td_body_tip(m->tree.state, i);
    }
}

// bent, and at rest so
static void prepare(void *context) {
    motion *m = context;
    size_t bytes = (size_t)td_tree_coord_count(m->tree.model) * sizeof *m->start;
    case_must(td_body_reset(m->tree.state, NULL));
    memcpy(td_tree_coords(m->tree.state), m->start, bytes);
    td_tree_state_changed(m->tree.state);
}

// What has more energy than was put in twice over has diverged: segments are rigid, so places
// alone would not tell.
static bool step_on(motion *m, int32_t steps) {
    td_step_opts opts = td_step_opts_default();
    opts.integrator = m->method->integrator;
    opts.dt = 1.0 / LOOKS / m->steps;
    for (int32_t i = 0; i < steps && m->status == TD_OK; i++) {
        m->status = td_body_step(m->tree.state, &opts, NULL, &m->diag);
    }
    if (m->status == TD_OK &&
        !(energy_of(m->tree.state, opts.gravity) < m->start_energy + m->put_in)) {
        m->status = TD_ERR_DIVERGED;
    }
    return m->status == TD_OK;
}

static bool run_steps(motion *m) {
    bool fine = true;
    for (int32_t k = 0; fine && k < LOOKS; k++) {
        fine = step_on(m, m->steps);
        look(m, k);
    }
    return fine;
}

static bool run_ida(motion *m) {
    td_ida *ida;
    td_ida_opts opts = td_ida_opts_default();
    opts.rtol = m->rtol;
    opts.atol = 0.1 * m->rtol;
    m->status = td_ida_new(m->tree.state, &opts, NULL, &ida, &m->diag);
    for (int32_t k = 0; k < LOOKS && m->status == TD_OK; k++) {
        m->status = td_ida_advance(ida, 1.0 / LOOKS, &m->diag);
        look(m, k);
    }
    td_ida_free(ida);
    return m->status == TD_OK;
}

static bool run(void *context) {
    motion *m = context;
    m->status = TD_OK;
    return m->method->ida ? run_ida(m) : run_steps(m);
}

static double error_of(const motion *m) {
    double sum = 0;
    for (int32_t i = 0; i < LOOKS * m->bodies; i++) {
        const td_vec3 d = td_vec3_sub(m->seen[i], m->truth[i]);
        sum += td_vec3_dot(d, d);
    }
    return sqrt(sum / (LOOKS * m->bodies)) / m->height;
}

// ---- its start and its truth ----------------------------------------------------------------

static double height_of(const case_plant *tree) {
    double low = 0, high = 0; // the ground counts
    for (int32_t i = 0; i < td_body_segment_count(tree->model); i++) {
        double y = td_body_tip(tree->state, i).y;
        low = fmin(low, y);
        high = fmax(high, y);
    }
    return high - low;
}

static bool take_memory(motion *m) {
    size_t coords = (size_t)td_tree_coord_count(m->tree.model);
    m->start = malloc((coords + 1) * sizeof *m->start);
    m->truth = malloc(2 * LOOKS * (size_t)m->bodies * sizeof *m->truth);
    m->seen = m->truth ? m->truth + (size_t)LOOKS * (size_t)m->bodies : NULL;
    m->status = m->start && m->truth ? TD_OK : TD_ERR_MEMORY;
    return m->status == TD_OK;
}

static bool settle(motion *m, td_vec3 gravity) {
    td_step_opts opts = td_step_opts_default();
    opts.gravity = gravity;
    m->status = td_body_settle(m->tree.state, &opts, NULL, &m->diag);
    return m->status == TD_OK;
}

static bool find_start(motion *m) {
    const td_vec3 down = td_step_opts_default().gravity, aside = {-down.y, 0, 0};
    m->bodies = td_body_segment_count(m->tree.model);
    m->height = height_of(&m->tree);
    if (!take_memory(m) || !settle(m, down)) {
        return false;
    }
    double rest = energy_of(m->tree.state, down);
    case_must(td_body_reset(m->tree.state, NULL));
    if (!settle(m, aside)) {
        return false;
    }
    m->start_energy = energy_of(m->tree.state, down);
    m->put_in = m->start_energy - rest;
    size_t bytes = (size_t)td_tree_coord_count(m->tree.model) * sizeof *m->start;
    memcpy(m->start, td_tree_coords(m->tree.state), bytes);
    return true;
}

static bool find_truth(motion *m) {
    m->method = &methods[METHOD_COUNT - 1];
    m->rtol = TRUE_RTOL;
    prepare(m);
    if (!run(m)) {
        return false;
    }
    memcpy(m->truth, m->seen, (size_t)LOOKS * (size_t)m->bodies * sizeof *m->truth);
    return true;
}

static bool open_motion(const bench *b, int plant, motion *m) {
    *m = (motion){.plant = plants[plant].name, .diag = {.message = ""}};
    bench_files files = bench_beside(plants[plant].path);
    if (files.count == 0) {
        bench_files_free(&files);
        snprintf(m->diag.message, sizeof m->diag.message, "%s is not beside the command",
                 plants[plant].path);
        return bench_fault(b, m->plant, TD_ERR_READ, &m->diag);
    }
    const bool grown = case_plant_open(files.paths[0], plants[plant].steps, &m->tree);
    bench_files_free(&files);
    if (!grown) {
        return false;
    }
    return (find_start(m) && find_truth(m)) || bench_fault(b, m->plant, m->status, &m->diag);
}

static void close_motion(motion *m) {
    case_plant_free(&m->tree);
    free(m->start);
    free(m->truth);
}

// ---- figures --------------------------------------------------------------------------------

static void print_figure(const bench *b, const motion *m, const char *how, double value,
                         const char *unit) {
    bench_row(b, m->bodies, value, unit, "%s %s %s", m->plant, m->method->name, how);
}

// One row for the error and one for the cost; negative, without rows, when it diverged.
static double measure(const bench *b, motion *m, const char *how) {
    bench_work work = {prepare, run, m};
    double seconds = bench_fastest(&work, SHARE * b->seconds);
    if (seconds >= 0) {
        print_figure(b, m, how, error_of(m), "height");
        print_figure(b, m, how, seconds, "s/s");
    }
    return seconds;
}

static double measure_steps(const bench *b, motion *m) {
    char how[32];
    snprintf(how, sizeof how, "dt=1/%.0f", (double)LOOKS * m->steps);
    return measure(b, m, how);
}

// 1, 2, 3, 6, 12, ... steps a look: at ten looks a second 1/60 s is among them
static int32_t more_steps(int32_t steps) {
    return steps == 2 ? 3 : 2 * steps;
}

// Whether a few steps from the start are stable, and what a second of them would take.
static bool reckon(motion *m, double *seconds) {
    prepare(m);
    m->status = TD_OK;
    double start = bench_now();
    for (int32_t k = 0; k < TRIED / 100 && m->status == TD_OK; k++) {
        step_on(m, 100); // what diverges is noticed soon
    }
    *seconds = (bench_now() - start) / TRIED * LOOKS * m->steps;
    return m->status == TD_OK;
}

static void refine_explicit(const bench *b, motion *m) {
    double seconds = 0;
    m->steps = 1;
    while (!reckon(m, &seconds) && m->steps < MOST_STEPS) {
        m->steps = more_steps(m->steps);
    }
    print_figure(b, m, "largest step", 1.0 / LOOKS / m->steps, "s");
    print_figure(b, m, "largest step", seconds, "s/s");
    for (; seconds < DEAREST_EXPLICIT; seconds *= 2) {
        measure_steps(b, m);
        m->steps = more_steps(m->steps);
    }
}

static void refine_implicit(const bench *b, motion *m) {
    double seconds = 0;
    for (m->steps = 1; seconds < DEAREST; m->steps = more_steps(m->steps)) {
        seconds = measure_steps(b, m);
    }
}

static void refine_ida(const bench *b, motion *m) {
    char how[32];
    double seconds = 0;
    for (int digits = 2; digits <= 9 && seconds < DEAREST; digits++) {
        m->rtol = pow(10, -digits);
        snprintf(how, sizeof how, "rtol=1e-%d", digits);
        seconds = measure(b, m, how);
    }
}

static void measure_plant(const bench *b, motion *m) {
    for (int k = 0; k < METHOD_COUNT; k++) {
        m->method = &methods[k];
        if (m->method->explicit) {
            refine_explicit(b, m);
        } else if (m->method->ida) {
            refine_ida(b, m);
        } else {
            refine_implicit(b, m);
        }
    }
}

bool bench_accuracy(const bench *b) {
    bool fine = true;
    for (int i = 0; i < PLANT_COUNT; i++) {
        motion m;
        bool open = open_motion(b, i, &m);
        if (open) {
            measure_plant(b, &m);
        }
        close_motion(&m);
        fine = open && fine;
    }
    return fine;
}
