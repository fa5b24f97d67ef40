// SPDX-License-Identifier: MIT
// From the text of a model to a grammar: items, sections, the whole.
//
// Method   The text is taken item by item: a header item, a section word, or a production with the
//          lines that continue it. A fault ends its item; the next is read all the same, so that
//          one pass finds all of them.

#include "grammar/parser.h"

#include "base/guard.h"
#include "base/opts.h"
#include "grammar/view.h"

#include <string.h>

#define MAX_DEPTH 1000000 // of decomposition and homomorphism

// ---- items ----------------------------------------------------------------------------------

// Where reading goes on after an item: at its end, or right after a block, which sets no limit.
static void next_item(tdi_parser *p) {
    p->at = p->limit < p->size && p->limit > p->at ? p->limit : p->at;
    p->limit = p->size;
}

static void parse_axiom(tdi_parser *p) {
    td_grammar *g = p->g;
    p->limit = tdi_item_end(p, p->at, false);
    tdi_skip_space(p);
    g->rules.axiom_at = (uint32_t)p->at;
    p->name_count = p->global_count;
    p->slot_count = 0;
    if (g->rules.axiom.module_count > 0) {
        tdi_parse_fail(p, p->at, "this is a second axiom; a model has one");
        return;
    }
    if (tdi_parse_words(p, &g->rules.axiom) && tdi_peek(p) != 0) {
        tdi_parse_fail(p, p->at, "expected a module or the end of the line");
    }
    if (g->rules.axiom.module_count == 0 && !p->failed) {
        tdi_parse_fail(p, g->rules.axiom_at, "the axiom is empty; expected at least one module");
    }
}

static bool parse_depth(tdi_parser *p, tdi_section *s) {
    double value;
    tdi_skip_space(p);
    size_t at = p->at;
    if (!tdi_parse_constant(p, &value)) {
        return false;
    }
    if (!(value >= 0 && value <= MAX_DEPTH)) {
        return tdi_parse_fail(p, at, "expected a depth from 0 to %d", MAX_DEPTH);
    }
    s->max_depth = (int32_t)value;
    return true;
}

static bool parse_seed(tdi_parser *p, int64_t *seed) {
    double value;
    tdi_skip_space(p);
    size_t at = p->at;
    if (!tdi_parse_constant(p, &value)) {
        return false;
    }
    if (!(value >= 0 && value < 0x1p53)) {
        return tdi_parse_fail(p, at, "expected a seed: a whole number of at least 0");
    }
    *seed = (int64_t)value;
    return true;
}

typedef struct sections {
    tdi_section *now;
    int64_t capacity[3];
} sections;

static int64_t *section_capacity(td_grammar *g, sections *s) {
    return &s->capacity[s->now == &g->rules.rewrite ? 0 : s->now == &g->rules.decompose ? 1 : 2];
}

// One item at the cursor, a line's start that is not blank. False at endlsystem.
static bool parse_item(tdi_parser *p, sections *s) {
    td_grammar *g = p->g;
    char word[32];
    size_t after;
    p->failed = false;
    p->nesting = 0;
    if (!tdi_header_word_at(p, p->at, word, &after)) {
        p->limit = tdi_production_end(p);
        p->drawing = s->now == &g->rules.draw;
        tdi_add_production(p, s->now, section_capacity(g, s));
        return true;
    }
    size_t word_at = p->at;
    p->at = after;
    if (strcmp(word, "endlsystem") == 0) {
        return false;
    }
    if (strcmp(word, "axiom") == 0 || strcmp(word, "omega") == 0) {
        parse_axiom(p);
    } else if (strncmp(word, "decomposition", 13) == 0 || strncmp(word, "homomorphism", 12) == 0) {
        s->now = word[0] == 'd' ? &g->rules.decompose : &g->rules.draw;
        p->limit = tdi_line_end(p, p->at);
        if (!tdi_accept(p, "no warnings")) {
            tdi_accept(p, "warnings"); // of cpfg, about the maximum depth
        }
        tdi_expect_end(p);
    } else if (strcmp(word, "maximum depth") == 0) {
        p->limit = tdi_line_end(p, p->at);
        if (s->now == &g->rules.rewrite) {
            tdi_parse_fail(p, word_at, "expected 'decomposition' or 'homomorphism' before this");
        } else if (parse_depth(p, s->now)) {
            tdi_expect_end(p);
        }
    } else if (strcmp(word, "seed") == 0) {
        p->limit = tdi_line_end(p, p->at);
        if (parse_seed(p, s->now == &g->rules.draw ? &g->rules.draw.seed : &g->seed)) {
            tdi_expect_end(p);
        }
    } else {
        tdi_parse_header_item(p, word, word_at);
    }
    return true;
}

// Whether another L-system starts here, after `endlsystem`; what else stands there is not read.
static bool at_system(tdi_parser *p) {
    char word[32];
    size_t after;
    tdi_skip_space(p);
    return p->at < p->size && tdi_header_word_at(p, p->at, word, &after) &&
           strcmp(word, "lsystem") == 0;
}

static void parse_text(tdi_parser *p) {
    td_grammar *g = p->g;
    sections s = {.now = &g->rules.rewrite};
    while (p->fault_count < TDI_MAX_FAULTS) {
        tdi_skip_space(p);
        if (p->at >= p->size) {
            break;
        }
        if (!parse_item(p, &s)) {
            if (!at_system(p) || !tdi_systems_next(p)) {
                break;
            }
            s = (sections){.now = &g->rules.rewrite};
        }
        next_item(p);
    }
    p->failed = false;
    if (tdi_systems_close(p) && g->rules.axiom.module_count == 0 && p->fault_count == 0) {
        tdi_parse_fail(p, p->size, "expected 'axiom:' before the end of the file");
    }
}

// ---- entry ----------------------------------------------------------------------------------

static void finish_system(tdi_parser *p) {
    td_grammar *g = p->g;
    tdi_check_section(p, &g->rules.rewrite);
    tdi_check_section(p, &g->rules.decompose);
    tdi_check_section(p, &g->rules.draw);
    tdi_header_finish(p);
    if (p->status == TD_OK &&
        (!tdi_index_section(p, &g->rules.rewrite) || !tdi_index_section(p, &g->rules.decompose) ||
         !tdi_index_section(p, &g->rules.draw))) {
        tdi_parse_memory(p);
    }
}

// The text up to `view_end` is that of the view file.
static td_status parse(td_grammar *g, const td_grammar_def *def, int32_t view, size_t view_end,
                       td_diag_list *diags) {
    tdi_parser p = {.g = g,
                    .def = def,
                    .diags = diags,
                    .told = g->told,
                    .text = g->source.text,
                    .size = g->source.size,
                    .limit = g->source.size};
    if (tdi_intern_type(&p, 0, "[\0\0\0\0", 0) != TDI_TYPE_PUSH ||
        tdi_intern_type(&p, 0, "]\0\0\0\0", 0) != TDI_TYPE_POP ||
        tdi_intern_type(&p, 0, "%\0\0\0\0", 0) != TDI_TYPE_CUT) {
        return TD_ERR_MEMORY;
    }
    int32_t slot;
    tdi_add_name(&p, "Q", true, &slot); // TDI_GLOBAL_STEP
    tdi_add_name(&p, "Z", true, &slot); // TDI_GLOBAL_LENGTH
    if (view != TD_NONE) {
        tdi_view_read(&p, view_end);
    }
    parse_text(&p);
    if (p.status == TD_OK && tdi_split_symbols(&p) && tdi_systems_share(&p)) {
        for (int32_t i = g->system_count - 1; i >= 0 && p.status == TD_OK; i--) {
            p.g = g->systems[i];
            p.g->arena = g->arena; // one owner: memory goes back and forth
            finish_system(&p);
            g->arena = p.g->arena;
        }
    }
    return p.status;
}

// Brings in all texts: the model's, and before it that of the view file.
static td_status read_and_parse(td_grammar *g, const td_grammar_def *def, td_diag_list *diags) {
    tdi_source *s = &g->source;
    bool fits = def->text_size <= def->max_text;
    int32_t view = TD_NONE, colors = TD_NONE;
    s->arena = &g->arena;
    if (tdi_source_add(s, def->name, def->text, fits ? def->text_size : 0) == TD_NONE) {
        return TD_ERR_MEMORY;
    }
    if (!fits) {
        td_diag diag;
        tdi_source_fail_in(s, 0, 0, &diag, TD_ERR_LIMIT,
                           "the text has %zu bytes; it can have at most %zu", def->text_size,
                           def->max_text);
        tdi_diag_add(diags, &diag);
        return TD_ERR_LIMIT;
    }
    td_status status = tdi_view_open(g, def, &view, &colors, diags);
    if (status == TD_OK && colors != TD_NONE) {
        status = tdi_view_colors(g, colors, diags);
    }
    if (status == TD_OK && view != TD_NONE) {
        status = tdi_source_process(s, view, def, diags);
    }
    size_t view_end = s->size;
    status = status == TD_OK ? tdi_source_process(s, 0, def, diags) : status;
    const td_status defines = tdi_source_check_defines(s, def, diags);
    status = status == TD_OK ? defines : status;
    if (status == TD_OK) {
        return parse(g, def, view, view_end, diags);
    }
    if (status == TD_ERR_SYNTAX && !s->cut && s->text) {
        td_status parsed = parse(g, def, view, view_end, diags); // for its faults
        status = parsed == TD_ERR_MEMORY ? parsed : status;
    }
    return status;
}

td_grammar_def td_grammar_def_default(void) {
    td_grammar_def def = {.struct_size = sizeof def, .name = "model", .text = ""};
    def.max_text = (size_t)16 << 20;
    return def;
}

static td_status check_numbers(const td_grammar_def *def, td_diag *diag) {
    if (def->define_count < 0) {
        return tdi_fail(diag, TD_ERR_ARGUMENT, "define_count is %d; it must be at least 0",
                        (int)def->define_count);
    }
    return def->max_text > UINT32_MAX
               ? tdi_fail(diag, TD_ERR_ARGUMENT, "max_text is %llu; it must be at most %llu",
                          (unsigned long long)def->max_text, (unsigned long long)UINT32_MAX)
               : TD_OK;
}

td_status td_grammar_new(const td_grammar_def *given, const td_alloc *alloc, td_grammar **out,
                         td_diag_list *diags) {
    TDI_CLEAR(out);
    if (!out) {
        return tdi_refuse_in(diags, __func__);
    }
    td_grammar_def own = td_grammar_def_default();
    const td_grammar_def *def = &own;
    td_diag diag;
    td_status status = tdi_def_take("td_grammar_def", &own, given, &diag);
    if (status != TD_OK) {
        tdi_diag_add(diags, &diag);
        return status;
    }
    status = check_numbers(def, &diag);
    if (status != TD_OK) {
        tdi_diag_add(diags, &diag);
        return status;
    }
    if (!def->name || (!def->text && def->text_size > 0) ||
        (def->define_count > 0 && !def->defines)) {
        return tdi_refuse_in(diags, __func__);
    }
    for (int32_t k = 0; k < def->define_count; k++) {
        if (!def->defines[k].name || !def->defines[k].value) {
            return tdi_refuse_in(diags, __func__);
        }
    }
    td_grammar *g = tdi_alloc_zeroed(alloc, 1, sizeof *g);
    TDI_TRY(g ? TD_OK : TD_ERR_MEMORY);
    g->alloc = alloc;
    g->arena.alloc = alloc;
    g->told = tdi_diag_errors(diags);
    tdi_header_default(g);
    // models of cpfg, by their suffix, rely on its precision, arithmetic and random numbers
    size_t length = strlen(def->name);
    g->dialect.cpfg = length > 2 && strcmp(def->name + length - 2, ".l") == 0;
    g->dialect.float_parameters = g->dialect.cpfg_random = g->dialect.cpfg;
    status = read_and_parse(g, def, diags);
    if (status != TD_OK) {
        td_grammar_free(g);
        return status;
    }
    *out = g;
    return TD_OK;
}

void td_grammar_free(td_grammar *grammar) {
    if (grammar) {
        const td_alloc *alloc = grammar->alloc;
        tdi_arena_free(&grammar->arena);
        tdi_alloc_free(alloc, grammar, sizeof *grammar);
    }
}

int32_t td_grammar_steps(const td_grammar *grammar) {
    return grammar ? grammar->steps : 0;
}
int32_t td_grammar_type_count(const td_grammar *grammar) {
    return grammar ? grammar->symbols.type_count : 0;
}
const char *td_grammar_type_name(const td_grammar *grammar, int32_t type) {
    return !grammar || !tdi_has(type, grammar->symbols.type_count)
               ? ""
               : grammar->symbols.types[type].name;
}
int32_t td_grammar_type_params(const td_grammar *grammar, int32_t type) {
    return !grammar || !tdi_has(type, grammar->symbols.type_count)
               ? 0
               : grammar->symbols.types[type].param_count;
}
const tdi_body_header *tdi_grammar_body(const td_grammar *grammar) {
    return &grammar->body;
}
td_diag tdi_grammar_place(const td_grammar *grammar, uint32_t at) {
    td_diag diag;
    tdi_source_fail(&grammar->source, at, &diag, TD_OK, "%s", "");
    return diag;
}
