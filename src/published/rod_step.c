// SPDX-License-Identifier: MIT
// Discrete elastic rods by explicit steps, as published (Bergou, Wardetzky, Robinson, Audoly,
// Grinspun 2008).
//
//   forces      of bending and twist, weight, loads and air, at the places of the step's beginning
//   v += h F/m, x += h v
//               symplectic Euler with lumped masses
//   lengths     Newton's method on |f|^2 = l^2 in the metric of the masses: fast projection
//   frames      carried along in time, then turned until the elastic energy is least
// Lengths and turns both need systems with three diagonals, and one corner more in a ring, so that
// a step is linear in the number of vertices. See docs/theory/rod.md.
//
// Nothing of the state is written before the step is known to succeed.

#include "published/rod.h"

#include "rod/build.h"
#include "rod/pose.h"
#include "rod/solve.h"
#include "rod/state.h"
#include "rod/terms.h"

#include <float.h>
#include <math.h>
#include <string.h>

#define PROJECTIONS 30
#define PRECISE     1e-9  // of the lengths
#define ROUNDING    1e-12 // of a pivot
#define SMALL       0.05  // rad: series of arcsin

// ---- rows -----------------------------------------------------------------------------------

// A pivot that vanishes belongs to an unknown that nothing fixes: it stays 0.
static inline td_real over_pivot(td_real pivot, td_real whole, bool *positive) {
    if (pivot > ROUNDING * whole) {
        return 1 / pivot;
    }
    *positive = *positive && pivot >= -ROUNDING * fabs(whole);
    return 0;
}

// In a ring all but the first row are eliminated in turn, and that comes last:
//   z0 = (b0 - sum w b/d)/(d0 - sum w^2/d)
bool tdi_rod_solve_rows(tdi_rod_row *r, const tdi_rod_part *part) {
    const int32_t first = part->first, last = part->last, from = first + part->ring;
    td_real close_d = r[first].d, close_b = r[first].b, z0 = 0, z = 0;
    bool positive = true;
    for (int32_t i = from; i < last; i++) {
        tdi_rod_row *a = &r[i];
        td_real whole = a->d;
        a->w = part->ring && i == from ? a->e : 0;
        a->w += part->ring && i == last - 1 ? r[first].e : 0;
        if (i > from) {
            td_real u = a->e * r[i - 1].over;
            a->d -= u * a->e;
            a->b -= u * r[i - 1].b;
            a->w -= u * r[i - 1].w;
        }
        a->over = over_pivot(a->d, whole, &positive);
        close_d -= a->w * a->w * a->over;
        close_b -= a->w * a->b * a->over;
    }
    if (part->ring) {
        z0 = r[first].b = close_b * over_pivot(close_d, r[first].d, &positive);
    }
    for (int32_t i = last - 1; i >= from; i--) {
        td_real next = i + 1 < last ? r[i + 1].e * z : 0;
        z = r[i].b = (r[i].b - r[i].w * z0 - next) * r[i].over;
    }
    return positive;
}

// ---- what is known --------------------------------------------------------------------------

// Chains of nodes one after the other, with mass where they are free.
static td_status check_chains(const tdi_rod_model *m, td_diag *diag) {
    const uint32_t unknown = TDI_OFFSET | TDI_BODY | TDI_REST_FRAME;
    for (int32_t k = 0; k < m->part_count; k++) {
        for (int32_t i = m->part[k].first; i < m->part[k].last; i++) {
            const tdi_rod_node *n = &m->node[i];
            if ((i > m->part[k].first && n->parent != i - 1) || n->flags & unknown) {
                return tdi_fail_at(
                    diag, TD_ERR_STRUCTURE, n->edge,
                    "the integrator euler cannot step rods with branches or bodies; use the "
                    "integrator implicit");
            }
            if (!(n->flags & TDI_HELD_PLACE) && !(n->weight > 0)) {
                return tdi_fail_at(diag, TD_ERR_STRUCTURE, n->edge,
                                   "euler steps need mass at every vertex; use the integrator "
                                   "implicit");
            }
        }
    }
    return TD_OK;
}

// ---- forces ---------------------------------------------------------------------------------

// Velocities that loads and air see are those at the step's beginning: x - h v lies a step back.
// Their slopes go to the increments.
static void add_loads(tdi_rod_state *s, const td_step_opts *o) {
    const tdi_rod_model *m = s->model;
    const bool air = o->air.linear > 0 || o->air.quadratic > 0;
    const tdi_rod_potential p = {.over_h = 1 / o->dt,
                                 .loads = o->loads,
                                 .load_count = o->load_count,
                                 .air = o->air,
                                 .winds = o->winds,
                                 .only_gradient = true};
    for (int32_t i = 0; i < m->node_count; i++) {
        s->rule[i].history = tdi_madd(s->pose[i].x, s->history.past[i].v, -o->dt);
        s->rule[i].turn_history = -o->dt * s->history.past[i].spin;
    }
    for (int32_t k = 0; k < m->edge_count; k++) {
        s->area_axes[k] = tdi_edge_axes(&s->pose[m->edge_node[k]].edge);
    }
    tdi_rod_clear_gradient(s);
    tdi_rod_load_terms(s, &p);
    for (int32_t i = 0; air && i < m->node_count; i++) {
        tdi_rod_node_terms(s, &p, i); // without stiffness: the drag alone
    }
    for (int32_t i = 0; i < m->node_count; i++) {
        memcpy(s->step[i].x, s->work[i].r, sizeof s->step[i].x);
    }
}

static void begin_rows(tdi_rod_state *s, const td_step_opts *o) {
    const bool loaded = o->load_count > 0 || o->air.linear > 0 || o->air.quadratic > 0;
    tdi_rod_row *r = tdi_rod_rows(s);
    if (loaded) {
        add_loads(s, o);
    }
    for (int32_t i = 0; i < s->model->node_count; i++) {
        const tdi_rod_node *n = &s->model->node[i];
        const td_real *slope = s->step[i].x;
        r[i] = (tdi_rod_row){.light = n->flags & TDI_HELD_PLACE ? 0 : 1 / n->weight,
                             .f = tdi_scale(o->gravity, n->weight)};
        if (loaded) {
            r[i].f = tdi_sub(r[i].f, tdi_vec3(slope[0], slope[1], slope[2]));
            r[i].load = slope[3];
        }
    }
}

// With the half-way directors n1, n2 of joint.h, moments p and N = (p1 n1 + p2 n2) of both edges:
//   dE/de = (tf x N/chi - p.k t~ + pm kb/2)/a,  dE/df = (-te x N/chi - p.k t~ + pm kb/2)/b
// Damping adds T (s - s_before)/h to a strain s.
static void add_joint(const tdi_rod_state *s, int32_t i, td_real stiffness, td_real damping) {
    const tdi_rod_node *n = &s->model->node[i];
    const tdi_rod_pose *pose = &s->pose[i];
    const tdi_joint_law *law = &n->law;
    const tdi_edge *e = &s->pose[n->parent].edge, *f = &pose->edge;
    const td_real *before = s->rule[i].strain_history, damp = damping * n->damping_time;
    const tdi_rotation h = tdi_rotate_by(0.5 * pose->twist);
    tdi_rod_row *r = tdi_rod_rows(s);
    td_real k1 = stiffness * (pose->k1 - law->rest[0]), k2 = stiffness * (pose->k2 - law->rest[1]);
    td_real m = stiffness * (pose->twist - law->rest[2]);
    if (damp > 0) {
        k1 += damp * (pose->k1 - before[0]);
        k2 += damp * (pose->k2 - before[1]);
        m += damp * (pose->twist - before[2]);
    }
    const td_real p1 = law->bend[0] * k1 + law->bend[1] * k2,
                  p2 = law->bend[1] * k1 + law->bend[2] * k2, pm = 0.5 * law->twist * m;
    const td_real c1 = p1 * h.c, s1 = p1 * h.s, c2 = p2 * h.c, s2 = p2 * h.s;
    td_vec3 across = tdi_madd(tdi_scale(e->m2, c1 - s2), e->m1, -(s1 + c2));
    across = tdi_madd(tdi_madd(across, f->m2, c1 + s2), f->m1, s1 - c2);
    td_vec3 both = tdi_scale(tdi_add(e->t, f->t), p1 * pose->k1 + p2 * pose->k2);
    td_vec3 rest = tdi_madd(tdi_scale(pose->kb, pm * pose->chi), both, -1);
    td_vec3 ge = tdi_scale(tdi_add(rest, tdi_cross(f->t, across)), 1 / (pose->chi * e->length));
    td_vec3 gf = tdi_scale(tdi_sub(rest, tdi_cross(e->t, across)), 1 / (pose->chi * f->length));
    r[i].half = h;
    r[i].f = tdi_sub(r[i].f, gf);
    r[n->parent].f = tdi_add(r[n->parent].f, tdi_sub(gf, ge));
    r[n->grand].f = tdi_add(r[n->grand].f, ge);
}

// v + h F/m, x + h v. Damping needs a step before.
static void push_vertices(tdi_rod_state *s, const td_step_opts *o, bool goes_on) {
    const tdi_rod_model *m = s->model;
    tdi_rod_row *r = tdi_rod_rows(s);
    for (int32_t i = 0; i < m->node_count; i++) {
        if (tdi_has_joint(&m->node[i])) {
            add_joint(s, i, o->stiffness, goes_on ? o->damping / s->head.dt : 0);
        }
    }
    for (int32_t i = 0; i < m->node_count; i++) {
        td_vec3 v = tdi_madd(s->history.past[i].v, r[i].f, o->dt * r[i].light);
        r[i].x = m->node[i].flags & TDI_HELD_PLACE ? s->target.place[i]
                                                   : tdi_madd(s->pose[i].x, v, o->dt);
    }
}

// ---- lengths --------------------------------------------------------------------------------

static inline bool keeps_length(const tdi_rod_node *n) {
    return tdi_has_edge(n) && n->edge != TD_NONE;
}

static inline td_vec3 edge_of(const tdi_rod_model *m, const tdi_rod_row *r, int32_t i) {
    return keeps_length(&m->node[i]) ? tdi_sub(r[i].x, r[m->node[i].parent].x) : tdi_vec3(0, 0, 0);
}

// C = (|f|^2 - l^2)/2 changes by f.(dx_i - dx_p), and pulls z move vertices by dx = -C'^T z/m:
//   (1/m_i + 1/m_p) |f|^2 z - f.f_p/m_p z_p - f.f_n/m_i z_n = C    with the edges before and after
// Gives the largest error of a squared length.
static td_real measure_lengths(const tdi_rod_model *m, tdi_rod_row *r, const tdi_rod_part *part) {
    td_vec3 before = part->ring ? edge_of(m, r, part->last - 1) : tdi_vec3(0, 0, 0);
    td_real worst = 0;
    for (int32_t i = part->first; i < part->last; i++) {
        const tdi_rod_node *n = &m->node[i];
        tdi_rod_row *a = &r[i];
        a->f = edge_of(m, r, i);
        a->d = 1;
        a->e = a->b = 0;
        if (keeps_length(n)) {
            td_real up = r[n->parent].light, light = up + a->light;
            td_real square = tdi_dot(a->f, a->f), rest = n->length * n->length;
            td_real error = fabs(square / rest - 1);
            worst = error <= worst ? worst : error; // keeps what is not a number
            if (light > 0) {
                a->d = light * square;
                a->e = -up * tdi_dot(a->f, before);
                a->b = 0.5 * (square - rest);
            }
        }
        before = a->f;
    }
    return worst;
}

static void pull_vertices(tdi_rod_row *r, const tdi_rod_part *part) {
    td_vec3 after = tdi_vec3(0, 0, 0);
    if (part->ring) {
        after = tdi_scale(r[part->first].f, r[part->first].b);
    }
    for (int32_t i = part->last - 1; i >= part->first; i--) {
        td_vec3 own = tdi_scale(r[i].f, r[i].b);
        r[i].x = tdi_madd(r[i].x, tdi_sub(after, own), r[i].light);
        after = own;
    }
}

static bool keep_lengths(const tdi_rod_state *s, const tdi_rod_part *part, td_step_stats *stats) {
    tdi_rod_row *r = tdi_rod_rows(s);
    for (int32_t k = 0; k <= PROJECTIONS; k++) {
        td_real worst = measure_lengths(s->model, r, part);
        if (worst <= 2 * PRECISE && k > 0) { // once always: small errors must not gather
            return true;
        }
        if (!isfinite(worst)) {
            return false;
        }
        tdi_rod_solve_rows(r, part);
        pull_vertices(r, part);
        stats->iterations++;
    }
    return false;
}

// ---- frames ---------------------------------------------------------------------------------

// Directions of the edges. False where one is folded on another or turned right round, or where a
// frame that is held has none: frames could not follow.
static bool point_edges(const tdi_rod_state *s) {
    const tdi_rod_model *m = s->model;
    tdi_rod_row *r = tdi_rod_rows(s);
    td_real least = DBL_MAX;
    for (int32_t i = 0; i < m->node_count; i++) {
        const tdi_rod_node *n = &m->node[i];
        if (tdi_has_edge(n)) {
            td_vec3 f = tdi_sub(r[i].x, r[n->parent].x);
            r[i].length = tdi_norm(f);
            r[i].f = tdi_scale(f, 1 / r[i].length);
            td_real chi = 1 + tdi_dot(r[i].f, s->pose[i].edge.t);
            least = chi >= least ? least : chi;
            if (n->flags & TDI_HELD_TURN) {
                td_real across = tdi_norm(tdi_cross(s->target.m1[i], r[i].f));
                least = across >= least && isfinite(across) ? least : across;
            }
        }
    }
    for (int32_t i = 0; i < m->node_count; i++) {
        if (tdi_has_joint(&m->node[i])) {
            td_real chi = 1 + tdi_dot(r[m->node[i].parent].f, r[i].f);
            least = chi >= least ? least : chi;
        }
    }
    return least > TDI_FOLDED && isfinite(least);
}

static inline void carry_edge(const tdi_rod_state *s, int32_t i) {
    const tdi_rod_row *r = &tdi_rod_rows(s)[i];
    tdi_edge *e = &s->pose[i].edge;
    td_vec3 m1;
    if (s->model->node[i].flags & TDI_HELD_TURN) {
        m1 = tdi_director(s->target.m1[i], r->f);
    } else { // rounding must not let frames lean or grow: one step of Newton's method for 1/|m1|
        m1 = tdi_transport(e->m1, e->t, r->f);
        m1 = tdi_madd(m1, r->f, -tdi_dot(m1, r->f));
        m1 = tdi_scale(m1, 1.5 - 0.5 * tdi_dot(m1, m1));
    }
    *e = (tdi_edge){r->f, m1, tdi_cross(r->f, m1), r->length};
}

// The angle between -pi and pi whose sine and cosine these are.
static inline td_real angle_of(td_real sine, td_real cosine) {
    if (!(fabs(sine) <= SMALL && cosine > 0)) {
        return atan2(sine, cosine);
    }
    const td_real x = sine * sine;
    td_real sum = 63. / 2816;
    sum = sum * x + 35. / 1152;
    sum = sum * x + 5. / 112;
    sum = sum * x + 3. / 40;
    sum = sum * x + 1. / 6;
    return sine + sine * x * sum;
}

// Strains as of tdi_joint_measure(); the twist from how far it has turned since the step began.
static inline void carry_joint(const tdi_rod_state *s, int32_t i) {
    tdi_rod_pose *pose = &s->pose[i];
    const tdi_edge *e = &s->pose[s->model->node[i].parent].edge, *f = &pose->edge;
    const tdi_rotation then = tdi_rod_rows(s)[i].half;
    const td_real c = then.c * then.c - then.s * then.s, sn = 2 * then.c * then.s;
    pose->chi = 1 + tdi_dot(e->t, f->t);
    pose->kb = tdi_scale(tdi_cross(e->t, f->t), 2 / pose->chi);
    td_vec3 carried = tdi_transport(e->m1, e->t, f->t);
    td_real cosine = tdi_dot(carried, f->m1), sine = -tdi_dot(carried, f->m2);
    pose->twist += angle_of(sine * c - cosine * sn, cosine * c + sine * sn);
    const tdi_rotation h = tdi_rotate_by(0.5 * pose->twist);
    td_real x = tdi_dot(pose->kb, e->m1), y = tdi_dot(pose->kb, e->m2);
    pose->k1 = y * h.c - x * h.s;
    pose->k2 = -(x * h.c + y * h.s);
}

static void carry_frames(const tdi_rod_state *s) {
    const tdi_rod_model *m = s->model;
    for (int32_t i = 0; i < m->node_count; i++) {
        s->pose[i].x = tdi_rod_rows(s)[i].x;
        if (tdi_has_edge(&m->node[i])) {
            carry_edge(s, i);
        }
    }
    for (int32_t i = 0; i < m->node_count; i++) {
        if (tdi_has_joint(&m->node[i])) {
            carry_joint(s, i);
        }
    }
}

// ---- the step -------------------------------------------------------------------------------

static void write_past(tdi_rod_state *s, td_real dt) {
    const tdi_rod_row *r = tdi_rod_rows(s);
    for (int32_t i = 0; i < s->model->node_count; i++) {
        tdi_rod_past *past = &s->history.past[i];
        const tdi_rod_pose *pose = &s->pose[i];
        past->v = tdi_scale(tdi_sub(pose->x, past->x), 1 / dt);
        past->x = pose->x;
        past->turn = r[i].turn;
        past->spin = r[i].turn / dt;
        memcpy(s->rule[i].strain_history, past->strain, sizeof past->strain);
        tdi_rod_strains(pose, past->strain);
    }
    s->head.known = 1;
    s->head.dt = dt;
    s->head.time += dt;
}

// No step of this kind came before: frames are not at ease yet, and nothing is known of rates.
static void begin_anew(tdi_rod_state *s, td_real stiffness, td_step_stats *stats) {
    const tdi_rod_model *m = s->model;
    s->head.known = 0;
    memcpy(s->pose_start, s->pose, (size_t)m->node_count * sizeof *s->pose);
    tdi_rod_ease_frames(s, stiffness, stats);
    for (int32_t i = 0; i < m->node_count; i++) {
        const tdi_rod_pose *pose = &s->pose[i];
        tdi_rod_rows(s)[i].turn = 0;
        s->history.past[i].x = pose->x;
        tdi_rod_strains(pose, s->history.past[i].strain);
    }
}

static td_status step(tdi_rod_state *s, const td_step_opts *o, td_step_stats *stats,
                      td_diag *diag) {
    const tdi_rod_model *m = s->model;
    const bool goes_on = s->head.known == 1 && s->head.dt > 0;
    bool kept = true;
    TDI_TRY(check_chains(m, diag));
    tdi_rod_follow(s);
    begin_rows(s, o);
    if (!goes_on) {
        begin_anew(s, o->stiffness, stats);
    }
    push_vertices(s, o, goes_on);
    for (int32_t k = 0; k < m->part_count && kept; k++) {
        kept = keep_lengths(s, &m->part[k], stats);
    }
    if (!kept || !point_edges(s)) {
        if (!goes_on) {
            memcpy(s->pose, s->pose_start, (size_t)m->node_count * sizeof *s->pose);
        }
        return tdi_fail(
            diag, TD_ERR_DIVERGED,
            kept ? "the explicit step at %g s folded an edge back; try a shorter step"
                 : "the explicit step at %g s cannot keep the lengths of the edges: dt is too "
                   "large, or the ends are too far apart",
            s->head.time);
    }
    carry_frames(s);
    tdi_rod_ease_frames(s, o->stiffness, stats);
    write_past(s, o->dt);
    stats->steps++;
    return TD_OK;
}

// Moves driven nodes with the base. When the step fails, they return, and the history that the step
// overwrote is restored.
td_status tdi_rod_explicit_step(void *state, const td_step_opts *o, td_step_stats *stats,
                                td_diag *diag) {
    tdi_rod_state *s = state;
    const size_t n = (size_t)s->model->node_count;
    const int32_t known = s->head.known;
    const td_base_motion base = s->head.base;
    if (known > 1) { // implicit steps left it
        memcpy(s->rule_kept, s->rule, n * sizeof *s->rule);
    }
    s->head.base = tdi_base_after(&base, o->dt);
    tdi_rod_place_base(s);
    td_status status = step(s, o, stats, diag);
    if (status != TD_OK) {
        s->head.base = base;
        tdi_rod_place_base(s);
        s->head.known = known;
        for (size_t i = 0; i < n; i++) {
            tdi_rod_strains(&s->pose[i], s->history.past[i].strain);
        }
        memcpy(s->rule, s->rule_kept, known > 1 ? n * sizeof *s->rule : 0);
    }
    return status;
}
