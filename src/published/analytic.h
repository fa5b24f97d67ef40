// SPDX-License-Identifier: MIT
#pragma once

// Rows of constraints, contact and impacts on trees, and the forces that they need.
//
// A row has a value c, which is 0 or must not be negative, and two sides on which a unit of its
// force acts. c' = J v, c'' = J qdd + extra. Forces f make c'' = J M^-1 J^T f + c''_0.

#include "math/lcp.h"
#include "tendril/analytic.h"
#include "published/tree.h"

#define TDI_ANALYTIC_ROWS 9    // most of a constraint: a weld's
#define TDI_TOGETHER      1e-3 // relative: one-sided rows that differ by less meet together

// What a unit of force does to one body: a wrench at its origin in world axes, and torques of the
// first degrees of freedom of its joint.
typedef struct tdi_push {
    int32_t tree, body; // tree TD_NONE: nothing
    td_vec3 arm;        // from its origin to the point; world axes
    tdi_wrench wrench;
    td_real torque[3];
} tdi_push;

typedef struct tdi_lcp_row {
    tdi_push side[2];
    td_real value, rate; // c, c'
    td_real given;       // of c': what the world's side makes
    td_real extra;       // of c'': that, and what rates make
    td_real free;        // c'' without forces
    td_real wanted;      // c''
    td_real lightness;   // 1/kg: of its bodies alone; 0 of joints
    td_real length;      // m or rad: of its bodies, the scale of its errors
    td_lcp_row bounds;
    td_real restitution, slow;
    int32_t constraint; // TD_NONE: of a contact or hit
    int64_t key;        // of a one-sided row: which it is, in all stages of a step
    td_vec3 direction;  // world axes, of the first side; 0 of joints
    td_real force;
    bool begins; // of a constraint that begins with this step: an impulse makes c' 0
    bool still;  // the joints let nothing move along it
    bool fast;   // one-sided, and approaches faster than `slow`
} tdi_lcp_row;

typedef struct tdi_analytic_touch { // a contact: its row of the normal, and its report
    int32_t row;
    int64_t key; // of that row
    td_analytic_contact told;
} tdi_analytic_touch;

typedef struct tdi_analytic_hold { // a constraint as it is kept
    td_constraint def;             // as_found has been looked up
    td_constraint_target target, target_start;
    td_vec3 velocity, spin, joint_rate;       // of the target in this step
    td_vec3 acceleration, joint_acceleration; // by the change from the step before
    td_real length_rate;
    bool found, moved;     // as_found was looked up; there was a step before
    bool loose;            // the caller has let go
    td_vec3 struck, wrung; // N, N m: its part in the impacts of the step, in the mean over that
    bool begins;           // it did not act in the last step
    bool soft;             // its forces would be too large for this step: rows have compliance
    bool contradicts;      // its rows contradict the joints or each other in this stage
    td_constraint_report report;
} tdi_analytic_hold;

// Bilateral rows, among which forces are shared where they say the same: see analytic_solve.c.
typedef struct tdi_shared {
    int32_t count, rank;
    int32_t *row;          // of all rows: those that are bilateral
    int32_t *pivot;        // of a bilateral row: its column of L; TD_NONE: it says nothing new
    td_real *scale, *left; // of it: 1/sqrt of the diagonal; what other rows leave of it
    td_real *low, *gram;   // L, count x count, and G, rank x rank, factored
    td_real *x, *t;
    // the smaller problem with one-sided rows
    int32_t *place; // of a row; TD_NONE: it has none
    td_real *matrix, *rhs, *solved;
    td_lcp_row *bounds;
} tdi_shared;

typedef struct tdi_analytic_lcp { // the complementarity problem of all rows
    td_real *matrix, *rhs, *force, *before;
    td_real *wanted; // a row: at the start of the step
    td_lcp_row *bounds;
    tdi_shared shared;
    tdi_lcp_work work;
    td_lcp_result result;
} tdi_analytic_lcp;

struct td_analytic {
    const td_alloc *alloc;
    size_t bytes;
    td_analytic_opts opts;
    td_lcp_opts solver; // those of `opts`, or their defaults
    int32_t tree_count, hold_count, row_count, contact_count, near_count;
    bool choosing;  // the step begins: one-sided rows that are reached in it are chosen
    td_real margin; // they are chosen up to this part beyond the way of the step
    tdi_tree_state **tree;
    tdi_analytic_hold *hold;
    tdi_lcp_row *row;            // row_limit
    tdi_analytic_touch *contact; // row_limit
    tdi_analytic_touch *struck;  // row_limit: those of the impacts of the step
    int32_t struck_count;
    int64_t *near;           // row_limit: keys of one-sided rows that are reached in the step
    td_vec3 *points;         // of the tree with the most
    td_real **answer;        // a tree: a number for each degree of freedom
    td_step_opts *step_opts; // of each tree, as the caller gave them
    td_real **kept;          // a tree: velocities before the step
    td_step_opts *step;      // a tree: for impacts
    tdi_analytic_lcp lcp;
};

// ---- rows -----------------------------------------------------------------------------------

// A constraint whose segment or joint is wrong is refused by name.
td_status tdi_analytic_check(const td_analytic *analytic, int32_t constraint, td_diag *diag);
// A new row with nothing on its sides; NULL, with a message, when there is no room.
tdi_lcp_row *tdi_analytic_row(td_analytic *analytic, td_diag *diag);
// Force `direction` at the place x on a body; `sign` 1 or -1.
tdi_push tdi_push_at(const td_analytic *analytic, int32_t tree, int32_t body, td_vec3 x,
                     td_vec3 direction, td_real sign);
// The length of a segment, or its radius if it has none.
td_real tdi_body_length(const tdi_body *body);
// Fills rate, free, wanted and scales of a row whose sides, value, given and extra are set. `opts`
// has an entry a tree; forward dynamics were the last that was done to the trees. False: the row is
// one-sided and not reached in this step; those that are remember their key.
bool tdi_analytic_finish(td_analytic *analytic, const td_step_opts *opts, tdi_lcp_row *row);
// Adds rows of constraints that act, and of contact with colliders, a time t into the step.
td_status tdi_analytic_hold_rows(td_analytic *analytic, const td_step_opts *opts, td_real t,
                                 td_diag *diag);
td_status tdi_analytic_contact_rows(td_analytic *analytic, const td_step_opts *opts, td_real t,
                                    const td_collider *colliders, int32_t count, td_diag *diag);

// ---- forces ---------------------------------------------------------------------------------

// K = J M^-1 J^T of all rows, into `matrix`, by the factors of the last forward dynamics.
void tdi_analytic_matrix(td_analytic *analytic);
// Solves `matrix`, `rhs` and `bounds` for forces, one a row; `rhs` becomes what bilateral rows can
// have, and rows along which nothing can move become separate. With `values`: contradictions
// between values of rows are the verdict, and are noted in the constraints.
void tdi_analytic_solve(td_analytic *analytic, const td_lcp_opts *opts, bool values,
                        td_real *force);
// Impulses at all rows, into `force`; `matrix` is that of the rows. Returns the part of the
// restitution that does not raise the energy.
td_real tdi_analytic_impulses(td_analytic *analytic);
// Adds what they do to the velocities.
void tdi_analytic_kick(td_analytic *analytic);
