// SPDX-License-Identifier: MIT
// The incremental potential and its solve. Pairs with src/tree/potential.c, load.c and sweep.c.

#include "test_tree_support.h"
#include "tree/implicit.h"
#include "tree/joint.h"
#include "tree/terms_wide.h"

#define MOST_BODIES 12

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
    for (int32_t i = 0; i < n; i++) { // three areas that have nothing to do with each other
        td_vec3 *area = &t.m->body[i].area;
        *area = tdi_vec3(area->x * between(r, 0, 1), area->x * between(r, 0, 1), area->x);
    }
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
    td_real step[6 * MOST_BODIES];
    for (int32_t d = 0; d < t.model->dof_count; d++) {
        step[d] = between(r, -size, size);
    }
    tdi_tree_advance(t.m, t.s, step, 1);
    tdi_tree_place(t.m, t.s);
}

// ---- the quadratic model --------------------------------------------------------------------

// The potential to second order about the pose: what the sweeps make on the fly, a body.
typedef struct expansion {
    struct {
        tdi_term term; // with the loads on the body
        td_vec3 spin;
        tdi_twist column[6];
        int32_t count; // of columns
        bool ball;
    } body[MOST_BODIES];
} expansion;

// An increment: of each body, and of its joint (balls in world axes).
typedef struct motion {
    tdi_twist body[MOST_BODIES];
    td_real joint[MOST_BODIES][6];
} motion;

static expansion expand(tree t, const tdi_potential *p) {
    const tdi_tree_model *m = tdi_as_tree_model(t.model);
    tdi_tree_state *s = tdi_as_tree(t.state);
    const tdi_potential_at at = {m, s, p, false, NULL, false};
    expansion e;
    tdi_loads_expand(s, &p->loads);
    for (int32_t i = 0; i < m->body_count; i++) {
        tdi_term *term = &e.body[i].term;
        e.body[i].count = tdi_columns_of(m, s, i, e.body[i].column);
        e.body[i].ball = m->kind[i] == TD_JOINT_BALL;
        if (e.body[i].ball) {
            tdi_potential_balls(&at, i, 1, term);
        } else {
            tdi_potential_other(&at, i, term);
        }
        e.body[i].spin = term->load.n;
        if (s->summed[i]) {
            const tdi_node *node = &s->node[i];
            tdi_block_sum(&term->block, &node->block);
            term->load.n = tdi_add(term->load.n, node->load.n);
            term->load.f = tdi_add(term->load.f, node->load.f);
            term->pull = tdi_add(term->pull, node->pull);
            term->geometric = tdi_sym3_add(term->geometric, node->geometric);
            e.body[i].spin = tdi_add(e.body[i].spin, node->spin);
            s->summed[i] = 0;
        }
    }
    return e;
}

// Random increments of the joints, and those of the bodies that follow.
static motion random_motion(tree t, const expansion *e, tdi_random *r) {
    const tdi_tree_model *m = tdi_as_tree_model(t.model);
    motion x;
    for (int32_t i = 0; i < m->body_count; i++) {
        int32_t p = m->parent[i];
        tdi_twist up = p == TD_NONE ? (tdi_twist){{0, 0, 0}, {0, 0, 0}} : x.body[p];
        td_vec3 lever = tdi_sub(t.s->frame[i].o, tdi_parent_frame(m, t.s, i)->o);
        tdi_twist move = {up.w, tdi_add(up.v, tdi_cross(up.w, lever))};
        td_real *y = x.joint[i];
        for (int32_t k = 0; k < e->body[i].count; k++) {
            y[k] = between(r, -1, 1);
        }
        if (e->body[i].ball) {
            move.w = tdi_add(move.w, tdi_vec3(y[0], y[1], y[2]));
        }
        for (int32_t k = 0; !e->body[i].ball && k < e->body[i].count; k++) {
            move.w = tdi_madd(move.w, e->body[i].column[k].w, y[k]);
            move.v = tdi_madd(move.v, e->body[i].column[k].v, y[k]);
        }
        x.body[i] = move;
    }
    return x;
}

// Hands a motion to the state for trials.
static void set_motion(tree t, const motion *x) {
    for (int32_t i = 0; i < t.m->body_count; i++) {
        int32_t place = t.m->other_place[i];
        t.s->node[i].move = x->body[i];
        if (place != TD_NONE) {
            memcpy(t.s->other[place].step, x->joint[i], sizeof x->joint[i]);
        }
    }
    tdi_tree_keep(t.m, t.s);
}

// The increment that the sweeps found.
static motion found_motion(tree t) {
    const tdi_tree_model *m = tdi_as_tree_model(t.model);
    motion x;
    memset(&x, 0, sizeof x);
    for (int32_t i = 0; i < m->body_count; i++) {
        int32_t p = m->parent[i], place = m->other_place[i];
        x.body[i] = t.s->node[i].move;
        td_vec3 y = p == TD_NONE ? x.body[i].w : tdi_sub(x.body[i].w, x.body[p].w);
        memcpy(x.joint[i], &y, sizeof y);
        if (place != TD_NONE) {
            memcpy(x.joint[i], t.s->other[place].step, sizeof x.joint[i]);
        }
    }
    return x;
}

static double slope_along(tree t, const expansion *e, const motion *x) {
    double sum = 0;
    for (int32_t i = 0; i < t.m->body_count; i++) {
        const tdi_term *term = &e->body[i].term;
        sum += tdi_dot(term->load.n, x->body[i].w) + tdi_dot(term->load.f, x->body[i].v);
        for (int32_t k = 0; k < e->body[i].count; k++) {
            sum += term->g[k] * x->joint[i][k];
        }
    }
    return sum;
}

// of a body alone: V^T [A B; B^T C] V + geometric stiffness
static double body_form(const tdi_term *t, tdi_twist x) {
    return tdi_dot(x.w, tdi_sym3_apply(&t->block.a, x.w)) +
           2 * tdi_dot(x.w, tdi_mat3_apply(&t->block.b, x.v)) +
           tdi_dot(x.v, tdi_sym3_apply(&t->block.c, x.v)) +
           tdi_dot(x.w, tdi_sym3_apply(&t->geometric, x.w));
}

// of its joint: y^T K y, and what y makes together with the parent's turn
static double joint_form(const expansion *e, int32_t i, const td_real *y, td_vec3 up) {
    const tdi_term *t = &e->body[i].term;
    double sum = 0;
    if (e->body[i].ball) {
        td_vec3 turn = tdi_vec3(y[0], y[1], y[2]), g = tdi_vec3(t->g[0], t->g[1], t->g[2]);
        return tdi_dot(turn, tdi_sym3_apply(&t->ball, turn)) - tdi_dot(turn, tdi_cross(g, up));
    }
    for (int32_t k = 0; k < e->body[i].count; k++) {
        const tdi_twist *c = &e->body[i].column[k];
        td_vec3 both = tdi_madd(tdi_cross(c->v, t->pull), tdi_cross(c->w, e->body[i].spin), 0.5);
        sum += y[k] * y[k] * t->joint[k] + 2 * y[k] * tdi_dot(both, up);
    }
    return sum;
}

// The second derivative along a motion. `parts`, if given, gets the sum of what the bodies and
// joints contribute, without regard to sign: they may cancel.
static double curvature_along(tree t, expansion e, const motion *x, double *parts) {
    const tdi_tree_model *m = tdi_as_tree_model(t.model);
    double sum = 0, size = 0;
    for (int32_t i = m->body_count - 1; i >= 0; i--) {
        const tdi_term *term = &e.body[i].term;
        int32_t p = m->parent[i];
        td_vec3 up = p == TD_NONE ? tdi_vec3(0, 0, 0) : x->body[p].w;
        double now = body_form(term, x->body[i]) + joint_form(&e, i, x->joint[i], up);
        if (p != TD_NONE) {
            td_vec3 r = tdi_sub(t.s->frame[i].o, t.s->frame[p].o);
            tdi_term *to = &e.body[p].term;
            const td_real *g = term->g;
            td_vec3 spin = e.body[i].ball ? tdi_vec3(-g[0], -g[1], -g[2]) : e.body[i].spin;
            to->geometric = tdi_sym3_add(to->geometric, tdi_geometric_stiffness(r, term->pull));
            to->pull = tdi_add(to->pull, term->pull);
            spin = tdi_add(spin, tdi_cross(r, term->pull));
            e.body[p].spin = tdi_add(e.body[p].spin, spin);
        }
        sum += now;
        size += fabs(now);
    }
    if (parts) {
        *parts = size;
    }
    return sum;
}

// ---- random potentials ----------------------------------------------------------------------

// What may act from outside. Each alone is a term of the potential, and so are all together.
enum {
    FORCE = 1,
    TORQUE = 2,
    SPRING = 4,
    LINEAR_DRAG = 8,
    QUADRATIC_DRAG = 16,
    WINDS = 32, // one for each body
    POINT_LOADS = FORCE | SPRING | LINEAR_DRAG | QUADRATIC_DRAG
};

typedef struct probe {
    tdi_potential potential;
    td_load loads[5];
    td_vec3 winds[MOST_BODIES];
} probe;

static td_load random_load(tdi_random *r, td_load_kind kind, int32_t segment) {
    td_load load = {.kind = kind, .segment = segment, .stiffness = 50, .damping = 2};
    load.point = random_vec(r, 0.2);
    load.vector = random_vec(r, kind == TD_LOAD_SPRING ? 1 : 5);
    load.velocity = random_vec(r, 3);
    return load;
}

// The loads that `terms` names, at root, middle and end.
static tdi_loads random_loads(probe *p, tree t, tdi_random *r, int terms) {
    int32_t count = 0, last = t.m->body_count - 1;
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
    for (int32_t i = 0; i <= last; i++) {
        p->winds[i] = random_vec(r, 3);
    }
    // far denser than air, so that drag weighs as much as inertia
    td_air air = {.wind = random_vec(r, 3),
                  .linear = terms & LINEAR_DRAG ? 500 : 0,
                  .quadratic = terms & QUADRATIC_DRAG ? 200 : 0};
    tdi_loads loads = {.load = p->loads,
                       .count = count,
                       .air = air,
                       .winds = terms & WINDS ? p->winds : NULL,
                       .history = t.s->bdf.history};
    return loads;
}

// A potential about a past that is not the pose. A torque's value is meant for the turn since the
// step's start and exact there, so with one the past is the pose.
static void make_probe(probe *p, tree t, tdi_random *r, bool inertia, int terms) {
    const td_body_model *m = t.model;
    tdi_tree_state *s = t.s;
    double h = 1.0 / 60;
    for (int32_t i = 0; i < tdi_as_tree_model(m)->body_count; i++) {
        td_quat turn = random_turn(r, 0.2);
        tdi_mat3 near = tdi_mat3_from_quat(tdi_quat_mul(turn, s->frame[i].turn));
        s->past[i].r = terms & TORQUE ? s->frame[i].r : near;
        s->bdf.history[i] = (tdi_affine){tdi_add(s->frame[i].o, random_vec(r, 0.05)), near};
        s->bdf.predictor[i] = s->bdf.history[i];
        s->bdf.predictor[i].o = tdi_madd(s->bdf.history[i].o, random_vec(r, 0.5), h);
    }
    for (int32_t d = 0; d < m->dof_count; d++) {
        s->bdf.angle[d] = between(r, -0.2, 0.2);
        s->angle[d] = 0;
    }
    tdi_loads loads = random_loads(p, t, r, terms);
    loads.h = inertia ? h : 0;
    loads.weight = inertia ? h * h : 1;
    p->potential = (tdi_potential){.inertia = inertia,
                                   .h = h,
                                   .spring = inertia ? h * h : 1,
                                   .damp = inertia ? 0.7 * h : 0,
                                   .stiffness = 1.3,
                                   .gravity = {1, -9.81, 2},
                                   .loads = loads,
                                   .angle_rest = inertia ? s->bdf.angle : NULL};
}

// ---- derivatives ----------------------------------------------------------------------------

static double value_at(tree t, const probe *p, double fraction) {
    tdi_tree_try(t.m, t.s, NULL, fraction);
    return tdi_potential_value(t.m, t.s, NULL, &p->potential);
}

static void check_gradient(tree t, tdi_random *r, bool inertia, int terms) {
    probe p;
    shake(t, r, 0.6);
    make_probe(&p, t, r, inertia, terms);
    expansion e = expand(t, &p.potential);
    motion x = random_motion(t, &e, r);
    set_motion(t, &x);
    double got = slope_along(t, &e, &x), step = 1e-5;
    double want = (value_at(t, &p, step) - value_at(t, &p, -step)) / (2 * step);
    double size = fabs(value_at(t, &p, 0)) + fabs(want);
    CHECK_IN(fabs(got - want), 0, 1e-7 * size);
    tree_free(t);
}

// The second derivative along a random motion against that of the value by differences. `limit` is
// of what the bodies and joints contribute without regard to sign.
static void check_curvature(tree t, const probe *p, tdi_random *r, double limit) {
    expansion e = expand(t, &p->potential);
    motion x = random_motion(t, &e, r);
    set_motion(t, &x);
    double parts, got = curvature_along(t, e, &x, &parts), step = 2e-4;
    double middle = value_at(t, p, 0);
    double want = (value_at(t, p, step) + value_at(t, p, -step) - 2 * middle) / (step * step);
    CHECK_IN(fabs(got - want), 0, limit * parts);
}

static void check_hessian(tree t, tdi_random *r, bool inertia, int terms) {
    probe p;
    shake(t, r, 0.6);
    make_probe(&p, t, r, inertia, terms);
    check_curvature(t, &p, r, 2e-4);
    tree_free(t);
}

typedef void (*derivative_check)(tree t, tdi_random *r, bool inertia, int terms);

static void check_mixed(derivative_check check_derivative, uint64_t count) {
    for (uint64_t seed = 1; seed <= count; seed++) {
        tdi_random r = random_of(seed);
        tree t = mixed_tree(&r, 6, seed & 1, 10);
        check_derivative(t, &r, seed & 2, POINT_LOADS | (seed & 4 ? WINDS : 0));
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
    static const int terms[] = {0,
                                FORCE,
                                TORQUE,
                                SPRING,
                                LINEAR_DRAG,
                                QUADRATIC_DRAG,
                                LINEAR_DRAG | QUADRATIC_DRAG | WINDS};
    for (int kind = TD_JOINT_BALL; kind <= TD_JOINT_FREE; kind++) {
        for (int k = 0; k < 7; k++) {
            for (uint64_t seed = 1; seed <= 20; seed++) {
                tdi_random r = random_of(seed);
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

// Turns every ball joint from rest by an angle within these, rad, about an axis of its own.
static void turn_balls(tree t, tdi_random *r, double least, double most) {
    for (int32_t i = 0; i < t.m->body_count; i++) {
        if (t.m->kind[i] == TD_JOINT_BALL) {
            td_vec3 axis = tdi_unit_or(random_vec(r, 1), tdi_vec3(1, 0, 0));
            td_quat q = tdi_quat_turn(axis, between(r, least, most));
            memcpy(t.s->q + t.m->coord[i], &q, sizeof q);
        }
    }
    tdi_tree_place(t.m, t.s);
}

// Springs and damping of joints that are bent far. The joints are stiff and outweigh inertia and
// weight, so that an error of theirs cannot hide. A difference over 2e-4 rad is off by 1e-7 at
// most, also near the wall of the tangent law at half a turn (angles of 3 rad: 2e-4/0.14, squared).
static void check_far_joints(td_spring_law law, double least, double most) {
    for (uint64_t seed = 1; seed <= 200; seed++) {
        tdi_random r = random_of(seed);
        OWNED(tree) t = mixed_tree(&r, 4, false, 3e3);
        probe p;
        t.m->law = law;
        turn_balls(t, &r, least, most);
        make_probe(&p, t, &r, seed & 1, 0);
        p.potential.stiffness = seed & 3 ? 1.3 : 0; // damping alone
        for (int32_t d = 0; d < t.model->dof_count; d++) {
            t.s->bdf.angle[d] = between(&r, -2, 2); // damped joints that turn fast
        }
        check_curvature(t, &p, &r, 1e-5);
    }
}

TD_TEST(potential_hessian_matches_differences_at_linear_joints_turned_far) {
    check_far_joints(TD_LAW_LINEAR, 1e-3, 0.1);
    check_far_joints(TD_LAW_LINEAR, 0.1, 3);
}

TD_TEST(potential_hessian_matches_differences_at_tangent_joints_turned_far) {
    check_far_joints(TD_LAW_TANGENT, 1e-3, 0.1);
    check_far_joints(TD_LAW_TANGENT, 0.1, 3);
}

// ---- the solve ------------------------------------------------------------------------------

static bool solve(tree t, const tdi_potential *p) {
    const tdi_potential_at at = {t.m, t.s, p, false, NULL, false};
    const tdi_terms terms = {
        .balls = tdi_potential_balls, .other = tdi_potential_other, .context = &at};
    tdi_loads_expand(t.s, &p->loads);
    bool fine = tdi_sweep_in(t.m, t.s, NULL, &terms);
    if (fine) {
        tdi_sweep_out(t.m, t.s, NULL, HUGE_VAL, false, false);
    }
    for (int32_t i = 0; i < t.m->body_count; i++) {
        CHECK(!t.s->summed[i]);
    }
    return fine;
}

// The sweeps' increments against an independent minimisation of the same quadratic model: along
// random directions the slope at the increment must vanish. The slope is the gradient before, plus
// the Hessian's bilinear form of increment and direction, by polarisation of curvature_along().
// False when the Hessian is not positive, so that there is nothing to solve.
static bool check_solve(uint64_t seed, bool mixed) {
    tdi_random r = random_of(seed);
    OWNED(tree) t = mixed_tree(&r, MOST_BODIES, mixed, 1e4); // stiff: the Hessian is positive
    probe p;
    shake(t, &r, 1e-3);
    make_probe(&p, t, &r, true, POINT_LOADS | WINDS);
    if (!solve(t, &p.potential)) {
        return false;
    }
    motion best = found_motion(t), sum;
    expansion e = expand(t, &p.potential);
    motion along = random_motion(t, &e, &r);
    double slope = slope_along(t, &e, &along);
    for (int i = 0; i < MOST_BODIES; i++) {
        sum.body[i].w = tdi_add(best.body[i].w, along.body[i].w);
        sum.body[i].v = tdi_add(best.body[i].v, along.body[i].v);
        for (int32_t k = 0; k < e.body[i].count; k++) {
            sum.joint[i][k] = best.joint[i][k] + along.joint[i][k];
        }
    }
    double form = 0.5 * (curvature_along(t, e, &sum, NULL) - curvature_along(t, e, &best, NULL) -
                         curvature_along(t, e, &along, NULL));
    CHECK(fabs(slope + form) < 1e-9 * (fabs(slope) + fabs(form)));
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

// A tree whose Hessian is often not positive: limp, bent far, loads against it.
static tree limp_tree(tdi_random *r, probe *p, bool mixed) {
    tree t = mixed_tree(r, MOST_BODIES, mixed, 0.1);
    shake(t, r, 1.5);
    make_probe(p, t, r, true, POINT_LOADS | WINDS);
    return t;
}

// Factors with `raise`: whether the Hessian was positive.
static bool solve_raised(tree t, const tdi_potential *p) {
    const tdi_potential_at at = {t.m, t.s, p, false, NULL, false};
    const tdi_terms terms = {
        .balls = tdi_potential_balls, .other = tdi_potential_other, .context = &at, .raise = true};
    tdi_loads_expand(t.s, &p->loads);
    bool fine = tdi_sweep_in(t.m, t.s, NULL, &terms);
    tdi_sweep_out(t.m, t.s, NULL, HUGE_VAL, false, false);
    return fine;
}

TD_TEST(tree_solve_with_raised_pivots_goes_down) {
    int raised = 0;
    for (uint64_t seed = 1; seed <= 400; seed++) {
        tdi_random r = random_of(seed);
        probe p;
        OWNED(tree) t = limp_tree(&r, &p, seed & 1);
        raised += !solve_raised(t, &p.potential);
        motion best = found_motion(t);
        expansion e = expand(t, &p.potential);
        CHECK(slope_along(t, &e, &best) < 0);
    }
    CHECK_IN(raised, 100, 400);
}

TD_TEST(tree_solve_raises_no_pivot_of_a_positive_hessian) {
    int solved = 0;
    for (uint64_t seed = 1; seed <= 200; seed++) {
        tdi_random r = random_of(seed);
        probe p;
        OWNED(tree) t = mixed_tree(&r, MOST_BODIES, seed & 1, 1e4);
        shake(t, &r, 1e-3);
        make_probe(&p, t, &r, true, POINT_LOADS | WINDS);
        if (solve(t, &p.potential)) {
            motion want = found_motion(t), got;
            CHECK(solve_raised(t, &p.potential));
            got = found_motion(t);
            CHECK(memcmp(&want, &got, sizeof want) == 0);
            solved++;
        }
    }
    CHECK_IN(solved, 150, 200);
}

// ---- several at once ------------------------------------------------------------------------

// Every width gives the bits of the terms one by one, also beside joints that are bent far: steps
// and statics, exact and positive semi-definite models, both laws.
TD_TEST(potential_terms_of_several_bodies_are_those_of_one) {
    const tdi_terms_kernel *kernels[TDI_TERMS_KERNELS];
    const int count = tdi_terms_kernels(kernels);
    if (count == 0) {
        test_skip("this processor has no kernel for several bodies");
        return;
    }
    for (uint64_t seed = 1; seed <= 400; seed++) {
        for (int k = 0; k < count; k++) {
            const bool inertia = seed % 5 != 0, positive = seed % 4 == 0;
            tdi_random r = random_of(seed);
            OWNED(tree) t = mixed_tree(&r, 8, false, 10);
            probe p;
            t.m->law = seed % 7 == 0 ? TD_LAW_TANGENT : TD_LAW_LINEAR;
            shake(t, &r, seed % 3 == 0 ? 0.005 : seed % 3 == 1 ? 0.1 : 1);
            make_probe(&p, t, &r, inertia, seed % 2 ? POINT_LOADS | WINDS : 0);
            p.potential.relax = seed % 8 ? 0 : 1;
            const tdi_potential_at alone = {t.m, t.s, &p.potential, positive, NULL, false};
            const tdi_potential_at many = {t.m, t.s, &p.potential, positive, kernels[k], false};
            tdi_term want[8] = {0}, got[8] = {0};
            tdi_potential_balls(&alone, 0, 8, want);
            tdi_potential_balls(&many, 0, 8, got);
            CHECK(memcmp(want, got, sizeof want) == 0);
        }
    }
}
