// SPDX-License-Identifier: MIT
// The lowest vibration modes of bodies that constraints hold or join, about a pose:
//   K x + J^T l = lambda M x,  J x = 0.
//
// Pencil   K and M are those of the bodies, side by side. K has the geometric stiffness of the
//          constraint forces at the bodies' points (tdi_modal.expand) and, as rows p with a
//          stiffness k each, the second derivatives of the constraints themselves: k p p^T.
// Forces   The multipliers of the pose: least squares of gradient + J^T l. At rest that is exact,
//          whatever the history of the pose. One-sided constraints take part where they push.
// Solve    With E = K + shift M of the bodies alone, R all rows, C = 1/k of the elastic ones and
//          0 of the others, and S = R E^-1 R^T + C, what a load b moves is
//            x = E^-1 b - E^-1 R^T S^-1 R E^-1 b.
// Rank     Rows may say the same twice: S is factored with complete pivoting.
// Cost     O(rows x degrees of freedom) a solve, and their product in memory, freed at the end.

#include "implicit/modal.h"

#include "base/assert.h"
#include "base/diag.h"
#include "base/range.h"
#include "implicit/constants.h"
#include "implicit/constraint.h"
#include "math/angle.h"
#include "math/dense.h"
#include "math/subspace.h"

#include <math.h>
#include <string.h>

#define CLOSE       1e-6  // m or rad: a one-sided row within this may push
#define SAME        1e-10 // of the largest pivot: redundant rows
#define CURVED      1e-9  // of the largest second derivative of a relation: smaller ones are zero
#define ROUNDING    1e-13 // m or rad: errors of coordinates
#define FALLS       1e-3  // 1/s^2: of lambda; what falls more slowly, in half a minute, is neutral
#define MOST_FORCES (1 << 27) // numbers in the matrix of rows: 1 GiB

enum { COORDINATES = 3 * TDI_RELATION_POINTS, MOST_TANGENT = 64 };

// A body.
typedef struct part {
    const tdi_modal *ops;
    void *tangent;
    int32_t first, count; // degrees of freedom
    td_real stiffness;    // factor of its springs
    td_real damping;
    td_vec3 gravity;
} part;

// A row of a constraint; and one of its second derivatives, which is elastic.
typedef struct row {
    const tdi_constraint_set *set;
    int32_t group, row; // relation of the set, and row of it
    bool one_sided;
    td_real force;
    td_real stiffness; // of an elastic row
} row;

typedef struct modal {
    const tdi_system *system;
    part *part;
    int32_t length;      // degrees of freedom of all
    int32_t hard, count; // rows of constraints, and with the elastic ones after them
    int32_t most;        // rows that there is room for
    row *row;
    td_real *r, *y;             // rows: R and E^-1 R^T, a row of `length` numbers each
    td_real *light;             // 1/diagonal of M
    td_real *gradient, *vector; // of all degrees of freedom
    td_real forces;             // the larger of the norms of springs and weight
    td_real *force;             // a row
    tdi_dense inner, outer;     // J D J^T with D = light, and S
    tdi_dead_load *load;        // of one body
} modal;

static td_real *row_of(const modal *m, td_real *rows, int32_t k) {
    return rows + (ptrdiff_t)k * m->length;
}

static td_real dot(const modal *m, const td_real *x, const td_real *y) {
    td_real sum = 0;
    for (int32_t d = 0; d < m->length; d++) {
        sum += x[d] * y[d];
    }
    return sum;
}

static void add(const modal *m, td_real *to, const td_real *x, td_real by) {
    for (int32_t d = 0; d < m->length; d++) {
        to[d] += by * x[d];
    }
}

// ---- relations ------------------------------------------------------------------------------

static int32_t member_of_point(const tdi_constraint_set *h, const tdi_row_group *b, int32_t point) {
    return h->member[h->def[b->constraint].actor[b->law.point[point].second]];
}

// Generalised forces of forces at the points of a relation, added to a row.
static void add_forces(const modal *m, const tdi_constraint_set *h, const tdi_row_group *b,
                       const td_vec3 *force, td_real *to) {
    for (int side = 0; side < 2; side++) {
        const int32_t actor = h->def[b->constraint].actor[side];
        const part *p = actor == TD_NONE ? NULL : &m->part[h->member[actor]];
        tdi_point own_points[TDI_RELATION_POINTS];
        td_vec3 own[TDI_RELATION_POINTS];
        int32_t count = 0;
        for (int32_t k = 0; p && k < b->law.point_count; k++) {
            if (b->point[k] != TD_NONE && b->law.point[k].second == (side == 1)) {
                own_points[count] = h->point[b->point[k]];
                own[count++] = force[k];
            }
        }
        if (count > 0) {
            p->ops->forces(p->tangent, tdi_points_of(own_points, count), own, m->vector);
            for (int32_t d = 0; d < p->count; d++) {
                to[p->first + d] += m->vector[d];
            }
        }
    }
}

static tdi_relation_at evaluate(const tdi_constraint_set *h, const tdi_row_group *b,
                                td_vec3 x[TDI_RELATION_POINTS]) {
    td_real along = h->state[b->constraint].along;
    tdi_relation_at at;
    tdi_row_group_positions(h, b, x);
    tdi_relation_evaluate(&b->law, x, &along, &at);
    return at;
}

static bool is_curved(const tdi_row_group *b) {
    return tdi_relation_has_curvature(b->law.kind) || tdi_relation_is_rotating(b->law.kind) ||
           b->law.kind == TDI_RELATION_ENDS;
}

// Room for the rows of a relation that acts.
static int32_t rows_of(const tdi_row_group *b) {
    return !b->acts ? 0 : b->law.row_count + (is_curved(b) ? 3 * b->law.point_count : 0);
}

static td_status find_rows(modal *m, td_diag *diag) {
    for (const tdi_constraint_set *h = m->system->constraints; h; h = h->next) {
        for (int32_t i = 0; i < h->group_count; i++) {
            const tdi_row_group *b = &h->group[i];
            if (!b->acts) {
                continue;
            }
            if (h->began[b->constraint].unmet) {
                char name[80];
                tdi_constraint_name(&h->def[b->constraint], b->constraint, name);
                return tdi_fail(diag, TD_ERR_ARGUMENT,
                                "%s is not met, so the pose has no modes; settle it, or release it",
                                name);
            }
            if (tdi_is_spring(b)) {
                char name[80];
                tdi_constraint_name(&h->def[b->constraint], b->constraint, name);
                return tdi_fail(diag, TD_ERR_ARGUMENT,
                                "%s is a spring: modes with springs are not offered; release it",
                                name);
            }
            td_vec3 x[TDI_RELATION_POINTS];
            const tdi_relation_at at = evaluate(h, b, x);
            for (int32_t r = 0; r < b->law.row_count; r++) {
                if (!tdi_is_one_sided(b) || at.c[r] < CLOSE) {
                    m->row[m->hard] =
                        (row){.set = h, .group = i, .row = r, .one_sided = tdi_is_one_sided(b)};
                    add_forces(m, h, b, at.gradient[r], row_of(m, m->r, m->hard++));
                }
            }
        }
    }
    m->count = m->hard;
    return TD_OK;
}

// ---- forces ---------------------------------------------------------------------------------

// J D J^T, factored.
static void factor_inner(modal *m) {
    m->inner.size = m->hard;
    for (int32_t i = 0; i < m->hard; i++) {
        const td_real *a = row_of(m, m->r, i);
        for (int32_t j = 0; j <= i; j++) {
            const td_real *b = row_of(m, m->r, j);
            td_real sum = 0;
            for (int32_t d = 0; d < m->length; d++) {
                sum += a[d] * m->light[d] * b[d];
            }
            m->inner.a[i * m->hard + j] = m->inner.a[j * m->hard + i] = sum;
        }
    }
    tdi_dense_factor(&m->inner, SAME);
}

static void drop_row(modal *m, int32_t k) {
    m->hard--;
    memmove(m->row + k, m->row + k + 1, (size_t)(m->hard - k) * sizeof *m->row);
    memmove(row_of(m, m->r, k), row_of(m, m->r, k + 1),
            (size_t)(m->hard - k) * (size_t)m->length * sizeof *m->r);
    memset(row_of(m, m->r, m->hard), 0, (size_t)m->length * sizeof *m->r);
}

// The one-sided row that pulls most; TD_NONE: none does.
static int32_t pulling_row(const modal *m) {
    int32_t worst = TD_NONE;
    for (int32_t k = 0; k < m->hard; k++) {
        const bool pulls = m->row[k].one_sided && !(m->force[k] < 0);
        if (pulls && (worst == TD_NONE || m->force[k] > m->force[worst])) {
            worst = k;
        }
    }
    return worst;
}

static void find_forces(modal *m) {
    int32_t worst;
    do {
        factor_inner(m);
        for (int32_t k = 0; k < m->hard; k++) {
            const td_real *j = row_of(m, m->r, k);
            m->force[k] = 0;
            for (int32_t d = 0; d < m->length; d++) {
                m->force[k] -= j[d] * m->light[d] * m->gradient[d];
            }
        }
        tdi_dense_solve(&m->inner, m->force);
        worst = pulling_row(m);
        if (worst != TD_NONE) {
            drop_row(m, worst);
        }
    } while (worst != TD_NONE);
    for (int32_t k = 0; k < m->hard; k++) {
        m->row[k].force = m->force[k];
    }
    m->count = m->hard;
}

// Forces of all rows of a relation; inactive rows have 0.
static bool relation_forces(const modal *m, const tdi_constraint_set *h, int32_t group,
                            td_real force[TDI_RELATION_ROWS]) {
    bool any = false;
    memset(force, 0, TDI_RELATION_ROWS * sizeof *force);
    for (int32_t k = 0; k < m->hard; k++) {
        if (m->row[k].set == h && m->row[k].group == group) {
            force[m->row[k].row] = m->row[k].force;
            any = any || m->row[k].force != 0;
        }
    }
    return any;
}

// Forces of constraints at the points of a body.
static int32_t loads_on(const modal *m, int32_t member, td_real scale) {
    int32_t count = 0;
    for (const tdi_constraint_set *h = m->system->constraints; h; h = h->next) {
        for (int32_t i = 0; i < h->group_count; i++) {
            const tdi_row_group *b = &h->group[i];
            td_real force[TDI_RELATION_ROWS];
            td_vec3 x[TDI_RELATION_POINTS];
            if (!b->acts || !relation_forces(m, h, i, force)) {
                continue;
            }
            const tdi_relation_at at = evaluate(h, b, x);
            for (int32_t k = 0; k < b->law.point_count; k++) {
                if (b->point[k] == TD_NONE || h->point[b->point[k]].kind != TDI_POINT_POSITION ||
                    member_of_point(h, b, k) != member) {
                    continue;
                }
                tdi_dead_load *l = &m->load[count++];
                *l = (tdi_dead_load){.point = h->point[b->point[k]]};
                for (int32_t r = 0; r < b->law.row_count; r++) {
                    l->gradient = tdi_madd(l->gradient, at.gradient[r][k], scale * force[r]);
                }
            }
        }
    }
    return count;
}

// ---- second derivatives ---------------------------------------------------------------------

static void write3(td_real *to, td_vec3 v) {
    to[0] = v.x;
    to[1] = v.y;
    to[2] = v.z;
}

// The gradient of force.c by all points.
static void weighted_gradient(const tdi_relation *law, const td_vec3 *x, td_real along,
                              const td_real *force, td_real *g) {
    tdi_relation_at at;
    tdi_relation_evaluate(law, x, &along, &at);
    for (int32_t k = 0; k < law->point_count; k++) {
        td_vec3 sum = {0, 0, 0};
        for (int32_t r = 0; r < law->row_count; r++) {
            sum = tdi_madd(sum, at.gradient[r][k], force[r]);
        }
        write3(g + 3 * k, sum);
    }
}

static td_real *coordinate(td_vec3 *x, int32_t d) {
    td_vec3 *v = &x[d / 3];
    return d % 3 == 0 ? &v->x : d % 3 == 1 ? &v->y : &v->z;
}

// Of points by differences of gradients; joints turn by exp(w), and their relations have one point.
static void relation_hessian(const tdi_constraint_set *h, const tdi_row_group *b,
                             const td_real *force, td_real *hessian, int32_t n) {
    const td_real along = h->state[b->constraint].along;
    td_vec3 x[TDI_RELATION_POINTS];
    tdi_row_group_positions(h, b, x);
    memset(hessian, 0, (size_t)(n * n) * sizeof *hessian);
    if (b->law.point[0].joint) {
        const td_sym3 s = tdi_relation_hessian(&b->law, x, along, force);
        const td_real all[9] = {s.xx, s.xy, s.xz, s.xy, s.yy, s.yz, s.xz, s.yz, s.zz};
        for (int i = 0; i < 9; i++) {
            hessian[i / 3 * n + i % 3] = all[i];
        }
        return;
    }
    for (int32_t d = 0; d < n; d++) {
        td_real low[COORDINATES], high[COORDINATES], *at = coordinate(x, d), old = *at;
        *at = old + TDI_DIFFERENCE;
        weighted_gradient(&b->law, x, along, force, high);
        *at = old - TDI_DIFFERENCE;
        weighted_gradient(&b->law, x, along, force, low);
        *at = old;
        for (int32_t e = 0; e < n; e++) {
            const td_real half = (high[e] - low[e]) / (4 * TDI_DIFFERENCE);
            hessian[d * n + e] += half;
            hessian[e * n + d] += half;
        }
    }
    for (int32_t d = 0; d < n; d++) { // points of the world do not move
        for (int32_t e = 0; e < n; e++) {
            const bool still = b->point[d / 3] == TD_NONE || b->point[e / 3] == TD_NONE;
            hessian[d * n + e] = still ? 0 : hessian[d * n + e];
        }
    }
}

static void add_elastic_of(modal *m, const tdi_constraint_set *h, int32_t group) {
    const tdi_row_group *b = &h->group[group];
    const int32_t n = 3 * b->law.point_count;
    td_real hessian[COORDINATES * COORDINATES], axes[COORDINATES * COORDINATES],
        force[TDI_RELATION_ROWS], most = 0;
    if (!relation_forces(m, h, group, force)) {
        return;
    }
    relation_hessian(h, b, force, hessian, n);
    tdi_diagonalise(hessian, axes, n);
    for (int32_t k = 0; k < n; k++) {
        most = fmax(most, fabs(hessian[k * n + k]));
    }
    for (int32_t k = 0; k < n; k++) {
        const td_real stiffness = hessian[k * n + k];
        if (fabs(stiffness) > CURVED * most) {
            td_vec3 direction[TDI_RELATION_POINTS];
            for (int32_t d = 0; d < n; d++) {
                *coordinate(direction, d) = axes[d * n + k];
            }
            m->row[m->count] = (row){.set = h, .group = group, .stiffness = stiffness};
            add_forces(m, h, b, direction, row_of(m, m->r, m->count++));
        }
    }
}

static void add_elastic(modal *m) {
    for (const tdi_constraint_set *h = m->system->constraints; h; h = h->next) {
        for (int32_t i = 0; i < h->group_count; i++) {
            if (h->group[i].acts && is_curved(&h->group[i])) {
                add_elastic_of(m, h, i);
            }
        }
    }
}

// ---- the pencil -----------------------------------------------------------------------------

static void stiffness(void *context, const td_real *x, td_real *y) {
    const modal *m = context;
    for (int32_t k = 0; k < m->system->count; k++) {
        const part *p = &m->part[k];
        p->ops->stiffness(p->tangent, x + p->first, y + p->first);
        for (int32_t d = p->first; d < p->first + p->count; d++) {
            y[d] *= p->stiffness;
        }
    }
    for (int32_t k = m->hard; k < m->count; k++) {
        const td_real *r = row_of(m, m->r, k);
        add(m, y, r, m->row[k].stiffness * dot(m, r, x));
    }
}

static void inertia(void *context, const td_real *x, td_real *y) {
    const modal *m = context;
    for (int32_t k = 0; k < m->system->count; k++) {
        const part *p = &m->part[k];
        p->ops->inertia(p->tangent, x + p->first, y + p->first);
    }
}

static void diagonal(void *context, td_real *y) {
    const modal *m = context;
    for (int32_t k = 0; k < m->system->count; k++) {
        const part *p = &m->part[k];
        p->ops->diagonal(p->tangent, y + p->first);
    }
}

// x <- E^-1 x; springs s k and the shift as those of k and the shift over s, times s
static void respond(const modal *m, td_real *x) {
    for (int32_t k = 0; k < m->system->count; k++) {
        const part *p = &m->part[k];
        p->ops->respond(p->tangent, x + p->first);
        for (int32_t d = p->first; d < p->first + p->count; d++) {
            x[d] /= p->stiffness;
        }
    }
}

static bool factor(void *context, td_real shift) {
    modal *m = context;
    for (int32_t k = 0; k < m->system->count; k++) {
        const part *p = &m->part[k];
        if (!p->ops->factor(p->tangent, shift / p->stiffness)) {
            return false;
        }
    }
    memcpy(m->y, m->r, (size_t)m->count * (size_t)m->length * sizeof *m->y);
    for (int32_t k = 0; k < m->count; k++) {
        respond(m, row_of(m, m->y, k));
    }
    m->outer.size = m->count;
    for (int32_t i = 0; i < m->count; i++) {
        for (int32_t j = 0; j <= i; j++) {
            const td_real elastic = i == j && i >= m->hard ? 1 / m->row[i].stiffness : 0;
            m->outer.a[i * m->count + j] = m->outer.a[j * m->count + i] =
                dot(m, row_of(m, m->r, i), row_of(m, m->y, j)) + elastic;
        }
    }
    tdi_dense_factor(&m->outer, SAME * SAME);
    return true;
}

static void respond_held(void *context, td_real *x) {
    const modal *m = context;
    respond(m, x);
    for (int32_t k = 0; k < m->count; k++) {
        m->force[k] = dot(m, row_of(m, m->r, k), x);
    }
    tdi_dense_solve(&m->outer, m->force);
    for (int32_t k = 0; k < m->count; k++) {
        add(m, x, row_of(m, m->y, k), -m->force[k]);
    }
}

// x - D J^T (J D J^T)^-1 J x
static void project(void *context, td_real *x) {
    const modal *m = context;
    for (int32_t k = 0; k < m->hard; k++) {
        m->force[k] = dot(m, row_of(m, m->r, k), x);
    }
    tdi_dense_solve(&m->inner, m->force);
    for (int32_t k = 0; k < m->hard; k++) {
        const td_real *j = row_of(m, m->r, k);
        for (int32_t d = 0; d < m->length; d++) {
            x[d] -= m->light[d] * j[d] * m->force[k];
        }
    }
}

// ---- memory ---------------------------------------------------------------------------------

static void place_dense(tdi_dense *d, int32_t most, tdi_layout *l) {
    const size_t n = (size_t)most;
    d->a = tdi_layout_place(l, n * n, sizeof *d->a);
    d->row = tdi_layout_place(l, n, sizeof *d->row);
    d->column = tdi_layout_place(l, n, sizeof *d->column);
    d->work = tdi_layout_place(l, n, sizeof *d->work);
}

// Tangents are opened where they are placed; `part` is set.
static void lay_out(modal *m, int32_t points, tdi_layout *l) {
    const size_t n = (size_t)m->length, rows = (size_t)m->most;
    for (int32_t k = 0; k < m->system->count; k++) {
        part *p = &m->part[k];
        const tdi_member *member = &m->system->member[k];
        td_real scratch[MOST_TANGENT];
        p->tangent = tdi_layout_place(l, 1, p->ops->bytes);
        p->ops->open(l->base ? p->tangent : scratch, member->body, l);
    }
    m->row = tdi_layout_place(l, rows, sizeof *m->row);
    m->r = tdi_layout_place(l, rows * n, sizeof *m->r);
    m->y = tdi_layout_place(l, rows * n, sizeof *m->y);
    m->light = tdi_layout_place(l, n, sizeof *m->light);
    m->gradient = tdi_layout_place(l, n, sizeof *m->gradient);
    m->vector = tdi_layout_place(l, n, sizeof *m->vector);
    m->force = tdi_layout_place(l, rows, sizeof *m->force);
    m->load = tdi_layout_place(l, (size_t)points, sizeof *m->load);
    place_dense(&m->inner, m->most, l);
    place_dense(&m->outer, m->most, l);
}

// ---- entry ----------------------------------------------------------------------------------

// The gradient of springs and of a part of the weight.
static void gradient(modal *m, td_real weight) {
    for (int32_t k = 0; k < m->system->count; k++) {
        const part *p = &m->part[k];
        p->ops->expand(p->tangent, tdi_scale(p->gravity, weight / p->stiffness), NULL, 0,
                       m->gradient + p->first);
        for (int32_t d = p->first; d < p->first + p->count; d++) {
            m->gradient[d] *= p->stiffness;
        }
    }
}

// In the norm of D, in which degrees of freedom of any kind add up.
static td_real norm(const modal *m, const td_real *x) {
    td_real sum = 0;
    for (int32_t d = 0; d < m->length; d++) {
        sum += m->light[d] * x[d] * x[d];
    }
    return sqrt(sum);
}

static void expand(modal *m) {
    gradient(m, 0);
    diagonal(m, m->light);
    for (int32_t d = 0; d < m->length; d++) {
        m->light[d] = m->light[d] > 0 ? 1 / m->light[d] : 0;
    }
    m->forces = norm(m, m->gradient);
    memcpy(m->vector, m->gradient, (size_t)m->length * sizeof *m->vector);
    gradient(m, 1);
    for (int32_t d = 0; d < m->length; d++) {
        m->vector[d] = m->gradient[d] - m->vector[d];
    }
    m->forces = fmax(m->forces, norm(m, m->vector));
}

// What is left of the gradient with the forces of constraints. Places and turns that are off by
// rounding leave forces of K times that, which are all there is without weight.
static td_real unbalanced(modal *m) {
    memcpy(m->vector, m->gradient, (size_t)m->length * sizeof *m->vector);
    for (int32_t k = 0; k < m->hard; k++) {
        add(m, m->vector, row_of(m, m->r, k), m->row[k].force);
    }
    const td_real left = norm(m, m->vector);
    for (int32_t d = 0; d < m->length; d++) {
        m->vector[d] = (d * 7 / 3) % 2 == 0 ? 1 : -1; // signs in no order
    }
    stiffness(m, m->vector, m->gradient);
    const td_real rounding = ROUNDING * norm(m, m->gradient);
    return left > 0 ? left / (m->forces + rounding / TDI_UNBALANCED) : 0;
}

static void expand_with_forces(modal *m) {
    find_forces(m);
    add_elastic(m);
    for (int32_t k = 0; k < m->system->count; k++) {
        const part *p = &m->part[k];
        const int32_t count = loads_on(m, k, 1 / p->stiffness);
        p->ops->expand(p->tangent, tdi_scale(p->gravity, 1 / p->stiffness), m->load, count, NULL);
    }
}

// omega^2 = lambda; damping ratio = x^T B x/(2 omega), with x^T M x = 1
static td_mode mode_from(td_real lambda, const tdi_modal_form *f) {
    const td_real omega = sqrt(fabs(lambda));
    return (td_mode){.frequency = (lambda < 0 ? -omega : omega) / (2 * TDI_PI),
                     .damping_ratio = lambda > 0 ? f->damping / (2 * omega) : 0,
                     .twist = f->stiffness > 0 ? f->twist / f->stiffness : 0};
}

static td_mode mode_of(const modal *m, const tdi_subspace *b, int32_t j) {
    const td_real *x = tdi_subspace_vector(b, j);
    tdi_modal_form all = {0, 0, 0};
    for (int32_t k = 0; k < m->system->count; k++) {
        const part *p = &m->part[k];
        const tdi_modal_form f = p->ops->measure(p->tangent, x + p->first, j, NULL);
        all.stiffness += p->stiffness * f.stiffness;
        all.twist += p->stiffness * f.twist;
        all.damping += p->damping * f.damping;
    }
    return mode_from(b->lambda[j], &all);
}

static td_status iterate(modal *m, int32_t count, td_mode *modes, const td_alloc *alloc,
                         td_diag *diag) {
    tdi_subspace b = {.pencil = {m, stiffness, inertia, diagonal, factor, respond_held,
                                 m->hard > 0 ? project : NULL},
                      .held = m->inner.rank};
    TDI_TRY(tdi_subspace_open(&b, alloc, m->length, count, diag));
    td_status status = tdi_subspace_solve(&b, count, diag);
    for (int32_t j = 0; j < count && status == TD_OK; j++) {
        modes[j] = mode_of(m, &b, j);
    }
    tdi_subspace_close(&b);
    return status;
}

// Whether some lambda is below -FALLS: by the factors, or where constraints act by the lowest mode.
static bool is_unstable(modal *m, const td_alloc *alloc) {
    td_mode lowest;
    if (m->count == 0) {
        return !factor(m, FALLS);
    }
    if (m->inner.rank == m->length || iterate(m, 1, &lowest, alloc, NULL) != TD_OK) {
        return false;
    }
    const td_real rate = 2 * TDI_PI * lowest.frequency;
    return rate < 0 && rate * rate > FALLS;
}

static td_status find_modes(modal *m, int32_t count, td_mode *modes, tdi_modal_info *info,
                            const td_alloc *alloc, td_diag *diag) {
    expand(m);
    TDI_TRY(find_rows(m, diag));
    expand_with_forces(m);
    info->free = m->length - m->inner.rank;
    info->unbalanced = unbalanced(m);
    if (count == TDI_MODAL_STABLE && info->unbalanced < TDI_UNBALANCED) {
        info->unstable = is_unstable(m, alloc);
    }
    return count > 0 ? iterate(m, count, modes, alloc, diag) : TD_OK;
}

static td_status measure(modal *m, int32_t *points, td_diag *diag) {
    *points = 0;
    for (int32_t k = 0; k < m->system->count; k++) {
        const tdi_member *member = &m->system->member[k];
        const tdi_modal *own = tdi_state_modal(member->body);
        if (!own) {
            return tdi_fail(diag, TD_ERR_ARGUMENT,
                            "'%s' has constraints, with which its solver cannot compute modes",
                            member->name ? member->name : "a body");
        }
        td_real scratch[MOST_TANGENT];
        tdi_layout l = {NULL, 0};
        TDI_ASSERT(own->bytes <= sizeof scratch);
        m->part[k] = (part){.ops = own,
                            .first = m->length,
                            .stiffness = member->opts->stiffness,
                            .damping = member->opts->damping,
                            .gravity = member->opts->gravity};
        m->length += m->part[k].count = own->open(scratch, member->body, &l);
    }
    for (const tdi_constraint_set *h = m->system->constraints; h; h = h->next) {
        for (int32_t i = 0; i < h->group_count; i++) {
            m->most += rows_of(&h->group[i]);
            *points += h->group[i].law.point_count;
        }
    }
    if (m->length > 0 && m->most > MOST_FORCES / m->length) {
        return tdi_fail(diag, TD_ERR_LIMIT,
                        "constraints have %d rows on %d degrees of freedom; modes take at most %d "
                        "of both multiplied",
                        (int)m->most, (int)m->length, MOST_FORCES);
    }
    return TD_OK;
}

static td_status run(const tdi_system *y, int32_t count, td_mode *modes, tdi_modal_info *info,
                     const td_alloc *alloc, td_diag *diag) {
    modal m = {.system = y};
    int32_t points;
    tdi_layout l = {NULL, 0};
    const size_t parts = (size_t)y->count;
    m.part = tdi_alloc_zeroed(alloc, parts, sizeof *m.part);
    if (!m.part) {
        return tdi_fail(diag, TD_ERR_MEMORY, "out of memory for the modes");
    }
    td_status status = measure(&m, &points, diag);
    if (status == TD_OK) {
        lay_out(&m, points, &l);
        const size_t bytes = l.used;
        l = (tdi_layout){tdi_alloc_zeroed(alloc, bytes, 1), 0};
        void *block = l.base;
        if (block) {
            lay_out(&m, points, &l);
            status = find_modes(&m, count, modes, info, alloc, diag);
            tdi_alloc_free(alloc, block, bytes);
        } else {
            status = tdi_fail(diag, TD_ERR_MEMORY, "out of memory for the modes");
        }
    }
    tdi_alloc_free(alloc, m.part, parts * sizeof *m.part);
    return status;
}

td_status tdi_system_modes(const tdi_system *y, int32_t count, td_mode *modes, tdi_modal_info *info,
                           const td_alloc *alloc, td_diag *diag) {
    *info = (tdi_modal_info){0};
    tdi_constraints_begin(y->constraints, y, 0, 1);
    for (tdi_constraint_set *h = y->constraints; h; h = h->next) {
        tdi_constraints_gather(h, y);
    }
    const td_status status = run(y, count, modes, info, alloc, diag);
    tdi_constraints_undo(y->constraints);
    for (int32_t k = 0; k < y->count; k++) {
        td_body *body = y->member[k].body;
        body->coupling.constraints = NULL;
        body->coupling.system = NULL;
    }
    return status;
}

// ---- one body -------------------------------------------------------------------------------

td_status tdi_modes_alone(td_body *body, td_vec3 gravity, int32_t count, td_mode *modes,
                          td_real *shapes, td_diag *diag) {
    const tdi_modal *ops = tdi_state_modal(body);
    td_real scratch[MOST_TANGENT];
    tdi_layout l = {NULL, ops->bytes};
    const int32_t length = ops->open(scratch, body, &l);
    TDI_TRY(tdi_gravity_check(gravity, diag));
    const size_t bytes = l.used;
    void *tangent = tdi_alloc_zeroed(body->alloc, bytes, 1);
    if (!tangent) {
        return tdi_fail(diag, TD_ERR_MEMORY, "out of memory for the modes");
    }
    tdi_subspace b = {.pencil = {tangent, ops->stiffness, ops->inertia, ops->diagonal, ops->factor,
                                 ops->respond, NULL}};
    l = (tdi_layout){tangent, ops->bytes};
    ops->open(tangent, body, &l);
    td_status status = tdi_subspace_open(&b, body->alloc, length, count, diag);
    if (status == TD_OK) {
        ops->expand(tangent, gravity, NULL, 0, NULL);
        status = tdi_subspace_solve(&b, count, diag);
        for (int32_t j = 0; j < count && status != TD_ERR_DIVERGED; j++) {
            const tdi_modal_form f = ops->measure(tangent, tdi_subspace_vector(&b, j), j, shapes);
            modes[j] = mode_from(b.lambda[j], &f);
        }
        tdi_subspace_close(&b);
    }
    tdi_alloc_free(body->alloc, tangent, bytes);
    return status;
}

// ---- stability ------------------------------------------------------------------------------

static const td_alloc *alloc_of(const tdi_system *y) {
    return y->member[0].body->alloc;
}

// Members that are judged together.
static int32_t mark(const tdi_system *y) {
    tdi_modal_info info;
    for (int32_t k = 0; k < y->count; k++) {
        if (!(y->member[k].opts->stiffness > 0) || !tdi_state_modal(y->member[k].body)) {
            return 0;
        }
    }
    if (tdi_system_modes(y, TDI_MODAL_STABLE, NULL, &info, alloc_of(y), NULL) != TD_OK ||
        !info.unstable) {
        return 0;
    }
    for (int32_t k = 0; k < y->count; k++) {
        y->member[k].body->unstable = 1;
    }
    return y->count;
}

static bool is_held(const tdi_system *y, int32_t member) {
    bool group = false;
    for (const tdi_constraint_set *h = y->constraints; h && !group; h = h->next) {
        for (int32_t k = 0; k < h->member_count && !group; k++) {
            group = h->member[k] == member;
        }
    }
    return group;
}

// The members of a set of constraints, by themselves.
static int32_t mark_set(const tdi_system *y, tdi_constraint_set *h) {
    const size_t n = (size_t)h->member_count;
    tdi_constraint_set *const next = h->next;
    tdi_member *own = tdi_alloc_zeroed(h->alloc, n, sizeof *own);
    int32_t *bound = tdi_alloc_zeroed(h->alloc, n, sizeof *bound), count = 0;
    if (own && bound) {
        for (int32_t k = 0; k < h->member_count; k++) {
            own[k] = y->member[h->member[k]];
            bound[k] = h->member[k];
        }
        const tdi_system alone = {.member = own, .count = h->member_count, .constraints = h};
        tdi_constraints_bind(h, NULL);
        h->next = NULL;
        count = mark(&alone);
        h->next = next;
        tdi_constraints_bind(h, bound);
    }
    tdi_alloc_free(h->alloc, bound, n * sizeof *bound);
    tdi_alloc_free(h->alloc, own, n * sizeof *own);
    return count;
}

int32_t tdi_system_check_stable(const tdi_system *y) {
    int32_t count = 0;
    for (tdi_constraint_set *h = y->constraints; h; h = h->next) {
        count += mark_set(y, h);
    }
    for (int32_t k = 0; k < y->count; k++) {
        const tdi_system alone = {.member = &y->member[k], .count = 1};
        count += is_held(y, k) ? 0 : mark(&alone);
    }
    return count;
}
