// SPDX-License-Identifier: MIT
// Options, messages and loading, for all sub-commands.

#include "cli/cli.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define MAX_TEXT     ((size_t)16 << 20) // bytes of a model, includes counted
#define MAX_SKELETON ((size_t)1 << 30)  // bytes of a skeleton in JSON
#define MAX_DIAGS    50

int cli_exit_code(td_status status) {
    switch (status) {
    case TD_OK: return EXIT_FINE;
    case TD_ERR_DEF:
    case TD_ERR_ARGUMENT: return EXIT_MISUSE;
    case TD_ERR_DIVERGED: return EXIT_DIVERGED;
    case TD_ERR_WRITE: return EXIT_CANNOT_WRITE;
    default: return EXIT_BAD_INPUT;
    }
}

double cli_seconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

bool cli_make_folder(const char *path, size_t length, const char *command) {
    char part[1024];
    for (size_t i = 1; i <= length; i++) {
        if (i < length && path[i] != '/') {
            continue;
        }
        if (i >= sizeof part) {
            cli_error("%s: the path %s is too long", command, path);
            return false;
        }
        memcpy(part, path, i);
        part[i] = 0;
        if (mkdir(part, 0777) != 0 && errno != EEXIST && errno != EISDIR) {
            cli_error("%s: cannot write %s: %s", command, part, strerror(errno));
            return false;
        }
    }
    return true;
}

// ---- messages -------------------------------------------------------------------------------

void cli_error(const char *format, ...) {
    va_list args;
    va_start(args, format);
    fputs("tendril: ", stderr);
    vfprintf(stderr, format, args);
    fputc('\n', stderr);
    va_end(args);
}

void cli_print_diag(const td_diag *diag) {
    const char *kind = diag->status == TD_OK ? "warning" : "error";
    if (diag->file[0] && diag->line > 0) {
        fprintf(stderr, "%s:%d:%d: %s: %s\n", diag->file, diag->line, diag->column, kind,
                diag->message);
    } else if (diag->file[0]) {
        char hint[200] = "";
        if (diag->status == TD_ERR_READ && access(diag->file, F_OK) != 0) {
            cli_suggest_file(diag->file, hint, sizeof hint);
        }
        fprintf(stderr, "%s: %s: %s%s\n", diag->file, kind, diag->message, hint);
    } else {
        cli_error("%s: %s", kind, diag->message[0] ? diag->message : td_status_text(diag->status));
    }
    if (diag->line > 0 && diag->source[0]) {
        fprintf(stderr, "  %s\n  %*s^\n", diag->source, diag->caret, "");
    }
}

void cli_print_diags(const td_diag_list *list, td_status status, const char *file) {
    int32_t shown = list->count < list->capacity ? list->count : list->capacity;
    for (int32_t i = 0; i < shown; i++) {
        cli_print_diag(&list->items[i]);
    }
    if (list->count > shown) {
        cli_error("%d more messages are not shown", list->count - shown);
    }
    if (shown == 0 && status != TD_OK) {
        cli_error("%s: %s", file, td_status_text(status));
    }
}

void cli_progress_show(cli_progress *progress, double share, bool end, const char *format, ...) {
    const bool terminal = isatty(2);
    const double now = cli_seconds(), first = terminal ? 0.5 : 10, each = terminal ? 0.1 : 10;
    progress->started = progress->started > 0 ? progress->started : now;
    if (end ? !progress->shown : now - progress->started < first || now - progress->last < each) {
        return;
    }
    progress->last = now;
    progress->shown = true;
    int filled = (int)(30 * fmin(fmax(share, 0), 1));
    if (terminal) {
        fprintf(stderr, "\r[%.*s%*s] ", filled, "##############################", 30 - filled, "");
    }
    va_list args;
    va_start(args, format);
    vfprintf(stderr, format, args);
    va_end(args);
    fputs(!terminal ? "\n" : end ? " \033[K\n" : " \033[K", stderr);
}

void cli_json_text(FILE *out, const char *text) {
    fputc('"', out);
    for (const char *c = text; *c; c++) {
        if (*c == '"' || *c == '\\') {
            fprintf(out, "\\%c", *c);
        } else if ((unsigned char)*c < 32) {
            fprintf(out, "\\u%04x", (unsigned)*c);
        } else {
            fputc(*c, out);
        }
    }
    fputc('"', out);
}

// the shortest that reads back to the same number; the command never leaves the C locale
void cli_json_number(FILE *out, double value) {
    char text[40];
    for (int digits = 15; digits <= 17; digits++) {
        snprintf(text, sizeof text, "%.*g", digits, value);
        if (strtod(text, NULL) == value) {
            break;
        }
    }
    fputs(text, out);
}

// ---- options --------------------------------------------------------------------------------

static bool read_number(const char *text, bool whole, double least, double *value) {
    char *end;
    errno = 0;
    *value = strtod(text, &end);
    if (!whole && end != text && *end == '/') { // 1/60
        const char *divisor = end + 1;
        *value /= strtod(divisor, &end);
        end = end == divisor ? (char *)text : end;
    }
    return end != text && *end == 0 && errno == 0 && isfinite(*value) && *value >= least &&
           (!whole || (*value == floor(*value) && fabs(*value) < 0x1p53));
}

// x,y,z
static bool read_vector(const char *text, td_vec3 *value) {
    double numbers[3];
    for (int k = 0; k < 3; k++) {
        char part[64];
        size_t length = strcspn(text, ",");
        if (length >= sizeof part || (text[length] == ',') != (k < 2)) {
            return false;
        }
        memcpy(part, text, length);
        part[length] = 0;
        if (!read_number(part, false, -HUGE_VAL, &numbers[k])) {
            return false;
        }
        text += length + 1;
    }
    *value = (td_vec3){numbers[0], numbers[1], numbers[2]};
    return true;
}

static bool add_define(cli_defines *defines, const char *text) {
    const char *equals = strchr(text, '=');
    size_t length = equals ? (size_t)(equals - text) : 0;
    if (length == 0 || length >= sizeof defines->names[0] || defines->count == CLI_MAX_DEFINES) {
        return false;
    }
    char *name = defines->names[defines->count];
    memcpy(name, text, length);
    name[length] = 0;
    defines->items[defines->count] = (td_define){name, equals + 1};
    defines->count++;
    return true;
}

static bool set_option(const cli_option *o, const char *text, const char *command) {
    double number = 0;
    switch (o->kind) {
    case CLI_FLAG: *(bool *)o->value = true; return true;
    case CLI_TEXT: *(const char **)o->value = text; return true;
    case CLI_DEFINE:
        if (!add_define(o->value, text)) {
            cli_error("%s: expected NAME=VALUE after %s, not '%s'", command, o->name, text);
            return false;
        }
        return true;
    case CLI_VECTOR:
        if (!read_vector(text, o->value)) {
            cli_error("%s: expected three numbers X,Y,Z after %s, not '%s'", command, o->name,
                      text);
            return false;
        }
        return true;
    default: break;
    }
    bool whole = o->kind == CLI_INTEGER;
    if (!read_number(text, whole, o->least, &number)) {
        cli_error("%s: expected a %s of at least %g after %s, not '%s'", command,
                  whole ? "whole number" : "number", o->least, o->name, text);
        return false;
    }
    if (whole) {
        *(int64_t *)o->value = (int64_t)number;
    } else {
        *(double *)o->value = number;
    }
    return true;
}

// `--steps=5` and `--steps 5` alike
static const cli_option *find_option(const cli_option *options, const char *arg,
                                     const char **value) {
    for (int i = 0; options[i].name; i++) {
        size_t length = strlen(options[i].name);
        if (strncmp(arg, options[i].name, length) == 0 &&
            (arg[length] == 0 || arg[length] == '=')) {
            *value = arg[length] == '=' ? arg + length + 1 : NULL;
            return &options[i];
        }
    }
    return NULL;
}

static const char *option_name(const void *context, int index) {
    const char *name = ((const cli_option *)context)[index].name;
    return name ? name : "--help"; // in place of the end
}

static void unknown_option(const char *arg, const cli_option *options, const char *command) {
    int count = 1;
    while (options[count - 1].name) {
        count++;
    }
    char hint[200], otherwise[100], word[64];
    snprintf(word, sizeof word, "%.*s", (int)strcspn(arg, "="), arg);
    snprintf(otherwise, sizeof otherwise, "; 'tendril %s --help' lists them", command);
    cli_suggest_word(word, option_name, options, count, otherwise, hint, sizeof hint);
    cli_error("%s: unknown option '%s'%s", command, arg, hint);
}

int cli_read_options(int argc, char **argv, const cli_option *options, const char *command,
                     const char *operand) {
    int operands = 0;
    bool ended = false;
    for (int i = 0; i < argc; i++) {
        char *arg = argv[i];
        if (ended || arg[0] != '-' || arg[1] == 0) {
            argv[operands++] = arg;
            continue;
        }
        if (strcmp(arg, "--") == 0) {
            ended = true;
            continue;
        }
        const char *value = NULL;
        const cli_option *o = find_option(options, arg, &value);
        if (!o) {
            unknown_option(arg, options, command);
            return -1;
        }
        if (o->kind != CLI_FLAG && !value) {
            if (i + 1 == argc) {
                cli_error("%s: %s needs a value", command, o->name);
                return -1;
            }
            value = argv[++i];
        }
        if (!set_option(o, value, command)) {
            return -1;
        }
    }
    if (operand && operands != 1) {
        cli_error("%s: expected %s, but %d are given; see 'tendril %s --help'", command, operand,
                  operands, command);
        return -1;
    }
    return operands;
}

// ---- models ---------------------------------------------------------------------------------

bool cli_has_suffix(const char *path, const char *suffix) {
    const size_t size = strlen(path), length = strlen(suffix);
    return size > length && strcasecmp(path + size - length, suffix) == 0;
}

// Standard input, read ahead to recognise a skeleton, or the error of reading it.
static struct {
    bool read;
    td_status status;
    td_bytes text;
    td_diag diag;
} ahead;

static bool is_standard(const char *path) {
    return strcmp(path, "-") == 0;
}

static void read_ahead(void) {
    if (!ahead.read) {
        ahead.read = true;
        ahead.status = td_file_read("-", MAX_TEXT, NULL, &ahead.text, &ahead.diag);
    }
}

td_status cli_read(const char *path, size_t max_size, const td_alloc *alloc, td_bytes *text,
                   td_diag *diag) {
    if (!is_standard(path) || !ahead.read) {
        return td_file_read(path, max_size, alloc, text, diag);
    }
    *text = ahead.text;
    *diag = ahead.diag;
    ahead.text = (td_bytes){0};
    return ahead.status;
}

bool cli_is_skeleton(const char *path) {
    td_bytes text = {0};
    if (is_standard(path)) {
        read_ahead();
        return td_skeleton_is_json((const char *)ahead.text.data, ahead.text.size);
    }
    const bool is = cli_has_suffix(path, ".json") &&
                    td_file_read(path, MAX_SKELETON, NULL, &text, NULL) == TD_OK &&
                    td_skeleton_is_json((const char *)text.data, text.size);
    td_bytes_free(&text);
    return is;
}

td_status cli_load_skeleton(const char *path, td_skeleton **skeleton) {
    td_bytes text = {0};
    td_diag diag = {.message = ""};
    *skeleton = NULL;
    const char *name = is_standard(path) ? "<stdin>" : path;
    td_status status = cli_read(path, MAX_SKELETON, NULL, &text, &diag);
    if (status == TD_OK) {
        status =
            td_skeleton_from_json((const char *)text.data, text.size, name, NULL, skeleton, &diag);
    }
    if (status != TD_OK) {
        cli_print_diag(&diag);
    }
    td_bytes_free(&text);
    return status;
}

td_status cli_load_model(const char *path, const cli_defines *defines, const char *view,
                         td_grammar **grammar) {
    td_diag items[MAX_DIAGS];
    td_diag_list diags = {items, MAX_DIAGS, 0};
    td_bytes text = {0};
    td_loader loader = td_file_loader();
    char model[160];
    *grammar = NULL;
    items[0] = (td_diag){.message = ""};
    if (cli_is_scene(path)) {
        if (cli_has_suffix(path, ".json")) {
            cli_error("%s is not a skeleton: it has no \"segments\"; if it is a scene, "
                      "'tendril run %s' simulates it",
                      path, path);
        } else {
            cli_error("%s is a scene; 'tendril run %s' simulates it", path, path);
        }
        return TD_ERR_SYNTAX;
    }
    if (cli_is_skeleton(path)) {
        cli_error("%s is a skeleton, not a model; a scene with 'plant: %s' simulates it", path,
                  path);
        return TD_ERR_SYNTAX;
    }
    td_status status = td_file_model(path, model, &items[0]);
    status = status == TD_OK ? cli_read(model, MAX_TEXT, NULL, &text, &items[0]) : status;
    if (status != TD_OK) {
        cli_print_diag(&items[0]);
        return status;
    }
    td_grammar_def def = td_grammar_def_default();
    def.name = strcmp(path, "-") == 0 ? "<stdin>" : model;
    def.text = (const char *)text.data;
    def.text_size = text.size;
    def.loader = &loader;
    def.max_text = MAX_TEXT;
    def.view = view;
    if (defines) {
        def.defines = defines->items;
        def.define_count = defines->count;
    }
    status = td_grammar_new(&def, NULL, grammar, &diags);
    status = status == TD_OK ? td_plant_check(*grammar, &diags) : status;
    cli_print_diags(&diags, status, path);
    if (status != TD_OK) {
        td_grammar_free(*grammar);
        *grammar = NULL;
    }
    td_bytes_free(&text);
    return status;
}

// ---- meshes ---------------------------------------------------------------------------------

td_mesh_opts cli_mesh_opts(const cli_mesh_args *args) {
    td_mesh_opts opts = td_mesh_opts_default();
    opts.max_triangles = args->triangles;
    opts.textures = args->textures;
    return opts;
}
