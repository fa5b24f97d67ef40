// SPDX-License-Identifier: MIT
// Articulated strings: modules B (body) and J (joint) become segments.
//
// Method   one pass with a stack for the brackets. Every path from the base to a tip must match
//          B(JB)*, so the pass only has to remember the last B or J of its own path. Each JB pair
//          is a segment: the joint turns, the body follows. Other modules mean nothing here.

#include "plant/plant.h"

#include "base/diag.h"
#include "math/quat.h"

#include <string.h>

#define BODY_SHORT    3  // B(length, radius, density)
#define BODY_GENERAL  10 // B(mass, joint to centre x3, centre to outboard x3, inertia x3)
#define JOINT_SHORT   8  // J(E, rest x3, initial x3, damping)
#define JOINT_GENERAL 9  // J(rest x3, initial x3, springs x3)

// of inertias typed by hand, relative
#define INERTIA_TOLERANCE 1e-6

// ---- module types ---------------------------------------------------------------------------

typedef enum module_kind {
    MODULE_OTHER,
    MODULE_BODY,
    MODULE_JOINT,
    MODULE_PUSH,
    MODULE_POP
} module_kind;

static module_kind kind_of(const char *name) {
    static const struct {
        const char *name;
        module_kind kind;
    } kinds[] = {{"B", MODULE_BODY}, {"J", MODULE_JOINT}, {"[", MODULE_PUSH}, {"]", MODULE_POP}};
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        if (strcmp(name, kinds[i].name) == 0) {
            return kinds[i].kind;
        }
    }
    return MODULE_OTHER;
}

static bool has_form(module_kind kind, int32_t params) {
    return kind == MODULE_BODY    ? params == BODY_SHORT || params == BODY_GENERAL
           : kind == MODULE_JOINT ? params == JOINT_SHORT || params == JOINT_GENERAL
                                  : true;
}

bool tdi_string_is_articulated(const td_grammar *grammar, const td_string *string) {
    int32_t found[4], count = 0;
    for (int32_t t = 0; t < td_grammar_type_count(grammar) && count < 4; t++) {
        module_kind kind = kind_of(td_grammar_type_name(grammar, t));
        if ((kind == MODULE_BODY || kind == MODULE_JOINT) &&
            has_form(kind, td_grammar_type_params(grammar, t))) {
            found[count++] = t;
        }
    }
    for (int64_t m = 0; count > 0 && m < string->module_count; m++) {
        for (int32_t i = 0; i < count; i++) {
            if (string->types[m] == found[i]) {
                return true;
            }
        }
    }
    return false;
}

// ---- the pass -------------------------------------------------------------------------------

typedef struct level { // what `[` saves
    int32_t body;      // segment of the last body on the path
    int64_t opened;    // module of the bracket
} level;

typedef struct reading {
    const td_grammar *grammar;
    const td_string *string;
    td_builder *builder;
    td_diag *diag;
    uint8_t *kinds; // module_kind of every type
    level *levels;
    int64_t level_capacity, depth;
    int32_t material;
    int32_t body;         // segment of the last body on the path, or TD_NONE
    const td_real *joint; // parameters of a joint that waits for its body, or NULL
    int32_t joint_params;
    int64_t joint_module;
    int64_t module;        // the one being read
    const td_real *params; // its parameters
} reading;

// a fault at a module: its number, its text, what is wrong
static td_status refuse(const reading *r, int64_t module, const td_real *params,
                        const char *message) {
    char text[100];
    td_module_write(r->grammar, r->string->types[module], params, text, sizeof text);
    return tdi_fail_at(r->diag, TD_ERR_STRUCTURE, module, "module %lld, %s: %s", (long long)module,
                       text, message);
}

static td_status refuse_here(const reading *r, const char *message) {
    return refuse(r, r->module, r->params, message);
}

// ---- joints ---------------------------------------------------------------------------------

// intrinsic turns about R (X), then H (Y), then U (Z): q = q_X q_Y q_Z
static td_quat turned(const td_real *rest, const td_real *added) {
    td_real angle[3];
    for (int i = 0; i < 3; i++) {
        angle[i] = tdi_radians(rest[i] + (added ? added[i] : 0));
    }
    td_quat x = tdi_quat_turn(tdi_vec3(1, 0, 0), angle[0]);
    td_quat y = tdi_quat_turn(tdi_vec3(0, 1, 0), angle[1]);
    td_quat z = tdi_quat_turn(tdi_vec3(0, 0, 1), angle[2]);
    return tdi_quat_unit(tdi_quat_mul(tdi_quat_mul(x, y), z));
}

static td_status read_joint(reading *r, int32_t params) {
    if (r->joint) {
        return refuse_here(r, "this joint follows a joint; a body must stand between them");
    }
    if (r->body == TD_NONE) {
        return refuse_here(r, "the string must start with a body, which is the immovable base");
    }
    for (int32_t i = 0; i < params; i++) {
        if (!isfinite(r->params[i])) {
            return refuse_here(r, "a parameter is not a finite number");
        }
    }
    const td_real *p = r->params;
    if (params == JOINT_SHORT && !(p[0] >= 0 && p[7] >= 0)) {
        return refuse_here(r, "Young's modulus and damping must be at least 0");
    }
    if (params == JOINT_GENERAL && !(p[6] >= 0 && p[7] >= 0 && p[8] >= 0)) {
        return refuse_here(r, "the spring constants must be at least 0");
    }
    r->joint = r->params;
    r->joint_params = params;
    r->joint_module = r->module;
    return TD_OK;
}

// J(E, rest, initial, damping): springs from E, or none for E = 0
static void apply_short_joint(const td_real *p, td_segment_def *def) {
    def->rest = turned(p + 1, NULL);
    def->initial = turned(p + 1, p + 4);
    def->joint_young = p[0];
    def->has_stiffness = p[0] == 0;
    def->damping = tdi_vec3(p[7], p[7], p[7]);
    def->has_damping = true;
}

static void apply_general_joint(const td_real *p, td_segment_def *def) {
    def->rest = turned(p, NULL);
    def->initial = turned(p, p + 3);
    def->stiffness = tdi_vec3(p[6], p[7], p[8]);
    def->has_stiffness = true;
}

// ---- bodies ---------------------------------------------------------------------------------

// B(length, radius, density): a cylinder
static td_status apply_short_body(const reading *r, td_segment_def *def) {
    const td_real *p = r->params;
    if (!(p[0] > 0 && p[1] > 0 && p[2] > 0)) {
        return refuse_here(r, "length, radius and density must be above 0");
    }
    def->length = p[0];
    def->radius_base = p[1];
    def->radius_tip = p[1];
    tdi_moments cylinder = tdi_moments_cone(p[0], p[1], p[1]);
    def->mass = p[2] * cylinder.zeroth;
    def->centre_of_mass = tdi_vec3(0, p[0] / 2, 0);
    def->second_moment.xx = p[2] * cylinder.second.xx;
    def->second_moment.yy = p[2] * cylinder.second.yy;
    def->second_moment.zz = p[2] * cylinder.second.zz;
    return TD_OK;
}

// the second moment of an inertia diagonal: Sxx = (Iyy + Izz - Ixx)/2 and so on; below 0 by more
// than rounding, no body has it
static td_status second_from_inertia(const reading *r, const td_real *inertia, td_sym3 *out) {
    td_real sum = inertia[0] + inertia[1] + inertia[2];
    td_real s[3];
    for (int i = 0; i < 3; i++) {
        s[i] = sum / 2 - inertia[i];
        if (!(s[i] >= -INERTIA_TOLERANCE * sum) || !(inertia[i] >= 0)) {
            return refuse_here(r, "no body has this inertia; each moment must be at least "
                                  "0 and at most the sum of the other two");
        }
        s[i] = s[i] > 0 ? s[i] : 0;
    }
    *out = (td_sym3){s[0], s[1], s[2], 0, 0, 0};
    return TD_OK;
}

// B(mass, joint to centre, centre to outboard joint, inertia diagonal about the joint)
static td_status apply_general_body(const reading *r, td_segment_def *def) {
    const td_real *p = r->params;
    if (!(p[0] > 0)) {
        return refuse_here(r, "the mass must be above 0");
    }
    def->mass = p[0];
    def->centre_of_mass = tdi_vec3(p[1], p[2], p[3]);
    def->tip = tdi_vec3(p[1] + p[4], p[2] + p[5], p[3] + p[6]);
    def->has_tip = true;
    def->length = tdi_norm(def->tip);
    if (!(def->length > 0)) {
        return refuse_here(
            r, "the two joints of this body are at the same place; the body has no length");
    }
    TDI_TRY(second_from_inertia(r, p + 7, &def->second_moment));
    tdi_moments m = tdi_given_moments(def);
    if (!tdi_moments_physical(&m, INERTIA_TOLERANCE)) {
        return refuse_here(
            r, "the inertia about the joint is too small for this mass and centre of mass");
    }
    // a cylinder has Iyy = m r^2/2; one without any is drawn slender
    td_real radius = sqrt(2 * p[8] / p[0]);
    def->radius_base = radius > 0 ? radius : 0.01 * def->length;
    def->radius_tip = def->radius_base;
    return TD_OK;
}

static td_status read_body(reading *r, int32_t params) {
    if (r->body != TD_NONE && !r->joint) {
        return refuse_here(r, "this body follows a body; a joint must stand between them");
    }
    for (int32_t i = 0; i < params; i++) {
        if (!isfinite(r->params[i])) {
            return refuse_here(r, "a parameter is not a finite number");
        }
    }
    td_segment_def def = td_segment_def_default();
    def.parent = r->body;
    def.material = r->material;
    if (!r->joint) {
        def.joint = TD_JOINT_FIXED;
    } else if (r->joint_params == JOINT_SHORT) {
        apply_short_joint(r->joint, &def);
    } else {
        apply_general_joint(r->joint, &def);
    }
    td_status status =
        params == BODY_SHORT ? apply_short_body(r, &def) : apply_general_body(r, &def);
    if (status != TD_OK) {
        return status;
    }
    td_diag inner;
    status = td_builder_add(r->builder, &def, &r->body, &inner);
    if (status == TD_ERR_ARGUMENT) {
        return refuse_here(r, inner.message);
    }
    if (status != TD_OK && r->diag) {
        *r->diag = inner;
    }
    r->joint = NULL;
    return status == TD_OK && r->string->names
               ? tdi_builder_name(r->builder, r->string->names[r->module], 0, r->diag)
               : status;
}

// ---- brackets -------------------------------------------------------------------------------

static td_status read_push(reading *r) {
    if (r->joint) {
        return refuse_here(r, "this branch follows a joint; a body must follow the joint");
    }
    if (r->body == TD_NONE) {
        return refuse_here(r, "the string must start with a body, which is the immovable base");
    }
    level *levels = tdi_array_reserve(r->builder->store.alloc, r->levels, &r->level_capacity,
                                      r->depth + 1, sizeof *levels);
    if (!levels) {
        return tdi_fail(r->diag, TD_ERR_MEMORY, "out of memory for the branches");
    }
    r->levels = levels;
    r->levels[r->depth++] = (level){r->body, r->module};
    return TD_OK;
}

static td_status read_pop(reading *r) {
    if (r->joint) {
        return refuse_here(r, "the branch ends with a joint; a body must follow it");
    }
    if (r->depth == 0) {
        return refuse_here(r, "no branch is open here");
    }
    r->body = r->levels[--r->depth].body;
    return TD_OK;
}

static td_status read_end(const reading *r) {
    if (r->joint) {
        return refuse(r, r->joint_module, r->joint,
                      "the string ends with a joint; a body must follow it");
    }
    if (r->depth > 0) {
        return refuse(r, r->levels[r->depth - 1].opened, NULL, "the branch is never closed");
    }
    return TD_OK;
}

// ---- entry ----------------------------------------------------------------------------------

static td_status read_module(reading *r, module_kind kind, int32_t params) {
    if (!has_form(kind, params)) {
        return refuse_here(r, kind == MODULE_BODY ? "a body has 3 or 10 parameters"
                                                  : "a joint has 8 or 9 parameters");
    }
    switch (kind) {
    case MODULE_BODY: return read_body(r, params);
    case MODULE_JOINT: return read_joint(r, params);
    case MODULE_PUSH: return read_push(r);
    case MODULE_POP: return read_pop(r);
    case MODULE_OTHER: break;
    }
    return TD_OK;
}

static td_status read_all(reading *r, int32_t type_count) {
    int64_t next = 0;
    for (int64_t m = 0; m < r->string->module_count; m++) {
        int32_t type = r->string->types[m];
        int32_t params = type < type_count ? td_grammar_type_params(r->grammar, type) : 0;
        if (type >= type_count || params > r->string->param_count - next) {
            return tdi_fail_at(r->diag, TD_ERR_ARGUMENT, m,
                               "module %lld does not belong to this grammar", (long long)m);
        }
        r->module = m;
        r->params = r->string->params + next;
        next += params;
        TDI_TRY(read_module(r, (module_kind)r->kinds[type], params));
    }
    return read_end(r);
}

// Bodies carry their own mass and joints their own springs; what is left to the material is the
// colour, the damping of general joints, and Poisson's ratio 0.3 for G = E/(2(1 + nu)).
static td_material articulated_material(void) {
    td_material material = td_material_get(0);
    tdi_text_copy(material.name, sizeof material.name, "articulated");
    material.density = 1000;
    material.shear = 0;
    material.poisson = 0.3;
    return material;
}

td_status tdi_articulated_read(const td_grammar *grammar, const td_string *string,
                               td_builder *builder, td_diag *diag) {
    const td_alloc *alloc = builder->store.alloc;
    int32_t type_count = td_grammar_type_count(grammar);
    reading r = {grammar, string, builder, diag, .body = TD_NONE};
    r.kinds = tdi_alloc_zeroed(alloc, (size_t)type_count, sizeof *r.kinds);
    if (!r.kinds) {
        return tdi_fail(diag, TD_ERR_MEMORY, "out of memory for the module types");
    }
    for (int32_t t = 0; t < type_count; t++) {
        r.kinds[t] = (uint8_t)kind_of(td_grammar_type_name(grammar, t));
    }
    td_material material = articulated_material();
    td_status status = td_builder_add_material(builder, &material, &r.material, diag);
    status = status == TD_OK ? read_all(&r, type_count) : status;
    tdi_alloc_free(alloc, r.levels, (size_t)r.level_capacity * sizeof *r.levels);
    tdi_alloc_free(alloc, r.kinds, (size_t)type_count * sizeof *r.kinds);
    return status;
}
