// SPDX-License-Identifier: MIT
// What a run leaves: glTF, page, tables and summary, made from its streams.
//
// Method   Every file is made in FOLDER/.run and moved into FOLDER when all are there. The streams
//          stay until then: a run that is killed here goes on here.

#include "cli/run.h"

#include <errno.h>
#include <math.h>
#include <string.h>
#include <unistd.h>

#define MAX_PLAYER ((size_t)64 << 20)  // bytes
#define MAX_TABLE  ((size_t)256 << 20) // bytes of a table in a page

enum { OUT_GLB, OUT_PAGE, OUT_PROBES, OUT_ENERGY, OUT_SUMMARY, OUT_COUNT };

static const char *const out_names[OUT_COUNT] = {[OUT_GLB] = "scene.glb",
                                                 [OUT_PAGE] = "scene.html",
                                                 [OUT_PROBES] = "probes.csv",
                                                 [OUT_ENERGY] = "energy.csv",
                                                 [OUT_SUMMARY] = "summary.json"};

typedef struct outputs {
    const run_files *files;
    const run_result *result;
    const td_scene_def *def;
    bool made[OUT_COUNT];
} outputs;

// where an output is made; its streams have the same names
static bool made_path(const outputs *o, int which, char path[RUN_MAX_PATH]) {
    char name[32];
    snprintf(name, sizeof name, RUN_MADE "%s", out_names[which]);
    return run_path(path, o->files->work, name);
}

static int report(const outputs *o, td_status status, td_diag *diag) {
    if (status != TD_OK) {
        cli_print_fault(o->result->scene_path, status, diag);
    }
    return cli_exit_code(status);
}

// ---- tables ---------------------------------------------------------------------------------

static int copy_stream(outputs *o, int which) {
    char from[RUN_MAX_PATH], to[RUN_MAX_PATH], block[1 << 16];
    if (!run_path(from, o->files->work, out_names[which]) || !made_path(o, which, to)) {
        return EXIT_CANNOT_WRITE;
    }
    errno = 0;
    FILE *in = fopen(from, "rb"), *out = fopen(to, "wb");
    bool fine = in && out;
    for (size_t got; fine && (got = fread(block, 1, sizeof block, in)) > 0;) {
        fine = fwrite(block, 1, got, out) == got;
    }
    fine = fine && !ferror(in);
    if (in) {
        fclose(in);
    }
    fine = (!out || fclose(out) == 0) && fine;
    if (!fine) {
        cli_error("run: cannot write %s: %s", to, strerror(errno));
        return EXIT_CANNOT_WRITE;
    }
    o->made[which] = true;
    return EXIT_FINE;
}

static int write_probes(outputs *o) {
    return copy_stream(o, OUT_PROBES);
}

static int write_energy(outputs *o) {
    return copy_stream(o, OUT_ENERGY);
}

// ---- summary --------------------------------------------------------------------------------

static void put_number(FILE *out, const char *key, double value) {
    fprintf(out, ",\n  \"%s\": ", key);
    cli_json_number(out, value);
}

bool run_unmet(const td_world *world, int32_t constraint, char text[RUN_UNMET_TEXT]) {
    const td_constraint_history past =
        td_world_constraint_history(world, td_world_constraint_id(world, constraint));
    snprintf(text, RUN_UNMET_TEXT,
             "the constraint '%s' could not be met from %g s on; it was off by up to %.3g",
             td_world_constraint_name(world, td_world_constraint_id(world, constraint)),
             past.unmet_at, past.largest_error);
    return past.unmet_at >= 0;
}

bool run_overlaps(const td_world *world, char text[RUN_UNMET_TEXT]) {
    const td_push_report pushed = td_world_pushed(world);
    const bool one = pushed.overlapping == 1;
    snprintf(text, RUN_UNMET_TEXT,
             "%d pair%s of segments still overlap%s at the end, by %s%.3g m; %s pushed apart",
             (int)pushed.overlapping, one ? "" : "s", one ? "s" : "", one ? "" : "up to ",
             pushed.depth, one ? "it is" : "they are");
    return pushed.overlapping > 0;
}

// m and N, of joints rad and N m
static void put_constraints(const td_world *world, FILE *out) {
    const int32_t count = td_world_constraint_count(world);
    fputs(count > 0 ? ",\n  \"constraints\": [" : "", out);
    for (int32_t k = 0; k < count; k++) {
        const td_constraint_history past =
            td_world_constraint_history(world, td_world_constraint_id(world, k));
        fputs(k > 0 ? ",\n    {\"name\": " : "\n    {\"name\": ", out);
        cli_json_text(out, td_world_constraint_name(world, td_world_constraint_id(world, k)));
        fputs(", \"largest_force\": ", out);
        cli_json_number(out, past.largest_force);
        fputs(", \"largest_error\": ", out);
        cli_json_number(out, past.largest_error);
        if (past.broken_at >= 0) {
            fputs(", \"broken_at\": ", out);
            cli_json_number(out, past.broken_at);
        }
        fputs("}", out);
    }
    fputs(count > 0 ? "]" : "", out);
}

static void put_warnings(const outputs *o, const td_step_stats *stats, FILE *out) {
    const td_world *world = o->result->scene->world;
    const char *between = "";
    fputs(",\n  \"warnings\": [", out);
    if (stats->unconverged > 0) {
        char text[160];
        snprintf(text, sizeof text,
                 "%lld of %lld steps of an actor reached the limit of Newton iterations",
                 (long long)stats->unconverged, (long long)stats->steps);
        cli_json_text(out, text);
        between = ", ";
    }
    for (int32_t k = 0; k < td_world_constraint_count(world); k++) {
        char text[RUN_UNMET_TEXT];
        if (run_unmet(world, k, text)) {
            fputs(between, out);
            cli_json_text(out, text);
            between = ", ";
        }
    }
    char overlaps[RUN_UNMET_TEXT];
    if (run_overlaps(world, overlaps)) {
        fputs(between, out);
        cli_json_text(out, overlaps);
        between = ", ";
    }
    for (int32_t k = 0, last = TD_NONE; k < td_world_actor_count(world); k++) {
        const td_actor a = td_world_actor(world, td_world_actor_id(world, k));
        if (a.unstable && a.object != last) { // once an object
            char text[160];
            snprintf(text, sizeof text, "'%.80s' starts at rest where it is not stable", a.name);
            fputs(between, out);
            cli_json_text(out, text);
            between = ", ";
            last = a.object;
        }
    }
    if (o->result->fault) {
        fputs(between, out);
        cli_json_text(out, o->result->fault);
    }
    fputs("]\n}\n", out);
}

// Of all actors that the integrator `adaptive` steps: what the choices left out and took away.
static void put_adaptive(const td_world *world, FILE *out, double *joints, double *active) {
    double all = 0, updates = 0, left = 0, lost = 0;
    for (int32_t k = 0; k < td_world_actor_count(world); k++) {
        td_adapt_stats stats;
        if (td_world_actor_adapt(world, td_world_actor_id(world, k), &stats)) {
            all += stats.joints;
            *active += stats.active;
            updates += (double)stats.updates;
            left = fmax(left, stats.velocity_left);
            lost += stats.energy_lost;
        }
    }
    *joints += all;
    if (all > 0) {
        put_number(out, "choices_of_joints", updates);
        put_number(out, "largest_velocity_left_out", left);
        put_number(out, "energy_lost_to_rigid_joints", lost);
    }
}

// Of all actors that are stepped implicitly with fewer joints than they have. The estimate is in m.
static void put_reduced(const td_world *world, FILE *out, double *joints, double *active) {
    double of[4] = {0, 0, 0, 0}, changes = 0, estimate = 0;
    for (int32_t k = 0; k < td_world_actor_count(world); k++) {
        td_reduce_stats stats;
        if (td_world_actor_reduction(world, td_world_actor_id(world, k), &stats)) {
            of[0] += stats.joints;
            of[1] += stats.frozen;
            of[2] += stats.joined;
            of[3] += stats.quasistatic;
            changes += (double)stats.changes;
            estimate = fmax(estimate, stats.estimate);
        }
    }
    const double all = of[0] + of[1] + of[2] + of[3];
    *joints += all;
    *active += of[0];
    if (all > 0) {
        put_number(out, "frozen_joints", of[1]);
        put_number(out, "joined_joints", of[2]);
        put_number(out, "quasistatic_joints", of[3]);
        put_number(out, "changes_of_joints", changes);
        put_number(out, "largest_error_estimate", estimate);
    }
}

// Of all objects that leave out joints: how many there are, and how many move by themselves now.
static void put_joints(const td_world *world, FILE *out) {
    double joints = 0, active = 0;
    put_adaptive(world, out, &joints, &active);
    put_reduced(world, out, &joints, &active);
    if (joints > 0) {
        put_number(out, "adaptive_joints", joints);
        put_number(out, "active_joints", active);
    }
}

static void put_chosen(const cli_scene *scene, FILE *out) {
    fputs(scene->chosen_count > 0 ? ",\n  \"chosen\": [" : "", out);
    for (int k = 0; k < scene->chosen_count && k < CLI_CHOSEN; k++) {
        fputs(k > 0 ? ",\n    " : "\n    ", out);
        cli_json_text(out, scene->chosen[k]);
    }
    fputs(scene->chosen_count > 0 ? "]" : "", out);
}

static void put_summary(const outputs *o, FILE *out) {
    td_world *world = o->result->scene->world;
    const run_done *done = &o->result->done;
    td_step_stats stats = td_world_stats(world);
    double time = td_world_time(world);
    int64_t segments = 0, dofs = 0, elements = 0;
    for (int32_t k = 0; k < td_world_actor_count(world); k++) {
        td_actor actor = td_world_actor(world, td_world_actor_id(world, k));
        segments += actor.segment_count;
        dofs += actor.dof_count;
        const td_body *body = td_world_body(world, td_world_actor_id(world, k));
        elements += body ? td_body_element_count(td_body_model_of(body)) : 0;
    }
    fputs("{\n  \"scene\": ", out);
    cli_json_text(out, o->def->name ? o->def->name : o->result->title);
    put_number(out, "time", time);
    put_number(out, "step", td_world_dt(world));
    put_number(out, "fps", o->def->record.fps);
    put_number(out, "frames", (double)done->frames);
    put_number(out, "objects", o->def->object_count);
    put_number(out, "actors", td_world_actor_count(world));
    put_number(out, "segments", (double)segments);
    put_number(out, "degrees_of_freedom", (double)dofs);
    if (elements > 0) {
        put_number(out, "elements", (double)elements);
    }
    put_number(out, "steps", (double)done->step);
    put_number(out, "iterations", (double)stats.iterations);
    put_number(out, "iterations_a_step",
               stats.steps > 0 ? (double)stats.iterations / (double)stats.steps : 0);
    put_number(out, "steps_halved", (double)stats.halved);
    put_number(out, "steps_truncated", (double)stats.truncated);
    put_number(out, "steps_blocked", (double)stats.blocked);
    if (o->def->contact.overlap == TD_OVERLAP_PUSH) {
        const td_push_report pushed = td_world_pushed(world);
        put_number(out, "pairs_pushed_apart", pushed.pairs);
        put_number(out, "pairs_that_overlap", pushed.overlapping);
        put_number(out, "deepest_overlap", pushed.depth);
    }
    put_number(out, "pieces_of_a_step_at_most", TD_STEP_PIECES);
    put_number(out, "largest_force", td_world_largest_force(world));
    put_joints(world, out);
    put_number(out, "wall_time", done->wall);
    put_number(out, "real_time_factor", done->wall > 0 ? time / done->wall : 0);
    put_constraints(world, out);
    put_chosen(o->result->scene, out);
    put_warnings(o, &stats, out);
}

static int write_summary(outputs *o) {
    char path[RUN_MAX_PATH];
    if (!made_path(o, OUT_SUMMARY, path)) {
        return EXIT_CANNOT_WRITE;
    }
    errno = 0;
    FILE *out = fopen(path, "wb");
    if (out) {
        put_summary(o, out);
    }
    bool fine = out && !ferror(out);
    if ((out && fclose(out) != 0) || !fine) {
        cli_error("run: cannot write %s: %s", path, strerror(errno));
        return EXIT_CANNOT_WRITE;
    }
    o->made[OUT_SUMMARY] = true;
    return EXIT_FINE;
}

// ---- glTF and page --------------------------------------------------------------------------

static bool clip_def(const outputs *o, char path[RUN_MAX_PATH], td_clip_def *def) {
    *def = run_clip_def(o->result->clip);
    def->fps = o->def->record.fps;
    def->frame_count = (int32_t)o->result->done.frames;
    def->frames_path = path;
    return run_path(path, o->files->work, "frames.bin");
}

static int write_glb(outputs *o) {
    char frames[RUN_MAX_PATH], path[RUN_MAX_PATH];
    td_clip_def def;
    td_diag diag = {.message = ""};
    if (!clip_def(o, frames, &def) || !made_path(o, OUT_GLB, path)) {
        return EXIT_CANNOT_WRITE;
    }
    def.hide_arrows = !o->def->record.contacts;
    td_status status = td_clip_glb(&def, path, NULL, &diag);
    o->made[OUT_GLB] = status == TD_OK;
    return report(o, status, &diag);
}

// A table that is too large for a page is left out of it, and so is one whose time does not begin
// with that of the clip.
static void read_table(const outputs *o, int which, td_bytes *out) {
    char path[RUN_MAX_PATH];
    *out = (td_bytes){.data = NULL};
    if (o->made[which] && o->result->from_start && made_path(o, which, path)) {
        td_file_read(path, MAX_TABLE, NULL, out, NULL);
    }
}

static int fill_page(outputs *o, const td_bytes *player) {
    char frames[RUN_MAX_PATH], path[RUN_MAX_PATH];
    td_page_def page = td_page_def_default();
    td_clip_def def;
    td_bytes probes, energy;
    td_diag diag = {.message = ""};
    if (!clip_def(o, frames, &def) || !made_path(o, OUT_PAGE, path)) {
        return EXIT_CANNOT_WRITE;
    }
    read_table(o, OUT_PROBES, &probes);
    read_table(o, OUT_ENERGY, &energy);
    page.title = o->def->name ? o->def->name : o->result->title;
    page.text = o->def->text;
    page.player = (const char *)player->data;
    page.player_size = player->size;
    page.probes = (const char *)probes.data;
    page.probes_size = probes.size;
    page.energy = (const char *)energy.data;
    page.energy_size = energy.size;
    td_status status = td_clip_page(&def, &page, path, NULL, &diag);
    td_bytes_free(&probes);
    td_bytes_free(&energy);
    o->made[OUT_PAGE] = status == TD_OK;
    return report(o, status, &diag);
}

static int write_page(outputs *o) {
    char path[RUN_MAX_PATH];
    td_bytes player;
    td_diag diag = {.message = ""};
    if (!cli_share_file("player.html", path, sizeof path)) {
        cli_error(
            "run: scene.html is not written, because player.html is missing; 'make player' builds "
            "it, and TENDRIL_SHARE can name its folder");
        return EXIT_FINE;
    }
    td_status status = td_file_read(path, MAX_PLAYER, NULL, &player, &diag);
    int code = status == TD_OK ? fill_page(o, &player) : report(o, status, &diag);
    td_bytes_free(&player);
    return code;
}

// ---- entry ----------------------------------------------------------------------------------

// Moves what was made into the folder; what an earlier run left there and this one has not goes.
static int move_in(const outputs *o) {
    char from[RUN_MAX_PATH], to[RUN_MAX_PATH];
    for (int k = 0; k < OUT_COUNT; k++) {
        if (!made_path(o, k, from) || !run_path(to, o->files->folder, out_names[k])) {
            return EXIT_CANNOT_WRITE;
        }
        if (o->made[k] ? rename(from, to) != 0 : unlink(to) != 0 && errno != ENOENT) {
            cli_error("run: cannot write %s: %s", to, strerror(errno));
            return EXIT_CANNOT_WRITE;
        }
    }
    return EXIT_FINE;
}

int run_outputs(const run_files *files, const run_result *result) {
    outputs o = {.files = files, .result = result, .def = td_scene_def_get(result->scene->scene)};
    bool clip = result->done.frames > 0 && result->clip->actor_count > 0;
    const struct {
        bool wanted;
        int (*write)(outputs *o);
    } parts[] = {{!result->page_only, write_summary},
                 {files->streams[RUN_PROBES] != NULL, write_probes},
                 {files->streams[RUN_ENERGY] != NULL, write_energy},
                 {clip && o.def->record.glb && !result->page_only, write_glb},
                 {clip && (o.def->record.page || result->page_only), write_page}};
    int first = EXIT_FINE;
    for (size_t k = 0; k < sizeof parts / sizeof parts[0]; k++) {
        int code = parts[k].wanted ? parts[k].write(&o) : EXIT_FINE;
        if (code == EXIT_CANNOT_WRITE) {
            return code;
        }
        // what a clip cannot hold, tables still do
        first = first == EXIT_FINE ? code : first;
    }
    int moved = move_in(&o);
    return moved == EXIT_FINE ? first : moved;
}
