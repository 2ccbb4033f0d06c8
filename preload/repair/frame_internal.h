/* Internals of the frame, for repair.c, around.c and log.c. */
#ifndef XFERSPY_PRELOAD_REPAIR_FRAME_INTERNAL_H
#define XFERSPY_PRELOAD_REPAIR_FRAME_INTERNAL_H

#include "preload/repair/frame.h"

/* The repairs that are on, each at its number; NULL: off. Constant after the start. */
extern const struct xs_repair *xs_repairs_on[XS_REPAIR_COUNT];

/* Ask the repairs that are on, in their order. */
bool xs_repairs_copy(const struct xs_repair_copy *copy, CUresult *result);
void xs_repairs_before(const struct xs_repair_call *call);
void xs_repairs_after(const struct xs_repair_call *call);
bool xs_repairs_give_back(void);

#define XS_REFUSALS 16
struct xs_tally {
    _Atomic uint64_t applied, bytes, checked, wrong;
    const char *off; /* reason why it could not start; NULL: it is on, or not wished for */
    struct xs_refusal {
        const char *_Atomic reason;
        _Atomic uint64_t count;
    } refusals[XS_REFUSALS];
};
extern struct xs_tally xs_repair_tallies[XS_REPAIR_COUNT];

/* Puts the functions around the entry points in the driver's place. From then on the program's calls are repaired,
 * until xs_around_is_off. */
void xs_around_install(void);
extern _Atomic bool xs_around_is_off;

/* Write the log and say the closing lines. `path` may be empty. */
void xs_repair_write_log(const char *path);
void xs_repair_say(void (*say)(const char *message));

#endif
