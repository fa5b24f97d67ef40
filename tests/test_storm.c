// SPDX-License-Identifier: MIT
// Random plants in storms. Pairs with src/implicit/newton.c and the solvers' positive models.

#include "cases/storm.h"
#include "td_test.h"

TD_TEST(storm_plants_are_the_same_for_the_same_seed) {
    for (uint64_t seed = 1; seed <= 200; seed++) {
        OWNED(td_skeleton) *a = NULL, *b = NULL;
        CHECK_INT(storm_plant_new(seed, &a, NULL), TD_OK);
        CHECK_INT(storm_plant_new(seed, &b, NULL), TD_OK);
        const int32_t count = td_skeleton_count(a);
        CHECK_INT(td_skeleton_count(b), count);
        CHECK_IN(count, 3, 60);
        for (int32_t i = 0; i < count; i++) {
            const td_segment *s = &td_skeleton_segments(a)[i], *t = &td_skeleton_segments(b)[i];
            CHECK(s->mass == t->mass && s->stiffness.x == t->stiffness.x);
        }
    }
}
