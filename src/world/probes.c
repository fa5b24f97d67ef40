// SPDX-License-Identifier: MIT
// What is recorded of a world: quantities at segments, energies and momentum.

#include "world/world.h"

#include "base/guard.h"

#include "math/quat.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

// ---- columns --------------------------------------------------------------------------------

typedef struct quantity {
    const char *name, *unit;
    const char *parts[5]; // names of the columns, after a dot; ends with NULL
} quantity;

static const quantity quantities[] = {
    [TD_QUANTITY_POSITION] = {"position", "m", {"x", "y", "z"}},
    [TD_QUANTITY_ORIENTATION] = {"orientation", "1", {"w", "x", "y", "z"}},
    [TD_QUANTITY_VELOCITY] = {"velocity", "m/s", {"x", "y", "z"}},
    [TD_QUANTITY_CURVATURE] = {"curvature", "1/m", {"x", "y", "z"}},
    [TD_QUANTITY_MOMENT] = {"moment", "N m", {"x", "y", "z"}},
    [TD_QUANTITY_FORCE] = {"force", "N", {"x", "y", "z"}},
};

static int32_t part_count(td_quantity q) {
    int32_t count = 0;
    while (quantities[q].parts[count]) {
        count++;
    }
    return count;
}

td_status tdi_world_make_probes(td_world *w, td_diag_list *diags) {
    const td_record_def *r = &w->scene->def.record;
    int32_t column = 0;
    w->probes.spots =
        tdi_arena_zeroed(&w->arena, (size_t)r->probe_count + 1, sizeof *w->probes.spots);
    w->probes.names =
        tdi_arena_zeroed(&w->arena, 4 * (size_t)r->probe_count + 1, sizeof *w->probes.names);
    if (!w->probes.spots || !w->probes.names) {
        return TD_ERR_MEMORY;
    }
    for (int32_t k = 0; k < r->probe_count; k++) {
        const td_probe_def *p = &r->probes[k];
        const quantity *q = &quantities[p->quantity];
        char path[64];
        snprintf(path, sizeof path, "record.probes[%d]", k);
        td_status status =
            p->constraint ? TD_OK : tdi_find_spot(w, &p->place, path, &w->probes.spots[k], diags);
        if (status != TD_OK) {
            return status;
        }
        const char *owner =
            p->constraint ? p->constraint : w->actors[w->probes.spots[k].actor].name;
        for (int32_t i = 0; q->parts[i]; i++, column++) {
            char *name = w->probes.names[column];
            if (p->name) {
                snprintf(name, sizeof *w->probes.names, "%.60s.%s [%s]", p->name, q->parts[i],
                         q->unit);
            } else {
                snprintf(name, sizeof *w->probes.names, "%.48s.%s.%s [%s]", owner, q->name,
                         q->parts[i], q->unit);
            }
        }
    }
    w->probes.columns = column;
    return TD_OK;
}

int32_t td_world_probe_columns(const td_world *w) {
    if (!w) {
        return 0;
    }
    return w->probes.columns;
}

const char *td_world_probe_name(const td_world *w, int32_t column) {
    if (!w || !tdi_has(column, td_world_probe_columns(w))) {
        return "";
    }
    return w->probes.names[column];
}

// ---- values ---------------------------------------------------------------------------------

static td_vec3 curvature(const tdi_actor *a, int32_t i) {
    const td_segment *s = a->segments;
    int32_t p = s[i].parent;
    td_real length = 0.5 * (s[i].length + (p == TD_NONE ? 0 : s[p].length));
    return tdi_scale(tdi_solver_turn(a->solver, a->state, i), 1 / length);
}

static td_vec3 moment(const td_world *w, const tdi_actor *a, int32_t i) {
    return tdi_solver_moment(a->solver, a->state, i, w->scene->def.objects[a->object].stiffness);
}

static void probe_constraint(const td_world *w, const char *name, td_real values[3]) {
    const td_vec3 force = td_world_constraint(w, td_world_constraint_find(w, name)).force;
    memcpy(values, &force, sizeof force);
}

void td_world_probes(td_world *w, td_real *values) {
    if (!w || !values) {
        return;
    }
    const td_record_def *r = &w->scene->def.record;
    for (int32_t k = 0; k < r->probe_count; k++) {
        if (r->probes[k].constraint) {
            probe_constraint(w, r->probes[k].constraint, values);
            values += 3;
            continue;
        }
        const tdi_actor *a = &w->actors[w->probes.spots[k].actor];
        int32_t i = w->probes.spots[k].segment;
        td_quantity q = r->probes[k].quantity;
        td_vec3 tip = tdi_solver_tip(a->solver, a->state, i), v = {0, 0, 0};
        if (q == TD_QUANTITY_POSITION) {
            v = tdi_from_simulated(a, tip);
        } else if (q == TD_QUANTITY_VELOCITY) {
            v = tdi_solver_velocity(a->solver, a->state, i, a->segments[i].tip);
            v = tdi_velocity_from_simulated(a, tip, v);
        } else if (q == TD_QUANTITY_CURVATURE) {
            v = curvature(a, i);
        } else if (q == TD_QUANTITY_MOMENT) {
            v = moment(w, a, i);
        }
        td_quat turn = tdi_rotation_from_simulated(a, tdi_solver_rotation(a->solver, a->state, i));
        const td_real all[4] = {turn.w, turn.x, turn.y, turn.z}, three[3] = {v.x, v.y, v.z};
        int32_t count = part_count(q);
        memcpy(values, count == 4 ? all : three, (size_t)count * sizeof *values);
        values += count;
    }
}

void td_world_moments(const td_world *w, td_actor_id id, td_vec3 *moments) {
    const int32_t actor = td_world_actor_index(w, id);
    if (!moments || actor == TD_NONE) {
        return;
    }
    const tdi_actor *a = &w->actors[actor];
    for (int32_t i = 0; i < a->segment_count; i++) {
        moments[i] = moment(w, a, i);
    }
}

td_sums td_world_actor_sums(td_world *w, td_actor_id id) {
    const int32_t actor = td_world_actor_index(w, id);
    if (actor == TD_NONE) {
        return (td_sums){0};
    }
    const tdi_actor *a = &w->actors[actor];
    td_sums sums = a->solver->sums(a->state, tdi_turn_to_simulated(a, w->scene->def.gravity));
    sums.energy.elastic *= w->scene->def.objects[a->object].stiffness;
    return sums;
}

static td_sums sums_together(td_sums a, td_sums b) {
    return (td_sums){
        .energy = {a.energy.kinetic + b.energy.kinetic, a.energy.elastic + b.energy.elastic,
                   a.energy.weight + b.energy.weight},
        .linear = tdi_add(a.linear, b.linear),
        .angular = tdi_add(a.angular, b.angular),
    };
}

td_sums td_world_object_sums(td_world *w, int32_t object) {
    td_sums sums = {{0, 0, 0}, {0, 0, 0}, {0, 0, 0}};
    for (int32_t k = 0; w && k < w->actor_count; k++) {
        if (w->actors[k].object == object) {
            sums = sums_together(sums, td_world_actor_sums(w, td_world_actor_id(w, k)));
        }
    }
    return sums;
}

td_sums td_world_sums(td_world *w) {
    td_sums sums = {{0, 0, 0}, {0, 0, 0}, {0, 0, 0}};
    for (int32_t k = 0; w && k < w->actor_count; k++) {
        sums = sums_together(sums, td_world_actor_sums(w, td_world_actor_id(w, k)));
    }
    for (int32_t k = 0; w && k < w->constraints.slot_count; k++) {
        sums.energy.elastic += td_world_constraint_energy(w, td_world_constraint_id(w, k));
    }
    return sums;
}

td_real td_world_largest_force(const td_world *w) {
    if (!w) {
        return 0;
    }
    td_real largest = 0;
    for (int32_t k = 0; k < w->actor_count; k++) {
        largest = fmax(largest, w->actors[k].step.largest_force);
    }
    return largest;
}
