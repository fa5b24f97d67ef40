// SPDX-License-Identifier: MIT
// Joints of actors that a program drives.

#include "world/world.h"

#include "base/guard.h"
#include "tendril/control.h"

#include <string.h>

static bool can_drive(const tdi_actor *a) {
    const tdi_joint_ops *joints = a->solver->implicit->joints;
    return joints && joints->check_drives;
}

static int32_t dof_count(const td_world *w, const tdi_actor *a) {
    return w->variants.list[a->variant].model->dof_count;
}

static bool is_default(const td_joint_drive *d) {
    const td_joint_drive none = td_joint_drive_default();
    return d->torque == 0 && d->offset == 0 && d->low == none.low && d->high == none.high;
}

// Room for all joints of an actor, none of them driven, and as much to try others.
static td_status make_room(td_world *w, tdi_actor *a) {
    const int32_t count = dof_count(w, a);
    if (a->drive.drives) {
        return TD_OK;
    }
    a->drive.drives =
        tdi_arena_zeroed(tdi_actor_arena(w, a), 2 * (size_t)count, sizeof *a->drive.drives);
    for (int32_t d = 0; a->drive.drives && d < count; d++) {
        a->drive.drives[d] = td_joint_drive_default();
    }
    return a->drive.drives ? TD_OK : TD_ERR_MEMORY;
}

static void put(tdi_actor *a, int32_t dof, const td_joint_drive *drive) {
    a->drive.count += !is_default(drive) - !is_default(&a->drive.drives[dof]);
    a->drive.drives[dof] = *drive;
}

const td_joint_drive *tdi_actor_drives(const tdi_actor *a) {
    return a->drive.count > 0 ? a->drive.drives : NULL;
}

void tdi_actor_end_drives(tdi_actor *a) {
    const td_joint_drive none = td_joint_drive_default();
    for (int32_t d = 0; a->drive.count > 0; d++) {
        put(a, d, &none);
    }
}

// ---- for programs ---------------------------------------------------------------------------

int32_t td_world_joint_dof(const td_world *w, td_actor_id id, int32_t segment) {
    const int32_t actor = td_world_actor_index(w, id);
    const tdi_actor *a = actor != TD_NONE ? &w->actors[actor] : NULL;
    return a && can_drive(a) && tdi_has(segment, a->segment_count)
               ? a->solver->implicit->joints->joint(a->state, segment).dof
               : TD_NONE;
}

td_joint_drive td_world_drive(const td_world *w, td_actor_id id, int32_t dof) {
    const int32_t actor = td_world_actor_index(w, id);
    const tdi_actor *a = actor != TD_NONE ? &w->actors[actor] : NULL;
    return a && a->drive.drives && tdi_has(dof, dof_count(w, a)) ? a->drive.drives[dof]
                                                                 : td_joint_drive_default();
}

static td_status check(const td_world *w, const tdi_actor *a, int32_t first, int32_t count,
                       td_diag *diag) {
    if (!can_drive(a) || w->scene->def.objects[a->object].integrator == TD_ADAPTIVE) {
        return tdi_fail(diag, TD_ERR_ARGUMENT,
                        "'%s' cannot be driven: its solver has no joints that are, or its "
                        "integrator is 'adaptive'",
                        a->name);
    }
    if (first < 0 || count < 0 || count > dof_count(w, a) - first) {
        return tdi_fail(diag, TD_ERR_ARGUMENT,
                        "first is %d and count %d; '%s' has %d degrees of freedom", (int)first,
                        (int)count, a->name, (int)dof_count(w, a));
    }
    return TD_OK;
}

td_status td_world_set_drives(td_world *w, td_actor_id id, int32_t first, int32_t count,
                              const td_joint_drive *drives, td_diag *diag) {
    const td_joint_drive none = td_joint_drive_default();
    const int32_t k = td_world_actor_index(w, id);
    TDI_REFUSE_IF(!w);
    if (k == TD_NONE) {
        return TDI_ID_FAIL(w, "actor", "removed", id, diag);
    }
    tdi_actor *a = &w->actors[k];
    td_status status = check(w, a, first, count, diag);
    if (status == TD_OK && make_room(w, a) != TD_OK) {
        return tdi_fail(diag, TD_ERR_MEMORY, "out of memory for drives of '%s'", a->name);
    }
    if (status != TD_OK) {
        return status;
    }
    td_joint_drive *trial = a->drive.drives + dof_count(w, a);
    memcpy(trial, a->drive.drives, (size_t)dof_count(w, a) * sizeof *trial);
    for (int32_t d = 0; d < count; d++) {
        trial[first + d] = drives ? drives[d] : none;
    }
    status = a->solver->implicit->joints->check_drives(a->state, trial, diag);
    for (int32_t d = first; d < first + count && status == TD_OK; d++) {
        if (memcmp(&a->drive.drives[d], &trial[d], sizeof *trial) != 0) {
            tdi_actor_wake(w, k, TDI_WAKE_LOADS);
            tdi_actor_note_jump(w, k, a->drive.drives[d].torque, trial[d].torque);
        }
        put(a, d, &trial[d]);
    }
    return status;
}

// ---- saving ---------------------------------------------------------------------------------

int32_t tdi_world_drive_count(const td_world *w) {
    int32_t count = 0;
    for (int32_t k = 0; k < w->actor_count; k++) {
        count += w->actors[k].drive.count;
    }
    return count;
}

// A drive as it is saved.
typedef struct saved_drive {
    int32_t actor, dof;
    td_joint_drive drive;
} saved_drive;

size_t tdi_world_drive_bytes(int32_t count) {
    return (size_t)count * sizeof(saved_drive);
}

void tdi_world_write_drives(const td_world *w, char *bytes) {
    for (int32_t k = 0; k < w->actor_count; k++) {
        const tdi_actor *a = &w->actors[k];
        for (int32_t d = 0, left = a->drive.count; left > 0; d++) {
            if (!is_default(&a->drive.drives[d])) {
                const saved_drive s = {k, d, a->drive.drives[d]};
                memcpy(bytes, &s, sizeof s);
                bytes += sizeof s;
                left--;
            }
        }
    }
}

// Those that name no joint are left out.
td_status tdi_world_read_drives(td_world *w, const char *bytes, int32_t count) {
    td_status status = TD_OK;
    for (int32_t k = 0; k < w->actor_count; k++) {
        tdi_actor_end_drives(&w->actors[k]);
    }
    for (int32_t k = 0; k < count && status == TD_OK; k++) {
        saved_drive s;
        memcpy(&s, bytes + (size_t)k * sizeof s, sizeof s);
        tdi_actor *a = tdi_has(s.actor, w->actor_count) ? &w->actors[s.actor] : NULL;
        if (a && can_drive(a) && tdi_has(s.dof, dof_count(w, a))) {
            status = make_room(w, a);
            if (status == TD_OK) {
                put(a, s.dof, &s.drive);
            }
        }
    }
    return status;
}
