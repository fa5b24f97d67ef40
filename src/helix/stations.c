// SPDX-License-Identifier: MIT
// Stations and vanes in the order of elements.
//
// What rides on a stem at many places would be as many stations, each as costly as a slice. Unless
// it is at the tip, it goes to the two slices about it instead, in parts that keep its mass and its
// mean arc length, each part as heavy, and as it lies, as it is drawn. What a strand carries stays
// where it is.

#include "helix/build.h"

#include <math.h>
#include <string.h>

#define SAME 1e-9 // of the element's length: stations that are as near are one

// ---- order ----------------------------------------------------------------------------------

// Those of the base, which is element -1, last.
static int32_t slot(const tdi_helix_maker *k, int32_t element) {
    return element == TD_NONE ? k->element_count : element;
}

// Each element's in the order in which they were made. `first` gets where those of an element end.
static void sort_stations(const tdi_helix_maker *k, int32_t *first, tdi_helix_station *to) {
    for (int64_t i = 0; i < k->stations.count; i++) {
        first[slot(k, k->stations.item[i].element) + 1]++;
    }
    for (int32_t e = 0; e <= k->element_count; e++) {
        first[e + 1] += first[e];
    }
    for (int64_t i = 0; i < k->stations.count; i++) {
        to[first[slot(k, k->stations.item[i].element)]++] = k->stations.item[i];
    }
}

static void sort_vanes(const tdi_helix_maker *k, int32_t *first, tdi_helix_vane *to) {
    for (int64_t i = 0; i < k->vanes.count; i++) {
        first[k->vanes.item[i].point.element + 1]++;
    }
    for (int32_t e = 0; e < k->element_count; e++) {
        first[e + 1] += first[e];
    }
    for (int64_t i = 0; i < k->vanes.count; i++) {
        to[first[k->vanes.item[i].point.element]++] = k->vanes.item[i];
    }
}

// ---- merging --------------------------------------------------------------------------------

// Part of a station's matter as a frame elsewhere on its element carries it, as drawn:
//   x = a + Q X,  S' = Q S Q^T + Q f a^T + a (Q f)^T + m a a^T
static void give(const tdi_helix_maker *k, const tdi_helix_station *from, td_real part,
                 tdi_helix_station *to) {
    td_vec3 there, here;
    td_quat turned, frame;
    tdi_helix_drawn(k, from->element, from->s, &there, &turned);
    tdi_helix_drawn(k, to->element, to->s, &here, &frame);
    const td_quat back = tdi_quat_conj(frame), turn = tdi_quat_mul(back, turned);
    const td_vec3 a = tdi_quat_rotate(back, tdi_sub(there, here)),
                  f = tdi_quat_rotate(turn, from->moment);
    const tdi_mat3 q = tdi_mat3_from_quat(turn);
    const td_real m = from->mass;
    td_sym3 second = tdi_sym3_add(tdi_sym3_turn(&q, &from->second), tdi_sym3_square(a, m));
    second = tdi_sym3_add(second, tdi_sym3_square(tdi_add(a, f), 0.5));
    second = tdi_sym3_add(second, tdi_sym3_square(tdi_sub(a, f), -0.5)); // a f^T + f a^T
    to->mass += part * m;
    to->moment = tdi_madd(to->moment, tdi_madd(f, a, m), part);
    to->second = tdi_sym3_add(to->second, tdi_sym3_scale(second, part));
}

// Between the slices at s, or all to the last or the first of them.
static void spread(const tdi_helix_maker *k, const tdi_helix_station *from, int32_t slices,
                   tdi_helix_station *slice) {
    int32_t next = 0;
    while (next < slices && slice[next].s < from->s) {
        next++;
    }
    if (next == 0 || next == slices) {
        give(k, from, 1, &slice[next == 0 ? 0 : slices - 1]);
        return;
    }
    const td_real before = slice[next - 1].s, after = slice[next].s,
                  part = (from->s - before) / (after - before);
    give(k, from, 1 - part, &slice[next - 1]);
    give(k, from, part, &slice[next]);
}

static bool is_at(const tdi_helix_station *s, td_real at, td_real near) {
    return s->rigid && fabs(s->s - at) <= near;
}

// The stations [from, to) of one element, which are slices first, to where `kept` of all are.
static int64_t keep_element(tdi_helix_maker *k, const tdi_helix_station *from, int64_t count,
                            int64_t kept) {
    const int32_t element = from->element;
    const bool base = element == TD_NONE;
    const td_real length = base ? 0 : k->element[element].length, near = SAME * length;
    int32_t slices = 0;
    tdi_helix_station *to = k->stations.item + kept;
    int64_t n = 0;
    for (int64_t i = 0; i < count; i++) {
        const tdi_helix_station *s = &from[i];
        slices += !s->rigid;
        if (s->rigid && n > 0 && is_at(&to[n - 1], s->s, near)) {
            give(k, s, 1, &to[n - 1]);
        } else if (s->rigid && slices > 0 && s->s < length - near && !k->whole[element]) {
            spread(k, s, slices, to);
        } else {
            to[n++] = *s;
        }
    }
    return kept + n;
}

static void keep_all(tdi_helix_maker *k, const tdi_helix_station *sorted) {
    const int64_t count = k->stations.count;
    int64_t kept = 0;
    for (int64_t i = 0, next; i < count; i = next) {
        for (next = i + 1; next < count && sorted[next].element == sorted[i].element;) {
            next++;
        }
        kept = keep_element(k, &sorted[i], next - i, kept);
    }
    k->stations.count = kept;
}

// ---- entry ----------------------------------------------------------------------------------

bool tdi_helix_sort(tdi_helix_maker *k) {
    const size_t elements = (size_t)k->element_count + 2;
    int32_t *first = tdi_arena_zeroed(&k->arena, 2 * elements, sizeof *first);
    tdi_helix_station *stations =
        tdi_arena_zeroed(&k->arena, (size_t)k->stations.count, sizeof *stations);
    tdi_helix_vane *vanes = tdi_arena_zeroed(&k->arena, (size_t)k->vanes.count + 1, sizeof *vanes);
    if (!first || !stations || !vanes) {
        return false;
    }
    sort_stations(k, first, stations);
    keep_all(k, stations);
    sort_vanes(k, first + elements, vanes);
    k->vanes.item = vanes;
    return true;
}
