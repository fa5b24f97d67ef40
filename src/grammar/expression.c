// SPDX-License-Identifier: MIT
// Expressions by themselves: a grammar that holds the code of one expression and nothing else.

#include "grammar/expression.h"

#include "grammar/parser.h"

#include <string.h>

struct tdi_expression {
    td_grammar grammar; // of its fields: arena, source and operations
    int32_t first;
};

// The text as it stands, without macros.
static bool take_text(td_grammar *g, const char *text, size_t size) {
    tdi_source *s = &g->source;
    s->arena = &g->arena;
    s->spans = tdi_arena_zeroed(&g->arena, 1, sizeof *s->spans);
    s->text = tdi_arena_text(&g->arena, text, size);
    s->size = size;
    s->span_count = 1;
    return s->spans && s->text && tdi_source_add(s, "", s->text, size) != TD_NONE;
}

// What has another value each time, or none by itself.
static bool check_code(tdi_parser *p) {
    const td_grammar *g = p->g;
    for (int32_t k = 0; k < g->code.op_count; k++) {
        const tdi_op *op = &g->code.ops[k];
        const bool prints = op->code >= TDI_CODE_PRINT && op->code <= TDI_CODE_FLUSH;
        if (prints || (op->code == TDI_CODE_CALL && !tdi_function_is_plain(op->a))) {
            return tdi_parse_fail(p, g->code.op_at[k],
                                  "%s is not for expressions outside of plants",
                                  prints ? "printing" : tdi_function_get(op->a)->name);
        }
    }
    return true;
}

static td_status compile(tdi_expression *e, const char *const *names, int32_t name_count,
                         td_diag *diag) {
    td_grammar *g = &e->grammar;
    td_diag_list list = {diag, 1, 0};
    tdi_parser p = {.g = g,
                    .diags = &list,
                    .text = g->source.text,
                    .limit = g->source.size,
                    .size = g->source.size + 1};
    const char *quote = strchr(p.text, '"');
    int32_t slot;
    for (int32_t k = 0; k < name_count; k++) {
        tdi_add_name(&p, names[k], false, &slot);
    }
    if (quote) {
        tdi_parse_fail(&p, (size_t)(quote - p.text),
                       "expected a number, a name or '(' before '\"'");
        return p.status;
    }
    e->first = tdi_compile_expression(&p);
    if (e->first != TD_NONE && tdi_expect_end(&p)) {
        check_code(&p);
    }
    return p.status;
}

td_status tdi_expression_new(const char *text, const char *const *names, int32_t name_count,
                             const td_alloc *alloc, tdi_expression **out, td_diag *diag) {
    const size_t size = strlen(text);
    td_diag fault = {.index = TD_NONE, .line = 1, .column = 1};
    *out = NULL;
    if (size > TDI_EXPRESSION_SIZE) {
        td_status status =
            tdi_fail(&fault, TD_ERR_SYNTAX, "the expression has %zu bytes; it can have at most %d",
                     size, TDI_EXPRESSION_SIZE);
        fault.line = fault.column = 1;
        *diag = fault;
        return status;
    }
    tdi_expression *e = tdi_alloc_zeroed(alloc, 1, sizeof *e);
    if (!e) {
        return tdi_fail(diag, TD_ERR_MEMORY, "out of memory for an expression");
    }
    e->grammar.alloc = alloc;
    e->grammar.arena.alloc = alloc;
    td_status status =
        take_text(&e->grammar, text, size) ? compile(e, names, name_count, &fault) : TD_ERR_MEMORY;
    if (status != TD_OK) {
        tdi_expression_free(e);
        if (status == TD_ERR_MEMORY) {
            return tdi_fail(diag, status, "out of memory for an expression");
        }
        *diag = fault;
        return status;
    }
    *out = e;
    return TD_OK;
}

void tdi_expression_free(tdi_expression *e) {
    if (e) {
        const td_alloc *alloc = e->grammar.alloc;
        tdi_arena_free(&e->grammar.arena);
        tdi_alloc_free(alloc, e, sizeof *e);
    }
}

td_status tdi_expression_value(const tdi_expression *e, double *values, double *value,
                               td_diag *diag) {
    const tdi_machine machine = {.grammar = &e->grammar};
    return tdi_machine_run(&machine, e->first, values, value, diag);
}
