// SPDX-License-Identifier: MIT
// Which pairs may meet.
//
// Method   Every capsule has a box around all that it sweeps. Boxes go into cells of grids, one
// grid
//          for each power of two: in the grid whose edge is 2^(k+1) are the centres of the boxes
//          with a largest side in (2^(k-1), 2^k]. A box that overlaps one of those has its centre
//          within a quarter of the edge, so from a box of that size or smaller two cells an axis
//          are to be looked at. Each pair is found once, from its smaller box. Cells are hashed;
//          the cost is linear in the capsules, however unlike they are, and in the pairs.
// Reuse    Boxes are made fatter than needed by a part of the radius. As long as what is swept
// stays
//          inside, the pairs stay right.
// Order    By both indices: two counting sorts.

#include "contact/store.h"

#include "base/diag.h"

#include <string.h>

#define SPARE    0.25 // how much fatter, over the radius
#define LEVELS   32   // grids; what is smaller goes into the finest
#define FARTHEST 1e9  // cells from the origin

// ---- boxes ----------------------------------------------------------------------------------

static inline void grow(tdi_bounds *b, td_vec3 x) {
    b->low = tdi_vec3(fmin(b->low.x, x.x), fmin(b->low.y, x.y), fmin(b->low.z, x.z));
    b->high = tdi_vec3(fmax(b->high.x, x.x), fmax(b->high.y, x.y), fmax(b->high.z, x.z));
}

// all that a capsule sweeps, and as far around it as it pushes; half of that would do between
// capsules, but boxes of colliders are not widened
static tdi_bounds bounds_of(const tdi_contacts *c, int32_t i, const td_vec3 *x, const td_vec3 *dx) {
    const tdi_capsule *k = &c->capsule[i];
    tdi_bounds b = {x[k->a], x[k->a]};
    grow(&b, x[k->b]);
    if (dx) {
        grow(&b, tdi_add(x[k->a], dx[k->a]));
        grow(&b, tdi_add(x[k->b], dx[k->b]));
    }
    td_real more = k->radius * (1 + c->opts.gap);
    td_vec3 margin = tdi_vec3(more, more, more);
    b.low = tdi_sub(b.low, margin);
    b.high = tdi_add(b.high, margin);
    return b;
}

static inline bool overlap(const tdi_bounds *a, const tdi_bounds *b) {
    return a->low.x <= b->high.x && b->low.x <= a->high.x && a->low.y <= b->high.y &&
           b->low.y <= a->high.y && a->low.z <= b->high.z && b->low.z <= a->high.z;
}

static inline bool within(const tdi_bounds *a, const tdi_bounds *b) {
    return a->low.x >= b->low.x && a->high.x <= b->high.x && a->low.y >= b->low.y &&
           a->high.y <= b->high.y && a->low.z >= b->low.z && a->high.z <= b->high.z;
}

// fmin and fmax pass over what is no number
static inline bool placed(const tdi_contacts *c, int32_t i, const td_vec3 *x, const td_vec3 *dx) {
    const tdi_capsule *k = &c->capsule[i];
    return tdi_finite3(x[k->a]) && tdi_finite3(x[k->b]) &&
           (!dx || (tdi_finite3(dx[k->a]) && tdi_finite3(dx[k->b])));
}

static bool still_covered(const tdi_contacts *c, const td_vec3 *x, const td_vec3 *dx) {
    for (int32_t i = 0; i < c->capsule_count; i++) {
        tdi_bounds b = bounds_of(c, i, x, dx);
        if (!within(&b, &c->fat[i]) || !placed(c, i, x, dx)) {
            return false;
        }
    }
    return true;
}

static td_status fatten(tdi_contacts *c, const td_vec3 *x, const td_vec3 *dx, td_diag *diag) {
    for (int32_t i = 0; i < c->capsule_count; i++) {
        tdi_bounds b = bounds_of(c, i, x, dx);
        td_real more = SPARE * c->capsule[i].radius;
        td_vec3 margin = tdi_vec3(more, more, more);
        c->fat[i] = (tdi_bounds){tdi_sub(b.low, margin), tdi_add(b.high, margin)};
        bool finite = placed(c, i, x, dx) && tdi_finite3(tdi_sub(c->fat[i].high, c->fat[i].low));
        if (!finite) {
            return tdi_fail_at(diag, TD_ERR_DIVERGED, i, "the place of capsule %d is not finite",
                               i);
        }
    }
    return TD_OK;
}

// ---- grids ----------------------------------------------------------------------------------

// the least k with all sides up to 2^k
static inline int32_t level_of(const tdi_bounds *b) {
    td_vec3 size = tdi_sub(b->high, b->low);
    int exponent;
    frexp(fmax(size.x, fmax(size.y, size.z)), &exponent);
    return exponent;
}

static inline int32_t cell_at(td_real x, td_real edge) {
    return (int32_t)floor(fmax(-FARTHEST, fmin(FARTHEST, x / edge)));
}

static inline uint32_t hash_of(const tdi_cell *cell, int32_t bucket_count) {
    uint64_t h = (uint64_t)(uint32_t)cell->x * 0x9e3779b97f4a7c15u;
    h = (h ^ (h >> 29)) + (uint64_t)(uint32_t)cell->y * 0xbf58476d1ce4e5b9u;
    h = (h ^ (h >> 31)) + (uint64_t)(uint32_t)cell->z * 0x94d049bb133111ebu;
    h = (h ^ (h >> 30)) + (uint64_t)(uint32_t)cell->level * 0xd6e8feb86659fd93u;
    return (uint32_t)((h ^ (h >> 32)) & (uint64_t)(bucket_count - 1));
}

// Puts every box into its cell. Bit k of the result: there are boxes of level *finest + k.
static uint32_t fill_grids(tdi_contacts *c, int32_t *finest) {
    int32_t coarsest = level_of(&c->fat[0]);
    for (int32_t i = 0; i < c->capsule_count; i++) {
        c->cell[i].level = level_of(&c->fat[i]);
        coarsest = c->cell[i].level > coarsest ? c->cell[i].level : coarsest;
    }
    *finest = coarsest - (LEVELS - 1);
    uint32_t used = 0;
    memset(c->bucket, 0, ((size_t)c->bucket_count + 1) * sizeof *c->bucket);
    for (int32_t i = 0; i < c->capsule_count; i++) {
        tdi_cell *cell = &c->cell[i];
        cell->level = cell->level > *finest ? cell->level : *finest;
        used |= (uint32_t)1 << (cell->level - *finest);
        td_real edge = ldexp(1, cell->level + 1);
        const tdi_bounds *b = &c->fat[i];
        cell->x = cell_at(0.5 * (b->low.x + b->high.x), edge);
        cell->y = cell_at(0.5 * (b->low.y + b->high.y), edge);
        cell->z = cell_at(0.5 * (b->low.z + b->high.z), edge);
        c->bucket[hash_of(cell, c->bucket_count)]++;
    }
    for (int32_t k = 0; k < c->bucket_count; k++) {
        c->bucket[k + 1] += c->bucket[k];
    }
    for (int32_t i = c->capsule_count - 1; i >= 0; i--) { // from the end of a bucket to its start
        c->order[--c->bucket[hash_of(&c->cell[i], c->bucket_count)]] = i;
    }
    return used;
}

static inline bool may_touch(const tdi_contacts *c, int32_t i, int32_t j) {
    const tdi_capsule *k = &c->capsule[i], *l = &c->capsule[j];
    return k->a != l->a && k->a != l->b && k->b != l->a && k->b != l->b &&
           !(c->skip && c->skip(c->context, i, j));
}

static bool add_pair(tdi_contacts *c, int32_t i, int32_t j) {
    if (c->pair_count == c->pair_limit) {
        return false;
    }
    c->pair[c->pair_count++] = (tdi_pair){i, j};
    return true;
}

// the partners of i in one cell
static bool look_in(tdi_contacts *c, int32_t i, const tdi_cell *cell) {
    const tdi_cell *own = &c->cell[i];
    uint32_t k = hash_of(cell, c->bucket_count);
    for (int32_t at = c->bucket[k]; at < c->bucket[k + 1]; at++) {
        int32_t j = c->order[at];
        const tdi_cell *its = &c->cell[j];
        bool here = its->x == cell->x && its->y == cell->y && its->z == cell->z &&
                    its->level == cell->level && (cell->level > own->level || j > i);
        if (here && overlap(&c->fat[i], &c->fat[j])) {
            int32_t low = i < j ? i : j, high = i < j ? j : i;
            if (may_touch(c, low, high) && !add_pair(c, low, high)) {
                return false;
            }
        }
    }
    return true;
}

// the partners of i of one level, not below its own
static bool look_at_level(tdi_contacts *c, int32_t i, int32_t level) {
    const td_real edge = ldexp(1, level + 1), reach = 0.25 * edge;
    const tdi_bounds *b = &c->fat[i];
    const int32_t x1 = cell_at(b->high.x + reach, edge), y1 = cell_at(b->high.y + reach, edge);
    const int32_t z1 = cell_at(b->high.z + reach, edge);
    const int32_t x0 = cell_at(b->low.x - reach, edge), y0 = cell_at(b->low.y - reach, edge);
    const int32_t z0 = cell_at(b->low.z - reach, edge);
    for (int32_t x = x0; x <= x1; x++) {
        for (int32_t y = y0; y <= y1; y++) {
            for (int32_t z = z0; z <= z1; z++) {
                tdi_cell cell = {level, x, y, z};
                if (!look_in(c, i, &cell)) {
                    return false;
                }
            }
        }
    }
    return true;
}

// Stable, by i or by j.
static void sort_pairs(tdi_contacts *c, const tdi_pair *from, tdi_pair *to, bool by_i) {
    memset(c->tally, 0, ((size_t)c->capsule_count + 1) * sizeof *c->tally);
    for (int32_t k = 0; k < c->pair_count; k++) {
        c->tally[(by_i ? from[k].i : from[k].j) + 1]++;
    }
    for (int32_t k = 0; k < c->capsule_count; k++) {
        c->tally[k + 1] += c->tally[k];
    }
    for (int32_t k = 0; k < c->pair_count; k++) {
        to[c->tally[by_i ? from[k].i : from[k].j]++] = from[k];
    }
}

static bool find_capsules(tdi_contacts *c) {
    int32_t finest;
    uint32_t used = fill_grids(c, &finest);
    for (int32_t i = 0; i < c->capsule_count; i++) {
        for (int32_t k = c->cell[i].level - finest; k < LEVELS; k++) {
            if (used >> k & 1 && !look_at_level(c, i, finest + k)) {
                return false;
            }
        }
    }
    sort_pairs(c, c->pair, c->spare, false);
    sort_pairs(c, c->spare, c->pair, true);
    return true;
}

// ---- colliders ------------------------------------------------------------------------------

// A lower bound, over the step, of the height of a box over a plane.
static td_real height_over(const td_collider *plane, const tdi_course *course,
                           const tdi_bounds *b) {
    const td_vec3 n = tdi_quat_rotate(tdi_quat_unit(plane->rotation0), tdi_vec3(0, 1, 0));
    const td_vec3 half = tdi_scale(tdi_sub(b->high, b->low), 0.5);
    const td_vec3 from = tdi_sub(tdi_add(b->low, half), plane->position0);
    td_real reach = fabs(n.x) * half.x + fabs(n.y) * half.y + fabs(n.z) * half.z;
    td_real height = tdi_dot(n, from) - reach, sunk = tdi_dot(n, course->shift);
    if (course->angle > 0) {
        td_real shift = tdi_norm(course->shift);
        return height - shift - course->angle * (tdi_norm(from) + tdi_norm(half) + shift);
    }
    return height - fmax(0, sunk);
}

static bool find_colliders(tdi_contacts *c) {
    for (int32_t i = 0; i < c->capsule_count; i++) {
        for (int32_t k = 0; k < c->collider_count; k++) {
            bool near = c->collider[k].kind == TD_COLLIDER_PLANE
                            ? height_over(&c->collider[k], &c->course[k], &c->fat[i]) <= 0
                            : overlap(&c->fat[i], &c->swept[k]);
            if (near && !add_pair(c, i, c->capsule_count + k)) {
                return false;
            }
        }
    }
    return true;
}

// ---- entry ----------------------------------------------------------------------------------

td_status tdi_contacts_find(tdi_contacts *c, const td_vec3 *x, const td_vec3 *dx, td_diag *diag) {
    bool covered = c->found && still_covered(c, x, dx), room = true;
    if (covered && c->found_collider) {
        return TD_OK;
    }
    if (!covered) {
        c->found = false;
        td_status status = fatten(c, x, dx, diag);
        if (status != TD_OK) {
            return status;
        }
        c->pair_count = 0;
        room = !c->opts.self || find_capsules(c);
        c->self_count = c->pair_count;
    }
    c->pair_count = c->self_count;
    c->found = room;
    c->found_collider = room && find_colliders(c);
    if (!c->found_collider) {
        return tdi_fail(diag, TD_ERR_LIMIT,
                        "over %d pairs of capsules and colliders are near each other",
                        c->pair_limit);
    }
    return TD_OK;
}
