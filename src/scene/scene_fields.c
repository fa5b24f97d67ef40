// SPDX-License-Identifier: MIT
// The expressions of force fields, compiled when a scene is read.

#include "scene/scene.h"

#include <stdio.h>

static const char *const names[TDI_FIELD_NAMES] = {
    [TDI_FIELD_X] = "x",           [TDI_FIELD_Y] = "y",
    [TDI_FIELD_Z] = "z",           [TDI_FIELD_VX] = "vx",
    [TDI_FIELD_VY] = "vy",         [TDI_FIELD_VZ] = "vz",
    [TDI_FIELD_SPEED] = "speed",   [TDI_FIELD_T] = "t",
    [TDI_FIELD_MASS] = "mass",     [TDI_FIELD_RADIUS] = "radius",
    [TDI_FIELD_LENGTH] = "length", [TDI_FIELD_INSTANCE] = "instance"};

// A fault within the expression `axis` of a load.
static td_status fault(const td_scene *s, int32_t load, int axis, const td_diag *found,
                       td_diag_list *diags) {
    char path[64];
    td_diag diag;
    snprintf(path, sizeof path, "loads[%d].field.force[%d]", (int)load, axis);
    const td_value *value = s->value ? tdi_fields_where(s->value, path) : NULL;
    if (value && value->kind != TD_VALUE_LIST && value->kind != TD_VALUE_MAP) {
        tdi_value_fail_within(value, found->column - 1, &diag, TD_ERR_SYNTAX, found->message);
    } else {
        tdi_scene_fail(s, &diag, TD_ERR_SYNTAX, path, "%s (column %d of the expression)",
                       found->message, (int)found->column);
    }
    tdi_diag_add(diags, &diag);
    return TD_ERR_SYNTAX;
}

static td_status make_field(td_scene *s, int32_t k, td_diag_list *diags) {
    const td_field_load *l = &s->def.loads[k].as.field;
    td_status result = TD_OK;
    if (l->force_count != 3) {
        char path[64];
        snprintf(path, sizeof path, "loads[%d].field.force", (int)k);
        return tdi_scene_fault(s, diags, TD_ERR_SYNTAX, path,
                               "'force' has %d expressions; it must have 3, along X, Y and Z",
                               (int)l->force_count);
    }
    for (int axis = 0; axis < 3; axis++) {
        td_diag diag;
        td_status status =
            tdi_expression_new(l->force[axis] ? l->force[axis] : "", names, TDI_FIELD_NAMES,
                               s->alloc, &s->forces[3 * (ptrdiff_t)k + axis], &diag);
        if (status == TD_ERR_MEMORY) {
            return status;
        }
        result = status == TD_OK ? result : fault(s, k, axis, &diag, diags);
    }
    return result;
}

td_status tdi_scene_make_fields(td_scene *s, td_diag_list *diags) {
    const size_t count = (size_t)s->def.load_count;
    td_status result = TD_OK;
    s->forces = tdi_arena_zeroed(&s->fields.arena, 3 * count + 1, sizeof(tdi_expression *));
    TDI_TRY(s->forces ? TD_OK : TD_ERR_MEMORY);
    for (int32_t k = 0; k < s->def.load_count && result != TD_ERR_MEMORY; k++) {
        if (s->def.loads[k].kind == TD_SCENE_FIELD) {
            td_status status = make_field(s, k, diags);
            result = status == TD_OK ? result : status;
        }
    }
    return result;
}

void tdi_scene_free_fields(td_scene *s) {
    for (int32_t k = 0; s->forces && !s->from && k < 3 * s->def.load_count; k++) {
        tdi_expression_free(s->forces[k]);
    }
}
