// SPDX-License-Identifier: MIT
#pragma once

// The inside of a clip: its channels, and its frames wherever they are.

#include "tendril/clip.h"

#include "io/out.h"

#include <stdio.h>

#define TDI_BASE_SIZE 7 // floats of a base: position and rotation

typedef enum tdi_motion {
    TDI_PLACE,
    TDI_TURN, // a rotation of 4 floats; all else has 3
    TDI_SCALE,
} tdi_motion;

// What one node does: a run of floats in every frame.
typedef struct tdi_channel {
    int32_t actor;   // TD_NONE: a collider or an arrow
    int32_t segment; // TD_NONE: the base; without actor: the collider, or behind them the arrow
    tdi_motion motion;
    int64_t offset; // of its first float in a frame
    int width;
} tdi_channel;

// All channels, in the order in which their floats lie in a frame. Zero-initialise and set the
// clip.
typedef struct tdi_channels {
    const td_clip_def *def;
    int32_t actor;
    int64_t step;     // within the actor: base, rotations, places; behind all: colliders, arrows
    int32_t searched; // segments whose places have been passed
    int64_t offset;
} tdi_channels;

bool tdi_channels_next(tdi_channels *all, tdi_channel *channel);
// Whether it is of an arrow.
bool tdi_channel_is_arrow(const td_clip_def *def, const tdi_channel *channel);

// Frames to be read. Zero-initialise; close with tdi_frames_close() on every path.
typedef struct tdi_frames {
    const td_clip_def *def;
    FILE *file;
    const float *rows; // all that are used, when they are not where the clip has them
    int64_t size;      // floats a frame
    int32_t stride;    // every so many frames is used
    int32_t count;     // of those that are used
} tdi_frames;

// Checks the clip first.
td_status tdi_frames_open(tdi_frames *frames, const td_clip_def *def, td_diag *diag);
void tdi_frames_close(tdi_frames *frames);
void tdi_frames_set_stride(tdi_frames *frames, int32_t stride);
// `count` floats from `first` on of a frame that is used.
td_status tdi_frames_read(tdi_frames *frames, int32_t frame, int64_t first, int64_t count,
                          float *out, td_diag *diag);

// Looks through all frames: *first becomes the first frame, live[c] tells whether channel c
// changes. Floats that are not finite and rotations that are none are refused.
td_status tdi_frames_scan(tdi_frames *frames, const td_alloc *alloc, float *first, bool *live,
                          td_diag *diag);

// Writes the clip as binary glTF into a file that is open. `compact`, for pages: rotations and
// positions in 16 bits a number, normals in 8. Frames are left out until the motion takes at most
// `max_animation_size` bytes; 0: none is.
td_status tdi_clip_stream(const td_clip_def *def, bool compact, int64_t max_animation_size,
                          const td_alloc *alloc, tdi_out *out, td_diag *diag);

const char *tdi_actor_name(const td_clip_actor *actor);
