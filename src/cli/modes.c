// SPDX-License-Identifier: MIT
// tendril modes: the lowest vibrations about the pose at rest.

#include "cli/cli.h"

#include <stdlib.h>

static const char help[] =
    "Usage: tendril modes FILE [OPTION...]\n"
    "\n"
    "Grows a model ('-' is standard input), computes its pose at rest under gravity,\n"
    "and prints frequencies and damping ratios of its lowest vibration modes.\n"
    "\n"
    "  --count K             number of modes (10)\n"
    "  --gravity X,Y,Z       in m/s^2 (0,-9.81,0)\n"
    "  --no-gravity          the same as --gravity 0,0,0\n"
    "  --json                print one object for each mode\n" CLI_PLANT_HELP;

typedef struct modes_args {
    cli_plant_args plant;
    int64_t count;
    td_vec3 gravity;
    bool no_gravity, json, help;
} modes_args;

static void print_modes(const td_mode *modes, int32_t count, bool json) {
    if (!json) {
        printf("%6s %12s %6s %14s\n", "mode", "Hz", "kind", "damping ratio");
    }
    for (int32_t k = 0; k < count; k++) {
        const char *kind = modes[k].twist > 0.5 ? "twist" : "bend";
        if (json) {
            printf("{\"mode\":%d,\"hz\":", k + 1);
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

static int find_modes(const char *path, const modes_args *args, cli_tree *tree) {
    td_step_stats stats;
    td_diag diag = {.message = ""};
    const td_vec3 none = {0, 0, 0};
    td_vec3 gravity = args->no_gravity ? none : args->gravity;
    int code = cli_tree_settle(path, tree, gravity, &stats);
    if (code != EXIT_FINE) {
        return code;
    }
    int32_t dofs = td_tree_dof_count(tree->model);
    int32_t count = args->count < dofs ? (int32_t)args->count : dofs;
    td_mode *modes = calloc((size_t)count + 1, sizeof *modes);
    td_status status = TD_ERR_MEMORY;
    if (modes) {
        status = td_tree_modes(tree->state, gravity, count, modes, NULL, &diag);
    }
    if (status == TD_OK) {
        print_modes(modes, count, args->json);
    } else {
        cli_print_fault(path, status, &diag);
    }
    free(modes);
    return cli_exit_code(status);
}

int cli_modes(int argc, char **argv) {
    modes_args a = {
        .plant = cli_plant_args_default(), .count = 10, .gravity = td_step_opts_default().gravity};
    const cli_option options[] = {CLI_PLANT_OPTIONS(a.plant),
                                  {"--count", CLI_INTEGER, &a.count, 1},
                                  {"--gravity", CLI_VECTOR, &a.gravity, 0},
                                  {"--no-gravity", CLI_FLAG, &a.no_gravity, 0},
                                  {"--json", CLI_FLAG, &a.json, 0},
                                  {"--help", CLI_FLAG, &a.help, 0}};
    int operands =
        cli_read_options(argc, argv, options, (int)(sizeof options / sizeof options[0]), "modes");
    if (operands < 0 || !cli_plant_args_check(&a.plant, "modes")) {
        return EXIT_MISUSE;
    }
    if (a.help) {
        fputs(help, stdout);
        return EXIT_FINE;
    }
    if (operands != 1) {
        cli_error("modes: expected one FILE, but %d are given; see 'tendril modes --help'",
                  operands);
        return EXIT_MISUSE;
    }
    cli_tree tree;
    int code = cli_tree_open(argv[0], &a.plant, &tree);
    if (code == EXIT_FINE) {
        code = find_modes(argv[0], &a, &tree);
    }
    cli_tree_free(&tree);
    return code;
}
