/* Repairs take waste out of the program while it runs. Each repair is one file and checks its own conditions; none is
 * on unless the user names it (XFERSPY_REPAIR). Repairs stand between the wrappers and the driver, so a program without
 * repairs calls the driver exactly as if they did not exist, and they work without capture as well.
 *
 *   repair.h, repair.c   start and end; which repairs are on
 *   frame.h, frame.c     what the repairs share: the kinds of calls, tallies, who is asked in which order
 *   around.c, repair_call.h     the function around every entry point, expanded from the table of entry points
 *   repair_plan.h, repair_plan.c       which calls are to be repaired, where a plan says so (docs/use/repairs.md has
 * its form) log.c                what was done, in one line for the user and as JSON for `xferspy try` */
#ifndef XFERSPY_PRELOAD_REPAIR_REPAIR_H
#define XFERSPY_PRELOAD_REPAIR_REPAIR_H

#include <stddef.h>
#include <stdint.h>

struct xs_repair_wishes {
    const char *names; /* names separated by commas, or "all"; empty: none */
    const char *plan;  /* path of a file; empty: none */
    const char *log;   /* path of a file; empty: none */
    size_t budget_bytes;
};

/* Starts the wished repairs. The driver is resolved, and no call that passed a wrapper has made a context yet. Called
 * once in a process, on a scratch stack, under the session's lock. If a name is unknown, or the plan cannot be read,
 * nothing is repaired and `complain` says why: a run with half of the wished repairs would be taken for one with all.
 */
void xs_repair_start(const struct xs_repair_wishes *wishes, void (*complain)(const char *message));

/* Called when the process ends: everything that the program asked for goes to the driver, `say` gets one line for each
 * repair, and the log is written. The repairs stay in place but do nothing from then on. */
void xs_repair_finish(void (*say)(const char *message));

/* Gives what the trace says of the repairs: those that are on, and how often each was made so far. Any thread. */
enum { XS_REPAIRS_MOST = 16 };
struct xs_repair_made {
    const char *name; /* static */
    uint64_t made, bytes;
};
unsigned xs_repair_made(struct xs_repair_made made[XS_REPAIRS_MOST]);

/* Called in a forked child: CUDA does not work there, and nothing is repaired. */
void xs_repair_forget(void);

#endif
