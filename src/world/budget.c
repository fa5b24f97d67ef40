// SPDX-License-Identifier: MIT
// What a step may cost, and what becomes of islands that are not solved for that.
//
// Rounds    Islands that come near each other are joined and all solved again. Each round has half
//           the iterations of the one before. After the third, islands that come near others are
//           held: that costs a search. So a step takes at most twice its budget for solving, and
//           as much for poses that are taken unsolved.
// Energy    Backward Euler from where the step began: as the value only falls, what springs and
//           weight have gained is no more than what bodies had and loads did. If the kinetic energy
//           is then above what is left of the energy when the step began, the bodies stop.

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
    w->budget.round = 0;
    w->budget.until = w->budget.seconds > 0 ? tdi_clock_seconds() + w->budget.seconds : 0;
}

static int32_t iterations_of(const td_world *w, int32_t none) {
    const int32_t all = w->budget.iterations >> (w->budget.round < 31 ? w->budget.round : 31);
    return w->budget.iterations == 0 ? none : all > 1 ? all : 1;
}

tdi_budget *tdi_island_begin_budget(const td_world *w, tdi_island *i) {
    i->truncated = false;
    i->budget = (tdi_budget){.iterations = iterations_of(w, INT32_MAX), .until = w->budget.until};
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
    i->budget = (tdi_budget){.iterations = iterations, .truncated = true, .enough = iterations / 2};
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
    if (!w) {
        return tdi_refuse(diag, __func__);
    }
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
    return w ? w->times : (td_step_times){0};
}
