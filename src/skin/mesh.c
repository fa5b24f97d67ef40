// SPDX-License-Identifier: MIT
// Triangles over a skeleton.
//
// Method   pose the skeleton; sweep tubes along its stems (tube.c); then stamp its organs
// (organs.c).
// Limit    with a limit on triangles the mesh is made again with twice the tolerance
//          until it keeps it; then the tolerance is brought nearer to the least that does.

#include "tendril/mesh.h"

#include "base/diag.h"
#include "base/guard.h"
#include "base/opts.h"
#include "math/quat.h"
#include "skin/organs.h"
#include "skin/polygon.h"
#include "skin/tube.h"

// tolerances, over the plant's extent
#define FIRST_TOLERANCE 0.02 // with which reducing a mesh starts
#define LEAST_TOLERANCE 1e-5 // less changes hardly a triangle
#define LAST_TOLERANCE  1e4  // more leaves out nothing more
#define STRIDE          4    // from one tolerance to the next
#define BISECTIONS      6    // to within 4^(1/64) of the least
#define LEAST_TRIANGLES 100  // of a mesh: no plant is less

struct td_mesh {
    tdi_skin skin;
    td_pose_kind pose;
    bool woody; // its thickest stem has bark
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
    if (opts->pose != TD_POSE_REST && opts->pose != TD_POSE_INITIAL) {
        return tdi_fail(diag, TD_ERR_ARGUMENT,
                        "pose of the mesh is %d; it must be TD_POSE_REST or TD_POSE_INITIAL",
                        (int)opts->pose);
    }
    if (opts->sides != 0 && (opts->sides < 3 || opts->sides > 64)) {
        return tdi_fail(diag, TD_ERR_ARGUMENT,
                        "sides of the mesh is %d; it must be 0 or from 3 to 64", (int)opts->sides);
    }
    if (opts->max_triangles != 0 && opts->max_triangles < LEAST_TRIANGLES) {
        return tdi_fail(diag, TD_ERR_ARGUMENT,
                        "max_triangles of the mesh is %lld; it must be 0 or at least %d",
                        (long long)opts->max_triangles, LEAST_TRIANGLES);
    }
    if (opts->max_vertices < 0) {
        return tdi_fail(diag, TD_ERR_ARGUMENT,
                        "max_vertices of the mesh is %lld; it must be at least 0",
                        (long long)opts->max_vertices);
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
    return work->origins && work->rotations && work->axes.next && work->axes.first &&
           work->axes.bears;
}

static void free_work(workspace *work) {
    const td_alloc *alloc = work->alloc;
    tdi_alloc_free(alloc, work->origins, work->count * sizeof *work->origins);
    tdi_alloc_free(alloc, work->rotations, work->count * sizeof *work->rotations);
    tdi_alloc_free(alloc, work->axes.next, work->count * sizeof *work->axes.next);
    tdi_alloc_free(alloc, work->axes.first, work->count * sizeof *work->axes.first);
    tdi_alloc_free(alloc, work->axes.bears, work->count * sizeof *work->axes.bears);
}

// ---- entry ----------------------------------------------------------------------------------

static int64_t triangle_count(const tdi_skin *skin) {
    int64_t count = 0;
    for (int i = 0; i < TDI_PART_COUNT; i++) {
        count += skin->parts[i].index_count / 3;
    }
    return count;
}

// makes the mesh anew, in the memory that it has
static td_status cover(tdi_skin *skin, workspace *work, int32_t sides, td_real tolerance) {
    tdi_skin_clear(skin);
    skin->tolerance = tolerance;
    td_status status = tdi_tubes_add(skin, &work->posed, &work->axes, sides, &work->where);
    return status == TD_OK ? tdi_organs_add(skin, work->skeleton, &work->posed, &work->where)
                           : status;
}

// whether a mesh has too many triangles, or too many vertices to be finished
static bool is_over(const tdi_skin *skin, td_status status, const td_mesh_opts *opts) {
    return status == TD_ERR_LIMIT ||
           (status == TD_OK && triangle_count(skin) > opts->max_triangles);
}

// Makes the mesh with the tolerance, and says whether it is over the limit; a failure of another
// kind is left in *status.
static bool tried(tdi_skin *skin, workspace *work, const td_mesh_opts *opts, td_real tolerance,
                  td_status *status) {
    *status = cover(skin, work, opts->sides, tolerance);
    bool over = is_over(skin, *status, opts);
    *status = over ? TD_OK : *status;
    return over;
}

// Finds a tolerance near the least at which the mesh keeps the limit. It starts where few triangles
// are left, since each attempt takes time with their number. Far beyond the plant's extent nothing
// but the thickest stem is left, as a few triangles.
static td_status reduce(tdi_skin *skin, workspace *work, const td_mesh_opts *opts) {
    td_real extent = tdi_posed_extent(&work->posed), high = FIRST_TOLERANCE * extent, low = high;
    td_status status;
    bool over = tried(skin, work, opts, high, &status);
    while (over && status == TD_OK && high < LAST_TOLERANCE * extent) {
        low = high;
        high *= STRIDE;
        over = tried(skin, work, opts, high, &status);
    }
    while (low == high && status == TD_OK) {
        low /= STRIDE;
        over = tried(skin, work, opts, low, &status);
        high = over || low < LEAST_TOLERANCE * extent ? high : low;
    }
    for (int i = 0; i < BISECTIONS && status == TD_OK; i++) {
        td_real middle = sqrt(low * high);
        over = tried(skin, work, opts, middle, &status);
        *(over ? &low : &high) = middle;
    }
    // once more, in no more memory than it needs
    tdi_skin_free(skin);
    return status == TD_OK ? cover(skin, work, opts->sides, high) : status;
}

// a stem that is not green has bark
static bool is_woody(const tdi_posed *posed) {
    const td_segment *thickest = NULL;
    for (int32_t i = 0; i < posed->count; i++) {
        const td_segment *s = &posed->segments[i];
        if (s->shape == TD_NONE && (!thickest || s->radius_base > thickest->radius_base)) {
            thickest = s;
        }
    }
    tdi_rgb color = tdi_rgb_linear(thickest ? thickest->color : 0);
    return color.r >= color.g;
}

static td_status fill(td_mesh *mesh, workspace *work, const td_mesh_opts *opts) {
    if (!take_work(work)) {
        return TD_ERR_MEMORY;
    }
    td_skeleton_pose(work->skeleton, opts->pose, work->origins, work->rotations);
    work->posed = (tdi_posed){td_skeleton_segments(work->skeleton), work->origins, work->rotations,
                              (int32_t)work->count, td_skeleton_contours(work->skeleton)};
    tdi_axes_find(&work->posed, &work->axes);
    mesh->woody = is_woody(&work->posed);
    td_status status = cover(&mesh->skin, work, opts->sides, 0);
    bool limited = opts->max_triangles > 0;
    return limited && is_over(&mesh->skin, status, opts) ? reduce(&mesh->skin, work, opts) : status;
}

static td_status report(td_diag *diag, td_status status, const workspace *work,
                        const td_mesh_opts *opts) {
    if (status == TD_ERR_LIMIT) {
        return tdi_fail_at(diag, status, work->where,
                           "the mesh would have more than %lld vertices, or a polygon more than %d "
                           "corners, at segment %d",
                           (long long)opts->max_vertices, TDI_MAX_CORNERS, (int)work->where);
    }
    return tdi_fail(diag, status, "out of memory for the mesh");
}

td_status td_mesh_new(const td_skeleton *skeleton, const td_mesh_opts *opts, const td_alloc *alloc,
                      td_mesh **out, td_diag *diag) {
    if (!out) {
        return tdi_fail(diag, TD_ERR_ARGUMENT, "td_mesh_new: out is NULL");
    }
    *out = NULL;
    if (!skeleton) {
        return tdi_fail(diag, TD_ERR_ARGUMENT, "td_mesh_new: skeleton is NULL");
    }
    td_mesh_opts own = td_mesh_opts_default();
    td_status status = tdi_opts_take("td_mesh_opts", &own, opts, diag);
    opts = &own;
    status = status == TD_OK ? check_opts(opts, diag) : status;
    if (status != TD_OK) {
        return status;
    }
    workspace work = {
        .alloc = alloc, .skeleton = skeleton, .count = (size_t)td_skeleton_count(skeleton)};
    td_mesh *mesh = tdi_alloc_zeroed(alloc, 1, sizeof *mesh);
    if (!mesh) {
        return report(diag, TD_ERR_MEMORY, &work, opts);
    }
    mesh->skin.alloc = alloc;
    mesh->skin.max_vertices = opts->max_vertices;
    mesh->skin.bound = opts->skinned;
    mesh->skin.tangents = opts->textures;
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
    return mesh ? mesh->pose : TD_POSE_REST;
}

int32_t td_mesh_part_count(const td_mesh *mesh) {
    return mesh ? mesh->part_count : 0;
}

static const char *texture_of(const td_mesh *mesh, tdi_part_kind kind) {
    return kind == TDI_PART_LEAF    ? "leaf"
           : kind == TDI_PART_PETAL ? "petal"
           : kind == TDI_PART_STEM  ? (mesh->woody ? "bark" : "stalk")
                                    : NULL;
}

td_mesh_part td_mesh_part_get(const td_mesh *mesh, int32_t index) {
    static const char *const names[TDI_PART_COUNT] = {"stem", "leaf", "petal", "flower", "fruit"};
    td_mesh_part view = {.name = ""};
    if (mesh && index >= 0 && index < mesh->part_count) {
        tdi_part_kind kind = mesh->kinds[index];
        const tdi_skin_part *part = &mesh->skin.parts[kind];
        view.name = names[kind];
        view.double_sided = kind == TDI_PART_LEAF || kind == TDI_PART_PETAL;
        view.vertex_count = (int32_t)part->vertex_count;
        view.index_count = (int32_t)part->index_count;
        view.position = part->streams[TDI_STREAM_POSITION];
        view.normal = part->streams[TDI_STREAM_NORMAL];
        view.color = part->streams[TDI_STREAM_COLOR];
        view.texcoord = part->streams[TDI_STREAM_TEXCOORD];
        view.texture = mesh->skin.tangents ? texture_of(mesh, kind) : NULL;
        bool bumpy = kind == TDI_PART_LEAF || (kind == TDI_PART_STEM && mesh->woody);
        view.tangent = bumpy ? part->streams[TDI_STREAM_TANGENT] : NULL;
        view.joint = part->streams[TDI_STREAM_JOINT];
        view.weight = part->streams[TDI_STREAM_WEIGHT];
        view.index = part->streams[TDI_STREAM_INDEX];
    }
    return view;
}
