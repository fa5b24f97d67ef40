// SPDX-License-Identifier: MIT
// The frames of a clip, from memory or from a file, and what changes in them.

#define _POSIX_C_SOURCE 200809L // fseeko

#include "io/clip.h"

#include "base/alloc.h"
#include "base/diag.h"

#include <errno.h>
#include <math.h>
#include <string.h>

#define UNIT_ERROR 1e-3 // how far from 1 the length of a rotation's quaternion may be

// ---- checks ---------------------------------------------------------------------------------

// joints that the skeleton does not have would move with nothing
static td_status check_mesh(const td_clip_actor *actor, td_diag *diag) {
    uint32_t count = (uint32_t)td_skeleton_count(actor->skeleton);
    for (int32_t i = 0; i < td_mesh_part_count(actor->mesh); i++) {
        td_mesh_part part = td_mesh_part_get(actor->mesh, i);
        if (!part.joint) {
            return tdi_fail(diag, TD_ERR_ARGUMENT, "the mesh of actor '%s' is not skinned",
                            tdi_actor_name(actor));
        }
        for (size_t k = 0; k < 4 * (size_t)part.vertex_count; k++) {
            if (part.joint[k] >= count) {
                return tdi_fail(diag, TD_ERR_ARGUMENT,
                                "the mesh of actor '%s' belongs to another skeleton",
                                tdi_actor_name(actor));
            }
        }
    }
    if (td_mesh_part_count(actor->mesh) > 0 && count > 65535) {
        return tdi_fail(diag, TD_ERR_LIMIT,
                        "actor '%s' has %u segments; a skin in glTF has at most 65535 joints",
                        tdi_actor_name(actor), (unsigned)count);
    }
    return TD_OK;
}

static td_status check_def(const td_clip_def *def, td_diag *diag) {
    if (!(def->fps > 0) || !isfinite(def->fps)) {
        return tdi_fail(diag, TD_ERR_ARGUMENT, "fps of the clip is %g; it must be above 0",
                        def->fps);
    }
    if (def->frame_count < 1 || def->actor_count < 1 || !def->actors) {
        return tdi_fail(diag, TD_ERR_ARGUMENT, "a clip needs at least one frame and one actor");
    }
    if (def->collider_count < 0 || def->arrow_count < 0 ||
        (def->collider_count > 0 && !def->colliders)) {
        return tdi_fail(diag, TD_ERR_ARGUMENT,
                        "collider_count is %d and arrow_count %d; they must be at least 0, and "
                        "colliders not NULL",
                        (int)def->collider_count, (int)def->arrow_count);
    }
    if (!def->frames == !def->frames_path) {
        return tdi_fail(diag, TD_ERR_ARGUMENT,
                        "give either frames (in memory) or frames_path (a file) of the clip");
    }
    for (int32_t i = 0; i < def->actor_count; i++) {
        if (!def->actors[i].skeleton) {
            return tdi_fail(diag, TD_ERR_ARGUMENT, "actor %d of the clip has no skeleton", (int)i);
        }
        // the actors of a garden share their mesh: it is looked at once
        bool known = i > 0 && def->actors[i].mesh == def->actors[i - 1].mesh &&
                     def->actors[i].skeleton == def->actors[i - 1].skeleton;
        td_status status =
            def->actors[i].mesh && !known ? check_mesh(&def->actors[i], diag) : TD_OK;
        if (status != TD_OK) {
            return status;
        }
    }
    return TD_OK;
}

// ---- reading --------------------------------------------------------------------------------

static td_status check_file(tdi_frames *frames, td_diag *diag) {
    errno = 0;
    off_t size = fseeko(frames->file, 0, SEEK_END) == 0 ? ftello(frames->file) : -1;
    if (size < 0) {
        return tdi_fail_file(diag, TD_ERR_READ, frames->def->frames_path, "read");
    }
    int64_t row = frames->size * (int64_t)sizeof(float);
    if ((int64_t)size / row < frames->def->frame_count) {
        tdi_fail(diag, TD_ERR_READ, "the file has %lld frames of %lld bytes; expected %d",
                 (long long)(size / row), (long long)row, (int)frames->def->frame_count);
        if (diag) {
            tdi_text_copy(diag->file, sizeof diag->file, frames->def->frames_path);
        }
        return TD_ERR_READ;
    }
    return TD_OK;
}

td_status tdi_frames_open(tdi_frames *frames, const td_clip_def *def, td_diag *diag) {
    *frames = (tdi_frames){.def = def};
    TDI_TRY(check_def(def, diag));
    frames->size = td_clip_frame_size(def);
    tdi_frames_set_stride(frames, 1);
    if (def->frames) {
        return TD_OK;
    }
    errno = 0;
    frames->file = fopen(def->frames_path, "rb");
    if (!frames->file) {
        return tdi_fail_file(diag, TD_ERR_READ, def->frames_path, "open");
    }
    return check_file(frames, diag);
}

void tdi_frames_close(tdi_frames *frames) {
    if (frames->file) {
        fclose(frames->file);
        frames->file = NULL;
    }
}

void tdi_frames_set_stride(tdi_frames *frames, int32_t stride) {
    frames->stride = stride;
    frames->count = (frames->def->frame_count - 1) / stride + 1;
}

td_status tdi_frames_read(tdi_frames *frames, int32_t frame, int64_t first, int64_t count,
                          float *out, td_diag *diag) {
    size_t size = (size_t)count * sizeof *out;
    if (frames->rows) {
        memcpy(out, frames->rows + frame * frames->size + first, size);
        return TD_OK;
    }
    int64_t at = (int64_t)frame * frames->stride * frames->size + first;
    if (frames->def->frames) {
        memcpy(out, frames->def->frames + at, size);
        return TD_OK;
    }
    errno = 0;
    if (fseeko(frames->file, (off_t)(at * (int64_t)sizeof *out), SEEK_SET) != 0 ||
        fread(out, 1, size, frames->file) != size) {
        return tdi_fail_file(diag, TD_ERR_READ, frames->def->frames_path, "read");
    }
    return TD_OK;
}

// ---- what changes ---------------------------------------------------------------------------

static td_status fail_value(const tdi_frames *frames, int32_t frame, const tdi_channel *channel,
                            td_diag *diag) {
    const char *what = channel->motion == TDI_TURN    ? "rotation"
                       : channel->motion == TDI_PLACE ? "place"
                                                      : "length";
    if (channel->actor == TD_NONE) {
        bool arrow = tdi_channel_is_arrow(frames->def, channel);
        return tdi_fail(diag, TD_ERR_DIVERGED, "frame %d: the %s of %s %d is not valid",
                        (int)(frame * frames->stride), what, arrow ? "arrow" : "collider",
                        (int)(channel->segment - (arrow ? frames->def->collider_count : 0)));
    }
    const td_clip_actor *actor = &frames->def->actors[channel->actor];
    return tdi_fail_at(diag, TD_ERR_DIVERGED, channel->segment,
                       "frame %d: the %s of actor '%s', segment %d is not valid",
                       (int)(frame * frames->stride), what, tdi_actor_name(actor),
                       (int)channel->segment);
}

static bool is_valid(const float *values, const tdi_channel *channel) {
    double sum = 0;
    for (int k = 0; k < channel->width; k++) {
        if (!isfinite(values[k])) {
            return false;
        }
        sum += (double)values[k] * values[k];
    }
    return channel->motion != TDI_TURN || fabs(sqrt(sum) - 1) <= UNIT_ERROR;
}

// q and -q are the same rotation
static bool is_same(const float *a, const float *b, const tdi_channel *channel) {
    bool same = true, opposite = channel->motion == TDI_TURN;
    for (int k = 0; k < channel->width; k++) {
        same = same && a[k] == b[k];
        opposite = opposite && a[k] == -b[k];
    }
    return same || opposite;
}

static td_status scan_frame(const tdi_frames *frames, int32_t frame, const float *values,
                            const float *first, bool *live, td_diag *diag) {
    tdi_channels all = {.def = frames->def};
    tdi_channel channel;
    for (int64_t c = 0; tdi_channels_next(&all, &channel); c++) {
        const float *here = values + channel.offset;
        if (!is_valid(here, &channel)) {
            return fail_value(frames, frame, &channel, diag);
        }
        live[c] = live[c] || !is_same(here, first + channel.offset, &channel);
    }
    return TD_OK;
}

td_status tdi_frames_scan(tdi_frames *frames, const td_alloc *alloc, float *first, bool *live,
                          td_diag *diag) {
    float *values = tdi_alloc_zeroed(alloc, (size_t)frames->size, sizeof *values);
    if (!values) {
        return tdi_fail(diag, TD_ERR_MEMORY, "out of memory for a frame of the clip");
    }
    td_status status = tdi_frames_read(frames, 0, 0, frames->size, first, diag);
    for (int32_t i = 0; i < frames->count && status == TD_OK; i++) {
        status = tdi_frames_read(frames, i, 0, frames->size, values, diag);
        status = status == TD_OK ? scan_frame(frames, i, values, first, live, diag) : status;
    }
    tdi_alloc_free(alloc, values, (size_t)frames->size * sizeof *values);
    return status;
}
