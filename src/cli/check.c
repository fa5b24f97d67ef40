// SPDX-License-Identifier: MIT
// tendril check: all errors of models.

#include "cli/cli.h"

static const char help[] =
    "Usage: tendril check FILE... [--define NAME=VALUE]\n"
    "\n"
    "Reports all errors of models, with file, line and column. Says nothing\n"
    "and exits with 0 when there are none; 'grow' finds what shows only when\n"
    "the model runs, such as a division by zero.\n";

int cli_check(int argc, char **argv) {
    static cli_defines defines;
    bool want_help = false;
    const cli_option options[] = {{"--define", CLI_DEFINE, &defines, 0},
                                  {"-D", CLI_DEFINE, &defines, 0},
                                  {"--help", CLI_FLAG, &want_help, 0}};
    int operands = cli_read_options(argc, argv, options, 3, "check");
    if (operands < 0) {
        return EXIT_MISUSE;
    }
    if (want_help) {
        fputs(help, stdout);
        return EXIT_FINE;
    }
    if (operands == 0) {
        cli_error("check: expected FILE...; 'tendril check --help' says more");
        return EXIT_MISUSE;
    }
    int code = EXIT_FINE;
    for (int i = 0; i < operands; i++) {
        td_grammar *grammar = NULL;
        td_status status = cli_load_model(argv[i], &defines, &grammar);
        td_grammar_free(grammar);
        code = status == TD_OK ? code : cli_exit_code(status);
    }
    return code;
}
