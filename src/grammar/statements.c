// SPDX-License-Identifier: MIT
// Compiles statements: assignments, branches, loops, printing.

#include "grammar/parser.h"

#include <string.h>

// ---- statements -----------------------------------------------------------------------------

static bool block(tdi_parser *p);

// srand(1); and the like. A value that is computed for nothing may be a slip, so it gets a warning.
static bool expression_statement(tdi_parser *p, size_t at, bool call) {
    p->at = at;
    if (!call) {
        tdi_parse_warn(p, at, "this statement computes a value and drops it; was '=' meant?");
    }
    return tdi_compile_value(p) && tdi_expect(p, ";") &&
           tdi_emit(p, at, TDI_CODE_DROP, 0, 0) != TD_NONE;
}

// name = value; array[i] = value;
static bool assignment(tdi_parser *p) {
    char name[32], here[24];
    tdi_skip_space(p);
    size_t at = p->at;
    if (!tdi_read_name(p, name)) {
        return tdi_parse_fail(p, p->at, "expected a statement before %s", tdi_here(p, here));
    }
    p->stack = 0;
    int32_t array = tdi_find_array(p, name);
    if (array != TD_NONE) {
        return tdi_compile_indices(p, array) && tdi_expect(p, "=") && tdi_compile_value(p) &&
               tdi_expect(p, ";") && tdi_emit(p, at, TDI_CODE_SET_ELEMENT, array, 0) != TD_NONE;
    }
    const tdi_name *found = tdi_find_name(p, name);
    if (tdi_at(p, "(") || (found && !tdi_at(p, "="))) {
        return expression_statement(p, at, tdi_at(p, "("));
    }
    if (!tdi_expect(p, "=") || !tdi_compile_value(p) || !tdi_expect(p, ";")) {
        return false;
    }
    found = tdi_find_name(p, name); // the value may have made it known
    bool global = found ? found->global : p->names_are_global;
    int32_t slot = found ? found->slot : 0;
    if (!found && !tdi_add_name(p, name, global, &slot)) {
        return false;
    }
    return tdi_emit(p, at, global ? TDI_CODE_SET_GLOBAL : TDI_CODE_SET_SLOT, slot, 0) != TD_NONE;
}

static bool condition(tdi_parser *p) {
    p->stack = 0;
    return tdi_expect(p, "(") && tdi_compile_value(p) && tdi_expect(p, ")");
}

static bool keyword(tdi_parser *p, const char *word) {
    tdi_skip_space(p);
    size_t at = p->at;
    char name[32];
    if (tdi_read_name(p, name) && strcmp(name, word) == 0) {
        return true;
    }
    p->at = at;
    return false;
}

static bool if_statement(tdi_parser *p) {
    size_t at = p->at;
    if (!condition(p)) {
        return false;
    }
    int32_t skip = tdi_emit(p, at, TDI_CODE_JUMP_IF_ZERO, 0, 0);
    if (skip == TD_NONE || !block(p)) {
        return false;
    }
    if (keyword(p, "else")) {
        int32_t over = tdi_emit(p, at, TDI_CODE_JUMP, 0, 0);
        p->g->code.ops[skip].a = p->g->code.op_count;
        if (over == TD_NONE || !block(p)) {
            return false;
        }
        skip = over;
    }
    p->g->code.ops[skip].a = p->g->code.op_count;
    return true;
}

static bool while_statement(tdi_parser *p) {
    size_t at = p->at;
    int32_t start = p->g->code.op_count;
    if (!condition(p)) {
        return false;
    }
    int32_t leave = tdi_emit(p, at, TDI_CODE_JUMP_IF_ZERO, 0, 0);
    if (leave == TD_NONE || !block(p) || tdi_emit(p, at, TDI_CODE_LOOP, start, 0) == TD_NONE) {
        return false;
    }
    p->g->code.ops[leave].a = p->g->code.op_count;
    return true;
}

static bool do_statement(tdi_parser *p) {
    size_t at = p->at;
    int32_t start = p->g->code.op_count;
    return block(p) && tdi_expect(p, "while") && condition(p) && tdi_expect(p, ";") &&
           tdi_emit(p, at, TDI_CODE_LOOP_IF, start, 0) != TD_NONE;
}

static bool statement(tdi_parser *p) {
    tdi_skip_space(p);
    if (tdi_accept(p, ";")) {
        return true;
    }
    if (keyword(p, "if")) {
        return if_statement(p);
    }
    if (keyword(p, "while")) {
        return while_statement(p);
    }
    return keyword(p, "do") ? do_statement(p) : assignment(p);
}

// { statements }, or a single statement after if, else, while, do
static bool block(tdi_parser *p) {
    if (++p->nesting > TDI_MAX_NESTING) {
        return tdi_parse_fail(p, p->at, "statements are nested more than %d deep here",
                              TDI_MAX_NESTING);
    }
    bool ok = true;
    if (!tdi_accept(p, "{")) {
        ok = statement(p);
    } else {
        while (ok && !tdi_accept(p, "}")) {
            ok = p->at < p->limit ? statement(p) : tdi_expect(p, "}");
        }
    }
    p->nesting--;
    return ok;
}

int32_t tdi_compile_block(tdi_parser *p) {
    tdi_skip_space(p);
    size_t at = p->at;
    int32_t first = p->g->code.op_count;
    p->stack = 0;
    if (!tdi_at(p, "{")) {
        tdi_expect(p, "{");
        return TD_NONE;
    }
    return block(p) && tdi_emit(p, at, TDI_CODE_END, 0, 0) != TD_NONE ? first : TD_NONE;
}
