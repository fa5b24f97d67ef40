// SPDX-License-Identifier: MIT
// Texture coordinates, tangents, and meshes with a limit on triangles. Pairs with src/skin: tube.c,
// blade.c, solid.c, organs.c, mesh.c.

#include "test_mesh_support.h"
#include "test_plant_support.h"

static td_mesh *mesh_with(const td_skeleton *skeleton, int64_t triangles, bool textures) {
    td_mesh_opts opts = td_mesh_opts_default();
    td_mesh *mesh = NULL;
    td_diag diag = {0};
    opts.max_triangles = triangles;
    opts.textures = textures;
    if (td_mesh_new(skeleton, &opts, NULL, &mesh, &diag) != TD_OK) {
        test_failed(__FILE__, __LINE__, "no mesh: %s", diag.message);
    }
    return mesh;
}

static int64_t triangles_of(const td_mesh *mesh) {
    int64_t count = 0;
    for (int32_t i = 0; i < td_mesh_part_count(mesh); i++) {
        count += td_mesh_part_get(mesh, i).index_count / 3;
    }
    return count;
}

// ---- texture coordinates --------------------------------------------------------------------

// a cylinder: once around, and as far along as the length over the circumference
TD_TEST(texture_on_a_tube_is_square) {
    td_builder *builder = test_builder();
    int32_t a = add_stem(builder, TD_NONE, about_z(0), 0.5, 0.1, 0.1);
    add_stem(builder, a, about_z(0), 1.5, 0.1, 0.1);
    OWNED(td_mesh) *mesh = mesh_of(finish(builder), 12);
    td_mesh_part stem = part_named(mesh, "stem");
    for (uint32_t i = 13; i < 4 * 13; i++) { // three rings after the disc
        td_vec3 at = vertex_at(stem.position, i);
        CHECK_REL(stem.texcoord[2 * i], (i % 13) / 12.0, 1e-7);
        CHECK_REL(-stem.texcoord[2 * i + 1], at.y / (2 * TDI_PI * 0.1), 1e-6);
    }
}

static td_skeleton *skeleton_of(const char *text) {
    OWNED(test_plant) plant = test_grow(text, NULL);
    CHECK_INT(plant.status, TD_OK);
    td_skeleton *skeleton = plant.skeleton;
    plant.skeleton = NULL;
    return skeleton;
}

// one of everything that has a picture of its own
static td_skeleton *pictured(void) {
    static const char text[] =
        "length unit: 1\nmaterial: 0 herb-stem\nmaterial: 1 leaf\n"
        "surface: L leaf, lobes=5, lobe_depth=0.4, wave=0.02\nsurface: M leaf, segments=4\n"
        "surface: K flower, whorls=3, petals=7\nsurface: R fruit\n"
        "axiom: !(0.1)F(1)[+(40)~L(0.5)][-(30)~M(0.7)][&(20)~K(0.4)][^(50)~R(0.2)]@Mat(1)"
        "[+(80)@o(0.3)][{.g(0.2).+(90)g(0.3).+(80)g(0.2).}]/(30)@Mat(0)!(0.02)F(0.4)\n";
    return skeleton_of(text);
}

TD_TEST(texture_coordinates_of_organs_lie_in_the_picture) {
    OWNED(td_skeleton) *skeleton = pictured();
    OWNED(td_mesh) *mesh = mesh_with(skeleton, 0, false);
    for (int32_t p = 1; p < td_mesh_part_count(mesh); p++) { // after the stems
        td_mesh_part part = td_mesh_part_get(mesh, p);
        td_real low = 1, high = 0;
        for (int32_t i = 0; i < 2 * part.vertex_count; i++) {
            low = fmin(low, part.texcoord[i]);
            high = fmax(high, part.texcoord[i]);
        }
        CHECK_IN(low, 0, 0.05);
        CHECK_IN(high, 0.95, 1);
    }
    CHECK(td_mesh_part_get(mesh, 0).tangent == NULL);
}

// Over each triangle u grows along the tangent, and the picture is not mirrored: v grows against
// n x t. Triangles whose corners lie in one place of the picture say nothing.
static void check_tangents(const td_mesh_part *part) {
    int64_t wrong = 0, bad = 0, seen = 0;
    for (int32_t i = 0; i < part->vertex_count && part->tangent; i++) {
        td_vec3 n = vertex_at(part->normal, (uint32_t)i);
        td_vec3 t =
            tdi_vec3(part->tangent[4 * i], part->tangent[4 * i + 1], part->tangent[4 * i + 2]);
        bad += fabs(tdi_norm(t) - 1) > 1e-6 || fabs(tdi_dot(n, t)) > 1e-6 ||
               part->tangent[4 * i + 3] != 1;
    }
    for (int32_t i = 0; i < part->index_count; i += 3) {
        const uint32_t *at = &part->index[i];
        const float *a = &part->texcoord[2 * at[0]], *b = &part->texcoord[2 * at[1]],
                    *c = &part->texcoord[2 * at[2]];
        double area = (b[0] - a[0]) * (double)(c[1] - a[1]) - (c[0] - a[0]) * (double)(b[1] - a[1]);
        seen += fabs(area) > 1e-9;
        wrong += area > 1e-9; // counter-clockwise triangles are clockwise where v points down
    }
    CHECK_INT(bad, 0);
    CHECK_SAY(seen > 0 && wrong == 0, "%s: %lld of %lld triangles are mirrored", part->name,
              (long long)wrong, (long long)seen);
}

TD_TEST(texture_pictures_are_upright_and_not_mirrored) {
    OWNED(td_skeleton) *skeleton = pictured();
    OWNED(td_mesh) *mesh = mesh_with(skeleton, 0, true);
    for (int32_t p = 0; p < td_mesh_part_count(mesh); p++) {
        td_mesh_part part = td_mesh_part_get(mesh, p);
        check_tangents(&part);
        bool leaf = strcmp(part.name, "leaf") == 0; // what has a normal map; the stem is green
        CHECK_INT(part.tangent != NULL, leaf);
    }
}

// ---- limits ---------------------------------------------------------------------------------

// a small tree: 121 stems, and 243 leaves on the last of them
static td_skeleton *tree(void) {
    static const char text[] = "length unit: 0.1\nderivation length: 5\nsurface: L leaf\n"
                               "axiom: !(0.3)A(1)\n"
                               "A(s) --> !(s*0.3)F(s*4)[&(35)A(s*0.7)]/(120)[&(35)A(s*0.7)]/(120)"
                               "[&(35)A(s*0.7)]\n"
                               "homomorphism\nA(s) --> ~L(s*12)\n";
    return skeleton_of(text);
}

// Area of the mesh as seen along +Z: rays through a grid that hit a triangle, over all of them.
static td_real silhouette(const td_mesh *mesh) {
    enum { SIDE = 64 };
    static uint8_t hit[SIDE * SIDE];
    int count = 0;
    memset(hit, 0, sizeof hit);
    for (int32_t p = 0; p < td_mesh_part_count(mesh); p++) {
        td_mesh_part part = td_mesh_part_get(mesh, p);
        for (int32_t i = 0; i < part.index_count; i += 3) {
            td_vec3 c[3];
            for (int k = 0; k < 3; k++) {
                c[k] = vertex_at(part.position, part.index[i + k]);
                c[k] = tdi_vec3((c[k].x + 1) * SIDE / 2, c[k].y * SIDE / 2, 0); // 2 m, y from 0
            }
            int x0 = (int)fmax(0, floor(fmin(c[0].x, fmin(c[1].x, c[2].x))));
            int x1 = (int)fmin(SIDE - 1, ceil(fmax(c[0].x, fmax(c[1].x, c[2].x))));
            int y0 = (int)fmax(0, floor(fmin(c[0].y, fmin(c[1].y, c[2].y))));
            int y1 = (int)fmin(SIDE - 1, ceil(fmax(c[0].y, fmax(c[1].y, c[2].y))));
            for (int cell = 0; cell < (x1 - x0 + 1) * (y1 - y0 + 1); cell++) {
                td_vec3 at = tdi_vec3(x0 + cell % (x1 - x0 + 1), y0 + cell / (x1 - x0 + 1), 0);
                int left = 0, right = 0;
                for (int k = 0; k < 3; k++) {
                    td_vec3 e = tdi_sub(c[(k + 1) % 3], c[k]), d = tdi_sub(at, c[k]);
                    left += e.x * d.y - e.y * d.x >= 0;
                    right += e.x * d.y - e.y * d.x <= 0;
                }
                hit[(int)at.y * SIDE + (int)at.x] |= left == 3 || right == 3;
            }
        }
    }
    for (int i = 0; i < SIDE * SIDE; i++) {
        count += hit[i];
    }
    return (td_real)count / (SIDE * SIDE);
}

TD_TEST(mesh_keeps_its_limit_and_its_silhouette) {
    OWNED(td_skeleton) *skeleton = tree();
    OWNED(td_mesh) *whole = mesh_with(skeleton, 0, false);
    td_real area = silhouette(whole);
    int64_t all = triangles_of(whole);
    CHECK(all > 20000);
    CHECK_IN(area, 0.1, 0.9);
    const int64_t limits[] = {all, 12000, 5000, 2000, 800, 300, 100};
    for (int i = 0; i < 7; i++) {
        OWNED(td_mesh) *mesh = mesh_with(skeleton, limits[i], false);
        int64_t count = triangles_of(mesh);
        CHECK_IN((td_real)count, 0.5 * (td_real)limits[i], (td_real)limits[i]);
        // what stays covers as much; at the end a few large leaves, which hide each other less,
        // stand for hundreds
        CHECK_REL(silhouette(mesh), area, limits[i] > 1000 ? 0.1 : 0.5);
        for (int32_t p = 0; p < td_mesh_part_count(mesh); p++) {
            td_mesh_part part = td_mesh_part_get(mesh, p);
            check_sound(&part);
        }
    }
}

TD_TEST(mesh_limit_is_kept_by_what_alone_has_too_many_vertices) {
    OWNED(td_skeleton) *skeleton = tree();
    td_mesh_opts opts = td_mesh_opts_default();
    td_mesh *mesh = NULL;
    opts.max_vertices = 5000;
    CHECK_INT(td_mesh_new(skeleton, &opts, NULL, &mesh, NULL), TD_ERR_LIMIT);
    opts.max_triangles = 1000;
    CHECK_INT(td_mesh_new(skeleton, &opts, NULL, &mesh, NULL), TD_OK);
    CHECK(triangles_of(mesh) <= 1000);
    td_mesh_free(mesh);
    opts.max_triangles = 99;
    td_diag diag = {0};
    CHECK_INT(td_mesh_new(skeleton, &opts, NULL, &mesh, &diag), TD_ERR_ARGUMENT);
    CHECK_HAS(diag.message, "max_triangles of the mesh is 99");
}

// a limit that is not reached changes nothing
TD_TEST(mesh_below_its_limit_is_as_it_was) {
    OWNED(td_skeleton) *skeleton = pictured();
    OWNED(td_mesh) *a = mesh_with(skeleton, 0, false);
    OWNED(td_mesh) *b = mesh_with(skeleton, triangles_of(a), false);
    CHECK_INT(td_mesh_part_count(a), td_mesh_part_count(b));
    for (int32_t p = 0; p < td_mesh_part_count(a); p++) {
        td_mesh_part x = td_mesh_part_get(a, p), y = td_mesh_part_get(b, p);
        CHECK_INT(x.vertex_count, y.vertex_count);
        CHECK_INT(memcmp(x.position, y.position, 12 * (size_t)x.vertex_count), 0);
    }
}
