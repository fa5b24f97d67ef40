// SPDX-License-Identifier: MIT
// Worlds as bytes: what the future depends on beside the scene.

#include "tree/saving.h"
#include "world/world.h"

#include <string.h>

#define MAGIC   0x746e6474u // "tdnt"
#define VERSION 1u

typedef struct head {
    uint32_t magic, version;
    uint64_t shape; // of the world: counts, step and sizes, mixed
    int64_t step;
    tdi_grab grab;
} head;

typedef struct actor_head {
    tdi_pose base, simulated;
    td_step_stats stats;
    td_real largest_force;
} actor_head;

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
    hash = mix(hash, &w->dt, sizeof w->dt);
    hash = mix(hash, &w->wind_count, sizeof w->wind_count);
    for (int32_t k = 0; k < w->actor_count; k++) {
        const td_tree_model *m = w->actors[k].state->model;
        hash = mix(hash, &m->body_count, sizeof m->body_count);
        hash = mix(hash, m->body, (size_t)m->body_count * sizeof *m->body);
    }
    return hash;
}

size_t td_world_save_size(const td_world *w) {
    size_t size = sizeof(head) + (size_t)w->wind_count * sizeof(td_wind_state);
    for (int32_t k = 0; k < w->actor_count; k++) {
        size += sizeof(actor_head) + tdi_tree_save_size(w->actors[k].state);
    }
    return size;
}

void td_world_save(const td_world *w, void *bytes) {
    char *to = bytes;
    head h;
    memset(&h, 0, sizeof h);
    h.magic = MAGIC;
    h.version = VERSION;
    h.shape = shape_of(w);
    h.step = w->step;
    h.grab = w->grab;
    memcpy(to, &h, sizeof h);
    to += sizeof h;
    for (int32_t k = 0; k < w->wind_count; k++, to += sizeof(td_wind_state)) {
        memcpy(to, &w->winds[k].state, sizeof(td_wind_state));
    }
    for (int32_t k = 0; k < w->actor_count; k++) {
        const tdi_actor *a = &w->actors[k];
        actor_head ah = {a->base, a->simulated, a->stats, a->largest_force};
        memcpy(to, &ah, sizeof ah);
        to += sizeof ah;
        tdi_tree_save(a->state, to);
        to += tdi_tree_save_size(a->state);
    }
}

td_status td_world_restore(td_world *w, const void *bytes, size_t size, td_diag *diag) {
    const char *from = bytes;
    head h;
    if (size != td_world_save_size(w)) {
        return tdi_fail(diag, TD_ERR_SYNTAX, "the checkpoint is of another scene, or cut off");
    }
    memcpy(&h, from, sizeof h);
    if (h.magic != MAGIC || h.version != VERSION || h.shape != shape_of(w) || h.step < 0) {
        return tdi_fail(diag, TD_ERR_SYNTAX,
                        "the checkpoint is of another scene or of another version");
    }
    from += sizeof h;
    w->step = h.step;
    w->grab = h.grab;
    for (int32_t k = 0; k < w->wind_count; k++, from += sizeof(td_wind_state)) {
        memcpy(&w->winds[k].state, from, sizeof(td_wind_state));
    }
    for (int32_t k = 0; k < w->actor_count; k++) {
        tdi_actor *a = &w->actors[k];
        actor_head ah;
        memcpy(&ah, from, sizeof ah);
        from += sizeof ah;
        a->base = ah.base;
        a->simulated = ah.simulated;
        a->stats = ah.stats;
        a->largest_force = ah.largest_force;
        tdi_tree_restore(a->state, from);
        from += tdi_tree_save_size(a->state);
    }
    return TD_OK;
}
