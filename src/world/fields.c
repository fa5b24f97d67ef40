// SPDX-License-Identifier: MIT
// Forces of the scene's fields: expressions of where segments are and how they move.
//
// Method   They are computed once a step, before anything moves, and act unchanged through it at
//          the centres of mass: explicit in time, whatever integrator moves the rest.

#include "world/world.h"

#include "math/quat.h"

#include <string.h>

// The part of the step that begins in which a field acts.
static td_real acts_for(const td_world *w, const td_field_load *l) {
    return tdi_acting_part(l->start, l->end, td_world_time(w),
                           tdi_world_time_after(w, w->clock.step + 1));
}

static td_real strength_of(const td_world *w, const td_field_load *l, const tdi_keyed *keyed) {
    td_real strength = l->strength;
    if (keyed) {
        tdi_keyed_mean(keyed, td_world_time(w), tdi_world_time_after(w, w->clock.step + 1),
                       &strength);
    }
    return strength;
}

static const td_field_load *field_of(const td_world *w, const tdi_acting *acting) {
    const td_scene_load *l = &w->scene->def.loads[acting->load];
    return l->kind == TD_SCENE_FIELD ? &l->as.field : NULL;
}

td_status tdi_actor_make_fields(td_world *w, tdi_actor *a) {
    bool any = false;
    for (int32_t k = 0; k < a->load.acting_count; k++) {
        any = any || field_of(w, &a->load.acting[k]);
    }
    if (any) {
        a->load.fields = tdi_arena_zeroed(tdi_actor_arena(w, a), (size_t)a->segment_count,
                                          sizeof *a->load.fields);
        w->loads.has_fields = true;
    }
    return a->load.fields || !any ? TD_OK : TD_ERR_MEMORY;
}

// What the names of expressions stand for at a segment.
static void name_values(const td_world *w, tdi_actor *a, int32_t i, double *values) {
    const td_segment *s = &a->segments[i];
    td_vec3 x, v;
    td_quat q;
    a->solver->poses(a->state, i, 1, &x, NULL, &q);
    x = tdi_add(x, tdi_quat_rotate(q, s->centre_of_mass));
    v = tdi_velocity_from_simulated(a, x,
                                    tdi_solver_velocity(a->solver, a->state, i, s->centre_of_mass));
    x = tdi_from_simulated(a, x);
    values[TDI_FIELD_X] = x.x;
    values[TDI_FIELD_Y] = x.y;
    values[TDI_FIELD_Z] = x.z;
    values[TDI_FIELD_VX] = v.x;
    values[TDI_FIELD_VY] = v.y;
    values[TDI_FIELD_VZ] = v.z;
    values[TDI_FIELD_SPEED] = tdi_norm(v);
    values[TDI_FIELD_T] = td_world_time(w);
    values[TDI_FIELD_MASS] = s->mass;
    values[TDI_FIELD_RADIUS] = 0.5 * (s->radius_base + s->radius_tip);
    values[TDI_FIELD_LENGTH] = s->length;
    values[TDI_FIELD_INSTANCE] = a->instance;
}

static td_status fail(tdi_actor *a, int32_t segment, int32_t load, int axis, const double *values,
                      const td_diag *found) {
    return tdi_fail_at(&a->step.diag, TD_ERR_EVAL, segment,
                       "loads[%d].field.force[%d] at segment %d, x = %g, y = %g, z = %g m: %s "
                       "(column %d of the expression)",
                       (int)load, axis, (int)segment, values[TDI_FIELD_X], values[TDI_FIELD_Y],
                       values[TDI_FIELD_Z], found->message, (int)found->column);
}

static td_status add_force(const td_world *w, tdi_actor *a, int32_t i, const tdi_acting *acting,
                           td_real part, double *values) {
    const td_real strength = part * strength_of(w, field_of(w, acting), tdi_live(acting->keyed));
    double force[3];
    for (int axis = 0; axis < 3; axis++) {
        td_diag diag;
        td_status status = tdi_expression_value(
            w->scene->forces[3 * (ptrdiff_t)acting->load + axis], values, &force[axis], &diag);
        if (status != TD_OK) {
            return fail(a, i, acting->load, axis, values, &diag);
        }
    }
    a->load.fields[i] =
        tdi_madd(a->load.fields[i], tdi_vec3(force[0], force[1], force[2]), strength);
    return TD_OK;
}

static void sample_actor(void *context, int64_t k) {
    td_world *w = context;
    tdi_actor *a = &w->actors[k];
    a->step.status = TD_OK;
    if (!a->load.fields || !tdi_actor_acts(a)) {
        return;
    }
    memset(a->load.fields, 0, (size_t)a->segment_count * sizeof *a->load.fields);
    for (int32_t i = 0; i < a->segment_count && a->step.status == TD_OK; i++) {
        double values[TDI_FIELD_NAMES];
        name_values(w, a, i, values);
        for (int32_t j = 0; j < a->load.acting_count && a->step.status == TD_OK; j++) {
            const td_field_load *l = field_of(w, &a->load.acting[j]);
            const td_real part = l ? acts_for(w, l) : 0;
            if (part > 0) {
                a->step.status = add_force(w, a, i, &a->load.acting[j], part, values);
            }
        }
    }
}

td_status tdi_world_sample_fields(td_world *w, td_diag *diag) {
    if (!w->loads.has_fields) {
        return TD_OK;
    }
    td_pool_run(w->pool, w->actor_count, sample_actor, w);
    for (int32_t k = 0; k < w->actor_count; k++) {
        const tdi_actor *a = &w->actors[k];
        if (a->step.status != TD_OK) {
            return tdi_fail_at(diag, a->step.status, a->step.diag.index, "'%s' at %g s: %s",
                               a->name, td_world_time(w), a->step.diag.message);
        }
    }
    return TD_OK;
}
