// SPDX-License-Identifier: MIT
// Validations that are short enough for every build, also those with sanitizers. The command runs
// these and all others: `tendril validate`. docs/theory/validation.md says what each is about.

#include "td_test.h"

#include "cases/validate/validate.h"

static void check_row(void *context, const val_row *row) {
    (void)context;
    CHECK_SAY(row->pass, "%s, %s, n %lld: %.9g, wanted %.9g: off by %g of %g%s%s", row->name,
              row->quantity, (long long)row->n, row->got, row->want, row->error, row->limit,
              row->fault ? ": " : "", row->fault ? row->fault : "");
}

static void check_case(const char *name, void (*run)(val_report *)) {
    const val_case one = {.name = name, .run = run};
    val_report report = {.row = check_row};
    val_run_case(&one, &report);
}

#define CASE_TEST(name, about, run) \
    TD_TEST(name) {                 \
        check_case(about, run);     \
    }

CASE_TEST(tree_pendulum_swings_with_its_period_and_follows_its_derived_equation, "pendulum",
          val_pendulum)
CASE_TEST(tree_double_pendulum_accelerates_as_derived_and_repeats_to_the_bit, "double-pendulum",
          val_double_pendulum)
CASE_TEST(tree_cantilever_under_a_load_at_its_tip_bends_to_the_elastica, "elastica", val_elastica)
CASE_TEST(tree_beam_has_the_frequencies_of_beam_theory_by_modes_and_in_steps, "vibration",
          val_vibration)
CASE_TEST(tree_limp_chain_rests_on_the_plumb_line_and_on_the_catenary_and_swings_as_bessel_says,
          "chain", val_chain)
CASE_TEST(tree_on_a_shaken_pivot_swings_and_on_a_pot_that_starts_lags_as_theory_says, "base",
          val_base)
CASE_TEST(chain_between_two_pins_falls_as_its_derived_equations_by_both_ways_of_constraints,
          "loop-chain", val_loop_chain)
CASE_TEST(curves_pass_their_keys_without_a_jump_and_have_the_rates_of_differences, "interpolation",
          val_interpolation)
CASE_TEST(wind_has_its_intensity_and_no_divergence_and_is_carried_along, "wind", val_wind)
CASE_TEST(rod_under_a_load_at_its_tip_bends_to_the_elastica, "rod-elastica", val_rod_elastica)
CASE_TEST(rod_gradients_and_hessians_at_rest_match_differences, "rod-derivatives",
          val_rod_derivatives)
CASE_TEST(rod_beam_has_the_frequencies_of_beam_theory_by_modes_and_in_steps, "rod-vibration",
          val_rod_vibration)
CASE_TEST(rods_keep_their_energy_in_rigid_motion_and_their_momenta_when_thrown, "rod-invariance",
          val_rod_invariance)
CASE_TEST(rod_turned_at_its_end_has_even_twist_and_its_torque, "twist-uniform", val_twist_uniform)
CASE_TEST(helix_under_a_load_at_its_tip_bends_to_the_elastica, "helix-elastica", val_helix_elastica)
CASE_TEST(helix_beam_has_the_frequencies_of_beam_theory_by_modes_and_in_steps, "helix-vibration",
          val_helix_vibration)
CASE_TEST(helix_recursive_accelerations_equal_composite_ones, "helix-composite",
          val_helix_composite)
CASE_TEST(helices_rest_as_the_elastica_and_curls_as_their_limit, "helix-statics", val_helix_statics)

// ---- faults ---------------------------------------------------------------------------------

static void count_row(void *context, const val_row *row) {
    int *rows = context;
    *rows += !row->pass && row->fault != NULL;
}

static void fail_in_the_middle(val_report *report) {
    val_must(report, "a step", 1, TD_OK);
    val_must(report, "a step", 2, TD_ERR_DIVERGED);
    val_at_most(report, "never reached", 2, 0, 1);
}

TD_TEST(validation_ends_with_a_row_that_fails_when_a_step_fails) {
#ifdef __wasm__
    test_skip("a failing case ends the program where there is no setjmp");
    return;
#endif
    const val_case one = {.name = "fault", .run = fail_in_the_middle};
    int faults = 0;
    val_report report = {.row = count_row, .context = &faults};
    val_run_case(&one, &report);
    CHECK_INT(faults, 1);
    CHECK_INT(report.rows, 1);
    CHECK_INT(report.failed, 1);
}
