// SPDX-License-Identifier: MIT
// From a model's file to a plant, and to one with a body: what grow, settle and modes share.

#include "cli/cli.h"

#include <string.h>
#include <unistd.h>

#define TALLEST 150 // m; the tallest tree has 116

// ---- options --------------------------------------------------------------------------------

cli_plant_args cli_plant_args_default(void) {
    cli_plant_args args = {.steps = -1,
                           .seed = TD_SEED_FROM_TEXT,
                           .max_modules = td_derive_opts_default().max_modules,
                           .max_loops = td_derive_opts_default().max_loops,
                           .springs = "clamped"};
    return args;
}

bool cli_plant_args_check(const cli_plant_args *args, const char *command) {
    if (strcmp(args->springs, "clamped") != 0 && strcmp(args->springs, "thesis") != 0) {
        cli_error("%s: --springs is '%s'; it must be clamped or thesis", command, args->springs);
        return false;
    }
    if (args->max_segments > INT32_MAX) {
        cli_error("%s: --max-segments is %lld; it must be at most %d", command,
                  (long long)args->max_segments, INT32_MAX);
        return false;
    }
    return true;
}

bool cli_plant_args_grow(const cli_plant_args *args) {
    const cli_plant_args none = cli_plant_args_default();
    return args->steps != none.steps || args->seed != none.seed ||
           args->max_modules != none.max_modules || args->max_segments != none.max_segments ||
           args->max_loops != none.max_loops || args->prune_length > 0 || args->prune_mass > 0 ||
           strcmp(args->springs, none.springs) != 0 || args->defines.count > 0 || args->view;
}

bool cli_plant_args_of_skeleton(const cli_plant_args *args, const char *path) {
    if (cli_plant_args_grow(args)) {
        cli_error("%s is a skeleton, which does not grow: options such as --steps, --seed and "
                  "--define are for models",
                  path);
        return false;
    }
    return true;
}

td_skeleton_opts cli_skeleton_opts(const cli_plant_args *args) {
    td_skeleton_opts opts = td_skeleton_opts_default();
    opts.springs = strcmp(args->springs, "thesis") == 0 ? TD_SPRING_THESIS : TD_SPRING_CLAMPED;
    opts.prune_length = args->prune_length;
    opts.prune_mass = args->prune_mass;
    if (args->max_segments > 0) {
        opts.max_segments = (int32_t)args->max_segments;
    }
    return opts;
}

// ---- deriving -------------------------------------------------------------------------------

void cli_print_fault(const char *path, td_status status, td_diag *diag) {
    diag->status = status;
    if (!diag->file[0] && status != TD_ERR_WRITE) {
        snprintf(diag->file, sizeof diag->file, "%s", strcmp(path, "-") == 0 ? "<stdin>" : path);
    }
    if (!diag->message[0]) {
        snprintf(diag->message, sizeof diag->message, "%s", td_status_text(status));
    }
    cli_print_diag(diag);
}

// On a terminal, once the work has taken a while.
static void show_progress(int64_t step, int64_t steps, int64_t modules, double started) {
    static double last;
    double now = cli_seconds();
    if (!isatty(2) || now - started < 0.5 || (now - last < 0.1 && step < steps)) {
        return;
    }
    last = now;
    int filled = steps > 0 ? (int)(30 * step / steps) : 30;
    fprintf(stderr, "\r[%.*s%*s] step %lld of %lld, %lld modules ", filled,
            "##############################", 30 - filled, "", (long long)step, (long long)steps,
            (long long)modules);
    if (step == steps) {
        fputc('\n', stderr);
    }
}

static td_status derive(const td_grammar *grammar, const cli_plant_args *args, td_derivation **out,
                        td_diag *diag) {
    cli_prints prints = {.count = 0};
    td_derive_opts opts = td_derive_opts_default();
    opts.print = (td_print){cli_prints_take, &prints};
    opts.float_parameters = args->float_parameters;
    opts.seed = args->seed;
    opts.max_modules = args->max_modules;
    opts.max_loops = args->max_loops;
    double started = cli_seconds();
    int64_t steps = args->steps >= 0 ? args->steps : td_grammar_steps(grammar);
    td_status status = td_derivation_new(grammar, &opts, NULL, out, diag);
    for (int64_t i = 0; i < steps && status == TD_OK; i++) {
        status = td_derivation_step(*out, diag);
        show_progress(i + 1, steps, td_derivation_string(*out).module_count, started);
    }
    status = status == TD_OK ? td_derivation_end(*out, diag) : status;
    status = status == TD_OK ? cli_prints_write(&prints, args->out, diag) : status;
    cli_prints_free(&prints);
    return status;
}

td_status cli_plant_derive(const char *path, const cli_plant_args *args, cli_plant *plant) {
    td_diag diag = {.message = ""};
    *plant = (cli_plant){NULL, NULL};
    td_status status = cli_load_model(path, &args->defines, args->view, &plant->grammar);
    if (status != TD_OK) {
        return status;
    }
    status = derive(plant->grammar, args, &plant->derivation, &diag);
    if (status != TD_OK) {
        cli_print_fault(path, status, &diag);
        cli_plant_free(plant);
    }
    return status;
}

td_status cli_check_size(const char *path, const cli_plant *plant, const td_skeleton_opts *opts,
                         td_totals *totals, td_diag *diag) {
    td_string string = td_derivation_string(plant->derivation);
    td_status status = td_totals_from_string(plant->grammar, &string, opts, NULL, totals, diag);
    if (status == TD_OK && totals->segment_count > opts->max_segments) {
        status = TD_ERR_LIMIT;
        snprintf(diag->message, sizeof diag->message,
                 "there are %lld segments, more than the %d of --max-segments",
                 (long long)totals->segment_count, opts->max_segments);
    }
    if (status == TD_OK && totals->height > TALLEST) {
        fprintf(stderr,
                "%s: warning: the plant is %.3g m tall; 'length unit: 0.01' in its header would "
                "make a turtle unit 1 cm\n",
                path, totals->height);
    }
    return status;
}

void cli_plant_free(cli_plant *plant) {
    td_derivation_free(plant->derivation);
    td_grammar_free(plant->grammar);
    *plant = (cli_plant){NULL, NULL};
}

// ---- bodies ---------------------------------------------------------------------------------

// The skeleton of a model or of a file; a fault of a file that cannot be read has been told, and
// *told says so.
static td_status open_skeleton(const char *path, const cli_plant_args *args, td_skeleton **skeleton,
                               bool *told, td_diag *diag) {
    cli_plant plant;
    *told = true;
    if (cli_is_skeleton(path)) {
        return cli_load_skeleton(path, skeleton);
    }
    td_status status = cli_plant_derive(path, args, &plant);
    if (status != TD_OK) {
        return status;
    }
    *told = false;
    td_string string = td_derivation_string(plant.derivation);
    td_skeleton_opts opts = cli_skeleton_opts(args);
    if (args->max_segments == 0) { // a body takes more than a skeleton
        opts.max_segments = (int32_t)td_world_opts_default().max_segments;
    }
    td_totals totals;
    status = cli_check_size(path, &plant, &opts, &totals, diag);
    status = status == TD_OK
                 ? td_skeleton_from_string(plant.grammar, &string, &opts, NULL, skeleton, diag)
                 : status;
    cli_plant_free(&plant);
    return status;
}

int cli_body_open(const char *path, const cli_plant_args *args, cli_body *body) {
    td_diag diag = {.message = ""};
    bool told = false;
    *body = (cli_body){NULL, NULL, NULL};
    if (cli_is_skeleton(path) && !cli_plant_args_of_skeleton(args, path)) {
        return EXIT_MISUSE;
    }
    td_status status = open_skeleton(path, args, &body->skeleton, &told, &diag);
    if (status != TD_OK && told) {
        return cli_exit_code(status);
    }
    status = status == TD_OK
                 ? td_body_model_new(body->skeleton, NULL, NULL, NULL, &body->model, &diag)
                 : status;
    status = status == TD_OK ? td_body_new(body->model, NULL, &body->state, &diag) : status;
    if (status != TD_OK) {
        cli_print_fault(path, status, &diag);
        cli_body_free(body);
    }
    // an argument out of its range came from the file, not from the command line
    return status == TD_ERR_ARGUMENT ? EXIT_BAD_INPUT : cli_exit_code(status);
}

void cli_body_free(cli_body *body) {
    td_body_free(body->state);
    td_body_model_free(body->model);
    td_skeleton_free(body->skeleton);
    *body = (cli_body){NULL, NULL, NULL};
}

int cli_body_settle(const char *path, cli_body *body, td_vec3 gravity, td_step_stats *stats) {
    td_diag diag = {.message = ""};
    td_step_opts opts = td_step_opts_default();
    opts.gravity = gravity;
    *stats = (td_step_stats){0};
    td_status status = td_body_settle(body->state, &opts, stats, &diag);
    if (status == TD_OK && stats->unconverged > 0) {
        status = TD_ERR_DIVERGED;
        snprintf(diag.message, sizeof diag.message,
                 "the plant does not come to rest: Newton's method stopped after %lld iterations",
                 (long long)stats->iterations);
    }
    if (status != TD_OK) {
        cli_print_fault(path, status, &diag);
    }
    return cli_exit_code(status);
}
