// SPDX-License-Identifier: MIT
// Options of the accurate reference, the same with and without SUNDIALS.

#include "tendril/ida.h"

td_ida_opts td_ida_opts_default(void) {
    td_ida_opts opts = {
        .struct_size = sizeof opts, .rtol = 1e-8, .atol = 1e-10, .gravity = {0, -9.81, 0}};
    return opts;
}
