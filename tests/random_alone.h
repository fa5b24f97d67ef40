// SPDX-License-Identifier: MIT
#pragma once

// Calls of random_api.c that need no world: models and states of solvers, islands of them, and the
// small parts. Each makes what it needs, calls it with random arguments and frees it.

#include <string.h>

enum { FEW = 64, DOFS = 128 }; // segments and degrees of freedom of what is made here

static td_step_opts any_step(play *p) {
    td_step_opts o = td_step_opts_default();
    o.dt = number(p, 0.001, 0.03);
    o.integrator = (td_integrator)any_index(p, TD_ADAPTIVE + 1);
    o.gravity = rarely(p) ? vector(p, 10) : o.gravity;
    o.iterations = rarely(p) ? any_index(p, 3) : o.iterations;
    o.air.quadratic = number(p, 0, 2);
    o.air.wind = vector(p, 2);
    o.stiffness = number(p, 0.1, 2);
    o.damping = number(p, 0, 2);
    return o;
}

static td_base_motion any_motion(play *p) {
    td_base_motion m = td_base_motion_default();
    m.position = place(p);
    m.rotation = turn(p);
    m.velocity = vector(p, 1);
    m.spin = vector(p, 1);
    return m;
}

// A plant or, for solvers of strands, a rope of a few segments.
static td_skeleton *small_skeleton(play *p, bool strand) {
    OWNED(td_builder) *builder = NULL;
    td_skeleton *skeleton = NULL;
    td_strand row = td_strand_default();
    claim(td_builder_new(NULL, &alloc, &builder, NULL) == TD_OK, "a builder is made");
    const int32_t count = 2 + below(p, 6);
    for (int32_t i = 0; i < count; i++) {
        td_segment_def s = td_segment_def_default();
        s.parent = strand ? i - 1 : i == 0 ? TD_NONE : any_index(p, i);
        s.length = number(p, 0.05, 0.2);
        s.radius_base = s.radius_tip = number(p, 0.002, 0.01);
        s.rest = strand && i == 0 ? s.rest : turn(p);
        take_status(p, td_builder_add(builder, &s, NULL, diag(p)));
    }
    row.count = count;
    row.start = (td_end_kind)below(p, 3);
    if (strand) {
        take_status(p, td_builder_add_strand(builder, &row, diag(p)));
    }
    take_status(p, td_builder_finish(builder, &skeleton, diag(p)));
    return skeleton;
}

// ---- trees ----------------------------------------------------------------------------------

static void read_tree(play *p, td_body *state, int32_t dofs) {
    static td_real matrix[DOFS * DOFS];
    td_real torque[DOFS] = {0}, accel[DOFS] = {0};
    const td_vec3 gravity = {0, -9.81, 0};
    td_vec3 linear = {0, 0, 0}, angular = {0, 0, 0};
    td_mode modes[2] = {{.frequency = 0}};
    claim(dofs <= DOFS, "there is room for a small tree");
    td_tree_joint_torque(state, torque);
    td_tree_forward(state, gravity, rarely(p) ? NULL : torque, accel);
    td_tree_inverse(state, gravity, accel, torque);
    td_tree_inertia(state, matrix);
    td_body_momentum(state, &linear, &angular);
    take(p, accel, (size_t)dofs * sizeof *accel);
    take(p, torque, (size_t)dofs * sizeof *torque);
    take_vec(p, linear);
    take_real(p, td_body_residual(state, gravity));
    take_status(p, td_body_modes(state, gravity, below(p, 3), modes, diag(p)));
    take_status(p, td_tree_modes(state, gravity, below(p, 3), modes, NULL, diag(p)));
    take_status(p, td_rod_modes(state, gravity, 1, modes, NULL, diag(p)));
    take_vec(p, td_body_origin(state, any_index(p, 3)));
    take_real(p, td_body_rotation(state, any_index(p, 3)).w);
}

static void batch_of(play *p, const td_body_model *model, td_body *state) {
    td_step_opts opts = any_step(p);
    td_tree_batch *batch = NULL;
    if (take_status(p, td_tree_batch_new(model, any_index(p, 4), &alloc, &batch, diag(p))) ==
        TD_OK) {
        td_real accel[DOFS] = {0};
        const int32_t tree = any_index(p, td_tree_batch_count(batch));
        take_status(p, td_tree_batch_set(batch, tree, td_tree_coords(state),
                                         td_tree_velocities(state), NULL));
        take_status(p, td_tree_batch_set_torque(batch, tree, NULL, NULL));
        td_tree_batch_forward(batch, opts.gravity);
        td_tree_batch_accel(batch, tree, accel);
        td_tree_batch_get(batch, tree, NULL, accel);
        take_int(p, (int64_t)td_tree_batch_bytes(batch));
        take(p, accel, (size_t)td_body_dof_count(model) * sizeof *accel);
        take_status(p, td_tree_batch_step(batch, &opts, diag(p)));
    }
    td_tree_batch_free(batch);
}

static void save_body(play *p, td_body *body) {
    const size_t bytes = td_body_save_size(body);
    FREED void *room = malloc(bytes);
    td_body_save(body, room);
    take_status(p, td_body_step(body, NULL, NULL, diag(p)));
    take_status(p, td_body_restore(body, room, bytes - (size_t)rarely(p), NULL));
    take_status(p, rarely(p) ? td_body_reset(body, diag(p)) : TD_OK);
}

static void other_models(play *p, td_body *state) {
    const td_vec3 down = {0, -9.81, 0};
    td_body_model *own_rest = NULL, *own_damped = NULL;
    OWNED(td_body_model) *rest = NULL, *damped = NULL;
    td_damping_opts damping = td_damping_opts_default();
    damping.value = number(p, 0, 0.2);
    const td_body_model *model = td_body_model_of(state);
    take_status(p, td_body_model_rest_new(model, down, &alloc, &own_rest, diag(p)));
    take_status(p, td_body_model_damped_new(model, &damping, &alloc, &own_damped, diag(p)));
    td_body_model_free(own_rest);
    td_body_model_free(own_damped);
    save_body(p, state);
    take_status(p, td_tree_model_rest_new(state, down, &alloc, &rest, diag(p)));
    take_status(p, td_tree_model_damped_new(state, &damping, &alloc, &damped, diag(p)));
}

static void tree_alone(play *p) {
    OWNED(td_skeleton) *skeleton = small_skeleton(p, below(p, 2));
    OWNED(td_body_model) *model = NULL;
    OWNED(td_body) *state = NULL;
    const td_base_motion base = any_motion(p);
    const td_body_opts tree_opts = td_body_opts_default();
    if (take_status(p, td_body_model_new(skeleton, "tree", &tree_opts, &alloc, &model, diag(p))) ==
            TD_OK &&
        take_status(p, td_body_new(model, &alloc, &state, diag(p))) == TD_OK) {
        take_status(p, td_body_set_base(state, &base, NULL));
        take_int(p, td_body_segment_count(model) + td_tree_coord_count(model));
        take_int(p, (int64_t)(td_body_model_bytes(model) + td_body_bytes(state)));
        for (int k = 0; k < 3; k++) {
            td_step_opts opts = any_step(p);
            td_step_stats stats = {0};
            take_status(p, td_body_step(state, rarely(p) ? NULL : &opts, &stats, diag(p)));
            take_status(p, td_body_step_many(&state, &opts, 1, NULL, NULL, diag(p)));
        }
        read_tree(p, state, td_body_dof_count(model));
        batch_of(p, model, state);
        take_status(p, td_body_settle(state, NULL, NULL, diag(p)));
        other_models(p, state);
        td_body_reset(state, NULL);
    }
}

// ---- trees with fewer joints ----------------------------------------------------------------

static void adapt_by_hand(play *p, td_adapt *adapt) {
    td_real weights[FEW], accel[DOFS] = {0};
    bool active[FEW];
    const td_step_opts step = any_step(p);
    for (int k = 0; k < FEW; k++) {
        weights[k] = number(p, 0, 2);
        active[k] = below(p, 2);
    }
    take_status(p, td_adapt_set_weights(adapt, weights, diag(p)));
    td_adapt_activate(adapt, active);
    td_adapt_forward(adapt, &step, NULL, accel);
    td_adapt_metrics(adapt, &step, weights);
    take_real(p, accel[0] + weights[0]);
    take_int(p, (int64_t)td_adapt_bytes(adapt));
}

static void adapt_alone(play *p, td_body *state) {
    td_adapt_opts opts = td_adapt_opts_default();
    OWNED(td_adapt) *adapt = NULL;
    opts.joints = any_index(p, 4);
    opts.error = number(p, 0, 0.1);
    opts.every = any_index(p, 5);
    opts.weights = (td_adapt_weights)any_index(p, 3);
    if (take_status(p, td_adapt_new(state, &opts, &alloc, &adapt, diag(p))) == TD_OK) {
        char saved[4096];
        claim(td_adapt_save_size(adapt) <= sizeof saved, "there is room for a save");
        td_adapt_save(adapt, saved);
        for (int k = 0; k < 4; k++) {
            const td_step_opts step = any_step(p);
            take_status(p, td_adapt_step(adapt, &step, diag(p)));
            take_int(p, td_adapt_is_active(adapt, any_index(p, 4)));
        }
        adapt_by_hand(p, adapt);
        td_adapt_changed(adapt);
        td_adapt_restore(adapt, saved);
        td_adapt_place(adapt);
        take_int(p, td_adapt_report(adapt).active);
        take_int(p, td_adapt_node(adapt, any_index(p, 3)).a);
        take_status(p, td_adapt_set_opts(adapt, &opts, diag(p)));
    }
}

static void reduced_alone(play *p, const td_body_model *model) {
    td_reduce_opts opts = td_reduce_opts_default();
    OWNED(td_body) *state = NULL;
    opts.error = number(p, 0, 0.1);
    opts.joints = any_index(p, 3);
    opts.every = 1 + below(p, 3);
    if (take_status(p, td_reduced_new(model, &opts, &alloc, &state, diag(p))) == TD_OK) {
        uint8_t modes[FEW];
        for (int k = 0; k < FEW; k++) {
            modes[k] = (uint8_t)any_index(p, 4);
        }
        for (int k = 0; k < 4; k++) {
            const td_step_opts step = any_step(p);
            td_reduced_set_modes(state, below(p, 2) ? modes : NULL);
            take_status(p, td_body_step(state, &step, NULL, diag(p)));
            take_int(p, td_reduced_cluster(state, any_index(p, 3)));
        }
        take_int(p, td_reduced_get_stats(state).joints);
        take_int(p, td_reduced_modes(state)[0] + (int64_t)td_body_bytes(state));
        take_status(p, td_reduced_set(state, &opts, diag(p)));
        take_vec(p, td_body_tip(state, 0));
    }
}

static void use_analytic(play *p, td_analytic *analytic, const td_step_opts *step) {
    td_load loads[2 * FEW] = {{.segment = 0}};
    td_constraint_target target = td_constraint_target_default();
    td_hit hit = {.segment = any_index(p, 2), .point = vector(p, 0.1), .normal = {0, 1, 0}};
    char bytes[4096];
    const size_t size = td_analytic_save_size(analytic);
    claim(size <= sizeof bytes, "there is room for a save");
    td_analytic_save(analytic, bytes);
    target.position = place(p);
    hit.restitution = number(p, 0, 1);
    take_status(p, td_analytic_set_target(analytic, any_index(p, 1), &target, NULL));
    take_status(p, td_analytic_prepare(analytic, step, NULL, 0, diag(p)));
    td_analytic_loads(analytic, any_index(p, 1), loads);
    take_vec(p, loads[0].vector);
    take_status(p, td_analytic_impact(analytic, &hit, 1, NULL, diag(p)));
    take_status(p, td_analytic_restore(analytic, bytes, below(p, 2) ? size : size / 2, diag(p)));
}

static void analytic_alone(play *p, td_body *state) {
    td_analytic_opts opts = td_analytic_opts_default();
    td_lcp_opts solver = td_lcp_opts_default();
    solver.method = (td_lcp_method)below(p, 2);
    solver.iterations = 1 + below(p, 50); // a problem without a solution takes all there are
    opts.solver = rarely(p) ? NULL : &solver;
    td_constraint hold =
        td_constraint_default((td_constraint_kind)any_index(p, TD_CONSTRAINT_SPRING + 1));
    const td_step_opts step = any_step(p);
    const td_collider collider = any_collider(p);
    OWNED(td_analytic) *analytic = NULL;
    hold.target.position = place(p);
    if (take_status(p, td_analytic_new(&state, 1, &hold, below(p, 2), &opts, &alloc, &analytic,
                                       diag(p))) == TD_OK) {
        take_status(p, td_analytic_set_hold(analytic, any_index(p, 1), below(p, 2), NULL));
        take_status(p, td_analytic_step(analytic, &step, &collider, below(p, 2), NULL, diag(p)));
        take_real(p, td_analytic_constraint(analytic, any_index(p, 1)).error);
        take_int(p, td_analytic_contacts(analytic, NULL, 0));
        use_analytic(p, analytic, &step);
        take_int(p, td_analytic_solution(analytic).verdict);
    }
}

static void fewer_joints(play *p) {
    OWNED(td_skeleton) *skeleton = small_skeleton(p, false);
    OWNED(td_body_model) *model = NULL;
    OWNED(td_body) *state = NULL;
    if (take_status(p, td_body_model_new(skeleton, "tree", NULL, &alloc, &model, diag(p))) ==
            TD_OK &&
        take_status(p, td_body_new(model, &alloc, &state, diag(p))) == TD_OK) {
        adapt_alone(p, state);
        reduced_alone(p, model);
        analytic_alone(p, state);
    }
}

// ---- rods and helices -----------------------------------------------------------------------

static void read_rod(play *p, const td_body_model *model, td_body *state) {
    const int32_t edge = any_index(p, td_body_segment_count(model));
    td_vec3 linear = {0, 0, 0}, angular = {0, 0, 0};
    td_body_momentum(state, &linear, &angular);
    take_vec(p, td_vec3_add(linear, angular));
    take_vec(p, td_body_origin(state, edge));
    take_vec(p, td_body_tip(state, edge));
    take_vec(p, td_rod_position(state, td_rod_vertex(model, 0, any_index(p, 3))));
    take_vec(p, td_rod_velocity(state, edge));
    take_real(p, td_body_rotation(state, edge).w + td_rod_spin(state, edge));
    take_status(p, td_rod_set_spin(state, edge, number(p, -1, 1), NULL));
    take_real(p, td_body_energy(state, (td_vec3){0, -9.81, 0}).elastic);
    take_int(p, td_body_dof_count(model));
    take_int(p, (int64_t)(td_body_model_bytes(model) + td_body_bytes(state)));
}

// Two rods, the second perhaps on the first.
static void rod_by_hand(play *p) {
    const td_vec3 line[] = {{0, 0, 0}, {0.1, 0, 0}, {0.2, 0.01, 0}};
    td_rod_def rods[] = {td_rod_def_default(), td_rod_def_default()};
    const td_rod_body body = {.edge = any_index(p, 2), .mass = number(p, 0.01, 0.1)};
    OWNED(td_body_model) *model = NULL;
    for (int k = 0; k < 2; k++) {
        rods[k].vertex_count = any_index(p, 4) > 3 ? 3 : 2;
        rods[k].points = line;
        rods[k].start = (td_end_kind)any_index(p, 3);
        rods[k].radius = number(p, 0.001, 0.01);
    }
    rods[1].parent_rod = below(p, 2) ? 0 : TD_NONE;
    take_status(p, td_rod_model_new(rods, 2, &body, below(p, 2), &alloc, &model, diag(p)));
}

static void rod_alone(play *p) {
    rod_by_hand(p);
    OWNED(td_skeleton) *skeleton = small_skeleton(p, below(p, 4) > 0);
    OWNED(td_body_model) *model = NULL;
    OWNED(td_body) *state = NULL;
    if (take_status(p, td_body_model_new(skeleton, "rod", NULL, &alloc, &model, diag(p))) ==
            TD_OK &&
        take_status(p, td_body_new(model, &alloc, &state, diag(p))) == TD_OK) {
        const int32_t vertices = td_rod_vertex_count(model), edges = td_body_segment_count(model);
        const td_base_motion base = any_motion(p);
        td_mode modes[2] = {{.frequency = 0}};
        take_status(p, td_body_set_base(state, &base, NULL));
        take_status(p,
                    td_rod_set_end(state, any_index(p, 1), below(p, 2), place(p), turn(p), NULL));
        for (int k = 0; k < 3; k++) {
            const td_step_opts opts = any_step(p);
            take_status(p, td_body_step(state, &opts, NULL, diag(p)));
            take_status(
                p, td_rod_set_vertex(state, any_index(p, vertices), place(p), vector(p, 1), NULL));
            take_status(p, td_rod_turn(state, any_index(p, edges), number(p, -1, 1), NULL));
            take_real(p, td_rod_tension(state, any_index(p, edges)));
            take_real(p, td_rod_twist_angle(state, any_index(p, edges)));
        }
        read_rod(p, model, state);
        td_rod_forces(state, (td_vec3){0, -9.81, 0}, points[0], NULL);
        take_points(p, points[0], vertices);
        take_real(p, td_body_residual(state, (td_vec3){0, -9.81, 0}));
        take_status(p, td_body_modes(state, (td_vec3){0, -9.81, 0}, 2, modes, diag(p)));
        td_body_reset(state, NULL);
        take_status(p, td_body_settle(state, NULL, NULL, diag(p)));
    }
}

static void read_helix(play *p, const td_body_model *model, td_body *state) {
    const td_helix_published published = {(td_helix_method)below(p, 2), below(p, 2)};
    const td_step_opts opts = any_step(p);
    td_vec3 tip = {0, 0, 0}, linear = {0, 0, 0};
    td_body_poses(state, any_index(p, 3), 1, NULL, &tip, NULL, NULL);
    td_body_momentum(state, &linear, NULL);
    take_vec(p, td_vec3_add(tip, linear));
    take_real(p, td_helix_frame(state, any_index(p, 2), number(p, 0, 1)).w);
    take_int(p, td_body_dof_count(model) + (td_body_model_of(state) == model));
    take_real(p, td_body_time(state));
    take_int(p, (int64_t)(td_body_model_bytes(model) + td_body_bytes(state)));
    take_status(p, td_helix_accelerations(state, &opts, published, points[1], diag(p)));
    take_status(p, td_helix_step_published(state, &opts, published, diag(p)));
}

static void helix_by_hand(play *p) {
    td_helix_element elements[] = {td_helix_element_default(), td_helix_element_default()};
    OWNED(td_body_model) *model = NULL;
    elements[1].parent = any_index(p, 1);
    elements[1].at = number(p, 0, 1);
    elements[0].length = number(p, 0.05, 0.3);
    elements[0].rest = vector(p, 5);
    take_status(p, td_helix_model_new(elements, 2, &alloc, &model, diag(p)));
}

static void helix_alone(play *p) {
    helix_by_hand(p);
    OWNED(td_skeleton) *skeleton = small_skeleton(p, below(p, 4) > 0);
    OWNED(td_body_model) *model = NULL;
    OWNED(td_body) *state = NULL;
    if (take_status(p, td_body_model_new(skeleton, "helix", NULL, &alloc, &model, diag(p))) ==
            TD_OK &&
        take_status(p, td_body_new(model, &alloc, &state, diag(p))) == TD_OK) {
        const int32_t count = td_body_element_count(model);
        for (int32_t k = 0; k < count; k++) {
            points[0][k] = vector(p, 3);
            points[1][k] = vector(p, 3);
        }
        const td_base_motion base = any_motion(p);
        td_mode modes[2] = {{.frequency = 0}};
        take_status(p, td_body_set_base(state, &base, NULL));
        take_status(p, td_helix_set_curvatures(state, points[0], points[1], NULL));
        for (int k = 0; k < 2; k++) {
            const td_step_opts opts = any_step(p);
            take_status(p, td_body_step(state, &opts, NULL, diag(p)));
            take_vec(p, td_helix_place(state, any_index(p, count), number(p, 0, 1)));
        }
        read_helix(p, model, state);
        take_status(p, td_body_modes(state, (td_vec3){0, -9.81, 0}, 2, modes, diag(p)));
        take_status(p, td_body_settle(state, NULL, NULL, diag(p)));
        td_helix_curvatures(state, points[0], points[1]);
        take_points(p, points[0], count);
    }
}

// ---- islands --------------------------------------------------------------------------------

static void use_island(play *p, td_island *island) {
    const td_constraint hold = any_constraint(p);
    const td_collider collider = any_collider(p);
    td_step_opts opts[2] = {any_step(p), any_step(p)};
    opts[1].dt = opts[0].dt;
    opts[1].integrator = opts[0].integrator;
    td_contact found[4];
    char bytes[4096];
    take_status(p, td_island_constrain(island, &hold, below(p, 2), diag(p)));
    take_status(p, td_island_set_hold(island, any_index(p, 1), below(p, 2), NULL));
    take_status(p, td_island_set_target(island, any_index(p, 1), &hold.target, NULL));
    const size_t size = td_island_save_size(island);
    claim(size <= sizeof bytes, "there is room for a save");
    td_island_save(island, bytes);
    for (int k = 0; k < 2; k++) {
        take_status(p, td_island_step(island, opts, &collider, below(p, 2), NULL, diag(p)));
    }
    take_int(p, td_island_contacts(island, found, 4) + td_island_constraint_count(island));
    take_real(p, td_island_constraint(island, any_index(p, 1)).error);
    take_status(p, td_island_restore(island, bytes, below(p, 2) ? size : size / 2, diag(p)));
    take_status(p, td_island_settle(island, opts, &collider, below(p, 2), NULL, diag(p)));
}

static void island_alone(play *p) {
    OWNED(td_skeleton) *plant = small_skeleton(p, false), *rope = small_skeleton(p, true);
    OWNED(td_body_model) *tree = NULL;
    OWNED(td_body_model) *rod = NULL;
    OWNED(td_body) *trees = NULL;
    OWNED(td_body) *rods = NULL;
    OWNED(td_island) *island = NULL;
    const td_contact_opts contact = td_contact_opts_default();
    if (take_status(p, td_body_model_new(plant, "tree", NULL, &alloc, &tree, diag(p))) == TD_OK &&
        take_status(p, td_body_new(tree, &alloc, &trees, diag(p))) == TD_OK &&
        take_status(p, td_body_model_new(rope, "rod", NULL, &alloc, &rod, diag(p))) == TD_OK &&
        take_status(p, td_body_new(rod, &alloc, &rods, diag(p))) == TD_OK) {
        td_base_motion base = td_base_motion_default();
        base.position = place(p);
        take_status(p, td_body_set_base(rods, &base, NULL));
        td_body *const states[] = {trees, rods};
        if (take_status(p, td_island_new(states, 2, below(p, 4) ? &contact : NULL, 1, &alloc,
                                         &island, diag(p))) == TD_OK) {
            use_island(p, island);
        }
    }
}

// ---- small parts ----------------------------------------------------------------------------

static void solve_lcp(play *p) {
    td_lcp_row rows_of[4];
    td_real matrix[16], rhs[4], x[4] = {0, 0, 0, 0};
    td_lcp_result result = {.iterations = 0};
    for (int i = 0; i < 4; i++) {
        rows_of[i] = td_lcp_row_default();
        rows_of[i].kind = (td_lcp_kind)(rarely(p) ? below(p, 5) : 0);
        rows_of[i].high = below(p, 2) ? INFINITY : number(p, 0, 2);
        rhs[i] = number(p, -1, 1);
        for (int j = 0; j <= i; j++) {
            matrix[4 * i + j] = matrix[4 * j + i] = i == j ? number(p, 1, 3) : number(p, -0.3, 0.3);
        }
    }
    td_lcp_opts opts = td_lcp_opts_default();
    opts.method = (td_lcp_method)below(p, 2);
    const td_lcp problem = {rarely(p) ? -1 : below(p, 5), matrix, rhs, rows_of};
    take_status(p, td_lcp_solve(&problem, &opts, &alloc, x, &result, diag(p)));
    take(p, x, sizeof x);
}

static void curve_alone(play *p) {
    td_real times[4], values[4], now[3] = {0, 0, 0};
    td_vec3 turned[4];
    td_curve_def def = td_curve_def_default();
    td_turn_curve_def turning = td_turn_curve_def_default();
    OWNED(td_curve) *curve = NULL;
    OWNED(td_turn_curve) *other = NULL;
    for (int k = 0; k < 4; k++) {
        times[k] = k + number(p, 0, 0.9);
        values[k] = number(p, -2, 2);
        turned[k] = vector(p, 4);
    }
    def.key_count = turning.key_count = any_index(p, 4) + 1;
    def.times = turning.times = times;
    def.values = values;
    turning.turns = turned;
    def.interpolation = turning.interpolation = (td_interpolation)any_index(p, 3);
    def.repeat = rarely(p);
    if (def.key_count > 4) {
        return;
    }
    if (take_status(p, td_curve_new(&def, &alloc, &curve, diag(p))) == TD_OK) {
        td_curve_at(curve, number(p, -1, 6), &now[0], &now[1], &now[2]);
        take_int(p, td_curve_part_count(curve));
    }
    take_status(p, td_turn_curve_new(&turning, &alloc, &other, diag(p)));
    take(p, now, sizeof now);
    td_turn_curve_at(other, number(p, -1, 6), NULL, &turned[0], NULL);
    take_vec(p, turned[0]);
    take_vec(p, td_base_motion_at(NULL, other, number(p, -1, 6)).spin);
}

static void wind_alone(play *p) {
    td_wind_def def = td_wind_def_default();
    OWNED(td_wind) *wind = NULL;
    def.intensity = number(p, 0, 1);
    def.gust = number(p, 0, 1);
    def.length = number(p, 0.5, 8);
    def.roughness = rarely(p) ? number(p, 0, 1) : 0;
    if (take_status(p, td_wind_new(&def, &alloc, &wind, diag(p))) == TD_OK) {
        td_wind_state state = td_wind_start(vector(p, 5));
        td_wind_advance(wind, &state, (td_real)below(p, 100) / 100, vector(p, 5));
        points[0][0] = place(p);
        points[1][0] = (td_vec3){0, 0, 0};
        td_wind_at(wind, &state, 1, points[0], points[1]);
        take_vec(p, points[1][0]);
    }
}

static void value_alone(play *p) {
    static const char *const words[] = {"a", "b", "1/60", "-3e5", "~", "true", "", "\xff"};
    td_value_builder *builder = NULL;
    OWNED(td_value) *value = NULL;
    claim(td_value_builder_new("f", NULL, 0, &alloc, &builder) == TD_OK, "a builder is made");
    for (int k = 0; k < 12; k++) {
        const char *word = words[below(p, 8)];
        switch (below(p, 7)) {
        case 0: take_status(p, td_value_builder_begin_map(builder, k, 1)); break;
        case 1: take_status(p, td_value_builder_begin_list(builder, k, 1)); break;
        case 2: take_status(p, td_value_builder_end(builder)); break;
        case 3: take_status(p, td_value_builder_anchor(builder, word, k, 1)); break;
        case 4: take_status(p, td_value_builder_alias(builder, word, k, 1)); break;
        default:
            if (td_value_builder_wants_key(builder)) {
                take_status(p, td_value_builder_key(builder, word, strlen(word), k, 1));
            } else {
                take_status(p, td_value_builder_scalar(builder, word, strlen(word), k % 2, k, 1));
            }
        }
    }
    if (rarely(p)) {
        take_status(p, td_value_builder_fail(builder, TD_ERR_SYNTAX, 1, 1, "odd"));
    }
    take_status(p, td_value_builder_finish(builder, &value, diag(p)));
    take_int(p, td_value_get(value, "a") != NULL);
}

static void clip_alone(play *p) {
    const int32_t actor = any_actor(p);
    const td_actor a = td_world_actor(p->world, td_world_actor_id(p->world, actor));
    const td_clip_actor c = {.skeleton = a.skeleton, .stretchy = a.stretchy};
    static float frame[16 * ROOM];
    if (!a.skeleton || td_clip_actor_size(&c) > (int64_t)(sizeof frame / sizeof *frame)) {
        return;
    }
    td_vec3 base = {0, 0, 0};
    td_quat rotation = {1, 0, 0, 0};
    td_world_pose(p->world, td_world_actor_id(p->world, actor), &base, &rotation, points[0], turns);
    td_clip_pack(&c, base, rotation, points[0], turns, frame);
    take(p, frame, (size_t)td_clip_actor_size(&c) * sizeof *frame);
    take_real(p, td_clip_scale_of(world(p)).side);
}

static void algebra(play *p) {
    const td_vec3 a = vector(p, 1), b = vector(p, 1);
    const td_quat q = turn(p);
    take_vec(p, td_quat_rotate(td_quat_mul(q, td_quat_between(a, b)), td_vec3_cross(a, b)));
    take_vec(p, td_mat4_apply(td_mat4_mul(td_mat4_of(a, q), td_mat4_scaling(b)), a));
    take_real(p, td_quat_slerp(q, td_quat_unit(turn(p)), number(p, 0, 1)).x);
}

// ---- kinds ----------------------------------------------------------------------------------

// A world without objects that gets a kind, of numbers that may be wrong, and an actor of it.
static void kind_alone(play *p) {
    const td_vec3 ends[2] = {{0, 0, 0}, vector(p, 1)};
    const td_scene_def scene = td_scene_def_default();
    td_object_def def = td_object_def_default();
    td_actor_def actor = td_actor_def_default();
    OWNED(td_world) *empty = NULL;
    td_actor_id id;
    take_status(p, td_world_new(&scene, NULL, &alloc, &empty, NULL));
    def.solver = td_solver_get(below(p, 3)).name;
    def.start = TD_START_DRAWN;
    def.stiffness = number(p, -0.1, 2);
    def.strand.points = ends;
    def.strand.point_count = 2;
    def.strand.segments = 1 + below(p, 4);
    if (take_status(p, td_world_add_kind(empty, &def, &actor.object, diag(p))) == TD_OK) {
        take_status(p, td_world_add_actor(empty, &actor, &id, diag(p)));
        take_status(p, td_world_step(empty, diag(p)));
    }
}
