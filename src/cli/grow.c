// SPDX-License-Identifier: MIT
// tendril grow: from a model to its string, skeleton, mesh and figures.

#include "cli/cli.h"

#include "tendril/algebra.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

const char cli_grow_help[] =
    "Usage: tendril grow FILE [OPTION...]\n"
    "\n"
    "Grows an L-system model ('-' is standard input), or reads a skeleton (.json).\n"
    "\n"
    "  -o OUT                write OUT: .glb (mesh), .json (skeleton) or .txt (string)\n"
    "  --string              print the string\n"
    "  --stats               print modules, length, segments, mass and height\n"
    "  --json                print them as one JSON object\n" CLI_MESH_HELP CLI_PLANT_HELP;

typedef struct grow_args {
    cli_plant_args plant;
    cli_mesh_args look;
    const char *out;
    bool string, stats, json;
} grow_args;

// ---- figures --------------------------------------------------------------------------------

// Symbols of each name, whatever their parameters, at the first type with that name; *total gets
// their sum.
static int64_t *count_names(const td_grammar *grammar, const td_string *string, int64_t *total) {
    int32_t types = td_grammar_type_count(grammar), type;
    int64_t *counts = calloc((size_t)types, sizeof *counts);
    *total = 0;
    if (!counts) {
        return NULL;
    }
    for (int64_t i = 0; i < string->module_count; ++*total) {
        i += td_symbol_at(grammar, string, i, &type);
        counts[type]++;
    }
    for (int32_t t = 0; t < types; t++) {
        for (int32_t first = 0; first < t; first++) {
            if (strcmp(td_grammar_type_name(grammar, first), td_grammar_type_name(grammar, t)) ==
                0) {
                counts[first] += counts[t];
                counts[t] = 0;
                break;
            }
        }
    }
    return counts;
}

static void print_json(const td_grammar *grammar, int64_t symbols, const td_totals *totals,
                       int64_t *counts) {
    const char *comma = "";
    printf("{\"modules\":%lld,\"counts\":{", (long long)symbols);
    for (int32_t t = 0; t < td_grammar_type_count(grammar); t++) {
        if (counts[t] > 0) {
            fputs(comma, stdout);
            cli_json_text(stdout, td_grammar_type_name(grammar, t));
            printf(":%lld", (long long)counts[t]);
            comma = ",";
        }
    }
    printf("},\"length\":");
    cli_json_number(stdout, totals->length);
    printf(",\"segments\":%lld,\"mass\":", (long long)totals->segment_count);
    cli_json_number(stdout, totals->mass);
    printf(",\"height\":");
    cli_json_number(stdout, totals->height);
    printf("}\n");
}

// the most frequent symbols first; uses the counts up
static void print_plain(const td_grammar *grammar, int64_t symbols, const td_totals *totals,
                        int64_t *counts) {
    printf("modules   %lld\n", (long long)symbols);
    printf("counts   ");
    for (;;) {
        int32_t most = 0;
        for (int32_t t = 1; t < td_grammar_type_count(grammar); t++) {
            most = counts[t] > counts[most] ? t : most;
        }
        if (counts[most] == 0) {
            break;
        }
        printf(" %s %lld", td_grammar_type_name(grammar, most), (long long)counts[most]);
        counts[most] = 0;
    }
    printf("\nlength    %.10g\nsegments  %lld\nmass      %.6g kg\nheight    %.6g m\n",
           totals->length, (long long)totals->segment_count, totals->mass, totals->height);
}

static td_status print_figures(const td_grammar *grammar, const td_string *string,
                               const td_totals *totals, bool json) {
    int64_t symbols, *counts = count_names(grammar, string, &symbols);
    if (!counts) {
        return TD_ERR_MEMORY;
    }
    (json ? print_json : print_plain)(grammar, symbols, totals, counts);
    free(counts);
    return TD_OK;
}

// ---- output files ---------------------------------------------------------------------------

// File name without folders and suffix: the name of the plant in a .glb.
static void plain_name(const char *path, char *name, size_t size) {
    const char *slash = strrchr(path, '/');
    snprintf(name, size, "%s", slash ? slash + 1 : path);
    char *dot = strrchr(name, '.');
    if (dot && dot != name) {
        *dot = 0;
    }
}

static td_status make_mesh(const td_skeleton *skeleton, const char *model,
                           const cli_mesh_args *look, td_bytes *bytes, td_diag *diag) {
    char name[128];
    td_mesh *mesh = NULL;
    td_mesh_opts opts = cli_mesh_opts(look);
    plain_name(model, name, sizeof name);
    td_status status = td_mesh_new(skeleton, &opts, NULL, &mesh, diag);
    status = status == TD_OK ? td_mesh_glb(mesh, name, NULL, bytes) : status;
    td_mesh_free(mesh);
    return status;
}

static td_status write_bytes(const char *out, const td_bytes *bytes, td_diag *diag) {
    td_status status = td_file_write(out, bytes->data, bytes->size, diag);
    if (status == TD_OK && strcmp(out, "-") != 0) {
        fprintf(stderr, "wrote %s, %.3g %s\n", out,
                (double)bytes->size / (bytes->size < 100000 ? 1e3 : 1e6),
                bytes->size < 100000 ? "kB" : "MB");
    }
    return status;
}

static td_status write_skeleton(const td_skeleton *skeleton, const char *model,
                                const grow_args *args, td_diag *diag) {
    const bool json = strcmp(strrchr(args->out, '.'), ".json") == 0;
    td_bytes bytes = {0};
    td_status status = json ? td_skeleton_json(skeleton, NULL, &bytes)
                            : make_mesh(skeleton, model, &args->look, &bytes, diag);
    status = status == TD_OK ? write_bytes(args->out, &bytes, diag) : status;
    td_bytes_free(&bytes);
    return status;
}

static bool writes_string(const grow_args *args) {
    return args->out && strcmp(strrchr(args->out, '.'), ".txt") == 0;
}

static td_status write_output(const td_grammar *grammar, const td_string *string,
                              const td_skeleton_opts *opts, const char *model,
                              const grow_args *args, td_diag *diag) {
    td_bytes bytes = {0};
    td_skeleton *skeleton = NULL;
    td_status status = TD_OK;
    if (writes_string(args)) {
        status = td_string_text(grammar, string, NULL, &bytes);
        status = status == TD_OK ? write_bytes(args->out, &bytes, diag) : status;
    } else {
        status = td_skeleton_from_string(grammar, string, opts, NULL, &skeleton, diag);
        status = status == TD_OK ? write_skeleton(skeleton, model, args, diag) : status;
    }
    td_skeleton_free(skeleton);
    td_bytes_free(&bytes);
    return status;
}

static bool known_suffix(const char *out) {
    const char *suffix = strrchr(out, '.');
    return suffix && (strcmp(suffix, ".glb") == 0 || strcmp(suffix, ".json") == 0 ||
                      strcmp(suffix, ".txt") == 0);
}

// ---- growing --------------------------------------------------------------------------------

static bool prints_figures(const grow_args *args) {
    return args->stats || args->json || (!args->out && !args->string);
}

static td_status output(const td_grammar *grammar, const td_string *string,
                        const td_skeleton_opts *opts, const td_totals *totals, const char *path,
                        const grow_args *args, td_diag *diag) {
    td_status status = TD_OK;
    if (args->out) {
        status = write_output(grammar, string, opts, path, args, diag);
    }
    if (status == TD_OK && args->string) {
        td_bytes text = {0};
        status = td_string_text(grammar, string, NULL, &text);
        status = status == TD_OK ? td_file_write("-", text.data, text.size, diag) : status;
        td_bytes_free(&text);
    }
    if (status == TD_OK && prints_figures(args)) {
        status = print_figures(grammar, string, totals, args->json);
    }
    return status;
}

// Figures of a skeleton, as far as it has them: it is no string of modules.
static td_status print_skeleton(const td_skeleton *skeleton, bool json) {
    const int32_t n = td_skeleton_count(skeleton);
    const td_segment *s = td_skeleton_segments(skeleton);
    td_vec3 *origins = calloc((size_t)n + 1, sizeof *origins);
    td_quat *rotations = calloc((size_t)n + 1, sizeof *rotations);
    td_real mass = 0, low = INFINITY, high = -INFINITY;
    if (!origins || !rotations) {
        free(origins);
        free(rotations);
        return TD_ERR_MEMORY;
    }
    td_skeleton_pose(skeleton, TD_POSE_INITIAL, origins, rotations);
    for (int32_t i = 0; i < n; i++) {
        const td_vec3 tip = td_quat_rotate(rotations[i], s[i].tip);
        mass += s[i].mass;
        low = fmin(low, fmin(origins[i].y, origins[i].y + tip.y));
        high = fmax(high, fmax(origins[i].y, origins[i].y + tip.y));
    }
    free(origins);
    free(rotations);
    const td_real height = n > 0 ? high - low : 0;
    if (json) {
        printf("{\"segments\":%d,\"mass\":", n);
        cli_json_number(stdout, mass);
        printf(",\"height\":");
        cli_json_number(stdout, height);
        printf("}\n");
    } else {
        printf("segments  %d\nmass      %.6g kg\nheight    %.6g m\n", n, mass, height);
    }
    return TD_OK;
}

static int grow_skeleton(const char *path, const grow_args *args) {
    td_diag diag = {.message = ""};
    td_skeleton *skeleton = NULL;
    if (!cli_plant_args_of_skeleton(&args->plant, path)) {
        return EXIT_MISUSE;
    }
    if (args->string || writes_string(args)) {
        cli_error("grow: %s is a skeleton, which has no string; write a .glb or .json", path);
        return EXIT_MISUSE;
    }
    td_status status = cli_load_skeleton(path, &skeleton);
    if (status != TD_OK) {
        return cli_exit_code(status);
    }
    if (args->out) {
        status = write_skeleton(skeleton, path, args, &diag);
    }
    if (status == TD_OK && (args->stats || args->json || !args->out)) {
        status = print_skeleton(skeleton, args->json);
    }
    td_skeleton_free(skeleton);
    if (status != TD_OK) {
        cli_print_fault(path, status, &diag);
    }
    return cli_exit_code(status);
}

static int grow(const char *path, const grow_args *args) {
    cli_plant plant;
    td_diag diag = {.message = ""};
    td_status status = cli_plant_derive(path, &args->plant, &plant);
    if (status != TD_OK) {
        return cli_exit_code(status);
    }
    td_string string = td_derivation_string(plant.derivation);
    td_skeleton_opts opts = cli_skeleton_opts(&args->plant);
    td_totals totals = {0};
    bool draws = !args->string && !writes_string(args);
    if (draws || prints_figures(args)) {
        status = cli_check_size(path, &plant, &opts, &totals, &diag);
    }
    status = status == TD_OK ? output(plant.grammar, &string, &opts, &totals, path, args, &diag)
                             : status;
    if (status != TD_OK) {
        cli_print_fault(path, status, &diag);
    }
    cli_plant_free(&plant);
    return cli_exit_code(status);
}

int cli_grow(int argc, char **argv) {
    grow_args a = {.plant = cli_plant_args_default()};
    const cli_option options[] = {
        CLI_PLANT_OPTIONS(a.plant),
        CLI_MESH_OPTIONS(a.look),
        {"-o", CLI_TEXT, &a.out, 0},
        {"--string", CLI_FLAG, &a.string, 0},
        {"--stats", CLI_FLAG, &a.stats, 0},
        {"--json", CLI_FLAG, &a.json, 0},
        {0},
    };
    if (cli_read_options(argc, argv, options, "grow", "one FILE") < 0) {
        return EXIT_MISUSE;
    }
    if (a.out && !known_suffix(a.out)) {
        cli_error("grow: the name '%s' must end in .glb, .json or .txt", a.out);
        return EXIT_MISUSE;
    }
    if (!cli_plant_args_check(&a.plant, "grow")) {
        return EXIT_MISUSE;
    }
    const char *slash = a.out ? strrchr(a.out, '/') : NULL;
    if (slash && !cli_make_folder(a.out, (size_t)(slash - a.out), "grow")) {
        return EXIT_CANNOT_WRITE;
    }
    a.plant.out = a.out;
    return (cli_is_skeleton(argv[0]) ? grow_skeleton : grow)(argv[0], &a);
}
