// SPDX-License-Identifier: MIT
// Symbols of several characters as cpfg sees them: one module a character.
//
// Method   A symbol such as ~L(t) or ?P(x,y) is one module as long as no production looks into it.
//          Where one does, as with a production for L(t), every module of that name is taken apart
//          in the axiom, the successors, the predecessors and the contexts, and the turtle puts the
//          parts together again. Homomorphism sees whole symbols only. Commands that start with @
//          stay whole: no model means to rewrite the G of @Gc.

#include "grammar/parser.h"

#include "base/guard.h"

#include <string.h>

// ---- which symbols --------------------------------------------------------------------------

bool tdi_is_prefix(char c) {
    return c == '~' || c == '?';
}

// whether a production of these modules looks at a module of one character and `param_count`
static bool names_part(const td_grammar *g, const tdi_context *c, char part, int32_t param_count) {
    for (int32_t i = 0; i < c->count; i++) {
        const tdi_type *type = c->types[i] == TDI_REST ? NULL : &g->symbols.types[c->types[i]];
        if (type && type->name[0] == part && type->name[1] == 0 &&
            type->param_count == param_count) {
            return true;
        }
    }
    return false;
}

static bool is_part(const td_grammar *g, const tdi_section *s, char part, int32_t param_count) {
    for (int32_t i = 0; i < s->count; i++) {
        const tdi_production *r = &s->productions[i];
        if (names_part(g, &r->strict, part, param_count) ||
            names_part(g, &r->left, part, param_count) ||
            names_part(g, &r->made, part, param_count) ||
            names_part(g, &r->right, part, param_count)) {
            return true;
        }
    }
    return false;
}

static bool holds(const tdi_words *w, int32_t type) {
    for (int32_t i = 0; i < w->module_count; i++) {
        if (w->types[i] == type) {
            return true;
        }
    }
    return false;
}

// whether strings may hold a module of this type; what only the homomorphism makes they do not
static bool is_written(const td_grammar *g, int32_t type) {
    bool found = holds(&g->rules.axiom, type);
    for (int32_t k = 0; k < 2 * g->system_count; k++) {
        const td_grammar *system = g->systems[k / 2];
        const tdi_section *s = k % 2 == 0 ? &system->rules.rewrite : &system->rules.decompose;
        for (int32_t i = 0; i < s->count && !found; i++) {
            found = holds(&s->productions[i].successor, type);
        }
    }
    return found;
}

static bool must_split(const td_grammar *g, const tdi_type *type) {
    const char *name = type->name;
    bool found = false;
    for (int32_t k = 0; k < g->system_count && tdi_is_prefix(name[0]) && name[1] != 0; k++) {
        const td_grammar *s = g->systems[k];
        found = found || is_part(g, &s->rules.rewrite, name[0], 0) ||
                is_part(g, &s->rules.decompose, name[0], 0) ||
                is_part(g, &s->rules.rewrite, name[1], type->param_count) ||
                is_part(g, &s->rules.decompose, name[1], type->param_count);
    }
    return found;
}

// ---- taking apart ---------------------------------------------------------------------------

// The second part carries the parameters.
static bool add_fusion(tdi_parser *p, int32_t whole) {
    td_grammar *g = p->g;
    tdi_fusion f = {.whole = (uint16_t)whole};
    tdi_type type = g->symbols.types[whole];
    for (int32_t k = 0; k < 2; k++) {
        char name[6] = {type.name[k]};
        int32_t part = tdi_intern_type(p, 0, name, k == 0 ? 0 : type.param_count);
        if (part == TD_NONE) {
            return false;
        }
        f.parts[k] = (uint16_t)part;
        g->symbols.types[part].made = g->symbols.types[part].made || type.made;
    }
    if (g->symbols.fusion_count == p->capacity.fusion) {
        tdi_fusion *grown = tdi_arena_grow(&g->arena, g->symbols.fusions, g->symbols.fusion_count,
                                           &p->capacity.fusion, sizeof *grown);
        if (!grown) {
            return tdi_parse_memory(p);
        }
        g->symbols.fusions = grown;
    }
    g->symbols.fusions[g->symbols.fusion_count++] = f;
    return true;
}

static const tdi_fusion *find_fusion(const td_grammar *g, uint16_t whole) {
    for (int32_t i = 0; i < g->symbols.fusion_count; i++) {
        if (g->symbols.fusions[i].whole == whole) {
            return &g->symbols.fusions[i];
        }
    }
    return NULL;
}

// Parameters stay where they are: all but the last part have none.
static bool split_types(tdi_parser *p, uint16_t **types, int32_t *count) {
    td_grammar *g = p->g;
    int32_t total = 0;
    for (int32_t i = 0; i < *count; i++) {
        const tdi_fusion *f = find_fusion(g, (*types)[i]);
        total += f ? 2 : 1;
    }
    if (total == *count) {
        return true;
    }
    uint16_t *parts = tdi_arena_zeroed(&g->arena, (size_t)total, sizeof *parts);
    if (!parts) {
        return tdi_parse_memory(p);
    }
    for (int32_t i = 0, at = 0; i < *count; i++) {
        const tdi_fusion *f = find_fusion(g, (*types)[i]);
        parts[at++] = f ? f->parts[0] : (*types)[i];
        if (f) {
            parts[at++] = f->parts[1];
        }
    }
    *types = parts;
    *count = total;
    return true;
}

static bool split_section(tdi_parser *p, tdi_section *s) {
    for (int32_t i = 0; i < s->count; i++) {
        tdi_production *r = &s->productions[i];
        if (!split_types(p, &r->strict.types, &r->strict.count) ||
            !split_types(p, &r->left.types, &r->left.count) ||
            !split_types(p, &r->made.types, &r->made.count) ||
            !split_types(p, &r->right.types, &r->right.count) ||
            !split_types(p, &r->successor.types, &r->successor.module_count)) {
            return false;
        }
        r->predecessor = r->strict.types[0];
        r->plain = r->plain && r->strict.count == 1;
    }
    return true;
}

// What stands after '~' may be another letter later: ~L becomes ~M by L --> M.
static bool fuse_surfaces(tdi_parser *p) {
    td_grammar *g = p->g;
    for (int32_t t = 0, count = g->symbols.type_count; t < count; t++) {
        char name[6] = {'~', g->symbols.types[t].name[0]};
        if (g->symbols.types[t].name[1] != 0 || !tdi_has_surface(g, name)) {
            continue;
        }
        int32_t whole = tdi_intern_type(p, 0, name, g->symbols.types[t].param_count);
        if (whole == TD_NONE || (!find_fusion(g, (uint16_t)whole) && !add_fusion(p, whole))) {
            return false;
        }
    }
    return true;
}

bool tdi_split_symbols(tdi_parser *p) {
    td_grammar *g = p->g;
    bool surfaces = false;
    for (int32_t t = 0, count = g->symbols.type_count; t < count; t++) {
        if (must_split(g, &g->symbols.types[t]) && is_written(g, t)) {
            surfaces = surfaces || g->symbols.types[t].name[0] == '~';
            if (!add_fusion(p, t)) {
                return false;
            }
        }
    }
    if (g->symbols.fusion_count == 0) {
        return true;
    }
    bool ok = (!surfaces || fuse_surfaces(p)) &&
              split_types(p, &g->rules.axiom.types, &g->rules.axiom.module_count);
    for (int32_t k = 0; k < g->system_count && ok; k++) {
        ok = split_section(p, &g->systems[k]->rules.rewrite) &&
             split_section(p, &g->systems[k]->rules.decompose);
    }
    return ok;
}

// ---- putting together -----------------------------------------------------------------------

int32_t tdi_fuse(const td_grammar *g, const uint16_t *types, int64_t count, uint16_t *whole) {
    for (int32_t i = 0; i < g->symbols.fusion_count && count > 1; i++) {
        const tdi_fusion *f = &g->symbols.fusions[i];
        if (f->parts[0] == types[0] && f->parts[1] == types[1]) {
            *whole = f->whole;
            return 2;
        }
    }
    *whole = types[0];
    return 1;
}

int32_t td_symbol_at(const td_grammar *grammar, const td_string *string, int64_t module,
                     int32_t *type) {
    if (!grammar || !string || !type || module < 0 || module >= string->module_count) {
        return 0;
    }
    uint16_t whole = string->types[module];
    int32_t count = 1;
    if (grammar->symbols.types[whole].op == TDI_OP_PREFIX) {
        count = tdi_fuse(grammar, string->types + module, string->module_count - module, &whole);
    }
    *type = whole;
    return count;
}
