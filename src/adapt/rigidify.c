// SPDX-License-Identifier: MIT
// Joints that become rigid: the impulses that stop them, and the coefficients of rigid nodes.
//
// Impulses   at the joints that stop cancel their velocities. The paper finds them with a matrix
//            K of d_R rows, by as many passes, and its inverse. They leave the momentum along every
//            motion of the new hybrid body as it is, for they do no work on it; so its velocities
//            are the answer of that body to the momentum of all bodies as an impulse:
//              M_new qd_new = sum over bodies of J^T I v
//            one main pass and one back-substitution, in place of d_R of each and d_R^3 operations.
//            It is the projection of the velocities on those that the new body can have, in the
//            metric of the kinetic energy, which so never grows.
//            Velocities are those against the base, which moves as it likes.

#include "adapt/adapt.h"
#include "tree/dynamics.h"

// ---- momentum -------------------------------------------------------------------------------

static tdi_six momentum_of(const tdi_mass *mass, const tdi_six *rate) {
    const tdi_twist t = {tdi_six_angular(rate), tdi_six_linear(rate)};
    const tdi_wrench p = tdi_mass_momentum(mass, &t);
    return tdi_six_of(p.n, p.f);
}

// Of a rigid child, at its top; half the sum of momentum times rate is its kinetic energy.
static tdi_six child_momentum(const td_adapt *s, int32_t child, const tdi_six *rate,
                              td_real *energy) {
    tdi_six p;
    if (tdi_is_node(child)) {
        p = momentum_of(&s->node[child].mass, rate);
    } else {
        const tdi_body *b = &s->model->body[~child];
        const tdi_mass mass = {b->mass, b->moment, b->second};
        p = momentum_of(&mass, rate);
    }
    *energy += 0.5 * tdi_six_dot(p.a, rate->a);
    return p;
}

static bool in_region(const td_adapt *s, int32_t child, bool was) {
    return tdi_is_node(child) && (s->node[child].active || (was && s->node[child].stops));
}

// Velocities against the base of all nodes in `list` and of their children.
static void carry_all(td_adapt *s, const int32_t *list, int32_t count) {
    const tdi_six none = {{0, 0, 0, 0, 0, 0}};
    for (int32_t k = count - 1; k >= 0; k--) {
        tdi_node_relative(s, list[k]);
    }
    for (int32_t k = 0; k < s->root_count; k++) {
        s->node[s->root[k]].top_rate = none;
    }
    for (int32_t k = 0; k < count; k++) {
        tdi_node_carry(s, list[k]);
    }
}

// Energy of the rigid pieces below the nodes in `list`, as the region is or was.
static td_real energy_of(const td_adapt *s, const int32_t *list, int32_t count, bool was) {
    td_real energy = 0;
    for (int32_t k = 0; k < count; k++) {
        const tdi_assembly_node *t = &s->tree[list[k]];
        const tdi_adapt_node *n = &s->node[list[k]];
        if (t->a != TDI_ASSEMBLY_BASE && !in_region(s, t->a, was)) {
            child_momentum(s, t->a, &n->top_rate, &energy);
        }
        if (!in_region(s, t->b, was)) {
            child_momentum(s, t->b, &n->b_rate, &energy);
        }
    }
    return energy;
}

// Momentum of the nodes that stop, children first, as they still move.
static void gather_momentum(td_adapt *s, int32_t count) {
    td_real energy = 0;
    for (int32_t k = count - 1; k >= 0; k--) {
        const int32_t i = s->spare[k];
        const tdi_assembly_node *t = &s->tree[i];
        tdi_adapt_node *n = &s->node[i];
        if (!n->stops || t->a == TDI_ASSEMBLY_BASE) {
            continue;
        }
        n->momentum = in_region(s, t->a, true) ? s->node[t->a].momentum
                                               : child_momentum(s, t->a, &n->top_rate, &energy);
        const tdi_six b = in_region(s, t->b, true) ? s->node[t->b].momentum
                                                   : child_momentum(s, t->b, &n->b_rate, &energy);
        const tdi_six moved = tdi_hop_force(&n->to_b, &b);
        tdi_six_add(&n->momentum, &moved, 1);
    }
}

// ---- the answer of the new hybrid body ------------------------------------------------------

static void child_answer(td_adapt *s, int32_t child, const tdi_six *rate, tdi_six b[2]) {
    const tdi_six none = {{0, 0, 0, 0, 0, 0}};
    td_real energy = 0;
    b[0] = b[1] = none;
    if (child == TDI_ASSEMBLY_BASE) {
        return;
    }
    if (tdi_is_active(s, child)) {
        b[0] = s->node[child].bias[0];
        b[1] = s->node[child].bias[1];
        return;
    }
    const bool stops = tdi_is_node(child) && s->node[child].stops;
    const tdi_six p = stops ? s->node[child].momentum : child_momentum(s, child, rate, &energy);
    if (!tdi_is_node(child)) {
        b[0] = tdi_six_apply_t(&s->body_phi[~child], &p);
        return;
    }
    b[0] = tdi_six_apply_t(&s->node[child].hybrid.of[0], &p);
    if (s->tree[child].handles == 2) {
        b[1] = tdi_hop_motion(&s->node[child].to_end, &b[0]);
    }
}

static void answer(td_adapt *s, int32_t i) {
    const tdi_assembly_node *t = &s->tree[i];
    const td_real torque[6] = {0, 0, 0, 0, 0, 0};
    tdi_adapt_node *n = &s->node[i];
    tdi_six b[2][2];
    child_answer(s, t->a, &n->top_rate, b[0]);
    child_answer(s, t->b, &n->b_rate, b[1]);
    tdi_six beta = tdi_hop_motion(&n->joint, &b[0][t->via]);
    tdi_six_add(&beta, &b[1][0], -1);
    tdi_node_bias(s, i, &beta, torque);
    for (int h = 0; h < t->handles; h++) {
        const tdi_handle_from from = tdi_handle_at(t, h);
        const tdi_six moved = tdi_six_apply(&n->with.gain[h], &n->with.gamma);
        n->bias[h] = b[from.side][from.handle];
        tdi_six_add(&n->bias[h], &moved, 1);
    }
}

// ---- entry ----------------------------------------------------------------------------------

// Marks what stops; whether any of it moves.
static bool mark(td_adapt *s, int32_t count) {
    bool moves = false;
    s->stats.rigidified = 0;
    for (int32_t k = 0; k < count; k++) {
        const int32_t i = s->spare[k], d = s->model->dof[i];
        s->node[i].stops = !s->node[i].active;
        s->node[i].stiff = s->node[i].stiff && s->node[i].stops;
        for (int32_t j = 0; s->node[i].stops && j < tdi_joint_dofs(s, i); j++) {
            moves = moves || s->state->v[d + j] != 0;
        }
        s->stats.rigidified += s->node[i].stops && tdi_may_choose(s, i);
    }
    return moves;
}

static void set_velocities(td_adapt *s, int32_t count, const td_real *v) {
    for (int32_t k = 0; k < count; k++) {
        const int32_t i = s->spare[k], d = s->model->dof[i];
        for (int32_t j = 0; j < tdi_joint_dofs(s, i); j++) {
            s->state->v[d + j] = s->node[i].stops ? 0 : v[d + j];
        }
    }
}

void tdi_rigidify(td_adapt *s, int32_t count) {
    const bool moves = mark(s, count);
    for (int32_t k = count - 1; k >= 0; k--) {
        if (s->node[s->spare[k]].stops && s->tree[s->spare[k]].a != TDI_ASSEMBLY_BASE) {
            tdi_node_mass(s, s->spare[k]);
        }
    }
    if (!moves) {
        tdi_update_front(s, s->active, s->active_count);
        return;
    }
    carry_all(s, s->spare, count);
    const td_real first = energy_of(s, s->spare, count, true);
    gather_momentum(s, count);
    tdi_update_front(s, s->active, s->active_count);
    for (int32_t k = s->active_count - 1; k >= 0; k--) {
        tdi_node_join(s, s->active[k], false);
        answer(s, s->active[k]);
    }
    tdi_pass_back(s, s->active, s->active_count, s->accel);
    set_velocities(s, count, s->accel);
    carry_all(s, s->active, s->active_count);
    const td_real lost = first - energy_of(s, s->active, s->active_count, false);
    s->stats.energy_lost += lost;
}

void tdi_rigid_keep(td_adapt *s, int32_t count) {
    const tdi_six none = {{0, 0, 0, 0, 0, 0}};
    for (int32_t k = count - 1; k >= 0; k--) {
        tdi_adapt_node *n = &s->node[s->spare[k]];
        if (n->stops) {
            n->b_extra = n->end_extra = none;
            if (!n->fresh) {
                tdi_metric_tensors(s, s->spare[k]);
            }
        }
        n->stops = n->fresh = false;
    }
}

void tdi_rigid_renew(td_adapt *s) {
    for (int32_t k = 0; k < s->model->body_count; k++) {
        if (!s->node[s->order[k]].active) {
            tdi_metric_tensors(s, s->order[k]);
        }
    }
}
