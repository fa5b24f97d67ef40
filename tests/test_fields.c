// SPDX-License-Identifier: MIT
// Structs from values by tables, their paths and their reference. Pairs with src/scene/fields*.c.
// The values come from a small reader of JSON here, so that these tests need no library.

#include "base/value.h"
#include "math/angle.h"
#include "td_test.h"
#include "scene/fields.h"

// ---- a reader -------------------------------------------------------------------------------

// JSON whose texts need no quotes and whose keys are words; good input only
static td_value *values_of(const char *text, const td_alloc *alloc) {
    td_value_builder *b = NULL;
    td_value *root = NULL;
    td_diag diag = {.message = ""};
    int32_t line = 1;
    const char *start = text;
    if (td_value_builder_new("test", text, strlen(text), alloc, &b) != TD_OK) {
        return NULL;
    }
    for (const char *at = text; *at;) {
        int32_t column = (int32_t)(at - start) + 1;
        size_t size = strcspn(at, "{}[],: \n");
        if (size > 0 && td_value_builder_wants_key(b)) {
            CHECK(td_value_builder_key(b, at, size, line, column) == TD_OK);
        } else if (size > 0) {
            CHECK(td_value_builder_scalar(b, at, size, false, line, column) == TD_OK);
        } else if (*at == '{') {
            CHECK(td_value_builder_begin_map(b, line, column) == TD_OK);
        } else if (*at == '[') {
            CHECK(td_value_builder_begin_list(b, line, column) == TD_OK);
        } else if (*at == '}' || *at == ']') {
            CHECK(td_value_builder_end(b) == TD_OK);
        } else if (*at == '\n') {
            line++;
            start = at + 1;
        }
        at += size > 0 ? size : 1;
    }
    td_status status = td_value_builder_finish(b, &root, &diag);
    CHECK(status == TD_OK || (alloc && status == TD_ERR_MEMORY));
    return root;
}

// ---- structs --------------------------------------------------------------------------------

typedef enum profile { EVEN = 3, ROUGH = 5 } profile;
typedef enum load_kind { WIND = 7, PULL = 8, WAIT = 9 } load_kind;

typedef struct wind {
    td_real speed;
    td_vec3 towards;
    profile profile;
    td_real gust;
    bool has_gust;
} wind;

typedef struct pull {
    const char *at;
    td_real angle; // rad
    int32_t segment;
} pull;

typedef struct load {
    load_kind kind;
    union {
        wind wind;
        pull pull;
        td_real wait;
    } as;
} load;

typedef struct group {
    const char *name;
    struct group *groups;
    int32_t group_count;
} group;

typedef struct scene {
    td_real step;
    bool ground;
    td_quat turn, facing;
    wind air;
    load *loads;
    int32_t load_count;
    td_vec3 *points;
    int32_t point_count;
    group *groups;
    int32_t group_count;
    const td_value *extra;
} scene;

static const tdi_choice profiles[] = {
    {"even", EVEN, "the same everywhere"}, {"rough", ROUGH, NULL}, {0}};
static const tdi_scene_field wind_fields[] = {
    {"speed", TDI_SCENE_REAL, offsetof(wind, speed), .unit = "m/s", .def = {2}, .high = 100,
     .keyed = true, .doc = "How fast the air moves."},
    {"towards", TDI_SCENE_VEC3, offsetof(wind, towards), .def = {1, 0, 0}, .low = -1, .high = 1,
     .keyed = true, .doc = "Where it blows to."},
    {"profile", TDI_SCENE_CHOICE, offsetof(wind, profile), .def = {EVEN}, .choices = profiles,
     .doc = "How the speed grows with height."},
    {"gust", TDI_SCENE_REAL, offsetof(wind, gust), .given = offsetof(wind, has_gust)},
    {0}};
static const tdi_scene_table wind_table = {"wind", sizeof(wind), wind_fields, .doc = "Moving air."};
static const tdi_scene_field pull_fields[] = {
    {"at", TDI_SCENE_TEXT, offsetof(pull, at), .required = true, .doc = "Who."},
    {"degrees", TDI_SCENE_REAL, offsetof(pull, angle), .def = {30}, .scale = TDI_PI / 180,
     .low = -180, .high = 180, .keyed = true},
    {"segment", TDI_SCENE_INT, offsetof(pull, segment), .low = 0, .high = 50},
    {0}};
static const tdi_scene_table pull_table = {"pull", sizeof(pull), pull_fields, .doc = "A hand."};
static const tdi_scene_field load_fields[] = {
    {"wind", TDI_SCENE_MAP, offsetof(load, as.wind), .tag = WIND, .table = &wind_table},
    {"pull", TDI_SCENE_MAP, offsetof(load, as.pull), .tag = PULL, .table = &pull_table},
    {"wait", TDI_SCENE_REAL, offsetof(load, as.wait), .tag = WAIT, .unit = "s"},
    {0}};
static const tdi_scene_table load_table = {"load",
                                           sizeof(load),
                                           load_fields,
                                           .one_of = true,
                                           .tag = offsetof(load, kind),
                                           .doc = "What acts."};
static const tdi_scene_table group_table;
static const tdi_scene_field group_fields[] = {
    {"name", TDI_SCENE_TEXT, offsetof(group, name), .doc = "Its name."},
    {"groups", TDI_SCENE_LIST, offsetof(group, groups), .table = &group_table,
     .count = offsetof(group, group_count)},
    {0}};
static const tdi_scene_table group_table = {"group", sizeof(group), group_fields, .doc = "Some."};
static const tdi_scene_field point = {"points", TDI_SCENE_VEC3, 0, .unit = "m"};
static const tdi_scene_field scene_fields[] = {
    {"step", TDI_SCENE_REAL, offsetof(scene, step), .unit = "s", .def = {1.0 / 60}, .high = 1,
     .low_open = true, .doc = "Time of one step."},
    {"ground", TDI_SCENE_BOOL, offsetof(scene, ground), .def = {1}},
    {"turn", TDI_SCENE_ROTATION, offsetof(scene, turn), .keyed = true},
    {"facing", TDI_SCENE_ROTATION, offsetof(scene, facing), .def = {0, 0, 1, 0}},
    {"air", TDI_SCENE_MAP, offsetof(scene, air), .table = &wind_table},
    {"loads", TDI_SCENE_LIST, offsetof(scene, loads), .table = &load_table,
     .count = offsetof(scene, load_count), .max_count = 10},
    {"points", TDI_SCENE_LIST, offsetof(scene, points), .item = &point,
     .count = offsetof(scene, point_count)},
    {"groups", TDI_SCENE_LIST, offsetof(scene, groups), .table = &group_table,
     .count = offsetof(scene, group_count)},
    {"extra", TDI_SCENE_VALUE, offsetof(scene, extra), .doc = "More."},
    {0}};
static const tdi_scene_table scene_table = {"scene", sizeof(scene), scene_fields,
                                            .doc = "All of it."};

static scene fill(const char *text, tdi_fields *fields) {
    td_diag items[4];
    td_diag_list diags = {items, 4, 0};
    scene s;
    OWNED(td_value) *value = values_of(text, NULL);
    CHECK_INT(tdi_fields_fill(&scene_table, value, &s, NULL, fields, &diags), TD_OK);
    CHECK_TEXT(diags.count > 0 ? items[0].message : "", "");
    return s;
}

static int32_t refused(const char *text, td_diag items[16]) {
    td_diag_list diags = {items, 16, 0};
    scene s;
    tdi_fields fields;
    OWNED(td_value) *value = values_of(text, NULL);
    memset(items, 0, 16 * sizeof *items);
    CHECK_INT(tdi_fields_fill(&scene_table, value, &s, NULL, &fields, &diags), TD_ERR_SYNTAX);
    CHECK(s.loads == NULL && fields.tracks == NULL && fields.arena.chunks == NULL);
    return diags.count;
}

// ---- filling --------------------------------------------------------------------------------

TD_TEST(fields_that_are_not_given_have_their_defaults) {
    tdi_fields fields;
    scene s = fill("{}", &fields);
    CHECK(s.step == 1.0 / 60);
    CHECK(s.ground);
    CHECK(s.turn.w == 1 && s.turn.x == 0);
    CHECK(s.facing.w == 0 && s.facing.y == 1);
    CHECK(s.air.speed == 2 && s.air.towards.x == 1 && !s.air.has_gust);
    CHECK_INT(s.air.profile, EVEN);
    CHECK(s.loads == NULL && s.load_count == 0 && s.extra == NULL);
    CHECK_INT(fields.track_count, 0);
    tdi_fields_free(&fields);
}

TD_TEST(fields_of_every_kind_are_filled) {
    tdi_fields fields;
    scene s = fill("{step: 1/4, ground: false, turn: {axis: [0, 0, 2], degrees: 90},\n"
                   "facing: [-2, 0, 0, 0], air: {gust: 0, profile: rough, towards: [0, 1, -1]},\n"
                   "points: [[1, 2, 3], [4, 5, 6]], loads: [{wind: {speed: 9}},\n"
                   "{pull: {at: 12, degrees: 90, segment: 50}}, {wind: ~}, {wait: 1.5}],\n"
                   "groups: [{name: a, groups: [{name: b}, {name: c}]}]}",
                   &fields);
    CHECK(s.step == 0.25 && !s.ground);
    CHECK_REL(s.turn.w, sqrt(0.5), 1e-15);
    CHECK_REL(s.turn.z, sqrt(0.5), 1e-15);
    CHECK(s.facing.w == 1);
    CHECK(s.air.has_gust && s.air.gust == 0 && s.air.profile == ROUGH && s.air.towards.z == -1);
    CHECK_INT(s.point_count, 2);
    CHECK(s.points[1].x == 4 && s.points[1].z == 6);
    CHECK_INT(s.load_count, 4);
    CHECK(s.loads[0].kind == WIND && s.loads[0].as.wind.speed == 9);
    CHECK(s.loads[0].as.wind.towards.x == 1);
    CHECK(s.loads[1].kind == PULL && s.loads[1].as.pull.segment == 50);
    CHECK_TEXT(s.loads[1].as.pull.at, "12");
    CHECK_REL(s.loads[1].as.pull.angle, TDI_PI / 2, 1e-15);
    CHECK(s.loads[2].kind == WIND && s.loads[2].as.wind.speed == 2);
    CHECK(s.loads[3].kind == WAIT && s.loads[3].as.wait == 1.5);
    CHECK_INT(s.groups[0].group_count, 2);
    CHECK_TEXT(s.groups[0].groups[1].name, "c");
    tdi_fields_free(&fields);
}

TD_TEST(fields_can_hand_a_value_through) {
    OWNED(td_value) *value = values_of("{extra: {anything: [1, goes]}}", NULL);
    scene s;
    tdi_fields fields;
    CHECK_INT(tdi_fields_fill(&scene_table, value, &s, NULL, &fields, NULL), TD_OK);
    CHECK_INT(td_value_get(s.extra, "anything")->count, 2);
    tdi_fields_free(&fields);
}

static void init_pull(void *object) {
    *(pull *)object = (pull){"base", TDI_PI / 4, 6};
}

TD_TEST(fields_of_a_table_with_init_start_from_it) {
    tdi_scene_table table = pull_table;
    pull p;
    table.init = init_pull;
    tdi_fields_defaults(&table, &p);
    CHECK_TEXT(p.at, "base");
    CHECK_INT(p.segment, 6);
}

// ---- tracks ---------------------------------------------------------------------------------

TD_TEST(fields_with_keys_become_tracks) {
    tdi_fields fields;
    OWNED(td_value) *value =
        values_of("{air: {speed: {keys: [[0, 1], [1/2, 5], [2, 3]], interpolate: linear},\n"
                  "towards: {keys: [[0, [1, 0, 0]], [1, [0, 1, 0]]], repeat: true}},\n"
                  "loads: [{pull: {at: x, degrees: {keys: [[5, 180]]}}}],\n"
                  "turn: {keys: [[0, [1, 0, 0, 0]], [1, {axis: [0, 1, 0], degrees: 180}]]}}",
                  NULL);
    scene s;
    CHECK_INT(tdi_fields_fill(&scene_table, value, &s, NULL, &fields, NULL), TD_OK);
    CHECK_INT(fields.track_count, 4);
    const tdi_track *speed = &fields.tracks[0], *towards = &fields.tracks[1];
    const tdi_track *angle = &fields.tracks[2], *turn = &fields.tracks[3];
    CHECK(speed->place == &s.air.speed && s.air.speed == 1);
    CHECK_INT(speed->components, 1);
    CHECK_INT(speed->key_count, 3);
    CHECK(speed->times[1] == 0.5 && speed->values[1] == 5);
    CHECK(speed->interpolation == TD_LINEAR && !speed->repeat);
    CHECK(speed->value == tdi_fields_where(value, "air.speed"));
    CHECK(towards->place == &s.air.towards.x && towards->values[4] == 1);
    CHECK(towards->interpolation == TD_SMOOTH && towards->repeat);
    CHECK_INT(towards->components, 3);
    CHECK(angle->place == &s.loads[0].as.pull.angle);
    CHECK_REL(s.loads[0].as.pull.angle, TDI_PI, 1e-15);
    CHECK_TEXT(angle->field->key, "degrees");
    CHECK_INT(turn->components, 4);
    CHECK(turn->values[4] == 0 && turn->values[6] == 1);
    CHECK(turn->turns == NULL && speed->turns == NULL);
    tdi_fields_free(&fields);
}

TD_TEST(fields_with_keys_make_curves) {
    tdi_fields fields;
    scene s;
    td_value *value =
        values_of("{air: {speed: {keys: [[0, 1], [2, 5]], interpolate: linear}}}", NULL);
    CHECK_INT(tdi_fields_fill(&scene_table, value, &s, NULL, &fields, NULL), TD_OK);
    td_value_free(value);
    const tdi_track *track = &fields.tracks[0];
    td_curve_def def = td_curve_def_default();
    OWNED(td_curve) *curve = NULL;
    def.key_count = track->key_count;
    def.part_count = track->components;
    def.times = track->times;
    def.values = track->values;
    def.interpolation = track->interpolation;
    def.repeat = track->repeat;
    CHECK_INT(td_curve_new(&def, NULL, &curve, NULL), TD_OK);
    td_curve_at(curve, 1, track->place, NULL, NULL);
    CHECK(s.air.speed == 3);
    tdi_fields_free(&fields);
}

// two and a half turns are no half turn
TD_TEST(fields_with_rotations_by_angle_keep_whole_turns) {
    tdi_fields fields;
    scene s = fill("{turn: {keys: [[0, {axis: [0, 3, 0], degrees: 0}],\n"
                   "[4, {axis: [0, 3, 0], degrees: 900}]]}}",
                   &fields);
    CHECK_INT(fields.track_count, 1);
    CHECK(fields.tracks[0].turns[0].y == 0);
    CHECK_REL(fields.tracks[0].turns[1].y, 5 * TDI_PI, 1e-15);
    CHECK(s.turn.w == 1);
    tdi_fields_free(&fields);
}

typedef struct fault {
    const char *text;
    int32_t line, column;
    const char *message; // a part of it
} fault;

static void check_faults(const fault *faults, size_t count) {
    for (size_t i = 0; i < count; i++) {
        td_diag items[16];
        int32_t got = refused(faults[i].text, items);
        if (got != 1 || items[0].line != faults[i].line || items[0].column != faults[i].column ||
            !strstr(items[0].message, faults[i].message)) {
            test_failed(__FILE__, __LINE__, "%s gives %d faults, the first at %d:%d: %s",
                        faults[i].text, (int)got, (int)items[0].line, (int)items[0].column,
                        items[0].message);
        }
    }
}

TD_TEST(fields_with_bad_keys_are_refused_at_the_key) {
    static const fault faults[] = {
        {"{air: {speed: {keys: [[0, 1],\n[2, 1], [1, 1]]}}}", 2, 10, "1 s comes after 2 s"},
        {"{air: {speed: {keys: [[0, 1], [0, 1]]}}}", 1, 32, "out of order"},
        {"{air: {speed: {keys: [[0, 1], [1, 101]]}}}", 1, 35, "from 0 to 100"},
        {"{air: {speed: {keys: [[0, 1], [a, 1]]}}}", 1, 32, "'time of a key' must be a number"},
        {"{air: {speed: {keys: [[0, 1, 2]]}}}", 1, 23, "[time, value]"},
        {"{air: {speed: {keys: [3]}}}", 1, 23, "[time, value]"},
        {"{air: {speed: {keys: []}}}", 1, 22, "at least 1"},
        {"{air: {speed: {keys: 3}}}", 1, 22, "at least 1"},
        {"{air: {speed: {keys: [[0, 1]], repeat: true}}}", 1, 22, "at least 2"},
        {"{air: {speed: {keys: [[0, 1]], interpolate: cubic}}}", 1, 45, "smooth, linear, step"},
        {"{air: {speed: {keys: [[0, 1]], repaet: true}}}", 1, 32, "did you mean 'repeat'?"},
        {"{air: {speed: {repeat: true}}}", 1, 15, "lacks the key 'keys'"},
        {"{step: {keys: [[0, 1]]}}", 1, 8, "'step' cannot change over time"},
        {"{air: {towards: {keys: [[0, 1]]}}}", 1, 29, "a list of 3 numbers"},
        {"{turn: {keys: [[0, [0, 0, 0, 0]]]}}", 1, 20, "not a rotation"},
    };
    check_faults(faults, sizeof faults / sizeof faults[0]);
}

// ---- faults ---------------------------------------------------------------------------------

TD_TEST(fields_with_wrong_values_are_refused_in_their_place) {
    static const fault faults[] = {
        {"3", 1, 1, "'scene' must be a map of keys; found '3'"},
        {"{stpe: 1}", 1, 2, "there is no 'stpe' in 'scene'; did you mean 'step'?"},
        {"{xylophone: 1}", 1, 2, "expected one of step, ground, turn"},
        {"{step: fast}", 1, 8, "'step' must be a number in s; found the text 'fast'"},
        {"{step: .inf}", 1, 8, "must be a number"},
        {"{step: .nan}", 1, 8, "must be a number"},
        {"{step: ~}", 1, 8, "must be a number"},
        {"{step: 0}", 1, 8, "'step' is 0 s; it must be a number above 0 and at most 1"},
        {"{air: {speed: -1}}", 1, 15, "a number from 0 to 100"},
        {"{air: {towards: [1, 2, 0]}}", 1, 21, "'towards' is 2; it must be"},
        {"{air: {towards: [1, 2]}}", 1, 17, "a list of 3 numbers; found 2"},
        {"{air: {towards: 1}}", 1, 17, "a list of 3 numbers; found '1'"},
        {"{air: {profile: smooth}}", 1, 17, "one of even, rough; found the text 'smooth'"},
        {"{air: []}", 1, 7, "'wind' must be a map of keys; found a list"},
        {"{ground: 1}", 1, 10, "'ground' must be true or false; found '1'"},
        {"{turn: 3}", 1, 8, "degrees"},
        {"{turn: [1, 0, 0]}", 1, 8, "a list of 4 numbers"},
        {"{turn: [0, 0, 0, 0]}", 1, 8, "not a rotation"},
        {"{turn: {axis: [0, 0, 0], degrees: 3}}", 1, 8, "no direction"},
        {"{turn: {axis: [0, 0, 1]}}", 1, 8, "lacks the key 'degrees'"},
        {"{loads: 3}", 1, 9, "'loads' must be a list; found '3'"},
        {"{loads: [3]}", 1, 10, "'load' must be a map"},
        {"{loads: [{}]}", 1, 10, "one key that names its kind; found 0 keys"},
        {"{loads: [{wind: {}, pull: {at: x}}]}", 1, 10, "found 2 keys"},
        {"{loads: [{wnid: {}}]}", 1, 11, "did you mean 'wind'?"},
        {"{loads: [{pull: {}}]}", 1, 17, "'pull' lacks the key 'at'"},
        {"{loads: [{pull: {at: []}}]}", 1, 22, "'at' must be a text; found a list"},
        {"{loads: [{pull: {at: x, segment: 1.5}}]}", 1, 34, "a whole number from 0 to 50"},
        {"{loads: [{pull: {at: x, segment: 51}}]}", 1, 34, "from 0 to 50"},
        {"{loads: [{}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}]}", 1, 9, "at most 10"},
        {"{points: [[1, 2, 3], [1, x, 3]]}", 1, 26, "'points' must be a number in m"},
    };
    check_faults(faults, sizeof faults / sizeof faults[0]);
}

TD_TEST(fields_report_all_faults_in_the_order_of_the_text) {
    td_diag items[16];
    int32_t count = refused("{step: 0, ground: maybe,\nsky: blue,\nair: {speed: [], gust: x},\n"
                            "loads: [{pull: {segment: -1}}, {what: 1}]}",
                            items);
    static const int32_t lines[] = {1, 1, 2, 3, 3, 4, 4, 4};
    CHECK_INT(count, 8);
    for (int i = 0; i < 8; i++) {
        CHECK_INT(items[i].line, lines[i]);
        CHECK_TEXT(items[i].file, "test");
        CHECK(items[i].source[0] != 0);
    }
    CHECK_TEXT(items[2].source, "sky: blue,");
}

TD_TEST(fields_give_up_after_a_hundred_faults) {
    static char text[20000];
    size_t size = (size_t)snprintf(text, sizeof text, "{points: [");
    for (int i = 0; i < 1000; i++) {
        size += (size_t)snprintf(text + size, sizeof text - size, "[x, x, x], ");
    }
    snprintf(text + size, sizeof text - size, "]}");
    td_diag items[16];
    CHECK_INT(refused(text, items), 100);
}

TD_TEST(fields_survive_every_failing_allocation) {
    static const char text[] = "{air: {speed: {keys: [[0, 1], [1, 2]]}}, points: [[1, 2, 3]],\n"
                               "groups: [{name: a, groups: [{name: b}]}],\n"
                               "loads: [{pull: {at: x, degrees: {keys: [[5, 180]]}}}]}";
    OWNED(td_value) *value = values_of(text, NULL);
    WITH_SCARCE(memory, 1) {
        td_diag items[4];
        td_diag_list diags = {items, 4, 0};
        scene s;
        tdi_fields fields;
        CHECK_INT(tdi_fields_fill(&scene_table, value, &s, &memory.alloc, &fields, &diags),
                  scarce_status(&memory));
        CHECK_INT(diags.count, scarce_status(&memory) != TD_OK);
        tdi_fields_free(&fields);
    }
}

// every list and text gets a chunk of its own, so that each allocation can fail
TD_TEST(fields_of_large_parts_survive_every_failing_allocation) {
    static char text[400000];
    size_t size = (size_t)snprintf(text, sizeof text, "{air: {speed: {keys: [");
    for (int i = 0; i < 3000; i++) {
        size += (size_t)snprintf(text + size, sizeof text - size, "[%d, 1],", i);
    }
    size += (size_t)snprintf(text + size, sizeof text - size, "]}}, points: [");
    for (int i = 0; i < 3000; i++) {
        size += (size_t)snprintf(text + size, sizeof text - size, "[1, 2, 3],");
    }
    size += (size_t)snprintf(text + size, sizeof text - size, "], groups: [");
    for (int i = 0; i < 3000; i++) {
        size += (size_t)snprintf(text + size, sizeof text - size, "{name: n%d},", i);
    }
    snprintf(text + size, sizeof text - size, "]}");
    OWNED(td_value) *value = values_of(text, NULL);
    WITH_SCARCE(memory, 5) {
        scene s;
        tdi_fields fields;
        CHECK_INT(tdi_fields_fill(&scene_table, value, &s, &memory.alloc, &fields, NULL),
                  scarce_status(&memory));
        CHECK((s.points != NULL) == (scarce_status(&memory) == TD_OK));
        tdi_fields_free(&fields);
    }
}

// ---- paths ----------------------------------------------------------------------------------

static const char path_text[] = "{air: {speed: 3},\nloads: [{pull: {at: x}}, {wind: {speed: 4}},\n"
                                "{wait: 2}], points: [[1, 2, 3]]}";

TD_TEST(fields_can_be_read_and_set_by_path) {
    tdi_fields fields;
    scene s = fill(path_text, &fields);
    static const struct {
        const char *path;
        double was, becomes;
    } cases[] = {{"step", 1.0 / 60, 0.5},
                 {"ground", 1, 0},
                 {"air.speed", 3, 100},
                 {"air.towards.y", 0, -1},
                 {"loads[1].wind.speed", 4, 0},
                 {"loads[0].pull.degrees", 30, 60},
                 {"loads[0].pull.segment", 0, 50},
                 {"loads[2].wait", 2, -5},
                 {"points[0].z", 3, 7}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        td_real value = -1;
        CHECK_INT(tdi_fields_get(&scene_table, &s, cases[i].path, &value, NULL), TD_OK);
        CHECK_REL(value, cases[i].was, 1e-15);
        CHECK_INT(tdi_fields_set(&scene_table, &s, cases[i].path, cases[i].becomes, NULL), TD_OK);
        CHECK_INT(tdi_fields_get(&scene_table, &s, cases[i].path, &value, NULL), TD_OK);
        CHECK_REL(value, cases[i].becomes, 1e-15);
    }
    CHECK_REL(s.loads[0].as.pull.angle, TDI_PI / 3, 1e-15);
    CHECK(s.loads[1].as.wind.speed == 0 && !s.ground && s.points[0].z == 7);
    tdi_field_place place;
    CHECK_INT(tdi_fields_find(&scene_table, &s, "air.towards", &place, NULL), TD_OK);
    CHECK(place.at == &s.air.towards && place.components == 3);
    CHECK_INT(tdi_fields_find(&scene_table, &s, "turn", &place, NULL), TD_OK);
    CHECK_INT(place.components, 4);
    tdi_fields_free(&fields);
}

TD_TEST(fields_paths_that_lead_nowhere_are_refused) {
    static const char *const cases[][2] = {
        {"", "lacks a key"},
        {"stpe", "did you mean 'step'?"},
        {"air", "expected a dot and a key"},
        {"air.", "lacks a key"},
        {"air.sped", "did you mean 'speed'?"},
        {"air.speed.x", "has no parts"},
        {"air.towards", "expected .x, .y or .z"},
        {"air.towards.w", "expected .x, .y or .z"},
        {"air.towards.xy", "expected .x, .y or .z"},
        {"air.profile", "is not a number"},
        {"turn", "a rotation"},
        {"loads", "expected an index"},
        {"loads.wind.speed", "expected an index"},
        {"loads[].wind.speed", "expected an index"},
        {"loads[-1].wind.speed", "expected an index"},
        {"loads[99999999999].wind.speed", "expected an index"},
        {"loads[3].wind.speed", "'loads' has 3 items"},
        {"loads[1]", "expected a dot and a key"},
        {"loads[0].wind.speed", "not of this kind"},
        {"loads[0].pull.at", "is not a number"},
        {"points[0]", "expected .x, .y or .z"},
        {"step]", "has no parts"},
        {"extra", "is not a number"},
    };
    tdi_fields fields;
    scene s = fill(path_text, &fields);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        td_diag diag = {.message = ""};
        td_real value;
        CHECK_INT(tdi_fields_get(&scene_table, &s, cases[i][0], &value, &diag), TD_ERR_ARGUMENT);
        CHECK_HAS(diag.message, cases[i][1]);
    }
    tdi_fields_free(&fields);
}

TD_TEST(fields_cannot_be_set_out_of_their_range) {
    static const struct {
        const char *path;
        double value;
    } cases[] = {{"step", 0},
                 {"step", 1.5},
                 {"step", NAN},
                 {"air.speed", INFINITY},
                 {"air.gust", INFINITY},
                 {"air.towards.x", -1.01},
                 {"ground", 0.5},
                 {"loads[0].pull.segment", 1.5},
                 {"loads[0].pull.segment", 51},
                 {"loads[0].pull.degrees", 181}};
    tdi_fields fields;
    scene s = fill(path_text, &fields);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        td_diag diag = {.message = ""};
        td_real before = -1, after = -2;
        CHECK(tdi_fields_get(&scene_table, &s, cases[i].path, &before, NULL) == TD_OK);
        CHECK_INT(tdi_fields_set(&scene_table, &s, cases[i].path, cases[i].value, &diag),
                  TD_ERR_ARGUMENT);
        CHECK_HAS(diag.message, "it must be");
        CHECK(tdi_fields_get(&scene_table, &s, cases[i].path, &after, NULL) == TD_OK);
        CHECK(before == after);
    }
    tdi_fields_free(&fields);
}

TD_TEST(fields_path_finds_its_place_in_the_scene) {
    OWNED(td_value) *value = values_of(path_text, NULL);
    const td_value *speed = tdi_fields_where(value, "loads[1].wind.speed");
    CHECK(speed->number == 4 && speed->line == 2);
    // what was left out is looked for where it would stand
    CHECK(tdi_fields_where(value, "loads[1].wind.gust") ==
          tdi_fields_where(value, "loads[1].wind"));
    CHECK(tdi_fields_where(value, "loads[7].wind") == tdi_fields_where(value, "loads"));
    CHECK(tdi_fields_where(value, "points[0].y")->kind == TD_VALUE_LIST);
    CHECK(tdi_fields_where(value, "step") == value && tdi_fields_where(value, "") == value);
}

// ---- reference ------------------------------------------------------------------------------

typedef struct page {
    char text[8000];
    size_t size;
} page;

static void add_text(void *context, const char *text, size_t size) {
    page *p = context;
    CHECK(p->size + size < sizeof p->text);
    if (p->size + size < sizeof p->text) {
        memcpy(p->text + p->size, text, size);
        p->size += size;
        p->text[p->size] = 0;
    }
}

TD_TEST(fields_reference_has_every_table_once_and_every_key) {
    static page p;
    p.size = 0;
    CHECK_INT(tdi_fields_reference(&scene_table, 2, NULL, add_text, &p), TD_OK);
    CHECK(strncmp(p.text, "## scene\nAll of it.\n\n| key |", 28) == 0);
    static const char *const parts[] = {
        "\n| `step` | a number above 0 and at most 1, s | 0.0166666666667 | Time of one step. |\n",
        "\n| `ground` | `true` or `false` | `true` | |\n",
        "\n| `air` | [wind](#wind) | its defaults | |\n",
        "\n| `loads` | list of [load](#load) | empty | |\n",
        "\n| `points` | list of list of 3 numbers, m | empty | |\n",
        "\n| `profile` | `even` (the same everywhere), `rough` | `even` | How the speed",
        "\n| `at` | text | **required** | Who. |\n",
        "\n| `degrees` | a number from -180 to 180; can have keys | 30 | |\n",
        "\n## load\nWhat acts. One of these keys:\n\n| key | value | |\n|---|---|---|\n| `wind` |",
        "\n| `gust` | a number | none | |\n",
        "[1, 0, 0] | Where it blows to. |\n",
    };
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
        CHECK_HAS(p.text, parts[i]);
    }
    static const char *const names[] = {"\n## wind\n", "\n## load\n", "\n## pull\n",
                                        "\n## group\n"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        const char *first = strstr(p.text, names[i]);
        CHECK(first && !strstr(first + 1, names[i]));
    }
    for (const tdi_scene_field *field = scene_fields; field->key; field++) {
        char row[80];
        snprintf(row, sizeof row, "\n| `%s` |", field->key);
        CHECK_HAS(p.text, row);
    }
}

TD_TEST(fields_reference_survives_a_failing_allocation) {
    static page p;
    WITH_SCARCE(memory, 5) {
        p.size = 0;
        CHECK_INT(tdi_fields_reference(&scene_table, 2, &memory.alloc, add_text, &p),
                  scarce_status(&memory));
    }
}
