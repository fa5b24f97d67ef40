// SPDX-License-Identifier: MIT
#pragma once

// The rods that `tendril bench heap` drops, for us and for other engines alike.
//
// Layers of parallel rods, each layer turned at random, above a plane at y = 0; the heap has the
// same proportions for every number of rods.

#include <math.h>
#include <stdint.h>

#define PILE_SEGMENTS 30
#define PILE_LENGTH   0.3   // m
#define PILE_RADIUS   0.002 // m
#define PILE_DENSITY  700.0 // kg/m^3: that of our default material
#define PILE_FRICTION 0.4
#define PILE_DURATION 2.0 // s

#define PILE_ALONG  0.33 // m, between the middles of rods in a row
#define PILE_ACROSS 0.06 // m, between rows; each is shifted by at most a quarter of it
#define PILE_LAYERS 0.06 // m, between layers
#define PILE_TILT   0.1  // rad, at most

static const int32_t pile_counts[] = {10, 30, 100, 300, 1000};
enum { PILE_COUNTS = sizeof pile_counts / sizeof *pile_counts, PILE_MOST = 1000 };

typedef struct pile_rod {
    double ends[2][3]; // m
} pile_rod;

// In [-1, 1].
static inline double pile_draw(uint32_t *seed) {
    *seed = *seed * 1664525u + 1013904223u;
    return (double)(*seed >> 8) / (double)(1u << 23) - 1;
}

static inline void pile_layer(pile_rod *rods, int32_t first, int32_t last, int32_t rows,
                              double height, uint32_t *seed) {
    const double turn = 3.14159265358979 * pile_draw(seed), c = cos(turn), s = sin(turn);
    const int32_t columns = (last - first + rows - 1) / rows;
    for (int32_t k = first; k < last; k++) {
        const int32_t i = (k - first) / rows, j = (k - first) % rows;
        const double x = PILE_ALONG * (i - 0.5 * (columns - 1)) +
                         0.25 * PILE_ACROSS * pile_draw(seed),
                     z = PILE_ACROSS * (j - 0.5 * (rows - 1)) +
                         0.25 * PILE_ACROSS * pile_draw(seed),
                     y = height + 0.1 * PILE_LAYERS * pile_draw(seed),
                     tilt = PILE_TILT * pile_draw(seed);
        for (int e = 0; e < 2; e++) {
            const double way = (e - 0.5) * PILE_LENGTH, u = x + way * cos(tilt);
            rods[k].ends[e][0] = c * u - s * z;
            rods[k].ends[e][1] = y + way * sin(tilt);
            rods[k].ends[e][2] = s * u + c * z;
        }
    }
}

// As many rows and layers as make the heap as high for its width as 10 rods in two layers.
static inline void pile_place(pile_rod *rods, int32_t count) {
    const double size = cbrt(count / 10.0);
    const int32_t layers = (int32_t)(2 * size + 0.5), each = (count + layers - 1) / layers,
                  rows = (int32_t)(5 * size + 0.5);
    uint32_t seed = 1;
    for (int32_t k = 0; k < layers; k++) {
        const int32_t last = (k + 1) * each < count ? (k + 1) * each : count;
        pile_layer(rods, k * each, last, rows, (k + 1) * PILE_LAYERS, &seed);
    }
}
