/* The repairs' common ground. A repair is a struct xs_repair, a row of repairs.def and one file; it lives from
 * xs_repair_start to the end of the process.
 *
 * All hooks are called on a thread of the application, between the wrapper and the driver, with the application's
 * signal mask. So no lock of a repair may be held over a call that runs the application's code (a host function), and a
 * siglongjmp out of a driver's call must leave nothing that stops other threads (core/lock.h has the locks for that). A
 * repair makes its own driver calls by xs_beneath; these are not repaired. */
#ifndef XFERSPY_PRELOAD_REPAIR_FRAME_H
#define XFERSPY_PRELOAD_REPAIR_FRAME_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "preload/core/compiler.h"
#include "preload/core/memory_map.h"
#include "preload/driver/driver_api.h"
#include "preload/driver/entry_rows.h"
#include "schema/format/kinds.h"

/* The repairs, in the order in which a copy is offered to them. */
enum xs_repair_id {
#define XS_REPAIR(id, symbol, name, what) XS_REPAIR_##id,
#include "schema/repairs.def"
#undef XS_REPAIR
    XS_REPAIR_COUNT
};

/* Identifies a call of the run (docs/use/repairs.md): threads are numbered in the order of their first copy, and the
 * copies of each thread are numbered, both from 0. */
struct xs_repair_place {
    uint32_t thread;
    uint64_t ordinal;
};

/* A copy between host and device memory in one dimension, by any function. */
struct xs_repair_copy {
    struct xs_repair_place place;
    bool is_upload;
    bool is_blocking;      /* function without a stream */
    uint64_t host;         /* address of the host's side */
    uint64_t device;       /* address of the device's side */
    size_t bytes;          /* never 0 */
    CUstream stream;       /* stream as the program gave it; NULL where it is blocking */
    bool is_per_thread;    /* meaning of a null stream */
    uint8_t host_kind;     /* XS_MEM_PAGEABLE, XS_MEM_PINNED or XS_MEM_REGISTERED; never managed */
    struct xs_range range; /* device allocation that holds all of the copy's bytes; start == end: not known */
    CUcontext context;     /* context of the calling thread */
};

/* Any call of the program that goes to the driver. */
struct xs_repair_call {
    unsigned row; /* enum xs_row; from XS_ROW_COUNT on: enum xs_gated */
    enum xs_category category;
    bool has_stream; /* the call names a stream, or works in a default stream; false: it may concern all streams */
    CUstream stream; /* stream as the program gave it */
    bool is_per_thread;
    const struct xs_repair_copy *copy; /* NULL: no copy between host and device memory */
    CUresult result;                   /* valid in `after` only */
};

/* Returns a stream handle that means the same to functions of both kinds of default stream, and is never null. The
 * per-thread default stream keeps one handle, which names the calling thread's own stream. */
XS_HOT CUstream xs_stream_handle(CUstream stream, bool is_per_thread) {
    if (is_per_thread)
        return CU_STREAM_PER_THREAD;
    return stream ? stream : CU_STREAM_LEGACY;
}

/* Every hook may be NULL. */
struct xs_repair {
    /* False: the repair cannot work here and stays off; `why` has the reason (a constant text). */
    bool (*start)(const char **why);
    /* Called before a copy is made. True: the repair has done with the copy, and the program gets *result. */
    bool (*copy)(const struct xs_repair_copy *copy, CUresult *result);
    /* Called before and after a call that goes to the driver, including copies that no repair has done with. */
    void (*before)(const struct xs_repair_call *call);
    void (*after)(const struct xs_repair_call *call);
    /* Hands everything that the program asked for so far to the driver, in its order. */
    void (*settle)(void);
    /* Called when the program found no memory. True: some was given back, and the call is tried again. */
    bool (*give_back)(void);
    /* Called when the process ends, while other threads may be in any hook. From now on the repair holds back nothing
     * new; `settle` comes next, and then calls go straight to the driver. */
    void (*finish)(void);
};

/* Each file defines one: xs_repair_drop_uploads and so on. */
#define XS_REPAIR(id, symbol, name, what) extern const struct xs_repair xs_repair_##symbol;
#include "schema/repairs.def"
#undef XS_REPAIR

/* The driver's function beneath the repairs, or the function that a repair put in its place; NULL: this driver has
 * none. */
extern void *xs_repair_beneath[XS_ROW_COUNT];
#define xs_beneath(name) ((__typeof__(&name))__atomic_load_n(&xs_repair_beneath[XS_ROW_##name], __ATOMIC_RELAXED))

/* Puts a function of the same type beneath the function around an entry point; in `start` only. Returns the previous
 * function, which the new one must call in turn; NULL: this driver has no such entry point. */
void *xs_repair_put_beneath(unsigned row, void *by);

/* ---- state of the process; any thread ---- */

/* The most device memory, and the most page-locked memory, that one repair may hold. */
extern size_t xs_repair_budget_bytes;

/* The number of streams that capture a graph, or did so at the last known moment. While it is not 0, a repair passes
 * its copies on: a call that the capture does not know would break it. */
extern _Atomic int xs_repair_captures;

/* True once memory was handed to other processes or interfaces (IPC, exports, external memory, graphics): someone may
 * write it without a call. Stays true for the rest of the run. */
extern _Atomic bool xs_repair_handed_out;

/* True once work may wait for something that the program does without a call (stream memory operations, external
 * semaphores, host functions, a cooperative kernel). A repair that waits for the device in a call that would not have
 * waited could then wait for ever. Stays true for the rest of the run. */
extern _Atomic bool xs_repair_may_hold;

/* The reason of a repair's refusal while xs_repair_captures is not 0. */
#define XS_REPAIR_CAPTURING "a stream captures a graph"

/* Checks what every repair requires of a copy: no stream captures, the context is known. NULL: fit; else the reason,
 * for xs_repair_refused. */
const char *xs_repair_unfit(const struct xs_repair_copy *copy);

/* Calls every repair's `settle`, before a repair itself looks at device memory. */
void xs_repair_settle(void);

/* ---- tallies; any thread ---- */

void xs_repair_applied(enum xs_repair_id id, uint64_t bytes);
void xs_repair_checked(enum xs_repair_id id, bool is_wrong); /* counts a copy that a plan names, in the mode verify */
/* Counts a refusal. `reason` is a constant text of few words, in lower case; at most 16 different reasons of a repair
 * are counted. */
void xs_repair_refused(enum xs_repair_id id, const char *reason);

#endif
