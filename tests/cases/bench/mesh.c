// SPDX-License-Identifier: MIT
// tendril bench mesh: the triangles of the plants that come with the command, and what they take.
//
// Method   Each plant is grown once. Its mesh is made again and again until the time is spent, and
//          the fastest counts: as it is, and with a limit on its triangles.

#include "cases/bench/bench.h"

#include <string.h>

#define LIMIT 10000 // triangles: what a plant in the background may have

typedef struct mesh_run {
    const td_skeleton *skeleton;
    td_mesh_opts opts;
    int64_t triangles;
    size_t bytes; // of the .glb
} mesh_run;

static bool make_mesh(void *context) {
    mesh_run *r = context;
    td_mesh *mesh = NULL;
    if (td_mesh_new(r->skeleton, &r->opts, NULL, &mesh, NULL) != TD_OK) {
        return false;
    }
    r->triangles = 0;
    for (int32_t i = 0; i < td_mesh_part_count(mesh); i++) {
        r->triangles += td_mesh_part_get(mesh, i).index_count / 3;
    }
    td_mesh_free(mesh);
    return true;
}

static bool measure_file(mesh_run *r) {
    td_mesh *mesh = NULL;
    td_bytes bytes = {0};
    bool fine = td_mesh_new(r->skeleton, &r->opts, NULL, &mesh, NULL) == TD_OK &&
                td_mesh_glb(mesh, "bench", NULL, &bytes) == TD_OK;
    r->bytes = bytes.size;
    td_bytes_free(&bytes);
    td_mesh_free(mesh);
    return fine;
}

// rows of one way to draw a plant; n is its triangles
static bool print_mesh(const bench *b, const char *name, mesh_run *r) {
    bench_work work = {NULL, make_mesh, r};
    double seconds = bench_fastest(&work, b->seconds);
    if (seconds < 0 || !measure_file(r)) {
        return bench_fault(b, name, TD_ERR_MEMORY, NULL);
    }
    bench_row(b, r->triangles, 1e3 * seconds, "ms", "%s", name);
    bench_row(b, r->triangles, 1e-6 * (double)r->bytes, "MB", "%s", name);
    return true;
}

static bool bench_plant(const bench *b, const char *path) {
    const char *slash = strrchr(path, '/');
    char name[96], limited[128];
    snprintf(name, sizeof name, "%s", slash ? slash + 1 : path);
    *strrchr(name, '.') = 0; // the pattern ends with .lsys
    snprintf(limited, sizeof limited, "%s, at most %d", name, LIMIT);
    case_plant tree;
    if (!case_plant_open(path, -1, &tree)) {
        return false;
    }
    mesh_run r = {.skeleton = tree.skeleton, .opts = td_mesh_opts_default()};
    bool fine = print_mesh(b, name, &r);
    if (fine && r.triangles > LIMIT) {
        r.opts.max_triangles = LIMIT;
        fine = print_mesh(b, limited, &r);
    }
    case_plant_free(&tree);
    return fine;
}

bool bench_mesh(const bench *b) {
    bench_files plants = bench_beside("../scenes/plants/*.lsys");
    bool fine = true;
    for (size_t i = 0; i < plants.count; i++) {
        fine = bench_plant(b, plants.paths[i]) && fine;
    }
    if (plants.count == 0) {
        td_diag diag = {.message = "no plant is beside the command"};
        fine = bench_fault(b, "plants", TD_ERR_READ, &diag);
    }
    bench_files_free(&plants);
    return fine;
}
