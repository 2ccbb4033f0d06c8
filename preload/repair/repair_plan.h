/* A plan is a file that names the calls of the run that have to be repaired; docs/use/repairs.md describes it. The plan
 * is read once, before the first repaired call, and does not change from then on. */
#ifndef XFERSPY_PRELOAD_REPAIR_REPAIR_PLAN_H
#define XFERSPY_PRELOAD_REPAIR_REPAIR_PLAN_H

#include <stdbool.h>
#include <stdint.h>

#include "preload/repair/repair_hooks.h"

enum xs_plan_mode {
    XS_PLAN_ABSENT, /* there is no plan; each repair decides by its own checks */
    XS_PLAN_APPLY,  /* the named calls are repaired without a comparison of contents */
    XS_PLAN_VERIFY, /* the lines are checked by comparing contents, and all copies are made */
};
extern enum xs_plan_mode xs_plan_mode;

struct xs_plan_line {
    enum xs_repair_id repair;
    bool any_thread, any_ordinal, any_bytes, has_from;
    uint32_t thread;
    uint64_t first, last; /* ordinals, both included */
    uint64_t bytes;
    struct xs_copy_id from;
};

/* Reads a plan, which replaces the previous one. False: the file cannot be read or is no plan; `why` gets the reason,
 * and the line number if a line is wrong. Memory for the lines is kept until the process ends. */
bool xs_plan_read(const char *path, char why[256]);

/* Returns the plan's line that names the copy for the repair; NULL: there is no such line. If a line names the copy's
 * thread and ordinal, but another number of bytes, returns NULL, and counts the copy for xs_plan_differences. Any
 * thread may call this function. */
const struct xs_plan_line *xs_plan_of_copy(enum xs_repair_id repair, const struct xs_repair_copy *copy);

/* True if the plan names an allocation of this number of bytes for this repair, or if there is no plan. Any thread may
 * call this function. */
bool xs_plan_has_size(enum xs_repair_id repair, uint64_t bytes);

/* Returns all lines of the repair, so that the repair can prepare for them; `count` gets their number. */
const struct xs_plan_line *xs_plan_lines(enum xs_repair_id repair, unsigned *count);

/* Returns the number of copies whose number of bytes differed from that in the plan's line for the copy. */
uint64_t xs_plan_differences(void);

#endif
