// SPDX-License-Identifier: MIT
#pragma once

// Validations: cases with known answers. Shared helpers: rows of figures, and trees for cases.

#include "cases/support.h"
#include "cases/validate/measure.h"
#include "cases/validate/random.h"

#define VAL_PI 3.14159265358979323846

// ---- rows -----------------------------------------------------------------------------------

// A figure that a case compared.
typedef struct val_row {
    const char *name; // of the case
    const char *quantity;
    int64_t n;
    double got, want, error, limit;
    bool pass;         // the error is within its limit
    const char *fault; // why there is no figure; NULL: there is one
} val_row;

typedef struct val_report {
    bool full; // all random cases, not a quarter
    void (*row)(void *context, const val_row *row);
    void (*progress)(void *context, const char *name, double done); // NULL: not wanted
    void *context;
    const char *name; // of the case that runs
    int32_t rows, failed;
    td_diag diag; // for calls of the case
    char text[120];
    void *end; // where a fault leads to
} val_report;

typedef struct val_case {
    const char *name, *about;
    void (*run)(val_report *report);
} val_case;

const val_case *val_cases(int *count);
// A case without rows fails.
void val_run_case(const val_case *c, val_report *report);

// A quantity by a format; good until the next one.
const char *val_text(val_report *report, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

// One figure with a known answer. The error is |got - want|/|want|.
void val_relative(val_report *report, const char *quantity, int64_t n, double got, double want,
                  double limit);
// The error is |got - want|.
void val_absolute(val_report *report, const char *quantity, int64_t n, double got, double want,
                  double limit);
// A size that may be anything from 0 to the limit: the error is |got|, the wanted is 0.
void val_at_most(val_report *report, const char *quantity, int64_t n, double got, double limit);
// A figure with a sign, of which whatever is not above the limit is fine: the error is what was
// got.
void val_not_above(val_report *report, const char *quantity, int64_t n, double got, double limit);
// Ends the case unless the status is TD_OK: a row for the quantity fails, with the message of
// `report->diag`. What the case has made is not freed then.
void val_must(val_report *report, const char *quantity, int64_t n, td_status status);
// Likewise unless a search for rest found it.
void val_must_rest(val_report *report, const char *quantity, int64_t n, const td_step_stats *stats);
// Zeroed memory for at least one item; ends the case when memory runs out.
void *val_memory(val_report *report, const char *quantity, size_t count, size_t size);
// The larger of two errors; what is not a number is worst.
double val_worse(double a, double b);
// How many random cases or steps a case takes: a quarter of all, or all with --long.
int32_t val_tries(const val_report *report, int32_t all);
// How far the case has come, 0 to 1. Shown on a terminal.
void val_progress(val_report *report, double done);

// ---- bodies ---------------------------------------------------------------------------------

// A body of any solver.
typedef struct val_body {
    td_skeleton *skeleton; // NULL: made of curves or elements
    td_body_model *model;
    td_body *state;
    int32_t n;      // segments, edges or elements
    int32_t coords; // of a tree
    int32_t dofs;
} val_body;

void val_body_free(val_body *body); // empty is allowed
// A step, a search for rest, modes. A failure ends the case, as it does in all that follows.
void val_step(val_report *report, val_body *body, const td_step_opts *opts, const char *quantity);
void val_settle(val_report *report, val_body *body, const td_step_opts *opts, const char *quantity);
void val_modes(val_report *report, val_body *body, td_vec3 gravity, int32_t count, td_mode *modes,
               const char *quantity);
td_vec3 val_tip(const val_body *body); // of its last segment
// J, all kinds together.
double val_energy(val_body *body, td_vec3 gravity);

// ---- trees ----------------------------------------------------------------------------------

// A builder with one more material, of index 1.
td_builder *val_begin(val_report *report, td_spring_rule springs, const td_material *material);
void val_add(val_report *report, td_builder *builder, const td_segment_def *def);
// A segment without springs whose mass is along it: second moment m l^2/3, nothing across.
td_segment_def val_thin_rod(td_joint_kind joint, double length, double mass);
// A tree of one segment, which does not start at another's tip.
void val_single(val_report *report, const td_segment_def *def, val_body *tree);
// Makes the tree of a builder, which it frees.
void val_tree_finish(val_report *report, td_builder *builder, val_body *tree);

// A straight rod of equal segments that starts at the origin.
typedef struct val_rod {
    int32_t count;
    double length, radius;          // m
    double young, poisson, density; // Pa, -, kg/m^3
    td_spring_rule springs;
    td_joint_kind joint; // ball, or hinge: then it bends in the plane z = 0 alone
    td_quat turn;        // from +Y to where it points
    bool limp;           // no stiffness in bending
} val_rod;

extern const td_quat val_level, val_hanging; // turns +Y to +X, to -Y

// The cantilever of the plants thesis, section 8.3: level, 1 m, with `count` ball joints.
val_rod val_thesis_beam(int32_t count);
void val_rod_build(val_report *report, const val_rod *rod, val_body *tree);

// What beam theory says of a clamped beam. Shifts of its tip along and across, over its length,
// under a load P across the tip, alpha = P l^2/(EI); frequency number k (from 0) in bending, and
// the first in torsion, Hz.
void val_elastica_theory(double alpha, double *axial, double *transverse);
double val_bending_theory(const val_rod *rod, int k);
double val_torsion_theory(const val_rod *rod);

// The beam as a body of a solver, level and clamped; "inextensible rod" is a rod that hardly
// stretches.
void val_beam_open(val_report *report, const char *solver, const val_rod *beam, val_body *body);

enum { VAL_BEAM_MODES = 12 }; // as many hold three pairs in bending and one in torsion
double val_torsion_of(const td_mode modes[VAL_BEAM_MODES]); // Hz: the first frequency in torsion
// Compares the frequencies of a beam of so many pieces, by modes and by stepping, with the theory.
// Returns the lowest, Hz.
double val_beam_vibration(val_report *report, const char *solver, int32_t count);

// Damping of a beam of so many pieces by the rule itself: it has none and sways at 1 Hz.
void val_sway_damping(val_report *report, const char *solver, int32_t count);
// Makes random body number `index`, in motion, and sets the options that its steps need.
typedef void (*val_opening)(val_report *report, val_random *random, int32_t index,
                            td_step_opts *opts, val_body *body);
// What the implicit rules do in 3 s to the energy of so many bodies, which nothing drives.
void val_energy_of(val_report *report, const char *what, uint64_t seed, int32_t count,
                   val_opening open);

// The orders of integrators, by the tips of a body after a quarter of a second.
typedef struct val_rule {
    const char *name;
    td_integrator integrator;
    int32_t steps; // in a quarter of a second; and twice and four times as many
    double order;
} val_rule;

void val_orders(val_report *report, const td_step_opts *opts, val_body *body, const val_rule *rules,
                int count);

// What a random tree may be. Stiffness is given, or follows from shape and material.
typedef struct val_wild {
    int32_t least, most; // segments
    bool all_joints;     // hinges, slides and welds too; otherwise balls
    bool floating;       // on a free joint; otherwise rooted
    double thin, thick;  // m: radii are between them
    double soft, stiff;  // N m/rad: a tree's stiffness is between them, a joint's near it; 0: none
    double young[2];     // Pa: otherwise a tree's modulus is between them
    double damping;      // s: damping over stiffness, at most
} val_wild;

// With all kinds of joints: slender and of any stiffness, or so stout and soft that explicit steps
// need not be tiny.
extern const val_wild val_slender, val_stout;

void val_wild_build(val_report *report, val_random *random, const val_wild *wild, val_body *tree);
// Joints turned by up to `angle`, moving at up to `speed` rad/s (slides: a tenth, in m).
void val_wild_start(val_random *random, val_body *tree, double angle, double speed);

// ---- states ---------------------------------------------------------------------------------

// A state kept, to start from it again.
typedef struct val_pose {
    void *bytes;
    size_t size;
} val_pose;

void val_pose_keep(val_report *report, val_body *body, val_pose *pose);
void val_pose_restore(val_body *body, const val_pose *pose);
void val_pose_free(val_pose *pose);
// A random tree as val_wild_start() starts it, with that start kept.
void val_wild_open(val_report *report, val_random *random, const val_wild *wild, double angle,
                   double speed, val_body *tree, val_pose *start);

// Energy of the rest nearest to the state, which is moved there; false when it was not reached.
bool val_rest_energy(val_body *body, const td_step_opts *opts, double *energy);
// From a kept state on, `steps` steps; then the tips of all segments.
void val_run(val_report *report, val_body *body, const val_pose *start, const td_step_opts *opts,
             int32_t steps, td_vec3 *tips, const char *quantity);
double val_tips_apart(const td_vec3 *a, const td_vec3 *b, int32_t count); // the farthest pair, m

// ---- cases ----------------------------------------------------------------------------------

void val_pendulum(val_report *report);
void val_double_pendulum(val_report *report);
void val_cantilever(val_report *report);
void val_elastica(val_report *report);
void val_vibration(val_report *report);
void val_chain(val_report *report);
void val_energy_case(val_report *report);
void val_agreement(val_report *report);
void val_momentum(val_report *report);
void val_drag(val_report *report);
void val_stability(val_report *report);
void val_interpolation(val_report *report);
void val_wind(val_report *report);
void val_wind_stem(val_report *report); // rows of the case wind
void val_base(val_report *report);
void val_rest_under_gravity(val_report *report);
void val_pose_case(val_report *report);
void val_twist(val_report *report);
void val_resume(val_report *report);
void val_rod_derivatives(val_report *report);
void val_rod_invariance(val_report *report);
void val_rod_cantilever(val_report *report);
void val_rod_elastica(val_report *report);
void val_rod_vibration(val_report *report);
void val_twist_uniform(val_report *report);
void val_buckling(val_report *report);
void val_limits(val_report *report);
void val_linkage(val_report *report);
void val_assembly(val_report *report);
void val_metric(val_report *report);
void val_hybrid(val_report *report);
void val_rigidification(val_report *report);
void val_adaptive_error(val_report *report);
void val_reduced_energy(val_report *report); // a part of val_adaptive_energy()
void val_adaptive_energy(val_report *report);
void val_loop_chain(val_report *report);
void val_lcp(val_report *report);
void val_slip(val_report *report);
void val_impact(val_report *report);
void val_michell(val_report *report);
void val_helical_buckling(val_report *report);
void val_spring(val_report *report);
void val_transducer(val_report *report);
void val_contact(val_report *report);
void val_contact_mixed(val_report *report);
void val_stick_slip(val_report *report);
void val_rolling(val_report *report);
void val_storms(val_report *report);
void val_helix_kinematics(val_report *report);
void val_helix_derivatives(val_report *report);
void val_helix_statics(val_report *report);
void val_helix_cantilever(val_report *report);
void val_helix_elastica(val_report *report);
void val_helix_vibration(val_report *report);
void val_helix_energy_case(val_report *report);
void val_helix_agreement(val_report *report);
void val_helix_composite(val_report *report);
void val_helix_stability(val_report *report);
