// SPDX-License-Identifier: MIT
// tendril check: all errors of models and scenes.

#include "cli/cli.h"

const char cli_check_help[] =
    "Usage: tendril check FILE... [--define NAME=VALUE] [--view FILE]\n"
    "\n"
    "Reports all errors of models and of scenes (.yaml, .yml, .json), and the first\n"
    "error of a skeleton (.json), with file, line and column. Prints nothing and\n"
    "exits with 0 if there are none. The plants of a scene are grown; of a model only\n"
    "the text is checked: errors that occur while it grows, such as a division by\n"
    "zero, are reported by 'grow'. A folder\n"
    "stands for the model that its file 'specifications' names; the view file of\n"
    "cpfg beside a model is checked with it, or the one that --view gives.\n"
    "\n"
    "  --define NAME=VALUE   of a model: replaces #define NAME; may be repeated\n"
    "  --view FILE           of a model: view file of cpfg instead of the one beside it\n";

static int check_model(const char *path, const cli_defines *defines, const char *view) {
    if (cli_is_skeleton(path)) {
        td_skeleton *skeleton = NULL;
        td_status read = cli_load_skeleton(path, &skeleton);
        td_skeleton_free(skeleton);
        return cli_exit_code(read);
    }
    td_grammar *grammar = NULL;
    td_status status = cli_load_model(path, defines, view, &grammar);
    td_grammar_free(grammar);
    return cli_exit_code(status);
}

static int check_scene(const char *path) {
    cli_scene scene;
    int code = cli_scene_open(path, cli_core_count(), NULL, &scene);
    if (code == EXIT_FINE) { // what the first step cannot do is a fault of the scene
        td_diag diag = {.message = ""};
        const td_status status = td_world_step(scene.world, &diag);
        if (status != TD_OK) {
            char message[sizeof diag.message + 32];
            snprintf(message, sizeof message, "the first step fails: %s", diag.message);
            snprintf(diag.message, sizeof diag.message, "%.*s", (int)sizeof diag.message - 1,
                     message);
            cli_print_fault(path, status, &diag);
            code = EXIT_BAD_INPUT;
        }
    }
    for (int k = 0; code == EXIT_FINE && k < scene.chosen_count && k < CLI_CHOSEN; k++) {
        printf("%s: %s\n", path, scene.chosen[k]);
    }
    if (code == EXIT_FINE && scene.chosen_count > CLI_CHOSEN) {
        printf("%s: %d more are chosen\n", path, scene.chosen_count - CLI_CHOSEN);
    }
    cli_scene_free(&scene);
    return code;
}

int cli_check(int argc, char **argv) {
    static cli_defines defines;
    const char *view = NULL;
    const cli_option options[] = {{"--define", CLI_DEFINE, &defines, 0},
                                  {"-D", CLI_DEFINE, &defines, 0},
                                  {"--view", CLI_TEXT, &view, 0},
                                  {0}};
    int operands = cli_read_options(argc, argv, options, "check", NULL);
    if (operands < 0) {
        return EXIT_MISUSE;
    }
    if (operands == 0) {
        cli_error("check: expected at least one FILE; see 'tendril check --help'");
        return EXIT_MISUSE;
    }
    int code = EXIT_FINE;
    for (int i = 0; i < operands; i++) {
        if (cli_is_scene(argv[i]) && (defines.count > 0 || view)) {
            cli_error("check: %s is for models; the objects of a scene (%s) have '%s' of their own",
                      view ? "--view" : "--define", argv[i], view ? "view" : "define");
            return EXIT_MISUSE;
        }
    }
    for (int i = 0; i < operands; i++) {
        int own =
            cli_is_scene(argv[i]) ? check_scene(argv[i]) : check_model(argv[i], &defines, view);
        code = own == EXIT_FINE ? code : own;
    }
    return code;
}
