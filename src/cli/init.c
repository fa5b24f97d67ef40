// SPDX-License-Identifier: MIT
// tendril init: files to start from.

#include "cli/cli.h"

#include <string.h>
#include <sys/stat.h>

const char cli_init_help[] =
    "Usage: tendril init DIR [--force] [--help]\n"
    "\n"
    "Writes to DIR, which is made if it is missing, a model (sprig.lsys), a scene in which\n"
    "it sways (sprig.yaml) and notes on what to do with them (NOTES.md).\n"
    "\n"
    "  --force      write over files that are there\n";

typedef struct start_file {
    const char *name, *text;
} start_file;

static const start_file files[] = {
    {"sprig.lsys", "// A sprig. Each step, the bud A makes a piece of stem and a leaf, and is a "
                   "tenth weaker then.\n"
                   "// Change a number, and look again: tendril view sprig.lsys\n"
                   "#define STEPS 13\n"
                   "#define LEAF 1.5   // length of a leaf over that of its piece of stem\n"
                   "#define ANGLE 55   // degrees between leaf and stem\n"
                   "lsystem: sprig\n"
                   "derivation length: STEPS\n"
                   "length unit: 0.03                     /* 3 cm a unit */\n"
                   "material: 0 herb-stem\n"
                   "surface: L leaf, width=0.5, curl=30   /* ~L draws this leaf */\n"
                   "axiom: !(0.06)A(1)\n"
                   "A(s) : s > 0.3 --> F(s)[&(ANGLE)~L(s*LEAF)]/(137.5)A(s*0.9)\n"
                   "A(s) : s <= 0.3 --> F(s)~L(s)\n"
                   "endlsystem\n"},
    {"sprig.yaml", "# The sprig in a light breeze, pulled aside once. Lengths in m, times in s.\n"
                   "name: A sprig in a breeze\n"
                   "objects:\n"
                   "  - name: sprig\n"
                   "    plant: sprig.lsys\n"
                   "loads:\n"
                   "  - wind: {velocity: [2, 0, 0.5], intensity: 0.3, gust: 0.4}\n"
                   "  - pull: {object: sprig, by: [0.05, 0, 0], stiffness: 2, start: 1, end: 2}\n"
                   "record:\n"
                   "  duration: 5\n"
                   "  probes:\n"
                   "    - {name: top, object: sprig}\n"},
    {"NOTES.md",
     "# First steps\n"
     "\n"
     "    tendril check sprig.lsys sprig.yaml    # errors, with line and column\n"
     "    tendril grow sprig.lsys -o sprig.glb   # a mesh for Blender, Godot, Unreal\n"
     "    tendril view sprig.yaml                # a page in which you can pull it\n"
     "    tendril run sprig.yaml -o run          # run/scene.html plays, run/scene.glb "
     "is for Blender\n"
     "    tendril plot run                       # draws the recorded tables\n"
     "    tendril modes sprig.lsys               # how it would vibrate\n"
     "\n"
     "Things to try: another ANGLE or STEPS in `sprig.lsys`; another `solver:` below\n"
     "`plant` in `sprig.yaml`; `velocity: [8, 0, 0]`. `tendril info --scene-keys` lists\n"
     "all keys of a scene, with the solvers.\n"},
};

#define FILE_COUNT ((int)(sizeof files / sizeof files[0]))

static bool path_of(const char *folder, const char *name, char path[1024]) {
    const bool fits = snprintf(path, 1024, "%s/%s", folder, name) < 1024;
    if (!fits) {
        cli_error("init: the path %s is too long", folder);
    }
    return fits;
}

// Before anything is written.
static bool all_free(const char *folder, bool force) {
    char path[1024];
    struct stat about;
    for (int i = 0; i < FILE_COUNT; i++) {
        if (!path_of(folder, files[i].name, path)) {
            return false;
        }
        if (!force && stat(path, &about) == 0) {
            cli_error("init: %s is there already; --force writes over it", path);
            return false;
        }
    }
    return true;
}

static int write_files(const char *folder) {
    char path[1024];
    td_diag diag = {.message = ""};
    for (int i = 0; i < FILE_COUNT && path_of(folder, files[i].name, path); i++) {
        td_status status = td_file_write(path, files[i].text, strlen(files[i].text), &diag);
        if (status != TD_OK) {
            cli_print_diag(&diag);
            return cli_exit_code(status);
        }
        printf("%s\n", path);
    }
    return EXIT_FINE;
}

int cli_init(int argc, char **argv) {
    bool force = false;
    const cli_option options[] = {{"--force", CLI_FLAG, &force, 0}, {0}};
    if (cli_read_options(argc, argv, options, "init", "one DIR") < 0) {
        return EXIT_MISUSE;
    }
    if (!all_free(argv[0], force)) {
        return EXIT_CANNOT_WRITE;
    }
    if (!cli_make_folder(argv[0], strlen(argv[0]), "init")) {
        return EXIT_CANNOT_WRITE;
    }
    return write_files(argv[0]);
}
