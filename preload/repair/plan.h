/* A plan: which calls of the run are to be repaired. docs/use/repairs.md has the form of the file. Read once, before
 * the first repaired call, and constant from then on. */
#ifndef XFERSPY_PRELOAD_REPAIR_PLAN_H
#define XFERSPY_PRELOAD_REPAIR_PLAN_H

#include <stdbool.h>
#include <stdint.h>

#include "preload/repair/frame.h"

enum xs_plan_mode {
    XS_PLAN_NONE,   /* there is no plan: a repair goes by its own checks alone */
    XS_PLAN_APPLY,  /* a line is believed */
    XS_PLAN_VERIFY, /* a line is checked and nothing is left out */
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

/* Reads a plan, which replaces the one before. False: it cannot be read or is no plan; `why` has the reason, with the
 * number of the line. Memory for the lines is kept until the process ends. */
bool xs_plan_read(const char *path, char why[256]);

/* The line that names this copy for this repair; NULL: none does. Counts a copy that has another number of bytes than
 * its line, which then does not name it. Any thread. */
const struct xs_plan_line *xs_plan_of_copy(enum xs_repair_id repair, const struct xs_repair_copy *copy);

/* Does the plan name an allocation of so many bytes for this repair? True as well where there is no plan. Any thread.
 */
bool xs_plan_has_size(enum xs_repair_id repair, uint64_t bytes);

/* The lines of the repair, for what it wants to know ahead; `count` gets how many. */
const struct xs_plan_line *xs_plan_lines(enum xs_repair_id repair, unsigned *count);

/* How many copies had another number of bytes than the plan says. */
uint64_t xs_plan_differences(void);

#endif
