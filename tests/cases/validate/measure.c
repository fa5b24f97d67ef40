// SPDX-License-Identifier: MIT
// What the cases of `tendril validate` take down step by step: passes through zero, energies.

#include "cases/validate/measure.h"

#include "cases/validate/validate.h"

#include <math.h>

// ---- passes ---------------------------------------------------------------------------------

void val_passes_add(val_passes *p, double time, double height) {
    if (p->seen > 0 && p->before < 0 && height >= 0) {
        p->last = time - (time - p->time_before) * height / (height - p->before);
        p->first = p->count++ == 0 ? p->last : p->first;
    }
    p->time_before = time;
    p->before = height;
    p->seen++;
}

double val_passes_rate(const val_passes *p) {
    return p->count > 1 ? (p->count - 1) / (p->last - p->first) : (double)NAN;
}

// ---- energies -------------------------------------------------------------------------------

void val_ledger_add(val_ledger *l, double energy, val_losses *worst) {
    int32_t ring = 2 * l->a_second;
    double middle = l->past[(l->count + l->a_second) % ring], oldest = l->past[l->count % ring];
    worst->rise = val_worse((energy - l->least) / l->put_in, worst->rise);
    worst->above = val_worse((energy - l->start) / l->put_in, worst->above);
    l->sum += energy - (l->count >= l->a_second ? middle : 0);
    l->sum_before += l->count >= l->a_second ? middle : 0;
    l->sum_before -= l->count >= ring ? oldest : 0;
    if (l->count >= l->a_second) {
        worst->second = val_worse((energy - middle) / l->put_in, worst->second);
    }
    if (l->count + 1 >= ring) {
        double gain = (l->sum - l->sum_before) / l->a_second;
        worst->mean = val_worse(gain / l->put_in, worst->mean);
    }
    l->past[l->count % ring] = energy;
    l->count++;
    l->least = fmin(l->least, energy);
}

val_ledger val_ledger_open(double energy, double put_in, double dt) {
    val_ledger l = {.start = energy, .least = energy, .put_in = put_in > 0 ? put_in : (double)NAN};
    val_losses none = {0};
    l.a_second = (int32_t)fmin(round(1 / dt), VAL_MOST_A_SECOND);
    val_ledger_add(&l, energy, &none);
    return l;
}

void val_losses_rows(val_report *report, int32_t count, int a_second, const val_losses *euler,
                     const val_losses *implicit) {
    val_at_most(report, val_text(report, "energy gained, implicit-euler at 1/%d s", a_second),
                count, euler->rise, 1e-3);
    val_at_most(report,
                val_text(report, "energy gained in a second, implicit-euler at 1/%d s", a_second),
                count, euler->second, 1e-9);
    val_at_most(report, val_text(report, "energy above the start, implicit at 1/%d s", a_second),
                count, implicit->above, 0.01);
    // pointwise BDF2's energy ripples; see docs/theory/validation.md
    val_at_most(report,
                val_text(report, "mean of a second above the last, implicit at 1/%d s", a_second),
                count, implicit->mean, 1e-7);
}
