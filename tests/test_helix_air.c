// SPDX-License-Identifier: MIT
// Leaves that ride on helices in the wind. Pairs with src/helix/matter.c and terms.c.

#include "helix/state.h"
#include "load/drag.h"
#include "test_helix_support.h"

// A stalk along the wind, +X, stiff but limp in torsion, with a leaf across it at its tip that is
// pitched to the wind as a sail of a windmill is.
static td_skeleton *windmill(void) {
    td_segment_def stalk = td_segment_def_default(), leaf = stalk;
    OWNED(td_builder) *b = test_builder();
    stalk.rest = tdi_quat_turn(tdi_vec3(0, 0, 1), -0.5 * TDI_PI);
    stalk.length = 0.1;
    stalk.radius_base = stalk.radius_tip = 1e-3;
    stalk.has_stiffness = stalk.has_damping = true;
    stalk.stiffness = tdi_vec3(100, 1e-5, 100);
    stalk.damping = tdi_vec3(1, 1e-5, 1);
    const td_material tissue = td_material_get(td_material_find("leaf"));
    const td_shape blade = td_shape_default();
    CHECK_INT(td_builder_add_material(b, &tissue, &leaf.material, NULL), TD_OK);
    CHECK_INT(td_builder_add_shape(b, &blade, &leaf.shape, NULL), TD_OK);
    leaf.parent = 0;
    leaf.organ = TD_ORGAN_LEAF;
    leaf.length = 0.05;
    leaf.rest = tdi_quat_mul(tdi_quat_turn(tdi_vec3(0, 0, 1), 0.5 * TDI_PI),
                             tdi_quat_turn(tdi_vec3(0, 1, 0), 0.25 * TDI_PI));
    CHECK_INT(td_builder_add(b, &stalk, NULL, NULL), TD_OK);
    CHECK_INT(td_builder_add(b, &leaf, NULL, NULL), TD_OK);
    return test_finish(b);
}

// Of the drag of a wind along +X on a leaf, about the X axis, N m: it does not depend on how far
// the leaf has gone round.
static td_real torque_on(const td_segment *leaf, td_body *s, const td_air *air) {
    td_vec3 origin;
    td_quat q;
    CHECK(td_body_poses(s, 1, 1, &origin, NULL, &q, NULL) == TD_OK);
    const td_vec3 area = tdi_segment_areas(leaf), w = air->wind,
                  v = tdi_quat_rotate(tdi_quat_conj(q), w),
                  force = tdi_scale(tdi_quat_rotate(q, tdi_times(area, v)),
                                    air->quadratic * sqrt(tdi_dot(v, tdi_times(area, v)) / area.z));
    const td_vec3 middle = tdi_add(origin, tdi_quat_rotate(q, tdi_scale(leaf->tip, 0.5)));
    return tdi_cross(middle, force).x;
}

// Whole turns: a stalk is wound up until its spring holds the sail, and no turn is forgotten.
TD_TEST(helix_leaf_winds_its_stalk_up_until_twist_balances_drag) {
    OWNED(td_skeleton) *skeleton = windmill();
    OWNED(td_body_model) *model = NULL;
    OWNED(td_body) *state = NULL;
    td_step_opts opts = td_step_opts_default();
    td_vec3 u;
    opts.gravity = tdi_vec3(0, 0, 0);
    opts.air = (td_air){.wind = {12, 0, 0}, .quadratic = 0.6};
    CHECK_INT(td_body_model_new(skeleton, "helix", NULL, NULL, &model, NULL), TD_OK);
    CHECK_INT(td_body_new(model, NULL, &state, NULL), TD_OK);
    CHECK_INT(td_body_element_count(model), 1);
    const td_real length = tdi_as_helix_model(model)->element[0].length,
                  stiffness = tdi_as_helix_model(model)->element[0].stiffness.y / (length * length);
    const td_real torque = torque_on(&td_skeleton_segments(skeleton)[1], state, &opts.air);
    for (int k = 0; k < 1200; k++) {
        CHECK_INT(td_body_step(state, &opts, NULL, NULL), TD_OK);
    }
    td_helix_curvatures(state, &u, NULL);
    CHECK(fabs(torque) / stiffness > 3 * 2 * TDI_PI);
    CHECK_REL(u.y * length, torque / stiffness, 1e-3);
    // in still air it turns back
    opts.air.wind = tdi_vec3(0, 0, 0);
    for (int k = 0; k < 2400; k++) {
        CHECK_INT(td_body_step(state, &opts, NULL, NULL), TD_OK);
    }
    td_helix_curvatures(state, &u, NULL);
    CHECK_IN(fabs(u.y * length), 0, 1e-3);
}
