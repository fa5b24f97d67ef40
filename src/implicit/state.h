// SPDX-License-Identifier: MIT
#pragma once

// The common part of all solvers' states: memory, time, motion of the base, length of the history,
// and the current step. The struct of a state begins with it, as `head`, so that a pointer to the
// state points to it.

#include "math/quat.h"
#include "math/vec3.h"
#include "tendril/contact.h"
#include "tendril/step.h"

// The multistep rule v = (x - x*)/h.
typedef struct tdi_rule {
    td_real dt;      // s: the step
    td_real h;       // s: of the rule; 2/3 dt for BDF2, dt for backward Euler, 0 in statics
    bool two;        // BDF2
    bool uneven;     // the last step had another length
    td_real again;   // then x* = x + again (x - x_before); 1/3 for steps of one length
    bool piece;      // part of a step that is taken in halves
    td_real part;    // of the remaining motion of driven ends, in this piece; 1: whole step
    bool in_contact; // there is contact: points must move on straight lines
    bool has_impact; // velocities jump in this step: the next rule must not use earlier values
} tdi_rule;

// Coordinates of nodes, in world axes, each with the multistep rule. For a solver whose pose they
// are, history, first guess and trial steps are done in state.c.
typedef struct tdi_coords {
    int32_t count;                        // 0: none
    td_real *x, *v;                       // now; velocities of the last step
    td_real *x_before, *v_before;         // a step earlier
    td_real *began, *history, *predictor; // at the start of the step; x*; x^
    td_real *kept, *increment, *response; // Newton's method: the saved pose, dx, y
} tdi_coords;

// A pair of segments of two states that were one piece before a cut: contact skips it. Lists are
// sorted, with the lower number first.
typedef struct tdi_severed_pair {
    int32_t number[2], segment[2];
} tdi_severed_pair;

typedef struct tdi_severed_pairs {
    tdi_severed_pair *pair;
    int32_t count;
    int64_t capacity;
} tdi_severed_pairs;

bool tdi_severed_has(const tdi_severed_pairs *severed, tdi_severed_pair pair);
int tdi_severed_compare(const tdi_severed_pair *a, const tdi_severed_pair *b);

// Decides which other bodies a body collides with.
typedef struct tdi_collision_identity {
    const tdi_severed_pairs *severed; // pairs that never touch; NULL: none
    struct tdi_pushes *pushes;        // pairs that are pushed apart, of all bodies; NULL: none
    int32_t number;                   // of the body in these pairs
    td_filter filter;
} tdi_collision_identity;

// A body's hints to Newton's method for the current step.
typedef struct tdi_newton_hints {
    bool recalls;        // the joint forces of the last step are known: see TDI_FORCES_PREVIOUS
    td_real first_shift; // 1/s^2: the first shift of a positive model; a solver may change it in
                         // begin()
    td_real tolerance;   // rad or m: the last increment of a body without contact and constraints,
                         // where that may be larger than the options' tolerance
} tdi_newton_hints;

// Values at the start of the step, for undo.
typedef struct tdi_step_start {
    bool accepted; // the step, so that its history is to be undone too
    int32_t known, halved;
    td_real time, dt;
    td_air air;
    td_base_motion base;
} tdi_step_start;

// A body's part in the constraints and the coupled solve of a step.
typedef struct tdi_coupled_member {
    struct tdi_constraint_set *constraints; // NULL: none
    int32_t member;                         // its number among the members of these constraints
    struct tdi_coupled *system; // the sparse system that solves it: only its blocks are made;
                                // NULL: it is eliminated by itself
    int32_t first_node;         // of its first point there
    bool pushed, answered;      // forces were applied; respond() has answered them
} tdi_coupled_member;

struct td_body {
    // set when it is made
    const struct tdi_implicit *ops;
    const struct tdi_solver *solver;
    const td_body_model *model;
    const td_alloc *alloc;
    size_t bytes;                       // of the state and all it points to, which are one block
    int32_t segment_count;              // that loads and winds name
    int32_t point_count, capsule_count; // that contact sees; no capsules: it touches nothing
    int32_t dependent_count; // of the last points, which follow others: not unknowns themselves
    td_real mass; // kg, of all of it: how strongly constraints hold it at first; 0: unknown
    tdi_coords coords;
    tdi_collision_identity collision;
    bool led;             // a world steps it and moves its base; nobody else may
    bool constrained;     // constraints hold it, now or later
    bool in_contact;      // its capsules touch others, now or later
    size_t scratch_bytes; // that may be lent to it: see tdi_implicit.use_scratch

    // from one step to the next
    td_real time;        // s
    td_real dt;          // s: of the last step
    int32_t known;       // steps in the history, up to 3; BDF2 needs 2
    int32_t halved;      // 1: the last step ended one that was taken in halves
    int32_t moved;       // statics have moved it away from the drawn pose
    int32_t unstable;    // its rest is not stable
    td_base_motion base; // now; solvers with the trait `drives` move it within a step
    td_air air;          // of the last step

    // the current step
    const td_step_opts *opts;
    tdi_rule rule;
    bool driven; // its base or ends have a prescribed motion in this step: a solver without the
                 // trait `drives` sets it in begin()
    tdi_newton_hints newton;
    tdi_step_start start;
    tdi_coupled_member coupling;
};

// A block for a state with so many coordinates, all zero, and the base at the origin; NULL: out of
// memory. Solvers call tdi_body_new().
void *tdi_state_new(const td_alloc *alloc, size_t bytes, int32_t coords);
void tdi_state_free(void *state); // NULL is allowed

// Whether it has never moved: then it moves with its base.
static inline bool tdi_state_as_drawn(const td_body *s) {
    return s->known == 0 && s->time == 0 && !s->moved;
}

// Coordinates as those of points.
static inline td_vec3 tdi_coords_point(const td_real *coords, int32_t point) {
    return tdi_vec3(coords[3 * point], coords[3 * point + 1], coords[3 * point + 2]);
}
static inline void tdi_coords_set_point(td_real *coords, int32_t point, td_vec3 x) {
    coords[3 * point] = x.x;
    coords[3 * point + 1] = x.y;
    coords[3 * point + 2] = x.z;
}

// The motion of a base after a time t of constant acceleration.
td_base_motion tdi_base_after(const td_base_motion *start, td_real t);

// Position of a point that is fixed to the base, from its coordinates in the base's axes; and its
// velocity, from its position.
static inline td_vec3 tdi_base_point(const td_base_motion *base, td_vec3 point) {
    return tdi_add(base->position, tdi_quat_rotate(base->rotation, point));
}
static inline td_vec3 tdi_base_velocity(const td_base_motion *base, td_vec3 x) {
    return tdi_add(base->velocity, tdi_cross(base->spin, tdi_sub(x, base->position)));
}

// Whether velocities are equal. Also where they are no numbers: steps refuse such a base, and it is
// set again.
static inline bool tdi_same_rate(td_real a, td_real b) {
    return a == b || (a != a && b != b);
}
static inline bool tdi_same_velocity(td_vec3 a, td_vec3 b) {
    return tdi_same_rate(a.x, b.x) && tdi_same_rate(a.y, b.y) && tdi_same_rate(a.z, b.z);
}

// The rule of two steps after one that was w times shorter:
//   x* = x + w^2/(1 + 2 w) (x - x_before),   h = (1 + w)/(1 + 2 w) dt
// Errors do not grow below w = 1 + sqrt(2). The range includes a dropped frame and the one after
// it. A step prepares x* for w = 1.
#define TDI_RATIO_LEAST 0.4
#define TDI_RATIO_MOST  2.4

// x* for w = 1
static inline td_real tdi_two_step(td_real now, td_real before) {
    return (4 * now - before) / 3;
}
static inline td_vec3 tdi_two_step3(td_vec3 now, td_vec3 before) {
    return (td_vec3){tdi_two_step(now.x, before.x), tdi_two_step(now.y, before.y),
                     tdi_two_step(now.z, before.z)};
}

// Whether x* was prepared by the last step.
static inline bool tdi_is_prepared(const tdi_rule *rule) {
    return rule->two && !rule->uneven;
}
static inline td_real tdi_again(const tdi_rule *rule) {
    return rule->uneven ? rule->again : 1.0 / 3;
}
// x* of a rule; and tdi_uneven(): x* of a two-step rule from that for w = 1.
static inline td_real tdi_history(const tdi_rule *rule, td_real now, td_real before) {
    return !rule->two      ? now
           : !rule->uneven ? tdi_two_step(now, before)
                           : now + rule->again * (now - before);
}
static inline td_vec3 tdi_history3(const tdi_rule *rule, td_vec3 now, td_vec3 before) {
    return (td_vec3){tdi_history(rule, now.x, before.x), tdi_history(rule, now.y, before.y),
                     tdi_history(rule, now.z, before.z)};
}
static inline td_real tdi_uneven(const tdi_rule *rule, td_real now, td_real history) {
    return now + 3 * rule->again * (history - now);
}
static inline td_vec3 tdi_uneven3(const tdi_rule *rule, td_vec3 now, td_vec3 history) {
    return tdi_madd(now, tdi_sub(history, now), 3 * rule->again);
}
