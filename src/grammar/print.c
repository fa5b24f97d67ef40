// SPDX-License-Identifier: MIT
// printf, fprintf, fopen, fclose and fflush: what statements write.
//
// Method   Formats and names of files are read and checked when the text is compiled; running one
//          fills a small buffer that goes to the caller whenever it is full. The core opens no file
//          itself.

#include "grammar/machine.h"
#include "grammar/parser.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define MAX_FORMATS 1000
#define MAX_FILES   16   // that a model writes
#define MAX_TEXT    1024 // bytes of a string
#define MAX_WIDTH   40   // of a number that is printed, and of its decimals

// ---- strings --------------------------------------------------------------------------------

const char *tdi_read_string(tdi_parser *p, const char *what) {
    char text[MAX_TEXT];
    size_t size = 0;
    tdi_skip_space(p);
    size_t at = p->at;
    if (!tdi_accept(p, "\"")) {
        tdi_parse_fail(p, at, "expected %s in double quotes", what);
        return NULL;
    }
    for (;; p->at++) {
        char c = tdi_peek_raw(p, 0);
        if (c == 0 || c == '\n') {
            tdi_parse_fail(p, at, "this string is never closed; expected \"");
            return NULL;
        }
        if (c == '"') {
            p->at++;
            break;
        }
        if (c == '\\' && tdi_peek_raw(p, 1) != 0) {
            c = tdi_peek_raw(p, 1);
            c = c == 'n' ? '\n' : c == 't' ? '\t' : c == 'r' ? '\r' : c;
            p->at++;
        }
        if (size == MAX_TEXT) {
            tdi_parse_fail(p, at, "this string has more than %d characters", MAX_TEXT);
            return NULL;
        }
        text[size++] = c;
    }
    const char *copy = tdi_arena_text(&p->g->arena, text, size);
    if (!copy) {
        tdi_parse_memory(p);
    }
    return copy;
}

// ---- formats --------------------------------------------------------------------------------

// One conversion after its '%'.
typedef struct conversion {
    char flags[6];
    int32_t width, decimals; // TD_NONE: not given
    char kind;               // of C's printf, or '%'; 0: none that is known
    size_t length;           // without the '%'
} conversion;

static int32_t read_count(const char *text, size_t *at) {
    int32_t count = 0;
    while (text[*at] >= '0' && text[*at] <= '9') {
        count = count < 1000 ? count * 10 + (text[*at] - '0') : count;
        ++*at;
    }
    return count;
}

static conversion read_conversion(const char *text) {
    conversion c = {.width = TD_NONE, .decimals = TD_NONE};
    size_t at = 0, flags = 0;
    for (; text[at] && strchr("-+ 0#", text[at]); at++) {
        if (flags + 1 < sizeof c.flags) {
            c.flags[flags++] = text[at];
        }
    }
    if (text[at] >= '0' && text[at] <= '9') {
        c.width = read_count(text, &at);
    }
    if (text[at] == '.') {
        at++;
        c.decimals = read_count(text, &at);
    }
    for (; text[at] == 'l' || text[at] == 'h'; at++) {}
    bool known = text[at] && strchr("fFeEgGdi%", text[at]);
    c.kind = known && c.width <= MAX_WIDTH && c.decimals <= MAX_WIDTH ? text[at] : 0;
    c.length = at + (text[at] != 0);
    return c;
}

// How many numbers a format takes; TD_NONE after a fault.
static int32_t count_conversions(tdi_parser *p, size_t at, const char *text) {
    int32_t count = 0;
    for (size_t i = 0; text[i]; i++) {
        if (text[i] != '%') {
            continue;
        }
        conversion c = read_conversion(text + i + 1);
        if (c.kind == 0) {
            tdi_parse_fail(
                p, at, "'%%%.*s' cannot be printed; expected %%g, %%f, %%e or %%d, at most %d wide",
                (int)(c.length < 8 ? c.length : 8), text + i + 1, MAX_WIDTH);
            return TD_NONE;
        }
        count += c.kind != '%';
        i += c.length;
    }
    return count;
}

// ---- compiling ------------------------------------------------------------------------------

bool tdi_is_print(const char *name) {
    const char *names[] = {"printf", "fprintf", "fopen", "fclose", "fflush"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        if (strcmp(names[i], name) == 0) {
            return true;
        }
    }
    return false;
}

static bool add_format(tdi_parser *p, tdi_format format) {
    td_grammar *g = p->g;
    if (g->code.format_count == MAX_FORMATS) {
        return tdi_parse_fail(p, p->at, "this model prints in more than %d places", MAX_FORMATS);
    }
    if (g->code.format_count == p->capacity.format) {
        tdi_format *grown = tdi_arena_grow(&g->arena, g->code.formats, g->code.format_count,
                                           &p->capacity.format, sizeof *grown);
        if (!grown) {
            return tdi_parse_memory(p);
        }
        g->code.formats = grown;
    }
    g->code.formats[g->code.format_count++] = format;
    return true;
}

// printf("format", values) and fprintf(file, "format", values)
static bool compile_format(tdi_parser *p, size_t at, bool to_file) {
    tdi_format format = {.to_file = to_file};
    if (to_file && (!tdi_compile_value(p) || !tdi_expect(p, ","))) {
        return false;
    }
    tdi_skip_space(p);
    size_t text_at = p->at;
    format.text = tdi_read_string(p, "what to print");
    int32_t wanted = format.text ? count_conversions(p, text_at, format.text) : TD_NONE;
    if (wanted == TD_NONE) {
        return false;
    }
    while (tdi_accept(p, ",")) {
        if (!tdi_compile_value(p)) {
            return false;
        }
        format.arg_count++;
    }
    if (format.arg_count != wanted) {
        return tdi_parse_fail(p, text_at, "this format takes %d number%s; %d %s given", wanted,
                              wanted == 1 ? "" : "s", format.arg_count,
                              format.arg_count == 1 ? "is" : "are");
    }
    p->stack -= format.arg_count + to_file;
    return tdi_expect(p, ")") && add_format(p, format) &&
           tdi_emit_push(p, at, TDI_CODE_PRINT, p->g->code.format_count - 1, 0);
}

// A name that stays inside the folder and hides nothing there: relative, no part that starts with a
// dot, none of another system's signs.
static bool is_inside(const char *name) {
    bool starts = true; // a part of the name
    for (const char *c = name; *c; c++) {
        if ((unsigned char)*c < 32 || *c == '\\' || *c == ':' ||
            (starts && (*c == '/' || *c == '.'))) {
            return false;
        }
        starts = *c == '/';
    }
    return !starts;
}

// The index of the file of that name; TD_NONE after a fault.
static int32_t add_file(tdi_parser *p, size_t at, const char *name) {
    td_grammar *g = p->g;
    for (int32_t i = 0; i < g->code.file_count; i++) {
        if (strcmp(g->code.files[i].name, name) == 0) {
            return i;
        }
    }
    if (g->code.file_count == MAX_FILES) {
        tdi_parse_fail(p, at, "this model writes more than %d files", MAX_FILES);
        return TD_NONE;
    }
    if (g->code.file_count == p->capacity.file) {
        tdi_file *grown = tdi_arena_grow(&g->arena, g->code.files, g->code.file_count,
                                         &p->capacity.file, sizeof *grown);
        if (!grown) {
            tdi_parse_memory(p);
            return TD_NONE;
        }
        g->code.files = grown;
    }
    g->code.files[g->code.file_count] = (tdi_file){name};
    return g->code.file_count++;
}

// fopen("name", "w") or "a"
static bool compile_open(tdi_parser *p, size_t at) {
    tdi_skip_space(p);
    size_t name_at = p->at;
    const char *name = tdi_read_string(p, "the name of a file");
    if (!name || !tdi_expect(p, ",")) {
        return false;
    }
    if (!is_inside(name)) {
        return tdi_parse_fail(p, name_at,
                              "the file \"%.100s\" lies outside the output folder; expected a name "
                              "in it, such as \"log.txt\"",
                              name);
    }
    tdi_skip_space(p);
    size_t mode_at = p->at;
    const char *mode = tdi_read_string(p, "\"w\" or \"a\"");
    if (!mode) {
        return false;
    }
    if (strcmp(mode, "w") != 0 && strcmp(mode, "a") != 0) {
        return tdi_parse_fail(p, mode_at, "a model can only write files; expected \"w\" or \"a\"");
    }
    int32_t file = tdi_expect(p, ")") ? add_file(p, name_at, name) : TD_NONE;
    return file != TD_NONE && tdi_emit_push(p, at, TDI_CODE_OPEN, file, mode[0] == 'a');
}

bool tdi_compile_print(tdi_parser *p, size_t at, const char *name) {
    if (!tdi_expect(p, "(")) {
        return false;
    }
    if (p->drawing) {
        tdi_parse_warn(p, at, "what a homomorphism prints is dropped: a plant is drawn many times");
    }
    if (strcmp(name, "fopen") == 0) {
        return compile_open(p, at);
    }
    if (strstr(name, "printf")) {
        return compile_format(p, at, name[0] == 'f');
    }
    tdi_code code = strcmp(name, "fclose") == 0 ? TDI_CODE_CLOSE : TDI_CODE_FLUSH;
    return tdi_compile_value(p) && tdi_expect(p, ")") && tdi_emit(p, at, code, 0, 0) != TD_NONE;
}

// ---- running --------------------------------------------------------------------------------

typedef struct printer {
    const tdi_machine *machine;
    const char *file;
    char text[512];
    size_t size;
    bool stopped;
} printer;

static void flush(printer *w, bool start) {
    const td_print *print = w->machine->print;
    if ((w->size > 0 || start) && !w->stopped) {
        w->stopped = print->write(print->context, w->file, start, w->text, w->size) != 0;
    }
    w->size = 0;
}

static void put_text(printer *w, const char *text, size_t size) {
    for (size_t i = 0; i < size; i++) {
        if (w->size == sizeof w->text) {
            flush(w, false);
        }
        w->text[w->size++] = text[i];
    }
}

static void put_number(printer *w, const conversion *c, double value) {
    char format[48], text[512], width[16] = "", decimals[16] = "";
    bool whole = c->kind == 'd' || c->kind == 'i';
    if (c->width != TD_NONE) {
        snprintf(width, sizeof width, "%d", (int)c->width);
    }
    if (c->decimals != TD_NONE || whole) {
        snprintf(decimals, sizeof decimals, ".%d", whole ? 0 : (int)c->decimals);
    }
    snprintf(format, sizeof format, "%%%s%s%s%c", c->flags, width, decimals, whole ? 'f' : c->kind);
    // the format was checked when the text was compiled
    int length = snprintf(text, sizeof text, format, whole ? trunc(value) + 0.0 : value);
    // the locale that the program has set may write another decimal point
    char half[8];
    snprintf(half, sizeof half, "%g", 0.5);
    char *point = strchr(text, half[1]);
    if (point) {
        *point = '.';
    }
    put_text(w, text, (size_t)length < sizeof text ? (size_t)length : sizeof text - 1);
}

// The file of a number, or TD_NONE when it is not open.
static int32_t open_file(const tdi_machine *m, double number) {
    bool known = number >= 0 && number < m->grammar->code.file_count && m->file_open;
    return known && m->file_open[(int32_t)number] ? (int32_t)number : TD_NONE;
}

static td_status fail_closed(const tdi_machine *m, const tdi_op *op, double number, td_diag *diag) {
    const td_grammar *g = m->grammar;
    return tdi_source_fail(&g->source, g->code.op_at[op - g->code.ops], diag, TD_ERR_EVAL,
                           "%g is not the number of an open file", number);
}

static td_status stopped(const tdi_machine *m, const tdi_op *op, td_diag *diag) {
    const td_grammar *g = m->grammar;
    return tdi_source_fail(&g->source, g->code.op_at[op - g->code.ops], diag, TD_ERR_STOPPED,
                           "what is printed here was refused");
}

static td_status run_format(const tdi_machine *m, const tdi_op *op, double *base, td_diag *diag) {
    const tdi_format *f = &m->grammar->code.formats[op->a];
    const double *args = base + f->to_file;
    printer w = {.machine = m};
    if (f->to_file && m->print) {
        int32_t file = open_file(m, base[0]);
        if (file == TD_NONE) {
            return fail_closed(m, op, base[0], diag);
        }
        w.file = m->grammar->code.files[file].name;
    }
    for (size_t i = 0; m->print && f->text[i]; i++) {
        if (f->text[i] != '%') {
            put_text(&w, f->text + i, 1);
            continue;
        }
        conversion c = read_conversion(f->text + i + 1);
        i += c.length;
        if (c.kind == '%') {
            put_text(&w, "%", 1);
        } else {
            put_number(&w, &c, *args++);
        }
    }
    if (m->print) {
        flush(&w, false);
    }
    base[0] = 0;
    return w.stopped ? stopped(m, op, diag) : TD_OK;
}

td_status tdi_print_run(const tdi_machine *m, const tdi_op *op, double *base, td_diag *diag) {
    if (op->code == TDI_CODE_PRINT) {
        return run_format(m, op, base, diag);
    }
    if (op->code == TDI_CODE_OPEN) {
        base[0] = op->a;
        if (m->file_open) {
            m->file_open[op->a] = 1;
        }
        printer w = {.machine = m, .file = m->grammar->code.files[op->a].name};
        if (m->print && op->k == 0) {
            flush(&w, true);
        }
        return w.stopped ? stopped(m, op, diag) : TD_OK;
    }
    int32_t file = open_file(m, base[0]);
    if (file == TD_NONE && m->print) {
        return fail_closed(m, op, base[0], diag);
    }
    if (file != TD_NONE && op->code == TDI_CODE_CLOSE) {
        m->file_open[file] = 0;
    }
    base[0] = 0;
    return TD_OK;
}
