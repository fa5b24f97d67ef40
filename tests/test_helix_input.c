// SPDX-License-Identifier: MIT
// Elements that are refused, by name. Pairs with src/helix/model.c.

#include "test_helix_support.h"

// What is said of two elements of which the second is `bad`.
static void refused(const td_helix_element *bad, td_status status, const char *part) {
    td_helix_element e[2] = {td_helix_element_default(), *bad};
    td_helix_model *model = (td_helix_model *)e; // must become NULL
    td_diag diag = {.message = ""};
    CHECK_INT(td_helix_model_new(e, 2, NULL, &model, &diag), status);
    CHECK(model == NULL);
    CHECK_INT(diag.index, 1);
    CHECK_HAS(diag.message, "element 1");
    CHECK_HAS(diag.message, part);
}

static td_helix_element second(void) {
    td_helix_element e = td_helix_element_default();
    e.parent = 0;
    return e;
}

#define REFUSED(field, value, status, part) \
    do {                                    \
        td_helix_element bad_ = second();   \
        bad_.field = value;                 \
        refused(&bad_, status, part);       \
    } while (0)

TD_TEST(helix_without_elements_is_refused) {
    const td_helix_element e = td_helix_element_default();
    td_helix_model *model = NULL;
    td_diag diag = {.message = ""};
    CHECK_INT(td_helix_model_new(&e, 0, NULL, &model, &diag), TD_ERR_ARGUMENT);
    CHECK_HAS(diag.message, "no elements");
    CHECK_INT(td_helix_model_new(&e, -5, NULL, &model, &diag), TD_ERR_ARGUMENT);
    CHECK_INT(td_helix_model_new(NULL, 1, NULL, &model, NULL), TD_ERR_ARGUMENT);
    CHECK(model == NULL);
}

TD_TEST(helix_element_with_a_bad_number_is_refused_by_name) {
    const td_helix_element zero = {0};
    refused(&zero, TD_ERR_DEF, "struct_size");
    REFUSED(parent, 1, TD_ERR_ARGUMENT, "parent");
    REFUSED(parent, -7, TD_ERR_ARGUMENT, "parent");
    REFUSED(at, 1.5, TD_ERR_ARGUMENT, "at");
    REFUSED(length, 0, TD_ERR_ARGUMENT, "length");
    REFUSED(length, (td_real)INFINITY, TD_ERR_ARGUMENT, "length");
    REFUSED(radius_base, 0, TD_ERR_ARGUMENT, "radius_base");
    REFUSED(radius_tip, -1, TD_ERR_ARGUMENT, "radius_tip");
    REFUSED(flat, 0, TD_ERR_ARGUMENT, "flat");
    REFUSED(rest.y, (td_real)NAN, TD_ERR_ARGUMENT, "rest");
    REFUSED(rest.x, (td_real)INFINITY, TD_ERR_ARGUMENT, "rest");
    REFUSED(start.z, (td_real)NAN, TD_ERR_ARGUMENT, "start");
    REFUSED(density, 0, TD_ERR_ARGUMENT, "density");
    REFUSED(young, -1, TD_ERR_ARGUMENT, "young");
    REFUSED(shear, -1, TD_ERR_ARGUMENT, "shear");
    REFUSED(poisson, 0.6, TD_ERR_ARGUMENT, "poisson");
    REFUSED(damping_time, -1, TD_ERR_ARGUMENT, "damping_time");
    REFUSED(bend_x, -1, TD_ERR_ARGUMENT, "bend_x");
    REFUSED(bend_z, (td_real)NAN, TD_ERR_ARGUMENT, "bend_z");
    REFUSED(twist_y, -1, TD_ERR_ARGUMENT, "twist_y");
    REFUSED(mass, -1, TD_ERR_ARGUMENT, "mass");
    REFUSED(place.x, (td_real)NAN, TD_ERR_ARGUMENT, "place");
    REFUSED(turn.w, (td_real)NAN, TD_ERR_ARGUMENT, "turn");
    REFUSED(turn.w, 2, TD_ERR_ARGUMENT, "turn");
    REFUSED(root, (td_end_kind)9, TD_ERR_ARGUMENT, "root");
}

// 2 pi 100/0.1 m = 6283/m
TD_TEST(helix_element_of_more_than_a_hundred_turns_is_refused) {
    td_helix_element e = td_helix_element_default();
    td_helix_model *model = NULL;
    REFUSED(rest.y, 6284, TD_ERR_ARGUMENT, "turns");
    REFUSED(start.x, -6284, TD_ERR_ARGUMENT, "turns");
    e.rest = e.start = tdi_vec3(0, 6283, 0);
    CHECK_INT(td_helix_model_new(&e, 1, NULL, &model, NULL), TD_OK);
    td_helix_model_free(model);
}

// Every allocation that fails, fails the call and leaves nothing behind.
TD_TEST(helix_model_and_state_fail_cleanly_without_memory) {
    const td_helix_element e[2] = {td_helix_element_default(), second()};
    td_status status = TD_ERR_MEMORY;
    for (long fail = 1; status != TD_OK && fail < 100; fail++) {
        test_heap heap = {.fail_at = fail};
        const td_alloc alloc = test_heap_alloc(&heap);
        td_helix_model *model = NULL;
        td_helix_state *state = NULL;
        td_diag diag = {.message = ""};
        status = td_helix_model_new(e, 2, &alloc, &model, &diag);
        if (status == TD_OK) {
            status = td_helix_state_new(model, &alloc, &state, &diag);
        }
        if (status != TD_OK) {
            CHECK_INT(status, TD_ERR_MEMORY);
            CHECK(state == NULL && diag.message[0] != '\0');
        }
        td_helix_state_free(state);
        td_helix_model_free(model);
        CHECK_INT(heap.held, 0);
    }
    CHECK_INT(status, TD_OK);
}
