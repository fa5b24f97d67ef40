// SPDX-License-Identifier: MIT
// What a caller may get wrong with trees: every number of every struct, states, sizes. Each must
// come back as a status with a message that says what is wrong, and leave the state usable.

#include "tendril/ida.h"
#include "test_input.h"
#include "test_tree_support.h"

// ---- segments -------------------------------------------------------------------------------

static const number segment_numbers[] = {
    VECTOR(td_segment_def, attach, "attach"),
    VECTOR(td_segment_def, axis, "axis"),
    QUATERNION(td_segment_def, rest, "rest"),
    QUATERNION(td_segment_def, initial, "initial"),
    NUMBER(td_segment_def, initial_slide, "initial_slide"),
    NUMBER(td_segment_def, length, "length"),
    NUMBER(td_segment_def, radius_base, "radius_base"),
    NUMBER(td_segment_def, radius_tip, "radius_tip"),
    NUMBER(td_segment_def, mass, "mass"),
    VECTOR(td_segment_def, centre_of_mass, "centre_of_mass"),
    VECTOR(td_segment_def, tip, "tip"),
    NUMBER(td_segment_def, joint_young, "joint_young"),
    VECTOR(td_segment_def, stiffness, "stiffness"),
    VECTOR(td_segment_def, damping, "damping"),
    NUMBER(td_segment_def, second_moment.xx, "second_moment"),
    NUMBER(td_segment_def, second_moment.yy, "second_moment"),
    NUMBER(td_segment_def, second_moment.zz, "second_moment"),
    NUMBER(td_segment_def, second_moment.xy, "second_moment"),
    NUMBER(td_segment_def, second_moment.xz, "second_moment"),
    NUMBER(td_segment_def, second_moment.yz, "second_moment"),
};

// a hinge with all that can be given
static td_segment_def full_segment(void) {
    td_segment_def def = td_segment_def_default();
    def.joint = TD_JOINT_HINGE;
    def.mass = 1;
    def.centre_of_mass = tdi_vec3(0, 0.05, 0);
    def.second_moment = (td_sym3){1e-4, 4e-3, 1e-4, 0, 0, 0};
    def.has_tip = def.has_stiffness = def.has_damping = true;
    def.tip = tdi_vec3(0, 0.1, 0);
    def.stiffness = def.damping = tdi_vec3(1, 1, 1);
    return def;
}

TD_TEST(segment_refuses_what_is_no_number_in_every_field) {
    OWNED(td_builder) *builder = test_builder();
    td_segment_def def = full_segment();
    CHECK_INT(td_builder_add(builder, &def, NULL, NULL), TD_OK);
    for (int i = 0; i < COUNT_OF(segment_numbers); i++) {
        for (int k = 0; k < COUNT_OF(no_numbers); k++) {
            td_diag diag = {.message = ""};
            def = full_segment();
            spoil(&def, &segment_numbers[i], no_numbers[k]);
            td_status status = td_builder_add(builder, &def, NULL, &diag);
            check_refusal(status, TD_ERR_ARGUMENT, &diag, segment_numbers[i].name, no_numbers[k]);
            CHECK_INT(diag.index, 1);
        }
    }
}

TD_TEST(segment_refuses_no_length_and_less_than_no_mass_stiffness_or_damping) {
    const number positive[] = {NUMBER(td_segment_def, length, "length"),
                               NUMBER(td_segment_def, radius_base, "radius_base")};
    const number not_negative[] = {
        NUMBER(td_segment_def, mass, "mass"), NUMBER(td_segment_def, radius_tip, "radius_tip"),
        NUMBER(td_segment_def, joint_young, "joint_young"),
        VECTOR(td_segment_def, stiffness, "stiffness"), VECTOR(td_segment_def, damping, "damping")};
    OWNED(td_builder) *builder = test_builder();
    for (int i = 0; i < COUNT_OF(positive) + COUNT_OF(not_negative); i++) {
        bool zero = i < COUNT_OF(positive);
        const number *n = zero ? &positive[i] : &not_negative[i - COUNT_OF(positive)];
        td_diag diag = {.message = ""};
        td_segment_def def = full_segment();
        spoil(&def, n, zero ? 0 : -1e-9);
        td_status status = td_builder_add(builder, &def, NULL, &diag);
        check_refusal(status, TD_ERR_ARGUMENT, &diag, n->name, zero ? 0 : -1e-9);
    }
}

// ---- steps ----------------------------------------------------------------------------------

static const td_integrator integrators[] = {TD_IMPLICIT, TD_IMPLICIT_EULER, TD_EULER, TD_RK4};

#define INTEGRATORS COUNT_OF(integrators)

// Two segments: a hinge on a ball, moving.
static tree small_tree(void) {
    td_segment_def defs[2] = {td_segment_def_default(), td_segment_def_default()};
    defs[1].parent = 0;
    defs[1].joint = TD_JOINT_HINGE;
    tree t = tree_of(defs, 2, TD_LAW_LINEAR, NULL);
    t.v[0] = 0.1;
    td_tree_state_changed(t.state);
    return t;
}

// ---- states ---------------------------------------------------------------------------------

// A number of the state that is none: the step fails, the state keeps it, and once it is set right
// the next step works.
static void check_state_number(tree t, td_real *at, td_integrator integrator) {
    td_diag diag = {.message = ""};
    td_step_opts opts = steps_of(integrator, 1e-3, weight);
    td_real kept = *at;
    *at = (td_real)NAN;
    td_tree_state_changed(t.state);
    td_status status = td_body_step(t.state, &opts, NULL, &diag);
    check_refusal(status, TD_ERR_DIVERGED, &diag, "diverged", *at);
    CHECK(t.state->time == 0);
    CHECK(td_body_reset(t.state, NULL) == TD_OK);
    *at = kept;
    td_tree_state_changed(t.state);
    CHECK_INT(td_body_step(t.state, &opts, NULL, NULL), TD_OK);
    CHECK(td_body_reset(t.state, NULL) == TD_OK);
}

TD_TEST(step_from_a_state_that_is_not_finite_fails_and_can_be_set_right) {
    OWNED(tree) t = small_tree();
    for (int k = 0; k < INTEGRATORS; k++) {
        for (int32_t i = 0; i < t.nq; i++) {
            check_state_number(t, &t.q[i], integrators[k]);
        }
        for (int32_t i = 0; i < t.nv; i++) {
            check_state_number(t, &t.v[i], integrators[k]);
        }
    }
}

TD_TEST(search_for_rest_from_a_state_that_is_not_finite_fails) {
    OWNED(tree) t = small_tree();
    td_step_opts opts = td_step_opts_default();
    for (int32_t i = 0; i < t.nq; i++) {
        td_diag diag = {.message = ""};
        t.q[i] = (td_real)NAN;
        td_tree_state_changed(t.state);
        td_status status = td_body_settle(t.state, &opts, NULL, &diag);
        check_refusal(status, TD_ERR_DIVERGED, &diag, "rest", t.q[i]);
        CHECK(td_body_reset(t.state, NULL) == TD_OK);
        CHECK_INT(td_body_settle(t.state, &opts, NULL, NULL), TD_OK);
    }
}

TD_TEST(modes_rest_shape_and_damping_refuse_a_state_that_is_not_finite) {
    OWNED(tree) t = small_tree();
    td_mode modes[2];
    td_damping_opts damping = td_damping_opts_default();
    for (int32_t i = 0; i < t.nq; i++) {
        td_body_model *out = NULL;
        td_diag diag = {.message = ""};
        t.q[i] = (td_real)NAN;
        td_tree_state_changed(t.state);
        td_status status = td_body_modes(t.state, weight, 2, modes, &diag);
        check_refusal(status, TD_ERR_DIVERGED, &diag, "not finite", t.q[i]);
        status = td_tree_model_rest_new(t.state, weight, NULL, &out, &diag);
        check_refusal(status, TD_ERR_DIVERGED, &diag, "not finite", t.q[i]);
        status = td_tree_model_damped_new(t.state, &damping, NULL, &out, &diag);
        check_refusal(status, TD_ERR_DIVERGED, &diag, "not finite", t.q[i]);
        CHECK(!out);
        CHECK(td_body_reset(t.state, NULL) == TD_OK);
    }
}

TD_TEST(explicit_step_that_carries_the_base_out_of_all_numbers_diverges) {
    OWNED(tree) t = small_tree();
    for (int k = 2; k < INTEGRATORS; k++) {
        td_diag diag = {.message = ""};
        td_base_motion motion = {.position = {1.7e308, 0, 0}, .rotation = {1, 0, 0, 0}};
        td_step_opts opts = steps_of(integrators[k], 1, tdi_vec3(0, 0, 0));
        motion.velocity.x = 1.7e308;
        CHECK(td_body_set_base(t.state, &motion, NULL) == TD_OK);
        td_status status = td_body_step(t.state, &opts, NULL, &diag);
        check_refusal(status, TD_ERR_DIVERGED, &diag, "diverged", motion.velocity.x);
        CHECK(t.s->base.o.x == motion.position.x && t.state->time == 0);
        CHECK(td_body_reset(t.state, NULL) == TD_OK);
    }
}

// ---- ida ------------------------------------------------------------------------------------

static const number ida_numbers[] = {
    NUMBER(td_ida_opts, rtol, "rtol"),       NUMBER(td_ida_opts, atol, "atol"),
    VECTOR(td_ida_opts, gravity, "gravity"), VECTOR(td_ida_opts, air.wind, "air"),
    NUMBER(td_ida_opts, air.linear, "air"),  NUMBER(td_ida_opts, air.quadratic, "air"),
};

TD_TEST(ida_refuses_what_is_no_number_in_every_option) {
    OWNED(tree) t = small_tree();
    for (int i = 0; td_ida_built() && i < COUNT_OF(ida_numbers) * COUNT_OF(no_numbers); i++) {
        const number *n = &ida_numbers[i / COUNT_OF(no_numbers)];
        double value = no_numbers[i % COUNT_OF(no_numbers)];
        td_ida *ida = NULL;
        td_diag diag = {.message = ""};
        td_ida_opts opts = td_ida_opts_default();
        spoil(&opts, n, value);
        td_status status = td_ida_new(t.state, &opts, NULL, &ida, &diag);
        check_refusal(status, TD_ERR_ARGUMENT, &diag, n->name, value);
        CHECK(!ida);
    }
}

// ---- sizes ----------------------------------------------------------------------------------

// a row of links, a metre together
static td_skeleton *row_of(int32_t count) {
    OWNED(td_builder) *builder = test_builder();
    for (int32_t i = 0; i < count; i++) {
        td_segment_def def = td_segment_def_default();
        def.parent = i - 1;
        def.length = 1.0 / count;
        CHECK_INT(td_builder_add(builder, &def, NULL, NULL), TD_OK);
    }
    return test_finish(builder);
}

TD_TEST(tree_of_no_segments_is_refused_by_name) {
    OWNED(td_skeleton) *skeleton = row_of(0);
    td_body_model *model = NULL;
    td_diag diag = {.message = ""};
    td_body_opts opts = td_body_opts_default();
    CHECK_INT(td_skeleton_count(skeleton), 0);
    CHECK_INT(td_body_model_new(skeleton, "tree", &opts, NULL, &model, &diag), TD_ERR_ARGUMENT);
    CHECK_HAS(diag.message, "no segments");
    CHECK(!model);
}

TD_TEST(tree_refuses_a_law_that_there_is_not) {
    static const int strange[] = {-1, 3, 1000};
    OWNED(td_skeleton) *skeleton = row_of(1);
    for (int k = 0; k < COUNT_OF(strange); k++) {
        td_body_model *model = NULL;
        td_diag diag = {.message = ""};
        td_body_opts opts = td_body_opts_default();
        memcpy(&opts.law, &strange[k], sizeof strange[k]);
        td_status status = td_body_model_new(skeleton, "tree", &opts, NULL, &model, &diag);
        check_refusal(status, TD_ERR_ARGUMENT, &diag, "law", strange[k]);
        CHECK(!model);
    }
}

TD_TEST(tree_refuses_options_that_are_not_from_their_default) {
    OWNED(td_skeleton) *skeleton = row_of(1);
    OWNED(td_body_model) *model = NULL;
    td_diag diag = {.message = ""};
    td_body_opts opts = {.struct_size = 0};
    CHECK_INT(td_body_model_new(skeleton, "tree", &opts, NULL, &model, &diag), TD_ERR_DEF);
    CHECK_HAS(diag.message, "td_body_opts");
    CHECK(!model);
    CHECK_INT(td_body_model_new(skeleton, "tree", NULL, NULL, &model, &diag),
              TD_OK); // the defaults
}

TD_TEST(tree_without_memory_fails_and_leaves_nothing_behind) {
    OWNED(td_skeleton) *skeleton = row_of(5000); // enough to be cut
    WITH_SCARCE(memory, 2) {
        OWNED(td_body_model) *model = NULL;
        OWNED(td_body) *state = NULL;
        td_diag diag = {.message = ""};
        td_status status = td_body_model_new(skeleton, "tree", NULL, &memory.alloc, &model, &diag);
        status = status == TD_OK ? td_body_new(model, &memory.alloc, &state, &diag) : status;
        CHECK_INT(status, scarce_status(&memory));
        CHECK(state || strstr(diag.message, "out of memory"));
    }
}

// WebAssembly's host does not always survive memories of hundreds of megabytes
#ifdef __wasi__
#define LONGEST_CHAIN 10000
#else
#define LONGEST_CHAIN 1000000
#endif

// As deep as it is long: whatever calls itself once a segment runs out of stack.
TD_TEST(tree_of_a_million_links_in_a_row_is_built_and_steps) {
    td_skeleton *skeleton = row_of(LONGEST_CHAIN);
    OWNED(td_body_model) *model = NULL;
    OWNED(td_body) *state = NULL;
    td_diag diag = {.message = ""};
    td_body_opts opts = td_body_opts_default();
    CHECK_INT(td_body_model_new(skeleton, "tree", &opts, NULL, &model, &diag), TD_OK);
    td_skeleton_free(skeleton);
    CHECK_INT(td_body_new(model, NULL, &state, &diag), TD_OK);
    td_step_opts implicit = steps_of(TD_IMPLICIT, 1.0 / 60, weight);
    CHECK_INT(td_body_step(state, &implicit, NULL, &diag), TD_OK);
    CHECK_REL(td_body_tip(state, LONGEST_CHAIN - 1).y, 1, 1e-6);
    // explicit rules are stable only below the time that sound takes through a link
    td_step_opts explicit = steps_of(TD_EULER, 1e-13, weight);
    CHECK_INT(td_body_step(state, &explicit, NULL, &diag), TD_OK);
    CHECK_REL(td_body_tip(state, LONGEST_CHAIN - 1).y, 1, 1e-6);
    CHECK_TEXT(diag.message, "");
}
