// SPDX-License-Identifier: MIT
// Clock, plants and scenes of the cases.

#include "cases/support.h"

#include "tendril/yaml.h"

#include <stdarg.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#define MOST_TEXT ((size_t)64 << 20) // bytes

double case_seconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

int32_t case_core_count(void) {
    const long cores = sysconf(_SC_NPROCESSORS_ONLN);
    return cores < 1 ? 1 : cores > 256 ? 256 : (int32_t)cores;
}

void case_error(const char *format, ...) {
    va_list args;
    va_start(args, format);
    fputs("tendril: ", stderr);
    vfprintf(stderr, format, args);
    fputc('\n', stderr);
    va_end(args);
}

void case_must(td_status status) {
    if (status != TD_OK) {
        case_error("a case is set up wrongly: %s", td_status_text(status));
        abort();
    }
}

// ---- plants ---------------------------------------------------------------------------------

static td_status derive(const td_grammar *grammar, int64_t steps, td_skeleton **out,
                        td_diag *diag) {
    const td_derive_opts opts = td_derive_opts_default();
    const int64_t count = steps < 0 ? td_grammar_steps(grammar) : steps;
    td_derivation *derivation = NULL;
    td_status status = td_derivation_new(grammar, &opts, NULL, &derivation, diag);
    for (int64_t k = 0; k < count && status == TD_OK; k++) {
        status = td_derivation_step(derivation, diag);
    }
    status = status == TD_OK ? td_derivation_end(derivation, diag) : status;
    if (status == TD_OK) {
        const td_string string = td_derivation_string(derivation);
        status = td_skeleton_from_string(grammar, &string, NULL, NULL, out, diag);
    }
    td_derivation_free(derivation);
    return status;
}

static td_status grow(const char *path, int64_t steps, td_skeleton **out, td_diag *diag) {
    td_diag_list diags = {diag, 1, 0};
    td_bytes text = {0};
    td_grammar *grammar = NULL;
    const td_loader loader = td_file_loader();
    td_grammar_def def = td_grammar_def_default();
    td_status status = td_file_read(path, MOST_TEXT, NULL, &text, diag);
    def.name = path;
    def.text = (const char *)text.data;
    def.text_size = text.size;
    def.loader = &loader;
    status = status == TD_OK ? td_grammar_new(&def, NULL, &grammar, &diags) : status;
    status = status == TD_OK ? derive(grammar, steps, out, diag) : status;
    td_grammar_free(grammar);
    td_bytes_free(&text);
    return status;
}

bool case_plant_open(const char *path, int64_t steps, case_plant *plant) {
    td_diag diag = {.message = ""};
    *plant = (case_plant){NULL, NULL, NULL};
    td_status status = grow(path, steps, &plant->skeleton, &diag);
    status = status == TD_OK
                 ? td_body_model_new(plant->skeleton, "tree", NULL, NULL, &plant->model, &diag)
                 : status;
    status = status == TD_OK ? td_body_new(plant->model, NULL, &plant->state, &diag) : status;
    if (status != TD_OK) {
        case_error("%s: %s", path, diag.message);
        case_plant_free(plant);
    }
    return status == TD_OK;
}

void case_plant_free(case_plant *plant) {
    td_body_free(plant->state);
    td_body_model_free(plant->model);
    td_skeleton_free(plant->skeleton);
    *plant = (case_plant){NULL, NULL, NULL};
}

// ---- scenes ---------------------------------------------------------------------------------

static td_status read_scene(const char *path, const td_alloc *alloc, case_scene *scene,
                            td_diag_list *diags) {
    td_value *value = NULL;
    td_status status = td_file_read(path, MOST_TEXT, alloc, &scene->text, diags->items);
    status = status == TD_OK ? td_value_from_yaml((const char *)scene->text.data, scene->text.size,
                                                  path, alloc, &value, diags->items)
                             : status;
    return status == TD_OK ? td_scene_from_value(value, path, alloc, &scene->scene, diags) : status;
}

static bool told(const char *path, td_status status, const td_diag *diag, case_scene *scene) {
    if (status != TD_OK) {
        case_error("%s: %s", path, diag->message);
        case_scene_free(scene);
    }
    return status == TD_OK;
}

bool case_scene_read(const char *path, case_scene *scene) {
    td_diag item = {.message = ""};
    td_diag_list diags = {&item, 1, 0};
    *scene = (case_scene){.scene = NULL};
    return told(path, read_scene(path, NULL, scene, &diags), &item, scene);
}

bool case_scene_open(const char *path, int32_t threads, const td_alloc *alloc, case_scene *scene) {
    td_diag item = {.message = ""};
    td_diag_list diags = {&item, 1, 0};
    const td_loader loader = td_file_loader();
    td_world_opts opts = td_world_opts_default();
    opts.loader = &loader;
    opts.threads = threads;
    *scene = (case_scene){.scene = NULL};
    td_status status = read_scene(path, alloc, scene, &diags);
    diags.count = 0;
    status = status == TD_OK
                 ? td_world_from_scene(scene->scene, &opts, alloc, &scene->world, &diags)
                 : status;
    return told(path, status, &item, scene);
}

void case_scene_free(case_scene *scene) {
    td_world_free(scene->world);
    td_scene_free(scene->scene);
    td_bytes_free(&scene->text);
    *scene = (case_scene){.scene = NULL};
}
