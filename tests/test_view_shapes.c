// SPDX-License-Identifier: MIT
// Surfaces, contours, curves, colours and tropisms of cpfg's files. Pairs with src/cpfg and
// src/grammar/view.c.

#include "test_view_support.h"

#define COUNT(files) ((int32_t)(sizeof(files) / sizeof((files)[0])))

// A flat square patch of side 10 in the plane of left and heading, whose contact point is the
// middle of its lower side; it ends at its upper left corner.
#define HEAD                                                       \
    "0 10 0 10 0 0\n"                                              \
    "CONTACT POINT  X: 5 Y: 0 Z: 0\nEND POINT  X: 10 Y: 10 Z: 0\n" \
    "HEADING  X: 0 Y: 1 Z: 0\nUP  X: 0 Y: 0 Z: 1\nSIZE: 10\n"
#define PATCH                                                                 \
    "one\nTOP COLOR: 0 DIFFUSE: 0.0 BOTTOM COLOR: 0 DIFFUSE: 0.0\n"           \
    "AL: ~ A: ~ AR: ~\nL: ~ R: ~\nBL: ~ B: ~ BR: ~\n"                         \
    "0 0 0  3.333333 0 0  6.666667 0 0  10 0 0\n"                             \
    "0 3.333333 0  3.333333 3.333333 0  6.666667 3.333333 0  10 3.333333 0\n" \
    "0 6.666667 0  3.333333 6.666667 0  6.666667 6.666667 0  10 6.666667 0\n" \
    "0 10 0  3.333333 10 0  6.666667 10 0  10 10 0\n"

static td_skeleton *skeleton_of(const test_model *m) {
    td_skeleton *skeleton = NULL;
    td_diag diag = {.message = ""};
    if (m->status == TD_OK) {
        td_string string = td_derivation_string(m->derivation);
        td_status status =
            td_skeleton_from_string(m->grammar, &string, NULL, NULL, &skeleton, &diag);
        CHECK_SAY(status == TD_OK, "%s", diag.message);
    } else {
        test_failed(__FILE__, __LINE__, "%s", m->faults[0].message);
    }
    return skeleton;
}

// ---- surfaces -------------------------------------------------------------------------------

// the square of 10 becomes one of side 2, so its area is 4
TD_TEST(surface_of_a_file_has_the_size_of_the_view_file) {
    const test_file files[] = {{"plant.v", "surface: l leaf.s 2\n", 0}, {"leaf.s", HEAD PATCH, 0}};
    OWNED(test_model) m = test_model_with("axiom: F(1)~l(1)\n", files, COUNT(files), NULL, 0);
    OWNED(td_skeleton) *s = skeleton_of(&m);
    if (s && td_skeleton_count(s) == 2) {
        const td_segment *leaf = &td_skeleton_segments(s)[1];
        CHECK_REL(leaf->area, 4, 1e-9);
        CHECK_VEC(leaf->attach, 0, 1, 0, 1e-12);
        CHECK_VEC(leaf->centre_of_mass, 0, 1, 0, 1e-6);
        CHECK_INT(td_skeleton_shapes(s)[leaf->shape].kind, TD_SHAPE_PATCHES);
    }
    CHECK_INT(s ? td_skeleton_count(s) : 0, 2);
}

// across 0.5, along 3: 1 by 6
TD_TEST(surface_is_scaled_across_along_and_up) {
    const test_file files[] = {{"plant.v", "surface: l leaf.s 2\n", 0}, {"leaf.s", HEAD PATCH, 0}};
    OWNED(test_model) m =
        test_model_with("axiom: F(1)~l(0.5,3,1)~l(0.5,3,1)~l\n", files, COUNT(files), NULL, 0);
    OWNED(td_skeleton) *s = skeleton_of(&m);
    if (s && td_skeleton_count(s) == 4) {
        const td_segment *segments = td_skeleton_segments(s);
        CHECK_REL(segments[1].area, 6, 1e-9);
        CHECK_REL(segments[1].centre_of_mass.y, 3, 1e-6);
        CHECK_REL(segments[3].area, 4, 1e-9);
        // equal proportions share a shape, all share their patches
        CHECK_INT(segments[1].shape, segments[2].shape);
        CHECK_INT(td_skeleton_shape_count(s), 2);
        CHECK_INT(td_skeleton_shapes(s)[0].polygon_first, td_skeleton_shapes(s)[1].polygon_first);
        td_totals totals;
        td_string string = td_derivation_string(m.derivation);
        CHECK_INT(td_totals_from_string(m.grammar, &string, NULL, NULL, &totals, NULL), TD_OK);
        td_real mass = 0;
        for (int32_t i = 0; i < 4; i++) {
            mass += segments[i].mass;
        }
        CHECK_REL(totals.mass, mass, 1e-12);
    }
    CHECK_INT(s ? td_skeleton_count(s) : 0, 4);
}

// the end point (10, 10) lies 5 to the left of the contact point and 10 ahead; size 2 over 10
TD_TEST(turtle_goes_on_from_the_end_point_of_a_surface) {
    const test_file files[] = {{"plant.v", "surface: l leaf.s 2\n", 0}, {"leaf.s", HEAD PATCH, 0}};
    OWNED(test_model) m = test_model_with("axiom: ~l(3)?P(0,0,0)\n", files, COUNT(files), NULL, 0);
    td_vec3 place = {test_param(&m, -3), test_param(&m, -2), test_param(&m, -1)};
    CHECK_VEC(place, -3, 6, 0, 1e-5);
}

TD_TEST(surface_becomes_a_mesh_with_texture_coordinates) {
    const test_file files[] = {{"plant.v", "surface: l leaf.s 2\n", 0},
                               {"leaf.s", HEAD PATCH PATCH, 0}};
    OWNED(test_model) m = test_model_with("axiom: F(1)~l(1)\n", files, COUNT(files), NULL, 0);
    OWNED(td_skeleton) *s = skeleton_of(&m);
    OWNED(td_mesh) *mesh = NULL;
    td_mesh_opts opts = td_mesh_opts_default();
    CHECK_INT(td_mesh_new(s, &opts, NULL, &mesh, NULL), TD_OK);
    OWNED(td_bytes) glb = {0};
    CHECK_INT(td_mesh_glb(mesh, "leaf", NULL, &glb), TD_OK);
    CHECK(glb.size > 1000);
}

TD_TEST(surface_of_the_header_takes_the_place_of_one_of_the_view_file) {
    const test_file files[] = {{"plant.v", "surface: l leaf.s 2\nsurface: p leaf.s 1\n", 0},
                               {"leaf.s", HEAD PATCH, 0}};
    OWNED(test_model) m =
        test_model_with("surface: l fruit, width=1, stalk=0\naxiom: F(1)~l(1)~p(1)\n", files,
                        COUNT(files), NULL, 0);
    OWNED(td_skeleton) *s = skeleton_of(&m);
    if (s && td_skeleton_count(s) == 3) {
        CHECK_INT(td_skeleton_segments(s)[1].organ, TD_ORGAN_FRUIT);
        CHECK_INT(td_skeleton_segments(s)[2].organ, TD_ORGAN_LEAF);
    }
    CHECK_INT(s ? td_skeleton_count(s) : 0, 3);
}

// ---- patches in the text --------------------------------------------------------------------

// rows of a flat square of side 2 whose lower side starts at x = -1
#define ROW(y) \
    " (-1," y ",0) (-0.3333333333333333," y ",0) (0.3333333333333333," y ",0) (1," y ",0)\n"
#define SQUARE ROW("0") ROW("0.6666666666666666") ROW("1.3333333333333333") ROW("2")

TD_TEST(surface_in_the_header_is_that_of_a_file) {
    const char *lines[] = {"", "surface: l patch\n" SQUARE};
    const test_file files[] = {{"plant.v", "surface: l leaf.s 2\n", 0}, {"leaf.s", HEAD PATCH, 0}};
    for (int32_t i = 0; i < 2; i++) {
        char text[1024];
        snprintf(text, sizeof text, "%saxiom: F(1)~l(3)\n", lines[i]);
        OWNED(test_model) m = test_model_with(text, files, COUNT(files), NULL, 0);
        OWNED(td_skeleton) *s = skeleton_of(&m);
        if (s && td_skeleton_count(s) == 2) {
            const td_segment *leaf = &td_skeleton_segments(s)[1];
            CHECK_REL(leaf->area, 36, 1e-6);
            CHECK_VEC(leaf->centre_of_mass, 0, 3, 0, 1e-5);
        }
        CHECK_INT(s ? td_skeleton_count(s) : 0, 2);
    }
}

TD_TEST(patches_in_the_header_are_checked) {
    const test_fault rows[] = {
        {"surface: l patch (0,0,0) (1,0,0)\naxiom: F~l(1)\n", TD_ERR_SYNTAX, 1, 17,
         "the patches have 2 control points; expected 16 for each"},
        {"surface: l patch\naxiom: F~l(1)\n", TD_ERR_SYNTAX, 1, 17, "have 0 control points"},
        {"surface: l patch (0,0)\naxiom: F~l(1)\n", TD_ERR_SYNTAX, 1, 22, "expected ','"},
    };
    CHECK_FAULTS(rows, 0);
}

// The turtle walks to the control points of a square: row i starts at height i, and in a row it
// goes to the right by 1. Bezier: the square of side 3. B-spline: its middle, of side 1, which with
// even points is the same from Catmull-Rom.
TD_TEST(patch_drawn_by_the_turtle_has_its_control_points) {
    const td_real areas[] = {9, 1, 1}, middle = 1.5;
    for (int32_t basis = 1; basis <= 3; basis++) {
        char text[512];
        snprintf(text, sizeof text,
                 "axiom: F(1)@PS(7,%d)R(0)R(1)R(2)R(3)@PD(7)\nhomomorphism\n"
                 "R(i) --> [-(90)@PC(7,i,0)f(1)@PC(7,i,1)f(1)@PC(7,i,2)f(1)@PC(7,i,3)]f(1)\n",
                 basis);
        OWNED(test_model) m = test_model_good(text, 0);
        OWNED(td_skeleton) *s = skeleton_of(&m);
        if (s && td_skeleton_count(s) == 2) {
            const td_segment *leaf = &td_skeleton_segments(s)[1];
            CHECK_REL(leaf->area, areas[basis - 1], 1e-9);
            CHECK_VEC(leaf->centre_of_mass, middle, middle, 0, 1e-9);
            CHECK_VEC(leaf->attach, 0, 1, 0, 1e-12);
            CHECK_INT(td_skeleton_shapes(s)[leaf->shape].kind, TD_SHAPE_PATCHES);
            td_totals totals;
            td_string string = td_derivation_string(m.derivation);
            CHECK_INT(td_totals_from_string(m.grammar, &string, NULL, NULL, &totals, NULL), TD_OK);
            CHECK_REL(totals.mass, leaf->mass + td_skeleton_segments(s)[0].mass, 1e-12);
        }
        CHECK_INT(s ? td_skeleton_count(s) : 0, 2);
    }
}

TD_TEST(patch_of_the_turtle_that_is_not_whole_is_refused_but_in_models_of_cpfg) {
    const test_file files[] = {{"plant.v", "angle factor: 4\n", 0}};
    const struct {
        const char *text, *message;
    } rows[] = {
        {"axiom: F(1)@PC(1,0,0)@PD(1)\n", "patch 1 has no control point in row 0 and column 1"},
        {"axiom: F(1)@PC(1,4,0)\n", "in row 4 and column 0; expected 0 to 3"},
    };
    for (int32_t i = 0; i < 2; i++) {
        td_diag diag = {.message = ""};
        td_skeleton *skeleton = NULL;
        OWNED(test_model) m = test_model_good(rows[i].text, 0);
        td_string string = td_derivation_string(m.derivation);
        CHECK_INT(td_skeleton_from_string(m.grammar, &string, NULL, NULL, &skeleton, &diag),
                  TD_ERR_STRUCTURE);
        CHECK_HAS(diag.message, rows[i].message);
    }
    OWNED(test_model) m = test_model_with(rows[0].text, files, COUNT(files), NULL, 0);
    OWNED(td_skeleton) *s = skeleton_of(&m);
    CHECK_INT(s ? td_skeleton_count(s) : 0, 1);
}

TD_TEST(surface_that_is_missing_is_told_and_draws_nothing) {
    const test_file files[] = {{"plant.v", "angle factor: 4\nsurface: l leaf.s 2\n", 0}};
    OWNED(test_model) m = test_model_with("axiom: F(1)~l(1)F(1)\n", files, COUNT(files), NULL, 0);
    CHECK_INT(m.status, TD_OK);
    CHECK_INT(m.warning_count, 2);
    CHECK_HAS(m.faults[0].message, "cannot read the file 'leaf.s'");
    CHECK_HAS(m.faults[1].message, "surface ~l is not declared, so nothing is drawn");
    OWNED(td_skeleton) *s = skeleton_of(&m);
    CHECK_INT(s ? td_skeleton_count(s) : 0, 2);
}

// ---- faults of data files -------------------------------------------------------------------

typedef struct data_fault {
    const char *view, *text, *message;
    int32_t line, column;
} data_fault;

static void check_faults(const data_fault *rows, int32_t count) {
    for (int32_t i = 0; i < count; i++) {
        const test_file files[] = {{"plant.v", rows[i].view, 0}, {"data", rows[i].text, 0}};
        OWNED(test_model) m = test_model_with("axiom: F", files, COUNT(files), NULL, 0);
        const td_diag *d = &m.faults[0];
        CHECK_SAY(m.status == TD_ERR_SYNTAX && strstr(d->message, rows[i].message) &&
                      strcmp(d->file, "data") == 0 && d->line == rows[i].line &&
                      d->column == rows[i].column,
                  "got %d, %s:%d:%d: %s; wanted %d:%d: %s", m.status, d->file, d->line, d->column,
                  d->message, rows[i].line, rows[i].column, rows[i].message);
    }
}

TD_TEST(surface_faults_are_told_in_their_place) {
    static const data_fault rows[] = {
        {"surface: l data 1\n", "", "expected a number", 1, 1},
        {"surface: l data 1\n", "0 1 0 1 0 1\nCONTACT X: 1\n", "expected 'POINT'", 2, 9},
        {"surface: l data 1\n",
         "0 1 0 1 0 1\nCONTACT POINT X: 0 Y: 0 Z: 0 END POINT X: 0 Y: 0 Z: 0\n"
         "HEADING X: 0 Y: 1 Z: 0 UP X: 0 Y: 1 Z: 0 SIZE: 1\n",
         "the heading and the up vector have the same direction", 2, 54},
        {"surface: l data 1\n",
         "0 1 0 1 0 1\nCONTACT POINT X: 0 Y: 0 Z: 0 END POINT X: 0 Y: 0 Z: 0\n"
         "HEADING X: 0 Y: 1 Z: 0 UP X: 0 Y: 0 Z: 1 SIZE: 0\n",
         "the size is 0; expected a number above 0", 3, 47},
        {"surface: l data 1\n", HEAD, "the surface has no patch with an extent", 7, 1},
        {"surface: l data 1\n", HEAD "one\nTOP COLOR: x\n", "expected a number", 8, 12},
        {"surface: l data 1\n",
         HEAD "one\nTOP COLOR: 0 DIFFUSE: 0 BOTTOM COLOR: 0 DIFFUSE: 0\nAL: ~ B: ~\n",
         "expected 'A:'", 9, 7},
        {"surface: l data 1\n",
         HEAD "one\nTOP COLOR: 0 DIFFUSE: 0 BOTTOM COLOR: 0 DIFFUSE: 0\n"
              "AL: ~ A: ~ AR: ~ L: ~ R: ~ BL: ~ B: ~ BR: ~\n0 0 x\n",
         "expected a number", 10, 5},
        {"surface: l data 1\n", "0 1 0 1 0 1\nPRECISION S: 0 T: 1\n", "the precision is 0", 2, 14},
        {"surface: l data 1\n", "0 1 0 1 0 1\nPRECISION S: 4 T: 5\nX\n", "expected 'CONTACT'", 3,
         1},
        {"surface: l data 1\n",
         "0 1 0 1 0 1\nCONTACT POINT X: 0 Y: 0 Z: 0 END POINT X: 0 Y: 0 Z: 0\nX\n",
         "expected 'HEADING'", 3, 1},
    };
    check_faults(rows, COUNT(rows));
}

TD_TEST(curve_faults_are_told_in_their_place) {
    static const data_fault rows[] = {
        {"contour: 1 data\n", "", "this is no curve; expected 'cver' or 'version:'", 1, 1},
        {"contour: 1 data\n", "cver 1 3\nname: x\n", "expected 'points:', 'type:'", 3, 1},
        {"contour: 1 data\n", "cver 1 3\npoints: 4 4\ntype: xx\n",
         "the type of the curve is 'xx'; expected open or closed", 3, 6},
        {"curve: data\n", "cver 1 3\npoints: 2 2\ntype: or\n0 0 0 1\n1 0 0 1\n",
         "the curve has 2 control points; expected at least 4", 5, 8},
        {"curve: data\n", "cver 1 3\npoints: 1 4\ntype: or\n0 0 0 4\n", "the curve has no length",
         4, 8},
        {"curve: data\n", "cver 1 3\npoints: x\n", "expected a number", 2, 9},
        {"curve: data\n", "cver 1 3\npoints: 4 4\ntype: or\n0 0 x\n", "expected a number", 4, 5},
        {"curve: data\n", "cver 1 3\npoints: 4 4\ntype: or\n0 0 0 x\n", "expected a number", 4, 7},
    };
    check_faults(rows, COUNT(rows));
}

// ---- curves and contours --------------------------------------------------------------------

// Points on a straight line, the ends threefold: the line from (0, 1) to (3, 5), of length 5. The
// model's numbers are those of cpfg, in single precision.
TD_TEST(curve_is_measured_by_its_length) {
    const test_file files[] = {{"plant.v", "curve: line.con\n", 0},
                               {"line.con",
                                "version: 1.4\ncontact: 0 0 0\nend: 0 0 0\nsize: 1\npoints: 4\n"
                                "range: 0.0 1.0\ndimension: 4\ntype: bspline\n"
                                "0 1 0 3\n1 2.333333333 0 1\n2 3.666666667 0 1\n3 5 2 3\n",
                                0}};
    const test_file flat[] = {files[0],
                              {"line.con",
                               "cver 1 3\nname: x\npoints: 4 8\ntype: or\nsamples: 8\n"
                               "0 1 0 3\n1 2.333333333 0 1\n2 3.666666667 0 1\n3 5 0 3\n",
                               0}};
    CHECK_REL(test_value_with("curveGAL(1)", flat, COUNT(flat)), 5, 1e-6);
    CHECK_IN(test_value_with("curveX(1, 0.5)", flat, COUNT(flat)), 1.49, 1.51);
    CHECK_IN(test_value_with("curveY(1, 0.25)", flat, COUNT(flat)), 1.98, 2.02);
    CHECK_IN(test_value_with("curveZ(1, 1)", files, COUNT(files)), 1.999, 2.001);
}

TD_TEST(contour_of_a_number_that_is_not_declared_is_refused) {
    test_model m = test_model_text("axiom: @#(2)@Gs f(1) @Ge(1) ?P(0,0,0)\n", 0);
    CHECK_INT(m.status, TD_ERR_STRUCTURE);
    CHECK_HAS(m.faults[0].message, "contour 2 is not declared");
    test_model_free(&m);
    static const test_fault rows[] = {
        {"contour: 0 open (0,0)\naxiom: F\n", TD_ERR_SYNTAX, 1, 10, "expected 1 to 1e6"},
        {"contour: 1 (0,0)\naxiom: F\n", TD_ERR_SYNTAX, 1, 12, "expected 'open'"},
        {"contour: 1 open (0,0) (1,0) (1,1)\naxiom: F\n", TD_ERR_SYNTAX, 1, 34,
         "a contour has 3 control points; expected at least 4"},
        {"contour: 1 closed (0,0) (1,0)\naxiom: F\n", TD_ERR_SYNTAX, 1, 30, "expected at least 3"},
        {"contour: 1 closed (1,1) (1,1) (1,1)\naxiom: F\n", TD_ERR_SYNTAX, 1, 10,
         "the contour has no length"},
    };
    CHECK_FAULTS(rows, 0);
}

// ---- colours --------------------------------------------------------------------------------

static uint32_t color_with(const char *text, const test_file *files, int32_t count) {
    OWNED(test_model) m = test_model_with(text, files, count, NULL, 0);
    OWNED(td_skeleton) *s = skeleton_of(&m);
    uint32_t color = s && td_skeleton_count(s) > 0 ? td_skeleton_segments(s)[0].color : 0;
    return color;
}

TD_TEST(colours_come_from_maps_and_materials) {
    char map[768] = {0};
    memcpy(map + 3 * 5, "\x10\x20\x30", 3);
    memcpy(map + 3 * 7, "\xff\x80\x01", 3);
    const test_file maps[] = {{"plant.v", "initial color: 5\n", 0}, {"plant.map", map, sizeof map}};
    CHECK_INT(color_with("axiom: F(1)\n", maps, COUNT(maps)), 0x102030);
    CHECK_INT(color_with("axiom: ;(7)F(1)\n", maps, COUNT(maps)), 0xff8001);
    // the header's own colours win
    CHECK_INT(color_with("color: 7 #123456\naxiom: ;(7)F(1)\n", maps, COUNT(maps)), 0x123456);
    static const char records[30] = "\x03\x00"
                                    "\x01\x01\x01"
                                    "\x0a\x0b\x0c";
    const test_file mats[] = {{"specifications", "\tcpfg -M all.mat plant.l plant.v\n", 0},
                              {"plant.v", "initial color: 3\n", 0},
                              {"all.mat", records, sizeof records}};
    CHECK_INT(color_with("axiom: F(1)\n", mats, COUNT(mats)), 0x0a0b0c);
    // as a page holds it
    const test_file text[] = {mats[0],
                              mats[1],
                              {"all.mat",
                               "hex:0300010101"
                               "0a0b0d000000000000"
                               "00",
                               0}};
    CHECK_INT(color_with("axiom: F(1)\n", text, COUNT(text)), 0x0a0b0d);
}

TD_TEST(colours_of_the_wrong_size_are_refused) {
    const struct {
        const char *name;
        size_t size;
        const char *message;
    } rows[] = {{"plant.map", 767, "the colour map has 767 bytes; expected 768"},
                {"plant.mat", 16, "the materials have 16 bytes; expected a multiple of 15"}};
    static const char bytes[1024];
    for (int i = 0; i < 2; i++) {
        const test_file files[] = {{rows[i].name, bytes, rows[i].size}};
        OWNED(test_model) m = test_model_with("axiom: F", files, 1, NULL, 0);
        CHECK_INT(m.status, TD_ERR_SYNTAX);
        CHECK_HAS(m.faults[0].message, rows[i].message);
        CHECK_TEXT(m.faults[0].file, rows[i].name);
    }
}

// ---- tropisms -------------------------------------------------------------------------------

static test_frame frame_with(const char *view, const char *string) {
    char text[512];
    snprintf(text, sizeof text, "axiom: %s?P(0,0,0)?H(0,0,0)?L(0,0,0)?U(0,0,0)\n", string);
    const test_file files[] = {{"plant.v", view, 0}};
    OWNED(test_model) m = test_model_with(text, files, 1, NULL, 0);
    CHECK_SAY(m.status == TD_OK, "%s", m.faults[0].message);
    double v[12];
    for (int i = 0; i < 12; i++) {
        v[i] = test_param(&m, i - 12);
    }
    return (test_frame){
        {v[0], v[1], v[2]}, {v[3], v[4], v[5]}, {v[6], v[7], v[8]}, {v[9], v[10], v[11]}};
}

// H = X, V = e T: a turn by |H x V| = e from X towards Y; to single precision, as cpfg stores it
TD_TEST(numbered_tropisms_turn_the_heading) {
    test_frame f = frame_with("tropism: T: 0.0 2.0 0.0 E: 0.25 S: 0.5\n", "-(90)F(1)");
    CHECK_VEC(f.h, cos(0.25), sin(0.25), 0, 1e-6);
    f = frame_with("tropism: T: 0 1 0 E: 0.25 S: 0.5\n", "-(90)@Ti(1)F(1)");
    CHECK_VEC(f.h, cos(0.75), sin(0.75), 0, 1e-6);
    f = frame_with("tropism: T: 0 1 0 E: 0.75 S: 0.5\n", "-(90)@Td(1)F(1)");
    CHECK_VEC(f.h, cos(0.25), sin(0.25), 0, 1e-6);
    f = frame_with("tropism: T: 0 1 0\ntropism: T: 0,0,1 I: 0.5 E: 1\n", "-(90)@Ts(1,0)F(1)");
    CHECK_VEC(f.h, cos(0.5), 0, sin(0.5), 1e-6);
}

// at rest at 90 degrees to T: a heading across T stays, one along T leaves it
TD_TEST(numbered_tropism_holds_an_angle_to_its_direction) {
    const char *view = "tropism: T: 0 1 0 A: 90 E: 0.2\n";
    test_frame across = frame_with(view, "-(90)F(1)"), along = frame_with(view, "-(45)F(1)");
    CHECK_VEC(across.h, 1, 0, 0, 1e-6);
    CHECK(along.h.y < 0.7 && along.h.x > 0.72);
    // the way from T itself may be any
    CHECK_IN(frame_with(view, "F(1)").h.y, cos(0.2) - 1e-2, cos(0.2) + 1e-2);
}

// torque turns cpfg's up about the heading: H = Y, U = -Z turns towards X by |U x D| = 0.3
TD_TEST(torque_turns_the_up_vector_about_the_heading) {
    test_frame f = frame_with("torque: T: 1 0 0 E: 0.3\n", "F(1)");
    CHECK_VEC(f.h, 0, 1, 0, 1e-6);
    CHECK_VEC(f.u, sin(0.3), 0, -cos(0.3), 1e-6);
    CHECK_VEC(f.l, -cos(0.3), 0, -sin(0.3), 1e-6);
}

TD_TEST(numbered_tropism_that_is_not_declared_is_refused) {
    const test_file files[] = {{"plant.v", "tropism: T: 0 1 0\n", 0}};
    OWNED(test_model) m = test_model_with("axiom: @Ts(2,1)F(1)?P(0,0,0)\n", files, 1, NULL, 0);
    CHECK_INT(m.status, TD_ERR_STRUCTURE);
    CHECK_HAS(m.faults[0].message, "there is no tropism 2; the view file has 1");
}

// ---- memory ---------------------------------------------------------------------------------

// `pad`: length of a comment before the model, which is then not drawn
static td_status grow_all(int pad, const td_alloc *alloc) {
    char map[768] = {0}, *text = malloc((size_t)pad + 512);
    const test_file items[] = {
        {"specifications", "cpfg -m a.map plant.l plant.v\n", 0},
        {"a.map", map, sizeof map},
        {"plant.v",
         "angle increment: 30\nsurface: l leaf.s 2\ncontour: 1 c.con\ncurve: c.con\n"
         "function: f.func 9\ntropism: T: 0 1 0 E: 0.1\n",
         0},
        {"leaf.s", HEAD PATCH, 0},
        {"c.con", "cver 1 3\npoints: 4 4\ntype: cr\n1 0 0 1\n0 1 0 1\n-1 0 0 1\n0 -1 0 1\n", 0},
        {"f.func", "range: 0 1\npoints: 4\n0 0\n0.3 1\n0.7 1\n1 0\n", 0}};
    test_files files = {items, COUNT(items)};
    td_loader loader = {test_read_file, &files};
    snprintf(text, (size_t)pad + 512, "/*%*s*/%s", pad, "",
             "function: g (0,0) (0.3,0) (0.6,1) (1,1)\n"
             "contour: 2 open (-1,0) (0,1) (1,1) (2,0)\n"
             "axiom: #(0.1)@#(1)@Gs f(curveX(1,0.1)+1)@Gc @#(2)f(1)@Ge\n"
             "\tF(func(f,0.5)+func(g,0.5))[+~l(1)][-~l(1,2,1)]\n");
    td_grammar_def def = test_def(text);
    td_derive_opts opts = td_derive_opts_default();
    OWNED(td_skeleton) *skeleton = NULL;
    OWNED(td_mesh) *mesh = NULL;
    def.name = "plant.l";
    def.loader = &loader;
    OWNED(test_model) m = test_model_of(&def, &opts, 0, alloc);
    td_status status = m.status;
    free(text);
    if (status == TD_OK && pad == 0) {
        td_string s = td_derivation_string(m.derivation);
        status = td_skeleton_from_string(m.grammar, &s, NULL, alloc, &skeleton, &m.faults[0]);
    }
    if (status == TD_OK && pad == 0) {
        CHECK_INT(td_skeleton_count(skeleton), 5);
        td_mesh_opts mesh_opts = td_mesh_opts_default();
        status = td_mesh_new(skeleton, &mesh_opts, alloc, &mesh, &m.faults[0]);
    }
    return status;
}

TD_TEST(files_beside_a_model_survive_every_failing_allocation) {
    WITH_SCARCE(memory, 20) {
        CHECK_INT(grow_all(0, &memory.alloc), scarce_status(&memory));
    }
}

// A grammar takes its memory in chunks; the comment moves the places where they end.
TD_TEST(files_beside_a_model_survive_a_failing_allocation_wherever_a_chunk_ends) {
    for (int pad = 1; pad < 17000; pad += 200) {
        WITH_SCARCE(memory, 1) {
            CHECK_INT(grow_all(pad, &memory.alloc), scarce_status(&memory));
        }
    }
}
