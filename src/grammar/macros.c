// SPDX-License-Identifier: MIT
// Lines of a model's text: comments become a space, macros are replaced.
//
// Method   As the C preprocessor does it: arguments first, then the replacement is scanned again,
//          without the macro it came from; a name at its end takes its arguments from what follows.
//          Strings in double quotes are left alone.
// Limits   depth of macros, uses of macros and the bytes they copy: a macro can take long and leave
//          nothing behind.

#include "grammar/glyphs.h"
#include "grammar/reader.h"

#include <string.h>

#define MAX_MACRO_DEPTH 64
#define MAX_MACRO_USES  1000000

// ---- characters -----------------------------------------------------------------------------

static bool is_digit(char c) {
    return c >= '0' && c <= '9';
}
bool tdi_read_is_blank(char c) {
    return c == ' ' || c == '\t' || c == '\f' || c == '\v';
}
char tdi_read_peek(const tdi_input *in, size_t ahead) {
    return in->at + ahead < in->size ? in->text[in->at + ahead] : 0;
}

// The length of a '\' and the line feed after it, which join two lines; 0: none.
static size_t joint_length(const tdi_input *in) {
    if (tdi_read_peek(in, 0) != '\\' || in->macro) {
        return 0;
    }
    size_t n = tdi_read_peek(in, 1) == '\r' ? 2 : 1;
    return tdi_read_peek(in, n) == '\n' ? n + 1 : 0;
}

void tdi_read_skip_blanks(tdi_input *in) {
    for (;;) {
        char c = tdi_read_peek(in, 0);
        size_t step = tdi_read_is_blank(c) || c == '\r' ? 1 : joint_length(in);
        if (step == 0) {
            return;
        }
        in->at += step;
    }
}

void tdi_read_skip_line(tdi_input *in) {
    while (in->at < in->size && in->text[in->at] != '\n') {
        size_t joint = joint_length(in);
        in->at += joint > 0 ? joint : 1;
    }
}

// letters and _, and Greek letters, which are as long as they are written
static size_t letter_length(const char *text, size_t size) {
    char c = size > 0 ? text[0] : 0;
    bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
    return plain ? 1 : tdi_glyph_letter(text, size);
}

size_t tdi_read_name_length(const char *text, size_t size) {
    size_t n = letter_length(text, size);
    while (n > 0 && n < size) {
        size_t step = is_digit(text[n]) ? 1 : letter_length(text + n, size - n);
        step = step > 0 ? step : tdi_glyph_digit(text + n, size - n);
        if (step == 0) {
            break;
        }
        n += step;
    }
    return n;
}

size_t tdi_read_number_length(const char *text, size_t size) {
    size_t n = 0;
    while (n < size) {
        char c = text[n];
        bool sign = (c == '+' || c == '-') && n > 0 && (text[n - 1] == 'e' || text[n - 1] == 'E') &&
                    n >= 2 && is_digit(text[n - 2]) && n + 1 < size && is_digit(text[n + 1]);
        bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
        if (!is_digit(c) && !letter && c != '.' && !sign) {
            break;
        }
        n++;
    }
    return n;
}

// The length of a string in double quotes that ends on its line; 0: none.
static size_t string_length(const char *text, size_t size) {
    if (size == 0 || text[0] != '"') {
        return 0;
    }
    for (size_t n = 1; n < size && text[n] != '\n'; n++) {
        if (text[n] == '"') {
            return n + 1;
        }
        n += text[n] == '\\' && n + 1 < size && text[n + 1] != '\n';
    }
    return 0;
}

// The length of a block comment, to the end of the text when it is not closed; 0: none.
static size_t comment_length(const char *text, size_t size, bool *closed) {
    *closed = true;
    if (size < 2 || text[0] != '/' || text[1] != '*') {
        return 0;
    }
    for (size_t n = 2; n + 1 < size; n++) {
        if (text[n] == '*' && text[n + 1] == '/') {
            return n + 2;
        }
    }
    *closed = false;
    return size;
}

static bool pass_comment(tdi_reader *r, tdi_input *in) {
    bool closed;
    size_t start = in->at;
    in->at += comment_length(in->text + in->at, in->size - in->at, &closed);
    if (!closed) {
        TDI_READ_FAIL(r, in, start, "this comment is never closed; expected */");
    }
    return closed;
}

// `//` is a comment after white space only: F//F rolls twice
static bool at_line_comment(const tdi_input *in) {
    if (tdi_read_peek(in, 0) != '/' || tdi_read_peek(in, 1) != '/' || in->macro) {
        return false;
    }
    char before = in->at > 0 ? in->text[in->at - 1] : '\n';
    return tdi_read_is_blank(before) || before == '\n' || before == '\r';
}

static bool at_bad_byte(const tdi_input *in) {
    unsigned char c = (unsigned char)tdi_read_peek(in, 0);
    return (c < 32 && c != '\n' && c != '\r' && !tdi_read_is_blank((char)c)) || c == 127;
}

// ---- macros ---------------------------------------------------------------------------------

tdi_macro *tdi_macro_find(const tdi_reader *r, const char *name, size_t length) {
    for (tdi_macro *m = r->macros; m; m = m->next) {
        if (!m->gone && m->name_size == length && memcmp(m->name, name, length) == 0) {
            m->met = true;
            return m;
        }
    }
    return NULL;
}

tdi_macro *tdi_macro_add(tdi_reader *r, const char *name, size_t length) {
    tdi_macro *m = tdi_arena_zeroed(r->source->arena, 1, sizeof *m);
    char *copy = tdi_arena_text(r->source->arena, name, length);
    if (!m || !copy) {
        tdi_read_memory(r);
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

static void replace_text(tdi_reader *r, const tdi_input *use, const char *text, size_t size,
                         int32_t depth) {
    uint32_t origin = use->macro ? use->origin : (uint32_t)use->at;
    tdi_input in = {use->file, text, size, 0, true, origin};
    tdi_read_line(r, &in, depth + 1);
}

static void put_name(tdi_reader *r, const tdi_input *in, const tdi_macro *m) {
    for (size_t i = 0; i < m->name_size; i++) {
        tdi_read_put(r, in, in->at, m->name[i]);
    }
}

bool tdi_macro_expand(tdi_reader *r, const tdi_input *use, const char **text, size_t *size,
                      int32_t depth) {
    // what is being read ends up at the end of the processed text, from where it is taken back
    tdi_source *s = r->source;
    size_t start = s->size;
    int64_t span_count = s->span_count;
    replace_text(r, use, *text, *size, depth);
    if (r->pending) {
        put_name(r, use, r->pending);
        r->pending = NULL;
    }
    *size = s->size - start;
    *text = *size > 0 ? tdi_arena_text(s->arena, s->text + start, *size) : "";
    s->size = start;
    s->span_count = span_count;
    r->bytes_copied += *size;
    if (!*text) {
        tdi_read_memory(r);
    }
    return !r->stop;
}

// ---- arguments ------------------------------------------------------------------------------

static bool is_blank_text(const char *text, size_t size) {
    size_t n = 0;
    while (n < size && tdi_read_is_blank(text[n])) {
        n++;
    }
    return n == size;
}

// What is passed over whole between the parentheses: a string, a comment or one character.
static size_t piece_length(const tdi_input *in) {
    bool closed;
    size_t left = in->size - in->at;
    size_t length = string_length(in->text + in->at, left);
    length = length > 0 ? length : comment_length(in->text + in->at, left, &closed);
    return length > 0 ? length : 1;
}

// The arguments of a use `NAME(a, b)`, in the input from `(` on. False after a fault.
static bool read_arguments(tdi_reader *r, const tdi_macro *m, tdi_input *in, size_t name_at,
                           const char **args, size_t *sizes) {
    int32_t count = 0, nesting = 0;
    size_t start = ++in->at;
    while (in->at < in->size) {
        char c = in->text[in->at];
        nesting += (c == '(') - (c == ')');
        if (nesting < 0 || (c == ',' && nesting == 0)) {
            if (count < TDI_MAX_MACRO_PARAMS) {
                args[count] = in->text + start;
                sizes[count] = in->at - start;
            }
            count++;
            start = in->at + 1;
        }
        in->at += piece_length(in);
        if (nesting < 0) {
            bool none = m->param_count == 0 && count == 1 && is_blank_text(args[0], sizes[0]);
            if (count != m->param_count && !none) {
                TDI_READ_FAIL(r, in, name_at, "macro %s takes %d arguments; %d are given", m->name,
                              m->param_count, count);
                return false;
            }
            return true;
        }
    }
    TDI_READ_FAIL(r, in, name_at, "the arguments of macro %s lack a closing )", m->name);
    return false;
}

// Adds a part to the text of a macro; `in` and `at` say whose.
static bool append(tdi_reader *r, const tdi_input *in, size_t at, char **text, int64_t *size,
                   int64_t *capacity, const char *part, size_t part_size) {
    r->bytes_copied += part_size;
    if (r->bytes_copied > (uint64_t)r->def->max_text * 4) {
        tdi_read_fail(r, in, at, TD_ERR_LIMIT, "the macros expand to more than %zu bytes here",
                      r->def->max_text);
        return false;
    }
    while (*size + (int64_t)part_size > *capacity) {
        char *grown = tdi_arena_grow(r->source->arena, *text, *size, capacity, 1);
        if (!grown) {
            tdi_read_memory(r);
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

// the body with the parameters' names replaced by the arguments
static bool substitute(tdi_reader *r, const tdi_input *use, const tdi_macro *m, const char **args,
                       const size_t *sizes, char **text, size_t *text_size) {
    int64_t size = 0, capacity = 0;
    *text = NULL;
    for (size_t at = 0; at < m->body_size;) {
        size_t length = tdi_read_name_length(m->body + at, m->body_size - at);
        size_t step = length;
        step = step > 0 ? step : tdi_read_number_length(m->body + at, m->body_size - at);
        step = step > 0 ? step : string_length(m->body + at, m->body_size - at);
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

// In a directive two backslashes join lines as well: models of cpfg have them, and there the one
// that C would leave behind is passed over.
static size_t rest_joint(const tdi_input *in) {
    tdi_input look = *in;
    size_t first = tdi_read_peek(in, 0) == '\\' && tdi_read_peek(in, 1) == '\\';
    look.at += first;
    size_t length = joint_length(&look);
    return length > 0 ? length + first : 0;
}

bool tdi_read_rest(tdi_reader *r, tdi_input *in, const char **text, size_t *text_size) {
    char *rest = NULL;
    int64_t size = 0, capacity = 0;
    tdi_read_skip_blanks(in);
    while (in->at < in->size && tdi_read_peek(in, 0) != '\n' && !at_line_comment(in)) {
        const char *part = in->text + in->at;
        bool comment = part[0] == '/' && tdi_read_peek(in, 1) == '*';
        size_t joint = rest_joint(in), step = string_length(part, in->size - in->at);
        step = step > 0 ? step : 1;
        bool blank = comment || joint > 0;
        if (part[0] != '\r' &&
            !append(r, in, in->at, &rest, &size, &capacity, blank ? " " : part, blank ? 1 : step)) {
            return false;
        }
        if (comment && !pass_comment(r, in)) {
            return false;
        }
        in->at += comment ? 0 : joint > 0 ? joint : step;
    }
    while (size > 0 && tdi_read_is_blank(rest[size - 1])) {
        size--;
    }
    *text = rest ? rest : "";
    *text_size = (size_t)size;
    return true;
}

// ---- uses -----------------------------------------------------------------------------------

static void use_function(tdi_reader *r, tdi_input *in, tdi_macro *m, size_t name_at,
                         int32_t depth) {
    const char *args[TDI_MAX_MACRO_PARAMS];
    size_t sizes[TDI_MAX_MACRO_PARAMS] = {0};
    char *text;
    size_t text_size;
    tdi_read_skip_blanks(in);
    if (!read_arguments(r, m, in, name_at, args, sizes)) {
        return;
    }
    tdi_input use = *in;
    use.at = name_at;
    for (int32_t i = 0; i < m->param_count; i++) {
        if (!tdi_macro_expand(r, &use, &args[i], &sizes[i], depth)) {
            return;
        }
    }
    if (substitute(r, &use, m, args, sizes, &text, &text_size)) {
        m->active = true;
        replace_text(r, &use, text, text_size, depth);
        m->active = false;
    }
}

// Whether a parenthesis follows the cursor. `ends`: nothing follows, in the text of a macro.
static bool opens(const tdi_input *in, size_t ahead, bool *ends) {
    tdi_input look = *in;
    look.at += ahead;
    tdi_read_skip_blanks(&look);
    *ends = in->macro && look.at >= look.size;
    return tdi_read_peek(&look, 0) == '(';
}

// The macro `m` at the cursor, whose name takes `length` bytes.
static void use_macro(tdi_reader *r, tdi_input *in, tdi_macro *m, size_t length, int32_t depth) {
    size_t name_at = in->at;
    bool ends;
    if (depth >= MAX_MACRO_DEPTH) {
        TDI_READ_FAIL(r, in, name_at, "macros are nested more than %d deep here", MAX_MACRO_DEPTH);
        r->stop = true;
        return;
    }
    if (++r->use_count > MAX_MACRO_USES) {
        tdi_read_fail(r, in, name_at, TD_ERR_LIMIT,
                      "macros are used more than %d times in this text", MAX_MACRO_USES);
        return;
    }
    if (m->param_count < 0) {
        m->active = true;
        replace_text(r, in, m->body, m->body_size, depth);
        m->active = false;
        in->at += length;
    } else {
        in->at += length;
        use_function(r, in, m, name_at, depth);
    }
    while (r->pending && !r->stop) {
        tdi_macro *p = r->pending;
        if (opens(in, 0, &ends)) {
            r->pending = NULL;
            use_function(r, in, p, in->at, depth);
        } else if (ends) {
            return; // the text around this one may open it
        } else {
            r->pending = NULL;
            put_name(r, in, p);
        }
    }
}

// The macro that the name at the cursor stands for, or NULL.
static tdi_macro *macro_here(tdi_reader *r, tdi_input *in, size_t length) {
    tdi_macro *m = length > 0 ? tdi_macro_find(r, in->text + in->at, length) : NULL;
    bool ends = false;
    if (!m || m->active || (m->param_count >= 0 && !opens(in, length, &ends) && !ends)) {
        return NULL;
    }
    return m;
}

// A character that is no macro: a name, a number, a string, or one byte.
static void put_plain(tdi_reader *r, tdi_input *in, size_t name_length) {
    size_t left = in->size - in->at, step = name_length > 0 ? name_length : 1;
    if (is_digit(tdi_read_peek(in, 0))) {
        step = tdi_read_number_length(in->text + in->at, left);
    } else if (tdi_read_peek(in, 0) == '"') {
        size_t string = string_length(in->text + in->at, left);
        step = string > 0 ? string : 1;
        for (; step > 0; step--, in->at++) { // glyphs in strings stay
            tdi_read_put(r, in, in->at, in->text[in->at]);
        }
        return;
    }
    for (size_t end = in->at + step; in->at < end;) {
        const char *plain;
        size_t glyph = tdi_glyph_plain(in->text + in->at, in->size - in->at, &plain);
        for (; glyph > 0 && *plain; plain++) {
            tdi_read_put(r, in, in->at, *plain);
        }
        if (glyph == 0) {
            char c = in->text[in->at];
            tdi_read_put(r, in, in->at, c == '\n' ? ' ' : c); // in an argument that spans lines
        }
        in->at += glyph > 0 ? glyph : 1;
    }
}

void tdi_read_line(tdi_reader *r, tdi_input *in, int32_t depth) {
    while (in->at < in->size && !r->stop) {
        char c = tdi_read_peek(in, 0);
        size_t length = tdi_read_name_length(in->text + in->at, in->size - in->at);
        tdi_macro *m = macro_here(r, in, length);
        bool ends = false;
        if (c == '\n' && !in->macro) {
            return;
        }
        if (at_bad_byte(in)) {
            TDI_READ_FAIL(r, in, in->at, "byte 0x%02x is not text", (unsigned char)c);
            r->stop = true;
        } else if (c == '/' && tdi_read_peek(in, 1) == '*') {
            tdi_read_put(r, in, in->at, ' ');
            pass_comment(r, in);
        } else if (at_line_comment(in)) {
            tdi_read_skip_line(in);
        } else if (joint_length(in) > 0) {
            in->at += joint_length(in);
        } else if (c == '\r' && tdi_read_peek(in, 1) == '\n') {
            in->at++;
        } else if (m && m->param_count >= 0 && !opens(in, length, &ends)) {
            r->pending = m;
            in->at = in->size;
        } else if (m) {
            use_macro(r, in, m, length, depth);
        } else {
            put_plain(r, in, length);
        }
    }
}
