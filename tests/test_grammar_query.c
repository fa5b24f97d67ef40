// SPDX-License-Identifier: MIT
// The modules ?P ?H ?L ?U and ?E, which the turtle and the embedding program fill. Pairs with
// src/grammar/turtle.c and query.h.

#include "test_grammar_support.h"

// ---- queries --------------------------------------------------------------------------------

TD_TEST(turtle_queries_are_filled_at_the_start_and_after_each_step) {
    const char *text = "axiom: ?P(9,9,9)A?P(9,9,9)\nA --> F(2)A\n";
    CHECK_DERIVED(text, 0, "?P(0,0,0)A?P(0,0,0)");
    CHECK_DERIVED(text, 2, "?P(0,0,0)F(2)F(2)A?P(0,4,0)");
    // two parameters are x and y
    CHECK_DERIVED("axiom: F(3)?P(0,0)-(90)?H(0,0)?L(5,5)\n", 0, "F(3)?P(0,3)-(90)?H(1,0)?L(0,1)");
}

TD_TEST(turtle_queries_feed_conditions_of_the_next_step) {
    // grows until its tip is above 3
    CHECK_DERIVED("axiom: A?P(0,0,0)\nA > ?P(x,y,z) : y < 3 --> FA\n", 6, "FFFA?P(0,3,0)");
}

TD_TEST(turtle_queries_see_what_the_homomorphism_draws_and_not_what_is_cut) {
    CHECK_DERIVED("axiom: A?P(0,0,0)\nhomomorphism\nA --> F(3)\n", 0, "A?P(0,3,0)");
    CHECK_DERIVED("axiom: F[F%F?P(7,7,7)]F?P(0,0,0)\n", 0, "F[F%F?P(7,7,7)]F?P(0,2,0)");
}

// ---- the environment ------------------------------------------------------------------------

typedef struct answers {
    td_env_query queries[8];
    double first[8]; // parameter of each, as it came
    int32_t count;
    int32_t stop_at; // the query that is answered with a stop, from 1
    double reply;
} answers;

static int answer(void *context, td_env_query *query) {
    answers *a = context;
    if (a->count < 8) {
        a->queries[a->count] = *query;
        a->first[a->count] = query->param_count > 0 ? query->params[0] : 0;
    }
    a->count++;
    if (query->param_count > 1) {
        query->params[1] = a->reply + a->count;
    }
    return a->count == a->stop_at;
}

static test_model model_with(answers *a, const char *text, int32_t steps) {
    td_grammar_def def = test_def(text);
    td_derive_opts opts = td_derive_opts_default();
    opts.environment = (td_environment){answer, a};
    return test_model_of(&def, &opts, steps, NULL);
}

TD_TEST(turtle_environment_reads_and_writes_parameters_in_string_order) {
    answers a = {.reply = 10};
    OWNED(test_model) m = model_with(&a, "axiom: F(2)?E(5,0)[-(90)F(1)?E(6,0)]?E\n", 0);
    CHECK_TEXT(test_string_of(&m), "F(2)?E(5,11)[-(90)F(1)?E(6,12)]?E");
    CHECK_INT(a.count, 3);
    CHECK_INT(a.queries[0].module, 1);
    CHECK_INT(a.queries[1].module, 5);
    CHECK_INT(a.queries[2].module, 7);
    CHECK_REL(a.first[0], 5, 0);
    CHECK_REL(a.first[1], 6, 0);
    CHECK_INT(a.queries[0].param_count, 2);
    CHECK_INT(a.queries[2].param_count, 0);
    CHECK_INT(a.queries[0].step, 0);
    CHECK_VEC(a.queries[0].position, 0, 2, 0, 0);
    CHECK_VEC(a.queries[1].position, 1, 2, 0, 0);
    CHECK_VEC(a.queries[1].heading, 1, 0, 0, 0);
    CHECK_VEC(a.queries[1].left, 0, 1, 0, 0);
    CHECK_VEC(a.queries[1].up, 0, 0, -1, 0);
}

TD_TEST(turtle_environment_answers_once_a_step_and_productions_see_the_answer) {
    answers a = {.reply = 0};
    OWNED(test_model) m = model_with(&a, "axiom: ?E(0,0)\n?E(x,y) --> ?E(y,0)\n", 3);
    // answers 1, 2, 3, 4 at steps 0 to 3
    CHECK_TEXT(test_string_of(&m), "?E(3,4)");
    for (int i = 0; i < 4; i++) {
        CHECK_INT(a.queries[i].step, i);
    }
}

TD_TEST(turtle_environment_can_stop_the_derivation) {
    answers a = {.stop_at = 2};
    OWNED(test_model) m = model_with(&a, "axiom: A?E(1,0)\nA --> AB\n", 0);
    CHECK_INT(m.status, TD_OK);
    td_diag diag = {0};
    CHECK_INT(td_derivation_step(m.derivation, &diag), TD_ERR_STOPPED);
    CHECK_HAS(diag.message, "stopped");
    CHECK_INT(diag.index, 2);
    // the string is the one before the step, and the step can be made again
    CHECK_TEXT(test_string_of(&m), "A?E(1,1)");
    CHECK_INT(td_derivation_step(m.derivation, &diag), TD_OK);
    CHECK_TEXT(test_string_of(&m), "AB?E(1,3)");
    CHECK_INT(a.queries[2].step, 1);
}

TD_TEST(turtle_environment_answers_must_be_finite_and_none_keeps_parameters) {
    answers a = {.reply = INFINITY};
    test_model m = model_with(&a, "axiom: A?E(1,0)\n", 0);
    CHECK_INT(m.status, TD_ERR_EVAL);
    CHECK_INT(m.faults[0].index, 1);
    CHECK_HAS(m.faults[0].message, "parameter 2");
    test_model_free(&m);
    CHECK_DERIVED("axiom: A?E(1,0)\n", 0, "A?E(1,0)");
}
