// SPDX-License-Identifier: MIT
// Islands that a program makes itself: a system with its own memory.

#include "base/alloc.h"
#include "base/diag.h"
#include "base/digest.h"
#include "base/guard.h"
#include "base/opts.h"
#include "implicit/constraint.h"
#include "implicit/body_contact.h"

struct td_island {
    const td_alloc *alloc;
    tdi_body_contact *contact;       // NULL: nothing touches
    tdi_constraint_set *constraints; // NULL: none
    void *began;                     // room for where a step began that is taken in halves
    size_t began_bytes;
    int32_t count;
    td_step_opts *opts; // of each member
    tdi_member member[];
};

static size_t bytes_of(int32_t count) {
    return sizeof(td_island) + (size_t)count * (sizeof(tdi_member) + sizeof(td_step_opts));
}

td_status td_island_new(td_body *const *bodies, int32_t count, const td_contact_opts *opts,
                        int32_t collider_limit, const td_alloc *alloc, td_island **out,
                        td_diag *diag) {
    TDI_CLEAR(out);
    TDI_REFUSE_IF(!out);
    if (count < 1 || !bodies) {
        return tdi_fail(diag, TD_ERR_ARGUMENT, "count is %d; an island needs at least one body",
                        (int)count);
    }
    td_island *island = tdi_alloc_zeroed(alloc, 1, bytes_of(count));
    if (!island) {
        return tdi_fail(diag, TD_ERR_MEMORY, "out of memory for an island");
    }
    island->alloc = alloc;
    island->count = count;
    island->opts = (td_step_opts *)(void *)(island->member + count);
    for (int32_t k = 0; k < count; k++) {
        if (!bodies[k]) {
            td_island_free(island);
            return tdi_fail_at(diag, TD_ERR_ARGUMENT, k, "body %d is NULL", (int)k);
        }
        island->member[k] = (tdi_member){.body = bodies[k]};
    }
    td_contact_opts own = td_contact_opts_default();
    td_status status = tdi_opts_take("td_contact_opts", &own, opts, diag);
    if (opts && status == TD_OK) {
        status = tdi_body_contact_new(island->member, count, &own, collider_limit, alloc,
                                      &island->contact, diag);
    }
    const tdi_system all = {.member = island->member, .count = count};
    island->began_bytes = tdi_system_memory(&all);
    if (status == TD_OK) {
        island->began = tdi_alloc_resize(alloc, NULL, 0, island->began_bytes);
        status =
            island->began ? TD_OK : tdi_fail(diag, TD_ERR_MEMORY, "out of memory for an island");
    }
    if (status != TD_OK) {
        td_island_free(island);
        return status;
    }
    *out = island;
    return TD_OK;
}

void td_island_free(td_island *island) {
    if (island) {
        tdi_body_contact_free(island->contact);
        tdi_constraint_set_free(island->constraints);
        tdi_alloc_free(island->alloc, island->began, island->began_bytes);
        tdi_alloc_free(island->alloc, island, bytes_of(island->count));
    }
}

// The island with these options, if they are right.
static td_status system_of(td_island *island, const td_step_opts *opts,
                           const td_collider *colliders, int32_t collider_count, tdi_system *system,
                           td_diag *diag) {
    for (int32_t k = 0; k < island->count; k++) {
        TDI_TRY(tdi_step_opts_take(tdi_opts_at(opts, k), &island->opts[k], diag));
        island->member[k].opts = &island->opts[k];
    }
    *system =
        (tdi_system){.member = island->member,
                     .count = island->count,
                     .contact = island->contact && island->contact->set ? island->contact : NULL,
                     .constraints = island->constraints,
                     .colliders = colliders,
                     .collider_count = collider_count};
    if (collider_count < 0 || (collider_count > 0 && !colliders)) {
        return tdi_fail(diag, TD_ERR_ARGUMENT, "collider_count is %d; it must be at least 0",
                        (int)collider_count);
    }
    if (collider_count > 0 && !island->contact) {
        return tdi_fail(diag, TD_ERR_ARGUMENT,
                        "there are %d colliders, but the island was made without contact; give "
                        "td_island_new() contact options",
                        (int)collider_count);
    }
    if (island->constraints) {
        tdi_constraints_set_time(island->constraints, island->member[0].body->time);
    }
    return tdi_system_check(system, diag);
}

// ---- constraints ----------------------------------------------------------------------------

// Room for the relations of constraints in the coupled system of contact. False: out of memory.
static bool fit(td_island *island, const tdi_constraint_set *constraints) {
    for (int32_t k = 0; k < island->count; k++) {
        island->member[k].relations = tdi_constraints_coupling(constraints, k);
    }
    return !island->contact || tdi_body_contact_resize(island->contact, island->member);
}

td_status td_island_constrain(td_island *island, const td_constraint *constraints, int32_t count,
                              td_diag *diag) {
    TDI_REFUSE_IF(!island);
    const tdi_system all = {.member = island->member, .count = island->count};
    const td_constraint defaults = td_constraint_default(TD_CONSTRAINT_POINT);
    tdi_system held = all;
    tdi_widened widened;
    td_status status = tdi_opts_widen("td_constraint", &defaults, constraints, count, island->alloc,
                                      &widened, diag);
    if (status == TD_OK) {
        status = tdi_constraint_set_new(island->member, island->count, widened.items, count,
                                        island->contact, island->alloc, &held.constraints, diag);
        tdi_opts_widen_free(&widened);
    }
    if (status != TD_OK) {
        return status;
    }
    const size_t bytes = tdi_system_memory(&held);
    void *began = tdi_alloc_resize(island->alloc, island->began, island->began_bytes, bytes);
    if (!began || !fit(island, held.constraints)) {
        island->began = began ? began : island->began;
        island->began_bytes = began ? bytes : island->began_bytes;
        tdi_constraint_set_free(held.constraints);
        return tdi_fail(diag, TD_ERR_MEMORY, "out of memory for constraints");
    }
    island->began = began;
    island->began_bytes = bytes;
    tdi_constraint_set_free(island->constraints);
    island->constraints = held.constraints;
    return TD_OK;
}

td_status td_island_set_target(td_island *island, int32_t constraint,
                               const td_constraint_target *target, td_diag *diag) {
    TDI_REFUSE_IF(!island || !target || !tdi_has(constraint, td_island_constraint_count(island)));
    tdi_constraints_set_target(island->constraints, constraint, target);
    return TD_OK;
}

td_status td_island_set_hold(td_island *island, int32_t constraint, bool hold, td_diag *diag) {
    TDI_REFUSE_IF(!island || !tdi_has(constraint, td_island_constraint_count(island)));
    tdi_constraints_enable(island->constraints, constraint, hold);
    return TD_OK;
}

int32_t td_island_constraint_count(const td_island *island) {
    if (!island) {
        return 0;
    }
    return island->constraints ? island->constraints->count : 0;
}

td_constraint_report td_island_constraint(const td_island *island, int32_t constraint) {
    if (!island || !tdi_has(constraint, td_island_constraint_count(island))) {
        return (td_constraint_report){0};
    }
    return tdi_constraints_report(island->constraints, constraint);
}

static size_t held_bytes(const td_island *island) {
    return island->constraints ? tdi_constraints_save_size(island->constraints) : 0;
}

size_t td_island_save_size(const td_island *island) {
    return island ? held_bytes(island) + TDI_SEAL : 0;
}

void td_island_save(const td_island *island, void *bytes) {
    if (!island || !bytes) {
        return;
    }
    if (island->constraints) {
        tdi_constraints_save(island->constraints, bytes);
    }
    tdi_seal(bytes, held_bytes(island));
}

td_status td_island_restore(td_island *island, const void *bytes, size_t size, td_diag *diag) {
    TDI_REFUSE_IF(!island || !bytes);
    if (!tdi_is_sealed(bytes, size, held_bytes(island))) {
        return tdi_fail(diag, TD_ERR_SYNTAX,
                        "the save is damaged, or of an island with other constraints");
    }
    if (island->constraints) {
        tdi_constraints_restore(island->constraints, bytes);
    }
    return TD_OK;
}

// ---- steps ----------------------------------------------------------------------------------

td_status td_island_step(td_island *island, const td_step_opts *opts, const td_collider *colliders,
                         int32_t collider_count, td_step_stats *stats, td_diag *diag) {
    TDI_REFUSE_IF(!island);
    td_step_stats none = {0};
    tdi_system system;
    td_status status = system_of(island, opts, colliders, collider_count, &system, diag);
    return status == TD_OK
               ? tdi_system_step(&system, island->began, NULL, stats ? stats : &none, diag)
               : status;
}

td_status td_island_settle(td_island *island, const td_step_opts *opts,
                           const td_collider *colliders, int32_t collider_count,
                           td_step_stats *stats, td_diag *diag) {
    TDI_REFUSE_IF(!island);
    td_step_stats none = {0};
    tdi_system system;
    td_status status = system_of(island, opts, colliders, collider_count, &system, diag);
    return status == TD_OK ? tdi_system_settle(&system, stats ? stats : &none, diag) : status;
}

int32_t td_island_contacts(const td_island *island, td_contact *contacts, int32_t capacity) {
    if (!island) {
        return 0;
    }
    return island->contact ? tdi_body_contact_report(island->contact, contacts, capacity) : 0;
}
