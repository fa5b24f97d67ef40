// SPDX-License-Identifier: MIT
// Recorded runs: skinned meshes, frames, animated glTF and pages. Pairs with src/io/clip*.c.

#define _POSIX_C_SOURCE 200809L // mkdtemp

#include "test_folder.h"
#include "test_mesh_support.h"

#include "io/clip.h"
#include "io/gltf.h"

// ---- help -----------------------------------------------------------------------------------

static td_skeleton *chain_of(int32_t count, td_real length) {
    td_builder *builder = test_builder();
    for (int32_t i = 0; i < count; i++) {
        add_stem(builder, i - 1, tdi_quat_identity(), length, 0.002, 0.002);
    }
    return finish(builder);
}

// a stem of three segments with a leaf, and beside it a slide and a body that is free
static td_skeleton *small_garden(void) {
    td_builder *builder = test_builder();
    td_shape shape = td_shape_default();
    int32_t foot = add_stem(builder, TD_NONE, about_z(10), 0.3, 0.02, 0.02);
    int32_t middle = add_stem(builder, foot, about_z(30), 0.2, 0.02, 0.015);
    add_stem(builder, middle, about_z(-60), 0.2, 0.015, 0.01);
    add_organ(builder, middle, &shape, TD_ORGAN_LEAF, 0.1);
    td_segment_def def = td_segment_def_default();
    def.attach_at_tip = false;
    def.attach = tdi_vec3(1, 0, 0);
    def.joint = TD_JOINT_SLIDE;
    add_def(builder, &def);
    def.joint = TD_JOINT_FREE;
    add_def(builder, &def);
    return finish(builder);
}

static td_mesh *skinned(const td_skeleton *skeleton, int32_t sides) {
    td_mesh_opts opts = td_mesh_opts_default();
    td_mesh *mesh = NULL;
    opts.skinned = true;
    opts.sides = sides;
    CHECK_INT(td_mesh_new(skeleton, &opts, NULL, &mesh, NULL), TD_OK);
    return mesh;
}

static td_quat random_turn(tdi_random *random) {
    td_quat q = {tdi_random_normal(random), tdi_random_normal(random), tdi_random_normal(random),
                 tdi_random_normal(random)};
    return tdi_quat_unit(q);
}

// every joint turned at random by up to `reach`, slides and free segments moved
static void random_pose(const td_skeleton *skeleton, tdi_random *random, td_real reach,
                        td_vec3 base, td_quat base_turn, td_vec3 *origins, td_quat *rotations) {
    const td_segment *segments = td_skeleton_segments(skeleton);
    for (int32_t i = 0; i < td_skeleton_count(skeleton); i++) {
        const td_segment *s = &segments[i];
        td_quat below = s->parent == TD_NONE ? base_turn : rotations[s->parent];
        td_vec3 from = s->parent == TD_NONE ? base : origins[s->parent], at = s->attach;
        td_vec3 axis = tdi_quat_rotate(random_turn(random), tdi_vec3(1, 0, 0));
        if (s->joint == TD_JOINT_SLIDE || s->joint == TD_JOINT_FREE) {
            at = tdi_add(at, tdi_scale(axis, tdi_random_uniform(random)));
        }
        td_quat turn = tdi_quat_turn(axis, reach * tdi_random_uniform(random));
        rotations[i] = tdi_quat_mul(below, tdi_quat_mul(s->initial, turn));
        origins[i] = tdi_add(from, tdi_quat_rotate(below, at));
    }
}

// frames of one actor; those in `still` repeat the first
static float *make_frames(const td_clip_actor *actor, int32_t count, bool still) {
    size_t size = (size_t)td_clip_actor_size(actor);
    int32_t segments = td_skeleton_count(actor->skeleton);
    float *frames = calloc(size * (size_t)count, sizeof *frames);
    FREED td_vec3 *origins = calloc((size_t)segments, sizeof *origins);
    FREED td_quat *rotations = calloc((size_t)segments, sizeof *rotations);
    tdi_random random = random_of(7);
    for (int32_t f = 0; f < count; f++) {
        float *frame = frames + size * (size_t)f;
        if (f > 0 && still) {
            memcpy(frame, frames, size * sizeof *frame);
            continue;
        }
        random_pose(actor->skeleton, &random, 0.1, tdi_vec3(0, 0, 0), tdi_quat_identity(), origins,
                    rotations);
        td_clip_pack(actor, tdi_vec3(0, 0, 0), tdi_quat_identity(), origins, rotations, frame);
    }
    return frames;
}

static td_clip_def clip_of(const td_clip_actor *actor, const float *frames, int32_t count) {
    td_clip_def def = td_clip_def_default();
    def.actors = actor;
    def.actor_count = 1;
    def.frames = frames;
    def.frame_count = count;
    return def;
}

// a whole file as text; zero bytes become spaces, so that strstr() passes them
static char *text_of(const char *path) {
    OWNED(td_bytes) bytes = {0};
    CHECK_INT(td_file_read(path, (size_t)1 << 30, NULL, &bytes, NULL), TD_OK);
    char *text = calloc(bytes.size + 1, 1);
    for (size_t i = 0; i < bytes.size; i++) {
        text[i] = bytes.data[i] ? (char)bytes.data[i] : ' ';
    }
    return text;
}

static long size_of(const char *path) {
    FILE *file = fopen(path, "rb");
    CHECK(file && fseek(file, 0, SEEK_END) == 0);
    const long size = file ? ftell(file) : 0;
    if (file) {
        fclose(file);
    }
    return size;
}

static int count_of(const char *text, const char *part) {
    int count = 0;
    for (const char *at = text; (at = strstr(at, part)); at++) {
        count++;
    }
    return count;
}

// ---- skin -----------------------------------------------------------------------------------

TD_TEST(skinned_mesh_is_the_plain_one_with_joints_and_weights) {
    OWNED(td_skeleton) *skeleton = small_garden();
    OWNED(td_mesh) *plain = NULL, *mesh = skinned(skeleton, 0);
    CHECK_INT(td_mesh_new(skeleton, NULL, NULL, &plain, NULL), TD_OK);
    CHECK_INT(td_mesh_part_count(mesh), td_mesh_part_count(plain));
    for (int32_t i = 0; i < td_mesh_part_count(mesh); i++) {
        td_mesh_part a = td_mesh_part_get(mesh, i), b = td_mesh_part_get(plain, i);
        CHECK(!b.joint && !b.weight);
        CHECK_INT(a.vertex_count, b.vertex_count);
        CHECK(memcmp(a.position, b.position, 12 * (size_t)a.vertex_count) == 0);
        for (int32_t v = 0; v < a.vertex_count; v++) {
            int sum = 0;
            for (int k = 0; k < 4; k++) {
                uint32_t joint = a.joint[4 * v + k];
                int weight = a.weight[4 * v + k];
                CHECK(joint < (uint32_t)td_skeleton_count(skeleton));
                CHECK(weight > 0 || joint == 0);
                sum += weight;
            }
            CHECK_INT(sum, 255);
        }
    }
}

// x = sum of weights times the motion of each joint from the bind pose
static td_vec3 skin_vertex(const td_mesh_part *part, int32_t v, const td_vec3 *bind,
                           const td_quat *bind_turn, const td_vec3 *now, const td_quat *now_turn) {
    td_vec3 sum = {0, 0, 0}, at = vertex_at(part->position, (uint32_t)v);
    for (int k = 0; k < 4; k++) {
        uint32_t j = part->joint[4 * v + k];
        td_vec3 local = tdi_quat_rotate(tdi_quat_conj(bind_turn[j]), tdi_sub(at, bind[j]));
        td_vec3 moved = tdi_add(now[j], tdi_quat_rotate(now_turn[j], local));
        sum = tdi_madd(sum, moved, part->weight[4 * v + k] / 255.0);
    }
    return sum;
}

// A straight stem of ten segments is bent to a half circle, by 18 degrees a joint. The rings one
// radius before and behind a joint move with one segment alone, so that the bend t lies between
// them: their outsides are r + r tan(t/2) from the mitre, and no edge of a triangle gets longer
// than that.
TD_TEST(bent_stem_shows_no_gaps) {
    td_builder *builder = test_builder();
    for (int32_t i = 0; i < 10; i++) {
        add_stem(builder, i - 1, tdi_quat_identity(), 0.1, 0.02, 0.02);
    }
    OWNED(td_skeleton) *skeleton = finish(builder);
    OWNED(td_mesh) *mesh = skinned(skeleton, 12);
    td_mesh_part part = part_named(mesh, "stem");
    td_vec3 bind[10], now[10];
    td_quat bind_turn[10], now_turn[10];
    td_skeleton_pose(skeleton, TD_POSE_INITIAL, bind, bind_turn);
    for (int32_t i = 0; i < 10; i++) {
        now_turn[i] = about_z(18 * (i + 0.5));
        now[i] = i == 0
                     ? bind[0]
                     : tdi_add(now[i - 1], tdi_quat_rotate(now_turn[i - 1], tdi_vec3(0, 0.1, 0)));
    }
    td_real longest = 0;
    for (int32_t i = 0; i < part.index_count; i += 3) {
        for (int k = 0; k < 3; k++) {
            uint32_t a = part.index[i + k], b = part.index[i + (k + 1) % 3];
            td_vec3 before = tdi_sub(vertex_at(part.position, a), vertex_at(part.position, b));
            td_vec3 p = skin_vertex(&part, (int32_t)a, bind, bind_turn, now, now_turn);
            td_vec3 q = skin_vertex(&part, (int32_t)b, bind, bind_turn, now, now_turn);
            longest = fmax(longest, tdi_norm(tdi_sub(p, q)) / tdi_norm(before));
        }
    }
    CHECK_IN(longest, 1.02, 1 + tan(9 * TDI_PI / 180));
}

TD_TEST(organs_move_with_their_segment_alone) {
    OWNED(td_skeleton) *skeleton = small_garden();
    OWNED(td_mesh) *mesh = skinned(skeleton, 0);
    td_mesh_part leaf = part_named(mesh, "leaf");
    for (int32_t v = 0; v < leaf.vertex_count; v++) {
        CHECK_INT(leaf.joint[4 * v], 3);
        CHECK_INT(leaf.weight[4 * v], 255);
    }
}

// ---- frames ---------------------------------------------------------------------------------

TD_TEST(frame_has_seven_floats_four_a_segment_and_three_where_it_moves) {
    OWNED(td_skeleton) *skeleton = small_garden();
    td_clip_actor actor = {.skeleton = skeleton};
    CHECK_INT(td_clip_actor_size(&actor), 7 + 4 * 6 + 3 * 2);
    actor.stretchy = true;
    CHECK_INT(td_clip_actor_size(&actor), 7 + 4 * 6 + 3 * 6);
    td_clip_actor two[2] = {actor, {.skeleton = skeleton}};
    td_clip_def def = clip_of(two, NULL, 1);
    def.actor_count = 2;
    CHECK_INT(td_clip_frame_size(&def), 7 + 4 * 6 + 3 * 6 + 7 + 4 * 6 + 3 * 2);
    def.collider_count = 3;
    def.arrow_count = 5;
    CHECK_INT(td_clip_frame_size(&def), 7 + 4 * 6 + 3 * 6 + 7 + 4 * 6 + 3 * 2 + 3 * 7 + 5 * 10);
}

TD_TEST(channels_cover_a_frame_from_end_to_end) {
    OWNED(td_skeleton) *garden = small_garden(), *chain = chain_of(5, 0.1);
    td_clip_actor actors[3] = {
        {.skeleton = garden}, {.skeleton = chain}, {.skeleton = garden, .stretchy = true}};
    td_clip_def def = clip_of(actors, NULL, 1);
    def.actor_count = 3;
    def.collider_count = 2;
    def.arrow_count = 4;
    tdi_channels all = {.def = &def};
    tdi_channel channel;
    int64_t offset = 0;
    int arrows = 0;
    while (tdi_channels_next(&all, &channel)) {
        CHECK_INT(channel.offset, offset);
        CHECK_INT(channel.width, channel.motion == TDI_TURN ? 4 : 3);
        arrows += tdi_channel_is_arrow(&def, &channel) ? 1 : 0;
        offset += channel.width;
    }
    CHECK_INT(offset, td_clip_frame_size(&def));
    CHECK_INT(arrows, 3 * 4);
}

static void check_round_trip(const td_skeleton *skeleton, bool stretchy, td_real reach,
                             td_real tolerance) {
    td_clip_actor actor = {.skeleton = skeleton, .stretchy = stretchy};
    size_t count = (size_t)td_skeleton_count(skeleton);
    td_vec3 *origins = calloc(2 * count, sizeof *origins), base = tdi_vec3(0.3, -2, 1), base_back;
    td_quat *rotations = calloc(2 * count, sizeof *rotations), turn_back;
    float *frame = calloc((size_t)td_clip_actor_size(&actor), sizeof *frame);
    tdi_random random = random_of(3);
    td_quat turn = random_turn(&random);
    random_pose(skeleton, &random, reach, base, turn, origins, rotations);
    td_clip_pack(&actor, base, turn, origins, rotations, frame);
    td_clip_unpack(&actor, frame, &base_back, &turn_back, origins + count, rotations + count);
    CHECK(tdi_norm(tdi_sub(base, base_back)) <= tolerance);
    td_real worst = 0;
    for (size_t i = 0; i < count; i++) {
        worst = fmax(worst, tdi_norm(tdi_sub(origins[i], origins[count + i])));
        td_quat off = tdi_quat_mul(tdi_quat_conj(rotations[i]), rotations[count + i]);
        worst = fmax(worst, 2 * tdi_norm(tdi_vec3(off.x, off.y, off.z)));
    }
    CHECK_IN(worst, 0, tolerance);
    free(origins);
    free(rotations);
    free(frame);
}

TD_TEST(poses_survive_packing_to_single_precision) {
    OWNED(td_skeleton) *garden = small_garden(), *chain = chain_of(1000, 1e-3);
    check_round_trip(garden, false, 3, 1e-6);
    check_round_trip(garden, true, 3, 1e-6);
    check_round_trip(chain, false, 0.1, 1e-5); // what a file must keep
}

// ---- glTF -----------------------------------------------------------------------------------

FOLDER_TEST(what_never_changes_has_no_channel) {
    OWNED(td_skeleton) *skeleton = small_garden();
    OWNED(td_mesh) *mesh = skinned(skeleton, 0);
    td_clip_actor actor = {.name = "garden", .skeleton = skeleton, .mesh = mesh};
    FREED float *moving = make_frames(&actor, 5, false), *still = make_frames(&actor, 5, true);
    const char *path = in_folder("clip.glb");

    td_clip_def def = clip_of(&actor, moving, 5);
    CHECK_INT(td_clip_glb(&def, path, NULL, NULL), TD_OK);
    char *text = text_of(path);
    CHECK_INT(count_of(text, "\"path\":\"rotation\""), 6);
    CHECK_INT(count_of(text, "\"path\":\"translation\""), 2); // slide and free; the base stays
    CHECK_INT(count_of(text, "\"name\":\"garden-"), 7);
    free(text);

    def.frames = still;
    CHECK_INT(td_clip_glb(&def, path, NULL, NULL), TD_OK);
    text = text_of(path);
    CHECK(!strstr(text, "animations"));
    free(text);
}

FOLDER_TEST(skin_gives_length_and_radii_of_stems) {
    td_builder *builder = test_builder();
    td_shape shape = td_shape_default();
    int32_t foot = add_stem(builder, TD_NONE, tdi_quat_identity(), 0.25, 0.5, 0.125);
    add_organ(builder, foot, &shape, TD_ORGAN_LEAF, 0.1);
    OWNED(td_skeleton) *skeleton = finish(builder);
    OWNED(td_mesh) *mesh = skinned(skeleton, 0);
    td_clip_actor actor = {.name = "sprig", .skeleton = skeleton, .mesh = mesh};
    FREED float *frames = make_frames(&actor, 2, false);
    td_clip_def def = clip_of(&actor, frames, 2);
    const char *path = in_folder("clip.glb");
    CHECK_INT(td_clip_glb(&def, path, NULL, NULL), TD_OK);
    FREED char *text = text_of(path);
    CHECK(strstr(text, "\"joints\":[1,2],\"extras\":{\"stems\":[[0.25,0.5,0.125,0],[0,0,0,0]]}"));
}

// q and -q are one rotation: it does not move, and no reader goes the long way round
FOLDER_TEST(sign_of_a_rotation_is_no_motion) {
    OWNED(td_skeleton) *skeleton = chain_of(2, 0.1);
    td_clip_actor actor = {.skeleton = skeleton};
    FREED float *frames = make_frames(&actor, 3, true);
    size_t size = (size_t)td_clip_actor_size(&actor);
    for (int k = 3; k < 15; k++) {
        frames[size + (size_t)k] = -frames[size + (size_t)k];
    }
    td_clip_def def = clip_of(&actor, frames, 3);
    const char *path = in_folder("clip.glb");
    CHECK_INT(td_clip_glb(&def, path, NULL, NULL), TD_OK);
    FREED char *text = text_of(path);
    CHECK(!strstr(text, "animations"));
}

// Frames of an actor with three colliders, of which the second moves, and four arrows, of which the
// third comes in the second frame and the fourth never.
static float *prop_frames(const td_clip_def *def) {
    size_t size = (size_t)td_clip_frame_size(def), actor = (size_t)td_clip_actor_size(def->actors);
    float *still = make_frames(def->actors, 1, true), *frames = calloc(3 * size, sizeof *frames);
    const td_clip_scale scale = {.side = 1, .diagonal = 1, .weight = 1};
    td_contact contacts[3] = {{.force = {0, 3, 0}}, {.force = {0, 2, 0}}, {.force = {1, 0, 0}}};
    for (int f = 0; f < 3; f++) {
        float *at = frames + size * (size_t)f;
        memcpy(at, still, actor * sizeof *at);
        at += actor;
        for (int k = 0; k < 3; k++, at += TD_CLIP_COLLIDER) {
            td_collider collider = td_collider_default(TD_COLLIDER_SPHERE);
            collider.position = tdi_vec3(k, k == 1 ? 0.5 * f : 0, 0);
            td_clip_pack_collider(&collider, at);
        }
        td_clip_pack_arrows(contacts, f > 0 ? 3 : 2, &scale, 4, at);
    }
    free(still);
    return frames;
}

FOLDER_TEST(colliders_and_arrows_are_nodes_that_move) {
    OWNED(td_skeleton) *skeleton = chain_of(2, 0.1);
    OWNED(td_mesh) *mesh = skinned(skeleton, 0);
    td_clip_actor actor = {.name = "rope", .skeleton = skeleton, .mesh = mesh};
    const td_clip_collider looks[3] = {{.kind = TD_COLLIDER_PLANE, .reach = 2},
                                       {.kind = TD_COLLIDER_SPHERE, .radius = 0.2},
                                       {.kind = TD_COLLIDER_SPHERE, .radius = 0.2}};
    td_clip_def def = clip_of(&actor, NULL, 3);
    def.colliders = looks;
    def.collider_count = 3;
    def.arrow_count = 4;
    def.frames = prop_frames(&def);
    const char *path = in_folder("clip.glb");
    CHECK_INT(td_clip_glb(&def, path, NULL, NULL), TD_OK);
    char *text = text_of(path);
    CHECK_INT(count_of(text, "\"name\":\"collider-0-plane\""), 1);
    CHECK_INT(count_of(text, "\"name\":\"collider-1-sphere\""), 1);
    CHECK_INT(count_of(text, "\"name\":\"collider-2-sphere\""), 1);
    CHECK_INT(count_of(text, "\"name\":\"contact-"), 3); // the fourth is never seen
    CHECK_INT(count_of(text, "\"primitives\""), 4);      // rope, plane, sphere, arrow
    CHECK_INT(count_of(text, "\"alphaMode\":\"BLEND\""), 1);
    CHECK_INT(count_of(text, "\"LINEAR\""), 1); // of the sphere
    CHECK_INT(count_of(text, "\"STEP\""), 2);   // rotation and length of the third arrow
    CHECK_INT(count_of(text, "\"path\":\"scale\""), 1);
    CHECK(strstr(text, "\"translation\":[2,0,0]") != NULL);
    free(text);

    def.hide_arrows = true;
    CHECK_INT(td_clip_glb(&def, path, NULL, NULL), TD_OK);
    text = text_of(path);
    CHECK_INT(count_of(text, "contact"), 0);
    CHECK_INT(count_of(text, "\"STEP\""), 0);
    CHECK_INT(count_of(text, "\"name\":\"collider-"), 3);
    free(text);

    free((float *)def.frames);
}

TD_TEST(frames_whose_collider_is_not_finite_are_refused_by_its_number) {
    OWNED(td_skeleton) *skeleton = chain_of(2, 0.1);
    td_clip_actor actor = {.skeleton = skeleton};
    const td_clip_collider looks[3] = {{.kind = TD_COLLIDER_PLANE, .reach = 2},
                                       {.kind = TD_COLLIDER_SPHERE, .radius = 0.2},
                                       {.kind = TD_COLLIDER_SPHERE, .radius = 0.2}};
    td_clip_def def = clip_of(&actor, NULL, 3);
    td_diag diag = {.message = ""};
    def.colliders = looks;
    def.collider_count = 3;
    def.arrow_count = 4;
    FREED float *frames = prop_frames(&def);
    def.frames = frames;
    size_t size = (size_t)td_clip_frame_size(&def), at = (size_t)td_clip_actor_size(&actor);
    frames[size + at + 2 * TD_CLIP_COLLIDER + 1] = (float)NAN;
    CHECK_INT(td_clip_glb(&def, "/dev/null", NULL, &diag), TD_ERR_DIVERGED);
    CHECK_HAS(diag.message, "collider 2");
    frames[size + at + 2 * TD_CLIP_COLLIDER + 1] = 0;
    frames[at + 3 * TD_CLIP_COLLIDER + TD_CLIP_ARROW + 8] = (float)INFINITY;
    CHECK_INT(td_clip_glb(&def, "/dev/null", NULL, &diag), TD_ERR_DIVERGED);
    CHECK_HAS(diag.message, "arrow 1");
}

FOLDER_TEST(actors_with_one_mesh_share_it_in_the_file) {
    OWNED(td_skeleton) *skeleton = small_garden();
    OWNED(td_mesh) *mesh = skinned(skeleton, 0);
    td_clip_actor actors[3] = {{.name = "a", .skeleton = skeleton, .mesh = mesh},
                               {.name = "b", .skeleton = skeleton, .mesh = mesh},
                               {.name = "c", .skeleton = skeleton}};
    size_t one = (size_t)td_clip_actor_size(&actors[0]);
    FREED float *single = make_frames(&actors[0], 1, true),
                *frames = calloc(3 * one, sizeof *frames);
    for (size_t i = 0; i < 3; i++) {
        memcpy(frames + i * one, single, one * sizeof *frames);
    }
    td_clip_def def = clip_of(actors, frames, 1);
    def.actor_count = 3;
    const char *path = in_folder("clip.glb");
    CHECK_INT(td_clip_glb(&def, path, NULL, NULL), TD_OK);
    FREED char *text = text_of(path);
    CHECK_INT(count_of(text, "\"primitives\""), 1);
    CHECK_INT(count_of(text, "\"inverseBindMatrices\""), 2);
    CHECK_INT(count_of(text, "\"skin\":"), 2);
}

static void write_raw(const char *path, const float *frames, size_t count, int times) {
    FILE *file = fopen(path, "wb");
    for (int i = 0; i < times; i++) {
        CHECK(fwrite(frames, sizeof *frames, count, file) == count);
    }
    CHECK_INT(fclose(file), 0);
}

FOLDER_TEST(frames_in_a_file_and_in_memory_give_the_same_bytes) {
    OWNED(td_skeleton) *skeleton = small_garden();
    OWNED(td_mesh) *mesh = skinned(skeleton, 0);
    td_clip_actor actor = {.skeleton = skeleton, .mesh = mesh};
    FREED float *frames = make_frames(&actor, 20, false);
    write_raw(in_folder("frames.bin"), frames, (size_t)(20 * td_clip_actor_size(&actor)), 1);
    td_clip_def def = clip_of(&actor, frames, 20);
    CHECK_INT(td_clip_glb(&def, in_folder("a.glb"), NULL, NULL), TD_OK);
    def.frames = NULL;
    def.frames_path = in_folder("frames.bin");
    CHECK_INT(td_clip_glb(&def, in_folder("b.glb"), NULL, NULL), TD_OK);
    FREED char *a = text_of(in_folder("a.glb")), *b = text_of(in_folder("b.glb"));
    const long size = size_of(in_folder("a.glb"));
    CHECK_INT(size, size_of(in_folder("b.glb")));
    CHECK(memcmp(a, b, (size_t)size) == 0);
}

// 64 MB of frames: two groups of tracks at least, in the memory of one
FOLDER_TEST(long_clips_are_written_in_bounded_memory) {
    td_skeleton *skeleton = chain_of(400, 1e-3);
    td_clip_actor actor = {.skeleton = skeleton};
    size_t row = (size_t)td_clip_actor_size(&actor);
    FREED float *frames = make_frames(&actor, 100, false);
    write_raw(in_folder("frames.bin"), frames, 100 * row, 50);
    td_clip_def def = clip_of(&actor, NULL, 5000);
    def.frames_path = in_folder("frames.bin");
    test_heap heap = {0};
    td_alloc alloc = test_heap_alloc(&heap);
    CHECK_INT(td_clip_glb(&def, in_folder("clip.glb"), &alloc, NULL), TD_OK);
    CHECK_INT(heap.held, 0);
    CHECK_IN((double)heap.peak, 1e6, 10e6);
    CHECK_IN((double)size_of(in_folder("clip.glb")), 32e6, 33e6);
    td_skeleton_free(skeleton);
}

FOLDER_TEST(thousand_segments_for_ten_seconds_take_less_than_30_MB) {
    OWNED(td_skeleton) *skeleton = chain_of(1000, 1e-3);
    OWNED(td_mesh) *mesh = skinned(skeleton, 0);
    td_clip_actor actor = {.skeleton = skeleton, .mesh = mesh};
    FREED float *frames = make_frames(&actor, 300, false);
    td_clip_def def = clip_of(&actor, frames, 300);
    CHECK_INT(td_clip_glb(&def, in_folder("clip.glb"), NULL, NULL), TD_OK);
    CHECK_IN((double)size_of(in_folder("clip.glb")), 4.8e6, 30e6);
}

// positions to half a step of the cube, normals to half of 1/127
TD_TEST(compact_vertices_are_within_half_a_step) {
    OWNED(td_skeleton) *skeleton = small_garden();
    OWNED(td_mesh) *mesh = skinned(skeleton, 0);
    tdi_gltf_cube cube = tdi_gltf_cube_around(mesh);
    td_mesh_part part = part_named(mesh, "leaf");
    uint64_t end = 0;
    int64_t accessor = 0;
    tdi_gltf_layout layout = tdi_gltf_lay_out(&part, true, &cube, &end, &accessor);
    FREED uint8_t *bytes = calloc((size_t)end, 1);
    tdi_gltf_put_part(bytes, 0, &part, &layout);
    td_real low[3] = {cube.low.x, cube.low.y, cube.low.z}, off = 0, lean = 0;
    for (size_t i = 0; i < 3 * (size_t)part.vertex_count; i++) {
        const uint8_t *p = bytes + layout.offset[TDI_VIEW_POSITION] + 8 * (i / 3) + 2 * (i % 3);
        td_real x = low[i % 3] + cube.size * (p[0] + 256 * p[1]) / 65535;
        int8_t n = (int8_t)bytes[layout.offset[TDI_VIEW_NORMAL] + 4 * (i / 3) + i % 3];
        off = fmax(off, fabs(x - part.position[i]));
        lean = fmax(lean, fabs(n / 127.0 - part.normal[i]));
    }
    CHECK_IN(off, 0, 0.501 * cube.size / 65535);
    CHECK_IN(lean, 0, 0.501 / 127);
}

// ---- refusals -------------------------------------------------------------------------------

FOLDER_TEST(bad_frames_are_named_and_leave_the_old_file) {
    OWNED(td_skeleton) *skeleton = small_garden();
    td_clip_actor actor = {.name = "bush", .skeleton = skeleton};
    FREED float *frames = make_frames(&actor, 4, false);
    size_t row = (size_t)td_clip_actor_size(&actor);
    td_clip_def def = clip_of(&actor, frames, 4);
    const char *path = in_folder("clip.glb");
    CHECK_INT(td_file_write(path, "old", 3, NULL), TD_OK);
    td_diag diag = {0};

    frames[2 * row + 7] = NAN;
    CHECK_INT(td_clip_glb(&def, path, NULL, &diag), TD_ERR_DIVERGED);
    CHECK_HAS(diag.message, "frame 2");
    CHECK_HAS(diag.message, "bush");
    CHECK_INT(diag.index, 0);
    frames[2 * row + 7] = 9; // finite, but no rotation
    CHECK_INT(td_clip_glb(&def, path, NULL, &diag), TD_ERR_DIVERGED);
    CHECK_HAS(diag.message, "rotation");

    write_raw(in_folder("frames.bin"), frames, 4 * row - 1, 1);
    def.frames = NULL;
    def.frames_path = in_folder("frames.bin");
    CHECK_INT(td_clip_glb(&def, path, NULL, &diag), TD_ERR_READ);
    CHECK_HAS(diag.message, "3 frames");
    def.frames_path = in_folder("nothing.bin");
    CHECK_INT(td_clip_glb(&def, path, NULL, &diag), TD_ERR_READ);

    FREED char *text = text_of(path);
    CHECK_TEXT(text, "old");
    CHECK_INT(folder_count(), 2);
}

FOLDER_TEST(clips_that_make_no_sense_are_refused) {
    OWNED(td_skeleton) *skeleton = small_garden(), *small = chain_of(2, 0.1);
    OWNED(td_mesh) *mesh = skinned(skeleton, 0), *plain = NULL;
    CHECK_INT(td_mesh_new(skeleton, NULL, NULL, &plain, NULL), TD_OK);
    td_clip_actor actor = {.skeleton = skeleton};
    FREED float *frames = make_frames(&actor, 1, true);
    const char *path = in_folder("clip.glb");
    td_clip_def good = clip_of(&actor, frames, 1), def = good;
    td_diag diag = {0};
    CHECK_INT(td_clip_glb(&good, path, NULL, NULL), TD_OK);
    CHECK_INT(td_clip_glb(&good, NULL, NULL, NULL), TD_ERR_ARGUMENT);

    def.struct_size = 0;
    CHECK_INT(td_clip_glb(&def, path, NULL, NULL), TD_ERR_DEF);
    def = good;
    def.fps = 0;
    CHECK_INT(td_clip_glb(&def, path, NULL, NULL), TD_ERR_ARGUMENT);
    def = good;
    def.frame_count = 0;
    CHECK_INT(td_clip_glb(&def, path, NULL, NULL), TD_ERR_ARGUMENT);
    def = good;
    def.frames_path = "both";
    CHECK_INT(td_clip_glb(&def, path, NULL, NULL), TD_ERR_ARGUMENT);
    td_clip_actor wrong = {.skeleton = skeleton, .mesh = plain};
    def = clip_of(&wrong, frames, 1);
    CHECK_INT(td_clip_glb(&def, path, NULL, &diag), TD_ERR_ARGUMENT);
    CHECK_HAS(diag.message, "not skinned");
    wrong = (td_clip_actor){.skeleton = small, .mesh = mesh};
    CHECK_INT(td_clip_glb(&def, path, NULL, &diag), TD_ERR_ARGUMENT);
    CHECK_HAS(diag.message, "another skeleton");
}

FOLDER_TEST(skin_of_more_joints_than_gltf_can_number_is_refused) {
    OWNED(td_skeleton) *skeleton = chain_of(65536, 1e-3);
    OWNED(td_mesh) *mesh = skinned(skeleton, 3);
    td_clip_actor actor = {.name = "hair", .skeleton = skeleton, .mesh = mesh};
    FREED float *frames = make_frames(&actor, 1, true);
    td_clip_def def = clip_of(&actor, frames, 1);
    td_diag diag = {0};
    CHECK_INT(td_clip_glb(&def, in_folder("clip.glb"), NULL, &diag), TD_ERR_LIMIT);
    CHECK_HAS(diag.message, "65535");
    actor.mesh = NULL;
    CHECK_INT(td_clip_glb(&def, in_folder("clip.glb"), NULL, &diag), TD_OK);
}

// ---- pages ----------------------------------------------------------------------------------

static const char player[] = "<html><p>before</p>\n<!-- tendril: clip -->\n<p>after</p></html>\n";

static td_page_def page_of(const char *text) {
    td_page_def page = td_page_def_default();
    page.player = text;
    page.player_size = strlen(text);
    return page;
}

FOLDER_TEST(page_is_the_player_with_the_clip_at_its_mark) {
    OWNED(td_skeleton) *skeleton = small_garden();
    td_clip_actor actor = {.name = "bush", .skeleton = skeleton};
    FREED float *frames = make_frames(&actor, 3, false);
    td_clip_def def = clip_of(&actor, frames, 3);
    td_page_def page = page_of(player);
    page.title = "</script>&";
    page.probes = "time,a [m]\n0,1\n";
    page.probes_size = strlen(page.probes);
    CHECK_INT(td_clip_page(&def, &page, in_folder("scene.html"), NULL, NULL), TD_OK);
    FREED char *text = text_of(in_folder("scene.html"));
    CHECK(strncmp(text, "<html><p>before</p>\n<script", 27) == 0);
    CHECK_HAS(text, "</script>\n<p>after</p></html>\n");
    CHECK_INT(count_of(text, "</script>"), 2);
    CHECK_HAS(text, "\"title\":\"\\u003c/script>&\"");
    CHECK_HAS(text, "\"probes\":\"time,a [m]\\u000a0,1\\u000a\"");
    CHECK_HAS(text, "id=\"clip\">Z2xURgIAAA"); // "glTF", 2
}

FOLDER_TEST(page_leaves_out_frames_when_there_is_no_room) {
    OWNED(td_skeleton) *skeleton = chain_of(100, 0.01);
    td_clip_actor actor = {.skeleton = skeleton};
    FREED float *frames = make_frames(&actor, 301, false);
    td_clip_def def = clip_of(&actor, frames, 301);
    td_page_def page = page_of(player);
    CHECK_INT(td_clip_page(&def, &page, in_folder("a.html"), NULL, NULL), TD_OK);
    page.max_animation_size = 100 * 8 * 101;
    CHECK_INT(td_clip_page(&def, &page, in_folder("b.html"), NULL, NULL), TD_OK);
    const long whole = size_of(in_folder("a.html")), part = size_of(in_folder("b.html"));
    // 300 frames of 800 bytes become 100, in four letters for three bytes
    CHECK_REL((double)(whole - part), 200.0 * 800 * 4 / 3, 0.01);
}

FOLDER_TEST(player_without_exactly_one_mark_is_refused) {
    OWNED(td_skeleton) *skeleton = chain_of(2, 0.1);
    td_clip_actor actor = {.skeleton = skeleton};
    FREED float *frames = make_frames(&actor, 1, true);
    td_clip_def def = clip_of(&actor, frames, 1);
    const char *const bad[] = {"<html></html>", "", "<!-- tendril: clip",
                               "<!-- tendril: clip --><!-- tendril: clip -->"};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        td_page_def page = page_of(bad[i]);
        CHECK_INT(td_clip_page(&def, &page, in_folder("s.html"), NULL, NULL), TD_ERR_ARGUMENT);
    }
    CHECK_INT(folder_count(), 0);
}

FOLDER_TEST(clip_has_the_pictures_of_its_meshes) {
    OWNED(td_skeleton) *skeleton = small_garden();
    OWNED(td_mesh) *mesh = NULL;
    td_mesh_opts opts = td_mesh_opts_default();
    opts.skinned = opts.textures = true;
    CHECK_INT(td_mesh_new(skeleton, &opts, NULL, &mesh, NULL), TD_OK);
    td_clip_actor actor = {.skeleton = skeleton, .mesh = mesh};
    FREED float *frames = make_frames(&actor, 1, true);
    td_clip_def def = clip_of(&actor, frames, 1);
    WITH_SCARCE(memory, 5) {
        CHECK_INT(td_clip_glb(&def, in_folder("a.glb"), &memory.alloc, NULL),
                  scarce_status(&memory));
    }
    FREED char *text = text_of(in_folder("a.glb"));
    CHECK_INT(count_of(text, "image/png"), 4); // of bark and of leaves, with normals
    CHECK_INT(count_of(text, "PNG\r\n\x1a\n"), 4);
}

FOLDER_TEST(clips_and_pages_that_are_not_whole_are_refused_in_words) {
    OWNED(td_skeleton) *skeleton = chain_of(2, 0.1);
    td_clip_actor actor = {.skeleton = skeleton}, none = {.skeleton = NULL};
    FREED float *frames = make_frames(&actor, 1, true);
    const td_clip_def def = clip_of(&actor, frames, 1);
    const td_page_def page = page_of(player);
    td_clip_def clips[6] = {def, def, def, def, def, def};
    static const char *const words[6] = {
        "fps of the clip is 0",
        "at least one frame and one actor",
        "arrow_count -1",
        "collider_count is 2 and arrow_count 0; they must be at least 0",
        "either frames (in memory)",
        "actor 0 of the clip has no skeleton"};
    clips[0].fps = 0;
    clips[1].frame_count = 0;
    clips[2].arrow_count = -1;
    clips[3].collider_count = 2;
    clips[4].frames_path = "both";
    clips[5].actors = &none;
    for (int k = 0; k < 6; k++) {
        td_diag diag = {.message = ""};
        CHECK_INT(td_clip_glb(&clips[k], in_folder("s.glb"), NULL, &diag), TD_ERR_ARGUMENT);
        CHECK_HAS(diag.message, words[k]);
    }
    td_diag diag = {.message = ""};
    td_page_def empty = page;
    empty.player = NULL;
    CHECK_INT(td_clip_page(&def, &page, NULL, NULL, &diag), TD_ERR_ARGUMENT);
    CHECK_HAS(diag.message, "path is NULL");
    CHECK_INT(td_clip_page(&def, &empty, in_folder("s.html"), NULL, &diag), TD_ERR_ARGUMENT);
    CHECK_HAS(diag.message, "player is NULL");
    clips[1].actor_count = 0;
    CHECK_INT(td_clip_page(&clips[1], &page, in_folder("s.html"), NULL, &diag), TD_ERR_ARGUMENT);
    CHECK_HAS(diag.message, "the clip has no actors");
    CHECK_INT(folder_count(), 0);
}

FOLDER_TEST(clip_frees_everything_when_memory_runs_out) {
    OWNED(td_skeleton) *skeleton = small_garden();
    OWNED(td_mesh) *mesh = skinned(skeleton, 0);
    td_clip_actor actor = {.skeleton = skeleton, .mesh = mesh};
    FREED float *frames = make_frames(&actor, 4, false);
    td_clip_def def = clip_of(&actor, frames, 4);
    td_page_def page = page_of(player);
    page.probes = "time,a\n0,1\n";
    page.probes_size = strlen(page.probes);
    for (int kind = 0; kind < 2; kind++) {
        WITH_SCARCE(memory, 9) {
            const char *path = in_folder("out");
            const td_status status = kind == 0
                                         ? td_clip_glb(&def, path, &memory.alloc, NULL)
                                         : td_clip_page(&def, &page, path, &memory.alloc, NULL);
            CHECK_INT(status, scarce_status(&memory));
            CHECK_INT(folder_count(), status == TD_OK ? 1 : 0);
        }
        remove(in_folder("out"));
    }
}

TD_TEST(skinned_mesh_frees_everything_when_memory_runs_out) {
    OWNED(td_skeleton) *skeleton = small_garden();
    td_mesh_opts opts = td_mesh_opts_default();
    opts.skinned = true;
    WITH_SCARCE(memory, 1) {
        OWNED(td_mesh) *mesh = NULL;
        CHECK_INT(td_mesh_new(skeleton, &opts, &memory.alloc, &mesh, NULL), scarce_status(&memory));
    }
}
