// SPDX-License-Identifier: MIT
// Texts in, a world out, and what is wrong with the texts.

#include "web/web.h"

#include <stdlib.h>
#include <string.h>

web_session web;

WEB_EXPORT(web_take) void *web_take(size_t size) {
    return malloc(size ? size : 1);
}

WEB_EXPORT(web_give) void web_give(void *block) {
    free(block);
}

// ---- faults ---------------------------------------------------------------------------------

static void clear_faults(void) {
    web.list = (td_diag_list){web.diags, WEB_MAX_DIAGS, 0};
}

static td_status add_fault(const td_diag *diag) {
    if (web.list.count < WEB_MAX_DIAGS) {
        web.diags[web.list.count] = *diag;
    }
    web.list.count++;
    return diag->status;
}

WEB_EXPORT(web_fault_count) int32_t web_fault_count(void) {
    return web.list.count < WEB_MAX_DIAGS ? web.list.count : WEB_MAX_DIAGS;
}

WEB_EXPORT(web_fault_line) int32_t web_fault_line(int32_t k) {
    return web.diags[k].line;
}

WEB_EXPORT(web_fault_column) int32_t web_fault_column(int32_t k) {
    return web.diags[k].column;
}

WEB_EXPORT(web_fault_file) const char *web_fault_file(int32_t k) {
    return web.diags[k].file;
}

WEB_EXPORT(web_fault_text) const char *web_fault_text(int32_t k) {
    const td_diag *d = &web.diags[k];
    return d->message[0] ? d->message : td_status_text(d->status);
}

WEB_EXPORT(web_status_text) const char *web_status_text(int32_t status) {
    return td_status_text((td_status)status);
}

// ---- files ----------------------------------------------------------------------------------

WEB_EXPORT(web_clear_files) void web_clear_files(void) {
    for (int32_t k = 0; k < web.file_count; k++) {
        free(web.files[k].name);
        free(web.files[k].text);
    }
    web.file_count = 0;
}

// Takes over both blocks; `name` ends in a zero byte. A file of the same name is replaced.
WEB_EXPORT(web_add_file) td_status web_add_file(char *name, char *text, size_t size) {
    int32_t k = 0;
    while (k < web.file_count && strcmp(web.files[k].name, name) != 0) {
        k++;
    }
    if (k == WEB_MAX_FILES) {
        free(name);
        free(text);
        return TD_ERR_LIMIT;
    }
    if (k < web.file_count) {
        free(web.files[k].name);
        free(web.files[k].text);
    } else {
        web.file_count++;
    }
    web.files[k] = (web_file){name, text, size};
    return TD_OK;
}

#define MAX_NAME 160 // as td_loader has it

// `name` seen from the folder of `from`, without "." and ".."; false when it does not fit
static bool resolve(const char *name, const char *from, char out[MAX_NAME]) {
    const char *slash = strrchr(from, '/');
    size_t folder = slash && name[0] != '/' ? (size_t)(slash - from) + 1 : 0;
    char whole[2 * MAX_NAME];
    if (folder + strlen(name) >= sizeof whole) {
        return false;
    }
    memcpy(whole, from, folder);
    memcpy(whole + folder, name, strlen(name) + 1);
    size_t size = 0;
    for (const char *at = whole; *at;) {
        size_t part = strcspn(at, "/");
        if (part == 2 && memcmp(at, "..", 2) == 0) {
            // back over the last folder, which ends in a slash
            size -= size > 0;
            while (size > 0 && out[size - 1] != '/') {
                size--;
            }
        } else if (part > 0 && !(part == 1 && at[0] == '.')) {
            if (size + part + 2 > MAX_NAME) {
                return false;
            }
            memcpy(out + size, at, part);
            size += part;
            if (at[part] == '/') {
                out[size++] = '/';
            }
        }
        at += part + (at[part] == '/');
    }
    out[size] = 0;
    return true;
}

static const char *base_name(const char *path) {
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

// by its whole name, or else by its last part: files that were dropped have no folder
static const web_file *find_file(const char *name) {
    for (int32_t k = 0; k < web.file_count; k++) {
        if (strcmp(web.files[k].name, name) == 0) {
            return &web.files[k];
        }
    }
    for (int32_t k = web.file_count - 1; k >= 0; k--) {
        if (strcmp(base_name(web.files[k].name), base_name(name)) == 0) {
            return &web.files[k];
        }
    }
    return NULL;
}

static td_status read_file(void *context, const char *name, const char *from, size_t max_size,
                           const td_alloc *alloc, char **text, size_t *size, char resolved[160]) {
    (void)context;
    (void)alloc; // the page gives none: the C heap, on both sides
    char path[MAX_NAME];
    const web_file *file = resolve(name, from, path) ? find_file(path) : NULL;
    if (!file) {
        return TD_ERR_READ;
    }
    if (file->size > max_size) {
        return TD_ERR_LIMIT;
    }
    *text = malloc(file->size ? file->size : 1);
    if (!*text) {
        return TD_ERR_MEMORY;
    }
    memcpy(*text, file->text, file->size);
    *size = file->size;
    size_t length = strlen(file->name);
    length = length < MAX_NAME ? length : MAX_NAME - 1;
    memcpy(resolved, file->name, length);
    resolved[length] = 0;
    return TD_OK;
}

static const td_loader loader = {read_file, NULL};

// Compiles the file of that name as a model and drops the result: all its faults are listed.
WEB_EXPORT(web_check) td_status web_check(const char *name) {
    clear_faults();
    const web_file *file = find_file(name);
    if (!file) {
        return TD_ERR_READ;
    }
    td_grammar_def def = td_grammar_def_default();
    td_grammar *grammar = NULL;
    def.name = file->name;
    def.text = file->text;
    def.text_size = file->size;
    def.loader = &loader;
    td_status status = td_grammar_new(&def, NULL, &grammar, &web.list);
    status = status == TD_OK ? td_plant_check(grammar, &web.list) : status;
    td_grammar_free(grammar);
    return status;
}

// ---- values ---------------------------------------------------------------------------------

// A scene is told value by value, between web_begin() and web_open().
WEB_EXPORT(web_begin) td_status web_begin(const char *file, const char *text, size_t size) {
    td_value *dropped = NULL;
    if (web.builder) {
        td_value_builder_finish(web.builder, &dropped, NULL);
        td_value_free(dropped);
    }
    web.builder = NULL;
    return td_value_builder_new(file, text, size, NULL, &web.builder);
}

WEB_EXPORT(web_map) td_status web_map(int32_t line, int32_t column) {
    return td_value_builder_begin_map(web.builder, line, column);
}

WEB_EXPORT(web_list_of) td_status web_list_of(int32_t line, int32_t column) {
    return td_value_builder_begin_list(web.builder, line, column);
}

WEB_EXPORT(web_end) td_status web_end(void) {
    return td_value_builder_end(web.builder);
}

WEB_EXPORT(web_key) td_status web_key(const char *text, size_t size, int32_t line, int32_t column) {
    return td_value_builder_key(web.builder, text, size, line, column);
}

WEB_EXPORT(web_scalar)
td_status web_scalar(const char *text, size_t size, int32_t quoted, int32_t line, int32_t column) {
    return td_value_builder_scalar(web.builder, text, size, quoted != 0, line, column);
}

WEB_EXPORT(web_anchor) td_status web_anchor(const char *name, int32_t line, int32_t column) {
    return td_value_builder_anchor(web.builder, name, line, column);
}

WEB_EXPORT(web_alias) td_status web_alias(const char *name, int32_t line, int32_t column) {
    return td_value_builder_alias(web.builder, name, line, column);
}

WEB_EXPORT(web_fail) td_status web_fail(int32_t line, int32_t column, const char *message) {
    return td_value_builder_fail(web.builder, TD_ERR_SYNTAX, line, column, message);
}

// ---- worlds ---------------------------------------------------------------------------------

static void close_world(void) {
    web_free_meshes();
    web_free_room();
    td_world_free(web.world);
    td_scene_free(web.scene);
    web.world = NULL;
    web.scene = NULL;
}

static td_status make_scene(const char *file, td_scene **out) {
    td_value *value = NULL;
    td_diag diag = {.index = TD_NONE};
    td_status status = td_value_builder_finish(web.builder, &value, &diag);
    web.builder = NULL;
    status =
        status == TD_OK ? td_scene_from_value(value, file, NULL, out, &web.list) : add_fault(&diag);
    if (status == TD_OK && td_scene_def_get(*out)->object_count == 0) { // there is nothing to show
        td_scene_free(*out);
        return add_fault(&(td_diag){.status = TD_ERR_SYNTAX,
                                    .index = TD_NONE,
                                    .message = "the scene has no objects; it needs at least one"});
    }
    return status;
}

static td_status make_world(const td_scene *scene, bool adaptable, td_world **out) {
    td_world_opts opts = td_world_opts_default();
    opts.loader = &loader;
    opts.max_segments = WEB_MAX_SEGMENTS;
    opts.max_modules = WEB_MAX_MODULES;
    opts.adaptable = adaptable;
    clear_faults();
    return td_world_from_scene(scene, &opts, NULL, out, &web.list);
}

// Makes a world of what has been told. When that fails the faults are listed and the world before
// goes on. Where there is no memory for worlds that can be made less exact, others do.
WEB_EXPORT(web_open) td_status web_open(const char *file) {
    td_scene *scene = NULL;
    td_world *world = NULL;
    clear_faults();
    td_status status = make_scene(file, &scene);
    if (status == TD_OK) {
        status = make_world(scene, true, &world);
        status = status == TD_ERR_MEMORY ? make_world(scene, false, &world) : status;
    }
    if (status != TD_OK) {
        td_scene_free(scene);
        if (web.list.count == 0) {
            add_fault(&(td_diag){.status = status, .index = TD_NONE});
        }
        return status;
    }
    close_world();
    web.scene = scene;
    web.world = world;
    if (!web_make_room()) {
        close_world();
        return add_fault(&(td_diag){.status = TD_ERR_MEMORY, .index = TD_NONE});
    }
    return TD_OK;
}

WEB_EXPORT(web_scene_name) const char *web_scene_name(void) {
    const char *name = td_scene_def_get(web.scene)->name;
    return name ? name : "";
}

WEB_EXPORT(web_scene_text) const char *web_scene_text(void) {
    const char *text = td_scene_def_get(web.scene)->text;
    return text ? text : "";
}

WEB_EXPORT(web_object_count) int32_t web_object_count(void) {
    return td_scene_def_get(web.scene)->object_count;
}

// Empty when the scene gives it none.
WEB_EXPORT(web_object_name) const char *web_object_name(int32_t object) {
    const char *name = td_scene_def_get(web.scene)->objects[object].name;
    return name ? name : "";
}

WEB_EXPORT(web_solver) int32_t web_solver(int32_t object) {
    return td_solver_find(td_scene_def_get(web.scene)->objects[object].solver);
}

WEB_EXPORT(web_integrator) int32_t web_integrator(int32_t object) {
    return (int32_t)td_scene_def_get(web.scene)->objects[object].integrator;
}

WEB_EXPORT(web_load_count) int32_t web_load_count(void) {
    return td_scene_def_get(web.scene)->load_count;
}

WEB_EXPORT(web_load_kind) int32_t web_load_kind(int32_t load) {
    return (int32_t)td_scene_def_get(web.scene)->loads[load].kind;
}

// ---- solvers --------------------------------------------------------------------------------

// As a scene names it; empty when the library has no solver of that number.
WEB_EXPORT(web_solver_name) const char *web_solver_name(int32_t solver) {
    return solver >= 0 && solver < td_solver_count() ? td_solver_get(solver).name : "";
}

// The integrators of a solver: bits 1 << td_integrator, without those of
// published/explicit_absent.c.
WEB_EXPORT(web_solver_integrators) uint32_t web_solver_integrators(int32_t solver) {
    const td_solver_info info = td_solver_get(solver);
    return info.integrators & (info.adapts ? ~0u : 1u << TD_IMPLICIT | 1u << TD_IMPLICIT_EULER);
}

// How an object weighs its joints, a td_adapt_weights.
WEB_EXPORT(web_weights) int32_t web_weights(int32_t object) {
    return (int32_t)td_scene_def_get(web.scene)->objects[object].adapt.weights;
}

// ---- parameters -----------------------------------------------------------------------------

// Not a number when there is no such path.
WEB_EXPORT(web_get) double web_get(const char *path) {
    td_real value = 0;
    td_diag diag = {.index = TD_NONE};
    clear_faults();
    if (td_world_get(web.world, path, &value, &diag) != TD_OK) {
        add_fault(&diag);
        return __builtin_nan("");
    }
    return value;
}

WEB_EXPORT(web_set) td_status web_set(const char *path, double value) {
    td_diag diag = {.index = TD_NONE};
    clear_faults();
    td_status status = td_world_set(web.world, path, value, &diag);
    return status == TD_OK ? TD_OK : add_fault(&diag);
}

WEB_EXPORT(web_set_integrator) td_status web_set_integrator(int32_t object, int32_t integrator) {
    return td_world_set_integrator(web.world, object, (td_integrator)integrator, NULL);
}

// ---- stepping -------------------------------------------------------------------------------

WEB_EXPORT(web_step) td_status web_step(void) {
    td_diag diag = {.index = TD_NONE};
    td_status status = td_world_step(web.world, &diag);
    if (status != TD_OK) {
        clear_faults();
        add_fault(&diag);
    }
    return status;
}
