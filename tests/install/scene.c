// SPDX-License-Identifier: MIT
// Uses an installed Tendril from C: reads a scene from YAML and steps its world.

#include <stdio.h>
#include <string.h>
#include <tendril/tendril.h>
#include <tendril/yaml.h>

int main(void) {
    const char *text = "{objects: [{strand: {points: [[0, 1, 0], [0.2, 1, 0]]}}]}";
    td_value *value = NULL;
    td_scene *scene = NULL;
    td_world *world = NULL;
    if (!td_yaml_built()) {
        puts("tendril without libyaml");
        return 0;
    }
    td_status status = td_value_from_yaml(text, strlen(text), "scene", NULL, &value, NULL);
    status = status ? status : td_scene_from_value(value, "scene", NULL, &scene, NULL);
    status = status ? status : td_world_from_scene(scene, NULL, NULL, &world, NULL);
    status = status ? status : td_world_step(world, NULL);
    printf("a scene from YAML: %s\n", td_status_text(status));
    td_world_free(world);
    td_scene_free(scene);
    return status == TD_OK ? 0 : 1;
}
