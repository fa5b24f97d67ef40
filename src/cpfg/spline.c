// SPDX-License-Identifier: MIT
// Functions as B-splines.
//
// Method   The curve's parameter at which it passes x is found by bisection. cpfg stops within
//          0.001 of x, and draws straight lines between the samples of a table; Tendril does
//          both too, so that a model gets the same numbers.

#include "cpfg/spline.h"

#include "cpfg/bspline.h"

#include <math.h>
#include <string.h>

#define CPFG_TOLERANCE 0.001
#define MAX_HALVINGS   100 // more than a double has bits

// ---- values ---------------------------------------------------------------------------------

static void point_at(const tdi_spline *s, td_real d, td_real *x, td_real *y) {
    int32_t first;
    td_real weights[4];
    tdi_bspline_clamped(s->point_count, d, &first, weights);
    *x = *y = 0;
    for (int32_t i = 0; i < 4; i++) {
        *x += weights[i] * s->x[first + i];
        *y += weights[i] * s->y[first + i];
    }
}

static td_real value_by_bisection(const tdi_spline *s, td_real wanted) {
    td_real low = 0, high = 1, x = 0, y = 0;
    for (int32_t i = 0; i < MAX_HALVINGS; i++) {
        td_real middle = (low + high) / 2;
        point_at(s, middle, &x, &y);
        if (!(fabs(x - wanted) > s->tolerance)) {
            break;
        }
        if (x > wanted) {
            high = middle;
        } else {
            low = middle;
        }
    }
    return y;
}

td_real tdi_spline_value(const tdi_spline *s, td_real x) {
    x = x > 0 ? x : 0;
    x = x < 1 ? x : 1;
    if (!s->samples) {
        return value_by_bisection(s, x);
    }
    td_real place = x * (s->sample_count - 1);
    int32_t i = (int32_t)place;
    td_real part = place - i;
    return i == s->sample_count - 1 ? s->samples[i]
                                    : (1 - part) * s->samples[i] + part * s->samples[i + 1];
}

// Fills the table of a spline whose points are set. False without memory.
static bool sample(tdi_spline *s, int32_t count, tdi_arena *arena) {
    if (count <= 2) {
        return true; // no table
    }
    td_real *samples = tdi_arena_zeroed(arena, (size_t)count, sizeof *samples);
    for (int32_t i = 0; i < count && samples; i++) {
        samples[i] = value_by_bisection(s, (td_real)i / (td_real)(count - 1));
    }
    s->samples = samples;
    s->sample_count = count;
    return samples != NULL;
}

// ---- files ----------------------------------------------------------------------------------

// x, y and, at the end of some lines, how often the point counts
static bool read_point(tdi_scan *scan, int64_t *capacity, tdi_arena *arena, tdi_spline *s) {
    td_real x, y;
    int32_t times = 1;
    if (!tdi_scan_real(scan, &x) || !tdi_scan_real(scan, &y)) {
        return false;
    }
    size_t at = scan->at;
    if (!tdi_scan_line_end(scan) &&
        !tdi_scan_count(scan, 1, 100, "the multiplicity of a control point", &times)) {
        return false;
    }
    for (; times > 0; times--) {
        if (s->point_count == TDI_SPLINE_POINTS) {
            return tdi_scan_fail(scan, at, "a function has more than %d control points",
                                 TDI_SPLINE_POINTS);
        }
        if (s->point_count == *capacity) {
            int64_t other = *capacity;
            td_real *grown_x = tdi_arena_grow(arena, s->x, s->point_count, capacity, sizeof *s->x);
            td_real *grown_y = tdi_arena_grow(arena, s->y, s->point_count, &other, sizeof *s->y);
            if (!grown_x || !grown_y) {
                return false;
            }
            s->x = grown_x;
            s->y = grown_y;
        }
        s->x[s->point_count] = (float)x; // cpfg keeps them in single precision
        s->y[s->point_count++] = (float)y;
    }
    return true;
}

// `fver 1 1`, name, samples, and lines that only an editor needs
static bool read_head(tdi_scan *scan, int32_t *samples, tdi_spline *s) {
    int32_t minor, number;
    size_t at = scan->at;
    if (!tdi_scan_count(scan, 0, 99, "the version", &number) ||
        !tdi_scan_count(scan, 0, 99, "the version", &minor)) {
        return false;
    }
    if (number != 1 || minor != 1) {
        return tdi_scan_fail(scan, at, "the function has format %d.%d; expected 1.1", number,
                             minor);
    }
    if (!tdi_scan_expect(scan, "name:") || !tdi_scan_word(scan, s->name, sizeof s->name) ||
        !tdi_scan_expect(scan, "samples:") ||
        !tdi_scan_count(scan, 0, TDI_SPLINE_SAMPLES, "the number of samples", samples)) {
        return tdi_scan_fail(scan, scan->at, "expected a name");
    }
    size_t before;
    do { // background:, markers:, flip: and what follows them
        before = scan->at;
        if (tdi_scan_accept(scan, "points:")) {
            return true;
        }
        tdi_scan_skip_line(scan);
    } while (scan->at > before);
    return tdi_scan_fail(scan, scan->at, "expected 'points:'");
}

// a file's name without folders and suffix
static void set_name(tdi_spline *s, const char *file) {
    const char *slash = strrchr(file, '/');
    tdi_text_copy(s->name, sizeof s->name, slash ? slash + 1 : file);
    char *dot = strrchr(s->name, '.');
    if (dot && dot > s->name) {
        *dot = 0;
    }
}

bool tdi_spline_read(tdi_scan *scan, const char *name, int32_t samples, tdi_arena *arena,
                     tdi_spline *out) {
    int32_t lines = 0;
    int64_t capacity = 0;
    td_real unused;
    memset(out, 0, sizeof *out);
    out->tolerance = CPFG_TOLERANCE;
    set_name(out, name);
    if (tdi_scan_accept(scan, "range:")) { // the older format
        if (!tdi_scan_real(scan, &unused) || !tdi_scan_real(scan, &unused) ||
            !tdi_scan_expect(scan, "points:")) {
            return false;
        }
    } else if (!tdi_scan_accept(scan, "fver")) {
        return tdi_scan_fail(scan, scan->at, "this is no function; expected 'fver' or 'range:'");
    } else if (!read_head(scan, &samples, out)) {
        return false;
    }
    if (!tdi_scan_count(scan, 4, TDI_SPLINE_POINTS, "the number of control points", &lines)) {
        return false;
    }
    for (int32_t i = 0; i < lines; i++) {
        if (!read_point(scan, &capacity, arena, out)) {
            return false;
        }
    }
    return sample(out, samples, arena);
}

bool tdi_spline_set_read(tdi_scan *scan, int32_t *count) {
    int32_t major, minor;
    return tdi_scan_expect(scan, "funcgalleryver") &&
           tdi_scan_count(scan, 1, 1, "the version", &major) &&
           tdi_scan_count(scan, 1, 1, "the version", &minor) && tdi_scan_expect(scan, "items:") &&
           tdi_scan_count(scan, 0, 1000, "the number of functions", count);
}
