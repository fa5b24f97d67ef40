// SPDX-License-Identifier: MIT
#pragma once

// What the parts of `tendril render` share: the order, and the page that is drawn.

#include "cli/cli.h"

#define RENDER_PATH 4096

typedef struct render_args {
    const char *file, *out;
    const char *format; // of the file: "png", "webm" or "gif"
    bool sequence;      // of .png files, with a number in the name
    int64_t width, height;
    double time, duration; // s; a duration below 0 was not given
    double fps;
    double turn, rise, zoom; // the camera: degrees, degrees, factor
    double orbit;            // degrees; not a number: not given
    const char *background;
    // of models
    int64_t steps, seed; // -1: as the file says
    double wind;         // m/s
    const char *view;
    cli_defines defines;
    cli_mesh_args look;
} render_args;

// Whether the order is for more than one picture.
bool render_moves(const render_args *args);

// A folder of its own for all that a picture takes.
typedef struct render_page {
    char folder[RENDER_PATH]; // "" : none
    char path[RENDER_PATH];   // of the page
    double start;             // s, on the page's clock: the time of the first picture
    int64_t count;            // of pictures
    double orbit;             // degrees
} render_page;

// Simulates what is shown and writes the page. Returns an exit code; unless it is 0 it has said
// why.
int render_page_make(const render_args *args, render_page *page);
// Removes the folder with all that is in it.
void render_page_remove(render_page *page);
