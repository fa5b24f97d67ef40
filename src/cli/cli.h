// SPDX-License-Identifier: MIT
#pragma once

// What the sub-commands share: exit codes, options, messages, JSON lines, plants.

#include "tendril/tendril.h"

#include <stdio.h>

enum {
    EXIT_FINE = 0,
    EXIT_OUTSIDE = 1, // a figure of validate is outside its limit
    EXIT_MISUSE = 2,
    EXIT_BAD_INPUT = 3,
    EXIT_DIVERGED = 4,
    EXIT_CANNOT_WRITE = 5
};

// The exit code that goes with a status.
int cli_exit_code(td_status status);

// ---- options --------------------------------------------------------------------------------

typedef enum cli_kind {
    CLI_FLAG,
    CLI_INTEGER,
    CLI_REAL,
    CLI_TEXT,
    CLI_DEFINE,
    CLI_VECTOR // x,y,z
} cli_kind;

#define CLI_MAX_DEFINES 64
typedef struct cli_defines {
    td_define items[CLI_MAX_DEFINES];
    char names[CLI_MAX_DEFINES][32];
    int32_t count;
} cli_defines;

// One option of a sub-command. `value` points to a bool, int64_t, double, const char *,
// cli_defines or td_vec3, as the kind says.
typedef struct cli_option {
    const char *name; // "--steps" or "-o"
    cli_kind kind;
    void *value;
    double least; // of numbers
} cli_option;

// Reads options and operands in any order; `--` ends the options, a name of NULL their table.
// Operands are put together at the front of argv. Returns their number, or prints
// the error and returns -1. With `operand`, such as "one FILE", exactly one operand is allowed.
int cli_read_options(int argc, char **argv, const cli_option *options, const char *command,
                     const char *operand);

// ---- messages -------------------------------------------------------------------------------

void cli_error(const char *format, ...) __attribute__((format(printf, 1, 2)));
// File, line, column, message, the line of text and a caret.
void cli_print_diag(const td_diag *diag);
// All of a list, and how many were dropped; `status` stands for a list that is empty.
void cli_print_diags(const td_diag_list *list, td_status status, const char *file);

// Writes "; did you mean 'X'?" with the nearest of the words, or `otherwise` if none is near.
typedef const char *cli_nth_word(const void *context, int index);
void cli_suggest_word(const char *word, cli_nth_word *nth, const void *context, int count,
                      const char *otherwise, char *text, size_t size);
// The same with the files beside a path that is not there, or "".
void cli_suggest_file(const char *path, char *text, size_t size);

void cli_json_text(FILE *out, const char *text);
void cli_json_number(FILE *out, double value);

// ---- work that several commands do ----------------------------------------------------------

// Reads and compiles a model; `view` may be NULL: the view file that belongs to it, if any.
// Warnings have been printed, on failure the faults.
// Whether the file, by its suffix .json and its content, is a skeleton as 'grow -o x.json' writes
// it.
bool cli_is_skeleton(const char *path);
// Whether the name ends so, in small or large letters.
bool cli_has_suffix(const char *path, const char *suffix);
// As td_file_read(); of standard input also what cli_is_skeleton() has read.
td_status cli_read(const char *path, size_t max_size, const td_alloc *alloc, td_bytes *text,
                   td_diag *diag);
// Reads it. On failure the fault has been printed.
td_status cli_load_skeleton(const char *path, td_skeleton **skeleton);
td_status cli_load_model(const char *path, const cli_defines *defines, const char *view,
                         td_grammar **grammar);

// Finds a file that comes with the command, such as "player.html": in $TENDRIL_SHARE, else in
// share/tendril beside the command's folder or in it. False when it is nowhere.
bool cli_share_file(const char *name, char *path, size_t size);

// Makes the folder that the first `length` bytes of a path name, with those it lies in; 0 bytes are
// the current one. False after telling why not.
bool cli_make_folder(const char *path, size_t length, const char *command);

double cli_seconds(void); // of a clock that never goes back

// How far long work has come, on standard error, once it has taken a while: a bar on a terminal,
// elsewhere a line every ten seconds. Start from zero.
typedef struct cli_progress {
    double started, last;
    bool shown;
} cli_progress;

// `share` is from 0 to 1; `end`: nothing more follows.
void cli_progress_show(cli_progress *progress, double share, bool end, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

// ---- what models print ----------------------------------------------------------------------

#define CLI_MAX_PRINTED 16
typedef struct cli_printed_file {
    char name[200];
    char *text;
    size_t size, capacity;
    bool append; // to what the file holds
} cli_printed_file;

typedef struct cli_prints {
    cli_printed_file files[CLI_MAX_PRINTED];
    int32_t count;
    size_t bytes;
} cli_prints;

// A td_print's callback; the context is a cli_prints.
int cli_prints_take(void *context, const char *name, bool start, const char *text, size_t size);
// Writes the files into the folder of `out`. NULL: says that they are not written.
td_status cli_prints_write(const cli_prints *prints, const char *out, td_diag *diag);
void cli_prints_free(cli_prints *prints);

// ---- plants ---------------------------------------------------------------------------------

// What every command that grows a plant can be told. Start from cli_plant_args_default().
typedef struct cli_plant_args {
    int64_t steps, seed, max_modules, max_loops;
    int64_t max_segments; // 0: not given
    double prune_length, prune_mass;
    const char *springs;
    const char *out;       // where output goes, for files that the model writes; NULL: nowhere
    bool float_parameters; // cpfg's
    const char *view;      // NULL: the one that belongs to the model
    cli_defines defines;
} cli_plant_args;

// Entries of a table of options for the cli_plant_args `a`, and how a help text describes them.
#define CLI_PLANT_OPTIONS(a)                                                                 \
    {"--steps", CLI_INTEGER, &(a).steps, 0}, {"--seed", CLI_INTEGER, &(a).seed, 0},          \
        {"--define", CLI_DEFINE, &(a).defines, 0}, {"-D", CLI_DEFINE, &(a).defines, 0},      \
        {"--view", CLI_TEXT, &(a).view, 0}, {"--float", CLI_FLAG, &(a).float_parameters, 0}, \
        {"--springs", CLI_TEXT, &(a).springs, 0},                                            \
        {"--prune-length", CLI_REAL, &(a).prune_length, 0},                                  \
        {"--prune-mass", CLI_REAL, &(a).prune_mass, 0},                                      \
        {"--max-modules", CLI_INTEGER, &(a).max_modules, 1},                                 \
        {"--max-segments", CLI_INTEGER, &(a).max_segments, 1}, {                             \
        "--max-loops", CLI_INTEGER, &(a).max_loops, 0                                        \
    }

// Options of commands that draw a plant.
typedef struct cli_mesh_args {
    int64_t triangles; // 0: as many as it takes
    bool textures;
} cli_mesh_args;

td_mesh_opts cli_mesh_opts(const cli_mesh_args *args);

#define CLI_MESH_OPTIONS(a)                              \
    {"--triangles", CLI_INTEGER, &(a).triangles, 100}, { \
        "--textures", CLI_FLAG, &(a).textures, 0         \
    }
#define CLI_MESH_HELP                                                  \
    "  --triangles N         draw at most N triangles (100 or more)\n" \
    "  --textures            draw bark and leaves with textures\n"

#define CLI_PLANT_HELP                                                                   \
    "  --steps N             derivation steps instead of the file's derivation length\n" \
    "  --seed S              seed of random choices instead of the file's\n"             \
    "  --define NAME=VALUE   replaces #define NAME of the file; may be repeated\n"       \
    "  --view FILE           view file of cpfg instead of the one beside the model\n"    \
    "  --float               parameters in single precision, as cpfg stores them\n"      \
    "  --springs RULE        'clamped' (default) or 'thesis'\n"                          \
    "  --prune-length M      leave out segments shorter than M metres\n"                 \
    "  --prune-mass KG       leave out segments lighter than KG kilograms\n"             \
    "  --max-modules N       stop when the string grows past N modules (50 million)\n"   \
    "  --max-segments N      refuse plants of more than N segments (4 million; with\n"   \
    "                        'grow' 16 million)\n"                                       \
    "  --max-loops N         stop after N loop iterations in statements (100 million)\n"

cli_plant_args cli_plant_args_default(void);
// False after telling which option is wrong.
// Whether an option is given that chooses how a model grows.
bool cli_plant_args_grow(const cli_plant_args *args);
// Whether nothing is asked that only a model can do; else tells.
bool cli_plant_args_of_skeleton(const cli_plant_args *args, const char *path);
bool cli_plant_args_check(const cli_plant_args *args, const char *command);
td_skeleton_opts cli_skeleton_opts(const cli_plant_args *args);

// A model, derived.
typedef struct cli_plant {
    td_grammar *grammar;
    td_derivation *derivation;
} cli_plant;

// Loads and derives. On failure the faults have been printed and the plant is empty.
td_status cli_plant_derive(const char *path, const cli_plant_args *args, cli_plant *plant);
// Measures a plant, refuses more segments than the options allow, and warns of sizes that no plant
// has: the unit of length may be missing.
td_status cli_check_size(const char *path, const cli_plant *plant, const td_skeleton_opts *opts,
                         td_totals *totals, td_diag *diag);
void cli_plant_free(cli_plant *plant); // empty is allowed

// Prints what went wrong with the model at `path`.
void cli_print_fault(const char *path, td_status status, td_diag *diag);

// A plant with a body, at its initial pose.
typedef struct cli_body {
    td_skeleton *skeleton;
    td_body_model *model;
    td_body *state;
} cli_body;

// From a model's file. Returns an exit code; unless it is 0 the faults have been printed and the
// body is empty.
int cli_body_open(const char *path, const cli_plant_args *args, cli_body *body);
void cli_body_free(cli_body *body); // empty is allowed
// Brings it to rest. Returns an exit code; unless it is 0 it has said why.
int cli_body_settle(const char *path, cli_body *body, td_vec3 gravity, td_step_stats *stats);

// ---- scenes ---------------------------------------------------------------------------------

// A scene and the world made of it.
#define CLI_CHOSEN 24 // segments that are reported

typedef struct cli_scene {
    td_bytes text; // of the file
    td_scene *scene;
    td_world *world;
    char chosen[CLI_CHOSEN][200]; // segments that the world chose for places without an id
    int chosen_count;             // how many there were
} cli_scene;

// Whether the name is that of a scene: .yaml, .yml or .json.
bool cli_is_scene(const char *path);
// Reads a scene and makes its world. Returns an exit code; unless it is 0 all faults have been
// printed and the scene is empty.
int cli_scene_open(const char *path, int32_t threads, const td_alloc *alloc, cli_scene *scene);
// The scene alone.
int cli_scene_read(const char *path, cli_scene *scene);
void cli_scene_free(cli_scene *scene); // empty is allowed
int32_t cli_core_count(void);          // 1 to 256

// ---- scenes at rest -------------------------------------------------------------------------

// A vector that no option has set yet.
#define CLI_NOT_GIVEN \
    { __builtin_nan(""), 0, 0 }
bool cli_is_given(td_vec3 v);

// A world with all of its actors at rest.
typedef struct cli_rest {
    cli_scene scene;
    td_rest *rests; // one an actor
    bool *warned;   // one an actor: its start is unstable, which has been reported
    int32_t object; // the one that was asked for, or TD_NONE: all
} cli_rest;

// `object` may be NULL: all; `gravity` may be not given: as the scene says. Returns an exit code;
// unless it is 0 it has said why and the scene is empty.
int cli_rest_open(const char *path, const char *object, td_vec3 gravity, const char *command,
                  cli_rest *rest);
bool cli_rest_wants(const cli_rest *rest, int32_t actor);
void cli_rest_free(cli_rest *rest);
// False after telling which option does not go with the file: those of plants are for models.
bool cli_rest_args_check(const char *path, const cli_plant_args *plant, const char *object,
                         const char *command);
// The name of an object at the head of a row; NULL: nothing.
void cli_plain_object(const char *object);
void cli_json_object(const char *object);

// ---- sub-commands ---------------------------------------------------------------------------

typedef struct cli_command {
    const char *name, *operands, *about;
    int (*run)(int argc, char **argv);
    const char *help;
    void (*more_help)(FILE *out); // follows `help`; NULL: nothing
} cli_command;

void cli_print_help(const cli_command *command, FILE *out);

// In the order of the help text.
extern const cli_command cli_commands[];
extern const int cli_command_count;
// NULL after telling that there is none.
const cli_command *cli_command_find(const char *name);

#define CLI_COMMAND(name)                  \
    int cli_##name(int argc, char **argv); \
    extern const char cli_##name##_help[]

CLI_COMMAND(grow);
CLI_COMMAND(check);
CLI_COMMAND(run);
CLI_COMMAND(view);
CLI_COMMAND(render);
CLI_COMMAND(settle);
CLI_COMMAND(modes);
CLI_COMMAND(plot);
CLI_COMMAND(init);
CLI_COMMAND(info);
CLI_COMMAND(validate);
CLI_COMMAND(bench);
CLI_COMMAND(man);
CLI_COMMAND(complete);
void cli_bench_more_help(FILE *out);
