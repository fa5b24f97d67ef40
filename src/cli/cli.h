// SPDX-License-Identifier: MIT
#pragma once

// What the sub-commands share: exit codes, options, messages, JSON lines.

#include "tendril/tendril.h"

#include <stdio.h>

enum {
    EXIT_FINE = 0,
    EXIT_MISUSE = 2,
    EXIT_BAD_INPUT = 3,
    EXIT_DIVERGED = 4,
    EXIT_CANNOT_WRITE = 5
};

// The exit code that goes with a status.
int cli_exit_code(td_status status);

// ---- options --------------------------------------------------------------------------------

typedef enum cli_kind { CLI_FLAG, CLI_INTEGER, CLI_REAL, CLI_TEXT, CLI_DEFINE } cli_kind;

#define CLI_MAX_DEFINES 64
typedef struct cli_defines {
    td_define items[CLI_MAX_DEFINES];
    char names[CLI_MAX_DEFINES][32];
    int32_t count;
} cli_defines;

// One option of a sub-command. `value` points to a bool, int64_t, double, const char * or
// cli_defines, as the kind says.
typedef struct cli_option {
    const char *name; // "--steps" or "-o"
    cli_kind kind;
    void *value;
    double least; // of numbers
} cli_option;

// Reads options and operands in any order; `--` ends the options. Operands are put together at
// the front of argv. Returns how many there are, or -1 after telling what is wrong.
int cli_read_options(int argc, char **argv, const cli_option *options, int count,
                     const char *command);

// ---- messages -------------------------------------------------------------------------------

void cli_error(const char *format, ...) __attribute__((format(printf, 1, 2)));
// File, line, column, message, the line of text and a caret.
void cli_print_diag(const td_diag *diag);
// All of a list, and how many were dropped; `status` stands for a list that is empty.
void cli_print_diags(const td_diag_list *list, td_status status, const char *file);

void cli_json_text(FILE *out, const char *text);
void cli_json_number(FILE *out, double value);

// ---- work that several commands do ----------------------------------------------------------

// Reads and compiles a model. On failure the faults have been printed.
td_status cli_load_model(const char *path, const cli_defines *defines, td_grammar **grammar);

double cli_seconds(void); // of a clock that never goes back

// ---- sub-commands ---------------------------------------------------------------------------

int cli_grow(int argc, char **argv);
int cli_check(int argc, char **argv);
int cli_info(int argc, char **argv);
int cli_bench(int argc, char **argv);
