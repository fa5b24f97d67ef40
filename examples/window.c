// SPDX-License-Identifier: MIT
// A plant in a window: SDL2 and OpenGL draw it, the mouse pulls at it.
//
//     cc window.c $(pkg-config --cflags --libs tendril sdl2 gl) -lm -o window
//
// Left button: pull. Up and down: wind. D: what the world sees. Escape: end.
// `window FRAMES FILE` plays a hand for so many frames and writes the last one as a PPM picture.

#include "gl.h"
#include "window_play.h"

#include <string.h>

enum { WIDTH = 800, HEIGHT = 600, MOST = 64 };

static const char text[] = "derivation length: 11\nlength unit: 0.04\nmaterial: 0 herb-stem\n"
                           "surface: L leaf, width=0.45, curl=35\naxiom: !(0.16)F(1)A(1.5)\n"
                           "A(s) : s > 0.3 --> !(0.11*s)F(s)[&(58)!(0.05)F(s*0.4)~L(s*2.2)]"
                           "/(137.5)[&(40)!(0.06)F(s*0.7)~L(s*1.5)]/(98)A(s*0.88)\n"
                           "A(s) : s <= 0.3 --> F(s)~L(s*2)\n";

typedef struct view {
    td_world *world;
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
    td_skeleton *plant = NULL;
    td_diag diag = {.message = ""};
    td_diag_list faults = {&diag, 1, 0};
    wind.as.wind.velocity = td_vec3_of(v->wind, 0, 0);
    wind.as.wind.intensity = 0.3;
    object.damping_ratio = 0.06;
    scene.objects = &object;
    scene.object_count = 1;
    scene.loads = &wind;
    scene.load_count = 1;
    if (td_skeleton_from_text(text, strlen(text), NULL, &plant, &diag) == TD_OK) {
        object.skeleton = plant;
        td_world_new(&scene, NULL, NULL, &v->world, &faults);
    }
    td_skeleton_free(plant);
    if (!v->world) {
        SDL_Log("%s", diag.message);
        return false;
    }
    return skin_make(&v->skins[0], td_world_actor(v->world, 0).skeleton);
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
    td_world_cast_rays(v->world, 1, &ray, &pick);
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

static void handle(view *v, const SDL_Event *e) {
    const SDL_Keycode key = e->type == SDL_KEYDOWN ? e->key.keysym.sym : 0;
    v->ends = v->ends || e->type == SDL_QUIT || key == SDLK_ESCAPE;
    v->debug = v->debug != (key == SDLK_d);
    v->wind += (key == SDLK_UP) - (key == SDLK_DOWN);
    td_world_set(v->world, "loads[0].wind.velocity.x", v->wind, NULL);
    if (e->type == SDL_MOUSEBUTTONDOWN && e->button.button == SDL_BUTTON_LEFT) {
        pull(v, e->button.x, e->button.y);
    } else if (e->type == SDL_MOUSEBUTTONUP) {
        td_world_remove_grab(v->world, v->hand, NULL); // when it holds something
    } else if (e->type == SDL_MOUSEMOTION) {
        const td_vec3 way = ray_at(v, e->motion.x, e->motion.y).direction;
        td_world_move_grab(v->world, v->hand, td_vec3_madd(v->eye, way, v->depth), NULL);
    }
}

// ---- the window -----------------------------------------------------------------------------

// Of a test: takes the plant half-way up and pulls to the right.
static void play(const view *v, int frame) {
    const int32_t segment = td_world_actor(v->world, 0).segment_count / 2;
    const SDL_Point p = play_seen(v->world, segment, v->camera, WIDTH, HEIGHT);
    if (frame == 20) {
        play_button(SDL_MOUSEBUTTONDOWN, SDL_BUTTON_LEFT, p.x, p.y);
    } else if (frame > 20) {
        play_motion(p.x + 15, p.y);
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
    for (int frame = 0; !v.ends && (frames == 0 || frame < frames); frame++) {
        if (frames > 0) {
            play(&v, frame);
        }
        for (SDL_Event e; SDL_PollEvent(&e);) {
            handle(&v, &e);
        }
        td_world_step(v.world, NULL); // 1/60 s, as the screen has it
        draw(&v);
        SDL_GL_SwapWindow(window);
    }
    draw(&v);
    const bool fine = frames == 0 || (v.hand.place > 0 && play_picture(words[2], WIDTH, HEIGHT));
    for (int32_t k = 0; k < MOST; k++) {
        skin_free(&v.skins[k]);
    }
    td_world_free(v.world);
    SDL_Quit();
    return fine ? 0 : 1;
}
