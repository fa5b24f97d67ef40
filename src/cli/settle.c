// SPDX-License-Identifier: MIT
// tendril settle: the pose at rest under gravity.

#include "cli/cli.h"

#include <math.h>
#include <stdlib.h>

static const char help[] =
    "Usage: tendril settle FILE [OPTION...]\n"
    "\n"
    "Grows a model ('-' is standard input) and computes its pose at rest under gravity.\n"
    "Prints the tip of every segment, the energy of springs and weight in J, the\n"
    "Newton iterations, and the largest unbalanced moment in N m.\n"
    "\n"
    "  --gravity X,Y,Z       in m/s^2 (0,-9.81,0)\n"
    "  --json                print one object for each segment and one for the "
    "plant\n" CLI_PLANT_HELP;

// What the whole adds up to.
typedef struct figures {
    double energy;   // J
    double residual; // N m, and N of slides
    int64_t iterations;
} figures;

// At rest the moments of the springs balance those that hold the weight, joint by joint.
static bool measure(cli_tree *tree, td_vec3 gravity, figures *out) {
    size_t dofs = (size_t)td_tree_dof_count(tree->model);
    double *hold = calloc(2 * dofs + 1, sizeof *hold);
    double *springs = hold + dofs;
    if (!hold) {
        return false;
    }
    td_tree_inverse(tree->state, gravity, springs, hold); // springs[] is still all zero
    td_tree_joint_torque(tree->state, springs);
    out->residual = 0;
    for (size_t d = 0; d < dofs; d++) {
        out->residual = fmax(out->residual, fabs(hold[d] - springs[d]));
    }
    free(hold);
    td_energy energy = td_tree_energy(tree->state, gravity);
    out->energy = energy.elastic + energy.weight;
    return true;
}

static void print_json(const cli_tree *tree, const figures *f) {
    const td_segment *segments = td_skeleton_segments(tree->skeleton);
    for (int32_t i = 0; i < td_tree_body_count(tree->model); i++) {
        td_vec3 tip = td_tree_tip(tree->state, i);
        printf("{\"segment\":%d,\"parent\":%d,\"x\":", i, segments[i].parent);
        cli_json_number(stdout, tip.x);
        printf(",\"y\":");
        cli_json_number(stdout, tip.y);
        printf(",\"z\":");
        cli_json_number(stdout, tip.z);
        printf("}\n");
    }
    printf("{\"energy\":");
    cli_json_number(stdout, f->energy);
    printf(",\"iterations\":%lld,\"residual\":", (long long)f->iterations);
    cli_json_number(stdout, f->residual);
    printf("}\n");
}

static void print_plain(const cli_tree *tree, const figures *f) {
    const td_segment *segments = td_skeleton_segments(tree->skeleton);
    printf("%8s %8s %12s %12s %12s\n", "segment", "parent", "x, m", "y, m", "z, m");
    for (int32_t i = 0; i < td_tree_body_count(tree->model); i++) {
        td_vec3 tip = td_tree_tip(tree->state, i);
        printf("%8d %8d %12.6f %12.6f %12.6f\n", i, segments[i].parent, tip.x, tip.y, tip.z);
    }
    printf("energy      %.9g J\niterations  %lld\nresidual    %.3g N m\n", f->energy,
           (long long)f->iterations, f->residual);
}

int cli_settle(int argc, char **argv) {
    cli_plant_args plant = cli_plant_args_default();
    td_vec3 gravity = td_step_opts_default().gravity;
    bool json = false, want_help = false;
    const cli_option options[] = {CLI_PLANT_OPTIONS(plant),
                                  {"--gravity", CLI_VECTOR, &gravity, 0},
                                  {"--json", CLI_FLAG, &json, 0},
                                  {"--help", CLI_FLAG, &want_help, 0}};
    int operands =
        cli_read_options(argc, argv, options, (int)(sizeof options / sizeof options[0]), "settle");
    if (operands < 0 || !cli_plant_args_check(&plant, "settle")) {
        return EXIT_MISUSE;
    }
    if (want_help) {
        fputs(help, stdout);
        return EXIT_FINE;
    }
    if (operands != 1) {
        cli_error("settle: expected one FILE, but %d are given; see 'tendril settle --help'",
                  operands);
        return EXIT_MISUSE;
    }
    cli_tree tree;
    td_step_stats stats;
    figures f;
    int code = cli_tree_open(argv[0], &plant, &tree);
    if (code == EXIT_FINE) {
        code = cli_tree_settle(argv[0], &tree, gravity, &stats);
    }
    if (code == EXIT_FINE && !measure(&tree, gravity, &f)) {
        cli_error("%s", td_status_text(TD_ERR_MEMORY));
        code = cli_exit_code(TD_ERR_MEMORY);
    }
    if (code == EXIT_FINE) {
        f.iterations = stats.iterations;
        (json ? print_json : print_plain)(&tree, &f);
    }
    cli_tree_free(&tree);
    return code;
}
