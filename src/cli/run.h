// SPDX-License-Identifier: MIT
#pragma once

// What the parts of `tendril run` share: a clip being recorded, and the files of a run.

#include "cli/cli.h"

#define RUN_MAX_PATH 4096
#define RUN_MADE     "new-" // how names of outputs begin in FOLDER/.run

// What a run is told. Start from zeros and a `checkpoint_every`.
typedef struct run_args {
    const char *scene, *folder, *frames;
    double dt, checkpoint_every;
    int64_t threads;
    bool resume;
    bool page_only; // whatever the scene records: scene.html and nothing else, and nothing is said
    cli_mesh_args look;
} run_args;

enum { EXIT_STOPPED = 130 };

// Runs a scene. Returns an exit code; unless it is 0 it has said why, but for EXIT_STOPPED with
// page_only.
int run_scene(const run_args *args);

// ---- the clip -------------------------------------------------------------------------------

// What is needed to turn the pose of a world into a frame. Actors of one skeleton share a mesh.
typedef struct run_clip {
    td_clip_actor *actors;
    int32_t actor_count;
    td_mesh **meshes;
    int32_t mesh_count;
    cli_mesh_args look;
    td_clip_scale scale;
    td_clip_collider *colliders;
    int32_t collider_count;
    int32_t arrow_count; // 0: nothing touches, or nobody wants to see it
    td_contact *contacts;
    int32_t contact_capacity;
    int64_t frame_size; // floats
    float *frame;       // at the end of a step
    float *began;       // at its beginning, and a frame in between; NULL: none lies within a step
    float *between;
    td_vec3 *origins; // scratch of the largest actor
    td_quat *rotations;
} run_clip;

// Makes the meshes. Returns an exit code; unless it is 0 it has said why and the clip is empty.
int run_clip_open(const char *scene_path, const cli_scene *scene, int64_t frames,
                  const run_args *args, run_clip *clip);
void run_clip_free(run_clip *clip); // empty is allowed
// Fills clip->frame from the world as it is. False when there is no memory.
bool run_clip_pack(run_clip *clip, const td_world *world);
// The frame becomes that of the beginning of the next step.
void run_clip_begin(run_clip *clip);
// The frame at a part of the step, 0..1.
const float *run_clip_frame(run_clip *clip, double part);
// The clip without its frames.
td_clip_def run_clip_def(const run_clip *clip);

// ---- rows of tables -------------------------------------------------------------------------

void run_probe_heading(const td_world *world, FILE *out);
void run_probe_row(td_world *world, double *values, FILE *out);
void run_energy_heading(const td_world *world, const td_scene_def *def, FILE *out);
void run_energy_row(td_world *world, const td_scene_def *def, FILE *out);

// ---- files ----------------------------------------------------------------------------------

enum { RUN_FRAMES, RUN_PROBES, RUN_ENERGY, RUN_STREAM_COUNT };

// How far a run has come.
typedef struct run_done {
    int64_t step;   // of the world
    int64_t frames; // recorded
    double wall;    // s
} run_done;

// The folder of a run and its streams, which grow in FOLDER/.run until all is done.
typedef struct run_files {
    char folder[RUN_MAX_PATH];
    char work[RUN_MAX_PATH]; // FOLDER/.run
    int lock;
    FILE *streams[RUN_STREAM_COUNT]; // NULL: not recorded
    uint64_t key;                    // of the scene and the options
    unsigned char *bytes;            // of a checkpoint
    size_t size;
    bool saved; // there is a checkpoint of this scene
} run_files;

// A hash of more bytes; start from 0.
uint64_t run_hash(uint64_t hash, const void *bytes, size_t size);
// "FOLDER/NAME"; false when it is too long, which has been told.
bool run_path(char path[RUN_MAX_PATH], const char *folder, const char *name);

// Makes the folder and takes it for this run alone. Returns an exit code, as all below do: unless
// it is 0 they have said why.
int run_files_open(run_files *files, const char *folder, uint64_t key, const td_world *world);
// Starts the streams anew, without what an earlier run has left.
int run_files_begin(run_files *files, const bool wanted[RUN_STREAM_COUNT]);
// Goes on from the checkpoint: world, counts and streams are as they were when it was written.
// *found is false when there is none.
int run_files_resume(run_files *files, const bool wanted[RUN_STREAM_COUNT], td_world *world,
                     run_done *done, bool *found);
// Hands what was recorded to the system, so that it outlives this process.
int run_files_flush(run_files *files);
int run_files_checkpoint(run_files *files, const td_world *world, const run_done *done);
// Closes all, and removes FOLDER/.run if told so.
void run_files_close(run_files *files, bool remove);

// ---- outputs --------------------------------------------------------------------------------

typedef struct run_result {
    const char *scene_path;
    const char *title; // of the page when the scene has no name
    const cli_scene *scene;
    const run_clip *clip;
    run_done done;
    bool from_start;   // whether frame 0 is among those recorded
    bool page_only;    // as that of run_args
    const char *fault; // why it ended early; NULL: it did not
} run_result;

// Whether a constraint could not be met, and the warning of that.
#define RUN_UNMET_TEXT 200
bool run_unmet(const td_world *world, int32_t constraint, char text[RUN_UNMET_TEXT]);

// Whether actors overlap that were to be pushed apart, and the warning of that.
bool run_overlaps(const td_world *world, char text[RUN_UNMET_TEXT]);

// Makes all files of a run from its streams and puts them into its folder.
int run_outputs(const run_files *files, const run_result *result);
