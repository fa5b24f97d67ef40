// SPDX-License-Identifier: MIT
// From an object of a scene to a skeleton: plants by their L-system, strands along a curve.

#include "world/grow.h"

#include "math/angle.h"
#include "math/quat.h"
#include "world/strand.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define MAX_PLANT_TEXT (16 << 20) // bytes of a model's file
#define MAX_FAULTS     16         // of one plant
#define BEAD_COLOR     0x9aa0a6
#define MAX_SIDE       100.0 // of a box, over its length
#define WEIGHT_RADIUS  3     // of the ball at a strand's tip, over that of the strand
#define VARIANT_SEED   7919  // between the seeds of variants

typedef struct grower {
    const td_scene *scene;
    const td_object_def *object;
    const td_world_opts *opts;
    const td_alloc *alloc;
    td_diag_list *diags;
    int32_t index, variant;
} grower;

// A fault of the object's key `key`.
static td_status fault(const grower *g, td_status status, const char *key, const char *message) {
    char path[96];
    snprintf(path, sizeof path, "objects[%d]%s%s", g->index, key[0] ? "." : "", key);
    return tdi_scene_fault(g->scene, g->diags, status, path, "%s", message);
}

// ---- plants ---------------------------------------------------------------------------------

static td_status derive(const grower *g, const td_grammar *grammar, td_derivation **out,
                        td_diag *diag) {
    const td_object_def *o = g->object;
    td_derive_opts opts = td_derive_opts_default();
    opts.max_modules = g->opts->max_modules;
    if (o->seed >= 0 || g->variant > 0) {
        opts.seed = (int64_t)(o->seed >= 0 ? o->seed : 1) + VARIANT_SEED * (int64_t)g->variant;
    }
    int32_t steps = o->steps >= 0 ? o->steps : td_grammar_steps(grammar);
    td_status status = td_derivation_new(grammar, &opts, g->alloc, out, diag);
    for (int32_t i = 0; i < steps && status == TD_OK; i++) {
        status = td_derivation_step(*out, diag);
    }
    return status == TD_OK ? td_derivation_end(*out, diag) : status;
}

static td_skeleton_opts skeleton_opts(const td_object_def *o, int64_t max_segments) {
    td_skeleton_opts opts = td_skeleton_opts_default();
    opts.springs = o->springs;
    opts.prune_length = o->prune_length;
    opts.prune_mass = o->prune_mass;
    opts.max_segments = max_segments < INT32_MAX ? (int32_t)max_segments : INT32_MAX;
    return opts;
}

static td_status grow_text(const grower *g, const char *name, const char *text, size_t size,
                           td_skeleton **out) {
    td_grammar_def def = td_grammar_def_default();
    td_grammar *grammar = NULL;
    td_derivation *derivation = NULL;
    def.name = name;
    def.text = text;
    def.text_size = size;
    def.defines = g->object->defines;
    def.define_count = g->object->define_count;
    def.loader = g->opts->loader;
    // a list of its own, because compiling empties the one it gets
    td_diag faults[MAX_FAULTS];
    td_diag_list list = {faults, MAX_FAULTS, 0};
    td_status status = td_grammar_new(&def, g->alloc, &grammar, &list);
    if (status == TD_OK) {
        status = td_plant_check(grammar, &list);
    }
    if (status != TD_OK) {
        for (int32_t k = 0; k < list.count && k < MAX_FAULTS; k++) {
            tdi_diag_add(g->diags, &faults[k]);
        }
        td_grammar_free(grammar);
        return status;
    }
    td_diag diag = {.index = TD_NONE};
    status = derive(g, grammar, &derivation, &diag);
    if (status == TD_OK) {
        td_string string = td_derivation_string(derivation);
        td_skeleton_opts opts = skeleton_opts(g->object, g->opts->max_segments);
        status = td_skeleton_from_string(grammar, &string, &opts, g->alloc, out, &diag);
    }
    td_derivation_free(derivation);
    td_grammar_free(grammar);
    if (status != TD_OK) {
        char message[sizeof diag.message];
        snprintf(message, sizeof message, "%.100s: %.210s", name,
                 diag.message[0] ? diag.message : td_status_text(status));
        return fault(g, status, "plant", message);
    }
    return TD_OK;
}

static td_status grow_plant(const grower *g, td_skeleton **out) {
    const td_loader *l = g->opts->loader;
    char *text = NULL, resolved[160] = "", message[240];
    size_t size = 0;
    if (!l) {
        return fault(g, TD_ERR_READ, "plant", "no files can be read here");
    }
    td_status status = l->read(l->context, g->object->plant, g->scene->file ? g->scene->file : "",
                               MAX_PLANT_TEXT, g->alloc, &text, &size, resolved);
    if (status != TD_OK) {
        snprintf(message, sizeof message, "cannot read '%.180s'", g->object->plant);
        return fault(g, status == TD_ERR_MEMORY ? status : TD_ERR_SYNTAX, "plant", message);
    }
    status = grow_text(g, resolved, text, size, out);
    tdi_alloc_free(g->alloc, text, size);
    return status;
}

// ---- strands --------------------------------------------------------------------------------

// The rotation that takes +Y to the unit vector d the shortest way.
static td_quat point_up_to(td_vec3 d) {
    td_quat q = {1 + d.y, d.z, 0, -d.x};
    return d.y < -1 + 1e-12 ? (td_quat){0, 1, 0, 0} : tdi_quat_unit(q);
}

// A ball at the tip of a segment: mass, centre and second moments of both.
static void hang_weight(td_segment_def *def, td_real density, td_real weight) {
    td_real a = def->radius_base, b = def->radius_tip, l = def->length, ball = WEIGHT_RADIUS * a;
    td_real square = (a * a + a * b + b * b) / 3; // mean square of the radius
    td_real own = density * TDI_PI * square * l, round = weight * ball * ball / 5;
    td_real across = round + own * square / 4;
    def->mass = own + weight;
    def->centre_of_mass = tdi_vec3(0, (own * l / 2 + weight * l) / def->mass, 0);
    def->second_moment =
        (td_sym3){across, own * l * l / 3 + weight * l * l + round, across, 0, 0, 0};
}

static td_status build_strand(const grower *g, const td_vec3 *places, td_builder *builder,
                              td_diag *diag) {
    const td_strand_def *s = &g->object->strand;
    td_quat last = tdi_quat_identity();
    td_material material = td_material_get(td_material_find(s->material ? s->material : "rope"));
    int32_t index;
    td_status status = td_builder_add_material(builder, &material, &index, diag);
    td_real tip = s->tip_radius > 0 ? s->tip_radius : s->radius;
    for (int32_t k = 0; k < s->segments && status == TD_OK; k++) {
        td_vec3 along = tdi_sub(places[k + 1], places[k]);
        td_segment_def def = td_segment_def_default();
        def.length = tdi_norm(along);
        // turned on from the segment before, so that the twist is least
        td_vec3 own = tdi_quat_rotate(tdi_quat_conj(last), tdi_scale(along, 1 / def.length));
        def.rest = point_up_to(own);
        last = tdi_quat_mul(last, def.rest);
        def.parent = k - 1;
        def.attach_at_tip = k > 0;
        def.attach = places[0];
        def.material = index;
        def.radius_base = s->radius + (tip - s->radius) * k / s->segments;
        def.radius_tip = s->radius + (tip - s->radius) * (k + 1) / s->segments;
        def.flat = s->radius_other > 0 ? s->radius_other / s->radius : 1;
        if (k == s->segments - 1 && s->tip_mass > 0) {
            def.bead = WEIGHT_RADIUS * def.radius_base;
            hang_weight(&def, material.density, s->tip_mass);
        }
        status = td_builder_add(builder, &def, NULL, diag);
    }
    return status;
}

// What a body of a strand looks like: a box, or a bead when it has no size. A side of 0 is drawn as
// thick as the strand.
static td_shape body_shape(const td_strand_body *b, td_real radius, td_real *length) {
    td_shape shape = td_shape_default();
    const td_real x = b->size.x > 0 ? b->size.x : 2 * radius;
    const td_real y = b->size.y > 0 ? b->size.y : 2 * radius;
    const td_real z = b->size.z > 0 ? b->size.z : 2 * radius;
    const bool bead = b->size.x + b->size.y + b->size.z == 0;
    shape.kind = bead ? TD_SHAPE_BALL : TD_SHAPE_BOX;
    shape.stalk = 0;
    shape.color = BEAD_COLOR;
    *length = bead ? 4 * radius : fmax(y, fmax(x, z) / MAX_SIDE);
    shape.width = bead ? 1 : x / *length;
    shape.depth = bead ? 1 : z / *length;
    return shape;
}

// The bodies of a strand are segments that are drawn and follow.
static td_status build_bodies(const grower *g, const td_vec3 *places, td_builder *builder,
                              td_diag *diag) {
    const td_strand_def *s = &g->object->strand;
    td_status status = TD_OK;
    for (int32_t k = 0; k < s->body_count && status == TD_OK; k++) {
        const td_strand_body *b = &s->bodies[k];
        const td_real at = b->at * s->segments;
        const int32_t on = at < s->segments ? (int32_t)at : s->segments - 1;
        const td_real along = (at - on) * tdi_norm(tdi_sub(places[on + 1], places[on]));
        td_segment_def def = td_segment_def_default();
        td_shape shape = body_shape(b, s->radius, &def.length);
        status = td_builder_add_shape(builder, &shape, &def.shape, diag);
        def.parent = on;
        def.joint = TD_JOINT_FIXED;
        def.organ = TD_ORGAN_FRUIT;
        def.attach_at_tip = false;
        def.attach = tdi_add(b->position, tdi_vec3(0, along - 0.5 * def.length, 0));
        status = status == TD_OK ? td_builder_add(builder, &def, NULL, diag) : status;
    }
    return status;
}

static td_status grow_strand(const grower *g, td_skeleton **out) {
    const td_strand_def *s = &g->object->strand;
    const tdi_strand_curve curve = tdi_strand_drawn(s);
    td_diag diag = {.index = TD_NONE};
    td_builder *builder = NULL;
    size_t count = (size_t)s->segments + 1;
    if (s->material && td_material_find(s->material) == TD_NONE) {
        return fault(g, TD_ERR_SYNTAX, "strand.material", "no material has this name");
    }
    if (s->segments > g->opts->max_segments) {
        return fault(g, TD_ERR_LIMIT, "strand.segments", "too many segments");
    }
    td_vec3 *places = tdi_alloc_zeroed(g->alloc, count, sizeof *places);
    if (!places) {
        return TD_ERR_MEMORY;
    }
    td_skeleton_opts opts = skeleton_opts(g->object, g->opts->max_segments);
    td_status status = TD_ERR_SYNTAX;
    if (!(tdi_strand_places(&curve, s->segments, places) > 0)) {
        fault(g, TD_ERR_SYNTAX, s->point_count > 0 ? "strand.points" : "strand.helix",
              "the strand has no length");
    } else {
        status = td_builder_new(&opts, g->alloc, &builder);
        status = status == TD_OK ? build_strand(g, places, builder, &diag) : status;
        status = status == TD_OK ? build_bodies(g, places, builder, &diag) : status;
        status = status == TD_OK ? td_builder_finish(builder, out, &diag) : status;
        if (status != TD_OK && status != TD_ERR_MEMORY) {
            fault(g, TD_ERR_SYNTAX, "strand", diag.message);
            status = TD_ERR_SYNTAX;
        }
        td_builder_free(builder);
    }
    tdi_alloc_free(g->alloc, places, count * sizeof *places);
    return status;
}

// ---- entry ----------------------------------------------------------------------------------

static td_real variant_size(const td_object_def *o, int32_t variant) {
    const td_instances_def *i = &o->instances;
    td_real part = i->variants > 1 ? (td_real)variant / (i->variants - 1) : 0.5;
    return o->size * (i->smallest + (i->largest - i->smallest) * part);
}

// In the object's size and materials.
static td_status change(const grower *g, const td_skeleton *from, td_skeleton **out) {
    const td_object_def *o = g->object;
    td_diag diag = {.index = TD_NONE};
    td_status status = td_skeleton_changed_new(from, variant_size(o, g->variant), o->materials,
                                               o->material_count, g->alloc, out, &diag);
    if (status == TD_ERR_ARGUMENT) {
        char key[32];
        snprintf(key, sizeof key, "materials[%d]", diag.index < 0 ? 0 : diag.index);
        return fault(g, TD_ERR_SYNTAX, key, diag.message);
    }
    return status;
}

td_status tdi_object_grow(const td_scene *scene, int32_t object, int32_t variant,
                          const td_world_opts *opts, const td_alloc *alloc, td_skeleton **out,
                          td_diag_list *diags) {
    grower g = {scene, &scene->def.objects[object], opts, alloc, diags, object, variant};
    td_skeleton *grown = NULL;
    td_status status = TD_OK;
    *out = NULL;
    if (!g.object->skeleton) {
        status = g.object->plant ? grow_plant(&g, &grown) : grow_strand(&g, &grown);
    }
    if (status == TD_OK) {
        status = change(&g, g.object->skeleton ? g.object->skeleton : grown, out);
    }
    td_skeleton_free(grown);
    if (status == TD_OK && td_skeleton_count(*out) == 0) {
        status = fault(&g, TD_ERR_SYNTAX, "plant", "it has no segments");
        td_skeleton_free(*out);
        *out = NULL;
    }
    return status;
}
