// SPDX-License-Identifier: MIT
// The stiffness of joints, from the stems they join.
//
// Method   a round rod bends by M ds/(E I) and twists by T ds/(G J), I = pi r^4/4, J = pi r^4/2.
//          A joint stands for a stretch of rod; its compliance is the integral over that stretch.

#include "plant/spring.h"

#include "math/vec3.h"
#include "plant/shape.h"
#include "plant/strand.h"

// Integral of 4 ds/(pi r^4) over a stretch of length h whose radius goes linearly from a to b:
//   4h/(3 pi) (a^2 + ab + b^2)/(a^3 b^3)
// which is infinite for a stretch that ends in a point.
static td_real stretch(td_real h, td_real a, td_real b) {
    td_real ab = a * b;
    return 4 * h / (3 * TDI_PI) * (a * a + ab + b * b) / (ab * ab * ab);
}

static td_real second_moment_of_area(td_real r) {
    return TDI_PI / 4 * r * r * r * r;
}

// 1/k = (half of the parent) + (half of the child), each with its own modulus; J = 2I for a round
// rod, so twisting by T takes half the integral over G
td_vec3 tdi_spring_clamped(const tdi_beam *parent, const tdi_beam *child) {
    td_real middle = (child->radius_base + child->radius_tip) / 2;
    td_real half = stretch(child->length / 2, child->radius_base, middle);
    td_real bend = half / child->young, twist = half / (2 * child->shear);
    if (parent) {
        middle = (parent->radius_base + parent->radius_tip) / 2;
        half = stretch(parent->length / 2, middle, parent->radius_tip);
        bend += half / parent->young;
        twist += half / (2 * parent->shear);
    }
    return tdi_vec3(1 / bend, 1 / twist, 1 / bend);
}

// k = E (I_p + I_c)/2 * 2/(l_p + l_c) and k = G (J_p + J_c)/2 * 2/(l_p + l_c), eq. 6.6 and 6.16;
// a tapered stem counts with the radius at its middle
td_vec3 tdi_spring_thesis(const tdi_beam *parent, const tdi_beam *child) {
    const tdi_beam *p = parent ? parent : child;
    td_real area = (second_moment_of_area((p->radius_base + p->radius_tip) / 2) +
                    second_moment_of_area((child->radius_base + child->radius_tip) / 2)) /
                   2;
    td_real over = area * 2 / (p->length + child->length);
    return tdi_vec3(child->young * over, 2 * child->shear * over, child->young * over);
}

// A round stalk whose whole length bends: k = E I/l and G J/l.
static td_vec3 spring_of_stalk(td_real length, td_real radius, td_real young, td_real shear) {
    td_real over = second_moment_of_area(radius) / length;
    return tdi_vec3(young * over, 2 * shear * over, young * over);
}

// ---- all joints of a skeleton ---------------------------------------------------------------

// `joint_young` replaces the modulus of both halves; the shear modulus keeps its ratio to it as in
// the child's material
static tdi_beam beam_of(const td_segment *s, const td_material *material, const tdi_extra *joint,
                        const td_material *child_material) {
    tdi_beam beam = {s->rest_length, s->radius_base, s->radius_tip, material->young,
                     td_material_shear(material)};
    if (joint->joint_young > 0) {
        beam.young = joint->joint_young;
        beam.shear = joint->joint_young * td_material_shear(child_material) / child_material->young;
    }
    return beam;
}

// Whether a stem resists as a round one of its radii and material does.
static bool is_plain(const td_segment *s, const tdi_extra *e) {
    const td_section *g = &e->section;
    return s->flat == 1 && g->bend_x == 0 && g->bend_z == 0 && g->twist == 0;
}

// Half a stem as a spring, over that of its material: 2 (E I, G J, E I)/l.
static td_vec3 half_section(const td_segment *s, const td_material *m, td_real joint_young) {
    td_real over = 2 / s->rest_length * (joint_young > 0 ? joint_young / m->young : 1);
    return tdi_vec3(s->section.bend_x * over, s->section.twist * over, s->section.bend_z * over);
}

// By the rules above, with parameters of sections in place of radii and moduli.
static td_vec3 section_stiffness(const tdi_store *store, const tdi_extra *extras, int32_t i,
                                 td_spring_rule rule) {
    const td_segment *s = &store->segments[i],
                     *p = s->parent == TD_NONE ? s : &store->segments[s->parent];
    const td_real young = extras[i].joint_young;
    const td_vec3 c = half_section(s, &store->materials[s->material], young),
                  o = half_section(p, &store->materials[p->material], young);
    if (rule == TD_SPRING_THESIS) { // (B_p + B_c)/(l_p + l_c), of halves 2 B/l
        const td_real lp = p->rest_length, lc = s->rest_length, over = 0.5 / (lp + lc);
        return tdi_scale(tdi_add(tdi_scale(o, lp), tdi_scale(c, lc)), over);
    }
    if (s->parent == TD_NONE || extras[s->parent].immovable) {
        return c;
    }
    return tdi_vec3(1 / (1 / c.x + 1 / o.x), 1 / (1 / c.y + 1 / o.y), 1 / (1 / c.z + 1 / o.z));
}

static td_vec3 ball_stiffness(const tdi_store *store, const tdi_extra *extras, int32_t i,
                              td_spring_rule rule) {
    const td_segment *s = &store->segments[i];
    const td_material *material = &store->materials[s->material];
    tdi_beam child = beam_of(s, material, &extras[i], material);
    if (s->shape != TD_NONE) {
        const td_shape *shape = &store->shapes[s->shape];
        return spring_of_stalk(tdi_stalk_length(shape, s->length),
                               tdi_stalk_radius(shape, s->length), child.young, child.shear);
    }
    if (!is_plain(s, &extras[i]) ||
        (s->parent != TD_NONE && !is_plain(&store->segments[s->parent], &extras[s->parent]))) {
        return section_stiffness(store, extras, i, rule);
    }
    if (s->parent == TD_NONE) {
        return rule == TD_SPRING_THESIS ? tdi_spring_thesis(NULL, &child)
                                        : tdi_spring_clamped(NULL, &child);
    }
    const td_segment *p = &store->segments[s->parent];
    tdi_beam parent = beam_of(p, &store->materials[p->material], &extras[i], material);
    if (rule == TD_SPRING_THESIS) {
        return tdi_spring_thesis(&parent, &child);
    }
    return tdi_spring_clamped(extras[s->parent].immovable ? NULL : &parent, &child);
}

// A hinge feels the part of the ball's stiffness about its axis, k = a^T K a. Slides have no spring
// of their own, and what is welded or free has none at all.
static td_vec3 joint_stiffness(const tdi_store *store, const tdi_extra *extras, int32_t i,
                               td_spring_rule rule) {
    const td_segment *s = &store->segments[i];
    if (s->joint == TD_JOINT_BALL) {
        return ball_stiffness(store, extras, i, rule);
    }
    if (s->joint == TD_JOINT_HINGE) {
        td_vec3 k = ball_stiffness(store, extras, i, rule), a = s->axis;
        return tdi_vec3(k.x * a.x * a.x + k.y * a.y * a.y + k.z * a.z * a.z, 0, 0);
    }
    return tdi_vec3(0, 0, 0);
}

void tdi_springs_set(tdi_store *store, tdi_extra *extras, td_spring_rule rule) {
    for (int32_t i = 0; i < store->segment_count; i++) {
        td_segment *s = &store->segments[i];
        s->section = tdi_section_of(s, &store->materials[s->material], &extras[i].section);
        extras[i].immovable =
            s->joint == TD_JOINT_FIXED && (s->parent == TD_NONE || extras[s->parent].immovable);
        if (!extras[i].has_stiffness) {
            s->stiffness = joint_stiffness(store, extras, i, rule);
        }
        if (!extras[i].has_damping) {
            const td_real own = extras[i].damping_time;
            s->damping = tdi_scale(s->stiffness,
                                   own >= 0 ? own : store->materials[s->material].damping_time);
        }
    }
}
