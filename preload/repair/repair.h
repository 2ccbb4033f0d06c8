/* Repairs: waste taken out of the program while it runs. Each repair is one file and makes sure of its own conditions;
 * none is on unless the user names it (XFERSPY_REPAIR). They stand between the wrappers and the driver, so a program
 * without repairs calls the driver exactly as if they did not exist, and they work without capture as well.
 *
 *   repair.h, repair.c   start and end; which repairs are on
 *   frame.h, frame.c     what the repairs share: the kinds of calls, tallies, who is asked in which order
 *   around.c, call.h     the function around every entry point, expanded from the table of entry points
 *   plan.h, plan.c       which calls are to be repaired, where a plan says so (docs/use/repairs.md has its form)
 *   log.c                what was done, in one line for the user and as JSON for `xferspy try` */
#ifndef XFERSPY_PRELOAD_REPAIR_REPAIR_H
#define XFERSPY_PRELOAD_REPAIR_REPAIR_H

#include <stddef.h>
#include <stdint.h>

struct xs_repair_wishes {
    const char *names; /* with commas between, or "all"; empty: none */
    const char *plan;  /* a file; empty: none */
    const char *log;   /* a file; empty: none */
    size_t budget_bytes;
};

/* Starts what is wished for. The driver is resolved and no context was made yet by a call that passed a wrapper. Once
 * in a process, on a scratch stack, under the session's lock. Where a name is unknown, or the plan cannot be read,
 * nothing is repaired and `complain` says why: half of what was asked for would be measured for all of it. */
void xs_repair_start(const struct xs_repair_wishes *wishes, void (*complain)(const char *message));

/* The process ends: everything that the program asked for goes to the driver, `say` gets one line for each repair, and
 * the log is written. Repairs stay in place and do nothing any more. */
void xs_repair_finish(void (*say)(const char *message));

/* What the trace says of the repairs: those that are on, and how often each was made so far. Any thread. */
enum { XS_REPAIRS_MOST = 16 };
struct xs_repair_made {
    const char *name; /* static */
    uint64_t made, bytes;
};
unsigned xs_repair_made(struct xs_repair_made made[XS_REPAIRS_MOST]);

/* In a forked child: CUDA does not work there, and nothing is repaired. */
void xs_repair_forget(void);

#endif
