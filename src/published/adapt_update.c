// SPDX-License-Identifier: MIT
// Which joints are active: the active region update of the paper, section 5.
//
// Conversion   full coefficients of the active nodes, and linear ones of those with loads; of all
//              others they follow from their tensors, where they are asked for.
// Accelerations  the tree is gone through from its roots, the node with the largest metric first;
//              the joints that were reached join the active ones (transient region).
// Velocities   of these the ones that matter stay active, chosen the same way. Counted is the
//              velocity that a joint would have at the next choice with its acceleration of now: a
//              joint that begins to move would have none otherwise. With a choice every step this
//              is the paper's.

#include "published/adapt.h"

// ---- a heap ---------------------------------------------------------------------------------

// The larger value first, of equal ones the smaller number: the order never depends on the past.
static bool before(const td_adapt *s, int32_t a, int32_t b) {
    const td_real x = s->node[a].metric, y = s->node[b].metric;
    return x > y || (x == y && a < b);
}

static void queue_push(td_adapt *s, int32_t i) {
    int32_t at = s->queue.count++;
    while (at > 0 && before(s, i, s->queue.node[(at - 1) / 2])) {
        s->queue.node[at] = s->queue.node[(at - 1) / 2];
        at = (at - 1) / 2;
    }
    s->queue.node[at] = i;
}

static int32_t queue_pop(td_adapt *s) {
    const int32_t first = s->queue.node[0], last = s->queue.node[--s->queue.count];
    int32_t at = 0;
    for (;;) {
        int32_t next = 2 * at + 1;
        if (next >= s->queue.count) {
            break;
        }
        if (next + 1 < s->queue.count && before(s, s->queue.node[next + 1], s->queue.node[next])) {
            next++;
        }
        if (!before(s, s->queue.node[next], last)) {
            break;
        }
        s->queue.node[at] = s->queue.node[next];
        at = next;
    }
    s->queue.node[at] = last;
    return first;
}

// ---- conversion to the full state -----------------------------------------------------------

void tdi_update_front(td_adapt *s, const int32_t *list, int32_t count) {
    for (int32_t k = 0; k < count; k++) {
        const tdi_assembly_node *t = &s->tree[list[k]];
        for (int j = 0; j < 2; j++) {
            const int32_t child = j ? t->b : t->a;
            if (tdi_is_node(child) && !s->node[child].active && !s->node[child].stiff) {
                tdi_node_stiff(s, child);
                s->node[child].stiff = true;
            }
        }
    }
}

static bool is_forced(const td_adapt *s, int32_t i) {
    return s->node[i].forced_at == s->step;
}

static void force_way(td_adapt *s, int32_t body) {
    for (int32_t up = s->body_up[body]; up != TD_NONE && !is_forced(s, up); up = s->tree[up].up) {
        if (s->node[up].active || s->tree[up].up == TD_NONE) {
            break; // these are computed in any case
        }
        s->node[up].forced_at = s->step;
        s->forced.node[s->forced.count++] = up;
    }
}

// By rank, in place: heapsort.
static void sift(const tdi_assembly_node *tree, int32_t *list, int32_t at, int32_t count) {
    const int32_t moved = list[at];
    for (;;) {
        int32_t next = 2 * at + 1;
        if (next >= count) {
            break;
        }
        if (next + 1 < count && tree[list[next + 1]].rank > tree[list[next]].rank) {
            next++;
        }
        if (tree[list[next]].rank <= tree[moved].rank) {
            break;
        }
        list[at] = list[next];
        at = next;
    }
    list[at] = moved;
}

static void sort_by_rank(const tdi_assembly_node *tree, int32_t *list, int32_t count) {
    for (int32_t k = count / 2 - 1; k >= 0; k--) {
        sift(tree, list, k, count);
    }
    for (int32_t k = count - 1; k > 0; k--) {
        const int32_t last = list[k];
        list[k] = list[0];
        list[0] = last;
        sift(tree, list, 0, k);
    }
}

static void find_forced(td_adapt *s, const td_step_opts *o) {
    s->forced.count = 0;
    if (o->air.linear > 0 || o->air.quadratic > 0) {
        for (int32_t i = 0; i < s->model->body_count; i++) {
            force_way(s, i);
        }
    }
    for (int32_t k = 0; k < o->load_count; k++) {
        force_way(s, o->loads[k].segment);
    }
    sort_by_rank(s->tree, s->forced.node, s->forced.count);
}

static void prepare_children(td_adapt *s, int32_t i) {
    for (int j = 0; j < 2; j++) {
        const int32_t child = j ? s->tree[i].b : s->tree[i].a;
        if (tdi_is_node(child) && !s->node[child].active && !is_forced(s, child)) {
            tdi_metric_evaluate(s, child);
        }
    }
}

// Of a passive node, whose bodies have not moved since it became one.
static void split_passive(td_adapt *s, int32_t i) {
    if (!s->node[i].with_full) {
        tdi_node_split(s, i, true);
    }
}

void tdi_update_convert(td_adapt *s, const td_step_opts *o, const td_real *torque) {
    if (s->stiffness != o->stiffness) {
        s->stiffness = o->stiffness;
        tdi_rigid_renew(s);
    }
    find_forced(s, o);
    for (int32_t k = 0; k < s->root_count; k++) {
        if (!s->node[s->root[k]].active) {
            tdi_node_carry(s, s->root[k]);
        }
    }
    for (int32_t k = s->forced.count - 1; k >= 0; k--) {
        tdi_node_carry(s, s->forced.node[k]);
    }
    for (int32_t k = 0; k < s->forced.count; k++) {
        prepare_children(s, s->forced.node[k]);
        split_passive(s, s->forced.node[k]);
        tdi_metric_linear(s, s->forced.node[k], o, torque);
    }
    for (int32_t k = s->active.count - 1; k >= 0; k--) {
        prepare_children(s, s->active.node[k]);
        tdi_node_join(s, s->active.node[k], true);
        tdi_metric_quadratic(s, s->active.node[k]);
        tdi_metric_linear(s, s->active.node[k], o, torque);
    }
    s->stats.nodes_update = s->forced.count + s->active.count;
    for (int32_t k = 0; k < s->root_count; k++) {
        const int32_t root = s->root[k];
        if (!s->node[root].active) {
            prepare_children(s, root);
            split_passive(s, root);
            tdi_metric_linear(s, root, o, torque);
            s->stats.nodes_update++;
        }
        s->node[root].metric = tdi_metric_value(s, root);
    }
}

// ---- acceleration update region -------------------------------------------------------------

void tdi_update_descend(td_adapt *s, int32_t i, const td_step_opts *o, td_real *accel) {
    const tdi_assembly_node *t = &s->tree[i];
    if (!s->node[i].active && !is_forced(s, i) && t->up != TD_NONE) {
        tdi_node_carry(s, i);
        prepare_children(s, i);
        split_passive(s, i);
        tdi_metric_linear(s, i, o, NULL);
        s->stats.nodes_update++;
    }
    tdi_node_back(s, i, accel);
    for (int j = 0; j < 2; j++) {
        const int32_t child = j ? t->b : t->a;
        if (tdi_is_node(child)) {
            s->node[child].metric = tdi_metric_value(s, child);
        }
    }
}

static void push_children(td_adapt *s, int32_t i, bool active_only) {
    for (int j = 0; j < 2; j++) {
        const int32_t child = j ? s->tree[i].b : s->tree[i].a;
        if (tdi_is_node(child) && (!active_only || s->node[child].active)) {
            queue_push(s, child);
        }
    }
}

static td_real square_of(const td_adapt *s, int32_t i, const td_real *a) {
    td_real sum = 0;
    for (int32_t k = 0; k < tdi_joint_dofs(s, i); k++) {
        sum += a[k] * a[k];
    }
    return s->weight[i] * s->weight[i] * sum;
}

// What the metric may leave: the error is in units of the weights, of which the camera's distance
// is one.
static td_real error_of(const td_adapt *s) {
    const td_adapt_opts *o = &s->opts;
    if (o->weights != TD_WEIGHTS_CAMERA) {
        return o->error;
    }
    const tdi_frame *base = &s->state->base; // free bodies move away from it
    const td_vec3 arm = tdi_mat3_apply(&base->r, s->node[s->root[0]].to_b.r);
    return o->error * tdi_norm(tdi_sub(tdi_add(base->o, arm), o->camera));
}

// A free joint comes first whatever its metric.
static void queue_roots(td_adapt *s, td_real *sum) {
    *sum = 0;
    s->queue.count = 0;
    for (int32_t k = 0; k < s->root_count; k++) {
        *sum += s->node[s->root[k]].metric;
    }
    for (int32_t k = 0; k < s->root_count; k++) {
        if (tdi_is_free(s, s->root[k])) {
            s->node[s->root[k]].metric = INFINITY;
        }
        if (s->node[s->root[k]].active || !tdi_is_free(s, s->root[k])) {
            queue_push(s, s->root[k]);
        }
    }
}

// Whether the next node of the queue is wanted; `left` is what the metric would leave.
static bool wants_more(const td_adapt *s, int32_t chosen, td_real left, td_real scale) {
    if (s->queue.count == 0) {
        return false;
    }
    const td_real next = s->node[s->queue.node[0]].metric;
    if (isinf(next)) {
        return true;
    }
    if (!(next > 0)) {
        return false;
    }
    return s->opts.joints > 0 ? chosen < s->opts.joints : sqrt(left) * scale > error_of(s);
}

int32_t tdi_update_transient(td_adapt *s, const td_step_opts *o) {
    const td_real until = s->opts.every * o->dt;
    int32_t count = s->active.count, chosen = 0;
    td_real left;
    for (int32_t k = 0; k < count; k++) {
        s->spare[k] = s->active.node[k];
        s->node[s->active.node[k]].fresh = false;
    }
    queue_roots(s, &left);
    s->stats.acceleration = sqrt(left);
    while (wants_more(s, chosen, left, until)) {
        const int32_t i = queue_pop(s);
        td_real accel[6];
        tdi_update_descend(s, i, o, accel);
        left -= square_of(s, i, accel);
        left = left > 0 ? left : 0;
        chosen += tdi_may_choose(s, i);
        if (!s->node[i].active) {
            s->spare[count++] = i;
            s->node[i].active = s->node[i].fresh = true;
            s->node[i].stiff = false;
        }
        push_children(s, i, false);
    }
    s->stats.acceleration_left = sqrt(left);
    return count;
}

// ---- new active region ----------------------------------------------------------------------

static void sum_speeds(td_adapt *s, td_real ahead, int32_t count) {
    for (int32_t k = count - 1; k >= 0; k--) {
        const int32_t i = s->spare[k], d = s->model->dof[i];
        td_real v[6];
        for (int32_t j = 0; j < tdi_joint_dofs(s, i); j++) {
            v[j] = s->state->v[d + j] + ahead * s->accel[d + j];
        }
        td_real sum = square_of(s, i, v);
        for (int j = 0; j < 2; j++) {
            const int32_t child = j ? s->tree[i].b : s->tree[i].a;
            sum += tdi_is_active(s, child) ? s->node[child].metric : 0;
        }
        s->node[i].metric = sum;
        s->node[i].speed = square_of(s, i, v);
    }
    for (int32_t k = 0; k < s->root_count; k++) {
        if (!s->node[s->root[k]].active) {
            s->node[s->root[k]].metric = 0;
        }
    }
}

void tdi_update_choose(td_adapt *s, td_real ahead, int32_t count) {
    int32_t chosen = 0;
    td_real left;
    sum_speeds(s, ahead, count);
    queue_roots(s, &left);
    s->stats.velocity = sqrt(left);
    s->stats.transient = count;
    s->active.count = 0;
    while (wants_more(s, chosen, left, 1)) {
        const int32_t i = queue_pop(s);
        left -= s->node[i].speed;
        left = left > 0 ? left : 0;
        chosen += tdi_may_choose(s, i);
        s->active.node[s->active.count++] = i;
        push_children(s, i, true);
    }
    s->stats.velocity_left = sqrt(left);
    for (int32_t k = 0; k < count; k++) {
        s->node[s->spare[k]].active = false;
    }
    for (int32_t k = 0; k < s->active.count; k++) {
        s->node[s->active.node[k]].active = true;
    }
}

// ---- a region that does not change ----------------------------------------------------------

void tdi_update_fixed(td_adapt *s) {
    int32_t chosen = 0;
    for (int32_t i = 0; i < s->model->body_count; i++) {
        s->node[i].metric = (td_real)(s->model->body_count - s->tree[i].depth);
    }
    td_real none;
    queue_roots(s, &none);
    s->active.count = 0;
    while (s->queue.count > 0 && (s->opts.joints == 0 || chosen < s->opts.joints ||
                                  isinf(s->node[s->queue.node[0]].metric))) {
        const int32_t i = queue_pop(s);
        chosen += tdi_may_choose(s, i);
        s->active.node[s->active.count++] = i;
        push_children(s, i, false);
    }
}
