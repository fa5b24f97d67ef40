// SPDX-License-Identifier: MIT
// Skeletons as helices. Pairs with src/helix/skeleton.c, axis.c, fit.c, matter.c and riders.c.

#include "helix/build.h"
#include "helix/piece.h"
#include "test_helix_support.h"
#include "world/strand.h"

#include <dirent.h>
#include <stdlib.h>

// ---- helpers --------------------------------------------------------------------------------

static td_skeleton *grow(const char *path) {
    td_skeleton *skeleton = NULL;
    td_diag diag = {.message = ""};
    FILE *file = fopen(path, "rb");
    if (!CHECK_SAY(file, "cannot read %s", path)) {
        return NULL;
    }
    fseek(file, 0, SEEK_END);
    size_t size = (size_t)ftell(file);
    rewind(file);
    FREED char *text = malloc(size);
    CHECK_INT(fread(text, 1, size, file), size);
    fclose(file);
    CHECK_SAY(td_skeleton_from_text(text, size, NULL, &skeleton, &diag) == TD_OK, "%s: %s", path,
              diag.message);
    return skeleton;
}

// Elements as they start, and what is read off them: by matrices, and not as the library does.
typedef struct laid {
    plain_frame *start;
    const td_body_model *model;
} laid;

static plain_frame at(const laid *l, int32_t element, td_real s) {
    if (element == TD_NONE) {
        return plain_start;
    }
    return plain_curve(l->start[element], tdi_as_helix_model(l->model)->element[element].start, s);
}

static td_vec3 carried(const plain_frame *f, td_vec3 offset) {
    return tdi_add(f->x, tdi_mat3_apply(&f->r, offset));
}

static tdi_mat3 transposed(const tdi_mat3 *a) {
    return (tdi_mat3){
        {a->m[0], a->m[3], a->m[6], a->m[1], a->m[4], a->m[7], a->m[2], a->m[5], a->m[8]}};
}

static laid lay(const td_body_model *m) {
    laid l = {calloc((size_t)tdi_as_helix_model(m)->element_count, sizeof *l.start), m};
    for (int32_t i = 0; i < tdi_as_helix_model(m)->element_count; i++) {
        const tdi_helix_element *e = &tdi_as_helix_model(m)->element[i];
        const plain_frame up = at(&l, e->parent, e->at);
        const tdi_mat3 back = transposed(&e->turn);
        l.start[i] = (plain_frame){carried(&up, e->place), tdi_mat3_mul_t(&up.r, &back)};
    }
    return l;
}

static td_body_model *model_of(const td_skeleton *skeleton) {
    td_body_model *m = NULL;
    td_diag diag = {.message = ""};
    CHECK_SAY(skeleton && td_body_model_new(skeleton, "helix", NULL, NULL, &m, &diag) == TD_OK,
              "%s", diag.message);
    return m;
}

// ---- as drawn -------------------------------------------------------------------------------

typedef struct matter {
    td_real mass;
    td_vec3 moment;
} matter;

static void add_matter(matter *to, td_real mass, td_vec3 moment) {
    to->mass += mass;
    to->moment = tdi_add(to->moment, moment);
}

static matter matter_of_model(const laid *l) {
    matter sum = {0};
    for (int32_t k = 0; k < tdi_as_helix_model(l->model)->station_count; k++) {
        const tdi_helix_station *s = &tdi_as_helix_model(l->model)->station[k];
        const plain_frame f = at(l, s->element, s->s);
        add_matter(&sum, s->mass, tdi_madd(tdi_mat3_apply(&f.r, s->moment), f.x, s->mass));
    }
    return sum;
}

// Of the skeleton, with its size.
static matter matter_of_skeleton(const td_skeleton *k, const td_vec3 *o, const td_quat *q,
                                 td_real *size) {
    const td_segment *segments = td_skeleton_segments(k);
    matter sum = {0};
    for (int32_t i = 0; i < td_skeleton_count(k); i++) {
        const td_segment *s = &segments[i];
        const td_vec3 c = tdi_add(o[i], tdi_quat_rotate(q[i], s->centre_of_mass));
        add_matter(&sum, s->mass, tdi_scale(c, s->mass));
        *size = fmax(*size, tdi_norm(tdi_sub(o[i], o[0])) + s->length);
    }
    for (int32_t i = 0; i < td_skeleton_attached_mass_count(k); i++) {
        const td_attached_mass *b = &td_skeleton_attached_masses(k)[i];
        const td_vec3 c = tdi_quat_rotate(q[b->segment], b->centre_of_mass);
        add_matter(&sum, b->mass, tdi_scale(tdi_add(o[b->segment], c), b->mass));
    }
    return sum;
}

// How far the rider of a segment is from where the skeleton draws it.
static void check_rider(const laid *l, const td_segment *s, int32_t i, td_vec3 o, td_quat q,
                        td_real size, const char *of) {
    const tdi_helix_rider *r = &tdi_as_helix_model(l->model)->rider[i];
    const plain_frame from = at(l, r->element, r->from), to = at(l, r->element, r->to),
                      middle = at(l, r->element, 0.5 * (r->from + r->to));
    const td_vec3 tip = tdi_add(o, tdi_quat_rotate(q, s->tip));
    const tdi_mat3 turn = tdi_mat3_from_quat(r->turn), back = transposed(&turn),
                   got = tdi_mat3_mul_t(&middle.r, &back), want = tdi_mat3_from_quat(q);
    const td_real joint = tdi_norm(tdi_sub(carried(&from, r->start), o)),
                  end = tdi_norm(tdi_sub(carried(&to, r->end), tip)),
                  turned = frames_apart(&got, &want);
    // a thousand frames one after the other round by 1e-16 each
    CHECK_SAY(joint <= 1e-12 * size && end <= 1e-12 * size && turned <= 1e-12,
              "%s: segment %d is off by %g m at its joint, %g m at its tip, and turned by %g", of,
              (int)i, joint, end, turned);
}

// Every segment is where it is drawn; the mass is kept; its centre moves by what the curve of an
// element has over the straight segments along it, `off` of the size.
static void check_drawn(const td_skeleton *k, const td_body_model *m, td_real off, const char *of) {
    const int32_t n = td_skeleton_count(k);
    FREED td_vec3 *o = calloc((size_t)n, sizeof *o);
    FREED td_quat *q = calloc((size_t)n, sizeof *q);
    const laid l = lay(m);
    td_real size = 0;
    td_skeleton_pose(k, TD_POSE_INITIAL, o, q);
    const matter want = matter_of_skeleton(k, o, q, &size), got = matter_of_model(&l);
    for (int32_t i = 0; i < n; i++) {
        check_rider(&l, &td_skeleton_segments(k)[i], i, o[i], q[i], size, of);
    }
    CHECK_REL(got.mass, want.mass, 1e-11);
    const td_vec3 moved =
        tdi_sub(tdi_scale(got.moment, 1 / got.mass), tdi_scale(want.moment, 1 / want.mass));
    CHECK_SAY(tdi_norm(moved) <= off * size, "%s: the centre moves by %g of the size", of,
              tdi_norm(moved) / size);
    free(l.start);
}

static int32_t check_folder(const char *folder) {
    DIR *dir = opendir(folder);
    int32_t count = 0;
    for (struct dirent *e; dir && (e = readdir(dir)) != NULL;) {
        const char *dot = strrchr(e->d_name, '.');
        char path[600];
        if (!dot || strcmp(dot, ".lsys") != 0) {
            continue;
        }
        snprintf(path, sizeof path, "%s/%s", folder, e->d_name);
        OWNED(td_skeleton) *skeleton = grow(path);
        OWNED(td_body_model) *m = model_of(skeleton);
        if (m) {
            tdi_helix_model_validate(tdi_as_helix_model(m));
            check_drawn(skeleton, m, 3e-3, e->d_name);
            count++;
        }
    }
    if (dir) {
        closedir(dir);
    }
    return count;
}

TD_TEST(helix_plants_are_drawn_as_their_skeletons_and_weigh_as_much) {
    CHECK(check_folder(TEST_SCENES "/plants") > 15);
}

TD_TEST(helix_props_are_drawn_as_their_skeletons_and_weigh_as_much) {
    CHECK(check_folder(TEST_SCENES "/props") > 10);
}

// ---- axes -----------------------------------------------------------------------------------

static td_skeleton *of_text(const char *axiom) {
    char text[600];
    td_skeleton *skeleton = NULL;
    td_diag diag = {.message = ""};
    snprintf(text, sizeof text,
             "lsystem: t\nlength unit: 1\nderivation length: 0\nmaterial: 0 green-wood\n"
             "surface: L leaf, segments=1\nsurface: M leaf, segments=4\naxiom: !(0.01)%s\n"
             "endlsystem\n",
             axiom);
    CHECK_SAY(td_skeleton_from_text(text, strlen(text), NULL, &skeleton, &diag) == TD_OK, "%s",
              diag.message);
    return skeleton;
}

static void check_elements(const char *axiom, int32_t count) {
    OWNED(td_skeleton) *skeleton = of_text(axiom);
    OWNED(td_body_model) *m = model_of(skeleton);
    if (m) {
        CHECK_SAY(tdi_as_helix_model(m)->element_count == count, "%s: %d elements, wanted %d",
                  axiom, (int)tdi_as_helix_model(m)->element_count, (int)count);
        check_drawn(skeleton, m, 2e-3, axiom); // three slices about a kink of 20 degrees
    }
}

#define F5 "F(0.03)F(0.03)F(0.03)F(0.03)F(0.03)"

TD_TEST(helix_stem_of_ten_internodes_is_two_elements) {
    check_elements(F5 F5, 2);
    check_elements("F(0.05)/(137)F(0.05)/(137)F(0.05)/(137)F(0.05)", 2); // rolls are no bends
    check_elements("F(0.05)", 1);
    check_elements("F(0.05)F(0.05)[+(60)F(0.05)F(0.05)]F(0.05)F(0.05)", 3);
    check_elements("F(0.05)F(0.05)+(60)F(0.05)F(0.05)", 3);                // a corner is no bend
    check_elements("F(0.05)[+(20)!(0.012)F(0.05)F(0.05)]-(20)F(0.05)", 3); // the heavier goes on
    check_elements(F5 "!(0.003)" F5, 3); // a thin stem on a thick one is an axis of its own
}

TD_TEST(helix_goes_on_in_the_heavier_branch_in_any_order) {
    static const char *const axioms[] = {"F(0.05)[+(20)F(0.05)]-(20)F(0.05)F(0.05)",
                                         "F(0.05)[+(20)F(0.05)F(0.05)]-(20)F(0.05)"};
    for (int32_t k = 0; k < 2; k++) {
        OWNED(td_skeleton) *skeleton = of_text(axioms[k]);
        OWNED(td_body_model) *m = model_of(skeleton);
        const tdi_helix_rider *r = tdi_as_helix_model(m)->rider;
        const int32_t heavier = k == 0 ? 2 : 1, lighter = k == 0 ? 1 : 3;
        CHECK(r[heavier].from == r[0].to && r[0].to > 0);
        CHECK(r[lighter].from == 0);
    }
}

TD_TEST(helix_organs_ride_rigidly_and_blades_of_several_segments_bend) {
    OWNED(td_skeleton) *leaf = of_text("F(0.1)[+(40)~L(0.1)]F(0.1)"),
                       *blade = of_text("F(0.1)[+(40)~M(0.1)]F(0.1)");
    OWNED(td_body_model) *one = model_of(leaf), *row = model_of(blade);
    if (one && row) {
        CHECK_INT(tdi_as_helix_model(one)->element_count, 2);
        const tdi_helix_rider *r = &tdi_as_helix_model(one)->rider[1];
        CHECK(r->element == 0 && r->from == r->to &&
              r->from == tdi_as_helix_model(one)->element[0].length);
        CHECK_INT(tdi_as_helix_model(row)->element_count, 4); // at least two of the blade
        CHECK_INT(tdi_as_helix_model(row)->element[2].parent == 0 ||
                      tdi_as_helix_model(row)->element[1].parent == 0,
                  1);
        check_drawn(blade, row, 1e-3, "blade");
    }
}

// ---- built ----------------------------------------------------------------------------------

static td_skeleton *built(const td_segment_def *defs, int32_t count, const td_strand *strand) {
    td_skeleton *skeleton = NULL;
    OWNED(td_builder) *builder = test_builder();
    td_diag diag = {.message = ""};
    const td_shape shape = td_shape_default();
    CHECK_INT(td_builder_add_shape(builder, &shape, NULL, NULL), TD_OK);
    for (int32_t k = 0; k < count; k++) {
        CHECK_SAY(td_builder_add(builder, &defs[k], NULL, &diag) == TD_OK, "%s", diag.message);
    }
    if (strand) {
        CHECK_SAY(td_builder_add_strand(builder, strand, &diag) == TD_OK, "%s", diag.message);
    }
    CHECK_INT(td_builder_finish(builder, &skeleton, &diag), TD_OK);
    return skeleton;
}

static void stem(td_segment_def *defs, int32_t count) {
    for (int32_t k = 0; k < count; k++) {
        defs[k] = td_segment_def_default();
        defs[k].parent = k - 1;
    }
}

// No density of second degree has its mass so near to the end: two points have it.
TD_TEST(helix_stem_whose_mass_lies_at_its_end_has_it_there) {
    td_segment_def d;
    OWNED(td_body) *state = NULL;
    stem(&d, 1);
    const td_real c = 0.9 * d.length;
    d.mass = 0.2;
    d.centre_of_mass = tdi_vec3(0, c, 0);
    d.second_moment =
        (td_sym3){.xx = 1e-8, .yy = 0.2 * (c * c + 1e-4 * d.length * d.length), .zz = 1e-8};
    OWNED(td_skeleton) *skeleton = built(&d, 1, NULL);
    OWNED(td_body_model) *m = model_of(skeleton);
    CHECK_INT(td_body_new(m, NULL, &state, NULL), TD_OK);
    CHECK_REL(td_body_energy(state, tdi_vec3(0, -10, 0)).weight, 2 * c, 1e-12);
}

TD_TEST(helix_segments_without_drag_have_no_vanes) {
    for (int drag = 0; drag < 2; drag++) {
        td_segment_def defs[3];
        stem(defs, 3);
        for (int32_t k = 0; k < 3; k++) {
            defs[k].drag = drag;
        }
        OWNED(td_skeleton) *skeleton = built(defs, 3, NULL);
        OWNED(td_body_model) *m = model_of(skeleton);
        CHECK(m && (tdi_as_helix_model(m)->vane_count > 0) == drag);
    }
}

TD_TEST(helix_branches_stand_anywhere_along_an_element) {
    for (int32_t step = 0; step <= 10; step++) {
        td_segment_def defs[3];
        stem(defs, 3);
        defs[2].parent = 0;
        defs[2].attach_at_tip = false;
        defs[2].attach = tdi_vec3(0.01, 0.01 * step, 0);
        defs[2].rest = tdi_quat_turn(tdi_vec3(0, 0, 1), -1.2);
        OWNED(td_skeleton) *skeleton = built(defs, 3, NULL);
        OWNED(td_body_model) *m = model_of(skeleton);
        if (m) {
            const tdi_helix_element *e =
                &tdi_as_helix_model(m)->element[tdi_as_helix_model(m)->rider[2].element];
            CHECK_INT(tdi_as_helix_model(m)->element_count, 3);
            CHECK_INT(e->parent, 0);
            CHECK_REL(e->at, 0.01 * step, 1e-14);
            CHECK_REL(e->place.x, 0.01, 1e-14);
            CHECK_REL(e->place.y, 0, 1e-15);
            CHECK_REL(e->turn.m[1], sin(1.2), 1e-14); // where its +Y goes
        }
    }
}

// Matter between two slices is spread over both; before the first one it is not.
TD_TEST(helix_stations_have_positive_mass_wherever_something_heavy_rides) {
    for (int32_t step = 0; step <= 20; step++) {
        td_segment_def defs[4];
        stem(defs, 4);
        defs[3].parent = 0;
        defs[3].organ = TD_ORGAN_FRUIT;
        defs[3].shape = 0;
        defs[3].joint = TD_JOINT_FIXED;
        defs[3].attach_at_tip = false;
        defs[3].attach = tdi_vec3(0, 0.005 * step, 0);
        defs[3].mass = 1;
        defs[3].centre_of_mass = tdi_vec3(0, 0.05, 0);
        defs[3].second_moment = tdi_sym3_diagonal(1e-3, 4e-3, 1e-3);
        OWNED(td_skeleton) *skeleton = built(defs, 4, NULL);
        OWNED(td_body_model) *model = model_of(skeleton);
        const tdi_helix_model *m = tdi_as_helix_model(model);
        for (int32_t k = 0; m && k < m->station_count; k++) {
            CHECK_SAY(m->station[k].mass > 0, "at %g m, station %d has %g kg", 0.005 * step, (int)k,
                      m->station[k].mass);
        }
    }
}

TD_TEST(helix_roots_are_held_as_their_joints_are) {
    for (int kind = 0; kind < 4; kind++) {
        td_segment_def defs[3];
        stem(defs, 3);
        defs[0].joint = kind == 1 ? TD_JOINT_FREE : kind == 3 ? TD_JOINT_FIXED : TD_JOINT_BALL;
        defs[0].has_stiffness = kind == 2; // without a spring: pinned
        defs[0].attach_at_tip = false;
        defs[0].attach = tdi_vec3(1, 2, 3);
        OWNED(td_skeleton) *skeleton = built(defs, 3, NULL);
        OWNED(td_body_model) *m = model_of(skeleton);
        if (m) {
            static const td_end_kind want[] = {TD_END_CLAMPED, TD_END_FREE, TD_END_PINNED,
                                               TD_END_CLAMPED};
            CHECK_INT(tdi_as_helix_model(m)->element[0].parent, TD_NONE);
            CHECK_INT(tdi_as_helix_model(m)->element[0].root, want[kind]);
            CHECK_REL(tdi_as_helix_model(m)->element[0].place.y, kind == 3 ? 2.1 : 2, 1e-14);
            CHECK_INT(tdi_as_helix_model(m)->rider[0].element, kind == 3 ? TD_NONE : 0);
            CHECK_INT(m->dof_count, 3 * tdi_as_helix_model(m)->element_count + (kind == 1   ? 6
                                                                                : kind == 2 ? 3
                                                                                            : 0));
            check_drawn(skeleton, m, 1e-12, "root");
        }
    }
}

// ---- strands --------------------------------------------------------------------------------

static td_strand_def strand_def(int32_t segments, int32_t elements) {
    td_strand_def d = td_object_def_default().strand;
    d.segments = segments;
    d.elements = elements;
    d.radius = 0.002;
    return d;
}

static td_skeleton *of_strand(const td_strand_def *d) {
    OWNED(td_builder) *builder = test_builder();
    td_skeleton *skeleton = NULL;
    td_diag diag = {.message = ""};
    const char *key = NULL;
    const td_material rope = td_material_get(td_material_find("rope"));
    CHECK_SAY(tdi_strand_build(d, 1, &rope, NULL, builder, &key, &diag) == TD_OK, "%s",
              diag.message);
    CHECK_SAY(td_builder_finish(builder, &skeleton, &diag) == TD_OK, "%s", diag.message);
    return skeleton;
}

// A helix of radius r that rises by c a radian has curvature r/(r^2 + c^2), torsion c/(r^2 + c^2)
// and the length sqrt(r^2 + c^2) a radian, however finely it is sampled.
static void check_helix(int32_t segments, int32_t elements, td_real pitch) {
    const td_real pi = 3.14159265358979323846, r = 0.03, c = pitch / (2 * pi), turns = 2.5;
    td_strand_def d = strand_def(segments, elements);
    d.helix = (td_helix_def){r, pitch, turns};
    OWNED(td_skeleton) *skeleton = of_strand(&d);
    OWNED(td_body_model) *m = model_of(skeleton);
    td_real length = 0;
    CHECK_INT(m ? tdi_as_helix_model(m)->element_count : 0, elements);
    for (int32_t i = 0; m && i < tdi_as_helix_model(m)->element_count; i++) {
        const tdi_helix_element *e = &tdi_as_helix_model(m)->element[i];
        CHECK_REL(hypot(e->rest.x, e->rest.z), r / (r * r + c * c), 1e-9);
        CHECK_REL(e->rest.y * (r * r + c * c), c, 1e-8);
        CHECK(e->start.x == e->rest.x && e->start.y == e->rest.y && e->start.z == e->rest.z);
        CHECK_IN(i > 0 ? tdi_norm(e->place) : 0, 0, 1e-9); // the next begins where one ends
        CHECK_IN(i > 0 ? 1 - e->turn.m[4] : 0, -1e-15, 1e-12);
        length += e->length;
    }
    CHECK_REL(length, 2 * pi * turns * hypot(r, c), 1e-9);
    if (m) {
        check_drawn(skeleton, m, 0.2 / segments, "helix");
    }
}

TD_TEST(helix_strand_has_the_exact_curvature_and_torsion_of_its_helix) {
    check_helix(50, 1, 0.05);
    check_helix(50, 1, -0.2);
    check_helix(50, 7, 0.05);
    check_helix(50, 50, 0.1);
    check_helix(200, 10, 0);
}

// The lengths of the elements of a straight strand of 0.5 m and 100 segments, of which each is cut
// at the nearest joint.
static void check_lengths(td_end_kind start, const td_real wanted[4]) {
    const td_vec3 points[2] = {{0, 0, 0}, {0, -0.5, 0}};
    td_strand_def d = strand_def(100, 4);
    d.points = points;
    d.point_count = 2;
    d.start.held = start;
    OWNED(td_skeleton) *skeleton = of_strand(&d);
    OWNED(td_body_model) *m = model_of(skeleton);
    CHECK(m && tdi_as_helix_model(m)->element_count == 4);
    for (int32_t i = 0; m && i < tdi_as_helix_model(m)->element_count; i++) {
        CHECK_REL(tdi_as_helix_model(m)->element[i].length, wanted[i], 1e-12);
    }
}

// cuts at 3/2 - sqrt(9/4 - 2 f), f = 1/4, 1/2, 3/4: 0.177, 0.382, 0.634 of the length
TD_TEST(helix_strand_has_more_elements_where_it_is_held) {
    check_lengths(TD_END_CLAMPED, (td_real[]){0.09, 0.1, 0.125, 0.185});
    check_lengths(TD_END_FREE, (td_real[]){0.125, 0.125, 0.125, 0.125});
}

// E I, G J and their damping, times the length
TD_TEST(helix_strand_has_the_stiffness_of_its_section) {
    const td_vec3 points[2] = {{0, 0, 0}, {0, -0.5, 0}};
    td_strand_def d = strand_def(20, 4);
    d.points = points;
    d.point_count = 2;
    OWNED(td_skeleton) *skeleton = of_strand(&d);
    OWNED(td_body_model) *m = model_of(skeleton);
    const td_material rope = td_material_get(td_material_find("rope"));
    for (int32_t i = 0; m && i < tdi_as_helix_model(m)->element_count; i++) {
        const tdi_helix_element *e = &tdi_as_helix_model(m)->element[i];
        const td_section *s = &td_skeleton_segments(skeleton)[0].section;
        CHECK_REL(e->stiffness.x, s->bend_x * e->length, 1e-12);
        CHECK_REL(e->stiffness.y, s->twist * e->length, 1e-12);
        CHECK_REL(e->stiffness.z, s->bend_z * e->length, 1e-12);
        CHECK_REL(e->friction.x, rope.damping_time * e->stiffness.x, 1e-12);
        CHECK_INT(e->station_count, 4);
    }
    CHECK(m != NULL);
}

// A box has many capsules, which one rider has.
TD_TEST(helix_piece_of_all_segments_has_all_capsules) {
    enum { COUNT = 5 };
    td_strand_body box = td_strand_body_default();
    td_strand_def d = strand_def(COUNT - 1, 2);
    d.helix = (td_helix_def){0.03, 0.1, 1};
    box.mass = 0.1;
    box.size = tdi_vec3(0.1, 0.1, 0.1);
    d.bodies = &box;
    d.body_count = 1;
    OWNED(td_skeleton) *skeleton = of_strand(&d);
    OWNED(td_body_model) *whole = model_of(skeleton), *piece = NULL;
    tdi_segment_source all[COUNT];
    for (int32_t k = 0; k < COUNT; k++) {
        all[k] = (tdi_segment_source){k, 0, 1};
    }
    const tdi_helix_model *m = tdi_as_helix_model(whole);
    if (m && m->rider_count == COUNT) {
        CHECK_INT(tdi_helix_piece_of(m, all, COUNT, NULL, &piece, NULL), TD_OK);
        CHECK(m->capsule_count > 20);
        CHECK_INT(tdi_as_helix_model(piece)->capsule_count, m->capsule_count);
    }
}

TD_TEST(helix_strand_keeps_whole_turns_of_its_twist) {
    const td_vec3 points[2] = {{0, 0, 0}, {0, -0.5, 0}};
    for (int32_t elements = 1; elements <= 20; elements += 6) {
        td_strand_def d = strand_def(20, elements);
        d.points = points;
        d.point_count = 2;
        d.twist = 190.0; // rad, 9.5 a joint: a turn and a half
        OWNED(td_skeleton) *skeleton = of_strand(&d);
        OWNED(td_body_model) *m = model_of(skeleton);
        for (int32_t i = 0; m && i < tdi_as_helix_model(m)->element_count; i++) {
            CHECK_REL(tdi_as_helix_model(m)->element[i].start.y, 190.0 / (0.5 - 0.0125),
                      1e-9); // half a segment free
            CHECK_REL(tdi_as_helix_model(m)->element[i].rest.y, 0, 1e-12);
        }
        CHECK(m != NULL);
    }
}

// Straight at rest, drawn as a helix, and the other way round: one element is exact for both.
TD_TEST(helix_strand_that_is_drawn_otherwise_than_it_rests_has_both_shapes) {
    const td_real pi = 3.14159265358979323846, r = 0.03, c = 0.05 / (2 * pi), both = r * r + c * c;
    td_strand_def d = strand_def(100, 2);
    d.helix = (td_helix_def){r, 0.05, 2};
    d.straight = true;
    OWNED(td_skeleton) *skeleton = of_strand(&d);
    OWNED(td_body_model) *m = model_of(skeleton);
    for (int32_t i = 0; m && i < 2; i++) {
        const tdi_helix_element *e = &tdi_as_helix_model(m)->element[i];
        CHECK_REL(hypot(e->rest.x, e->rest.z), 0, 1e-9);
        CHECK_REL(hypot(e->start.x, e->start.z), r / both, 1e-6);
        CHECK_REL(e->start.y, c / both, 1e-5);
    }
    CHECK(m != NULL);
}

// ---- against trees --------------------------------------------------------------------------

static td_real tree_frequency(const td_skeleton *skeleton) {
    const td_body_opts opts = td_body_opts_default();
    OWNED(td_body_model) *m = NULL;
    OWNED(td_body) *s = NULL;
    td_mode mode = {0};
    CHECK_INT(td_body_model_new(skeleton, "tree", &opts, NULL, &m, NULL), TD_OK);
    CHECK_INT(td_body_new(m, NULL, &s, NULL), TD_OK);
    CHECK_INT(td_body_modes(s, tdi_vec3(0, 0, 0), 1, &mode, NULL), TD_OK);
    return mode.frequency;
}

static td_real helix_frequency(const td_body_model *m) {
    OWNED(td_body) *s = NULL;
    td_mode mode = {0};
    CHECK_INT(td_body_new(m, NULL, &s, NULL), TD_OK);
    CHECK_INT(td_body_modes(s, tdi_vec3(0, 0, 0), 1, &mode, NULL), TD_OK);
    return mode.frequency;
}

// Two elements a stem leave 5 %, and joints at every internode some as well.
TD_TEST(helix_plants_sway_at_the_first_frequency_of_trees) {
    static const char *const names[] = {"potted-sunflower", "raceme", "rose", "t-plant", "wheat"};
    for (size_t k = 0; k < sizeof names / sizeof *names; k++) {
        char path[300];
        snprintf(path, sizeof path, TEST_SCENES "/plants/%s.lsys", names[k]);
        OWNED(td_skeleton) *skeleton = grow(path);
        OWNED(td_body_model) *m = model_of(skeleton);
        if (m) {
            const td_real got = helix_frequency(m), want = tree_frequency(skeleton);
            CHECK_SAY(fabs(got / want - 1) < 0.07, "%s: %g Hz, as a tree %g Hz", names[k], got,
                      want);
        }
    }
}

// ---- bad input ------------------------------------------------------------------------------

static void check_refused(td_skeleton *skeleton, const char *message) {
    td_body_model *m = NULL;
    td_diag diag = {.message = ""};
    CHECK_INT(td_body_model_new(skeleton, "helix", NULL, NULL, &m, &diag), TD_ERR_STRUCTURE);
    CHECK_TEXT(diag.message, message);
    CHECK(m == NULL);
    td_skeleton_free(skeleton);
}

TD_TEST(helix_refuses_skeletons_that_it_cannot_be_by_name) {
    td_segment_def defs[4];
    stem(defs, 4);
    defs[2].joint = TD_JOINT_HINGE;
    check_refused(built(defs, 4, NULL),
                  "segment 2 has a hinge joint, which the solver 'helix' does not have");
    stem(defs, 4);
    defs[1].joint = TD_JOINT_SLIDE;
    check_refused(built(defs, 4, NULL),
                  "segment 1 has a slide joint, which the solver 'helix' does not have");
    for (int32_t k = 0; k < 4; k++) {
        defs[k].joint = TD_JOINT_FIXED;
    }
    check_refused(built(defs, 4, NULL), "all 4 segments are fixed; the solver 'helix' needs an "
                                        "element, which is a stem on a ball joint");
    stem(defs, 4);
    td_strand strand = {.count = 4, .start = TD_END_CLAMPED, .end = TD_END_PINNED};
    check_refused(built(defs, 4, &strand), "segment 0 is part of a strand whose last end is held, "
                                           "which the solver 'helix' cannot do");
    strand.end = TD_END_FREE;
    defs[2].rest_length = 0.09;
    check_refused(built(defs, 4, &strand),
                  "segment 2 starts stretched; the solver 'helix' keeps all lengths");
    td_strand_def d = strand_def(1000, 1);
    d.helix = (td_helix_def){0.01, 0.01, 101};
    check_refused(of_strand(&d),
                  "segment 0: the element that begins here makes 101 turns; it must be at most "
                  "100: raise the number of elements");
}

// ---- random ---------------------------------------------------------------------------------

static td_segment_def any_segment(tdi_random *r, int32_t i) {
    td_segment_def d = td_segment_def_default();
    d.parent = i == 0 || between(r, 0, 1) < 0.05 ? TD_NONE : (int32_t)between(r, 0, i);
    d.parent = d.parent != TD_NONE && between(r, 0, 1) < 0.6 ? i - 1 : d.parent;
    d.joint = between(r, 0, 1) < 0.1                          ? TD_JOINT_FIXED
              : d.parent == TD_NONE && between(r, 0, 1) < 0.3 ? TD_JOINT_FREE
                                                              : TD_JOINT_BALL;
    d.length = exp(between(r, -6, 1));
    d.radius_base = d.length * exp(between(r, -6, -1));
    d.radius_tip = d.radius_base * between(r, 0.1, 1);
    d.flat = between(r, 0, 1) < 0.2 ? 3 : 1;
    d.attach_at_tip = between(r, 0, 1) < 0.8 && d.parent != TD_NONE;
    d.attach = tdi_scale(any_direction(r), between(r, 0, 0.1));
    d.rest = tdi_turn_by(tdi_scale(any_direction(r), between(r, 0, 1) < 0.7 ? 0.3 : 3.1));
    d.initial = tdi_turn_by(tdi_scale(any_direction(r), between(r, 0, 3.1)));
    d.initial = between(r, 0, 1) < 0.5 ? d.rest : d.initial;
    d.has_stiffness = between(r, 0, 1) < 0.1;
    d.stiffness = tdi_vec3(between(r, 0, 1), 0, between(r, 0, 1));
    return d;
}

TD_TEST(helix_models_of_random_skeletons_are_drawn_as_these) {
    tdi_random r = random_of(77);
    int32_t models = 0;
    for (int trial = 0; trial < 300; trial++) {
        enum { MOST = 40 };
        td_segment_def defs[MOST];
        const int32_t count = 1 + (int32_t)between(&r, 0, MOST);
        for (int32_t i = 0; i < count; i++) {
            defs[i] = any_segment(&r, i);
        }
        OWNED(td_skeleton) *skeleton = built(defs, count, NULL);
        OWNED(td_body_model) *m = NULL;
        td_diag diag = {.message = ""};
        if (td_body_model_new(skeleton, "helix", NULL, NULL, &m, &diag) == TD_OK) {
            tdi_helix_model_validate(tdi_as_helix_model(m));
            check_drawn(skeleton, m, 0.05, "random");
            models++;
        } else {
            CHECK_SAY(strstr(diag.message, "are fixed"), "%s", diag.message);
        }
    }
    CHECK(models > 280);
}

// ---- memory ---------------------------------------------------------------------------------
