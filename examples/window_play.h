// SPDX-License-Identifier: MIT
// For tests of window.c: a hand that moves by itself, and a picture of what is seen.
#pragma once

#include <SDL.h>
#include <SDL_opengl.h>
#include <stdio.h>
#include <stdlib.h>
#include <tendril/tendril.h>

static inline void play_button(Uint32 type, Uint8 button, int x, int y) {
    SDL_Event e = {.type = type};
    e.button.button = button;
    e.button.x = x;
    e.button.y = y;
    SDL_PushEvent(&e);
}

static inline void play_motion(int x, int y) {
    SDL_Event e = {.type = SDL_MOUSEMOTION};
    e.motion.x = x;
    e.motion.y = y;
    SDL_PushEvent(&e);
}

static inline void play_key(SDL_Keycode key) {
    SDL_Event e = {.type = SDL_KEYDOWN};
    e.key.keysym.sym = key;
    SDL_PushEvent(&e);
}

// The joint of a segment as a pixel.
static inline SDL_Point play_seen(const td_world *world, int32_t segment, td_mat4 camera, int width,
                                  int height) {
    td_vec3 joint;
    td_world_segment(world, td_world_actor_id(world, 0), segment, &joint, NULL, NULL);
    const td_vec3 seen = td_mat4_apply(camera, joint);
    return (SDL_Point){(int)(width * (1 + seen.x) / 2), (int)(height * (1 - seen.y) / 2)};
}

static inline bool play_picture(const char *file, int width, int height) {
    const size_t row = 3 * (size_t)width;
    unsigned char *pixels = malloc(row * (size_t)height);
    FILE *out = fopen(file, "wb");
    if (pixels && out) {
        glPixelStorei(GL_PACK_ALIGNMENT, 1);
        glReadPixels(0, 0, width, height, GL_RGB, GL_UNSIGNED_BYTE, pixels);
        fprintf(out, "P6 %d %d 255\n", width, height);
        for (int y = height - 1; y >= 0; y--) {
            fwrite(pixels + row * (size_t)y, row, 1, out);
        }
    }
    free(pixels);
    return out && fclose(out) == 0;
}
