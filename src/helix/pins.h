// SPDX-License-Identifier: MIT
#pragma once

// What constraints hold helices by: points that ride on them. Functions of tdi_implicit; `body` is
// a tdi_helix_state.

#include "implicit/implicit.h"

td_real tdi_helix_mass(const void *body);
void tdi_helix_pin_places(const void *body, const tdi_pin *pins, int32_t count, bool history,
                          td_vec3 *x);
void tdi_helix_pin_moves(const void *body, const tdi_pin *pins, int32_t count, bool response,
                         td_vec3 *dx);
void tdi_helix_pin_push(void *body, const tdi_pin *pin, td_vec3 force, bool first);
void tdi_helix_pin_add(void *body, const tdi_pin *pin, td_vec3 gradient, const td_sym3 *hessian,
                       tdi_levers levers);
