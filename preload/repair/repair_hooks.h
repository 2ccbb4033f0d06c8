/* Defines what all repairs share. A repair consists of a struct xs_repair_hooks, a row of repairs.def and one file. A
 * repair that the user requested is on from xs_repair_start to the end of the process.
 *
 * All hooks are called on a thread of the application, between the wrapper and the driver, with the application's
 * signal mask. Therefore a repair must hold no lock during a call that runs the application's code (a host function).
 * If a signal handler leaves a driver call by siglongjmp, other threads must still be able to go on (core/lock.h has
 * locks for this). A repair calls the driver by xs_beneath; such calls are not repaired. */
#ifndef XFERSPY_PRELOAD_REPAIR_REPAIR_HOOKS_H
#define XFERSPY_PRELOAD_REPAIR_REPAIR_HOOKS_H

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

/* Identifies a copy of the run (docs/use/repairs.md). Threads are numbered in the order of their first copy, and the
 * copies of each thread are numbered; both numbers begin at 0. */
struct xs_copy_id {
    uint32_t thread;
    uint64_t ordinal;
};

/* A copy between host and device memory in one dimension, made by any function. */
struct xs_repair_copy {
    struct xs_copy_id id;
    bool is_upload;
    bool is_blocking;             /* the function has no stream parameter */
    uint64_t host;                /* address of the host's side */
    uint64_t device;              /* address of the device's side */
    size_t bytes;                 /* never 0 */
    CUstream stream;              /* stream as the program gave it; NULL if is_blocking */
    bool is_per_thread;           /* a null stream means the thread's own default stream */
    uint8_t host_kind;            /* XS_MEM_PAGEABLE, XS_MEM_PINNED or XS_MEM_REGISTERED; never managed */
    struct xs_memory_range range; /* device allocation that holds all of the copy's bytes; start == end: not known */
    CUcontext context;            /* context of the calling thread */
};

/* Any call of the program that goes to the driver. */
struct xs_repair_call {
    unsigned row; /* enum xs_entry_row, or XS_ROW_COUNT plus an enum xs_gated */
    enum xs_category category;
    bool has_stream; /* the call works in one stream, which may be a default stream; false: it may affect all streams */
    CUstream stream; /* stream as the program gave it */
    bool is_per_thread;
    uint64_t freed;                    /* address that the call frees or unregisters; 0: none */
    const struct xs_repair_copy *copy; /* NULL: the call is no copy between host and device memory */
    CUresult result;                   /* valid in `after` only */
};

/* Returns a handle for the stream. The handle is never null, and it means the same stream in functions with the legacy
 * default stream and in functions with the per-thread default stream. For the per-thread default stream all threads get
 * the same handle, CU_STREAM_PER_THREAD; for the driver it means the default stream of the thread that makes the
 * call. */
XS_HOT CUstream xs_stream_handle(CUstream stream, bool is_per_thread) {
    if (is_per_thread)
        return CU_STREAM_PER_THREAD;
    return stream ? stream : CU_STREAM_LEGACY;
}

/* Every hook may be NULL. */
struct xs_repair_hooks {
    /* The repair cannot prove beforehand that it changes no result. So it needs a plan and a run without capture, and
     * "all" does not mean it. */
    bool is_for_trials;
    /* Runs at the start. False: the repair cannot work in this process and remains off; *why then points to the
     * reason, a constant text. */
    bool (*start)(const char **why);
    /* Runs before a copy is made. True: the repair handles the copy, the driver does not get the program's call, and
     * the call returns *result. */
    bool (*copy)(const struct xs_repair_copy *copy, CUresult *result);
    /* `before` and `after` are called before and after each call that goes to the driver. Such a call may be a copy,
     * except if the `copy` hook of a repair returned true for it. */
    void (*before)(const struct xs_repair_call *call);
    void (*after)(const struct xs_repair_call *call);
    /* Gives the driver all calls of the program that the repair still holds back, in their order. */
    void (*settle)(void);
    /* Runs when a call of the program failed for lack of memory. True: the repair has given memory back, and the call
     * is repeated. */
    bool (*give_back)(void);
    /* Runs when the process ends, while other threads may be in any hook. After this call, the repair must hold back
     * no further calls. Then `settle` is called, and after `settle` the program's calls go straight to the driver. */
    void (*finish)(void);
};

/* Each repair's file defines one of these: xs_repair_drop_uploads and so on. */
#define XS_REPAIR(id, symbol, name, what) extern const struct xs_repair_hooks xs_repair_##symbol;
#include "schema/repairs.def"
#undef XS_REPAIR

/* Has, for each entry point, the driver's function, or the function by which a repair replaced the driver's function.
 * NULL: this driver has no such entry point. */
extern void *xs_repair_beneath[XS_ROW_COUNT];
#define xs_beneath(name) ((__typeof__(&name))__atomic_load_n(&xs_repair_beneath[XS_ROW_##name], __ATOMIC_RELAXED))

/* Makes the wrapper of an entry point call `by`, a function of the same type. May be called only in `start`. Returns
 * the function that the wrapper called before, which `by` must call; NULL: this driver has no such entry point. */
void *xs_repair_put_beneath(unsigned row, void *by);
#define XS_PUT_BENEATH(name, by) ((__typeof__(&name))xs_repair_put_beneath(XS_ROW_##name, (void *)(by)))

/* ---- state of the process; any thread ---- */

/* The most device memory, and the most page-locked memory, that one repair may hold. */
extern size_t xs_repair_budget_bytes;

/* The number of streams that capture a graph, as far as the calls show. While it is not 0, a repair gives its copies to
 * the driver unchanged, because an additional call could end a capture with an error. */
extern _Atomic int xs_repair_captures;

/* True after memory was shared with other processes or interfaces (IPC, exports, external memory, graphics). They may
 * write the memory without a call of this program. Remains true for the rest of the run. */
extern _Atomic bool xs_repair_handed_out;

/* True after the program gave the device work that may wait for something that the program does without a call (stream
 * memory operations, external semaphores, host functions, a cooperative kernel). From then on, a repair could wait for
 * ever if it waited for the device where the program's call would not wait. Remains true for the rest of the run. */
extern _Atomic bool xs_repair_may_hold;

/* Repairs pass this reason to xs_repair_refused when they leave a copy unchanged because a stream captures a graph. */
#define XS_REPAIR_CAPTURING "a stream captures a graph"

/* Checks what every repair requires of a copy: no stream captures a graph, and the context is known. Returns NULL if
 * both hold, else the reason, for xs_repair_refused. */
const char *xs_repair_unfit(const struct xs_repair_copy *copy);

/* Calls every repair's `settle`. A repair calls this before it reads or copies device memory itself. */
void xs_repair_settle(void);

/* ---- tallies; any thread ---- */

void xs_repair_applied(enum xs_repair_id id, uint64_t bytes);
void xs_repair_checked(enum xs_repair_id id, bool is_wrong); /* counts a copy that was compared in the mode verify */
/* Counts a place of host memory which the program was not allowed to read or write, because a download into it was left
 * out. `is_accessed`: the program did; false: nobody can say whether it did. */
void xs_repair_accessed(enum xs_repair_id id, bool is_accessed);
/* Counts a call that the repair left unchanged. `reason` is a constant text of few words, in lower case; at most 16
 * different reasons of each repair are counted. */
void xs_repair_refused(enum xs_repair_id id, const char *reason);

#endif
