// SPDX-License-Identifier: MIT
#pragma once

// The step of the paper on discrete elastic rods: its scratch for each node, and the tridiagonal
// systems that both of its halves solve.

#include "rod/model.h"

#include <math.h>

// cos and sin of an angle.
typedef struct tdi_rotation {
    td_real c, s;
} tdi_rotation;

// A node in the step. Its equation has the pivot d, e with the row before and, when eliminated, w
// with the first row of a ring.
typedef struct tdi_rod_row {
    td_vec3 x;      // where the vertex goes
    td_vec3 f;      // the force on it; then its edge; then the direction of that
    td_real length; // m, of the edge
    td_real light;  // 1/kg; 0 of what is held
    td_real load;   // N m: slope of the loads' potential by the turn
    td_real turn, move;
    tdi_rotation half; // by half the twist of the step's beginning
    td_real d, e, w, over;
    td_real b; // right-hand side, then the solution
} tdi_rod_row;

_Static_assert(sizeof(tdi_rod_row) <= sizeof(tdi_rod_work), "rows lie in the work of the nodes");

static inline tdi_rod_row *tdi_rod_rows(const tdi_rod_state *s) {
    return (tdi_rod_row *)(void *)s->work;
}

// Solves for b, row after row of a part. False when the matrix is not positive semi-definite.
bool tdi_rod_solve_rows(tdi_rod_row *rows, const tdi_rod_part *part);

// Turns frames to the minimum of the elastic energy, times `stiffness`, and of that of the loads,
// and sets frames and strains; the turns stay in the rows.
void tdi_rod_ease_frames(const tdi_rod_state *state, td_real stiffness, td_step_stats *stats);

// One step by symplectic Euler, with lengths kept by projection and frames at rest. Nodes with
// prescribed motion move to their targets. TD_ERR_STRUCTURE for branches and bodies;
// TD_ERR_DIVERGED when lengths cannot be kept. A step that fails leaves the state as it was.
td_status tdi_rod_explicit_step(void *state, const td_step_opts *opts, td_step_stats *stats,
                                td_diag *diag);

// In the small range by the series: faster than the library, and to the last bit but one.
TDI_HELPER tdi_rotation tdi_rotate_by(td_real a) {
    if (!(fabs(a) <= 0.8)) {
        return (tdi_rotation){cos(a), sin(a)};
    }
    const td_real x = a * a;
    td_real c = 1. / 20922789888000, s = 1. / 355687428096000;
    c = c * x - 1. / 87178291200;
    s = s * x - 1. / 1307674368000;
    c = c * x + 1. / 479001600;
    s = s * x + 1. / 6227020800;
    c = c * x - 1. / 3628800;
    s = s * x - 1. / 39916800;
    c = c * x + 1. / 40320;
    s = s * x + 1. / 362880;
    c = c * x - 1. / 720;
    s = s * x - 1. / 5040;
    c = c * x + 1. / 24;
    s = s * x + 1. / 120;
    c = c * x - 0.5;
    s = s * x - 1. / 6;
    return (tdi_rotation){c * x + 1, a + a * x * s};
}
