// SPDX-License-Identifier: MIT
#pragma once

// Constraints on the bodies of a system.
//
// A set of constraints holds the members of a group. A system has any number of sets, in a list;
// no body is in two groups. In a step:
//
//   tdi_holds_begin       which constraints act, where their targets are, what is found at a start
//   in every iteration    evaluate; expand, before bodies are factored; solve, after them, which
//                         changes the increments; finish, which gives the forces; value for the
//                         line search; judge after the move
//   tdi_holds_accept      forces for the next step, what broke, reports
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

#define TDI_HELD_MET 5e-9 // m or rad: rows are met to this, near the origin; 1e-8 is promised

// What a constraint leaves from step to step. It is saved as it is.
typedef struct tdi_hold_state {
    td_constraint_target target, target0; // at the end of the next step, and of the last
    tdi_found found;
    td_real l[TDI_BONDS][TDI_BOND_ROWS];
    td_real weight[TDI_BONDS]; // how often K has become ten times as large: that power
    td_real along;             // on a curve
    td_real error;             // m or rad
    td_vec3 place, force, moment;
    int32_t asked;                 // to hold
    int32_t active, broken, unmet; // in the last step
    int32_t pause, left;           // steps between two tries to meet it again, and to the next
} tdi_hold_state;

enum { TDI_HELD_ROWS = 4 }; // of a bond that couples: its own, and those of second derivatives

// Rows of second derivatives that are not positive: in the exact model alone.
typedef struct tdi_bent {
    int32_t first, count;
    td_real stiff;
    bool offset_b; // they see offset_b of the bond, not point_b
} tdi_bent;

// A bond of a constraint.
typedef struct tdi_held {
    int32_t hold, bond;             // of the set, and of the constraint
    int32_t node;                   // of the Schur complement; TD_NONE: pinned
    int32_t first_row, row_count;   // of those that are eliminated with a body
    int32_t point[TDI_BOND_POINTS]; // of the set; TD_NONE: the world's
    int32_t point_b;                // point of the second side on which forces act; TD_NONE: pinned
    int32_t offset_b;               // another, of rows that have one; TD_NONE: none have
    td_vec3 fixed[TDI_BOND_POINTS]; // places of the world's points
    tdi_bond law;
    bool acts;                 // in this step
    bool used[TDI_BOND_ROWS];  // in this iteration
    bool freed[TDI_BOND_ROWS]; // one-sided, and it would have pulled in the last one
    td_real c[TDI_BOND_ROWS];  // where it was evaluated
    // What rows see of a move of the first point and of point_b; those of second derivatives
    // follow.
    td_vec3 way[TDI_HELD_ROWS], back[TDI_HELD_ROWS];
    td_real stiff[TDI_HELD_ROWS]; // N/m: of a row on either side; 0: there is no row
    tdi_bent bent;
    td_real inertia;  // N/m: of both sides over h^2
    td_real k, merit; // N/m: of the model, and of the value that a line search sees
    td_real l_before[TDI_BOND_ROWS];
    bool weak;      // K has just become larger
    td_real error;  // where it was judged last
    int32_t stalls; // times in a row that this did not shrink
} tdi_held;

struct tdi_holds {
    tdi_holds *next; // set of the system; NULL: the last
    const td_alloc *alloc;
    size_t bytes;
    td_real time; // s: at the beginning of the whole step
    int32_t count, member_count, held_count, point_count, node_count;
    td_constraint *def;
    td_joint_kind *joint; // of a constraint's first side
    tdi_rail *curve;      // of a constraint
    tdi_hold_state *state, *began;
    td_constraint_target *now; // at the end of this part of the step
    tdi_held *held;
    int32_t *member;      // of the group: its number in the system
    int32_t *first_point; // of a member, and one past all
    tdi_point *point;
    td_vec3 *place, *move;      // of a point
    int32_t *first_node, *node; // of a member: bonds that couple it, and one past all; in held
    td_real *scale;             // of a member: kg, of a segment in the mean
    td_real h;                  // of the rule; 0: statics
    bool coupled;               // some bond couples segments in this step
    tdi_coupled *whole;         // the system of its bonds; NULL: none couples, or `rows` serve
    tdi_coupled *solved_in;     // the system that is used: this, or that of contact; NULL: none
    int32_t first_bond;         // node of its first bond there
    int32_t inner;              // the member that all coupled bonds are within; TD_NONE: none
    tdi_rows *rows;             // of it: the rows of all nodes, where nothing touches; NULL: none
    const tdi_row_ops *row_ops; // of its solver
    bool eliminated;            // they are used in this step
};

// Members are the bodies that `actor` of the constraints names; those of a system are told by
// tdi_holds_bind(). Everything is copied. Names the constraint that a solver cannot take. With
// `touches` there may be contact in steps.
td_status tdi_holds_new(const tdi_member *members, int32_t member_count,
                        const td_constraint *constraints, int32_t count, bool touches,
                        const td_alloc *alloc, tdi_holds **out, td_diag *diag);
void tdi_holds_free(tdi_holds *h); // NULL is allowed
// Bonds that couple a member, for tdi_member.
int32_t tdi_holds_bonds(const tdi_holds *h, int32_t member);
// The number in the system of every member; NULL: the same.
void tdi_holds_bind(tdi_holds *h, const int32_t *member);

void tdi_holds_set_time(tdi_holds *h, td_real time); // at the beginning of the next step
void tdi_holds_set_target(tdi_holds *h, int32_t k, const td_constraint_target *target);
// Where the way to the next target begins.
void tdi_holds_place_target(tdi_holds *h, int32_t k, const td_constraint_target *target);
void tdi_holds_set_hold(tdi_holds *h, int32_t k, bool hold);
// What was set last.
bool tdi_holds_wish(const tdi_holds *h, int32_t k, td_constraint_target *target);
td_constraint_report tdi_holds_report(const tdi_holds *h, int32_t k);
size_t tdi_holds_save_size(const tdi_holds *h);
void tdi_holds_save(const tdi_holds *h, void *bytes);
void tdi_holds_restore(tdi_holds *h, const void *bytes);

// ---- steps; `all` is the first set of a system, and NULL is allowed

// Whether a constraint begins or ends to act in the next step: velocities may jump.
bool tdi_holds_change(const tdi_holds *all);
// Whether the same constraints act in the next step as in the last, and no one-sided one pushed.
bool tdi_holds_ready(const tdi_holds *all);
// Whether a one-sided one pushes in the step that was solved. After tdi_holds_ready() it begins to.
bool tdi_holds_struck(const tdi_holds *all);
// The bodies are where the step begins. They go `part` of what is left to the targets.
void tdi_holds_begin(tdi_holds *all, const tdi_system *system, td_real h, td_real part);
// Back to where that was.
void tdi_holds_undo(tdi_holds *all);
// After a step, or after the part of it from one fraction to another: forces are the mean since the
// step began, and break a constraint when it ends.
void tdi_holds_accept(tdi_holds *all, const tdi_system *system, td_real from, td_real to);

// ---- Newton's method (hold_rows.c)

void tdi_holds_evaluate(tdi_holds *all, const tdi_system *system);
void tdi_holds_expand(tdi_holds *all, const tdi_system *system, bool exact, bool positive);
td_real tdi_holds_value(tdi_holds *all, const tdi_system *system);
// At the poses that were evaluated, with the forces that were found there.
td_real tdi_holds_value_kept(const tdi_holds *all);
// What the promise changes by when the value has the forces that follow from the increments.
td_real tdi_holds_slope(tdi_holds *all, const tdi_system *system);
// With the increments as they are: forces, and the slope of the value along them.
void tdi_holds_finish(tdi_holds *all, const tdi_system *system, td_real *predicted_decrease);
// Whether these increments, after tdi_holds_finish(), meet all rows to the first order, and no row
// is one-sided.
bool tdi_holds_within_reach(const tdi_holds *all);
// No increment was taken: forces as they were.
void tdi_holds_revert(tdi_holds *all);
// At the new poses, after increments of this size, taken whole or not. True: all constraints are
// met, but for those that cannot be.
bool tdi_holds_judge(tdi_holds *all, const tdi_system *system, td_real largest, bool whole);

// Whether rows have second derivatives that are left out of all models but the exact one.
bool tdi_holds_curve(const tdi_holds *all);
// Whether constraints act, all of them on one segment each or eliminated with their body, and
// nothing touches.
bool tdi_holds_are_eliminated(const tdi_system *system);

// ---- rows that couple two segments (coupled.c)

bool tdi_holds_couple(const tdi_holds *all); // whether any bond couples segments
bool tdi_held_has_row(const tdi_held *b, int32_t row);
// Pushes a row's points that a member has, by `force` along v.
void tdi_held_push(const tdi_holds *h, const tdi_held *b, const tdi_member *m, int32_t member,
                   int32_t row, td_real force);
// v of a row, of the moves of the points that a member has.
td_real tdi_held_part(const tdi_holds *h, const tdi_held *b, int32_t member, int32_t row);
// These of all rows, into the right side of the system.
void tdi_holds_add_parts(const tdi_holds *h, int32_t member);

// ---- shared by these files

// N: a one-sided row pushes with more than this. Less moves a mean segment by less than rows are
// met to, and has the sign of rounding.
static inline td_real tdi_held_least(const tdi_held *b) {
    return TDI_HELD_MET * b->inertia;
}
static inline bool tdi_held_bends(const tdi_held *b, int32_t row) {
    return row >= b->bent.first && row < b->bent.first + b->bent.count;
}
// The point of the second side that a row sees.
static inline int32_t tdi_held_point_b(const tdi_held *b, int32_t row) {
    return b->bent.offset_b && tdi_held_bends(b, row) ? b->offset_b : b->point_b;
}
// How much larger K has become.
static inline td_real tdi_hold_weight(const tdi_hold_state *s, int32_t bond) {
    static const td_real tens[] = {1, 10, 100, 1e3, 1e4, 1e5, 1e6};
    const td_real w = s->weight[bond];
    return tens[w >= 0 && w <= 6 ? (int)w : 0];
}
// Where all points are.
void tdi_holds_gather(tdi_holds *h, const tdi_system *system);
// Places of a bond's points.
void tdi_held_places(const tdi_holds *h, const tdi_held *b, td_vec3 x[TDI_BOND_POINTS]);
// How all points move by the increments, or by responses; and those of member k of the set.
void tdi_holds_gather_moves(tdi_holds *h, const tdi_system *system, bool response);
void tdi_holds_gather_member(tdi_holds *h, const tdi_member *member, int32_t k, bool response);
// The frame of a segment at one of its points, as arms there turn.
tdi_frame_at tdi_point_frame(const td_body *body, int32_t segment, td_vec3 at);
// The frame of a side of constraint k, 0 or 1, at a point of it.
tdi_frame_at tdi_holds_frame(const tdi_holds *h, const tdi_system *system, int32_t k, int side,
                             td_vec3 at);
static inline const tdi_member *tdi_holds_member(const tdi_holds *h, const tdi_system *y,
                                                 int32_t k) {
    return &y->member[h->member[k]];
}
