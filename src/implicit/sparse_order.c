// SPDX-License-Identifier: MIT
// The order in which nodes of a sparse matrix are eliminated.
//
// Degree    Minimum degree, on the graph itself: the node with the fewest neighbours is eliminated
//           next, and its neighbours become neighbours of each other. They are the blocks of its
//           row in the factor, so that nothing is left to be found out afterwards. Among nodes
//           of one degree the one that got it last is next: it continues where the last was.

#include "implicit/sparse.h"

#include <math.h>
#include <string.h>

#define KNOWN  0.5 // of links within a clique that count as known already
#define COARSE 64  // products: costs of rows are counted in these

// ---- the graph ------------------------------------------------------------------------------

// Neighbours of each node, each once, with a little room for more.
static bool make_graph(tdi_sparse *s) {
    enum { MORE = 4 };
    const int32_t n = s->node_count;
    memset(s->graph.room, 0, (size_t)n * sizeof *s->graph.room);
    memset(s->graph.degree, 0, (size_t)n * sizeof *s->graph.degree);
    for (int32_t k = 0; k < s->link_count; k++) {
        s->graph.room[s->link[k][0]]++;
        s->graph.room[s->link[k][1]]++;
    }
    s->graph.entry_count = 0;
    for (int32_t i = 0; i < n; i++) {
        s->graph.mark[i] = TD_NONE;
        s->graph.first[i] = s->graph.entry_count;
        s->graph.room[i] += MORE;
        if (s->graph.room[i] > s->entry_limit - s->graph.entry_count) {
            return false;
        }
        s->graph.entry_count += s->graph.room[i];
    }
    for (int32_t k = 0; k < s->link_count; k++) {
        const int32_t a = s->link[k][0], b = s->link[k][1];
        s->graph.entry[s->graph.first[a] + s->graph.degree[a]++] = b;
        s->graph.entry[s->graph.first[b] + s->graph.degree[b]++] = a;
    }
    for (int32_t i = 0; i < n; i++) {
        int32_t *own = s->graph.entry + s->graph.first[i], kept = 0;
        for (int32_t k = 0; k < s->graph.degree[i]; k++) {
            if (s->graph.mark[own[k]] != i) {
                s->graph.mark[own[k]] = i;
                own[kept++] = own[k];
            }
        }
        s->graph.degree[i] = s->graph.length[i] = kept;
    }
    return true;
}

// Gathers the neighbours of all nodes anew, without the gaps between them.
static void tidy(tdi_sparse *s) {
    int32_t *entry = s->graph.entry, count = 0;
    for (int32_t i = 0; i < s->node_count; i++) {
        if (s->place[i] == TD_NONE) {
            memcpy(s->graph.spare + count, entry + s->graph.first[i],
                   (size_t)s->graph.length[i] * sizeof *entry);
            s->graph.first[i] = count;
            s->graph.room[i] = s->graph.length[i];
            count += s->graph.length[i];
        }
    }
    s->graph.entry = s->graph.spare;
    s->graph.spare = entry;
    s->graph.entry_count = count;
}

// Room for `need` neighbours of a node.
static bool make_room(tdi_sparse *s, int32_t i, int32_t need) {
    if (need <= s->graph.room[i]) {
        return true;
    }
    const int32_t room = need + need / 2;
    if (room > s->entry_limit - s->graph.entry_count) {
        tidy(s);
    }
    if (room > s->entry_limit - s->graph.entry_count) {
        return false;
    }
    memcpy(s->graph.entry + s->graph.entry_count, s->graph.entry + s->graph.first[i],
           (size_t)s->graph.length[i] * sizeof *s->graph.entry);
    s->graph.first[i] = s->graph.entry_count;
    s->graph.room[i] = room;
    s->graph.entry_count += room;
    return true;
}

// ---- minimum degree -------------------------------------------------------------------------

// Of two nodes with as many neighbours the one costs less that has more of them in one clique, that
// of the last elimination: they are neighbours of each other already.
static void weigh(tdi_sparse *s, int32_t i, int32_t clique) {
    const td_real all = s->graph.degree[i], known = clique - 1;
    s->graph.weight[i] = (int32_t)sqrt(all * all - KNOWN * known * known);
}

static void enlist(tdi_sparse *s, int32_t i) {
    const int32_t d = s->graph.weight[i];
    s->graph.before[i] = TD_NONE;
    s->graph.next[i] = s->graph.head[d];
    if (s->graph.head[d] != TD_NONE) {
        s->graph.before[s->graph.head[d]] = i;
    }
    s->graph.head[d] = i;
    s->graph.least = d < s->graph.least ? d : s->graph.least;
}

static void delist(tdi_sparse *s, int32_t i) {
    if (s->graph.before[i] != TD_NONE) {
        s->graph.next[s->graph.before[i]] = s->graph.next[i];
    } else {
        s->graph.head[s->graph.weight[i]] = s->graph.next[i];
    }
    if (s->graph.next[i] != TD_NONE) {
        s->graph.before[s->graph.next[i]] = s->graph.before[i];
    }
}

// The neighbours `row` of an eliminated node become neighbours of u, which is one of them.
static bool join(tdi_sparse *s, int32_t u, const int32_t *row, int32_t count, int32_t stamp) {
    if (!make_room(s, u, s->graph.length[u] + count)) {
        return false;
    }
    int32_t *own = s->graph.entry + s->graph.first[u], kept = 0;
    s->graph.mark[u] = stamp;
    for (int32_t k = 0; k < s->graph.length[u]; k++) {
        if (s->place[own[k]] == TD_NONE) {
            s->graph.mark[own[k]] = stamp;
            own[kept++] = own[k];
        }
    }
    for (int32_t k = 0; k < count; k++) {
        if (s->graph.mark[row[k]] != stamp) {
            own[kept++] = row[k];
        }
    }
    s->graph.degree[u] = s->graph.length[u] = kept;
    return true;
}

// Gives a node the next place, and the row that it has in the factor.
static bool put(tdi_sparse *s, int32_t *k, int32_t i, const int32_t *row, int32_t count) {
    int32_t *own = s->column + s->row[*k];
    if (count > s->block_limit - s->row[*k]) {
        return false;
    }
    s->place[i] = *k;
    s->node[*k] = i;
    for (int32_t e = 0, at = 0; at < count; e++) {
        if (s->place[row[e]] == TD_NONE) {
            own[at++] = row[e];
        }
    }
    s->row[*k + 1] = s->row[*k] + count;
    ++*k;
    s->work += (int64_t)count * (count + 3) / 2;
    return true;
}

// Eliminates a node, and with it those neighbours that have no others than it has: they would come
// next, without any more links.
static bool eliminate(tdi_sparse *s, int32_t *k, int32_t gone, int32_t *stamp) {
    const int32_t count = s->graph.degree[gone], *row = s->column + s->row[*k];
    int32_t left = count;
    delist(s, gone);
    if (!put(s, k, gone, s->graph.entry + s->graph.first[gone], count)) {
        return false;
    }
    for (int32_t e = 0; e < count; e++) {
        delist(s, row[e]);
        if (!join(s, row[e], row, count, (*stamp)++)) {
            return false;
        }
    }
    for (int32_t e = 0; e < count; e++) {
        if (s->graph.degree[row[e]] == count - 1 && !put(s, k, row[e], row, --left)) {
            return false;
        }
    }
    for (int32_t e = 0; e < count; e++) {
        if (s->place[row[e]] == TD_NONE) {
            s->graph.degree[row[e]] -= count - left;
            weigh(s, row[e], left);
            enlist(s, row[e]);
        }
    }
    return true;
}

// Columns of a row by their places, instead of nodes.
static void sort_rows(tdi_sparse *s) {
    for (int32_t k = 0; k < s->node_count; k++) {
        int32_t *own = s->column + s->row[k];
        for (int32_t e = 0; e < s->row[k + 1] - s->row[k]; e++) {
            const int32_t place = s->place[own[e]];
            int32_t to = e;
            for (; to > 0 && own[to - 1] > place; to--) {
                own[to] = own[to - 1];
            }
            own[to] = place;
        }
    }
}

// Rows whose first column is the next row, which has no more columns than they have, are one with
// it.
static void find_supernodes(tdi_sparse *s) {
    for (int32_t k = 0; k < s->node_count; k++) {
        const int32_t own = s->row[k + 1] - s->row[k];
        const bool joins =
            k > 0 && s->row[k] - s->row[k - 1] == own + 1 && s->column[s->row[k - 1]] == k;
        s->super[k] = joins ? s->super[k - 1] : k;
    }
}

// ---- who gives to whom ----------------------------------------------------------------------

static bool ends_supernode(const tdi_sparse *s, int32_t k) {
    return k + 1 == s->node_count || s->super[k + 1] != s->super[k];
}

// Of each row the supernodes before it that have a block in its column, in order.
static void find_givers(tdi_sparse *s) {
    const int32_t n = s->node_count;
    memset(s->given, 0, ((size_t)n + 1) * sizeof *s->given);
    for (int pass = 0; pass < 2; pass++) {
        for (int32_t k = n - 1; k >= 0; k--) { // from the end of a list to its start
            for (int32_t e = s->row[k]; ends_supernode(s, k) && e < s->row[k + 1]; e++) {
                int32_t *at = &s->given[s->column[e]];
                if (pass == 0) {
                    ++*at;
                } else {
                    s->giver[--*at][0] = k;
                    s->giver[*at][1] = e;
                }
            }
        }
        for (int32_t k = 0; pass == 0 && k < n; k++) {
            s->given[k + 1] += s->given[k];
        }
    }
}

// The row that a row gives to first; it gives to others only where that one does too.
static int32_t parent_of(const tdi_sparse *s, int32_t k) {
    return s->row[k] < s->row[k + 1] ? s->column[s->row[k]] : TD_NONE;
}

// What it costs to make a row and all that give to it, some of which are not counted.
static int32_t count_costs(const tdi_sparse *s, int32_t *cost) {
    int32_t all = 0;
    memset(cost, 0, (size_t)s->node_count * sizeof *cost);
    for (int32_t k = 0; k < s->node_count; k++) {
        const int64_t own = s->row[k + 1] - s->row[k];
        int64_t work = (k - s->super[k] + 1) * own;
        for (int32_t g = s->given[k]; g < s->given[k + 1]; g++) {
            const int32_t j = s->giver[g][0];
            work += (int64_t)(j - s->super[j] + 1) * (s->row[j + 1] - s->giver[g][1]);
        }
        const int32_t whole = 1 + (int32_t)(work / COARSE), to = parent_of(s, k);
        cost[k] += whole;
        all += whole;
        if (to != TD_NONE) {
            cost[to] += cost[k];
        }
    }
    return all;
}

// Rows by shares.
static void sort_shares(tdi_sparse *s) {
    int32_t at[TDI_SPARSE_SHARES + 1] = {0};
    for (int32_t k = 0; k < s->node_count; k++) {
        s->shares.of_row[k] =
            s->shares.of_row[k] == TD_NONE ? s->shares.count - 1 : s->shares.of_row[k];
        at[s->shares.of_row[k] + 1]++;
    }
    for (int32_t k = 0; k < s->shares.count; k++) {
        at[k + 1] += at[k];
        s->shares.first[k] = at[k];
    }
    for (int32_t k = 0; k < s->node_count; k++) {
        s->shares.row[at[s->shares.of_row[k]]++] = k;
    }
}

// A supernode and all that gives to it are a share, or a part of one, if they cost little; what
// gives to none of these is the last share.
static void find_shares(tdi_sparse *s) {
    int32_t *cost = s->graph.degree, filled = 0;
    const int32_t most = count_costs(s, cost) / (TDI_SPARSE_SHARES / 2 - 1) + 1;
    s->shares.count = 0;
    for (int32_t k = s->node_count - 1; k >= 0; k--) {
        const int32_t to = parent_of(s, k);
        if (!ends_supernode(s, k)) {
            s->shares.of_row[k] = s->shares.of_row[k + 1];
        } else if (cost[k] > most) {
            s->shares.of_row[k] = TD_NONE;
        } else if (to != TD_NONE && s->shares.of_row[to] != TD_NONE) {
            s->shares.of_row[k] = s->shares.of_row[to];
        } else {
            filled = s->shares.count == 0 || filled + cost[k] > most ? 0 : filled;
            s->shares.count += filled == 0;
            filled += cost[k];
            s->shares.of_row[k] = s->shares.count - 1;
        }
    }
    s->shares.count++;
    sort_shares(s);
}

bool tdi_sparse_order(tdi_sparse *s) {
    const int32_t n = s->node_count;
    int32_t stamp = n; // marks below n are those of make_graph()
    if (s->full || !make_graph(s)) {
        return false;
    }
    for (int32_t i = 0; i <= n; i++) {
        s->graph.head[i] = TD_NONE;
    }
    for (int32_t i = n - 1; i >= 0; i--) {
        s->place[i] = TD_NONE;
        weigh(s, i, 1);
        enlist(s, i);
    }
    s->row[0] = 0;
    s->work = s->graph.least = 0;
    for (int32_t k = 0; k < n;) {
        while (s->graph.head[s->graph.least] == TD_NONE) {
            s->graph.least++;
        }
        if (!eliminate(s, &k, s->graph.head[s->graph.least], &stamp)) {
            return false;
        }
    }
    s->block_count = s->row[n];
    sort_rows(s);
    find_supernodes(s);
    find_givers(s);
    find_shares(s);
    return true;
}
