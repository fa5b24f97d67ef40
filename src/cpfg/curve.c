// SPDX-License-Identifier: MIT
// Curves as B-splines, from .con files.
//
// Method   A place along the length is looked up in a table of lengths at even parameters, and
//          interpolated between two of them, as in cpfg.

#include "cpfg/curve.h"

#include "cpfg/bspline.h"
#include "math/vec3.h"

#include <string.h>

#define NO_LENGTH 1e-12 // over the size of a curve: what is left by rounding

// ---- places ---------------------------------------------------------------------------------

static td_vec3 point_at(const tdi_curve *c, td_real d) {
    int32_t first;
    td_real weights[4];
    if (c->clamped) {
        tdi_bspline_clamped(c->point_count, d, &first, weights);
    } else {
        tdi_bspline_uniform(c->point_count, d, &first, weights);
    }
    td_vec3 place = {0, 0, 0};
    for (int32_t i = 0; i < 4; i++) {
        place = tdi_madd(place, c->points[first + i], weights[i]);
    }
    return place;
}

td_vec3 tdi_curve_at(const tdi_curve *c, td_real s) {
    int32_t low = 0, high = c->sample_count - 1;
    s = s > 0 ? s : 0;
    s = s < 1 ? s : 1;
    while (high - low > 1) {
        int32_t middle = (low + high) / 2;
        if (c->lengths[middle] > s) {
            high = middle;
        } else {
            low = middle;
        }
    }
    td_real run = c->lengths[high] - c->lengths[low];
    td_real part = run > 0 ? (s - c->lengths[low]) / run : 0;
    return point_at(c, (low + part) / (c->sample_count - 1));
}

bool tdi_curve_measure(tdi_curve *c, int32_t samples, tdi_arena *arena) {
    c->lengths = tdi_arena_zeroed(arena, (size_t)samples, sizeof *c->lengths);
    c->sample_count = samples;
    if (!c->lengths) {
        return false;
    }
    td_vec3 before = point_at(c, 0);
    for (int32_t i = 1; i < samples; i++) {
        td_vec3 place = point_at(c, (td_real)i / (samples - 1));
        c->length += tdi_norm(tdi_sub(place, before));
        c->lengths[i] = c->length;
        before = place;
    }
    td_real size = 0;
    for (int32_t i = 0; i < c->point_count; i++) {
        td_real far = tdi_norm(c->points[i]);
        size = far > size ? far : size;
    }
    if (!(c->length > NO_LENGTH * size)) {
        return false;
    }
    for (int32_t i = 1; i < samples; i++) {
        c->lengths[i] /= c->length;
    }
    return true;
}

// ---- files ----------------------------------------------------------------------------------

static bool add_point(tdi_scan *scan, td_vec3 p, int64_t *capacity, tdi_arena *arena,
                      tdi_curve *c) {
    if (c->point_count == TDI_CURVE_POINTS) {
        return tdi_scan_fail(scan, scan->at, "a curve has more than %d control points",
                             TDI_CURVE_POINTS);
    }
    if (c->point_count == *capacity) {
        td_vec3 *grown =
            tdi_arena_grow(arena, c->points, c->point_count, capacity, sizeof *c->points);
        if (!grown) {
            return false;
        }
        c->points = grown;
    }
    c->points[c->point_count++] = p;
    return true;
}

// `type: or`, `type: open`, `type: cr` of contours; `type: bspline` of newer files
static bool read_type(tdi_scan *scan, tdi_curve *c) {
    char word[32] = "";
    size_t at = scan->at;
    tdi_scan_word(scan, word, sizeof word);
    bool open = strcmp(word, "open") == 0 || strcmp(word, "or") == 0 || strcmp(word, "oe") == 0 ||
                strcmp(word, "bspline") == 0 || strcmp(word, "endpoint") == 0;
    c->closed = strcmp(word, "closed") == 0 || strcmp(word, "cr") == 0 || strcmp(word, "ce") == 0;
    c->clamped =
        strcmp(word, "oe") == 0 || strcmp(word, "ce") == 0 || strcmp(word, "endpoint") == 0;
    return open || c->closed ||
           tdi_scan_fail(scan, at, "the type of the curve is '%s'; expected open or closed", word);
}

// Items such as `name:`, `samples:` and `contact:` up to the points; `points:` and `type:` count.
static bool read_head(tdi_scan *scan, int32_t *lines, tdi_curve *c) {
    bool typed = false;
    *lines = 0;
    while (!tdi_scan_end(scan)) {
        char next = scan->text[scan->at];
        bool number = (next >= '0' && next <= '9') || next == '-' || next == '+' || next == '.';
        if (number && typed && *lines > 0) {
            return true;
        }
        if (tdi_scan_accept(scan, "points:")) {
            if (!tdi_scan_count(scan, 1, TDI_CURVE_POINTS, "the number of control points", lines)) {
                return false;
            }
            tdi_scan_skip_line(scan);
        } else if (tdi_scan_accept(scan, "type:")) {
            typed = true;
            if (!read_type(scan, c)) {
                return false;
            }
        } else {
            tdi_scan_skip_line(scan);
        }
    }
    return tdi_scan_fail(scan, scan->at, "expected 'points:', 'type:' and control points");
}

// x y z, and how often the point counts
static bool read_points(tdi_scan *scan, int32_t lines, tdi_arena *arena, tdi_curve *c) {
    int64_t capacity = 0;
    for (int32_t i = 0; i < lines; i++) {
        td_vec3 p;
        int32_t times = 1;
        if (!tdi_scan_real(scan, &p.x) || !tdi_scan_real(scan, &p.y) ||
            !tdi_scan_real(scan, &p.z) ||
            (!tdi_scan_line_end(scan) &&
             !tdi_scan_count(scan, 1, 100, "the multiplicity of a control point", &times))) {
            return false;
        }
        for (; times > 0; times--) {
            if (!add_point(scan, p, &capacity, arena, c)) {
                return false;
            }
        }
    }
    // a closed curve passes its first points again
    int32_t again = !c->closed ? 0 : c->clamped ? 1 : 3;
    for (int32_t i = 0; i < again; i++) {
        if (!add_point(scan, c->points[i], &capacity, arena, c)) {
            return false;
        }
    }
    return c->point_count >= 4 ||
           tdi_scan_fail(scan, scan->at, "the curve has %d control points; expected at least 4",
                         c->point_count);
}

bool tdi_curve_read(tdi_scan *scan, int32_t samples, tdi_arena *arena, tdi_curve *out) {
    int32_t lines;
    memset(out, 0, sizeof *out);
    if (!tdi_scan_accept(scan, "cver") && !tdi_scan_accept(scan, "version:")) {
        return tdi_scan_fail(scan, scan->at, "this is no curve; expected 'cver' or 'version:'");
    }
    tdi_scan_skip_line(scan);
    if (!read_head(scan, &lines, out) || !read_points(scan, lines, arena, out)) {
        return false;
    }
    if (tdi_curve_measure(out, samples, arena)) {
        return true;
    }
    return out->lengths ? tdi_scan_fail(scan, scan->at, "the curve has no length") : false;
}
