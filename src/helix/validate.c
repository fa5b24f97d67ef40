// SPDX-License-Identifier: MIT
// What every model of helices keeps to. Called where models are made, in debug builds alone.

#include "helix/model.h"

#include <math.h>

static void validate_point(const tdi_helix_model *m, const tdi_helix_point *p) {
    TDI_ASSERT(p->element >= TD_NONE && p->element < m->element_count);
    TDI_ASSERT(p->segment >= 0 && p->segment < m->rider_count);
    TDI_ASSERT(p->element == TD_NONE || (p->s >= 0 && p->s <= m->element[p->element].length));
    TDI_ASSERT(tdi_finite3(p->offset));
}

static void validate_element(const tdi_helix_model *m, int32_t i) {
    const tdi_helix_element *e = &m->element[i];
    const td_vec3 k = e->stiffness, c = e->friction;
    TDI_ASSERT(e->parent >= TD_NONE && e->parent < i);
    TDI_ASSERT(e->parent == TD_NONE || (e->at >= 0 && e->at <= m->element[e->parent].length));
    TDI_ASSERT(e->length > 0 && isfinite(e->length));
    TDI_ASSERT(tdi_finite3(e->place) && tdi_mat3_is_rotation(&e->turn));
    TDI_ASSERT(tdi_finite3(e->rest) && tdi_finite3(e->start));
    TDI_ASSERT(tdi_finite3(k) && k.x >= 0 && k.y >= 0 && k.z >= 0);
    TDI_ASSERT(tdi_finite3(c) && c.x >= 0 && c.y >= 0 && c.z >= 0);
    TDI_ASSERT(e->mass > 0 && isfinite(e->mass));
}

static void validate_parts(const tdi_helix_model *m) {
    for (int32_t k = 0; k < m->station_count; k++) {
        const tdi_helix_station *s = &m->station[k];
        TDI_ASSERT(s->element == TD_NONE || (s->s >= 0 && s->s <= m->element[s->element].length));
        TDI_ASSERT(s->mass > 0 && isfinite(s->mass) && tdi_finite3(s->moment));
    }
    for (int32_t k = 0; k < m->vane_count; k++) {
        validate_point(m, &m->vane[k].point);
        TDI_ASSERT(tdi_finite3(m->vane[k].area));
    }
    for (int32_t k = 0; k < m->capsule_count; k++) {
        const tdi_helix_capsule *c = &m->capsule[k];
        validate_point(m, &c->end[0]);
        validate_point(m, &c->end[1]);
        TDI_ASSERT(c->end[0].element == c->end[1].element && c->radius > 0);
        const int32_t rider = c->end[0].segment, first = m->rider[rider].capsule;
        TDI_ASSERT(first != TD_NONE && k >= first && k < first + tdi_helix_capsules_of(m, rider));
    }
}

void tdi_helix_model_validate(const tdi_helix_model *m) {
    int32_t station = 0, vane = 0;
    TDI_ASSERT(m->element_count > 0 && m->rider_count > 0);
    for (int32_t i = 0; i < m->element_count; i++) {
        const tdi_helix_element *e = &m->element[i];
        validate_element(m, i);
        TDI_ASSERT(e->station_first == station && e->vane_first == vane);
        for (; station < e->station_first + e->station_count; station++) {
            TDI_ASSERT(m->station[station].element == i);
        }
        for (; vane < e->vane_first + e->vane_count; vane++) {
            TDI_ASSERT(m->vane[vane].point.element == i);
        }
    }
    for (; station < m->station_count; station++) {
        TDI_ASSERT(m->station[station].element == TD_NONE);
    }
    TDI_ASSERT(vane == m->vane_count);
    for (int32_t k = 0; k < m->rider_count; k++) {
        const tdi_helix_rider *r = &m->rider[k];
        TDI_ASSERT(r->element >= TD_NONE && r->element < m->element_count);
        TDI_ASSERT(r->from <= r->to && r->length > 0);
        TDI_ASSERT(r->capsule >= TD_NONE && r->capsule < m->capsule_count);
    }
    validate_parts(m);
}
