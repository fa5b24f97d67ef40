// SPDX-License-Identifier: MIT
// tendril info: version, build, materials, keys of scenes.

#include "cli/cli.h"

const char cli_info_help[] =
    "Usage: tendril info [--json | --scene-keys]\n"
    "\n"
    "Prints version, build, and the materials that a model can name.\n"
    "\n"
    "  --json                print one object in each line: the build, then the materials\n"
    "  --scene-keys          print all keys of a scene, as Markdown\n";

static const char *compiler(void) {
#if defined(__clang__)
    return "clang " __clang_version__;
#elif defined(__GNUC__)
    return "gcc " __VERSION__;
#else
    return "unknown compiler";
#endif
}

static const char *build_type(void) {
#ifdef NDEBUG
    return "release";
#else
    return "debug";
#endif
}

static void print_json(void) {
    printf("{\"version\":");
    cli_json_text(stdout, td_version());
    printf(",\"compiler\":");
    cli_json_text(stdout, compiler());
    printf(",\"build\":\"%s\"}\n", build_type());
    for (int32_t i = 0; i < td_material_count(); i++) {
        td_material m = td_material_get(i);
        printf("{\"material\":");
        cli_json_text(stdout, m.name);
        printf(",\"density\":%.10g,\"young\":%.10g,\"shear\":%.10g,\"damping_time\":%.10g,"
               "\"thickness\":%.10g,\"organ\":\"%s\",\"source\":",
               m.density, m.young, td_material_shear(&m), m.damping_time, m.thickness,
               td_organ_name(m.organ));
        cli_json_text(stdout, td_material_source(i));
        printf("}\n");
    }
}

static void print_plain(void) {
    printf("tendril %s (%s, %s)\n\n", td_version(), compiler(), build_type());
    printf("%-20s %8s %9s %9s %8s  %s\n", "material", "kg/m^3", "E, GPa", "G, GPa", "damp, s",
           "source");
    for (int32_t i = 0; i < td_material_count(); i++) {
        td_material m = td_material_get(i);
        printf("%-20s %8.4g %9.4g %9.4g %8.3g  %s\n", m.name, m.density, m.young * 1e-9,
               td_material_shear(&m) * 1e-9, m.damping_time, td_material_source(i));
    }
}

static void print_text(void *context, const char *text, size_t size) {
    (void)context;
    fwrite(text, 1, size, stdout);
}

int cli_info(int argc, char **argv) {
    bool json = false, scene_keys = false;
    const cli_option options[] = {
        {"--json", CLI_FLAG, &json, 0}, {"--scene-keys", CLI_FLAG, &scene_keys, 0}, {0}};
    int operands = cli_read_options(argc, argv, options, "info", NULL);
    if (operands < 0) {
        return EXIT_MISUSE;
    }
    if (operands > 0) {
        cli_error("info: unexpected '%s'", argv[0]);
        return EXIT_MISUSE;
    }
    if (scene_keys) {
        td_scene_reference(print_text, NULL);
    } else if (json) {
        print_json();
    } else {
        print_plain();
    }
    return EXIT_FINE;
}
