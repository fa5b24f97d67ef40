// SPDX-License-Identifier: MIT
// A camera that sees the whole motion of a clip, as the pages frame it (web/src/framing.ts).
//
// Method   In axes along the camera (x right, y up, z towards it) a point p is inside the left and
//          right edges of the picture when |px - cx| <= t (cz - pz), with t the tangent of half the
//          angle of view. With A = max(px + t pz) and B = max(t pz - px) over all points the
//          nearest such camera is at cz = (A + B)/(2 t), cx = (A - B)/2; likewise for top and
//          bottom. The points are joints and tips in a number of frames, and corners around
//          colliders.

#include "io/clip_file.h"

#include "base/diag.h"
#include "math/quat.h"

#include <math.h>

#define FRAMES     24   // that are looked at
#define TAN_HALF   0.23 // of 26 degrees, upright: a portrait lens, so that crowns keep their shape
#define ASPECT     (16.0 / 9)
#define MARGIN     0.1 // empty share of the picture on each side; leaves reach past their tips
#define DEGREE     0.017453292519943295
#define AZIMUTH    (25 * DEGREE)
#define LEAST_SIZE 1e-3 // m, of what is seen

// Calls take() with every point of the frames that are looked at.
typedef struct points {
    tdi_clip_file *file;
    float *frame;
    td_vec3 *origins;
    td_quat *rotations;
    void (*take)(void *context, td_vec3 point, td_real radius);
    void *context;
} points;

// ---- points ---------------------------------------------------------------------------------

static void visit_frame(const points *p) {
    const td_clip_def *def = p->file->def;
    const float *from = p->frame;
    for (int32_t a = 0; a < def->actor_count; a++) {
        const td_clip_actor *actor = &def->actors[a];
        const td_segment *segments = td_skeleton_segments(actor->skeleton);
        td_clip_unpack(actor, from, NULL, NULL, p->origins, p->rotations);
        for (int32_t i = 0; i < td_skeleton_count(actor->skeleton); i++) {
            const td_vec3 tip = tdi_quat_rotate(p->rotations[i], segments[i].tip);
            p->take(p->context, p->origins[i], segments[i].radius_base);
            p->take(p->context, tdi_add(p->origins[i], tip), segments[i].radius_tip);
        }
        from += td_clip_actor_size(actor);
    }
    for (int32_t k = 0; k < def->collider_count; k++, from += TD_CLIP_COLLIDER) {
        const td_clip_collider *c = &def->colliders[k];
        const td_real reach = c->radius + 0.5 * c->length + 0.5 * tdi_norm(c->sides);
        if (c->kind != TD_COLLIDER_PLANE && c->kind != TD_COLLIDER_HEIGHT_FIELD) {
            p->take(p->context, tdi_vec3(from[0], from[1], from[2]), reach);
        }
    }
}

static td_status visit(points *p, td_diag *diag) {
    const int32_t last = p->file->frames.count - 1, count = last < FRAMES ? last + 1 : FRAMES;
    td_status status = TD_OK;
    for (int32_t k = 0; k < count && status == TD_OK; k++) {
        const int32_t frame = count > 1 ? (int32_t)((int64_t)k * last / (count - 1)) : 0;
        status = tdi_frames_read(&p->file->frames, frame, 0, p->file->frames.size, p->frame, diag);
        if (status == TD_OK) {
            visit_frame(p);
        }
    }
    return status;
}

// ---- what is seen ---------------------------------------------------------------------------

typedef struct box {
    td_vec3 low, high;
} box;

static void take_box(void *context, td_vec3 p, td_real radius) {
    box *b = context;
    const td_vec3 r = tdi_vec3(radius, radius, radius), low = tdi_sub(p, r), high = tdi_add(p, r);
    b->low = tdi_vec3(fmin(b->low.x, low.x), fmin(b->low.y, low.y), fmin(b->low.z, low.z));
    b->high = tdi_vec3(fmax(b->high.x, high.x), fmax(b->high.y, high.y), fmax(b->high.z, high.z));
}

// Axes of the camera, and the greatest of what the points ask for.
typedef struct frustum {
    td_vec3 right, up, back;
    td_real tx, ty;            // tangents, less the margin
    td_real xa, xb, ya, yb;    // A and B of both directions
    td_real nearest, farthest; // along back
} frustum;

static void take_frustum(void *context, td_vec3 p, td_real radius) {
    frustum *f = context;
    const td_real x = tdi_dot(f->right, p), y = tdi_dot(f->up, p), z = tdi_dot(f->back, p);
    f->xa = fmax(f->xa, x + f->tx * z + radius);
    f->xb = fmax(f->xb, f->tx * z - x + radius);
    f->ya = fmax(f->ya, y + f->ty * z + radius);
    f->yb = fmax(f->yb, f->ty * z - y + radius);
    f->nearest = fmax(f->nearest, z + radius);
    f->farthest = fmin(f->farthest, z - radius);
}

// Tall plants are seen nearly level, as one stands before a tree, low ones from above.
static td_real elevation_of(const box *b) {
    const td_vec3 size = tdi_sub(b->high, b->low);
    td_real slender = size.y / fmax(fmax(size.x, size.z), LEAST_SIZE);
    slender = fmin(fmax(slender, 0.4), 1.1);
    return (18 - 14 * (slender - 0.4) / 0.7) * DEGREE;
}

static frustum look_from(td_real elevation) {
    const td_real sa = sin(AZIMUTH), ca = cos(AZIMUTH), level = cos(elevation);
    frustum f = {.right = tdi_vec3(ca, 0, -sa),
                 .back = tdi_vec3(level * sa, sin(elevation), level * ca),
                 .ty = TAN_HALF * (1 - 2 * MARGIN),
                 .xa = -HUGE_VAL,
                 .xb = -HUGE_VAL,
                 .ya = -HUGE_VAL,
                 .yb = -HUGE_VAL,
                 .nearest = -HUGE_VAL,
                 .farthest = HUGE_VAL};
    f.tx = f.ty * ASPECT;
    f.up = tdi_cross(f.back, f.right);
    return f;
}

// First up, then around: R = R_y(azimuth) R_x(-elevation).
static td_quat rotation_of(td_real elevation) {
    const td_real ca = cos(0.5 * AZIMUTH), sa = sin(0.5 * AZIMUTH);
    const td_real ce = cos(0.5 * elevation), se = -sin(0.5 * elevation);
    return (td_quat){.w = ca * ce, .x = ca * se, .y = sa * ce, .z = -sa * se};
}

static tdi_clip_camera place(const frustum *f, td_real elevation) {
    const td_real size = fmax(f->nearest - f->farthest, LEAST_SIZE);
    td_real depth = fmax((f->xa + f->xb) / (2 * f->tx), (f->ya + f->yb) / (2 * f->ty));
    depth = fmax(depth, f->nearest + 0.1 * size);
    td_vec3 at = tdi_scale(f->right, 0.5 * (f->xa - f->xb));
    at = tdi_add(at, tdi_scale(f->up, 0.5 * (f->ya - f->yb)));
    at = tdi_add(at, tdi_scale(f->back, depth));
    return (tdi_clip_camera){.position = at,
                             .rotation = rotation_of(elevation),
                             .yfov = 2 * atan(TAN_HALF),
                             .aspect = ASPECT,
                             .near = 0.05 * (depth - f->nearest + 0.01 * size),
                             .far = 20 * (depth - f->farthest + size)};
}

// ---- entry ----------------------------------------------------------------------------------

td_status tdi_clip_file_camera(tdi_clip_file *file, tdi_clip_camera *out, td_diag *diag) {
    int32_t most = 1;
    for (int32_t a = 0; a < file->def->actor_count; a++) {
        const int32_t count = td_skeleton_count(file->def->actors[a].skeleton);
        most = count > most ? count : most;
    }
    box around = {.low = tdi_vec3(HUGE_VAL, HUGE_VAL, HUGE_VAL),
                  .high = tdi_vec3(-HUGE_VAL, -HUGE_VAL, -HUGE_VAL)};
    tdi_arena *arena = &file->arena;
    points p = {.file = file, .take = take_box, .context = &around};
    p.frame = tdi_arena_zeroed(arena, (size_t)file->frames.size, sizeof *p.frame);
    p.origins = tdi_arena_zeroed(arena, (size_t)most, sizeof *p.origins);
    p.rotations = tdi_arena_zeroed(arena, (size_t)most, sizeof *p.rotations);
    if (!p.frame || !p.origins || !p.rotations) {
        return tdi_fail(diag, TD_ERR_MEMORY, "out of memory for the clip");
    }
    td_status status = visit(&p, diag);
    if (status == TD_OK) {
        const td_real elevation = elevation_of(&around);
        frustum f = look_from(elevation);
        p.take = take_frustum;
        p.context = &f;
        status = visit(&p, diag);
        *out = place(&f, elevation);
    }
    return status;
}
