// SPDX-License-Identifier: MIT
// tendril complete: completions for shells, made of the help texts.

#include "cli/help_text.h"

#include <string.h>

const char cli_complete_help[] =
    "Usage: tendril complete SHELL [--help]\n"
    "\n"
    "Prints completions of commands, options and files for SHELL: bash, zsh or fish.\n"
    "An installed Tendril has them where the shells look. To try them in bash:\n"
    "\n"
    "  source <(tendril complete bash)\n";

// Between single quotes of a shell, with `more` characters that need a backslash.
static void put_quoted(const char *text, const char *more) {
    for (; *text; text++) {
        if (*text == '\'') {
            fputs("'\\''", stdout);
        } else {
            if (strchr(more, *text)) {
                putchar('\\');
            }
            putchar(*text);
        }
    }
}

static help_text text; // of the command in hand

// ---- bash -----------------------------------------------------------------------------------

static bool bash(void) {
    printf("_tendril() {\n    local word=${COMP_WORDS[COMP_CWORD]} options=\n"
           "    if [ \"$COMP_CWORD\" = 1 ]; then\n        COMPREPLY=($(compgen -W '");
    for (int i = 0; i < cli_command_count; i++) {
        printf("%s ", cli_commands[i].name);
    }
    printf("help --help --version' -- \"$word\"))\n        return\n    fi\n"
           "    case ${COMP_WORDS[1]} in\n");
    for (int i = 0; i < cli_command_count; i++) {
        const cli_command *c = &cli_commands[i];
        if (!help_text_of(c, &text)) {
            return false;
        }
        printf("    %s) options='", c->name);
        for (int k = 0; k < text.option_count; k++) {
            printf("%s ", text.options[k].name);
        }
        printf("--help' ;;\n");
    }
    printf("    esac\n    case $word in\n"
           "    -*) COMPREPLY=($(compgen -W \"$options\" -- \"$word\")) ;;\n"
           "    *) COMPREPLY=($(compgen -f -- \"$word\")) ;;\n"
           "    esac\n}\ncomplete -o filenames -F _tendril tendril\n");
    return true;
}

// ---- zsh ------------------------------------------------------------------------------------

static bool zsh(void) {
    printf("#compdef tendril\nlocal -a commands=(\n");
    for (int i = 0; i < cli_command_count; i++) {
        printf("    '%s:", cli_commands[i].name);
        put_quoted(cli_commands[i].about, "");
        printf("'\n");
    }
    printf(")\nif (( CURRENT == 2 )); then\n    _describe command commands\n    return\nfi\n"
           "case $words[2] in\n");
    for (int i = 0; i < cli_command_count; i++) {
        if (!help_text_of(&cli_commands[i], &text)) {
            return false;
        }
        printf("%s) _arguments '*:file:_files'", cli_commands[i].name);
        for (int k = 0; k < text.option_count; k++) {
            const help_option *o = &text.options[k];
            printf(" \\\n    '%s[", o->name);
            put_quoted(o->text, "[]:");
            printf("]%s", o->argument[0] ? ":" : "");
            put_quoted(o->argument, ":");
            printf("%s'", o->argument[0] ? ":_files" : "");
        }
        printf(" ;;\n");
    }
    puts("esac");
    return true;
}

// ---- fish -----------------------------------------------------------------------------------

static bool fish(void) {
    for (int i = 0; i < cli_command_count; i++) {
        const cli_command *c = &cli_commands[i];
        printf("complete -c tendril -n __fish_use_subcommand -f -a %s -d '", c->name);
        put_quoted(c->about, "");
        puts("'");
        if (!help_text_of(c, &text)) {
            return false;
        }
        for (int k = 0; k < text.option_count; k++) {
            const help_option *o = &text.options[k];
            const bool is_long = strncmp(o->name, "--", 2) == 0;
            printf("complete -c tendril -n '__fish_seen_subcommand_from %s' -%c %s%s -d '", c->name,
                   is_long ? 'l' : 's', o->name + (is_long ? 2 : 1), o->argument[0] ? " -r" : "");
            put_quoted(o->text, "");
            puts("'");
        }
    }
    return true;
}

// ---- entry ----------------------------------------------------------------------------------

int cli_complete(int argc, char **argv) {
    const cli_option options[] = {{0}};
    const int operands = cli_read_options(argc, argv, options, "complete", NULL);
    if (operands < 0) {
        return EXIT_MISUSE;
    }
    bool (*shell)(void) = operands != 1                  ? NULL
                          : strcmp(argv[0], "bash") == 0 ? bash
                          : strcmp(argv[0], "zsh") == 0  ? zsh
                          : strcmp(argv[0], "fish") == 0 ? fish
                                                         : NULL;
    if (!shell) {
        cli_error("complete: expected one SHELL: bash, zsh or fish");
        return EXIT_MISUSE;
    }
    return shell() ? EXIT_FINE : EXIT_MISUSE;
}
