// SPDX-License-Identifier: MIT
// Steps a scene and prints where all joints are then, for scripts/check-wasm.mjs, which compares
// them with those of the WebAssembly module: make_poses SCENE.yaml SECONDS

#include "tendril/tendril.h"
#include "tendril/yaml.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static int fail(const char *what, const td_diag *diag) {
    fprintf(stderr, "make_poses: %s: %s\n", what, diag->message);
    return 1;
}

static void print_poses(const td_world *world, td_vec3 *origins) {
    for (int32_t k = 0; k < td_world_actor_count(world); k++) {
        td_world_pose(world, td_world_actor_id(world, k), NULL, NULL, origins, NULL);
        for (int32_t i = 0; i < td_world_actor(world, td_world_actor_id(world, k)).segment_count;
             i++) {
            printf("%d %d %.17g %.17g %.17g\n", k, i, origins[i].x, origins[i].y, origins[i].z);
        }
    }
}

int main(int argc, char **argv) {
    td_diag diag = {.message = ""};
    td_diag_list diags = {&diag, 1, 0};
    td_loader loader = td_file_loader();
    td_world_opts opts = td_world_opts_default();
    td_bytes text;
    td_value *value;
    td_scene *scene;
    td_world *world;
    opts.loader = &loader;
    if (argc != 3) {
        fputs("usage: make_poses SCENE.yaml SECONDS\n", stderr);
        return 2;
    }
    if (td_file_read(argv[1], (size_t)1 << 24, NULL, &text, &diag) != TD_OK ||
        td_value_from_yaml((const char *)text.data, text.size, argv[1], NULL, &value, &diag) !=
            TD_OK ||
        td_scene_from_value(value, argv[1], NULL, &scene, &diags) != TD_OK ||
        td_world_from_scene(scene, &opts, NULL, &world, &diags) != TD_OK) {
        return fail(argv[1], &diag);
    }
    long steps = lround(atof(argv[2]) / td_world_dt(world));
    for (long k = 0; k < steps; k++) {
        if (td_world_step(world, &diag) != TD_OK) {
            return fail("step", &diag);
        }
    }
    int32_t most = 0;
    for (int32_t k = 0; k < td_world_actor_count(world); k++) {
        int32_t count = td_world_actor(world, td_world_actor_id(world, k)).segment_count;
        most = count > most ? count : most;
    }
    td_vec3 *origins = malloc((size_t)most * sizeof *origins);
    if (origins) {
        print_poses(world, origins);
    }
    free(origins);
    td_world_free(world);
    td_scene_free(scene);
    td_bytes_free(&text);
    return origins ? 0 : 1;
}
