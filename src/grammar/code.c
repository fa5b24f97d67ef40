// SPDX-License-Identifier: MIT
// Compiles expressions and statements.
//
// Method   Recursive descent, one function a level of precedence, with a limit on nesting. Constant
//          parts are folded, and an operation whose right side is a constant takes it along.

#include "grammar/parser.h"

#include <math.h>
#include <string.h>

// ---- operations -----------------------------------------------------------------------------

int32_t tdi_emit(tdi_parser *p, size_t at, tdi_code code, int32_t a, double k) {
    td_grammar *g = p->g;
    if (g->code.op_count == p->capacity.op) {
        tdi_op *ops =
            tdi_arena_grow(&g->arena, g->code.ops, g->code.op_count, &p->capacity.op, sizeof *ops);
        uint32_t *op_at = tdi_arena_grow(&g->arena, g->code.op_at, g->code.op_count,
                                         &p->capacity.op_at, sizeof *op_at);
        if (!ops || !op_at) {
            tdi_parse_memory(p);
            return TD_NONE;
        }
        g->code.ops = ops;
        g->code.op_at = op_at;
    }
    g->code.ops[g->code.op_count] = (tdi_op){(int32_t)code, a, k};
    g->code.op_at[g->code.op_count] = (uint32_t)at;
    return g->code.op_count++;
}

// the values an operation adds to the stack are counted, so that the machine need not check
bool tdi_emit_push(tdi_parser *p, size_t at, tdi_code code, int32_t a, double k) {
    if (++p->stack > TDI_MAX_STACK) {
        return tdi_parse_fail(p, at,
                              "this expression is too long; split it up with a name in between");
    }
    return tdi_emit(p, at, code, a, k) != TD_NONE;
}

static bool is_constant(const tdi_parser *p, int32_t first) {
    const td_grammar *g = p->g;
    return first == g->code.op_count - 1 && g->code.ops[first].code == TDI_CODE_CONSTANT;
}

static double fold(tdi_code code, double x, double y) {
    switch (code) {
    case TDI_CODE_ADD: return x + y;
    case TDI_CODE_SUB: return x - y;
    case TDI_CODE_MUL: return x * y;
    case TDI_CODE_DIV: return y != 0 ? x / y : NAN;
    default: return NAN;
    }
}

// `left` and `right` are the first operations of the two sides, which stand one after the other
static bool emit_binary(tdi_parser *p, size_t at, tdi_code code, int32_t left, int32_t right) {
    td_grammar *g = p->g;
    p->stack--;
    if (is_constant(p, right)) {
        double y = g->code.ops[right].k;
        bool both = right == left + 1 && g->code.ops[left].code == TDI_CODE_CONSTANT;
        double value = both ? fold(code, g->code.ops[left].k, y) : NAN;
        if (isfinite(value)) {
            g->code.ops[left].k = value;
            g->code.op_count--;
            return true;
        }
        if (code >= TDI_CODE_ADD && code <= TDI_CODE_DIV && !(code == TDI_CODE_DIV && y == 0)) {
            g->code.ops[right] = (tdi_op){(int32_t)code + TDI_CODE_ADD_K - TDI_CODE_ADD, 0, y};
            g->code.op_at[right] = (uint32_t)at;
            return true;
        }
    }
    return tdi_emit(p, at, code, code == TDI_CODE_MOD && g->dialect.cpfg, 0) != TD_NONE;
}

// ---- names ----------------------------------------------------------------------------------

const tdi_name *tdi_find_name(const tdi_parser *p, const char *name) {
    for (int32_t i = p->name_count - 1; i >= 0; i--) {
        if (!p->names[i].hidden && strcmp(p->names[i].text, name) == 0) {
            return &p->names[i];
        }
    }
    return NULL;
}

bool tdi_show_name(tdi_parser *p, const char *name) {
    for (int32_t i = 0; i < p->name_count && p->name_count < TDI_MAX_NAMES; i++) {
        if (p->names[i].hidden && strcmp(p->names[i].text, name) == 0) {
            p->names[p->name_count] = p->names[i];
            p->names[p->name_count++].hidden = false;
            p->global_count++;
            return true;
        }
    }
    return false;
}

bool tdi_add_name(tdi_parser *p, const char *name, bool global, int32_t *slot) {
    if (p->name_count == TDI_MAX_NAMES) {
        return tdi_parse_fail(p, p->at, "more than %d names are in use here; use fewer",
                              TDI_MAX_SLOTS);
    }
    tdi_name *n = &p->names[p->name_count++];
    tdi_text_copy(n->text, sizeof n->text, name);
    n->global = global;
    n->hidden = false;
    n->slot = global ? p->g->global_count++ : p->slot_count++;
    p->global_count += global;
    *slot = n->slot;
    return true;
}

int32_t tdi_find_array(const tdi_parser *p, const char *name) {
    for (int32_t i = 0; i < p->g->array.count; i++) {
        if (strcmp(p->g->array.items[i].name, name) == 0) {
            return i;
        }
    }
    return TD_NONE;
}

// a function's name stands for its number; the last of several wins
static int32_t find_spline(const td_grammar *g, const char *name) {
    for (int32_t i = g->tables.spline_count - 1; i >= 0; i--) {
        if (strcmp(g->tables.splines[i].name, name) == 0) {
            return i;
        }
    }
    return TD_NONE;
}

// ---- expressions ----------------------------------------------------------------------------

bool tdi_compile_indices(tdi_parser *p, int32_t array) {
    for (int32_t i = 0; i < p->g->array.items[array].rank; i++) {
        if (!tdi_expect(p, "[") || !tdi_compile_value(p) || !tdi_expect(p, "]")) {
            return false;
        }
    }
    return true;
}

static const char *function_name(int32_t index) {
    return tdi_function_get(index)->name;
}

// Functions of cpfg that are not here, and what a model can do instead.
static const char *instead_of(const char *name) {
    static const char *const refused[][2] = {
        {"fscanf", "a model reads no files; give numbers by '#include' or --define"},
        {"SetDerivationLength", "'derivation length:' gives the number of steps"},
        {"GetDerivationLength", "the name Z is the derivation length"},
        {"inblob", "there are no blobs"},
        {"play", "there are no sounds; remove the call"},
        {"Display", "a model is drawn after its last step; remove the call"},
    };
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
        if (strcmp(refused[i][0], name) == 0) {
            return refused[i][1];
        }
    }
    return strncmp(name, "vv", 2) == 0 ? "there is no window, so a view has no limits" : NULL;
}

static bool unknown_function(tdi_parser *p, size_t at, const char *name) {
    const char *instead = instead_of(name);
    if (instead) {
        return tdi_parse_fail(p, at, "%s of cpfg is not supported: %s", name, instead);
    }
    const char *near = tdi_nearest(name, function_name, tdi_function_count());
    return near ? tdi_parse_fail(p, at, "unknown function '%s'; did you mean '%s'?", name, near)
                : tdi_parse_fail(p, at, "unknown function '%s'", name);
}

static bool compile_call(tdi_parser *p, size_t at, const char *name) {
    if (tdi_is_print(name)) {
        return tdi_compile_print(p, at, name);
    }
    int32_t f = 0;
    while (f < tdi_function_count() && strcmp(function_name(f), name) != 0) {
        f++;
    }
    if (f == tdi_function_count()) {
        return unknown_function(p, at, name);
    }
    int32_t wanted = tdi_function_get(f)->params, count = 0;
    tdi_accept(p, "(");
    while (!tdi_at(p, ")")) {
        if ((count > 0 && !tdi_expect(p, ",")) || !tdi_compile_value(p)) {
            return false;
        }
        count++;
    }
    if (count != wanted) {
        return tdi_parse_fail(p, at, "%s takes %d parameter%s; %d %s given", name, wanted,
                              wanted == 1 ? "" : "s", count, count == 1 ? "is" : "are");
    }
    p->stack -= wanted - 1;
    return tdi_expect(p, ")") && tdi_emit(p, at, TDI_CODE_CALL, f, 0) != TD_NONE;
}

// cpfg counts a name as 0 until it is assigned, with a warning; elsewhere it is an error.
static bool unknown_name(tdi_parser *p, size_t at, const char *name) {
    int32_t slot = 0;
    if (!p->g->dialect.cpfg || p->constant) {
        return tdi_parse_fail(p, at, "unknown name '%s'", name);
    }
    tdi_parse_warn(p, at, "unknown name '%s' counts as 0", name);
    if (!p->names_are_global) {
        return tdi_emit_push(p, at, TDI_CODE_CONSTANT, 0, 0);
    }
    return tdi_add_name(p, name, true, &slot) && tdi_emit_push(p, at, TDI_CODE_GLOBAL, slot, 0);
}

static bool primary(tdi_parser *p) {
    char name[32], here[24];
    double value;
    tdi_skip_space(p);
    size_t at = p->at;
    if (tdi_accept(p, "(")) {
        return tdi_compile_value(p) && tdi_expect(p, ")");
    }
    if (tdi_read_number(p, &value)) {
        return tdi_emit_push(p, at, TDI_CODE_CONSTANT, 0, value);
    }
    if (tdi_at(p, "\"")) { // a label that only a window of cpfg shows
        return tdi_read_string(p, "a text") && tdi_emit_push(p, at, TDI_CODE_CONSTANT, 0, 0);
    }
    if (!tdi_read_name(p, name)) {
        return tdi_parse_fail(p, p->at, "expected a number, a name or '(' before %s",
                              tdi_here(p, here));
    }
    if (tdi_at(p, "(")) {
        return compile_call(p, at, name);
    }
    int32_t array = tdi_find_array(p, name);
    if (array != TD_NONE) {
        if (!tdi_compile_indices(p, array)) {
            return false;
        }
        p->stack -= p->g->array.items[array].rank - 1;
        return tdi_emit(p, at, TDI_CODE_ELEMENT, array, 0) != TD_NONE;
    }
    const tdi_name *found = tdi_find_name(p, name);
    int32_t spline = found ? TD_NONE : find_spline(p->g, name);
    if (spline != TD_NONE) {
        return tdi_emit_push(p, at, TDI_CODE_CONSTANT, 0, spline + 1);
    }
    if (!found) {
        return unknown_name(p, at, name);
    }
    return tdi_emit_push(p, at, found->global ? TDI_CODE_GLOBAL : TDI_CODE_SLOT, found->slot, 0);
}

static bool unary(tdi_parser *p);

// x ^ y, to the right: 2^3^2 is 2^9
static bool power(tdi_parser *p) {
    int32_t left = p->g->code.op_count;
    if (!primary(p)) {
        return false;
    }
    tdi_skip_space(p);
    size_t at = p->at;
    if (!tdi_accept(p, "^")) {
        return true;
    }
    int32_t right = p->g->code.op_count;
    return unary(p) && emit_binary(p, at, TDI_CODE_POW, left, right);
}

// A sign or ! and what `operand` reads after it. *signs says whether there was one.
static bool prefixed(tdi_parser *p, bool (*operand)(tdi_parser *), bool *signs) {
    char next = tdi_peek(p);
    *signs = (next == '-' || next == '+' || next == '!') && !tdi_at(p, "-->");
    if (!*signs) {
        return true;
    }
    size_t at = p->at++;
    if (++p->nesting > TDI_MAX_NESTING) {
        return tdi_parse_fail(p, at, "expressions are nested more than %d deep here",
                              TDI_MAX_NESTING);
    }
    int32_t first = p->g->code.op_count;
    bool ok = operand(p);
    p->nesting--;
    if (!ok || next == '+') {
        return ok;
    }
    if (next == '-' && is_constant(p, first)) {
        p->g->code.ops[first].k = -p->g->code.ops[first].k;
        return true;
    }
    return tdi_emit(p, at, next == '-' ? TDI_CODE_NEGATE : TDI_CODE_NOT, 0, 0) != TD_NONE;
}

// in cpfg a sign binds closer than ^ , which goes to the left: -2^2 is 4, 2^3^2 is 8^2
static bool cpfg_factor(tdi_parser *p) {
    bool signs;
    return prefixed(p, cpfg_factor, &signs) && (signs || primary(p));
}

static bool cpfg_power(tdi_parser *p) {
    int32_t left = p->g->code.op_count;
    bool ok = cpfg_factor(p);
    for (;;) {
        tdi_skip_space(p);
        size_t at = p->at;
        if (!ok || !tdi_accept(p, "^")) {
            return ok;
        }
        int32_t right = p->g->code.op_count;
        ok = cpfg_factor(p) && emit_binary(p, at, TDI_CODE_POW, left, right);
    }
}

static bool unary(tdi_parser *p) {
    bool signs;
    if (p->g->dialect.cpfg) {
        return cpfg_power(p);
    }
    return prefixed(p, unary, &signs) && (signs || power(p));
}

typedef struct operator_row {
    const char *text;
    tdi_code code;
    int32_t level;
} operator_row;

// longer signs first; ABOP's single =, & and | mean the same as the doubled ones
static const operator_row operators[] = {{"||", TDI_CODE_SKIP_IF_ONE, 0},
                                         {"|", TDI_CODE_SKIP_IF_ONE, 0},
                                         {"&&", TDI_CODE_SKIP_IF_ZERO, 1},
                                         {"&", TDI_CODE_SKIP_IF_ZERO, 1},
                                         {"==", TDI_CODE_EQ, 2},
                                         {"!=", TDI_CODE_NE, 2},
                                         {"<>", TDI_CODE_NE, 2},
                                         {"<=", TDI_CODE_LE, 3},
                                         {">=", TDI_CODE_GE, 3},
                                         {"=", TDI_CODE_EQ, 2},
                                         {"<", TDI_CODE_LT, 3},
                                         {">", TDI_CODE_GT, 3},
                                         {"+", TDI_CODE_ADD, 4},
                                         {"-", TDI_CODE_SUB, 4},
                                         {"*", TDI_CODE_MUL, 5},
                                         {"/", TDI_CODE_DIV, 5},
                                         {"%", TDI_CODE_MOD, 5}};
#define UNARY_LEVEL 6

static const operator_row *operator_here(tdi_parser *p) {
    if (tdi_at(p, "-->")) {
        return NULL;
    }
    for (size_t i = 0; i < sizeof operators / sizeof operators[0]; i++) {
        if (tdi_at(p, operators[i].text)) {
            return &operators[i];
        }
    }
    return NULL;
}

// a && b: when a decides, b is not computed
static bool logical(tdi_parser *p, const operator_row *o, size_t at, bool (*right)(tdi_parser *)) {
    int32_t skip = tdi_emit(p, at, o->code, 0, 0);
    p->stack--;
    if (skip == TD_NONE || !right(p) || tdi_emit(p, at, TDI_CODE_BOOL, 0, 0) == TD_NONE) {
        return false;
    }
    p->g->code.ops[skip].a = p->g->code.op_count;
    return true;
}

static bool level(tdi_parser *p, int32_t lowest);
static bool and_level(tdi_parser *p) {
    return level(p, 1);
}
static bool compare_level(tdi_parser *p) {
    return level(p, 2);
}

// operators of precedence `lowest` and above, to the left
static bool level(tdi_parser *p, int32_t lowest) {
    int32_t left = p->g->code.op_count;
    if (!unary(p)) {
        return false;
    }
    for (;;) {
        const operator_row *o = operator_here(p);
        if (!o || o->level < lowest) {
            return true;
        }
        size_t at = p->at;
        p->at += strlen(o->text);
        if (o->level < 2) {
            if (!logical(p, o, at, o->level == 0 ? and_level : compare_level)) {
                return false;
            }
            continue;
        }
        int32_t right = p->g->code.op_count;
        bool ok = o->level + 1 == UNARY_LEVEL ? unary(p) : level(p, o->level + 1);
        if (!ok || !emit_binary(p, at, o->code, left, right)) {
            return false;
        }
    }
}

// a ? b : c, to the right; only one of b and c is computed
static bool choice(tdi_parser *p, size_t at) {
    int32_t skip = tdi_emit(p, at, TDI_CODE_JUMP_IF_ZERO, 0, 0);
    p->stack--;
    if (skip == TD_NONE || !tdi_compile_value(p) || !tdi_expect(p, ":")) {
        return false;
    }
    int32_t over = tdi_emit(p, at, TDI_CODE_JUMP, 0, 0);
    p->g->code.ops[skip].a = p->g->code.op_count;
    p->stack--;
    if (over == TD_NONE || !tdi_compile_value(p)) {
        return false;
    }
    p->g->code.ops[over].a = p->g->code.op_count;
    return true;
}

bool tdi_compile_value(tdi_parser *p) {
    if (p->nesting >= TDI_MAX_NESTING) {
        return tdi_parse_fail(p, p->at, "expressions are nested more than %d deep here",
                              TDI_MAX_NESTING);
    }
    p->nesting++;
    bool ok = level(p, 0);
    tdi_skip_space(p);
    size_t at = p->at;
    if (ok && tdi_accept(p, "?")) {
        ok = choice(p, at);
    }
    p->nesting--;
    return ok;
}

int32_t tdi_compile_expression(tdi_parser *p) {
    tdi_skip_space(p);
    size_t at = p->at;
    int32_t first = p->g->code.op_count;
    p->stack = 0;
    return tdi_compile_value(p) && tdi_emit(p, at, TDI_CODE_END, 0, 0) != TD_NONE ? first : TD_NONE;
}

bool tdi_compile_arg(tdi_parser *p, tdi_arg *arg) {
    int32_t first = tdi_compile_expression(p);
    if (first == TD_NONE) {
        return false;
    }
    const tdi_op *op = &p->g->code.ops[first];
    *arg = (tdi_arg){TDI_ARG_CODE, first, 0};
    if (p->g->code.op_count - first == 2 && op->code == TDI_CODE_CONSTANT) {
        *arg = (tdi_arg){TDI_ARG_CONSTANT, 0, op->k};
    } else if (p->g->code.op_count - first == 2 && op->code == TDI_CODE_SLOT) {
        *arg = (tdi_arg){TDI_ARG_SLOT, op->a, 0};
    }
    if (arg->kind != TDI_ARG_CODE) {
        p->g->code.op_count = first;
    }
    return true;
}

bool tdi_parse_constant(tdi_parser *p, double *value) {
    tdi_skip_space(p);
    size_t at = p->at;
    int32_t names = p->name_count;
    p->name_count = 0; // no name has a value yet
    p->constant = true;
    int32_t first = tdi_compile_expression(p);
    p->constant = false;
    p->name_count = names;
    if (first == TD_NONE) {
        return false;
    }
    int64_t loops = 0;
    tdi_dice dice;
    tdi_dice_start(&dice, false, 0);
    tdi_machine machine = {
        .grammar = p->g, .arrays = p->g->array.values, .dice = &dice, .loops_left = &loops};
    td_diag diag;
    td_status status = tdi_machine_run(&machine, first, NULL, value, &diag);
    p->g->code.op_count = first;
    return status == TD_OK || tdi_parse_fail(p, at, "%s", diag.message);
}
