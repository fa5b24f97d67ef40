// SPDX-License-Identifier: MIT
// Exact contact: forces of planes, their potential and their multipliers.
//
// Potential That of Coulomb's cone with multipliers (law/cone.c).
// Rolling   Resistance is a moment between the two sides: a force g on the arms +r and -r of their
//           rotations, with the slip q = r n x (w_0 - w_1), on the disc |g| <= c g_n of the last
//           update.
// Impacts   In the restitution of an impact (exact_bounce.c) the forces f of compression stay, the
//           added force has a least along n, and V gains -f.u.

#include "contact/plane.h"

#include "law/law.h"

#include <math.h>
#include <string.h>

#define BOUND        0.02 // of the bound of rolling resistance: its error
#define UPDATES      4  // of multipliers: each leaves a thousandth of the error of a light capsule
#define MOST_UPDATES 40 // of multipliers, where stiff bodies leave an error of more than
#define ROUGH        0.02  // of the gap of planes
#define PART         2     // updates in a part of a step
#define SHIFTS       12    // updates of the shift with restitution
#define FOLLOWS      4     // and of a sliding contact
#define STILL        1e-8  // m/s: error of the velocity of a contact at rest
#define MOVING       3e-3  // of the displacement in the step: error of a moving contact,
#define COARSE       0.4   // but no more than this of the gap of planes
#define NARROW       1e-10 // m: error of a contact at rest in a part of a step
#define FORCE        1e-3  // of the largest force of the body, and
#define FAINT        1e-3  // m/s^2, times mass: error of forces
#define ROUNDED      4e-15 // of positions: rounding error

// ---- potential ------------------------------------------------------------------------------

typedef struct grip { // of a plane at a pose
    td_vec3 u;
    tdi_cone cone;
    tdi_cone_terms on; // of the force besides that of compression
} grip;

static grip grip_of(const tdi_plane *p, tdi_plane_pose at) {
    const td_vec3 e = tdi_sub(tdi_plane_slip(p, at), p->at), n = p->row.normal;
    const td_real beyond = tdi_dot(n, e) - p->reach + p->shift;
    grip g = {.u = tdi_madd(tdi_plane_tangential(p, tdi_sub(e, p->slip)), n, beyond),
              .cone = {n, p->multiplier, p->stiffness, p->friction, p->least}};
    g.on = tdi_cone_evaluate(&g.cone, g.u);
    return g;
}

static td_vec3 force_of(const tdi_plane *p, const grip *g) {
    return tdi_add(p->given, g->on.force);
}

static td_real energy_of(const tdi_plane *p, const grip *g) {
    return tdi_cone_value(&g->cone, &g->on) - tdi_dot(p->given, g->u);
}

// ---- rolling --------------------------------------------------------------------------------

static bool resists(const tdi_plane *p) {
    return p->rolling.arm[0] > 0;
}

static td_vec3 rolled(const tdi_plane *p, const td_vec3 *turned) {
    return tdi_rows_turns(&p->row, p->rolling.arm, turned);
}

static tdi_disc_terms resistance_of(const tdi_plane *p, const td_vec3 *turned) {
    const td_vec3 q = tdi_sub(rolled(p, turned), p->rolling.slip);
    return tdi_disc_evaluate(p->rolling.multiplier, p->stiffness, p->rolling.limit, q);
}

static tdi_contact resistance_contact(const tdi_plane *p, const tdi_disc_terms *r) {
    tdi_contact out = {.row = p->row,
                       .force = tdi_scale(r->force, -1),
                       .hessian = tdi_disc_stiffness(p->stiffness, p->row.normal, r),
                       .friction = true,
                       .rolling = true};
    memcpy(out.row.arm, p->rolling.arm, sizeof out.row.arm);
    memset(out.row.weight, 0, sizeof out.row.weight);
    return out;
}

// ---- sums -----------------------------------------------------------------------------------

td_real tdi_planes_energy(const tdi_contacts *c, tdi_plane_pose at) {
    td_real energy = 0;
    for (int32_t k = 0; k < c->planes.count; k++) {
        const tdi_plane *p = &c->planes.item[k];
        const grip g = grip_of(p, at);
        energy += energy_of(p, &g);
        if (resists(p)) {
            const tdi_disc_terms r = resistance_of(p, at.turned);
            energy += tdi_disc_value(p->stiffness, &r);
        }
    }
    return energy;
}

td_real tdi_planes_evaluate(tdi_contacts *c, tdi_plane_pose at) {
    td_real energy = 0;
    for (int32_t k = 0; k < c->planes.count; k++) {
        const tdi_plane *p = &c->planes.item[k];
        const grip g = grip_of(p, at);
        energy += energy_of(p, &g);
        tdi_contact *out = &c->contact[k];
        *out = (tdi_contact){.row = p->row,
                             .force = tdi_scale(force_of(p, &g), -1),
                             .hessian = tdi_cone_stiffness(&g.cone, &g.on),
                             .gap = tdi_dot(p->row.normal, g.u) + p->reach - p->shift - p->radii};
    }
    c->contact_count = c->planes.count;
    for (int32_t k = 0; k < c->planes.count; k++) {
        const tdi_plane *p = &c->planes.item[k];
        if (resists(p)) {
            const tdi_disc_terms r = resistance_of(p, at.turned);
            energy += tdi_disc_value(p->stiffness, &r);
            c->contact[c->contact_count++] = resistance_contact(p, &r);
        }
    }
    return energy;
}

td_real tdi_planes_rounding(const tdi_contacts *c, const td_vec3 *x) {
    td_real sum = 0;
    for (int32_t k = 0; k < c->contact_count; k++) {
        sum += tdi_norm(c->contact[k].force) * tdi_norm(x[c->contact[k].row.point[0]]);
    }
    return sum;
}

// ---- multipliers ----------------------------------------------------------------------------

// How far a plane may be violated with the gap still open.
static td_real slack_of(const tdi_plane *p) {
    return COARSE * fmin(p->reach - p->radii, TDI_PLANE_GAP * p->range);
}

// The largest force of planes of the same body, from the plane k on to *end.
static td_real largest_from(const tdi_contacts *c, const tdi_plane_rule *rule, int32_t k,
                            int32_t *end) {
    const int32_t group = rule->group[c->planes.item[k].row.capsule];
    td_real most = 0;
    for (; k < c->planes.count && rule->group[c->planes.item[k].row.capsule] == group; k++) {
        most = fmax(most, tdi_norm(c->planes.item[k].multiplier));
    }
    *end = k;
    return most;
}

// The allowed error of a plane's slip and depth, where forces are as large as `force`: contacts at
// rest must not creep, and forces must be accurate too, or shorter steps would be worse.
static td_real left_of(const tdi_plane *p, const tdi_plane_rule *rule, const td_vec3 *x,
                       td_real force) {
    const td_vec3 way =
        tdi_sub(tdi_sub(tdi_rows_between(&p->row, x), tdi_rows_between(&p->row, rule->began)),
                tdi_sub(p->at, p->from));
    const td_real moving = fmin(MOVING * tdi_norm(way), slack_of(p)), h = rule->h,
                  faint = FAINT * tdi_plane_mass(p, rule) * h * h;
    return rule->h < rule->whole
               ? NARROW + moving
               : ROUNDED * tdi_norm(x[p->row.point[0]]) +
                     fmin(STILL * h + moving, (FORCE * force + faint) / p->stiffness);
}

// Whether the resistance is as predicted.
static bool is_rolling_steady(const tdi_plane *p, const tdi_contact *was, tdi_plane_pose at,
                              tdi_plane_pose move, td_real left) {
    const td_vec3 model =
        tdi_add(was->force, tdi_sym3_apply(&was->hessian, rolled(p, move.turned)));
    return tdi_norm(tdi_add(resistance_of(p, at.turned).force, model)) <= p->stiffness * left;
}

bool tdi_planes_are_steady(const tdi_contacts *c, const tdi_plane_rule *rule, tdi_plane_pose at,
                           tdi_plane_pose move) {
    int32_t rolling = c->planes.count, end = 0; // rolling resistances come after all planes
    td_real force = 0;
    for (int32_t k = 0; k < c->planes.count; k++) {
        const tdi_plane *p = &c->planes.item[k];
        const tdi_contact *was = &c->contact[k];
        const td_vec3 model =
            tdi_add(was->force, tdi_sym3_apply(&was->hessian, tdi_plane_slip(p, move)));
        const grip g = grip_of(p, at);
        force = k == end ? largest_from(c, rule, k, &end) : force;
        const td_real left = left_of(p, rule, at.x, force);
        const td_vec3 off = tdi_add(force_of(p, &g), model);
        if (tdi_norm(off) > p->stiffness * left ||
            (resists(p) && !is_rolling_steady(p, &c->contact[rolling++], at, move, left))) {
            return false;
        }
    }
    return true;
}

// The bound follows from the last normal force. Whether it has converged, where it is active.
static bool update_resistance(const tdi_contacts *c, tdi_plane *p, const td_vec3 *turned,
                              td_real left, bool *close) {
    if (!resists(p)) {
        return true;
    }
    const tdi_disc_terms r = resistance_of(p, turned);
    const td_real bound =
        tdi_rolling_of(c, p->row.other) * tdi_dot(p->row.normal, tdi_plane_force(p));
    const bool held =
        r.part >= 1 ? tdi_norm(r.force) <= bound : fabs(bound - p->rolling.limit) <= BOUND * bound;
    *close = *close && tdi_norm(tdi_sub(r.force, p->rolling.multiplier)) <= p->stiffness * left;
    p->rolling.multiplier = r.force;
    p->rolling.limit = bound;
    return held;
}

// Whether the shift has converged. With restitution it must give the exact speed. Otherwise it
// follows the slip a few times, in whole steps, and as often as a body would sink.
static bool update_shift(const tdi_contacts *c, const tdi_plane_rule *rule, tdi_plane *p,
                         const grip *g, td_real left) {
    const td_real shift = p->friction * tdi_norm(tdi_plane_tangential(p, g->u)),
                  gap = tdi_dot(p->row.normal, g->u) - p->shift; // beyond the gap to keep
    const int32_t most = p->restitution.acts ? SHIFTS : rule->h < rule->whole ? 0 : FOLLOWS;
    const bool sinks = !p->restitution.acts && gap < -slack_of(p) && p->shift > shift,
               off = sinks || (fabs(shift - p->shift) > left && c->planes.updates <= most);
    p->shift = off ? shift : p->shift;
    return !off;
}

bool tdi_planes_update(tdi_contacts *c, const tdi_plane_rule *rule, tdi_plane_pose at) {
    bool close = true, held = true, done = true, open = true;
    td_real force = 0;
    int32_t end = 0;
    c->planes.updates++;
    for (int32_t k = 0; k < c->planes.count; k++) {
        tdi_plane *p = &c->planes.item[k];
        const grip g = grip_of(p, at);
        force = k == end ? largest_from(c, rule, k, &end) : force;
        const td_real left = left_of(p, rule, at.x, force);
        done = update_shift(c, rule, p, &g, left) && done;
        const td_real off = tdi_norm(tdi_sub(g.on.force, p->multiplier)) / p->stiffness;
        close = close && off <= left;
        open = open && off <= ROUGH * TDI_PLANE_GAP * p->range;
        p->multiplier = g.on.force;
        if (g.on.state == TDI_CONE_SLIDES && p->friction > p->sliding &&
            tdi_norm(tdi_plane_tangential(p, g.u)) > left) {
            p->friction = p->sliding; // it slips from now on
            done = false;
        }
        held = update_resistance(c, p, at.turned, left, &close) && held;
    }
    const int32_t enough = open ? (rule->h < rule->whole ? PART : UPDATES) : MOST_UPDATES;
    done = done && ((close && held) || c->planes.updates > enough);
    if (!done && !rule->impact) {
        tdi_planes_move_points(c, rule, at.x);
    }
    return done;
}

td_real tdi_planes_work(const tdi_contacts *c, const tdi_plane_rule *rule, tdi_plane_pose at) {
    td_real work = 0;
    for (int32_t k = 0; k < c->planes.count; k++) {
        const tdi_plane *p = &c->planes.item[k];
        const td_vec3 way = tdi_sub(tdi_plane_slip(p, at), tdi_rows_between(&p->row, rule->began));
        work += tdi_dot(tdi_plane_force(p), way);
        work += resists(p) ? tdi_dot(p->rolling.multiplier, rolled(p, at.turned)) : 0;
    }
    return work;
}

void tdi_planes_measure(tdi_contacts *c, const td_vec3 *x, bool far) {
    int32_t count = 0;
    tdi_poses_at(c, 1);
    for (int32_t k = 0; k < c->planes.count; k++) {
        tdi_contact *out = &c->contact[count];
        const tdi_near_pair pair = {c->contact[k].row.capsule, c->contact[k].row.other};
        *out = c->contact[k];
        out->force = tdi_scale(tdi_plane_force(&c->planes.item[k]),
                               -1); // that of the step, which moved the bodies
        tdi_pair_geometry m;
        tdi_pair_open(
            c, pair, x,
            pair.j < c->capsule_count ? NULL : &c->colliders.pose[pair.j - c->capsule_count], &m);
        out->gap =
            m.two.side == TDI_SIDE_PLANE ? out->gap : tdi_closest_of(&m.two).distance - m.radii;
        count += far || out->gap < m.range;
    }
    c->contact_count = count;
}

bool tdi_planes_have_new_contacts(const tdi_contacts *c) {
    return c->planes.fresh;
}
