// SPDX-License-Identifier: MIT
// Joints and segments, constraints and what is held, as the library draws them for any program.

#include "web/web.h"

#include <stdlib.h>

#define STROKE_FLOATS 7 // from, to, colour; a point is a line without length

typedef struct strokes {
    float *at;
    size_t count, capacity;
} strokes;

static strokes drawn; // the last

static void line(void *context, td_vec3 from, td_vec3 to, uint32_t colour) {
    strokes *s = context;
    if (s->count == s->capacity) {
        const size_t capacity = s->capacity > 0 ? 2 * s->capacity : 256;
        float *at = realloc(s->at, capacity * STROKE_FLOATS * sizeof *at);
        if (!at) {
            return; // it is not drawn
        }
        s->at = at;
        s->capacity = capacity;
    }
    const td_real row[STROKE_FLOATS] = {from.x, from.y, from.z, to.x, to.y, to.z, colour};
    for (int k = 0; k < STROKE_FLOATS; k++) {
        s->at[s->count * STROKE_FLOATS + (size_t)k] = (float)row[k];
    }
    s->count++;
}

static void point(void *context, td_vec3 at, uint32_t colour) {
    line(context, at, at, colour);
}

// Boxes, colliders and contacts are drawn as solids: of those the linker's option --wrap sends
// calls here (CMakeLists.txt).
void __wrap_tdi_draw_bounds(const td_world *world, const td_draw *draw, int32_t actor);
void __wrap_tdi_draw_bounds(const td_world *world, const td_draw *draw, int32_t actor) {
    (void)world, (void)draw, (void)actor;
}

void __wrap_tdi_draw_collider(const td_draw *draw, const td_collider *collider);
void __wrap_tdi_draw_collider(const td_draw *draw, const td_collider *collider) {
    (void)draw, (void)collider;
}

td_status __wrap_tdi_draw_contacts(const td_world *world, const td_draw *draw, td_diag *diag);
td_status __wrap_tdi_draw_contacts(const td_world *world, const td_draw *draw, td_diag *diag) {
    (void)world, (void)draw, (void)diag;
    return TD_OK;
}

// Draws the world as it is; returns how many strokes there are at web_strokes().
WEB_EXPORT(web_draw) int32_t web_draw(void) {
    td_draw draw = td_draw_default();
    draw.context = &drawn;
    draw.line = line;
    draw.point = point;
    draw.parts = TD_DRAW_SKELETON | TD_DRAW_CONSTRAINTS | TD_DRAW_GRABS;
    drawn.count = 0;
    td_world_draw(web.world, &draw, NULL);
    return (int32_t)drawn.count;
}

// Place of both ends and colour, 0xRRGGBB, of each.
WEB_EXPORT(web_strokes) const float *web_strokes(void) {
    return drawn.at;
}
