// SPDX-License-Identifier: MIT
#pragma once

// What the files of the text's reader share. source.c reads files and writes the processed text,
// macros.c replaces macros in their lines, directives.c obeys the lines that start with '#',
// condition.c finds the value of an #if.

#include "grammar/source.h"

#define TDI_MAX_INCLUDE_DEPTH 16
#define TDI_MAX_MACRO_PARAMS  16
#define TDI_NAME_SIZE         160 // as td_loader's `resolved`

typedef struct tdi_macro {
    struct tdi_macro *next;
    const char *name;
    size_t name_size;
    const char *body;
    size_t body_size;
    int32_t param_count; // -1: not like a function
    const char *params[TDI_MAX_MACRO_PARAMS];
    bool external; // from outside, wins over the text
    bool met;      // the text names it
    bool gone;     // #undef
    bool active;   // being replaced
} tdi_macro;

typedef struct tdi_reader {
    tdi_source *source;
    const td_grammar_def *def;
    td_diag_list *diags;
    tdi_macro *macros;
    int32_t macro_count;
    int32_t use_count;     // of macros
    uint64_t bytes_copied; // for bodies and arguments of macros
    tdi_macro *pending;    // a name at the end of a replacement, whose '(' may follow it
    int32_t include_stack[TDI_MAX_INCLUDE_DEPTH + 1]; // the text itself, then what it includes
    int32_t include_depth;
    int32_t fault_count;
    td_status status; // first fault; the reader goes on where it can
    bool stop;        // a fault after which nothing makes sense
} tdi_reader;

// What is being read: a file, or the text of a macro that stands at `origin` of that file.
typedef struct tdi_input {
    int32_t file;
    const char *text;
    size_t size;
    size_t at;
    bool macro;
    uint32_t origin;
} tdi_input;

// ---- source.c -------------------------------------------------------------------------------

// Records a fault at byte `at` of the input.
void tdi_read_fail(tdi_reader *r, const tdi_input *in, size_t at, td_status status,
                   const char *format, ...) TDI_PRINTF(5, 6);
void tdi_read_memory(tdi_reader *r); // out of memory: ends the reading

#define TDI_READ_FAIL(r, in, at, ...) tdi_read_fail(r, in, at, TD_ERR_SYNTAX, __VA_ARGS__)

// Adds a byte to the processed text that comes from byte `at` of the input.
void tdi_read_put(tdi_reader *r, const tdi_input *in, size_t at, char c);
// Obeys `#include`, from after the word on.
void tdi_read_include(tdi_reader *r, tdi_input *in);

// ---- characters, in macros.c ----------------------------------------------------------------

bool tdi_read_is_blank(char c);
char tdi_read_peek(const tdi_input *in, size_t ahead);
void tdi_read_skip_blanks(tdi_input *in);
void tdi_read_skip_line(tdi_input *in); // up to its line feed; a '\' before it joins the next line
size_t tdi_read_name_length(const char *text, size_t size); // 0: no name
// A number as the C preprocessor sees it: 1e-5, 0.5, and 1F2 whole, so that no macro hides in it.
size_t tdi_read_number_length(const char *text, size_t size);

// ---- macros.c -------------------------------------------------------------------------------

tdi_macro *tdi_macro_find(const tdi_reader *r, const char *name, size_t length);
tdi_macro *tdi_macro_add(tdi_reader *r, const char *name, size_t length);
// Replaces the macros in a text that stands at the cursor of `use`; the result is the arena's.
bool tdi_macro_expand(tdi_reader *r, const tdi_input *use, const char **text, size_t *size,
                      int32_t depth);
// The rest of a directive's line, without comments, lines joined where one ends in a '\'.
bool tdi_read_rest(tdi_reader *r, tdi_input *in, const char **text, size_t *size);
// Copies text up to the end of the line (of a file) or of the input (of a macro).
void tdi_read_line(tdi_reader *r, tdi_input *in, int32_t depth);

// ---- directives.c ---------------------------------------------------------------------------

// Reads a whole input, directives obeyed.
void tdi_read_lines(tdi_reader *r, tdi_input *in);

// ---- condition.c ----------------------------------------------------------------------------

// The value of an #if, macros replaced. False with the reason in *fault when it has none.
bool tdi_condition_value(const char *text, size_t size, int64_t *value, const char **fault);
