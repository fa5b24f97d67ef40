// SPDX-License-Identifier: MIT
// The command: picks the sub-command and sees that everything printed has arrived.

#include "cli/cli.h"

#include <string.h>

static const char help[] =
    "Tendril grows plants and other slender things from L-systems, and simulates them.\n"
    "\n"
    "Usage: tendril COMMAND [OPTION...] [FILE...]\n"
    "\n"
    "  grow FILE      grow a model, and write its string, skeleton or mesh\n"
    "  check FILE...  report all errors of models and scenes\n"
    "  run SCENE      simulate a scene, and write motion, page and tables\n"
    "  view FILE      write a page in which you can pull and change a model or scene\n"
    "  settle FILE    compute the pose at rest under gravity\n"
    "  modes FILE     compute frequencies and damping of the lowest vibration modes\n"
    "  plot DIR       draw the tables that a run has written\n"
    "  info           print version, build, materials and keys of scenes\n"
    "  validate       compare simulations with known answers\n"
    "  bench [CASE]   measure speed\n"
    "\n"
    "  --help         print this text; 'tendril COMMAND --help' describes a command\n"
    "  --version      print the version\n"
    "\n"
    "Exit codes: 0 success, 1 a result of validate is outside its limit, 2 wrong use\n"
    "of the command line, 3 wrong input, 4 the simulation diverged, 5 cannot write.\n";

typedef struct command {
    const char *name;
    int (*run)(int argc, char **argv);
} command;

static const command commands[] = {
    {"grow", cli_grow},   {"check", cli_check}, {"run", cli_run},           {"settle", cli_settle},
    {"modes", cli_modes}, {"info", cli_info},   {"validate", cli_validate}, {"bench", cli_bench},
    {"plot", cli_plot},   {"view", cli_view},
};

#define COMMAND_COUNT ((int)(sizeof commands / sizeof commands[0]))

static const char *command_name(const void *context, int index) {
    return ((const command *)context)[index].name;
}

static int run(int argc, char **argv) {
    char hint[200];
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
    for (int i = 0; i < COMMAND_COUNT; i++) {
        if (strcmp(argv[1], commands[i].name) == 0) {
            return commands[i].run(argc - 2, argv + 2);
        }
    }
    cli_suggest_word(argv[1], command_name, commands, COMMAND_COUNT,
                     "; 'tendril --help' lists them", hint, sizeof hint);
    cli_error("unknown command '%s'%s", argv[1], hint);
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
