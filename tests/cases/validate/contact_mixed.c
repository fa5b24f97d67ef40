// SPDX-License-Identifier: MIT
// Cases of trees and rods that touch: each other and themselves.
//
// Rests     a rod hung over a branch is carried by forces that add up to its weight.
// Collides  two floating trees: what one gains in momentum the other loses. Momentum is that of the
//           centres of mass, from one frame to the next, as backward Euler has it.
// Wound     a chain of segments is turned at its tip until it winds about itself. Gaps are measured
//           here by themselves, pair by pair.
// Slides    a hook on a leaning branch holds below the angle of friction and slides above it.
// Settled   the pose that is found at once is where long stepping leads.

#include "cases/validate/contact.h"

#include <math.h>

enum { MOST_STATES = 2, MOST_CONTACTS = 4096 };

// ---- what touches ---------------------------------------------------------------------------

// Up to two trees, or a tree and a rod, that are stepped together.
typedef struct mixed {
    val_body tree[MOST_STATES];
    val_body rod;
    double rod_mass;           // kg
    int32_t tree_count, count; // trees, and all; a rod comes last
    td_step_opts opts[MOST_STATES];
    td_island *island;
    const char *quantity; // what steps are for
} mixed;

static mixed mixed_empty(const char *quantity, double dt) {
    mixed x = {.quantity = quantity};
    for (int32_t k = 0; k < MOST_STATES; k++) {
        x.opts[k] = td_step_opts_default();
        x.opts[k].dt = dt;
        x.opts[k].integrator = TD_IMPLICIT_EULER;
    }
    return x;
}

static void mixed_free(mixed *x) {
    td_island_free(x->island);
    for (int32_t k = 0; k < x->tree_count; k++) {
        val_body_free(&x->tree[k]);
    }
    if (x->count > x->tree_count) {
        val_body_free(&x->rod);
    }
}

static void add_rod(val_report *report, mixed *x, const td_rod_def *def) {
    val_strand_new(report, def, NULL, &x->rod);
    x->count++;
    for (int32_t k = 1; k < def->vertex_count; k++) {
        x->rod_mass += def->density * VAL_PI * def->radius * def->radius *
                       td_vec3_norm(td_vec3_madd(def->points[k], def->points[k - 1], -1));
    }
}

static void mixed_ready(val_report *report, mixed *x, double friction, double creep) {
    td_body *refs[MOST_STATES];
    td_contact_opts opts = td_contact_opts_default();
    opts.friction = friction;
    opts.creep = creep;
    for (int32_t k = 0; k < x->count; k++) {
        refs[k] = k < x->tree_count ? x->tree[k].state : x->rod.state;
    }
    val_must(report, x->quantity, x->count,
             td_island_new(refs, x->count, &opts, 0, NULL, &x->island, &report->diag));
}

static void mixed_step(val_report *report, mixed *x) {
    val_must(report, x->quantity, x->count,
             td_island_step(x->island, x->opts, NULL, 0, NULL, &report->diag));
}

static void mixed_settle(val_report *report, mixed *x) {
    td_step_stats stats = {0};
    val_must(report, x->quantity, x->count,
             td_island_settle(x->island, x->opts, NULL, 0, &stats, &report->diag));
    val_must_rest(report, x->quantity, x->count, &stats);
}

// The force of all contacts on the rod, N.
static td_vec3 force_on_rod(const mixed *x, int32_t *count) {
    static td_contact list[MOST_CONTACTS];
    td_vec3 sum = {0, 0, 0};
    const int32_t rod = x->count - 1;
    *count = 0;
    int32_t all = td_island_contacts(x->island, list, MOST_CONTACTS);
    for (int32_t k = 0; k < all && k < MOST_CONTACTS; k++) {
        if ((list[k].actor == rod) != (list[k].other_actor == rod)) {
            sum = td_vec3_madd(sum, list[k].force, list[k].actor == rod ? 1 : -1);
            (*count)++;
        }
    }
    return sum;
}

// ---- branches and hooks ---------------------------------------------------------------------

#define WEIGHT        9.81 // m/s^2
#define BRANCH_LENGTH 0.6  // m
#define BRANCH_RADIUS 0.02 // m
#define BRANCH_PARTS  8

// A branch from the origin on, along +Y turned by `turn`.
static void add_branch(val_report *report, mixed *x, td_quat turn, double young) {
    td_material material = td_material_get(0);
    material.young = young;
    material.shear = 0;
    material.damping_time = 0.05;
    td_builder *builder = val_begin(report, TD_SPRING_CLAMPED, &material);
    for (int32_t i = 0; i < BRANCH_PARTS; i++) {
        td_segment_def def = td_segment_def_default();
        def.parent = i - 1;
        def.length = BRANCH_LENGTH / BRANCH_PARTS;
        def.radius_base = def.radius_tip = BRANCH_RADIUS;
        def.material = 1;
        if (i == 0) {
            def.rest = turn;
        }
        val_add(report, builder, &def);
    }
    val_tree_finish(report, builder, &x->tree[0]);
    x->tree_count = x->count = 1;
}

#define HOOK_EDGES  24
#define HOOK_RADIUS 0.004 // m
#define HOOK_SPAN   0.06  // m: half of it
#define HOOK_LEGS   0.08  // m

// An arch with two legs, across the branch and above it by a part of the hook's radius.
static void hook_points(td_vec3 at, td_vec3 *points) {
    const double whole = VAL_PI * HOOK_SPAN + 2 * HOOK_LEGS;
    for (int32_t k = 0; k <= HOOK_EDGES; k++) {
        double s = whole * ((double)k / HOOK_EDGES - 0.5);
        double a = fmin(fmax(s / HOOK_SPAN, -0.5 * VAL_PI), 0.5 * VAL_PI);
        double down = fabs(s) - HOOK_SPAN * fabs(a);
        points[k] =
            td_vec3_madd(at, (td_vec3){0, HOOK_SPAN * (cos(a) - 1) - down, HOOK_SPAN * sin(a)}, 1);
    }
}

static void add_hook(val_report *report, mixed *x, td_vec3 at) {
    td_vec3 points[HOOK_EDGES + 1];
    td_rod_def def = td_rod_def_default();
    hook_points(at, points);
    def.vertex_count = HOOK_EDGES + 1;
    def.points = points;
    def.radius = HOOK_RADIUS;
    def.young = 1e9;
    def.damping_time = 0.01;
    add_rod(report, x, &def);
}

// ---- a rod on a branch ----------------------------------------------------------------------

static void resting(val_report *report, double dt) {
    mixed x = mixed_empty("a rod on a branch", dt);
    const td_vec3 at = {0.4, BRANCH_RADIUS + 1.2 * HOOK_RADIUS, 0};
    add_branch(report, &x, val_level, 1e8);
    add_hook(report, &x, at);
    mixed_ready(report, &x, 0.5, 1e-3);
    for (int32_t k = 0; k < (int32_t)(4 / dt); k++) {
        mixed_step(report, &x);
    }
    int32_t count;
    td_vec3 force = force_on_rod(&x, &count), weight = {0, WEIGHT * x.rod_mass, 0};
    val_relative(report,
                 val_text(report, "force that a branch carries a rod by, N, dt 1/%.0f", 1 / dt),
                 count, force.y, weight.y, 1e-3);
    val_at_most(report, val_text(report, "force aside over weight, dt 1/%.0f", 1 / dt), count,
                hypot(force.x, force.z) / weight.y, 1e-3);
    mixed_free(&x);
}

// ---- two trees that float -------------------------------------------------------------------

#define FLOATER_PARTS 5

// A stem of three parts with two branches, not held, whose first joint is at `at`.
static void add_floater(val_report *report, mixed *x, td_vec3 at, td_vec3 lean) {
    static const int32_t parent[FLOATER_PARTS] = {TD_NONE, 0, 1, 0, 1};
    td_material material = td_material_get(0);
    material.young = 2e7;
    material.shear = 0;
    td_builder *builder = val_begin(report, TD_SPRING_CLAMPED, &material);
    for (int32_t i = 0; i < FLOATER_PARTS; i++) {
        td_segment_def def = td_segment_def_default();
        def.parent = parent[i];
        def.joint = i == 0 ? TD_JOINT_FREE : TD_JOINT_BALL;
        def.length = 0.15;
        def.radius_base = def.radius_tip = i < 3 ? 0.012 : 0.008;
        def.material = 1;
        def.rest = i == 0 ? val_turn(lean) : val_turn((td_vec3){0, 0, i < 3 ? 0.1 : 1 - 0.5 * i});
        val_add(report, builder, &def);
    }
    val_body *tree = &x->tree[x->tree_count];
    val_tree_finish(report, builder, tree);
    x->count = ++x->tree_count;
    double *q = td_tree_coords(tree->state);
    q[0] = at.x;
    q[1] = at.y;
    q[2] = at.z;
    td_tree_state_changed(tree->state);
}

// Mass times centre of mass, kg m.
static td_vec3 first_moment(const val_body *tree) {
    const td_segment *segments = td_skeleton_segments(tree->skeleton);
    td_vec3 sum = {0, 0, 0};
    for (int32_t i = 0; i < tree->n; i++) {
        td_vec3 centre = td_vec3_madd(
            td_body_origin(tree->state, i),
            td_quat_rotate(td_body_rotation(tree->state, i), segments[i].centre_of_mass), 1);
        sum = td_vec3_madd(sum, centre, segments[i].mass);
    }
    return sum;
}

static void colliding(val_report *report, double dt) {
    mixed x = mixed_empty("two trees that collide", dt);
    td_vec3 before[2], first[2] = {{0, 0, 0}, {0, 0, 0}};
    double exchanged = 0, lost = 0;
    add_floater(report, &x, (td_vec3){0, 0, 0}, (td_vec3){0, 0, 0});
    add_floater(report, &x, (td_vec3){0.15, 0.1, -0.1}, (td_vec3){1, 0.4, 0.2});
    mixed_ready(report, &x, 0.3, 1e-3);
    for (int32_t k = 0; k < 2; k++) {
        x.opts[k].gravity = (td_vec3){0, 0, 0};
        x.opts[k].tolerance = 1e-15;
        x.opts[k].iterations = 100;
        td_tree_velocities(x.tree[k].state)[0] = k == 0 ? 1 : -0.5; // m/s
        td_tree_state_changed(x.tree[k].state);
        before[k] = first_moment(&x.tree[k]);
    }
    for (int32_t k = 0; k < (int32_t)(0.5 / dt); k++) {
        mixed_step(report, &x);
        td_vec3 change[2];
        for (int32_t i = 0; i < 2; i++) {
            td_vec3 now = first_moment(&x.tree[i]);
            td_vec3 momentum =
                td_vec3_madd((td_vec3){0, 0, 0}, td_vec3_madd(now, before[i], -1), 1 / dt);
            first[i] = k == 0 ? momentum : first[i];
            change[i] = td_vec3_madd(momentum, first[i], -1);
            before[i] = now;
        }
        exchanged = fmax(exchanged, td_vec3_norm(change[0]));
        lost = val_worse(td_vec3_norm(td_vec3_madd(change[0], change[1], 1)), lost);
    }
    val_at_most(report, val_text(report, "0.05 N s over momentum exchanged, dt 1/%.0f", 1 / dt),
                2 * FLOATER_PARTS, 0.05 / exchanged, 1);
    val_at_most(report, val_text(report, "momentum lost over exchanged, dt 1/%.0f", 1 / dt),
                2 * FLOATER_PARTS, lost / exchanged, 1e-9);
    mixed_free(&x);
}

// ---- a tree wound up ------------------------------------------------------------------------

#define CORD_PARTS  60
#define CORD_LENGTH 1.0   // m
#define CORD_RADIUS 0.004 // m
#define CORD_NEAR   0.5   // m: how far from its base the tip is held
#define CORD_TIME   3.0   // s
#define CORD_TURNS  8
#define CORD_ARM    0.03 // m: of what holds the tip

// The least distance of two segments: of all pairs of a place on one and the nearest on the other,
// it is convex along the first.
static double axes_apart(const td_vec3 p[2], const td_vec3 q[2]) {
    double low = 0, high = 1, least = 0;
    while (high - low > 1e-9) {
        double at[2] = {low + (high - low) / 3, high - (high - low) / 3}, far[2];
        for (int k = 0; k < 2; k++) {
            td_vec3 x = td_vec3_madd(p[0], td_vec3_madd(p[1], p[0], -1), at[k]),
                    d = td_vec3_madd(q[1], q[0], -1);
            double t = td_vec3_dot(td_vec3_madd(x, q[0], -1), d) / td_vec3_dot(d, d);
            far[k] = td_vec3_norm(td_vec3_madd(x, td_vec3_madd(q[0], d, fmin(fmax(t, 0), 1)), -1));
        }
        low = far[0] < far[1] ? low : at[0];
        high = far[0] < far[1] ? at[1] : high;
        least = fmin(far[0], far[1]);
    }
    return least;
}

// The least gap of all parts that are more than half a girth from each other along the cord, and
// how many of them are close.
static double least_gap(const val_body *tree, int32_t *close) {
    const double part = CORD_LENGTH / CORD_PARTS, girth = 2 * VAL_PI * CORD_RADIUS;
    double least = 1;
    *close = 0;
    for (int32_t i = 0; i < tree->n; i++) {
        for (int32_t j = i + 2; j < tree->n; j++) {
            if ((j - i - 1) * part >= 0.5 * girth) {
                const td_vec3 p[2] = {td_body_origin(tree->state, i), td_body_tip(tree->state, i)},
                              q[2] = {td_body_origin(tree->state, j), td_body_tip(tree->state, j)};
                double gap = axes_apart(p, q) - 2 * CORD_RADIUS;
                least = isnan(gap) ? gap : fmin(gap, least);
                *close += gap < 0.2 * CORD_RADIUS;
            }
        }
    }
    return least;
}

static void add_cord(val_report *report, mixed *x) {
    td_material material = td_material_get(0);
    material.young = 2e6;
    material.shear = 0;
    material.damping_time = 0.02;
    td_builder *builder = val_begin(report, TD_SPRING_CLAMPED, &material);
    for (int32_t i = 0; i < CORD_PARTS; i++) {
        td_segment_def def = td_segment_def_default();
        def.parent = i - 1;
        def.length = CORD_LENGTH / CORD_PARTS;
        def.radius_base = def.radius_tip = CORD_RADIUS;
        def.material = 1;
        if (i == 0) {
            def.rest = val_level;
        }
        val_add(report, builder, &def);
    }
    val_tree_finish(report, builder, &x->tree[0]);
    x->tree_count = x->count = 1;
}

// Springs that hold the tip at a place and from turning: at four points of a cross.
static void hold_tip(td_load loads[4], td_vec3 at) {
    for (int k = 0; k < 4; k++) {
        const double x = k < 2 ? CORD_ARM * (1 - 2 * k) : 0, z = k < 2 ? 0 : CORD_ARM * (5 - 2 * k);
        loads[k] =
            (td_load){.kind = TD_LOAD_SPRING,
                      .segment = CORD_PARTS - 1,
                      .point = {x, CORD_LENGTH / CORD_PARTS, z},
                      .vector = td_vec3_madd(at, td_quat_rotate(val_level, (td_vec3){x, 0, z}), 1),
                      .stiffness = 100,
                      .damping = 0.5};
    }
}

// The base turns while the tip comes nearer.
static void wound(val_report *report, double dt) {
    mixed x = mixed_empty("a tree wound up", dt);
    td_load loads[4];
    double overlap = -1;
    int32_t close = 0;
    x.opts[0].gravity = (td_vec3){0, -1, 0};
    x.opts[0].loads = loads;
    x.opts[0].load_count = 4;
    add_cord(report, &x);
    mixed_ready(report, &x, 0.1, 1e-3);
    for (double t = 0; t < CORD_TIME - 0.5 * dt; t += dt) {
        const double spin = 2 * VAL_PI * CORD_TURNS / CORD_TIME;
        const double in = (CORD_LENGTH - CORD_NEAR) * fmin(2 * (t + dt) / CORD_TIME, 1);
        hold_tip(loads, (td_vec3){CORD_LENGTH - in, 0, 0});
        case_must(
            td_body_set_base(x.tree[0].state,
                             &(td_base_motion){.rotation = val_turn((td_vec3){spin * t, 0, 0}),
                                               .spin = {spin, 0, 0}},
                             NULL));
        mixed_step(report, &x);
        overlap = val_worse(-least_gap(&x.tree[0], &close) / CORD_RADIUS, overlap);
    }
    val_not_above(report,
                  val_text(report, "overlap over radius at most, wound tree, dt 1/%.0f", 1 / dt),
                  CORD_PARTS, overlap, 0);
    val_at_most(
        report,
        val_text(report, "%d over pairs that touch, wound tree, dt 1/%.0f", CORD_TURNS, 1 / dt),
        CORD_PARTS, (double)CORD_TURNS / close, 1);
    mixed_free(&x);
}

// ---- a rod on a leaning branch --------------------------------------------------------------

#define SLIDE_FRICTION 0.3
#define SLIDE_CREEP    1e-4 // m/s
#define SLIDE_WAY      3e-3 // m: what goes less far holds

// The mean of the hook's vertices along the branch, m.
static double hook_place(const mixed *x, double c, double s) {
    td_vec3 sum = {0, 0, 0};
    for (int32_t v = 0; v <= HOOK_EDGES; v++) {
        sum = td_vec3_madd(sum, td_rod_position(x->rod.state, v), 1.0 / (HOOK_EDGES + 1));
    }
    return sum.x * c - sum.y * s;
}

// How far a hook goes in a second on a branch that leans by `angle`, m, after a while in which it
// comes to hang straight.
static double hook_way(val_report *report, double dt, double angle) {
    mixed x = mixed_empty("a rod on a leaning branch", dt);
    const double far = 0.3, off = BRANCH_RADIUS + 1.1 * HOOK_RADIUS, c = cos(angle), s = sin(angle);
    const td_vec3 at = {far * c + off * s, -far * s + off * c, 0};
    const td_quat turn = val_turn((td_vec3){0, 0, -0.5 * VAL_PI - angle});
    const int32_t steps = (int32_t)(1 / dt + 0.5);
    double from = 0;
    add_branch(report, &x, turn, 1e11);
    add_hook(report, &x, at);
    mixed_ready(report, &x, SLIDE_FRICTION, SLIDE_CREEP);
    for (int32_t k = 0; k < steps + steps / 2; k++) {
        from = k == steps / 2 ? hook_place(&x, c, s) : from;
        mixed_step(report, &x);
    }
    double way = hook_place(&x, c, s) - from;
    mixed_free(&x);
    return way;
}

// Holds or slides: the angle between them by bisection. A hundredth above it the hook goes 14 mm.
static void sliding(val_report *report, double dt) {
    double low = atan(0.9 * SLIDE_FRICTION), high = atan(1.1 * SLIDE_FRICTION);
    double below = hook_way(report, dt, low), above = hook_way(report, dt, high);
    for (int k = 0; k < 6; k++) {
        double middle = 0.5 * (low + high), way = hook_way(report, dt, middle);
        low = way > SLIDE_WAY ? low : middle;
        high = way > SLIDE_WAY ? middle : high;
    }
    val_at_most(report, val_text(report, "m in a second, slope of 0.9 mu, dt 1/%.0f", 1 / dt),
                HOOK_EDGES, below, SLIDE_WAY);
    val_not_above(report,
                  val_text(report, "3 mm less way in a second, slope of 1.1 mu, dt 1/%.0f", 1 / dt),
                  HOOK_EDGES, SLIDE_WAY - above, 0);
    val_relative(report, val_text(report, "slope at which a rod slides off, dt 1/%.0f", 1 / dt),
                 HOOK_EDGES, tan(0.5 * (low + high)), SLIDE_FRICTION, 0.02);
}

// ---- settled, or stepped --------------------------------------------------------------------

#define VINE_EDGES  40
#define VINE_LENGTH 0.8   // m
#define VINE_RADIUS 0.004 // m
#define LONG        6.0   // s

// A rod clamped beside and above a branch, across which it leans.
static void leaning(val_report *report, mixed *x) {
    td_vec3 points[VINE_EDGES + 1];
    td_rod_def def = td_rod_def_default();
    for (int32_t v = 0; v <= VINE_EDGES; v++) {
        points[v] = (td_vec3){0.4, 0.03, VINE_LENGTH * v / VINE_EDGES - 0.3};
    }
    def.vertex_count = VINE_EDGES + 1;
    def.points = points;
    def.radius = VINE_RADIUS;
    def.young = 1e9;
    def.damping_time = 0.05;
    def.start = TD_END_CLAMPED;
    add_branch(report, x, val_level, 2e8);
    add_rod(report, x, &def);
    mixed_ready(report, x, 0, 1e-3);
}

static double poses_apart(const mixed *a, const mixed *b) {
    double most = 0;
    for (int32_t i = 0; i < BRANCH_PARTS; i++) {
        td_vec3 d =
            td_vec3_madd(td_body_tip(a->tree[0].state, i), td_body_tip(b->tree[0].state, i), -1);
        most = val_worse(td_vec3_norm(d), most);
    }
    for (int32_t v = 0; v <= VINE_EDGES; v++) {
        td_vec3 d =
            td_vec3_madd(td_rod_position(a->rod.state, v), td_rod_position(b->rod.state, v), -1);
        most = val_worse(td_vec3_norm(d), most);
    }
    return most;
}

static void settled(val_report *report, double dt) {
    mixed one = mixed_empty("a rod that settles on a branch", dt), other = one;
    leaning(report, &one);
    leaning(report, &other);
    mixed_settle(report, &one);
    for (int32_t k = 0; k < (int32_t)(LONG / dt + 0.5); k++) {
        mixed_step(report, &other);
    }
    int32_t count;
    force_on_rod(&one, &count);
    val_at_most(report, "1 over contacts of the settled pose", VINE_EDGES, 1.0 / count, 1);
    val_at_most(report, val_text(report, "settled against stepped, m, dt 1/%.0f", 1 / dt),
                VINE_EDGES, poses_apart(&one, &other), 1e-4);
    mixed_free(&one);
    mixed_free(&other);
}

// ---- entry ----------------------------------------------------------------------------------

void val_contact_mixed(val_report *report) {
    const double steps[] = {1.0 / 60, 1.0 / 240};
    for (int k = 0; k < 2; k++) {
        resting(report, steps[k]);
        colliding(report, steps[k]);
        wound(report, steps[k]);
        sliding(report, steps[k]);
        settled(report, steps[k]);
        val_progress(report, (k + 1) / 2.0);
    }
}
