// SPDX-License-Identifier: MIT
#pragma once

// Trees as XML for MuJoCo, in which bodies are nested. The reader refuses deep nesting, so that a
// branch goes on in a file of its own after some bodies.

#include "peer.h"

#include <mujoco/mujoco.h>

#define NESTED 40 // bodies in one file, one within the other; the reader takes about 100

// What the bodies of a tree are: writes the opening of body i, and what follows all bodies.
typedef struct mujoco_text {
    const peer_tree *tree;
    void (*body)(FILE *out, const peer_tree *tree, int32_t i);
    void (*rest)(FILE *out, const void *context); // NULL: nothing
    const void *context;
} mujoco_text;

// Files that are being written, each included from the one before.
typedef struct writer {
    mjVFS *files;
    int32_t depth; // bodies that are open
    int32_t open;  // files that are open
    FILE **out;
    char **text;
    size_t *size;
} writer;

static bool begin_file(writer *w, const char *root) {
    w->out[w->open] = open_memstream(&w->text[w->open], &w->size[w->open]);
    if (!w->out[w->open]) {
        return false;
    }
    fprintf(w->out[w->open++], "<%s>\n", root);
    return true;
}

// The file is named after the body at which it begins.
static bool end_file(writer *w, const char *root, int32_t body) {
    int32_t k = --w->open;
    char name[32];
    fprintf(w->out[k], "</%s>\n", root);
    fclose(w->out[k]);
    snprintf(name, sizeof name, "b%d.xml", body);
    bool fine = mj_makeEmptyFileVFS(w->files, name, (int)w->size[k]) == 0;
    if (fine) {
        memcpy(w->files->filedata[mj_findFileVFS(w->files, name)], w->text[k], w->size[k]);
    }
    free(w->text[k]);
    return fine;
}

static bool begin_body(writer *w, const mujoco_text *text, int32_t i) {
    if (w->depth > 0 && w->depth % NESTED == 0) {
        fprintf(w->out[w->open - 1], "<include file='b%d.xml'/>\n", i);
        if (!begin_file(w, "mujocoinclude")) {
            return false;
        }
    }
    w->depth++;
    text->body(w->out[w->open - 1], text->tree, i);
    return true;
}

static bool end_body(writer *w, int32_t i) {
    fprintf(w->out[w->open - 1], "</body>\n");
    w->depth--;
    return w->depth == 0 || w->depth % NESTED != 0 || end_file(w, "mujocoinclude", i);
}

// Ends bodies from `last` up to, not including, the parent of the next one.
static bool end_bodies(writer *w, const bench_place *places, int32_t last, int32_t parent) {
    bool fine = true;
    for (; fine && last != parent; last = places[last].parent) {
        fine = end_body(w, last);
    }
    return fine;
}

static bool write_tree(writer *w, const mujoco_text *text) {
    const peer_tree *tree = text->tree;
    bool fine = begin_file(w, "mujoco");
    if (fine) {
        fprintf(w->out[0], "<worldbody>\n");
    }
    for (int32_t i = 0; fine && i < tree->count; i++) {
        fine = end_bodies(w, tree->places, i - 1, tree->places[i].parent) && begin_body(w, text, i);
    }
    fine = fine && end_bodies(w, tree->places, tree->count - 1, -1);
    if (fine) {
        fprintf(w->out[0], "</worldbody>\n");
    }
    if (fine && text->rest) {
        text->rest(w->out[0], text->context);
    }
    return fine && end_file(w, "mujoco", -1);
}

static mjModel *mujoco_load(const mujoco_text *text) {
    char fault[256] = "out of memory";
    size_t most = (size_t)text->tree->count / NESTED + 2;
    writer w = {.files = malloc(sizeof(mjVFS)),
                .out = calloc(most, sizeof *w.out),
                .text = calloc(most, sizeof *w.text),
                .size = calloc(most, sizeof *w.size)};
    mjModel *model = NULL;
    if (w.files && w.out && w.text && w.size) {
        mj_defaultVFS(w.files);
        if (write_tree(&w, text)) {
            model = mj_loadXML("b-1.xml", w.files, fault, sizeof fault);
        }
        mj_deleteVFS(w.files);
    }
    free(w.files);
    free(w.out);
    free(w.text);
    free(w.size);
    if (!model) {
        fprintf(stderr, "MuJoCo: %s\n", fault);
    }
    return model;
}
