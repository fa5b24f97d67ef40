// SPDX-License-Identifier: MIT
// From an object of a scene to a skeleton: plants by their L-system or from JSON, strands along a
// curve.

#include "world/object_skeleton.h"

#include "base/guard.h"
#include "plant/store.h"
#include "world/strand.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define MAX_PLANT_TEXT (256 << 20) // bytes of a file; the texts of models have a limit of their own
#define MAX_FAULTS     16          // of one plant
#define VARIANT_SEED   7919        // between the seeds of variants

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

// A definition that the model does not have is a fault of the scene, at the name.
static void place_define(const grower *g, td_diag *diag) {
    if (diag->status == TD_OK || diag->line > 0 || !tdi_has(diag->index, g->object->define_count)) {
        return;
    }
    char path[200], message[sizeof diag->message];
    tdi_text_copy(message, sizeof message, diag->message);
    snprintf(path, sizeof path, "objects[%d].define.%.120s",
             (int)(g->object - g->scene->def.objects), g->object->defines[diag->index].name);
    tdi_scene_fail(g->scene, diag, diag->status, path, "%s", message);
    const td_value *value = g->scene->value ? tdi_fields_where(g->scene->value, path) : NULL;
    if (value && value->key_line > 0) { // at its name, not at its value
        tdi_value_fail(value, value->key_line, value->key_column, diag, diag->status, "%s",
                       message);
    }
}

static td_status grow_text(const grower *g, const char *name, const char *view, const char *text,
                           size_t size, td_skeleton **out) {
    td_grammar_def def = td_grammar_def_default();
    td_grammar *grammar = NULL;
    td_derivation *derivation = NULL;
    def.name = name;
    def.text = text;
    def.text_size = size;
    def.defines = g->object->defines;
    def.define_count = g->object->define_count;
    def.loader = g->opts->loader;
    def.view = view;
    td_diag faults[MAX_FAULTS];
    td_diag_list list = {faults, MAX_FAULTS, 0};
    td_status status = td_grammar_new(&def, g->alloc, &grammar, &list);
    status = status == TD_OK ? td_plant_check(grammar, &list) : status;
    for (int32_t k = 0; k < list.count && k < MAX_FAULTS; k++) { // also warnings
        place_define(g, &faults[k]);
        tdi_diag_add(g->diags, &faults[k]);
    }
    if (status != TD_OK) {
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
        char message[2 * sizeof diag.message]; // where it is too long, fault() ends it
        snprintf(message, sizeof message, "%.160s: %s", name,
                 diag.message[0] ? diag.message : td_status_text(status));
        return fault(g, status, "plant", message);
    }
    return TD_OK;
}

// The file that the object's key `key` names, relative to the scene's file.
static td_status read_named(const grower *g, const char *key, const char *name, char **text,
                            size_t *size, char resolved[160]) {
    const td_loader *l = g->opts->loader;
    char message[240];
    if (!l) {
        return fault(g, TD_ERR_READ, key,
                     "the plant's file cannot be read: the caller gave no way to read files");
    }
    td_status status = l->read(l->context, name, g->scene->file ? g->scene->file : "",
                               MAX_PLANT_TEXT, g->alloc, text, size, resolved);
    if (status != TD_OK) {
        snprintf(message, sizeof message, "cannot read '%.180s'", name);
        return fault(g, status == TD_ERR_MEMORY ? status : TD_ERR_SYNTAX, key, message);
    }
    return TD_OK;
}

// The name of the object's view file, by which the model finds it.
static td_status find_view(const grower *g, char resolved[160]) {
    char *text = NULL;
    size_t size = 0;
    td_status status = read_named(g, "view", g->object->view, &text, &size, resolved);
    tdi_alloc_free(g->alloc, text, size);
    return status;
}

static td_status read_skeleton(const grower *g, const char *name, const char *text, size_t size,
                               td_skeleton **out) {
    const char *key =
        g->object->springs != TD_SPRING_CLAMPED ? "springs" : tdi_growing_key(g->object);
    if (key) {
        return fault(g, TD_ERR_SYNTAX, key,
                     "the plant is a skeleton in JSON, which does not grow; leave this key out");
    }
    td_diag diag = {.index = TD_NONE};
    td_status status = td_skeleton_from_json(text, size, name, g->alloc, out, &diag);
    if (status != TD_OK) {
        tdi_diag_add(g->diags, &diag);
        return status;
    }
    if (td_skeleton_count(*out) > g->opts->max_segments) {
        return fault(g, TD_ERR_LIMIT, "plant", "too many segments");
    }
    return TD_OK;
}

static td_status grow_plant(const grower *g, td_skeleton **out) {
    char *text = NULL, resolved[160] = "", view[160] = "";
    size_t size = 0;
    td_status status = read_named(g, "plant", g->object->plant, &text, &size, resolved);
    const bool skeleton = status == TD_OK && td_skeleton_is_json(text, size);
    if (skeleton) {
        status = read_skeleton(g, resolved, text, size, out);
    }
    if (status == TD_OK && g->object->view && !skeleton) {
        status = find_view(g, view);
    }
    if (status == TD_OK && !skeleton) {
        status = grow_text(g, resolved, g->object->view ? view : NULL, text, size, out);
    }
    tdi_alloc_free(g->alloc, text, size);
    return status;
}

// ---- strands --------------------------------------------------------------------------------

static td_real variant_size(const td_object_def *o, int32_t variant) {
    const td_instances_def *i = &o->instances;
    td_real part = i->variants > 1 ? (td_real)variant / (i->variants - 1) : 0.5;
    return o->size * (i->smallest + (i->largest - i->smallest) * part);
}

// A fault of the materials that the object changes.
static td_status material_fault(const grower *g, const td_diag *diag) {
    char key[32];
    snprintf(key, sizeof key, "materials[%d]", diag->index < 0 ? 0 : diag->index);
    return fault(g, TD_ERR_SYNTAX, key, diag->message);
}

static td_status build_strand(const grower *g, const td_material *material, td_skeleton **out) {
    const td_object_def *o = g->object;
    td_skeleton_opts opts = skeleton_opts(o, g->opts->max_segments);
    td_diag diag = {.index = TD_NONE};
    td_builder *builder = NULL;
    const char *key = "strand";
    td_status status = td_builder_new(&opts, g->alloc, &builder, NULL);
    status = status == TD_OK ? tdi_strand_build(&o->strand, variant_size(o, g->variant), material,
                                                g->alloc, builder, &key, &diag)
                             : status;
    status = status == TD_OK ? td_builder_finish(builder, out, &diag) : status;
    td_builder_free(builder);
    return status == TD_OK || status == TD_ERR_MEMORY ? status
                                                      : fault(g, TD_ERR_SYNTAX, key, diag.message);
}

static td_status grow_strand(const grower *g, td_skeleton **out) {
    const td_object_def *o = g->object;
    const char *name = o->strand.material ? o->strand.material : "rope";
    td_diag diag = {.index = TD_NONE};
    if (td_material_find(name) == TD_NONE) {
        char message[160], hint[60] = "";
        const char *near = tdi_material_nearest(name);
        if (near) {
            snprintf(hint, sizeof hint, "; the nearest is '%.30s'", near);
        }
        snprintf(message, sizeof message, "unknown material '%.40s'%s ('tendril info' lists all)",
                 name, hint);
        return fault(g, TD_ERR_SYNTAX, "strand.material", message);
    }
    if (o->strand.segments > g->opts->max_segments) {
        return fault(g, TD_ERR_LIMIT, "strand.segments", "too many segments");
    }
    td_material material = td_material_get(td_material_find(name));
    if (tdi_materials_change(&material, 1, o->materials, o->material_count, &diag) != TD_OK) {
        return material_fault(g, &diag);
    }
    return build_strand(g, &material, out);
}

// ---- entry ----------------------------------------------------------------------------------

// Lets go of the first stem, which carries all others.
static td_status loosen(const grower *g, td_skeleton *skeleton) {
    for (int32_t i = 1; i < skeleton->store.segment_count; i++) {
        if (skeleton->store.segments[i].parent == TD_NONE) {
            return fault(
                g, TD_ERR_SYNTAX, "loose",
                "several stems stand on the ground; a loose plant must have one first stem");
        }
    }
    td_segment *first = &skeleton->store.segments[0];
    first->joint = TD_JOINT_FREE;
    first->stiffness = first->damping = (td_vec3){0, 0, 0};
    for (int32_t k = 0; k < skeleton->store.strand_count; k++) {
        td_strand *strand = &skeleton->store.strands[k];
        strand->start = strand->first == 0 ? TD_END_FREE : strand->start;
    }
    return TD_OK;
}

// In the object's size and materials.
static td_status change(const grower *g, const td_skeleton *from, td_skeleton **out) {
    const td_object_def *o = g->object;
    td_diag diag = {.index = TD_NONE};
    td_status status = td_skeleton_changed_new(from, variant_size(o, g->variant), o->materials,
                                               o->material_count, g->alloc, out, &diag);
    return status == TD_ERR_ARGUMENT ? material_fault(g, &diag) : status;
}

td_status tdi_object_grow(const td_scene *scene, int32_t object, int32_t variant,
                          const td_world_opts *opts, const td_alloc *alloc, td_skeleton **out,
                          td_diag_list *diags) {
    grower g = {scene, &scene->def.objects[object], opts, alloc, diags, object, variant};
    td_skeleton *grown = NULL;
    td_status status = TD_OK;
    *out = NULL;
    if (!g.object->skeleton && !g.object->plant) {
        status = grow_strand(&g, out);
    } else {
        status = g.object->plant ? grow_plant(&g, &grown) : TD_OK;
        status = status == TD_OK ? change(&g, g.object->plant ? grown : g.object->skeleton, out)
                                 : status;
    }
    td_skeleton_free(grown);
    if (status == TD_OK && td_skeleton_count(*out) == 0) {
        status = fault(&g, TD_ERR_SYNTAX, "plant", "the plant has no segments");
    }
    if (status == TD_OK && g.object->joint_count > 0) {
        status = tdi_object_set_joints(scene, object, variant_size(g.object, variant), *out, diags);
    }
    if (status == TD_OK && g.object->loose) {
        status = loosen(&g, *out);
    }
    if (status != TD_OK) {
        td_skeleton_free(*out);
        *out = NULL;
    }
    return status;
}
