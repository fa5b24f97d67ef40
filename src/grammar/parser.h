// SPDX-License-Identifier: MIT
#pragma once

// What the files of the parser share: the cursor, the names in sight, and the growing grammar.
// lexer.c reads words and numbers, code.c compiles expressions, statements.c statements, print.c
// what prints, items.c finds where items end, modules.c reads strings of modules, header.c and
// header_body.c the header items, productions.c productions, parser.c the whole.

#include "grammar/machine.h"
#include "grammar/model.h"

#define TDI_MAX_NESTING 200                 // of expressions and statements
#define TDI_MAX_NAMES   (TDI_MAX_SLOTS + 2) // with Q and Z
#define TDI_MAX_FAULTS  100                 // after so many the parser gives up

typedef struct tdi_name { // a formal parameter, a local or a global
    char text[32];
    int32_t slot;
    bool global;
    bool hidden; // of another L-system of the file
} tdi_name;

typedef struct tdi_grammar_capacity { // of the grammar's arrays
    int64_t type, op, op_at, array, array_value, format, file, fusion;
} tdi_grammar_capacity;

typedef struct tdi_parser {
    td_grammar *g;
    const td_grammar_def *def;
    td_diag_list *diags;
    int32_t told;     // errors in the list that are not of this text
    const char *text; // the processed source
    size_t at;
    size_t limit; // end of what may be read: of the production, the header item, the block
    size_t size;
    bool failed; // in the item being read; cleared before the next
    int32_t fault_count;
    td_status status;
    tdi_grammar_capacity capacity;
    tdi_name names[TDI_MAX_NAMES];
    int32_t name_count;    // globals first, then those of the production
    int32_t global_count;  // names that are global
    bool names_are_global; // an assignment to a new name makes a global
    bool drawing;          // in a homomorphism
    bool constant;         // in an expression that may not hold names
    int32_t slot_count;    // of the production
    int32_t nesting;
    int32_t stack; // values on the machine's stack at this point of the code
    bool has_view; // a view file was read
    bool has_bare_turn;
    size_t bare_turn_at; // the first turn without parameter
} tdi_parser;

// ---- lexer ----------------------------------------------------------------------------------

// Records a fault at `at`, once an item. Returns false, for `return tdi_parse_fail(...)`.
bool tdi_parse_fail(tdi_parser *p, size_t at, const char *format, ...) TDI_PRINTF(3, 4);
bool tdi_parse_fail_with(tdi_parser *p, const td_diag *diag); // a fault in a data file
// Records a warning at `at`: an item of status TD_OK. The parse goes on.
void tdi_parse_warn(tdi_parser *p, size_t at, const char *format, ...) TDI_PRINTF(3, 4);
bool tdi_parse_memory(tdi_parser *p); // out of memory: ends the parse; returns false

void tdi_skip_space(tdi_parser *p);
char tdi_peek(tdi_parser *p); // next character that is not white space; 0 at the limit
char tdi_peek_raw(const tdi_parser *p, size_t ahead);
bool tdi_at(tdi_parser *p, const char *text);     // whether the text comes next, after white space
bool tdi_accept(tdi_parser *p, const char *text); // the same, and passes it
bool tdi_expect(tdi_parser *p, const char *text); // the same, or a fault
bool tdi_expect_end(tdi_parser *p);               // nothing but white space is left, or a fault
// A name of letters, digits and _. False when none is there, and after a fault when it is longer
// than 31 characters.
bool tdi_read_name(tdi_parser *p, char name[32]);
bool tdi_read_number(tdi_parser *p, double *value);
// What stands at the cursor, for messages: 'x', the end of the line, ...
const char *tdi_here(tdi_parser *p, char buffer[24]);
// The nearest word of a list to `word`, or NULL when none is near.
const char *tdi_nearest(const char *word, const char *(*get)(int32_t index), int32_t count);

// ---- code -----------------------------------------------------------------------------------

// Each returns the first operation, or TD_NONE after a fault.
int32_t tdi_compile_expression(tdi_parser *p);
int32_t tdi_compile_block(tdi_parser *p); // { statements }
bool tdi_compile_arg(tdi_parser *p, tdi_arg *arg);
bool tdi_parse_constant(tdi_parser *p, double *value); // an expression without names
bool tdi_add_name(tdi_parser *p, const char *name, bool global, int32_t *slot);

// What code.c, statements.c and print.c share. False or TD_NONE after a fault.
int32_t tdi_emit(tdi_parser *p, size_t at, tdi_code code, int32_t a, double k);
bool tdi_emit_push(tdi_parser *p, size_t at, tdi_code code, int32_t a, double k);
// A name that another L-system of the file has assigned, made known here. False when there is none.
bool tdi_show_name(tdi_parser *p, const char *name);
const tdi_name *tdi_find_name(const tdi_parser *p, const char *name); // NULL: none
int32_t tdi_find_array(const tdi_parser *p, const char *name);        // TD_NONE: none
bool tdi_compile_value(tdi_parser *p);                                // an expression
bool tdi_compile_indices(tdi_parser *p, int32_t array);               // [i][j]
// "text" with \n, \t, \r, \\ and \"; the result is the arena's. NULL after a fault.
const char *tdi_read_string(tdi_parser *p, const char *what);
bool tdi_is_print(const char *name); // printf, fprintf, fopen, fclose, fflush
bool tdi_compile_print(tdi_parser *p, size_t at, const char *name); // from '(' on

// ---- modules --------------------------------------------------------------------------------

// A symbol at the cursor: its name. False after a fault.
bool tdi_read_symbol(tdi_parser *p, char name[6]);
bool tdi_is_prefix(char c); // ~ or ?
// Whether a surface is declared for a name such as ~L.
bool tdi_has_surface(const td_grammar *g, const char *name);
// Takes symbols apart that productions look into. Call when all productions are read.
bool tdi_split_symbols(tdi_parser *p);
// The type of that name and number of parameters, made when new; TD_NONE after a fault.
int32_t tdi_intern_type(tdi_parser *p, size_t at, const char *name, int32_t param_count);
// Modules with expressions, up to the limit or a ':'.
bool tdi_parse_words(tdi_parser *p, tdi_words *words);

// ---- productions ----------------------------------------------------------------------------

// Reads the production at the cursor, up to the limit.
bool tdi_add_production(tdi_parser *p, tdi_section *s, int64_t *capacity);
// Warns of productions that can never be used. Call when all is read.
void tdi_check_section(tdi_parser *p, const tdi_section *s);
// Sorts the productions by predecessor, keeping file order, and indexes them.
bool tdi_index_section(tdi_parser *p, tdi_section *s);

// ---- L-systems of one file ------------------------------------------------------------------

// Starts another L-system, after `endlsystem`. False after a fault.
bool tdi_systems_next(tdi_parser *p);
// Puts the first L-system back. Call when all are read.
bool tdi_systems_close(tdi_parser *p);
// Gives all L-systems the types and code that they share. Call when no more will be made.
bool tdi_systems_share(tdi_parser *p);
void tdi_system_default(td_grammar *g); // the fields that an L-system has for itself

// The end of the item that starts at `at`: lines that start with white space continue it, unless
// they start an item of their own.
size_t tdi_item_end(const tdi_parser *p, size_t at, bool is_production);
size_t tdi_line_end(const tdi_parser *p, size_t at);
// The same for the production at the cursor, whose blocks may hold line feeds.
size_t tdi_production_end(const tdi_parser *p);

// ---- header ---------------------------------------------------------------------------------

// Whether a header item or section word stands at `at`, a line's start; `word` gets its key.
bool tdi_header_word_at(const tdi_parser *p, size_t at, char word[32], size_t *after);
bool tdi_header_is_known(const char *word);
void tdi_parse_header_item(tdi_parser *p, const char *word, size_t word_at);
void tdi_header_default(td_grammar *g);
// A number without names, from `low` to `high`; `what` says in a fault what was expected.
bool tdi_number_in(tdi_parser *p, double low, double high, const char *what, double *value);
bool tdi_read_define(tdi_parser *p); // define: { array a[3]; external b; }, in arrays.c
// Marks the types that `ignore:` and `consider:` name, and settles defaults that depend on other
// items. Call when all is read.
void tdi_header_finish(tdi_parser *p);
bool tdi_read_color_number(tdi_parser *p, int32_t *color);
bool tdi_read_material(tdi_parser *p); // `material:`
bool tdi_read_surface(tdi_parser *p);  // `surface:`
bool tdi_read_color(tdi_parser *p);    // `color:`
// A new surface of that letter; it takes the place of one of the view file. False after a fault.
bool tdi_new_surface(tdi_parser *p, char letter, tdi_header_item **item);
// Appends a function for func().
bool tdi_add_spline(tdi_parser *p, const tdi_spline *spline);
bool tdi_read_function(tdi_parser *p); // `function:`
bool tdi_read_contour(tdi_parser *p);  // `contour:`
// Appends a curve for curveX() and the like.
bool tdi_add_curve(tdi_parser *p, const tdi_curve *curve);
// Adds a cross-section; it takes the place of one with the same number.
bool tdi_add_contour(tdi_parser *p, const tdi_contour *contour);
