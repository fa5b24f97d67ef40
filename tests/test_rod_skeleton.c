// SPDX-License-Identifier: MIT
// Skeletons as networks of rods. Pairs with src/rod/skeleton.c, rest_frame.c, rest.c and saving.c.

#include "math/quat.h"
#include "rod/rest_frame.h"
#include "rod/rest.h"
#include "rod/implicit.h"
#include "td_test.h"

#include <dirent.h>
#include <stdlib.h>

// ---- helpers --------------------------------------------------------------------------------

typedef struct pair { // the same skeleton as rods and as a tree
    td_skeleton *skeleton;
    td_body_model *rods;
    td_body *rod;
    td_body_model *trees;
    td_body *tree;
} pair;

static void pair_free(pair *p) {
    td_body_free(p->rod);
    td_body_model_free(p->rods);
    td_body_free(p->tree);
    td_body_model_free(p->trees);
    td_skeleton_free(p->skeleton);
}

// Takes the skeleton over. Joints of the tree are those of rods: 2 k tan(angle/2).
static pair pair_of(td_skeleton *skeleton) {
    pair p = {.skeleton = skeleton};
    td_diag diag = {.message = ""};
    td_body_opts opts = td_body_opts_default();
    opts.law = TD_LAW_TANGENT;
    td_status status = td_body_model_new(skeleton, "rod", NULL, NULL, &p.rods, &diag);
    if (status != TD_OK) {
        test_failed(__FILE__, __LINE__, "%s", diag.message);
        return p;
    }
    CHECK_INT(td_body_new(p.rods, NULL, &p.rod, &diag), TD_OK);
    CHECK_INT(td_body_model_new(skeleton, "tree", &opts, NULL, &p.trees, &diag), TD_OK);
    CHECK_INT(td_body_new(p.trees, NULL, &p.tree, &diag), TD_OK);
    return p;
}

static td_skeleton *grow(const char *path) {
    td_skeleton *skeleton = NULL;
    td_diag diag = {.message = ""};
    FILE *file = fopen(path, "rb");
    FREED char *text = NULL;
    if (!file) {
        test_failed(__FILE__, __LINE__, "cannot read %s", path);
        return NULL;
    }
    fseek(file, 0, SEEK_END);
    size_t size = (size_t)ftell(file);
    rewind(file);
    text = malloc(size);
    CHECK_INT(fread(text, 1, size, file), size);
    fclose(file);
    if (td_skeleton_from_text(text, size, NULL, &skeleton, &diag) != TD_OK) {
        test_failed(__FILE__, __LINE__, "%s: %s", path, diag.message);
    }
    return skeleton;
}

static td_skeleton *built(const td_segment_def *defs, int32_t count) {
    OWNED(td_builder) *builder = test_builder();
    for (int32_t k = 0; k < count; k++) {
        CHECK_INT(td_builder_add(builder, &defs[k], NULL, NULL), TD_OK);
    }
    return test_finish(builder);
}

static td_quat turned(td_real x, td_real y, td_real z, td_real angle) {
    td_vec3 axis = {x, y, z};
    return tdi_quat_turn(tdi_scale(axis, 1 / tdi_norm(axis)), angle);
}

static td_segment_def stem(int32_t parent, td_quat rest) {
    td_segment_def def = td_segment_def_default();
    def.parent = parent;
    def.rest = rest;
    def.radius_base = def.radius_tip = 0.004;
    return def;
}

static td_real apart(td_vec3 a, td_vec3 b) {
    return tdi_norm(tdi_sub(a, b));
}

typedef struct difference {
    td_real most, sag; // between the two, and of the tree from where it started
} difference;

static difference compare(const pair *p) {
    difference d = {0, 0};
    OWNED(td_body) *start = NULL;
    CHECK_INT(td_body_new(p->trees, NULL, &start, NULL), TD_OK);
    for (int32_t i = 0; i < td_skeleton_count(p->skeleton); i++) {
        td_vec3 tree = td_body_origin(p->tree, i);
        d.most = fmax(d.most, apart(tree, td_body_origin(p->rod, i)));
        d.sag = fmax(d.sag, apart(tree, td_body_origin(start, i)));
    }
    return d;
}

static void settle_both(pair *p) {
    td_step_opts opts = td_step_opts_default();
    td_step_stats stats = {0};
    CHECK_INT(td_body_settle(p->tree, &opts, NULL, NULL), TD_OK);
    CHECK_INT(td_body_settle(p->rod, &opts, &stats, NULL), TD_OK);
    CHECK_INT(stats.unconverged, 0);
}

// ---- rest frames ---------------------------------------------------------------------------

typedef struct joint { // two edges, a rest frame and a law
    tdi_edge e, f;
    tdi_mat3 rest_frame;
    tdi_joint_law law;
} joint;

static td_vec3 any_vector(tdi_random *r) {
    td_vec3 v = {tdi_random_uniform(r) - 0.5, tdi_random_uniform(r) - 0.5,
                 tdi_random_uniform(r) - 0.5};
    return v;
}

static tdi_edge any_edge(tdi_random *r) {
    td_vec3 along = tdi_add(any_vector(r), tdi_vec3(0.2, 0.9, 0));
    tdi_edge e = {.length = tdi_norm(along)};
    e.t = tdi_scale(along, 1 / e.length);
    e.m1 = tdi_director(any_vector(r), e.t);
    e.m2 = tdi_cross(e.t, e.m1);
    return e;
}

static void turn_edge(tdi_edge *e, td_vec3 by, td_real turn) {
    td_vec3 along = tdi_madd(by, e->t, e->length);
    td_real length = tdi_norm(along);
    td_vec3 t = tdi_scale(along, 1 / length), m1 = tdi_transport(e->m1, e->t, t);
    m1 = tdi_add(tdi_scale(m1, cos(turn)), tdi_scale(tdi_cross(t, m1), sin(turn)));
    *e = (tdi_edge){.t = t, .m1 = m1, .m2 = tdi_cross(t, m1), .length = length};
}

// The energy with the 8 numbers of the joint moved by x.
static td_real energy_at(const joint *j, const td_real x[TDI_JOINT_VARIABLES]) {
    tdi_edge e = j->e, f = j->f;
    turn_edge(&e, tdi_vec3(x[0], x[1], x[2]), x[TDI_TURN_E]);
    turn_edge(&f, tdi_vec3(x[4], x[5], x[6]), x[TDI_TURN_F]);
    const tdi_edge seen = tdi_rest_frame_edge(&j->rest_frame, &e);
    const tdi_joint_strain s = tdi_joint_measure(&seen, &f);
    return tdi_joint_energy(&j->law, &s, tdi_joint_twist(&s, 0));
}

static td_real energy_by(const joint *j, int a, td_real x, int b, td_real y) {
    td_real by[TDI_JOINT_VARIABLES] = {0};
    by[a] += x;
    by[b] += y;
    return energy_at(j, by);
}

static joint any_joint(tdi_random *r) {
    joint j = {.e = any_edge(r), .f = any_edge(r)};
    td_quat rest = turned(tdi_random_uniform(r) - 0.5, tdi_random_uniform(r) - 0.5,
                          tdi_random_uniform(r) - 0.5, 2.5 * tdi_random_uniform(r));
    j.rest_frame = tdi_mat3_from_quat(rest);
    // the edge after it is near where the rest frame has it
    const tdi_edge seen = tdi_rest_frame_edge(&j.rest_frame, &j.e);
    td_real length = j.f.length;
    j.f = seen;
    j.f.length = length;
    turn_edge(&j.f, tdi_scale(any_vector(r), length), tdi_random_uniform(r) - 0.5);
    j.law = (tdi_joint_law){{2, 0.3, 1}, 0.7, {0.1, -0.2, 0.05}};
    return j;
}

TD_TEST(derivatives_of_a_joint_with_a_couple_match_differences) {
    const td_real h = 2e-3;
    tdi_random r = random_of(5);
    for (int k = 0; k < 100; k++) {
        const joint j = any_joint(&r);
        const tdi_edge seen = tdi_rest_frame_edge(&j.rest_frame, &j.e);
        const tdi_joint_strain s = tdi_joint_measure(&seen, &j.f);
        tdi_joint_term term;
        tdi_joint_derive(&seen, &j.f, &j.law, &s, tdi_joint_twist(&s, 0), true, &term);
        tdi_rest_frame_derive(&j.e, &seen, true, &term);
        for (int a = 0; a < TDI_JOINT_VARIABLES; a++) {
            td_real slope = (8 * (energy_by(&j, a, h, a, 0) - energy_by(&j, a, -h, a, 0)) -
                             energy_by(&j, a, 2 * h, a, 0) + energy_by(&j, a, -2 * h, a, 0)) /
                            (12 * h);
            CHECK_IN(slope - term.gradient[a], -1e-7, 1e-7);
            for (int b = a; b < TDI_JOINT_VARIABLES; b++) {
                td_real second_difference = 0;
                for (int side = 1; side <= 2; side++) { // two sizes, without the error of order h^2
                    td_real d = side * h;
                    td_real one = (energy_by(&j, a, d, b, d) - energy_by(&j, a, d, b, -d) -
                                   energy_by(&j, a, -d, b, d) + energy_by(&j, a, -d, b, -d)) /
                                  (4 * d * d);
                    second_difference += (side == 1 ? 4 * one : -one) / 3;
                }
                CHECK_IN(second_difference - term.hessian[a][b], -2e-4, 2e-4);
            }
        }
    }
}

// ---- the same beam in other words -----------------------------------------------------------

TD_TEST(chain_of_segments_is_the_rod_along_its_joints) {
    enum { COUNT = 20 };
    td_segment_def defs[COUNT];
    td_vec3 points[COUNT + 1] = {{0, 0, 0}};
    for (int32_t k = 0; k < COUNT; k++) {
        defs[k] = stem(k - 1, k == 0 ? turned(0, 0, 1, -1.2) : tdi_quat_identity());
        defs[k].length = 0.05;
        defs[k].radius_base = defs[k].radius_tip = 0.003;
        points[k + 1] = tdi_vec3(0.05 * (k + 1) * sin(1.2), 0.05 * (k + 1) * cos(1.2), 0);
    }
    td_material wood = td_material_get(td_material_find("green-wood"));
    td_rod_def def = td_rod_def_default();
    def.vertex_count = COUNT + 1;
    def.points = points;
    def.radius = 0.003;
    def.density = wood.density;
    def.young = wood.young;
    def.shear = td_material_shear(&wood);
    def.damping_time = wood.damping_time;
    def.start = TD_END_CLAMPED;
    pair p = pair_of(built(defs, COUNT));
    OWNED(td_body_model) *model = NULL;
    OWNED(td_body) *state = NULL;
    td_step_opts opts = td_step_opts_default();
    CHECK_INT(td_rod_model_new(&def, 1, NULL, 0, NULL, &model, NULL), TD_OK);
    CHECK_INT(td_body_new(model, NULL, &state, NULL), TD_OK);
    CHECK_INT(td_body_dof_count(model), td_body_dof_count(p.rods));
    for (int k = 0; k < 30; k++) {
        CHECK_INT(td_body_step(state, &opts, NULL, NULL), TD_OK);
        CHECK_INT(td_body_step(p.rod, &opts, NULL, NULL), TD_OK);
    }
    CHECK_IN(apart(td_body_tip(state, COUNT - 1), td_body_tip(p.rod, COUNT - 1)), 0, 1e-7);
    CHECK(apart(td_body_tip(state, COUNT - 1), points[COUNT]) > 1e-3);
    pair_free(&p);
}

// ---- rods and trees -------------------------------------------------------------------------

TD_TEST(plants_at_rest_as_rods_and_as_trees_are_two_percent_of_their_sag_apart) {
    static const char *const names[] = {"bamboo",       "banana", "broad-leaf",  "cyme",
                                        "elephant-ear", "fern",   "jungle-tree", "monopodial",
                                        "orchid",       "palm",   "raceme",      "rose",
                                        "t-plant",      "wheat",  "young-oak"};
    for (size_t k = 0; k < sizeof names / sizeof *names; k++) {
        char path[256];
        snprintf(path, sizeof path, TEST_SCENES "/plants/%s.lsys", names[k]);
        pair p = pair_of(grow(path));
        difference start = compare(&p);
        CHECK_IN(start.most, 0, 1e-12);
        settle_both(&p);
        difference d = compare(&p);
        // the rest is what rods stretch and thicken
        if (!(d.most <= 0.02 * d.sag + 2e-5)) {
            test_failed(__FILE__, __LINE__, "%s: %g m apart, sag %g m", names[k], d.most, d.sag);
        }
        pair_free(&p);
    }
}

TD_TEST(segment_that_starts_beside_its_parents_tip_is_carried_there) {
    td_segment_def defs[4];
    for (int32_t bears = 0; bears < 2; bears++) {
        defs[0] = stem(TD_NONE, tdi_quat_identity());
        defs[1] = stem(0, turned(0, 0, 1, -1.3));
        defs[1].attach_at_tip = false;
        defs[1].attach = tdi_vec3(0.004, 0.06, 0);
        defs[2] = stem(1, turned(1, 0, 0, 0.7));
        defs[3] = stem(0, turned(1, 0.2, 0, 0.4));
        if (!bears) {
            defs[2].parent = 0;
        }
        for (int32_t k = 0; k < 4; k++) {
            defs[k].radius_base = defs[k].radius_tip = 0.001;
        }
        pair p = pair_of(built(defs, 4));
        CHECK_IN(compare(&p).most, 0, 1e-15);
        settle_both(&p);
        difference d = compare(&p);
        CHECK(d.sag > 1e-4);
        CHECK_IN(d.most, 0, 0.01 * d.sag);
        pair_free(&p);
    }
}

#ifdef __wasm__ // node crashes on its way out when memory has grown a lot
#define MOST_SEGMENTS 1100
#else
#define MOST_SEGMENTS 1000000
#endif

static bool is_plant(const char *name) {
    size_t size = strlen(name);
    return size > 5 && strcmp(name + size - 5, ".lsys") == 0;
}

// Settles, unless it is one of the drawings that fold onto themselves, and takes ten steps, three
// of large ones.
static void step_plants(const char *folder, bool settle) {
    DIR *dir = opendir(folder);
    int count = 0;
    if (!dir) {
        test_failed(__FILE__, __LINE__, "cannot read %s", folder);
        return;
    }
    for (struct dirent *entry = readdir(dir); entry; entry = readdir(dir)) {
        char path[512];
        if (!is_plant(entry->d_name)) {
            continue;
        }
        snprintf(path, sizeof path, "%s/%.200s", folder, entry->d_name);
        td_skeleton *skeleton = grow(path);
        if (td_skeleton_count(skeleton) > MOST_SEGMENTS) {
            td_skeleton_free(skeleton);
            continue;
        }
        td_body_model *model = NULL;
        td_body *state = NULL;
        td_diag diag = {.message = ""};
        td_step_opts opts = td_step_opts_default();
        td_step_stats stats = {0};
        td_status status = td_body_model_new(skeleton, "rod", NULL, NULL, &model, &diag);
        status = status == TD_OK ? td_body_new(model, NULL, &state, &diag) : status;
        status = status == TD_OK && settle ? td_body_settle(state, &opts, &stats, &diag) : status;
        const int steps = td_skeleton_count(skeleton) > 1500 ? 3 : 10;
        for (int k = 0; k < steps && status == TD_OK; k++) {
            status = td_body_step(state, &opts, &stats, &diag);
        }
        if (status != TD_OK || stats.unconverged > 0) {
            test_failed(__FILE__, __LINE__, "%s: %s", path, diag.message);
        }
        td_body_free(state);
        td_body_model_free(model);
        td_skeleton_free(skeleton);
        count++;
    }
    closedir(dir);
    CHECK(count > 4);
}

TD_TEST(every_shipped_plant_becomes_rods_that_settle_and_step) {
    step_plants(TEST_SCENES "/plants", true);
    step_plants(TEST_SCENES "/props", true);
}

TD_TEST(every_shipped_drawing_becomes_rods_that_step) {
    step_plants(TEST_SCENES "/abop", false);
}

// ---- roots and joints -----------------------------------------------------------------------

TD_TEST(free_segment_falls_and_a_fixed_one_stays) {
    td_segment_def defs[2] = {stem(TD_NONE, turned(0, 0, 1, 0.4)), stem(0, turned(1, 0, 0, 0.3))};
    td_step_opts opts = td_step_opts_default();
    for (int fixed = 0; fixed < 2; fixed++) {
        defs[0].joint = fixed ? TD_JOINT_FIXED : TD_JOINT_FREE;
        pair p = pair_of(built(defs, 2));
        td_vec3 before = td_body_tip(p.rod, 0);
        for (int k = 0; k < 60; k++) {
            CHECK_INT(td_body_step(p.rod, &opts, NULL, NULL), TD_OK);
        }
        td_real fallen = before.y - td_body_tip(p.rod, 0).y;
        CHECK_IN(fallen, fixed ? 0 : 4.8, fixed ? 0 : 5.0);
        pair_free(&p);
    }
}

TD_TEST(segment_fixed_to_its_parent_keeps_its_angle) {
    td_segment_def defs[2] = {stem(TD_NONE, turned(0, 0, 1, -1.4)), stem(0, turned(1, 0, 0, 1))};
    defs[1].joint = TD_JOINT_FIXED;
    defs[0].radius_base = defs[0].radius_tip = defs[1].radius_base = defs[1].radius_tip = 0.001;
    pair p = pair_of(built(defs, 2));
    td_step_opts opts = td_step_opts_default();
    td_quat start = td_body_rotation(p.rod, 0);
    CHECK_INT(td_body_settle(p.rod, &opts, NULL, NULL), TD_OK);
    td_quat up = td_body_rotation(p.rod, 0), own = td_body_rotation(p.rod, 1);
    td_quat rest = defs[1].rest, between = tdi_quat_mul(tdi_quat_conj(up), own);
    td_quat bent = tdi_quat_mul(tdi_quat_conj(start), up);
    CHECK(fabs(bent.w) < 1 - 1e-6);
    CHECK_IN(
        fabs(between.w * rest.w + between.x * rest.x + between.y * rest.y + between.z * rest.z),
        1 - 1e-9, 1 + 1e-12);
    pair_free(&p);
}

TD_TEST(what_rods_cannot_be_is_refused_by_its_segment) {
    static const struct {
        td_joint_kind joint;
        td_real initial;
        td_status status;
        const char *message;
    } cases[] = {
        {TD_JOINT_HINGE, 0, TD_ERR_STRUCTURE, "segment 1 has a hinge"},
        {TD_JOINT_SLIDE, 0, TD_ERR_STRUCTURE, "segment 1 has a slide"},
        {TD_JOINT_BALL, 3.14159265, TD_ERR_ARGUMENT, "segment 1: its initial pose is folded back"}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        td_segment_def defs[2] = {stem(TD_NONE, tdi_quat_identity()),
                                  stem(0, turned(0, 0, 1, 0.5))};
        td_body_model *model = NULL;
        td_diag diag = {.message = ""};
        defs[1].joint = cases[k].joint;
        if (cases[k].initial != 0) {
            defs[1].initial = tdi_quat_mul(defs[1].rest, turned(0, 0, 1, cases[k].initial));
        }
        OWNED(td_skeleton) *skeleton = built(defs, 2);
        CHECK_INT(td_body_model_new(skeleton, "rod", NULL, NULL, &model, &diag), cases[k].status);
        CHECK_HAS(diag.message, cases[k].message);
        CHECK_INT(diag.index, 1);
        CHECK(model == NULL);
    }
}

// ---- shapes at rest -------------------------------------------------------------------------

TD_TEST(rods_made_for_their_drawn_shape_stay_in_it) {
    static const char *const names[] = {"orchid", "palm", "tropical-pot", "weeping-willow"};
    const td_vec3 gravity = {0, -9.81, 0};
    for (size_t k = 0; k < sizeof names / sizeof *names; k++) {
        char path[256];
        td_diag diag = {.message = ""};
        snprintf(path, sizeof path, TEST_SCENES "/plants/%s.lsys", names[k]);
        pair p = pair_of(grow(path));
        OWNED(td_body_model) *model = NULL;
        OWNED(td_body) *state = NULL;
        td_step_opts opts = td_step_opts_default();
        td_real most = 0;
        CHECK_INT(td_body_model_rest_new(p.rods, gravity, NULL, &model, &diag), TD_OK);
        CHECK_INT(td_body_new(model, NULL, &state, &diag), TD_OK);
        for (int i = 0; i < 30; i++) {
            CHECK_INT(td_body_step(state, &opts, NULL, &diag), TD_OK);
        }
        for (int32_t i = 0; i < td_body_segment_count(model); i++) {
            most = fmax(most, apart(td_body_tip(state, i), td_body_tip(p.rod, i)));
        }
        CHECK_IN(most, 0, 1e-7);
        pair_free(&p);
    }
}

TD_TEST(what_nothing_holds_has_no_shape_that_gravity_keeps) {
    td_segment_def defs[2] = {stem(TD_NONE, turned(0, 0, 1, 0.4)), stem(0, turned(1, 0, 0, 0.3))};
    const td_vec3 gravity = {0, -9.81, 0};
    td_diag diag = {.message = ""};
    for (int limp = 0; limp < 2; limp++) {
        td_body_model *model = NULL;
        defs[0].joint = limp ? TD_JOINT_BALL : TD_JOINT_FREE;
        defs[1].has_stiffness = limp;
        pair p = pair_of(built(defs, 2));
        CHECK_INT(td_body_model_rest_new(p.rods, gravity, NULL, &model, &diag), TD_ERR_ARGUMENT);
        CHECK_HAS(diag.message, limp ? "segment 1 cannot carry its load" : "not clamped");
        CHECK(model == NULL);
        pair_free(&p);
    }
}
