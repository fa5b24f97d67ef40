// SPDX-License-Identifier: MIT
// Constraints of scenes: reading, defaults, and every way in which they can be wrong. Pairs with
// src/scene/constraint*.c.

#include "test_world_support.h"

TD_TEST(scene_constraints_have_the_defaults_of_their_kind) {
    for (int kind = TD_CONSTRAINT_POINT; kind <= TD_CONSTRAINT_LIMIT; kind++) {
        const td_scene_constraint c = td_scene_constraint_default((td_constraint_kind)kind);
        CHECK_INT(c.kind, kind);
        CHECK(c.as.end > 1e20 && c.as.start == 0 && c.as.break_force == 0 && !c.as.b.given);
        CHECK_INT(c.as.a.place.segment_id, -1);
    }
    CHECK(td_scene_constraint_default(TD_CONSTRAINT_POINT).as.a.along == 1);
    CHECK(td_scene_constraint_default(TD_CONSTRAINT_HINGE).as.axis.z == 1);
    CHECK(td_scene_constraint_default(TD_CONSTRAINT_GEAR).as.ratio == 1);
    CHECK(td_scene_constraint_default(TD_CONSTRAINT_STOP).as.axis.y == 1);
    CHECK(td_scene_constraint_default(TD_CONSTRAINT_LIMIT).as.cone > 1e4);
}

// Read as far as the scene: no world is made.
static td_scene *read_scene(const char *text) {
    td_scene *scene = NULL;
    td_diag diags[4];
    td_diag_list list = {diags, 4, 0};
    td_status status = td_scene_from_value(value_of(text, NULL), "test.yaml", NULL, &scene, &list);
    CHECK_SAY(status == TD_OK, "%s", list.count > 0 ? diags[0].message : "");
    return scene;
}

TD_TEST(scene_reads_constraints_of_every_kind) {
    OWNED(td_scene) *scene = read_scene(
        "{objects: [{name: one, " ROD "}, {name: two, " ROPE "}], constraints: [\n"
        " {point: {name: pin, a: {object: two, segment: 3, along: 0.5, offset: [0, 0, 0.1]},\n"
        "  to: {keys: [[0, [0, 0, 0]], [1, [1, 0, 0]]]}, start: 1, end: 2, break: 5}},\n"
        " {weld: {b: {object: two}}}, {hinge: {axis: [1, 0, 0], angle: 90}},\n"
        " {slider: {b: {object: two}}}, {curve: {points: [[0, 0, 0], [1, 0, 0]]}},\n"
        " {distance: {b: {object: two}, length: 2}}, {rope: {to: [0, 1, 0], length: 3}},\n"
        " {stop: {to: [0, -1, 0]}}, {joint: {bend: [30, 0, 0]}}, {gear: {a: {segment: 1}, b: "
        "{segment: 2}, ratio: -2}},\n"
        " {limit: {low: -90, high: 45, cone: 30}}],\n"
        " record: {probes: [{constraint: pin, quantity: force}]}}");
    const td_scene_def *d = td_scene_def_get(scene);
    CHECK_INT(d->constraint_count, 11);
    for (int32_t k = 0; k < d->constraint_count; k++) {
        CHECK_INT(d->constraints[k].kind, k);
    }
    const struct td_constraint_terms *pin = &d->constraints[0].as;
    CHECK_TEXT(pin->name, "pin");
    CHECK(pin->to_given && pin->start == 1 && pin->end == 2 && pin->break_force == 5);
    CHECK_TEXT(pin->a.place.object, "two");
    CHECK(pin->a.place.segment_id == 3 && pin->a.along == 0.5 && pin->a.offset.z == 0.1);
    CHECK(d->constraints[1].as.b.given && !d->constraints[2].as.b.given);
    CHECK_REL(d->constraints[2].as.angle, acos(0), 1e-15);
    CHECK_INT(d->constraints[4].as.point_count, 2);
    CHECK(d->constraints[6].as.length == 3 && d->constraints[9].as.ratio == -2);
    CHECK_REL(d->constraints[10].as.low, -acos(0), 1e-15);
    CHECK_TEXT(d->record.probes[0].constraint, "pin");
}

#define TWO "objects: [{name: one, " ROD "}, {name: two, " ROPE "}], constraints:\n "

TD_TEST(scene_faults_of_constraints_have_their_places) {
    static const fault faults[] = {
        {"{" TWO "[{point: {a: {object: three}}}]}", 2, 24, "no object named 'three'"},
        {"{" TWO "[{point: {a: {instance: 1}}}]}", 2, 26, "has 1 instance,"},
        {"{" TWO "[{weld: {b: {object: three}}}]}", 2, 23, "no object named 'three'"},
        {"{" TWO "[{weld: {a: {segment: 1}, b: {segment: 1}}}]}", 2, 31,
         "both sides are on the same segment"},
        {"{" TWO "[{rope: {b: {object: two}, to: [0, 0, 0]}}]}", 2, 33, "remove one of them"},
        {"{" TWO "[{hinge: {axis: [0, 0, 0]}}]}", 2, 18, "needs a direction"},
        {"{" TWO "[{curve: {points: [[0, 0, 0]]}}]}", 2, 20, "at least two points"},
        {"{" TWO "[{curve: {}}]}", 2, 11, "lacks the key 'points'"},
        {"{" TWO "[{gear: {a: {segment: 1}}}]}", 2, 10, "'b' is missing"},
        {"{" TWO "[{limit: {low: 10, high: -10}}]}", 2, 27, "must be above 'low'"},
        {"{" TWO "[{point: {start: 2, end: 1}}]}", 2, 27, "not be before 'start'"},
        {"{" TWO "[{point: {name: a}}, {weld: {name: a}}]}", 2, 37, "already has this name"},
        {"{" TWO "[{pont: {}}]}", 2, 4, "did you mean 'point'"},
        {"{" TWO "[{point: {lenght: 2}}]}", 2, 12, "lenght"},
        {"{" TWO "[{rope: {length: -2}}]}", 2, 19, "'length' is -2"},
        {"{" TWO "[{rope: {length: 2}}]}", 2, 10, "the other end is missing"},
        {"{" TWO "[{point: {name: a}}], record: {probes: [{constraint: b, quantity: force}]}}", 2,
         55, "no constraint named 'b'"},
        {"{" TWO "[{point: {name: a}}], record: {probes: [{constraint: a}]}}", 2, 55,
         "'quantity: force'"},
        {"{" TWO "[], record: {probes: [{quantity: force}]}}", 2, 35, "needs 'constraint'"},
    };
    check_faults(faults, sizeof faults / sizeof faults[0]);
}

TD_TEST(scene_constraints_refuse_what_cannot_be_held_with_them) {
    static const fault faults[] = {
        {"{objects: [{name: one, time_scale: 0.5, " ROD "}], constraints:\n"
         " [{point: {a: {object: one}}}]}",
         2, 24, "'time_scale' cannot be combined"},
        {"{objects: [{integrator: implicit-euler, " ROD "}, {name: two, " ROD "}], constraints:\n"
         " [{weld: {b: {object: two}}}]}",
         2, 23, "the same integrator"},
        {"{objects: [{name: one, integrator: rk4, " ROD "}, {name: two, integrator: rk4, " ROD
         "}], constraints:\n"
         " [{hinge: {b: {object: two}, angle: 5}}]}",
         2, 37, "'implicit'"},
    };
    check_faults(faults, sizeof faults / sizeof faults[0]);
}
