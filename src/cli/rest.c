// SPDX-License-Identifier: MIT
// Scenes at rest: what settle and modes share.

#include "cli/cli.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// ---- options --------------------------------------------------------------------------------

bool cli_is_given(td_vec3 v) {
    return !isnan(v.x);
}

bool cli_rest_args_check(const char *path, const cli_plant_args *plant, const char *object,
                         const char *command) {
    if (cli_is_scene(path) && cli_plant_args_grow(plant)) {
        cli_error("%s: options that choose how a plant grows are for models; a scene has its own",
                  command);
        return false;
    }
    if (!cli_is_scene(path) && object) {
        cli_error("%s: --object is for scenes; '%s' is a model", command, path);
        return false;
    }
    return true;
}

// ---- rows -----------------------------------------------------------------------------------

void cli_plain_object(const char *object) {
    if (object) {
        printf("%-16s ", object);
    }
}

void cli_json_object(const char *object) {
    if (object) {
        printf("\"object\":");
        cli_json_text(stdout, object);
        putchar(',');
    }
}

// ---- worlds ---------------------------------------------------------------------------------

// The first actor of an object; TD_NONE when there is none of that name.
static int32_t object_named(const cli_scene *s, const char *name) {
    const td_scene_def *def = td_scene_def_get(s->scene);
    for (int32_t k = 0; k < td_world_actor_count(s->world); k++) {
        const td_actor a = td_world_actor(s->world, td_world_actor_id(s->world, k));
        const char *own = def->objects[a.object].name;
        if (strcmp(own ? own : a.name, name) == 0 || strcmp(a.name, name) == 0) {
            return a.object;
        }
    }
    return TD_NONE;
}

static td_status set_gravity(td_world *world, td_vec3 gravity, td_diag *diag) {
    td_status status = td_world_set(world, "gravity.x", gravity.x, diag);
    status = status == TD_OK ? td_world_set(world, "gravity.y", gravity.y, diag) : status;
    return status == TD_OK ? td_world_set(world, "gravity.z", gravity.z, diag) : status;
}

static td_status settle(cli_rest *rest, td_vec3 gravity, td_diag *diag) {
    td_world *world = rest->scene.world;
    td_status status = cli_is_given(gravity) ? set_gravity(world, gravity, diag) : TD_OK;
    const int32_t count = td_world_actor_count(world);
    rest->rests = calloc((size_t)count + 1, sizeof *rest->rests);
    rest->warned = calloc((size_t)count + 1, sizeof *rest->warned);
    if (!rest->rests || !rest->warned) {
        return TD_ERR_MEMORY;
    }
    for (int32_t k = 0; k < count; k++) {
        rest->warned[k] = td_world_actor(world, td_world_actor_id(world, k)).unstable;
    }
    return status == TD_OK ? td_world_settle(world, rest->rests, diag) : status;
}

int cli_rest_open(const char *path, const char *object, td_vec3 gravity, const char *command,
                  cli_rest *rest) {
    td_diag diag = {.message = ""};
    *rest = (cli_rest){.object = TD_NONE};
    int code = cli_scene_open(path, cli_core_count(), NULL, &rest->scene);
    if (code != EXIT_FINE) {
        return code;
    }
    if (object) {
        rest->object = object_named(&rest->scene, object);
    }
    if (object && rest->object == TD_NONE) {
        cli_error("%s: '%s' has no object '%s'", command, path, object);
        cli_rest_free(rest);
        return EXIT_MISUSE;
    }
    td_status status = settle(rest, gravity, &diag);
    if (status != TD_OK) {
        cli_print_fault(path, status, &diag);
        cli_rest_free(rest);
    }
    return cli_exit_code(status);
}

bool cli_rest_wants(const cli_rest *rest, int32_t actor) {
    return rest->object == TD_NONE ||
           td_world_actor(rest->scene.world, td_world_actor_id(rest->scene.world, actor)).object ==
               rest->object;
}

void cli_rest_free(cli_rest *rest) {
    free(rest->rests);
    free(rest->warned);
    cli_scene_free(&rest->scene);
}
