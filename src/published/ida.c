// SPDX-License-Identifier: MIT
// The accurate reference: SUNDIALS IDA on the residual of system.c, with the elimination along the
// tree as its linear solver.
//
// Method   backward differentiation of order 1 to 5 with variable steps (Brenan, Campbell, Petzold
//          1996). IDA asks the linear solver for (dF/dy + c dF/dy')^-1 b and stores no matrix.
// Turns    are counted from a reference pose. When a joint has turned by REACH from there, the pose
//          becomes the new reference and IDA starts again at order 1, long before the rotation
//          vector is singular at a full turn.

#include "base/alloc.h"
#include "base/diag.h"
#include "base/guard.h"
#include "base/opts.h"
#include "base/range.h"
#include "load/check.h"
#include "tree/joint.h"
#include "published/ida_system.h"

#include <ida/ida.h>
#include <nvector/nvector_serial.h>
#include <stdio.h>
#include <string.h>
#include <sundials/sundials_linearsolver.h>
#include <sunnonlinsol/sunnonlinsol_newton.h>

#define REACH       2.0  // rad
#define NEWTON_PART 1e-3 // error of Newton's iteration over that of the step
#define NEWTON_MOST 12   // iterations: the matrix is not exact, each one gains a few digits

struct td_ida {
    const td_alloc *alloc;
    size_t bytes;
    tdi_ida_system system;
    SUNContext context;
    N_Vector y, rate;
    SUNLinearSolver linear;
    SUNNonlinearSolver newton;
    td_real first_increment;  // of Newton's iteration
    void *memory;             // of IDA
    bool started;             // whether IDA goes on from where the state is
    td_real time;             // IDA's, 0 at its start
    td_real *q_left, *v_left; // the state as it was left, or found
    td_base_motion base_left;
    td_ida_stats stats; // without those since IDA's start
    char fault[160];    // IDA's last message
};

bool td_ida_built(void) {
    return true;
}

// ---- what IDA calls -------------------------------------------------------------------------

static int residual(realtype t, N_Vector y, N_Vector rate, N_Vector f, void *user) {
    td_ida *ida = user;
    // 1: IDA may try again with a smaller step
    return tdi_ida_residual(&ida->system, t, N_VGetArrayPointer(y), N_VGetArrayPointer(rate),
                            N_VGetArrayPointer(f))
               ? 0
               : 1;
}

static SUNLinearSolver_Type linear_type(SUNLinearSolver linear) {
    (void)linear;
    return SUNLINEARSOLVER_MATRIX_EMBEDDED;
}

static int linear_solve(SUNLinearSolver linear, SUNMatrix matrix, N_Vector z, N_Vector b,
                        realtype tolerance) {
    td_ida *ida = linear->content;
    realtype c;
    (void)matrix;
    (void)tolerance;
    if (IDAGetCurrentCj(ida->memory, &c) != IDA_SUCCESS) {
        return SUNLS_PACKAGE_FAIL_UNREC;
    }
    ida->stats.solves++;
    tdi_ida_solve(&ida->system, c, N_VGetArrayPointer(b), N_VGetArrayPointer(z));
    return SUNLS_SUCCESS;
}

// IDA measures how fast Newton's iteration converges when it renews its matrix. Here the matrix is
// always new and never exact, so every step measures: with e_m the m-th increment and
// r = (e_m/e_0)^(1/m), the error that is left is about r/(1 - r) e_m.
static int newton_test(SUNNonlinearSolver newton, N_Vector y, N_Vector increment, realtype limit,
                       N_Vector weights, void *user) {
    td_ida *ida = user;
    int m;
    (void)y;
    td_real size = N_VWrmsNorm(increment, weights);
    if (!isfinite(size) || SUNNonlinSolGetCurIter(newton, &m) != SUN_NLS_SUCCESS) {
        return SUN_NLS_CONV_RECVR;
    }
    if (m == 0) {
        ida->first_increment = size;
        return size <= 1e-3 * limit ? SUN_NLS_SUCCESS : SUN_NLS_CONTINUE;
    }
    td_real rate = pow(size / ida->first_increment, 1.0 / m);
    if (rate > 0.9) {
        return SUN_NLS_CONV_RECVR;
    }
    return rate / (1 - rate) * size <= limit ? SUN_NLS_SUCCESS : SUN_NLS_CONTINUE;
}

static void keep_fault(int code, const char *module, const char *function, char *message,
                       void *user) {
    td_ida *ida = user;
    (void)module;
    (void)function;
    if (code < 0) {
        snprintf(ida->fault, sizeof ida->fault, "%s", message);
    }
}

// ---- making and freeing ---------------------------------------------------------------------

static void lay_out(td_ida *ida, tdi_layout *l) {
    const tdi_tree_model *m = ida->system.model;
    l->used = 0;
    tdi_layout_place(l, 1, sizeof *ida);
    ida->q_left = tdi_layout_place(l, (size_t)m->coord_count, sizeof *ida->q_left);
    ida->v_left = tdi_layout_place(l, (size_t)m->head.dof_count, sizeof *ida->v_left);
    tdi_ida_place(&ida->system, l);
}

static bool make_linear(td_ida *ida) {
    ida->linear = SUNLinSolNewEmpty(ida->context);
    if (!ida->linear) {
        return false;
    }
    ida->linear->content = ida;
    ida->linear->ops->gettype = linear_type;
    ida->linear->ops->solve = linear_solve;
    return true;
}

static bool make_integrator(td_ida *ida) {
    const td_ida_opts *o = &ida->system.opts;
    ida->memory = IDACreate(ida->context);
    return ida->memory && IDASetErrHandlerFn(ida->memory, keep_fault, ida) == IDA_SUCCESS &&
           IDAInit(ida->memory, residual, 0, ida->y, ida->rate) == IDA_SUCCESS &&
           IDASetUserData(ida->memory, ida) == IDA_SUCCESS &&
           IDASStolerances(ida->memory, o->rtol, o->atol) == IDA_SUCCESS &&
           IDASetLinearSolver(ida->memory, ida->linear, NULL) == IDA_SUCCESS &&
           IDASetNonlinearSolver(ida->memory, ida->newton) == IDA_SUCCESS &&
           SUNNonlinSolSetConvTestFn(ida->newton, newton_test, ida) == SUN_NLS_SUCCESS &&
           IDASetNonlinConvCoef(ida->memory, NEWTON_PART) == IDA_SUCCESS &&
           IDASetMaxNonlinIters(ida->memory, NEWTON_MOST) == IDA_SUCCESS;
}

static bool make_parts(td_ida *ida) {
    sunindextype n = 2 * (sunindextype)ida->system.model->head.dof_count;
    if (SUNContext_Create(NULL, &ida->context) != 0) {
        ida->context = NULL;
        return false;
    }
    ida->y = N_VNew_Serial(n, ida->context);
    ida->rate = N_VNew_Serial(n, ida->context);
    if (!ida->y || !ida->rate) {
        return false;
    }
    N_VConst(0, ida->y);
    N_VConst(0, ida->rate);
    ida->newton = SUNNonlinSol_Newton(ida->y, ida->context);
    return ida->newton && make_linear(ida) && make_integrator(ida);
}

static td_status check(const tdi_tree_model *m, const td_ida_opts *o, td_diag *diag) {
    const tdi_range ranges[] = {TDI_BETWEEN("rtol", NULL, o->rtol, 0, 0.1),
                                TDI_ABOVE_0("atol", NULL, o->atol),
                                TDI_FINITE3("gravity", "m/s^2", o->gravity)};
    td_status status =
        tdi_check_ranges(ranges, sizeof ranges / sizeof *ranges, NULL, TD_NONE, diag);
    return status == TD_OK ? tdi_loads_check(m->body_count, o->loads, o->load_count, &o->air, diag)
                           : status;
}

td_status td_ida_new(td_body *body, const td_ida_opts *opts, const td_alloc *alloc, td_ida **out,
                     td_diag *diag) {
    tdi_tree_state *state = tdi_as_tree(body);
    TDI_CLEAR(out);
    TDI_REFUSE_IF(!state || !out);
    td_ida_opts own = td_ida_opts_default();
    TDI_TRY(tdi_opts_take("td_ida_opts", &own, opts, diag));
    TDI_TRY(check(state->model, &own, diag));
    tdi_tree_fresh(state);
    td_ida draft = {.alloc = alloc, .system = {.model = state->model, .state = state, .opts = own}};
    tdi_layout l = {NULL, 0};
    lay_out(&draft, &l);
    char *block = tdi_alloc_zeroed(alloc, l.used, 1);
    if (!block) {
        return tdi_fail(diag, TD_ERR_MEMORY, "out of memory for the integrator ida");
    }
    draft.bytes = l.used;
    l.base = block;
    lay_out(&draft, &l);
    memcpy(block, &draft, sizeof draft);
    td_ida *ida = (td_ida *)block;
    // IDA has no use for a tree that cannot move
    if (state->model->head.dof_count > 0 && !make_parts(ida)) {
        td_ida_free(ida);
        return tdi_fail(diag, TD_ERR_MEMORY, "SUNDIALS cannot start: most likely out of memory");
    }
    *out = ida;
    return TD_OK;
}

void td_ida_free(td_ida *ida) {
    if (!ida) {
        return;
    }
    if (ida->memory) {
        IDAFree(&ida->memory);
    }
    if (ida->newton) {
        SUNNonlinSolFree(ida->newton);
    }
    if (ida->linear) {
        SUNLinSolFreeEmpty(ida->linear);
    }
    if (ida->y) {
        N_VDestroy(ida->y);
    }
    if (ida->rate) {
        N_VDestroy(ida->rate);
    }
    if (ida->context) {
        SUNContext_Free(&ida->context);
    }
    tdi_alloc_free(ida->alloc, ida, ida->bytes);
}

// ---- starting -------------------------------------------------------------------------------

static bool unchanged(const td_ida *ida) {
    const tdi_tree_model *m = ida->system.model;
    const tdi_tree_state *s = ida->system.state;
    return memcmp(s->q, ida->q_left, (size_t)m->coord_count * sizeof *s->q) == 0 &&
           memcmp(s->v, ida->v_left, (size_t)m->head.dof_count * sizeof *s->v) == 0 &&
           memcmp(&s->head.base, &ida->base_left, sizeof s->head.base) == 0;
}

static void keep(td_ida *ida) {
    const tdi_tree_model *m = ida->system.model;
    const tdi_tree_state *s = ida->system.state;
    memcpy(ida->q_left, s->q, (size_t)m->coord_count * sizeof *s->q);
    memcpy(ida->v_left, s->v, (size_t)m->head.dof_count * sizeof *s->v);
    ida->base_left = s->head.base;
}

// what IDA counted since its start; it forgets at the next
static td_ida_stats counted(const td_ida *ida) {
    long steps = 0, residuals = 0, errors = 0, newtons = 0;
    if (ida->started) {
        IDAGetNumSteps(ida->memory, &steps);
        IDAGetNumResEvals(ida->memory, &residuals);
        IDAGetNumErrTestFails(ida->memory, &errors);
        IDAGetNumNonlinSolvConvFails(ida->memory, &newtons);
    }
    td_ida_stats sum = ida->stats;
    sum.steps += steps;
    sum.residuals += residuals;
    sum.rejected += errors + newtons;
    return sum;
}

td_ida_stats td_ida_statistics(const td_ida *ida) {
    return ida ? counted(ida) : (td_ida_stats){0};
}

static void go_back(td_ida *ida) {
    const tdi_tree_model *m = ida->system.model;
    tdi_tree_state *s = ida->system.state;
    memcpy(s->q, ida->q_left, (size_t)m->coord_count * sizeof *s->q);
    memcpy(s->v, ida->v_left, (size_t)m->head.dof_count * sizeof *s->v);
    tdi_tree_put_base(s, &ida->base_left);
    tdi_tree_changed(s);
    ida->stats = counted(ida);
    ida->started = false;
}

// The base goes on from where it is: its turn is followed to the third order in the time from here.
static void keep_base(tdi_ida_system *system, td_real t) {
    system->base = system->state->head.base;
    system->base_time = t;
}

// The state's pose becomes the reference.
static bool start(td_ida *ida) {
    tdi_ida_system *system = &ida->system;
    ida->stats = counted(ida);
    ida->stats.starts++;
    ida->started = true;
    ida->time = 0;
    keep_base(system, 0);
    tdi_ida_start(system, N_VGetArrayPointer(ida->y), N_VGetArrayPointer(ida->rate));
    return IDAReInit(ida->memory, 0, ida->y, ida->rate) == IDA_SUCCESS;
}

// ---- advancing ------------------------------------------------------------------------------

// To the end, or to where a joint has turned far; then `left` is what remains.
static bool follow(td_ida *ida, td_real *left) {
    tdi_ida_system *system = &ida->system;
    td_real end = ida->time + *left;
    if (IDASetStopTime(ida->memory, end) != IDA_SUCCESS) {
        return false;
    }
    for (;;) {
        realtype t;
        int flag = IDASolve(ida->memory, end, &t, ida->y, ida->rate, IDA_ONE_STEP);
        if (flag < 0) {
            return false;
        }
        const td_real *y = N_VGetArrayPointer(ida->y);
        tdi_ida_set(system, t, y);
        tdi_tree_angles(system->model, system->state, system->state->angle, system->state->angle);
        keep_base(system, t);
        ida->time = t;
        *left = flag == IDA_TSTOP_RETURN ? 0 : end - t;
        if (!(*left > 0) || tdi_ida_reach(system, y) > REACH) {
            return true;
        }
    }
}

td_status td_ida_advance(td_ida *ida, td_real duration, td_diag *diag) {
    TDI_REFUSE_IF(!ida);
    tdi_tree_state *s = ida->system.state;
    tdi_tree_fresh(s);
    const tdi_range range = TDI_ABOVE_0("duration", "s", duration);
    TDI_TRY(tdi_check_ranges(&range, 1, NULL, TD_NONE, diag));
    bool again = !ida->started || !unchanged(ida), fine = true;
    keep(ida);
    ida->fault[0] = '\0';
    if (s->model->head.dof_count == 0) {
        tdi_tree_carry_base(s, &ida->base_left, duration);
    } else {
        for (td_real left = duration; fine && left > 0; again = true) {
            fine = (!again || start(ida)) && follow(ida, &left);
        }
    }
    if (!fine) {
        go_back(ida);
        return tdi_fail(diag, TD_ERR_DIVERGED, "ida failed at %g s: %s", s->head.time, ida->fault);
    }
    s->head.time += duration;
    s->head.known = 0;
    tdi_tree_place(s->model, s);
    keep(ida);
    return TD_OK;
}
