// SPDX-License-Identifier: MIT
// Many constraints between segments of one tree: eliminated with it, or, where contact is looked
// for, by the Schur complement, which is dense. Both are one answer.

#include "test_tree_support.h"

#include "tree/implicit.h"

enum { CURVE = 4 }; // points

// A tree that branches at random, with constraints between segments that are not far apart.
typedef struct tangle {
    td_body_model *model;
    td_body *state;
    td_island *island;
    td_constraint *link;
    td_vec3 (*curve)[CURVE]; // of a link
    int32_t links;
    td_step_opts opts;
    td_step_stats stats;
} tangle;

static int32_t some_below(tdi_random *random, int32_t limit) {
    return (int32_t)(tdi_random_uniform(random) * limit);
}

static void build(tangle *t, tdi_random *random, int32_t bodies) {
    const td_body_opts options = td_body_opts_default();
    OWNED(td_builder) *builder = test_builder();
    for (int32_t i = 0; i < bodies; i++) {
        td_segment_def d = td_segment_def_default();
        d.parent = i == 0 ? TD_NONE : i - 1 - some_below(random, i < 3 ? i : 3);
        d.joint = TD_JOINT_BALL;
        d.rest = random_turn(random, 0.8);
        d.length = 0.02;
        d.radius_base = d.radius_tip = 0.001;
        d.stiffness = (td_vec3){1e-4, 1e-4, 1e-4};
        d.damping = (td_vec3){1e-6, 1e-6, 1e-6};
        d.density = 900;
        d.has_stiffness = d.has_damping = true;
        CHECK_INT(td_builder_add(builder, &d, NULL, NULL), TD_OK);
    }
    OWNED(td_skeleton) *skeleton = test_finish(builder);
    CHECK_INT(td_body_model_new(skeleton, "tree", &options, NULL, &t->model, NULL), TD_OK);
    CHECK_INT(td_body_new(t->model, NULL, &t->state, NULL), TD_OK);
}

// A point of a segment in the world.
static td_vec3 point_of(const tangle *t, int32_t segment, td_vec3 at) {
    return tdi_add(td_body_origin(t->state, segment),
                   tdi_quat_rotate(td_body_rotation(t->state, segment), at));
}

// What has to be given of one-sided kinds: ropes that are taut, or soon will be, a plane below the
// first side's point, a range of 4 mm, and a curve of 12 mm with ends.
static void give_slack(const tangle *t, td_constraint *c, int32_t k) {
    const td_vec3 a = point_of(t, c->segment[0], c->point[0]),
                  away = tdi_sub(a, td_body_origin(t->state, c->segment[1]));
    const td_quat back = tdi_quat_conj(td_body_rotation(t->state, c->segment[1]));
    const double room = k % 2 ? 1e-4 : 0, length = tdi_norm(away);
    if (c->kind == TD_CONSTRAINT_ROPE) {
        c->as_found = k % 3 == 0;
        c->target.length = length + room;
    } else if (c->kind == TD_CONSTRAINT_STOP) {
        // square to `away` no turn of the second side about its joint would be in its way
        const td_vec3 unit = tdi_scale(away, 1 / length), own = tdi_quat_rotate(back, away);
        const td_vec3 way = tdi_add(unit, tdi_across(unit));
        c->axis[1] = tdi_quat_rotate(back, tdi_scale(way, 1 / tdi_norm(way)));
        c->point[1] = tdi_madd(own, c->axis[1], -room);
    } else if (c->kind == TD_CONSTRAINT_CURVE) {
        const td_vec3 own = tdi_quat_rotate(back, away),
                      way = tdi_across(tdi_scale(own, 1 / length));
        for (int i = 0; i < CURVE; i++) { // through the point, and bent
            const double s = 0.004 * (i - 1);
            t->curve[k][i] = tdi_madd(tdi_madd(own, way, s), own, s * s / (length * length));
        }
        c->curve = t->curve[k];
        c->curve_count = CURVE;
    } else if (c->kind == TD_CONSTRAINT_SLIDER) {
        c->low = -0.002;
        c->high = 0.002;
    }
}

static const td_constraint_kind two_sided[] = {TD_CONSTRAINT_DISTANCE, TD_CONSTRAINT_HINGE,
                                               TD_CONSTRAINT_DISTANCE, TD_CONSTRAINT_POINT,
                                               TD_CONSTRAINT_DISTANCE},
                                one_sided[] = {TD_CONSTRAINT_ROPE,  TD_CONSTRAINT_DISTANCE,
                                               TD_CONSTRAINT_STOP,  TD_CONSTRAINT_HINGE,
                                               TD_CONSTRAINT_ROPE,  TD_CONSTRAINT_SLIDER,
                                               TD_CONSTRAINT_POINT, TD_CONSTRAINT_CURVE};
enum { TWO_SIDED = sizeof two_sided / sizeof *two_sided };
enum { ONE_SIDED = sizeof one_sided / sizeof *one_sided };

// Every ninth twice.
static void add_links(tangle *t, tdi_random *random, int32_t bodies, int32_t links, bool slack) {
    t->link = calloc((size_t)links, sizeof *t->link);
    t->curve = calloc((size_t)links, sizeof *t->curve);
    t->links = links;
    for (int32_t k = 0; k < links; k++) {
        td_constraint *c = &t->link[k];
        const int32_t a = (int32_t)((int64_t)k * (bodies - 8) / links);
        *c = td_constraint_default(slack ? one_sided[k % ONE_SIDED] : two_sided[k % TWO_SIDED]);
        c->actor[1] = 0;
        c->segment[0] = a;
        c->segment[1] = a + 2 + some_below(random, 5);
        c->point[0] = tdi_vec3(0.001, 0.01, 0);
        c->as_found = true;
        give_slack(t, c, k);
        if (k % 9 == 8) {
            *c = t->link[k - 1];
        }
    }
}

// `looks`: for contact. `slack`: with one-sided constraints too.
static void make(tangle *t, uint64_t seed, int32_t bodies, int32_t links, bool looks, bool slack) {
    tdi_random random;
    td_contact_opts contact = td_contact_opts_default();
    td_diag diag = {.message = ""};
    *t = (tangle){.opts = td_step_opts_default()};
    tdi_random_seed(&random, seed);
    build(t, &random, bodies);
    add_links(t, &random, bodies, links, slack);
    t->opts.dt = 1.0 / 240;
    t->opts.tolerance = 1e-9;
    contact.self = false;
    td_body *ref = t->state;
    CHECK_INT(td_island_new(&ref, 1, looks ? &contact : NULL, 1, NULL, &t->island, &diag), TD_OK);
    const td_status status = td_island_constrain(t->island, t->link, t->links, &diag);
    CHECK_SAY(status == TD_OK, "%s", diag.message);
}

static void go(tangle *t, int steps) {
    td_diag diag = {.message = ""};
    for (int k = 0; k < steps; k++) {
        const td_status status = td_island_step(t->island, &t->opts, NULL, 0, &t->stats, &diag);
        CHECK_SAY(status == TD_OK, "%s", diag.message);
    }
    for (int32_t k = 0; k < t->links; k++) {
        const double error = td_island_constraint(t->island, k).error;
        CHECK_SAY(error < 1e-8, "link %d is off by %g", k, error);
    }
}

static void drop(tangle *t) {
    td_island_free(t->island);
    td_body_free(t->state);
    td_body_model_free(t->model);
    free(t->link);
    free(t->curve);
}

// Apart by the tolerance of steps.
static double apart(const tangle *one, const tangle *other) {
    double most = 0;
    for (int32_t i = 0; i < tdi_as_tree_model(one->model)->body_count; i++) {
        const td_vec3 way = tdi_sub(td_body_tip(one->state, i), td_body_tip(other->state, i));
        most = fmax(most, tdi_norm(way));
    }
    return most;
}

static void compare(uint64_t seed, bool slack) {
    enum { BODIES = 60, LINKS = 20, STEPS = 20, MOST_EACH = 6 }; // 150 without second derivatives
    tangle one, other;
    make(&one, seed, BODIES, LINKS, false, slack);
    make(&other, seed, BODIES, LINKS, true, slack);
    const td_vec3 start = td_body_tip(one.state, BODIES - 1);
    go(&one, STEPS);
    go(&other, STEPS);
    const double off = apart(&one, &other);
    const double moved = tdi_norm(tdi_sub(td_body_tip(one.state, BODIES - 1), start));
    CHECK_SAY(one.stats.iterations <= MOST_EACH * STEPS, "%d iterations",
              (int)one.stats.iterations);
    CHECK_SAY(off < 1e-7 && moved > 1e-3, "%g m apart, %g m moved, seed %d", off, moved, (int)seed);
    drop(&one);
    drop(&other);
}

TD_TEST(tree_rows_eliminated_with_it_move_as_with_the_complement) {
    for (uint64_t seed = 1; seed <= 6; seed++) {
        compare(seed, false);
        compare(seed, true);
    }
}

// Such tangles have many rests, and rounding decides which of them is found, if any: what can be
// claimed is that most come to rest, and that where both ways find the same rest it is one to many
// digits. Without second derivatives none comes to rest within 5,000 iterations.
TD_TEST(tree_rows_let_most_trees_come_to_rest_where_the_complement_leads) {
    enum { BODIES = 60, LINKS = 20, TREES = 4, SOON = 300 };
    int rested = 0, same = 0;
    for (uint64_t seed = 2; seed < 2 + TREES; seed++) {
        tangle t[2];
        for (int k = 0; k < 2; k++) {
            make(&t[k], seed, BODIES, LINKS, k == 1, true);
            CHECK_INT(td_island_settle(t[k].island, &t[k].opts, NULL, 0, &t[k].stats, NULL), TD_OK);
            rested += t[k].stats.unconverged == 0 && t[k].stats.iterations < SOON;
        }
        same += apart(&t[0], &t[1]) < 1e-8;
        drop(&t[0]);
        drop(&t[1]);
    }
    CHECK_SAY(rested > TREES, "%d of %d come to rest", rested, 2 * TREES);
    CHECK_SAY(same > 0, "%d of %d rest at the same place", same, TREES);
}

// ---- optimality -----------------------------------------------------------------------------

// Where a body is, and how its joint is turned from rest.
typedef struct pose {
    td_vec3 o;
    tdi_mat3 r;
    td_quat turn;
} pose;

static void note(const tangle *t, pose *poses) {
    for (int32_t i = 0; i < tdi_as_tree_model(t->model)->body_count; i++) {
        const td_real *q = td_tree_coords(t->state) + tdi_as_tree_model(t->model)->coord[i];
        poses[i] = (pose){td_body_origin(t->state, i),
                          tdi_mat3_from_quat(td_body_rotation(t->state, i)),
                          {q[0], q[1], q[2], q[3]}};
    }
}

// A force, and its moment about the origin of the world, on a body: the moments of it about the
// joints of all that carries the body.
static void put(const td_body_model *m, const pose *now, int32_t body, td_vec3 f, td_vec3 n,
                td_vec3 *moment) {
    for (int32_t i = body; i != TD_NONE; i = tdi_as_tree_model(m)->parent[i]) {
        moment[i] = tdi_add(moment[i], tdi_sub(n, tdi_cross(now[i].o, f)));
    }
}

// The integral of a moment (R X) x (D X) over a body with the integral S of X X^T.
static td_vec3 moment_within(const tdi_mat3 *r, const td_sym3 *s, const tdi_mat3 *d) {
    const tdi_mat3 rs = tdi_mat3_mul_sym(r, s);
    double p[3][3] = {{0}};
    for (int a = 0; a < 9; a++) {
        for (int k = 0; k < 3; k++) {
            p[a / 3][a % 3] += rs.m[3 * (a / 3) + k] * d->m[3 * (a % 3) + k];
        }
    }
    return tdi_vec3(p[1][2] - p[2][1], p[2][0] - p[0][2], p[0][1] - p[1][0]);
}

// Backward Euler: every point of a body is accelerated by (x - 2 x_n + x_n-1)/h^2, less gravity.
static void put_inertia(const tangle *t, pose *const at[3], int32_t i, td_vec3 *moment) {
    const tdi_body *b = &tdi_as_tree_model(t->model)->body[i];
    const pose *now = &at[2][i], *last = &at[1][i], *before = &at[0][i];
    const double rate = 1 / (t->opts.dt * t->opts.dt);
    const td_vec3 way = tdi_add(tdi_madd(now->o, last->o, -2), before->o),
                  e = tdi_sub(tdi_scale(way, rate), t->opts.gravity);
    tdi_mat3 d;
    for (int k = 0; k < 9; k++) {
        d.m[k] = rate * (now->r.m[k] - 2 * last->r.m[k] + before->r.m[k]);
    }
    const td_vec3 f = tdi_add(tdi_scale(e, b->mass), tdi_mat3_apply(&d, b->moment)),
                  c = tdi_mat3_apply(&now->r, b->moment),
                  own = tdi_add(tdi_cross(c, e), moment_within(&now->r, &b->second, &d));
    put(t->model, at[2], i, f, tdi_add(own, tdi_cross(now->o, f)), moment);
}

static td_vec3 rotation_vector(td_quat q) {
    const td_vec3 v = {q.x, q.y, q.z};
    const double s = tdi_norm(v);
    return tdi_scale(v, s > 0 ? 2 * atan2(s, q.w) / s : 2);
}

// Of spring and damper of a joint.
static double joint_energy(const tangle *t, int32_t i, td_quat turn, td_quat last) {
    const tdi_body *b = &tdi_as_tree_model(t->model)->body[i];
    const td_vec3 a = rotation_vector(turn), way = tdi_sub(a, rotation_vector(last));
    return 0.5 * tdi_dot(a, tdi_times(b->stiffness, a)) +
           0.5 / t->opts.dt * tdi_dot(way, tdi_times(b->damping, way));
}

// Its derivative by a turn of the joint in the world, by differences.
static td_vec3 joint_moment(const tangle *t, pose *const at[3], int32_t i) {
    const double small = 1e-5; // roundings and third derivatives are below 1e-9 of it
    const int32_t p = tdi_as_tree_model(t->model)->parent[i];
    const td_quat up = p == TD_NONE ? tdi_quat_identity() : td_body_rotation(t->state, p),
                  back = tdi_quat_conj(tdi_quat_mul(up, tdi_as_tree_model(t->model)->body[i].rest));
    double g[3];
    for (int k = 0; k < 3; k++) {
        const td_vec3 axis = tdi_quat_rotate(back, tdi_vec3(k == 0, k == 1, k == 2));
        const td_quat more = tdi_quat_mul(tdi_quat_turn(axis, small), at[2][i].turn),
                      less = tdi_quat_mul(tdi_quat_turn(axis, -small), at[2][i].turn);
        g[k] = (joint_energy(t, i, more, at[1][i].turn) - joint_energy(t, i, less, at[1][i].turn)) /
               (2 * small);
    }
    return tdi_vec3(g[0], g[1], g[2]);
}

// The moments of all forces of a step about all joints, which are 0 where its potential is least
// under the constraints: the largest, over the largest of inertia and weight.
static double imbalance(const tangle *t, pose *const at[3], td_vec3 *moment) {
    const int32_t bodies = tdi_as_tree_model(t->model)->body_count;
    double most = 0, worst = 0;
    memset(moment, 0, (size_t)bodies * sizeof *moment);
    for (int32_t i = 0; i < bodies; i++) {
        put_inertia(t, at, i, moment);
    }
    for (int32_t i = 0; i < bodies; i++) {
        most = fmax(most, tdi_norm(moment[i]));
        moment[i] = tdi_add(moment[i], joint_moment(t, at, i));
    }
    for (int32_t k = 0; k < t->links; k++) {
        const td_constraint_report r = td_island_constraint(t->island, k);
        const td_vec3 n = tdi_add(r.moment, tdi_cross(r.place, r.force)), none = {0, 0, 0};
        put(t->model, at[2], t->link[k].segment[0], tdi_sub(none, r.force), tdi_sub(none, n),
            moment);
        put(t->model, at[2], t->link[k].segment[1], r.force, n, moment);
    }
    for (int32_t i = 0; i < bodies; i++) {
        worst = fmax(worst, tdi_norm(moment[i]));
    }
    return worst / most;
}

// How far ropes and stops are from their ends, and with what force they push away from there: one
// of the two is 0, and neither is negative. Whether it pushes.
static bool check_sides(const tangle *t, int32_t k) {
    const td_constraint *c = &t->link[k];
    const td_constraint_report r = td_island_constraint(t->island, k);
    const td_vec3 a = point_of(t, c->segment[0], c->point[0]);
    const bool rope = c->kind == TD_CONSTRAINT_ROPE;
    if ((!rope && c->kind != TD_CONSTRAINT_STOP) || c->as_found) { // as found: of unknown length
        return false;
    }
    const td_vec3 b = rope ? td_body_origin(t->state, c->segment[1])
                           : point_of(t, c->segment[1], c->point[1]),
                  away = tdi_sub(a, b);
    const double length = tdi_norm(away);
    const td_vec3 way =
        rope ? tdi_scale(away, -1 / length)
             : tdi_quat_rotate(td_body_rotation(t->state, c->segment[1]), c->axis[1]);
    const double gap = rope ? c->target.length - length : tdi_dot(way, away),
                 force = tdi_dot(r.force, way);
    const td_vec3 across = tdi_madd(r.force, way, -force);
    CHECK_SAY(gap > -1e-8 && force >= 0 && (gap < 1e-8 || force == 0),
              "link %d: gap %g m, force %g N", k, gap, force);
    CHECK_SAY(tdi_norm(across) <= 1e-9 * force, "link %d: %g N across", k, tdi_norm(across));
    return force > 0;
}

// Steps with both ways to eliminate rows end where the conditions for a least value hold, which are
// computed from poses and forces that anybody can ask for.
static void check_balance(uint64_t seed, bool looks, double tolerance, double limit, int *pushes,
                          int *rests) {
    enum { BODIES = 60, LINKS = 28, STEPS = 20 };
    pose poses[3][BODIES], *at[3] = {poses[0], poses[1], poses[2]};
    td_vec3 moment[BODIES];
    tangle t;
    make(&t, seed, BODIES, LINKS, looks, true);
    t.opts.integrator = TD_IMPLICIT_EULER;
    t.opts.tolerance = tolerance;
    note(&t, at[0]);
    note(&t, at[1]);
    for (int k = 0; k < STEPS; k++) {
        go(&t, 1);
        note(&t, at[2]);
        const double off = imbalance(&t, at, moment);
        CHECK_SAY(off < limit, "moments are off by %g in step %d, seed %d", off, k, (int)seed);
        for (int32_t j = 0; j < LINKS; j++) {
            const bool sides = check_sides(&t, j);
            *pushes += sides;
            *rests += !sides;
        }
        memmove(poses[0], poses[1], 2 * sizeof poses[0]);
    }
    drop(&t);
}

TD_TEST(tree_rows_leave_forces_of_all_joints_in_balance) {
    int pushes = 0, rests = 0;
    for (uint64_t seed = 1; seed <= 12; seed++) { // a rope that becomes slack ends some of them
        check_balance(seed, false, 1e-9, 1e-4, &pushes, &rests);
    }
    for (uint64_t seed = 1; seed <= 3; seed++) {
        check_balance(seed, false, 1e-12, 1e-6, &pushes, &rests);
        check_balance(seed, true, 1e-12, 1e-6, &pushes, &rests);
    }
    CHECK_SAY(pushes > 100 && rests > 100, "%d pushes and %d rests are no test", pushes, rests);
}

TD_TEST(tree_rows_may_be_any_number_and_have_the_same_bits_with_threads) {
    enum { BODIES = 3000, LINKS = 1200, STEPS = 2 };
    char *save[2] = {NULL, NULL};
    size_t size = 0;
    for (int k = 0; k < 2; k++) {
        tangle t;
        OWNED(td_pool) *pool = NULL;
        CHECK_INT(td_pool_new(3, NULL, &pool, NULL), TD_OK);
        make(&t, 7, BODIES, LINKS, false, true);
        t.opts.pool = k ? pool : NULL;
        go(&t, STEPS);
        size = td_island_save_size(t.island);
        save[k] = malloc(size);
        td_island_save(t.island, save[k]);
        drop(&t);
    }
    CHECK(memcmp(save[0], save[1], size) == 0);
    free(save[0]);
    free(save[1]);
}

// Forces on joints, of which the first model of a step is made, are part of a save.
TD_TEST(tree_rows_go_on_with_the_same_bits_from_a_save) {
    enum { BODIES = 400, LINKS = 160, STEPS = 3 };
    tangle one, other;
    make(&one, 5, BODIES, LINKS, false, true);
    make(&other, 5, BODIES, LINKS, false, true);
    const size_t size = tdi_state_save_size(one.state), held = td_island_save_size(one.island);
    char *bytes[2] = {malloc(size + held), malloc(size + held)};
    go(&one, STEPS);
    tdi_state_save(one.state, bytes[0]);
    td_island_save(one.island, bytes[0] + size);
    tdi_state_restore(other.state, bytes[0]);
    CHECK_INT(td_island_restore(other.island, bytes[0] + size, held, NULL), TD_OK);
    for (int k = 0; k < 2; k++) {
        tangle *t = k ? &other : &one;
        go(t, STEPS);
        tdi_state_save(t->state, bytes[k]);
        td_island_save(t->island, bytes[k] + size);
        drop(t);
    }
    CHECK(memcmp(bytes[0], bytes[1], size + held) == 0);
    free(bytes[0]);
    free(bytes[1]);
}

TD_TEST(tree_rows_that_contradict_each_other_are_reported) {
    enum { BODIES = 60, LINKS = 20, STEPS = 10 };
    tangle t;
    make(&t, 3, BODIES, LINKS, false, false);
    for (int k = 0; k < 2; k++) { // two bars of other lengths between the same points
        t.link[k] = td_constraint_default(TD_CONSTRAINT_DISTANCE);
        t.link[k].actor[1] = 0;
        t.link[k].segment[0] = 30;
        t.link[k].segment[1] = 36;
        t.link[k].as_found = false;
        t.link[k].target.length = 0.03 + 0.01 * k;
    }
    CHECK_INT(td_island_constrain(t.island, t.link, t.links, NULL), TD_OK);
    int64_t first = 0;
    double mean = 0; // they share the difference of 1 cm, and swing about the middle
    for (int k = 0; k < STEPS; k++) {
        CHECK_INT(td_island_step(t.island, &t.opts, NULL, 0, &t.stats, NULL), TD_OK);
        const td_constraint_report one = td_island_constraint(t.island, 0),
                                   other = td_island_constraint(t.island, 1);
        CHECK(one.unmet && other.unmet);
        CHECK_REL(one.error + other.error, 0.01, 1e-6);
        mean += one.error / STEPS;
        first = k == 0 ? t.stats.iterations : first;
    }
    const int64_t later = t.stats.iterations - first; // once it is known that they do
    CHECK_SAY(later < 15 * (STEPS - 1), "%d iterations", (int)later);
    CHECK_REL(mean, 0.005, 0.05);
    drop(&t);
}

// Iterations of 40 steps of a tree with sliders or with curves, whose bend is so many times that of
// the tangles; below 0 they bend towards the joint of the second side.
static int32_t iterations_with(td_constraint_kind kind, double bend, bool looks) {
    enum { BODIES = 20, LINKS = 3, STEPS = 40 };
    td_contact_opts contact = td_contact_opts_default();
    tdi_random random;
    td_diag diag = {.message = ""};
    tangle t = {.opts = td_step_opts_default()};
    tdi_random_seed(&random, 5);
    build(&t, &random, BODIES);
    t.link = calloc(LINKS, sizeof *t.link);
    t.curve = calloc(LINKS, sizeof *t.curve);
    t.links = LINKS;
    for (int32_t k = 0; k < LINKS; k++) {
        td_constraint *c = &t.link[k];
        *c = td_constraint_default(kind);
        c->actor[1] = 0;
        c->segment[0] = 2 + 5 * k;
        c->segment[1] = 5 + 5 * k;
        c->point[0] = tdi_vec3(0.001, 0.01, 0);
        c->as_found = true;
        give_slack(&t, c, k);
        const td_vec3 own = t.curve[k][1];
        for (int i = 0; i < CURVE && kind == TD_CONSTRAINT_CURVE; i++) {
            const double s = 0.004 * (i - 1);
            t.curve[k][i] = tdi_madd(t.curve[k][i], own, (bend - 1) * s * s / tdi_dot(own, own));
        }
    }
    t.opts.dt = 1.0 / 240;
    t.opts.tolerance = 1e-9;
    contact.self = false;
    CHECK_INT(td_island_new(&t.state, 1, looks ? &contact : NULL, 1, NULL, &t.island, &diag),
              TD_OK);
    CHECK_INT(td_island_constrain(t.island, t.link, LINKS, &diag), TD_OK);
    go(&t, STEPS);
    const int32_t count = (int32_t)t.stats.iterations;
    drop(&t);
    return count;
}

TD_TEST(tree_rows_on_curves_take_few_more_iterations_than_on_lines) {
    const int32_t lines = iterations_with(TD_CONSTRAINT_SLIDER, 0, false);
    for (int bend = -3; bend <= 3; bend++) {
        for (int looks = 0; looks < 2; looks++) {
            const int32_t curves = iterations_with(TD_CONSTRAINT_CURVE, bend, looks);
            CHECK_SAY(curves < 1.4 * lines, "%d, on lines %d, bend %d, %s", (int)curves, (int)lines,
                      bend, looks ? "complement" : "eliminated");
        }
    }
}
