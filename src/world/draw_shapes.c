// SPDX-License-Identifier: MIT
// Boxes of actors, colliders and contacts, which pages draw as solids and do without
// (CMakeLists.txt).

#include "base/alloc.h"
#include "base/diag.h"
#include "world/draw.h"

#define SIDES 24  // of a circle
#define GRID  5   // lines of a plane on either side of its middle
#define CELL  0.5 // m between them

// ---- edges ----------------------------------------------------------------------------------

// Edges of a box with its middle at the transform: corners that differ in one bit of their number.
static void box(const td_draw *d, tdi_transform t, td_vec3 sides, uint32_t colour) {
    for (int a = 0; a < 8; a++) {
        for (int axis = 0; axis < 3; axis++) {
            const int b = a | 1 << axis;
            if (a != b) {
                tdi_draw_line(
                    d,
                    tdi_draw_place(t, sides.x * ((a & 1) - 0.5), sides.y * ((a >> 1 & 1) - 0.5),
                                   sides.z * ((a >> 2) - 0.5)),
                    tdi_draw_place(t, sides.x * ((b & 1) - 0.5), sides.y * ((b >> 1 & 1) - 0.5),
                                   sides.z * ((b >> 2) - 0.5)),
                    colour);
            }
        }
    }
}

// About the axis with this number, at the height y.
static void circle(const td_draw *d, tdi_transform t, int axis, td_real y, td_real r,
                   uint32_t colour) {
    td_vec3 last = t.position;
    for (int k = 0; k <= SIDES; k++) {
        const td_real a = 6.28318530717958647692 * k / SIDES, c = r * cos(a), s = r * sin(a);
        const td_vec3 at = axis == 0   ? tdi_draw_place(t, 0, y + c, s)
                           : axis == 1 ? tdi_draw_place(t, c, y, s)
                                       : tdi_draw_place(t, c, y + s, 0);
        if (k > 0) {
            tdi_draw_line(d, last, at, colour);
        }
        last = at;
    }
}

// ---- parts ----------------------------------------------------------------------------------

void tdi_draw_bounds(const td_world *w, const td_draw *d, int32_t k) {
    const td_box b = td_world_bounds(w, td_world_actor_id(w, k));
    const tdi_transform middle = {tdi_scale(tdi_add(b.low, b.high), 0.5), tdi_quat_identity()};
    box(d, middle, tdi_sub(b.high, b.low), TDI_GREY);
}

// Lines along rows and columns of a height field.
static void ground(const td_draw *d, tdi_transform t, const td_height_field *f) {
    int32_t count[2];
    td_real cell;
    td_height_field_size(f, &count[0], &count[1], &cell);
    for (int along = 0; along < 2; along++) {
        for (int32_t line = 0; line < count[1 - along]; line++) {
            td_vec3 last = {0, 0, 0};
            for (int32_t k = 0; k < count[along]; k++) {
                const td_real p = cell * (k - 0.5 * (count[along] - 1));
                const td_real q = cell * (line - 0.5 * (count[1 - along] - 1));
                const td_real x = along == 0 ? p : q, z = along == 0 ? q : p;
                const td_vec3 at = tdi_draw_place(t, x, td_height_field_height(f, x, z, NULL), z);
                if (k > 0) {
                    tdi_draw_line(d, last, at, TDI_ORANGE);
                }
                last = at;
            }
        }
    }
}

void tdi_draw_collider(const td_draw *d, const td_collider *c) {
    const tdi_transform t = {c->position, c->rotation};
    const td_real half = 0.5 * c->length, reach = GRID * CELL;
    switch (c->kind) {
    case TD_COLLIDER_PLANE:
        for (int k = -GRID; k <= GRID; k++) {
            tdi_draw_line(d, tdi_draw_place(t, k * CELL, 0, -reach),
                          tdi_draw_place(t, k * CELL, 0, reach), TDI_ORANGE);
            tdi_draw_line(d, tdi_draw_place(t, -reach, 0, k * CELL),
                          tdi_draw_place(t, reach, 0, k * CELL), TDI_ORANGE);
        }
        break;
    case TD_COLLIDER_BOX: box(d, t, c->sides, TDI_ORANGE); break;
    case TD_COLLIDER_HEIGHT_FIELD: ground(d, t, c->field); break;
    case TD_COLLIDER_SPHERE:
    case TD_COLLIDER_CAPSULE:
        for (int axis = 0; axis < 3; axis++) {
            circle(d, t, axis, -half, c->radius, TDI_ORANGE);
            if (half > 0) {
                circle(d, t, axis, half, c->radius, TDI_ORANGE);
                tdi_draw_line(
                    d,
                    tdi_draw_place(t, axis == 0 ? c->radius : 0, -half, axis == 2 ? c->radius : 0),
                    tdi_draw_place(t, axis == 0 ? c->radius : 0, half, axis == 2 ? c->radius : 0),
                    TDI_ORANGE);
            }
        }
        break;
    }
}

td_status tdi_draw_contacts(const td_world *w, const td_draw *d, td_diag *diag) {
    const int32_t count = td_world_contacts(w, NULL, 0);
    const size_t bytes = (size_t)count * sizeof(td_contact);
    td_contact *contacts = count > 0 ? tdi_alloc_zeroed(w->alloc, 1, bytes) : NULL;
    if (count > 0 && !contacts) {
        return tdi_fail(diag, TD_ERR_MEMORY, "out of memory for %d contacts", (int)count);
    }
    td_world_contacts(w, contacts, count);
    for (int32_t k = 0; k < count; k++) {
        tdi_draw_force(d, contacts[k].point, contacts[k].force, TDI_YELLOW);
    }
    tdi_alloc_free(w->alloc, contacts, bytes);
    return TD_OK;
}
