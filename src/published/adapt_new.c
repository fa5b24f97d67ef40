// SPDX-License-Identifier: MIT
// Making and freeing, options, weights, saving.

#include "published/adapt.h"

#include "base/guard.h"
#include "base/opts.h"
#include "base/range.h"
#include "published/explicit.h"

#include <string.h>

// ---- options --------------------------------------------------------------------------------

td_adapt_opts td_adapt_opts_default(void) {
    return (td_adapt_opts){.struct_size = sizeof(td_adapt_opts), .every = 20};
}

static td_status take_opts(const td_adapt_opts *given, td_adapt_opts *o, td_diag *diag) {
    *o = td_adapt_opts_default();
    TDI_TRY(tdi_opts_take("td_adapt_opts", o, given, diag));
    if (o->weights < TD_WEIGHTS_EVEN || o->weights > TD_WEIGHTS_CAMERA) {
        return tdi_fail(diag, TD_ERR_ARGUMENT, "weights is %d; it must be one of td_adapt_weights",
                        (int)o->weights);
    }
    const tdi_range ranges[] = {
        TDI_BETWEEN("joints", NULL, o->joints, 0, INT32_MAX), TDI_FROM_0("error", NULL, o->error),
        TDI_BETWEEN("every", NULL, o->every, 0, 1e6), TDI_FINITE3("camera", "m", o->camera)};
    return tdi_check_ranges(ranges, sizeof ranges / sizeof *ranges, NULL, TD_NONE, diag);
}

// ---- weights --------------------------------------------------------------------------------

// Of a turning joint the longest way to a tip along the bodies that it carries.
static void fill_reach(td_adapt *s) {
    const tdi_tree_model *m = s->model;
    for (int32_t i = 0; i < m->body_count; i++) {
        s->weight[i] = tdi_norm(m->body[i].tip);
    }
    for (int32_t i = m->body_count - 1; i >= 0; i--) {
        const int32_t p = m->parent[i];
        const td_real way = s->weight[i] + tdi_norm(m->body[i].attach);
        if (p != TD_NONE && way > s->weight[p]) {
            s->weight[p] = way;
        }
    }
    for (int32_t i = 0; i < m->body_count; i++) {
        if (m->kind[i] == TD_JOINT_SLIDE) {
            s->weight[i] = 1;
        }
    }
}

static void fill_weights(td_adapt *s) {
    if (s->opts.weights == TD_WEIGHTS_EVEN) {
        for (int32_t i = 0; i < s->model->body_count; i++) {
            s->weight[i] = 1;
        }
    } else {
        fill_reach(s);
    }
    for (int32_t i = 0; i < s->model->body_count; i++) {
        if (tdi_is_free(s, i)) {
            s->weight[i] = 0;
        }
    }
}

td_status td_adapt_set_opts(td_adapt *s, const td_adapt_opts *opts, td_diag *diag) {
    td_adapt_opts own;
    TDI_REFUSE_IF(!s);
    TDI_TRY(take_opts(opts, &own, diag));
    const td_adapt_opts old = s->opts;
    s->opts = own;
    s->opts.shuffle = old.shuffle;
    if (old.weights != own.weights || old.every != own.every) {
        fill_weights(s);
        td_adapt_changed(s);
    }
    return TD_OK;
}

td_status td_adapt_set_weights(td_adapt *s, const td_real *weights, td_diag *diag) {
    TDI_REFUSE_IF(!s || !weights);
    for (int32_t i = 0; i < s->model->body_count; i++) {
        if (!(weights[i] >= 0 && isfinite(weights[i]))) {
            return tdi_fail_at(diag, TD_ERR_ARGUMENT, i, "weights[%d] is %g; it must be 0 or above",
                               (int)i, weights[i]);
        }
    }
    for (int32_t i = 0; i < s->model->body_count; i++) {
        s->weight[i] = tdi_is_free(s, i) ? 0 : weights[i];
    }
    td_adapt_changed(s);
    return TD_OK;
}

// ---- memory ---------------------------------------------------------------------------------

static void lay_out(td_adapt *s, tdi_layout *l) {
    const size_t n = (size_t)s->model->body_count, nv = (size_t)s->model->head.dof_count;
    tdi_layout_place(l, 1, sizeof *s);
    s->tree = tdi_layout_place(l, n, sizeof *s->tree);
    s->node = tdi_layout_place(l, n, sizeof *s->node);
    s->order = tdi_layout_place(l, n, sizeof *s->order);
    s->body_up = tdi_layout_place(l, n, sizeof *s->body_up);
    s->root = tdi_layout_place(l, n, sizeof *s->root);
    s->body_phi = tdi_layout_place(l, n, sizeof *s->body_phi);
    s->body_push = tdi_layout_place(l, n, sizeof *s->body_push);
    s->body_push_at = tdi_layout_place(l, n, sizeof *s->body_push_at);
    s->weight = tdi_layout_place(l, n, sizeof *s->weight);
    s->active.node = tdi_layout_place(l, n, sizeof *s->active.node);
    s->spare = tdi_layout_place(l, n, sizeof *s->spare);
    s->forced.node = tdi_layout_place(l, n, sizeof *s->forced.node);
    s->queue.node = tdi_layout_place(l, n, sizeof *s->queue.node);
    s->stage.q_first = tdi_layout_place(l, (size_t)s->model->coord_count, sizeof *s->stage.q_first);
    s->stage.v_first = tdi_layout_place(l, nv, sizeof *s->stage.v_first);
    s->accel = tdi_layout_place(l, nv, sizeof *s->accel);
    s->stage.rate = tdi_layout_place(l, nv, sizeof *s->stage.rate);
    s->stage.rate_sum = tdi_layout_place(l, nv, sizeof *s->stage.rate_sum);
    s->stage.accel_sum = tdi_layout_place(l, nv, sizeof *s->stage.accel_sum);
}

static td_status fill_bodies(td_adapt *s, td_diag *diag) {
    for (int32_t i = 0; i < s->model->body_count; i++) {
        const tdi_body *b = &s->model->body[i];
        const tdi_mass mass = {b->mass, b->moment, b->second};
        if (!tdi_mass_inverse(&mass, &s->body_phi[i])) {
            return tdi_fail_at(diag, TD_ERR_ARGUMENT, i,
                               "segment %d has no mass, or no inertia about an axis; the adaptive "
                               "integrator needs both",
                               (int)i);
        }
        s->stats.joints += tdi_may_choose(s, i);
    }
    return TD_OK;
}

td_status tdi_adapt_new(void *tree, const td_adapt_opts *opts, const td_alloc *alloc,
                        td_adapt **out, td_diag *diag) {
    tdi_tree_state *state = tree;
    td_adapt_opts own;
    *out = NULL;
    TDI_TRY(take_opts(opts, &own, diag));
    td_adapt draft = {.alloc = alloc, .opts = own, .model = state->model, .state = state};
    tdi_layout l = {NULL, 0};
    lay_out(&draft, &l);
    draft.bytes = l.used;
    l = (tdi_layout){tdi_alloc_zeroed(alloc, draft.bytes, 1), 0};
    if (!l.base) {
        return tdi_fail(diag, TD_ERR_MEMORY, "out of memory for an assembly tree of %d joints",
                        (int)state->model->body_count);
    }
    lay_out(&draft, &l);
    memcpy(l.base, &draft, sizeof draft);
    td_adapt *s = (td_adapt *)l.base;
    s->stiffness = 1;
    td_status status = fill_bodies(s, diag);
    if (status == TD_OK) {
        status = tdi_assembly_make(s);
        if (status != TD_OK) {
            tdi_fail(diag, status, "out of memory for an assembly tree of %d joints",
                     (int)state->model->body_count);
        }
    }
    if (status != TD_OK) {
        td_adapt_free(s);
        return status;
    }
    fill_weights(s);
    td_adapt_changed(s);
    *out = s;
    return TD_OK;
}

td_status td_adapt_new(td_body *body, const td_adapt_opts *opts, const td_alloc *alloc,
                       td_adapt **out, td_diag *diag) {
    tdi_tree_state *state = tdi_as_tree(body);
    TDI_CLEAR(out);
    return state && out ? tdi_adapt_new(state, opts, alloc, out, diag) : tdi_refuse(diag, __func__);
}

void td_adapt_free(td_adapt *s) {
    if (s) {
        tdi_alloc_free(s->alloc, s, s->bytes);
    }
}

size_t td_adapt_bytes(const td_adapt *s) {
    return s ? s->bytes : 0;
}

// ---- saving ---------------------------------------------------------------------------------

typedef struct saved { // then a byte a joint: whether it is active
    int64_t until_update;
    td_real stiffness;
    td_adapt_stats stats;
} saved;

size_t tdi_adapt_save_size(const void *tree_model) {
    const tdi_tree_model *model = tree_model;
    return sizeof(saved) + (size_t)model->body_count;
}

size_t td_adapt_save_size(const td_adapt *s) {
    return s ? tdi_adapt_save_size(s->model) : 0;
}

void td_adapt_save(const td_adapt *s, void *bytes) {
    if (!s || !bytes) {
        return;
    }
    const saved head = {s->until_update, s->stiffness, s->stats};
    uint8_t *active = (uint8_t *)bytes + sizeof head;
    memcpy(bytes, &head, sizeof head);
    for (int32_t i = 0; i < s->model->body_count; i++) {
        active[i] = s->node[i].active;
    }
}

void td_adapt_restore(td_adapt *s, const void *bytes) {
    if (!s || !bytes) {
        return;
    }
    saved head;
    const uint8_t *active = (const uint8_t *)bytes + sizeof head;
    memcpy(&head, bytes, sizeof head);
    s->stats = head.stats;
    s->stats.joints = s->stats.depth = 0;
    for (int32_t i = 0; i < s->model->body_count; i++) {
        s->stats.joints += tdi_may_choose(s, i);
        s->stats.depth = s->tree[i].depth > s->stats.depth ? s->tree[i].depth : s->stats.depth;
    }
    s->stiffness = isfinite(head.stiffness) ? head.stiffness : 1;
    tdi_region_set(s, active);
    s->until_update = head.until_update < 0 ? 0 : head.until_update;
    s->time = s->state->head.time;
}

// ---- asking ---------------------------------------------------------------------------------

td_adapt_stats td_adapt_report(const td_adapt *s) {
    return s ? s->stats : (td_adapt_stats){0};
}

bool td_adapt_is_active(const td_adapt *s, int32_t body) {
    return s && tdi_has(body, s->model->body_count) && s->node[body].active;
}

td_assembly_node td_adapt_node(const td_adapt *s, int32_t joint) {
    if (!s || !tdi_has(joint, s->model->body_count)) {
        return (td_assembly_node){0};
    }
    const tdi_assembly_node *t = &s->tree[joint];
    return (td_assembly_node){t->a, t->b, t->up, t->depth, t->bodies, t->handles};
}
