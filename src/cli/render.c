// SPDX-License-Identifier: MIT
// tendril render: a scene or a model as a picture or a video.
//
// Method   The run becomes a page, as `tendril run` writes it; Chromium, without a window, opens it
//          and draws picture after picture at times that we choose (web/src/player/film.ts). What
//          it has made comes back as text, and is written at once and whole.

#include "cli/browser.h"
#include "cli/render.h"
#include "cli/run.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define LOAD_SECONDS    120.0 // until the page has drawn something
#define PICTURE_SECONDS 120.0
#define LEAST_SIDE      16
#define MOST_SIDE       4096
#define MOST_PIXELS     500e6 // of all pictures of a GIF, which are kept until it is written
#define MOST_PICTURES   100000

const char cli_render_help[] =
    "Usage: tendril render FILE -o OUT [OPTION...]\n"
    "\n"
    "Draws a scene or a model and writes OUT: a picture (.png), a clip (.webm or .gif) or\n"
    "a sequence of pictures (frames/%04d.png, counted from 0).\n"
    "A scene is simulated as 'tendril run' does it. A clip of a model goes around it once.\n"
    "Needs Chromium: the package 'chromium', or what the variable CHROMIUM names.\n"
    "\n"
    "  -o OUT                file to write; its folder is made if it is missing\n"
    "  --size WxH            pixels (960x540)\n"
    "  --time S              time of the picture, or where the clip begins, in s (0)\n"
    "  --duration S          how long the clip lasts (to the end of the scene; a model: 6)\n"
    "  --fps N               pictures a second (25)\n"
    "  --turn DEG            camera: further around, to the right (0)\n"
    "  --rise DEG            camera: further up (0)\n"
    "  --zoom F              camera: F times as near (1)\n"
    "  --orbit DEG           camera: goes around so far during the clip (a model: 360)\n"
    "  --background COLOUR   day, dusk or #rrggbb (day)\n"
    "  --wind V              of a model: it sways in a gusty wind of V m/s\n"
    "  --steps N             of a model: derivation steps instead of the file's\n"
    "  --seed S              of a model: seed of random choices instead of the file's\n"
    "  --define NAME=VALUE   of a model: replaces #define NAME; may be repeated\n"
    "  --view FILE           of a model: view file of cpfg instead of the one beside "
    "it\n" CLI_MESH_HELP;

// ---- drawing --------------------------------------------------------------------------------

static int stopped_or(int code) {
    if (browser_stopped()) {
        cli_error("render: stopped; nothing is written");
        return EXIT_STOPPED;
    }
    return code;
}

// A page is made from player.html, which a build or an installation may have left as it was.
static bool is_of_this_version(const char *state) {
    if (strcmp(state, "other") == 0) {
        cli_error("render: player.html was made by another version of tendril and cannot make "
                  "pictures for this one; 'make player' builds it anew, and TENDRIL_SHARE can name "
                  "its folder");
        return false;
    }
    return true;
}

// Waits until the page has drawn itself. It may be that the browser still reads it.
static bool wait_for_page(browser *b) {
    static const char question[] =
        "(window.tendrilPlayer&&tendrilPlayer.ready)?(tendrilPlayer.film?'ready':'other'):"
        "'wait '+((document.getElementById('fault')||{}).textContent||'')";
    const double end = cli_seconds() + LOAD_SECONDS;
    for (;;) {
        char *state = NULL;
        if (!browser_ask(b, question, LOAD_SECONDS, " to read the page; try --triangles 60000",
                         &state)) {
            return false;
        }
        const bool ready = strcmp(state, "ready") == 0, other = !is_of_this_version(state);
        const bool fault = !ready && !other && strlen(state) > strlen("wait ");
        if (fault) {
            cli_error("render: %s", state + strlen("wait "));
        }
        free(state);
        if (ready || other || fault) {
            return ready;
        }
        if (cli_seconds() > end) {
            cli_error("render: the page is not drawn after %g s", LOAD_SECONDS);
            return false;
        }
        nanosleep(&(struct timespec){.tv_nsec = 50000000}, NULL);
    }
}

static bool begin(browser *b, const render_args *a, const render_page *page) {
    char order[1000], *answer = NULL;
    snprintf(order, sizeof order,
             "window.film=tendrilPlayer.film({format:'%s',width:%lld,height:%lld,start:%.17g,"
             "fps:%.17g,count:%lld,turn:%.17g,rise:%.17g,zoom:%.17g,orbit:%.17g,"
             "background:'%s'}),'begun'",
             a->format, (long long)a->width, (long long)a->height, page->start, a->fps,
             (long long)page->count, a->turn, a->rise, a->zoom, page->orbit, a->background);
    bool fine = browser_ask(b, order, PICTURE_SECONDS, "", &answer);
    free(answer);
    return fine;
}

static int write_next(browser *b, const render_args *args, int64_t k);

// *code is that of a picture of a sequence that cannot be written.
static bool draw_all(browser *b, const render_args *args, int64_t count, int *code) {
    cli_progress progress = {0};
    const double started = cli_seconds();
    for (int64_t k = 0; k < count; k++) {
        char *answer = NULL;
        if (!browser_ask(b, "film.next().then(String)", PICTURE_SECONDS,
                         " for a picture; try a smaller --size, or --triangles 60000", &answer)) {
            return false;
        }
        free(answer);
        *code = args->sequence ? write_next(b, args, k) : EXIT_FINE;
        if (*code != EXIT_FINE) {
            return false;
        }
        const double done = (double)(k + 1), took = cli_seconds() - started;
        cli_progress_show(&progress, done / (double)count, k + 1 == count,
                          "%.0f of %lld pictures, %.0f s left", done, (long long)count,
                          took / done * ((double)count - done));
    }
    return true;
}

// ---- the file -------------------------------------------------------------------------------

// The position of the picture's number in a name such as frames/%04d.png, and its length; 0: there
// is no number.
static size_t number_in(const char *name, size_t *at) {
    for (const char *c = strchr(name, '%'); c; c = strchr(c + 1, '%')) {
        const size_t digits = strspn(c + 1, "0123456789");
        if (digits <= 2 && c[1 + digits] == 'd') {
            *at = (size_t)(c - name);
            return digits + 2;
        }
    }
    return 0;
}

// The first conversion of another format in a name, such as %s; NULL: the name has no such one.
static const char *strange_number_in(const char *name) {
    for (const char *c = strchr(name, '%'); c; c = strchr(c + 1, '%')) {
        const size_t digits = strspn(c + 1, "0123456789");
        const char letter = c[1 + digits];
        const bool is_letter = (letter >= 'a' && letter <= 'z') || (letter >= 'A' && letter <= 'Z');
        if (is_letter && (letter != 'd' || digits > 2)) {
            return c;
        }
    }
    return NULL;
}

// The name of picture k of a sequence.
static void name_of(const render_args *args, int64_t k, char name[RENDER_PATH]) {
    size_t at = 0;
    const size_t length = number_in(args->out, &at);
    const char *digits = args->out + at + 1;
    char number[128];
    const int width = length > 2 ? (int)strtol(digits, NULL, 10) : 0;
    snprintf(number, sizeof number, digits[0] == '0' ? "%0*lld" : "%*lld", width, (long long)k);
    snprintf(name, RENDER_PATH, "%.*s%s%s", (int)at, args->out, number, args->out + at + length);
}

static int write_picture(const char *name, char *text, size_t *size) {
    td_diag diag = {.message = ""};
    *size = browser_decode(text);
    if (*size == 0) {
        cli_error("render: the browser gave no picture");
        return EXIT_BAD_INPUT;
    }
    td_status status = td_file_write(name, text, *size, &diag);
    if (status != TD_OK) {
        cli_print_fault(name, status, &diag);
    }
    return cli_exit_code(status);
}

static int write_file(const render_args *args, char *text) {
    size_t size = 0;
    const int code = write_picture(args->out, text, &size);
    if (code == EXIT_FINE) {
        fprintf(stderr, "wrote %s, %.3g %s\n", args->out,
                (double)size / (size < 100000 ? 1e3 : 1e6), size < 100000 ? "kB" : "MB");
    }
    return code;
}

// Asks for the picture that was drawn last, and writes it as number k.
static int write_next(browser *b, const render_args *args, int64_t k) {
    char name[RENDER_PATH], *text = NULL;
    size_t size = 0;
    name_of(args, k, name);
    int code = browser_ask(b, "film.finish()", PICTURE_SECONDS, " to make the file", &text)
                   ? write_picture(name, text, &size)
                   : EXIT_BAD_INPUT;
    free(text);
    return code;
}

static int draw(const render_args *args, const render_page *page) {
    browser b;
    char *text = NULL;
    int code = EXIT_FINE;
    bool fine = browser_open(&b, "render", page->folder, page->path, "#film") &&
                wait_for_page(&b) && begin(&b, args, page) &&
                draw_all(&b, args, page->count, &code) &&
                (args->sequence ||
                 browser_ask(&b, "film.finish()", PICTURE_SECONDS + 0.2 * (double)page->count,
                             " to make the file", &text));
    browser_stop(&b);
    if (!fine) {
        code = stopped_or(code == EXIT_FINE ? EXIT_BAD_INPUT : code);
    } else if (args->sequence) {
        char last[RENDER_PATH];
        name_of(args, page->count - 1, last);
        fprintf(stderr, "wrote %lld pictures, the last is %s\n", (long long)page->count, last);
    } else {
        code = write_file(args, text);
    }
    free(text);
    return code;
}

// ---- entry ----------------------------------------------------------------------------------

// "960x540"
static bool read_size(const char *text, render_args *args) {
    char *end = NULL;
    args->width = strtoll(text, &end, 10);
    args->height = *end == 'x' ? strtoll(end + 1, &end, 10) : 0;
    if (*end || args->width < LEAST_SIDE || args->width > MOST_SIDE || args->height < LEAST_SIDE ||
        args->height > MOST_SIDE) {
        cli_error("render: expected WxH after --size, each from %d to %d, not '%s'", LEAST_SIDE,
                  MOST_SIDE, text);
        return false;
    }
    return true;
}

static bool check_background(const char *text) {
    const bool named = strcmp(text, "day") == 0 || strcmp(text, "dusk") == 0;
    if (!named &&
        !(text[0] == '#' && strlen(text) == 7 && strspn(text + 1, "0123456789abcdefABCDEF") == 6)) {
        cli_error("render: expected day, dusk or #rrggbb after --background, not '%s'", text);
        return false;
    }
    return true;
}

// A number in the name of a .png makes a sequence of pictures.
static bool choose_sequence(render_args *args) {
    size_t at = 0, second = 0;
    const size_t length = number_in(args->out, &at);
    const char *slash = strrchr(args->out, '/');
    args->sequence = length > 0;
    const char *strange = strange_number_in(args->out);
    if (strange) {
        cli_error("render: '%s': expected %%d or %%04d for the number of a picture, not '%.*s'",
                  args->out, (int)strspn(strange + 1, "0123456789") + 2, strange);
        return false;
    }
    if (!args->sequence) {
        return true;
    }
    if (strcmp(args->format, "png") != 0 || (slash && args->out + at < slash) ||
        number_in(args->out + at + length, &second) > 0 || strlen(args->out) > RENDER_PATH - 128) {
        cli_error("render: '%s': expected one number such as %%04d, in the name of a .png",
                  args->out);
        return false;
    }
    return true;
}

static bool choose_format(render_args *args) {
    static const char *const formats[] = {"png", "webm", "gif"};
    const char *dot = args->out ? strrchr(args->out, '.') : NULL;
    for (size_t k = 0; dot && k < sizeof formats / sizeof formats[0]; k++) {
        args->format = strcmp(dot + 1, formats[k]) == 0 ? formats[k] : args->format;
    }
    if (!args->out) {
        cli_error("render: -o OUT is missing: the name of a .png, .webm or .gif file");
    } else if (!args->format) {
        cli_error("render: the name '%s' must end in .png, .webm or .gif", args->out);
    }
    return args->format != NULL && choose_sequence(args);
}

// What cannot be drawn is told before anything is simulated.
static bool check(const render_args *a) {
    const bool scene = cli_is_scene(a->file);
    if (scene &&
        (a->wind > 0 || a->steps >= 0 || a->seed >= 0 || a->defines.count > 0 || a->view)) {
        cli_error("render: --wind, --steps, --seed, --define and --view are for models; the scene "
                  "%s says its own",
                  a->file);
        return false;
    }
    if (a->fps > 1000 || a->zoom > 1000 || fabs(a->turn) > 1e6 || fabs(a->rise) > 180 ||
        a->wind > 1000 || a->duration > 1e6) {
        cli_error("render: expected --fps, --zoom and --wind of at most 1000, --rise from -180 to "
                  "180, --duration of at most 1e6 s");
        return false;
    }
    if (strcmp(a->format, "webm") == 0 && (a->width % 2 || a->height % 2)) {
        cli_error("render: a .webm needs even sides, not %lldx%lld", (long long)a->width,
                  (long long)a->height);
        return false;
    }
    return check_background(a->background);
}

static bool check_count(const render_args *a, const render_page *page) {
    const bool gif = strcmp(a->format, "gif") == 0;
    const double pixels = (double)page->count * (double)a->width * (double)a->height;
    if (page->count > MOST_PICTURES || (gif && pixels > MOST_PIXELS)) {
        cli_error(
            "render: %lld pictures are too many%s; use a shorter --duration, a lower --fps or "
            "a smaller --size",
            (long long)page->count, gif ? " for a .gif of this size" : "");
        return false;
    }
    return true;
}

static int render(const render_args *args) {
    render_page page;
    int code = render_page_make(args, &page);
    if (code == EXIT_STOPPED) {
        cli_error("render: stopped; nothing is written");
    }
    if (code == EXIT_FINE) {
        code = check_count(args, &page) ? draw(args, &page) : EXIT_MISUSE;
    }
    render_page_remove(&page);
    return code;
}

int cli_render(int argc, char **argv) {
    render_args a = {.width = 960,
                     .height = 540,
                     .fps = 25,
                     .zoom = 1,
                     .duration = -1,
                     .orbit = (double)NAN,
                     .background = "day",
                     .steps = -1,
                     .seed = -1};
    const char *size = NULL;
    const cli_option options[] = {{"-o", CLI_TEXT, &a.out, 0},
                                  {"--size", CLI_TEXT, &size, 0},
                                  {"--time", CLI_REAL, &a.time, 0},
                                  {"--duration", CLI_REAL, &a.duration, 0.001},
                                  {"--fps", CLI_REAL, &a.fps, 0.1},
                                  {"--turn", CLI_REAL, &a.turn, -1e6},
                                  {"--rise", CLI_REAL, &a.rise, -180},
                                  {"--zoom", CLI_REAL, &a.zoom, 0.001},
                                  {"--orbit", CLI_REAL, &a.orbit, -1e6},
                                  {"--background", CLI_TEXT, &a.background, 0},
                                  {"--wind", CLI_REAL, &a.wind, 0},
                                  {"--steps", CLI_INTEGER, &a.steps, 0},
                                  {"--seed", CLI_INTEGER, &a.seed, 0},
                                  {"--define", CLI_DEFINE, &a.defines, 0},
                                  {"-D", CLI_DEFINE, &a.defines, 0},
                                  {"--view", CLI_TEXT, &a.view, 0},
                                  CLI_MESH_OPTIONS(a.look),
                                  {0}};
    if (cli_read_options(argc, argv, options, "render", "one FILE") < 0) {
        return EXIT_MISUSE;
    }
    a.file = argv[0];
    if (!choose_format(&a) || (size && !read_size(size, &a)) || !check(&a)) {
        return EXIT_MISUSE;
    }
    const char *slash = strrchr(a.out, '/');
    if (slash && !cli_make_folder(a.out, (size_t)(slash - a.out), "render")) {
        return EXIT_CANNOT_WRITE;
    }
    return render(&a);
}
