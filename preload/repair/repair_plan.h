/* A plan tells which calls of the run are to be repaired. docs/use/repairs.md describes the file. The plan is read
 * once, before the first repaired call, and constant from then on. */
#ifndef XFERSPY_PRELOAD_REPAIR_REPAIR_PLAN_H
#define XFERSPY_PRELOAD_REPAIR_REPAIR_PLAN_H

#include <stdbool.h>
#include <stdint.h>

#include "preload/repair/frame.h"

enum xs_plan_mode {
    XS_PLAN_NONE,   /* no plan: a repair relies on its own checks only */
    XS_PLAN_APPLY,  /* lines are believed */
    XS_PLAN_VERIFY, /* lines are checked, and nothing is left out */
};
extern enum xs_plan_mode xs_plan_mode;

struct xs_plan_line {
    enum xs_repair_id repair;
    bool any_thread, any_ordinal, any_bytes, has_from;
    uint32_t thread;
    uint64_t first, last; /* ordinals, both included */
    uint64_t bytes;
    struct xs_repair_place from;
};

/* Reads a plan, which replaces the one before. False: the file cannot be read or is no plan; `why` has the reason, with
 * the line number if there is one. Memory for the lines is kept until the process ends. */
bool xs_plan_read(const char *path, char why[256]);

/* Returns the line that names this copy for this repair; NULL: none does. A line does not name a copy with another
 * number of bytes than the line's; such copies are counted. Any thread. */
const struct xs_plan_line *xs_plan_of_copy(enum xs_repair_id repair, const struct xs_repair_copy *copy);

/* Does the plan name an allocation of so many bytes for this repair? True without a plan. Any thread. */
bool xs_plan_has_size(enum xs_repair_id repair, uint64_t bytes);

/* Returns the lines of the repair, which may need them ahead; `count` gets their number. */
const struct xs_plan_line *xs_plan_lines(enum xs_repair_id repair, unsigned *count);

/* Returns the number of copies with another number of bytes than the plan says. */
uint64_t xs_plan_differences(void);

#endif
