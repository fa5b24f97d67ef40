// SPDX-License-Identifier: MIT
// The header item `define: { array ...; external ...; }`.

#include "grammar/parser.h"

#include <string.h>

#define MAX_ARRAYS 1000
#define MAX_CELLS  1000000 // numbers in all arrays together

// room for the numbers of one more array, all of them 0
static bool reserve_cells(tdi_parser *p, int32_t cells) {
    td_grammar *g = p->g;
    int64_t need = (int64_t)g->array.value_count + cells;
    if (need > p->capacity.array_value) {
        int64_t wanted = need > 2 * p->capacity.array_value ? need : 2 * p->capacity.array_value;
        double *values = tdi_arena_zeroed(&g->arena, (size_t)wanted, sizeof *values);
        if (!values) {
            return tdi_parse_memory(p);
        }
        if (g->array.value_count > 0) {
            memcpy(values, g->array.values, (size_t)g->array.value_count * sizeof *values);
        }
        g->array.values = values;
        p->capacity.array_value = wanted;
    }
    g->array.value_count = (int32_t)need;
    return true;
}

// array a[2][3]
static bool read_array_head(tdi_parser *p, tdi_array *array) {
    td_grammar *g = p->g;
    double cells = 1;
    char here[24];
    *array = (tdi_array){.first = g->array.value_count};
    if (g->array.count == MAX_ARRAYS) {
        return tdi_parse_fail(p, p->at, "more than %d arrays are declared", MAX_ARRAYS);
    }
    if (!tdi_read_name(p, array->name)) {
        return tdi_parse_fail(p, p->at, "expected the name of an array before %s",
                              tdi_here(p, here));
    }
    while (tdi_accept(p, "[")) {
        double size;
        if (array->rank == 4) {
            return tdi_parse_fail(p, p->at, "an array has four indices at most");
        }
        if (!tdi_number_in(p, 1, MAX_CELLS, "a size from 1 to 1000000", &size) ||
            !tdi_expect(p, "]")) {
            return false;
        }
        cells *= size;
        array->size[array->rank++] = (int32_t)size;
    }
    if (array->rank == 0) {
        return tdi_expect(p, "[");
    }
    if (cells + g->array.value_count > MAX_CELLS) {
        return tdi_parse_fail(p, p->at, "the arrays hold more than %d numbers together", MAX_CELLS);
    }
    return reserve_cells(p, (int32_t)cells);
}

// = {1, 2, 3}, with or without inner braces
static bool read_array_values(tdi_parser *p, const tdi_array *array) {
    int32_t place = array->first;
    while (tdi_peek(p) != ';' && tdi_peek(p) != 0) {
        if (tdi_accept(p, "{") || tdi_accept(p, "}") || tdi_accept(p, ",")) {
            continue;
        }
        if (place == p->g->array.value_count) {
            return tdi_parse_fail(p, p->at, "array %s is given more values than it holds",
                                  array->name);
        }
        double value;
        if (!tdi_parse_constant(p, &value)) {
            return false;
        }
        p->g->array.values[place++] = value;
    }
    return true;
}

static bool add_array(tdi_parser *p, const tdi_array *array) {
    td_grammar *g = p->g;
    if (g->array.count == p->capacity.array) {
        tdi_array *grown = tdi_arena_grow(&g->arena, g->array.items, g->array.count,
                                          &p->capacity.array, sizeof *grown);
        if (!grown) {
            return tdi_parse_memory(p);
        }
        g->array.items = grown;
    }
    g->array.items[g->array.count++] = *array;
    return true;
}

static bool read_array(tdi_parser *p) {
    tdi_array array;
    return read_array_head(p, &array) && (!tdi_accept(p, "=") || read_array_values(p, &array)) &&
           add_array(p, &array);
}

// A name of another L-system of the file. All of them share their arrays; one may be declared here
// first.
static bool read_external(tdi_parser *p) {
    char name[32], here[24];
    int32_t slot;
    tdi_skip_space(p);
    size_t at = p->at;
    if (!tdi_read_name(p, name)) {
        return tdi_parse_fail(p, p->at, "expected a name before %s", tdi_here(p, here));
    }
    if (!tdi_at(p, "[")) {
        return tdi_find_name(p, name) || tdi_show_name(p, name) ||
               tdi_add_name(p, name, true, &slot);
    }
    int32_t known = tdi_find_array(p, name);
    if (known == TD_NONE) {
        p->at = at;
        return read_array(p);
    }
    for (int32_t i = 0; i < p->g->array.items[known].rank; i++) {
        double size;
        if (!tdi_expect(p, "[") || !tdi_parse_constant(p, &size) || !tdi_expect(p, "]")) {
            return false;
        }
        if (size != p->g->array.items[known].size[i]) {
            return tdi_parse_fail(p, at, "array %s has %d elements in index %d where it is made",
                                  name, p->g->array.items[known].size[i], i + 1);
        }
    }
    return true;
}

bool tdi_read_define(tdi_parser *p) {
    p->limit = p->size;
    p->name_count = p->global_count;
    if (!tdi_expect(p, "{")) {
        return false;
    }
    while (!tdi_accept(p, "}")) {
        bool external = tdi_accept(p, "external");
        if (!external && !tdi_expect(p, "array")) {
            return false;
        }
        do {
            if (!(external ? read_external(p) : read_array(p))) {
                return false;
            }
        } while (tdi_accept(p, ","));
        if (!tdi_expect(p, ";")) {
            return false;
        }
    }
    return true;
}
