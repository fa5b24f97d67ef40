// SPDX-License-Identifier: MIT
// Materials and surfaces in a model's header. Pairs with src/plant/plant_header.c.

#include "test_plant_support.h"

// ---- one fault ------------------------------------------------------------------------------

// the header's only fault: its place and what the message says
static void check_fault(const char *text, int32_t line, int32_t column, const char *says) {
    OWNED(test_plant) p = test_derive(text);
    td_diag faults[4];
    td_diag_list list = {faults, 4, 0};
    CHECK_INT(td_plant_check(p.grammar, &list), TD_ERR_SYNTAX);
    CHECK_INT(list.count, 1);
    if (list.count > 0) {
        CHECK_INT(faults[0].line, line);
        CHECK_INT(faults[0].column, column);
        CHECK_HAS(faults[0].message, says);
    }
    // a skeleton is refused with the same words
    td_skeleton *skeleton = NULL;
    td_diag diag;
    td_status status = td_skeleton_from_string(p.grammar, &p.string, NULL, NULL, &skeleton, &diag);
    CHECK_INT(status, TD_ERR_SYNTAX);
    CHECK(skeleton == NULL);
    CHECK_TEXT(diag.message, list.count > 0 ? faults[0].message : "");
}

TD_TEST(plant_header_unknown_material_suggests_the_nearest) {
    check_fault("material: 1 okk\naxiom: F\n", 1, 11, "\"okk\"; the nearest is \"oak\"");
    check_fault("\n\nmaterial: 1 gren-wood\naxiom: F\n", 3, 11, "\"green-wood\"");
}

TD_TEST(plant_header_unknown_keys_suggest_the_nearest) {
    check_fault("material: 1 oak, yuong=5e9\naxiom: F\n", 1, 18,
                "\"yuong\"; the nearest is \"young\"");
    check_fault("\nsurface: L leaf, width=0.4, petls=3\naxiom: F\n", 2, 29, "\"petals\"");
    check_fault("surface: L leaf, materail=oak\naxiom: F\n", 1, 18, "\"material\"");
}

TD_TEST(plant_header_unknown_surface_kind_suggests_the_nearest) {
    check_fault("surface: L leav\naxiom: F\n", 1, 10, "the nearest is \"leaf\"");
}

TD_TEST(plant_header_values_out_of_range_are_refused) {
    check_fault("material: 1 oak, young=0\naxiom: F\n", 1, 18, "young is 0; expected above 0");
    check_fault("material: 1 oak, poisson=0.7\naxiom: F\n", 1, 18, "at most 0.5");
    check_fault("surface: L leaf, widest=1\naxiom: F\n", 1, 18, "widest is 1");
    check_fault("surface: L leaf, lobes=2.5\naxiom: F\n", 1, 18, "whole number");
    check_fault("surface: L flower, opening=190\naxiom: F\n", 1, 20, "at most 180");
    check_fault("surface: L leaf, width=wide\naxiom: F\n", 1, 18, "width is \"wide\"");
    check_fault("surface: L leaf, width=1, width=2\naxiom: F\n", 1, 27, "given twice");
    check_fault("surface: K flower, petals=0, centre=0\naxiom: F\n", 1, 10, "centre");
}

TD_TEST(plant_header_surface_needs_a_material_that_fits) {
    check_fault("surface: L leaf, material=oak\naxiom: F\n", 1, 10, "no thickness");
    check_fault("surface: L leaf, material=9\naxiom: F\n", 1, 18, "does not declare material 9");
    check_fault("surface: L leaf, material=laef\naxiom: F\n", 1, 18, "nearest is \"leaf\"");
}

TD_TEST(plant_header_numbers_and_names_are_given_once) {
    check_fault("material: 1 oak\nmaterial: 1 branch\naxiom: F\n", 2, 11,
                "already declared in line 1");
    check_fault("surface: L leaf\nsurface: M leaf\nsurface: L petal\naxiom: F\n", 3, 10,
                "surface L is already declared in line 1");
}

// ---- all faults -----------------------------------------------------------------------------

TD_TEST(plant_header_check_lists_all_faults_at_once) {
    OWNED(test_plant) p =
        test_derive("material: 1 okk, foo=1\nmaterial: 2 oak, density=-3\n"
                    "surface: L blob\nsurface: M leaf, curl=40, fould=1\naxiom: F\n");
    td_diag faults[2];
    td_diag_list list = {faults, 2, 0};
    CHECK_INT(td_plant_check(p.grammar, &list), TD_ERR_SYNTAX);
    CHECK_INT(list.count, 5); // more than there was room for
    CHECK_INT(td_plant_check(p.grammar, NULL), TD_ERR_SYNTAX);
}

TD_TEST(plant_header_without_faults_passes) {
    OWNED(test_plant) p =
        test_derive("material: 0 oak, young=5e9, shear=4e8, poisson=0.2, density=600,"
                    " damping=0.01, thickness=0.001, color=#112233\n"
                    "surface: L leaf\ncolor: 1 #ffffff\naxiom: F\n");
    CHECK_INT(td_plant_check(p.grammar, NULL), TD_OK);
}
