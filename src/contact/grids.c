// SPDX-License-Identifier: MIT
// Which boxes overlap.
//
// Method   There is a grid for each power of two: the one with the edge 2^k holds the boxes whose
//          largest side is in [2^(k-1), 2^k), each in the cell of its least corner. A box that
//          overlaps another has its corner at most an edge below the other's, so that a box looks
//          into 27 cells at most of its own grid, half of them for pairs once, and of each coarser
//          one. Cells are hashed so that a vertical column of cells is contiguous in the list. The
//          cost is linear in the boxes, of any sizes, and in the pairs.
// Threads  take boxes in turns, and write pairs into blocks of the list; each takes the next block
//          when its own is full.
// Order    By both indices, with two counting sorts: it does not depend on threads.

#include "contact/broad.h"

#include <stdatomic.h>
#include <string.h>

#define LEVELS   32  // grids; smaller boxes go into the finest
#define FARTHEST 1e9 // cells from the origin
#define ABSENT   INT32_MIN

// ---- cells ----------------------------------------------------------------------------------

typedef struct cell {
    int32_t x, y, z;
} cell;

// the least k with all sides below 2^k
static inline int32_t level_of(const tdi_bounds *b) {
    td_vec3 size = tdi_sub(b->high, b->low);
    int exponent;
    frexp(tdi_greater(size.x, tdi_greater(size.y, size.z)), &exponent);
    return exponent;
}

static inline int32_t cell_at(td_real x, td_real over) {
    td_real at = x * over;
    at = at < FARTHEST ? (at > -FARTHEST ? at : -FARTHEST) : FARTHEST;
    int32_t cut = (int32_t)at;
    return cut - (at < cut); // floor
}

static inline cell cell_of(td_vec3 x, td_real over) {
    return (cell){cell_at(x.x, over), cell_at(x.y, over), cell_at(x.z, over)};
}

// The bucket of cell z = 0 of a column; the other cells follow, modulo the number of buckets.
static inline uint32_t column_of(int32_t level, int32_t x, int32_t y) {
    uint64_t h = (uint64_t)(uint32_t)x * 0x9e3779b97f4a7c15u;
    h = (h ^ (h >> 29)) + (uint64_t)(uint32_t)y * 0xbf58476d1ce4e5b9u;
    h = (h ^ (h >> 30)) + (uint64_t)(uint32_t)level * 0xd6e8feb86659fd93u;
    return (uint32_t)(h ^ (h >> 32));
}

static inline int32_t bucket_of(const tdi_contacts *c, uint32_t column, int32_t z) {
    return (int32_t)((column + (uint32_t)z) & (uint32_t)(c->broad.bucket_count - 1));
}

static inline bool is_standing(const tdi_contacts *c, int32_t i) {
    return c->inactive.fixed && c->inactive.is_inactive[i];
}

// A box around all that do not stand; any is large enough where none does.
static tdi_bounds movers_of(const tdi_contacts *c) {
    const td_real from = c->inactive.fixed ? INFINITY : -INFINITY;
    tdi_bounds all = {{from, from, from}, {-from, -from, -from}};
    for (int32_t i = 0; c->inactive.fixed && i < c->capsule_count; i++) {
        if (!is_standing(c, i)) {
            tdi_grow(&all, c->broad.box[i].low);
            tdi_grow(&all, c->broad.box[i].high);
        }
    }
    return all;
}

// Puts every box near those that move into its cell; one that is not has the level ABSENT. Bit k of
// the result: there are boxes of level *finest + k; of *moving: some of them do not stand.
static uint32_t fill_grids(tdi_contacts *c, int32_t *finest, uint32_t *moving) {
    const tdi_bounds movers = movers_of(c);
    int32_t coarsest = ABSENT;
    for (int32_t i = 0; i < c->capsule_count; i++) {
        c->broad.level[i] =
            tdi_overlap(&c->broad.box[i], &movers) ? level_of(&c->broad.box[i]) : ABSENT;
        coarsest = c->broad.level[i] > coarsest ? c->broad.level[i] : coarsest;
    }
    *finest = coarsest == ABSENT ? 0 : coarsest - (LEVELS - 1);
    uint32_t used = 0;
    memset(c->broad.bucket, 0, ((size_t)c->broad.bucket_count + 1) * sizeof *c->broad.bucket);
    for (int32_t i = 0; i < c->capsule_count; i++) {
        if (c->broad.level[i] == ABSENT) {
            continue;
        }
        c->broad.level[i] = c->broad.level[i] > *finest ? c->broad.level[i] : *finest;
        const uint32_t own = (uint32_t)1 << (c->broad.level[i] - *finest);
        used |= own;
        *moving |= is_standing(c, i) ? 0 : own;
        const cell at = cell_of(c->broad.box[i].low, ldexp(1, -c->broad.level[i]));
        c->broad.bucket_of[i] = bucket_of(c, column_of(c->broad.level[i], at.x, at.y), at.z);
        c->broad.bucket[c->broad.bucket_of[i]]++;
    }
    for (int32_t k = 0; k < c->broad.bucket_count; k++) {
        c->broad.bucket[k + 1] += c->broad.bucket[k];
    }
    for (int32_t i = c->capsule_count - 1; i >= 0; i--) { // from the end of a bucket to its start
        if (c->broad.level[i] != ABSENT) {
            c->broad.entry[--c->broad.bucket[c->broad.bucket_of[i]]] = i;
        }
    }
    return used;
}

// ---- pairs ----------------------------------------------------------------------------------

typedef struct gathering { // of one search
    const tdi_search *search;
    _Atomic int32_t blocks; // taken
    int32_t finest;
    uint32_t used, moving; // levels, from the finest: of all, and of those that do not stand
    int32_t count[TDI_TURNS];
    bool dropped[TDI_TURNS];
} gathering;

typedef struct finder { // of one turn
    gathering *g;
    tdi_contacts *c;
    int32_t at, end; // room for pairs in a block
    int32_t count;
    bool dropped;
} finder;

static void add_pair(finder *f, int32_t i, int32_t j) {
    f->count++;
    if (f->at == f->end) {
        f->at = atomic_fetch_add(&f->g->blocks, 1) * TDI_PAIR_BLOCK;
        f->end = f->at + TDI_PAIR_BLOCK;
    }
    if (f->at <
        f->c->limits.blocks * TDI_PAIR_BLOCK) { // else they are too many, as counts will show
        f->c->broad.found[f->at] = (tdi_near_pair){i, j};
    }
    f->at++;
}

// While others stand, two of one level that move find each other both.
static inline bool is_known(const tdi_contacts *c, int32_t i, int32_t j) {
    return c->inactive.fixed &&
           (c->inactive.is_inactive[i]
                ? c->inactive.is_inactive[j]
                : j < i && !c->inactive.is_inactive[j] && c->broad.level[i] == c->broad.level[j]);
}

static inline void consider(finder *f, int32_t i, int32_t j) {
    if (!is_known(f->c, i, j) && tdi_overlap(&f->c->broad.box[i], &f->c->broad.box[j]) &&
        tdi_search_takes(f->g->search, i < j ? i : j, i < j ? j : i, &f->dropped)) {
        add_pair(f, i < j ? i : j, i < j ? j : i);
    }
}

// The partners of i of one level in the buckets `from` to before `to`.
static inline void look_in(finder *f, int32_t i, int32_t level, int32_t from, int32_t to) {
    const tdi_contacts *c = f->c;
    for (int32_t at = c->broad.bucket[from]; at < c->broad.bucket[to]; at++) {
        if (c->broad.level[c->broad.entry[at]] == level) {
            consider(f, i, c->broad.entry[at]);
        }
    }
}

// In the cells `low` to `high` of a column.
static void look_in_column(finder *f, int32_t i, int32_t level, uint32_t column, int32_t low,
                           int32_t high) {
    const int32_t from = bucket_of(f->c, column, low), to = from + high - low + 1,
                  all = f->c->broad.bucket_count;
    look_in(f, i, level, from, to < all ? to : all);
    if (to > all) {
        look_in(f, i, level, 0, to - all);
    }
}

// The partners of i in its own cell have higher numbers.
static void look_in_own(finder *f, int32_t i) {
    const tdi_contacts *c = f->c;
    const int32_t k = c->broad.bucket_of[i];
    for (int32_t at = c->broad.bucket[k]; at < c->broad.bucket[k + 1]; at++) {
        if (c->broad.entry[at] > i && c->broad.level[c->broad.entry[at]] == c->broad.level[i]) {
            consider(f, i, c->broad.entry[at]);
        }
    }
}

// The partners of i of a level. In its own, those in cells after its own; those before it find i,
// unless they stand.
static void look_at_level(finder *f, int32_t i, int32_t level) {
    const tdi_bounds *b = &f->c->broad.box[i];
    const td_real edge = ldexp(1, level), over = ldexp(1, -level);
    const cell low = cell_of(tdi_sub(b->low, tdi_vec3(edge, edge, edge)), over),
               high = cell_of(b->high, over), own = cell_of(b->low, over);
    const bool half = level == f->c->broad.level[i] && !f->c->inactive.fixed;
    if (half) {
        look_in_own(f, i);
    }
    for (int32_t x = half ? own.x : low.x; x <= high.x; x++) {
        for (int32_t y = half && x == own.x ? own.y : low.y; y <= high.y; y++) {
            const int32_t z = half && x == own.x && y == own.y ? own.z + 1 : low.z;
            if (z <= high.z) {
                look_in_column(f, i, level, column_of(level, x, y), z, high.z);
            }
        }
    }
}

static void begin_turn(finder *f, gathering *g) {
    *f = (finder){.g = g, .c = g->search->c};
}

// What a block has left is marked.
static void end_turn(finder *f, int64_t turn) {
    const int32_t end = f->c->limits.blocks * TDI_PAIR_BLOCK;
    for (; f->at < f->end && f->at < end; f->at++) {
        f->c->broad.found[f->at] = (tdi_near_pair){TD_NONE, TD_NONE};
    }
    f->g->count[turn] = f->count;
    f->g->dropped[turn] = f->dropped;
}

static void find_turn(void *context, int64_t turn) {
    gathering *g = context;
    const tdi_contacts *c = g->search->c;
    const tdi_turn_part share = tdi_turn_part_of(c->capsule_count, turn);
    const int32_t most = c->limits.pairs / TDI_PAIR_BLOCK + 1 + tdi_turns_of(c->capsule_count);
    finder f;
    begin_turn(&f, g);
    for (int32_t i = share.first; i < share.last && g->blocks <= most; i++) {
        if (c->broad.level[i] == ABSENT) {
            continue;
        }
        // what stands looks only for coarser ones that move
        const bool stands = is_standing(c, i);
        const uint32_t levels = stands ? g->moving : g->used;
        for (int32_t k = c->broad.level[i] - g->finest + stands; k < LEVELS; k++) {
            if (levels >> k & 1) {
                look_at_level(&f, i, g->finest + k);
            }
        }
    }
    end_turn(&f, turn);
}

// ---- order ----------------------------------------------------------------------------------

// Stable, by i or by j, of the first `count` places.
static void sort_pairs(tdi_contacts *c, const tdi_near_pair *from, int32_t count, tdi_near_pair *to,
                       bool by_i) {
    memset(c->broad.tally, 0, ((size_t)c->capsule_count + 1) * sizeof *c->broad.tally);
    for (int32_t k = 0; k < count; k++) {
        if (from[k].i != TD_NONE) {
            c->broad.tally[(by_i ? from[k].i : from[k].j) + 1]++;
        }
    }
    for (int32_t k = 0; k < c->capsule_count; k++) {
        c->broad.tally[k + 1] += c->broad.tally[k];
    }
    for (int32_t k = 0; k < count; k++) {
        if (from[k].i != TD_NONE) {
            to[c->broad.tally[by_i ? from[k].i : from[k].j]++] = from[k];
        }
    }
}

// Two columns may share buckets, and a pair in them is met twice.
static int32_t take_once(const tdi_near_pair *from, int32_t count, tdi_near_pair *to) {
    int32_t kept = 0;
    for (int32_t k = 0; k < count; k++) {
        const tdi_near_pair *last = &to[kept - (kept > 0)];
        if (kept == 0 || from[k].i != last->i || from[k].j != last->j) {
            to[kept++] = from[k];
        }
    }
    return kept;
}

// ---- entry ----------------------------------------------------------------------------------

bool tdi_grids_find(const tdi_search *w, bool *dropped) {
    tdi_contacts *c = w->c;
    gathering g = {.search = w};
    const int32_t turns = tdi_turns_of(c->capsule_count);
    int64_t count = 0;
    g.used = fill_grids(c, &g.finest, &g.moving);
    tdi_pool_turns(c->pool, turns, find_turn, &g);
    for (int32_t k = 0; k < turns; k++) {
        count += g.count[k];
        *dropped = *dropped || g.dropped[k];
    }
    if (count > c->limits.pairs || tdi_lacks_pairs(c, count)) {
        return false;
    }
    sort_pairs(c, c->broad.found, g.blocks * TDI_PAIR_BLOCK, c->pairs.item, false);
    sort_pairs(c, c->pairs.item, (int32_t)count, c->broad.found, true);
    c->pairs.count = take_once(c->broad.found, (int32_t)count, c->pairs.item);
    return true;
}
