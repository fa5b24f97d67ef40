// SPDX-License-Identifier: MIT
// The public interface as a caller meets it: defaults, what getters tell, what is refused.

#include "td_test.h"

#include "math/angle.h"
#include "math/quat.h"

#include <stdlib.h>

// ---- things to ask --------------------------------------------------------------------------

// Two stems in a row, the second with a contour of its own.
static td_skeleton *stems(void) {
    OWNED(td_builder) *builder = NULL;
    td_skeleton *skeleton = NULL;
    td_segment_def def = td_segment_def_default();
    td_contour contour = {.closed = true};
    for (int k = 0; k < TD_CONTOUR_POINTS; k++) {
        contour.x[k] = cos(2 * TDI_PI * k / TD_CONTOUR_POINTS);
        contour.z[k] = sin(2 * TDI_PI * k / TD_CONTOUR_POINTS);
    }
    CHECK_INT(td_builder_new(NULL, NULL, &builder, NULL), TD_OK);
    CHECK_INT(td_builder_add(builder, &def, NULL, NULL), TD_OK);
    CHECK_INT(td_builder_add_contour(builder, &contour, &def.contour, NULL), TD_OK);
    def.parent = 0;
    CHECK_INT(td_builder_add(builder, &def, NULL, NULL), TD_OK);
    CHECK_INT(td_builder_finish(builder, &skeleton, NULL), TD_OK);
    return skeleton;
}

// ---- defaults -------------------------------------------------------------------------------

TD_TEST(api_structs_that_callers_fill_start_from_what_the_headers_say) {
    const td_base_motion still = td_base_motion_default();
    CHECK(still.rotation.w == 1 && still.velocity.x == 0 && still.spin.y == 0);
    const td_constraint_target target = td_constraint_target_default();
    CHECK(target.rotation.w == 1 && target.length == 1);
    CHECK_TEXT(td_material_default().name, "green-wood");
    const td_material_change change = td_material_change_default();
    CHECK(change.damping_time < 0 && change.density == 0 && !change.name);
    const td_strand strand = td_strand_default();
    CHECK(strand.closing.w == 1 && strand.count == 0 && strand.start == TD_END_FREE);
    const td_lcp_row row = td_lcp_row_default();
    CHECK(row.kind == TD_LCP_BOX && row.low == 0 && row.high == (double)INFINITY);
    CHECK_INT(td_place_def_default().segment_id, TD_NONE);
    const td_probe_def probe = td_probe_def_default();
    CHECK(probe.place.segment_id == TD_NONE && probe.quantity == TD_QUANTITY_POSITION);
    const td_joint_def joint = td_joint_def_default(TD_JOINT_SLIDE);
    CHECK(joint.kind == TD_JOINT_SLIDE && joint.as.segment_id == TD_NONE && joint.as.axis.z == 1);
    const td_strand_body body = td_strand_body_default();
    CHECK(body.at == 1 && body.mass == 0);
}

// A change that was not filled in changes nothing.
TD_TEST(api_default_change_of_materials_leaves_a_skeleton_as_it_is) {
    OWNED(td_skeleton) *from = stems(), *to = NULL;
    const td_material_change change = td_material_change_default();
    CHECK_INT(td_skeleton_changed_new(from, 1, &change, 1, NULL, &to, NULL), TD_OK);
    CHECK(memcmp(td_skeleton_segments(from), td_skeleton_segments(to), 2 * sizeof(td_segment)) ==
          0);
}

// ---- what getters tell ----------------------------------------------------------------------

TD_TEST(api_skeletons_and_meshes_tell_what_they_hold) {
    OWNED(td_skeleton) *skeleton = stems();
    td_mesh_opts opts = td_mesh_opts_default();
    OWNED(td_mesh) *mesh = NULL;
    CHECK_INT(td_skeleton_contour_count(skeleton), 1);
    CHECK(td_skeleton_contours(skeleton)[0].closed);
    CHECK_REL(td_skeleton_contours(skeleton)[0].x[0], 1, 0);
    opts.pose = TD_POSE_REST;
    CHECK_INT(td_mesh_new(skeleton, &opts, NULL, &mesh, NULL), TD_OK);
    CHECK_INT(td_mesh_pose(mesh), TD_POSE_REST);
    const td_clip_actor stiff = {.skeleton = skeleton},
                        stretchy = {.skeleton = skeleton, .stretchy = true};
    CHECK(!td_clip_moves(&stiff, 1));
    CHECK(td_clip_moves(&stretchy, 1));
}

TD_TEST(api_residuals_of_settled_states_are_small_and_those_of_drawn_ones_are_not) {
    const td_vec3 down = {0, -9.81, 0};
    OWNED(td_skeleton) *skeleton = NULL;
    OWNED(td_body_model) *tree = NULL;
    OWNED(td_body) *state = NULL;
    OWNED(td_body_model) *rod = NULL;
    OWNED(td_body) *rod_state = NULL;
    const td_body_opts opts = td_body_opts_default();
    td_step_opts step = td_step_opts_default();
    const char text[] = "axiom: !(0.01)[+(90)F(0.3)F(0.3)F(0.3)]\n";
    step.tolerance = 1e-9;
    CHECK_INT(td_skeleton_from_text(text, strlen(text), NULL, &skeleton, NULL), TD_OK);
    CHECK_INT(td_body_model_new(skeleton, "tree", &opts, NULL, &tree, NULL), TD_OK);
    CHECK_INT(td_body_new(tree, NULL, &state, NULL), TD_OK);
    CHECK(td_body_model_bytes(tree) > 0 && td_body_bytes(state) > 0);
    CHECK(td_body_residual(state, down) > 1e-3);
    CHECK_INT(td_body_settle(state, &step, NULL, NULL), TD_OK);
    CHECK(td_body_residual(state, down) < 1e-6);
    CHECK_INT(td_body_model_new(skeleton, "rod", NULL, NULL, &rod, NULL), TD_OK);
    CHECK_INT(td_body_new(rod, NULL, &rod_state, NULL), TD_OK);
    CHECK(td_body_residual(rod_state, down) > 1e-3);
    CHECK_INT(td_body_settle(rod_state, &step, NULL, NULL), TD_OK);
    CHECK(td_body_residual(rod_state, down) < 1e-6);
}

// Two rods: vertices are numbered rod after rod, and spin that is set is read again.
TD_TEST(api_vertices_of_rods_are_numbered_rod_after_rod) {
    const td_vec3 points[3] = {{0, 0, 0}, {0.1, 0, 0}, {0.2, 0.05, 0}};
    td_rod_def rods[2] = {td_rod_def_default(), td_rod_def_default()};
    OWNED(td_body_model) *model = NULL;
    OWNED(td_body) *state = NULL;
    for (int k = 0; k < 2; k++) {
        rods[k].points = points;
        rods[k].vertex_count = 3 - k;
    }
    CHECK_INT(td_rod_model_new(rods, 2, NULL, 0, NULL, &model, NULL), TD_OK);
    CHECK_INT(td_body_new(model, NULL, &state, NULL), TD_OK);
    CHECK_INT(td_rod_vertex_count(model), 5);
    CHECK_INT(td_rod_vertex(model, 0, 2), 2);
    CHECK_INT(td_rod_vertex(model, 1, 1), 4);
    CHECK_REL(td_rod_position(state, td_rod_vertex(model, 1, 1)).x, 0.1, 0);
    CHECK(td_rod_set_spin(state, 2, 3, NULL) == TD_OK);
    CHECK_REL(td_rod_spin(state, 2), 3, 0);
    CHECK_REL(td_rod_spin(state, 1), 0, 0);
}

// An arc of a quarter turn in an island, which takes states of all solvers: it stays at rest.
TD_TEST(api_helix_tells_frames_along_it_and_steps_in_an_island) {
    td_helix_element e = td_helix_element_default();
    OWNED(td_body_model) *model = NULL;
    OWNED(td_body) *state = NULL;
    OWNED(td_island) *island = NULL;
    td_step_opts opts = td_step_opts_default();
    e.rest = e.start = tdi_vec3(0, 0, 0.5 * TDI_PI / e.length); // about Z
    opts.gravity = tdi_vec3(0, 0, 0);
    CHECK_INT(td_helix_model_new(&e, 1, NULL, &model, NULL), TD_OK);
    CHECK_INT(td_body_new(model, NULL, &state, NULL), TD_OK);
    CHECK(td_body_bytes(state) > 0);
    td_body *ref = state;
    CHECK_INT(td_island_new(&ref, 1, NULL, 0, NULL, &island, NULL), TD_OK);
    CHECK_INT(td_island_step(island, &opts, NULL, 0, NULL, NULL), TD_OK);
    const td_vec3 first = tdi_quat_rotate(td_helix_frame(state, 0, 0), tdi_vec3(0, 1, 0));
    const td_vec3 last = tdi_quat_rotate(td_helix_frame(state, 0, 1), tdi_vec3(0, 1, 0));
    CHECK(tdi_norm(tdi_sub(first, tdi_vec3(0, 1, 0))) < 1e-9);
    CHECK(tdi_norm(tdi_sub(last, tdi_vec3(-1, 0, 0))) < 1e-9);
}

TD_TEST(api_curve_tells_its_parts) {
    const td_real times[2] = {0, 1}, values[6] = {0};
    td_curve_def def = td_curve_def_default();
    OWNED(td_curve) *curve = NULL;
    def.times = times;
    def.values = values;
    def.key_count = 2;
    def.part_count = 3;
    CHECK_INT(td_curve_new(&def, NULL, &curve, NULL), TD_OK);
    CHECK_INT(td_curve_part_count(curve), 3);
}

// ---- what is refused ------------------------------------------------------------------------

TD_TEST(api_island_without_contact_refuses_colliders) {
    OWNED(td_skeleton) *skeleton = stems();
    OWNED(td_body_model) *model = NULL;
    OWNED(td_body) *state = NULL;
    OWNED(td_island) *island = NULL;
    const td_body_opts opts = td_body_opts_default();
    const td_step_opts step = td_step_opts_default();
    const td_collider ground = td_collider_default(TD_COLLIDER_PLANE);
    td_diag diag = {.message = ""};
    CHECK_INT(td_body_model_new(skeleton, "tree", &opts, NULL, &model, NULL), TD_OK);
    CHECK_INT(td_body_new(model, NULL, &state, NULL), TD_OK);
    td_body *ref = state;
    CHECK_INT(td_island_new(&ref, 1, NULL, 0, NULL, &island, NULL), TD_OK);
    CHECK_INT(td_island_step(island, &step, &ground, 1, NULL, &diag), TD_ERR_ARGUMENT);
    CHECK_HAS(diag.message, "without contact");
    CHECK_INT(td_island_settle(island, &step, &ground, 1, NULL, &diag), TD_ERR_ARGUMENT);
    CHECK_INT(td_island_step(island, &step, NULL, 0, NULL, &diag), TD_OK);
}

// Every index: below 0, and one too many.
TD_TEST(api_indices_that_are_not_there_give_nothing_and_set_nothing) {
    static const td_vec3 points[3] = {{0, 0, 0}, {0.1, 0, 0}, {0.2, 0, 0}};
    td_object_def object = td_object_def_default();
    td_scene_def scene = td_scene_def_default();
    OWNED(td_world) *world = NULL;
    object.strand.points = points;
    object.strand.point_count = 3;
    object.strand.segments = 2;
    object.solver = "rod";
    scene.objects = &object;
    scene.object_count = 1;
    CHECK_INT(td_world_new(&scene, NULL, NULL, &world, NULL), TD_OK);
    td_body *rod = td_world_body(world, td_world_actor_id(world, 0));
    for (int32_t k = -1; k <= 2; k += 3) { // of two segments
        td_vec3 at = {7, 7, 7};
        td_mode mode;
        CHECK(!td_world_actor(world, td_world_actor_id(world, k)).skeleton &&
              !td_world_actor(world, td_world_actor_id(world, k)).name);
        td_world_pose(world, td_world_actor_id(world, k), &at, NULL, NULL, NULL);
        td_world_segment(world, td_world_actor_id(world, 0), k, &at, NULL, NULL);
        td_world_moments(world, td_world_actor_id(world, k), &at);
        CHECK(at.x == 7);
        CHECK(!td_world_body(world, td_world_actor_id(world, k)));
        CHECK_INT(td_world_modes(world, td_world_actor_id(world, k), 1, &mode, NULL), TD_ERR_STALE);
        CHECK_REL(td_world_actor_sums(world, td_world_actor_id(world, k)).energy.weight, 0, 0);
        CHECK_REL(td_world_collider(world, td_world_collider_id(world, k)).radius, 0, 0);
        CHECK_TEXT(td_world_collider_name(world, td_world_collider_id(world, k)), "");
        CHECK_TEXT(td_world_constraint_name(world, td_world_constraint_id(world, k)), "");
        CHECK(!td_world_constraint(world, td_world_constraint_id(world, k)).active);
        CHECK_TEXT(td_world_probe_name(world, k), "");
        CHECK_REL(td_body_tip(rod, k).x, 0, 0);
        CHECK_REL(td_rod_tension(rod, k), 0, 0);
        CHECK_INT(td_rod_set_spin(rod, k, 1, NULL), TD_ERR_ARGUMENT);
        CHECK_INT(td_rod_turn(rod, k, 1, NULL), TD_ERR_ARGUMENT);
        CHECK_INT(td_rod_set_vertex(rod, k < 0 ? k : 3, at, at, NULL), TD_ERR_ARGUMENT);
        CHECK_TEXT(td_material_get(k < 0 ? k : td_material_count()).name, "");
        CHECK(!td_solver_get(k < 0 ? k : td_solver_count()).name);
    }
}

// ---- lists of faults ------------------------------------------------------------------------

// Every function that takes a list adds to what is there, errors before warnings.
TD_TEST(functions_add_to_a_list_of_faults_and_do_not_empty_it) {
    td_diag items[8] = {{.status = TD_OK, .message = "a warning"}};
    td_diag_list list = {items, 8, 1};
    td_grammar_def wrong = td_grammar_def_default();
    td_grammar *grammar = NULL;
    td_scene *scene = NULL;
    td_world *world = NULL;
    wrong.text = "axiom: F(\n";
    wrong.text_size = strlen(wrong.text);
    for (int32_t k = 1; k < 3; k++) { // the second time it is the same line of the same file
        CHECK_INT(td_grammar_new(&wrong, NULL, &grammar, &list), TD_ERR_SYNTAX);
        CHECK_INT(list.count, 1 + k);
    }
    CHECK_INT(td_grammar_new(&wrong, NULL, NULL, &list), TD_ERR_ARGUMENT);
    CHECK_INT(list.count, 4);
    CHECK_INT(td_plant_check(NULL, &list), TD_ERR_ARGUMENT);
    CHECK_INT(list.count, 5);
    CHECK_INT(td_scene_from_value(NULL, NULL, NULL, &scene, &list), TD_ERR_ARGUMENT);
    CHECK_INT(list.count, 6);
    CHECK_INT(td_world_new(NULL, NULL, NULL, &world, &list), TD_ERR_ARGUMENT);
    CHECK_INT(list.count, 7);
    CHECK_INT(td_world_from_scene(NULL, NULL, NULL, &world, &list), TD_ERR_ARGUMENT);
    CHECK_INT(list.count, 8);
    CHECK_TEXT(items[7].message, "a warning"); // behind the errors
    CHECK_HAS(items[0].message, "expected");
    CHECK_HAS(items[1].message, "expected");
    CHECK_INT(td_world_from_scene(NULL, NULL, NULL, &world, &list), TD_ERR_ARGUMENT);
    CHECK_INT(list.count, 9); // one was dropped
}
