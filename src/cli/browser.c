// SPDX-License-Identifier: MIT
// A browser to draw with: Chromium, started without a window and spoken to through two pipes.
//
// Method   The browser's debugging protocol: messages are JSON objects that end with a zero byte,
//          and each question has an id that comes back at the head of its answer. We open a page,
//          attach to it and evaluate expressions. What else the browser tells is passed over.

#define _XOPEN_SOURCE 700 // nftw

#include "cli/browser.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define START_SECONDS 60.0                // a browser that was never started here reads its disk
#define STOP_SECONDS  5.0                 // until it is killed
#define MAX_MESSAGE   ((size_t)512 << 20) // bytes
#define FREE_FD       10                  // the browser reads from 3 and writes to 4

// ---- being stopped --------------------------------------------------------------------------

static volatile sig_atomic_t stopped;

static void stop(int number) {
    (void)number;
    stopped = 1;
}

bool browser_stopped(void) {
    return stopped != 0;
}

static void set_signals(void (*handler)(int)) {
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_handler = handler;
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
    sigaction(SIGHUP, &action, NULL);
}

// ---- JSON -----------------------------------------------------------------------------------

// The text after the first `"key":` of a message, or NULL.
static char *text_of(const char *message, const char *key) {
    char quoted[64];
    snprintf(quoted, sizeof quoted, "\"%s\":\"", key);
    const char *from = strstr(message, quoted);
    char *out = from ? malloc(strlen(from) + 1) : NULL, *to = out;
    if (!out) {
        return NULL;
    }
    for (from += strlen(quoted); *from && *from != '"'; from++) {
        if (*from != '\\') {
            *to++ = *from;
        } else if (*++from == 'u') { // beyond ASCII: not in what our page answers
            from += strspn(from + 1, "0123456789abcdefABCDEF");
            *to++ = '?';
        } else {
            *to++ = *from == 'n' || *from == 't' || *from == 'r' ? ' ' : *from;
        }
    }
    *to = 0;
    return out;
}

// ---- messages -------------------------------------------------------------------------------

static bool lost(const browser *b) {
    if (!stopped) {
        cli_error("%s: the browser ended before it was asked to", b->command);
    }
    return false;
}

static bool send_bytes(browser *b, const char *bytes, size_t size) {
    while (size > 0) {
        ssize_t sent = write(b->to, bytes, size);
        if (sent < 0 && (errno != EINTR || stopped)) {
            return lost(b);
        }
        bytes += sent > 0 ? sent : 0;
        size -= sent > 0 ? (size_t)sent : 0;
    }
    return true;
}

// Sends a question; `params` is JSON. The id of the answer is b->last_id then.
static bool send_question(browser *b, const char *method, const char *params) {
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    if (!out) {
        cli_error("%s: out of memory", b->command);
        return false;
    }
    fprintf(out, "{\"id\":%d,\"method\":\"%s\",\"params\":%s", ++b->last_id, method, params);
    if (b->session[0]) {
        fprintf(out, ",\"sessionId\":\"%s\"", b->session);
    }
    fputc('}', out);
    bool fine = fclose(out) == 0 && send_bytes(b, text, size + 1); // with the zero
    free(text);
    return fine;
}

static bool make_room(browser *b) {
    if (b->passed > 0) {
        memmove(b->message, b->message + b->passed, b->size - b->passed);
        b->size -= b->passed;
        b->passed = 0;
    }
    if (b->capacity - b->size >= 65536) {
        return true;
    }
    size_t wanted = 2 * b->capacity + 131072;
    char *more = wanted <= MAX_MESSAGE ? realloc(b->message, wanted) : NULL;
    if (!more) {
        cli_error("%s: out of memory for what the browser tells", b->command);
        return false;
    }
    b->message = more;
    b->capacity = wanted;
    return true;
}

// Waits for bytes until `end`. *late: none came.
static bool read_bytes(browser *b, double end, bool *late) {
    double left = end - cli_seconds();
    struct pollfd ready = {.fd = b->from, .events = POLLIN};
    *late = left <= 0;
    if (*late || stopped) {
        return false;
    }
    int count = poll(&ready, 1, (int)(1000 * left) + 1);
    if (count <= 0) {
        return count == 0 || errno == EINTR ? true : lost(b);
    }
    if (!make_room(b)) {
        return false;
    }
    ssize_t got = read(b->from, b->message + b->size, b->capacity - b->size);
    if (got <= 0) {
        return (got < 0 && errno == EINTR) || lost(b);
    }
    b->size += (size_t)got;
    return true;
}

// The answer to the last question, valid until the next; NULL after telling why there is none.
static const char *read_answer(browser *b, double seconds, const char *otherwise) {
    const double end = cli_seconds() + seconds;
    char head[40];
    bool late = false;
    size_t seen = b->passed;
    snprintf(head, sizeof head, "{\"id\":%d,", b->last_id);
    for (;;) {
        const char *from = b->message ? b->message + b->passed : NULL;
        const char *zero =
            from && seen < b->size ? memchr(b->message + seen, 0, b->size - seen) : NULL;
        if (zero) {
            b->passed = (size_t)(zero + 1 - b->message);
            seen = b->passed;
            if (strncmp(from, head, strlen(head)) == 0) {
                return from;
            }
            continue;
        }
        size_t unread = b->size - b->passed;
        if (!read_bytes(b, end, &late)) {
            if (late) {
                cli_error("%s: the browser took more than %g s%s", b->command, seconds, otherwise);
            }
            return NULL;
        }
        seen = b->passed + unread; // what was there has no zero
    }
}

// ---- starting -------------------------------------------------------------------------------

// $CHROMIUM, or the first of the usual names that is on the path.
static bool find_browser(char path[BROWSER_PATH]) {
    static const char *const names[] = {"chromium", "chromium-browser", "google-chrome",
                                        "google-chrome-stable"};
    const char *given = getenv("CHROMIUM"), *folders = getenv("PATH");
    if (given && given[0]) {
        return snprintf(path, BROWSER_PATH, "%s", given) < BROWSER_PATH && access(path, X_OK) == 0;
    }
    for (size_t k = 0; k < sizeof names / sizeof names[0]; k++) {
        for (const char *at = folders ? folders : ""; *at;) {
            size_t length = strcspn(at, ":");
            int size = snprintf(path, BROWSER_PATH, "%.*s/%s", (int)length, at, names[k]);
            if (length > 0 && size < BROWSER_PATH && access(path, X_OK) == 0) {
                return true;
            }
            at += length + (at[length] == ':');
        }
    }
    return false;
}

// A pipe whose ends nobody inherits unasked, both at FREE_FD or above.
static bool make_pipe(int ends[2]) {
    int made[2];
    if (pipe(made) != 0) {
        return false;
    }
    for (int k = 0; k < 2; k++) {
        ends[k] = fcntl(made[k], F_DUPFD_CLOEXEC, FREE_FD);
        close(made[k]);
    }
    return ends[0] >= 0 && ends[1] >= 0;
}

static bool spawn(browser *b, const char *program, int in, int out) {
    extern char **environ;
    char profile[BROWSER_PATH + 40], log[BROWSER_PATH + 40];
    snprintf(profile, sizeof profile, "--user-data-dir=%s/profile", b->folder);
    snprintf(log, sizeof log, "%s/log", b->folder);
    // drawn in software: the same picture with every graphics card, and without one
    const char *arguments[] = {program, profile, "--headless", "--remote-debugging-pipe",
                               "--use-angle=swiftshader", "--enable-unsafe-swiftshader",
                               "--disable-background-networking", "--disable-component-update",
                               "--disable-sync", "--no-first-run", "--mute-audio",
                               // root has no sandbox, and the page is ours
                               geteuid() == 0 ? "--no-sandbox" : NULL, NULL};
    posix_spawn_file_actions_t files;
    posix_spawnattr_t how;
    posix_spawn_file_actions_init(&files);
    posix_spawnattr_init(&how);
    posix_spawn_file_actions_addopen(&files, 0, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_addopen(&files, 1, log, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    posix_spawn_file_actions_adddup2(&files, 1, 2);
    posix_spawn_file_actions_adddup2(&files, in, 3);
    posix_spawn_file_actions_adddup2(&files, out, 4);
    // a group of its own: it can be ended with all its processes, and Ctrl-C is for us
    posix_spawnattr_setflags(&how, POSIX_SPAWN_SETPGROUP);
    int error = posix_spawn(&b->process, program, &files, &how, (char **)arguments, environ);
    posix_spawn_file_actions_destroy(&files);
    posix_spawnattr_destroy(&how);
    if (error != 0) {
        b->process = 0;
        cli_error("%s: cannot start %s: %s", b->command, program, strerror(error));
    }
    return error == 0;
}

static bool start(browser *b, const char *program) {
    int in[2] = {-1, -1}, out[2] = {-1, -1};
    bool made = make_pipe(in) && make_pipe(out);
    if (!made) {
        cli_error("%s: cannot make a pipe: %s", b->command, strerror(errno));
    }
    bool fine = made && spawn(b, program, in[0], out[1]);
    close(in[0]);
    close(out[1]);
    b->to = in[1];
    b->from = out[0];
    return fine;
}

// Asks, and keeps a short text of the answer.
static bool ask_name(browser *b, const char *method, const char *params, const char *key, char *out,
                     size_t size) {
    const char *answer = NULL;
    if (send_question(b, method, params)) {
        answer = read_answer(b, START_SECONDS, " to start");
    }
    char *name = answer ? text_of(answer, key) : NULL;
    bool fine = name && snprintf(out, size, "%s", name) < (int)size;
    if (answer && !fine) {
        cli_error("%s: the browser gave an answer that is not understood: %.200s", b->command,
                  answer);
    }
    free(name);
    return fine;
}

static bool attach(browser *b, const char *page, const char *mark) {
    char target[64] = "", session[64] = "", *params = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&params, &size);
    if (!out) {
        cli_error("%s: out of memory", b->command);
        return false;
    }
    fputs("{\"url\":\"file://", out);
    for (const char *c = page; *c; c++) {
        const bool plain = isalnum((unsigned char)*c) || strchr("/-._~", *c);
        fprintf(out, plain ? "%c" : "%%%02X", (unsigned char)*c);
    }
    fprintf(out, "%s\"}", mark);
    fclose(out);
    bool fine = ask_name(b, "Target.createTarget", params, "targetId", target, sizeof target);
    free(params);
    char attached[160];
    snprintf(attached, sizeof attached, "{\"targetId\":\"%s\",\"flatten\":true}", target);
    fine = fine &&
           ask_name(b, "Target.attachToTarget", attached, "sessionId", session, sizeof session);
    memcpy(b->session, session, sizeof session);
    return fine;
}

bool browser_open(browser *b, const char *command, const char *folder, const char *page,
                  const char *mark) {
    char program[BROWSER_PATH];
    *b = (browser){.command = command, .to = -1, .from = -1};
    snprintf(b->folder, sizeof b->folder, "%s", folder);
    if (!find_browser(program)) {
        const char *given = getenv("CHROMIUM");
        cli_error(given && given[0] ? "%s: CHROMIUM names '%s', which is not a program"
                                    : "%s: Chromium is missing%s; install the package 'chromium', "
                                      "or name a browser in the variable CHROMIUM",
                  command, given && given[0] ? given : "");
        return false;
    }
    signal(SIGPIPE, SIG_IGN);
    stopped = 0;
    set_signals(stop);
    return start(b, program) && attach(b, page, mark);
}

// ---- asking ---------------------------------------------------------------------------------

bool browser_ask(browser *b, const char *expression, double seconds, const char *otherwise,
                 char **value) {
    char *params = NULL;
    size_t size = 0;
    *value = NULL;
    FILE *out = open_memstream(&params, &size);
    if (!out) {
        cli_error("%s: out of memory", b->command);
        return false;
    }
    fputs("{\"awaitPromise\":true,\"returnByValue\":true,\"expression\":", out);
    cli_json_text(out, expression);
    fputs("}", out);
    fclose(out);
    const char *answer = NULL;
    if (send_question(b, "Runtime.evaluate", params)) {
        answer = read_answer(b, seconds, otherwise);
    }
    free(params);
    if (!answer) {
        return false;
    }
    if (!strstr(answer, "\"exceptionDetails\"")) {
        *value = text_of(answer, "value");
    }
    if (!*value) {
        char *fault = text_of(answer, "description"), *message = text_of(answer, "message");
        const char *why = fault ? fault : message ? message : answer;
        cli_error("%s: the page cannot draw: %.300s", b->command, why);
        free(fault);
        free(message);
    }
    return *value != NULL;
}

// ---- stopping -------------------------------------------------------------------------------

void browser_stop(browser *b) {
    set_signals(SIG_DFL);
    if (b->to >= 0) {
        close(b->to); // the browser ends when nobody speaks to it
        close(b->from);
    }
    if (b->process > 0) {
        const double end = cli_seconds() + STOP_SECONDS;
        bool ended = false;
        while (!(ended = waitpid(b->process, NULL, WNOHANG) != 0) && cli_seconds() < end) {
            struct timespec moment = {.tv_nsec = 20000000};
            nanosleep(&moment, NULL);
        }
        kill(-b->process, SIGKILL); // also what it has left behind
        if (!ended) {
            waitpid(b->process, NULL, 0);
        }
    }
    free(b->message);
    *b = (browser){.to = -1, .from = -1};
}

// ---- what it made ----------------------------------------------------------------------------

size_t browser_decode(char *text) {
    static const char letters[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    unsigned char *out = (unsigned char *)text;
    uint32_t held = 0;
    int bits = 0;
    for (const char *c = text; *c && *c != '='; c++) {
        const char *letter = strchr(letters, *c);
        if (!letter) {
            return 0;
        }
        held = held << 6 | (uint32_t)(letter - letters);
        bits += 6;
        if (bits >= 8) {
            bits -= 8;
            *out++ = (unsigned char)(held >> bits);
        }
    }
    return (size_t)(out - (unsigned char *)text);
}

// ---- its folder -----------------------------------------------------------------------------

bool browser_make_folder(const char *command, const char *name, char folder[BROWSER_PATH]) {
    const char *where = getenv("TMPDIR");
    int size =
        snprintf(folder, BROWSER_PATH, "%s/%s-XXXXXX", where && where[0] ? where : "/tmp", name);
    if (size >= BROWSER_PATH - 40 || !mkdtemp(folder)) {
        cli_error("%s: cannot make the folder %s: %s", command, folder, strerror(errno));
        folder[0] = 0;
        return false;
    }
    return true;
}

static int remove_one(const char *path, const struct stat *about, int kind, struct FTW *place) {
    (void)about, (void)kind, (void)place;
    remove(path);
    return 0;
}

void browser_remove_folder(char folder[BROWSER_PATH]) {
    if (folder[0]) {
        nftw(folder, remove_one, 16, FTW_DEPTH | FTW_PHYS);
    }
    folder[0] = 0;
}
