// SPDX-License-Identifier: MIT
// Contexts in bracketed strings.
//
// Method   One sweep to the right finds every left neighbour, one to the left every right
//          neighbour, with a stack for the brackets. Then a test of a context is a walk along these
//          links, whose cost does not depend on what it skips.

#include "grammar/neighbours.h"

#include <string.h>

// ---- memory ---------------------------------------------------------------------------------

static bool reserve(void **array, int64_t old, int64_t wanted, size_t size, const td_alloc *alloc) {
    void *grown = tdi_alloc_resize(alloc, *array, (size_t)old * size, (size_t)wanted * size);
    *array = grown ? grown : *array;
    return grown != NULL;
}

void tdi_neighbours_free(tdi_neighbours *n, const td_alloc *alloc) {
    size_t count = (size_t)n->capacity;
    tdi_alloc_free(alloc, n->left, count * sizeof *n->left);
    tdi_alloc_free(alloc, n->right, count * sizeof *n->right);
    tdi_alloc_free(alloc, n->close, count * sizeof *n->close);
    tdi_alloc_free(alloc, n->param, count * sizeof *n->param);
    tdi_alloc_free(alloc, n->stack, count * sizeof *n->stack);
    *n = (tdi_neighbours){0};
}

static td_status make_room(tdi_neighbours *n, int64_t count, const td_alloc *alloc) {
    if (count <= n->capacity) {
        return TD_OK;
    }
    int64_t wanted = count + count / 2;
    if (wanted > INT32_MAX) {
        return TD_ERR_LIMIT;
    }
    // nothing of the last string is kept, so that a failure leaves no array of another size
    tdi_neighbours_free(n, alloc);
    if (!reserve((void **)&n->left, 0, wanted, sizeof *n->left, alloc) ||
        !reserve((void **)&n->right, 0, wanted, sizeof *n->right, alloc) ||
        !reserve((void **)&n->close, 0, wanted, sizeof *n->close, alloc) ||
        !reserve((void **)&n->param, 0, wanted, sizeof *n->param, alloc) ||
        !reserve((void **)&n->stack, 0, wanted, sizeof *n->stack, alloc)) {
        n->capacity = wanted;
        tdi_neighbours_free(n, alloc);
        return TD_ERR_MEMORY;
    }
    n->capacity = wanted;
    return TD_OK;
}

size_t tdi_neighbours_bytes(const tdi_neighbours *n) {
    return (size_t)n->capacity * 5 * sizeof(int32_t);
}

// ---- sweeps ---------------------------------------------------------------------------------

// `before` is the left neighbour of the string's start; returns that of its end
static int32_t sweep_right(tdi_neighbours *n, const td_grammar *g, const td_string *s,
                           int32_t before) {
    int32_t depth = 0, last = before;
    uint32_t param = 0;
    for (int32_t i = 0; i < (int32_t)s->module_count; i++) {
        const tdi_type *type = &g->symbols.types[s->types[i]];
        n->left[i] = last;
        n->param[i] = param;
        param = param + (uint32_t)type->param_count;
        if (s->types[i] == TDI_TYPE_PUSH) {
            n->stack[depth++] = last;
        } else if (s->types[i] == TDI_TYPE_POP) {
            last = depth > 0 ? n->stack[--depth] : before;
        } else if (!type->ignored) {
            last = i;
        }
    }
    return last;
}

// `after` is the right neighbour of the string's end; returns that of its start. What `consider:`
// leaves out is ignored, brackets too: then the right context goes on into branches.
static int32_t sweep_left(tdi_neighbours *n, const td_grammar *g, const td_string *s,
                          int32_t after) {
    int32_t depth = 0, next = after, end = (int32_t)s->module_count;
    for (int32_t i = end - 1; i >= 0; i--) {
        n->right[i] = next;
        n->close[i] = TD_NONE;
        if (s->types[i] == TDI_TYPE_POP) {
            n->stack[depth++] = i;
            next = g->context.closing_ignored ? next : TD_NONE;
        } else if (s->types[i] == TDI_TYPE_PUSH) {
            n->close[i] = depth > 0 ? n->stack[--depth] : end;
            if (!g->context.opening_ignored) {
                next = n->close[i] < end ? n->right[n->close[i]] : after;
            }
        } else if (!g->symbols.types[s->types[i]].ignored) {
            next = i;
        }
    }
    return next;
}

td_status tdi_neighbours_find(tdi_neighbours *n, const td_grammar *g, const td_string *string,
                              bool right, const td_alloc *alloc) {
    TDI_TRY(make_room(n, string->module_count, alloc));
    int32_t end = sweep_right(n, g, string, TD_NONE);
    if (g->ring) {
        sweep_right(n, g, string, end);
    }
    if (right) {
        int32_t start = sweep_left(n, g, string, TD_NONE);
        if (g->ring) {
            sweep_left(n, g, string, start);
        }
    }
    return TD_OK;
}

// ---- matching -------------------------------------------------------------------------------

typedef struct match_state {
    const tdi_neighbours *n;
    const td_grammar *g;
    const td_string *s;
    const tdi_context *context;
    double *slots;
} match_state;

// binds the parameters of module i from slot `slot` on; returns the slot after them
static int32_t bind(const match_state *m, int32_t i, int32_t slot) {
    int32_t count = m->g->symbols.types[m->s->types[i]].param_count;
    if (count > 0) {
        memcpy(m->slots + slot, m->s->params + m->n->param[i], (size_t)count * sizeof(double));
    }
    return slot + count;
}

static bool match_left(const match_state *m, int64_t i) {
    const tdi_context *c = m->context;
    int32_t at = m->n->left[i];
    int32_t slot = c->first_slot + c->param_count;
    for (int32_t k = c->count - 1; k >= 0; k--) {
        if (at == TD_NONE || m->s->types[at] != c->types[k]) {
            return false;
        }
        slot -= m->g->symbols.types[c->types[k]].param_count;
        bind(m, at, slot);
        at = m->n->left[at];
    }
    return true;
}

// the first '[' at or after `at`, before any module that is not ignored
static int32_t next_branch(const match_state *m, int32_t at) {
    for (; at < (int32_t)m->s->module_count; at++) {
        if (m->s->types[at] == TDI_TYPE_PUSH) {
            return at;
        }
        if (m->s->types[at] == TDI_TYPE_POP || !m->g->symbols.types[m->s->types[at]].ignored) {
            break;
        }
    }
    return TD_NONE;
}

// Matches the context from item *k on against the axis right of module `at`, up to the end of the
// context or a ']' in it. Recurses into branches, at most 16 deep: the parser saw to that.
static bool match_right(const match_state *m, int32_t *k, int32_t *slot, int32_t at) {
    const tdi_context *c = m->context;
    int32_t branch = at + 1; // where lateral branches of `at` are looked for
    while (*k < c->count && c->types[*k] != TDI_TYPE_POP) {
        if (c->types[*k] != TDI_TYPE_PUSH) {
            at = m->n->right[at];
            if (at == TD_NONE || m->s->types[at] != c->types[*k]) {
                return false;
            }
            *slot = bind(m, at, *slot);
            branch = at + 1;
            (*k)++;
            continue;
        }
        bool found = false;
        int32_t open;
        while (!found && (open = next_branch(m, branch)) != TD_NONE) {
            int32_t inner_k = *k + 1, inner_slot = *slot;
            branch = m->n->close[open] + 1;
            found = match_right(m, &inner_k, &inner_slot, open);
            if (found) {
                *k = inner_k + 1; // over the ']'
                *slot = inner_slot;
            }
        }
        if (!found) {
            return false;
        }
    }
    return true;
}

// the module at or after `at` that a context's module `wanted` is compared with
static int32_t skip_ignored(const match_state *m, uint16_t wanted, int32_t at) {
    const td_grammar *g = m->g;
    int32_t end = (int32_t)m->s->module_count;
    for (int32_t left = 2 * end; left >= 0; left--) {
        if (at >= end) {
            if (!g->ring) {
                return TD_NONE;
            }
            at = 0;
        }
        uint16_t type = m->s->types[at];
        if (type == TDI_TYPE_PUSH && !g->context.opening_ignored && wanted != TDI_TYPE_PUSH) {
            at = m->n->close[at];
        } else if (!(type == TDI_TYPE_PUSH  ? g->context.opening_ignored
                     : type == TDI_TYPE_POP ? g->context.closing_ignored
                                            : g->symbols.types[type].ignored)) {
            return at;
        }
        at++;
    }
    return TD_NONE; // a ring of ignored modules
}

// Matches brackets of the context with brackets of the string, one by one. '=' goes to the end of
// the branch.
static bool match_literal(const match_state *m, int32_t at) {
    const tdi_context *c = m->context;
    int32_t end = (int32_t)m->s->module_count, slot = c->first_slot;
    for (int32_t k = 0; k < c->count; k++) {
        if (c->types[k] == TDI_REST) {
            while (at < end && m->s->types[at] != TDI_TYPE_POP) {
                at = m->s->types[at] == TDI_TYPE_PUSH ? m->n->close[at] : at;
                at++;
            }
            continue;
        }
        at = skip_ignored(m, c->types[k], at);
        if (at == TD_NONE || m->s->types[at] != c->types[k]) {
            return false;
        }
        slot = bind(m, at++, slot);
    }
    return true;
}

bool tdi_neighbours_match(const tdi_neighbours *n, const td_grammar *g, const td_string *string,
                          const tdi_production *r, int64_t first, int64_t last, double *slots) {
    match_state m = {n, g, string, &r->left, slots};
    if (r->left.count > 0 && !match_left(&m, first)) {
        return false;
    }
    int32_t k = 0, slot = r->right.first_slot;
    m.context = &r->right;
    if (r->right.literal) {
        return match_literal(&m, (int32_t)last + 1);
    }
    return r->right.count == 0 || match_right(&m, &k, &slot, (int32_t)last);
}

// ---- the string that is being made ----------------------------------------------------------

bool tdi_context_at_end(const td_grammar *g, const td_string *string, const tdi_context *context,
                        double *slots) {
    int32_t slot = context->first_slot + context->param_count, k = context->count;
    int64_t param = string->param_count, depth = 0;
    for (int64_t i = string->module_count - 1; i >= 0 && k > 0; i--) {
        uint16_t type = string->types[i];
        int32_t count = g->symbols.types[type].param_count;
        param -= count;
        depth += type == TDI_TYPE_POP;
        if (type == TDI_TYPE_PUSH) {
            depth -= depth > 0;
        } else if (depth == 0 && !g->symbols.types[type].ignored) {
            if (type != context->types[--k]) {
                return false;
            }
            slot -= count;
            if (count > 0) {
                memcpy(slots + slot, string->params + param, (size_t)count * sizeof *slots);
            }
        }
    }
    return k == 0;
}
