// SPDX-License-Identifier: MIT
// Saves of what was cut or has grown.
//
// Bytes     size, counts; variants of their own, each with its size, object, skeleton and springs
//           as it was made; severed pairs; places of probes; loads of the scene on actors with such
//           variants.
// Variants  are packed once, when they are made: saving copies and comparing compares bytes.

#include "world/saving_variants.h"

#include "base/alloc.h"
#include "base/diag.h"
#include "plant/bytes.h"
#include "world/regrow.h"

#include <string.h>

enum { NOT_ACTING = -2 };

typedef struct head {
    uint64_t bytes; // of all
    int32_t variants, severed, probes, loads;
} head;

typedef struct variant_head {
    uint64_t bytes;       // with this; as many when the variant is free
    int32_t object, kind; // 1 and the numbers a segment; 0: it is free
} variant_head;

typedef struct acting_item {
    td_vec3 tip;
    int32_t segment, spare;
} acting_item;

// ---- variants -------------------------------------------------------------------------------

// Numbers of springs a segment, or none of a model that is packed as it is.
static int32_t spring_numbers(const tdi_variant *v) {
    td_real any[TDI_SPRINGS];
    return tdi_transfer_of(v->solver)->pack
               ? 0
               : tdi_transfer_of(v->solver)->springs(v->model, 0, false, any);
}

static size_t model_bytes(const tdi_variant *v, int32_t numbers) {
    return tdi_transfer_of(v->solver)->pack
               ? tdi_transfer_of(v->solver)->pack(v->model, NULL)
               : (size_t)td_skeleton_count(v->skeleton) * (size_t)numbers * sizeof(td_real);
}

static void write_model(const tdi_variant *v, int32_t numbers, char *bytes) {
    const size_t row = (size_t)numbers * sizeof(td_real);
    td_real own[TDI_SPRINGS];
    if (tdi_transfer_of(v->solver)->pack) {
        tdi_transfer_of(v->solver)->pack(v->model, bytes);
        return;
    }
    for (int32_t i = 0; i < td_skeleton_count(v->skeleton); i++, bytes += row) {
        tdi_transfer_of(v->solver)->springs(v->model, i, false, own);
        memcpy(bytes, own, row);
    }
}

static void read_springs(const tdi_variant *v, int32_t numbers, const char *bytes) {
    const size_t row = (size_t)numbers * sizeof(td_real);
    td_real own[TDI_SPRINGS];
    for (int32_t i = 0; i < td_skeleton_count(v->skeleton); i++, bytes += row) {
        memcpy(own, bytes, row);
        tdi_transfer_of(v->solver)->springs(v->model, i, true, own);
    }
}

td_status tdi_variant_pack(td_world *w, int32_t variant) {
    tdi_variant *v = &w->variants.list[variant];
    const int32_t numbers = spring_numbers(v);
    const size_t skeleton = tdi_skeleton_bytes(v->skeleton);
    const variant_head h = {sizeof h + skeleton + model_bytes(v, numbers), v->object, 1 + numbers};
    char *bytes =
        v->packed_bytes == h.bytes ? v->packed : tdi_arena_zeroed(&v->arena, (size_t)h.bytes, 1);
    TDI_TRY(bytes ? TD_OK : TD_ERR_MEMORY);
    memcpy(bytes, &h, sizeof h);
    tdi_skeleton_write(v->skeleton, bytes + sizeof h);
    if (v->made) { // as it was made
        tdi_variant_follow_factors(w, v, w->objects[v->object].made);
    }
    write_model(v, numbers, bytes + sizeof h + skeleton);
    if (v->made) {
        tdi_variant_follow_factors(w, v, w->objects[v->object].factors);
    }
    v->packed = bytes;
    v->packed_bytes = (size_t)h.bytes;
    return TD_OK;
}

// The model of a variant that has its skeleton, of the bytes that are left.
static td_status unpack_model(td_world *w, int32_t variant, const char *bytes, size_t size,
                              int32_t numbers, td_diag *diag) {
    tdi_variant *v = &w->variants.list[variant];
    if (tdi_transfer_of(v->solver)->pack) {
        td_status status = tdi_variant_measure(w, v);
        return status == TD_OK ? tdi_transfer_of(v->solver)->unpack(v->skeleton, bytes, size,
                                                                    w->alloc, &v->model, diag)
                               : status;
    }
    td_status status =
        tdi_transfer_of(v->solver)->springs ? tdi_variant_plain(w, variant, diag) : TD_ERR_SYNTAX;
    if (status == TD_OK && (numbers != spring_numbers(v) || size != model_bytes(v, numbers))) {
        status = tdi_fail(diag, TD_ERR_SYNTAX, "a model of the save is not whole");
    }
    if (status == TD_OK) {
        read_springs(v, numbers, bytes);
    }
    return status;
}

// A variant as it was packed: its number, or TD_NONE.
static td_status unpack(td_world *w, const char *bytes, int32_t *out, td_diag *diag) {
    variant_head h;
    td_skeleton *skeleton = NULL;
    size_t used;
    memcpy(&h, bytes, sizeof h);
    const size_t room = (size_t)h.bytes - sizeof h;
    TDI_TRY(tdi_skeleton_read(bytes + sizeof h, room, w->alloc, &skeleton, &used, diag));
    const int32_t first = w->objects[h.object].first_variant;
    *out = tdi_world_take_variant(w, h.object, w->variants.list[first].solver, skeleton);
    td_status status = *out == TD_NONE ? TD_ERR_MEMORY
                                       : unpack_model(w, *out, bytes + sizeof h + used, room - used,
                                                      h.kind - 1, diag);
    status = status == TD_OK ? tdi_variant_end_model(w, *out, diag) : status;
    return status == TD_OK ? tdi_variant_pack(w, *out) : status;
}

// ---- writing --------------------------------------------------------------------------------

static size_t variants_bytes(const td_world *w) {
    size_t sum = 0;
    for (int32_t k = w->variants.of_scene; k < w->variants.count; k++) {
        sum +=
            w->variants.list[k].skeleton ? w->variants.list[k].packed_bytes : sizeof(variant_head);
    }
    return sum;
}

static int32_t own_actors(const td_world *w) {
    int32_t count = 0;
    for (int32_t k = 0; k < w->actor_count; k++) {
        count += w->variants.list[w->actors[k].variant].own;
    }
    return count;
}

size_t tdi_grown_size(const td_world *w) {
    return sizeof(head) + variants_bytes(w) + (size_t)w->severed.count * sizeof *w->severed.pair +
           (size_t)w->scene->def.record.probe_count * 2 * sizeof(int32_t) +
           (size_t)own_actors(w) * (size_t)w->scene->def.load_count * sizeof(acting_item);
}

static char *put(char *to, const void *from, size_t bytes) {
    if (bytes > 0) {
        memcpy(to, from, bytes);
    }
    return to + bytes;
}

static acting_item acting_of(const tdi_actor *a, int32_t load) {
    acting_item item = {.segment = NOT_ACTING};
    for (int32_t k = 0; k < a->load.acting_count; k++) {
        if (a->load.acting[k].load == load) {
            item.segment = a->load.acting[k].spot.segment;
            item.tip = a->load.acting[k].spot.tip;
        }
    }
    return item;
}

void tdi_grown_write(const td_world *w, char *bytes) {
    const td_scene_def *def = &w->scene->def;
    const head h = {tdi_grown_size(w), w->variants.count - w->variants.of_scene, w->severed.count,
                    def->record.probe_count, def->load_count};
    bytes = put(bytes, &h, sizeof h);
    for (int32_t k = w->variants.of_scene; k < w->variants.count; k++) {
        const tdi_variant *v = &w->variants.list[k];
        const variant_head none = {sizeof none, 0, 0};
        bytes =
            v->skeleton ? put(bytes, v->packed, v->packed_bytes) : put(bytes, &none, sizeof none);
    }
    bytes = put(bytes, w->severed.pair, (size_t)w->severed.count * sizeof *w->severed.pair);
    for (int32_t k = 0; k < def->record.probe_count; k++) {
        bytes = put(bytes, &w->probes.spots[k].actor, sizeof(int32_t));
        bytes = put(bytes, &w->probes.spots[k].segment, sizeof(int32_t));
    }
    for (int32_t k = 0; k < w->actor_count; k++) {
        for (int32_t i = 0; w->variants.list[w->actors[k].variant].own && i < def->load_count;
             i++) {
            const acting_item item = acting_of(&w->actors[k], i);
            bytes = put(bytes, &item, sizeof item);
        }
    }
}

// ---- looking --------------------------------------------------------------------------------

static head head_at(const char *bytes) {
    head h;
    memcpy(&h, bytes, sizeof h);
    return h;
}

static variant_head variant_at(const char *bytes) {
    variant_head h;
    memcpy(&h, bytes, sizeof h);
    return h;
}

// Where the variants begin, and one past the one at `at`.
static const char *first_variant(const char *bytes) {
    return bytes + sizeof(head);
}

size_t tdi_grown_size_at(const td_world *w, const char *bytes, size_t most, int32_t actors) {
    const td_scene_def *def = &w->scene->def;
    if (most < sizeof(head)) {
        return 0;
    }
    const head h = head_at(bytes);
    bool good = h.bytes >= sizeof h && h.bytes <= most && h.variants >= 0 && h.severed >= 0 &&
                h.probes == def->record.probe_count && h.loads == def->load_count;
    size_t left = good ? (size_t)h.bytes - sizeof h : 0;
    const char *at = first_variant(bytes);
    for (int32_t k = 0; k < h.variants && good; k++) {
        const variant_head v = left >= sizeof v ? variant_at(at) : (variant_head){0};
        good = v.bytes >= sizeof v && v.bytes <= left && v.object >= 0 &&
               v.object < def->object_count && v.kind >= 0 && v.kind <= TDI_SPRINGS + 1;
        left -= good ? v.bytes : 0;
        at += good ? v.bytes : 0;
    }
    const size_t rest = (size_t)h.probes * 2 * sizeof(int32_t) +
                        (size_t)actors * (size_t)h.loads * sizeof(acting_item);
    good = good && left >= rest && (left - rest) / sizeof(tdi_severed_pair) == (size_t)h.severed &&
           (left - rest) % sizeof(tdi_severed_pair) == 0;
    return good ? (size_t)h.bytes : 0;
}

size_t tdi_grown_size_of(const char *bytes) {
    return (size_t)head_at(bytes).bytes;
}

bool tdi_grown_is_same(const td_world *w, const char *bytes) {
    const head h = head_at(bytes);
    const char *at = first_variant(bytes);
    bool same =
        h.variants == w->variants.count - w->variants.of_scene && h.severed <= w->severed.capacity;
    for (int32_t k = 0; k < h.variants && same; k++) {
        const tdi_variant *v = &w->variants.list[w->variants.of_scene + k];
        const variant_head s = variant_at(at);
        same = v->skeleton
                   ? s.bytes == v->packed_bytes && memcmp(at, v->packed, (size_t)s.bytes) == 0
                   : s.kind == 0;
        at += s.bytes;
    }
    return same;
}

bool tdi_grown_has(const td_world *w, const char *bytes, int32_t variant, int32_t object) {
    const head h = head_at(bytes);
    const char *at = first_variant(bytes);
    const int32_t wanted = variant - w->variants.of_scene;
    if (wanted < 0 || wanted >= h.variants) {
        return false;
    }
    for (int32_t k = 0; k < wanted; k++) {
        at += variant_at(at).bytes;
    }
    const variant_head v = variant_at(at);
    return v.kind > 0 && v.object < w->scene->def.object_count &&
           (object == TD_NONE || v.object == object);
}

// ---- taking ---------------------------------------------------------------------------------

static bool is_packed(const tdi_variant *v, const char *bytes, size_t size) {
    return v->skeleton && v->packed_bytes == size && memcmp(v->packed, bytes, size) == 0;
}

// Those that are there come first: what is made for the save takes places that are free.
static void match_variants(const td_world *w, const char *bytes, tdi_grown_variants *g) {
    const char *at = first_variant(bytes);
    for (int32_t k = 0; k < g->count; k++) {
        const size_t size = (size_t)variant_at(at).bytes;
        const int32_t slot = w->variants.of_scene + k;
        const bool there = slot < g->before && is_packed(&w->variants.list[slot], at, size);
        g->at[k] = there ? slot : TD_NONE;
        at += size;
    }
}

static td_status take_variants(td_world *w, const char *bytes, tdi_grown_variants *g,
                               td_diag *diag) {
    const char *at = first_variant(bytes);
    td_status status = TD_OK;
    match_variants(w, bytes, g);
    for (int32_t k = 0; k < g->count && status == TD_OK; k++) {
        const variant_head v = variant_at(at);
        if (g->at[k] == TD_NONE && v.kind > 0) {
            g->fresh[k] = true;
            status = unpack(w, at, &g->at[k], diag);
        }
        at += v.bytes;
    }
    return status;
}

td_status tdi_grown_take(td_world *w, const char *bytes, tdi_grown_variants *out, td_diag *diag) {
    const head h = head_at(bytes);
    const size_t room = (size_t)h.variants + 1;
    *out = (tdi_grown_variants){.count = h.variants, .before = w->variants.count};
    out->at = tdi_alloc_zeroed(w->alloc, room, sizeof *out->at);
    out->fresh = tdi_alloc_zeroed(w->alloc, room, sizeof *out->fresh);
    out->kept = tdi_alloc_zeroed(w->alloc, room, sizeof *out->kept);
    td_status status = out->at && out->fresh && out->kept ? TD_OK : TD_ERR_MEMORY;
    for (int32_t k = 0; k < h.variants && status == TD_OK; k++) {
        out->at[k] = TD_NONE;
    }
    // unused numbers of the save need room too, for renumber()
    status =
        status == TD_OK ? tdi_world_variant_room(w, w->variants.of_scene + h.variants) : status;
    status = status == TD_OK ? tdi_severed_reserve(&w->severed, h.severed, w->alloc) : status;
    return status == TD_OK ? take_variants(w, bytes, out, diag) : status;
}

int32_t tdi_grown_variant(const td_world *w, const tdi_grown_variants *g, int32_t variant) {
    return variant < w->variants.of_scene ? variant : g->at[variant - w->variants.of_scene];
}

// Which of the save a variant is, or TD_NONE.
static int32_t number_of(const td_world *w, const tdi_grown_variants *g, int32_t variant) {
    for (int32_t k = 0; k < g->count; k++) {
        if (g->at[k] == variant) {
            return w->variants.of_scene + k;
        }
    }
    return TD_NONE;
}

// Whether a variant of its own goes: those that the save does not have, or those made for it.
static bool leaves(const td_world *w, const tdi_grown_variants *g, int32_t variant, bool commit) {
    const int32_t k = number_of(w, g, variant) - w->variants.of_scene;
    return w->variants.list[variant].own && (commit ? k < 0 : k >= 0 && g->fresh[k]);
}

// Actors in reserve whose variant goes.
static void drop_reserve(td_world *w, const tdi_grown_variants *g, bool commit) {
    for (int32_t k = w->room.made_count - 1; k >= w->actor_count; k--) {
        tdi_actor *a = &w->actors[k];
        if (leaves(w, g, a->variant, commit)) {
            w->room.segment_count -= a->segment_count;
            tdi_actor_free(a);
            w->room.made_count--;
            *a = w->actors[w->room.made_count];
        }
    }
}

// All variants have the numbers of the save.
static void renumber(td_world *w, tdi_grown_variants *g) {
    for (int32_t k = 0; k < w->room.made_count; k++) {
        if (w->variants.list[w->actors[k].variant].own) {
            w->actors[k].variant = number_of(w, g, w->actors[k].variant);
        }
    }
    for (int32_t k = 0; k < g->count; k++) {
        g->kept[k] = g->at[k] == TD_NONE ? (tdi_variant){.own = true} : w->variants.list[g->at[k]];
    }
    w->variants.count = w->variants.of_scene + g->count;
    memcpy(w->variants.list + w->variants.of_scene, g->kept, (size_t)g->count * sizeof *g->kept);
}

void tdi_grown_end(td_world *w, tdi_grown_variants *g, bool commit) {
    const size_t room = (size_t)g->count + 1;
    if (g->at && g->fresh && g->kept) {
        drop_reserve(w, g, commit);
        for (int32_t k = w->variants.of_scene; k < w->variants.count; k++) {
            if (leaves(w, g, k, commit)) {
                tdi_world_drop_variant(w, k);
            }
        }
        if (commit) {
            renumber(w, g);
        } else {
            w->variants.count = g->before;
        }
    }
    tdi_alloc_free(w->alloc, g->at, room * sizeof *g->at);
    tdi_alloc_free(w->alloc, g->fresh, room * sizeof *g->fresh);
    tdi_alloc_free(w->alloc, g->kept, room * sizeof *g->kept);
}

// ---- reading --------------------------------------------------------------------------------

static bool is_segment(const td_world *w, int32_t actor, int32_t segment) {
    return actor >= 0 && actor < w->actor_count && segment >= 0 &&
           segment < w->actors[actor].segment_count;
}

static const char *get(void *to, const char *from, size_t bytes) {
    memcpy(to, from, bytes);
    return from + bytes;
}

static const char *read_probes(td_world *w, const char *at) {
    for (int32_t k = 0; k < w->scene->def.record.probe_count; k++) {
        int32_t spot[2];
        at = get(spot, at, sizeof spot);
        if (is_segment(w, spot[0], spot[1])) {
            w->probes.spots[k].actor = spot[0];
            w->probes.spots[k].segment = spot[1];
        }
    }
    return at;
}

static const char *read_acting(td_world *w, int32_t actor, const char *at) {
    tdi_actor *a = &w->actors[actor];
    a->load.acting_count = 0;
    for (int32_t k = 0; k < w->scene->def.load_count; k++) {
        const td_scene_load *l = &w->scene->def.loads[k];
        const bool spot = l->kind == TD_SCENE_PULL || l->kind == TD_SCENE_PUSH;
        acting_item item;
        at = get(&item, at, sizeof item);
        if (spot ? !is_segment(w, actor, item.segment) : item.segment == NOT_ACTING) {
            continue;
        }
        a->load.acting[a->load.acting_count++] =
            (tdi_acting){.load = k,
                         .spot = {spot ? actor : TD_NONE, spot ? item.segment : TD_NONE, item.tip},
                         .keyed = tdi_load_keyed(w, k)};
    }
    return at;
}

void tdi_grown_read(td_world *w, const char *bytes) {
    const head h = head_at(bytes);
    const char *at = first_variant(bytes);
    for (int32_t k = 0; k < h.variants; k++) {
        at += variant_at(at).bytes;
    }
    if (h.severed > 0) {
        at = get(w->severed.pair, at, (size_t)h.severed * sizeof *w->severed.pair);
    }
    w->severed.count = h.severed;
    at = read_probes(w, at);
    for (int32_t k = 0; k < w->actor_count; k++) {
        if (w->variants.list[w->actors[k].variant].own) {
            at = read_acting(w, k, at);
        }
    }
    tdi_world_share_severed(w);
}

void tdi_world_share_severed(td_world *w) {
    for (int32_t k = 0; k < w->actor_count; k++) {
        if (w->variants.list[w->actors[k].variant].own) {
            w->actors[k].state->collision.severed = &w->severed;
            w->actors[k].state->collision.number = k;
        }
    }
}
