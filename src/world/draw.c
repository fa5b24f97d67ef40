// SPDX-License-Identifier: MIT
// A world as lines, points and texts.

#include "tendril/draw.h"

#include "base/guard.h"
#include "base/opts.h"
#include "world/draw.h"

td_draw td_draw_default(void) {
    return (td_draw){.struct_size = sizeof(td_draw), .parts = TD_DRAW_ALL, .force = 0.1};
}

// ---- parts ----------------------------------------------------------------------------------

static void draw_skeleton(const td_world *w, const td_draw *d, int32_t k) {
    const tdi_actor *a = &w->actors[k];
    static const uint32_t colours[] = {[TDI_ACTIVE] = TDI_GREEN,
                                       [TDI_WAITING] = TDI_GREEN,
                                       [TDI_ASLEEP] = TDI_BLUE,
                                       [TDI_DISABLED] = TDI_GREY,
                                       [TDI_BLOCKED] = TDI_RED};
    const uint32_t colour = colours[a->activity];
    for (int32_t i = 0; i < a->segment_count; i++) {
        td_vec3 origin, tip;
        td_world_segment(w, td_world_actor_id(w, k), i, &origin, &tip, NULL);
        tdi_draw_point(d, origin, colour);
        tdi_draw_line(d, origin, tip, colour);
    }
}

static void draw_actor(const td_world *w, const td_draw *d, int32_t k) {
    const tdi_actor *a = &w->actors[k];
    if (d->parts & TD_DRAW_SKELETON) {
        draw_skeleton(w, d, k);
    }
    if (d->parts & TD_DRAW_BOUNDS) {
        tdi_draw_bounds(w, d, k);
    }
    if (d->parts & TD_DRAW_NAMES) {
        tdi_draw_text(d, a->base.position, a->name, TDI_GREY);
    }
}

static void draw_constraint(const td_world *w, const td_draw *d, int32_t k) {
    const td_constraint_id id = td_world_constraint_id(w, k);
    const td_constraint_report r = td_world_constraint(w, id);
    if (r.active) {
        tdi_draw_force(d, r.place, r.force, TDI_VIOLET);
        tdi_draw_text(d, r.place, td_world_constraint_name(w, id), TDI_VIOLET);
    }
}

static void draw_grab(const td_world *w, const td_draw *d, int32_t actor, int32_t segment,
                      td_vec3 own, td_vec3 to) {
    tdi_transform t;
    td_world_segment(w, td_world_actor_id(w, actor), segment, &t.position, NULL, &t.rotation);
    tdi_draw_line(d, tdi_draw_place(t, own.x, own.y, own.z), to, TDI_RED);
    tdi_draw_point(d, to, TDI_RED);
}

static void draw_grabs(const td_world *w, const td_draw *d) {
    const tdi_grab *g = &w->loads.grab;
    if (g->held) {
        draw_grab(w, d, g->actor, g->segment, g->point, g->to);
    }
    for (int32_t k = 0; k < w->loads.applied_count; k++) {
        const tdi_applied_force *h = &w->loads.applied[k];
        if (h->alive && h->kind == TDI_APPLIED_SPRING) {
            draw_grab(w, d, h->actor, h->segment, h->point, h->vector);
        }
    }
}

// ---- entry ----------------------------------------------------------------------------------

td_status td_world_draw(const td_world *w, const td_draw *given, td_diag *diag) {
    td_draw draw = td_draw_default();
    TDI_REFUSE_IF(!w || !given);
    TDI_TRY(tdi_def_take("td_draw", &draw, given, diag));
    for (int32_t k = 0; k < w->actor_count; k++) {
        if (w->actors[k].alive) {
            draw_actor(w, &draw, k);
        }
    }
    for (int32_t k = 0; draw.parts & TD_DRAW_COLLIDERS && k < w->colliders.count; k++) {
        if (w->colliders.slots[k].alive && w->colliders.slots[k].enabled) {
            tdi_draw_collider(&draw, &w->colliders.slots[k].now);
        }
    }
    for (int32_t k = 0; draw.parts & TD_DRAW_CONSTRAINTS && k < w->scene->def.constraint_count;
         k++) {
        draw_constraint(w, &draw, k);
    }
    if (draw.parts & TD_DRAW_GRABS) {
        draw_grabs(w, &draw);
    }
    return draw.parts & TD_DRAW_CONTACTS ? tdi_draw_contacts(w, &draw, diag) : TD_OK;
}
