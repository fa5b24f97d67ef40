// SPDX-License-Identifier: MIT
// Curves in time. Pairs with src/load/curve.c, turn_curve.c and keys.c.

#include "td_test.h"

#include "math/quat.h"

static double between(tdi_random *r, double low, double high) {
    return low + (high - low) * tdi_random_uniform(r);
}

static td_curve_def def_of(int32_t count, const double *times, const double *values) {
    td_curve_def def = td_curve_def_default();
    def.key_count = count;
    def.times = times;
    def.values = values;
    return def;
}

static td_curve *curve_of(const td_curve_def *def) {
    td_curve *curve = NULL;
    td_diag diag = {.message = ""};
    CHECK_INT(td_curve_new(def, NULL, &curve, &diag), TD_OK);
    CHECK_TEXT(diag.message, "");
    return curve;
}

static double value_at(const td_curve *curve, double time) {
    double value = 0;
    td_curve_at(curve, time, &value, NULL, NULL);
    return value;
}

// ---- numbers --------------------------------------------------------------------------------

TD_TEST(smooth_curve_of_two_keys_is_the_quintic_from_rest_to_rest) {
    const double times[] = {1, 3}, values[] = {-1, 3};
    td_curve_def def = def_of(2, times, values);
    OWNED(td_curve) *curve = curve_of(&def);
    double value, rate, rate2;
    td_curve_at(curve, 2, &value, &rate, &rate2);
    CHECK_REL(value, 1, 1e-15);
    CHECK_REL(rate, 4 * 1.875 / 2, 1e-15);
    CHECK_REL(rate2, 0, 1e-14);
    for (int i = 0; i < 2; i++) {
        td_curve_at(curve, times[i], &value, &rate, &rate2);
        CHECK_REL(value, values[i], 0);
        CHECK_REL(rate, 0, 1e-14);
        CHECK_REL(rate2, 0, 1e-13);
    }
}

TD_TEST(curve_holds_its_ends) {
    const double times[] = {1, 2, 4}, values[] = {5, 6, 9};
    for (int mode = TD_SMOOTH; mode <= TD_STEP; mode++) {
        td_curve_def def = def_of(3, times, values);
        def.interpolation = (td_interpolation)mode;
        OWNED(td_curve) *curve = curve_of(&def);
        const double outside[] = {-1e300, 0.999, 4, 5, 1e300}, want[] = {5, 5, 9, 9, 9};
        for (int i = 0; i < 5; i++) {
            double value, rate, rate2;
            td_curve_at(curve, outside[i], &value, &rate, &rate2);
            CHECK_REL(value, want[i], 0);
            CHECK(rate == 0 && rate2 == 0);
        }
        CHECK_REL(value_at(curve, INFINITY), 9, 0);
        CHECK_REL(value_at(curve, -INFINITY), 5, 0);
        CHECK_REL(value_at(curve, NAN), 5, 0);
    }
}

TD_TEST(linear_and_stepped_curves_are_what_they_say) {
    const double times[] = {0, 1, 3}, values[] = {2, 4, 0};
    td_curve_def def = def_of(3, times, values);
    double value, rate, rate2;
    def.interpolation = TD_LINEAR;
    td_curve *curve = curve_of(&def);
    td_curve_at(curve, 1.5, &value, &rate, &rate2);
    CHECK_REL(value, 3, 1e-15);
    CHECK_REL(rate, -2, 1e-15);
    CHECK_REL(rate2, 0, 0);
    td_curve_free(curve);
    def.interpolation = TD_STEP;
    curve = curve_of(&def);
    td_curve_at(curve, 2.999, &value, &rate, &rate2);
    CHECK_REL(value, 4, 0);
    CHECK(rate == 0 && rate2 == 0);
    CHECK_REL(value_at(curve, 0.999), 2, 0);
    td_curve_free(curve);
}

// a quick change, then a long hold, where splines that solve for their slopes swing far past
TD_TEST(smooth_curve_of_a_quick_change_and_a_long_hold_goes_a_tenth_past_at_most) {
    for (double quick = 1; quick > 1e-7; quick /= 10) {
        const double times[] = {0, quick, quick + 2}, values[] = {0, 10, 10};
        td_curve_def def = def_of(3, times, values);
        OWNED(td_curve) *curve = curve_of(&def);
        double low = 0, high = 0;
        for (int i = 0; i <= 4000; i++) {
            double t = i < 2000 ? quick * i / 2000 : quick + (i - 2000) * 1e-3;
            low = fmin(low, value_at(curve, t));
            high = fmax(high, value_at(curve, t));
        }
        CHECK_REL(low, 0, 0); // nothing changes before: no swing back
        CHECK_IN(high, 10.1, 10.95);
    }
}

static double least_rate(const td_curve *curve, double from, double to) {
    double least = INFINITY;
    for (int i = 0; i <= 2000; i++) {
        double rate;
        td_curve_at(curve, from + (to - from) * i / 2000, NULL, &rate, NULL);
        least = fmin(least, rate);
    }
    return least;
}

// if no step is more than 11/3 of the one beside it
TD_TEST(smooth_curve_through_rising_keys_at_even_times_rises_all_along) {
    tdi_random r = random_of(5);
    for (int k = 0; k < 50; k++) {
        double times[20] = {0}, values[20] = {0};
        for (int i = 1; i < 20; i++) {
            times[i] = 0.5 * i;
            values[i] = values[i - 1] + between(&r, 1, 3.66);
        }
        td_curve_def def = def_of(20, times, values);
        OWNED(td_curve) *curve = curve_of(&def);
        CHECK_IN(least_rate(curve, 0, 9.5), -1e-12, 1e-12); // at rest at the ends
        CHECK(least_rate(curve, 0.01, 9.49) > 0);
    }
    const double times[] = {0, 1, 2, 3, 4, 5};
    for (int steep = 0; steep < 2; steep++) {
        double much = steep ? 3.67 : 3.66;
        const double values[] = {0, 1, 1 + much, 2 + much, 2 + 2 * much, 3 + 2 * much};
        td_curve_def def = def_of(6, times, values);
        OWNED(td_curve) *curve = curve_of(&def);
        CHECK_INT(least_rate(curve, 2, 3) < 0, steep);
    }
}

TD_TEST(smooth_curve_keeps_straight_lines_at_any_times_and_parabolas_at_even_times) {
    const double uneven[] = {0, 0.01, 2, 2.1, 5, 5.5, 6}, even[] = {0, 1, 2, 3, 4, 5, 6};
    for (int power = 1; power <= 2; power++) {
        const double *times = power == 1 ? uneven : even;
        double values[7];
        for (int i = 0; i < 7; i++) {
            values[i] = 3 + 2 * pow(times[i], power);
        }
        td_curve_def def = def_of(7, times, values);
        OWNED(td_curve) *curve = curve_of(&def);
        for (int i = 0; i <= 100; i++) { // the first and the last piece start and end at rest
            double t = times[1] + (times[5] - times[1]) * i / 100, got[3];
            td_curve_at(curve, t, &got[0], &got[1], &got[2]);
            CHECK_REL(got[0], 3 + 2 * pow(t, power), 1e-13);
            CHECK_REL(got[1], power == 1 ? 2 : 4 * t, 1e-12);
            CHECK_IN(got[2] - (power == 1 ? 0 : 4), -1e-9, 1e-9);
        }
    }
}

TD_TEST(smooth_curve_feels_a_key_two_pieces_away_and_no_further) {
    const double times[] = {0, 1, 1.5, 3, 4, 4.2, 6, 7, 8};
    double values[] = {0, 3, 1, 2, 5, 4, 1, 0, 2};
    td_curve_def def = def_of(9, times, values);
    OWNED(td_curve) *was = curve_of(&def);
    values[4] += 1;
    OWNED(td_curve) *is = curve_of(&def);
    for (int i = 0; i <= 800; i++) {
        double t = i * 0.01, moved = value_at(is, t) - value_at(was, t);
        CHECK(t > 1.5 && t < 6 ? moved != 0 || t == 3 || t == 4.2 : moved == 0);
    }
}

// the slope at a key is that between its neighbours: the error of the curve falls with the third
// power of the gap, that of its slope with the second, of its curvature with the first
TD_TEST(repeating_smooth_curve_converges_to_a_sine) {
    double error[2][3] = {{0}};
    for (int run = 0; run < 2; run++) {
        int n = run == 0 ? 20 : 40;
        double times[41], values[41];
        for (int i = 0; i <= n; i++) {
            times[i] = 2 * TDI_PI * i / n;
            values[i] = sin(times[i]);
        }
        td_curve_def def = def_of(n + 1, times, values);
        def.repeat = true;
        OWNED(td_curve) *curve = curve_of(&def);
        for (int i = 0; i < 1000; i++) {
            double t = 0.00628 * i, got[3];
            td_curve_at(curve, t - 8 * TDI_PI, &got[0], &got[1], &got[2]);
            error[run][0] = fmax(error[run][0], fabs(got[0] - sin(t)));
            error[run][1] = fmax(error[run][1], fabs(got[1] - cos(t)));
            error[run][2] = fmax(error[run][2], fabs(got[2] + sin(t)));
        }
    }
    CHECK_IN(error[0][0] / error[1][0], 7.5, 8.5);
    CHECK_IN(error[0][1] / error[1][1], 3.8, 4.2);
    CHECK_IN(error[0][2] / error[1][2], 1.9, 2.1);
}

TD_TEST(curve_that_repeats_is_the_same_a_period_later) {
    const double times[] = {-1, 0.5, 2, 3}, values[] = {1, 4, -2, 1};
    for (int mode = TD_SMOOTH; mode <= TD_STEP; mode++) {
        td_curve_def def = def_of(4, times, values);
        def.interpolation = (td_interpolation)mode;
        def.repeat = true;
        OWNED(td_curve) *curve = curve_of(&def);
        for (int i = 0; i < 64; i++) {
            double t = -1 + i / 16.0;
            CHECK_REL(value_at(curve, t + 400) - value_at(curve, t), 0, 1e-13);
            CHECK_REL(value_at(curve, t - 40) - value_at(curve, t), 0, 1e-13);
        }
    }
}

// ---- rotations ------------------------------------------------------------------------------

static td_turn_curve *turns_of(const td_turn_curve_def *def) {
    td_turn_curve *curve = NULL;
    td_diag diag = {.message = ""};
    CHECK_INT(td_turn_curve_new(def, NULL, &curve, &diag), TD_OK);
    CHECK_TEXT(diag.message, "");
    return curve;
}

static double quat_apart(td_quat a, td_quat b) {
    td_quat q = tdi_quat_mul(tdi_quat_conj(a), b);
    return 2 * tdi_norm(tdi_vec3(q.x, q.y, q.z));
}

// keys of 0 and 10 turns that repeat: nothing but an even spin
TD_TEST(turn_curve_of_whole_turns_spins_evenly) {
    const double times[] = {1, 6};
    const td_vec3 turns[] = {{0, 0, 0}, {0, 20 * TDI_PI, 0}};
    td_turn_curve_def def = td_turn_curve_def_default();
    def.key_count = 2;
    def.times = times;
    def.turns = turns;
    def.repeat = true;
    OWNED(td_turn_curve) *curve = turns_of(&def);
    for (int i = 0; i < 100; i++) {
        double t = 0.37 * i - 10;
        td_quat q;
        td_vec3 spin, rate;
        td_turn_curve_at(curve, t, &q, &spin, &rate);
        CHECK_REL(spin.y, 4 * TDI_PI, 1e-13);
        CHECK_IN(tdi_norm(rate), 0, 1e-11);
        CHECK_IN(quat_apart(q, tdi_quat_turn(tdi_vec3(0, 1, 0), 4 * TDI_PI * (t - 1))), 0, 1e-12);
    }
}

TD_TEST(turn_curve_about_one_axis_is_the_smooth_curve_of_the_angle) {
    const double times[] = {0, 1, 1.1, 3, 7}, angles[] = {0, 8, 24, -5, -5};
    td_vec3 turns[5];
    for (int i = 0; i < 5; i++) {
        turns[i] = tdi_vec3(0, angles[i], 0);
    }
    td_curve_def def = def_of(5, times, angles);
    td_turn_curve_def turn = td_turn_curve_def_default();
    turn.key_count = 5;
    turn.times = times;
    turn.turns = turns;
    OWNED(td_curve) *curve = curve_of(&def);
    OWNED(td_turn_curve) *turning = turns_of(&turn);
    for (int i = 0; i <= 80; i++) {
        double t = 0.1 * i - 0.5, angle, rate, rate2;
        td_quat q;
        td_vec3 spin, spin_rate;
        td_curve_at(curve, t, &angle, &rate, &rate2);
        td_turn_curve_at(turning, t, &q, &spin, &spin_rate);
        CHECK_IN(quat_apart(q, tdi_quat_turn(tdi_vec3(0, 1, 0), angle)), 0, 1e-13);
        CHECK_IN(spin.y - rate, -1e-11, 1e-11);
        CHECK_IN(spin_rate.y - rate2, -1e-9, 1e-9);
    }
}

// the middle of the three keys is passed with the mean of the slopes
TD_TEST(turn_curve_about_one_axis_counts_turns) {
    const double times[] = {0, 1, 2};
    const td_vec3 turns[] = {{0, 0, 0}, {0, 8, 0}, {0, 24, 0}};
    td_turn_curve_def def = td_turn_curve_def_default();
    def.key_count = 3;
    def.times = times;
    def.turns = turns;
    OWNED(td_turn_curve) *curve = turns_of(&def);
    td_vec3 spin;
    td_turn_curve_at(curve, 1, NULL, &spin, NULL);
    CHECK_REL(spin.y, 12, 1e-14);
    double angle = 0;
    for (int i = 0; i < 20000; i++) {
        td_turn_curve_at(curve, (i + 0.5) * 1e-4, NULL, &spin, NULL);
        angle += spin.y * 1e-4;
    }
    CHECK_REL(angle, 24, 1e-7);
}

TD_TEST(turn_curve_takes_the_shorter_way_between_quaternions) {
    const double times[] = {0, 1};
    for (int sign = -1; sign <= 1; sign += 2) {
        const td_quat keys[] = {{1, 0, 0, 0}, {sign * cos(0.7), 0, sign * sin(0.7), 0}};
        td_turn_curve_def def = td_turn_curve_def_default();
        def.key_count = 2;
        def.times = times;
        def.rotations = keys;
        def.interpolation = TD_LINEAR;
        OWNED(td_turn_curve) *curve = turns_of(&def);
        td_vec3 spin;
        td_turn_curve_at(curve, 0.5, NULL, &spin, NULL);
        CHECK_REL(spin.y, 1.4, 1e-14);
    }
}

// a quick turn, then a long hold
TD_TEST(turn_curve_goes_little_past_its_keys_however_uneven_they_are) {
    for (double quick = 1; quick > 1e-6; quick /= 10) {
        const double times[] = {0, 1, 1 + quick, 3};
        const td_vec3 turns[] = {{0, 0, 0}, {0, 0, 0}, {0, 1, 0}, {0, 1, 0}};
        td_turn_curve_def def = td_turn_curve_def_default();
        def.key_count = 4;
        def.times = times;
        def.turns = turns;
        OWNED(td_turn_curve) *curve = turns_of(&def);
        double low = 0, high = 0;
        for (int i = 0; i <= 3000; i++) {
            td_quat q;
            td_turn_curve_at(curve, i * 1e-3, &q, NULL, NULL);
            double angle = 2 * atan2(q.y, q.w);
            low = fmin(low, angle);
            high = fmax(high, angle);
        }
        CHECK_IN(low, -0.1, -0.001);
        CHECK_IN(high, 1.001, 1.1);
    }
}

TD_TEST(base_motion_joins_both_curves) {
    const double times[] = {0, 2}, places[] = {1, 2, 3, 5, 4, 3};
    const td_vec3 turns[] = {{0, 0, 0}, {0, 3, 0}};
    td_curve_def place = def_of(2, times, places);
    place.part_count = 3;
    td_turn_curve_def turn = td_turn_curve_def_default();
    turn.key_count = 2;
    turn.times = times;
    turn.turns = turns;
    OWNED(td_curve) *position = curve_of(&place);
    OWNED(td_turn_curve) *rotation = turns_of(&turn);
    td_base_motion m = td_base_motion_at(position, rotation, 1);
    CHECK_REL(m.position.x, 3, 1e-15);
    CHECK_REL(m.velocity.x, 4 * 1.875 / 2, 1e-15);
    CHECK_REL(m.spin.y, 3 * 1.875 / 2, 1e-14);
    CHECK_IN(quat_apart(m.rotation, tdi_quat_turn(tdi_vec3(0, 1, 0), 1.5)), 0, 1e-15);
    m = td_base_motion_at(NULL, NULL, 1);
    CHECK(m.rotation.w == 1 && m.position.x == 0 && m.velocity.x == 0);
}

// ---- refusals -------------------------------------------------------------------------------

static void check_refused(const td_curve_def *def, td_status want, int32_t index) {
    td_curve *curve = NULL;
    td_diag diag = {.message = "", .index = TD_NONE};
    CHECK_INT(td_curve_new(def, NULL, &curve, &diag), want);
    CHECK(!curve);
    CHECK(diag.message[0] != 0);
    CHECK_INT(diag.index, index);
}

TD_TEST(curve_refuses_bad_keys_and_names_them) {
    const double good[] = {0, 1, 2}, equal[] = {0, 1, 1}, falling[] = {0, -1, 2};
    const double wild[] = {0, NAN, 2}, huge[] = {0, 1, 1e200}, infinite[] = {1, 2, INFINITY};
    check_refused(NULL, TD_ERR_ARGUMENT, TD_NONE);
    td_curve_def def = {0};
    check_refused(&def, TD_ERR_DEF, TD_NONE);
    def = def_of(0, good, good);
    check_refused(&def, TD_ERR_ARGUMENT, TD_NONE);
    def = def_of(TD_CURVE_KEYS_MAX + 1, good, good);
    check_refused(&def, TD_ERR_LIMIT, TD_NONE);
    def = def_of(3, equal, good);
    check_refused(&def, TD_ERR_ARGUMENT, 2);
    def = def_of(3, falling, good);
    check_refused(&def, TD_ERR_ARGUMENT, 1);
    def = def_of(3, wild, good);
    check_refused(&def, TD_ERR_ARGUMENT, 1);
    def = def_of(3, huge, good);
    check_refused(&def, TD_ERR_ARGUMENT, 2);
    def = def_of(3, good, infinite);
    check_refused(&def, TD_ERR_ARGUMENT, 2);
    def = def_of(3, good, good);
    def.part_count = TD_CURVE_PARTS_MAX + 1;
    check_refused(&def, TD_ERR_ARGUMENT, TD_NONE);
    def = def_of(3, good, good);
    def.repeat = true;
    check_refused(&def, TD_ERR_ARGUMENT, 2); // does not end as it began
    def = def_of(1, good, good);
    def.repeat = true;
    check_refused(&def, TD_ERR_ARGUMENT, TD_NONE);
    def = def_of(3, good, good);
    def.interpolation = (td_interpolation)7;
    check_refused(&def, TD_ERR_ARGUMENT, TD_NONE);
    def = def_of(3, good, NULL);
    check_refused(&def, TD_ERR_ARGUMENT, TD_NONE);
}

static void check_turns_refused(const td_turn_curve_def *def, td_status want, int32_t index) {
    td_turn_curve *curve = NULL;
    td_diag diag = {.message = "", .index = TD_NONE};
    CHECK_INT(td_turn_curve_new(def, NULL, &curve, &diag), want);
    CHECK(!curve);
    CHECK_INT(diag.index, index);
}

TD_TEST(turn_curve_refuses_bad_keys_and_names_them) {
    const double times[] = {0, 1};
    const td_quat zero[] = {{1, 0, 0, 0}, {0, 0, 0, 0}}, good[] = {{1, 0, 0, 0}, {0, 1, 0, 0}};
    const td_vec3 wild[] = {{0, NAN, 0}, {0, 0, 0}}, far[] = {{0, 0, 0}, {1e10, 0, 0}};
    td_turn_curve_def def = td_turn_curve_def_default();
    def.key_count = 2;
    def.times = times;
    check_turns_refused(&def, TD_ERR_ARGUMENT, TD_NONE); // no keys at all
    def.rotations = zero;
    check_turns_refused(&def, TD_ERR_ARGUMENT, 1);
    def.rotations = good;
    def.repeat = true;
    check_turns_refused(&def, TD_ERR_ARGUMENT, 1);
    def.turns = far;
    check_turns_refused(&def, TD_ERR_ARGUMENT, TD_NONE); // both kinds of keys
    def.rotations = NULL;
    check_turns_refused(&def, TD_ERR_ARGUMENT, 1);
    def.turns = wild;
    check_turns_refused(&def, TD_ERR_ARGUMENT, 0);
    def.struct_size = 0;
    check_turns_refused(&def, TD_ERR_DEF, TD_NONE);
}

TD_TEST(curves_without_memory_are_refused_and_leave_nothing_behind) {
    const double times[] = {0, 1, 2}, values[] = {1, 2, 1};
    const td_vec3 turns[] = {{0, 0, 0}, {0, 1, 0}, {0, 0, 0}};
    td_curve_def def = def_of(3, times, values);
    td_turn_curve_def turn = td_turn_curve_def_default();
    turn.key_count = 3;
    turn.times = times;
    turn.turns = turns;
    WITH_SCARCE(memory, 1) {
        OWNED(td_curve) *curve = NULL;
        CHECK_INT(td_curve_new(&def, &memory.alloc, &curve, NULL), scarce_status(&memory));
    }
    WITH_SCARCE(memory, 1) {
        OWNED(td_turn_curve) *curve = NULL;
        CHECK_INT(td_turn_curve_new(&turn, &memory.alloc, &curve, NULL), scarce_status(&memory));
    }
}

// the largest values over the smallest gaps, and times that are no number: finite, no crash
TD_TEST(curves_at_their_limits_stay_finite) {
    const double times[] = {0, 1e-9, 1, 1e9}, values[] = {1e100, -1e100, 1e100, -1e100};
    td_curve_def def = def_of(4, times, values);
    OWNED(td_curve) *curve = curve_of(&def);
    for (int i = 0; i < 40; i++) {
        double value, rate, rate2;
        td_curve_at(curve, pow(10, i - 20), &value, &rate, &rate2);
        CHECK(isfinite(value) && isfinite(rate) && isfinite(rate2));
    }
}
