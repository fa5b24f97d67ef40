// SPDX-License-Identifier: MIT
// View files and functions beside a model. Pairs with src/grammar/view.c and src/cpfg.

#include "test_view_support.h"

#define QUERY  "?H(0,0,0)"
#define SINGLE 1e-7 // parameters of *.l are stored in single precision

// heading of the turtle at the end, with one view file
static td_vec3 heading_with(const char *header, const char *string, const char *view) {
    char text[1024];
    snprintf(text, sizeof text, "%s\naxiom: %s" QUERY "\n", header, string);
    const test_file files[] = {{"plant.v", view, 0}};
    OWNED(test_model) m = test_model_with(text, files, 1, NULL, 0);
    CHECK_SAY(m.status == TD_OK, "%s", m.faults[0].message);
    td_vec3 h = {test_param(&m, -3), test_param(&m, -2), test_param(&m, -1)};
    return h;
}

// ---- view files -----------------------------------------------------------------------------

TD_TEST(view_gives_the_angle_of_bare_turns) {
    CHECK_VEC(heading_with("", "+", "angle increment: 60\n"), -0.866025403784439, 0.5, 0, SINGLE);
    CHECK_VEC(heading_with("", "+", "angle factor: 8\n"), -0.707106781186548, 0.707106781186548, 0,
              SINGLE);
    CHECK_VEC(heading_with("", "+", "#define A 30 /* degrees */\nangle increment: A\n"), -0.5,
              0.866025403784439, 0, SINGLE);
}

TD_TEST(view_loses_against_the_models_header) {
    CHECK_VEC(heading_with("angle increment: 90", "+", "angle increment: 60\n"), -1, 0, 0, SINGLE);
}

TD_TEST(view_of_another_name_is_the_one_that_counts) {
    const test_file files[] = {{"plant.v", "angle increment: 60", 0},
                               {"other.v", "angle increment: 90", 0}};
    OWNED(test_model) m = test_model_with("axiom: +" QUERY, files, 2, "other.v", 0);
    CHECK_REL(test_param(&m, -3), -1, SINGLE);
    test_model_free(&m);
    m = test_model_with("axiom: +" QUERY, files, 2, "missing.v", 0);
    CHECK_INT(m.status, TD_ERR_READ);
    CHECK_TEXT(m.faults[0].message, "cannot read the view file 'missing.v'");
}

TD_TEST(view_is_named_by_the_specifications) {
    const test_file files[] = {{"specifications",
                                "other.l\nmodel:\n\tgenerate:\n\t\tcpfg -M a.mat other.l b.v\n"
                                "\t\tcpfg -m1 x.map plant.l leaf.v plant.a\n",
                                0},
                               {"leaf.v", "angle increment: 90", 0}};
    OWNED(test_model) m = test_model_with("axiom: +" QUERY, files, 2, NULL, 0);
    CHECK_REL(test_param(&m, -3), -1, SINGLE);
    CHECK_INT(m.fault_count, 0);
}

// the turtle's turn by tropism: e |H x T| about H x T, here with H = X and T = -Y
TD_TEST(view_gives_tropism_and_elasticity) {
    const char *view = "tropism direction: 0,-2,0\ninitial elasticity: 0.25\n"
                       "elasticity increment: 0.5\n";
    td_vec3 once = heading_with("", "-(90)F", view), more = heading_with("", "-(90)_F", view);
    CHECK_VEC(once, cos(0.25), -sin(0.25), 0, SINGLE);
    CHECK_VEC(more, cos(0.75), -sin(0.75), 0, SINGLE);
}

TD_TEST(view_gives_the_factor_of_bare_scale_modules) {
    const test_file files[] = {
        {"plant.v", "scale multiplier: 3\ninitial scale: 2\nangle increment: 60\n", 0}};
    // 2 * 3 * 3 / 3 = 6; an explicit factor counts instead
    OWNED(test_model) m =
        test_model_with("axiom: @Di@Di@Dd@Di(0.5)f(1)?P(0,0,0)", files, 1, NULL, 0);
    CHECK_INT(m.status, TD_OK);
    CHECK_INT(m.warning_count, 0);
    CHECK_REL(test_param(&m, -2), 3, SINGLE);
}

static td_skeleton *skeleton_with(const char *string, const char *view) {
    const test_file files[] = {{"plant.v", view, 0}};
    OWNED(test_model) m = test_model_with(string, files, 1, NULL, 0);
    td_skeleton *skeleton = NULL;
    td_diag diag = {.message = ""};
    CHECK_SAY(m.status == TD_OK, "%s", m.faults[0].message);
    td_string s = td_derivation_string(m.derivation);
    CHECK_SAY(td_skeleton_from_string(m.grammar, &s, NULL, NULL, &skeleton, &diag) == TD_OK, "%s",
              diag.message);
    return skeleton;
}

// '#' widens by the increment; a width that counts pixels makes a line of some width of its own.
TD_TEST(view_gives_the_width_of_lines_unless_it_counts_pixels) {
    const struct {
        const char *view;
        double first, second; // diameters
    } rows[] = {
        {"initial line width: 0.2\nline width increment: 0.1\n", 0.2, 0.3},
        {"initial line width: 0.2 units\nline style: cylinder\nline width increment: 0.2\n", 0.2,
         0.4},
        {"initial line width: 0.2 pixels\nline style: polygon\nline width increment: 0.1\n", 0.2,
         0.3},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        OWNED(td_skeleton) *s = skeleton_with("axiom: F(1)#F(1)\n", rows[i].view);
        CHECK_REL(td_skeleton_segments(s)[0].radius_base, rows[i].first / 2, SINGLE);
        CHECK_REL(td_skeleton_segments(s)[1].radius_tip, rows[i].second / 2, SINGLE);
    }
    OWNED(td_skeleton) *bare = skeleton_with("axiom: F(1)\n", "angle factor: 4\n"),
                       *pixels = skeleton_with("axiom: F(1)\n", "initial line width: 7 pixels\n"),
                       *style = skeleton_with("axiom: F(1)\n",
                                              "initial line width: 7\nline style: pixel\n");
    CHECK_REL(td_skeleton_segments(pixels)[0].radius_base,
              td_skeleton_segments(bare)[0].radius_base, 0);
    CHECK_REL(td_skeleton_segments(style)[0].radius_base, td_skeleton_segments(bare)[0].radius_base,
              0);
}

TD_TEST(view_line_style_that_is_unknown_is_told) {
    const test_file files[] = {{"plant.v", "line style: dashed\n", 0}};
    OWNED(test_model) m = test_model_with("axiom: F", files, 1, NULL, 0);
    CHECK_INT(m.status, TD_OK);
    CHECK_INT(m.warning_count, 1);
    CHECK_TEXT(m.faults[0].message,
               "line style 'dashed' is ignored; expected pixel, polygon or cylinder");
    CHECK_INT(m.faults[0].line, 1);
}

TD_TEST(view_increment_of_colours_moves_bare_changes) {
    OWNED(td_skeleton) *s = skeleton_with("color: 2 #111111\ncolor: 5 #222222\naxiom: F(1);F(1)\n",
                                          "initial color: 2\ncolor increment: 3\n");
    CHECK_INT(td_skeleton_segments(s)[0].color, 0x111111);
    CHECK_INT(td_skeleton_segments(s)[1].color, 0x222222);
}

// '%' cuts in rewriting; a turtle that meets one in the string draws what is behind it or not
TD_TEST(view_tells_whether_the_turtle_goes_on_past_a_cut) {
    OWNED(td_skeleton) *on = skeleton_with("axiom: F(1)%F(1)\n", "interpretation past %: on\n"),
                       *off = skeleton_with("axiom: F(1)%F(1)\n", "interpretation past %: off\n");
    CHECK_INT(td_skeleton_count(on), 2);
    CHECK_INT(td_skeleton_count(off), 1);
}

TD_TEST(view_with_more_tropisms_than_there_is_room_for_is_refused) {
    char view[4096] = "";
    for (int k = 0; k < 100; k++) {
        strcat(view, "tropism: T: 0 1 0\n");
    }
    const test_file files[] = {{"plant.v", view, 0}};
    OWNED(test_model) m = test_model_with("axiom: F", files, 1, NULL, 0);
    CHECK_INT(m.status, TD_ERR_SYNTAX);
    CHECK_HAS(m.faults[0].message, "tropisms are declared");
}

TD_TEST(view_items_that_draw_what_is_not_drawn_here_get_a_warning) {
    const char *items[] = {"texture: F: a.rgb", "tsurface: a.ts a b 1", "line: ~ a.s 1", "blob: 1"};
    for (size_t i = 0; i < sizeof items / sizeof *items; i++) {
        const test_file files[] = {{"plant.v", items[i], 0}};
        OWNED(test_model) m = test_model_with("axiom: F", files, 1, NULL, 0);
        CHECK_INT(m.status, TD_OK);
        CHECK_INT(m.warning_count, 1);
        CHECK_HAS(m.faults[0].message, "no effect");
    }
}

TD_TEST(view_items_of_a_window_are_ignored_and_unknown_ones_are_told) {
    const test_file quiet[] = {{"plant.v",
                                "angle increment: 60\nviewpoint: 0,0,1\nprojection: parallel\n"
                                "z buffer: on\nlight: A: 1 2 3\nscale factor: 0.9\n\n"
                                "render mode: shaded\nbox: x: 0,1 y: 0,1 z: 0,1\n",
                                0}};
    OWNED(test_model) m = test_model_with("axiom: +F", quiet, 1, NULL, 0);
    CHECK_INT(m.status, TD_OK);
    CHECK_INT(m.warning_count, 0);
    test_model_free(&m);
    const test_file odd[] = {{"plant.v", "angle increment: 60\n   tappered lines: on\n", 0}};
    m = test_model_with("axiom: +F", odd, 1, NULL, 0);
    CHECK_INT(m.status, TD_OK);
    CHECK_INT(m.warning_count, 1);
    CHECK_TEXT(m.faults[0].message,
               "unknown item 'tappered lines' is ignored; did you mean 'tapered lines:'?");
    CHECK_TEXT(m.faults[0].file, "plant.v");
    CHECK_INT(m.faults[0].line, 2);
}

TD_TEST(view_faults_name_file_line_and_column) {
    const struct {
        const char *text, *message;
        int32_t line, column;
    } rows[] = {
        {"angle increment: _ \n", "angle increment: expected a number", 1, 18},
        {"\nangle factor: 0\n", "the angle factor is 0; expected 1 to 1e+06", 2, 14},
        {"tropism direction: 0,0,0\n", "its three numbers cannot all be 0", 1, 19},
        {"function: growth.func 100\n", "function: cannot read the file 'growth.func'", 1, 11},
        {"function:\n", "expected the name of a file", 1, 10},
        {"angle factor: x\n", "angle factor: expected a number", 1, 15},
        {"initial color: x\n", "initial color: expected a number", 1, 16},
        {"initial line width: x\n", "initial line width: expected a number", 1, 21},
        {"initial line width: -1 p\n", "the line width is -1; expected 0 to 1e+06", 1, 20},
        {"initial scale: x\n", "initial scale: expected a number", 1, 16},
        {"tropism direction: 0,1\n", "tropism direction: expected a number", 1, 23},
        {"tropism: T: 0 0 0\n", "its three numbers cannot all be 0", 1, 12},
        {"tropism: A: 9\n", "expected a direction: 'T: 0 1 0'", 1, 9},
        {"tropism: X: 9\n", "expected T:, A:, I:, E: or S:", 1, 10},
        {"tropism: A: x\n", "expected a number", 1, 13},
        {"function set:\n", "expected the name of a file", 1, 14},
        {"curve:\n", "expected the name of a file", 1, 7},
        {"contour: 0 c.con\n", "the number of the contour is 0; expected a whole number", 1, 10},
        {"surface: l\n", "expected the name of a file", 1, 11},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const test_file files[] = {{"plant.v", rows[i].text, 0}};
        OWNED(test_model) m = test_model_with("axiom: F", files, 1, NULL, 0);
        CHECK_INT(m.status, TD_ERR_SYNTAX);
        CHECK_HAS(m.faults[0].message, rows[i].message);
        CHECK_TEXT(m.faults[0].file, "plant.v");
        CHECK_INT(m.faults[0].line, rows[i].line);
        CHECK_INT(m.faults[0].column, rows[i].column);
    }
}

TD_TEST(bare_turn_without_any_angle_is_told_once) {
    OWNED(test_model) m = test_model_text("axiom: F+(30)F\nF --> F[+F]-F\n", 1);
    CHECK_INT(m.status, TD_OK);
    CHECK_INT(m.warning_count, 1);
    CHECK_HAS(m.faults[0].message, "this turn has no angle, so it is 90 degrees");
    CHECK_INT(m.faults[0].line, 2);
    CHECK_INT(m.faults[0].column, 9);
    test_model_free(&m);
    m = test_model_text("angle increment: 30\naxiom: F+F-F|F\n", 0);
    CHECK_INT(m.warning_count, 0);
}

// ---- functions ------------------------------------------------------------------------------

#define LINE_POINTS "0 1\n0.3333333 1.6666667\n0.6666667 2.3333333\n1 3\n"

// Four control points on y = 1 + 2x make a Bezier curve that is this line. Without a table x is
// found within 0.001, so y within 0.002 (and the rounding of the points).
TD_TEST(function_of_a_file_follows_its_control_points) {
    const test_file files[] = {{"plant.v", "function: f.func\nfunction: g.func 11\n", 0},
                               {"f.func", "range: 0 1\npoints: 4\n" LINE_POINTS, 0},
                               {"g.func", "range: 0 1\npoints: 4\n" LINE_POINTS, 0}};
    for (double x = 0; x <= 1; x += 0.125) {
        char call[64];
        snprintf(call, sizeof call, "func(1, %g)", x);
        CHECK_IN(test_value_with(call, files, 3), 1 + 2 * x - 0.0021, 1 + 2 * x + 0.0021);
        snprintf(call, sizeof call, "func(g, %g)", x);
        CHECK_IN(test_value_with(call, files, 3), 1 + 2 * x - 0.0021, 1 + 2 * x + 0.0021);
    }
}

TD_TEST(function_is_cut_to_its_range) {
    const test_file files[] = {{"plant.v", "function: f.func 2\n", 0},
                               {"f.func", "range: 0 1\npoints: 4\n" LINE_POINTS, 0}};
    CHECK_REL(test_value_with("func(1, -5)", files, 2), test_value_with("func(1, 0)", files, 2), 0);
    CHECK_REL(test_value_with("func(1, 7)", files, 2), test_value_with("func(1, 1)", files, 2), 0);
}

// With a table of three samples a value at 1/4 lies between those at 0 and 1/2.
TD_TEST(function_with_a_table_is_straight_between_its_samples) {
    const test_file files[] = {
        {"plant.v", "function set: all.fset\n", 0},
        {"all.fset",
         "funcgalleryver 1 1\nitems: 2\n"
         "fver 1 1\nname: FIRST\nsamples: 3\nflip: off\npoints: 5\n"
         "0 0\n0.1 0\n0.5 1 1\n0.9 0\n1 0\n"
         "fver 1 1\nname: SECOND\nsamples: 100\nmarkers: 1\nm0 0.5 0.5\nflip: on\n"
         "points: 4\n0 7\n0.2 7\n0.6 7\n1 7\n",
         0}};
    double low = test_value_with("func(FIRST, 0)", files, 2);
    double middle = test_value_with("func(FIRST, 0.5)", files, 2);
    CHECK_REL(test_value_with("func(FIRST, 0.25)", files, 2), (low + middle) / 2, SINGLE);
    CHECK_IN(middle, 0.49, 0.51); // u = 1 of the clamped knots: (p1 + 2 p2 + p3)/4 in y
    CHECK_REL(test_value_with("func(2, 0.3)", files, 2), 7, 1e-15);
}

// a point of multiplicity 3 is passed through
TD_TEST(function_passes_through_a_threefold_point) {
    const test_file files[] = {{"plant.v", "function: f.func\n", 0},
                               {"f.func",
                                "fver 1 1\nname: f\nsamples: 0\nflip: off\npoints: 5\n"
                                "0 0\n0.25 0.5\n0.5 1 3\n0.75 0.5\n1 0\n",
                                0}};
    CHECK_IN(test_value_with("func(f, 0.5)", files, 2), 0.995, 1);
}

TD_TEST(function_faults_of_files_are_told_in_their_place) {
    const struct {
        const char *text, *message;
        int32_t line, column;
    } rows[] = {
        {"", "this is no function; expected 'fver' or 'range:'", 1, 1},
        {"range: 0 1\npoints: 3\n0 0\n0.5 0\n1 0\n",
         "the number of control points is 3; expected a whole number from 4", 2, 9},
        {"range: 0 1\npoints: 4\n0 0\n0.5 x\n1 0\n", "expected a number", 4, 5},
        {"range: 0 1\npoints: 4\n0 0\n0.5 0\n1 0\n", "expected a number", 6, 1},
        {"fver 2 1\nname: f\n", "the function has format 2.1; expected 1.1", 1, 5},
        {"fver 1 1\nname: f\nsamples: 1e9\n", "the number of samples is 1e+09", 3, 10},
        {"fver 1 1\nname: f\nsamples: 9\nflip: on\n", "expected 'points:'", 5, 1},
        {"fver x\n", "expected a number", 1, 6},
        {"fver 1 1\nsamples: 3\n", "expected 'name:'", 2, 1},
        {"range: 0 x\npoints: 4\n", "expected a number", 1, 10},
        {"range: 0 1\npoints: 4\n0 0 x\n", "expected a number", 3, 5},
        {"range: 0 1\npoints: 4\n0 0 0\n", "the multiplicity of a control point is 0", 3, 5},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const test_file files[] = {{"plant.v", "function: f.func\n", 0},
                                   {"f.func", rows[i].text, 0}};
        OWNED(test_model) m = test_model_with("axiom: F", files, 2, NULL, 0);
        CHECK_INT(m.status, TD_ERR_SYNTAX);
        CHECK_HAS(m.faults[0].message, rows[i].message);
        CHECK_TEXT(m.faults[0].file, "f.func");
        CHECK_INT(m.faults[0].line, rows[i].line);
        CHECK_INT(m.faults[0].column, rows[i].column);
    }
}

// B-spline with the points of a parabola: the Bezier points of y = x^2 are
// (0,0) (1/3,0) (2/3,1/3) (1,1)
TD_TEST(function_in_the_header_is_exact) {
    for (double x = 0; x <= 1; x += 0.0625) {
        char text[256];
        snprintf(text, sizeof text,
                 "function: square (0,0) (1/3,0) (2/3,1/3) (1,1)\naxiom: V(func(square, %.17g))\n",
                 x);
        OWNED(test_model) m = test_model_good(text, 0);
        CHECK_IN(test_param(&m, 0), x * x - 3e-12, x * x + 3e-12);
    }
}

TD_TEST(function_of_more_points_than_there_is_room_for_is_refused) {
    enum { POINTS = 101 };
    char text[2048] = "range: 0 1\npoints: 101\n";
    for (int k = 0; k < POINTS; k++) {
        strcat(text, "0.5 1 100\n");
    }
    const test_file files[] = {{"plant.v", "function: f.func\n", 0}, {"f.func", text, 0}};
    OWNED(test_model) m = test_model_with("axiom: F", files, 2, NULL, 0);
    CHECK_INT(m.status, TD_ERR_SYNTAX);
    CHECK_HAS(m.faults[0].message, "a function has more than 10000 control points");
    CHECK_INT(m.faults[0].line, 103);
    test_model_free(&m);
    char curve[4096] = "cver 1 3\npoints: 101 101\ntype: or\n";
    for (int k = 0; k < POINTS; k++) {
        strcat(curve, "0 1 0 100\n");
    }
    const test_file more[] = {{"plant.v", "curve: c.con\n", 0}, {"c.con", curve, 0}};
    m = test_model_with("axiom: F", more, 2, NULL, 0);
    CHECK_INT(m.status, TD_ERR_SYNTAX);
    CHECK_HAS(m.faults[0].message, "a curve has more than 10000 control points");
    CHECK_INT(m.faults[0].line, 104);
}

TD_TEST(function_faults_in_the_header_say_what_is_expected) {
    static const test_fault rows[] = {
        {"function: (0,0)\naxiom: F\n", TD_ERR_SYNTAX, 1, 11, "expected the name of a function"},
        {"function: f (0,0) (0.5,1) (1,1)\naxiom: F\n", TD_ERR_SYNTAX, 1, 32,
         "a function has 3 control points; expected at least 4"},
        {"function: f (0.1,0) (0.5,1) (1,1)\naxiom: F\n", TD_ERR_SYNTAX, 1, 13,
         "control point 1 is at x = 0.1; expected 0"},
        {"function: f (0,0) (0.5,1) (0.4,1)\naxiom: F\n", TD_ERR_SYNTAX, 1, 27,
         "control point 3 is at x = 0.4; expected 0.5 to 1"},
        {"function: f (0,0) (0.5,1) (0.6,1) (0.7,0)\naxiom: F\n", TD_ERR_SYNTAX, 1, 42,
         "the last control point is at x = 0.7; expected 1"},
        {"function: f (0,0) (0.5\naxiom: F\n", TD_ERR_SYNTAX, 1, 23, "expected ','"},
        {"axiom: F(func(1, 0.5))\n", TD_ERR_EVAL, 1, 10,
         "func(1, 0.5): there is no function 1; 0 are declared"},
        {"axiom: F(func(growth, 0.5))\n", TD_ERR_SYNTAX, 1, 15, "unknown name 'growth'"},
    };
    CHECK_FAULTS(rows, 0);
}
