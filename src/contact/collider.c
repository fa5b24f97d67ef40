// SPDX-License-Identifier: MIT
// Colliders and options: defaults and checks.

#include "base/diag.h"
#include "base/opts.h"
#include "contact/contact.h"
#include "math/quat.h"
#include "tendril/contact.h"

#include <stdio.h>

#define FARTHEST     1e9 // m
#define FRICTION_MAX 10.0

// ---- colliders ------------------------------------------------------------------------------

td_filter td_filter_default(void) {
    return (td_filter){.category = 1, .mask = UINT32_MAX};
}

td_collider td_collider_default(td_collider_kind kind) {
    td_collider collider = {.kind = kind,
                            .radius = 0.5,
                            .length = 1,
                            .sides = {1, 1, 1},
                            .rotation0 = {1, 0, 0, 0},
                            .rotation = {1, 0, 0, 0},
                            .friction = 0.3,
                            .rolling = 0.01,
                            .filter = td_filter_default()};
    return collider;
}

static bool placed(td_vec3 a) {
    return fabs(a.x) <= FARTHEST && fabs(a.y) <= FARTHEST && fabs(a.z) <= FARTHEST;
}

static bool unit(td_quat q) {
    return fabs(tdi_quat_norm(q) - 1) < 1e-6;
}

static bool sized(td_real size) {
    return size > 0 && size <= FARTHEST;
}

// What is wrong with the sizes that the kind uses, or NULL.
static const char *size_fault_of(const td_collider *c) {
    const bool round = c->kind == TD_COLLIDER_SPHERE || c->kind == TD_COLLIDER_CAPSULE;
    if (round && !sized(c->radius)) {
        return "radius must be above 0 and at most 1e9 m";
    }
    if (c->kind == TD_COLLIDER_CAPSULE && c->length != 0 && !sized(c->length)) {
        return "length must be from 0 to 1e9 m";
    }
    if (c->kind == TD_COLLIDER_BOX &&
        !(sized(c->sides.x) && sized(c->sides.y) && sized(c->sides.z))) {
        return "sides must be above 0 and at most 1e9 m";
    }
    if (c->kind == TD_COLLIDER_HEIGHT_FIELD && !c->field) {
        return "field must be given: see td_height_field_new()";
    }
    return NULL;
}

// What is wrong with a collider, or NULL.
static const char *fault_of(const td_collider *c) {
    bool known = c->kind == TD_COLLIDER_PLANE || c->kind == TD_COLLIDER_SPHERE ||
                 c->kind == TD_COLLIDER_CAPSULE || c->kind == TD_COLLIDER_BOX ||
                 c->kind == TD_COLLIDER_HEIGHT_FIELD;
    return !known                       ? "kind must be plane, sphere, capsule, box or height field"
           : size_fault_of(c)           ? size_fault_of(c)
           : !placed(c->position0)      ? "position0 must lie within 1e9 m of the origin"
           : !placed(c->position)       ? "position must lie within 1e9 m of the origin"
           : !unit(c->rotation0)        ? "rotation0 must be a unit quaternion"
           : !unit(c->rotation)         ? "rotation must be a unit quaternion"
           : !(c->friction >= 0)        ? "friction must be from 0 to 10"
           : c->friction > FRICTION_MAX ? "friction must be from 0 to 10"
           : !(c->restitution >= 0)     ? "restitution must be from 0 to 1"
           : c->restitution > 1         ? "restitution must be from 0 to 1"
           : !(c->rolling >= 0)         ? "rolling must be from 0 to 1"
           : c->rolling > 1             ? "rolling must be from 0 to 1"
           : !(c->static_friction >= 0) ? "static_friction must be from 0 to 10"
           : c->static_friction > FRICTION_MAX ? "static_friction must be from 0 to 10"
                                               : NULL;
}

// ---- messages -------------------------------------------------------------------------------

const char *tdi_collider_kind_name(td_collider_kind kind) {
    return kind == TD_COLLIDER_PLANE          ? "plane"
           : kind == TD_COLLIDER_SPHERE       ? "sphere"
           : kind == TD_COLLIDER_CAPSULE      ? "capsule"
           : kind == TD_COLLIDER_BOX          ? "box"
           : kind == TD_COLLIDER_HEIGHT_FIELD ? "heightfield"
                                              : "of no known kind";
}

void tdi_collider_text(const td_collider *c, tdi_collider_label label,
                       char text[TDI_COLLIDER_TEXT]) {
    if (label.name) {
        snprintf(text, TDI_COLLIDER_TEXT, "collider '%.60s'", label.name);
    } else {
        snprintf(text, TDI_COLLIDER_TEXT, "collider %d (%s)", (int)label.number,
                 tdi_collider_kind_name(c->kind));
    }
}

// ---- checks ---------------------------------------------------------------------------------

td_status tdi_colliders_check(const td_collider *colliders, int32_t count,
                              const tdi_collider_label *labels, td_diag *diag) {
    if (count < 0 || (count > 0 && !colliders)) {
        return tdi_fail(diag, TD_ERR_ARGUMENT, "collider_count is %d; it must be at least 0",
                        count);
    }
    for (int32_t k = 0; k < count; k++) {
        const char *fault = fault_of(&colliders[k]);
        if (fault) {
            const tdi_collider_label listed = {NULL, k};
            char text[TDI_COLLIDER_TEXT];
            tdi_collider_text(&colliders[k], labels ? labels[k] : listed, text);
            return tdi_fail_at(diag, TD_ERR_ARGUMENT, k, "%s: %s", text, fault);
        }
    }
    return TD_OK;
}

td_status td_colliders_check(const td_collider *colliders, int32_t count, td_diag *diag) {
    return tdi_colliders_check(colliders, count, NULL, diag);
}

// ---- options --------------------------------------------------------------------------------

td_contact_opts td_contact_opts_default(void) {
    td_contact_opts opts = {.struct_size = sizeof opts,
                            .self = true,
                            .friction = 0.3,
                            .gap = 0.2,
                            .creep = 1e-3,
                            .pairs = 16};
    return opts;
}

td_status td_contact_opts_check(const td_contact_opts *opts, td_diag *diag) {
    td_contact_opts own = td_contact_opts_default();
    TDI_TRY(tdi_opts_take("td_contact_opts", &own, opts, diag));
    opts = &own;
    const struct {
        const char *name;
        td_real value, low, high;
    } fields[] = {{"friction", opts->friction, 0, FRICTION_MAX},
                  {"gap", opts->gap, 0.01, 1},
                  {"creep", opts->creep, 1e-9, 1},
                  {"restitution", opts->restitution, 0, 1},
                  {"rolling", opts->rolling, 0, 1},
                  {"static_friction", opts->static_friction, 0, FRICTION_MAX},
                  {"pairs", opts->pairs, 1, TDI_PAIRS_MOST}};
    for (size_t i = 0; i < sizeof fields / sizeof fields[0]; i++) {
        if (!(fields[i].value >= fields[i].low && fields[i].value <= fields[i].high)) {
            return tdi_fail(diag, TD_ERR_ARGUMENT,
                            "%s of the contact options is %g; it must be from %g to %g",
                            fields[i].name, fields[i].value, fields[i].low, fields[i].high);
        }
    }
    if (opts->restitution > 0 && opts->method == TD_CONTACT_BARRIER) {
        return tdi_fail(
            diag, TD_ERR_ARGUMENT,
            "restitution of the contact options is %g; above 0 it needs the method exact",
            opts->restitution);
    }
    if (opts->method != TD_CONTACT_BARRIER && opts->method != TD_CONTACT_EXACT) {
        return tdi_fail(diag, TD_ERR_ARGUMENT,
                        "method of the contact options is %d; it must be one of td_contact_method",
                        (int)opts->method);
    }
    if (opts->law != TD_IMPACT_NEWTON && opts->law != TD_IMPACT_POISSON) {
        return tdi_fail(diag, TD_ERR_ARGUMENT,
                        "law of the contact options is %d; it must be one of td_impact_law",
                        (int)opts->law);
    }
    return TD_OK;
}
