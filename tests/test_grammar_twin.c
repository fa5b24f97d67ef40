// SPDX-License-Identifier: MIT
// A second rewriter, written to be obviously right and nothing else, against the library's on
// random grammars.
//
// Method   Strings are plain text, a module a character. Every step walks the text for every
// context
//          of every production; brackets are matched by counting. Productions, axioms and the sets
//          of ignored symbols are drawn at random, over few symbols so that contexts do match.

#include "test_grammar_support.h"

#include "base/random.h"

#define MAX_STRING 4000
#define MAX_RULES  12
#define GRAMMARS   600
#define STEPS      4

typedef struct rule {
    char left[8], right[24], successor[24];
    char predecessor;
} rule;

typedef struct model {
    rule rules[MAX_RULES];
    int32_t rule_count;
    char symbols[8]; // of `ignore:` or `consider:`
    bool ignores;    // else it considers
    bool lists;      // has either
    char axiom[128];
} model;

// ---- the second rewriter --------------------------------------------------------------------

static bool is_ignored(const model *m, char c) {
    if (c == '[' || c == ']' || !m->lists) {
        return false;
    }
    return (strchr(m->symbols, c) != NULL) == m->ignores;
}

// the place of the bracket that belongs to the one at `at`; `way` is 1 for '[' and -1 for ']'
static int32_t partner(const char *s, int32_t at, int32_t way) {
    int32_t depth = 0;
    for (;; at += way) {
        depth += (s[at] == '[') - (s[at] == ']');
        if (depth == 0) {
            return at;
        }
    }
}

// towards the root: passes out of branches, over sibling branches and over ignored symbols
static bool left_matches(const model *m, const char *context, const char *s, int32_t i) {
    for (int32_t k = (int32_t)strlen(context) - 1; k >= 0; k--) {
        for (i--; i >= 0 && (s[i] == '[' || s[i] == ']' || is_ignored(m, s[i])); i--) {
            i = s[i] == ']' ? partner(s, i, -1) : i;
        }
        if (i < 0 || s[i] != context[k]) {
            return false;
        }
    }
    return true;
}

// Whether the context from item k up to its end, or to the ']' of its branch, matches the axis that
// goes on at i. Every way to pick branches is tried.
static bool right_matches(const model *m, const char *context, int32_t k, const char *s,
                          int32_t i) {
    if (context[k] == 0 || context[k] == ']') {
        return true;
    }
    bool wants_branch = context[k] == '[';
    for (; s[i] != 0 && s[i] != ']'; i++) {
        if (s[i] == '[') {
            int32_t close = partner(s, i, 1);
            if (wants_branch && right_matches(m, context, k + 1, s, i + 1) &&
                right_matches(m, context, partner(context, k, 1) + 1, s, close + 1)) {
                return true;
            }
            i = close;
        } else if (!is_ignored(m, s[i])) {
            return !wants_branch && s[i] == context[k] &&
                   right_matches(m, context, k + 1, s, i + 1);
        }
    }
    return false;
}

static const rule *find_rule(const model *m, const char *s, int32_t i) {
    for (int32_t r = 0; r < m->rule_count; r++) {
        const rule *p = &m->rules[r];
        if (p->predecessor == s[i] && left_matches(m, p->left, s, i) &&
            right_matches(m, p->right, 0, s, i + 1)) {
            return p;
        }
    }
    return NULL;
}

// false when the result has no room
static bool rewrite(const model *m, const char *s, char *out) {
    size_t length = 0;
    for (int32_t i = 0; s[i] != 0; i++) {
        if (s[i] == '%') { // nothing more up to the end of the branch
            while (s[i] != 0 && s[i] != ']') {
                i = s[i] == '[' ? partner(s, i, 1) + 1 : i + 1;
            }
            if (s[i] == 0) {
                break;
            }
        }
        char self[2] = {s[i], 0};
        const rule *p = find_rule(m, s, i);
        const char *part = p ? p->successor : self;
        if (length + strlen(part) >= MAX_STRING) {
            return false;
        }
        memcpy(out + length, part, strlen(part));
        length += strlen(part);
    }
    out[length] = 0;
    return true;
}

// ---- random grammars ------------------------------------------------------------------------

static int32_t below(tdi_random *random, int32_t n) {
    return (int32_t)(tdi_random_uniform(random) * n);
}

static char any_symbol(tdi_random *random) {
    return "AAAABBCF+"[below(random, 9)];
}

// a balanced string of about `length` items; branches hold at least one
static void any_string(tdi_random *random, int32_t length, bool cuts, char *out) {
    int32_t depth = 0, n = 0;
    for (int32_t k = 0; k < length; k++) {
        int32_t kind = below(random, 10);
        if (kind < 2 && depth < 3) {
            out[n++] = '[';
            depth++;
        } else if (kind < 4 && depth > 0 && out[n - 1] != '[') {
            out[n++] = ']';
            depth--;
        }
        out[n++] = cuts && below(random, 30) == 0 ? '%' : any_symbol(random);
    }
    for (; depth > 0; depth--) {
        out[n++] = ']';
    }
    out[n] = 0;
}

static model any_model(tdi_random *random) {
    model m = {.rule_count = 4 + below(random, MAX_RULES - 3)};
    m.lists = below(random, 3) > 0;
    m.ignores = below(random, 3) > 0;
    strcpy(m.symbols, m.ignores ? "F+" : "ABC");
    m.symbols[2] = m.ignores && below(random, 3) == 0 ? 'C' : m.symbols[2];
    any_string(random, 10 + below(random, 30), false, m.axiom);
    for (int32_t r = 0; r < m.rule_count; r++) {
        rule *p = &m.rules[r];
        p->predecessor = any_symbol(random);
        int32_t left = below(random, 3);
        for (int32_t k = 0; k < left; k++) {
            p->left[k] = any_symbol(random);
        }
        if (below(random, 2) == 0) {
            any_string(random, 1 + below(random, 2), false, p->right);
        }
        any_string(random, below(random, 5), true, p->successor);
    }
    return m;
}

static void write_model(const model *m, char *text, size_t size) {
    size_t n = 0;
    if (m->lists) {
        n += (size_t)snprintf(text, size, "%s: %s\n", m->ignores ? "ignore" : "consider",
                              m->symbols);
    }
    n += (size_t)snprintf(text + n, size - n, "axiom: %s\n", m->axiom);
    for (int32_t r = 0; r < m->rule_count; r++) {
        const rule *p = &m->rules[r];
        n += (size_t)snprintf(text + n, size - n, "%s%s%c%s%s --> %s\n", p->left,
                              p->left[0] ? " < " : "", p->predecessor, p->right[0] ? " > " : "",
                              p->right, p->successor[0] ? p->successor : "*");
    }
}

// ---- the comparison -------------------------------------------------------------------------

// how often a production with a context was used in the step from s
static int32_t context_uses(const model *m, const char *s) {
    int32_t count = 0;
    for (int32_t i = 0; s[i] != 0; i++) {
        const rule *p = find_rule(m, s, i);
        count += p && (p->left[0] || p->right[0]);
    }
    return count;
}

// compares step by step; returns how many uses of contexts were compared
static int32_t compare(const model *m) {
    static char now[MAX_STRING], next[MAX_STRING];
    char text[1024];
    int32_t uses = 0;
    write_model(m, text, sizeof text);
    strcpy(now, m->axiom);
    test_model lib = test_model_good(text, 0);
    for (int32_t step = 0; step < STEPS && lib.status == TD_OK; step++) {
        uses += context_uses(m, now);
        if (!rewrite(m, now, next)) {
            break;
        }
        strcpy(now, next);
        lib.status = td_derivation_step(lib.derivation, &lib.faults[0]);
        if (strcmp(test_string_of(&lib), now) != 0) {
            test_failed(__FILE__, __LINE__, "step %d gives\n%s\nwanted\n%s\nof\n%s", step + 1,
                        test_string_of(&lib), now, text);
            break;
        }
    }
    test_model_free(&lib);
    return uses;
}

TD_TEST(grammar_rewriting_equals_a_plain_text_rewriter_on_random_grammars) {
    tdi_random random;
    int64_t uses = 0;
    tdi_random_seed(&random, 20240);
    for (int32_t i = 0; i < GRAMMARS; i++) {
        model m = any_model(&random);
        uses += compare(&m);
    }
    // the comparison would say little if contexts hardly ever matched
    CHECK(uses > 10 * GRAMMARS);
}

// the second rewriter is itself held to ABOP's example of page 32
TD_TEST(grammar_plain_text_rewriter_matches_abops_example) {
    model m = {.rules = {{"BC", "G[H]M", "Z", 'S'}}, .rule_count = 1};
    char out[MAX_STRING];
    CHECK(rewrite(&m, "ABC[DE][SG[HI[JK]L]MNO]", out));
    CHECK_TEXT(out, "ABC[DE][ZG[HI[JK]L]MNO]");
}
