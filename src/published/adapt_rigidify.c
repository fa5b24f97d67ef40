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

#include "published/adapt.h"
#include "tree/dynamics.h"

// ---- momentum -------------------------------------------------------------------------------

static tdi_six momentum_of(const tdi_mass *mass, const tdi_six *rate) {
    const tdi_twist t = {tdi_six_angular(rate), tdi_six_linear(rate)};
    const tdi_wrench p = tdi_mass_momentum(mass, &t);
    return tdi_six_of(p.n, p.f);
}

// Of a child as a rigid body, at its top.
static tdi_six child_momentum(const td_adapt *s, int32_t child, const tdi_six *rate) {
    if (tdi_is_node(child)) {
        return momentum_of(&s->node[child].mass, rate);
    }
    const tdi_body *b = &s->model->body[~child];
    const tdi_mass mass = {b->mass, b->moment, b->second};
    return momentum_of(&mass, rate);
}

// Where the momentum of a child is kept.
static tdi_six *kept_of(td_adapt *s, int32_t child) {
    return tdi_is_node(child) ? &s->node[child].momentum : &s->body_push[~child];
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

// Momentum of all that is or becomes rigid, children first, as it still moves. Returns the kinetic
// energy.
static td_real gather_momentum(td_adapt *s, int32_t count) {
    td_real energy = 0;
    for (int32_t k = count - 1; k >= 0; k--) {
        const int32_t i = s->spare[k], children[2] = {s->tree[i].a, s->tree[i].b};
        tdi_adapt_node *n = &s->node[i];
        for (int j = 0; j < 2; j++) {
            const int32_t child = children[j];
            const bool moves = tdi_is_active(s, child) || (child >= 0 && s->node[child].stops);
            if (child != TDI_ASSEMBLY_BASE && !moves) {
                const tdi_six *rate = j ? &n->b_rate : &n->top_rate;
                *kept_of(s, child) = child_momentum(s, child, rate);
                energy += 0.5 * tdi_six_dot(kept_of(s, child)->a, rate->a);
            }
        }
        if (n->stops && children[0] != TDI_ASSEMBLY_BASE) {
            const tdi_six moved = tdi_hop_force(&n->to_b, kept_of(s, children[1]));
            n->momentum = *kept_of(s, children[0]);
            tdi_six_add(&n->momentum, &moved, 1);
        }
    }
    return energy;
}

// ---- the answer of the new hybrid body ------------------------------------------------------

// Momentum that a child lacks yet, at its top.
static tdi_six lack_of(td_adapt *s, int32_t child, const tdi_six *rate) {
    if (tdi_is_active(s, child)) {
        return s->node[child].momentum;
    }
    tdi_six lacks = *kept_of(s, child);
    const tdi_six has = child_momentum(s, child, rate);
    tdi_six_add(&lacks, &has, -1);
    return lacks;
}

// Sums, children first: of B in push, of the node in momentum.
static void sum_lacks(td_adapt *s) {
    for (int32_t k = s->active.count - 1; k >= 0; k--) {
        const tdi_assembly_node *t = &s->tree[s->active.node[k]];
        tdi_adapt_node *n = &s->node[s->active.node[k]];
        n->push = lack_of(s, t->b, &n->b_rate);
        if (t->a != TDI_ASSEMBLY_BASE) {
            const tdi_six moved = tdi_hop_force(&n->to_b, &n->push);
            n->momentum = lack_of(s, t->a, &n->top_rate);
            tdi_six_add(&n->momentum, &moved, 1);
        }
    }
}

// What pushes a joint is all that is carried by its body: B, and what hangs on the node's end if
// that is in B. Of that force[1] is the sum, in the axes of the end.
static void project_lacks(td_adapt *s, int32_t i, td_real *impulse) {
    const tdi_assembly_node *t = &s->tree[i];
    const tdi_adapt_node *n = &s->node[i];
    const tdi_six none = {{0, 0, 0, 0, 0, 0}};
    const tdi_six beyond = t->handles == 2 ? n->force[1] : none;
    tdi_six carried = n->push, axis[6];
    if (t->handles == 2 && t->end.side == 1) {
        const tdi_six moved =
            t->end.handle == 0 ? beyond : tdi_hop_force(&s->node[t->b].to_end, &beyond);
        tdi_six_add(&carried, &moved, 1);
    }
    tdi_joint_axes(s, i, axis);
    for (int32_t d = 0; d < tdi_joint_dofs(s, i); d++) {
        impulse[d] = tdi_six_dot(axis[d].a, carried.a);
    }
    if (tdi_is_active(s, t->b)) {
        s->node[t->b].force[1] = t->handles == 2 && t->end.side == 1 ? beyond : none;
    }
    if (tdi_is_active(s, t->a)) {
        s->node[t->a].force[1] = t->handles == 2 && t->end.side == 0 ? beyond : none;
        if (t->via) {
            const tdi_six back = tdi_hop_force(&n->joint, &carried);
            tdi_six_add(&s->node[t->a].force[1], &back, 1);
        }
    }
}

// To the impulses at the joints, which accel holds.
static void answer(td_adapt *s, int32_t i) {
    const tdi_assembly_node *t = &s->tree[i];
    const tdi_six none = {{0, 0, 0, 0, 0, 0}};
    tdi_adapt_node *n = &s->node[i];
    const tdi_six *of[2] = {tdi_is_active(s, t->a) ? s->node[t->a].bias : NULL,
                            tdi_is_active(s, t->b) ? s->node[t->b].bias : NULL};
    tdi_six beta = of[0] ? tdi_hop_motion(&n->joint, &of[0][t->via]) : none;
    if (of[1]) {
        tdi_six_add(&beta, &of[1][0], -1);
    }
    tdi_node_bias(s, i, &beta, s->accel + s->model->dof[i]);
    for (int h = 0; h < t->handles; h++) {
        const tdi_handle_from from = tdi_handle_at(t, h);
        n->bias[h] = tdi_six_apply(&n->with.gain[h], &n->with.gamma);
        if (of[from.side]) {
            tdi_six_add(&n->bias[h], &of[from.side][from.handle], 1);
        }
    }
}

static void add_velocities(td_adapt *s) {
    for (int32_t k = 0; k < s->active.count; k++) {
        const int32_t i = s->active.node[k], d = s->model->dof[i];
        for (int32_t j = 0; j < tdi_joint_dofs(s, i); j++) {
            s->state->v[d + j] += s->accel[d + j];
        }
    }
    carry_all(s, s->active.node, s->active.count);
}

static td_real energy_now(const td_adapt *s) {
    td_real energy = 0;
    for (int32_t k = 0; k < s->active.count; k++) {
        const tdi_assembly_node *t = &s->tree[s->active.node[k]];
        const tdi_adapt_node *n = &s->node[s->active.node[k]];
        if (t->a != TDI_ASSEMBLY_BASE && !tdi_is_active(s, t->a)) {
            const tdi_six p = child_momentum(s, t->a, &n->top_rate);
            energy += 0.5 * tdi_six_dot(p.a, n->top_rate.a);
        }
        if (!tdi_is_active(s, t->b)) {
            const tdi_six p = child_momentum(s, t->b, &n->b_rate);
            energy += 0.5 * tdi_six_dot(p.a, n->b_rate.a);
        }
    }
    return energy;
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

static void stop_all(td_adapt *s, int32_t count) {
    const tdi_six none = {{0, 0, 0, 0, 0, 0}};
    for (int32_t k = 0; k < count; k++) {
        const int32_t i = s->spare[k];
        s->node[i].b_extra = s->node[i].end_extra = none;
        for (int32_t d = s->model->dof[i]; d < s->model->dof[i + 1]; d++) {
            s->state->v[d] = 0;
        }
    }
}

// Twice: the second time for what rounding left of the momentum.
static void find_velocities(td_adapt *s) {
    for (int32_t k = s->active.count - 1; k >= 0; k--) {
        tdi_node_join(s, s->active.node[k], false);
    }
    carry_all(s, s->active.node, s->active.count);
    for (int pass = 0; pass < 2; pass++) {
        sum_lacks(s);
        for (int32_t k = 0; k < s->active.count; k++) {
            project_lacks(s, s->active.node[k], s->accel + s->model->dof[s->active.node[k]]);
        }
        for (int32_t k = s->active.count - 1; k >= 0; k--) {
            answer(s, s->active.node[k]);
        }
        tdi_pass_back(s, s->active.node, s->active.count, s->accel);
        add_velocities(s);
    }
}

void tdi_rigidify(td_adapt *s, int32_t count) {
    const bool moves = mark(s, count);
    for (int32_t k = count - 1; k >= 0; k--) {
        if (s->node[s->spare[k]].stops && s->tree[s->spare[k]].a != TDI_ASSEMBLY_BASE) {
            tdi_node_mass(s, s->spare[k]);
        }
    }
    if (moves) {
        carry_all(s, s->spare, count);
        const td_real first = gather_momentum(s, count);
        stop_all(s, count);
        tdi_update_front(s, s->active.node, s->active.count);
        find_velocities(s);
        s->stats.energy_lost += first - energy_now(s);
    }
    tdi_update_front(s, s->active.node, s->active.count);
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
