// SPDX-License-Identifier: MIT
// tendril modes: the lowest vibrations about the pose at rest.

#include "cli/cli.h"

#include <stdlib.h>
#include <string.h>

const char cli_modes_help[] =
    "Usage: tendril modes FILE [OPTION...]\n"
    "\n"
    "Grows a model ('-' is standard input) or the objects of a scene, computes their\n"
    "pose at rest under gravity, and prints frequencies and damping ratios of the lowest\n"
    "vibration modes of each object. Constraints take part: objects that they join have\n"
    "their modes in common, which are printed once.\n"
    "\n"
    "  --count K             number of modes (10)\n"
    "  --gravity X,Y,Z       in m/s^2 (0,-9.81,0, or that of the scene)\n"
    "  --no-gravity          the same as --gravity 0,0,0\n"
    "  --object NAME         only this object of a scene\n"
    "  --json                print one object for each mode\n"
    "\n"
    "For models:\n" CLI_PLANT_HELP;

typedef struct modes_args {
    cli_plant_args plant;
    int64_t count;
    td_vec3 gravity;
    const char *object;
    bool no_gravity, json;
} modes_args;

static td_vec3 gravity_of(const modes_args *args) {
    const td_vec3 none = {0, 0, 0};
    return args->no_gravity ? none : args->gravity;
}

// ---- rows -----------------------------------------------------------------------------------

static void print_head(bool scene, bool json) {
    if (!json) {
        printf("%s%6s %12s %6s %14s\n", scene ? "object           " : "", "mode", "Hz", "kind",
               "damping ratio");
    }
}

// The objects whose modes these are: none of a model; several that constraints join.
typedef struct owners {
    const char *const *names;
    int32_t count;
} owners;

static void print_owners(owners o, bool json) {
    char text[256] = "";
    if (json && o.count > 1) {
        printf("\"objects\":[");
        for (int32_t k = 0; k < o.count; k++) {
            fputs(k > 0 ? "," : "", stdout);
            cli_json_text(stdout, o.names[k]);
        }
        printf("],");
    } else if (json) {
        cli_json_object(o.count > 0 ? o.names[0] : NULL);
    } else if (o.count > 0) {
        for (int32_t k = 0; k < o.count; k++) {
            const size_t used = strlen(text);
            snprintf(text + used, sizeof text - used, "%s%s", k > 0 ? "+" : "", o.names[k]);
        }
        cli_plain_object(text);
    }
}

static void print_modes(owners o, const td_mode *modes, int32_t count, bool json) {
    for (int32_t k = 0; k < count; k++) {
        const char *kind = modes[k].twist > 0.5 ? "twist" : "bend";
        fputs(json ? "{" : "", stdout);
        print_owners(o, json);
        if (json) {
            printf("\"mode\":%d,\"hz\":", k + 1);
            cli_json_number(stdout, modes[k].frequency);
            printf(",\"kind\":\"%s\",\"damping_ratio\":", kind);
            cli_json_number(stdout, modes[k].damping_ratio);
            printf("}\n");
        } else {
            printf("%6d %12.6g %6s %14.4g\n", k + 1, modes[k].frequency, kind,
                   modes[k].damping_ratio);
        }
    }
}

// ---- models ---------------------------------------------------------------------------------

static int find_modes(const char *path, const modes_args *args, cli_body *body) {
    td_step_stats stats;
    td_diag diag = {.message = ""};
    const td_vec3 given = gravity_of(args),
                  gravity = cli_is_given(given) ? given : td_step_opts_default().gravity;
    int code = cli_body_settle(path, body, gravity, &stats);
    if (code != EXIT_FINE) {
        return code;
    }
    int32_t dofs = td_body_dof_count(body->model);
    int32_t count = args->count < dofs ? (int32_t)args->count : dofs;
    td_mode *modes = calloc((size_t)count + 1, sizeof *modes);
    td_status status = TD_ERR_MEMORY;
    if (modes) {
        status = td_body_modes(body->state, gravity, count, modes, &diag);
    }
    if (status == TD_OK) {
        print_head(false, args->json);
        print_modes((owners){NULL, 0}, modes, count, args->json);
    } else {
        cli_print_fault(path, status, &diag);
    }
    free(modes);
    return cli_exit_code(status);
}

static int modes_of_model(const char *path, const modes_args *args) {
    cli_body body;
    int code = cli_body_open(path, &args->plant, &body);
    if (code == EXIT_FINE) {
        code = find_modes(path, args, &body);
    }
    cli_body_free(&body);
    return code;
}

// ---- scenes ---------------------------------------------------------------------------------

// Those of one actor, or of all that constraints join it to.
typedef struct found {
    int32_t actor, count;
    td_mode *modes; // NULL: not wanted, or those of an actor before
} found;

typedef struct finding {
    const modes_args *args;
    const cli_rest *rest;
    td_world *world;
    int32_t count;       // actors
    td_actor_id *joined; // room for as many
    const char **names;
    found *all;
} finding;

// The first that is wanted of those that have their modes in common.
static bool is_first(const finding *f, int32_t actor) {
    const int32_t count =
        td_world_mode_actors(f->world, td_world_actor_id(f->world, actor), f->joined, f->count);
    int32_t k = 0;
    while (k < count && !cli_rest_wants(f->rest, td_world_actor_index(f->world, f->joined[k]))) {
        k++;
    }
    return k < count && td_world_actor_index(f->world, f->joined[k]) == actor;
}

static td_status find_of(finding *f, int32_t actor, td_diag *diag) {
    const int32_t dofs = td_world_mode_count(f->world, td_world_actor_id(f->world, actor)),
                  most = dofs > 0 ? dofs : 1,
                  count = f->args->count < most ? (int32_t)f->args->count : most;
    td_mode *modes = calloc((size_t)count + 1, sizeof *modes);
    f->all[actor] = (found){actor, count, modes};
    return modes ? td_world_modes(f->world, td_world_actor_id(f->world, actor), count, modes, diag)
                 : TD_ERR_MEMORY;
}

static void print_found(const finding *f, int32_t actor) {
    const int32_t count =
        td_world_mode_actors(f->world, td_world_actor_id(f->world, actor), f->joined, f->count);
    int64_t dofs = 0;
    for (int32_t k = 0; k < count; k++) {
        const td_actor a = td_world_actor(f->world, f->joined[k]);
        f->names[k] = a.name;
        dofs += a.dof_count;
    }
    if (f->all[actor].count < f->args->count && f->all[actor].count < dofs) {
        cli_error("modes: constraints leave '%s' %d of its %lld degrees of freedom, too few for "
                  "good modes; give it more segments or elements",
                  f->names[0], (int)f->all[actor].count, (long long)dofs);
    }
    print_modes((owners){f->names, count}, f->all[actor].modes, f->all[actor].count, f->args->json);
}

// All are found before the first is printed.
static td_status find_all(finding *f, td_diag *diag) {
    td_status status = TD_OK;
    for (int32_t k = 0; k < f->count && status == TD_OK; k++) {
        if (is_first(f, k)) {
            status = find_of(f, k, diag);
        }
    }
    if (status == TD_OK) {
        print_head(true, f->args->json);
    }
    for (int32_t k = 0; k < f->count && status == TD_OK; k++) {
        if (f->all[k].modes) {
            print_found(f, k);
        }
    }
    return status;
}

static int modes_of_scene(const char *path, const modes_args *args) {
    cli_rest rest;
    td_diag diag = {.message = ""};
    int code = cli_rest_open(path, args->object, gravity_of(args), "modes", &rest);
    if (code != EXIT_FINE) {
        return code;
    }
    finding f = {.args = args,
                 .rest = &rest,
                 .world = rest.scene.world,
                 .count = td_world_actor_count(rest.scene.world)};
    const size_t n = (size_t)f.count + 1;
    f.joined = calloc(n, sizeof *f.joined);
    f.names = calloc(n, sizeof *f.names);
    f.all = calloc(n, sizeof *f.all);
    td_status status = f.joined && f.names && f.all ? find_all(&f, &diag) : TD_ERR_MEMORY;
    if (status != TD_OK) {
        cli_print_fault(path, status, &diag);
    }
    for (int32_t k = 0; f.all && k < f.count; k++) {
        free(f.all[k].modes);
    }
    free(f.all);
    free(f.names);
    free(f.joined);
    cli_rest_free(&rest);
    return status == TD_ERR_ARGUMENT ? EXIT_BAD_INPUT : cli_exit_code(status);
}

// ---- entry ----------------------------------------------------------------------------------

int cli_modes(int argc, char **argv) {
    modes_args a = {.plant = cli_plant_args_default(), .count = 10, .gravity = CLI_NOT_GIVEN};
    const cli_option options[] = {CLI_PLANT_OPTIONS(a.plant),
                                  {"--count", CLI_INTEGER, &a.count, 1},
                                  {"--gravity", CLI_VECTOR, &a.gravity, 0},
                                  {"--no-gravity", CLI_FLAG, &a.no_gravity, 0},
                                  {"--object", CLI_TEXT, &a.object, 0},
                                  {"--json", CLI_FLAG, &a.json, 0},
                                  {0}};
    if (cli_read_options(argc, argv, options, "modes", "one FILE") < 0 ||
        !cli_plant_args_check(&a.plant, "modes")) {
        return EXIT_MISUSE;
    }
    if (!cli_rest_args_check(argv[0], &a.plant, a.object, "modes")) {
        return EXIT_MISUSE;
    }
    return (cli_is_scene(argv[0]) ? modes_of_scene : modes_of_model)(argv[0], &a);
}
