// SPDX-License-Identifier: MIT
#pragma once

// The calls that random_api.c makes, a row each: the function, how often it is drawn, what is done.
// A function of a few arguments is called here; others by a helper of random_api.c. As in a game,
// most calls ask or move something, few step, and fewer change what a world is made of.

// clang-format off
#define CALLS_OF(X) \
    X(td_world_step, 8, step(p)) \
    X(td_world_advance, 4, advance(p)) \
    X(td_world_time, 32, take_real(p, td_world_time(world(p)))) \
    X(td_world_dt, 32, take_real(p, td_world_dt(world(p)))) \
    X(td_world_steps_a_frame, 32, take_int(p, td_world_steps_a_frame(world(p)))) \
    X(td_world_stats, 32, take_int(p, td_world_stats(world(p)).iterations)) \
    X(td_world_pushed, 32, take_real(p, td_world_pushed(world(p)).depth)) \
    X(td_world_get, 128, get_number(p)) \
    X(td_world_set, 32, set_number(p)) \
    X(td_world_set_budget, 8, take_status(p, td_world_set_budget(world(p), any_index(p, 9), 0, diag(p)))) \
    X(td_world_step_times, 8, take_real(p, td_world_step_times(world(p)).total)) \
    X(td_world_set_integrator, 8, take_status(p, td_world_set_integrator(world(p), any_index(p, 2), (td_integrator)any_index(p, 7), diag(p)))) \
    X(td_world_set_field, 8, (p->pull = number(p, 0, 0.1), take_status(p, td_world_set_field(world(p), below(p, 2) ? pull_field : NULL, p, diag(p))))) \
    X(td_world_set_callback, 8, td_world_set_callback(world(p), below(p, 2) ? stepped : NULL, p)) \
    X(td_world_actor_count, 32, take_int(p, td_world_actor_count(world(p)))) \
    X(td_world_actor, 96, take_int(p, td_world_actor(world(p), any_actor_id(p)).segment_count)) \
    X(td_world_pose, 96, pose_of(p)) \
    X(td_world_segment, 96, segment_of(p)) \
    X(td_world_moments, 96, moments_of(p)) \
    X(td_world_settle, 1, take_status(p, td_world_settle(p->world, NULL, diag(p)))) \
    X(td_world_modes, 1, modes_of(p)) \
    X(td_world_mode_count, 1, take_int(p, td_world_mode_count(p->world, any_actor_id(p)))) \
    X(td_world_mode_actors, 1, \
      take_int(p, td_world_mode_actors(p->world, any_actor_id(p), NULL, 0))) \
    X(td_world_collider_count, 32, take_int(p, td_world_collider_count(world(p)))) \
    X(td_world_collider, 96, take_real(p, td_world_collider(p->world, any_collider_id(p)).radius)) \
    X(td_world_collider_name, 32, take_text(p, td_world_collider_name(world(p), any_collider_id(p)))) \
    X(td_world_contacts, 128, contacts(p, false)) \
    X(td_world_forces, 128, contacts(p, true)) \
    X(td_world_constraint_id, 32, take_int(p, (int32_t)td_world_constraint_id(world(p), any_index(p, 2)).place)) \
    X(td_world_constraint_count, 32, take_int(p, td_world_constraint_count(world(p)))) \
    X(td_world_constraint_name, 64, take_text(p, td_world_constraint_name(world(p), any_hold(p)))) \
    X(td_world_constraint_find, 32, take_int(p, (int32_t)td_world_constraint_find(world(p), rarely(p) ? NULL : "point 0").place)) \
    X(td_world_constraint, 64, take_real(p, td_world_constraint(world(p), any_hold(p)).error)) \
    X(td_world_constraint_energy, 32, take_real(p, td_world_constraint_energy(world(p), any_hold(p)))) \
    X(td_world_constraint_history, 32, take_real(p, td_world_constraint_history(world(p), any_hold(p)).largest_force)) \
    X(td_world_set_hold, 16, take_status(p, td_world_set_hold(world(p), any_hold(p), below(p, 2), diag(p)))) \
    X(td_world_grab, 24, take_status(p, td_world_grab(world(p), any_actor_id(p), any_index(p, 4), vector(p, 0.1), place(p), number(p, 0, 20), diag(p)))) \
    X(td_world_grab_to, 96, take_status(p, td_world_grab_to(world(p), place(p), diag(p)))) \
    X(td_world_release, 8, td_world_release(world(p))) \
    X(td_world_set_torque, 16, take_status(p, td_world_set_torque(world(p), any_actor_id(p), any_index(p, 4), number(p, -0.01, 0.01), diag(p)))) \
    X(td_world_probe_columns, 32, take_int(p, td_world_probe_columns(world(p)))) \
    X(td_world_probe_name, 32, take_text(p, td_world_probe_name(world(p), any_index(p, 3)))) \
    X(td_world_probes, 32, td_world_probes(p->world, &points[0][0].x)) \
    X(td_world_actor_sums, 64, sums_of(p, td_world_actor_sums(world(p), any_actor_id(p)))) \
    X(td_world_sums, 64, sums_of(p, td_world_sums(world(p)))) \
    X(td_world_object_sums, 64, sums_of(p, td_world_object_sums(world(p), any_index(p, 2)))) \
    X(td_world_largest_force, 32, take_real(p, td_world_largest_force(world(p)))) \
    X(td_world_save, 4, save(p)) \
    X(td_world_restore, 6, restore(p)) \
    X(td_world_body, 64, read_body(p)) \
    X(td_world_reserve_actors, 2, take_status(p, td_world_reserve_actors(world(p), any_index(p, 2), 1 + below(p, 2), diag(p)))) \
    X(td_world_add_actor, 10, add_actor(p)) \
    X(td_world_remove_actor, 24, remove_actor(p)) \
    X(td_world_actor_index, 64, take_int(p, td_world_actor_index(world(p), any_actor_id(p)))) \
    X(td_world_enable_actor, 24, take_status(p, td_world_enable_actor(world(p), any_actor_id(p), below(p, 2), diag(p)))) \
    X(td_world_actor_enabled, 32, take_int(p, td_world_actor_enabled(world(p), any_actor_id(p)))) \
    X(td_world_move_actor, 96, move_actor(p)) \
    X(td_world_place_actor, 24, take_status(p, td_world_place_actor(world(p), any_actor_id(p), place(p), turn(p), diag(p)))) \
    X(td_world_set_actor_filter, 24, take_status(p, td_world_set_actor_filter(world(p), any_actor_id(p), any_filter(p), diag(p)))) \
    X(td_world_set_actor_user_data, 8, take_status(p, td_world_set_actor_user_data(world(p), any_actor_id(p), (uint64_t)below(p, 9), diag(p)))) \
    X(td_world_sleep_actor, 16, take_status(p, td_world_sleep_actor(world(p), any_actor_id(p), diag(p)))) \
    X(td_world_wake_actor, 16, take_status(p, td_world_wake_actor(world(p), any_actor_id(p), diag(p)))) \
    X(td_world_actor_asleep, 64, take_int(p, td_world_actor_asleep(world(p), any_actor_id(p)))) \
    X(td_world_actor_status, 64, take_status(p, td_world_actor_status(world(p), any_actor_id(p), diag(p)))) \
    X(td_world_blocked_actors, 64, take_int(p, td_world_blocked_actors(world(p), p->actors, KEPT))) \
    X(td_world_collider_id, 64, p->colliders[below(p, KEPT)] = td_world_collider_id(world(p), any_index(p, 3))) \
    X(td_world_collider_index, 64, take_int(p, td_world_collider_index(world(p), any_collider_id(p)))) \
    X(td_world_reserve_colliders, 2, take_status(p, td_world_reserve_colliders(world(p), 1 + below(p, 2), diag(p)))) \
    X(td_world_add_collider, 10, add_collider(p)) \
    X(td_world_remove_collider, 16, take_status(p, td_world_remove_collider(world(p), any_collider_id(p), diag(p)))) \
    X(td_world_enable_collider, 16, take_status(p, td_world_enable_collider(world(p), any_collider_id(p), below(p, 2), diag(p)))) \
    X(td_world_collider_enabled, 32, take_int(p, td_world_collider_enabled(world(p), any_collider_id(p)))) \
    X(td_world_move_collider, 96, move_collider(p)) \
    X(td_world_place_collider, 24, take_status(p, td_world_place_collider(world(p), any_collider_id(p), place(p), turn(p), diag(p)))) \
    X(td_world_resize_collider, 24, resize_collider(p)) \
    X(td_world_set_collider_filter, 24, take_status(p, td_world_set_collider_filter(world(p), any_collider_id(p), any_filter(p), diag(p)))) \
    X(td_world_set_collider_user_data, 8, take_status(p, td_world_set_collider_user_data(world(p), any_collider_id(p), (uint64_t)below(p, 9), diag(p)))) \
    X(td_world_first_segment, 64, take_int(p, td_world_first_segment(world(p), any_actor(p)))) \
    X(td_world_all_poses, 96, all_poses(p)) \
    X(td_world_all_velocities, 96, all_velocities(p)) \
    X(td_world_velocities, 64, velocities_of(p)) \
    X(td_world_bounds, 96, take_vec(p, td_world_bounds(world(p), any_actor_id(p)).low)) \
    X(td_world_all_bounds, 64, (td_world_all_bounds(p->world, boxes), take_vec(p, boxes[0].high))) \
    X(td_world_cast_rays, 96, cast_rays(p)) \
    X(td_world_pick_nearest, 96, pick_nearest(p)) \
    X(td_world_overlap, 96, overlap(p)) \
    X(td_world_watch_contacts, 8, take_status(p, td_world_watch_contacts(world(p), below(p, 12), diag(p)))) \
    X(td_world_contact_events, 96, contact_events(p)) \
    X(td_world_watch_base, 16, take_status(p, td_world_watch_base(world(p), any_actor_id(p), below(p, 2), diag(p)))) \
    X(td_world_base_reaction, 64, base_reaction(p)) \
    X(td_world_reserve_grabs, 8, take_status(p, td_world_reserve_grabs(world(p), below(p, 4), diag(p)))) \
    X(td_world_add_grab, 24, add_grab(p)) \
    X(td_world_move_grab, 96, take_status(p, td_world_move_grab(world(p), p->grabs[below(p, KEPT)], place(p), diag(p)))) \
    X(td_world_remove_grab, 16, take_status(p, td_world_remove_grab(world(p), p->grabs[below(p, KEPT)], diag(p)))) \
    X(td_world_grab_force, 64, grab_force(p)) \
    X(td_world_add_force, 24, add_force(p, false)) \
    X(td_world_add_impulse, 24, add_force(p, true)) \
    X(td_world_clear_forces, 8, td_world_clear_forces(world(p))) \
    X(td_world_cut_actor, 6, cut_actor(p)) \
    X(td_world_regrow_actor, 6, regrow_actor(p)) \
    X(td_actor_def_default, 4, add_own_actor(p)) \
    X(td_world_add_constraint, 6, add_constraint(p)) \
    X(td_world_remove_constraint, 8, take_status(p, td_world_remove_constraint(world(p), any_hold(p), diag(p)))) \
    X(td_world_constraint_index, 32, take_int(p, td_world_constraint_index(world(p), any_hold(p)))) \
    X(td_world_set_target, 12, set_target(p)) \
    X(td_world_attach, 8, attach(p)) \
    X(td_world_detach, 8, take_status(p, td_world_detach(world(p), any_actor_id(p), diag(p)))) \
    X(td_world_carrier, 32, carrier(p)) \
    X(td_world_set_drives, 12, set_drives(p)) \
    X(td_world_drive, 48, take_real(p, td_world_drive(world(p), any_actor_id(p), any_index(p, 6)).torque)) \
    X(td_world_set_springs, 6, set_springs(p)) \
    X(td_world_draw, 8, draw_world(p)) \
    X(td_world_actor_clusters, 48, clusters_of(p)) \
    X(td_world_wind, 48, wind_at(p)) \
    X(td_tree_state_changed, 8, change_state(p)) \
    X(td_tree_forward, 1, tree_alone(p)) \
    X(td_adapt_step, 1, fewer_joints(p)) \
    X(td_rod_forces, 1, rod_alone(p)) \
    X(td_helix_curvatures, 1, helix_alone(p)) \
    X(td_island_step, 1, island_alone(p)) \
    X(td_lcp_solve, 4, solve_lcp(p)) \
    X(td_curve_at, 4, curve_alone(p)) \
    X(td_wind_at, 4, wind_alone(p)) \
    X(td_value_builder_finish, 4, value_alone(p)) \
    X(td_clip_pack, 4, clip_alone(p)) \
    X(td_quat_mul, 4, algebra(p)) \
    X(td_solver_get, 4, take_int(p, td_solver_get(any_index(p, 3)).integrators)) \
    X(td_skeleton_from_text, 2, grow(p)) \
    X(td_builder_add_material, 2, skeleton_alone(p)) \
    X(td_derivation_end, 2, grammar_alone(p)) \
    X(td_version, 8, names(p)) \
    X(td_constraints_check, 8, checks(p)) \
    X(td_pool_run, 2, pool_alone(p)) \
    X(td_file_write, 1, files(p)) \
    X(td_clip_glb, 1, clip_file(p)) \
    X(td_clip_collider_part, 2, clip_parts(p)) \
    X(td_world_add_kind, 1, kind_alone(p)) \
    X(td_world_new, 1, fill_and_step(p)) \
    X(td_scene_set_skeleton, 1, scene_of(p))
// clang-format on

typedef struct row {
    const char *name;
    int32_t weight;
    void (*call)(play *p);
} row;

#define DEFINE(name, weight, ...)      \
    static void call_##name(play *p) { \
        __VA_ARGS__;                   \
    }
#define ROW(name, weight, ...) {#name, weight, call_##name},
CALLS_OF(DEFINE)
static const row rows[] = {CALLS_OF(ROW)};
