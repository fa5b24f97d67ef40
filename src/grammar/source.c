// SPDX-License-Identifier: MIT
// From the files of a model to one text: directives, macros, comments.
//
// Method   Lines are read in order. Directive lines are obeyed; in the others comments become a
//          space and identifiers that name a macro are replaced, as the C preprocessor does it:
//          arguments first, then the replacement is scanned again, without the macro it came from.
// Limits   Bytes of all texts together and of the result, depth of includes and of macros, uses of
//          macros and the bytes they copy: a macro can take long and leave nothing behind.

#include "grammar/source.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define MAX_INCLUDE_DEPTH 16
#define MAX_MACRO_DEPTH   64
#define MAX_MACRO_PARAMS  16
#define MAX_CONDITIONS    64
#define MAX_MACROS        1024
#define MAX_MACRO_USES    1000000
#define MAX_FAULTS        100 // after so many the reader gives up
#define NAME_SIZE         160 // as td_loader's `resolved`

typedef struct macro {
    struct macro *next;
    const char *name;
    size_t name_size;
    const char *body;
    size_t body_size;
    int32_t param_count; // -1: not like a function
    const char *params[MAX_MACRO_PARAMS];
    bool external; // from outside, wins over the text
    bool gone;     // #undef
    bool active;   // being replaced
} macro;

typedef struct reader {
    tdi_source *source;
    const td_grammar_def *def;
    td_diag_list *diags;
    macro *macros;
    int32_t macro_count;
    int32_t use_count;                            // of macros
    uint64_t bytes_copied;                        // for bodies and arguments of macros
    int32_t include_stack[MAX_INCLUDE_DEPTH + 1]; // the text itself, then what it includes
    int32_t include_depth;
    int32_t fault_count;
    td_status status; // first fault; the reader goes on where it can
    bool stop;        // a fault after which nothing makes sense
} reader;

// What is being read: a file, or the text of a macro that stands at `origin` of that file.
typedef struct input {
    int32_t file;
    const char *text;
    size_t size;
    size_t at;
    bool macro;
    uint32_t origin;
} input;

// ---- texts ----------------------------------------------------------------------------------

int32_t tdi_source_add(tdi_source *source, const char *name, const char *text, size_t size) {
    if (source->file_count == source->file_capacity) {
        void *grown = tdi_arena_grow(source->arena, source->files, source->file_count,
                                     &source->file_capacity, sizeof *source->files);
        if (!grown) {
            return TD_NONE;
        }
        source->files = grown;
    }
    char *name_copy = tdi_arena_text(source->arena, name, strlen(name));
    char *text_copy = tdi_arena_text(source->arena, text, size);
    if (!name_copy || !text_copy) {
        return TD_NONE;
    }
    // a byte order mark is not part of the text
    if (size >= 3 && memcmp(text_copy, "\xef\xbb\xbf", 3) == 0) {
        text_copy += 3;
        size -= 3;
    }
    source->bytes_read += size;
    source->files[source->file_count] = (tdi_source_file){name_copy, text_copy, size};
    return source->file_count++;
}

td_status tdi_source_load(tdi_source *source, const td_grammar_def *def, const char *name,
                          const char *from, int32_t *file) {
    const td_loader *loader = def->loader;
    const td_alloc *alloc = source->arena->alloc;
    char *text = NULL, resolved[NAME_SIZE] = "";
    size_t size = 0;
    size_t room = def->max_text > source->bytes_read ? def->max_text - source->bytes_read : 0;
    *file = TD_NONE;
    td_status status =
        loader->read(loader->context, name, from, room, alloc, &text, &size, resolved);
    if (status != TD_OK) {
        return status;
    }
    if (size > room) {
        tdi_alloc_free(alloc, text, size);
        return TD_ERR_LIMIT;
    }
    *file = tdi_source_add(source, resolved, text, size);
    tdi_alloc_free(alloc, text, size);
    return *file == TD_NONE ? TD_ERR_MEMORY : TD_OK;
}

// ---- faults ---------------------------------------------------------------------------------

static void place_in_file(const tdi_source_file *file, size_t origin, td_diag *diag) {
    origin = origin < file->size ? origin : file->size;
    size_t start = 0;
    diag->line = 1;
    for (size_t i = 0; i < origin; i++) {
        if (file->text[i] == '\n') {
            diag->line++;
            start = i + 1;
        }
    }
    size_t end = origin;
    while (end < file->size && file->text[end] != '\n' && file->text[end] != '\r') {
        end++;
    }
    size_t column = origin - start;
    diag->column = column < INT32_MAX ? (int32_t)column + 1 : INT32_MAX;
    tdi_text_copy(diag->file, sizeof diag->file, file->name);

    // a window of the line with the caret inside; bytes that are no text show as '?'
    size_t room = sizeof diag->source - 1;
    size_t first = column > room * 2 / 3 ? start + column - room * 2 / 3 : start;
    size_t shown = end - first < room ? end - first : room;
    for (size_t i = 0; i < shown; i++) {
        unsigned char c = (unsigned char)file->text[first + i];
        diag->source[i] = (char)(c == '\t' ? ' ' : (c < 32 || c == 127) ? '?' : c);
    }
    diag->source[shown] = 0;
    diag->caret = (int32_t)(origin - first);
}

static void fail_in_file(reader *r, int32_t file, size_t origin, td_status status,
                         const char *format, ...) TDI_PRINTF(5, 6);

static void fail_in_file(reader *r, int32_t file, size_t origin, td_status status,
                         const char *format, ...) {
    td_diag diag = {.status = status, .index = TD_NONE};
    va_list args;
    va_start(args, format);
    vsnprintf(diag.message, sizeof diag.message, format, args);
    va_end(args);
    place_in_file(&r->source->files[file], origin, &diag);
    tdi_diag_add(r->diags, &diag);
    r->status = r->status == TD_OK ? status : r->status;
    r->stop = r->stop || status != TD_ERR_SYNTAX || ++r->fault_count == MAX_FAULTS;
}

static uint32_t origin_of(const input *in, size_t at) {
    return in->macro ? in->origin : (uint32_t)at;
}

#define FAIL(r, in, at, ...) \
    fail_in_file(r, (in)->file, origin_of(in, at), TD_ERR_SYNTAX, __VA_ARGS__)

static void out_of_memory(reader *r) {
    r->status = r->status == TD_OK ? TD_ERR_MEMORY : r->status;
    r->stop = true;
}

// ---- output ---------------------------------------------------------------------------------

static void put_span(reader *r, const input *in, size_t at) {
    tdi_source *s = r->source;
    tdi_source_span span = {(uint32_t)s->size, origin_of(in, at), in->file, in->macro};
    if (s->span_count > 0) {
        const tdi_source_span *last = &s->spans[s->span_count - 1];
        bool follows = !span.macro && !last->macro && last->file == span.file &&
                       last->origin + (span.offset - last->offset) == span.origin;
        bool same =
            span.macro && last->macro && last->file == span.file && last->origin == span.origin;
        if (follows || same) {
            return;
        }
    }
    if (s->span_count == s->span_capacity) {
        void *grown =
            tdi_arena_grow(s->arena, s->spans, s->span_count, &s->span_capacity, sizeof *s->spans);
        if (!grown) {
            out_of_memory(r);
            return;
        }
        s->spans = grown;
    }
    s->spans[s->span_count++] = span;
}

static void put(reader *r, const input *in, size_t at, char c) {
    tdi_source *s = r->source;
    // every text gets a line feed at its end, beyond the limit
    if (s->size >= r->def->max_text + (size_t)s->file_count) {
        if (!r->stop) {
            fail_in_file(r, in->file, origin_of(in, at), TD_ERR_LIMIT,
                         "the text expands to more than %zu bytes here", r->def->max_text);
        }
        return;
    }
    put_span(r, in, at);
    if ((int64_t)s->size + 1 >= s->text_capacity) {
        char *grown = tdi_arena_grow(s->arena, s->text, (int64_t)s->size, &s->text_capacity, 1);
        if (!grown) {
            out_of_memory(r);
            return;
        }
        s->text = grown;
    }
    s->text[s->size++] = c;
}

// ---- characters -----------------------------------------------------------------------------

static bool is_letter(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}
static bool is_digit(char c) {
    return c >= '0' && c <= '9';
}
static bool is_blank(char c) {
    return c == ' ' || c == '\t' || c == '\f' || c == '\v';
}
static char peek(const input *in, size_t ahead) {
    return in->at + ahead < in->size ? in->text[in->at + ahead] : 0;
}
static void skip_blanks(input *in) {
    while (in->at < in->size && (is_blank(in->text[in->at]) || in->text[in->at] == '\r')) {
        in->at++;
    }
}
static size_t name_length(const char *text, size_t size) {
    size_t n = 0;
    while (n < size && (is_letter(text[n]) || (n > 0 && is_digit(text[n])))) {
        n++;
    }
    return n;
}

// a number as the C preprocessor sees it: 1e-5, 0.5, and 1F2 whole, so that no macro hides in it
static size_t number_length(const char *text, size_t size) {
    size_t n = 0;
    while (n < size) {
        char c = text[n];
        bool sign = (c == '+' || c == '-') && n > 0 && (text[n - 1] == 'e' || text[n - 1] == 'E') &&
                    n >= 2 && is_digit(text[n - 2]) && n + 1 < size && is_digit(text[n + 1]);
        if (!is_digit(c) && !is_letter(c) && c != '.' && !sign) {
            break;
        }
        n++;
    }
    return n;
}

// ---- macros ---------------------------------------------------------------------------------

static macro *find_macro(const reader *r, const char *name, size_t length) {
    for (macro *m = r->macros; m; m = m->next) {
        if (!m->gone && m->name_size == length && memcmp(m->name, name, length) == 0) {
            return m;
        }
    }
    return NULL;
}

static macro *add_macro(reader *r, const char *name, size_t length) {
    macro *m = tdi_arena_zeroed(r->source->arena, 1, sizeof *m);
    char *copy = tdi_arena_text(r->source->arena, name, length);
    if (!m || !copy) {
        out_of_memory(r);
        return NULL;
    }
    m->name = copy;
    m->name_size = length;
    m->param_count = -1;
    r->macro_count++;
    m->next = r->macros;
    r->macros = m;
    return m;
}

static void scan(reader *r, input *in, int32_t depth);

static void replace_text(reader *r, const input *use, const char *text, size_t size,
                         int32_t depth) {
    input in = {use->file, text, size, 0, true, origin_of(use, use->at)};
    scan(r, &in, depth + 1);
}

static bool is_blank_text(const char *text, size_t size) {
    size_t n = 0;
    while (n < size && is_blank(text[n])) {
        n++;
    }
    return n == size;
}

// The arguments of a use `NAME(a, b)`, in the input from `(` on. False after a fault.
static bool read_arguments(reader *r, const macro *m, input *in, size_t name_at, const char **args,
                           size_t *sizes) {
    int32_t count = 0, nesting = 0;
    size_t start = ++in->at;
    for (; in->at < in->size; in->at++) {
        char c = in->text[in->at];
        nesting += (c == '(') - (c == ')');
        if (c == '\n') {
            break;
        }
        if (nesting < 0 || (c == ',' && nesting == 0)) {
            if (count < MAX_MACRO_PARAMS) {
                args[count] = in->text + start;
                sizes[count] = in->at - start;
            }
            count++;
            start = in->at + 1;
        }
        if (nesting < 0) {
            in->at++;
            bool none = m->param_count == 0 && count == 1 && is_blank_text(args[0], sizes[0]);
            if (count != m->param_count && !none) {
                FAIL(r, in, name_at, "macro %s takes %d arguments; %d are given", m->name,
                     m->param_count, count);
                return false;
            }
            return true;
        }
    }
    FAIL(r, in, name_at, "the arguments of macro %s lack a closing )", m->name);
    return false;
}

// Adds a part to the text of a macro; `in` and `at` say whose.
static bool append(reader *r, const input *in, size_t at, char **text, int64_t *size,
                   int64_t *capacity, const char *part, size_t part_size) {
    r->bytes_copied += part_size;
    if (r->bytes_copied > (uint64_t)r->def->max_text * 4) {
        fail_in_file(r, in->file, origin_of(in, at), TD_ERR_LIMIT,
                     "the macros expand to more than %zu bytes here", r->def->max_text);
        return false;
    }
    while (*size + (int64_t)part_size > *capacity) {
        char *grown = tdi_arena_grow(r->source->arena, *text, *size, capacity, 1);
        if (!grown) {
            out_of_memory(r);
            return false;
        }
        *text = grown;
    }
    if (part_size > 0) {
        memcpy(*text + *size, part, part_size);
    }
    *size += (int64_t)part_size;
    return true;
}

// Replaces the macros in an argument, before it takes the place of a parameter. What is being read
// ends up at the end of the processed text, from where it is taken back.
static bool expand_argument(reader *r, const input *use, const char **text, size_t *size,
                            int32_t depth) {
    tdi_source *s = r->source;
    size_t start = s->size;
    int64_t span_count = s->span_count;
    replace_text(r, use, *text, *size, depth);
    *size = s->size - start;
    *text = *size > 0 ? tdi_arena_text(s->arena, s->text + start, *size) : "";
    s->size = start;
    s->span_count = span_count;
    r->bytes_copied += *size;
    if (!*text) {
        out_of_memory(r);
    }
    return !r->stop;
}

// the body with the parameters' names replaced by the arguments
static bool substitute(reader *r, const input *use, const macro *m, const char **args,
                       const size_t *sizes, char **text, size_t *text_size) {
    int64_t size = 0, capacity = 0;
    *text = NULL;
    for (size_t at = 0; at < m->body_size;) {
        size_t length = name_length(m->body + at, m->body_size - at);
        size_t step = length > 0 ? length : number_length(m->body + at, m->body_size - at);
        step = step > 0 ? step : 1;
        const char *part = m->body + at;
        size_t part_size = step;
        for (int32_t i = 0; length > 0 && i < m->param_count; i++) {
            if (strlen(m->params[i]) == length && memcmp(m->params[i], part, length) == 0) {
                part = args[i];
                part_size = sizes[i];
                break;
            }
        }
        if (!append(r, use, use->at, text, &size, &capacity, part, part_size)) {
            return false;
        }
        at += step;
    }
    *text_size = (size_t)size;
    return true;
}

static void use_macro(reader *r, input *in, macro *m, size_t length, int32_t depth) {
    size_t name_at = in->at;
    if (depth >= MAX_MACRO_DEPTH) {
        FAIL(r, in, name_at, "macros are nested more than %d deep here", MAX_MACRO_DEPTH);
        r->stop = true;
        return;
    }
    if (++r->use_count > MAX_MACRO_USES) {
        fail_in_file(r, in->file, origin_of(in, name_at), TD_ERR_LIMIT,
                     "macros are used more than %d times in this text", MAX_MACRO_USES);
        return;
    }
    if (m->param_count < 0) {
        m->active = true;
        replace_text(r, in, m->body, m->body_size, depth);
        m->active = false;
        in->at += length;
        return;
    }
    const char *args[MAX_MACRO_PARAMS];
    size_t sizes[MAX_MACRO_PARAMS] = {0};
    char *text;
    size_t text_size;
    in->at += length;
    if (!read_arguments(r, m, in, name_at, args, sizes)) {
        return;
    }
    input use = *in;
    use.at = name_at;
    for (int32_t i = 0; i < m->param_count; i++) {
        if (!expand_argument(r, &use, &args[i], &sizes[i], depth)) {
            return;
        }
    }
    if (substitute(r, &use, m, args, sizes, &text, &text_size)) {
        m->active = true;
        replace_text(r, &use, text, text_size, depth);
        m->active = false;
    }
}

// ---- plain text -----------------------------------------------------------------------------

// A block comment becomes one space, also when it spans lines.
static bool pass_comment(reader *r, input *in) {
    size_t start = in->at;
    for (in->at += 2; in->at < in->size; in->at++) {
        if (peek(in, 0) == '*' && peek(in, 1) == '/') {
            in->at += 2;
            return true;
        }
    }
    FAIL(r, in, start, "this comment is never closed; expected */");
    return false;
}

// `//` is a comment after white space only: F//F rolls twice
static bool at_line_comment(const input *in) {
    if (peek(in, 0) != '/' || peek(in, 1) != '/' || in->macro) {
        return false;
    }
    char before = in->at > 0 ? in->text[in->at - 1] : '\n';
    return is_blank(before) || before == '\n' || before == '\r';
}

static bool at_bad_byte(const input *in) {
    unsigned char c = (unsigned char)peek(in, 0);
    return (c < 32 && c != '\n' && c != '\r' && !is_blank((char)c)) || c == 127;
}

// Copies text up to the end of the line (of a file) or of the input (of a macro).
static void scan(reader *r, input *in, int32_t depth) {
    while (in->at < in->size && !r->stop) {
        char c = peek(in, 0);
        size_t length = name_length(in->text + in->at, in->size - in->at);
        macro *m = length > 0 ? find_macro(r, in->text + in->at, length) : NULL;
        if (m && (m->active || (m->param_count >= 0 && peek(in, length) != '('))) {
            m = NULL;
        }
        if (c == '\n' && !in->macro) {
            return;
        }
        if (at_bad_byte(in)) {
            FAIL(r, in, in->at, "byte 0x%02x is not text", (unsigned char)c);
            r->stop = true;
        } else if (c == '/' && peek(in, 1) == '*') {
            put(r, in, in->at, ' ');
            pass_comment(r, in);
        } else if (at_line_comment(in)) {
            while (in->at < in->size && peek(in, 0) != '\n') {
                in->at++;
            }
        } else if (c == '\r' && peek(in, 1) == '\n') {
            in->at++;
        } else if (m) {
            use_macro(r, in, m, length, depth);
        } else {
            size_t step = length > 0 ? length : 1;
            if (is_digit(c)) {
                step = number_length(in->text + in->at, in->size - in->at);
            }
            for (; step > 0; step--, in->at++) {
                put(r, in, in->at, in->text[in->at]);
            }
        }
    }
}

// ---- directives -----------------------------------------------------------------------------

static void skip_line(input *in) {
    while (in->at < in->size && in->text[in->at] != '\n') {
        in->at++;
    }
}

// The parameters of `#define NAME(a, b)`, from after `(` on.
static bool read_params(reader *r, macro *m, input *in) {
    m->param_count = 0;
    for (;;) {
        skip_blanks(in);
        if (peek(in, 0) == ')') {
            in->at++;
            return true;
        }
        size_t length = name_length(in->text + in->at, in->size - in->at);
        if (length == 0 || m->param_count == MAX_MACRO_PARAMS) {
            FAIL(r, in, in->at, "expected the name of a parameter or )");
            return false;
        }
        char *name = tdi_arena_text(r->source->arena, in->text + in->at, length);
        if (!name) {
            out_of_memory(r);
            return false;
        }
        m->params[m->param_count++] = name;
        in->at += length;
        skip_blanks(in);
        if (peek(in, 0) == ',') {
            in->at++;
        } else if (peek(in, 0) != ')') {
            FAIL(r, in, in->at, "expected , or )");
            return false;
        }
    }
}

// The body: to the end of the line, or further where a line ends in a backslash; no comments.
static bool read_body(reader *r, macro *m, input *in) {
    char *text = NULL;
    int64_t size = 0, capacity = 0;
    skip_blanks(in);
    while (in->at < in->size && peek(in, 0) != '\n') {
        size_t end = peek(in, 0) == '\\' ? (peek(in, 1) == '\r' ? 2u : 1u) : 0;
        char c = peek(in, 0);
        if (c == '/' && peek(in, 1) == '*') {
            if (!pass_comment(r, in)) {
                return false;
            }
            c = ' ';
        } else if (at_line_comment(in)) {
            skip_line(in);
            break;
        } else if (end > 0 && peek(in, end) == '\n') {
            in->at += end + 1;
            c = ' ';
        } else {
            in->at++;
        }
        if (c != '\r' && !append(r, in, in->at, &text, &size, &capacity, &c, 1)) {
            return false;
        }
    }
    while (size > 0 && is_blank(text[size - 1])) {
        size--;
    }
    m->body = text ? text : "";
    m->body_size = (size_t)size;
    return true;
}

static void define(reader *r, input *in) {
    skip_blanks(in);
    size_t length = name_length(in->text + in->at, in->size - in->at);
    if (length == 0) {
        FAIL(r, in, in->at, "expected a name after #define");
        return;
    }
    if (r->macro_count == MAX_MACROS) {
        FAIL(r, in, in->at, "more than %d macros are defined", MAX_MACROS);
        r->stop = true;
        return;
    }
    macro *old = find_macro(r, in->text + in->at, length);
    macro *m = add_macro(r, in->text + in->at, length);
    if (!m) {
        return;
    }
    in->at += length;
    if (peek(in, 0) == '(') {
        in->at++;
        if (!read_params(r, m, in)) {
            m->gone = true;
            return;
        }
    }
    m->gone = !read_body(r, m, in) || (old && old->external);
}

static void read_file(reader *r, int32_t file);

static bool include_is_open(reader *r, const input *in, size_t at, const char *resolved) {
    for (int32_t i = 0; i < r->include_depth; i++) {
        if (strcmp(r->source->files[r->include_stack[i]].name, resolved) == 0) {
            FAIL(r, in, at, "\"%s\" includes itself, through a chain of %d file%s", resolved,
                 r->include_depth - i, r->include_depth - i == 1 ? "" : "s");
            return true;
        }
    }
    return false;
}

static void include(reader *r, input *in) {
    skip_blanks(in);
    size_t name_at = in->at;
    char close = peek(in, 0) == '<' ? '>' : '"';
    size_t end = in->at + 1;
    while (end < in->size && in->text[end] != close && in->text[end] != '\n') {
        end++;
    }
    bool quoted = (peek(in, 0) == '"' || peek(in, 0) == '<') && end < in->size &&
                  in->text[end] == close && end - in->at - 1 < NAME_SIZE;
    if (!quoted || end == in->at + 1) {
        FAIL(r, in, name_at, "expected \"file\" after #include");
        return;
    }
    char name[NAME_SIZE];
    memcpy(name, in->text + in->at + 1, end - in->at - 1);
    name[end - in->at - 1] = 0;
    in->at = end + 1;
    if (r->include_depth > MAX_INCLUDE_DEPTH) {
        FAIL(r, in, name_at, "files are included more than %d deep here", MAX_INCLUDE_DEPTH);
        return;
    }
    if (!r->def->loader) {
        FAIL(r, in, name_at, "#include cannot be used here: the caller gave no way to read files");
        return;
    }
    int32_t file = TD_NONE;
    td_status status =
        tdi_source_load(r->source, r->def, name, r->source->files[in->file].name, &file);
    if (status == TD_ERR_MEMORY) {
        out_of_memory(r);
        return;
    }
    if (status != TD_OK) {
        FAIL(r, in, name_at, "%s \"%s\"",
             status == TD_ERR_LIMIT ? "the text is too large with the file"
                                    : "cannot read the file",
             name);
        return;
    }
    if (!include_is_open(r, in, name_at, r->source->files[file].name)) {
        read_file(r, file);
    }
}

typedef enum directive_kind {
    D_NONE,
    D_DEFINE,
    D_UNDEF,
    D_INCLUDE,
    D_IFDEF,
    D_IFNDEF,
    D_ELSE,
    D_ENDIF,
    D_ABOP, // #ignore: and #consider:, ABOP's spelling of header items
} directive_kind;

// `#` starts a directive only before one of these words; elsewhere it is a turtle's sign.
static directive_kind read_directive(input *in) {
    static const struct {
        const char *word;
        directive_kind kind;
    } words[] = {{"define", D_DEFINE}, {"undef", D_UNDEF},   {"include", D_INCLUDE},
                 {"ifdef", D_IFDEF},   {"ifndef", D_IFNDEF}, {"else", D_ELSE},
                 {"endif", D_ENDIF},   {"ignore", D_ABOP},   {"consider", D_ABOP}};
    size_t at = in->at;
    while (at < in->size && is_blank(in->text[at])) {
        at++;
    }
    if (at == in->size || in->text[at] != '#') {
        return D_NONE;
    }
    for (at++; at < in->size && is_blank(in->text[at]); at++) {}
    size_t length = name_length(in->text + at, in->size - at);
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        if (strlen(words[i].word) == length && memcmp(words[i].word, in->text + at, length) == 0) {
            in->at = words[i].kind == D_ABOP ? at : at + length;
            return words[i].kind;
        }
    }
    return D_NONE;
}

// ---- files ----------------------------------------------------------------------------------

// #ifdef and its kin: whether the lines of each open condition count
typedef struct conditions {
    bool taken[MAX_CONDITIONS];
    bool had_else[MAX_CONDITIONS];
    size_t at[MAX_CONDITIONS];
    int32_t depth;
} conditions;

static bool all_taken(const conditions *c) {
    for (int32_t i = 0; i < c->depth; i++) {
        if (!c->taken[i]) {
            return false;
        }
    }
    return true;
}

static void open_condition(reader *r, input *in, conditions *c, bool wanted) {
    size_t start = in->at;
    skip_blanks(in);
    size_t length = name_length(in->text + in->at, in->size - in->at);
    if (length == 0 || c->depth == MAX_CONDITIONS) {
        FAIL(r, in, start, length == 0 ? "expected a name" : "too many nested conditions");
        return;
    }
    c->taken[c->depth] = (find_macro(r, in->text + in->at, length) != NULL) == wanted;
    c->had_else[c->depth] = false;
    c->at[c->depth++] = start;
}

static void change_condition(reader *r, input *in, conditions *c, bool is_else) {
    if (c->depth == 0 || (is_else && c->had_else[c->depth - 1])) {
        FAIL(r, in, in->at, "there is no open #ifdef or #ifndef for this line");
    } else if (is_else) {
        c->taken[c->depth - 1] = !c->taken[c->depth - 1];
        c->had_else[c->depth - 1] = true;
    } else {
        c->depth--;
    }
}

static void obey(reader *r, input *in, directive_kind kind, conditions *c) {
    bool live = all_taken(c);
    if (kind == D_IFDEF || kind == D_IFNDEF) {
        open_condition(r, in, c, kind == D_IFDEF);
    } else if (kind == D_ELSE || kind == D_ENDIF) {
        change_condition(r, in, c, kind == D_ELSE);
    } else if (live && kind == D_DEFINE) {
        define(r, in);
    } else if (live && kind == D_INCLUDE) {
        include(r, in);
    } else if (live && kind == D_UNDEF) {
        skip_blanks(in);
        size_t length = name_length(in->text + in->at, in->size - in->at);
        macro *m = find_macro(r, in->text + in->at, length);
        if (m && !m->external) {
            m->gone = true;
        }
    }
    skip_line(in);
}

static void read_file(reader *r, int32_t file) {
    const tdi_source_file *f = &r->source->files[file];
    input in = {file, f->text, f->size, 0, false, 0};
    conditions c = {.depth = 0};
    r->include_stack[r->include_depth++] = file;
    while (in.at < in.size && !r->stop) {
        directive_kind kind = read_directive(&in);
        bool plain = kind == D_NONE || kind == D_ABOP, live = plain && all_taken(&c);
        if (live) {
            scan(r, &in, 0);
        } else if (plain) {
            skip_line(&in);
        } else {
            obey(r, &in, kind, &c);
        }
        // other lines leave no empty line behind, so that a production goes on across them
        if (in.at < in.size && in.text[in.at] == '\n') {
            if (live) {
                put(r, &in, in.at, '\n');
            }
            in.at++;
        }
    }
    if (c.depth > 0 && !r->stop) {
        FAIL(r, &in, c.at[c.depth - 1], "this condition is never closed; expected #endif");
    }
    if (r->source->size == 0 || r->source->text[r->source->size - 1] != '\n') {
        put(r, &in, in.at, '\n');
    }
    r->include_depth--;
}

// ---- entry ----------------------------------------------------------------------------------

static void add_external(reader *r) {
    for (int32_t i = 0; i < r->def->define_count && !r->stop; i++) {
        const td_define *d = &r->def->defines[i];
        macro *m = add_macro(r, d->name, strlen(d->name));
        char *body = tdi_arena_text(r->source->arena, d->value, strlen(d->value));
        if (!m || !body) {
            out_of_memory(r);
            return;
        }
        m->body = body;
        m->body_size = strlen(body);
        m->external = true;
    }
}

td_status tdi_source_process(tdi_source *source, int32_t file, const td_grammar_def *def,
                             td_diag_list *diags) {
    reader r = {.source = source, .def = def, .diags = diags, .status = TD_OK};
    add_external(&r);
    read_file(&r, file);
    if (!source->text && r.status == TD_OK) {
        return TD_ERR_MEMORY;
    }
    return r.status;
}

// the span that holds a byte of the processed text; NULL when there is no text
static const tdi_source_span *span_at(const tdi_source *source, size_t offset) {
    int64_t low = 0, high = source->span_count;
    while (high - low > 1) {
        int64_t middle = (low + high) / 2;
        if (source->spans[middle].offset <= offset) {
            low = middle;
        } else {
            high = middle;
        }
    }
    return source->span_count > 0 ? &source->spans[low] : NULL;
}

int32_t tdi_source_file_at(const tdi_source *source, size_t offset) {
    const tdi_source_span *span = span_at(source, offset);
    return span ? span->file : 0;
}

static void fill(td_diag *diag, td_status status, const char *format, va_list args) {
    memset(diag, 0, sizeof *diag);
    diag->status = status;
    diag->index = TD_NONE;
    vsnprintf(diag->message, sizeof diag->message, format, args);
}

td_status tdi_source_fail_in(const tdi_source *source, int32_t file, size_t offset, td_diag *diag,
                             td_status status, const char *format, ...) {
    va_list args;
    va_start(args, format);
    fill(diag, status, format, args);
    va_end(args);
    place_in_file(&source->files[file], offset, diag);
    return status;
}

td_status tdi_source_fail(const tdi_source *source, size_t offset, td_diag *diag, td_status status,
                          const char *format, ...) {
    if (!diag) {
        return status;
    }
    va_list args;
    va_start(args, format);
    fill(diag, status, format, args);
    va_end(args);
    const tdi_source_span *span = span_at(source, offset);
    if (span) {
        size_t origin = span->origin + (span->macro ? 0 : offset - span->offset);
        place_in_file(&source->files[span->file], origin, diag);
    }
    return status;
}
