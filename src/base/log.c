// SPDX-License-Identifier: MIT
// Messages for a program's log.

#include "base/log.h"

#include <stdarg.h>
#include <stdio.h>

#define LONGEST 512 // characters of a message

const char *td_log_level_text(td_log_level level) {
    return level == TD_LOG_ERROR     ? "error"
           : level == TD_LOG_WARNING ? "warning"
           : level == TD_LOG_INFO    ? "info"
                                     : "";
}

void tdi_log(const td_log *log, td_log_level level, const char *format, ...) {
    char text[LONGEST];
    if (!tdi_logs(log, level)) {
        return;
    }
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    log->write(log->context, level, text);
}
