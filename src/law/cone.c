// SPDX-License-Identifier: MIT
// Coulomb's cone and discs by multipliers.
//
// Cone   Forces g lie in |g_t| <= m g_n. With a multiplier l and a stiffness K,
//          V = |g|^2/(2K),  g = projection of y = l - K u on the cone,
//        which is convex, has one derivative, and the Hessian K dg/dy:
//          stick    I
//          slide    (n + m t)(n + m t)^T/(1 + m^2) + m g_n/|y_t| (I - n n^T - t t^T),
//                   t = y_t/|y_t|
//          apart    0
//        Repeated updates l <- g make it exact: the residual is (g - l)/K.
// Least  With a least force along n the projection is that on the cone above that least, which is
//        that on a disc where the projection on the cone has less: V = (2 y.g - |g|^2)/(2K).
// Disc   |g| <= r: the same V, g = projection of y on the disc.

#include "law/law.h"

#include <math.h>

// ---- cone -----------------------------------------------------------------------------------

tdi_cone_terms tdi_cone_evaluate(const tdi_cone *c, td_vec3 u) {
    const td_vec3 n = c->normal;
    const td_real m = c->friction;
    tdi_cone_terms g = {.y = tdi_madd(c->multiplier, u, -c->stiffness)};
    g.along = tdi_dot(g.y, n);
    const td_vec3 aside = tdi_madd(g.y, n, -tdi_dot(n, g.y));
    g.slide = tdi_norm(aside);
    g.aside = g.slide > 0 ? tdi_scale(aside, 1 / g.slide) : tdi_vec3(0, 0, 0);
    if (g.along > 0 && g.slide <= m * g.along) {
        g.state = TDI_CONE_STICKS;
        g.force = g.y;
    } else if (g.along + m * g.slide > 0) {
        const td_real load = (g.along + m * g.slide) / (1 + m * m);
        g.state = TDI_CONE_SLIDES;
        g.force = tdi_add(tdi_scale(n, load), tdi_scale(g.aside, m * load));
    }
    if (tdi_dot(g.force, n) < c->least) {
        g.state = TDI_CONE_LEAST;
        g.force = tdi_add(tdi_scale(n, c->least), tdi_scale(g.aside, fmin(g.slide, m * c->least)));
    }
    return g;
}

td_real tdi_cone_value(const tdi_cone *c, const tdi_cone_terms *g) {
    return (2 * tdi_dot(g->y, g->force) - tdi_dot(g->force, g->force)) / (2 * c->stiffness);
}

// K (I - n n^T), and less where the friction is as large as it can be.
static td_sym3 stiffness_at_least(const tdi_cone *c, const tdi_cone_terms *g) {
    const bool sticks = g->slide <= c->friction * c->least;
    const td_real k = c->stiffness * (sticks ? 1 : c->friction * c->least / g->slide);
    const td_sym3 h = tdi_sym3_add(tdi_sym3_diagonal(k, k, k), tdi_sym3_square(c->normal, -k));
    return sticks ? h : tdi_sym3_add(h, tdi_sym3_square(g->aside, -k));
}

td_sym3 tdi_cone_stiffness(const tdi_cone *c, const tdi_cone_terms *g) {
    const td_real k = c->stiffness, m = c->friction;
    const td_vec3 n = c->normal, edge = tdi_madd(n, g->aside, m);
    if (g->state == TDI_CONE_STICKS) {
        return tdi_sym3_diagonal(k, k, k);
    }
    if (g->state == TDI_CONE_LEAST) {
        return stiffness_at_least(c, g);
    }
    td_sym3 h = tdi_sym3_square(edge, g->state == TDI_CONE_SLIDES ? k / (1 + m * m) : 0);
    if (g->state == TDI_CONE_SLIDES && g->slide > 0) {
        const td_real turn = k * m * tdi_dot(g->force, n) / g->slide;
        h = tdi_sym3_add(h, tdi_sym3_diagonal(turn, turn, turn));
        h = tdi_sym3_add(h, tdi_sym3_square(n, -turn));
        h = tdi_sym3_add(h, tdi_sym3_square(g->aside, -turn));
    }
    return h;
}

// ---- disc -----------------------------------------------------------------------------------

tdi_disc_terms tdi_disc_evaluate(td_vec3 multiplier, td_real stiffness, td_real most, td_vec3 u) {
    tdi_disc_terms g = {.y = tdi_madd(multiplier, u, -stiffness), .part = 1};
    const td_real size = tdi_norm(g.y);
    g.part = size > most ? most / size : 1;
    g.force = tdi_scale(g.y, g.part);
    return g;
}

td_real tdi_disc_value(td_real stiffness, const tdi_disc_terms *g) {
    return (2 * tdi_dot(g->y, g->force) - tdi_dot(g->force, g->force)) / (2 * stiffness);
}

td_sym3 tdi_disc_stiffness(td_real stiffness, td_vec3 normal, const tdi_disc_terms *g) {
    const td_real k = stiffness * g->part, size = tdi_norm(g->y);
    td_sym3 h = tdi_sym3_diagonal(k, k, k);
    h = tdi_sym3_add(h, tdi_sym3_square(normal, -k));
    return g->part < 1 ? tdi_sym3_add(h, tdi_sym3_square(tdi_scale(g->y, 1 / size), -k)) : h;
}
