// SPDX-License-Identifier: MIT
#pragma once

// Calls of random_api.c that need no world, continued: what is read of models and skeletons, texts,
// files, clips, pools, and scenes that a program fills.

#include <string.h>
#include <unistd.h>

// ---- skeletons ------------------------------------------------------------------------------

static td_material any_material(play *p) {
    td_material m =
        below(p, 2) ? td_material_default() : td_material_get(any_index(p, td_material_count()));
    take_text(p, td_material_source(any_index(p, td_material_count())));
    take_int(p, td_material_find(rarely(p) ? NULL : "rope"));
    m.young = rarely(p) ? number(p, 1e6, 1e9) : m.young;
    take_real(p, td_material_shear(&m));
    return m;
}

static void add_parts(play *p, td_builder *builder) {
    const td_material material = any_material(p);
    td_shape shape = td_shape_default();
    td_contour contour = {.closed = true};
    td_attached_mass body = {.segment = any_index(p, 1), .mass = number(p, 0.01, 0.1)};
    td_segment_def segment = td_segment_def_default();
    shape.width = number(p, 0.1, 1);
    for (int k = 0; k < TD_CONTOUR_POINTS; k++) {
        contour.x[k] = cos(k * 6.28 / TD_CONTOUR_POINTS);
        contour.z[k] = number(p, 0.5, 1) * sin(k * 6.28 / TD_CONTOUR_POINTS);
    }
    take_status(p, td_builder_add_material(builder, &material, &segment.material, diag(p)));
    take_status(p, td_builder_add_shape(builder, &shape, &segment.shape, diag(p)));
    take_status(p, td_builder_add_contour(builder, &contour, &segment.contour, diag(p)));
    segment.organ = (td_organ)any_index(p, 4);
    segment.length = number(p, 0.05, 0.2);
    take_text(p, td_organ_name(segment.organ));
    take_status(p, td_builder_add(builder, &segment, NULL, diag(p)));
    take_status(p, td_builder_attach_mass(builder, &body, diag(p)));
}

static void read_skeleton(play *p, const td_skeleton *s) {
    OWNED(td_bytes) text = {0};
    td_skeleton_pose(s, (td_pose_kind)below(p, 2), points[0], turns);
    take_points(p, points[0], td_skeleton_count(s));
    take_int(p, td_skeleton_strand_count(s) + td_skeleton_attached_mass_count(s));
    take_int(p, td_skeleton_shape_count(s) + td_skeleton_contour_count(s));
    take_int(p, td_skeleton_material_count(s));
    take_int(p, td_skeleton_materials(s) != NULL && td_skeleton_segments(s) != NULL);
    take_int(p, td_skeleton_strands(s) != NULL || td_skeleton_attached_masses(s) != NULL);
    take_int(p, td_skeleton_shapes(s) != NULL || td_skeleton_contours(s) != NULL);
    take_int(p, td_skeleton_polygons(s) != NULL && td_skeleton_points(s) != NULL);
    if (take_status(p, td_skeleton_json(s, &alloc, &text)) == TD_OK) {
        td_skeleton *again = NULL;
        take(p, text.data, text.size);
        text.data[below(p, (int32_t)text.size)] ^= rarely(p) ? 1 : 0;
        take_int(p, td_skeleton_is_json((const char *)text.data, text.size));
        take_status(p, td_skeleton_from_json((const char *)text.data, text.size, NULL, &alloc,
                                             &again, diag(p)));
        take_int(p, td_skeleton_count(again));
        td_skeleton_free(again);
    }
}

static void mesh_of(play *p, const td_skeleton *s) {
    td_mesh_opts opts = td_mesh_opts_default();
    OWNED(td_mesh) *mesh = NULL;
    opts.skinned = below(p, 2);
    opts.sides = any_index(p, 8);
    opts.max_triangles = rarely(p) ? 200 : 0;
    if (take_status(p, td_mesh_new(s, &opts, &alloc, &mesh, diag(p))) == TD_OK) {
        take_int(p, td_mesh_pose(mesh));
        take_int(p, td_mesh_part_get(mesh, any_index(p, td_mesh_part_count(mesh))).index_count);
    }
}

static void skeleton_alone(play *p) {
    td_skeleton_opts opts = td_skeleton_opts_default();
    OWNED(td_builder) *builder = NULL;
    OWNED(td_skeleton) *skeleton = NULL;
    opts.max_segments = rarely(p) ? any_index(p, 2) : opts.max_segments;
    if (take_status(p, td_builder_new(&opts, &alloc, &builder, NULL)) == TD_OK) {
        add_parts(p, builder);
        if (take_status(p, td_builder_finish(builder, &skeleton, diag(p))) == TD_OK) {
            read_skeleton(p, skeleton);
            mesh_of(p, skeleton);
        }
    }
}

// ---- texts ----------------------------------------------------------------------------------

static void read_string(play *p, const td_grammar *g, td_derivation *d) {
    const td_string string = td_derivation_string(d);
    const td_real params[] = {0.5, 1, 2, 3};
    const int32_t type = any_index(p, td_grammar_type_count(g));
    OWNED(td_bytes) text = {0};
    td_totals totals = {0};
    char module[64];
    int32_t found = TD_NONE;
    take_text(p, td_grammar_type_name(g, type));
    if (td_grammar_type_params(g, type) <= 4) {
        take_int(p, (int64_t)td_module_write(g, type, params, module, sizeof module));
    }
    take_int(p, td_symbol_at(g, &string, any_index(p, 2), &found));
    if (take_status(p, td_string_text(g, &string, &alloc, &text)) == TD_OK) {
        take(p, text.data, text.size);
    }
    take_status(p, td_totals_from_string(g, &string, NULL, &alloc, &totals, diag(p)));
    take_real(p, totals.mass);
    take_int(p, (int64_t)td_derivation_bytes(d) + td_derivation_written(d));
}

static void grammar_alone(play *p) {
    td_grammar_def def = td_grammar_def_default();
    OWNED(td_grammar) *grammar = NULL;
    OWNED(td_derivation) *derivation = NULL;
    td_diag diags[2] = {{.message = ""}};
    td_diag_list list = {diags, 2, 0};
    def.text = plants[below(p, 5)];
    def.text_size = strlen(def.text);
    if (take_status(p, td_grammar_new(&def, &alloc, &grammar, &list)) == TD_OK) {
        take_int(p, td_grammar_steps(grammar));
        take_status(p, td_plant_check(grammar, &list));
        if (take_status(p, td_derivation_new(grammar, NULL, &alloc, &derivation, diag(p))) ==
            TD_OK) {
            take_status(p, td_derivation_step(derivation, diag(p)));
            take_status(p, td_derivation_end(derivation, diag(p)));
            read_string(p, grammar, derivation);
        }
    }
}

// ---- small things ---------------------------------------------------------------------------

static void names(play *p) {
    take_text(p, td_version());
    take_text(p,
              td_constraint_kind_name((td_constraint_kind)any_index(p, TD_CONSTRAINT_SPRING + 1)));
    take_text(p, td_log_level_text((td_log_level)any_index(p, 3)));
    take_int(p, td_word_distance("rope", rarely(p) ? NULL : "robe"));
    take_int(p, td_solver_find(below(p, 2) ? "rod" : "rot") + td_solver_count());
    take_int(p, td_yaml_built() + td_has_asserts());
    td_set_assert_hook(NULL, NULL); // as at the start
}

static void height_field(play *p) {
    td_real heights[12];
    OWNED(td_height_field) *field = NULL;
    td_vec3 normal = {0, 0, 0};
    int32_t columns = 0, rows = 0;
    for (int k = 0; k < 12; k++) {
        heights[k] = number(p, -1, 1);
    }
    const int32_t wide = below(p, 5);
    take_status(p,
                td_height_field_new(wide, 3, number(p, 0.1, 1), heights, &alloc, &field, diag(p)));
    take_real(p, td_height_field_height(field, number(p, -3, 3), number(p, -3, 3), &normal));
    td_height_field_size(field, &columns, &rows, NULL);
    take_int(p, columns + rows);
    take_vec(p, normal);
}

static void checks(play *p) {
    const td_collider collider = any_collider(p);
    const td_constraint constraint = any_constraint(p);
    td_contact_opts opts = td_contact_opts_default();
    opts.friction = number(p, 0, 2);
    opts.gap = number(p, 0.01, 1);
    height_field(p);
    take_status(p, td_colliders_check(&collider, 1, diag(p)));
    take_status(p, td_constraints_check(&constraint, 1, diag(p)));
    take_status(p, td_contact_opts_check(&opts, diag(p)));
}

static void add_one(void *context, int64_t i) {
    ((td_real *)context)[i] += 1;
}

static void run_jobs(void *context, void (*job)(void *data, int32_t k), void *data, int32_t count) {
    (void)context;
    for (int32_t k = 0; k < count; k++) {
        job(data, k);
    }
}

static void pool_alone(play *p) {
    const td_jobs jobs = {.run = run_jobs, .threads = any_index(p, 4)};
    OWNED(td_pool) *pool = NULL;
    td_real sums[40] = {0};
    if (take_status(p, below(p, 2) ? td_pool_from_jobs(&jobs, &alloc, &pool, NULL)
                                   : td_pool_new(any_index(p, 3), &alloc, &pool, NULL)) == TD_OK) {
        take_int(p, td_pool_threads(pool));
        td_pool_run(pool, below(p, 40), add_one, sums);
        take(p, sums, sizeof sums);
    }
}

// ---- files ----------------------------------------------------------------------------------

static const char *own_file(void) {
    static char path[160];
    const char *folder = getenv("TMPDIR");
    snprintf(path, sizeof path, "%s/tendril-random-%ld", folder ? folder : "/tmp", (long)getpid());
    return path;
}

static void files(play *p) {
    const char *const text = "t [s],x [m]\n0,1\n0.5,2\n1,nan\n";
    const td_loader loader = td_file_loader();
    char model[160] = "", resolved[160], *read = NULL;
    td_bytes got = {0}, plot = {0};
    size_t size = 0;
    take_status(p, td_file_write(own_file(), text, strlen(text), diag(p)));
    if (take_status(p, td_file_read(own_file(), below(p, 2) ? 1000 : 3, &alloc, &got, diag(p))) ==
        TD_OK) {
        const char *table = (const char *)got.data;
        const size_t part = got.size - (size_t)below(p, 4);
        take_status(p, below(p, 2)
                           ? td_plot_svg(table, part, "f", "title", &alloc, &plot, diag(p))
                           : td_plot_pdf(table, part, "f", "title", &alloc, &plot, diag(p)));
        take(p, plot.data, plot.size);
    }
    take_int(p, td_file_model(rarely(p) ? "nothing" : own_file(), model, NULL));
    if (loader.read(loader.context, own_file(), "", 1000, &alloc, &read, &size, resolved) ==
        TD_OK) {
        take(p, read, size);
        alloc.resize(alloc.context, read, size, 0);
    }
    td_bytes_free(&plot);
    td_bytes_free(&got);
    unlink(own_file());
}

// The world as it stands, as a clip of one frame.
static void clip_file(play *p) {
    static float frame[16 * ROOM];
    const int32_t actor = any_actor(p);
    const td_actor a = td_world_actor(p->world, td_world_actor_id(p->world, actor));
    const td_clip_actor own = {.skeleton = a.skeleton, .stretchy = a.stretchy};
    const td_clip_scale scale = td_clip_scale_of(p->world);
    const td_collider ball = td_collider_default(TD_COLLIDER_SPHERE);
    const td_clip_collider look = td_clip_collider_of(&ball, &scale);
    td_clip_def def = td_clip_def_default();
    td_page_def page = td_page_def_default();
    td_contact contact = {.force = {0, 1, 0}, .normal = {0, 1, 0}};
    def.actors = &own;
    def.actor_count = def.collider_count = def.arrow_count = def.frame_count = 1;
    def.colliders = &look;
    def.frames = frame;
    if (!a.skeleton || td_clip_frame_size(&def) > (int64_t)(sizeof frame / sizeof *frame)) {
        return;
    }
    const int64_t at = td_clip_actor_size(&own);
    td_vec3 base;
    td_quat rotation;
    td_world_pose(p->world, td_world_actor_id(p->world, actor), &base, &rotation, points[0], turns);
    td_clip_pack(&own, base, rotation, points[0], turns, frame);
    td_clip_unpack(&own, frame, &base, NULL, points[0], turns);
    take_points(p, points[0], a.segment_count);
    td_clip_pack_collider(&ball, frame + at);
    td_clip_blend(rarely(p) ? NULL : &def, frame, frame, number(p, -0.5, 1.5), frame);
    td_clip_pack_arrows(&contact, 1, &scale, 1, frame + at + TD_CLIP_COLLIDER);
    take_int(p, td_clip_moves(&own, any_index(p, a.segment_count)));
    page.player = "<html></html>";
    page.player_size = strlen(page.player);
    take_status(p, below(p, 2) ? td_clip_glb(&def, own_file(), &alloc, diag(p))
                               : td_clip_page(&def, &page, own_file(), &alloc, diag(p)));
    unlink(own_file());
}

static void clip_parts(play *p) {
    const td_clip_scale scale = td_clip_scale_of(p->world);
    const td_collider collider = td_collider_default((td_collider_kind)below(p, 4));
    const td_clip_collider look = td_clip_collider_of(&collider, &scale);
    OWNED(td_bytes) room = {0}, other = {0};
    td_mesh_part part = {0}, arrow = {0};
    take_status(p, td_clip_collider_part(&look, &alloc, &room, &part));
    take_status(p, td_clip_arrow_part(&alloc, &other, &arrow));
    take_int(p, part.index_count + arrow.index_count);
}

// ---- scenes that a program fills ------------------------------------------------------------

static void sink(void *context, const char *text, size_t size) {
    take(context, text, size);
}

static void fill_and_step(play *p) {
    static const td_vec3 strand[] = {{0, 1, 0}, {0.2, 1, 0}};
    td_object_def object = td_object_def_default();
    td_strand_body body = td_strand_body_default();
    td_joint_def joint = td_joint_def_default((td_joint_kind)any_index(p, TD_JOINT_FREE));
    td_scene_load load_of = td_scene_load_default((td_scene_load_kind)below(p, 4));
    td_scene_constraint hold = td_scene_constraint_default(TD_CONSTRAINT_POINT);
    const td_scene_collider collider = td_scene_collider_default((td_collider_kind)below(p, 4));
    td_probe_def probe = td_probe_def_default();
    td_scene_def scene = td_scene_def_default();
    OWNED(td_world) *w = NULL;
    td_diag diags[2] = {{.message = ""}};
    td_diag_list list = {diags, 2, 0};
    body.mass = number(p, 0.01, 0.1);
    body.size = (td_vec3){0.02, 0.02, 0.02};
    joint.as.segment_id = 1;
    probe.place = td_place_def_default();
    object.strand.points = strand;
    object.strand.point_count = 2;
    object.strand.segments = 3;
    object.strand.bodies = &body;
    object.strand.body_count = rarely(p);
    object.start = TD_START_DRAWN;
    object.joints = &joint;
    object.joint_count = rarely(p);
    scene.objects = &object;
    scene.loads = &load_of;
    scene.constraints = &hold;
    scene.colliders = &collider;
    scene.record.probes = &probe;
    scene.object_count = 1;
    scene.load_count = below(p, 2);
    scene.constraint_count = rarely(p);
    scene.collider_count = rarely(p);
    scene.record.probe_count = below(p, 2);
    if (take_status(p, td_world_new(&scene, NULL, &alloc, &w, &list)) == TD_OK) {
        take_status(p, td_world_step(w, diag(p)));
    }
}

// A scene with another skeleton, which worlds that are made of it have.
static void scene_of(play *p) {
    const char *text = "{objects: [{start: drawn, strand: {points: [[0, 1, 0], [0.2, 1, 0]]}}]}";
    td_skeleton *skeleton = small_skeleton(p, true);
    td_value *value = NULL;
    td_scene *scene = NULL;
    td_world *w = NULL;
    td_diag diags[2] = {{.message = ""}};
    td_diag_list list = {diags, 2, 0};
    td_status status = td_value_from_yaml(text, strlen(text), "scene", &alloc, &value, &diags[0]);
    status = status ? status : td_scene_from_value(value, "scene", &alloc, &scene, &list);
    claim(status == TD_OK && td_scene_def_get(scene)->object_count == 1, "a scene is read");
    take_status(p, td_scene_set_skeleton(scene, any_index(p, 1), skeleton, diag(p)));
    take_status(p, td_world_from_scene(scene, NULL, &alloc, &w, &list));
    td_world_free(w);
    td_scene_free(scene);
    td_skeleton_free(skeleton);
    if (rarely(p)) {
        take_status(p, td_scene_reference(sink, p));
    }
}
