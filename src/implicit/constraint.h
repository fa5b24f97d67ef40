// SPDX-License-Identifier: MIT
#pragma once

// Constraints on the bodies of a system.
//
// A set of constraints holds the members of a group. A system has any number of sets, in a list;
// no body is in two groups. In a step:
//
//   tdi_constraints_begin   finds the constraints that act, their targets, and the placements of
//                           those that begin
//   in every iteration      evaluate; expand, before bodies are factored; solve, after them, which
//                           changes the increments; finish, which gives the forces; value for the
//                           line search; judge after the move
//   tdi_constraints_accept  keeps forces for the next step, breaks constraints, reports
//
// Row     a number c with its force f: 0 = c, or 0 <= c and f <= 0. The potential gains
//         (f^2 - l^2)/(2 K), f = l + K c, where f is below 0 if the row is one-sided. l, the
//         multiplier, is the force of the iteration before, so that c goes to 0 with K finite.
// Pinned  rows of one segment and the world: they go into the elimination of their body.
// Coupled rows between two segments a and b: with a number z each row is (a - z) + (b + z), of
//         which each part goes into the elimination of its body, and z is an unknown of the
//         coupled system (coupled.h). Least in z, K_a/2 ((a - z)^2 + (b + z)^2) is K/2 (a + b)^2
//         with K = K_a/2. Second derivatives that couple both are rows too, without a force of
//         their own.

#include "constrain/constrain.h"
#include "implicit/implicit.h"

#define TDI_RESIDUAL_TOLERANCE \
    5e-9 // m or rad: rows are met to this, near the origin; 1e-8 is promised

// What a constraint leaves from step to step. It is saved as it is.
typedef struct tdi_constraint_state {
    td_constraint_target target, target0; // at the end of the next step, and of the last
    tdi_rest_placement found;
    td_real l[TDI_RELATIONS][TDI_RELATION_ROWS];
    td_real weight[TDI_RELATIONS]; // how often K has become ten times as large: that power
    td_real along;                 // on a curve
    td_real distance;              // m: of a spring, where the last step began
    td_real error;                 // m or rad
    td_vec3 place, force, moment;
    int32_t requested;             // by the program
    int32_t active, broken, unmet; // in the last step
    int32_t pause, left;           // steps between two tries to meet it again, and to the next
} tdi_constraint_state;

enum { TDI_GROUP_ROWS = 4 }; // of a relation that couples: its own, and those of second derivatives

// Rows of second derivatives that are not positive: in the exact model alone.
typedef struct tdi_bent {
    int32_t first, count;
    td_real stiff;
    bool turns; // rows with an offset, of positive weight: their first sides have `stiff` too
} tdi_bent;

// One of the two sides of rows: where their forces act on a body, and J.
typedef struct tdi_row_side {
    int32_t point;  // of the set; TD_NONE: there is no such side, all is pinned to the world
    int32_t offset; // of rows of second derivatives; TD_NONE: the same
    td_vec3 sees[TDI_GROUP_ROWS]; // of a move of the point; rows of second derivatives come last
} tdi_row_side;

// A relation of a constraint.
typedef struct tdi_row_group {
    int32_t constraint, relation;       // of the set, and of the constraint
    int32_t node;                       // of the Schur complement; TD_NONE: pinned
    int32_t first_row, row_count;       // of the rows eliminated with a body
    int32_t point[TDI_RELATION_POINTS]; // of the set; TD_NONE: the world's
    td_vec3 fixed[TDI_RELATION_POINTS]; // places of the world's points
    tdi_row_side side[2];
    tdi_relation law;
    tdi_row_law spring;            // of a spring, in this step
    bool acts;                     // in this step
    bool used[TDI_RELATION_ROWS];  // in this iteration
    bool freed[TDI_RELATION_ROWS]; // one-sided, and it would have pulled in the last one
    td_real c[TDI_RELATION_ROWS];  // where it was evaluated
    td_real stiff[TDI_GROUP_ROWS]; // N/m: of a row on either side; 0: there is no row
    tdi_bent bent;
    td_real inertia;  // N/m: of both sides over h^2
    td_real k, merit; // N/m: of the model, and of the value that a line search sees
    td_real l_before[TDI_RELATION_ROWS];
    bool weak;      // K has just become larger
    td_real error;  // where it was judged last
    int32_t stalls; // times in a row that this did not shrink
} tdi_row_group;

// By what the rows of a set are solved.
typedef struct tdi_set_solve {
    bool couples;               // some relation couples segments in this step
    tdi_coupled *own;           // the system of the set; NULL: none couples, or `rows` serve
    tdi_coupled *system;        // that is used: this, or that of contact; NULL: none
    int32_t first_node;         // of the set there
    int32_t inner;              // the member that all coupled rows are within; TD_NONE: none
    tdi_rows *rows;             // of it: the rows of all nodes, without contact; NULL: none
    const tdi_row_ops *row_ops; // of its solver
    bool eliminated;            // they are used in this step
} tdi_set_solve;

struct tdi_constraint_set {
    tdi_constraint_set *next; // set of the system; NULL: the last
    const td_alloc *alloc;
    size_t bytes;
    td_real time; // s: at the beginning of the whole step
    int32_t count, member_count, group_count, node_count;
    td_constraint *def;
    td_joint_kind *joint;   // of a constraint's first side
    tdi_cubic_curve *curve; // of a constraint
    tdi_constraint_state *state, *began;
    td_constraint_target *now; // at the end of this part of the step
    tdi_row_group *group;
    int32_t *member;      // of the group: its number in the system
    int32_t *first_point; // of a member, and one past all
    tdi_point *point;
    td_vec3 *place, *move;      // of a point
    int32_t *first_node, *node; // of a member: relations that couple it, and one past all; in held
    td_real *scale;             // of a member: kg, mean mass of its segments
    td_real h;                  // of the rule; 0: statics
    tdi_set_solve solve;
};

// `actor` of the constraints is an index into the members. tdi_constraints_bind() relates them to
// the members of a system. Everything is copied. Errors name a constraint that a solver refuses.
// With `has_contact` there may be contact in steps.
td_status tdi_constraint_set_new(const tdi_member *members, int32_t member_count,
                                 const td_constraint *constraints, int32_t count, bool has_contact,
                                 const td_alloc *alloc, tdi_constraint_set **out, td_diag *diag);
void tdi_constraint_set_free(tdi_constraint_set *h); // NULL is allowed
// Relations that couple a member, for tdi_member.
int32_t tdi_constraints_coupling(const tdi_constraint_set *h, int32_t member);
// The number in the system of every member; NULL: the same.
void tdi_constraints_bind(tdi_constraint_set *h, const int32_t *member);

void tdi_constraints_set_time(tdi_constraint_set *h,
                              td_real time); // at the beginning of the next step
void tdi_constraints_set_target(tdi_constraint_set *h, int32_t k,
                                const td_constraint_target *target);
// Where the way to the next target begins.
void tdi_constraints_reset_target(tdi_constraint_set *h, int32_t k,
                                  const td_constraint_target *target);
void tdi_constraints_enable(tdi_constraint_set *h, int32_t k, bool hold);
// The target set last.
bool tdi_constraints_target(const tdi_constraint_set *h, int32_t k, td_constraint_target *target);
td_constraint_report tdi_constraints_report(const tdi_constraint_set *h, int32_t k);
size_t tdi_constraints_save_size(const tdi_constraint_set *h);
void tdi_constraints_save(const tdi_constraint_set *h, void *bytes);
void tdi_constraints_restore(tdi_constraint_set *h, const void *bytes);

// ---- steps; `all` is the first set of a system, and NULL is allowed

// Whether a constraint begins or ends to act in the next step: velocities may jump.
bool tdi_constraints_change(const tdi_constraint_set *all);
// Whether the same constraints act in the next step as in the last, and no one-sided one pushed.
bool tdi_constraints_ready(const tdi_constraint_set *all);
// Whether a one-sided one pushes in the step that was solved. After tdi_constraints_ready() it
// begins to.
bool tdi_constraints_have_impact(tdi_constraint_set *all);
// Begins a step at the bodies' poses. The step covers `part` of the remaining way to the targets.
void tdi_constraints_begin(tdi_constraint_set *all, const tdi_system *system, td_real h,
                           td_real part);
// Back to where that was.
void tdi_constraints_undo(tdi_constraint_set *all);
// After a step, or after the part of it from one fraction to another: forces are the mean since the
// step began, and break a constraint when it ends.
void tdi_constraints_accept(tdi_constraint_set *all, const tdi_system *system, td_real from,
                            td_real to);

// ---- Newton's method (constraint_rows.c)

void tdi_constraints_evaluate(tdi_constraint_set *all, const tdi_system *system);
void tdi_constraints_expand(tdi_constraint_set *all, const tdi_system *system, bool exact,
                            bool positive);
td_real tdi_constraints_value(tdi_constraint_set *all, const tdi_system *system);
// Of springs alone, by their own laws.
td_real tdi_constraints_spring_value(tdi_constraint_set *all, const tdi_system *system);
// At the poses that were evaluated, with the forces that were found there.
td_real tdi_constraints_value_kept(tdi_constraint_set *all);
// What the promise changes by when the value has the forces that follow from the increments.
td_real tdi_constraints_slope(tdi_constraint_set *all, const tdi_system *system);
// With the increments as they are: forces, and the slope of the value along them.
void tdi_constraints_update_multipliers(tdi_constraint_set *all, const tdi_system *system,
                                        td_real *predicted_decrease);
// Whether these increments, after tdi_constraints_update_multipliers(), meet all rows to the first
// order, and no row is one-sided.
bool tdi_constraints_within_reach(tdi_constraint_set *all);
// No increment was taken: forces as they were.
void tdi_constraints_restore_multipliers(tdi_constraint_set *all);
// At the new poses, after increments of this size, taken whole or not. True: all constraints
// that can be satisfied are.
bool tdi_constraints_converged(tdi_constraint_set *all, const tdi_system *system, td_real largest,
                               bool whole);

// Whether rows have second derivatives that are left out of all models but the exact one.
bool tdi_constraints_are_curved(tdi_constraint_set *all);
// Whether constraints act, all of them on one segment each or eliminated with their body, and
// nothing touches.
bool tdi_constraints_are_eliminated(const tdi_system *system);

// ---- rows that couple two segments (coupled.c)

bool tdi_constraints_couple(const tdi_constraint_set *all); // whether any relation couples segments
// v of all rows of a member, into the right side of the system.
void tdi_constraints_add_displacements(const tdi_constraint_set *h, int32_t member);

// ---- shared by these files

// The groups that act, of all sets: for (tdi_group_cursor at = tdi_groups_of(all);
// tdi_next_group(&at);)
typedef struct tdi_group_cursor {
    tdi_constraint_set *set;
    int32_t next;         // number of a group in this set
    tdi_row_group *group; // NULL before the first
    tdi_constraint_state *state;
} tdi_group_cursor;

static inline tdi_group_cursor tdi_groups_of(tdi_constraint_set *all) {
    return (tdi_group_cursor){.set = all};
}
static inline bool tdi_next_group(tdi_group_cursor *at) {
    for (; at->set; at->set = at->set->next, at->next = 0) {
        while (at->next < at->set->group_count) {
            at->group = &at->set->group[at->next++];
            at->state = &at->set->state[at->group->constraint];
            if (at->group->acts) {
                return true;
            }
        }
    }
    return false;
}

// N: a one-sided row pushes with more than this. Less moves a mean segment by less than rows are
// met to, and has the sign of rounding.
static inline td_real tdi_least_force(const tdi_row_group *b) {
    return TDI_RESIDUAL_TOLERANCE * b->inertia;
}
static inline bool tdi_is_one_sided(const tdi_row_group *b) {
    return b->law.law == TDI_LAW_ONE_SIDED;
}
// A spring f = l_s + S c: the row is in series with it, so that the error is what c has beyond the
// stretch by the multiplier, (l - l_s)/S. With K far above S that is the spring itself, and with S
// far above K a row that has to be 0.
static inline bool tdi_is_spring(const tdi_row_group *b) {
    return b->law.law == TDI_LAW_SPRING;
}
static inline td_real tdi_row_error(const tdi_row_group *b, td_real l, td_real c) {
    return tdi_is_spring(b) ? c - (l - b->spring.multiplier) / b->spring.stiffness : c;
}
// K of a row, or of a spring in series with it.
static inline td_real tdi_row_stiffness(const tdi_row_group *b, td_real k) {
    return tdi_is_spring(b) ? k * (b->spring.stiffness / (k + b->spring.stiffness)) : k;
}
// The part of K times the error that does not go with the increments: all of it where there is no
// multiplier, and of a spring K/(K + S).
static inline td_real tdi_row_lasts(const tdi_row_group *b, const tdi_constraint_state *s) {
    return s->unmet ? 1 : tdi_is_spring(b) ? b->k / b->spring.stiffness : 0;
}
static inline bool tdi_row_is_curvature(const tdi_row_group *b, int32_t row) {
    return row >= b->bent.first && row < b->bent.first + b->bent.count;
}
// No second side: rows go into the elimination of their body.
static inline bool tdi_is_pinned(const tdi_row_group *b) {
    return b->side[1].point == TD_NONE;
}
// Whether rows of second derivatives act elsewhere on the second side than the others.
static inline bool tdi_has_offset(const tdi_row_group *b) {
    return b->side[1].offset != TD_NONE;
}
// The point at which a row acts on a side.
static inline int32_t tdi_row_point(const tdi_row_group *b, int side, int32_t row) {
    const tdi_row_side *s = &b->side[side];
    return s->offset != TD_NONE && tdi_row_is_curvature(b, row) ? s->offset : s->point;
}
// How much larger K has become.
static inline td_real tdi_penalty_factor(const tdi_constraint_state *s, int32_t relation) {
    static const td_real tens[] = {1, 10, 100, 1e3, 1e4, 1e5, 1e6};
    const td_real w = s->weight[relation];
    return tens[w >= 0 && w <= 6 ? (int)w : 0];
}
static inline const tdi_member *tdi_constraints_member(const tdi_constraint_set *h,
                                                       const tdi_system *y, int32_t k) {
    return &y->member[h->member[k]];
}

// ---- points: constraint_points.c ------------------------------------------------------------

// Where all points are; of one set, and of all.
void tdi_constraints_gather(tdi_constraint_set *h, const tdi_system *system);
void tdi_constraints_gather_all(tdi_constraint_set *all, const tdi_system *system);
// Places of a relation's points.
void tdi_row_group_positions(const tdi_constraint_set *h, const tdi_row_group *b,
                             td_vec3 x[TDI_RELATION_POINTS]);
// The frame of a segment at one of its points, as arms there turn.
tdi_frame_at tdi_point_frame(td_body *body, int32_t segment, td_vec3 at);
// The frame of a side of constraint k, 0 or 1, at a point of it.
tdi_frame_at tdi_constraints_frame(const tdi_constraint_set *h, const tdi_system *system, int32_t k,
                                   int side, td_vec3 at);
// How all points move by the increments; and those of member k of the set, or by responses.
void tdi_constraints_gather_motions(tdi_constraint_set *h, const tdi_system *system);
void tdi_constraints_gather_member(tdi_constraint_set *h, const tdi_member *member, int32_t k,
                                   bool response);
// With these motions, J: the change of c of a row, and v = a - b of the sides that a member has.
static inline bool tdi_has_row(const tdi_row_group *b, int32_t row) {
    return row < TDI_GROUP_ROWS && b->acts && b->stiff[row] > 0;
}
td_real tdi_row_change(const tdi_constraint_set *h, const tdi_row_group *b, int32_t row);
td_real tdi_row_displacement(const tdi_constraint_set *h, const tdi_row_group *b, int32_t member,
                             int32_t row);
// J^T: forces along v at the points of these sides.
void tdi_row_apply(const tdi_constraint_set *h, const tdi_row_group *b, const tdi_member *m,
                   int32_t member, int32_t row, td_real force);
