/* Finds what the arguments of a kernel launch point to. After every launch that succeeded, its parameters are scanned
 * for addresses within known allocations. Each distinct set of allocations goes into the trace once, under a number
 * that its launches carry. A launch of a known function with a known set costs no lock, no allocation and no system
 * call. */
#ifndef XFERSPY_PRELOAD_CAPTURE_ARGUMENTS_H
#define XFERSPY_PRELOAD_CAPTURE_ARGUMENTS_H

#include <stdbool.h>
#include <stdint.h>

#include "preload/driver/driver_api.h"

#include "preload/core/compiler.h"
#include "schema/format/event.h"

extern bool xs_arguments_on; /* set before xs_state becomes active */

/* A launch with more pointers than this is not looked at: it counts as a launch with unseen arguments. */
#define XS_ARGUMENTS_MOST 512u

/* Sets argument_set of `e`, the event of a launch that succeeded. Must run after the real call, which has read the same
 * bytes: earlier, this could follow a pointer that the driver would have refused. The events of a new set are committed
 * ahead of `e`, which moves. Returns the place of `e`. Only between xs_begin and xs_end. */
struct xs_event *xs_arguments_record(struct xs_event *e, CUfunction function, void **params, void **extra);

XS_HOT struct xs_event *xs_decode_arguments(struct xs_event *e, CUresult r, CUfunction function, void **params,
                                            void **extra) {
    return XS_LIKELY(r == CUDA_SUCCESS && xs_arguments_on) ? xs_arguments_record(e, function, params, extra) : e;
}

/* Must be called before modules are unloaded or a context ends, because another function may then get the handle of one
 * that goes. Any thread. */
void xs_arguments_functions_go(void);

/* Called in a forked child: resets locks that a thread of the parent may hold, and forgets what is known, because it is
 * the parent's. */
void xs_arguments_forget(void);

/* -- The parts: the layouts of functions (argument_layouts.c) ---------------------------------------------------- */

/* A place among a function's parameters that may hold a pointer: byte `offset` of parameter number `parameter`, which
 * is byte `packed` of a buffer that holds all parameters. */
struct xs_place {
    uint16_t parameter, offset, packed;
};
/* The places of a function. Functions with the same parameters share a layout, which never changes and is never freed.
 */
struct xs_layout {
    const struct xs_layout *next; /* next layout of the same hash */
    uint32_t hash, count;
    struct xs_place places[];
};

/* Returns the layout of a CUfunction, or of a CUkernel, which cuLaunchKernel accepts as well. Asks the driver the first
 * time. NULL: the driver does not tell. Any thread. */
const struct xs_layout *xs_layout_of(CUfunction function);
void xs_layouts_drop(void); /* forgets which layout each function has; any thread */
void xs_layouts_forget(void);

/* -- The numbers of sets (argument_sets.c) ------------------------------------------------------------------------- */

/* Returns the number of a set of ascending allocation ids; 0: it is not known, or not known yet. Lock-free; any thread.
 */
uint32_t xs_set_find(const uint32_t *ids, unsigned count, uint64_t hash);

/* Gives the set a number, writes the number into `e`, and commits the events that define the set ahead of `e`. Returns
 * the new place of `e`. Takes a lock. */
struct xs_event *xs_set_add(struct xs_event *e, const uint32_t *ids, unsigned count, uint64_t hash);
void xs_sets_forget(void);

#endif
