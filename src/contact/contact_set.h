// SPDX-License-Identifier: MIT
#pragma once

// The parts of tdi_contacts.

#include "base/assert.h"
#include "base/pool.h"
#include "contact/closest.h"
#include "contact/contact.h"

#define TDI_BOX_MARGIN 0.25 // of the radius: how much boxes are larger than needed
#define TDI_PAIR_BLOCK 32   // pairs that a thread finds before it takes new room

typedef struct tdi_bounds {
    td_vec3 low, high;
} tdi_bounds;

typedef struct tdi_pose {
    td_vec3 o;
    tdi_mat3 r;
} tdi_pose;

// How a collider moves in the step. World axes.
typedef struct tdi_collider_motion {
    td_vec3 shift; // m
    td_vec3 turn;  // rotation vector
    td_real angle; // of it
} tdi_collider_motion;

// One friction, fixed when the step began.
typedef struct tdi_friction {
    tdi_contact_rows row;
    td_vec3 velocity; // m/s, of the collider there
    td_real load;     // friction times normal force
    bool turns;       // the last increments turned its slip around
    td_real gap;
    bool rolling; // as in tdi_contact
} tdi_friction;

typedef struct tdi_rolling { // rolling resistance
    td_real arm[2];          // m, or 0
    td_real limit;           // N: the most that it is, by the plane's multiplier
    td_vec3 multiplier;      // N
    td_vec3 slip;            // m: by a collider that turns
} tdi_rolling;

typedef struct tdi_restitution {
    bool acts;     // the two sides meet fast enough
    td_real speed; // m: by how much they come nearer in the step
    td_real reach; // m: without restitution
    td_real stop;  // m: n.e after a stop
} tdi_restitution;

// A plane that keeps a pair apart; see exact.c. World axes, at the end of the step.
typedef struct tdi_plane {
    tdi_contact_rows row;
    int32_t which;      // of the places of the pair
    td_vec3 at, from;   // m: the place on a collider's surface, at the end and start of the step
    td_vec3 slip;       // m: e when nothing slips
    td_vec3 multiplier; // N
    td_real reach;      // m: n.e is at least this
    td_real shift;      // m: against lifting what slides
    td_real stiffness, range, radii;
    td_real friction, sliding; // coefficients: now, and once it slips
    tdi_rolling rolling;
    bool fresh; // the two sides did not touch when the step began
    tdi_restitution restitution;
    td_vec3 given; // N: compression of the impact; the multiplier approaches it in restitution
    td_real least; // N: the least multiplier along the normal
} tdi_plane;

// What belongs to each group, in its order.
typedef struct tdi_group_list {
    int32_t *first; // of a group, and one past all
    int32_t *entry;
} tdi_group_list;

// How many of each there may be, and there is memory for.
typedef struct tdi_contact_limits {
    int32_t colliders, pairs, contacts;
    bool exceeded; // since the last search began
    tdi_contact_room capacity;
    tdi_contact_room need; // more than that: it ran out
    int32_t frictions;     // of barriers, that there is memory for
    int32_t list;          // contacts and frictions in one list, likewise
    int32_t blocks;        // of tdi_broad_phase.found
} tdi_contact_limits;

typedef struct tdi_collider_set {
    int32_t count;
    td_collider *item;
    td_real dt; // s, of their step
    tdi_collider_motion *course;
    tdi_bounds *swept;  // boxes for the whole step; not of planes
    tdi_pose *pose;     // scratch,
    td_real *pose_time; // and the time it is of; not a number: none
} tdi_collider_set;

typedef struct tdi_broad_phase {
    bool valid;             // the pairs of capsules are right while all points are in `room`
    td_real *margin;        // of a point, m: what all its capsules' boxes have to spare
    tdi_bounds *room;       // of a point, where `center` is the mean of all
    tdi_bounds *room_reach; // where they are, for pairs with colliders, if there can be any
    td_vec3 center;
    td_vec3 motion;           // the mean one for which pairs were asked last
    tdi_bounds *box;          // of a capsule: for which pairs of capsules were searched
    tdi_bounds *collider_box; // and for which those with colliders were
    int32_t *level;           // of each: which grid it is in
    int32_t bucket_count;     // a power of two
    int32_t *bucket;          // where each begins in `entry`; bucket_count + 1
    int32_t *bucket_of;       // of a capsule
    int32_t *entry;           // capsules by bucket
    int32_t *tally;           // capsule_count + 1
    tdi_near_pair *found;     // a block more than there are pairs for each turn
} tdi_broad_phase;

typedef struct tdi_pair_list {
    int32_t self_count, count;
    tdi_near_pair *item;        // those with colliders after those of capsules
    unsigned char *point_count; // of a pair: contact points that were evaluated last
} tdi_pair_list;

typedef struct tdi_inactive_capsules {
    const bool *is_inactive; // of a capsule: it does not move for now; NULL: all may
    bool fixed;              // and it stays where it is
    bool partial; // the last search left out pairs of two such; rooms and boxes are those of no
                  // common motion
} tdi_inactive_capsules;

// Groups of capsules that move one at a time: lists of their pairs, frictions and contacts, of
// which each is in one or two.
typedef struct tdi_capsule_groups {
    tdi_group_list pairs, frictions, contacts;
    int32_t current; // all that is evaluated; TD_NONE: everything
} tdi_capsule_groups;

// Capsules whose turns count.
typedef struct tdi_turning_capsules {
    int32_t count;
    int32_t *item;
    bool *is_turning; // of a capsule
} tdi_turning_capsules;

// Of exact contact.
typedef struct tdi_plane_list {
    int32_t count;
    tdi_plane *item, *spare;
    int32_t updates;             // of multipliers in this step
    bool fresh;                  // some are
    bool parting;                // restitution separates pairs: see exact_bounce.c
    td_real part;                // of the coefficients of restitution
    td_real part_low, part_high; // it is between
} tdi_plane_list;

struct tdi_contacts {
    const td_alloc *alloc;
    size_t size;   // bytes of the block that everything is in
    td_pool *pool; // threads that share the work; NULL: none
    td_contact_opts opts;
    bool (*skip)(void *context, int32_t i, int32_t j);
    void *context;
    int32_t capsule_count, point_count;
    tdi_capsule *capsule;
    td_real *range_part; // of a capsule, 0..1: how much of its range there is for now
    tdi_contact_limits limits;
    tdi_collider_set colliders;
    tdi_broad_phase broad;
    tdi_pair_list pairs;
    tdi_inactive_capsules inactive;
    tdi_capsule_groups groups;
    tdi_turning_capsules turns;
    int32_t friction_count;
    tdi_friction *friction;
    int32_t contact_count;
    tdi_contact *contact;
    tdi_plane_list planes;
};

// A pair opened up: its geometry in the axes of `pose` (NULL: the world's).
typedef struct tdi_pair_geometry {
    tdi_pair_shape two;
    td_real radii; // m, both
    td_real range; // m: gaps below this push
    td_real from;  // 0..1: of the first axis, where a is on it
    const tdi_pose *pose;
} tdi_pair_geometry;

// A subset of so many entries.
typedef struct tdi_scope {
    const int32_t *entry; // NULL: all
    int32_t count;
} tdi_scope;

static inline tdi_scope tdi_scope_of(const tdi_contacts *c, const tdi_group_list *list,
                                     int32_t all) {
    if (c->groups.current == TD_NONE) {
        return (tdi_scope){NULL, all};
    }
    const int32_t first = list->first[c->groups.current];
    return (tdi_scope){list->entry + first, list->first[c->groups.current + 1] - first};
}

static inline int32_t tdi_scope_at(const tdi_scope *s, int32_t k) {
    return s->entry ? s->entry[k] : k;
}

static inline bool tdi_is_ball(const tdi_capsule *k) {
    return k->a == k->b;
}

// Whether neither side moves.
static inline bool tdi_are_inactive(const tdi_contacts *c, int32_t i, int32_t j) {
    return c->inactive.is_inactive && c->inactive.is_inactive[i] &&
           (j >= c->capsule_count || c->inactive.is_inactive[j]);
}

// Whether more are needed than the capacity. Then `need` grows to their number, up to the limit.
static inline bool tdi_lacks(int64_t count, int32_t capacity, int32_t limit, int32_t *need) {
    const int32_t most = count < limit ? (int32_t)count : limit;
    *need = count > capacity && most > *need ? most : *need;
    return count > capacity;
}

static inline bool tdi_lacks_pairs(tdi_contacts *c, int64_t count) {
    return tdi_lacks(count, c->limits.capacity.pairs, c->limits.pairs, &c->limits.need.pairs);
}

static inline bool tdi_lacks_contacts(tdi_contacts *c, int64_t count) {
    return tdi_lacks(count, c->limits.capacity.contacts, c->limits.contacts,
                     &c->limits.need.contacts);
}

// Coefficients of sliding friction, and of static friction, which is not less.
td_real tdi_friction_of(const tdi_contacts *c, int32_t other);
td_real tdi_static_of(const tdi_contacts *c, int32_t other);
// The arms of a contact whose axes are `length` apart; the arms of rolling resistance, 0 without
// it; and its coefficient.
void tdi_arms_of(const tdi_contacts *c, tdi_near_pair pair, td_real length, td_real arm[2]);
void tdi_roll_arms_of(const tdi_contacts *c, tdi_near_pair pair, td_real arm[2]);
td_real tdi_rolling_of(const tdi_contacts *c, int32_t other);
// Part of the rolling slip by a collider's rotation in the step; 0 for capsules.
td_vec3 tdi_roll_slip(const tdi_contacts *c, const td_real arm[2], td_vec3 n, int32_t other);
// The capsules whose turns count: none, and those of one more contact.
void tdi_turning_clear(tdi_contacts *c);
void tdi_turning_add(tdi_contacts *c, const td_real arm[2], int32_t capsule, int32_t other);

// Stops where pairs are not what the rest takes for granted. For debug builds: see base/assert.h.
void tdi_contacts_validate(const tdi_contacts *c);

tdi_pose tdi_pose_at(const tdi_contacts *c, int32_t collider, td_real time);
void tdi_poses_at(const tdi_contacts *c, td_real time); // all of them, into c->pose
// Shifts where a collider begins the step; it ends where it did.
void tdi_collider_shift_start(tdi_contacts *c, int32_t collider, td_vec3 by);

// Where the part of a capsule begins that colliders touch, or how that moves.
static inline td_vec3 tdi_bare_start(const tdi_capsule *k, const td_vec3 *x) {
    return k->from > 0 ? tdi_madd(tdi_scale(x[k->a], 1 - k->from), x[k->b], k->from) : x[k->a];
}

static inline td_vec3 tdi_pose_local(const tdi_pose *pose, td_vec3 x) {
    return tdi_mat3_apply_t(&pose->r, tdi_sub(x, pose->o));
}

// How much of the way from x to x + dx is free for a pair, 0..1, while colliders go all of theirs.
// c->pose must be that of their start.
td_real tdi_pair_free(const tdi_contacts *c, tdi_near_pair pair, const td_vec3 *x,
                      const td_vec3 *dx);
// The pair after that part of the way, in the axes of its collider.
tdi_pair_geometry tdi_pair_after(const tdi_contacts *c, tdi_near_pair pair, const td_vec3 *x,
                                 const td_vec3 *dx, td_real part);

// Where a pair is in range; gaps may be below 0.
int tdi_contact_points_of(const tdi_contacts *c, tdi_near_pair pair, const tdi_pair_geometry *m,
                          tdi_closest points[TDI_CONTACT_POINTS]);

// Opens a pair with points at x; `pose` is that of the collider, if it has one.
void tdi_pair_open(const tdi_contacts *c, tdi_near_pair pair, const td_vec3 *x,
                   const tdi_pose *pose, tdi_pair_geometry *m);
