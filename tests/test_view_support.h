// SPDX-License-Identifier: MIT
#pragma once

// Models with files beside them, in memory.

#include "test_grammar_support.h"

#include "base/alloc.h"

typedef struct test_file {
    const char *name, *text;
    size_t size; // 0: up to the end of the text
} test_file;

typedef struct test_files {
    const test_file *items;
    int32_t count;
} test_files;

static inline td_status test_read_file(void *context, const char *name, const char *from,
                                       size_t max_size, const td_alloc *alloc, char **text,
                                       size_t *size, char resolved[160]) {
    const test_files *files = context;
    (void)from;
    for (int32_t i = 0; i < files->count; i++) {
        const test_file *f = &files->items[i];
        if (strcmp(f->name, name) == 0) {
            *size = f->size > 0 ? f->size : strlen(f->text);
            if (*size > max_size) {
                return TD_ERR_LIMIT;
            }
            *text = tdi_alloc_resize(alloc, NULL, 0, *size);
            if (!*text && *size > 0) {
                return TD_ERR_MEMORY;
            }
            if (*size > 0) {
                memcpy(*text, f->text, *size);
            }
            snprintf(resolved, 160, "%s", name);
            return TD_OK;
        }
    }
    return TD_ERR_READ;
}

// the model `plant.l` with the files beside it, derived `steps` steps
static inline test_model test_model_with(const char *text, const test_file *items, int32_t count,
                                         const char *view, int32_t steps) {
    test_files files = {items, count};
    td_loader loader = {test_read_file, &files};
    td_grammar_def def = test_def(text);
    td_derive_opts opts = td_derive_opts_default();
    def.name = "plant.l";
    def.loader = &loader;
    def.view = view;
    return test_model_of(&def, &opts, steps, NULL);
}

// The number that an expression of a model has.
static inline double test_value_with(const char *expression, const test_file *files,
                                     int32_t count) {
    char text[256];
    snprintf(text, sizeof text, "axiom: V(%s)\n", expression);
    OWNED(test_model) m = test_model_with(text, files, count, NULL, 0);
    CHECK_SAY(m.status == TD_OK, "%s", m.faults[0].message);
    return test_param(&m, 0);
}
