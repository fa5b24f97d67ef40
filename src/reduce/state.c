// SPDX-License-Identifier: MIT
// States of reduced trees: steps, saving.

#include "reduce/reduce.h"

#include "base/guard.h"

#include "base/alloc.h"
#include "base/diag.h"
#include "base/opts.h"
#include "reduce/solver.h"
#include "tree/capsules.h"
#include "tree/points.h"
#include "tree/saving.h"

#include <math.h>
#include <string.h>

// An increment x of Newton's method leaves about x^2 rad: of the error allowed, at the far end of
// the tree, half. Longer ones are not trusted.
#define LEFT_OF_ERROR 0.5
#define LONGEST       0.03 // rad: what swings freely would add up more

// ---- making ---------------------------------------------------------------------------------

static int32_t first_spring(const tdi_tree_model *m) {
    int32_t i = 0;
    while (i + 1 < m->body_count && !(m->body[i].stiffness.x > 0)) {
        i++;
    }
    return i;
}

// The model's springs may have become stiffer or softer since the last step, all alike.
static void follow_stiffness(tdi_reduced_state *s) {
    const td_vec3 now = s->full->body[first_spring(s->full)].stiffness;
    const td_real by = s->count->spring > 0 ? now.x / s->count->spring : 1;
    if (now.x == s->count->spring) {
        return;
    }
    s->count->spring = now.x;
    for (int32_t c = 0; c < s->clusters.body_count; c++) {
        tdi_body *b = &s->clusters.body[c];
        const tdi_body *own = &s->full->body[s->list.first[c]];
        const bool group = s->joined[s->list.first[c]] != TD_NONE;
        b->stiffness = group ? tdi_scale(b->stiffness, by) : own->stiffness;
        b->damping = group ? tdi_scale(b->damping, by) : own->damping;
    }
}

// As drawn, nothing reduced: the clusters are the segments.
static void set_up(tdi_reduced_state *s, const tdi_tree_model *full) {
    s->full = full;
    s->tree.model = &s->clusters;
    s->whole.model = full;
    s->whole.head.alloc = s->tree.head.alloc;
    s->whole.head.solver = &tdi_solver_tree;
    s->whole.head.ops = &tdi_tree_implicit;
    s->whole.head.model = &full->head;
    s->tree.head.segment_count = s->whole.head.segment_count = full->body_count;
    s->tree.head.point_count = s->whole.head.point_count = 2 * full->capsule_count;
    s->tree.head.capsule_count = s->whole.head.capsule_count = full->capsule_count;
    s->tree.head.mass = s->whole.head.mass = tdi_tree_mass(full);
    memcpy(s->clusters.drawn, full->drawn,
           2 * (size_t)full->capsule_count * sizeof *s->clusters.drawn);
    tdi_tree_reset(&s->whole);
    tdi_reduce_measure(s);
    tdi_reduce_cluster(s);
    tdi_tree_reset(&s->tree);
    follow_stiffness(s);
}

td_reduce_opts td_reduce_opts_default(void) {
    return (td_reduce_opts){.struct_size = sizeof(td_reduce_opts), .every = 20, .modes = ~0u};
}

static td_status take_opts(const td_reduce_opts *given, td_reduce_opts *o, td_diag *diag) {
    *o = td_reduce_opts_default();
    TDI_TRY(tdi_opts_take("td_reduce_opts", o, given, diag));
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

td_status td_reduced_new(const td_body_model *model, const td_reduce_opts *opts,
                         const td_alloc *alloc, td_body **out, td_diag *diag) {
    const tdi_tree_model *m = tdi_as_tree_model(model);
    TDI_CLEAR(out);
    TDI_REFUSE_IF(!m || !out);
    td_reduce_opts own;
    TDI_TRY(take_opts(opts, &own, diag));
    tdi_reduced_state sizes;
    memset(&sizes, 0, sizeof sizes);
    tdi_layout l = {NULL, 0};
    tdi_reduce_lay_out(&sizes, &l, m);
    tdi_reduced_state *s = tdi_body_new(&tdi_solver_reduced, model, alloc, l.used, 0, diag);
    TDI_TRY(s ? TD_OK : TD_ERR_MEMORY);
    l.base = (char *)s;
    tdi_reduce_lay_out(s, &l, m);
    s->opts = own;
    set_up(s, m);
    *out = &s->tree.head;
    return TD_OK;
}

// ---- steps ----------------------------------------------------------------------------------

static void empty(tdi_reduce_set *set) {
    for (int32_t k = 0; k < *set->count; k++) {
        set->has[set->list[k]] = 0;
    }
    *set->count = 0;
}

static void put(const tdi_reduce_set *set, int32_t i) {
    if (!set->has[i]) {
        set->has[i] = 1;
        set->list[(*set->count)++] = i;
    }
}

static bool hold_path(tdi_reduced_state *s, int32_t i) {
    bool late = false;
    for (; i != TD_NONE && !s->acting.loaded.has[i]; i = s->full->parent[i]) {
        put(&s->acting.loaded, i);
        late = late || s->mode[i] == TD_REDUCE_FROZEN || s->mode[i] == TD_REDUCE_QUASISTATIC;
    }
    return late;
}

// Joints of segments on which a load, a contact or a constraint acts, and of all that carry them,
// move by themselves, or in groups.
static bool hold(tdi_reduced_state *s) {
    const td_step_opts *o = s->tree.head.opts;
    bool late = false;
    empty(&s->acting.loaded);
    for (int32_t k = 0; k < o->load_count; k++) {
        late = hold_path(s, o->loads[k].segment) || late;
    }
    for (int32_t k = 0; k < o->load_count; k++) {
        s->acting.loaded.has[o->loads[k].segment] = TDI_PUSHED;
    }
    for (int32_t k = 0; k < *s->acting.constrained.count; k++) {
        late = hold_path(s, s->acting.constrained.list[k]) || late;
    }
    return late;
}

// Free bodies keep their momentum as well as the options say.
static td_real tolerance(const void *body) {
    const tdi_reduced_state *s = body;
    const bool own =
        s->count->by_hand || tdi_reduce_has_rows(s) || s->full->kind[0] == TD_JOINT_FREE;
    const td_real error = own ? 0 : s->opts.error;
    return fmin(LONGEST, sqrt(LEFT_OF_ERROR * error / s->reach));
}

// Chooses every so often, half as often while nothing changes, sooner after the start, and at once
// when a new load acts. Whether there is a change to make.
static bool choose(tdi_reduced_state *s) {
    tdi_reduce_count *count = s->count;
    const bool late = hold(s);
    if (!late && count->since < count->wait && !(s->reduced > 0 && tdi_reduce_gust(s))) {
        return false;
    }
    const bool change = tdi_reduce_choose(s, late);
    tdi_reduce_note(s);
    const int32_t soon = TDI_AIR_EVERY + (int32_t)(count->age / s->tree.head.rule.dt),
                  next = change || late ? s->opts.every : 2 * s->opts.every;
    count->wait = next > soon && count->age < 1 ? soon : next;
    count->since = 0;
    return change;
}

static void note_flow(tdi_reduced_state *s) {
    const td_step_opts *o = s->tree.head.opts;
    s->count->flow = (tdi_reduce_flow){o->air, o->gravity, o->stiffness, o->winds != NULL, 0};
}

static void take_winds(tdi_reduced_state *s) {
    if (s->tree.head.opts->winds) {
        tdi_reduce_take_winds(s, s->tree.head.opts->winds);
    }
}

static void change(tdi_reduced_state *s) {
    tdi_reduce_change(s);
    memset(s->choice.seen, 0, (size_t)s->clusters.body_count * sizeof *s->choice.seen);
    tdi_reduce_note(s);
}

static void begin(void *body) {
    tdi_reduced_state *s = body;
    if (!(s->tree.head.rule.h > 0)) { // rest is found with all joints
        tdi_reduced_free_joints(s);
        tdi_step_begin(s);
        return;
    }
    follow_stiffness(s);
    empty(&s->acting.constrained);
    s->undo.started = tdi_reduce_starts(s);
    if (s->undo.started) {
        s->undo.count = *s->count;
        note_flow(s);
        take_winds(s);
        tdi_reduce_start(s);
    }
    const bool has_past = s->tree.head.known > 0;
    tdi_step_begin(body);
    s->tree.head.newton.recalls = false; // clusters change
    if (has_past && !tdi_is_prepared(&s->tree.head.rule)) {
        tdi_reduce_rescale_drag(s);
    }
    take_winds(s);
    if (s->tree.head.opts->winds && s->reduced > 0) {
        s->tree.now->potential.loads.winds = s->wind.mean;
    }
    s->tree.head.newton.tolerance = tolerance(s);
}

static void undo(void *body) {
    tdi_reduced_state *s = body;
    tdi_step_undo(body);
    if (s->undo.started) {
        tdi_reduce_unstart(s);
    }
}

static bool changes(tdi_reduced_state *s) {
    if (tdi_reduce_chooses(s)) {
        return choose(s);
    }
    if (!s->count->by_hand && s->reduced > 0) { // no error is allowed any more
        memset(s->choice.wanted, TD_REDUCE_OWN,
               (size_t)s->full->body_count * sizeof *s->choice.wanted);
        s->count->estimate = 0;
        return true;
    }
    return s->count->by_hand &&
           (tdi_reduce_differs(s) || (tdi_reduce_has_rows(s) && s->groups > 0));
}

static void accept(void *body) {
    tdi_reduced_state *s = body;
    tdi_step_accept(body);
    s->drawn = TDI_DRAWN_NOT;
    if (!(s->tree.head.rule.h > 0)) {
        return;
    }
    s->count->since++;
    s->count->age = fmin(1, s->count->age + s->tree.head.rule.dt);
    note_flow(s);
    const int32_t every = tdi_reduce_has_air(s) ? TDI_AIR_EVERY : TDI_AIR_OTHERS;
    if (changes(s)) {
        change(s);
    } else if (s->reduced > 0 && s->count->since % every == 0) {
        tdi_reduce_air(s, every * s->tree.head.rule.dt, s->count->since % TDI_AIR_OTHERS == 0);
    }
    tdi_reduce_apply_drag(s);
}

void tdi_reduced_free_joints(void *state) {
    tdi_reduced_state *s = state;
    follow_stiffness(s);
    if (s->reduced > 0) {
        memset(s->choice.wanted, TD_REDUCE_OWN,
               (size_t)s->full->body_count * sizeof *s->choice.wanted);
        s->count->estimate = 0;
        s->count->wait = 0; // the next step chooses
        (s->tree.head.known == 0 ? tdi_reduce_change_at_rest : tdi_reduce_change)(s);
        tdi_tree_place_left(&s->tree, s->tree.head.known);
        s->drawn = TDI_DRAWN_NOT;
    }
}

// ---- contact --------------------------------------------------------------------------------

static void capsules(const void *body, tdi_capsule *out) {
    tdi_tree_capsules(&((const tdi_reduced_state *)body)->whole, out);
}

static bool apart(const void *body, int32_t i, int32_t j) {
    return tdi_tree_apart(&((const tdi_reduced_state *)body)->whole, i, j);
}

static td_real force(const void *body, const td_step_opts *o, td_real gap, td_real h) {
    return tdi_tree_force(&((const tdi_reduced_state *)body)->whole, o, gap, h);
}

static void note_point(tdi_reduced_state *s, const tdi_point *point) {
    const bool capsule = point->kind == TDI_POINT_ROTATION || point->kind == TDI_POINT_SURFACE;
    put(&s->acting.constrained, capsule ? s->full->capsule_body[point->segment] : point->segment);
}

static void add_stiffness(void *body, const tdi_side_terms *side) {
    note_point(body, side->point);
    tdi_tree_add_stiffness(body, side);
}

static void apply_forces(void *body, tdi_points points, const td_vec3 *forces) {
    for (int32_t k = 0; points.list && k < points.count; k++) {
        note_point(body, &points.list[k]);
    }
    tdi_tree_apply_forces(body, points, forces);
}

// A constraint of a joint needs that joint for good.
static void claim_joint(void *body, int32_t segment) {
    ((tdi_reduced_state *)body)->acting.pinned[segment] = 1;
}

static tdi_joint joint(const void *body, int32_t segment) {
    return tdi_tree_joint(&((const tdi_reduced_state *)body)->whole, segment);
}

static void transform(void *body, const tdi_rigid *motion) {
    tdi_tree_transform(body, motion);
    ((tdi_reduced_state *)body)->drawn = TDI_DRAWN_NOT;
}

// ---- saving ---------------------------------------------------------------------------------

// Entries beyond the clusters are left from when there were more of them.
static void clear_behind(tdi_reduced_state *s) {
    tdi_span all[TDI_SPANS], used[TDI_SPANS];
    const int32_t count = tdi_tree_saved_of(&s->tree, s->full, all);
    tdi_tree_saved(&s->tree, TDI_SAVE_LIST, used);
    for (int32_t k = 0; k < count; k++) {
        memset((char *)all[k].data + used[k].size, 0, all[k].size - used[k].size);
    }
}

// Gaps in structs are no part of the state.
static void close_gap(tdi_seat *seat) {
    tdi_seat clean;
    memset(&clean, 0, sizeof clean);
    clean.body = seat->body;
    clean.at = seat->at;
    clean.turn = seat->turn;
    memcpy(seat, &clean, sizeof clean);
}

static void close_gaps(tdi_reduced_state *s) {
    tdi_reduce_count clean;
    memset(&clean, 0, sizeof clean);
    const tdi_reduce_count *c = s->count;
    clean.changes = c->changes;
    clean.estimate = c->estimate;
    clean.spring = c->spring;
    clean.age = c->age;
    clean.since = c->since;
    clean.wait = c->wait;
    clean.by_hand = c->by_hand;
    clean.flow.air = c->flow.air;
    clean.flow.gravity = c->flow.gravity;
    clean.flow.stiffness = c->flow.stiffness;
    clean.flow.by_segment = c->flow.by_segment;
    memcpy(s->count, &clean, sizeof clean);
    for (int32_t i = 0; i < s->full->body_count; i++) {
        close_gap(&s->seat[i]);
        close_gap(&s->group.side[i].seat);
    }
}

// A save must not depend on whether the pose was read: it is drawn, or discarded where the clusters
// alone define it.
static void blank(tdi_reduced_state *s) {
    close_gaps(s);
    const size_t coords = (size_t)s->full->coord_count * sizeof(td_real),
                 dofs = (size_t)s->full->head.dof_count * sizeof(td_real);
    tdi_span own[TDI_SPANS];
    tdi_tree_saved(&s->tree, TDI_SAVE_BLANK, own);
    clear_behind(s);
    if (s->reduced > 0) {
        s->drawn = s->tree.head.known > 0 ? s->drawn : TDI_DRAWN_NOT; // its past is gone
        tdi_reduce_draw(s, true);
        return;
    }
    memset(s->whole.q, 0, coords);
    memset(s->whole.last.q, 0, coords);
    memset(s->whole.angle, 0, dofs);
    memset(s->whole.bdf.angle, 0, dofs);
}

static void restore(tdi_reduced_state *s) {
    tdi_reduce_structure(s);
    tdi_reduce_set_capsules(s);
    for (int32_t c = 0; c < s->clusters.body_count; c++) {
        if (s->air.rest[c].acts > 0) {
            s->air.inverse[c] = tdi_reduce_inverse(&s->clusters.body[c]);
        }
    }
    s->drawn = TDI_DRAWN_NOT;
}

// As much as all segments need, however few clusters there are.
static int32_t saved(void *body, tdi_saving what, tdi_span spans[TDI_SPANS]) {
    tdi_reduced_state *s = body;
    if (what == TDI_SAVE_BLANK) {
        blank(s);
    } else if (what == TDI_SAVE_READ) {
        restore(s);
    }
    const int32_t count = tdi_tree_saved_of(&s->tree, s->full, spans);
    spans[count] = (tdi_span){s->saved, s->saved_bytes};
    return count + 1;
}

// ---- entry ----------------------------------------------------------------------------------

static const tdi_joint_ops joints = {.joint = joint, .mark_constrained = claim_joint};

static const tdi_contact_ops contact = {capsules, apart, force};

const tdi_implicit tdi_reduced_implicit = {
    TDI_TREE_STEPS,
    .begin = begin,
    .undo = undo,
    .accept = accept,
    .apply_forces = apply_forces,
    .add_stiffness = add_stiffness,
    .saved = saved,
    .transform = transform,
    .contact = &contact,
    .joints = &joints,
    .statics = &tdi_reduced_statics,
};

td_status td_reduced_set(td_body *body, const td_reduce_opts *opts, td_diag *diag) {
    tdi_reduced_state *s = tdi_as_reduced(body);
    TDI_REFUSE_IF(!s);
    td_reduce_opts own;
    td_status status = take_opts(opts, &own, diag);
    if (status == TD_OK) {
        s->opts = own;
    }
    return status;
}

void td_reduced_set_modes(td_body *body, const uint8_t *modes) {
    tdi_reduced_state *s = tdi_as_reduced(body);
    if (!s) {
        return;
    }
    s->count->by_hand = modes != NULL;
    if (modes) {
        memcpy(s->choice.wanted, modes, (size_t)s->full->body_count * sizeof *modes);
        tdi_reduce_settle_wanted(s);
    }
}

const uint8_t *td_reduced_modes(const td_body *body) {
    const tdi_reduced_state *s = tdi_as_reduced(body);
    return s ? s->mode : NULL;
}

int32_t td_reduced_cluster(const td_body *body, int32_t segment) {
    const tdi_reduced_state *s = tdi_as_reduced(body);
    return s && tdi_has(segment, s->full->body_count) ? s->list.first[s->seat[segment].body]
                                                      : TD_NONE;
}

td_reduce_stats td_reduced_get_stats(const td_body *body) {
    const tdi_reduced_state *s = tdi_as_reduced(body);
    if (!s) {
        return (td_reduce_stats){0};
    }
    td_reduce_stats out = {.changes = s->count->changes, .estimate = s->count->estimate};
    int32_t *of[] = {&out.joints, &out.frozen, &out.quasistatic, &out.joined};
    for (int32_t i = 0; i < s->full->body_count; i++) {
        (*of[s->mode[i]])++;
    }
    return out;
}

tdi_tree_state *tdi_reduced_whole(tdi_reduced_state *s) {
    if (s->reduced == 0) {
        return &s->tree;
    }
    tdi_reduce_draw(s, true);
    return &s->whole;
}
