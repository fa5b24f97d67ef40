// SPDX-License-Identifier: MIT
// Modules: their types, the turtle's table, and strings of modules with expressions.

#include "grammar/parser.h"

#include <string.h>

// ---- module types ---------------------------------------------------------------------------

typedef struct turtle_row {
    const char *name;
    tdi_turtle_op op;
    int32_t least, most; // parameters
} turtle_row;

// The turtle's modules. Where one name starts another the longer stands first.
static const turtle_row turtle_table[] = {
    {"[", TDI_OP_PUSH, 0, 0},
    {"]", TDI_OP_POP, 0, 0},
    {"%", TDI_OP_CUT, 0, 0},
    {"F", TDI_OP_DRAW, 0, TDI_MAX_PARAMS},
    {"G", TDI_OP_DRAW_G, 0, TDI_MAX_PARAMS},
    {"f", TDI_OP_MOVE, 0, TDI_MAX_PARAMS},
    {"g", TDI_OP_MOVE_G, 0, TDI_MAX_PARAMS},
    {"+", TDI_OP_YAW_LEFT, 0, 1},
    {"-", TDI_OP_YAW_RIGHT, 0, 1},
    {"&", TDI_OP_PITCH_DOWN, 0, 1},
    {"^", TDI_OP_PITCH_UP, 0, 1},
    {"\\", TDI_OP_ROLL_LEFT, 0, 1},
    {"/", TDI_OP_ROLL_RIGHT, 0, 1},
    {"|", TDI_OP_ABOUT_FACE, 0, 0},
    {"$", TDI_OP_UPRIGHT, 0, 0},
    {"!", TDI_OP_WIDTH_DOWN, 0, 1},
    {"#", TDI_OP_WIDTH_UP, 0, 1},
    {";", TDI_OP_COLOR_UP, 0, 1},
    {"'", TDI_OP_COLOR_UP, 0, 1},
    {",", TDI_OP_COLOR_DOWN, 0, 1},
    {"{", TDI_OP_POLYGON_OPEN, 0, 1},
    {".", TDI_OP_POLYGON_POINT, 0, 0},
    {"}", TDI_OP_POLYGON_CLOSE, 0, 1},
    {"@v", TDI_OP_UPRIGHT, 0, 0},
    {"@R", TDI_OP_SET_HEADING, 2, 6},
    {"@Mat", TDI_OP_MATERIAL, 1, 1},
    {"@M", TDI_OP_MOVE_TO, 2, 3},
    {"@Gs", TDI_OP_CYLINDER_START, 0, 1},
    {"@Gc", TDI_OP_CYLINDER_POINT, 0, 1},
    {"@Ge", TDI_OP_CYLINDER_END, 0, 1},
    {"@Gt", TDI_OP_CYLINDER_TANGENT, 0, 2},
    {"@Gr", TDI_OP_CYLINDER_SLOPE, 0, 4},
    {"@#", TDI_OP_CONTOUR, 0, 1},
    {"@!", TDI_OP_IGNORED, 0, 1},
    {"@O", TDI_OP_BALL, 0, 1},
    {"@o", TDI_OP_DISC, 0, 1},
    {"@c", TDI_OP_DISC, 0, 1},
    {"@bo", TDI_OP_DISC, 0, 1},
    {"@bc", TDI_OP_DISC, 0, 1},
    {"@Ts", TDI_OP_TROPISM_STRENGTH, 1, 2},
    {"@Ti", TDI_OP_TROPISM_MORE, 0, 2},
    {"@Td", TDI_OP_TROPISM_LESS, 0, 3},
    {"@Tp", TDI_OP_UNTWIST, 0, 1},
    {"@Tf", TDI_OP_TWISTED, 0, 1},
    {"@Tx", TDI_OP_IGNORED, 0, 1},
    {"@T", TDI_OP_TROPISM_OFF, 0, 0},
    {"_", TDI_OP_TROPISM_MORE, 0, 1},
    {"@Di", TDI_OP_SCALE_UP, 0, 1},
    {"@Dd", TDI_OP_SCALE_DOWN, 0, 1},
    {"@D", TDI_OP_SCALE, 1, 1},
    {"@mc", TDI_OP_CUT_IF, 0, 1},
    {"@mo", TDI_OP_IGNORED, 0, 3},
    {"@md", TDI_OP_IGNORED, 0, TDI_MAX_PARAMS},
    {"@mf", TDI_OP_IGNORED, 0, TDI_MAX_PARAMS},
    {"@PS", TDI_OP_PATCH_START, 1, 2},
    {"@PC", TDI_OP_PATCH_POINT, 3, 3},
    {"@PD", TDI_OP_PATCH_DRAW, 1, 3},
    {"@L", TDI_OP_IGNORED, 0, TDI_MAX_PARAMS},
    {"@S", TDI_OP_IGNORED, 0, TDI_MAX_PARAMS},
    {"@I", TDI_OP_IGNORED, 0, TDI_MAX_PARAMS},
    {"@J", TDI_OP_IGNORED, 0, TDI_MAX_PARAMS},
    {"@H", TDI_OP_IGNORED, 0, TDI_MAX_PARAMS},
    {"@;", TDI_OP_IGNORED, 0, 1},
    {"@,", TDI_OP_IGNORED, 0, 1},
    {"?P", TDI_OP_QUERY_P, 2, 3},
    {"?H", TDI_OP_QUERY_H, 2, 3},
    {"?L", TDI_OP_QUERY_L, 2, 3},
    {"?U", TDI_OP_QUERY_U, 2, 3},
    {"?E", TDI_OP_QUERY_E, 0, TDI_MAX_PARAMS},
};
#define TURTLE_COUNT ((int32_t)(sizeof turtle_table / sizeof turtle_table[0]))

static const turtle_row *find_turtle(const char *name, int32_t param_count) {
    static const turtle_row system = {"?", TDI_OP_SUB_OPEN, 1, 2};
    static const turtle_row surface = {"~", TDI_OP_SURFACE, 0, TDI_MAX_PARAMS},
                            prefix = {"", TDI_OP_PREFIX, 0, 0};
    if (tdi_is_prefix(name[0]) && name[1] == 0) {
        return name[0] == '?' && param_count > 0 ? &system : &prefix;
    }
    if (name[0] == '~') {
        return &surface;
    }
    for (int32_t i = 0; i < TURTLE_COUNT; i++) {
        if (strcmp(turtle_table[i].name, name) == 0) {
            return &turtle_table[i];
        }
    }
    return NULL;
}

static bool is_alnum(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

// The length of a symbol of this name at the cursor, or 0. As in cpfg there may be white space
// after its first character.
static size_t length_here(const tdi_parser *p, const char *name) {
    size_t rest = strlen(name) - 1, n = 1;
    if (tdi_peek_raw(p, 0) != name[0]) {
        return 0;
    }
    while (rest > 0 && (tdi_peek_raw(p, n) == ' ' || tdi_peek_raw(p, n) == '\t')) {
        n++;
    }
    for (size_t k = 0; k < rest; k++) {
        if (tdi_peek_raw(p, n + k) != name[k + 1]) {
            return 0;
        }
    }
    return n + rest;
}

// ~L, or a command that starts with @ or ? and is not in the table
static bool read_prefixed(tdi_parser *p, char name[6]) {
    char c = tdi_peek_raw(p, 0), here[24];
    size_t at = p->at++;
    if (c == '?' && tdi_peek_raw(p, 0) == '(') { // a sub-L-system
        name[0] = c;
        return true;
    }
    if (!is_alnum(tdi_peek(p))) {
        return tdi_parse_fail(p, at, "expected a letter after '%c', before %s", c,
                              tdi_here(p, here));
    }
    name[0] = c;
    name[1] = p->text[p->at++];
    return true;
}

bool tdi_read_symbol(tdi_parser *p, char name[6]) {
    char here[24];
    tdi_skip_space(p);
    char c = tdi_peek_raw(p, 0);
    memset(name, 0, 6);
    for (int32_t i = 0; i < TURTLE_COUNT; i++) {
        size_t length = length_here(p, turtle_table[i].name);
        if (length > 0) {
            memcpy(name, turtle_table[i].name, strlen(turtle_table[i].name));
            p->at += length;
            return true;
        }
    }
    if (c == '~' || c == '@' || c == '?') {
        return read_prefixed(p, name);
    }
    if (!is_alnum(c) && c != '_') {
        return tdi_parse_fail(p, p->at, "expected a module before %s", tdi_here(p, here));
    }
    name[0] = c;
    p->at++;
    return true;
}

static int32_t find_surface(const td_grammar *g, const char *name) {
    for (int32_t i = 0; i < g->body.surface_count; i++) {
        if (strcmp(g->body.surfaces[i].id, name + 1) == 0) {
            return i;
        }
    }
    return TD_NONE;
}

bool tdi_has_surface(const td_grammar *g, const char *name) {
    return find_surface(g, name) != TD_NONE;
}

static bool check_turtle(tdi_parser *p, size_t at, const turtle_row *row, tdi_type *type) {
    if (row->op == TDI_OP_CUT && type->param_count > 0) {
        return tdi_parse_fail(p, at,
                              "%%(x) of cpfg, which moves the rest of the branch to the end of the "
                              "string, is not supported; expected '%%', which drops it");
    }
    bool bare = row->op == TDI_OP_PUSH || row->op == TDI_OP_POP;
    if (bare && type->param_count > 0) {
        return tdi_parse_fail(p, at, "%s takes no parameters; %d %s given", type->name,
                              type->param_count, type->param_count == 1 ? "is" : "are");
    }
    if (type->param_count < row->least) {
        tdi_parse_warn(p, at, "%s takes %d parameter%s or more; with %d it does nothing",
                       type->name, row->least, row->least == 1 ? "" : "s", type->param_count);
        type->op = TDI_OP_IGNORED;
        return true;
    }
    type->op = (uint8_t)row->op; // parameters past row->most are the modeller's own
    if (row->op == TDI_OP_SURFACE) {
        type->surface = (int8_t)find_surface(p->g, type->name);
        if (type->surface == TD_NONE && p->has_view) { // as cpfg, which draws nothing then
            tdi_parse_warn(p, at, "surface %s is not declared, so nothing is drawn", type->name);
            type->op = TDI_OP_NONE;
            return true;
        }
        if (type->surface == TD_NONE) {
            return tdi_parse_fail(p, at,
                                  "surface %s is not declared; expected a header item "
                                  "'surface: %s leaf' or the like",
                                  type->name, type->name + 1);
        }
    }
    if (row->op == TDI_OP_SET_HEADING && type->param_count > 3 && type->param_count < 6) {
        return tdi_parse_fail(p, at, "%s takes 2, 3 or 6 parameters; %d are given", type->name,
                              type->param_count);
    }
    p->g->has_query = p->g->has_query || (row->op >= TDI_OP_QUERY_P && row->op <= TDI_OP_QUERY_E);
    return true;
}

int32_t tdi_intern_type(tdi_parser *p, size_t at, const char *name, int32_t param_count) {
    td_grammar *g = p->g;
    for (int32_t i = 0; i < g->symbols.type_count; i++) {
        if (g->symbols.types[i].param_count == param_count &&
            strcmp(g->symbols.types[i].name, name) == 0) {
            return i;
        }
    }
    if (param_count > TDI_MAX_PARAMS || g->symbols.type_count == TDI_MAX_TYPES) {
        tdi_parse_fail(
            p, at, "this module has more than %d parameters, which is the most that it can have",
            TDI_MAX_PARAMS);
        return TD_NONE;
    }
    tdi_type type = {.param_count = param_count};
    memcpy(type.name, name, sizeof type.name);
    const turtle_row *row = find_turtle(name, param_count);
    if (row && !check_turtle(p, at, row, &type)) {
        return TD_NONE;
    }
    if (!row && (name[0] == '@' || name[0] == '?')) {
        tdi_parse_warn(p, at, "the turtle has no command %s, so it does nothing", name);
    }
    if (g->symbols.type_count == p->capacity.type) {
        tdi_type *grown = tdi_arena_grow(&g->arena, g->symbols.types, g->symbols.type_count,
                                         &p->capacity.type, sizeof *grown);
        if (!grown) {
            tdi_parse_memory(p);
            return TD_NONE;
        }
        g->symbols.types = grown;
    }
    g->symbols.types[g->symbols.type_count] = type;
    return g->symbols.type_count++;
}

// ---- strings of modules ---------------------------------------------------------------------

typedef struct words_builder {
    tdi_words *words;
    int64_t type_capacity, arg_capacity;
    size_t open[64]; // places of the innermost brackets that are open
    int32_t depth;
} words_builder;

static bool add_arg(tdi_parser *p, words_builder *b) {
    tdi_words *w = b->words;
    if (w->arg_count == b->arg_capacity) {
        tdi_arg *grown =
            tdi_arena_grow(&p->g->arena, w->args, w->arg_count, &b->arg_capacity, sizeof *grown);
        if (!grown) {
            return tdi_parse_memory(p);
        }
        w->args = grown;
    }
    return tdi_compile_arg(p, &w->args[w->arg_count]) && ++w->arg_count > 0;
}

static bool add_module(tdi_parser *p, words_builder *b, size_t at, const char *name,
                       int32_t param_count) {
    tdi_words *w = b->words;
    int32_t type = tdi_intern_type(p, at, name, param_count);
    if (type == TD_NONE) {
        return false;
    }
    p->g->symbols.types[type].made = true;
    bool turn = p->g->symbols.types[type].op >= TDI_OP_YAW_LEFT &&
                p->g->symbols.types[type].op <= TDI_OP_ROLL_RIGHT;
    if (turn && param_count == 0 && !p->has_bare_turn) {
        p->has_bare_turn = true;
        p->bare_turn_at = at;
    }
    if (w->module_count == b->type_capacity) {
        uint16_t *grown = tdi_arena_grow(&p->g->arena, w->types, w->module_count, &b->type_capacity,
                                         sizeof *grown);
        if (!grown) {
            return tdi_parse_memory(p);
        }
        w->types = grown;
    }
    w->types[w->module_count++] = (uint16_t)type;
    return true;
}

// Brackets may close in another successor, as in cpfg; most that do not were forgotten.
static void balance(tdi_parser *p, words_builder *b, size_t at, char c) {
    if (c == '[') {
        if (b->depth < 64) {
            b->open[b->depth] = at;
        }
        b->depth++;
    }
    if (c == ']' && --b->depth < 0) {
        tdi_parse_warn(p, at, "unbalanced brackets: this ']' closes nothing here");
        b->depth = 0;
    }
}

bool tdi_parse_words(tdi_parser *p, tdi_words *words) {
    words_builder b = {.words = words};
    *words = (tdi_words){0}; // an axiom before this one had a fault
    if (tdi_accept(p, "*")) {
        return true;
    }
    while (tdi_peek(p) != 0 && tdi_peek(p) != ':') {
        char name[6];
        size_t at = p->at;
        int32_t count = 0;
        if (!tdi_read_symbol(p, name)) {
            return false;
        }
        balance(p, &b, at, name[0]);
        if (tdi_accept(p, "(")) {
            do {
                if (!add_arg(p, &b)) {
                    return false;
                }
                count++;
            } while (tdi_accept(p, ","));
            if (!tdi_expect(p, ")")) {
                return false;
            }
        }
        if (!add_module(p, &b, at, name, count)) {
            return false;
        }
    }
    if (b.depth > 0) {
        tdi_parse_warn(p, b.open[b.depth <= 64 ? b.depth - 1 : 63],
                       "unbalanced brackets: this '[' is not closed here");
    }
    return true;
}
