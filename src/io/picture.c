// SPDX-License-Identifier: MIT
// Textures by rule.
//
// Method   every texture is a field of heights from 0 to 65535 on a torus, so that it can be put
//          beside itself: sums of value noise, and for leaves and petals their veins. A colour
//          texture maps the height to a ramp of colours, a normal map takes its slopes.
// Noise    values at the points of a lattice by a hash; between them 3f^2 - 2f^3 of both.

#include "io/picture.h"

#include "base/alloc.h"
#include "io/png.h"

#define ONE         65536 // 1, where numbers have 16 bits behind the point
#define COLOR_SIDE  256   // pixels
#define NORMAL_SIDE 128

// ---- noise ----------------------------------------------------------------------------------

static int32_t lattice(int32_t x, int32_t y, uint32_t seed) {
    uint32_t h = (uint32_t)x * 0x8da6b343u ^ (uint32_t)y * 0xd8163841u ^ seed * 0xcb1ab31fu;
    h = (h ^ h >> 16) * 0x7feb352du;
    h = (h ^ h >> 15) * 0x846ca68bu;
    return (int32_t)((h ^ h >> 16) & 0xffff);
}

static int32_t smooth(int32_t f) {
    int64_t square = (int64_t)f * f / ONE;
    return (int32_t)(square * (3 * ONE - 2 * (int64_t)f) / ONE);
}

static int32_t between(int32_t a, int32_t b, int32_t share) {
    return a + (int32_t)((int64_t)(b - a) * share / ONE);
}

// 0 to 65535 at (x, y), each from 0 to 65535 for once around, on a lattice of columns times rows
static int32_t noise(int32_t x, int32_t y, int32_t columns, int32_t rows, uint32_t seed) {
    int64_t px = (int64_t)(x & 0xffff) * columns, py = (int64_t)(y & 0xffff) * rows;
    int32_t cx = (int32_t)(px / ONE), cy = (int32_t)(py / ONE);
    int32_t fx = smooth((int32_t)(px % ONE)), fy = smooth((int32_t)(py % ONE));
    int32_t nx = (cx + 1) % columns, ny = (cy + 1) % rows;
    int32_t low = between(lattice(cx, cy, seed), lattice(nx, cy, seed), fx);
    int32_t high = between(lattice(cx, ny, seed), lattice(nx, ny, seed), fx);
    return between(low, high, fy);
}

// halves of finer and finer noise
static int32_t noises(int32_t x, int32_t y, int32_t columns, int32_t rows, int octaves,
                      uint32_t seed) {
    int32_t sum = 0;
    for (int k = 0; k < octaves; k++) {
        sum += noise(x, y, columns << k, rows << k, seed + (uint32_t)k) >> (k + 1);
    }
    return sum;
}

// ---- heights --------------------------------------------------------------------------------

static int32_t distance(int32_t a, int32_t b) {
    return a > b ? a - b : b - a;
}

static int32_t clamp(int64_t height) {
    return height < 0 ? 0 : height > 65535 ? 65535 : (int32_t)height;
}

static int32_t root_of(int64_t square) {
    int64_t root = 0;
    for (int64_t bit = (int64_t)1 << 30; bit > 0; bit >>= 1) {
        root += (root + bit) * (root + bit) <= square ? bit : 0;
    }
    return (int32_t)root;
}

// How far a place is from the border between two cells, each about a point somewhere in its part of
// a grid of columns times rows; over the width of a part, times 65536.
static int32_t inside(int32_t x, int32_t y, int32_t columns, int32_t rows, uint32_t seed) {
    int64_t px = (int64_t)(x & 0xffff) * columns, py = (int64_t)(y & 0xffff) * rows;
    int64_t nearest = INT64_MAX, next = INT64_MAX;
    for (int32_t k = 0; k < 9; k++) {
        int32_t cx = (int32_t)(px / ONE) + k % 3 - 1, cy = (int32_t)(py / ONE) + k / 3 - 1;
        int32_t wx = (cx + columns) % columns, wy = (cy + rows) % rows;
        int64_t dx = px - (int64_t)cx * ONE - lattice(wx, wy, seed);
        int64_t dy = py - (int64_t)cy * ONE - lattice(wx, wy, seed + 1);
        int64_t square = dx * dx + dy * dy;
        next = square < nearest ? nearest : square < next ? square : next;
        nearest = square < nearest ? square : nearest;
    }
    return root_of(next) - root_of(nearest);
}

// plates, taller than wide, between furrows that wander; each is cracked and rough
static int32_t bark(int32_t x, int32_t y) {
    int32_t aside = (noises(x, y, 7, 4, 3, 11) - 28000) / 7;
    int32_t plate = inside(x + aside, y + 3 * aside, 18, 5, 1);
    int32_t crack = inside(x - aside, y + aside, 40, 18, 7);
    int64_t height = 14000 + (plate < 20000 ? 3 * (int64_t)plate / 2 : 30000);
    height -= crack < 9000 ? 9000 - crack : 0;
    return clamp(height + noises(x, y, 40, 14, 3, 23) / 2 - 8000);
}

// fibres
static int32_t stalk(int32_t x, int32_t y) {
    return clamp(30000 + noises(x, y, 28, 2, 2, 31) / 2 + noises(x, y, 9, 5, 3, 37) / 4);
}

// How near (0 to 65535) a place is to a vein of a pinnate leaf. x from 0 to 65535 across the leaf,
// y from the tip down to the base.
static int32_t vein(int32_t x, int32_t y) {
    int32_t out = distance(x, 32768);
    // side veins leave the midrib upwards: up the leaf by 0.55 of the way out, bent at the end
    int32_t up = ONE - y - (int32_t)((int64_t)out * 36000 / ONE) -
                 (int32_t)((int64_t)out * out / ONE * 20000 / ONE);
    int32_t shift = x < 32768 ? 2400 : 0; // left and right do not face each other
    int32_t spacing = 6100, place = ((up + shift) % spacing + spacing) % spacing;
    int32_t side = distance(place, spacing / 2); // most at the vein
    int32_t width = 620 - out / 90;
    int32_t near_side = side > spacing / 2 - width ? 40000 : 0;
    int32_t soft = side > spacing / 2 - 3 * width ? 14000 : 0;
    int32_t midrib = out < 1100 ? 65535 : out < 1900 ? 30000 : 0;
    int32_t best = near_side > soft ? near_side : soft;
    return best > midrib ? best : midrib;
}

// fields of cells between the veins
static int32_t leaf(int32_t x, int32_t y) {
    int32_t cells = distance(noise(x, y, 40, 40, 41), 32768) / 3;
    return clamp(24000 + cells + noises(x, y, 6, 6, 3, 43) / 4 + vein(x, y) / 2);
}

// fine veins that spread from the base
static int32_t petal(int32_t x, int32_t y) {
    int32_t from_base = ONE + 8000 - y;
    int32_t fan = (int32_t)((int64_t)(x - 32768) * 24000 / from_base) + 32768;
    int32_t lines = noise(fan, 0, 34, 1, 53);
    return clamp(38000 + lines / 3 + noises(x, y, 5, 5, 2, 59) / 6);
}

// ---- textures -------------------------------------------------------------------------------

typedef struct rule {
    int32_t (*height)(int32_t x, int32_t y);
    uint8_t low[3], high[3]; // colours of the lowest and the highest
    int32_t steep;           // of a normal map, over 256; 0: it is a colour texture
} rule;

static const rule rules[TDI_PICTURE_COUNT] = {
    [TDI_PICTURE_BARK] = {bark, {60, 50, 46}, {255, 250, 244}, 0},
    [TDI_PICTURE_BARK_NORMALS] = {bark, {0, 0, 0}, {0, 0, 0}, 260},
    [TDI_PICTURE_STALK] = {stalk, {176, 176, 160}, {255, 255, 250}, 0},
    [TDI_PICTURE_LEAF] = {leaf, {178, 190, 168}, {255, 255, 226}, 0},
    [TDI_PICTURE_LEAF_NORMALS] = {leaf, {0, 0, 0}, {0, 0, 0}, 110},
    [TDI_PICTURE_PETAL] = {petal, {190, 176, 184}, {255, 255, 255}, 0},
};

static int32_t side_of(const rule *r) {
    return r->steep > 0 ? NORMAL_SIDE : COLOR_SIDE;
}

static int32_t height_at(const rule *r, int32_t column, int32_t row) {
    int32_t side = side_of(r), step = ONE / side;
    int32_t x = (column + side) % side, y = (row + side) % side;
    return r->height(x * step + step / 2, y * step + step / 2);
}

// (-dh/dx, -dh/dup, 1) made a unit vector, each from -1..1 to 0..255
static void put_normal(const rule *r, int32_t column, int32_t row, uint8_t *to) {
    int64_t n[3] = {height_at(r, column - 1, row) - height_at(r, column + 1, row),
                    height_at(r, column, row + 1) - height_at(r, column, row - 1), 0};
    n[0] = n[0] * r->steep / 256;
    n[1] = n[1] * r->steep / 256;
    n[2] = ONE / 2;
    int64_t length = root_of(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
    for (int k = 0; k < 3; k++) {
        to[k] = (uint8_t)(128 + 127 * n[k] / length);
    }
}

static void put_pixels(const rule *r, uint8_t *pixels) {
    int32_t side = side_of(r);
    for (int32_t i = 0; i < side * side; i++) {
        if (r->steep > 0) {
            put_normal(r, i % side, i / side, pixels + 3 * (size_t)i);
        } else {
            pixels[i] = (uint8_t)(height_at(r, i % side, i / side) >> 8);
        }
    }
}

static void put_palette(const rule *r, uint8_t palette[768]) {
    for (int32_t i = 0; i < 768; i++) {
        int32_t low = r->low[i % 3], high = r->high[i % 3];
        palette[i] = (uint8_t)(low + (high - low) * (i / 3) / 255);
    }
}

// ---- entry ----------------------------------------------------------------------------------

uint64_t tdi_picture_size(tdi_picture picture) {
    if (!TDI_PICTURES) {
        return 0;
    }
    const rule *r = &rules[picture];
    static const uint8_t any[1] = {0};
    tdi_image image = {side_of(r), side_of(r), NULL, r->steep > 0 ? NULL : any};
    return tdi_png_size(&image);
}

td_status tdi_picture_write(tdi_picture picture, const td_alloc *alloc, uint8_t *out) {
    if (!TDI_PICTURES) {
        return TD_ERR_ARGUMENT;
    }
    const rule *r = &rules[picture];
    uint8_t palette[768];
    size_t size = (size_t)side_of(r) * (size_t)side_of(r) * (r->steep > 0 ? 3 : 1);
    uint8_t *pixels = tdi_alloc_zeroed(alloc, size, 1);
    if (!pixels) {
        return TD_ERR_MEMORY;
    }
    put_pixels(r, pixels);
    put_palette(r, palette);
    tdi_image image = {side_of(r), side_of(r), pixels, r->steep > 0 ? NULL : palette};
    tdi_png_write(&image, out);
    tdi_alloc_free(alloc, pixels, size);
    return TD_OK;
}
