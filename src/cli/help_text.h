// SPDX-License-Identifier: MIT
#pragma once

// A help text in parts, from which manual pages and completions are made.

#include "cli/cli.h"

#define HELP_OPTIONS 40

typedef struct help_option {
    char name[32];     // "--steps" or "-o"
    char argument[32]; // "N"; "": none
    char text[400];    // one line
} help_option;

typedef struct help_text {
    char usage[200];
    char before[2000], after[2000]; // lines before and after the options, each with its line feed
    help_option options[HELP_OPTIONS];
    int option_count;
} help_text;

// False after telling that there is no memory, or that the text has more than there is room for.
bool help_text_of(const cli_command *command, help_text *out);
