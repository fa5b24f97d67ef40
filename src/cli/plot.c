// SPDX-License-Identifier: MIT
// tendril plot: what a run has recorded, as pictures.

#include "cli/browser.h"
#include "cli/cli.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#define FIRST_BEYOND_LATIN 0xc4              // of UTF-8
#define MAX_TABLE          ((size_t)1 << 30) // bytes
#define MAX_PATH_SIZE      4096
#define PNG_SECONDS        60.0

const char cli_plot_help[] =
    "Usage: tendril plot DIR|TABLE.csv [-o OUT]\n"
    "\n"
    "Draws the tables that 'tendril run' has written to DIR: probes.csv as probes.svg and\n"
    "energy.csv as energy.svg, one chart for all columns with the same unit. A missing\n"
    "table is left out. Of a table alone, NAME.csv, it writes NAME.svg beside it.\n"
    "\n"
    "  -o OUT                write one table to OUT, .svg, .pdf or .png: of a folder\n"
    "                        probes.csv, or energy.csv if there are no probes; .png needs\n"
    "                        Chromium\n";

// ---- PNG ------------------------------------------------------------------------------------

// The browser draws the SVG, with two pixels for each of its own along each side.
static const char png_script[] =
    "(async()=>{const s=document.querySelector('svg'),w=s.width.baseVal.value,"
    "h=s.height.baseVal.value,i=new Image(),c=document.createElement('canvas');"
    "await new Promise((done,fail)=>{i.onload=done;i.onerror=fail;"
    "i.src='data:image/svg+xml;charset=utf-8,'+encodeURIComponent(new XMLSerializer()"
    ".serializeToString(s))});c.width=2*w;c.height=2*h;"
    "c.getContext('2d',{willReadFrequently:true}).drawImage(i,0,0,2*w,2*h);"
    "return c.toDataURL('image/png').split(',')[1]})()";

// The browser may still read the page.
static bool wait_for_svg(browser *b) {
    const double end = cli_seconds() + PNG_SECONDS;
    for (bool ready = false; !ready;) {
        char *state = NULL;
        if (!browser_ask(b, "document.querySelector('svg')?'ready':'wait'", PNG_SECONDS, "",
                         &state)) {
            return false;
        }
        ready = strcmp(state, "ready") == 0;
        free(state);
        if (!ready && cli_seconds() > end) {
            cli_error("plot: the page is not read after %g s", PNG_SECONDS);
            return false;
        }
        nanosleep(&(struct timespec){.tv_nsec = ready ? 0 : 50000000}, NULL);
    }
    return true;
}

// `svg` becomes a PNG.
static td_status png_of(td_bytes *svg, td_diag *diag) {
    char folder[BROWSER_PATH], page[BROWSER_PATH], *text = NULL;
    browser b;
    if (!browser_make_folder("plot", "tendril-plot", folder)) {
        return TD_ERR_WRITE;
    }
    snprintf(page, sizeof page, "%.4000s/plot.html", folder);
    td_status status = td_file_write(page, svg->data, svg->size, diag);
    if (status == TD_OK) {
        const bool drawn = browser_open(&b, "plot", folder, page, "") && wait_for_svg(&b) &&
                           browser_ask(&b, png_script, PNG_SECONDS, " for a picture", &text);
        browser_stop(&b);
        const size_t size = drawn ? browser_decode(text) : 0;
        td_bytes_free(svg);
        status = size > 0 ? TD_OK : TD_ERR_READ;
        *svg = (td_bytes){(uint8_t *)text, size, NULL};
    }
    browser_remove_folder(folder);
    return status;
}

// ---- drawing --------------------------------------------------------------------------------

static bool ends_in(const char *path, const char *suffix) {
    const size_t size = strlen(path), end = strlen(suffix);
    return size > end && strcmp(path + size - end, suffix) == 0;
}

// Letters that PDF's own fonts lack, in the title or in the heading of a table.
static bool is_beyond_latin(const char *title, const td_bytes *table) {
    const char *text = (const char *)table->data;
    const char *end = table->size > 0 ? memchr(text, '\n', table->size) : NULL;
    const size_t size = end ? (size_t)(end - text) : table->size;
    bool beyond = false;
    for (size_t i = 0; title[i] && !beyond; i++) {
        beyond = (uint8_t)title[i] >= FIRST_BEYOND_LATIN;
    }
    for (size_t i = 0; i < size && !beyond; i++) {
        beyond = (uint8_t)text[i] >= FIRST_BEYOND_LATIN;
    }
    return beyond;
}

static td_status draw(const char *from, const char *to, const char *title, td_diag *diag) {
    td_bytes text = {0}, picture = {0};
    td_status status = td_file_read(from, MAX_TABLE, NULL, &text, diag);
    if (status == TD_OK) {
        status = (ends_in(to, ".pdf") ? td_plot_pdf : td_plot_svg)(
            (const char *)text.data, text.size, from, title, NULL, &picture, diag);
    }
    if (status == TD_OK && ends_in(to, ".pdf") && is_beyond_latin(title, &text)) {
        cli_error("plot: %s: letters beyond Latin-1 are '?' in a .pdf; .svg and .png show them",
                  to);
    }
    if (status == TD_OK && ends_in(to, ".png")) {
        status = png_of(&picture, diag);
    }
    status = status == TD_OK ? td_file_write(to, picture.data, picture.size, diag) : status;
    if (status == TD_OK && strcmp(to, "-") != 0) {
        printf("%s\n", to);
    }
    td_bytes_free(&text);
    td_bytes_free(&picture);
    return status;
}

static bool exists(const char *path) {
    struct stat info;
    return stat(path, &info) == 0 || errno != ENOENT;
}

// The tables of a folder; all, or the first alone if `out` is given. *drawn counts.
static td_status draw_folder(const char *folder, const char *out, int *drawn, td_diag *diag) {
    static const struct {
        const char *name, *title;
    } tables[] = {{"probes", "Probes"}, {"energy", "Energy"}};
    td_status status = TD_OK;
    for (size_t k = 0; k < 2 && status == TD_OK && !(out && *drawn > 0); k++) {
        char from[MAX_PATH_SIZE], to[MAX_PATH_SIZE];
        snprintf(from, sizeof from, "%s/%s.csv", folder, tables[k].name);
        snprintf(to, sizeof to, "%s/%s.svg", folder, tables[k].name);
        if (exists(from)) {
            status = draw(from, out ? out : to, tables[k].title, diag);
            *drawn += 1;
        }
    }
    return status;
}

static td_status draw_table(const char *path, const char *out, td_diag *diag) {
    char title[MAX_PATH_SIZE], to[MAX_PATH_SIZE];
    const char *slash = strrchr(path, '/');
    snprintf(title, sizeof title, "%s", slash ? slash + 1 : path);
    title[strlen(title) - strlen(".csv")] = 0;
    snprintf(to, sizeof to, "%.*s.svg", (int)(strlen(path) - strlen(".csv")), path);
    return draw(path, out ? out : to, title, diag);
}

static int plot(const char *path, const char *out) {
    td_diag diag = {.message = ""};
    struct stat info;
    int drawn = 0;
    if (stat(path, &info) != 0) {
        cli_error("plot: there is no folder or table '%s'", path);
        return EXIT_BAD_INPUT;
    }
    if (!S_ISDIR(info.st_mode) && !ends_in(path, ".csv")) {
        cli_error("plot: expected a folder or a table, whose name ends in .csv, not '%s'", path);
        return EXIT_BAD_INPUT;
    }
    const bool folder = S_ISDIR(info.st_mode);
    td_status status =
        folder ? draw_folder(path, out, &drawn, &diag) : draw_table(path, out, &diag);
    if (status != TD_OK) {
        if (diag.message[0]) { // the browser has told its own faults
            cli_print_fault(path, status, &diag);
        }
        return cli_exit_code(status);
    }
    if (folder && drawn == 0) {
        cli_error("%s: the folder has neither probes.csv nor energy.csv", path);
        return EXIT_BAD_INPUT;
    }
    return EXIT_FINE;
}

int cli_plot(int argc, char **argv) {
    const char *out = NULL;
    const cli_option options[] = {{"-o", CLI_TEXT, &out, 0}, {0}};
    if (cli_read_options(argc, argv, options, "plot", "one DIR or TABLE.csv") < 0) {
        return EXIT_MISUSE;
    }
    if (strlen(argv[0]) > MAX_PATH_SIZE - 16) {
        cli_error("plot: the name is too long");
        return EXIT_BAD_INPUT;
    }
    if (out && !ends_in(out, ".svg") && !ends_in(out, ".pdf") && !ends_in(out, ".png")) {
        cli_error("plot: the name '%s' must end in .svg, .pdf or .png", out);
        return EXIT_MISUSE;
    }
    const char *slash = out ? strrchr(out, '/') : NULL;
    if (slash && !cli_make_folder(out, (size_t)(slash - out), "plot")) {
        return EXIT_CANNOT_WRITE;
    }
    return plot(argv[0], out);
}
