// SPDX-License-Identifier: MIT
// The turtle.
//
// Frame    H heading, L left, U up, orthonormal, H x L = U. A turn mixes two of the three.
// Reads    the string, homomorphism applied module by module; the header's turtle items.
// Writes   nothing but calls of the sink; with queries, the parameters of ? modules.

#include "grammar/expand.h"
#include "grammar/query.h"
#include "math/vec3.h"

#define MAX_DEPTH    100000 // branches in branches
#define MAX_POLYGONS 64     // polygons in polygons
#define MAX_CORNERS  100000 // of one polygon
#define RENEW_EVERY  1024   // turns after which the axes are made orthonormal again

typedef struct polygon {
    tdi_turtle open;
    int64_t first; // its first corner among all corners
    bool moved;    // F or f was used: the start counts as a corner
} polygon;

// what '[' saves
typedef struct saved_state {
    tdi_turtle now;
    td_vec3 tropism;
    bool in_cylinder;
    tdi_turtle cylinder;
} saved_state;

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

    bool in_cylinder;
    tdi_turtle cylinder; // at the last control point

    double *query_params; // NULL: queries are not answered
    int32_t step;
    const td_environment *environment;
} walker;

// ---- turning --------------------------------------------------------------------------------

// (a, b) turn in their plane, a towards b
static void turn(td_vec3 *a, td_vec3 *b, td_real degrees) {
    td_real c = tdi_cos_degrees(degrees), s = tdi_sin_degrees(degrees);
    td_vec3 old = *a;
    *a = tdi_add(tdi_scale(old, c), tdi_scale(*b, s));
    *b = tdi_sub(tdi_scale(*b, c), tdi_scale(old, s));
}

// Gram-Schmidt; keeps the heading's direction
static void renew(tdi_turtle *t) {
    t->heading = tdi_unit_or(t->heading, tdi_vec3(0, 1, 0));
    t->left = tdi_madd(t->left, t->heading, -tdi_dot(t->left, t->heading));
    t->left = tdi_unit_or(t->left, tdi_across(t->heading));
    t->up = tdi_cross(t->heading, t->left);
}

static void count_turn(walker *w) {
    if (++w->turns >= RENEW_EVERY) {
        w->turns = 0;
        renew(&w->now);
    }
}

// U as vertical as it can be: L = V x H/|V x H|, U = H x L; undefined, so unchanged, upright
static void roll_upright(tdi_turtle *t) {
    td_vec3 left = tdi_cross(tdi_vec3(0, 1, 0), t->heading);
    if (tdi_norm(left) > 1e-9) {
        t->left = tdi_unit_or(left, left);
        t->up = tdi_cross(t->heading, t->left);
    }
}

// turns by the angle e |H x T| about H x T
static void bend_to_tropism(walker *w) {
    tdi_turtle *t = &w->now;
    td_vec3 axis = tdi_cross(t->heading, w->tropism);
    td_real size = tdi_norm(axis);
    if (t->elasticity == 0 || size < 1e-12) {
        return;
    }
    td_real angle = t->elasticity * size, c = cos(angle), s = sin(angle);
    axis = tdi_scale(axis, 1 / size);
    // Rodrigues: v cos + (a x v) sin + a (a.v)(1 - cos)
    td_vec3 *axes[2] = {&t->heading, &t->left};
    for (int i = 0; i < 2; i++) {
        td_vec3 v = *axes[i];
        td_vec3 r = tdi_madd(tdi_scale(v, c), tdi_cross(axis, v), s);
        *axes[i] = tdi_madd(r, axis, tdi_dot(axis, v) * (1 - c));
    }
    renew(t);
}

static td_status set_heading(walker *w, const double *p, int32_t count) {
    tdi_turtle *t = &w->now;
    td_real size = fmax(fabs(p[0]), fmax(fabs(p[1]), fabs(p[2])));
    if (!(size > 0)) {
        return tdi_fail_at(w->diag, TD_ERR_STRUCTURE, w->module,
                           "module %lld: @R sets a heading of length 0; expected a direction",
                           (long long)w->module);
    }
    // the squares of very large and very small numbers overflow or vanish: scale first
    td_vec3 heading = tdi_vec3(p[0] / size, p[1] / size, p[2] / size);
    t->heading = tdi_unit_or(heading, heading);
    if (count >= 6) {
        t->left = tdi_cross(tdi_vec3(p[3], p[4], p[5]), t->heading);
    }
    renew(t);
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

static td_status go_forward(walker *w, td_real length, bool draw, bool corner) {
    td_status status = TD_OK;
    bool in_polygon = w->polygon_depth > 0;
    if (in_polygon && corner && !w->polygons[w->polygon_depth - 1].moved) {
        w->polygons[w->polygon_depth - 1].moved = true;
        status = add_corner(w);
    }
    if (status == TD_OK && draw && !in_polygon && !w->in_cylinder) {
        status = draw_segment(w, &w->now, length, w->now.width);
    }
    w->now.position = tdi_madd(w->now.position, w->now.heading, length);
    if (status == TD_OK && in_polygon && corner) {
        status = add_corner(w);
    }
    if (status == TD_OK && draw) {
        bend_to_tropism(w);
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

// A control point of a generalised cylinder: a piece from the last one to here.
static td_status cylinder_point(walker *w, bool end) {
    if (!w->in_cylinder) {
        return TD_OK;
    }
    tdi_turtle from = w->cylinder;
    td_vec3 span = tdi_sub(w->now.position, from.position);
    td_real length = tdi_norm(span);
    td_status status = TD_OK;
    if (length > 0) {
        from.heading = tdi_scale(span, 1 / length);
        renew(&from);
        status = draw_segment(w, &from, length, w->now.width);
        w->now.mark = from.mark;
    }
    w->cylinder = w->now;
    w->in_cylinder = !end;
    return status;
}

static td_status draw_organ(walker *w, const tdi_type *type, const double *p) {
    const tdi_turtle_sink *s = w->sink;
    bool given = type->param_count > 0;
    if (!s) {
        return TD_OK;
    }
    if (given && !(p[0] >= 0)) {
        return tdi_fail_at(w->diag, TD_ERR_STRUCTURE, w->module,
                           "module %lld: %s has size %g; it must be at least 0",
                           (long long)w->module, type->name, p[0]);
    }
    if (given && p[0] == 0) {
        return TD_OK;
    }
    if (type->op == TDI_OP_SURFACE) {
        return s->surface ? s->surface(s->context, &w->now, type->surface, given ? p[0] : 1,
                                       w->module, w->diag)
                          : TD_OK;
    }
    td_real width = w->now.width > 0 ? w->now.width : 1;
    return s->ball ? s->ball(s->context, &w->now, type->op == TDI_OP_DISC, given ? p[0] : width,
                             w->module, w->diag)
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
    w->stack[w->depth++] = (saved_state){w->now, w->tropism, w->in_cylinder, w->cylinder};
    w->in_cylinder = false; // a branch is no part of the cylinder that it grows from
    return TD_OK;
}

static td_status pop(walker *w) {
    if (w->depth == 0) {
        return tdi_fail_at(w->diag, TD_ERR_STRUCTURE, w->module,
                           "module %lld: ']' closes no branch", (long long)w->module);
    }
    const saved_state *saved = &w->stack[--w->depth];
    w->now = saved->now;
    w->tropism = saved->tropism;
    w->in_cylinder = saved->in_cylinder;
    w->cylinder = saved->cylinder;
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

static td_status answer(walker *w, const tdi_type *type, double *p) {
    const tdi_turtle *t = &w->now;
    if (type->op != TDI_OP_QUERY_E) {
        td_vec3 v = type->op == TDI_OP_QUERY_P   ? t->position
                    : type->op == TDI_OP_QUERY_H ? t->heading
                    : type->op == TDI_OP_QUERY_L ? t->left
                                                 : t->up;
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
                          .up = t->up,
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
    case TDI_OP_YAW_LEFT: turn(&t->heading, &t->left, a); break;
    case TDI_OP_YAW_RIGHT: turn(&t->heading, &t->left, -a); break;
    case TDI_OP_PITCH_UP: turn(&t->heading, &t->up, a); break;
    case TDI_OP_PITCH_DOWN: turn(&t->heading, &t->up, -a); break;
    case TDI_OP_ROLL_LEFT: turn(&t->left, &t->up, -a); break;
    case TDI_OP_ROLL_RIGHT: turn(&t->left, &t->up, a); break;
    default: turn(&t->heading, &t->left, 180); break; // TDI_OP_ABOUT_FACE
    }
    count_turn(w);
    return TD_OK;
}

static td_status set_state(walker *w, const tdi_type *type, const double *p) {
    const tdi_turtle_header *h = &w->g->turtle;
    tdi_turtle *t = &w->now;
    bool given = type->param_count > 0;
    td_real width = t->width < 0 ? 1 : t->width;
    int32_t color = t->color == TD_NONE ? 0 : t->color;
    switch ((tdi_turtle_op)type->op) {
    case TDI_OP_WIDTH_DOWN: t->width = given ? p[0] : fmax(width - h->width_increment, 0); break;
    case TDI_OP_WIDTH_UP: t->width = given ? p[0] : width + h->width_increment; break;
    case TDI_OP_COLOR_UP:
    case TDI_OP_COLOR_DOWN: {
        int32_t step = type->op == TDI_OP_COLOR_UP ? h->color_increment : -h->color_increment;
        double number = given ? p[0] : (double)color + step;
        t->color = fabs(number) < 1e9 ? (int32_t)number : TD_NONE;
        break;
    }
    case TDI_OP_TROPISM_STRENGTH: t->elasticity = p[0]; break;
    case TDI_OP_TROPISM_DIRECTION:
        w->tropism = tdi_unit_or(tdi_vec3(p[0], p[1], p[2]), w->tropism);
        break;
    case TDI_OP_TROPISM_OFF: t->elasticity = 0; break;
    default: return set_material(w, p[0]); // TDI_OP_MATERIAL
    }
    bool sets_width = type->op == TDI_OP_WIDTH_DOWN || type->op == TDI_OP_WIDTH_UP;
    if (sets_width && t->width < 0) {
        return tdi_fail_at(w->diag, TD_ERR_STRUCTURE, w->module,
                           "module %lld sets the line width %g; it must be at least 0",
                           (long long)w->module, p[0]);
    }
    return TD_OK;
}

static td_status do_module(walker *w, uint16_t number, const double *p) {
    const tdi_type *type = &w->g->types[number];
    td_real length = type->param_count > 0 ? p[0] : w->g->turtle.step;
    tdi_turtle_op op = (tdi_turtle_op)type->op;
    switch (op) {
    case TDI_OP_NONE:
    case TDI_OP_CUT:
    case TDI_OP_QUERY_P:
    case TDI_OP_QUERY_H:
    case TDI_OP_QUERY_L:
    case TDI_OP_QUERY_U:
    case TDI_OP_QUERY_E: return TD_OK;
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
    case TDI_OP_UPRIGHT: roll_upright(&w->now); return TD_OK;
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
        w->in_cylinder = true;
        w->cylinder = w->now;
        return TD_OK;
    case TDI_OP_CYLINDER_POINT: return cylinder_point(w, false);
    case TDI_OP_CYLINDER_END: return cylinder_point(w, true);
    case TDI_OP_SURFACE:
    case TDI_OP_BALL:
    case TDI_OP_DISC: return draw_organ(w, type, p);
    default: return set_state(w, type, p);
    }
}

// ---- walking --------------------------------------------------------------------------------

// '%' hides the rest of its branch
static int64_t cut(const walker *w, const td_string *s, int64_t i, int64_t *param) {
    int64_t depth = 0;
    for (; i < s->module_count; i++) {
        depth += (s->types[i] == TDI_TYPE_PUSH) - (s->types[i] == TDI_TYPE_POP);
        if (depth < 0) {
            break;
        }
        *param += w->g->types[s->types[i]].param_count;
    }
    return i;
}

static td_status do_expanded(walker *w, tdi_expander *e, uint16_t type, const double *p) {
    tdi_expander_start(e, type, p);
    for (;;) {
        bool more;
        td_status status = tdi_expander_next(e, w->alloc, &more, &type, &p, w->diag);
        if (status != TD_OK || !more) {
            return status;
        }
        status = do_module(w, type, p);
        if (status != TD_OK) {
            return status;
        }
    }
}

static td_status walk(walker *w, const td_string *s, tdi_expander *e) {
    const tdi_section *draw = &w->g->draw;
    int64_t param = 0;
    for (int64_t i = 0; i < s->module_count;) {
        uint16_t number = s->types[i];
        const tdi_type *type = &w->g->types[number];
        const double *p = s->params ? s->params + param : NULL;
        td_status status;
        w->module = i;
        if (number == TDI_TYPE_CUT) {
            i = cut(w, s, i, &param);
            continue;
        }
        if (w->query_params && type->op >= TDI_OP_QUERY_P && type->op <= TDI_OP_QUERY_E) {
            status = answer(w, type, w->query_params + param);
        } else if (draw->first[number] != draw->first[number + 1]) {
            status = do_expanded(w, e, number, p);
        } else {
            status = do_module(w, number, p);
        }
        if (status != TD_OK) {
            return status == TD_ERR_MEMORY
                       ? tdi_fail(w->diag, status, "out of memory while drawing")
                       : status;
        }
        param += type->param_count;
        i++;
    }
    return TD_OK;
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
    tdi_random random;
    tdi_random_seed(&random, seed == TD_SEED_FROM_TEXT ? 0 : (uint64_t)seed);
    int64_t loops = 100000000;
    tdi_machine machine = {.grammar = g,
                           .globals = values,
                           .arrays = values + globals,
                           .random = &random,
                           .loops_left = &loops,
                           .single = v && v->single};
    tdi_expander e = {.chooser = {.grammar = g,
                                  .section = &g->draw,
                                  .machine = machine,
                                  .stochastic = seed != TD_SEED_FROM_TEXT}};
    td_status status = tdi_expander_new(&e, w->alloc);
    if (status == TD_OK) {
        status = walk(w, s, &e);
    }
    tdi_expander_free(&e, w->alloc);
    tdi_alloc_free(w->alloc, values, (globals + arrays) * sizeof *values);
    return status;
}

static td_status walk_and_free(walker *w, const td_string *s) {
    const tdi_turtle_header *h = &w->g->turtle;
    w->tropism = h->tropism;
    w->now = (tdi_turtle){.heading = {0, 1, 0},
                          .left = {-1, 0, 0},
                          .up = {0, 0, 1},
                          .width = h->width,
                          .color = h->color,
                          .material = TD_NONE,
                          .elasticity = h->elasticity,
                          .mark = TD_NONE};
    for (int32_t i = 0; i < w->g->body.material_count; i++) {
        w->now.material = w->g->body.materials[i].number == 0 ? i : w->now.material;
    }
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
