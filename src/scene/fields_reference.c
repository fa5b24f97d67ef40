// SPDX-License-Identifier: MIT
// The reference of a table as Markdown, so that docs and code cannot differ.
//
// Method   One section a table: its sentence and a row a key. Tables that a row leads to follow in
//          the order in which they are met, each once. Defaults are read from a struct that has
//          them, not from the rows, because a table may fill in its own.

#include "scene/fields.h"

#include "base/real.h"
#include "tendril/solver.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_TABLES 128

typedef struct writer {
    tdi_text_sink sink;
    void *context;
    const tdi_scene_table *tables[MAX_TABLES];
    int32_t table_count;
    bool full;
} writer;

// ---- pieces ---------------------------------------------------------------------------------

static void put(writer *w, const char *text) {
    w->sink(w->context, text, strlen(text));
}

static void put3(writer *w, const char *a, const char *b, const char *c) {
    put(w, a);
    put(w, b);
    put(w, c);
}

// in 12 digits, as a reader wants to see 1/60 and the degrees of a radian
static void put_number(writer *w, td_real value) {
    char text[TDI_REAL_TEXT];
    snprintf(text, sizeof text, "%.12g", value);
    tdi_real_write(strtod(text, NULL), text);
    put(w, text);
}

static void put_numbers(writer *w, const td_real *values, int32_t count, td_real scale) {
    put(w, "[");
    for (int32_t i = 0; i < count; i++) {
        put(w, i > 0 ? ", " : "");
        put_number(w, values[i] / scale);
    }
    put(w, "]");
}

// the table is written later; a heading's link is its name in lower case with - for a space
static void put_link(writer *w, const tdi_scene_table *table) {
    put3(w, "[", table->name, "](#");
    for (const char *c = table->name; *c; c++) {
        bool upper = *c >= 'A' && *c <= 'Z';
        char letter[2] = {(char)(*c == ' ' ? '-' : upper ? *c - 'A' + 'a' : *c), 0};
        put(w, letter);
    }
    put(w, ")");
    for (int32_t i = 0; i < w->table_count; i++) {
        if (w->tables[i] == table) {
            return;
        }
    }
    if (w->table_count == MAX_TABLES) {
        w->full = true;
        return;
    }
    w->tables[w->table_count++] = table;
}

// ---- columns --------------------------------------------------------------------------------

static void put_choices(writer *w, const tdi_choice *choices) {
    for (const tdi_choice *c = choices; c->name; c++) {
        put3(w, c == choices ? "`" : ", `", c->name, "`");
        if (c->doc) {
            put3(w, " (", c->doc, ")");
        }
    }
}

static void put_names(writer *w, const tdi_scene_field *field) {
    tdi_choice name[2] = {{0}, {0}};
    for (int32_t k = 0; field->names(k, &name[0]); k++) {
        put(w, k == 0 ? "" : ", ");
        put_choices(w, name);
    }
}

static void put_range(writer *w, const tdi_scene_field *field) {
    char text[TDI_EXPECTS_TEXT];
    bool any = field->low == 0 && field->high == 0 && !field->low_open;
    if (field->kind == TDI_SCENE_VEC3) {
        put(w, any ? "list of 3 numbers" : "list of 3, each ");
    }
    if (!any) {
        put(w, tdi_field_expects(field, text));
    } else if (field->kind != TDI_SCENE_VEC3) {
        put(w, field->kind == TDI_SCENE_INT ? "a whole number" : "a number");
    }
    if (field->unit) {
        put(w, ", ");
        put(w, field->unit);
    }
}

static void put_kind(writer *w, const tdi_scene_field *field) {
    switch (field->kind) {
    case TDI_SCENE_REAL:
    case TDI_SCENE_INT:
    case TDI_SCENE_VEC3: put_range(w, field); break;
    case TDI_SCENE_BOOL: put(w, "`true` or `false`"); break;
    case TDI_SCENE_BITS: put(w, "list of bits from 0 to 31, or `all`"); break;
    case TDI_SCENE_TEXT:
        if (field->names) {
            put_names(w, field);
        } else {
            put(w, "text");
        }
        break;
    case TDI_SCENE_CHOICE: put_choices(w, field->choices); break;
    case TDI_SCENE_ROTATION: put(w, "`{axis: [x, y, z], degrees: d}` or `[w, x, y, z]`"); break;
    case TDI_SCENE_MAP: put_link(w, field->table); break;
    case TDI_SCENE_LIST:
        put(w, "list of ");
        if (field->table) {
            put_link(w, field->table);
        } else {
            put_kind(w, field->item);
        }
        break;
    case TDI_SCENE_VALUE: put(w, "anything"); break;
    }
    put(w, field->keyed ? "; can have keys" : field->along > 0 ? "; can change along" : "");
}

static void put_choice_of(writer *w, const tdi_choice *choices, int32_t value) {
    for (const tdi_choice *c = choices; c->name; c++) {
        if (c->value == value) {
            put3(w, "`", c->name, "`");
            return;
        }
    }
}

static void put_bits(writer *w, uint32_t bits) {
    const char *comma = "";
    if (bits == UINT32_MAX) {
        put(w, "`all`");
        return;
    }
    put(w, "[");
    for (int k = 0; k < 32; k++) {
        if (bits >> k & 1) {
            put(w, comma);
            put_number(w, k);
            comma = ", ";
        }
    }
    put(w, "]");
}

static void put_default(writer *w, const tdi_scene_field *field, const void *object) {
    const char *place = (const char *)object + field->offset;
    td_real numbers[4] = {0};
    int32_t whole;
    uint32_t bits;
    const char *text;
    if (field->required || field->given > 0) {
        put(w, field->required ? "**required**" : "none");
        return;
    }
    switch (field->kind) {
    case TDI_SCENE_REAL:
        memcpy(numbers, place, sizeof *numbers);
        put_number(w, numbers[0] / tdi_field_scale(field));
        break;
    case TDI_SCENE_VEC3:
        memcpy(numbers, place, 3 * sizeof *numbers);
        put_numbers(w, numbers, 3, tdi_field_scale(field));
        break;
    case TDI_SCENE_ROTATION:
        memcpy(numbers, place, sizeof numbers);
        put_numbers(w, numbers, 4, 1);
        break;
    case TDI_SCENE_INT:
        memcpy(&whole, place, sizeof whole);
        put_number(w, whole);
        break;
    case TDI_SCENE_CHOICE:
        memcpy(&whole, place, sizeof whole);
        put_choice_of(w, field->choices, whole);
        break;
    case TDI_SCENE_BITS:
        memcpy(&bits, place, sizeof bits);
        put_bits(w, bits);
        break;
    case TDI_SCENE_BOOL: put(w, *(const bool *)place ? "`true`" : "`false`"); break;
    case TDI_SCENE_TEXT:
        memcpy(&text, place, sizeof text);
        put(w, text ? text : field->names ? "the first" : "none");
        break;
    case TDI_SCENE_LIST: put(w, "empty"); break;
    case TDI_SCENE_MAP: put(w, "its defaults"); break;
    case TDI_SCENE_VALUE: put(w, "none"); break;
    }
}

// "Only with the solver `a` or `b`.": the solvers that take a key.
static void put_solvers(writer *w, size_t ability) {
    const char *before = "Only with the solver `";
    for (int32_t k = 0; ability > 0 && k < td_solver_count(); k++) {
        const td_solver_info info = td_solver_get(k);
        if (*(const bool *)((const char *)&info + ability)) {
            put3(w, before, info.name, "`");
            before = " or `";
        }
    }
    put(w, *before == ' ' ? ". " : "");
}

// ---- sections -------------------------------------------------------------------------------

static void put_section(writer *w, const tdi_scene_table *table, int32_t level,
                        const void *object) {
    for (int32_t i = 0; i < level; i++) {
        put(w, "#");
    }
    put3(w, " ", table->name, "\n");
    put(w, table->doc ? table->doc : "");
    put(w, table->one_of ? " One of these keys:\n" : table->doc ? "\n" : "");
    put(w, table->one_of ? "\n| key | value | |\n|---|---|---|\n"
                         : "\n| key | value | default | |\n|---|---|---|---|\n");
    for (const tdi_scene_field *field = table->fields; field->key; field++) {
        put3(w, "| `", field->key, "` | ");
        put_kind(w, field);
        put(w, " | ");
        if (!table->one_of) {
            put_default(w, field, object);
            put(w, " | ");
        }
        put3(w, field->doc ? field->doc : "", field->doc ? " " : "", "");
        put_solvers(w, field->ability);
        put(w, "|\n");
    }
    put(w, "\n");
}

td_status tdi_fields_reference(const tdi_scene_table *table, int32_t level, const td_alloc *alloc,
                               tdi_text_sink sink, void *context) {
    writer w = {sink, context, {table}, 1, false};
    for (int32_t i = 0; i < w.table_count; i++) {
        void *object = tdi_alloc_zeroed(alloc, 1, w.tables[i]->size);
        if (!object) {
            return TD_ERR_MEMORY;
        }
        tdi_fields_defaults(w.tables[i], object);
        put_section(&w, w.tables[i], level, object);
        tdi_alloc_free(alloc, object, w.tables[i]->size);
    }
    return w.full ? TD_ERR_LIMIT : TD_OK;
}
