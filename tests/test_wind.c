// SPDX-License-Identifier: MIT
// Wind. Pairs with src/load/wind.c; statistics over time are in tendril validate.

#include "td_test.h"

#include "math/vec3.h"

#include <stdlib.h>

static const td_vec3 east = {5, 0, 0};

static td_wind *wind_of(const td_wind_def *def) {
    td_wind *wind = NULL;
    td_diag diag = {.message = ""};
    CHECK_INT(td_wind_new(def, NULL, &wind, &diag), TD_OK);
    CHECK_TEXT(diag.message, "");
    return wind;
}

static td_vec3 wind_at(const td_wind *wind, const td_wind_state *state, td_vec3 p) {
    td_vec3 u;
    td_wind_at(wind, state, 1, &p, &u);
    return u;
}

static td_vec3 draw_point(tdi_random *r, double size) {
    return tdi_scale(tdi_vec3(tdi_random_uniform(r), tdi_random_uniform(r), tdi_random_uniform(r)),
                     size);
}

static bool same(td_vec3 a, td_vec3 b) {
    return memcmp(&a, &b, sizeof a) == 0;
}

// ---- mean, height, onset --------------------------------------------------------------------

TD_TEST(wind_without_gusts_and_turbulence_is_its_mean) {
    td_wind_def def = td_wind_def_default();
    def.intensity = 0;
    OWNED(td_wind) *wind = wind_of(&def);
    td_wind_state state = td_wind_start((td_vec3){3, 1, -2});
    td_vec3 u = wind_at(wind, &state, (td_vec3){4, -5, 6});
    CHECK(u.x == 3 && u.y == 1 && u.z == -2);
}

TD_TEST(still_air_stays_still) {
    td_wind_def def = td_wind_def_default();
    def.gust = 1;
    OWNED(td_wind) *wind = wind_of(&def);
    td_wind_state state = td_wind_start((td_vec3){0, 0, 0});
    td_wind_advance(wind, &state, 10, state.mean);
    td_vec3 u = wind_at(wind, &state, (td_vec3){4, 5, 6});
    CHECK(u.x == 0 && u.y == 0 && u.z == 0);
}

TD_TEST(wind_grows_with_height_by_the_logarithm) {
    td_wind_def def = td_wind_def_default();
    def.intensity = 0;
    def.roughness = 0.1;
    OWNED(td_wind) *wind = wind_of(&def);
    td_wind_state state = td_wind_start(east);
    const double heights[] = {0, 0.01, 1, 3, 10, 100};
    for (int i = 0; i < 6; i++) {
        td_vec3 u = wind_at(wind, &state, (td_vec3){0, heights[i], 0});
        CHECK_REL(u.x, 5 * log1p(heights[i] / 0.1) / log1p(100), 1e-14);
    }
    CHECK_REL(wind_at(wind, &state, (td_vec3){0, -3, 0}).x, 0, 0);
}

TD_TEST(turbulence_grows_during_the_onset) {
    td_wind_def def = td_wind_def_default();
    OWNED(td_wind) *whole = wind_of(&def);
    def.onset = 2;
    OWNED(td_wind) *wind = wind_of(&def);
    td_wind_state state = td_wind_start(east);
    const td_vec3 p = {1, 2, 3};
    const double want[] = {0, 0.103515625, 0.5, 0.896484375, 1, 1};
    for (int i = 0; i < 6; i++) {
        td_vec3 u = wind_at(wind, &state, p), all = wind_at(whole, &state, p);
        CHECK_REL(u.z, want[i] * all.z, 1e-14);
        td_wind_advance(wind, &state, 0.5, east);
    }
}

// ---- gusts ----------------------------------------------------------------------------------

TD_TEST(gusts_keep_the_mean_and_stay_within_their_strength) {
    td_wind_def def = td_wind_def_default();
    def.intensity = 0;
    def.gust = 0.6;
    OWNED(td_wind) *wind = wind_of(&def);
    td_wind_state state = td_wind_start(east);
    tdi_random r = random_of(4);
    double sum = 0, low = 5, high = 5;
    for (int i = 0; i < 20000; i++) {
        td_vec3 u = wind_at(wind, &state, draw_point(&r, 1e4));
        CHECK(u.y == 0 && u.z == 0);
        sum += u.x / 20000;
        low = fmin(low, u.x);
        high = fmax(high, u.x);
    }
    CHECK_REL(sum, 5, 0.01);
    CHECK_IN(low, 5 * 0.4, 5 * 0.55);
    CHECK_IN(high, 5 * 1.45, 5 * 1.6);
}

// Taylor: what is here now was `shift` upwind; shift is the integral of a mean that changes
TD_TEST(gusts_are_carried_by_the_integral_of_the_mean) {
    td_wind_def def = td_wind_def_default();
    def.intensity = 0;
    def.gust = 0.5;
    OWNED(td_wind) *wind = wind_of(&def);
    td_wind_state start = td_wind_start(east), state = start;
    const td_vec3 p = {7, 0, -4};
    td_vec3 shift = {0, 0, 0};
    for (int i = 1; i <= 100; i++) {
        td_vec3 mean = {5 + 0.03 * i, 0, -0.02 * i};
        shift = tdi_madd(shift, tdi_add(state.mean, mean), 0.5 * 0.1);
        td_wind_advance(wind, &state, 0.1, mean);
    }
    td_vec3 now = wind_at(wind, &state, p), before = wind_at(wind, &start, tdi_sub(p, shift));
    CHECK_REL(now.x / state.mean.x, before.x / 5, 1e-12);
    CHECK_REL(now.z / state.mean.z, before.x / 5, 1e-12);
}

// ---- turbulence -----------------------------------------------------------------------------

TD_TEST(turbulence_has_its_intensity_in_every_axis_for_every_seed) {
    enum { POINTS = 20000 };
    FREED td_vec3 *p = malloc(POINTS * sizeof *p), *u = malloc(POINTS * sizeof *u);
    tdi_random r = random_of(9);
    for (int seed = 0; seed < 20; seed++) {
        td_wind_def def = td_wind_def_default();
        def.seed = (uint64_t)seed;
        def.direction = tdi_sub(draw_point(&r, 2), tdi_vec3(1, 1, 1));
        OWNED(td_wind) *wind = wind_of(&def);
        td_wind_state state = td_wind_start(east);
        for (int i = 0; i < POINTS; i++) {
            p[i] = draw_point(&r, 1e5);
        }
        td_wind_at(wind, &state, POINTS, p, u);
        td_vec3 sum = {0, 0, 0}, mixed = {0, 0, 0};
        for (int i = 0; i < POINTS; i++) {
            td_vec3 v = tdi_sub(u[i], east);
            sum = tdi_add(sum, tdi_vec3(v.x * v.x, v.y * v.y, v.z * v.z));
            mixed = tdi_add(mixed, tdi_vec3(v.y * v.z, v.z * v.x, v.x * v.y));
        }
        // 1 m/s; the error of the mean of so many products is about 0.01
        CHECK_REL(sqrt(sum.x / POINTS), 1, 0.05);
        CHECK_REL(sqrt(sum.y / POINTS), 1, 0.05);
        CHECK_REL(sqrt(sum.z / POINTS), 1, 0.05);
        CHECK_IN(tdi_norm(mixed) / POINTS, 0, 0.05);
    }
}

TD_TEST(turbulence_depends_on_its_seed_alone) {
    td_wind_def def = td_wind_def_default();
    OWNED(td_wind) *a = wind_of(&def), *b = wind_of(&def);
    def.seed = 2;
    OWNED(td_wind) *other = wind_of(&def);
    td_wind_state state = td_wind_start(east);
    const td_vec3 p = {1, 2, 3};
    CHECK(same(wind_at(a, &state, p), wind_at(b, &state, p)));
    CHECK(!same(wind_at(a, &state, p), wind_at(other, &state, p)));
}

TD_TEST(wind_at_a_point_does_not_depend_on_the_other_points) {
    enum { POINTS = 200 };
    td_wind_def def = td_wind_def_default();
    def.gust = 0.3;
    def.roughness = 0.05;
    OWNED(td_wind) *wind = wind_of(&def);
    td_wind_state state = td_wind_start(east);
    td_wind_advance(wind, &state, 3, east);
    td_vec3 p[POINTS], u[POINTS];
    tdi_random r = random_of(6);
    for (int i = 0; i < POINTS; i++) {
        p[i] = draw_point(&r, 30);
    }
    p[77] = (td_vec3){NAN, INFINITY, 1e300};
    for (int count = 0; count <= POINTS; count += 1 + count / 3) {
        td_wind_at(wind, &state, count, p, u);
        for (int i = 0; i < count; i++) {
            CHECK(i == 77 || same(u[i], wind_at(wind, &state, p[i])));
        }
    }
}

// the same bits from every compiler and instruction set
TD_TEST(wind_has_the_same_bits_everywhere) {
    td_wind_def def = td_wind_def_default();
    def.gust = 0.3;
    def.roughness = 0.05;
    def.seed = 7;
    OWNED(td_wind) *wind = wind_of(&def);
    td_wind_state state = td_wind_start((td_vec3){4, 0.5, -3});
    for (int i = 0; i < 100; i++) {
        td_wind_advance(wind, &state, 1.0 / 60, (td_vec3){4 + 0.01 * i, 0.5, -3});
    }
    td_vec3 u = wind_at(wind, &state, (td_vec3){12.5, 3.25, -40.75});
    CHECK_REL(u.x, 4.9859778294923016, 0);
    CHECK_REL(u.y, -1.1429427173940556, 0);
    CHECK_REL(u.z, -0.85475472824246324, 0);
}

TD_TEST(wind_goes_on_from_a_saved_state) {
    td_wind_def def = td_wind_def_default();
    OWNED(td_wind) *wind = wind_of(&def), *again = wind_of(&def);
    td_wind_state state = td_wind_start(east), saved = state;
    for (int i = 0; i < 50; i++) {
        td_wind_advance(wind, &state, 0.02, (td_vec3){5 + 0.1 * i, 0, 0});
        saved = i == 20 ? state : saved;
    }
    for (int i = 21; i < 50; i++) {
        td_wind_advance(again, &saved, 0.02, (td_vec3){5 + 0.1 * i, 0, 0});
    }
    const td_vec3 p = {1, 2, 3};
    CHECK(same(wind_at(wind, &state, p), wind_at(again, &saved, p)));
}

// ---- refusals -------------------------------------------------------------------------------

TD_TEST(wind_refuses_values_out_of_range_and_names_the_field) {
    const struct {
        const char *name;
        size_t offset;
        double value;
    } bad[] = {
        {"intensity", offsetof(td_wind_def, intensity), -0.1},
        {"intensity", offsetof(td_wind_def, intensity), NAN},
        {"length", offsetof(td_wind_def, length), 0},
        {"length", offsetof(td_wind_def, length), INFINITY},
        {"gust is 1.5; it must be at least 0 and at most 1", offsetof(td_wind_def, gust), 1.5},
        {"gust_length", offsetof(td_wind_def, gust_length), 0},
        {"roughness", offsetof(td_wind_def, roughness), 1e-9},
        {"roughness", offsetof(td_wind_def, roughness), -1},
        {"height", offsetof(td_wind_def, height), 0},
        {"onset", offsetof(td_wind_def, onset), -1},
        {"direction", offsetof(td_wind_def, direction), NAN}};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        td_wind_def def = td_wind_def_default();
        td_wind *wind = NULL;
        td_diag diag = {.message = ""};
        memcpy((char *)&def + bad[i].offset, &bad[i].value, sizeof bad[i].value);
        CHECK_INT(td_wind_new(&def, NULL, &wind, &diag), TD_ERR_ARGUMENT);
        CHECK(!wind);
        CHECK_HAS(diag.message, bad[i].name);
    }
    td_wind *wind = NULL;
    td_wind_def def = {0};
    CHECK_INT(td_wind_new(&def, NULL, &wind, NULL), TD_ERR_DEF);
    CHECK_INT(td_wind_new(NULL, NULL, &wind, NULL), TD_ERR_ARGUMENT);
}

TD_TEST(wind_without_memory_is_refused) {
    td_wind_def def = td_wind_def_default();
    WITH_SCARCE(memory, 1) {
        OWNED(td_wind) *wind = NULL;
        CHECK_INT(td_wind_new(&def, &memory.alloc, &wind, NULL), scarce_status(&memory));
    }
}
