// SPDX-License-Identifier: MIT
// Many constraints between segments of one rod, and of it and of small bodies: solved with the rod
// in one factor, or, where rods offer no blocks, by the Schur complement. Both are one answer.

#include "test_rod_shapes.h"

#include "rod/implicit.h"

#include <float.h>

enum { MOST_LINKS = 500, MOST_STATES = 32 };

#define PITCH 0.02 // m, of vertices

// A rod in zigzags, held at its start, with a plank below every fourth edge.
typedef struct ladder {
    rods rod, plank[MOST_STATES];
    int32_t planks, links;
    td_constraint link[MOST_LINKS];
    td_step_opts opts[MOST_STATES + 1];
    td_island *island;
    td_step_stats stats;
} ladder;

static td_rod_def def_of(const td_vec3 *points, int32_t count, td_end_kind start) {
    td_rod_def d = td_rod_def_default();
    d.points = points;
    d.vertex_count = count;
    d.radius = 0.004;
    d.young = 1e7;
    d.damping_time = 0.01;
    d.start = start;
    return d;
}

static td_constraint join(td_constraint_kind kind, int32_t a, int32_t i, int32_t b, int32_t j) {
    td_constraint c = td_constraint_default(kind);
    c.actor[0] = a;
    c.segment[0] = i;
    c.actor[1] = b;
    c.segment[1] = j;
    c.as_found = true;
    return c;
}

// Bars from every third edge to the next; planks are welded at one end and hang on a bar at the
// other.
static void add_links(ladder *l, int32_t edges) {
    for (int32_t i = 0; i + 3 < edges; i += 3) {
        l->link[l->links++] = join(TD_CONSTRAINT_DISTANCE, 0, i, 0, i + 3);
    }
    for (int32_t k = 0; k < l->planks; k++) {
        l->link[l->links++] = join(TD_CONSTRAINT_WELD, 1 + k, 0, 0, 4 * k + 1);
        l->link[l->links++] = join(TD_CONSTRAINT_DISTANCE, 1 + k, 1, 0, 4 * k + 3);
    }
}

// A rod alone is welded to itself, as it is, from every edge to the next.
static void add_welds(ladder *l, int32_t edges) {
    for (int32_t i = 0; i + 1 < edges; i++) {
        l->link[l->links++] = join(TD_CONSTRAINT_WELD, 0, i, 0, i + 1);
    }
}

// How rods take part: with their blocks, the same with contact, or by their responses.
typedef enum part { BLOCKS, CONTACT, RESPONSES } part;

static void make(ladder *l, int32_t edges, int32_t planks, part by) {
    static tdi_implicit responding;
    td_vec3 points[MOST_POINTS];
    td_body *refs[MOST_STATES + 1];
    td_contact_opts contact = td_contact_opts_default();
    td_diag diag = {.message = ""};
    *l = (ladder){.planks = planks};
    for (int32_t k = 0; k <= edges; k++) {
        points[k] = tdi_vec3(PITCH * k, k % 2 ? 0.3 * PITCH : 0, 0);
    }
    td_rod_def def = def_of(points, edges + 1, TD_END_CLAMPED);
    l->rod = rods_new(&def, 1, NULL, 0);
    refs[0] = l->rod.state;
    for (int32_t k = 0; k < planks; k++) {
        const td_vec3 ends[3] = {{PITCH * (4 * k + 1), -0.03, 0},
                                 {PITCH * (4 * k + 2), -0.03, 0.01},
                                 {PITCH * (4 * k + 3), -0.03, 0}};
        def = def_of(ends, 3, TD_END_FREE);
        l->plank[k] = rods_new(&def, 1, NULL, 0);
        refs[1 + k] = l->plank[k].state;
    }
    for (int32_t k = 0; k <= planks; k++) {
        l->opts[k] = td_step_opts_default();
        l->opts[k].dt = 1.0 / 240;
        l->opts[k].tolerance = 1e-9;
    }
    (planks > 0 ? add_links : add_welds)(l, edges);
    responding = tdi_rod_implicit;
    responding.blocks = NULL;
    for (int32_t k = 0; by == RESPONSES && k <= planks; k++) {
        refs[k]->ops = &responding;
    }
    contact.self = false;
    CHECK_INT(td_island_new(refs, 1 + planks, by == CONTACT ? &contact : NULL, 1, NULL, &l->island,
                            &diag),
              TD_OK);
    const td_status status = td_island_constrain(l->island, l->link, l->links, &diag);
    CHECK_SAY(status == TD_OK, "%s", diag.message);
}

static void go(ladder *l, int steps) {
    td_diag diag = {.message = ""};
    for (int k = 0; k < steps; k++) {
        const td_status status = td_island_step(l->island, l->opts, NULL, 0, &l->stats, &diag);
        CHECK_SAY(status == TD_OK, "%s", diag.message);
    }
    for (int32_t k = 0; k < l->links; k++) {
        const double error = td_island_constraint(l->island, k).error;
        CHECK_SAY(error < 1e-8, "link %d is off by %g", k, error);
    }
}

static void drop(ladder *l) {
    td_island_free(l->island);
    rods_free(l->rod);
    for (int32_t k = 0; k < l->planks; k++) {
        rods_free(l->plank[k]);
    }
}

// Apart by the tolerance of steps.
TD_TEST(rod_with_many_links_moves_as_with_the_complement) {
    ladder one, other;
    make(&one, 60, 12, BLOCKS);
    make(&other, 60, 12, RESPONSES);
    go(&one, 30);
    go(&other, 30);
    double apart = 0;
    for (int32_t k = 0; k < 60; k++) {
        apart =
            fmax(apart,
                 tdi_norm(tdi_sub(td_body_tip(one.rod.state, k), td_body_tip(other.rod.state, k))));
    }
    CHECK_SAY(apart < 1e-7, "%g m apart", apart);
    const double moved = tdi_norm(tdi_sub(td_body_tip(one.rod.state, 59), tdi_vec3(1.2, 0, 0)));
    CHECK_SAY(moved > 0.02, "%g m is no test", moved);
    drop(&one);
    drop(&other);
}

// Three bonds a weld.
TD_TEST(rod_may_have_a_thousand_links_with_contact_and_without) {
    ladder l;
    make(&l, 400, 0, BLOCKS);
    go(&l, 2);
    drop(&l);
    make(&l, 400, 0, CONTACT);
    go(&l, 2);
    drop(&l);
}

// How far a long rod that is held, and tried with moves that grow along it to this length, is from
// where its places are led to.
static double way_off(td_real most, tdi_rod_way way) {
    enum { EDGES = 5000 };
    FREED td_vec3 *points = calloc(EDGES + 1, sizeof *points);
    for (int32_t k = 0; k <= EDGES; k++) {
        points[k] = tdi_vec3(1000 + PITCH * k, k % 2 ? 0.3 * PITCH : 0, 0);
    }
    const td_rod_def def = def_of(points, EDGES + 1, TD_END_CLAMPED);
    const td_constraint end = td_constraint_default(TD_CONSTRAINT_POINT);
    ladder l = {.rod = rods_new(&def, 1, NULL, 0)};
    td_body *s = l.rod.state;
    td_body *ref = s;
    CHECK_INT(td_island_new(&ref, 1, NULL, 0, NULL, &l.island, NULL), TD_OK);
    CHECK_INT(td_island_constrain(l.island, &end, 1, NULL), TD_OK);
    const int32_t nodes = tdi_as_rod_model(s->model)->node_count;
    memcpy(tdi_as_rod(s)->pose_back, tdi_as_rod(s)->pose,
           (size_t)nodes * sizeof *tdi_as_rod(s)->pose);
    for (int32_t i = 0; i < nodes; i++) {
        tdi_as_rod(s)->step[i] =
            (tdi_rod_step){.x = {0.5 * most * i / nodes, -most * i / nodes, 0, 0}};
    }
    tdi_rod_try(tdi_as_rod(s), 1, way);
    double worst = 0;
    for (int32_t i = 0; i < nodes; i++) {
        const td_real *x = tdi_as_rod(s)->step[i].x;
        const td_vec3 want = tdi_add(tdi_as_rod(s)->pose_back[i].x, tdi_vec3(x[0], x[1], x[2]));
        worst = fmax(worst, tdi_norm(tdi_sub(tdi_as_rod(s)->pose[i].x, want)));
    }
    drop(&l);
    return worst;
}

// Turned one after the other, edges would add up their roundings.
TD_TEST(rod_that_is_held_follows_slight_increments_to_rounding) {
    const double off = way_off(2e-9, TDI_TURNING);
    CHECK_SAY(off <= 1100 * DBL_EPSILON, "%g m off", off);
}

// And their errors of second order, by which places that are held would be left at the end of long
// rods. Far guesses keep the lengths of edges.
TD_TEST(rod_that_is_held_follows_its_guess_to_rounding) {
    const double off = way_off(5e-3, TDI_KEEPING), far = way_off(1, TDI_KEEPING);
    CHECK_SAY(off <= 1100 * DBL_EPSILON, "%g m off", off);
    CHECK_SAY(far > 1e-6, "%g m off", far);
}
