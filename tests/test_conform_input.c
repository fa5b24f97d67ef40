// SPDX-License-Identifier: MIT
// Invalid input for any solver: every number of steps, loads, bases and modes. Each call returns a
// status with a message about the invalid number, and leaves the state as it was.

#include "test_conform_support.h"
#include "test_input.h"

static const number step_numbers[] = {
    NUMBER(td_step_opts, dt, "dt"),
    VECTOR(td_step_opts, gravity, "gravity"),
    NUMBER(td_step_opts, tolerance, "tolerance"),
    NUMBER(td_step_opts, stiffness, "stiffness"),
    NUMBER(td_step_opts, damping, "damping"),
    VECTOR(td_step_opts, air.wind, "air: wind"),
    NUMBER(td_step_opts, air.linear, "air: linear"),
    NUMBER(td_step_opts, air.quadratic, "air: quadratic"),
};

static const number load_numbers[] = {
    VECTOR(td_load, point, "load 1: point"), VECTOR(td_load, vector, "load 1: vector"),
    NUMBER(td_load, stiffness, "load 1: stiffness"), NUMBER(td_load, damping, "load 1: damping"),
    VECTOR(td_load, velocity, "load 1: velocity")};

static const number base_numbers[] = {
    VECTOR(td_base_motion, position, "the base's position"),
    QUATERNION(td_base_motion, rotation, "the base's rotation"),
    VECTOR(td_base_motion, velocity, "the base's velocity"),
    VECTOR(td_base_motion, spin, "the base's spin is"),
    VECTOR(td_base_motion, acceleration, "the base's acceleration"),
    VECTOR(td_base_motion, spin_rate, "the base's spin_rate"),
};

// A step and a search for rest, which must both refuse, and change nothing.
static void check_refused(const subject *s, const td_step_opts *opts, td_status want,
                          const char *name, double value) {
    FREED char *before = bytes_of(s);
    for (int k = 0; k < 2; k++) {
        td_diag diag = {.message = ""};
        const td_status status =
            k ? td_body_settle(s->state, opts, NULL, &diag) : step_once(s, opts, &diag);
        check_refusal(status, want, &diag, name, value);
    }
    CHECK_SAY(same_as(s, before), "%s: %s = %g changed the state", s->name, name, value);
}

INTEGRATOR_TEST(conform_steps_refuse_what_is_no_number_in_every_option) {
    OWNED(subject) s = subject_for(solver, HELD, integrator, NULL);
    const td_step_opts good = exact_opts(fitting_dt(integrator), integrator);
    step_times(&s, &good, 2);
    for (int i = 0; i < COUNT_OF(step_numbers) * COUNT_OF(no_numbers); i++) {
        const number *n = &step_numbers[i / COUNT_OF(no_numbers)];
        const double value = no_numbers[i % COUNT_OF(no_numbers)];
        td_step_opts opts = good;
        spoil(&opts, n, value);
        check_refused(&s, &opts, TD_ERR_ARGUMENT, n->name, value);
    }
    td_vec3 winds[8] = {{(td_real)NAN, 0, 0}};
    td_step_opts opts = good;
    opts.winds = winds;
    check_refused(&s, &opts, TD_ERR_ARGUMENT, "winds[0]", winds[0].x);
    step_times(&s, &good, 2);
}

SOLVER_TEST(conform_steps_refuse_what_is_no_number_in_every_kind_of_load) {
    OWNED(subject) s = subject_new(solver, HELD, NULL);
    for (int kind = TD_LOAD_FORCE; kind <= TD_LOAD_SPRING; kind++) {
        for (int i = 0; i < COUNT_OF(load_numbers) * COUNT_OF(no_numbers); i++) {
            const number *n = &load_numbers[i / COUNT_OF(no_numbers)];
            const double value = no_numbers[i % COUNT_OF(no_numbers)];
            td_load loads[2] = {{.kind = TD_LOAD_FORCE}, {.kind = (td_load_kind)kind}};
            td_step_opts opts = exact_opts(1e-3, TD_IMPLICIT);
            opts.loads = loads;
            opts.load_count = 2;
            spoil(&loads[1], n, value);
            check_refused(&s, &opts, TD_ERR_ARGUMENT, n->name, value);
        }
    }
}

static const number positive[] = {NUMBER(td_step_opts, dt, "dt"),
                                  NUMBER(td_step_opts, tolerance, "tolerance")},
                    not_negative[] = {NUMBER(td_step_opts, stiffness, "stiffness"),
                                      NUMBER(td_step_opts, damping, "damping"),
                                      NUMBER(td_step_opts, air.linear, "air: linear"),
                                      NUMBER(td_step_opts, air.quadratic, "air: quadratic")};

SOLVER_TEST(conform_steps_refuse_options_out_of_their_range) {
    OWNED(subject) s = subject_new(solver, HELD, NULL);
    td_step_opts opts;
    for (int i = 0; i < 2 * COUNT_OF(positive) + COUNT_OF(not_negative); i++) {
        const bool least = i < 2 * COUNT_OF(positive);
        const number *n = least ? &positive[i / 2] : &not_negative[i - 2 * COUNT_OF(positive)];
        const double value = least && i % 2 ? 0 : -1;
        opts = exact_opts(1e-3, TD_IMPLICIT);
        spoil(&opts, n, value);
        check_refused(&s, &opts, TD_ERR_ARGUMENT, n->name, value);
    }
    opts = exact_opts(1e-3, TD_IMPLICIT);
    opts.iterations = 0;
    check_refused(&s, &opts, TD_ERR_ARGUMENT, "iterations", 0);
    opts.struct_size = 0;
    check_refused(&s, &opts, TD_ERR_DEF, "td_step_opts", 0);
}

SOLVER_TEST(conform_steps_refuse_loads_out_of_their_range) {
    OWNED(subject) s = subject_new(solver, HELD, NULL);
    const struct {
        const char *name;
        td_load load;
        int32_t count;
    } wrong[] = {{"load 0: stiffness", {.kind = TD_LOAD_SPRING, .stiffness = -1}, 1},
                 {"load 0: damping", {.kind = TD_LOAD_SPRING, .damping = -1}, 1},
                 {"load 0: segment", {.segment = s.count}, 1},
                 {"load 0: segment", {.segment = TD_NONE}, 1},
                 {"load_count", {.segment = 0}, -1}};
    td_step_opts opts = exact_opts(1e-3, TD_IMPLICIT);
    opts.load_count = 1; // of no loads
    check_refused(&s, &opts, TD_ERR_ARGUMENT, "load_count", 1);
    for (int i = 0; i < COUNT_OF(wrong); i++) {
        opts.loads = &wrong[i].load;
        opts.load_count = wrong[i].count;
        check_refused(&s, &opts, TD_ERR_ARGUMENT, wrong[i].name, i);
    }
}

// what a caller in another language can hand over
SOLVER_TEST(conform_steps_refuse_kinds_of_load_and_integrators_that_there_are_not) {
    static const int strange[] = {-1, 5, 1000};
    OWNED(subject) s = subject_new(solver, HELD, NULL);
    for (int k = 0; k < COUNT_OF(strange); k++) {
        td_load load = {.segment = 0};
        td_step_opts opts = exact_opts(1e-3, TD_IMPLICIT);
        memcpy(&opts.integrator, &strange[k], sizeof strange[k]);
        check_refused(&s, &opts, TD_ERR_ARGUMENT, "integrator", strange[k]);
        opts = exact_opts(1e-3, TD_IMPLICIT);
        memcpy(&load.kind, &strange[k], sizeof strange[k]);
        opts.loads = &load;
        opts.load_count = 1;
        check_refused(&s, &opts, TD_ERR_ARGUMENT, "load 0: kind", strange[k]);
    }
}

INTEGRATOR_TEST(conform_steps_on_a_base_that_is_no_number_or_does_not_turn_are_refused) {
    OWNED(subject) s = subject_for(solver, HELD, integrator, NULL);
    const td_step_opts opts = exact_opts(fitting_dt(integrator), integrator);
    for (int i = 0; i <= COUNT_OF(base_numbers) * COUNT_OF(no_numbers); i++) {
        const number *n = &base_numbers[i / COUNT_OF(no_numbers) % COUNT_OF(base_numbers)];
        const double value = no_numbers[i % COUNT_OF(no_numbers)];
        const bool last = i == COUNT_OF(base_numbers) * COUNT_OF(no_numbers);
        td_base_motion motion = {.rotation = {last ? 0 : 1, 0, 0, 0}};
        if (!last) {
            spoil(&motion, n, value);
        }
        solver->set_base(s.state, &motion);
        check_refused(&s, &opts, TD_ERR_ARGUMENT, last ? "the base's rotation" : n->name, value);
        CHECK_INT(td_body_reset(s.state, NULL), TD_OK);
        step_times(&s, &opts, 1);
        CHECK_INT(td_body_reset(s.state, NULL), TD_OK);
    }
}

static td_body_model *damped(const subject *s, const td_damping_opts *opts, td_status *status,
                             td_diag *diag) {
    td_body_model *model = NULL;
    *status = td_body_model_damped_new(s->model, opts, NULL, &model, diag);
    return model;
}

SOLVER_TEST(conform_damping_and_rest_refuse_what_is_no_number_and_damping_below_zero) {
    static const number numbers[] = {NUMBER(td_damping_opts, value, "value is"),
                                     VECTOR(td_damping_opts, gravity, "gravity")};
    OWNED(subject) s = subject_new(solver, HELD, NULL);
    td_diag diag = {.message = ""};
    td_status status;
    for (int i = 0; s.solver->info.damping && i < 2 * 4 * COUNT_OF(numbers); i++) {
        const number *n = &numbers[i / 8];
        const double value = i % 4 < 3 ? no_numbers[i % 4] : n == numbers ? -1 : (double)NAN;
        td_damping_opts opts = td_damping_opts_default();
        opts.kind = i % 8 < 4 ? TD_DAMPING_RATIO : TD_DAMPING_TIME;
        spoil(&opts, n, value);
        OWNED(td_body_model) *none = damped(&s, &opts, &status, &diag);
        check_refusal(status, TD_ERR_ARGUMENT, &diag, n->name, value);
        CHECK(!none);
    }
    td_body_model *rest = NULL;
    if (s.solver->info.rest) {
        status = td_body_model_rest_new(s.model, tdi_vec3(0, NAN, 0), NULL, &rest, &diag);
        check_refusal(status, TD_ERR_ARGUMENT, &diag, "gravity.y is", NAN);
    }
}

SOLVER_TEST(conform_modes_refuse_counts_weights_and_states_that_are_none) {
    OWNED(subject) s = subject_new(solver, HELD, NULL);
    const int32_t n = s.model->dof_count;
    FREED td_mode *modes = calloc((size_t)n + 1, sizeof *modes);
    FREED char *nonsense = malloc(tdi_state_save_size(s.state));
    td_diag diag = {.message = ""};
    if (!solver->info.modes) {
        return;
    }
    check_refusal(td_body_modes(s.state, down, 0, modes, &diag), TD_ERR_ARGUMENT, &diag, "count is",
                  0);
    check_refusal(td_body_modes(s.state, down, n + 1, modes, &diag), TD_ERR_ARGUMENT, &diag,
                  "count is", n + 1);
    check_refusal(td_body_modes(s.state, tdi_vec3(0, (td_real)NAN, 0), 1, modes, &diag),
                  TD_ERR_ARGUMENT, &diag, "gravity", NAN);
    memset(nonsense, 0xff, tdi_state_save_size(s.state));
    tdi_state_restore(s.state, nonsense);
    check_refusal(td_body_modes(s.state, down, 1, modes, &diag), TD_ERR_DIVERGED, &diag,
                  "not finite", NAN);
}
