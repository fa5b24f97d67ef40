// SPDX-License-Identifier: MIT
// Simbody: realizing a system's accelerations, from positions on.

#include "peer.h"

#include <Simbody.h>

namespace {

using namespace SimTK;

struct made {
    MultibodySystem system;
    SimbodyMatterSubsystem matter;
    GeneralForceSubsystem forces;
    State state;
    Vector positions[2], velocities[2];

    made() : matter(system), forces(system) {}
};

void add_body(made *m, int parent) {
    Body::Rigid bar(MassProperties(
        BENCH_MASS, Vec3(0, BENCH_LENGTH / 2, 0),
        UnitInertia(BENCH_ACROSS / BENCH_MASS, BENCH_ALONG / BENCH_MASS, BENCH_ACROSS / BENCH_MASS)
            .shiftFromCentroid(Vec3(0, -BENCH_LENGTH / 2, 0))));
    Vec3 joint(0, parent < 0 ? 0 : BENCH_LENGTH, 0);
    // the ground has index 0
    MobilizedBody &on = m->matter.updMobilizedBody(MobilizedBodyIndex(parent + 1));
    MobilizedBody::Ball(on, Transform(joint), bar, Transform());
}

// Rates of a ball are in the parent's axes here.
void keep_state(made *m, const peer_tree *tree, int which) {
    for (int i = 0; i < tree->count; i++) {
        const bench_motion *motion = &tree->motions[which][i];
        const double *q = motion->quaternion;
        Rotation turn(Quaternion(q[0], q[1], q[2], q[3]));
        Vec3 rate(motion->rate[0], motion->rate[1], motion->rate[2]);
        const MobilizedBody &body = m->matter.getMobilizedBody(MobilizedBodyIndex(i + 1));
        body.setQToFitRotation(m->state, turn);
        body.setUToFitAngularVelocity(m->state, turn * rate);
    }
    m->positions[which] = m->state.getQ();
    m->velocities[which] = m->state.getU();
}

void *make(const peer_tree *tree) {
    made *m = new made;
    Force::Gravity(m->forces, m->matter, Vec3(0, -BENCH_GRAVITY, 0));
    for (int i = 0; i < tree->count; i++) {
        add_body(m, tree->places[i].parent);
    }
    m->state = m->system.realizeTopology();
    m->system.realizeModel(m->state);
    keep_state(m, tree, 0);
    keep_state(m, tree, 1);
    return m;
}

void evaluate(void *context, int state) {
    made *m = static_cast<made *>(context);
    m->state.updQ() = m->positions[state];
    m->state.updU() = m->velocities[state];
    m->system.realize(m->state, Stage::Acceleration);
}

void accelerations(void *context, double *accel) {
    made *m = static_cast<made *>(context);
    const Vector &all = m->state.getUDot();
    for (int i = 0; i < all.size(); i++) {
        accel[i] = all[i];
    }
}

void release(void *context) {
    delete static_cast<made *>(context);
}

} // namespace

int main(int argc, char **argv) {
    peer engine = {"", make, evaluate, accelerations, release};
    int major, minor, build;
    SimTK_version_simbody(&major, &minor, &build);
    snprintf(engine.name, sizeof engine.name, "Simbody %d.%d", major, minor);
    return peer_main(&engine, argc, argv);
}
