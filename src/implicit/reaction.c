// SPDX-License-Identifier: MIT
// What holds a body: the derivative of the incremental potential along rigid motions of its pose.
//
// A step ends where the potential has no slope along all that the body can choose. Along a rigid
// motion, which its base alone can choose, the slope is the rate of momentum less weight, air,
// loads and contact: the force and moment of the base. The potential is quadratic in translations
// but for air, so that central differences are exact to rounding, and good to the square of the
// angle in rotations.

#include "implicit/body_contact.h"
#include "implicit/constants.h"

#include "math/vec3.h"

static td_real value_after(const tdi_member *m, const tdi_rigid *g) {
    m->body->ops->statics->perturb_pose(m->body, g);
    return m->body->ops->value(m->body, false);
}

// x -> about + turn (x - about) + shift
static tdi_rigid motion(td_vec3 about, td_vec3 shift, td_vec3 turn) {
    tdi_rigid g = {tdi_turn_by(turn), {0, 0, 0}};
    g.shift = tdi_add(shift, tdi_sub(about, tdi_quat_rotate(g.turn, about)));
    return g;
}

static td_real slope(const tdi_member *m, td_vec3 about, td_vec3 axis, bool turn) {
    const td_real size = TDI_DIFFERENCE;
    const td_vec3 none = {0, 0, 0}, plus = tdi_scale(axis, size), minus = tdi_scale(axis, -size);
    const tdi_rigid up = motion(about, turn ? none : plus, turn ? plus : none),
                    down = motion(about, turn ? none : minus, turn ? minus : none);
    return (value_after(m, &up) - value_after(m, &down)) / (2 * size);
}

// Contact adds its gradient at the points of the body.
static void add_contacts(const tdi_body_contact *t, int32_t member, td_vec3 about, td_vec3 *force,
                         td_vec3 *moment) {
    int32_t count;
    const tdi_contact *list = tdi_contacts_list(t->set, &count);
    for (int32_t k = 0; k < count; k++) {
        for (int p = 0; p < 4; p++) {
            const int32_t point = list[k].row.point[p];
            if (point >= t->first_point[member] && point < t->first_point[member + 1]) {
                const td_vec3 f = tdi_scale(list[k].force, list[k].row.weight[p]);
                *force = tdi_add(*force, f);
                *moment = tdi_add(*moment, tdi_cross(tdi_sub(t->now[point], about), f));
            }
        }
        for (int side = 0; side < 2; side++) { // turns of the capsules: arm force x normal
            const int32_t capsule = side ? list[k].row.other : list[k].row.capsule;
            if (capsule < t->capsule_count && t->owner[capsule] == member) {
                const td_vec3 turn = tdi_cross(list[k].force, list[k].row.normal);
                *moment = tdi_madd(*moment, turn, list[k].row.arm[side]);
            }
        }
    }
}

bool tdi_system_reaction(const tdi_system *y, int32_t member, td_vec3 about, td_vec3 *force,
                         td_vec3 *moment) {
    static const td_vec3 axes[3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    const tdi_member *m = &y->member[member];
    td_real f[3], w[3];
    const tdi_statics_ops *ops = m->body->ops->statics;
    if (!ops || !ops->perturb_pose) {
        return false;
    }
    ops->perturb_pose(m->body, NULL);
    for (int k = 0; k < 3; k++) {
        f[k] = slope(m, about, axes[k], false);
        w[k] = slope(m, about, axes[k], true);
    }
    ops->perturb_pose(m->body, NULL);
    *force = tdi_vec3(f[0], f[1], f[2]);
    *moment = tdi_vec3(w[0], w[1], w[2]);
    if (y->contact) {
        add_contacts(y->contact, member, about, force, moment);
    }
    return true;
}
