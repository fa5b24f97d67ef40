// SPDX-License-Identifier: MIT
#pragma once

// Messages for a program's log.

#include "base/diag.h"
#include "tendril/hooks.h"

// Whether somebody wants messages of this level.
static inline bool tdi_logs(const td_log *log, td_log_level level) {
    return log->write && level <= log->level;
}

void tdi_log(const td_log *log, td_log_level level, const char *format, ...) TDI_PRINTF(3, 4);
