// SPDX-License-Identifier: MIT
// Surfaces of Bezier patches, from .s files.
//
// Frame    A file has its own axes, with a heading and an up vector. A point (x, y, z) less the
//          contact point becomes x L + y H + z U, L = H x U, and so a place to cpfg's left,
//          ahead and up.

#include "cpfg/patches.h"

#include "math/vec3.h"

#include <string.h>

bool tdi_patches_add(tdi_patches *patches, const td_vec3 points[TDI_PATCH_POINTS],
                     int64_t *capacity, tdi_arena *arena) {
    const size_t bytes = TDI_PATCH_POINTS * sizeof *points;
    if (patches->count == *capacity) {
        td_vec3 *grown = tdi_arena_grow(arena, patches->points, patches->count, capacity, bytes);
        if (!grown) {
            return false;
        }
        patches->points = grown;
    }
    memcpy(patches->points + TDI_PATCH_POINTS * patches->count++, points, bytes);
    return true;
}

bool tdi_patches_finish(tdi_patches *patches) {
    const int32_t count = TDI_PATCH_POINTS * patches->count;
    int32_t farthest = 0;
    for (int32_t i = 1; i < count; i++) {
        if (tdi_norm(patches->points[i]) > tdi_norm(patches->points[farthest])) {
            farthest = i;
        }
    }
    patches->reach = count > 0 ? tdi_norm(patches->points[farthest]) : 0;
    for (int32_t i = 0; i < count && patches->reach > 0; i++) {
        patches->points[i] = tdi_scale(patches->points[i], 1 / patches->reach);
    }
    patches->far = count > 0 ? patches->points[farthest] : tdi_vec3(0, 0, 0);
    return patches->reach > 0;
}

// ---- files ----------------------------------------------------------------------------------

typedef struct frame {
    td_vec3 contact, end;
    td_vec3 left, heading, up;
    td_real scale;
} frame;

// x, y and z of a line such as `HEADING  X: 0 Y: 1 Z: 0`
static bool read_vector(tdi_scan *scan, const char *first, const char *second, td_vec3 *v) {
    return tdi_scan_expect(scan, first) && (!second || tdi_scan_expect(scan, second)) &&
           tdi_scan_expect(scan, "X:") && tdi_scan_real(scan, &v->x) &&
           tdi_scan_expect(scan, "Y:") && tdi_scan_real(scan, &v->y) &&
           tdi_scan_expect(scan, "Z:") && tdi_scan_real(scan, &v->z);
}

static bool read_precision(tdi_scan *scan) {
    int32_t unused;
    return !tdi_scan_accept(scan, "PRECISION") ||
           (tdi_scan_expect(scan, "S:") &&
            tdi_scan_count(scan, 1, 1000, "the precision", &unused) &&
            tdi_scan_expect(scan, "T:") && tdi_scan_count(scan, 1, 1000, "the precision", &unused));
}

// The head: extremes, precision, contact and end point, axes, size.
static bool read_head(tdi_scan *scan, td_real size, frame *f) {
    td_real unused, own = 0;
    td_vec3 heading, up;
    for (int k = 0; k < 6; k++) {
        if (!tdi_scan_real(scan, &unused)) {
            return false;
        }
    }
    if (!read_precision(scan) || !read_vector(scan, "CONTACT", "POINT", &f->contact) ||
        !read_vector(scan, "END", "POINT", &f->end)) {
        return false;
    }
    size_t at = scan->at;
    if (!read_vector(scan, "HEADING", NULL, &heading) || !read_vector(scan, "UP", NULL, &up) ||
        !tdi_scan_expect(scan, "SIZE:")) {
        return false;
    }
    f->heading = tdi_unit_or(heading, tdi_vec3(0, 0, 0));
    f->left = tdi_cross(f->heading, tdi_unit_or(up, tdi_vec3(0, 0, 0)));
    f->up = tdi_cross(f->left, f->heading);
    if (!(tdi_norm(f->up) > 0)) {
        return tdi_scan_fail(scan, at, "the heading and the up vector have the same direction");
    }
    at = scan->at;
    if (!tdi_scan_real(scan, &own) || !(own > 0)) {
        return tdi_scan_fail(scan, at, "the size is %g; expected a number above 0", own);
    }
    f->scale = size / own;
    return true;
}

// to axes of our own, whose X is to the right and whose Z is opposite to cpfg's up
static td_vec3 placed(const frame *f, td_vec3 p) {
    p = tdi_scale(tdi_sub(p, f->contact), f->scale);
    td_vec3 q = tdi_scale(f->left, p.x);
    q = tdi_madd(q, f->heading, p.y);
    q = tdi_madd(q, f->up, p.z);
    return tdi_vec3(-q.x, q.y, -q.z);
}

// `AL: ~ A: ~ AR: ~` and the like: the names of the patches around; the points say as much
static bool skip_neighbours(tdi_scan *scan) {
    static const char *const keys[] = {"AL:", "A:", "AR:", "L:", "R:", "BL:", "B:", "BR:"};
    char name[64];
    for (size_t k = 0; k < sizeof keys / sizeof keys[0]; k++) {
        if (!tdi_scan_expect(scan, keys[k]) || !tdi_scan_word(scan, name, sizeof name)) {
            return tdi_scan_fail(scan, scan->at, "expected the name of a patch or ~");
        }
    }
    return true;
}

static bool skip_colors(tdi_scan *scan) {
    static const char *const sides[] = {"TOP", "BOTTOM"};
    td_real unused;
    for (int k = 0; k < 2; k++) {
        if (!tdi_scan_expect(scan, sides[k]) || !tdi_scan_expect(scan, "COLOR:") ||
            !tdi_scan_real(scan, &unused) || !tdi_scan_expect(scan, "DIFFUSE:") ||
            !tdi_scan_real(scan, &unused)) {
            return false;
        }
    }
    return true;
}

static bool read_patch(tdi_scan *scan, const frame *f, td_vec3 points[TDI_PATCH_POINTS]) {
    char name[64];
    tdi_scan_word(scan, name, sizeof name);
    if (!skip_colors(scan) || !skip_neighbours(scan)) {
        return false;
    }
    for (int32_t i = 0; i < TDI_PATCH_POINTS; i++) {
        td_vec3 p;
        if (!tdi_scan_real(scan, &p.x) || !tdi_scan_real(scan, &p.y) ||
            !tdi_scan_real(scan, &p.z)) {
            return false;
        }
        points[i] = placed(f, p);
    }
    return true;
}

bool tdi_patches_read(tdi_scan *scan, td_real size, tdi_arena *arena, tdi_patches *out) {
    frame f;
    int64_t capacity = 0;
    td_vec3 points[TDI_PATCH_POINTS];
    memset(out, 0, sizeof *out);
    if (!read_head(scan, size, &f)) {
        return false;
    }
    out->end = placed(&f, f.end);
    while (!tdi_scan_end(scan)) {
        if (out->count == TDI_MAX_PATCHES) {
            return tdi_scan_fail(scan, scan->at, "a surface has more than %d patches",
                                 TDI_MAX_PATCHES);
        }
        if (!read_patch(scan, &f, points) || !tdi_patches_add(out, points, &capacity, arena)) {
            return false;
        }
    }
    return tdi_patches_finish(out) ||
           tdi_scan_fail(scan, scan->at, "the surface has no patch with an extent");
}
