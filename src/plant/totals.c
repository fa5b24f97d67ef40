// SPDX-License-Identifier: MIT
// From strings to skeletons, and what a string adds up to.
//
// Method   the turtle's pieces are summed as they come, with the masses and the pruning of the
//          builder. Only where a piece's mass depends on others (the pipe model), or for
//          articulated strings, a skeleton is made and summed.

#include "plant/plant.h"

#include "base/diag.h"
#include "base/guard.h"
#include "math/quat.h"

#include <string.h>

// ---- from a string to a skeleton ------------------------------------------------------------

// A stem's mark is its depth: polygons with no stem drawn between them lie on one path to the root,
// so that equal depths mean the same stem.
static void deepen(int32_t *mark) {
    if (mark) {
        *mark = *mark == INT32_MAX ? 0 : *mark + 1;
    }
}

static td_status count_piece(void *context, const tdi_piece *piece, int32_t *mark, td_diag *diag) {
    int64_t *count = context;
    (void)piece;
    (void)diag;
    deepen(mark);
    ++*count;
    return TD_OK;
}

// Counts what a long string draws before memory is taken for it.
static td_status check_count(const td_grammar *grammar, const td_string *string,
                             const tdi_plant_header *header, const td_builder *builder,
                             td_diag *diag) {
    int64_t count = 0, most = builder->opts.max_segments;
    if (string->module_count <= most) {
        return TD_OK;
    }
    tdi_piece_sink sink = {&count, count_piece};
    td_status status = tdi_pieces_walk(grammar, string, header, &sink, builder->store.alloc, diag);
    return status == TD_OK && count > most
               ? tdi_fail(diag, TD_ERR_LIMIT,
                          "there are %lld segments, more than the %lld of max_segments",
                          (long long)count, (long long)most)
               : status;
}

static td_status read_string(const td_grammar *grammar, const td_string *string,
                             td_builder *builder, td_diag *diag) {
    if (tdi_string_is_articulated(grammar, string)) {
        return tdi_articulated_read(grammar, string, builder, diag);
    }
    tdi_plant_header header;
    td_status status = tdi_plant_header_read(grammar, builder->store.alloc, &header, diag);
    status = status == TD_OK ? check_count(grammar, string, &header, builder, diag) : status;
    status = status == TD_OK ? tdi_pieces_read(grammar, string, &header, builder, diag) : status;
    tdi_plant_header_free(&header);
    return status;
}

td_status td_skeleton_from_string(const td_grammar *grammar, const td_string *string,
                                  const td_skeleton_opts *opts, const td_alloc *alloc,
                                  td_skeleton **out, td_diag *diag) {
    TDI_CLEAR(out);
    TDI_REFUSE_IF(!grammar || !string || !out);
    td_skeleton_opts checked;
    td_builder *builder;
    TDI_TRY(tdi_skeleton_opts_check(opts, &checked, diag));
    td_status status = td_builder_new(&checked, alloc, &builder, NULL);
    if (status != TD_OK) {
        return tdi_fail(diag, status, "out of memory for the skeleton");
    }
    status = read_string(grammar, string, builder, diag);
    status = status == TD_OK ? td_builder_finish(builder, out, diag) : status;
    td_builder_free(builder);
    return status;
}

// ---- sums -----------------------------------------------------------------------------------

typedef struct summing {
    const tdi_plant_header *header;
    td_skeleton_opts opts;
    td_totals totals;
    td_real lowest, highest;
} summing;

static void add_end(summing *s, td_real y) {
    s->lowest = y < s->lowest ? y : s->lowest;
    s->highest = y > s->highest ? y : s->highest;
}

static void add_body(summing *s, td_vec3 origin, td_quat rotation, td_vec3 tip, td_real mass) {
    s->totals.segment_count++;
    s->totals.mass += mass;
    add_end(s, origin.y);
    add_end(s, tdi_add(origin, tdi_quat_rotate(rotation, tip)).y);
}

static summing summing_new(const tdi_plant_header *header, const td_skeleton_opts *opts) {
    summing s = {.header = header, .opts = *opts, .lowest = INFINITY, .highest = -INFINITY};
    return s;
}

static td_totals summed(const summing *s) {
    td_totals totals = s->totals;
    totals.height = totals.segment_count > 0 ? s->highest - s->lowest : 0;
    return totals;
}

// ---- pieces as they come --------------------------------------------------------------------

// of patches at size 1
static td_real patches_mass(const tdi_piece *piece, const td_vec3 *points, int32_t count,
                            const td_material *material) {
    td_real area = tdi_moments_patches(points, count, piece->stretch).zeroth;
    return area * piece->length * piece->length * material->density * material->thickness;
}

static td_real piece_mass(const tdi_plant_header *header, const tdi_piece *piece) {
    const td_material *material = &header->materials[piece->material];
    if (piece->surface != TD_NONE) {
        const tdi_surface *surface = &header->surfaces[piece->surface];
        if (surface->patches) {
            return patches_mass(piece, surface->patches->points, surface->patches->count, material);
        }
        return tdi_organ_moments(&surface->moments[piece->part], material, piece->length).zeroth;
    }
    if (piece->patch) {
        return patches_mass(piece, piece->points, piece->polygon_count, material);
    }
    if (piece->polygon_count > 0) {
        td_real area = 0;
        const td_vec3 *points = piece->points;
        for (int32_t i = 0; i < piece->polygon_count; i++) {
            area += tdi_moments_polygon(points, piece->counts[i]).zeroth;
            points += piece->counts[i];
        }
        return area * material->density * material->thickness;
    }
    return material->density *
           tdi_moments_cone(piece->length, piece->radius_base, piece->radius_tip).zeroth;
}

static td_status sum_piece(void *context, const tdi_piece *piece, int32_t *mark, td_diag *diag) {
    summing *s = context;
    deepen(mark);
    td_real mass = piece_mass(s->header, piece);
    if (tdi_prune_drops(&s->opts, piece->length, mass)) {
        return TD_OK;
    }
    if (!(mass > 0) || !isfinite(mass)) {
        return tdi_fail_at(diag, TD_ERR_STRUCTURE, piece->module,
                           "the mass of module %lld is computed as %g", (long long)piece->module,
                           mass);
    }
    s->totals.length += piece->drawn;
    add_body(s, piece->origin, piece->rotation, piece->tip, mass);
    return TD_OK;
}

static td_status sum_pieces(const td_grammar *grammar, const td_string *string,
                            const tdi_plant_header *header, const td_skeleton_opts *opts,
                            const td_alloc *alloc, td_totals *out, td_diag *diag) {
    summing s = summing_new(header, opts);
    tdi_piece_sink sink = {&s, sum_piece};
    td_status status = tdi_pieces_walk(grammar, string, header, &sink, alloc, diag);
    if (status == TD_OK) {
        *out = summed(&s);
    }
    return status;
}

// ---- skeletons ------------------------------------------------------------------------------

// as the plant starts; `unit` is m a unit of the drawn length
static td_status sum_skeleton(const td_skeleton *skeleton, td_real unit,
                              const td_skeleton_opts *opts, const td_alloc *alloc, td_totals *out,
                              td_diag *diag) {
    summing s = summing_new(NULL, opts);
    int32_t n = td_skeleton_count(skeleton);
    size_t bytes = (size_t)n * sizeof(td_vec3);
    td_vec3 *origins = tdi_alloc_zeroed(alloc, (size_t)n, sizeof *origins);
    if (n > 0 && !origins) {
        return tdi_fail(diag, TD_ERR_MEMORY, "out of memory for the height");
    }
    td_skeleton_pose(skeleton, TD_POSE_INITIAL, origins, NULL);
    for (int32_t i = 0; i < n; i++) {
        const td_segment *segment = &td_skeleton_segments(skeleton)[i];
        if (segment->organ == TD_ORGAN_STEM) {
            s.totals.length += segment->length / unit;
        }
        add_body(&s, origins[i], skeleton->initial[i], segment->tip, segment->mass);
    }
    tdi_alloc_free(alloc, origins, bytes);
    *out = summed(&s);
    return TD_OK;
}

static td_status sum_tree(const td_grammar *grammar, const td_string *string, td_real unit,
                          const td_skeleton_opts *opts, const td_alloc *alloc, td_totals *out,
                          td_diag *diag) {
    td_skeleton *skeleton;
    td_status status = td_skeleton_from_string(grammar, string, opts, alloc, &skeleton, diag);
    if (status == TD_OK) {
        status = sum_skeleton(skeleton, unit, opts, alloc, out, diag);
        td_skeleton_free(skeleton);
    }
    return status;
}

// ---- entry ----------------------------------------------------------------------------------

td_status td_totals_from_string(const td_grammar *grammar, const td_string *string,
                                const td_skeleton_opts *opts, const td_alloc *alloc, td_totals *out,
                                td_diag *diag) {
    TDI_REFUSE_IF(!grammar || !string || !out);
    memset(out, 0, sizeof *out);
    td_skeleton_opts checked;
    TDI_TRY(tdi_skeleton_opts_check(opts, &checked, diag));
    if (tdi_string_is_articulated(grammar, string)) {
        return sum_tree(grammar, string, 1, &checked, alloc, out, diag);
    }
    const tdi_body_header *body = tdi_grammar_body(grammar);
    if (body->pipe_tip > 0) {
        return sum_tree(grammar, string, body->length_unit, &checked, alloc, out, diag);
    }
    tdi_plant_header header;
    td_status status = tdi_plant_header_read(grammar, alloc, &header, diag);
    status =
        status == TD_OK ? sum_pieces(grammar, string, &header, &checked, alloc, out, diag) : status;
    tdi_plant_header_free(&header);
    return status;
}
