// SPDX-License-Identifier: MIT
#pragma once

// Angles in degrees, exact at the multiples of 90 where models expect 0 and 1.

#include <math.h>

#define TDI_PI 3.14159265358979323846

static inline double tdi_radians(double degrees) {
    return degrees * (TDI_PI / 180);
}

static inline double tdi_sin_degrees(double angle) {
    double turn = fmod(angle, 360);
    if (fmod(turn, 180) == 0) {
        return 0;
    }
    if (fmod(turn, 90) == 0) {
        return turn == 90 || turn == -270 ? 1 : -1;
    }
    return sin(tdi_radians(turn));
}

static inline double tdi_cos_degrees(double angle) {
    double turn = fabs(fmod(angle, 360));
    return turn == 90 || turn == 270 ? 0 : turn == 180 ? -1 : cos(tdi_radians(turn));
}
