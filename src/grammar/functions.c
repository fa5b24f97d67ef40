// SPDX-License-Identifier: MIT
// `function:` in a model's header: a B-spline by its control points.

#include "grammar/parser.h"

#include <string.h>

#define MAX_FUNCTIONS     1000
#define EXACT             1e-12 // of x: as good as exact beside the rounding of control points
#define MAX_INLINE_POINTS 1000

bool tdi_add_spline(tdi_parser *p, const tdi_spline *spline) {
    td_grammar *g = p->g;
    if (g->spline_count == MAX_FUNCTIONS) {
        return tdi_parse_fail(p, p->at, "more than %d functions are declared", MAX_FUNCTIONS);
    }
    if (g->spline_count == g->spline_capacity) {
        tdi_spline *grown = tdi_arena_grow(&g->arena, g->splines, g->spline_count,
                                           &g->spline_capacity, sizeof *grown);
        if (!grown) {
            return tdi_parse_memory(p);
        }
        g->splines = grown;
    }
    g->splines[g->spline_count++] = *spline;
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
