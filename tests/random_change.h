// SPDX-License-Identifier: MIT
#pragma once

// Calls of random_api.c that change what a world is made of: cuts, growth, constraints, what is
// attached, drives; and what is seen of it.

#include <string.h>

// ---- cutting and growing --------------------------------------------------------------------

static void cut_actor(play *p) {
    const int32_t actor = any_actor(p);
    const td_actor_id id = below(p, 8) ? td_world_actor_id(p->world, actor) : any_actor_id(p);
    const td_real place = below(p, 2) ? 0 : number(p, 0, 1);
    td_actor_id fallen = {0};
    if (td_world_actor_count(p->world) < 2 * MOST &&
        take_status(p, td_world_cut_actor(world(p), id, any_segment(p, actor), place, &fallen,
                                          diag(p))) == TD_OK) {
        claim(td_world_actor_index(p->world, fallen) >= 0, "what fell is there");
        claim(td_world_actor_index(p->world, id) >= 0, "what was cut is there");
        p->actors[below(p, KEPT)] = fallen;
    }
}

// The plant A after some steps, with ids that stay.
static td_skeleton *named_plant(int32_t steps) {
    td_grammar_def def = td_grammar_def_default();
    td_derive_opts opts = td_derive_opts_default();
    OWNED(td_grammar) *grammar = NULL;
    OWNED(td_derivation) *derivation = NULL;
    td_skeleton *skeleton = NULL;
    def.text = plants[0];
    def.text_size = strlen(def.text);
    opts.names = true;
    td_status status = td_grammar_new(&def, &alloc, &grammar, NULL);
    status = status ? status : td_derivation_new(grammar, &opts, &alloc, &derivation, NULL);
    for (int32_t k = 0; k < steps && status == TD_OK; k++) {
        status = td_derivation_step(derivation, NULL);
    }
    const td_string string = td_derivation_string(derivation);
    status =
        status ? status : td_skeleton_from_string(grammar, &string, NULL, &alloc, &skeleton, NULL);
    claim(status == TD_OK, "a plant grows");
    return skeleton;
}

// What an actor is, in another size, or a plant; now and then none.
static td_skeleton *any_skeleton(play *p, int32_t actor) {
    const td_skeleton *is = td_world_actor(p->world, td_world_actor_id(p->world, actor)).skeleton;
    td_skeleton *skeleton = NULL;
    td_material_change change = td_material_change_default();
    change.young = number(p, 1e7, 1e9);
    change.density = number(p, 400, 900);
    if (is && below(p, 2)) {
        take_status(p, td_skeleton_changed_new(is, number(p, 0.8, 1.2), &change, below(p, 2),
                                               &alloc, &skeleton, diag(p)));
    } else if (!rarely(p)) {
        skeleton = named_plant(below(p, 4));
    }
    return skeleton;
}

static void regrow_actor(play *p) {
    const int32_t actor = any_actor(p);
    const td_actor_id id = below(p, 8) ? td_world_actor_id(p->world, actor) : any_actor_id(p);
    OWNED(td_skeleton) *skeleton = any_skeleton(p, actor);
    take_status(p, td_world_regrow_actor(world(p), id, skeleton, diag(p)));
}

static void add_own_actor(play *p) {
    td_actor_def def = td_actor_def_default();
    td_actor_id id = {0};
    OWNED(td_skeleton) *skeleton = any_skeleton(p, any_actor(p));
    def.object = any_index(p, 2);
    def.position = place(p);
    def.rotation = turn(p);
    def.skeleton = skeleton;
    if (td_world_actor_count(p->world) < MOST &&
        take_status(p, td_world_add_actor(world(p), &def, &id, diag(p))) == TD_OK) {
        p->actors[below(p, KEPT)] = id;
    }
}

// ---- constraints and what is attached -------------------------------------------------------

static td_constraint any_constraint(play *p) {
    td_constraint c =
        td_constraint_default((td_constraint_kind)any_index(p, TD_CONSTRAINT_SPRING + 1));
    c.actor[0] = any_actor(p);
    c.actor[1] = below(p, 2) ? any_actor(p) : TD_NONE;
    c.name = below(p, 4) ? NULL : "held";
    c.as_found = below(p, 8) > 0;
    for (int k = 0; k < 2; k++) {
        c.segment[k] = any_segment(p, c.actor[k]);
        c.point[k] = below(p, 2) ? (td_vec3){0, 0, 0} : vector(p, 0.1);
    }
    c.target.position = place(p);
    c.target.length = number(p, 0.1, 1);
    c.low = number(p, -1, 0);
    c.high = number(p, 0, 1);
    c.cone = number(p, 0.1, 1);
    c.ratio = number(p, -2, 2);
    c.end = below(p, 4) ? INFINITY : td_world_time(p->world) + number(p, 0, 1);
    c.break_force = below(p, 4) ? INFINITY : number(p, 0, 20);
    c.stiffness = number(p, 0.01, 1000);
    c.damping = number(p, 0, 2);
    return c;
}

static void add_constraint(play *p) {
    const td_constraint def = any_constraint(p);
    td_constraint_id id = {0};
    if (take_status(p, td_world_add_constraint(world(p), &def, any_actor_id(p),
                                               below(p, 2) ? any_actor_id(p) : (td_actor_id){0},
                                               &id, diag(p))) == TD_OK) {
        claim(td_world_constraint_index(p->world, id) >= 0, "a constraint that was added is there");
        td_world_remove_constraint(p->world, p->holds[0], NULL); // never more than a few
        memmove(p->holds, p->holds + 1, sizeof p->holds - sizeof *p->holds);
        p->holds[HELD - 1] = id;
    }
}

static td_constraint_id any_hold(play *p) {
    return p->holds[below(p, HELD)];
}

static void set_target(play *p) {
    td_constraint_target target = td_constraint_target_default();
    target.position = place(p);
    target.rotation = turn(p);
    target.joint = vector(p, 0.5);
    target.length = number(p, 0.1, 1);
    take_status(p, td_world_set_target(world(p), any_hold(p), &target, diag(p)));
}

static void attach(play *p) {
    td_attach_def def = td_attach_def_default();
    const int32_t to = any_actor(p);
    def.actor = any_actor_id(p);
    def.to = td_world_actor_id(p->world, to);
    def.segment = any_segment(p, to);
    def.position = below(p, 2) ? (td_vec3){0, 0.05, 0} : vector(p, 0.4);
    def.rotation = turn(p);
    def.break_force = below(p, 2) ? INFINITY : number(p, 0, 5);
    take_status(p, td_world_attach(world(p), &def, diag(p)));
}

static void carrier(play *p) {
    int32_t segment = TD_NONE;
    take_int(p, td_world_carrier(world(p), any_actor_id(p), rarely(p) ? NULL : &segment).place);
    take_int(p, segment);
}

// ---- drives ---------------------------------------------------------------------------------

static void set_drives(play *p) {
    td_joint_drive drives[3];
    const int32_t actor = any_actor(p), count = below(p, 4);
    for (int k = 0; k < 3; k++) {
        drives[k] = td_joint_drive_default();
        drives[k].torque = number(p, -0.1, 0.1);
        drives[k].offset = below(p, 2) ? 0 : number(p, -0.5, 0.5);
        drives[k].low = below(p, 8) ? -INFINITY : number(p, -1, 0);
    }
    const int32_t first =
        td_world_joint_dof(world(p), td_world_actor_id(world(p), actor), any_segment(p, actor));
    take_int(p, first);
    take_status(p, td_world_set_drives(world(p), td_world_actor_id(p->world, actor), first, count,
                                       rarely(p) ? NULL : drives, diag(p)));
}

static void set_springs(play *p) {
    const int32_t actor = any_actor(p), first = any_segment(p, actor), count = below(p, 3);
    td_joint_spring springs[2];
    for (int k = 0; k < 2; k++) {
        springs[k].stiffness = (td_vec3){number(p, 0.01, 2), number(p, 0.01, 2), number(p, 0, 2)};
        springs[k].damping = (td_vec3){number(p, 0, 0.1), 0.01, number(p, 0, 0.1)};
    }
    take_status(p, td_world_set_springs(world(p), td_world_actor_id(p->world, actor), first, count,
                                        rarely(p) ? NULL : springs, diag(p)));
}

// ---- what is seen ---------------------------------------------------------------------------

static void draw_line(void *context, td_vec3 from, td_vec3 to, uint32_t colour) {
    take_vec(context, from);
    take_vec(context, to);
    take_int(context, colour);
}

static void draw_point(void *context, td_vec3 at, uint32_t colour) {
    take_vec(context, at);
    take_int(context, colour);
}

static void draw_text(void *context, td_vec3 at, const char *text, uint32_t colour) {
    take_text(context, text);
    draw_point(context, at, colour);
}

static void draw_world(play *p) {
    td_draw d = td_draw_default();
    d.context = p;
    d.line = rarely(p) ? NULL : draw_line;
    d.point = rarely(p) ? NULL : draw_point;
    d.text = rarely(p) ? NULL : draw_text;
    d.parts = below(p, 2) ? TD_DRAW_ALL : (uint32_t)below(p, 300);
    d.force = number(p, 0, 1);
    take_status(p, td_world_draw(world(p), rarely(p) ? NULL : &d, diag(p)));
}

static void clusters_of(play *p) {
    static uint8_t modes[ROOM];
    static int32_t clusters[ROOM];
    td_reduce_stats stats = {0};
    td_adapt_stats adapted = {0};
    const int32_t actor = any_actor(p);
    take_int(p, td_world_actor_reduction(world(p), td_world_actor_id(world(p), actor), &stats));
    take_int(p, td_world_actor_adapt(world(p), td_world_actor_id(world(p), actor), &adapted));
    if (td_world_actor_clusters(p->world, td_world_actor_id(p->world, actor), modes,
                                rarely(p) ? NULL : clusters)) {
        take(p, modes,
             (size_t)td_world_actor(p->world, td_world_actor_id(p->world, actor)).segment_count);
    }
}

static void wind_at(play *p) {
    for (int k = 0; k < 4; k++) {
        points[0][k] = place(p);
        points[1][k] = (td_vec3){0, 0, 0};
    }
    td_world_wind(world(p), 4, points[0], points[1]);
    take_points(p, points[1], 4);
}

// ---- states changed by hand -----------------------------------------------------------------

// The actor may sleep: header says to wake it.
static void change_tree(play *p, int32_t actor, td_body *state) {
    const int32_t dofs = td_world_actor(p->world, td_world_actor_id(p->world, actor)).dof_count;
    td_real *velocities = td_tree_velocities(state);
    if (dofs > 0) {
        velocities[below(p, dofs)] += (td_real)below(p, 100) / 100 - 0.5;
        td_tree_state_changed(state);
    }
}

static void change_rod(play *p, td_body *state) {
    take_status(p, td_rod_set_spin(state, any_index(p, 4), number(p, -1, 1), NULL));
    take_status(p, td_rod_turn(state, any_index(p, 4), number(p, -0.5, 0.5), NULL));
    take_real(p, td_rod_twist_angle(state, any_index(p, 4)));
    take_vec(p, td_rod_velocity(state, any_index(p, 5)));
}

static void change_state(play *p) {
    const int32_t actor = any_actor(p);
    td_body *body = td_world_body(world(p), td_world_actor_id(world(p), actor));
    if (td_tree_coords(body)) {
        change_tree(p, actor, body);
    } else {
        change_rod(p, body);
    }
    td_world_wake_actor(p->world, td_world_actor_id(p->world, actor), NULL);
}
