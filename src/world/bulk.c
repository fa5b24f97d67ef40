// SPDX-License-Identifier: MIT
// Poses, velocities and bounds of all segments at once.

#include "world/world.h"

#include "base/guard.h"

#include <math.h>

// ---- poses ----------------------------------------------------------------------------------

int32_t td_world_first_segment(const td_world *w, int32_t actor) {
    if (!w) {
        return 0;
    }
    int32_t first = 0;
    for (int32_t k = 0; k < actor && actor <= w->actor_count; k++) {
        first += w->actors[k].segment_count;
    }
    return first;
}

int32_t td_world_segment_count(const td_world *w) {
    return w ? td_world_first_segment(w, w->actor_count) : 0;
}

static void poses_of(const tdi_actor *a, td_vec3 *origins, td_vec3 *tips, td_quat *rotations) {
    a->solver->poses(a->state, 0, a->segment_count, origins, tips, rotations);
    for (int32_t i = 0; i < a->segment_count; i++) {
        if (origins) {
            origins[i] = tdi_from_simulated(a, origins[i]);
        }
        if (tips) {
            tips[i] = tdi_from_simulated(a, tips[i]);
        }
        if (rotations) {
            rotations[i] = tdi_rotation_from_simulated(a, rotations[i]);
        }
    }
}

void td_world_all_poses(const td_world *w, td_vec3 *origins, td_vec3 *tips, td_quat *rotations) {
    if (!w) {
        return;
    }
    for (int32_t k = 0, at = 0; k < w->actor_count; k++) {
        const tdi_actor *a = &w->actors[k];
        poses_of(a, origins ? origins + at : NULL, tips ? tips + at : NULL,
                 rotations ? rotations + at : NULL);
        at += a->segment_count;
    }
}

// ---- velocities -----------------------------------------------------------------------------

// Velocity of a point of a segment, given in its axes.
static td_vec3 velocity_of(const tdi_actor *a, int32_t i, td_vec3 point) {
    td_vec3 origin;
    td_quat turn;
    a->solver->poses(a->state, i, 1, &origin, NULL, &turn);
    const td_vec3 v = tdi_solver_velocity(a->solver, a->state, i, point);
    return tdi_velocity_from_simulated(a, tdi_add(origin, tdi_quat_rotate(turn, point)), v);
}

// With u(e) the velocity of the point e over that of the joint, in the world, and unit axes e_k
//   w = 1/2 sum of e_k x u(e_k)
static td_vec3 spin_of(const tdi_actor *a, int32_t i) {
    static const td_vec3 axes[3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    const td_quat turn =
        tdi_rotation_from_simulated(a, tdi_solver_rotation(a->solver, a->state, i));
    const td_real size = fmax(a->segments[i].length, 1e-6); // m: points within reach
    const td_vec3 joint = velocity_of(a, i, tdi_vec3(0, 0, 0));
    td_vec3 w = {0, 0, 0};
    for (int k = 0; k < 3; k++) {
        const td_vec3 v = velocity_of(a, i, tdi_scale(axes[k], size));
        w = tdi_add(w, tdi_cross(tdi_quat_rotate(turn, axes[k]), tdi_sub(v, joint)));
    }
    return tdi_scale(w, 0.5 / size);
}

tdi_rate tdi_segment_rate(const tdi_actor *a, int32_t segment) {
    return (tdi_rate){spin_of(a, segment), velocity_of(a, segment, tdi_vec3(0, 0, 0))};
}

static void velocities_of(const tdi_actor *a, td_vec3 *tips, td_vec3 *spins) {
    for (int32_t i = 0; i < a->segment_count; i++) {
        if (tips) {
            tips[i] = velocity_of(a, i, a->segments[i].tip);
        }
        if (spins) {
            spins[i] = spin_of(a, i);
        }
    }
}

void td_world_velocities(td_world *w, td_actor_id id, td_vec3 *tips, td_vec3 *spins) {
    const int32_t actor = td_world_actor_index(w, id);
    if (actor != TD_NONE) {
        velocities_of(&w->actors[actor], tips, spins);
    }
}

void td_world_all_velocities(td_world *w, td_vec3 *tips, td_vec3 *spins) {
    if (!w) {
        return;
    }
    for (int32_t k = 0, at = 0; k < w->actor_count; k++) {
        velocities_of(&w->actors[k], tips ? tips + at : NULL, spins ? spins + at : NULL);
        at += w->actors[k].segment_count;
    }
}

// ---- bounds ---------------------------------------------------------------------------------

static void take_in(td_box *b, td_vec3 x, td_real r) {
    b->low = tdi_vec3(fmin(b->low.x, x.x - r), fmin(b->low.y, x.y - r), fmin(b->low.z, x.z - r));
    b->high =
        tdi_vec3(fmax(b->high.x, x.x + r), fmax(b->high.y, x.y + r), fmax(b->high.z, x.z + r));
}

#define BLOCK 64

static td_box bounds_of(const tdi_actor *a) {
    td_box b = {{HUGE_VAL, HUGE_VAL, HUGE_VAL}, {-HUGE_VAL, -HUGE_VAL, -HUGE_VAL}};
    if (!a->alive) {
        return b;
    }
    for (int32_t from = 0; from < a->segment_count; from += BLOCK) {
        const int32_t n = a->segment_count - from < BLOCK ? a->segment_count - from : BLOCK;
        td_vec3 origins[BLOCK], tips[BLOCK];
        a->solver->poses(a->state, from, n, origins, tips, NULL);
        for (int32_t i = 0; i < n; i++) {
            const td_segment *s = &a->segments[from + i];
            take_in(&b, tdi_from_simulated(a, origins[i]), s->radius_base);
            take_in(&b, tdi_from_simulated(a, tips[i]), s->radius_tip);
        }
    }
    return b;
}

td_box td_world_bounds(const td_world *w, td_actor_id id) {
    const int32_t actor = td_world_actor_index(w, id);
    return actor == TD_NONE ? (td_box){{0, 0, 0}, {0, 0, 0}} : bounds_of(&w->actors[actor]);
}

void td_world_all_bounds(const td_world *w, td_box *boxes) {
    if (!w || !boxes) {
        return;
    }
    for (int32_t k = 0; k < w->actor_count; k++) {
        boxes[k] = bounds_of(&w->actors[k]);
    }
}
