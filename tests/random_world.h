// SPDX-License-Identifier: MIT
#pragma once

// Calls of random_api.c on a world that take several lines: steps, what comes and goes, what moves,
// and what is asked.

#include <string.h>

static int32_t segments(play *p) {
    const int32_t count = td_world_segment_count(p->world);
    claim(count <= ROOM, "there is room for all segments");
    return count;
}

static void *saved(play *p, size_t *size) {
    *size = td_world_save_size(p->world);
    void *bytes = malloc(*size);
    claim(bytes != NULL, "there is memory for a save");
    td_world_save(p->world, bytes);
    return bytes;
}

// By the step of the scene, or by `dt` s.
static void step_by(play *p, bool own, td_real dt) {
    size_t size, after_size;
    void *before = saved(p, &size);
    const long calls = heap.calls;
    const td_status status =
        own ? td_world_step(p->world, diag(p)) : td_world_advance(p->world, dt, diag(p));
    claim(heap.calls == calls || !p->no_growth, "a step takes no memory, unless contact may grow");
    if (status != TD_OK && status != TD_ERR_BLOCKED) {
        void *after = saved(p, &after_size);
        claim(size == after_size && memcmp(before, after, size) == 0,
              "a step that fails changes nothing");
        free(after);
    }
    free(before);
    take_status(p, status);
}

static void step(play *p) {
    step_by(p, true, 0);
}

static void advance(play *p) {
    step_by(p, false, rarely(p) ? number(p, -1, 2) : number(p, 0.004, 0.03));
}

static void add_actor(play *p) {
    td_actor_def def = td_actor_def_default();
    td_actor_id id = {0};
    def.object = any_index(p, 2);
    def.variant = rarely(p) ? 7 : TD_NONE;
    def.position = place(p);
    def.rotation = turn(p);
    const td_filter filter = any_filter(p);
    def.filter = below(p, 4) ? NULL : &filter;
    if (td_world_actor_count(p->world) < MOST &&
        take_status(p, td_world_add_actor(world(p), rarely(p) ? NULL : &def, &id, diag(p))) ==
            TD_OK) {
        claim(td_world_actor_index(p->world, id) >= 0, "what was added is there");
        p->actors[below(p, KEPT)] = id;
    }
}

static void add_force(play *p, bool impulse) {
    td_force_def def = td_force_def_default();
    def.actor = any_actor_id(p);
    def.segment = any_index(p, 4);
    def.point = vector(p, 0.1);
    def.vector = vector(p, impulse ? 1e-3 : 0.1);
    def.point_in = (td_axes)any_index(p, 2);
    def.vector_in = (td_axes)any_index(p, 2);
    take_status(p, impulse ? td_world_add_impulse(world(p), rarely(p) ? NULL : &def, diag(p))
                           : td_world_add_force(world(p), rarely(p) ? NULL : &def, diag(p)));
}

static void remove_actor(play *p) {
    const td_actor_id id = any_actor_id(p);
    if (take_status(p, td_world_remove_actor(p->world, id, diag(p))) == TD_OK) {
        claim(td_world_actor_index(p->world, id) == TD_NONE, "what was removed is gone");
        claim(td_world_remove_actor(p->world, id, NULL) == TD_ERR_STALE, "its id is stale");
        p->actors[below(p, KEPT)] = id;
    }
}

static void add_collider(play *p) {
    const td_collider def = any_collider(p);
    td_collider_id id = {0};
    if (td_world_collider_count(p->world) < MOST &&
        take_status(p, td_world_add_collider(world(p), &def, &id, diag(p))) == TD_OK) {
        p->colliders[below(p, KEPT)] = id;
    }
}

// Mostly a little way, as from frame to frame; now and then anywhere.
static td_vec3 moved(play *p, td_vec3 from) {
    return below(p, 16) ? td_vec3_add(from, vector(p, 0.02)) : place(p);
}

static void move_actor(play *p) {
    const td_actor_id id = any_actor_id(p);
    td_vec3 base = {0, 0, 0};
    td_quat rotation = turn(p);
    td_world_pose(p->world, id, &base, below(p, 16) ? &rotation : NULL, NULL, NULL);
    take_status(p, td_world_move_actor(world(p), id, moved(p, base), rotation, diag(p)));
}

static void move_collider(play *p) {
    const td_collider_id id = any_collider_id(p);
    const td_collider is = td_world_collider(p->world, id);
    const td_quat rotation = below(p, 16) ? is.rotation : turn(p);
    take_status(p, td_world_move_collider(world(p), id, moved(p, is.position), rotation, diag(p)));
}

static void resize_collider(play *p) {
    const td_collider size = any_collider(p);
    take_status(p, td_world_resize_collider(p->world, any_collider_id(p), &size, diag(p)));
}

static void add_grab(play *p) {
    td_grab_def def = td_grab_def_default();
    td_grab_id id = {0};
    const int32_t actor = any_actor(p);
    def.actor = td_world_actor_id(p->world, actor);
    def.segment = any_segment(p, actor);
    def.point = vector(p, 0.05);
    def.to = place(p);
    def.stiffness = number(p, 0, 50);
    def.damping = number(p, 0, 1);
    if (take_status(p, td_world_add_grab(world(p), &def, &id, diag(p))) == TD_OK) {
        td_world_remove_grab(p->world, p->grabs[0], NULL); // never more than a few
        memmove(p->grabs, p->grabs + 1, sizeof p->grabs - sizeof *p->grabs);
        p->grabs[KEPT - 1] = id;
    }
}

static void grab_force(play *p) {
    td_vec3 force = {0, 0, 0};
    take_status(p, td_world_grab_force(world(p), p->grabs[below(p, KEPT)], &force, diag(p)));
    take_vec(p, force);
}

static void base_reaction(play *p) {
    td_reaction out = {{0, 0, 0}, {0, 0, 0}};
    take_status(p, td_world_base_reaction(world(p), any_actor_id(p), &out, diag(p)));
    take_vec(p, out.force);
    take_vec(p, out.moment);
}

// A pick lies on its segment as it is now.
static void check_pick(play *p, const td_pick *pick) {
    td_vec3 a, b;
    if (pick->actor.place > 0) {
        td_world_segment(p->world, pick->actor, pick->segment, &a, &b, NULL);
        const td_real s = pick->along;
        const td_vec3 at = {a.x + s * (b.x - a.x), a.y + s * (b.y - a.y), a.z + s * (b.z - a.z)};
        claim(td_vec3_distance(at, pick->point) <= 1e-9 * (1 + td_vec3_norm(at)),
              "a query finds segments where they are");
    }
}

static void cast_rays(play *p) {
    td_ray rays[3];
    td_pick picks[3] = {{.segment = 0}};
    for (int k = 0; k < 3; k++) {
        rays[k] = (td_ray){place(p),         vector(p, 1),
                           number(p, 0, 3),  number(p, 0, 0.1),
                           below(p, 2) == 0, below(p, 2) ? any_filter(p) : (td_filter){0}};
    }
    take_status(p, td_world_cast_rays(world(p), 3, rays, picks, diag(p)));
    for (int k = 0; k < 3; k++) {
        take_int(p, picks[k].segment);
        take_real(p, picks[k].distance);
        check_pick(p, &picks[k]);
    }
}

static void pick_nearest(play *p) {
    const td_vec3 centre = place(p);
    td_pick pick = {.segment = 0};
    const td_real radius = number(p, 0, 1);
    take_status(p, td_world_pick_nearest(world(p), 1, &centre, radius, NULL, &pick, diag(p)));
    take_int(p, pick.segment);
    take_real(p, pick.distance);
    check_pick(p, &pick);
}

static void overlap(play *p) {
    td_collider shape = any_collider(p);
    td_overlap found[4] = {{.segment = 0}};
    int32_t count = 0;
    take_status(p, td_world_overlap(world(p), &shape, found, below(p, 5), &count, diag(p)));
    take_int(p, count);
    take_int(p, found[0].segment);
}

static void contacts(play *p, bool forces) {
    td_contact found[8];
    memset(found, 0, sizeof found);
    const int32_t count =
        forces ? td_world_forces(p->world, found, 8) : td_world_contacts(p->world, found, 8);
    take_int(p, count);
    for (int32_t k = 0; k < count && k < 8; k++) {
        take_int(p, found[k].segment);
        take_vec(p, found[k].point);
        take_vec(p, found[k].normal);
    }
}

static void contact_events(play *p) {
    td_contact_event events[8];
    const int32_t count = td_world_contact_events(p->world, events, 8);
    take_int(p, count);
    for (int32_t k = 0; k < count && k < 8; k++) {
        take_int(p, events[k].began);
        take_int(p, events[k].segment);
    }
}

static void all_velocities(play *p) {
    const int32_t count = segments(p);
    td_world_all_velocities(p->world, rarely(p) ? NULL : points[0], points[1]);
    take_points(p, points[1], count);
}

static void all_poses(play *p) {
    const int32_t count = segments(p);
    td_world_all_poses(p->world, points[0], rarely(p) ? NULL : points[1], turns);
    take_points(p, points[0], count);
}

static void pose_of(play *p) {
    const int32_t actor = any_actor(p),
                  count =
                      td_world_actor(p->world, td_world_actor_id(p->world, actor)).segment_count;
    td_vec3 base = {0, 0, 0};
    td_world_pose(p->world, td_world_actor_id(p->world, actor), &base, NULL, points[0],
                  rarely(p) ? NULL : turns);
    take_vec(p, base);
    take_points(p, points[0], count);
}

static void segment_of(play *p) {
    const int32_t actor = any_actor(p);
    td_vec3 tip = {0, 0, 0};
    td_world_segment(p->world, td_world_actor_id(p->world, actor), any_segment(p, actor), NULL,
                     &tip, NULL);
    take_vec(p, tip);
}

static void moments_of(play *p) {
    const int32_t actor = any_actor(p);
    td_world_moments(p->world, td_world_actor_id(p->world, actor), points[0]);
    take_points(p, points[0],
                td_world_actor(p->world, td_world_actor_id(p->world, actor)).segment_count);
}

static void velocities_of(play *p) {
    const int32_t actor = any_actor(p);
    td_world_velocities(p->world, td_world_actor_id(p->world, actor), points[0], points[1]);
    take_points(p, points[0],
                td_world_actor(p->world, td_world_actor_id(p->world, actor)).segment_count);
}

static void modes_of(play *p) {
    td_mode modes[2] = {{.frequency = 0}};
    take_status(p, td_world_modes(p->world, any_actor_id(p), 2, modes, diag(p)));
    take_real(p, modes[0].frequency);
}

static void sums_of(play *p, td_sums sums) {
    take_real(p, sums.energy.kinetic);
    take_real(p, sums.energy.elastic);
    take_vec(p, sums.linear);
}
