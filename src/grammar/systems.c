// SPDX-License-Identifier: MIT
// Files with several L-systems: the first is the model, the others are sub-L-systems.
//
// Method   Each L-system is a td_grammar of its own that shares types, code, arrays and header with
//          the first. While the text is read, the one at hand is in the first grammar's fields;
//          when the next begins, they are put aside.

#include "grammar/parser.h"

#include <string.h>

#define MAX_SYSTEMS 64

// What an L-system has for itself.
static void move_system(td_grammar *to, const td_grammar *from) {
    to->id = from->id;
    to->own.global_first = from->own.global_first;
    to->own.global_end = from->own.global_end;
    to->own.array_first = from->own.array_first;
    to->own.array_end = from->own.array_end;
    to->seed = from->seed;
    to->steps = from->steps;
    to->phases.start = from->phases.start;
    to->phases.start_each = from->phases.start_each;
    to->phases.end_each = from->phases.end_each;
    to->phases.end = from->phases.end;
    to->rules.axiom = from->rules.axiom;
    to->rules.axiom_at = from->rules.axiom_at;
    to->rules.rewrite = from->rules.rewrite;
    to->rules.decompose = from->rules.decompose;
    to->rules.draw = from->rules.draw;
    memcpy(to->context.listed, from->context.listed, sizeof to->context.listed);
    to->context.lists = from->context.lists;
    to->context.ignores = from->context.ignores;
    to->context.opening_ignored = from->context.opening_ignored;
    to->context.closing_ignored = from->context.closing_ignored;
    to->ring = from->ring;
}

static bool put_aside(tdi_parser *p) {
    td_grammar *g = p->g;
    td_grammar *held = tdi_arena_zeroed(&g->arena, 1, sizeof *held);
    if (!g->systems) {
        g->systems = tdi_arena_zeroed(&g->arena, MAX_SYSTEMS, sizeof *g->systems);
    }
    if (!held || !g->systems) {
        return tdi_parse_memory(p);
    }
    if (g->system_count == MAX_SYSTEMS) {
        return tdi_parse_fail(p, p->at, "more than %d L-systems are in one file", MAX_SYSTEMS);
    }
    g->own.global_end = g->global_count;
    g->own.array_end = g->array.value_count;
    move_system(held, g);
    g->systems[g->system_count++] = held;
    return true;
}

// Names are an L-system's own; `external` shows one of another.
bool tdi_systems_next(tdi_parser *p) {
    td_grammar empty = {0};
    if (!put_aside(p)) {
        return false;
    }
    tdi_system_default(&empty);
    empty.own.global_first = p->g->global_count;
    empty.own.array_first = p->g->array.value_count;
    move_system(p->g, &empty);
    for (int32_t i = TDI_GLOBAL_LENGTH + 1; i < p->global_count; i++) {
        p->names[i].hidden = true;
    }
    p->name_count = p->global_count;
    return true;
}

bool tdi_systems_close(tdi_parser *p) {
    td_grammar *g = p->g;
    if (!put_aside(p)) {
        return false;
    }
    move_system(g, g->systems[0]);
    g->systems[0] = g;
    for (int32_t i = 0; i < g->system_count; i++) {
        for (int32_t k = 0; k < i; k++) {
            if (g->systems[i]->id == g->systems[k]->id) {
                return tdi_parse_fail(p, g->systems[i]->rules.axiom_at,
                                      "this is a second L-system with number %d",
                                      g->systems[i]->id);
            }
        }
    }
    return true;
}

bool tdi_systems_share(tdi_parser *p) {
    td_grammar *g = p->g;
    for (int32_t t = 0; t < g->symbols.type_count && g->system_count > 1; t++) {
        if (strcmp(g->symbols.types[t].name, "$") == 0) {
            g->symbols.types[t].op = TDI_OP_SUB_CLOSE;
        }
    }
    for (int32_t i = 1; i < g->system_count; i++) {
        td_grammar own, *sub = g->systems[i];
        memset(&own, 0, sizeof own);
        move_system(&own, sub);
        *sub = *g;
        move_system(sub, &own);
        // ignore: and consider: mark types
        sub->symbols.types =
            tdi_arena_zeroed(&g->arena, (size_t)g->symbols.type_count, sizeof *sub->symbols.types);
        if (!sub->symbols.types) {
            return tdi_parse_memory(p);
        }
        memcpy(sub->symbols.types, g->symbols.types,
               (size_t)g->symbols.type_count * sizeof *sub->symbols.types);
    }
    return true;
}

int32_t tdi_system_find(const td_grammar *g, double number) {
    for (int32_t i = 0; i < g->system_count; i++) {
        if (g->systems[i]->id == (int32_t)number) {
            return i;
        }
    }
    return TD_NONE;
}
