// SPDX-License-Identifier: MIT
// Skeletons in JSON read back to the same bits; faults are told with their place.

#include "td_test.h"
#include "test_plant_support.h"

#include "plant/bytes.h"

#include <stdlib.h>

// organs of all kinds, a polygon, a cross-section of its own
static const char of_organs[] =
    "material: 0 green-wood\nmaterial: 1 leaf\nsurface: L leaf\nsurface: K flower\n"
    "surface: O fruit\n"
    "axiom: !(0.1)F(1)[+~L(1)][-F(1)~K(1)]F(1)[~O(1)]@Mat(1){.f(1)-(90)f(1)-(90)f(1)}\n";
static const char sprig[] =
    "derivation length: 6\nmaterial: 0 herb-stem\nlength unit: 0.03\nsurface: L leaf, segments=4\n"
    "axiom: !(0.06)A(1)\nA(s) --> F(s)[&(55)~L(s*1.5)]/(137.5)A(s*0.9)\n";
static const char *const plants[] = {of_organs, sprig, "axiom: B(1,0.2,0.3)\n"};

static td_status read(const char *text, td_skeleton **out, td_diag *diag) {
    return td_skeleton_from_json(text, strlen(text), "x.json", NULL, out, diag);
}

// The skeleton as text, which is to be freed, and read again.
static char *write(const td_skeleton *skeleton) {
    OWNED(td_bytes) bytes = {0};
    CHECK_INT(td_skeleton_json(skeleton, NULL, &bytes), TD_OK);
    char *text = calloc(bytes.size + 1, 1);
    memcpy(text, bytes.data, bytes.size);
    return text;
}

static void check_same_bits(const td_skeleton *a, const td_skeleton *b) {
    const size_t size = tdi_skeleton_bytes(a);
    CHECK_INT(tdi_skeleton_bytes(b), size);
    FREED char *first = calloc(size, 1), *second = calloc(size, 1);
    if (tdi_skeleton_bytes(b) == size) {
        tdi_skeleton_write(a, first);
        tdi_skeleton_write(b, second);
        CHECK(memcmp(first, second, size) == 0);
    }
}

static void check_round_trip(const td_skeleton *skeleton) {
    td_diag diag = {.message = ""};
    OWNED(td_skeleton) *again = NULL;
    FREED char *text = write(skeleton);
    CHECK(td_skeleton_is_json(text, strlen(text)));
    CHECK_SAY(read(text, &again, &diag) == TD_OK, "%d:%d: %s", diag.line, diag.column,
              diag.message);
    if (again) {
        check_same_bits(skeleton, again);
    }
}

TD_TEST(skeleton_json_of_plants_reads_back_to_the_same_bits) {
    for (size_t k = 0; k < sizeof plants / sizeof *plants; k++) {
        OWNED(test_plant) p = test_grow(plants[k], NULL);
        CHECK_INT(p.status, TD_OK);
        check_round_trip(p.skeleton);
    }
}

// A ring, a strand with a body, and all that a plant seldom has.
static td_skeleton *rare_skeleton(void) {
    OWNED(td_builder) *b = test_builder();
    td_skeleton *out = NULL;
    td_material m = td_material_get(3);
    td_contour contour = {.closed = true};
    td_shape box = td_shape_default();
    int32_t material = 0, number = 0, shape = 0;
    td_diag diag = {.message = ""};
    m.shear = 0;
    m.poisson = 0.3;
    strcpy(m.name, "a \"quoted\" \\ name\n");
    box.kind = TD_SHAPE_BOX;
    box.depth = 1.0 / 3;
    for (int32_t k = 0; k < TD_CONTOUR_POINTS; k++) {
        contour.x[k] = cos(0.2 * k);
        contour.z[k] = sin(0.2 * k);
    }
    CHECK_INT(td_builder_add_material(b, &m, &material, &diag), TD_OK);
    CHECK_INT(td_builder_add_contour(b, &contour, &number, &diag), TD_OK);
    CHECK_INT(td_builder_add_shape(b, &box, &shape, &diag), TD_OK);
    for (int32_t k = 0; k < 8; k++) {
        td_segment_def s = td_segment_def_default();
        const bool starts = k == 0 || k == 4;
        s.parent = starts ? TD_NONE : k - 1;
        s.joint = starts ? TD_JOINT_FREE : TD_JOINT_BALL;
        s.attach_at_tip = !starts;
        s.attach = (td_vec3){k, -0.0, 1e-300};
        s.rest = (td_quat){cos(0.1 * k), 0, sin(0.1 * k), 0};
        s.bead = 0.001 * k;
        s.drag = k == 2 ? 0.5 : 1;
        s.flat = 1 + 0.1 * k;
        s.contour = k == 3 ? number : 0;
        s.material = material;
        s.id = 100 + 7 * k;
        s.rest_length = 0.09;
        CHECK_INT(td_builder_add(b, &s, NULL, &diag), TD_OK);
    }
    td_segment_def lid = td_segment_def_default();
    lid.parent = 2;
    lid.joint = TD_JOINT_FIXED;
    lid.organ = TD_ORGAN_FRUIT;
    lid.shape = shape;
    lid.id = 3;
    CHECK_INT(td_builder_add(b, &lid, NULL, &diag), TD_OK);
    td_strand strand = td_strand_default();
    strand.first = 0;
    strand.count = 4;
    strand.twist = 0.1;
    strand.elements = 2;
    CHECK_INT(td_builder_add_strand(b, &strand, &diag), TD_OK);
    strand = td_strand_default();
    strand.first = 4;
    strand.count = 4;
    strand.closed = true;
    strand.closing = (td_quat){cos(0.3), sin(0.3), 0, 0};
    CHECK_INT(td_builder_add_strand(b, &strand, &diag), TD_OK);
    td_attached_mass body = {1, 0.25, {0, 0.05, 0}, {1e-3, 1e-3, 1e-3, 0, 0, 0}};
    CHECK_INT(td_builder_attach_mass(b, &body, &diag), TD_OK);
    CHECK_SAY(td_builder_finish(b, &out, &diag) == TD_OK, "%s", diag.message);
    return out;
}

TD_TEST(skeleton_json_of_strands_bodies_and_rare_fields_reads_back_to_the_same_bits) {
    OWNED(td_skeleton) *skeleton = rare_skeleton();
    check_round_trip(skeleton);
}

// ---- order ----------------------------------------------------------------------------------

TD_TEST(skeleton_json_may_have_its_lists_in_any_order) {
    OWNED(td_skeleton) *skeleton = rare_skeleton(), *again = NULL;
    td_diag diag = {.message = ""};
    FREED char *text = write(skeleton), *turned = calloc(2 * strlen(text) + 8, 1);
    // segments first, then what they refer to
    char *segments = strstr(text, "\"segments\":["), *after = strstr(segments, "}]") + 2;
    snprintf(turned, 2 * strlen(text) + 8, "{%.*s,%.*s%s", (int)(after - segments), segments,
             (int)(segments - text - 3), text + 1, after);
    CHECK_SAY(read(turned, &again, &diag) == TD_OK, "%d:%d: %s", diag.line, diag.column,
              diag.message);
    if (again) {
        check_same_bits(skeleton, again);
    }
}

// ---- faults ---------------------------------------------------------------------------------

// The text with `from` replaced by `to`, once.
static char *edited(const char *text, const char *from, const char *to) {
    const char *at = strstr(text, from);
    char *out = calloc(strlen(text) + strlen(to) + 1, 1);
    CHECK(at != NULL);
    if (at) {
        snprintf(out, strlen(text) + strlen(to) + 1, "%.*s%s%s", (int)(at - text), text, to,
                 at + strlen(from));
    }
    return out;
}

// `line` 0: any
static void check_fault(const char *text, const char *from, const char *to, const char *words,
                        int32_t line) {
    OWNED(td_skeleton) *out = NULL;
    td_diag diag = {.message = ""};
    FREED char *wrong = edited(text, from, to);
    CHECK_SAY(read(wrong, &out, &diag) == TD_ERR_SYNTAX, "%s passes", to);
    CHECK_SAY(strstr(diag.message, words) != NULL, "%s: '%s' in '%s'", to, words, diag.message);
    CHECK_SAY(diag.line > 0 && diag.column > 0 && (line == 0 || diag.line == line),
              "%s: line %d, column %d", to, diag.line, diag.column);
    CHECK_TEXT(diag.file, "x.json");
    CHECK(out == NULL);
}

TD_TEST(skeleton_json_faults_are_told_with_line_and_words) {
    static const struct {
        const char *from, *to, *words;
        int32_t line; // 0: any
    } cases[] = {
        {"\"length\":", "\"lenght\":", "unknown key 'lenght'", 6},
        {"\"length\":0.1,", "", "the key 'length' is missing", 6},
        {"\"length\":0.1,", "\"length\":0.1,\"length\":0.1,", "'length' is given twice", 6},
        {"\"length\":0.1", "\"length\":-1", "length is -1", 6},
        {"\"length\":0.1", "\"length\":1e999", "finite number", 6},
        {"\"length\":0.1", "\"length\":null", "finite number", 6},
        {"\"length\":0.1", "\"length\":+1", "finite number", 6},
        {"\"parent\":-1", "\"parent\":7", "parent is 7", 6},
        {"\"parent\":-1", "\"parent\":0.5", "whole number", 6},
        {"\"joint\":\"ball\"", "\"joint\":\"bal\"", "unknown joint 'bal'", 6},
        {"\"color\":\"#", "\"color\":\"", "not a colour", 0},
        {"\"mass\":", "\"mass\":-", "mass must be above 0", 6},
        {"\"rest\":[1,0,0,0]", "\"rest\":[1,0,0]", "has 3 numbers; expected 4", 7},
        {"\"rest\":[1,0,0,0]", "\"rest\":[1,0,0,0,0]", "more than 4 numbers", 7},
        {"\"rest\":[1,0,0,0]", "\"rest\":[2,0,0,0]", "unit quaternion", 7},
        {"\"initial\":[1,0,0,0]", "\"initial\":[0,0,0,0]", "initial", 7},
        {"\"axis\":[1,0,0]", "\"axis\":[1e308,0,0]", "axis must have length 1", 6},
        {"\"material\":0", "\"material\":9", "material is 9", 6},
        {"\"shape\":-1", "\"shape\":0", "shape", 6},
        {"\"id\":1,", "\"id\":0,", "ids must be unique", 0},
        {"\"name\":\"", "\"name\":\"0123456789012345678901234567890123456789", "more than 31", 3},
        {"\"name\":\"", "\"name\":\"\\q", "escape", 3},
        {"\"name\":\"", "\"name\":\"\\ud800", "escape", 3},
        {"\"name\":\"", "\"name\":\"\t", "control character", 3},
        {"{\"generator\"", "{\"genrator\"", "unknown key 'genrator'", 1},
        {"{\"generator\"", "{\"materials\":[],\"generator\"", "'materials' is given twice", 2},
        {"\"generator\":\"", "\"generator\":[\"", "a comma or ]", 0},
        {"]\n}", "]\n}}", "end of the text", 0},
        {"\"length\":", "\"length\" ", "expected a colon", 6},
        {"\"length\":", "length:", "expected a text in double quotes", 6},
        {"\"attach\":[0,", "\"attach\":0,\"x\":[", "expected a list, [", 0},
        {"\"attach\":[0,", "\"attach\":[null,", "expected a finite number", 0},
        {"\"color\":\"#", "\"color\":7,\"x\":\"#", "expected a text in double quotes", 0},
        {"\"color\":\"#", "\"color\":\"#x", "is not a colour such as", 0},
        {"\"joint\":\"ball\"", "\"joint\":7", "expected a text in double quotes", 6},
        {"\"parent\":-1", "\"parent\":true", "expected a finite number", 6},
        {"\"parent\":-1", "\"parent\":-1.5e9e", "expected a finite number", 6},
        {"\"name\":\"", "\"name\":\"\\u00g0", "escape", 3},
        {"\"name\":\"", "\"name\":\"\\udc00", "escape", 3},
        {"\"name\":\"", "\"name\":\"\\u0000", "escape", 3},
        {"\"generator\":\"", "\"generator\":\"\\q", "escape", 1},
        {"{\"generator\"", "{generator", "expected a text in double quotes", 1},
        {"{\"generator\"", "[\"generator\"", "expected an object, {", 1},
    };
    OWNED(test_plant) p = test_grow("axiom: !(0.01)F(0.1)F(0.1)\n", NULL);
    CHECK_INT(p.status, TD_OK);
    FREED char *text = write(p.skeleton);
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        check_fault(text, cases[k].from, cases[k].to, cases[k].words, cases[k].line);
    }
}

TD_TEST(skeleton_json_faults_of_lists_and_polygons_are_told_with_line_and_words) {
    static const struct {
        const char *from, *to, *words;
    } cases[] = {
        {"\"polygons\":[[[", "\"patches\":[[[", "unknown key 'patches'"},
        {"\"polygons\":[[[", "\"polygons\":7,\"width\":[[[", "expected a finite number"},
        {"\"polygons\":[[[", "\"polygons\":{},\"x\":[[[", "unknown key 'x'"},
        {"\"polygons\":[[[", "\"polygons\":[7,[[", "expected a list, ["},
        {"\"polygons\":[[[", "\"polygons\":[[7,[", "expected a list, ["},
        {"\"polygons\":[[[", "\"polygons\":[[[1e9,0,0],[-2e9,0,0],[", "a place within 1e9 m"},
        {"\"polygons\":[[[", "\"polygons\":[[],[[", "a polygon has at least 3 corners"},
        {"\"kind\":\"polygon\"", "\"kind\":\"patches\"", "unknown key 'polygons'"},
        {"\"kind\":\"polygon\"", "\"kind\":\"ball\"", "unknown key 'polygons'"},
        {"\"materials\":[", "\"materials\":[7,", "expected an object, {"},
        {"\"materials\":[", "\"materials\":{},\"x\":[", "unknown key 'x'"},
        {"\"shapes\":[", "\"shapes\":[],\"contours\":7,\"x\":[", "unknown key 'x'"},
    };
    static const struct {
        const char *text, *words;
    } wholes[] = {
        {"{\"segments\":[]}", "the key 'materials' is missing"},
        {"{\"materials\":[],\"segments\":[]}", "a skeleton has at least one material"},
        {"{\"materials\":7,\"segments\":[]}", "expected a list, ["},
        {"{\"materials\":[7],\"segments\":[]}", "expected an object, {"},
        {"{\"materials\":[],\"shapes\":[{\"kind\":\"patches\",\"color\":\"#000000\"}],"
         "\"segments\":[]}",
         "the key 'patches' is missing"},
        {"{\"materials\":[],\"shapes\":[{\"kind\":\"ball\",\"color\":\"#000000\","
         "\"patches\":[]}],\"segments\":[]}",
         "only the kinds polygon and patches have 'patches'"},
        {"{\"materials\":[],\"shapes\":[{\"kind\":\"polygon\",\"color\":\"#000000\","
         "\"polygons\":{}}],\"segments\":[]}",
         "expected a list, ["},
    };
    OWNED(test_plant) p = test_grow(of_organs, NULL);
    CHECK_INT(p.status, TD_OK);
    FREED char *text = write(p.skeleton);
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        check_fault(text, cases[k].from, cases[k].to, cases[k].words, 0);
    }
    for (size_t k = 0; k < sizeof wholes / sizeof *wholes; k++) {
        check_fault(wholes[k].text, "", "", wholes[k].words, 1);
    }
}

// A text may start with a byte order mark, and write any character as \\u and its number.
TD_TEST(skeleton_json_takes_a_byte_order_mark_and_escapes_of_every_length) {
    OWNED(test_plant) p = test_grow("axiom: !(0.01)F(0.1)F(0.1)\n", NULL);
    OWNED(td_skeleton) *out = NULL;
    td_diag diag = {.message = ""};
    FREED char *text = write(p.skeleton),
               *named =
                   edited(text, "\"name\":\"", "\"name\":\"\\u0041\\u00E9\\u20ac\\uD83c\\udf31"),
               *marked = calloc(strlen(named) + 4, 1);
    sprintf(marked, "\xef\xbb\xbf%s", named);
    CHECK(td_skeleton_is_json(marked, strlen(marked)));
    CHECK_SAY(read(marked, &out, &diag) == TD_OK, "%s", diag.message);
    if (out) {
        CHECK(strncmp(td_skeleton_materials(out)[0].name, "A\xc3\xa9\xe2\x82\xac\xf0\x9f\x8c\xb1",
                      10) == 0);
    }
}

TD_TEST(skeleton_json_survives_every_failing_allocation) {
    OWNED(test_plant) p = test_grow(of_organs, NULL);
    FREED char *text = write(p.skeleton);
    WITH_SCARCE(memory, 5) {
        OWNED(td_skeleton) *out = NULL;
        td_diag diag = {.message = ""};
        CHECK_INT(td_skeleton_from_json(text, strlen(text), NULL, &memory.alloc, &out, &diag),
                  scarce_status(&memory));
        CHECK_INT(diag.status, scarce_status(&memory));
    }
}

TD_TEST(skeleton_json_cut_off_at_any_byte_is_refused) {
    OWNED(td_skeleton) *skeleton = rare_skeleton();
    FREED char *text = write(skeleton);
    const size_t size = strlen(text) - 1; // without the final line feed
    for (size_t n = 0; n < size; n += test_is_long() ? 1 : 7) {
        OWNED(td_skeleton) *out = NULL;
        td_diag diag = {.message = ""};
        FREED char *cut = calloc(n + 1, 1); // so that a sanitizer sees its end
        memcpy(cut, text, n);
        const td_status status = td_skeleton_from_json(cut, n, NULL, NULL, &out, &diag);
        CHECK_SAY(status == TD_ERR_SYNTAX && diag.message[0] && diag.line > 0, "%zu bytes", n);
    }
}

TD_TEST(skeleton_json_that_is_too_deep_is_refused) {
    static char text[4000];
    td_diag diag = {.message = ""};
    td_skeleton *out = NULL;
    int n = snprintf(text, sizeof text, "{\"generator\":");
    memset(text + n, '[', 3000);
    text[n + 3000] = 0;
    CHECK_INT(read(text, &out, &diag), TD_ERR_SYNTAX);
    CHECK(strstr(diag.message, "64 deep") != NULL);
    CHECK(!td_skeleton_is_json(text, strlen(text)));
    CHECK(!td_skeleton_is_json("axiom: F\n", 9) && !td_skeleton_is_json("", 0));
    CHECK(!td_skeleton_is_json("{\"objects\": []}", 15));
}

// ---- worlds ---------------------------------------------------------------------------------

typedef struct shelf {
    const char *model;
    char *json;
} shelf;

static td_status load(void *context, const char *name, const char *from, size_t max_size,
                      const td_alloc *alloc, char **text, size_t *size, char resolved[160]) {
    const shelf *s = context;
    const char *content = strcmp(name, "p.json") == 0   ? s->json
                          : strcmp(name, "p.lsys") == 0 ? s->model
                                                        : NULL;
    (void)from;
    (void)alloc;
    if (!content || strlen(content) > max_size) {
        return TD_ERR_READ;
    }
    *size = strlen(content);
    *text = malloc(*size);
    memcpy(*text, content, *size);
    snprintf(resolved, 160, "%s", name);
    return TD_OK;
}

static td_status make(shelf *s, const char *plant, const char *solver, int32_t steps,
                      td_world **out, td_diag *diag) {
    td_scene_def scene = td_scene_def_default();
    td_object_def object = td_object_def_default();
    td_world_opts opts = td_world_opts_default();
    td_loader loader = {load, s};
    td_diag_list list = {diag, 1, 0};
    object.plant = plant;
    object.solver = solver;
    object.steps = steps;
    scene.objects = &object;
    scene.object_count = 1;
    opts.loader = &loader;
    return td_world_new(&scene, &opts, NULL, out, &list);
}

TD_TEST(skeleton_json_in_a_scene_moves_as_its_model_to_the_bit) {
    static const char *const solvers[] = {"tree", "rod", "helix"};
    OWNED(test_plant) p = test_grow(plants[1], NULL);
    shelf s = {plants[1], write(p.skeleton)};
    for (size_t k = 0; k < sizeof solvers / sizeof *solvers; k++) {
        td_world *worlds[2] = {NULL, NULL};
        td_diag diag = {.message = ""};
        CHECK_SAY(make(&s, "p.lsys", solvers[k], -1, &worlds[0], &diag) == TD_OK, "%s",
                  diag.message);
        CHECK_SAY(make(&s, "p.json", solvers[k], -1, &worlds[1], &diag) == TD_OK, "%s",
                  diag.message);
        if (worlds[0] && worlds[1]) {
            const size_t size = td_world_save_size(worlds[0]);
            CHECK_INT(td_world_save_size(worlds[1]), size);
            FREED char *first = calloc(size, 1), *second = calloc(size, 1);
            for (int32_t step = 0; step < 3; step++) {
                CHECK_INT(td_world_step(worlds[0], &diag), TD_OK);
                CHECK_INT(td_world_step(worlds[1], &diag), TD_OK);
            }
            td_world_save(worlds[0], first);
            td_world_save(worlds[1], second);
            const int32_t n = (int32_t)td_skeleton_count(p.skeleton);
            FREED td_vec3 *a = calloc((size_t)n, sizeof *a), *b = calloc((size_t)n, sizeof *b);
            td_world_pose(worlds[0], td_world_actor_id(worlds[0], 0), NULL, NULL, a, NULL);
            td_world_pose(worlds[1], td_world_actor_id(worlds[1], 0), NULL, NULL, b, NULL);
            CHECK(memcmp(a, b, (size_t)n * sizeof *a) == 0);
        }
        td_world_free(worlds[0]);
        td_world_free(worlds[1]);
    }
    free(s.json);
}

TD_TEST(skeleton_json_in_a_scene_is_refused_with_keys_of_models_and_told_with_its_place) {
    OWNED(test_plant) p = test_grow(plants[1], NULL);
    shelf s = {plants[1], write(p.skeleton)};
    td_world *world = NULL;
    td_diag diag = {.message = ""};
    CHECK(make(&s, "p.json", NULL, 3, &world, &diag) != TD_OK);
    CHECK_SAY(strstr(diag.message, "does not grow") != NULL, "%s", diag.message);
    td_world_free(world);
    world = NULL;
    char *wrong = edited(s.json, "\"length\":", "\"lenght\":");
    free(s.json);
    s.json = wrong;
    CHECK(make(&s, "p.json", NULL, -1, &world, &diag) != TD_OK);
    CHECK_SAY(strstr(diag.message, "lenght") != NULL && diag.line > 1, "%d: %s", diag.line,
              diag.message);
    CHECK_TEXT(diag.file, "p.json");
    td_world_free(world);
    free(s.json);
}
