// SPDX-License-Identifier: MIT
// Models and states: from a skeleton to arrays, each in one block of memory.

#include "tree/cut.h"

#include "base/guard.h"
#include "base/opts.h"
#include "tree/capsules.h"

#include "load/drag.h"
#include "plant/segment.h"
#include "plant/solids.h"

#include <string.h>

#define HALF_TURN 3.14159265358979323846 // rad
#define STRETCH   1e-3                   // of the length: less is none
#define THIN      0.1 // of a lamina's mean width: the radius with which it lies on things

// ---- model ----------------------------------------------------------------------------------

static const int32_t kind_dofs[] = {3, 1, 1, 0, 6};
static const int32_t kind_coords[] = {4, 1, 1, 0, 7};

void tdi_tree_model_lay_out(tdi_tree_model *m, tdi_layout *l) {
    size_t count = (size_t)m->body_count, capsules = (size_t)m->capsule_room;
    m->body = tdi_layout_place(l, count, sizeof *m->body);
    m->head.parameters = m->body;
    m->head.parameter_bytes = count * sizeof *m->body;
    m->parent = tdi_layout_place(l, count, sizeof *m->parent);
    m->dof = tdi_layout_place(l, count + 1, sizeof *m->dof);
    m->coord = tdi_layout_place(l, count + 1, sizeof *m->coord);
    m->other_place = tdi_layout_place(l, count, sizeof *m->other_place);
    m->kind = tdi_layout_place(l, count, sizeof *m->kind);
    m->capsule_body = tdi_layout_place(l, capsules, sizeof *m->capsule_body);
    m->capsule_radius = tdi_layout_place(l, capsules, sizeof *m->capsule_radius);
    m->point = tdi_layout_place(l, 2 * capsules, sizeof *m->point);
    m->drawn = tdi_layout_place(l, 2 * capsules, sizeof *m->drawn);
    m->run = tdi_layout_place(l, (size_t)m->run_count, sizeof *m->run);
    m->part = tdi_layout_place(l, (size_t)m->part_count, sizeof *m->part);
}

static void lay_out_model(tdi_tree_model *m, tdi_layout *l) {
    tdi_layout_place(l, 1, sizeof *m);
    tdi_tree_model_lay_out(m, l);
}

static int32_t count_runs(const td_segment *segments, int32_t n) {
    int32_t runs = 0;
    for (int32_t i = 0; i < n; i++) {
        bool ball = segments[i].joint == TD_JOINT_BALL;
        runs += i == 0 || ball != (segments[i - 1].joint == TD_JOINT_BALL);
    }
    return runs;
}

// Laminae are thin capsules along their middle, fruit are as thick as they are wide. Those of
// organs end where the organ does, those of stems are round about joint and tip. What has such
// ends is settled in points.c.
static void fill_capsule(tdi_body *body, const td_segment *s) {
    td_real width = s->area / s->length;
    bool thick = s->organ == TD_ORGAN_FRUIT;
    body->radius = s->organ == TD_ORGAN_STEM ? 0.5 * (s->radius_base + s->radius_tip)
                                             : (thick ? 0.5 : THIN) * fmin(width, s->length);
    body->from = s->organ == TD_ORGAN_STEM ? 0 : body->radius;
    body->to = tdi_norm(s->tip) - body->from;
}

static void fill_body(tdi_body *body, const td_segment *segment) {
    body->attach = segment->attach;
    body->rest = segment->rest;
    body->initial = segment->initial;
    body->initial_slide = segment->initial_slide;
    body->axis = segment->axis;
    body->mass = segment->mass;
    body->moment = tdi_scale(segment->centre_of_mass, segment->mass);
    body->second = segment->second_moment;
    body->stiffness = segment->stiffness;
    body->damping = segment->damping;
    body->tip = segment->tip;
    body->area = tdi_segment_areas(segment);
    body->fold = tdi_segment_fold(segment);
    fill_capsule(body, segment);
}

static void fill_model(tdi_tree_model *m, const td_segment *segments, int32_t n) {
    int32_t run = -1;
    for (int32_t i = 0; i < n; i++) {
        td_joint_kind kind = segments[i].joint;
        bool ball = kind == TD_JOINT_BALL;
        fill_body(&m->body[i], &segments[i]);
        m->parent[i] = segments[i].parent;
        m->kind[i] = (uint8_t)kind;
        m->dof[i] = m->head.dof_count;
        m->coord[i] = m->coord_count;
        m->head.dof_count += kind_dofs[kind];
        m->coord_count += kind_coords[kind];
        m->other_place[i] = ball ? TD_NONE : m->other_count++;
        if (run < 0 || m->run[run].ball != ball) {
            m->run[++run] = (tdi_run){i, i, ball};
        }
        m->run[run].last = i + 1;
    }
    m->dof[n] = m->head.dof_count;
    m->coord[n] = m->coord_count;
}

// What is welded to a segment moves with it.
static void add_bodies(tdi_tree_model *m, const td_attached_mass *bodies, int32_t count) {
    for (int32_t k = 0; k < count; k++) {
        tdi_body *to = &m->body[bodies[k].segment];
        to->mass += bodies[k].mass;
        to->moment = tdi_madd(to->moment, bodies[k].centre_of_mass, bodies[k].mass);
        to->second = tdi_sym3_add(to->second, bodies[k].second_moment);
    }
}

// What a strand can be and a tree cannot; `at` is the segment.
static const char *wrong_strand(const td_strand *s, const td_segment *segments, int32_t *at) {
    for (int32_t i = s->first; i < s->first + s->count; i++) {
        const td_segment *one = &segments[i];
        if (fabs(one->length - one->rest_length) > STRETCH * one->rest_length) {
            *at = i;
            return "starts stretched; the solver 'tree' keeps all lengths";
        }
    }
    *at = s->first;
    return s->closed ? "is part of a ring, which the solver 'tree' does not have"
           : s->end != TD_END_FREE
               ? "is part of a strand whose last end is held, which the solver 'tree' cannot do"
           : fabs(s->twist) > HALF_TURN * (s->count - 0.5)
               ? "starts twisted by more than half a turn, which the solver 'tree' cannot do"
               : NULL;
}

static td_status check_strands(const td_skeleton *skeleton, td_diag *diag) {
    for (int32_t k = 0; k < td_skeleton_strand_count(skeleton); k++) {
        int32_t at;
        const char *wrong =
            wrong_strand(&td_skeleton_strands(skeleton)[k], td_skeleton_segments(skeleton), &at);
        if (wrong) {
            return tdi_fail_at(diag, TD_ERR_STRUCTURE, at, "segment %d %s", at, wrong);
        }
    }
    return TD_OK;
}

td_status tdi_tree_model_new(const td_skeleton *skeleton, const td_body_opts *opts,
                             const td_alloc *alloc, td_body_model **out, td_diag *diag) {
    *out = NULL;
    const td_spring_law law = opts->law == TD_LAW_DEFAULT ? TD_LAW_LINEAR : opts->law;
    if (law != TD_LAW_LINEAR && law != TD_LAW_TANGENT) {
        return tdi_fail(diag, TD_ERR_ARGUMENT,
                        "law is %d; it must be TD_LAW_DEFAULT, TD_LAW_LINEAR or TD_LAW_TANGENT",
                        (int)opts->law);
    }
    int32_t n = td_skeleton_count(skeleton);
    const td_segment *segments = td_skeleton_segments(skeleton);
    if (n == 0) {
        return tdi_fail(diag, TD_ERR_ARGUMENT, "the skeleton has no segments");
    }
    for (int32_t i = 0; i < n; i++) {
        TDI_TRY(tdi_segment_check(&segments[i], i, diag));
    }
    td_status fits = check_strands(skeleton, diag);
    if (fits != TD_OK) {
        return fits;
    }
    tdi_tree_model shape = {
        .head = {.solver = &tdi_solver_tree, .alloc = alloc, .segment_count = n},
        .body_count = n,
        .law = law};
    shape.run_count = count_runs(segments, n);
    shape.capsule_room = n + tdi_solid_count(skeleton);
    int32_t *sizes = tdi_alloc_zeroed(alloc, (size_t)n, sizeof *sizes);
    shape.part_count = sizes ? tdi_tree_cut(segments, n, sizes, NULL) : 0;
    tdi_layout l = {NULL, 0};
    lay_out_model(&shape, &l);
    char *block = sizes ? tdi_alloc_zeroed(alloc, l.used, 1) : NULL;
    if (!block) {
        tdi_alloc_free(alloc, sizes, (size_t)n * sizeof *sizes);
        return tdi_fail(diag, TD_ERR_MEMORY, "out of memory for the tree's model");
    }
    shape.head.bytes = l.used;
    l = (tdi_layout){block, 0};
    lay_out_model(&shape, &l);
    fill_model(&shape, segments, n);
    add_bodies(&shape, td_skeleton_attached_masses(skeleton),
               td_skeleton_attached_mass_count(skeleton));
    tdi_tree_cut(segments, n, sizes, shape.part);
    tdi_alloc_free(alloc, sizes, (size_t)n * sizeof *sizes);
    if (!tdi_tree_fill_capsules(&shape, skeleton)) {
        tdi_alloc_free(alloc, block, shape.head.bytes);
        return tdi_fail(diag, TD_ERR_MEMORY, "out of memory for the tree's model");
    }
    memcpy(block, &shape, sizeof shape);
    *out = (td_body_model *)block;
    if (TDI_ASSERTS) {
        tdi_tree_model_validate((const tdi_tree_model *)block);
    }
    return TD_OK;
}

td_status tdi_tree_model_copy(const tdi_tree_model *model, const td_alloc *alloc,
                              tdi_tree_model **out, td_diag *diag) {
    char *block = tdi_alloc_zeroed(alloc, model->head.bytes, 1);
    *out = NULL;
    if (!block) {
        return tdi_fail(diag, TD_ERR_MEMORY, "out of memory for the tree's model");
    }
    tdi_tree_model shape = *model;
    tdi_layout l = {block, 0};
    shape.head.alloc = alloc;
    lay_out_model(&shape, &l);
    memcpy(block, model, model->head.bytes);
    memcpy(block, &shape, sizeof shape);
    *out = (tdi_tree_model *)block;
    return TD_OK;
}

int32_t td_tree_coord_count(const td_body_model *model) {
    const tdi_tree_model *m = tdi_as_tree_model(model);
    return m ? m->coord_count : 0;
}
