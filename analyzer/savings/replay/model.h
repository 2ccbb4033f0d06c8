/* The run as a graph, to be replayed with something changed: each thread's calls in order with the program's own work
 * between them, and the device's operations with what each of them waited for.
 *
 * The graph holds what was measured. What a call or an operation waited for follows from CUDA's rules (the order within
 * a stream, events, the legacy default stream, waits, blocking calls, the wait that is part of cudaFree), but only
 * where the measured times do not contradict it: an operation that began before another one ended did not wait for it.
 * What is left of each time besides the waiting (the latency of a launch, the work in a call) is kept as it was
 * measured. So a replay with nothing changed gives the measured run, except for what this model cannot say. For the
 * graph and its replay see Daydream (USENIX ATC 2020).
 *
 * Threads of the host that wait for each other are found by their pauses (handoffs.h). Not in the graph are kernels
 * that would slow each other down. */
#ifndef XFERSPY_ANALYZER_REPLAY_MODEL_H
#define XFERSPY_ANALYZER_REPLAY_MODEL_H

#include <stdbool.h>
#include <stdint.h>

#include "schema/read/trace.h"

struct xs_sites; /* analyzer/trace/site.h */

enum xs_model_kind {
    XS_MODEL_TRANSFER,
    XS_MODEL_MEMSET,
    XS_MODEL_ALLOCATION,
    XS_MODEL_FREE,
    XS_MODEL_LAUNCH,
    XS_MODEL_SYNC,
    XS_MODEL_RECORD,     /* of an event */
    XS_MODEL_WAIT_EVENT, /* of a stream, for an event */
    XS_MODEL_OTHER,
};

/* What a call waited for before it returned. */
enum xs_model_wait {
    XS_WAITS_NOT,
    XS_WAITS_OWN,    /* for its own operations */
    XS_WAITS_STREAM, /* for what was in its stream when it was entered */
    XS_WAITS_EVENT,  /* for what was in a stream when the event was recorded */
    XS_WAITS_DEVICE, /* for all that was on the device when it was entered */
};

enum xs_model_engine { XS_ENGINE_H2D, XS_ENGINE_D2H, XS_ENGINE_OTHER, XS_ENGINES };

#define XS_NO_OPERATION UINT32_MAX

/* A call of the program. Times are the trace's, in ns. */
struct xs_model_call {
    int64_t enter_ns, return_ns; /* of a kernel launch equal: its own time counts as the program's work */
    int64_t row;                 /* id in the table of its kind */
    union {                      /* a call has one of them at most */
        uint64_t object;         /* the event's handle */
        uint64_t address;        /* of the host's memory of a copy between host and device; of an allocation */
    };
    uint64_t bytes;        /* that it moves or allocates, with all copies of a batch */
    int64_t rest_ns;       /* from the enter, or where it waited from the end of what it waited for, to the return */
    int64_t own_ns;        /* what it takes where it does not have to wait */
    int64_t look_ns;       /* of a copy that was looked at: what that took of the call's time (looks.h); else 0 */
    uint32_t copy, copies; /* of a batch of several copies: the first of them, and how many; else 0 */
    uint32_t correlation;  /* CUPTI's number of it; 0: none */
    uint32_t handed_by;    /* its thread paused until another one's call had returned: 1 + that call; 0: none known */
    uint32_t site;         /* xs_site_of; 0: not known */
    uint32_t operation;    /* the first of its operations, which lie behind each other; XS_NO_OPERATION: none */
    uint32_t operations;
    int32_t entry_point;    /* entry_point.id */
    int32_t thread, stream; /* dense numbers from 0; stream 0: unknown */
    int32_t device;         /* dense, 0: unknown */
    uint8_t kind, wait;     /* enum xs_model_kind, xs_model_wait */
    uint8_t direction;      /* number of XS_DIRECTIONS, of a copy */
    uint8_t memory_kind;    /* number of XS_MEMORY_KINDS, of the memory at that address */
    bool is_legacy;         /* its stream is a legacy default stream */
    bool is_apart;          /* its stream is not ordered with the legacy default stream */
    bool is_of_batch;       /* one row of a call that may make several copies */
    bool is_async;          /* the entry point's contract */
    bool is_looked_at;      /* its contents have a fingerprint */
    bool waited;            /* what it waits for had not ended when it was entered */
};

/* A copy of a batch call that makes several: a row of its own in the trace. */
struct xs_model_copy {
    int64_t row;
    uint64_t bytes, address; /* as of a call */
    uint32_t call;
    uint8_t direction, memory_kind;
};

/* What the device did: a copy, a memset, a kernel; or a launched graph from its first node to its last. */
struct xs_model_operation {
    int64_t start_ns, end_ns;
    int64_t latency_ns; /* from its call's enter, or return, to its start where nothing was in the way; measured or the
                           usual */
    int64_t gap_ns;     /* from the end of what is before it in the order of streams to its start; likewise */
    int64_t engine_gap_ns;  /* from the end of the copy before it on its engine; likewise */
    uint32_t call;          /* index */
    int32_t device;         /* dense */
    uint8_t engine;         /* enum xs_model_engine */
    bool behind_stream;     /* it did not run beside what was before it in its stream */
    bool behind_default;    /* nor beside what the legacy default stream orders before it */
    bool behind_engine;     /* nor beside the copy that began before it on its engine */
    bool after_return;      /* its call returned before it started, and did its own work first */
    bool waited;            /* what was in the way had not ended when it was given to the stream */
    bool is_held_up;        /* it also began later than it would have without that */
    bool waited_for_engine; /* that was the copy on its engine */
};

struct xs_model {
    struct xs_model_call *calls; /* by the time of entering */
    uint32_t call_count;
    struct xs_model_copy *copies; /* by their calls */
    uint32_t copy_count;
    struct xs_model_operation *operations; /* by their calls */
    uint32_t operation_count;
    int32_t threads, streams, devices; /* how many numbers there are */
    int64_t run_ns;                    /* the measured duration */
    int64_t notice_ns;                 /* from the end of what a call waited for to its return: the usual */
    uint64_t unmatched;                /* device records without a call; left out */
    bool too_large;                    /* more than XS_MODEL_CALLS calls or operations: none is here */
};
enum { XS_MODEL_CALLS = 1 << 22 };

/* Times, and lengths of time, of a trace are no longer than this (analyzer/trace/scan.h); nor are those of a replay, so
 * that a few of them can be added up whatever the trace says. */
#define XS_MODEL_LATEST_NS (INT64_C(1) << 60)
static inline int64_t xs_model_ns(int64_t ns) {
    return ns > XS_MODEL_LATEST_NS ? XS_MODEL_LATEST_NS : ns < -XS_MODEL_LATEST_NS ? -XS_MODEL_LATEST_NS : ns;
}

/* The same of a length that was worked out, as xs_link_ns does. */
static inline int64_t xs_model_length(uint64_t ns) {
    return ns > (uint64_t)XS_MODEL_LATEST_NS ? XS_MODEL_LATEST_NS : (int64_t)ns;
}

static inline int64_t xs_model_lasted(const struct xs_model_operation *operation) {
    return operation->end_ns - operation->start_ns;
}

/* Its own work, the staging, lies behind its wait. */
static inline bool xs_model_is_staged(const struct xs_model_call *call) {
    return call->kind == XS_MODEL_TRANSFER && call->wait == XS_WAITS_STREAM;
}

/* `sites`: gets the sites of calls that it does not have yet; NULL: the calls have none. Negative status: the message
 * is set. Always to be freed. */
int xs_model_read(struct xs_model *model, const struct xs_trace *trace, struct xs_sites *sites, char *message,
                  uint64_t *damaged);
void xs_model_free(struct xs_model *model);

/* Sets what each call and operation waited for, from the times. Part of xs_model_read; also for models made by hand. */
void xs_model_find_waits(struct xs_model *model);

#endif
