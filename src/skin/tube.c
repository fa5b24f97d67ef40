// SPDX-License-Identifier: MIT
// Triangles around stems.
//
// Frame    e1, e2, t of a ring: orthonormal, t along the tube, carried on by parallel transport,
//          so that the tube never twists. Neighbouring rings share their vertices.
// Normal   of a surface of revolution with radius r(l): (radial - r' t)/sqrt(1 + r'^2).
// Flat     what is not round is f times as wide along e2: places across are (x, f y), normals
//          (x, y/f), made units again.
// Ends     a tube stands on the ground with a flat disc, begins open inside a thicker parent, and
//          anywhere else ends in the piece of a sphere that touches it along its last ring.

#include "skin/tube.h"

#include "math/quat.h"
#include "skin/contour.h"
#include "skin/path.h"

#define MIN_SIDES     5
#define MAX_SIDES     16
#define LEAST_SIDES   3                    // of a tube that is hardly seen
#define SIDES_LIMIT   64                   // of td_mesh_opts
#define SOFT_SIDES    9                    // from here on the joints of a tube bend over a zone
#define TWIG          8                    // tolerances: shorter tubes are not seen
#define LEAST_TEXTURE 0.25                 // of the largest radius: thinner, a texture is stretched
#define RING_TURN     (100 * TDI_PI / 180) // rad: turn between rings, times the sides
#define POINTED       1e-9                 // of the largest radius: what counts as none

typedef struct sweep {
    tdi_skin *skin;
    int32_t sides;
    td_real flat;                                   // width along e2 over that along e1
    td_real cosine[SIDES_LIMIT], sine[SIDES_LIMIT]; // of the angle of each vertex of a ring
    td_vec3 e1, e2, t;                              // of the ring at hand
    td_real v;                                      // likewise, of the texture
    td_real least_radius;                           // by which textures are stretched at a tip
    tdi_bind bind;                                  // likewise
    int32_t cap_steps;                              // rings of an end, and one for its apex
    uint32_t last_ring;                             // first vertex of the ring added last
} sweep;

// ---- kernels --------------------------------------------------------------------------------

// e1 moves from across t to across `tangent` without turning about it
static void transport(sweep *tube, td_vec3 tangent) {
    // v' = v - (v.t')/(1 + t.t') (t + t'), for v across t
    td_real share = tdi_dot(tube->e1, tangent) / (1 + tdi_dot(tube->t, tangent));
    td_vec3 moved = tdi_madd(tube->e1, tdi_add(tube->t, tangent), -share);
    moved = tdi_madd(moved, tangent, -tdi_dot(moved, tangent));
    tube->e1 = tdi_unit_or(moved, tdi_across(tangent));
    tube->e2 = tdi_cross(tangent, tube->e1);
    tube->t = tangent;
}

// `side` of the ring: where around the tube, for the texture
static uint32_t add_vertex(sweep *tube, td_vec3 position, td_vec3 normal, td_real side,
                           td_vec3 tangent, tdi_rgb color) {
    tdi_vertex vertex = {position, normal, tangent, side / tube->sides, tube->v, color, tube->bind};
    return tdi_skin_vertex(tube->skin, TDI_PART_STEM, &vertex);
}

// direction from the axis to vertex k
static td_vec3 radial(const sweep *tube, int32_t k) {
    return tdi_madd(tdi_scale(tube->e1, tube->cosine[k]), tube->e2, tube->sine[k]);
}

// a vector as it is where the tube is not round, its part along e2 being times `by`
static td_vec3 flattened(const sweep *tube, td_vec3 v, td_real by) {
    return tdi_madd(v, tube->e2, (by - 1) * tdi_dot(v, tube->e2));
}

// A ring of vertices whose normals are (across radial + along t), a unit vector. The last stands
// where the first does: there the texture begins again.
static void add_ring(sweep *tube, td_vec3 centre, td_real radius, td_real across, td_real along,
                     tdi_rgb color) {
    for (int32_t k = 0; k <= tube->sides; k++) {
        td_vec3 out = radial(tube, k % tube->sides), tangent = tdi_cross(tube->t, out);
        td_vec3 normal = tdi_madd(tdi_scale(out, across), tube->t, along);
        if (tube->flat != 1) {
            out = flattened(tube, out, tube->flat);
            tangent = flattened(tube, tangent, tube->flat);
            normal = tdi_unit_or(flattened(tube, normal, 1 / tube->flat), normal);
        }
        uint32_t at = add_vertex(tube, tdi_madd(centre, out, radius), normal, k, tangent, color);
        tube->last_ring = k == 0 ? at : tube->last_ring;
    }
}

// triangles between two rings, the second further along t
static void join_rings(sweep *tube, uint32_t low, uint32_t high) {
    uint32_t sides = (uint32_t)tube->sides;
    for (uint32_t k = 0; k < sides; k++) {
        uint32_t n = k + 1;
        tdi_skin_triangle(tube->skin, TDI_PART_STEM, low + k, low + n, high + n);
        tdi_skin_triangle(tube->skin, TDI_PART_STEM, low + k, high + n, high + k);
    }
}

// triangles between a ring and an apex that has a vertex for each side
static void join_apex(sweep *tube, uint32_t ring, uint32_t apex, bool forward) {
    for (uint32_t k = 0; k < (uint32_t)tube->sides; k++) {
        uint32_t a = ring + k, b = a + 1;
        tdi_skin_triangle(tube->skin, TDI_PART_STEM, forward ? a : b, forward ? b : a, apex + k);
    }
}

// Texture coordinates move along by `run`. A texture goes once around, so that it is as long as the
// tube is around: dv = -dl/(2 pi r). It stands upright, so v falls.
static void move_texture(sweep *tube, td_real run, td_real radius) {
    tube->v -= run / (2 * TDI_PI * fmax(radius, tube->least_radius));
}

// ---- ends -----------------------------------------------------------------------------------

// A piece of a sphere on the ring that was added last, towards `sign` t. It touches the tube:
// with alpha the angle by which the normals lean outwards, the sphere has the radius r/cos(alpha)
// and its piece begins at the elevation alpha.
static void add_round_end(sweep *tube, const tdi_ring *ring, td_real sign) {
    td_real lean = atan(-sign * ring->slope);
    td_real alpha = lean > 0 ? lean : 0; // a widening end would need more than half a sphere
    td_real size = ring->radius / cos(alpha), step = (TDI_PI / 2 - alpha) / tube->cap_steps;
    td_real v = tube->v;
    for (int32_t i = 1; i < tube->cap_steps; i++) {
        td_real angle = alpha + step * i;
        td_real height = sign * size * (sin(angle) - sin(alpha));
        uint32_t before = tube->last_ring;
        move_texture(tube, sign * size * step, ring->radius);
        add_ring(tube, tdi_madd(ring->centre, tube->t, height), size * cos(angle), cos(angle),
                 sign * sin(angle), ring->color);
        join_rings(tube, sign > 0 ? before : tube->last_ring, sign > 0 ? tube->last_ring : before);
    }
    td_vec3 top = tdi_madd(ring->centre, tube->t, sign * size * (1 - sin(alpha)));
    uint32_t apex = 0;
    move_texture(tube, sign * size * step, ring->radius);
    for (int32_t k = 0; k < tube->sides; k++) {
        td_vec3 tangent = tdi_cross(tube->t, radial(tube, k));
        uint32_t at =
            add_vertex(tube, top, tdi_scale(tube->t, sign), k + 0.5, tangent, ring->color);
        apex = k == 0 ? at : apex;
    }
    join_apex(tube, tube->last_ring, apex, sign > 0);
    tube->v = v;
}

// the disc on which a stem stands: a fan, with a ring of its own because of its normals
static void add_flat_end(sweep *tube, const tdi_ring *ring) {
    add_ring(tube, ring->centre, ring->radius, 0, -1, ring->color);
    for (uint32_t k = 1; k + 1 < (uint32_t)tube->sides; k++) {
        tdi_skin_triangle(tube->skin, TDI_PART_STEM, tube->last_ring, tube->last_ring + k + 1,
                          tube->last_ring + k);
    }
}

typedef enum base_kind { BASE_FLAT, BASE_OPEN, BASE_ROUND } base_kind;

// a tube begins open only where its whole first ring is inside the parent, whichever way it leans
static base_kind base_of(const tdi_posed *posed, int32_t start) {
    const td_segment *segment = &posed->segments[start];
    if (segment->parent == TD_NONE) {
        return BASE_FLAT;
    }
    const td_segment *parent = &posed->segments[segment->parent];
    if (parent->shape != TD_NONE) {
        return BASE_ROUND;
    }
    td_vec3 from = posed->origins[segment->parent];
    td_vec3 along = tdi_sub(tdi_posed_tip(posed, segment->parent), from);
    td_real run = tdi_norm(along);
    along = tdi_unit_or(along, tdi_vec3(0, 1, 0));
    td_vec3 place = tdi_sub(posed->origins[start], from);
    td_real at = tdi_dot(place, along);
    td_real off = tdi_norm(tdi_madd(place, along, -at));
    td_real ring = segment->radius_base;
    // half of the radius is left, because the parent cuts its corners
    td_real inside = fmin(parent->radius_base, parent->radius_tip) / 2;
    return at >= ring && at <= run - ring && off + ring <= inside ? BASE_OPEN : BASE_ROUND;
}

// ---- a tube ---------------------------------------------------------------------------------

// room for what add_tube() adds; edges need fewer triangles
static td_status reserve(sweep *tube, const tdi_path *path, base_kind base, bool pointed) {
    int64_t sides = tube->sides, ring = sides + 1, cap_rings = tube->cap_steps - 1;
    int64_t caps = (base == BASE_ROUND ? 1 : 0) + (pointed ? 0 : 1);
    int64_t vertices = ring * path->ring_count + caps * (ring * cap_rings + sides);
    int64_t triangles = 2 * sides * (path->ring_count - 1) + caps * sides * (2 * cap_rings + 1);
    if (base == BASE_FLAT) {
        vertices += ring;
        triangles += sides - 2;
    }
    triangles -= pointed ? sides : 0;
    return tdi_skin_reserve(tube->skin, TDI_PART_STEM, vertices, 3 * triangles);
}

static void add_tube(sweep *tube, const tdi_path *path, td_vec3 side, base_kind base,
                     bool pointed) {
    const tdi_ring *rings = path->rings;
    tube->t = rings[0].tangent;
    td_vec3 across = tdi_madd(side, tube->t, -tdi_dot(side, tube->t));
    tube->e1 = tdi_unit_or(across, tdi_across(tube->t));
    tube->e2 = tdi_cross(tube->t, tube->e1);
    tube->bind = rings[0].bind;
    if (base == BASE_FLAT) {
        add_flat_end(tube, &rings[0]);
    }
    for (int64_t i = 0; i < path->ring_count; i++) {
        const tdi_ring *ring = &rings[i];
        transport(tube, ring->tangent);
        if (i > 0) {
            td_real run = tdi_norm(tdi_sub(ring->centre, rings[i - 1].centre));
            move_texture(tube, run, (ring->radius + rings[i - 1].radius) / 2);
        }
        tube->bind = ring->bind;
        uint32_t before = tube->last_ring;
        td_real scale = 1 / sqrt(1 + ring->slope * ring->slope);
        bool last = i + 1 == path->ring_count, point = last && pointed;
        add_ring(tube, ring->centre, point ? 0 : ring->radius, scale, -ring->slope * scale,
                 ring->color);
        if (i == 0 && base == BASE_ROUND) {
            uint32_t first = tube->last_ring;
            add_round_end(tube, ring, -1);
            tube->last_ring = first;
        } else if (point) {
            join_apex(tube, before, tube->last_ring, true);
        } else if (i > 0 && !ring->edge) {
            join_rings(tube, before, tube->last_ring);
        }
        if (last && !point) {
            add_round_end(tube, ring, 1);
        }
    }
}

// ---- entry ----------------------------------------------------------------------------------

static td_real largest_radius(const tdi_posed *posed, const tdi_axes *axes, int32_t start) {
    td_real largest = 0;
    for (int32_t i = start; i != TD_NONE; i = axes->next[i]) {
        largest =
            fmax(largest, fmax(posed->segments[i].radius_base, posed->segments[i].radius_tip));
    }
    return largest;
}

// more sides for what is thicker, in steps of the root, so that twigs still look round
static int32_t sides_of(td_real radius, td_real thickest) {
    return MIN_SIDES + (int32_t)((MAX_SIDES - MIN_SIDES) * sqrt(radius / thickest) + 0.5);
}

// so few that the sides lie within the tolerance of the circle: r (1 - cos(pi/n)) <= tolerance
static int32_t fewer_sides(int32_t sides, td_real radius, td_real tolerance) {
    td_real within = 1 - tolerance / radius;
    int32_t enough = within > 0.5 ? (int32_t)ceil(TDI_PI / acos(within)) : LEAST_SIDES;
    return enough < sides ? enough : sides;
}

// ends that are smaller than the tolerance are pointed
static int32_t cap_steps(int32_t sides, td_real radius, td_real tolerance) {
    return radius < 2 * tolerance ? 1 : sides < 8 ? 2 : sides / 4;
}

static sweep sweep_of(tdi_skin *skin, const td_segment *first, int32_t sides, td_real radius) {
    sweep tube = {.skin = skin,
                  .sides = sides,
                  .flat = first->flat,
                  .least_radius = radius * LEAST_TEXTURE,
                  .cap_steps = cap_steps(sides, radius, skin->tolerance)};
    for (int32_t k = 0; k < sides; k++) {
        td_real angle = 2 * TDI_PI * k / sides;
        tube.cosine[k] = cos(angle);
        tube.sine[k] = sin(angle);
    }
    return tube;
}

static td_status add_axis(tdi_skin *skin, tdi_path *path, const tdi_posed *posed,
                          const tdi_axes *axes, int32_t start, int32_t sides, td_real radius) {
    sweep tube = sweep_of(skin, &posed->segments[start], sides, radius);
    path->max_rings = (skin->max_vertices - skin->vertex_count) / sides;
    path->turn_limit = RING_TURN / sides;
    path->soft = skin->bound && sides >= SOFT_SIDES;
    path->tolerance = skin->tolerance;
    td_status status = tdi_path_build(path, posed, axes, start);
    if (status != TD_OK || path->ring_count == 0) {
        return status;
    }
    base_kind base = base_of(posed, start);
    bool pointed = path->rings[path->ring_count - 1].radius <= POINTED * radius;
    status = reserve(&tube, path, base, pointed);
    if (status == TD_OK) {
        td_vec3 side = tdi_quat_rotate(posed->rotations[start], tdi_vec3(1, 0, 0));
        add_tube(&tube, path, side, base, pointed);
    }
    return status;
}

// m: of all segments of a tube
static td_real tube_length(const tdi_posed *posed, const tdi_axes *axes, int32_t start) {
    td_real sum = 0;
    for (int32_t i = start; i != TD_NONE; i = axes->next[i]) {
        sum += posed->segments[i].length;
    }
    return sum;
}

// twigs that are too small to be seen are left out, but for the thickest stem
static bool is_seen(const tdi_skin *skin, const tdi_posed *posed, const tdi_axes *axes,
                    int32_t start, td_real radius, td_real thickest) {
    return radius == thickest || radius > skin->tolerance ||
           tube_length(posed, axes, start) > TWIG * skin->tolerance;
}

td_status tdi_tubes_add(tdi_skin *skin, const tdi_posed *posed, const tdi_axes *axes, int32_t sides,
                        int32_t *where) {
    td_real thickest = 0;
    for (int32_t i = 0; i < posed->count; i++) {
        if (axes->first[i]) {
            thickest = fmax(thickest, largest_radius(posed, axes, i));
        }
    }
    tdi_path path = {.alloc = skin->alloc};
    td_status status = TD_OK;
    for (int32_t i = 0; i < posed->count && status == TD_OK; i++) {
        td_real radius = axes->first[i] ? largest_radius(posed, axes, i) : 0;
        if (radius > 0 && is_seen(skin, posed, axes, i, radius, thickest)) {
            *where = i;
            int32_t most = sides > 0 ? sides : sides_of(radius, thickest);
            int32_t count = skin->tolerance > 0 ? fewer_sides(most, radius, skin->tolerance) : most;
            status = posed->segments[i].contour > 0
                         ? tdi_contour_add(skin, posed, axes, i)
                         : add_axis(skin, &path, posed, axes, i, count, radius);
        }
    }
    tdi_path_free(&path);
    return status;
}
