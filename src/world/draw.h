// SPDX-License-Identifier: MIT
#pragma once

// Strokes of debug drawing.

#include "math/quat.h"
#include "tendril/draw.h"
#include "world/world.h"

#include <math.h>

#define TDI_GREEN  0x3fae4a
#define TDI_BLUE   0x4080e0
#define TDI_GREY   0x808080
#define TDI_RED    0xe04030
#define TDI_YELLOW 0xf0c020
#define TDI_ORANGE 0xf08020
#define TDI_VIOLET 0xb060e0

// draw_shapes.c
void tdi_draw_bounds(const td_world *world, const td_draw *draw, int32_t actor);
void tdi_draw_collider(const td_draw *draw, const td_collider *collider);
td_status tdi_draw_contacts(const td_world *world, const td_draw *draw, td_diag *diag);

// ---- strokes --------------------------------------------------------------------------------

static inline void tdi_draw_line(const td_draw *d, td_vec3 from, td_vec3 to, uint32_t colour) {
    if (d->line) {
        d->line(d->context, from, to, colour);
    }
}

static inline void tdi_draw_point(const td_draw *d, td_vec3 at, uint32_t colour) {
    if (d->point) {
        d->point(d->context, at, colour);
    }
}

static inline void tdi_draw_text(const td_draw *d, td_vec3 at, const char *words, uint32_t colour) {
    if (d->text) {
        d->text(d->context, at, words, colour);
    }
}

static inline void tdi_draw_force(const td_draw *d, td_vec3 at, td_vec3 f, uint32_t colour) {
    const td_real size = tdi_norm(f), length = fmin(d->force * size, 1);
    tdi_draw_point(d, at, colour);
    if (size > 0) {
        tdi_draw_line(d, at, tdi_madd(at, f, length / size), colour);
    }
}

static inline td_vec3 tdi_draw_place(tdi_transform t, td_real x, td_real y, td_real z) {
    return tdi_add(t.position, tdi_quat_rotate(t.rotation, tdi_vec3(x, y, z)));
}
