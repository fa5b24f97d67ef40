// SPDX-License-Identifier: MIT
// Grows a model as 'tendril grow' does, with nothing of the library but what grows plants, so that
// builds that are compared in their plants alone compile no more than that:
//   make_plant MODEL.lsys OUT.glb [FEW.glb]
// Prints the string, and writes the mesh; FEW.glb has at most 3000 triangles, and textures.
// scripts/check-determinism.sh runs it.

#include "tendril/tendril.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MOST_TEXT ((size_t)1 << 20)
#define FEW       3000 // triangles

static void must(td_status status, const char *doing, const td_diag *diag) {
    if (status != TD_OK) {
        fprintf(stderr, "make_plant: %s: %s\n", doing,
                diag->message[0] ? diag->message : td_status_text(status));
        exit(1);
    }
}

static td_grammar *read_model(const char *path, td_diag *diag) {
    td_diag_list diags = {diag, 1, 0};
    td_loader loader = td_file_loader();
    td_bytes text = {0};
    td_grammar *grammar = NULL;
    must(td_file_read(path, MOST_TEXT, NULL, &text, diag), path, diag);
    td_grammar_def def = td_grammar_def_default();
    def.name = path;
    def.text = (const char *)text.data;
    def.text_size = text.size;
    def.loader = &loader;
    must(td_grammar_new(&def, NULL, &grammar, &diags), path, diag);
    td_bytes_free(&text);
    return grammar;
}

static td_derivation *derive(const td_grammar *grammar, td_diag *diag) {
    const td_derive_opts opts = td_derive_opts_default();
    td_derivation *derivation = NULL;
    must(td_derivation_new(grammar, &opts, NULL, &derivation, diag), "deriving", diag);
    for (int64_t k = 0; k < td_grammar_steps(grammar); k++) {
        must(td_derivation_step(derivation, diag), "deriving", diag);
    }
    must(td_derivation_end(derivation, diag), "deriving", diag);
    return derivation;
}

static void write_mesh(const td_skeleton *skeleton, const td_mesh_opts *opts, const char *name,
                       const char *path, td_diag *diag) {
    td_mesh *mesh = NULL;
    td_bytes bytes = {0};
    must(td_mesh_new(skeleton, opts, NULL, &mesh, diag), "its mesh", diag);
    must(td_mesh_glb(mesh, name, NULL, &bytes), "its file", diag);
    must(td_file_write(path, bytes.data, bytes.size, diag), path, diag);
    td_bytes_free(&bytes);
    td_mesh_free(mesh);
}

// File name without folders and suffix.
static void plain_name(const char *path, char *name, size_t size) {
    const char *slash = strrchr(path, '/');
    snprintf(name, size, "%s", slash ? slash + 1 : path);
    char *dot = strrchr(name, '.');
    if (dot) {
        *dot = 0;
    }
}

int main(int argc, char **argv) {
    if (argc != 3 && argc != 4) {
        fputs("usage: make_plant MODEL.lsys OUT.glb [FEW.glb]\n", stderr);
        return 2;
    }
    td_diag diag = {.message = ""};
    td_grammar *grammar = read_model(argv[1], &diag);
    td_derivation *derivation = derive(grammar, &diag);
    const td_string string = td_derivation_string(derivation);
    td_bytes text = {0};
    must(td_string_text(grammar, &string, NULL, &text), "its string", &diag);
    must(td_file_write("-", text.data, text.size, &diag), "its string", &diag);

    const td_skeleton_opts bodies = td_skeleton_opts_default();
    td_skeleton *skeleton = NULL;
    char name[128];
    plain_name(argv[1], name, sizeof name);
    must(td_skeleton_from_string(grammar, &string, &bodies, NULL, &skeleton, &diag), "its skeleton",
         &diag);
    td_mesh_opts look = td_mesh_opts_default();
    write_mesh(skeleton, &look, name, argv[2], &diag);
    if (argc == 4) {
        look.max_triangles = FEW;
        look.textures = true;
        write_mesh(skeleton, &look, name, argv[3], &diag);
    }
    td_skeleton_free(skeleton);
    td_bytes_free(&text);
    td_derivation_free(derivation);
    td_grammar_free(grammar);
    return 0;
}
