// SPDX-License-Identifier: MIT
// What the turtle is: its axes, what brackets save, and what its modules set.

#include "grammar/turtle_axes.h"
#include "grammar/walker.h"

#define MAX_DEPTH   100000 // branches in branches
#define RENEW_EVERY 1024   // turns after which the axes are made orthonormal again

// ---- turning --------------------------------------------------------------------------------

static void count_turn(tdi_walker *w) {
    if (++w->turns >= RENEW_EVERY) {
        w->turns = 0;
        tdi_axes_renew(&w->now);
    }
}

td_status tdi_walker_heading(tdi_walker *w, const double *p, int32_t count) {
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

td_status tdi_walker_turn(tdi_walker *w, const tdi_type *type, const double *p) {
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

// ---- stack, materials, queries --------------------------------------------------------------

td_status tdi_walker_push(tdi_walker *w) {
    if (w->depth == MAX_DEPTH) {
        return tdi_fail_at(w->diag, TD_ERR_LIMIT, w->module,
                           "module %lld: branches are nested more than %d deep",
                           (long long)w->module, MAX_DEPTH);
    }
    tdi_saved_turtle *grown =
        tdi_array_reserve(w->alloc, w->stack, &w->stack_capacity, w->depth + 1, sizeof *grown);
    TDI_TRY(grown ? TD_OK : TD_ERR_MEMORY);
    w->stack = grown;
    w->stack[w->depth++] = (tdi_saved_turtle){.now = w->now,
                                              .tropism = w->tropism,
                                              .heading_before = w->heading_before,
                                              .left_before = w->left_before,
                                              .in_cylinder = w->in_cylinder,
                                              .cylinder = w->cylinder,
                                              .ends = w->ends};
    w->in_cylinder = w->in_cylinder == TDI_NO_CYLINDER ? TDI_NO_CYLINDER : TDI_OPEN_OUTSIDE;
    return TD_OK;
}

td_status tdi_walker_pop(tdi_walker *w) {
    if (w->depth == 0) {
        return TD_OK; // a ']' too many; the parser has warned
    }
    const tdi_saved_turtle *saved = &w->stack[--w->depth];
    w->now = saved->now;
    w->tropism = saved->tropism;
    w->heading_before = saved->heading_before;
    w->left_before = saved->left_before;
    w->in_cylinder = saved->in_cylinder;
    w->cylinder = saved->cylinder;
    w->ends = saved->ends;
    return TD_OK;
}

static td_status set_material(tdi_walker *w, double number) {
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

static td_status set_contour(tdi_walker *w, double number) {
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

static td_status set_width(tdi_walker *w, const tdi_type *type, const double *p) {
    tdi_turtle *t = &w->now;
    td_real step = w->g->turtle.width_increment * t->scale, width = t->width < 0 ? 1 : t->width;
    if (type->param_count > 0) {
        t->width = p[0] * t->scale;
    } else {
        t->width = type->op == TDI_OP_WIDTH_UP ? width + step : fmax(width - step, 0);
    }
    t->width = w->g->dialect.cpfg ? fmax(t->width, 0) : t->width;
    if (t->width < 0) {
        return tdi_fail_at(w->diag, TD_ERR_STRUCTURE, w->module,
                           "module %lld sets the line width %g; it must be at least 0",
                           (long long)w->module, p[0]);
    }
    return TD_OK;
}

static td_status set_color(tdi_walker *w, const tdi_type *type, const double *p) {
    tdi_turtle *t = &w->now;
    int32_t step = w->g->turtle.color_increment, color = t->color == TD_NONE ? 0 : t->color;
    double number = (double)color + (type->op == TDI_OP_COLOR_UP ? step : -step);
    number = type->param_count > 0 ? p[0] : number;
    t->color = fabs(number) < 1e9 ? (int32_t)number : TD_NONE;
    return TD_OK;
}

// The forms with a number, where the view file has tropisms: @Ts(n, e), @Ti(n, d), @Td(n, d).
static td_status set_numbered_tropism(tdi_walker *w, const tdi_type *type, const double *p) {
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
static td_status set_tropism(tdi_walker *w, const tdi_type *type, const double *p) {
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

static td_status set_scale(tdi_walker *w, const tdi_type *type, const double *p) {
    const td_real factor = type->param_count > 0 ? p[0] : w->g->turtle.scale_multiplier;
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

void tdi_walker_system(tdi_walker *w, const tdi_type *type, const double *p) {
    td_real scale = w->now.scale;
    if (type->op == TDI_OP_SUB_CLOSE && w->opened_count > 0) {
        w->system = w->opened[--w->opened_count].system;
        w->now.scale = w->opened[w->opened_count].scale;
    }
    int32_t found = type->op == TDI_OP_SUB_OPEN ? tdi_system_find(w->g, p[0]) : TD_NONE;
    if (found != TD_NONE && w->opened_count < TDI_MAX_SYSTEMS) {
        w->opened[w->opened_count++] = (tdi_opened_system){w->system, scale};
        w->system = found;
        w->now.scale = type->param_count > 1 && p[1] > 0 ? scale * p[1] : scale;
    }
    w->now.width = w->now.width > 0 ? w->now.width * w->now.scale / scale : w->now.width;
}

td_status tdi_walker_set(tdi_walker *w, const tdi_type *type, const double *p) {
    switch ((tdi_turtle_op)type->op) {
    case TDI_OP_WIDTH_DOWN:
    case TDI_OP_WIDTH_UP: return set_width(w, type, p);
    case TDI_OP_COLOR_UP:
    case TDI_OP_COLOR_DOWN: return set_color(w, type, p);
    case TDI_OP_SCALE:
    case TDI_OP_SCALE_UP:
    case TDI_OP_SCALE_DOWN: return set_scale(w, type, p);
    case TDI_OP_MATERIAL: return set_material(w, p[0]);
    case TDI_OP_CONTOUR: return set_contour(w, type->param_count > 0 ? p[0] : 0);
    default: return set_tropism(w, type, p);
    }
}
