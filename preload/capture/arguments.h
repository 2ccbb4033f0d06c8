/* Finds the allocations to which the arguments of a kernel launch point. After every successful launch, the parameters
 * of the launch are scanned for addresses within known allocations. Each distinct set of allocations is written into
 * the trace once, with a number, and the events of launches contain this number. A launch of a known function with a
 * known set needs no lock, no allocation and no system call. */
#ifndef XFERSPY_PRELOAD_CAPTURE_ARGUMENTS_H
#define XFERSPY_PRELOAD_CAPTURE_ARGUMENTS_H

#include <stdbool.h>
#include <stdint.h>

#include "preload/driver/driver_api.h"

#include "preload/core/compiler.h"
#include "schema/format/event.h"

extern bool xs_arguments_on; /* set before xs_state becomes XS_STATE_ACTIVE */

/* If the arguments of a launch contain more pointers into known allocations than this number, the set is not recorded,
 * and the arguments count as unknown. */
#define XS_ARGUMENTS_MOST 512u

/* Sets argument_set of `e`, the event of a launch that succeeded. Must be called after the real call: its success shows
 * that the parameters can be read, whereas before the real call a pointer of the program might be invalid. If the set
 * is new, the events that define it are committed before `e`, and `e` is moved. Returns the address of `e`. This
 * function is called only between xs_begin and xs_end. */
struct xs_event *xs_arguments_record(struct xs_event *e, CUfunction function, void **params, void **extra);

XS_HOT struct xs_event *xs_decode_arguments(struct xs_event *e, CUresult r, CUfunction function, void **params,
                                            void **extra) {
    return XS_LIKELY(r == CUDA_SUCCESS && xs_arguments_on) ? xs_arguments_record(e, function, params, extra) : e;
}

/* Must be called before modules are unloaded or a context is destroyed, because the driver may later reuse the handles
 * of their functions for other functions. Any thread. */
void xs_arguments_functions_go(void);

/* Runs in a forked child: resets locks that a thread of the parent may hold, and discards all data, because the data
 * describe the parent. */
void xs_arguments_forget(void);

/* -- The parts: the layouts of functions (argument_layouts.c) ---------------------------------------------------- */

/* A position in a function's parameters that may hold a pointer. It is byte `offset` of parameter number `parameter`,
 * and also byte `packed` of a buffer that holds all parameters. */
struct xs_pointer_position {
    uint16_t parameter, offset, packed;
};
/* All such positions of a function. Functions with the same parameters share a layout, which never changes and is never
 * freed. */
struct xs_layout {
    const struct xs_layout *next; /* the next layout in the same chain of the hash table */
    uint32_t hash, count;
    struct xs_pointer_position positions[];
};

/* Returns the layout of a CUfunction, or of a CUkernel, which cuLaunchKernel accepts as well. The first call for each
 * function asks the driver. NULL: the driver does not give the information. Any thread. */
const struct xs_layout *xs_layout_of(CUfunction function);
void xs_layouts_drop(void); /* discards which layout each function has; any thread */
void xs_layouts_forget(void);

/* -- The numbers of sets (argument_sets.c) ------------------------------------------------------------------------- */

/* Returns the number of the set with these allocation ids, which must be ascending; 0: the set has no number, or was
 * not found because another thread is changing the table. Takes no lock; any thread. */
uint32_t xs_set_find(const uint32_t *ids, unsigned count, uint64_t hash);

/* Gives the set a number, commits the events that define the set, moves `e` so that it follows these events, and writes
 * the number into `e`. Returns the new address of `e`. Takes a lock. */
struct xs_event *xs_set_add(struct xs_event *e, const uint32_t *ids, unsigned count, uint64_t hash);
void xs_sets_forget(void);

#endif
