// SPDX-License-Identifier: MIT
// Worlds as bytes: what the future depends on beside the scene.
//
// Method   One list of all that is saved, which a tape either measures, writes or reads. What a
//          tape holds are numbers alone, no gaps between the fields of structs, so that equal
//          worlds give equal bytes. A checksum of all that goes before it ends the save.

#include "world/world.h"

#include "base/alloc.h"
#include "base/digest.h"
#include "base/guard.h"
#include "implicit/hold.h"

#include <string.h>

#define MAGIC    0x746e6474u // "tdnt"
#define VERSION  13u
#define MAX_STEP ((int64_t)1 << 53)

typedef struct head {
    uint32_t magic, version;
    uint64_t shape;
    int64_t step;
    int32_t actors, colliders, hands; // places
    int32_t watched;                  // room for pairs
    int32_t slept;                    // contacts of those that sleep
    int32_t spare;                    // 0
} head;

// ---- shape ----------------------------------------------------------------------------------

// FNV-1a
static uint64_t mix(uint64_t hash, const void *bytes, size_t size) {
    const unsigned char *b = bytes;
    for (size_t k = 0; k < size; k++) {
        hash = (hash ^ b[k]) * 0x100000001b3u;
    }
    return hash;
}

static uint64_t shape_of(const td_world *w) {
    uint64_t hash = 0xcbf29ce484222325u;
    hash = mix(hash, &w->wind_count, sizeof w->wind_count);
    hash = mix(hash, &w->parameter_count, sizeof w->parameter_count);
    for (int32_t k = 0; k < w->variant_count; k++) {
        const tdi_solver_model *m = w->variants[k].model;
        hash = mix(hash, m->parameters, m->parameter_bytes);
    }
    for (int32_t k = 0; k < w->actor_count; k++) {
        const tdi_actor *a = &w->actors[k];
        hash = mix(hash, &a->variant, sizeof a->variant);
        hash = mix(hash, &a->place, sizeof a->place);
        for (int32_t i = 0; i < a->acting_count; i++) {
            hash = mix(hash, &a->acting[i].load, sizeof a->acting[i].load);
        }
    }
    for (int32_t k = 0; k < w->scene->def.constraint_count; k++) {
        const tdi_tie *tie = &w->ties[k];
        hash = mix(hash, &w->scene->def.constraints[k].kind, sizeof(td_constraint_kind));
        hash = mix(hash, tie->actor, sizeof tie->actor);
        hash = mix(hash, &tie->segment, sizeof tie->segment);
        hash = mix(hash, &tie->point, sizeof tie->point);
    }
    return hash;
}

typedef struct counter {
    tdi_parameter *to; // NULL: they are only counted
    int32_t count;
} counter;

static void note_parameter(void *context, const tdi_scene_field *field, void *at,
                           const char *path) {
    counter *c = context;
    (void)path;
    if (!field->keyed && !field->live) {
        return;
    }
    if (c->to) {
        size_t size = field->kind == TDI_SCENE_VEC3       ? sizeof(td_vec3)
                      : field->kind == TDI_SCENE_ROTATION ? sizeof(td_quat)
                      : field->kind == TDI_SCENE_INT      ? sizeof(int32_t)
                                                          : sizeof(td_real);
        c->to[c->count] = (tdi_parameter){at, size};
    }
    c->count++;
}

td_status tdi_world_make_saving(td_world *w) {
    counter c = {NULL, 0};
    tdi_fields_walk(&tdi_scene_all, &w->scene->def, note_parameter, &c);
    c.to = w->parameters = tdi_arena_zeroed(&w->arena, (size_t)c.count + 1, sizeof *w->parameters);
    if (!w->parameters) {
        return TD_ERR_MEMORY;
    }
    w->parameter_count = c.count;
    c.count = 0;
    tdi_fields_walk(&tdi_scene_all, &w->scene->def, note_parameter, &c);
    w->shape = shape_of(w);
    return TD_OK;
}

// ---- tape -----------------------------------------------------------------------------------

typedef struct tape {
    char *to;         // NULL: nothing is written
    const char *from; // NULL: nothing is read
    size_t size;
} tape;

static void item(tape *t, void *data, size_t size) {
    if (t->to) {
        memcpy(t->to + t->size, data, size);
    } else if (t->from) {
        memcpy(data, t->from + t->size, size);
    }
    t->size += size;
}

static void flag(tape *t, bool *data) {
    unsigned char byte = *data;
    item(t, &byte, 1);
    *data = byte != 0;
}

static void tape_grab(tape *t, tdi_grab *g) {
    flag(t, &g->held);
    item(t, &g->actor, sizeof g->actor);
    item(t, &g->segment, sizeof g->segment);
    item(t, &g->point, sizeof g->point);
    item(t, &g->to, sizeof g->to);
    item(t, &g->stiffness, sizeof g->stiffness);
    item(t, &g->twist_actor, sizeof g->twist_actor);
    item(t, &g->twist_segment, sizeof g->twist_segment);
    item(t, &g->twist, sizeof g->twist);
}

static void tape_scene(tape *t, td_world *w) {
    td_object_def *objects = (td_object_def *)w->scene->def.objects; // the world's own copy
    item(t, &w->dt, sizeof w->dt);
    item(t, &w->steps_a_frame, sizeof w->steps_a_frame);
    item(t, &w->step_from, sizeof w->step_from);
    item(t, &w->time_from, sizeof w->time_from);
    for (int32_t k = 0; k < w->parameter_count; k++) {
        item(t, w->parameters[k].at, w->parameters[k].size);
    }
    for (int32_t k = 0; k < w->scene->keyed_count; k++) {
        flag(t, &w->scene->keyed[k].ended);
    }
    for (int32_t k = 0; k < w->scene->def.object_count; k++) {
        item(t, &objects[k].integrator, sizeof objects[k].integrator);
        item(t, &w->objects[k].frame, sizeof w->objects[k].frame);
    }
}

static void word(tape *t, uint32_t *data) {
    item(t, data, sizeof *data);
}

// What is at a place; variants stand at the beginning.
static void tape_place(tape *t, tdi_actor *a) {
    flag(t, &a->alive);
    flag(t, &a->enabled);
    flag(t, &a->own_place);
    flag(t, &a->blocked);
    word(t, &a->generation);
    item(t, &a->place, sizeof a->place);
}

static void tape_collider(tape *t, tdi_collider_slot *s) {
    int32_t kind = (int32_t)s->now.kind;
    flag(t, &s->alive);
    flag(t, &s->enabled);
    flag(t, &s->own_pose);
    word(t, &s->generation);
    item(t, &kind, sizeof kind);
    item(t, &s->now.radius, sizeof s->now.radius);
    item(t, &s->now.length, sizeof s->now.length);
    item(t, &s->now.sides, sizeof s->now.sides);
    item(t, &s->now.friction, sizeof s->now.friction);
    item(t, &s->now.restitution, sizeof s->now.restitution);
    item(t, &s->now.rolling, sizeof s->now.rolling);
    item(t, &s->now.static_friction, sizeof s->now.static_friction);
    item(t, &s->now.position, sizeof s->now.position);
    item(t, &s->now.rotation, sizeof s->now.rotation);
    item(t, &s->next, sizeof s->next);
    s->now.kind = kind >= TD_COLLIDER_PLANE && kind <= TD_COLLIDER_BOX ? (td_collider_kind)kind
                                                                       : TD_COLLIDER_PLANE;
}

static void tape_hand(tape *t, tdi_hand *h) {
    flag(t, &h->alive);
    word(t, &h->generation);
    item(t, &h->actor, sizeof h->actor);
    item(t, &h->segment, sizeof h->segment);
    item(t, &h->point, sizeof h->point);
    item(t, &h->to, sizeof h->to);
    item(t, &h->stiffness, sizeof h->stiffness);
    item(t, &h->damping, sizeof h->damping);
}

// Pairs of the last step, on which events of the next depend.
static void tape_watch(tape *t, tdi_watch *watch) {
    const int32_t count = watch->last_count;
    item(t, &watch->last_count, sizeof watch->last_count);
    if (t->to) { // what is beyond is old
        memset(watch->last + count, 0, (size_t)(watch->capacity - count) * sizeof *watch->last);
    }
    item(t, watch->last, (size_t)watch->capacity * sizeof *watch->last);
    if (t->from) {
        const int32_t read = watch->last_count;
        watch->last_count = read < 0 || read > watch->capacity ? 0 : read;
        watch->event_count = 0;
    }
}

static void tape_sleep(tape *t, tdi_sleep *s) {
    flag(t, &s->asleep);
    flag(t, &s->wanted);
    flag(t, &s->kept);
    item(t, &s->calm, sizeof s->calm);
    item(t, &s->acted, sizeof s->acted);
    item(t, &s->island, sizeof s->island);
}

// In the order in which they were kept, without those that are not any more.
static void tape_slept(tape *t, td_world *w, int32_t count) {
    int32_t k = 0;
    for (int32_t done = 0; done < count; k++) {
        if (t->from || w->actors[w->slept[k].actor].sleep.kept) {
            item(t, &w->slept[k], sizeof *w->slept);
            done++;
        }
    }
    w->slept_count = t->from ? count : w->slept_count;
}

static int32_t count_slept(const td_world *w) {
    int32_t count = 0;
    for (int32_t k = 0; k < w->slept_count; k++) {
        count += w->actors[w->slept[k].actor].sleep.kept;
    }
    return count;
}

// What the base carries, which the next step computes unless the actor sleeps.
static void tape_reaction(tape *t, tdi_actor *a) {
    bool known = a->sleep.asleep && a->reacted;
    td_reaction reaction = known ? a->reaction : (td_reaction){{0, 0, 0}, {0, 0, 0}};
    flag(t, &known);
    item(t, &reaction, sizeof reaction);
    if (t->from) {
        a->reacted = known;
        a->reaction = reaction;
    }
}

static void tape_actor_head(tape *t, tdi_actor *a) {
    tape_place(t, a);
    tape_sleep(t, &a->sleep);
    tape_reaction(t, a);
    item(t, &a->base, sizeof a->base);
    item(t, &a->base_rate, sizeof a->base_rate);
    item(t, &a->simulated, sizeof a->simulated);
    item(t, &a->stats, sizeof a->stats);
    item(t, &a->largest_force, sizeof a->largest_force);
    item(t, &a->strength, sizeof a->strength);
}

static void tape_actor(tape *t, tdi_actor *a) {
    tape_actor_head(t, a);
    if (t->to) {
        tdi_state_save(a->solver->implicit, a->state, t->to + t->size);
    } else if (t->from) {
        tdi_state_restore(a->solver->implicit, a->state, t->from + t->size);
    }
    t->size += tdi_state_save_size(a->solver->implicit, a->state);
    if (a->adapt) {
        if (t->to) {
            td_adapt_save(a->adapt, t->to + t->size);
        } else if (t->from) {
            td_adapt_restore(a->adapt, t->from + t->size);
        }
        t->size += td_adapt_save_size(a->adapt);
    }
}

static void tape_tie(tape *t, tdi_tie *tie) {
    item(t, &tie->from, sizeof tie->from);
    flag(t, &tie->begun);
    flag(t, &tie->loose);
    item(t, &tie->acted, sizeof tie->acted);
    item(t, &tie->past, sizeof tie->past);
}

static void tape_group(tape *t, tdi_group *g) {
    if (t->to) {
        tdi_holds_save(g->holds, t->to + t->size);
    } else if (t->from) {
        tdi_holds_restore(g->holds, t->from + t->size);
    }
    t->size += tdi_holds_save_size(g->holds);
    if (!g->explicit_holds) {
        return;
    }
    if (t->to) {
        g->explicit_holds->save(g->held, t->to + t->size);
    } else if (t->from) {
        g->explicit_holds->restore(g->held, t->from + t->size);
    }
    t->size += g->explicit_holds->save_size(g->held);
}

static void tape_world(tape *t, td_world *w) {
    head h = {MAGIC,          VERSION,
              w->shape,       w->step,
              w->actor_count, w->collider_count,
              w->hand_count,  w->watch.capacity,
              count_slept(w), 0};
    item(t, &h, sizeof h);
    w->step = h.step;
    for (int32_t k = 0; k < w->actor_count; k++) {
        item(t, &w->actors[k].variant, sizeof w->actors[k].variant);
    }
    tape_scene(t, w);
    for (int32_t k = 0; k < w->collider_count; k++) {
        tape_collider(t, &w->collider_slots[k]);
    }
    tape_grab(t, &w->grab);
    for (int32_t k = 0; k < w->hand_count; k++) {
        tape_hand(t, &w->hands[k]);
    }
    if (w->watch.capacity > 0) {
        tape_watch(t, &w->watch);
    }
    for (int32_t k = 0; k < w->wind_count; k++) {
        item(t, &w->winds[k].state, sizeof w->winds[k].state);
    }
    for (int32_t k = 0; k < w->actor_count; k++) {
        tape_actor(t, &w->actors[k]);
    }
    for (int32_t k = 0; k < w->scene->def.constraint_count; k++) {
        tape_tie(t, &w->ties[k]);
    }
    for (int32_t g = 0; g < w->group_count; g++) {
        tape_group(t, &w->groups[g]);
    }
    if (w->near.room) {
        item(t, w->near.last, (size_t)w->near.first_point[w->actor_count] * sizeof *w->near.last);
    }
    tape_slept(t, w, h.slept);
}

// ---- entry ----------------------------------------------------------------------------------

// A tape that reads nothing leaves the world as it is.
size_t td_world_save_size(const td_world *w) {
    if (!w) {
        return 0;
    }
    tape t = {NULL, NULL, 0};
    tape_world(&t, (td_world *)w);
    return t.size + sizeof(uint64_t);
}

void td_world_save(const td_world *w, void *bytes) {
    if (!w || !bytes) {
        return;
    }
    tape t = {bytes, NULL, 0};
    tape_world(&t, (td_world *)w);
    const uint64_t sum = tdi_digest(t.size, bytes, t.size);
    memcpy((char *)bytes + t.size, &sum, sizeof sum);
}

static td_status other_scene(td_diag *diag) {
    return tdi_fail(diag, TD_ERR_SYNTAX,
                    "the checkpoint belongs to another scene or another version of Tendril, or its "
                    "end is missing");
}

// Variants stand after the head, anyhow aligned.
static int32_t variant_at(const char *bytes, int32_t k) {
    int32_t variant;
    memcpy(&variant, bytes + sizeof(head) + (size_t)k * sizeof variant, sizeof variant);
    return variant;
}

// Whether the first places are those of the scene, and all are of its variants.
static bool fits(const td_world *w, const head *h, const char *bytes, size_t size) {
    int32_t own = 0;
    for (int32_t k = 0; k < w->scene->def.object_count; k++) {
        own += w->objects[k].actor_count;
    }
    bool good = h->actors >= own && h->colliders >= w->scene->def.collider_count &&
                (size_t)h->actors <= (size - sizeof *h) / sizeof(int32_t) && h->hands >= 0 &&
                h->watched >= 0 && h->watched <= TDI_WATCH_MOST && h->slept >= 0;
    for (int32_t k = 0; k < h->actors && good; k++) {
        const int32_t variant = variant_at(bytes, k);
        good = variant >= 0 && variant < w->variant_count &&
               (k >= own || variant == w->actors[k].variant);
    }
    return good;
}

// Bytes that an actor of a variant adds to a save.
static size_t variant_bytes(const td_world *w, int32_t variant) {
    const tdi_variant *v = &w->variants[variant];
    const bool points =
        w->near.room && tdi_variant_touches(w, tdi_variant_object(w, variant), variant);
    tdi_actor any = {.alive = false};
    tape t = {NULL, NULL, 0};
    tape_actor_head(&t, &any);
    return sizeof(int32_t) + t.size + v->drawn_bytes +
           (points ? (size_t)v->drawn_points * sizeof *w->near.last : 0);
}

static size_t hand_bytes(int32_t count) {
    tdi_hand any = {.alive = false};
    tape t = {NULL, NULL, 0};
    tape_hand(&t, &any);
    return (size_t)count * t.size;
}

static size_t watch_bytes(int32_t capacity) {
    return capacity > 0 ? sizeof(int32_t) + (size_t)capacity * sizeof(tdi_pair) : 0;
}

// Whether the save is as long as one with its places is.
static td_status check_size(td_world *w, const head *h, const char *bytes, size_t size,
                            td_diag *diag) {
    tdi_collider_slot any = {.alive = false};
    tape t = {NULL, NULL, 0};
    size_t wanted = td_world_save_size(w), given = size;
    td_status status = TD_OK;
    for (int32_t k = 0; k < w->variant_count && status == TD_OK; k++) {
        status = tdi_variant_draw(w, k, diag);
    }
    tape_collider(&t, &any);
    wanted += (size_t)h->colliders * t.size;
    given += (size_t)w->collider_count * t.size;
    wanted += hand_bytes(h->hands) + watch_bytes(h->watched);
    given += hand_bytes(w->hand_count) + watch_bytes(w->watch.capacity);
    wanted += (size_t)h->slept * sizeof *w->slept;
    given += (size_t)count_slept(w) * sizeof *w->slept;
    for (int32_t k = 0; k < w->actor_count && status == TD_OK; k++) {
        given += variant_bytes(w, w->actors[k].variant);
    }
    for (int32_t k = 0; k < h->actors && status == TD_OK; k++) {
        wanted += variant_bytes(w, variant_at(bytes, k));
    }
    return status == TD_OK && wanted != given ? other_scene(diag) : status;
}

// Takes the places that the save names: first all memory, then what cannot fail.
static td_status take_places(td_world *w, const head *h, const char *bytes, size_t size,
                             td_diag *diag) {
    const size_t count = (size_t)h->actors + 1;
    tdi_watch watch = {.capacity = 0};
    td_status status = check_size(w, h, bytes, size, diag);
    if (status == TD_OK && h->colliders > w->collider_count) {
        status = td_world_reserve_colliders(w, h->colliders - w->collider_count, diag);
    }
    if (status == TD_OK && h->hands > w->hand_count) {
        status = td_world_reserve_grabs(w, h->hands - w->hand_count, diag);
    }
    w->sleeps = w->sleeps || h->slept > 0;
    status = status == TD_OK ? tdi_world_sleep_room(w, h->slept) : status;
    status = status == TD_OK ? tdi_watch_make(w, h->watched, &watch) : status;
    int32_t *variants =
        status == TD_OK ? tdi_alloc_zeroed(w->alloc, count, sizeof *variants) : NULL;
    status = status == TD_OK && !variants ? TD_ERR_MEMORY : status;
    for (int32_t k = 0; k < h->actors && status == TD_OK; k++) {
        variants[k] = variant_at(bytes, k);
    }
    status = status == TD_OK ? tdi_world_take_places(w, variants, h->actors, diag) : status;
    tdi_alloc_free(w->alloc, variants, count * sizeof *variants);
    if (status != TD_OK) {
        tdi_watch_free(w, &watch);
        return status;
    }
    tdi_watch_free(w, &w->watch);
    w->watch = watch;
    w->collider_count = h->colliders;
    w->hand_count = h->hands;
    return TD_OK;
}

static bool same_places(const td_world *w, const head *h, const char *bytes) {
    bool same = h->actors == w->actor_count && h->colliders == w->collider_count &&
                h->hands == w->hand_count && h->watched == w->watch.capacity &&
                h->slept == count_slept(w);
    for (int32_t k = 0; k < w->actor_count && same; k++) {
        same = variant_at(bytes, k) == w->actors[k].variant;
    }
    return same;
}

// Whether the bytes are a save of this scene, undamaged; before anything changes.
static td_status check_save(const td_world *w, const char *bytes, size_t size, head *h,
                            td_diag *diag) {
    uint64_t sum;
    if (size < sizeof *h + sizeof sum) {
        return other_scene(diag);
    }
    memcpy(h, bytes, sizeof *h);
    memcpy(&sum, bytes + size - sizeof sum, sizeof sum);
    if (h->magic != MAGIC || h->version != VERSION || h->shape != w->shape) {
        return other_scene(diag);
    }
    if (sum != tdi_digest(size - sizeof sum, bytes, size - sizeof sum)) {
        return tdi_fail(diag, TD_ERR_SYNTAX,
                        "the checkpoint is damaged: its checksum is not that of its bytes");
    }
    return h->step < 0 || h->step > MAX_STEP || !fits(w, h, bytes, size) ? other_scene(diag)
                                                                         : TD_OK;
}

// What follows from what was read.
static td_status follow_save(td_world *w, td_diag *diag) {
    tdi_world_stand_colliders(w);
    tdi_world_forget_places(w);
    w->regroup = true;
    for (int32_t k = 0; k < w->actor_count; k++) { // what constraints hold cannot leave
        tdi_actor *a = &w->actors[k];
        a->alive = a->alive || w->group_of[k] != TD_NONE;
        a->enabled = a->enabled || w->group_of[k] != TD_NONE;
    }
    for (int32_t k = 0; k < w->hand_count; k++) {
        tdi_hand *h = &w->hands[k];
        h->alive = h->alive && h->actor >= 0 && h->actor < w->actor_count && h->segment >= 0 &&
                   h->segment < w->actors[h->actor].segment_count;
    }
    w->island_count = 0; // their contacts are not those of the save
    tdi_world_follow_sleep(w);
    td_status status = tdi_world_stiffen(w, diag);
    for (int32_t k = 0; k < w->wind_count && status == TD_OK; k++) {
        status = tdi_world_remake_wind(w, k, diag); // its parameters may have been set
    }
    return status;
}

td_status td_world_restore(td_world *w, const void *bytes, size_t size, td_diag *diag) {
    if (!w || !bytes) {
        return tdi_refuse(diag, __func__);
    }
    head h;
    td_status status = check_save(w, bytes, size, &h, diag);
    if (status != TD_OK) {
        return status;
    }
    if (!same_places(w, &h, bytes)) {
        status = take_places(w, &h, bytes, size, diag);
    } else if (size != td_world_save_size(w)) {
        status = other_scene(diag);
    }
    if (status != TD_OK) {
        return status;
    }
    tape t = {NULL, bytes, 0};
    tape_world(&t, w);
    return follow_save(w, diag);
}
