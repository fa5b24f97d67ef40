// SPDX-License-Identifier: MIT
// The parts of a save.

#include "world/tape.h"

#include "implicit/constraint.h"

// ---- numbers --------------------------------------------------------------------------------

static void item(tdi_tape *t, void *data, size_t size) {
    tdi_tape_item(t, data, size);
}

static void flag(tdi_tape *t, bool *data) {
    unsigned char byte = *data;
    item(t, &byte, 1);
    *data = byte != 0;
}

static void word(tdi_tape *t, uint32_t *data) {
    item(t, data, sizeof *data);
}

// ---- parts ----------------------------------------------------------------------------------

void tdi_tape_grab(tdi_tape *t, tdi_grab *g) {
    flag(t, &g->held);
    item(t, &g->actor, sizeof g->actor);
    item(t, &g->segment, sizeof g->segment);
    item(t, &g->point, sizeof g->point);
    item(t, &g->to, sizeof g->to);
    item(t, &g->stiffness, sizeof g->stiffness);
    item(t, &g->twist_actor, sizeof g->twist_actor);
    item(t, &g->twist_segment, sizeof g->twist_segment);
    item(t, &g->twist, sizeof g->twist);
}

void tdi_tape_scene(tdi_tape *t, td_world *w) {
    td_object_def *objects = (td_object_def *)w->scene->def.objects; // the world's own copy
    for (int32_t k = 0; k < w->scene->def.object_count; k++) {       // first: sizes depend on them
        item(t, &objects[k].integrator, sizeof objects[k].integrator);
    }
    item(t, &w->clock.default_dt, sizeof w->clock.default_dt);
    item(t, &w->clock.dt, sizeof w->clock.dt);
    item(t, &w->clock.steps_a_frame, sizeof w->clock.steps_a_frame);
    item(t, &w->clock.step_from, sizeof w->clock.step_from);
    item(t, &w->clock.time_from, sizeof w->clock.time_from);
    item(t, &w->clock.before, sizeof w->clock.before);
    for (int32_t k = 0; k < w->parameters.count; k++) {
        item(t, w->parameters.all[k].at, w->parameters.all[k].size);
    }
    for (int32_t k = 0; k < w->scene->keyed_count; k++) {
        flag(t, &w->scene->keyed[k].ended);
    }
    for (int32_t k = 0; k < w->scene->def.object_count; k++) {
        item(t, &w->objects[k].frame, sizeof w->objects[k].frame);
    }
}

// What is at a place; variants stand at the beginning.
static void tape_place(tdi_tape *t, tdi_actor *a) {
    flag(t, &a->alive);
    flag(t, &a->own_place);
    item(t, &a->activity, sizeof a->activity);
    word(t, &a->generation);
    item(t, &a->user_data, sizeof a->user_data);
    item(t, &a->filter, sizeof a->filter);
    item(t, &a->place, sizeof a->place);
}

void tdi_tape_collider(tdi_tape *t, tdi_collider_slot *s) {
    int32_t kind = (int32_t)s->now.kind;
    flag(t, &s->alive);
    flag(t, &s->enabled);
    flag(t, &s->own_pose);
    word(t, &s->generation);
    item(t, &kind, sizeof kind);
    item(t, &s->now.radius, sizeof s->now.radius);
    item(t, &s->now.length, sizeof s->now.length);
    item(t, &s->now.sides, sizeof s->now.sides);
    item(t, &s->now.friction, sizeof s->now.friction);
    item(t, &s->now.restitution, sizeof s->now.restitution);
    item(t, &s->now.rolling, sizeof s->now.rolling);
    item(t, &s->now.static_friction, sizeof s->now.static_friction);
    item(t, &s->now.position, sizeof s->now.position);
    item(t, &s->now.rotation, sizeof s->now.rotation);
    item(t, &s->now.filter, sizeof s->now.filter);
    item(t, &s->now.user_data, sizeof s->now.user_data);
    item(t, &s->next, sizeof s->next);
    const bool known = (kind >= TD_COLLIDER_PLANE && kind <= TD_COLLIDER_BOX) ||
                       (kind == TD_COLLIDER_HEIGHT_FIELD && s->now.field);
    s->now.kind = known ? (td_collider_kind)kind : TD_COLLIDER_PLANE;
}

void tdi_tape_applied_force(tdi_tape *t, tdi_applied_force *h) {
    uint32_t kind = (uint32_t)h->kind;
    flag(t, &h->alive);
    word(t, &h->generation);
    word(t, &kind);
    h->kind = kind <= TDI_APPLIED_IMPULSE ? (tdi_applied_kind)kind : TDI_APPLIED_SPRING;
    item(t, &h->actor, sizeof h->actor);
    item(t, &h->segment, sizeof h->segment);
    item(t, &h->point, sizeof h->point);
    item(t, &h->vector, sizeof h->vector);
    item(t, &h->stiffness, sizeof h->stiffness);
    item(t, &h->damping, sizeof h->damping);
}

// Pairs of the last step, on which events of the next depend.
void tdi_tape_watch(tdi_tape *t, tdi_watch *watch) {
    const int32_t count = watch->last_count;
    item(t, &watch->last_count, sizeof watch->last_count);
    if (t->to) { // what is beyond is old
        memset(watch->last + count, 0, (size_t)(watch->capacity - count) * sizeof *watch->last);
    }
    item(t, watch->last, (size_t)watch->capacity * sizeof *watch->last);
    if (t->from) {
        const int32_t read = watch->last_count;
        watch->last_count = read < 0 || read > watch->capacity ? 0 : read;
        watch->event_count = 0;
    }
}

void tdi_tape_drives(tdi_tape *t, td_world *w, int32_t count) {
    if (t->to) {
        tdi_world_write_drives(w, t->to + t->size);
    } else if (t->from) {
        t->status = tdi_world_read_drives(w, t->from + t->size, count);
    }
    t->size += tdi_world_drive_bytes(count);
}

static void tape_sleep(tdi_tape *t, tdi_sleep *s) {
    flag(t, &s->requested);
    flag(t, &s->has_contacts);
    item(t, &s->slow_time, sizeof s->slow_time);
    item(t, &s->digest, sizeof s->digest);
    item(t, &s->next, sizeof s->next);
}

// In the order in which they were kept, without those that are not any more.
void tdi_tape_sleeping_contacts(tdi_tape *t, td_world *w, int32_t count) {
    int32_t k = 0;
    for (int32_t done = 0; done < count; k++) {
        if (t->from || w->actors[w->sleep.contacts[k].actor].sleep.has_contacts) {
            item(t, &w->sleep.contacts[k], sizeof *w->sleep.contacts);
            done++;
        }
    }
    w->sleep.count = t->from ? count : w->sleep.count;
}

int32_t tdi_world_count_sleeping_contacts(const td_world *w) {
    int32_t count = 0;
    for (int32_t k = 0; k < w->sleep.count; k++) {
        count += w->actors[w->sleep.contacts[k].actor].sleep.has_contacts;
    }
    return count;
}

void tdi_tape_pushes(tdi_tape *t, td_world *w, int32_t count) {
    for (int32_t k = 0; k < count; k++) {
        item(t, &w->pushes.item[k].pair, sizeof w->pushes.item[k].pair);
    }
    w->pushes.count = t->from ? count : w->pushes.count;
}

// What the base carries, which the next step computes unless the actor sleeps.
static void tape_reaction(tdi_tape *t, tdi_actor *a) {
    bool known = a->activity == TDI_ASLEEP && a->reaction.known;
    td_reaction reaction = known ? a->reaction.value : (td_reaction){{0, 0, 0}, {0, 0, 0}};
    flag(t, &known);
    item(t, &reaction, sizeof reaction);
    if (t->from) {
        a->reaction.known = known;
        a->reaction.value = reaction;
    }
}

static void tape_attachment(tdi_tape *t, tdi_attachment *c) {
    item(t, &c->actor, sizeof c->actor);
    item(t, &c->segment, sizeof c->segment);
    item(t, &c->constraint, sizeof c->constraint);
    item(t, &c->at, sizeof c->at);
}

void tdi_tape_actor_head(tdi_tape *t, tdi_actor *a) {
    tape_place(t, a);
    tape_sleep(t, &a->sleep);
    tape_reaction(t, a);
    tape_attachment(t, &a->attachment);
    item(t, &a->base, sizeof a->base);
    item(t, &a->base_rate, sizeof a->base_rate);
    item(t, &a->simulated, sizeof a->simulated);
    item(t, &a->step.stats, sizeof a->step.stats);
    item(t, &a->step.largest_force, sizeof a->step.largest_force);
    flag(t, &a->load.load_jumped);
    item(t, &a->load.last_forces.force, sizeof a->load.last_forces.force);
    item(t, &a->load.last_forces.size, sizeof a->load.last_forces.size);
    flag(t, &a->load.last_forces.jumps);
    a->load.forces_now = t->from ? a->load.last_forces : a->load.forces_now;
    item(t, &a->contact.barrier, sizeof a->contact.barrier);
}

void tdi_tape_actor(tdi_tape *t, tdi_actor *a) {
    tdi_tape_actor_head(t, a);
    a->state->collision.filter = a->filter;
    if (t->to) {
        tdi_state_save(a->state, t->to + t->size);
    } else if (t->from) {
        tdi_state_restore(a->state, t->from + t->size);
    }
    t->size += tdi_state_save_size(a->state);
    if (a->contact.warm_start) {
        item(t, tdi_actor_contact_forces(a, 0),
             tdi_actor_contact_force_count(a) * sizeof *a->contact.warm_start);
    }
    if (a->adapt.adapt) {
        if (t->to) {
            td_adapt_save(a->adapt.adapt, t->to + t->size);
        } else if (t->from) {
            td_adapt_restore(a->adapt.adapt, t->from + t->size);
        }
        t->size += td_adapt_save_size(a->adapt.adapt);
    }
}

// A constraint that a program has added. Whether it is there comes first: check_size() looks at it.
void tdi_tape_added(tdi_tape *t, tdi_constraint_slot *slot) {
    td_constraint *c = &slot->def;
    int32_t kind = (int32_t)c->kind;
    flag(t, &slot->alive);
    word(t, &slot->generation);
    item(t, slot->name, sizeof slot->name);
    item(t, &kind, sizeof kind);
    item(t, c->actor, sizeof c->actor);
    item(t, c->segment, sizeof c->segment);
    item(t, c->point, sizeof c->point);
    item(t, c->axis, sizeof c->axis);
    flag(t, &c->as_found);
    item(t, &c->rotation, sizeof c->rotation);
    item(t, &c->target, sizeof c->target);
    td_real *numbers[] = {&c->low,   &c->high, &c->cone,        &c->ratio,     &c->offset,
                          &c->start, &c->end,  &c->break_force, &c->stiffness, &c->damping};
    for (size_t k = 0; k < sizeof numbers / sizeof *numbers; k++) {
        item(t, numbers[k], sizeof *numbers[k]);
    }
    if (t->from) {
        c->struct_size = sizeof *c;
        c->kind = (td_constraint_kind)kind;
        c->name = NULL;
        c->curve = NULL;
        c->curve_count = 0;
        c->curve_closed = false;
        slot->name[sizeof slot->name - 1] = '\0';
    }
}

int32_t tdi_world_count_added_constraints(const td_world *w) {
    return w->constraints.slot_count - w->scene->def.constraint_count;
}

void tdi_tape_constraint(tdi_tape *t, tdi_constraint_slot *slot) {
    item(t, &slot->from, sizeof slot->from);
    flag(t, &slot->begun);
    flag(t, &slot->released);
    item(t, &slot->digest, sizeof slot->digest);
    item(t, &slot->past, sizeof slot->past);
}

void tdi_tape_group(tdi_tape *t, tdi_group *g) {
    if (t->to) {
        tdi_constraints_save(g->constraints, t->to + t->size);
    } else if (t->from) {
        tdi_constraints_restore(g->constraints, t->from + t->size);
    }
    t->size += tdi_constraints_save_size(g->constraints);
    const size_t bytes = td_analytic_save_size(g->analytic); // 0: implicit steps
    if (t->to) {
        td_analytic_save(g->analytic, t->to + t->size);
    } else if (t->from && g->analytic) {
        td_analytic_restore(g->analytic, t->from + t->size, bytes, NULL);
    }
    t->size += bytes;
}
