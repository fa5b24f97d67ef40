// SPDX-License-Identifier: MIT
// Worlds as bytes: what the future depends on beside the scene.
//
// Method   One list of all that is saved, which a tape either measures, writes or reads. What a
//          tape holds are numbers alone, no gaps between the fields of structs, so that equal
//          worlds give equal bytes; tape.c has the parts. A checksum of all that goes before it
//          ends the save.

#include "world/tape.h"

#include "base/alloc.h"
#include "base/digest.h"
#include "base/guard.h"
#include "implicit/constraint.h"
#include "world/saving_variants.h"

#include <string.h>

#define MAGIC    0x746e6474u // "tdnt"
#define VERSION  30u
#define MAX_STEP ((int64_t)1 << 53)

typedef struct head {
    uint32_t magic, version;
    uint64_t shape, contact;
    int64_t step;
    int32_t actors, colliders, applied; // places
    int32_t watched;                    // room for pairs
    int32_t slept;                      // contacts of sleeping actors
    int32_t drives;                     // degrees of freedom that are driven
    int32_t added_constraints;          // places of constraints that were added
    int32_t pairs;                      // that there is room for, a segment
    int32_t pushes, spare;              // pairs that are pushed apart
} head;

// ---- shape ----------------------------------------------------------------------------------

// FNV-1a
#define FIRST 0xcbf29ce484222325u
static uint64_t mix(uint64_t hash, const void *bytes, size_t size) {
    const unsigned char *b = bytes;
    for (size_t k = 0; k < size; k++) {
        hash = (hash ^ b[k]) * 0x100000001b3u;
    }
    return hash;
}

static uint64_t shape_of(const td_world *w) {
    uint64_t hash = w->parameters.fixed;
    hash = mix(hash, &w->loads.wind_count, sizeof w->loads.wind_count);
    hash = mix(hash, &w->parameters.count, sizeof w->parameters.count);
    for (int32_t k = 0; k < w->variants.count; k++) {
        const td_body_model *m = w->variants.list[k].model;
        hash = mix(hash, m->parameters, m->parameter_bytes);
    }
    for (int32_t k = 0; k < w->actor_count; k++) {
        const tdi_actor *a = &w->actors[k];
        hash = mix(hash, &a->variant, sizeof a->variant);
        hash = mix(hash, &a->place, sizeof a->place);
        for (int32_t i = 0; i < a->load.acting_count; i++) {
            hash = mix(hash, &a->load.acting[i].load, sizeof a->load.acting[i].load);
        }
    }
    for (int32_t k = 0; k < w->scene->def.constraint_count; k++) {
        const tdi_constraint_slot *slot = &w->constraints.slots[k];
        hash = mix(hash, &w->scene->def.constraints[k].kind, sizeof(td_constraint_kind));
        hash = mix(hash, slot->actor, sizeof slot->actor);
        hash = mix(hash, &slot->segment, sizeof slot->segment);
        hash = mix(hash, &slot->point, sizeof slot->point);
    }
    return hash;
}

typedef struct counter {
    tdi_parameter *to; // NULL: they are only counted
    int32_t count;
    uint64_t fixed, contact; // of numbers that cannot change
} counter;

// Numbers that decide a step and cannot change: a save holds their digests alone. Recorded
// quantities may differ, and integrators are saved.
static void note_fixed(counter *c, const tdi_scene_field *field, const void *at, const char *path) {
    const bool contact = strncmp(path, "contact.", 8) == 0 || strncmp(path, "colliders[", 10) == 0;
    const bool number = field->kind != TDI_SCENE_TEXT && field->kind != TDI_SCENE_LIST &&
                        field->kind != TDI_SCENE_VALUE;
    uint64_t *sum = contact ? &c->contact : &c->fixed;
    if (number && strncmp(path, "record.", 7) != 0 && strcmp(field->key, "integrator") != 0) {
        *sum = mix(mix(*sum, path, strlen(path)), at, tdi_kind_size(field->kind));
    }
}

static bool note_parameter(void *context, const tdi_scene_field *field, void *at,
                           const char *path) {
    counter *c = context;
    if (!field->keyed && !field->live) {
        note_fixed(c, field, at, path);
        return true;
    }
    if (c->to) {
        c->to[c->count] = (tdi_parameter){at, tdi_kind_size(field->kind)};
    }
    c->count++;
    return true;
}

td_status tdi_world_list_parameters(td_world *w) {
    tdi_parameters *p = &w->parameters;
    counter c = {NULL, 0, FIRST, FIRST};
    tdi_fields_walk(&tdi_scene_all, &w->scene->def, note_parameter, &c);
    if (c.count > p->capacity) {
        const int32_t room = p->capacity < c.count / 2 ? c.count : 2 * p->capacity;
        tdi_parameter *all = tdi_arena_zeroed(&w->arena, (size_t)room, sizeof *all);
        TDI_TRY(all ? TD_OK : TD_ERR_MEMORY);
        p->all = all;
        p->capacity = room;
    }
    c.to = p->all;
    w->parameters.count = c.count;
    w->parameters.fixed = c.fixed;
    w->parameters.contact = c.contact;
    c.count = 0;
    tdi_fields_walk(&tdi_scene_all, &w->scene->def, note_parameter, &c);
    return TD_OK;
}

td_status tdi_world_make_saving(td_world *w) {
    const td_status status = tdi_world_list_parameters(w);
    w->parameters.shape = status == TD_OK ? shape_of(w) : 0;
    return status;
}

void tdi_world_add_shape(td_world *w, int32_t object) {
    const int32_t first = w->objects[object].first_variant;
    uint64_t hash = mix(w->parameters.shape, &w->parameters.count, sizeof w->parameters.count);
    hash = mix(hash, &w->parameters.fixed, sizeof w->parameters.fixed);
    for (int32_t k = first; k < w->variants.of_scene; k++) {
        const td_body_model *m = w->variants.list[k].model;
        hash = mix(hash, m->parameters, m->parameter_bytes);
    }
    w->parameters.shape = hash;
}

// Variants are those of the save already.
static void tape_grown(tdi_tape *t, td_world *w) {
    if (t->to) {
        tdi_grown_write(w, t->to + t->size);
    } else if (t->from) {
        tdi_grown_read(w, t->from + t->size);
    }
    t->size += tdi_grown_size(w);
}

static void tape_world(tdi_tape *t, td_world *w) {
    head h = {MAGIC,
              VERSION,
              w->parameters.shape,
              w->parameters.contact,
              w->clock.step,
              w->actor_count,
              w->colliders.count,
              w->loads.applied_count,
              w->watch.capacity,
              tdi_world_count_sleeping_contacts(w),
              tdi_world_drive_count(w),
              tdi_world_count_added_constraints(w),
              w->near.pairs,
              w->pushes.count,
              0};
    tdi_tape_item(t, &h, sizeof h);
    w->clock.step = h.step;
    for (int32_t k = 0; k < w->actor_count; k++) {
        tdi_tape_item(t, &w->actors[k].variant, sizeof w->actors[k].variant);
    }
    for (int32_t k = w->scene->def.constraint_count; k < w->constraints.slot_count; k++) {
        tdi_tape_added(t, &w->constraints.slots[k]);
    }
    tape_grown(t, w);
    tdi_tape_scene(t, w);
    for (int32_t k = 0; k < w->colliders.count; k++) {
        tdi_tape_collider(t, &w->colliders.slots[k]);
    }
    tdi_tape_grab(t, &w->loads.grab);
    for (int32_t k = 0; k < w->loads.applied_count; k++) {
        tdi_tape_applied_force(t, &w->loads.applied[k]);
    }
    if (w->watch.capacity > 0) {
        tdi_tape_watch(t, &w->watch);
    }
    tdi_tape_drives(t, w, h.drives);
    for (int32_t k = 0; k < w->loads.wind_count; k++) {
        tdi_tape_item(t, &w->loads.winds[k].state, sizeof w->loads.winds[k].state);
    }
    for (int32_t k = 0; k < w->actor_count; k++) {
        tdi_tape_actor(t, &w->actors[k]);
    }
    for (int32_t k = 0; k < w->constraints.slot_count; k++) {
        tdi_tape_constraint(t, &w->constraints.slots[k]);
    }
    for (int32_t g = 0; g < w->constraints.group_count; g++) {
        tdi_tape_group(t, &w->constraints.groups[g]);
    }
    if (w->near.x) {
        tdi_tape_item(t, w->near.last,
                      (size_t)w->near.first_point[w->actor_count] * sizeof *w->near.last);
    }
    tdi_tape_sleeping_contacts(t, w, h.slept);
    tdi_tape_pushes(t, w, h.pushes);
}

// ---- entry ----------------------------------------------------------------------------------

// A tape that reads nothing leaves the world as it is.
size_t td_world_save_size(const td_world *w) {
    if (!w) {
        return 0;
    }
    tdi_tape t = {NULL, NULL, 0, TD_OK};
    tape_world(&t, (td_world *)w);
    return t.size + sizeof(uint64_t);
}

void td_world_save(const td_world *w, void *bytes) {
    if (!w || !bytes) {
        return;
    }
    tdi_tape t = {bytes, NULL, 0, TD_OK};
    tape_world(&t, (td_world *)w);
    const uint64_t sum = tdi_digest(t.size, bytes, t.size);
    memcpy((char *)bytes + t.size, &sum, sizeof sum);
}

static td_status other_scene(td_diag *diag) {
    return tdi_fail(
        diag, TD_ERR_SYNTAX,
        "the checkpoint belongs to another scene, to a world with other added kinds or to "
        "another version of Tendril, or its end is missing");
}

// Variants stand after the head, anyhow aligned.
static int32_t variant_at(const char *bytes, int32_t k) {
    int32_t variant;
    memcpy(&variant, bytes + sizeof(head) + (size_t)k * sizeof variant, sizeof variant);
    return variant;
}

// Bytes of a constraint that was added, which stand after them.
static size_t added_bytes(void) {
    tdi_constraint_slot any = {.alive = false};
    tdi_tape t = {NULL, NULL, 0, TD_OK};
    tdi_tape_added(&t, &any);
    return t.size;
}

// How many of them are there. Below 0: they reach beyond the end of the save.
static int32_t alive_constraints(const head *h, const char *bytes, size_t size) {
    const size_t from = sizeof *h + (size_t)h->actors * sizeof(int32_t), each = added_bytes();
    int32_t alive = 0;
    if ((size_t)h->added_constraints > (size - from) / each) {
        return -1;
    }
    for (int32_t k = 0; k < h->added_constraints; k++) {
        alive += bytes[from + (size_t)k * each] != 0;
    }
    return alive;
}

// What was cut or has grown stands after them, and after constraints that were added.
static const char *grown_at(const head *h, const char *bytes) {
    return bytes + sizeof *h + (size_t)h->actors * sizeof(int32_t) +
           (size_t)h->added_constraints * added_bytes();
}

// Integrators of objects stand after that.
static td_integrator integrator_at(const head *h, const char *bytes, int32_t object) {
    const char *at = grown_at(h, bytes);
    td_integrator integrator;
    memcpy(&integrator, at + tdi_grown_size_of(at) + (size_t)object * sizeof integrator,
           sizeof integrator);
    return integrator;
}

// Whether objects can have them: constraints of the scene hold in one way or the other.
static bool fits_integrators(const td_world *w, const head *h, const char *bytes, size_t size) {
    const td_scene_def *def = &w->scene->def;
    const size_t before =
        (size_t)(grown_at(h, bytes) - bytes) + tdi_grown_size_of(grown_at(h, bytes));
    bool good = (size - before) / sizeof(td_integrator) >= (size_t)def->object_count;
    for (int32_t k = 0; k < def->object_count && good; k++) {
        good = tdi_object_can_have(w, k, integrator_at(h, bytes, k));
    }
    return good;
}

// Whether a place has a variant that it can have: one of the scene's own actors has its own, or one
// of its object that was cut or has grown.
static bool fits_place(const td_world *w, const char *grown, int32_t k, int32_t variant) {
    int32_t object = w->scene->def.object_count - 1;
    while (object > 0 && w->objects[object].first_actor > k) {
        object--;
    }
    const tdi_object *o = &w->objects[object];
    const int32_t number = k - o->first_actor;
    const bool own = number < o->actor_count;
    if (variant >= w->variants.of_scene) {
        return tdi_grown_has(w, grown, variant, own ? object : TD_NONE);
    }
    const int32_t variants = w->scene->def.objects[object].instances.variants;
    return variant >= 0 && (!own || variant == o->first_variant + number % variants);
}

// Whether the first places are those of the scene, and all are of variants that there are.
static bool fits(const td_world *w, const head *h, const char *bytes, size_t size) {
    int32_t own = 0, grown = 0;
    for (int32_t k = 0; k < w->scene->def.object_count; k++) {
        own += w->objects[k].actor_count;
    }
    bool good = h->actors >= own && h->colliders >= w->scene->def.collider_count &&
                (size_t)h->actors <= (size - sizeof *h) / sizeof(int32_t) && h->applied >= 0 &&
                h->watched >= 0 && h->watched <= TDI_WATCH_MOST && h->slept >= 0 &&
                h->drives >= 0 && h->pushes >= 0 && h->added_constraints >= 0 && h->pairs >= 1 &&
                h->pairs <= TDI_PAIRS_MOST;
    good = good && alive_constraints(h, bytes, size) >= 0;
    for (int32_t k = 0; k < h->actors && good; k++) {
        grown += variant_at(bytes, k) >= w->variants.of_scene;
    }
    const char *at = good ? grown_at(h, bytes) : bytes;
    good = good && tdi_grown_size_at(w, at, size - (size_t)(at - bytes), grown) > 0;
    for (int32_t k = 0; k < h->actors && good; k++) {
        good = fits_place(w, at, k, variant_at(bytes, k));
    }
    return good && fits_integrators(w, h, bytes, size);
}

// Bytes that an actor of a variant adds to a save in which its object has this integrator.
static size_t variant_bytes(const td_world *w, int32_t variant, td_integrator integrator) {
    const tdi_variant *v = &w->variants.list[variant];
    const bool points = w->near.x && tdi_variant_has_contact(w, v->object, variant);
    tdi_actor any = {.alive = false};
    tdi_tape t = {NULL, NULL, 0, TD_OK};
    tdi_tape_actor_head(&t, &any);
    return sizeof(int32_t) + t.size + v->drawn_bytes +
           tdi_variant_adapt_bytes(w, variant, integrator) +
           (points ? (size_t)v->drawn_points * sizeof *w->near.last : 0) +
           (tdi_world_keeps_contact_forces(w, points)
                ? TDI_CONTACT_POINTS * (size_t)v->drawn_capsules * sizeof(td_vec3)
                : 0);
}

static size_t applied_force_bytes(int32_t count) {
    tdi_applied_force any = {.alive = false};
    tdi_tape t = {NULL, NULL, 0, TD_OK};
    tdi_tape_applied_force(&t, &any);
    return (size_t)count * t.size;
}

// Constraints that were added, of which so many are there.
static size_t constraint_bytes(int32_t places, int32_t alive) {
    tdi_constraint_slot any = {.alive = false};
    tdi_tape t = {NULL, NULL, 0, TD_OK};
    tdi_tape_added(&t, &any);
    tdi_tape_constraint(&t, &any);
    return (size_t)places * t.size + (size_t)alive * sizeof(tdi_constraint_state);
}

static size_t own_constraint_bytes(const td_world *w) {
    int32_t alive = 0;
    for (int32_t k = w->scene->def.constraint_count; k < w->constraints.slot_count; k++) {
        alive += w->constraints.slots[k].alive;
    }
    return constraint_bytes(tdi_world_count_added_constraints(w), alive);
}

static size_t watch_bytes(int32_t capacity) {
    return capacity > 0 ? sizeof(int32_t) + (size_t)capacity * sizeof(tdi_pair) : 0;
}

// Whether the save is as long as one with its places, of these variants, is.
static td_status check_size(td_world *w, const head *h, const char *bytes, size_t size,
                            const int32_t *variants, td_diag *diag) {
    tdi_collider_slot any = {.alive = false};
    tdi_tape t = {NULL, NULL, 0, TD_OK};
    size_t wanted = td_world_save_size(w), given = size;
    td_status status = TD_OK;
    for (int32_t k = 0; k < w->variants.count && status == TD_OK; k++) {
        status = w->variants.list[k].skeleton ? tdi_variant_draw(w, k, diag) : TD_OK;
    }
    given += tdi_grown_size(w);
    wanted += tdi_grown_size_of(grown_at(h, bytes));
    tdi_tape_collider(&t, &any);
    wanted += (size_t)h->colliders * t.size;
    given += (size_t)w->colliders.count * t.size;
    wanted += applied_force_bytes(h->applied) + watch_bytes(h->watched) +
              tdi_world_drive_bytes(h->drives);
    given += applied_force_bytes(w->loads.applied_count) + watch_bytes(w->watch.capacity) +
             tdi_world_drive_bytes(tdi_world_drive_count(w));
    const int32_t alive = alive_constraints(h, bytes, size);
    wanted += constraint_bytes(h->added_constraints, alive);
    given += own_constraint_bytes(w);
    wanted += (size_t)h->slept * sizeof *w->sleep.contacts;
    given += (size_t)tdi_world_count_sleeping_contacts(w) * sizeof *w->sleep.contacts;
    wanted += (size_t)h->pushes * sizeof(tdi_push_pair);
    given += (size_t)w->pushes.count * sizeof(tdi_push_pair);
    for (int32_t k = 0; k < w->actor_count && status == TD_OK; k++) {
        const int32_t object = w->actors[k].object;
        given += variant_bytes(w, w->actors[k].variant, w->scene->def.objects[object].integrator);
    }
    for (int32_t k = 0; k < h->actors && status == TD_OK; k++) {
        const int32_t object = w->variants.list[variants[k]].object;
        wanted += variant_bytes(w, variants[k], integrator_at(h, bytes, object));
    }
    return status == TD_OK && wanted != given ? other_scene(diag) : status;
}

// Out of memory it leaves a world without any that was added.
static td_status take_constraints(td_world *w, const head *h, const char *bytes, td_diag *diag) {
    const int32_t own = w->scene->def.constraint_count;
    tdi_tape t = {NULL, bytes, sizeof *h + (size_t)h->actors * sizeof(int32_t), TD_OK};
    w->constraints.slot_count = own + h->added_constraints;
    for (int32_t k = own; k < w->constraints.slot_count; k++) {
        tdi_tape_added(&t, &w->constraints.slots[k]);
    }
    td_status status = tdi_world_restore_constraints(w, diag);
    return status == TD_OK || status == TD_ERR_MEMORY ? status : other_scene(diag);
}

// Room for all places that the save names; variants and integrators are of the world.
static td_status make_places(td_world *w, const head *h, const int32_t *variants, tdi_watch *watch,
                             td_diag *diag) {
    td_status status = TD_OK;
    if (h->colliders > w->colliders.count) {
        status = td_world_reserve_colliders(w, h->colliders - w->colliders.count, diag);
    }
    if (status == TD_OK && h->applied > w->loads.applied_count) {
        status = td_world_reserve_grabs(w, h->applied - w->loads.applied_count, diag);
    }
    w->sleep.allowed = w->sleep.allowed || h->slept > 0;
    status = status == TD_OK ? tdi_world_sleep_room(w, h->slept) : status;
    status = status == TD_OK ? tdi_world_reserve_pushes(w, h->pushes) : status;
    status = status == TD_OK
                 ? tdi_world_constraint_room(w, (int64_t)w->scene->def.constraint_count +
                                                    h->added_constraints)
                 : status;
    status = status == TD_OK ? tdi_watch_make(w, h->watched, watch) : status;
    return status == TD_OK ? tdi_world_make_places(w, variants, h->actors, diag) : status;
}

// Objects get the integrators of the save, and what these need; which fails without memory.
static td_status take_integrators(td_world *w, const head *h, const char *bytes,
                                  const int32_t *variants, tdi_watch *watch, td_diag *diag) {
    td_object_def *objects = (td_object_def *)w->scene->def.objects; // the world's own copy
    const size_t count = (size_t)w->scene->def.object_count;
    td_integrator *before = tdi_alloc_zeroed(w->alloc, count + 1, sizeof *before);
    td_status status = before ? TD_OK : TD_ERR_MEMORY;
    for (size_t k = 0; k < count && status == TD_OK; k++) {
        before[k] = objects[k].integrator;
        objects[k].integrator = integrator_at(h, bytes, (int32_t)k);
    }
    for (int32_t k = 0; k < w->room.made_count && status == TD_OK; k++) {
        tdi_actor_set_integrator(&w->actors[k], objects[w->actors[k].object].integrator);
    }
    status = status == TD_OK ? make_places(w, h, variants, watch, diag) : status;
    for (size_t k = 0; k < count && before && status != TD_OK; k++) {
        objects[k].integrator = before[k];
    }
    tdi_world_end_adaptive(w);
    tdi_alloc_free(w->alloc, before, (count + 1) * sizeof *before);
    return status;
}

// Takes the places that the save names: first all memory, then what cannot fail.
static td_status take_places(td_world *w, const head *h, const char *bytes, size_t size,
                             td_diag *diag) {
    const size_t count = (size_t)h->actors + 1;
    tdi_watch watch = {.capacity = 0};
    tdi_grown_variants grown;
    td_status status = tdi_grown_take(w, grown_at(h, bytes), &grown, diag);
    int32_t *variants =
        status == TD_OK ? tdi_alloc_zeroed(w->alloc, count, sizeof *variants) : NULL;
    status = status == TD_OK && !variants ? TD_ERR_MEMORY : status;
    for (int32_t k = 0; k < h->actors && status == TD_OK; k++) {
        variants[k] = tdi_grown_variant(w, &grown, variant_at(bytes, k));
    }
    status = status == TD_OK ? check_size(w, h, bytes, size, variants, diag) : status;
    status = status == TD_OK ? take_integrators(w, h, bytes, variants, &watch, diag) : status;
    if (status == TD_OK) {
        tdi_world_take_places(w, variants, h->actors);
    }
    tdi_grown_end(w, &grown, status == TD_OK);
    tdi_alloc_free(w->alloc, variants, count * sizeof *variants);
    if (status != TD_OK) {
        tdi_watch_free(w, &watch);
        return status;
    }
    tdi_watch_free(w, &w->watch);
    w->watch = watch;
    w->colliders.count = h->colliders;
    w->loads.applied_count = h->applied;
    return h->added_constraints > 0 || tdi_world_count_added_constraints(w) > 0
               ? take_constraints(w, h, bytes, diag)
               : TD_OK;
}

static bool same_places(const td_world *w, const head *h, const char *bytes) {
    bool same = h->actors == w->actor_count && h->colliders == w->colliders.count &&
                h->applied == w->loads.applied_count && h->watched == w->watch.capacity &&
                h->slept == tdi_world_count_sleeping_contacts(w) && h->pushes == w->pushes.count &&
                h->drives == tdi_world_drive_count(w) && h->added_constraints == 0 &&
                tdi_world_count_added_constraints(w) == 0 &&
                tdi_grown_is_same(w, grown_at(h, bytes));
    for (int32_t k = 0; k < w->actor_count && same; k++) {
        same = variant_at(bytes, k) == w->actors[k].variant;
    }
    for (int32_t k = 0; k < w->scene->def.object_count && same; k++) {
        same = integrator_at(h, bytes, k) == w->scene->def.objects[k].integrator;
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
    if (h->magic != MAGIC || h->version != VERSION || h->shape != w->parameters.shape) {
        return other_scene(diag);
    }
    if (sum != tdi_digest(size - sizeof sum, bytes, size - sizeof sum)) {
        return tdi_fail(diag, TD_ERR_SYNTAX,
                        "the checkpoint is damaged: its checksum is not that of its bytes");
    }
    if (h->contact != w->parameters.contact) {
        return tdi_fail(diag, TD_ERR_SYNTAX,
                        "the checkpoint belongs to a scene with other colliders (shapes, sizes, "
                        "heights, friction) or other options of contact");
    }
    return h->step < 0 || h->step > MAX_STEP || !fits(w, h, bytes, size) ? other_scene(diag)
                                                                         : TD_OK;
}

static bool has_segment(const td_world *w, int64_t actor, int64_t segment) {
    return actor >= 0 && actor < w->actor_count && segment >= 0 &&
           segment < w->actors[actor].segment_count;
}

// Forces of a program on segments that are not there end.
static void check_forces(td_world *w) {
    tdi_grab *g = &w->loads.grab;
    g->held = g->held && has_segment(w, g->actor, g->segment);
    g->twist = has_segment(w, g->twist_actor, g->twist_segment) ? g->twist : 0;
    for (int32_t k = 0; k < w->loads.applied_count; k++) {
        tdi_applied_force *h = &w->loads.applied[k];
        h->alive = h->alive && has_segment(w, h->actor, h->segment);
    }
}

// What follows from what was read.
static td_status follow_save(td_world *w, td_diag *diag) {
    tdi_world_stop_colliders(w);
    tdi_world_forget_places(w);
    w->islands.regroup = true;
    for (int32_t k = 0; k < w->actor_count; k++) { // what constraints hold cannot leave
        tdi_actor *a = &w->actors[k];
        a->alive = a->alive || w->constraints.group_of[k] != TD_NONE;
    }
    for (int32_t k = 0; k < w->actor_count; k++) {
        tdi_attachment *c = &w->actors[k].attachment;
        const bool fine = c->actor >= 0 && c->actor < w->actor_count && c->actor != k &&
                          c->segment >= 0 && c->segment < w->actors[c->actor].segment_count &&
                          c->constraint >= TD_NONE && c->constraint < w->constraints.slot_count;
        c->actor = fine ? c->actor : TD_NONE;
    }
    check_forces(w);
    w->islands.count = 0; // their contacts are not those of the save
    tdi_world_follow_activity(w);
    tdi_world_check_sleeping_contacts(w);
    tdi_world_check_pushes(w);
    td_status status = tdi_world_stiffen(w, diag);
    for (int32_t k = 0; k < w->loads.wind_count && status == TD_OK; k++) {
        status = tdi_world_remake_wind(w, k, diag); // its parameters may have been set
    }
    return status;
}

// Where a search finds more than the limit on a long way it tries a shorter one: the limit counts.
static td_status take_pairs(td_world *w, int32_t pairs, td_diag *diag) {
    if (pairs == w->near.pairs) {
        return TD_OK;
    }
    return tdi_world_limit_pairs(w, pairs, diag);
}

td_status td_world_restore(td_world *w, const void *bytes, size_t size, td_diag *diag) {
    TDI_REFUSE_IF(!w || !bytes);
    head h;
    TDI_TRY(check_save(w, bytes, size, &h, diag));
    const int32_t pairs = w->near.pairs;
    td_status status = take_pairs(w, h.pairs, diag);
    if (status != TD_OK) {
        return status;
    }
    if (!same_places(w, &h, bytes)) {
        status = take_places(w, &h, bytes, size, diag);
    } else if (size !=
               td_world_save_size(w) - tdi_grown_size(w) + tdi_grown_size_of(grown_at(&h, bytes))) {
        status = other_scene(diag);
    }
    if (status != TD_OK) {
        take_pairs(w, pairs, NULL); // there is room for as many
        return status;
    }
    tdi_tape t = {NULL, bytes, 0, TD_OK};
    tdi_world_poses_changed(w);
    tape_world(&t, w);
    if (t.status != TD_OK) {
        return tdi_fail(diag, t.status, "out of memory for what the checkpoint drives");
    }
    w->ids.restored = true;
    return follow_save(w, diag);
}
