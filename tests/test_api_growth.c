// SPDX-License-Identifier: MIT
// Programs that were built with older headers: their structs are shorter, and what they lack has
// its default. Pairs with src/base/opts.c.

#include "td_test.h"

#include <stddef.h>
#include <stdlib.h>

// ---- things to make -------------------------------------------------------------------------

static const char plant[] = "axiom: !(0.01)F(0.3)[+(40)F(0.2)]F(0.3)\n";

static td_skeleton *grown(void) {
    td_skeleton *skeleton = NULL;
    CHECK_INT(td_skeleton_from_text(plant, strlen(plant), NULL, &skeleton, NULL), TD_OK);
    return skeleton;
}

static td_grammar *compiled(void) {
    td_grammar_def def = td_grammar_def_default();
    td_grammar *grammar = NULL;
    def.text = plant;
    def.text_size = strlen(plant);
    CHECK_INT(td_grammar_new(&def, NULL, &grammar, NULL), TD_OK);
    return grammar;
}

typedef struct tree_pair {
    td_skeleton *skeleton;
    td_body_model *model;
    td_body *state;
} tree_pair;

static tree_pair tree(void) {
    tree_pair t = {.skeleton = grown()};
    CHECK_INT(td_body_model_new(t.skeleton, "tree", NULL, NULL, &t.model, NULL), TD_OK);
    CHECK_INT(td_body_new(t.model, NULL, &t.state, NULL), TD_OK);
    return t;
}

static void tree_done(tree_pair t) {
    td_body_free(t.state);
    td_body_model_free(t.model);
    td_skeleton_free(t.skeleton);
}

// ---- users of each struct, as older programs call them --------------------------------------

static td_status use_wind(const void *def) {
    OWNED(td_wind) *wind = NULL;
    td_status status = td_wind_new(def, NULL, &wind, NULL);
    return status;
}

static td_status use_curve(const void *def) {
    OWNED(td_curve) *curve = NULL;
    td_status status = td_curve_new(def, NULL, &curve, NULL);
    return status;
}

static td_status use_turn_curve(const void *def) {
    OWNED(td_turn_curve) *curve = NULL;
    td_status status = td_turn_curve_new(def, NULL, &curve, NULL);
    return status;
}

static td_status use_grammar(const void *def) {
    OWNED(td_grammar) *grammar = NULL;
    td_status status = td_grammar_new(def, NULL, &grammar, NULL);
    return status;
}

static td_status use_derive(const void *opts) {
    OWNED(td_grammar) *grammar = compiled();
    OWNED(td_derivation) *derivation = NULL;
    td_status status = td_derivation_new(grammar, opts, NULL, &derivation, NULL);
    return status;
}

static td_status use_mesh(const void *opts) {
    OWNED(td_skeleton) *skeleton = grown();
    OWNED(td_mesh) *mesh = NULL;
    td_status status = td_mesh_new(skeleton, opts, NULL, &mesh, NULL);
    return status;
}

static td_status use_builder(const void *opts) {
    OWNED(td_builder) *builder = NULL;
    td_status status = td_builder_new(opts, NULL, &builder, NULL);
    return status;
}

static td_status use_segment(const void *def) {
    OWNED(td_builder) *builder = NULL;
    OWNED(td_skeleton) *skeleton = NULL;
    td_status status = td_builder_new(NULL, NULL, &builder, NULL);
    status = status == TD_OK ? td_builder_add(builder, def, NULL, NULL) : status;
    status = status == TD_OK ? td_builder_finish(builder, &skeleton, NULL) : status;
    return status;
}

static td_status use_tree(const void *opts) {
    OWNED(td_skeleton) *skeleton = grown();
    OWNED(td_body_model) *model = NULL;
    td_status status = td_body_model_new(skeleton, "tree", opts, NULL, &model, NULL);
    return status;
}

static td_status use_step(const void *opts) {
    tree_pair t = tree();
    td_status status = td_body_step(t.state, opts, NULL, NULL);
    status = status == TD_OK ? td_body_step_many(&t.state, opts, 1, NULL, NULL, NULL) : status;
    tree_done(t);
    return status;
}

static td_status use_damping(const void *opts) {
    tree_pair t = tree();
    OWNED(td_body_model) *damped = NULL;
    td_status status = td_tree_model_damped_new(t.state, opts, NULL, &damped, NULL);
    tree_done(t);
    return status;
}

static td_status use_contact(const void *opts) {
    tree_pair t = tree();
    OWNED(td_island) *island = NULL;
    td_body *ref = t.state;
    td_status status = td_contact_opts_check(opts, NULL);
    status = status == TD_OK ? td_island_new(&ref, 1, opts, 0, NULL, &island, NULL) : status;
    tree_done(t);
    return status;
}

static td_status use_constraint(const void *constraint) {
    tree_pair t = tree();
    OWNED(td_island) *island = NULL;
    OWNED(td_analytic) *analytic = NULL;
    td_body *ref = t.state;
    td_status status = td_constraints_check(constraint, 1, NULL);
    status = status == TD_OK ? td_island_new(&ref, 1, NULL, 0, NULL, &island, NULL) : status;
    status = status == TD_OK ? td_island_constrain(island, constraint, 1, NULL) : status;
    status = status == TD_OK
                 ? td_analytic_new(&t.state, 1, constraint, 1, NULL, NULL, &analytic, NULL)
                 : status;
    tree_done(t);
    return status;
}

static td_status use_analytic(const void *opts) {
    tree_pair t = tree();
    OWNED(td_analytic) *analytic = NULL;
    td_status status = td_analytic_new(&t.state, 1, NULL, 0, opts, NULL, &analytic, NULL);
    tree_done(t);
    return status;
}

static td_status use_lcp(const void *opts) {
    const td_real one = 1;
    const td_lcp_row row = td_lcp_row_default();
    const td_lcp problem = {1, &one, &one, &row};
    td_real x = 0;
    td_lcp_result result;
    return td_lcp_solve(&problem, opts, NULL, &x, &result, NULL);
}

static td_status use_rod(const void *def) {
    OWNED(td_body_model) *model = NULL;
    td_status status = td_rod_model_new(def, 1, NULL, 0, NULL, &model, NULL);
    return status;
}

static td_status use_helix(const void *element) {
    OWNED(td_body_model) *model = NULL;
    td_status status = td_helix_model_new(element, 1, NULL, &model, NULL);
    return status;
}

static td_status use_adapt(const void *opts) {
    tree_pair t = tree();
    OWNED(td_adapt) *adapt = NULL;
    td_status status = td_adapt_new(t.state, opts, NULL, &adapt, NULL);
    status = status == TD_OK ? td_adapt_set_opts(adapt, opts, NULL) : status;
    tree_done(t);
    return status;
}

static td_status use_reduce(const void *opts) {
    tree_pair t = tree();
    OWNED(td_body) *state = NULL;
    td_status status = td_reduced_new(t.model, opts, NULL, &state, NULL);
    status = status == TD_OK ? td_reduced_set(state, opts, NULL) : status;
    tree_done(t);
    return status;
}

static td_object_def strand_object(void) {
    static const td_vec3 points[2] = {{0, 0, 0}, {0, -0.3, 0}};
    td_object_def object = td_object_def_default();
    object.strand.points = points;
    object.strand.point_count = 2;
    object.strand.segments = 3;
    return object;
}

static td_status use_world(const void *opts) {
    const td_object_def object = strand_object();
    td_scene_def scene = td_scene_def_default();
    OWNED(td_world) *world = NULL;
    scene.objects = &object;
    scene.object_count = 1;
    td_status status = td_world_new(&scene, opts, NULL, &world, NULL);
    return status;
}

static td_world *strand_world(void) {
    const td_object_def object = strand_object();
    td_scene_def scene = td_scene_def_default();
    td_world *world = NULL;
    scene.objects = &object;
    scene.object_count = 1;
    CHECK_INT(td_world_new(&scene, NULL, NULL, &world, NULL), TD_OK);
    return world;
}

static td_status use_actor(const void *def) {
    OWNED(td_world) *world = strand_world();
    td_actor_id id;
    td_status status = td_world_add_actor(world, def, &id, NULL);
    return status;
}

// Of an actor of this world.
static td_world *grabbed;

static td_status use_grab(const void *def) {
    td_grab_id id;
    return td_world_add_grab(grabbed, def, &id, NULL);
}

static td_status use_draw(const void *draw) {
    OWNED(td_world) *world = strand_world();
    td_status status = td_world_draw(world, draw, NULL);
    return status;
}

static td_status use_scene(const void *scene) {
    OWNED(td_world) *world = NULL;
    td_status status = td_world_new(scene, NULL, NULL, &world, NULL);
    return status;
}

static td_status use_object(const void *object) {
    td_scene_def scene = td_scene_def_default();
    scene.objects = object;
    scene.object_count = 1;
    return use_scene(&scene);
}

// ---- every width ----------------------------------------------------------------------------

// A block of just that size, as an older program had it: a sanitizer sees what is read beyond.
static void *cut(const void *full, uint32_t size) {
    void *block = malloc(size);
    memcpy(block, full, size);
    memcpy(block, &size, sizeof size);
    return block;
}

// All sizes from that of the first version, `least`, to ours; smaller, odd and larger ones are
// refused.
static void check_widths(const char *name, const void *full, size_t size, size_t least,
                         td_status (*use)(const void *)) {
    for (size_t n = least; n <= size; n += 4) {
        void *block = cut(full, (uint32_t)n);
        td_status status = use(block);
        CHECK_SAY(status == TD_OK, "%s of %zu bytes of %zu: %s", name, n, size,
                  td_status_text(status));
        free(block);
    }
    FREED char *more = calloc(1, size + 8);
    memcpy(more, full, size);
    const uint32_t wrong[] = {0, 4, (uint32_t)size - 1, (uint32_t)size + 8};
    for (int k = 0; k < 4; k++) {
        memcpy(more, &wrong[k], sizeof wrong[k]);
        CHECK_SAY(use(more) == TD_ERR_DEF, "%s of %u bytes", name, wrong[k]);
    }
}

// the first version of `type` ended with the field `last`
#define WIDTHS(type, value, last, use)         \
    check_widths(#use, &(value), sizeof(type), \
                 (offsetof(type, last) + sizeof((value).last) + 3) / 4 * 4, use)
#define OPTIONS(value, use) check_widths(#use, &(value), sizeof(value), 8, use)

TD_TEST(growth_options_of_older_programs_are_taken_at_every_width) {
    const td_derive_opts derive = td_derive_opts_default();
    const td_mesh_opts mesh = td_mesh_opts_default();
    const td_skeleton_opts skeleton = td_skeleton_opts_default();
    const td_body_opts tree_opts = td_body_opts_default();
    const td_step_opts step = td_step_opts_default();
    const td_damping_opts damping = td_damping_opts_default();
    const td_contact_opts contact = td_contact_opts_default();
    const td_analytic_opts analytic = td_analytic_opts_default();
    const td_lcp_opts lcp = td_lcp_opts_default();
    const td_world_opts world = td_world_opts_default();
    OPTIONS(derive, use_derive);
    OPTIONS(mesh, use_mesh);
    OPTIONS(skeleton, use_builder);
    OPTIONS(tree_opts, use_tree);
    OPTIONS(step, use_step);
    OPTIONS(damping, use_damping);
    OPTIONS(contact, use_contact);
    OPTIONS(analytic, use_analytic);
    OPTIONS(lcp, use_lcp);
    OPTIONS(world, use_world);
    const td_adapt_opts adapt = td_adapt_opts_default();
    const td_reduce_opts reduce = td_reduce_opts_default();
    const td_draw draw = td_draw_default();
    OPTIONS(adapt, use_adapt);
    OPTIONS(reduce, use_reduce);
    OPTIONS(draw, use_draw);
}

TD_TEST(growth_definitions_of_older_programs_are_taken_at_every_width_that_says_enough) {
    static const td_vec3 points[3] = {{0, 0, 0}, {0.1, 0, 0}, {0.2, 0.05, 0}};
    static const td_real times[2] = {0, 1}, values[2] = {0, 3};
    static const td_quat turns[2] = {{1, 0, 0, 0}, {0, 1, 0, 0}};
    const td_wind_def wind = td_wind_def_default();
    const td_segment_def segment = td_segment_def_default();
    const td_helix_element helix = td_helix_element_default();
    const td_constraint constraint = td_constraint_default(TD_CONSTRAINT_POINT);
    td_curve_def curve = td_curve_def_default();
    td_turn_curve_def turn = td_turn_curve_def_default();
    td_grammar_def grammar = td_grammar_def_default();
    td_rod_def rod = td_rod_def_default();
    const td_object_def object = strand_object();
    td_scene_def scene = td_scene_def_default();
    curve.key_count = turn.key_count = 2;
    curve.times = turn.times = times;
    curve.values = values;
    turn.rotations = turns;
    grammar.text = plant;
    grammar.text_size = strlen(plant);
    rod.points = points;
    rod.vertex_count = 3;
    scene.objects = &object;
    scene.object_count = 1;
    OPTIONS(wind, use_wind);
    OPTIONS(segment, use_segment);
    OPTIONS(helix, use_helix);
    OPTIONS(constraint, use_constraint);
    const td_actor_def actor = td_actor_def_default();
    td_grab_def grab = td_grab_def_default();
    grabbed = strand_world();
    grab.actor = td_world_actor_id(grabbed, 0);
    OPTIONS(actor, use_actor);
    WIDTHS(td_grab_def, grab, actor, use_grab);
    td_world_free(grabbed);
    WIDTHS(td_curve_def, curve, values, use_curve);
    WIDTHS(td_turn_curve_def, turn, rotations, use_turn_curve);
    WIDTHS(td_grammar_def, grammar, text_size, use_grammar);
    WIDTHS(td_rod_def, rod, points, use_rod);
    WIDTHS(td_object_def, object, strand, use_object);
    WIDTHS(td_scene_def, scene, object_count, use_scene);
}

// ---- what is taken --------------------------------------------------------------------------

// A program that knew options up to the tolerance sets dt: it counts, and the rest is the default.
TD_TEST(growth_fields_that_an_older_program_knows_count_and_the_rest_has_defaults) {
    tree_pair old = tree(), now = tree();
    td_step_opts opts = td_step_opts_default();
    opts.dt = 0.004;
    opts.gravity = (td_vec3){3, -5, 1};
    FREED void *older = cut(&opts, offsetof(td_step_opts, air));
    for (int k = 0; k < 20; k++) {
        CHECK_INT(td_body_step(old.state, older, NULL, NULL), TD_OK);
        CHECK_INT(td_body_step(now.state, &opts, NULL, NULL), TD_OK);
    }
    const td_vec3 a = td_body_tip(old.state, 2), b = td_body_tip(now.state, 2);
    CHECK(memcmp(&a, &b, sizeof a) == 0);
    CHECK(a.x > 1e-4);
    tree_done(old);
    tree_done(now);
}

// Entries of an array are as far apart as the caller's struct is wide.
TD_TEST(growth_arrays_of_older_programs_are_read_in_their_own_width) {
    enum { WIDTH = offsetof(td_rod_def, stretch), COUNT = 3 };
    static const td_vec3 points[4] = {{0, 0, 0}, {0.1, 0, 0}, {0.2, 0.05, 0}, {0.3, 0.1, 0}};
    td_body_model *model = NULL;
    td_diag diag = {.message = ""};
    FREED char *older = malloc(COUNT * WIDTH);
    for (int k = 0; k < COUNT; k++) {
        td_rod_def rod = td_rod_def_default();
        const uint32_t size = WIDTH;
        rod.points = points;
        rod.vertex_count = 2 + k;
        memcpy(older + k * WIDTH, &rod, WIDTH);
        memcpy(older + k * WIDTH, &size, sizeof size);
    }
    CHECK_INT(td_rod_model_new((const void *)older, COUNT, NULL, 0, NULL, &model, &diag), TD_OK);
    CHECK_INT(td_rod_vertex_count(model), 2 + 3 + 4);
    td_body_model_free(model);
    // one of another width among them
    const uint32_t wrong = 2;
    memcpy(older + WIDTH, &wrong, sizeof wrong);
    CHECK_INT(td_rod_model_new((const void *)older, COUNT, NULL, 0, NULL, &model, &diag),
              TD_ERR_DEF);
    CHECK_INT(diag.index, 1);
    CHECK(!model);
}
