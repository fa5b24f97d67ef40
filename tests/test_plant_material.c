// SPDX-License-Identifier: MIT
// The library of materials. Pairs with src/plant/material.c.

#include "td_test.h"

#include "math/vec3.h"

TD_TEST(plant_materials_start_with_green_wood_and_are_found_by_name) {
    CHECK_TEXT(td_material_get(0).name, "green-wood");
    for (int32_t i = 0; i < td_material_count(); i++) {
        CHECK_INT(td_material_find(td_material_get(i).name), i);
    }
    CHECK_INT(td_material_find("adamantium"), TD_NONE);
}

TD_TEST(plant_materials_are_physical_and_say_where_they_come_from) {
    for (int32_t i = 0; i < td_material_count(); i++) {
        td_material m = td_material_get(i);
        td_real ratio = m.young / td_material_shear(&m);
        CHECK(strlen(td_material_source(i)) > 20);
        CHECK_IN(m.density, 300, 1500);
        CHECK_IN(m.young, 1e7, 16e9);
        CHECK_IN(ratio, 2, 64); // none is stiffer in shear than an isotropic solid
        CHECK_IN(m.poisson, 0, 0.5);
        CHECK(m.color <= 0xffffff);
        // a lamina has a thickness, a stem has none
        bool lamina = m.organ == TD_ORGAN_LEAF || m.organ == TD_ORGAN_PETAL;
        CHECK(!lamina || (m.thickness > 5e-5 && m.thickness < 2e-3));
        CHECK(m.organ != TD_ORGAN_STEM || m.thickness == 0);
    }
}

// zeta = pi f t
TD_TEST(plant_wood_damps_a_sway_of_2_hz_by_three_to_five_percent) {
    const char *const woods[] = {"green-wood", "oak", "branch", "douglas-fir-branch",
                                 "willow-twig"};
    for (int i = 0; i < 5; i++) {
        td_material m = td_material_get(td_material_find(woods[i]));
        CHECK_IN(TDI_PI * 2 * m.damping_time, 0.03, 0.05);
    }
}

// round petioles have J = 2I, so EI/GJ is half of E/G
TD_TEST(plant_petioles_twist_as_easily_as_measured) {
    td_material dicot = td_material_get(td_material_find("petiole-dicot"));
    td_material monocot = td_material_get(td_material_find("petiole-monocot"));
    CHECK_IN(dicot.young / td_material_shear(&dicot) / 2, 11.5, 13.3);
    CHECK_IN(monocot.young / td_material_shear(&monocot) / 2, 24, 39);
    td_material straw = td_material_get(td_material_find("wheat-straw"));
    CHECK_IN(straw.young, 4.8e9, 6.6e9);
    CHECK_IN(td_material_shear(&straw), 0.27e9, 0.55e9);
}

TD_TEST(plant_shear_follows_from_poisson_only_when_it_is_not_given) {
    td_material m = td_material_get(0);
    m.young = 2.6e9;
    m.poisson = 0.3;
    m.shear = 0;
    CHECK_REL(td_material_shear(&m), 1e9, 1e-15);
    m.shear = 3e8;
    CHECK_REL(td_material_shear(&m), 3e8, 0);
}

TD_TEST(plant_organs_have_names) {
    CHECK_TEXT(td_organ_name(TD_ORGAN_STEM), "stem");
    CHECK_TEXT(td_organ_name(TD_ORGAN_FRUIT), "fruit");
    CHECK_TEXT(td_organ_name((td_organ)77), "unknown");
}

TD_TEST(misspelt_material_is_no_material_and_is_refused) {
    OWNED(td_builder) *builder = test_builder();
    td_diag diag = {.message = ""};
    int32_t index = 0;
    const td_material oak = td_material_get(td_material_find("oak"));
    const td_material oka = td_material_get(td_material_find("oka"));
    CHECK_TEXT(oak.name, "oak");
    CHECK_TEXT(oka.name, "");
    CHECK_TEXT(td_material_source(TD_NONE), "");
    CHECK_INT(td_material_find(NULL), TD_NONE);
    CHECK_INT(td_builder_add_material(builder, &oak, &index, &diag), TD_OK);
    CHECK_INT(td_builder_add_material(builder, &oka, &index, &diag), TD_ERR_ARGUMENT);
    CHECK_HAS(diag.message, "density");
}
