// SPDX-License-Identifier: MIT
// Bodies of any solver: the functions of body.h, by the solver's table.

#include "body/solvers.h"

#include "base/alloc.h"
#include "base/diag.h"
#include "base/digest.h"
#include "base/guard.h"
#include "base/opts.h"

#include <math.h>
#include <stdatomic.h>
#include <stdio.h>

// ---- models ---------------------------------------------------------------------------------

td_body_opts td_body_opts_default(void) {
    return (td_body_opts){.struct_size = sizeof(td_body_opts), .law = TD_LAW_DEFAULT};
}

static const char *names_of_solvers(char text[80]) {
    size_t used = 0;
    for (int32_t k = 0; k < td_solver_count() && used < 80; k++) {
        used += (size_t)snprintf(text + used, 80 - used, " '%s'", td_solver_get(k).name);
    }
    return text;
}

td_status td_body_model_new(const td_skeleton *skeleton, const char *solver,
                            const td_body_opts *opts, const td_alloc *alloc, td_body_model **out,
                            td_diag *diag) {
    TDI_CLEAR(out);
    TDI_REFUSE_IF(!skeleton || !out);
    const tdi_solver *found = tdi_solver_find(solver);
    if (!found) {
        return tdi_fail(diag, TD_ERR_ARGUMENT, "unknown solver '%.40s'; expected one of%s", solver,
                        names_of_solvers((char[80]){""}));
    }
    td_body_opts own = td_body_opts_default();
    const td_status status = tdi_opts_take("td_body_opts", &own, opts, diag);
    return status == TD_OK ? found->model_new(skeleton, &own, alloc, out, diag) : status;
}

void td_body_model_free(td_body_model *model) {
    tdi_model_free(model);
}

size_t td_body_model_bytes(const td_body_model *model) {
    return model ? model->bytes : 0;
}

const char *td_body_solver(const td_body_model *model) {
    return model ? model->solver->info.name : NULL;
}

int32_t td_body_segment_count(const td_body_model *model) {
    return model ? model->segment_count : 0;
}

int32_t td_body_dof_count(const td_body_model *model) {
    return model ? model->dof_count : 0;
}

int32_t td_body_element_count(const td_body_model *model) {
    return model ? model->element_count : 0;
}

td_status td_body_model_rest_new(const td_body_model *model, td_vec3 gravity, const td_alloc *alloc,
                                 td_body_model **out, td_diag *diag) {
    TDI_CLEAR(out);
    TDI_REFUSE_IF(!model || !out);
    return tdi_solver_rest_new(model->solver, model, gravity, alloc, out, diag);
}

td_status td_body_model_damped_new(const td_body_model *model, const td_damping_opts *opts,
                                   const td_alloc *alloc, td_body_model **out, td_diag *diag) {
    TDI_CLEAR(out);
    TDI_REFUSE_IF(!model || !out);
    td_damping_opts own = td_damping_opts_default();
    td_status status = tdi_opts_take("td_damping_opts", &own, opts, diag);
    return status == TD_OK ? tdi_solver_damped_new(model->solver, model, &own, alloc, out, diag)
                           : status;
}

// ---- bodies ---------------------------------------------------------------------------------

td_status td_body_new(const td_body_model *model, const td_alloc *alloc, td_body **out,
                      td_diag *diag) {
    TDI_CLEAR(out);
    TDI_REFUSE_IF(!model || !out);
    return model->solver->state_new(model, alloc, out, diag);
}

void td_body_free(td_body *body) {
    tdi_state_free(body);
}

size_t td_body_bytes(const td_body *body) {
    return body ? body->bytes : 0;
}

const td_body_model *td_body_model_of(const td_body *body) {
    return body ? body->model : NULL;
}

td_real td_body_time(const td_body *body) {
    return body ? body->time : 0;
}

// What a new body would save is what this one restores.
td_status td_body_reset(td_body *body, td_diag *diag) {
    TDI_REFUSE_IF(!body);
    const size_t bytes = td_body_save_size(body);
    void *room = tdi_alloc_resize(body->alloc, NULL, 0, bytes);
    td_body *fresh = NULL;
    td_status status = room ? body->solver->state_new(body->model, body->alloc, &fresh, diag)
                            : tdi_fail(diag, TD_ERR_MEMORY, "out of memory for a reset");
    if (status == TD_OK && body->led) {
        body->solver->set_base(fresh, &body->base);
    }
    if (status == TD_OK) {
        td_body_save(fresh, room);
        tdi_state_restore(body, room);
    }
    td_body_free(fresh);
    tdi_alloc_free(body->alloc, room, bytes);
    return status;
}

td_status td_body_set_base(td_body *body, const td_base_motion *motion, td_diag *diag) {
    TDI_REFUSE_IF(!body || !motion);
    if (body->led) {
        return tdi_fail(diag, TD_ERR_ARGUMENT,
                        "the state belongs to a world, which moves its base: call "
                        "td_world_move_actor()");
    }
    body->solver->set_base(body, motion);
    return TD_OK;
}

td_status td_body_step(td_body *body, const td_step_opts *opts, td_step_stats *stats,
                       td_diag *diag) {
    TDI_REFUSE_IF(!body);
    return body->led
               ? tdi_fail(diag, TD_ERR_ARGUMENT,
                          "the state belongs to a world, which steps it: call td_world_step()")
               : tdi_solver_step(body->solver, body, opts, stats, diag);
}

td_status td_body_settle(td_body *body, const td_step_opts *opts, td_step_stats *stats,
                         td_diag *diag) {
    TDI_REFUSE_IF(!body);
    td_step_opts own;
    const td_status status = tdi_solver_take_opts(body->solver, body, opts, &own, diag);
    return status == TD_OK ? tdi_body_settle(body, &own, stats, diag) : status;
}

// ---- many bodies ----------------------------------------------------------------------------

typedef struct many {
    td_body *const *bodies;
    const td_step_opts *opts;
    td_step_stats *stats;
    _Atomic int32_t failed; // the first that failed, or how many there are
} many;

static void step_one(void *context, int64_t i) {
    many *all = context;
    td_step_opts opts;
    td_status status = tdi_step_opts_take(tdi_opts_at(all->opts, (int32_t)i), &opts, NULL);
    opts.pool = NULL; // it is busy with the bodies
    if (status == TD_OK) {
        status = td_body_step(all->bodies[i], &opts, all->stats ? &all->stats[i] : NULL, NULL);
    }
    if (status != TD_OK) {
        int32_t failed = atomic_load(&all->failed);
        while (i < failed && !atomic_compare_exchange_weak(&all->failed, &failed, (int32_t)i)) {}
    }
}

// Options are still as wrong as they were; what fails with good ones has diverged.
static td_status tell_failed(const many *all, int32_t failed, td_diag *diag) {
    const td_body *body = all->bodies[failed];
    td_diag fault = {.message = ""};
    td_step_opts own;
    td_status status =
        tdi_solver_take_opts(body->solver, body, tdi_opts_at(all->opts, failed), &own, &fault);
    status = status == TD_OK ? tdi_fail(&fault, TD_ERR_DIVERGED,
                                        "the step at %g s diverged; try a shorter step", body->time)
                             : status;
    return tdi_fail_at(diag, status, failed, "body %d: %s", (int)failed, fault.message);
}

td_status td_body_step_many(td_body *const *bodies, const td_step_opts *opts, int32_t count,
                            td_pool *pool, td_step_stats *stats, td_diag *diag) {
    if (count < 0 || (count > 0 && !bodies)) {
        return tdi_fail(diag, TD_ERR_ARGUMENT, "count is %d", (int)count);
    }
    for (int32_t i = 0; i < count; i++) {
        if (!bodies[i] || bodies[i]->led) {
            return tdi_fail_at(diag, TD_ERR_ARGUMENT, i, "body %d %s", (int)i,
                               bodies[i] ? "belongs to a world, which steps it: call "
                                           "td_world_step()"
                                         : "is NULL");
        }
    }
    many all = {bodies, opts, stats, count};
    if (pool) {
        td_pool_run(pool, count, step_one, &all);
    } else {
        for (int32_t i = 0; i < count; i++) {
            step_one(&all, i);
        }
    }
    return all.failed == count ? TD_OK : tell_failed(&all, all.failed, diag);
}

// ---- reading --------------------------------------------------------------------------------

static bool has_segment(const td_body *body, int32_t segment) {
    return body && tdi_has(segment, body->model->segment_count);
}

td_vec3 td_body_origin(td_body *body, int32_t segment) {
    return has_segment(body, segment) ? tdi_solver_origin(body->solver, body, segment)
                                      : (td_vec3){0, 0, 0};
}

td_vec3 td_body_tip(td_body *body, int32_t segment) {
    return has_segment(body, segment) ? tdi_solver_tip(body->solver, body, segment)
                                      : (td_vec3){0, 0, 0};
}

td_quat td_body_rotation(td_body *body, int32_t segment) {
    return has_segment(body, segment) ? tdi_solver_rotation(body->solver, body, segment)
                                      : (td_quat){0, 0, 0, 0};
}

td_status td_body_poses(td_body *body, int32_t first, int32_t count, td_vec3 *origins,
                        td_vec3 *tips, td_quat *rotations, td_diag *diag) {
    TDI_REFUSE_IF(!body);
    if (first < 0 || count < 0 || count > body->model->segment_count - first) {
        return tdi_fail(diag, TD_ERR_ARGUMENT, "first is %d and count %d; the body has %d segments",
                        (int)first, (int)count, (int)body->model->segment_count);
    }
    body->solver->poses(body, first, count, origins, tips, rotations);
    return TD_OK;
}

td_vec3 td_body_velocity(td_body *body, int32_t segment, td_vec3 point) {
    return has_segment(body, segment) ? tdi_solver_velocity(body->solver, body, segment, point)
                                      : (td_vec3){0, 0, 0};
}

td_vec3 td_body_moment(td_body *body, int32_t segment) {
    return has_segment(body, segment) ? tdi_solver_moment(body->solver, body, segment, 1)
                                      : (td_vec3){0, 0, 0};
}

td_energy td_body_energy(td_body *body, td_vec3 gravity) {
    return body ? body->solver->sums(body, gravity).energy : (td_energy){0, 0, 0};
}

void td_body_momentum(td_body *body, td_vec3 *linear, td_vec3 *angular) {
    const td_sums sums =
        body ? body->solver->sums(body, (td_vec3){0, 0, 0}) : (td_sums){.linear = {0, 0, 0}};
    if (linear) {
        *linear = sums.linear;
    }
    if (angular) {
        *angular = sums.angular;
    }
}

td_real td_body_residual(td_body *body, td_vec3 gravity) {
    if (!body) {
        return 0;
    }
    const tdi_statics_ops *statics = tdi_statics_of(body->solver);
    return statics->residual ? statics->residual(body, gravity) : (td_real)NAN;
}

td_status td_body_modes(td_body *body, td_vec3 gravity, int32_t count, td_mode *modes,
                        td_diag *diag) {
    return body && modes ? tdi_solver_modes(body->solver, body, gravity, count, modes, diag)
                         : tdi_refuse(diag, __func__);
}

// ---- saving ---------------------------------------------------------------------------------

size_t td_body_save_size(const td_body *body) {
    return body ? tdi_state_save_size(body) + TDI_SEAL : 0;
}

void td_body_save(td_body *body, void *bytes) {
    if (body && bytes) {
        tdi_state_save(body, bytes);
        tdi_seal(bytes, tdi_state_save_size(body));
    }
}

td_status td_body_restore(td_body *body, const void *bytes, size_t size, td_diag *diag) {
    TDI_REFUSE_IF(!body || !bytes);
    if (body->led) {
        return tdi_fail(diag, TD_ERR_ARGUMENT,
                        "the state belongs to a world: call td_world_restore()");
    }
    if (size != td_body_save_size(body)) {
        return tdi_fail(diag, TD_ERR_ARGUMENT, "size is %zu bytes; a save of this body has %zu",
                        size, td_body_save_size(body));
    }
    if (!tdi_is_sealed(bytes, size, tdi_state_save_size(body))) {
        return tdi_fail(diag, TD_ERR_SYNTAX,
                        "the save is damaged: its checksum is not that of its bytes");
    }
    tdi_state_restore(body, bytes);
    return TD_OK;
}
