// SPDX-License-Identifier: MIT
// Finding pairs, against all pairs; and what is refused. Pairs with src/contact/broad.c and
// contacts.c.

#include "contact/broad.h"
#include "test_contact_support.h"

enum { COUNT = 700, COLLIDERS = 5 };

typedef struct crowd {
    tdi_capsule capsule[COUNT];
    td_vec3 x[2 * COUNT], dx[2 * COUNT];
    td_collider collider[COLLIDERS];
} crowd;

// lengths and radii over five powers of ten when `unlike`
static void draw_crowd(crowd *w, uint64_t seed, bool unlike) {
    tdi_random random = random_of(seed);
    for (int32_t i = 0; i < COUNT; i++) {
        td_real size = unlike ? pow(10, test_between(&random, -4, 0.5)) : 0.3;
        w->capsule[i] = (tdi_capsule){2 * i, 2 * i + 1, 0.2 * size, i, false, 0};
        w->x[2 * i] = test_in_cube(&random, 1.8);
        w->x[2 * i + 1] = tdi_madd(w->x[2 * i], test_direction(&random), size);
        for (int k = 0; k < 2; k++) {
            w->dx[2 * i + k] = test_in_cube(&random, 0.1 * size);
        }
    }
    for (int32_t k = 0; k < COLLIDERS; k++) {
        w->collider[k] = td_collider_default((td_collider_kind)(k % 4));
        test_size(&w->collider[k], tdi_vec3(0.2, 0.3, 0.25));
        w->collider[k].position0 = test_in_cube(&random, 1.8);
        w->collider[k].position = tdi_madd(w->collider[k].position0, test_direction(&random), 0.1);
        w->collider[k].rotation0 = test_rotation(&random);
        w->collider[k].rotation = k == 4 ? w->collider[k].rotation0 : test_rotation(&random);
    }
}

// They are in order, those with colliders last.
static bool listed(const tdi_contacts *c, int32_t i, int32_t j) {
    int32_t low = j < COUNT ? 0 : c->pairs.self_count,
            high = j < COUNT ? c->pairs.self_count : c->pairs.count;
    while (low < high) {
        const int32_t k = (low + high) / 2;
        const tdi_near_pair p = c->pairs.item[k];
        if (p.i == i && p.j == j) {
            return true;
        }
        const bool before = p.i < i || (p.i == i && p.j < j);
        low = before ? k + 1 : low;
        high = before ? high : k;
    }
    return false;
}

static bool stand(const bool *standing, int32_t i, int32_t j) {
    return standing && standing[i] && (j >= COUNT || standing[j]);
}

// every pair that comes within range at one of some moments must be listed, unless both stand
static void check_all_listed(const tdi_contacts *c, const crowd *w, const bool *standing) {
    int32_t met = 0, missing = 0;
    for (int moment = 0; moment <= 2; moment++) {
        td_vec3 x[2 * COUNT];
        for (int32_t n = 0; n < 2 * COUNT; n++) {
            x[n] = tdi_madd(w->x[n], w->dx[n], 0.5 * moment);
        }
        for (int32_t i = 0; i < COUNT; i++) {
            const td_vec3 a = x[2 * i], b = x[2 * i + 1];
            const td_real r = w->capsule[i].radius;
            for (int32_t j = i + 1; j < COUNT; j++) {
                td_real q = w->capsule[j].radius, range = 0.2 * fmin(r, q);
                if (!stand(standing, i, j) &&
                    !test_beyond(a, b, x[2 * j], x[2 * j + 1], NULL, r + q + range) &&
                    test_distance(a, b, x[2 * j], x[2 * j + 1], NULL) - r - q < range) {
                    met++;
                    missing += !listed(c, i, j);
                }
            }
            for (int32_t k = 0; k < COLLIDERS; k++) {
                const td_collider *o = &w->collider[k];
                td_vec3 p = test_local(o, 0.5 * moment, a), q = test_local(o, 0.5 * moment, b);
                if (!stand(standing, i, COUNT + k) && !test_beyond(p, q, p, q, o, 1.2 * r) &&
                    test_distance(p, q, p, q, o) - r < 0.2 * r) {
                    met++;
                    missing += !listed(c, i, COUNT + k);
                }
            }
        }
    }
    CHECK(met > 500);
    CHECK_INT(missing, 0);
}

static void check_sorted(const tdi_contacts *c) {
    for (int32_t k = 0; k < c->pairs.count; k++) {
        const tdi_near_pair *p = &c->pairs.item[k];
        CHECK((p->j < COUNT) == (k < c->pairs.self_count) && p->i < p->j);
        if (k > 0 && k != c->pairs.self_count) {
            CHECK(p[-1].i < p->i || (p[-1].i == p->i && p[-1].j < p->j));
        }
    }
}

TD_TEST(contact_broad_phase_finds_all_pairs_that_meet_in_order) {
    td_contact_opts opts = td_contact_opts_default();
    for (int unlike = 0; unlike < 2; unlike++) {
        static crowd w;
        td_diag diag;
        draw_crowd(&w, 11, unlike);
        w.x[2] = w.x[0]; // the first two meet
        OWNED(tdi_contacts) *c = test_contacts(&opts, w.capsule, COUNT, COLLIDERS);
        CHECK_INT(tdi_contacts_colliders(c, w.collider, COLLIDERS, 0.01, 0, 1, &diag), TD_OK);
        CHECK_INT(tdi_contacts_find(c, w.x, w.dx, &diag), TD_OK);
        check_all_listed(c, &w, NULL);
        check_sorted(c);
    }
}

TD_TEST(contact_bounds_of_colliders_that_do_not_turn_are_those_of_their_corners) {
    td_contact_opts opts = td_contact_opts_default();
    tdi_random random = random_of(12);
    const tdi_capsule one = {0, 0, 0.1, 0, false, 0};
    for (int round = 0; round < 30; round++) {
        td_collider k = td_collider_default(round % 2 ? TD_COLLIDER_BOX : TD_COLLIDER_CAPSULE);
        test_size(&k, tdi_vec3(0.3, 2, 0.7));
        k.position0 = k.position = test_in_cube(&random, 3);
        k.rotation0 = k.rotation = test_rotation(&random);
        OWNED(tdi_contacts) *c = test_contacts(&opts, &one, 1, 1);
        CHECK_INT(tdi_contacts_colliders(c, &k, 1, 0.01, 0, 1, NULL), TD_OK);
        const bool box = k.kind == TD_COLLIDER_BOX;
        tdi_bounds want = {{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};
        for (int corner = 0; corner < 8; corner++) {
            const td_vec3 x = tdi_vec3(box ? (corner & 1 ? 0.3 : -0.3) : 0, corner & 2 ? 2 : -2,
                                       box ? (corner & 4 ? 0.7 : -0.7) : 0);
            tdi_grow(&want, tdi_add(k.position, tdi_quat_rotate(k.rotation, x)));
        }
        const td_real r = box ? 0 : 0.3;
        const tdi_bounds *got = c->colliders.swept;
        CHECK_IN(tdi_norm(tdi_sub(got->low, tdi_sub(want.low, tdi_vec3(r, r, r)))), 0, 1e-14);
        CHECK_IN(tdi_norm(tdi_sub(got->high, tdi_add(want.high, tdi_vec3(r, r, r)))), 0, 1e-14);
    }
}

// Those that do not stand go where they would.
static void move_on(crowd *w, const bool *standing, tdi_random *random) {
    for (int32_t n = 0; n < 2 * COUNT; n++) {
        const td_real size = w->capsule[n / 2].radius;
        w->x[n] = tdi_add(w->x[n], w->dx[n]);
        w->dx[n] = standing[n / 2] ? tdi_vec3(0, 0, 0) : test_in_cube(random, 0.5 * size);
    }
}

// Sets that stand grow, and shrink where others are meant to move; at last all do.
TD_TEST(contact_broad_phase_finds_all_that_meets_what_does_not_stand) {
    enum { MOVES = 2 };
    td_contact_opts opts = td_contact_opts_default();
    for (int unlike = 0; unlike < 2; unlike++) {
        static crowd w;
        static bool standing[COUNT];
        tdi_random random = random_of(17);
        draw_crowd(&w, 11, unlike);
        OWNED(tdi_contacts) *c = test_contacts(&opts, w.capsule, COUNT, COLLIDERS);
        CHECK_INT(tdi_contacts_colliders(c, w.collider, COLLIDERS, 0.01, 0, 1, NULL), TD_OK);
        CHECK_INT(tdi_contacts_find(c, w.x, w.dx, NULL), TD_OK);
        const int32_t all = c->pairs.self_count;
        for (int round = 0; round < 3; round++) { // 2/3 stand, then 5/6, then others
            for (int32_t i = 0; i < COUNT; i++) {
                standing[i] = round < 2 ? i % 3 > 0 || (round == 1 && i % 2) : i % 3 != 1;
            }
            tdi_contacts_set_fixed(c, standing, round == 1);
            for (int k = 0; k < MOVES; k++) {
                move_on(&w, standing, &random);
                CHECK_INT(tdi_contacts_find(c, w.x, w.dx, NULL), TD_OK);
            }
            check_all_listed(c, &w, standing);
            check_sorted(c);
        }
        CHECK_SAY(c->pairs.self_count < 2 * all / 3, "%d of %d pairs", (int)c->pairs.self_count,
                  (int)all);
        tdi_contacts_set_inactive(c, NULL);
        CHECK_INT(tdi_contacts_find(c, w.x, w.dx, NULL), TD_OK);
        check_all_listed(c, &w, NULL);
    }
}

// a cloud that flies a hundred times the distance between its parts in a step, and turns as it does
TD_TEST(contact_flying_together_makes_no_pairs) {
    td_contact_opts opts = td_contact_opts_default();
    static crowd w;
    draw_crowd(&w, 14, false);
    int32_t pairs[2];
    for (int fly = 0; fly < 2; fly++) {
        for (int32_t n = 0; n < 2 * COUNT; n++) {
            td_vec3 turned =
                tdi_vec3(w.x[n].z - w.x[n].x, 0, -w.x[n].x - w.x[n].z); // by 90 degrees
            w.dx[n] =
                fly ? tdi_add(tdi_vec3(10, -100, 30), tdi_scale(turned, 0.2)) : tdi_vec3(0, 0, 0);
        }
        td_diag diag;
        OWNED(tdi_contacts) *c = test_contacts(&opts, w.capsule, COUNT, 0);
        CHECK_INT(tdi_contacts_find(c, w.x, w.dx, &diag), TD_OK);
        pairs[fly] = c->pairs.count;
    }
    CHECK(pairs[0] > 500 && pairs[1] < 3 * pairs[0]);
}

// ---- groups that move one at a time ---------------------------------------------------------

// thinner ones, which have room between each other
static tdi_contacts *find_apart(crowd *w, uint64_t seed) {
    td_contact_opts opts = td_contact_opts_default();
    draw_crowd(w, seed, false);
    for (int32_t i = 0; i < COUNT; i++) {
        w->capsule[i].radius *= 0.3;
    }
    tdi_contacts *c = test_contacts(&opts, w->capsule, COUNT, COLLIDERS);
    CHECK_INT(tdi_contacts_colliders(c, w->collider, COLLIDERS, 0.01, 0, 1, NULL), TD_OK);
    CHECK_INT(tdi_contacts_find_independent(c, w->x, w->dx, NULL), TD_OK);
    return c;
}

// each point anywhere in its room, whatever others do
TD_TEST(contact_pairs_of_what_moves_one_at_a_time_are_all_that_can_meet_in_their_rooms) {
    static crowd w;
    tdi_random random = random_of(17);
    OWNED(tdi_contacts) *c = find_apart(&w, 16);
    check_sorted(c);
    for (int32_t p = 0; p < 2 * COUNT; p++) {
        const td_vec3 way = test_in_cube(&random, 1);
        const td_real part = tdi_contacts_part_in_box(c, p, w.x[p], way);
        CHECK(part > 0 && part < 1); // rooms are small, and larger than what is asked for
        CHECK_REL(tdi_contacts_part_in_box(c, p, w.x[p], w.dx[p]), 1, 0);
        w.dx[p] = tdi_scale(way, part);
    }
    check_all_listed(c, &w, NULL);
}

// walls of short rods, each within range of those below and above
static tdi_contacts *stack_up(crowd *w) {
    const td_real r = 0.02, apart = 2.1 * r;
    td_contact_opts opts = td_contact_opts_default();
    tdi_random random = random_of(18);
    for (int32_t i = 0; i < COUNT; i++) {
        const td_vec3 at = {(0.1 + apart) * (i % 4), apart * (i / 4 % 10), 12 * r * (i / 40)};
        w->capsule[i] = (tdi_capsule){2 * i, 2 * i + 1, r, i, false, 0};
        for (int e = 0; e < 2; e++) {
            w->x[2 * i + e] = tdi_add(at, tdi_vec3(0.1 * e, 0, 0));
            w->dx[2 * i + e] = test_in_cube(&random, 0.04 * r);
        }
    }
    tdi_contacts *c = test_contacts(&opts, w->capsule, COUNT, 0);
    CHECK_INT(tdi_contacts_find_independent(c, w->x, w->dx, NULL), TD_OK);
    return c;
}

enum { EACH = 20 }; // capsules of a group

typedef struct lone {
    const crowd *w;
    td_real change[COUNT / EACH]; // of a group's own energy, when it moves alone
    int32_t turn[COUNT / EACH];   // of a group
    int32_t turns;
} lone;

static const tdi_contact_rule alone_rule = {.force = 1};

static void move_group(const crowd *w, int32_t group, td_vec3 *x) {
    for (int32_t p = 0; p < 2 * COUNT; p++) {
        x[p] = p / 2 / EACH == group ? tdi_add(w->x[p], w->dx[p]) : w->x[p];
    }
}

static void change_alone(void *context, tdi_contacts *own, int32_t group) {
    lone *l = context;
    static td_vec3 x[2 * COUNT];
    move_group(l->w, group, x);
    l->turn[group] = l->turns++;
    l->change[group] = tdi_contacts_energy(own, x, 0, &alone_rule) -
                       tdi_contacts_energy(own, l->w->x, 0, &alone_rule);
}

TD_TEST(contact_energy_of_a_group_changes_as_that_of_all_when_it_moves_alone) {
    static crowd w;
    static td_vec3 x[2 * COUNT];
    int32_t group[COUNT];
    bool moves[COUNT / EACH];
    lone l = {.w = &w};
    OWNED(tdi_contacts) *c = stack_up(&w);
    for (int32_t i = 0; i < COUNT; i++) {
        group[i] = i / EACH;
        moves[i / EACH] = true;
    }
    tdi_contacts_each_group(c, group, moves, COUNT / EACH, change_alone, &l);
    CHECK_INT(l.turns, COUNT / EACH);
    int32_t listed;
    tdi_contacts_list(c, &listed);
    CHECK_INT(listed, 0); // groups overwrote the list
    for (int32_t g = 0; g < COUNT / EACH; g++) {
        move_group(&w, g, x);
        const td_real all =
            tdi_contacts_energy(c, x, 0, &alone_rule) - tdi_contacts_energy(c, w.x, 0, &alone_rule);
        CHECK(all != 0);
        CHECK_REL(l.change[g], all, 1e-9);
    }
}

typedef struct busy_groups {
    const tdi_contacts *c;
    _Atomic bool busy[COUNT / EACH];
    _Atomic int32_t met, turns;
} busy_groups;

// Looks whether a group that shares a pair with this one is having its turn as well.
static void stay_busy(void *context, tdi_contacts *own, int32_t group) {
    busy_groups *b = context;
    (void)own;
    b->busy[group] = true;
    for (int32_t k = 0; k < b->c->pairs.self_count; k++) {
        const int32_t i = b->c->pairs.item[k].i / EACH, j = b->c->pairs.item[k].j / EACH;
        b->met += i != j && (i == group || j == group) && b->busy[i == group ? j : i];
    }
    b->busy[group] = false;
    b->turns++;
}

TD_TEST(contact_groups_that_can_meet_never_have_their_turns_at_once_on_threads) {
    enum { LONE = 3 }; // a group that does not move
    static crowd w;
    int32_t group[COUNT];
    bool moves[COUNT / EACH];
    OWNED(tdi_contacts) *c = stack_up(&w);
    OWNED(td_pool) *pool = NULL;
    CHECK_INT(td_pool_new(4, NULL, &pool, NULL), TD_OK);
    busy_groups b = {.c = c};
    tdi_contacts_share(c, pool);
    for (int32_t i = 0; i < COUNT; i++) {
        group[i] = i / EACH;
        moves[i / EACH] = i / EACH != LONE;
    }
    for (int k = 0; k < 20; k++) {
        tdi_contacts_each_group(c, group, moves, COUNT / EACH, stay_busy, &b);
    }
    CHECK_INT(b.turns, 20 * (COUNT / EACH - 1));
    CHECK_INT(b.met, 0);
}

// ---- more pairs -----------------------------------------------------------------------------

// the grids of 600 capsules are others than those of 700, of which they are a part
TD_TEST(contact_pairs_do_not_depend_on_other_capsules) {
    enum { FEW = 600 };
    td_contact_opts opts = td_contact_opts_default();
    for (int unlike = 0; unlike < 2; unlike++) {
        static crowd w;
        td_diag diag;
        draw_crowd(&w, 15, unlike);
        OWNED(tdi_contacts) *many = test_contacts(&opts, w.capsule, COUNT, 0),
                            *few = test_contacts(&opts, w.capsule, FEW, 0);
        CHECK_INT(tdi_contacts_find(many, w.x, NULL, &diag), TD_OK);
        CHECK_INT(tdi_contacts_find(few, w.x, NULL, &diag), TD_OK);
        int32_t next = 0, unlike_pairs = 0;
        for (int32_t k = 0; k < many->pairs.count; k++) {
            const tdi_near_pair p = many->pairs.item[k];
            if (p.j < FEW && next < few->pairs.count) {
                unlike_pairs += few->pairs.item[next].i != p.i || few->pairs.item[next].j != p.j;
                next++;
            }
        }
        CHECK(next > 200);
        CHECK_INT(next, few->pairs.count);
        CHECK_INT(unlike_pairs, 0);
    }
}

// what all have in common brings none nearer: the boxes of the search go with the mean of all
// points
TD_TEST(contact_pairs_stay_valid_in_a_common_motion) {
    const td_vec3 fall = {3, -50, 7};
    td_contact_opts opts = td_contact_opts_default();
    static crowd w;
    draw_crowd(&w, 16, false);
    OWNED(tdi_contacts) *c = test_contacts(&opts, w.capsule, COUNT, 0);
    CHECK_INT(tdi_contacts_find(c, w.x, NULL, NULL), TD_OK);
    const td_vec3 center = c->broad.center;
    for (int32_t k = 0; k < 2 * COUNT; k++) {
        w.x[k] = tdi_madd(tdi_add(w.x[k], fall), w.dx[k], 0.1); // a tenth of the spare room
        w.dx[k] = fall;
    }
    CHECK_INT(tdi_contacts_find(c, w.x, w.dx, NULL), TD_OK);
    CHECK(c->broad.center.y == center.y); // nothing was searched
    for (int32_t k = 0; k < 2 * COUNT; k++) {
        w.x[k] = tdi_add(w.x[k], fall);
    }
    CHECK_INT(tdi_contacts_find(c, w.x, NULL, NULL), TD_OK);
    CHECK(c->broad.center.y == center.y);
    w.x[7].y += w.capsule[3].radius; // one alone
    CHECK_INT(tdi_contacts_find(c, w.x, NULL, NULL), TD_OK);
    CHECK(c->broad.center.y != center.y);
}

// the same contacts, bit for bit, fresh and after many other places
TD_TEST(contact_results_do_not_depend_on_what_was_asked_before) {
    td_contact_opts opts = td_contact_opts_default();
    static crowd w;
    draw_crowd(&w, 12, false);
    for (int32_t i = 0; i < COUNT; i++) { // thin: few of them in each other at the start
        w.capsule[i].radius = 2e-3;
    }
    opts.gap = 1;
    td_vec3 x[2 * COUNT];
    tdi_contacts *c[2] = {test_contacts(&opts, w.capsule, COUNT, 0),
                          test_contacts(&opts, w.capsule, COUNT, 0)};
    for (int n = 0; n < 20; n++) { // little by little, so that old boxes are used
        for (int32_t k = 0; k < 2 * COUNT; k++) {
            x[k] = tdi_madd(w.x[k], w.dx[k], 1e-3 * n);
        }
        CHECK_INT(tdi_contacts_find(c[0], x, NULL, NULL), TD_OK);
    }
    CHECK_INT(tdi_contacts_find(c[1], x, NULL, NULL), TD_OK);
    int32_t which[2][2];
    td_real least[2];
    td_real part[2];
    for (int m = 0; m < 2; m++) {
        least[m] = tdi_contacts_least(c[m], x, 0, which[m]);
        CHECK_INT(tdi_contacts_find(c[m], x, w.dx, NULL), TD_OK);
        part[m] = tdi_contacts_free_fraction(c[m], x, w.dx, 0, 0);
    }
    CHECK(isfinite(least[0]));
    CHECK(least[0] == least[1] && part[0] == part[1]);
    CHECK_INT(which[0][0], which[1][0]);
    CHECK_INT(which[0][1], which[1][1]);
    tdi_contacts_free(c[0]);
    tdi_contacts_free(c[1]);
}

// leaves out 0 with 2; counts what has a common point
static bool skip_first(void *context, int32_t i, int32_t j) {
    *(int *)context += ((i + j) & 1) != 0;
    return i == 0 && j == 2;
}

TD_TEST(contact_pairs_that_the_caller_skips_and_neighbours_are_left_out) {
    // a closed square of four sides, all near each other
    const tdi_capsule capsule[4] = {{0, 1, 0.4, 0, false, 0},
                                    {1, 2, 0.4, 0, false, 0},
                                    {2, 3, 0.4, 0, false, 0},
                                    {3, 0, 0.4, 0, false, 0}};
    const td_vec3 x[4] = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}};
    td_contact_opts opts = td_contact_opts_default();
    int neighbours = 0;
    tdi_contacts_def def = {&opts, capsule, 4, 4, 0, 0, skip_first, &neighbours, NULL};
    OWNED(tdi_contacts) *c = NULL;
    CHECK_INT(tdi_contacts_new(&def, NULL, &c, NULL), TD_OK);
    CHECK_INT(tdi_contacts_find(c, x, NULL, NULL), TD_OK);
    CHECK_INT(neighbours, 0); // never asked about
    CHECK_INT(c->pairs.count, 1);
    CHECK(c->pairs.item[0].i == 1 && c->pairs.item[0].j == 3);
}

TD_TEST(contact_too_many_pairs_is_a_limit_and_no_place_is_a_divergence) {
    static crowd w;
    draw_crowd(&w, 13, true);
    td_contact_opts opts = td_contact_opts_default();
    tdi_contacts_def def = {&opts, w.capsule, COUNT, 2 * COUNT, 1, 20, NULL, NULL, NULL};
    OWNED(tdi_contacts) *c = NULL;
    td_diag diag;
    CHECK_INT(tdi_contacts_new(&def, NULL, &c, &diag), TD_OK);
    CHECK_INT(tdi_contacts_find(c, w.x, NULL, &diag), TD_ERR_LIMIT);
    CHECK_HAS(diag.message, "more than 20 pairs");
    CHECK_INT(tdi_contacts_find(c, w.x, NULL, &diag), TD_ERR_LIMIT); // not taken for found
    w.x[7].y = NAN;
    CHECK_INT(tdi_contacts_find(c, w.x, NULL, &diag), TD_ERR_DIVERGED);
    CHECK_INT(diag.index, 3);
    CHECK_INT(tdi_contacts_colliders(c, w.collider, 2, 0.01, 0, 1, &diag), TD_ERR_LIMIT);
    CHECK_INT(tdi_contacts_colliders(c, w.collider, 1, 0, 0, 1, &diag), TD_ERR_ARGUMENT);
}

TD_TEST(contact_capsules_without_points_or_radius_are_refused) {
    tdi_capsule capsule[2] = {{0, 1, 0.1, 0, false, 0}, {1, 2, 0.1, 0, false, 0}};
    td_contact_opts opts = td_contact_opts_default();
    tdi_contacts_def def = {&opts, capsule, 2, 2, 0, 0, NULL, NULL, NULL};
    tdi_contacts *c = NULL;
    td_diag diag;
    for (int k = 0; k < 2; k++) {
        CHECK_INT(tdi_contacts_new(&def, NULL, &c, &diag), TD_ERR_ARGUMENT);
        CHECK_INT(diag.index, 1);
        CHECK(c == NULL);
        capsule[1] = (tdi_capsule){2, 1, 0.1, 0, false, 0};
    }
    def.point_count = 3;
    capsule[0].radius = 0;
    CHECK_INT(tdi_contacts_new(&def, NULL, &c, &diag), TD_ERR_ARGUMENT);
    CHECK_HAS(diag.message, "capsule 0: the radius");
    capsule[0].radius = 0.1;
    def.capsule_count = 0;
    CHECK_INT(tdi_contacts_new(&def, NULL, &c, &diag), TD_ERR_ARGUMENT);
}

TD_TEST(contact_placed_in_used_memory_knows_no_place_of_any_collider) {
    const tdi_capsule capsule = {0, 1, 0.1, 0, false, 0};
    const td_contact_opts opts = td_contact_opts_default();
    const tdi_contacts_def def = {&opts, &capsule, 1, 2, 1, 0, NULL, NULL, NULL};
    FREED char *used = calloc(1, tdi_contacts_bytes(&def));
    CHECK(used);
    if (used) {
        CHECK(isnan(*tdi_contacts_place(&def, used)->colliders.pose_time));
    }
}

TD_TEST(contact_memory_is_taken_once_and_given_back) {
    tdi_capsule capsule[2] = {{0, 1, 0.1, 0, false, 0}, {2, 3, 0.1, 0, false, 0}};
    td_vec3 x[4] = {{0, 0, 0}, {1, 0, 0}, {0.5, 0.21, -1}, {0.5, 0.21, 1}};
    td_contact_opts opts = td_contact_opts_default();
    tdi_contacts_def def = {&opts, capsule, 2, 4, 1, 0, NULL, NULL, NULL};
    WITH_SCARCE(memory, 1) {
        OWNED(tdi_contacts) *c = NULL;
        td_diag diag;
        CHECK_INT(tdi_contacts_new(&def, &memory.alloc, &c, &diag), scarce_status(&memory));
        if (c) {
            td_collider plane = td_collider_default(TD_COLLIDER_PLANE);
            plane.position0.y = plane.position.y = -0.11;
            tdi_contact_rule rule = {1, x, 0.01, 0, false, NULL};
            td_real energy;
            CHECK_INT(tdi_contacts_colliders(c, &plane, 1, 0.01, 0, 1, &diag), TD_OK);
            CHECK_INT(tdi_contacts_find(c, x, x, &diag), TD_OK);
            CHECK(tdi_contacts_free_fraction(c, x, x, 0, 1) > 0);
            CHECK_INT(tdi_contacts_lag(c, x, 1, 1, 0.01, NULL, &diag), TD_OK);
            CHECK_INT(tdi_contacts_evaluate(c, x, 1, &rule, &energy, &diag), TD_OK);
            CHECK(energy > 0);
            CHECK_INT(memory.heap.calls, 1);
        }
    }
}
