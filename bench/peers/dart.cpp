// SPDX-License-Identifier: MIT
// DART: Skeleton::computeForwardDynamics, the articulated-body algorithm.

#include "peer.h"

#include <dart/config.hpp>
#include <dart/dynamics/BallJoint.hpp>
#include <dart/dynamics/BodyNode.hpp>
#include <dart/dynamics/Skeleton.hpp>

#include <climits>
#include <malloc.h>
#include <string>

namespace {

using namespace dart::dynamics;

struct made {
    SkeletonPtr skeleton;
    Eigen::VectorXd positions[2], velocities[2];
};

void add_body(made *m, int i, int parent) {
    BallJoint::Properties joint;
    BodyNode::Properties body;
    joint.mName = "joint " + std::to_string(i);
    body.mName = "body " + std::to_string(i);
    if (parent >= 0) {
        joint.mT_ParentBodyToJoint.translation() = Eigen::Vector3d(0, BENCH_LENGTH, 0);
    }
    body.mInertia = Inertia(BENCH_MASS, Eigen::Vector3d(0, BENCH_LENGTH / 2, 0),
                            Eigen::Vector3d(BENCH_ACROSS, BENCH_ALONG, BENCH_ACROSS).asDiagonal());
    m->skeleton->createJointAndBodyNodePair<BallJoint>(
        parent < 0 ? nullptr : m->skeleton->getBodyNode(std::size_t(parent)), joint, body);
}

void *make(const peer_tree *tree) {
    made *m = new made;
    m->skeleton = Skeleton::create("tree");
    m->skeleton->setGravity(Eigen::Vector3d(0, -BENCH_GRAVITY, 0));
    for (int i = 0; i < tree->count; i++) {
        add_body(m, i, tree->places[i].parent);
    }
    for (int state = 0; state < 2; state++) {
        m->positions[state].resize(3 * tree->count);
        m->velocities[state].resize(3 * tree->count);
        for (int i = 0; i < tree->count; i++) {
            const bench_motion *motion = &tree->motions[state][i];
            m->positions[state].segment<3>(3 * i) = Eigen::Map<const Eigen::Vector3d>(motion->turn);
            m->velocities[state].segment<3>(3 * i) =
                Eigen::Map<const Eigen::Vector3d>(motion->rate);
        }
    }
    return m;
}

void evaluate(void *context, int state) {
    made *m = static_cast<made *>(context);
    m->skeleton->setPositions(m->positions[state]);
    m->skeleton->setVelocities(m->velocities[state]);
    m->skeleton->computeForwardDynamics();
}

void accelerations(void *context, double *accel) {
    made *m = static_cast<made *>(context);
    Eigen::VectorXd all = m->skeleton->getAccelerations();
    Eigen::Map<Eigen::VectorXd>(accel, all.size()) = all;
}

void release(void *context) {
    delete static_cast<made *>(context);
}

} // namespace

int main(int argc, char **argv) {
    // each body that is added makes its square matrices anew: keep their memory, or most of the
    // time goes into getting it from the system again
    mallopt(M_MMAP_THRESHOLD, 1 << 30);
    mallopt(M_TRIM_THRESHOLD, INT_MAX);
    peer engine = {"DART " DART_VERSION, make, evaluate, accelerations, release};
    return peer_main(&engine, argc, argv);
}
