// SPDX-License-Identifier: MIT
// What a step may cost, and what becomes of islands that are not solved for that.
//
// Rounds    Islands that come near each other are joined and all solved again. Each round has half
//           the iterations of the one before. After the third, islands that come near others are
//           blocked, which costs a search, and after some of these all islands. So a step takes at
//           most twice its budget for solving, and as much for poses that are taken unsolved.
// Charges   An iteration is charged for its factors with the first 15 steps of conjugate gradients,
//           each further model that it factors, each 15 further of these steps, four halvings of
//           its increments, and each piece of a step that is taken in halves.
// Time      One half of the time is for solving, the other for poses that are taken unsolved.
//           After that islands are blocked, and come first in the next step. The clock is read
//           before each charge.
// Energy    Backward Euler from the beginning of the step. As the value only falls, the potential
//           energy grows by no more than the kinetic energy at the beginning and the work of loads.
//           If the kinetic energy is then above the rest of the initial energy, the bodies stop.

#include "world/world.h"

#include "base/guard.h"

#include <math.h>

#define ITERATIONS_MOST 1000000
#define AGAIN           10 // iterations for a pose that is taken unsolved, where only time is limited
#define ROUNDING        1e-9

bool tdi_world_is_bounded(const td_world *w) {
    return w->budget.iterations > 0 || w->budget.seconds > 0;
}

bool tdi_world_holds(const td_world *w) {
    return w->options.hold_blocked || tdi_world_is_bounded(w);
}

void tdi_world_begin_budget(td_world *w) {
    const td_real now = w->budget.seconds > 0 ? tdi_clock_seconds() : 0;
    w->budget.round = 0;
    w->budget.half = w->budget.seconds > 0 ? now + 0.5 * w->budget.seconds : 0;
    w->budget.until = w->budget.seconds > 0 ? now + w->budget.seconds : 0;
}

void tdi_world_end_budget(td_world *w) {
    w->budget.first = 0;
    for (int32_t k = w->islands.active_count - 1; k >= 0 && w->budget.seconds > 0; k--) {
        const tdi_island *i = &w->islands.all[w->islands.active[k]];
        w->budget.first = i->late ? w->islands.member_actor[i->first] : w->budget.first;
    }
}

static void reverse(int32_t *list, int32_t from, int32_t to) {
    for (; from < to - 1; from++, to--) {
        const int32_t kept = list[from];
        list[from] = list[to - 1];
        list[to - 1] = kept;
    }
}

void tdi_world_order_islands(td_world *w) {
    int32_t *list = w->islands.active, count = w->islands.active_count, before = 0;
    while (before < count && w->budget.first > 0 &&
           w->islands.member_actor[w->islands.all[list[before]].first] < w->budget.first) {
        before++;
    }
    reverse(list, 0, before);
    reverse(list, before, count);
    reverse(list, 0, count);
}

bool tdi_world_ends_rounds(const td_world *w) {
    const tdi_budget time = {.until = w->budget.until};
    return tdi_world_is_bounded(w) &&
           (w->budget.round == TDI_BUDGET_ROUNDS || tdi_budget_is_late(&time));
}

static int32_t iterations_of(const td_world *w, int32_t none) {
    const int32_t all = w->budget.iterations >> (w->budget.round < 31 ? w->budget.round : 31);
    return w->budget.iterations == 0 ? none : all > 1 ? all : 1;
}

tdi_budget *tdi_island_begin_budget(const td_world *w, tdi_island *i) {
    i->truncated = i->late = false;
    i->budget = (tdi_budget){.iterations = iterations_of(w, INT32_MAX), .until = w->budget.half};
    i->budget.spent = tdi_budget_is_late(&i->budget);
    return tdi_world_is_bounded(w) ? &i->budget : NULL;
}

static tdi_actor *member(const td_world *w, const tdi_island *i, int32_t j) {
    return &w->actors[w->islands.member_actor[i->first + j]];
}

static bool has_member(const td_world *w, const tdi_island *i, int32_t actor) {
    bool found = false;
    for (int32_t j = 0; j < i->count && !found; j++) {
        found = w->islands.member_actor[i->first + j] == actor;
    }
    return found;
}

// With the stiffness and the anchors of springs at the end of the step, as the value has them.
static td_energy energy_of(const td_world *w, const tdi_island *i) {
    td_energy sum = {0, 0, 0};
    for (int32_t j = 0; j < i->count; j++) {
        const tdi_actor *a = member(w, i, j);
        const td_energy own = a->solver->sums(a->state, a->step.opts.gravity).energy;
        sum.kinetic += own.kinetic;
        sum.elastic += own.elastic * a->step.opts.stiffness;
        sum.weight += own.weight;
    }
    for (int32_t k = 0; i->constraints && k < w->constraints.slot_count; k++) {
        const tdi_constraint_slot *t = &w->constraints.slots[k];
        sum.elastic += t->alive && has_member(w, i, t->actor[0]) ? tdi_constraint_energy(w, k) : 0;
    }
    return sum;
}

void tdi_island_truncate(td_world *w, tdi_island *i, const tdi_system *system) {
    tdi_actor *first = member(w, i, 0);
    const td_energy before = energy_of(w, i);
    const int32_t iterations = iterations_of(w, AGAIN);
    i->energy = before.kinetic + before.elastic + before.weight;
    i->budget = (tdi_budget){.iterations = iterations,
                             .until = w->budget.until,
                             .truncated = true,
                             .enough = iterations / 2};
    i->late = tdi_budget_is_late(&i->budget);
    if (i->late) {
        first->step.over_budget = true;
        first->step.status = tdi_fail(&first->step.diag, TD_ERR_LIMIT,
                                      "the time of the step was spent before its turn");
        return;
    }
    first->step.status = tdi_system_truncate(system, &first->step.stats, &first->step.diag);
    i->converged = i->truncated = first->step.status == TD_OK;
    i->memory = NULL; // it is as if the step had never been taken in halves
    first->step.stats.truncated += i->truncated;
    first->step.over_budget = !i->truncated;
}

void tdi_island_limit_energy(td_world *w, const tdi_island *i) {
    const td_energy now = energy_of(w, i);
    const td_real most = i->energy - now.elastic - now.weight;
    for (int32_t j = 0; j < i->count && now.kinetic > most + ROUNDING * fabs(i->energy); j++) {
        tdi_state_stop(member(w, i, j)->state);
    }
}

td_status td_world_set_budget(td_world *w, int32_t iterations, td_real seconds, td_diag *diag) {
    TDI_REFUSE_IF(!w);
    if (iterations < 0 || iterations > ITERATIONS_MOST) {
        return tdi_fail(diag, TD_ERR_ARGUMENT,
                        "the budget is %d iterations; it must be from 0 to %d", (int)iterations,
                        ITERATIONS_MOST);
    }
    if (!(seconds >= 0 && isfinite(seconds)) || (seconds > 0 && !TDI_HAS_CLOCK)) {
        return tdi_fail(diag, TD_ERR_ARGUMENT, "the budget is %g s; it must be %s", seconds,
                        TDI_HAS_CLOCK ? "0 or more" : "0, as there is no clock here");
    }
    w->budget.iterations = iterations;
    w->budget.seconds = seconds;
    return TD_OK;
}

td_step_times td_world_step_times(const td_world *w) {
    return w ? w->clock.times : (td_step_times){0};
}
