// SPDX-License-Identifier: MIT
// From the files of a model to one text: files, faults, and the way back to the place in a file.
//
// Method   Lines are read in order. Directive lines are obeyed; in the others comments become a
//          space and identifiers that name a macro are replaced.
// Limits   Bytes of all texts together and of the result, and the depth of includes.

#include "grammar/reader.h"

#include "base/value.h"
#include "base/words.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define MAX_FAULTS 100 // after so many the reader gives up

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

static uint32_t origin_of(const tdi_input *in, size_t at) {
    return in->macro ? in->origin : (uint32_t)at;
}

void tdi_read_fail(tdi_reader *r, const tdi_input *in, size_t at, td_status status,
                   const char *format, ...) {
    td_diag diag = {.status = status, .index = TD_NONE};
    va_list args;
    va_start(args, format);
    tdi_text_format(diag.message, sizeof diag.message, format, args);
    va_end(args);
    place_in_file(&r->source->files[in->file], origin_of(in, at), &diag);
    tdi_diag_add(r->diags, &diag);
    r->status = r->status == TD_OK ? status : r->status;
    r->stop = r->stop || status != TD_ERR_SYNTAX || ++r->fault_count == MAX_FAULTS;
}

void tdi_read_memory(tdi_reader *r) {
    r->status = r->status == TD_OK ? TD_ERR_MEMORY : r->status;
    r->stop = true;
}

// ---- output ---------------------------------------------------------------------------------

static void put_span(tdi_reader *r, const tdi_input *in, size_t at) {
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
            tdi_read_memory(r);
            return;
        }
        s->spans = grown;
    }
    s->spans[s->span_count++] = span;
}

void tdi_read_put(tdi_reader *r, const tdi_input *in, size_t at, char c) {
    tdi_source *s = r->source;
    // every text gets a line feed at its end, beyond the limit
    if (s->size >= r->def->max_text + (size_t)s->file_count) {
        if (!r->stop) {
            tdi_read_fail(r, in, at, TD_ERR_LIMIT, "the text expands to more than %zu bytes here",
                          r->def->max_text);
        }
        return;
    }
    put_span(r, in, at);
    if ((int64_t)s->size + 1 >= s->text_capacity) {
        char *grown = tdi_arena_grow(s->arena, s->text, (int64_t)s->size, &s->text_capacity, 1);
        if (!grown) {
            tdi_read_memory(r);
            return;
        }
        s->text = grown;
    }
    s->text[s->size++] = c;
}

// ---- files ----------------------------------------------------------------------------------

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
    source->bytes_read += size;
    // a byte order mark is not part of the text
    if (size >= 3 && memcmp(text_copy, "\xef\xbb\xbf", 3) == 0) {
        text_copy += 3;
        size -= 3;
    }
    source->files[source->file_count] = (tdi_source_file){name_copy, text_copy, size};
    return source->file_count++;
}

td_status tdi_source_load(tdi_source *source, const td_grammar_def *def, const char *name,
                          const char *from, int32_t *file) {
    const td_loader *loader = def->loader;
    const td_alloc *alloc = source->arena->alloc;
    char *text = NULL, resolved[TDI_NAME_SIZE] = "";
    size_t size = 0, room = def->max_text - source->bytes_read;
    *file = TD_NONE;
    td_status status =
        loader->read(loader->context, name, from, room, alloc, &text, &size, resolved);
    if (status != TD_OK) {
        return status;
    }
    if (size <= room) {
        *file = tdi_source_add(source, resolved, text, size);
        status = *file == TD_NONE ? TD_ERR_MEMORY : TD_OK;
    } else {
        status = TD_ERR_LIMIT;
    }
    tdi_alloc_free(alloc, text, size);
    return status;
}

static void read_file(tdi_reader *r, int32_t file) {
    const tdi_source_file *f = &r->source->files[file];
    tdi_input in = {file, f->text, f->size, 0, false, 0};
    r->include_stack[r->include_depth++] = file;
    tdi_read_lines(r, &in);
    if (r->source->size == 0 || r->source->text[r->source->size - 1] != '\n') {
        tdi_read_put(r, &in, in.at, '\n');
    }
    r->include_depth--;
}

static bool include_is_open(tdi_reader *r, const tdi_input *in, size_t at, const char *resolved) {
    for (int32_t i = 0; i < r->include_depth; i++) {
        if (strcmp(r->source->files[r->include_stack[i]].name, resolved) == 0) {
            TDI_READ_FAIL(r, in, at, "\"%s\" includes itself, through a chain of %d file%s",
                          resolved, r->include_depth - i, r->include_depth - i == 1 ? "" : "s");
            return true;
        }
    }
    return false;
}

void tdi_read_include(tdi_reader *r, tdi_input *in) {
    tdi_read_skip_blanks(in);
    size_t name_at = in->at;
    char close = tdi_read_peek(in, 0) == '<' ? '>' : '"';
    size_t end = in->at + 1;
    while (end < in->size && in->text[end] != close && in->text[end] != '\n') {
        end++;
    }
    bool quoted = (tdi_read_peek(in, 0) == '"' || tdi_read_peek(in, 0) == '<') && end < in->size &&
                  in->text[end] == close && end - in->at - 1 < TDI_NAME_SIZE;
    if (!quoted || end == in->at + 1) {
        TDI_READ_FAIL(r, in, name_at, "expected \"file\" after #include");
        return;
    }
    char name[TDI_NAME_SIZE];
    memcpy(name, in->text + in->at + 1, end - in->at - 1);
    name[end - in->at - 1] = 0;
    in->at = end + 1;
    if (r->include_depth > TDI_MAX_INCLUDE_DEPTH) {
        TDI_READ_FAIL(r, in, name_at, "files are included more than %d deep here",
                      TDI_MAX_INCLUDE_DEPTH);
        return;
    }
    if (!r->def->loader) {
        TDI_READ_FAIL(r, in, name_at,
                      "#include cannot be used here: the caller gave no way to read files");
        return;
    }
    int32_t file;
    td_status status =
        tdi_source_load(r->source, r->def, name, r->source->files[in->file].name, &file);
    if (status == TD_ERR_MEMORY) {
        tdi_read_memory(r);
        return;
    }
    if (status != TD_OK) {
        TDI_READ_FAIL(r, in, name_at, "%s \"%s\"",
                      status == TD_ERR_LIMIT ? "the text is too large with the file"
                                             : "cannot read the file",
                      name);
        return;
    }
    if (!include_is_open(r, in, name_at, r->source->files[file].name)) {
        read_file(r, file);
    }
}

// ---- entry ----------------------------------------------------------------------------------

static void add_external(tdi_reader *r) {
    for (int32_t i = 0; i < r->def->define_count && !r->stop; i++) {
        const td_define *d = &r->def->defines[i];
        tdi_macro *m = tdi_macro_add(r, d->name, strlen(d->name));
        char *body = tdi_arena_text(r->source->arena, d->value, strlen(d->value));
        if (!m || !body) {
            tdi_read_memory(r);
            return;
        }
        m->body = body;
        m->body_size = strlen(body);
        m->external = true;
    }
}

td_status tdi_source_process(tdi_source *source, int32_t file, const td_grammar_def *def,
                             td_diag_list *diags) {
    tdi_reader r = {.source = source, .def = def, .diags = diags, .status = TD_OK};
    add_external(&r);
    read_file(&r, file);
    if (source->processed < 2) { // a view, and the model
        source->macros[source->processed++] = r.macros;
    }
    source->cut = source->cut || r.stop;
    if (!source->text && r.status == TD_OK) {
        return TD_ERR_MEMORY;
    }
    return r.status;
}

static bool is_met(const tdi_source *source, const char *name) {
    for (int32_t i = 0; i < source->processed; i++) {
        for (const tdi_macro *m = source->macros[i]; m; m = m->next) {
            if (m->external && m->met && strcmp(m->name, name) == 0) {
                return true;
            }
        }
    }
    return false;
}

td_status tdi_source_check_defines(const tdi_source *source, const td_grammar_def *def,
                                   td_diag_list *diags) {
    td_status status = TD_OK;
    for (int32_t k = 0; k < def->define_count && !source->cut; k++) {
        tdi_near_word near = {.word = def->defines[k].name};
        if (is_met(source, near.word)) {
            continue;
        }
        for (int32_t i = 0; i < source->processed; i++) {
            for (const tdi_macro *m = source->macros[i]; m; m = m->next) {
                if (!m->external) {
                    tdi_word_consider(&near, m->name);
                }
            }
        }
        char shown[TDI_SHOWN_TEXT], shown_near[TDI_SHOWN_TEXT], hint[80] = "";
        if (near.best) {
            snprintf(hint, sizeof hint, "; did you mean '%s'?",
                     tdi_shown_text(near.best, shown_near));
        }
        td_diag diag;
        status =
            tdi_fail_at(&diag, TD_ERR_SYNTAX, k, "the model has no '%s' that could be defined%s",
                        tdi_shown_text(near.word, shown), hint);
        tdi_text_copy(diag.file, sizeof diag.file, source->files[0].name);
        tdi_diag_add(diags, &diag);
    }
    return status;
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
    tdi_text_format(diag->message, sizeof diag->message, format, args);
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
