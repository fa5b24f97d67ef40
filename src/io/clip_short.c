// SPDX-License-Identifier: MIT
// Rotations in 16 bits a number, for pages.
//
// Method   rounding each joint by itself would bend a chain of a thousand joints by thirty times
//          what one joint is off, or a thousand times where all are bent alike. So each joint
//          makes up for those below it: with W the world rotation as recorded and V as rounded, the
//          joint i on p is rounded from  V_p^-1 W_i. No segment is then off by more than one step.

#include "io/clip_file.h"

#include "base/diag.h"
#include "math/quat.h"

#include <string.h>

#define STEPS 32767 // of a number from 0 to 1

typedef struct rounding {
    const td_clip_def *def;
    td_quat *exact, *rounded; // world rotations of the segments of the actor at hand
    td_quat base_exact, base_rounded;
} rounding;

static td_real to_step(td_real x) {
    return floor(STEPS * x + 0.5) / STEPS;
}

// what a reader makes of the floats, which need not be of length 1 exactly
static td_quat read_quat(const float *from) {
    td_quat q = {from[3], from[0], from[1], from[2]};
    return tdi_quat_unit(q);
}

// Rounds the rotation of a channel into `out`; NULL: the channel has no track and stays as it is.
static void round_turn(rounding *r, const tdi_channel *channel, const float *in, float *out) {
    td_quat exact = tdi_quat_identity(), rounded = exact, local = read_quat(in);
    if (channel->actor != TD_NONE && channel->segment != TD_NONE) {
        const td_clip_actor *actor = &r->def->actors[channel->actor];
        int32_t parent = td_skeleton_segments(actor->skeleton)[channel->segment].parent;
        exact = parent == TD_NONE ? r->base_exact : r->exact[parent];
        rounded = parent == TD_NONE ? r->base_rounded : r->rounded[parent];
    }
    exact = tdi_quat_unit(tdi_quat_mul(exact, local));
    if (out) {
        td_quat q = tdi_quat_unit(tdi_quat_mul(tdi_quat_conj(rounded), exact));
        out[0] = (float)to_step(q.x);
        out[1] = (float)to_step(q.y);
        out[2] = (float)to_step(q.z);
        out[3] = (float)to_step(q.w);
        local = read_quat(out);
    }
    rounded = tdi_quat_unit(tdi_quat_mul(rounded, local));
    if (channel->actor == TD_NONE) {
        return; // nothing stands on it
    }
    if (channel->segment == TD_NONE) {
        r->base_exact = exact;
        r->base_rounded = rounded;
    } else {
        r->exact[channel->segment] = exact;
        r->rounded[channel->segment] = rounded;
    }
}

static void round_frame(rounding *r, const tdi_clip_file *file, const float *frame, float *row) {
    tdi_channels all = {.def = file->def};
    tdi_channel channel;
    for (int64_t c = 0; tdi_channels_next(&all, &channel); c++) {
        const float *in = frame + channel.offset;
        float *out = file->live[c] ? row : NULL;
        if (channel.motion == TDI_TURN) {
            round_turn(r, &channel, in, out);
        } else if (out) {
            memcpy(out, in, 3 * sizeof *out);
        }
        row += out ? channel.width : 0;
    }
}

td_status tdi_clip_file_shorten(tdi_clip_file *file, td_diag *diag) {
    int32_t most = 0;
    for (int32_t a = 0; a < file->def->actor_count; a++) {
        int32_t count = td_skeleton_count(file->def->actors[a].skeleton);
        most = count > most ? count : most;
    }
    int64_t size = 0;
    for (int64_t t = 0; t < file->track_count; t++) {
        size += file->tracks[t].width;
    }
    size_t frames = (size_t)file->frames.count;
    rounding r = {.def = file->def};
    r.exact = tdi_arena_zeroed(&file->arena, (size_t)most, sizeof *r.exact);
    r.rounded = tdi_arena_zeroed(&file->arena, (size_t)most, sizeof *r.rounded);
    float *frame = tdi_arena_zeroed(&file->arena, (size_t)file->frames.size, sizeof *frame);
    float *rows = tdi_arena_zeroed(&file->arena, frames, (size_t)size * sizeof *rows);
    if (!r.exact || !r.rounded || !frame || !rows) {
        return tdi_fail(diag, TD_ERR_MEMORY, "out of memory for the motion of the page");
    }
    for (int32_t f = 0; f < file->frames.count; f++) {
        TDI_TRY(tdi_frames_read(&file->frames, f, 0, file->frames.size, frame, diag));
        round_frame(&r, file, frame, rows + f * size);
    }
    int64_t offset = 0;
    for (int64_t t = 0; t < file->track_count; t++) {
        file->tracks[t].offset = offset;
        offset += file->tracks[t].width;
    }
    file->frames.rows = rows;
    file->frames.size = size;
    return TD_OK;
}
