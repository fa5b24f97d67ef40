// SPDX-License-Identifier: MIT
// One beam by every solver, without a scene: how far it droops, and its first frequency, against
// the theory of thin beams. `beam` returns 0 when all are within a per cent.

#include <math.h>
#include <stdio.h>
#include <tendril/tendril.h>

enum { PIECES = 40 };

static const double length = 1, radius = 0.005, young = 1e10, density = 1000, pi = 3.14159265358979;

// A level row of segments, clamped at its first.
static td_skeleton *level_row(void) {
    td_builder *builder = NULL;
    td_skeleton *skeleton = NULL;
    td_material material = td_material_get(0);
    td_segment_def def = td_segment_def_default();
    material.young = young;
    material.density = density;
    td_status status = td_builder_new(NULL, NULL, &builder, NULL);
    if (status == TD_OK) {
        status = td_builder_add_material(builder, &material, &def.material, NULL);
    }
    def.length = length / PIECES;
    def.radius_base = def.radius_tip = radius;
    for (int32_t k = 0; k < PIECES && status == TD_OK; k++) {
        def.parent = k - 1;
        def.rest = k > 0 ? (td_quat){1, 0, 0, 0} : (td_quat){sqrt(0.5), 0, 0, -sqrt(0.5)};
        status = td_builder_add(builder, &def, NULL, NULL);
    }
    if (status == TD_OK) {
        td_builder_finish(builder, &skeleton, NULL);
    }
    td_builder_free(builder);
    return skeleton;
}

// Whether both figures are right.
static int compare(const td_skeleton *skeleton, const char *solver, double droop, double hz) {
    td_body_opts opts = td_body_opts_default();
    td_body_model *model = NULL;
    td_body *body = NULL;
    td_mode mode = {0};
    td_vec3 tip = {0, 0, 0};
    td_diag diag = {.message = ""};
    opts.elements = 20; // of helices; by default as many as the pose at rest needs
    td_status status = td_body_model_new(skeleton, solver, &opts, NULL, &model, &diag);
    status = status == TD_OK ? td_body_new(model, NULL, &body, &diag) : status;
    status = status == TD_OK ? td_body_settle(body, NULL, NULL, &diag) : status;
    if (status == TD_OK) {
        tip = td_body_tip(body, td_body_segment_count(model) - 1);
        status = td_body_modes(body, (td_vec3){0, 0, 0}, 1, &mode, &diag);
    }
    td_body_free(body);
    td_body_model_free(model);
    if (status != TD_OK) {
        fprintf(stderr, "%s: %s\n", solver, diag.message);
        return 0;
    }
    printf("%-6s droops by %.5f m (%.5f), vibrates at %.4f Hz (%.4f)\n", solver, -tip.y, droop,
           mode.frequency, hz);
    return fabs(-tip.y / droop - 1) < 0.01 && fabs(mode.frequency / hz - 1) < 0.01;
}

int main(void) {
    // with A/I = 4/r^2: w l^4/(8 E I), and 1.8751^2/(2 pi l^2) sqrt(E I/(rho A))
    const double droop = density * 9.81 * 4 / (radius * radius) / (8 * young),
                 hz = 3.5160 / (2 * pi) * sqrt(young * radius * radius / (4 * density));
    td_skeleton *skeleton = level_row();
    int fine = skeleton != NULL;
    for (int32_t k = 0; fine && k < td_solver_count(); k++) {
        fine = compare(skeleton, td_solver_get(k).name, droop, hz);
    }
    td_skeleton_free(skeleton);
    return fine ? 0 : 1;
}
