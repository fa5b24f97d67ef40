// SPDX-License-Identifier: MIT
// Objects that explicit integrators step touch colliders: sticks that hold, slide and bounce.

#include "td_test.h"
#include "tendril/tendril.h"
#include "test_resume_support.h"

#include <math.h>
#include <string.h>

#define FRICTION 0.4
#define GRAVITY  9.81
#define RADIUS   0.01 // m
#define STEP     1e-3 // s

typedef struct stage {
    td_object_def object;
    td_vec3 ends[2];
    td_scene_collider plane;
    td_scene_def scene;
    td_world *world;
    td_diag diag;
} stage;

// A level stick of one segment, its surface so far above the plane.
static void set_up(stage *s, td_integrator integrator, double height) {
    memset(s, 0, sizeof *s);
    s->scene = td_scene_def_default();
    s->scene.air_density = 0;
    s->scene.step = STEP;
    s->scene.contact = td_scene_def_default().contact;
    s->scene.contact.given = true;
    s->scene.contact.self = false;
    s->scene.contact.method = TD_CONTACT_EXACT;
    s->plane = td_scene_collider_default(TD_COLLIDER_PLANE);
    s->plane.as.friction = FRICTION;
    s->scene.colliders = &s->plane;
    s->scene.collider_count = 1;
    s->object = td_object_def_default();
    s->ends[0] = (td_vec3){-0.1, RADIUS + height, 0};
    s->ends[1] = (td_vec3){0.1, RADIUS + height, 0};
    s->object.name = "stick";
    s->object.loose = true;
    s->object.start = TD_START_DRAWN;
    s->object.integrator = integrator;
    s->object.strand.points = s->ends;
    s->object.strand.point_count = 2;
    s->object.strand.segments = 1;
    s->object.strand.radius = RADIUS;
}

static td_status open_stage(stage *s) {
    td_diag_list diags = {&s->diag, 1, 0};
    td_world_opts opts = td_world_opts_default();
    s->scene.objects = &s->object;
    s->scene.object_count = 1;
    return td_world_new(&s->scene, &opts, NULL, &s->world, &diags);
}

static void go(stage *s, int steps) {
    td_status status = TD_OK;
    for (int k = 0; k < steps && status == TD_OK; k++) {
        status = td_world_step(s->world, &s->diag);
    }
    CHECK_SAY(status == TD_OK, "%s", s->diag.message);
}

static td_vec3 place_of(const stage *s) {
    td_vec3 x;
    td_world_segment(s->world, td_world_actor_id(s->world, 0), 0, &x, NULL, NULL);
    return x;
}

static const td_integrator integrators[] = {TD_EULER, TD_RK4};

TD_TEST(world_explicit_stick_holds_on_a_slope_below_friction_and_slides_above_it) {
    for (int k = 0; k < 4; k++) {
        const double slope = (k % 2 ? 1.5 : 0.9) * FRICTION, tilt = atan(slope);
        stage s;
        set_up(&s, integrators[k / 2], 0);
        s.scene.gravity = (td_vec3){GRAVITY * sin(tilt), -GRAVITY * cos(tilt), 0};
        CHECK_SAY(open_stage(&s) == TD_OK, "%s", s.diag.message);
        go(&s, 500);
        const double way = place_of(&s).x + 0.1, t = td_world_time(s.world),
                     a = GRAVITY * (sin(tilt) - FRICTION * cos(tilt)),
                     want = k % 2 ? 0.5 * a * t * t : 0;
        // a step more or less of Euler's method
        CHECK_SAY(fabs(way - want) < 0.005 * want + 1e-9, "slope %g: %g m, not %g", slope, way,
                  want);
        CHECK_SAY(fabs(place_of(&s).y - RADIUS) < 1e-6, "height %g", place_of(&s).y);
        td_world_free(s.world);
    }
}

TD_TEST(world_explicit_contacts_carry_the_weight) {
    stage s;
    td_contact list[4];
    set_up(&s, TD_RK4, 0);
    CHECK_INT(open_stage(&s), TD_OK);
    go(&s, 50);
    const int32_t count = td_world_contacts(s.world, list, 4);
    double up = 0;
    for (int32_t k = 0; k < count && k < 4; k++) {
        up += list[k].force.y;
        CHECK_INT(list[k].actor, 0);
        CHECK_INT(list[k].other, 0);
    }
    // a rope of 0.2 m, 900 kg/m^3
    const double weight = 900 * 3.14159265358979 * RADIUS * RADIUS * 0.2 * GRAVITY;
    CHECK_INT(count, 2);
    CHECK_SAY(fabs(up / weight - 1) < 1e-6, "%g N of %g", up, weight);
    td_world_free(s.world);
}

// Falls by d, comes up by e^2 d.
TD_TEST(world_explicit_stick_bounces_by_its_restitution) {
    for (int k = 0; k < 2; k++) {
        const double d = 0.2, e = 0.6;
        stage s;
        set_up(&s, integrators[k], d);
        s.plane.as.restitution = e;
        s.scene.contact.law = k ? TD_IMPACT_POISSON : TD_IMPACT_NEWTON;
        CHECK_SAY(open_stage(&s) == TD_OK, "%s", s.diag.message);
        const int fall = (int)(sqrt(2 * d / GRAVITY) / STEP);
        double top = 0;
        go(&s, fall + 5);
        for (int n = 0; n < fall; n++) {
            go(&s, 1);
            top = fmax(top, place_of(&s).y - RADIUS);
        }
        CHECK_SAY(fabs(top - e * e * d) < 0.02 * d, "it comes up by %g m, not %g", top, e * e * d);
        td_world_free(s.world);
    }
}

TD_TEST(world_explicit_contact_goes_on_with_the_same_bits) {
    stage s;
    set_up(&s, TD_RK4, 0.02);
    s.plane.as.restitution = 0.5;
    CHECK_INT(open_stage(&s), TD_OK);
    go(&s, 60); // at about the impact
    check_resumes(s.world, 50);
    td_world_free(s.world);
}

TD_TEST(world_explicit_contact_between_objects_is_refused_by_name) {
    stage s;
    set_up(&s, TD_RK4, 0);
    s.scene.contact.self = true;
    CHECK(open_stage(&s) != TD_OK);
    CHECK_SAY(strstr(s.diag.message, "self: false"), "%s", s.diag.message);
    set_up(&s, TD_EULER, 0);
    s.object.solver = "rod";
    s.object.loose = false;
    CHECK(open_stage(&s) != TD_OK);
    CHECK_SAY(strstr(s.diag.message, "integrator"), "%s", s.diag.message);
    set_up(&s, TD_RK4, 0);
    CHECK_INT(open_stage(&s), TD_OK);
    CHECK_INT(td_world_set_integrator(s.world, 0, TD_IMPLICIT, NULL), TD_ERR_ARGUMENT);
    CHECK_INT(td_world_set_integrator(s.world, 0, TD_EULER, NULL), TD_OK);
    go(&s, 1);
    td_world_free(s.world);
}
