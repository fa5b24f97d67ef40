// SPDX-License-Identifier: MIT
// Copies of structs that tables describe, with all that they point to.
//
// Method   A copy begins empty and gets what the rows of its table say: what no row names is not
//          copied, so that a copy never points to memory of others by mistake.

#include "scene/fields.h"

#include <string.h>

typedef struct copier {
    tdi_arena *arena;
    bool fine;
} copier;

static void copy_table(copier *c, const tdi_scene_table *table, const char *from, char *to);

static void copy_text(copier *c, const char *from, char *to) {
    const char *text;
    memcpy(&text, from, sizeof text);
    const char *copy = text ? tdi_arena_text(c->arena, text, strlen(text)) : NULL;
    c->fine &= !text || copy;
    memcpy(to, &copy, sizeof copy);
}

static void *copy_items(copier *c, const void *from, int32_t count, size_t size) {
    if (count <= 0 || !from) {
        return NULL;
    }
    void *copy = tdi_arena_zeroed(c->arena, (size_t)count, size);
    c->fine &= copy != NULL;
    return copy ? memcpy(copy, from, (size_t)count * size) : NULL;
}

static void copy_list(copier *c, const tdi_scene_field *list, const char *from, char *to) {
    const size_t size = tdi_item_size(list);
    const char *items;
    int32_t count;
    memcpy(&items, from + list->offset, sizeof items);
    memcpy(&count, from + list->count, sizeof count);
    char *copy = copy_items(c, items, count, size);
    for (int32_t k = 0; copy && k < count; k++) {
        if (list->table) {
            copy_table(c, list->table, items + (size_t)k * size, copy + (size_t)k * size);
        } else if (list->item->kind == TDI_SCENE_TEXT) {
            copy_text(c, items + (size_t)k * size, copy + (size_t)k * size);
        }
    }
    count = copy ? count : 0;
    memcpy(to + list->offset, &copy, sizeof copy);
    memcpy(to + list->count, &count, sizeof count);
}

static void copy_along(copier *c, const td_along *from, td_along *to) {
    *to = *from;
    to->places = copy_items(c, from->places, from->count, sizeof *from->places);
    to->values = copy_items(c, from->values, from->count, sizeof *from->values);
}

static void copy_field(copier *c, const tdi_scene_field *field, const char *from, char *to) {
    switch (field->kind) {
    case TDI_SCENE_TEXT: copy_text(c, from + field->offset, to + field->offset); break;
    case TDI_SCENE_LIST: copy_list(c, field, from, to); break;
    case TDI_SCENE_MAP:
        copy_table(c, field->table, from + field->offset, to + field->offset);
        break;
    default: memcpy(to + field->offset, from + field->offset, tdi_kind_size(field->kind)); break;
    }
    if (field->along > 0) {
        copy_along(c, (const td_along *)(from + field->along), (td_along *)(to + field->along));
    }
    if (field->given > 0) { // after a map, of which it may be a part
        memcpy(to + field->given, from + field->given, sizeof(bool));
    }
}

static void copy_table(copier *c, const tdi_scene_table *table, const char *from, char *to) {
    int32_t tag = 0;
    tdi_fields_defaults(table, to);
    if (table->one_of) {
        memcpy(&tag, from + table->tag, sizeof tag);
        memcpy(to + table->tag, &tag, sizeof tag);
    }
    for (const tdi_scene_field *field = table->fields; field->key; field++) {
        if (!table->one_of || field->tag == tag) {
            copy_field(c, field, from, to);
        }
    }
}

bool tdi_fields_copy(const tdi_scene_table *table, const void *from, void *to, tdi_arena *arena) {
    copier c = {arena, true};
    copy_table(&c, table, from, to);
    return c.fine;
}
