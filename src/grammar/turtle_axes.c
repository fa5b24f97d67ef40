// SPDX-License-Identifier: MIT
// Turns of the turtle.

#include "grammar/turtle_axes.h"

#include "math/angle.h"

#include <math.h>

void tdi_turn_axes(td_vec3 *a, td_vec3 *b, td_real degrees) {
    td_real c = tdi_cos_degrees(degrees), s = tdi_sin_degrees(degrees);
    td_vec3 old = *a;
    *a = tdi_add(tdi_scale(old, c), tdi_scale(*b, s));
    *b = tdi_sub(tdi_scale(*b, c), tdi_scale(old, s));
}

// Gram-Schmidt
void tdi_axes_renew(tdi_turtle *t) {
    t->heading = tdi_unit_or(t->heading, tdi_vec3(0, 1, 0));
    t->left = tdi_madd(t->left, t->heading, -tdi_dot(t->left, t->heading));
    t->left = tdi_unit_or(t->left, tdi_across(t->heading));
    t->up = tdi_cross(t->heading, t->left);
}

// L = V x H/|V x H|, U = H x L
void tdi_axes_upright(tdi_turtle *t) {
    td_vec3 left = tdi_cross(tdi_vec3(0, 1, 0), t->heading);
    if (tdi_norm(left) > 1e-9) {
        t->left = tdi_unit_or(left, left);
        t->up = tdi_cross(t->heading, t->left);
    }
}

// Rodrigues, with the axis of length 1: v cos + (a x v) sin + a (a.v)(1 - cos)
static td_vec3 rotated(td_vec3 v, td_vec3 axis, td_real c, td_real s) {
    td_vec3 r = tdi_madd(tdi_scale(v, c), tdi_cross(axis, v), s);
    return tdi_madd(r, axis, tdi_dot(axis, v) * (1 - c));
}

void tdi_axes_bend(tdi_turtle *t, td_vec3 to, td_real e) {
    td_vec3 axis = tdi_cross(t->heading, to);
    td_real size = tdi_norm(axis), angle = e * size;
    if (e == 0 || size < 1e-12) {
        return;
    }
    axis = tdi_scale(axis, 1 / size);
    t->heading = rotated(t->heading, axis, cos(angle), sin(angle));
    t->left = rotated(t->left, axis, cos(angle), sin(angle));
    tdi_axes_renew(t);
}

void tdi_axes_untwist(tdi_turtle *t, td_vec3 heading_before, td_vec3 left_before) {
    td_vec3 axis = tdi_cross(heading_before, t->heading);
    td_real s = tdi_norm(axis), c = tdi_dot(heading_before, t->heading);
    t->left = s > 1e-12 ? rotated(left_before, tdi_scale(axis, 1 / s), c, s) : left_before;
    tdi_axes_renew(t);
}
