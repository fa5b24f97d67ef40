// SPDX-License-Identifier: MIT
#pragma once

// Contact of the bodies of a system, with themselves, each other and colliders.

#include "implicit/coupled.h"

// A member's record in Newton's method; moves are counted by tdi_idle_set.move.
typedef struct tdi_idle_record {
    int32_t whole;  // the last move, if its increments were taken whole; TD_NONE: they were not
    int32_t moved;  // the last move by which it moved by more than the tolerance
    td_real motion; // rad or m: since then
    bool disturbed; // while idle: it is no longer in equilibrium
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

// A member's barrier, from one step to the next.
typedef struct tdi_barrier {
    td_real strength;  // factor of the bodies' own forces, 1 or more
    td_real stop_time; // s: its force would stop a body within its range and this time
    td_real range;     // 0..1: factor of the activation distance; below 0: the member was placed
                       // elsewhere since, and the factor is the negative of this
    td_real potential; // m: its potential over its force, at the end of the last step
} tdi_barrier;

typedef struct tdi_barriers {
    tdi_barrier *state; // of a member: of the last step, then of this one
    td_real own_force;  // N: the size of the bodies' own forces
    td_real stop_time;  // s: as in the barriers, of this step
    td_real room_began; // the least gap over its range, where the step began
    td_real *range;     // of a member: scratch, as in its barrier
    td_real *potential; // of a member: scratch, as in its barrier
} tdi_barriers;

// The block of memory, and its capacity.
typedef struct tdi_contact_memory {
    const td_alloc *alloc;
    size_t bytes;
    size_t scratch_bytes;
    void *scratch;          // its own scratch memory, unused between steps
    int32_t collider_limit; // never more colliders than this
    bool couples;           // there is memory to solve for contacts that couple capsules
    bool lacks;             // there was none when it was needed
} tdi_contact_memory;

// The search for the free part of a path.
typedef struct tdi_path_search {
    int32_t overlapping; // the member that overlaps something as a step begins; TD_NONE: none
    bool with_segment;   // and that is a segment, no collider
    bool withdrawn;      // colliders that overlapped a member begin the step beside it
    bool tunnelled;      // see tdi_body_contact_tunnelled()
    bool covers_path;    // the pairs found cover the path from x by dx, on which the poses are
    td_real *free;       // of a member: the free fraction of its path
    bool *moves_alone;   // of a member: see relax.c
} tdi_path_search;

// Terms as they were evaluated last.
typedef struct tdi_contact_terms {
    tdi_contact_rule rule;
    td_real energy, largest_force; // J, N
    int32_t push_count;            // of the list, at its end: pairs that are pushed apart
    bool couples_capsules;         // capsules meet each other, not only colliders
} tdi_contact_terms;

// Exact contact in a step: see exact_contact.c.
typedef struct tdi_exact_step {
    bool used;
    bool planes_changed; // by the last search of the path
    tdi_plane_rule rule;
    td_real *stiffness;  // of a member: mass over h^2 of a capsule
    td_vec3 *last_force; // of a capsule: of the last step, then of this one; see tdi_plane_rule
    td_real value_began; // J: of the bodies alone, where the step began
    td_vec3 *free_path;  // of a point: its displacement without forces of contact
} tdi_exact_step;

// Contacts of the earlier pieces of a step, each pair of sides once, with its part of the mean
// force over the step.
typedef struct tdi_earlier_contacts {
    td_contact *contact;
    int32_t count, limit, room; // a count above the room: there were more
    int32_t next;               // where the next pair is looked for first
    td_real last;               // the last piece, as a fraction of the step
} tdi_earlier_contacts;

// Conjugate gradients: see conjugate_gradients.c. Unknowns are points of capsules that meet others,
// then turns of capsules, which are counted after all points.
typedef struct tdi_gradients {
    int32_t *active; // these unknowns
    int32_t active_count;
    bool *is_active;
    td_vec3 *response, *direction, *residual, *force, *total;
} tdi_gradients;

typedef struct tdi_contact_solve {
    td_real *part;          // of a member: the fraction of its guess, its value, or its increment
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
    td_vec3 *now;                         // of a point: at the pose
    td_vec3 *x, *dx;    // of a point: where increments begin, and from there to the pose
    td_vec3 *motion;    // of a point or rotation: by the increments
    td_vec3 *history;   // of a point: x* of the rule
    td_vec3 *began;     // of a point: where the step began
    td_vec3 *turned;    // of a turning capsule: its rotation from x* to the pose
    td_vec3 *free_turn; // of a turning capsule: its rotation without contact
    td_real time;       // 0..1: the fraction of all prescribed motions
    tdi_contact_terms terms;
    tdi_path_search search;
    tdi_idle_set idle_set;
    tdi_barriers barriers;
    tdi_exact_step exact_step;
    tdi_earlier_contacts earlier;
    tdi_gradients gradients;
    tdi_contact_solve solve;
};

// For at most collider_limit colliders. Bodies outlive it. A step that begins with an overlap is
// refused, except between capsules of one body that the solver exempts.
td_status tdi_body_contact_new(const tdi_member *members, int32_t count,
                               const td_contact_opts *opts, int32_t collider_limit,
                               const td_alloc *alloc, tdi_body_contact **out, td_diag *diag);
void tdi_body_contact_free(tdi_body_contact *contact); // NULL is allowed
// The same members with another number of relations: resizes its coupled system. False: out of
// memory; nothing has changed.
bool tdi_body_contact_resize(tdi_body_contact *contact, const tdi_member *members);
// The same in the caller's memory. Several members take at most the sum of the bytes of each. The
// options must be valid.
size_t tdi_body_contact_bytes(const tdi_member *members, int32_t count, const td_contact_opts *opts,
                              int32_t collider_limit);
tdi_body_contact *tdi_body_contact_place(const tdi_member *members, int32_t count,
                                         const td_contact_opts *opts, int32_t collider_limit,
                                         void *memory);

// Whether memory ran out below the limits since it was placed. Its results are then invalid.
bool tdi_body_contact_lacks_room(const tdi_body_contact *t);
// Adds the missing memory to a member's room. After that contact must be placed anew.
void tdi_body_contact_grow(const tdi_body_contact *t, int32_t member, tdi_member_room *room);
// TD_ERR_LIMIT, and why.
td_status tdi_body_contact_no_room(const tdi_body_contact *t, td_diag *diag);

// Puts its scratch memory, scratch_bytes, at the end of a layout, on a cache line; NULL: back into
// its own memory.
void tdi_body_contact_lend(tdi_body_contact *t, tdi_layout *layout);

// Begins a step at the bodies' poses, with h of the rule; 0: statics, without friction. Colliders
// move from the fraction `from` to `to` of their path.
td_status tdi_body_contact_begin(tdi_body_contact *t, const tdi_system *system, td_real dt,
                                 td_real h, td_real from, td_real to, td_diag *diag);
bool tdi_body_contact_driven(const tdi_system *system); // whether any motion is prescribed
// After a step: the barrier is made stronger where gaps became small, and weaker where they did
// not.
void tdi_body_contact_end(tdi_body_contact *t, const tdi_system *system);

// Forces are reported as the mean over the step, also of one that is taken in pieces: before the
// first, and after each, which is a fraction of the step. After an impact its contacts are
// forgotten.
void tdi_body_contact_begin_pieces(tdi_body_contact *t);
void tdi_body_contact_note_piece(tdi_body_contact *t, td_real part, bool last);
void tdi_body_contact_note_impact(tdi_body_contact *t, td_real part);

// Evaluates at the poses. With `exact_hessian` the Hessian of the barrier is as it is, else a
// positive semi-definite model of it; the method exact has one Hessian, a positive one. With
// `with_driven` forces include the remaining motion of colliders.
td_status tdi_body_contact_evaluate(tdi_body_contact *t, const tdi_system *system,
                                    bool exact_hessian, bool with_driven, td_diag *diag);
bool tdi_body_contact_any(const tdi_body_contact *t); // whether there were any contacts
// Whether a contact couples two capsules that both move.
static inline bool tdi_contact_couples(const tdi_body_contact *t, const tdi_contact *c) {
    return c->row.other < t->capsule_count &&
           (t->idle_set.count == 0 || !(t->idle_set.is_idle[t->owner[c->row.capsule]] ||
                                        t->idle_set.is_idle[t->owner[c->row.other]]));
}
// Whether a capsule's points depend on other points of its body: they are no unknowns.
static inline bool tdi_capsule_is_dependent(const tdi_body_contact *t, int32_t capsule) {
    const int32_t k = t->owner[capsule];
    const td_body *head = t->body[k];
    return t->capsule[capsule].a >= t->first_point[k + 1] - head->dependent_count;
}
// Where a contact acts on the body of one of its sides, 0 or 1, that is a capsule. The displacement
// of its rows is that of the first side's point less that of the second's.
tdi_point tdi_contact_point(const tdi_body_contact *t, const tdi_contact *c, int side);
// Adds gradients, and Hessians within capsules, to the bodies, before they are factored. Contacts
// are sorted by members then.
void tdi_body_contact_add_stiffness(const tdi_system *system);
// The same from a set that was evaluated for one member alone.
void tdi_body_contact_add_stiffness_of(const tdi_system *system, const tdi_contacts *set,
                                       int32_t member);
// Adds the effect of contacts that couple capsules to increments that were solved without it, and
// to the predicted decrease; counts the steps. False: the whole Hessian is not positive definite.
bool tdi_conjugate_gradients_solve(tdi_body_contact *t, const tdi_system *system,
                                   td_real *predicted_decrease, int64_t *steps);
// The largest increment of a member's points.
td_real tdi_body_contact_largest(tdi_body_contact *t, const tdi_system *system, int32_t member);
td_real tdi_body_contact_value(tdi_body_contact *t, const tdi_system *system);
// Whether the increments nearly keep all forces of contact; or the force of one, with t->motion
// set.
bool tdi_body_contact_is_steady(tdi_body_contact *t, const tdi_system *system);
bool tdi_contact_is_steady(const tdi_body_contact *t, const tdi_contact *contact);

// Positions of all points at the poses, and their motions by the increments.
void tdi_body_contact_gather(const tdi_system *system, td_vec3 *x);
void tdi_body_contact_gather_moves(const tdi_system *system, td_vec3 *dx);
// Positions at the poses, into `now`, and rotations since x* of turning capsules, into `turned`: of
// all members, or of one.
void tdi_body_contact_gather_pose(const tdi_system *system);
void tdi_body_contact_gather_of(const tdi_system *system, int32_t member);
// Rotations of a member's capsules by their angular velocity in a time h, into `free_turn`.
void tdi_body_contact_spins(const tdi_body_contact *t, const tdi_system *system, int32_t member,
                            td_real h);
// Saves the poses, at which increments begin.
void tdi_body_contact_keep_poses(const tdi_system *system);
// The free fraction of the straight path from there to the poses, 0..1, while colliders move on to
// `time`.
td_real tdi_body_contact_free_fraction(tdi_body_contact *t, const tdi_system *system, td_real time);
// The same with fixed colliders, as tdi_contacts_free_trial(). A guess where there are too many
// pairs: search.covers_path is then false.
td_real tdi_body_contact_free_trial(tdi_body_contact *t, const tdi_system *system);
// The same for the last path.
td_real tdi_body_contact_last_free_trial(const tdi_body_contact *t);
// The same for each member by itself, in search.free, with fixed colliders; `trial` as for a line
// search. False: some path is not free.
bool tdi_body_contact_free_fractions(tdi_body_contact *t, const tdi_system *system, bool trial);
// After a step with the barrier: whether a pair tunnels on the straight path of the whole step.
// Newton's method can go around obstacles that are small beside that path, since the value is less
// behind them.
bool tdi_body_contact_tunnelled(tdi_body_contact *t, const tdi_system *system);
// Whether prescribed motions are at their end, and no pair overlaps at the poses or on the path of
// the step.
bool tdi_body_contact_is_clear(tdi_body_contact *t, const tdi_system *system);
// The least gap over its range, at the last poses and with colliders at `time`; 1: none is less.
td_real tdi_body_contact_least_gap(const tdi_body_contact *t, td_real time);

// The contacts of the last step, friction and barrier of a pair together: fills at most `capacity`,
// and returns how many there are.
int32_t tdi_body_contact_report(const tdi_body_contact *t, td_contact *contacts, int32_t capacity);

// Names one of its colliders in a message.
void tdi_system_collider_text(const tdi_system *system, int32_t collider,
                              char text[TDI_COLLIDER_TEXT]);
// Names the nearest pair at the poses: ", most of all segment 3 of 'vine' and collider 2 (sphere)",
// or nothing.
enum { TDI_TIGHTEST = 224 };
// "A and B overlap WHEN, by so much".
td_status tdi_body_contact_overlap_fail(const tdi_body_contact *t, const tdi_system *system,
                                        const int32_t which[2], td_real depth, const char *when,
                                        td_diag *diag);
// Reports the overlap at the poses, or a position that is not finite.
td_status tdi_body_contact_overlap_error(const tdi_body_contact *t, const tdi_system *system,
                                         td_diag *diag);
void tdi_body_contact_tightest_text(const tdi_body_contact *t, const tdi_system *system,
                                    char text[TDI_TIGHTEST]);

// ---- members outside of the active set: idle.c ----------------------------------------------

static inline bool tdi_is_idle(const tdi_system *y, int32_t member) {
    return y->contact && y->contact->idle_set.count > 0 && y->contact->idle_set.is_idle[member];
}
// Members become idle whose increments are below `small` and nearly keep their contact forces. If
// these are less than half, members with increments below `slow` join them, where that makes half.
// False: none became idle.
bool tdi_idle_find(tdi_body_contact *t, const tdi_system *system, td_real small, td_real slow);
// Wakes disturbed members; where these are more than half, all. False: there are none.
bool tdi_idle_wake_disturbed(tdi_body_contact *t, const tdi_system *system);
void tdi_idle_wake_all(tdi_body_contact *t);
// Members that were solved in a larger island become idle. False: there are none.
bool tdi_idle_keep_solved(tdi_body_contact *t, const tdi_system *system);
// Wakes members in range of others whose fraction of the guess is below `part`.
void tdi_idle_wake_near(tdi_body_contact *t, td_real part);
// Notes of Newton's method: it begins; it took the fraction `taken` of its increments, `whole`: all
// of an exact model; it moved members one by one. Motions below the tolerance disturb no member.
void tdi_idle_begin(tdi_body_contact *t);
void tdi_idle_note(tdi_body_contact *t, const tdi_system *system, td_real taken, bool whole,
                   td_real tolerance);
void tdi_idle_note_relaxed(tdi_body_contact *t, const tdi_system *system);

// ---- members one after the other: relax.c ---------------------------------------------------

// Moves members by themselves, from the poses, as far as their contacts allow. `aim` has the
// positions of points without contact.
void tdi_relax(const tdi_system *system, const td_vec3 *aim);

// ---- pairs that overlap: push.c -------------------------------------------------------------

// A step, or a part of it, of dt seconds begins at the positions x, with h of the rule.
void tdi_pushes_begin(const tdi_body_contact *t, const tdi_system *system, td_real dt);
// The potential of their forces, with points at x.
td_real tdi_pushes_value(const tdi_body_contact *t, const td_vec3 *x);
// Adds their forces at the poses to the list of contacts. False: there is no room.
bool tdi_pushes_add(tdi_body_contact *t);

// ---- exact contact: exact.c -----------------------------------------------------------------

// Mass over h^2 of a capsule of member k.
td_real tdi_capsule_stiffness(const tdi_body_contact *t, const tdi_member *m, int32_t k, td_real h);

// Before an impact: called with the bodies where it begins, then at the poses that they would have
// without contact; notes the displacements and rotations between.
void tdi_exact_free(tdi_body_contact *t, const tdi_system *system, bool began);
// At the end of a step: tdi_planes_save_forces(), for each member.
void tdi_exact_save_forces(tdi_body_contact *t, const tdi_system *system);
// Begins a step: planes for pairs in range, and for pairs that meet with the present velocities; in
// an impact within all the time that is left of the step. t->exact_step.rule is the kind of step.
td_status tdi_exact_begin(tdi_body_contact *t, const tdi_system *system, td_real left,
                          td_diag *diag);
// Whether a pair has restitution in the step.
bool tdi_exact_bounces(const tdi_body_contact *t);
// Whether the step has new contacts although its rule, of two steps, assumed none.
bool tdi_exact_has_new_contacts(const tdi_body_contact *t, const tdi_system *system);
// Whether forces at the poses are nearly the ones that the increments predicted.
bool tdi_exact_is_steady(tdi_body_contact *t, const tdi_system *system);
// Whether the bodies' value rose by no more than the work of contact forces, as in the valley in
// which the step began.
bool tdi_exact_value_is_bounded(tdi_body_contact *t, const tdi_system *system);
// At the least value: updates multipliers and planes. Done: nothing had to change. TD_ERR_LIMIT:
// there are too many planes for a step of this length.
td_status tdi_exact_refine(tdi_body_contact *t, const tdi_system *system, bool *done);
