// SPDX-License-Identifier: MIT
// A help text in parts. Its lines are
//   Usage: tendril COMMAND ...
//   two spaces, a dash:  an option, its argument, and after two spaces or more what it does
//   deeper than that, after an option:  the text goes on
//   all others:  text before the options, or after them

#include "cli/help_text.h"

#include <stdlib.h>
#include <string.h>

static bool append(char *text, size_t size, const char *more, size_t length) {
    const size_t used = strlen(text);
    if (used + length + 1 > size) {
        return false;
    }
    memcpy(text + used, more, length);
    text[used + length] = 0;
    return true;
}

// From one column to the next: words until two spaces.
static size_t column_length(const char *line, size_t length) {
    for (size_t i = 0; i + 1 < length; i++) {
        if (line[i] == ' ' && line[i + 1] == ' ') {
            return i;
        }
    }
    return length;
}

static bool take_option(help_text *help, const char *line, size_t length) {
    if (help->option_count == HELP_OPTIONS) {
        return false;
    }
    help_option *o = &help->options[help->option_count++];
    const size_t column = column_length(line, length);
    const char *space = memchr(line, ' ', column);
    const size_t name = space ? (size_t)(space - line) : column;
    size_t text = column + strspn(line + column, " ");
    text = text < length ? text : length;
    return append(o->name, sizeof o->name, line, name) &&
           (!space || append(o->argument, sizeof o->argument, space + 1, column - name - 1)) &&
           append(o->text, sizeof o->text, line + text, length - text);
}

static bool goes_on(help_text *help, const char *line, size_t length) {
    help_option *o = &help->options[help->option_count - 1];
    const size_t indent = strspn(line, " ");
    return append(o->text, sizeof o->text, " ", 1) &&
           append(o->text, sizeof o->text, line + indent, length - indent);
}

static bool take_line(help_text *help, const char *line, size_t length, bool *in_options) {
    const char usage[] = "Usage: ";
    if (strncmp(line, usage, strlen(usage)) == 0) {
        return append(help->usage, sizeof help->usage, line + strlen(usage),
                      length - strlen(usage));
    }
    if (length > 3 && strncmp(line, "  -", 3) == 0) {
        *in_options = true;
        return take_option(help, line + 2, length - 2);
    }
    if (*in_options && length > 4 && strncmp(line, "    ", 4) == 0) {
        return goes_on(help, line, length);
    }
    *in_options = false;
    char *to = help->option_count ? help->after : help->before;
    return append(to, sizeof help->before, line, length) &&
           append(to, sizeof help->before, "\n", 1);
}

bool help_text_of(const cli_command *command, help_text *out) {
    char *text = NULL;
    size_t size = 0;
    bool in_options = false, fine = true;
    FILE *stream = open_memstream(&text, &size);
    if (!stream) {
        cli_error("%s: out of memory", command->name);
        return false;
    }
    cli_print_help(command, stream);
    fclose(stream);
    *out = (help_text){.option_count = 0};
    for (const char *line = text; fine && *line;) {
        const size_t length = strcspn(line, "\n");
        fine = take_line(out, line, length, &in_options);
        line += length + (line[length] != 0);
    }
    free(text);
    if (!fine) {
        cli_error("%s: its help text is longer than manual pages have room for", command->name);
    }
    return fine;
}
