// SPDX-License-Identifier: MIT
// All values of a struct that tables describe, one after the other, with their paths.
//
// Method   The tables lead from map to map and from list to list; they are few and do not lead back
//          to themselves, which bounds the depth of the walk.

#include "scene/fields.h"

#include <stdio.h>
#include <string.h>

typedef struct walk {
    tdi_field_visit visit;
    void *context;
    char path[TDI_PATH];
    size_t length;
    bool ended;
} walk;

static void walk_table(walk *w, const tdi_scene_table *table, char *object);

// Adds to the path and returns how long it was.
static size_t go_in(walk *w, const char *text) {
    size_t before = w->length, size = strlen(text), room = TDI_PATH - 1 - w->length;
    size = size < room ? size : room;
    memcpy(w->path + w->length, text, size);
    w->length += size;
    w->path[w->length] = 0;
    return before;
}

static void go_back(walk *w, size_t length) {
    w->length = length;
    w->path[length] = 0;
}

static void call(walk *w, const tdi_scene_field *field, char *at) {
    w->ended = w->ended || !w->visit(w->context, field, at, w->path);
}

static void walk_list(walk *w, const tdi_scene_field *list, char *object) {
    char *items, number[16];
    int32_t count;
    memcpy(&items, object + list->offset, sizeof items);
    memcpy(&count, object + list->count, sizeof count);
    for (int32_t k = 0; items && k < count && !w->ended; k++) {
        char *item = items + (size_t)k * tdi_item_size(list);
        snprintf(number, sizeof number, "[%d]", (int)k);
        size_t before = go_in(w, number);
        if (list->table) {
            go_in(w, ".");
            walk_table(w, list->table, item);
        } else {
            call(w, list->item, item);
        }
        go_back(w, before);
    }
}

static void walk_field(walk *w, const tdi_scene_field *field, char *object) {
    size_t before = go_in(w, field->key);
    if (field->kind == TDI_SCENE_LIST) {
        call(w, field, object + field->offset);
        walk_list(w, field, object);
    } else if (field->kind == TDI_SCENE_MAP) {
        go_in(w, ".");
        walk_table(w, field->table, object + field->offset);
    } else {
        call(w, field, object + field->offset);
    }
    go_back(w, before);
}

static void walk_table(walk *w, const tdi_scene_table *table, char *object) {
    int32_t tag = 0;
    bool found = !table->one_of;
    if (table->one_of) {
        memcpy(&tag, object + table->tag, sizeof tag);
    }
    for (const tdi_scene_field *field = table->fields; field->key && !w->ended; field++) {
        if (!table->one_of || field->tag == tag) {
            found = true;
            walk_field(w, field, object);
        }
    }
    if (!found) {
        call(w, NULL, object);
    }
}

void tdi_fields_walk(const tdi_scene_table *table, void *object, tdi_field_visit visit,
                     void *context) {
    walk w = {.visit = visit, .context = context};
    walk_table(&w, table, object);
}
