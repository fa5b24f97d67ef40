// SPDX-License-Identifier: MIT
// Patches whose control points the turtle walks to: @PS starts one, @PC sets a point, @PD draws it.
//
// Method   A patch is drawn by its Bezier points. With G the 4 x 4 control points of another basis
//          they are B G B^T, where B takes four points of a curve in that basis to its Bezier
//          points.

#include "grammar/walker.h"
#include "math/vec3.h"

#include <string.h>

#define MAX_NUMBERS 1000 // of patches
#define ALL_SET     0xffff

// rows: Bezier points of a uniform cubic B-spline, and of a Catmull-Rom spline
static const double to_bezier[2][4][4] = {
    {{1.0 / 6, 4.0 / 6, 1.0 / 6, 0},
     {0, 4.0 / 6, 2.0 / 6, 0},
     {0, 2.0 / 6, 4.0 / 6, 0},
     {0, 1.0 / 6, 4.0 / 6, 1.0 / 6}},
    {{0, 1, 0, 0}, {-1.0 / 6, 1, 1.0 / 6, 0}, {0, 1.0 / 6, 1, -1.0 / 6}, {0, 0, 1, 0}},
};

static void change_basis(const double b[4][4], td_vec3 points[TDI_PATCH_POINTS]) {
    td_vec3 half[TDI_PATCH_POINTS];
    for (int i = 0; i < TDI_PATCH_POINTS; i++) { // B G
        half[i] = tdi_vec3(0, 0, 0);
        for (int k = 0; k < 4; k++) {
            half[i] = tdi_madd(half[i], points[4 * k + i % 4], b[i / 4][k]);
        }
    }
    for (int i = 0; i < TDI_PATCH_POINTS; i++) { // times B^T
        points[i] = tdi_vec3(0, 0, 0);
        for (int k = 0; k < 4; k++) {
            points[i] = tdi_madd(points[i], half[4 * (i / 4) + k], b[i % 4][k]);
        }
    }
}

// The patch of that number, begun where the turtle stands if it is new.
static td_status find_patch(tdi_walker *w, double number, tdi_turtle_patch **out) {
    for (int64_t i = 0; i < w->patch.count; i++) {
        if (w->patch.list[i].number == number) {
            *out = &w->patch.list[i];
            return TD_OK;
        }
    }
    if (w->patch.count == MAX_NUMBERS) {
        return tdi_fail_at(w->diag, TD_ERR_LIMIT, w->module,
                           "module %lld: there are more than %d numbers of patches",
                           (long long)w->module, MAX_NUMBERS);
    }
    tdi_turtle_patch *grown = tdi_array_reserve(w->alloc, w->patch.list, &w->patch.capacity,
                                                w->patch.count + 1, sizeof *grown);
    TDI_TRY(grown ? TD_OK : TD_ERR_MEMORY);
    w->patch.list = grown;
    *out = &w->patch.list[w->patch.count++];
    **out = (tdi_turtle_patch){.number = number, .basis = 1, .open = w->now};
    return TD_OK;
}

// @PC(number, row, column), both from 0
static td_status set_point(const tdi_walker *w, tdi_turtle_patch *patch, const double *p) {
    if (!(p[1] >= 0 && p[1] < 4 && p[2] >= 0 && p[2] < 4)) {
        return tdi_fail_at(w->diag, TD_ERR_STRUCTURE, w->module,
                           "module %lld: @PC sets the control point in row %g and column %g; "
                           "expected 0 to 3",
                           (long long)w->module, p[1], p[2]);
    }
    int32_t place = 4 * (int32_t)p[1] + (int32_t)p[2];
    patch->points[place] = w->now.position;
    patch->set |= (uint16_t)(1u << place);
    return TD_OK;
}

static td_status draw(const tdi_walker *w, const tdi_turtle_patch *patch) {
    if (patch->set != ALL_SET && w->g->dialect.cpfg) {
        return TD_OK; // cpfg draws only whole patches
    }
    if (patch->set != ALL_SET) {
        int32_t place = 0;
        while (patch->set >> place & 1) {
            place++;
        }
        return tdi_fail_at(w->diag, TD_ERR_STRUCTURE, w->module,
                           "module %lld: patch %g has no control point in row %d and column %d; "
                           "expected @PC(%g,%d,%d) before @PD",
                           (long long)w->module, patch->number, place / 4, place % 4, patch->number,
                           place / 4, place % 4);
    }
    if (!w->sink || !w->sink->patch) {
        return TD_OK;
    }
    td_vec3 points[TDI_PATCH_POINTS];
    memcpy(points, patch->points, sizeof points);
    if (patch->basis > 1) {
        change_basis(to_bezier[patch->basis - 2], points);
    }
    tdi_turtle at = patch->open;
    at.color = w->now.color;
    at.material = w->now.material;
    return w->sink->patch(w->sink->context, &at, points, w->module, w->diag);
}

td_status tdi_walker_patch(tdi_walker *w, const tdi_type *type, const double *p) {
    tdi_turtle_patch *patch = NULL;
    TDI_TRY(find_patch(w, p[0], &patch));
    if (type->op == TDI_OP_PATCH_START) { // @PS(number, basis)
        bool other = type->param_count > 1 && p[1] >= 1 && p[1] < 4;
        *patch =
            (tdi_turtle_patch){.number = p[0], .basis = other ? (int32_t)p[1] : 1, .open = w->now};
        return TD_OK;
    }
    return type->op == TDI_OP_PATCH_POINT ? set_point(w, patch, p) : draw(w, patch);
}
