// SPDX-License-Identifier: MIT
// Files, JSON and glTF. Pairs with src/io.

#define _POSIX_C_SOURCE 200809L // mkdtemp, symlink, setrlimit

#include "test_folder.h"
#include "test_plant_support.h"

#include "io/json.h"

#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>

// ---- help -----------------------------------------------------------------------------------

// a stem, a leaf, a flower, a fruit and a polygon
static const char *const plant_text = "material: 0 green-wood\n"
                                      "material: 1 leaf\n"
                                      "surface: L leaf\n"
                                      "surface: K flower\n"
                                      "surface: O fruit\n"
                                      "axiom: !(0.1)F(1)[+~L(1)][-F(1)~K(1)]F(1)[~O(1)]"
                                      "@Mat(1){.f(1)-(90)f(1)-(90)f(1)}\n";

static char *text_of(const td_bytes *bytes) {
    char *text = calloc(bytes->size + 1, 1);
    memcpy(text, bytes->data, bytes->size);
    return text;
}

// Checks that one JSON value starts at `at`; returns its end, or NULL.
static const char *json_end(const char *at) {
    if (*at == '{' || *at == '[') {
        char close = *at == '{' ? '}' : ']';
        bool object = *at == '{';
        at += 1 + strspn(at + 1, " \n");
        while (*at != close) {
            at = object && *at != '"' ? NULL : json_end(at);
            if (at && object) {
                at = *at == ':' ? json_end(at + 1) : NULL;
            }
            if (!at || (*at != ',' && *at != close && *at != '\n')) {
                return NULL;
            }
            bool more = *at == ',';
            at += more;
            at += strspn(at, " \n");
            if (more == (*at == close)) {
                return NULL;
            }
        }
        return at + 1;
    }
    if (*at == '"') {
        for (at++; *at && *at != '"'; at++) {
            if ((unsigned char)*at < 0x20 || (*at == '\\' && !strchr("\"\\u", *++at))) {
                return NULL;
            }
        }
        return *at ? at + 1 : NULL;
    }
    if (strncmp(at, "true", 4) == 0 || strncmp(at, "false", 5) == 0) {
        return at + (*at == 't' ? 4 : 5);
    }
    size_t digits = strspn(at, "+-.0123456789e");
    char *end = NULL;
    strtod(at, &end);
    return digits > 0 && end == at + digits ? end : NULL;
}

static bool is_json(const char *text) {
    const char *end = json_end(text);
    return end && end[strspn(end, " \n")] == 0;
}

// ---- JSON -----------------------------------------------------------------------------------

static void check_number(td_real value) {
    char text[TDI_REAL_TEXT];
    CHECK_INT(tdi_real_write(value, text), strlen(text));
    td_real back = strtod(text, NULL);
    if (memcmp(&back, &value, sizeof value) != 0 || !is_json(text)) {
        test_failed(__FILE__, __LINE__, "%a was written as %s", value, text);
    }
}

TD_TEST(json_numbers_read_back_to_the_same_bits) {
    td_real special[] = {0.0,
                         -0.0,
                         1.0,
                         -1.0,
                         0.1,
                         1.0 / 3,
                         1e15,
                         1e15 - 1,
                         1e22,
                         -2.5,
                         5e-324,
                         2e-310,
                         1.7976931348623157e308,
                         123456789012345680.0,
                         0.1 + 0.2,
                         1e-7};
    for (size_t i = 0; i < sizeof special / sizeof special[0]; i++) {
        check_number(special[i]);
    }
    tdi_random random = random_of(3);
    for (int i = 0; i < 20000; i++) {
        uint64_t bits = tdi_random_bits(&random);
        td_real value;
        memcpy(&value, &bits, sizeof value);
        if (isfinite(value)) {
            check_number(value);
        }
        check_number(tdi_random_uniform(&random));
        check_number((td_real)(float)tdi_random_uniform(&random));
    }
}

TD_TEST(json_numbers_are_short) {
    char text[TDI_REAL_TEXT];
    tdi_real_write(0.1, text);
    CHECK_TEXT(text, "0.1");
    tdi_real_write(0.1 + 0.2, text);
    CHECK_TEXT(text, "0.30000000000000004");
    tdi_real_write(-12, text);
    CHECK_TEXT(text, "-12");
    tdi_real_write(2.5e-7, text);
    CHECK_TEXT(text, "2.5e-07");
}

TD_TEST(json_refuses_numbers_that_are_not_finite) {
    td_real wrong[] = {NAN, INFINITY, -INFINITY};
    for (int i = 0; i < 3; i++) {
        tdi_json json = {0};
        td_bytes out;
        tdi_json_open(&json, "[");
        tdi_json_real(&json, 1);
        tdi_json_real(&json, wrong[i]);
        tdi_json_close(&json, "]");
        CHECK_INT(tdi_json_finish(&json, &out), TD_ERR_ARGUMENT);
        CHECK(out.data == NULL && out.size == 0);
    }
}

TD_TEST(json_escapes_strings_and_places_commas) {
    tdi_json json = {0};
    tdi_json_open(&json, "{");
    tdi_json_key_string(&json, "a\"b", "line\nend\\ \x01 \xc3\xa4 \xff\xc0\x80\xed\xa0\x80");
    tdi_json_key(&json, "list");
    tdi_json_open(&json, "[");
    tdi_json_close(&json, "]");
    tdi_json_key_integer(&json, "n", INT64_MIN);
    tdi_json_key(&json, "yes");
    tdi_json_bool(&json, true);
    tdi_json_close(&json, "}");
    td_bytes out;
    CHECK_INT(tdi_json_finish(&json, &out), TD_OK);
    char *text = text_of(&out);
    // a byte that is no UTF-8 becomes U+FFFD: ff, two of c0 80, three of the surrogate
    CHECK_TEXT(text, "{\"a\\\"b\":\"line\\u000aend\\\\ \\u0001 \xc3\xa4 "
                     "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\","
                     "\"list\":[],\"n\":-9223372036854775808,\"yes\":true}");
    CHECK(is_json(text));
    free(text);
    td_bytes_free(&out);
    CHECK(out.data == NULL && out.size == 0);
    td_bytes_free(&out);
    td_bytes_free(NULL);
}

TD_TEST(skeleton_json_is_json_with_every_field) {
    OWNED(test_plant) p = test_grow(plant_text, NULL);
    CHECK_INT(p.status, TD_OK);
    OWNED(td_bytes) out;
    CHECK_INT(td_skeleton_json(p.skeleton, NULL, &out), TD_OK);
    FREED char *text = text_of(&out);
    CHECK(is_json(text));
    const char *keys[] = {
        "generator",    "materials",      "shapes",        "segments",     "id",
        "parent",       "joint",          "attach",        "axis",         "rest",
        "initial",      "length",         "initial_slide", "tip",          "radius_base",
        "radius_tip",   "material",       "organ",         "shape",        "color",
        "area",         "mass",           "second_moment", "stiffness",    "damping",
        "polygons",     "young",          "shear",         "damping_time", "opening",
        "centre_color", "centre_of_mass", "rest_length",   "flat",         "section"};
    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++) {
        char quoted[40];
        snprintf(quoted, sizeof quoted, "\"%s\":", keys[i]);
        CHECK_HAS(text, quoted);
    }
    // one line a segment
    int32_t lines = 0;
    for (const char *at = strstr(text, "\"segments\""); (at = strstr(at, "\n{\"id\":")); at++) {
        lines++;
    }
    CHECK_INT(lines, td_skeleton_count(p.skeleton));
}

TD_TEST(string_text_reads_back_to_the_same_string) {
    OWNED(test_plant) p = test_derive("derivation length: 3\naxiom: A(1)\n"
                                      "A(x) --> F(x/3)[+A(x*0.7)]-(x*1e-9)A(x+0.1)\n");
    OWNED(td_bytes) out;
    CHECK_INT(td_string_text(p.grammar, &p.string, NULL, &out), TD_OK);
    CHECK(out.size > 2 && out.data[out.size - 1] == '\n');
    char *text = text_of(&out), model[4096];
    text[out.size - 1] = 0;
    CHECK(strpbrk(text, " \n") == NULL);
    snprintf(model, sizeof model, "axiom: %s\n", text);
    OWNED(test_plant) q = test_derive(model);
    OWNED(td_bytes) again;
    CHECK_INT(td_string_text(q.grammar, &q.string, NULL, &again), TD_OK);
    CHECK_INT(again.size, out.size);
    CHECK_INT(memcmp(again.data, out.data, out.size), 0);
    CHECK_INT(q.string.param_count, p.string.param_count);
    CHECK_INT(memcmp(q.string.params, p.string.params, 8 * (size_t)p.string.param_count), 0);
    free(text);
}

// ---- glTF -----------------------------------------------------------------------------------

static uint32_t word_at(const td_bytes *glb, size_t offset) {
    const uint8_t *b = glb->data + offset;
    return b[0] | (uint32_t)b[1] << 8 | (uint32_t)b[2] << 16 | (uint32_t)b[3] << 24;
}

// checks the container and returns the text of its JSON chunk; *binary is the offset of the binary
// chunk's data, 0 when there is none
static char *open_glb(const td_bytes *glb, size_t *binary) {
    CHECK_INT(memcmp(glb->data, "glTF", 4), 0);
    CHECK_INT(word_at(glb, 4), 2);
    CHECK_INT(word_at(glb, 8), glb->size);
    uint32_t json_size = word_at(glb, 12);
    CHECK_INT(json_size % 4, 0);
    CHECK_INT(memcmp(glb->data + 16, "JSON", 4), 0);
    td_bytes json = {glb->data + 20, json_size, NULL};
    *binary = 0;
    if (20 + json_size < glb->size) {
        *binary = 28 + json_size;
        CHECK_INT(memcmp(glb->data + 24 + json_size, "BIN", 4), 0);
        CHECK_INT(word_at(glb, 20 + json_size), glb->size - *binary);
        CHECK_INT(*binary % 4, 0);
        CHECK_INT(glb->size % 4, 0);
    }
    return text_of(&json);
}

static td_status glb_of(const char *model, td_bytes *out) {
    OWNED(test_plant) p = test_grow(model, NULL);
    OWNED(td_mesh) *mesh = NULL;
    CHECK_INT(p.status, TD_OK);
    CHECK_INT(td_mesh_new(p.skeleton, NULL, NULL, &mesh, NULL), TD_OK);
    td_status status = td_mesh_glb(mesh, "a \"plant\"", NULL, out);
    return status;
}

// the number behind the n-th place of `key`
static long number_after(const char *text, const char *key, int n) {
    const char *at = text;
    for (int i = 0; i <= n && at; i++) {
        at = strstr(at + (i > 0), key);
    }
    return at ? strtol(at + strlen(key), NULL, 10) : -1;
}

TD_TEST(glb_has_sound_lengths_and_alignment) {
    OWNED(td_bytes) glb;
    CHECK_INT(glb_of(plant_text, &glb), TD_OK);
    size_t binary;
    FREED char *json = open_glb(&glb, &binary);
    CHECK(is_json(json));
    CHECK_HAS(json, "\"generator\":\"Tendril ");
    CHECK_HAS(json, "\"name\":\"a \\\"plant\\\"\"");
    // five parts of five views: every view starts at a multiple of 4 and where the last one ended
    long end = 0;
    int views = 0;
    for (; number_after(json, "\"byteOffset\":", views) >= 0; views++) {
        CHECK_INT(number_after(json, "\"byteOffset\":", views), end);
        end += (number_after(json, "\"byteLength\":", views) + 3) / 4 * 4;
    }
    CHECK_INT(views, 25);
    CHECK_INT(number_after(json, "\"buffers\":[{\"byteLength\":", 0), end);
    CHECK_INT(glb.size - binary, end);
}

// two stems: `bounds` of the positions are exactly those of the floats, indices are short
TD_TEST(glb_holds_the_arrays_of_the_mesh) {
    OWNED(test_plant) p = test_grow("axiom: !(0.1)F(1)+(30)F(1)\n", NULL);
    OWNED(td_mesh) *mesh = NULL;
    OWNED(td_bytes) glb;
    CHECK_INT(td_mesh_new(p.skeleton, NULL, NULL, &mesh, NULL), TD_OK);
    CHECK_INT(td_mesh_glb(mesh, NULL, NULL, &glb), TD_OK);
    td_mesh_part part = td_mesh_part_get(mesh, 0);
    size_t binary, vertices = (size_t)part.vertex_count;
    FREED char *json = open_glb(&glb, &binary);
    const uint8_t *data = glb.data + binary;
    CHECK_INT(memcmp(data, part.position, 12 * vertices), 0);
    CHECK_INT(memcmp(data + 12 * vertices, part.normal, 12 * vertices), 0);
    CHECK_INT(memcmp(data + 24 * vertices, part.color, 4 * vertices), 0);
    const uint8_t *index = data + 28 * vertices;
    for (int32_t i = 0; i < part.index_count; i++) {
        CHECK_INT(index[2 * i] | index[2 * i + 1] << 8, part.index[i]);
    }
    td_real low = INFINITY, high = -INFINITY;
    for (size_t i = 0; i < vertices; i++) {
        low = fmin(low, part.position[3 * i]);
        high = fmax(high, part.position[3 * i]);
    }
    CHECK(strtod(strstr(json, "\"min\":[") + 7, NULL) == low);
    CHECK(strtod(strstr(json, "\"max\":[") + 7, NULL) == high);
    CHECK_HAS(json, "\"componentType\":5123");
}

TD_TEST(glb_takes_wide_indices_for_many_vertices) {
    OWNED(td_bytes) glb;
    CHECK_INT(glb_of("derivation length: 11\naxiom: !(0.1)A\nA --> F[+A]-A\n", &glb), TD_OK);
    size_t binary;
    FREED char *json = open_glb(&glb, &binary);
    CHECK(number_after(json, "\"count\":", 0) > 65535);
    CHECK_HAS(json, "\"componentType\":5125");
    CHECK(strstr(json, "\"componentType\":5123") == NULL);
}

TD_TEST(glb_of_an_empty_mesh_is_an_empty_scene) {
    OWNED(td_bytes) glb;
    CHECK_INT(glb_of("axiom: A\n", &glb), TD_OK);
    size_t binary;
    FREED char *json = open_glb(&glb, &binary);
    CHECK(is_json(json));
    CHECK_INT(binary, 0);
    CHECK_HAS(json, "\"scenes\":[{}]");
    CHECK(!strstr(json, "nodes") && !strstr(json, "buffers") && !strstr(json, "meshes"));
}

TD_TEST(glb_is_the_same_twice) {
    OWNED(td_bytes) a, b;
    CHECK_INT(glb_of(plant_text, &a), TD_OK);
    CHECK_INT(glb_of(plant_text, &b), TD_OK);
    CHECK_INT(a.size, b.size);
    CHECK_INT(memcmp(a.data, b.data, a.size), 0);
}

// ---- files ----------------------------------------------------------------------------------

static void check_content(const char *path, const char *want) {
    OWNED(td_bytes) bytes;
    CHECK_INT(td_file_read(path, 1 << 20, NULL, &bytes, NULL), TD_OK);
    CHECK_INT(bytes.size, strlen(want));
    CHECK(bytes.size == strlen(want) && memcmp(bytes.data, want, bytes.size) == 0);
}

FOLDER_TEST(file_is_read_as_it_was_written) {
    static uint8_t data[300000];
    for (size_t i = 0; i < sizeof data; i++) {
        data[i] = (uint8_t)(i * 7 + i / 256);
    }
    size_t sizes[] = {0, 1, 65535, 65536, 65537, 131072, sizeof data};
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        test_heap heap = {0};
        td_alloc alloc = test_heap_alloc(&heap);
        td_bytes bytes;
        CHECK_INT(td_file_write(in_folder("a"), data, sizes[i], NULL), TD_OK);
        CHECK_INT(td_file_read(in_folder("a"), sizes[i], &alloc, &bytes, NULL), TD_OK);
        CHECK_INT(bytes.size, sizes[i]);
        CHECK_INT(heap.held, sizes[i]);
        CHECK(sizes[i] == 0 || memcmp(bytes.data, data, sizes[i]) == 0);
        td_bytes_free(&bytes);
        CHECK_INT(heap.held, 0);
    }
    CHECK_INT(folder_count(), 1);
}

FOLDER_TEST(file_over_its_limit_is_refused_with_its_name) {
    CHECK_INT(td_file_write(in_folder("a"), "12345", 5, NULL), TD_OK);
    const char *paths[] = {in_folder("a"), "/dev/zero"}; // the second one never ends
    for (int i = 0; i < 2; i++) {
        test_heap heap = {0};
        td_alloc alloc = test_heap_alloc(&heap);
        td_bytes bytes;
        td_diag diag = {0};
        CHECK_INT(td_file_read(paths[i], 4, &alloc, &bytes, &diag), TD_ERR_LIMIT);
        CHECK(bytes.data == NULL && bytes.size == 0);
        CHECK_INT(diag.line, 1);
        CHECK_INT(diag.column, 1);
        CHECK_TEXT(diag.file, paths[i]);
        CHECK_INT(heap.held, 0);
        CHECK_INT(heap.peak, 5);
    }
}

FOLDER_TEST(file_that_cannot_be_read_is_refused_with_its_name) {
    const char *paths[] = {in_folder("none"), folder, ""};
    for (int i = 0; i < 3; i++) {
        td_bytes bytes;
        td_diag diag = {0};
        CHECK_INT(td_file_read(paths[i], 1000, NULL, &bytes, &diag), TD_ERR_READ);
        CHECK_TEXT(diag.file, paths[i]);
        CHECK(diag.message[0] != 0);
        CHECK(bytes.data == NULL);
    }
}

// the disk is full after 1000 bytes: the old file stays, and nothing is left beside it
FOLDER_TEST(file_write_that_fails_leaves_the_target_untouched) {
    static char data[100000];
    CHECK_INT(td_file_write(in_folder("a"), "old", 3, NULL), TD_OK);
    struct rlimit before, small;
    CHECK_INT(getrlimit(RLIMIT_FSIZE, &before), 0);
    small = before;
    small.rlim_cur = 1000;
    void (*handler)(int) = signal(SIGXFSZ, SIG_IGN);
    CHECK_INT(setrlimit(RLIMIT_FSIZE, &small), 0);
    td_diag diag = {0};
    td_status status = td_file_write(in_folder("a"), data, sizeof data, &diag);
    td_status fresh = td_file_write(in_folder("b"), data, sizeof data, NULL);
    CHECK_INT(setrlimit(RLIMIT_FSIZE, &before), 0);
    signal(SIGXFSZ, handler);
    CHECK_INT(status, TD_ERR_WRITE);
    CHECK_INT(fresh, TD_ERR_WRITE);
    CHECK_HAS(diag.file, "/a");
    check_content(in_folder("a"), "old");
    CHECK_INT(folder_count(), 1);
}

FOLDER_TEST(file_write_replaces_and_keeps_the_mode) {
    CHECK_INT(td_file_write(in_folder("a"), "first", 5, NULL), TD_OK);
    CHECK_INT(chmod(in_folder("a"), 0600), 0);
    // a reader that has the old file open goes on reading it
    FILE *reader = fopen(in_folder("a"), "rb");
    CHECK_INT(td_file_write(in_folder("a"), "2nd", 3, NULL), TD_OK);
    char text[8] = {0};
    CHECK_INT(fread(text, 1, 7, reader), 5);
    CHECK_TEXT(text, "first");
    fclose(reader);
    check_content(in_folder("a"), "2nd");
    struct stat info;
    CHECK_INT(stat(in_folder("a"), &info), 0);
    CHECK_INT(info.st_mode & 0777, 0600);
    // names that are taken are left alone
    CHECK_INT(td_file_write(in_folder("a.new0"), "other", 5, NULL), TD_OK);
    CHECK_INT(td_file_write(in_folder("a"), "third", 5, NULL), TD_OK);
    check_content(in_folder("a.new0"), "other");
    check_content(in_folder("a"), "third");
    CHECK_INT(folder_count(), 2);
}

FOLDER_TEST(file_write_goes_straight_into_what_is_no_plain_file) {
    struct stat info;
    CHECK_INT(td_file_write("/dev/null", "x", 1, NULL), TD_OK);
    CHECK(stat("/dev/null", &info) == 0 && S_ISCHR(info.st_mode));
    CHECK_INT(td_file_write("/dev/full", "x", 1, NULL), TD_ERR_WRITE);
    CHECK(stat("/dev/full", &info) == 0 && S_ISCHR(info.st_mode));
    CHECK_INT(td_file_write(in_folder("a"), "old", 3, NULL), TD_OK);
    CHECK_INT(symlink("a", in_folder("link")), 0);
    CHECK_INT(td_file_write(in_folder("link"), "new", 3, NULL), TD_OK);
    CHECK(lstat(in_folder("link"), &info) == 0 && S_ISLNK(info.st_mode));
    check_content(in_folder("a"), "new");
    td_diag diag = {0};
    CHECK_INT(td_file_write(folder, "x", 1, &diag), TD_ERR_WRITE);
    CHECK_TEXT(diag.file, folder);
    CHECK_INT(td_file_write(in_folder("none/a"), "x", 1, &diag), TD_ERR_WRITE);
}

FOLDER_TEST(file_loader_reads_relative_to_the_including_file) {
    CHECK_INT(td_file_write(in_folder("part.lsys"), "#define LEN 2.5\n", 16, NULL), TD_OK);
    td_loader loader = td_file_loader();
    const char *names[] = {"part.lsys", "./part.lsys", ".//part.lsys"};
    for (int i = 0; i < 3; i++) {
        char *text = NULL, resolved[160] = "";
        size_t size = 0;
        td_status status = loader.read(loader.context, names[i], in_folder("main.lsys"), 16, NULL,
                                       &text, &size, resolved);
        CHECK_INT(status, TD_OK);
        CHECK_INT(size, 16);
        CHECK_TEXT(resolved, in_folder("part.lsys"));
        free(text);
    }
    char *text = NULL, resolved[160] = "";
    size_t size = 0;
    CHECK_INT(
        loader.read(NULL, in_folder("part.lsys"), "elsewhere/m", 15, NULL, &text, &size, resolved),
        TD_ERR_LIMIT);
    CHECK(text == NULL);
    CHECK_INT(loader.read(NULL, "none", in_folder("m"), 15, NULL, &text, &size, resolved),
              TD_ERR_READ);
    char long_name[400];
    memset(long_name, 'x', sizeof long_name - 1);
    long_name[sizeof long_name - 1] = 0;
    CHECK_INT(loader.read(NULL, long_name, "m", 15, NULL, &text, &size, resolved), TD_ERR_READ);
    CHECK_INT(loader.read(NULL, "-", "m", 15, NULL, &text, &size, resolved), TD_ERR_READ);
}

// ---- failing memory -------------------------------------------------------------------------

typedef td_status (*maker)(const test_plant *plant, const td_mesh *mesh, const td_alloc *alloc,
                           td_bytes *out);

static td_status make_text(const test_plant *plant, const td_mesh *mesh, const td_alloc *alloc,
                           td_bytes *out) {
    (void)mesh;
    return td_string_text(plant->grammar, &plant->string, alloc, out);
}

static td_status make_json(const test_plant *plant, const td_mesh *mesh, const td_alloc *alloc,
                           td_bytes *out) {
    (void)mesh;
    return td_skeleton_json(plant->skeleton, alloc, out);
}

static td_status make_glb(const test_plant *plant, const td_mesh *mesh, const td_alloc *alloc,
                          td_bytes *out) {
    (void)plant;
    return td_mesh_glb(mesh, "x", alloc, out);
}

static td_status make_read(const test_plant *plant, const td_mesh *mesh, const td_alloc *alloc,
                           td_bytes *out) {
    (void)plant;
    (void)mesh;
    return td_file_read(in_folder("a"), 1 << 20, alloc, out, NULL);
}

FOLDER_TEST(io_survives_a_failing_allocator) {
    static char data[200000];
    CHECK_INT(td_file_write(in_folder("a"), data, sizeof data, NULL), TD_OK);
    OWNED(test_plant) p = test_grow(plant_text, NULL);
    OWNED(td_mesh) *mesh = NULL;
    CHECK_INT(td_mesh_new(p.skeleton, NULL, NULL, &mesh, NULL), TD_OK);
    maker makers[] = {make_text, make_json, make_glb, make_read};
    for (int i = 0; i < 4; i++) {
        WITH_SCARCE(memory, 2) {
            OWNED(td_bytes) out;
            const td_status status = makers[i](&p, mesh, &memory.alloc, &out);
            CHECK_INT(status, scarce_status(&memory));
            CHECK((out.data != NULL) == (status == TD_OK));
        }
    }
}

// The path of a file is itself; that of a folder is the L-system that its specifications start.
TD_TEST(file_of_a_model_is_found_in_the_folder_of_the_virtual_laboratory) {
    const char specifications[] =
        "plant.l\nmodel:\n\tgenerate:\n\t\tcpfg -m1 x.map plant.l plant.v\n";
    char model[160] = "";
    td_diag diag = {.message = ""};
    open_folder();
    CHECK_INT(td_file_model(folder, model, &diag), TD_ERR_READ);
    CHECK_INT(
        td_file_write(in_folder("specifications"), specifications, strlen(specifications), &diag),
        TD_OK);
    CHECK_INT(td_file_write(in_folder("plant.l"), "axiom: F\n", 9, &diag), TD_OK);
    CHECK_INT(td_file_model(folder, model, &diag), TD_OK);
    CHECK_TEXT(model, in_folder("plant.l"));
    CHECK_INT(td_file_model(in_folder("plant.l"), model, &diag), TD_OK);
    CHECK_TEXT(model, in_folder("plant.l"));
    CHECK_INT(td_file_write(in_folder("specifications"), "plant.l\n", 8, &diag), TD_OK);
    CHECK_INT(td_file_model(folder, model, &diag), TD_ERR_SYNTAX);
    CHECK_HAS(diag.message, "has no line 'cpfg ... model.l'");
    char slashes[200];
    snprintf(slashes, sizeof slashes, "%s", folder);
    memset(slashes + strlen(folder), '/', sizeof slashes - strlen(folder));
    slashes[155] = 0;
    CHECK_INT(td_file_model(slashes, model, &diag), TD_ERR_READ);
    CHECK_HAS(diag.message, "is too long");
}

FOLDER_TEST(file_whose_name_with_the_suffix_of_a_new_one_is_too_long_is_refused) {
    static char path[5000];
    td_diag diag = {.message = ""};
    memset(path, 'x', sizeof path - 1);
    CHECK_INT(td_file_write(path, "x", 1, &diag), TD_ERR_WRITE);
    CHECK_HAS(diag.message, "cannot open");
    CHECK_INT(folder_count(), 0);
}
