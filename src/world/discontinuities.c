// SPDX-License-Identifier: MIT
// Loads that begin, end or change at once.
//
// Mean      Such a load acts through a step by its mean: F (end - start)/dt of a push that begins
//           and ends within the step. Smooth ones are taken when the step ends, as BDF2 needs it.
// Restart   A force that is constant in each step, alone, should change velocities by d_n = h a_n.
//           Backward Euler does so after any history. BDF2 is
//               d_n+1 = d_n/3 + 2/3 h a_n+1,
//           which does so only if a_n+1 = a_n. So a step is backward Euler when a load jumps
//           between the start of the step before and its own end. The method keeps its second
//           order, as jumps are few.
// A jump    is the start or end of a load of the scene, a key with interpolation `step`, an
//           interval between keys that is shorter than the step, or a change by the program between
//           steps. The target of a constraint jumps at a key with interpolation `linear` that
//           changes its velocity by more than half. The forces of fields jump when they change by
//           more than half; after a jump, by more than a tenth.

#include "world/world.h"

#include "base/guard.h"
#include "load/keys.h"

#include <math.h>

#define MUCH   0.5  // of a force: a change that is a jump
#define LITTLE 0.1  // the same after a jump, and of what a program sets
#define SAME   1e-9 // of a step: times that are the same but for rounding

// ---- starts and ends ------------------------------------------------------------------------

td_real tdi_acting_part(td_real start, td_real end, td_real t0, td_real t1) {
    const td_real part = (fmin(t1, end) - fmax(t0, start)) / (t1 - t0);
    return part < SAME ? 0 : part > 1 - SAME ? 1 : part;
}

static bool within(td_real time, td_real from, td_real to, td_real near) {
    return time > from + near && time < to - near;
}

// ---- numbers with keys ----------------------------------------------------------------------

static bool is_within(const void *at, const void *from, size_t size) {
    return (const char *)at >= (const char *)from && (const char *)at < (const char *)from + size;
}

// Whether a number of a load is a force, or a factor of one, and not a place.
static bool is_force(const td_scene_load *l, const void *at) {
    const size_t one = sizeof(td_real), three = sizeof(td_vec3);
    switch (l->kind) {
    case TD_SCENE_WIND: return is_within(at, &l->as.wind.velocity, three);
    case TD_SCENE_PULL:
        return is_within(at, &l->as.pull.stiffness, one) || is_within(at, &l->as.pull.damping, one);
    case TD_SCENE_PUSH:
        return is_within(at, &l->as.push.force, three) || is_within(at, &l->as.push.twist, one);
    case TD_SCENE_POSE:
        return is_within(at, &l->as.pose.strength, one) || is_within(at, &l->as.pose.damping, one);
    case TD_SCENE_FIELD: return is_within(at, &l->as.field.strength, one);
    }
    return false;
}

// Whether a number of the scene is a force, and of which load; TD_NONE: of gravity.
typedef struct keyed_force {
    bool force;
    int32_t load;
} keyed_force;

static keyed_force keyed_force_of(const td_world *w, const void *at) {
    const td_scene_def *def = &w->scene->def;
    const char *first = (const char *)def->loads;
    if (is_within(at, &def->gravity, sizeof def->gravity)) {
        return (keyed_force){true, TD_NONE};
    }
    if (!first || !is_within(at, first, (size_t)def->load_count * sizeof *def->loads)) {
        return (keyed_force){false, TD_NONE};
    }
    const int32_t k = (int32_t)(((const char *)at - first) / (ptrdiff_t)sizeof *def->loads);
    return (keyed_force){is_force(&def->loads[k], at), k};
}

void tdi_world_find_keyed_forces(td_world *w) {
    for (int32_t i = 0; i < w->scene->keyed_count; i++) {
        tdi_keyed *keyed = &w->scene->keyed[i];
        keyed->is_force = keyed->curve && keyed_force_of(w, keyed->place).force;
        w->loads.has_keyed_forces = w->loads.has_keyed_forces || keyed->is_force;
    }
}

bool tdi_keyed_mean(const tdi_keyed *keyed, td_real t0, td_real t1, td_real *mean) {
    const bool jumps = keyed->is_force && (keyed->track->interpolation == TD_STEP ||
                                           tdi_curve_jumps(keyed->curve, t0, t1, t1 - t0));
    if (jumps) {
        tdi_curve_mean(keyed->curve, t0, t1, mean);
    }
    return jumps;
}

// Whether gravity, or a load that acts on the actor, jumps by its keys.
static bool keys_jump(const td_world *w, const tdi_actor *a, td_real from, td_real t1) {
    bool any = false;
    for (int32_t i = 0; w->loads.has_keyed_forces && i < w->scene->keyed_count && !any; i++) {
        const tdi_keyed *keyed = &w->scene->keyed[i];
        if (!keyed->is_force || keyed->ended) {
            continue;
        }
        const int32_t load = keyed_force_of(w, keyed->place).load;
        bool acts = load == TD_NONE;
        for (int32_t k = 0; k < a->load.acting_count && !acts; k++) {
            acts = a->load.acting[k].load == load;
        }
        any = acts && tdi_curve_jumps(keyed->curve, from, t1, w->clock.dt);
    }
    return any;
}

// Constraints that act, with keys whose slope jumps: velocities jump there, and BDF2 would make 3/2
// of it.
void tdi_world_find_velocity_jumps(td_world *w, td_real t1) {
    const td_scene_def *def = &w->scene->def;
    const size_t one = sizeof *def->constraints, size = (size_t)def->constraint_count * one;
    const char *first = (const char *)def->constraints;
    for (int32_t i = 0; size > 0 && i < w->scene->keyed_count; i++) {
        const tdi_keyed *keyed = &w->scene->keyed[i];
        if (!keyed->curve || keyed->ended || !is_within(keyed->place, first, size)) {
            continue;
        }
        const int32_t k = (int32_t)(((const char *)keyed->place - first) / (ptrdiff_t)one);
        if (tdi_constraint_acts(w, k, td_world_time(w)) &&
            tdi_curve_velocity_jumps(keyed->curve, w->clock.before, t1, w->clock.dt)) {
            w->actors[w->constraints.slots[k].actor[0]].load.load_jumped = true;
        }
    }
}

// ---- forces known by their values -----------------------------------------------------------

static void add_up(const td_vec3 *forces, int32_t count, tdi_force_sum *sum) {
    for (int32_t i = 0; i < count; i++) {
        sum->force = tdi_add(sum->force, forces[i]);
        sum->size += tdi_norm(forces[i]);
    }
}

static bool changes(const tdi_force_sum *was, const tdi_force_sum *now) {
    const td_real part = was->jumps ? LITTLE : MUCH, most = fmax(was->size, now->size),
                  change = tdi_norm(tdi_sub(now->force, was->force));
    return fmax(change, fabs(now->size - was->size)) > part * most;
}

// ---- entry ----------------------------------------------------------------------------------

static bool window_ends(const td_scene_load *l, td_real from, td_real to, td_real near) {
    const td_real *span[] = {&l->as.pull.start, &l->as.pull.end,    &l->as.push.start,
                             &l->as.push.end,   &l->as.field.start, &l->as.field.end};
    const int first = l->kind == TD_SCENE_PULL    ? 0
                      : l->kind == TD_SCENE_PUSH  ? 2
                      : l->kind == TD_SCENE_FIELD ? 4
                                                  : -1;
    return first >= 0 &&
           (within(*span[first], from, to, near) || within(*span[first + 1], from, to, near));
}

bool tdi_actor_jumps(const td_world *w, tdi_actor *a, td_real t1) {
    bool jumps = a->load.load_jumped || keys_jump(w, a, w->clock.before, t1);
    for (int32_t k = 0; k < a->load.acting_count && !jumps; k++) {
        jumps = window_ends(&w->scene->def.loads[a->load.acting[k].load], w->clock.before, t1,
                            SAME * w->clock.dt);
    }
    a->load.forces_now = (tdi_force_sum){.size = 0};
    if (a->load.fields) {
        add_up(a->load.fields, a->segment_count, &a->load.forces_now);
    }
    if (w->loads.field) {
        add_up(a->load.forces, a->segment_count, &a->load.forces_now);
    }
    for (int32_t k = 0; k < w->loads.applied_count; k++) {
        const tdi_applied_force *h = &w->loads.applied[k];
        if (h->alive && h->kind == TDI_APPLIED_FORCE && h->actor == a - w->actors) {
            add_up(&h->vector, 1, &a->load.forces_now);
        }
    }
    a->load.forces_now.jumps = changes(&a->load.last_forces, &a->load.forces_now);
    return jumps || a->load.forces_now.jumps;
}

void tdi_world_end_jumps(td_world *w, td_real t0) {
    w->clock.before = t0;
    for (int32_t k = 0; k < w->actor_count; k++) {
        tdi_actor *a = &w->actors[k];
        a->load.load_jumped = false;
        a->load.last_forces = a->load.forces_now;
    }
}

// ---- what programs do -----------------------------------------------------------------------

void tdi_actor_note_jump(td_world *w, int32_t actor, td_real before, td_real now) {
    if (tdi_has(actor, w->actor_count) &&
        fabs(now - before) > LITTLE * fmax(fabs(now), fabs(before))) {
        w->actors[actor].load.load_jumped = true;
    }
}

void tdi_world_note_jump(td_world *w, const void *at, td_real before, td_real now) {
    const keyed_force p = keyed_force_of(w, at);
    for (int32_t k = 0; p.force && k < w->actor_count; k++) {
        bool acts = p.load == TD_NONE;
        for (int32_t i = 0; i < w->actors[k].load.acting_count && !acts; i++) {
            acts = w->actors[k].load.acting[i].load == p.load;
        }
        if (acts) {
            tdi_actor_note_jump(w, k, before, now);
        }
    }
}
