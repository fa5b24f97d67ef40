// SPDX-License-Identifier: MIT
#pragma once

// Vibration modes of bodies that constraints hold or join: see modal.c.

#include "base/alloc.h"
#include "implicit/implicit.h"

// A force at a point of a body that keeps its direction: the gradient of a potential by its place.
typedef struct tdi_dead_load {
    tdi_point point;
    td_vec3 gradient;
} tdi_dead_load;

// x^T K x and x^T B x of springs and dampers, and the part of the first that is twist.
typedef struct tdi_modal_form {
    td_real stiffness, damping, twist;
} tdi_modal_form;

// What a solver supplies: the stiffness K and the inertia M of small motions of a body about its
// pose, as operators on vectors with a number a degree of freedom. A tangent is the solver's own
// struct; it works in the body's memory until the body is used for something else.
struct tdi_modal {
    size_t bytes; // of a tangent
    // Makes a tangent, with its arrays in the layout. Gives the degrees of freedom.
    int32_t (*open)(void *tangent, void *body, tdi_layout *layout);
    // K and M at the pose, K with the geometric stiffness of the weight and of the loads. Without
    // loads, unless it is NULL, the gradient of springs and weight.
    void (*expand)(void *tangent, td_vec3 gravity, const tdi_dead_load *loads, int32_t count,
                   td_real *gradient);
    void (*stiffness)(void *tangent, const td_real *x, td_real *y);
    void (*inertia)(void *tangent, const td_real *x, td_real *y);
    void (*diagonal)(void *tangent, td_real *y);  // of M
    bool (*factor)(void *tangent, td_real shift); // K + shift M; false: it is not positive definite
    void (*respond)(void *tangent, td_real *x);   // x <- (K + shift M)^-1 x
    void (*forces)(void *tangent, tdi_points points, const td_vec3 *forces, td_real *y); // J^T f
    // Unless they are NULL, which they are for solvers that have none, also the shape of a mode.
    tdi_modal_form (*measure)(void *tangent, const td_real *x, int32_t mode, td_real *shapes);
};

static inline const tdi_modal *tdi_state_modal(const td_body *body) { // NULL: it has none
    return body->ops->statics ? body->ops->statics->modal : NULL;
}

// The lowest modes about the pose of one body without constraints, whose solver has modes; shapes
// may be NULL.
td_status tdi_modes_alone(td_body *body, td_vec3 gravity, int32_t count, td_mode *modes,
                          td_real *shapes, td_diag *diag);

enum { TDI_MODAL_STABLE = -1 };

// A pose is at rest where less than this is left of the forces.
#define TDI_UNBALANCED 1e-3

typedef struct tdi_modal_info {
    int32_t free;       // degrees of freedom that constraints leave
    td_real unbalanced; // residual of the forces of springs, weight and constraints, over the
                        // largest of them; 0: the pose is at rest
    bool unstable;      // with count TDI_MODAL_STABLE
} tdi_modal_info;

// Marks the members whose pose at rest is not stable (td_body.unstable); gives their
// number. Members that contact supports are not examined.
int32_t tdi_system_check_stable(const tdi_system *system);

// Modes of the members of a system with the constraints that act on them, without contact. Gravity,
// stiffness and damping are those of the members' options. With count 0 or TDI_MODAL_STABLE only
// *info is filled.
td_status tdi_system_modes(const tdi_system *system, int32_t count, td_mode *modes,
                           tdi_modal_info *info, const td_alloc *alloc, td_diag *diag);
