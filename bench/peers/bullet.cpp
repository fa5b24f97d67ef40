// SPDX-License-Identifier: MIT
// Bullet: the articulated-body algorithm of btMultiBody, in double precision.
//
// Method   The algorithm adds dt times the accelerations to the velocities; with dt = 1 they are
//          what the velocities have changed by.

#include "peer.h"

#include <BulletDynamics/Featherstone/btMultiBody.h>
#include <LinearMath/btScalar.h>

#include <memory>

namespace {

struct made {
    const peer_tree *tree;
    std::unique_ptr<btMultiBody> body;
    btAlignedObjectArray<btScalar> reals;
    btAlignedObjectArray<btVector3> vectors;
    btAlignedObjectArray<btMatrix3x3> matrices;
};

void add_link(made *m, int i) {
    int parent = m->tree->places[i].parent;
    btVector3 half(0, BENCH_LENGTH / 2, 0);
    btVector3 to_joint = parent < 0 ? btVector3(0, 0, 0) : half;
    m->body->setupSpherical(i, BENCH_MASS, btVector3(BENCH_ACROSS, BENCH_ALONG, BENCH_ACROSS),
                            parent, btQuaternion(0, 0, 0, 1), to_joint, half, true);
}

void *make(const peer_tree *tree) {
    made *m = new made;
    m->tree = tree;
    m->body.reset(new btMultiBody(tree->count, 0, btVector3(0, 0, 0), true, false));
    for (int i = 0; i < tree->count; i++) {
        add_link(m, i);
    }
    m->body->finalizeMultiDof();
    m->body->setHasSelfCollision(false);
    m->body->setLinearDamping(0);
    m->body->setAngularDamping(0);
    m->body->setMaxCoordinateVelocity(BT_LARGE_FLOAT);
    for (int i = 0; i < tree->count; i++) {
        m->body->addLinkForce(i, btVector3(0, -BENCH_GRAVITY * BENCH_MASS, 0));
    }
    return m;
}

void set_state(made *m, int state) {
    for (int i = 0; i < m->tree->count; i++) {
        const bench_motion *motion = &m->tree->motions[state][i];
        const double *q = motion->quaternion;
        btScalar turn[4] = {q[1], q[2], q[3], q[0]};
        m->body->setJointPosMultiDof(i, turn);
        m->body->setJointVelMultiDof(i, motion->rate);
    }
}

void evaluate(void *context, int state) {
    made *m = static_cast<made *>(context);
    set_state(m, state);
    m->body->computeAccelerationsArticulatedBodyAlgorithmMultiDof(1, m->reals, m->vectors,
                                                                  m->matrices, false, false, false);
}

void accelerations(void *context, double *accel) {
    made *m = static_cast<made *>(context);
    for (int i = 0; i < m->tree->count; i++) {
        const btScalar *rate = m->body->getJointVelMultiDof(i);
        for (int k = 0; k < 3; k++) {
            accel[3 * i + k] = rate[k] - m->tree->motions[0][i].rate[k];
        }
    }
}

void release(void *context) {
    delete static_cast<made *>(context);
}

} // namespace

int main(int argc, char **argv) {
    peer engine = {"", make, evaluate, accelerations, release};
    snprintf(engine.name, sizeof engine.name, "Bullet %d.%d", btGetVersion() / 100,
             btGetVersion() % 100);
    return peer_main(&engine, argc, argv);
}
