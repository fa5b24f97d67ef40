// SPDX-License-Identifier: MIT
// tendril run: a scene in motion, recorded.
//
// Method   Steps the world and appends each frame to streams. Every few seconds, and when somebody
//          asks it to stop, a checkpoint is written, always after what it counts has been recorded:
//          a run that goes on from it makes the same bytes as one that was never stopped.

#include "cli/run.h"

#include <errno.h>
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define ROUNDING 1e-6 // of a frame and of a step

const char cli_run_help[] =
    "Usage: tendril run SCENE [-o DIR] [OPTION...]\n"
    "\n"
    "Simulates a scene and writes to DIR: scene.glb (animated glTF), scene.html (a page\n"
    "that plays the motion), probes.csv and energy.csv ('tendril plot DIR' draws them)\n"
    "and summary.json.\n"
    "\n"
    "  -o DIR                folder to write, created if missing; default: out/NAME,\n"
    "                        with the name of the scene's file\n"
    "  --dt S                time step in s, instead of the scene's: 0.01 or 1/100\n"
    "  --threads N           number of threads (all cores); it does not change the result\n"
    "  --frames A:B          record only frames A to B, counted from 0; A or B may be left out\n"
    "  --checkpoint-every S  time between checkpoints in s of wall time (5)\n"
    "  --resume              continue the last run of this scene in DIR\n" CLI_MESH_HELP "\n"
    "A run that is stopped, by Ctrl-C or otherwise, keeps its results in DIR/.run.\n"
    "Exit codes: 3 the scene has an error, 4 the motion diverges, 5 DIR cannot be\n"
    "written, 130 stopped by Ctrl-C.\n";

typedef struct run_state {
    const run_args *args;
    const td_scene_def *def;
    char name[256]; // of the scene's file, without folder and extension
    cli_scene scene;
    run_clip clip;
    run_files files;
    run_done done;
    int64_t first, last; // frames to record
    double *probes;
    cli_progress progress;
    double started, earlier; // s: clock when stepping began; wall time before that
    char fault[400];
} run_state;

// ---- being stopped --------------------------------------------------------------------------

static volatile sig_atomic_t stopped;

static void stop(int number) {
    (void)number;
    stopped = 1;
}

// A second request ends the process at once.
static void set_signals(void (*handler)(int)) {
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_handler = handler;
    action.sa_flags = (int)SA_RESETHAND;
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
    sigaction(SIGHUP, &action, NULL);
}

// ---- stepping -------------------------------------------------------------------------------

static void show_progress(run_state *s, bool end) {
    double time = td_world_time(s->scene.world), whole = (double)s->last / s->def->record.fps;
    double factor = s->done.wall > 0 ? time / s->done.wall : 0;
    cli_progress_show(&s->progress, whole > 0 ? time / whole : 1, end,
                      "%.2f of %.2f s, %.3g times real time, %.0f s left", time, whole, factor,
                      factor > 0 ? (whole - time) / factor : 0);
}

// A step and the frames in it that are to be recorded.
typedef struct span {
    double from, length; // s
    int64_t first, last; // last < first: none
} span;

static span span_from(const run_state *s, double from, double length) {
    const int64_t last = (int64_t)floor((from + length) * s->def->record.fps + ROUNDING);
    return (span){from, length, s->first + s->done.frames, last < s->last ? last : s->last};
}

// 0..1: of the step; 1 at its end.
static double part_of(const run_state *s, const span *step, int64_t frame) {
    const double after = (double)frame / s->def->record.fps - step->from;
    return after >= (1 - ROUNDING) * step->length ? 1 : fmax(after / step->length, 0);
}

static int pack(run_state *s) {
    if (!run_clip_pack(&s->clip, s->scene.world)) {
        cli_error("run: out of memory for the contacts of a frame");
        return EXIT_BAD_INPUT;
    }
    return EXIT_FINE;
}

// Its frames, and a row of each table, which is that of the step's end.
static int record(run_state *s, const span *step) {
    FILE *const *streams = s->files.streams;
    int code = streams[RUN_FRAMES] ? pack(s) : EXIT_FINE;
    if (code != EXIT_FINE) {
        return code;
    }
    errno = 0; // so that a failure is told by its own reason
    if (s->done.frames == 0 && streams[RUN_PROBES]) {
        run_probe_heading(s->scene.world, streams[RUN_PROBES]);
    }
    if (s->done.frames == 0 && streams[RUN_ENERGY]) {
        run_energy_heading(s->scene.world, s->def, streams[RUN_ENERGY]);
    }
    for (int64_t frame = step->first; frame <= step->last && streams[RUN_FRAMES]; frame++) {
        fwrite(run_clip_frame(&s->clip, part_of(s, step, frame)), sizeof *s->clip.frame,
               (size_t)s->clip.frame_size, streams[RUN_FRAMES]);
    }
    if (streams[RUN_PROBES]) {
        run_probe_row(s->scene.world, s->probes, streams[RUN_PROBES]);
    }
    if (streams[RUN_ENERGY]) {
        run_energy_row(s->scene.world, s->def, streams[RUN_ENERGY]);
    }
    s->done.frames += step->last - step->first + 1;
    return run_files_flush(&s->files);
}

static int step(run_state *s) {
    td_diag diag = {.message = ""};
    td_world *world = s->scene.world;
    const span wanted = span_from(s, td_world_time(world), td_world_dt(world));
    const bool any = wanted.first <= wanted.last;
    if (any && s->clip.began && part_of(s, &wanted, wanted.first) < 1) {
        const int code = pack(s);
        if (code != EXIT_FINE) {
            return code;
        }
        run_clip_begin(&s->clip);
    }
    td_status status = td_world_step(world, &diag);
    if (status != TD_OK) {
        snprintf(s->fault, sizeof s->fault, "%s", diag.message);
        show_progress(s, true);
        cli_print_fault(s->args->scene, status, &diag);
        // as 'check' does: a scene whose first step fails has an error, and there is no motion
        return td_world_time(world) > 0 ? cli_exit_code(status) : EXIT_BAD_INPUT;
    }
    s->done.step++;
    return any ? record(s, &wanted) : EXIT_FINE;
}

static bool is_done(const run_state *s) {
    return s->first + s->done.frames > s->last;
}

// From a checkpoint or from the start to the end.
static int step_all(run_state *s) {
    double saved = cli_seconds();
    int code = EXIT_FINE;
    s->started = saved;
    s->earlier = s->done.wall;
    set_signals(stop);
    if (s->done.step == 0 && s->done.frames == 0 && s->first == 0) {
        const span start = {0};
        code = record(s, &start);
    }
    while (code == EXIT_FINE && !is_done(s) && !stopped) {
        code = step(s);
        double now = cli_seconds();
        s->done.wall = s->earlier + now - s->started;
        show_progress(s, false);
        if (code == EXIT_FINE && now - saved >= s->args->checkpoint_every) {
            code = run_files_checkpoint(&s->files, s->scene.world, &s->done);
            saved = cli_seconds();
        }
    }
    if (code == EXIT_FINE) {
        show_progress(s, true);
        // also at the end: what is left then is writing
        code = run_files_checkpoint(&s->files, s->scene.world, &s->done);
    }
    set_signals(SIG_DFL);
    return code == EXIT_FINE && !is_done(s) ? EXIT_STOPPED : code;
}

// ---- the parts of a run ---------------------------------------------------------------------

// "A:B", where either may be missing. False after telling what is wrong.
static bool choose_frames(run_state *s) {
    double count = floor(s->def->record.duration * s->def->record.fps + 1e-6);
    long long first = 0, last = (long long)count;
    if (s->args->frames) {
        const char *text = s->args->frames;
        char *end = (char *)text;
        first = text[0] == ':' ? 0 : strtoll(text, &end, 10);
        bool colon = *end == ':';
        const char *second = colon ? end + 1 : end;
        if (colon && second[0]) {
            last = strtoll(second, &end, 10);
        } else {
            end = (char *)second;
        }
        if (!colon || *end || first < 0 || last < first || (double)first > count) {
            cli_error("run: --frames expects A:B with A at most B and both from 0 to %.0f, "
                      "not '%s'",
                      count, text);
            return false;
        }
        last = (double)last > count ? (long long)count : last;
    }
    s->first = first;
    s->last = last;
    return true;
}

static void tell_step(const run_state *s) {
    const double dt = td_world_dt(s->scene.world), fps = s->def->record.fps;
    if (dt * fps > 1 + ROUNDING) {
        cli_error("%s: note: steps of %g s are longer than frames of 1/%g s; the motion within a "
                  "step is interpolated",
                  s->args->scene, dt, fps);
    }
}

static void choose_name(run_state *s) {
    const char *path = strcmp(s->args->scene, "-") == 0 ? "scene" : s->args->scene;
    const char *slash = strrchr(path, '/');
    snprintf(s->name, sizeof s->name, "%s", slash ? slash + 1 : path);
    char *dot = strrchr(s->name, '.');
    if (dot && dot != s->name) {
        *dot = 0;
    }
}

// Reads the scene and makes all that needs memory, before anything is written.
static int prepare(run_state *s) {
    int32_t threads = s->args->threads > 0 ? (int32_t)s->args->threads : cli_core_count();
    int code = cli_scene_open(s->args->scene, threads, NULL, &s->scene);
    if (code != EXIT_FINE) {
        return code;
    }
    td_diag diag = {.message = ""};
    if (s->args->dt > 0 && td_world_set(s->scene.world, "step", s->args->dt, &diag) != TD_OK) {
        cli_error("run: --dt: %s", diag.message);
        return EXIT_MISUSE;
    }
    s->def = td_scene_def_get(s->scene.scene);
    tell_step(s);
    if (!choose_frames(s)) {
        return EXIT_MISUSE;
    }
    if (s->last - s->first >= INT32_MAX) {
        cli_error("run: %lld frames are too many; use --frames or a lower record.fps",
                  (long long)(s->last - s->first + 1));
        return EXIT_BAD_INPUT;
    }
    s->probes = malloc(((size_t)td_world_probe_columns(s->scene.world) + 1) * sizeof *s->probes);
    if (!s->probes) {
        cli_error("run: out of memory");
        return EXIT_BAD_INPUT;
    }
    return run_clip_open(s->args->scene, &s->scene, s->last - s->first + 1, s->args, &s->clip);
}

// What a checkpoint must agree with.
static uint64_t key_of(const run_state *s) {
    double dt = td_world_dt(s->scene.world);
    uint64_t key = run_hash(0, s->scene.text.data, s->scene.text.size);
    key = run_hash(key, td_version(), strlen(td_version()));
    key = run_hash(key, &dt, sizeof dt);
    key = run_hash(key, &s->first, sizeof s->first);
    return run_hash(key, &s->last, sizeof s->last);
}

static int open_files(run_state *s) {
    char folder[300];
    const bool tables = !s->args->page_only;
    const bool wanted[RUN_STREAM_COUNT] = {[RUN_FRAMES] = s->clip.actor_count > 0,
                                           [RUN_PROBES] =
                                               tables && td_world_probe_columns(s->scene.world) > 0,
                                           [RUN_ENERGY] = tables && s->def->record.energy};
    bool found = false;
    snprintf(folder, sizeof folder, "out/%s", s->name);
    int code = run_files_open(&s->files, s->args->folder ? s->args->folder : folder, key_of(s),
                              s->scene.world);
    if (code == EXIT_FINE && s->args->resume) {
        code = run_files_resume(&s->files, wanted, s->scene.world, &s->done, &found);
        if (code == EXIT_FINE && !found) {
            cli_error("run: %s has no checkpoint; starting from the beginning", s->files.folder);
        }
    }
    return code == EXIT_FINE && !found ? run_files_begin(&s->files, wanted) : code;
}

// What remains of a run whose folder is full or gone.
static int keep(const run_state *s) {
    if (s->files.saved) {
        cli_error(
            "run: the last checkpoint is kept; the same command with --resume continues from it");
    }
    return EXIT_CANNOT_WRITE;
}

static void warn_of_end(const td_world *world, const char *scene) {
    char overlaps[RUN_UNMET_TEXT];
    if (run_overlaps(world, overlaps)) {
        cli_error("%s: warning: %s", scene, overlaps);
    }
    for (int32_t k = 0; k < td_world_constraint_count(world); k++) {
        char text[RUN_UNMET_TEXT];
        if (run_unmet(world, k, text)) {
            cli_error("%s: warning: %s", scene, text);
        }
    }
}

static int finish(run_state *s, int code) {
    run_result result = {.scene_path = s->args->scene,
                         .title = s->name,
                         .scene = &s->scene,
                         .clip = &s->clip,
                         .done = s->done,
                         .from_start = s->first == 0,
                         .page_only = s->args->page_only,
                         .fault = s->fault[0] ? s->fault : NULL};
    if (code == EXIT_STOPPED && s->args->page_only) {
        return code;
    }
    if (code == EXIT_STOPPED) {
        cli_error("run: stopped at %g of %g s; the same command with --resume continues",
                  td_world_time(s->scene.world), (double)s->last / s->def->record.fps);
        return code;
    }
    if (code != EXIT_FINE && code != EXIT_DIVERGED) {
        return code == EXIT_CANNOT_WRITE ? keep(s) : code;
    }
    warn_of_end(s->scene.world, s->args->scene);
    int written = run_outputs(&s->files, &result);
    if (written == EXIT_CANNOT_WRITE) {
        keep(s);
    }
    if (written == EXIT_FINE && code == EXIT_FINE && !s->args->page_only) {
        double time = td_world_time(s->scene.world);
        printf("%s: %lld frames, %g s in %.3g s, %.3g times real time\n", s->files.folder,
               (long long)s->done.frames, time, s->done.wall,
               s->done.wall > 0 ? time / s->done.wall : 0);
    }
    return code == EXIT_FINE ? written : code;
}

int run_scene(const run_args *args) {
    static run_state s;
    s = (run_state){.args = args, .files = {.lock = -1}};
    choose_name(&s);
    int code = prepare(&s);
    if (code == EXIT_FINE) {
        code = open_files(&s);
    }
    bool begun = code == EXIT_FINE;
    if (begun) {
        code = finish(&s, step_all(&s));
    }
    // without a checkpoint nobody can go on from what is there
    run_files_close(&s.files, begun && (code == EXIT_FINE || !s.files.saved));
    run_clip_free(&s.clip);
    free(s.probes);
    cli_scene_free(&s.scene);
    return code;
}

// ---- entry ----------------------------------------------------------------------------------

int cli_run(int argc, char **argv) {
    run_args args = {.checkpoint_every = 5};
    const cli_option options[] = {{"-o", CLI_TEXT, &args.folder, 0},
                                  {"--dt", CLI_REAL, &args.dt, 1e-9},
                                  {"--threads", CLI_INTEGER, &args.threads, 1},
                                  {"--frames", CLI_TEXT, &args.frames, 0},
                                  {"--checkpoint-every", CLI_REAL, &args.checkpoint_every, 0},
                                  {"--resume", CLI_FLAG, &args.resume, 0},
                                  CLI_MESH_OPTIONS(args.look),
                                  {0}};
    if (cli_read_options(argc, argv, options, "run", "one SCENE") < 0) {
        return EXIT_MISUSE;
    }
    if (args.threads > 256 || (args.folder && !args.folder[0])) {
        cli_error(
            "run: expected at most 256 --threads and a name after -o; see 'tendril run --help'");
        return EXIT_MISUSE;
    }
    args.scene = argv[0];
    return run_scene(&args);
}
