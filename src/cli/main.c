// SPDX-License-Identifier: MIT
// The command: picks the sub-command and sees that everything printed has arrived.

#include "cli/cli.h"

#include <signal.h>
#include <string.h>

static const char head[] =
    "Tendril grows plants and other slender things from L-systems, and simulates them.\n"
    "\n"
    "Usage: tendril COMMAND [OPTION...] [FILE...]\n"
    "\n";

static const char foot[] =
    "\n"
    "  help COMMAND    describe a command, as 'tendril COMMAND --help' does\n"
    "  --help          print this text\n"
    "  --version       print the version\n"
    "\n"
    "Exit codes: 0 success, 1 a result of validate is outside its limit, 2 wrong use\n"
    "of the command line, 3 wrong input, 4 the simulation diverged, 5 cannot write.\n";

#define COMMAND(name, operands, about, ...) \
    { #name, operands, about, cli_##name, cli_##name##_help, __VA_ARGS__ }

const cli_command cli_commands[] = {
    COMMAND(grow, "FILE", "grow a model, and write its string, skeleton or mesh", NULL),
    COMMAND(check, "FILE...", "report all errors of models and scenes", NULL),
    COMMAND(run, "SCENE", "simulate a scene, and write motion, page and tables", NULL),
    COMMAND(view, "FILE", "write a page in which you can pull and change a model or scene", NULL),
    COMMAND(render, "FILE", "draw a scene or a model as a picture or a video", NULL),
    COMMAND(settle, "FILE", "compute the pose at rest under gravity", NULL),
    COMMAND(modes, "FILE", "compute frequencies and damping of the lowest vibration modes", NULL),
    COMMAND(plot, "DIR", "draw the tables that a run has written", NULL),
    COMMAND(init, "DIR", "write a first model, a first scene and notes to start from", NULL),
    COMMAND(info, "", "print version, build, materials and keys of scenes", NULL),
    COMMAND(validate, "[CASE]", "compare simulations with known answers", NULL),
    COMMAND(bench, "[CASE]", "measure speed", cli_bench_more_help),
    COMMAND(man, "[COMMAND]", "print a manual page", NULL),
    COMMAND(complete, "SHELL", "print completions for bash, zsh or fish", NULL),
};

const int cli_command_count = (int)(sizeof cli_commands / sizeof cli_commands[0]);

static void print_help(FILE *out) {
    fputs(head, out);
    for (int i = 0; i < cli_command_count; i++) {
        const cli_command *c = &cli_commands[i];
        fprintf(out, "  %s %-*s %s\n", c->name, 14 - (int)strlen(c->name), c->operands, c->about);
    }
    fputs(foot, out);
}

void cli_print_help(const cli_command *command, FILE *out) {
    fputs(command->help, out);
    if (command->more_help) {
        command->more_help(out);
    }
}

// 'help' is not in the table, but it is misspelt as well
static const char *command_name(const void *context, int index) {
    return index < cli_command_count ? ((const cli_command *)context)[index].name : "help";
}

const cli_command *cli_command_find(const char *name) {
    char hint[200];
    for (int i = 0; i < cli_command_count; i++) {
        if (strcmp(name, cli_commands[i].name) == 0) {
            return &cli_commands[i];
        }
    }
    cli_suggest_word(name, command_name, cli_commands, cli_command_count + 1,
                     "; 'tendril --help' lists them", hint, sizeof hint);
    cli_error("unknown command '%s'%s", name, hint);
    return NULL;
}

static bool asks_for_help(const char *word) {
    return strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0 || strcmp(word, "help") == 0;
}

static int run(int argc, char **argv) {
    if (argc < 2) {
        print_help(stderr);
        return EXIT_MISUSE;
    }
    if (asks_for_help(argv[1]) && argc == 2) {
        print_help(stdout);
        return EXIT_FINE;
    }
    if (strcmp(argv[1], "--version") == 0) {
        printf("tendril %s\n", td_version());
        return EXIT_FINE;
    }
    bool help = asks_for_help(argv[1]);
    const cli_command *c = cli_command_find(argv[help ? 2 : 1]);
    if (!c) {
        return EXIT_MISUSE;
    }
    for (int i = 2; i < argc && strcmp(argv[i], "--") != 0; i++) {
        help = help || strcmp(argv[i], "--help") == 0;
    }
    if (help) {
        cli_print_help(c, stdout);
        return EXIT_FINE;
    }
    return c->run(argc - 2, argv + 2);
}

int main(int argc, char **argv) {
    signal(SIGXFSZ, SIG_IGN); // a file that grows too large is a write that fails, as a full disk
    int code = run(argc, argv);
    // what is still in the buffer may not fit on the disk
    if (fflush(stdout) != 0 || ferror(stdout)) {
        cli_error("cannot write to standard output");
        return code == EXIT_FINE ? EXIT_CANNOT_WRITE : code;
    }
    return code;
}
