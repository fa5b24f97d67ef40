// SPDX-License-Identifier: MIT
// Frames of the explicit step: without inertia, they are where the energy is least.
//
// Carried frames give the curvatures and the twist of every joint; how those change with the turns
// of the two edges is known in closed form, so that Newton's method needs no frames until the end.

#include "published/rod.h"

#include <float.h>

#define TURNINGS    200
#define STILL       1e-7 // rad: the next iteration would turn by the square of it
#define FURTHEST    1.0  // rad, by one iteration
#define LEAST_SHIFT 1e-3 // of the largest stiffness against twist
#define SHIFTS      20
#define SHIFT_MORE  4
#define SHIFT_LESS  8
#define ROUNDING    1e-12 // of an energy

// ---- equations ------------------------------------------------------------------------------

static inline bool turns(const tdi_rod_node *n) {
    return !(n->flags & TDI_HELD_TURN);
}

typedef struct curvature {
    td_real k1, k2;
} curvature;

// Of a joint turned by half the turns of its two edges.
static inline curvature curvature_at(const tdi_rod_pose *pose, td_real turns_of_both) {
    const tdi_rotation t = tdi_rotate_by(0.5 * turns_of_both);
    return (curvature){pose->k1 * t.c + pose->k2 * t.s, pose->k2 * t.c - pose->k1 * t.s};
}

// With psi = (turn_e + turn_f)/2: dk1/dpsi = k2, dk2/dpsi = -k1, so that by psi the energy has
//   g = p1 k2 - p2 k1,   H = B11 k2^2 - 2 B12 k1 k2 + B22 k1^2 - p.k
// and by the turns  g/2 -+ pm,  and H/4 + T on the diagonal and H/4 - T beside it. Gives the
// energy.
static td_real add_turning(const tdi_rod_node *n, const tdi_rod_pose *pose, tdi_rod_row *own,
                           tdi_rod_row *up, td_real stiffness) {
    const curvature k = curvature_at(pose, own->turn + up->turn);
    const td_real m = pose->twist + own->turn - up->turn - n->law.rest[2];
    const td_real b0 = stiffness * n->law.bend[0], b1 = stiffness * n->law.bend[1],
                  b2 = stiffness * n->law.bend[2], twist = stiffness * n->law.twist;
    td_real d1 = k.k1 - n->law.rest[0], d2 = k.k2 - n->law.rest[1];
    td_real p1 = b0 * d1 + b1 * d2, p2 = b1 * d1 + b2 * d2, pm = twist * m;
    td_real half = 0.5 * (p1 * k.k2 - p2 * k.k1);
    td_real energy_curvature =
        0.25 * (b0 * k.k2 * k.k2 - 2 * b1 * k.k1 * k.k2 + b2 * k.k1 * k.k1 - p1 * k.k1 - p2 * k.k2);
    own->d += energy_curvature + twist;
    own->b -= half + pm;
    own->e = energy_curvature - twist;
    up->d += energy_curvature + twist;
    up->b -= half - pm;
    return 0.5 * (p1 * d1 + p2 * d2 + pm * m);
}

// Fills the equations of Newton's method, with so much more on the diagonal, and gives the energy.
static td_real measure_turns(const tdi_rod_state *s, const tdi_rod_part *part, td_real stiffness,
                             td_real shift) {
    const tdi_rod_node *n = s->model->node;
    tdi_rod_row *r = tdi_rod_rows(s);
    td_real energy = 0;
    for (int32_t i = part->first; i < part->last; i++) {
        r[i].d = shift;
        r[i].e = 0;
        r[i].b = -r[i].load;
        energy += r[i].load * r[i].turn;
    }
    for (int32_t i = part->first; i < part->last; i++) {
        if (tdi_has_joint(&n[i])) {
            energy += add_turning(&n[i], &s->pose[i], &r[i], &r[n[i].parent], stiffness);
        }
    }
    for (int32_t i = part->first; i < part->last; i++) {
        if (!turns(&n[i])) {
            r[i].d = 1;
            r[i].e = r[i].b = 0;
        } else if (tdi_has_joint(&n[i]) && !turns(&n[n[i].parent])) {
            r[i].e = 0;
        }
    }
    return energy;
}

// ---- Newton's method ------------------------------------------------------------------------

// Solves with the least shift, of those tried, that makes the Hessian positive. It is kept for the
// next iteration, which tries a smaller one.
static void solve_turns(const tdi_rod_state *s, const tdi_rod_part *part, td_real stiffness,
                        td_real *shift, td_step_stats *stats) {
    td_real least = 0;
    for (int32_t i = part->first; i < part->last; i++) {
        least = fmax(least, LEAST_SHIFT * stiffness * s->model->node[i].law.twist);
    }
    *shift = *shift > least ? *shift / SHIFT_LESS : 0;
    for (int32_t k = 0; k < SHIFTS; k++) {
        measure_turns(s, part, stiffness, *shift);
        if (tdi_rod_solve_rows(tdi_rod_rows(s), part)) {
            return;
        }
        *shift = fmax(least, *shift * SHIFT_MORE);
        stats->raised++;
    }
}

// The turns as increments; the largest.
static td_real take_turns(tdi_rod_row *r, const tdi_rod_part *part) {
    td_real largest = 0;
    for (int32_t i = part->first; i < part->last; i++) {
        largest = fmax(largest, fabs(r[i].b));
    }
    const td_real share = largest > FURTHEST ? FURTHEST / largest : 1;
    for (int32_t i = part->first; i < part->last; i++) {
        r[i].move = share * r[i].b;
        r[i].turn += r[i].move;
    }
    return share * largest;
}

static void halve_turns(tdi_rod_row *r, const tdi_rod_part *part) {
    for (int32_t i = part->first; i < part->last; i++) {
        r[i].move *= 0.5;
        r[i].turn -= r[i].move;
    }
}

// No iteration raises the energy.
static void ease_turns(const tdi_rod_state *s, const tdi_rod_part *part, td_real stiffness,
                       td_step_stats *stats) {
    tdi_rod_row *r = tdi_rod_rows(s);
    td_real energy = DBL_MAX, shift = 0;
    for (int32_t k = 0; k < TURNINGS; k++) {
        td_real now = measure_turns(s, part, stiffness, shift);
        if (now > energy + ROUNDING * fabs(energy)) {
            halve_turns(r, part);
            stats->halvings++;
            continue;
        }
        energy = now;
        if (shift > 0 || !tdi_rod_solve_rows(r, part)) {
            solve_turns(s, part, stiffness, &shift, stats);
        }
        stats->iterations++;
        stats->last_move = take_turns(r, part);
        if (stats->last_move <= STILL) {
            return;
        }
    }
    stats->unconverged++;
}

// ---- frames ---------------------------------------------------------------------------------

// Frames and strains with the turns that were found.
static void turn_frames(const tdi_rod_state *s) {
    const tdi_rod_model *m = s->model;
    const tdi_rod_row *r = tdi_rod_rows(s);
    for (int32_t i = 0; i < m->node_count; i++) {
        const tdi_rod_node *n = &m->node[i];
        tdi_rod_pose *pose = &s->pose[i];
        if (tdi_has_joint(n)) {
            const curvature k = curvature_at(pose, r[i].turn + r[n->parent].turn);
            pose->k1 = k.k1;
            pose->k2 = k.k2;
            pose->twist += r[i].turn - r[n->parent].turn;
            const tdi_rotation twist = tdi_rotate_by(pose->twist);
            pose->twist_cos = twist.c;
            pose->twist_sin = twist.s;
        }
        if (r[i].turn != 0) {
            const tdi_rotation t = tdi_rotate_by(r[i].turn);
            tdi_edge *e = &pose->edge;
            e->m1 = tdi_madd(tdi_scale(e->m1, t.c), e->m2, t.s);
            e->m2 = tdi_cross(e->t, e->m1);
        }
    }
}

void tdi_rod_ease_frames(const tdi_rod_state *s, td_real stiffness, td_step_stats *stats) {
    for (int32_t k = 0; k < s->model->part_count; k++) {
        ease_turns(s, &s->model->part[k], stiffness, stats);
    }
    turn_frames(s);
}
