// SPDX-License-Identifier: MIT
// Turtle strings: the pieces that the turtle leaves become segments of a builder.
//
// Method   a piece's joint is the turtle's place in the axes of the stem it stands on, and its rest
//          orientation is what the turtle turned since that stem: rest = Q_parent^-1 Q.
//          The pipe model needs all stems before it knows any radius; masses and springs come
//          later, when the builder finishes.

#include "plant/plant.h"

#include "base/diag.h"
#include "math/quat.h"

typedef struct frame { // of a segment, in the world
    td_vec3 origin;
    td_quat rotation;
} frame;

typedef struct maker {
    const tdi_plant_header *header;
    td_builder *builder;
    frame *frames; // one a segment
    int64_t frame_capacity;
    int32_t *materials;    // place in the builder of each of the header's, or TD_NONE
    int32_t *surfaces;     // likewise of the header's surfaces
    int32_t *contours;     // number in the builder of each of the header's contours, or 0
    const uint64_t *names; // of the string's modules; NULL: none
    int64_t module;        // of the last piece
    int32_t part;          // its number among those of the module
} maker;

// ---- materials and shapes, added on first use -----------------------------------------------

static td_status use_material(maker *m, int32_t material, int32_t *index, td_diag *diag) {
    if (m->materials[material] == TD_NONE) {
        TDI_TRY(td_builder_add_material(m->builder, &m->header->materials[material],
                                        &m->materials[material], diag));
    }
    *index = m->materials[material];
    return TD_OK;
}

// Patches are stored once for a surface; every other proportion is a shape of its own.
static td_status use_patches(maker *m, const tdi_piece *piece, int32_t *index, td_diag *diag) {
    const tdi_surface *s = &m->header->surfaces[piece->surface];
    int32_t *last = &m->surfaces[piece->surface];
    td_shape shape = s->shape;
    shape.stretch = piece->stretch;
    if (*last == TD_NONE) {
        td_status status = tdi_builder_add_patches(m->builder, &shape, s->patches->points,
                                                   s->patches->count, last, diag);
        *index = *last;
        return status;
    }
    const td_shape *used = &m->builder->store.shapes[*last];
    td_vec3 other = tdi_sub(used->stretch, shape.stretch);
    if (tdi_dot(other, other) != 0) {
        shape.polygon_first = used->polygon_first;
        TDI_TRY(td_builder_add_shape(m->builder, &shape, last, diag));
    }
    *index = *last;
    return TD_OK;
}

// the shapes of all parts of a surface, one after the other
static td_status add_parts(maker *m, int32_t surface, int32_t *first, td_diag *diag) {
    td_shape shape = m->header->surfaces[surface].shape;
    td_status status = TD_OK;
    for (int32_t k = 0; k < shape.segments && status == TD_OK; k++) {
        int32_t index;
        shape.segment = k;
        status = td_builder_add_shape(m->builder, &shape, &index, diag);
        *first = k == 0 && status == TD_OK ? index : *first;
    }
    return status;
}

static td_status use_shape(maker *m, const tdi_piece *piece, int32_t *index, td_diag *diag) {
    if (piece->patch) {
        td_shape shape =
            tdi_outline_shape(TD_SHAPE_PATCHES, &m->header->materials[piece->material]);
        shape.stretch = piece->stretch;
        return tdi_builder_add_patches(m->builder, &shape, piece->points, piece->polygon_count,
                                       index, diag);
    }
    if (piece->polygon_count > 0) {
        td_shape shape =
            tdi_outline_shape(TD_SHAPE_POLYGON, &m->header->materials[piece->material]);
        return tdi_builder_add_polygons(m->builder, &shape, piece->points, piece->counts,
                                        piece->polygon_count, index, diag);
    }
    if (piece->surface != TD_NONE && m->header->surfaces[piece->surface].patches) {
        return use_patches(m, piece, index, diag);
    }
    if (piece->surface != TD_NONE) {
        int32_t *first = &m->surfaces[piece->surface];
        td_status status = *first == TD_NONE ? add_parts(m, piece->surface, first, diag) : TD_OK;
        *index = *first + piece->part;
        return status;
    }
    return TD_OK;
}

// Places at even distances: around, or from end to end. x is along cpfg's up and y to the right.
static td_contour contour_of(const tdi_curve *curve) {
    td_contour contour = {.closed = curve->closed};
    for (int32_t i = 0; i < TD_CONTOUR_POINTS; i++) {
        td_real part = (td_real)i / (TD_CONTOUR_POINTS - (curve->closed ? 0 : 1));
        td_vec3 place = tdi_curve_at(curve, part);
        contour.x[i] = place.y;
        contour.z[i] = -place.x;
    }
    return contour;
}

static td_status use_contour(maker *m, int32_t contour, int32_t *number, td_diag *diag) {
    if (contour == TD_NONE) {
        return TD_OK;
    }
    if (m->contours[contour] == 0) {
        td_contour own = contour_of(&m->header->body->contours[contour].curve);
        TDI_TRY(td_builder_add_contour(m->builder, &own, &m->contours[contour], diag));
    }
    *number = m->contours[contour];
    return TD_OK;
}

// ---- pieces ---------------------------------------------------------------------------------

static td_segment_def def_of(const maker *m, const tdi_piece *piece) {
    td_segment_def def = td_segment_def_default();
    def.parent = piece->parent;
    def.attach_at_tip = false;
    def.attach = piece->origin;
    def.rest = piece->rotation;
    if (piece->parent != TD_NONE) {
        const frame *up = &m->frames[piece->parent];
        td_quat back = tdi_quat_conj(up->rotation);
        def.attach = tdi_quat_rotate(back, tdi_sub(piece->origin, up->origin));
        def.rest = tdi_quat_unit(tdi_quat_mul(back, piece->rotation));
    }
    def.length = piece->length;
    if (piece->organ == TD_ORGAN_STEM) {
        def.radius_base = piece->radius_base;
        def.radius_tip = piece->radius_tip;
    }
    def.organ = piece->organ;
    def.color = piece->color;
    def.tip = piece->tip;
    def.has_tip = true;
    return def;
}

static td_status take_piece(void *context, const tdi_piece *piece, int32_t *mark, td_diag *diag) {
    maker *m = context;
    int32_t count = m->builder->store.segment_count;
    frame *frames = tdi_array_reserve(m->builder->store.alloc, m->frames, &m->frame_capacity,
                                      (int64_t)count + 1, sizeof *frames);
    if (!frames) {
        return tdi_fail(diag, TD_ERR_MEMORY, "out of memory for the segments");
    }
    m->frames = frames;
    td_segment_def def = def_of(m, piece);
    td_status status = use_material(m, piece->material, &def.material, diag);
    status = status == TD_OK ? use_shape(m, piece, &def.shape, diag) : status;
    status = status == TD_OK ? use_contour(m, piece->contour, &def.contour, diag) : status;
    if (status != TD_OK) {
        return status;
    }
    td_diag inner;
    int32_t index;
    status = td_builder_add(m->builder, &def, &index, &inner);
    if (status == TD_ERR_ARGUMENT) {
        return tdi_fail_at(diag, TD_ERR_STRUCTURE, piece->module, "module %lld: %s",
                           (long long)piece->module, inner.message);
    }
    if (status != TD_OK) {
        return tdi_fail_at(diag, status, piece->module, "%s", inner.message);
    }
    m->frames[index] = (frame){piece->origin, piece->rotation};
    if (m->names) {
        m->part = index > 0 && piece->module == m->module ? m->part + 1 : 0;
        m->module = piece->module;
        status = tdi_builder_name(m->builder, m->names[piece->module], m->part, diag);
    }
    if (mark) {
        *mark = index;
    }
    return status;
}

// ---- pipe model -----------------------------------------------------------------------------

// With r_parent^p the sum of r_child^p over the stems, a stem that carries n tips has
// r = r_tip n^(1/p). Tip to root in one loop; a stem is a cylinder.
static td_status apply_pipe_model(const maker *m, td_diag *diag) {
    tdi_store *store = &m->builder->store;
    const tdi_body_header *body = m->header->body;
    size_t n = (size_t)store->segment_count;
    if (!(body->pipe_tip > 0) || n == 0) {
        return TD_OK;
    }
    int32_t *tips = tdi_alloc_zeroed(store->alloc, n, sizeof *tips);
    if (!tips) {
        return tdi_fail(diag, TD_ERR_MEMORY, "out of memory for the pipe model");
    }
    for (int32_t i = store->segment_count - 1; i >= 0; i--) {
        td_segment *s = &store->segments[i];
        if (s->organ != TD_ORGAN_STEM) {
            continue;
        }
        tips[i] = tips[i] == 0 ? 1 : tips[i];
        if (s->parent != TD_NONE) {
            tips[s->parent] += tips[i];
        }
        td_real radius =
            body->pipe_tip * body->width_unit / 2 * pow(tips[i], 1 / body->pipe_exponent);
        s->radius_base = radius;
        s->radius_tip = radius;
    }
    tdi_alloc_free(store->alloc, tips, n * sizeof *tips);
    return TD_OK;
}

// ---- entry ----------------------------------------------------------------------------------

td_status tdi_pieces_read(const td_grammar *grammar, const td_string *string,
                          const tdi_plant_header *header, td_builder *builder, td_diag *diag) {
    const td_alloc *alloc = builder->store.alloc;
    size_t material_count = (size_t)header->material_count;
    size_t surface_count = (size_t)header->body->surface_count + 2;
    maker m = {.header = header, .builder = builder, .names = string->names};
    size_t contour_count = (size_t)header->body->contour_count;
    size_t place_count = material_count + surface_count + contour_count;
    m.materials = tdi_alloc_zeroed(alloc, place_count, sizeof *m.materials);
    if (!m.materials) {
        return tdi_fail(diag, TD_ERR_MEMORY, "out of memory for the materials");
    }
    m.surfaces = m.materials + material_count;
    m.contours = m.surfaces + surface_count;
    for (size_t i = 1; i < material_count + surface_count; i++) {
        m.materials[i] = TD_NONE; // the first is green-wood in both
    }
    tdi_piece_sink sink = {&m, take_piece};
    td_status status = tdi_pieces_walk(grammar, string, header, &sink, alloc, diag);
    status = status == TD_OK ? apply_pipe_model(&m, diag) : status;
    tdi_alloc_free(alloc, m.frames, (size_t)m.frame_capacity * sizeof *m.frames);
    tdi_alloc_free(alloc, m.materials, place_count * sizeof *m.materials);
    return status;
}
