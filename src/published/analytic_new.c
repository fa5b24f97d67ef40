// SPDX-License-Identifier: MIT
// Making and freeing trees with constraints as published; options.

#include "published/analytic.h"

#include "base/diag.h"
#include "base/digest.h"
#include "base/guard.h"
#include "base/opts.h"
#include "base/range.h"

#include <string.h>

#define MOST_ROWS 4096

td_analytic_opts td_analytic_opts_default(void) {
    return (td_analytic_opts){.struct_size = sizeof(td_analytic_opts), .row_limit = 192};
}

static td_status take_opts(const td_analytic_opts *given, td_analytic_opts *o, td_lcp_opts *solver,
                           td_diag *diag) {
    *o = td_analytic_opts_default();
    TDI_TRY(tdi_opts_take("td_analytic_opts", o, given, diag));
    if (o->law != TD_IMPACT_NEWTON && o->law != TD_IMPACT_POISSON) {
        return tdi_fail(diag, TD_ERR_ARGUMENT, "td_analytic_opts: unknown law %d", (int)o->law);
    }
    const tdi_range ranges[] = {TDI_FROM_0("settle", "s", o->settle),
                                TDI_BETWEEN("restitution", NULL, o->restitution, 0, 1),
                                TDI_FROM_0("slow", "m/s", o->slow),
                                TDI_BETWEEN("row_limit", NULL, o->row_limit, 1, MOST_ROWS)};
    td_status status =
        tdi_check_ranges(ranges, sizeof ranges / sizeof *ranges, NULL, TD_NONE, diag);
    return status == TD_OK ? tdi_lcp_opts_take(o->solver, solver, diag) : status;
}

static void place_shared(tdi_shared *s, tdi_layout *l, size_t rows) {
    s->row = tdi_layout_place(l, rows, sizeof *s->row);
    s->pivot = tdi_layout_place(l, rows, sizeof *s->pivot);
    s->place = tdi_layout_place(l, rows, sizeof *s->place);
    s->scale = tdi_layout_place(l, rows, sizeof *s->scale);
    s->left = tdi_layout_place(l, rows, sizeof *s->left);
    s->x = tdi_layout_place(l, rows, sizeof *s->x);
    s->t = tdi_layout_place(l, rows, sizeof *s->t);
    s->rhs = tdi_layout_place(l, rows, sizeof *s->rhs);
    s->solved = tdi_layout_place(l, rows, sizeof *s->solved);
    s->bounds = tdi_layout_place(l, rows, sizeof *s->bounds);
    s->low = tdi_layout_place(l, rows * rows, sizeof *s->low);
    s->gram = tdi_layout_place(l, rows * rows, sizeof *s->gram);
    s->matrix = tdi_layout_place(l, rows * rows, sizeof *s->matrix);
}

static void lay_out(td_analytic *a, tdi_layout *l, tdi_tree_state *const *states) {
    const size_t rows = (size_t)a->opts.row_limit, trees = (size_t)a->tree_count;
    size_t points = 0;
    l->used = 0;
    tdi_layout_place(l, 1, sizeof *a);
    a->tree = tdi_layout_place(l, trees, sizeof *a->tree);
    a->answer = tdi_layout_place(l, trees, sizeof *a->answer);
    a->kept = tdi_layout_place(l, trees, sizeof *a->kept);
    a->step_opts = tdi_layout_place(l, trees, sizeof *a->step_opts);
    a->step = tdi_layout_place(l, trees, sizeof *a->step);
    for (size_t k = 0; k < trees; k++) {
        const tdi_tree_model *m = states[k]->model;
        const size_t nv = (size_t)m->head.dof_count, own = 2 * (size_t)m->capsule_count;
        td_real *answer = tdi_layout_place(l, nv, sizeof *answer);
        td_real *kept = tdi_layout_place(l, nv, sizeof *kept);
        if (l->base) {
            a->answer[k] = answer;
            a->kept[k] = kept;
        }
        points = own > points ? own : points;
    }
    a->points = tdi_layout_place(l, points, sizeof *a->points);
    a->hold = tdi_layout_place(l, (size_t)a->hold_count, sizeof *a->hold);
    a->row = tdi_layout_place(l, rows, sizeof *a->row);
    a->contact = tdi_layout_place(l, rows, sizeof *a->contact);
    a->struck = tdi_layout_place(l, rows, sizeof *a->struck);
    a->near = tdi_layout_place(l, rows, sizeof *a->near);
    a->lcp.matrix = tdi_layout_place(l, rows * rows, sizeof *a->lcp.matrix);
    a->lcp.rhs = tdi_layout_place(l, rows, sizeof *a->lcp.rhs);
    a->lcp.force = tdi_layout_place(l, rows, sizeof *a->lcp.force);
    a->lcp.before = tdi_layout_place(l, rows, sizeof *a->lcp.before);
    a->lcp.wanted = tdi_layout_place(l, rows, sizeof *a->lcp.wanted);
    a->lcp.bounds = tdi_layout_place(l, rows, sizeof *a->lcp.bounds);
    place_shared(&a->lcp.shared, l, rows);
    tdi_lcp_place(&a->lcp.work, l, a->opts.row_limit);
}

// Of constraints in our width.
static td_status make(const td_analytic *draft, tdi_tree_state *const *states,
                      const td_constraint *constraints, td_analytic **out, td_diag *diag) {
    tdi_layout l = {NULL, 0};
    td_analytic sized = *draft;
    td_status status = td_constraints_check(constraints, draft->hold_count, diag);
    if (status != TD_OK) {
        return status;
    }
    lay_out(&sized, &l, states);
    sized.bytes = l.used;
    l.base = tdi_alloc_zeroed(sized.alloc, sized.bytes, 1);
    if (!l.base) {
        return tdi_fail(diag, TD_ERR_MEMORY, "out of memory for %d forces", sized.opts.row_limit);
    }
    lay_out(&sized, &l, states);
    memcpy(l.base, &sized, sizeof sized);
    td_analytic *a = (td_analytic *)l.base;
    memcpy(a->tree, states, (size_t)a->tree_count * sizeof *states);
    for (int32_t k = 0; k < a->hold_count && status == TD_OK; k++) {
        a->hold[k] = (tdi_analytic_hold){.def = constraints[k],
                                         .target = constraints[k].target,
                                         .target_start = constraints[k].target};
        status = tdi_analytic_check(a, k, diag);
    }
    if (status != TD_OK) {
        td_analytic_free(a);
        return status;
    }
    *out = a;
    return TD_OK;
}

td_status td_analytic_new(td_body *const *states, int32_t count, const td_constraint *constraints,
                          int32_t constraint_count, const td_analytic_opts *opts,
                          const td_alloc *alloc, td_analytic **out, td_diag *diag) {
    TDI_CLEAR(out);
    TDI_REFUSE_IF(!out);
    td_analytic draft = {.alloc = alloc, .tree_count = count, .hold_count = constraint_count};
    const td_constraint defaults = td_constraint_default(TD_CONSTRAINT_POINT);
    tdi_widened widened;
    td_status status = take_opts(opts, &draft.opts, &draft.solver, diag);
    if (status == TD_OK && (count < 1 || !states)) {
        status = tdi_fail(diag, TD_ERR_ARGUMENT, "there must be a state at least");
    }
    for (int32_t k = 0; status == TD_OK && k < count; k++) {
        if (!tdi_as_tree(states[k])) {
            status = tdi_fail_at(diag, TD_ERR_ARGUMENT, k, "body %d is not a tree", (int)k);
        }
    }
    if (status != TD_OK) {
        return status;
    }
    status = tdi_opts_widen("td_constraint", &defaults, constraints, constraint_count, alloc,
                            &widened, diag);
    if (status == TD_OK) {
        status = make(&draft, (tdi_tree_state *const *)states, widened.items, out, diag);
        tdi_opts_widen_free(&widened);
    }
    return status;
}

void td_analytic_free(td_analytic *a) {
    if (a) {
        tdi_alloc_free(a->alloc, a, a->bytes);
    }
}

// ---- saving ---------------------------------------------------------------------------------

typedef struct saved { // of a constraint; without pointers, and without what must not change
    td_constraint_target target, target_start, found_target;
    td_vec3 velocity, joint_rate, point, axis;
    td_quat rotation;
    td_real offset;
    td_constraint_report report;
    uint8_t found, moved, loose, active, broken, unmet, none[2];
} saved;

size_t td_analytic_save_size(const td_analytic *a) {
    return a ? (size_t)a->hold_count * sizeof(saved) + TDI_SEAL : 0;
}

void td_analytic_save(const td_analytic *a, void *bytes) {
    if (!a || !bytes) {
        return;
    }
    for (int32_t k = 0; k < a->hold_count; k++) {
        const tdi_analytic_hold *h = &a->hold[k];
        const td_constraint_report *r = &h->report;
        saved s;
        memset(&s, 0, sizeof s);
        s.target = h->target;
        s.target_start = h->target_start;
        s.found_target = h->def.target;
        s.velocity = h->velocity;
        s.joint_rate = h->joint_rate;
        s.point = h->def.point[1];
        s.axis = h->def.axis[1];
        s.rotation = h->def.rotation;
        s.offset = h->def.offset;
        s.report.error = r->error;
        s.report.place = r->place;
        s.report.force = r->force;
        s.report.moment = r->moment;
        s.found = h->found;
        s.moved = h->moved;
        s.loose = h->loose;
        s.active = r->active;
        s.broken = r->broken;
        s.unmet = r->unmet;
        memcpy((char *)bytes + (size_t)k * sizeof s, &s, sizeof s);
    }
    tdi_seal(bytes, (size_t)a->hold_count * sizeof(saved));
}

td_status td_analytic_restore(td_analytic *a, const void *bytes, size_t size, td_diag *diag) {
    TDI_REFUSE_IF(!a || !bytes);
    if (!tdi_is_sealed(bytes, size, (size_t)a->hold_count * sizeof(saved))) {
        return tdi_fail(diag, TD_ERR_SYNTAX, "the save is damaged, or of other constraints");
    }
    for (int32_t k = 0; k < a->hold_count; k++) {
        tdi_analytic_hold *h = &a->hold[k];
        saved s;
        memcpy(&s, (const char *)bytes + (size_t)k * sizeof s, sizeof s);
        h->target = s.target;
        h->target_start = s.target_start;
        h->def.target = s.found_target;
        h->velocity = s.velocity;
        h->joint_rate = s.joint_rate;
        h->def.point[1] = s.point;
        h->def.axis[1] = s.axis;
        h->def.rotation = s.rotation;
        h->def.offset = s.offset;
        h->report = (td_constraint_report){.active = s.active != 0,
                                           .broken = s.broken != 0,
                                           .unmet = s.unmet != 0,
                                           .error = s.report.error,
                                           .place = s.report.place,
                                           .force = s.report.force,
                                           .moment = s.report.moment};
        h->found = s.found != 0;
        h->moved = s.moved != 0;
        h->loose = s.loose != 0;
    }
    return TD_OK;
}

td_status td_analytic_set_hold(td_analytic *a, int32_t constraint, bool hold, td_diag *diag) {
    TDI_REFUSE_IF(!a || !tdi_has(constraint, a->hold_count));
    tdi_analytic_hold *h = &a->hold[constraint];
    if (hold && h->loose) { // as if it started
        h->found = h->moved = false;
    }
    h->loose = !hold;
    return TD_OK;
}
