// SPDX-License-Identifier: MIT
// tendril plot: what a run has recorded, as pictures.

#include "cli/cli.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

#define MAX_TABLE     ((size_t)1 << 30) // bytes
#define MAX_PATH_SIZE 4096

static const char help[] =
    "Usage: tendril plot DIR\n"
    "\n"
    "Draws the tables that 'tendril run' has written to DIR: probes.csv as probes.svg and\n"
    "energy.csv as energy.svg, one chart for all columns with the same unit. A missing\n"
    "table is left out.\n";

void cli_plot_help(FILE *out) {
    fputs(help, out);
}

// DIR/NAME.csv becomes DIR/NAME.svg. *drawn counts.
static td_status draw(const char *folder, const char *name, const char *title, int *drawn,
                      td_diag *diag) {
    char from[MAX_PATH_SIZE], to[MAX_PATH_SIZE];
    snprintf(from, sizeof from, "%s/%s.csv", folder, name);
    snprintf(to, sizeof to, "%s/%s.svg", folder, name);
    struct stat info;
    if (stat(from, &info) != 0 && errno == ENOENT) {
        return TD_OK;
    }
    td_bytes text = {0}, picture = {0};
    td_status status = td_file_read(from, MAX_TABLE, NULL, &text, diag);
    if (status == TD_OK) {
        status = td_plot_svg((const char *)text.data, text.size, from, title, NULL, &picture, diag);
    }
    if (status == TD_OK) {
        status = td_file_write(to, picture.data, picture.size, diag);
    }
    if (status == TD_OK) {
        printf("%s\n", to);
        *drawn += 1;
    }
    td_bytes_free(&text);
    td_bytes_free(&picture);
    return status;
}

static int plot(const char *folder) {
    td_diag diag = {.message = ""};
    int drawn = 0;
    td_status status = draw(folder, "probes", "Probes", &drawn, &diag);
    if (status == TD_OK) {
        status = draw(folder, "energy", "Energy", &drawn, &diag);
    }
    if (status != TD_OK) {
        cli_print_fault(folder, status, &diag);
        return cli_exit_code(status);
    }
    if (drawn == 0) {
        cli_error("%s: the folder has neither probes.csv nor energy.csv", folder);
        return EXIT_BAD_INPUT;
    }
    return EXIT_FINE;
}

int cli_plot(int argc, char **argv) {
    bool want_help = false;
    const cli_option options[] = {{"--help", CLI_FLAG, &want_help, 0}};
    int operands = cli_read_options(argc, argv, options, 1, "plot");
    if (operands < 0) {
        return EXIT_MISUSE;
    }
    if (want_help) {
        cli_plot_help(stdout);
        return EXIT_FINE;
    }
    if (operands != 1) {
        cli_error("plot: expected one DIR, but %d are given; see 'tendril plot --help'", operands);
        return EXIT_MISUSE;
    }
    if (strlen(argv[0]) > MAX_PATH_SIZE - 16) {
        cli_error("plot: the name of DIR is too long");
        return EXIT_BAD_INPUT;
    }
    return plot(argv[0]);
}
