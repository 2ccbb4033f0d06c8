/* What the arguments of a kernel launch point to: every launch that succeeded has its parameters scanned for addresses
 * within tracked allocations, and each distinct set of allocations goes into the trace once, under a number that its
 * launches carry. Known functions and known sets cost no lock, no allocation and no system call. */
#ifndef XFERSPY_PRELOAD_ARGUMENTS_H
#define XFERSPY_PRELOAD_ARGUMENTS_H

#include <stdbool.h>
#include <stdint.h>

#include "preload/driver/driver_api.h"

#include "preload/core/compiler.h"
#include "schema/event.h"

extern bool xs_arguments_on; /* set before xs_state becomes active */

/* More pointers in one launch are not looked at: its arguments count as not seen. */
#define XS_ARGUMENTS_MOST 512u

/* After the real call of a launch that succeeded, which has read the same bytes: before it, a pointer that the driver
 * would have refused could be followed here. Sets argument_set of `e`; where the set is a new one its events are
 * committed first, so `e` moves: returns its new place. Only while the thread is guarded by xs_begin. */
struct xs_event *xs_arguments_record(struct xs_event *e, CUfunction function, void **params, void **extra);

XS_HOT struct xs_event *xs_decode_arguments(struct xs_event *e, CUresult r, CUfunction function, void **params,
                                            void **extra) {
    return XS_LIKELY(r == CUDA_SUCCESS && xs_arguments_on) ? xs_arguments_record(e, function, params, extra) : e;
}

/* Modules are about to be unloaded, or a context to end: another function may get the handle of one that goes. */
void xs_arguments_functions_go(void);

/* In a forked child: the locks may be held by a thread that is not there, and what is known is the parent's. */
void xs_arguments_forget(void);

/* -- The parts: the layouts of functions (argument_layouts.c) ---------------------------------------------------- */

/* A place among a function's parameters that may hold a pointer: byte `offset` of a parameter's own memory, which is
 * byte `packed` of a buffer of all of them. */
struct xs_place {
    uint16_t parameter, offset, packed;
};
/* Shared by all functions with the same parameters; never changes and never goes. */
struct xs_layout {
    const struct xs_layout *next; /* of the same hash */
    uint32_t hash, count;
    struct xs_place places[];
};

/* The layout of a CUfunction, or of a CUkernel in its place (cuLaunchKernel takes both); the driver is asked the first
 * time. NULL: it cannot be had. Any thread. */
const struct xs_layout *xs_layout_of(CUfunction function);
void xs_layouts_drop(void);
void xs_layouts_forget(void);

/* -- The numbers of sets (argument_sets.c) ------------------------------------------------------------------------- */

/* The number of a set of ascending allocation ids, 0: not known (yet). Lock-free. */
uint32_t xs_set_find(const uint32_t *ids, unsigned count, uint64_t hash);

/* Gives the set a number, by events that are committed ahead of `e`, and writes the number into `e`, whose place is
 * returned. */
struct xs_event *xs_set_add(struct xs_event *e, const uint32_t *ids, unsigned count, uint64_t hash);
void xs_sets_forget(void);

#endif
