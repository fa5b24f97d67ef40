// SPDX-License-Identifier: MIT
// The coupled solve: which systems an iteration has, and their solutions.

#include "implicit/coupled.h"

#include "implicit/constraint.h"
#include "implicit/body_contact.h"

#include <string.h>

// ---- the systems of an iteration ------------------------------------------------------------

bool tdi_constraints_couple(const tdi_constraint_set *all) {
    bool any = false;
    for (const tdi_constraint_set *h = all; h && !any; h = h->next) {
        any = h->solve.couples;
    }
    return any;
}

bool tdi_constraints_are_eliminated(const tdi_system *y) {
    bool within = y->constraints && !y->contact;
    for (const tdi_constraint_set *h = y->constraints; h && within; h = h->next) {
        within = !h->solve.couples || h->solve.eliminated;
    }
    return within;
}

bool tdi_coupled_with_contact(const tdi_system *y) {
    return y->contact && y->contact->solve.one_system;
}

bool tdi_coupled_any(const tdi_system *y) {
    bool any = tdi_coupled_with_contact(y);
    for (const tdi_constraint_set *h = y->constraints; h && !any; h = h->next) {
        any = h->solve.system;
    }
    return any;
}

static void set_system(td_body *body, tdi_coupled *c, int32_t first) {
    body->coupling.system = first == TD_NONE ? NULL : c;
    body->coupling.first_node = first;
}

// One system of contact and all sets.
static void use_contact(const tdi_system *y) {
    tdi_coupled *c = y->contact->solve.coupled;
    int32_t relations = 0;
    for (tdi_constraint_set *h = y->constraints; h; h = h->next) {
        h->solve.system = c;
        h->solve.first_node = relations;
        relations += h->node_count;
    }
    for (int32_t k = 0; k < y->count; k++) {
        set_system(y->member[k].body, c, c->first[k]);
    }
}

// A system a set, of those whose rows are not eliminated with a body.
static void use_sets(const tdi_system *y) {
    for (int32_t k = 0; y->contact && k < y->count; k++) {
        set_system(y->member[k].body, NULL, TD_NONE);
    }
    for (tdi_constraint_set *h = y->constraints; h; h = h->next) {
        h->solve.system = h->solve.couples && !h->solve.eliminated ? h->solve.own : NULL;
        h->solve.first_node = 0;
        for (int32_t k = 0; k < h->member_count; k++) {
            set_system(tdi_constraints_member(h, y, k)->body, h->solve.system,
                       h->solve.system ? h->solve.system->first[k] : TD_NONE);
        }
    }
}

bool tdi_coupled_choose(const tdi_system *y) {
    const bool contact = y->contact && tdi_coupled_order_contacts(y);
    if (y->contact) {
        y->contact->solve.one_system = contact;
    }
    (contact ? use_contact : use_sets)(y);
    return contact;
}

// ---- rows of a member -----------------------------------------------------------------------

int32_t tdi_constraints_coupling(const tdi_constraint_set *h, int32_t k) {
    return h->first_node[k + 1] - h->first_node[k];
}

void tdi_constraints_add_displacements(const tdi_constraint_set *h, int32_t k) {
    for (int32_t at = h->first_node[k]; at < h->first_node[k + 1]; at++) {
        const tdi_row_group *b = &h->group[h->node[at]];
        td_real *gradient = h->solve.system->unknowns[h->solve.first_node + b->node].gradient;
        for (int32_t r = 0; r < TDI_GROUP_ROWS; r++) {
            gradient[r] -= tdi_has_row(b, r) ? tdi_row_displacement(h, b, k, r) : 0;
        }
    }
}

// Applies the forces of all rows of a member.
static void apply_rows(const tdi_constraint_set *h, const tdi_member *m, int32_t k) {
    for (int32_t at = h->first_node[k]; at < h->first_node[k + 1]; at++) {
        const tdi_row_group *b = &h->group[h->node[at]];
        const td_real *q = h->solve.system->unknowns[h->solve.first_node + b->node].x;
        for (int32_t r = 0; r < TDI_GROUP_ROWS; r++) {
            if (tdi_has_row(b, r)) {
                tdi_row_apply(h, b, m, k, r, q[r]);
            }
        }
    }
}

// ---- solutions ------------------------------------------------------------------------------

// Increments of all nodes, except fixed unknowns. Returns r^T A^-1 r.
static td_real solve(const tdi_coupled *c) {
    const tdi_sparse *s = c->sparse;
    for (int32_t i = 0; i < s->node_count; i++) {
        const tdi_unknowns *u = &c->unknowns[i];
        for (int k = 0; k < 4; k++) {
            c->x[s->place[i]][k] = u->fixed[k] ? 0 : -u->gradient[k];
        }
    }
    const td_real predicted_decrease = tdi_sparse_solve(s, c->x);
    for (int32_t i = 0; i < s->node_count; i++) {
        tdi_unknowns *u = &c->unknowns[i];
        for (int k = 0; k < 4; k++) {
            u->x[k] = u->fixed[k] ? u->x[k] : c->x[s->place[i]][k];
        }
    }
    return predicted_decrease;
}

// The predicted decrease of bodies that respond is r.H^-1 r already; the solve adds the rest.
void tdi_coupled_solve(const tdi_system *y, td_real *predicted_decrease) {
    if (tdi_coupled_with_contact(y)) {
        *predicted_decrease += solve(y->contact->solve.coupled);
        return;
    }
    for (const tdi_constraint_set *h = y->constraints; h; h = h->next) {
        *predicted_decrease += h->solve.system ? solve(h->solve.system) : 0;
    }
}

void tdi_coupled_update_increments(const tdi_system *y, int32_t member) {
    const tdi_member *m = &y->member[member];
    td_body *body = m->body;
    tdi_constraint_set *h = body->coupling.constraints && body->coupling.constraints->solve.system
                                ? body->coupling.constraints
                                : NULL;
    if (tdi_is_coupled(body)) {
        body->ops->blocks->increments(body, false,
                                      body->coupling.system->unknowns + body->coupling.first_node);
    } else if (h) {
        apply_rows(h, m, body->coupling.member);
        tdi_state_respond(body);
        tdi_state_add_response(body);
    }
    if (h) {
        tdi_constraints_gather_member(h, m, body->coupling.member, false);
    }
}

// ---- responses ------------------------------------------------------------------------------

// The right side of a set: forces at members with nodes, and responses of the others.
static void gather_forces(const tdi_constraint_set *h, const tdi_system *y) {
    tdi_coupled *c = h->solve.system;
    memset(c->unknowns, 0, (size_t)c->sparse->node_count * sizeof *c->unknowns);
    for (int32_t k = 0; k < h->member_count; k++) {
        const tdi_member *m = tdi_constraints_member(h, y, k);
        td_body *body = m->body;
        if (tdi_is_coupled(body)) {
            if (body->coupling.pushed) {
                body->ops->blocks->unknowns(body, c->unknowns + body->coupling.first_node);
            }
        } else if (tdi_constraints_coupling(h, k) > 0) {
            tdi_state_respond(body);
            tdi_constraints_gather_member((tdi_constraint_set *)h, m, k, true);
            tdi_constraints_add_displacements(h, k);
        }
    }
}

void tdi_coupled_respond(const tdi_system *y) {
    for (const tdi_constraint_set *h = y->constraints; h; h = h->next) {
        if (!h->solve.system) {
            continue;
        }
        gather_forces(h, y);
        solve(h->solve.system);
        for (int32_t k = 0; k < h->member_count; k++) {
            const tdi_member *m = tdi_constraints_member(h, y, k);
            td_body *body = m->body;
            if (tdi_is_coupled(body)) {
                body->ops->blocks->increments(
                    body, true, body->coupling.system->unknowns + body->coupling.first_node);
                body->coupling.pushed = false;
                body->coupling.answered = true;
            } else {
                apply_rows(h, m, k);
            }
        }
    }
}
