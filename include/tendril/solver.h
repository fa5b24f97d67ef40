// SPDX-License-Identifier: MIT
#pragma once

/// @file solver.h
/// The list of solvers, with their names in scenes and what each of them can do.

#include "tendril/step.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct td_solver_info {
    const char *name;      ///< As scenes name it.
    const char *text;      ///< A short description.
    uint32_t integrators;  ///< Integrators that it has: bits 1 << td_integrator.
    uint32_t laws;         ///< Laws of springs that it has: bits 1 << td_spring_law.
    bool stretchy;         ///< Segments change their lengths, and do not stay where they are
                           ///< attached.
    bool curved;           ///< Segments are chords of curves: likewise, but because these bend.
    bool contact;          ///< Its states touch colliders,
    bool mutual;           ///< themselves, and states of all solvers.
    bool ends;             ///< Both ends of a strand can have prescribed motions.
    bool rings;            ///< Strands can be closed.
    bool hinges;           ///< Joints can be hinges and slides.
    bool rest;             ///< A drawn shape can be one of rest under gravity.
    bool damping;          ///< Damping can be given as a ratio or a relaxation time.
    bool stiffens;         ///< Its stiffness in bending and in twist can change while it runs.
    bool modes;            ///< It can compute vibration modes.
    bool adapts;           ///< It can leave out joints that do not matter.
    bool explicit_contact; ///< With explicit integrators ends of segments touch colliders.
} td_solver_info;

/// The first is the default of objects.
TD_API int32_t td_solver_count(void);
TD_API td_solver_info td_solver_get(int32_t index);
/// Index of the solver with this name, 0 for NULL, or TD_NONE.
TD_API int32_t td_solver_find(const char *name);

#ifdef __cplusplus
}
#endif
