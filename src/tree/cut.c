// SPDX-License-Identifier: MIT
// The cut of a tree into parts, and passes over them.

#include "tree/cut.h"

#define PARTS_WANTED 64   // enough that threads stay busy when subtrees differ in size
#define LEAST_PART   32   // bodies: smaller subtrees cost more to hand out than to do
#define LARGEST      128  // bodies: larger ones are cut further, in small trees too
#define LEAST_CUT    2048 // bodies: smaller trees are not cut

// ---- cutting --------------------------------------------------------------------------------

// Bodies of each subtree. False when a subtree's bodies do not follow each other.
static bool measure(const td_segment *segments, int32_t n, int32_t *size) {
    for (int32_t i = 0; i < n; i++) {
        size[i] = 1;
    }
    for (int32_t i = n - 1; i > 0; i--) {
        if (segments[i].parent != TD_NONE) {
            size[segments[i].parent] += size[i];
        }
    }
    for (int32_t i = 1; i < n; i++) {
        int32_t p = segments[i].parent;
        if (p != TD_NONE && i + size[i] > p + size[p]) {
            return false;
        }
    }
    return true;
}

int32_t tdi_tree_cut(const td_segment *segments, int32_t n, int32_t *size, tdi_part *part) {
    const tdi_part whole = {0, n, false};
    int32_t count = 0, most = n / PARTS_WANTED > LARGEST ? n / PARTS_WANTED : LARGEST;
    if (n < LEAST_CUT || !measure(segments, n, size)) {
        if (part) {
            part[0] = whole;
        }
        return 1;
    }
    bool open = false; // the last part can be gone on with
    for (int32_t i = 0; i < n;) {
        bool subtree = size[i] <= most && size[i] >= LEAST_PART;
        int32_t next = i + (subtree ? size[i] : 1);
        if (!subtree && open) {
            if (part) {
                part[count - 1].last = next;
            }
        } else {
            if (part) {
                part[count] = (tdi_part){i, next, subtree};
            }
            count++;
        }
        open = !subtree;
        i = next;
    }
    return count;
}

// ---- passes ---------------------------------------------------------------------------------

typedef struct pass_turns {
    const tdi_tree_model *model;
    tdi_pass pass;
    void *context;
    bool subtrees_only;
} pass_turns;

static void take_turn(void *context, int64_t i) {
    const pass_turns *t = context;
    if (t->model->part[i].subtree || !t->subtrees_only) {
        t->pass(t->context, (int32_t)i);
    }
}

static void run(const tdi_tree_model *m, td_pool *pool, tdi_pass pass, void *context,
                bool subtrees_only) {
    pass_turns turns = {m, pass, context, subtrees_only};
    if (pool && m->part_count > 1) {
        td_pool_run(pool, m->part_count, take_turn, &turns);
    } else {
        for (int32_t i = 0; i < m->part_count; i++) {
            take_turn(&turns, i);
        }
    }
}

void tdi_pass_all(const tdi_tree_model *m, td_pool *pool, tdi_pass pass, void *context) {
    run(m, pool, pass, context, false);
}

void tdi_pass_out(const tdi_tree_model *m, td_pool *pool, tdi_pass pass, void *context) {
    for (int32_t i = 0; i < m->part_count; i++) {
        if (!m->part[i].subtree) {
            pass(context, i);
        }
    }
    run(m, pool, pass, context, true);
}

void tdi_pass_in(const tdi_tree_model *m, td_pool *pool, tdi_pass pass, tdi_pass join,
                 void *context) {
    run(m, pool, pass, context, true);
    for (int32_t i = m->part_count - 1; i >= 0; i--) {
        (m->part[i].subtree ? join : pass)(context, i);
    }
}

int32_t tdi_run_of(const tdi_tree_model *m, int32_t i) {
    int32_t low = 0, high = m->run_count - 1;
    while (low < high) {
        int32_t middle = low + (high - low + 1) / 2;
        if (m->run[middle].first <= i) {
            low = middle;
        } else {
            high = middle - 1;
        }
    }
    return low;
}
