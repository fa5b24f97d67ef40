// SPDX-License-Identifier: MIT
// The layout of a clip's frames, and poses in and out of it.
//
// Method   a world pose becomes rotations and places to the parent, which is what an animated file
//          holds. Each is rounded to single precision by itself, so that the error of a joint's
//          place grows with the root of the joints below it: 1e-6 of the length for a thousand.

#include "io/clip.h"

#include "base/diag.h"
#include "base/guard.h"
#include "base/opts.h"
#include "math/quat.h"

#include <math.h>
#include <string.h>

td_clip_def td_clip_def_default(void) {
    td_clip_def def = {.struct_size = sizeof def, .fps = 30, .frame_count = 1};
    return def;
}

const char *tdi_actor_name(const td_clip_actor *actor) {
    return actor->name && actor->name[0] ? actor->name : "plant";
}

// ---- layout ---------------------------------------------------------------------------------

bool td_clip_moves(const td_clip_actor *actor, int32_t segment) {
    if (!actor || !actor->skeleton || !tdi_has(segment, td_skeleton_count(actor->skeleton))) {
        return false;
    }
    td_joint_kind joint = td_skeleton_segments(actor->skeleton)[segment].joint;
    return actor->stretchy || joint == TD_JOINT_SLIDE || joint == TD_JOINT_FREE;
}

int64_t td_clip_actor_size(const td_clip_actor *actor) {
    if (!actor || !actor->skeleton) {
        return 0;
    }
    int32_t count = td_skeleton_count(actor->skeleton);
    int64_t size = TDI_BASE_SIZE + 4 * (int64_t)count;
    for (int32_t i = 0; i < count; i++) {
        size += td_clip_moves(actor, i) ? 3 : 0;
    }
    return size;
}

int64_t td_clip_frame_size(const td_clip_def *given) {
    td_clip_def own = td_clip_def_default();
    const td_clip_def *def = &own;
    if (tdi_def_take("td_clip_def", &own, given, NULL) != TD_OK) {
        return 0;
    }
    int64_t size =
        TD_CLIP_COLLIDER * (int64_t)def->collider_count + TD_CLIP_ARROW * (int64_t)def->arrow_count;
    for (int32_t i = 0; i < def->actor_count; i++) {
        size += td_clip_actor_size(&def->actors[i]);
    }
    return size;
}

// the next segment from all->searched on whose place is in the frames, or the count of segments
static int32_t next_moving(tdi_channels *all, const td_clip_actor *actor, int32_t count) {
    while (all->searched < count && !td_clip_moves(actor, all->searched)) {
        all->searched++;
    }
    return all->searched;
}

// channels of an actor from all->step on; false at its end
static bool next_of_actor(tdi_channels *all, tdi_channel *channel) {
    const td_clip_actor *actor = &all->def->actors[all->actor];
    int32_t count = td_skeleton_count(actor->skeleton);
    int64_t step = all->step;
    *channel = (tdi_channel){
        .actor = all->actor, .segment = TD_NONE, .motion = step > 0 ? TDI_TURN : TDI_PLACE};
    if (step >= 2 && step < 2 + (int64_t)count) {
        channel->segment = (int32_t)(step - 2);
    } else if (step >= 2) {
        channel->segment = next_moving(all, actor, count);
        channel->motion = TDI_PLACE;
        all->searched++;
    }
    return channel->segment < count;
}

// likewise of the colliders, which have two each, and of the arrows, which have three
static bool next_of_props(tdi_channels *all, tdi_channel *channel) {
    int64_t of_colliders = 2 * (int64_t)all->def->collider_count;
    int64_t step = all->step, arrow = step - of_colliders;
    *channel = (tdi_channel){.actor = TD_NONE};
    if (step < of_colliders) {
        channel->segment = (int32_t)(step / 2);
        channel->motion = (tdi_motion)(step % 2);
        return true;
    }
    channel->segment = all->def->collider_count + (int32_t)(arrow / 3);
    channel->motion = (tdi_motion)(arrow % 3);
    return arrow < 3 * (int64_t)all->def->arrow_count;
}

bool tdi_channels_next(tdi_channels *all, tdi_channel *channel) {
    bool found = false;
    while (!found && all->actor < all->def->actor_count) {
        found = next_of_actor(all, channel);
        if (!found) {
            all->actor++;
            all->step = all->searched = 0;
        }
    }
    found = found || next_of_props(all, channel);
    channel->width = channel->motion == TDI_TURN ? 4 : 3;
    channel->offset = all->offset;
    all->offset += channel->width;
    all->step++;
    return found;
}

bool tdi_channel_is_arrow(const td_clip_def *def, const tdi_channel *channel) {
    return channel->actor == TD_NONE && channel->segment >= def->collider_count;
}

// ---- poses ----------------------------------------------------------------------------------

static float *put_vec3(float *to, td_vec3 v) {
    to[0] = (float)v.x;
    to[1] = (float)v.y;
    to[2] = (float)v.z;
    return to + 3;
}

static float *put_quat(float *to, td_quat q) {
    td_quat u = tdi_quat_unit(q);
    to[0] = (float)u.x;
    to[1] = (float)u.y;
    to[2] = (float)u.z;
    to[3] = (float)u.w;
    return to + 4;
}

static td_vec3 get_vec3(const float *from) {
    return tdi_vec3(from[0], from[1], from[2]);
}

static td_quat get_quat(const float *from) {
    td_quat q = {from[3], from[0], from[1], from[2]};
    return tdi_quat_unit(q);
}

void td_clip_pack(const td_clip_actor *actor, td_vec3 base, td_quat base_rotation,
                  const td_vec3 *origins, const td_quat *rotations, float *out) {
    if (!actor || !origins || !rotations || !out || !actor->skeleton) {
        return;
    }
    const td_segment *segments = td_skeleton_segments(actor->skeleton);
    int32_t count = td_skeleton_count(actor->skeleton);
    out = put_quat(put_vec3(out, base), base_rotation);
    for (int32_t i = 0; i < count; i++) {
        int32_t parent = segments[i].parent;
        td_quat below = parent == TD_NONE ? base_rotation : rotations[parent];
        out = put_quat(out, tdi_quat_mul(tdi_quat_conj(below), rotations[i]));
    }
    for (int32_t i = 0; i < count; i++) {
        if (td_clip_moves(actor, i)) {
            int32_t parent = segments[i].parent;
            td_quat below = parent == TD_NONE ? base_rotation : rotations[parent];
            td_vec3 from = parent == TD_NONE ? base : origins[parent];
            out = put_vec3(out, tdi_quat_rotate(tdi_quat_conj(below), tdi_sub(origins[i], from)));
        }
    }
}

static td_quat turn_between(td_quat from, td_quat to, td_real part) {
    const td_quat by = tdi_quat_unit(tdi_quat_mul(to, tdi_quat_conj(from))); // w >= 0
    const td_vec3 axis = {by.x, by.y, by.z};
    const td_real sine = tdi_norm(axis), angle = 2 * atan2(sine, by.w);
    return tdi_quat_mul(tdi_turn_by(tdi_scale(axis, sine > 0 ? part * angle / sine : 0)), from);
}

void td_clip_blend(const td_clip_def *given, const float *from, const float *to, td_real part,
                   float *out) {
    td_clip_def def = td_clip_def_default();
    tdi_channel c;
    if (!from || !to || !out || !(part >= 0 && part <= 1) ||
        tdi_def_take("td_clip_def", &def, given, NULL) != TD_OK) {
        return;
    }
    for (tdi_channels all = {.def = &def}; tdi_channels_next(&all, &c);) {
        const float *a = from + c.offset, *b = to + c.offset;
        float *at = out + c.offset;
        if (tdi_channel_is_arrow(&def, &c)) {
            memmove(at, b, (size_t)c.width * sizeof *at);
        } else if (c.motion == TDI_TURN) {
            put_quat(at, turn_between(get_quat(a), get_quat(b), part));
        } else {
            const td_vec3 x = get_vec3(a);
            put_vec3(at, tdi_madd(x, tdi_sub(get_vec3(b), x), part));
        }
    }
}

void td_clip_unpack(const td_clip_actor *actor, const float *frame, td_vec3 *base,
                    td_quat *base_rotation, td_vec3 *origins, td_quat *rotations) {
    if (!actor || !frame || !origins || !rotations || !actor->skeleton) {
        return;
    }
    const td_segment *segments = td_skeleton_segments(actor->skeleton);
    int32_t count = td_skeleton_count(actor->skeleton);
    td_vec3 ground = get_vec3(frame);
    td_quat ground_turn = get_quat(frame + 3);
    const float *turn = frame + TDI_BASE_SIZE, *place = turn + 4 * (size_t)count;
    for (int32_t i = 0; i < count; i++, turn += 4) {
        int32_t parent = segments[i].parent;
        td_quat below = parent == TD_NONE ? ground_turn : rotations[parent];
        td_vec3 from = parent == TD_NONE ? ground : origins[parent];
        td_vec3 at = segments[i].attach;
        if (td_clip_moves(actor, i)) {
            at = get_vec3(place);
            place += 3;
        }
        rotations[i] = tdi_quat_mul(below, get_quat(turn));
        origins[i] = tdi_add(from, tdi_quat_rotate(below, at));
    }
    if (base) {
        *base = ground;
    }
    if (base_rotation) {
        *base_rotation = ground_turn;
    }
}
