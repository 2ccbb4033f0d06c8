/* The model is a graph of the run, which can be replayed with changes. It has the calls of each thread in order, with
 * the program's own work between them. It also has the device's operations, and what each operation waited for.
 *
 * The graph has measured times. CUDA's rules (stream order, events, the legacy default stream, waits, blocking calls,
 * the wait inside cudaFree) say what a call or an operation waited for, unless the measured times contradict them: an
 * operation that began before another one ended did not wait for it. The other parts of the times (the latency of a
 * launch, the work in a call) are kept as measured. A replay without changes therefore gives the measured run, except
 * for what this model cannot express. Daydream (USENIX ATC 2020) describes such a graph and its replay.
 *
 * The pauses of host threads show which threads wait for each other (handoffs.h). The model ignores that kernels may
 * slow each other down. */
#ifndef XFERSPY_ANALYZER_SAVINGS_REPLAY_MODEL_H
#define XFERSPY_ANALYZER_SAVINGS_REPLAY_MODEL_H

#include <stdbool.h>
#include <stdint.h>

#include "schema/read/trace.h"

struct xs_parts; /* parts.h */
struct xs_sites; /* analyzer/trace/site.h */

enum xs_model_kind {
    XS_MODEL_TRANSFER,
    XS_MODEL_MEMSET,
    XS_MODEL_ALLOCATION,
    XS_MODEL_FREE,
    XS_MODEL_LAUNCH,
    XS_MODEL_SYNC,
    XS_MODEL_RECORD,     /* records an event */
    XS_MODEL_WAIT_EVENT, /* makes a stream wait for an event */
    XS_MODEL_OTHER,
};

/* What a call waited for before it returned. */
enum xs_model_wait {
    XS_WAITS_NOT,
    XS_WAITS_OWN,    /* its own operations */
    XS_WAITS_STREAM, /* the work that was in its stream at its enter */
    XS_WAITS_LATEST, /* the latest operation that its thread requested; this operation is in the call's stream */
    XS_WAITS_EVENT,  /* the work that was in the event's stream when the event was recorded */
    XS_WAITS_DEVICE, /* all work on the device at its enter */
};

enum xs_model_engine { XS_ENGINE_H2D, XS_ENGINE_D2H, XS_ENGINE_OTHER, XS_ENGINES };

#define XS_NO_OPERATION UINT32_MAX
#define XS_NO_CALL UINT32_MAX

/* A call of the program. Times are times of the trace, in ns. A wait of the main thread outside of CUDA (main_waits.h)
 * is a call of the kind XS_MODEL_SYNC; its `row` is the negative of the download's row. */
struct xs_model_call {
    int64_t enter_ns, return_ns; /* both are equal for a kernel launch, because the time of a launch counts as the
                                  * program's work */
    int64_t row;                 /* id in the table of its kind */
    union {                      /* a call has at most one of the two fields */
        uint64_t object;         /* the event's handle */
        uint64_t address;        /* address of a host-device copy's host memory, or of an allocation */
    };
    uint64_t bytes;        /* bytes moved or allocated; for a batch, the sum over its copies */
    int64_t rest_ns;       /* time from the enter to the return; if `waited` is true, time from the end of what the
                            * call waited for to the return */
    int64_t own_ns;        /* its duration without waiting */
    int64_t look_ns;       /* for a copy that was looked at: how long the look took in the call (looks.h); else 0 */
    uint32_t copy, copies; /* for a batch of several copies: index of its first copy, and their number; else 0 */
    uint32_t correlation;  /* CUPTI's correlation number; 0: none */
    uint32_t handed_by;    /* its thread paused until another thread's call returned: the index of that call plus 1; 0:
                            * none known */
    uint32_t main_wait;    /* for a download: index plus 1 of the main thread's wait for it (main_waits.h); 0: none */
    uint32_t previous, next; /* indexes of the calls of its thread before and after it; XS_NO_CALL: none */
    uint32_t site;           /* site number; 0: not known */
    uint32_t stack;          /* stack.id; 0: not known */
    uint32_t operation;      /* index of its first operation, which the others follow; XS_NO_OPERATION: none */
    uint32_t operations;
    int32_t entry_point;    /* entry_point.id, or XS_NO_ENTRY_POINT */
    int32_t thread, stream; /* numbers from 0 without gaps; stream 0: unknown */
    int32_t behind;         /* another stream whose work so far must end before this call's operations begin; 0: none */
    int32_t device;         /* number without gaps; 0: unknown */
    uint8_t kind, wait;     /* enum xs_model_kind, xs_model_wait */
    uint8_t direction;      /* for a copy: its number in XS_DIRECTIONS */
    uint8_t memory_kind;    /* kind of the memory at `address`: number of XS_MEMORY_KINDS */
    bool is_legacy;         /* its stream is a legacy default stream */
    bool is_apart;          /* its stream is not ordered with the legacy default stream */
    bool is_of_batch;       /* the row is of a call that may make several copies */
    bool is_async;          /* by the entry point's contract */
    bool is_of_library;     /* no code of the user is in the stack of the call, or is_of_main is true */
    bool is_of_main;        /* a framework's thread made the call for the main thread (XS_FRAME_MAIN) */
    bool is_looked_at;      /* a fingerprint of its contents exists */
    bool waited;            /* at its enter, the work that it waited for had not ended yet */
};

/* One of several copies of a batch call. Each copy has a row of its own in the trace. */
struct xs_model_copy {
    int64_t row;
    uint64_t bytes, address; /* as in xs_model_call */
    uint32_t call;
    uint8_t direction, memory_kind;
};

/* An operation of the device: a copy, a memset, a kernel, or a launched graph. A graph's operation lasts from the begin
 * of its first node to the end of its last node. */
struct xs_model_operation {
    int64_t start_ns, end_ns;
    int64_t latency_ns;     /* time from its call's enter (from its call's return if after_return is true) to its start,
                             * if it does not have to wait; a measured or a usual value */
    int64_t gap_ns;         /* time from the end of the work before it in stream order to its start; a measured or a
                             * usual value */
    int64_t engine_gap_ns;  /* time from the end of the previous copy on its engine to its start; a measured or a usual
                             * value */
    uint32_t call;          /* index of its call */
    int32_t device;         /* number without gaps; 0: unknown */
    uint8_t engine;         /* enum xs_model_engine */
    bool behind_stream;     /* it began after the end of the work before it in its stream */
    bool behind_default;    /* it began after the end of the work that the legacy default stream orders before it */
    bool behind_engine;     /* it began after the end of the previous copy on its engine */
    bool after_return;      /* it began after its call had returned, so it is taken to follow the call's own work */
    bool waited;            /* when it was requested, the work that it had to wait for had not ended yet */
    bool is_held_up;        /* it waited, and therefore began later */
    bool waited_for_engine; /* it waited for the previous copy on its engine */
};

struct xs_model {
    struct xs_model_call *calls; /* sorted by enter time */
    uint32_t call_count;
    struct xs_model_copy *copies; /* in the order of their calls */
    uint32_t copy_count;
    struct xs_model_operation *operations; /* in the order of their calls */
    uint32_t operation_count;
    int32_t main_thread; /* number of the process's main thread; only meaningful if a call has is_of_main */
    int32_t threads, streams, devices; /* how many numbers of threads, streams and devices there are */
    int64_t *device_ids;               /* by number of a device: device.id; -1: unknown. NULL in models made by hand */
    int64_t *thread_ids;               /* by number of a thread: thread.id. NULL in models made by hand */
    int64_t run_ns;                    /* the measured duration */
    int64_t notice_ns;  /* usual time from the end of the work that a call waited for to the call's return */
    uint64_t unmatched; /* device records without a call, which are left out; 0 for a run in parts, because the calls of
                         * other parts are not known */
    const struct xs_parts *parts; /* the parts of the run that the model has (parts.h); NULL or none: the whole run */
};

/* Times and durations of a trace (analyzer/trace/scan.h) and of a replay are limited to this value. A few such values
 * can therefore be added without overflow, even for a damaged trace. */
#define XS_MODEL_LATEST_NS (INT64_C(1) << 60)
static inline int64_t xs_model_ns(int64_t ns) {
    return ns > XS_MODEL_LATEST_NS ? XS_MODEL_LATEST_NS : ns < -XS_MODEL_LATEST_NS ? -XS_MODEL_LATEST_NS : ns;
}

/* Limits a computed duration, for example a result of xs_link_ns. */
static inline int64_t xs_model_length(uint64_t ns) {
    return ns > (uint64_t)XS_MODEL_LATEST_NS ? XS_MODEL_LATEST_NS : (int64_t)ns;
}

/* Returns a copy by its number, which is the index of its call or, for a copy of a batch call, the number of all calls
 * plus the index of the copy. */
static inline struct xs_model_copy xs_model_copy_at(const struct xs_model *model, uint32_t number) {
    if (number >= model->call_count)
        return model->copies[number - model->call_count];
    const struct xs_model_call *call = &model->calls[number];
    return (struct xs_model_copy){call->row, call->bytes, call->address, number, call->direction, call->memory_kind};
}

static inline int64_t xs_model_lasted(const struct xs_model_operation *operation) {
    return operation->end_ns - operation->start_ns;
}

/* True if the call gives the device work: a copy, a memset or a launch. */
static inline bool xs_model_gives_work(const struct xs_model_call *call) {
    return call->kind == XS_MODEL_TRANSFER || call->kind == XS_MODEL_MEMSET || call->kind == XS_MODEL_LAUNCH;
}

/* True if the call does its own work after its wait. This work is the staging of the data. */
static inline bool xs_model_is_staged(const struct xs_model_call *call) {
    return call->kind == XS_MODEL_TRANSFER && call->wait == XS_WAITS_STREAM;
}

/* Reads the model of a trace, or of the chosen parts of its run, which must outlive the model. `parts` may be NULL. The
 * times of the model are those of the trace, unless there are parts (parts.h). The sites of the calls are added to
 * `sites`, unless `sites` has them already. If `sites` is NULL, the calls get no sites. Negative status: the message is
 * set. Always call xs_model_free. */
int xs_model_read(struct xs_model *model, const struct xs_trace *trace, struct xs_parts *parts, struct xs_sites *sites,
                  char *message, uint64_t *damaged);
void xs_model_free(struct xs_model *model);

/* Links the calls of each thread, and sets what each call and operation waited for, from CUDA's rules and the times.
 * xs_model_read calls this function. Tests also call it, for models made by hand. */
void xs_model_find_waits(struct xs_model *model);

#endif
