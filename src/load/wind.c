// SPDX-License-Identifier: MIT
// Wind: a mean, gusts and turbulence.
//
// Method   u(x) = m(y) [1 + sum of g S(K.(x - shift) + p)]
//                 + sum of a S(k.(x - shift) + p + w churn),
//          S the sine of so many turns. Turbulence has no divergence, because every a is
//          perpendicular to its k; this holds for any S, so that a short polynomial will do. Its
//          waves cut the spectrum of the isotropic correlation exp(-r/L) into parts, in two kinds
//          by what they do to the component along the direction d of the wind: `along`, with a in
//          the plane of d and k, make up all of it; `across`, with a perpendicular to both, none.
//          With k1 along d and k2 across it, k in units of 1/L, the kinds have the densities
//              along    k2^3/(1 + k^2)^3 dk1 dk2,   of all k2: 1/(1 + k1^2)
//              across   k2 k^2/(1 + k^2)^3 dk1 dk2,  of all k2: (1 + 2 k1^2)/(1 + k1^2)^2.
//          Waves come in pairs at right angles about d with the same a; with that the variance is
//          the same in all axes. docs/theory/wind.md derives it.
// Carried  `shift` is the integral of the mean (Taylor's hypothesis). On the way a wave changes by
//          w churn, w ~ k1: small eddies are a little faster than the mean, large ones slower. The
//          change is even along the spectrum, so that waves keep apart in frequency.
// Bits     from exact operations alone, no libm but sqrt, floor and frexp.

#include "tendril/wind.h"

#include "base/alloc.h"
#include "base/diag.h"
#include "base/guard.h"
#include "base/opts.h"
#include "base/random.h"
#include "base/range.h"
#include "math/vec3.h"

#include <string.h>

#define KIND_WAVES 20 // of each kind; even
#define WAVES      (2 * KIND_WAVES)
#define GUST_WAVES 4
#define CUT        20.0     // k beyond which there is no energy, over 1/L
#define KEPT       0.96820  // 2/pi atan(CUT): the part of the variance below it
#define JITTER     0.15     // how far a k1 may lie from its place, over its part of the spectrum
#define SWEPT      0.3      // speeds of eddies against the mean at most, over the rms of turbulence
#define BLOCK      64       // points at once, in the first cache
#define ROUND      0x1.8p52 // added and taken away it rounds to the nearest whole number

// sin(2 pi r)/(r (1 - 4 r^2)) in powers of r^2, least largest error of the sine on [-1/2, 1/2]
#define SINE0 6.283182595507839
#define SINE1 (-16.20867028623563)
#define SINE2 16.76097466231497
#define SINE3 (-9.530800262638126)
#define SINE4 3.0583277630256367

typedef struct wave {
    td_vec3 k; // turns a metre
    td_vec3 a; // m/s; in a td_wind over the rms of turbulence, or over the mean
    td_real phase;
    td_real swept; // turns a unit of churn
} wave;

typedef struct block { // points and their velocities
    int32_t count;
    td_real x[BLOCK], y[BLOCK], z[BLOCK], ux[BLOCK], uy[BLOCK], uz[BLOCK];
} block;

struct td_wind {
    const td_alloc *alloc;
    td_wind_def def;
    td_real log_height; // log(1 + height/roughness)
    wave turbulence[WAVES];
    wave gusts[GUST_WAVES]; // a.x alone: the part of the mean
};

td_wind_def td_wind_def_default(void) {
    td_wind_def def = {.struct_size = sizeof def,
                       .seed = 1,
                       .intensity = 0.2,
                       .length = 4,
                       .direction = {1, 0, 0},
                       .gust_length = 30,
                       .height = 10};
    return def;
}

// ---- waves ----------------------------------------------------------------------------------

typedef enum wave_kind { ALONG, ACROSS } wave_kind;

// k1 of KIND_WAVES waves, lowest first, one in each part of equal weight of 1/(1 + k1^2). The
// kinds take turns along the line, so that no two waves have nearly the same k1: only over a long
// time would such two give their mean variance.
static void draw_along(tdi_random *random, wave_kind kind, td_real *k1) {
    enum { STEPS = 8192 };
    td_real place[KIND_WAVES], total = 0, last = CUT / (1 + CUT);
    for (int32_t i = 0; i < KIND_WAVES; i++) {
        td_real jitter = JITTER * (tdi_random_uniform(random) - 0.5);
        place[i] = (i + (kind == ALONG ? 0.4 : 0.9) + jitter) / KIND_WAVES;
    }
    // k1 = s/(1 - s); the first run adds up the weight, the second meets the places
    for (int run = 0; run < 2; run++) {
        td_real sum = 0;
        int32_t next = 0;
        for (int i = 0; i < STEPS; i++) {
            td_real s = last * (i + 0.5) / STEPS, k = s / (1 - s);
            sum += 1 / ((1 + k * k) * (1 - s) * (1 - s));
            while (run == 1 && next < KIND_WAVES && sum >= place[next] * total) {
                k1[next++] = k;
            }
        }
        total = sum;
    }
}

// k across the direction, for k1 and a place 0..1 in its distribution. With v = (k2/s)^2,
// s^2 = 1 + k1^2:
//   along    v dv/(1 + v)^3, which has the integral (v/(1 + v))^2/2
//   across   (w - 1) dw/w^3 from w = s^2 on, w = 1 + k^2; the integral is y^2/2 - y, y = 1/w
static td_real across(wave_kind kind, td_real k1, td_real place) {
    td_real s2 = 1 + k1 * k1, k2;
    if (kind == ALONG) {
        td_real root = sqrt(place);
        k2 = sqrt(s2 * root / (1 - root));
    } else {
        td_real most = 1 / s2, left = (1 - place) * (most - 0.5 * most * most);
        td_real y = 2 * left / (1 + sqrt(1 - 2 * left));
        k2 = sqrt(1 / y - s2);
    }
    return k2 < CUT ? k2 : CUT;
}

static void draw_order(tdi_random *random, int32_t *order, int32_t count) {
    for (int32_t i = 0; i < count; i++) {
        int32_t j = (int32_t)(tdi_random_uniform(random) * (i + 1));
        order[i] = order[j];
        order[j] = i;
    }
}

// a unit vector perpendicular to the unit vector x, every one alike
static td_vec3 draw_perpendicular(tdi_random *random, td_vec3 x) {
    td_vec3 e = tdi_across(x), f = tdi_cross(x, e);
    for (;;) {
        td_real u = 2 * tdi_random_uniform(random) - 1, v = 2 * tdi_random_uniform(random) - 1;
        td_real n = sqrt(u * u + v * v);
        if (n > 0.01 && n < 1) {
            return tdi_madd(tdi_scale(e, u / n), f, v / n);
        }
    }
}

typedef struct wave_shape {
    td_real k1, k2;
    td_real size;
    td_real lag; // -1..1: how much slower than the mean
} wave_shape;

// One wave with k = k1 d + k2 e. Along: a in the plane of d and e, of this size along d. Across: a
// perpendicular to both, of this size.
static void set_wave(tdi_random *random, wave *w, wave_kind kind, td_vec3 d, td_vec3 e,
                     wave_shape shape) {
    const td_real turns = 1 / (2 * TDI_PI);
    w->k = tdi_scale(tdi_madd(tdi_scale(d, shape.k1), e, shape.k2), turns);
    td_vec3 a = kind == ALONG ? tdi_madd(d, e, -shape.k1 / shape.k2) : tdi_cross(d, e);
    w->a = tdi_scale(a, shape.size);
    w->phase = tdi_random_uniform(random);
    w->swept = SWEPT * turns * shape.k1 * shape.lag;
}

// e or -e, whichever brings the sum of all so far nearer to zero
static td_vec3 balance(td_vec3 *sum, td_vec3 e, td_real weight) {
    td_vec3 chosen = tdi_scale(e, tdi_dot(*sum, e) > 0 ? -1 : 1);
    *sum = tdi_madd(*sum, chosen, weight);
    return chosen;
}

// The waves of a kind, two and two at right angles about d, alike in the slope k1/k2. Returns the
// variance that all of them together have in each axis across d. A wave along d also ties the
// component along d to the one along e, by its slope; from the steepest on these are balanced.
static td_real draw_kind(tdi_random *random, wave_kind kind, td_vec3 d, wave *waves) {
    td_real k1[KIND_WAVES], variance = 0;
    int32_t order[KIND_WAVES / 2];
    td_vec3 tie = {0, 0, 0};
    draw_along(random, kind, k1);
    draw_order(random, order, KIND_WAVES / 2);
    for (int32_t i = KIND_WAVES / 2 - 1; i >= 0; i--) {
        td_real first = k1[2 * i], second = k1[2 * i + 1], mid2 = first * second;
        td_real mid = sqrt(mid2);
        td_real slope = mid / across(kind, mid, (order[i] + 0.5) / (KIND_WAVES / 2));
        // k1 was drawn from 1/(1 + k1^2): those across weigh what their density is over it
        td_real size = kind == ALONG ? 1 : sqrt((1 + 2 * mid2) / (1 + mid2));
        td_real lag = 1 - (2 * i + 1) / (0.5 * KIND_WAVES);
        td_vec3 e = balance(&tie, draw_perpendicular(random, d), slope);
        td_vec3 f = balance(&tie, tdi_cross(d, e), slope);
        set_wave(random, &waves[2 * i], kind, d, e, (wave_shape){first, first / slope, size, lag});
        set_wave(random, &waves[2 * i + 1], kind, d, f,
                 (wave_shape){second, second / slope, size, lag});
        variance += 0.5 * (kind == ALONG ? slope * slope : size * size);
    }
    return variance;
}

static void draw_turbulence(tdi_random *random, td_wind *wind) {
    td_vec3 d = tdi_scale(wind->def.direction, 1 / tdi_norm(wind->def.direction));
    wave *along = wind->turbulence, *over = wind->turbulence + KIND_WAVES;
    td_real beside = draw_kind(random, ALONG, d, along);
    td_real aside = draw_kind(random, ACROSS, d, over);
    // a component's variance is 1: along d half of a^2 summed, across it what both kinds give
    td_real a2 = 2.0 / KIND_WAVES, b2 = (1 - a2 * beside) / aside;
    for (int32_t i = 0; i < WAVES; i++) {
        wave *w = &wind->turbulence[i];
        w->a = tdi_scale(w->a, sqrt(i < KIND_WAVES ? a2 : b2));
        w->k = tdi_scale(w->k, 1 / (KEPT * wind->def.length));
        w->swept /= KEPT;
    }
}

// level waves that run half a quarter turn apart, of unlike lengths so that they never repeat
static void draw_gusts(tdi_random *random, td_wind *wind) {
    static const td_real scale[GUST_WAVES] = {1, 0.8, 1.3, 0.65};
    static const td_real cosine[GUST_WAVES] = {1, 0.70710678118654752, 0, -0.70710678118654752};
    static const td_real sine[GUST_WAVES] = {0, 0.70710678118654752, 1, 0.70710678118654752};
    td_vec3 first = draw_perpendicular(random, tdi_vec3(0, 1, 0));
    td_real c = first.x, s = first.z;
    for (int i = 0; i < GUST_WAVES; i++) {
        td_vec3 k = {c * cosine[i] - s * sine[i], 0, s * cosine[i] + c * sine[i]};
        wave *g = &wind->gusts[i];
        g->k = tdi_scale(k, 1 / (scale[i] * wind->def.gust_length));
        g->a = tdi_vec3(wind->def.gust / GUST_WAVES, 0, 0);
        g->phase = tdi_random_uniform(random);
    }
}

// ---- making and freeing ---------------------------------------------------------------------

static td_status check_def(const td_wind_def *def, td_diag *diag) {
    const tdi_range ranges[] = {
        TDI_BETWEEN("intensity", NULL, def->intensity, 0, 2),
        TDI_BETWEEN("length", "m", def->length, 1e-3, 1e6),
        TDI_BETWEEN("gust", NULL, def->gust, 0, 1),
        TDI_BETWEEN("gust_length", "m", def->gust_length, 1e-3, 1e6),
        TDI_BETWEEN("roughness", "m", def->roughness, def->roughness == 0 ? 0 : 1e-6, 100),
        TDI_BETWEEN("height", "m", def->height, 1e-3, 1e6),
        TDI_BETWEEN("onset", "s", def->onset, 0, 1e6)};
    td_real length = tdi_norm(def->direction);
    if (!(length > 1e-100 && length < 1e100)) {
        return tdi_fail(diag, TD_ERR_ARGUMENT,
                        "wind: direction is (%g, %g, %g); it must be finite and not zero",
                        def->direction.x, def->direction.y, def->direction.z);
    }
    return tdi_check_ranges(ranges, sizeof ranges / sizeof *ranges, "wind", TD_NONE, diag);
}

td_status td_wind_new(const td_wind_def *given, const td_alloc *alloc, td_wind **out,
                      td_diag *diag) {
    TDI_CLEAR(out);
    TDI_REFUSE_IF(!out);
    td_wind_def own = td_wind_def_default();
    const td_wind_def *def = &own;
    TDI_TRY(tdi_def_take("td_wind_def", &own, given, diag));
    TDI_TRY(check_def(def, diag));
    td_wind *wind = tdi_alloc_zeroed(alloc, 1, sizeof *wind);
    if (!wind) {
        return tdi_fail(diag, TD_ERR_MEMORY, "out of memory for a wind");
    }
    wind->alloc = alloc;
    wind->def = *def;
    if (def->roughness > 0) {
        wind->log_height = tdi_exact_log(1 + def->height / def->roughness);
    }
    tdi_random random;
    tdi_random_seed(&random, def->seed);
    draw_turbulence(&random, wind);
    draw_gusts(&random, wind);
    *out = wind;
    return TD_OK;
}

void td_wind_free(td_wind *wind) {
    if (wind) {
        tdi_alloc_free(wind->alloc, wind, sizeof *wind);
    }
}

// ---- time -----------------------------------------------------------------------------------

td_wind_state td_wind_start(td_vec3 mean) {
    td_wind_state state = {.mean = mean};
    return state;
}

void td_wind_advance(const td_wind *wind, td_wind_state *state, td_real dt, td_vec3 mean) {
    if (!wind || !state) {
        return;
    }
    td_vec3 middle = tdi_scale(tdi_add(state->mean, mean), 0.5);
    state->shift = tdi_madd(state->shift, middle, dt);
    state->churn += wind->def.intensity * tdi_norm(middle) * dt / wind->def.length;
    state->age += dt;
    state->mean = mean;
}

// 0 to 1 without jumps in slope or curvature
static td_real grown(const td_wind *wind, td_real age) {
    if (!(age < wind->def.onset)) {
        return 1;
    }
    td_real x = age > 0 ? age / wind->def.onset : 0;
    return x * x * x * (10 + x * (6 * x - 15));
}

// the wave as it is now, its phase within one turn
static wave wave_now(const wave *w, const td_wind_state *state, td_vec3 a) {
    td_real phase = w->phase + w->swept * state->churn - tdi_dot(w->k, state->shift);
    wave now = {.k = w->k, .a = a, .phase = phase - floor(phase)};
    return now;
}

// ---- evaluation -----------------------------------------------------------------------------

#if defined(__x86_64__) && defined(__GNUC__)
#define KERNEL add_waves_2
#define LANES  2
#define TARGET
#include "load/wind_kernel.inc"

#define KERNEL add_waves_4
#define LANES  4
#define TARGET __attribute__((target("avx2")))
#include "load/wind_kernel.inc"

#define KERNEL add_waves_8
#define LANES  8
#define TARGET __attribute__((target("avx512f")))
#include "load/wind_kernel.inc"

static void add_waves(const wave *waves, int32_t wave_count, block *b) {
    if (__builtin_cpu_supports("avx512f")) {
        add_waves_8(waves, wave_count, b);
    } else if (__builtin_cpu_supports("avx2")) {
        add_waves_4(waves, wave_count, b);
    } else {
        add_waves_2(waves, wave_count, b);
    }
}
#else
#define KERNEL add_waves
#define LANES  2
#define TARGET
#include "load/wind_kernel.inc"
#endif

// m(y)/m(height) = log(1 + y/roughness)/log(1 + height/roughness)
static void scale_by_height(const td_wind *wind, block *b) {
    for (int32_t i = 0; i < b->count; i++) {
        td_real y = b->y[i] > 0 ? b->y[i] : 0;
        td_real part = tdi_exact_log(1 + y / wind->def.roughness) / wind->log_height;
        b->ux[i] *= part;
        b->uy[i] *= part;
        b->uz[i] *= part;
    }
}

void td_wind_at(const td_wind *wind, const td_wind_state *state, int32_t count,
                const td_vec3 *points, td_vec3 *velocities) {
    if (!wind || !state || (count > 0 && (!points || !velocities))) {
        return;
    }
    wave turbulence[WAVES], gusts[GUST_WAVES];
    td_real size = grown(wind, state->age);
    td_real rms = size * wind->def.intensity * tdi_norm(state->mean);
    for (int32_t i = 0; i < WAVES; i++) {
        const wave *w = &wind->turbulence[i];
        turbulence[i] = wave_now(w, state, tdi_scale(w->a, rms));
    }
    for (int32_t i = 0; i < GUST_WAVES; i++) {
        const wave *g = &wind->gusts[i];
        gusts[i] = wave_now(g, state, tdi_scale(state->mean, size * g->a.x));
    }
    block b = {.count = 0};
    for (int32_t from = 0; from < count; from += b.count) {
        b.count = count - from < BLOCK ? count - from : BLOCK;
        for (int32_t i = 0; i < b.count; i++) {
            b.x[i] = points[from + i].x;
            b.y[i] = points[from + i].y;
            b.z[i] = points[from + i].z;
            b.ux[i] = state->mean.x;
            b.uy[i] = state->mean.y;
            b.uz[i] = state->mean.z;
        }
        if (wind->def.gust > 0) {
            add_waves(gusts, GUST_WAVES, &b);
        }
        if (wind->def.roughness > 0) {
            scale_by_height(wind, &b);
        }
        if (rms > 0) {
            add_waves(turbulence, WAVES, &b);
        }
        for (int32_t i = 0; i < b.count; i++) {
            velocities[from + i] = tdi_vec3(b.ux[i], b.uy[i], b.uz[i]);
        }
    }
}
