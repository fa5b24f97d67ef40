// SPDX-License-Identifier: MIT
// Fuzz target: any bytes as the text of a model, through all that can be made of it.
//
// Method   Compile, derive up to four steps, then skeleton, totals, mesh, glTF and JSON, all within
//          small limits. What was made is used; what failed must say why. Every byte goes through a
//          counting allocator: nothing may be left at the end.

#include "claim.h"

#include "tendril/tendril.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

// An input may hold several files: a line `== name` starts another. The first is the model.
typedef struct input {
    const char *text;
    size_t size;
} input;

// the part of the input after the line `== name`, or the first part when `name` is NULL
static bool find_part(const input *in, const char *name, input *part) {
    size_t start = 0;
    bool found = !name;
    for (size_t at = 0; at < in->size;) {
        const char *feed = memchr(in->text + at, '\n', in->size - at);
        size_t end = feed ? (size_t)(feed - in->text) : in->size;
        if (end - at >= 3 && memcmp(in->text + at, "== ", 3) == 0) {
            if (found) {
                *part = (input){in->text + start, at - start};
                return true;
            }
            found =
                strlen(name) == end - at - 3 && memcmp(in->text + at + 3, name, end - at - 3) == 0;
            start = end < in->size ? end + 1 : in->size;
        }
        at = end + 1;
    }
    *part = (input){in->text + start, in->size - start};
    return found;
}

static td_status load(void *context, const char *name, const char *from, size_t max_size,
                      const td_alloc *from_alloc, char **text, size_t *size, char resolved[160]) {
    static const char rules[] = "#define PART F[+F]\nB --> PART\n";
    input found = {rules, sizeof rules - 1};
    (void)from;
    if (strcmp(name, "part") != 0 && !find_part(context, name, &found)) {
        return TD_ERR_READ;
    }
    *size = found.size;
    if (*size > max_size) {
        return TD_ERR_LIMIT;
    }
    *text = *size > 0 ? from_alloc->resize(from_alloc->context, NULL, 0, *size) : NULL;
    if (!*text && *size > 0) {
        return TD_ERR_MEMORY;
    }
    if (*size > 0) {
        memcpy(*text, found.text, *size);
    }
    snprintf(resolved, 160, "%s", name);
    return TD_OK;
}

static void check_diag(td_status status, const td_diag *diag) {
    claim(status == TD_OK || diag->message[0] != 0, "a failure has a message");
}

// ---- what is made of a string ---------------------------------------------------------------

static void use_mesh(const td_skeleton *skeleton) {
    td_mesh_opts opts = td_mesh_opts_default();
    td_mesh *mesh = NULL;
    td_diag diag = {0};
    td_bytes bytes = {0};
    opts.max_vertices = 20000;
    td_status status = td_mesh_new(skeleton, &opts, &alloc, &mesh, &diag);
    check_diag(status, &diag);
    if (status == TD_OK) {
        claim(td_mesh_glb(mesh, "fuzz", &alloc, &bytes) == TD_OK, "a mesh can be written");
        claim(bytes.size % 4 == 0 && bytes.size >= 20, "glTF is aligned");
        td_bytes_free(&bytes);
    }
    td_mesh_free(mesh);
    claim(td_skeleton_json(skeleton, &alloc, &bytes) == TD_OK, "a skeleton can be written");
    td_bytes_free(&bytes);
}

static void use_string(const td_grammar *grammar, const td_string *string) {
    td_skeleton_opts opts = td_skeleton_opts_default();
    td_skeleton *skeleton = NULL;
    td_totals totals;
    td_diag diag = {0};
    td_bytes bytes = {0};
    opts.max_segments = 2000;
    td_status status = td_skeleton_from_string(grammar, string, &opts, &alloc, &skeleton, &diag);
    check_diag(status, &diag);
    if (status == TD_OK) {
        use_mesh(skeleton);
    }
    td_skeleton_free(skeleton);
    memset(&diag, 0, sizeof diag);
    check_diag(td_totals_from_string(grammar, string, &opts, &alloc, &totals, &diag), &diag);
    claim(td_string_text(grammar, string, &alloc, &bytes) == TD_OK, "a string can be written");
    td_bytes_free(&bytes);
}

// what is printed: text of the size that is said, under a name inside the folder
static int take_print(void *context, const char *file, bool start, const char *text, size_t size) {
    size_t *bytes = context;
    for (size_t i = 0; i < size; i++) {
        *bytes += text[i] != 0;
    }
    claim(!file || (file[0] && file[0] != '/' && strstr(file, "../") != file), "a file is inside");
    claim(!start || file, "only files start");
    return 0;
}

static void derive(const td_grammar *grammar) {
    size_t bytes = 0;
    td_derive_opts opts = td_derive_opts_default();
    opts.print = (td_print){take_print, &bytes};
    td_derivation *derivation = NULL;
    td_diag diag = {0};
    opts.max_modules = 2000;
    opts.max_loops = 2000;
    td_status status = td_derivation_new(grammar, &opts, &alloc, &derivation, &diag);
    for (int i = 0; i < 4 && status == TD_OK; i++) {
        status = td_derivation_step(derivation, &diag);
    }
    check_diag(status, &diag);
    if (status == TD_OK && td_derivation_end(derivation, &diag) == TD_OK) {
        td_string string = td_derivation_string(derivation);
        claim(string.module_count <= 2000, "the limit on modules holds");
        use_string(grammar, &string);
    }
    td_derivation_free(derivation);
}

// ---- entry ----------------------------------------------------------------------------------

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    input all = {(const char *)data, size}, model;
    td_loader loader = {load, &all};
    td_grammar_def def = td_grammar_def_default();
    td_grammar *grammar = NULL;
    td_diag items[4];
    td_diag_list diags = {items, 4, 0};
    find_part(&all, NULL, &model);
    // half of the texts, and those with files beside, are models of cpfg, whose arithmetic differs
    def.name = model.size < size || size % 2 ? "model.l" : "model";
    def.text = model.text;
    def.text_size = model.size;
    def.loader = &loader;
    def.max_text = 1 << 16;
    memset(items, 0, sizeof items);
    td_status status = td_grammar_new(&def, &alloc, &grammar, &diags);
    claim((status == TD_OK) == (grammar != NULL), "a grammar is made or refused");
    if (status == TD_OK) {
        td_plant_check(grammar, &diags);
        derive(grammar);
    } else {
        claim(diags.count > 0, "a refusal lists a fault");
        check_diag(status, &items[0]);
    }
    td_grammar_free(grammar);
    claim(heap.held == 0, "all memory is given back");
    return 0;
}
