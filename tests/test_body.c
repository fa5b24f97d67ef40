// SPDX-License-Identifier: MIT
// Bodies of any solver through one interface. Pairs with src/body/body.c.

#include "td_test.h"

#include "math/vec3.h"

#include <stdlib.h>
#include <string.h>

enum { SEGMENTS = 6 };

#define LENGTH 0.3 // m

// A level strand that droops.
static td_skeleton *strand(int32_t segments) {
    OWNED(td_builder) *builder = test_builder();
    td_segment_def def = td_segment_def_default();
    def.length = LENGTH / segments;
    def.radius_base = def.radius_tip = 0.004;
    for (int32_t k = 0; k < segments; k++) {
        def.parent = k - 1;
        def.rest = k == 0 ? (td_quat){0.70710678118654752, 0, 0, -0.70710678118654752}
                          : (td_quat){1, 0, 0, 0};
        CHECK_INT(td_builder_add(builder, &def, NULL, NULL), TD_OK);
    }
    return test_finish(builder);
}

typedef struct made {
    td_skeleton *skeleton;
    td_body_model *model;
    td_body *body;
} made;

static made make_of(const char *solver, int32_t segments) {
    made m = {.skeleton = strand(segments)};
    CHECK_INT(td_body_model_new(m.skeleton, solver, NULL, NULL, &m.model, NULL), TD_OK);
    CHECK_INT(td_body_new(m.model, NULL, &m.body, NULL), TD_OK);
    return m;
}

static made make(const char *solver) {
    return make_of(solver, SEGMENTS);
}

static void unmake(made *m) {
    td_body_free(m->body);
    td_body_model_free(m->model);
    td_skeleton_free(m->skeleton);
}

static void steps(td_body *body, int count) {
    for (int k = 0; k < count; k++) {
        CHECK_INT(td_body_step(body, NULL, NULL, NULL), TD_OK);
    }
}

static td_vec3 tip(td_body *body) {
    return td_body_tip(body, SEGMENTS - 1);
}

static bool same(td_vec3 a, td_vec3 b) {
    return memcmp(&a, &b, sizeof a) == 0;
}

TD_TEST(body_of_every_solver_has_the_segments_of_its_skeleton_and_falls) {
    for (int32_t k = 0; k < td_solver_count(); k++) {
        const td_solver_info info = td_solver_get(k);
        made m = make(info.name);
        td_vec3 origins[SEGMENTS], tips[SEGMENTS];
        td_quat turns[SEGMENTS];
        CHECK_TEXT(td_body_solver(m.model), info.name);
        CHECK_INT(td_body_segment_count(m.model), SEGMENTS);
        CHECK(td_body_dof_count(m.model) > 0 && td_body_model_of(m.body) == m.model);
        CHECK_REL(tip(m.body).x, LENGTH, 1e-9);
        steps(m.body, 3);
        CHECK_REL(td_body_time(m.body), 3.0 / 60, 1e-12);
        CHECK_SAY(tip(m.body).y < -1e-4, "%s: %g m", info.name, tip(m.body).y);
        CHECK_INT(td_body_poses(m.body, 0, SEGMENTS, origins, tips, turns, NULL), TD_OK);
        for (int32_t i = 0; i < SEGMENTS; i++) {
            const td_quat turn = td_body_rotation(m.body, i);
            CHECK(same(origins[i], td_body_origin(m.body, i)));
            CHECK(same(tips[i], td_body_tip(m.body, i)));
            CHECK(memcmp(&turn, &turns[i], sizeof turn) == 0);
        }
        CHECK_INT(td_body_poses(m.body, 1, SEGMENTS, origins, tips, turns, NULL), TD_ERR_ARGUMENT);
        CHECK(same(td_body_tip(m.body, SEGMENTS), tdi_vec3(0, 0, 0)));
        unmake(&m);
    }
}

TD_TEST(body_of_every_solver_goes_on_from_a_save_with_the_same_bits) {
    for (int32_t k = 0; k < td_solver_count(); k++) {
        made m = make(td_solver_get(k).name);
        steps(m.body, 4);
        const size_t bytes = td_body_save_size(m.body);
        char *saved = malloc(bytes);
        td_body_save(m.body, saved);
        steps(m.body, 4);
        const td_vec3 there = tip(m.body);
        CHECK_INT(td_body_restore(m.body, saved, bytes - 1, NULL), TD_ERR_ARGUMENT);
        for (size_t at = 0; at < bytes; at += 1 + bytes / 40) {
            saved[at] ^= 4;
            CHECK_INT(td_body_restore(m.body, saved, bytes, NULL), TD_ERR_SYNTAX);
            saved[at] ^= 4;
        }
        CHECK(same(tip(m.body), there));
        CHECK_INT(td_body_restore(m.body, saved, bytes, NULL), TD_OK);
        steps(m.body, 4);
        CHECK_SAY(same(tip(m.body), there), "%s", td_solver_get(k).name);
        free(saved);
        unmake(&m);
    }
}

TD_TEST(body_that_is_reset_moves_as_a_new_one) {
    const td_base_motion away = {.position = {1, 2, 3}, .rotation = {1, 0, 0, 0}};
    for (int32_t k = 0; k < td_solver_count(); k++) {
        made m = make(td_solver_get(k).name), fresh = make(td_solver_get(k).name);
        CHECK_INT(td_body_set_base(m.body, &away, NULL), TD_OK);
        steps(m.body, 5);
        CHECK_INT(td_body_reset(m.body, NULL), TD_OK);
        CHECK(td_body_time(m.body) == 0);
        steps(m.body, 5);
        steps(fresh.body, 5);
        CHECK_SAY(same(tip(m.body), tip(fresh.body)), "%s", td_solver_get(k).name);
        unmake(&m);
        unmake(&fresh);
    }
}

// Without weight the damping ratio of a mode is pi f t.
TD_TEST(body_of_every_solver_has_the_damping_ratios_of_its_material) {
    for (int32_t k = 0; k < td_solver_count(); k++) {
        made m = make(td_solver_get(k).name);
        td_mode modes[6];
        const td_real t = td_material_get(0).damping_time;
        CHECK_INT(td_body_modes(m.body, tdi_vec3(0, 0, 0), 6, modes, NULL), TD_OK);
        for (int i = 0; i < 6; i++) {
            CHECK_REL(modes[i].damping_ratio, TDI_PI * modes[i].frequency * t, 1e-6);
        }
        unmake(&m);
    }
}

// f = (beta l)^2/(2 pi l^2) sqrt(EI/(rho A)) in pairs; halving the segments quarters the error.
TD_TEST(body_of_segments_has_the_modes_of_a_beam_at_second_order) {
    static const char *const solvers[] = {"tree", "rod"}; // helices bend along their elements
    const td_real beta[2] = {1.87510407, 4.69409113};
    const td_material wood = td_material_get(0);
    const td_real unit = 0.002 / (LENGTH * LENGTH) * sqrt(wood.young / wood.density) / (2 * TDI_PI);
    for (int k = 0; k < 2; k++) {
        td_mode modes[3][4];
        for (int n = 0; n < 3; n++) {
            made m = make_of(solvers[k], 20 << n);
            CHECK_INT(td_body_modes(m.body, tdi_vec3(0, 0, 0), 4, modes[n], NULL), TD_OK);
            unmake(&m);
        }
        for (int i = 0; i < 4; i++) {
            const td_real f[3] = {modes[0][i].frequency, modes[1][i].frequency,
                                  modes[2][i].frequency};
            CHECK_REL(f[2], beta[i / 2] * beta[i / 2] * unit, 2e-3);
            CHECK_IN(modes[2][i].twist, 0, 1e-6);
            CHECK_IN((f[0] - f[1]) / (f[1] - f[2]), 3.8, 4.2);
        }
    }
}

TD_TEST(body_refuses_an_unknown_solver_and_functions_of_another) {
    td_skeleton *skeleton = strand(SEGMENTS);
    td_body_model *model = NULL;
    td_diag diag = {.message = ""};
    CHECK_INT(td_body_model_new(skeleton, "trees", NULL, NULL, &model, &diag), TD_ERR_ARGUMENT);
    CHECK_HAS(diag.message, "unknown solver 'trees'; expected one of 'tree' 'rod' 'helix'");
    CHECK(!model);
    td_skeleton_free(skeleton);
    made rod = make("rod"), tree = make(NULL);
    CHECK_TEXT(td_body_solver(tree.model), "tree");
    CHECK(!td_tree_coords(rod.body));
    CHECK_INT(td_tree_coord_count(rod.model), 0);
    CHECK_INT(td_rod_vertex_count(tree.model), 0);
    CHECK_INT(td_body_element_count(tree.model), 0);
    CHECK_INT(td_rod_set_spin(tree.body, 0, 1, NULL), TD_ERR_ARGUMENT);
    unmake(&rod);
    unmake(&tree);
}
