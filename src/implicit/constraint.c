// SPDX-License-Identifier: MIT
// Constraints on the bodies of a system: their state, and the beginning and end of steps.

#include "implicit/constants.h"
#include "implicit/constraint.h"

#include <math.h>
#include <string.h>

#define MERIT      10.0 // of the bodies' inertia: what a line search sees of an error
#define THIN       1e-6 // of a segment's inertia: the least about its own axis
#define SOON       1e-9 // s: times that are the same but for rounding
#define TRY_AGAIN  1e-5 // m or rad: what could not be met and is as near as this is tried again
#define MOST_PAUSE 64   // steps: farther off it is tried after 1, 2, 4, ... and so many steps

// ---- what callers say and ask ---------------------------------------------------------------

void tdi_constraints_set_time(tdi_constraint_set *h, td_real time) {
    h->time = time;
}

void tdi_constraints_set_target(tdi_constraint_set *h, int32_t k,
                                const td_constraint_target *target) {
    h->state[k].target = *target;
}

void tdi_constraints_reset_target(tdi_constraint_set *h, int32_t k,
                                  const td_constraint_target *target) {
    h->state[k].target = h->state[k].target0 = *target;
}

void tdi_constraints_enable(tdi_constraint_set *h, int32_t k, bool hold) {
    h->state[k].requested = hold;
}

bool tdi_constraints_target(const tdi_constraint_set *h, int32_t k, td_constraint_target *target) {
    *target = h->state[k].target;
    return h->state[k].requested;
}

td_constraint_report tdi_constraints_report(const tdi_constraint_set *h, int32_t k) {
    const tdi_constraint_state *s = &h->state[k];
    return (td_constraint_report){.active = s->active,
                                  .broken = s->broken,
                                  .unmet = s->unmet,
                                  .error = s->error,
                                  .place = s->place,
                                  .force = s->force,
                                  .moment = s->moment};
}

size_t tdi_constraints_save_size(const tdi_constraint_set *h) {
    return (size_t)h->count * sizeof *h->state;
}

void tdi_constraints_save(const tdi_constraint_set *h, void *bytes) {
    memcpy(bytes, h->state, tdi_constraints_save_size(h));
}

// Numbers that would lead out of arrays are put right; others show in the next step.
void tdi_constraints_restore(tdi_constraint_set *h, const void *bytes) {
    memcpy(h->state, bytes, tdi_constraints_save_size(h));
    for (int32_t k = 0; k < h->count; k++) {
        tdi_constraint_state *s = &h->state[k];
        int32_t *flags[] = {&s->requested, &s->active, &s->broken, &s->unmet};
        for (size_t f = 0; f < sizeof flags / sizeof *flags; f++) {
            *flags[f] = *flags[f] != 0;
        }
        s->pause = s->pause > 0 && s->pause <= MOST_PAUSE ? s->pause : 0;
        s->left = s->left > 0 && s->left <= MOST_PAUSE ? s->left : 0;
        s->along = fabs(s->along) < 2 * TD_CONSTRAINT_CURVE_MAX ? s->along : NAN;
    }
}

// ---- the beginning of a step ----------------------------------------------------------------

static bool acts(const tdi_constraint_set *h, int32_t k) {
    const td_constraint *c = &h->def[k];
    const tdi_constraint_state *s = &h->state[k];
    return s->requested && !s->broken && h->time >= c->start - SOON && h->time < c->end - SOON;
}

static bool pushed_one_sided(const tdi_constraint_set *h) {
    bool any = false;
    for (int32_t i = 0; i < h->group_count && !any; i++) {
        const tdi_row_group *b = &h->group[i];
        const tdi_constraint_state *s = &h->state[b->constraint];
        for (int32_t r = 0; tdi_is_one_sided(b) && s->active && r < b->law.row_count; r++) {
            any = any || s->l[b->relation][r] < 0;
        }
    }
    return any;
}

bool tdi_constraints_have_impact(tdi_constraint_set *all) {
    for (tdi_group_cursor at = tdi_groups_of(all); tdi_next_group(&at);) {
        const tdi_row_group *b = at.group;
        for (int32_t r = 0; tdi_is_one_sided(b) && r < b->law.row_count; r++) {
            if (-at.state->l[b->relation][r] > tdi_least_force(b)) {
                return true;
            }
        }
    }
    return false;
}

// Whether a constraint that could not be met is tried again: its spring may never come near under
// load, and a try costs some iterations more.
static bool is_retried(const tdi_constraint_state *s) {
    return s->unmet && (s->error <= TRY_AGAIN || s->left <= 0);
}

bool tdi_constraints_change(const tdi_constraint_set *all) {
    bool any = false;
    for (const tdi_constraint_set *h = all; h && !any; h = h->next) {
        for (int32_t k = 0; k < h->count && !any; k++) {
            any = acts(h, k) != (h->state[k].active != 0);
        }
    }
    return any;
}

bool tdi_constraints_ready(const tdi_constraint_set *all) {
    bool same = true;
    for (const tdi_constraint_set *h = all; h && same; h = h->next) {
        for (int32_t k = 0; k < h->count && same; k++) {
            same = acts(h, k) == (h->state[k].active != 0) && !is_retried(&h->state[k]);
        }
        same = same && !pushed_one_sided(h);
    }
    return same;
}

static td_vec3 between3(td_vec3 a, td_vec3 b, td_real part) {
    return tdi_madd(a, tdi_sub(b, a), part);
}

// The part of the way from one target to the next, turning the shorter way.
static td_constraint_target between(const td_constraint_target *a, const td_constraint_target *b,
                                    td_real part) {
    if (part >= 1) {
        return *b;
    }
    const td_quat turn = tdi_quat_unit(tdi_quat_mul(b->rotation, tdi_quat_conj(a->rotation)));
    const td_vec3 v = {turn.x, turn.y, turn.z};
    const td_real s = tdi_norm(v), angle = 2 * atan2(s, turn.w);
    const td_vec3 axis = tdi_unit_or(v, tdi_vec3(0, 1, 0));
    return (td_constraint_target){.position = between3(a->position, b->position, part),
                                  .rotation =
                                      tdi_quat_mul(tdi_quat_turn(axis, part * angle), a->rotation),
                                  .joint = between3(a->joint, b->joint, part),
                                  .length = a->length + part * (b->length - a->length)};
}

static td_real angle_of(const tdi_constraint_set *h, const tdi_system *y, int32_t k, int side) {
    const td_constraint *c = &h->def[k];
    if (c->kind != TD_CONSTRAINT_GEAR) {
        return 0;
    }
    const tdi_point point = {.kind = TDI_POINT_JOINT, .segment = c->segment[side]};
    const tdi_member *m = tdi_constraints_member(h, y, c->actor[side]);
    td_vec3 x;
    tdi_state_positions(m->body, tdi_points_of(&point, 1), false, &x);
    return x.x;
}

// A constraint starts.
static void start(tdi_constraint_set *h, const tdi_system *y, int32_t k) {
    tdi_constraint_state *s = &h->state[k];
    const td_vec3 *point = h->def[k].point;
    const tdi_frame_at sides[2] = {tdi_constraints_frame(h, y, k, 0, point[0]),
                                   tdi_constraints_frame(h, y, k, 1, point[1])};
    const td_real angles[2] = {angle_of(h, y, k, 0), angle_of(h, y, k, 1)};
    s->found = tdi_constraint_find(&h->def[k], sides, angles);
    memset(s->l, 0, sizeof s->l);
    memset(s->weight, 0, sizeof s->weight);
    s->along = NAN;
    s->unmet = s->pause = s->left = 0;
}

// What a relation holds by in this step.
static void place_points(tdi_constraint_set *h, tdi_row_group *b) {
    const td_constraint *c = &h->def[b->constraint];
    const td_constraint_target *now = &h->now[b->constraint];
    for (int32_t p = 0; p < b->law.point_count; p++) {
        const tdi_relation_point *point = &b->law.point[p];
        if (b->point[p] == TD_NONE) {
            const td_vec3 own = tdi_add(point->at, point->arm);
            b->fixed[p] = tdi_add(now->position, tdi_quat_rotate(now->rotation, own));
        } else {
            h->point[b->point[p]] = (tdi_point){point->joint ? TDI_POINT_JOINT : TDI_POINT_POSITION,
                                                c->segment[point->second], point->at, point->arm};
        }
    }
}

// kg, or kg m^2 of a joint that turns: what a relation moves of one side at least.
static td_real inertia_of(const tdi_constraint_set *h, const tdi_system *y, const tdi_row_group *b,
                          int side) {
    const td_constraint *c = &h->def[b->constraint];
    const tdi_member *m = tdi_constraints_member(h, y, c->actor[side]);
    if (!tdi_constraint_of_joint(c->kind)) {
        return h->scale[c->actor[side]];
    }
    const td_vec3 i = m->body->ops->joints->joint(m->body, c->segment[side]).inertia;
    const td_real most = fmax(i.x, fmax(i.y, i.z)), least = THIN * most,
                  own = b->law.kind == TDI_RELATION_TWIST ? fmax(i.y, least) : most;
    return own > 0 ? own : 1;
}

// Positions of a relation's points where the step begins.
static void start_positions(const tdi_constraint_set *h, const tdi_system *y,
                            const tdi_row_group *b, td_vec3 *x) {
    const td_constraint_target *then = &h->state[b->constraint].target0;
    const td_constraint *c = &h->def[b->constraint];
    for (int32_t p = 0; p < b->law.point_count; p++) {
        const tdi_relation_point *point = &b->law.point[p];
        if (b->point[p] != TD_NONE) {
            const tdi_member *m = tdi_constraints_member(h, y, c->actor[point->second]);
            tdi_state_positions(m->body, tdi_points_of(&h->point[b->point[p]], 1), false, &x[p]);
        } else {
            const td_vec3 own = tdi_add(point->at, point->arm);
            x[p] = tdi_add(then->position, tdi_quat_rotate(then->rotation, own));
        }
    }
}

// The rate of a spring follows the rule of the step, from distances and not from places: places on
// a circle would have a rate along its radius.
static void begin_spring(tdi_constraint_set *h, const tdi_system *y, tdi_row_group *b) {
    tdi_constraint_state *s = &h->state[b->constraint];
    const tdi_rule *rule = &tdi_constraints_member(h, y, 0)->body->rule;
    td_real history = 0;
    if (h->h > 0) {
        td_vec3 x[TDI_RELATION_POINTS];
        start_positions(h, y, b, x);
        const td_real now = tdi_norm(tdi_sub(x[0], x[1]));
        history = tdi_history(rule, now, s->distance) - b->law.low;
        s->distance = now;
    }
    b->spring = tdi_spring_law(b->law.stiffness, b->law.damping, h->h, history);
    b->merit = tdi_row_stiffness(b, b->merit);
}

static void begin_relation(tdi_constraint_set *h, const tdi_system *y, tdi_row_group *b,
                           const tdi_relation *law) {
    const td_constraint *c = &h->def[b->constraint];
    b->law = *law;
    memset(b->stiff, 0, sizeof b->stiff);
    memset(b->freed, 0, sizeof b->freed);
    b->stalls = 0;
    b->error = INFINITY;
    b->weak = false;
    b->acts = acts(h, b->constraint);
    place_points(h, b);
    if (!tdi_is_pinned(b)) {
        h->point[b->side[1].point] = h->point[b->point[1]];
    }
    if (tdi_has_offset(b)) {
        h->point[b->side[1].offset] = h->point[b->point[1]];
    }
    b->bent = (tdi_bent){0};
    const td_real rate = h->h > 0 ? 1 / (h->h * h->h) : TDI_STATIC_RATE;
    td_real compliance = 0; // of both sides
    for (int side = 0; side < 2; side++) {
        compliance += c->actor[side] == TD_NONE ? 0 : 1 / inertia_of(h, y, b, side);
    }
    b->inertia = rate / compliance;
    b->merit = MERIT * b->inertia;
    if (b->acts && tdi_is_spring(b)) {
        begin_spring(h, y, b);
    }
    h->solve.couples = h->solve.couples || (b->acts && b->node != TD_NONE);
}

static bool compares_turns(const td_constraint *c) {
    return c->kind == TD_CONSTRAINT_WELD || c->kind == TD_CONSTRAINT_HINGE;
}

// A spring whose length begins or ends to be 0: its forces are those of other rows.
static bool changes_rows(const td_constraint *c, const tdi_constraint_state *s,
                         const td_constraint_target *now) {
    return c->kind == TD_CONSTRAINT_SPRING && !c->as_found &&
           (now->length > 0) != (s->target0.length > 0);
}

static void begin_all(tdi_constraint_set *h, const tdi_system *y, td_real step, td_real part) {
    memcpy(h->began, h->state, tdi_constraints_save_size(h));
    h->h = step;
    h->solve.couples = false;
    for (int32_t k = 0; k < h->member_count; k++) {
        const tdi_member *m = tdi_constraints_member(h, y, k);
        const td_real mass = m->body->mass;
        const int32_t segments = m->body->segment_count;
        h->scale[k] = mass > 0 && segments > 0 ? mass / segments : 1;
    }
    for (int32_t k = 0, i = 0; k < h->count; k++) {
        tdi_constraint_state *s = &h->state[k];
        tdi_relation relations[TDI_RELATIONS];
        if (acts(h, k) && !s->active) {
            start(h, y, k);
        }
        s->unmet = s->unmet && !is_retried(s) && step > 0;
        h->now[k] = between(&s->target0, &s->target, part);
        const td_quat turned = acts(h, k) && compares_turns(&h->def[k])
                                   ? tdi_constraints_frame(h, y, k, 0, h->def[k].point[0]).rotation
                                   : tdi_quat_identity();
        tdi_constraint_relations(&h->def[k], h->joint[k], &s->found, &h->now[k], turned,
                                 &h->curve[k], relations);
        if (changes_rows(&h->def[k], s, &h->now[k])) {
            memset(s->l, 0, sizeof s->l);
        }
        for (; i < h->group_count && h->group[i].constraint == k; i++) {
            begin_relation(h, y, &h->group[i], &relations[h->group[i].relation]);
        }
    }
}

void tdi_constraints_begin(tdi_constraint_set *all, const tdi_system *y, td_real step,
                           td_real part) {
    for (tdi_constraint_set *h = all; h; h = h->next) {
        begin_all(h, y, step, part);
        h->solve.eliminated = h->solve.rows && h->solve.couples && !y->contact;
        for (int32_t k = 0; k < h->member_count; k++) {
            td_body *body = tdi_constraints_member(h, y, k)->body;
            body->coupling.constraints = h;
            body->coupling.member = k;
        }
    }
}

void tdi_constraints_undo(tdi_constraint_set *all) {
    for (tdi_constraint_set *h = all; h; h = h->next) {
        memcpy(h->state, h->began, tdi_constraints_save_size(h));
    }
}

// ---- the end of a step ----------------------------------------------------------------------

// The force of a relation on the first side: minus the gradient. Of a joint its moment.
static void add_report(const tdi_constraint_set *h, const tdi_row_group *b, td_vec3 x,
                       const tdi_relation_at *at, tdi_constraint_state *s) {
    td_vec3 force = {0, 0, 0};
    for (int32_t r = 0; r < b->law.row_count; r++) {
        const td_real l = s->l[b->relation][r],
                      f = l + tdi_row_lasts(b, s) * b->k * tdi_row_error(b, l, at->c[r]);
        force = tdi_madd(force, at->gradient[r][0], -f);
    }
    if (tdi_constraint_of_joint(h->def[b->constraint].kind)) {
        s->moment = tdi_add(s->moment, force);
    } else {
        s->force = tdi_add(s->force, force);
        s->moment = tdi_add(s->moment, tdi_cross(tdi_sub(x, s->place), force));
    }
}

static void report_relation(tdi_constraint_set *h, const tdi_row_group *b) {
    tdi_constraint_state *s = &h->state[b->constraint];
    td_vec3 x[TDI_RELATION_POINTS];
    tdi_row_group_positions(h, b, x);
    if (b->relation == 0) {
        s->place = tdi_constraint_of_joint(h->def[b->constraint].kind) ? tdi_vec3(0, 0, 0) : x[0];
        s->force = s->moment = tdi_vec3(0, 0, 0);
        s->error = 0;
    }
    if (b->acts) {
        tdi_relation_at at;
        tdi_relation_evaluate(&b->law, x, &s->along, &at);
        add_report(h, b, x[0], &at, s);
        s->error = tdi_is_spring(b) ? 0 : fmax(s->error, b->error);
    }
}

// One-sided rows whose force is rounding alone are inactive: BDF2 must not depend on rounding.
static void settle_relation(const tdi_row_group *b, td_real *l) {
    for (int32_t r = 0; tdi_is_one_sided(b) && b->acts && r < b->law.row_count; r++) {
        l[r] = -l[r] > tdi_least_force(b) ? l[r] : 0;
    }
}

// When it is tried again: the longer it could not be met, the more seldom.
static void plan_retry(const tdi_constraint_state *began, tdi_constraint_state *s) {
    if (s->unmet && (!began->unmet || is_retried(began))) {
        s->pause = s->pause == 0 ? 1 : 2 * s->pause;
        s->left = s->pause = s->pause < MOST_PAUSE ? s->pause : MOST_PAUSE;
    } else if (s->unmet) {
        s->left--;
    } else {
        s->pause /= 2;
    }
}

// Of a step that is taken in pieces the mean: what the last piece began with is that of those
// before.
static td_vec3 mean_of(td_vec3 before, td_vec3 now, td_real from, td_real to) {
    return from > 0 ? tdi_madd(tdi_scale(before, from / to), now, (to - from) / to) : now;
}

static void accept_all(tdi_constraint_set *h, const tdi_system *y, td_real from, td_real to) {
    bool changed = false;
    tdi_constraints_gather(h, y);
    for (int32_t i = 0; i < h->group_count; i++) {
        const tdi_row_group *b = &h->group[i];
        settle_relation(b, h->state[b->constraint].l[b->relation]);
        report_relation(h, b);
    }
    for (int32_t k = 0; k < h->count; k++) {
        const td_constraint *c = &h->def[k];
        tdi_constraint_state *s = &h->state[k];
        const bool joint = tdi_constraint_of_joint(c->kind);
        s->force = mean_of(h->began[k].force, s->force, from, to);
        s->moment = mean_of(h->began[k].moment, s->moment, from, to);
        s->active = acts(h, k);
        s->target0 = h->now[k];
        plan_retry(&h->began[k], s);
        if (to == 1 && s->active && tdi_norm(joint ? s->moment : s->force) > c->break_force) {
            s->broken = 1;
        }
        changed = changed || (h->h > 0 && s->active != h->began[k].active);
    }
    // forces that stop a motion are no guess for the next step; redundant rows would keep them
    for (int32_t k = 0; changed && k < h->count; k++) {
        memset(h->state[k].l, 0, sizeof h->state[k].l);
    }
}

void tdi_constraints_accept(tdi_constraint_set *all, const tdi_system *y, td_real from,
                            td_real to) {
    for (tdi_constraint_set *h = all; h; h = h->next) {
        accept_all(h, y, from, to);
    }
}
