// SPDX-License-Identifier: MIT
#pragma once

// Contact of the bodies of a system, with themselves, each other and colliders.

#include "implicit/coupled.h"

// What a member did in Newton's method; moves are counted by tdi_idle_set.move.
typedef struct tdi_idle_record {
    int32_t whole;  // the last move, if that was all of its increments; TD_NONE: it was not
    int32_t moved;  // the last move by which it came farther than the tolerance
    td_real way;    // rad or m: how far it came since
    bool disturbed; // while idle: it would not stay
} tdi_idle_record;

// Members outside of the active set: Newton's method leaves them where they are. See idle.c.
typedef struct tdi_idle_set {
    int32_t count;
    bool *is_idle, *is_steady; // of a member: it is, or it may become idle
    tdi_idle_record *record;   // of a member
    bool *resting;             // of a capsule: its member is idle
    bool poses_known;          // idle members have not moved: their points and turns are known
    int32_t move;              // number of moves of Newton's method in a step
} tdi_idle_set;

// What a step leaves of a member's barrier for the next one.
typedef struct tdi_barrier {
    td_real strength; // over the size of the bodies' own forces, 1 or more
    td_real pace;     // s: its force would stop a body within its range and this time
    td_real reach;    // 0..1: part of the range; below 0: something was placed since
    td_real stored;   // m: its potential over its force
} tdi_barrier;

typedef struct tdi_barriers {
    tdi_barrier *state; // of a member: of the last step, then of this one
    td_real own_force;  // N: the size of the bodies' own forces
    td_real pace;       // s: as in the barriers, of this step
    td_real *reach;     // of a member: scratch, as in its barrier
    td_real *potential; // of a member: scratch, as `stored` in its barrier
} tdi_barriers;

// The block that everything is in, and room in it.
typedef struct tdi_contact_memory {
    const td_alloc *alloc;
    size_t bytes;
    size_t scratch_bytes;
    void *scratch;          // memory of its own for what is lost after a step
    int32_t collider_limit; // never more colliders than this
    bool couples;           // there is room to solve for contacts that couple capsules,
    bool lacks;             // and was not when there were any
} tdi_contact_memory;

// The part of the way that is free.
typedef struct tdi_way_search {
    int32_t overlapping; // the member that overlaps something as a step begins; TD_NONE: none
    bool tunnelled;      // see tdi_body_contact_tunnelled()
    bool covers_way;     // pairs are those of the way from x by dx, on which the poses are
    td_real *free;       // of a member: how much of its way is free
    bool *moves_alone;   // of a member: see relax.c
} tdi_way_search;

// Terms as they were evaluated last.
typedef struct tdi_contact_terms {
    tdi_contact_rule rule;
    td_real energy, largest_force; // J, N
    bool couples_capsules;         // capsules meet each other, not only colliders
} tdi_contact_terms;

// Exact contact in a step: see exact_contact.c.
typedef struct tdi_exact_step {
    bool used;
    bool planes_changed; // when the way was searched last
    tdi_plane_rule rule;
    td_real *stiffness;  // of a member: mass over h^2 of a capsule
    td_vec3 *last_force; // of a capsule: as in tdi_plane_rule, and what the step leaves
    td_real value_began; // J: of the bodies alone, where the step began
    td_vec3 *free_way;   // of a point: without forces
} tdi_exact_step;

// Contacts of the impacts of a step, with their mean force over it.
typedef struct tdi_impacts {
    td_contact *contact;
    int32_t count, limit, room;
} tdi_impacts;

// Conjugate gradients: see conjugate_gradients.c. Unknowns are points of capsules that meet others,
// then turns of capsules, which are counted after all points.
typedef struct tdi_gradients {
    int32_t *active; // those
    int32_t active_count;
    bool *is_active;
    td_vec3 *response, *direction, *residual, *force, *total;
} tdi_gradients;

typedef struct tdi_contact_solve {
    td_real *part;          // of a member: how much of a guess is taken, its value, or increment
    tdi_factored *factored; // of a member
    tdi_coupled *coupled;   // in place of conjugate gradients, where all bodies in contact offer
                            // blocks: with constraints
    bool one_system;        // it is used in this iteration
} tdi_contact_solve;

struct tdi_body_contact {
    tdi_contact_memory memory;
    tdi_contacts *set;
    td_contact_opts opts;
    int32_t member_count, point_count, capsule_count;
    td_body **body;                       // of each member
    int32_t *first_point, *first_capsule; // of each member, and one past all
    int32_t *owner, *point_owner;         // of a capsule, of a point: its member
    tdi_capsule *capsule;                 // `body` is the segment
    td_vec3 *now;                         // of a point: where the pose is
    td_vec3 *x, *dx;    // of a point: where increments begin, and from there to the pose
    td_vec3 *motion;    // of a point or turn: by the increments
    td_vec3 *history;   // of a point: where the rule takes velocities from
    td_vec3 *began;     // of a point: where the step began
    td_vec3 *turned;    // of a capsule: its turn from x* to the pose, where that counts
    td_vec3 *free_turn; // of a capsule: its turn without forces, where that is asked for
    td_real time;       // 0..1: how far colliders and what is driven have come
    tdi_contact_terms terms;
    tdi_way_search search;
    tdi_idle_set idle_set;
    tdi_barriers barriers;
    tdi_exact_step exact_step;
    tdi_impacts impacts;
    tdi_gradients gradients;
    tdi_contact_solve solve;
};

// With never more than collider_limit colliders. Bodies outlive it. What is in each other at the
// start of a step is refused, except capsules of one body that the solver keeps apart.
td_status tdi_body_contact_new(const tdi_member *members, int32_t count,
                               const td_contact_opts *opts, int32_t collider_limit,
                               const td_alloc *alloc, tdi_body_contact **out, td_diag *diag);
void tdi_body_contact_free(tdi_body_contact *contact); // NULL is allowed
// Of the same members, when the number of their relations has changed: room for these in its
// coupled system. False: out of memory; it is as it was.
bool tdi_body_contact_resize(tdi_body_contact *contact, const tdi_member *members);
// The same in memory of the caller's, of which it takes at most so many bytes; those of several
// members are no more than the sum of theirs alone. The options must be right.
size_t tdi_body_contact_bytes(const tdi_member *members, int32_t count, const td_contact_opts *opts,
                              int32_t collider_limit);
tdi_body_contact *tdi_body_contact_place(const tdi_member *members, int32_t count,
                                         const td_contact_opts *opts, int32_t collider_limit,
                                         void *memory);

// Whether memory ran out below the limits since it was placed. Its results are then invalid.
bool tdi_body_contact_lacks_room(const tdi_body_contact *t);
// Adds to a member's room what it needs then. After that contact is to be placed anew.
void tdi_body_contact_grow(const tdi_body_contact *t, int32_t member, tdi_member_room *room);
// TD_ERR_LIMIT, and why.
td_status tdi_body_contact_no_room(const tdi_body_contact *t, td_diag *diag);

// What nobody reads after a step, in other memory, where the layout goes on, on cache lines; NULL:
// in its own again. Takes scratch_bytes.
void tdi_body_contact_lend(tdi_body_contact *t, tdi_layout *layout);

// A step begins at the bodies' poses, with h of the rule; 0: statics, without friction. Colliders
// go the part from..to of their way.
td_status tdi_body_contact_begin(tdi_body_contact *t, const tdi_system *system, td_real dt,
                                 td_real h, td_real from, td_real to, td_diag *diag);
bool tdi_body_contact_driven(
    const tdi_system *system); // whether anything is driven through the step
// After a step: the barrier is made stronger where gaps became small, and weaker where they did
// not.
void tdi_body_contact_end(tdi_body_contact *t, const tdi_system *system);

// After an impact, in a part of the step: its contacts are reported at the end of it.
void tdi_body_contact_note_impact(tdi_body_contact *t, td_real part);

// Evaluates at the poses; with `carry` forces foresee what colliders have left to go.
td_status tdi_body_contact_evaluate(tdi_body_contact *t, const tdi_system *system, bool exact,
                                    bool carry, td_diag *diag);
bool tdi_body_contact_any(const tdi_body_contact *t); // whether there were any contacts
// Whether a contact couples two capsules that both move.
static inline bool tdi_contact_couples(const tdi_body_contact *t, const tdi_contact *c) {
    return c->row.other < t->capsule_count &&
           (t->idle_set.count == 0 || !(t->idle_set.is_idle[t->owner[c->row.capsule]] ||
                                        t->idle_set.is_idle[t->owner[c->row.other]]));
}
// Whether the points of a capsule ride on others of its body: they are no unknowns.
static inline bool tdi_capsule_is_dependent(const tdi_body_contact *t, int32_t capsule) {
    const int32_t k = t->owner[capsule];
    const td_body *head = t->body[k];
    return t->capsule[capsule].a >= t->first_point[k + 1] - head->dependent_count;
}
// Adds gradients, and Hessians within capsules, to the bodies, before they are factored. Contacts
// are sorted by members then.
void tdi_body_contact_add_stiffness(const tdi_system *system);
// Those of a set that was evaluated for a member alone, to that.
void tdi_body_contact_add_stiffness_of(const tdi_system *system, const tdi_contacts *set,
                                       int32_t member);
// Takes what couples capsules into the increments, which are those without it. Changes the promise
// accordingly, and counts the steps. False: the whole is not positive definite.
bool tdi_conjugate_gradients_solve(tdi_body_contact *t, const tdi_system *system,
                                   td_real *predicted_decrease, int64_t *steps);
// The largest increment of a member's points.
td_real tdi_body_contact_largest(tdi_body_contact *t, const tdi_system *system, int32_t member);
td_real tdi_body_contact_value(tdi_body_contact *t, const tdi_system *system);
// Whether the increments leave all forces of contact nearly as they were evaluated; or the force of
// one, when t->moved is how all move.
bool tdi_body_contact_is_steady(tdi_body_contact *t, const tdi_system *system);
bool tdi_contact_is_steady(const tdi_body_contact *t, const tdi_contact *contact);

// Where all points are at the poses, and how they move by the increments.
void tdi_body_contact_gather(const tdi_system *system, td_vec3 *x);
void tdi_body_contact_gather_moves(const tdi_system *system, td_vec3 *dx);
// Points at the poses, into `now`, and turns from x* to there, into `turned`, where they count: of
// all members, or of one.
void tdi_body_contact_gather_pose(const tdi_system *system);
void tdi_body_contact_gather_of(const tdi_system *system, int32_t member);
// Turns of a member's capsules by their spin in a time h, into `turning`.
void tdi_body_contact_spins(const tdi_body_contact *t, const tdi_system *system, int32_t member,
                            td_real h);
// Increments begin at the poses, which are kept.
void tdi_body_contact_keep_poses(const tdi_system *system);
// How much of the way from there straight to the poses is free, 0..1, while colliders go on to
// `time`.
td_real tdi_body_contact_free_part(tdi_body_contact *t, const tdi_system *system, td_real time);
// The same while colliders stand, with gaps that do not close too far for a line search. `looked`
// is false when it is a guess, because there are too many pairs.
td_real tdi_body_contact_free_trial(tdi_body_contact *t, const tdi_system *system);
// The same of the way that was looked at last.
td_real tdi_body_contact_free_gently(const tdi_body_contact *t);
// The same for each member by itself, in `free`, while colliders stand; `gently` as for a line
// search. False: not all is free.
bool tdi_body_contact_free_parts(tdi_body_contact *t, const tdi_system *system, bool gently);
// After a step of the barrier: whether the straight way from where the step began to the poses
// leads through something. Newton's method goes around what is small beside the way of a step,
// since the value is less behind it.
bool tdi_body_contact_tunnelled(tdi_body_contact *t, const tdi_system *system);
// Whether what is driven is at its end, and nothing overlaps, neither at the poses nor on the way
// there from where the step began.
bool tdi_body_contact_is_clear(tdi_body_contact *t, const tdi_system *system);
// The least gap at the poses that were evaluated or looked at last, with colliders at `time`, over
// its range; 1: nothing is nearer than that.
td_real tdi_body_contact_least_gap(const tdi_body_contact *t, td_real time);

// The contacts of the last step, friction and barrier of a pair together: fills at most `capacity`,
// and returns how many there are.
int32_t tdi_body_contact_report(const tdi_body_contact *t, td_contact *contacts, int32_t capacity);

// Names one of its colliders in a message.
void tdi_system_collider_text(const tdi_system *system, int32_t collider,
                              char text[TDI_COLLIDER_TEXT]);
// Names the two that are nearest to each other at the poses: ", most of all segment 3 of 'vine' and
// collider 2 (sphere)", or nothing.
enum { TDI_TIGHTEST = 224 };
// "A and B overlap WHEN, by so much".
td_status tdi_body_contact_overlap_fail(const tdi_body_contact *t, const tdi_system *system,
                                        const int32_t which[2], td_real depth, const char *when,
                                        td_diag *diag);
// Two overlap at the poses, or a position is not finite: says so.
td_status tdi_body_contact_overlap_error(const tdi_body_contact *t, const tdi_system *system,
                                         td_diag *diag);
void tdi_body_contact_tightest_text(const tdi_body_contact *t, const tdi_system *system,
                                    char text[TDI_TIGHTEST]);

// ---- members that stay where they are: idle.c -----------------------------------------------

static inline bool tdi_is_idle(const tdi_system *y, int32_t member) {
    return y->contact && y->contact->idle_set.count > 0 && y->contact->idle_set.is_idle[member];
}
// Members whose increments are below `small`, and leave all forces of contact nearly as they are,
// stay where they are from now on, unless they are few; and if they are not many, all besides whose
// increments are below `slow`, where these make them many. False: nobody does.
bool tdi_idle_find(tdi_body_contact *t, const tdi_system *system, td_real small, td_real slow);
// Those that were slow, or around which something has moved since, go on; where they are many, all
// do. False: there are none.
bool tdi_idle_wake_disturbed(tdi_body_contact *t, const tdi_system *system);
void tdi_idle_wake_all(tdi_body_contact *t); // all move again
// Firm members are idle. False: there are none.
bool tdi_idle_keep_solved(tdi_body_contact *t, const tdi_system *system);
// Those that are near others who go less than a part of their way are not any more.
void tdi_idle_wake_near(tdi_body_contact *t, td_real part);
// Newton's method begins; it took so much of its increments, `whole`: all, and of an exact model;
// it let members go one by one. Ways below the tolerance disturb nobody.
void tdi_idle_begin(tdi_body_contact *t);
void tdi_idle_note(tdi_body_contact *t, const tdi_system *system, td_real taken, bool whole,
                   td_real tolerance);
void tdi_idle_relaxed(tdi_body_contact *t, const tdi_system *system);

// ---- members one after the other: relax.c ---------------------------------------------------

// Lets members go by themselves, from the poses, as far as their contacts let them. `aim` is where
// points would go if nothing were in their way.
void tdi_relax(const tdi_system *system, const td_vec3 *aim);

// ---- exact contact: exact.c -----------------------------------------------------------------

// Before an impact begins: bodies are where it does, and then where it would lead them if nothing
// were in their way, which tells the ways and turns without contact.
void tdi_exact_free(tdi_body_contact *t, const tdi_system *system, bool began);
// At the end of a step: tdi_planes_leave(), to the members.
void tdi_exact_leave(tdi_body_contact *t, const tdi_system *system);
// A step begins: planes for what is near, and in the way of what goes on as it goes; in an impact
// for all the time that is left of the step. t->planes says what kind of step it is.
td_status tdi_exact_begin(tdi_body_contact *t, const tdi_system *system, td_real left,
                          td_diag *diag);
// Whether something bounces in the step.
bool tdi_exact_bounces(const tdi_body_contact *t);
// Whether something was hit that the step's rule, of two steps, did not know of.
bool tdi_exact_missed(const tdi_body_contact *t, const tdi_system *system);
// Whether forces at the poses are those that the increments foresaw.
bool tdi_exact_calm(tdi_body_contact *t, const tdi_system *system);
// Whether the value of the bodies has not risen by more than what forces of contact did, as it
// cannot in the valley in which the step began.
bool tdi_exact_fell(tdi_body_contact *t, const tdi_system *system);
// At the least value: updates multipliers and planes. Done: nothing had to change. TD_ERR_LIMIT:
// there are too many planes for a step of this length.
td_status tdi_exact_refine(tdi_body_contact *t, const tdi_system *system, bool *done);
