// SPDX-License-Identifier: MIT
// From a scene's file to a world: what run, check and bench share.

#include "cli/cli.h"

#include "tendril/yaml.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define MAX_SCENE_TEXT ((size_t)16 << 20) // bytes
#define MAX_DIAGS      50

int32_t cli_core_count(void) {
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    return cores < 1 ? 1 : cores > 256 ? 256 : (int32_t)cores;
}

bool cli_is_scene(const char *path) {
    return cli_has_suffix(path, ".yaml") || cli_has_suffix(path, ".yml") ||
           (cli_has_suffix(path, ".json") && !cli_is_skeleton(path));
}

// Whether the name is that of a model, which is no scene.
static bool is_model(const char *path) {
    const char *dot = strrchr(path, '.');
    return dot && (strcmp(dot, ".lsys") == 0 || strcmp(dot, ".l") == 0);
}

// ---- faults ---------------------------------------------------------------------------------

static bool same_fault(const td_diag *a, const td_diag *b) {
    return a->line == b->line && a->column == b->column && strcmp(a->file, b->file) == 0 &&
           strcmp(a->message, b->message) == 0;
}

// Two objects of one faulty plant have the same faults, which are told once.
static void drop_repeated(td_diag_list *list) {
    int32_t shown = list->count < list->capacity ? list->count : list->capacity, kept = 0;
    for (int32_t i = 0; i < shown; i++) {
        bool known = false;
        for (int32_t k = 0; k < kept && !known; k++) {
            known = same_fault(&list->items[i], &list->items[k]);
        }
        if (!known) {
            list->items[kept++] = list->items[i];
        }
    }
    list->count -= shown - kept;
}

// ---- plants of a faulty scene ---------------------------------------------------------------

// No world is made of a scene that cannot be read, which would tell the faults of its plants.
// So that all are told at once, their files are looked at here.

static void add_defines(const td_value *map, cli_defines *defines) {
    *defines = (cli_defines){.count = 0};
    for (int32_t k = 0; map && k < map->count && defines->count < CLI_MAX_DEFINES; k++) {
        const td_value *item = &map->items[k];
        if (item->key && item->kind != TD_VALUE_LIST && item->kind != TD_VALUE_MAP) {
            defines->items[defines->count++] = (td_define){item->key, item->text};
        }
    }
}

// The line of text that a value stands in.
static void show_line(const td_bytes *text, const td_value *value, td_diag *diag) {
    const char *from = (const char *)text->data, *end = from + text->size;
    for (int32_t line = 1; line < value->line && from < end; line++) {
        const char *feed = memchr(from, '\n', (size_t)(end - from));
        from = feed ? feed + 1 : end;
    }
    const char *feed = memchr(from, '\n', (size_t)(end - from));
    int length = (int)((feed ? feed : end) - from);
    if (length < (int)sizeof diag->source && value->column <= length) {
        snprintf(diag->source, sizeof diag->source, "%.*s", length, from);
        diag->caret = value->column - 1;
    }
}

// The path of a file that a scene names.
static td_status resolve(const char *path, const td_value *name, char resolved[160]) {
    td_loader loader = td_file_loader();
    char *text = NULL;
    size_t size = 0;
    td_status status =
        loader.read(loader.context, name->text, path, MAX_SCENE_TEXT, NULL, &text, &size, resolved);
    td_bytes bytes = {(uint8_t *)text, size, NULL};
    td_bytes_free(&bytes);
    return status;
}

static void check_plant(const char *path, const td_bytes *text, const td_value *object) {
    static cli_defines defines;
    const td_value *plant = td_value_get(object, "plant"), *view = td_value_get(object, "view");
    char model[160] = "", view_file[160] = "";
    if (!plant || plant->kind != TD_VALUE_TEXT) {
        return;
    }
    bool viewed = view && view->kind == TD_VALUE_TEXT && resolve(path, view, view_file) == TD_OK;
    td_status status = resolve(path, plant, model);
    if (status == TD_OK && cli_is_skeleton(model)) {
        td_skeleton *skeleton = NULL;
        cli_load_skeleton(model, &skeleton);
        td_skeleton_free(skeleton);
        return;
    }
    if (status == TD_OK) {
        td_grammar *grammar = NULL;
        add_defines(td_value_get(object, "define"), &defines);
        cli_load_model(model, &defines, viewed ? view_file : NULL, &grammar); // tells what is wrong
        td_grammar_free(grammar);
        return;
    }
    td_diag diag = {.status = status, .line = plant->line, .column = plant->column};
    snprintf(diag.file, sizeof diag.file, "%s", path);
    snprintf(diag.message, sizeof diag.message, "cannot read '%.180s'", plant->text);
    show_line(text, plant, &diag);
    cli_print_diag(&diag);
}

// Whether an object before it has the same plant, whose faults are known then.
static bool seen_before(const td_value *objects, int32_t k) {
    const td_value *plant = td_value_get(&objects->items[k], "plant");
    for (int32_t i = 0; plant && i < k; i++) {
        const td_value *other = td_value_get(&objects->items[i], "plant");
        if (other && strcmp(other->text, plant->text) == 0) {
            return true;
        }
    }
    return false;
}

static void check_plants(const char *path, const td_bytes *text) {
    td_value *value = NULL;
    if (text->size == 0 || td_value_from_yaml((const char *)text->data, text->size, path, NULL,
                                              &value, NULL) != TD_OK) {
        return; // which has been told
    }
    const td_value *objects = td_value_get(value, "objects");
    for (int32_t k = 0; objects && objects->kind == TD_VALUE_LIST && k < objects->count; k++) {
        if (!seen_before(objects, k)) {
            check_plant(path, text, &objects->items[k]);
        }
    }
    td_value_free(value);
}

// ---- opening --------------------------------------------------------------------------------

// Only programs can add objects later.
static td_status refuse_empty(td_value *value, const char *name, td_diag *diag) {
    const td_value *objects = td_value_get(value, "objects");
    if (!objects || objects->kind != TD_VALUE_LIST || objects->count > 0) {
        return TD_OK;
    }
    *diag = (td_diag){.status = TD_ERR_SYNTAX,
                      .line = objects->line,
                      .column = objects->column,
                      .index = TD_NONE,
                      .message = "the scene has no objects; it needs at least one"};
    snprintf(diag->file, sizeof diag->file, "%s", name);
    td_value_free(value);
    return TD_ERR_SYNTAX;
}

static td_status read_scene(const char *path, const td_alloc *alloc, cli_scene *scene,
                            td_diag_list *diags) {
    const char *name = strcmp(path, "-") == 0 ? "<stdin>" : path;
    td_value *value = NULL;
    td_status status = cli_read(path, MAX_SCENE_TEXT, alloc, &scene->text, &diags->items[0]);
    status = status == TD_OK ? td_value_from_yaml((const char *)scene->text.data, scene->text.size,
                                                  name, alloc, &value, &diags->items[0])
                             : status;
    status = status == TD_OK ? refuse_empty(value, name, &diags->items[0]) : status;
    if (status != TD_OK) {
        diags->count = 1;
        return status;
    }
    return td_scene_from_value(value, name, alloc, &scene->scene, diags);
}

// Keeps what the world tells of segments that it chose.
static void hear(void *context, td_log_level level, const char *text) {
    static const char start[] = "chosen: ";
    cli_scene *scene = context;
    (void)level;
    if (strncmp(text, start, strlen(start)) == 0) {
        if (scene->chosen_count < CLI_CHOSEN) {
            snprintf(scene->chosen[scene->chosen_count], sizeof scene->chosen[0], "%.190s",
                     text + strlen(start));
        }
        scene->chosen_count++;
    }
}

int cli_scene_open(const char *path, int32_t threads, const td_alloc *alloc, cli_scene *scene) {
    static td_diag items[MAX_DIAGS];
    td_diag_list diags = {items, MAX_DIAGS, 0};
    td_loader loader = td_file_loader();
    td_world_opts opts = td_world_opts_default();
    opts.loader = &loader;
    opts.threads = threads;
    opts.log = (td_log){hear, scene, TD_LOG_INFO};
    *scene = (cli_scene){.scene = NULL};
    if (cli_is_skeleton(path)) {
        const bool standard = strcmp(path, "-") == 0;
        cli_error("%s is a skeleton; a scene with 'plant: %s' simulates it",
                  standard ? "<stdin>" : path, standard ? "FILE" : path);
        return EXIT_BAD_INPUT;
    }
    if (is_model(path)) {
        cli_error("%s is a model; 'tendril grow %s' grows it and 'tendril view %s' moves it", path,
                  path, path);
        return EXIT_BAD_INPUT;
    }
    td_status status = read_scene(path, alloc, scene, &diags);
    bool read = status == TD_OK;
    if (read) {
        status = td_world_from_scene(scene->scene, &opts, alloc, &scene->world, &diags);
    }
    drop_repeated(&diags);
    cli_print_diags(&diags, status, path); // also warnings of models
    if (status != TD_OK) {
        if (!read) {
            check_plants(path, &scene->text);
        }
        cli_scene_free(scene);
    }
    // an argument out of its range came from the file, not from the command line
    return status == TD_ERR_ARGUMENT ? EXIT_BAD_INPUT : cli_exit_code(status);
}

int cli_scene_read(const char *path, cli_scene *scene) {
    static td_diag items[MAX_DIAGS];
    td_diag_list diags = {items, MAX_DIAGS, 0};
    *scene = (cli_scene){.scene = NULL};
    const td_status status = read_scene(path, NULL, scene, &diags);
    cli_print_diags(&diags, status, path);
    if (status != TD_OK) {
        cli_scene_free(scene);
    }
    return cli_exit_code(status);
}

void cli_scene_free(cli_scene *scene) {
    td_world_free(scene->world);
    td_scene_free(scene->scene);
    td_bytes_free(&scene->text);
    *scene = (cli_scene){.scene = NULL};
}
