// SPDX-License-Identifier: MIT
// Numbered tropisms.
//
// Method   The heading turns towards V by the angle |H x V|, at most 1 rad, with the sum over all
//          tropisms  V = e (cos g T + sin g T x (H x T)/|H x T|).  The second part makes the
//          heading rest at the angle g to T. Torques turn U about H towards the part of D = sum e T
//          across H, likewise.

#include "grammar/tropism.h"

#include "math/vec3.h"

#include <math.h>

#define SMALL 1e-7 // a cross product that counts as none

// v turned towards `to` by the angle |v x to|, at most 1
static td_vec3 turned_towards(td_vec3 v, td_vec3 to) {
    td_vec3 axis = tdi_cross(v, to);
    td_real size = tdi_norm(axis), angle = fmin(size, 1);
    if (!(size > SMALL)) {
        return v;
    }
    axis = tdi_scale(axis, 1 / size);
    // v is across the axis: v cos + (a x v) sin
    return tdi_unit_or(tdi_madd(tdi_scale(v, cos(angle)), tdi_cross(axis, v), sin(angle)), v);
}

static td_vec3 pull_of(const tdi_turtle *t, const tdi_tropism *tropism, td_real e) {
    td_vec3 pull = tdi_scale(tropism->direction, e * tropism->cosine);
    if (tropism->sine == 0) {
        return pull;
    }
    td_vec3 across = tdi_cross(t->heading, tropism->direction);
    td_real size = tdi_norm(across);
    if (size < SMALL) { // the heading is the direction: any way across will do
        across = t->left;
        size = 1;
    }
    return tdi_madd(pull, tdi_cross(tropism->direction, across), e * tropism->sine / size);
}

void tdi_tropisms_turn(tdi_turtle *t, const tdi_tropism *tropisms, int32_t count,
                       const td_real *elasticities) {
    td_vec3 pull = {0, 0, 0}, torque = {0, 0, 0};
    for (int32_t i = 0; i < count; i++) {
        if (tropisms[i].torque) {
            torque = tdi_madd(torque, tropisms[i].direction, elasticities[i]);
        } else {
            pull = tdi_add(pull, pull_of(t, &tropisms[i], elasticities[i]));
        }
    }
    td_vec3 heading = turned_towards(t->heading, pull);
    if (tdi_norm(tdi_sub(heading, t->heading)) > 0) {
        t->heading = heading;
        t->left = tdi_madd(t->left, heading, -tdi_dot(t->left, heading));
        t->left = tdi_unit_or(t->left, tdi_across(heading));
        t->up = tdi_cross(t->heading, t->left);
    }
    td_vec3 flat = tdi_madd(torque, t->heading, -tdi_dot(torque, t->heading));
    if (tdi_norm(flat) > SMALL) {
        td_vec3 to = tdi_scale(tdi_unit_or(flat, flat), tdi_norm(torque));
        t->up = tdi_scale(turned_towards(tdi_scale(t->up, -1), to), -1); // cpfg's up is opposite
        t->left = tdi_cross(t->up, t->heading);
    }
}
