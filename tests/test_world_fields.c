// SPDX-License-Identifier: MIT
// Force fields of scenes. Pairs with src/world/fields.c and src/scene/scene_fields.c.

#include "test_world_support.h"

// A bar that nothing holds: one segment of 1 m and 0.1 kg, along X, with its centre at x = 0.5.
#define FREE                                                                             \
    "start: drawn, strand: {points: [[0, 0, 0], [1, 0, 0]], segments: 1, radius: 0.01, " \
    "line_mass: 0.1, start: {held: free}, inextensible: true, bend: 1e4, torsion: 1e4}"
#define STILL "gravity: [0, 0, 0], air_density: 0"

static td_vec3 momentum(const stage *s, int32_t actor) {
    return sums_at(s->world, actor).linear;
}

// ---- laws -----------------------------------------------------------------------------------

// A field of m g at the centres of mass is gravity.
TD_TEST(field_of_weight_is_gravity_by_all_solvers) {
    for (int k = 0; k < 3; k++) {
        char text[2][500];
        for (int i = 0; i < 2; i++) {
            snprintf(text[i], sizeof text[i],
                     "{%s tolerance: 1e-9, objects: [{solver: %s, start: drawn,\n"
                     " strand: {points: [[0, 0, 0], [0.3, 0, 0], [0.4, 0, 0.1]], segments: 10,\n"
                     " radius: 0.002, elements: 10}}]}",
                     i ? "gravity: [0, 0, 0], loads: [{field: {force: [0.2*mass, -9.81*mass, 0]}}],"
                       : "gravity: [0.2, -9.81, 0],",
                     solvers[k]);
        }
        OWNED(stage) a = stage_of(text[0]), b = stage_of(text[1]);
        steps(a.world, 30);
        steps(b.world, 30);
        CHECK(tip_of(a.world, 0, -1).y < -0.1);
        // a helix is an arc, whose centre is beside that of its chord by a twentieth of the sagitta
        CHECK_SAY(apart(tip_of(a.world, 0, -1), tip_of(b.world, 0, -1)) < (k < 2 ? 1e-7 : 1e-3),
                  "%s: %g", solvers[k], apart(tip_of(a.world, 0, -1), tip_of(b.world, 0, -1)));
    }
}

// The first step from rest is one of backward Euler: m v = F h, with F of the step's start.
TD_TEST(field_knows_what_its_names_say) {
    static const struct {
        const char *force;
        td_vec3 want;
    } cases[] = {
        {"x, y + 2, z - 3", {0.5, 2 + 4, -3}},
        {"mass, radius, length", {0.1, 0.01, 1}},
        {"vx, vy, vz", {7, 0, 0}},
        {"speed, instance, t + 1", {7, 0, 1}},
        {"y > 1, x < 0, 0", {1, 0, 0}},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        char text[700];
        snprintf(text, sizeof text,
                 "{" STILL ", tolerance: 1e-10, objects: [{" FREE ", position: [0, 4, 0]}],\n"
                 " loads: [{field: {force: [%s]}}]}",
                 cases[k].force);
        OWNED(stage) s = stage_of(text);
        td_vec3 want = cases[k].want, start = {0, 0, 0};
        if (k == 2 || k == 3) { // seven metres a second, by a push before
            snprintf(text, sizeof text,
                     "{" STILL ", tolerance: 1e-10, objects: [{" FREE ", position: [0, 4, 0]}],\n"
                     " loads: [{field: {force: [42, 0, 0], end: 1/60}},\n"
                     " {field: {force: [%s], start: 1/60}}]}",
                     cases[k].force);
            stage_free(&s);
            s = stage_of(text);
            steps(s.world, 1);
            start = momentum(&s, 0);
            CHECK_REL(start.x, 0.7, 1e-9);
            want = k == 3 ? tdi_vec3(7, 0, 1 + 1.0 / 60) : want;
        }
        steps(s.world, 1);
        const td_vec3 got = momentum(&s, 0), by = tdi_madd(start, want, td_world_dt(s.world));
        CHECK_SAY(apart(got, by) < 1e-7, "%s: %g %g %g, wanted %g %g %g", cases[k].force, got.x,
                  got.y, got.z, by.x, by.y, by.z);
    }
}

// x'' = -w^2 x of a bar, with 1 Hz. A force that is a step h old makes the motion grow by h w^2/2 a
// second, here 2 %.
TD_TEST(field_that_pulls_back_makes_a_body_swing) {
    for (int k = 0; k < 3; k++) {
        OWNED(stage) s = stage_printed(
            "{" STILL ", step: 1/1000, record: {fps: 100}, objects: [{solver: %s, " FREE
            "}],\n loads: [{field: {force: [0, 0, -39.4784176*mass*(z + 1)]}}]}",
            solvers[k]);
        td_real least = 0;
        for (int i = 0; i < 1000; i++) {
            steps(s.world, 1);
            const td_real z = tip_of(s.world, 0, -1).z;
            least = z < least ? z : least;
            CHECK(i != 499 || fabs(z + 2) < 0.02); // half a period
        }
        CHECK_IN(least, -2.02, -1.98);
        CHECK(fabs(tip_of(s.world, 0, -1).z) < 0.03);
    }
}

TD_TEST(field_acts_on_its_object_in_its_time_by_its_strength) {
    OWNED(stage) s =
        stage_of("{" STILL ", objects: [{name: a, " FREE "}, {name: b, " FREE "}],\n"
                 " loads: [{field: {object: b, force: [0, 6, 0], start: 0.1, end: 0.2,\n"
                 " strength: {keys: [[0, 2], [1, 2]]}}}]}");
    run_to(s.world, 0.1);
    CHECK(momentum(&s, 1).y == 0);
    run_to(s.world, 0.5);
    CHECK(momentum(&s, 0).y == 0);
    CHECK_REL(momentum(&s, 1).y, 1.2, 0.02); // F t, with BDF2's ends
    const td_real before = momentum(&s, 1).y;
    set(s.world, "loads[0].field.strength", 0);
    CHECK_REL(get(s.world, "loads[0].field.strength"), 0, 0);
    run_to(s.world, 0.6);
    CHECK_REL(momentum(&s, 1).y, before, 1e-9);
}

TD_TEST(field_tells_instances_apart) {
    OWNED(stage) s = stage_of("{" STILL ", objects: [{" FREE ", instances: {count: 3}}],\n"
                              " loads: [{field: {force: [instance, 0, 0]}}]}");
    steps(s.world, 1);
    for (int k = 0; k < 3; k++) {
        CHECK_REL(momentum(&s, k).x, k / 60.0, 1e-6);
    }
}

// ---- bits -----------------------------------------------------------------------------------

// A vortex about an axis that wanders, and drag by the speed.
#define VORTEX                                                                                  \
    "{step: 1/120, objects: [{solver: rod, instances: {count: 6}, strand: {points: [[0, 0, 0]," \
    "\n [0, 0.3, 0]], segments: 12, radius: 0.002}}], loads: [{field: {strength: {keys:\n"      \
    " [[0, 0], [0.2, 1]]}, force: [length*(-2*z - 0.1*vx*speed), 0.1*mass*sin(360*t),\n"        \
    " length*(2*(x - 0.1*cos(90*t)) - 0.1*vz*speed)]}}]}"

TD_TEST(field_gives_the_same_bits_for_any_threads_and_after_saving) {
    OWNED(stage) a = stage_of(VORTEX), b = stage_of(VORTEX);
    check_threads(VORTEX, NULL, 30);
    steps(a.world, 30);
    restore_from(b.world, a.world);
    check_same_way(a.world, b.world, 20);
    CHECK(apart(tip_of(a.world, 0, -1), tip_of(a.world, 1, -1)) > 0.01);
}

// ---- refusals -------------------------------------------------------------------------------

TD_TEST(field_without_a_value_stops_the_step_and_changes_nothing) {
    const char *text = "{" STILL ", objects: [{name: bar, " FREE "}],\n"
                       " loads: [{field: {force: [0, 1/(0.1 - t), 0]}}], step: 0.1,\n"
                       " record: {fps: 10}}";
    OWNED(stage) s = stage_of(text);
    td_diag diag = {.message = ""};
    steps(s.world, 1);
    FREED char *before = saved(s.world);
    CHECK_INT(td_world_step(s.world, &diag), TD_ERR_EVAL);
    CHECK_TEXT(diag.message,
               "'bar' at 0.1 s: loads[0].field.force[1] at segment 0, x = 0.5, y = 1, "
               "z = 0 m: division by zero (column 2 of the expression)");
    FREED char *after = saved(s.world);
    CHECK(memcmp(before, after, td_world_save_size(s.world)) == 0);
}

TD_TEST(field_that_is_wrong_is_refused_in_its_place) {
    static const struct {
        const char *field, *message;
        int32_t column;
    } cases[] = {
        {"{force: [0, x + foo, 0]}", "unknown name 'foo'", 17},
        {"{force: [0, 0, 2*(y + 1]}", "expected ')' before the end of the line", 24},
        {"{force: [0, 0]}", "'force' has 2 expressions; it must have 3, along X, Y and Z", 9},
        {"{force: [0, 0, 0, 0]}", "'force' has 4 items; it can have at most 3", 9},
        {"{object: nobody, force: [0, 0, 0]}", "there is no object named 'nobody'", 10},
        {"{object: barr, force: [0, 0, 0]}", "there is no object named 'barr'; did you mean 'bar'?",
         10},
        {"{force: [0, 0, 0], start: 2, end: 1}",
         "'end' is 1 s; it must not be before 'start', which is 2 s", 35},
        {"{strength: 2}", "'field' lacks the key 'force'", 1},
        {"{force: [0, [1], 0]}", "'expression' must be a text; found a list", 13},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        char text[500];
        snprintf(text, sizeof text, "{objects: [{name: bar, " FREE "}], loads: [{field:\n%s}]}",
                 cases[k].field);
        OWNED(stage) s = try_stage(text, 1, NULL);
        CHECK_INT(s.status, TD_ERR_SYNTAX);
        CHECK_TEXT(s.diags[0].message, cases[k].message);
        CHECK_INT(s.diags[0].line, 2);
        CHECK_SAY(s.diags[0].column == cases[k].column, "%s: column %d", cases[k].field,
                  s.diags[0].column);
    }
}

TD_TEST(field_filled_by_hand_is_checked) {
    static const char *const fine[] = {"x", "max(y, 0)", "t > 1 ? 2 : 3"},
                             *const wrong[] = {"x", "max(y)", "0"},
                             *const none[] = {"0", NULL, "0"};
    static const struct {
        const char *const *force;
        int32_t count;
        td_status status;
        const char *message;
    } cases[] = {
        {fine, 3, TD_OK, ""},
        {fine, 2, TD_ERR_SYNTAX,
         "loads[0].field.force: 'force' has 2 expressions; it must have 3, along X, Y and Z"},
        {wrong, 3, TD_ERR_SYNTAX,
         "loads[0].field.force[1]: max takes 2 parameters; 1 is given (column 1 of the "
         "expression)"},
        {none, 3, TD_ERR_SYNTAX,
         "loads[0].field.force[1]: expected a number, a name or '(' before the end of the line "
         "(column 1 of the expression)"},
        {NULL, 3, TD_ERR_SYNTAX, "loads[0].field.force: 3 of them are given as no array"},
    };
    static const td_vec3 points[] = {{0, 0, 0}, {0, -1, 0}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        td_scene_def def = td_scene_def_default();
        td_object_def object = td_object_def_default();
        td_scene_load load = td_scene_load_default(TD_SCENE_FIELD);
        const td_world_opts opts = td_world_opts_default();
        td_diag diags[2] = {{.message = ""}};
        td_diag_list list = {diags, 2, 0};
        OWNED(td_world) *world = NULL;
        object.strand.points = points;
        object.strand.point_count = 2;
        load.as.field.force = cases[k].force;
        load.as.field.force_count = cases[k].count;
        def.objects = &object;
        def.object_count = def.load_count = 1;
        def.loads = &load;
        CHECK_INT(td_world_new(&def, &opts, NULL, &world, &list), cases[k].status);
        CHECK_TEXT(diags[0].message, cases[k].message);
        steps(world, 2);
    }
}

TD_TEST(field_leaks_nothing_when_any_allocation_fails) {
    WITH_SCARCE(memory, 10) {
        OWNED(stage) s =
            try_stage("{" STILL ", objects: [{" FREE ", twisting: {keys: [[0, 1], [1, 2]]}}],"
                      "\n loads: [{field: {force: [x, y*2, -z]}}]}",
                      1, &memory.alloc);
        CHECK_INT(s.status, scarce_status(&memory));
        const long made = memory.heap.calls;
        steps(s.world, s.world ? 2 : 0);
        CHECK_INT(memory.heap.calls, made); // none in a step
    }
}
