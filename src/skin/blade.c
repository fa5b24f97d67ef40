// SPDX-License-Identifier: MIT
// Leaves and petals.
//
// Method   a blade is a grid over its outline. A point of it is given by s, its place along the
//          midrib (0..1), and x, its distance from the midrib along the lamina. The midrib is an
//          arc that turns by `curl`; across it the lamina rises by `fold`, first in an arc, then
//          straight. Both keep lengths, so that bending a blade changes none of its area.
// Normal   S_x x S_s, by central differences: x and s stay regular where the width is 0.

#include "skin/organ.h"

#include "math/quat.h"
#include "plant/shape.h"

#define WAVES        4    // ripples along the margin
#define WAVE_SHIFT   2.0  // rad: between the ripples left and right, which are never the same
#define LOBE_SWEEP   0.3  // lobes lean forwards: rise over distance, times their depth
#define MIDRIB       0.05 // half width of the pale midrib over that of the blade
#define INCURVE      1.2  // rad: how far the tips of the innermost petals bend inwards
#define STEP         1e-5 // of s, and of x over the width, for normals
#define CUP          0.3  // a crease that is wider is round
#define MAX_COLUMNS  7
#define FEW_ROWS     4   // so few follow no outline but keep its widest place
#define AREA_SAMPLES 32  // of the outline, where an area is for the eye only
#define MOST_WIDER   1.5 // what few rows cut off is made up for to this factor

// how finely a blade is divided, by tdi_detail
typedef struct division {
    int32_t rows;    // along an unlobed blade
    td_real turn;    // rad: the most that it curls between two rows
    int32_t lobe[3]; // rows a lobe: of few, of several, of many
    int32_t columns; // on either side of the midrib; 0: margins only
    int32_t part;    // rows of each part of a blade that bends
} division;

static const division divisions[TDI_DETAIL_COUNT] = {
    [TDI_DETAIL_LEAST] = {2, 3, {0, 0, 0}, 0, 0},
    [TDI_DETAIL_LOW] = {4, 1, {0, 0, 0}, 1, 1},
    [TDI_DETAIL_COARSE] = {6, 0.5, {4, 2, 2}, 1, 2},
    [TDI_DETAIL_MEDIUM] = {10, 0.3, {8, 4, 2}, 2, 2},
    [TDI_DETAIL_FINE] = {16, 0.15, {16, 6, 2}, 2, 4},
};

// a blade of length 1 at the origin along +Y, and where it goes
typedef struct blade_form {
    const td_shape *shape;
    td_real fold, curl;
    td_real arc;   // distance from the midrib up to which the fold is an arc
    td_real sweep; // see LOBE_SWEEP
    td_real length;
    td_quat turn;
    td_vec3 origin;
    td_real widen; // what few rows cut off from the outline is made up for
    bool petal;
    const division *division;
} blade_form;

// ---- surface --------------------------------------------------------------------------------

// across the midrib the lamina turns by `fold` over the distance `arc` and then goes on straight;
// gives the distance to the side and the height
static void fold_profile(const blade_form *blade, td_real x, td_real *aside, td_real *height) {
    td_real bent = fmin(x, blade->arc);
    td_real angle = blade->arc > 0 ? blade->fold * bent / blade->arc : 0;
    td_real half = sin(angle / 2);
    bool straight = fabs(angle) < 1e-9;
    *aside = straight ? bent : bent * sin(angle) / angle;
    *height = straight ? 0 : bent * 2 * half * half / angle;
    *aside += (x - bent) * cos(blade->fold);
    *height += (x - bent) * sin(blade->fold);
}

// x < 0 is the left half
static td_vec3 surface(const blade_form *blade, td_real s, td_real x) {
    td_real aside, height;
    td_real side = x < 0 ? -1 : 1;
    fold_profile(blade, fabs(x), &aside, &height);
    td_real out = 2 * x / blade->shape->width;
    td_real phase = 2 * TDI_PI * WAVES * s + (x < 0 ? WAVE_SHIFT : 0);
    height += blade->shape->wave * out * out * sin(phase);
    td_vec3 place, normal;
    tdi_blade_midrib(blade->curl, s + blade->sweep * fabs(x), &place, &normal);
    place.x += side * aside;
    return tdi_madd(place, normal, height);
}

static td_vec3 surface_normal(const blade_form *blade, td_real s, td_real x) {
    // on the midrib itself both halves count alike
    td_real step = STEP * blade->shape->width;
    td_vec3 dx = tdi_sub(surface(blade, s, x + step), surface(blade, s, x - step));
    td_vec3 ds = tdi_sub(surface(blade, s + STEP, x), surface(blade, s - STEP, x));
    return tdi_unit_or(tdi_cross(dx, ds), tdi_vec3(0, 0, 1));
}

// ---- grid -----------------------------------------------------------------------------------

static bool is_lobed(const blade_form *blade) {
    return blade->shape->lobes > 0 && blade->shape->lobe_depth > 0;
}

static int32_t row_count(const blade_form *blade) {
    const division *fine = blade->division;
    int32_t rows = fine->rows;
    if (is_lobed(blade)) {
        // two rows a lobe are teeth; more make it round
        int32_t lobes = blade->shape->lobes;
        int32_t lobed = lobes * fine->lobe[lobes <= 6 ? 0 : lobes <= 16 ? 1 : 2];
        rows = lobed > rows ? lobed : rows;
    }
    int32_t turns = (int32_t)ceil(fabs(blade->curl) / fine->turn);
    int32_t bends = blade->shape->segments > 1 ? fine->part * blade->shape->segments : 0;
    rows = bends > rows ? bends : rows;
    return turns > rows ? turns : rows;
}

// distances from the midrib of the vertices in a row of half width w, left to right: margins,
// midrib, and its neighbours, which keep the pale midrib of a leaf narrow and make a petal round
static int32_t set_columns(const blade_form *blade, td_real w, td_real columns[MAX_COLUMNS]) {
    td_real near = fmin(0.4 * w, MIDRIB * blade->shape->width / 2);
    td_real half[3] = {w, blade->petal ? 0.5 * w : near, 0};
    int32_t count = blade->division->columns;
    if (count == 0) { // two margins
        columns[0] = -w;
        columns[1] = w;
        return 2;
    }
    bool cup = blade->shape->crease > CUP;
    if (count == 2 && (blade->shape->wave > 0 || cup)) {
        half[1] = 0.65 * w;
        half[2] = blade->petal || cup ? 0.3 * w : near;
        count = 3;
    }
    for (int32_t i = 0; i < count; i++) {
        columns[i] = -half[i];
        columns[2 * count - i] = half[i];
    }
    columns[count] = 0;
    return 2 * count + 1;
}

// s of a row. Those of a smooth outline are closer where it is most curved: at both ends, and at a
// blunt tip, where w goes as (1 - s)^taper, so much closer that w falls evenly.
static td_real row_place(const blade_form *blade, int32_t row, int32_t rows) {
    td_real even = (td_real)row / rows;
    if (rows <= FEW_ROWS) { // the widest place is one of them
        td_real widest = blade->shape->widest;
        return even < 0.5 ? 2 * even * widest : 2 * (1 - widest) * (even - 0.5) + widest;
    }
    if (is_lobed(blade)) {
        return even;
    }
    if (blade->shape->taper < 1) {
        return 1 - pow(1 - even, 1 / fmax(blade->shape->taper, 0.25));
    }
    return even - 0.08 * sin(2 * TDI_PI * even);
}

static uint32_t add_point(tdi_organ_model *model, const blade_form *blade, td_real s, td_real x) {
    td_vec3 place = tdi_scale(surface(blade, s, x), blade->length);
    tdi_organ_vertex vertex = {
        .position = tdi_add(blade->origin, tdi_quat_rotate(blade->turn, place)),
        .normal = tdi_quat_rotate(blade->turn, surface_normal(blade, s, x)),
        .tangent = tdi_quat_rotate(blade->turn, tdi_vec3(1, 0, 0)),
        // a picture of the blade with its tip up, as wide as the blade at its widest
        .u = 0.5 + x / (blade->shape->width * blade->widen),
        .v = 1 - s,
        .along = s + blade->sweep * fabs(x),
        .tint = TDI_TINT_ORGAN,
        // leaves are darker at the base, petals at the throat
        .gain = 256 + (int32_t)(blade->petal ? 70 * s - 50 : 44 * s - 22),
        .white = x == 0 && !blade->petal ? (blade->division->columns < 2 ? 6 : 24) : 0,
    };
    return tdi_organ_vertex_add(model, &model->lamina, vertex);
}

static td_real half_width(const blade_form *blade, td_real s) {
    return blade->widen * tdi_blade_half_width(blade->shape, s);
}

// Area of the outline over that of the polygon which the rows make of it: so much wider is the
// blade drawn where rows are few, so that a crown of such leaves is as dense as one of fine ones.
static td_real lost_area(const blade_form *blade, int32_t rows) {
    td_real drawn = 0, before = 0, w = 0, whole = 0;
    for (int32_t i = 1; i <= rows; i++) {
        td_real s = row_place(blade, i, rows), here = tdi_blade_half_width(blade->shape, s);
        drawn += (w + here) * (s - before);
        w = here;
        before = s;
    }
    for (int32_t i = 0; i < AREA_SAMPLES; i++) {
        whole += 2 * tdi_blade_half_width(blade->shape, (i + 0.5) / AREA_SAMPLES) / AREA_SAMPLES;
    }
    return drawn > 0 ? fmin(whole / drawn, MOST_WIDER) : 1;
}

static void add_grid(tdi_organ_model *model, blade_form *blade) {
    td_real columns[MAX_COLUMNS];
    int32_t rows = row_count(blade);
    blade->widen = rows <= FEW_ROWS ? lost_area(blade, rows) : 1;
    // both ends are points: one vertex each
    uint32_t before = add_point(model, blade, 0, 0);
    for (int32_t i = 1; i <= rows && model->status == TD_OK; i++) {
        bool tip = i == rows;
        td_real s = row_place(blade, i, rows);
        uint32_t count = (uint32_t)set_columns(blade, half_width(blade, s), columns);
        uint32_t here = add_point(model, blade, s, tip ? 0 : columns[0]);
        for (uint32_t k = 1; k < count && !tip; k++) {
            add_point(model, blade, s, columns[k]);
        }
        for (uint32_t k = 0; k + 1 < count; k++) {
            uint32_t a = i > 1 ? before + k : before, d = tip ? here : here + k;
            if (i > 1) {
                tdi_organ_triangle_add(model, &model->lamina, a, a + 1, tip ? d : d + 1);
            }
            if (!tip) {
                tdi_organ_triangle_add(model, &model->lamina, a, d + 1, d);
            }
        }
        before = here;
    }
}

// ---- entries --------------------------------------------------------------------------------

static blade_form blade_of(const td_shape *shape, tdi_detail detail) {
    blade_form blade = {.shape = shape,
                        .fold = shape->fold,
                        .curl = shape->curl,
                        .arc = shape->crease * shape->width / 2,
                        .length = 1,
                        .turn = tdi_quat_identity(),
                        .origin = tdi_vec3(0, shape->stalk, 0),
                        .widen = 1,
                        .division = &divisions[detail]};
    blade.sweep = shape->lobes > 0 ? LOBE_SWEEP * shape->lobe_depth : 0;
    return blade;
}

void tdi_organ_add_blade(tdi_organ_model *model, const td_shape *shape, tdi_detail detail) {
    blade_form blade = blade_of(shape, detail);
    add_grid(model, &blade);
}

void tdi_organ_add_petals(tdi_organ_model *model, const td_shape *shape, tdi_detail detail) {
    for (int32_t whorl = 0; whorl < shape->whorls; whorl++) {
        td_real inward = (td_real)whorl / shape->whorls;
        for (int32_t i = 0; i < shape->petals && model->status == TD_OK; i++) {
            tdi_petal petal = tdi_flower_petal(shape, whorl, i);
            blade_form blade = blade_of(shape, detail);
            blade.petal = true;
            blade.length = petal.length;
            blade.arc = shape->width / 2;
            // a petal that stands upright is part of a round cup; inner ones bend inwards
            blade.fold += TDI_PI / shape->petals * cos(petal.opening);
            blade.curl = shape->curl * (1 - 2 * inward) - INCURVE * inward * inward;
            blade.turn = tdi_quat_mul(tdi_quat_turn(tdi_vec3(0, 1, 0), petal.azimuth),
                                      tdi_quat_turn(tdi_vec3(1, 0, 0), -petal.opening));
            add_grid(model, &blade);
        }
    }
}
