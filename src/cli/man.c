// SPDX-License-Identifier: MIT
// tendril man: manual pages, made of the help texts.

#include "cli/help_text.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

const char cli_man_help[] =
    "Usage: tendril man [COMMAND | --into DIR]\n"
    "\n"
    "Prints the manual page of a command, or of Tendril, for 'man -l -'. An installed\n"
    "Tendril has them as tendril(1) and tendril-COMMAND(1).\n"
    "\n"
    "  --into DIR   write all pages into DIR, which is made if it is missing\n";

// A backslash and a dash stand for themselves, and a dot begins no request.
static void put_text(FILE *out, const char *text, size_t length) {
    if (length > 0 && (text[0] == '.' || text[0] == '\'')) {
        fputs("\\&", out);
    }
    for (size_t i = 0; i < length; i++) {
        if (text[i] == '\\') {
            fputs("\\e", out);
        } else if (text[i] == '-') {
            fputs("\\-", out);
        } else {
            fputc(text[i], out);
        }
    }
}

// Lines that are indented are tables and stay as they are.
static void put_lines(FILE *out, const char *text) {
    for (bool table = false; *text;) {
        const size_t length = strcspn(text, "\n");
        const bool indented = strncmp(text, "  ", 2) == 0;
        if (indented != table) {
            fputs(indented ? ".nf\n" : ".fi\n", out);
            table = indented;
        }
        if (length == 0) {
            fputs(".PP\n", out);
        } else {
            put_text(out, text, length);
            fputc('\n', out);
        }
        text += length + (text[length] != 0);
        if (table && !*text) {
            fputs(".fi\n", out);
        }
    }
}

static void put_heading(FILE *out, const char *name, const char *about) {
    fprintf(out, ".TH ");
    for (const char *c = name; *c; c++) {
        fputc(toupper((unsigned char)*c), out);
    }
    fprintf(out, " 1 \"\" \"Tendril %s\" \"Tendril\"\n.SH NAME\n", td_version());
    put_text(out, name, strlen(name));
    fprintf(out, " \\- ");
    put_text(out, about, strlen(about));
    fprintf(out, "\n.SH SYNOPSIS\n");
}

static bool page_of(FILE *out, const cli_command *command) {
    static help_text text;
    char name[64];
    if (!help_text_of(command, &text)) {
        return false;
    }
    snprintf(name, sizeof name, "tendril-%s", command->name);
    put_heading(out, name, command->about);
    put_text(out, text.usage, strlen(text.usage));
    fprintf(out, "\n.SH DESCRIPTION\n");
    put_lines(out, text.before + strspn(text.before, "\n"));
    if (text.option_count > 0) {
        fputs(".SH OPTIONS\n", out);
    }
    for (int i = 0; i < text.option_count; i++) {
        const help_option *o = &text.options[i];
        fprintf(out, ".TP\n\\fB");
        put_text(out, o->name, strlen(o->name));
        fprintf(out, "\\fR%s\\fI", o->argument[0] ? " " : "");
        put_text(out, o->argument, strlen(o->argument));
        fprintf(out, "\\fR\n");
        put_text(out, o->text, strlen(o->text));
        fputc('\n', out);
    }
    if (text.after[strspn(text.after, "\n")]) {
        fputs(".SH NOTES\n", out);
        put_lines(out, text.after + strspn(text.after, "\n"));
    }
    fprintf(out, ".SH SEE ALSO\n.BR tendril (1)\n");
    return true;
}

static void page_of_all(FILE *out) {
    put_heading(out, "tendril", "grows plants and other slender things, and simulates them");
    fprintf(out, "tendril COMMAND [OPTION...] [FILE...]\n.SH COMMANDS\n");
    for (int i = 0; i < cli_command_count; i++) {
        const cli_command *c = &cli_commands[i];
        fprintf(out, ".TP\n\\fB%s\\fR \\fI%s\\fR\n", c->name, c->operands);
        put_text(out, c->about, strlen(c->about));
        fprintf(out, " (\\fBtendril\\-%s\\fR(1))\n", c->name);
    }
    fprintf(
        out,
        ".SH EXIT STATUS\n0 success, 1 a result of validate is outside its limit, 2 wrong use of "
        "the command line, 3 wrong input, 4 the simulation diverged, 5 cannot write.\n");
}

// ---- files ----------------------------------------------------------------------------------

// The page of a command, NULL: of all, as a file of its own.
static bool write_page(const char *folder, const cli_command *command) {
    char path[1024], *text = NULL;
    size_t size = 0;
    td_diag diag = {.message = "out of memory"};
    FILE *out = open_memstream(&text, &size);
    bool fine = out && snprintf(path, sizeof path, "%s/tendril%s%s.1", folder, command ? "-" : "",
                                command ? command->name : "") < (int)sizeof path;
    if (fine && command) {
        fine = page_of(out, command);
    } else if (fine) {
        page_of_all(out);
    }
    fine = (!out || fclose(out) == 0) && fine && td_file_write(path, text, size, &diag) == TD_OK;
    free(text);
    if (!fine) {
        cli_print_diag(&diag);
    }
    return fine;
}

static int write_pages(const char *folder) {
    bool fine = cli_make_folder(folder, strlen(folder), "man") && write_page(folder, NULL);
    for (int i = 0; fine && i < cli_command_count; i++) {
        fine = write_page(folder, &cli_commands[i]);
    }
    return fine ? EXIT_FINE : EXIT_CANNOT_WRITE;
}

// ---- entry ----------------------------------------------------------------------------------

int cli_man(int argc, char **argv) {
    const char *folder = NULL;
    const cli_option options[] = {{"--into", CLI_TEXT, &folder, 0}, {0}};
    const int operands = cli_read_options(argc, argv, options, "man", NULL);
    if (operands < 0) {
        return EXIT_MISUSE;
    }
    if (operands > (folder ? 0 : 1)) {
        cli_error("man: expected one COMMAND, or --into DIR alone; see 'tendril man --help'");
        return EXIT_MISUSE;
    }
    if (folder) {
        return write_pages(folder);
    }
    if (operands == 0) {
        page_of_all(stdout);
        return EXIT_FINE;
    }
    const cli_command *command = cli_command_find(argv[0]);
    return command && page_of(stdout, command) ? EXIT_FINE : EXIT_MISUSE;
}
