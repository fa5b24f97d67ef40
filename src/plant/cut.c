// SPDX-License-Identifier: MIT
// Cutting a skeleton in two, and who is whose heir.
//
// Method   All that hangs on the cut segment beyond the cut falls off. A segment that is cut
//          between its ends becomes two: the lower keeps its joint, the upper is the free root of
//          what falls. Mass, first and second moment of the two add up to those of the whole, so
//          that a rigid motion of both has the momentum of the one.
// Ids      stay; both halves of a segment have its id, each in its own skeleton.

#include "plant/cut.h"

#include "base/alloc.h"
#include "base/diag.h"
#include "math/quat.h"
#include "plant/mass.h"
#include "plant/sort.h"
#include "plant/store.h"

#include <math.h>
#include <string.h>

#define ALIKE 1e-6 // of moments: as near are those of the drawn cone

enum { STAYS, FALLS };

typedef struct cutter {
    const tdi_store *store;
    const td_alloc *alloc;
    int32_t segment;
    td_real place;
    bool *falls;   // a segment; the one that is cut between its ends does both
    int32_t *next; // a segment: its index in the part that is being made, or TD_NONE
    td_vec3 *origins;
    td_quat *turns; // of the initial pose
} cutter;

// ---- halves of a segment --------------------------------------------------------------------

static tdi_moments moments_of(const td_segment *s) {
    return (tdi_moments){s->mass, tdi_scale(s->centre_of_mass, s->mass), s->second_moment};
}

static tdi_moments minus(tdi_moments a, const tdi_moments *b) {
    tdi_moments_add(&a, b, -1);
    return a;
}

// About a joint that is y further up.
static tdi_moments from_above(tdi_moments m, td_real y) {
    m.second.yy += -2 * y * m.first.y + m.zeroth * y * y;
    m.second.xy -= y * m.first.x;
    m.second.yz -= y * m.first.z;
    m.first.y -= m.zeroth * y;
    return m;
}

static bool near(td_real a, td_real b, td_real scale) {
    return fabs(a - b) <= ALIKE * scale;
}

// The cone that a stem is drawn as, flattened, of the stem's mass; up to a part of its length.
static tdi_moments cone_of(const td_segment *s, td_real part) {
    const td_real tip = s->radius_base + (s->radius_tip - s->radius_base) * part;
    const tdi_moments whole = tdi_moments_cone(s->length, s->radius_base, s->radius_tip);
    tdi_moments m = tdi_moments_cone(s->length * part, s->radius_base, tip);
    m.second.zz *= s->flat * s->flat;
    tdi_moments sum = {.zeroth = 0};
    tdi_moments_add(&sum, &m, s->mass / whole.zeroth);
    return sum;
}

static bool is_cone(const td_segment *s) {
    const tdi_moments has = moments_of(s), cone = cone_of(s, 1);
    const td_real first = s->mass * s->length, second = first * s->length;
    return near(has.first.x, 0, first) && near(has.first.y, cone.first.y, first) &&
           near(has.first.z, 0, first) && near(has.second.xx, cone.second.xx, second) &&
           near(has.second.yy, cone.second.yy, second) &&
           near(has.second.zz, cone.second.zz, second) && near(has.second.xy, 0, second) &&
           near(has.second.xz, 0, second) && near(has.second.yz, 0, second);
}

static void set_length(td_segment *s, td_real part) {
    s->length *= part;
    s->rest_length *= part;
    s->tip = tdi_scale(s->tip, part);
    s->area = (s->radius_base + s->radius_tip) * s->length;
}

static td_segment lower_half(const td_segment *s, td_real place) {
    const tdi_moments m = cone_of(s, place);
    td_segment half = *s;
    half.radius_tip = s->radius_base + (s->radius_tip - s->radius_base) * place;
    half.bead = 0;
    set_length(&half, place);
    tdi_segment_set_mass(&half, &m);
    return half;
}

static td_segment upper_half(const td_segment *s, td_real place) {
    const tdi_moments lower = cone_of(s, place),
                      m = from_above(minus(moments_of(s), &lower), place * s->length);
    td_segment half = *s;
    half.radius_base = s->radius_base + (s->radius_tip - s->radius_base) * place;
    set_length(&half, 1 - place);
    tdi_segment_set_mass(&half, &m);
    return half;
}

// ---- what goes where ------------------------------------------------------------------------

static td_real cut_height(const cutter *c) {
    return c->place * c->store->segments[c->segment].length;
}

static bool goes(const cutter *c, int32_t i, int part) {
    return (i == c->segment && c->place > 0) || c->falls[i] == (part == FALLS);
}

static void divide(cutter *c) {
    for (int32_t i = 0; i < c->store->segment_count; i++) {
        const td_segment *s = &c->store->segments[i];
        c->falls[i] = i == c->segment || (s->parent != TD_NONE && c->falls[s->parent]);
        if (s->parent == c->segment && c->place > 0) {
            c->falls[i] = s->attach.y > cut_height(c);
        }
    }
}

static const td_strand *strand_of(const tdi_store *store, int32_t segment) {
    for (int32_t k = 0; k < store->strand_count; k++) {
        const td_strand *s = &store->strands[k];
        if (segment >= s->first && segment < s->first + s->count) {
            return s;
        }
    }
    return NULL;
}

static td_status check(const cutter *c, td_diag *diag) {
    const td_segment *s = &c->store->segments[c->segment];
    const td_strand *strand = strand_of(c->store, c->segment);
    const char *wrong = NULL;
    bool stays = c->place > 0;
    for (int32_t i = 0; i < c->store->segment_count && !stays; i++) {
        stays = !c->falls[i];
    }
    if (!stays) {
        wrong = "carries all others, so that nothing would stay; cut it above its joint";
    } else if (strand && strand->closed) {
        wrong = "is part of a ring, which stays in one piece when it is cut once";
    } else if (c->place > 0 && s->organ != TD_ORGAN_STEM) {
        wrong = "is no stem, and can be cut at its joint alone: at the place 0";
    } else if (c->place > 0 && (s->tip.x != 0 || s->tip.z != 0 || !is_cone(s))) {
        wrong = "has a mass or a tip that was given, and can be cut at its joint alone: at the "
                "place 0";
    }
    return wrong ? tdi_fail_at(diag, TD_ERR_ARGUMENT, c->segment, "segment %d %s", (int)c->segment,
                               wrong)
                 : TD_OK;
}

// ---- parts ----------------------------------------------------------------------------------

// Free, and drawn where it is.
static void set_root(const cutter *c, td_segment *s, int32_t old) {
    const td_vec3 up = {0, cut_height(c), 0};
    s->parent = TD_NONE;
    s->joint = TD_JOINT_FREE;
    s->attach = tdi_add(c->origins[old], tdi_quat_rotate(c->turns[old], up));
    s->rest = s->initial = c->turns[old];
    s->initial_slide = 0;
    s->stiffness = s->damping = tdi_vec3(0, 0, 0);
}

static void take_segments(cutter *c, int part, tdi_store *to, tdi_segment_source *segment_map) {
    const td_real place = c->place;
    to->segment_count = 0;
    for (int32_t i = 0; i < c->store->segment_count; i++) {
        c->next[i] = TD_NONE;
        if (!goes(c, i, part)) {
            continue;
        }
        const int32_t k = c->next[i] = to->segment_count++;
        const bool cut = i == c->segment;
        td_segment s = c->store->segments[i];
        segment_map[k] = (tdi_segment_source){i, 0, 1};
        if (cut && place > 0) {
            s = part == STAYS ? lower_half(&s, place) : upper_half(&s, place);
            segment_map[k] = part == STAYS ? (tdi_segment_source){i, 0, place}
                                           : (tdi_segment_source){i, place, 1};
        }
        if (s.parent == c->segment && part == FALLS) {
            s.attach.y -= cut_height(c);
        }
        s.parent = s.parent == TD_NONE ? TD_NONE : c->next[s.parent];
        if (cut && part == FALLS) {
            set_root(c, &s, i);
        }
        to->segments[k] = s;
    }
}

// The piece of a strand that is in a part.
static bool take_strand(const cutter *c, const td_strand *from, int part, td_strand *to) {
    const int32_t last = from->first + from->count - 1;
    int32_t first = from->first, end = last;
    while (first <= last && !goes(c, first, part)) {
        first++;
    }
    while (end >= first && !goes(c, end, part)) {
        end--;
    }
    if (first > end) {
        return false;
    }
    const int32_t count = end - first + 1;
    const int64_t elements = ((int64_t)from->elements * count + from->count - 1) / from->count;
    *to = *from;
    to->first = c->next[first];
    to->count = count;
    to->start =
        first > from->first || (part == FALLS && first == c->segment) ? TD_END_FREE : from->start;
    to->end = end < last || (part == STAYS && end == c->segment) ? TD_END_FREE : from->end;
    to->twist = from->twist * count / from->count;
    to->elements = (int32_t)elements;
    return true;
}

// A body goes with the half that its centre is in.
static bool take_body(const cutter *c, const td_attached_mass *from, int part,
                      td_attached_mass *to) {
    const bool cut = from->segment == c->segment && c->place > 0,
               above = from->centre_of_mass.y > cut_height(c);
    if (!goes(c, from->segment, part) || (cut && above != (part == FALLS))) {
        return false;
    }
    *to = *from;
    to->segment = c->next[from->segment];
    if (cut && above) {
        const tdi_moments m = {from->mass, tdi_scale(from->centre_of_mass, from->mass),
                               from->second_moment},
                          moved = from_above(m, cut_height(c));
        to->centre_of_mass.y -= cut_height(c);
        to->second_moment = moved.second;
    }
    return true;
}

static td_status take_part(cutter *c, int part, tdi_cut *out) {
    tdi_store to;
    if (!tdi_store_copy(c->store, c->alloc, &to)) {
        tdi_store_free(&to);
        return TD_ERR_MEMORY;
    }
    take_segments(c, part, &to, out->segment_map[part]);
    to.strand_count = to.body_count = 0;
    for (int32_t k = 0; k < c->store->strand_count; k++) {
        to.strand_count +=
            take_strand(c, &c->store->strands[k], part, &to.strands[to.strand_count]);
    }
    for (int32_t k = 0; k < c->store->body_count; k++) {
        to.body_count += take_body(c, &c->store->bodies[k], part, &to.bodies[to.body_count]);
    }
    td_status status = tdi_skeleton_new(&to, &out->part[part]);
    if (status != TD_OK) {
        tdi_store_free(&to);
    }
    return status;
}

// ---- entry ----------------------------------------------------------------------------------

void tdi_cut_free(tdi_cut *cut, const td_alloc *alloc) {
    td_skeleton_free(cut->part[STAYS]);
    td_skeleton_free(cut->part[FALLS]);
    tdi_alloc_free(alloc, cut->segment_map[STAYS],
                   2 * (size_t)cut->heir_room * sizeof **cut->segment_map);
    *cut = (tdi_cut){.heir_room = 0};
}

// Room for what the cutter works with.
static bool make_room(cutter *c, char *room, tdi_cut *out) {
    const size_t n = (size_t)c->store->segment_count;
    out->segment_map[STAYS] = tdi_alloc_zeroed(c->alloc, 2 * n, sizeof **out->segment_map);
    if (!room || !out->segment_map[STAYS]) {
        return false;
    }
    out->segment_map[FALLS] = out->segment_map[STAYS] + n;
    out->heir_room = (int32_t)n;
    c->turns = (td_quat *)room;
    c->origins = (td_vec3 *)(c->turns + n);
    c->next = (int32_t *)(c->origins + n);
    c->falls = (bool *)(c->next + n);
    return true;
}

td_status tdi_skeleton_cut(const td_skeleton *skeleton, int32_t segment, td_real place,
                           const td_alloc *alloc, tdi_cut *out, td_diag *diag) {
    const size_t n = (size_t)td_skeleton_count(skeleton),
                 item = sizeof(td_quat) + sizeof(td_vec3) + sizeof(int32_t) + sizeof(bool);
    cutter c = {.store = &skeleton->store, .alloc = alloc, .segment = segment, .place = place};
    char *room = tdi_alloc_zeroed(alloc, n, item);
    *out = (tdi_cut){.heir_room = 0};
    td_status status = make_room(&c, room, out) ? TD_OK : TD_ERR_MEMORY;
    if (status == TD_OK) {
        td_skeleton_pose(skeleton, TD_POSE_INITIAL, c.origins, c.turns);
        divide(&c);
        status = check(&c, diag);
    }
    for (int part = STAYS; part <= FALLS && status == TD_OK; part++) {
        status = take_part(&c, part, out);
    }
    tdi_alloc_free(alloc, room, n * item);
    if (status != TD_OK) {
        tdi_cut_free(out, alloc);
    }
    return status == TD_ERR_MEMORY ? tdi_fail(diag, status, "out of memory for the cut") : status;
}

// ---- heirs ----------------------------------------------------------------------------------

// The segment with an id, by keys of ids and indices that are sorted.
static int32_t find_id(const uint64_t *keys, int32_t count, int32_t id) {
    int32_t low = 0, high = count;
    while (low < high) {
        const int32_t middle = low + (high - low) / 2;
        if ((int32_t)(keys[middle] >> 32) < id) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low < count && (int32_t)(keys[low] >> 32) == id ? (int32_t)(keys[low] & 0xffffffffu)
                                                           : TD_NONE;
}

td_status tdi_segment_map_new(const td_skeleton *from, const td_skeleton *to, const td_alloc *alloc,
                              tdi_segment_source **out) {
    const int32_t n = td_skeleton_count(from), count = td_skeleton_count(to);
    uint64_t *keys = tdi_alloc_zeroed(alloc, (size_t)n, sizeof *keys);
    tdi_segment_source *segment_map =
        keys ? tdi_alloc_zeroed(alloc, (size_t)count, sizeof *segment_map) : NULL;
    for (int32_t i = 0; i < n && segment_map; i++) {
        keys[i] = (uint64_t)(uint32_t)td_skeleton_segments(from)[i].id << 32 | (uint32_t)i;
    }
    if (segment_map) {
        tdi_sort_keys(keys, n);
    }
    for (int32_t i = 0; i < count && segment_map; i++) {
        segment_map[i] =
            (tdi_segment_source){find_id(keys, n, td_skeleton_segments(to)[i].id), 0, 1};
    }
    tdi_alloc_free(alloc, keys, (size_t)n * sizeof *keys);
    *out = segment_map;
    return segment_map ? TD_OK : TD_ERR_MEMORY;
}

void tdi_segment_map_free(tdi_segment_source *segment_map, const td_skeleton *of,
                          const td_alloc *alloc) {
    tdi_alloc_free(alloc, segment_map, (size_t)td_skeleton_count(of) * sizeof *segment_map);
}
