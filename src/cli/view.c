// SPDX-License-Identifier: MIT
// tendril view: a page with a model or scene in it, grown and simulated while one looks.
//
// Method   The viewer's page is built beforehand and carries the library with it. What is put into
//          it here are texts: the file that was named and all that it reads, as JSON.

#include "cli/cli.h"

#include "tendril/yaml.h"

#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define MAX_PATH_SIZE 4096
#define MAX_PAGE      ((size_t)64 << 20) // bytes of the viewer
#define MAX_TEXT      ((size_t)16 << 20) // bytes of a file
#define MAX_FILES     200
#define MARK          "<!-- tendril: view -->"

const char cli_view_help[] =
    "Usage: tendril view FILE [-o PAGE] [--view VIEW] [--no-open]\n"
    "\n"
    "Writes a page with a model (.lsys) or a scene (.yaml, .yml, .json), and opens it.\n"
    "In the page you can pull and change the plants. It needs no server, no network\n"
    "and no other files.\n"
    "\n"
    "  -o PAGE      file to write; default: out/NAME.html, with the name of FILE\n"
    "  --view VIEW  view file of cpfg instead of the one beside a model\n"
    "  --no-open    write the page but do not open it\n";

// ---- files ----------------------------------------------------------------------------------

typedef struct view_file {
    char name[160];
    td_bytes text;
} view_file;

typedef struct view_files {
    view_file items[MAX_FILES];
    int32_t count;
    const char *view; // that was given, or NULL
} view_files;

static view_file *known(view_files *files, const char *name) {
    for (int32_t k = 0; k < files->count; k++) {
        if (strcmp(files->items[k].name, name) == 0) {
            return &files->items[k];
        }
    }
    return NULL;
}

// Keeps a copy of a text.
static td_status keep(view_files *files, const char *name, const void *text, size_t size) {
    if (known(files, name)) {
        return TD_OK;
    }
    if (files->count == MAX_FILES) {
        return TD_ERR_LIMIT;
    }
    bool bytes = memchr(text, 0, size) != NULL;
    uint8_t *copy = malloc(bytes ? 2 * size + 5 : size + 1);
    if (!copy) {
        return TD_ERR_MEMORY;
    }
    if (bytes) { // colours: a page holds them as the text that their reader knows
        size_t length = (size_t)sprintf((char *)copy, "hex:");
        for (size_t i = 0; i < size; i++) {
            length += (size_t)sprintf((char *)copy + length, "%02x", ((const uint8_t *)text)[i]);
        }
        size = length;
    } else {
        memcpy(copy, text, size);
    }
    view_file *file = &files->items[files->count++];
    snprintf(file->name, sizeof file->name, "%s", name);
    file->text = (td_bytes){copy, size, NULL};
    return TD_OK;
}

static void free_files(view_files *files) {
    for (int32_t k = 0; k < files->count; k++) {
        free(files->items[k].text.data);
    }
    files->count = 0;
}

// Reads as td_file_loader() does, and keeps what was read.
static td_status read_and_keep(void *context, const char *name, const char *from, size_t max_size,
                               const td_alloc *alloc, char **text, size_t *size,
                               char resolved[160]) {
    td_loader files = td_file_loader();
    td_status status = files.read(files.context, name, from, max_size, alloc, text, size, resolved);
    // a view file that was given wins over the one that the specifications name
    const view_files *kept = context;
    bool overruled = kept->view && strcmp(name, "specifications") == 0;
    if (status == TD_OK && !overruled) {
        keep(context, resolved, *text, *size);
    }
    return status;
}

// A model that has been kept, and all that it includes.
static void follow_includes(view_files *files, const char *name, const char *view) {
    const view_file *file = known(files, name);
    td_loader loader = {read_and_keep, files};
    td_grammar_def def = td_grammar_def_default();
    td_grammar *grammar = NULL;
    def.name = name;
    def.text = (const char *)file->text.data;
    def.text_size = file->text.size;
    def.loader = &loader;
    def.view = view;
    td_grammar_new(&def, NULL, &grammar, NULL); // what is wrong has been told
    td_grammar_free(grammar);
}

// ---- gathering ------------------------------------------------------------------------------

// The view file that was given, under the name by which the page looks for it.
static td_status keep_view(view_files *files, const char *model) {
    char name[160];
    const char *dot = strrchr(model, '.');
    td_bytes text = {0};
    if (!dot ||
        snprintf(name, sizeof name, "%.*s.v", (int)(dot - model), model) >= (int)sizeof name) {
        return TD_ERR_ARGUMENT;
    }
    td_status status = td_file_read(files->view, MAX_TEXT, NULL, &text, NULL);
    status = status == TD_OK ? keep(files, name, text.data, text.size) : status;
    td_bytes_free(&text);
    return status;
}

// *model gets the file's name: of a folder that of its model.
static int gather_model(const char *path, char model[160], view_files *files) {
    static const cli_defines none;
    td_grammar *grammar = NULL;
    td_bytes text = {0};
    td_status status = cli_load_model(path, &none, files->view, &grammar);
    td_grammar_free(grammar);
    status = status == TD_OK ? td_file_model(path, model, NULL) : status;
    status = status == TD_OK ? td_file_read(model, MAX_TEXT, NULL, &text, NULL) : status;
    status = status == TD_OK ? keep(files, model, text.data, text.size) : status;
    td_bytes_free(&text);
    if (status == TD_OK && files->view) {
        status = keep_view(files, model);
    }
    if (status == TD_OK) {
        follow_includes(files, model, files->view);
    }
    return cli_exit_code(status);
}

// A file that an object of a scene names; `resolved` gets the name by which it is kept.
static bool gather_named(const char *path, const td_value *name, view_files *files,
                         char resolved[160]) {
    char *text = NULL;
    size_t size = 0;
    if (!name ||
        read_and_keep(files, name->text, path, MAX_TEXT, NULL, &text, &size, resolved) != TD_OK) {
        return false;
    }
    td_bytes bytes = {(uint8_t *)text, size, NULL};
    td_bytes_free(&bytes);
    return true;
}

static void gather_plants(const char *path, const td_value *scene, view_files *files) {
    const td_value *objects = td_value_get(scene, "objects");
    for (int32_t k = 0; objects && k < objects->count; k++) {
        const td_value *object = &objects->items[k];
        char model[160] = "", view[160] = "";
        if (gather_named(path, td_value_get(object, "plant"), files, model)) {
            bool viewed = gather_named(path, td_value_get(object, "view"), files, view);
            follow_includes(files, model, viewed ? view : NULL);
        }
    }
}

static int gather_scene(const char *path, view_files *files) {
    cli_scene scene;
    int code = cli_scene_open(path, cli_core_count(), NULL, &scene);
    if (code == EXIT_FINE) {
        td_value *value = NULL;
        keep(files, path, scene.text.data, scene.text.size);
        if (td_value_from_yaml((const char *)scene.text.data, scene.text.size, path, NULL, &value,
                               NULL) == TD_OK) {
            gather_plants(path, value, files);
        }
        td_value_free(value);
    }
    cli_scene_free(&scene);
    return code;
}

// ---- page -----------------------------------------------------------------------------------

static void write_given(FILE *out, const char *file, const view_files *files) {
    fputs("{\"file\":", out);
    cli_json_text(out, file);
    fputs(",\"files\":{", out);
    for (int32_t k = 0; k < files->count; k++) {
        const td_bytes *text = &files->items[k].text;
        char *line = malloc(text->size + 1);
        fputs(k > 0 ? "," : "", out);
        cli_json_text(out, files->items[k].name);
        fputc(':', out);
        if (line) {
            memcpy(line, text->data, text->size);
            line[text->size] = 0;
        }
        cli_json_text(out, line ? line : "");
        free(line);
    }
    fputs("}}", out);
}

// The page with the texts in the place of the mark; NULL when there is no memory or no mark.
static char *fill(const td_bytes *page, const char *file, const view_files *files, size_t *size) {
    const char *begin = (const char *)page->data, *end = begin + page->size, *mark = NULL;
    for (const char *at = begin; (at = memchr(at, '<', (size_t)(end - at))); at++) {
        if ((size_t)(end - at) >= strlen(MARK) && memcmp(at, MARK, strlen(MARK)) == 0) {
            mark = at;
            break;
        }
    }
    char *given = NULL, *out = NULL;
    size_t given_size = 0;
    FILE *json = mark ? open_memstream(&given, &given_size) : NULL;
    FILE *whole = json ? open_memstream(&out, size) : NULL;
    if (whole) {
        write_given(json, file, files);
        fflush(json);
        fwrite(begin, 1, (size_t)(mark - begin), whole);
        fputs("<script type=\"application/json\" id=\"given\">", whole);
        for (size_t i = 0; i < given_size; i++) {
            if (given[i] == '<') { // no text can end the element
                fputs("\\u003c", whole);
            } else {
                fputc(given[i], whole);
            }
        }
        fputs("</script>", whole);
        const char *rest = mark + strlen(MARK);
        fwrite(rest, 1, (size_t)(end - rest), whole);
    }
    bool good = whole && !ferror(json);
    good = (!whole || fclose(whole) == 0) && good;
    if (json) {
        fclose(json);
    }
    free(given);
    if (!good) {
        free(out);
    }
    return good ? out : NULL;
}

static int write_page(const char *path, const char *file, const view_files *files) {
    char viewer[MAX_PATH_SIZE];
    if (!cli_share_file("viewer.html", viewer, sizeof viewer)) {
        cli_error("view: the viewer's page is not installed; 'make viewer' builds it");
        return EXIT_BAD_INPUT;
    }
    td_bytes page = {0};
    td_diag diag = {.message = ""};
    td_status status = td_file_read(viewer, MAX_PAGE, NULL, &page, &diag);
    if (status == TD_OK) {
        size_t size = 0;
        char *filled = fill(&page, file, files, &size);
        if (filled) {
            status = td_file_write(path, filled, size, &diag);
        } else {
            status = TD_ERR_SYNTAX;
            snprintf(diag.message, sizeof diag.message,
                     "%.200s is not a viewer page: it has no '" MARK "'", viewer);
        }
        free(filled);
    }
    td_bytes_free(&page);
    if (status != TD_OK) {
        cli_print_fault(path, status, &diag);
    }
    return cli_exit_code(status);
}

// out/NAME.html, after the file's name without folder and extension
static bool default_page(const char *file, char page[MAX_PATH_SIZE]) {
    const char *slash = strrchr(file, '/'), *name = slash ? slash + 1 : file;
    size_t length = strcspn(name, ".");
    length = length ? length : strlen(name);
    mkdir("out", 0777); // that it cannot be made shows when the page is written
    return snprintf(page, MAX_PATH_SIZE, "out/%.*s.html", (int)length, name) < MAX_PATH_SIZE;
}

// Asks the desktop to show the page. That there is none is no failure: its name has been printed.
static void open_page(const char *page) {
    extern char **environ;
    char program[] = "xdg-open", *arguments[] = {program, (char *)page, NULL};
    pid_t process;
    posix_spawn_file_actions_t quiet;
    if (!getenv("DISPLAY") && !getenv("WAYLAND_DISPLAY")) {
        return;
    }
    posix_spawn_file_actions_init(&quiet);
    posix_spawn_file_actions_addopen(&quiet, 1, "/dev/null", 1, 0);
    posix_spawn_file_actions_adddup2(&quiet, 1, 2);
    posix_spawnp(&process, program, &quiet, NULL, arguments, environ);
    posix_spawn_file_actions_destroy(&quiet);
}

// ---- entry ----------------------------------------------------------------------------------

static int view(const char *file, const char *page, const char *given, bool show) {
    static view_files files;
    char made[MAX_PATH_SIZE], model[160] = "";
    files.view = given;
    if (!page && !default_page(file, made)) {
        cli_error("view: the name of FILE is too long");
        return EXIT_BAD_INPUT;
    }
    const char *to = page ? page : made;
    bool scene = cli_is_scene(file);
    int code = scene ? gather_scene(file, &files) : gather_model(file, model, &files);
    if (code == EXIT_FINE) {
        code = write_page(to, scene ? file : model, &files);
    }
    free_files(&files);
    if (code == EXIT_FINE && strcmp(to, "-") != 0) {
        printf("%s\n", to);
        fflush(stdout);
        if (show) {
            open_page(to);
        }
    }
    return code;
}

int cli_view(int argc, char **argv) {
    bool no_open = false;
    const char *page = NULL, *given = NULL;
    const cli_option options[] = {{"-o", CLI_TEXT, &page, 0},
                                  {"--view", CLI_TEXT, &given, 0},
                                  {"--no-open", CLI_FLAG, &no_open, 0},
                                  {0}};
    if (cli_read_options(argc, argv, options, "view", "one FILE") < 0) {
        return EXIT_MISUSE;
    }
    return view(argv[0], page, given, !no_open);
}
