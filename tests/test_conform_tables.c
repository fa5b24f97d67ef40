// SPDX-License-Identifier: MIT
// What solvers owe who offer an optional table: claims of joints, statics, modes, blocks, transfer
// and reduction, each for every solver that has the table. Those of contact, points and rows are
// beside those of Newton's method.

#include "test_conform_opened.h"

#include "implicit/modal.h"
#include "reduce/reduced.h"
#include "solver/solver.h"

#include <math.h>
#include <string.h>

enum { MOST = 64 };

// A claim of the solvers for which the condition holds; there are some.
#define TABLE_TEST(name, condition)                        \
    static void each_##name(const tdi_solver *solver);     \
    static void offered_##name(const tdi_solver *solver) { \
        if (condition) {                                   \
            offers++;                                      \
            each_##name(solver);                           \
        }                                                  \
    }                                                      \
    TD_TEST(name) {                                        \
        offers = 0;                                        \
        for_all_solvers(offered_##name);                   \
        CHECK(offers > 0);                                 \
    }                                                      \
    static void each_##name(const tdi_solver *solver)

static int32_t offers;

static void settle(const subject *s, td_vec3 gravity) {
    td_step_opts opts = td_step_opts_default();
    opts.gravity = gravity;
    CHECK_INT(tdi_body_settle(s->state, &opts, NULL, NULL), TD_OK);
}

// Another state of a model, as drawn.
static td_body *state_of(const subject *s, const td_body_model *model) {
    td_body *state = NULL;
    CHECK_INT(s->solver->state_new(model, NULL, &state, NULL), TD_OK);
    return state;
}

// ---- joints ---------------------------------------------------------------------------------

TABLE_TEST(conform_joints_are_those_of_the_skeleton, solver->implicit->joints) {
    OWNED(subject) s = subject_new(solver, HELD, NULL);
    const tdi_joint_ops *ops = solver->implicit->joints;
    int32_t next = 0;
    for (int32_t i = 0; i < s.count; i++) {
        const tdi_joint j = ops->joint(s.state, i);
        CHECK_SAY(j.kind == s.segments[i].joint && j.dof == next, "%s: joint %d", s.name, (int)i);
        CHECK_SAY(j.inertia.x > 0 && j.inertia.y > 0 && j.inertia.z > 0, "%s: inertia %d", s.name,
                  (int)i);
        next += 3; // balls
    }
    CHECK_INT(next, s.model->dof_count);
}

// ---- rows -----------------------------------------------------------------------------------

// How far a row goes, n.(a - b), by the increments or by the last answer.
static td_real row_goes(const opened *o, const tdi_point ends[2], td_vec3 n, bool response) {
    td_vec3 dx[2];
    tdi_state_motions(o->body, tdi_points_of(ends, 2), response, dx);
    return tdi_dot(n, tdi_sub(dx[0], dx[1]));
}

// A row r of compliance c leaves the Hessian H - r r^T/c: with w = r.H^-1 r, r.x becomes c/(c - w)
// times as large, and the decrease g.H^-1 g larger by (r.x)^2/(c - w).
TABLE_TEST(conform_rows_within_a_body_subtract_their_square, solver->implicit->rows) {
    const tdi_row_ops *ops = solver->implicit->rows;
    const td_vec3 n = {0.6, 0.48, -0.64};
    opened o;
    td_real most;
    open_step(solver, 0.01, &o);
    const int32_t segments[1][2] = {{1, o.s.count - 1}};
    tdi_point ends[2];
    for (int k = 0; k < 2; k++) {
        const int32_t i = segments[0][k];
        ends[k] =
            (tdi_point){.kind = TDI_POINT_POSITION, .segment = i, .local = o.s.segments[i].tip};
    }
    const tdi_point *const points[2] = {&ends[0], &ends[1]};
    const td_vec3 pull[2] = {n, tdi_scale(n, -1)};
    const td_vec3 *const sees[2] = {&pull[0], &pull[1]};
    clear(&o);
    factor(&o);
    const td_real decrease = solve(&o, &most), goes = row_goes(&o, ends, n, false);
    tdi_state_apply_forces(o.body, tdi_points_of(ends, 2), pull);
    tdi_state_respond(o.body);
    const td_real w = row_goes(&o, ends, n, true), c = 2 * w, over = 1 / (c - w);
    tdi_rows *rows = ops->make(o.body, segments, 1, NULL);
    clear(&o);
    ops->use(o.body, rows);
    ops->set(o.body, 0, 1, points, sees, &c);
    factor(&o);
    const td_real left = solve(&o, &most);
    CHECK_SAY(w > 0 && fabs(goes) > 1e-9, "%s: the row does not move", o.s.name);
    CHECK_REL(row_goes(&o, ends, n, false), goes * c * over, 1e-9);
    CHECK_REL(left, decrease + goes * goes * over, 1e-9);
    ops->free(rows);
    close_step(&o);
}

// ---- statics --------------------------------------------------------------------------------

// As drawn nothing bends; at rest under weight something does, with a moment in proportion to the
// stiffness.
TABLE_TEST(conform_segments_bend_with_a_moment_of_their_springs, tdi_statics_of(solver)->bending) {
    OWNED(subject) s = subject_new(solver, HELD, NULL);
    const tdi_statics_ops *ops = tdi_statics_of(solver);
    td_real most = 0;
    for (int after = 0; after < 2; after++) {
        for (int32_t i = 0; i < s.count; i++) {
            td_vec3 turn, once, alone, twice;
            ops->bending(s.state, i, 1, &turn, &once);
            ops->bending(s.state, i, 2, NULL, &twice);
            ops->bending(s.state, i, 2, &alone, NULL);
            CHECK_SAY(after || (tdi_norm(turn) < 1e-9 && tdi_norm(once) < 1e-9),
                      "%s: segment %d bends as drawn", s.name, (int)i);
            CHECK_SAY(distance(twice, tdi_scale(once, 2)) <= 1e-12 * tdi_norm(twice) &&
                          distance(alone, turn) == 0,
                      "%s: moment or turn of segment %d", s.name, (int)i);
            most = fmax(most, fmin(tdi_norm(once), tdi_norm(turn)));
        }
        settle(&s, down);
    }
    CHECK_SAY(most > 1e-4, "%s: nothing bends under its weight", s.name);
}

TABLE_TEST(conform_welded_segments_do_not_bend, tdi_statics_of(solver)->bending) {
    if (solver == &test_toy) {
        return; // it has one segment
    }
    OWNED(subject) s = subject_new(solver, LADEN, NULL);
    td_vec3 turn, moment;
    settle(&s, down);
    tdi_statics_of(solver)->bending(s.state, s.count, 1, &turn, &moment);
    CHECK_SAY(tdi_norm(turn) == 0 && tdi_norm(moment) == 0, "%s: turns by %g rad, moment %g Nm",
              s.name, tdi_norm(turn), tdi_norm(moment));
}

// Moved and moved back, the potential has the same bits; moved against its weight it is higher by
// what that works.
TABLE_TEST(conform_perturbed_poses_come_back_with_the_same_bits,
           tdi_statics_of(solver)->perturb_pose) {
    opened o;
    open_step(solver, 0.01, &o);
    const tdi_statics_ops *ops = o.ops->statics;
    const tdi_rigid up = {tdi_quat_identity(), {0, 0.01, 0}};
    ops->perturb_pose(o.body, NULL);
    const td_real before = o.ops->value(o.body, false);
    ops->perturb_pose(o.body, &up);
    const td_real there = o.ops->value(o.body, false);
    ops->perturb_pose(o.body, NULL);
    CHECK_SAY(o.ops->value(o.body, false) == before && there != before,
              "%s: the pose does not come back, or did not go", o.s.name);
    close_step(&o);
}

TABLE_TEST(conform_little_is_unbalanced_at_rest, tdi_statics_of(solver)->residual) {
    OWNED(subject) s = subject_new(solver, HELD, NULL);
    const td_real drawn = tdi_statics_of(solver)->residual(s.state, down);
    settle(&s, down);
    const td_real rest = tdi_statics_of(solver)->residual(s.state, down);
    CHECK_SAY(drawn > 0 && rest < 1e-7 * drawn, "%s: %g is left of %g", s.name, rest, drawn);
}

TABLE_TEST(conform_springs_at_ease_have_no_energy, tdi_statics_of(solver)->to_rest_shape) {
    OWNED(subject) s = subject_new(solver, HELD, NULL);
    settle(&s, down);
    const td_real bent = solver->sums(s.state, down).energy.elastic;
    tdi_statics_of(solver)->to_rest_shape(s.state);
    CHECK_SAY(bent > 0 && solver->sums(s.state, down).energy.elastic < 1e-12 * bent,
              "%s: springs are not at ease", s.name);
}

// How far the last tip goes from where it is drawn.
static td_real droop(const tdi_solver *solver, td_body *state, int32_t segment) {
    const td_vec3 drawn = tdi_solver_tip(solver, state, segment);
    td_step_opts opts = td_step_opts_default();
    opts.gravity = down;
    CHECK_INT(tdi_body_settle(state, &opts, NULL, NULL), TD_OK);
    return distance(tdi_solver_tip(solver, state, segment), drawn);
}

TABLE_TEST(conform_models_drawn_at_rest_stay_there, tdi_statics_of(solver)->rest_new) {
    OWNED(subject) s = subject_new(solver, HELD, NULL);
    td_body_model *model = NULL;
    CHECK_INT(tdi_statics_of(solver)->rest_new(s.model, down, NULL, &model, NULL), TD_OK);
    td_body *state = state_of(&s, model);
    const td_real as_drawn = droop(solver, s.state, s.count - 1),
                  at_rest = droop(solver, state, s.count - 1);
    CHECK_SAY(as_drawn > 1e-3 && at_rest < 1e-3 * as_drawn, "%s: %g of %g m are left", s.name,
              at_rest, as_drawn);
    tdi_state_free(state);
    tdi_model_free(model);
}

// Springs four times as stiff let the tip down a good deal less, and back again as before.
TABLE_TEST(conform_stiffer_springs_bend_less, tdi_statics_of(solver)->stiffen) {
    static const td_real by[] = {1, 4, 1};
    OWNED(subject) s = subject_new(solver, HELD, NULL);
    FREED void *parameters = malloc(s.model->parameter_bytes);
    td_real way[3];
    memcpy(parameters, s.model->parameters, s.model->parameter_bytes);
    for (int k = 0; k < 3; k++) {
        tdi_statics_of(solver)->stiffen(s.model, parameters, by[k], by[k]);
        td_body *state = state_of(&s, s.model);
        way[k] = droop(solver, state, s.count - 1);
        tdi_state_free(state);
    }
    CHECK_SAY(way[1] < 0.5 * way[0] && way[2] == way[0], "%s: %g, %g and %g m", s.name, way[0],
              way[1], way[2]);
}

// ---- modes ----------------------------------------------------------------------------------

static td_real product(const td_real *x, const td_real *y, int32_t n) {
    td_real sum = 0;
    for (int32_t k = 0; k < n; k++) {
        sum += x[k] * y[k];
    }
    return sum;
}

static bool agree(td_real a, td_real b, td_real scale) {
    return fabs(a - b) <= 1e-9 * scale;
}

// K and M are symmetric, M is positive, and diagonal() returns their diagonal; respond() inverts
// K + shift M.
static void check_pencil(const char *name, const tdi_modal *ops, void *tangent, int32_t n) {
    enum { SHIFT = 100 };
    td_real x[MOST], y[MOST], kx[MOST], ky[MOST], mx[MOST], my[MOST], light[MOST], back[MOST];
    for (int32_t k = 0; k < n; k++) {
        x[k] = sin(1.0 + 3 * k);
        y[k] = cos(2.0 * k);
    }
    ops->stiffness(tangent, x, kx);
    ops->stiffness(tangent, y, ky);
    ops->inertia(tangent, x, mx);
    ops->inertia(tangent, y, my);
    ops->diagonal(tangent, light);
    CHECK_SAY(agree(product(y, kx, n), product(x, ky, n), fabs(product(x, kx, n))),
              "%s: K is not symmetric", name);
    CHECK_SAY(agree(product(y, mx, n), product(x, my, n), product(x, mx, n)) &&
                  product(x, mx, n) > 0,
              "%s: M is not symmetric and positive", name);
    for (int32_t k = 0; k < n; k++) {
        td_real unit_of[MOST] = {0};
        unit_of[k] = 1;
        ops->inertia(tangent, unit_of, back);
        CHECK_SAY(agree(back[k], light[k], light[k]), "%s: %d of the diagonal is %g, not %g", name,
                  (int)k, light[k], back[k]);
    }
    if (!CHECK_SAY(ops->factor(tangent, SHIFT), "%s: K + shift M is not positive", name)) {
        return;
    }
    for (int32_t k = 0; k < n; k++) {
        back[k] = kx[k] + SHIFT * mx[k];
    }
    ops->respond(tangent, back);
    for (int32_t k = 0; k < n; k++) {
        CHECK_SAY(agree(back[k], x[k], 100), "%s: respond() gives %g for %g", name, back[k], x[k]);
    }
}

TABLE_TEST(conform_small_motions_have_symmetric_operators_with_inverses,
           tdi_statics_of(solver)->modal) {
    OWNED(subject) s = subject_new(solver, HELD, NULL);
    const tdi_modal *ops = tdi_statics_of(solver)->modal;
    td_real tangent[MOST];
    td_mode modes[3];
    tdi_layout l = {NULL, 0};
    settle(&s, down);
    const int32_t n = ops->open(tangent, s.state, &l);
    FREED char *block = calloc(1, l.used);
    l = (tdi_layout){block, 0};
    CHECK(ops->bytes <= sizeof tangent && n <= MOST && n == s.model->dof_count);
    ops->open(tangent, s.state, &l);
    ops->expand(tangent, down, NULL, 0, NULL);
    check_pencil(s.name, ops, tangent, n);
    CHECK_INT(tdi_modes_alone(s.state, down, 3, modes, NULL, NULL), TD_OK);
    CHECK_SAY(modes[0].frequency > 0 && modes[0].frequency <= modes[1].frequency &&
                  modes[1].frequency <= modes[2].frequency,
              "%s: frequencies %g, %g, %g", s.name, modes[0].frequency, modes[1].frequency,
              modes[2].frequency);
}

TABLE_TEST(conform_lowest_modes_have_the_damping_ratio_that_was_asked_for,
           tdi_statics_of(solver)->damped_new &&tdi_statics_of(solver)->modal) {
    OWNED(subject) s = subject_new(solver, HELD, NULL);
    td_damping_opts opts = td_damping_opts_default();
    td_body_model *model = NULL;
    td_mode mode;
    opts.kind = TD_DAMPING_RATIO;
    opts.value = 0.05;
    opts.gravity = down;
    CHECK_INT(tdi_statics_of(solver)->damped_new(s.model, &opts, NULL, &model, NULL), TD_OK);
    td_body *state = state_of(&s, model);
    droop(solver, state, s.count - 1);
    CHECK_INT(tdi_modes_alone(state, down, 1, &mode, NULL, NULL), TD_OK);
    CHECK_SAY(fabs(mode.damping_ratio - 0.05) < 1e-4, "%s: the ratio is %g", s.name,
              mode.damping_ratio);
    tdi_state_free(state);
    tdi_model_free(model);
}

// ---- blocks ---------------------------------------------------------------------------------

// A tip moves as the unknowns of its nodes do that it names.
TABLE_TEST(conform_rows_of_points_say_how_these_move, solver->implicit->blocks) {
    opened o;
    open_step(solver, 0.01, &o);
    td_real most;
    td_vec3 dx[MOST_POINTS];
    clear(&o);
    factor(&o);
    solve(&o, &most);
    tdi_state_motions(o.body, tdi_all_nodes(o.body), false, dx);
    for (int32_t i = 0; i < o.s.count; i++) {
        const tdi_point tip = {TDI_POINT_POSITION, i, o.s.segments[i].tip, {0, 0, 0}};
        int32_t node[TDI_POINT_NODES];
        td_real rows[TDI_POINT_NODES][3][4], off = 0;
        td_vec3 moved, sum = {0, 0, 0};
        const int32_t count = o.ops->blocks->rows(o.body, &tip, node, rows);
        tdi_state_motions(o.body, tdi_points_of(&tip, 1), false, &moved);
        for (int32_t k = 0; k < count; k++) {
            const td_vec3 x = dx[node[k]];
            const td_vec3 part = {rows[k][0][0] * x.x + rows[k][0][1] * x.y + rows[k][0][2] * x.z,
                                  rows[k][1][0] * x.x + rows[k][1][1] * x.y + rows[k][1][2] * x.z,
                                  rows[k][2][0] * x.x + rows[k][2][1] * x.y + rows[k][2][2] * x.z};
            sum = tdi_add(sum, part);
            off += fabs(rows[k][0][3]) + fabs(rows[k][1][3]) + fabs(rows[k][2][3]);
        }
        CHECK_SAY(count > 0 && off < 1e-12 && distance(sum, moved) <= 1e-9 * most,
                  "%s: tip %d moves by %g m more than its rows say", o.s.name, (int)i,
                  distance(sum, moved));
    }
    close_step(&o);
}

// ---- transfer -------------------------------------------------------------------------------

// A state that inherits from one with the same segments is where that is, and goes where it goes.
TABLE_TEST(conform_what_inherits_all_segments_goes_on_alike, tdi_transfer_of(solver)->inherit) {
    OWNED(subject) s = subject_new(solver, HELD, NULL);
    const td_step_opts opts = exact_opts(0.002, TD_IMPLICIT);
    tdi_segment_source same[MOST];
    step_times(&s, &opts, 20);
    subject heir = s;
    heir.state = state_of(&s, s.model);
    for (int32_t i = 0; i < s.count; i++) {
        same[i] = (tdi_segment_source){i, 0, 1};
    }
    solver->set_base(heir.state, &s.state->base);
    tdi_transfer_of(solver)->inherit(heir.state, s.state, same);
    const td_real apart = distance(last_tip(&heir), last_tip(&s));
    step_times(&s, &opts, 1);
    step_times(&heir, &opts, 1);
    const td_real later = distance(last_tip(&heir), last_tip(&s));
    CHECK_SAY(apart < 1e-9 && later < 1e-5, "%s: %g m apart, and %g a step later", s.name, apart,
              later);
    tdi_state_free(heir.state);
}

TABLE_TEST(conform_springs_are_read_as_they_are_written, tdi_transfer_of(solver)->springs) {
    OWNED(subject) s = subject_new(solver, HELD, NULL);
    const tdi_transfer_ops *ops = tdi_transfer_of(solver);
    const int32_t count = ops->springs(s.model, 0, false, (td_real[TDI_SPRINGS]){0});
    CHECK_SAY(count > 0 && count <= TDI_SPRINGS, "%s: %d numbers", s.name, (int)count);
    for (int32_t i = 0; i < s.count; i++) {
        td_real own[TDI_SPRINGS], other[TDI_SPRINGS], back[TDI_SPRINGS];
        CHECK_INT(ops->springs(s.model, i, false, own), count);
        for (int32_t k = 0; k < count; k++) {
            other[k] = own[k] + 1;
        }
        ops->springs(s.model, i, true, other);
        ops->springs(s.model, i, false, back);
        const bool taken = memcmp(back, own, (size_t)count * sizeof *own) != 0;
        ops->springs(s.model, i, true, own);
        ops->springs(s.model, i, false, back);
        CHECK_SAY(taken && memcmp(back, own, (size_t)count * sizeof *own) == 0,
                  "%s: springs of segment %d", s.name, (int)i);
    }
}

// Of a piece, and of a plant that has grown.
TABLE_TEST(conform_next_models_have_the_capsules_of_those_before_them,
           tdi_transfer_of(solver)->next_new) {
    OWNED(subject) s = subject_new(solver, HELD, NULL);
    const td_body_opts with = {.law = TD_LAW_DEFAULT};
    tdi_segment_source same[MOST];
    tdi_capsule was[MOST], is[MOST];
    for (int32_t i = 0; i < s.count; i++) {
        same[i] = (tdi_segment_source){i, 0, 1};
    }
    CHECK_IN(s.state->capsule_count, 1, MOST);
    solver->implicit->contact->capsules(s.state, was);
    for (int grown = 0; grown < 2; grown++) {
        td_body_model *model = NULL;
        CHECK_INT(tdi_transfer_of(solver)->next_new(s.model, s.skeleton, s.skeleton, same,
                                                    grown ? &with : NULL, (tdi_factors){1, 1}, NULL,
                                                    &model, NULL),
                  TD_OK);
        td_body *next = state_of(&s, model);
        CHECK_INT(next->capsule_count, s.state->capsule_count);
        solver->implicit->contact->capsules(next, is);
        for (int32_t k = 0; k < next->capsule_count; k++) {
            CHECK_SAY(is[k].radius == was[k].radius && is[k].a == was[k].a && is[k].b == was[k].b &&
                          is[k].body == was[k].body,
                      "%s: capsule %d has radius %g, and had %g", s.name, (int)k, is[k].radius,
                      was[k].radius);
        }
        tdi_state_free(next);
        tdi_model_free(model);
    }
}

// The next model of all segments equals the first, and so does the model restored from its bytes.
TABLE_TEST(conform_next_models_bend_as_those_before_them, tdi_transfer_of(solver)->next_new) {
    OWNED(subject) s = subject_new(solver, HELD, NULL);
    const tdi_transfer_ops *ops = tdi_transfer_of(solver);
    tdi_segment_source same[MOST];
    td_body_model *model[2] = {NULL, NULL};
    for (int32_t i = 0; i < s.count; i++) {
        same[i] = (tdi_segment_source){i, 0, 1};
    }
    CHECK_INT(ops->next_new(s.model, s.skeleton, s.skeleton, same, NULL, (tdi_factors){1, 1}, NULL,
                            &model[0], NULL),
              TD_OK);
    const size_t size = ops->pack(model[0], NULL);
    FREED char *bytes = malloc(size);
    ops->pack(model[0], bytes);
    CHECK_INT(ops->unpack(s.skeleton, bytes, size, NULL, &model[1], NULL), TD_OK);
    const td_real way = droop(solver, s.state, s.count - 1);
    for (int k = 0; k < 2; k++) {
        td_body *state = state_of(&s, model[k]);
        const td_real own = droop(solver, state, s.count - 1);
        CHECK_SAY(fabs(own - way) < 1e-6 * way, "%s: model %d droops by %g m, not %g", s.name, k,
                  own, way);
        tdi_state_free(state);
    }
    tdi_model_free(model[1]);
    tdi_model_free(model[0]);
}

// A model that is twice as stiff as its skeleton has taken the springs of that already.
TABLE_TEST(conform_springs_that_a_model_has_change_nothing, tdi_transfer_of(solver)->take_springs) {
    OWNED(subject) s = subject_new(solver, HELD, NULL);
    FREED void *parameters = malloc(s.model->parameter_bytes);
    td_real way[2];
    memcpy(parameters, s.model->parameters, s.model->parameter_bytes);
    tdi_statics_of(solver)->stiffen(s.model, parameters, 2, 2);
    for (int k = 0; k < 2; k++) {
        td_body *state = state_of(&s, s.model);
        way[k] = droop(solver, state, s.count - 1);
        tdi_state_free(state);
        CHECK_INT(tdi_transfer_of(solver)->take_springs(s.model, s.skeleton, s.skeleton, 0, s.count,
                                                        (tdi_factors){2, 2}, NULL),
                  TD_OK);
    }
    CHECK_SAY(fabs(way[1] - way[0]) < 1e-6 * way[0], "%s: %g m, before %g", s.name, way[1], way[0]);
}

// ---- reduction ------------------------------------------------------------------------------

TABLE_TEST(conform_reduced_bodies_give_all_joints_back_where_they_are, solver->reduced_of) {
    OWNED(subject) s = subject_new(solver, HELD, NULL);
    td_reduce_opts wrong = td_reduce_opts_default();
    td_reduce_stats stats;
    td_vec3 at[MOST], before, air[TDI_AIR_POINTS];
    int32_t count = 0;
    const td_step_opts opts = exact_opts(0.005, TD_IMPLICIT);
    wrong.error = -1;
    CHECK_INT(td_reduced_set(s.state, &wrong, NULL), TD_ERR_ARGUMENT);
    step_times(&s, &opts, 10);
    const int32_t *segments = tdi_reduced_wind_segments(s.state, &count, at);
    CHECK_SAY(count >= 1 && count <= s.count, "%s: wind at %d segments", s.name, (int)count);
    for (int32_t k = 0; k < count; k++) {
        CHECK_SAY(tdi_finite3(at[k]) && segments[k] >= 0 && segments[k] < s.count,
                  "%s: wind at segment %d", s.name, (int)segments[k]);
    }
    const int32_t points = tdi_reduced_air_points(s.state, air);
    CHECK_SAY(points >= 1 && points <= TDI_AIR_POINTS, "%s: air at %d points", s.name, (int)points);
    before = last_tip(&s);
    tdi_reduced_free_joints(s.state);
    stats = td_reduced_get_stats(s.state);
    CHECK_SAY(stats.joints == s.count && stats.frozen + stats.quasistatic + stats.joined == 0,
              "%s: %d of %d joints move by themselves", s.name, (int)stats.joints, (int)s.count);
    CHECK_SAY(distance(last_tip(&s), before) < 1e-9, "%s: a tip jumps by %g m", s.name,
              distance(last_tip(&s), before));
    for (int32_t i = 0; i < s.count; i++) {
        CHECK_SAY(td_reduced_modes(s.state)[i] == TD_REDUCE_OWN &&
                      td_reduced_cluster(s.state, i) == i,
                  "%s: joint %d", s.name, (int)i);
    }
}

// At rest without wind tips sway less than the error allows. A stopped body keeps its pose, and
// moves again after it wakes.
TABLE_TEST(conform_what_waits_stays_where_it_is, solver->reduced_of) {
    OWNED(subject) s = subject_new(solver, HELD, NULL);
    td_reduce_opts allowed_error = td_reduce_opts_default();
    const td_step_opts opts = exact_opts(0.005, TD_IMPLICIT);
    td_vec3 still[TDI_AIR_POINTS] = {{0, 0, 0}};
    td_real allowed = -1;
    allowed_error.error = 0.01;
    CHECK_INT(td_reduced_set(s.state, &allowed_error, NULL), TD_OK);
    settle(&s, opts.gravity);
    const td_real sway = tdi_reduced_sway(s.state, &opts, still, &allowed);
    CHECK_SAY(sway >= 0 && sway < allowed, "%s: %g m of %g", s.name, sway, allowed);
    const td_vec3 before = last_tip(&s);
    tdi_reduced_stop(s.state, sway);
    CHECK_SAY(distance(last_tip(&s), before) < 1e-9, "%s: what stops moves", s.name);
    tdi_reduced_wake(s.state, &opts, still);
    step_times(&s, &opts, 2);
    CHECK_SAY(distance(last_tip(&s), before) < 0.01, "%s: what wakes jumps by %g m", s.name,
              distance(last_tip(&s), before));
}
