// SPDX-License-Identifier: MIT
#pragma once

// Contact between capsules, and of capsules with colliders, for implicit solvers of any kind.
//
// A solver minimises a potential over the positions x of points; capsules lie between pairs of
// them. Contact adds a barrier, which grows without bound as a gap closes, and friction. In a step:
//
//   tdi_contacts_colliders    sets poses and motions of colliders
//   tdi_contacts_find         finds pairs that may meet on the path from x to x + dx
//   tdi_contacts_lag          fixes normal forces and directions, which friction needs
//   in every iteration        find; free_fraction gives the part of dx without interpenetration;
//                             evaluate gives the gradient and the Hessian, energy the value
//
// Colliders move within the step: `time` 0..1 is the fraction of their motion. A solver starts at
// 0. While time is below 1 it evaluates the positive semi-definite model with `ahead` = 1 - time,
// so that increments include the remaining motion; it takes their free fraction with time up to 1
// although the energy may rise. At time 1 the energy must fall. The line search must require a part
// of the predicted decrease: an increment that reverses a sliding contact may leave the energy
// nearly unchanged, again and again.
//
// Only tdi_contacts_new() allocates. Results do not depend on earlier calls.

#include "math/mat3.h"
#include "tendril/contact.h"
#include "tendril/pool.h"

typedef struct tdi_contacts tdi_contacts; // for one caller at a time

// Radii along a stem, from its base, that have no contact with colliders: a plant may grow from a
// plane. The capsules of all solvers begin there.
#define TDI_BASE_CLEARANCE 2.0

// The name of a collider in messages.
typedef struct tdi_collider_label {
    const char *name; // NULL: its number and its kind do
    int32_t number;   // in the scene, which counts disabled colliders too
} tdi_collider_label;

#define TDI_COLLIDER_TEXT 96

const char *tdi_collider_kind_name(td_collider_kind kind);
// "collider 'floor'", or "collider 2 (sphere)".
void tdi_collider_text(const td_collider *collider, tdi_collider_label label,
                       char text[TDI_COLLIDER_TEXT]);
// td_colliders_check() with their labels; NULL: they are numbered as they are listed.
td_status tdi_colliders_check(const td_collider *colliders, int32_t count,
                              const tdi_collider_label *labels, td_diag *diag);

static inline bool tdi_filters_collide(td_filter a, td_filter b) {
    return (a.category & b.mask) != 0 && (b.category & a.mask) != 0;
}

// A segment between two points with round ends.
typedef struct tdi_capsule {
    int32_t a, b;   // points; the same one twice: a ball
    td_real radius; // m, > 0
    int32_t body;   // the caller's own
    bool turns;     // friction acts on its surface, and turns it; else on its axis
    td_real from;   // 0..1: of the axis, from a: colliders touch the part behind it; 1: none
} tdi_capsule;

// Capacity of a set's memory, which may be below its limits. Results depend on the limits alone:
// after a set ran out of memory its results are invalid. See tdi_contacts_lack().
typedef struct tdi_contact_room {
    int32_t pairs;
    int32_t contacts; // and planes, and twice as many frictions
} tdi_contact_room;

typedef struct tdi_contacts_def {
    const td_contact_opts *opts;
    const tdi_capsule *capsule; // borrowed for the call
    int32_t capsule_count;
    int32_t point_count;
    int32_t collider_limit; // never more colliders than this
    int32_t pair_limit;     // pairs near each other at once, and half as many contacts of each of
                            // the two sorts; 0: those of the options a capsule, and 64
    // Whether the pair i < j has no contact, as neighbours on a stem; from capsule_count on j is a
    // collider. NULL: all have. Pairs with a common point never have.
    bool (*skip)(void *context, int32_t i, int32_t j);
    void *context;
    const tdi_contact_room *room; // arrays hold so many; NULL: as many as the limits
} tdi_contacts_def;

#define TDI_PAIRS_MOST 4096 // of the options

td_status tdi_contacts_new(const tdi_contacts_def *def, const td_alloc *alloc, tdi_contacts **out,
                           td_diag *diag);
// The same in the caller's memory of that many bytes, aligned for any type. The definition must be
// valid.
size_t tdi_contacts_bytes(const tdi_contacts_def *def);
tdi_contacts *tdi_contacts_place(const tdi_contacts_def *def, void *memory);
void tdi_contacts_free(tdi_contacts *c); // NULL is allowed

// Sets the colliders, which move from the fraction `from` to the fraction `to` of the path between
// their poses, 0..1, in h > 0 seconds.
td_status tdi_contacts_colliders(tdi_contacts *c, const td_collider *colliders, int32_t count,
                                 td_real h, td_real from, td_real to, td_diag *diag);

// Shifts where colliders begin the step until none overlaps a capsule with points at x; they end
// where they did. Not *apart: some overlap for all that. Pairs are found as by tdi_contacts_find().
td_status tdi_contacts_withdraw(tdi_contacts *c, const td_vec3 *x, bool *apart, td_diag *diag);

// The k-th collider.
const td_collider *tdi_contacts_collider(const tdi_contacts *c, int32_t k);

// Threads share the work from now on; NULL: none. Results have the same bits.
void tdi_contacts_share(tdi_contacts *c, td_pool *pool);

// Finds the pairs that come within their range anywhere between x and x + dx (NULL: none), with
// colliders anywhere on their path. Cheap when little has moved since the last search. Required
// before the functions below are called with positions off that path.
// TD_ERR_LIMIT: too many, for which a shorter dx may help; TD_ERR_DIVERGED: a position is not
// finite.
td_status tdi_contacts_find(tdi_contacts *c, const td_vec3 *x, const td_vec3 *dx, td_diag *diag);

// Whether there were more pairs, contacts or planes than the limits since the last search began.
bool tdi_contacts_full(const tdi_contacts *c);
// Whether the set ever ran out of room below its limits: its results must not be used. A set with
// *more room, and as often as it takes, gives those of one that had it from the start.
bool tdi_contacts_lack(const tdi_contacts *c, tdi_contact_room *more);

typedef struct tdi_near_pair { // i < capsule_count; j > i, or capsule_count + a collider
    int32_t i, j;
} tdi_near_pair;

// The pairs found: all pairs in range of each other, and some more that an earlier search found.
const tdi_near_pair *tdi_contacts_pairs(const tdi_contacts *c, int32_t *count);
// Whether the bounding boxes of a pair found, with half of `gap` of the radii around them, overlap
// at some time on the path from x to x + dx. `gap` is at most that of the options.
bool tdi_contacts_come_near(const tdi_contacts *c, tdi_near_pair pair, const td_vec3 *x,
                            const td_vec3 *dx, td_real gap);

// The largest fraction of dx, in [0, 1], by which x may move while colliders move from time0 to
// time1, so that no pair interpenetrates and every gap keeps a tenth of its size or of its range.
// 0 only where a pair overlaps already.
td_real tdi_contacts_free_fraction(const tdi_contacts *c, const td_vec3 *x, const td_vec3 *dx,
                                   td_real time0, td_real time1);

// Whether no pair overlaps on the path of x to x + dx, in which colliders move all the way. Gaps
// may close to a thousandth of their size or range.
bool tdi_contacts_path_is_free(const tdi_contacts *c, const td_vec3 *x, const td_vec3 *dx);

// The same with fixed colliders, for a trial step of a line search: no gap closes by more than 0.3
// of its range. Beyond that the barrier rises by more than the rest of the potential can fall.
td_real tdi_contacts_free_trial(const tdi_contacts *c, const td_vec3 *x, const td_vec3 *dx,
                                td_real time);

// The same with a fraction for each group of capsules: reduces the given fractions until all paths
// are free. Without `trial` gaps may close as in tdi_contacts_free_fraction(). False: after too
// many reductions some path is not free.
bool tdi_contacts_free_fractions(const tdi_contacts *c, const td_vec3 *x, const td_vec3 *dx,
                                 td_real time, bool trial, const int32_t *group, td_real *part);

// Whether a pair tunnels on the straight path from x to x + dx, with the whole motion of colliders:
// it meets on the path, but is not in contact at its end, or is pushed on there. Contact forces act
// at the end of a step, so that such an impact would have no effect, or add energy. Tests pairs
// with colliders, and with `capsules_too` pairs of capsules.
bool tdi_contacts_tunnelled(const tdi_contacts *c, const td_vec3 *x, const td_vec3 *dx,
                            bool capsules_too);

// The least gap of the pairs found, no more than their range; which[0] is a capsule, which[1] a
// capsule or, from capsule_count on, a collider; TD_NONE when none is in range.
td_real tdi_contacts_least(const tdi_contacts *c, const td_vec3 *x, td_real time, int32_t which[2]);

// For each group of capsules, from the pairs found: the least unsmoothed gap over its range, in
// `gap`, and its barrier potential over the force, m, in `potential`.
void tdi_contacts_least_gaps(const tdi_contacts *c, const td_vec3 *x, td_real time,
                             const int32_t *group, int32_t group_count, td_real *gap,
                             td_real *potential);
// Scales the range of each group by |reach|, at most 1; a pair has the smaller of two. NULL: 1.
void tdi_contacts_scale_ranges(tdi_contacts *c, const int32_t *group, const td_real *reach);
// Whether surfaces overlap, by unsmoothed gaps, and the deepest pair. Capsules have their whole
// range afterwards.
bool tdi_contacts_overlap(tdi_contacts *c, const td_vec3 *x, td_real time, int32_t which[2]);

// For groups of capsules that move one after the other, each near its own path: finds the pairs
// that can meet while every point stays in its room, a box around the path from x to x + dx. Valid
// until the next search; TD_ERR_LIMIT: too many pairs.
td_status tdi_contacts_find_independent(tdi_contacts *c, const td_vec3 *x, const td_vec3 *dx,
                                        td_diag *diag);
// The fraction of the path from x by dx that lies in a point's room, 0..1.
td_real tdi_contacts_part_in_box(const tdi_contacts *c, int32_t point, td_vec3 x, td_vec3 dx);
// Calls `turn` for each moving group, with a set restricted to the pairs of that group. Groups that
// can meet are called one after the other in a fixed order, others at once on all threads. `group`
// is given for each capsule. The set has no contacts afterwards.
typedef void (*tdi_group_turn)(void *context, tdi_contacts *own, int32_t group);
void tdi_contacts_each_group(tdi_contacts *c, const int32_t *group, const bool *moves,
                             int32_t count, tdi_group_turn turn, void *context);

// Filters, energies and lists skip pairs of two inactive capsules, and of one and a collider; NULL:
// none is inactive.
void tdi_contacts_set_inactive(tdi_contacts *c, const bool *inactive);
// The same for capsules whose positions are fixed, so that searches skip these pairs as well.
// `more`: all capsules that were fixed before still are.
void tdi_contacts_set_fixed(tdi_contacts *c, const bool *fixed, bool more);

// ---- potential ------------------------------------------------------------------------------

// Parameters of the potential in a step. All terms are proportional to `force`: a solver whose
// potential is h'^2 times an energy gives h'^2 times a force.
typedef struct tdi_contact_rule {
    td_real force;          // N: two surfaces pressed together by twice this keep half their range
    const td_vec3 *history; // velocities are (x - history)/h
    td_real h;              // s; 0: no friction
    td_real ahead;          // remaining time of the colliders that forces include; 0: none
    bool exact_hessian;     // else a positive semi-definite model of the Hessian
    const td_vec3 *turned;  // rad: of a turning capsule, h times its angular velocity
} tdi_contact_rule;

// The rows of a contact, one along each axis of the world: a contact, a friction and a plane have
// one such triple. Their displacement is the sum over both sides
//   J:    u = sum of weight[k] x[point[k]] + normal x (arm[0] w_0 + arm[1] w_1)
// of points and of rotations w of turning capsules. A force f on u is
//   J^T:  weight[k] f at point k, and the moment arm[a] f x normal on capsule a.
// Rolling resistance has no weights, and arms of opposite signs: a moment between the two.
typedef struct tdi_contact_rows {
    int32_t capsule;   // the first side
    int32_t other;     // a capsule, or capsule_count + a collider
    int32_t point[4];  // two of the first capsule, two of the other; TD_NONE: a collider's
    td_real weight[4]; // 1 - s, s, t - 1, -t
    td_vec3 normal;    // unit, from the other side to the first
    td_real arm[2];    // m: from each axis to the surface, or 0
    td_real s, t;      // 0..1: where on each
} tdi_contact_rows;

// One contact, or one friction, with u of its rows. The gradient is J^T force, the Hessian
//   J^T hessian J + sum over a, b of tilt_ab r_ak r_bl^T of points k and l,
//   r_ak = c_ak normal + weight[k] slide[a]
// with c = (-1, 1, 0, 0) for a = 0 and (0, 0, 1, -1) for a = 1. The sum is the derivative of the
// closest points along both sides; the positive semi-definite model has no `slide`.
typedef struct tdi_contact {
    tdi_contact_rows row;
    td_vec3 force;
    td_sym3 hessian;
    td_real tilt[3]; // of the first side, of both, of the other
    td_vec3 slide[2];
    bool rolling;  // this is rolling resistance
    bool friction; // else the barrier
    td_real gap;   // m
} tdi_contact;

// Part of u by the points of one side.
static inline td_vec3 tdi_rows_side(const tdi_contact_rows *r, int side, const td_vec3 *x) {
    const int k = 2 * side;
    return tdi_madd(tdi_scale(x[r->point[k]], r->weight[k]), x[r->point[k + 1]], r->weight[k + 1]);
}

// Parts of u by points, and by rotations with these arms.
static inline td_vec3 tdi_rows_between(const tdi_contact_rows *r, const td_vec3 *x) {
    td_vec3 sum = {0, 0, 0};
    for (int k = 0; k < 4 && r->point[k] != TD_NONE; k++) {
        sum = tdi_madd(sum, x[r->point[k]], r->weight[k]);
    }
    return sum;
}
static inline td_vec3 tdi_rows_turns(const tdi_contact_rows *r, const td_real arm[2],
                                     const td_vec3 *turned) {
    td_vec3 sum = {0, 0, 0};
    sum = arm[0] != 0 ? tdi_madd(sum, turned[r->capsule], arm[0]) : sum;
    sum = arm[1] != 0 ? tdi_madd(sum, turned[r->other], arm[1]) : sum;
    return tdi_cross(r->normal, sum);
}

// J
static inline td_vec3 tdi_rows_displacement(const tdi_contact_rows *r, const td_vec3 *x,
                                            const td_vec3 *turned) {
    return tdi_add(tdi_rows_between(r, x), tdi_rows_turns(r, r->arm, turned));
}

// J^T, of one side: adds to forces at points and moments on capsules.
static inline void tdi_rows_add_forces(const tdi_contact_rows *r, int side, td_vec3 force,
                                       td_vec3 *at_points, td_vec3 *on_capsules) {
    for (int k = 2 * side; k < 2 * side + 2; k++) {
        at_points[r->point[k]] = tdi_madd(at_points[r->point[k]], force, r->weight[k]);
    }
    if (r->arm[side] != 0) {
        td_vec3 *moment = &on_capsules[side ? r->other : r->capsule];
        *moment = tdi_madd(*moment, tdi_cross(force, r->normal), r->arm[side]);
    }
}

// The Hessian's block for the points k and l of a contact, 0..3; that for l and k is its transpose.
tdi_mat3 tdi_contact_block(const tdi_contact *c, int k, int l);

// Whether static friction exceeds sliding friction: then lag needs speeds.
bool tdi_contacts_stick(const tdi_contacts *c);
typedef struct tdi_contact_speeds { // when the step began
    const td_vec3 *v;               // m/s, of a point
    const td_vec3 *spin;            // rad/s, of a turning capsule
} tdi_contact_speeds;

// Fixes the normal forces and tangents that friction uses from now on, by the barrier at x. With
// speeds, contacts that do not slip have static friction. `h` is that of the rule.
td_status tdi_contacts_lag(tdi_contacts *c, const td_vec3 *x, td_real time, td_real force,
                           td_real h, const tdi_contact_speeds *speeds, td_diag *diag);

// Marks the frictions whose slip the increments dx, tried at x, reversed.
void tdi_contacts_mark_reversed(tdi_contacts *c, const td_vec3 *x, const td_vec3 *dx,
                                const tdi_contact_rule *rule);

// The value at x. Infinite where a pair overlaps.
td_real tdi_contacts_energy(tdi_contacts *c, const td_vec3 *x, td_real time,
                            const tdi_contact_rule *rule);

// Value and derivatives at x: contacts first, in the order of their capsules, then frictions.
// With `exact` the Hessian may be indefinite: a solver that meets a bad pivot asks again without.
// TD_ERR_LIMIT: too many; TD_ERR_DIVERGED: a pair overlaps, named in *diag.
td_status tdi_contacts_evaluate(tdi_contacts *c, const td_vec3 *x, td_real time,
                                const tdi_contact_rule *rule, td_real *energy, td_diag *diag);
const tdi_contact *tdi_contacts_list(const tdi_contacts *c, int32_t *count); // of the last
void tdi_contacts_forget(tdi_contacts *c);                                   // that list
// Adds one at its end. False: there is no room.
bool tdi_contacts_append(tdi_contacts *c, const tdi_contact *more);
// Sorts that list by groups, which are given for each capsule. Then the entries with a side in a
// group, in order.
void tdi_contacts_sort(tdi_contacts *c, const int32_t *group, int32_t count);
const int32_t *tdi_contacts_of(const tdi_contacts *c, int32_t group, int32_t *count);

// Whether the rotation of a capsule matters: frictions or planes have it.
bool tdi_contacts_turns(const tdi_contacts *c, int32_t capsule);

// ---- exact ----------------------------------------------------------------------------------

#define TDI_CONTACT_POINTS 3   // contact points of a pair at most
#define TDI_PLANE_GAP      0.5 // of the range: what planes keep

// Parameters of planes. Arrays are of points unless they say otherwise.
typedef struct tdi_plane_rule {
    const td_vec3 *began;     // where the step began
    const td_vec3 *history;   // slip is counted from here
    const td_vec3 *ahead;     // displacements of points without contact
    const td_vec3 *turning;   // and rotations of turning capsules
    td_real h;                // s
    td_real whole;            // s: the step of which this is a part
    td_vec3 gravity;          // m/s^2
    const int32_t *group;     // of a capsule
    const td_real *stiffness; // N/m: of a group, mass over h^2 of a capsule
    const td_vec3
        *warm_start;     // N: of a capsule, TDI_CONTACT_POINTS each: see tdi_planes_save_forces()
    td_real weight;      // N: of all bodies
    bool impact;         // so short that only velocities change
    bool no_restitution; // without restitution
    bool fast_joints;    // joints turn fast: impacts stop at once
    bool driven;         // prescribed motions do work
    bool first;          // there are no planes yet
} tdi_plane_rule;

// Adds planes for pairs that meet on the path from x to x + dx; with `first` also for pairs in
// range. Planes whose pair passed them are made anew. TD_ERR_LIMIT: too many.
td_status tdi_planes_find(tdi_contacts *c, const tdi_plane_rule *rule, const td_vec3 *x,
                          const td_vec3 *dx, bool *changed);
// Positions of points and rotations of turning capsules, or increments of both.
typedef struct tdi_plane_pose {
    const td_vec3 *x, *turned;
} tdi_plane_pose;

td_real tdi_planes_energy(const tdi_contacts *c, tdi_plane_pose at);
// The value; derivatives are in tdi_contacts_list(), one for each plane.
td_real tdi_planes_evaluate(tdi_contacts *c, tdi_plane_pose at);
// After that: the sum of forces times positions, the scale of the value's rounding error.
td_real tdi_planes_rounding(const tdi_contacts *c, const td_vec3 *x);
// Whether forces are nearly the ones that the quadratic model predicted before `move`.
bool tdi_planes_are_steady(const tdi_contacts *c, const tdi_plane_rule *rule, tdi_plane_pose at,
                           tdi_plane_pose move);
// Sets multipliers to the forces: whether both agreed, nearly.
bool tdi_planes_update(tdi_contacts *c, const tdi_plane_rule *rule, tdi_plane_pose at);
// After convergence: whether restitution has yet to separate a pair, or separates one by too much.
bool tdi_planes_separate(tdi_contacts *c, const tdi_plane_rule *rule, tdi_plane_pose at);
bool tdi_planes_bounce(const tdi_contacts *c); // whether any pair has restitution
// Work of the multipliers on the path to a pose.
td_real tdi_planes_work(const tdi_contacts *c, const tdi_plane_rule *rule, tdi_plane_pose at);
int32_t tdi_planes_count(const tdi_contacts *c);
// Whether a plane's pair was not in contact when the step began.
bool tdi_planes_have_new_contacts(const tdi_contacts *c);
// At the end of a step: forces of colliders on capsules, the first guess of the next step; the
// largest of each contact point. 0 where the contact is new: an impact's force does not last.
void tdi_planes_save_forces(const tdi_contacts *c, const tdi_plane_rule *rule, td_vec3 *forces);
// After tdi_planes_evaluate() at the end of a step: forces become the multipliers, and gaps are
// measured. Contacts out of range are dropped, unless `far` says to keep them, as after an impact.
void tdi_planes_measure(tdi_contacts *c, const td_vec3 *x, bool far);
