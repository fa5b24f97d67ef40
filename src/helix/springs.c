// SPDX-License-Identifier: MIT
// Springs of single segments in elements of helices.
//
// Method   An element has the mean of the springs of its segments, and a joint where two meet
//          counts for both. Two models are made, of the skeletons before and after; where their
//          elements differ, the model takes those of the second. So it is as if it was made of
//          that.

#include "helix/piece.h"

#include "base/diag.h"

// Elements are the same pieces of the same axes.
static bool is_alike(const tdi_helix_model *a, const tdi_helix_model *b) {
    bool alike = a->element_count == b->element_count;
    for (int32_t i = 0; i < a->element_count && alike; i++) {
        alike = a->element[i].length == b->element[i].length &&
                a->element[i].parent == b->element[i].parent;
    }
    return alike;
}

static bool is_same(td_vec3 a, td_vec3 b) {
    return a.x == b.x && a.y == b.y && a.z == b.z;
}

static void take(tdi_helix_model *m, const tdi_helix_model *was, const tdi_helix_model *now,
                 tdi_factors by) {
    const td_vec3 factors = {by.bend, by.twist, by.bend};
    for (int32_t i = 0; i < m->element_count; i++) {
        const tdi_helix_element *a = &was->element[i], *b = &now->element[i];
        if (!is_same(a->stiffness, b->stiffness) || !is_same(a->friction, b->friction)) {
            m->element[i].stiffness = tdi_times(b->stiffness, factors);
            m->element[i].friction = tdi_times(b->friction, factors);
        }
    }
}

td_status tdi_helix_take_springs(void *model, const td_skeleton *from, const td_skeleton *to,
                                 int32_t first, int32_t count, tdi_factors by, td_diag *diag) {
    tdi_helix_model *m = model, *was = NULL, *now = NULL;
    const int32_t elements = td_skeleton_strand_count(from) == 1 ? m->element_count : 0;
    (void)first, (void)count;
    td_status status = tdi_helix_model_from_skeleton(from, elements, m->head.alloc, &was, diag);
    status = status == TD_OK
                 ? tdi_helix_model_from_skeleton(to, elements, m->head.alloc, &now, diag)
                 : status;
    if (status == TD_OK && !(is_alike(m, was) && is_alike(m, now))) {
        status = tdi_fail(diag, TD_ERR_ARGUMENT,
                          "helices with these springs would be other pieces of their axis; change "
                          "'bending' and 'twisting' of the object, or give it 'elements'");
    }
    if (status == TD_OK) {
        take(m, was, now, by);
    }
    tdi_model_free(was);
    tdi_model_free(now);
    return status;
}
