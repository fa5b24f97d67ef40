// SPDX-License-Identifier: MIT
// What the turtle draws: pieces, polygons, generalised cylinders, surfaces and balls.

#include "grammar/turtle_axes.h"
#include "grammar/walker.h"

#define MAX_CORNERS 100000 // of one polygon
#define MAX_PIECES  256    // of a generalised cylinder between two control points

// ---- drawing --------------------------------------------------------------------------------

td_status tdi_walker_check_place(const tdi_walker *w) {
    if (!tdi_finite3(w->now.position)) {
        return tdi_fail_at(w->diag, TD_ERR_STRUCTURE, w->module,
                           "module %lld moves the turtle to a place that is not finite",
                           (long long)w->module);
    }
    return TD_OK;
}

static td_status add_corner(tdi_walker *w) {
    tdi_open_polygon *p = &w->polygon.list[w->polygon.depth - 1];
    int64_t count = w->polygon.corner_count - p->first;
    if (count > 0) {
        td_vec3 gap = tdi_sub(w->polygon.corners[w->polygon.corner_count - 1], w->now.position);
        if (tdi_norm(gap) == 0) {
            return TD_OK;
        }
    }
    if (count == MAX_CORNERS) {
        return tdi_fail_at(w->diag, TD_ERR_LIMIT, w->module,
                           "module %lld: a polygon has more than %d corners", (long long)w->module,
                           MAX_CORNERS);
    }
    td_vec3 *grown = tdi_array_reserve(w->alloc, w->polygon.corners, &w->polygon.corner_capacity,
                                       w->polygon.corner_count + 1, sizeof *grown);
    TDI_TRY(grown ? TD_OK : TD_ERR_MEMORY);
    w->polygon.corners = grown;
    w->polygon.corners[w->polygon.corner_count++] = w->now.position;
    return TD_OK;
}

static td_status draw_segment(tdi_walker *w, tdi_turtle *at, td_real length, td_real width_end) {
    if (!w->sink || !w->sink->segment || length == 0) {
        return TD_OK;
    }
    tdi_turtle from = *at;
    if (length < 0) {
        from.heading = tdi_scale(from.heading, -1);
        from.left = tdi_scale(from.left, -1);
    }
    td_status status =
        w->sink->segment(w->sink->context, &from, fabs(length), width_end, w->module, w->diag);
    at->mark = from.mark;
    return status;
}

// What F and G draw, always round. Lines that are pixels wide have no width of their own.
static td_status draw_line(tdi_walker *w, td_real length) {
    td_real width = w->now.width;
    int32_t contour = w->now.contour;
    w->now.width = w->g->turtle.pixels ? -1 : width;
    w->now.contour = TD_NONE;
    td_status status = draw_segment(w, &w->now, length, w->now.width);
    w->now.width = width;
    w->now.contour = contour;
    return status;
}

td_status tdi_walker_forward(tdi_walker *w, td_real length, bool draw, bool corner) {
    td_status status = TD_OK;
    bool in_polygon = w->polygon.depth > 0;
    if (in_polygon && corner && !w->polygon.list[w->polygon.depth - 1].moved) {
        w->polygon.list[w->polygon.depth - 1].moved = true;
        status = add_corner(w);
    }
    bool piece = draw && !in_polygon && w->in_cylinder != TDI_OPEN_HERE;
    if (status == TD_OK && piece) {
        status = draw_line(w, length);
    }
    w->now.position = tdi_madd(w->now.position, w->now.heading, length);
    if (piece) { // a cylinder from outside goes on from the end of the piece
        w->cylinder = (tdi_control_point){w->now, w->ends};
    }
    if (status == TD_OK && in_polygon && corner) {
        status = add_corner(w);
    }
    if (status == TD_OK && draw) {
        tdi_axes_bend(&w->now, w->tropism, w->now.elasticity);
        w->heading_before = w->now.heading;
        w->left_before = w->now.left;
    }
    if (w->g->turtle.tropism_count > 0) {
        tdi_tropisms_turn(&w->now, w->g->turtle.tropisms, w->g->turtle.tropism_count,
                          w->now.elasticities);
    }
    return status == TD_OK ? tdi_walker_check_place(w) : status;
}

// ---- polygons and cylinders -----------------------------------------------------------------

static td_status open_polygon(tdi_walker *w) {
    if (w->polygon.depth == TDI_MAX_POLYGONS) {
        return tdi_fail_at(w->diag, TD_ERR_LIMIT, w->module,
                           "module %lld: polygons are nested more than %d deep",
                           (long long)w->module, TDI_MAX_POLYGONS);
    }
    w->polygon.list[w->polygon.depth++] =
        (tdi_open_polygon){w->now, w->polygon.corner_count, false};
    return TD_OK;
}

static td_status close_polygon(tdi_walker *w) {
    if (w->polygon.depth == 0) {
        return tdi_fail_at(w->diag, TD_ERR_STRUCTURE, w->module,
                           "module %lld: '}' closes no polygon", (long long)w->module);
    }
    tdi_open_polygon *p = &w->polygon.list[--w->polygon.depth];
    int64_t count = w->polygon.corner_count - p->first;
    w->polygon.corner_count = p->first;
    if (count < 3) {
        return TD_OK;
    }
    const td_vec3 *corners = w->polygon.corners + p->first;
    // a polygon that returns to its start need not name that corner twice
    if (tdi_norm(tdi_sub(corners[0], corners[count - 1])) < 1e-9) {
        count--;
    }
    if (count < 3 || !w->sink || !w->sink->polygon) {
        return TD_OK;
    }
    return w->sink->polygon(w->sink->context, &p->open, corners, (int32_t)count, w->module,
                            w->diag);
}

td_status tdi_walker_polygon(tdi_walker *w, tdi_turtle_op op) {
    switch (op) {
    case TDI_OP_POLYGON_OPEN: return open_polygon(w);
    case TDI_OP_POLYGON_CLOSE: return close_polygon(w);
    default: return w->polygon.depth > 0 ? add_corner(w) : TD_OK; // TDI_OP_POLYGON_POINT
    }
}

// A control point of a generalised cylinder: pieces from the last one to here. Without a number
// there is one, straight; with a number that many lie along a spline.
static td_status cylinder_point(tdi_walker *w, int32_t pieces) {
    const tdi_control_point start = w->cylinder, end = {w->now, w->ends};
    tdi_turtle from = start.at;
    td_status status = TD_OK;
    for (int32_t k = 1; w->in_cylinder != TDI_NO_CYLINDER && status == TD_OK && k <= pieces; k++) {
        td_real width;
        const td_vec3 to = tdi_cylinder_place(&start, &end, (td_real)k / pieces, &width),
                      span = tdi_sub(k < pieces ? to : end.at.position, from.position);
        const td_real length = tdi_norm(span);
        if (length > 0) {
            from.heading = tdi_scale(span, 1 / length);
            if (from.contour != TD_NONE) { // a cross-section turns as the turtle has
                td_real part = (td_real)(k - 1) / pieces;
                from.left = tdi_madd(tdi_scale(start.at.left, 1 - part), end.at.left, part);
            }
            tdi_axes_renew(&from);
            status = draw_segment(w, &from, length, k < pieces ? width : end.at.width);
            from.position = to;
            from.width = width;
        }
    }
    if (w->in_cylinder != TDI_NO_CYLINDER) {
        w->now.mark = from.mark;
    }
    return status;
}

td_status tdi_walker_cylinder(tdi_walker *w, const tdi_type *type, const double *p) {
    td_status status = TD_OK;
    if (type->op != TDI_OP_CYLINDER_START) {
        double number = type->param_count > 0 ? p[0] : 1;
        status = cylinder_point(w, (int32_t)fmin(fmax(number, 1), MAX_PIECES));
    }
    w->cylinder = (tdi_control_point){w->now, w->ends};
    w->in_cylinder = type->op == TDI_OP_CYLINDER_END ? TDI_NO_CYLINDER : TDI_OPEN_HERE;
    return status;
}

// cpfg draws nothing of a size below 0
static td_status refuse_size(const tdi_walker *w, const tdi_type *type, double size) {
    return w->g->dialect.cpfg ? TD_OK
                              : tdi_fail_at(w->diag, TD_ERR_STRUCTURE, w->module,
                                            "module %lld: %s has size %g; it must be at least 0",
                                            (long long)w->module, type->name, size);
}

// ~X(s) or ~X(across, along, up). From a surface of patches the turtle goes on at its end point.
td_status tdi_walker_surface(tdi_walker *w, const tdi_type *type, const double *p) {
    tdi_turtle *t = &w->now;
    td_real first = type->param_count > 0 ? p[0] : 1;
    td_vec3 size = tdi_vec3(first, first, first);
    if (type->param_count > 2) {
        size = tdi_vec3(p[0], p[1], p[2]);
    }
    if (!(size.x >= 0 && size.y >= 0 && size.z >= 0)) {
        return refuse_size(w, type, fmin(size.x, fmin(size.y, size.z)));
    }
    const tdi_patches *patches = w->g->body.surfaces[type->surface].patches;
    td_status status = TD_OK;
    if (w->sink && w->sink->surface && size.x > 0 && size.y > 0) {
        status = w->sink->surface(w->sink->context, t, type->surface, tdi_scale(size, t->scale),
                                  w->module, w->diag);
    }
    if (patches) {
        td_vec3 end = tdi_scale(patches->end, first * t->scale);
        t->position = tdi_madd(t->position, t->left, -end.x);
        t->position = tdi_madd(t->position, t->heading, end.y);
        t->position = tdi_madd(t->position, t->up, end.z);
    }
    return status == TD_OK ? tdi_walker_check_place(w) : status;
}

td_status tdi_walker_ball(tdi_walker *w, const tdi_type *type, const double *p) {
    const tdi_turtle_sink *s = w->sink;
    bool given = type->param_count > 0;
    if (!s) {
        return TD_OK;
    }
    if (given && !(p[0] >= 0)) {
        return refuse_size(w, type, p[0]);
    }
    if (given && p[0] == 0) {
        return TD_OK;
    }
    td_real width = w->now.width > 0 ? w->now.width : 1;
    return s->ball ? s->ball(s->context, &w->now, type->op == TDI_OP_DISC,
                             given ? p[0] * w->now.scale : width, w->module, w->diag)
                   : TD_OK;
}
