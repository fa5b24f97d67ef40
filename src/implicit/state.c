// SPDX-License-Identifier: MIT
// What all solvers' states have in common: memory, checks, base, history, bytes.

#include "base/alloc.h"
#include "base/diag.h"
#include "implicit/constants.h"
#include "implicit/implicit.h"

#include <math.h>
#include <string.h>

#define MOST_KNOWN 3    // steps: the rule of two steps uses these
#define SHIFT_STEP 0.25 // of a step's own inertia
#define WIND_JUMP  2.0  // m/s: a change of the wind in one step below this is a gust, not a jump

// ---- memory ---------------------------------------------------------------------------------

static void lay_out_coords(tdi_coords *c, tdi_layout *l) {
    td_real **arrays[] = {&c->x,       &c->v,         &c->x_before, &c->v_before,  &c->began,
                          &c->history, &c->predictor, &c->kept,     &c->increment, &c->response};
    for (size_t k = 0; c->count > 0 && k < sizeof arrays / sizeof *arrays; k++) {
        *arrays[k] = tdi_layout_place(l, (size_t)c->count, sizeof(td_real));
    }
}

void *tdi_state_new(const td_alloc *alloc, size_t bytes, int32_t coords) {
    tdi_coords sizes = {.count = coords};
    tdi_layout l = {NULL, bytes};
    lay_out_coords(&sizes, &l);
    td_body *s = tdi_alloc_zeroed(alloc, 1, l.used);
    if (!s) {
        return NULL;
    }
    s->alloc = alloc;
    s->bytes = l.used;
    s->base.rotation = tdi_quat_identity();
    s->collision.filter = td_filter_default();
    s->coords.count = coords;
    l = (tdi_layout){(char *)s, bytes};
    lay_out_coords(&s->coords, &l);
    return s;
}

void tdi_state_free(void *state) {
    const td_body *s = state;
    if (s) {
        tdi_alloc_free(s->alloc, state, s->bytes);
    }
}

// ---- severed pairs --------------------------------------------------------------------------

static int sign_of(int32_t a, int32_t b) {
    return a < b ? -1 : a > b;
}

int tdi_severed_compare(const tdi_severed_pair *a, const tdi_severed_pair *b) {
    int sign = sign_of(a->number[0], b->number[0]);
    sign = sign ? sign : sign_of(a->number[1], b->number[1]);
    sign = sign ? sign : sign_of(a->segment[0], b->segment[0]);
    return sign ? sign : sign_of(a->segment[1], b->segment[1]);
}

bool tdi_severed_has(const tdi_severed_pairs *severed, tdi_severed_pair pair) {
    int32_t low = 0, high = severed->count;
    if (pair.number[0] > pair.number[1]) {
        pair = (tdi_severed_pair){{pair.number[1], pair.number[0]},
                                  {pair.segment[1], pair.segment[0]}};
    }
    while (low < high) {
        const int32_t middle = low + (high - low) / 2;
        const int sign = tdi_severed_compare(&severed->pair[middle], &pair);
        if (sign == 0) {
            return true;
        }
        low = sign < 0 ? middle + 1 : low;
        high = sign < 0 ? high : middle;
    }
    return false;
}

// ---- the base -------------------------------------------------------------------------------

// Turn by Magnus's series: w t + a t^2/2 + (a x w) t^3/12, off by t^5.
td_base_motion tdi_base_after(const td_base_motion *b, td_real t) {
    td_base_motion after = *b;
    td_vec3 turn = tdi_scale(tdi_madd(b->spin, b->spin_rate, 0.5 * t), t);
    turn = tdi_madd(turn, tdi_cross(b->spin_rate, b->spin), t * t * t / 12);
    td_vec3 shift = tdi_scale(tdi_madd(b->velocity, b->acceleration, 0.5 * t), t);
    td_quat q = tdi_quat_mul(tdi_turn_by(turn), b->rotation);
    td_real scale = 1 / tdi_quat_norm(q);
    after.rotation = (td_quat){q.w * scale, q.x * scale, q.y * scale, q.z * scale};
    after.position = tdi_add(b->position, shift);
    after.spin = tdi_madd(b->spin, b->spin_rate, t);
    after.velocity = tdi_madd(b->velocity, b->acceleration, t);
    return after;
}

// What of the base is no number, or NULL.
static const char *wrong_base(const td_base_motion *b) {
    td_real n = tdi_quat_norm(b->rotation);
    return !(n > 0) || !isfinite(n)        ? "rotation is zero or"
           : !tdi_finite3(b->position)     ? "position is"
           : !tdi_finite3(b->velocity)     ? "velocity is"
           : !tdi_finite3(b->spin)         ? "spin is"
           : !tdi_finite3(b->acceleration) ? "acceleration is"
           : !tdi_finite3(b->spin_rate)    ? "spin_rate is"
                                           : NULL;
}

// ---- steps ----------------------------------------------------------------------------------

td_status tdi_state_check(const td_body *body, const td_step_opts *opts, td_diag *diag) {
    td_status status = tdi_step_opts_check(opts, body->segment_count, diag);
    if (status != TD_OK) {
        return status;
    }
    const char *wrong = wrong_base(&body->base);
    if (wrong) {
        return tdi_fail(diag, TD_ERR_ARGUMENT, "the base's %s not finite", wrong);
    }
    if (opts->drives) {
        const tdi_joint_ops *joints = body->ops->joints;
        status = joints && joints->check_drives
                     ? joints->check_drives(body, opts->drives, diag)
                     : tdi_fail(diag, TD_ERR_ARGUMENT,
                                "drives is not NULL; this solver's joints are not driven");
    }
    return status;
}

// Whether the wind changed so much at once that forces of the last step say nothing of the next.
static bool wind_jumps(td_vec3 last, td_vec3 now) {
    const td_real change = tdi_norm(tdi_sub(now, last));
    return change > 0.5 * tdi_norm(last) && change > WIND_JUMP;
}

bool tdi_state_ready(const td_body *body, const td_step_opts *opts, td_real dt, bool whole) {
    const bool alike = whole && !body->halved && dt >= TDI_RATIO_LEAST * body->dt &&
                       dt <= TDI_RATIO_MOST * body->dt;
    return body->known >= 2 && (body->dt == dt || alike) && !opts->jump &&
           !(body->ops->traits.heeds_wind && wind_jumps(body->air.wind, opts->air.wind));
}

static bool base_moves(const td_base_motion *b) {
    const td_vec3 all[4] = {b->spin, b->velocity, b->spin_rate, b->acceleration};
    bool moves = false;
    for (int k = 0; k < 4; k++) {
        moves = moves || all[k].x != 0 || all[k].y != 0 || all[k].z != 0;
    }
    return moves;
}

// x* and x^ of the rule
static void predict(tdi_coords *c, const tdi_rule *rule) {
    for (int32_t k = 0; k < c->count; k++) {
        const td_real v = tdi_history(rule, c->v[k], c->v_before[k]);
        c->began[k] = c->x[k];
        c->history[k] = tdi_history(rule, c->x[k], c->x_before[k]);
        c->predictor[k] = c->history[k] + rule->h * v;
    }
}

void tdi_state_begin(td_body *body, const td_step_opts *opts, const tdi_rule *rule) {
    body->opts = opts;
    body->rule = *rule;
    body->coupling.constraints = NULL;
    body->coupling.system = NULL;
    body->coupling.pushed = body->coupling.answered = false;
    body->start.accepted = body->newton.recalls = false;
    body->start.known = body->known;
    body->start.halved = body->halved;
    body->start.time = body->time;
    body->start.dt = body->dt;
    body->start.base = body->base;
    body->start.air = body->air;
    body->newton.first_shift = SHIFT_STEP / (rule->h * rule->h);
    body->newton.tolerance = 0;
    body->driven = body->ops->traits.drives && base_moves(&body->start.base);
    if (!body->ops->traits.drives) {
        body->base = tdi_base_after(&body->start.base, rule->dt);
    }
    predict(&body->coords, rule);
    if (body->ops->begin) {
        body->ops->begin(body);
    }
    body->known = body->known > 0 ? body->known : 1; // where it is
}

void tdi_state_guess(td_body *body, bool take) {
    tdi_coords *c = &body->coords;
    for (int32_t k = 0; k < c->count; k++) {
        c->x[k] = take ? c->predictor[k] : c->began[k];
    }
    if (body->ops->guess) {
        body->ops->guess(body, take ? TDI_START_GUESS : TDI_START_BEGAN, NULL, 1);
    }
}

void tdi_state_go_towards(td_body *body, const td_vec3 *x, td_real part) {
    if (body->ops->guess) {
        body->ops->guess(body, TDI_START_TOWARDS, x, part);
    }
}

void tdi_state_accept(td_body *body) {
    tdi_coords *c = &body->coords;
    for (int32_t k = 0; k < c->count; k++) {
        c->x_before[k] = c->began[k];
        c->v_before[k] = c->v[k];
        c->v[k] = (c->x[k] - c->history[k]) / body->rule.h;
    }
    if (body->ops->accept) {
        body->ops->accept(body);
    }
    body->known = body->rule.has_impact      ? 1
                  : body->known < MOST_KNOWN ? body->known + 1
                                             : MOST_KNOWN;
    body->dt = body->rule.dt;
    body->halved = body->rule.piece;
    body->time += body->rule.dt;
    body->air = body->opts->air;
    body->start.accepted = true;
}

void tdi_state_undo(td_body *body) {
    body->known = body->start.known;
    body->halved = body->start.halved;
    body->time = body->start.time;
    body->dt = body->start.dt;
    body->base = body->start.base;
    body->air = body->start.air;
    if (body->ops->undo) {
        body->ops->undo(body);
    } else {
        tdi_state_guess(body, false);
    }
    body->start.accepted = false;
}

// ---- statics --------------------------------------------------------------------------------

void tdi_state_begin_rest(td_body *body, const td_step_opts *opts) {
    body->opts = opts;
    body->rule = (tdi_rule){.part = 1};
    body->coupling.constraints = NULL;
    body->coupling.system = NULL;
    body->coupling.pushed = body->coupling.answered = false;
    body->known = 0;
    body->moved = 1;
    body->unstable = 0;
    body->newton.first_shift = TDI_STATIC_RATE;
    body->newton.tolerance = 0;
    body->driven = body->ops->traits.drives && base_moves(&body->start.base);
    if (body->ops->begin) {
        body->ops->begin(body);
    }
}

void tdi_state_end_rest(td_body *body) {
    const tdi_coords *c = &body->coords;
    for (int32_t k = 0; k < c->count; k++) {
        c->v[k] = 0;
    }
    if (body->ops->accept) {
        body->ops->accept(body);
    }
}

void tdi_state_stop(td_body *body) {
    const tdi_rule rule = body->rule;
    body->rule = (tdi_rule){.part = 1};
    tdi_state_end_rest(body);
    body->rule = rule;
    body->known = 0;
    body->moved = 1;
}

// ---- Newton's method ------------------------------------------------------------------------

void tdi_state_keep(td_body *body) {
    const tdi_coords *c = &body->coords;
    for (int32_t k = 0; k < c->count; k++) {
        c->kept[k] = c->x[k];
    }
    if (body->ops->keep) {
        body->ops->keep(body);
    }
}

void tdi_state_try(td_body *body, td_real fraction) {
    const tdi_coords *c = &body->coords;
    for (int32_t k = 0; k < c->count; k++) {
        c->x[k] = c->kept[k] + fraction * c->increment[k];
    }
    if (body->ops->try) {
        body->ops->try(body, fraction, false);
    }
}

void tdi_state_follow(td_body *body) {
    if (body->ops->traits.follows) {
        body->ops->try(body, 1, true);
        return;
    }
    tdi_state_keep(body);
    tdi_state_try(body, 1);
}

// ---- points ---------------------------------------------------------------------------------

// Nodes of a body whose coordinates they are.
static bool in_coords(const td_body *body, const tdi_points *points) {
    return body->coords.count > 0 && tdi_are_nodes(points);
}

static void read_nodes(const td_real *from, const tdi_points *points, td_vec3 *to) {
    for (int32_t k = 0; k < points->count; k++) {
        to[k] = tdi_coords_point(from, points->first + k);
    }
}

void tdi_state_read(td_body *body, tdi_points points, tdi_reading what, td_vec3 *x) {
    const tdi_coords *c = &body->coords;
    const td_real *const from[] = {c->x, c->history, c->v, c->increment, c->response};
    if (what == TDI_RESPONSE && !body->coupling.answered) {
        memset(x, 0, (size_t)points.count * sizeof *x);
    } else if (in_coords(body, &points)) {
        read_nodes(from[what], &points, x);
    } else {
        body->ops->read(body, points, what, x);
    }
}

void tdi_state_apply_forces(td_body *body, tdi_points points, const td_vec3 *forces) {
    const tdi_coords *c = &body->coords;
    if (!body->coupling.pushed && c->count > 0) {
        memset(c->response, 0, (size_t)c->count * sizeof *c->response);
    }
    if (in_coords(body, &points)) {
        for (int32_t k = 0; k < points.count; k++) {
            const int32_t node = points.first + k;
            const td_vec3 sum = tdi_add(tdi_coords_point(c->response, node), forces[k]);
            tdi_coords_set_point(c->response, node, sum);
        }
    } else {
        body->ops->apply_forces(body, points, forces);
    }
    body->coupling.pushed = true;
}

void tdi_state_confine(td_body *body, tdi_points points) {
    if (body->ops->confine) {
        body->ops->confine(body, points);
    }
}

void tdi_state_respond(td_body *body) {
    if (body->coupling.pushed) {
        body->ops->respond(body);
    }
    body->coupling.answered = body->coupling.pushed;
    body->coupling.pushed = false;
}

void tdi_state_add_response(td_body *body) {
    const tdi_coords *c = &body->coords;
    for (int32_t k = 0; body->coupling.answered && k < c->count; k++) {
        c->increment[k] += c->response[k];
    }
    if (body->coupling.answered && body->ops->add_response) {
        body->ops->add_response(body);
    }
}

// ---- saving ---------------------------------------------------------------------------------

enum { HEAD = 11 };

static int32_t list(td_body *s, tdi_saving what, tdi_span all[HEAD + TDI_SPANS]) {
    const tdi_coords *c = &s->coords;
    const size_t each = (size_t)c->count * sizeof *c->x;
    const tdi_span head[HEAD] = {{&s->time, sizeof s->time},
                                 {&s->dt, sizeof s->dt},
                                 {&s->base, sizeof s->base},
                                 {&s->air, sizeof s->air},
                                 {&s->known, sizeof s->known},
                                 {&s->halved, sizeof s->halved},
                                 {&s->moved, sizeof s->moved},
                                 {c->x, each},
                                 {c->v, each},
                                 {c->x_before, each},
                                 {c->v_before, each}};
    memcpy(all, head, sizeof head);
    return HEAD + (s->ops->saved ? s->ops->saved(s, what, all + HEAD) : 0);
}

size_t tdi_state_save_size(const td_body *body) {
    tdi_span all[HEAD + TDI_SPANS];
    size_t size = 0;
    td_body *unchanged = (td_body *)body; // a list alone
    for (int32_t k = 0, count = list(unchanged, TDI_SAVE_LIST, all); k < count; k++) {
        size += all[k].size;
    }
    return size;
}

void tdi_state_save(td_body *body, void *bytes) {
    tdi_span all[HEAD + TDI_SPANS];
    char *to = bytes;
    for (int32_t k = 0, count = list(body, TDI_SAVE_BLANK, all); k < count; k++) {
        if (all[k].size > 0) {
            memcpy(to, all[k].data, all[k].size);
        }
        to += all[k].size;
    }
}

void tdi_state_restore(td_body *body, const void *bytes) {
    tdi_span all[HEAD + TDI_SPANS];
    const char *from = bytes;
    for (int32_t k = 0, count = list(body, TDI_SAVE_LIST, all); k < count; k++) {
        if (all[k].size > 0) {
            memcpy(all[k].data, from, all[k].size);
        }
        from += all[k].size;
    }
    body->known = body->known < 0 ? 0 : body->known > MOST_KNOWN ? MOST_KNOWN : body->known;
    list(body, TDI_SAVE_READ, all);
}

// ---- moving all of it -----------------------------------------------------------------------

static void carry_points(td_real *x, int32_t count, const tdi_rigid *g, bool places) {
    for (int32_t p = 0; p < count / 3; p++) {
        const td_vec3 at = tdi_coords_point(x, p);
        tdi_coords_set_point(x, p, places ? tdi_rigid_point(g, at) : tdi_rigid_vector(g, at));
    }
}

void tdi_state_transform(td_body *body, const tdi_rigid *g) {
    const tdi_coords *c = &body->coords;
    body->base = (td_base_motion){.position = tdi_rigid_point(g, body->base.position),
                                  .rotation = tdi_rigid_turn(g, body->base.rotation),
                                  .velocity = tdi_rigid_vector(g, body->base.velocity),
                                  .spin = tdi_rigid_vector(g, body->base.spin),
                                  .acceleration = tdi_rigid_vector(g, body->base.acceleration),
                                  .spin_rate = tdi_rigid_vector(g, body->base.spin_rate)};
    body->air.wind = tdi_rigid_vector(g, body->air.wind);
    carry_points(c->x, c->count, g, true);
    carry_points(c->x_before, c->count, g, true);
    carry_points(c->v, c->count, g, false);
    carry_points(c->v_before, c->count, g, false);
    if (body->ops->transform) {
        body->ops->transform(body, g);
    }
}
