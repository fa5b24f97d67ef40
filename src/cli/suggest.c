// SPDX-License-Identifier: MIT
// "Did you mean": commands, options and files whose names are close to what was typed.

#include "cli/cli.h"

#include <dirent.h>
#include <string.h>

typedef struct suggestion {
    const char *word;
    char best[160];
    int32_t distance; // of the best; further away than this nothing is offered
} suggestion;

// A third of the letters may be wrong, or two: letters that changed places count as two.
static suggestion begin(const char *word) {
    int32_t third = (int32_t)strlen(word) / 3;
    return (suggestion){.word = word, .distance = (third > 2 ? third : 2) + 1};
}

// Of two that are equally near, the first by name, whatever the order of a folder.
static void consider(suggestion *s, const char *name) {
    int32_t distance = td_word_distance(s->word, name);
    bool nearer = distance < s->distance ||
                  (distance == s->distance && s->best[0] && strcmp(name, s->best) < 0);
    if (nearer && strlen(name) < sizeof s->best) {
        s->distance = distance;
        strcpy(s->best, name);
    }
}

// "; did you mean 'grow'?", or what is said otherwise
static void finish(const suggestion *s, const char *otherwise, char *text, size_t size) {
    if (s->best[0]) {
        snprintf(text, size, "; did you mean '%s'?", s->best);
    } else {
        snprintf(text, size, "%s", otherwise);
    }
}

void cli_suggest_word(const char *word, cli_nth_word *nth, const void *context, int count,
                      const char *otherwise, char *text, size_t size) {
    suggestion s = begin(word);
    for (int i = 0; i < count; i++) {
        consider(&s, nth(context, i));
    }
    finish(&s, otherwise, text, size);
}

void cli_suggest_file(const char *path, char *text, size_t size) {
    const char *slash = strrchr(path, '/');
    const int length = slash ? (int)(slash - path) + 1 : 0; // of the folder
    char folder[160], found[160];
    snprintf(folder, sizeof folder, "%.*s", length, path);
    suggestion s = begin(path + length);
    DIR *open = opendir(length > 0 ? folder : ".");
    for (struct dirent *e; open && (e = readdir(open)) != NULL;) {
        if (e->d_name[0] != '.') {
            consider(&s, e->d_name);
        }
    }
    if (open) {
        closedir(open);
    }
    if (s.best[0] && snprintf(found, sizeof found, "%s%s", folder, s.best) < (int)sizeof found) {
        strcpy(s.best, found);
    }
    finish(&s, "", text, size);
}
