// SPDX-License-Identifier: MIT
// The turtle: what each module does to place and axes, and what is drawn.
// Pairs with src/grammar/turtle.c and the table "The turtle" of docs/guide/language.md.

#include "test_grammar_support.h"

#include "grammar/turtle.h"
#include "math/quat.h"

// a few roundings of numbers near 1
#define ROUNDING 4e-15

// ---- turning --------------------------------------------------------------------------------

TD_TEST(turtle_starts_at_the_origin_facing_y_with_left_minus_x_and_up_minus_z) {
    test_frame t = test_turtle("A");
    CHECK_VEC(t.p, 0, 0, 0, 0);
    CHECK_VEC(t.h, 0, 1, 0, 0);
    CHECK_VEC(t.l, -1, 0, 0, 0);
    CHECK_VEC(t.u, 0, 0, -1, 0);
}

typedef struct turn_row {
    const char *string;
    td_vec3 h, l, u; // after it
} turn_row;

static void check_turns(const char *header, const turn_row *rows, size_t count, double tolerance) {
    for (size_t i = 0; i < count; i++) {
        test_frame t = test_turtle_in(header, rows[i].string);
        td_vec3 h = rows[i].h, l = rows[i].l, u = rows[i].u;
        CHECK_VEC(t.p, 0, 0, 0, 0);
        CHECK_VEC(t.h, h.x, h.y, h.z, tolerance);
        CHECK_VEC(t.l, l.x, l.y, l.z, tolerance);
        CHECK_VEC(t.u, u.x, u.y, u.z, tolerance);
    }
}

TD_TEST(turtle_quarter_turns_are_exact_and_go_the_way_that_cpfg_turns) {
    const turn_row rows[] = {
        {"+(90)", {-1, 0, 0}, {0, -1, 0}, {0, 0, -1}}, // faces what was left
        {"-(90)", {1, 0, 0}, {0, 1, 0}, {0, 0, -1}},   // faces what was right
        {"&(90)", {0, 0, -1}, {-1, 0, 0}, {0, -1, 0}}, // faces what was below
        {"^(90)", {0, 0, 1}, {-1, 0, 0}, {0, 1, 0}},   // faces what was above
        {"\\(90)", {0, 1, 0}, {0, 0, 1}, {-1, 0, 0}},  // left goes to +Z,
        {"/(90)", {0, 1, 0}, {0, 0, -1}, {1, 0, 0}},   // and to -Z
        {"|", {0, -1, 0}, {1, 0, 0}, {0, 0, -1}},
        {"+(180)", {0, -1, 0}, {1, 0, 0}, {0, 0, -1}},
        {"+(-90)", {1, 0, 0}, {0, 1, 0}, {0, 0, -1}},
        {"+(450)", {-1, 0, 0}, {0, -1, 0}, {0, 0, -1}},
        {"+-&^\\/", {0, 1, 0}, {-1, 0, 0}, {0, 0, -1}}, // 90 each, and back
        {"||", {0, 1, 0}, {-1, 0, 0}, {0, 0, -1}},
    };
    check_turns("", rows, sizeof rows / sizeof rows[0], 0);
}

TD_TEST(turtle_turns_by_the_angle_in_degrees) {
    double c = cos(TDI_PI / 6), s = 0.5;
    const turn_row rows[] = {
        {"+(30)", {-s, c, 0}, {-c, -s, 0}, {0, 0, -1}},
        {"-(30)", {s, c, 0}, {-c, s, 0}, {0, 0, -1}},
        {"&(30)", {0, c, -s}, {-1, 0, 0}, {0, -s, -c}},
        {"^(30)", {0, c, s}, {-1, 0, 0}, {0, s, -c}},
        {"\\(30)", {0, 1, 0}, {-c, 0, s}, {-s, 0, -c}},
        {"/(30)", {0, 1, 0}, {-c, 0, -s}, {s, 0, -c}},
        // turns are about the turtle's own axes: after the roll, left is +Z
        {"\\(90)+(30)", {0, c, s}, {0, -s, c}, {-1, 0, 0}},
    };
    check_turns("", rows, sizeof rows / sizeof rows[0], ROUNDING);
}

TD_TEST(turtle_turns_without_parameter_take_the_angle_of_the_header) {
    const turn_row quarter[] = {{"+", {-1, 0, 0}, {0, -1, 0}, {0, 0, -1}}};
    check_turns("", quarter, 1, 0);
    check_turns("angle increment: 30+60", quarter, 1, 0);
    check_turns("angle factor: 4", quarter, 1, 0);
    test_frame t = test_turtle_in("angle factor: 12", "-");
    CHECK_VEC(t.h, 0.5, cos(TDI_PI / 6), 0, ROUNDING);
    t = test_turtle_in("angle increment: 30", "&&&^^^\\\\\\///+++---");
    CHECK_VEC(t.h, 0, 1, 0, ROUNDING);
    CHECK_VEC(t.u, 0, 0, -1, ROUNDING);
}

// the axes stay orthonormal however long it turns
TD_TEST(turtle_axes_stay_orthonormal) {
    OWNED(test_model) m = test_model_good("axiom: A?H(0,0,0)?L(0,0,0)?U(0,0,0)\nA --> AA\n"
                                          "homomorphism\nA --> +(1.7)&(2.9)/(0.3)\n",
                                          15);
    td_vec3 h = {test_param(&m, -9), test_param(&m, -8), test_param(&m, -7)};
    td_vec3 l = {test_param(&m, -6), test_param(&m, -5), test_param(&m, -4)};
    td_vec3 u = {test_param(&m, -3), test_param(&m, -2), test_param(&m, -1)};
    // 1024 turns between renewals, each with a rounding of a few 1e-16
    CHECK_REL(tdi_norm(h), 1, 1e-12);
    CHECK_REL(tdi_norm(l), 1, 1e-12);
    CHECK_REL(tdi_dot(h, l), 0, 1e-12);
    CHECK_REL(tdi_norm(tdi_sub(tdi_cross(l, h), u)), 0, 1e-12);
}

TD_TEST(turtle_dollar_and_at_v_make_up_as_vertical_as_it_can_be) {
    const char *ways[] = {"&(40)/(70)", "+(30)^(20)\\(130)", "+(90)/(180)", "&(135)+(10)"};
    for (size_t i = 0; i < 4; i++) {
        char string[64];
        test_frame before = test_turtle(ways[i]);
        for (int k = 0; k < 2; k++) {
            snprintf(string, sizeof string, "%s%s", ways[i], k == 0 ? "@v" : "$");
            test_frame t = test_turtle(string);
            CHECK_VEC(t.h, before.h.x, before.h.y, before.h.z, 0);
            CHECK_REL(t.l.y, 0, ROUNDING);                        // left is level
            CHECK_REL(t.u.y, -sqrt(1 - t.h.y * t.h.y), ROUNDING); // cpfg's up: L x H
            td_vec3 u = tdi_cross(t.l, t.h);
            CHECK_VEC(t.u, u.x, u.y, u.z, ROUNDING);
        }
    }
    // facing straight up no roll is better than another
    test_frame t = test_turtle("/(25)@v");
    test_frame same = test_turtle("/(25)");
    CHECK_VEC(t.l, same.l.x, same.l.y, same.l.z, 0);
}

TD_TEST(turtle_at_r_sets_heading_and_up) {
    test_frame t = test_turtle("@R(0,0,2)");
    CHECK_VEC(t.h, 0, 0, 1, 0);
    CHECK_REL(tdi_dot(t.h, t.l), 0, 0);
    t = test_turtle("@R(3,0,0, 5,7,0)"); // the part of up across the heading counts
    CHECK_VEC(t.h, 1, 0, 0, 0);
    CHECK_VEC(t.u, 0, 1, 0, ROUNDING);
    CHECK_VEC(t.l, 0, 0, 1, ROUNDING);    // L x H = U
    t = test_turtle("@R(1e200,1e200,0)"); // also where squares are out of range
    CHECK_VEC(t.h, sqrt(0.5), sqrt(0.5), 0, ROUNDING);
    t = test_turtle("@R(0,1e-200,0)");
    CHECK_VEC(t.h, 0, 1, 0, 0);
}

// ---- moving ---------------------------------------------------------------------------------

TD_TEST(turtle_f_g_and_their_capitals_go_forward) {
    const char *signs = "FGfg";
    for (int i = 0; i < 4; i++) {
        char string[64];
        snprintf(string, sizeof string, "%c(2)-(90)%c(3.5)^(90)%c(-1)", signs[i], signs[i],
                 signs[i]);
        CHECK_VEC(test_turtle(string).p, 3.5, 2, -1, 0);
        snprintf(string, sizeof string, "%c%c", signs[i], signs[i]);
        CHECK_VEC(test_turtle(string).p, 0, 2, 0, 0);
        CHECK_VEC(test_turtle_in("step length: 0.75", string).p, 0, 1.5, 0, 0);
    }
    // further parameters are the model's own
    CHECK_VEC(test_turtle("F(2,7,9)").p, 0, 2, 0, 0);
}

TD_TEST(turtle_at_m_moves_to_a_place) {
    test_frame t = test_turtle("F(5)-(90)@M(1,-2,3)");
    CHECK_VEC(t.p, 1, -2, 3, 0);
    CHECK_VEC(t.h, 1, 0, 0, 0);
}

TD_TEST(turtle_brackets_restore_place_and_axes) {
    test_frame before = test_turtle("F(2)-(40)&(20)/(10)F(1)");
    test_frame after = test_turtle("F(2)-(40)&(20)/(10)F(1)[+F(7)[@R(1,2,3)@M(4,4,4)|]F]");
    CHECK_VEC(after.p, before.p.x, before.p.y, before.p.z, 0);
    CHECK_VEC(after.h, before.h.x, before.h.y, before.h.z, 0);
    CHECK_VEC(after.l, before.l.x, before.l.y, before.l.z, 0);
    CHECK_VEC(after.u, before.u.x, before.u.y, before.u.z, 0);
}

// ---- tropism --------------------------------------------------------------------------------

// the angle after each piece is e |H x T|, about H x T: from the level it falls by e
TD_TEST(turtle_tropism_turns_the_heading_after_each_piece) {
    test_frame t = test_turtle_in("tropism: 0, -1, 0, 0.3", "-(90)F(2)");
    CHECK_VEC(t.p, 2, 0, 0, 0);
    CHECK_VEC(t.h, cos(0.3), -sin(0.3), 0, ROUNDING);
    CHECK_VEC(t.u, 0, 0, -1, ROUNDING);
    // the second piece turns by e cos(0.3)
    t = test_turtle_in("tropism: 0, -9, 0, 0.3", "-(90)G(2)G(1)");
    double angle = 0.3 + 0.3 * cos(0.3);
    CHECK_VEC(t.p, 2 + cos(0.3), -sin(0.3), 0, ROUNDING);
    CHECK_VEC(t.h, cos(angle), -sin(angle), 0, ROUNDING);
    // out of the plane: left turns along
    t = test_turtle_in("tropism: 0, 0, -1, 0.5", "F(1)");
    CHECK_VEC(t.h, 0, cos(0.5), -sin(0.5), ROUNDING);
    CHECK_VEC(t.l, -1, 0, 0, ROUNDING);
    CHECK_VEC(t.u, 0, -sin(0.5), -cos(0.5), ROUNDING);
}

TD_TEST(turtle_tropism_leaves_moves_and_headings_along_it_alone) {
    CHECK_VEC(test_turtle_in("tropism: 0, -1, 0, 0.3", "-(90)f(2)g(1)").h, 1, 0, 0, 0);
    CHECK_VEC(test_turtle_in("tropism: 0, 1, 0, 0.3", "F(2)").h, 0, 1, 0, 0);
    CHECK_VEC(test_turtle("-(90)F(2)").h, 1, 0, 0, 0); // none by default
}

TD_TEST(turtle_tropism_modules_set_strength_and_direction_and_switch_it_off) {
    test_frame t = test_turtle("-(90)@Ts(0.3)F(1)"); // down unless the header says otherwise
    CHECK_VEC(t.h, cos(0.3), -sin(0.3), 0, ROUNDING);
    t = test_turtle("@Td(4,0,0)@Ts(0.2)F(1)");
    CHECK_VEC(t.h, sin(0.2), cos(0.2), 0, ROUNDING);
    t = test_turtle("-(90)@Ts(0.3)@TF(1)");
    CHECK_VEC(t.h, 1, 0, 0, 0);
    // brackets restore both
    t = test_turtle("-(90)@Ts(0.3)[@Ts(1)@Td(0,1,0)F(1)]F(1)");
    CHECK_VEC(t.h, cos(0.3), -sin(0.3), 0, ROUNDING);
}

TD_TEST(turtle_tropism_is_named_by_cpfg_with_the_number_of_the_tropism_first) {
    // _(e) and @Ts(1, e) set it, _ and @Ti(1) add the increment, @Ti(1, d) and @Td(1, d) a number
    const char *ways[] = {"_(0.3)",        "@Ts(1,0.3)",           "___",
                          "@Ti(1)@Ti(1)_", "@Ti(1,0.5)@Td(1,0.2)", "_(0.4)@Td(1)"};
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
        char string[64];
        snprintf(string, sizeof string, "-(90)%sF(1)", ways[i]);
        test_frame t = test_turtle_in("elasticity increment: 0.1", string);
        CHECK_VEC(t.h, cos(0.3), -sin(0.3), 0, ROUNDING);
    }
}

TD_TEST(turtle_at_tp_rolls_back_what_was_rolled_since_the_last_piece) {
    test_frame t = test_turtle("F/(70)+(50)@Tp");
    // from H = Y to where +(50) after the roll leads, by the smallest rotation
    test_frame direct = test_turtle("F/(70)+(50)\\(0)");
    td_vec3 axis = tdi_cross(tdi_vec3(0, 1, 0), direct.h);
    CHECK_VEC(t.h, direct.h.x, direct.h.y, direct.h.z, ROUNDING);
    // the axis of that rotation keeps its place in the frame
    CHECK_REL(tdi_dot(axis, t.l), tdi_dot(axis, tdi_vec3(-1, 0, 0)), ROUNDING);
    t = test_turtle("F/(70)@TfF+(0)@Tp"); // what @Tf allows is kept
    direct = test_turtle("F/(70)F");
    CHECK_VEC(t.l, direct.l.x, direct.l.y, direct.l.z, ROUNDING);
}

TD_TEST(turtle_scale_multiplies_lengths_and_brackets_restore_it) {
    CHECK_VEC(test_turtle("@D(2)F(3)f(1)").p, 0, 8, 0, 0);
    CHECK_VEC(test_turtle("@Di(2)@Di(3)@Dd(4)F(2)[@D(9)]F(2)").p, 0, 6, 0, ROUNDING);
}

// ---- what is drawn --------------------------------------------------------------------------

#define MAX_RECORDS 32
#define MAX_CORNERS 64

// all that a walk tells its sink
typedef struct record {
    tdi_turtle at;
    td_real size, width_end; // length, or size of an organ
    int32_t surface;
    bool disc;
    int64_t module;
} record;

typedef struct recorder {
    record segments[MAX_RECORDS], surfaces[MAX_RECORDS], balls[MAX_RECORDS], polygons[MAX_RECORDS];
    int32_t segment_count, surface_count, ball_count, polygon_count;
    td_vec3 corners[MAX_CORNERS]; // of all polygons
    int32_t corner_counts[MAX_RECORDS];
    int32_t corner_count;
    td_status status;
    td_diag diag;
} recorder;

static td_status on_segment(void *context, tdi_turtle *at, td_real length, td_real width_end,
                            int64_t module, td_diag *diag) {
    recorder *r = context;
    (void)diag;
    if (r->segment_count < MAX_RECORDS) {
        r->segments[r->segment_count] = (record){*at, length, width_end, 0, false, module};
    }
    at->mark = r->segment_count++;
    return TD_OK;
}

static td_status on_polygon(void *context, const tdi_turtle *open, const td_vec3 *points,
                            int32_t count, int64_t module, td_diag *diag) {
    recorder *r = context;
    (void)diag;
    for (int32_t i = 0; i < count && r->corner_count < MAX_CORNERS; i++) {
        r->corners[r->corner_count++] = points[i];
    }
    if (r->polygon_count < MAX_RECORDS) {
        r->corner_counts[r->polygon_count] = count;
        r->polygons[r->polygon_count++] = (record){*open, 0, 0, 0, false, module};
    }
    return TD_OK;
}

static td_status on_surface(void *context, const tdi_turtle *at, int32_t surface, td_vec3 size,
                            int64_t module, td_diag *diag) {
    recorder *r = context;
    (void)diag;
    if (r->surface_count < MAX_RECORDS) {
        r->surfaces[r->surface_count++] = (record){*at, size.y, 0, surface, false, module};
    }
    return TD_OK;
}

static td_status on_ball(void *context, const tdi_turtle *at, bool disc, td_real diameter,
                         int64_t module, td_diag *diag) {
    recorder *r = context;
    (void)diag;
    if (r->ball_count < MAX_RECORDS) {
        r->balls[r->ball_count++] = (record){*at, diameter, 0, 0, disc, module};
    }
    return TD_OK;
}

// walks the axiom of a model
static recorder draw(const char *header, const char *string) {
    recorder r;
    char text[2048];
    memset(&r, 0, sizeof r);
    snprintf(text, sizeof text, "%s\naxiom: %s\n", header, string);
    OWNED(test_model) m = test_model_good(text, 0);
    r.status = m.status;
    if (m.status == TD_OK) {
        tdi_turtle_sink sink = {&r, on_segment, on_polygon, on_surface, on_ball, NULL};
        td_string s = td_derivation_string(m.derivation);
        r.status = tdi_turtle_walk(m.grammar, &s, &sink, NULL, &r.diag);
    }
    return r;
}

static recorder draw_good(const char *header, const char *string) {
    recorder r = draw(header, string);
    if (r.status != TD_OK) {
        test_failed(__FILE__, __LINE__, "%s: %s", string, r.diag.message);
    }
    return r;
}

TD_TEST(turtle_f_and_g_draw_and_their_small_letters_do_not) {
    recorder r = draw_good("", "F(1)f(2)G(3)g(4)F(0)-(90)F(-5)");
    CHECK_INT(r.segment_count, 3);
    CHECK_VEC(r.segments[0].at.position, 0, 0, 0, 0);
    CHECK_REL(r.segments[0].size, 1, 0);
    CHECK_INT(r.segments[0].module, 0);
    CHECK_VEC(r.segments[1].at.position, 0, 3, 0, 0);
    CHECK_REL(r.segments[1].size, 3, 0);
    CHECK_INT(r.segments[1].module, 2);
    // backwards: a piece of positive length the other way round
    CHECK_REL(r.segments[2].size, 5, 0);
    CHECK_VEC(r.segments[2].at.heading, -1, 0, 0, 0);
    CHECK_VEC(r.segments[2].at.up, 0, 0, 1, 0);
}

TD_TEST(turtle_pieces_stand_on_the_last_piece_of_their_branch) {
    recorder r = draw_good("", "F[+F[-F]F]F");
    const int32_t parents[] = {TD_NONE, 0, 1, 1, 0};
    CHECK_INT(r.segment_count, 5);
    for (int32_t i = 0; i < 5; i++) {
        CHECK_INT(r.segments[i].at.mark, parents[i]);
    }
}

TD_TEST(turtle_width_signs_set_step_and_restore_the_width) {
    recorder r = draw_good("initial line width: 2\nline width increment: 0.5",
                           "F!F!F#(3)F#F[!(0.25)F]F!(9)F");
    const double widths[] = {2, 1.5, 1, 3, 3.5, 0.25, 3.5, 9};
    CHECK_INT(r.segment_count, 8);
    for (int i = 0; i < 8; i++) {
        CHECK_REL(r.segments[i].at.width, widths[i], 0);
    }
    r = draw_good("", "F!(1)F!F#F!(0.05)!F"); // no width at first; steps of 0.1; never below 0
    CHECK(r.segments[0].at.width < 0);
    CHECK_REL(r.segments[1].at.width, 1, 0);
    CHECK_REL(r.segments[2].at.width, 0.9, 0);
    CHECK_REL(r.segments[3].at.width, 1, 0);
    CHECK_REL(r.segments[4].at.width, 0, 0);
}

TD_TEST(turtle_colour_signs_set_and_step_the_colour) {
    recorder r = draw_good("initial color: 4\ncolor increment: 3", "F;F'F,F;(7)F[,(2)F]F");
    const int32_t colors[] = {4, 7, 10, 7, 7, 2, 7};
    CHECK_INT(r.segment_count, 7);
    for (int i = 0; i < 7; i++) {
        CHECK_INT(r.segments[i].at.color, colors[i]);
    }
    r = draw_good("", "F;F,,F"); // none at first; steps of 1
    CHECK_INT(r.segments[0].at.color, TD_NONE);
    CHECK_INT(r.segments[1].at.color, 1);
    // steps end at the range of colours, they never overflow
    r = draw_good("color increment: 1000000", ";(999999999);F");
    CHECK_INT(r.segments[0].at.color, TD_NONE);
}

TD_TEST(turtle_materials_are_chosen_by_number_and_0_holds_from_the_start) {
    recorder r = draw_good("material: 5 oak\nmaterial: 0 branch", "F@Mat(5)F[@Mat(0)F]F");
    const int32_t materials[] = {1, 0, 1, 0}; // places in the header
    CHECK_INT(r.segment_count, 4);
    for (int i = 0; i < 4; i++) {
        CHECK_INT(r.segments[i].at.material, materials[i]);
    }
    r = draw("material: 5 oak", "F@Mat(6)F");
    CHECK_INT(r.status, TD_ERR_STRUCTURE);
    CHECK_INT(r.diag.index, 1);
    CHECK_HAS(r.diag.message, "material 6 is not declared");
}

TD_TEST(turtle_surfaces_balls_and_discs_have_their_size) {
    recorder r = draw_good("surface: L leaf\nsurface: R fruit",
                           "F(2)~L(0.5)~R~L(0)@O(3)@o(4)@c(5)!(0.7)@O@O(0)");
    CHECK_INT(r.surface_count, 2);
    CHECK_INT(r.surfaces[0].surface, 0);
    CHECK_REL(r.surfaces[0].size, 0.5, 0);
    CHECK_VEC(r.surfaces[0].at.position, 0, 2, 0, 0);
    CHECK_INT(r.surfaces[1].surface, 1);
    CHECK_REL(r.surfaces[1].size, 1, 0);
    CHECK_INT(r.ball_count, 4);
    const double sizes[] = {3, 4, 5, 0.7}; // a bare ball takes the width
    for (int i = 0; i < 4; i++) {
        CHECK_REL(r.balls[i].size, sizes[i], 0);
        CHECK_INT(r.balls[i].disc, i == 1 || i == 2);
    }
}

TD_TEST(turtle_scale_multiplies_widths_and_sizes) {
    recorder r =
        draw_good("surface: L leaf\nline width increment: 0.5", "@D(2)!(3)F#F~L(4)~L@O(5)");
    CHECK_REL(r.segments[0].at.width, 6, 0);
    CHECK_REL(r.segments[1].at.width, 7, 0);
    CHECK_REL(r.surfaces[0].size, 8, 0);
    CHECK_REL(r.surfaces[1].size, 2, 0);
    CHECK_REL(r.balls[0].size, 10, 0);
    r = draw("", "@D(0)F");
    CHECK_INT(r.status, TD_ERR_STRUCTURE);
    CHECK_HAS(r.diag.message, "sets the scale 0");
}

TD_TEST(turtle_conditional_cut_hides_the_rest_of_its_branch) {
    CHECK_INT(draw_good("", "F[F@mc(1)FF]F").segment_count, 3);
    CHECK_INT(draw_good("", "F[F@mc(0)FF]F").segment_count, 5);
}

TD_TEST(turtle_commands_without_a_meaning_for_bodies_change_nothing) {
    recorder r = draw_good("", "F@L(1)@S(2)@I(1)@mo@Tx(3)@;(3)@,F");
    CHECK_INT(r.segment_count, 2);
    CHECK_VEC(r.segments[1].at.position, 0, 1, 0, 0);
}

// ---- polygons -------------------------------------------------------------------------------

TD_TEST(turtle_f_in_a_polygon_adds_its_ends_as_corners) {
    const char *ways[] = {"{F-F-F}", "{f-f-f}", "{f-f-f-f}", "{.f.-f.-f.}", "{f-f-F-F}"};
    for (size_t i = 0; i < 5; i++) {
        recorder r = draw_good("", ways[i]);
        CHECK_INT(r.segment_count, 0); // the margin is not drawn
        CHECK_INT(r.polygon_count, 1);
        CHECK_INT(r.corner_counts[0], 4); // closed at the start, which is not counted twice
        CHECK_VEC(r.corners[0], 0, 0, 0, 0);
        CHECK_VEC(r.corners[1], 0, 1, 0, 0);
        CHECK_VEC(r.corners[2], 1, 1, 0, 0);
        CHECK_VEC(r.corners[3], 1, 0, 0, 0);
    }
}

TD_TEST(turtle_g_adds_no_corner_and_a_dot_adds_the_place) {
    recorder r = draw_good("", "F(5){G(1).-G(2).[+g(9).]-G(1)G(2).}");
    CHECK_INT(r.corner_counts[0], 4);
    CHECK_VEC(r.corners[0], 0, 6, 0, 0);
    CHECK_VEC(r.corners[1], 2, 6, 0, 0);
    CHECK_VEC(r.corners[2], 2, 15, 0, 0); // a branch may add corners too
    CHECK_VEC(r.corners[3], 2, 3, 0, 0);
    CHECK_VEC(r.polygons[0].at.position, 0, 5, 0, 0); // where it was opened
    CHECK_INT(r.polygons[0].at.mark, 0);
}

TD_TEST(turtle_polygons_nest_and_need_three_corners) {
    recorder r = draw_good("", "{f-f{f(2)-f(2)}-f}");
    CHECK_INT(r.polygon_count, 2);
    CHECK_INT(r.corner_counts[0], 3); // the inner one is done first
    CHECK_VEC(r.corners[0], 1, 1, 0, 0);
    CHECK_VEC(r.corners[1], 3, 1, 0, 0);
    CHECK_VEC(r.corners[2], 3, -1, 0, 0);
    CHECK_INT(r.corner_counts[1], 4);
    CHECK_VEC(r.corners[3], 0, 0, 0, 0);
    CHECK_VEC(r.corners[6], 2, -1, 0, 0);
    r = draw_good("", "{}");
    CHECK_INT(r.polygon_count, 0);
    r = draw_good("", "{f}{}{..}.");
    CHECK_INT(r.polygon_count, 0);
}

// ---- generalised cylinders ------------------------------------------------------------------

TD_TEST(turtle_cylinders_join_control_points_and_taper) {
    recorder r = draw_good("", "!(4)@GsF(3)-(90)F(4)!(2)@GcF(5)!(1)@GeF(1)");
    CHECK_INT(r.segment_count, 3);
    // from the start to the first control point, straight
    CHECK_REL(r.segments[0].size, 5, ROUNDING);
    CHECK_VEC(r.segments[0].at.heading, 0.8, 0.6, 0, ROUNDING);
    CHECK_REL(r.segments[0].at.width, 4, 0);
    CHECK_REL(r.segments[0].width_end, 2, 0);
    CHECK_VEC(r.segments[1].at.position, 4, 3, 0, ROUNDING);
    CHECK_REL(r.segments[1].size, 5, ROUNDING);
    CHECK_REL(r.segments[1].width_end, 1, 0);
    CHECK_INT(r.segments[1].at.mark, 0);
    // after the end pieces are drawn one by one again
    CHECK_REL(r.segments[2].size, 1, 0);
    CHECK_REL(r.segments[2].width_end, 1, 0);
    CHECK_INT(r.segments[2].at.mark, 1);
}

// From the last control point of the stem; f draws nothing by itself.
TD_TEST(turtle_cylinders_branch) {
    recorder r = draw_good("", "#(0.1)@Gsf(1)@Gc[+(90)f(1)!(0.05)@Gcf(1)@Ge][-(90)f(2)@Ge]");
    const int32_t parents[] = {TD_NONE, 0, 1, 0};
    const double lengths[] = {1, 1, 1, 2}, ends[] = {0.1, 0.05, 0.05, 0.1};
    CHECK_INT(r.segment_count, 4);
    for (int32_t i = 0; i < 4; i++) {
        CHECK_INT(r.segments[i].at.mark, parents[i]);
        CHECK_REL(r.segments[i].size, lengths[i], ROUNDING);
        CHECK_REL(r.segments[i].width_end, ends[i], 0);
    }
    CHECK_VEC(r.segments[2].at.position, -1, 1, 0, ROUNDING);
    CHECK_VEC(r.segments[3].at.heading, 1, 0, 0, ROUNDING);
}

// A quarter turn between two control points: the spline is symmetric about the bisector, starts
// along the first heading and ends at the second point.
TD_TEST(turtle_cylinders_with_a_number_follow_a_spline) {
    recorder r = draw_good("", "#(4)@Gsf(1)-(90)f(1)#(2)@Gc(8)");
    CHECK_INT(r.segment_count, 8);
    for (int32_t i = 0; i < 8; i++) {
        const record *a = &r.segments[i], *b = &r.segments[7 - i];
        CHECK_INT(a->at.mark, i - 1);
        CHECK_REL(a->size, b->size, 1e-12);
        CHECK_REL(a->at.heading.x, b->at.heading.y, 1e-12);
        CHECK_REL(a->at.width, 4 - 0.25 * i, 1e-12);
        CHECK_REL(a->width_end, 4 - 0.25 * (i + 1), 1e-12);
    }
    CHECK(r.segments[0].at.heading.y > 0.98);
    const record *last = &r.segments[7];
    const td_vec3 end = tdi_madd(last->at.position, last->at.heading, last->size);
    CHECK_VEC(end, 1, 1, 0, ROUNDING);
}

// Radius 1 at both ends, leaving outwards at 45 degrees: (way, radius) is the cubic through (0, 1)
// and (1, 1) with the tangents (1, 1) and (1, -1): radius 1 + s - s^2, way s.
TD_TEST(turtle_cylinders_bulge_as_their_radius_tangents_say) {
    recorder r =
        draw_good("", "#(2)@Gr(-45,1.4142135623730951,45,1.4142135623730951)@Gsf(4)@Gc(4)");
    CHECK_INT(r.segment_count, 4);
    for (int32_t i = 0; i < 4; i++) {
        const double s = 0.25 * (i + 1);
        CHECK_REL(r.segments[i].width_end, 2 * (1 + s - s * s), 1e-12);
    }
    // tangents of the axis of length 0: slow at both ends
    r = draw_good("", "@Gt(0)@Gsf(1)@Gc(4)");
    CHECK_REL(r.segments[0].size, 3 / 16.0 - 2 / 64.0, 1e-12); // 3s^2 - 2s^3
}

TD_TEST(turtle_f_draws_in_a_branch_that_places_no_control_point) {
    recorder r = draw_good("", "@GsF@Gc[+(90)F(2)@GsF(3)@Ge]F@Ge");
    CHECK_INT(r.segment_count, 4);
    CHECK_REL(r.segments[0].size, 1, 0);
    CHECK_REL(r.segments[1].size, 2, 0);
    CHECK_INT(r.segments[1].at.mark, 0);
    CHECK_REL(r.segments[2].size, 3, 0);
    CHECK_INT(r.segments[2].at.mark, 1);
    CHECK_VEC(r.segments[3].at.position, 0, 1, 0, 0); // goes on where the cylinder was
    CHECK_REL(r.segments[3].size, 1, 0);
    CHECK_INT(r.segments[3].at.mark, 0);
}

// ---- skeletons and totals -------------------------------------------------------------------

TD_TEST(turtle_skeletons_stand_where_the_queries_say_in_metres) {
    const char *text = "length unit: 0.5\nwidth unit: 0.01\nangle increment: 35\n"
                       "axiom: !(4)F(2)?P(0,0,0)?H(0,0,0)[+(40)/(20)f(1)!(2)F(3)?P(0,0,0)?H(0,0,0)]"
                       "&F(1)?P(0,0,0)?H(0,0,0)\n";
    OWNED(test_model) m = test_model_good(text, 0);
    td_string s = td_derivation_string(m.derivation);
    OWNED(td_skeleton) *skeleton = NULL;
    CHECK_INT(td_skeleton_from_string(m.grammar, &s, NULL, NULL, &skeleton, NULL), TD_OK);
    td_vec3 origins[3] = {{0}};
    td_quat rotations[3];
    if (skeleton && td_skeleton_count(skeleton) == 3) {
        const td_segment *segments = td_skeleton_segments(skeleton);
        const double lengths[] = {1, 1.5, 0.5}, radii[] = {0.02, 0.01, 0.02};
        // parameters: one of !, one of F, then six of queries, ...
        const int64_t first[] = {2, 13, 20};
        td_skeleton_pose(skeleton, TD_POSE_REST, origins, rotations);
        for (int i = 0; i < 3; i++) {
            td_vec3 axis = tdi_quat_rotate(rotations[i], tdi_vec3(0, 1, 0));
            td_vec3 tip = tdi_madd(origins[i], axis, segments[i].length);
            CHECK_REL(segments[i].length, lengths[i], ROUNDING);
            CHECK_REL(segments[i].radius_base, radii[i], ROUNDING);
            CHECK_VEC(tip, test_param(&m, first[i]) * 0.5, test_param(&m, first[i] + 1) * 0.5,
                      test_param(&m, first[i] + 2) * 0.5, ROUNDING);
            CHECK_VEC(axis, test_param(&m, first[i] + 3), test_param(&m, first[i] + 4),
                      test_param(&m, first[i] + 5), ROUNDING);
        }
    } else {
        test_failed(__FILE__, __LINE__, "not three segments");
    }
}

TD_TEST(turtle_totals_sum_the_drawn_lengths_in_turtle_units) {
    OWNED(test_model) m =
        test_model_good("length unit: 0.1\naxiom: F(2)f(7)F[+F(3)]G(0.5)F(-4)\n", 0);
    td_totals totals = {0};
    td_string s = td_derivation_string(m.derivation);
    CHECK_INT(td_totals_from_string(m.grammar, &s, NULL, NULL, &totals, NULL), TD_OK);
    CHECK_REL(totals.length, 2 + 1 + 3 + 0.5 + 4, 1e-15);
    CHECK_INT(totals.segment_count, 5);
    CHECK_REL(totals.height, 1.05, 1e-15); // from 0 to 10.5 units: 2 + 7 + 1 + 0.5
}
