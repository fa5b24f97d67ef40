// SPDX-License-Identifier: MIT
// A second rewriter, written to be obviously right and nothing else, against the library's on
// random grammars.
//
// Method   Strings are plain text, a module a character. Every step walks the text for every
// context
//          of every production; brackets are matched by counting. Productions, axioms and the sets
//          of ignored symbols are drawn at random, over few symbols so that contexts do match.

#include "test_grammar_support.h"

#define MAX_STRING 4000
#define MAX_RULES  12
#define GRAMMARS   600
#define STEPS      4

typedef struct rule {
    char left[8], right[24], successor[24];
    char predecessor[16];
} rule;

typedef struct model {
    rule rules[MAX_RULES], parts[MAX_RULES]; // productions, decomposition
    int32_t rule_count, part_count, part_depth;
    char symbols[8]; // of `ignore:` or `consider:`
    bool ignores;    // else it considers
    bool lists;      // has either
    bool ring;
    char axiom[128];
} model;

// ---- the second rewriter --------------------------------------------------------------------

// left contexts go by the brackets, listed or not
static bool is_listed(const model *m, char c) {
    return m->lists && (strchr(m->symbols, c) != NULL) == m->ignores;
}
static bool is_ignored(const model *m, char c) {
    return c != '[' && c != ']' && is_listed(m, c);
}

// the place of the bracket that belongs to the one at `at`; `way` is 1 for '[' and -1 for ']'; of
// one without a partner the place before the string or its end
static int32_t partner(const char *s, int32_t at, int32_t way) {
    int32_t depth = 0;
    for (; at >= 0 && s[at] != 0; at += way) {
        depth += (s[at] == '[') - (s[at] == ']');
        if (depth == 0) {
            return at;
        }
    }
    return at;
}

// towards the root: passes out of branches, over sibling branches and over ignored symbols
static bool left_matches(const model *m, const char *context, const char *s, int32_t i) {
    int32_t length = (int32_t)strlen(s), moves = 0;
    for (int32_t k = (int32_t)strlen(context) - 1; k >= 0; k--) {
        for (i--;; i--) {
            i = i < 0 && m->ring ? length - 1 : i;
            if (i < 0 || moves++ > 8 * length) {
                return false;
            }
            if (s[i] != '[' && s[i] != ']' && !is_ignored(m, s[i])) {
                break;
            }
            i = s[i] == ']' ? partner(s, i, -1) : i;
        }
        if (s[i] != context[k]) {
            return false;
        }
    }
    return true;
}

// Whether the context from item k up to its end, or to the ']' of its branch, matches the axis that
// goes on at i. Every way to pick branches is tried.
static bool right_matches(const model *m, const char *context, int32_t k, const char *s, int32_t i,
                          int32_t moves) {
    if (context[k] == 0 || context[k] == ']') {
        return true;
    }
    bool wants_branch = context[k] == '[';
    for (; moves < 3 * MAX_STRING; i++, moves++) {
        i = s[i] == 0 && m->ring && !wants_branch ? 0 : i;
        if (s[i] == 0 || s[i] == ']') {
            return false;
        }
        if (s[i] == '[') {
            int32_t close = partner(s, i, 1);
            if (wants_branch && right_matches(m, context, k + 1, s, i + 1, 0) &&
                right_matches(m, context, partner(context, k, 1) + 1, s, close + 1, 0)) {
                return true;
            }
            i = s[close] == 0 ? close - 1 : close;
        } else if (!is_ignored(m, s[i])) {
            return !wants_branch && s[i] == context[k] &&
                   right_matches(m, context, k + 1, s, i + 1, 0);
        }
    }
    return false;
}

// cpfg's own way: brackets match brackets, '=' is the rest of the branch
static bool literal_matches(const model *m, const char *context, const char *s, int32_t i) {
    int32_t moves = 0;
    for (const char *c = context; *c; c++) {
        if (*c == '=') {
            for (; s[i] != 0 && s[i] != ']'; i++) {
                i = s[i] == '[' ? partner(s, i, 1) : i;
                if (s[i] == 0) {
                    break;
                }
            }
            continue;
        }
        for (;; i++) {
            i = s[i] == 0 && m->ring ? 0 : i;
            if (s[i] == 0 || moves++ > 3 * MAX_STRING) {
                return false;
            }
            if (is_listed(m, s[i])) {
                continue;
            }
            if (*c == '[' || s[i] != '[') {
                break;
            }
            i = partner(s, i, 1);
            i = s[i] == 0 ? i - 1 : i;
        }
        if (s[i] != *c) {
            return false;
        }
        i++;
    }
    return true;
}

static bool is_literal(const model *m, const char *context) {
    int32_t depth = 0;
    bool brackets = false, odd = false;
    for (const char *c = context; *c; c++) {
        depth += (*c == '[') - (*c == ']');
        brackets = brackets || *c == '[' || *c == ']';
        odd = odd || *c == '=' || depth < 0;
    }
    return odd || depth != 0 || (brackets && (is_listed(m, '[') || is_listed(m, ']')));
}

// right of place i; where brackets are ignored a context without any is literal as well
static bool context_matches(const model *m, const char *context, const char *s, int32_t i) {
    return is_literal(m, context) || is_listed(m, '[') || is_listed(m, ']')
               ? literal_matches(m, context, s, i)
               : right_matches(m, context, 0, s, i, 0);
}

// The first rule whose predecessor starts `at`, with contexts in s left of `first` and right of
// `last`; last < 0: of the predecessor, which is in s.
static const rule *find_among(const model *m, const rule *rules, int32_t count, const char *at,
                              const char *s, int32_t first, int32_t last) {
    for (int32_t r = 0; r < count; r++) {
        const rule *p = &rules[r];
        int32_t length = (int32_t)strlen(p->predecessor);
        if (strncmp(p->predecessor, at, (size_t)length) == 0 &&
            left_matches(m, p->left, s, first) &&
            context_matches(m, p->right, s, last < 0 ? first + length : last + 1)) {
            return p;
        }
    }
    return NULL;
}

static const rule *find_rule(const model *m, const char *s, int32_t i) {
    return find_among(m, m->rules, m->rule_count, s + i, s, i, -1);
}

// Appends what the decomposition makes of the first module of `at`; returns how many modules of
// `at` are done with, or -1 when the result has no room.
static int32_t decompose(const model *m, const char *at, const char *s, int32_t first, int32_t last,
                         int32_t depth, char *out) {
    const rule *p =
        depth < m->part_depth ? find_among(m, m->parts, m->part_count, at, s, first, last) : NULL;
    if (!p) {
        size_t length = strlen(out);
        out[length] = *at;
        out[length + 1] = 0;
        return length + 2 < MAX_STRING ? 1 : -1;
    }
    for (const char *c = p->successor; *c;) {
        int32_t used = decompose(m, c, s, first, last, depth + 1, out);
        if (used < 0) {
            return -1;
        }
        c += used;
    }
    return (int32_t)strlen(p->predecessor);
}

// false when the result has no room
static bool rewrite(const model *m, const char *s, char *out) {
    out[0] = 0;
    for (int32_t i = 0; s[i] != 0;) {
        const rule *p = find_rule(m, s, i);
        if (!p && s[i] == '%') { // nothing more up to the end of the branch
            while (s[i] != 0 && s[i] != ']') {
                i = s[i] == '[' ? partner(s, i, 1) : i;
                i += s[i] != 0;
            }
            continue;
        }
        int32_t used = p ? (int32_t)strlen(p->predecessor) : 1;
        int32_t last = i + used - 1;
        if (!p) {
            used = decompose(m, s + i, s, i, i, 0, out);
        }
        for (const char *c = p ? p->successor : ""; *c && used >= 0;) {
            int32_t parts = decompose(m, c, s, i, last, 0, out);
            used = parts < 0 ? -1 : used;
            c += parts;
        }
        if (used < 0) {
            return false;
        }
        i += used;
    }
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

// a bracket too many, or '=' where a right context may have it
static void make_odd(tdi_random *random, bool rest, char *text) {
    size_t length = strlen(text);
    size_t at = (size_t)below(random, (int32_t)length + 1);
    memmove(text + at + 1, text + at, length - at + 1);
    text[at] = "[]=="[below(random, rest ? 4 : 2)];
}

static rule any_rule(tdi_random *random) {
    rule p = {.predecessor = {any_symbol(random)}};
    if (below(random, 5) == 0) {
        any_string(random, 1 + below(random, 3), false, p.predecessor);
    }
    int32_t left = below(random, 3);
    for (int32_t k = 0; k < left; k++) {
        p.left[k] = any_symbol(random);
    }
    if (below(random, 2) == 0) {
        any_string(random, 1 + below(random, 2), false, p.right);
        if (below(random, 3) == 0) {
            make_odd(random, true, p.right);
        }
    }
    any_string(random, below(random, 5), true, p.successor);
    if (below(random, 20) == 0) {
        make_odd(random, false, p.successor);
    }
    return p;
}

static model any_model(tdi_random *random) {
    model m;
    memset(&m, 0, sizeof m);
    m.rule_count = 4 + below(random, MAX_RULES - 3);
    m.lists = below(random, 3) > 0;
    m.ignores = below(random, 3) > 0;
    strcpy(m.symbols, m.ignores ? "F+" : "ABC");
    m.symbols[2] = m.ignores && below(random, 3) == 0 ? 'C' : m.symbols[2];
    strcat(m.symbols, (const char *[]){"", "[]", "[", "]"}[below(random, 4)]);
    m.ring = below(random, 4) == 0;
    any_string(random, 10 + below(random, 30), false, m.axiom);
    for (int32_t r = 0; r < m.rule_count; r++) {
        m.rules[r] = any_rule(random);
    }
    m.part_count = below(random, 3) == 0 ? 1 + below(random, 3) : 0;
    m.part_depth = 1 + below(random, 3);
    for (int32_t r = 0; r < m.part_count; r++) {
        m.parts[r] = any_rule(random);
    }
    return m;
}

static size_t write_rules(const rule *rules, int32_t count, char *text, size_t size) {
    size_t n = 0;
    for (int32_t r = 0; r < count; r++) {
        const rule *p = &rules[r];
        n += (size_t)snprintf(text + n, size - n, "%s%s%s%s%s --> %s\n", p->left,
                              p->left[0] ? " < " : "", p->predecessor, p->right[0] ? " > " : "",
                              p->right, p->successor[0] ? p->successor : "*");
    }
    return n;
}

static void write_model(const model *m, char *text, size_t size) {
    size_t n = 0;
    if (m->lists) {
        n += (size_t)snprintf(text, size, "%s: %s\n", m->ignores ? "ignore" : "consider",
                              m->symbols);
    }
    n += (size_t)snprintf(text + n, size - n, "%saxiom: %s\n", m->ring ? "ring Lsystem\n" : "",
                          m->axiom);
    n += write_rules(m->rules, m->rule_count, text + n, size - n);
    if (m->part_count > 0) {
        n += (size_t)snprintf(text + n, size - n, "decomposition\nmaximum depth: %d\n",
                              m->part_depth);
        write_rules(m->parts, m->part_count, text + n, size - n);
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
    char text[2048];
    int32_t uses = 0;
    write_model(m, text, sizeof text);
    strcpy(now, m->axiom);
    OWNED(test_model) lib = test_model_good(text, 0);
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
    return uses;
}

TD_TEST(grammar_rewriting_equals_a_plain_text_rewriter_on_random_grammars) {
    tdi_random random = random_of(20240);
    int64_t uses = 0;
    for (int32_t i = 0; i < GRAMMARS; i++) {
        model m = any_model(&random);
        uses += compare(&m);
    }
    // the comparison would say little if contexts hardly ever matched
    CHECK(uses > 10 * GRAMMARS);
}

// the second rewriter is itself held to ABOP's example of page 32
TD_TEST(grammar_plain_text_rewriter_matches_abops_example) {
    model m = {.rules = {{"BC", "G[H]M", "Z", "S"}}, .rule_count = 1};
    char out[MAX_STRING];
    CHECK(rewrite(&m, "ABC[DE][SG[HI[JK]L]MNO]", out));
    CHECK_TEXT(out, "ABC[DE][ZG[HI[JK]L]MNO]");
}
