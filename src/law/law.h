// SPDX-License-Identifier: MIT
#pragma once

// Laws of contact and constraints: what a displacement does, each written once. A law has a value,
// which a line search sees, the force, which is its slope, and the stiffness. It knows neither
// solvers nor how contacts are found.
//
// Equality    c = 0, with the multiplier l and a stiffness K: V = l c + K c^2/2
// Spring      V = S c^2/2, with damping D (c - c*)^2/(2 h): l c + K c^2/2 with l and K given
// One-sided   c >= 0: the same where l + K c < 0, and V = -l^2/(2K) elsewhere
// Barrier     keeps a gap open, within a range
// Friction    Coulomb's with a given normal force, smooth below the speed `creep`
// Cone        Coulomb's with a normal force that is solved for: the multiplier method of cone.c
// Disc        a force of at most a given size, as of rolling resistance: likewise

#include "math/mat3.h"

// ---- rows with a multiplier -----------------------------------------------------------------

typedef enum tdi_law_kind { TDI_LAW_EQUALITY, TDI_LAW_ONE_SIDED, TDI_LAW_SPRING } tdi_law_kind;

typedef struct tdi_row_law {
    td_real multiplier; // N or N m
    td_real stiffness;  // N/m or N m
    tdi_law_kind kind;
} tdi_row_law;

typedef struct tdi_row_terms {
    td_real value, force, stiffness; // J, N, N/m
} tdi_row_terms;

static inline tdi_row_terms tdi_row_evaluate(tdi_row_law law, td_real c) {
    const td_real l = law.multiplier, k = law.stiffness, force = l + k * c;
    return law.kind == TDI_LAW_ONE_SIDED && force > 0
               ? (tdi_row_terms){-l * l / (2 * k), 0, 0}
               : (tdi_row_terms){c * (l + 0.5 * k * c), force, k};
}

// A spring with damping in an implicit step: the rate of c is (c - c*)/h. h = 0: statics.
static inline tdi_row_law tdi_spring_law(td_real stiffness, td_real damping, td_real h,
                                         td_real history) {
    const td_real rate = h > 0 ? damping / h : 0;
    return (tdi_row_law){-rate * history, stiffness + rate, TDI_LAW_SPRING};
}

// ---- barrier --------------------------------------------------------------------------------

// With y = gap/range below 1, and nothing from there on, where all three are 0:
//   V = F r (1 - y)^3/y,   V' = F (3 - 2y - 1/y^2),   V'' = F/r (2/y^3 - 2)
static inline td_real tdi_barrier_value(td_real force, td_real range, td_real gap) {
    const td_real y = gap / range, z = 1 - y;
    return force * range * z * z * z / y;
}
static inline td_real tdi_barrier_slope(td_real force, td_real range, td_real gap) {
    const td_real y = gap / range;
    return force * (3 - 2 * y - 1 / (y * y));
}
static inline td_real tdi_barrier_curve(td_real force, td_real range, td_real gap) {
    const td_real y = gap / range;
    return force / range * (2 / (y * y * y) - 2);
}

// ---- friction with a given normal force -----------------------------------------------------

// f with f(0) = 0, f' = 2 y - y^2 with y = |u|/creep up to 1, then 1:
//   y^2 - y^3/3 over creep, then |u| - creep/3
static inline td_real tdi_friction_value(td_real speed, td_real creep) {
    const td_real y = speed / creep;
    return y < 1 ? creep * y * y * (1 - y / 3) : speed - creep / 3;
}
// f'/|u|
static inline td_real tdi_friction_over(td_real speed, td_real creep) {
    const td_real y = speed / creep;
    return y < 1 ? (2 - y) / creep : 1 / speed;
}
// (f'' - f'/|u|)/|u|^2:  (2 - 2y)/creep - (2 - y)/creep = -speed/creep^2, or -1/speed
static inline td_real tdi_friction_curve(td_real speed, td_real creep) {
    const td_real y = speed / creep;
    return y < 1 ? -1 / (creep * creep * (speed > 0 ? speed : creep))
                 : -1 / (speed * speed * speed);
}

// ---- friction with a normal force that is solved for ----------------------------------------

typedef struct tdi_cone {
    td_vec3 normal;
    td_vec3 multiplier; // N
    td_real stiffness;  // N/m
    td_real friction;   // coefficient
    td_real least;      // N: along the normal at least; 0: none
} tdi_cone;

typedef enum tdi_cone_state {
    TDI_CONE_APART,
    TDI_CONE_STICKS,
    TDI_CONE_SLIDES,
    TDI_CONE_LEAST // it has the least along the normal
} tdi_cone_state;

typedef struct tdi_cone_terms { // at a displacement u
    td_vec3 y;                  // l - K u
    td_vec3 force;              // y on the cone
    td_vec3 aside;              // unit, of y across the normal
    td_real along, slide;       // of y: along the normal, and across it
    tdi_cone_state state;
} tdi_cone_terms;

tdi_cone_terms tdi_cone_evaluate(const tdi_cone *cone, td_vec3 u);
td_real tdi_cone_value(const tdi_cone *cone, const tdi_cone_terms *terms);
td_sym3 tdi_cone_stiffness(const tdi_cone *cone, const tdi_cone_terms *terms);

typedef struct tdi_disc_terms { // at a displacement u across the normal
    td_vec3 y, force;           // l - K u, and that on the disc
    td_real part;               // of y: 1, or less where it gives way
} tdi_disc_terms;

tdi_disc_terms tdi_disc_evaluate(td_vec3 multiplier, td_real stiffness, td_real most, td_vec3 u);
td_real tdi_disc_value(td_real stiffness, const tdi_disc_terms *terms);
// Within the plane across the normal.
td_sym3 tdi_disc_stiffness(td_real stiffness, td_vec3 normal, const tdi_disc_terms *terms);
