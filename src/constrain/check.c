// SPDX-License-Identifier: MIT
// Constraints: names, defaults and checks.

#include "base/diag.h"
#include "base/opts.h"
#include "base/range.h"
#include "constrain/constrain.h"

#include <stdio.h>

#define FARTHEST 1e9 // m
#define UNIT     1e-6

static const char *const kind_names[] = {"point", "weld", "hinge", "slider", "curve", "distance",
                                         "rope",  "stop", "joint", "gear",   "limit", "spring"};
enum { KINDS = sizeof kind_names / sizeof *kind_names };

const char *td_constraint_kind_name(td_constraint_kind kind) {
    return (uint32_t)kind < KINDS ? kind_names[kind] : "unknown";
}

td_constraint_target td_constraint_target_default(void) {
    return (td_constraint_target){.rotation = {1, 0, 0, 0}, .length = 1};
}

td_constraint td_constraint_default(td_constraint_kind kind) {
    const td_vec3 up = {0, 1, 0};
    return (td_constraint){.struct_size = sizeof(td_constraint),
                           .kind = kind,
                           .actor = {0, TD_NONE},
                           .axis = {up, up},
                           .as_found = true,
                           .rotation = {1, 0, 0, 0},
                           .target = td_constraint_target_default(),
                           .low = -INFINITY,
                           .high = INFINITY,
                           .cone = INFINITY,
                           .ratio = 1,
                           .end = INFINITY,
                           .break_force = INFINITY,
                           .stiffness = 1};
}

void tdi_constraint_name(const td_constraint *c, int32_t number, char text[80]) {
    if (c->name) {
        snprintf(text, 80, "constraint '%.60s'", c->name);
    } else {
        snprintf(text, 80, "constraint %d", (int)number);
    }
}

// ---- checks ---------------------------------------------------------------------------------

static bool placed(td_vec3 a) {
    return fabs(a.x) <= FARTHEST && fabs(a.y) <= FARTHEST && fabs(a.z) <= FARTHEST;
}

static bool unit(td_quat q) {
    return fabs(tdi_quat_norm(q) - 1) < UNIT;
}

static bool unit3(td_vec3 a) {
    return fabs(tdi_norm(a) - 1) < UNIT;
}

bool tdi_constraint_of_joint(td_constraint_kind kind) {
    return kind == TD_CONSTRAINT_JOINT || kind == TD_CONSTRAINT_GEAR || kind == TD_CONSTRAINT_LIMIT;
}

// What is wrong with its sides, or NULL.
static const char *fault_of_sides(const td_constraint *c) {
    const bool alone = c->kind == TD_CONSTRAINT_JOINT || c->kind == TD_CONSTRAINT_LIMIT;
    return c->actor[0] < 0
               ? "actor[0] is the world; it must be an actor, since the world is always "
                 "the second side"
           : c->actor[1] < TD_NONE           ? "actor[1] is below -1, which is the world"
           : alone && c->actor[1] != TD_NONE ? "actor[1] must be the world: it concerns one "
                                               "joint"
           : c->kind == TD_CONSTRAINT_GEAR && c->actor[1] == TD_NONE
               ? "actor[1] is the world; a gear needs a second joint"
           : c->segment[0] < 0                           ? "segment[0] is below 0"
           : c->actor[1] != TD_NONE && c->segment[1] < 0 ? "segment[1] is below 0"
           : c->actor[0] == c->actor[1] && c->segment[0] == c->segment[1]
               ? "both sides are the same segment"
               : NULL;
}

static const char *fault_of_places(const td_constraint *c) {
    return !placed(c->point[0])            ? "point[0] must lie within 1e9 m of the joint"
           : !placed(c->point[1])          ? "point[1] must lie within 1e9 m of its origin"
           : !unit3(c->axis[0])            ? "axis[0] must have the length 1"
           : !unit3(c->axis[1])            ? "axis[1] must have the length 1"
           : !unit(c->rotation)            ? "rotation must be a unit quaternion"
           : !placed(c->target.position)   ? "target.position must lie within 1e9 m of the origin"
           : !unit(c->target.rotation)     ? "target.rotation must be a unit quaternion"
           : !tdi_finite3(c->target.joint) ? "target.joint must be finite"
                                           : NULL;
}

static const char *fault_of_curve(const td_constraint *c) {
    if (c->kind != TD_CONSTRAINT_CURVE) {
        return NULL;
    }
    if (!c->curve || c->curve_count < (c->curve_closed ? 3 : 2) ||
        c->curve_count > TD_CONSTRAINT_CURVE_MAX) {
        return "curve_count must be from 2 to 100000, from 3 of a closed curve";
    }
    for (int32_t k = 0; k < c->curve_count; k++) {
        const int32_t next = k + 1 < c->curve_count ? k + 1 : c->curve_closed ? 0 : k - 1;
        if (!placed(c->curve[k])) {
            return "points of the curve must lie within 1e9 m of its origin";
        }
        if (!(tdi_norm(tdi_sub(c->curve[next], c->curve[k])) > 0)) {
            return "two points of the curve in a row are the same";
        }
    }
    return NULL;
}

static const char *fault_of(const td_constraint *c) {
    const char *fault = (uint32_t)c->kind >= KINDS ? "kind is unknown" : fault_of_sides(c);
    fault = fault ? fault : fault_of_places(c);
    return fault ? fault : fault_of_curve(c);
}

// Numbers of which only one side of the range is fixed may be infinite.
static td_status check_numbers(const td_constraint *c, const char *name, int32_t k, td_diag *diag) {
    const tdi_range ranges[] = {
        TDI_FINITE("start", "s", c->start),
        TDI_FINITE("offset", "rad", c->offset),
        TDI_FINITE("ratio", NULL, c->ratio),
        TDI_FROM_0("target.length", "m", c->target.length),
        TDI_ABOVE_0("stiffness", "N/m", c->stiffness),
        TDI_FROM_0("damping", "N s/m", c->damping),
    };
    TDI_TRY(tdi_check_ranges(ranges, sizeof ranges / sizeof *ranges, name, k, diag));
    if (!(c->end > c->start)) {
        return tdi_fail_at(diag, TD_ERR_ARGUMENT, k,
                           "%s: end is %g s; it must be above start, %g s", name, c->end, c->start);
    }
    if (!(c->break_force > 0)) {
        return tdi_fail_at(diag, TD_ERR_ARGUMENT, k, "%s: break_force is %g; it must be above 0",
                           name, c->break_force);
    }
    if (c->kind == TD_CONSTRAINT_DISTANCE && c->target.length == 0) {
        return tdi_fail_at(
            diag, TD_ERR_ARGUMENT, k,
            "%s: target.length is 0 m; it must be above 0, or take a constraint of a point", name);
    }
    if (c->kind == TD_CONSTRAINT_GEAR && c->ratio == 0) {
        return tdi_fail_at(diag, TD_ERR_ARGUMENT, k, "%s: ratio is 0; it must not be", name);
    }
    return TD_OK;
}

static td_status check_limits(const td_constraint *c, const char *name, int32_t k, td_diag *diag) {
    if (!(c->low < c->high)) {
        return tdi_fail_at(diag, TD_ERR_ARGUMENT, k, "%s: low is %g; it must be below high, %g",
                           name, c->low, c->high);
    }
    if (!(c->cone > 0)) {
        return tdi_fail_at(diag, TD_ERR_ARGUMENT, k, "%s: cone is %g rad; it must be above 0", name,
                           c->cone);
    }
    return TD_OK;
}

td_status td_constraints_check(const td_constraint *constraints, int32_t count, td_diag *diag) {
    if (count < 0 || (count > 0 && !constraints)) {
        return tdi_fail(diag, TD_ERR_ARGUMENT, "count of constraints is %d; it must be at least 0",
                        (int)count);
    }
    for (int32_t k = 0; k < count; k++) {
        td_constraint own = td_constraint_default(TD_CONSTRAINT_POINT);
        const td_constraint *c = &own;
        char name[80];
        td_status taken = tdi_opts_take("td_constraint", &own, tdi_opts_at(constraints, k), diag);
        if (taken != TD_OK) {
            if (diag) {
                diag->index = k;
            }
            return taken;
        }
        tdi_constraint_name(c, k, name);
        const char *fault = fault_of(c);
        if (fault) {
            return tdi_fail_at(diag, TD_ERR_ARGUMENT, k, "%s: %s", name, fault);
        }
        TDI_TRY(check_numbers(c, name, k, diag));
        TDI_TRY(check_limits(c, name, k, diag));
    }
    return TD_OK;
}
