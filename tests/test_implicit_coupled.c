// SPDX-License-Identifier: MIT
// Rods that touch, solved by one factor of the whole. Pairs with src/implicit/coupled.c.

#include "cases/dense.h"
#include "test_coupling.h"
#include "test_rod_shapes.h"
#include "test_world_support.h"

#include "implicit/body_contact.h"
#include "rod/implicit.h"
#include "world/world.h"

#define RADIUS 0.005 // m, of all rods here

enum { MOST_RODS = 3, MOST_NODES = 128, PAIR = 2 };

// ---- two layers -----------------------------------------------------------------------------

// The same rods twice, the second over the first at a gap of a tenth of the radius.
typedef struct layers {
    rods rod[PAIR];
    td_step_opts opts[PAIR];
    tdi_member member[PAIR];
    tdi_body_contact *contact;
    tdi_system system;
    void *began;
} layers;

typedef struct layer_def {
    td_rod_def rod[MOST_RODS];
    td_vec3 points[MOST_RODS][32];
    int32_t count;
    td_rod_body body;
    int32_t body_count;
} layer_def;

static td_rod_def *add_rod(layer_def *d, int32_t vertices) {
    td_rod_def *rod = &d->rod[d->count];
    *rod = td_rod_def_default();
    rod->vertex_count = vertices;
    rod->points = d->points[d->count++];
    rod->radius = RADIUS;
    rod->young = 1e6;
    rod->damping_time = 0.01;
    return rod;
}

static void layers_open(const layer_def *def, layers *y) {
    td_contact_opts opts = td_contact_opts_default();
    opts.rolling = 0.3;
    for (int k = 0; k < PAIR; k++) {
        layer_def d = *def;
        for (int32_t j = 0; j < d.count; j++) {
            d.rod[j].points = d.points[j];
            for (int32_t v = 0; v < d.rod[j].vertex_count; v++) {
                d.points[j][v].y += 2.1 * RADIUS * k;
                d.points[j][v].x += 0.3 * RADIUS * k;
            }
        }
        y->rod[k] = rods_new(d.rod, d.count, &d.body, d.body_count);
        y->opts[k] = td_step_opts_default();
        y->opts[k].gravity = tdi_vec3(1, k == 0 ? -3 : -9.81, 0.5);
        y->opts[k].dt = 0.01;
        y->member[k] = (tdi_member){.body = y->rod[k].state, .opts = &y->opts[k]};
    }
    CHECK_INT(tdi_body_contact_new(y->member, PAIR, &opts, 0, NULL, &y->contact, NULL), TD_OK);
    y->system = (tdi_system){.member = y->member, .count = PAIR, .contact = y->contact};
    y->began = malloc(tdi_system_memory(&y->system));
}

static void layers_close(layers *y) {
    free(y->began);
    tdi_body_contact_free(y->contact);
    for (int k = 0; k < PAIR; k++) {
        rods_free(y->rod[k]);
    }
}

static layer_def straight(void) {
    layer_def d = {0};
    td_rod_def *rod = add_rod(&d, 24);
    straight_line(d.points[0], 24, tdi_vec3(0, 0, 0), tdi_vec3(0.3, 0, 0));
    rod->start = TD_END_CLAMPED;
    rod->end = TD_END_PINNED;
    return d;
}

static layer_def ring_of(int32_t vertices) {
    layer_def d = {0};
    add_rod(&d, vertices)->closed = true;
    for (int32_t k = 0; k < vertices; k++) {
        td_real a = 2 * 3.14159265358979323846 * k / vertices;
        d.points[0][k] = tdi_vec3(0.06 * cos(a), 0, 0.06 * sin(a));
    }
    return d;
}

// A stem with two branches, and something heavy at the end of one.
static layer_def branching(void) {
    layer_def d = {0};
    add_rod(&d, 10)->start = TD_END_CLAMPED;
    straight_line(d.points[0], 10, tdi_vec3(0, 0, 0), tdi_vec3(0.2, 0, 0));
    for (int k = 0; k < 2; k++) {
        td_rod_def *rod = add_rod(&d, 6);
        const td_vec3 at = d.points[0][3 + 3 * k];
        rod->parent_rod = 0;
        rod->parent_vertex = 3 + 3 * k;
        straight_line(d.points[1 + k], 6, at, tdi_add(at, tdi_vec3(0.05, 0, k ? 0.1 : -0.1)));
    }
    d.body = (td_rod_body){.rod = 1,
                           .edge = 4,
                           .mass = 0.002,
                           .centre_of_mass = {0, 0.004, 0.001},
                           .second_moment = {1e-7, 2e-7, 1e-7, 0, 0, 0}};
    d.body_count = 1;
    return d;
}

// ---- one iteration --------------------------------------------------------------------------

// To where contact has been evaluated in the first iteration of a step.
static void begin_iteration(layers *y) {
    const tdi_rule rule = {.dt = 0.01, .h = 0.01, .part = 1, .in_contact = true};
    for (int k = 0; k < PAIR; k++) {
        tdi_state_begin(y->rod[k].state, &y->opts[k], &rule);
    }
    CHECK_INT(tdi_body_contact_begin(y->contact, &y->system, rule.dt, rule.h, 0, 1, NULL), TD_OK);
    CHECK_INT(tdi_body_contact_evaluate(y->contact, &y->system, false, false, NULL), TD_OK);
    CHECK(y->contact->terms.couples_capsules);
}

static void factor_bodies(layers *y, bool blocks, bool with_driven) {
    const tdi_model model = {.keep_factors = true, .with_driven = with_driven, .blocks = blocks};
    for (int k = 0; k < PAIR; k++) {
        tdi_rod_implicit.clear(y->rod[k].state);
    }
    tdi_body_contact_add_stiffness(&y->system);
    for (int k = 0; k < PAIR; k++) {
        CHECK_INT(tdi_rod_implicit.factor(y->rod[k].state, &model), TDI_POSITIVE);
    }
}

static int32_t read_increments(const layers *y, td_real *x) {
    int32_t count = 0;
    for (int k = 0; k < PAIR; k++) {
        for (int32_t i = 0; i < tdi_as_rod_model(y->rod[k].model)->node_count; i++) {
            memcpy(x + count, tdi_as_rod(y->rod[k].state)->step[i].x, 4 * sizeof *x);
            count += 4;
        }
    }
    return count;
}

enum { MOST_PLACES = 2 * MOST_NODES }; // points, and turns of capsules after them

typedef td_real square[3 * MOST_PLACES][3 * MOST_PLACES];

static int32_t place_count(const layers *y) {
    return y->contact->point_count + y->contact->capsule_count;
}

// C, of all contacts between the layers
static void fill_coupling(const layers *y, square c) {
    int32_t count, slipping = 0, rolling = 0;
    const tdi_contact *list = tdi_contacts_list(y->contact->set, &count);
    memset(c, 0, sizeof(square));
    for (int32_t i = 0; i < count; i++) {
        const bool slips = list[i].row.arm[0] > 0;
        slipping += slips && !list[i].rolling;
        rolling += slips && list[i].rolling && list[i].hessian.xx > 0;
        test_add_coupling(&list[i], y->contact->point_count, c[0], 3 * MOST_PLACES);
    }
    CHECK(slipping > 0 && rolling > 0);
}

static void push(layers *y, int32_t place, td_vec3 force) {
    const tdi_body_contact *t = y->contact;
    const int32_t i = place - t->point_count, k = i < 0 ? t->point_owner[place] : t->owner[i];
    tdi_state_apply_forces(y->rod[k].state,
                           i < 0 ? tdi_nodes(place - t->first_point[k], 1)
                                 : tdi_rotation_of(i - t->first_capsule[k]),
                           &force);
}

static void read_turns(const layers *y, bool response, td_vec3 *moved) {
    const tdi_body_contact *t = y->contact;
    for (int32_t i = 0; i < t->capsule_count; i++) {
        const int32_t k = t->owner[i];
        tdi_state_motions(y->rod[k].state, tdi_rotation_of(i - t->first_capsule[k]), response,
                          &moved[t->point_count + i]);
    }
}

static void respond(layers *y, td_vec3 *moved) {
    for (int k = 0; k < PAIR; k++) {
        tdi_state_respond(y->rod[k].state);
        tdi_state_motions(y->rod[k].state, tdi_all_nodes(y->rod[k].state), true,
                          moved + y->contact->first_point[k]);
    }
    read_turns(y, true, moved);
}

// m = I + W C, by the response W of the bodies to forces at their points and moments on their turns
static void fill_woodbury(layers *y, square c, square m) {
    const int32_t n = 3 * place_count(y);
    memset(m, 0, sizeof(square));
    for (int32_t q = 0; q < n; q++) {
        td_vec3 moved[MOST_PLACES];
        push(y, q / 3, tdi_vec3(q % 3 == 0, q % 3 == 1, q % 3 == 2));
        respond(y, moved);
        for (int32_t i = 0; i < n; i++) {
            const td_real w = (&moved[i / 3].x)[i % 3];
            for (int32_t j = 0; w != 0 && j < n; j++) {
                m[i][j] += w * c[q][j];
            }
        }
        m[q][q] += 1;
    }
}

// The motion y of all points solves y = y0 - W C y, where y0 is that without coupling; the
// increments then are those that the forces -C y add.
static void solve_by_responses(layers *y) {
    static square c, m;
    td_vec3 moved[MOST_PLACES];
    td_real none = 0, *x = &moved[0].x;
    const int32_t n = 3 * place_count(y);
    for (int k = 0; k < PAIR; k++) {
        tdi_rod_implicit.solve(y->rod[k].state, (tdi_solving){0}, &none);
        tdi_state_motions(y->rod[k].state, tdi_all_nodes(y->rod[k].state), false,
                          moved + y->contact->first_point[k]);
    }
    read_turns(y, false, moved);
    fill_coupling(y, c);
    fill_woodbury(y, c, m);
    dense_eliminate(m[0], 3 * MOST_PLACES, x, n);
    for (int32_t p = 0; p < n / 3; p++) {
        td_real f[3] = {0};
        for (int32_t k = 0; k < 3 * n; k++) {
            f[k / n] -= c[3 * p + k / n][k % n] * x[k % n];
        }
        push(y, p, tdi_vec3(f[0], f[1], f[2]));
    }
    td_vec3 answer[MOST_PLACES];
    respond(y, answer);
    for (int k = 0; k < PAIR; k++) {
        tdi_rod_implicit.add_response(y->rod[k].state);
    }
}

// Both ways lose some six digits to the stiffness of edges against stretch.
static void claim_increments(const layer_def *def, bool with_driven, const char *name) {
    layers y;
    td_real got[4 * MOST_NODES], want[4 * MOST_NODES], off = 0, size = 0, predicted_decrease = 0;
    layers_open(def, &y);
    if (with_driven) {
        td_body *top = y.rod[1].state;
        const td_quat turn = tdi_quat_turn(tdi_vec3(1, 0, 0), 0.1);
        CHECK(td_rod_set_end(top, 0, false,
                             tdi_add(td_rod_position(top, 0), tdi_vec3(0.002, 0, 0.001)),
                             tdi_quat_mul(turn, td_body_rotation(top, 0)), NULL) == TD_OK);
    }
    begin_iteration(&y);
    if (!CHECK_SAY(tdi_coupled_choose(&y.system), "%s: there is no factor", name)) {
        layers_close(&y);
        return;
    }
    factor_bodies(&y, true, with_driven);
    tdi_coupled_open(&y.system);
    CHECK(tdi_coupled_factor(&y.system));
    tdi_coupled_solve(&y.system, &predicted_decrease);
    for (int32_t k = 0; k < PAIR; k++) {
        tdi_coupled_update_increments(&y.system, k);
    }
    const int32_t count = read_increments(&y, got);
    factor_bodies(&y, false, with_driven);
    solve_by_responses(&y);
    read_increments(&y, want);
    for (int32_t k = 0; k < count; k++) {
        off = fmax(off, fabs(got[k] - want[k]));
        size = fmax(size, fabs(want[k]));
    }
    CHECK_SAY(size > 1e-5 && off <= 1e-9 * size, "%s: off by %g of %g", name, off, size);
    CHECK(predicted_decrease > 0);
    layers_close(&y);
}

TD_TEST(coupled_rods_factored_as_one_have_the_increments_of_bodies_that_respond_to_each_other) {
    const layer_def chain = straight(), tree = branching();
    claim_increments(&chain, false, "chain");
    claim_increments(&chain, true, "chain whose end moves");
    claim_increments(&tree, false, "branches");
    claim_increments(&tree, true, "branches whose stem moves");
    for (int32_t vertices = 3; vertices <= 12; vertices += vertices < 6 ? 1 : 6) {
        const layer_def ring = ring_of(vertices);
        claim_increments(&ring, false, "ring");
    }
}

// ---- steps ----------------------------------------------------------------------------------

typedef enum way { FACTOR, FACTOR_AND_FORGET, GRADIENTS, NO_ROOM } way;

// Places after some steps. `used`: a factor was.
static int32_t places_after(const layer_def *def, way by, int32_t steps_taken, td_vec3 *x,
                            bool *used) {
    layers y;
    td_step_stats stats = {0};
    layers_open(def, &y);
    tdi_coupled *whole = y.contact->solve.coupled;
    whole->node_limit = by == GRADIENTS ? 0 : whole->node_limit;
    whole->sparse->block_limit = by == NO_ROOM ? 60 : whole->sparse->block_limit;
    *used = false;
    for (int32_t k = 0; k < steps_taken; k++) {
        whole->pair_count = by == FACTOR_AND_FORGET ? TD_NONE : whole->pair_count;
        CHECK_INT(tdi_system_step(&y.system, y.began, NULL, &stats, NULL), TD_OK);
        *used = *used || whole->fits;
    }
    const int32_t count = y.contact->point_count;
    for (int k = 0; k < PAIR; k++) {
        tdi_state_positions(y.rod[k].state, tdi_all_nodes(y.rod[k].state), false,
                            x + y.contact->first_point[k]);
    }
    layers_close(&y);
    return count;
}

// Two ways lead to the same bits, and both use one factor, or neither does.
static void check_same_bits(way one, way other, bool factor) {
    const layer_def chain = straight();
    td_vec3 a[MOST_NODES], b[MOST_NODES];
    bool used[2];
    const int32_t count = places_after(&chain, one, 20, a, &used[0]);
    places_after(&chain, other, 20, b, &used[1]);
    CHECK(used[0] == factor && used[1] == factor);
    CHECK(memcmp(a, b, (size_t)count * sizeof *a) == 0);
}

TD_TEST(coupled_rods_step_to_the_same_bits_whether_the_order_was_kept_or_not) {
    check_same_bits(FACTOR, FACTOR_AND_FORGET, true);
}

TD_TEST(coupled_rods_whose_factor_has_no_room_are_solved_by_conjugate_gradients) {
    check_same_bits(GRADIENTS, NO_ROOM, false);
}

// Steps are solved to 1e-4 m by default: both ways within that, which twenty steps may add up.
TD_TEST(coupled_rods_step_alike_by_a_factor_and_by_conjugate_gradients) {
    const layer_def chain = straight();
    td_vec3 a[MOST_NODES], b[MOST_NODES];
    td_real off = 0;
    bool used[2];
    const int32_t count = places_after(&chain, FACTOR, 20, a, &used[0]);
    places_after(&chain, GRADIENTS, 20, b, &used[1]);
    CHECK(used[0] && !used[1]);
    for (int32_t k = 0; k < count; k++) {
        off = fmax(off, tdi_norm(tdi_sub(a[k], b[k])));
    }
    CHECK_IN(off, 0, 1e-4);
}

// Two bundles of three strands, a metre apart: two islands. The third of each is heavier and lies
// on the others.
TD_TEST(coupled_rods_in_worlds_have_the_same_bits_for_any_threads) {
    char text[4000];
    int length = snprintf(text, sizeof text, "{contact: {}, objects: [");
    for (int k = 0; k < 6; k++) {
        length += snprintf(text + length, sizeof text - (size_t)length,
                           "{name: s%d, solver: rod, start: drawn, position: [%d, %g, %g],\n"
                           " strand: {points: [[0, 0, 0], [0.4, 0, 0]], segments: 24,\n"
                           "  radius: 0.005, density: %d, end: {held: clamped}}},\n",
                           k, k / 3, k % 3 == 2 ? 0.5091 : 0.5, 0.0105 * (k % 3 == 2 ? 0.5 : k % 3),
                           k % 3 == 2 ? 20000 : 1000);
    }
    snprintf(text + length, sizeof text - (size_t)length, "]}");
    OWNED(stage) one = stage_of(text);
    steps(one.world, 30);
    CHECK_INT(one.world->islands.count, 2);
    CHECK(one.world->islands.all[0].contact->solve.coupled->fits &&
          one.world->islands.all[1].contact->solve.coupled->fits);
    check_threads(text, NULL, 30);
}
