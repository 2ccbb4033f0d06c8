/* Repairs remove wasteful operations from the program while it runs. Each repair has a file of its own, and checks its
 * own conditions. A repair is on only if the user names it (XFERSPY_REPAIR). The repairs' functions are between the
 * wrappers and the driver. Therefore a program without repairs calls the driver exactly as if repairs did not exist,
 * and repairs work without capture as well. The files that all repairs use are:
 *
 * - repair.h, repair.c: start and end of the repairs, and the list of those that are on.
 * - repair_hooks.h, repair_hooks.c: what the repairs share, such as the description of calls, the tallies, and the
 *   order of the hooks.
 * - around.c, repair_call.h: the function around every entry point, expanded from the table of entry points.
 * - repair_plan.h, repair_plan.c: which calls have to be repaired, if there is a plan (docs/use/repairs.md describes
 *   it).
 * - log.c: writes what was done, as lines for the user and as JSON for `xferspy try`. */
#ifndef XFERSPY_PRELOAD_REPAIR_REPAIR_H
#define XFERSPY_PRELOAD_REPAIR_REPAIR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct xs_repair_wishes {
    const char *names; /* names separated by commas, or "all"; empty: none */
    const char *plan;  /* path of a file; empty: none */
    const char *log;   /* path of a file; empty: none */
    size_t budget_bytes;
    bool is_recorded; /* the run is captured, too */
};

/* Starts the requested repairs. Must be called when the driver's functions are known, and before a call through a
 * wrapper makes a context. This function is called once in a process, on a scratch stack, under the session's lock. If
 * a name is unknown, or the plan cannot be read, nothing is repaired, and `complain` gets the reason. In this case the
 * repairs with known names are not started either, because the user would believe that all requested repairs were on.
 */
void xs_repair_start(const struct xs_repair_wishes *wishes, void (*complain)(const char *message));

/* Runs when the process ends. Gives the driver all calls that the repairs still hold back, writes the log, and passes
 * the closing lines for the user to `say`. The functions of the repairs remain installed but do nothing from then on.
 */
void xs_repair_finish(void (*say)(const char *message));

/* Writes to `made` what the trace says about the repairs that are on: the name of each repair, how often it was applied
 * so far, and to how many bytes. Returns the number of these repairs. Any thread. */
enum { XS_REPAIRS_MOST = 16 };
struct xs_repair_made {
    const char *name; /* static */
    uint64_t made, bytes;
};
unsigned xs_repair_made(struct xs_repair_made made[XS_REPAIRS_MOST]);

/* Runs in a forked child. Switches the repairs off, because CUDA does not work in a forked child. */
void xs_repair_forget(void);

#endif
