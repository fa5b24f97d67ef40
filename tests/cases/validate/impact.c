// SPDX-License-Identifier: MIT
// Impacts of trees: impulses with known answers, several at once, and energy of random ones.

#include "cases/validate/validate.h"

#include <math.h>

#define RANDOM_IMPACTS 1000
#define MOST_HITS      4

// ---- rods -----------------------------------------------------------------------------------

// Thin rods of 1 m and 1 kg, hanging from each other; the first from the origin, or free.
static void build(val_report *report, int32_t count, td_joint_kind root, td_quat turn,
                  val_body *tree) {
    td_material material = td_material_get(0);
    td_builder *builder = val_begin(report, TD_SPRING_CLAMPED, &material);
    *tree = (val_body){.skeleton = NULL};
    for (int32_t i = 0; i < count; i++) {
        td_segment_def def = val_thin_rod(i > 0 ? TD_JOINT_HINGE : root, 1, 1);
        def.parent = i - 1;
        def.attach_at_tip = i > 0;
        def.rest = i > 0 ? def.rest : turn;
        def.axis = (td_vec3){0, 0, 1};
        val_add(report, builder, &def);
    }
    val_tree_finish(report, builder, tree);
}

static td_analytic *open_impact(val_report *report, const val_body *tree, td_impact_law law,
                                const char *what) {
    td_analytic_opts opts = td_analytic_opts_default();
    td_analytic *analytic = NULL;
    opts.law = law;
    val_must(report, what, 0,
             td_analytic_new(&tree->state, 1, NULL, 0, &opts, NULL, &analytic, &report->diag));
    return analytic;
}

static void strike(val_report *report, val_body *tree, td_impact_law law, td_hit *hits,
                   int32_t count, double *kept, const char *what) {
    td_analytic *analytic = open_impact(report, tree, law, what);
    val_must(report, what, count, td_analytic_impact(analytic, hits, count, kept, &report->diag));
    td_analytic_free(analytic);
}

// ---- one rod --------------------------------------------------------------------------------

// A rod that fell from level, at a stop by its middle: I (1 + e) w = p l/2, and the hinge gives
// what the change of momentum leaves.
static void hinged_rod(val_report *report, td_impact_law law) {
    const double rate = 5.4249423960;
    const bool newton = law == TD_IMPACT_NEWTON;
    val_body tree;
    build(report, 1, TD_JOINT_HINGE, val_hanging, &tree);
    td_hit hit = {.point = {0, 0.5, 0}, .normal = {-1, 0, 0}, .restitution = 0.5};
    td_vec3 before, after, angular;
    td_tree_velocities(tree.state)[0] = rate;
    td_tree_state_changed(tree.state);
    td_body_momentum(tree.state, &before, &angular);
    if (before.x < 0) { // which way a hinge counts is not of interest here
        hit.normal.x = 1;
    }
    strike(report, &tree, law, &hit, 1, NULL, "a rod at a stop");
    td_body_momentum(tree.state, &after, &angular);
    const double p = fabs(hit.impulse.x), hinge = after.x - before.x - hit.impulse.x;
    val_relative(report, newton ? "rod at a stop: impulse, N s, Newton" : "the same, Poisson", 1, p,
                 5.4249423960, 1e-10);
    val_relative(report, newton ? "rod at a stop: of the hinge" : "the same, Poisson", 1,
                 fabs(hinge), 1.3562355990, 1e-9);
    val_relative(report, newton ? "rod at a stop: rate after" : "the same, Poisson", 1,
                 td_tree_velocities(tree.state)[0], -0.5 * rate, 1e-12);
    val_body_free(&tree);
}

// ---- two rods -------------------------------------------------------------------------------

// Straight, with rates w and w + z: by M = m l^2 [4/3 1/2; 1/2 1/3] and J = (l, l) an impulse p at
// the tip changes the rates by (-6/7, 30/7) p/(m l), and the tip by 24/7 p/m.
static void double_pendulum(val_report *report) {
    const double w = 1.3, z = 0.7, e = 0.4;
    val_body tree;
    build(report, 2, TD_JOINT_HINGE, val_hanging, &tree);
    td_vec3 momentum, angular;
    double *v = td_tree_velocities(tree.state);
    v[0] = w;
    v[1] = z;
    td_tree_state_changed(tree.state);
    td_body_momentum(tree.state, &momentum, &angular);
    const double sign = momentum.x < 0 ? -1 : 1, tip = 2 * w + z, p = (1 + e) * tip * 7 / 24;
    td_hit hit = {.segment = 1, .point = {0, 1, 0}, .normal = {-sign, 0, 0}, .restitution = e};
    strike(report, &tree, TD_IMPACT_NEWTON, &hit, 1, NULL, "two rods");
    v = td_tree_velocities(tree.state);
    val_relative(report, "two rods hit at the tip: impulse, N s", 2, -sign * hit.impulse.x, p,
                 1e-12);
    val_relative(report, "two rods hit at the tip: upper rate", 2, v[0], w + 6.0 / 7 * p, 1e-12);
    val_relative(report, "two rods hit at the tip: lower rate", 2, v[0] + v[1],
                 w + z - 30.0 / 7 * p, 1e-12);
    val_body_free(&tree);
}

// ---- both ends ------------------------------------------------------------------------------

// A free rod that falls level, or turning, on both of its ends: both speeds are given back.
static void both_ends(val_report *report, double spin) {
    val_body tree;
    build(report, 1, TD_JOINT_FREE, val_level, &tree);
    td_hit hits[2] = {{.normal = {0, 1, 0}, .restitution = 0.5},
                      {.point = {0, 1, 0}, .normal = {0, 1, 0}, .restitution = 0.5}};
    double *v = td_tree_velocities(tree.state);
    v[1] = -2;
    v[5] = spin;
    td_tree_state_changed(tree.state);
    strike(report, &tree, TD_IMPACT_NEWTON, hits, 2, NULL, "both ends");
    double worst = 0, sum = 0, fell = 0;
    for (int k = 0; k < 2; k++) {
        worst = val_worse(fabs(hits[k].after + 0.5 * hits[k].before), worst);
        sum += hits[k].impulse.y;
        fell += 0.5 * hits[k].before;
    }
    const char *how = spin > 0 ? "turning" : "level";
    val_at_most(report, val_text(report, "a rod on both ends, %s: speeds, m/s", how), 2, worst,
                1e-12);
    val_relative(report, val_text(report, "a rod on both ends, %s: impulses, N s", how), 2, sum,
                 -1.5 * fell, 1e-12);
    val_body_free(&tree);
}

// ---- random ---------------------------------------------------------------------------------

typedef struct impact_tally {
    int32_t count, reduced;
    double rise, into, least;
} impact_tally;

static void random_impact(val_report *report, val_random *random, td_impact_law law,
                          impact_tally *t) {
    val_body tree;
    val_wild wild = val_stout;
    td_hit hits[MOST_HITS];
    const td_vec3 none = {0, 0, 0};
    const int32_t count = 1 + val_below(random, MOST_HITS);
    double kept = 1;
    wild.most = 20;
    wild.floating = val_below(random, 2) == 0;
    val_wild_build(report, random, &wild, &tree);
    val_wild_start(random, &tree, 1, 5);
    for (int32_t k = 0; k < count; k++) {
        const td_vec3 n = val_in_ball(random, 1);
        const double length = sqrt(n.x * n.x + n.y * n.y + n.z * n.z);
        hits[k] = (td_hit){.segment = val_below(random, tree.n),
                           .point = val_in_ball(random, 0.1),
                           .normal = {n.x / length, n.y / length, n.z / length},
                           .friction = val_below(random, 2) * val_uniform(random, 0, 1.5),
                           .restitution = val_uniform(random, 0, 1)};
    }
    const double before = td_body_energy(tree.state, none).kinetic;
    strike(report, &tree, law, hits, count, &kept, "random impacts");
    const double after = td_body_energy(tree.state, none).kinetic;
    t->count++;
    t->reduced += kept < 1;
    t->least = fmin(t->least, kept);
    t->rise = val_worse((after - before) / fmax(before, 1e-12), t->rise);
    for (int32_t k = 0; k < count; k++) {
        t->into = val_worse(-hits[k].after, t->into);
    }
    val_body_free(&tree);
}

static void random_impacts(val_report *report) {
    val_random random = {33};
    impact_tally tally[2] = {{.rise = -1, .least = 1}, {.rise = -1, .least = 1}};
    for (int32_t k = 0; k < RANDOM_IMPACTS; k++) {
        const td_impact_law law = k % 2 ? TD_IMPACT_POISSON : TD_IMPACT_NEWTON;
        random_impact(report, &random, law, &tally[k % 2]);
        val_progress(report, (double)k / RANDOM_IMPACTS);
    }
    for (int k = 0; k < 2; k++) {
        const impact_tally *t = &tally[k];
        const char *law = k ? "Poisson" : "Newton";
        val_not_above(report, val_text(report, "energy gained over that before, random, %s", law),
                      t->count, t->rise, 1e-12);
        val_not_above(report, val_text(report, "speed into obstacles after, m/s, random, %s", law),
                      t->count, t->into, 1e-7);
        val_at_most(report, val_text(report, "share with less restitution, random, %s", law),
                    t->reduced, (double)t->reduced / t->count, 0.1);
    }
}

void val_impact(val_report *report) {
    hinged_rod(report, TD_IMPACT_NEWTON);
    hinged_rod(report, TD_IMPACT_POISSON);
    double_pendulum(report);
    both_ends(report, 0);
    both_ends(report, 1);
    random_impacts(report);
}
