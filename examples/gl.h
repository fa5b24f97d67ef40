// SPDX-License-Identifier: MIT
// The old OpenGL, which every system has, draws skins and lines.
#pragma once

#include "skin.h"

#include <SDL_opengl.h>
#include <math.h>

static inline void gl_begin(td_mat4 camera) {
    static const float light[4] = {0.4f, 0.8f, 0.5f, 0}, shade[4] = {0.5f, 0.5f, 0.5f, 1};
    static const GLenum on[] = {GL_DEPTH_TEST, GL_LIGHT0, GL_LIGHTING, GL_COLOR_MATERIAL,
                                GL_NORMALIZE};
    float matrix[16];
    td_mat4_floats(camera, matrix);
    for (size_t k = 0; k < sizeof on / sizeof *on; k++) {
        glEnable(on[k]);
    }
    glClearColor(0.86f, 0.91f, 0.95f, 1);
    glClear(GL_COLOR_BUFFER_BIT | GL_DEPTH_BUFFER_BIT);
    glLightfv(GL_LIGHT0, GL_POSITION, light);
    glLightModelfv(GL_LIGHT_MODEL_AMBIENT, shade);
    glLightModeli(GL_LIGHT_MODEL_TWO_SIDE, 1); // leaves are seen from below
    glMatrixMode(GL_PROJECTION);
    glLoadMatrixf(matrix);
}

static inline void gl_skin(const skin *s) {
    for (int32_t k = 0; s->mesh && k < td_mesh_part_count(s->mesh); k++) {
        const td_mesh_part p = td_mesh_part_get(s->mesh, k);
        glBegin(GL_TRIANGLES);
        for (int32_t i = 0; i < p.index_count; i++) {
            const uint8_t *c = p.color + 4 * p.index[i]; // linear: the screen takes about its root
            float at[3], normal[3];
            skin_vertex(s, &p, p.index[i], at, normal);
            glColor3f(sqrtf(c[0] / 255.0f), sqrtf(c[1] / 255.0f), sqrtf(c[2] / 255.0f));
            glNormal3fv(normal);
            glVertex3fv(at);
        }
        glEnd();
    }
}

static inline void gl_begin_lines(void) {
    glDisable(GL_LIGHTING);
    glBegin(GL_LINES);
}

// As td_draw has it.
static inline void gl_line(void *context, td_vec3 from, td_vec3 to, uint32_t colour) {
    (void)context;
    glColor3ub((GLubyte)(colour >> 16), (GLubyte)(colour >> 8), (GLubyte)colour);
    glVertex3d(from.x, from.y, from.z);
    glVertex3d(to.x, to.y, to.z);
}
