// SPDX-License-Identifier: MIT
// The command: picks the sub-command and sees that everything printed has arrived.

#include "cli/cli.h"

#include <string.h>

static const char help[] =
    "Tendril grows slender things from L-systems and gives them physical bodies.\n"
    "\n"
    "Usage: tendril COMMAND [OPTION...] [FILE...]\n"
    "\n"
    "  grow FILE      derive a model, and write its string, skeleton or mesh\n"
    "  check FILE...  report all errors of models and scenes\n"
    "  run SCENE      simulate a scene, and write motion, page and tables\n"
    "  view FILE      a page in which a model or scene grows, moves and can be pulled\n"
    "  settle FILE    the pose at rest under gravity\n"
    "  modes FILE     frequencies and damping of the lowest vibrations\n"
    "  plot DIR       draw what a run has recorded\n"
    "  info           version, build, materials and keys of scenes\n"
    "  validate       run cases with known answers\n"
    "  bench [CASE]   measure speed\n"
    "\n"
    "  --help         this text; 'tendril COMMAND --help' says more of a command\n"
    "  --version      the version\n"
    "\n"
    "Exit codes: 0 fine, 1 a figure is outside its limit, 2 misuse, 3 bad input,\n"
    "4 diverged, 5 cannot write.\n";

typedef struct command {
    const char *name;
    int (*run)(int argc, char **argv);
} command;

static const command commands[] = {
    {"grow", cli_grow},   {"check", cli_check}, {"run", cli_run},           {"settle", cli_settle},
    {"modes", cli_modes}, {"info", cli_info},   {"validate", cli_validate}, {"bench", cli_bench},
    {"plot", cli_plot},   {"view", cli_view},
};

static int run(int argc, char **argv) {
    if (argc < 2) {
        fputs(help, stderr);
        return EXIT_MISUSE;
    }
    if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0 ||
        strcmp(argv[1], "help") == 0) {
        fputs(help, stdout);
        return EXIT_FINE;
    }
    if (strcmp(argv[1], "--version") == 0) {
        printf("tendril %s\n", td_version());
        return EXIT_FINE;
    }
    for (size_t i = 0; i < sizeof commands / sizeof commands[0]; i++) {
        if (strcmp(argv[1], commands[i].name) == 0) {
            return commands[i].run(argc - 2, argv + 2);
        }
    }
    cli_error("unknown command '%s'; 'tendril --help' lists them", argv[1]);
    return EXIT_MISUSE;
}

int main(int argc, char **argv) {
    int code = run(argc, argv);
    // what is still in the buffer may not fit on the disk
    if (fflush(stdout) != 0 || ferror(stdout)) {
        cli_error("cannot write to standard output");
        return code == EXIT_FINE ? EXIT_CANNOT_WRITE : code;
    }
    return code;
}
