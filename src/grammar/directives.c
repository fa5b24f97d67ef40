// SPDX-License-Identifier: MIT
// Lines that start with '#': macros are defined, files brought in, lines chosen.

#include "grammar/reader.h"

#include <string.h>

#define MAX_CONDITIONS 64
#define MAX_MACROS     1024

// ---- #define --------------------------------------------------------------------------------

// The parameters of `#define NAME(a, b)`, from after `(` on.
static bool read_params(tdi_reader *r, tdi_macro *m, tdi_input *in) {
    m->param_count = 0;
    for (;;) {
        tdi_read_skip_blanks(in);
        if (tdi_read_peek(in, 0) == ')') {
            in->at++;
            return true;
        }
        size_t length = tdi_read_name_length(in->text + in->at, in->size - in->at);
        if (length == 0 || m->param_count == TDI_MAX_MACRO_PARAMS) {
            TDI_READ_FAIL(r, in, in->at, "expected the name of a parameter or )");
            return false;
        }
        char *name = tdi_arena_text(r->source->arena, in->text + in->at, length);
        if (!name) {
            tdi_read_memory(r);
            return false;
        }
        m->params[m->param_count++] = name;
        in->at += length;
        tdi_read_skip_blanks(in);
        if (tdi_read_peek(in, 0) == ',') {
            in->at++;
        } else if (tdi_read_peek(in, 0) != ')') {
            TDI_READ_FAIL(r, in, in->at, "expected , or )");
            return false;
        }
    }
}

static void define(tdi_reader *r, tdi_input *in) {
    tdi_read_skip_blanks(in);
    size_t length = tdi_read_name_length(in->text + in->at, in->size - in->at);
    if (length == 0) {
        TDI_READ_FAIL(r, in, in->at, "expected a name after #define");
        return;
    }
    if (r->macro_count == MAX_MACROS) {
        TDI_READ_FAIL(r, in, in->at, "more than %d macros are defined", MAX_MACROS);
        r->stop = true;
        return;
    }
    tdi_macro *old = tdi_macro_find(r, in->text + in->at, length);
    tdi_macro *m = tdi_macro_add(r, in->text + in->at, length);
    if (!m) {
        return;
    }
    in->at += length;
    if (tdi_read_peek(in, 0) == '(') {
        in->at++;
        if (!read_params(r, m, in)) {
            m->gone = true;
            return;
        }
    }
    m->gone = !tdi_read_rest(r, in, &m->body, &m->body_size) || (old && old->external);
}

static void undefine(tdi_reader *r, tdi_input *in) {
    tdi_read_skip_blanks(in);
    size_t length = tdi_read_name_length(in->text + in->at, in->size - in->at);
    tdi_macro *m = tdi_macro_find(r, in->text + in->at, length);
    if (m && !m->external) {
        m->gone = true;
    }
}

// ---- conditions -----------------------------------------------------------------------------

// #if and its kin, from the outermost on
typedef struct condition {
    bool taken; // the lines that follow count
    bool done;  // some lines of it have counted
    bool had_else;
    size_t at;
} condition;

typedef struct conditions {
    condition open[MAX_CONDITIONS];
    int32_t depth;
} conditions;

static bool all_taken(const conditions *c) {
    for (int32_t i = 0; i < c->depth; i++) {
        if (!c->open[i].taken) {
            return false;
        }
    }
    return true;
}

// Replaces `defined NAME` and `defined(NAME)` by 1 or 0, before macros are replaced.
static bool replace_defined(tdi_reader *r, const tdi_input *in, char *text, size_t size) {
    tdi_input look = {in->file, text, size, 0, true, (uint32_t)in->at};
    while (look.at < size) {
        size_t length = tdi_read_name_length(text + look.at, size - look.at);
        size_t start = look.at;
        look.at += length > 0 ? length : 1;
        if (length != 7 || memcmp(text + start, "defined", 7) != 0) {
            continue;
        }
        tdi_read_skip_blanks(&look);
        bool open = tdi_read_peek(&look, 0) == '(';
        look.at += open;
        tdi_read_skip_blanks(&look);
        size_t name = tdi_read_name_length(text + look.at, size - look.at);
        bool is_defined = tdi_macro_find(r, text + look.at, name) != NULL;
        look.at += name;
        tdi_read_skip_blanks(&look);
        if (name == 0 || (open && tdi_read_peek(&look, 0) != ')')) {
            TDI_READ_FAIL(r, in, in->at, "expected a name after 'defined', as in defined(NAME)");
            return false;
        }
        look.at += open;
        memset(text + start, ' ', look.at - start);
        text[start] = is_defined ? '1' : '0';
    }
    return true;
}

// The value of the expression after #if or #elif; false after a fault too.
static bool expression(tdi_reader *r, tdi_input *in) {
    const char *rest, *fault;
    size_t size;
    int64_t value;
    tdi_read_skip_blanks(in);
    tdi_input use = *in;
    if (!tdi_read_rest(r, in, &rest, &size)) {
        return false;
    }
    if (size == 0) {
        TDI_READ_FAIL(r, &use, use.at, "expected a condition");
        return false;
    }
    char *text = tdi_arena_text(r->source->arena, rest, size);
    if (!text) {
        tdi_read_memory(r);
        return false;
    }
    rest = text;
    if (!replace_defined(r, &use, text, size) || !tdi_macro_expand(r, &use, &rest, &size, 0)) {
        return false;
    }
    if (!tdi_condition_value(rest, size, &value, &fault)) {
        TDI_READ_FAIL(r, &use, use.at, "%s", fault);
        return false;
    }
    return value != 0;
}

// Whether the name after #ifdef stands for a macro.
static bool named(tdi_reader *r, tdi_input *in, size_t start) {
    tdi_read_skip_blanks(in);
    size_t length = tdi_read_name_length(in->text + in->at, in->size - in->at);
    if (length == 0) {
        TDI_READ_FAIL(r, in, start, "expected a name");
    }
    return length > 0 && tdi_macro_find(r, in->text + in->at, length) != NULL;
}

typedef enum directive_kind {
    D_NONE,
    D_DEFINE,
    D_UNDEF,
    D_INCLUDE,
    D_ERROR,
    D_IF,
    D_IFDEF,
    D_IFNDEF,
    D_ELIF,
    D_ELSE,
    D_ENDIF,
    D_ABOP, // #ignore: and #consider:, ABOP's spelling of header items
} directive_kind;

static void open_condition(tdi_reader *r, tdi_input *in, conditions *c, directive_kind kind) {
    size_t start = in->at;
    if (c->depth == MAX_CONDITIONS) {
        TDI_READ_FAIL(r, in, start, "conditions are nested more than %d deep here", MAX_CONDITIONS);
        r->stop = true;
        return;
    }
    // within lines that do not count, no branch is ever taken
    condition new = {.done = true, .at = start};
    if (all_taken(c)) {
        new.taken = kind == D_IF ? expression(r, in) : named(r, in, start) == (kind == D_IFDEF);
        new.done = new.taken;
    }
    c->open[c->depth++] = new;
}

static void change_condition(tdi_reader *r, tdi_input *in, conditions *c, directive_kind kind) {
    condition *now = c->depth > 0 ? &c->open[c->depth - 1] : NULL;
    if (!now || (kind != D_ENDIF && now->had_else)) {
        TDI_READ_FAIL(r, in, in->at, "there is no open #if, #ifdef or #ifndef for this line");
    } else if (kind == D_ENDIF) {
        c->depth--;
    } else {
        now->taken = false;
        now->had_else = kind == D_ELSE;
        now->taken = !now->done && (kind == D_ELSE || expression(r, in));
        now->done = now->done || now->taken;
    }
}

// ---- lines ----------------------------------------------------------------------------------

// `#` starts a directive only before one of these words; elsewhere it is a turtle's sign.
static directive_kind read_directive(tdi_input *in) {
    static const struct {
        const char *word;
        directive_kind kind;
    } words[] = {{"define", D_DEFINE}, {"undef", D_UNDEF}, {"include", D_INCLUDE},
                 {"error", D_ERROR},   {"if", D_IF},       {"ifdef", D_IFDEF},
                 {"ifndef", D_IFNDEF}, {"elif", D_ELIF},   {"else", D_ELSE},
                 {"endif", D_ENDIF},   {"ignore", D_ABOP}, {"consider", D_ABOP}};
    size_t at = in->at;
    while (at < in->size && tdi_read_is_blank(in->text[at])) {
        at++;
    }
    if (at == in->size || in->text[at] != '#') {
        return D_NONE;
    }
    for (at++; at < in->size && tdi_read_is_blank(in->text[at]); at++) {}
    size_t length = tdi_read_name_length(in->text + at, in->size - at);
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        if (strlen(words[i].word) == length && memcmp(words[i].word, in->text + at, length) == 0) {
            in->at = words[i].kind == D_ABOP ? at : at + length;
            return words[i].kind;
        }
    }
    return D_NONE;
}

static void say_error(tdi_reader *r, tdi_input *in) {
    const char *text;
    size_t size, at = in->at;
    if (tdi_read_rest(r, in, &text, &size)) {
        TDI_READ_FAIL(r, in, at, "#error %.*s", (int)(size < 200 ? size : 200), text);
    }
}

static void obey(tdi_reader *r, tdi_input *in, directive_kind kind, conditions *c) {
    bool live = all_taken(c);
    int32_t faults = r->fault_count;
    if (kind == D_IF || kind == D_IFDEF || kind == D_IFNDEF) {
        open_condition(r, in, c, kind);
    } else if (kind == D_ELIF || kind == D_ELSE || kind == D_ENDIF) {
        change_condition(r, in, c, kind);
    } else if (live && kind == D_DEFINE) {
        define(r, in);
    } else if (live && kind == D_INCLUDE) {
        tdi_read_include(r, in);
    } else if (live && kind == D_UNDEF) {
        undefine(r, in);
    } else if (live && kind == D_ERROR) {
        say_error(r, in);
    }
    if (r->fault_count > faults && kind != D_DEFINE && kind != D_ERROR) {
        r->source->cut = true; // the wrong lines, or none of a file's
    }
    tdi_read_skip_line(in);
}

void tdi_read_lines(tdi_reader *r, tdi_input *in) {
    conditions c = {.depth = 0};
    while (in->at < in->size && !r->stop) {
        directive_kind kind = read_directive(in);
        bool plain = kind == D_NONE || kind == D_ABOP, live = plain && all_taken(&c);
        if (live) {
            tdi_read_line(r, in, 0);
        } else if (plain) {
            tdi_read_skip_line(in);
        } else {
            obey(r, in, kind, &c);
        }
        // other lines leave no empty line behind, so that a production goes on across them
        if (in->at < in->size && in->text[in->at] == '\n') {
            if (live) {
                tdi_read_put(r, in, in->at, '\n');
            }
            in->at++;
        }
    }
    if (c.depth > 0 && !r->stop) {
        r->source->cut = true;
        TDI_READ_FAIL(r, in, c.open[c.depth - 1].at,
                      "this condition is never closed; expected #endif");
    }
}
