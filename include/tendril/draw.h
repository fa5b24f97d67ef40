// SPDX-License-Identifier: MIT
#pragma once

/// @file draw.h
/// What a world is made of, as lines, points and texts for the debug view of a program.

#include "tendril/query.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum td_draw_part {
    TD_DRAW_SKELETON = 1, ///< A line a segment, a point a joint. Green; grey when disabled, blue
                          ///< when asleep, red when blocked.
    TD_DRAW_BOUNDS = 2,   ///< A box an actor.
    TD_DRAW_NAMES = 4,    ///< A text at the base of an actor.
    TD_DRAW_CONTACTS = 8, ///< A point a contact, and a line along its force.
    TD_DRAW_CONSTRAINTS = 16, ///< A point, a line along the force, and the name.
    TD_DRAW_GRABS = 32,       ///< A line from where it pulls to where it pulls to.
    TD_DRAW_COLLIDERS = 64,   ///< Edges of boxes, circles of round ones, a grid of planes.
    TD_DRAW_ALL = 127,
} td_draw_part;

/// Where to draw. Positions are in the world, m; a colour is 0xRRGGBB. A function may be NULL: what
/// it would draw is left out. Start from td_draw_default().
typedef struct td_draw {
    uint32_t struct_size;
    void *context;
    void (*line)(void *context, td_vec3 from, td_vec3 to, uint32_t colour);
    void (*point)(void *context, td_vec3 at, uint32_t colour);
    void (*text)(void *context, td_vec3 at, const char *text, uint32_t colour);
    uint32_t parts; ///< Of td_draw_part, or'ed. Default TD_DRAW_ALL.
    td_real force;  ///< m a N: length of the line of a force, at most 1 m. Default 0.1.
} td_draw;

TD_API td_draw td_draw_default(void);

/// Draws the world as it is, in the order of actors. Changes nothing. Takes memory for contacts and
/// gives it back.
TD_API td_status td_world_draw(const td_world *world, const td_draw *draw, td_diag *diag);

#ifdef __cplusplus
}
#endif
