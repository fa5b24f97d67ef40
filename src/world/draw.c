// SPDX-License-Identifier: MIT
// A world as lines, points and texts.

#include "tendril/draw.h"

#include "base/alloc.h"
#include "base/guard.h"
#include "base/opts.h"
#include "math/quat.h"
#include "world/world.h"

#include <math.h>

#define GREEN  0x3fae4a
#define BLUE   0x4080e0
#define GREY   0x808080
#define RED    0xe04030
#define YELLOW 0xf0c020
#define ORANGE 0xf08020
#define VIOLET 0xb060e0
#define SIDES  24  // of a circle
#define GRID   5   // lines of a plane on either side of its middle
#define CELL   0.5 // m between them

td_draw td_draw_default(void) {
    return (td_draw){.struct_size = sizeof(td_draw), .parts = TD_DRAW_ALL, .force = 0.1};
}

// ---- strokes --------------------------------------------------------------------------------

static void line(const td_draw *d, td_vec3 from, td_vec3 to, uint32_t colour) {
    if (d->line) {
        d->line(d->context, from, to, colour);
    }
}

static void point(const td_draw *d, td_vec3 at, uint32_t colour) {
    if (d->point) {
        d->point(d->context, at, colour);
    }
}

static void text(const td_draw *d, td_vec3 at, const char *words, uint32_t colour) {
    if (d->text) {
        d->text(d->context, at, words, colour);
    }
}

static void force(const td_draw *d, td_vec3 at, td_vec3 f, uint32_t colour) {
    const td_real size = tdi_norm(f), length = fmin(d->force * size, 1);
    point(d, at, colour);
    if (size > 0) {
        line(d, at, tdi_madd(at, f, length / size), colour);
    }
}

static td_vec3 place(tdi_transform t, td_real x, td_real y, td_real z) {
    return tdi_add(t.position, tdi_quat_rotate(t.rotation, tdi_vec3(x, y, z)));
}

// Edges of a box with its middle at the transform: corners that differ in one bit of their number.
static void box(const td_draw *d, tdi_transform t, td_vec3 sides, uint32_t colour) {
    for (int a = 0; a < 8; a++) {
        for (int axis = 0; axis < 3; axis++) {
            const int b = a | 1 << axis;
            if (a != b) {
                line(d,
                     place(t, sides.x * ((a & 1) - 0.5), sides.y * ((a >> 1 & 1) - 0.5),
                           sides.z * ((a >> 2) - 0.5)),
                     place(t, sides.x * ((b & 1) - 0.5), sides.y * ((b >> 1 & 1) - 0.5),
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
        const td_vec3 at = axis == 0   ? place(t, 0, y + c, s)
                           : axis == 1 ? place(t, c, y, s)
                                       : place(t, c, y + s, 0);
        if (k > 0) {
            line(d, last, at, colour);
        }
        last = at;
    }
}

// ---- parts ----------------------------------------------------------------------------------

static void draw_skeleton(const td_world *w, const td_draw *d, int32_t k) {
    const tdi_actor *a = &w->actors[k];
    const uint32_t colour = a->blocked ? RED : !a->enabled ? GREY : a->sleep.asleep ? BLUE : GREEN;
    for (int32_t i = 0; i < a->segment_count; i++) {
        td_vec3 origin, tip;
        td_world_segment(w, k, i, &origin, &tip, NULL);
        point(d, origin, colour);
        line(d, origin, tip, colour);
    }
}

static void draw_actor(const td_world *w, const td_draw *d, int32_t k) {
    const tdi_actor *a = &w->actors[k];
    if (d->parts & TD_DRAW_SKELETON) {
        draw_skeleton(w, d, k);
    }
    if (d->parts & TD_DRAW_BOUNDS) {
        const td_box b = td_world_bounds(w, k);
        const tdi_transform middle = {tdi_scale(tdi_add(b.low, b.high), 0.5), tdi_quat_identity()};
        box(d, middle, tdi_sub(b.high, b.low), GREY);
    }
    if (d->parts & TD_DRAW_NAMES) {
        text(d, a->base.position, a->name, GREY);
    }
}

static void draw_collider(const td_draw *d, const td_collider *c) {
    const tdi_transform t = {c->position, c->rotation};
    const td_real half = 0.5 * c->length, reach = GRID * CELL;
    switch (c->kind) {
    case TD_COLLIDER_PLANE:
        for (int k = -GRID; k <= GRID; k++) {
            line(d, place(t, k * CELL, 0, -reach), place(t, k * CELL, 0, reach), ORANGE);
            line(d, place(t, -reach, 0, k * CELL), place(t, reach, 0, k * CELL), ORANGE);
        }
        break;
    case TD_COLLIDER_BOX: box(d, t, c->sides, ORANGE); break;
    case TD_COLLIDER_SPHERE:
    case TD_COLLIDER_CAPSULE:
        for (int axis = 0; axis < 3; axis++) {
            circle(d, t, axis, -half, c->radius, ORANGE);
            if (half > 0) {
                circle(d, t, axis, half, c->radius, ORANGE);
                line(d, place(t, axis == 0 ? c->radius : 0, -half, axis == 2 ? c->radius : 0),
                     place(t, axis == 0 ? c->radius : 0, half, axis == 2 ? c->radius : 0), ORANGE);
            }
        }
        break;
    }
}

static td_status draw_contacts(const td_world *w, const td_draw *d, td_diag *diag) {
    const int32_t count = td_world_contacts(w, NULL, 0);
    const size_t bytes = (size_t)count * sizeof(td_contact);
    td_contact *contacts = count > 0 ? tdi_alloc_zeroed(w->alloc, 1, bytes) : NULL;
    if (count > 0 && !contacts) {
        return tdi_fail(diag, TD_ERR_MEMORY, "out of memory for %d contacts", (int)count);
    }
    td_world_contacts(w, contacts, count);
    for (int32_t k = 0; k < count; k++) {
        force(d, contacts[k].point, contacts[k].force, YELLOW);
    }
    tdi_alloc_free(w->alloc, contacts, bytes);
    return TD_OK;
}

static void draw_constraint(const td_world *w, const td_draw *d, int32_t k) {
    const td_constraint_report r = td_world_constraint(w, k);
    if (r.active) {
        force(d, r.place, r.force, VIOLET);
        text(d, r.place, td_world_constraint_name(w, k), VIOLET);
    }
}

static void draw_grab(const td_world *w, const td_draw *d, int32_t actor, int32_t segment,
                      td_vec3 own, td_vec3 to) {
    tdi_transform t;
    td_world_segment(w, actor, segment, &t.position, NULL, &t.rotation);
    line(d, place(t, own.x, own.y, own.z), to, RED);
    point(d, to, RED);
}

static void draw_grabs(const td_world *w, const td_draw *d) {
    const tdi_grab *g = &w->grab;
    if (g->held) {
        draw_grab(w, d, g->actor, g->segment, g->point, g->to);
    }
    for (int32_t k = 0; k < w->hand_count; k++) {
        const tdi_hand *h = &w->hands[k];
        if (h->alive) {
            draw_grab(w, d, h->actor, h->segment, h->point, h->to);
        }
    }
}

// ---- entry ----------------------------------------------------------------------------------

td_status td_world_draw(const td_world *w, const td_draw *given, td_diag *diag) {
    td_draw draw = td_draw_default();
    if (!w || !given) {
        return tdi_refuse(diag, __func__);
    }
    td_status status = tdi_def_take("td_draw", &draw, given, diag);
    if (status != TD_OK) {
        return status;
    }
    for (int32_t k = 0; k < w->actor_count; k++) {
        if (w->actors[k].alive) {
            draw_actor(w, &draw, k);
        }
    }
    for (int32_t k = 0; draw.parts & TD_DRAW_COLLIDERS && k < w->collider_count; k++) {
        if (w->collider_slots[k].alive && w->collider_slots[k].enabled) {
            draw_collider(&draw, &w->collider_slots[k].now);
        }
    }
    for (int32_t k = 0; draw.parts & TD_DRAW_CONSTRAINTS && k < w->scene->def.constraint_count;
         k++) {
        draw_constraint(w, &draw, k);
    }
    if (draw.parts & TD_DRAW_GRABS) {
        draw_grabs(w, &draw);
    }
    return draw.parts & TD_DRAW_CONTACTS ? draw_contacts(w, &draw, diag) : TD_OK;
}
