// SPDX-License-Identifier: MIT
// Triangles over a skeleton.
//
// Method   pose the skeleton; sweep tubes along its stems (tube.c); then, shape by shape, model an
//          organ once (organ.c) and stamp it for every segment that has the shape.

#include "tendril/mesh.h"

#include "base/diag.h"
#include "math/quat.h"
#include "skin/organ.h"
#include "skin/polygon.h"
#include "skin/tube.h"

// over the plant's extent: smaller organs get fewer triangles
#define MEDIUM_SIZE 0.02
#define FINE_SIZE   0.2

struct td_mesh {
    tdi_skin skin;
    td_pose_kind pose;
    int32_t part_count;
    tdi_part_kind kinds[TDI_PART_COUNT]; // of the parts that have triangles
};

// what making a mesh needs, and its result needs not
typedef struct workspace {
    const td_alloc *alloc;
    const td_skeleton *skeleton;
    size_t count; // of segments
    td_vec3 *origins;
    td_quat *rotations;
    tdi_axes axes;
    int32_t *order;  // organs, those of one model together
    int32_t *starts; // first place in `order` of each model; two more than there are models
    size_t start_count;
    tdi_posed posed;
    int32_t where; // segment at hand
} workspace;

// ---- options --------------------------------------------------------------------------------

td_mesh_opts td_mesh_opts_default(void) {
    td_mesh_opts opts = {.struct_size = sizeof opts,
                         .pose = TD_POSE_INITIAL,
                         .sides = 0,
                         .max_vertices = 20 * 1000 * 1000};
    return opts;
}

static td_status check_opts(const td_mesh_opts *opts, td_diag *diag) {
    if (opts->struct_size != sizeof *opts) {
        return tdi_fail(diag, TD_ERR_DEF, "mesh options must start from td_mesh_opts_default()");
    }
    if (opts->pose != TD_POSE_REST && opts->pose != TD_POSE_INITIAL) {
        return tdi_fail(diag, TD_ERR_ARGUMENT, "pose of the mesh is neither rest nor initial");
    }
    if (opts->sides != 0 && (opts->sides < 3 || opts->sides > 64)) {
        return tdi_fail(diag, TD_ERR_ARGUMENT, "sides of the mesh is %d, wanted 0 or 3 to 64",
                        (int)opts->sides);
    }
    if (opts->max_vertices < 0) {
        return tdi_fail(diag, TD_ERR_ARGUMENT, "max_vertices of the mesh is below 0");
    }
    return TD_OK;
}

// ---- work -----------------------------------------------------------------------------------

static bool take_work(workspace *work) {
    const td_alloc *alloc = work->alloc;
    work->origins = tdi_alloc_zeroed(alloc, work->count, sizeof *work->origins);
    work->rotations = tdi_alloc_zeroed(alloc, work->count, sizeof *work->rotations);
    work->axes.next = tdi_alloc_zeroed(alloc, work->count, sizeof *work->axes.next);
    work->axes.first = tdi_alloc_zeroed(alloc, work->count, sizeof *work->axes.first);
    work->axes.bears = tdi_alloc_zeroed(alloc, work->count, sizeof *work->axes.bears);
    work->order = tdi_alloc_zeroed(alloc, work->count, sizeof *work->order);
    work->starts = tdi_alloc_zeroed(alloc, work->start_count, sizeof *work->starts);
    return work->origins && work->rotations && work->axes.next && work->axes.first &&
           work->axes.bears && work->order && work->starts;
}

static void free_work(workspace *work) {
    const td_alloc *alloc = work->alloc;
    tdi_alloc_free(alloc, work->origins, work->count * sizeof *work->origins);
    tdi_alloc_free(alloc, work->rotations, work->count * sizeof *work->rotations);
    tdi_alloc_free(alloc, work->axes.next, work->count * sizeof *work->axes.next);
    tdi_alloc_free(alloc, work->axes.first, work->count * sizeof *work->axes.first);
    tdi_alloc_free(alloc, work->axes.bears, work->count * sizeof *work->axes.bears);
    tdi_alloc_free(alloc, work->order, work->count * sizeof *work->order);
    tdi_alloc_free(alloc, work->starts, work->start_count * sizeof *work->starts);
}

// ---- organs ---------------------------------------------------------------------------------

// largest extent of the box around all joints and tips
static td_real extent_of(const tdi_posed *posed) {
    td_vec3 low = posed->origins[0], high = low;
    for (int32_t i = 0; i < posed->count; i++) {
        td_vec3 ends[2] = {posed->origins[i], tdi_posed_tip(posed, i)};
        for (int k = 0; k < 2; k++) {
            low = tdi_vec3(fmin(low.x, ends[k].x), fmin(low.y, ends[k].y), fmin(low.z, ends[k].z));
            high =
                tdi_vec3(fmax(high.x, ends[k].x), fmax(high.y, ends[k].y), fmax(high.z, ends[k].z));
        }
    }
    td_vec3 size = tdi_sub(high, low);
    return fmax(size.x, fmax(size.y, size.z));
}

// each shape has a model for each detail
static int32_t model_of(const td_segment *segment, td_real extent) {
    tdi_detail detail = segment->length >= FINE_SIZE * extent     ? TDI_DETAIL_FINE
                        : segment->length >= MEDIUM_SIZE * extent ? TDI_DETAIL_MEDIUM
                                                                  : TDI_DETAIL_COARSE;
    return TDI_DETAIL_COUNT * segment->shape + (int32_t)detail;
}

// counting sort of the organs by model, in the order of the segments within a model
static void sort_organs(workspace *work) {
    td_real extent = extent_of(&work->posed);
    const tdi_posed *posed = &work->posed;
    for (int32_t i = 0; i < posed->count; i++) {
        if (posed->segments[i].shape != TD_NONE) {
            work->starts[model_of(&posed->segments[i], extent) + 2]++;
        }
    }
    for (size_t m = 1; m < work->start_count; m++) {
        work->starts[m] += work->starts[m - 1];
    }
    // starts[m + 1] runs from the start of model m to its end, which is the start of the next
    for (int32_t i = 0; i < posed->count; i++) {
        if (posed->segments[i].shape != TD_NONE) {
            work->order[work->starts[model_of(&posed->segments[i], extent) + 1]++] = i;
        }
    }
}

static tdi_part_kind solid_part(td_organ organ) {
    static const tdi_part_kind parts[] = {TDI_PART_STEM, TDI_PART_LEAF, TDI_PART_PETAL,
                                          TDI_PART_FLOWER, TDI_PART_FRUIT};
    return (size_t)organ < TDI_PART_COUNT ? parts[organ] : TDI_PART_STEM;
}

// only leaves and petals are drawn from both sides
static tdi_part_kind lamina_part(td_organ organ) {
    return organ == TD_ORGAN_PETAL || organ == TD_ORGAN_FLOWER ? TDI_PART_PETAL : TDI_PART_LEAF;
}

static tdi_rgb shaded(tdi_rgb base, const tdi_organ_vertex *vertex) {
    int32_t channels[3] = {base.r, base.g, base.b};
    for (int k = 0; k < 3; k++) {
        int32_t bright = (channels[k] * vertex->gain + 128) / 256;
        channels[k] = bright > 255 ? 255 : bright;
    }
    tdi_rgb color = {(uint8_t)channels[0], (uint8_t)channels[1], (uint8_t)channels[2]};
    tdi_rgb white = {255, 255, 255};
    return tdi_rgb_mix(color, white, vertex->white);
}

// the three colours of an organ, by tdi_tint
static void set_tints(const workspace *work, int32_t segment, const td_shape *shape,
                      tdi_rgb tints[3]) {
    const td_segment *organ = &work->posed.segments[segment];
    tints[TDI_TINT_ORGAN] = tdi_rgb_linear(organ->color);
    tints[TDI_TINT_CENTRE] = tdi_rgb_linear(shape->centre_color);
    tints[TDI_TINT_STALK] = tints[TDI_TINT_ORGAN];
    if (organ->parent != TD_NONE) {
        tdi_rgb bearer = tdi_rgb_linear(work->posed.segments[organ->parent].color);
        // the stalk of a leaf is half leaf; that of a flower or a fruit is all stem
        int32_t share = shape->kind == TD_SHAPE_BLADE ? 128 : 256;
        tints[TDI_TINT_STALK] = tdi_rgb_mix(tints[TDI_TINT_ORGAN], bearer, share);
    }
}

// Where and how large a sheet is put onto a segment, and its colours by tdi_tint.
typedef struct imprint {
    td_vec3 at; // world
    td_real size;
    tdi_rgb tints[3];
} imprint;

static td_status stamp(tdi_skin *skin, const workspace *work, const tdi_sheet *sheet,
                       tdi_part_kind kind, int32_t segment, const imprint *print) {
    if (sheet->index_count == 0) {
        return TD_OK;
    }
    td_status status = tdi_skin_reserve(skin, kind, sheet->vertex_count, sheet->index_count);
    if (status != TD_OK) {
        return status;
    }
    td_quat turn = work->posed.rotations[segment];
    uint32_t first = (uint32_t)skin->parts[kind].vertex_count;
    tdi_bind bind = tdi_bind_to(segment);
    for (int64_t i = 0; i < sheet->vertex_count; i++) {
        const tdi_organ_vertex *vertex = &sheet->vertices[i];
        td_vec3 place = tdi_quat_rotate(turn, tdi_scale(vertex->position, print->size));
        tdi_skin_vertex(skin, kind, tdi_add(print->at, place),
                        tdi_quat_rotate(turn, vertex->normal),
                        shaded(print->tints[vertex->tint], vertex), &bind);
    }
    for (int64_t i = 0; i < sheet->index_count; i += 3) {
        const uint32_t *at = &sheet->indices[i];
        tdi_skin_triangle(skin, kind, first + at[0], first + at[1], first + at[2]);
    }
    return TD_OK;
}

static td_status add_organs(tdi_skin *skin, workspace *work) {
    tdi_organ_model model = {.alloc = work->alloc, .max_vertices = skin->max_vertices};
    td_status status = TD_OK;
    for (size_t m = 0; m + 2 < work->start_count && status == TD_OK; m++) {
        const td_shape *shape = &td_skeleton_shapes(work->skeleton)[m / TDI_DETAIL_COUNT];
        int32_t from = work->starts[m], to = work->starts[m + 1];
        if (from < to) {
            work->where = work->order[from];
            status =
                tdi_organ_build(&model, work->skeleton, shape, (tdi_detail)(m % TDI_DETAIL_COUNT));
        }
        for (int32_t i = from; i < to && status == TD_OK; i++) {
            work->where = work->order[i];
            const td_segment *segment = &work->posed.segments[work->where];
            imprint print = {.at = work->posed.origins[work->where],
                             .size = shape->kind == TD_SHAPE_POLYGON ? 1 : segment->length};
            set_tints(work, work->where, shape, print.tints);
            status =
                stamp(skin, work, &model.solid, solid_part(segment->organ), work->where, &print);
            if (status == TD_OK) {
                status = stamp(skin, work, &model.lamina, lamina_part(segment->organ), work->where,
                               &print);
            }
        }
    }
    tdi_organ_free(&model);
    return status;
}

// Balls at the tips of stems that carry one.
static td_status add_beads(tdi_skin *skin, workspace *work) {
    tdi_organ_model model = {.alloc = work->alloc, .max_vertices = skin->max_vertices};
    for (int32_t i = 0; i < work->posed.count && model.status == TD_OK; i++) {
        const td_segment *segment = &work->posed.segments[i];
        if (segment->shape != TD_NONE || !(segment->bead > 0)) {
            continue;
        }
        work->where = i;
        if (model.solid.vertex_count == 0) {
            tdi_organ_add_ball(&model, tdi_vec3(0, 0, 0), 1, 1, TDI_TINT_ORGAN, TDI_DETAIL_FINE);
        }
        imprint print = {.at = tdi_posed_tip(&work->posed, i), .size = 2 * segment->bead};
        print.tints[TDI_TINT_ORGAN] = tdi_rgb_linear(segment->color);
        if (model.status == TD_OK) {
            model.status = stamp(skin, work, &model.solid, TDI_PART_FRUIT, i, &print);
        }
    }
    tdi_organ_free(&model);
    return model.status;
}

// ---- entry ----------------------------------------------------------------------------------

static td_status fill(td_mesh *mesh, workspace *work, const td_mesh_opts *opts) {
    if (!take_work(work)) {
        return TD_ERR_MEMORY;
    }
    td_skeleton_pose(work->skeleton, opts->pose, work->origins, work->rotations);
    work->posed = (tdi_posed){td_skeleton_segments(work->skeleton), work->origins, work->rotations,
                              (int32_t)work->count};
    tdi_axes_find(&work->posed, &work->axes);
    td_status status =
        tdi_tubes_add(&mesh->skin, &work->posed, &work->axes, opts->sides, &work->where);
    if (status == TD_OK) {
        sort_organs(work);
        status = add_organs(&mesh->skin, work);
    }
    return status == TD_OK ? add_beads(&mesh->skin, work) : status;
}

static td_status report(td_diag *diag, td_status status, const workspace *work,
                        const td_mesh_opts *opts) {
    if (status == TD_ERR_LIMIT) {
        return tdi_fail_at(diag, status, work->where,
                           "the mesh would have more than %lld vertices, or a polygon more than %d "
                           "corners, at segment %d",
                           (long long)opts->max_vertices, TDI_MAX_CORNERS, (int)work->where);
    }
    return tdi_fail(diag, status, "no memory for the mesh");
}

td_status td_mesh_new(const td_skeleton *skeleton, const td_mesh_opts *opts, const td_alloc *alloc,
                      td_mesh **out, td_diag *diag) {
    if (!out) {
        return tdi_fail(diag, TD_ERR_ARGUMENT, "td_mesh_new needs a place for its result");
    }
    *out = NULL;
    td_mesh_opts defaults = td_mesh_opts_default();
    opts = opts ? opts : &defaults;
    if (!skeleton) {
        return tdi_fail(diag, TD_ERR_ARGUMENT, "td_mesh_new needs a skeleton");
    }
    td_status status = check_opts(opts, diag);
    if (status != TD_OK) {
        return status;
    }
    workspace work = {
        .alloc = alloc, .skeleton = skeleton, .count = (size_t)td_skeleton_count(skeleton)};
    work.start_count = TDI_DETAIL_COUNT * (size_t)td_skeleton_shape_count(skeleton) + 2;
    td_mesh *mesh = tdi_alloc_zeroed(alloc, 1, sizeof *mesh);
    if (!mesh) {
        return report(diag, TD_ERR_MEMORY, &work, opts);
    }
    mesh->skin.alloc = alloc;
    mesh->skin.max_vertices = opts->max_vertices;
    mesh->skin.bound = opts->skinned;
    mesh->pose = opts->pose;
    status = work.count > 0 ? fill(mesh, &work, opts) : TD_OK;
    free_work(&work);
    if (status != TD_OK) {
        td_mesh_free(mesh);
        return report(diag, status, &work, opts);
    }
    for (int i = 0; i < TDI_PART_COUNT; i++) {
        if (mesh->skin.parts[i].index_count > 0) {
            mesh->kinds[mesh->part_count++] = (tdi_part_kind)i;
        }
    }
    *out = mesh;
    return TD_OK;
}

void td_mesh_free(td_mesh *mesh) {
    if (mesh) {
        tdi_skin_free(&mesh->skin);
        tdi_alloc_free(mesh->skin.alloc, mesh, sizeof *mesh);
    }
}

// ---- parts ----------------------------------------------------------------------------------

td_pose_kind td_mesh_pose(const td_mesh *mesh) {
    return mesh->pose;
}

int32_t td_mesh_part_count(const td_mesh *mesh) {
    return mesh->part_count;
}

td_mesh_part td_mesh_part_get(const td_mesh *mesh, int32_t index) {
    static const char *const names[TDI_PART_COUNT] = {"stem", "leaf", "petal", "flower", "fruit"};
    td_mesh_part view = {.name = ""};
    if (index >= 0 && index < mesh->part_count) {
        tdi_part_kind kind = mesh->kinds[index];
        const tdi_skin_part *part = &mesh->skin.parts[kind];
        view.name = names[kind];
        view.double_sided = kind == TDI_PART_LEAF || kind == TDI_PART_PETAL;
        view.vertex_count = (int32_t)part->vertex_count;
        view.index_count = (int32_t)part->index_count;
        view.position = part->position;
        view.normal = part->normal;
        view.color = part->color;
        view.joint = part->joint;
        view.weight = part->weight;
        view.index = part->index;
    }
    return view;
}
