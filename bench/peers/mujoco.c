// SPDX-License-Identifier: MIT
// MuJoCo: mj_forward.

#include "mujoco_xml.h"

typedef struct made {
    const peer_tree *tree;
    mjModel *model;
    mjData *data;
    mjtNum *positions[2], *velocities[2]; // of the two states, in the engine's order
} made;

static void write_body(FILE *out, const peer_tree *tree, int32_t i) {
    fprintf(out,
            "<body pos='0 %.17g 0'><joint name='j%d' type='ball'/>"
            "<inertial pos='0 %.17g 0' mass='%.17g' diaginertia='%.17g %.17g %.17g'/>\n",
            tree->places[i].parent < 0 ? 0 : BENCH_LENGTH, i, BENCH_LENGTH / 2, BENCH_MASS,
            BENCH_ACROSS, BENCH_ALONG, BENCH_ACROSS);
}

// ---- engine ---------------------------------------------------------------------------------

// MuJoCo may order bodies in its own way
static int joint_of(const made *m, int32_t i) {
    char name[32];
    snprintf(name, sizeof name, "j%d", i);
    return mj_name2id(m->model, mjOBJ_JOINT, name);
}

static bool keep_states(made *m) {
    for (int state = 0; state < 2; state++) {
        mjtNum *q = m->positions[state] = calloc((size_t)m->model->nq, sizeof *q);
        mjtNum *v = m->velocities[state] = calloc((size_t)m->model->nv, sizeof *v);
        if (!q || !v) {
            return false;
        }
        for (int32_t i = 0; i < m->tree->count; i++) {
            const bench_motion *motion = &m->tree->motions[state][i];
            int joint = joint_of(m, i);
            mju_copy(q + m->model->jnt_qposadr[joint], motion->quaternion, 4);
            mju_copy(v + m->model->jnt_dofadr[joint], motion->rate, 3);
        }
    }
    return true;
}

static void release(void *context) {
    made *m = context;
    for (int state = 0; state < 2; state++) {
        free(m->positions[state]);
        free(m->velocities[state]);
    }
    if (m->data) {
        mj_deleteData(m->data);
    }
    if (m->model) {
        mj_deleteModel(m->model);
    }
    free(m);
}

static void *make(const peer_tree *tree) {
    made *m = calloc(1, sizeof *m);
    if (!m) {
        return NULL;
    }
    m->tree = tree;
    const mujoco_text text = {tree, write_body, NULL, NULL};
    m->model = mujoco_load(&text);
    m->data = m->model ? mj_makeData(m->model) : NULL;
    if (!m->data || m->model->nv != 3 * tree->count || !keep_states(m)) {
        release(m);
        return NULL;
    }
    m->model->opt.gravity[1] = -BENCH_GRAVITY;
    m->model->opt.gravity[2] = 0;
    m->model->opt.disableflags |= mjDSBL_CONSTRAINT | mjDSBL_CONTACT;
    return m;
}

static void evaluate(void *context, int state) {
    made *m = context;
    mju_copy(m->data->qpos, m->positions[state], m->model->nq);
    mju_copy(m->data->qvel, m->velocities[state], m->model->nv);
    mj_forward(m->model, m->data);
}

static void accelerations(void *context, double *accel) {
    made *m = context;
    mju_copy(accel, m->data->qacc, m->model->nv);
}

int main(int argc, char **argv) {
    peer engine = {
        .make = make, .evaluate = evaluate, .accelerations = accelerations, .release = release};
    snprintf(engine.name, sizeof engine.name, "MuJoCo %s", mj_versionString());
    return peer_main(&engine, argc, argv);
}
