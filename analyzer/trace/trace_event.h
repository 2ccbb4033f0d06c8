/* Defines the events that the detectors get. Most events are rows of the trace. Such an event also has the row's device
 * record, the row's fingerprint, what the host read of a download, and what the residency model knows about the row.
 * The other events are derived from rows. Events come in host order (docs/rules/analysis.md). All kinds of events use
 * one struct, which is valid only during the call that receives it. */
#ifndef XFERSPY_ANALYZER_TRACE_TRACE_EVENT_H
#define XFERSPY_ANALYZER_TRACE_TRACE_EVENT_H

#include <stdbool.h>
#include <stdint.h>

#include "schema/format/entry_traits.h"
#include "schema/format/kinds.h"

struct xs_account;    /* what findings have claimed of a transfer, a memset or an allocation so far; engine/account.h */
struct xs_allocation; /* residency.h */
struct xs_region;     /* residency.h */
struct xs_write;      /* residency.h */

/* Kinds of events. The kinds that are rows of the trace are listed first. If times are equal, the kind that is listed
 * first takes effect first. */
enum xs_on {
    XS_ON_ALLOCATION,      /* an allocation begins; its time is when the allocating call returned. u.allocation */
    XS_ON_FREE,            /* an allocation ends; its time is when the freeing call began. u.allocation */
    XS_ON_TRANSFER,        /* u.transfer */
    XS_ON_MEMSET,          /* u.memset */
    XS_ON_LAUNCH,          /* u.launch */
    XS_ON_SYNC,            /* u.sync */
    XS_ON_API,             /* any other call, also a failed allocation or free. u.api */
    XS_ON_MIGRATION,       /* pages of managed memory moved or faulted; the times are device times. u.migration */
    XS_ON_DEVICE_INTERVAL, /* a copy between host and device, or a kernel, ran on the device; ascending by start.
                            * u.interval */
    XS_ON_WRITE_END, /* the bytes of an upload or memset were all overwritten, or their allocation was freed, and no
                      * read of them is known. u.write_end */
    XS_ON_LIVE,      /* an allocation that was never freed; comes after the last other event. u.allocation */
    XS_ON_COUNT,
};
#define XS_WANT(on) (1u << (on))
#define XS_WANT_NOT_RUN (1u << 31) /* adds calls that failed, moved nothing, or were only captured into a graph */

enum xs_content_state {
    XS_CONTENT_NONE, /* no fingerprint was taken; `skip` says why */
    XS_CONTENT_LOST, /* a fingerprint was taken, but was lost when the process ended */
    XS_CONTENT_KNOWN,
};

struct xs_fingerprint {
    uint64_t low, high;
};

static inline bool xs_fingerprint_equal(const struct xs_fingerprint *a, const struct xs_fingerprint *b) {
    return a->low == b->low && a->high == b->high;
}

/* How xferspy knows which content an upload's destination had before the upload (docs/rules/analysis.md, "pre"). */
enum xs_pre {
    XS_PRE_NONE,    /* not every byte was written since the allocation, so there is nothing to compare with */
    XS_PRE_UNKNOWN, /* neither measured nor inferred */
    XS_PRE_INFERRED,
    XS_PRE_MEASURED,
};

/* The shape of a 2D or 3D copy or memset. All fields are 0 for other copies and memsets. */
struct xs_box {
    uint32_t width_bytes, height, depth;
    uint32_t src_pitch_bytes, dst_pitch_bytes, src_slice_rows, dst_slice_rows; /* a memset uses dst_pitch_bytes */
};

/* Says how much of a download the host read, as far as this is known (table host_read). */
enum xs_host_read_state { XS_HOST_READ_NOT_WATCHED, XS_HOST_READ_UNDECIDED, XS_HOST_READ_KNOWN };
struct xs_host_read_view {
    enum xs_host_read_state state;
    unsigned doubt; /* if `state` is UNDECIDED: the reason (enum xs_host_reads_doubt); 0: the trace has no result of the
                     * watch */
    /* The next fields are set only if `state` is KNOWN. */
    uint64_t watched_bytes, read_bytes; /* watched_bytes is not 0, and read_bytes is at most watched_bytes */
    unsigned pieces;                    /* from 1 to 32 */
    uint32_t read_pieces;               /* bit i is set if something was read of piece i */
    uint64_t edge_read_bytes; /* the part of read_bytes in pages that may have other data; at most read_bytes */
};

struct xs_transfer_view {
    enum xs_direction direction;
    enum xs_memory_kind src_kind, dst_kind;
    enum xs_memory_kind host_kind; /* kind of an upload's source or of a download's destination; else UNKNOWN */
    uint64_t bytes;
    uint64_t src_address, dst_address;
    int64_t src_allocation, dst_allocation; /* allocation.id; 0: not known */
    int32_t src_device, dst_device;         /* -1: host or unknown */
    int32_t batch_index;                    /* index within a batch call; -1: not of a batch call */
    struct xs_box box;

    /* The content. The fields from `content` to `leaves` are set only if `state` is KNOWN. */
    enum xs_content_state state;
    unsigned skip; /* if `state` is NONE: enum xs_fingerprint_skip; if it is KNOWN: XS_SKIP_FOLLOWS, or 0 */
    struct xs_fingerprint content;
    bool is_small; /* less than 64 bytes, or one repeated value, so equal contents may be a coincidence */
    bool is_constant;
    uint32_t constant_value;
    uint32_t leaves;
    int64_t changed_leaves;       /* -1: not known */
    enum xs_pre pre;              /* for uploads; XS_PRE_NONE for other transfers */
    struct xs_fingerprint before; /* set if `pre` is INFERRED or MEASURED */

    /* The device region that an upload writes or a download reads, in its state before this transfer. NULL: the region
     * is not known (arrays), or the transfer is neither an upload nor a download. */
    struct xs_region *region;
    int64_t fingerprint;  /* fingerprint.id, 0: none */
    int64_t host_read_id; /* host_read.id; 0: the transfer was not watched */
    struct xs_host_read_view host_read;
};

/* Says if a fingerprint of a copy's content was taken, and if the random sample decided this (schema/format/kinds.h,
 * XS_SKIP_FOLLOWS). */
enum xs_look {
    XS_LOOK_NONE,     /* no fingerprint: it was not possible or not wanted, or it was lost */
    XS_LOOK_LEFT_OUT, /* no fingerprint: the random sample left the copy out */
    XS_LOOK_FOLLOWED, /* the fingerprint was taken because the fingerprint of another copy was taken */
    XS_LOOK_CHOSEN,   /* the fingerprint was taken because the random sample chose the copy, or because fingerprints of
                       * all copies were taken */
};

static inline enum xs_look xs_look_of(const struct xs_transfer_view *t) {
    if (t->state == XS_CONTENT_KNOWN)
        return t->skip == XS_SKIP_FOLLOWS ? XS_LOOK_FOLLOWED : XS_LOOK_CHOSEN;
    return t->state == XS_CONTENT_NONE && t->skip == XS_SKIP_LEFT_OUT ? XS_LOOK_LEFT_OUT : XS_LOOK_NONE;
}

struct xs_memset_view {
    uint64_t address, bytes;
    uint32_t value;
    unsigned element_bytes;
    enum xs_memory_kind kind;
    int64_t allocation; /* allocation.id, 0: none known */
    struct xs_box box;
};

struct xs_launch_view {
    enum xs_launch_kind kind;
    uint64_t function;
    uint64_t shape;      /* a hash of grid, block and shared memory; launches with equal values have equal hashes */
    bool arguments_seen; /* `arguments` has all allocations that the launch's arguments point into; always false for a
                          * launch of a graph */
    const int64_t *arguments; /* allocation.id of each; valid as long as the analysis runs */
    unsigned argument_count;
    uint32_t site; /* the call site with its place, if the launch's stack was recorded; 0: the stack was not recorded,
                    * as for most launches */
};

struct xs_sync_view {
    enum xs_sync_scope scope;
    uint64_t object; /* the event's handle, for scope EVENT */
    /* The asynchronous upload or download for which this call waits, if the copy was the previous call of the same
     * thread (a record of an event may lie between the two calls). The event is the one that detectors got, but
     * `region` is NULL. NULL: there is no such copy. The field is set only if a detector wants XS_ON_SYNC. */
    const struct xs_trace_event *copy;
};

struct xs_api_view { /* docs/rules/trace-format.md says what each field means for each entry point */
    uint64_t object, address, bytes;
    int64_t argument;
    enum xs_category category;
    unsigned traits; /* enum xs_entry_trait */
};

struct xs_migration_view {
    unsigned kind; /* number of XS_MIGRATION_KINDS */
    uint64_t address, bytes;
    int32_t src_device, dst_device;   /* -1: the host */
    struct xs_allocation *allocation; /* the live allocation that contains the address; NULL: not known */
};

struct xs_interval_view {
    bool is_kernel;
    enum xs_direction direction; /* for a copy: H2D or D2H */
    int64_t transfer;            /* transfer.id; 0: a kernel, or a copy of a launched graph */
    int64_t device_allocation;   /* allocation.id of a copy's device side; 0: not known */
    uint64_t bytes;

    /* The next fields are set only if the interval is the copy of a transfer. The event's device_ns and exposed_ns are
     * then those of the transfer. */
    enum xs_memory_kind host_kind;
    bool is_box, is_batch;
    int64_t call_ns;  /* enter time of the host's call */
    uint64_t host_ns; /* how long the host's call took */
};

enum xs_write_certainty {
    XS_WRITE_CERTAIN,   /* nothing that could have read the bytes ran on the device */
    XS_WRITE_LIKELY,    /* launches or other copies ran, but no launch was given a pointer into the allocation */
    XS_WRITE_UNDECIDED, /* a launch with unseen arguments ran */
};

struct xs_write_end_view {
    const struct xs_write *write; /* the write that ended */
    bool freed;                   /* true: the allocation ended; false: the bytes were overwritten */
    enum xs_write_certainty certainty;
    enum xs_on ended_by; /* XS_ON_TRANSFER, MEMSET, FREE, or API (a stream memory operation) */
    int64_t ended_by_id; /* row id of the event that ended the write; for FREE, the id of the allocation */
};

struct xs_trace_event {
    enum xs_on on;
    bool ran;      /* succeeded, moved something, and was not only captured into a graph */
    bool is_async; /* asynchronous by the entry point's contract; for transfers and memsets */
    bool is_captured;
    int32_t result;    /* CUresult */
    int64_t id;        /* row id in its table: allocation, transfer, memset, launch, sync, api_call, device_migration */
    int64_t enter_ns;  /* for MIGRATION and DEVICE_INTERVAL, the start on the device */
    int64_t return_ns; /* never before enter_ns; equal to enter_ns if the return was not measured. For MIGRATION and
                        * DEVICE_INTERVAL, the end on the device */
    uint64_t host_others_ns; /* for a copy: the part of the call's time that counts for other copies, either because the
                              * call is a batch call, or because during this part the main thread waited for an earlier
                              * download */
    int32_t entry_point;     /* entry_point.id; -1: unknown. For a FREE: the function that freed the memory; it may be a
                              * function that destroys a context */
    int32_t thread;          /* thread.id */
    int32_t context;         /* context.id, 0: unknown */
    int32_t stream;          /* stream.id, 0: unknown */
    int32_t device; /* ordinal of the device of an upload's destination, of a download's or device copy's source, or of
                     * a memset's memory; for a launch, a wait and other calls, of the call's context; -1: unknown, or
                     * host memory */
    uint32_t site;  /* the call site, as a number of xs_sites (site.h) */
    uint32_t correlation; /* CUPTI's correlation number; 0: none */

    /* Device times of a transfer or memset, set if `timed`. For a copy of a batch call, device_ns and exposed_ns are
     * the copy's share of the call's times, in proportion to its bytes, but start_ns and end_ns are those of the whole
     * call. */
    bool timed;
    bool exposed_known; /* exposed_ns is known, because kernels were also recorded */
    int64_t start_ns, end_ns;
    uint64_t device_ns;
    uint64_t exposed_ns; /* the part of device_ns during which no kernel ran on the device, or during which the host was
                          * inside the copy's call or waited for the copy's stream */

    /* What findings have claimed of this transfer, memset or allocation (XS_ON_ALLOCATION, FREE, LIVE); NULL for other
     * events. A detector that wants to claim something after its function has returned keeps the account with
     * xs_account_keep, and later releases the account. */
    struct xs_account *account;

    union {
        struct xs_transfer_view transfer;
        struct xs_memset_view memset;
        struct xs_allocation *allocation;
        struct xs_launch_view launch;
        struct xs_sync_view sync;
        struct xs_api_view api;
        struct xs_migration_view migration;
        struct xs_interval_view interval;
        struct xs_write_end_view write_end;
    } u;
};

static inline uint64_t xs_event_host_ns(const struct xs_trace_event *e) {
    return (uint64_t)e->return_ns - (uint64_t)e->enter_ns - e->host_others_ns;
}

/* For a wait, returns the copy for which the host waits (xs_sync_view.copy; NULL: none). For any other event, returns
 * the event. */
static inline const struct xs_trace_event *xs_event_or_its_copy(const struct xs_trace_event *e) {
    return e->on == XS_ON_SYNC ? e->u.sync.copy : e;
}

/* True if the event gives work to the device. xs_model_gives_work says the same about a call in the replay. */
static inline bool xs_event_gives_work(const struct xs_trace_event *e) {
    return e->on == XS_ON_TRANSFER || e->on == XS_ON_LAUNCH || e->on == XS_ON_MEMSET;
}

static inline bool xs_is_upload(const struct xs_trace_event *e) {
    return e->on == XS_ON_TRANSFER && e->u.transfer.direction == XS_DIR_H2D;
}

static inline bool xs_is_download(const struct xs_trace_event *e) {
    return e->on == XS_ON_TRANSFER && e->u.transfer.direction == XS_DIR_D2H;
}

#endif
