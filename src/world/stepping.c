// SPDX-License-Identifier: MIT
// A step of a world: all of it, or nothing.
//
// A step   keyframes to the end of the step; winds on; actors near each other form islands; then
//          each island by itself: of all its actors air and forces where they are, bases, loads;
//          then one step of all together. When every island is solved, all are accepted; when one
//          fails, all are as they were before. Islands whose solvers can take that back are
//          accepted while they are at hand, which spares a second pass through memory.

#include "world/world.h"

#include "base/alloc.h"
#include "base/guard.h"
#include "base/pool.h"
#include "implicit/constraint.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define LINE     ((size_t)64)         // bytes of a cache line
#define SCRATCH  ((size_t)128 * 1024) // bytes of a thread: a small part of a cache
#define CROWD    8                    // members that threads share
#define SEARCHES 4                    // searches for islands near newly blocked ones

typedef struct stepping {
    td_world *world;
    td_real t0, t1;
    td_pool *inside; // threads within an actor
} stepping;

// ---- before ---------------------------------------------------------------------------------

td_step_opts tdi_actor_step_opts(const td_world *w, const tdi_actor *a) {
    const td_scene_def *def = &w->scene->def;
    const td_object_def *o = &def->objects[a->object];
    td_step_opts opts = td_step_opts_default();
    opts.dt = w->clock.dt;
    opts.tolerance = def->tolerance;
    opts.integrator = o->integrator;
    opts.gravity = tdi_turn_to_simulated(a, def->gravity);
    opts.air.quadratic = 0.5 * def->air_density * def->drag * o->drag;
    opts.air.linear = def->air_linear * o->drag;
    opts.stiffness = o->stiffness;
    opts.damping = o->damping;
    for (int32_t k = 0; k < w->loads.wind_count; k++) { // tells the solver when it jumps
        opts.air.wind = tdi_add(opts.air.wind, w->loads.winds[k].state.mean);
    }
    return opts;
}

// Prepares an actor for its step: base, driven ends, options, loads. No actor of its island has
// moved yet.
static void prepare(const stepping *s, tdi_actor *a) {
    tdi_actor_remember(a);
    a->reaction.known = a->sleep.has_contacts = a->step.over_budget = false;
    a->step.status = TD_OK;
    a->step.diag.status = TD_OK; // most of it is a text that nobody reads then
    a->step.diag.index = TD_NONE;
    a->step.diag.message[0] = '\0';
    tdi_actor_sample(s->world, a);
    tdi_actor_move_base(s->world, a, s->t0);
    tdi_actor_move_ends(s->world, a);
    tdi_actor_set_reduction(s->world, a);
    a->step.opts = tdi_actor_step_opts(s->world, a);
    a->step.opts.pool = s->inside;
    a->step.opts.drives = tdi_actor_drives(a);
    a->step.opts.winds = tdi_actor_winds(s->world, a);
    a->step.opts.loads = a->load.loads;
    a->step.opts.load_count = tdi_actor_loads(s->world, a, s->t0, s->t1);
    a->step.opts.jump = tdi_actor_jumps(s->world, a, s->t1);
}

static void begin(const stepping *s) {
    td_world *w = s->world;
    tdi_world_remember(w);
    tdi_world_set_keyed(w, s->t0, s->t1);
    tdi_world_stiffen(w, NULL);
    tdi_world_set_constraints(w, s->t0);
    tdi_world_find_velocity_jumps(w, s->t1);
    tdi_world_carry(w);
    tdi_world_move_colliders(w);
    for (int32_t k = 0; k < w->loads.wind_count; k++) {
        const td_wind_load *l = &w->scene->def.loads[w->loads.winds[k].load].as.wind;
        td_wind_advance(w->loads.winds[k].wind, &w->loads.winds[k].state, w->clock.dt, l->velocity);
    }
}

// ---- islands --------------------------------------------------------------------------------

static tdi_actor *first_of(const td_world *w, const tdi_island *i) {
    return &w->actors[w->islands.member_actor[i->first]];
}

static bool is_explicit(const tdi_actor *a) {
    return !tdi_is_implicit(a->step.opts.integrator);
}

// Islands of many members are solved one after the other, on all threads.
static bool is_crowd(const tdi_island *i) {
    return i->count >= CROWD && i->contact;
}

// Whether colliders that overlapped it were led into it from beside it.
static bool is_pushed_out(const tdi_system *system) {
    return system->contact && system->contact->search.withdrawn;
}

// Accepts the poses of a solved island.
static void accept(td_world *w, tdi_island *i, const tdi_system *system) {
    tdi_actor *first = first_of(w, i);
    if (!is_explicit(first) && !i->memory) {
        tdi_system_accept(system, &first->step.stats);
    }
    for (int32_t j = 0; j < i->count; j++) {
        tdi_actor *a = &w->actors[w->islands.member_actor[i->first + j]];
        a->contact.swapped = a->contact.swapped != (system->contact != NULL);
        a->contact.barrier =
            i->contact ? i->contact->barriers.state[j] : (tdi_barrier){.strength = 1, .range = -1};
        tdi_actor_note_force(a);
    }
    if (i->truncated) {
        tdi_island_limit_energy(w, i);
    }
    for (int32_t j = 0; is_pushed_out(system) && j < i->count; j++) {
        tdi_state_stop(system->member[j].body); // that displacement is no speed of its own
    }
    i->accepted = true;
}

// A result of contact that ran out of room is no result.
static void note_room(const td_world *w, const tdi_island *i) {
    tdi_actor *first = first_of(w, i);
    if (first->step.status == TD_OK && i->contact && i->contact->set &&
        tdi_body_contact_lacks_room(i->contact)) {
        first->step.status = tdi_body_contact_no_room(i->contact, &first->step.diag);
    }
}

// The system of an island, with its threads and its budget.
static tdi_system system_of(td_world *w, tdi_island *i) {
    tdi_system system = tdi_island_system(w, i);
    system.pool = is_crowd(i) && !w->options.inside ? w->pool : NULL;
    system.budget = tdi_world_is_bounded(w) ? &i->budget : NULL;
    system.seconds = w->options.timed ? first_of(w, i)->step.seconds : NULL;
    return system;
}

// A thread solves its islands one after the other in the same scratch, which so stays in the cache.
static void solve_island(void *context, int64_t k, int32_t thread) {
    const stepping *s = context;
    td_world *w = s->world;
    tdi_island *i = &w->islands.all[k];
    tdi_actor *first = first_of(w, i);
    if (!i->pending) {
        return;
    }
    const tdi_system system = system_of(w, i);
    const td_real start = tdi_stage_start(&system);
    for (int32_t j = 0; j < i->count; j++) {
        prepare(s, &w->actors[w->islands.member_actor[i->first + j]]);
    }
    tdi_stage_end(&system, TDI_STAGE_LOADS, start);
    tdi_island_begin_budget(w, i);
    i->memory = NULL;
    i->accepted = false;
    i->converged = is_explicit(first);
    if (i->converged) {
        tdi_island_step_explicitly(w, i);
    } else {
        first->step.status = tdi_system_check(&system, &first->step.diag);
        if (first->step.status == TD_OK) {
            tdi_system_use_scratch(&system, w->memory.scratch + (size_t)thread * SCRATCH, SCRATCH);
            if (!i->budget.spent) {
                first->step.status =
                    tdi_system_try(&system, &i->converged, &first->step.stats, &first->step.diag);
            }
            if (first->step.status == TD_OK && !i->converged && i->budget.spent) {
                tdi_island_truncate(w, i, &system);
            }
            if (i->converged) { // what the value needs may lie in memory that was lent
                tdi_island_react(w, i, &system);
            }
            tdi_system_use_scratch(&system, NULL, 0);
        }
    }
    note_room(w, i);
    if (i->converged) {
        tdi_island_record_positions(w, i);
    }
    if (i->converged && first->step.status == TD_OK && !i->truncated && !is_pushed_out(&system) &&
        tdi_system_revocable(&system)) {
        accept(w, i, &system);
    }
}

// An island that diverged may converge in smaller steps.
static bool may_halve(const td_world *w, const tdi_island *i) {
    const td_status status = first_of(w, i)->step.status;
    return !i->converged && (status == TD_OK || status == TD_ERR_DIVERGED);
}

static void halve_island(void *context, int64_t k, int32_t thread) {
    const stepping *s = context;
    (void)thread;
    td_world *w = s->world;
    tdi_island *i = &w->islands.all[k];
    if (i->pending && i->memory) {
        tdi_actor *first = first_of(w, i);
        const tdi_system system = system_of(w, i);
        first->step.status =
            tdi_system_halves(&system, i->memory, &first->step.stats, &first->step.diag);
        i->converged = first->step.status == TD_OK;
        note_room(w, i);
        const bool lacks = i->contact && i->contact->set && tdi_body_contact_lacks_room(i->contact);
        if (!i->converged && i->budget.spent && !lacks) {
            tdi_island_truncate(w, i, &system);
            note_room(w, i);
        }
        tdi_island_record_positions(w, i);
    }
}

static void accept_island(void *context, int64_t k, int32_t thread) {
    const stepping *s = context;
    (void)thread;
    td_world *w = s->world;
    tdi_island *i = &w->islands.all[k];
    if (i->activity == TDI_BLOCKED) {
        tdi_island_stop(w, i);
    } else if (!i->accepted) {
        const tdi_system system = tdi_island_system(w, i);
        accept(w, i, &system);
    }
}

// To where the step began. What was taken in halves, or not solved, is known by what it left.
static void undo_island(void *context, int64_t k, int32_t thread) {
    const stepping *s = context;
    (void)thread;
    td_world *w = s->world;
    tdi_island *i = &w->islands.all[k];
    const tdi_system system = tdi_island_system(w, i);
    tdi_actor *first = first_of(w, i);
    if (is_explicit(first)) {
        tdi_island_undo_explicitly(w, i);
    } else if (i->memory) {
        tdi_system_restore(&system, i->memory);
    } else if (i->converged) {
        tdi_system_undo(&system);
    }
    for (int32_t j = 0; j < i->count; j++) {
        tdi_actor *a = &w->actors[w->islands.member_actor[i->first + j]];
        a->contact.swapped = a->contact.swapped != (i->accepted && system.contact != NULL);
        tdi_actor_undo(a);
    }
    i->accepted = false;
}

static void update_slow_time(void *context, int64_t k, int32_t thread) {
    const stepping *s = context;
    (void)thread;
    tdi_island_update_slow_time(s->world, &s->world->islands.all[k], s->t1);
}

typedef struct round_of_islands {
    const stepping *stepping;
    void (*turn)(void *, int64_t, int32_t);
} round_of_islands;

static void turn_unless_crowd(void *context, int64_t k, int32_t thread) {
    const round_of_islands *r = context;
    const td_world *w = r->stepping->world;
    if (!is_crowd(&w->islands.all[w->islands.active[k]])) {
        r->turn((void *)r->stepping, w->islands.active[k], thread);
    }
}

// What cannot be solved stays where the step began.
static void block_island(void *context, int64_t k, int32_t thread) {
    const stepping *s = context;
    td_world *w = s->world;
    tdi_island *i = &w->islands.all[k];
    if (tdi_island_fails(w, i)) {
        undo_island(context, k, thread);
        i->memory = NULL;
        i->converged = false;
        tdi_island_block(w, i);
    }
}

// Blocks islands that came near others, or all. False: all of them are blocked already.
static bool block_near(const stepping *s, bool all) {
    td_world *w = s->world;
    bool any = false;
    tdi_world_mark_near(w);
    for (int32_t k = 0; k < w->islands.active_count; k++) {
        tdi_island *i = &w->islands.all[w->islands.active[k]];
        tdi_actor *first = first_of(w, i);
        bool near = false;
        for (int32_t j = 0; j < i->count && i->activity != TDI_BLOCKED; j++) {
            near = near || all || w->actors[w->islands.member_actor[i->first + j]].step.over_budget;
        }
        if (near) {
            first->step.status =
                tdi_fail(&first->step.diag, TD_ERR_LIMIT,
                         "the budget of the step is spent, and it came near others");
            first->step.over_budget = true;
            block_island((void *)s, w->islands.active[k], 0);
        }
        any = any || near;
    }
    return any;
}

// All that are active.
static void for_islands(const stepping *s, void (*turn)(void *, int64_t, int32_t)) {
    td_world *w = s->world;
    round_of_islands r = {s, turn};
    for (int32_t k = 0; k < w->islands.active_count; k++) {
        if (w->options.inside || w->islands.active_count == 1 ||
            is_crowd(&w->islands.all[w->islands.active[k]])) {
            turn((void *)s, w->islands.active[k], 0);
        }
    }
    if (!w->options.inside && w->islands.active_count > 1) {
        tdi_pool_run(w->pool, w->islands.active_count, turn_unless_crowd, &r);
    }
}

// ---- halves ---------------------------------------------------------------------------------

// Pending islands that did not converge are taken in halves. There is room for all islands to
// remember where they began, each at its place.
static void halve(const stepping *s) {
    td_world *w = s->world;
    size_t at = 0;
    bool any = false;
    for (int32_t k = 0; k < w->islands.active_count && !any; k++) {
        const tdi_island *i = &w->islands.all[w->islands.active[k]];
        any = i->pending && may_halve(w, i);
    }
    for (int32_t k = 0; k < w->islands.active_count && any; k++) {
        tdi_island *i = &w->islands.all[w->islands.active[k]];
        const tdi_system system = tdi_island_system(w, i);
        i->memory = i->pending && may_halve(w, i) ? w->memory.began + at : i->memory;
        at += tdi_system_memory(&system);
    }
    if (any) {
        for_islands(s, halve_island);
    }
}

// ---- room -----------------------------------------------------------------------------------

// Islands that ran out of room go back to where the step began and get more. Whether there are any.
static bool grow_islands(const stepping *s, td_status *status, td_diag *diag) {
    td_world *w = s->world;
    bool any = false;
    for (int32_t k = 0; k < w->islands.active_count; k++) {
        tdi_island *i = &w->islands.all[w->islands.active[k]];
        i->pending = tdi_island_lacks_room(w, i);
        if (i->pending) {
            undo_island((void *)s, w->islands.active[k], 0);
            first_of(w, i)->step.status = TD_OK;
            i->converged = false;
            i->memory = NULL;
            any = true;
        }
    }
    *status = any ? tdi_world_grow_pending(w, diag) : TD_OK;
    return any && *status == TD_OK;
}

// Solves all islands, and those again, with more room, that ran out of it.
static td_status solve_islands(const stepping *s, td_diag *diag) {
    td_world *w = s->world;
    td_status status = TD_OK;
    for (int32_t k = 0; k < w->islands.active_count; k++) {
        tdi_island *i = &w->islands.all[w->islands.active[k]];
        i->pending = true;
        i->memory = NULL;
    }
    do {
        for_islands(s, solve_island);
        halve(s);
    } while (grow_islands(s, &status, diag));
    return status;
}

// ---- after ----------------------------------------------------------------------------------

// The segment whose tip moves fastest, which is where a motion that grows without end began.
static int32_t fastest(const tdi_actor *a, td_real *speed) {
    int32_t found = 0;
    *speed = -1;
    for (int32_t i = 0; i < a->segment_count; i++) {
        td_real v = tdi_norm(tdi_solver_velocity(a->solver, a->state, i, a->segments[i].tip));
        if (!(v <= *speed)) {
            *speed = v;
            found = i;
        }
    }
    return found;
}

static td_status report(const td_world *w, const tdi_actor *a, td_diag *diag) {
    td_real speed;
    if (a->step.status != TD_ERR_DIVERGED || a->has_contact) {
        return tdi_fail_at(diag, a->step.status, a->step.diag.index, "'%s' at %g s: %s", a->name,
                           td_world_time(w), a->step.diag.message);
    }
    const int32_t segment = fastest(a, &speed);
    if (speed == 0) {
        return tdi_fail_at(diag, a->step.status, TD_NONE,
                           "'%s' at %g s: the simulation diverged from rest; try a smaller step or "
                           "more damping",
                           a->name, td_world_time(w));
    }
    return tdi_fail_at(
        diag, a->step.status, segment,
        "'%s' at %g s: the simulation diverged; segment %d was the fastest, with %g m/s; "
        "try a smaller step or more damping",
        a->name, td_world_time(w), (int)segment, speed);
}

// The island of `a`, if it began with an overlap; otherwise NULL.
static const tdi_island *overlapping(const td_world *w, const tdi_actor *a) {
    for (int32_t k = 0; k < w->islands.active_count; k++) {
        const tdi_island *i = &w->islands.all[w->islands.active[k]];
        if (first_of(w, i) == a && i->contact && i->contact->set &&
            i->contact->search.overlapping != TD_NONE) {
            return i;
        }
    }
    return NULL;
}

// An overlap is a fault of the scene: at the object, where the scene has a text.
static void place_report(const td_world *w, const tdi_actor *a, td_diag *diag) {
    const tdi_island *i = overlapping(w, a);
    char path[64];
    if (!i || !diag) {
        return;
    }
    const int32_t member = w->islands.member_actor[i->first + i->contact->search.overlapping];
    const char *remedy = td_world_time(w) == 0 ? tdi_world_apart_text(w, i->contact) : "";
    const td_diag fault = *diag;
    snprintf(path, sizeof path, "objects[%d]", (int)w->actors[member].object);
    const td_value *value = w->scene->value ? tdi_fields_where(w->scene->value, path) : NULL;
    if (value) {
        tdi_value_fail(value, value->line, value->column, diag, fault.status, "%s%s", fault.message,
                       remedy);
        diag->index = fault.index;
    } else {
        tdi_fail_at(diag, fault.status, fault.index, "%s%s", fault.message, remedy);
    }
}

// Everything as it was before the step. Says what failed first.
static td_status fail(const stepping *s, td_status status, td_diag *diag) {
    td_world *w = s->world;
    for_islands(s, undo_island);
    tdi_world_undo(w);
    tdi_world_undo_constraints(w);
    tdi_world_set_keyed(w, w->clock.before, s->t0);
    tdi_world_stiffen(w, NULL);
    for (int32_t k = 0; k < w->actor_count; k++) {
        if (tdi_actor_acts(&w->actors[k])) {
            tdi_actor_move_ends(w, &w->actors[k]);
        }
    }
    tdi_world_return_colliders(w);
    for (int32_t k = 0; k < w->actor_count; k++) {
        if (w->actors[k].step.status != TD_OK) {
            status = report(w, &w->actors[k], diag);
            place_report(w, &w->actors[k], diag);
            tdi_world_blame_forces(w, diag);
            return status;
        }
    }
    return status;
}

// The first status of an island that is not TD_OK.
static td_status first_status(const td_world *w) {
    for (int32_t k = 0; k < w->islands.active_count; k++) {
        TDI_TRY(first_of(w, &w->islands.all[w->islands.active[k]])->step.status);
    }
    return TD_OK;
}

// s, while steps are timed.
static td_real now(const td_world *w) {
    return w->options.timed ? tdi_clock_seconds() : 0;
}

// Solves all islands, and joins islands that came near each other, until none did.
static td_status solve(const stepping *s, td_diag *diag) {
    td_world *w = s->world;
    td_real start = now(w);
    td_status status = tdi_world_find_islands(w, diag);
    w->islands.active_count = 0; // nothing of these islands was solved, so nothing is undone
    if (status == TD_OK) {
        tdi_world_build_active_list(w);
        tdi_world_order_islands(w);
    }
    w->clock.times.islands += now(w) - start;
    for (bool apart = false; status == TD_OK && !apart;) {
        status = solve_islands(s, diag);
        if (status == TD_OK && tdi_world_holds(w) && !tdi_world_reached_limit(w)) {
            for_islands(s, block_island);
        }
        start = now(w);
        status = status == TD_OK ? first_status(w) : status;
        status = status == TD_OK ? tdi_world_check_islands(w, &apart, diag) : status;
        const bool last = tdi_world_ends_rounds(w);
        for (int32_t k = 0; status == TD_OK && !apart && last && block_near(s, k == SEARCHES);
             k++) {
            status = tdi_world_check_islands(w, &apart, diag);
        }
        apart = apart || last;
        if (status == TD_OK && !apart) {
            for_islands(s, undo_island);
            status = tdi_world_join_islands(w, diag);
            w->budget.round++;
            w->islands.active_count = 0;
            if (status == TD_OK) {
                tdi_world_build_active_list(w);
                tdi_world_order_islands(w);
            }
        }
        w->clock.times.islands += now(w) - start;
    }
    return status;
}

// Adds up what the islands took.
static void gather_times(td_world *w) {
    td_step_times *t = &w->clock.times;
    for (int32_t k = 0; w->options.timed && k < w->actor_count; k++) {
        td_real *own = w->actors[k].step.seconds;
        t->loads += own[TDI_STAGE_LOADS];
        t->begin += own[TDI_STAGE_BEGIN];
        t->contact += own[TDI_STAGE_CONTACT];
        t->solve += own[TDI_STAGE_SOLVE] - own[TDI_STAGE_CONTACT];
        t->search += own[TDI_STAGE_SEARCH];
        memset(own, 0, TDI_STAGES * sizeof *own);
    }
}

static td_status step(td_world *w, td_diag *diag) {
    const stepping s = {w, td_world_time(w), tdi_world_time_after(w, w->clock.step + 1),
                        w->options.inside ? w->pool : NULL};
    const td_real start = now(w);
    w->islands.active_count = 0;
    tdi_world_begin_budget(w);
    TDI_TRY(tdi_world_sample_fields(w, diag));
    begin(&s);
    tdi_world_poses_changed(w);
    tdi_world_wake_changed(w, s.t0, s.t1);
    w->clock.times.loads += now(w) - start;
    td_status status = solve(&s, diag);
    tdi_world_end_budget(w);
    const td_real solved = now(w);
    if (status != TD_OK) {
        return fail(&s, status, diag);
    }
    for_islands(&s, accept_island);
    tdi_world_accept_positions(w);
    tdi_world_end_pushes(w);
    tdi_world_test_inactive(w);
    tdi_world_end_jumps(w, s.t0);
    status = tdi_world_note_blocked(w, diag);
    w->clock.step++;
    if (w->sleep.allowed) {
        for_islands(&s, update_slow_time);
        tdi_world_sleep_islands(w, s.t0);
    }
    tdi_world_end_forces(w);
    tdi_world_note_constraints(w);
    tdi_world_watch(w);
    tdi_world_log_step(w);
    for (int32_t k = 0; k < w->scene->def.object_count; k++) {
        w->objects[k].frame = tdi_object_frame(w, k);
    }
    w->clock.times.finish += now(w) - solved;
    if (w->callback.call) {
        w->callback.call(w->callback.context, w);
    }
    return status;
}

// Times are multiples of dt from where it was last changed: they do not gather rounding.
static td_status advance(td_world *w, td_real dt, td_diag *diag) {
    td_diag own = {.index = TD_NONE}, *fault = diag ? diag : &own;
    const td_real dt0 = w->clock.dt, time0 = w->clock.time_from;
    const int64_t step0 = w->clock.step_from;
    if (dt != w->clock.dt) {
        w->clock.time_from = td_world_time(w);
        w->clock.step_from = w->clock.step;
        w->clock.dt = dt;
    }
    const td_real start = now(w);
    w->clock.times = (td_step_times){0};
    td_status status = step(w, fault);
    bool raised = true;
    while (status != TD_OK && status != TD_ERR_BLOCKED && raised && tdi_world_reached_limit(w)) {
        status = tdi_world_limit_pairs(w, 2 * w->near.pairs, fault);
        raised = status == TD_OK;
        status = raised ? step(w, fault) : status;
    }
    gather_times(w);
    w->clock.times.total = now(w) - start;
    if (status != TD_OK && status != TD_ERR_BLOCKED) {
        tdi_world_advise_room(w, status, fault);
        tdi_world_log_failure(w, status, fault);
        w->clock.dt = dt0;
        w->clock.time_from = time0;
        w->clock.step_from = step0;
    }
    return status;
}

td_status td_world_step(td_world *w, td_diag *diag) {
    return w ? advance(w, w->clock.default_dt, diag) : tdi_refuse(diag, __func__);
}

td_status td_world_advance(td_world *w, td_real dt, td_diag *diag) {
    TDI_REFUSE_IF(!w);
    if (!(dt >= TD_ADVANCE_LEAST && dt <= TD_ADVANCE_MOST)) {
        return tdi_fail(diag, TD_ERR_ARGUMENT, "dt is %g s; it must be from %g to %g s", dt,
                        TD_ADVANCE_LEAST, TD_ADVANCE_MOST);
    }
    return advance(w, dt, diag);
}

// ---- making ---------------------------------------------------------------------------------

// Room for every actor as if it were alone, and for all constraints: islands take no more.
static size_t began_bytes(const td_world *w, const tdi_group *groups, int32_t group_count) {
    size_t bytes = 1;
    for (int32_t k = 0; k < w->room.made_count; k++) {
        const tdi_actor *a = &w->actors[k];
        const tdi_member alone = {.body = a->state};
        const tdi_system system = {.member = &alone, .count = 1};
        bytes += tdi_system_memory(&system);
    }
    for (int32_t g = 0; g < group_count; g++) {
        bytes += tdi_constraints_save_size(groups[g].constraints);
    }
    return bytes;
}

// It doubles, since what it replaces stays in the arena.
td_status tdi_world_reserve_began(td_world *w, const tdi_group *groups, int32_t group_count) {
    const size_t need = began_bytes(w, groups, group_count);
    if (w->memory.began && need <= w->memory.began_bytes) {
        return TD_OK;
    }
    const size_t bytes = need > 2 * w->memory.began_bytes ? need : 2 * w->memory.began_bytes;
    char *began = tdi_arena_zeroed(&w->arena, bytes, 1);
    if (began) {
        w->memory.began = began;
        w->memory.began_bytes = bytes;
    }
    return began ? TD_OK : TD_ERR_MEMORY;
}

td_status tdi_world_reserve(td_world *w) {
    td_status status =
        tdi_world_reserve_began(w, w->constraints.groups, w->constraints.group_count);
    if (!w->memory.scratch) {
        const size_t threads = (size_t)td_pool_threads(w->pool);
        char *room = tdi_arena_zeroed(&w->arena, threads * SCRATCH + LINE, 1);
        w->memory.scratch = room ? room + (LINE - (uintptr_t)room % LINE) % LINE : NULL;
    }
    for (int32_t k = 0; k < w->room.made_count; k++) {
        tdi_actor *a = &w->actors[k];
        if (!a->step.memory && !tdi_is_implicit(w->scene->def.objects[a->object].integrator)) {
            a->step.memory =
                tdi_arena_zeroed(tdi_actor_arena(w, a), tdi_state_save_size(a->state), 1);
            TDI_TRY(a->step.memory ? TD_OK : TD_ERR_MEMORY);
        }
        status = status == TD_OK ? tdi_actor_make_adaptive(w, a, NULL) : status;
    }
    return status == TD_OK && w->memory.scratch ? TD_OK : TD_ERR_MEMORY;
}
