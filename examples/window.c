// SPDX-License-Identifier: MIT
// A plant in a window: SDL2 and OpenGL draw it, the mouse pulls at it.
//
//     cc window.c $(pkg-config --cflags --libs tendril sdl2 gl) -lm -o window
//
// Left button: pull. Right button: cut. Space: grow. Up and down: wind. D: what the world sees.
// `window FRAMES FILE` plays a hand for so many frames and writes the last one as a PPM picture.

#include "gl.h"
#include "growing.h"
#include "window_play.h"

enum { WIDTH = 800, HEIGHT = 600, MOST = 64 };

typedef struct view {
    td_world *world;
    growing plant;
    skin skins[MOST]; // one an actor
    td_mat4 camera;   // from the world to the screen
    td_vec3 eye;      // looks at `middle`
    td_vec3 middle;
    td_grab_id hand; // all zero: it holds nothing
    td_real depth;   // of what it holds
    double wind;
    bool debug, ends;
} view;

static bool make(view *v) {
    td_object_def object = td_object_def_default();
    td_scene_def scene = td_scene_def_default();
    td_scene_load wind = td_scene_load_default(TD_SCENE_WIND);
    td_diag diag = {.message = ""};
    td_skeleton *plant = growing_make(&v->plant, 8, &diag) ? growing_skeleton(&v->plant) : NULL;
    wind.as.wind.velocity = td_vec3_of(v->wind, 0, 0);
    wind.as.wind.intensity = 0.3;
    object.skeleton = plant;
    scene.objects = &object;
    scene.object_count = 1;
    scene.loads = &wind;
    scene.load_count = 1;
    if (!plant ||
        td_world_new(&scene, NULL, NULL, &v->world, &(td_diag_list){&diag, 1, 0}) != TD_OK) {
        SDL_Log("%s", diag.message);
        return false;
    }
    td_skeleton_free(plant);
    return skin_make(&v->skins[0],
                     td_world_actor(v->world, td_world_actor_id(v->world, 0)).skeleton);
}

// ---- drawing --------------------------------------------------------------------------------

static void draw(view *v) {
    td_draw lines = td_draw_default();
    gl_begin(v->camera);
    for (int32_t k = 0; k < td_world_actor_count(v->world) && k < MOST; k++) {
        skin_follow(&v->skins[k], v->world, k);
        gl_skin(&v->skins[k]);
    }
    lines.line = gl_line;
    lines.parts = v->debug ? TD_DRAW_ALL : TD_DRAW_GRABS;
    gl_begin_lines();
    td_world_draw(v->world, &lines, NULL);
    glEnd();
}

// ---- hands ----------------------------------------------------------------------------------

// The ray under the mouse: ahead, and to the side and up as far as the view shows there.
static td_ray ray_at(const view *v, int x, int y) {
    const td_vec3 ahead = td_vec3_unit_or(td_vec3_sub(v->middle, v->eye), v->eye);
    const td_vec3 right = td_vec3_unit_or(td_vec3_cross(ahead, td_vec3_of(0, 1, 0)), ahead);
    const double half = SDL_tan(0.4), side = half * (2.0 * x - WIDTH) / HEIGHT;
    const td_vec3 beside = td_vec3_madd(ahead, right, side), up = td_vec3_cross(right, ahead);
    const td_vec3 direction = td_vec3_madd(beside, up, half * (1 - 2.0 * y / HEIGHT));
    return (td_ray){.origin = v->eye, .direction = direction, .radius = 0.01};
}

static td_pick pick_at(const view *v, int x, int y) {
    const td_ray ray = ray_at(v, x, y);
    td_pick pick = {.segment = TD_NONE};
    td_world_cast_rays(v->world, 1, &ray, &pick, NULL);
    return pick;
}

static void pull(view *v, int x, int y) {
    const td_pick pick = pick_at(v, x, y);
    td_grab_def grab = td_grab_def_default();
    grab.actor = pick.actor;
    grab.segment = pick.segment;
    grab.point = pick.own;
    grab.to = pick.point;
    grab.stiffness = 8;
    v->depth = td_vec3_distance(pick.point, v->eye) / td_vec3_norm(ray_at(v, x, y).direction);
    td_world_add_grab(v->world, &grab, &v->hand, NULL); // of nothing: refused
}

// What falls off is an actor of its own; both get a new skin.
static void cut(view *v, int x, int y) {
    const td_pick pick = pick_at(v, x, y);
    const int32_t k = td_world_actor_index(v->world, pick.actor);
    td_actor_id fallen;
    // stems are cut where they are met, leaves at their joints
    if (td_world_cut_actor(v->world, pick.actor, pick.segment, pick.along, &fallen, NULL) ==
            TD_OK ||
        td_world_cut_actor(v->world, pick.actor, pick.segment, 0, &fallen, NULL) == TD_OK) {
        const int32_t other = td_world_actor_index(v->world, fallen);
        skin_make(&v->skins[k], td_world_actor(v->world, pick.actor).skeleton);
        if (other < MOST) {
            skin_make(&v->skins[other], td_world_actor(v->world, fallen).skeleton);
        }
    }
}

static void grow(view *v) {
    td_derivation_step(v->plant.string, NULL);
    td_skeleton *plant = growing_skeleton(&v->plant);
    if (td_world_regrow_actor(v->world, td_world_actor_id(v->world, 0), plant, NULL) == TD_OK) {
        skin_make(&v->skins[0], plant);
    }
    td_skeleton_free(plant);
}

static void handle(view *v, const SDL_Event *e) {
    const SDL_Keycode key = e->type == SDL_KEYDOWN ? e->key.keysym.sym : 0;
    v->ends = v->ends || e->type == SDL_QUIT || key == SDLK_ESCAPE;
    v->debug = v->debug != (key == SDLK_d);
    v->wind += (key == SDLK_UP) - (key == SDLK_DOWN);
    td_world_set(v->world, "loads[0].wind.velocity.x", v->wind, NULL);
    if (e->type == SDL_MOUSEBUTTONDOWN && e->button.button == SDL_BUTTON_LEFT) {
        pull(v, e->button.x, e->button.y);
    } else if (e->type == SDL_MOUSEBUTTONDOWN) {
        cut(v, e->button.x, e->button.y);
    } else if (key == SDLK_SPACE) {
        grow(v);
    } else if (e->type == SDL_MOUSEBUTTONUP) {
        td_world_remove_grab(v->world, v->hand, NULL); // when it holds something
    } else if (e->type == SDL_MOUSEMOTION) {
        const td_vec3 way = ray_at(v, e->motion.x, e->motion.y).direction;
        td_world_move_grab(v->world, v->hand, td_vec3_madd(v->eye, way, v->depth), NULL);
    }
}

// ---- the window -----------------------------------------------------------------------------

// Of a test: the plant grows three times, loses its top, and is pulled to the right.
static void play(const view *v, int frame) {
    const int32_t count = td_world_actor(v->world, td_world_actor_id(v->world, 0)).segment_count;
    const SDL_Point middle = play_seen(v->world, count / 2, v->camera, WIDTH, HEIGHT);
    const SDL_Point top = play_seen(v->world, count - 4, v->camera, WIDTH, HEIGHT);
    if (frame < 15 && frame % 5 == 0) {
        play_key(SDLK_SPACE);
    } else if (frame == 45) {
        play_button(SDL_MOUSEBUTTONDOWN, SDL_BUTTON_RIGHT, top.x, top.y);
    } else if (frame == 20) {
        play_button(SDL_MOUSEBUTTONDOWN, SDL_BUTTON_LEFT, middle.x, middle.y);
    } else if (frame > 20) {
        play_motion(middle.x + 15, middle.y);
    }
}

int main(int count, char **words) {
    const int frames = count == 3 ? atoi(words[1]) : 0;
    view v = {.wind = 3, .eye = {0.3, 0.35, 0.7}, .middle = {0.03, 0.21, 0}};
    SDL_Init(SDL_INIT_VIDEO);
    SDL_GL_SetAttribute(SDL_GL_DEPTH_SIZE, 24);
    SDL_Window *window = SDL_CreateWindow("Tendril", 0, 0, WIDTH, HEIGHT, SDL_WINDOW_OPENGL);
    if (!window || !SDL_GL_CreateContext(window) || !make(&v)) {
        SDL_Log("cannot begin: %s", SDL_GetError());
        return 1;
    }
    v.camera = td_mat4_mul(td_mat4_perspective(0.8, (double)WIDTH / HEIGHT, 0.01, 10),
                           td_mat4_look_at(v.eye, v.middle, td_vec3_of(0, 1, 0)));
    Uint64 last = SDL_GetPerformanceCounter();
    for (int frame = 0; !v.ends && (frames == 0 || frame < frames); frame++) {
        if (frames > 0) {
            play(&v, frame);
        }
        for (SDL_Event e; SDL_PollEvent(&e);) {
            handle(&v, &e);
        }
        const Uint64 now = SDL_GetPerformanceCounter();
        const double took = (double)(now - last) / (double)SDL_GetPerformanceFrequency();
        last = now;
        td_world_advance(v.world, frames > 0 ? 1.0 / 60 : took < 1.0 / 15 ? took : 1.0 / 15, NULL);
        draw(&v);
        SDL_GL_SwapWindow(window);
    }
    draw(&v);
    const bool fine = frames == 0 || (v.hand.place > 0 && td_world_actor_count(v.world) == 2 &&
                                      play_picture(words[2], WIDTH, HEIGHT));
    for (int32_t k = 0; k < MOST; k++) {
        skin_free(&v.skins[k]);
    }
    td_world_free(v.world);
    growing_free(&v.plant);
    SDL_Quit();
    return fine ? 0 : 1;
}
