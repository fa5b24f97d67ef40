// SPDX-License-Identifier: MIT
// What every set of contacts keeps to. Called when pairs were looked for, in debug builds alone.

#include "contact/contact_set.h"

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
    TDI_ASSERT(c->colliders.count >= 0 && c->colliders.count <= c->limits.colliders);
    TDI_ASSERT(c->pairs.self_count >= 0 && c->pairs.self_count <= c->pairs.count);
    TDI_ASSERT(c->pairs.count <= c->limits.capacity.pairs);
    for (int32_t k = 0; k < c->pairs.count; k++) {
        const int32_t i = c->pairs.item[k].i, j = c->pairs.item[k].j;
        TDI_ASSERT(i >= 0 && i < c->capsule_count && j > i);
        if (k < c->pairs.self_count) {
            TDI_ASSERT(j < c->capsule_count);
            TDI_ASSERT(k == 0 || c->pairs.item[k - 1].i < i ||
                       (c->pairs.item[k - 1].i == i && c->pairs.item[k - 1].j < j));
        } else {
            TDI_ASSERT(j >= c->capsule_count && j < c->capsule_count + c->colliders.count);
        }
    }
}
