// SPDX-License-Identifier: MIT
// Turtle strings as plants. Pairs with src/plant/pieces.c, polygon_run.c, turtle_plant.c.

#include "test_plant_support.h"

#include "math/quat.h"
#include "plant/mass.h"

static void check_at(const char *what, int line, td_vec3 got, td_vec3 want) {
    test_check(tdi_norm(tdi_sub(got, want)) <= 1e-12, __FILE__, line,
               "%s = (%.15g, %.15g, %.15g), wanted (%g, %g, %g)", what, got.x, got.y, got.z, want.x,
               want.y, want.z);
}
#define CHECK_AT(got, x, y, z) check_at(#got, __LINE__, got, tdi_vec3(x, y, z))

// far end in the world, in the rest pose
static td_vec3 tip_of(const td_skeleton *skeleton, int32_t segment) {
    td_vec3 origins[64];
    td_quat rotations[64];
    td_skeleton_pose(skeleton, TD_POSE_REST, origins, rotations);
    const td_segment *s = &td_skeleton_segments(skeleton)[segment];
    return tdi_add(origins[segment], tdi_quat_rotate(rotations[segment], s->tip));
}

static td_vec3 origin_of(const td_skeleton *skeleton, int32_t segment) {
    td_vec3 origins[64];
    td_skeleton_pose(skeleton, TD_POSE_REST, origins, NULL);
    return origins[segment];
}

// ---- stems ----------------------------------------------------------------------------------

TD_TEST(plant_turtle_first_piece_is_clamped_into_the_ground) {
    OWNED(test_plant) p = test_grow_count("axiom: !(0.1)F(2)\n", 1);
    if (p.skeleton) {
        const td_segment *s = td_skeleton_segments(p.skeleton);
        CHECK_INT(s->parent, TD_NONE);
        CHECK_INT(s->joint, TD_JOINT_BALL);
        CHECK_REL(s->length, 2, 0);
        CHECK_REL(s->radius_base, 0.05, 1e-15);
        CHECK_REL(s->radius_tip, 0.05, 1e-15);
        CHECK_INT(s->color, td_material_get(0).color);
        td_real ei = td_material_get(0).young * TDI_PI / 4 * 0.05 * 0.05 * 0.05 * 0.05;
        CHECK_REL(s->stiffness.x, ei / 1, 1e-13);
        CHECK_AT(tip_of(p.skeleton, 0), 0, 2, 0);
    }
}

TD_TEST(plant_turtle_turns_become_rest_orientations) {
    OWNED(test_plant) p = test_grow_count("axiom: F(1)+(90)F(2)&(90)F(3)[-(90)F(1)]/(90)F(1)\n", 5);
    if (p.skeleton) {
        CHECK_AT(tip_of(p.skeleton, 0), 0, 1, 0);
        CHECK_AT(tip_of(p.skeleton, 1), -2, 1, 0);  // left is -X
        CHECK_AT(tip_of(p.skeleton, 2), -2, 1, -3); // down is -Z
        CHECK_AT(tip_of(p.skeleton, 3), -2, 2, -3); // right of it: +Y
        CHECK_AT(tip_of(p.skeleton, 4), -2, 1, -4);
        const td_segment *s = td_skeleton_segments(p.skeleton);
        CHECK_INT(s[3].parent, 2);
        CHECK_INT(s[4].parent, 2);
        CHECK_AT(s[1].attach, 0, 1, 0);
        // a yaw is a turn about Z only, a roll one about Y only
        CHECK_REL(fabs(s[1].rest.z), sqrt(0.5), 1e-14);
        CHECK_REL(fabs(s[4].rest.y), sqrt(0.5), 1e-14);
        CHECK_INT(memcmp(&s[4].rest, &s[4].initial, sizeof(td_quat)), 0);
    }
}

TD_TEST(plant_turtle_moves_without_drawing_keep_the_parent) {
    OWNED(test_plant) p = test_grow_count("axiom: F(1)f(0.5)+(90)f(1)F(1)\n", 2);
    if (p.skeleton) {
        const td_segment *s = td_skeleton_segments(p.skeleton);
        CHECK_INT(s[1].parent, 0);
        CHECK_AT(s[1].attach, -1, 1.5, 0);
        CHECK_AT(tip_of(p.skeleton, 1), -2, 1.5, 0);
    }
}

// two plants in one string
TD_TEST(plant_turtle_pieces_before_any_stem_stand_on_the_ground) {
    OWNED(test_plant) p = test_grow_count("axiom: [F][@M(3,0,0)F]\n", 2);
    if (p.skeleton) {
        CHECK_INT(td_skeleton_segments(p.skeleton)[1].parent, TD_NONE);
        CHECK_AT(origin_of(p.skeleton, 1), 3, 0, 0);
    }
}

TD_TEST(plant_turtle_units_scale_lengths_and_widths_apart) {
    OWNED(test_plant) p =
        test_grow_count("length unit: 0.01\nwidth unit: 0.001\naxiom: !(4)F(30)f(10)!(2)F(5)\n", 2);
    if (p.skeleton) {
        const td_segment *s = td_skeleton_segments(p.skeleton);
        CHECK_REL(s[0].length, 0.3, 1e-15);
        CHECK_REL(s[0].radius_base, 0.002, 1e-15);
        CHECK_REL(s[1].radius_tip, 0.001, 1e-15);
        CHECK_AT(s[1].attach, 0, 0.4, 0);
    }
}

TD_TEST(plant_turtle_stem_without_a_width_is_slender) {
    OWNED(test_plant) p = test_grow_count("axiom: F(2)!(0)F(1)\n", 2);
    if (p.skeleton) {
        CHECK_REL(td_skeleton_segments(p.skeleton)[0].radius_base, 0.04, 1e-15);
        CHECK_REL(td_skeleton_segments(p.skeleton)[1].radius_base, 0.02, 1e-15);
    }
}

TD_TEST(plant_turtle_generalised_cylinders_taper) {
    OWNED(test_plant) p = test_grow_count("axiom: !(0.2)@Gs F(1)!(0.1)@Gc F(1)!(0)@Ge\n", 2);
    if (p.skeleton) {
        const td_segment *s = td_skeleton_segments(p.skeleton);
        CHECK_REL(s[0].radius_base, 0.1, 1e-15);
        CHECK_REL(s[0].radius_tip, 0.05, 1e-15);
        CHECK_REL(s[1].radius_base, 0.05, 1e-15);
        CHECK_REL(s[1].radius_tip, 0, 0);
    }
}

TD_TEST(plant_turtle_materials_are_used_where_they_are_named) {
    OWNED(test_plant) p =
        test_grow_count("material: 0 oak\nmaterial: 7 herb-stem, young=2e8, damping=0.01,"
                        " color=#112233\naxiom: F@Mat(7)F[@Mat(0)F]F\n",
                        4);
    if (p.skeleton) {
        const td_segment *s = td_skeleton_segments(p.skeleton);
        const td_material *m = td_skeleton_materials(p.skeleton);
        CHECK_TEXT(m[s[0].material].name, "oak");
        CHECK_TEXT(m[s[1].material].name, "herb-stem");
        CHECK_REL(m[s[1].material].young, 2e8, 0);
        CHECK_REL(m[s[1].material].damping_time, 0.01, 0);
        CHECK_INT(s[1].color, 0x112233);
        CHECK_INT(s[2].material, s[0].material);
        CHECK_INT(s[3].material, s[1].material);
    }
}

TD_TEST(plant_turtle_colours_come_from_the_palette) {
    OWNED(test_plant) p = test_grow_count(
        "color: 3 #ff8000\ncolor: 1 #010203\nsurface: L leaf\nsurface: M leaf, color=#445566\n"
        "axiom: F;(3)F;(2)F;(1)~L(1)~M(1)\n",
        5);
    if (p.skeleton) {
        const td_segment *s = td_skeleton_segments(p.skeleton);
        CHECK_INT(s[0].color, td_material_get(0).color); // none set
        CHECK_INT(s[1].color, 0xff8000);
        CHECK_INT(s[2].color, td_material_get(0).color); // not in the palette
        CHECK_INT(s[3].color, 0x010203);
        CHECK_INT(s[4].color, 0x445566); // a colour of its own wins
    }
}

// ---- organs ---------------------------------------------------------------------------------

TD_TEST(plant_turtle_surfaces_become_organs_with_their_keys) {
    OWNED(test_plant) p = test_grow_count(
        "length unit: 0.01\n"
        "surface: L leaf, width=0.3, widest=0.6, taper=2, fold=45, curl=90, wave=0.1, lobes=3,"
        " lobe_depth=0.5, stalk=0.5, stalk_radius=0.02, material=grass-blade\n"
        "surface: K flower, petals=8, whorls=2, opening=60, centre=0.3, centre_color=#fedcba\n"
        "surface: R fruit, width=0.7\nsurface: P petal\n"
        "axiom: F(10)[+(90)~L(5)]~K(3)~R(2)~P(1)\n",
        5);
    if (p.skeleton) {
        const td_segment *s = td_skeleton_segments(p.skeleton);
        const td_shape *l = &td_skeleton_shapes(p.skeleton)[s[1].shape];
        const td_shape *k = &td_skeleton_shapes(p.skeleton)[s[2].shape];
        CHECK_INT(s[1].organ, TD_ORGAN_LEAF);
        CHECK_INT(s[1].parent, 0);
        CHECK_REL(s[1].length, 0.05, 1e-15);
        CHECK_REL(l->width, 0.3, 0);
        CHECK_REL(l->widest, 0.6, 0);
        CHECK_REL(l->taper, 2, 0);
        CHECK_REL(l->fold, TDI_PI / 4, 1e-15);
        CHECK_REL(l->curl, TDI_PI / 2, 1e-15);
        CHECK_REL(l->wave, 0.1, 0);
        CHECK_INT(l->lobes, 3);
        CHECK_REL(l->lobe_depth, 0.5, 0);
        CHECK_REL(l->stalk, 0.5, 0);
        CHECK_REL(l->stalk_radius, 0.02, 0);
        CHECK_TEXT(td_skeleton_materials(p.skeleton)[s[1].material].name, "grass-blade");
        CHECK_AT(tip_of(p.skeleton, 1), -0.075, 0.1, 0); // stalk and blade
        CHECK_INT(s[2].organ, TD_ORGAN_FLOWER);
        CHECK_INT(k->kind, TD_SHAPE_FLOWER);
        CHECK_INT(k->petals, 8);
        CHECK_INT(k->whorls, 2);
        CHECK_REL(k->opening, TDI_PI / 3, 1e-15);
        CHECK_REL(k->centre, 0.3, 0);
        CHECK_INT(k->centre_color, 0xfedcba);
        CHECK_INT(s[3].organ, TD_ORGAN_FRUIT);
        CHECK_INT(td_skeleton_shapes(p.skeleton)[s[3].shape].kind, TD_SHAPE_BALL);
        CHECK_INT(s[4].organ, TD_ORGAN_PETAL);
        CHECK_REL(s[4].length, 0.01, 1e-15);
    }
}

TD_TEST(plant_turtle_surface_takes_a_material_of_the_text_by_number) {
    OWNED(test_plant) p =
        test_grow_count("material: 4 leaf, thickness=0.0005\n"
                        "surface: L leaf, material=4\nsurface: M leaf\naxiom: ~L(1)~M(1)\n",
                        2);
    if (p.skeleton) {
        const td_segment *s = td_skeleton_segments(p.skeleton);
        CHECK_REL(s[0].mass, 2 * s[1].mass, 1e-14); // twice as thick
    }
}

// cpfg draws a ball around the turtle
TD_TEST(plant_turtle_ball_has_its_centre_at_the_turtle) {
    OWNED(test_plant) p = test_grow_count("axiom: F(1)+(90)@O(0.4)\n", 2);
    if (p.skeleton) {
        const td_segment *s = td_skeleton_segments(p.skeleton);
        td_vec3 origins[2];
        td_quat rotations[2];
        td_skeleton_pose(p.skeleton, TD_POSE_REST, origins, rotations);
        td_vec3 centre = tdi_add(origins[1], tdi_quat_rotate(rotations[1], s[1].centre_of_mass));
        CHECK_AT(centre, 0, 1, 0);
        CHECK_INT(s[1].organ, TD_ORGAN_FRUIT);
        CHECK_REL(s[1].mass, 950 * TDI_PI / 6 * 0.4 * 0.4 * 0.4, 1e-13);
    }
}

TD_TEST(plant_turtle_disc_is_a_lamina_about_the_turtle) {
    OWNED(test_plant) p =
        test_grow_count("material: 2 petal\naxiom: F(1)@o(0.4)@Mat(2)@c(0.2)\n", 3);
    if (p.skeleton) {
        const td_segment *s = td_skeleton_segments(p.skeleton);
        CHECK_INT(s[1].organ, TD_ORGAN_LEAF);
        CHECK_INT(s[2].organ, TD_ORGAN_PETAL);
        CHECK_REL(s[1].area, TDI_PI * 0.04, 1e-14);
        CHECK_AT(s[1].centre_of_mass, 0, 0, 0);
    }
}

// ---- polygons -------------------------------------------------------------------------------

// a square leaf, traced with f
#define SQUARE "{.f(1)+(90)f(1)+(90)f(1)}"

TD_TEST(plant_turtle_polygon_becomes_a_leaf_at_the_opening_brace) {
    OWNED(test_plant) p = test_grow_count("length unit: 0.1\naxiom: F(2)[-(90)" SQUARE "]\n", 2);
    if (p.skeleton) {
        const td_segment *s = td_skeleton_segments(p.skeleton) + 1;
        td_material leaf = td_material_get(td_material_find("leaf"));
        CHECK_INT(s->organ, TD_ORGAN_LEAF);
        CHECK_INT(s->parent, 0);
        CHECK_AT(s->attach, 0, 0.2, 0);
        CHECK_REL(s->area, 0.01, 1e-13);
        CHECK_REL(s->mass, 0.01 * leaf.thickness * leaf.density, 1e-13);
        CHECK_REL(s->length, 0.1 * sqrt(2), 1e-13); // to the far corner
        const td_shape *shape = &td_skeleton_shapes(p.skeleton)[s->shape];
        CHECK_INT(shape->kind, TD_SHAPE_POLYGON);
        CHECK_INT(shape->polygon_count, 1);
        const td_polygon *polygon = &td_skeleton_polygons(p.skeleton)[shape->polygon_first];
        CHECK_INT(polygon->point_count, 4);
        // in its own axes: along +Y first
        CHECK_AT(td_skeleton_points(p.skeleton)[polygon->point_first + 1], 0, 0.1, 0);
        CHECK_AT(td_skeleton_points(p.skeleton)[polygon->point_first + 2], -0.1, 0.1, 0);
        CHECK_AT(tip_of(p.skeleton, 1), 0.1, 0.3, 0); // 0.1 along +X, 0.1 to its left
    }
}

TD_TEST(plant_turtle_polygons_that_share_an_edge_are_one_organ) {
    // two squares side by side, then one that touches the first in a corner only
    OWNED(test_plant) p =
        test_grow_count("axiom: F[" SQUARE "][-(90)" SQUARE "][|" SQUARE "]\n", 2);
    if (p.skeleton) {
        const td_segment *s = td_skeleton_segments(p.skeleton) + 1;
        CHECK_INT(td_skeleton_shapes(p.skeleton)[s->shape].polygon_count, 3);
        CHECK_REL(s->area, 3, 1e-13);
    }
    test_plant_free(&p);
    p = test_grow_count("axiom: F[" SQUARE "][|" SQUARE "]\n", 3); // opposite corners
}

// another stem between them, another material, or another parent: no joining
TD_TEST(plant_turtle_polygons_of_different_stems_or_materials_stay_apart) {
    OWNED(test_plant) p =
        test_grow_count("axiom: F[" SQUARE "]F(0.1)f(-0.1)[-(90)" SQUARE "]\n", 4);
    test_plant_free(&p);
    p = test_grow_count("material: 1 petal\naxiom: F[" SQUARE "][@Mat(1)-(90)" SQUARE "]\n", 3);
    if (p.skeleton) {
        CHECK_INT(td_skeleton_segments(p.skeleton)[1].organ, TD_ORGAN_LEAF);
        CHECK_INT(td_skeleton_segments(p.skeleton)[2].organ, TD_ORGAN_PETAL);
    }
}

// ABOP's cordate leaf: each half is a fan of triangles, and the halves meet along the midrib
TD_TEST(plant_turtle_cordate_leaf_of_two_halves_is_one_organ) {
    OWNED(test_plant) p = test_grow_count("derivation length: 8\nangle increment: 16\n"
                                          "axiom: F[A][B]\nA --> [+A{.].C.}\nB --> [-B{.].C.}\n"
                                          "C --> G(0.2)C\n",
                                          2);
    if (p.skeleton) {
        const td_segment *s = td_skeleton_segments(p.skeleton) + 1;
        CHECK(td_skeleton_shapes(p.skeleton)[s->shape].polygon_count > 6);
        td_quat rotations[2];
        td_skeleton_pose(p.skeleton, TD_POSE_REST, NULL, rotations);
        td_vec3 centre = tdi_quat_rotate(rotations[1], s->centre_of_mass);
        CHECK_REL(centre.x, 0, 1e-12); // symmetric
        CHECK_AT(s->attach, 0, 1, 0);  // held where the fans have their hub
    }
}

TD_TEST(plant_turtle_polygons_without_area_are_dropped) {
    OWNED(test_plant) p = test_grow_count("axiom: F{.f(1).f(1).f(1).}{.f(1)|f(1)}\n", 1);
    CHECK_INT(p.status, TD_OK);
}

// more polygons than a run holds, all on one stem: the cut may split none that stand alone
TD_TEST(plant_turtle_takes_many_polygons_on_one_stem) {
    OWNED(test_plant) p =
        test_grow("derivation length: 15\naxiom: FA(14)\n"
                  "A(n) : n > 0 --> A(n - 1)A(n - 1)\nA(n) --> [" SQUARE "]f(3)\n",
                  NULL);
    CHECK_INT(p.status, TD_OK);
    if (p.skeleton) {
        CHECK_INT(td_skeleton_count(p.skeleton), 1 + (1 << 14));
    }
}

// ---- pipe model -----------------------------------------------------------------------------

TD_TEST(plant_pipe_model_conserves_the_cross_section_at_every_fork) {
    const char *const texts[] = {
        "pipe model: 0.01\nwidth unit: 0.5\nsurface: L leaf\nderivation length: 5\naxiom: FA\n"
        "A --> F[+F A~L(1)][-F A]F[&A]F A\n",
        "pipe model: 0.01, 2.5\nwidth unit: 0.5\nsurface: L leaf\nderivation length: 5\naxiom: FA\n"
        "A --> F[+F A~L(1)][-F A]F[&A]F A\n"};
    const td_real exponent[] = {2, 2.5};
    for (int t = 0; t < 2; t++) {
        OWNED(test_plant) p = test_grow(texts[t], NULL);
        CHECK_INT(p.status, TD_OK);
        int32_t n = p.skeleton ? td_skeleton_count(p.skeleton) : 0;
        const td_segment *s = p.skeleton ? td_skeleton_segments(p.skeleton) : NULL;
        CHECK(n > 500);
        for (int32_t i = 0; i < n; i++) {
            if (s[i].organ != TD_ORGAN_STEM) {
                continue;
            }
            td_real sum = 0;
            for (int32_t k = i + 1; k < n; k++) {
                if (s[k].parent == i && s[k].organ == TD_ORGAN_STEM) {
                    sum += pow(s[k].radius_base, exponent[t]);
                }
            }
            td_real want = sum > 0 ? sum : pow(0.0025, exponent[t]);
            CHECK_REL(pow(s[i].radius_base, exponent[t]), want, 1e-12);
            CHECK_REL(s[i].radius_tip, s[i].radius_base, 0);
            td_real mass = 700 * TDI_PI * s[i].radius_base * s[i].radius_base * s[i].length;
            CHECK_REL(s[i].mass, mass, 1e-12); // computed after the radii
        }
    }
}

// ---- faults ---------------------------------------------------------------------------------

TD_TEST(plant_turtle_pieces_out_of_range_are_refused_with_their_module) {
    OWNED(test_plant) p = test_grow("axiom: F f(1e12)F\n", NULL);
    CHECK_INT(p.status, TD_ERR_STRUCTURE);
    CHECK_INT(p.diag.index, 2);
    CHECK_HAS(p.diag.message, "module 2");
    test_plant_free(&p);
    p = test_grow("axiom: F{.f(1e12)+(90)f(1)}\n", NULL);
    CHECK_INT(p.status, TD_ERR_STRUCTURE);
    test_plant_free(&p);
    p = test_grow("length unit: 1e-6\nwidth unit: 1e12\naxiom: !(1)F\n", NULL);
    CHECK_INT(p.status, TD_ERR_STRUCTURE);
    CHECK_HAS(p.diag.message, "module 1: radius_base");
}

TD_TEST(plant_turtle_string_without_a_body_is_an_empty_skeleton) {
    OWNED(test_plant) p = test_grow_count("axiom: A+B\n", 0);
    CHECK_INT(p.status, TD_OK);
}

TD_TEST(plant_turtle_stops_at_max_segments) {
    td_skeleton_opts opts = td_skeleton_opts_default();
    opts.max_segments = 100;
    OWNED(test_plant) p = test_grow("derivation length: 10\naxiom: F\nF --> FF\n", &opts);
    CHECK_INT(p.status, TD_ERR_LIMIT);
    CHECK(p.skeleton == NULL);
}

TD_TEST(plant_turtle_reading_leaks_nothing_when_any_allocation_fails) {
    OWNED(test_plant) p =
        test_derive("pipe model: 0.01\nmaterial: 1 petal\nsurface: L leaf\ncolor: 1 #123456\n"
                    "derivation length: 3\naxiom: A\n"
                    "A --> F;(1)[+A~L(1)][-A" SQUARE "[-(90)" SQUARE "]]@O(1)[@Mat(1)@o(1)]\n");
    check_reading_without_memory(&p, 20);
}

// ---- in one call ----------------------------------------------------------------------------

TD_TEST(plant_text_becomes_a_skeleton_in_one_call) {
    static const char text[] = "derivation length: 3\naxiom: A\nA --> F[+F]A\n";
    OWNED(td_skeleton) *skeleton = NULL;
    CHECK_INT(td_skeleton_from_text(text, strlen(text), NULL, &skeleton, NULL), TD_OK);
    CHECK_INT(td_skeleton_count(skeleton), 6);
}

TD_TEST(plant_text_with_a_fault_gives_its_place) {
    static const char bad[] = "axiom: A\nA --> F(\n", zero[] = "derivation length: 1\naxiom: A(0)\n"
                                                               "A(x) --> F(1/x)\n";
    td_skeleton *skeleton = NULL;
    td_diag diag;
    CHECK_INT(td_skeleton_from_text(bad, strlen(bad), NULL, &skeleton, &diag), TD_ERR_SYNTAX);
    CHECK_INT(diag.line, 2);
    CHECK(skeleton == NULL);
    CHECK_INT(td_skeleton_from_text(zero, strlen(zero), NULL, &skeleton, &diag), TD_ERR_EVAL);
    CHECK_INT(diag.line, 3);
}
