// SPDX-License-Identifier: MIT
// tendril bench adaptive: implicit steps of trees of which only some joints move.
//
// Method   a plant is stepped twice in the same wind or by the same hand, whole and reduced, one
//          after the other, for six seconds. Speed-up is that of the steps, choices and changes
//          included, without the wind, which a world asks for at fewer places. The error is that of
//          the tips, rms over tips and steps, of their motion from where they began.

#include "cli/bench.h"
#include "cli/reduce_motion.h"

#include <math.h>
#include <stdio.h>

#define STEPS 360

static const struct {
    const char *name;
    uint32_t modes;
} sets[] = {{"together", ~0u},
            {"frozen", 1u << TD_REDUCE_FROZEN},
            {"coarse", 1u << TD_REDUCE_JOINED},
            {"riding", 1u << TD_REDUCE_RIDING},
            {"fewer iterations", 0}};
enum { SETS = sizeof sets / sizeof sets[0] };

static bool point(const bench *b, const reduce_case *of, double error, int set, bool first) {
    td_reduce_opts opts = td_reduce_opts_default();
    reduce_motion m;
    char name[120];
    opts.error = error;
    opts.modes = sets[set].modes;
    bool fine = reduce_motion_open(&m, of, &opts);
    for (int k = 0; fine && k < STEPS; k++) {
        fine = reduce_motion_step(&m);
    }
    if (!fine) {
        bench_fault(b, of->name, TD_ERR_READ, &m.diag);
        reduce_motion_close(&m);
        return false;
    }
    const double looks = (double)m.looks;
    snprintf(name, sizeof name, "%s, %s, error %g m allowed: speed-up", of->name, sets[set].name,
             error);
    bench_row(b, name, m.count, m.full_seconds / m.reduced_seconds, "times");
    snprintf(name, sizeof name, "%s, %s, error %g m allowed: error", of->name, sets[set].name,
             error);
    bench_row(b, name, m.count, 100 * sqrt(m.error / m.moved), "% of the motion");
    snprintf(name, sizeof name, "%s, %s, error %g m allowed: estimate over error", of->name,
             sets[set].name, error);
    bench_row(b, name, m.count, sqrt(m.estimate / m.error), "times");
    snprintf(name, sizeof name, "%s, %s, error %g m allowed: joints that move", of->name,
             sets[set].name, error);
    bench_row(b, name, m.count, m.joints / looks, "joints");
    if (first) {
        snprintf(name, sizeof name, "%s: memory a joint", of->name);
        bench_row(b, name, m.count, (double)td_reduced_bytes(m.reduced) / m.count, "bytes");
    }
    reduce_motion_close(&m);
    return true;
}

bool bench_reduced(const bench *b) {
    static const struct {
        const reduce_case *of;
        double errors[3];
    } cases[] = {{&reduce_willow, {0.02, 0.05, 0.1}},
                 {&reduce_palm, {0.002, 0.004, 0.01}},
                 {&reduce_jungle, {0.004, 0.008, 0.012}},
                 {&reduce_orchid, {0.0003, 0.001, 0.003}},
                 {&reduce_oak, {0.0003, 0.001, 0.003}}};
    bool fine = true;
    for (size_t c = 0; fine && c < sizeof cases / sizeof cases[0]; c++) {
        for (int set = 0; fine && set < SETS; set++) {
            for (int k = 0; fine && k < (set == 0 ? 3 : 1); k++) {
                fine = point(b, cases[c].of, cases[c].errors[set == 0 ? k : 1], set,
                             set == 0 && k == 0);
            }
        }
    }
    return fine;
}
