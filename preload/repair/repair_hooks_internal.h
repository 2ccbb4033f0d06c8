/* Declares what repair.c, repair_hooks.c, around.c, log.c and keep.c share with each other, but not with other files.
 */
#ifndef XFERSPY_PRELOAD_REPAIR_REPAIR_HOOKS_INTERNAL_H
#define XFERSPY_PRELOAD_REPAIR_REPAIR_HOOKS_INTERNAL_H

#include "preload/repair/repair_hooks.h"

/* The rows of repairs.def, indexed by enum xs_repair_id. repair.c defines this array. */
extern const struct xs_repair_row {
    const char *name, *what;
    const struct xs_repair_hooks *repair;
} xs_repair_rows[XS_REPAIR_COUNT];

/* The repairs that are on, indexed by enum xs_repair_id; NULL: off. Constant after the start. */
extern const struct xs_repair_hooks *xs_repairs_on[XS_REPAIR_COUNT];

/* These functions call the hooks of the repairs that are on, in the order of repairs.def. xs_repairs_copy stops at the
 * first repair whose hook returns true, and then returns true. xs_repairs_give_back returns true if any repair has
 * given memory back. */
bool xs_repairs_copy(const struct xs_repair_copy *copy, CUresult *result);
void xs_repairs_before(const struct xs_repair_call *call);
void xs_repairs_after(const struct xs_repair_call *call);
bool xs_repairs_give_back(void);

#define XS_REFUSALS 16
struct xs_tally {
    _Atomic uint64_t applied, bytes, checked, wrong;
    _Atomic uint64_t accessed, unsure; /* xs_repair_accessed */
    const char *off; /* reason why the repair could not start; NULL: it is on, or the user did not request it */
    struct xs_refusal {
        const char *_Atomic reason;
        _Atomic uint64_t count;
    } refusals[XS_REFUSALS];
};
extern struct xs_tally xs_repair_tallies[XS_REPAIR_COUNT];

/* Installs one function around each entry point. The wrappers call these functions instead of the driver. The program's
 * calls are then repaired until xs_around_is_off is true. */
void xs_around_install(void);
extern _Atomic bool xs_around_is_off;

/* xs_repair_write_log writes the log; an empty `path` means no log. xs_repair_say passes the closing lines for the user
 * to `say`. */
void xs_repair_write_log(const char *path);
void xs_repair_say(void (*say)(const char *message));

#endif
