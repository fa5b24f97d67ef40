// SPDX-License-Identifier: MIT
// Functions, curves and contours: their lists, and `function:` and `contour:` in a model's header,
// which give B-splines by their control points.

#include "grammar/parser.h"

#include <string.h>

#define MAX_CURVES        1000
#define CONTOUR_SAMPLES   257 // places at which the length of a contour is measured
#define MAX_FUNCTIONS     1000
#define EXACT             1e-12 // of x: as good as exact beside the rounding of control points
#define MAX_INLINE_POINTS 1000

bool tdi_add_spline(tdi_parser *p, const tdi_spline *spline) {
    td_grammar *g = p->g;
    if (g->tables.spline_count == MAX_FUNCTIONS) {
        return tdi_parse_fail(p, p->at, "more than %d functions are declared", MAX_FUNCTIONS);
    }
    if (g->tables.spline_count == g->tables.spline_capacity) {
        tdi_spline *grown = tdi_arena_grow(&g->arena, g->tables.splines, g->tables.spline_count,
                                           &g->tables.spline_capacity, sizeof *grown);
        if (!grown) {
            return tdi_parse_memory(p);
        }
        g->tables.splines = grown;
    }
    g->tables.splines[g->tables.spline_count++] = *spline;
    return true;
}

// (x, y)
static bool read_point(tdi_parser *p, tdi_spline *s) {
    tdi_skip_space(p);
    size_t at = p->at;
    double x, y;
    if (!tdi_expect(p, "(") || !tdi_parse_constant(p, &x) || !tdi_expect(p, ",") ||
        !tdi_parse_constant(p, &y) || !tdi_expect(p, ")")) {
        return false;
    }
    if (s->point_count == MAX_INLINE_POINTS) {
        return tdi_parse_fail(p, at, "a function has more than %d control points",
                              MAX_INLINE_POINTS);
    }
    double least = s->point_count > 0 ? s->x[s->point_count - 1] : 0;
    if (x < least || x > 1 || (s->point_count == 0 && x > 0)) {
        return tdi_parse_fail(p, at, "control point %d is at x = %g; expected %g%s",
                              s->point_count + 1, x, least,
                              s->point_count == 0 ? "" : " to 1, because x goes from 0 to 1");
    }
    s->x[s->point_count] = x;
    s->y[s->point_count++] = y;
    return true;
}

bool tdi_read_function(tdi_parser *p) {
    tdi_spline s = {.tolerance = EXACT};
    char here[24];
    s.x = tdi_arena_zeroed(&p->g->arena, (size_t)2 * MAX_INLINE_POINTS, sizeof *s.x);
    if (!s.x) {
        return tdi_parse_memory(p);
    }
    s.y = s.x + MAX_INLINE_POINTS;
    if (!tdi_read_name(p, s.name)) {
        return tdi_parse_fail(p, p->at, "expected the name of a function before %s",
                              tdi_here(p, here));
    }
    while (tdi_peek(p) != 0) {
        if (!read_point(p, &s)) {
            return false;
        }
    }
    if (s.point_count < 4) {
        return tdi_parse_fail(p, p->at, "a function has %d control points; expected at least 4",
                              s.point_count);
    }
    if (s.x[s.point_count - 1] < 1) {
        return tdi_parse_fail(p, p->at, "the last control point is at x = %g; expected 1",
                              s.x[s.point_count - 1]);
    }
    return tdi_add_spline(p, &s);
}

// ---- curves and contours --------------------------------------------------------------------

bool tdi_add_curve(tdi_parser *p, const tdi_curve *curve) {
    td_grammar *g = p->g;
    if (g->tables.curve_count == MAX_CURVES) {
        return tdi_parse_fail(p, p->at, "more than %d curves are declared", MAX_CURVES);
    }
    if (g->tables.curve_count == g->tables.curve_capacity) {
        tdi_curve *grown = tdi_arena_grow(&g->arena, g->tables.curves, g->tables.curve_count,
                                          &g->tables.curve_capacity, sizeof *grown);
        if (!grown) {
            return tdi_parse_memory(p);
        }
        g->tables.curves = grown;
    }
    g->tables.curves[g->tables.curve_count++] = *curve;
    return true;
}

bool tdi_add_contour(tdi_parser *p, const tdi_contour *contour) {
    td_grammar *g = p->g;
    for (int32_t i = 0; i < g->body.contour_count; i++) {
        if (g->tables.contours[i].number == contour->number) {
            g->tables.contours[i] = *contour;
            return true;
        }
    }
    if (g->body.contour_count == MAX_CURVES) {
        return tdi_parse_fail(p, p->at, "more than %d contours are declared", MAX_CURVES);
    }
    if (g->body.contour_count == g->tables.contour_capacity) {
        tdi_contour *grown = tdi_arena_grow(&g->arena, g->tables.contours, g->body.contour_count,
                                            &g->tables.contour_capacity, sizeof *grown);
        if (!grown) {
            return tdi_parse_memory(p);
        }
        g->tables.contours = grown;
    }
    g->tables.contours[g->body.contour_count++] = *contour;
    g->body.contours = g->tables.contours;
    return true;
}

// (x, y) as often as they come; the places of the last are those of the first in a closed curve
static bool read_contour_points(tdi_parser *p, tdi_curve *c) {
    while (tdi_peek(p) != 0) {
        size_t at = p->at;
        td_vec3 *point = &c->points[c->point_count];
        if (c->point_count == MAX_INLINE_POINTS) {
            return tdi_parse_fail(p, at, "a contour has more than %d control points",
                                  MAX_INLINE_POINTS);
        }
        if (!tdi_expect(p, "(") || !tdi_parse_constant(p, &point->x) || !tdi_expect(p, ",") ||
            !tdi_parse_constant(p, &point->y) || !tdi_expect(p, ")")) {
            return false;
        }
        c->point_count++;
    }
    if (c->point_count < (c->closed ? 3 : 4)) {
        return tdi_parse_fail(p, p->at, "a contour has %d control points; expected at least %d",
                              c->point_count, c->closed ? 3 : 4);
    }
    for (int32_t i = 0; i < 3 && c->closed; i++) {
        c->points[c->point_count++] = c->points[i];
    }
    return true;
}

// `contour: 1 closed (x,y) (x,y) ...`
bool tdi_read_contour(tdi_parser *p) {
    tdi_contour contour = {.number = 0};
    tdi_curve *c = &contour.curve;
    double number;
    tdi_skip_space(p);
    size_t at = p->at;
    if (!tdi_parse_constant(p, &number)) {
        return false;
    }
    if (!(number >= 1 && number <= 1e6)) {
        return tdi_parse_fail(p, at, "the contour has number %g; expected 1 to 1e6", number);
    }
    contour.number = (int32_t)number;
    c->closed = tdi_accept(p, "closed");
    if (!c->closed && !tdi_expect(p, "open")) {
        return false;
    }
    c->clamped = !c->closed;
    c->points = tdi_arena_zeroed(&p->g->arena, MAX_INLINE_POINTS + 3, sizeof *c->points);
    if (!c->points) {
        return tdi_parse_memory(p);
    }
    if (!read_contour_points(p, c)) {
        return false;
    }
    if (!tdi_curve_measure(c, CONTOUR_SAMPLES, &p->g->arena)) {
        return c->lengths ? tdi_parse_fail(p, at, "the contour has no length")
                          : tdi_parse_memory(p);
    }
    return tdi_add_contour(p, &contour);
}
