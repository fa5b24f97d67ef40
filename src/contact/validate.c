// SPDX-License-Identifier: MIT
// What every set of contacts keeps to. Called when pairs were looked for, in debug builds alone.

#include "contact/store.h"

#include <math.h>

static void validate_capsules(const tdi_contacts *c) {
    for (int32_t i = 0; i < c->capsule_count; i++) {
        const tdi_capsule *k = &c->capsule[i];
        TDI_ASSERT(k->a >= 0 && k->a < c->point_count && k->b >= 0 && k->b < c->point_count);
        TDI_ASSERT(k->radius > 0 && isfinite(k->radius));
    }
}

// Pairs of capsules are in order and none is there twice; those with colliders come after them.
void tdi_contacts_validate(const tdi_contacts *c) {
    validate_capsules(c);
    TDI_ASSERT(c->collider_count >= 0 && c->collider_count <= c->collider_limit);
    TDI_ASSERT(c->self_count >= 0 && c->self_count <= c->pair_count);
    TDI_ASSERT(c->pair_count <= c->capacity.pairs);
    for (int32_t k = 0; k < c->pair_count; k++) {
        const int32_t i = c->pair[k].i, j = c->pair[k].j;
        TDI_ASSERT(i >= 0 && i < c->capsule_count && j > i);
        if (k < c->self_count) {
            TDI_ASSERT(j < c->capsule_count);
            TDI_ASSERT(k == 0 || c->pair[k - 1].i < i ||
                       (c->pair[k - 1].i == i && c->pair[k - 1].j < j));
        } else {
            TDI_ASSERT(j >= c->capsule_count && j < c->capsule_count + c->collider_count);
        }
    }
}
