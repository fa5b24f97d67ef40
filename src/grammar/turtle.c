// SPDX-License-Identifier: MIT
// The turtle.
//
// Frame    H heading, L left, U up, orthonormal, H x L = U (turtle_axes.h).
// Reads    the string, homomorphism applied module by module; the header's turtle items.
// Writes   nothing but calls of the sink; with queries, the parameters of ? modules.

#include "grammar/query.h"
#include "grammar/turtle_axes.h"
#include "grammar/walker.h"

// ---- queries --------------------------------------------------------------------------------

// L x H; never -0
static td_vec3 cpfg_up(const tdi_turtle *t) {
    return tdi_sub(tdi_vec3(0, 0, 0), t->up);
}

// @#(n): the cross-section of the cylinders to come; 0 is round
static td_status answer(tdi_walker *w, const tdi_type *type, double *p) {
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

static td_status do_module(tdi_walker *w, uint16_t number, const double *p) {
    const tdi_type *type = &w->g->symbols.types[number];
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
    case TDI_OP_SUB_CLOSE: tdi_walker_system(w, type, p); return TD_OK;
    case TDI_OP_DRAW:
    case TDI_OP_DRAW_G: return tdi_walker_forward(w, length, true, op == TDI_OP_DRAW);
    case TDI_OP_MOVE:
    case TDI_OP_MOVE_G: return tdi_walker_forward(w, length, false, op == TDI_OP_MOVE);
    case TDI_OP_YAW_LEFT:
    case TDI_OP_YAW_RIGHT:
    case TDI_OP_PITCH_DOWN:
    case TDI_OP_PITCH_UP:
    case TDI_OP_ROLL_LEFT:
    case TDI_OP_ROLL_RIGHT:
    case TDI_OP_ABOUT_FACE: return tdi_walker_turn(w, type, p);
    case TDI_OP_UPRIGHT: tdi_axes_upright(&w->now); return TD_OK;
    case TDI_OP_UNTWIST: tdi_axes_untwist(&w->now, w->heading_before, w->left_before); return TD_OK;
    case TDI_OP_TWISTED:
        w->heading_before = w->now.heading;
        w->left_before = w->now.left;
        return TD_OK;
    case TDI_OP_SET_HEADING: return tdi_walker_heading(w, p, type->param_count);
    case TDI_OP_MOVE_TO:
        w->now.position = tdi_vec3(p[0], p[1], type->param_count > 2 ? p[2] : w->now.position.z);
        return tdi_walker_check_place(w);
    case TDI_OP_PUSH: return tdi_walker_push(w);
    case TDI_OP_POP: return tdi_walker_pop(w);
    case TDI_OP_POLYGON_OPEN:
    case TDI_OP_POLYGON_POINT:
    case TDI_OP_POLYGON_CLOSE: return tdi_walker_polygon(w, op);
    case TDI_OP_CYLINDER_START:
    case TDI_OP_CYLINDER_POINT:
    case TDI_OP_CYLINDER_END: return tdi_walker_cylinder(w, type, p);
    case TDI_OP_CYLINDER_TANGENT:
        tdi_cylinder_tangents(&w->ends, p, type->param_count);
        return TD_OK;
    case TDI_OP_CYLINDER_SLOPE: tdi_cylinder_slopes(&w->ends, p, type->param_count); return TD_OK;
    case TDI_OP_SURFACE: return tdi_walker_surface(w, type, p);
    case TDI_OP_BALL:
    case TDI_OP_DISC: return tdi_walker_ball(w, type, p);
    case TDI_OP_PATCH_START:
    case TDI_OP_PATCH_POINT:
    case TDI_OP_PATCH_DRAW: return tdi_walker_patch(w, type, p);
    default: return tdi_walker_set(w, type, p);
    }
}

// ---- walking --------------------------------------------------------------------------------

// '%' hides the rest of its branch or L-system
static int64_t cut(tdi_walker *w, const td_string *s, int64_t i, int64_t *param) {
    int64_t depth = 0, systems = 0;
    for (; i < s->module_count && tdi_in_branch(w->g, s->types[i], &depth, &systems); i++) {
        *param += w->g->symbols.types[s->types[i]].param_count;
        w->use += w->g->symbols.types[s->types[i]].op == TDI_OP_SUB_OPEN;
    }
    return i;
}

// The homomorphism of one L-system.
typedef struct drawer {
    tdi_expander expander;
    tdi_neighbours neighbours;
} drawer;

// Draws what the homomorphism makes of the modules from i on; *used counts those that it takes.
static td_status do_expanded(tdi_walker *w, tdi_expander *e, const tdi_site *site, int64_t *used) {
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

// The variables of the use that a '?' has opened.
static void load_use(tdi_walker *w, double number) {
    int32_t found = tdi_system_find(w->g, number);
    if (w->uses && found > 0 && tdi_uses_holds(w->uses, w->use, w->g, found)) {
        tdi_uses_load(w->uses, w->use, w->g->systems[found], w->globals, w->arrays);
    }
    w->use++;
}

static td_status walk(tdi_walker *w, const td_string *s, drawer *drawers) {
    int64_t param = 0;
    for (int64_t i = 0; i < s->module_count;) {
        uint16_t number = s->types[i];
        const tdi_type *type = &w->g->symbols.types[number];
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
            type = &w->g->symbols.types[number];
        }
        const tdi_section *draw = &w->g->systems[w->system]->rules.draw;
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
            type = &w->g->symbols.types[s->types[i++]];
            if (type->op == TDI_OP_SUB_OPEN) {
                load_use(w, s->params[param]);
            }
            param += type->param_count;
        }
    }
    return TD_OK;
}

static td_status drawer_new(drawer *d, const td_grammar *system, const tdi_machine *machine,
                            bool stochastic, const td_string *s, const td_alloc *alloc) {
    const tdi_section *draw = &system->rules.draw;
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

static td_status walk_systems(tdi_walker *w, const td_string *s, const tdi_machine *machine,
                              bool stochastic) {
    int32_t count = w->g->system_count;
    drawer *drawers = tdi_alloc_zeroed(w->alloc, (size_t)count, sizeof *drawers);
    td_status status = drawers ? TD_OK : TD_ERR_MEMORY;
    for (int32_t k = 0; k < count && status == TD_OK; k++) {
        status = drawer_new(&drawers[k], w->g->systems[k], machine, stochastic, s, w->alloc);
    }
    status = status == TD_OK ? walk(w, s, drawers) : status;
    for (int32_t k = 0; k < count && drawers; k++) {
        tdi_expander_free(&drawers[k].expander, w->alloc);
        tdi_neighbours_free(&drawers[k].neighbours, w->alloc);
    }
    tdi_alloc_free(w->alloc, drawers, (size_t)count * sizeof *drawers);
    return status;
}

// The homomorphism works on copies of the variables, so that drawing changes nothing.
static td_status walk_with_copies(tdi_walker *w, const td_string *s) {
    const td_grammar *g = w->g;
    size_t globals = (size_t)g->global_count + 1, arrays = (size_t)g->array.value_count + 1;
    double *values = tdi_alloc_zeroed(w->alloc, globals + arrays, sizeof *values);
    TDI_TRY(values ? TD_OK : TD_ERR_MEMORY);
    const tdi_variables *v = s->variables;
    int64_t seed = g->rules.draw.seed;
    for (size_t i = 0; v && i + 1 < globals; i++) {
        values[i] = v->globals[i];
    }
    for (size_t i = 0; v && i + 1 < arrays; i++) {
        values[globals + i] = v->arrays[i];
    }
    seed = seed == TD_SEED_FROM_TEXT && v ? v->seed : seed;
    tdi_dice dice;
    tdi_dice_start(&dice, g->dialect.cpfg_random, seed);
    if (g->dialect.cpfg_random && g->rules.draw.seed == TD_SEED_FROM_TEXT && v) {
        dice = *v->dice; // in cpfg drawing goes on where deriving has ended
    }
    int64_t loops = 100000000;
    tdi_machine machine = {.grammar = g,
                           .globals = values,
                           .arrays = values + globals,
                           .dice = &dice,
                           .loops_left = &loops,
                           .single = v && v->single};
    w->uses = v ? v->uses : NULL;
    w->globals = machine.globals;
    w->arrays = machine.arrays;
    td_status status = walk_systems(w, s, &machine, seed != TD_SEED_FROM_TEXT);
    tdi_alloc_free(w->alloc, values, (globals + arrays) * sizeof *values);
    return status;
}

static td_status walk_and_free(tdi_walker *w, const td_string *s) {
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
    tdi_alloc_free(w->alloc, w->polygon.corners,
                   (size_t)w->polygon.corner_capacity * sizeof *w->polygon.corners);
    tdi_alloc_free(w->alloc, w->patch.list, (size_t)w->patch.capacity * sizeof *w->patch.list);
    return status == TD_ERR_MEMORY ? tdi_fail(w->diag, status, "out of memory while drawing")
                                   : status;
}

td_status tdi_turtle_walk(const td_grammar *grammar, const td_string *string,
                          const tdi_turtle_sink *sink, const td_alloc *alloc, td_diag *diag) {
    tdi_walker w = {.g = grammar, .sink = sink, .alloc = alloc, .diag = diag};
    return walk_and_free(&w, string);
}

td_status tdi_query_fill(const td_grammar *grammar, const td_string *string, double *params,
                         int32_t step, const td_environment *environment, const td_alloc *alloc,
                         td_diag *diag) {
    tdi_walker w = {.g = grammar,
                    .alloc = alloc,
                    .diag = diag,
                    .query_params = params,
                    .step = step,
                    .environment = environment};
    return walk_and_free(&w, string);
}
