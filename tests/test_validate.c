// SPDX-License-Identifier: MIT
// Models that are broken stop debug builds. Pairs with src/*/validate.c.

#include "rod/model.h"
#include "test_tree_support.h"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

// Whether a process of its own aborts in it.
static bool aborts(void (*validate)(void *model), void *model) {
    int status = 0;
    fflush(stdout);
    pid_t child = fork();
    if (child == 0) {
        close(STDERR_FILENO);
        validate(model);
        _exit(0);
    }
    return child > 0 && waitpid(child, &status, 0) == child && WIFSIGNALED(status) &&
           WTERMSIG(status) == SIGABRT;
}

static void validate_tree(void *model) {
    tdi_tree_model_validate(model);
}
static void validate_rod(void *model) {
    tdi_rod_model_validate(model);
}

TD_TEST(tree_whose_parents_runs_or_numbers_are_wrong_stops_debug_builds) {
    tdi_random r;
    tdi_random_seed(&r, 7);
    tree t = random_tree(&r, 8, BUSHY, 10, TD_LAW_LINEAR);
    td_body_model *m = t.model;
    if (!TDI_ASSERTS) {
        test_skip("asserts are off in this build");
    } else {
        const int32_t parent = tdi_as_tree_model(m)->parent[3],
                      last = tdi_as_tree_model(m)->run[0].last;
        const td_real mass = tdi_as_tree_model(m)->body[2].mass;
        CHECK(!aborts(validate_tree, m));
        tdi_as_tree_model(m)->parent[3] = 3;
        CHECK(aborts(validate_tree, m));
        tdi_as_tree_model(m)->parent[3] = parent;
        tdi_as_tree_model(m)->run[0].last++;
        CHECK(aborts(validate_tree, m));
        tdi_as_tree_model(m)->run[0].last = last;
        tdi_as_tree_model(m)->body[2].mass = NAN;
        CHECK(aborts(validate_tree, m));
        tdi_as_tree_model(m)->body[2].mass = mass;
        CHECK(!aborts(validate_tree, m));
    }
    tree_free(t);
}

TD_TEST(rod_whose_ring_is_open_or_numbers_are_wrong_stops_debug_builds) {
    static const td_vec3 points[4] = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}};
    td_rod_def d = td_rod_def_default();
    td_body_model *m = NULL;
    d.vertex_count = 4;
    d.points = points;
    d.closed = true;
    CHECK_INT(td_rod_model_new(&d, 1, NULL, 0, NULL, &m, NULL), TD_OK);
    if (!TDI_ASSERTS) {
        test_skip("asserts are off in this build");
    } else {
        const int32_t parent = tdi_as_rod_model(m)->node[0].parent;
        const td_real length = tdi_as_rod_model(m)->node[2].length;
        CHECK(!aborts(validate_rod, m));
        tdi_as_rod_model(m)->node[0].parent = TD_NONE;
        CHECK(aborts(validate_rod, m));
        tdi_as_rod_model(m)->node[0].parent = parent;
        tdi_as_rod_model(m)->node[2].length = NAN;
        CHECK(aborts(validate_rod, m));
        tdi_as_rod_model(m)->node[2].length = length;
        CHECK(!aborts(validate_rod, m));
    }
    td_body_model_free(m);
}
