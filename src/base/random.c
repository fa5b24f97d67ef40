// SPDX-License-Identifier: MIT
// Seeded random numbers.

#include "base/random.h"

#include <math.h>

// ---- bits -----------------------------------------------------------------------------------

static uint64_t rotate_left(uint64_t x, int k) {
    return (x << k) | (x >> (64 - k));
}

void tdi_random_seed(tdi_random *random, uint64_t seed) {
    for (int i = 0; i < 4; i++) {
        seed += 0x9e3779b97f4a7c15u;
        uint64_t z = seed;
        z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
        z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
        random->s[i] = z ^ (z >> 31);
    }
}

uint64_t tdi_random_bits(tdi_random *random) {
    uint64_t *s = random->s;
    uint64_t result = rotate_left(s[1] * 5, 7) * 9;
    uint64_t t = s[1] << 17;
    s[2] ^= s[0];
    s[3] ^= s[1];
    s[1] ^= s[2];
    s[0] ^= s[3];
    s[2] ^= t;
    s[3] = rotate_left(s[3], 45);
    return result;
}

double tdi_random_uniform(tdi_random *random) {
    return (double)(tdi_random_bits(random) >> 11) * 0x1p-53;
}

// ---- elementary functions from exact operations ---------------------------------------------

// log x = e log 2 + 2 atanh((m-1)/(m+1)), m in [sqrt(1/2), sqrt(2))
double tdi_exact_log(double x) {
    int e;
    double m = frexp(x, &e);
    if (m < 0.70710678118654752) {
        m *= 2;
        e--;
    }
    double t = (m - 1) / (m + 1), t2 = t * t, sum = 0;
    for (int k = 21; k >= 1; k -= 2) {
        sum = sum * t2 + 1.0 / k;
    }
    return e * 0.69314718055994531 + 2 * t * sum;
}

// exp x = 2^n exp r, |r| <= log(2)/2, by Taylor's series
static double exact_exp(double x) {
    if (x < -740) {
        return 0;
    }
    double n = floor(x / 0.69314718055994531 + 0.5);
    double r = x - n * 0.69314718055994531, sum = 1;
    for (int k = 16; k >= 1; k--) {
        sum = 1 + sum * r / k;
    }
    return ldexp(sum, (int)n);
}

// ---- distributions --------------------------------------------------------------------------

// Marsaglia's polar method; the second value is dropped, so that the state is the bits alone
double tdi_random_normal(tdi_random *random) {
    for (;;) {
        double u = 2 * tdi_random_uniform(random) - 1;
        double v = 2 * tdi_random_uniform(random) - 1;
        double s = u * u + v * v;
        if (s > 0 && s < 1) {
            return u * sqrt(-2 * tdi_exact_log(s) / s);
        }
    }
}

// log of a gamma variate of the given shape: Marsaglia and Tsang 2000, shape < 1 by U^(1/shape)
static double log_gamma_variate(tdi_random *random, double shape) {
    double boost = 0;
    if (shape < 1) {
        boost = tdi_exact_log(1 - tdi_random_uniform(random)) / shape;
        shape += 1;
    }
    double d = shape - 1.0 / 3, c = 1 / sqrt(9 * d);
    for (;;) {
        double x = tdi_random_normal(random);
        double v = 1 + c * x;
        if (v <= 0) {
            continue;
        }
        v = v * v * v;
        double u = 1 - tdi_random_uniform(random);
        if (tdi_exact_log(u) < 0.5 * x * x + d - d * v + d * tdi_exact_log(v)) {
            return tdi_exact_log(d * v) + boost;
        }
    }
}

double tdi_random_beta(tdi_random *random, double a, double b) {
    double x = log_gamma_variate(random, a);
    double y = log_gamma_variate(random, b);
    // e^x/(e^x + e^y) without overflow
    return x > y ? 1 / (1 + exact_exp(y - x)) : exact_exp(x - y) / (1 + exact_exp(x - y));
}

// Of n uniform numbers those below p are counted. While there are many, the one in the middle is
// drawn first, which is beta distributed: it says where one half lies, and scales p for the other
// (Knuth, The Art of Computer Programming, 3.4.1).
int64_t tdi_random_binomial(tdi_random *random, int64_t n, double p) {
    int64_t hits = 0;
    while (n > 32 && p > 0 && p < 1) {
        int64_t below = n / 2, above = n - 1 - below;
        double middle = tdi_random_beta(random, (double)(below + 1), (double)(above + 1));
        if (middle >= p) {
            n = below;
            p /= middle;
        } else {
            n = above;
            p = (p - middle) / (1 - middle);
            hits += below + 1;
        }
    }
    if (!(p > 0 && p < 1)) {
        return p > 0 ? hits + n : hits;
    }
    for (int64_t i = 0; i < n; i++) {
        hits += tdi_random_uniform(random) < p;
    }
    return hits;
}
