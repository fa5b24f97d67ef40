// SPDX-License-Identifier: MIT
#pragma once

// Beams, chains and trees for the tests of modes, rest shapes and damping.

#include "test_tree_support.h"
#include "tree/tangent.h"

static const td_vec3 weightless = {0, 0, 0};

typedef struct beam_def {
    int32_t count;
    double length, radius, young, density, poisson, damping_time;
    bool hanging, limp; // hanging, else level; limp: nothing but the twist is stiff
} beam_def;

static const beam_def thin_beam = {100, 1, 0.002, 8.1e9, 923, 0.3, 0, false, false};

static inline tree make_beam(const beam_def *b) {
    FREED td_segment_def *defs = calloc((size_t)b->count, sizeof *defs);
    td_real area = TDI_PI * b->radius * b->radius, step = b->length / b->count;
    td_real bend = b->young * area * b->radius * b->radius / 4 / step;
    td_vec3 stiffness = {bend, bend / (1 + b->poisson), bend}; // E I/l, G J/l
    for (int32_t i = 0; i < b->count; i++) {
        td_segment_def *def = &defs[i];
        *def = td_segment_def_default();
        def->parent = i - 1;
        def->length = step;
        def->radius_base = def->radius_tip = b->radius;
        def->mass = b->density * area * step;
        def->centre_of_mass.y = step / 2;
        def->second_moment.yy = def->mass * step * step / 3;
        def->second_moment.xx = def->second_moment.zz = def->mass * b->radius * b->radius / 4;
        def->has_stiffness = def->has_damping = true;
        // the clamped joint stands for half a segment
        def->stiffness = b->limp ? tdi_vec3(0, 1000, 0) : tdi_scale(stiffness, i == 0 ? 2 : 1);
        def->damping = tdi_scale(def->stiffness, b->damping_time);
    }
    defs[0].rest = tdi_quat_turn(tdi_vec3(0, 0, 1), b->hanging ? TDI_PI : -TDI_PI / 2);
    tree t = tree_of(defs, b->count, TD_LAW_LINEAR, NULL);
    return t;
}

// All kinds of joints, away from rest; the root is a ball joint or floats.
static inline tree sprung_tree(tdi_random *r, int32_t n, double stiffness, bool floating,
                               td_spring_law law) {
    static const td_joint_kind kinds[] = {TD_JOINT_BALL, TD_JOINT_BALL, TD_JOINT_HINGE,
                                          TD_JOINT_SLIDE, TD_JOINT_FIXED};
    td_segment_def *defs = calloc((size_t)n, sizeof *defs);
    for (int32_t i = 0; i < n; i++) {
        defs[i] = random_segment(r, i, BUSHY, stiffness);
        defs[i].joint = kinds[(int)between(r, 0, 5)];
    }
    defs[0].joint = floating ? TD_JOINT_FREE : TD_JOINT_BALL;
    tree t = tree_of(defs, n, law, NULL);
    free(defs);
    random_state(t, r, 0.5, 0);
    return t;
}
