// SPDX-License-Identifier: MIT
// Exact contact: restitution.
//
// Newton    The reach is raised, so that the velocity along n becomes -e times the one before, with
//           the change by weight in the step.
// Poisson   Compression: along n velocities become 0, with forces f, apart from the change by
//           weight. Restitution: a force in the cone of friction is added to f, with at least e f_n
//           along n, so that impulses are compared and not velocities, and no pair may approach
//           again.
// Energy    Without friction and with one e either law loses (1 - e^2)/2 f^T K f or more. With
//           friction, or with several e, they may gain; then all e are multiplied by the largest
//           part, found by bisection, for which
//             sum of (forces).(displacements before + after - h^2 gravity)/2 <= 0.
// Rest      Approaches slower than the change by weight in two steps have no restitution. By
//           Poisson's law a near pair that is hit through others has restitution too, where its
//           force is more than twice the weight of all.
// Joints    Where joints rotate fast, an inelastic impact of any speed is stopped in an impact of
//           its own: in a whole step the impact forces of joints would do work on the arcs between
//           start and end. A collider that moves does work in any case, and a body that it pushes
//           along would have an impact in every piece of the step: there whole steps suffice.

#include "contact/plane.h"

#include <math.h>

#define RESTING  2.0  // times the change by weight in a step, or weights: below that no restitution
#define STANDING 0.1  // likewise with fast joints: below that no impact
#define PARTS    0.05 // of the coefficients: how well the largest part of them is known
#define ENERGY   1e-6 // of the forces' work: the error of the multipliers
#define MARGIN   0.02 // of it: the gain by rotations in the time of an impact

static td_real restitution_of(const tdi_contacts *c, int32_t other) {
    return other < c->capsule_count ? c->opts.restitution
                                    : c->colliders.item[other - c->capsule_count].restitution;
}

// Sets the reach of a plane: that of a stop, and by Newton's law that of the separation.
static void set_reach(const tdi_contacts *c, tdi_plane *p) {
    const td_real e = c->opts.law == TD_IMPACT_NEWTON ? restitution_of(c, p->row.other) : 0;
    p->reach = p->restitution.acts
                   ? fmax(p->restitution.reach,
                          p->restitution.stop + c->planes.part * e * p->restitution.speed)
                   : p->restitution.reach;
}

// Whether the collider moves in the step.
static bool is_driven(const tdi_plane *p) {
    const td_vec3 moved = tdi_sub(p->at, p->from);
    return tdi_dot(moved, moved) > 0;
}

void tdi_plane_prepare_bounce(const tdi_contacts *c, const tdi_plane_rule *rule, tdi_plane *p) {
    const td_vec3 began = tdi_sub(tdi_rows_between(&p->row, rule->began), p->from);
    const td_real fall = fmin(tdi_dot(p->row.normal, rule->gravity), 0) * rule->h,
                  weight = fall * rule->h, e = restitution_of(c, p->row.other),
                  slow = -(e > 0 ? RESTING : STANDING) * fall * rule->whole;
    p->restitution.stop = tdi_dot(p->row.normal, began) + weight;
    p->restitution.acts = !rule->no_restitution &&
                          (e > 0 || (rule->fast_joints && !is_driven(p))) &&
                          p->restitution.speed > slow;
    set_reach(c, p);
}

// ---- Poisson's law --------------------------------------------------------------------------

// Whether a plane has restitution by Poisson's law.
static bool has_restitution(const tdi_contacts *c, const tdi_plane_rule *rule, const tdi_plane *p) {
    return p->restitution.acts ||
           (restitution_of(c, p->row.other) > 0 &&
            rule->h * tdi_dot(p->given, p->row.normal) > RESTING * rule->whole * rule->weight);
}

static void add_restitution(const tdi_contacts *c, const tdi_plane_rule *rule, tdi_plane *p) {
    const td_real e =
        has_restitution(c, rule, p) ? c->planes.part * restitution_of(c, p->row.other) : 0;
    p->least = e * fmax(tdi_dot(p->given, p->row.normal), 0);
    p->multiplier = tdi_scale(p->row.normal, p->least);
}

// The work of the forces, over the sum of its sizes.
static td_real work_of(const tdi_contacts *c, const tdi_plane_rule *rule, tdi_plane_pose at) {
    const tdi_plane_pose ahead = {rule->ahead, rule->turning};
    td_real work = 0, size = 0;
    for (int32_t k = 0; k < c->planes.count; k++) {
        const tdi_plane *p = &c->planes.item[k];
        const td_vec3 moved = tdi_sub(p->at, p->from), force = tdi_plane_force(p),
                      before = tdi_sub(tdi_plane_slip(p, ahead), moved);
        td_vec3 after = tdi_sub(tdi_plane_slip(p, at), tdi_rows_between(&p->row, rule->began));
        after = tdi_sub(after, moved);
        if (p->row.other >= c->capsule_count) { // both sides fall alike
            after = tdi_madd(after, rule->gravity, -rule->h * rule->h);
        }
        work += 0.5 * tdi_dot(force, tdi_add(before, after));
        size += tdi_norm(force) * (tdi_norm(before) + tdi_norm(after));
    }
    return size > 0 ? work / size : 0;
}

bool tdi_planes_bounce(const tdi_contacts *c) {
    bool any = false;
    for (int32_t k = 0; k < c->planes.count; k++) {
        any = any || c->planes.item[k].restitution.acts;
    }
    return any;
}

// With all coefficients times c->part.
static void apply_part(tdi_contacts *c, const tdi_plane_rule *rule) {
    for (int32_t k = 0; k < c->planes.count; k++) {
        tdi_plane *p = &c->planes.item[k];
        if (c->opts.law == TD_IMPACT_POISSON) {
            add_restitution(c, rule, p);
        } else {
            set_reach(c, p);
        }
    }
    c->planes.updates = 0;
}

// Ends compression: its forces are kept.
static void end_compression(tdi_contacts *c) {
    c->planes.parting = true;
    for (int32_t k = 0; k < c->planes.count; k++) {
        c->planes.item[k].given = c->planes.item[k].multiplier;
    }
}

bool tdi_planes_separate(tdi_contacts *c, const tdi_plane_rule *rule, tdi_plane_pose at) {
    if (!tdi_planes_bounce(c)) {
        return false;
    }
    if (c->opts.law == TD_IMPACT_POISSON && !c->planes.parting) {
        end_compression(c);
        apply_part(c, rule);
        return true;
    }
    const bool fine = work_of(c, rule, at) <= (c->planes.part < 1 ? -MARGIN : ENERGY);
    c->planes.part_low = fine ? c->planes.part : c->planes.part_low;
    c->planes.part_high = fine ? c->planes.part_high : c->planes.part;
    const td_real next = c->planes.part_high - c->planes.part_low < PARTS
                             ? c->planes.part_low
                             : 0.5 * (c->planes.part_low + c->planes.part_high);
    if (next == c->planes.part) {
        return false;
    }
    c->planes.part = next;
    apply_part(c, rule);
    return true;
}
