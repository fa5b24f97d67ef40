// SPDX-License-Identifier: MIT
// The assembly tree over any skeleton.
//
// Method    The order in which joints are assembled, children first, says all. Of each body the
//           child that carries most continues its chain; every other child starts a chain of its
//           own (heavy paths). The light children of a body are joined to it first, small ones
//           before large ones, then the chain is joined as a binary tree, cut where the weights on
//           both sides are nearest. A chain of n links has depth ceil(log2 n), any tree
//           O(log n) besides the number of children of a body, which joins them one by one.
// Handles   A join may leave two handles at most. Whatever the order, the last chain can always be
//           joined to what carries it, so that an order by a seed never gets stuck.

#include "published/adapt.h"

#include "base/random.h"

#include <string.h>

typedef struct maker {
    td_adapt *adapt;
    const tdi_tree_model *m;
    int32_t *size;   // bodies from this one on
    int32_t *heavy;  // child that continues the chain, or TD_NONE
    int32_t *next;   // light children of a body, a list in the order of their sizes
    int32_t *first;  // of that list
    int32_t *path;   // bodies of a chain
    int64_t *weight; // summed along the chain
    int32_t *range;  // pieces of it that are to be cut
    int32_t *owner;  // of a body: the body that stands for all that it is joined to
    int32_t *holder; // of those: the node, or ~body
    int32_t *open;   // children of a body that are not joined to it yet
    int32_t joined;
} maker;

// ---- the order ------------------------------------------------------------------------------

static void measure(maker *k) {
    const int32_t n = k->m->body_count;
    for (int32_t i = 0; i < n; i++) {
        k->size[i] = 1;
        k->heavy[i] = k->first[i] = k->next[i] = TD_NONE;
    }
    for (int32_t i = n - 1; i >= 0; i--) {
        const int32_t p = k->m->parent[i];
        if (p != TD_NONE) {
            k->size[p] += k->size[i];
            const int32_t h = k->heavy[p];
            k->heavy[p] = h == TD_NONE || k->size[i] >= k->size[h] ? i : h;
        }
    }
}

// Light children in the order of their sizes: all bodies are sorted by counting, and the largest
// come to the front of their list first.
static void list_light(maker *k) {
    const int32_t n = k->m->body_count;
    int32_t *count = k->range, *sorted = k->path;
    memset(count, 0, ((size_t)n + 2) * sizeof *count);
    for (int32_t i = 0; i < n; i++) {
        count[k->size[i] + 1]++;
    }
    for (int32_t j = 0; j <= n; j++) {
        count[j + 1] += count[j];
    }
    for (int32_t i = 0; i < n; i++) {
        sorted[count[k->size[i]]++] = i;
    }
    for (int32_t j = n - 1; j >= 0; j--) {
        const int32_t i = sorted[j], p = k->m->parent[i];
        if (p != TD_NONE && k->heavy[p] != i) {
            k->next[i] = k->first[p];
            k->first[p] = i;
        }
    }
}

static void join_next(maker *k, int32_t joint) {
    k->adapt->order[k->joined++] = joint;
}

// The chain's joints as a binary tree: pieces are cut from the whole down, so that the order is
// filled from its end.
static void join_chain(maker *k, int32_t count) {
    int32_t waiting = 1, at = k->joined + count - 1;
    k->range[0] = 0;
    k->range[1] = count;
    k->joined = at;
    while (waiting > 0) {
        waiting--;
        const int32_t from = k->range[2 * waiting], to = k->range[2 * waiting + 1];
        if (to - from < 2) {
            continue;
        }
        const int64_t sum = k->weight[from] + k->weight[to];
        int32_t low = from + 1, high = to - 1; // smallest cut that leaves half or more before it
        while (low < high) {
            const int32_t middle = low + (high - low) / 2;
            if (2 * k->weight[middle] >= sum) {
                high = middle;
            } else {
                low = middle + 1;
            }
        }
        if (low - 1 > from && sum - 2 * k->weight[low - 1] < 2 * k->weight[low] - sum) {
            low--;
        }
        k->adapt->order[--at] = k->path[low];
        k->range[2 * waiting] = from;
        k->range[2 * waiting + 1] = low;
        waiting++;
        k->range[2 * waiting] = low;
        k->range[2 * waiting + 1] = to;
        waiting++;
    }
}

// Heads of chains from the last body on, so that what a chain carries is there before it.
static void order_balanced(maker *k) {
    for (int32_t i = k->m->body_count - 1; i >= 0; i--) {
        const int32_t p = k->m->parent[i];
        if (p != TD_NONE && k->heavy[p] == i) {
            continue;
        }
        int32_t count = 0;
        k->weight[0] = 0;
        for (int32_t b = i; b != TD_NONE; b = k->heavy[b]) {
            int64_t own = 1;
            for (int32_t c = k->first[b]; c != TD_NONE; c = k->next[c]) {
                join_next(k, c);
                own += k->size[c];
            }
            k->path[count++] = b;
            k->weight[count] = k->weight[count - 1] + own;
        }
        join_chain(k, count);
        if (p == TD_NONE) {
            join_next(k, i);
        }
    }
}

// ---- joining --------------------------------------------------------------------------------

static int32_t owner_of(maker *k, int32_t body) {
    while (k->owner[body] != body) {
        k->owner[body] = k->owner[k->owner[body]];
        body = k->owner[body];
    }
    return body;
}

static int32_t top_of(const maker *k, int32_t child) {
    return child < 0 ? ~child : k->adapt->tree[child].top;
}

// The body of a handle.
static int32_t body_of(const maker *k, int32_t child, int handle) {
    while (handle == 1) {
        const tdi_assembly_node *n = &k->adapt->tree[child];
        child = n->end.side ? n->b : n->a;
        handle = n->end.handle;
    }
    return top_of(k, child);
}

static bool has_end(const maker *k, int32_t child) {
    return child >= 0 && k->adapt->tree[child].handles == 2;
}

// What stays open once a joint is closed; false when that is more than a top and an end.
static bool find_handles(const maker *k, int32_t joint, tdi_assembly_node *n) {
    const int32_t p = k->m->parent[joint];
    n->via = p != top_of(k, n->a);
    n->handles = 1;
    n->top = top_of(k, n->a);
    const tdi_handle_from from[3] = {{0, 1}, {1, 0}, {1, 1}};
    for (int j = 0; j < 3; j++) {
        const int32_t child = from[j].side ? n->b : n->a;
        if (from[j].handle == 1 && !has_end(k, child)) {
            continue;
        }
        const int32_t body = body_of(k, child, from[j].handle);
        if (k->open[body] - (body == p) > 0) {
            n->end = from[j];
            n->handles++;
        }
    }
    return n->handles <= 2;
}

static tdi_assembly_node draft_join(maker *k, int32_t joint) {
    const int32_t p = k->m->parent[joint];
    tdi_assembly_node n = {.up = TD_NONE, .top = TD_NONE};
    n.b = k->holder[owner_of(k, joint)];
    n.a = p == TD_NONE ? TDI_ASSEMBLY_BASE : k->holder[owner_of(k, p)];
    return n;
}

static int32_t bodies_in(const maker *k, int32_t child) {
    return child == TDI_ASSEMBLY_BASE ? 0 : child < 0 ? 1 : k->adapt->tree[child].bodies;
}

static void keep_join(maker *k, int32_t joint, tdi_assembly_node n, int32_t rank) {
    tdi_assembly_node *tree = k->adapt->tree;
    const int32_t p = k->m->parent[joint], children[2] = {n.a, n.b};
    n.rank = rank;
    n.bodies = bodies_in(k, n.a) + bodies_in(k, n.b);
    tree[joint] = n;
    for (int j = 0; j < 2; j++) {
        if (children[j] >= 0) {
            tree[children[j]].up = joint;
        }
    }
    const int32_t own = owner_of(k, joint);
    if (p != TD_NONE) {
        k->open[p]--;
        k->owner[own] = owner_of(k, p);
    }
    k->holder[owner_of(k, joint)] = joint;
}

static void start_joining(maker *k) {
    const int32_t n = k->m->body_count;
    for (int32_t i = 0; i < n; i++) {
        k->owner[i] = i;
        k->holder[i] = ~i;
        k->open[i] = 0;
    }
    for (int32_t i = 0; i < n; i++) {
        if (k->m->parent[i] != TD_NONE) {
            k->open[k->m->parent[i]]++;
        }
    }
}

// A root joins the base last: all that hangs on it is in B.
static bool may_join(maker *k, int32_t joint, tdi_assembly_node *n) {
    *n = draft_join(k, joint);
    if (k->m->parent[joint] != TD_NONE) {
        return find_handles(k, joint, n);
    }
    return bodies_in(k, n->b) == k->size[joint];
}

static void join_in_order(maker *k) {
    for (int32_t j = 0; j < k->m->body_count; j++) {
        tdi_assembly_node n;
        const bool fine = may_join(k, k->adapt->order[j], &n);
        TDI_ASSERT(fine);
        (void)fine;
        keep_join(k, k->adapt->order[j], n, j);
    }
}

// Any joint that may be next, by chance: for small trees, O(n^2).
static void join_by_chance(maker *k) {
    const int32_t n = k->m->body_count;
    int32_t *left = k->path;
    tdi_random random;
    tdi_random_seed(&random, k->adapt->opts.shuffle);
    for (int32_t i = 0; i < n; i++) {
        left[i] = i;
    }
    for (int32_t j = 0; j < n; j++) {
        tdi_assembly_node node;
        int32_t at = (int32_t)(tdi_random_uniform(&random) * (n - j));
        while (!may_join(k, left[at], &node)) {
            at = at + 1 == n - j ? 0 : at + 1;
        }
        k->adapt->order[j] = left[at];
        keep_join(k, left[at], node, j);
        left[at] = left[n - j - 1];
    }
}

// ---- entry ----------------------------------------------------------------------------------

static void find_depths(td_adapt *s) {
    s->root_count = 0;
    s->stats.depth = 0;
    for (int32_t j = s->model->body_count - 1; j >= 0; j--) {
        tdi_assembly_node *n = &s->tree[s->order[j]];
        for (int k = 0; k < 2; k++) {
            const int32_t child = k ? n->b : n->a;
            if (child < 0 && child != TDI_ASSEMBLY_BASE) {
                s->body_up[~child] = s->order[j];
            }
        }
        if (n->up == TD_NONE) {
            s->root[s->root_count++] = s->order[j];
        } else {
            n->depth = s->tree[n->up].depth + 1;
        }
        s->stats.depth = n->depth > s->stats.depth ? n->depth : s->stats.depth;
    }
}

static void lay_out(maker *k, tdi_layout *l, size_t n) {
    k->size = tdi_layout_place(l, n, sizeof *k->size);
    k->heavy = tdi_layout_place(l, n, sizeof *k->heavy);
    k->next = tdi_layout_place(l, n, sizeof *k->next);
    k->first = tdi_layout_place(l, n, sizeof *k->first);
    k->path = tdi_layout_place(l, n, sizeof *k->path);
    k->weight = tdi_layout_place(l, n + 1, sizeof *k->weight);
    k->range = tdi_layout_place(l, 2 * n + 2, sizeof *k->range);
    k->owner = tdi_layout_place(l, n, sizeof *k->owner);
    k->holder = tdi_layout_place(l, n, sizeof *k->holder);
    k->open = tdi_layout_place(l, n, sizeof *k->open);
}

td_status tdi_assembly_make(td_adapt *s) {
    maker k = {.adapt = s, .m = s->model};
    tdi_layout l = {NULL, 0};
    lay_out(&k, &l, (size_t)s->model->body_count);
    const size_t bytes = l.used;
    l = (tdi_layout){tdi_alloc_zeroed(s->alloc, bytes, 1), 0};
    TDI_TRY(l.base ? TD_OK : TD_ERR_MEMORY);
    lay_out(&k, &l, (size_t)s->model->body_count);
    measure(&k);
    list_light(&k);
    start_joining(&k);
    if (s->opts.shuffle) {
        join_by_chance(&k);
    } else {
        order_balanced(&k);
        join_in_order(&k);
    }
    find_depths(s);
    tdi_alloc_free(s->alloc, l.base, bytes);
    return TD_OK;
}
