// SPDX-License-Identifier: MIT
// A clip as animated binary glTF 2.0, written piece by piece.
//
// Motion   frames hold all channels of one moment, glTF wants all moments of one channel. Tracks
//          are therefore written in groups, each gathered from its slice of every frame: all
//          frames are read once, and memory is that of one group.

#include "io/clip_file.h"

#include "base/diag.h"
#include "base/opts.h"
#include "math/quat.h"

#include <string.h>

#define GROUP_FLOATS ((int64_t)2 << 20) // of the tracks that are gathered together

// ---- binary chunk ---------------------------------------------------------------------------

static td_status put_part(const td_mesh_part *part, const tdi_gltf_layout *layout, uint64_t to,
                          const td_alloc *alloc, tdi_out *out) {
    uint64_t from = layout->offset[0];
    uint8_t *bytes = tdi_alloc_zeroed(alloc, (size_t)(to - from), 1);
    TDI_TRY(bytes ? TD_OK : TD_ERR_MEMORY);
    tdi_gltf_put_part(bytes, from, part, layout);
    tdi_out_write(out, bytes, (size_t)(to - from));
    tdi_alloc_free(alloc, bytes, (size_t)(to - from));
    return TD_OK;
}

static td_status put_mesh(const tdi_clip_mesh *mesh, const td_alloc *alloc, tdi_out *out) {
    td_status status = TD_OK;
    for (int32_t i = 0; i < mesh->part_count && status == TD_OK; i++) {
        uint64_t to = i + 1 < mesh->part_count ? mesh->layouts[i + 1].offset[0] : mesh->end;
        status = put_part(&mesh->parts[i], &mesh->layouts[i], to, alloc, out);
    }
    return status;
}

// The inverse of a rigid motion, column by column: R^T, and -R^T o. In a compact file positions are
// p = low + size q, which the matrix undoes: size R^T, and R^T (low - o).
static void put_inverse(td_quat rotation, td_vec3 origin, const tdi_gltf_cube *cube, tdi_out *out) {
    td_quat back = tdi_quat_conj(rotation);
    td_real size = cube->size > 0 ? cube->size : 1;
    td_vec3 columns[4] = {tdi_quat_rotate(back, tdi_vec3(size, 0, 0)),
                          tdi_quat_rotate(back, tdi_vec3(0, size, 0)),
                          tdi_quat_rotate(back, tdi_vec3(0, 0, size)),
                          tdi_quat_rotate(back, tdi_sub(cube->low, origin))};
    uint8_t bytes[64], *at = bytes;
    for (int k = 0; k < 4; k++) {
        at = tdi_gltf_put_float(at, (float)columns[k].x);
        at = tdi_gltf_put_float(at, (float)columns[k].y);
        at = tdi_gltf_put_float(at, (float)columns[k].z);
        at = tdi_gltf_put_float(at, k == 3 ? 1 : 0);
    }
    tdi_out_write(out, bytes, sizeof bytes);
}

static td_status put_binds(const tdi_clip_mesh *mesh, const td_alloc *alloc, tdi_out *out) {
    const td_skeleton *skeleton = mesh->actor->skeleton;
    size_t count = (size_t)td_skeleton_count(skeleton);
    td_vec3 *origins = tdi_alloc_zeroed(alloc, count, sizeof *origins);
    td_quat *rotations = tdi_alloc_zeroed(alloc, count, sizeof *rotations);
    bool good = origins && rotations;
    if (good) {
        td_skeleton_pose(skeleton, td_mesh_pose(mesh->actor->mesh), origins, rotations);
        for (size_t i = 0; i < count; i++) {
            put_inverse(rotations[i], origins[i], &mesh->cube, out);
        }
    }
    tdi_alloc_free(alloc, origins, count * sizeof *origins);
    tdi_alloc_free(alloc, rotations, count * sizeof *rotations);
    return good ? TD_OK : TD_ERR_MEMORY;
}

// a rotation takes the sign that is nearer to the one before, so that readers which mix the four
// numbers do not go the long way round
static void keep_side(float *values, const float *before) {
    double dot = 0;
    for (int k = 0; k < 4; k++) {
        dot += (double)values[k] * before[k];
    }
    for (int k = 0; k < 4 && dot < 0; k++) {
        values[k] = -values[k];
    }
}

static void put_track(const float *values, int64_t count, bool in_short, tdi_out *out) {
    for (int64_t i = 0; i < count; i++) {
        uint8_t bytes[4];
        if (in_short) {
            float x = values[i] < -1 ? -1 : values[i] > 1 ? 1 : values[i];
            int32_t steps = (int32_t)(32767 * x + (x < 0 ? -0.5f : 0.5f));
            bytes[0] = (uint8_t)((uint32_t)steps & 255);
            bytes[1] = (uint8_t)((uint32_t)steps >> 8 & 255);
        } else {
            tdi_gltf_put_float(bytes, values[i]);
        }
        tdi_out_write(out, bytes, in_short ? 2 : 4);
    }
}

// gathers the tracks [from, to) from their slice of every frame, and writes them
static td_status put_group(tdi_clip_file *file, int64_t from, int64_t to, float *slice,
                           float *columns, tdi_out *out, td_diag *diag) {
    int64_t first = file->tracks[from].offset, frames = file->frames.count;
    int64_t end = file->tracks[to - 1].offset + file->tracks[to - 1].width;
    for (int32_t f = 0; f < frames; f++) {
        TDI_TRY(tdi_frames_read(&file->frames, f, first, end - first, slice, diag));
        float *column = columns;
        for (int64_t t = from; t < to; t++) {
            const tdi_channel *track = &file->tracks[t];
            float *here = column + (size_t)f * (size_t)track->width;
            memcpy(here, slice + (track->offset - first), (size_t)track->width * sizeof *here);
            if (track->motion == TDI_TURN && f > 0) {
                keep_side(here, here - 4);
            }
            column += frames * track->width;
        }
    }
    for (int64_t t = from; t < to; t++) {
        int64_t count = frames * file->tracks[t].width;
        put_track(columns, count, file->tracks[t].motion == TDI_TURN && file->compact, out);
        columns += count;
    }
    return TD_OK;
}

static td_status put_motion(tdi_clip_file *file, const td_alloc *alloc, tdi_out *out,
                            td_diag *diag) {
    int64_t frames = file->frames.count;
    int64_t room = GROUP_FLOATS > 4 * frames ? GROUP_FLOATS : 4 * frames;
    float *slice = tdi_alloc_zeroed(alloc, (size_t)file->frames.size, sizeof *slice);
    float *columns = tdi_alloc_zeroed(alloc, (size_t)room, sizeof *columns);
    td_status status = TD_ERR_MEMORY;
    if (slice && columns) {
        status = TD_OK;
        for (int32_t f = 0; f < frames; f++) {
            float time = tdi_clip_file_time(file, f);
            put_track(&time, 1, false, out);
        }
        for (int64_t from = 0, to; from < file->track_count && status == TD_OK; from = to) {
            int64_t taken = 0;
            for (to = from; to < file->track_count; to++) {
                taken += frames * file->tracks[to].width;
                if (taken > room) {
                    break;
                }
            }
            status = put_group(file, from, to, slice, columns, out, diag);
        }
    }
    tdi_alloc_free(alloc, slice, (size_t)file->frames.size * sizeof *slice);
    tdi_alloc_free(alloc, columns, (size_t)room * sizeof *columns);
    return status;
}

static td_status put_pictures(const tdi_clip_file *file, const td_alloc *alloc, tdi_out *out) {
    td_status status = TD_OK;
    for (int i = 0; i < TDI_PICTURE_COUNT && status == TD_OK; i++) {
        if (!file->pictures.used[i]) {
            continue;
        }
        size_t size = (size_t)tdi_gltf_padded(tdi_picture_size((tdi_picture)i));
        uint8_t *bytes = tdi_alloc_zeroed(alloc, size, 1);
        status = bytes ? tdi_picture_write((tdi_picture)i, alloc, bytes) : TD_ERR_MEMORY;
        if (status == TD_OK) {
            tdi_out_write(out, bytes, size);
        }
        tdi_alloc_free(alloc, bytes, size);
    }
    return status;
}

static td_status put_binary(tdi_clip_file *file, const td_alloc *alloc, tdi_out *out,
                            td_diag *diag) {
    uint8_t head[TDI_GLB_BINARY_HEAD];
    td_status status = TD_OK;
    if (file->binary_size == 0) {
        return TD_OK;
    }
    tdi_glb_put_binary_head(head, file->binary_size);
    tdi_out_write(out, head, sizeof head);
    for (int32_t m = 0; m < file->mesh_count && status == TD_OK; m++) {
        status = put_mesh(&file->meshes[m], alloc, out);
    }
    for (int32_t m = 0; m < file->solid_count && status == TD_OK; m++) {
        const tdi_clip_solid *solid = &file->solids[m];
        status = put_part(&solid->part, &solid->layout, solid->end, alloc, out);
    }
    for (int32_t m = 0; m < file->mesh_count && status == TD_OK; m++) {
        status = put_binds(&file->meshes[m], alloc, out);
    }
    if (status == TD_OK && file->track_count > 0) {
        status = put_motion(file, alloc, out, diag);
    }
    return status == TD_OK ? put_pictures(file, alloc, out) : status;
}

// ---- entry ----------------------------------------------------------------------------------

static td_status put_all(tdi_clip_file *file, const td_alloc *alloc, tdi_out *out, td_diag *diag) {
    td_bytes json;
    td_status status = tdi_clip_file_json(file, alloc, &json);
    if (status == TD_OK && tdi_glb_size(json.size, file->binary_size) > UINT32_MAX) {
        status = tdi_fail(diag, TD_ERR_LIMIT, "the clip would take more than 4 GiB as glTF");
    }
    if (status == TD_OK) {
        uint8_t head[TDI_GLB_HEAD];
        tdi_glb_put_head(head, json.size, file->binary_size);
        tdi_out_write(out, head, sizeof head);
        tdi_out_write(out, json.data, json.size);
        tdi_out_write(out, "   ", (size_t)tdi_gltf_padded(json.size) - json.size);
        status = put_binary(file, alloc, out, diag);
    }
    if (status == TD_ERR_MEMORY) {
        tdi_fail(diag, status, "out of memory to write the clip");
    }
    td_bytes_free(&json);
    return status;
}

td_status tdi_clip_stream(const td_clip_def *def, bool compact, int64_t max_animation_size,
                          const td_alloc *alloc, tdi_out *out, td_diag *diag) {
    tdi_clip_file file;
    td_status status = tdi_clip_file_plan(&file, def, compact, max_animation_size, alloc, diag);
    status = status == TD_OK ? put_all(&file, alloc, out, diag) : status;
    tdi_clip_file_free(&file);
    return status;
}

td_status td_clip_glb(const td_clip_def *def, const char *path, const td_alloc *alloc,
                      td_diag *diag) {
    if (!path) {
        return tdi_fail(diag, TD_ERR_ARGUMENT, "td_clip_glb: path is NULL");
    }
    td_clip_def own = td_clip_def_default();
    tdi_out out;
    td_status status = tdi_def_take("td_clip_def", &own, def, diag);
    status = status == TD_OK ? tdi_out_open(&out, path, diag) : status;
    if (status == TD_OK) {
        status = tdi_clip_stream(&own, false, 0, alloc, &out, diag);
        status = tdi_out_close(&out, status, diag);
    }
    return status;
}
