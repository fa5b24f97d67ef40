// SPDX-License-Identifier: MIT
// Models and contacts that are broken stop debug builds. Pairs with src/*/validate.c.

#include "helix/model.h"
#include "rod/model.h"
#include "tendril/hooks.h"
#include "test_contact_support.h"
#include "test_tree_support.h"

#include <setjmp.h>
#include <string.h>

// ---- what a validator says ------------------------------------------------------------------

typedef struct heard {
    jmp_buf back;
    char expression[256];
} heard;

static void jump(void *context, const char *file, int line, const char *expression) {
    heard *h = context;
    (void)file, (void)line;
    snprintf(h->expression, sizeof h->expression, "%s", expression);
    longjmp(h->back, 1);
}

typedef void (*validator)(const void *model);

// The condition that does not hold; "" when all do.
static const char *broken(validator validate, const void *model) {
    static heard h;
    h.expression[0] = 0;
    td_set_assert_hook(jump, &h);
    if (setjmp(h.back) == 0) {
        validate(model);
    }
    td_set_assert_hook(NULL, NULL);
    return h.expression;
}

// With a field changed, and as it was.
#define BREAKS(validate, model, field, value, condition)                                       \
    do {                                                                                       \
        char kept_[sizeof(field)];                                                             \
        memcpy(kept_, &(field), sizeof kept_);                                                 \
        (field) = (value);                                                                     \
        CHECK_SAY(strstr(broken(validate, model), condition), "%s = %s breaks \"%s\", not %s", \
                  #field, #value, broken(validate, model), condition);                         \
        memcpy(&(field), kept_, sizeof kept_);                                                 \
    } while (0)

static void validate_tree(const void *model) {
    tdi_tree_model_validate(model);
}
static void validate_rod(const void *model) {
    tdi_rod_model_validate(model);
}
static void validate_helix(const void *model) {
    tdi_helix_model_validate(model);
}
static void validate_contacts(const void *contacts) {
    tdi_contacts_validate(contacts);
}

// ---- models ---------------------------------------------------------------------------------

TD_TEST(tree_whose_parents_runs_or_numbers_are_wrong_stops_debug_builds) {
    tdi_random r = random_of(7);
    OWNED(tree) t = random_tree(&r, 8, BUSHY, 10, TD_LAW_LINEAR);
    tdi_tree_model *m = t.m;
    if (!TDI_ASSERTS) {
        test_skip("asserts are off in this build");
    } else {
        CHECK_TEXT(broken(validate_tree, m), "");
        BREAKS(validate_tree, m, m->parent[3], 3, "parent[i] < i");
        BREAKS(validate_tree, m, m->run[0].last, m->run[0].last + 1, "kind[next]");
        BREAKS(validate_tree, m, m->part[0].last, m->body_count + 1, "next == m->body_count");
        BREAKS(validate_tree, m, m->dof[2], -1, "dof[i + 1]");
        BREAKS(validate_tree, m, m->other_count, -1, "other_count");
        BREAKS(validate_tree, m, m->head.dof_count, 0, "head.dof_count");
        BREAKS(validate_tree, m, m->coord_count, 0, "coord_count");
        BREAKS(validate_tree, m, m->body[2].mass, NAN, "mass > 0");
        BREAKS(validate_tree, m, m->body[2].moment.y, NAN, "moment");
        BREAKS(validate_tree, m, m->body[2].second.yy, -1, "second.yy >= 0");
        BREAKS(validate_tree, m, m->body[2].stiffness.z, -1, "stiffness.z >= 0");
        BREAKS(validate_tree, m, m->body[2].damping.x, INFINITY, "tdi_finite3(b->damping)");
        BREAKS(validate_tree, m, m->body[2].rest.w, NAN, "rest.w");
        BREAKS(validate_tree, m, m->body[2].radius, -1, "radius >= 0");
        CHECK_TEXT(broken(validate_tree, m), "");
    }
}

TD_TEST(rod_whose_ring_is_open_or_numbers_are_wrong_stops_debug_builds) {
    static const td_vec3 points[4] = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}};
    td_rod_def d = td_rod_def_default();
    OWNED(td_body_model) *model = NULL;
    d.vertex_count = 4;
    d.points = points;
    d.closed = true;
    CHECK_INT(td_rod_model_new(&d, 1, NULL, 0, NULL, &model, NULL), TD_OK);
    tdi_rod_model *m = tdi_as_rod_model(model);
    if (!TDI_ASSERTS) {
        test_skip("asserts are off in this build");
    } else {
        CHECK_TEXT(broken(validate_rod, m), "");
        BREAKS(validate_rod, m, m->node[0].parent, TD_NONE, "parent == p->first");
        BREAKS(validate_rod, m, m->node[2].grand, 1, "grand == p->first");
        BREAKS(validate_rod, m, m->node[1].ring, TD_NONE, "ring == p->first");
        BREAKS(validate_rod, m, m->node[1].edge, m->edge_count, "edge < m->edge_count");
        BREAKS(validate_rod, m, m->node[1].body, 0, "body < m->weld_count");
        BREAKS(validate_rod, m, m->node[1].rest_frame, 0, "rest_frame != TD_NONE");
        BREAKS(validate_rod, m, m->part[0].first, 1, "first == next");
        BREAKS(validate_rod, m, m->node_count, m->node_count + 1, "next == m->node_count");
        BREAKS(validate_rod, m, m->node[2].length, NAN, "length > 0");
        BREAKS(validate_rod, m, m->node[2].stretch, -1, "stretch >= 0");
        BREAKS(validate_rod, m, m->node[2].mass, NAN, "mass >= 0");
        BREAKS(validate_rod, m, m->node[2].start.x, INFINITY, "tdi_finite3(n->start)");
        CHECK_TEXT(broken(validate_rod, m), "");
    }
}

TD_TEST(helix_whose_order_or_numbers_are_wrong_stops_debug_builds) {
    td_helix_element elements[3];
    OWNED(td_body_model) *model = NULL;
    for (int32_t k = 0; k < 3; k++) {
        elements[k] = td_helix_element_default();
        elements[k].parent = k - 1;
    }
    CHECK_INT(td_helix_model_new(elements, 3, NULL, &model, NULL), TD_OK);
    tdi_helix_model *m = tdi_as_helix_model(model);
    if (!TDI_ASSERTS) {
        test_skip("asserts are off in this build");
    } else {
        CHECK(m->vane_count > 0 && m->capsule_count == 3 && m->rider_count == 3);
        CHECK_TEXT(broken(validate_helix, m), "");
        BREAKS(validate_helix, m, m->element[1].parent, 1, "parent < i");
        BREAKS(validate_helix, m, m->element[1].at, 1, "at <=");
        BREAKS(validate_helix, m, m->element[1].length, 0, "length > 0");
        BREAKS(validate_helix, m, m->element[1].turn.m[0], 2, "tdi_mat3_is_rotation");
        BREAKS(validate_helix, m, m->element[1].rest.x, NAN, "tdi_finite3(e->rest)");
        BREAKS(validate_helix, m, m->element[1].stiffness.y, -1, "k.y >= 0");
        BREAKS(validate_helix, m, m->element[1].friction.z, INFINITY, "tdi_finite3(c)");
        BREAKS(validate_helix, m, m->element[1].mass, 0, "mass > 0");
        BREAKS(validate_helix, m, m->element[1].station_first, 0, "station_first == station");
        BREAKS(validate_helix, m, m->element[1].vane_first, 0, "vane_first == vane");
        BREAKS(validate_helix, m, m->station[0].element, 1, "element == i");
        BREAKS(validate_helix, m, m->station[0].mass, -1, "mass > 0");
        BREAKS(validate_helix, m, m->station[0].s, -1, "s->s >= 0");
        BREAKS(validate_helix, m, m->vane[0].point.element, 1, "point.element == i");
        BREAKS(validate_helix, m, m->vane[0].point.segment, 3, "segment < m->rider_count");
        BREAKS(validate_helix, m, m->vane[0].area.x, NAN, "area");
        BREAKS(validate_helix, m, m->vane_count, 0, "vane == m->vane_count");
        BREAKS(validate_helix, m, m->rider[1].element, 3, "element < m->element_count");
        BREAKS(validate_helix, m, m->rider[1].from, 1, "from <= r->to");
        BREAKS(validate_helix, m, m->rider[1].capsule, 3, "capsule < m->capsule_count");
        BREAKS(validate_helix, m, m->rider[1].capsule, 2, "k >= first");
        BREAKS(validate_helix, m, m->capsule[2].end[1].element, 0, "end[1].element");
        BREAKS(validate_helix, m, m->capsule[2].end[1].offset.z, NAN, "offset");
        BREAKS(validate_helix, m, m->capsule[2].radius, 0, "radius > 0");
        CHECK_TEXT(broken(validate_helix, m), "");
    }
}

// ---- contacts -------------------------------------------------------------------------------

// Four crossed capsules above a plane: all six pairs, and all four with the plane.
TD_TEST(contacts_out_of_order_or_of_nothing_stop_debug_builds) {
    enum { COUNT = 4 };
    const td_contact_opts opts = td_contact_opts_default();
    const td_collider plane = td_collider_default(TD_COLLIDER_PLANE);
    tdi_capsule capsules[COUNT];
    td_vec3 x[2 * COUNT], still[2 * COUNT] = {{0, 0, 0}};
    for (int32_t i = 0; i < COUNT; i++) {
        const td_vec3 way = {cos(i), 0, sin(i)}, middle = {0, 0.101 + 0.001 * i, 0};
        capsules[i] = (tdi_capsule){2 * i, 2 * i + 1, 0.1, i, false, 0};
        x[2 * i] = tdi_madd(middle, way, -1);
        x[2 * i + 1] = tdi_madd(middle, way, 1);
    }
    OWNED(tdi_contacts) *c = test_contacts(&opts, capsules, COUNT, 1);
    CHECK_INT(tdi_contacts_colliders(c, &plane, 1, 0.01, 0, 1, NULL), TD_OK);
    CHECK_INT(tdi_contacts_find(c, x, still, NULL), TD_OK);
    CHECK_INT(c->pairs.self_count, 6);
    CHECK_INT(c->pairs.count, 10);
    if (!TDI_ASSERTS) {
        test_skip("asserts are off in this build");
    } else {
        CHECK_TEXT(broken(validate_contacts, c), "");
        BREAKS(validate_contacts, c, c->capsule[1].a, 2 * COUNT, "k->a < c->point_count");
        BREAKS(validate_contacts, c, c->capsule[1].radius, NAN, "radius > 0");
        BREAKS(validate_contacts, c, c->colliders.count, 2, "limits.colliders");
        BREAKS(validate_contacts, c, c->pairs.self_count, 11, "self_count <= c->pairs.count");
        BREAKS(validate_contacts, c, c->pairs.count, c->limits.capacity.pairs + 1,
               "capacity.pairs");
        BREAKS(validate_contacts, c, c->pairs.item[1].i, -1, "i >= 0");
        BREAKS(validate_contacts, c, c->pairs.item[1].j, c->pairs.item[1].i, "j > i");
        BREAKS(validate_contacts, c, c->pairs.item[1], c->pairs.item[0], "item[k - 1].j < j");
        BREAKS(validate_contacts, c, c->pairs.item[1].j, COUNT, "j < c->capsule_count");
        BREAKS(validate_contacts, c, c->pairs.item[9].j, COUNT + 1,
               "c->capsule_count + c->collider");
        CHECK_TEXT(broken(validate_contacts, c), "");
    }
}
