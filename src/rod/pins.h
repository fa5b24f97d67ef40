// SPDX-License-Identifier: MIT
#pragma once

// What constraints hold rods by: places of their edges. Functions of tdi_implicit; `body` is a
// tdi_rod_state.

#include "implicit/implicit.h"

td_real tdi_rod_mass(const void *body);
void tdi_rod_constrained(void *body);
void tdi_rod_pin_places(const void *body, const tdi_pin *pins, int32_t count, bool history,
                        td_vec3 *x);
void tdi_rod_pin_moves(const void *body, const tdi_pin *pins, int32_t count, bool response,
                       td_vec3 *dx);
void tdi_rod_pin_fetch(const void *body, const tdi_pin *pin);
void tdi_rod_pin_push(void *body, const tdi_pin *pin, td_vec3 force, bool first);
int32_t tdi_rod_pin_rows(void *body, const tdi_pin *pin, int32_t point[TDI_PIN_POINTS],
                         td_real rows[TDI_PIN_POINTS][3][4]);
void tdi_rod_pin_confine(void *body, const tdi_pin *pins, int32_t count);
void tdi_rod_pin_add(void *body, const tdi_pin *pin, td_vec3 gradient, const td_sym3 *hessian,
                     tdi_levers levers);
