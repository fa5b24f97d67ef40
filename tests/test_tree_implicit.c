// SPDX-License-Identifier: MIT
// The incremental potential and the implicit step. Pairs with src/tree/potential.c, load.c,
// sweep.c, newton.c and step.c.

#include "test_tree_support.h"
#include "tree/implicit.h"

// ---- random trees ---------------------------------------------------------------------------

// joints other than the root's are of any of the kinds
static tree tree_with(tdi_random *r, int32_t n, const td_joint_kind *kinds, int count,
                      td_joint_kind root, double stiffness) {
    td_segment_def *defs = calloc((size_t)n, sizeof *defs);
    for (int32_t i = 0; i < n; i++) {
        td_segment_def *def = &defs[i];
        *def = td_segment_def_default();
        def->parent = i == 0 ? TD_NONE : (int32_t)between(r, i > 4 ? i - 4 : 0, i);
        def->joint = i == 0 ? root : kinds[(int)between(r, 0, count)];
        def->axis = tdi_unit_or(random_vec(r, 1), tdi_vec3(1, 0, 0));
        def->rest = random_turn(r, 1);
        def->length = between(r, 0.1, 0.5);
        def->radius_base = def->radius_tip = between(r, 0.01, 0.05);
        def->has_stiffness = def->has_damping = true;
        def->stiffness.x = stiffness * between(r, 0.5, 2);
        def->stiffness.y = stiffness * between(r, 0.5, 2);
        def->stiffness.z = stiffness * between(r, 0.5, 2);
        def->damping = tdi_scale(def->stiffness, 0.01);
    }
    tree t = tree_of(defs, n, TD_LAW_LINEAR, NULL);
    free(defs);
    return t;
}

// balls alone, or all kinds on a root that floats
static tree mixed_tree(tdi_random *r, int32_t n, bool mixed, double stiffness) {
    static const td_joint_kind all[] = {TD_JOINT_BALL, TD_JOINT_HINGE, TD_JOINT_SLIDE,
                                        TD_JOINT_FIXED};
    return tree_with(r, n, all, mixed ? 4 : 1, mixed ? TD_JOINT_FREE : TD_JOINT_BALL, stiffness);
}

// Moves every joint by up to `size`, rad or m.
static void shake(tree t, tdi_random *r, double size) {
    for (int32_t d = 0; d < t.model->dof_count; d++) {
        t.state->step[d] = between(r, -size, size);
    }
    tdi_tree_advance(t.model, t.state, t.state->step, 1);
    tdi_tree_place(t.model, t.state);
}

// ---- derivatives ----------------------------------------------------------------------------

// Random joint increments (balls in world axes) and the bodies' increments that follow.
static void random_move(tree t, tdi_random *r) {
    const td_tree_model *m = t.model;
    td_tree_state *s = t.state;
    tdi_tree_columns(m, s);
    for (int32_t i = 0; i < m->body_count; i++) {
        int32_t p = m->parent[i];
        tdi_twist up = p == TD_NONE ? (tdi_twist){{0, 0, 0}, {0, 0, 0}} : s->move[p];
        td_vec3 lever = tdi_sub(s->frame[i].o, tdi_parent_frame(m, s, i)->o);
        tdi_twist move = {up.w, tdi_add(up.v, tdi_cross(up.w, lever))};
        int32_t d = m->dof[i], count = m->dof[i + 1] - d;
        for (int32_t k = 0; k < count; k++) {
            s->step[d + k] = between(r, -1, 1);
        }
        if (count == 3) {
            move.w = tdi_add(move.w, tdi_vec3(s->step[d], s->step[d + 1], s->step[d + 2]));
        } else {
            for (int32_t k = 0; k < count; k++) {
                move.w = tdi_madd(move.w, s->column[d + k].w, s->step[d + k]);
                move.v = tdi_madd(move.v, s->column[d + k].v, s->step[d + k]);
            }
        }
        s->move[i] = move;
    }
}

static double slope_along(tree t) {
    const td_tree_model *m = t.model;
    const td_tree_state *s = t.state;
    double sum = 0;
    for (int32_t i = 0; i < m->body_count; i++) {
        sum += tdi_dot(s->load[i].n, s->move[i].w) + tdi_dot(s->load[i].f, s->move[i].v);
    }
    for (int32_t d = 0; d < m->dof_count; d++) {
        sum += s->joint_g[d] * s->step[d];
    }
    return sum;
}

// V^T [A B; B^T C] V + swing, plus the joints' y^T K y - y.(t x w_p). `parts`, if given, gets the
// sum of what the bodies and joints contribute, without regard to sign: they may cancel.
static double curvature_along(tree t, double *parts) {
    const td_tree_model *m = t.model;
    td_tree_state *s = t.state;
    double sum = 0, size = 0, before = 0;
    for (int32_t i = m->body_count - 1; i >= 0; i--) {
        td_vec3 w = s->move[i].w, v = s->move[i].v;
        const tdi_block *b = &s->block[i];
        sum += tdi_dot(w, tdi_sym3_apply(&b->a, w)) + 2 * tdi_dot(w, tdi_mat3_apply(&b->b, v)) +
               tdi_dot(v, tdi_sym3_apply(&b->c, v)) + tdi_dot(w, tdi_sym3_apply(&s->swing[i], w));
        int32_t p = m->parent[i], d = m->dof[i];
        if (p != TD_NONE) {
            td_vec3 r = tdi_sub(s->frame[i].o, s->frame[p].o);
            s->swing[p] = tdi_sym3_add(s->swing[p], tdi_swing(r, s->pull[i]));
            s->pull[p] = tdi_add(s->pull[p], s->pull[i]);
            const td_real *g = s->joint_g + d;
            bool ball = m->dof[i + 1] - d == 3;
            td_vec3 spin = ball ? tdi_vec3(-g[0], -g[1], -g[2]) : s->spin[i];
            s->spin[p] = tdi_add(s->spin[p], tdi_add(spin, tdi_cross(r, s->pull[i])));
        }
        if (m->dof[i + 1] - d == 3) {
            td_vec3 y = tdi_vec3(s->step[d], s->step[d + 1], s->step[d + 2]);
            td_vec3 moment = tdi_vec3(s->joint_g[d], s->joint_g[d + 1], s->joint_g[d + 2]);
            sum += tdi_dot(y, tdi_sym3_apply(&s->joint_a[i], y));
            if (p != TD_NONE) {
                sum -= tdi_dot(y, tdi_cross(moment, s->move[p].w));
            }
        } else {
            for (; d < m->dof[i + 1]; d++) {
                const tdi_twist *c = &s->column[d];
                td_vec3 both =
                    tdi_madd(tdi_cross(c->v, s->pull[i]), tdi_cross(c->w, s->spin[i]), 0.5);
                sum += s->step[d] * s->step[d] * s->joint_k[d];
                sum += p == TD_NONE ? 0 : 2 * s->step[d] * tdi_dot(both, s->move[p].w);
            }
        }
        size += fabs(sum - before);
        before = sum;
    }
    if (parts) {
        *parts = size;
    }
    return sum;
}

// What may act from outside. Each alone is a term of the potential, and so are all together.
enum {
    FORCE = 1,
    TORQUE = 2,
    SPRING = 4,
    LINEAR_DRAG = 8,
    QUADRATIC_DRAG = 16,
    POINT_LOADS = FORCE | SPRING | LINEAR_DRAG | QUADRATIC_DRAG
};

typedef struct probe {
    tdi_potential potential;
    td_load loads[5];
} probe;

static td_load random_load(tdi_random *r, td_load_kind kind, int32_t segment) {
    td_load load = {.kind = kind, .segment = segment, .stiffness = 50};
    load.point = random_vec(r, 0.2);
    load.vector = random_vec(r, kind == TD_LOAD_SPRING ? 1 : 5);
    return load;
}

// The loads that `terms` names, at root, middle and end.
static tdi_loads random_loads(probe *p, tree t, tdi_random *r, int terms) {
    int32_t count = 0, last = t.model->body_count - 1;
    if (terms & FORCE) {
        p->loads[count++] = random_load(r, TD_LOAD_FORCE, 0);
        p->loads[count++] = random_load(r, TD_LOAD_FORCE, (last + 1) / 2);
    }
    if (terms & TORQUE) {
        p->loads[count++] = random_load(r, TD_LOAD_TORQUE, 0);
        p->loads[count++] = random_load(r, TD_LOAD_TORQUE, last);
    }
    if (terms & SPRING) {
        p->loads[count++] = random_load(r, TD_LOAD_SPRING, last);
    }
    // far denser than air, so that drag weighs as much as inertia
    td_air air = {.wind = random_vec(r, 3),
                  .linear = terms & LINEAR_DRAG ? 500 : 0,
                  .quadratic = terms & QUADRATIC_DRAG ? 200 : 0};
    tdi_loads loads = {.load = p->loads, .count = count, .air = air, .star = t.state->star};
    return loads;
}

// A potential about a past that is not the pose. A torque's value is meant for the turn since the
// step's start and exact there, so with one the past is the pose.
static void make_probe(probe *p, tree t, tdi_random *r, bool inertia, int terms) {
    const td_tree_model *m = t.model;
    td_tree_state *s = t.state;
    double h = 1.0 / 60;
    for (int32_t i = 0; i < m->body_count; i++) {
        td_quat turn = random_turn(r, 0.2);
        tdi_mat3 near = tdi_mat3_from_quat(tdi_quat_mul(turn, s->frame[i].turn));
        s->past[i].r = terms & TORQUE ? s->frame[i].r : near;
        s->star[i] = (tdi_past){.o = tdi_add(s->frame[i].o, random_vec(r, 0.05)), .r = near};
        s->star[i].v = random_vec(r, 0.5);
    }
    for (int32_t d = 0; d < m->dof_count; d++) {
        s->angle_star[d] = between(r, -0.2, 0.2);
        s->angle[d] = 0;
    }
    tdi_loads loads = random_loads(p, t, r, terms);
    loads.h = inertia ? h : 0;
    loads.weight = inertia ? h * h : 1;
    p->potential = (tdi_potential){.inertia = inertia,
                                   .h = h,
                                   .spring = inertia ? h * h : 1,
                                   .damp = inertia ? h : 0,
                                   .gravity = {1, -9.81, 2},
                                   .loads = loads,
                                   .angle_rest = inertia ? s->angle_star : NULL};
}

static double value_at(tree t, const probe *p, double fraction) {
    tdi_tree_try(t.model, t.state, fraction);
    return tdi_potential_value(t.model, t.state, &p->potential);
}

static void check_gradient(tree t, tdi_random *r, bool inertia, int terms) {
    probe p;
    shake(t, r, 0.6);
    make_probe(&p, t, r, inertia, terms);
    tdi_potential_expand(t.model, t.state, &p.potential, false);
    random_move(t, r);
    tdi_tree_keep(t.model, t.state);
    double got = slope_along(t), e = 1e-5;
    double want = (value_at(t, &p, e) - value_at(t, &p, -e)) / (2 * e);
    double size = fabs(value_at(t, &p, 0)) + fabs(want);
    CHECK_IN(fabs(got - want), 0, 1e-7 * size);
    tree_free(t);
}

// The Hessian leaves out only how the springs' own angles curve, which is of the order of the angle
// squared; with joints near their rest it is exact.
static void check_hessian(tree t, tdi_random *r, bool inertia, int terms) {
    probe p;
    shake(t, r, 0.004);
    make_probe(&p, t, r, inertia, terms);
    for (int32_t d = 0; d < t.model->dof_count; d++) {
        t.state->angle_star[d] *= 0.01;
    }
    tdi_potential_expand(t.model, t.state, &p.potential, false);
    random_move(t, r);
    tdi_tree_keep(t.model, t.state);
    double parts, got = curvature_along(t, &parts), e = 2e-4;
    double middle = value_at(t, &p, 0);
    double want = (value_at(t, &p, e) + value_at(t, &p, -e) - 2 * middle) / (e * e);
    CHECK_IN(fabs(got - want), 0, 2e-4 * parts);
    tree_free(t);
}

typedef void (*derivative_check)(tree t, tdi_random *r, bool inertia, int terms);

static void check_mixed(derivative_check check_derivative, uint64_t count) {
    for (uint64_t seed = 1; seed <= count; seed++) {
        tdi_random r;
        tdi_random_seed(&r, seed);
        tree t = mixed_tree(&r, 6, seed & 1, 10);
        check_derivative(t, &r, seed & 2, POINT_LOADS);
    }
}

TD_TEST(potential_gradient_matches_differences_for_all_joints_and_loads) {
    check_mixed(check_gradient, 400);
}

TD_TEST(potential_hessian_matches_differences_for_all_joints_and_loads) {
    check_mixed(check_hessian, 200);
}

// Trees whose joints are all of one kind, so that none hides behind another; a floating root
// carries balls.
static tree tree_of_kind(tdi_random *r, td_joint_kind kind) {
    static const td_joint_kind ball = TD_JOINT_BALL;
    bool on_ball = kind == TD_JOINT_FIXED; // a weld alone cannot move
    return tree_with(r, 5, kind == TD_JOINT_FREE ? &ball : &kind, 1, on_ball ? ball : kind, 10);
}

static void check_each(derivative_check check_derivative) {
    static const int terms[] = {0, FORCE, TORQUE, SPRING, LINEAR_DRAG, QUADRATIC_DRAG};
    for (int kind = TD_JOINT_BALL; kind <= TD_JOINT_FREE; kind++) {
        for (int k = 0; k < 6; k++) {
            for (uint64_t seed = 1; seed <= 20; seed++) {
                tdi_random r;
                tdi_random_seed(&r, seed);
                tree t = tree_of_kind(&r, (td_joint_kind)kind);
                check_derivative(t, &r, seed & 1, terms[k]);
            }
        }
    }
}

TD_TEST(potential_gradient_matches_differences_for_each_joint_with_each_load) {
    check_each(check_gradient);
}

TD_TEST(potential_hessian_matches_differences_for_each_joint_with_each_load) {
    check_each(check_hessian);
}

// ---- the solve ------------------------------------------------------------------------------

// The sweeps' increments against an independent minimisation of the same quadratic model: along
// random directions the slope at the increment must vanish. The slope is the gradient before, plus
// the Hessian's bilinear form of increment and direction, by polarisation of curvature_along().
static double form_at(tree t, const probe *p, const tdi_twist *move, const td_real *step) {
    tdi_potential_expand(t.model, t.state, &p->potential, false);
    memcpy(t.state->move, move, (size_t)t.model->body_count * sizeof *move);
    memcpy(t.state->step, step, (size_t)t.model->dof_count * sizeof *step);
    return curvature_along(t, NULL);
}

// False when the Hessian is not positive, so that there is nothing to solve.
static bool check_solve(uint64_t seed, bool mixed) {
    enum { BODIES = 12, DOFS = 72 };
    tdi_random r;
    tdi_random_seed(&r, seed);
    tree t = mixed_tree(&r, BODIES, mixed, 1e4); // stiff: the Hessian is positive
    td_tree_state *s = t.state;
    probe p;
    tdi_twist best[BODIES], along[BODIES], sum[BODIES];
    td_real best_step[DOFS], along_step[DOFS], sum_step[DOFS];
    size_t dofs = (size_t)t.model->dof_count;
    shake(t, &r, 1e-3);
    make_probe(&p, t, &r, true, POINT_LOADS);
    tdi_tree_columns(t.model, s);
    tdi_potential_expand(t.model, s, &p.potential, false);
    if (!tdi_tree_solve(t.model, s, false)) {
        tree_free(t);
        return false;
    }
    memcpy(best, s->move, sizeof best);
    memcpy(best_step, s->step, dofs * sizeof *best_step);
    random_move(t, &r);
    memcpy(along, s->move, sizeof along);
    memcpy(along_step, s->step, dofs * sizeof *along_step);
    tdi_potential_expand(t.model, s, &p.potential, false);
    double slope = slope_along(t);
    for (int i = 0; i < BODIES; i++) {
        sum[i].w = tdi_add(best[i].w, along[i].w);
        sum[i].v = tdi_add(best[i].v, along[i].v);
    }
    for (size_t d = 0; d < dofs; d++) {
        sum_step[d] = best_step[d] + along_step[d];
    }
    double form = 0.5 * (form_at(t, &p, sum, sum_step) - form_at(t, &p, best, best_step) -
                         form_at(t, &p, along, along_step));
    CHECK(fabs(slope + form) < 1e-9 * (fabs(slope) + fabs(form)));
    tree_free(t);
    return true;
}

TD_TEST(tree_solve_makes_the_quadratic_model_stationary) {
    int solved = 0;
    for (uint64_t seed = 1; seed <= 200; seed++) {
        solved += check_solve(seed, false);
        solved += check_solve(seed, true);
    }
    CHECK(solved > 300);
}

// ---- steps ----------------------------------------------------------------------------------

// n equal pieces on the ground, along +X; `stiff` 0 makes a chain
static tree beam(int32_t n, td_spring_rule rule, bool limp) {
    td_builder *builder;
    td_skeleton *skeleton;
    tree t = {.model = NULL};
    int32_t wood;
    td_skeleton_opts opts = td_skeleton_opts_default();
    opts.springs = rule;
    CHECK_INT(td_builder_new(&opts, NULL, &builder), TD_OK);
    td_material m = td_material_get(0);
    m.young = 8.1e9;
    m.density = 923;
    m.damping_time = 0;
    CHECK_INT(td_builder_add_material(builder, &m, &wood, NULL), TD_OK);
    for (int32_t i = 0; i < n; i++) {
        td_segment_def def = td_segment_def_default();
        def.parent = i - 1;
        def.length = 1.0 / n;
        def.radius_base = def.radius_tip = 0.01;
        def.material = wood;
        def.has_stiffness = limp;
        def.rest = i == 0 ? tdi_quat_turn(tdi_vec3(0, 0, 1), -TDI_PI / 2) : tdi_quat_identity();
        CHECK_INT(td_builder_add(builder, &def, NULL, NULL), TD_OK);
    }
    CHECK_INT(td_builder_finish(builder, &skeleton, NULL), TD_OK);
    td_builder_free(builder);
    td_tree_opts tree_opts = td_tree_opts_default();
    CHECK_INT(td_tree_model_new(skeleton, &tree_opts, NULL, &t.model, NULL), TD_OK);
    CHECK_INT(td_tree_state_new(t.model, NULL, &t.state, NULL), TD_OK);
    td_skeleton_free(skeleton);
    return t;
}

static double settled_droop(int32_t n, td_spring_rule rule) {
    tree t = beam(n, rule, false);
    td_step_opts opts = td_step_opts_default();
    CHECK_INT(td_tree_settle(t.state, &opts, NULL, NULL), TD_OK);
    double droop = -td_tree_tip(t.state, n - 1).y;
    tree_free(t);
    return droop;
}

// the thesis's own table, section 8.3
TD_TEST(tree_cantilever_with_thesis_springs_matches_the_thesis) {
    static const double droop[] = {0.0067664, 0.0060488, 0.0057051, 0.0056376, 0.0056155};
    static const int32_t n[] = {10, 25, 100, 250, 500};
    for (int i = 0; i < 5; i++) {
        CHECK_REL(settled_droop(n[i], TD_SPRING_THESIS), droop[i], 2e-3);
    }
}

TD_TEST(tree_cantilever_converges_at_second_order_with_clamped_springs) {
    double a = settled_droop(8, TD_SPRING_CLAMPED), b = settled_droop(16, TD_SPRING_CLAMPED);
    double c = settled_droop(32, TD_SPRING_CLAMPED);
    CHECK_IN((a - b) / (b - c), 3.8, 4.2);
}

TD_TEST(tree_step_at_one_frame_settles_where_statics_says) {
    tree t = beam(100, TD_SPRING_CLAMPED, false);
    td_step_opts opts = td_step_opts_default();
    opts.integrator = TD_IMPLICIT_EULER;
    for (int i = 0; i < 3000; i++) {
        CHECK_INT(td_tree_step(t.state, &opts, NULL, NULL), TD_OK);
    }
    CHECK_REL(-td_tree_tip(t.state, 99).y, settled_droop(100, TD_SPRING_CLAMPED), 1e-6);
    tree_free(t);
}

TD_TEST(tree_limp_chain_falls_without_gaining_energy) {
    tree t = beam(200, TD_SPRING_CLAMPED, true);
    td_step_opts opts = td_step_opts_default();
    td_step_stats stats = {0};
    double highest = 0;
    for (int i = 0; i < 600; i++) {
        CHECK_INT(td_tree_step(t.state, &opts, &stats, NULL), TD_OK);
        double energy = 0;
        for (int32_t k = 0; k < 200; k++) {
            const tdi_body *body = &t.model->body[k];
            const tdi_frame *f = &t.state->frame[k];
            const tdi_past *past = &t.state->past[k];
            tdi_mat3 ws = tdi_mat3_mul_sym(&past->w, &body->second);
            for (int e = 0; e < 9; e++) {
                energy += 0.5 * ws.m[e] * past->w.m[e];
            }
            td_vec3 c = tdi_mat3_apply(&f->r, body->moment);
            energy += 0.5 * body->mass * tdi_dot(past->v, past->v) +
                      tdi_dot(past->v, tdi_mat3_apply(&past->w, body->moment)) +
                      9.81 * (body->mass * f->o.y + c.y);
        }
        highest = fmax(highest, energy);
    }
    double newtons = 923 * TDI_PI * 1e-4 * 9.81; // N; the chain starts level, with no energy
    CHECK(highest < 0.01 * newtons * 0.5);
    CHECK(stats.iterations < 6 * stats.steps);
    tree_free(t);
}

TD_TEST(tree_step_takes_no_memory) {
    test_heap heap = {0};
    td_alloc alloc = test_heap_alloc(&heap);
    tree t = beam(50, TD_SPRING_CLAMPED, false);
    td_tree_state *state;
    CHECK_INT(td_tree_state_new(t.model, &alloc, &state, NULL), TD_OK);
    long calls = heap.calls;
    td_step_opts opts = td_step_opts_default();
    for (int i = 0; i < 50; i++) {
        CHECK_INT(td_tree_step(state, &opts, NULL, NULL), TD_OK);
    }
    CHECK_INT(td_tree_settle(state, &opts, NULL, NULL), TD_OK);
    CHECK_INT(heap.calls, calls);
    td_tree_state_free(state);
    CHECK_INT(heap.held, 0);
    tree_free(t);
}

TD_TEST(tree_step_refuses_bad_options_by_name) {
    tree t = beam(3, TD_SPRING_CLAMPED, false);
    td_diag diag;
    td_step_opts opts = td_step_opts_default();
    opts.dt = NAN;
    CHECK_INT(td_tree_step(t.state, &opts, NULL, &diag), TD_ERR_ARGUMENT);
    CHECK_HAS(diag.message, "dt");
    opts = td_step_opts_default();
    opts.gravity.x = INFINITY;
    CHECK_INT(td_tree_step(t.state, &opts, NULL, &diag), TD_ERR_ARGUMENT);
    CHECK_HAS(diag.message, "gravity");
    td_step_opts zero = {0};
    CHECK_INT(td_tree_step(t.state, &zero, NULL, &diag), TD_ERR_DEF);
    td_load load = {TD_LOAD_FORCE, 3, {0, 0, 0}, {0, 0, 0}, 0};
    opts = td_step_opts_default();
    opts.loads = &load;
    opts.load_count = 1;
    CHECK_INT(td_tree_step(t.state, &opts, NULL, &diag), TD_ERR_ARGUMENT);
    CHECK_INT(diag.index, 0);
    tree_free(t);
}

// ---- moving base ----------------------------------------------------------------------------

// A pendulum on a pivot that shakes by b sin(w t): small steady swings relative to the pivot have
// the amplitude b w^2/(l |w0^2 - w^2|), l the length of the equivalent simple pendulum.
TD_TEST(tree_pendulum_on_a_shaken_pivot_swings_as_theory_says) {
    tree t = beam(1, TD_SPRING_CLAMPED, true);
    td_step_opts opts = td_step_opts_default();
    opts.dt = 1.0 / 480;
    const tdi_body *body = &t.model->body[0];
    double inertia = body->second.yy + body->second.zz;
    double l = inertia / body->moment.y, w0 = sqrt(9.81 / l), w = 0.5 * w0, b = 0.002;
    CHECK_INT(td_tree_settle(t.state, &opts, NULL, NULL), TD_OK);
    double widest = 0;
    int32_t steps = (int32_t)(24 * 2 * TDI_PI / w / opts.dt);
    for (int32_t i = 0; i < steps; i++) {
        // from rest the free swing would stay for ever; growing slowly does not wake it
        double time = i * opts.dt, s = sin(w * time), c = cos(w * time);
        double grown = fmin(time / (16 * 2 * TDI_PI / w), 1), a = b * grown;
        td_base_motion motion = {.position = {a * s, 0, 0},
                                 .rotation = {1, 0, 0, 0},
                                 .velocity = {a * w * c, 0, 0},
                                 .acceleration = {-a * w * w * s, 0, 0}};
        td_tree_set_base(t.state, &motion);
        CHECK_INT(td_tree_step(t.state, &opts, NULL, NULL), TD_OK);
        td_vec3 d = tdi_sub(td_tree_tip(t.state, 0), td_tree_origin(t.state, 0));
        if (grown == 1) {
            widest = fmax(widest, fabs(d.x));
        }
    }
    CHECK_REL(widest, b * w * w / (l * fabs(w0 * w0 - w * w)), 0.01);
    tree_free(t);
}

TD_TEST(tree_base_thrown_forwards_leaves_the_tip_behind) {
    tree t = beam(20, TD_SPRING_CLAMPED, false);
    td_step_opts opts = td_step_opts_default();
    opts.gravity = tdi_vec3(0, 0, 0);
    td_base_motion motion = {.rotation = {1, 0, 0, 0}, .acceleration = {0, 3, 0}};
    td_tree_set_base(t.state, &motion);
    for (int i = 0; i < 3; i++) {
        CHECK_INT(td_tree_step(t.state, &opts, NULL, NULL), TD_OK);
    }
    CHECK_REL(td_tree_origin(t.state, 0).y, 0.5 * 3 * 9 / 3600, 1e-9);
    CHECK(td_tree_tip(t.state, 19).y < td_tree_origin(t.state, 0).y - 1e-4);
    tree_free(t);
}
