// SPDX-License-Identifier: MIT
#pragma once

/// @file solver.h
/// The solvers that there are, by the names that scenes give them, and what each of them can do.

#include "tendril/step.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct td_solver_info {
    const char *name;     ///< As scenes name it.
    const char *text;     ///< A few words on what it makes of a skeleton.
    uint32_t integrators; ///< Those that it steps by: bits 1 << td_integrator.
    uint32_t laws;        ///< Laws of springs that it has: bits 1 << td_spring_law.
    bool stretchy;        ///< Segments change their lengths, and do not stay where they are
                          ///< attached.
    bool contact;         ///< What it moves touches colliders,
    bool mutual;          ///< and what else moves.
    bool ends;            ///< Strands can be held, and led, at both ends.
    bool rings;           ///< Strands can be closed.
    bool hinges;          ///< Joints can be hinges and slides.
    bool rest;            ///< A drawn shape can be one of rest under gravity.
    bool damping;         ///< Damping can be given as a ratio or a relaxation time.
    bool modes;           ///< It finds modes of vibration.
} td_solver_info;

/// The first is the one that objects have when they name none.
TD_API int32_t td_solver_count(void);
TD_API td_solver_info td_solver_get(int32_t index);
/// Index of the solver with this name, 0 for NULL, or TD_NONE.
TD_API int32_t td_solver_find(const char *name);

#ifdef __cplusplus
}
#endif
