// SPDX-License-Identifier: MIT
// Productions: predecessors, contexts, conditions; sections of them.

#include "grammar/parser.h"

#include <string.h>

#define MAX_BRANCHES 16 // in branches, of a context

// ---- predecessors and contexts --------------------------------------------------------------

// '~' or '?' alone, as in the context ~ < L(t)
static bool lone_prefix(tdi_parser *p, char name[6]) {
    size_t at = p->at;
    char c = tdi_peek(p);
    if (tdi_is_prefix(c)) {
        p->at++;
        if (tdi_peek(p) == '<' || tdi_peek(p) == '>' || tdi_peek(p) == ':' || tdi_at(p, "-->")) {
            memcpy(name, (char[6]){c}, 6);
            return true;
        }
    }
    p->at = at;
    return false;
}

// A module of formal parameters, as in A(x, y): its type.
static int32_t formal_module(tdi_parser *p) {
    char name[6], formal[32];
    tdi_skip_space(p);
    size_t at = p->at;
    int32_t count = 0, slot;
    if (!lone_prefix(p, name) && !tdi_read_symbol(p, name)) {
        return TD_NONE;
    }
    if (tdi_accept(p, "(")) {
        do {
            char here[24];
            if (!tdi_read_name(p, formal)) {
                tdi_parse_fail(p, p->at, "expected the name of a parameter before %s",
                               tdi_here(p, here));
                return TD_NONE;
            }
            if (!tdi_add_name(p, formal, false, &slot)) {
                return TD_NONE;
            }
            count++;
        } while (tdi_accept(p, ","));
        if (!tdi_expect(p, ")")) {
            return TD_NONE;
        }
    }
    return tdi_intern_type(p, at, name, count);
}

// Adds a module to a context.
static bool add_formal(tdi_parser *p, tdi_context *c, int64_t *capacity, int32_t type) {
    if (c->count == *capacity) {
        uint16_t *grown = tdi_arena_grow(&p->g->arena, c->types, c->count, capacity, sizeof *grown);
        if (!grown) {
            return tdi_parse_memory(p);
        }
        c->types = grown;
    }
    c->types[c->count++] = (uint16_t)type;
    return true;
}

// Modules up to one of the characters in `stop`, or "-->".
static bool context(tdi_parser *p, const char *stop, tdi_context *out) {
    int64_t capacity = 0;
    int32_t depth = 0;
    out->first_slot = p->slot_count;
    if (tdi_accept(p, "*")) {
        return true;
    }
    while (tdi_peek(p) != 0 && !strchr(stop, tdi_peek(p)) && !tdi_at(p, "-->")) {
        int32_t type = tdi_accept(p, "=") ? TDI_REST : formal_module(p);
        if (type == TD_NONE || !add_formal(p, out, &capacity, type)) {
            return false;
        }
        // a bracket that has no partner in the context stands for itself, as in A > ]
        depth += (type == TDI_TYPE_PUSH) - (type == TDI_TYPE_POP);
        out->literal = out->literal || type == TDI_REST || depth < 0;
        if (depth > MAX_BRANCHES) {
            return tdi_parse_fail(p, p->at, "branches in a context are nested more than %d deep",
                                  MAX_BRANCHES);
        }
    }
    out->literal = out->literal || depth != 0;
    out->param_count = p->slot_count - out->first_slot;
    return true;
}

static bool has_type(const tdi_context *c, int32_t type) {
    for (int32_t i = 0; i < c->count; i++) {
        if (c->types[i] == type) {
            return true;
        }
    }
    return false;
}

// left < pred > right, where either context may be missing
static bool predecessor(tdi_parser *p, tdi_production *r) {
    tdi_skip_space(p);
    size_t at = p->at;
    tdi_context first = {0};
    if (!context(p, "<>:", &first)) {
        return false;
    }
    bool made = tdi_accept(p, "<<");
    if (made || tdi_accept(p, "<")) {
        if (has_type(&first, TDI_TYPE_PUSH) || has_type(&first, TDI_TYPE_POP)) {
            tdi_parse_warn(p, at,
                           "a left context is a single path towards the root; with brackets it "
                           "never matches");
        }
        *(made ? &r->made : &r->left) = first;
        tdi_skip_space(p);
        at = p->at;
        first = (tdi_context){0};
        if (!context(p, ">:", &first)) {
            return false;
        }
    }
    if (first.count == 0) {
        return tdi_parse_fail(p, at, "expected a module before '>', ':' or '-->'");
    }
    if (has_type(&first, TDI_REST) || has_type(&r->left, TDI_REST) ||
        has_type(&r->made, TDI_REST)) {
        return tdi_parse_fail(p, at,
                              "'=' stands for the rest of a branch; expected it in a right context "
                              "only");
    }
    r->strict = first;
    r->predecessor = first.types[0];
    if (tdi_at(p, ">>")) {
        return tdi_parse_fail(p, p->at,
                              "'>>' would look at modules that are not yet made: strings are made "
                              "from left to right; expected '>'");
    }
    return !tdi_accept(p, ">") || context(p, ":", &r->right);
}

// ---- productions ----------------------------------------------------------------------------

// {before} condition {after}
static bool conditions(tdi_parser *p, tdi_production *r) {
    if (tdi_at(p, "{")) {
        r->before = tdi_compile_block(p);
        if (r->before == TD_NONE) {
            return false;
        }
    }
    if (!tdi_accept(p, "*") && !tdi_at(p, "{") && !tdi_at(p, "-->")) {
        r->condition = tdi_compile_expression(p);
        if (r->condition == TD_NONE) {
            return false;
        }
    }
    if (tdi_at(p, "{")) {
        r->after = tdi_compile_block(p);
        if (r->after == TD_NONE) {
            return false;
        }
    }
    return true;
}

// ABOP numbers its productions: `p1: A --> B`
static void skip_label(tdi_parser *p) {
    size_t start = p->at;
    if (tdi_peek(p) == 'p') {
        p->at++;
        while (tdi_peek_raw(p, 0) >= '0' && tdi_peek_raw(p, 0) <= '9') {
            p->at++;
        }
        if (p->at > start + 1 && tdi_accept(p, ":")) {
            return;
        }
    }
    p->at = start;
}

// ABOP prints a probability above the arrow; in copied text it stands before it: `F .33 --> FF`.
// The place of such a number, or the limit.
static size_t printed_weight(const tdi_parser *p) {
    size_t arrow = p->at;
    while (arrow + 2 < p->limit && memcmp(p->text + arrow, "-->", 3) != 0) {
        if (p->text[arrow] == ':' || p->text[arrow] == '{') {
            return p->limit; // a condition, which may end in a number
        }
        arrow++;
    }
    size_t end = arrow;
    while (end > p->at && (p->text[end - 1] == ' ' || p->text[end - 1] == '\t')) {
        end--;
    }
    size_t start = end;
    bool point = false;
    while (start > p->at && strchr("0123456789.", p->text[start - 1])) {
        start--;
        point = point || p->text[start] == '.';
    }
    bool apart = start > p->at && (p->text[start - 1] == ' ' || p->text[start - 1] == '\t');
    return point && apart && end - start > 1 && arrow + 2 < p->limit ? start : p->limit;
}

// The predecessor, and ABOP's probability behind it.
static bool left_side(tdi_parser *p, tdi_production *r) {
    const size_t limit = p->limit;
    p->limit = p->g->dialect.cpfg ? limit : printed_weight(p);
    bool weighted = p->limit < limit, fine = predecessor(p, r);
    p->limit = limit;
    r->bound_count = p->slot_count;
    if (fine && weighted) {
        r->weight = tdi_compile_expression(p);
        fine = r->weight != TD_NONE;
    }
    return fine;
}

static bool production(tdi_parser *p, tdi_production *r) {
    *r = (tdi_production){
        .before = TD_NONE, .condition = TD_NONE, .after = TD_NONE, .weight = TD_NONE};
    p->name_count = p->global_count;
    p->slot_count = 0;
    p->names_are_global = false;
    skip_label(p);
    tdi_skip_space(p);
    r->at = (uint32_t)p->at;
    if (!left_side(p, r)) {
        return false;
    }
    if ((tdi_accept(p, ":") && !conditions(p, r)) || !tdi_expect(p, "-->") ||
        !tdi_parse_words(p, &r->successor)) {
        return false;
    }
    if (tdi_at(p, ":") && r->weight != TD_NONE) {
        return tdi_parse_fail(p, p->at, "this production has a second weight");
    }
    if (tdi_accept(p, ":")) {
        r->weight = tdi_compile_expression(p);
        if (r->weight == TD_NONE) {
            return false;
        }
    }
    if (!tdi_expect_end(p)) {
        return false;
    }
    r->slot_count = p->slot_count;
    r->plain = r->strict.count == 1 && r->left.count == 0 && r->made.count == 0 &&
               r->right.count == 0 && r->before == TD_NONE && r->condition == TD_NONE &&
               r->after == TD_NONE;
    return true;
}

bool tdi_add_production(tdi_parser *p, tdi_section *s, int64_t *capacity) {
    tdi_production r;
    if (!production(p, &r)) {
        return false;
    }
    if (r.made.count > 0 && s == &p->g->rules.draw) {
        return tdi_parse_fail(p, r.at, "a drawing makes no string; expected '<' instead of '<<'");
    }
    if (s->count == *capacity) {
        tdi_production *grown =
            tdi_arena_grow(&p->g->arena, s->productions, s->count, capacity, sizeof *grown);
        if (!grown) {
            return tdi_parse_memory(p);
        }
        s->productions = grown;
    }
    s->productions[s->count++] = r;
    s->has_left = s->has_left || r.left.count > 0;
    s->has_right = s->has_right || r.right.count > 0;
    s->has_made = s->has_made || r.made.count > 0;
    s->has_weights = s->has_weights || r.weight != TD_NONE;
    return true;
}

// Sorts the productions by predecessor, keeping file order, and indexes them.
bool tdi_index_section(tdi_parser *p, tdi_section *s) {
    td_grammar *g = p->g;
    tdi_production *sorted = tdi_arena_zeroed(&g->arena, (size_t)s->count, sizeof *sorted);
    s->first = tdi_arena_zeroed(&g->arena, (size_t)g->symbols.type_count + 2, sizeof *s->first);
    if (!sorted || !s->first) {
        return tdi_parse_memory(p);
    }
    for (int32_t i = 0; i < s->count; i++) {
        s->first[s->productions[i].predecessor + 1]++;
    }
    for (int32_t t = 0; t < g->symbols.type_count; t++) {
        s->max_bucket = s->first[t + 1] > s->max_bucket ? s->first[t + 1] : s->max_bucket;
        s->first[t + 1] += s->first[t];
    }
    // the start of each bucket moves on as it fills, then moves back
    for (int32_t i = 0; i < s->count; i++) {
        sorted[s->first[s->productions[i].predecessor]++] = s->productions[i];
    }
    memmove(s->first + 1, s->first, (size_t)g->symbols.type_count * sizeof *s->first);
    s->first[0] = 0;
    s->productions = sorted;
    return true;
}

static const tdi_type *made_with_other_count(const td_grammar *g, const tdi_type *type) {
    for (int32_t t = 0; t < g->symbols.type_count; t++) {
        if (g->symbols.types[t].made && strcmp(g->symbols.types[t].name, type->name) == 0) {
            return &g->symbols.types[t];
        }
    }
    return NULL;
}

// Warns of the first module that nothing makes. False when there is one.
static bool check_made(tdi_parser *p, const tdi_production *r, const tdi_context *c) {
    const td_grammar *g = p->g;
    for (int32_t i = 0; i < c->count; i++) {
        const tdi_type *type = c->types[i] == TDI_REST ? NULL : &g->symbols.types[c->types[i]];
        if (!type || type->made) {
            continue;
        }
        const tdi_type *other = made_with_other_count(g, type);
        if (other) {
            tdi_parse_warn(p, r->at,
                           "%s has %d parameter%s here but %d wherever the model makes it, so this "
                           "production is never used",
                           type->name, type->param_count, type->param_count == 1 ? "" : "s",
                           other->param_count);
        } else {
            tdi_parse_warn(p, r->at,
                           "neither the axiom nor a successor makes %s, so this production is "
                           "never used",
                           type->name);
        }
        return false;
    }
    return true;
}

// Productions that can never be used.
void tdi_check_section(tdi_parser *p, const tdi_section *s) {
    for (int32_t i = 0; i < s->count; i++) {
        const tdi_production *r = &s->productions[i];
        if (check_made(p, r, &r->strict) && check_made(p, r, &r->left) &&
            check_made(p, r, &r->made)) {
            check_made(p, r, &r->right);
        }
    }
}
