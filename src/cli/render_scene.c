// SPDX-License-Identifier: MIT
// The page that `tendril render` draws: a run of the scene, as far as it is shown, in a folder that
// goes afterwards. A model becomes a scene: the plant as it is drawn, or in wind.

#define _XOPEN_SOURCE 700 // realpath

#include "cli/browser.h"
#include "cli/render.h"
#include "cli/run.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define TURN_SECONDS 6.0 // of a clip of a model, which the camera goes around once

// ---- the folder -----------------------------------------------------------------------------

void render_page_remove(render_page *page) {
    browser_remove_folder(page->folder);
}

// ---- models ---------------------------------------------------------------------------------

static void put_text(FILE *out, const char *key, const char *text) {
    fprintf(out, ", \"%s\": ", key);
    cli_json_text(out, text);
}

static void put_model(FILE *out, const render_args *args, const char *model, const char *view) {
    fputs("{\"objects\": [{\"name\": \"plant\"", out);
    put_text(out, "plant", model);
    if (view) {
        put_text(out, "view", view);
    }
    fprintf(out, ", \"start\": \"%s\", \"steps\": %lld, \"seed\": %lld",
            args->wind > 0 ? "settled" : "drawn", (long long)args->steps, (long long)args->seed);
    fputs(", \"define\": {", out);
    for (int32_t k = 0; k < args->defines.count; k++) {
        fputs(k > 0 ? ", " : "", out);
        cli_json_text(out, args->defines.items[k].name);
        fputs(": ", out);
        cli_json_text(out, args->defines.items[k].value);
    }
    fputs("}}]", out);
    if (args->wind > 0) {
        fprintf(out,
                ", \"loads\": [{\"wind\": {\"velocity\": [%.17g, 0, 0], \"intensity\": 0.3, "
                "\"gust\": 0.5, \"onset\": 1}}]",
                args->wind);
    }
    const double end = args->time + (args->duration > 0 ? args->duration : TURN_SECONDS);
    fprintf(out, ", \"record\": {\"duration\": %.17g, \"fps\": %.17g}}\n", end,
            fmax(args->fps, 0.1));
}

// Paths in the scene are relative to its file, so they are made absolute.
static int write_model_scene(const render_args *args, const char *path) {
    char *model = realpath(args->file, NULL),
         *view = args->view ? realpath(args->view, NULL) : NULL;
    const char *missing = !model ? args->file : args->view && !view ? args->view : NULL;
    FILE *out = missing ? NULL : fopen(path, "wb");
    int code = EXIT_FINE;
    if (missing) {
        char hint[200] = "";
        cli_suggest_file(missing, hint, sizeof hint);
        cli_error("render: cannot read %s: %s%s", missing, strerror(errno), hint);
        code = EXIT_BAD_INPUT;
    } else if (out) {
        put_model(out, args, model, view);
    }
    bool fine = out && !ferror(out);
    if (!missing && (!out || fclose(out) != 0 || !fine)) {
        cli_error("render: cannot write %s: %s", path, strerror(errno));
        code = EXIT_CANNOT_WRITE;
    }
    free(model);
    free(view);
    return code;
}

// ---- the time that is shown -----------------------------------------------------------------

bool render_moves(const render_args *args) {
    return args->sequence || strcmp(args->format, "png") != 0;
}

// Chooses pictures, and the recorded frames "A:B" around them.
static int choose_times(const render_args *args, const td_record_def *record, bool model,
                        render_page *page, char frames[64]) {
    const bool still = model && args->wind == 0;
    const double length = render_moves(args) ? args->duration : 0;
    if (args->time > record->duration || args->time + length > record->duration * (1 + 1e-9)) {
        cli_error("render: %s lasts %g s; it cannot be shown from %g to %g s", args->file,
                  record->duration, args->time, args->time + fmax(length, 0));
        return EXIT_MISUSE;
    }
    const double whole = length >= 0 ? length : record->duration - args->time;
    page->count = render_moves(args) ? (int64_t)fmax(1, round(whole * args->fps)) : 1;
    const double first = floor(args->time * record->fps + 1e-6);
    const double last = ceil((args->time + whole) * record->fps - 1e-6);
    page->start = args->time - first / record->fps;
    page->orbit = !isnan(args->orbit) ? args->orbit : still && render_moves(args) ? 360 : 0;
    snprintf(frames, 64, "%.0f:%.0f", first, fmax(first, last));
    if (still) { // nothing moves: one frame is all
        page->start = 0;
        snprintf(frames, 64, "0:0");
    }
    return EXIT_FINE;
}

// ---- entry ----------------------------------------------------------------------------------

static int run_page(const render_args *args, const char *scene_path, bool model,
                    render_page *page) {
    char folder[RENDER_PATH], frames[64];
    cli_scene scene;
    int code = cli_scene_read(scene_path, &scene);
    if (code != EXIT_FINE) {
        return code;
    }
    code = choose_times(args, &td_scene_def_get(scene.scene)->record, model, page, frames);
    cli_scene_free(&scene);
    if (code != EXIT_FINE) {
        return code;
    }
    snprintf(folder, sizeof folder, "%.4000s/run", page->folder);
    snprintf(page->path, sizeof page->path, "%.4000s/run/scene.html", page->folder);
    // a run that takes longer than this is recorded in a folder of its own, by `tendril run`
    const run_args run = {.scene = scene_path,
                          .folder = folder,
                          .frames = frames,
                          .checkpoint_every = 1e9,
                          .page_only = true,
                          .look = args->look};
    return run_scene(&run);
}

int render_page_make(const render_args *args, render_page *page) {
    char path[RENDER_PATH], player[RENDER_PATH];
    const bool model = !cli_is_scene(args->file);
    *page = (render_page){.folder = ""};
    if (!cli_share_file("player.html", player, sizeof player)) {
        cli_error("render: player.html is missing; 'make player' builds it, and TENDRIL_SHARE can "
                  "name its folder");
        return EXIT_BAD_INPUT;
    }
    if (!browser_make_folder("render", "tendril-render", page->folder)) {
        return EXIT_CANNOT_WRITE;
    }
    snprintf(path, sizeof path, "%.4000s/model.json", page->folder);
    int code = model ? write_model_scene(args, path) : EXIT_FINE;
    if (code == EXIT_FINE) {
        code = run_page(args, model ? path : args->file, model, page);
    }
    if (code == EXIT_FINE && access(page->path, R_OK) != 0) {
        cli_error("render: %s has nothing to draw", args->file);
        code = EXIT_BAD_INPUT;
    }
    return code;
}
