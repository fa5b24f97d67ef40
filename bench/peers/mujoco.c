// SPDX-License-Identifier: MIT
// MuJoCo: mj_forward.
//
// Method   The tree is given as XML, in which bodies are nested. The reader refuses deep nesting,
//          so that a branch goes on in a file of its own after some bodies.

#include "peer.h"

#include <mujoco/mujoco.h>

#define NESTED 40 // bodies in one file, one within the other; the reader takes about 100

typedef struct made {
    const peer_tree *tree;
    mjModel *model;
    mjData *data;
    mjtNum *positions[2], *velocities[2]; // of the two states, in the engine's order
} made;

// ---- model ----------------------------------------------------------------------------------

// Files that are being written, each included from the one before.
typedef struct writer {
    mjVFS *files;
    int32_t depth; // bodies that are open
    int32_t open;  // files that are open
    FILE **out;
    char **text;
    size_t *size;
} writer;

static bool begin_file(writer *w, const char *root) {
    w->out[w->open] = open_memstream(&w->text[w->open], &w->size[w->open]);
    if (!w->out[w->open]) {
        return false;
    }
    fprintf(w->out[w->open++], "<%s>\n", root);
    return true;
}

// The file is named after the body at which it begins.
static bool end_file(writer *w, const char *root, int32_t body) {
    int32_t k = --w->open;
    char name[32];
    fprintf(w->out[k], "</%s>\n", root);
    fclose(w->out[k]);
    snprintf(name, sizeof name, "b%d.xml", body);
    bool fine = mj_makeEmptyFileVFS(w->files, name, (int)w->size[k]) == 0;
    if (fine) {
        memcpy(w->files->filedata[mj_findFileVFS(w->files, name)], w->text[k], w->size[k]);
    }
    free(w->text[k]);
    return fine;
}

static bool begin_body(writer *w, const bench_place *place, int32_t i) {
    if (w->depth > 0 && w->depth % NESTED == 0) {
        fprintf(w->out[w->open - 1], "<include file='b%d.xml'/>\n", i);
        if (!begin_file(w, "mujocoinclude")) {
            return false;
        }
    }
    w->depth++;
    fprintf(w->out[w->open - 1],
            "<body pos='0 %.17g 0'><joint name='j%d' type='ball'/>"
            "<inertial pos='0 %.17g 0' mass='%.17g' diaginertia='%.17g %.17g %.17g'/>\n",
            place->parent < 0 ? 0 : BENCH_LENGTH, i, BENCH_LENGTH / 2, BENCH_MASS, BENCH_ACROSS,
            BENCH_ALONG, BENCH_ACROSS);
    return true;
}

static bool end_body(writer *w, int32_t i) {
    fprintf(w->out[w->open - 1], "</body>\n");
    w->depth--;
    return w->depth == 0 || w->depth % NESTED != 0 || end_file(w, "mujocoinclude", i);
}

// Ends bodies from `last` up to, not including, the parent of the next one.
static bool end_bodies(writer *w, const bench_place *places, int32_t last, int32_t parent) {
    bool fine = true;
    for (; fine && last != parent; last = places[last].parent) {
        fine = end_body(w, last);
    }
    return fine;
}

static bool write_tree(writer *w, const peer_tree *tree) {
    bool fine = begin_file(w, "mujoco");
    if (fine) {
        fprintf(w->out[0], "<worldbody>\n");
    }
    for (int32_t i = 0; fine && i < tree->count; i++) {
        fine = end_bodies(w, tree->places, i - 1, tree->places[i].parent) &&
               begin_body(w, &tree->places[i], i);
    }
    fine = fine && end_bodies(w, tree->places, tree->count - 1, -1);
    if (fine) {
        fprintf(w->out[0], "</worldbody>\n");
    }
    return fine && end_file(w, "mujoco", -1);
}

static mjModel *load(const peer_tree *tree) {
    char fault[256] = "out of memory";
    size_t most = (size_t)tree->count / NESTED + 2;
    writer w = {.files = malloc(sizeof(mjVFS)),
                .out = calloc(most, sizeof *w.out),
                .text = calloc(most, sizeof *w.text),
                .size = calloc(most, sizeof *w.size)};
    mjModel *model = NULL;
    if (w.files && w.out && w.text && w.size) {
        mj_defaultVFS(w.files);
        if (write_tree(&w, tree)) {
            model = mj_loadXML("b-1.xml", w.files, fault, sizeof fault);
        }
        mj_deleteVFS(w.files);
    }
    free(w.files);
    free(w.out);
    free(w.text);
    free(w.size);
    if (!model) {
        fprintf(stderr, "MuJoCo: %s\n", fault);
    }
    return model;
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
    m->model = load(tree);
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
