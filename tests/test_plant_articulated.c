// SPDX-License-Identifier: MIT
// Strings of bodies and joints. Pairs with src/plant/articulated.c.

#include "test_plant_support.h"

#include "math/quat.h"

#define BODY  "B(0.1,0.01,900)"
#define JOINT "J(5e9,0,0,0,0,0,0,0.001)"

// writes the letters of `pattern` as modules with parameters and grows the string
static test_plant grow_pattern(const char *pattern) {
    char text[4000] = "axiom: ";
    for (const char *c = pattern; *c; c++) {
        const char letter[2] = {*c, 0};
        strcat(text, *c == 'B' ? BODY : *c == 'J' ? JOINT : letter);
    }
    strcat(text, "\n");
    return test_grow(text, NULL);
}

// ---- structure ------------------------------------------------------------------------------

TD_TEST(plant_articulated_strings_of_the_thesis_are_accepted) {
    const struct {
        const char *pattern;
        int32_t parents[5];
    } cases[] = {
        {"B", {-1}},
        {"BJB", {-1, 0}},
        {"BJBJB", {-1, 0, 1}},
        {"B[JB]JB", {-1, 0, 0}},
        {"B[JB[JB]JB]JB", {-1, 0, 1, 1, 0}},
        {"XB[Y]X[JXB]YJ+FB/", {-1, 0, 0}}, // other modules pass, also empty branches
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        OWNED(test_plant) p = grow_pattern(cases[i].pattern);
        CHECK_INT(p.status, TD_OK);
        if (p.status == TD_OK) {
            int32_t count = 0;
            for (const char *c = cases[i].pattern; *c; c++) {
                count += *c == 'B';
            }
            CHECK_INT(td_skeleton_count(p.skeleton), count);
            const td_segment *s = td_skeleton_segments(p.skeleton);
            for (int32_t k = 0; k < td_skeleton_count(p.skeleton); k++) {
                CHECK_INT(s[k].parent, cases[i].parents[k]);
                CHECK_INT(s[k].joint, k == 0 ? TD_JOINT_FIXED : TD_JOINT_BALL);
            }
        }
    }
}

TD_TEST(plant_articulated_strings_that_are_no_body_are_refused_with_their_place) {
    const struct {
        const char *pattern;
        int32_t module;
        const char *says;
    } cases[] = {
        {"BJJB", 2, "joint follows a joint"},     {"BJ[JB]", 2, "branch follows a joint"},
        {"B[J]J", 3, "ends with a joint"},        {"BB", 1, "body follows a body"},
        {"B[B]", 2, "body follows a body"},       {"BJ[JB]B", 2, "branch follows a joint"},
        {"BJ[B]JB", 2, "branch follows a joint"}, {"BJ[B]B", 2, "branch follows a joint"},
        {"BJ[B]", 2, "branch follows a joint"},   {"BJBJ", 3, "string ends with a joint"},
        {"B[JB]B", 5, "body follows a body"},     {"JB", 0, "start with a body"},
        {"[BJB]", 0, "start with a body"},        {"XXBXXBX", 5, "body follows a body"},
        {"BJXXB[XJX]", 9, "ends with a joint"},   {"BJB]", 3, "no branch is open here"},
        {"BJB[JB", 3, "branch is never closed"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        OWNED(test_plant) p = grow_pattern(cases[i].pattern);
        CHECK_INT(p.status, TD_ERR_STRUCTURE);
        CHECK_INT(p.diag.index, cases[i].module);
        CHECK_HAS(p.diag.message, cases[i].says);
        char place[32];
        snprintf(place, sizeof place, "module %d, ", cases[i].module);
        CHECK_HAS(p.diag.message, place);
    }
}

TD_TEST(plant_articulated_refusal_names_the_module_with_its_parameters) {
    OWNED(test_plant) p = grow_pattern("BJBB");
    CHECK_HAS(p.diag.message, "module 3, B(0.1,0.01,900): ");
}

TD_TEST(plant_articulated_modules_with_other_parameters_are_refused) {
    OWNED(test_plant) p = test_grow("axiom: " BODY JOINT "B(1,2)\n", NULL);
    CHECK_INT(p.status, TD_ERR_STRUCTURE);
    CHECK_INT(p.diag.index, 2);
    CHECK_HAS(p.diag.message, "3 or 10 parameters");
    test_plant_free(&p);
    p = test_grow("axiom: " BODY "J(1,2,3)" BODY "\n", NULL);
    CHECK_INT(p.status, TD_ERR_STRUCTURE);
    CHECK_INT(p.diag.index, 1);
    CHECK_HAS(p.diag.message, "8 or 9 parameters");
}

// B and J without such parameters are just letters, and the turtle draws the string
TD_TEST(plant_strings_with_other_b_and_j_are_drawn_by_the_turtle) {
    OWNED(test_plant) p = test_grow_count("axiom: F B J(1) F\n", 2);
    CHECK_INT(p.status, TD_OK);
}

TD_TEST(plant_articulated_values_out_of_range_are_refused) {
    const struct {
        const char *text;
        const char *says;
    } cases[] = {
        {"axiom: B(0,0.01,900)\n", "above 0"},
        {"axiom: B(0.1,-1,900)\n", "above 0"},
        {"axiom: B(0.1,0.01,0)\n", "above 0"},
        {"axiom: B(1e12,0.01,1)\n", "length"},
        {"axiom: " BODY "J(-1,0,0,0,0,0,0,0)" BODY "\n", "Young's modulus"},
        {"axiom: " BODY "J(1,0,0,0,0,0,0,-1)" BODY "\n", "damping"},
        {"axiom: " BODY "J(0,0,0,0,0,0,1,-1,1)" BODY "\n", "spring constants"},
        {"axiom: B(0,0,0.5,0,0,0.5,0,1,1,1)\n", "mass"},
        {"axiom: B(1,0,0.5,0,0,-0.5,0,1,1,1)\n", "no length"},
        {"axiom: B(1,0,0.5,0,0,0.5,0,1,0.1,0.1)\n", "sum of the other two"},
        {"axiom: B(1,0,0.5,0,0,0.5,0,-1,1,1)\n", "at least 0"},
        {"axiom: B(1,0,0.5,0,0,0.5,0,0.2,0.001,0.2)\n", "too small"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        OWNED(test_plant) p = test_grow(cases[i].text, NULL);
        CHECK_INT(p.status, TD_ERR_STRUCTURE);
        CHECK_HAS(p.diag.message, cases[i].says);
    }
}

// ---- short form -----------------------------------------------------------------------------

TD_TEST(plant_articulated_short_form_gives_cylinders_and_thesis_springs) {
    td_skeleton_opts opts = td_skeleton_opts_default();
    opts.springs = TD_SPRING_THESIS;
    OWNED(test_plant) p =
        test_grow("axiom: B(0.3,0.02,800) J(6e9,0,0,0,0,0,0,0.25) B(0.2,0.015,950)\n", &opts);
    CHECK_INT(p.status, TD_OK);
    const td_segment *s = td_skeleton_segments(p.skeleton);
    CHECK_REL(s[0].mass, 800 * TDI_PI * 0.02 * 0.02 * 0.3, 1e-14);
    CHECK_REL(s[1].mass, 950 * TDI_PI * 0.015 * 0.015 * 0.2, 1e-14);
    CHECK_REL(s[1].centre_of_mass.y, 0.1, 1e-14);
    CHECK_REL(s[1].second_moment.yy + s[1].second_moment.zz,
              s[1].mass * (0.015 * 0.015 / 4 + 0.2 * 0.2 / 3), 1e-13);
    CHECK_REL(s[1].attach.y, 0.3, 0);
    td_real sum = TDI_PI / 8 * (1.6e-7 + 5.0625e-8); // (I_p + I_c)/2
    CHECK_REL(s[1].stiffness.x, 6e9 * sum * 2 / 0.5, 1e-12);
    CHECK_REL(s[1].stiffness.y, 6e9 / 2.6 * 2 * sum * 2 / 0.5, 1e-12); // G = E/(2(1 + 0.3))
    CHECK_REL(s[1].damping.x, 0.25, 0);
    CHECK_REL(s[1].damping.y, 0.25, 0);
}

// intrinsic: first about R, then about the turned H, then about the twice turned U
TD_TEST(plant_articulated_angles_turn_about_r_then_h_then_u) {
    OWNED(test_plant) p =
        test_grow("axiom: " BODY "J(5e9,90,0,0,0,0,0,0)" BODY "\n", NULL); // Y falls to +Z
    CHECK_INT(p.status, TD_OK);
    td_vec3 y = tdi_quat_rotate(td_skeleton_segments(p.skeleton)[1].rest, tdi_vec3(0, 1, 0));
    CHECK_REL(tdi_norm(tdi_sub(y, tdi_vec3(0, 0, 1))), 0, 1e-15);
    test_plant_free(&p);

    p = test_grow("axiom: " BODY "J(5e9,90,90,0,0,0,0,0)" BODY "\n", NULL);
    CHECK_INT(p.status, TD_OK);
    // after R, H lies along +Z; turning about it by 90 degrees takes X to +Y
    td_vec3 x = tdi_quat_rotate(td_skeleton_segments(p.skeleton)[1].rest, tdi_vec3(1, 0, 0));
    CHECK_REL(tdi_norm(tdi_sub(x, tdi_vec3(0, 1, 0))), 0, 1e-15);
    test_plant_free(&p);

    p = test_grow("axiom: " BODY "J(5e9,0,90,90,0,0,0,0)" BODY "\n", NULL);
    CHECK_INT(p.status, TD_OK);
    // after H, U lies along +X; turning about it by 90 degrees takes H = +Y to +Z
    y = tdi_quat_rotate(td_skeleton_segments(p.skeleton)[1].rest, tdi_vec3(0, 1, 0));
    CHECK_REL(tdi_norm(tdi_sub(y, tdi_vec3(0, 0, 1))), 0, 1e-15);
}

// current angles are relative to the rest angles: they add up angle by angle
TD_TEST(plant_articulated_current_angles_add_to_the_rest_angles) {
    OWNED(test_plant) p = test_grow("axiom: " BODY "J(5e9,30,40,50,5,-10,15,0)" BODY "\n", NULL);
    OWNED(test_plant) q = test_grow("axiom: " BODY "J(5e9,35,30,65,0,0,0,0)" BODY "\n", NULL);
    CHECK_INT(p.status, TD_OK);
    CHECK_INT(q.status, TD_OK);
    td_quat a = td_skeleton_segments(p.skeleton)[1].initial;
    td_quat b = td_skeleton_segments(q.skeleton)[1].rest;
    CHECK_REL(a.w, b.w, 1e-15);
    CHECK_REL(a.x, b.x, 1e-15);
    CHECK_REL(a.y, b.y, 1e-14);
    CHECK_REL(a.z, b.z, 1e-15);
}

TD_TEST(plant_articulated_joint_without_modulus_has_no_spring) {
    OWNED(test_plant) p = test_grow("axiom: " BODY "J(0,0,0,90,0,0,0,0)" BODY "\n", NULL);
    CHECK_INT(p.status, TD_OK);
    CHECK_REL(td_skeleton_segments(p.skeleton)[1].stiffness.x, 0, 0);
}

// ---- general form ---------------------------------------------------------------------------

// a cylinder typed out in the general form is the cylinder of the short form
TD_TEST(plant_articulated_general_form_of_a_cylinder_equals_the_short_form) {
    td_real l = 0.2, r = 0.015, m = 950 * TDI_PI * r * r * l;
    char text[600];
    snprintf(text, sizeof text,
             "axiom: B(0.3,0.02,800) J(10,20,30,1,2,3,7,8,9)"
             "B(%.17g,0,%.17g,0,0,%.17g,0,%.17g,%.17g,%.17g)\n",
             m, l / 2, l / 2, m * (r * r / 4 + l * l / 3), m * r * r / 2,
             m * (r * r / 4 + l * l / 3));
    OWNED(test_plant) p = test_grow(text, NULL);
    CHECK_INT(p.status, TD_OK);
    const td_segment *s = td_skeleton_segments(p.skeleton) + 1;
    CHECK_REL(s->mass, m, 1e-15);
    CHECK_REL(s->length, l, 1e-15);
    CHECK_REL(s->tip.y, l, 1e-15);
    CHECK_REL(s->centre_of_mass.y, l / 2, 1e-14);
    CHECK_REL(s->radius_base, r, 1e-13);
    CHECK_REL(s->second_moment.xx, m * r * r / 4, 1e-12);
    CHECK_REL(s->second_moment.yy, m * l * l / 3, 1e-12);
    CHECK_REL(s->stiffness.x, 7, 0);
    CHECK_REL(s->stiffness.y, 8, 0);
    CHECK_REL(s->stiffness.z, 9, 0);
    CHECK_REL(s->damping.z, 9 * td_material_get(0).damping_time, 1e-15);
}

// a point on a massless rod has no inertia along it and no radius of its own
TD_TEST(plant_articulated_pendulum_bob_is_a_body) {
    OWNED(test_plant) p = test_grow("axiom: " BODY "J(0,0,90,0,0,0,0,0,0)"
                                    "B(2,0,0.5,0,0,0,0,0.5,0,0.5)\n",
                                    NULL);
    CHECK_INT(p.status, TD_OK);
    const td_segment *s = td_skeleton_segments(p.skeleton) + 1;
    CHECK_REL(s->second_moment.yy, 0.5, 1e-15);
    CHECK_REL(s->second_moment.xx, 0, 0);
    CHECK_REL(s->radius_base, 0.005, 1e-15);
}

// outboard joints that do not lie on the axis
TD_TEST(plant_articulated_outboard_joint_may_lie_anywhere) {
    OWNED(test_plant) p =
        test_grow("axiom: B(2,0,0.5,0,0.3,0.1,0.2,0.7,0.1,0.7)" JOINT BODY "\n", NULL);
    CHECK_INT(p.status, TD_OK);
    const td_segment *s = td_skeleton_segments(p.skeleton) + 1;
    CHECK_REL(s->attach.x, 0.3, 1e-15);
    CHECK_REL(s->attach.y, 0.6, 1e-15);
    CHECK_REL(s->attach.z, 0.2, 1e-15);
}

// ---- faults ---------------------------------------------------------------------------------

TD_TEST(plant_articulated_reading_leaks_nothing_when_any_allocation_fails) {
    OWNED(test_plant) p = test_derive("derivation length: 4\naxiom: " BODY "A\nA --> [" JOINT BODY
                                      "A][" JOINT BODY "A]\n");
    check_reading_without_memory(&p, 5);
}

// ten thousand branches inside each other
TD_TEST(plant_articulated_nesting_may_be_deep) {
    OWNED(test_plant) p =
        test_derive("derivation length: 15\naxiom: " BODY "A(14)B(14)\n"
                    "A(n) : n > 0 --> A(n - 1)A(n - 1)\nA(n) --> [" JOINT BODY "\n"
                    "B(n) : n > 0 --> B(n - 1)B(n - 1)\nB(n) --> ]\n");
    OWNED(td_skeleton) *skeleton = NULL;
    CHECK_INT(td_skeleton_from_string(p.grammar, &p.string, NULL, NULL, &skeleton, NULL), TD_OK);
    CHECK_INT(td_skeleton_count(skeleton), 1 + (1 << 14));
    CHECK_INT(td_skeleton_segments(skeleton)[1 << 14].parent, (1 << 14) - 1);
}
