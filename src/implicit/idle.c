// SPDX-License-Identifier: MIT
// Members that stay where they are while others go on.
//
// Method   Newton's method converges at different speeds in different places of a heap: most of it
//          lies still and is done after an iteration or two, while a few members roll on or are
//          hit. A member whose increment is small, and whose contacts it leaves as they are, is
//          idle: it has no unknowns, and is to the others what a collider is. When these are done,
//          all are awake again for an iteration, which shows whether that was right.

#include "implicit/touch.h"

#include <string.h>

#define WORTHWHILE 0.5 // of all members must be idle at least

void tdi_touch_wake(tdi_touch *t) {
    t->idle_count = 0;
    if (t->set) {
        tdi_contacts_rest(t->set, NULL);
    }
}

bool tdi_touch_idle(tdi_touch *t, const tdi_system *y, td_real small) {
    int32_t count, idle = 0;
    const tdi_contact *list = tdi_contacts_list(t->set, &count);
    for (int32_t k = 0; k < y->count; k++) {
        const tdi_member *m = &y->member[k];
        t->idle[k] = m->ops->largest && m->ops->largest(m->body) <= small;
    }
    for (int32_t k = 0; k < count; k++) {
        if (!tdi_contact_calm(t, &list[k])) {
            t->idle[t->owner[list[k].capsule]] = false;
            if (list[k].other < t->capsule_count) {
                t->idle[t->owner[list[k].other]] = false;
            }
        }
    }
    for (int32_t k = 0; k < y->count; k++) {
        const int32_t first = t->first_capsule[k], own = t->first_capsule[k + 1] - first;
        idle += t->idle[k];
        memset(t->resting + first, t->idle[k], (size_t)own * sizeof *t->resting);
    }
    if (idle < WORTHWHILE * y->count || idle == y->count) {
        return false;
    }
    t->idle_count = idle;
    tdi_contacts_rest(t->set, t->resting);
    return true;
}
