// SPDX-License-Identifier: MIT
#pragma once

// A world: objects, their variants and actors, and what acts on them.
//
// Frames   An actor is simulated about a base of its own, which is the true base unless the scene
//          says that less of the base's motion is to be felt. Then gravity, wind and places are
//          taken to the simulated frame before a step and poses back to the true one.

#include "base/diag.h"
#include "implicit/touch.h"
#include "math/vec3.h"
#include "scene/scene.h"
#include "tendril/adapt.h"
#include "tendril/query.h"
#include "body/solvers.h"

typedef struct tdi_transform {
    td_vec3 position;
    td_quat rotation;
} tdi_transform;

// What actors of one object and size share.
typedef struct tdi_variant {
    int32_t object;
    bool own;        // of one actor, which was cut or has grown; without a skeleton it is free
    tdi_arena arena; // of such a one, for itself and its actor
    td_skeleton *skeleton;
    const tdi_solver *solver;
    td_body_model *model;
    void *made;     // parameters that the model was made with; NULL: as it is now
    int32_t *depth; // joints from the base to each segment, itself included
    int32_t depth_most;
    void *drawn; // a state as drawn, saved; NULL: none was asked for
    size_t drawn_bytes;
    int32_t drawn_points, drawn_capsules; // that contact sees
    char *packed;                         // of one of its own: its bytes in saves
    size_t packed_bytes;
} tdi_variant;

typedef struct tdi_object {
    int32_t first_variant, first_actor, actor_count; // of the scene's own
    tdi_factors made, factors; // with which its models were made, and which they have now
    const tdi_keyed *position, *rotation; // of the base; NULL: no keyframes
    tdi_transform frame;                  // reference of local dynamics at the last step
} tdi_object;

// A load or probe whose segment was found.
typedef struct tdi_spot {
    int32_t actor, segment; // TD_NONE: none
    td_vec3 tip;            // world, at the start
} tdi_spot;

// A load of the scene that acts on an actor.
typedef struct tdi_acting {
    int32_t load;
    tdi_spot spot;          // of a pull or push
    const tdi_keyed *keyed; // where a pull holds, how a pose bends, how strong a field is; NULL: no
                            // keyframes
} tdi_acting;

enum { TDI_NAME = 96 }; // characters

// Whether an actor sleeps, and what it needs for that; see sleep.c.
typedef struct tdi_sleep {
    bool asleep;
    bool wanted;    // a program has put it to sleep: it sleeps from the end of the next step on
    td_real calm;   // s: for so long it has been slow, while the same acted on it
    uint64_t acted; // digest of what acted on it in the last step
    int32_t island; // while it sleeps: the first actor of the island with which it fell asleep
    bool stirred;   // of such a first actor: its island wakes
    td_box box;     // while it sleeps: around it, within reach of contact
    bool kept;      // contacts of the step with which it fell asleep are still those it has
} tdi_sleep;

// A segment of another that carries an actor: at its place, in the axes of the segment.
typedef struct tdi_carry {
    int32_t actor; // TD_NONE: none
    int32_t segment;
    int32_t tie; // the constraint that holds it there; TD_NONE: its base goes along
    tdi_transform at;
} tdi_carry;

// Forces that are known by their values alone.
typedef struct tdi_pressed {
    td_vec3 force; // N, all together
    td_real size;  // sum of their sizes
    bool jumps;    // they changed much from the step before
} tdi_pressed;

// What a step changes of an actor, as it was before: see undo.c.
typedef struct tdi_actor_before {
    // when the step began
    tdi_transform place;
    tdi_sleep sleep;
    uint8_t still;
    // before it was tried
    tdi_transform base, simulated;
    tdi_rate base_rate;
    td_base_motion motion; // of the simulated base
    td_step_stats stats;
    tdi_barrier barrier;
    td_real largest_force;
    bool reacted;
    td_reaction reaction;
} tdi_actor_before;

typedef struct tdi_actor {
    char *name;          // room for so many
    uint32_t generation; // how often its place was taken; 0: never
    bool alive;          // else its place is free
    bool enabled;
    bool blocked;                      // it was held in the last step, which could not be solved
    bool held;                         // likewise in the step that is under way
    bool firm;                         // as tdi_member.firm
    bool own_place;                    // a program has placed it: `place` is in the world
    int32_t object, instance, variant; // variant: of the world's
    tdi_transform place;               // in the axes of the object's base
    tdi_transform base;                // true, now
    tdi_rate base_rate;                // of the true base in the last step
    tdi_transform simulated;           // base of the simulation, now
    const tdi_solver *solver;
    td_body *state;
    const td_segment *segments; // of its skeleton
    int32_t segment_count;
    tdi_acting *acting; // in the scene's order
    int32_t acting_count;
    td_vec3 *points, *winds, *extra; // a segment: scratch; NULL without wind, pose or field
    td_vec3 *forces;                 // a segment: of the field from outside; NULL without
    td_vec3 *fields; // a segment: of the scene's fields, when the step began; NULL without
    td_quat *turns;  // a segment: scratch of poses; NULL without
    td_load *loads;
    int32_t load_capacity;
    int32_t hand_room;   // of them: for so many hands of a program
    int32_t point_count; // of them: pulls and pushes in this step
    td_step_opts opts;   // of the step that is under way
    td_step_stats stats;
    td_real largest_force;
    bool touches;        // colliders, others, itself
    tdi_barrier barrier; // of the last step
    // likewise of exact contact, as in tdi_member: of the last step and of the one before, or which
    // is under way, one after the other, `swapped` or not; NULL: none
    td_vec3 *borne;
    bool swapped;
    void *memory; // where a step by an explicit integrator began; NULL: it has none
    void *bumps;  // its contact with colliders by such an integrator; NULL: it has none
    bool jolted;  // a program has changed what acts on it since the last step, or keys kink
    tdi_pressed pressed, pressing; // by fields in the last step, and in this one
    td_adapt *adapt;               // while its object has the integrator TD_ADAPTIVE; else NULL
    void *adapt_memory;
    td_joint_drive *drives; // a degree of freedom, twice; NULL: never driven
    int32_t driven;         // degrees of freedom that are
    bool watched;           // its reaction is computed
    bool reacted;           // and was in the last step
    td_reaction reaction;   // in the simulated frame
    td_status status;       // of the last step
    td_diag diag;
    tdi_sleep sleep;
    tdi_carry carry;
    tdi_actor_before before;
} tdi_actor;

// Actors that are near each other in a step, which are stepped together. Islands share nothing that
// moves, so that threads can take them in any order.
typedef struct tdi_island {
    int32_t first, count; // of the world's members
    tdi_touch *touch;     // NULL: nothing touches
    tdi_holds *holds;     // constraints of its groups; NULL: none
    bool converged;       // the step was solved
    bool accepted;        // and accepted
    bool held;            // it could not be solved: its actors stay where they are
    bool asleep;          // all its actors sleep: it is not solved
    void *memory;         // where a step began that was taken in halves; NULL: it was not
} tdi_island;

// How actors are grouped: by pairs of capsules that come near each other in a step.
typedef struct tdi_nearness {
    tdi_contacts *set;    // of all actors that touch; NULL: none does
    int32_t *first_point; // of an actor, and one past all
    int32_t *owner;       // of a capsule: its actor
    char *set_room;       // where the set is
    size_t set_bytes;
    td_vec3 *x, *next; // a point: where the step begins, and where it ends
    td_vec3 *dx;       // between them
    td_vec3 *last;     // a point: how far it went in the last step
    bool placed;       // x is where all points are
    bool shared;       // a program has a state in its hands, and may move it between steps
    tdi_capsule *capsule;
    int32_t *root;         // of an actor: another of its island, or itself
    int32_t *place;        // of an actor: its number among the members
    int32_t *before;       // of an actor: the first of its island in the last step
    int32_t *before_count; // of the first of an island: how many it had then
    char *room;            // for contact of all islands
    size_t room_bytes;
    char *room_left; // in which the contact of the last step is, when room has moved since
    size_t room_left_bytes;
    size_t *share; // of an actor: bytes of room
    size_t *at;    // of the first of an island: where in room its contact is, and 1
    char *trial;   // room for contact of one actor, to ask whether something is in its way
    size_t trial_bytes;
    int64_t point_capacity, capsule_capacity;
    int32_t pairs; // that there is room for, a segment
} tdi_nearness;

// A constraint: of the scene, which come first, or one that a program has added.
typedef struct tdi_tie {
    uint32_t generation; // of those that were added: how often its place was taken
    bool alive;
    td_constraint def; // of those that were added: with actors of the world, without name and curve
    char name[64];
    int32_t actor[2];      // TD_NONE: the world
    int32_t segment;       // of side a, as the solver names it,
    td_vec3 point;         // and its point
    int32_t group, number; // whose holds it is in, and where; TD_NONE: in none yet
    td_joint_kind joint;   // of a constraint of a joint
    td_vec3 axis;          // of a hinge, unit, in the axes of side a
    tdi_transform from;    // where side a was when the constraint began
    bool begun;            // it has
    bool loose;            // a program has let go
    bool renewed;          // while groups form: its segments have got other numbers
    uint64_t acted;        // digest of what it did in the last step
    struct {
        td_constraint_target target;
        bool asked;
    } before; // the step: its target, and whether it was to hold
    td_constraint_history past;
} tdi_tie;

// Actors that constraints join.
typedef struct tdi_group {
    int32_t first, count;                     // of the world's group_actor
    tdi_holds *holds;                         // of implicit steps and statics
    const tdi_explicit_holds *explicit_holds; // NULL: its actors step implicitly
    void *held;                               // of those
    td_step_opts *opts;                       // an actor
    char *memory;                             // where an explicit step began
} tdi_group;

typedef struct tdi_world_wind {
    td_wind *wind;
    td_wind_state state, before; // now, and when the step began
    int32_t load;                // of the scene
    td_vec3 direction;           // at the start
} tdi_world_wind;

typedef struct tdi_grab {
    bool held;
    int32_t actor, segment;
    td_vec3 point, to;
    td_real stiffness;
    int32_t twist_actor, twist_segment;
    td_real twist; // N m; 0: none
} tdi_grab;

// One of the hands of a program.
typedef struct tdi_hand {
    uint32_t generation; // how often its place was taken
    bool alive;
    int32_t actor, segment;
    td_vec3 point, to;
    td_real stiffness, damping;
} tdi_hand;

// A pair that touches: actor, segment, other actor or collider, its segment; ids as two numbers.
enum { TDI_PAIR_NUMBERS = 8, TDI_WATCH_MOST = 1 << 24 };
typedef struct tdi_pair {
    uint32_t number[TDI_PAIR_NUMBERS];
} tdi_pair;

// Contacts whose beginning and end a program wants to know.
typedef struct tdi_watch {
    int32_t capacity; // pairs; 0: none
    tdi_pair *last;   // of the last step, sorted
    int32_t last_count;
    tdi_pair *spare;          // room for those of a step
    td_contact *contacts;     // likewise
    td_contact_event *events; // twice as many
    int32_t event_count;
} tdi_watch;

// A collider: one of the scene's, which come first, or one that a program has added.
typedef struct tdi_collider_slot {
    uint32_t generation; // how often its place was taken
    bool alive, enabled;
    bool own_pose;   // a program says where it goes: to `next`
    td_collider now; // where it is, and was when the step began
    tdi_transform next;
} tdi_collider_slot;

// A number of the scene that may be set while the world moves, or a row of them.
typedef struct tdi_parameter {
    void *at;
    size_t size;
} tdi_parameter;

struct td_world {
    const td_alloc *alloc;
    tdi_arena arena; // owns all arrays below
    td_scene *scene; // its own copy
    td_pool *pool;
    td_pool *own_pool; // NULL: a program lent its own
    td_log log;
    uint32_t number; // of the world, in its ids; no other world of the process has it
    bool restored;   // ids of the world that was saved count as well
    bool inside;     // its threads work within actors, one after the other
    td_real usual;   // s: of a step of td_world_step()
    int32_t steps_a_frame;
    td_real dt;   // s: of the last step, and of the one that is under way
    int64_t step; // number of steps done
    // dt was last changed after so many, at this time
    int64_t step_from;
    td_real time_from;
    td_real before;  // s: when the last step began
    bool keys_press; // forces have keyframes
    tdi_variant *variants;
    int32_t variant_count;
    int32_t scene_variants; // of these: the scene's, which come first
    int32_t variant_capacity;
    tdi_kinship kin; // segments of different actors that were one piece
    tdi_object *objects;
    tdi_actor *actors;
    int32_t actor_count; // places
    int32_t made_count;  // the same and those in reserve, which come after them
    int32_t actor_capacity;
    int64_t segment_count; // of all that were made
    int64_t segment_limit;
    bool fixed_room;   // steps never allocate
    bool adaptable;    // every tree with an implicit integrator may be reduced later
    bool hold_blocked; // what cannot be solved is held, and all others go on
    bool regroup;      // others act than in the last step
    bool sleeps;       // the scene or a program has let actors sleep
    td_contact *slept; // contacts of actors that sleep, island after island
    int32_t slept_count, slept_capacity;
    tdi_island *islands; // every actor is in one
    int32_t island_count;
    uint8_t *still; // of an actor that is not stepped: turns until the next look, or 1; 0: it moves
    int32_t *awake; // islands that are stepped
    int32_t awake_count;
    tdi_member *members; // island after island
    int32_t member_count;
    int32_t *member_actor; // of a member
    tdi_nearness near;
    tdi_tie *ties;
    int32_t tie_count, tie_capacity; // places
    int32_t *tied;                   // of an actor: the first of its group, or itself
    int32_t *group_of;               // of an actor; TD_NONE: no constraint holds it
    int32_t *group_actor;            // group after group
    int32_t *group_member;           // its number in the island
    tdi_group *groups;
    int32_t group_count;
    tdi_collider_slot *collider_slots;
    int32_t collider_count; // places
    int32_t collider_capacity;
    td_collider *colliders;              // enabled colliders, in the order of the scene
    tdi_collider_label *collider_labels; // theirs
    int32_t *collider_slot;              // of such a one in the last step: its place
    int32_t enabled_colliders;
    tdi_spot *probe_spots;
    tdi_world_wind *winds;
    char *scratch; // of islands that are being solved, a piece for each thread
    char *began;   // room for where islands began whose step is taken in halves
    size_t began_bytes;
    int32_t wind_count;
    char (*probe_names)[96];
    int32_t probe_columns;
    tdi_grab grab;
    tdi_watch watch;
    tdi_hand *hands;
    int32_t hand_count, hand_capacity; // places
    tdi_parameter *parameters;         // all numbers of the scene that can change
    int32_t parameter_count;
    uint64_t shape;  // of the actors and parameters, mixed: tells saves apart
    bool has_fields; // of the scene's
    td_force_field field;
    void *field_context;
    td_step_callback callback;
    void *callback_context;
};

// ---- parts ----------------------------------------------------------------------------------

// objects.c: variants and actors at time 0, standing at rest or as drawn.
td_status tdi_world_make_objects(td_world *world, const td_world_opts *opts, td_diag_list *diags);
// The model of a variant whose skeleton is there, with these factors of its stiffness; *key is what
// of its object is to blame when that fails.
td_status tdi_variant_make(td_world *world, tdi_variant *variant, tdi_factors factors,
                           const char **key, td_diag *diag);
// The last of it: rest under gravity, damping, and what is known of its skeleton.
td_status tdi_variant_finish(td_world *world, tdi_variant *variant, const char **key,
                             td_diag *diag);
td_status tdi_variant_measure(td_world *world, tdi_variant *variant);
// An actor as drawn, of a variant of the world's, and its name as an instance of its object.
td_status tdi_actor_make(td_world *world, int32_t variant, tdi_actor *actor, td_diag *diag);
// The same of one that is there: its solver, skeleton and state become those of a variant.
td_status tdi_actor_form(td_world *world, int32_t variant, tdi_actor *actor, td_diag *diag);
// Whether exact contact leaves something to the next step, of what touches or does not.
bool tdi_world_bears(const td_world *world, bool touches);
// What exact contact left of the last step (0), or leaves of the next (1); and how many.
td_vec3 *tdi_actor_borne(const tdi_actor *actor, int other);
size_t tdi_actor_borne_count(const tdi_actor *actor);
void tdi_actor_forget_borne(const tdi_actor *actor);
void tdi_actor_free(tdi_actor *actor); // its state, and what steps it
void tdi_actor_set_name(const td_world *world, tdi_actor *actor, int32_t instance, bool numbered);
// Whether actors of an object and variant touch anything.
bool tdi_variant_touches(const td_world *world, int32_t object, int32_t variant);
// Puts it where its place is now, as drawn.
void tdi_actor_stand(const td_world *world, tdi_actor *actor);
// What tdi_actor_reset() needs: the state as drawn, on no base.
td_status tdi_variant_draw(td_world *world, int32_t variant, td_diag *diag);
void tdi_actor_reset(const td_world *world, tdi_actor *actor);

// The arena of a variant, and of an actor.
static inline tdi_arena *tdi_variant_arena(td_world *world, tdi_variant *variant) {
    return variant->own ? &variant->arena : &world->arena;
}
static inline tdi_arena *tdi_actor_arena(td_world *world, const tdi_actor *actor) {
    return tdi_variant_arena(world, &world->variants[actor->variant]);
}

// actors.c: actors that come and go.
// Whether it moves and touches.
static inline bool tdi_actor_acts(const tdi_actor *actor) {
    return actor->alive && actor->enabled;
}
td_status tdi_actor_find(td_world *world, td_actor_id id, tdi_actor **out, td_diag *diag);
// Whether an id with the number of this world may be one of its own.
static inline bool tdi_world_gave(const td_world *world, uint32_t number) {
    return number == world->number || world->restored;
}
// TD_ERR_STALE, saying why an id names nothing here; ids of all kinds are alike.
td_status tdi_id_fail(const td_world *world, const char *what, const char *gone, td_actor_id id,
                      td_diag *diag);
#define TDI_ID_FAIL(w, what, gone, id, diag) \
    tdi_id_fail(w, what, gone, (td_actor_id){(id).place, (id).generation, (id).world}, diag)
// Puts an actor elsewhere. Constraints that a program has added to it go, and `weld` comes, as
// tdi_world_retie() has it. What fails changes nothing.
td_status tdi_actor_put(td_world *world, tdi_actor *actor, tdi_transform to,
                        const td_constraint *weld, int32_t *tie, td_diag *diag);
// Constraints of the scene hold actors for good: TD_ERR_ARGUMENT says what it cannot do.
td_status tdi_actor_check_scene(const td_world *world, const tdi_actor *actor, const char *cannot,
                                td_diag *diag);
// Places of an object below one, free ones too.
int32_t tdi_object_places(const td_world *world, int32_t object, int32_t below);
// All that steps need for those that were made.
td_status tdi_world_make_step_room(td_world *world, td_diag *diag);
// Makes what is missing of actors of these variants, one a place; what fails leaves places as they
// were. Then takes the places that a save names, which cannot fail.
td_status tdi_world_make_places(td_world *world, const int32_t *variants, int32_t count,
                                td_diag *diag);
void tdi_world_take_places(td_world *world, const int32_t *variants, int32_t count);

// room.c: arrays that grow with actors and colliders.
// For so many actors.
td_status tdi_world_actor_room(td_world *world, int64_t count);
// For contact of all actors that were made; see also tdi_world_reserve().
td_status tdi_world_step_room(td_world *world, td_diag *diag);
// Room for so many pairs a segment, more than before or less; when it fails, as many as before.
td_status tdi_world_pair_room(td_world *world, int32_t pairs, td_diag *diag);
// Where points of actors begin, from this one on.
void tdi_world_number_points(td_world *world, int32_t from);
td_status tdi_world_collider_room(td_world *world, int64_t count);
td_status tdi_world_tie_room(td_world *world, int64_t count);

// kin.c: forgets segments of an actor that is removed.
void tdi_world_drop_kin(td_world *world, int32_t actor);

// blocked.c: whether something is in the way of what was placed. TD_ERR_BLOCKED names both.
td_status tdi_actor_blocked(td_world *world, int32_t actor, td_diag *diag);
td_status tdi_collider_blocked(td_world *world, int32_t collider, td_diag *diag);
// Gravity in the axes of a base, over the stiffness of its object.
td_vec3 tdi_object_gravity(const td_world *world, int32_t object, td_quat base);
// Tells of a fault of an object, at one of its keys.
td_status tdi_object_fault(const td_world *world, int32_t object, td_status status, const char *key,
                           const td_diag *diag, td_diag_list *diags);

// stiffen.c: factors of the stiffness in bending and in twist.
// As the scene says them now.
tdi_factors tdi_object_factors(const td_world *world, int32_t object);
// Of a model that was just made.
td_status tdi_variant_stiffen(const td_world *world, tdi_variant *variant, tdi_factors by,
                              td_diag *diag);
// Room for a model to change, and the model with other factors than it was made with.
td_status tdi_variant_stiffen_room(td_world *world, tdi_variant *variant, td_diag *diag);
void tdi_variant_follow_factors(const td_world *world, tdi_variant *variant, tdi_factors now);
// Room for the models of an object to change while the world runs.
td_status tdi_object_stiffen_room(td_world *world, int32_t object, td_diag *diag);
// All models, as the scene says now. Takes no memory where there is room, and cannot fail then.
td_status tdi_world_stiffen(td_world *world, td_diag *diag);

// Whether a collider, on its way from where it was, reaches into a box, or may.
bool tdi_collider_reaches(const td_collider *collider, const td_box *box);

// colliders.c: colliders and how contact works.
td_status tdi_world_make_colliders(td_world *world, td_diag_list *diags);
// Refuses what is no pose.
td_status tdi_check_pose(td_vec3 position, td_quat rotation, td_diag *diag);
// Whether the scene lets things touch.
bool tdi_world_touches(const td_world *world);
td_contact_opts tdi_world_contact_opts(const td_world *world);
// crowd.c: refuses strands that would have too many pairs of segments near each other.
td_status tdi_world_check_crowds(const td_world *world, td_diag_list *diags);
// Those that steps see, as they are now.
void tdi_world_gather_colliders(td_world *world);
tdi_collider_label tdi_world_collider_label(const td_world *world, int32_t place);
// Colliders go from where they are to where the scene has put them.
void tdi_world_move_colliders(td_world *world);
// They are where the step began.
void tdi_world_return_colliders(td_world *world);
// Colliders stand where they are.
void tdi_world_stand_colliders(td_world *world);
// Colliders stand where the scene has put them.
void tdi_world_place_colliders(td_world *world);

// islands.c: who is stepped with whom.
td_status tdi_world_make_islands(td_world *world, td_diag_list *diags);
void tdi_world_free_islands(td_world *world);
// Finds pairs among those that act now.
void tdi_world_follow_actors(td_world *world);
// Groups the actors for a step that begins.
td_status tdi_world_find_islands(td_world *world, td_diag *diag);
// After the islands were solved: whether all stayed apart. If not, those that came near each other
// are joined, and all have to be solved anew from where the step began.
td_status tdi_world_check_islands(td_world *world, bool *apart, td_diag *diag);
void tdi_world_join_islands(td_world *world);
// The points of an actor that fell asleep stay where they are.
void tdi_actor_rest_points(td_world *world, int32_t actor);
// Where an island's points have come in the step; while its states are at hand.
void tdi_island_note_way(td_world *world, const tdi_island *island);
// After all were accepted: the next step begins where this one ended.
void tdi_world_end_ways(td_world *world);
// An actor has come or gone, or was put elsewhere.
void tdi_world_regroup(td_world *world, int32_t actor);
// A collider was placed, or changed at once: the barrier must not throw what it is near to.
void tdi_world_note_placed(td_world *world);
// Points were moved by something else than a step.
void tdi_world_forget_places(td_world *world);
tdi_system tdi_island_system(const td_world *world, const tdi_island *island);

// constraints.c: constraints and their groups, of actors as drawn.
td_status tdi_world_make_constraints(td_world *world, td_diag_list *diags);

// groups.c: groups of all ties that are alive, whose constraints these are, one a tie. What fails
// changes nothing.
td_status tdi_world_form_groups(td_world *world, const td_constraint *all, td_diag *diag);
void tdi_world_free_groups(td_world *world);

// attach.c: constraints that come and go, and actors that are carried.
static inline bool tdi_tie_is_added(const td_world *world, int32_t constraint) {
    return constraint >= world->scene->def.constraint_count;
}
// Constraints that a program has added to an actor go, and another one comes, whose number is
// *tie: `actor` TD_NONE: none go; `next` NULL: none comes. All or nothing.
td_status tdi_world_retie(td_world *world, int32_t actor, const td_constraint *next, int32_t *tie,
                          td_diag *diag);
// All of an actor go, and it lets go of what it carries.
td_status tdi_world_untie(td_world *world, int32_t actor, td_diag *diag);
// The constraints that a save names stand in `ties`, from the scene's on.
td_status tdi_world_take_ties(td_world *world, td_diag *diag);
// Places of actors that are carried, in a step that begins; and as they were.
void tdi_world_carry(td_world *world);

// adaptive.c: actors that the integrator TD_ADAPTIVE steps.
// What that needs, if the actor's object has it. `diag` may be NULL.
td_status tdi_actor_make_adaptive(td_world *world, tdi_actor *actor, td_diag *diag);
// Of all actors whose objects have it no more.
void tdi_world_end_adaptive(td_world *world);
// Bytes of it in a save, of an actor of this variant whose object has this integrator.
size_t tdi_variant_adapt_bytes(const td_world *world, int32_t variant, td_integrator integrator);
td_status tdi_actor_step_adaptively(td_world *world, tdi_actor *actor);
// After its state was restored to where the step began.
void tdi_actor_undo_adaptively(tdi_actor *actor);

// holding_back.c: islands whose step cannot be solved, while all others go on.
// Whether that is so, and not a fault of all of the world.
bool tdi_island_fails(const td_world *world, const tdi_island *island);
// It was undone: its actors are where they were.
void tdi_island_hold(td_world *world, tdi_island *island);
// At the end of the step: they stop.
void tdi_island_stop(td_world *world, const tdi_island *island);
// Notes who is held. TD_ERR_BLOCKED when some actor was not before.
td_status tdi_world_note_blocked(td_world *world, td_diag *diag);

// stir.c: what acts on actors, and wakes them.
// Digest of all that acts on an actor in a step that ends at a time, but for fields and others.
uint64_t tdi_actor_acted(const td_world *world, const tdi_actor *actor, td_real time);
// Of what a constraint does in a step that begins at a time.
uint64_t tdi_tie_acted(const td_world *world, int32_t constraint, td_real time);
// Whether a wind that varies, or a field, moves it.
bool tdi_actor_is_driven(const td_world *world, const tdi_actor *actor);
// Marks the islands of all who are acted on otherwise than when they fell asleep.
void tdi_world_find_stirred(td_world *world, td_real t0, td_real t1);

// sleep.c: actors that rest.
// Room for the contacts of actors that sleep, if they may, and for at least so many.
td_status tdi_world_sleep_room(td_world *world, int32_t least);
// A step begins: those wake who are acted on otherwise.
void tdi_world_stir(td_world *world, td_real t0, td_real t1);
// Islands were formed: where one actor is awake, all are.
void tdi_world_wake_islands(td_world *world);
// Whether nothing has to be solved.
bool tdi_world_all_asleep(const td_world *world);
// After a step that began at t0: how long an island has been slow; then islands fall asleep.
void tdi_island_note_calm(td_world *world, const tdi_island *island, td_real t1);
void tdi_world_lull(td_world *world, td_real t0);
// An actor wakes, with its island; those near a collider do; all do.
void tdi_actor_wake(td_world *world, int32_t actor);
void tdi_world_wake_near(td_world *world, const td_collider *collider);
void tdi_world_wake_all(td_world *world);
// Forgets contacts of actors that have moved since they were awake.
void tdi_world_clear_slept(td_world *world);
// After a restore: what follows of who sleeps.
void tdi_world_follow_sleep(td_world *world);
// A box around an actor, within reach of contact.
td_box tdi_actor_reach(const td_world *world, int32_t actor);

// report.c: contacts of an island in the last step, at most `capacity`: how many there are.
int32_t tdi_island_contacts(const td_world *world, const tdi_island *island, td_contact *contacts,
                            int32_t capacity);

// explicit_holds.c: constraints of groups that explicit integrators step.
// Of a group whose constraints these are, with actors numbered within it.
td_status tdi_group_make_explicit(td_world *world, tdi_group *group, const td_constraint *own,
                                  int32_t count, td_diag *diag);
// Contact with colliders of an actor that an explicit integrator steps, if it has any.
td_status tdi_actor_make_bumps(const td_world *world, tdi_actor *actor, td_diag *diag);
// Contacts of the island in its last step: fills at most `capacity`, returns how many.
int32_t tdi_island_bumps(const td_world *world, const tdi_island *island, td_contact *contacts,
                         int32_t capacity);
// An island by an explicit integrator: an actor alone, or a group; and back to where it began.
void tdi_island_step_explicitly(td_world *world, tdi_island *island);
void tdi_island_undo_explicitly(td_world *world, tdi_island *island);

// holding.c
// Where the frame of the world of a constraint is by what the scene says now.
td_constraint_target tdi_world_target(const td_world *world, int32_t constraint);
// Where a point of a segment is, as constraints hold it; and side a of a constraint.
tdi_transform tdi_pin_pose(const td_world *world, int32_t actor, int32_t segment, td_vec3 point);
tdi_transform tdi_tie_pose(const td_world *world, const tdi_tie *tie);
// Whether it acts in a step that begins at `time`, unless it is broken.
bool tdi_tie_acts(const td_world *world, int32_t constraint, td_real time);
// Tells the solver which constraints act in a step that begins at `time`, and where to.
void tdi_world_set_holds(td_world *world, td_real time);
// After a step that failed, when its islands are undone.
void tdi_world_undo_holds(td_world *world);
// After a step: what constraints did, and those that begin with the next one.
void tdi_world_note_holds(td_world *world);

// world.c
// Sets the numbers that keyframes move to t1, or to their mean in the step from t0 where they jump.
void tdi_world_set_keyed(td_world *world, td_real t0, td_real t1);
td_real tdi_world_time_after(const td_world *world, int64_t steps);
// Room for the forces of a field from outside, and for as many loads.
td_status tdi_actor_make_field(td_world *world, tdi_actor *actor);

// drives.c: joints that a program drives.
// Of all degrees of freedom; NULL: none is driven.
const td_joint_drive *tdi_actor_drives(const tdi_actor *actor);
void tdi_actor_end_drives(tdi_actor *actor);
// Those of all actors in a save: how many, their bytes, and both ways.
int32_t tdi_world_drive_count(const td_world *world);
size_t tdi_world_drive_bytes(int32_t count);
void tdi_world_write_drives(const td_world *world, char *bytes);
td_status tdi_world_read_drives(td_world *world, const char *bytes, int32_t count);

// logging.c: what the log is told.
void tdi_world_log_made(const td_world *world);
// Where steps are shorter than the scene says.
void tdi_world_log_dt(const td_world *world);
// After a step: what was hard. Of one that failed: why.
void tdi_world_log_step(const td_world *world);
void tdi_world_log_failure(const td_world *world, td_status status, const td_diag *diag);

// undo.c: the one record of what a step changes besides states, islands and constraints.
// When a step begins; and before an actor is tried, which may be more than once.
void tdi_world_remember(td_world *world);
void tdi_actor_remember(tdi_actor *actor);
// Back to that.
void tdi_actor_undo(tdi_actor *actor);
void tdi_world_undo(td_world *world);

// stepping.c: td_world_step()
// What a step takes from the scene, besides loads, for an actor.
td_step_opts tdi_actor_step_opts(const td_world *world, const tdi_actor *actor);
// Room for steps to be undone; and of that the room for actors and constraints of these groups.
td_status tdi_world_reserve(td_world *world);
td_status tdi_world_reserve_began(td_world *world, const tdi_group *groups, int32_t count);

// rest.c: all actors that are to start at rest go there, on the colliders and on each other.
td_status tdi_world_settle(td_world *world, td_diag_list *diags);
// One that starts at rest goes there alone, without contact.
td_status tdi_actor_settle(td_world *world, tdi_actor *actor, td_diag *diag);

// reduced.c
// Whether an object's trees are stepped implicitly with fewer joints than they have.
bool tdi_object_reduces(const td_world *world, int32_t object);
// Tells the state of such an actor, before a step, what the scene allows now.
void tdi_actor_set_reduction(const td_world *world, tdi_actor *actor);
// Whether its solver has the integrator, and contact and constraints of the scene allow it.
bool tdi_object_can_have(const td_world *world, int32_t object, td_integrator integrator);
// Another integrator steps it from now on; an explicit one with all its joints.
void tdi_actor_set_integrator(tdi_actor *actor, td_integrator integrator);

// still.c: actors that are not stepped, because `adapt` allows more than they would move.
// When the world is made: those that are at rest.
void tdi_world_stand(td_world *world);
// Before a step: lists the islands that are stepped. What hands hold, or was moved, begins to move.
void tdi_world_rouse(td_world *world);
// After a step: some of the actors are asked whether they have to move.
void tdi_world_look(td_world *world);

// motion.c
// Base of an object, and the reference frame of its local dynamics, as the scene says them now.
tdi_transform tdi_object_pose(const td_world *world, int32_t object);
tdi_transform tdi_object_frame(const td_world *world, int32_t object);
// Where the base of an actor is to be now.
tdi_transform tdi_actor_place(const td_world *world, const tdi_actor *actor);
// How the simulated base moves.
tdi_rate tdi_actor_base_rate(const tdi_actor *actor);
// Moves the actor's base to where the scene has put it, for the step that begins at t0.
void tdi_actor_move_base(td_world *world, tdi_actor *actor, td_real t0);
// Moves the ends of a strand that are held, after its base.
void tdi_actor_move_ends(const td_world *world, tdi_actor *actor);
// From the true frame to the simulated one, and back.
td_vec3 tdi_to_simulated(const tdi_actor *actor, td_vec3 x);
td_vec3 tdi_turn_to_simulated(const tdi_actor *actor, td_vec3 v);
td_vec3 tdi_turn_from_simulated(const tdi_actor *actor, td_vec3 v);
td_vec3 tdi_from_simulated(const tdi_actor *actor, td_vec3 x);
td_quat tdi_rotation_from_simulated(const tdi_actor *actor, td_quat q);
// Velocity of a point x of the simulation that moves with v there.
td_vec3 tdi_velocity_from_simulated(const tdi_actor *actor, td_vec3 x, td_vec3 v);
tdi_transform tdi_transform_mul(tdi_transform a, tdi_transform b);
// bulk.c: how the joint of a segment moves, and how that turns, in the world.
tdi_rate tdi_segment_rate(const tdi_actor *actor, int32_t segment);

// loads.c
// Fields and poses of the scene for an actor that is none of its own, and room for loads.
td_status tdi_actor_make_loads(td_world *world, tdi_actor *actor);
// Keyframes of where a pull holds and how a pose bends; NULL: none.
const tdi_keyed *tdi_load_keyed(const td_world *world, int32_t load);
// Room for loads alone, of an actor whose list of what acts on it is there.
td_status tdi_actor_load_room(td_world *world, tdi_actor *actor);
// Finds the places of all loads and hands them out to the actors.
td_status tdi_world_make_loads(td_world *world, td_diag_list *diags);
// Makes a wind once more, of what the scene says now; the air stays where it is.
td_status tdi_world_remake_wind(td_world *world, int32_t wind, td_diag *diag);
// Room for points, winds and extra, if there is none.
td_status tdi_actor_make_points(td_world *world, tdi_actor *actor);
// Asks for air and forces from outside where the actor is, before its base moves.
void tdi_actor_sample(const td_world *world, tdi_actor *actor);
// Forces from outside alone.
void tdi_actor_sample_field(const td_world *world, tdi_actor *actor);
// How a pose bends at a time, which keyframes may say.
td_vec3 tdi_pose_bend(const td_pose_load *load, const tdi_keyed *keyed, td_real time);
// The winds that were sampled, in the simulated frame; NULL: none.
const td_vec3 *tdi_actor_winds(const td_world *world, tdi_actor *actor);
// Loads of an actor for the step from t0 to t1: how many.
int32_t tdi_actor_loads(const td_world *world, tdi_actor *actor, td_real t0, td_real t1);
// After the step: the largest force of pulls and pushes.
void tdi_actor_note_force(tdi_actor *actor);
// Whether all segments that loads, constraints and probes name are there; tells all that are not.
td_status tdi_world_check_spots(const td_world *world, td_diag_list *diags);
td_status tdi_find_spot(const td_world *world, const td_place_def *place, const char *path,
                        tdi_spot *out, td_diag_list *diags);

// grabs.c
td_status tdi_world_hand_room(td_world *world, int32_t count);
// Room for loads of so many hands at an actor.
td_status tdi_actor_hand_room(td_world *world, tdi_actor *actor, int32_t hands);
// Lets go of an actor.
void tdi_world_release_actor(td_world *world, int32_t actor);

// watch.c
// After an island was solved, before it is accepted: reactions of those that are watched.
void tdi_island_react(td_world *world, const tdi_island *island, const tdi_system *system);
// After a step: which contacts began and ended.
void tdi_world_watch(td_world *world);
// After pairs were changed.
void tdi_watch_sort(tdi_watch *watch);
td_status tdi_watch_make(const td_world *world, int32_t capacity, tdi_watch *out);
void tdi_watch_free(const td_world *world, tdi_watch *watch);

// sudden.c: loads that begin, end or change at once.
// The part of the step from t0 to t1 in which a load acts that does from start to end.
td_real tdi_acts_for(td_real start, td_real end, td_real t0, td_real t1);
// Finds the keyframes of forces.
void tdi_world_find_pressing_keys(td_world *world);
// The mean of a force over a step in which its keyframes jump; else false, with nothing changed.
bool tdi_keyed_mean(const tdi_keyed *keyed, td_real t0, td_real t1, td_real *mean);
// Before a step that ends at t1: whom a constraint leads with a kink.
void tdi_world_find_kinks(td_world *world, td_real t1);
// Whether what acts on an actor jumps in the step that ends at t1, or did in the last.
bool tdi_actor_jumps(const td_world *world, tdi_actor *actor, td_real t1);
// After a step that began at t0.
void tdi_world_end_jumps(td_world *world, td_real t0);
// A program changes what acts on an actor between steps, or a number of the scene at a place.
void tdi_actor_jolt(td_world *world, int32_t actor, td_real before, td_real now);
void tdi_world_jolt(td_world *world, const void *at, td_real before, td_real now);

// fields.c
// Room for the forces of the scene's fields on an actor.
td_status tdi_actor_make_fields(td_world *world, tdi_actor *actor);
// The forces of the scene's fields on all actors as they are now. TD_ERR_EVAL where an expression
// has no value, with nothing else changed.
td_status tdi_world_sample_fields(td_world *world, td_diag *diag);

// probes.c
td_status tdi_world_make_probes(td_world *world, td_diag_list *diags);

// saving.c: the list of what can change, and the shape.
td_status tdi_world_make_saving(td_world *world);
