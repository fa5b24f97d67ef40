// SPDX-License-Identifier: MIT
// Tables of fields: rows by key, ranges, defaults.

#include "scene/fields.h"

#include "base/real.h"
#include "base/words.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

// ---- rows -----------------------------------------------------------------------------------

const tdi_scene_field *tdi_table_field(const tdi_scene_table *table, const char *key, size_t size) {
    for (const tdi_scene_field *field = table->fields; field->key; field++) {
        if (strlen(field->key) == size && memcmp(field->key, key, size) == 0) {
            return field;
        }
    }
    return NULL;
}

const char *tdi_table_nearest(const tdi_scene_table *table, const char *key) {
    tdi_near_word near = {.word = key};
    for (const tdi_scene_field *field = table->fields; field->key; field++) {
        tdi_word_consider(&near, field->key);
    }
    return near.best;
}

size_t tdi_kind_size(tdi_scene_kind kind) {
    switch (kind) {
    case TDI_SCENE_REAL: return sizeof(td_real);
    case TDI_SCENE_BOOL: return sizeof(bool);
    case TDI_SCENE_VEC3: return sizeof(td_vec3);
    case TDI_SCENE_ROTATION: return sizeof(td_quat);
    case TDI_SCENE_INT:
    case TDI_SCENE_BITS:
    case TDI_SCENE_CHOICE: return sizeof(int32_t);
    default: return sizeof(void *);
    }
}

size_t tdi_item_size(const tdi_scene_field *list) {
    return list->table ? list->table->size : tdi_kind_size(list->item->kind);
}

td_real tdi_field_scale(const tdi_scene_field *field) {
    return field->scale == 0 ? 1 : field->scale;
}

// ---- ranges ---------------------------------------------------------------------------------

#define NO_LIMIT 1e30 // a number as large as this is a limit that nobody meets

typedef struct range {
    td_real low, high;
    bool whole;
} range;

static range range_of(const tdi_scene_field *field) {
    bool whole = field->kind == TDI_SCENE_INT;
    if (field->low == 0 && field->high == 0 && !field->low_open) {
        return (range){whole ? (td_real)INT32_MIN : -(td_real)INFINITY,
                       whole ? (td_real)INT32_MAX : (td_real)INFINITY, whole};
    }
    return (range){field->low, field->high, whole};
}

bool tdi_field_admits(const tdi_scene_field *field, td_real number) {
    range r = range_of(field);
    bool above = field->low_open ? number > r.low : number >= r.low;
    bool whole = !r.whole || number == floor(number);
    return isfinite(number * tdi_field_scale(field)) && above && number <= r.high && whole;
}

bool tdi_field_takes_text(const tdi_scene_field *field, const char *text) {
    tdi_choice name;
    bool known = !field->names;
    for (int32_t k = 0; !known && field->names(k, &name); k++) {
        known = strcmp(name.name, text) == 0;
    }
    return known;
}

static const char *names_of(const tdi_scene_field *field, char text[TDI_EXPECTS_TEXT]) {
    tdi_choice name;
    strcpy(text, "one of ");
    tdi_word_list names = {text, TDI_EXPECTS_TEXT, strlen(text), 0, 0};
    for (const tdi_choice *c = field->choices; c && c->name; c++) {
        tdi_words_add(&names, c->name);
    }
    for (int32_t k = 0; field->names && field->names(k, &name); k++) {
        tdi_words_add(&names, name.name);
    }
    tdi_words_end(&names);
    return text;
}

const char *tdi_field_expects(const tdi_scene_field *field, char text[TDI_EXPECTS_TEXT]) {
    if (field->choices || field->names) {
        return names_of(field, text);
    }
    range r = range_of(field);
    char low[TDI_REAL_TEXT] = "", high[TDI_REAL_TEXT] = "";
    bool has_low = isfinite(r.low), has_high = r.high < NO_LIMIT, between = has_low && has_high;
    if (has_low) {
        tdi_real_write(r.low, low);
    }
    if (has_high) {
        tdi_real_write(r.high, high);
    }
    snprintf(text, TDI_EXPECTS_TEXT, "%s%s%s%s%s%s%s", r.whole ? "a whole number" : "a number",
             !has_low          ? ""
             : field->low_open ? " above "
             : between         ? " from "
                               : " of at least ",
             low, between && field->low_open ? " and" : "",
             !has_high                     ? ""
             : between && !field->low_open ? " to "
                                           : " at most ",
             high, has_low || has_high ? "" : " that is finite");
    return text;
}

// ---- defaults -------------------------------------------------------------------------------

void tdi_field_default(const tdi_scene_field *field, void *object) {
    char *place = (char *)object + field->offset;
    td_real scaled[4];
    int32_t whole;
    bool flag = field->def[0] != 0;
    uint32_t bits;
    switch (field->kind) {
    case TDI_SCENE_REAL:
    case TDI_SCENE_VEC3:
        for (int i = 0; i < 3; i++) {
            scaled[i] = field->def[i] * tdi_field_scale(field);
        }
        memcpy(place, scaled, tdi_kind_size(field->kind));
        break;
    case TDI_SCENE_ROTATION:
        memcpy(scaled, field->def, sizeof scaled);
        if (scaled[0] == 0 && scaled[1] == 0 && scaled[2] == 0 && scaled[3] == 0) {
            scaled[0] = 1;
        }
        memcpy(place, scaled, sizeof scaled);
        break;
    case TDI_SCENE_INT:
    case TDI_SCENE_CHOICE:
        whole = (int32_t)field->def[0]; // of these alone: a real may be too large for it
        memcpy(place, &whole, sizeof whole);
        break;
    case TDI_SCENE_BITS:
        bits = (uint32_t)field->def[0];
        memcpy(place, &bits, sizeof bits);
        break;
    case TDI_SCENE_BOOL: memcpy(place, &flag, sizeof flag); break;
    case TDI_SCENE_MAP: tdi_fields_defaults(field->table, place); break;
    case TDI_SCENE_TEXT:
    case TDI_SCENE_LIST:
    case TDI_SCENE_VALUE: break; // none, as the zeroed struct has it
    }
}

void tdi_fields_defaults(const tdi_scene_table *table, void *object) {
    memset(object, 0, table->size);
    if (table->sized) {
        const uint32_t size = (uint32_t)table->size;
        memcpy(object, &size, sizeof size);
    }
    if (table->init) {
        table->init(object);
        return;
    }
    for (const tdi_scene_field *field = table->fields; field->key && !table->one_of; field++) {
        tdi_field_default(field, object);
    }
}
