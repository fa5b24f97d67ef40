// SPDX-License-Identifier: MIT
// What every solver owes contact and constraints: material points of all kinds whose positions,
// motions, forces and terms belong together. Pairs with "material points" of
// src/implicit/implicit.h.

#include "test_conform_opened.h"

enum { MOST_TOLD = 72, MOST_HELD = 12, FEW = 5, ROUNDS = 12 };

static td_real between(tdi_random *r, td_real low, td_real high) {
    return low + (high - low) * tdi_random_uniform(r);
}

static td_vec3 in_cube(tdi_random *r, td_real half) {
    const td_real x = between(r, -half, half), y = between(r, -half, half);
    return tdi_vec3(x, y, between(r, -half, half));
}

// ---- subjects -------------------------------------------------------------------------------

typedef enum shape { PLAIN, JOINTED, LEAFY, BUSHY, RING, BEADED, SHAPES } shape;

enum { MOST_SEGMENTS = 40, THREAD = 5 };
static const int32_t sizes[SHAPES] = {0, 6, 6, MOST_SEGMENTS, 8, THREAD + 2};

static void make_leaf(td_segment_def *d, td_organ organ, int32_t drawn) {
    d->organ = organ;
    d->joint = TD_JOINT_FIXED;
    d->shape = drawn;
    d->mass = 0.004;
    d->centre_of_mass = tdi_vec3(0.002, 0.05, 0);
    d->second_moment = tdi_sym3_diagonal(1e-6, 1.4e-5, 1e-6);
}

static void make_joint(td_segment_def *d, td_joint_kind joint) {
    d->joint = joint;
    d->has_stiffness = true;
    d->stiffness = joint == TD_JOINT_SLIDE ? tdi_vec3(200, 0, 0) : tdi_vec3(0.5, 0.4, 0.5);
}

// The two balls of a strand are beside its second and its last segment.
static void make_bead(td_segment_def *d, int32_t i, int32_t ball) {
    make_leaf(d, TD_ORGAN_FRUIT, ball);
    d->parent = i == THREAD ? 1 : THREAD - 1;
    d->attach_at_tip = false;
    d->attach = tdi_vec3(0.02, 0.05, -0.01);
}

// All kinds of joints on one stem; a stem with organs, which come last; a random bush; a ring of
// 0.8 m, lying; or a free strand with welded balls.
static td_segment_def segment_of(shape kind, int32_t i, int32_t drawn, tdi_random *r) {
    static const int32_t parents[] = {TD_NONE, 0, 1, 2, 1, 3};
    static const td_joint_kind joints[] = {TD_JOINT_BALL,  TD_JOINT_HINGE, TD_JOINT_SLIDE,
                                           TD_JOINT_HINGE, TD_JOINT_BALL,  TD_JOINT_FIXED};
    td_segment_def d = td_segment_def_default();
    d.parent = kind >= RING || i == 0 ? i - 1 : kind == BUSHY ? i - 1 - i % 3 : parents[i];
    d.radius_base = d.radius_tip = kind >= BUSHY ? 0.005 : 0.01 - 0.0005 * i;
    d.axis = tdi_unit_or(tdi_vec3(1, 0.3, -0.4 * i), tdi_vec3(1, 0, 0));
    d.rest = tdi_quat_turn(tdi_vec3(0.6, 0, 0.8), i == 0 ? -1.0 : 0.6 - 0.3 * i);
    if (kind == BEADED && i >= THREAD) {
        make_bead(&d, i, drawn);
    } else if (kind == BUSHY) {
        d.rest = tdi_quat_turn(tdi_unit_or(in_cube(r, 1), tdi_vec3(1, 0, 0)), between(r, 0, 0.8));
    } else if (kind >= RING) {
        d.rest = tdi_quat_turn(tdi_vec3(0, 0, 1), i == 0 ? 0.3 : kind == RING ? TDI_PI / 4 : 0.3);
        d.joint = i == 0 ? TD_JOINT_FREE : TD_JOINT_BALL;
    } else if (kind == JOINTED) {
        make_joint(&d, joints[i]);
    } else if (kind == LEAFY && i >= 4) {
        make_leaf(&d, i == 4 ? TD_ORGAN_LEAF : TD_ORGAN_FRUIT, drawn);
    }
    return d;
}

static td_skeleton *shaped(shape kind) {
    OWNED(td_builder) *b = test_builder();
    td_skeleton *skeleton = NULL;
    td_diag diag = {.message = ""};
    const int32_t wood = soft_wood(b, false);
    td_shape organ = td_shape_default();
    organ.kind = kind == BEADED ? TD_SHAPE_BALL : organ.kind;
    int32_t drawn = TD_NONE;
    tdi_random random = random_of(3);
    CHECK_INT(td_builder_add_shape(b, &organ, &drawn, NULL), TD_OK);
    for (int32_t i = 0; i < sizes[kind]; i++) {
        td_segment_def d = segment_of(kind, i, drawn, &random);
        d.material = wood;
        CHECK_SAY(td_builder_add(b, &d, NULL, &diag) == TD_OK, "%s", diag.message);
    }
    if (kind >= RING) {
        const td_strand strand = {.count = kind == RING ? sizes[RING] : THREAD,
                                  .closed = kind == RING,
                                  .start = TD_END_FREE,
                                  .end = TD_END_FREE,
                                  .closing = tdi_quat_turn(tdi_vec3(0, 0, 1), 0.25 * TDI_PI)};
        CHECK_SAY(td_builder_add_strand(b, &strand, &diag) == TD_OK, "%s", diag.message);
    }
    CHECK_SAY(td_builder_finish(b, &skeleton, &diag) == TD_OK, "%s", diag.message);
    return skeleton;
}

// Without a state where the solver does not take it.
static subject shaped_subject(const tdi_solver *solver, shape kind) {
    const td_body_opts with = {.law = TD_LAW_DEFAULT};
    if (kind == PLAIN) {
        return subject_new(solver, HELD, NULL);
    }
    subject s = {.solver = solver,
                 .name = solver->info.name,
                 .skeleton = shaped(kind),
                 .count = sizes[kind]};
    s.segments = td_skeleton_segments(s.skeleton);
    if (solver->model_new(s.skeleton, &with, NULL, &s.model, NULL) == TD_OK) {
        CHECK(solver->state_new(s.model, NULL, &s.state, NULL) == TD_OK);
    }
    return s;
}

// ---- points ---------------------------------------------------------------------------------

// A subject within a step, with points all over it: positions and joints, then rotations, then
// nodes that follow each other.
typedef struct pointed {
    opened o;
    int32_t held, listed, count; // positions and joints; and rotations; and nodes
    tdi_point point[MOST_TOLD];
    td_joint_kind joint[MOST_TOLD]; // of a joint
} pointed;

static bool is_ball(const pointed *p, int32_t k) {
    return p->point[k].kind == TDI_POINT_JOINT && p->joint[k] == TD_JOINT_BALL;
}

static void add_held(pointed *p, int32_t segment, td_vec3 tip) {
    const tdi_implicit *ops = p->o.ops;
    const td_vec3 at[] = {{0, 0, 0}, tip, tdi_scale(tip, 0.3), {0.02, 0.04, -0.03}};
    for (int k = 0; k < 4; k++) {
        const td_vec3 arm = k < 2 ? tdi_vec3(0, 0, 0) : tdi_vec3(0.01, -0.03, 0.05 * (k - 2));
        p->point[p->count++] = (tdi_point){TDI_POINT_POSITION, segment, at[k], arm};
    }
    if (ops->joints) {
        const td_joint_kind kind = ops->joints->joint(p->o.body, segment).kind;
        p->point[p->count] = (tdi_point){.kind = TDI_POINT_JOINT, .segment = segment};
        p->joint[p->count] = kind;
        p->count += kind == TD_JOINT_HINGE || kind == TD_JOINT_SLIDE || kind == TD_JOINT_BALL;
    }
}

// The last few of a kind, of so many.
static void add_last(pointed *p, tdi_point_kind kind, int32_t all) {
    const int32_t few = all < FEW ? all : FEW;
    for (int32_t k = all - few; tdi_state_offers(p->o.body, kind) && k < all; k++) {
        p->point[p->count++] = (tdi_point){.kind = kind, .segment = k};
    }
}

static tdi_points listed(const pointed *p) {
    return tdi_points_of(p->point, p->listed);
}

static tdi_points nodes(const pointed *p) {
    return tdi_nodes(p->point[p->listed].segment, p->count - p->listed);
}

static void positions(const pointed *p, bool history, td_vec3 *x) {
    tdi_state_positions(p->o.body, listed(p), history, x);
    tdi_state_positions(p->o.body, nodes(p), history, x + p->listed);
}

static void motions(const pointed *p, bool response, td_vec3 *dx) {
    tdi_state_motions(p->o.body, listed(p), response, dx);
    tdi_state_motions(p->o.body, nodes(p), response, dx + p->listed);
}

static void apply(const pointed *p, int32_t k, td_vec3 force) {
    const tdi_points own = p->point[k].kind == TDI_POINT_NODE ? tdi_nodes(p->point[k].segment, 1)
                                                              : tdi_points_of(&p->point[k], 1);
    tdi_state_apply_forces(p->o.body, own, &force);
}

// Shorter where the exact Hessian would not be positive definite.
static td_real dt_of(shape kind) {
    return kind == BUSHY || kind == BEADED ? 0.002 : 0.01;
}

static bool open_points(const tdi_solver *solver, shape kind, pointed *p) {
    subject s = shaped_subject(solver, kind);
    if (!s.state) {
        subject_free(&s);
        return false;
    }
    memset(p, 0, sizeof *p);
    s.state->constrained = true; // as constraints say when they are made
    open_subject(&s, dt_of(kind), &p->o);
    CHECK_SAY(tdi_state_offers(p->o.body, TDI_POINT_POSITION), "%s: no positions", p->o.s.name);
    const int32_t count = p->o.s.count, every = (count + MOST_HELD - 1) / MOST_HELD;
    for (int32_t i = 0; i < count; i += every) {
        add_held(p, i, p->o.s.segments[i].tip);
    }
    p->held = p->count;
    add_last(p, TDI_POINT_ROTATION, p->o.capsules);
    p->listed = p->count;
    add_last(p, TDI_POINT_NODE, p->o.points);
    return true;
}

// Runs a claim for every solver with every shape that it takes; somebody takes each.
static void (*claim_now)(pointed *p);
static int32_t taken[SHAPES];

static void claim_shapes(const tdi_solver *solver) {
    for (int k = 0; k < SHAPES; k++) {
        pointed p;
        if (open_points(solver, (shape)k, &p)) {
            claim_now(&p);
            close_step(&p.o);
            taken[k]++;
        }
    }
}

static void for_all_points(void (*claim)(pointed *p)) {
    claim_now = claim;
    memset(taken, 0, sizeof taken);
    for_all_solvers(claim_shapes);
    CHECK(taken[PLAIN] >= 4 && taken[JOINTED] >= 1 && taken[LEAFY] >= 3 && taken[BUSHY] >= 3 &&
          taken[RING] >= 1 && taken[BEADED] >= 1);
}

// Increments at the pose by the exact model: the largest.
static td_real increments(const pointed *p) {
    td_real predicted_decrease = 0;
    CHECK_SAY(factor(&p->o), "%s: the exact Hessian of a short step is not positive definite",
              p->o.s.name);
    return p->o.ops->solve(p->o.body, (tdi_solving){0}, &predicted_decrease);
}

#define POINT_TEST(name) TEST_EACH(name, for_all_points, pointed *p)

static void places_at(const pointed *p, td_real fraction, td_vec3 *x) {
    tdi_state_try(p->o.body, fraction);
    positions(p, false, x);
}

static td_quat quat_of(td_vec3 rotation_vector) {
    return tdi_turn_by(rotation_vector);
}

// ---- positions ------------------------------------------------------------------------------

// Of points as the segment's pose has them, as far as a segment is rigid.
POINT_TEST(conform_points_are_where_their_segments_are) {
    td_vec3 x[MOST_TOLD];
    positions(p, false, x);
    for (int32_t k = 0; k < p->count; k++) {
        td_vec3 origin, tip;
        td_quat turn;
        if (p->point[k].kind != TDI_POINT_POSITION) {
            continue;
        }
        const tdi_solver *solver = p->o.s.solver;
        solver->poses(p->o.body, p->point[k].segment, 1, &origin, &tip, &turn);
        const td_segment *s = &p->o.s.segments[p->point[k].segment];
        const td_vec3 own = tdi_add(p->point[k].local, p->point[k].arm),
                      told = tdi_add(origin, tdi_quat_rotate(turn, own));
        // a stem of a helix bends within its length, one of a rod stretches
        const bool bends = solver->info.curved || solver->info.stretchy;
        CHECK_SAY(distance(told, x[k]) < (bends ? 0.1 * s->length : 1e-12),
                  "%s: point %d is %g m from where its segment has it", p->o.s.name, (int)k,
                  distance(told, x[k]));
        if (memcmp(&own, &s->tip, sizeof own) == 0) {
            CHECK_SAY(distance(tip, x[k]) < 1e-12, "%s: point %d is not at the tip", p->o.s.name,
                      (int)k);
        }
    }
}

// Arms are rigid: with those along three axes a point is the origin of a frame.
POINT_TEST(conform_arms_of_points_are_rigid) {
    for (int32_t i = 0; i < p->o.s.count; i++) {
        const td_vec3 at = tdi_scale(p->o.s.segments[i].tip, 0.4);
        tdi_point points[4];
        td_vec3 x[4];
        for (int k = 0; k < 4; k++) {
            points[k] = (tdi_point){TDI_POINT_POSITION, i, at, tdi_vec3(k == 1, k == 2, k == 3)};
        }
        tdi_state_positions(p->o.body, tdi_points_of(points, 4), false, x);
        for (int k = 1; k < 4; k++) {
            x[k] = tdi_sub(x[k], x[0]);
        }
        CHECK_SAY(fabs(tdi_norm(x[1]) - 1) < 1e-12 && fabs(tdi_norm(x[2]) - 1) < 1e-12 &&
                      distance(tdi_cross(x[1], x[2]), x[3]) < 1e-12,
                  "%s: arms of segment %d are no frame", p->o.s.name, (int)i);
    }
}

// x* of the rule of two steps is that of points. Rods carry offsets from the axis along from the
// step before, off by the square of what turns in a step.
POINT_TEST(conform_points_know_where_the_rule_takes_them_from) {
    td_vec3 before[MOST_TOLD], now[MOST_TOLD], history[MOST_TOLD];
    void *body = p->o.body;
    tdi_state_undo(body);
    step_times(&p->o.s, &p->o.opts, 3);
    positions(p, false, before);
    step_times(&p->o.s, &p->o.opts, 1);
    positions(p, false, now);
    const td_real dt = p->o.opts.dt;
    const tdi_rule rule = {.dt = dt, .h = 2 * dt / 3, .two = true, .part = 1, .in_contact = true};
    tdi_state_begin(body, &p->o.opts, &rule);
    tdi_state_guess(body, true);
    positions(p, true, history);
    for (int32_t k = 0; k < p->count; k++) {
        const td_vec3 told = tdi_two_step3(now[k], before[k]);
        const td_real moved = distance(now[k], before[k]);
        if (p->point[k].kind == TDI_POINT_ROTATION) { // it is counted from there
            CHECK_SAY(tdi_norm(history[k]) == 0, "%s: rotation %d", p->o.s.name, (int)k);
            continue;
        }
        CHECK_SAY(distance(told, history[k]) < 1e-12 + 0.05 * moved,
                  "%s: x* of point %d is off by %g", p->o.s.name, (int)k,
                  distance(told, history[k]));
    }
}

// Points go where the increments say, to first order; ball joints by R <- exp(w) R.
POINT_TEST(conform_points_go_where_the_increments_say) {
    td_vec3 dx[MOST_TOLD], ahead[MOST_TOLD], behind[MOST_TOLD];
    clear(&p->o);
    const td_real most = increments(p);
    motions(p, false, dx);
    tdi_state_keep(p->o.body);
    const td_real e = 1e-4 / most;
    places_at(p, e, ahead);
    places_at(p, -e, behind);
    for (int32_t k = 0; k < p->count; k++) {
        td_vec3 d = tdi_sub(ahead[k], behind[k]);
        if (is_ball(p, k)) {
            const td_quat turn = tdi_quat_mul(quat_of(ahead[k]), tdi_quat_conj(quat_of(behind[k])));
            d = tdi_scale(tdi_vec3(turn.x, turn.y, turn.z), turn.w < 0 ? -2 : 2);
        }
        d = tdi_scale(d, 0.5 / e);
        const td_real error = p->point[k].kind == TDI_POINT_ROTATION ? 1e-6 : 1e-7;
        CHECK_SAY(distance(d, dx[k]) < error * most, "%s: point %d moves by %g, not as predicted",
                  p->o.s.name, (int)k, distance(d, dx[k]));
    }
    tdi_state_try(p->o.body, 0);
}

// When trial poses follow the motion of parents, points reach the predicted positions up to a
// second-order error. The increments do not change, and the pose is kept.
POINT_TEST(conform_bodies_that_follow_are_off_by_second_order) {
    td_vec3 start[MOST_TOLD], dx[2][MOST_TOLD], tried[MOST_TOLD], x[MOST_TOLD];
    clear(&p->o);
    const td_real most = increments(p);
    positions(p, false, start);
    motions(p, false, dx[0]);
    tdi_state_keep(p->o.body);
    places_at(p, 1, tried);
    places_at(p, 0, x);
    tdi_state_follow(p->o.body);
    positions(p, false, x);
    for (int32_t k = 0; k < p->count; k++) {
        CHECK_SAY(distance(x[k], tried[k]) <= most * most,
                  "%s: point %d is %g from where it is tried, by increments of %g", p->o.s.name,
                  (int)k, distance(x[k], tried[k]), most);
    }
    places_at(p, 0, x);
    motions(p, false, dx[1]);
    for (int32_t k = 0; k < p->count; k++) {
        CHECK_SAY(distance(x[k], start[k]) < 1e-12 && distance(dx[0][k], dx[1][k]) < 1e-12,
                  "%s: point %d does not come back", p->o.s.name, (int)k);
    }
}

// ---- forces ---------------------------------------------------------------------------------

static void answer(const pointed *p, int32_t k, td_vec3 force, td_vec3 *dx) {
    apply(p, k, force);
    tdi_state_respond(p->o.body);
    motions(p, true, dx);
}

static int directions(const pointed *p, int32_t k) {
    return p->point[k].kind != TDI_POINT_JOINT || is_ball(p, k) ? 3 : 1;
}

// J H^-1 J^T is symmetric and positive semi-definite.
POINT_TEST(conform_answers_to_forces_are_symmetric) {
    td_vec3 at[MOST_TOLD], back[MOST_TOLD];
    clear(&p->o);
    increments(p);
    for (int32_t k = 0; k < p->count; k++) {
        for (int i = 0; i < directions(p, k); i++) {
            answer(p, k, unit(i), at);
            const td_real own = part(at[k], i);
            CHECK_SAY(own >= 0, "%s: point %d goes against what pushes it", p->o.s.name, (int)k);
            const int32_t other = (k * 5 + i + 1) % p->count;
            for (int j = 0; j < directions(p, other); j++) {
                answer(p, other, unit(j), back);
                const td_real one = part(at[other], j), two = part(back[k], i),
                              size = sqrt(own * fmax(part(back[other], j), 0));
                CHECK_SAY(fabs(one - two) <= 1e-9 * size + 1e-30,
                          "%s: points %d and %d answer each other by %g and %g", p->o.s.name,
                          (int)k, (int)other, one, two);
            }
        }
    }
    tdi_state_respond(p->o.body); // nobody pushed
    motions(p, true, at);
    for (int32_t k = 0; k < p->count; k++) {
        CHECK_SAY(tdi_norm(at[k]) == 0, "%s: an answer to nothing", p->o.s.name);
    }
}

// Confined to some points, the answers are the same there, with the same bits.
POINT_TEST(conform_answers_confined_to_some_points_have_the_same_bits) {
    td_vec3 whole[MOST_TOLD], some[MOST_TOLD];
    const int32_t few[] = {1, p->held / 2, p->held - 1};
    tdi_point points[3];
    clear(&p->o);
    increments(p);
    for (int j = 0; j < 3; j++) {
        for (int k = 0; k < 3; k++) {
            points[k] = p->point[few[k]];
        }
        answer(p, few[j], tdi_vec3(0.3, -0.2, 0.5), whole);
        tdi_state_confine(p->o.body, tdi_points_of(points, 3));
        apply(p, few[j], tdi_vec3(0.3, -0.2, 0.5));
        tdi_state_respond(p->o.body);
        tdi_state_motions(p->o.body, tdi_points_of(points, 3), true, some);
        tdi_state_confine(p->o.body, tdi_points_of(NULL, 0));
        for (int k = 0; k < 3; k++) {
            CHECK_SAY(memcmp(&some[k], &whole[few[k]], sizeof some[k]) == 0,
                      "%s: point %d answers otherwise when others are not asked", p->o.s.name,
                      (int)few[k]);
        }
    }
    answer(p, few[0], tdi_vec3(0.3, -0.2, 0.5), some);
    answer(p, few[2], tdi_vec3(0.3, -0.2, 0.5), some);
    CHECK_SAY(memcmp(some, whole, (size_t)p->count * sizeof *some) == 0,
              "%s: answers stay confined", p->o.s.name);
}

// Forces at points of all kinds add up, in any order; absorbed responses are part of the
// increments.
POINT_TEST(conform_forces_at_all_kinds_of_points_add_up) {
    td_vec3 before[MOST_TOLD], a[MOST_TOLD], b[MOST_TOLD], c[MOST_TOLD], all[MOST_TOLD],
        after[MOST_TOLD];
    const td_vec3 f = {0.3, -0.2, 0.5}, g = {-0.1, 0.4, 0.2}, zero = {0, 0, 0};
    const int32_t first = 1, last = p->listed - 1;
    clear(&p->o);
    increments(p);
    motions(p, false, before);
    answer(p, first, f, a);
    answer(p, last, g, b);
    apply(p, p->count - 1, g);
    answer(p, first, zero, c);
    apply(p, last, g);
    apply(p, p->count - 1, g);
    answer(p, first, f, all);
    tdi_state_add_response(p->o.body);
    motions(p, false, after);
    for (int32_t k = 0; k < p->count; k++) {
        const td_real size =
            tdi_norm(a[k]) + tdi_norm(b[k]) + tdi_norm(c[k]) + tdi_norm(before[k]) + 1e-30;
        CHECK_SAY(distance(tdi_add(tdi_add(a[k], b[k]), c[k]), all[k]) <= 1e-11 * size,
                  "%s: pushes do not add up at point %d", p->o.s.name, (int)k);
        CHECK_SAY(distance(tdi_add(before[k], all[k]), after[k]) <= 1e-11 * size,
                  "%s: point %d has not absorbed the answer", p->o.s.name, (int)k);
    }
}

// ---- terms ----------------------------------------------------------------------------------

// To the least value, where the increments without points are 0.
static void converge(const pointed *p) {
    for (int k = 0; k < 8; k++) {
        clear(&p->o);
        increments(p);
        tdi_state_keep(p->o.body);
        tdi_state_try(p->o.body, 1);
    }
}

static void add_at(const pointed *p, int32_t k, td_vec3 gradient, td_sym3 hessian) {
    const tdi_side_terms side = {&p->point[k], gradient, hessian, TDI_GEOMETRIC_ALL, NULL};
    p->o.ops->add_stiffness(p->o.body, &side);
}

// A gradient changes the increments as a push against it does. It is small: what second derivatives
// make of it is of second order where the increments were 0.
POINT_TEST(conform_points_gradients_change_increments_as_forces_do) {
    const td_vec3 g = {0.5e-6, -0.3e-6, 0.8e-6};
    converge(p);
    for (int32_t k = 0; k < p->listed; k++) {
        td_vec3 without[MOST_TOLD], with[MOST_TOLD], told[MOST_TOLD];
        clear(&p->o);
        increments(p);
        motions(p, false, without);
        answer(p, k, tdi_scale(g, -1), told);
        clear(&p->o);
        add_at(p, k, g, (td_sym3){0});
        increments(p);
        motions(p, false, with);
        for (int32_t q = 0; q < p->count; q++) {
            const td_real size = tdi_norm(told[k]) + tdi_norm(told[q]);
            CHECK_SAY(distance(tdi_sub(with[q], without[q]), told[q]) < 1e-5 * size + 1e-13,
                      "%s: a gradient at point %d moves point %d by %g, a push by %g", p->o.s.name,
                      (int)k, (int)q, tdi_norm(with[q]), tdi_norm(told[q]));
        }
    }
}

// With k n n^T added at a point it gives 1/(1/w + k) in place of w along n, with any factor k.
POINT_TEST(conform_points_stiffen_what_they_hold) {
    for (int32_t k = 0; k < p->listed; k++) {
        const td_vec3 n = directions(p, k) == 1 ? unit(0) : tdi_vec3(0.6, 0, 0.8);
        td_vec3 dx[MOST_TOLD];
        clear(&p->o);
        increments(p);
        answer(p, k, n, dx);
        const td_real soft = tdi_dot(n, dx[k]), factors[] = {3, 1e4, 1e8};
        if (soft < 1e-20) { // it stands on the base
            continue;
        }
        for (int j = 0; j < 3; j++) {
            const td_sym3 h = tdi_sym3_square(n, factors[j] / soft);
            clear(&p->o);
            add_at(p, k, tdi_vec3(0, 0, 0), h);
            increments(p);
            answer(p, k, n, dx);
            const td_real stiff = tdi_dot(n, dx[k]), told = soft / (1 + factors[j]);
            CHECK_SAY(fabs(stiff - told) < 1e-9 * soft,
                      "%s: point %d moves by %g, with %g times the stiffness by %g", p->o.s.name,
                      (int)k, soft, factors[j], stiff);
        }
    }
}

// What the claims on second derivatives add to the potential at a point.
//   point, hinge, slide   g.d + 1/2 d.K d,  d = x - x0
//   ball                  s u.(R v)
typedef struct well {
    int32_t point;
    bool ball;
    td_vec3 from, g, u, v;
    td_sym3 k;
} well;

static td_real well_value(const well *w, td_vec3 x) {
    if (w->ball) {
        return tdi_dot(w->u, tdi_quat_rotate(quat_of(x), w->v));
    }
    const td_vec3 d = tdi_sub(x, w->from);
    return tdi_dot(w->g, d) + 0.5 * tdi_dot(d, tdi_sym3_apply(&w->k, d));
}

// Of a ball, with p = R v: d = w.(p x u), second derivative (w.u)(w.p) - |w|^2 u.p
static void add_well(const pointed *p, const well *w, td_vec3 x) {
    td_vec3 g = tdi_add(w->g, tdi_sym3_apply(&w->k, tdi_sub(x, w->from)));
    td_sym3 h = w->k;
    if (w->ball) {
        const td_vec3 at = tdi_quat_rotate(quat_of(x), w->v), u = w->u;
        const td_real dot = tdi_dot(u, at);
        g = tdi_cross(at, u);
        h = (td_sym3){u.x * at.x - dot,
                      u.y * at.y - dot,
                      u.z * at.z - dot,
                      0.5 * (u.x * at.y + u.y * at.x),
                      0.5 * (u.x * at.z + u.z * at.x),
                      0.5 * (u.y * at.z + u.z * at.y)};
    }
    add_at(p, w->point, g, h);
}

static td_sym3 random_positive(tdi_random *r, td_real size) {
    td_sym3 k = tdi_sym3_square(in_cube(r, 1), size);
    k = tdi_sym3_add(k, tdi_sym3_square(in_cube(r, 1), size));
    return tdi_sym3_add(k, tdi_sym3_square(in_cube(r, 1), size));
}

static td_real wells_value(const pointed *p, const well *wells, int count, td_real fraction) {
    td_vec3 x[MOST_TOLD];
    places_at(p, fraction, x);
    td_real sum = p->o.ops->value(p->o.body, false);
    for (int k = 0; k < count; k++) {
        sum += well_value(&wells[k], x[wells[k].point]);
    }
    return sum;
}

// The whole potential falls and bends along increments x = -H^-1 r of the exact model as they
// promise: slope -r.H^-1 r, curvature r.H^-1 r. Random gradients make random directions of these.
POINT_TEST(conform_points_second_derivatives_are_those_of_the_whole_potential) {
    tdi_random random = random_of(7);
    int32_t exact = 0;
    for (int round = 0; round < ROUNDS; round++) {
        well wells[3];
        td_vec3 x[MOST_TOLD];
        td_real predicted_decrease = 0;
        tdi_model model = {.keep_factors = true};
        positions(p, false, x);
        clear(&p->o);
        for (int k = 0; k < 3; k++) {
            const int32_t point = (int32_t)between(&random, 0, (td_real)p->listed);
            const td_real size = p->point[point].kind == TDI_POINT_POSITION ? 1 : 0.1;
            wells[k] = (well){.point = point,
                              .ball = is_ball(p, point),
                              .from = x[point],
                              .g = in_cube(&random, size),
                              .u = in_cube(&random, size),
                              .v = in_cube(&random, 1),
                              .k = random_positive(&random, size)};
            add_well(p, &wells[k], x[point]);
        }
        if (p->o.ops->factor(p->o.body, &model) != TDI_POSITIVE) {
            continue;
        }
        const td_real most = p->o.ops->solve(p->o.body, (tdi_solving){0}, &predicted_decrease),
                      e = 1e-4 / most;
        tdi_state_keep(p->o.body);
        const td_real ahead = wells_value(p, wells, 3, e), behind = wells_value(p, wells, 3, -e),
                      middle = wells_value(p, wells, 3, 0), slope = (ahead - behind) / (2 * e),
                      curvature = (ahead - 2 * middle + behind) / (e * e);
        CHECK_SAY(fabs(slope + predicted_decrease) < 1e-5 * predicted_decrease,
                  "%s: slope %g, promised %g", p->o.s.name, slope, -predicted_decrease);
        CHECK_SAY(fabs(curvature - predicted_decrease) < 2e-3 * predicted_decrease,
                  "%s: curvature %g, of the model %g", p->o.s.name, curvature, predicted_decrease);
        exact++;
    }
    CHECK_SAY(exact > ROUNDS / 2, "%s: the exact model is hardly ever positive", p->o.s.name);
}
