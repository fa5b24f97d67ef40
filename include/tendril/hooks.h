// SPDX-License-Identifier: MIT
#pragma once

/// @file hooks.h
/// What a program hears of the library besides status codes: a log, and broken assertions.

#include "tendril/base.h"

#ifdef __cplusplus
extern "C" {
#endif

// ---- log ------------------------------------------------------------------------------------

typedef enum td_log_level {
    TD_LOG_ERROR,   ///< Something that was asked for was not done. A status says so too.
    TD_LOG_WARNING, ///< It was done, but not as well as it should be: a step was taken in halves.
    TD_LOG_INFO,    ///< Something was made or changed.
} td_log_level;

/// Where messages go. All zero: nowhere. It is called by the thread that called the library, and
/// must not call the object that the message is about. `text` is one sentence without a line feed.
typedef struct td_log {
    void (*write)(void *context, td_log_level level, const char *text);
    void *context;
    td_log_level level; ///< The last that is wanted: TD_LOG_INFO is everything.
} td_log;

/// "error", "warning", "info"; never NULL.
TD_API const char *td_log_level_text(td_log_level level);

// ---- assertions -----------------------------------------------------------------------------

/// Called where the library finds a mistake of its own, with the place in its sources and what
/// does not hold. The program stops when the function returns. Debug and sanitizer builds alone
/// look for such mistakes: see td_has_asserts().
typedef void (*td_assert_hook)(void *context, const char *file, int line, const char *expression);

/// For the whole program; NULL prints to stderr, as at the start. Set it before other threads use
/// the library: it is the only thing that all share.
TD_API void td_set_assert_hook(td_assert_hook hook, void *context);
TD_API bool td_has_asserts(void);

#ifdef __cplusplus
}
#endif
