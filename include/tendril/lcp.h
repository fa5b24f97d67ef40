// SPDX-License-Identifier: MIT
#pragma once

/// @file lcp.h
/// Complementarity problems with a dense matrix: which forces x make w = A x - b what constraints
/// ask for. A is symmetric and positive semi-definite; it may be singular.
/// Not stable yet: see TD_API_UNSTABLE.

#include "tendril/base.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum td_lcp_kind {
    TD_LCP_BOX,      ///< low <= x <= high; w >= 0 at low, w <= 0 at high, w = 0 between. With 0 and
                     ///< infinity: x >= 0, w >= 0, x w = 0. With both infinite: w = 0.
    TD_LCP_FRICTION, ///< A box from 0 to friction times x[normal]: friction in one direction.
    TD_LCP_CONE,     ///< This row is a normal and the next two are tangents: x_n >= low,
                     ///< |x_t| <= friction x_n, w_n >= 0 and 0 where x_n > low; where w_t is not
                     ///< 0, x_t opposes it with all of friction x_n: Coulomb's law.
    TD_LCP_TANGENT,  ///< One of the two rows after a cone's.
} td_lcp_kind;

typedef struct td_lcp_row {
    td_lcp_kind kind;
    td_real low, high; ///< At most 1e100 in size, or infinite; of a cone: low in 0..1e100.
    td_real friction;  ///< 0..1e100.
    int32_t normal;    ///< Of TD_LCP_FRICTION: an earlier row with low >= 0, no tangent.
} td_lcp_row;

/// x >= 0, w >= 0, x w = 0.
TD_API_UNSTABLE td_lcp_row td_lcp_row_default(void);

typedef struct td_lcp {
    int32_t count;         ///< Rows, 0..4096.
    const td_real *matrix; ///< A, count rows of count numbers, each at most 1e100 in size.
    const td_real *rhs;    ///< b, likewise.
    const td_lcp_row *rows;
} td_lcp;

typedef enum td_lcp_method {
    TD_LCP_EXACT, ///< Proximal method of multipliers with Newton's method. The default.
    TD_LCP_SOR,   ///< Projected successive over-relaxation as the oriented-strands paper has it: a
                  ///< fixed number of iterations.
} td_lcp_method;

/// Start from td_lcp_opts_default().
typedef struct td_lcp_opts {
    uint32_t struct_size;
    td_lcp_method method;
    int32_t iterations; ///< 1..100,000. Default 0: 400 of the exact method, 50 of SOR.
    td_real tolerance;  ///< Of the residual, 1e-13..1. Default 1e-10.
    td_real relaxation; ///< Of SOR, 0..2. Default 1.
    td_real regularise; ///< Of SOR: added to the diagonal, as a part of its mean. Default 1e-9.
} td_lcp_opts;

TD_API_UNSTABLE td_lcp_opts td_lcp_opts_default(void);

typedef enum td_lcp_verdict {
    TD_LCP_SOLVED,     ///< The residual is within the tolerance.
    TD_LCP_INFEASIBLE, ///< There is a direction d of forces with A d = 0 and b.d > 0: constraints
                       ///< contradict each other. x is a least-squares answer.
    TD_LCP_UNSOLVED,   ///< Neither, within the iterations. x is the best found.
} td_lcp_verdict;

/// Certificates. All are of the problem scaled so that A has a unit diagonal and the largest entry
/// of b is 1; a cone has one scale for its three rows. What overflowed is infinite.
typedef struct td_lcp_result {
    td_lcp_verdict verdict;
    int32_t iterations;
    td_real residual;        ///< The largest entry of x - P(x - w), P the projection on what x may
                             ///< be; or half of what a cone's normal has as a row without
                             ///< tangents, which may be more where friction is above 1. 0 only at
                             ///< a solution.
    td_real bounds;          ///< By how much x leaves its bounds and cones.
    td_real dual;            ///< By how much w has a sign that it must not have.
    td_real complementarity; ///< The largest product of a force and the w that must be 0 with it,
                             ///< over the force where that is above 1.
    td_real ray;             ///< Infeasible: the larger of |A d| and what d leaves the bounds by,
                             ///< over b.d.
} td_lcp_result;

/// Fills x, count numbers. TD_ERR_ARGUMENT, with the row in diag->index, for an invalid number. A
/// problem without a solution is no error: see the verdict. `alloc` may be NULL.
TD_API_UNSTABLE td_status td_lcp_solve(const td_lcp *problem, const td_lcp_opts *opts,
                                       const td_alloc *alloc, td_real *x, td_lcp_result *result,
                                       td_diag *diag);

#ifdef __cplusplus
}
#endif
