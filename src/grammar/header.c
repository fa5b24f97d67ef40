// SPDX-License-Identifier: MIT
// Header items: one row of a table each, with a function that reads it. Those of materials,
// surfaces and colours are in header_body.c.

#include "grammar/parser.h"
#include "math/vec3.h"

#include <string.h>

// ---- numbers --------------------------------------------------------------------------------

bool tdi_number_in(tdi_parser *p, double low, double high, const char *what, double *value) {
    tdi_skip_space(p);
    size_t at = p->at;
    if (!tdi_parse_constant(p, value)) {
        return false;
    }
    return (*value >= low && *value <= high) || tdi_parse_fail(p, at, "expected %s", what);
}

static bool positive(tdi_parser *p, double *value) {
    tdi_skip_space(p);
    size_t at = p->at;
    return tdi_parse_constant(p, value) &&
           (*value > 0 || tdi_parse_fail(p, at, "expected a number greater than 0"));
}

static bool read_steps(tdi_parser *p) {
    double n;
    if (!tdi_number_in(p, 0, 1e9, "a whole number of steps from 0 to 1e9", &n)) {
        return false;
    }
    p->g->steps = (int32_t)n;
    return true;
}

static bool read_angle(tdi_parser *p) {
    double degrees;
    if (!tdi_parse_constant(p, &degrees)) {
        return false;
    }
    p->g->turtle.angle = degrees;
    p->g->turtle.angle_given = true;
    return true;
}

static bool read_angle_factor(tdi_parser *p) {
    double n;
    if (!tdi_number_in(p, 1, 1e6, "a number of at least 1, by which 360 degrees are divided", &n)) {
        return false;
    }
    p->g->turtle.angle = 360 / n;
    p->g->turtle.angle_given = true;
    return true;
}

static bool read_step(tdi_parser *p) {
    return positive(p, &p->g->turtle.step);
}
static bool read_width(tdi_parser *p) {
    return positive(p, &p->g->turtle.width);
}
static bool read_width_increment(tdi_parser *p) {
    return tdi_parse_constant(p, &p->g->turtle.width_increment);
}

static bool read_elasticity_increment(tdi_parser *p) {
    return tdi_parse_constant(p, &p->g->turtle.elasticity_increment);
}

bool tdi_read_color_number(tdi_parser *p, int32_t *color) {
    double n;
    if (!tdi_number_in(p, -1e6, 1e6, "the number of a colour", &n)) {
        return false;
    }
    *color = (int32_t)n;
    return true;
}
static bool read_initial_color(tdi_parser *p) {
    return tdi_read_color_number(p, &p->g->turtle.color);
}
static bool read_color_increment(tdi_parser *p) {
    return tdi_read_color_number(p, &p->g->turtle.color_increment);
}

static bool read_direction(tdi_parser *p) {
    td_vec3 t;
    tdi_skip_space(p);
    size_t at = p->at;
    if (!tdi_parse_constant(p, &t.x) || !tdi_expect(p, ",") || !tdi_parse_constant(p, &t.y) ||
        !tdi_expect(p, ",") || !tdi_parse_constant(p, &t.z)) {
        return false;
    }
    if (!(tdi_norm(t) > 0)) {
        return tdi_parse_fail(p, at, "expected a direction; its three numbers cannot all be 0");
    }
    p->g->turtle.tropism = tdi_unit_or(t, t);
    return true;
}

static bool read_elasticity(tdi_parser *p) {
    return tdi_parse_constant(p, &p->g->turtle.elasticity);
}
static bool read_tropism(tdi_parser *p) {
    return read_direction(p) && tdi_expect(p, ",") && read_elasticity(p);
}

// ABOP's T = (0, -1, 0), also in square brackets or in none
static bool read_vector_t(tdi_parser *p) {
    bool round = tdi_accept(p, "("), square = !round && tdi_accept(p, "[");
    return read_direction(p) && (!round || tdi_expect(p, ")")) && (!square || tdi_expect(p, "]"));
}

static bool read_length_unit(tdi_parser *p) {
    return positive(p, &p->g->body.length_unit);
}
static bool read_width_unit(tdi_parser *p) {
    return positive(p, &p->g->body.width_unit);
}

static bool read_pipe(tdi_parser *p) {
    return positive(p, &p->g->body.pipe_tip) &&
           (!tdi_accept(p, ",") ||
            tdi_number_in(p, 0.5, 10, "an exponent from 0.5 to 10", &p->g->body.pipe_exponent));
}

// ---- symbols --------------------------------------------------------------------------------

// Each character is a symbol, also within @Gc or ~L; see tdi_header_finish.
static bool read_symbols(tdi_parser *p, bool ignore) {
    td_grammar *g = p->g;
    char here[24];
    memset(g->context.listed, 0, sizeof g->context.listed);
    g->context.lists = true;
    g->context.ignores = ignore;
    for (; tdi_peek(p) != 0; p->at++) {
        unsigned char c = (unsigned char)tdi_peek_raw(p, 0);
        if (c <= 32 || c >= 127 || strchr("()<>:*", c)) {
            return tdi_parse_fail(p, p->at, "expected a symbol before %s", tdi_here(p, here));
        }
        g->context.listed[c] = true;
    }
    return true;
}
static bool read_ignore(tdi_parser *p) {
    return read_symbols(p, true);
}
static bool read_consider(tdi_parser *p) {
    return read_symbols(p, false);
}
static bool read_ring(tdi_parser *p) {
    p->g->ring = true;
    return true;
}

// Each character of a name counts, as in cpfg: one that is not ignored stops a context.
static bool is_ignored(const td_grammar *g, const char *name) {
    bool ignored = true;
    for (const char *c = name; *c; c++) {
        ignored = ignored && g->context.listed[(unsigned char)*c] == g->context.ignores;
    }
    return ignored;
}

// Where brackets are ignored, those of a right context cannot be branches.
static void take_brackets_literally(const td_grammar *g, tdi_section *s) {
    for (int32_t i = 0; i < s->count && (g->context.opening_ignored || g->context.closing_ignored);
         i++) {
        tdi_context *c = &s->productions[i].right;
        for (int32_t k = 0; k < c->count; k++) {
            c->literal = c->literal || c->types[k] <= TDI_TYPE_POP;
        }
    }
}

void tdi_header_finish(tdi_parser *p) {
    td_grammar *g = p->g;
    if (p->has_bare_turn && !g->turtle.angle_given && g == g->systems[0]) {
        tdi_parse_warn(
            p, p->bare_turn_at,
            "this turn has no angle, so it is %g degrees; expected 'angle increment:' in "
            "the header or in a view file",
            g->turtle.angle);
    }
    if (g->body.width_unit == 0) {
        g->body.width_unit = g->body.length_unit;
    }
    for (int32_t t = 0; t < g->symbols.type_count && g->context.lists; t++) {
        bool ignored = is_ignored(g, g->symbols.types[t].name);
        // left contexts go by the brackets even when they are ignored
        g->symbols.types[t].ignored = t > TDI_TYPE_POP && ignored;
        g->context.opening_ignored = t == TDI_TYPE_PUSH ? ignored : g->context.opening_ignored;
        g->context.closing_ignored = t == TDI_TYPE_POP ? ignored : g->context.closing_ignored;
    }
    take_brackets_literally(g, &g->rules.rewrite);
    take_brackets_literally(g, &g->rules.decompose);
    take_brackets_literally(g, &g->rules.draw);
}

// ---- blocks ---------------------------------------------------------------------------------

static bool read_block(tdi_parser *p, int32_t *first) {
    p->limit = p->size;
    p->names_are_global = true;
    p->name_count = p->global_count;
    *first = tdi_compile_block(p);
    return *first != TD_NONE;
}
static bool read_start(tdi_parser *p) {
    return read_block(p, &p->g->phases.start);
}
static bool read_start_each(tdi_parser *p) {
    return read_block(p, &p->g->phases.start_each);
}
static bool read_end_each(tdi_parser *p) {
    return read_block(p, &p->g->phases.end_each);
}
static bool read_end(tdi_parser *p) {
    return read_block(p, &p->g->phases.end);
}

// ---- label and arithmetic -------------------------------------------------------------------

// a sub-L-system is called by its number
static bool read_label(tdi_parser *p) {
    double number;
    bool given = tdi_peek(p) >= '0' && tdi_peek(p) <= '9' && tdi_read_number(p, &number);
    p->g->id = given && number < 1e9 ? (int32_t)number : 0;
    p->at = p->limit;
    return true;
}

// on, off, or nothing, which means on
static bool read_float(tdi_parser *p) {
    bool off = tdi_accept(p, "off");
    if (!off && !tdi_accept(p, "on") && tdi_peek(p) != 0) {
        return tdi_parse_fail(p, p->at, "expected 'on' or 'off'");
    }
    p->g->dialect.float_parameters = !off;
    return true;
}

static bool read_random(tdi_parser *p) {
    bool cpfg = tdi_accept(p, "cpfg");
    if (!cpfg && !tdi_accept(p, "tendril")) {
        return tdi_parse_fail(p, p->at, "expected 'cpfg' or 'tendril'");
    }
    p->g->dialect.cpfg_random = cpfg;
    return true;
}

// ---- the table ------------------------------------------------------------------------------

typedef struct header_row {
    const char *word;
    char sign;                   // that must follow the word; 0: may be missing
    bool (*read)(tdi_parser *p); // NULL: parser.c reads it
} header_row;

static const header_row rows[] = {
    {"lsystem", ':', read_label},
    {"axiom", ':', NULL},
    {"omega", ':', NULL}, // ABOP's axiom
    {"seed", ':', NULL},
    {"maximum depth", ':', NULL},
    {"decomposition", 0, NULL},
    {"decomposition warnings", 0, NULL},
    {"decomposition no warnings", 0, NULL},
    {"homomorphism", 0, NULL},
    {"homomorphism warnings", 0, NULL},
    {"homomorphism no warnings", 0, NULL},
    {"endlsystem", 0, NULL},
    {"derivation length", ':', read_steps},
    {"derivationlength", ':', read_steps},
    {"n", '=', read_steps},      // ABOP's
    {"delta", '=', read_angle},  // ABOP's
    {"t", '=', read_vector_t},   // ABOP's
    {"e", '=', read_elasticity}, // ABOP's
    {"ring lsystem", 0, read_ring},
    {"float parameters", ':', read_float},
    {"random numbers", ':', read_random},
    {"ignore", ':', read_ignore},
    {"consider", ':', read_consider},
    {"define", ':', tdi_read_define},
    {"start", ':', read_start},
    {"starteach", ':', read_start_each},
    {"start each", ':', read_start_each},
    {"endeach", ':', read_end_each},
    {"end each", ':', read_end_each},
    {"end", ':', read_end},
    {"angle increment", ':', read_angle},
    {"angle factor", ':', read_angle_factor},
    {"step length", ':', read_step},
    {"initial line width", ':', read_width},
    {"line width increment", ':', read_width_increment},
    {"initial color", ':', read_initial_color},
    {"color increment", ':', read_color_increment},
    {"tropism", ':', read_tropism},
    {"elasticity increment", ':', read_elasticity_increment},
    {"length unit", ':', read_length_unit},
    {"width unit", ':', read_width_unit},
    {"pipe model", ':', read_pipe},
    {"color", ':', tdi_read_color},
    {"material", ':', tdi_read_material},
    {"surface", ':', tdi_read_surface},
    {"function", ':', tdi_read_function},
    {"contour", ':', tdi_read_contour},
};
#define ROW_COUNT ((int32_t)(sizeof rows / sizeof rows[0]))

static const char *row_word(int32_t index) {
    return rows[index].word;
}

static const header_row *find_row(const char *word) {
    for (int32_t i = 0; i < ROW_COUNT; i++) {
        if (strcmp(rows[i].word, word) == 0) {
            return &rows[i];
        }
    }
    return NULL;
}

bool tdi_header_is_known(const char *word) {
    return find_row(word) != NULL;
}

static bool has_arrow(const tdi_parser *p, size_t at) {
    for (size_t i = at; i + 2 < p->size && p->text[i] != '\n'; i++) {
        if (memcmp(p->text + i, "-->", 3) == 0) {
            return true;
        }
    }
    return false;
}

// The words at a line's start, in small letters with single spaces between; several words or one
// of at least three letters, so that a production such as `A : x > 1 --> B` is not taken for one.
bool tdi_header_word_at(const tdi_parser *p, size_t at, char word[32], size_t *after) {
    size_t length = 0;
    bool space = false, capitals = true;
    while (at < p->size && (p->text[at] == ' ' || p->text[at] == '\t')) {
        at++;
    }
    for (; at < p->size; at++) {
        char c = p->text[at];
        bool upper = c >= 'A' && c <= 'Z', letter = upper || (c >= 'a' && c <= 'z');
        if (letter && length + 2 < 32) {
            if (space && length > 0) {
                word[length++] = ' ';
            }
            word[length++] = (char)(upper ? c - 'A' + 'a' : c);
            space = false;
            capitals = capitals && upper;
        } else if (c == ' ' || c == '\t') {
            space = true;
        } else {
            break;
        }
    }
    word[length] = 0;
    char sign = at < p->size ? p->text[at] : '\n';
    const header_row *row = find_row(word);
    *after = sign == ':' || sign == '=' ? at + 1 : at;
    if (row && capitals && has_arrow(p, at)) {
        return false; // modules, as in AXIOM : x == 1 --> A
    }
    if (row && row->sign != '=') {
        return sign == ':' || (row->sign == 0 && (sign == '\n' || sign == '\r'));
    }
    if (row) {
        return sign == '=' && !has_arrow(p, at);
    }
    // an unknown item, unless the line is a production after all
    return sign == ':' && length >= 3 && !has_arrow(p, at);
}

// Where reading goes on after a block that has a fault, from before its '{' on.
static size_t after_block(const tdi_parser *p, size_t at) {
    int32_t depth = 0;
    while (at < p->size && strchr(" \t\n\r\f\v", p->text[at])) {
        at++;
    }
    bool opens = at < p->size && p->text[at] == '{';
    while (at < p->size && (opens ? p->text[at] != '}' || depth > 1 : p->text[at] != '\n')) {
        depth += (p->text[at] == '{') - (p->text[at] == '}');
        at++;
    }
    return at + (at < p->size);
}

// ABOP prints several on one line: n = 5, delta = 25.7
static bool read_next_abop(tdi_parser *p) {
    char word[32], here[24];
    tdi_skip_space(p);
    bool named = tdi_read_name(p, word);
    const header_row *row = named ? find_row(strcmp(word, "T") == 0 ? "t" : word) : NULL;
    if (!row || row->sign != '=') {
        return tdi_parse_fail(p, p->at,
                              "expected 'n = ...', 'delta = ...', 'T = ...' or 'e = ...' before %s",
                              tdi_here(p, here));
    }
    return tdi_expect(p, "=") && row->read(p);
}

void tdi_parse_header_item(tdi_parser *p, const char *word, size_t word_at) {
    const header_row *row = find_row(word);
    p->limit = tdi_item_end(p, p->at, false);
    if (!row) {
        const char *near = tdi_nearest(word, row_word, ROW_COUNT);
        tdi_parse_fail(p, word_at,
                       near ? "unknown header item '%s'; did you mean '%s'?"
                            : "unknown header item '%s'",
                       word, near);
        return;
    }
    size_t start = p->at;
    bool ok = row->read(p);
    while (ok && row->sign == '=' && tdi_accept(p, ",")) {
        ok = read_next_abop(p);
    }
    if (p->limit == p->size) { // a block
        p->at = ok ? p->at : after_block(p, start);
    } else if (ok) {
        tdi_expect_end(p);
    }
}

void tdi_system_default(td_grammar *g) {
    g->seed = g->rules.draw.seed = TD_SEED_FROM_TEXT;
    g->phases.start = g->phases.start_each = g->phases.end_each = g->phases.end = TD_NONE;
    g->rules.rewrite.max_depth = g->rules.decompose.max_depth = g->rules.draw.max_depth = 1;
}

void tdi_header_default(td_grammar *g) {
    tdi_system_default(g);
    g->turtle = (tdi_turtle_header){.angle = 90,
                                    .step = 1,
                                    .width = -1,
                                    .width_increment = 0.1,
                                    .color = TD_NONE,
                                    .color_increment = 1,
                                    .tropism = {0, -1, 0},
                                    .scale = 1,
                                    .scale_multiplier = 1};
    g->body = (tdi_body_header){.length_unit = 1, .pipe_exponent = 2};
}
