// SPDX-License-Identifier: MIT
// Actors that are cut and that grow while a world runs. Pairs with src/world/regrow.c, src/plant/cut.c
// and src/*/inherit.c.

#include "test_world_support.h"

#include <stdio.h>

// ---- momentum at a cut ----------------------------------------------------------------------

// A strand that swings: pinned above, pushed aside for a while.
#define SWING(solver, more)                                                                      \
    "{objects: [{name: rope, position: [0, 2, 0], solver: " solver ", " more "start: drawn,\n"   \
    "  strand: {points: [[0, 0, 0], [0.6, -0.5, 0.1]], segments: 12, radius: 0.01}}],\n"         \
    " loads: [{push: {force: [0.5, 0.2, 1.5], segment: 9, end: 0.3}}]}"

static td_vec3 difference(td_vec3 a, td_vec3 b, td_vec3 whole) {
    return tdi_sub(whole, tdi_add(a, b));
}

// How much of the momentum is lost, over the momentum.
static void lost_momentum(const char *text, int32_t segment, td_real place, td_real lost[2]) {
    stage s = stage_of(text);
    td_actor_id fallen;
    td_diag diag = {.message = ""};
    run_to(s.world, 0.5);
    const td_sums whole = td_world_actor_sums(s.world, 0);
    CHECK_INT(td_world_cut_actor(s.world, td_world_actor_id(s.world, 0), segment, place, &fallen,
                                 &diag),
              TD_OK);
    CHECK_SAY(diag.message[0] == 0, "%s", diag.message);
    const td_sums a = td_world_actor_sums(s.world, 0),
                  b = td_world_actor_sums(s.world, td_world_actor_index(s.world, fallen));
    CHECK(tdi_norm(b.linear) > 1e-3 * tdi_norm(whole.linear));
    lost[0] = tdi_norm(difference(a.linear, b.linear, whole.linear)) / tdi_norm(whole.linear);
    lost[1] = tdi_norm(difference(a.angular, b.angular, whole.angular)) / tdi_norm(whole.angular);
    steps(s.world, 30); // and it goes on
    stage_free(&s);
}

static void check_momentum(const char *text) {
    static const td_real places[] = {0, 0.3, 0.99};
    for (size_t k = 0; k < sizeof places / sizeof *places; k++) {
        td_real lost[2];
        lost_momentum(text, 5, places[k], lost);
        CHECK_IN(lost[0], 0, 1e-12);
        CHECK_IN(lost[1], 0, 1e-12);
    }
}

TD_TEST(cutting_a_rope_keeps_the_momentum_of_both_halves) {
    check_momentum(SWING("rod", ""));
    check_momentum(SWING("rod", "integrator: euler, "));
    check_momentum(SWING("tree", ""));
    check_momentum(SWING("tree", "integrator: rk4, "));
}
