// SPDX-License-Identifier: MIT
#pragma once

// A browser without a window that opens one page of ours and is asked things about it.

#include "cli/cli.h"

#include <sys/types.h>

#define BROWSER_PATH 4096

typedef struct browser {
    const char *command;       // of the sub-command, for messages
    char folder[BROWSER_PATH]; // of its profile and its log, which is there already
    pid_t process;             // 0: none
    int to, from;              // pipes
    char *message;             // bytes that came in, the oldest first
    size_t size, capacity, passed;
    int last_id;
    char session[64]; // of the page
} browser;

// Starts Chromium with the page at a path; `mark` ends its address, such as "#film". False after
// telling why not, as below; then, too, it wants to be stopped.
bool browser_open(browser *b, const char *command, const char *folder, const char *page,
                  const char *mark);
// The value of an expression of JavaScript, once it is there, as a text to be freed. It may last
// `seconds` at most; `otherwise` says what to do when it lasts longer.
bool browser_ask(browser *b, const char *expression, double seconds, const char *otherwise,
                 char **value);
void browser_stop(browser *b); // empty is allowed
// Base64 to bytes, in place. Returns how many, or 0 when it is not base64.
size_t browser_decode(char *text);

// A folder of its own for a page, "NAME-" and six letters among the temporary files. False after
// telling why not.
bool browser_make_folder(const char *command, const char *name, char folder[BROWSER_PATH]);
void browser_remove_folder(char folder[BROWSER_PATH]); // with all that is in it; "" is allowed

// Whether Ctrl-C was pressed since browser_open().
bool browser_stopped(void);
