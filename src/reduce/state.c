// SPDX-License-Identifier: MIT
// States of reduced trees: memory, steps, saving.

#include "reduce/reduce.h"

#include "base/alloc.h"
#include "base/diag.h"
#include "reduce/solver.h"
#include "tree/pins.h"
#include "tree/points.h"
#include "tree/saving.h"

#include <math.h>
#include <string.h>

#ifndef AIR_EVERY
#define AIR_EVERY 4 // steps
#endif

// ---- memory ---------------------------------------------------------------------------------

static void lay_out(td_reduced_state *s, tdi_layout *l, const td_tree_model *full) {
    const size_t n = (size_t)full->body_count;
    l->used = 0;
    tdi_layout_place(l, 1, sizeof *s);
    tdi_tree_state_lay_out(&s->tree, l, full);
    tdi_tree_state_lay_out(&s->whole, l, full);
    s->clusters = *full;
    tdi_tree_model_lay_out(&s->clusters, l);
    const size_t from = l->used;
    s->count = tdi_layout_place(l, 1, sizeof *s->count);
    s->saved = (char *)s->count;
    s->winds = tdi_layout_place(l, n, sizeof *s->winds);
    s->mode = tdi_layout_place(l, n, sizeof *s->mode);
    s->wanted = tdi_layout_place(l, n, sizeof *s->wanted);
    s->seat = tdi_layout_place(l, n, sizeof *s->seat);
    s->side = tdi_layout_place(l, n, sizeof *s->side);
    s->share = tdi_layout_place(l, n, sizeof *s->share);
    s->usual = tdi_layout_place(l, n, sizeof *s->usual);
    s->began = tdi_layout_place(l, n, sizeof *s->began);
    s->clusters.body = tdi_layout_place(l, n, sizeof *s->clusters.body);
    s->whole.q = tdi_layout_place(l, (size_t)full->coord_count, sizeof *s->whole.q);
    s->whole.angle = tdi_layout_place(l, (size_t)full->head.dof_count, sizeof *s->whole.angle);
    s->saved_bytes = l->used - from;
    s->joined = tdi_layout_place(l, n, sizeof *s->joined);
    s->size = tdi_layout_place(l, n, sizeof *s->size);
    s->first = tdi_layout_place(l, n, sizeof *s->first);
    s->wind_from = tdi_layout_place(l, n, sizeof *s->wind_from);
    s->seg_wind = tdi_layout_place(l, n, sizeof *s->seg_wind);
    s->rate = tdi_layout_place(l, n, sizeof *s->rate);
    s->old = tdi_layout_place(l, n, sizeof *s->old);
    s->was = tdi_layout_place(l, n, sizeof *s->was);
    s->shift = tdi_layout_place(l, n, sizeof *s->shift);
    s->load = tdi_layout_place(l, n, sizeof *s->load);
    s->damp = tdi_layout_place(l, n, sizeof *s->damp);
    s->sum = tdi_layout_place(l, n, sizeof *s->sum);
}

// As drawn, nothing reduced: the clusters are the segments.
static void set_up(td_reduced_state *s, const td_tree_model *full) {
    s->full = full;
    s->tree.model = &s->clusters;
    s->whole.model = full;
    s->whole.head.alloc = s->tree.head.alloc;
    s->tree.head.segment_count = s->whole.head.segment_count = full->body_count;
    s->tree.head.point_count = s->whole.head.point_count = 2 * full->capsule_count;
    s->tree.head.capsule_count = s->whole.head.capsule_count = full->capsule_count;
    memcpy(s->clusters.drawn, full->drawn,
           2 * (size_t)full->capsule_count * sizeof *s->clusters.drawn);
    td_tree_state_reset(&s->whole);
    memset(s->was, 0xff, (size_t)full->body_count * sizeof *s->was); // TD_NONE
    tdi_reduce_cluster(s);
    td_tree_state_reset(&s->tree);
}

td_reduce_opts td_reduce_opts_default(void) {
    return (td_reduce_opts){.struct_size = sizeof(td_reduce_opts), .every = 20};
}

static td_status check_opts(const td_reduce_opts *o, td_diag *diag) {
    if (!o || o->struct_size != sizeof *o) {
        return tdi_fail(diag, TD_ERR_DEF,
                        "td_reduce_opts: struct_size is wrong; start from "
                        "td_reduce_opts_default()");
    }
    if (!(o->error >= 0 && isfinite(o->error))) {
        return tdi_fail(diag, TD_ERR_ARGUMENT, "error is %g m; it must be 0 or more", o->error);
    }
    if (o->joints < 0) {
        return tdi_fail(diag, TD_ERR_ARGUMENT, "joints is %d; it must be 0 or more",
                        (int)o->joints);
    }
    return o->every >= 1 ? TD_OK
                         : tdi_fail(diag, TD_ERR_ARGUMENT,
                                    "every is %d steps; it must be 1 or more", (int)o->every);
}

td_status td_reduced_new(const td_tree_model *model, const td_reduce_opts *opts,
                         const td_alloc *alloc, td_reduced_state **out, td_diag *diag) {
    *out = NULL;
    td_status status = check_opts(opts, diag);
    if (status != TD_OK) {
        return status;
    }
    td_reduced_state sizes;
    memset(&sizes, 0, sizeof sizes);
    tdi_layout l = {NULL, 0};
    lay_out(&sizes, &l, model);
    td_reduced_state *s = tdi_state_new(alloc, l.used, 0, "the tree's state", diag);
    if (!s) {
        return TD_ERR_MEMORY;
    }
    l.base = (char *)s;
    lay_out(s, &l, model);
    s->opts = *opts;
    set_up(s, model);
    *out = s;
    return TD_OK;
}

void td_reduced_free(td_reduced_state *state) {
    tdi_state_free(state);
}

size_t td_reduced_bytes(const td_reduced_state *state) {
    return state->tree.head.bytes;
}

// ---- steps ----------------------------------------------------------------------------------

// Wind on a cluster is that on the segment with the largest area.
static void begin(void *body) {
    td_reduced_state *s = body;
    tdi_step_begin(body);
    const td_vec3 *winds = s->tree.head.opts->winds;
    for (int32_t c = 0; winds && c < s->clusters.body_count; c++) {
        s->winds[c] = winds[s->wind_from[c]];
    }
    if (winds && s->reduced > 0) {
        s->tree.now->potential.loads.winds = s->winds;
    }
}

static bool differs(const td_reduced_state *s) {
    return memcmp(s->mode, s->wanted, (size_t)s->full->body_count * sizeof *s->mode) != 0;
}

static void accept(void *body) {
    td_reduced_state *s = body;
    const td_step_opts *o = s->tree.head.opts;
    tdi_step_accept(body);
    s->drawn = TDI_DRAWN_NOT;
    s->count->since++;
    s->count->flow = (tdi_reduce_flow){o->air, o->gravity, o->stiffness, o->winds != NULL};
    if (differs(s)) {
        tdi_reduce_change(s);
    } else if (s->reduced > 0 && s->count->since % AIR_EVERY == 0) {
        tdi_reduce_air(s, AIR_EVERY * s->tree.head.rule.dt);
    }
}

// Rest is found with all joints.
static void begin_rest(void *body) {
    td_reduced_state *s = body;
    if (s->reduced > 0) {
        memset(s->wanted, TD_REDUCE_OWN, (size_t)s->full->body_count * sizeof *s->wanted);
        tdi_reduce_change(s);
    }
    tdi_step_begin_rest(body);
}

static void end_rest(void *body) {
    td_reduced_state *s = body;
    tdi_step_end_rest(body);
    s->drawn = TDI_DRAWN_NOT;
}

// ---- contact --------------------------------------------------------------------------------

static void capsules(const void *body, tdi_capsule *out) {
    tdi_tree_capsules(&((const td_reduced_state *)body)->whole, out);
}

static bool apart(const void *body, int32_t i, int32_t j) {
    return tdi_tree_apart(&((const td_reduced_state *)body)->whole, i, j);
}

static td_real force(const void *body, const td_step_opts *o, td_real gap, td_real h) {
    return tdi_tree_force(&((const td_reduced_state *)body)->whole, o, gap, h);
}

// ---- saving ---------------------------------------------------------------------------------

// As much as all segments need, however few clusters there are.
static int32_t saved(const void *body, tdi_span spans[TDI_SPANS]) {
    td_reduced_state *s = (td_reduced_state *)body; // what is listed may be written by the caller
    s->tree.model = s->full;
    const int32_t count = tdi_tree_saved(body, spans);
    s->tree.model = &s->clusters;
    spans[count] = (tdi_span){s->saved, s->saved_bytes};
    return count + 1;
}

static void blank(void *body) {
    td_reduced_state *s = body;
    s->tree.model = s->full;
    tdi_tree_blank(body);
    s->tree.model = &s->clusters;
}

static void restored(void *body) {
    td_reduced_state *s = body;
    tdi_reduce_structure(s);
    s->drawn = TDI_DRAWN_NOT;
}

// ---- entry ----------------------------------------------------------------------------------

const tdi_implicit tdi_reduced_implicit = {
    TDI_TREE_STEPS,       .begin = begin,       .accept = accept,     .begin_rest = begin_rest,
    .end_rest = end_rest, .capsules = capsules, .apart = apart,       .force = force,
    .saved = saved,       .blank = blank,       .restored = restored,
};

td_status td_reduced_step(td_reduced_state *s, const td_step_opts *opts, td_step_stats *stats,
                          td_diag *diag) {
    return tdi_solver_step(&tdi_solver_reduced, s, opts, stats, diag);
}

td_status td_reduced_set(td_reduced_state *s, const td_reduce_opts *opts, td_diag *diag) {
    td_status status = check_opts(opts, diag);
    if (status == TD_OK) {
        s->opts = *opts;
    }
    return status;
}

// Before any step there is no past but what q and v tell.
static void change_at_start(td_reduced_state *s) {
    td_tree_state *t = &s->tree;
    tdi_tree_begin_history(&s->clusters, t);
    for (int32_t c = 0; c < s->clusters.body_count; c++) {
        t->star[c] = t->hat[c] = (tdi_place){t->frame[c].o, t->frame[c].r};
    }
    memcpy(t->angle_star, t->angle, (size_t)s->clusters.head.dof_count * sizeof *t->angle);
    memcpy(t->q_back, t->q, (size_t)s->clusters.coord_count * sizeof *t->q);
    s->drawn = TDI_DRAWN_NOT;
    tdi_reduce_change(s);
    tdi_tree_fresh(t);
}

void td_reduced_set_modes(td_reduced_state *s, const uint8_t *modes) {
    s->count->by_hand = modes != NULL;
    if (modes) {
        memcpy(s->wanted, modes, (size_t)s->full->body_count * sizeof *modes);
    }
    if (s->tree.head.known == 0 && differs(s)) {
        change_at_start(s);
    }
}

const uint8_t *td_reduced_modes(const td_reduced_state *s) {
    return s->mode;
}

td_reduce_stats td_reduced_get_stats(const td_reduced_state *s) {
    td_reduce_stats out = {.changes = s->count->changes, .estimate = s->count->estimate};
    int32_t *of[] = {&out.joints, &out.frozen, &out.riding, &out.joined};
    for (int32_t i = 0; i < s->full->body_count; i++) {
        (*of[s->mode[i]])++;
    }
    return out;
}

td_tree_state *td_reduced_whole(td_reduced_state *s) {
    if (s->reduced == 0) {
        return &s->tree;
    }
    tdi_reduce_draw(s, true);
    return &s->whole;
}
