// SPDX-License-Identifier: MIT
// Textures by rule, PNG files, and where a .glb has them. Pairs with src/io/picture.c and png.c.

#include "td_test.h"

#include "io/picture.h"
#include "io/png.h"
#include "test_plant_support.h"

#include <stdlib.h>

// 2 x 2 pixels; the bytes are those that zlib's checksums and Python's struct give
TD_TEST(png_has_the_bytes_of_the_format) {
    static const uint8_t pixels[12] = {255, 0, 0, 0, 255, 0, 0, 0, 255, 9, 8, 7};
    static const uint8_t want[82] = {
        0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0x00, 0x00, 0x00, 0x0d, 0x49, 0x48,
        0x44, 0x52, 0x00, 0x00, 0x00, 0x02, 0x00, 0x00, 0x00, 0x02, 0x08, 0x02, 0x00, 0x00,
        0x00, 0xfd, 0xd4, 0x9a, 0x73, 0x00, 0x00, 0x00, 0x19, 0x49, 0x44, 0x41, 0x54, 0x78,
        0x01, 0x01, 0x0e, 0x00, 0xf1, 0xff, 0x00, 0xff, 0x00, 0x00, 0x00, 0xff, 0x00, 0x00,
        0x00, 0x00, 0xff, 0x09, 0x08, 0x07, 0x1a, 0x26, 0x03, 0x16, 0x89, 0x23, 0xdf, 0x7c,
        0x00, 0x00, 0x00, 0x00, 0x49, 0x45, 0x4e, 0x44, 0xae, 0x42, 0x60, 0x82};
    tdi_image image = {2, 2, pixels, NULL};
    uint8_t out[82];
    CHECK_INT(tdi_png_size(&image), 82);
    tdi_png_write(&image, out);
    CHECK_INT(memcmp(out, want, sizeof want), 0);
}

static uint64_t hash_of(const uint8_t *bytes, uint64_t size) { // FNV-1a
    uint64_t hash = 0xcbf29ce484222325u;
    for (uint64_t i = 0; i < size; i++) {
        hash = (hash ^ bytes[i]) * 0x100000001b3u;
    }
    return hash;
}

// all is integers, so every compiler and machine gives these
TD_TEST(pictures_are_the_same_bytes_everywhere) {
    static const uint64_t want[TDI_PICTURE_COUNT] = {0xa1a360777bc0d0fdu, 0xbaab120b0bb2ad77u,
                                                     0x46406ea5fcf89842u, 0x51cc6496af5cd470u,
                                                     0x842435937e8d92e9u, 0xa94e9a671cf9d2efu};
    for (int i = 0; i < TDI_PICTURE_COUNT; i++) {
        uint64_t size = tdi_picture_size((tdi_picture)i);
        FREED uint8_t *bytes = malloc((size_t)size);
        CHECK_INT(tdi_picture_write((tdi_picture)i, NULL, bytes), TD_OK);
        CHECK_SAY(hash_of(bytes, size) == want[i], "picture %d: 0x%016llx", i,
                  (unsigned long long)hash_of(bytes, size));
    }
}

static td_bytes glb_of(const char *axiom, bool textures) {
    char text[200];
    snprintf(text, sizeof text, "length unit: 1\nsurface: L leaf\naxiom: %s\n", axiom);
    OWNED(test_plant) plant = test_grow(text, NULL);
    td_mesh_opts opts = td_mesh_opts_default();
    OWNED(td_mesh) *mesh = NULL;
    td_bytes glb = {0};
    opts.textures = textures;
    CHECK_INT(td_mesh_new(plant.skeleton, &opts, NULL, &mesh, NULL), TD_OK);
    CHECK_INT(td_mesh_glb(mesh, "plant", NULL, &glb), TD_OK);
    return glb;
}

// the JSON chunk as text; the caller frees it
static char *json_of(const td_bytes *glb) {
    size_t size = glb->data[12] | (size_t)glb->data[13] << 8 | (size_t)glb->data[14] << 16;
    char *text = malloc(size + 1);
    memcpy(text, glb->data + 20, size);
    text[size] = 0;
    return text;
}

TD_TEST(glb_has_the_textures_that_its_parts_need_and_no_others) {
    static const struct {
        const char *axiom;
        bool textures;
        uint64_t pictures; // bytes
        bool normals;
    } cases[] = {
        {"F(1)~L(0.5)", false, 0, false}, {"F(1)~L(0.5)", true, 4, true}, {"F(1)", true, 2, true}};
    for (int i = 0; i < 3; i++) {
        OWNED(td_bytes) plain = glb_of(cases[i].axiom, false), glb = glb_of(cases[i].axiom, true);
        td_bytes *got = cases[i].textures ? &glb : &plain;
        FREED char *json = json_of(got);
        uint64_t images = 0;
        for (const char *at = json; (at = strstr(at, "image/png")) != NULL; at++) {
            images++;
        }
        CHECK_INT(images, cases[i].pictures);
        CHECK_INT(strstr(json, "normalTexture") != NULL, cases[i].normals);
        CHECK_INT(strstr(json, "TANGENT") != NULL, cases[i].normals);
        CHECK(strstr(json, "TEXCOORD_0") != NULL);
    }
}
