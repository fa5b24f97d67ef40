// SPDX-License-Identifier: MIT
// The ground of a height field.
//
// Surface    H is a cubic spline with two continuous derivatives that passes through all heights
//            and has no curvature across its border, beyond which it is linear. A surface of
//            triangles would have edges at which things bump, and creases in which the distance has
//            no derivative.
// Spline     With coefficients c on the grid and one more row around it, and B the cubic B-spline,
//              H = sum of c_ij B(u - i) B(v - j),   (c_(i-1) + 4 c_i + c_(i+1))/6 = height,
//            solved along rows, then along columns.
// Bounds     B is positive with the sum 1: H is below the largest of the sixteen coefficients of
//            its cell, and second derivatives are below the largest differences of coefficients.
// Sweep      On a straight path with the velocity w across, g = y - H - need sqrt(1 + |grad H|^2)
//            falls by no more than  (y - H)' t - need M w t - M w^2 t^2/2,  M the largest second
//            derivative. Parts of the path that this allows are taken one after the other.
// Beyond     H = H_b + u H_x at the distance u from the border at b: H_zz = H_zz,b + u H_xzz.

#include "contact/height_field.h"

#include "base/alloc.h"
#include "base/diag.h"
#include "base/guard.h"

#include <math.h>

#define HIGHEST 1e6  // m
#define NARROW  1e-6 // m, of a cell
#define FAR     1e9  // m
#define LARGEST 4096 // heights in a row or a column
#define ROUNDS  64
#define STALL   1e-3 // of the path: less than that in a round is the end

struct td_height_field {
    const td_alloc *alloc;
    size_t bytes;
    int32_t columns, rows;
    td_real cell;
    td_real steepest; // largest slope
    td_real *c;       // columns + 2 in a row, rows + 2
    td_real *bend;    // 1/m, of a cell: largest second derivative
};

// ---- making ---------------------------------------------------------------------------------

// In place, `count` heights with a stride become coefficients; one more at each end is written.
static void solve_line(td_real *f, int32_t count, ptrdiff_t stride, td_real *scratch) {
    // (1 4 1) c = 6 f between the ends, at which c = f: elimination forward, then backward
    scratch[0] = 0;
    for (int32_t i = 1; i < count - 1; i++) {
        const td_real pivot = 4 - scratch[i - 1];
        scratch[i] = 1 / pivot;
        td_real right = 6 * f[i * stride] - f[(i - 1) * stride];
        right -= i == count - 2 ? f[(count - 1) * stride] : 0;
        f[i * stride] = right / pivot;
    }
    for (int32_t i = count - 3; i > 0; i--) {
        f[i * stride] -= scratch[i] * f[(i + 1) * stride];
    }
    f[-stride] = 2 * f[0] - f[stride];
    f[count * stride] = 2 * f[(count - 1) * stride] - f[(count - 2) * stride];
}

static inline td_real coefficient(const td_height_field *f, int32_t i, int32_t j) {
    return f->c[(ptrdiff_t)(j + 1) * (f->columns + 2) + i + 1];
}

// Second differences of coefficients.
static inline td_real bend_x(const td_height_field *f, int32_t i, int32_t j) {
    return coefficient(f, i - 1, j) - 2 * coefficient(f, i, j) + coefficient(f, i + 1, j);
}
static inline td_real bend_z(const td_height_field *f, int32_t i, int32_t j) {
    return coefficient(f, i, j - 1) - 2 * coefficient(f, i, j) + coefficient(f, i, j + 1);
}

// The largest of those of a cell, over the square of its side.
static td_real bend_of(const td_height_field *f, int32_t i, int32_t j) {
    td_real xx = 0, zz = 0, xz = 0;
    for (int32_t l = j - 1; l <= j + 2; l++) {
        for (int32_t k = i - 1; k <= i + 2; k++) {
            if (k >= i && k <= i + 1) {
                xx = fmax(xx, fabs(bend_x(f, k, l)));
            }
            if (l >= j && l <= j + 1) {
                zz = fmax(zz, fabs(bend_z(f, k, l)));
            }
            if (k < i + 2 && l < j + 2) {
                xz = fmax(xz, fabs(coefficient(f, k, l) - coefficient(f, k + 1, l) -
                                   coefficient(f, k, l + 1) + coefficient(f, k + 1, l + 1)));
            }
        }
    }
    return (fmax(xx, zz) + xz) / (f->cell * f->cell);
}

static void measure(td_height_field *f) {
    td_real dx = 0, dz = 0;
    for (int32_t j = -1; j <= f->rows; j++) {
        for (int32_t i = -1; i <= f->columns; i++) {
            const td_real here = coefficient(f, i, j);
            dx = i < f->columns ? fmax(dx, fabs(coefficient(f, i + 1, j) - here)) : dx;
            dz = j < f->rows ? fmax(dz, fabs(coefficient(f, i, j + 1) - here)) : dz;
        }
    }
    f->steepest = sqrt(dx * dx + dz * dz) / f->cell;
    for (int32_t j = 0; j < f->rows - 1; j++) {
        for (int32_t i = 0; i < f->columns - 1; i++) {
            f->bend[(ptrdiff_t)j * (f->columns - 1) + i] = bend_of(f, i, j);
        }
    }
}

static td_status check(int32_t columns, int32_t rows, td_real cell, const td_real *heights,
                       td_diag *diag) {
    if (columns < 2 || rows < 2 || columns > LARGEST || rows > LARGEST) {
        return tdi_fail(diag, TD_ERR_ARGUMENT,
                        "a height field of %d columns and %d rows; it needs 2 to %d of each",
                        (int)columns, (int)rows, LARGEST);
    }
    if (!(cell >= NARROW && cell <= HIGHEST)) {
        return tdi_fail(diag, TD_ERR_ARGUMENT, "cell is %g m; it must be from %g to %g", cell,
                        NARROW, HIGHEST);
    }
    for (int64_t k = 0; k < (int64_t)columns * rows; k++) {
        if (!(fabs(heights[k]) <= HIGHEST)) {
            return tdi_fail_at(diag, TD_ERR_ARGUMENT, (int32_t)k,
                               "height %d is %g m; it must be within %g m of 0", (int)k, heights[k],
                               HIGHEST);
        }
    }
    return TD_OK;
}

td_status td_height_field_new(int32_t columns, int32_t rows, td_real cell, const td_real *heights,
                              const td_alloc *alloc, td_height_field **out, td_diag *diag) {
    TDI_CLEAR(out);
    TDI_REFUSE_IF(!heights || !out);
    TDI_TRY(check(columns, rows, cell, heights, diag));
    const size_t wide = (size_t)columns + 2, all = wide * ((size_t)rows + 2);
    const size_t cells = ((size_t)columns - 1) * ((size_t)rows - 1);
    const size_t longest = (size_t)(columns > rows ? columns : rows) + 2;
    const size_t bytes = sizeof(td_height_field) + (all + cells + longest) * sizeof(td_real);
    td_height_field *f = tdi_alloc_zeroed(alloc, 1, bytes);
    if (!f) {
        return tdi_fail(diag, TD_ERR_MEMORY, "out of memory for %d by %d heights", (int)columns,
                        (int)rows);
    }
    *f = (td_height_field){
        .alloc = alloc, .bytes = bytes, .columns = columns, .rows = rows, .cell = cell};
    f->c = (td_real *)(void *)(f + 1);
    f->bend = f->c + all;
    td_real *scratch = f->bend + cells, *first = f->c + wide + 1;
    for (int32_t j = 0; j < rows; j++) {
        for (int32_t i = 0; i < columns; i++) {
            first[(size_t)j * wide + (size_t)i] = heights[(size_t)j * (size_t)columns + (size_t)i];
        }
        solve_line(first + (size_t)j * wide, columns, 1, scratch);
    }
    for (int32_t i = -1; i <= columns; i++) {
        solve_line(first + i, rows, (ptrdiff_t)wide, scratch);
    }
    measure(f);
    *out = f;
    return TD_OK;
}

void td_height_field_free(td_height_field *field) {
    if (field) {
        tdi_alloc_free(field->alloc, field, field->bytes);
    }
}

// ---- reading --------------------------------------------------------------------------------

// Where a coordinate is on the grid: a cell, 0..1 within it, and how far beyond the border.
typedef struct spot {
    int32_t cell;
    td_real part, beyond;
} spot;

static spot spot_of(td_real x, td_real cell, int32_t count) {
    const td_real u = x / cell + 0.5 * (count - 1), most = count - 1;
    const td_real inside = !(u > 0) ? 0 : u < most ? u : most;
    const int32_t at = (int32_t)inside < count - 2 ? (int32_t)inside : count - 2;
    return (spot){at, inside - at, u - inside};
}

// B-splines of a cell at t, and their derivatives.
static void basis(td_real t, td_real b[3][4]) {
    const td_real s = 1 - t;
    b[0][0] = s * s * s / 6;
    b[0][1] = (4 - 6 * t * t + 3 * t * t * t) / 6;
    b[0][2] = (4 - 6 * s * s + 3 * s * s * s) / 6;
    b[0][3] = t * t * t / 6;
    b[1][0] = -0.5 * s * s;
    b[1][1] = (1.5 * t - 2) * t;
    b[1][2] = (2 - 1.5 * s) * s;
    b[1][3] = 0.5 * t * t;
    b[2][0] = s;
    b[2][1] = 3 * t - 2;
    b[2][2] = 3 * s - 2;
    b[2][3] = t;
}

tdi_ground tdi_height_field_at(const td_height_field *f, td_real x, td_real z) {
    const spot u = spot_of(x, f->cell, f->columns), v = spot_of(z, f->cell, f->rows);
    td_real b[3][4], d[3][4], xxz = 0, xzz = 0;
    tdi_ground g = {0, 0, 0, 0, 0, 0};
    basis(u.part, b);
    basis(v.part, d);
    for (int l = 0; l < 4; l++) {
        const td_real *c = f->c + (ptrdiff_t)(v.cell + l) * (f->columns + 2) + u.cell;
        td_real row[3];
        for (int n = 0; n < 3; n++) {
            row[n] = b[n][0] * c[0] + b[n][1] * c[1] + b[n][2] * c[2] + b[n][3] * c[3];
        }
        g.height += d[0][l] * row[0];
        g.x += d[0][l] * row[1];
        g.z += d[1][l] * row[0];
        g.xx += d[0][l] * row[2];
        g.xz += d[1][l] * row[1];
        g.zz += d[2][l] * row[0];
        xxz += d[1][l] * row[2];
        xzz += d[2][l] * row[1];
    }
    // linear beyond the border, where second derivatives along it change
    g.height += g.x * u.beyond + g.z * v.beyond + g.xz * u.beyond * v.beyond;
    g.x += g.xz * v.beyond;
    g.z += g.xz * u.beyond;
    g.xx += xxz * v.beyond;
    g.zz += xzz * u.beyond;
    const td_real one = 1 / f->cell;
    g.x *= one;
    g.z *= one;
    g.xx *= one * one;
    g.xz *= one * one;
    g.zz *= one * one;
    return g;
}

static td_real within_reach(td_real x) {
    return x > FAR ? FAR : x < -FAR ? -FAR : x;
}

td_real td_height_field_height(const td_height_field *field, td_real x, td_real z,
                               td_vec3 *normal) {
    if (!field) {
        return 0;
    }
    const tdi_ground g = tdi_height_field_at(field, within_reach(x), within_reach(z));
    if (normal) {
        const td_vec3 n = {-g.x, 1, -g.z};
        *normal = tdi_scale(n, 1 / tdi_norm(n));
    }
    return g.height;
}

void td_height_field_size(const td_height_field *field, int32_t *columns, int32_t *rows,
                          td_real *cell) {
    if (columns) {
        *columns = field ? field->columns : 0;
    }
    if (rows) {
        *rows = field ? field->rows : 0;
    }
    if (cell) {
        *cell = field ? field->cell : 0;
    }
}

td_real tdi_height_field_distance(const td_height_field *f, td_vec3 x, td_vec3 *gradient) {
    const tdi_ground g = tdi_height_field_at(f, x.x, x.z);
    const td_real over = x.y - g.height, n2 = 1 + g.x * g.x + g.z * g.z, n = sqrt(n2);
    if (gradient) {
        // d/dx of (y - H)/n, with n' = (H_x H_xx + H_z H_xz)/n and so on
        const td_real k = over / (n2 * n);
        *gradient = tdi_vec3(-g.x / n - k * (g.x * g.xx + g.z * g.xz), 1 / n,
                             -g.z / n - k * (g.x * g.xz + g.z * g.zz));
    }
    return over / n;
}

// ---- bounds ---------------------------------------------------------------------------------

// What of the grid lies within a range of coordinates.
typedef struct patch {
    int32_t i0, i1, j0, j1; // cells, from and to
    td_real x, z;           // cells: how far the range goes beyond the border
} patch;

static patch patch_of(const td_height_field *f, td_vec3 middle, td_real x, td_real z) {
    const spot x0 = spot_of(middle.x - x, f->cell, f->columns),
               x1 = spot_of(middle.x + x, f->cell, f->columns),
               z0 = spot_of(middle.z - z, f->cell, f->rows),
               z1 = spot_of(middle.z + z, f->cell, f->rows);
    return (patch){.i0 = x0.cell,
                   .i1 = x1.cell,
                   .j0 = z0.cell,
                   .j1 = z1.cell,
                   .x = fmax(-x0.beyond, x1.beyond),
                   .z = fmax(-z0.beyond, z1.beyond)};
}

// How much larger second derivatives become beyond the border: along it, in proportion to the
// distance from it. By the largest third differences of the coefficients of a cell.
static td_real more_bend_of(const td_height_field *f, int32_t i, int32_t j, const patch *p) {
    td_real xxz = 0, xzz = 0;
    for (int32_t n = 0; n < 3; n++) {
        for (int32_t k = 0; k < 2; k++) {
            const int32_t x = i + n - 1, z = j + n - 1;
            xxz = fmax(xxz, fabs(bend_x(f, i + k, z + 1) - bend_x(f, i + k, z)));
            xzz = fmax(xzz, fabs(bend_z(f, x + 1, j + k) - bend_z(f, x, j + k)));
        }
    }
    return fmax(p->x * xzz, p->z * xxz) / (f->cell * f->cell);
}

// 1/m: the largest second derivative on a patch.
static td_real bend_within(const td_height_field *f, const patch *p) {
    const bool beyond = p->x > 0 || p->z > 0;
    td_real most = 0;
    for (int32_t j = p->j0; j <= p->j1; j++) {
        for (int32_t i = p->i0; i <= p->i1; i++) {
            const td_real more = beyond ? more_bend_of(f, i, j, p) : 0;
            most = fmax(most, f->bend[(ptrdiff_t)j * (f->columns - 1) + i] + more);
        }
    }
    return most;
}

td_real tdi_height_field_most(const td_height_field *f, td_vec3 x, td_real within) {
    const patch p = patch_of(f, x, within, within);
    const patch border = {.i0 = p.i0, .i1 = p.i1, .j0 = p.j0, .j1 = p.j1};
    const td_real u = p.x * f->cell, v = p.z * f->cell;
    td_real most = -HUGE_VAL;
    for (int32_t j = p.j0 - 1; j <= p.j1 + 2; j++) {
        for (int32_t i = p.i0 - 1; i <= p.i1 + 2; i++) {
            most = fmax(most, coefficient(f, i, j));
        }
    }
    // beyond a corner slopes change too
    return most + (u + v) * f->steepest + (u > 0 && v > 0 ? u * v * bend_within(f, &border) : 0);
}

td_real tdi_height_field_free(const td_height_field *f, td_vec3 x, td_vec3 dx, td_real need) {
    const patch p = patch_of(f, tdi_madd(x, dx, 0.5), 0.5 * fabs(dx.x), 0.5 * fabs(dx.z));
    const td_real bend = bend_within(f, &p), across = sqrt(dx.x * dx.x + dx.z * dx.z);
    const td_real curve = 0.5 * bend * across * across;
    td_real time = 0;
    for (int round = 0; round < ROUNDS; round++) {
        const td_vec3 at = tdi_madd(x, dx, time);
        const tdi_ground g = tdi_height_field_at(f, at.x, at.z);
        const td_real spare = at.y - g.height - need * sqrt(1 + g.x * g.x + g.z * g.z);
        // it falls by fall t + curve t^2 at most
        const td_real fall = g.x * dx.x + g.z * dx.z - dx.y + need * bend * across;
        if (!(spare > 0)) {
            return time;
        }
        if (fall * (1 - time) + curve * (1 - time) * (1 - time) <= spare) {
            return 1;
        }
        const td_real root = sqrt(fall * fall + 4 * curve * spare), sum = fall + root;
        const td_real go = 0.999 * 2 * spare / sum;
        time += go;
        if (time >= 1) {
            return 1;
        }
        if (go < STALL * time) {
            break;
        }
    }
    return time;
}
