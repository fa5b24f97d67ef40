// SPDX-License-Identifier: MIT
// tendril settle: the pose at rest under gravity.

#include "cli/cli.h"

#include <math.h>

const char cli_settle_help[] =
    "Usage: tendril settle FILE [OPTION...]\n"
    "\n"
    "Grows a model ('-' is standard input) or the objects of a scene and computes their\n"
    "pose at rest under gravity. Prints the tip of every segment, the energy of springs\n"
    "and weight in J, the Newton iterations, and the largest unbalanced moment in N m.\n"
    "Winds and other loads of a scene do not act.\n"
    "\n"
    "  --gravity X,Y,Z       in m/s^2 (0,-9.81,0, or that of the scene)\n"
    "  --object NAME         only this object of a scene\n"
    "  --json                print one object for each segment and one for the whole\n"
    "\n"
    "For models:\n" CLI_PLANT_HELP;

typedef struct settle_args {
    cli_plant_args plant;
    td_vec3 gravity;
    const char *object;
    bool json;
} settle_args;

// ---- rows -----------------------------------------------------------------------------------

static void print_head(bool scene, bool json) {
    if (!json) {
        printf("%s%8s %8s %12s %12s %12s\n", scene ? "object           " : "", "segment", "parent",
               "x, m", "y, m", "z, m");
    }
}

// `object` is NULL for a model.
static void print_segment(const char *object, int32_t i, int32_t parent, td_vec3 tip, bool json) {
    if (!json) {
        cli_plain_object(object);
        printf("%8d %8d %12.6f %12.6f %12.6f\n", i, parent, tip.x, tip.y, tip.z);
        return;
    }
    putchar('{');
    cli_json_object(object);
    printf("\"segment\":%d,\"parent\":%d,\"x\":", i, parent);
    cli_json_number(stdout, tip.x);
    printf(",\"y\":");
    cli_json_number(stdout, tip.y);
    printf(",\"z\":");
    cli_json_number(stdout, tip.z);
    printf("}\n");
}

static void warn_of_unstable(const char *object) {
    cli_error("warning: %s%s%s is at rest where it is not stable: it falls at the slightest push",
              object ? "'" : "", object ? object : "the plant", object ? "'" : "");
}

static void print_whole(const char *object, const td_rest *rest, bool json) {
    const bool known = !isnan(rest->residual);
    if (!json) {
        printf("%s%senergy      %.9g J\niterations  %lld\n", object ? object : "",
               object ? ":\n" : "", rest->energy, (long long)rest->iterations);
        if (known) {
            printf("residual    %.3g N m\n", rest->residual);
        }
        return;
    }
    putchar('{');
    cli_json_object(object);
    printf("\"energy\":");
    cli_json_number(stdout, rest->energy);
    printf(",\"iterations\":%lld,\"residual\":", (long long)rest->iterations);
    if (known) {
        cli_json_number(stdout, rest->residual);
    } else {
        printf("null");
    }
    printf(",\"unstable\":%s}\n", rest->unstable ? "true" : "false");
}

// ---- models ---------------------------------------------------------------------------------

static void print_model(const cli_body *body, const td_rest *rest, bool json) {
    const td_segment *segments = td_skeleton_segments(body->skeleton);
    print_head(false, json);
    for (int32_t i = 0; i < td_body_segment_count(body->model); i++) {
        print_segment(NULL, i, segments[i].parent, td_body_tip(body->state, i), json);
    }
    print_whole(NULL, rest, json);
}

static int settle_model(const char *path, const settle_args *a) {
    const td_vec3 gravity = cli_is_given(a->gravity) ? a->gravity : td_step_opts_default().gravity;
    cli_body body;
    td_step_stats stats;
    int code = cli_body_open(path, &a->plant, &body);
    if (code == EXIT_FINE) {
        code = cli_body_settle(path, &body, gravity, &stats);
    }
    if (code == EXIT_FINE) {
        const td_energy energy = td_body_energy(body.state, gravity);
        const td_rest rest = {.energy = energy.elastic + energy.weight,
                              .residual = td_body_residual(body.state, gravity),
                              .iterations = stats.iterations,
                              .unstable = stats.unstable > 0};
        if (rest.unstable) {
            warn_of_unstable(NULL);
        }
        print_model(&body, &rest, a->json);
    }
    cli_body_free(&body);
    return code;
}

// ---- scenes ---------------------------------------------------------------------------------

static void print_actor(const td_world *world, int32_t actor, const td_rest *rest, bool json) {
    const td_actor a = td_world_actor(world, td_world_actor_id(world, actor));
    const td_segment *segments = td_skeleton_segments(a.skeleton);
    for (int32_t i = 0; i < a.segment_count; i++) {
        td_vec3 tip;
        td_world_segment(world, td_world_actor_id(world, actor), i, NULL, &tip, NULL);
        print_segment(a.name, i, segments[i].parent, tip, json);
    }
    print_whole(a.name, rest, json);
}

static int settle_scene(const char *path, const settle_args *a) {
    cli_rest rest;
    int code = cli_rest_open(path, a->object, a->gravity, "settle", &rest);
    if (code != EXIT_FINE) {
        return code;
    }
    print_head(true, a->json);
    for (int32_t k = 0; k < td_world_actor_count(rest.scene.world); k++) {
        if (cli_rest_wants(&rest, k)) {
            if (rest.rests[k].unstable && !rest.warned[k]) {
                warn_of_unstable(
                    td_world_actor(rest.scene.world, td_world_actor_id(rest.scene.world, k)).name);
            }
            print_actor(rest.scene.world, k, &rest.rests[k], a->json);
        }
    }
    cli_rest_free(&rest);
    return EXIT_FINE;
}

// ---- entry ----------------------------------------------------------------------------------

int cli_settle(int argc, char **argv) {
    settle_args a = {.plant = cli_plant_args_default(), .gravity = CLI_NOT_GIVEN};
    const cli_option options[] = {CLI_PLANT_OPTIONS(a.plant),
                                  {"--gravity", CLI_VECTOR, &a.gravity, 0},
                                  {"--object", CLI_TEXT, &a.object, 0},
                                  {"--json", CLI_FLAG, &a.json, 0},
                                  {0}};
    if (cli_read_options(argc, argv, options, "settle", "one FILE") < 0 ||
        !cli_plant_args_check(&a.plant, "settle")) {
        return EXIT_MISUSE;
    }
    if (!cli_rest_args_check(argv[0], &a.plant, a.object, "settle")) {
        return EXIT_MISUSE;
    }
    return (cli_is_scene(argv[0]) ? settle_scene : settle_model)(argv[0], &a);
}
