// SPDX-License-Identifier: MIT
#pragma once

// What a save holds of actors that were cut or have grown: their skeletons and springs, severed
// pairs, and what follows segments.

#include "world/world.h"

// In the arena of a variant of its own, once its model is made: its bytes in saves.
td_status tdi_variant_pack(td_world *world, int32_t variant);

// The part of a save, which begins with its own size.
size_t tdi_grown_size(const td_world *world);
void tdi_grown_write(const td_world *world, char *bytes);
// Reads its size, of at most so many bytes, for so many actors with variants of their own; 0: it is
// none.
size_t tdi_grown_size_at(const td_world *world, const char *bytes, size_t most, int32_t actors);
size_t tdi_grown_size_of(const char *bytes); // of one that was read so
// Whether the world has the variants that it names, and room for the rest.
bool tdi_grown_is_same(const td_world *world, const char *bytes);
// Whether a variant is one of its own, of this object.
bool tdi_grown_has(const td_world *world, const char *bytes, int32_t variant, int32_t object);

// Variants of a save that the world is about to take over.
typedef struct tdi_grown_variants {
    int32_t count;     // of its own, in the save
    int32_t before;    // variants of the world
    int32_t *at;       // of one of its own: where it is in the world for now, or TD_NONE
    bool *fresh;       // it was made
    tdi_variant *kept; // room for all
} tdi_grown_variants;

// Makes those that are missing, behind all others.
td_status tdi_grown_take(td_world *world, const char *bytes, tdi_grown_variants *out,
                         td_diag *diag);
// The world's number of a variant of the save.
int32_t tdi_grown_variant(const td_world *world, const tdi_grown_variants *taken, int32_t variant);
// After places were taken: variants and actors that nobody needs go, and all have the numbers of
// the save. Or, without: those that were made go.
void tdi_grown_end(td_world *world, tdi_grown_variants *taken, bool commit);

// Takes all else of the part, when variants and places are those of the save.
void tdi_grown_read(td_world *world, const char *bytes);
// Gives states the severed pairs.
void tdi_world_share_severed(td_world *world);
