// SPDX-License-Identifier: MIT
// The turtle.
//
// Frame    H heading, L left, U up, orthonormal, H x L = U (turtle_axes.h).
// Reads    the string, homomorphism applied module by module; the header's turtle items.
// Writes   nothing but calls of the sink; with queries, the parameters of ? modules.

#include "grammar/cylinder.h"
#include "grammar/expand.h"
#include "grammar/query.h"
#include "grammar/turtle_axes.h"

#define MAX_DEPTH    100000 // branches in branches
#define MAX_SYSTEMS  64     // L-systems in L-systems
#define MAX_POLYGONS 64     // polygons in polygons
#define MAX_CORNERS  100000 // of one polygon
#define RENEW_EVERY  1024   // turns after which the axes are made orthonormal again
#define MAX_PIECES   256    // of a generalised cylinder between two control points

typedef struct polygon {
    tdi_turtle open;
    int64_t first; // its first corner among all corners
    bool moved;    // F or f was used: the start counts as a corner
} polygon;

// Whether there is a generalised cylinder that goes on from its last control point. One that was
// opened outside of a branch goes on in it with the first control point there.
typedef enum cylinder_state { NO_CYLINDER, OPEN_OUTSIDE, OPEN_HERE } cylinder_state;

// what '[' saves
typedef struct saved_state {
    tdi_turtle now;
    td_vec3 tropism;
    td_vec3 heading_before, left_before;
    cylinder_state in_cylinder;
    tdi_control_point cylinder;
    tdi_cylinder_ends ends;
} saved_state;

typedef struct opened_system {
    int32_t system; // in which '?' stands
    td_real scale;
} opened_system;

typedef struct walker {
    const td_grammar *g;
    const tdi_turtle_sink *sink; // NULL: nothing is drawn
    const td_alloc *alloc;
    td_diag *diag;
    tdi_turtle now;
    td_vec3 tropism;
    int64_t module; // being read
    int32_t turns;  // since the axes were renewed

    saved_state *stack;
    int64_t depth, stack_capacity;

    polygon polygons[MAX_POLYGONS];
    int32_t polygon_depth;
    td_vec3 *corners;
    int64_t corner_count, corner_capacity;

    cylinder_state in_cylinder;
    tdi_control_point cylinder; // the last one
    tdi_cylinder_ends ends;     // of the next one

    td_vec3 heading_before, left_before; // of the last piece, for @Tp

    opened_system opened[MAX_SYSTEMS]; // by '?', not yet left by '$'
    int32_t opened_count;
    int32_t system; // that the modules at hand belong to

    double *query_params; // NULL: queries are not answered
    int32_t step;
    const td_environment *environment;
} walker;

// ---- turning --------------------------------------------------------------------------------

static void count_turn(walker *w) {
    if (++w->turns >= RENEW_EVERY) {
        w->turns = 0;
        tdi_axes_renew(&w->now);
    }
}

static td_status set_heading(walker *w, const double *p, int32_t count) {
    tdi_turtle *t = &w->now;
    td_real z = count > 2 ? p[2] : 0, size = fmax(fabs(p[0]), fmax(fabs(p[1]), fabs(z)));
    if (!(size > 0)) {
        return tdi_fail_at(w->diag, TD_ERR_STRUCTURE, w->module,
                           "module %lld: @R sets a heading of length 0; expected a direction",
                           (long long)w->module);
    }
    // the squares of very large and very small numbers overflow or vanish: scale first
    td_vec3 heading = tdi_vec3(p[0] / size, p[1] / size, z / size);
    t->heading = tdi_unit_or(heading, heading);
    if (count >= 6) { // cpfg's up: L = H x up
        t->left = tdi_cross(t->heading, tdi_vec3(p[3], p[4], p[5]));
    }
    tdi_axes_renew(t);
    return TD_OK;
}

// ---- drawing --------------------------------------------------------------------------------

static td_status check_place(walker *w) {
    if (!tdi_finite3(w->now.position)) {
        return tdi_fail_at(w->diag, TD_ERR_STRUCTURE, w->module,
                           "module %lld moves the turtle to a place that is not finite",
                           (long long)w->module);
    }
    return TD_OK;
}

static td_status add_corner(walker *w) {
    polygon *p = &w->polygons[w->polygon_depth - 1];
    int64_t count = w->corner_count - p->first;
    if (count > 0) {
        td_vec3 gap = tdi_sub(w->corners[w->corner_count - 1], w->now.position);
        if (tdi_norm(gap) == 0) {
            return TD_OK;
        }
    }
    if (count == MAX_CORNERS) {
        return tdi_fail_at(w->diag, TD_ERR_LIMIT, w->module,
                           "module %lld: a polygon has more than %d corners", (long long)w->module,
                           MAX_CORNERS);
    }
    td_vec3 *grown = tdi_array_reserve(w->alloc, w->corners, &w->corner_capacity,
                                       w->corner_count + 1, sizeof *grown);
    if (!grown) {
        return TD_ERR_MEMORY;
    }
    w->corners = grown;
    w->corners[w->corner_count++] = w->now.position;
    return TD_OK;
}

static td_status draw_segment(walker *w, tdi_turtle *at, td_real length, td_real width_end) {
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

// What F and G draw. Lines that are pixels wide have no width of their own.
static td_status draw_line(walker *w, td_real length) {
    td_real width = w->now.width;
    w->now.width = w->g->turtle.pixels ? -1 : width;
    td_status status = draw_segment(w, &w->now, length, w->now.width);
    w->now.width = width;
    return status;
}

static td_status go_forward(walker *w, td_real length, bool draw, bool corner) {
    td_status status = TD_OK;
    bool in_polygon = w->polygon_depth > 0;
    if (in_polygon && corner && !w->polygons[w->polygon_depth - 1].moved) {
        w->polygons[w->polygon_depth - 1].moved = true;
        status = add_corner(w);
    }
    bool piece = draw && !in_polygon && w->in_cylinder != OPEN_HERE;
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
    return status == TD_OK ? check_place(w) : status;
}

// ---- polygons and cylinders -----------------------------------------------------------------

static td_status open_polygon(walker *w) {
    if (w->polygon_depth == MAX_POLYGONS) {
        return tdi_fail_at(w->diag, TD_ERR_LIMIT, w->module,
                           "module %lld: polygons are nested more than %d deep",
                           (long long)w->module, MAX_POLYGONS);
    }
    w->polygons[w->polygon_depth++] = (polygon){w->now, w->corner_count, false};
    return TD_OK;
}

static td_status close_polygon(walker *w) {
    if (w->polygon_depth == 0) {
        return tdi_fail_at(w->diag, TD_ERR_STRUCTURE, w->module,
                           "module %lld: '}' closes no polygon", (long long)w->module);
    }
    polygon *p = &w->polygons[--w->polygon_depth];
    int64_t count = w->corner_count - p->first;
    w->corner_count = p->first;
    if (count < 3) {
        return TD_OK;
    }
    const td_vec3 *corners = w->corners + p->first;
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

// A control point of a generalised cylinder: pieces from the last one to here. Without a number
// there is one, straight; with a number that many lie along a spline.
static td_status cylinder_point(walker *w, int32_t pieces) {
    const tdi_control_point start = w->cylinder, end = {w->now, w->ends};
    tdi_turtle from = start.at;
    td_status status = TD_OK;
    for (int32_t k = 1; w->in_cylinder != NO_CYLINDER && status == TD_OK && k <= pieces; k++) {
        td_real width;
        const td_vec3 to = tdi_cylinder_place(&start, &end, (td_real)k / pieces, &width),
                      span = tdi_sub(k < pieces ? to : end.at.position, from.position);
        const td_real length = tdi_norm(span);
        if (length > 0) {
            from.heading = tdi_scale(span, 1 / length);
            tdi_axes_renew(&from);
            status = draw_segment(w, &from, length, k < pieces ? width : end.at.width);
            from.position = to;
            from.width = width;
        }
    }
    if (w->in_cylinder != NO_CYLINDER) {
        w->now.mark = from.mark;
    }
    return status;
}

static td_status cylinder(walker *w, const tdi_type *type, const double *p) {
    td_status status = TD_OK;
    if (type->op != TDI_OP_CYLINDER_START) {
        double number = type->param_count > 0 ? p[0] : 1;
        status = cylinder_point(w, (int32_t)fmin(fmax(number, 1), MAX_PIECES));
    }
    w->cylinder = (tdi_control_point){w->now, w->ends};
    w->in_cylinder = type->op == TDI_OP_CYLINDER_END ? NO_CYLINDER : OPEN_HERE;
    return status;
}

// cpfg draws nothing of a size below 0
static td_status refuse_size(const walker *w, const tdi_type *type, double size) {
    return w->g->cpfg ? TD_OK
                      : tdi_fail_at(w->diag, TD_ERR_STRUCTURE, w->module,
                                    "module %lld: %s has size %g; it must be at least 0",
                                    (long long)w->module, type->name, size);
}

// ~X(s) or ~X(across, along, up). From a surface of patches the turtle goes on at its end point.
static td_status draw_surface(walker *w, const tdi_type *type, const double *p) {
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
    return status == TD_OK ? check_place(w) : status;
}

static td_status draw_organ(walker *w, const tdi_type *type, const double *p) {
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

// ---- stack, materials, queries --------------------------------------------------------------

static td_status push(walker *w) {
    if (w->depth == MAX_DEPTH) {
        return tdi_fail_at(w->diag, TD_ERR_LIMIT, w->module,
                           "module %lld: branches are nested more than %d deep",
                           (long long)w->module, MAX_DEPTH);
    }
    saved_state *grown =
        tdi_array_reserve(w->alloc, w->stack, &w->stack_capacity, w->depth + 1, sizeof *grown);
    if (!grown) {
        return TD_ERR_MEMORY;
    }
    w->stack = grown;
    w->stack[w->depth++] = (saved_state){.now = w->now,
                                         .tropism = w->tropism,
                                         .heading_before = w->heading_before,
                                         .left_before = w->left_before,
                                         .in_cylinder = w->in_cylinder,
                                         .cylinder = w->cylinder,
                                         .ends = w->ends};
    w->in_cylinder = w->in_cylinder == NO_CYLINDER ? NO_CYLINDER : OPEN_OUTSIDE;
    return TD_OK;
}

static td_status pop(walker *w) {
    if (w->depth == 0) {
        return TD_OK; // a ']' too many; the parser has warned
    }
    const saved_state *saved = &w->stack[--w->depth];
    w->now = saved->now;
    w->tropism = saved->tropism;
    w->heading_before = saved->heading_before;
    w->left_before = saved->left_before;
    w->in_cylinder = saved->in_cylinder;
    w->cylinder = saved->cylinder;
    w->ends = saved->ends;
    return TD_OK;
}

static td_status set_material(walker *w, double number) {
    const tdi_body_header *body = &w->g->body;
    for (int32_t i = 0; i < body->material_count; i++) {
        if (body->materials[i].number == number) {
            w->now.material = i;
            return TD_OK;
        }
    }
    return tdi_fail_at(w->diag, TD_ERR_STRUCTURE, w->module,
                       "module %lld: material %g is not declared; expected a header item "
                       "'material: %g green-wood' or the like",
                       (long long)w->module, number, number);
}

// L x H; never -0
static td_vec3 cpfg_up(const tdi_turtle *t) {
    return tdi_sub(tdi_vec3(0, 0, 0), t->up);
}

// @#(n): the cross-section of the cylinders to come; 0 is round
static td_status set_contour(walker *w, double number) {
    const tdi_body_header *body = &w->g->body;
    w->now.contour = TD_NONE;
    for (int32_t i = 0; i < body->contour_count; i++) {
        if (body->contours[i].number == number) {
            w->now.contour = i;
        }
    }
    if (w->now.contour == TD_NONE && number != 0) {
        return tdi_fail_at(w->diag, TD_ERR_STRUCTURE, w->module,
                           "module %lld: contour %g is not declared; expected 'contour: %g ...' in "
                           "the header or in a view file",
                           (long long)w->module, number, number);
    }
    return TD_OK;
}

static td_status answer(walker *w, const tdi_type *type, double *p) {
    const tdi_turtle *t = &w->now;
    if (type->op != TDI_OP_QUERY_E) {
        td_vec3 v = type->op == TDI_OP_QUERY_P   ? t->position
                    : type->op == TDI_OP_QUERY_H ? t->heading
                    : type->op == TDI_OP_QUERY_L ? t->left
                                                 : cpfg_up(t);
        p[0] = v.x;
        p[1] = v.y;
        if (type->param_count > 2) {
            p[2] = v.z;
        }
        return TD_OK;
    }
    if (!w->environment->answer) {
        return TD_OK;
    }
    td_env_query query = {.step = w->step,
                          .module = w->module,
                          .position = t->position,
                          .heading = t->heading,
                          .left = t->left,
                          .up = cpfg_up(t),
                          .param_count = type->param_count,
                          .params = p};
    if (w->environment->answer(w->environment->context, &query) != 0) {
        return tdi_fail_at(w->diag, TD_ERR_STOPPED, w->module,
                           "the environment stopped the derivation at module %lld",
                           (long long)w->module);
    }
    for (int32_t i = 0; i < type->param_count; i++) {
        if (!isfinite(p[i])) {
            return tdi_fail_at(w->diag, TD_ERR_EVAL, w->module,
                               "the environment gave parameter %d of module %lld a value that is "
                               "not finite",
                               i + 1, (long long)w->module);
        }
    }
    return TD_OK;
}

// ---- modules --------------------------------------------------------------------------------

static td_status turn_axes(walker *w, const tdi_type *type, const double *p) {
    tdi_turtle *t = &w->now;
    td_real a = type->param_count > 0 ? p[0] : w->g->turtle.angle;
    switch ((tdi_turtle_op)type->op) {
    case TDI_OP_YAW_LEFT: tdi_turn_axes(&t->heading, &t->left, a); break;
    case TDI_OP_YAW_RIGHT: tdi_turn_axes(&t->heading, &t->left, -a); break;
    case TDI_OP_PITCH_UP: tdi_turn_axes(&t->heading, &t->up, a); break;
    case TDI_OP_PITCH_DOWN: tdi_turn_axes(&t->heading, &t->up, -a); break;
    case TDI_OP_ROLL_LEFT: tdi_turn_axes(&t->left, &t->up, a); break;
    case TDI_OP_ROLL_RIGHT: tdi_turn_axes(&t->left, &t->up, -a); break;
    default: tdi_turn_axes(&t->heading, &t->left, 180); break; // TDI_OP_ABOUT_FACE
    }
    count_turn(w);
    return TD_OK;
}

static td_status set_width(walker *w, const tdi_type *type, const double *p) {
    tdi_turtle *t = &w->now;
    td_real step = w->g->turtle.width_increment * t->scale, width = t->width < 0 ? 1 : t->width;
    if (type->param_count > 0) {
        t->width = p[0] * t->scale;
    } else {
        t->width = type->op == TDI_OP_WIDTH_UP ? width + step : fmax(width - step, 0);
    }
    t->width = w->g->cpfg ? fmax(t->width, 0) : t->width;
    if (t->width < 0) {
        return tdi_fail_at(w->diag, TD_ERR_STRUCTURE, w->module,
                           "module %lld sets the line width %g; it must be at least 0",
                           (long long)w->module, p[0]);
    }
    return TD_OK;
}

static td_status set_color(walker *w, const tdi_type *type, const double *p) {
    tdi_turtle *t = &w->now;
    int32_t step = w->g->turtle.color_increment, color = t->color == TD_NONE ? 0 : t->color;
    double number = (double)color + (type->op == TDI_OP_COLOR_UP ? step : -step);
    number = type->param_count > 0 ? p[0] : number;
    t->color = fabs(number) < 1e9 ? (int32_t)number : TD_NONE;
    return TD_OK;
}

// The forms with a number, where the view file has tropisms: @Ts(n, e), @Ti(n, d), @Td(n, d).
static td_status set_numbered_tropism(walker *w, const tdi_type *type, const double *p) {
    const tdi_turtle_header *h = &w->g->turtle;
    const int32_t count = type->param_count;
    td_real number = count > 0 ? p[0] : 1;
    if (!(number >= 1 && number < h->tropism_count + 1)) {
        return tdi_fail_at(w->diag, TD_ERR_STRUCTURE, w->module,
                           "module %lld: there is no tropism %g; the view file has %d",
                           (long long)w->module, number, h->tropism_count);
    }
    int32_t k = (int32_t)number - 1;
    td_real *e = &w->now.elasticities[k], given = count > 1 ? p[1] : h->tropisms[k].increment;
    switch ((tdi_turtle_op)type->op) {
    case TDI_OP_TROPISM_STRENGTH: *e = count > 1 ? p[1] : h->tropisms[k].elasticity; break;
    case TDI_OP_TROPISM_MORE: *e += given; break;
    default: *e -= given; break; // TDI_OP_TROPISM_LESS
    }
    return TD_OK;
}

// cpfg's forms name the tropism first: @Ts(1, e), @Ti(1, d), @Td(1, d).
static td_status set_tropism(walker *w, const tdi_type *type, const double *p) {
    tdi_turtle *t = &w->now;
    const int32_t count = type->param_count;
    bool numbered = type->name[0] == '@' && type->op != TDI_OP_TROPISM_OFF && count < 3;
    if (numbered && w->g->turtle.tropism_count > 0) {
        return set_numbered_tropism(w, type, p);
    }
    const td_real step = count > 1 ? p[1] : w->g->turtle.elasticity_increment;
    switch ((tdi_turtle_op)type->op) {
    case TDI_OP_TROPISM_STRENGTH: t->elasticity = p[count - 1]; break;
    case TDI_OP_TROPISM_MORE: // _(e) sets it
        t->elasticity = type->name[0] == '_' && count > 0 ? p[0] : t->elasticity + step;
        break;
    case TDI_OP_TROPISM_LESS:
        if (count == 3) {
            w->tropism = tdi_unit_or(tdi_vec3(p[0], p[1], p[2]), w->tropism);
        } else {
            t->elasticity -= step;
        }
        break;
    default: t->elasticity = 0; break; // TDI_OP_TROPISM_OFF
    }
    return TD_OK;
}

static td_status set_scale(walker *w, const tdi_type *type, const double *p) {
    const td_real factor = type->param_count > 0 ? p[0] : 1;
    td_real scale = type->op == TDI_OP_SCALE      ? factor
                    : type->op == TDI_OP_SCALE_UP ? w->now.scale * factor
                                                  : w->now.scale / factor;
    if (!(scale > 0) || !isfinite(scale)) {
        return tdi_fail_at(w->diag, TD_ERR_STRUCTURE, w->module,
                           "module %lld sets the scale %g; it must be above 0 and finite",
                           (long long)w->module, scale);
    }
    w->now.scale = scale;
    return TD_OK;
}

// '?(n, s)' goes on with L-system n at scale s, '$' with the one before at its scale. Rewriting
// refuses what cannot be.
static void enter_or_leave(walker *w, const tdi_type *type, const double *p) {
    td_real scale = w->now.scale;
    if (type->op == TDI_OP_SUB_CLOSE && w->opened_count > 0) {
        w->system = w->opened[--w->opened_count].system;
        w->now.scale = w->opened[w->opened_count].scale;
    }
    int32_t found = type->op == TDI_OP_SUB_OPEN ? tdi_system_find(w->g, p[0]) : TD_NONE;
    if (found != TD_NONE && w->opened_count < MAX_SYSTEMS) {
        w->opened[w->opened_count++] = (opened_system){w->system, scale};
        w->system = found;
        w->now.scale = type->param_count > 1 && p[1] > 0 ? scale * p[1] : scale;
    }
    w->now.width = w->now.width > 0 ? w->now.width * w->now.scale / scale : w->now.width;
}

static td_status set_state(walker *w, const tdi_type *type, const double *p) {
    switch ((tdi_turtle_op)type->op) {
    case TDI_OP_WIDTH_DOWN:
    case TDI_OP_WIDTH_UP: return set_width(w, type, p);
    case TDI_OP_COLOR_UP:
    case TDI_OP_COLOR_DOWN: return set_color(w, type, p);
    case TDI_OP_SCALE:
    case TDI_OP_SCALE_UP:
    case TDI_OP_SCALE_DOWN: return set_scale(w, type, p);
    case TDI_OP_MATERIAL: return set_material(w, p[0]);
    default: return set_tropism(w, type, p);
    }
}

static td_status do_module(walker *w, uint16_t number, const double *p) {
    const tdi_type *type = &w->g->types[number];
    td_real length = (type->param_count > 0 ? p[0] : w->g->turtle.step) * w->now.scale;
    tdi_turtle_op op = (tdi_turtle_op)type->op;
    switch (op) {
    case TDI_OP_NONE:
    case TDI_OP_PREFIX:
    case TDI_OP_IGNORED:
    case TDI_OP_CUT:
    case TDI_OP_CUT_IF:
    case TDI_OP_QUERY_P:
    case TDI_OP_QUERY_H:
    case TDI_OP_QUERY_L:
    case TDI_OP_QUERY_U:
    case TDI_OP_QUERY_E: return TD_OK;
    case TDI_OP_SUB_OPEN:
    case TDI_OP_SUB_CLOSE: enter_or_leave(w, type, p); return TD_OK;
    case TDI_OP_DRAW:
    case TDI_OP_DRAW_G: return go_forward(w, length, true, op == TDI_OP_DRAW);
    case TDI_OP_MOVE:
    case TDI_OP_MOVE_G: return go_forward(w, length, false, op == TDI_OP_MOVE);
    case TDI_OP_YAW_LEFT:
    case TDI_OP_YAW_RIGHT:
    case TDI_OP_PITCH_DOWN:
    case TDI_OP_PITCH_UP:
    case TDI_OP_ROLL_LEFT:
    case TDI_OP_ROLL_RIGHT:
    case TDI_OP_ABOUT_FACE: return turn_axes(w, type, p);
    case TDI_OP_UPRIGHT: tdi_axes_upright(&w->now); return TD_OK;
    case TDI_OP_UNTWIST: tdi_axes_untwist(&w->now, w->heading_before, w->left_before); return TD_OK;
    case TDI_OP_TWISTED:
        w->heading_before = w->now.heading;
        w->left_before = w->now.left;
        return TD_OK;
    case TDI_OP_SET_HEADING: return set_heading(w, p, type->param_count);
    case TDI_OP_MOVE_TO:
        w->now.position = tdi_vec3(p[0], p[1], type->param_count > 2 ? p[2] : w->now.position.z);
        return check_place(w);
    case TDI_OP_PUSH: return push(w);
    case TDI_OP_POP: return pop(w);
    case TDI_OP_POLYGON_OPEN: return open_polygon(w);
    case TDI_OP_POLYGON_POINT: return w->polygon_depth > 0 ? add_corner(w) : TD_OK;
    case TDI_OP_POLYGON_CLOSE: return close_polygon(w);
    case TDI_OP_CYLINDER_START:
    case TDI_OP_CYLINDER_POINT:
    case TDI_OP_CYLINDER_END: return cylinder(w, type, p);
    case TDI_OP_CYLINDER_TANGENT:
        tdi_cylinder_tangents(&w->ends, p, type->param_count);
        return TD_OK;
    case TDI_OP_CONTOUR: return set_contour(w, type->param_count > 0 ? p[0] : 0);
    case TDI_OP_CYLINDER_SLOPE: tdi_cylinder_slopes(&w->ends, p, type->param_count); return TD_OK;
    case TDI_OP_SURFACE: return draw_surface(w, type, p);
    case TDI_OP_BALL:
    case TDI_OP_DISC: return draw_organ(w, type, p);
    default: return set_state(w, type, p);
    }
}

// ---- walking --------------------------------------------------------------------------------

// '%' hides the rest of its branch or L-system
static int64_t cut(const walker *w, const td_string *s, int64_t i, int64_t *param) {
    int64_t depth = 0, systems = 0;
    for (; i < s->module_count && tdi_in_branch(w->g, s->types[i], &depth, &systems); i++) {
        *param += w->g->types[s->types[i]].param_count;
    }
    return i;
}

// The homomorphism of one L-system.
typedef struct drawer {
    tdi_expander expander;
    tdi_neighbours neighbours;
} drawer;

// Draws what the homomorphism makes of the modules from i on; *used counts those that it takes.
static td_status do_expanded(walker *w, tdi_expander *e, const tdi_site *site, int64_t *used) {
    tdi_expander_start(e, site);
    for (;;) {
        bool more;
        uint16_t type;
        const double *p;
        td_status status = tdi_expander_next(e, w->alloc, &more, &type, &p, w->diag);
        *used = e->used;
        if (status == TD_OK && more && type != TDI_TYPE_CUT) { // '%' is ignored here
            status = do_module(w, type, p);
        }
        if (status != TD_OK || !more) {
            return status;
        }
    }
}

static td_status walk(walker *w, const td_string *s, drawer *drawers) {
    int64_t param = 0;
    for (int64_t i = 0; i < s->module_count;) {
        uint16_t number = s->types[i];
        const tdi_type *type = &w->g->types[number];
        const double *p = s->params ? s->params + param : NULL;
        td_status status;
        int64_t used = 1;
        w->module = i;
        if ((number == TDI_TYPE_CUT && !w->g->turtle.past_cut) ||
            (type->op == TDI_OP_CUT_IF && type->param_count > 0 && p[0] == 1)) {
            i = cut(w, s, i, &param);
            continue;
        }
        tdi_site site = {s->types + i, p, s->module_count - i, i, i};
        if (type->op == TDI_OP_PREFIX) {
            used = tdi_fuse(w->g, site.types, site.count, &number);
            site.types = &number;
            site.count = 1;
            type = &w->g->types[number];
        }
        const tdi_section *draw = &w->g->systems[w->system]->draw;
        if (w->query_params && type->op >= TDI_OP_QUERY_P && type->op <= TDI_OP_QUERY_E) {
            status = answer(w, type, w->query_params + param);
        } else if (draw->first[number] != draw->first[number + 1]) {
            int64_t taken;
            status = do_expanded(w, &drawers[w->system].expander, &site, &taken);
            used += taken - 1;
        } else {
            status = do_module(w, number, p);
        }
        if (status != TD_OK) {
            return status == TD_ERR_MEMORY
                       ? tdi_fail(w->diag, status, "out of memory while drawing")
                       : status;
        }
        for (; used > 0; used--) {
            param += w->g->types[s->types[i++]].param_count;
        }
    }
    return TD_OK;
}

static td_status drawer_new(drawer *d, const td_grammar *system, const tdi_machine *machine,
                            bool stochastic, const td_string *s, const td_alloc *alloc) {
    const tdi_section *draw = &system->draw;
    d->expander.chooser = (tdi_chooser){.grammar = system,
                                        .section = draw,
                                        .machine = *machine,
                                        .stochastic = stochastic && draw->has_weights,
                                        .neighbours = &d->neighbours,
                                        .string = *s};
    d->expander.chooser.machine.grammar = system;
    td_status status = tdi_expander_new(&d->expander, alloc);
    if (status == TD_OK && (draw->has_left || draw->has_right)) {
        status = tdi_neighbours_find(&d->neighbours, system, s, draw->has_right, alloc);
    }
    return status;
}

static td_status walk_systems(walker *w, const td_string *s, const tdi_machine *machine,
                              bool stochastic) {
    int32_t count = w->g->system_count;
    drawer *drawers = tdi_alloc_zeroed(w->alloc, (size_t)count, sizeof *drawers);
    td_status status = drawers ? TD_OK : TD_ERR_MEMORY;
    for (int32_t k = 0; k < count && status == TD_OK; k++) {
        status = drawer_new(&drawers[k], w->g->systems[k], machine, stochastic, s, w->alloc);
    }
    if (status == TD_OK) {
        status = walk(w, s, drawers);
    }
    for (int32_t k = 0; k < count && drawers; k++) {
        tdi_expander_free(&drawers[k].expander, w->alloc);
        tdi_neighbours_free(&drawers[k].neighbours, w->alloc);
    }
    tdi_alloc_free(w->alloc, drawers, (size_t)count * sizeof *drawers);
    return status;
}

// The homomorphism works on copies of the variables, so that drawing changes nothing.
static td_status walk_with_copies(walker *w, const td_string *s) {
    const td_grammar *g = w->g;
    size_t globals = (size_t)g->global_count + 1, arrays = (size_t)g->array_value_count + 1;
    double *values = tdi_alloc_zeroed(w->alloc, globals + arrays, sizeof *values);
    if (!values) {
        return TD_ERR_MEMORY;
    }
    const tdi_variables *v = s->variables;
    int64_t seed = g->draw.seed;
    for (size_t i = 0; v && i + 1 < globals; i++) {
        values[i] = v->globals[i];
    }
    for (size_t i = 0; v && i + 1 < arrays; i++) {
        values[globals + i] = v->arrays[i];
    }
    seed = seed == TD_SEED_FROM_TEXT && v ? v->seed : seed;
    tdi_dice dice;
    tdi_dice_start(&dice, g->cpfg_random, seed);
    if (g->cpfg_random && g->draw.seed == TD_SEED_FROM_TEXT && v) {
        dice = *v->dice; // in cpfg drawing goes on where deriving has ended
    }
    int64_t loops = 100000000;
    tdi_machine machine = {.grammar = g,
                           .globals = values,
                           .arrays = values + globals,
                           .dice = &dice,
                           .loops_left = &loops,
                           .single = v && v->single};
    td_status status = walk_systems(w, s, &machine, seed != TD_SEED_FROM_TEXT);
    tdi_alloc_free(w->alloc, values, (globals + arrays) * sizeof *values);
    return status;
}

static td_status walk_and_free(walker *w, const td_string *s) {
    const tdi_turtle_header *h = &w->g->turtle;
    w->tropism = h->tropism;
    w->now = (tdi_turtle){.heading = {0, 1, 0},
                          .left = {-1, 0, 0},
                          .up = {0, 0, 1},
                          .scale = h->scale,
                          .width = h->width,
                          .color = h->color,
                          .material = TD_NONE,
                          .contour = TD_NONE,
                          .elasticity = h->elasticity,
                          .mark = TD_NONE};
    for (int32_t i = 0; i < h->tropism_count; i++) {
        w->now.elasticities[i] = h->tropisms[i].elasticity;
    }
    for (int32_t i = 0; i < w->g->body.material_count; i++) {
        w->now.material = w->g->body.materials[i].number == 0 ? i : w->now.material;
    }
    w->heading_before = w->now.heading;
    w->left_before = w->now.left;
    w->ends = tdi_cylinder_default;
    td_status status = walk_with_copies(w, s);
    tdi_alloc_free(w->alloc, w->stack, (size_t)w->stack_capacity * sizeof *w->stack);
    tdi_alloc_free(w->alloc, w->corners, (size_t)w->corner_capacity * sizeof *w->corners);
    return status == TD_ERR_MEMORY ? tdi_fail(w->diag, status, "out of memory while drawing")
                                   : status;
}

td_status tdi_turtle_walk(const td_grammar *grammar, const td_string *string,
                          const tdi_turtle_sink *sink, const td_alloc *alloc, td_diag *diag) {
    walker w = {.g = grammar, .sink = sink, .alloc = alloc, .diag = diag};
    return walk_and_free(&w, string);
}

td_status tdi_query_fill(const td_grammar *grammar, const td_string *string, double *params,
                         int32_t step, const td_environment *environment, const td_alloc *alloc,
                         td_diag *diag) {
    walker w = {.g = grammar,
                .alloc = alloc,
                .diag = diag,
                .query_params = params,
                .step = step,
                .environment = environment};
    return walk_and_free(&w, string);
}
